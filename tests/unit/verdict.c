/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From records of READs to findings: which records raise which finding, and above all which do
 * not raise bug.write-chunk-read. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static const uint32_t sizes[] = { 1,    5,    788,  811,  812,   813,   816,
				  1024, 2048, 4096, 8192, 65536, 262144 };

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

static void judge_failure(void)
{
	nfindings = 0;
	verdict_reads(&in, sink, NULL);
}

static const struct finding *get(const char *id)
{
	unsigned int i;

	for (i = 0; i < nfindings; i++)
		if (!strcmp(findings[i].id, id))
			return &findings[i];
	CU_FAIL_FATAL("no such finding");
	return NULL;
}

static enum finding_status status(const char *id)
{
	return get(id)->status;
}

static const char *evidence(const char *id, const char *key)
{
	const struct finding *f = get(id);
	unsigned int i;

	for (i = 0; i < f->nevidence; i++)
		if (!strcmp(f->evidence[i].key, key))
			return f->evidence[i].value;
	return "";
}

static unsigned int count_of(enum finding_status wanted)
{
	unsigned int i, n = 0;

	for (i = 0; i < nfindings; i++)
		n += findings[i].status == wanted;
	return n;
}

static void reset(void)
{
	memset(list, 0, sizeof(list));
	records = (struct records){ .list = list, .cap = ARRAY_SIZE(list) };
	in = (struct verdict_input){ .records = &records };
}

static struct read_record *add(enum mechanism mechanism, uint64_t offset, uint32_t count)
{
	struct read_record *r = &list[records.count++];

	r->c.mechanism = mechanism;
	r->c.layout = LAYOUT_ROUNDED;
	r->c.offset = offset;
	r->c.count = r->expected = count;
	r->in_flight = 1;
	r->tries = 1;
	return r;
}

/* A sweep in which all READs are correct: every size by every mechanism, some unaligned, some
 * truncated. */
static void clean_sweep(void)
{
	size_t i;

	reset();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		add(MECH_REPLY_CHUNK, 0, sizes[i]);
		if (sizes[i] < 3900)
			add(MECH_INLINE, 0, sizes[i]);
		add(MECH_WRITE_CHUNK, 0, sizes[i]);
		add(MECH_WRITE_CHUNK, 0, sizes[i])->after_others = true;
		add(MECH_WRITE_CHUNK, 0, sizes[i])->in_flight = 8;
		add(MECH_WRITE_CHUNK, 4097, sizes[i]);
		add(MECH_WRITE_CHUNK, 0, sizes[i])->c.layout = LAYOUT_PIECES;
	}
	add(MECH_WRITE_CHUNK, 1 << 20, 4096)->expected = 17;
}

static void fail(struct read_record *r, enum read_kind kind)
{
	r->outcome.kind = kind;
	snprintf(r->outcome.text, sizeof(r->outcome.text), "made up");
	r->tries = r->wrong = 5;
	r->confirmed = r->controls_right = true;
}

typedef bool (*chooser)(const struct read_record *r);

static void fail_all(chooser which, enum read_kind kind)
{
	size_t i;

	for (i = 0; i < records.count; i++)
		if (which(&list[i]))
			fail(&list[i], kind);
}

static bool is_write(const struct read_record *r)
{
	return r->c.mechanism == MECH_WRITE_CHUNK;
}

static bool over_812(const struct read_record *r)
{
	return is_write(r) && r->c.count > 812 && r->expected > 812;
}

static bool over_page(const struct read_record *r)
{
	return is_write(r) && r->c.count > 4096;
}

static bool in_pieces(const struct read_record *r)
{
	return is_write(r) && r->c.layout == LAYOUT_PIECES;
}

static bool unaligned(const struct read_record *r)
{
	return is_write(r) && r->c.offset % 4096;
}

static bool at_the_end(const struct read_record *r)
{
	return is_write(r) && r->expected < r->c.count;
}

static bool reply_over_812(const struct read_record *r)
{
	return r->c.mechanism == MECH_REPLY_CHUNK && r->c.count > 812;
}

static bool later_over_812(const struct read_record *r)
{
	return over_812(r) && r->after_others;
}

static bool together(const struct read_record *r)
{
	return is_write(r) && r->in_flight > 1;
}

static void assert_no_bug(void)
{
	CU_ASSERT_NOT_EQUAL(status("bug.write-chunk-read"), FINDING_FAIL);
}

static void a_clean_sweep_passes_or_skips_and_nothing_else(void)
{
	clean_sweep();
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(count_of(FINDING_WARN), 0);
	CU_ASSERT_EQUAL(count_of(FINDING_UNKNOWN), 0);
	CU_ASSERT_EQUAL(status("probe.read.inline"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.reply-chunk"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_PASS);
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.write-chunk", "largest_right"), "262144");
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.write-chunk", "in_flight"), "8");
}

static void no_records_are_unknown_and_no_pass_anywhere(void)
{
	reset();
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_PASS), 0);
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(count_of(FINDING_UNKNOWN), 3);
}

static void assert_bug(unsigned int smallest, unsigned int largest_right)
{
	char number[48];

	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.inline"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.reply-chunk"), FINDING_PASS);
	CU_ASSERT_EQUAL(count_of(FINDING_UNKNOWN), 0);
	snprintf(number, sizeof(number), "Write-chunk READs from %u byte%s ", smallest,
		 smallest == 1 ? "" : "s");
	ASSERT_CONTAINS(get("bug.write-chunk-read")->summary, number);
	snprintf(number, sizeof(number), "%u", smallest);
	CU_ASSERT_STRING_EQUAL(evidence("bug.write-chunk-read", "smallest_failing"), number);
	snprintf(number, sizeof(number), "%u", largest_right);
	CU_ASSERT_STRING_EQUAL(evidence("bug.write-chunk-read", "largest_right"), number);
}

static void the_signature_is_raised_in_every_kind_of_failure(void)
{
	static const enum read_kind kinds[] = {
		READ_DATA, READ_STALE,  READ_SHORT, READ_STATUS,
		READ_LOST, READ_CLOSED, READ_RPC,   READ_RDMA_ERROR
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		SUITE_ROW("%zu", i);
		clean_sweep();
		fail_all(over_812, kinds[i]);
		judge_failure();
		assert_bug(813, 812);
		CU_ASSERT_STRING_EQUAL(evidence("bug.write-chunk-read", "ranges_proven"), "8");
		CU_ASSERT_STRING_EQUAL(evidence("bug.write-chunk-read", "ranges_failing"), "8");
		CU_ASSERT_STRING_EQUAL(evidence("probe.read.write-chunk", "smallest_failed"),
				       "813");
	}
}

