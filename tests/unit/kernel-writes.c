/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a kernel's writes prove, by what the server received of them. */
#include "plugin/kernel/internal.h"

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

SUITE_MAIN("kernel-writes", TEST(each_row_is_right_if_it_comes_as_it_is),
	   TEST(several_writes_may_carry_one), TEST(other_bytes_are_wrong_wherever_they_are),
	   TEST(the_kernel_sees_what_went_wrong))
