/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSv4's COMPOUND and the arguments of its operations: valid, truncated and hostile. The results
 * of operations are tested in server-nfs4-objects.c and -read.c, clients and sessions in
 * -sessions.c, opens in -opens.c, Write chunks in -rdma.c. */
#include "tests/support/compound.h"
#include "tests/unit/suite.h"

static struct compound_test *t;

/* The COMPOUND itself */

static void other_minor_versions_are_a_mismatch(void)
{
	static const uint32_t minors[] = { 2, 3, 0x7fffffff, 0xffffffff };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(minors); i++) {
		SUITE_ROW("%zu: %u", i, minors[i]);
		compound_start(t, minors[i]);
		compound_path(t, "");
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_MINOR_VERS_MISMATCH);
		CU_ASSERT_EQUAL(t->count, 0);
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
	}
}

static void an_empty_compound_succeeds(void)
{
	uint32_t minor;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		compound_start(t, minor);
		CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
		CU_ASSERT_EQUAL(t->count, 0);
	}
}

static void the_tag_is_returned(void)
{
	uint8_t buf[1200];
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	writer_opaque(&w, "tagtag7", 7);
	writer_u32(&w, 0);
	writer_u32(&w, 0);
	CU_ASSERT_EQUAL(compound_run_bytes(t, buf, w.len), 0);
	ASSERT_BYTES(t->reply_buf + 24, "\0\0\0\0\0\0\0\7tagtag7\0\0\0\0", 20);
	/* too long a one */
	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, 1025);
	writer_reserve(&w, 1100);
	CU_ASSERT_EQUAL(compound_run_bytes(t, buf, w.len), 0);
	CU_ASSERT_EQUAL(t->reply.accept_stat, RPC_GARBAGE_ARGS);
}

static void a_truncated_compound_is_garbage_or_bad_xdr(void)
{
	uint8_t buf[16];
	struct writer w;
	size_t len;

	for (len = 0; len < 12; len++) {
		SUITE_ROW("len %zu", len);
		memset(buf, 0, sizeof(buf));
		CU_ASSERT_EQUAL(compound_run_bytes(t, buf, len), 0);
		CU_ASSERT_EQUAL(t->reply.accept_stat, RPC_GARBAGE_ARGS);
	}
	/* two operations are announced, half a number follows */
	writer_init(&w, buf, sizeof(buf));
	writer_u64(&w, 0);
	writer_u32(&w, 2);
	writer_bytes(&w, "\0\0", 2);
	CU_ASSERT_EQUAL(compound_run_bytes(t, buf, w.len), 0);
	CU_ASSERT_EQUAL(t->status, NFS4ERR_BADXDR);
	CU_ASSERT_EQUAL(t->count, 1);
}

static void the_first_failure_is_the_last_result(void)
{
	compound_start(t, 0);
	compound_path(t, "none");
	compound_op(t, OP_GETFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(t->count, 2);
	CU_ASSERT_EQUAL(compound_result(t, OP_PUTROOTFH), NFS4_OK);
	CU_ASSERT_EQUAL(compound_result(t, OP_LOOKUP), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(reader_left(&t->results), 0);
}

static void unknown_operations_are_illegal(void)
{
	static const uint32_t ops[] = { 0, 1, 2, 59, 60, 76, 10044, 0xffffffff };
	uint32_t minor, op;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			SUITE_ROW("%zu: %u", i, ops[i]);
			compound_begin(t, minor);
			compound_op(t, ops[i]);
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_OP_ILLEGAL);
			CU_ASSERT_TRUE(compound_pass_begin(t, minor));
			CU_ASSERT_EQUAL(compound_result(t, OP_ILLEGAL), NFS4ERR_OP_ILLEGAL);
		}
	}
	/* Operations of 4.1 do not exist in 4.0. */
	for (op = OP_BACKCHANNEL_CTL; op <= OP_RECLAIM_COMPLETE; op++) {
		SUITE_ROW("op %u", op);
		compound_start(t, 0);
		compound_op(t, op);
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_OP_ILLEGAL);
	}
}

