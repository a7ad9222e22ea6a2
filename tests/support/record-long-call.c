/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* record-long-call FILE: a NULL, and a call of 100,000 bytes by Read chunk whose result comes by
 * Reply chunk, between a requester and a server in this process; what went over the wire is
 * recorded. For another decoder to judge. */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>

#include "rpcrdma/client/client.h"
#include "rpcrdma/server/server.h"

#define PROGRAM 0x20049
#define LENGTH  100000

static struct server *server;
static int stop[2];

static bool send_back(void *arg, struct server_call *call)
{
	uint8_t *p = server_results(call, call->args_len);

	(void)arg;
	if (p)
		memcpy(p, call->args, call->args_len);
	return p;
}

static void *run(void *arg)
{
	server_run(server, stop[0]);
	return arg;
}

static int call(struct rpcrdma_conn *conn, uint32_t proc, const void *args, size_t len,
		const struct rpcrdma_memory *reply)
{
	struct rpcrdma_call c;
	int rc;

	rpcrdma_call_init(&c, PROGRAM, 1, proc);
	c.args = args;
	c.args_len = len;
	c.reply = reply;
	c.reply_count = reply ? 1 : 0;
	rc = rpcrdma_call(conn, &c, deadline_in(10000));
	if (!rc && (c.results_len != len || memcmp(c.results, args, len)))
		rc = err_set(EBADMSG, "other bytes came back");
	rpcrdma_call_fini(&c);
	return rc;
}

static int record(uint16_t port, struct pcap *pcap)
{
	static uint8_t args[LENGTH], memory[LENGTH + 24];
	struct sockaddr_in loopback = { .sin_family = AF_INET,
					.sin_port = htons(port),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct rpcrdma_options options = { .transport = &transport_iwarp, .pcap = pcap };
	_cleanup_(rpcrdma_close_p) struct rpcrdma_conn *conn = NULL;
	struct rpcrdma_memory reply = { .base = memory, .length = sizeof(memory) };
	size_t i;
	int rc;

	for (i = 0; i < sizeof(args); i++)
		args[i] = (uint8_t)i;
	memcpy(&options.to.addr, &loopback, sizeof(loopback));
	options.to.len = sizeof(loopback);
	rc = rpcrdma_open(&conn, &options, deadline_in(10000));
	if (!rc)
		rc = call(conn, 0, "", 0, NULL);
	if (!rc)
		rc = rpcrdma_register(conn, &reply);
	if (!rc)
		rc = call(conn, 1, args, sizeof(args), &reply);
	if (conn)
		rpcrdma_deregister(conn, &reply);
	return rc;
}

int main(int argc, char **argv)
{
	static const struct server_program program = { PROGRAM, 1, send_back, NULL };
	static const struct server_program *const table[] = { &program, NULL };
	struct server_options options = { .transport = &transport_iwarp,
					  .programs = table,
					  .no_tcp = true };
	struct server_ports ports;
	struct pcap *pcap = NULL;
	pthread_t thread;
	int rc;

	if (argc != 2 || transport_resolve("127.0.0.1", 0, &options.listen, 1, 0) < 0 ||
	    server_open(&server, &options) || pipe(stop) || pcap_open(&pcap, argv[1]) ||
	    pthread_create(&thread, NULL, run, NULL)) {
		fprintf(stderr, "record-long-call: %s\n", err_text());
		return 1;
	}
	server_ports(server, &ports);
	rc = record(ports.rdma, pcap);
	close(stop[1]);
	pthread_join(thread, NULL);
	server_close(server);
	if (!rc)
		rc = pcap_close(pcap);
	if (rc)
		fprintf(stderr, "record-long-call: %s\n", err_text());
	return rc ? 1 : 0;
}
