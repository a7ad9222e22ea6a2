/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* State that NFSv4 clients keep between calls: client ids, sessions with their slots, leases;
 * every table is bounded and recovers; and threads can share it. */
#include <pthread.h>

#include "tests/support/compound.h"
#include "tests/unit/suite.h"

static struct compound_test *t;

static void begin(void)
{
	CU_ASSERT_FATAL(compound_restart(t));
}

static uint64_t begin_session(void)
{
	uint64_t clientid = 0;

	begin();
	CU_ASSERT_EQUAL_FATAL(compound_session(t, "one", &clientid), NFS4_OK);
	return clientid;
}

static uint32_t sequence_alone(void)
{
	compound_sequence(t);
	return compound_run(t);
}

static uint32_t one_session_op(uint32_t op, const void *bytes, size_t len)
{
	compound_start(t, 1);
	writer_bytes(compound_op(t, op), bytes, len);
	return compound_run(t);
}

static uint32_t clientid_op(uint32_t minor, uint32_t op, uint64_t clientid)
{
	compound_start(t, minor);
	writer_u64(compound_op(t, op), clientid);
	return compound_run(t);
}

static uint32_t destroy_session(void)
{
	return one_session_op(OP_DESTROY_SESSION, t->session, sizeof(t->session));
}

/* Sessions */

static void a_session_is_created_and_destroyed(void)
{
	uint64_t clientid = begin_session();
	unsigned int i;

	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	for (i = 0; i < 2; i++) {
		SUITE_ROW("%u", i);
		compound_sequence(t);
		writer_bool(compound_op(t, OP_RECLAIM_COMPLETE), false);
		CU_ASSERT_EQUAL(compound_run(t), i ? NFS4ERR_COMPLETE_ALREADY : NFS4_OK);
	}
	CU_ASSERT_EQUAL(clientid_op(1, OP_DESTROY_CLIENTID, clientid), NFS4ERR_CLIENTID_BUSY);
	CU_ASSERT_EQUAL(destroy_session(), NFS4_OK);
	CU_ASSERT_EQUAL(destroy_session(), NFS4ERR_BADSESSION);
	CU_ASSERT_EQUAL(sequence_alone(), NFS4ERR_BADSESSION);
	CU_ASSERT_EQUAL(clientid_op(1, OP_DESTROY_CLIENTID, clientid), NFS4_OK);
	CU_ASSERT_EQUAL(clientid_op(1, OP_DESTROY_CLIENTID, clientid), NFS4ERR_STALE_CLIENTID);
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, 2, &compound_wishes),
			NFS4ERR_STALE_CLIENTID);
}

static void a_session_can_destroy_itself(void)
{
	unsigned int last;

	for (last = 0; last < 2; last++) {
		SUITE_ROW("last %u", last);
		begin_session();
		compound_sequence(t);
		writer_bytes(compound_op(t, OP_DESTROY_SESSION), t->session, sizeof(t->session));
		if (!last)
			compound_op(t, OP_PUTROOTFH);
		CU_ASSERT_EQUAL(compound_run(t), last ? NFS4_OK : NFS4ERR_NOT_ONLY_OP);
		CU_ASSERT_EQUAL(sequence_alone(), last ? NFS4ERR_BADSESSION : NFS4_OK);
	}
}

/* RFC 8881: which operations are allowed without a session, and how. */
static void operations_must_be_in_their_position(void)
{
	begin_session();
	compound_start(t, 1);
	compound_op(t, OP_PUTROOTFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_OP_NOT_IN_SESSION);
	CU_ASSERT_EQUAL(t->count, 1);
	compound_sequence(t);
	compound_op(t, OP_PUTROOTFH);
	writer_reserve(compound_op(t, OP_SEQUENCE), 32);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_SEQUENCE_POS);
	CU_ASSERT_EQUAL(t->count, 3);
	compound_start(t, 1);
	writer_u64(compound_op(t, OP_DESTROY_CLIENTID), 1);
	compound_op(t, OP_PUTROOTFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOT_ONLY_OP);
	compound_sequence(t);
	writer_reserve(compound_op(t, OP_BIND_CONN_TO_SESSION), 24);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOT_ONLY_OP);
	/* the limit of the session */
	compound_sequence(t);
	while (t->ops < NFS4_OPERATIONS + 1)
		compound_op(t, OP_PUTROOTFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_TOO_MANY_OPS);
	CU_ASSERT_EQUAL(t->count, 1);
	t->sequenceid--;
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
}

