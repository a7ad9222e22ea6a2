/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The CLIENT's wire format: its calls have the bytes that libtirpc sends over TCP, and malformed
 * replies end only their call, with an error. The peer is a thread that answers one call with
 * the test's script, over the in-memory transport. */
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "rpcrdma/tirpc/internal.h"

#include "echo.h"
#include "tests/unit/client-peer.h"

/* One answer: the Send, and what is written to the Reply chunk before it. */
struct script {
	uint8_t send[4096];
	struct writer w;
	uint8_t chunk[4096];
	struct writer message;
	bool close; /* instead */

	/* the reply */
	uint8_t call[8192];
	size_t call_len;
	struct rpcrdma_header header;
};

static struct script script;
static CLIENT *client;

static void script_begin(void)
{
	connect_peer(4);
	rpcrdma_set_xid(conn, 0x1000);
	client = clnt_rdma_create(conn, ECHO_PROGRAM, ECHO_VERSION);
	CU_ASSERT_PTR_NOT_NULL_FATAL(client);
}

static void script_end(void)
{
	clnt_destroy(client);
	hang_up();
}

/* The transport header of the answer. The Reply chunk is returned with these lengths. */
static void script_header(uint32_t proc, const uint32_t *lengths, uint32_t count)
{
	struct rpcrdma_segment segments[4] = { { 0 } };
	struct rpcrdma_header h;
	uint32_t i;

	writer_init(&script.w, script.send, sizeof(script.send));
	writer_init(&script.message, script.chunk, sizeof(script.chunk));
	header_init(&h, rpcrdma_next_xid(conn), 4, proc);
	for (i = 0; i < count; i++)
		segments[i].length = lengths[i];
	if (lengths)
		header_set_reply(&h, segments, count);
	CU_ASSERT_EQUAL(header_encode(&script.w, &h), 0);
}

/* The RPC reply header, for the Send or the chunk. */
static void script_success(struct writer *w)
{
	const struct rpc_reply reply = { .xid = rpcrdma_next_xid(conn) };

	rpc_reply_encode(w, &reply);
}

static void *script_run(void *arg)
{
	struct transport_msg msg;
	struct reader r;
	struct iovec iov = { script.send, script.w.len };

	if (peer->ops->recv(peer, &msg, soon()))
		return arg;
	reader_init(&r, msg.data, msg.len);
	header_decode(&script.header, &r);
	script.call_len = reader_left(&r);
	memcpy(script.call, r.p, script.call_len);
	peer->ops->repost(peer, &msg);
	if (script.close) {
		transport_close_p(&peer);
		return arg;
	}
	if (script.message.len) {
		const struct rpcrdma_segment *s =
			&script.header.segments[script.header.reply.first];

		peer->ops->write(peer, script.chunk, script.message.len, s->handle, s->offset,
				 soon());
	}
	if (iov.iov_len)
		peer->ops->send(peer, &iov, 1, 0, 0, soon());
	return arg;
}

/* One ECHO_MAKE call, answered by the script. */
static enum clnt_stat script_call(echo_bytes *result)
{
	const struct timeval wait = { 5, 0 };
	pthread_t thread;
	enum clnt_stat stat;
	u_int arg = 4;

	memset(result, 0, sizeof(*result));
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, script_run, NULL), 0);
	stat = clnt_call(client, ECHO_MAKE, (xdrproc_t)xdr_u_int, (char *)&arg,
			 (xdrproc_t)xdr_echo_bytes, (char *)result, wait);
	pthread_join(thread, NULL);
	return stat;
}

static void expect(enum clnt_stat want)
{
	struct rpc_err error;
	echo_bytes result;
	enum clnt_stat stat = script_call(&result);

	CU_ASSERT_EQUAL(stat, want);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_status, want);
	CU_ASSERT_STRING_NOT_EQUAL(clnt_sperror(client, "x"), "");
	clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)&result);
}

static void good_results(struct writer *w)
{
	script_success(w);
	writer_opaque(w, "\1\2\3\4\5", 5);
}

static void results_arrive_inline_or_in_the_reply_chunk(void)
{
	uint32_t length = 24 + 12;
	echo_bytes result;

	script_begin();
	script_header(RDMA_MSG, NULL, 0);
	good_results(&script.w);
	CU_ASSERT_EQUAL(script_call(&result), RPC_SUCCESS);
	CU_ASSERT_EQUAL(result.echo_bytes_len, 5);
	ASSERT_BYTES(result.echo_bytes_val, "\1\2\3\4\5", 5);
	clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)&result);
	/* Slightly more than 1 MiB was offered. */
	CU_ASSERT(script.header.has_reply);
	CU_ASSERT_EQUAL(script.header.reply.count, 1);
	ASSERT_AT_LEAST(script.header.segments[0].length, 24 + 4 + ECHO_MAX);
	script_header(RDMA_NOMSG, &length, 1);
	good_results(&script.message);
	CU_ASSERT_EQUAL(script_call(&result), RPC_SUCCESS);
	CU_ASSERT_EQUAL(result.echo_bytes_len, 5);
	ASSERT_BYTES(result.echo_bytes_val, "\1\2\3\4\5", 5);
	clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)&result);
	script_end();
}

