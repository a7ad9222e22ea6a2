/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* long-compound ADDRESS PORT: NFSv4.0 COMPOUNDs of 2 to 46 operations, of which the longest are
 * over 12,000 bytes and go as Position-Zero Read chunks, to a real server over software iWARP; each
 * without and with a Reply chunk. All operations succeed and change nothing: PUTROOTFH, and NVERIFY
 * that the root does not belong to a very long name. */
#include <stdio.h>

#include "rpcrdma/client/client.h"
#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/nfs/nfs4.h"

#define WAIT_MS     20000
#define OWNER_LEN   248
#define MOST        46 /* nfsd takes 50 */
#define ARGS_MAX    (16 + 4 + MOST * (24 + OWNER_LEN))
#define OWNER_WORD1 (1u << (36 - 32)) /* FATTR4_OWNER in the second word of a bitmap */

static size_t put_args(uint8_t args[ARGS_MAX], uint32_t operations)
{
	static const char owner[OWNER_LEN] = "nobody-has-such-a-long-name";
	struct writer w;
	uint32_t i;

	writer_init(&w, args, ARGS_MAX);
	writer_u32(&w, 0); /* tag */
	writer_u32(&w, 0); /* minor version */
	writer_u32(&w, operations);
	writer_u32(&w, OP_PUTROOTFH);
	for (i = 1; i < operations; i++) {
		writer_u32(&w, OP_NVERIFY);
		writer_u32(&w, 2);
		writer_u32(&w, 0);
		writer_u32(&w, OWNER_WORD1);
		writer_u32(&w, 4 + OWNER_LEN);
		writer_opaque(&w, owner, OWNER_LEN);
	}
	return w.bad ? 0 : w.len;
}

/* The status of the COMPOUND and how many results it has. */
static int check(const struct rpcrdma_call *call, uint32_t operations)
{
	struct reader r;
	uint32_t status, len, count;
	int rc = rpc_reply_check(&call->rpc);

	if (rc)
		return rc;
	reader_init(&r, call->results, call->results_len);
	status = reader_u32(&r);
	reader_opaque(&r, 0, &len);
	count = reader_u32(&r);
	if (r.bad || status || count != operations)
		return err_set(EPROTO, "status %u after %u of %u operations", status, count,
			       operations);
	return 0;
}

static int compound(struct rpcrdma_conn *conn, uint32_t operations,
		    const struct rpcrdma_memory *reply)
{
	static const struct rpc_cred root = { .flavor = RPC_AUTH_SYS };
	uint8_t args[ARGS_MAX];
	struct rpcrdma_call call;
	int rc;

	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, 4, 1);
	call.cred = &root;
	call.args = args;
	call.args_len = put_args(args, operations);
	call.reply = reply;
	call.reply_count = reply ? 1 : 0;
	rc = rpcrdma_call(conn, &call, deadline_in(WAIT_MS));
	if (!rc)
		rc = check(&call, operations);
	printf("%u operations, %zu bytes of arguments, %s: %s\n", operations, call.args_len,
	       reply ? "Reply chunk" : "inline reply", rc ? err_text() : "right");
	rpcrdma_call_fini(&call);
	return rc;
}

static int run(struct rpcrdma_conn *conn)
{
	static uint8_t bytes[8192];
	struct rpcrdma_memory reply = { .base = bytes, .length = sizeof(bytes) };
	uint32_t operations;
	int rc = rpcrdma_register(conn, &reply);

	for (operations = 2; !rc && operations <= MOST; operations += 11) {
		rc = compound(conn, operations, NULL);
		if (!rc)
			rc = compound(conn, operations, &reply);
	}
	rpcrdma_deregister(conn, &reply);
	return rc;
}

int main(int argc, char **argv)
{
	struct rpcrdma_options options = { .transport = &transport_iwarp };
	_cleanup_(rpcrdma_close_p) struct rpcrdma_conn *conn = NULL;
	int rc;

	rc = argc != 3 ? err_set(EINVAL, "usage: long-compound ADDRESS PORT")
		       : transport_resolve(argv[1], (uint16_t)atoi(argv[2]), &options.to, 1, 0);
	if (rc > 0)
		rc = rpcrdma_open(&conn, &options, deadline_in(WAIT_MS));
	if (!rc)
		rc = run(conn);
	if (rc) {
		fprintf(stderr, "long-compound: %s\n", err_text());
		return 1;
	}
	printf("the server made %llu RDMA Reads\n",
	       (unsigned long long)rpcrdma_transport(conn)->stats.reads_in);
	return 0;
}
