/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* When random READs start and end: their number, bytes and time, and what an incorrect READ
 * means. The files and their true bytes are those of the embedded server; the results of READs
 * are made up. */
#include "tests/unit/probe-peer.h"

#define MIB (1024 * 1024)

static struct read_record list[MECH_COUNT];
static struct records records;
static struct random_task task;
static struct window w;

static unsigned int attempts;
/* The made-up results. */
static unsigned int every; /* READ number N, 2N, ... has this outcome; 0: none */
static enum read_kind kind;
static const struct probe_file *changing; /* each READ of it encounters a change */
static bool server_goes;
static bool large; /* as if each had 1 MiB more */
static unsigned int pause_ms;

static enum read_kind attempt(void *arg, const struct read_case *c)
{
	CU_ASSERT_PTR_EQUAL(arg, &records);
	CU_ASSERT_TRUE(c->offset >= w.base && c->offset + c->count <= w.base + w.len);
	attempts++;
	if (large)
		records.random.bytes += MIB;
	if (pause_ms)
		usleep(pause_ms * 1000);
	if (changing && w.file == changing) {
		w.changing = true;
		return READ_CHANGING;
	}
	if (!every || attempts % every)
		return READ_OK;
	p->liveness.gone = server_goes;
	return kind;
}

/* A probe whose sweep was correct by every mechanism. */
static void begin(enum probe_level level, unsigned int reads)
{
	enum mechanism m;

	open_probe("4.0", level, 0);
	options.reads = reads;
	options.seed = 3;
	memset(&records, 0, sizeof(records));
	memset(list, 0, sizeof(list));
	records.list = list;
	for (m = 0; m < MECH_COUNT; m++) {
		list[m].c.mechanism = m;
		list[m].expected = m == MECH_INLINE ? 3941 : MIB;
		records.count++;
	}
	task = (struct random_task){
		.p = p, .records = &records, .w = &w, .attempt = attempt, .arg = &records
	};
	attempts = every = pause_ms = 0;
	changing = NULL;
	server_goes = large = false;
}

static void end(void)
{
	CU_ASSERT_PTR_NULL(w.bytes);
	close_probe();
}

static void random_reads_end_at_their_number(void)
{
	static const unsigned int numbers[] = { 1, 63, 64, 65, 500 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		SUITE_ROW("%u", numbers[i]);
		begin(PROBE_STANDARD, numbers[i]);
		random_run(&task);
		CU_ASSERT_EQUAL(attempts, numbers[i]);
		CU_ASSERT_EQUAL(records.random.reads, numbers[i]);
		CU_ASSERT_EQUAL(records.random.seed, 3);
		CU_ASSERT_STRING_EQUAL(records.random.why, "all done");
		end();
	}
}

static void level_quick_and_a_count_of_0_have_none(void)
{
	begin(PROBE_QUICK, 100);
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 0);
	ASSERT_CONTAINS(records.random.why, "quick");
	end();
	begin(PROBE_FULL, 0);
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 0);
	end();
}

static void none_follow_a_failure_or_a_lost_connection(void)
{
	begin(PROBE_STANDARD, 100);
	list[1].outcome.kind = READ_DATA;
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 0);
	list[1].outcome.kind = READ_OK;
	p->behaviour.lost.count = 1;
	random_run(&task);
	p->behaviour.lost.count = 0;
	p->behaviour.closed.count = 1;
	random_run(&task);
	p->behaviour.closed.count = 0;
	p->behaviour.xid.count = 1;
	random_run(&task);
	p->behaviour.xid.count = 0;
	CU_ASSERT_EQUAL(attempts, 0);
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 100);
	end();
}

