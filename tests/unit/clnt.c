/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The CLIENT against a server with rpcgen's stubs: every length in both directions, and what
 * clnt_call(3) and clnt_control(3) document. */
#include <netinet/in.h>

#include "tests/support/raw-peer.h"
#include "tests/unit/svc-peer.h"

static char bytes[ECHO_MAX];

static void fill(u_int seed)
{
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 31 + i / 4096 + seed);
}

static void try_back(CLIENT *client, u_int len)
{
	echo_bytes arg = { .echo_bytes_len = len, .echo_bytes_val = bytes };
	echo_bytes *result;

	fill(len);
	result = echo_back_1(&arg, client);
	suite_saw("%u bytes: %s: %s", len, clnt_sperror(client, ""), rpcrdma_error());
	CU_ASSERT_PTR_NOT_NULL_FATAL(result);
	CU_ASSERT_EQUAL_FATAL(result->echo_bytes_len, len);
	if (len)
		ASSERT_BYTES(result->echo_bytes_val, bytes, len);
	CU_ASSERT(clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)result));
	CU_ASSERT_PTR_NULL(result->echo_bytes_val);
}

static void try_make(CLIENT *client, u_int len)
{
	echo_bytes *result = echo_make_1(&len, client);
	u_int i, wrong = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(result);
	CU_ASSERT_EQUAL_FATAL(result->echo_bytes_len, len);
	for (i = 0; i < len; i++)
		wrong += (u_char)result->echo_bytes_val[i] != i % 251;
	CU_ASSERT_EQUAL(wrong, 0);
	clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)result);
}

static void try_take(CLIENT *client, u_int len)
{
	echo_bytes arg = { .echo_bytes_len = len, .echo_bytes_val = bytes };
	u_int *result = echo_take_1(&arg, client);

	CU_ASSERT_PTR_NOT_NULL_FATAL(result);
	CU_ASSERT_EQUAL(*result, len);
}

static const u_int sizes[] = { 0,    1,     2,     3,     4,      5,      811,     812,
			       813,  868,   869,   1023,  1024,   1025,   3939,    3940,
			       3941, 4028,  4029,  4095,  4096,   4097,   8191,    8192,
			       8193, 65535, 65536, 65537, 262144, 524289, 1048575, ECHO_MAX };

static void every_length_survives_the_round_trip(void)
{
	CLIENT *client;
	size_t i;

	svc_begin();
	client = svc_client(ECHO_PROGRAM, ECHO_VERSION);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu", i);
		try_back(client, sizes[i]);
		try_make(client, sizes[i]);
		try_take(client, sizes[i]);
	}
	clnt_destroy(client);
	svc_end();
}

/* Around the last length that is sent inline and the first that is not. */
static void lengths_near_the_thresholds_are_echoed(void)
{
	CLIENT *client;
	u_int len;

	svc_begin();
	client = svc_client(ECHO_PROGRAM, ECHO_VERSION);
	for (len = 3960; len < 4060; len++) {
		SUITE_ROW("len %u", len);
		try_back(client, len);
	}
	clnt_destroy(client);
	svc_end();
}

static void small_results_are_returned_inline(void)
{
	uint32_t max = 2048, got = 0;
	struct clnt *c;
	CLIENT *client;
	u_int len = 100000;

	svc_begin();
	client = svc_client(ECHO_PROGRAM, ECHO_VERSION);
	c = client->cl_private;
	CU_ASSERT(clnt_control(client, CLSET_RDMA_RESULT_MAX, (char *)&max));
	CU_ASSERT(clnt_control(client, CLGET_RDMA_RESULT_MAX, (char *)&got));
	CU_ASSERT_EQUAL(got, 2048);
	try_back(client, 2000);
	CU_ASSERT_EQUAL(rpcrdma_transport(c->conn)->stats.writes_in, 0);
	CU_ASSERT_PTR_NULL(echo_make_1(&len, client));
	/* The maximum, and one byte more. */
	max = 2 * 1024 * 1024 + 4096;
	CU_ASSERT(clnt_control(client, CLSET_RDMA_RESULT_MAX, (char *)&max));
	try_make(client, ECHO_MAX);
	max++;
	CU_ASSERT_FALSE(clnt_control(client, CLSET_RDMA_RESULT_MAX, (char *)&max));
	clnt_destroy(client);
	svc_end();
}

