/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The result of re-reading a range of a file, against the embedded server. */
#include "tests/unit/probe-peer.h"

static void an_unchanged_file_is_the_same(void)
{
	struct window w;

	open_probe("4.0", PROBE_STANDARD, 0);
	CU_ASSERT_EQUAL_FATAL(window_open(p, &w, &p->files.candidates[0], 0, 8192), 0);
	CU_ASSERT_EQUAL(window_again(p, &w, 0, 4096), WINDOW_SAME);
	CU_ASSERT_EQUAL(window_again(p, &w, 4097, 10000), WINDOW_SAME);
	CU_ASSERT_EQUAL(window_again(p, &w, w.attr.size + 1, 1), WINDOW_SAME);
	CU_ASSERT_FALSE(w.changing);
	window_close(&w);
	close_probe();
}

static void other_bytes_or_times_are_a_permanent_change(void)
{
	struct window w;

	open_probe("4.0", PROBE_STANDARD, 0);
	CU_ASSERT_EQUAL_FATAL(window_open(p, &w, &p->files.candidates[0], 0, 8192), 0);
	w.bytes[5000] ^= 1;
	CU_ASSERT_EQUAL(window_again(p, &w, 0, 4096), WINDOW_SAME);
	CU_ASSERT_EQUAL(window_again(p, &w, 0, 8192), WINDOW_CHANGED);
	CU_ASSERT(w.changing);
	w.bytes[5000] ^= 1;
	CU_ASSERT_EQUAL(window_again(p, &w, 0, 8192), WINDOW_CHANGED);
	w.changing = false;
	w.attr.mtime.nsec++;
	CU_ASSERT_EQUAL(window_again(p, &w, 0, 4096), WINDOW_CHANGED);
	window_close(&w);
	close_probe();
}

static void a_file_that_cannot_be_read_again_is_not_the_same(void)
{
	struct window w;

	open_probe("4.0", PROBE_STANDARD, 0);
	CU_ASSERT_EQUAL_FATAL(window_open(p, &w, &p->files.candidates[0], 0, 8192), 0);
	server_kill_p(&server);
	p->deadline = deadline_in(1000);
	CU_ASSERT_EQUAL(window_again(p, &w, 0, 4096), WINDOW_UNKNOWN);
	CU_ASSERT_FALSE(w.changing);
	window_close(&w);
	close_probe();
}

static void an_uncertain_difference_is_not_a_failure(void)
{
	static const struct {
		enum read_kind kind;
		enum window_change change;
		enum read_kind want;
	} rows[] = {
		{ READ_DATA, WINDOW_SAME, READ_DATA },
		{ READ_DATA, WINDOW_CHANGED, READ_CHANGING },
		{ READ_DATA, WINDOW_UNKNOWN, READ_NOT_RUN },
		{ READ_STALE, WINDOW_UNKNOWN, READ_NOT_RUN },
		{ READ_SHORT, WINDOW_UNKNOWN, READ_NOT_RUN },
		{ READ_FOLLOWING, WINDOW_UNKNOWN, READ_NOT_RUN },
		/* No content of a file explains these outcomes. */
		{ READ_OUTSIDE, WINDOW_UNKNOWN, READ_OUTSIDE },
		{ READ_PAD, WINDOW_UNKNOWN, READ_PAD },
		{ READ_LOST, WINDOW_UNKNOWN, READ_LOST },
		{ READ_CLOSED, WINDOW_UNKNOWN, READ_CLOSED },
		{ READ_RDMA_ERROR, WINDOW_UNKNOWN, READ_RDMA_ERROR },
		{ READ_OUTSIDE, WINDOW_CHANGED, READ_CHANGING },
	};
	struct read_outcome outcome;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, read_kind_name(rows[i].kind));
		outcome = (struct read_outcome){ .kind = rows[i].kind };
		window_judge(&outcome, rows[i].change);
		CU_ASSERT_EQUAL(outcome.kind, rows[i].want);
		CU_ASSERT_EQUAL(!outcome.text[0], outcome.kind != READ_NOT_RUN);
	}
}

SUITE_MAIN("window", TEST(an_unchanged_file_is_the_same),
	   TEST(other_bytes_or_times_are_a_permanent_change),
	   TEST(a_file_that_cannot_be_read_again_is_not_the_same),
	   TEST(an_uncertain_difference_is_not_a_failure))
