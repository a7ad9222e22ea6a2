/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The record of a pool before its conversion: what is accepted is written anew without loss. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/libvirt/internal.h"
#include "tests/fuzz/fuzz.h"

#define UUID "11111111-2222-3333-4444-555555555555"

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pool_original original = { .name = NULL }, again = { .name = NULL };
	char folder[] = "/tmp/nfsrdma-fuzz-XXXXXX", path[80];
	int fd;

	FUZZ_CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/" UUID ".json", folder);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (!pool_original_read(folder, UUID, &original)) {
		FUZZ_CHECK(!pool_original_write(folder, UUID, &original));
		FUZZ_CHECK(!pool_original_read(folder, UUID, &again));
		FUZZ_CHECK(same(original.name, again.name) && same(original.uri, again.uri));
		FUZZ_CHECK(same(original.before, again.before) &&
			   same(original.after, again.after));
		FUZZ_CHECK(original.active == again.active &&
			   original.autostart == again.autostart &&
			   original.reverting == again.reverting);
	} else {
		FUZZ_CHECK(*err_text());
	}
	pool_original_fini(&original);
	pool_original_fini(&again);
	FUZZ_CHECK(!pool_original_remove(folder, UUID));
	FUZZ_CHECK(!rmdir(folder));
	return 0;
}