static void an_abandoned_mechanism_keeps_its_results(void)
{
	size_t i;

	reset();
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		add(MECH_REPLY_CHUNK, 0, sizes[i]);
		add(MECH_INLINE, 0, sizes[i]);
		if (sizes[i] <= 1024)
			add(MECH_WRITE_CHUNK, 0, sizes[i]);
	}
	records.gave_up[MECH_WRITE_CHUNK] = true;
	fail_all(over_812, READ_LOST);
	judge_failure();
	assert_bug(813, 812);
}

static void failures_only_after_other_operations_are_the_signature(void)
{
	clean_sweep();
	fail_all(later_over_812, READ_DATA);
	judge_failure();
	assert_bug(813, 812);
}

/* One unwritten byte is a wrong byte; the finding does not start with it. */
static void the_most_frequent_failure_is_reported(void)
{
	clean_sweep();
	fail_all(is_write, READ_STALE);
	fail(add(MECH_WRITE_CHUNK, 0, 1), READ_DATA);
	list[2].outcome.kind = READ_DATA; /* the first by Write chunk */
	judge_failure();
	ASSERT_CONTAINS(get("probe.read.write-chunk")->summary,
			"the smallest of 1 byte: stale memory");
}

static void another_threshold_below_a_page_is_reported(void)
{
	size_t i;

	clean_sweep();
	for (i = 0; i < records.count; i++)
		if (is_write(&list[i]) && list[i].c.count > 2048)
			fail(&list[i], READ_DATA);
	judge_failure();
	assert_bug(4096, 2048);
}

/* A lost connection also fails the small READs that were in flight with the large ones. */
static void a_loss_in_flight_does_not_hide_the_threshold(void)
{
	clean_sweep();
	fail_all(together, READ_CLOSED);
	fail_all(over_812, READ_CLOSED);
	judge_failure();
	assert_bug(813, 812);
}

static bool odd(const struct read_record *r)
{
	return is_write(r) && r->c.count % 4;
}

static void leave_out_tails(void)
{
	size_t i;

	clean_sweep();
	fail_all(odd, READ_STALE);
	for (i = 0; i < records.count; i++)
		if (odd(&list[i]))
			list[i].outcome.sign = SIGN_TAIL;
}

static void bytes_left_out_at_the_end_have_their_finding(void)
{
	leave_out_tails();
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.tail"), FINDING_FAIL);
	ASSERT_STARTS(evidence("probe.read.write-chunk.tail", "example"), "5 bytes at ");
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
	CU_ASSERT_NOT_EQUAL(status("probe.read.write-chunk.alignment"), FINDING_FAIL);
	CU_ASSERT_NOT_EQUAL(status("probe.read.write-chunk.placement"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.order"), FINDING_PASS);
	/* An unwritten byte may be correct by chance. */
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_PASS);
	list[2].wrong--;
	list[2].confirmed = false;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.tail"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_SKIP);
}

static void a_tail_needs_failures_every_time(void)
{
	size_t i;

	/* Other READs fail in another way. */
	leave_out_tails();
	for (i = 0; i < records.count; i++)
		if (is_write(&list[i]) && !odd(&list[i]))
			fail(&list[i], READ_DATA);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.tail"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_FAIL);

	/* By other mechanisms, too. */
	leave_out_tails();
	for (i = 0; i < records.count; i++)
		list[i].controls_right = false;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.tail"), FINDING_SKIP);

	/* READs of less than a word returned nothing, which proves nothing. */
	leave_out_tails();
	for (i = 0; i < records.count; i++)
		if (odd(&list[i]) && list[i].c.count > 4)
			list[i].outcome = (struct read_outcome){ 0 };
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.tail"), FINDING_SKIP);
}

static void data_after_the_reply_has_its_finding(void)
{
	clean_sweep();
	fail_all(over_812, READ_ORDER);
	judge_failure();
	ASSERT_CONTAINS(get("bug.write-chunk-read")->summary, "arrive after their reply");
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.order"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 2);
	ASSERT_CONTAINS(get("probe.read.write-chunk.placement")->summary,
			"data arrive after their reply");
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_PASS);

	/* One is proof, and a correct repetition is chance. */
	clean_sweep();
	fail(&list[2], READ_ORDER);
	list[2].wrong--;
	list[2].confirmed = false;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.order"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_SKIP);
}

/* On a busy machine they are waited for in vain. */
static void even_later_data_is_the_same_defect(void)
{
	clean_sweep();
	fail_all(is_write, READ_STALE);
	list[2].outcome.kind = READ_ORDER; /* the first by Write chunk */
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.order"), FINDING_FAIL);
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 2);

	clean_sweep();
	fail_all(is_write, READ_STALE);
	in.late_writes = 1;
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 2);
}

/* One byte in 256 equals the old byte. */
static void a_byte_correct_by_chance_is_not_intermittent(void)
{
	struct read_record *r;

	clean_sweep();
	fail_all(is_write, READ_STALE);
	r = add(MECH_WRITE_CHUNK, 0, 1);
	fail(r, READ_DATA);
	r->outcome.sign = SIGN_TAIL;
	r->wrong--;
	r->confirmed = false;
	judge_failure();
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_SKIP);
	/* If most are correct, it is intermittent. */
	clean_sweep();
	r = add(MECH_WRITE_CHUNK, 0, 1);
	fail(r, READ_DATA);
	r->outcome.sign = SIGN_TAIL;
	r->wrong--;
	r->confirmed = false;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_FAIL);
}

static void writes_to_released_memory_are_an_ordering_failure(void)
{
	clean_sweep();
	in.late_writes = 2;
	in.transport_elsewhere = 2;
	fail(&list[2], READ_TRANSPORT);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.order"), FINDING_FAIL);
	ASSERT_CONTAINS(get("probe.read.write-chunk.order")->summary, "ended 2 connections");
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_PASS);
}

static bool small_write(const struct read_record *r)
{
	return is_write(r) && r->c.count <= 4096;
}

static bool small_reply(const struct read_record *r)
{
	return r->c.mechanism == MECH_REPLY_CHUNK && r->c.count < 3900;
}

static void answer_inline(chooser which)
{
	size_t i;

	for (i = 0; i < records.count; i++)
		if (which(&list[i]))
			list[i].outcome.kind = READ_INLINE;
}

static void an_unused_write_chunk_is_not_correct(void)
{
	clean_sweep();
	answer_inline(small_write);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.unused"), FINDING_FAIL);
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 1);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_PASS);
	ASSERT_CONTAINS(get("probe.read.write-chunk")->summary,
			"; 51 more were answered inline, with the Write chunk unused");
	/* No outcome by Write chunk was seen around its threshold. */
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_SKIP);

	clean_sweep();
	answer_inline(is_write);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.unused"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_SKIP);
	CU_ASSERT_EQUAL(count_of(FINDING_UNKNOWN), 0);
}

