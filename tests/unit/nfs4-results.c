/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Results of COMPOUNDs, against tests/wire/nfs4/reply-*.hex: each decoded, truncated at every
 * byte, and with each critical word at its extremes. Truncated copies lie at the end of a heap
 * block of their size, so that a sanitizer or valgrind detects a read past the end. */
#include <stdarg.h>

#include "rpcrdma/nfs/version-internal.h"
#include "rpcrdma/wire/wire.h"
#include "tests/support/libnfs-nfs4.h"
#include "tests/unit/nfs4-request.h"

struct text {
	char buf[8192];
	size_t len;
};

static void say(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, sizeof(t->buf) - t->len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < sizeof(t->buf) - t->len)
		t->len += (size_t)n;
}

static void say_hex(struct text *t, const char *what, const void *bytes, size_t len)
{
	char hex[1024];

	hex_text(bytes, len, hex, sizeof(hex));
	say(t, "%s%s", what, hex);
}

static void say_attr(struct text *t, const char *what, const struct nfs_attr *a)
{
	say(t,
	    "%s type %u mode %o nlink %u uid %u gid %u size %llu used %llu fsid 0x%llx fileid %llu",
	    what, a->type, a->mode, a->nlink, a->uid, a->gid, (unsigned long long)a->size,
	    (unsigned long long)a->used, (unsigned long long)a->fsid,
	    (unsigned long long)a->fileid);
	say(t, " atime %u.%09u mtime %u.%09u ctime %u.%09u\n", a->atime.sec, a->atime.nsec,
	    a->mtime.sec, a->mtime.nsec, a->ctime.sec, a->ctime.nsec);
}

static int say_entry(void *arg, const struct nfs_entry *entry)
{
	struct text *t = arg;

	say(t, "entry %llu %.*s fileid %llu", (unsigned long long)entry->cookie,
	    (int)entry->name_len, entry->name, (unsigned long long)entry->fileid);
	if (entry->has_fh)
		say_hex(t, " handle ", entry->fh.data, entry->fh.len);
	say(t, "\n");
	if (entry->has_attr)
		say_attr(t, "  attributes", &entry->attr);
	return 0;
}

static void say_data(struct text *t, const char *what, const struct nfs_data *data)
{
	say(t, "%s %u bytes", what, data->len);
	if (data->bytes)
		say_hex(t, " ", data->bytes, data->len);
	else
		say(t, " in the chunk");
	say(t, "%s\n", data->eof ? ", eof" : "");
}

static void say_dir(struct text *t, const struct nfs3_readdir_res *dir)
{
	say(t, "directory %u entries last %llu", dir->entries,
	    (unsigned long long)dir->last_cookie);
	say_hex(t, " verifier ", dir->cookieverf, sizeof(dir->cookieverf));
	say(t, "%s\n", dir->eof ? ", eof" : "");
}

/* The results of operations before a failed one are returned as well. */
static void say_result(struct text *t, enum nfs_op op, const struct nfs_result *res)
{
	bool readlink = op == NFS_OP_READLINK;

	if (res->failed_op)
		say(t, "failed operation %u\n", res->failed_op);
	if (res->sequenced)
		say(t, "sequenced\n");
	if (res->fh.len) {
		say_hex(t, "handle ", res->fh.data, res->fh.len);
		say(t, "\n");
	}
	if (res->has_attr)
		say_attr(t, "attributes", &res->attr);
	if (res->read.bytes || res->read.len)
		say_data(t, "read", &res->read);
	if (!readlink)
		CU_ASSERT_EQUAL(res->read_count, res->read.len);
	if (res->read2.bytes)
		say_data(t, "read2", &res->read2);
	if (res->rtmax)
		say(t, "limits rtmax %u rtpref %u lease %u\n", res->rtmax, res->rtpref,
		    res->lease_seconds);
	if (op == NFS_OP_SPACE && !res->status)
		say(t, "space %llu\n", (unsigned long long)res->space);
	if ((op == NFS_OP_WRITE || op == NFS_OP_COMMIT) && !res->status) {
		say(t, "written %u committed %u", res->written, res->committed);
		say_hex(t, " verifier ", res->verifier, sizeof(res->verifier));
		say(t, "\n");
	}
	if (op == NFS_OP_READDIR && !res->status)
		say_dir(t, &res->dir);
}

