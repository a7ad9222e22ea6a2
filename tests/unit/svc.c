/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The server of rpcgen programs: accepted options, and a test with libtirpc's own CLIENT over
 * TCP. */
#include <netinet/in.h>

#include "tests/unit/svc-peer.h"

static CLIENT *tcp_client(int *sock, rpcprog_t prog, rpcvers_t vers)
{
	struct transport_address to;
	struct netbuf at = { sizeof(to.addr), 0, &to.addr };
	CLIENT *client;

	CU_ASSERT_EQUAL_FATAL(transport_resolve(svc_host(), rpcrdma_svc_tcp_port(svc), &to, 1, 0),
			      1);
	at.len = to.len;
	*sock = socket(to.addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CU_ASSERT_EQUAL_FATAL(connect(*sock, (struct sockaddr *)&to.addr, to.len), 0);
	client = clnt_vc_create(*sock, &at, prog, vers, 0, 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(client);
	return client;
}

static void both_ways(CLIENT *client, u_int len)
{
	static char bytes[ECHO_MAX];
	echo_bytes arg = { .echo_bytes_len = len, .echo_bytes_val = bytes };
	echo_bytes *result;
	u_int i;

	for (i = 0; i < len; i++)
		bytes[i] = (char)(i * 7);
	result = echo_back_1(&arg, client);
	CU_ASSERT_PTR_NOT_NULL_FATAL(result);
	CU_ASSERT_EQUAL_FATAL(result->echo_bytes_len, len);
	ASSERT_BYTES(result->echo_bytes_val, bytes, len);
	clnt_freeres(client, (xdrproc_t)xdr_echo_bytes, (char *)result);
}

/* The server's bytes, parsed by an independent client. */
static void libtirpcs_client_is_served_over_tcp(void)
{
	static const u_int sizes[] = { 1, 3, 4, 813, 4096, 65536, 131073, ECHO_MAX };
	struct rpc_err error;
	CLIENT *client;
	size_t i;
	u_int result;
	int sock;

	svc_begin();
	client = tcp_client(&sock, ECHO_PROGRAM, ECHO_VERSION);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu", i);
		both_ways(client, sizes[i]);
	}
	clnt_destroy(client);
	close(sock);
	client = tcp_client(&sock, ODD_PROGRAM, 3);
	CU_ASSERT_EQUAL(odd_call(client, 1, 1, &result, svc_wait), RPC_PROGVERSMISMATCH);
	clnt_geterr(client, &error);
	CU_ASSERT_EQUAL(error.re_vers.low, 2);
	CU_ASSERT_EQUAL(error.re_vers.high, 5);
	clnt_destroy(client);
	close(sock);
	client = tcp_client(&sock, ODD_PROGRAM, 2);
	CU_ASSERT_EQUAL(odd_call(client, 77, 1, &result, svc_wait), RPC_PROCUNAVAIL);
	CU_ASSERT_EQUAL(odd_call(client, ODD_WEAK, 1, &result, svc_wait), RPC_AUTHERROR);
	CU_ASSERT_EQUAL(odd_call(client, ODD_FAILED, 1, &result, svc_wait), RPC_SYSTEMERROR);
	CU_ASSERT_EQUAL(
		clnt_call(client, ODD_SLEEP, xdr_nothing, NULL, xdr_nothing, NULL, svc_wait),
		RPC_CANTDECODEARGS);
	/* The connection stays open, and no reply follows. (libtirpc 1.3.3 cannot use a
	 * connection on which a call timed out: it no longer finds the start of a record.) */
	CU_ASSERT_EQUAL(odd_call(client, ODD_SILENT, 1, &result, (struct timeval){ 0, 20000 }),
			RPC_TIMEDOUT);
	clnt_destroy(client);
	close(sock);
	svc_end();
}

static void nfs_is_served_only_on_request(void)
{
	CLIENT *client;
	u_int result;
	int sock;

	svc_begin();
	client = svc_client(NFS_PROGRAM_NUMBER, 3);
	CU_ASSERT_EQUAL(odd_call(client, 0, 0, &result, svc_wait), RPC_PROGUNAVAIL);
	clnt_destroy(client);
	client = tcp_client(&sock, MOUNT_PROGRAM_NUMBER, 3);
	CU_ASSERT_EQUAL(odd_call(client, 0, 0, &result, svc_wait), RPC_PROGUNAVAIL);
	clnt_destroy(client);
	close(sock);
	svc_end();
}

static void programs_are_registered_once_and_before_serving(void)
{
	const struct rpcrdma_svc_options options = { .size = sizeof(options) };
	rpcvers_t vers;

	CU_ASSERT_EQUAL_FATAL(rpcrdma_svc_open(&svc, &options), 0);
	CU_ASSERT_NOT_EQUAL(rpcrdma_svc_port(svc), 0);
	CU_ASSERT_EQUAL(rpcrdma_svc_tcp_port(svc), 0);
	for (vers = 1; vers <= 64; vers++) {
		SUITE_ROW("vers %u", vers);
		CU_ASSERT_EQUAL(rpcrdma_svc_register(svc, ODD_PROGRAM, vers, odd_program), 0);
	}
	CU_ASSERT_EQUAL(rpcrdma_svc_register(svc, ODD_PROGRAM, 64, odd_program), -EEXIST);
	CU_ASSERT_EQUAL(rpcrdma_svc_register(svc, ODD_PROGRAM, 65, odd_program), -ENOSPC);
	CU_ASSERT_EQUAL_FATAL(pipe(svc_stop), 0);
	close(svc_stop[1]);
	CU_ASSERT_EQUAL(rpcrdma_svc_run(svc, svc_stop[0]), 0);
	CU_ASSERT_EQUAL(rpcrdma_svc_register(svc, ECHO_PROGRAM, 1, odd_program), -EBUSY);
	close(svc_stop[0]);
	rpcrdma_svc_close(svc);
	rpcrdma_svc_close(NULL);
}

static void invalid_options_are_refused(void)
{
	static const struct {
		struct rpcrdma_svc_options options;
		int rc;
	} rows[] = {
		{ { .size = 0 }, -EINVAL },
		{ { .size = sizeof(struct rpcrdma_svc_options), .transport = "pigeon" },
		  -EPROTONOSUPPORT },
		{ { .size = sizeof(struct rpcrdma_svc_options), .host = "localhost" }, -EINVAL },
		{ { .size = sizeof(struct rpcrdma_svc_options), .host = "192.0.2.1" },
		  -EADDRNOTAVAIL },
	};
	struct rpcrdma_svc *none = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(rpcrdma_svc_open(&none, &rows[i].options), rows[i].rc);
	}
	CU_ASSERT_PTR_NULL(none);
}

SUITE_MAIN("svc", TEST(libtirpcs_client_is_served_over_tcp), TEST(nfs_is_served_only_on_request),
	   TEST(programs_are_registered_once_and_before_serving), TEST(invalid_options_are_refused))
