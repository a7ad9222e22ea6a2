/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a kernel's reads prove: the 812-byte bug only without any other possible cause. */
#include "plugin/kernel/internal.h"

#include "tests/unit/suite.h"

struct row {
	const char *name;
	uint32_t right_to;  /* lengths up to this are correct */
	int error;          /* of the others; 0: wrong data */
	bool whole;         /* the server sent all of these */
	uint32_t ms;        /* time that these took */
	uint32_t wrong_too; /* one more that is wrong; 0: none */
	uint32_t tried_to;  /* 0: all */
	enum kernel_fault fault;
	uint32_t largest_right, smallest_wrong;
};

static const struct row rows[] = {
	{ "healthy", 1048576, 0, true, 1, 0, 0, KERNEL_RIGHT, 1048576, 0 },
	/* Linux 3.12.9, seen: NFSv3; NFSv4; NFSv4.0 of a kernel without 4.1 */
	{ "3.12, v3", 788, EIO, true, 2, 0, 0, KERNEL_BUG_812, 788, 789 },
	{ "3.12, v4", 812, EIO, true, 2, 0, 0, KERNEL_BUG_812, 812, 813 },
	{ "3.12, v4.0 alone", 817, EIO, true, 2, 0, 0, KERNEL_BUG_812, 817, 855 },
	/* The same planted in 6.1, whose inline threshold is 4096 bytes */
	{ "6.1", 3800, EIO, true, 2, 0, 0, KERNEL_BUG_812, 3800, 3900 },
	{ "not all was sent", 812, EIO, false, 2, 0, 0, KERNEL_WRONG, 812, 813 },
	{ "a time-out", 812, EIO, true, KERNEL_TIMEO_MS, 0, 0, KERNEL_WRONG, 812, 813 },
	{ "another error", 812, ETIMEDOUT, true, 2, 0, 0, KERNEL_WRONG, 812, 813 },
	{ "wrong data", 812, 0, true, 2, 0, 0, KERNEL_WRONG, 812, 813 },
	{ "one below is wrong", 812, EIO, true, 2, 64, 0, KERNEL_WRONG, 812, 64 },
	{ "beyond any inline threshold", 65536, EIO, true, 2, 0, 0, KERNEL_WRONG, 65536, 131072 },
	{ "nothing is right", 0, EIO, true, 2, 0, 0, KERNEL_WRONG, 0, 1 },
	{ "it was cut off", 1048576, 0, true, 1, 0, 4096, KERNEL_CUT, 4096, 0 },
	{ "it was cut off in the bug", 812, EIO, true, 2, 0, 4096, KERNEL_WRONG, 812, 813 },
};

static void fill(const struct row *row, struct kernel_read reads[KERNEL_RANGES])
{
	unsigned int i;

	memset(reads, 0, KERNEL_RANGES * sizeof(*reads));
	for (i = 0; i < KERNEL_RANGES; i++) {
		uint32_t length = kernel_lengths[i];
		bool right = length <= row->right_to && length != row->wrong_too;

		reads[i].tried = !row->tried_to || length <= row->tried_to;
		reads[i].whole = right || row->whole;
		reads[i].record = (struct kernel_record){
			.step = KERNEL_READ,
			.index = i,
			.error = right ? 0 : row->error,
			.length = right || !row->error ? length : 0,
			.wrong = right || row->error ? UINT32_MAX : 0,
			.ms = right ? 1 : row->ms,
		};
	}
}

/* Linux 3.12.9, seen: from 256 KiB on its READs time out, and the time of the test is over. */
static void long_reads_that_hang_do_not_hide_the_bug(void)
{
	struct kernel_read reads[KERNEL_RANGES];
	struct kernel_judgement j;
	unsigned int i;

	fill(&(struct row){ .right_to = 788, .error = EIO, .whole = true, .ms = 2 }, reads);
	for (i = 0; i < KERNEL_RANGES; i++) {
		reads[i].tried = kernel_lengths[i] <= 262144;
		if (kernel_lengths[i] != 262144)
			continue;
		reads[i].whole = false;
		reads[i].record.ms = 20028;
	}
	kernel_judge(reads, KERNEL_RANGES, &j);
	CU_ASSERT_EQUAL(j.fault, KERNEL_BUG_812);
	CU_ASSERT_EQUAL(j.largest_right, 788);
}

static void the_bug_is_reported_only_without_another_cause(void)
{
	struct kernel_read reads[KERNEL_RANGES];
	struct kernel_judgement j;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].name);
		fill(&rows[i], reads);
		kernel_judge(reads, KERNEL_RANGES, &j);
		CU_ASSERT_EQUAL(j.fault, rows[i].fault);
		CU_ASSERT_EQUAL(j.largest_right, rows[i].largest_right);
		CU_ASSERT_EQUAL(j.smallest_wrong, rows[i].smallest_wrong);
	}
}

