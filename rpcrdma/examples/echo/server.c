/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* server [ADDRESS [PORT [TRANSPORT]]]: serves echo.x over RDMA until a signal ends it. Prints the
 * port. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>

#include <rpcrdma-clnt.h>

#include "echo.h"

/* rpcgen -m defines it but declares it nowhere. */
void echo_program_1(struct svc_req *req, SVCXPRT *xprt);

/* A descriptor that is readable after SIGINT or SIGTERM. */
static int stop_descriptor(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

int main(int argc, char **argv)
{
	struct rpcrdma_svc_options options = { .size = sizeof(options) };
	int stop = stop_descriptor();
	struct rpcrdma_svc *svc;

	if (argc > 1)
		options.host = argv[1];
	if (argc > 2)
		options.port = (uint16_t)atoi(argv[2]);
	if (argc > 3)
		options.transport = argv[3];

	if (rpcrdma_svc_open(&svc, &options) ||
	    rpcrdma_svc_register(svc, ECHO_PROGRAM, ECHO_VERSION, echo_program_1)) {
		fprintf(stderr, "server: %s\n", rpcrdma_error());
		return 1;
	}
	printf("%u\n", rpcrdma_svc_port(svc));
	fflush(stdout);
	if (rpcrdma_svc_run(svc, stop)) {
		fprintf(stderr, "server: %s\n", rpcrdma_error());
		return 1;
	}
	rpcrdma_svc_close(svc);
	return 0;
}
