/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Asks the server's rpcbind for a port. What comes is decoded in a process of its own, which has
 * no privilege by then; it says a number, and is gone at the deadline. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "plugin/checks/internal.h"
#include "rpcrdma/server/server.h"

#define RPCBIND_PORT 111

struct reply {
	int rc;
	uint16_t port;
};

static struct reply ask(const struct transport_address *server, uint32_t program,
			uint32_t version, uint64_t deadline)
{
	struct transport_address to = *server;
	struct reply reply = { 0, 0 };
	_cleanup_close_ int fd = -1;

	transport_set_port(&to, RPCBIND_PORT);
	reply.rc = rpc_tcp_connect(&fd, &to, NULL, false, NULL, deadline);
	if (!reply.rc)
		reply.rc = server_drop_root();
	if (!reply.rc)
		reply.rc = pmap_getport(fd, program, version, &reply.port, deadline);
	return reply;
}

static int take_reply(int fd, struct reply *reply, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	if (poll(&pfd, 1, deadline_left(deadline)) <= 0)
		return err_set(ETIMEDOUT, "rpcbind did not answer in time");
	if (read(fd, reply, sizeof(*reply)) != sizeof(*reply))
		return err_set(EIO, "the process that asked rpcbind died");
	return 0;
}

int remote_rpcbind_ask(const struct transport_address *server, uint32_t program,
		       uint32_t version, uint16_t *port, uint64_t deadline)
{
	_cleanup_close_ int from = -1, to = -1;
	struct reply reply;
	int fds[2], rc;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_sys("pipe");
	from = fds[0];
	to = fds[1];
	pid = fork();
	if (pid < 0)
		return err_sys("fork");
	if (!pid) {
		reply = ask(server, program, version, deadline);
		_exit(write(to, &reply, sizeof(reply)) != sizeof(reply));
	}
	rc = take_reply(from, &reply, deadline);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (rc || reply.rc)
		return rc ? rc : err_set(-reply.rc, "rpcbind: %s", strerror(-reply.rc));
	*port = reply.port;
	return 0;
}