static void limits_never_exceed_the_request(void)
{
	static const struct nfs4_channel small = { 4096, 2048, 512, 3, 2 };
	struct reader *r = &t->results;
	uint64_t clientid;
	uint32_t sequenceid;

	begin();
	compound_exchange_id(t, "one", "verifier", 0, &clientid, &sequenceid);
	CU_ASSERT_EQUAL(sequenceid, 1);
	compound_create_session(t, clientid, 1, &compound_wishes);
	CU_ASSERT_EQUAL(reader_u32(r), 1);
	CU_ASSERT_EQUAL(reader_u32(r), 0); /* neither persistent nor a backchannel */
	CU_ASSERT_EQUAL(reader_u32(r), 0);
	/* Calls to a read-only export are short. */
	CU_ASSERT_EQUAL(reader_u32(r), SERVER_CALL_MAX);
	CU_ASSERT_EQUAL(reader_u32(r), NFS4_RESPONSE_MAX);
	CU_ASSERT_EQUAL(reader_u32(r), NFS4_CACHED_MAX);
	CU_ASSERT_EQUAL(reader_u32(r), NFS4_OPERATIONS);
	CU_ASSERT_EQUAL(reader_u32(r), NFS4_SLOTS);
	compound_create_session(t, clientid, 2, &small);
	reader_bytes(r, 12);
	ASSERT_BYTES(reader_bytes(r, 20), "\0\0\x10\0\0\0\x8\0\0\0\x2\0\0\0\0\3\0\0\0\2", 20);
}

static void too_small_a_session_is_refused(void)
{
	static const struct {
		struct nfs4_channel channel;
		uint32_t status;
	} rows[] = {
		{ { 100, 2048, 0, 3, 2 }, NFS4ERR_TOOSMALL },
		{ { 4096, 100, 0, 3, 2 }, NFS4ERR_TOOSMALL },
		{ { 4096, 2048, 0, 0, 2 }, NFS4ERR_INVAL },
		{ { 4096, 2048, 0, 3, 0 }, NFS4ERR_INVAL },
	};
	uint64_t clientid;
	uint32_t sequenceid, i;

	begin();
	compound_exchange_id(t, "one", "verifier", 0, &clientid, &sequenceid);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(
			compound_create_session(t, clientid, sequenceid + i, &rows[i].channel),
			rows[i].status);
	}
}

static void create_session_has_its_own_sequence(void)
{
	uint8_t first[NFS4_SESSIONID_SIZE];
	uint64_t clientid;
	uint32_t sequenceid;

	begin();
	compound_exchange_id(t, "one", "verifier", 0, &clientid, &sequenceid);
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, 0, &compound_wishes),
			NFS4ERR_SEQ_MISORDERED);
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, 2, &compound_wishes),
			NFS4ERR_SEQ_MISORDERED);
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, 1, &compound_wishes), 0);
	memcpy(first, t->session, sizeof(first));
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	/* again: the same session, not another */
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, 1, &compound_wishes), 0);
	ASSERT_BYTES(t->session, first, sizeof(first));
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, 2, &compound_wishes), 0);
	ASSERT_BYTES_DIFFER(t->session, first, sizeof(first));
	/* EXCHANGE_ID of the same client returns its sequence */
	compound_exchange_id(t, "one", "verifier", 0, &clientid, &sequenceid);
	CU_ASSERT_EQUAL(sequenceid, 3);
}

