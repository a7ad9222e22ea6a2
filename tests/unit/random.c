/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which random READs are made, when, and what is reported about them. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

#define KIB 1024
#define MIB (1024 * KIB)

static struct read_record list[8];
static struct records swept;
static struct random_choice choice;
static struct finding finding;

/* A sweep in which each mechanism was correct up to that size; 0: it was not tested. */
static void sweep(uint32_t most_inline, uint32_t write_chunk, uint32_t reply_chunk)
{
	const uint32_t most[MECH_COUNT] = { [MECH_INLINE] = most_inline,
					    [MECH_WRITE_CHUNK] = write_chunk,
					    [MECH_REPLY_CHUNK] = reply_chunk };
	enum mechanism m;

	memset(list, 0, sizeof(list));
	swept = (struct records){ .list = list, .cap = ARRAY_SIZE(list) };
	for (m = 0; m < MECH_COUNT; m++)
		if (most[m])
			list[swept.count++] = (struct read_record){
				.c = { .mechanism = m, .count = most[m] },
				.expected = most[m],
			};
}

static void begin(uint64_t seed, enum server_kind kind)
{
	random_begin(&choice, seed, kind, &swept, MIB);
}

static const uint64_t sizes[] = { 512,         513,     1023,
				  1024,        4096,    5000,
				  65536 + 511, MIB + 1, (UINT64_C(5) << 30) + 7 };

static void random_ranges_are_whole_sectors_within_window_and_file(void)
{
	unsigned int i, j, at_end = 0;
	struct read_case c;

	sweep(3941, MIB, MIB);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		begin(i + 1, SERVER_LINUX);
		for (j = 0; j < 2000; j++) {
			uint32_t len = (uint32_t)min_u64(sizes[i], 2 * MIB);
			uint64_t base = random_window(&choice, sizes[i], len);

			SUITE_ROW("%u, %u", i, j);
			CU_ASSERT_EQUAL(base % 512, 0);
			CU_ASSERT_TRUE(base + len / 512 * 512 <= sizes[i]);
			CU_ASSERT_TRUE_FATAL(random_read(&choice, base, len, sizes[i], &c));
			CU_ASSERT_EQUAL(c.offset % 512, 0);
			CU_ASSERT_EQUAL(c.count % 512, 0);
			CU_ASSERT_NOT_EQUAL(c.count, 0);
			CU_ASSERT_TRUE(c.offset >= base);
			CU_ASSERT_TRUE(c.offset + c.count <= base + len);
			CU_ASSERT_TRUE(c.offset + c.count <= sizes[i]);
			at_end += c.offset + c.count + 511 >= sizes[i];
		}
	}
	/* The last sector is included. */
	ASSERT_LESS(1000, at_end);
}

static void files_smaller_than_a_sector_have_none(void)
{
	struct read_case c;

	sweep(3941, MIB, MIB);
	begin(1, SERVER_LINUX);
	CU_ASSERT_FALSE(random_read(&choice, 0, 511, 511, &c));
	CU_ASSERT_FALSE(random_read(&choice, 0, 0, 0, &c));
	sweep(511, 0, 0);
	begin(1, SERVER_LINUX);
	CU_ASSERT_FALSE(random_read(&choice, 0, 4096, 4096, &c));
}

static void the_same_seed_gives_the_same_reads(void)
{
	struct read_case a[200], b;
	unsigned int i, same = 0;

	sweep(3941, MIB, MIB);
	begin(0x123456789abcdef0, SERVER_LINUX);
	for (i = 0; i < ARRAY_SIZE(a); i++)
		random_read(&choice, 0, 2 * MIB, 2 * MIB, &a[i]);
	begin(0x123456789abcdef0, SERVER_LINUX);
	for (i = 0; i < ARRAY_SIZE(a); i++) {
		random_read(&choice, 0, 2 * MIB, 2 * MIB, &b);
		CU_ASSERT_TRUE(a[i].mechanism == b.mechanism && a[i].offset == b.offset &&
			       a[i].count == b.count);
	}
	begin(0x123456789abcdef1, SERVER_LINUX);
	for (i = 0; i < ARRAY_SIZE(a); i++) {
		random_read(&choice, 0, 2 * MIB, 2 * MIB, &b);
		same += a[i].mechanism == b.mechanism && a[i].offset == b.offset &&
			a[i].count == b.count;
	}
	ASSERT_LESS(same, 10);
}

struct counts {
	unsigned int all[MECH_COUNT], small, sectors, unaligned;
	uint32_t largest[MECH_COUNT];
	uint64_t bytes;
};