static void an_unused_reply_chunk_is_reported_but_not_a_failure(void)
{
	clean_sweep();
	answer_inline(small_reply);
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.unused"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.reply-chunk"), FINDING_PASS);
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.reply-chunk", "right"), "4");
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.reply-chunk", "answered_inline"), "9");
	ASSERT_CONTAINS(get("probe.read.reply-chunk")->summary,
			"; 9 more were answered inline, with the Reply chunk unused");
}

static void failures_above_a_page_are_placement_failures(void)
{
	clean_sweep();
	fail_all(over_page, READ_DATA);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.placement"), FINDING_FAIL);
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.write-chunk.placement", "smallest_failed"),
			       "8192");
	ASSERT_CONTAINS(get("bug.write-chunk-read")->summary, "of up to a page are correct");
}

static void failures_in_several_segments_are_segment_failures(void)
{
	clean_sweep();
	fail_all(in_pieces, READ_DATA);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.segments"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.alignment"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

static void failures_at_unaligned_offsets_are_alignment_failures(void)
{
	clean_sweep();
	fail_all(unaligned, READ_DATA);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.alignment"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.segments"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

static void failures_at_the_end_of_the_file_are_not_the_signature(void)
{
	unsigned int i;

	clean_sweep();
	for (i = 0; i < 5; i++)
		add(MECH_WRITE_CHUNK, (uint64_t)(i + 2) << 20, 4096)->expected = 1000;
	fail_all(at_the_end, READ_SHORT);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

/* Zero pages, an error, or nothing written, whatever the size: one defect. */
static void failures_of_all_sizes_are_the_bug(void)
{
	static const struct {
		enum read_kind kind;
		const char *how;
	} rows[] = {
		{ READ_DATA, "are corrupt" },
		{ READ_STALE, "are corrupt" },
		{ READ_STATUS, "fail in" },
		{ READ_CLOSED, "end the connection in" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		clean_sweep();
		fail_all(is_write, rows[i].kind);
		judge_failure();
		assert_bug(1, 0);
		ASSERT_CONTAINS(get("bug.write-chunk-read")->summary, rows[i].how);
		CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_SKIP);
		CU_ASSERT_EQUAL(status("probe.read.write-chunk.placement"), FINDING_SKIP);
	}
}

/* Zeros are correct where the file has some, as in the first word of our own. */
static void small_ranges_correct_by_chance_hide_nothing(void)
{
	size_t i;

	clean_sweep();
	for (i = 0; i < records.count; i++)
		if (is_write(&list[i]) && list[i].c.count > 5)
			fail(&list[i], READ_DATA);
	judge_failure();
	assert_bug(788, 5);
}

/* A range that failed, failed again, and then was correct. */
static void intermittent_ranges_are_not_the_signature(void)
{
	size_t i, n;

	clean_sweep();
	fail_all(over_812, READ_DATA);
	n = records.count;
	for (i = 0; i < n; i++)
		if (over_812(&list[i])) {
			struct read_record *r = add(MECH_WRITE_CHUNK, 0, list[i].c.count);

			r->c.offset = list[i].c.offset;
			r->after_others = list[i].after_others;
			r->in_flight = list[i].in_flight;
		}
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

/* One small READ that failed twice does not set the size. */
static void a_stray_failure_does_not_hide_the_size(void)
{
	size_t i;

	clean_sweep();
	fail_all(over_812, READ_DATA);
	for (i = 0; i < records.count; i++)
		if (is_write(&list[i]) && list[i].c.count == 1 && !list[i].after_others) {
			fail(&list[i], READ_STATUS);
			list[i].confirmed = false;
			break;
		}
	judge_failure();
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_FAIL);
	CU_ASSERT_STRING_EQUAL(evidence("bug.write-chunk-read", "smallest_failing"), "813");
}

static void fewer_than_three_ranges_are_not_the_signature(void)
{
	size_t i;

	reset();
	for (i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= 816; i++) {
		add(MECH_REPLY_CHUNK, 0, sizes[i]);
		add(MECH_WRITE_CHUNK, 0, sizes[i]);
		add(MECH_WRITE_CHUNK, 0, sizes[i])->after_others = true;
	}
	fail_all(over_812, READ_DATA); /* 813 and 816 */
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

static void a_few_failures_among_many_correct_are_not_the_signature(void)
{
	unsigned int i, hit = 0;

	clean_sweep();
	for (i = 0; i < 20; i++)
		add(MECH_WRITE_CHUNK, 0, 900 + 4 * i);
	for (i = 0; i < records.count; i++)
		if (over_812(&list[i]) && list[i].c.count < 1000 && hit++ < 5)
			fail(&list[i], READ_DATA);
	judge_failure();
	assert_no_bug();
}

static void failing_controls_exclude_the_signature(void)
{
	size_t i;

	clean_sweep();
	fail_all(over_812, READ_DATA);
	for (i = 0; i < records.count; i++)
		list[i].controls_right = false;
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

static void failures_that_do_not_repeat_are_not_the_signature(void)
{
	size_t i;

	clean_sweep();
	fail_all(over_812, READ_DATA);
	for (i = 0; i < records.count; i++)
		list[i].confirmed = false;
	judge_failure();
	assert_no_bug();
}

static void a_connection_lost_once_does_not_blame_the_mechanism(void)
{
	size_t i;

	clean_sweep();
	fail_all(over_812, READ_CLOSED);
	for (i = 0; i < records.count; i++)
		list[i].confirmed = false;
	judge_failure();
	assert_no_bug();
	CU_ASSERT_NOT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

static void failures_of_other_calls_do_not_blame_the_mechanism(void)
{
	static const enum read_kind kinds[] = { READ_LOST, READ_CLOSED, READ_TRANSPORT };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		SUITE_ROW("%zu", i);
		clean_sweep();
		fail_all(over_812, kinds[i]);
		in.lost_elsewhere = kinds[i] == READ_LOST;
		in.closed_elsewhere = kinds[i] == READ_CLOSED;
		in.transport_elsewhere = kinds[i] == READ_TRANSPORT;
		judge_failure();
		assert_no_bug();
		CU_ASSERT_NOT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
	}
}

static void correct_data_in_a_broken_frame_has_its_own_findings(void)
{
	clean_sweep();
	fail_all(over_812, READ_PAD);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.pad"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.lengths"), FINDING_PASS);
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 1);

	clean_sweep();
	fail_all(over_812, READ_LENGTHS);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.lengths"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.pad"), FINDING_PASS);
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 1);
	CU_ASSERT_STRING_EQUAL(get("probe.read.write-chunk.lengths")->reason, "wrong-lengths");
	/* One that is too short weighs more than those before it. */
	clean_sweep();
	fail_all(over_812, READ_LENGTHS);
	list[records.count - 1].c.mechanism = MECH_WRITE_CHUNK;
	fail(&list[records.count - 1], READ_LENGTHS);
	list[records.count - 1].outcome.sign = SIGN_SHORT_LENGTHS;
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("probe.read.write-chunk.lengths")->reason, "short-lengths");
	/* Linux clients use these lengths. */
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_SKIP);
}

