/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A probe's worker without its parent, on the embedded server, past everything before the READs. */
#ifndef TESTS_UNIT_PROBE_PEER_H
#define TESTS_UNIT_PROBE_PEER_H

#include <netinet/in.h>

#include "rpcrdma/probe/internal.h"
#include "rpcrdma/server/server.h"

#include "tests/unit/suite.h"

static struct server_child *server;
static struct probe *p;
static struct server_ports ports;
static struct transport_address at;
static struct probe_options options;
static const struct fault_set *faults; /* of the server; NULL: it is healthy */

/* @rtmax: of the server; 0: as usual. */
static inline void open_probe(const char *version, enum probe_level level, uint32_t rtmax)
{
	const struct server_spawn_options spawn = { .transport = &transport_iwarp,
						    .faults = faults,
						    .rtmax = rtmax };
	struct sockaddr_in *in = (struct sockaddr_in *)&at.addr;

	CU_ASSERT_EQUAL_FATAL(server_spawn(&server, &spawn, &ports), 0);
	memset(&at, 0, sizeof(at));
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.len = sizeof(*in);
	transport_set_port(&at, ports.rdma);
	options = (struct probe_options){ .host = "127.0.0.1",
					  .export = "/",
					  .port = ports.rdma,
					  .version = nfs_version_find(version),
					  .level = level,
					  .timeout_ms = PATIENCE_MS };
	p = calloc(1, sizeof(*p));
	p->options = &options;
	p->route.via = &transport_iwarp;
	p->channel.fd = -1;
	p->tcp.rpcbind = -1;
	p->route.addresses = &at;
	p->route.naddresses = 1;
	p->version = options.version;
	p->cred.flavor = RPC_AUTH_SYS;
	p->deadline = deadline_in(PATIENCE_MS);
	CU_ASSERT_FATAL(root_find(p));
	CU_ASSERT_FATAL(target_limits(p));
	CU_ASSERT_FATAL(pick_files(p));
}

static inline void close_probe(void)
{
	client41_close(p);
	session_drop(p);
	server_kill_p(&server);
	free(p);
}

#endif
