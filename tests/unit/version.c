/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of versions, the meaning of statuses in all of them, and the row of NFSv3, whose
 * codecs have their own tests. */
#include "rpcrdma/nfs/version-internal.h"
#include "tests/unit/suite.h"

#define ATTR_WORDS 21

static void versions_are_listed_from_the_highest_down(void)
{
	static const char *const names[] = { "4.2", "4.1", "4.0", "3" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(nfs_versions[i]);
		CU_ASSERT_STRING_EQUAL(nfs_versions[i]->name, names[i]);
		CU_ASSERT_PTR_EQUAL(nfs_version_find(names[i]), nfs_versions[i]);
	}
	CU_ASSERT_PTR_NULL(nfs_versions[i]);
}

static void unknown_versions_are_not_found(void)
{
	static const char *const names[] = { "", "2", "4", "4.3", "4.10", "3.0", "v3" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i]);
		CU_ASSERT_PTR_NULL(nfs_version_find(names[i]));
	}
}

static void every_version_has_a_complete_row(void)
{
	const struct nfs_version *v;
	size_t i;

	for (i = 0; (v = nfs_versions[i]); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(v->vers, (uint32_t)v->name[0] - '0');
		CU_ASSERT_EQUAL(v->minor, v->name[1] ? (uint32_t)v->name[2] - '0' : 0);
		CU_ASSERT_EQUAL(v->sessions, v->minor >= 1);
		CU_ASSERT(v->read_head);
		CU_ASSERT(v->readlink_head);
		CU_ASSERT(v->readdir_head);
		CU_ASSERT(v->proc);
		CU_ASSERT(v->encode);
		CU_ASSERT(v->decode);
		CU_ASSERT(v->status_text);
	}
}

static void some_statuses_request_a_retry(void)
{
	CU_ASSERT_TRUE(nfs_status_is_later(NFS3_STATUS_JUKEBOX));
	CU_ASSERT_TRUE(nfs_status_is_later(NFS4ERR_DELAY));
	CU_ASSERT_TRUE(nfs_status_is_later(NFS4ERR_GRACE));
	CU_ASSERT_FALSE(nfs_status_is_later(NFS4_OK));
	CU_ASSERT_FALSE(nfs_status_is_later(NFS4ERR_IO));
	CU_ASSERT_FALSE(nfs_status_is_later(NFS4ERR_ACCESS));
}

static void some_statuses_concern_the_caller(void)
{
	CU_ASSERT_TRUE(nfs_status_is_denied(NFS3_STATUS_PERM));
	CU_ASSERT_TRUE(nfs_status_is_denied(NFS3_STATUS_ACCES));
	CU_ASSERT_TRUE(nfs_status_is_denied(NFS4ERR_WRONGSEC));
	CU_ASSERT_FALSE(nfs_status_is_denied(NFS4_OK));
	CU_ASSERT_FALSE(nfs_status_is_denied(NFS4ERR_NOENT));
	CU_ASSERT_FALSE(nfs_status_is_denied(NFS4ERR_DENIED)); /* of a lock */
}

static void every_status_has_its_name(void)
{
	CU_ASSERT_STRING_EQUAL(nfs3_version.status_text(13), "NFS3ERR_ACCES");
	CU_ASSERT_STRING_EQUAL(nfs4_version_0.status_text(13), "NFS4ERR_ACCESS");
	CU_ASSERT_STRING_EQUAL(nfs4_version_0.status_text(0), "NFS4_OK");
	CU_ASSERT_STRING_EQUAL(nfs4_version_1.status_text(10013), "NFS4ERR_GRACE");
	CU_ASSERT_STRING_EQUAL(nfs4_version_1.status_text(10055),
			       "NFS4ERR_CONN_NOT_BOUND_TO_SESSION");
	CU_ASSERT_STRING_EQUAL(nfs4_version_2.status_text(10094), "NFS4ERR_OFFLOAD_NO_REQS");
	CU_ASSERT_STRING_EQUAL(nfs4_version_2.status_text(UINT32_MAX), "NFS4ERR 4294967295");
}

static const struct nfs_request request3 = {
	.fh = { 4, { 1, 2, 3, 4 } },
	.name = "disk",
	.offset = 0x100000005,
	.count = 1023,
	.cookie = 9,
	.verifier = { 1, 2, 3, 4, 5, 6, 7, 8 },
	.dircount = 512,
	.maxcount = 4096,
};

