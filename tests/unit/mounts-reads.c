/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the counters of a mount's READs show about this host's kernel client. */
#include "plugin/mounts/mounts.h"
#include "suite.h"

#define KNOWN true, true, true, false

static const struct {
	const char *what;
	struct nfs_reads reads; /* calls, received, shorts, bytes */
	enum reads_state state;
} rows[] = {
	/* Linux 3.12.9, with a correct server. */
	{ "3.12.9, v3", { KNOWN, 25, 89164, 24, 788 }, READS_LOST },
	{ "3.12.9, v4.1", { KNOWN, 85, 343848, 83, 1600 }, READS_LOST },
	{ "3.12.9, v3, nothing below 789", { KNOWN, 25, 85904, 25, 0 }, READS_LOST },
	{ "3.12.9, v4.1, 811 and 812 right", { KNOWN, 23, 83472, 21, 1623 }, READS_LOST },
	{ "6.1.0-56, the testbed", { KNOWN, 74, 6933460, 0, 6923979 }, READS_WHOLE },
	/* Ten are enough, nine are not. */
	{ "ten READs", { KNOWN, 10, 42240, 10, 0 }, READS_LOST },
	{ "nine READs", { KNOWN, 9, 38016, 9, 0 }, READS_FEW },
	{ "no READ", { KNOWN, 0, 0, 0, 0 }, READS_FEW },
	/* One of the two alone is legal. */
	{ "a server that answers with less", { KNOWN, 400, 26269600, 390, 26214400 }, READS_WHOLE },
	{ "half of the READs are short", { KNOWN, 100, 422400, 50, 0 }, READS_UNCLEAR },
	{ "more than half", { KNOWN, 100, 422400, 51, 0 }, READS_LOST },
	{ "errors, which bring nothing", { KNOWN, 1000, 128000, 0, 0 }, READS_UNCLEAR },
	{ "half of the data came", { KNOWN, 100, 460800, 60, 204800 }, READS_UNCLEAR },
	{ "less than half", { KNOWN, 100, 460800, 60, 204799 }, READS_LOST },
	/* Whole files that are shorter than the READ. */
	{ "small files", { KNOWN, 40, 8000, 0, 1600 }, READS_UNCLEAR },
	{ "small files, short without an end", { KNOWN, 40, 8000, 39, 1600 }, READS_UNCLEAR },
	{ "empty files", { KNOWN, 5000, 640000, 0, 0 }, READS_UNCLEAR },
	{ "files of 788 bytes", { KNOWN, 50, 45800, 0, 39400 }, READS_UNCLEAR },
	{ "the end of one large file", { KNOWN, 257, 268472320, 1, 268435456 }, READS_WHOLE },
	/* Only what fits inline, and one byte more. */
	{ "3068 bytes a READ", { KNOWN, 100, 320000, 0, 306800 }, READS_UNCLEAR },
	{ "3069 bytes a READ", { KNOWN, 100, 320000, 0, 306900 }, READS_WHOLE },
	{ "4096 bytes a READ", { KNOWN, 10, 42240, 0, 40960 }, READS_WHOLE },
	/* Bytes that the mount's own calls do not explain. */
	{ "pNFS", { KNOWN, 10, 1280, 0, 4194304 }, READS_UNCLEAR },
	{ "pNFS, short", { KNOWN, 10, 42240, 11, 0 }, READS_UNCLEAR },
	/* Hostile counters. */
	{ "all ones", { KNOWN, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX }, READS_UNCLEAR },
	{ "headers overflow", { KNOWN, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0 }, READS_UNCLEAR },
	{ "huge and lost", { KNOWN, 1ULL << 40, UINT64_MAX, 1ULL << 40, 1 }, READS_LOST },
	{ "huge and whole", { KNOWN, 10, UINT64_MAX, 0, UINT64_MAX }, READS_WHOLE },
	{ "no number", { true, true, true, true, 85, 343848, 83, 1600 }, READS_UNKNOWN },
	{ "no events", { false, true, true, false, 85, 343848, 0, 1600 }, READS_UNKNOWN },
	{ "no bytes", { true, false, true, false, 85, 343848, 83, 0 }, READS_UNKNOWN },
	{ "no READ line", { true, true, false, false, 0, 0, 83, 1600 }, READS_UNKNOWN },
	{ "nothing", { false, false, false, false, 0, 0, 0, 0 }, READS_UNKNOWN },
};

static void mostly_short_reads_with_missing_bytes_are_the_bug(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].what);
		CU_ASSERT_EQUAL(reads_judge(&rows[i].reads), rows[i].state);
	}
}

static void numbers_are_printed_and_fit(void)
{
	char text[READS_TEXT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].what);
		CU_ASSERT_PTR_EQUAL(reads_text(&rows[i].reads, text), text);
		ASSERT_LESS(strlen(text), READS_TEXT_MAX - 1);
		CU_ASSERT_EQUAL(!!strstr(text, "not in the server"), rows[i].state == READS_LOST);
		CU_ASSERT_EQUAL(!!strstr(text, "update this host's kernel"),
				rows[i].state == READS_LOST);
	}
	ASSERT_CONTAINS(reads_text(&rows[1].reads, text),
			"83 of 85 READs were short, and 1600 of 343848 bytes");
}

/* --- which mount proves it ---------------------------------------------------------------------- */

static struct nfs_mount list[4];
static const struct nfs_mounts mounts = { .count = 4, .list = list };

static const struct nfs_reads lost = { KNOWN, 85, 343848, 83, 1600 },
			      whole = { KNOWN, 100, 422400, 0, 409600 },
			      few = { KNOWN, 1, 4224, 1, 0 };

static void set(unsigned int at, const char *spec, const char *proto, const struct nfs_reads *reads)
{
	list[at] = (struct nfs_mount){ .nxprts = 1, .reads = *reads };
	strcpy(list[at].fs_spec, spec);
	strcpy(list[at].proto, proto);
	strcpy(list[at].xprts[0].proto, proto);
}

static void failing_mounts_precede_correct_ones(void)
{
	set(0, "n:/a", "rdma", &few);
	set(1, "n:/b", "tcp", &lost);
	set(2, "n:/c", "rdma", &few);
	set(3, "n:/d", "rdma", &few);
	CU_ASSERT_PTR_NULL(reads_proof(&mounts, "n:/a"));
	set(2, "n:/c", "rdma6", &whole);
	CU_ASSERT_PTR_EQUAL(reads_proof(&mounts, NULL), &list[2]);
	CU_ASSERT_PTR_EQUAL(reads_proof(&mounts, "n:/b"), &list[2]);
	set(3, "n:/d", "rdma", &whole);
	CU_ASSERT_PTR_EQUAL(reads_proof(&mounts, NULL), &list[2]);
	CU_ASSERT_PTR_EQUAL(reads_proof(&mounts, "n:/d"), &list[3]);
	set(0, "n:/a", "rdma", &lost);
	CU_ASSERT_PTR_EQUAL(reads_proof(&mounts, "n:/d"), &list[0]);
	/* Connections of different transports: the bytes cannot be attributed. */
	list[0].nxprts = 2;
	strcpy(list[0].xprts[1].proto, "tcp");
	CU_ASSERT_PTR_EQUAL(reads_proof(&mounts, "n:/d"), &list[3]);
}

SUITE_MAIN("mounts-reads", TEST(mostly_short_reads_with_missing_bytes_are_the_bug),
	   TEST(numbers_are_printed_and_fit), TEST(failing_mounts_precede_correct_ones))