/* 256 MiB for up to 5000 READs, and proportionally more for more READs. */
static void random_reads_end_at_their_bytes(void)
{
	static const struct {
		unsigned int wanted, reads;
	} rows[] = { { 2500, 256 }, { 5000, 256 }, { 10000, 512 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%u", rows[i].wanted);
		begin(PROBE_STANDARD, rows[i].wanted);
		large = true;
		random_run(&task);
		ASSERT_AT_MOST(records.random.reads, rows[i].reads);
		ASSERT_LESS(rows[i].reads - 32, records.random.reads);
		ASSERT_CONTAINS(records.random.why, "bytes");
		end();
	}
}

static void only_correct_mechanisms_are_used(void)
{
	begin(PROBE_STANDARD, 500);
	list[MECH_INLINE].outcome.kind = READ_CHANGING;
	random_run(&task);
	CU_ASSERT_EQUAL(records.random.right[MECH_INLINE], 0);
	CU_ASSERT_EQUAL(records.random.right[MECH_WRITE_CHUNK] +
				records.random.right[MECH_REPLY_CHUNK],
			500);
	CU_ASSERT_EQUAL(records.random.right_bytes[MECH_WRITE_CHUNK] +
				records.random.right_bytes[MECH_REPLY_CHUNK],
			records.random.bytes);
	end();
}

/* Half of the remaining time, and never less than others need. */
static void random_reads_end_at_their_time(void)
{
	begin(PROBE_STANDARD, 50000000);
	p->deadline = deadline_in(4000);
	pause_ms = 5;
	random_run(&task);
	ASSERT_LESS(0, attempts);
	CU_ASSERT_EQUAL(records.random.reads, attempts);
	CU_ASSERT_EQUAL(records.random.wrong, 0);
	ASSERT_CONTAINS(records.random.why, "time");
	end();
	begin(PROBE_STANDARD, 100);
	p->deadline = deadline_in(2000);
	task.reserve_ms = 1500;
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 0);
	ASSERT_CONTAINS(records.random.why, "time");
	end();
	/* A READ that takes longer than the rest is not started. */
	begin(PROBE_STANDARD, 100);
	task.ms_a_byte = PATIENCE_MS;
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 0);
	end();
}

static void random_reads_end_after_some_failures(void)
{
	begin(PROBE_STANDARD, 5000);
	every = 100;
	kind = READ_DATA;
	random_run(&task);
	CU_ASSERT_EQUAL(records.random.wrong, 8);
	CU_ASSERT_EQUAL(records.random.reads, 800);
	CU_ASSERT_EQUAL(attempts, 800);
	end();
}

static void a_read_that_ends_the_connection_is_not_repeated(void)
{
	static const enum read_kind kinds[] = { READ_LOST, READ_CLOSED, READ_TRANSPORT };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		SUITE_ROW("%s", read_kind_name(kinds[i]));
		begin(PROBE_STANDARD, 5000);
		every = 100;
		kind = kinds[i];
		random_run(&task);
		CU_ASSERT_EQUAL(attempts, 100);
		CU_ASSERT_EQUAL(records.random.wrong, 1);
		end();
	}
}

/* It proves nothing about the READs before it. */
static void a_server_that_disappears_fails_the_read(void)
{
	begin(PROBE_STANDARD, 5000);
	every = 100;
	kind = READ_NOT_RUN;
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 100);
	CU_ASSERT_EQUAL(records.random.reads, 99);
	CU_ASSERT_EQUAL(records.random.wrong, 0);
	end();
	begin(PROBE_STANDARD, 5000);
	every = 100;
	server_goes = true;
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 100);
	CU_ASSERT_EQUAL(records.random.reads, 100);
	CU_ASSERT_EQUAL(records.random.wrong, 1);
	end();
}

static void a_changing_file_is_abandoned(void)
{
	begin(PROBE_STANDARD, 300);
	ASSERT_LESS_FATAL(1, p->files.ncandidates);
	changing = &p->files.candidates[0];
	random_run(&task);
	CU_ASSERT_EQUAL(records.random.reads, 300);
	CU_ASSERT_EQUAL(records.random.wrong, 0);
	ASSERT_AT_MOST(attempts, 301);
	end();
	begin(PROBE_STANDARD, 300);
	p->files.ncandidates = 1;
	p->files.giant.attr.size = 0;
	changing = &p->files.candidates[0];
	random_run(&task);
	CU_ASSERT_EQUAL(attempts, 1);
	CU_ASSERT_EQUAL(records.random.reads, 0);
	ASSERT_CONTAINS(records.random.why, "changed");
	end();
}

SUITE_MAIN("random-run", TEST(random_reads_end_at_their_number),
	   TEST(level_quick_and_a_count_of_0_have_none),
	   TEST(none_follow_a_failure_or_a_lost_connection), TEST(random_reads_end_at_their_bytes),
	   TEST(only_correct_mechanisms_are_used), TEST(random_reads_end_at_their_time),
	   TEST(random_reads_end_after_some_failures),
	   TEST(a_read_that_ends_the_connection_is_not_repeated),
	   TEST(a_server_that_disappears_fails_the_read), TEST(a_changing_file_is_abandoned))