/* Decodes a copy that ends where its heap block ends. */
static int decode_copy(const struct golden_request *q, const uint8_t *bytes, size_t len,
		       struct nfs_result *res, struct text *t)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct nfs_request request = q->request;
	struct reader r;
	int rc;

	if (!copy)
		abort();
	memcpy(copy, bytes, len);
	reader_init(&r, copy, len);
	request.entry = t ? say_entry : NULL;
	request.entry_arg = t;
	rc = q->version->decode(q->version, &request, &r, q->reduced, res);
	if (t && !rc) {
		say_result(t, q->request.op, res);
		CU_ASSERT_EQUAL(reader_left(&r), 0);
	}
	free(copy);
	return rc;
}

static void check_reply(const struct golden *g)
{
	static struct text t, result;
	struct golden_request q;
	struct nfs_result res;
	size_t len;

	CU_ASSERT_FATAL(golden_request_parse(&q, g));
	result.len = t.len = 0;
	result.buf[0] = '\0';
	CU_ASSERT_EQUAL(decode_copy(&q, g->bytes, g->len, &res, &result), 0);
	say(&t, "%s %s%s\nstatus %s\n", q.version->name, op_names[q.request.op],
	    q.reduced ? " reduced" : "", q.version->status_text(res.status));
	say(&t, "%s", result.buf);
	CU_ASSERT_STRING_EQUAL(t.buf, g->text);
	for (len = 0; len < g->len; len++) {
		SUITE_ROW("len %zu", len);
		CU_ASSERT_EQUAL(decode_copy(&q, g->bytes, len, &res, NULL), -EBADMSG);
	}
}

static void replies_match_the_wire_vectors_and_truncation_is_refused(void)
{
	golden_each("nfs4/reply-*.hex", check_reply);
}

static const struct golden *load(const char *name)
{
	const char *tests = getenv("NFSRDMA_TESTS");
	static struct golden g;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/wire/nfs4/%s.hex", tests ? tests : "tests", name);
	CU_ASSERT_FATAL(golden_read(&g, path));
	return &g;
}

/* Each word in turn takes every extreme value: the decoder never reads past the end of the reply,
 * and what it returns lies within the reply. */
static void check_extremes(const struct golden *g)
{
	static const uint32_t extremes[] = { 0,          1,          2,          8,
					     9,          129,        4097,       0x7ffffffc,
					     0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff };
	struct golden changed = *g;
	struct golden_request q;
	struct nfs_result res;
	size_t at, e;
	int rc;

	CU_ASSERT_FATAL(golden_request_parse(&q, g));
	for (at = 0; at < g->len; at += 4) {
		SUITE_ROW("at %zu", at);
		for (e = 0; e < ARRAY_SIZE(extremes); e++) {
			SUITE_ROW("%zu: %u", e, extremes[e]);
			memcpy(changed.bytes, g->bytes, g->len);
			put_be32(changed.bytes + at, extremes[e]);
			rc = decode_copy(&q, changed.bytes, g->len, &res, NULL);
			ASSERT_EITHER(rc, 0, -EBADMSG);
			ASSERT_AT_MOST(res.fh.len, NFS4_FHSIZE);
			ASSERT_AT_MOST(res.dir.entries, g->len / 24);
		}
	}
}

static void extreme_words_never_exceed_the_reply(void)
{
	golden_each("nfs4/reply-*.hex", check_extremes);
}

