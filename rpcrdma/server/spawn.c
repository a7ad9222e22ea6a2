/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The server in a child process: for a probe or a benchmark that brings its own peer.
 *
 * The child lives as long as its parent: it stops when the pipe from the parent closes, and
 * the kernel ends it when the parent dies before that is seen. It tells its ports, or why it
 * has none, by another pipe. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "rpcrdma/server/internal.h"

#define NOBODY        65534
#define SPAWN_WAIT_MS 10000

/* What the child says first. */
struct hello {
	int rc;
	struct server_ports ports;
	char text[256];
};

struct server_child {
	pid_t pid;
	int life; /* closed: the child shall end */
};

int server_drop_root(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return err_sys("no_new_privs");
	if (geteuid())
		return 0;
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return err_sys("becoming nobody");
	return 0;
}

int server_open_dropped(struct server **out, const struct server_options *options)
{
	int rc = 0;

	if (options->transport->personal) {
		transport_raise_memlock();
		rc = server_drop_root();
	}
	if (!rc)
		rc = server_open(out, options);
	return rc ? rc : server_drop_root();
}

/* The child */

struct child_task {
	const struct server_spawn_options *options;
	pid_t parent;
	int life, hello;
};

static int child_privileges(const struct child_task *task)
{
	int rc = server_drop_root();

	if (rc)
		return rc;
	/* A change of identity clears it, so it comes after that. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		return err_sys("parent death signal");
	return getppid() == task->parent ? 0 : err_set(ESRCH, "the parent is gone");
}

static int child_open(const struct child_task *task, struct server **server)
{
	struct sockaddr_in loopback = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct server_options options = {
		.transport = task->options->transport,
		.listen = task->options->listen,
		.faults = task->options->faults,
		.no_crc = task->options->no_crc,
	};
	int rc = export_memory_new(&options.exp);

	if (rc)
		return rc;
	if (!options.listen.len) {
		memcpy(&options.listen.addr, &loopback, sizeof(loopback));
		options.listen.len = sizeof(loopback);
	}
	rc = server_open_dropped(server, &options);
	return rc ? rc : child_privileges(task);
}

static _Noreturn void child_run(const struct child_task *task)
{
	struct hello hello = { 0 };
	struct server *server = NULL;

	/* The terminal's signals are for the parent, which then ends us. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	hello.rc = child_open(task, &server);
	if (hello.rc)
		snprintf(hello.text, sizeof(hello.text), "%.255s", err_text());
	else
		server_ports(server, &hello.ports);
	if (write(task->hello, &hello, sizeof(hello)) != sizeof(hello) || hello.rc)
		_exit(1);
	close(task->hello);
	/* The process ends here, and with it what it has open. */
	_exit(server_run(server, task->life) ? 1 : 0);
}

/* The parent */

static int wait_hello(int fd, struct server_ports *ports)
{
	uint64_t deadline = deadline_in(SPAWN_WAIT_MS);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct hello hello;
	ssize_t n;

	do {
		n = poll(&pfd, 1, deadline_left(deadline));
	} while (n < 0 && errno == EINTR);
	if (!n)
		return err_set(ETIMEDOUT, "the embedded server does not start");
	n = n < 0 ? -1 : read(fd, &hello, sizeof(hello));
	if (n < 0)
		return err_sys("embedded server");
	if (n != sizeof(hello))
		return err_set(EPIPE, "the embedded server ended before it listened");
	hello.text[sizeof(hello.text) - 1] = '\0';
	if (hello.rc)
		return err_set(-hello.rc, "embedded server: %s", hello.text);
	*ports = hello.ports;
	return 0;
}

void server_kill(struct server_child *child)
{
	if (!child)
		return;
	if (child->life >= 0)
		close(child->life);
	if (child->pid > 0) {
		/* It has nothing to lose. */
		kill(child->pid, SIGKILL);
		while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
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
	_cleanup_close_ int life_in = -1, hello_in = -1, hello_out = -1;
	int life[2], hello[2], rc;

	if (!child)
		return err_set(ENOMEM, "no memory for the embedded server");
	child->life = -1;
	if (pipe2(life, O_CLOEXEC))
		return err_sys("pipe");
	life_in = life[0];
	child->life = life[1];
	if (pipe2(hello, O_CLOEXEC))
		return err_sys("pipe");
	hello_in = hello[0];
	hello_out = hello[1];
	const struct child_task task = { options, getpid(), life_in, hello_out };

	child->pid = fork();
	if (child->pid < 0)
		return err_sys("fork");
	if (!child->pid) {
		close(child->life);
		close(hello_in);
		child_run(&task);
	}
	close(take_fd(&hello_out));
	rc = wait_hello(hello_in, ports);
	if (rc)
		return rc;
	*out = take_ptr(child);
	return 0;
}
