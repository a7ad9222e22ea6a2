/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Outcomes of READs that returned wrong bytes, against the embedded server: its bytes are
 * correct, and the reference is made wrong. */
#include "tests/unit/probe-peer.h"

static struct window w;
static struct read_outcome outcome;

static void begin(void)
{
	open_probe("4.0", PROBE_STANDARD, 0);
	CU_ASSERT_EQUAL_FATAL(window_open(p, &w, &p->files.candidates[0], 0, 65536), 0);
	ASSERT_AT_LEAST(w.len, 65536);
	p->server.kind = SERVER_OURS;
}

static void end(void)
{
	window_close(&w);
	close_probe();
}

static void read_by(enum mechanism mechanism, uint64_t offset, uint32_t count)
{
	const struct read_case c = {
		.mechanism = mechanism, .layout = LAYOUT_ROUNDED, .offset = offset, .count = count
	};

	read_once(p, &w, &c, &outcome);
}

static void the_first_wrong_byte_is_named(void)
{
	static const uint32_t bytes[] = { 5000, 5001, 5006, 5007, 4097 + 1022 };
	char place[64];
	enum mechanism m;
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(bytes); i++)
		for (m = MECH_INLINE; m < MECH_COUNT; m++) {
			SUITE_ROW("%u by %s", bytes[i], mechanism_name(m));
			w.bytes[bytes[i]] ^= 0x04;
			read_by(m, 4097, 1023);
			w.bytes[bytes[i]] ^= 0x04;
			CU_ASSERT_EQUAL(outcome.kind, READ_DATA);
			snprintf(place, sizeof(place), "at offset %u one bit is wrong", bytes[i]);
			ASSERT_CONTAINS(outcome.text, place);
			CU_ASSERT_EQUAL(damage_kind(&outcome.damage), DAMAGE_BIT);
		}
	end();
}

static void zeros_and_other_bytes_are_shown_from_there_on(void)
{
	begin();
	/* The word there is 0x1388: six zeros, then its bytes. */
	memset(w.bytes + 5001, 0xff, 20);
	read_by(MECH_WRITE_CHUNK, 0, 8192);
	ASSERT_CONTAINS(outcome.text, "at offset 5001 0000000000138800, expected ffffffffffffffff");
	CU_ASSERT_EQUAL(outcome.damage.bytes, 20);
	/* 5001 to 5005 are zeros; the READ ends there. */
	read_by(MECH_INLINE, 4096, 5006 - 4096);
	ASSERT_CONTAINS(outcome.text, "at offset 5001 zeros");
	end();
}

static void begin_faulty(const char *spec)
{
	struct fault_set *set = fault_set_new();

	CU_ASSERT_EQUAL_FATAL(fault_set_add(set, spec), 0);
	faults = set;
	begin();
	faults = NULL;
	fault_set_free(set);
}

/* Pages arrive one page too early: the first complete word has 4104 in the file, but the byte
 * before it is already wrong. */
static void the_first_wrong_bytes_show_their_true_offset(void)
{
	begin_faulty("page-shift");
	read_by(MECH_WRITE_CHUNK, 4098, 8192);
	CU_ASSERT_EQUAL(outcome.kind, READ_DATA);
	ASSERT_CONTAINS(outcome.text, "at offset 4102 the data of offset 8198");
	end();
}

/* The file starts with zeros, too. */
static void zeros_are_not_mistaken_for_the_start_of_the_page(void)
{
	begin_faulty("write-chunk=zeros");
	read_by(MECH_WRITE_CHUNK, 4095, 5);
	CU_ASSERT_EQUAL(outcome.kind, READ_DATA);
	ASSERT_CONTAINS(outcome.text, "at offset 4095 zeros");
	CU_ASSERT_EQUAL(outcome.sign, SIGN_NONE);
	end();
}

/* One unchanged byte can be a coincidence, in one case of 256. */
static void unwritten_needs_more_than_one_byte(void)
{
	struct read_case c = { .mechanism = MECH_WRITE_CHUNK,
			       .layout = LAYOUT_ROUNDED,
			       .count = 8 };
	struct read_job job;
	unsigned int i, stale = 0, wrong = 0;

	begin();
	for (i = 0; i < 2000; i++) {
		memset(&job, 0, sizeof(job));
		read_start(p, &job, &w, &c);
		CU_ASSERT_EQUAL_FATAL(job.op.call.rc, -EINPROGRESS);
		/* The reference has another byte there than the reply, which may equal the old one. */
		w.bytes[3] = (uint8_t)(0x5a ^ i) | 1;
		read_finish(p, &job, &w);
		w.bytes[3] = 0;
		stale += job.outcome.kind == READ_STALE;
		wrong += job.outcome.kind == READ_DATA;
	}
	CU_ASSERT_EQUAL(stale, 0);
	CU_ASSERT_EQUAL(wrong, 2000);
	end();
}