/* A word of a correct reply whose change makes the reply invalid. */
static const struct {
	const char *file;
	size_t at;
	uint32_t word;
	const char *error;
} wrong[] = {
	{ "reply-4.1-read", 0, NFS4ERR_IO, "COMPOUND has status 5, its last operation 0" },
	{ "reply-4.1-read", 4, 1025, "cut short or malformed" },
	{ "reply-4.1-read", 8, 2, "2 results of a COMPOUND of 3 operations" },
	{ "reply-4.1-read", 8, 4, "4 results of a COMPOUND of 3 operations" },
	{ "reply-4.1-read", 8, 0, "0 results of a COMPOUND of 3 operations" },
	{ "reply-4.1-read", 12, OP_PUTFH, "result of operation 22; expected 53" },
	{ "reply-4.1-read", 16, NFS4ERR_BADSLOT, "2 results follow that of operation 53" },
	{ "reply-4.1-read", 20, 0, "SEQUENCE was answered for another session" },
	{ "reply-4.1-read", 36, 8, "SEQUENCE 7 of slot 2 was answered as 8 of slot 2" },
	{ "reply-4.1-read", 40, 0, "SEQUENCE 7 of slot 2 was answered as 7 of slot 0" },
	{ "reply-4.1-read", 56, OP_READ, "result of operation 25; expected 22" },
	{ "reply-4.1-read", 60, NFS4ERR_STALE, "1 results follow that of operation 22" },
	{ "reply-4.1-read", 64, OP_ILLEGAL, "result of operation 10044; expected 25" },
	{ "reply-4.1-read", 68, NFS4ERR_IO, "COMPOUND has status 0, its last operation 5" },
	{ "reply-4.1-create", 124, 1, "OPEN returned a delegation of type 1" },
	{ "reply-4.1-create", 112, 9, "cut short or malformed" }, /* attrset */
	{ "reply-4.1-read", 72, 2, "cut short or malformed" },    /* eof */
	{ "reply-4.1-read", 76, 9, "cut short or malformed" },
	{ "reply-4.0-readlink-reduced", 28, 4097, "cut short or malformed" },
	{ "reply-4.0-root", 28, 129, "cut short or malformed" }, /* GETFH */
	/* GETATTR: bitmap words, bits, length, type, owner */
	{ "reply-4.0-getattr", 28, 9, "cut short or malformed" },
	{ "reply-4.0-getattr", 32, 0x00100132, "cut short or malformed" },
	{ "reply-4.0-getattr", 32, 0x00100102, "cut short or malformed" },
	{ "reply-4.0-getattr", 36, 0x0030a03b, "cut short or malformed" },
	{ "reply-4.0-getattr", 36, 0x8030a03a, "cut short or malformed" },
	{ "reply-4.0-getattr", 36, 0x0020a03a, "cut short or malformed" },
	{ "reply-4.0-getattr", 40, 0x80, "cut short or malformed" },
	{ "reply-4.0-getattr", 44, 0, "cut short or malformed" },
	{ "reply-4.0-getattr", 44, 8, "cut short or malformed" },
	{ "reply-4.0-getattr", 88, 1025, "cut short or malformed" },
	{ "reply-4.0-readdir", 36, 2, "cut short or malformed" },   /* another entry? */
	{ "reply-4.0-readdir", 48, 256, "cut short or malformed" }, /* its name */
	{ "reply-4.2-read-getattr-mismatch", 0, 0, "0 results of a COMPOUND of 4" },
	{ "reply-4.1-readlink-illegal", 68, NFS4ERR_NOTSUPP, "operation 10044; expected 27" },
};

static void a_reply_to_another_call_is_refused_with_a_message(void)
{
	struct golden_request q;
	struct nfs_result res;
	struct golden g;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		SUITE_ROW("%zu: %s, word at %zu is %u", i, wrong[i].file, wrong[i].at,
			  wrong[i].word);
		g = *load(wrong[i].file);
		CU_ASSERT_FATAL(golden_request_parse(&q, &g));
		put_be32(g.bytes + wrong[i].at, wrong[i].word);
		err_clear();
		rc = decode_copy(&q, g.bytes, g.len, &res, NULL);
		CU_ASSERT_EQUAL(rc, -EBADMSG);
		ASSERT_CONTAINS(err_text(), wrong[i].error);
	}
}

/* The slot advances with SEQUENCE, even if a later result is malformed. */
static void a_malformed_reply_still_advances_the_slot(void)
{
	const struct golden *g = load("reply-4.1-read");
	struct golden_request q;
	struct nfs_result res;

	CU_ASSERT_FATAL(golden_request_parse(&q, g));
	CU_ASSERT_EQUAL(decode_copy(&q, g->bytes, g->len - 1, &res, NULL), -EBADMSG);
	CU_ASSERT_TRUE(res.sequenced);
	CU_ASSERT_EQUAL(decode_copy(&q, g->bytes, 55, &res, NULL), -EBADMSG);
	CU_ASSERT_FALSE(res.sequenced);
}