static void connections_are_bound_to_the_fore_channel(void)
{
	static const struct {
		uint32_t direction, status;
	} rows[] = { { CDFC4_FORE, 0 },
		     { CDFC4_FORE_OR_BOTH, 0 },
		     { CDFC4_BACK_OR_BOTH, 0 },
		     { CDFC4_BACK, NFS4ERR_INVAL } };
	size_t i;

	begin_session();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		compound_start(t, 1);
		writer_bytes(compound_op(t, OP_BIND_CONN_TO_SESSION), t->session, 16);
		writer_u32(&t->args, rows[i].direction);
		writer_bool(&t->args, false);
		CU_ASSERT_EQUAL(compound_run(t), rows[i].status);
		if (rows[i].status)
			continue;
		compound_result(t, OP_BIND_CONN_TO_SESSION);
		reader_bytes(&t->results, 16);
		CU_ASSERT_EQUAL(reader_u32(&t->results), CDFC4_FORE);
	}
}

/* Slots */

static void a_slot_takes_its_calls_in_order(void)
{
	begin_session();
	compound_sequence_as(t, 0); /* never used: nothing to repeat */
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_SEQ_MISORDERED);
	compound_sequence_as(t, 2);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_SEQ_MISORDERED);
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	compound_sequence_as(t, 3);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_SEQ_MISORDERED);
	t->slot = NFS4_SLOTS;
	compound_sequence_as(t, 1);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADSLOT);
	t->slot = NFS4_SLOTS - 1;
	compound_sequence_as(t, 1);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	put_be32(t->args.base + t->args.len - 8, NFS4_SLOTS); /* highest_slotid */
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BAD_HIGH_SLOT);
}

static void a_retry_gets_the_cached_reply(void)
{
	static uint8_t first[4096];
	size_t len;

	begin_session();
	t->cache = true;
	compound_sequence(t);
	compound_path(t, "data-813");
	compound_read(t, &compound_anonymous, 8, 301);
	compound_op(t, OP_GETFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	len = compound_flatten(&t->call, first, sizeof(first));
	memset(t->scratch, 0, sizeof(t->scratch));
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_EQUAL(t->call.payload_count, 1);
	CU_ASSERT_EQUAL(compound_flatten(&t->call, t->whole, sizeof(t->whole)), len);
	ASSERT_BYTES(t->whole, first, len);
	/* failures are cached as well */
	compound_sequence(t);
	compound_path(t, "none");
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(t->count, 3);
}

static void an_uncached_call_is_not_repeated(void)
{
	begin_session();
	compound_sequence(t);
	compound_path(t, "data-813");
	compound_read(t, &compound_anonymous, 8, 301);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RETRY_UNCACHED_REP);
	CU_ASSERT_EQUAL(t->count, 2);
	CU_ASSERT_EQUAL(t->call.payload_count, 0);
	CU_ASSERT_TRUE(compound_pass_sequence(t));
	/* SEQUENCE alone is */
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_TRUE(compound_pass_sequence(t));
}

static void a_different_call_is_not_a_retry(void)
{
	begin_session();
	t->cache = true;
	compound_sequence(t);
	compound_path(t, "data-813");
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_sequence_as(t, t->sequenceid);
	compound_path(t, "data-812");
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_SEQ_FALSE_RETRY);
	CU_ASSERT_EQUAL(t->count, 1);
}

static void replies_respect_session_limits(void)
{
	static const struct nfs4_channel small = { 512, 1024, 256, 32, 1 };
	uint64_t clientid;
	uint32_t sequenceid, count;

	begin();
	compound_exchange_id(t, "one", "verifier", 0, &clientid, &sequenceid);
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, 1, &small), NFS4_OK);
	for (count = 700; count < 1000; count++) {
		SUITE_ROW("count %u", count);
		compound_sequence(t);
		compound_path(t, "data-4096");
		compound_read(t, &compound_anonymous, 0, count);
		compound_run(t);
		ASSERT_AT_MOST(call_reply_length(&t->call), 1024);
		/* 24 RPC; 12, 44, 8, 8 and 16 before the data */
		CU_ASSERT_EQUAL(t->status,
				112 + xdr_pad4(count) > 1024 ? NFS4ERR_REP_TOO_BIG : NFS4_OK);
	}
	t->cache = true;
	compound_sequence(t);
	compound_path(t, "data-4096");
	compound_read(t, &compound_anonymous, 0, 200);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_REP_TOO_BIG_TO_CACHE);
	CU_ASSERT_EQUAL(t->count, 4);
	/* and calls */
	compound_sequence(t);
	compound_op(t, OP_LOOKUP);
	writer_u32(&t->args, 500);
	writer_reserve(&t->args, 500);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_REQ_TOO_BIG);
}

