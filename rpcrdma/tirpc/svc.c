/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A server of RPC programs, over the embedded server (rpcrdma/server) without its export. The
 * embedded server has a thread for each connection, but dispatch functions of rpcgen keep their
 * results in static memory, so they are called one at a time. */
#include <stdio.h>

#include "rpcrdma/tirpc/internal.h"

#define PROGRAMS_MAX 64

/* Size of the options of version 0.1. */
#define OPTIONS_MIN sizeof(struct rpcrdma_svc_options)

struct svc_program {
	struct server_program program;
	struct rpcrdma_svc *svc;
	void (*dispatch)(struct svc_req *, SVCXPRT *);
};

struct rpcrdma_svc {
	struct server *server;
	struct server_ports ports;
	pthread_mutex_t lock; /* held while a dispatch function runs */
	bool served;
	uint32_t count;
	struct svc_program programs[PROGRAMS_MAX];
	const struct server_program *table[PROGRAMS_MAX + 1];
};

static bool svc_program_run(void *arg, struct server_call *call)
{
	struct svc_program *p = arg;
	bool replied;

	pthread_mutex_lock(&p->svc->lock);
	replied = svc_xprt_dispatch(call, p->dispatch);
	pthread_mutex_unlock(&p->svc->lock);
	return replied;
}

int rpcrdma_svc_open(struct rpcrdma_svc **out, const struct rpcrdma_svc_options *theirs)
{
	struct rpcrdma_svc_options options;
	struct server_options server = { 0 };
	struct rpcrdma_svc *svc;
	const char *host, *name;
	int rc;

	rc = abi_take(&options, sizeof(options), theirs, theirs->size, OPTIONS_MIN);
	if (rc)
		return rc;
	host = options.host ? options.host : "127.0.0.1";
	if (transport_resolve(host, options.port, &server.listen, 1, 0) < 0)
		return err_set(EINVAL, "\"%s\" is no number of an address", host);
	name = options.transport ? options.transport : "iwarp";
	server.transport = transport_find(name);
	if (!server.transport)
		return err_set(EPROTONOSUPPORT, "unknown transport '%s'", name);
	svc = calloc(1, sizeof(*svc));
	if (!svc)
		return err_no_memory();
	pthread_mutex_init(&svc->lock, NULL);
	server.programs = svc->table;
	server.no_tcp = !options.tcp;
	server.nfs_port = options.tcp_port;
	server.credits = options.credits;
	rc = server_open(&svc->server, &server);
	if (rc) {
		rpcrdma_svc_close(svc);
		return rc;
	}
	server_ports(svc->server, &svc->ports);
	*out = svc;
	return 0;
}

int rpcrdma_svc_register(struct rpcrdma_svc *svc, rpcprog_t prog, rpcvers_t vers,
			 void (*dispatch)(struct svc_req *, SVCXPRT *))
{
	struct svc_program *p = &svc->programs[svc->count];
	uint32_t i;

	if (svc->served)
		return err_set(EBUSY, "programs must be registered before they are served");
	for (i = 0; i < svc->count; i++)
		if (svc->programs[i].program.prog == prog && svc->programs[i].program.vers == vers)
			return err_set(EEXIST, "program %lu version %lu is already registered",
				       (unsigned long)prog, (unsigned long)vers);
	if (svc->count == PROGRAMS_MAX)
		return err_set(ENOSPC, "%d programs, and no more", PROGRAMS_MAX);
	p->program = (struct server_program){
		.prog = (uint32_t)prog, .vers = (uint32_t)vers, .run = svc_program_run, .arg = p
	};
	p->svc = svc;
	p->dispatch = dispatch;
	svc->table[svc->count++] = &p->program;
	return 0;
}

uint16_t rpcrdma_svc_port(const struct rpcrdma_svc *svc)
{
	return svc->ports.rdma;
}

uint16_t rpcrdma_svc_tcp_port(const struct rpcrdma_svc *svc)
{
	return svc->ports.nfs;
}

int rpcrdma_svc_run(struct rpcrdma_svc *svc, int stop_fd)
{
	svc->served = true;
	return server_run(svc->server, stop_fd);
}

void rpcrdma_svc_close(struct rpcrdma_svc *svc)
{
	if (!svc)
		return;
	server_close(svc->server);
	pthread_mutex_destroy(&svc->lock);
	free(svc);
}
