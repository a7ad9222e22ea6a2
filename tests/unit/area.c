/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Memory for chunks: for every byte it must be known whether it was written. */
#include <pthread.h>
#include <stdatomic.h>

#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static const uint32_t odd[] = { 5, 4097, 1, 813 };
#define ODD_SUM (5 + 4097 + 1 + 813)

static void make(struct area *a, const uint32_t *lengths, unsigned int n)
{
	CU_ASSERT_EQUAL_FATAL(area_init(a, lengths, n), 0);
}

static uint8_t byte_at(const struct area *a, size_t at)
{
	static uint8_t buf[ODD_SUM + 1];

	area_copy(a, buf, at + 1);
	return buf[at];
}

static size_t start(const struct area *a, unsigned int s)
{
	return (size_t)((const uint8_t *)a->segs[s].base - a->mem);
}

/* The peer writes @data into the segments laid end to end. */
static void place(struct area *a, const uint8_t *data, size_t len)
{
	unsigned int s;

	for (s = 0; s < a->nsegs && len; s++) {
		size_t n = len < a->segs[s].length ? len : a->segs[s].length;

		memcpy(a->segs[s].base, data, n);
		data += n;
		len -= n;
	}
}

static void a_new_area_is_untouched_and_its_canaries_intact(void)
{
	struct area a;

	make(&a, odd, ARRAY_SIZE(odd));
	CU_ASSERT_EQUAL(area_canaries_hurt(&a), 0);
	CU_ASSERT_EQUAL(area_first_touched(&a, 0), -1);
	CU_ASSERT(area_is_prefill(&a, 0));
	CU_ASSERT(area_is_prefill(&a, ODD_SUM - 1));
	area_fini(&a);
}

static void an_area_without_segments_is_all_canary(void)
{
	struct area a;

	make(&a, NULL, 0);
	CU_ASSERT_EQUAL(area_canaries_hurt(&a), 0);
	CU_ASSERT_EQUAL(area_first_touched(&a, 0), -1);
	CU_ASSERT_FALSE(area_is_prefill(&a, 0));
	CU_ASSERT_EQUAL(byte_at(&a, 0), 0);
	a.mem[17] ^= 1;
	CU_ASSERT_EQUAL(area_canaries_hurt(&a), 1);
	area_fini(&a);
}

static void segments_have_their_lengths_between_canary_pages(void)
{
	struct area a;
	unsigned int s;

	make(&a, odd, ARRAY_SIZE(odd));
	CU_ASSERT_EQUAL(a.nsegs, ARRAY_SIZE(odd));
	ASSERT_AT_LEAST(start(&a, 0), 4096);
	for (s = 0; s < a.nsegs; s++) {
		size_t end = start(&a, s) + a.segs[s].length;
		SUITE_ROW("s %u", s);

		CU_ASSERT_EQUAL(a.segs[s].length, odd[s]);
		ASSERT_AT_LEAST((s + 1 < a.nsegs ? start(&a, s + 1) : a.size), end + 4096);
	}
	area_fini(&a);
}

/* Each byte in turn, in canaries and segments alike, changed in one bit and put back. */
static void every_changed_byte_is_detected_and_located(void)
{
	unsigned int s, missed = 0, mistold = 0;
	size_t at, before = 0;
	struct area a;

	make(&a, odd, ARRAY_SIZE(odd));
	for (at = 0; at < a.size; at++) {
		int64_t inside = -1;

		for (s = 0, before = 0; s < a.nsegs; before += a.segs[s++].length)
			if (at >= start(&a, s) && at < start(&a, s) + a.segs[s].length)
				inside = (int64_t)(before + at - start(&a, s));
		a.mem[at] ^= 0x10;
		missed += !area_canaries_hurt(&a) && area_first_touched(&a, 0) < 0;
		mistold += area_canaries_hurt(&a) != (inside < 0);
		mistold += area_first_touched(&a, 0) != inside;
		if (inside >= 0) {
			mistold += area_is_prefill(&a, (size_t)inside);
			mistold += byte_at(&a, (size_t)inside) != a.mem[at];
			mistold += area_first_touched(&a, (size_t)inside) != inside;
			mistold += area_first_touched(&a, (size_t)inside + 1) != -1;
		}
		a.mem[at] ^= 0x10;
	}
	CU_ASSERT_EQUAL(missed, 0);
	CU_ASSERT_EQUAL(mistold, 0);
	area_fini(&a);
}

static void corrupt_canary_bytes_are_counted(void)
{
	struct area a;

	make(&a, odd, ARRAY_SIZE(odd));
	a.mem[0] ^= 1;
	a.mem[1] ^= 1;
	a.mem[a.size - 1] ^= 1;
	a.mem[start(&a, 1) - 1] ^= 1;
	a.mem[start(&a, 1) + a.segs[1].length] ^= 1;
	CU_ASSERT_EQUAL(area_canaries_hurt(&a), 5);
	area_fini(&a);
}