/* Each call that was under way fails. */
static void a_lost_connection_counts_once(void)
{
	const struct read_case c = { .mechanism = MECH_WRITE_CHUNK, .count = 4096 };
	static struct read_job jobs[8];
	unsigned int i, closed = 0;

	begin_faulty("write-chunk-over-812=close");
	for (i = 0; i < ARRAY_SIZE(jobs); i++)
		read_start(p, &jobs[i], &w, &c);
	for (i = 0; i < ARRAY_SIZE(jobs); i++) {
		read_finish(p, &jobs[i], &w);
		closed += jobs[i].outcome.kind == READ_CLOSED;
	}
	CU_ASSERT_EQUAL(closed, ARRAY_SIZE(jobs));
	CU_ASSERT_EQUAL(p->behaviour.closed.count, 1);
	CU_ASSERT_EQUAL(p->behaviour.closed.beside_write_chunks, 0);
	read_by(MECH_WRITE_CHUNK, 0, 4096);
	CU_ASSERT_EQUAL(p->behaviour.closed.count, 2);
	end();
}

static void data_after_the_reply_is_waited_for(void)
{
	begin_faulty("reply-first");
	/* On a busy machine the server is slow. */
	p->pace.slowest_ms = PATIENCE_MS;
	read_by(MECH_WRITE_CHUNK, 0, 65536);
	CU_ASSERT_EQUAL(outcome.kind, READ_ORDER);
	ASSERT_CONTAINS(outcome.text, "ms after the reply");
	CU_ASSERT_EQUAL(p->write_chunk.order_waits, 0);
	read_by(MECH_INLINE, 0, 813);
	CU_ASSERT_EQUAL(outcome.kind, READ_OK);
	CU_ASSERT_EQUAL(p->behaviour.transport.count, 0);
	CU_ASSERT_EQUAL(p->behaviour.late_writes.count, 0);
	end();
}

/* Without waiting, their memory is released when they arrive. */
static void a_late_write_is_not_a_transport_error(void)
{
	begin_faulty("reply-first");
	p->write_chunk.order_waits = 1000;
	read_by(MECH_WRITE_CHUNK, 0, 65536);
	CU_ASSERT_EQUAL(outcome.kind, READ_STALE);
	read_by(MECH_INLINE, 0, 813);
	read_by(MECH_INLINE, 0, 813);
	CU_ASSERT_EQUAL(outcome.kind, READ_OK);
	CU_ASSERT_EQUAL(p->behaviour.transport.count, 0);
	CU_ASSERT_EQUAL(p->behaviour.late_writes.count, 1);
	ASSERT_CONTAINS(p->behaviour.late_writes.example, "the region was released");
	/* Once it was reported as something else; it is an error of the transport. */
	p->write_chunk.reported = true;
	read_by(MECH_WRITE_CHUNK, 0, 65536);
	read_by(MECH_INLINE, 0, 813);
	CU_ASSERT_EQUAL(p->behaviour.transport.count, 1);
	CU_ASSERT_EQUAL(p->behaviour.late_writes.count, 1);
	end();
}

static void missing_data_is_waited_for_a_few_times(void)
{
	unsigned int i;

	begin_faulty("write-chunk=stale");
	for (i = 0; i < 20; i++)
		read_by(MECH_WRITE_CHUNK, 0, 813);
	CU_ASSERT_EQUAL(outcome.kind, READ_STALE);
	CU_ASSERT_EQUAL(outcome.sign, SIGN_NONE);
	CU_ASSERT_EQUAL(p->write_chunk.order_waits, 8);
	end();
}

