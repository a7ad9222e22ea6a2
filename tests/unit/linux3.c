/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The marks of a Linux 3.x server, and what is not enough to identify one. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static struct finding findings[8];
static unsigned int nfindings;

static void sink(void *arg, const struct finding *f)
{
	(void)arg;
	ASSERT_LESS_FATAL(nfindings, ARRAY_SIZE(findings));
	finding_copy(&findings[nfindings++], f);
}

static void judge_failure(const struct linux3_seen *seen)
{
	nfindings = 0;
	linux3_say(seen, sink, NULL);
}

static const struct linux3_seen old = { .credits = 16, .pads = 30, .unused_dropped = 3 };

static void all_four_marks_make_the_fingerprint(void)
{
	judge_failure(&old);
	CU_ASSERT_EQUAL_FATAL(nfindings, 1);
	CU_ASSERT_STRING_EQUAL(findings[0].id, "bug.linux3-write");
	CU_ASSERT_EQUAL(findings[0].status, FINDING_WARN);
	ASSERT_STARTS(findings[0].summary, "behaves like Linux 3.x: ");
}

static void three_marks_are_not_enough(void)
{
	struct linux3_seen seen[4] = { old, old, old, old };
	size_t i;

	seen[0].private_data = true;
	seen[1].credits = 32;
	seen[2].pads = 0;
	seen[3].unused_dropped = 0;
	seen[3].unused_kept = 1;
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		SUITE_ROW("%zu", i);
		judge_failure(&seen[i]);
		CU_ASSERT_EQUAL(nfindings, 0);
	}
}

/* No zero-length READ is sent to an unidentified server. */
static void three_marks_are_enough_if_the_fourth_was_not_tested(void)
{
	struct linux3_seen seen = old;

	seen.unused_dropped = 0;
	judge_failure(&seen);
	CU_ASSERT_EQUAL_FATAL(nfindings, 1);
	CU_ASSERT_STRING_EQUAL(findings[0].id, "bug.linux3-write");
	CU_ASSERT_EQUAL(findings[0].status, FINDING_WARN);
	ASSERT_CONTAINS(findings[0].summary, "three of four signs");
	seen.pads = 0;
	judge_failure(&seen);
	CU_ASSERT_EQUAL(nfindings, 0);
}

/* Seen with a real 3.12.9 where one file was named: its READs were wrong, and no zero-length
 * READ was sent to an unidentified server. */
static void a_read_defect_replaces_the_fourth_mark(void)
{
	struct linux3_seen seen[3] = { old, old, old };
	size_t i;

	seen[0].reply_heads = 2;
	seen[1].page_starts = 2;
	seen[2].header_segment = true;
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		SUITE_ROW("%zu", i);
		seen[i].unused_dropped = 0;
		judge_failure(&seen[i]);
		CU_ASSERT_EQUAL_FATAL(nfindings, 2);
		CU_ASSERT_STRING_EQUAL(findings[1].id, "bug.linux3-write");
		seen[i].pads = 0;
		judge_failure(&seen[i]);
		CU_ASSERT_EQUAL(nfindings, 1);
	}
}

static void each_read_defect_has_its_name(void)
{
	static const struct {
		struct linux3_seen seen;
		const char *id; /* NULL: nothing */
	} rows[] = {
		{ { .reply_heads = 2 }, "bug.linux3-inline-head" },
		{ { .page_starts = 2 }, "bug.linux3-page-base" },
		{ { .header_segment = true }, "bug.linux3-pad-segment" },
		{ { .reply_heads = 1, .page_starts = 1 }, NULL },
		{ { .reply_heads = 9, .private_data = true }, NULL },
		{ { .page_starts = 9, .private_data = true }, NULL },
		{ { .header_segment = true, .private_data = true }, NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		judge_failure(&rows[i].seen);
		CU_ASSERT_EQUAL_FATAL(nfindings, rows[i].id ? 1 : 0);
		if (!rows[i].id)
			continue;
		CU_ASSERT_STRING_EQUAL(findings[0].id, rows[i].id);
		CU_ASSERT_EQUAL(findings[0].status, FINDING_FAIL);
	}
}

static void marks_count_only_where_they_apply(void)
{
	struct read_record list[] = {
		{ .c.mechanism = MECH_WRITE_CHUNK, .outcome.kind = READ_PAD },
		{ .c.mechanism = MECH_WRITE_CHUNK,
		  .outcome = { .kind = READ_LENGTHS, .sign = SIGN_UNUSED_DROPPED } },
		{ .outcome = { .kind = READ_DATA, .sign = SIGN_REPLY_HEAD }, .confirmed = true },
		{ .outcome = { .kind = READ_DATA, .sign = SIGN_PAGE_START }, .confirmed = true },
		{ .c.mechanism = MECH_WRITE_CHUNK, .outcome.kind = READ_OK },
		/* not these */
		{ .c.mechanism = MECH_WRITE_CHUNK, .outcome = { .kind = READ_OK, .brought = 813 } },
		{ .c.mechanism = MECH_REPLY_CHUNK, .outcome.kind = READ_OK },
		{ .c.mechanism = MECH_WRITE_CHUNK, .outcome.kind = READ_LENGTHS },
		{ .outcome = { .kind = READ_DATA, .sign = SIGN_REPLY_HEAD } },
		{ .outcome = { .kind = READ_CHANGING, .sign = SIGN_PAGE_START },
		  .confirmed = true },
	};
	const struct records records = { .list = list, .count = ARRAY_SIZE(list) };
	struct linux3_seen seen = { 0 };

	linux3_count(&seen, &records);
	CU_ASSERT_EQUAL(seen.pads, 1);
	CU_ASSERT_EQUAL(seen.unused_dropped, 1);
	CU_ASSERT_EQUAL(seen.unused_kept, 1);
	CU_ASSERT_EQUAL(seen.reply_heads, 1);
	CU_ASSERT_EQUAL(seen.page_starts, 1);
}

/* As observed: 3 bytes to STag 2 at 0x300000006. */
static void a_write_to_words_of_the_call_is_known(void)
{
	static const uint8_t seen[] = {
		0x00, 0x11, 0xc1, 0x40, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 6
	};
	static const struct {
		size_t at;
		uint8_t byte;
		bool known;
	} rows[] = {
		{ 0, 0x00, true }, { 2, 0x41, false }, { 3, 0x43, false }, { 7, 1, false },
		{ 11, 4, false },  { 11, 2, false },   { 15, 7, false },   { 4, 0x80, false },
	};
	uint8_t frame[sizeof(seen)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		memcpy(frame, seen, sizeof(frame));
		frame[rows[i].at] = rows[i].byte;
		CU_ASSERT_EQUAL(linux3_is_header_segment(frame, sizeof(frame)), rows[i].known);
	}
	memcpy(frame, seen, sizeof(frame));
	CU_ASSERT_FALSE(linux3_is_header_segment(frame, sizeof(frame) - 1));
	frame[11] = 4;
	frame[15] = 1;
	CU_ASSERT_TRUE(linux3_is_header_segment(frame, sizeof(frame)));
}

SUITE_MAIN("linux3", TEST(all_four_marks_make_the_fingerprint), TEST(three_marks_are_not_enough),
	   TEST(three_marks_are_enough_if_the_fourth_was_not_tested),
	   TEST(a_read_defect_replaces_the_fourth_mark), TEST(each_read_defect_has_its_name),
	   TEST(marks_count_only_where_they_apply), TEST(a_write_to_words_of_the_call_is_known))
