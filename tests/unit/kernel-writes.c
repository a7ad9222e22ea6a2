/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a kernel's writes prove, by what the server received of them. */
#include "plugin/kernel/internal.h"

#include "plugin/report/report.h"
#include "tests/unit/suite.h"

#define KEY 0x123456789abcdef0u

static uint8_t copy[KERNEL_WRITE_SIZE];

/* Puts all rows up to @index into the copy, and returns the size of the file. */
static uint32_t write_up_to(unsigned int index)
{
	uint32_t size = 0;
	unsigned int i;

	memset(copy, 0, sizeof(copy));
	for (i = 0; i <= index; i++) {
		const struct kernel_write_row *row = &kernel_write_rows[i];

		kernel_write_content(copy + row->offset, i, KEY);
		if (row->offset + row->length > size)
			size = row->offset + row->length;
	}
	return size;
}

/* The WRITE that a range of the copy is. */
static struct server_wrote wrote(uint64_t offset, uint32_t len, uint32_t stable)
{
	return (struct server_wrote){ .offset = offset,
				      .digest = bytes_digest(copy + offset, len),
				      .len = len,
				      .stable = stable,
				      .segments = 1 };
}

static struct kernel_record record_of(unsigned int index, uint32_t size)
{
	return (struct kernel_record){ .step = KERNEL_WRITE,
				       .index = index,
				       .length = kernel_write_rows[index].length,
				       .wrong = UINT32_MAX,
				       .digest = size };
}

static void each_row_is_right_if_it_comes_as_it_is(void)
{
	const struct kernel_write_row *row = kernel_write_rows;
	struct kernel_write_count count = { 0 };
	struct kernel_record r;
	struct server_wrote w;
	struct kernel_wire wire = { .wrote = &w, .count = 1 };
	unsigned int i;

	for (i = 0; i < KERNEL_WRITES; i++, row++) {
		SUITE_ROW("%u", i);
		ASSERT_AT_MOST(row->length, KERNEL_WRITE_MAX);
		ASSERT_AT_MOST(row->offset + row->length, KERNEL_WRITE_SIZE);
		r = record_of(i, write_up_to(i));
		w = wrote(row->offset, row->length, 2);
		/* What was there before. */
		if (i)
			write_up_to(i - 1);
		else
			memset(copy, 0, sizeof(copy));
		CU_ASSERT_EQUAL(kernel_write_judge(&r, &wire, copy, KEY, &count),
				KERNEL_WRITE_RIGHT);
	}
	CU_ASSERT_EQUAL(count.calls, KERNEL_WRITES);
	CU_ASSERT_EQUAL(count.by_chunk, KERNEL_WRITES);
	CU_ASSERT_EQUAL(count.unstable, 0);
	CU_ASSERT_EQUAL(write_up_to(KERNEL_WRITES - 1), KERNEL_WRITE_SIZE);
}

/* 65,536 bytes at 98304. */
#define ROW 15u

static enum kernel_write_fault judge(const struct server_wrote *list, unsigned int n,
				     const struct kernel_record *r, unsigned int commits,
				     bool refused)
{
	const struct kernel_wire wire = { list, n, commits, refused };
	struct kernel_write_count count = { 0 };

	write_up_to(ROW - 1);
	return kernel_write_judge(r, &wire, copy, KEY, &count);
}

static void several_writes_may_carry_one(void)
{
	uint32_t size = write_up_to(ROW), at = kernel_write_rows[ROW].offset;
	struct kernel_record r = record_of(ROW, size);
	/* In any order, overlapping, and with what is before. */
	struct server_wrote list[] = { wrote(at + 32768, 32768, 0), wrote(at - 4096, 40000, 0) };

	CU_ASSERT_EQUAL(kernel_write_rows[ROW].length, 65536);
	CU_ASSERT_EQUAL(judge(list, 2, &r, 1, false), KERNEL_WRITE_RIGHT);
	CU_ASSERT_EQUAL(judge(list, 2, &r, 0, false), KERNEL_WRITE_NOT_COMMITTED);
	CU_ASSERT_EQUAL(judge(list, 1, &r, 1, false), KERNEL_WRITE_LOST);
	CU_ASSERT_EQUAL(judge(list + 1, 1, &r, 1, false), KERNEL_WRITE_LOST);
	CU_ASSERT_EQUAL(judge(list, 0, &r, 0, false), KERNEL_WRITE_LOST);
}

static void other_bytes_are_wrong_wherever_they_are(void)
{
	uint32_t size = write_up_to(ROW), at = kernel_write_rows[ROW].offset;
	struct kernel_record r = record_of(ROW, size);
	struct server_wrote good = wrote(at, 65536, 2), w = good;

	w.digest++;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_WRONG);
	/* The same at another place, or another length. */
	w = good;
	w.offset += 512;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_WRONG);
	w = good;
	w.len -= 4;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_WRONG);
	/* The server is not trusted. */
	w = good;
	w.offset = UINT64_MAX - 100;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_WRONG);
	w = good;
	w.len = UINT32_MAX;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_WRONG);
	/* Also where the kernel reports an error. */
	r.error = EIO;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_WRONG);
}