/* Valid arguments of every operation; p: optional bytes. As in nfs4_skip_args(), with f handle, q
 * stateid of zeros, m bitmap, v fattr4, and w SAVEFH before it. Operations that need more are in
 * server-nfs4-opens.c. */
static const struct {
	uint32_t op;
	const char *args;
	uint32_t status;
	bool needs_fh;
} rows[] = {
	{ OP_ACCESS, "4", 0, true },
	{ OP_COMMIT, "84", NFS4ERR_ROFS, true },
	{ OP_CREATE, "Dnv", NFS4ERR_ROFS, true },
	{ OP_CREATE, "Lnv", NFS4ERR_ROFS, true },
	{ OP_CREATE, "Bnv", NFS4ERR_ROFS, true },
	{ OP_GETATTR, "m", 0, true },
	{ OP_GETFH, "", 0, true },
	{ OP_LINK, "n", NFS4ERR_ROFS, true },
	{ OP_LOOKUP, "n", 0, true },
	{ OP_LOOKUPP, "", NFS4ERR_NOENT, true },
	{ OP_NVERIFY, "v", NFS4ERR_SAME, true },
	{ OP_PUTFH, "f", 0, false },
	{ OP_PUTPUBFH, "", 0, false },
	{ OP_PUTROOTFH, "", 0, false },
	{ OP_READ, "q84", NFS4ERR_ISDIR, true },
	{ OP_READDIR, "8844m", 0, true },
	{ OP_READLINK, "", 0, true },
	{ OP_REMOVE, "n", NFS4ERR_ROFS, true },
	{ OP_RENAME, "nn", NFS4ERR_ROFS, true },
	{ OP_SAVEFH, "", 0, true },
	{ OP_SECINFO, "n", 0, true },
	{ OP_SETATTR, "qv", NFS4ERR_ROFS, true },
	{ OP_VERIFY, "v", 0, true },
	{ OP_WRITE, "q84n", NFS4ERR_ROFS, true },
};

static void put_args(const char *shape)
{
	struct writer *w = &t->args;
	struct nfs_fh root;

	for (; *shape; shape++) {
		SUITE_ROW("%s", shape);
		switch (*shape) {
		case '4': writer_u32(w, 4096); break;
		case '8': writer_u64(w, 0); break;
		case 'n': writer_opaque(w, "data-813", 8); break;
		case 'q': nfs4_put_stateid(w, &compound_anonymous); break;
		case 'm': compound_bitmap(t, BIT(FATTR4_TYPE) | BIT(FATTR4_FILEID), 0, 0); break;
		case 'v':
			compound_bitmap(t, BIT(FATTR4_TYPE), 0, 0);
			writer_u32(w, 4);
			writer_u32(w, NFS_DIR);
			break;
		case 'f':
			t->exp->ops->root(t->exp, &root);
			writer_opaque(w, root.data, root.len);
			break;
		case 'D': writer_u32(w, NFS_DIR); break;
		case 'L':
			writer_u32(w, NFS_LNK);
			writer_opaque(w, "target", 6);
			break;
		case 'B':
			writer_u32(w, NFS_BLK);
			writer_u64(w, 0);
			break;
		default: CU_FAIL_FATAL("no such shape");
		}
	}
}

/* Root, saved too, and the operation. Returns the start of its arguments. */
static size_t put_row(uint32_t minor, size_t i)
{
	size_t start;

	compound_begin(t, minor);
	compound_path(t, "");
	compound_op(t, OP_SAVEFH);
	compound_op(t, rows[i].op);
	start = t->args.len;
	put_args(rows[i].args);
	return start;
}

static uint32_t pass_row(uint32_t minor, size_t i)
{
	CU_ASSERT_TRUE(compound_pass_begin(t, minor));
	CU_ASSERT_EQUAL(compound_result(t, OP_PUTROOTFH), NFS4_OK);
	CU_ASSERT_EQUAL(compound_result(t, OP_SAVEFH), NFS4_OK);
	return compound_result(t, rows[i].op);
}