static void the_server_receives_auth_sys(void)
{
	gid_t gids[] = { 100, 107, 4294967294u };
	char machine[] = "hypervisor-1";
	echo_caller *who;
	CLIENT *client;

	svc_begin();
	client = svc_client(ECHO_PROGRAM, ECHO_VERSION);
	who = echo_who_1(NULL, client);
	CU_ASSERT_PTR_NOT_NULL_FATAL(who);
	CU_ASSERT_EQUAL(who->flavor, AUTH_NONE);
	clnt_freeres(client, (xdrproc_t)xdr_echo_caller, (char *)who);
	auth_destroy(client->cl_auth);
	client->cl_auth = authunix_create(machine, 36, 36, 3, gids);
	who = echo_who_1(NULL, client);
	CU_ASSERT_PTR_NOT_NULL_FATAL(who);
	CU_ASSERT_EQUAL(who->flavor, AUTH_SYS);
	CU_ASSERT_EQUAL(who->uid, 36);
	CU_ASSERT_EQUAL(who->gid, 36);
	CU_ASSERT_EQUAL_FATAL(who->gids.gids_len, 3);
	CU_ASSERT_EQUAL(who->gids.gids_val[2], 4294967294u);
	CU_ASSERT_STRING_EQUAL(who->machine, machine);
	clnt_freeres(client, (xdrproc_t)xdr_echo_caller, (char *)who);
	auth_destroy(client->cl_auth);
	clnt_destroy(client);
	svc_end();
}

/* A flavour that has to sign the arguments. */
static void other_flavours_are_refused_locally(void)
{
	AUTH *none = authnone_create(), gss = *none;
	struct rpc_err error;
	CLIENT *client;

	svc_begin();
	client = svc_client(ECHO_PROGRAM, ECHO_VERSION);
	gss.ah_cred.oa_flavor = 6;
	client->cl_auth = &gss;
	CU_ASSERT_PTR_NULL(echo_who_1(NULL, client));
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_status, RPC_AUTHERROR);
	CU_ASSERT_EQUAL(error.re_why, AUTH_FAILED);
	ASSERT_CONTAINS(rpcrdma_error(), "flavour 6");
	client->cl_auth = none;
	try_back(client, 10);
	clnt_destroy(client);
	svc_end();
}

/* An AUTH that counts the calls of its operations. */
static unsigned int refreshed, validated;
static bool validates;

static int count_refresh(AUTH *auth, void *msg)
{
	(void)auth, (void)msg;
	refreshed++;
	return TRUE;
}

static int count_validate(AUTH *auth, struct opaque_auth *verf)
{
	(void)auth;
	CU_ASSERT_EQUAL(verf->oa_flavor, AUTH_NONE);
	CU_ASSERT_EQUAL(verf->oa_length, 0);
	validated++;
	return validates;
}

static void the_auth_validates_replies_and_is_refreshed(void)
{
	AUTH *none = authnone_create(), auth = *none;
	struct auth_ops ops = *none->ah_ops;
	struct rpc_err error;
	CLIENT *client;
	u_int result;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	ops.ah_refresh = count_refresh;
	ops.ah_validate = count_validate;
	auth.ah_ops = &ops;
	client->cl_auth = &auth;
	odd_calls = refreshed = validated = 0;
	CU_ASSERT_EQUAL(odd_call(client, ODD_WEAK, 0, &result, svc_wait), RPC_AUTHERROR);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_why, AUTH_TOOWEAK);
	CU_ASSERT_EQUAL(odd_calls, 3);
	CU_ASSERT_EQUAL(validated, 0);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_AUTHERROR);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_why, AUTH_INVALIDRESP);
	CU_ASSERT_EQUAL(validated, 1);
	validates = true;
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_SUCCESS);
	client->cl_auth = none;
	clnt_destroy(client);
	svc_end();
}