static void listings_respect_session_limits(void)
{
	static const struct nfs4_channel small = { 512, 2048, 256, 32, 1 };
	uint64_t clientid;
	uint32_t sequenceid;
	struct writer *w;

	begin();
	compound_exchange_id(t, "one", "verifier", 0, &clientid, &sequenceid);
	compound_create_session(t, clientid, 1, &small);
	compound_sequence(t);
	compound_path(t, "entries-2000");
	w = compound_op(t, OP_READDIR);
	writer_reserve(w, 16);
	memset(w->base + w->len - 16, 0, 16);
	writer_u32(w, 8192);
	writer_u32(w, 8192);
	writer_u32(w, 0);
	compound_op(t, OP_GETFH);
	/* As many entries as fit, and no room for the operation after them. */
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_REP_TOO_BIG);
	CU_ASSERT_EQUAL(t->count, 5);
	ASSERT_AT_MOST(t->call.reply.len, 2048);
	ASSERT_MORE(t->call.reply.len, 2000);
}

/* Clients of 4.1 */

static void a_restarted_client_loses_its_state(void)
{
	uint64_t old = begin_session(), new;
	uint8_t session[NFS4_SESSIONID_SIZE];
	uint32_t sequenceid;

	memcpy(session, t->session, sizeof(session));
	CU_ASSERT_EQUAL(compound_exchange_id(t, "one", "restart!", 0, &new, &sequenceid), 0);
	CU_ASSERT_NOT_EQUAL(old, new);
	/* not before it is confirmed */
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	CU_ASSERT_EQUAL(compound_create_session(t, new, sequenceid, &compound_wishes), 0);
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	memcpy(t->session, session, sizeof(session));
	CU_ASSERT_EQUAL(sequence_alone(), NFS4ERR_BADSESSION);
	CU_ASSERT_EQUAL(clientid_op(1, OP_DESTROY_CLIENTID, old), NFS4ERR_STALE_CLIENTID);
}

static void state_in_use_cannot_be_taken_over(void)
{
	uint64_t clientid;
	uint32_t sequenceid;

	begin_session();
	t->cred = (struct rpc_cred){ .flavor = RPC_AUTH_SYS, .uid = 1000 };
	CU_ASSERT_EQUAL(compound_exchange_id(t, "one", "another!", 0, &clientid, &sequenceid),
			NFS4ERR_CLID_INUSE);
	CU_ASSERT_EQUAL(compound_exchange_id(t, "one", "verifier",
					     EXCHGID4_FLAG_UPD_CONFIRMED_REC_A, &clientid,
					     &sequenceid),
			NFS4ERR_PERM);
	CU_ASSERT_EQUAL(compound_exchange_id(t, "two", "verifier", 0, &clientid, &sequenceid), 0);
}