static void empty_bitmap_words_are_tolerated(void)
{
	static const uint8_t more[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct golden g = *load("reply-4.0-getattr");
	struct golden_request q;
	struct nfs_result res;

	CU_ASSERT_FATAL(golden_request_parse(&q, &g));
	memmove(g.bytes + 40 + sizeof(more), g.bytes + 40, g.len - 40);
	memcpy(g.bytes + 40, more, sizeof(more));
	g.len += sizeof(more);
	put_be32(g.bytes + 28, 2 + sizeof(more) / 4);
	CU_ASSERT_EQUAL(decode_copy(&q, g.bytes, g.len, &res, NULL), 0);
	CU_ASSERT_EQUAL(res.attr.fileid, 0x500000006);
	put_be32(g.bytes + 60, 1);
	CU_ASSERT_EQUAL(decode_copy(&q, g.bytes, g.len, &res, NULL), -EBADMSG);
}

/* An owner, then a group: patched into a GETATTR of two attributes. */
static uint32_t owner_as_number(const char *name)
{
	static const struct nfs4_bitmap asked = { .word = { 0, 1u << (FATTR4_OWNER % 32) } };
	struct nfs4_attrs attrs;
	uint8_t buf[2048];
	struct reader r;
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, 2);
	writer_u32(&w, asked.word[0]);
	writer_u32(&w, asked.word[1]);
	writer_u32(&w, 4 + (uint32_t)xdr_pad4(strlen(name)));
	writer_opaque(&w, name, (uint32_t)strlen(name));
	reader_init(&r, buf, w.len);
	nfs4_get_attrs(&r, &asked, &attrs);
	CU_ASSERT_EQUAL(r.bad, strlen(name) > NFS4_OPAQUE_LIMIT);
	return attrs.attr.uid;
}

/* Each value in its place: all differ, and none is 0. */
static const struct nfs4_attrs every_attribute = {
	.supported.word = { 1, 2, 3 },
	.exclusive.word = { 4, 5, 6 },
	.attr = { .type = NFS_LNK,
		  .mode = 0751,
		  .nlink = 7,
		  .uid = 8,
		  .gid = 4294967294,
		  .size = UINT64_C(0x900000001),
		  .used = UINT64_C(0x900000002),
		  .fsid = UINT64_C(0x900000003),
		  .fileid = UINT64_C(0x900000004),
		  .atime = { 10, 11 },
		  .mtime = { 12, 13 },
		  .ctime = { UINT32_MAX, 14 } },
	.fh = { .len = 5, .data = { 1, 2, 3, 4, 5 } },
	.maxread = 15,
	.maxwrite = 16,
	.available = 17,
	.space_free = 18,
	.space_total = 19,
	.files_free = 20,
	.files_total = 21,
	.lease_seconds = 22,
	.rdattr_error = 23,
	.time_delta = { 24, 25 },
};

static void every_attribute_is_read_as_it_was_written(void)
{
	struct nfs4_attrs want, got;
	uint8_t buf[1024];
	struct nfs_attr attr;
	struct reader r;
	struct writer w;
	unsigned int i;

	/* Padding is compared too. */
	memcpy(&want, &every_attribute, sizeof(want));
	memset(&attr, 0, sizeof(attr));
	for (i = 0; i < 32 * NFS4_ATTR_WORDS; i++)
		if (nfs4_attr_is_supported(1, i))
			nfs4_bitmap_add(&want.present, i);
	writer_init(&w, buf, sizeof(buf));
	nfs4_put_attrs(&w, &want, &want.present);
	nfs3_put_attr(&w, &want.attr);
	CU_ASSERT_FALSE(w.bad);
	reader_init(&r, buf, w.len);
	nfs4_get_attrs(&r, &want.present, &got);
	CU_ASSERT_FALSE(r.bad);
	ASSERT_BYTES(&got, &want, sizeof(got));
	CU_ASSERT_EQUAL(reader_left(&r), 84);
	nfs3_get_attr(&r, &attr);
	CU_ASSERT_FALSE(r.bad);
	ASSERT_BYTES(&attr, &want.attr, sizeof(attr));
}

