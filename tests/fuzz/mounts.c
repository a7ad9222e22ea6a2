/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mountinfo, a NUL, a mountstats, a NUL, and a utab: whatever they are, what comes of them is
 * bounded, printable, and lies below another mount of the list or none; and so is what is said of
 * them. */
#include "plugin/checks/checks.h"
#include "plugin/host/internal.h"
#include "plugin/report/report.h"
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
	check_text(mount->asked, sizeof(mount->asked));
	check_text(mount->proto, sizeof(mount->proto));
	FUZZ_CHECK(mount->parent == UINT32_MAX || mount->parent < mounts->count);
	FUZZ_CHECK(mount->nxprts <= NFS_XPRTS_MAX);
	for (i = 0; i < mount->nxprts; i++) {
		check_text(mount->xprts[i].proto, sizeof(mount->xprts[i].proto));
		FUZZ_CHECK(mount->xprts[i].nvalues <= ARRAY_SIZE(mount->xprts[i].values));
	}
}

static void see(void *arg, const struct finding *finding)
{
	unsigned int *count = arg;

	FUZZ_CHECK(meaning_find(finding->id));
	FUZZ_CHECK(finding_is_clean(finding->summary));
	/* A report can hold them. */
	FUZZ_CHECK(++*count <= 2048);
}

/* Of one look, and of two with the same mounts. */
static void check_verdicts(const struct nfs_mounts *mounts)
{
	const struct view_sources sources = { .mounts = mounts };
	_cleanup_(view_close_p) struct view *view = NULL;
	struct mounts_seen seen = { .view = NULL };
	struct mount_answer *answers = calloc(mounts->count + 1, sizeof(*answers));
	struct mount_verdict *verdicts = NULL;
	unsigned int looks, count;

	FUZZ_CHECK(answers && !view_open(&view, &sources));
	seen.view = view;
	for (looks = 1; looks <= 2; looks++) {
		FUZZ_CHECK(!mounts_audit(&seen, &verdicts));
		count = 0;
		mounts_findings(&seen, verdicts, see, &count);
		free(verdicts);
		seen.before = mounts;
		seen.answers = answers;
	}
	free(answers);
}

/* The text after a NUL, or the empty one at the end. */
static char *behind(char *text, char *end)
{
	char *nul = text + strlen(text);

	return nul < end ? nul + 1 : end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *end = text + size, *stats, *utab;
	struct nfs_mounts mounts;
	unsigned int i;

	stats = behind(text, end);
	utab = behind(stats, end);
	if (!mountinfo_parse(text, &mounts)) {
		FUZZ_CHECK(mounts.count <= NFS_MOUNTS_MAX);
		mounts_join(&mounts, stats);
		utab_parse(utab, &mounts);
		for (i = 0; i < mounts.count; i++)
			check_mount(&mounts, &mounts.list[i]);
		check_verdicts(&mounts);
		host_nfs_mounts_fini(&mounts);
	}
	free(text);
	return 0;
}