static void unknown_programs_versions_and_procedures_are_reported(void)
{
	struct rpc_err error;
	CLIENT *client;
	u_int result;

	svc_begin();
	client = svc_client(0x20051, 1);
	CU_ASSERT_EQUAL(odd_call(client, 1, 1, &result, svc_wait), RPC_PROGUNAVAIL);
	clnt_destroy(client);
	client = svc_client(ODD_PROGRAM, 3);
	CU_ASSERT_EQUAL(odd_call(client, 1, 1, &result, svc_wait), RPC_PROGVERSMISMATCH);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_vers.low, 2);
	CU_ASSERT_EQUAL(error.re_vers.high, 5);
	clnt_destroy(client);
	client = svc_client(ODD_PROGRAM, 5);
	CU_ASSERT_EQUAL(odd_call(client, 77, 1, &result, svc_wait), RPC_PROCUNAVAIL);
	CU_ASSERT_EQUAL(odd_call(client, ODD_FAILED, 1, &result, svc_wait), RPC_SYSTEMERROR);
	CU_ASSERT_EQUAL(
		clnt_call(client, ODD_SLEEP, xdr_nothing, NULL, xdr_nothing, NULL, svc_wait),
		RPC_CANTDECODEARGS);
	CU_ASSERT_EQUAL(odd_call(client, ODD_NO_RESULT, 1, &result, svc_wait), RPC_SYSTEMERROR);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 1, &result, svc_wait), RPC_SUCCESS);
	clnt_destroy(client);
	svc_end();
}

static bool_t xdr_words(XDR *xdrs, u_int *count)
{
	u_int i, word = 7;

	for (i = 0; i < *count; i++)
		if (!xdr_u_int(xdrs, &word))
			return FALSE;
	return TRUE;
}

static void encoding_and_decoding_errors_are_reported(void)
{
	u_int many = RPCRDMA_MESSAGE_MAX / 4, few = 2;
	struct rpc_err error;
	CLIENT *client;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	CU_ASSERT_EQUAL(
		clnt_call(client, 0, (xdrproc_t)xdr_refuse, NULL, xdr_nothing, NULL, svc_wait),
		RPC_CANTENCODEARGS);
	CU_ASSERT_EQUAL(clnt_call(client, 0, (xdrproc_t)xdr_words, (char *)&many, xdr_nothing, NULL,
				  svc_wait),
			RPC_CANTSEND);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_errno, EMSGSIZE);
	many++;
	CU_ASSERT_EQUAL(clnt_call(client, 0, (xdrproc_t)xdr_words, (char *)&many, xdr_nothing, NULL,
				  svc_wait),
			RPC_CANTSEND);
	odd_calls = 0;
	CU_ASSERT_EQUAL(clnt_call(client, ODD_PORT, xdr_nothing, NULL, (xdrproc_t)xdr_words,
				  (char *)&few, svc_wait),
			RPC_CANTDECODERES);
	CU_ASSERT_EQUAL(odd_calls, 1);
	clnt_destroy(client);
	svc_end();
}

static void a_timeout_ends_the_call_but_not_the_client(void)
{
	const struct timeval little = { 0, 50000 };
	CLIENT *client, *echo;
	struct clnt *c;
	uint64_t start;
	u_int result = 0;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	c = client->cl_private;
	echo = clnt_rdma_create(c->conn, ECHO_PROGRAM, ECHO_VERSION);
	CU_ASSERT_PTR_NOT_NULL_FATAL(echo);
	try_back(echo, 1); /* there are several credits now */
	start = now_ms();
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 1000, &result, little), RPC_TIMEDOUT);
	ASSERT_AT_LEAST(now_ms() - start, 50);
	ASSERT_WITHIN_MS(now_ms() - start, 250);
	CU_ASSERT_PTR_NOT_NULL(c->overdue);
	/* The late reply is not matched to another call. */
	try_back(echo, 70000);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 1, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT_EQUAL(result, 1);
	CU_ASSERT_PTR_NULL(c->overdue);
	clnt_destroy(echo);
	clnt_destroy(client);
	svc_end();
}

