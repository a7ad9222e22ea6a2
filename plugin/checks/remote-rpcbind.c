/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Asks the server's rpcbind for a port. A CHILD_WORKER without privileges decodes the reply; it
 * answers with a number, and ends at the deadline. */
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "rpcrdma/child/child.h"
#include "rpcrdma/nfs/nfs.h"

/* Of the time, for the process to start and to exit, so that the child itself reports what did not
 * answer; at most a quarter. */
#define GRACE_MS 500

struct rpcbind_request {
	const struct transport_address *server;
	uint32_t program, version;
	uint64_t deadline;
};

static int remote_rpcbind_run(void *arg, int channel)
{
	const struct rpcbind_request *request = arg;
	struct transport_address to = *request->server;
	_cleanup_close_ int fd = -1;
	struct rpcbind_reply reply = { 0 };
	uint16_t port = 0;

	transport_set_port(&to, RPCBIND_PORT);
	reply.rc = rpc_tcp_connect(&fd, &to, NULL, request->deadline);
	if (!reply.rc)
		reply.rc = pmap_getport(fd, request->program, request->version, &port,
					request->deadline);
	reply.port = port;
	if (reply.rc)
		snprintf(reply.text, sizeof(reply.text), "%.255s", err_text());
	return child_answer(channel, &reply, sizeof(reply));
}

bool remote_rpcbind_is_sane(struct rpcbind_reply *reply)
{
	reply->text[sizeof(reply->text) - 1] = '\0';
	finding_clean(reply->text);
	if (reply->rc)
		return reply->rc < 0 && reply->rc > -4096;
	return reply->port && reply->port <= UINT16_MAX;
}

int remote_rpcbind_ask(const struct transport_address *server, uint32_t program, uint32_t version,
		       uint16_t *port, uint64_t deadline)
{
	const uint32_t left = (uint32_t)deadline_left(deadline);
	struct rpcbind_request request = { server, program, version,
					   deadline - min_u32(GRACE_MS, left / 4) };
	const struct child_function function = {
		.kind = CHILD_WORKER,
		.name = "the process that asks rpcbind",
		.run = remote_rpcbind_run,
		.arg = &request,
	};
	struct rpcbind_reply reply;
	int rc = child_call(&function, &reply, sizeof(reply), deadline, NULL);

	if (rc)
		return rc;
	if (!remote_rpcbind_is_sane(&reply))
		return err_set(EPROTO, "%s sent a malformed answer", function.name);
	if (reply.rc)
		return err_set(-reply.rc, "%s", reply.text);
	*port = (uint16_t)reply.port;
	return 0;
}