static void an_unused_chunk_differs_from_an_unwritten_one(void)
{
	static const uint32_t sizes[] = { 1, 3, 5, 812, 813, 3001 };
	size_t i;

	begin_faulty("chunk-unused");
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%u", sizes[i]);
		read_by(MECH_WRITE_CHUNK, 4097, sizes[i]);
		CU_ASSERT_EQUAL(outcome.kind, READ_INLINE);
		/* The bytes are compared. */
		w.bytes[4097] ^= 0x04;
		read_by(MECH_WRITE_CHUNK, 4097, sizes[i]);
		w.bytes[4097] ^= 0x04;
		CU_ASSERT_EQUAL(outcome.kind, READ_DATA);
	}
	read_by(MECH_WRITE_CHUNK, 4097, 65536 - 4097);
	CU_ASSERT_EQUAL(outcome.kind, READ_OK);
	end();
}

static void an_unused_reply_chunk_is_noticed(void)
{
	begin_faulty("foreign");
	read_by(MECH_REPLY_CHUNK, 0, 812);
	CU_ASSERT_EQUAL(outcome.kind, READ_INLINE);
	read_by(MECH_REPLY_CHUNK, 0, 65536);
	CU_ASSERT_EQUAL(outcome.kind, READ_OK);
	end();
}

static void the_last_bytes_are_reported_separately(void)
{
	begin_faulty("tail-unwritten");
	read_by(MECH_WRITE_CHUNK, 4097, 1023);
	CU_ASSERT_EQUAL(outcome.kind, READ_STALE);
	CU_ASSERT_EQUAL(outcome.sign, SIGN_TAIL);
	ASSERT_CONTAINS(outcome.text, "the last 3 of 1023 bytes are not written");
	read_by(MECH_WRITE_CHUNK, 4097, 1024);
	CU_ASSERT_EQUAL(outcome.kind, READ_OK);
	end();
}

/* As another call, and with chunks where the first had some. */
static void a_refused_call_is_retried(void)
{
	enum mechanism m;
	unsigned int i;

	begin_faulty("rdma-error=3");
	for (i = 0; i < 9; i++)
		for (m = MECH_INLINE; m < MECH_COUNT; m++) {
			read_by(m, 0, 813);
			CU_ASSERT_EQUAL(outcome.kind, READ_OK);
		}
	ASSERT_AT_LEAST(p->behaviour.refused.errors, 9);
	CU_ASSERT_EQUAL(p->behaviour.refused.recovered, p->behaviour.refused.errors);
	CU_ASSERT_EQUAL(p->behaviour.refused.lasting, 0);
	end();
}

static void retries_have_a_maximum(void)
{
	struct rpcrdma_call call = { .rc = -EBADE };
	unsigned int i, calls, tries = 0;

	begin();
	for (calls = 1; session_again(p, &call, &tries); calls++)
		;
	CU_ASSERT_EQUAL(calls, 4);
	CU_ASSERT_EQUAL(p->behaviour.refused.lasting, 1);
	CU_ASSERT_EQUAL(p->behaviour.refused.plain, 1);
	/* With a chunk that is reported elsewhere. */
	call.write_count = 1;
	for (i = 0; i < 7; i++)
		for (tries = 0; session_again(p, &call, &tries);)
			;
	CU_ASSERT_EQUAL(p->behaviour.refused.lasting, 8);
	CU_ASSERT_EQUAL(p->behaviour.refused.plain, 1);
	/* No retry helped. */
	tries = 0;
	CU_ASSERT_FALSE(session_again(p, &call, &tries));
	p->behaviour.refused.recovered = 1;
	CU_ASSERT_TRUE(session_again(p, &call, &tries));
	call.rc = 0;
	CU_ASSERT_FALSE(session_again(p, &call, &tries));
	CU_ASSERT_EQUAL(p->behaviour.refused.recovered, 2);
	end();
}

SUITE_MAIN("read", TEST(the_first_wrong_byte_is_named),
	   TEST(zeros_and_other_bytes_are_shown_from_there_on),
	   TEST(the_first_wrong_bytes_show_their_true_offset),
	   TEST(zeros_are_not_mistaken_for_the_start_of_the_page),
	   TEST(unwritten_needs_more_than_one_byte), TEST(a_lost_connection_counts_once),
	   TEST(data_after_the_reply_is_waited_for), TEST(a_late_write_is_not_a_transport_error),
	   TEST(missing_data_is_waited_for_a_few_times),
	   TEST(an_unused_chunk_differs_from_an_unwritten_one),
	   TEST(an_unused_reply_chunk_is_noticed), TEST(the_last_bytes_are_reported_separately),
	   TEST(a_refused_call_is_retried), TEST(retries_have_a_maximum))
