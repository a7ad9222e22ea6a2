/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* rpcrdma/wire/rpc.c */
#include "rpcrdma/wire/wire.h"
#include "tests/unit/suite.h"

struct frame {
	uint8_t bytes[512];
	struct writer w;
};

static void frame_words(struct frame *f, const uint32_t *words, size_t count)
{
	size_t i;

	writer_init(&f->w, f->bytes, sizeof(f->bytes));
	for (i = 0; i < count; i++)
		writer_u32(&f->w, words[i]);
}

#define FRAME_WORDS(f, ...)                               \
	frame_words(f, (const uint32_t[]){ __VA_ARGS__ }, \
		    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

/* From a buffer of exactly that size, so that a sanitizer detects a read past the end. */
static int decode_call(struct rpc_call *call, const struct frame *f, size_t len, size_t *left)
{
	_cleanup_free_ uint8_t *exact = malloc(len ? len : 1);
	struct reader r;
	int rc;

	memcpy(exact, f->bytes, len);
	reader_init(&r, exact, len);
	rc = rpc_call_decode(call, &r);
	*left = reader_left(&r);
	return rc;
}

static int decode_reply(struct rpc_reply *reply, const struct frame *f, size_t len, size_t *left)
{
	_cleanup_free_ uint8_t *exact = malloc(len ? len : 1);
	struct reader r;
	int rc;

	memcpy(exact, f->bytes, len);
	reader_init(&r, exact, len);
	rc = rpc_reply_decode(reply, &r);
	*left = reader_left(&r);
	return rc;
}

static void encode_call(struct frame *f, const struct rpc_call *call)
{
	writer_init(&f->w, f->bytes, sizeof(f->bytes));
	rpc_call_encode(&f->w, call);
	CU_ASSERT_FALSE(f->w.bad);
}

static struct rpc_call sys_call(uint32_t ngids)
{
	struct rpc_call call = {
		.xid = 0x11223344,
		.prog = 100003,
		.vers = 3,
		.proc = 6,
		.cred = { .flavor = RPC_AUTH_SYS, .uid = 36, .gid = 37, .ngids = ngids },
	};
	uint32_t i;

	for (i = 0; i < ngids && i < RPC_GIDS_MAX; i++)
		call.cred.gids[i] = 1000 + i;
	return call;
}

static void null_call_without_credential_is_ten_words(void)
{
	static const uint8_t want[40] = { 0x11, 0x22, 0x33, 0x44, 0,    0,    0, 0, 0, 0,
					  0,    2,    0,    1,    0x86, 0xa3, 0, 0, 0, 3 };
	const struct rpc_call call = { .xid = 0x11223344, .prog = 100003, .vers = 3 };
	struct frame f;

	encode_call(&f, &call);
	CU_ASSERT_EQUAL(f.w.len, sizeof(want));
	ASSERT_BYTES(f.bytes, want, sizeof(want));
}

static void identity_survives_with_any_number_of_groups(void)
{
	struct rpc_call got;
	struct frame f;
	uint32_t n;
	size_t left;

	for (n = 0; n <= RPC_GIDS_MAX; n++) {
		const struct rpc_call call = sys_call(n);
		SUITE_ROW("n %u", n);

		encode_call(&f, &call);
		writer_u32(&f.w, 0xdeadbeef); /* the arguments */
		CU_ASSERT_EQUAL(decode_call(&got, &f, f.w.len, &left), 0);
		CU_ASSERT_EQUAL(left, 4);
		CU_ASSERT_EQUAL(got.xid, 0x11223344);
		CU_ASSERT_EQUAL(got.rpcvers, 2);
		CU_ASSERT_EQUAL(got.prog, 100003);
		CU_ASSERT_EQUAL(got.vers, 3);
		CU_ASSERT_EQUAL(got.proc, 6);
		ASSERT_BYTES(&got.cred, &call.cred, sizeof(call.cred));
	}
}

static void more_groups_than_auth_sys_has_are_left_out(void)
{
	const struct rpc_call call = sys_call(UINT32_MAX);
	struct rpc_call got;
	struct frame f;
	size_t left;

	encode_call(&f, &call);
	CU_ASSERT_EQUAL(decode_call(&got, &f, f.w.len, &left), 0);
	CU_ASSERT_EQUAL(got.cred.ngids, RPC_GIDS_MAX);
}

static void truncated_calls_are_refused(void)
{
	const struct rpc_call call = sys_call(RPC_GIDS_MAX);
	struct rpc_call got;
	struct frame f;
	size_t len, left;

	encode_call(&f, &call);
	for (len = 0; len < f.w.len; len++) {
		SUITE_ROW("len %zu", len);
		CU_ASSERT_EQUAL(decode_call(&got, &f, len, &left), -EBADMSG);
	}
	CU_ASSERT_EQUAL(decode_call(&got, &f, len, &left), 0);
}

static void other_flavours_keep_only_their_number(void)
{
	struct rpc_call got;
	struct frame f;
	size_t left;

	FRAME_WORDS(&f, 1, RPC_CALL, 2, 3, 4, 5, RPCSEC_GSS, 8, 9, 9, 77, 4, 9);
	CU_ASSERT_EQUAL(decode_call(&got, &f, f.w.len, &left), 0);
	CU_ASSERT_EQUAL(left, 0);
	CU_ASSERT_EQUAL(got.cred.flavor, RPCSEC_GSS);
	CU_ASSERT_EQUAL(got.cred.uid, 0);
	CU_ASSERT_EQUAL(got.cred.ngids, 0);
}

static void malformed_credentials_are_refused(void)
{
	/* the words from the credential's length on; the rest of the frame is zeros */
	static const uint32_t cases[][6] = {
		{ 404 }, /* over 400 bytes */
		{ 0xffffffff },
		{ 0 },          /* AUTH_SYS without a body */
		{ 20, 0, 256 }, /* machine name over 255 bytes */
		{ 20, 0, 0xfffffffc },
		{ 20, 0, 4, 'n' << 24, 0, 0 }, /* no room for the groups' number */
		{ 20, 0, 0, 36, 36, 17 },      /* 17 groups */
		{ 20, 0, 0, 36, 36, 0xffffffff },
		{ 20, 0, 0, 36, 36, 1 }, /* a group outside the body */
	};
	struct rpc_call got;
	struct frame f;
	size_t i, j, left;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu", i);
		FRAME_WORDS(&f, 1, RPC_CALL, 2, 3, 4, 5, RPC_AUTH_SYS);
		for (j = 0; j < ARRAY_SIZE(cases[i]); j++)
			writer_u32(&f.w, cases[i][j]);
		memset(writer_reserve(&f.w, 300), 0, 300);
		CU_ASSERT_EQUAL(decode_call(&got, &f, f.w.len, &left), -EBADMSG);
	}
}