static void nfs3_has_one_procedure_for_each_operation(void)
{
	static const struct {
		enum nfs_op op;
		enum nfs3_proc proc;
		ssize_t len;
	} ops[] = {
		{ NFS_OP_GETATTR, NFS3_GETATTR, 8 },      { NFS_OP_LOOKUP, NFS3_LOOKUP, 16 },
		{ NFS_OP_READLINK, NFS3_READLINK, 8 },    { NFS_OP_READ, NFS3_READ, 20 },
		{ NFS_OP_READDIR, NFS3_READDIRPLUS, 32 }, { NFS_OP_LIMITS, NFS3_FSINFO, 8 },
		{ NFS_OP_SPACE, NFS3_FSSTAT, 8 },         { NFS_OP_CREATE, NFS3_CREATE, 28 },
		{ NFS_OP_SET_MODE, NFS3_SETATTR, 40 },    { NFS_OP_WRITE, NFS3_WRITE, 28 },
		{ NFS_OP_COMMIT, NFS3_COMMIT, 20 },       { NFS_OP_REMOVE, NFS3_REMOVE, 16 },
	};
	struct nfs_request request = request3;
	uint8_t buf[NFS_ARGS_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		SUITE_ROW("%zu", i);
		request.op = ops[i].op;
		CU_ASSERT_EQUAL(nfs3_version.proc(ops[i].op), ops[i].proc);
		CU_ASSERT_EQUAL(nfs3_version.encode(&nfs3_version, &request, buf, sizeof(buf)),
				ops[i].len);
		CU_ASSERT_EQUAL(get_be32(buf + 4), 0x01020304);
		CU_ASSERT_EQUAL(nfs3_version.encode(&nfs3_version, &request, buf, 7), -ENOBUFS);
	}
}

static void nfs3_has_no_compounds(void)
{
	static const enum nfs_op ops[] = { NFS_OP_ROOT, NFS_OP_READ_GETATTR, NFS_OP_READ_READ };
	struct nfs_request request = request3;
	uint8_t buf[NFS_ARGS_MAX] = { 0 };
	struct nfs_result res;
	struct reader r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		SUITE_ROW("%zu", i);
		request.op = ops[i];
		CU_ASSERT_EQUAL(nfs3_version.encode(&nfs3_version, &request, buf, sizeof(buf)),
				-EOPNOTSUPP);
		reader_init(&r, buf, sizeof(buf));
		CU_ASSERT_EQUAL(nfs3_version.decode(&nfs3_version, &request, &r, false, &res),
				-EOPNOTSUPP);
	}
}

static void write_attr(struct writer *w, bool follows)
{
	uint32_t i;

	writer_bool(w, follows);
	for (i = 0; follows && i < ATTR_WORDS; i++)
		writer_u32(w, i ? i : NFS_REG);
}

static struct nfs_result decode3(const struct writer *w, enum nfs_op op, bool reduced,
				 nfs_entry_fn fn, void *arg)
{
	struct nfs_request request = request3;
	struct nfs_result res, cut;
	struct reader r;
	size_t len;

	request.op = op;
	for (len = 0; len < w->len; len++) {
		SUITE_ROW("len %zu", len);
		reader_init(&r, w->base, len);
		CU_ASSERT_EQUAL(nfs3_version.decode(&nfs3_version, &request, &r, reduced, &cut),
				-EBADMSG);
	}
	reader_init(&r, w->base, w->len);
	request.entry = fn;
	request.entry_arg = arg;
	CU_ASSERT_EQUAL(nfs3_version.decode(&nfs3_version, &request, &r, reduced, &res), 0);
	CU_ASSERT_EQUAL(reader_left(&r), 0);
	CU_ASSERT_FALSE(res.sequenced);
	CU_ASSERT_EQUAL(res.failed_op, 0);
	return res;
}

/* Each head is that of the whole RPC reply: 24 bytes are before the results. */
static void nfs3_reads_have_count_data_and_attributes(void)
{
	uint8_t buf[256];
	struct nfs_result res;
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, NFS3_STATUS_OK);
	write_attr(&w, true);
	writer_u32(&w, 5);
	writer_bool(&w, true);
	writer_u32(&w, 1023);
	res = decode3(&w, NFS_OP_READ, true, NULL, NULL);
	CU_ASSERT_EQUAL(24 + w.len, nfs3_version.read_head);
	CU_ASSERT_EQUAL(res.status, 0);
	CU_ASSERT(res.has_attr);
	CU_ASSERT_EQUAL(res.attr.mode, 1);
	CU_ASSERT_EQUAL(res.read_count, 5); /* unexpected by the caller */
	CU_ASSERT_EQUAL(res.read.len, 1023);
	CU_ASSERT_TRUE(res.read.eof);
	CU_ASSERT_PTR_NULL(res.read.bytes);
}