static void a_pad_that_is_seen_by_its_length_alone_is_one_where_others_are(void)
{
	clean_sweep();
	fail_all(over_812, READ_PAD);
	list[0].c.mechanism = MECH_WRITE_CHUNK;
	fail(&list[0], READ_LENGTHS);
	list[0].outcome.sign = SIGN_PAD_COUNTED;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.pad"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.lengths"), FINDING_PASS);
	/* But no length that clients use. */
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_PASS);
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_PASS);

	clean_sweep();
	fail_all(over_812, READ_LENGTHS);
	list[0].outcome.sign = SIGN_PAD_COUNTED;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.lengths"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.pad"), FINDING_PASS);
}

/* What was not tried, or could not have failed, does not pass. */
static void nothing_passes_without_proof(void)
{
	static const char *const need_more[] = {
		"bug.write-chunk-read",
		"probe.read.profiles",
		"probe.read.write-chunk.segments",
		"probe.read.write-chunk.alignment",
		"probe.read.write-chunk.placement",
		"probe.read.write-chunk.tail",
	};
	unsigned int i;

	reset();
	judge_failure();
	for (i = 0; i < nfindings; i++) {
		SUITE_ROW("%s", findings[i].id);
		CU_ASSERT(findings[i].status == FINDING_SKIP ||
			  findings[i].status == FINDING_UNKNOWN ||
			  /* It says that no READ failed. */
			  !strcmp(findings[i].id, "probe.read.intermittent"));
	}
	/* A file of one byte, and READs behind its end. */
	clean_sweep();
	for (i = 0; i < records.count; i++)
		list[i].expected = !list[i].c.offset;
	judge_failure();
	for (i = 0; i < ARRAY_SIZE(need_more); i++) {
		SUITE_ROW("%s", need_more[i]);
		CU_ASSERT(status(need_more[i]) == FINDING_SKIP ||
			  status(need_more[i]) == FINDING_UNKNOWN);
	}
}

static bool is_odd_inline(const struct read_record *r)
{
	return r->c.mechanism == MECH_INLINE && r->c.count % 4 == 1;
}

static void a_failure_of_only_pads_is_reported_as_one(void)
{
	static const char text[] = "fail, all of lengths that are no multiple of four, ";
	unsigned int i;

	clean_sweep();
	add(MECH_INLINE, 0, 1);
	for (i = 4; i < 20; i += 4)
		add(MECH_INLINE, 0, i);
	fail_all(is_odd_inline, READ_HEADER);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.inline"), FINDING_FAIL);
	ASSERT_CONTAINS(get("probe.read.inline")->summary, text);
	CU_ASSERT_STRING_EQUAL(get("probe.read.inline")->reason, "padding");
	fail(&list[records.count - 1], READ_HEADER);
	judge_failure();
	CU_ASSERT_PTR_NULL(strstr(get("probe.read.inline")->summary, text));

	/* The largest that goes inline may be odd; but the next word would not show whether the size counts. */
	for (i = 0; i < 2; i++) {
		reset();
		for (uint32_t count = 4; count <= 868; count += 4)
			add(MECH_INLINE, 0, count);
		add(MECH_INLINE, 0, 1);
		add(MECH_INLINE, 0, i ? 873 : 869);
		fail_all(is_odd_inline, READ_HEADER);
		judge_failure();
		CU_ASSERT_EQUAL(!strstr(get("probe.read.inline")->summary, text), i);
	}

	/* Nothing shows that another length would be correct. */
	reset();
	add(MECH_INLINE, 0, 1);
	add(MECH_INLINE, 0, 4);
	fail_all(is_odd_inline, READ_HEADER);
	judge_failure();
	CU_ASSERT_PTR_NULL(strstr(get("probe.read.inline")->summary, text));
}

static bool is_pad_named(const char *id)
{
	judge_failure();
	/* The same file with wrong data is not harmless. */
	CU_ASSERT_STRING_NOT_EQUAL(get(id)->reason, "padding");
	return strstr(get(id)->summary, "no multiple of four") != NULL;
}

/* Odd sizes of Write chunks that are wrong from a byte on. */
static void fail_odd(enum mechanism mechanism, enum read_kind kind, uint32_t first)
{
	size_t i;

	for (i = 0; i < records.count; i++) {
		struct read_record *r = &list[i];

		if (r->c.mechanism != mechanism || r->expected % 4 == 0)
			continue;
		fail(r, kind);
		r->outcome.damage = (struct damage){
			.bytes = 1,
			.bits = 2,
			.pages = 1,
			.first = first ? first : r->expected - r->expected % 4,
		};
	}
}

static void padding_is_named_only_where_nothing_else_fits(void)
{
	static const char id[] = "probe.read.write-chunk";
	struct read_record *r;

	clean_sweep();
	fail_odd(MECH_WRITE_CHUNK, READ_DATA, 0);
	CU_ASSERT(is_pad_named(id));
	/* Wrong before the last word, too. */
	clean_sweep();
	fail_odd(MECH_WRITE_CHUNK, READ_DATA, 1);
	CU_ASSERT_FALSE(is_pad_named(id));
	/* An error, or no reply, is none of a pad. */
	clean_sweep();
	fail_odd(MECH_WRITE_CHUNK, READ_RPC, 0);
	CU_ASSERT_FALSE(is_pad_named(id));
	clean_sweep();
	fail_odd(MECH_WRITE_CHUNK, READ_STATUS, 0);
	CU_ASSERT_FALSE(is_pad_named(id));
	clean_sweep();
	fail_odd(MECH_WRITE_CHUNK, READ_LOST, 0);
	CU_ASSERT_FALSE(is_pad_named(id));
	/* Whole words that are right elsewhere do not show that the size, the offset or the layout
	 * is not the cause. */
	clean_sweep();
	fail_odd(MECH_WRITE_CHUNK, READ_DATA, 0);
	r = add(MECH_WRITE_CHUNK, 0, 1 << 20 | 1);
	fail(r, READ_DATA);
	r->outcome.damage = (struct damage){ .bytes = 1, .first = 1 << 20 };
	CU_ASSERT_FALSE(is_pad_named(id));
	r->c.count = r->expected = 8193;
	r->outcome.damage.first = 8192;
	CU_ASSERT(is_pad_named(id));
	r->c.layout = LAYOUT_LARGER;
	CU_ASSERT_FALSE(is_pad_named(id));

	/* The smallest file that shows the 812-byte boundary: its 813th byte is in the last word. */
	reset();
	for (uint32_t count = 4; count <= 812; count += 4)
		add(MECH_WRITE_CHUNK, 0, count);
	r = add(MECH_WRITE_CHUNK, 0, 813);
	fail(r, READ_DATA);
	r->outcome.damage = (struct damage){ .bytes = 1, .bits = 3, .pages = 1, .first = 812 };
	CU_ASSERT_FALSE(is_pad_named(id));
}