static void an_overlong_verifier_is_refused(void)
{
	struct rpc_call got;
	struct frame f;
	size_t left;

	FRAME_WORDS(&f, 1, RPC_CALL, 2, 3, 4, 5, 0, 0, 0, 404);
	memset(writer_reserve(&f.w, 404), 0, 404);
	CU_ASSERT_EQUAL(decode_call(&got, &f, f.w.len, &left), -EBADMSG);
	put_be32(f.bytes + 36, 400);
	CU_ASSERT_EQUAL(decode_call(&got, &f, f.w.len, &left), 0);
	CU_ASSERT_EQUAL(left, 4);
}

static void call_of_another_rpc_version_is_not_decoded_further(void)
{
	struct rpc_call got;
	struct frame f;
	size_t left;

	FRAME_WORDS(&f, 7, RPC_CALL, 3);
	CU_ASSERT_EQUAL(decode_call(&got, &f, f.w.len, &left), 0);
	CU_ASSERT_EQUAL(got.xid, 7);
	CU_ASSERT_EQUAL(got.rpcvers, 3);
	CU_ASSERT_EQUAL(got.prog, 0);
}

static void calls_and_replies_are_not_confused(void)
{
	struct rpc_reply reply;
	struct rpc_call call;
	struct frame f;
	size_t left;

	FRAME_WORDS(&f, 1, RPC_REPLY, 2, 3, 4, 5, 0, 0, 0, 0);
	CU_ASSERT_EQUAL(decode_call(&call, &f, f.w.len, &left), -EBADMSG);
	FRAME_WORDS(&f, 1, RPC_CALL, 0, 0, 0, 0);
	CU_ASSERT_EQUAL(decode_reply(&reply, &f, f.w.len, &left), -EBADMSG);
	FRAME_WORDS(&f, 1, 2, 0, 0, 0, 0);
	CU_ASSERT_EQUAL(decode_reply(&reply, &f, f.w.len, &left), -EBADMSG);
	FRAME_WORDS(&f, 1, RPC_REPLY, 2, 0, 0, 0);
	CU_ASSERT_EQUAL(decode_reply(&reply, &f, f.w.len, &left), -EBADMSG);
}