static void the_timeout_of_clnt_control_takes_precedence(void)
{
	struct timeval little = { 0, 30000 }, got = { 0, 0 }, bad = { -1, 0 };
	CLIENT *client;
	u_int result;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	CU_ASSERT(clnt_control(client, CLSET_TIMEOUT, (char *)&little));
	CU_ASSERT(clnt_control(client, CLGET_TIMEOUT, (char *)&got));
	CU_ASSERT_EQUAL(got.tv_usec, 30000);
	CU_ASSERT_FALSE(clnt_control(client, CLSET_TIMEOUT, (char *)&bad));
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 1500, &result, svc_wait), RPC_TIMEDOUT);
	/* with a call in flight */
	clnt_destroy(client);
	svc_end();
}

/* As over TCP: a call that does not wait is sent, and a batched call expects no results. */
static void a_timeout_of_zero_does_not_wait(void)
{
	const struct timeval none = { 0, 0 };
	CLIENT *client;
	u_int result = 5;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	odd_calls = 0;
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 1, &result, none), RPC_TIMEDOUT);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 2, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT_EQUAL(clnt_call(client, ODD_SLEEP, (xdrproc_t)xdr_u_int, (char *)&result, NULL,
				  NULL, none),
			RPC_SUCCESS);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 3, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT_EQUAL(result, 3);
	CU_ASSERT_EQUAL(odd_calls, 4);
	clnt_destroy(client);
	svc_end();
}

/* Each call keeps its credit and memory: a silent server cannot take more. */
static void a_silent_server_holds_at_most_its_credits(void)
{
	const struct timeval little = { 0, 10000 };
	CLIENT *client;
	struct clnt *c;
	enum clnt_stat stat;
	uint32_t max = 65536;
	unsigned int i;
	u_int result;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	c = client->cl_private;
	/* Eight times the default would reach the locked-memory limit of many hosts. */
	CU_ASSERT(clnt_control(client, CLSET_RDMA_RESULT_MAX, (char *)&max));
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_SUCCESS);
	/* However short the timeout is, it does not truncate a Send. */
	for (i = 0; i < 12; i++) {
		SUITE_ROW("%u", i);
		stat = odd_call(client, ODD_SILENT, 0, &result, little);
		suite_saw("%s: %s", clnt_sperror(client, "silent"), rpcrdma_error());
		CU_ASSERT_EQUAL(stat, RPC_TIMEDOUT);
	}
	/* The server grants eight. */
	CU_ASSERT_EQUAL(rpcrdma_credits(c->conn), 8);
	ASSERT_AT_MOST(rpcrdma_transport(c->conn)->stats.sends_out, 1 + 8);
	clnt_destroy(client);
	svc_end();
}

static void clnt_control_works_as_over_tcp(void)
{
	struct sockaddr_storage addr = { 0 };
	struct transport_address at = { .len = sizeof(addr) };
	struct netbuf buf = { 0 };
	uint32_t value = 0, xid;
	CLIENT *client;
	u_int result;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 5);
	CU_ASSERT(clnt_control(client, CLGET_SERVER_ADDR, (char *)&addr));
	at.addr = addr;
	CU_ASSERT_EQUAL(transport_port(&at), rpcrdma_svc_port(svc));
	CU_ASSERT(clnt_control(client, CLGET_SVC_ADDR, (char *)&buf));
	CU_ASSERT_EQUAL_FATAL(buf.len, sizeof(struct sockaddr_in));
	ASSERT_BYTES(buf.buf, &addr, buf.len);
	CU_ASSERT(clnt_control(client, CLGET_VERS, (char *)&value));
	CU_ASSERT_EQUAL(value, 5);
	CU_ASSERT(clnt_control(client, CLGET_PROG, (char *)&value));
	CU_ASSERT_EQUAL(value, ODD_PROGRAM);
	xid = 0x12345678;
	CU_ASSERT(clnt_control(client, CLSET_XID, (char *)&xid));
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT(clnt_control(client, CLGET_XID, (char *)&value));
	CU_ASSERT_EQUAL(value, xid);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT(clnt_control(client, CLGET_XID, (char *)&value));
	CU_ASSERT_EQUAL(value, xid + 1);
	value = 9;
	CU_ASSERT(clnt_control(client, CLSET_VERS, (char *)&value));
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_PROGVERSMISMATCH);
	value = 0x7777;
	CU_ASSERT(clnt_control(client, CLSET_PROG, (char *)&value));
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_PROGUNAVAIL);
	clnt_abort(client);
	clnt_destroy(client);
	svc_end();
}