static void good_arguments_are_answered(void)
{
	uint32_t minor, status, wrong;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			SUITE_ROW("%zu: %s", i, rows[i].args);
			put_row(minor, i);
			compound_run(t);
			status = pass_row(minor, i);
			/* the root is not a symlink */
			wrong = minor ? NFS4ERR_WRONG_TYPE : NFS4ERR_INVAL;
			CU_ASSERT_EQUAL(status, rows[i].op == OP_READLINK ? wrong : rows[i].status);
			/* SETATTR says which attributes were set. */
			if (rows[i].op == OP_SETATTR)
				CU_ASSERT_EQUAL(reader_u32(&t->results), 0);
			if (status)
				CU_ASSERT_EQUAL(reader_left(&t->results), 0);
			CU_ASSERT_EQUAL(t->status, status);
		}
	}
}

static void truncated_arguments_are_bad_xdr_at_every_length(void)
{
	size_t i, len, start, end;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].args);
		start = put_row(0, i);
		end = t->args.len;
		for (len = start; len < end; len++) {
			SUITE_ROW("len %zu", len);
			t->args.len = len;
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
			CU_ASSERT_EQUAL(pass_row(0, i), NFS4ERR_BADXDR);
			CU_ASSERT_EQUAL(t->call.payload_count, 0);
		}
	}
}

static void huge_lengths_are_bad_xdr(void)
{
	static const uint32_t lengths[] = { 0x7fffffff, 0x80000000, 0xfffffffd, 0xffffffff };
	size_t i, j, start;
	uint32_t status;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].args);
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			SUITE_ROW("%zu: %u", j, lengths[j]);
			start = put_row(0, i);
			if (t->args.len < start + 4)
				continue;
			put_be32(t->args.base + start, lengths[j]);
			compound_run(t);
			status = pass_row(0, i);
			if (strchr("nfmv", rows[i].args[0]))
				CU_ASSERT_EQUAL(status, NFS4ERR_BADXDR);
		}
	}
}

static void operations_need_a_filehandle(void)
{
	uint32_t minor;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			SUITE_ROW("%zu: %s", i, rows[i].args);
			compound_begin(t, minor);
			compound_op(t, rows[i].op);
			put_args(rows[i].args);
			compound_run(t);
			compound_pass_begin(t, minor);
			if (rows[i].needs_fh)
				CU_ASSERT_EQUAL(compound_result(t, rows[i].op),
						NFS4ERR_NOFILEHANDLE);
		}
	}
	/* nor without a saved one */
	for (i = 0; i < 2; i++) {
		SUITE_ROW("%zu", i);
		compound_start(t, 0);
		compound_path(t, "");
		compound_op(t, i ? OP_LINK : OP_RENAME);
		put_args("nn");
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOFILEHANDLE);
	}
}

static void unimplemented_operations_are_not_supported(void)
{
	static const uint32_t in_both[] = { OP_DELEGPURGE, OP_DELEGRETURN, OP_LOCK,
					    OP_LOCKT,      OP_LOCKU,       OP_OPENATTR };
	static const uint32_t in_41[] = {
		OP_SETCLIENTID,     OP_SETCLIENTID_CONFIRM, OP_RENEW,         OP_RELEASE_LOCKOWNER,
		OP_OPEN_CONFIRM,    OP_BACKCHANNEL_CTL,     OP_GETDEVICEINFO, OP_LAYOUTGET,
		OP_WANT_DELEGATION, OP_GET_DIR_DELEGATION,
	};
	uint32_t minor;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		for (i = 0; i < ARRAY_SIZE(in_both); i++) {
			SUITE_ROW("%zu: %u", i, in_both[i]);
			compound_begin(t, minor);
			compound_path(t, "");
			compound_op(t, in_both[i]);
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOTSUPP);
		}
	}
	for (i = 0; i < ARRAY_SIZE(in_41); i++) {
		SUITE_ROW("%zu: %u", i, in_41[i]);
		compound_begin(t, 1);
		compound_path(t, "");
		compound_op(t, in_41[i]);
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOTSUPP);
	}
}

/* Handles */