/* Linux before 5.10 gathered the pages of inline replies wrongly at such offsets. */
static void unaligned_inline_replies_are_not_padding(void)
{
	static const uint32_t lengths[] = { 5, 816 };
	unsigned int i;

	clean_sweep();
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct read_record *r = add(MECH_INLINE, 4095, lengths[i]);

		fail(r, READ_DATA);
		r->outcome.damage = (struct damage){ .bytes = 4,
						     .pages = 1,
						     .first = lengths[i] - lengths[i] % 4 };
	}
	CU_ASSERT_FALSE(is_pad_named("probe.read.inline"));
	/* Nor where no whole words were read there. */
	clean_sweep();
	fail(add(MECH_INLINE, 4095, 5), READ_DATA);
	fail(add(MECH_INLINE, 4097, 813), READ_DATA);
	list[records.count - 1].outcome.damage = (struct damage){ .bytes = 1, .first = 812 };
	list[records.count - 2].outcome.damage = (struct damage){ .bytes = 1, .first = 4 };
	CU_ASSERT_FALSE(is_pad_named("probe.read.inline"));
}

static void bytes_after_correct_data_are_not_the_signature(void)
{
	clean_sweep();
	fail_all(over_812, READ_OUTSIDE);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
}

/* The most frequent failure of a mechanism is its reason. */
static void the_failing_part_is_the_reason(void)
{
	static const struct {
		enum read_kind kind;
		const char *reason;
	} rows[] = {
		{ READ_DATA, "wrong-data" }, { READ_STALE, "not-written" },
		{ READ_SHORT, "short" },     { READ_OUTSIDE, "outside" },
		{ READ_ORDER, "late-data" }, { READ_STATUS, "error" },
		{ READ_RPC, "error" },       { READ_RDMA_ERROR, "error" },
		{ READ_CLOSED, "closed" },   { READ_TRANSPORT, "closed" },
		{ READ_LOST, "no-reply" },   { READ_HEADER, "malformed" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].reason);
		clean_sweep();
		fail_all(over_812, rows[i].kind);
		judge_failure();
		CU_ASSERT_STRING_EQUAL(get("probe.read.write-chunk")->reason, rows[i].reason);
		CU_ASSERT_STRING_EQUAL(get("probe.read.inline")->reason, "");
	}
	clean_sweep();
	fail_all(over_812, READ_DATA);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("bug.write-chunk-read")->reason, "corrupt");
	CU_ASSERT_STRING_EQUAL(get("probe.read.profiles")->reason, "above-change-over");
	fail_all(over_812, READ_STATUS);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("bug.write-chunk-read")->reason, "failing");
	fail_all(over_812, READ_LOST);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("bug.write-chunk-read")->reason, "unanswered");
	CU_ASSERT_PTR_NOT_NULL(strstr(get("bug.write-chunk-read")->summary, "get no reply in"));
	fail_all(over_812, READ_CLOSED);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("bug.write-chunk-read")->reason, "unanswered");
	CU_ASSERT_PTR_NOT_NULL(
		strstr(get("bug.write-chunk-read")->summary, "end the connection in"));
}

static void the_condition_of_a_failure_is_the_reason(void)
{
	clean_sweep();
	fail_all(in_pieces, READ_DATA);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("probe.read.write-chunk.segments")->reason, "every-time");
	clean_sweep();
	fail_all(unaligned, READ_DATA);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("probe.read.write-chunk.alignment")->reason, "every-time");
	clean_sweep();
	fail_all(over_page, READ_DATA);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("probe.read.write-chunk.placement")->reason, "above-a-page");
	clean_sweep();
	in.late_writes = 1;
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("probe.read.write-chunk.order")->reason, "released-memory");
}

static void why_a_sweep_ended_is_the_reason(void)
{
	size_t i;

	for (i = 0; i < 6; i++) {
		static const char *const reasons[] = { "server-gone", "changing", "time",
						       "gave-up",     "gave-up",  "not-tried" };

		SUITE_ROW("%s", reasons[i]);
		reset();
		if (i == 0)
			snprintf(records.why, sizeof(records.why), "the server is gone");
		records.why_reason = i == 0 ? "server-gone" : NULL;
		records.all_changing = i == 1;
		records.out_of_time = i == 2;
		records.hopeless = i == 3;
		records.gave_up[MECH_INLINE] = i == 4;
		judge_failure();
		CU_ASSERT_EQUAL(status("probe.read.inline"), FINDING_UNKNOWN);
		CU_ASSERT_STRING_EQUAL(get("probe.read.inline")->reason, reasons[i]);
	}
}

/* @wrong of @of READs with others in flight, and @alone that are right alone. */
static void fly(unsigned int wrong, unsigned int of, unsigned int alone)
{
	unsigned int i;

	reset();
	for (i = 0; i < alone; i++)
		add(MECH_WRITE_CHUNK, 0, 4096);
	for (i = 0; i < of; i++) {
		struct read_record *r = add(MECH_WRITE_CHUNK, 0, 4096);

		r->in_flight = 16;
		if (i >= wrong)
			continue;
		fail(r, READ_STATUS);
		r->tries = r->wrong = 1;
	}
}

