/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The public calls of rpcrdma.h, against the embedded server: NFS, and a program that returns its
 * arguments. NFSRDMA_TEST_TRANSPORT and NFSRDMA_TEST_ADDRESS select the transport; the default is
 * software iWARP on loopback. */
#include <pthread.h>

#include "rpcrdma/rpcrdma.h"
#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

#define PROGRAM 0x20000001

static struct server_options options;
static struct server *server;
static struct server_ports ports;
static pthread_t thread;
static int stop[2];
static struct rpcrdma_conn *conn;

static const char *transport_name(void)
{
	const char *name = getenv("NFSRDMA_TEST_TRANSPORT");

	return name && *name ? name : "iwarp";
}

static const char *host(void)
{
	const char *address = getenv("NFSRDMA_TEST_ADDRESS");

	return address && *address ? address : "127.0.0.1";
}

/* Returns the arguments; for procedure 2 after the credential's uid. */
static bool send_back(void *arg, struct server_call *call)
{
	size_t head = call->rpc->proc == 2 ? 4 : 0;
	uint8_t *p = server_results(call, head + call->args_len);

	(void)arg;
	if (!p) {
		call->reply->accept_stat = RPC_SYSTEM_ERR;
		return true;
	}
	if (head)
		put_be32(p, call->rpc->cred.uid * 100 + call->rpc->cred.ngids);
	memcpy(p + head, call->args, call->args_len);
	return call->rpc->proc != 3;
}

static void *run(void *arg)
{
	server_run(server, stop[0]);
	return arg;
}

static struct rpcrdma_target target(void)
{
	return (struct rpcrdma_target){ .size = sizeof(struct rpcrdma_target),
					.host = host(),
					.transport = transport_name(),
					.port = ports.rdma };
}

static void begin(void)
{
	static const struct server_program program = { PROGRAM, 1, send_back, NULL };
	static const struct server_program *const table[] = { &program, NULL };
	struct rpcrdma_target to;

	options = (struct server_options){ .transport = transport_find(transport_name()),
					   .programs = table,
					   .no_tcp = true };
	CU_ASSERT_EQUAL_FATAL(
		transport_resolve(host(), 0, &options.listen, 1, deadline_in(PATIENCE_MS)), 1);
	CU_ASSERT_EQUAL_FATAL(export_memory_new(&options.exp), 0);
	CU_ASSERT_EQUAL_FATAL(server_open(&server, &options), 0);
	server_ports(server, &ports);
	CU_ASSERT_EQUAL_FATAL(pipe(stop), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, run, NULL), 0);
	to = target();
	CU_ASSERT_EQUAL_FATAL(rpcrdma_connect(&conn, &to), 0);
}

static void end(void)
{
	rpcrdma_close(conn);
	close(stop[1]);
	pthread_join(thread, NULL);
	close(stop[0]);
	server_close(server);
	export_free(options.exp);
}

static struct rpcrdma_request request(uint32_t proc, const void *args, size_t len)
{
	return (struct rpcrdma_request){ .size = sizeof(struct rpcrdma_request),
					 .prog = PROGRAM,
					 .vers = 1,
					 .proc = proc,
					 .args = args,
					 .args_len = len };
}

/* Prints why a call fails that should succeed. */
static int ask(struct rpcrdma_request *r)
{
	int rc = rpcrdma_request(conn, r);

	if (rc)
		printf("procedure %u: %s\n", r->proc, rpcrdma_error());
	return rc;
}

static uint8_t bytes[1024 * 1024], back[1024 * 1024 + 24];

static void the_library_version_matches_the_header(void)
{
	CU_ASSERT_STRING_EQUAL(rpcrdma_version(), RPCRDMA_VERSION_TEXT);
}

