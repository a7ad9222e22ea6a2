/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A guest's XML: whatever it is, each disk that is read from it is one of which something can be
 * asked; and what lies in a pool's target is seen by who only searches for paths, too. */
#include "plugin/libvirt/libvirt.h"
#include "tests/fuzz/fuzz.h"

#define POOL   "vms"
#define TARGET "/pool"

static bool is_in_pool(const struct domain_disk *disk)
{
	size_t len = strlen(TARGET);

	if (!disk->path)
		return !strcmp(disk->pool, POOL);
	return !strncmp(disk->path, TARGET, len) && (disk->path[len] == '/' || !disk->path[len]);
}

static bool check_disk(const struct domain_disk *disk)
{
	FUZZ_CHECK(disk->device && *disk->device);
	FUZZ_CHECK(disk->depth < 256);
	if (disk->path)
		FUZZ_CHECK(*disk->path && !disk->pool && !disk->volume);
	else
		FUZZ_CHECK(disk->pool && *disk->pool && disk->volume && *disk->volume);
	return is_in_pool(disk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct domain_disks disks = { .name = NULL };
	bool in_pool = false;
	char *text = fuzz_text(data, size);
	size_t i;

	if (domain_disks_parse(&disks, (const char *)data, size)) {
		FUZZ_CHECK(*err_text() && !disks.list && !disks.count && !disks.name);
	} else {
		FUZZ_CHECK(disks.count <= DOMAIN_DISKS_MAX);
		for (i = 0; i < disks.count; i++)
			in_pool = check_disk(&disks.list[i]) || in_pool;
		FUZZ_CHECK(!in_pool || pool_guests_uses(text, POOL, TARGET));
	}
	domain_disks_fini(&disks);
	free(text);
	return 0;
}