static void clnt_control_refuses_unsupported_requests(void)
{
	static const u_int requests[] = { CLGET_FD,
					  CLSET_FD_CLOSE,
					  CLSET_FD_NCLOSE,
					  CLSET_SVC_ADDR,
					  CLSET_PUSH_TIMOD,
					  CLSET_POP_TIMOD,
					  CLSET_RETRY_TIMEOUT,
					  CLGET_RETRY_TIMEOUT,
					  CLSET_ASYNC,
					  CLSET_CONNECT,
					  0,
					  0xffffffff };
	char info[256] = { 0 };
	CLIENT *client;
	size_t i;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 5);
	for (i = 0; i < ARRAY_SIZE(requests); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_FALSE(clnt_control(client, requests[i], info));
	}
	CU_ASSERT_FALSE(clnt_control(client, CLGET_TIMEOUT, NULL));
	CU_ASSERT_STRING_EQUAL(client->cl_netid, "rdma");
	clnt_destroy(client);
	svc_end();
}

static void a_disconnect_is_reported_by_every_later_call(void)
{
	struct rpc_err error;
	CLIENT *client;
	enum clnt_stat stat;
	u_int result;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_SUCCESS);
	svc_end();
	stat = odd_call(client, ODD_SLEEP, 0, &result, svc_wait);
	ASSERT_EITHER(stat, RPC_CANTRECV, RPC_CANTSEND);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_status, stat);
	ASSERT_EITHER(error.re_errno, ECONNRESET, EREMOTEIO);
	CU_ASSERT_EQUAL(odd_call(client, ODD_SLEEP, 0, &result, svc_wait), RPC_CANTSEND);
	clnt_destroy(client);
}

static void a_connection_failure_is_reported_as_over_tcp(void)
{
	CLIENT *client;
	uint16_t port;

	svc_begin();
	port = rpcrdma_svc_port(svc);
	svc_end();
	client = clnt_rdma_open(svc_host(), port, ECHO_PROGRAM, 1, svc_transport(), 5000);
	CU_ASSERT_PTR_NULL(client);
	CU_ASSERT_EQUAL(rpc_createerr.cf_stat, RPC_SYSTEMERROR);
	CU_ASSERT_EQUAL(rpc_createerr.cf_error.re_errno, ECONNREFUSED);
	CU_ASSERT_PTR_NULL(
		clnt_rdma_open("no-such-host.invalid", 1, ECHO_PROGRAM, 1, "iwarp", 5000));
	ASSERT_EITHER(rpc_createerr.cf_stat, RPC_UNKNOWNHOST, RPC_SYSTEMERROR);
	CU_ASSERT_PTR_NULL(clnt_rdma_open(svc_host(), 1, ECHO_PROGRAM, 1, "pigeon", 0));
	CU_ASSERT_EQUAL(rpc_createerr.cf_stat, RPC_UNKNOWNPROTO);
	ASSERT_CONTAINS(rpcrdma_error(), "pigeon");
}