static void the_kernel_sees_what_went_wrong(void)
{
	uint32_t size = write_up_to(ROW), at = kernel_write_rows[ROW].offset;
	const struct kernel_record good = record_of(ROW, size);
	struct server_wrote w = wrote(at, 65536, 2);
	struct kernel_record r = good;

	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_RIGHT);
	r.error = EIO;
	CU_ASSERT_EQUAL(judge(&w, 0, &r, 0, true), KERNEL_WRITE_MALFORMED);
	CU_ASSERT_EQUAL(judge(&w, 0, &r, 0, false), KERNEL_WRITE_ERROR);
	r = good;
	r.length = 4096;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_ERROR);
	r = good;
	r.wrong = 17;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_READ_BACK);
	r = good;
	r.digest++;
	CU_ASSERT_EQUAL(judge(&w, 1, &r, 0, false), KERNEL_WRITE_BAD_SIZE);
}

/* --- through a mount ----------------------------------------------------------------- */

static void expect(const struct finding *f, enum finding_status status, const char *reason)
{
	char both[FINDING_ID_MAX + FINDING_REASON_MAX + 1];

	snprintf(both, sizeof(both), "%s/%s", f->id, f->reason);
	CU_ASSERT_EQUAL(f->status, status);
	CU_ASSERT_STRING_EQUAL(*f->reason ? both : "", reason);
	CU_ASSERT(!*f->reason || meaning_reason(meaning_find(f->id), f->reason) != NULL);
}

/* All was written, and read by the probe's own client. */
static void store(struct kernel_stored *s)
{
	unsigned int i;

	write_up_to(KERNEL_WRITES - 1);
	*s = (struct kernel_stored){ .version = "3",
				     .target = "/srv/m",
				     .path = "/srv/m/new",
				     .copy = copy,
				     .made = true,
				     .removed = true };
	for (i = 0; i < KERNEL_WRITES; i++) {
		const struct kernel_write_row *row = &kernel_write_rows[i];

		s->written[i].tried = true;
		s->written[i].record = record_of(i, 0);
		s->results[i] = (struct probe_range_result){
			.index = i,
			.fate = PROBE_RANGE_RIGHT,
			.length = row->length,
			.digest = bytes_digest(copy + row->offset, row->length),
		};
	}
}

static void who_differs_is_at_fault(void)
{
	static const struct {
		enum kernel_write_fault fault; /* of the last write */
		int error;
		enum probe_range_fate fate; /* of all ranges, for the probe's own client */
		bool stored;                /* as it was written */
		enum finding_status status;
		const char *reason, *guilty;
	} rows[] = {
		{ KERNEL_WRITE_RIGHT, 0, PROBE_RANGE_RIGHT, true, FINDING_PASS, "", "" },
		{ KERNEL_WRITE_RIGHT, 0, PROBE_RANGE_UNKNOWN, true, FINDING_UNKNOWN,
		  "kernel.write/no-reference", "" },
		/* Whatever the kernel reads back. */
		{ KERNEL_WRITE_RIGHT, 0, PROBE_RANGE_RIGHT, false, FINDING_FAIL,
		  "kernel.write/stored-wrong", "kernel client or server" },
		{ KERNEL_WRITE_READ_BACK, 0, PROBE_RANGE_RIGHT, false, FINDING_FAIL,
		  "kernel.write/stored-wrong", "kernel client or server" },
		{ KERNEL_WRITE_READ_BACK, 0, PROBE_RANGE_RIGHT, true, FINDING_FAIL,
		  "kernel.write/read-back", "kernel client" },
		{ KERNEL_WRITE_READ_BACK, 0, PROBE_RANGE_UNKNOWN, true, FINDING_FAIL,
		  "kernel.write/stored-wrong", "kernel client or server" },
		{ KERNEL_WRITE_RIGHT, 0, PROBE_RANGE_WRONG, true, FINDING_WARN,
		  "kernel.write/probe-only", "server or transport" },
		{ KERNEL_WRITE_BAD_SIZE, 0, PROBE_RANGE_RIGHT, true, FINDING_FAIL,
		  "kernel.write/size", "kernel client or server" },
		/* Nor does an error afterwards hide it. */
		{ KERNEL_WRITE_ERROR, ENOSPC, PROBE_RANGE_RIGHT, false, FINDING_FAIL,
		  "kernel.write/stored-wrong", "kernel client or server" },
		/* What could not be written is not stored. */
		{ KERNEL_WRITE_ERROR, EIO, PROBE_RANGE_RIGHT, true, FINDING_FAIL,
		  "kernel.write/mount-error", "kernel client or server" },
		/* Nobody's fault. */
		{ KERNEL_WRITE_ERROR, ENOSPC, PROBE_RANGE_RIGHT, true, FINDING_UNKNOWN,
		  "kernel.write/no-space", "" },
		{ KERNEL_WRITE_ERROR, EDQUOT, PROBE_RANGE_RIGHT, true, FINDING_UNKNOWN,
		  "kernel.write/no-space", "" },
		{ KERNEL_WRITE_ERROR, EACCES, PROBE_RANGE_RIGHT, true, FINDING_UNKNOWN,
		  "kernel.write/denied", "" },
		{ KERNEL_WRITE_ERROR, EROFS, PROBE_RANGE_RIGHT, true, FINDING_UNKNOWN,
		  "kernel.write/read-only", "" },
	};
	static struct kernel_stored s;
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		store(&s);
		for (n = 0; n < KERNEL_WRITES; n++)
			s.results[n].fate = rows[i].fate;
		s.results[ROW].digest += !rows[i].stored;
		s.written[KERNEL_WRITES - 1].fault = rows[i].fault;
		s.written[KERNEL_WRITES - 1].record.error = rows[i].error;
		/* What differs is damage only where all was written. */
		if (rows[i].error)
			s.results[KERNEL_WRITES - 1].digest++;
		if (rows[i].error)
			s.written[KERNEL_WRITES - 1].record.length = 0;
		kernel_stored_finding(&s, &f);
		expect(&f, rows[i].status, rows[i].reason);
		CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "guilty"), rows[i].guilty);
	}
}

