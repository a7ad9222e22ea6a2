/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* COMPOUNDs byte for byte, against tests/wire/nfs4/call-*.hex; and those of 4.0 as decoded by
 * libnfs, which shares no code with our encoder. */
#include "rpcrdma/nfs/version-internal.h"
#include "tests/support/libnfs-nfs4.h"
#include "tests/unit/nfs4-request.h"

static bool seen[3][NFS_OP_COUNT];

static void check_bytes(const struct golden *g, const struct golden_request *q)
{
	uint8_t area[NFS_ARGS_MAX + 16];
	ssize_t len;
	size_t cap;

	memset(area, 0xa5, sizeof(area));
	len = q->version->encode(q->version, &q->request, area + 8, g->len);
	CU_ASSERT_EQUAL(len, (ssize_t)g->len);
	ASSERT_BYTES(area + 8, g->bytes, g->len);
	CU_ASSERT_EQUAL(area[7], 0xa5);
	CU_ASSERT_EQUAL(area[8 + g->len], 0xa5);
	memset(area, 0xa5, sizeof(area));
	for (cap = 0; cap < g->len; cap++) {
		SUITE_ROW("cap %zu", cap);
		len = q->version->encode(q->version, &q->request, area + 8, cap);
		CU_ASSERT_EQUAL(len, -ENOBUFS);
		CU_ASSERT_EQUAL(area[8 + cap], 0xa5);
	}
}

static void check_call(const struct golden *g)
{
	const struct nfs4_compound *compound;
	struct golden_request q;
	char text[256];
	uint32_t i;
	int len;

	CU_ASSERT_FATAL(golden_request_parse(&q, g));
	seen[q.version->minor][q.request.op] = true;
	check_bytes(g, &q);
	compound = nfs4_compound_of(q.request.op);
	len = snprintf(text, sizeof(text), "%s %s\noperations", q.version->name,
		       op_names[q.request.op]);
	for (i = 0; i < nfs4_compound_count(q.version, compound); i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len, " %u",
				nfs4_compound_op(q.version, compound, i));
	snprintf(text + len, sizeof(text) - (size_t)len, "\n");
	CU_ASSERT_STRING_EQUAL(text, g->text);
}

static void calls_match_the_wire_vectors(void)
{
	int op;

	golden_each("nfs4/call-*.hex", check_call);
	for (op = 0; op < NFS_OP_COUNT; op++) {
		SUITE_ROW("operation %d", op);
		CU_ASSERT_EQUAL(seen[0][op], op != NFS_OP_CREATE);
		CU_ASSERT(seen[1][op]);
	}
	CU_ASSERT(seen[2][NFS_OP_READ_GETATTR]);
}

static void nfs42_differs_from_nfs41_only_in_its_number(void)
{
	uint8_t one[NFS_ARGS_MAX], two[NFS_ARGS_MAX];
	struct nfs_request request = golden_values;
	ssize_t len;

	for (; request.op < NFS_OP_COUNT; request.op++) {
		SUITE_ROW("operation %d", request.op);
		len = nfs4_version_1.encode(&nfs4_version_1, &request, one, sizeof(one));
		CU_ASSERT_EQUAL(nfs4_version_2.encode(&nfs4_version_2, &request, two, sizeof(two)),
				len);
		CU_ASSERT_EQUAL(get_be32(one + 4), 1);
		CU_ASSERT_EQUAL(get_be32(two + 4), 2);
		put_be32(two + 4, 1);
		ASSERT_BYTES(one, two, (size_t)len);
	}
}

#define PUTFH "22 object 00010203 04050607 0809\n"
#define READ(offset, count) \
	"25 seqid 0 other 00000000 00000000 00000000 offset " offset " count " count "\n"
#define GETATTR "9 attributes 00100112 0030a03a\n"