static void wrong_reply_chunk_lengths_are_refused(void)
{
	static const struct {
		uint32_t lengths[4], count;
	} rows[] = {
		{ { 0xffffffff }, 1 }, { { 2 * 1024 * 1024 }, 1 },
		{ { 36, 0 }, 2 },      { { 0x80000000, 36 }, 2 },
		{ { 0 }, 0 },          { { 0 }, 1 },
		{ { 23 }, 1 }, /* less than an RPC header */
		{ { 27 }, 1 }, /* less than the results' length word */
		{ { 32 }, 1 }, /* less than the results */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		script_begin();
		script_header(RDMA_NOMSG, rows[i].lengths, rows[i].count);
		good_results(&script.message);
		expect(RPC_CANTDECODERES);
		/* The connection stays usable: the next call succeeds. */
		script_header(RDMA_MSG, NULL, 0);
		good_results(&script.w);
		expect(RPC_SUCCESS);
		script_end();
	}
}

/* 4 GiB; over the program's limit; longer than the data. */
static void results_with_an_excessive_length_cannot_be_decoded(void)
{
	static const uint32_t lengths[] = { 0xffffffff, 0x80000000, ECHO_MAX + 1,
					    ECHO_MAX,   9,          0x7ffffffd };
	size_t i;

	script_begin();
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		SUITE_ROW("%zu: %u", i, lengths[i]);
		script_header(RDMA_MSG, NULL, 0);
		script_success(&script.w);
		writer_u32(&script.w, lengths[i]);
		writer_u64(&script.w, 0x0102030405060708);
		expect(RPC_CANTDECODERES);
	}
	script_end();
}

static void every_truncated_reply_ends_the_call(void)
{
	size_t all, len;

	for (len = 0, all = 1; len < all; len++) {
		SUITE_ROW("len %zu", len);
		script_begin();
		script_header(RDMA_MSG, NULL, 0);
		good_results(&script.w);
		all = script.w.len;
		script.w.len = len ? len : 1;
		expect(RPC_CANTDECODERES);
		script_end();
	}
	CU_ASSERT_EQUAL(all, 28 + 24 + 12);
}

static void rpc_errors_match_libtirpc(void)
{
	static const struct {
		struct rpc_reply reply;
		enum clnt_stat stat;
	} rows[] = {
		{ { .accept_stat = RPC_PROG_UNAVAIL }, RPC_PROGUNAVAIL },
		{ { .accept_stat = RPC_PROG_MISMATCH, .low = 3, .high = 9 }, RPC_PROGVERSMISMATCH },
		{ { .accept_stat = RPC_PROC_UNAVAIL }, RPC_PROCUNAVAIL },
		{ { .accept_stat = RPC_GARBAGE_ARGS }, RPC_CANTDECODEARGS },
		{ { .accept_stat = RPC_SYSTEM_ERR }, RPC_SYSTEMERROR },
		{ { .accept_stat = 6 }, RPC_FAILED },
		{ { .accept_stat = 0xffffffff }, RPC_FAILED },
		{ { .reply_stat = RPC_MSG_DENIED, .low = 2, .high = 2 }, RPC_VERSMISMATCH },
		{ { .reply_stat = RPC_MSG_DENIED, .reject_stat = RPC_AUTH_ERROR, .auth_stat = 2 },
		  RPC_AUTHERROR },
		{ { .reply_stat = RPC_MSG_DENIED,
		    .reject_stat = RPC_AUTH_ERROR,
		    .auth_stat = 0xffffffff },
		  RPC_AUTHERROR },
		{ { .reply_stat = RPC_MSG_DENIED, .reject_stat = 7 }, RPC_FAILED },
	};
	struct rpc_reply reply;
	size_t i;

	script_begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		script_header(RDMA_MSG, NULL, 0);
		reply = rows[i].reply;
		reply.xid = rpcrdma_next_xid(conn);
		rpc_reply_encode(&script.w, &reply);
		expect(rows[i].stat);
	}
	script_end();
}

static void transport_errors_are_receive_errors(void)
{
	struct rpc_err error;

	script_begin();
	script_header(RDMA_ERROR, NULL, 0);
	put_be32(script.send + 16, ERR_CHUNK);
	expect(RPC_CANTRECV);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_errno, EBADE);
	ASSERT_CONTAINS(rpcrdma_error(), "ERR_CHUNK");
	/* an xid that no call used */
	script_header(RDMA_MSG, NULL, 0);
	good_results(&script.w);
	script.send[0] ^= 0x80;
	expect(RPC_CANTDECODERES);
	script.close = true;
	expect(RPC_CANTRECV);
	script.close = false;
	script_end();
}