static void writes_that_do_not_end_say_why(void)
{
	static struct kernel_stored s;
	_cleanup_(finding_fini) struct finding f = { 0 };

	store(&s);
	s.written[KERNEL_WRITES - 1].tried = false;
	kernel_stored_finding(&s, &f);
	expect(&f, FINDING_UNKNOWN, "kernel.write/killed");
	s.silent = true;
	kernel_stored_finding(&s, &f);
	expect(&f, FINDING_FAIL, "kernel.write/hangs");
	s.late = true;
	kernel_stored_finding(&s, &f);
	expect(&f, FINDING_UNKNOWN, "kernel.write/cut");
	s.chosen.error = ETIMEDOUT;
	kernel_stored_finding(&s, &f);
	expect(&f, FINDING_UNKNOWN, "kernel.write/no-answer");
	s.silent = false;
	kernel_stored_finding(&s, &f);
	expect(&f, FINDING_SKIP, "");
}

static void a_file_that_is_left_is_said(void)
{
	static const struct {
		bool made, removed;
		int error; /* of making it */
		const char *why;
		int remove_error;
		enum finding_status status;
		const char *reason;
		bool unsure, hung;
	} rows[] = {
		/* NFSv3 may have made it, and failed to set its attributes. */
		{ false, false, EIO, "x", 0, FINDING_WARN, "probe.scratch.left/mount", true,
		  false },
		/* Removed while a process that hangs has it open. */
		{ true, true, 0, "", 0, FINDING_WARN, "probe.scratch.left/mount", false, true },
		{ true, true, 0, "", 0, FINDING_PASS, "", false, false },
		{ true, false, 0, "", 0, FINDING_WARN, "probe.scratch.left/mount", false, false },
		{ true, false, 0, "", EEXIST, FINDING_WARN, "probe.scratch.left/mount", false,
		  false },
		/* It did not say whether it had made it. */
		{ false, false, ETIMEDOUT, "", 0, FINDING_WARN, "probe.scratch.left/mount", false,
		  false },
		{ false, false, EROFS, "x", 0, FINDING_UNKNOWN, "probe.scratch/read-only", false,
		  false },
		{ false, false, ENOSPC, "x", 0, FINDING_UNKNOWN, "probe.scratch/no-space", false,
		  false },
		{ false, false, EACCES, "x", 0, FINDING_UNKNOWN, "probe.scratch/denied", false,
		  false },
		{ false, false, EEXIST, "x", 0, FINDING_UNKNOWN, "probe.scratch/exists", false,
		  false },
		{ false, false, ELOOP, "x", 0, FINDING_UNKNOWN, "probe.scratch/not-directory",
		  false, false },
		{ false, false, EXDEV, "x", 0, FINDING_UNKNOWN, "probe.scratch/not-found", false,
		  false },
		{ false, false, EIO, "x", 0, FINDING_UNKNOWN, "probe.scratch/failed", false,
		  false },
	};
	static struct kernel_stored s;
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		store(&s);
		s.made = rows[i].made;
		s.removed = rows[i].removed;
		s.remove_error = rows[i].remove_error;
		s.chosen.error = rows[i].error;
		s.chosen.unsure = rows[i].unsure;
		s.hung = rows[i].hung;
		str_copy(s.chosen.why, sizeof(s.chosen.why), rows[i].why);
		kernel_stored_file_finding(&s, &f);
		expect(&f, rows[i].status, rows[i].reason);
		CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "path"), "/srv/m/new");
	}
}

SUITE_MAIN("kernel-writes", TEST(each_row_is_right_if_it_comes_as_it_is),
	   TEST(several_writes_may_carry_one), TEST(other_bytes_are_wrong_wherever_they_are),
	   TEST(the_kernel_sees_what_went_wrong), TEST(who_differs_is_at_fault),
	   TEST(writes_that_do_not_end_say_why), TEST(a_file_that_is_left_is_said))