static void a_short_read_is_wrong(void)
{
	struct kernel_read reads[KERNEL_RANGES];
	struct kernel_judgement j;

	fill(&rows[0], reads);
	reads[7].record.length--;
	kernel_judge(reads, KERNEL_RANGES, &j);
	CU_ASSERT_EQUAL(j.fault, KERNEL_WRONG);
	CU_ASSERT_EQUAL(j.first, 7);
	CU_ASSERT_EQUAL(j.right, KERNEL_RANGES - 1);
}

static void correct_reads_that_were_sent_twice_are_counted(void)
{
	struct kernel_read reads[KERNEL_RANGES];
	struct kernel_judgement j;

	fill(&rows[0], reads);
	reads[7].twice = reads[9].twice = true;
	reads[7].record.ms = 5004;
	reads[9].record.ms = 5003;
	/* Slow, and sent once. */
	reads[11].record.ms = 9000;
	kernel_judge(reads, KERNEL_RANGES, &j);
	CU_ASSERT_EQUAL(j.fault, KERNEL_RIGHT);
	CU_ASSERT_EQUAL(j.stalled, 2);
	CU_ASSERT_EQUAL(j.slowest_ms, 5004);
}

static void a_late_server_is_not_the_kernels_fault(void)
{
	struct kernel_record r = { .index = 20, .ms = KERNEL_TIMEO_MS + 3 };
	const uint64_t length = kernel_lengths[20];

	CU_ASSERT_TRUE(kernel_read_is_twice(&r, 2 * length, 3));
	CU_ASSERT_FALSE(kernel_read_is_twice(&r, 2 * length, KERNEL_TIMEO_MS + 1));
	CU_ASSERT_FALSE(kernel_read_is_twice(&r, length, 3));
	r.ms = 40;
	CU_ASSERT_FALSE(kernel_read_is_twice(&r, 2 * length, 3));
	r = (struct kernel_record){ .index = 20, .ms = KERNEL_TIMEO_MS, .error = EIO };
	CU_ASSERT_FALSE(kernel_read_is_twice(&r, 2 * length, 3));
}

static void ranges_ascend_within_the_file(void)
{
	struct probe_range range;
	unsigned int i;

	for (i = 0; i < KERNEL_RANGES; i++) {
		SUITE_ROW("%u", i);
		range = kernel_range(i);
		CU_ASSERT_EQUAL(range.length, kernel_lengths[i]);
		if (i)
			ASSERT_MORE(range.length, kernel_lengths[i - 1]);
		ASSERT_AT_MOST(range.length, KERNEL_READ_MAX);
		/* KERNEL_FILE states its length. */
		ASSERT_AT_MOST(range.offset + range.length, 4194304);
	}
}

static void a_short_file_moves_the_ranges_to_its_start(void)
{
	unsigned int last = KERNEL_RANGES - 1;
	uint32_t length = kernel_lengths[last];
	struct probe_range range = kernel_range_of(last, kernel_range(last).offset + length);

	CU_ASSERT_EQUAL(range.offset, kernel_range(last).offset);
	CU_ASSERT_EQUAL(range.length, length);
	range = kernel_range_of(last, kernel_range(last).offset + length - 1);
	CU_ASSERT_EQUAL(range.offset, 0);
	CU_ASSERT_EQUAL(range.length, length);
	range = kernel_range_of(last, length);
	CU_ASSERT_EQUAL(range.length, length);
	CU_ASSERT_EQUAL(kernel_range_of(last, length - 1).length, 0);
}

static void mount_gets_the_ports_and_timeouts(void)
{
	struct kernel_task task = {
		.version = nfs_version_find("3"),
		.address = "192.0.2.1",
		.ports = { .rdma = 20049, .nfs = 2049, .mount = 20048 },
	};
	char data[512];

	kernel_mount_data(&task, data, sizeof(data));
	CU_ASSERT_STRING_EQUAL(
		data,
		"vers=3,proto=rdma,port=20049,addr=192.0.2.1,soft,nolock,nosharecache,timeo=50,retrans=1,mountproto=tcp,mountport=20048,mountaddr=192.0.2.1,mountvers=3");
	task.version = nfs_version_find("4.1");
	strcpy(task.address, "2001:db8::1");
	task.ipv6 = true;
	kernel_mount_data(&task, data, sizeof(data));
	CU_ASSERT_STRING_EQUAL(
		data,
		"vers=4.1,proto=rdma6,port=20049,addr=2001:db8::1,soft,nolock,nosharecache,timeo=50,retrans=1,clientaddr=2001:db8::1");
}

SUITE_MAIN("kernel-judge", TEST(the_bug_is_reported_only_without_another_cause),
	   TEST(long_reads_that_hang_do_not_hide_the_bug), TEST(a_short_read_is_wrong),
	   TEST(correct_reads_that_were_sent_twice_are_counted),
	   TEST(a_late_server_is_not_the_kernels_fault), TEST(ranges_ascend_within_the_file),
	   TEST(a_short_file_moves_the_ranges_to_its_start),
	   TEST(mount_gets_the_ports_and_timeouts))