static void count(unsigned int n, struct counts *counts)
{
	struct read_case c;

	memset(counts, 0, sizeof(*counts));
	while (n--) {
		CU_ASSERT_TRUE_FATAL(random_read(&choice, 0, 2 * MIB, 8 * MIB, &c));
		counts->all[c.mechanism]++;
		counts->small += c.count <= 64 * KIB;
		counts->sectors += c.count == 512;
		counts->unaligned += c.offset % 4096 != 0;
		counts->bytes += c.count;
		if (c.count > counts->largest[c.mechanism])
			counts->largest[c.mechanism] = c.count;
	}
}

static void mechanisms_and_sizes_are_mixed(void)
{
	struct counts n;

	sweep(3941, MIB, MIB);
	begin(7, SERVER_LINUX);
	count(5000, &n);
	ASSERT_LESS(2700, n.all[MECH_WRITE_CHUNK]);
	ASSERT_LESS(800, n.all[MECH_REPLY_CHUNK]);
	ASSERT_LESS(800, n.all[MECH_INLINE]);
	ASSERT_LESS(3500, n.small);
	ASSERT_LESS(200, n.sectors);
	ASSERT_LESS(3500, n.unaligned);
	ASSERT_LESS(900 * KIB, n.largest[MECH_WRITE_CHUNK]);
	CU_ASSERT_EQUAL(n.largest[MECH_INLINE], 3584);
	/* So with a fast server the number ends them. */
	CU_ASSERT_TRUE(n.bytes < 256 * MIB);
}

static void only_sizes_that_the_sweep_found_correct_are_used(void)
{
	struct counts n;

	sweep(0, 70000, 8192);
	begin(7, SERVER_LINUX);
	count(3000, &n);
	CU_ASSERT_EQUAL(n.all[MECH_INLINE], 0);
	CU_ASSERT_EQUAL(n.largest[MECH_WRITE_CHUNK], 69632);
	CU_ASSERT_EQUAL(n.largest[MECH_REPLY_CHUNK], 8192);
	swept.gave_up[MECH_REPLY_CHUNK] = true;
	begin(7, SERVER_LINUX);
	count(1000, &n);
	CU_ASSERT_EQUAL(n.all[MECH_REPLY_CHUNK], 0);
	/* At level full the sweep's Write chunks are larger than the window. */
	sweep(0, 64 * MIB, 0);
	begin(7, SERVER_LINUX);
	count(3000, &n);
	CU_ASSERT_TRUE(n.largest[MECH_WRITE_CHUNK] <= MIB);
	sweep(0, 8192, 0);
	list[0].outcome.kind = READ_CHANGING;
	begin(7, SERVER_LINUX);
	CU_ASSERT_EQUAL(choice.most[MECH_WRITE_CHUNK], 0);
}

/* Regardless of the sweep and the seed. */
static void reads_that_could_crash_the_server_are_not_sent(void)
{
	static const enum server_kind kinds[] = { SERVER_UNKNOWN, SERVER_GANESHA, SERVER_ONTAP };
	unsigned int i, j, k, reply;
	struct read_case c;

	sweep(3941, MIB, MIB);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		for (j = 0, reply = 0; j < 20; j++) {
			begin(j, kinds[i]);
			for (k = 0; k < 500; k++) {
				struct gate_request q = { .size = 3 * MIB + 1, .most = MIB };

				CU_ASSERT_TRUE_FATAL(
					random_read(&choice, 0, 2 * MIB, 3 * MIB + 1, &c));
				q.reply_chunk = c.mechanism == MECH_REPLY_CHUNK;
				q.offset = c.offset;
				q.count = c.count;
				SUITE_ROW("%u: %u bytes", kinds[i], c.count);
				CU_ASSERT_EQUAL(gate_class(&q), GATE_OPEN);
				CU_ASSERT_EQUAL(c.followed_by, FOLLOWED_BY_NOTHING);
				reply += q.reply_chunk;
			}
		}
	ASSERT_LESS(1000, reply);
}