static void a_numeric_owner_is_a_number(void)
{
	char name[NFS4_OPAQUE_LIMIT + 2];

	CU_ASSERT_EQUAL(owner_as_number("0"), 0);
	CU_ASSERT_EQUAL(owner_as_number("65534"), 65534);
	CU_ASSERT_EQUAL(owner_as_number("4294967294"), 4294967294);
	CU_ASSERT_EQUAL(owner_as_number("4294967296"), UINT32_MAX);
	CU_ASSERT_EQUAL(owner_as_number("18446744073709551617"), UINT32_MAX);
	CU_ASSERT_EQUAL(owner_as_number(""), UINT32_MAX);
	CU_ASSERT_EQUAL(owner_as_number("-1"), UINT32_MAX);
	CU_ASSERT_EQUAL(owner_as_number("12a"), UINT32_MAX);
	CU_ASSERT_EQUAL(owner_as_number("root@example.org"), UINT32_MAX);
	memset(name, '9', sizeof(name));
	name[NFS4_OPAQUE_LIMIT] = '\0';
	CU_ASSERT_EQUAL(owner_as_number(name), UINT32_MAX);
	name[NFS4_OPAQUE_LIMIT] = '9';
	name[NFS4_OPAQUE_LIMIT + 1] = '\0';
	owner_as_number(name);
}

static int stop_at_second(void *arg, const struct nfs_entry *entry)
{
	unsigned int *calls = arg;

	(void)entry;
	return ++*calls == 2 ? -ECANCELED : 0;
}

static void the_entry_callback_can_stop_the_list(void)
{
	const struct golden *g = load("reply-4.1-readdir");
	unsigned int calls = 0;
	struct golden_request q;
	struct nfs_result res;
	struct reader r;

	CU_ASSERT_FATAL(golden_request_parse(&q, g));
	reader_init(&r, g->bytes, g->len);
	q.request.entry = stop_at_second;
	q.request.entry_arg = &calls;
	CU_ASSERT_EQUAL(q.version->decode(q.version, &q.request, &r, false, &res), -ECANCELED);
	CU_ASSERT_EQUAL(calls, 2);
	CU_ASSERT_TRUE(res.sequenced);
}

/* An RPC reply header precedes the golden bytes; nothing follows the data in these. */
static void reply_heads_match_real_replies(void)
{
	static const struct {
		const char *file;
		const struct nfs_version *version;
		size_t offset;
		size_t behind; /* of the head: data, or what a READDIR ends with */
	} heads[] = {
		{ "reply-4.0-read-reduced", &nfs4_version_0, 0, 0 },
		{ "reply-4.1-read-reduced", &nfs4_version_1, 0, 0 },
		{ "reply-4.0-read", &nfs4_version_0, 0, 8 },
		{ "reply-4.0-readlink-reduced", &nfs4_version_0, 1, 0 },
		{ "reply-4.1-readlink-reduced", &nfs4_version_2, 1, 0 },
		{ "reply-4.1-readlink", &nfs4_version_1, 1, 12 },
		/* cookieverf, no entry, eof: a READDIR4resok */
		{ "reply-4.1-readdir-empty", &nfs4_version_1, 2, 16 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heads); i++) {
		const struct nfs_version *v = heads[i].version;
		uint32_t head[] = { v->read_head, v->readlink_head, v->readdir_head };
		SUITE_ROW("%zu: %s", i, heads[i].file);

		CU_ASSERT_EQUAL(24 + load(heads[i].file)->len - heads[i].behind,
				head[heads[i].offset]);
	}
}

/* Except for opaque attributes, and where all data is inline, libnfs must decode the same. */
static void check_libnfs(const struct golden *g)
{
	struct golden_request q;
	uint8_t again[4096];
	ssize_t len;

	CU_ASSERT_FATAL(golden_request_parse(&q, g));
	if (q.reduced)
		return;
	len = libnfs_nfs4_results_again(g->bytes, g->len, again, sizeof(again));
	CU_ASSERT_EQUAL(len, (ssize_t)g->len);
	ASSERT_BYTES(again, g->bytes, g->len);
}

static void libnfs_decodes_the_same_replies(void)
{
	golden_each("nfs4/reply-4.0-*.hex", check_libnfs);
}

SUITE_MAIN("nfs4-results", TEST(replies_match_the_wire_vectors_and_truncation_is_refused),
	   TEST(extreme_words_never_exceed_the_reply),
	   TEST(a_reply_to_another_call_is_refused_with_a_message),
	   TEST(a_malformed_reply_still_advances_the_slot), TEST(empty_bitmap_words_are_tolerated),
	   TEST(every_attribute_is_read_as_it_was_written), TEST(a_numeric_owner_is_a_number),
	   TEST(the_entry_callback_can_stop_the_list), TEST(reply_heads_match_real_replies),
	   TEST(libnfs_decodes_the_same_replies))
