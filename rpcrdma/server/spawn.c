/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The server in a child process, for a probe or a benchmark with a built-in peer.
 *
 * The child lives as long as its parent: it stops when the channel from the parent closes, and
 * the kernel kills it if the parent dies first. It sends its ports first. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "rpcrdma/child/child.h"
#include "rpcrdma/server/internal.h"

#define SPAWN_WAIT_MS 10000

struct server_child {
	struct child child;
};

int server_open_confined(struct server **out, const struct server_options *options)
{
	int rc = 0;

	if (options->transport->personal) {
		transport_raise_memlock();
		rc = child_confine(CHILD_SERVER);
	}
	if (!rc)
		rc = server_open(out, options);
	if (!rc && !options->transport->personal)
		rc = child_confine(CHILD_SERVER);
	return rc;
}

/* The child */

struct spawn_task {
	const struct server_spawn_options *options;
	struct server_options server_options;
	struct server *server;
};

/* Sockets are bound before the child is confined, for privileged ports; a device is opened by the
 * identity that uses it. */
static int spawn_prepare(void *arg, int channel)
{
	struct spawn_task *task = arg;
	const struct server_spawn_options *options = task->options;
	struct server_options *out = &task->server_options;
	const struct sockaddr_in loopback = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int rc;

	(void)channel;
	*out = (struct server_options){
		.transport = options->transport,
		.listen = options->listen,
		.faults = options->faults,
		.rtmax = options->rtmax,
		.no_crc = options->no_crc,
		.own_host = options->own_host,
		.log = options->log,
	};
	if (!out->listen.len) {
		memcpy(&out->listen.addr, &loopback, sizeof(loopback));
		out->listen.len = sizeof(loopback);
	}
	rc = export_memory_new(&out->exp);
	if (rc)
		return rc;
	if (options->writable)
		rc = export_memory_make_writable(out->exp);
	if (rc)
		return rc;
	if (options->secret)
		export_memory_hide(out->exp, options->secret);
	if (!options->transport->personal)
		return server_open(&task->server, out);
	transport_raise_memlock();
	return 0;
}

static int spawn_run(void *arg, int channel)
{
	struct spawn_task *task = arg;
	struct server_ports ports;
	int rc = 0;

	if (!task->server)
		rc = server_open(&task->server, &task->server_options);
	if (rc)
		child_refuse(channel, rc);
	server_ports(task->server, &ports);
	if (child_answer(channel, &ports, sizeof(ports)))
		return 1;
	/* The process exits here, which closes its descriptors. */
	return server_run(task->server, channel) ? 1 : 0;
}

/* The parent */

static int spawn_wait_ports(const struct child *child, struct server_ports *ports)
{
	uint64_t deadline = deadline_in(SPAWN_WAIT_MS);
	uint8_t body[CHANNEL_FAILED_MAX];
	int type;
	ssize_t n;

	do
		n = child_receive(child, &type, body, sizeof(body), deadline);
	while (n == -EINTR);
	if (n == -ETIMEDOUT)
		return err_set(ETIMEDOUT, "the embedded server does not start");
	if (n == -EPIPE)
		return err_set(EPIPE, "the embedded server ended before it listened");
	if (n < 0)
		return err_context((int)n, "embedded server");
	if (type != CHANNEL_ANSWER || n != sizeof(*ports))
		return err_set(EPROTO, "the embedded server sent %zd bytes for its ports", n);
	memcpy(ports, body, sizeof(*ports));
	return 0;
}

bool server_ended(struct server_child *child, uint64_t deadline, struct child_end *end)
{
	return child_reap(&child->child, deadline, end);
}

void server_kill(struct server_child *child)
{
	if (!child)
		return;
	/* The child has no state to save, so kill it at once. */
	child_finish(&child->child, 0, NULL);
	free(child);
}

void server_kill_p(struct server_child **child)
{
	server_kill(*child);
	*child = NULL;
}

int server_spawn(struct server_child **out, const struct server_spawn_options *options,
		 struct server_ports *ports)
{
	_cleanup_(server_kill_p) struct server_child *child = calloc(1, sizeof(*child));
	struct spawn_task task = { .options = options };
	const struct child_function function = {
		.kind = CHILD_SERVER,
		.name = "the embedded server",
		.prepare = spawn_prepare,
		.run = spawn_run,
		.arg = &task,
	};
	int rc;

	if (!child)
		return err_no_memory();
	rc = child_start(&child->child, &function);
	if (!rc)
		rc = spawn_wait_ports(&child->child, ports);
	if (rc)
		return rc;
	*out = take_ptr(child);
	return 0;
}