static void random_reads_follow_only_a_clean_sweep(void)
{
	char why[96] = "";
	enum read_kind kind;

	sweep(3941, MIB, MIB);
	CU_ASSERT_TRUE(random_is_wanted(&swept, why, sizeof(why)));
	for (kind = READ_PAD; kind < READ_KIND_COUNT; kind++) {
		list[1].outcome.kind = kind;
		SUITE_ROW("%s", read_kind_name(kind));
		CU_ASSERT_FALSE(random_is_wanted(&swept, why, sizeof(why)));
		ASSERT_CONTAINS(why, "fail already");
	}
	list[1].outcome.kind = READ_CHANGING;
	CU_ASSERT_TRUE(random_is_wanted(&swept, why, sizeof(why)));
	/* Servers may do so instead of using a Reply chunk. */
	list[2].outcome.kind = READ_INLINE;
	CU_ASSERT_EQUAL(list[2].c.mechanism, MECH_REPLY_CHUNK);
	CU_ASSERT_TRUE(random_is_wanted(&swept, why, sizeof(why)));
	swept.out_of_time = true;
	CU_ASSERT_FALSE(random_is_wanted(&swept, why, sizeof(why)));
	ASSERT_CONTAINS(why, "time");
	sweep(3941, MIB, MIB);
	swept.gave_up[MECH_INLINE] = true;
	CU_ASSERT_FALSE(random_is_wanted(&swept, why, sizeof(why)));
	sweep(3941, MIB, MIB);
	swept.unfinished = true;
	CU_ASSERT_FALSE(random_is_wanted(&swept, why, sizeof(why)));
	sweep(0, 0, 0);
	CU_ASSERT_FALSE(random_is_wanted(&swept, why, sizeof(why)));
}

static void sink(void *arg, const struct finding *f)
{
	(void)arg;
	finding_copy(&finding, f);
}

static const char *evidence(const char *key)
{
	unsigned int i;

	for (i = 0; i < finding.nevidence; i++)
		if (!strcmp(finding.evidence[i].key, key))
			return finding.evidence[i].value;
	return "";
}

static void the_rule_of_three_gives_the_excluded_rate(void)
{
	static const struct {
		unsigned int reads;
		const char *words, *rate;
	} rows[] = {
		{ 3, "fewer than 1 in 1 fail", "1" },
		{ 5, "fewer than 1 in 1 fail", "0.6" },
		{ 300, "fewer than 1 in 100 fail", "0.01" },
		{ 5000, "fewer than 1 in 1666 fail", "0.0006" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct random_reads r = { .wanted = 5000,
					  .reads = rows[i].reads,
					  .bytes = 3 << 19,
					  .seconds = 2.5,
					  .seed = 0xab,
					  .why = "out of time" };

		SUITE_ROW("%u", rows[i].reads);
		random_say(&r, sink, NULL);
		CU_ASSERT_STRING_EQUAL(finding.id, "probe.read.random");
		CU_ASSERT_EQUAL(finding.status, FINDING_PASS);
		ASSERT_CONTAINS(finding.summary, rows[i].words);
		ASSERT_CONTAINS(finding.summary, "1.5 MiB in 2.5 s");
		CU_ASSERT_EQUAL(!!strstr(finding.summary, "stopped early: out of time"),
				rows[i].reads < 5000);
		CU_ASSERT_STRING_EQUAL(evidence("rate_below"), rows[i].rate);
		CU_ASSERT_STRING_EQUAL(evidence("seed"), "00000000000000ab");
	}
}

static void too_few_or_a_failure_exclude_nothing(void)
{
	struct random_reads r = { .wanted = 5000, .why = "none were requested" };

	random_say(&r, sink, NULL);
	CU_ASSERT_EQUAL(finding.status, FINDING_SKIP);
	CU_ASSERT_STRING_EQUAL(finding.summary, "no random READs: none were requested");
	CU_ASSERT_EQUAL(finding.nevidence, 0);
	r.reads = 2;
	random_say(&r, sink, NULL);
	CU_ASSERT_EQUAL(finding.status, FINDING_SKIP);
	CU_ASSERT_STRING_EQUAL(evidence("rate_below"), "");
	r.reads = 4000;
	r.wrong = 1;
	random_say(&r, sink, NULL);
	CU_ASSERT_EQUAL(finding.status, FINDING_SKIP);
	ASSERT_CONTAINS(finding.summary, "1 of 4000");
	CU_ASSERT_STRING_EQUAL(evidence("rate_below"), "");
	CU_ASSERT_STRING_EQUAL(evidence("wrong"), "1");
}

SUITE_MAIN("random", TEST(random_ranges_are_whole_sectors_within_window_and_file),
	   TEST(files_smaller_than_a_sector_have_none), TEST(the_same_seed_gives_the_same_reads),
	   TEST(mechanisms_and_sizes_are_mixed),
	   TEST(only_sizes_that_the_sweep_found_correct_are_used),
	   TEST(reads_that_could_crash_the_server_are_not_sent),
	   TEST(random_reads_follow_only_a_clean_sweep),
	   TEST(the_rule_of_three_gives_the_excluded_rate),
	   TEST(too_few_or_a_failure_exclude_nothing))
