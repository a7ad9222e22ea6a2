/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A client and its session, against tests/wire/nfs4/session-*.hex. */
#include "rpcrdma/nfs/version-internal.h"
#include "rpcrdma/wire/wire.h"
#include "tests/unit/nfs4-request.h"

#define CLIENT 0x1122334455667788

static ssize_t exchange_id(void *buf, size_t cap)
{
	return nfs4_args_exchange_id(buf, cap, 1, golden_values.verifier, "nfsrdma probe 1");
}

static ssize_t create_session(void *buf, size_t cap)
{
	struct nfs4_create_session create = { .clientid = CLIENT,
					      .sequenceid = 5,
					      .requests = 16,
					      .request_size = 4096,
					      .response_size = 1052672,
					      .operations = 8 };

	return nfs4_args_create_session(buf, cap, 2, &create);
}

static ssize_t reclaim_complete(void *buf, size_t cap)
{
	return nfs4_args_reclaim_complete(buf, cap, 1, &golden_values.sequence);
}

static ssize_t destroy_session(void *buf, size_t cap)
{
	return nfs4_args_destroy_session(buf, cap, 2, golden_values.sequence.sessionid);
}

static ssize_t destroy_clientid(void *buf, size_t cap)
{
	return nfs4_args_destroy_clientid(buf, cap, 1, CLIENT);
}

static ssize_t version(void *buf, size_t cap)
{
	return nfs4_args_version(buf, cap, 2);
}

static const struct {
	const char *name;
	ssize_t (*encode)(void *buf, size_t cap);
} calls[] = {
	{ "exchange-id", exchange_id },           { "create-session", create_session },
	{ "reclaim-complete", reclaim_complete }, { "destroy-session", destroy_session },
	{ "destroy-clientid", destroy_clientid }, { "version", version },
};

static ssize_t encode_named(const struct golden *g, void *buf, size_t cap)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (!strncmp(g->text, calls[i].name, strcspn(g->text, "\n")))
			return calls[i].encode(buf, cap);
	return -ENOENT;
}

static void check_call(const struct golden *g)
{
	uint8_t buf[NFS_ARGS_MAX + 1];
	ssize_t len = encode_named(g, buf, g->len);
	size_t cap;

	CU_ASSERT_EQUAL(len, (ssize_t)g->len);
	ASSERT_BYTES(buf, g->bytes, g->len);
	for (cap = 0; cap < g->len; cap++) {
		SUITE_ROW("cap %zu", cap);
		buf[cap] = 0xa5;
		CU_ASSERT_EQUAL(encode_named(g, buf, cap), -ENOBUFS);
		CU_ASSERT_EQUAL(buf[cap], 0xa5);
	}
}

static void calls_match_the_wire_vectors(void)
{
	CU_ASSERT_EQUAL(golden_each("nfs4/session-call-*.hex", check_call), ARRAY_SIZE(calls));
}

static void an_owner_has_1_to_1024_bytes(void)
{
	char owner[NFS4_OPAQUE_LIMIT + 2];
	uint8_t buf[2048];

	memset(owner, 'o', sizeof(owner));
	owner[NFS4_OPAQUE_LIMIT + 1] = '\0';
	CU_ASSERT_EQUAL(nfs4_args_exchange_id(buf, sizeof(buf), 1, golden_values.verifier, owner),
			-EINVAL);
	CU_ASSERT_EQUAL(nfs4_args_exchange_id(buf, sizeof(buf), 1, golden_values.verifier, ""),
			-EINVAL);
	owner[NFS4_OPAQUE_LIMIT] = '\0';
	CU_ASSERT_EQUAL(nfs4_args_exchange_id(buf, sizeof(buf), 1, golden_values.verifier, owner),
			12 + 4 + 8 + 4 + 1024 + 12);
}

static int any_exchange_id(struct reader *r, char *text, size_t cap)
{
	struct nfs4_exchange_id_res res;
	int rc = nfs4_res_exchange_id(&res, r);
	int len;

	len = snprintf(text, cap, "EXCHANGE_ID\nstatus %s\n", nfs4_status_text(res.status));
	if (!rc && !res.status)
		snprintf(text + len, cap - (size_t)len,
			 "client %llx sequence %u flags %08x\n"
			 "scope '%s' domain '%s' implementation '%s'\n",
			 (unsigned long long)res.clientid, res.sequenceid, res.flags, res.scope,
			 res.domain, res.implementation);
	return rc;
}