static void in_flight_is_named_where_nothing_fails_alone(void)
{
	static const char id[] = "probe.read.in-flight";

	fly(20, 40, 40);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_FAIL);
	CU_ASSERT_STRING_EQUAL(get(id)->reason, "error");
	ASSERT_CONTAINS(get(id)->summary,
			"20 of 40 READs fail with others in flight, and none of 40 alone");
	/* It is not the size. */
	clean_sweep();
	for (size_t i = 0; i < records.count; i++)
		if (list[i].in_flight > 1)
			fail(&list[i], READ_STATUS);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_SKIP);
	for (size_t i = 0; i < nfindings; i++)
		CU_ASSERT(findings[i].status != FINDING_FAIL || !strcmp(findings[i].id, id) ||
			  !strcmp(findings[i].id, "probe.read.write-chunk"));
	fly(20, 40, 40);
	judge_failure();
	/* One that fails alone shows that these are not the cause. */
	fail(&list[0], READ_STATUS);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_SKIP);
	/* Too few, or so seldom that those alone can be right by chance. */
	fly(2, 2, 40);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_SKIP);
	fly(5, 50, 60);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_SKIP);
	fly(5, 50, 70);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_FAIL);
	fly(0, 50, 70);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_PASS);
	fly(0, 0, 70);
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_SKIP);
}

static void intermittent_damage_is_the_reason(void)
{
	static const struct {
		enum read_kind kind;
		struct damage damage;
		const char *reason;
	} rows[] = {
		{ READ_DATA, { .bytes = 1, .bits = 1, .pages = 1 }, "single-bits" },
		{ READ_DATA,
		  { .bytes = 4096, .bits = 9000, .pages = 1, .whole_pages = 1 },
		  "whole-pages" },
		{ READ_DATA, { .bytes = 7, .bits = 20, .pages = 1 }, "bytes" },
		{ READ_STALE, { .bytes = 0 }, "not-written" },
		{ READ_HEADER, { .bytes = 0 }, "malformed" },
		{ READ_SHORT, { .bytes = 0 }, "malformed" },
		{ READ_STATUS, { .bytes = 0 }, "errors" },
		{ READ_RPC, { .bytes = 0 }, "errors" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].reason);
		clean_sweep();
		fail(&list[2], rows[i].kind);
		list[2].wrong = 1;
		list[2].confirmed = false;
		list[2].outcome.damage = rows[i].damage;
		judge_failure();
		CU_ASSERT_STRING_EQUAL(get("probe.read.intermittent")->reason, rows[i].reason);
	}
	fail(&list[3], READ_DATA);
	list[3].wrong = 1;
	list[3].confirmed = false;
	list[3].outcome.damage = rows[0].damage;
	judge_failure();
	CU_ASSERT_STRING_EQUAL(get("probe.read.intermittent")->reason, "several-ways");
}

static void foreign_xids_and_changing_files_are_not_failures(void)
{
	clean_sweep();
	fail_all(over_812, READ_XID);
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	/* But then no data above 812 bytes was seen. */
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);

	clean_sweep();
	fail_all(over_812, READ_CHANGING);
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);
}

static void failures_by_reply_chunk_are_not_the_signature(void)
{
	clean_sweep();
	fail_all(reply_over_812, READ_DATA);
	judge_failure();
	assert_no_bug();
	CU_ASSERT_EQUAL(status("probe.read.reply-chunk"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_PASS);
}

/* Whatever interrupted a sweep, its mechanisms are unknown, and the bug is not excluded. */
static void assert_unknown(unsigned int unknown)
{
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(count_of(FINDING_UNKNOWN), unknown);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_UNKNOWN);
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);
}

static void an_interrupted_sweep_is_unknown_and_never_passes(void)
{
	reset();
	add(MECH_WRITE_CHUNK, 0, 812);
	add(MECH_WRITE_CHUNK, 0, 4096);
	records.out_of_time = true;
	assert_unknown(3);
	clean_sweep();
	snprintf(records.why, sizeof(records.why), "the server is in its grace period");
	assert_unknown(3);
	ASSERT_CONTAINS(get("probe.read.write-chunk")->summary,
			"the server is in its grace period");
	clean_sweep();
	records.hopeless = true;
	assert_unknown(3);
	clean_sweep();
	records.all_changing = true;
	assert_unknown(3);
	clean_sweep();
	records.unfinished = true;
	assert_unknown(3);
	clean_sweep();
	records.gave_up[MECH_WRITE_CHUNK] = true;
	assert_unknown(1);
	clean_sweep();
	records.not_run[MECH_WRITE_CHUNK] = 1;
	assert_unknown(1);
}

/* probe.slow warns about it; it does not pass either. */
static void a_sweep_that_only_the_deadline_ended_is_slow(void)
{
	clean_sweep();
	CU_ASSERT_TRUE(verdict_is_enough(&in));
	records.out_of_time = true;
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL) + count_of(FINDING_UNKNOWN), 0);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("probe.read.inline"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);
	records.gave_up[MECH_WRITE_CHUNK] = true;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_UNKNOWN);
	CU_ASSERT_EQUAL(status("probe.read.inline"), FINDING_SKIP);
}

static void correct_reads_around_812_bytes_and_a_page_are_enough(void)
{
	static const uint32_t each[] = { 812, 4096, 4097 };
	unsigned int i, j;

	for (i = 0; i <= ARRAY_SIZE(each); i++) {
		reset();
		for (j = 0; j < ARRAY_SIZE(each); j++)
			add(j == i ? MECH_REPLY_CHUNK : MECH_WRITE_CHUNK, 0, each[j]);
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(verdict_is_enough(&in), i == ARRAY_SIZE(each));
	}
	fail(add(MECH_INLINE, 0, 1), READ_DATA);
	CU_ASSERT_FALSE(verdict_is_enough(&in));
}

static void a_failure_remains_one_after_the_deadline(void)
{
	clean_sweep();
	fail_all(over_812, READ_DATA);
	records.out_of_time = true;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.inline"), FINDING_UNKNOWN);
}

static void small_files_cannot_show_the_bug(void)
{
	size_t i;

	reset();
	for (i = 0; i < ARRAY_SIZE(sizes) && sizes[i] < 1000; i++)
		add(MECH_WRITE_CHUNK, 0, sizes[i]);
	judge_failure();
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(get("bug.write-chunk-read")->reason, "small-file");
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_SKIP);
	ASSERT_CONTAINS(get("probe.read.write-chunk")->summary,
			"are correct, which is too little to tell");
}