/* A peer that sends endless meaningless messages. */
static void an_endless_stream_does_not_block_a_call(void)
{
	static const char reply[] = "MPA ID Rep Frame\x50\x02\x00\x04\x00\x04\x00\x04";
	static uint8_t frames[24 * 20 * 2048];
	const struct timeval little = { 0, 500000 };
	struct raw_server server;
	CLIENT *client;
	enum clnt_stat stat;
	struct fpdu f;
	uint64_t start;
	size_t at, len, sends;
	u_int result;

	for (sends = 0; sends < 2; sends++) {
		SUITE_ROW("sends %zu", sends);
		fpdu_init(&f, sends ? RDMAP_SEND : RDMAP_WRITE);
		f.msn = 1;
		f.last = !sends;
		for (at = 0; at < sizeof(frames); at += len)
			len = raw_peer_build(frames + at, &f, NULL, 0);
		server = (struct raw_server){ .script = reply,
					      .len = sizeof(reply) - 1,
					      .flood = frames,
					      .flood_len = sizeof(frames) };
		CU_ASSERT_EQUAL_FATAL(raw_server_open(&server), 0);
		client = clnt_rdma_open("127.0.0.1", transport_port(&server.at), ODD_PROGRAM, 2,
					"iwarp", 20000);
		CU_ASSERT_PTR_NOT_NULL_FATAL(client);
		start = now_ms();
		stat = odd_call(client, ODD_SLEEP, 1, &result, little);
		suite_saw("%s: %s", clnt_sperror(client, "flood"), rpcrdma_error());
		CU_ASSERT_EQUAL(stat, RPC_TIMEDOUT);
		ASSERT_AT_LEAST(now_ms() - start, 500);
		ASSERT_WITHIN_MS(now_ms() - start, 1500);
		clnt_destroy(client);
		raw_server_close(&server);
	}
}

static void *call_from_a_thread(void *arg)
{
	CLIENT *client = arg;
	u_int i, result;

	for (i = 0; i < 50; i++)
		if (odd_call(client, ODD_SLEEP, 0, &result, svc_wait) || result)
			return arg;
	return NULL;
}

static void threads_take_turns_on_one_connection(void)
{
	CLIENT *clients[2];
	pthread_t threads[4];
	struct clnt *c;
	unsigned int i;
	void *failed;

	svc_begin();
	clients[0] = svc_client(ODD_PROGRAM, 2);
	c = clients[0]->cl_private;
	clients[1] = clnt_rdma_create(c->conn, ODD_PROGRAM, 5);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&threads[i], NULL, call_from_a_thread, clients[i % 2]), 0);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		SUITE_ROW("%u", i);
		pthread_join(threads[i], &failed);
		CU_ASSERT_PTR_NULL(failed);
	}
	clnt_destroy(clients[1]);
	clnt_destroy(clients[0]);
	svc_end();
}

/* What a dispatch function can do with its SVCXPRT. */
static void a_dispatch_function_gets_an_ordinary_svcxprt(void)
{
	CLIENT *client;
	struct clnt *c;
	u_int result = 0;

	svc_begin();
	client = svc_client(ODD_PROGRAM, 2);
	c = client->cl_private;
	CU_ASSERT_EQUAL(odd_call(client, ODD_PORT, 0, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT_EQUAL(result, transport_port(&rpcrdma_transport(c->conn)->local));
	CU_ASSERT_EQUAL(odd_call(client, ODD_TWICE, 0, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT_EQUAL(result, 1);
	result = 0;
	CU_ASSERT_EQUAL(odd_call(client, ODD_NULL_XPRT, 0, &result, svc_wait), RPC_SUCCESS);
	CU_ASSERT_EQUAL(result, 1);
	clnt_destroy(client);
	svc_end();
}

SUITE_MAIN("clnt", TEST(every_length_survives_the_round_trip),
	   TEST(lengths_near_the_thresholds_are_echoed), TEST(small_results_are_returned_inline),
	   TEST(the_server_receives_auth_sys), TEST(other_flavours_are_refused_locally),
	   TEST(the_auth_validates_replies_and_is_refreshed),
	   TEST(unknown_programs_versions_and_procedures_are_reported),
	   TEST(encoding_and_decoding_errors_are_reported),
	   TIMED(a_timeout_ends_the_call_but_not_the_client),
	   TIMED(an_endless_stream_does_not_block_a_call),
	   TEST(the_timeout_of_clnt_control_takes_precedence),
	   TEST(a_timeout_of_zero_does_not_wait), TEST(a_silent_server_holds_at_most_its_credits),
	   TEST(clnt_control_works_as_over_tcp), TEST(clnt_control_refuses_unsupported_requests),
	   TEST(a_disconnect_is_reported_by_every_later_call),
	   TEST(a_connection_failure_is_reported_as_over_tcp),
	   TEST(threads_take_turns_on_one_connection),
	   TEST(a_dispatch_function_gets_an_ordinary_svcxprt))