static void nfs3_symlinks_have_their_target(void)
{
	uint8_t buf[256];
	struct nfs_result res;
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, NFS3_STATUS_OK);
	write_attr(&w, true);
	writer_opaque(&w, "a/b", 3);
	res = decode3(&w, NFS_OP_READLINK, false, NULL, NULL);
	CU_ASSERT_EQUAL(24 + w.len - 4, nfs3_version.readlink_head);
	CU_ASSERT_EQUAL(res.read.len, 3);
	CU_ASSERT_PTR_NOT_NULL_FATAL(res.read.bytes);
	ASSERT_BYTES(res.read.bytes, "a/b", 3);
}

static void nfs3_getattr_and_lookup_have_attributes(void)
{
	uint8_t buf[256];
	struct nfs_result res;
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, NFS3_STATUS_OK);
	write_attr(&w, true);
	memmove(buf + 4, buf + 8, w.len - 8); /* not optional in GETATTR */
	w.len -= 4;
	res = decode3(&w, NFS_OP_GETATTR, false, NULL, NULL);
	CU_ASSERT(res.has_attr);
	CU_ASSERT_EQUAL(res.attr.nlink, 2);
	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, NFS3_STATUS_OK);
	writer_opaque(&w, "handle", 6);
	write_attr(&w, true);
	write_attr(&w, false);
	res = decode3(&w, NFS_OP_LOOKUP, false, NULL, NULL);
	CU_ASSERT_EQUAL(res.fh.len, 6);
	CU_ASSERT_TRUE(res.has_attr);
	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, NFS3_STATUS_STALE);
	res = decode3(&w, NFS_OP_GETATTR, false, NULL, NULL);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_STALE);
	CU_ASSERT_FALSE(res.has_attr);
}

static void nfs3_limits_are_those_of_fsinfo(void)
{
	uint8_t buf[256];
	struct nfs_result res;
	struct writer w;
	uint32_t i;

	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, NFS3_STATUS_OK);
	write_attr(&w, false);
	for (i = 0; i < 12; i++)
		writer_u32(&w, 100 + i);
	res = decode3(&w, NFS_OP_LIMITS, false, NULL, NULL);
	CU_ASSERT_EQUAL(res.rtmax, 100);
	CU_ASSERT_EQUAL(res.rtpref, 101);
}

static int count_entry(void *arg, const struct nfs_entry *entry)
{
	unsigned int *count = arg;

	CU_ASSERT_EQUAL(entry->name_len, 1);
	++*count;
	return 0;
}

static void nfs3_listings_return_their_entries(void)
{
	unsigned int count = 0;
	uint8_t buf[256];
	struct nfs_result res;
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, NFS3_STATUS_OK);
	write_attr(&w, true);
	writer_u64(&w, 0x0102030405060708);
	CU_ASSERT_EQUAL(24 + w.len, nfs3_version.readdir_head);
	writer_bool(&w, true);
	writer_u64(&w, 77);
	writer_opaque(&w, ".", 1);
	writer_u64(&w, 3);
	write_attr(&w, false);
	writer_bool(&w, false);
	writer_bool(&w, false);
	writer_bool(&w, true);
	res = decode3(&w, NFS_OP_READDIR, false, count_entry, &count);
	CU_ASSERT_EQUAL(count, 1);
	CU_ASSERT_EQUAL(res.dir.entries, 1);
	CU_ASSERT_EQUAL(res.dir.last_cookie, 3);
	CU_ASSERT_TRUE(res.dir.eof);
	ASSERT_BYTES(res.dir.cookieverf, "\1\2\3\4\5\6\7\10", 8);
}

SUITE_MAIN("version", TEST(versions_are_listed_from_the_highest_down),
	   TEST(unknown_versions_are_not_found), TEST(every_version_has_a_complete_row),
	   TEST(some_statuses_request_a_retry), TEST(some_statuses_concern_the_caller),
	   TEST(every_status_has_its_name), TEST(nfs3_has_one_procedure_for_each_operation),
	   TEST(nfs3_has_no_compounds), TEST(nfs3_reads_have_count_data_and_attributes),
	   TEST(nfs3_symlinks_have_their_target), TEST(nfs3_getattr_and_lookup_have_attributes),
	   TEST(nfs3_limits_are_those_of_fsinfo), TEST(nfs3_listings_return_their_entries))