static void data_across_segments_is_compared_in_order(void)
{
	uint8_t want[ODD_SUM];
	struct area a;
	size_t i;

	for (i = 0; i < sizeof(want); i++)
		want[i] = (uint8_t)(i * 7 + 3);
	make(&a, odd, ARRAY_SIZE(odd));
	place(&a, want, sizeof(want));
	CU_ASSERT_EQUAL(area_first_difference(&a, want, sizeof(want)), -1);
	CU_ASSERT_EQUAL(area_canaries_hurt(&a), 0);
	for (i = 0; i < sizeof(want); i++) {
		want[i] ^= 1;
		if (area_first_difference(&a, want, sizeof(want)) != (int64_t)i)
			break;
		want[i] ^= 1;
	}
	CU_ASSERT_EQUAL(i, sizeof(want));
	area_fini(&a);
}

static void differences_beyond_the_expected_length_are_ignored(void)
{
	const uint32_t length = 8;
	struct area a;

	make(&a, &length, 1);
	place(&a, (const uint8_t *)"abcde", 5);
	CU_ASSERT_EQUAL(area_first_difference(&a, (const uint8_t *)"abcd!", 4), -1);
	CU_ASSERT_EQUAL(area_first_difference(&a, (const uint8_t *)"abcd!", 5), 4);
	CU_ASSERT_EQUAL(area_first_difference(&a, NULL, 0), -1);
	area_fini(&a);
}

static void expected_data_longer_than_the_segments_differs_at_their_end(void)
{
	const uint32_t length = 4;
	struct area a;

	make(&a, &length, 1);
	place(&a, (const uint8_t *)"abcd", 4);
	CU_ASSERT_EQUAL(area_first_difference(&a, (const uint8_t *)"abcdefgh", 8), 4);
	CU_ASSERT_FALSE(area_is_prefill(&a, 4));
	CU_ASSERT_EQUAL(byte_at(&a, 4), 0);
	area_fini(&a);
}

static void short_data_leaves_the_rest_of_the_prefill(void)
{
	const uint32_t lengths[] = { 4, 4 };
	struct area a;

	make(&a, lengths, 2);
	place(&a, (const uint8_t *)"abcdef", 6);
	CU_ASSERT_EQUAL(area_first_touched(&a, 6), -1);
	CU_ASSERT(area_is_prefill(&a, 6));
	CU_ASSERT(area_is_prefill(&a, 7));
	area_fini(&a);
}

static void no_two_areas_have_the_same_prefill(void)
{
	const uint32_t length = 4096;
	struct area a, b;

	make(&a, &length, 1);
	make(&b, &length, 1);
	ASSERT_BYTES_DIFFER(a.segs[0].base, b.segs[0].base, length);
	/* Pages differ from each other and from zeros, too. */
	ASSERT_BYTES_DIFFER(a.mem, a.mem + 4096, 4096);
	area_fini(&a);
	area_fini(&b);
}

/* The last byte changes, as with an adapter that still writes. It may differ or not, and nothing
 * beyond it is read. */
struct writer_thread {
	volatile uint8_t *byte;
	atomic_bool stop;
};

static void *keep_writing(void *arg)
{
	struct writer_thread *t = arg;

	while (!atomic_load(&t->stop))
		*t->byte ^= 1;
	return NULL;
}

static void memory_that_changes_while_it_is_read_is_safe(void)
{
	const uint32_t length = 2048;
	uint8_t *want = malloc(length);
	struct writer_thread t = { 0 };
	unsigned int i, odd_ones = 0;
	pthread_t thread;
	struct area a;
	int64_t at;

	make(&a, &length, 1);
	memset(want, 'w', length);
	place(&a, want, length);
	t.byte = (uint8_t *)a.segs[0].base + length - 1;
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, keep_writing, &t), 0);
	for (i = 0; i < 20000 && !odd_ones; i++) {
		at = area_first_difference(&a, want, length);
		odd_ones += at != -1 && at != length - 1;
	}
	CU_ASSERT_EQUAL(odd_ones, 0);
	atomic_store(&t.stop, true);
	pthread_join(thread, NULL);
	area_fini(&a);
	free(want);
}

SUITE_MAIN("area", TEST(a_new_area_is_untouched_and_its_canaries_intact),
	   TEST(an_area_without_segments_is_all_canary),
	   TEST(segments_have_their_lengths_between_canary_pages),
	   TEST(every_changed_byte_is_detected_and_located), TEST(corrupt_canary_bytes_are_counted),
	   TEST(data_across_segments_is_compared_in_order),
	   TEST(differences_beyond_the_expected_length_are_ignored),
	   TEST(expected_data_longer_than_the_segments_differs_at_their_end),
	   TEST(memory_that_changes_while_it_is_read_is_safe),
	   TEST(short_data_leaves_the_rest_of_the_prefill),
	   TEST(no_two_areas_have_the_same_prefill))
