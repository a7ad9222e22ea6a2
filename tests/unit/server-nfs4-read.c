/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSv4's READ and READLINK without RDMA; Write chunks are in server-nfs4-rdma.c. */
#include "tests/support/compound.h"
#include "tests/unit/suite.h"

static struct compound_test *t;

static void reads_carry_their_data(void)
{
	static const struct {
		uint64_t offset;
		uint32_t count, len;
		bool eof;
	} reads[] = {
		{ 0, 100, 100, false },     { 8, 800, 800, false }, { 8, 805, 805, true },
		{ 8, 4096, 805, true },     { 813, 10, 0, true },   { 5000, 10, 0, true },
		{ UINT64_MAX, 1, 0, true }, { 0, 0, 0, false },
	};
	struct reader *r = &t->results;
	uint32_t len;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		SUITE_ROW("%zu", i);
		compound_start(t, 0);
		compound_path(t, "data-813");
		compound_read(t, &compound_anonymous, reads[i].offset, reads[i].count);
		CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
		compound_pass_path(t, "data-813");
		compound_pass(t, OP_READ);
		CU_ASSERT_EQUAL(reader_bool(r), reads[i].eof);
		CU_ASSERT_PTR_NOT_NULL(reader_opaque(r, 4096, &len));
		CU_ASSERT_EQUAL(len, reads[i].len);
		if (len >= 8)
			CU_ASSERT_EQUAL(get_be64(t->call.payload[0].data), reads[i].offset);
		CU_ASSERT_EQUAL(reader_left(r), 0);
	}
}

static void reads_are_clipped_to_rtmax(void)
{
	compound_start(t, 0);
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, 0xffffffff);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_EQUAL(t->call.payload[0].len, SERVER_READ_MAX);
}

static void special_stateids_can_read(void)
{
	static const struct nfs4_stateid bypass = {
		.seqid = UINT32_MAX,
		.other = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	static const struct nfs4_stateid invalid = { .seqid = UINT32_MAX };
	static const struct nfs4_stateid current = { .seqid = 1 };

	compound_start(t, 0);
	compound_path(t, "data-813");
	compound_read(t, &bypass, 0, 1);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_begin(t, 1);
	compound_path(t, "data-813");
	compound_read(t, &invalid, 0, 1);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BAD_STATEID);
	compound_begin(t, 1);
	compound_path(t, "data-813");
	compound_read(t, &current, 0, 1); /* there is none */
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BAD_STATEID);
}

static void read_needs_a_file_and_readlink_a_link(void)
{
	static const struct {
		const char *name;
		uint32_t op, status[2];
	} wrong[] = {
		{ "", OP_READ, { NFS4ERR_ISDIR, NFS4ERR_ISDIR } },
		{ "link-5", OP_READ, { NFS4ERR_INVAL, NFS4ERR_SYMLINK } },
		{ "", OP_READLINK, { NFS4ERR_INVAL, NFS4ERR_WRONG_TYPE } },
		{ "data-1", OP_READLINK, { NFS4ERR_INVAL, NFS4ERR_WRONG_TYPE } },
	};
	uint32_t minor;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		for (i = 0; i < ARRAY_SIZE(wrong); i++) {
			SUITE_ROW("%zu: %s", i, wrong[i].name);
			compound_begin(t, minor);
			compound_path(t, wrong[i].name);
			if (wrong[i].op == OP_READ)
				compound_read(t, &compound_anonymous, 0, 10);
			else
				compound_op(t, OP_READLINK);
			CU_ASSERT_EQUAL(compound_run(t), wrong[i].status[minor]);
			CU_ASSERT_EQUAL(t->call.payload_count, 0);
		}
	}
}

static void results_after_data_follow_the_padding(void)
{
	struct reader *r = &t->results;
	const uint8_t *data;
	uint32_t len;

	compound_start(t, 0);
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, 13);
	compound_op(t, OP_GETFH);
	compound_read(t, &compound_anonymous, 65536, 1048576);
	compound_path(t, "link-5");
	compound_op(t, OP_READLINK);
	compound_op(t, OP_GETFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_EQUAL(t->call.payload_count, 3);
	compound_pass_path(t, "data-4194304");
	compound_pass(t, OP_READ);
	reader_bool(r);
	data = reader_opaque(r, 100, &len);
	CU_ASSERT_EQUAL(len, 13);
	CU_ASSERT_EQUAL(get_be64(data), 8);
	CU_ASSERT_EQUAL(compound_result(t, OP_GETFH), NFS4_OK);
	reader_opaque(r, NFS4_FHSIZE, &len);
	CU_ASSERT_EQUAL(compound_result(t, OP_READ), NFS4_OK);
	reader_bool(r);
	data = reader_opaque(r, SERVER_READ_MAX, &len);
	CU_ASSERT_EQUAL(len, 1048576);
	CU_ASSERT_EQUAL(get_be64(data), 65536);
	CU_ASSERT_TRUE(compound_pass_path(t, "link-5"));
	CU_ASSERT_EQUAL(compound_result(t, OP_READLINK), NFS4_OK);
	ASSERT_BYTES(reader_opaque(r, 100, &len), "abcde", 5);
	CU_ASSERT_EQUAL(compound_result(t, OP_GETFH), NFS4_OK);
	reader_opaque(r, NFS4_FHSIZE, &len);
	CU_ASSERT_FALSE(r->bad);
	CU_ASSERT_EQUAL(reader_left(r), 0);
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(reads_carry_their_data),
		TEST(reads_are_clipped_to_rtmax),
		TEST(special_stateids_can_read),
		TEST(read_needs_a_file_and_readlink_a_link),
		TEST(results_after_data_follow_the_padding),
	};
	uint64_t clientid;
	int rc;

	t = compound_new();
	if (!t || compound_session(t, "test", &clientid))
		return 2;
	rc = suite_run("server-nfs4-read", tests, ARRAY_SIZE(tests));
	compound_free(t);
	return rc;
}