static void a_call_returns_its_results(void)
{
	struct rpcrdma_request r = request(1, "twelve bytes", 12);

	begin();
	CU_ASSERT_EQUAL(ask(&r), 0);
	CU_ASSERT_EQUAL_FATAL(r.results_len, 12);
	ASSERT_BYTES(r.results, "twelve bytes", 12);
	CU_ASSERT_EQUAL(r.write_len, 0);
	rpcrdma_request_clear(&r);
	CU_ASSERT_PTR_NULL(r.results);
	rpcrdma_request_clear(&r);
	r = request(0, NULL, 0);
	CU_ASSERT_EQUAL(ask(&r), 0);
	CU_ASSERT_EQUAL(r.results_len, 0);
	rpcrdma_request_clear(&r);
	end();
}

static void the_credential_carries_the_uid(void)
{
	static const uint32_t gids[17] = { 1, 2, 3 };
	struct rpcrdma_request r = request(2, NULL, 0);

	begin();
	r.flavor = RPCRDMA_AUTH_SYS;
	r.uid = 36;
	r.gid = 37;
	r.gids = gids;
	r.gids_len = 3;
	CU_ASSERT_EQUAL(ask(&r), 0);
	CU_ASSERT_EQUAL_FATAL(r.results_len, 4);
	CU_ASSERT_EQUAL(get_be32(r.results), 3603);
	rpcrdma_request_clear(&r);
	r.gids_len = 17;
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -EINVAL);
	r.gids_len = 0;
	r.flavor = (enum rpcrdma_flavor)6;
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -EINVAL);
	end();
}

static void long_results_use_the_reply_chunk(void)
{
	static const size_t sizes[] = { 1, 4096, 65536, sizeof(bytes) };
	struct rpcrdma_memory *reply;
	struct rpcrdma_request r;
	size_t i, len;

	begin();
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 5 + i / 256);
	/* The longest that need no chunk, and one word more. */
	len = rpcrdma_inline_results(conn) & ~(size_t)3;
	r = request(1, bytes, len);
	CU_ASSERT_EQUAL(ask(&r), 0);
	rpcrdma_request_clear(&r);
	r = request(1, bytes, 8192);
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -EREMOTEIO);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu: %zu", i, sizes[i]);
		CU_ASSERT_EQUAL_FATAL(rpcrdma_memory_new(conn, back, 24 + sizes[i], &reply), 0);
		r = request(1, bytes, sizes[i]);
		r.reply = reply;
		CU_ASSERT_EQUAL(ask(&r), 0);
		CU_ASSERT_EQUAL_FATAL(r.results_len, sizes[i]);
		ASSERT_BYTES(r.results, bytes, sizes[i]);
		rpcrdma_request_clear(&r);
		rpcrdma_memory_free(conn, reply);
	}
	end();
}

/* NFSv3 READ, whose data RFC 8267 allows by chunk. */
static void an_eligible_item_uses_the_write_chunk(void)
{
	struct rpcrdma_memory *write;
	struct rpcrdma_request r;
	struct nfs_fh root, fh;
	uint8_t args[128];
	struct writer w;

	begin();
	options.exp->ops->root(options.exp, &root);
	options.exp->ops->lookup(options.exp, &root, "data-4096", &fh);
	writer_init(&w, args, sizeof(args));
	writer_opaque(&w, fh.data, fh.len);
	writer_u64(&w, 8);
	writer_u32(&w, 1021);
	memset(back, 0xaa, sizeof(back));
	CU_ASSERT_EQUAL_FATAL(rpcrdma_memory_new(conn, back, 2000, &write), 0);
	r = request(NFS3_READ, args, w.len);
	r.prog = NFS_PROGRAM_NUMBER;
	r.vers = 3;
	r.write = write;
	CU_ASSERT_EQUAL(ask(&r), 0);
	CU_ASSERT_EQUAL(r.write_len, 1021);
	CU_ASSERT_EQUAL(r.results_len, 128 - 24);
	CU_ASSERT_EQUAL(get_be64(back), 8);
	CU_ASSERT_EQUAL(back[1021], 0xaa);
	rpcrdma_request_clear(&r);
	rpcrdma_memory_free(conn, write);
	rpcrdma_memory_free(conn, NULL);
	end();
}

