/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* For each cause the READs that show it, and what is not enough; and that no two have the same
 * READs. */
#include "rpcrdma/probe/verdict-internal.h"

#include "tests/unit/suite.h"

#define EDGE (UINT64_C(1) << 32)

static struct read_record list[1024];
static struct records records;
static struct verdict_input in;
static struct finding findings[32];
static unsigned int nfindings;

static void sink(void *arg, const struct finding *f)
{
	(void)arg;
	ASSERT_LESS_FATAL(nfindings, ARRAY_SIZE(findings));
	finding_copy(&findings[nfindings++], f);
}

static struct read_record *add(enum mechanism mechanism, uint64_t offset, uint32_t count)
{
	struct read_record *r = &list[records.count++];

	*r = (struct read_record){ .c = { .mechanism = mechanism,
					  .layout = LAYOUT_ROUNDED,
					  .offset = offset,
					  .count = count },
				   .expected = count,
				   .in_flight = 1,
				   .tries = 1 };
	return r;
}

/* Every mechanism, size, offset and layout, the end of a file and its 4 GiB; alone and with others. */
static void sweep(void)
{
	static const uint32_t sizes[] = { 1, 5, 812, 813, 816, 4096, 4097, 8192, 65537, 65540 };
	static const uint32_t ends[] = { 813, 816, 4097, 65540 };
	static const uint64_t offsets[] = { 0, 4097, 8192, EDGE, EDGE + 4097 };
	enum mechanism m;
	size_t i, j;

	in = (struct verdict_input){ .records = &records };
	records = (struct records){ .list = list, .cap = ARRAY_SIZE(list) };
	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		for (j = 0; j < ARRAY_SIZE(sizes); j++) {
			for (m = 0; m < MECH_COUNT; m++)
				if (m != MECH_INLINE || sizes[j] < 4000)
					add(m, offsets[i], sizes[j]);
			add(MECH_WRITE_CHUNK, offsets[i], sizes[j])->after_others = true;
			add(MECH_WRITE_CHUNK, offsets[i], sizes[j])->in_flight = 8;
			if (!offsets[i])
				add(MECH_WRITE_CHUNK, 0, sizes[j])->c.layout = LAYOUT_PIECES;
		}
	for (j = 0; j < ARRAY_SIZE(ends); j++)
		for (m = 0; m < MECH_COUNT; m++)
			if (m != MECH_INLINE || ends[j] < 4000)
				add(m, (1 << 20) - ends[j], ends[j])->at_end = true;
}

/* As judge.c leaves a READ that fails every time. */
static void fail(struct read_record *r, enum read_kind kind)
{
	r->outcome.kind = kind;
	r->tries = r->wrong = 5;
	r->confirmed = r->controls_right = true;
}

static bool is_plain_over_812(const struct read_record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK && r->expected > 812;
}

static bool is_write_chunk(const struct read_record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK;
}

/* Of one cause: by its row in causes[], or what has none. */
struct sickness {
	const char *id, *reason;
	enum trait trait; /* 0: */
	record_filter of;
	enum read_kind kind;
	enum read_sign sign;
	unsigned int in_flight;
};

static const struct sickness others[] = {
	{ "bug.write-chunk-read", "corrupt", 0, is_plain_over_812, READ_DATA, SIGN_NONE, 0 },
	{ "probe.read.write-chunk.order", "late-data", 0, is_write_chunk, READ_ORDER, SIGN_NONE,
	  0 },
	{ "probe.read.in-flight", "wrong-data", 0, is_write_chunk, READ_DATA, SIGN_NONE, 8 },
};

#define SICKNESSES (CAUSE_COUNT + ARRAY_SIZE(others))

static struct sickness sickness_of(unsigned int i)
{
	struct sickness s = { .kind = READ_DATA };

	if (i >= CAUSE_COUNT)
		return others[i - CAUSE_COUNT];
	s.id = causes[i].id;
	s.reason = causes[i].reason;
	s.trait = causes[i].trait;
	s.of = causes[i].of;
	/* Only a reply that cannot be read is one of pads to a client. */
	if (s.trait == TRAIT_PAD)
		s.kind = i == CAUSE_TAIL ? READ_STALE : READ_HEADER;
	s.sign = i == CAUSE_TAIL ? SIGN_TAIL : SIGN_NONE;
	return s;
}

static bool is_sick(const struct sickness *s, const struct read_record *r)
{
	return s->of(r) && (!s->trait || cause_traits(r) & (unsigned int)s->trait) &&
	       (!s->in_flight || r->in_flight == s->in_flight);
}

/* A sweep in which this and nothing else is wrong. */
static void fall_ill(const struct sickness *s)
{
	size_t i;

	sweep();
	for (i = 0; i < records.count; i++)
		if (is_sick(s, &list[i])) {
			fail(&list[i], s->kind);
			list[i].outcome.sign = s->sign;
		}
}