/* What each mechanism must have read for its pass, one byte less, and a server whose largest READ is less. */
static void a_mechanism_passes_by_what_proves_something(void)
{
	static const struct {
		enum mechanism mechanism;
		const char *id;
		uint32_t largest, rtmax;
		enum finding_status status;
	} rows[] = {
		{ MECH_INLINE, "probe.read.inline", 512, 0, FINDING_PASS },
		{ MECH_INLINE, "probe.read.inline", 511, 0, FINDING_SKIP },
		{ MECH_WRITE_CHUNK, "probe.read.write-chunk", 65536, 0, FINDING_PASS },
		{ MECH_WRITE_CHUNK, "probe.read.write-chunk", 65535, 0, FINDING_SKIP },
		{ MECH_WRITE_CHUNK, "probe.read.write-chunk", 32768, 32768, FINDING_PASS },
		{ MECH_REPLY_CHUNK, "probe.read.reply-chunk", 65536, 0, FINDING_PASS },
		{ MECH_REPLY_CHUNK, "probe.read.reply-chunk", 65535, 0, FINDING_SKIP },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].id);
		reset();
		in.rtmax = rows[i].rtmax;
		add(rows[i].mechanism, 0, 1);
		add(rows[i].mechanism, 0, rows[i].largest);
		judge_failure();
		CU_ASSERT_EQUAL(status(rows[i].id), rows[i].status);
		in.rtmax = 0;
	}
}

/* Nor does a file whose READs of that size all changed during the probe. */
static void correct_reads_of_other_sizes_do_not_exclude_the_bug(void)
{
	size_t i;

	clean_sweep();
	for (i = 0; i < records.count; i++)
		if (over_812(&list[i]) && list[i].c.count <= 4096)
			list[i].outcome.kind = READ_CHANGING;
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_SKIP);
}

static void profiles_are_affected_from_their_first_write_chunk(void)
{
	size_t i;

	clean_sweep();
	for (i = 0; i < records.count; i++)
		if (is_write(&list[i]) && list[i].c.count == 816)
			fail(&list[i], READ_DATA);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_FAIL);
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.profiles", "wrong"), "788, 812");
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.profiles", "right"), "816, 856");
}

/* As many READs of a case as there are tries, of which @wrong failed. */
static void at_times(struct read_record *r, unsigned int wrong, unsigned int tries)
{
	fail(r, READ_DATA);
	r->wrong = wrong;
	r->tries = tries;
	r->confirmed = false;
}

static unsigned int fail_at_times(chooser which, unsigned int most)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < records.count && n < most; i++)
		if (which(&list[i])) {
			at_times(&list[i], 1, 2);
			n++;
		}
	return n;
}

/* Regardless of the place and the frequency. */
static void failures_that_a_retry_corrects_name_no_cause(void)
{
	static const chooser choosers[] = { unaligned, in_pieces, over_page,
					    over_812,  is_write,  together };
	static const char *const causes[] = { "probe.read.write-chunk.alignment",
					      "probe.read.write-chunk.segments",
					      "probe.read.write-chunk.placement",
					      "probe.read.profiles", "bug.write-chunk-read" };
	size_t i, j, most;

	for (i = 0; i < ARRAY_SIZE(choosers); i++)
		for (most = 1; most < 1000; most *= 10) {
			SUITE_ROW("%zu, up to %zu", i, most);
			clean_sweep();
			fail_at_times(choosers[i], (unsigned int)most);
			judge_failure();
			CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_FAIL);
			CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
			for (j = 0; j < ARRAY_SIZE(causes); j++)
				CU_ASSERT_NOT_EQUAL(status(causes[j]), FINDING_FAIL);
			/* Only with others in flight: that is a condition. */
			CU_ASSERT_EQUAL(count_of(FINDING_FAIL),
					choosers[i] == together && most > 1 ? 3 : 2);
		}
}

static void frequency_and_mechanisms_are_reported(void)
{
	const char *id = "probe.read.intermittent";

	clean_sweep();
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_PASS);
	CU_ASSERT_STRING_EQUAL(evidence(id, "wrong"), "0");
	reset();
	add(MECH_INLINE, 0, 100);
	add(MECH_WRITE_CHUNK, 0, 8192);
	at_times(add(MECH_WRITE_CHUNK, 0, 4096), 3, 4);
	at_times(add(MECH_REPLY_CHUNK, 0, 4096), 1, 2);
	list[2].outcome.damage = list[3].outcome.damage =
		(struct damage){ .bytes = 1, .bits = 1, .pages = 1 };
	judge_failure();
	CU_ASSERT_EQUAL(status(id), FINDING_FAIL);
	ASSERT_CONTAINS(get(id)->summary,
			"4 of 8 READs failed and were correct when repeated: single bits");
	CU_ASSERT_STRING_EQUAL(evidence(id, "mechanisms"),
			       "3 of 5 by Write chunk, 1 of 2 by Reply chunk");
	list[3].outcome.damage =
		(struct damage){ .bytes = 4000, .bits = 9000, .pages = 1, .whole_pages = 1 };
	judge_failure();
	CU_ASSERT_STRING_EQUAL(evidence(id, "damage"), "in several ways");
	list[2].outcome.damage = list[3].outcome.damage;
	judge_failure();
	CU_ASSERT_STRING_EQUAL(evidence(id, "damage"), "whole pages");
}

/* A random failure beside a defect neither hides it nor counts for it. */
static void a_defect_is_named_despite_intermittent_failures(void)
{
	clean_sweep();
	fail_all(unaligned, READ_DATA);
	at_times(&list[2], 1, 3);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.alignment"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_FAIL);
	CU_ASSERT_NOT_EQUAL(status("probe.read.profiles"), FINDING_FAIL);
}

static void failing_controls_name_no_cause(void)
{
	static const chooser choosers[] = { unaligned, in_pieces, over_page };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(choosers); i++) {
		SUITE_ROW("%zu", i);
		clean_sweep();
		fail_all(choosers[i], READ_DATA);
		for (j = 0; j < records.count; j++)
			list[j].controls_right = false;
		judge_failure();
		CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
		CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 1);
	}
}

static void failures_over_tcp_too_do_not_blame_rdma(void)
{
	size_t i;

	clean_sweep();
	fail_all(unaligned, READ_DATA);
	for (i = 0; i < records.count; i++)
		list[i].wrong_over_tcp = unaligned(&list[i]);
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(count_of(FINDING_WARN), 1);
	CU_ASSERT_EQUAL(status("probe.read.over-tcp"), FINDING_WARN);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk.alignment"), FINDING_SKIP);
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_PASS);
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.write-chunk", "wrong_over_tcp"), "13");
	CU_ASSERT_EQUAL(status("bug.write-chunk-read"), FINDING_PASS);
}

static void a_random_range_names_no_cause(void)
{
	struct read_record *r;

	clean_sweep();
	r = add(MECH_WRITE_CHUNK, 512, 66048);
	fail(r, READ_DATA);
	r->random = true;
	r = add(MECH_WRITE_CHUNK, 8192, 66048);
	fail(r, READ_DATA);
	r->random = true;
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.write-chunk"), FINDING_FAIL);
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_PASS);
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 1);
}

