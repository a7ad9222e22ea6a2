/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mountinfo, a NUL, and a mountstats: whatever they are, what comes of them is bounded,
 * printable, and lies below another mount of the list or none. */
#include "plugin/host/internal.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text, size_t cap)
{
	FUZZ_CHECK(strnlen(text, cap) < cap);
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static void check_mount(const struct nfs_mounts *mounts, const struct nfs_mount *mount)
{
	unsigned int i;

	check_text(mount->target, sizeof(mount->target));
	check_text(mount->fs_spec, sizeof(mount->fs_spec));
	check_text(mount->options, sizeof(mount->options));
	check_text(mount->proto, sizeof(mount->proto));
	FUZZ_CHECK(mount->parent == UINT32_MAX || mount->parent < mounts->count);
	FUZZ_CHECK(mount->nxprts <= NFS_XPRTS_MAX);
	for (i = 0; i < mount->nxprts; i++) {
		check_text(mount->xprts[i].proto, sizeof(mount->xprts[i].proto));
		FUZZ_CHECK(mount->xprts[i].nvalues <= ARRAY_SIZE(mount->xprts[i].values));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 2);
	struct nfs_mounts mounts;
	unsigned int i;
	size_t first;

	FUZZ_CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = text[size + 1] = '\0';
	first = strlen(text);
	if (!mountinfo_parse(text, &mounts)) {
		FUZZ_CHECK(mounts.count <= NFS_MOUNTS_MAX);
		if (first < size)
			mounts_join(&mounts, text + first + 1);
		for (i = 0; i < mounts.count; i++)
			check_mount(&mounts, &mounts.list[i]);
		host_nfs_mounts_fini(&mounts);
	}
	free(text);
	return 0;
}