static void handles_that_are_not_ours_are_refused(void)
{
	static const struct {
		size_t at;
		uint32_t status;
	} wrong[] = { { 4, NFS4ERR_BADHANDLE }, { 8, NFS4ERR_STALE } };
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		SUITE_ROW("%zu", i);
		compound_start(t, 0);
		compound_op(t, OP_PUTFH);
		at = t->args.len + wrong[i].at;
		put_args("f");
		t->args.base[at] ^= 1;
		CU_ASSERT_EQUAL(compound_run(t), wrong[i].status);
	}
	compound_start(t, 0);
	compound_op(t, OP_PUTFH);
	writer_u32(&t->args, 129);
	writer_reserve(&t->args, 132);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
}

/* Limits */

static void data_that_does_not_fit_ends_the_compound(void)
{
	unsigned int i;

	compound_start(t, 0);
	compound_path(t, "data-4194304");
	for (i = 0; i < CALL_PAYLOADS + 1; i++)
		compound_read(t, &compound_anonymous, 0, 4);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RESOURCE);
	CU_ASSERT_EQUAL(t->count, 2 + CALL_PAYLOADS + 1);
	CU_ASSERT_EQUAL(t->call.payload_count, CALL_PAYLOADS);
	/* data that does not fit the memory for generated data */
	compound_start(t, 0);
	compound_path(t, "sparse-4296015877");
	for (i = 0; i < 3; i++)
		compound_read(t, &compound_anonymous, 0, 1048576);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RESOURCE);
	CU_ASSERT_EQUAL(t->count, 2 + 3);
}

static void a_reply_never_exceeds_its_buffer(void)
{
	size_t room;
	unsigned int i;

	for (room = 48; room < 400; room++) {
		SUITE_ROW("room %zu", room);
		compound_start(t, 0);
		compound_path(t, "");
		for (i = 0; i < 8; i++)
			compound_op(t, OP_GETFH);
		t->room = room;
		CU_ASSERT_EQUAL(compound_run(t),
				room < 24 + 12 + 8 + 8 * 40 ? NFS4ERR_RESOURCE : NFS4_OK);
		ASSERT_AT_MOST(t->call.reply.len, room);
		t->room = 0;
	}
}

static void operations_have_a_maximum_number(void)
{
	unsigned int i;

	compound_start(t, 0);
	for (i = 0; i < 100; i++)
		compound_op(t, OP_PUTROOTFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RESOURCE);
	CU_ASSERT_EQUAL(t->count, NFS4_OPERATIONS + 1);
	/* a count above the number of operations */
	t->ops = 0xffffffff;
	t->args.len = 16;
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
	CU_ASSERT_EQUAL(t->count, 5);
}

static void a_name_in_a_chunk_is_garbage(void)
{
	t->reduced = true;
	compound_start(t, 0);
	compound_path(t, "data-1");
	compound_run(t);
	CU_ASSERT_EQUAL(t->reply.accept_stat, RPC_GARBAGE_ARGS);
	/* but WRITE's data can be there */
	compound_start(t, 0);
	compound_path(t, "data-1");
	compound_op(t, OP_WRITE);
	put_args("q84");
	writer_u32(&t->args, 4096);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_ROFS);
	t->reduced = false;
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(other_minor_versions_are_a_mismatch),
		TEST(an_empty_compound_succeeds),
		TEST(the_tag_is_returned),
		TEST(a_truncated_compound_is_garbage_or_bad_xdr),
		TEST(the_first_failure_is_the_last_result),
		TEST(unknown_operations_are_illegal),
		TEST(good_arguments_are_answered),
		TEST(truncated_arguments_are_bad_xdr_at_every_length),
		TEST(huge_lengths_are_bad_xdr),
		TEST(operations_need_a_filehandle),
		TEST(unimplemented_operations_are_not_supported),
		TEST(handles_that_are_not_ours_are_refused),
		TEST(data_that_does_not_fit_ends_the_compound),
		TEST(a_reply_never_exceeds_its_buffer),
		TEST(operations_have_a_maximum_number),
		TEST(a_name_in_a_chunk_is_garbage),
	};
	uint64_t clientid;
	int rc;

	t = compound_new();
	if (!t || compound_session(t, "test", &clientid))
		return 2;
	rc = suite_run("server-nfs4", tests, ARRAY_SIZE(tests));
	compound_free(t);
	return rc;
}