static const struct reply_case {
	struct rpc_reply reply;
	size_t len;
	int rc;
	const char *text;
} replies[] = {
	{ { .xid = 9 }, 24, 0, "" },
	{ { .accept_stat = RPC_PROG_UNAVAIL }, 24, -EOPNOTSUPP, "program" },
	{ { .accept_stat = RPC_PROG_MISMATCH, .low = 3, .high = 4 }, 32, -EOPNOTSUPP, "3 to 4" },
	{ { .accept_stat = RPC_PROC_UNAVAIL }, 24, -EOPNOTSUPP, "procedure" },
	{ { .accept_stat = RPC_GARBAGE_ARGS }, 24, -EINVAL, "arguments" },
	{ { .accept_stat = RPC_SYSTEM_ERR }, 24, -EREMOTEIO, "system error" },
	{ { .accept_stat = 6 }, 24, -EPROTO, "6" },
	{ { .accept_stat = 0xffffffff }, 24, -EPROTO, "4294967295" },
	{ { .reply_stat = RPC_MSG_DENIED, .reject_stat = RPC_MISMATCH, .low = 2, .high = 2 },
	  24,
	  -EPROTO,
	  "2 to 2" },
	{ { .reply_stat = RPC_MSG_DENIED, .reject_stat = RPC_AUTH_ERROR, .auth_stat = 5 },
	  20,
	  -EACCES,
	  "AUTH_TOOWEAK" },
	{ { .reply_stat = RPC_MSG_DENIED, .reject_stat = RPC_AUTH_ERROR, .auth_stat = 8 },
	  20,
	  -EACCES,
	  "8" },
	{ { .reply_stat = RPC_MSG_DENIED, .reject_stat = RPC_AUTH_ERROR, .auth_stat = ~0u },
	  20,
	  -EACCES,
	  "4294967295" },
	{ { .reply_stat = RPC_MSG_DENIED, .reject_stat = 2 }, 20, -EPROTO, "2" },
};

static void replies_decode_with_their_errors(void)
{
	struct rpc_reply got;
	struct frame f;
	size_t i, left;

	for (i = 0; i < ARRAY_SIZE(replies); i++) {
		const struct reply_case *c = &replies[i];
		SUITE_ROW("%zu: %s", i, replies[i].text);

		err_clear();
		writer_init(&f.w, f.bytes, sizeof(f.bytes));
		rpc_reply_encode(&f.w, &c->reply);
		CU_ASSERT_EQUAL(f.w.len, c->len);
		CU_ASSERT_EQUAL(decode_reply(&got, &f, f.w.len, &left), 0);
		CU_ASSERT_EQUAL(left, 0);
		CU_ASSERT_EQUAL(got.verf != NULL, got.reply_stat == RPC_MSG_ACCEPTED);
		got.verf = NULL;
		ASSERT_BYTES(&got, &c->reply, sizeof(got));
		CU_ASSERT_EQUAL(rpc_reply_check(&got), c->rc);
		ASSERT_CONTAINS(err_text(), c->text);
	}
}