static bool is_named(const struct sickness *s)
{
	unsigned int i;

	nfindings = 0;
	verdict_reads(&in, sink, NULL);
	for (i = 0; i < nfindings; i++)
		if (!strcmp(findings[i].id, s->id) && findings[i].status == FINDING_FAIL &&
		    !strcmp(findings[i].reason, s->reason))
			return true;
	return false;
}

static void each_cause_is_named_by_its_reads_and_no_other(void)
{
	unsigned int i, j;

	for (i = 0; i < SICKNESSES; i++) {
		struct sickness ill = sickness_of(i);

		fall_ill(&ill);
		for (j = 0; j < SICKNESSES; j++) {
			struct sickness named = sickness_of(j);

			SUITE_ROW("%s/%s: %s/%s", ill.id, ill.reason, named.id, named.reason);
			CU_ASSERT_EQUAL(is_named(&named), i == j);
		}
	}
}

/* Takes evidence away. */
static void let_one_range_fail(const struct sickness *s)
{
	const struct read_record *first = NULL;
	size_t i;

	for (i = 0; i < records.count; i++) {
		if (!is_sick(s, &list[i]))
			continue;
		first = first || list[i].c.count <= 4 ? first : &list[i];
		if (!first || list[i].c.count != first->c.count ||
		    list[i].c.offset != first->c.offset)
			list[i].outcome = (struct read_outcome){ .kind = READ_OK };
	}
}

static void let_it_pass_when_repeated(const struct sickness *s)
{
	size_t i;

	for (i = 0; i < records.count; i++)
		if (is_sick(s, &list[i])) {
			list[i].confirmed = false;
			list[i].wrong = 1;
		}
}

static void leave_out_what_is_right(const struct sickness *s)
{
	size_t i;

	for (i = 0; i < records.count; i++)
		if (!is_sick(s, &list[i]))
			list[i].outcome.kind = READ_NOT_RUN;
}

/* All that is right is smaller; or, of large READs, by another mechanism. */
static void leave_out_what_is_alike(const struct sickness *s)
{
	uint32_t smallest = UINT32_MAX;
	size_t i;

	for (i = 0; i < records.count; i++)
		if (is_sick(s, &list[i]) && list[i].c.count > 4 && list[i].c.count < smallest)
			smallest = list[i].c.count;
	for (i = 0; i < records.count; i++)
		if (!is_sick(s, &list[i]) &&
		    (s->trait == TRAIT_LARGE ? list[i].c.mechanism == MECH_WRITE_CHUNK
					     : list[i].c.count >= (smallest & ~3u)))
			list[i].outcome.kind = READ_NOT_RUN;
}

static void let_the_others_fail_too(const struct sickness *s)
{
	enum mechanism m = MECH_COUNT;
	size_t i;

	for (i = 0; i < records.count; i++)
		if (is_sick(s, &list[i]))
			m = list[i].c.mechanism;
	for (i = 0; i < records.count; i++)
		if (!is_sick(s, &list[i]) && list[i].c.mechanism == m)
			fail(&list[i], READ_DATA);
}

static void a_cause_without_its_evidence_is_not_named(void)
{
	static const struct {
		const char *what;
		void (*spoil)(const struct sickness *s);
	} rows[] = {
		{ "one range", let_one_range_fail },
		{ "right when repeated", let_it_pass_when_repeated },
		{ "nothing is right", leave_out_what_is_right },
		{ "nothing alike is right", leave_out_what_is_alike },
		{ "others fail too", let_the_others_fail_too },
	};
	unsigned int i, j;

	for (i = 0; i < CAUSE_COUNT; i++)
		for (j = 0; j < ARRAY_SIZE(rows); j++) {
			struct sickness s = sickness_of(i);

			SUITE_ROW("%s/%s: %s", s.id, s.reason, rows[j].what);
			fall_ill(&s);
			/* Spoiled in one way, it was named before. */
			CU_ASSERT(is_named(&s));
			rows[j].spoil(&s);
			CU_ASSERT_FALSE(is_named(&s));
		}
}

/* A cause that wants the same ranges right by another mechanism is not named without. */
static void causes_of_a_mechanism_need_another_one(void)
{
	unsigned int i;
	size_t j;

	for (i = 0; i < CAUSE_COUNT; i++) {
		struct sickness s = sickness_of(i);

		SUITE_ROW("%s/%s", s.id, s.reason);
		fall_ill(&s);
		for (j = 0; j < records.count; j++)
			list[j].controls_right = false;
		CU_ASSERT_EQUAL(is_named(&s), !causes[i].controls);
	}
}

/* So the table says which two tell which causes apart: those that differ in one column. */
static void no_two_rows_ask_for_the_same(void)
{
	unsigned int i, j;

	for (i = 0; i < CAUSE_COUNT; i++)
		for (j = 0; j < i; j++) {
			SUITE_ROW("%s/%s: %s/%s", causes[i].id, causes[i].reason, causes[j].id,
				  causes[j].reason);
			CU_ASSERT_FALSE(causes[i].of == causes[j].of &&
					causes[i].trait == causes[j].trait &&
					causes[i].looks == causes[j].looks);
		}
}