static void an_update_needs_a_confirmed_record(void)
{
	const uint32_t update = EXCHGID4_FLAG_UPD_CONFIRMED_REC_A;
	uint64_t clientid = begin_session(), got;
	uint32_t sequenceid;

	CU_ASSERT_EQUAL(compound_exchange_id(t, "two", "verifier", update, &got, &sequenceid),
			NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(compound_exchange_id(t, "one", "restart!", update, &got, &sequenceid),
			NFS4ERR_NOT_SAME);
	CU_ASSERT_EQUAL(compound_exchange_id(t, "one", "verifier", update, &got, &sequenceid), 0);
	CU_ASSERT_EQUAL(got, clientid);
	CU_ASSERT_EQUAL(reader_u32(&t->results),
			EXCHGID4_FLAG_USE_NON_PNFS | EXCHGID4_FLAG_CONFIRMED_R);
	/* flags that do not exist */
	CU_ASSERT_EQUAL(compound_exchange_id(t, "one", "verifier", 0x80000000, &got, &sequenceid),
			NFS4ERR_INVAL);
}

/* Leases and limits */

static void an_expired_lease_ends_everything(void)
{
	unsigned int i;

	begin_session();
	for (i = 0; i < 5; i++) {
		SUITE_ROW("%u", i);
		compound_wait(NFS4_LEASE_SECONDS - 1);
		CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	}
	compound_wait(NFS4_LEASE_SECONDS + 1);
	CU_ASSERT_EQUAL(sequence_alone(), NFS4ERR_BADSESSION);
}

static void name_of(unsigned int i, char name[16])
{
	snprintf(name, 16, "client %u", i);
}

static void clients_are_limited_and_recover(void)
{
	uint64_t clientid;
	uint32_t sequenceid;
	char name[16];
	unsigned int i;

	begin();
	for (i = 0; i < NFS4_CLIENTS; i++) {
		SUITE_ROW("%u", i);
		name_of(i, name);
		CU_ASSERT_EQUAL(compound_session(t, name, &clientid), NFS4_OK);
	}
	CU_ASSERT_EQUAL(compound_exchange_id(t, "more", "verifier", 0, &clientid, &sequenceid),
			NFS4ERR_DELAY);
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	/* only the last one is renewed */
	compound_wait(NFS4_LEASE_SECONDS / 2 + 1);
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
	compound_wait(NFS4_LEASE_SECONDS / 2 + 1);
	for (i = 0; i < NFS4_CLIENTS - 1; i++) {
		SUITE_ROW("%u", i);
		name_of(1000 + i, name);
		CU_ASSERT_EQUAL(compound_session(t, name, &clientid), NFS4_OK);
	}
	CU_ASSERT_EQUAL(compound_session(t, "more", &clientid), NFS4ERR_DELAY);
}

static void unconfirmed_clients_do_not_block_others(void)
{
	uint64_t clientid;
	uint32_t sequenceid;
	char name[16];
	unsigned int i;

	begin();
	for (i = 0; i < 10 * NFS4_CLIENTS; i++) {
		SUITE_ROW("%u", i);
		name_of(i, name);
		CU_ASSERT_EQUAL(
			compound_exchange_id(t, name, "verifier", 0, &clientid, &sequenceid),
			NFS4_OK);
	}
	CU_ASSERT_EQUAL(compound_session(t, "one", &clientid), NFS4_OK);
	CU_ASSERT_EQUAL(sequence_alone(), NFS4_OK);
}

static void sessions_are_limited_for_each_client(void)
{
	uint64_t clientid;
	uint32_t sequenceid, i;

	begin();
	compound_exchange_id(t, "one", "verifier", 0, &clientid, &sequenceid);
	for (i = 0; i < NFS4_CLIENT_SESSIONS; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(
			compound_create_session(t, clientid, sequenceid + i, &compound_wishes),
			NFS4_OK);
	}
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, sequenceid + i, &compound_wishes),
			NFS4ERR_DELAY);
	CU_ASSERT_EQUAL(destroy_session(), NFS4_OK);
	/* with the same number: DELAY was not an answer */
	CU_ASSERT_EQUAL(compound_create_session(t, clientid, sequenceid + i, &compound_wishes),
			NFS4_OK);
}

/* Arguments of the session operations, cut at every length */

static void put_session_op(uint32_t op)
{
	struct writer *w;

	compound_start(t, 1);
	w = compound_op(t, op);
	if (op == OP_EXCHANGE_ID) {
		writer_u64(w, 1);
		compound_name(t, "one");
		writer_u32(w, 0);
		writer_u32(w, SP4_NONE);
		writer_u32(w, 1);
		compound_name(t, "domain");
		compound_name(t, "name");
		writer_reserve(w, 12);
	} else if (op == OP_CREATE_SESSION) {
		writer_u64(w, 1);
		writer_u64(w, 0);
		compound_channel(w, &compound_wishes);
		compound_channel(w, &compound_wishes);
		writer_u32(w, 0);
		writer_u32(w, 3);
		writer_u32(w, RPC_AUTH_NONE);
		writer_u32(w, RPC_AUTH_SYS);
		writer_u32(w, 0);
		compound_name(t, "machine");
		writer_u64(w, 0);
		writer_u32(w, 2);
		writer_u64(w, 0);
		writer_u32(w, RPCSEC_GSS);
		writer_u32(w, 0);
		compound_name(t, "a");
		compound_name(t, "b");
	} else {
		writer_reserve(w, op == OP_SEQUENCE           ? 32
				  : op == OP_DESTROY_CLIENTID ? 8
				  : op == OP_DESTROY_SESSION  ? 16
							      : 24);
		memset(w->base + 4, 0, w->len - 4);
	}
}