static void truncated_replies_are_refused(void)
{
	struct rpc_reply got;
	struct frame f;
	size_t i, len, left;

	for (i = 0; i < ARRAY_SIZE(replies); i++) {
		SUITE_ROW("%zu: %s", i, replies[i].text);
		writer_init(&f.w, f.bytes, sizeof(f.bytes));
		rpc_reply_encode(&f.w, &replies[i].reply);
		for (len = 0; len < f.w.len; len++) {
			SUITE_ROW("len %zu", len);
			CU_ASSERT_EQUAL(decode_reply(&got, &f, len, &left), -EBADMSG);
		}
	}
}

static void the_verifier_of_a_reply_is_returned(void)
{
	struct rpc_reply got;
	struct frame f;
	struct reader r;
	size_t left;

	FRAME_WORDS(&f, 1, RPC_REPLY, RPC_MSG_ACCEPTED, RPCSEC_GSS, 5, 9, 9, RPC_SUCCESS, 42);
	CU_ASSERT_EQUAL(decode_reply(&got, &f, f.w.len, &left), 0);
	CU_ASSERT_EQUAL(got.accept_stat, RPC_SUCCESS);
	CU_ASSERT_EQUAL(left, 4);
	reader_init(&r, f.bytes, f.w.len);
	CU_ASSERT_EQUAL(rpc_reply_decode(&got, &r), 0);
	CU_ASSERT_EQUAL(got.verf_flavor, RPCSEC_GSS);
	CU_ASSERT_EQUAL(got.verf_len, 5);
	CU_ASSERT_PTR_EQUAL(got.verf, f.bytes + 20);
	put_be32(f.bytes + 16, 404);
	CU_ASSERT_EQUAL(decode_reply(&got, &f, f.w.len, &left), -EBADMSG);
	put_be32(f.bytes + 16, 0xffffffff);
	CU_ASSERT_EQUAL(decode_reply(&got, &f, f.w.len, &left), -EBADMSG);
}

/* Of an unknown flavour, with verifier: it is returned unchanged. */
static void raw_credential_and_verifier_can_be_sent(void)
{
	uint8_t again[256];
	struct rpc_call got;
	struct frame f;
	struct reader r;
	struct writer w;

	FRAME_WORDS(&f, 1, RPC_CALL, 2, 100003, 3, 6, 77, 5, 0x01020304, 0x05000000, 78, 2,
		    0x06070000, 42);
	reader_init(&r, f.bytes, f.w.len);
	CU_ASSERT_EQUAL(rpc_call_decode(&got, &r), 0);
	CU_ASSERT_PTR_EQUAL(got.auth, f.bytes + 24);
	CU_ASSERT_EQUAL(got.auth_len, 28);
	CU_ASSERT_EQUAL(reader_left(&r), 4);
	writer_init(&w, again, sizeof(again));
	rpc_call_encode(&w, &got);
	CU_ASSERT_EQUAL(w.len, f.w.len - 4);
	ASSERT_BYTES(again, f.bytes, w.len);
}

SUITE_MAIN("rpc", TEST(null_call_without_credential_is_ten_words),
	   TEST(identity_survives_with_any_number_of_groups),
	   TEST(more_groups_than_auth_sys_has_are_left_out), TEST(truncated_calls_are_refused),
	   TEST(other_flavours_keep_only_their_number), TEST(malformed_credentials_are_refused),
	   TEST(an_overlong_verifier_is_refused),
	   TEST(call_of_another_rpc_version_is_not_decoded_further),
	   TEST(calls_and_replies_are_not_confused), TEST(replies_decode_with_their_errors),
	   TEST(truncated_replies_are_refused), TEST(the_verifier_of_a_reply_is_returned),
	   TEST(raw_credential_and_verifier_can_be_sent))