static int any_create_session(struct reader *r, char *text, size_t cap)
{
	struct nfs4_create_session_res res;
	int rc = nfs4_res_create_session(&res, r);
	char hex[64];
	int len;

	len = snprintf(text, cap, "CREATE_SESSION\nstatus %s\n", nfs4_status_text(res.status));
	hex_text(res.sessionid, sizeof(res.sessionid), hex, sizeof(hex));
	if (!rc && !res.status)
		snprintf(text + len, cap - (size_t)len,
			 "session %s slots %u sizes %u %u operations %u\n", hex, res.requests,
			 res.request_size, res.response_size, res.operations);
	return rc;
}

static int decode_copy(const struct golden *g, size_t len, char *text, size_t cap)
{
	bool exchange = !strncmp(g->text, "EXCHANGE_ID", strlen("EXCHANGE_ID"));
	uint8_t *copy = malloc(len ? len : 1);
	struct reader r;
	int rc;

	if (!copy)
		abort();
	memcpy(copy, g->bytes, len);
	reader_init(&r, copy, len);
	rc = exchange ? any_exchange_id(&r, text, cap) : any_create_session(&r, text, cap);
	if (!rc)
		CU_ASSERT_EQUAL(reader_left(&r), 0);
	free(copy);
	return rc;
}

static void check_reply(const struct golden *g)
{
	char text[256], cut[256];
	struct reader r;
	uint32_t status;
	size_t len;

	CU_ASSERT_EQUAL(decode_copy(g, g->len, text, sizeof(text)), 0);
	CU_ASSERT_STRING_EQUAL(text, g->text);
	for (len = 0; len < g->len; len++) {
		SUITE_ROW("len %zu", len);
		CU_ASSERT_EQUAL(decode_copy(g, len, cut, sizeof(cut)), -EBADMSG);
	}
	reader_init(&r, g->bytes, g->len);
	CU_ASSERT_EQUAL(nfs4_res_status(&status, &r), 0);
	CU_ASSERT_EQUAL(status, get_be32(g->bytes));
	for (len = 0; len < 12; len++) {
		SUITE_ROW("len %zu", len);
		reader_init(&r, g->bytes, len);
		CU_ASSERT_EQUAL(nfs4_res_status(&status, &r), -EBADMSG);
	}
}

static void replies_match_the_wire_vectors_and_truncation_is_refused(void)
{
	golden_each("nfs4/session-reply-*.hex", check_reply);
}

/* Offsets in the golden files: each of those words changed makes a reply that is refused. */
static const struct {
	const char *file;
	size_t at;
	uint32_t word;
} wrong[] = {
	{ "exchange-id", 0, NFS4ERR_DELAY }, /* the COMPOUND's, not the operation's */
	{ "exchange-id", 8, 0 },
	{ "exchange-id", 8, 2 },
	{ "exchange-id", 12, OP_CREATE_SESSION },
	{ "exchange-id", 36, 1 }, /* SP4_MACH_CRED */
	{ "exchange-id", 48, NFS4_OPAQUE_LIMIT + 1 },
	{ "exchange-id", 88, 2 }, /* two implementations */
	{ "exchange-id-delay", 16, 0 },
	{ "create-session", 12, OP_EXCHANGE_ID },
	{ "create-session", 64, 0 }, /* no slot */
	{ "create-session", 68, 2 }, /* two IRDs */
	{ "create-session-mismatch", 0, 0 },
};

static void replies_to_other_calls_are_refused(void)
{
	const char *tests = getenv("NFSRDMA_TESTS");
	char path[PATH_MAX], text[256];
	struct golden g;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		SUITE_ROW("%zu: %s, word at %zu", i, wrong[i].file, wrong[i].at);
		snprintf(path, sizeof(path), "%s/wire/nfs4/session-reply-%s.hex",
			 tests ? tests : "tests", wrong[i].file);
		CU_ASSERT_FATAL(golden_read(&g, path));
		put_be32(g.bytes + wrong[i].at, wrong[i].word);
		rc = decode_copy(&g, g.len, text, sizeof(text));
		if (rc != -EBADMSG)
			suite_saw("%s", text);
		CU_ASSERT_EQUAL(rc, -EBADMSG);
	}
}

SUITE_MAIN("nfs4-session", TEST(calls_match_the_wire_vectors), TEST(an_owner_has_1_to_1024_bytes),
	   TEST(replies_match_the_wire_vectors_and_truncation_is_refused),
	   TEST(replies_to_other_calls_are_refused))