static void random_reads_count_where_reads_are_counted(void)
{
	clean_sweep();
	at_times(&list[2], 1, 2);
	judge_failure();
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.intermittent", "of"), "89");
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.write-chunk", "right"), "65");
	records.random.right[MECH_WRITE_CHUNK] = 3000;
	records.random.right[MECH_INLINE] = 1000;
	judge_failure();
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.intermittent", "of"), "4089");
	ASSERT_CONTAINS(evidence("probe.read.intermittent", "mechanisms"), "by Write chunk");
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.write-chunk", "right"), "3065");
}

/* It has its own finding. */
static void a_reply_lost_once_does_not_blame_the_mechanism(void)
{
	clean_sweep();
	at_times(&list[2], 1, 2);
	list[2].outcome.kind = READ_LOST;
	judge_failure();
	CU_ASSERT_EQUAL(count_of(FINDING_FAIL), 0);
	CU_ASSERT_EQUAL(status("probe.read.intermittent"), FINDING_SKIP);
	ASSERT_CONTAINS(get("probe.read.intermittent")->summary, "1 READ was without a reply");
}

static void only_tested_profiles_pass(void)
{
	size_t i;

	reset();
	for (i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= 813; i++) {
		add(MECH_INLINE, 0, sizes[i]);
		add(MECH_WRITE_CHUNK, 0, sizes[i]);
	}
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_PASS);
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.profiles", "right"), "788, 812");
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.profiles", "not_tried"), "816, 856");
	ASSERT_CONTAINS(get("probe.read.profiles")->summary, "above 788, 812 bytes");
	reset();
	add(MECH_WRITE_CHUNK, 0, 5);
	add(MECH_WRITE_CHUNK, 0, 8192);
	judge_failure();
	CU_ASSERT_EQUAL(status("probe.read.profiles"), FINDING_SKIP);
	CU_ASSERT_STRING_EQUAL(evidence("probe.read.profiles", "right"), "");
}

/* A server can put the longest texts into every field of the examples. */
static void the_longest_texts_fit_a_finding_and_its_record(void)
{
	static uint8_t buf[FINDING_RECORD_MAX];
	size_t i;

	clean_sweep();
	fail_all(over_812, READ_DATA);
	for (i = 0; i < records.count; i++) {
		memset(list[i].outcome.text, 'x', sizeof(list[i].outcome.text) - 1);
		list[i].c.count = list[i].c.count > 812 ? UINT32_MAX : list[i].c.count;
		list[i].expected = list[i].c.count;
		list[i].c.offset = list[i].c.offset ? UINT64_MAX : 0;
	}
	judge_failure();
	for (i = 0; i < nfindings; i++) {
		SUITE_ROW("%zu", i);
		ASSERT_MORE(finding_encode(&findings[i], buf, sizeof(buf)), 0);
	}
}

SUITE_MAIN(
	"verdict", TEST(a_clean_sweep_passes_or_skips_and_nothing_else),
	TEST(no_records_are_unknown_and_no_pass_anywhere),
	TEST(the_signature_is_raised_in_every_kind_of_failure),
	TEST(an_abandoned_mechanism_keeps_its_results),
	TEST(failures_only_after_other_operations_are_the_signature),
	TEST(the_most_frequent_failure_is_reported),
	TEST(another_threshold_below_a_page_is_reported),
	TEST(a_loss_in_flight_does_not_hide_the_threshold),
	TEST(bytes_left_out_at_the_end_have_their_finding), TEST(a_tail_needs_failures_every_time),
	TEST(data_after_the_reply_has_its_finding), TEST(even_later_data_is_the_same_defect),
	TEST(a_byte_correct_by_chance_is_not_intermittent),
	TEST(writes_to_released_memory_are_an_ordering_failure),
	TEST(an_unused_write_chunk_is_not_correct),
	TEST(an_unused_reply_chunk_is_reported_but_not_a_failure),
	TEST(failures_above_a_page_are_placement_failures),
	TEST(failures_in_several_segments_are_segment_failures),
	TEST(failures_at_unaligned_offsets_are_alignment_failures),
	TEST(failures_at_the_end_of_the_file_are_not_the_signature),
	TEST(failures_of_all_sizes_are_the_bug), TEST(small_ranges_correct_by_chance_hide_nothing),
	TEST(intermittent_ranges_are_not_the_signature),
	TEST(a_stray_failure_does_not_hide_the_size),
	TEST(fewer_than_three_ranges_are_not_the_signature),
	TEST(a_few_failures_among_many_correct_are_not_the_signature),
	TEST(failing_controls_exclude_the_signature),
	TEST(failures_that_do_not_repeat_are_not_the_signature),
	TEST(a_connection_lost_once_does_not_blame_the_mechanism),
	TEST(failures_of_other_calls_do_not_blame_the_mechanism),
	TEST(correct_data_in_a_broken_frame_has_its_own_findings),
	TEST(a_pad_that_is_seen_by_its_length_alone_is_one_where_others_are),
	TEST(nothing_passes_without_proof), TEST(a_failure_of_only_pads_is_reported_as_one),
	TEST(padding_is_named_only_where_nothing_else_fits),
	TEST(unaligned_inline_replies_are_not_padding),
	TEST(bytes_after_correct_data_are_not_the_signature), TEST(the_failing_part_is_the_reason),
	TEST(the_condition_of_a_failure_is_the_reason), TEST(why_a_sweep_ended_is_the_reason),
	TEST(in_flight_is_named_where_nothing_fails_alone), TEST(intermittent_damage_is_the_reason),
	TEST(foreign_xids_and_changing_files_are_not_failures),
	TEST(failures_by_reply_chunk_are_not_the_signature),
	TEST(an_interrupted_sweep_is_unknown_and_never_passes),
	TEST(a_sweep_that_only_the_deadline_ended_is_slow),
	TEST(correct_reads_around_812_bytes_and_a_page_are_enough),
	TEST(a_failure_remains_one_after_the_deadline), TEST(small_files_cannot_show_the_bug),
	TEST(a_mechanism_passes_by_what_proves_something),
	TEST(correct_reads_of_other_sizes_do_not_exclude_the_bug),
	TEST(profiles_are_affected_from_their_first_write_chunk),
	TEST(failures_that_a_retry_corrects_name_no_cause),
	TEST(frequency_and_mechanisms_are_reported),
	TEST(a_defect_is_named_despite_intermittent_failures), TEST(failing_controls_name_no_cause),
	TEST(failures_over_tcp_too_do_not_blame_rdma), TEST(a_random_range_names_no_cause),
	TEST(random_reads_count_where_reads_are_counted),
	TEST(a_reply_lost_once_does_not_blame_the_mechanism), TEST(only_tested_profiles_pass),
	TEST(the_longest_texts_fit_a_finding_and_its_record))