/* Whose data came weighs more than where READs are wrong. */
static void the_place_that_data_came_from_is_the_reason(void)
{
	static const struct {
		enum read_sign sign;
		const char *mechanism, *bug;
		bool says;
	} rows[] = {
		{ SIGN_OTHER_FILE, "other-file", "other-file", true },
		{ SIGN_OTHER_OFFSET, "other-offset", "corrupt", true },
		{ SIGN_NONE, "wrong-data", "corrupt", false },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct sickness mechanism = { .id = "probe.read.write-chunk",
						    .reason = rows[i].mechanism };
		const struct sickness bug = { .id = "bug.write-chunk-read", .reason = rows[i].bug };

		SUITE_ROW("%s", rows[i].mechanism);
		fall_ill(&others[0]);
		for (j = 0; j < records.count; j++)
			if (is_sick(&others[0], &list[j])) {
				list[j].outcome.sign = rows[i].sign;
				snprintf(list[j].outcome.text, sizeof(list[j].outcome.text),
					 "data of b at 0");
			}
		CU_ASSERT(is_named(&mechanism));
		CU_ASSERT(is_named(&bug));
		for (j = 0; j < nfindings; j++)
			if (!strcmp(findings[j].id, bug.id))
				CU_ASSERT_EQUAL(strstr(findings[j].summary,
						       ": wrong data: data of b at 0") != NULL,
						rows[i].says);
	}
}

static void data_of_another_file_at_times_is_said(void)
{
	const struct sickness named = { .id = "probe.read.intermittent", .reason = "other-file" };
	struct read_record *r;

	sweep();
	r = add(MECH_WRITE_CHUNK, 8192, 4096);
	fail(r, READ_DATA);
	r->confirmed = false;
	r->wrong = 1;
	CU_ASSERT_FALSE(is_named(&named));
	r->outcome.sign = SIGN_OTHER_FILE;
	CU_ASSERT(is_named(&named));
}

/* What fails over TCP too is the server's NFS, and what of it, unless a READ that is right says
 * otherwise. */
static bool is_above_64k(const struct read_record *r)
{
	return r->c.count > 65536;
}

static bool is_at_the_end(const struct read_record *r)
{
	return r->at_end;
}

static bool is_high(const struct read_record *r)
{
	return r->c.offset >= EDGE;
}

static void what_fails_over_tcp_too_is_told_apart(void)
{
	static const struct {
		record_filter of;
		enum read_kind kind;
		enum read_sign sign;
		const char *reason, *words;
		bool otherwise; /* one of them is right */
	} rows[] = {
		{ is_high, READ_DATA, SIGN_NONE, "nfs",
		  "READs failed over RDMA and over TCP, the first at offset 4294967296: wrong data",
		  false },
		{ is_at_the_end, READ_DATA, SIGN_BEYOND_SIZE, "size", "returned more, over TCP too",
		  false },
		{ is_above_64k, READ_SHORT, SIGN_NONE, "short",
		  "returned less than is there, over TCP too", false },
		{ is_above_64k, READ_SHORT, SIGN_EOF, "early-end", "ended before the file does",
		  false },
		{ is_above_64k, READ_STATUS, SIGN_NONE, "too-large",
		  "all larger than those that are right", false },
		{ is_at_the_end, READ_STATUS, SIGN_NONE, "beyond-the-end",
		  "all beyond the end of the file", false },
		{ is_high, READ_STATUS, SIGN_NONE, "error",
		  "READs failed over RDMA and over TCP, the first at offset", false },
		{ is_above_64k, READ_STATUS, SIGN_NONE, "error", "over TCP, the first at", true },
		{ is_at_the_end, READ_STATUS, SIGN_NONE, "error", "over TCP, the first at", true },
	};
	const struct finding *f = NULL;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		bool otherwise = rows[i].otherwise;
		unsigned int spared = 0;

		SUITE_ROW("%s", rows[i].reason);
		sweep();
		for (j = 0; j < records.count; j++) {
			/* To the end: more is asked for than there is. */
			list[j].c.count += list[j].at_end ? 100 : 0;
			if (!rows[i].of(&list[j]) || (otherwise && !spared++))
				continue;
			fail(&list[j], rows[i].kind);
			list[j].outcome.sign = rows[i].sign;
			list[j].wrong_over_tcp = true;
		}
		nfindings = 0;
		verdict_reads(&in, sink, NULL);
		for (f = NULL, j = 0; j < nfindings; j++)
			if (!strcmp(findings[j].id, "probe.read.over-tcp"))
				f = &findings[j];
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_STRING_EQUAL(f->reason, rows[i].reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(f->summary, rows[i].words));
	}
}

SUITE_MAIN("causes", TEST(each_cause_is_named_by_its_reads_and_no_other),
	   TEST(a_cause_without_its_evidence_is_not_named),
	   TEST(causes_of_a_mechanism_need_another_one), TEST(no_two_rows_ask_for_the_same),
	   TEST(the_place_that_data_came_from_is_the_reason),
	   TEST(data_of_another_file_at_times_is_said), TEST(what_fails_over_tcp_too_is_told_apart))