/* The AUTH validates the verifier, whatever it holds. */
/* More than can be received in that time. */
static void endless_late_replies_do_not_block_a_call(void)
{
	const struct timeval little = { 0, 1000 };
	const unsigned int many = 20000;
	echo_bytes result = { 0 };
	enum clnt_stat stat;
	unsigned int i;
	u_int arg = 4;

	script_begin();
	script_header(RDMA_MSG, NULL, 0);
	good_results(&script.w);
	CU_ASSERT_EQUAL(script_call(&result), RPC_SUCCESS);
	clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)&result);
	for (i = 0; i < many; i++)
		send_bytes(script.send, script.w.len);
	stat = clnt_call(client, ECHO_MAKE, (xdrproc_t)xdr_u_int, (char *)&arg,
			 (xdrproc_t)xdr_echo_bytes, (char *)&result, little);
	CU_ASSERT_EQUAL(stat, RPC_TIMEDOUT);
	ASSERT_LESS(rpcrdma_transport(conn)->stats.sends_in, many);
	script_end();
}

static void verifiers_of_any_length_are_skipped_or_refused(void)
{
	static const uint8_t zeros[408];
	static const struct {
		uint32_t len;
		enum clnt_stat stat;
	} rows[] = { { 0, RPC_SUCCESS },
		     { 400, RPC_SUCCESS },
		     { 404, RPC_CANTDECODERES },
		     { 0xfffffffd, RPC_CANTDECODERES } };
	size_t i;

	script_begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		script_header(RDMA_MSG, NULL, 0);
		writer_u32(&script.w, rpcrdma_next_xid(conn));
		writer_u32(&script.w, 1);
		writer_u32(&script.w, 0);
		writer_u32(&script.w, AUTH_NONE);
		writer_u32(&script.w, rows[i].len);
		writer_bytes(&script.w, zeros, rows[i].len <= 404 ? rows[i].len : 0);
		writer_u32(&script.w, 0);
		writer_opaque(&script.w, "x", 1);
		expect(rows[i].stat);
	}
	script_end();
}

/* A record of a libtirpc CLIENT over TCP, without its mark. */
static size_t call_over_tcp(AUTH *auth, uint8_t *record, size_t cap)
{
	const struct timeval wait = { 0, 20000 };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listen_fd = socket(AF_INET, SOCK_STREAM, 0), fd;
	int sock = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(in);
	struct netbuf at = { sizeof(in), sizeof(in), &in };
	echo_bytes result = { 0 };
	CLIENT *tcp;
	u_int arg = 4;
	ssize_t n;

	CU_ASSERT_EQUAL_FATAL(bind(listen_fd, (struct sockaddr *)&in, len), 0);
	CU_ASSERT_EQUAL_FATAL(listen(listen_fd, 1), 0);
	getsockname(listen_fd, (struct sockaddr *)&in, &len);
	CU_ASSERT_EQUAL_FATAL(connect(sock, (struct sockaddr *)&in, len), 0);
	fd = accept(listen_fd, NULL, NULL);
	tcp = clnt_vc_create(sock, &at, ECHO_PROGRAM, ECHO_VERSION, 0, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(tcp);
	tcp->cl_auth = auth;
	CU_ASSERT_EQUAL(clnt_call(tcp, ECHO_MAKE, (xdrproc_t)xdr_u_int, (char *)&arg,
				  (xdrproc_t)xdr_echo_bytes, (char *)&result, wait),
			RPC_TIMEDOUT);
	n = recv(fd, record, cap, 0);
	ASSERT_MORE_FATAL(n, 4);
	CU_ASSERT_EQUAL(get_be32(record), 0x80000000u | (uint32_t)(n - 4));
	memmove(record, record + 4, (size_t)n - 4);
	clnt_destroy(tcp);
	close(sock);
	close(fd);
	close(listen_fd);
	return (size_t)n - 4;
}

static void a_call_has_the_same_bytes_as_libtirpc_over_tcp(void)
{
	gid_t gids[] = { 1, 2, 3 };
	char machine[] = "host";
	AUTH *auths[] = { authnone_create(), authunix_create(machine, 36, 37, 3, gids) };
	uint8_t record[1024];
	uint32_t xid;
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(auths); i++) {
		SUITE_ROW("%zu", i);
		len = call_over_tcp(auths[i], record, sizeof(record));
		xid = get_be32(record);
		script_begin();
		client->cl_auth = auths[i];
		clnt_control(client, CLSET_XID, (char *)&xid);
		script_header(RDMA_MSG, NULL, 0);
		good_results(&script.w);
		expect(RPC_SUCCESS);
		script_end();
		CU_ASSERT_EQUAL_FATAL(len, script.call_len);
		ASSERT_BYTES(record, script.call, len);
	}
	auth_destroy(auths[1]);
}

SUITE_MAIN("clnt-wire", TEST(results_arrive_inline_or_in_the_reply_chunk),
	   TEST(wrong_reply_chunk_lengths_are_refused),
	   TEST(results_with_an_excessive_length_cannot_be_decoded),
	   TEST(every_truncated_reply_ends_the_call), TEST(rpc_errors_match_libtirpc),
	   TEST(transport_errors_are_receive_errors),
	   TEST(endless_late_replies_do_not_block_a_call),
	   TEST(verifiers_of_any_length_are_skipped_or_refused),
	   TEST(a_call_has_the_same_bytes_as_libtirpc_over_tcp))