static void unknown_programs_and_versions_are_reported(void)
{
	struct rpcrdma_request r;

	begin();
	r = request(1, NULL, 0);
	r.prog++;
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -EOPNOTSUPP);
	r.prog--;
	r.vers = 7;
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -EOPNOTSUPP);
	ASSERT_CONTAINS(rpcrdma_error(), "1 to 1");
	end();
}

static void silence_ends_at_the_time_out(void)
{
	struct rpcrdma_request r = request(3, NULL, 0);
	uint64_t start;

	begin();
	r.timeout_ms = 50;
	start = now_ms();
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -ETIMEDOUT);
	ASSERT_AT_LEAST(now_ms() - start, 50);
	ASSERT_WITHIN_MS(now_ms() - start, 2000);
	r = request(1, "four", 4);
	CU_ASSERT_EQUAL(ask(&r), 0);
	rpcrdma_request_clear(&r);
	end();
}

static void invalid_arguments_are_refused(void)
{
	static uint8_t huge[RPCRDMA_MESSAGE_MAX];
	struct rpcrdma_memory *memory = NULL;
	struct rpcrdma_conn *none = NULL;
	struct rpcrdma_request r;
	struct rpcrdma_target to;

	begin();
	to = target();
	to.size = 0;
	CU_ASSERT_EQUAL(rpcrdma_connect(&none, &to), -EINVAL);
	to = target();
	to.host = NULL;
	CU_ASSERT_EQUAL(rpcrdma_connect(&none, &to), -EINVAL);
	to = target();
	to.transport = "pigeon";
	CU_ASSERT_EQUAL(rpcrdma_connect(&none, &to), -EPROTONOSUPPORT);
	to = target();
	to.bind = "no address";
	CU_ASSERT_EQUAL(rpcrdma_connect(&none, &to), -EINVAL);
	CU_ASSERT_PTR_NULL(none);
	CU_ASSERT_EQUAL(rpcrdma_memory_new(conn, back, 0, &memory), -EINVAL);
	/* Longer than 32 bits; none where no size is. */
	CU_ASSERT_EQUAL(rpcrdma_memory_new(conn, back, (size_t)UINT32_MAX + 1, &memory), -EINVAL);
	CU_ASSERT_PTR_NULL(memory);
	r = request(1, NULL, 0);
	r.size = 8;
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -EINVAL);
	r = request(1, huge, sizeof(huge));
	CU_ASSERT_EQUAL(rpcrdma_request(conn, &r), -EMSGSIZE);
	rpcrdma_close(NULL);
	end();
}

static void connecting_to_a_closed_port_is_refused(void)
{
	struct rpcrdma_conn *none = NULL;
	struct rpcrdma_target to;

	begin();
	to = target();
	end();
	CU_ASSERT_EQUAL(rpcrdma_connect(&none, &to), -ECONNREFUSED);
	CU_ASSERT_PTR_NULL(none);
	to.bind = "192.0.2.1";
	to.timeout_ms = 2000;
	ASSERT_LESS(rpcrdma_connect(&none, &to), 0);
}

static void the_transport_is_chosen_by_the_route(void)
{
	struct rpcrdma_conn *second = NULL;
	struct rpcrdma_target to;

	begin();
	to = target();
	to.transport = NULL;
	CU_ASSERT_EQUAL(rpcrdma_connect(&second, &to), 0);
	rpcrdma_close(second);
	end();
}

SUITE_MAIN("rpcrdma", TEST(the_library_version_matches_the_header),
	   TEST(a_call_returns_its_results), TEST(the_credential_carries_the_uid),
	   TEST(long_results_use_the_reply_chunk), TEST(an_eligible_item_uses_the_write_chunk),
	   TEST(unknown_programs_and_versions_are_reported), TIMED(silence_ends_at_the_time_out),
	   TEST(invalid_arguments_are_refused), TEST(connecting_to_a_closed_port_is_refused),
	   TEST(the_transport_is_chosen_by_the_route))
