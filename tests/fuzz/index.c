/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The index of a snapshot, which may be anybody's: whatever it says, what is asked for is there,
 * absent, an error with clean words, or unknown. */
#include <fcntl.h>
#include <sys/stat.h>

#include "plugin/host/host.h"
#include "rpcrdma/base/finding.h"
#include "tests/fuzz/fuzz.h"

static const char *const paths[] = { "etc/a", "etc/a/b", "etc", "proc/p", "x" };

static char root[] = "/tmp/nfsrdma-fuzz.XXXXXX";
static char folder[sizeof(root) + 16], index_file[sizeof(root) + 32];

static void remove_root(void)
{
	unlink(index_file);
	rmdir(folder);
	rmdir(root);
}

static void make_root(void)
{
	if (index_file[0])
		return;
	FUZZ_CHECK(mkdtemp(root) != NULL);
	snprintf(folder, sizeof(folder), "%s/.nfsrdma", root);
	snprintf(index_file, sizeof(index_file), "%s/index.json", folder);
	FUZZ_CHECK(!mkdir(folder, 0700));
	atexit(remove_root);
}

static void ask(const struct host *host, const char *path)
{
	struct host_list names = { NULL, 0, false };
	char text[64];
	int rc = host_attr(host, path, text, sizeof(text));

	FUZZ_CHECK(rc < 0);
	FUZZ_CHECK(*err_text() && finding_is_clean(err_text()));
	rc = host_list(host, path, &names);
	FUZZ_CHECK(rc < 0);
	host_list_fini(&names);
	FUZZ_CHECK(host_exists(host, path) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct host *host = NULL;
	size_t i;
	int fd;

	make_root();
	fd = open(index_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (host_open(&host, root)) {
		FUZZ_CHECK(*err_text());
		return 0;
	}
	FUZZ_CHECK(host_is_snapshot(host));
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		ask(host, paths[i]);
	host_close(host);
	return 0;
}