static void truncated_session_operations_are_bad_xdr(void)
{
	static const uint32_t ops[] = { OP_EXCHANGE_ID,     OP_CREATE_SESSION,
					OP_DESTROY_SESSION, OP_DESTROY_CLIENTID,
					OP_SEQUENCE,        OP_BIND_CONN_TO_SESSION };
	size_t i, len, end;

	begin();
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		SUITE_ROW("%zu: %u", i, ops[i]);
		put_session_op(ops[i]);
		end = t->args.len;
		for (len = 4; len < end; len++) {
			SUITE_ROW("len %zu", len);
			t->args.len = len;
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
		}
		t->args.len = end;
		CU_ASSERT_NOT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
	}
	/* protection that does not exist */
	put_session_op(OP_EXCHANGE_ID);
	put_be32(t->args.base + 4 + 8 + 8 + 4, SP4_MACH_CRED);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_INVAL);
	put_be32(t->args.base + 4 + 8 + 8 + 4, SP4_SSV);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_ENCR_ALG_UNSUPP);
	put_be32(t->args.base + 4 + 8 + 8 + 4, 3);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
}

/* Threads */

static void *hammer(void *arg)
{
	struct compound_test *own = arg;
	uint64_t clientid;
	char name[32];
	unsigned int i, j, good = 0;

	for (i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "thread %p %u", arg, i % 3);
		if (compound_session(own, name, &clientid))
			continue;
		for (j = 0; j < 10; j++) {
			compound_sequence(own);
			compound_path(own, "data-813");
			compound_read(own, &compound_anonymous, 0, 813);
			good += compound_run(own) == NFS4_OK;
		}
		compound_start(own, 1);
		writer_bytes(compound_op(own, OP_DESTROY_SESSION), own->session, 16);
		good += compound_run(own) == NFS4_OK;
	}
	own->count = good;
	return NULL;
}

static void threads_share_the_state(void)
{
	struct compound_test *all[4];
	pthread_t threads[4];
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		SUITE_ROW("%zu", i);
		all[i] = calloc(1, sizeof(*all[i]));
		all[i]->exp = t->exp;
		all[i]->state = t->state;
		CU_ASSERT_EQUAL(pthread_create(&threads[i], NULL, hammer, all[i]), 0);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		SUITE_ROW("%zu", i);
		pthread_join(threads[i], NULL);
		CU_ASSERT_EQUAL(all[i]->count, 50 * 11);
		free(all[i]);
	}
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(a_session_is_created_and_destroyed),
		TEST(a_session_can_destroy_itself),
		TEST(operations_must_be_in_their_position),
		TEST(limits_never_exceed_the_request),
		TEST(too_small_a_session_is_refused),
		TEST(create_session_has_its_own_sequence),
		TEST(connections_are_bound_to_the_fore_channel),
		TEST(a_slot_takes_its_calls_in_order),
		TEST(a_retry_gets_the_cached_reply),
		TEST(an_uncached_call_is_not_repeated),
		TEST(a_different_call_is_not_a_retry),
		TEST(replies_respect_session_limits),
		TEST(listings_respect_session_limits),
		TEST(a_restarted_client_loses_its_state),
		TEST(state_in_use_cannot_be_taken_over),
		TEST(an_update_needs_a_confirmed_record),
		TEST(an_expired_lease_ends_everything),
		TEST(clients_are_limited_and_recover),
		TEST(unconfirmed_clients_do_not_block_others),
		TEST(sessions_are_limited_for_each_client),
		TEST(truncated_session_operations_are_bad_xdr),
		TEST(threads_share_the_state),
	};
	int rc;

	t = compound_new();
	if (!t)
		return 2;
	rc = suite_run("server-nfs4-sessions", tests, ARRAY_SIZE(tests));
	compound_free(t);
	return rc;
}