static void libnfs_decodes_the_same_calls(void)
{
	static const char *const meant[NFS_OP_COUNT] = {
		[NFS_OP_GETATTR] = PUTFH GETATTR,
		[NFS_OP_LOOKUP] = PUTFH "15 name images\n10\n" GETATTR,
		[NFS_OP_READLINK] = PUTFH "27\n",
		[NFS_OP_READ] = PUTFH READ("78187493376", "1023"),
		[NFS_OP_READDIR] = PUTFH
		"26 cookie 1122334455667788 verifier 80818283 848586ff dircount 512 maxcount 4096 attributes 00180812 0030a032\n",
		[NFS_OP_LIMITS] = PUTFH "9 attributes c0000400\n",
		[NFS_OP_ROOT] = "24\n10\n" GETATTR,
		[NFS_OP_READ_GETATTR] = PUTFH READ("78187493376", "1023") GETATTR,
		[NFS_OP_READ_READ] = PUTFH READ("78187493376", "1023") READ("2097152", "4096"),
		[NFS_OP_SPACE] = PUTFH "9 attributes 00000000 00000400\n",
		[NFS_OP_SET_MODE] = PUTFH
		"34 seqid 0 other 00000000 00000000 00000000 attributes 00000000 00000002 values 00000180\n",
		[NFS_OP_WRITE] = PUTFH
		"38 seqid 0 other 00000000 00000000 00000000 offset 78187493376 stable 2 length 0\n" GETATTR,
		[NFS_OP_COMMIT] = PUTFH "5 offset 0 count 0\n",
		[NFS_OP_REMOVE] = PUTFH "28 name images\n",
	};
	struct nfs_request request = golden_values;
	char text[1024], want[1024];
	uint8_t buf[NFS_ARGS_MAX];
	ssize_t len;

	for (; request.op < NFS_OP_COUNT; request.op++) {
		SUITE_ROW("operation %d", request.op);
		/* The data of a WRITE is not among its arguments. */
		request.count = request.op == NFS_OP_WRITE ? 0 : golden_values.count;
		len = nfs4_version_0.encode(&nfs4_version_0, &request, buf, sizeof(buf));
		if (request.op == NFS_OP_CREATE) {
			CU_ASSERT_EQUAL(len, -EOPNOTSUPP);
			continue;
		}
		ASSERT_MORE_FATAL(len, 0);
		CU_ASSERT_EQUAL(libnfs_nfs4_args_text(buf, (size_t)len, text, sizeof(text)), 0);
		snprintf(want, sizeof(want), "tag of 0 minor 0\n%s", meant[request.op]);
		CU_ASSERT_STRING_EQUAL(text, want);
	}
}

static void the_longest_handle_and_name_fit(void)
{
	struct nfs_request request = golden_values;
	char name[NFS3_NAME_MAX + 1];
	uint8_t buf[NFS_ARGS_MAX];

	memset(name, 'n', sizeof(name));
	name[NFS3_NAME_MAX] = '\0';
	request.op = NFS_OP_LOOKUP;
	request.name = name;
	request.fh.len = NFS4_FHSIZE;
	/* head, SEQUENCE, PUTFH, LOOKUP, GETFH, GETATTR */
	CU_ASSERT_EQUAL(nfs4_version_1.encode(&nfs4_version_1, &request, buf, sizeof(buf)),
			12 + 36 + 136 + 264 + 4 + 16);
}

static void impossible_arguments_are_refused(void)
{
	struct nfs_request request = golden_values;
	char name[NFS3_NAME_MAX + 2];
	uint8_t buf[NFS_ARGS_MAX];

	memset(name, 'n', sizeof(name));
	name[NFS3_NAME_MAX + 1] = '\0';
	request.op = NFS_OP_LOOKUP;
	request.name = name;
	CU_ASSERT_EQUAL(nfs4_version_0.encode(&nfs4_version_0, &request, buf, sizeof(buf)),
			-EINVAL);
	ASSERT_CONTAINS(err_text(), "256 bytes");
	request.name = "";
	CU_ASSERT_EQUAL(nfs4_version_0.encode(&nfs4_version_0, &request, buf, sizeof(buf)),
			-EINVAL);
	request.fh.len = NFS4_FHSIZE + 1;
	for (request.op = 0; request.op < NFS_OP_COUNT; request.op++) {
		SUITE_ROW("operation %d", request.op);
		CU_ASSERT_EQUAL(nfs4_version_2.encode(&nfs4_version_2, &request, buf,
						      sizeof(buf)) == -EINVAL,
				request.op != NFS_OP_ROOT);
	}
	ASSERT_CONTAINS(err_text(), "129 bytes");
}

SUITE_MAIN("nfs4-args", TEST(calls_match_the_wire_vectors),
	   TEST(nfs42_differs_from_nfs41_only_in_its_number), TEST(libnfs_decodes_the_same_calls),
	   TEST(the_longest_handle_and_name_fit), TEST(impossible_arguments_are_refused))
