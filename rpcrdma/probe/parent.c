/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The side with privilege, where there is any: resolves the name, forks the worker, connects TCP
 * sockets for it to the one server that was named, and takes its findings as bounded records. It
 * decodes nothing that a peer sent. */
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>

#include "rpcrdma/probe/internal.h"

#define ADDRESSES_MAX 8
/* A worker that does not stop at the deadline is stopped. */
#define GRACE_MS 3000
/* For a killed one to be gone. */
#define REAP_MS         500
#define CONNECT_MS      5000
#define FINDINGS_MAX    256
#define CONNECTIONS_MAX 64
/* To take off the server what a worker left there. */
#define CLEAN_MS 2000

struct parent {
	const struct probe_options *options;
	worker_fn work;
	const struct probe_events *events;
	struct transport_address addresses[ADDRESSES_MAX];
	size_t naddresses;
	int channel;
	pid_t worker;
	uint64_t deadline, until; /* the worker's; when it is ended */
	unsigned int findings, connections;
	bool ended; /* the worker closed its end */
	bool quiet; /* nothing is handed on any more */
	struct remains remains;
	struct probe_options clean; /* for the worker that takes it off */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

static int say_unresolved(struct parent *parent, int rc)
{
	struct finding f;

	finding_init(&f, "probe.address", FINDING_UNKNOWN, "%s", err_text());
	parent->events->finding(parent->events->arg, &f);
	return rc == -ENOENT || rc == -EAGAIN ? 0 : rc;
}

static void say_resolved(struct parent *parent)
{
	char text[96];
	struct finding f;
	size_t i;

	finding_init(&f, "probe.address", FINDING_PASS, "%s has %zu address%s",
		     parent->options->host, parent->naddresses,
		     parent->naddresses == 1 ? "" : "es");
	for (i = 0; i < parent->naddresses; i++)
		finding_text(&f, i ? "address_more" : "address", "%s",
			     transport_address_text(&parent->addresses[i], text,
						    sizeof(text)));
	parent->events->finding(parent->events->arg, &f);
}

static int take_finding(struct parent *parent, const uint8_t *body, size_t len)
{
	struct finding f;
	int rc;

	if (parent->findings++ == FINDINGS_MAX)
		return err_set(EPROTO, "the worker reports without end");
	rc = finding_decode(&f, body, len);
	if (rc < 0)
		return rc;
	if (!rc || (size_t)rc != len)
		return err_set(EPROTO, "the worker sent %zu bytes for a finding of %d",
			       len, rc);
	parent->events->finding(parent->events->arg, &f);
	return 0;
}

/* A string with its end, at the end of a body, that a terminal and JSON can bear. */
static bool is_last_text(const char *text, size_t len)
{
	return len && strnlen(text, len) == len - 1 && finding_is_clean(text);
}

/* Two strings. */
static int take_subject(struct parent *parent, const char *body, size_t len)
{
	size_t key = strnlen(body, len) + 1;

	if (key >= len || !is_last_text(body, key) ||
	    !is_last_text(body + key, len - key))
		return err_set(EPROTO, "the worker sent a subject that is none");
	parent->events->subject(parent->events->arg, body, body + key);
	return 0;
}

static int take_progress(struct parent *parent, const uint8_t *body, size_t len)
{
	const char *text = (const char *)body + 8;

	if (len < 9 || !is_last_text(text, len - 8))
		return err_set(EPROTO, "the worker sent a progress that is none");
	if (parent->events->progress)
		parent->events->progress(parent->events->arg, text, get_be32(body),
					 get_be32(body + 4));
	return 0;
}

/* A TCP socket to the server that the user named, and to no other. */
static int take_connect(struct parent *parent, const uint8_t *body, size_t len)
{
	_cleanup_close_ int fd = -1;
	struct transport_address to;
	uint8_t answer[512] = { 0 };
	bool reserved = false;
	uint32_t wait;
	int rc;

	if (len != 3 || body[2] >= parent->naddresses ||
	    parent->connections++ == CONNECTIONS_MAX)
		return err_set(EPROTO,
			       "the worker asked for a connection that it may not have");
	to = parent->addresses[body[2]];
	transport_set_port(&to, get_be16(body));
	/* What is silent here leaves time for what can be had without it. */
	wait = min_u32(CONNECT_MS, (uint32_t)deadline_left(parent->deadline) / 2);
	rc = rpc_tcp_connect(&fd, &to,
			     parent->options->bind.len ? &parent->options->bind : NULL,
			     geteuid() == 0, &reserved, deadline_in(wait));
	put_be32(answer, (uint32_t)-rc);
	answer[4] = reserved;
	snprintf((char *)answer + 5, sizeof(answer) - 5, "%.500s", rc ? err_text() : "");
	return channel_send(parent->channel, CHANNEL_SOCKET, answer,
			    6 + strlen((char *)answer + 5), fd);
}

static int take_remains(struct parent *parent, const uint8_t *body, size_t len)
{
	struct remains remains;
	int rc = remains_decode(&remains, body, len);

	if (!rc && remains.address >= parent->naddresses)
		rc = err_set(EPROTO, "the worker has a client where there is no address");
	if (!rc)
		parent->remains = remains;
	return rc;
}

static int take_message(struct parent *parent)
{
	_cleanup_free_ uint8_t *body = malloc(CHANNEL_MAX);
	_cleanup_close_ int passed = -1;
	enum channel_type type;
	ssize_t n;

	if (!body)
		return err_sys("memory");
	n = channel_receive(parent->channel, &type, body, CHANNEL_MAX, &passed);
	if (n == -EPIPE) {
		parent->ended = true;
		return 0;
	}
	if (n < 0)
		return (int)n;
	if (type == CHANNEL_REMAINS)
		return take_remains(parent, body, (size_t)n);
	/* What else there is to say was said by the worker before. */
	if (parent->quiet)
		return 0;
	switch (type) {
	case CHANNEL_FINDING: return take_finding(parent, body, (size_t)n);
	case CHANNEL_SUBJECT: return take_subject(parent, (char *)body, (size_t)n);
	case CHANNEL_PROGRESS: return take_progress(parent, body, (size_t)n);
	case CHANNEL_CONNECT: return take_connect(parent, body, (size_t)n);
	default: return err_set(EPROTO, "the worker sent a message of type %d", type);
	}
}

static int listen_to_worker(struct parent *parent)
{
	struct pollfd pfd = { .fd = parent->channel, .events = POLLIN };
	int rc = 0;

	while (!rc && !parent->ended) {
		if (interrupted && !parent->quiet)
			return err_set(EINTR, "interrupted");
		rc = poll(&pfd, 1, deadline_left(parent->until));
		if (rc < 0 && errno != EINTR)
			return err_sys("poll");
		if (!rc)
			return err_set(ETIMEDOUT,
				       "the worker did not end at the deadline");
		rc = rc > 0 ? take_message(parent) : 0;
	}
	return rc;
}

/* It closed the channel; that should have been its end, which comes in a moment. */
static int await_end(const struct parent *parent)
{
	uint64_t until = deadline_min(parent->until, deadline_in(GRACE_MS));
	siginfo_t info = { .si_pid = 0 };

	while (!waitid(P_PID, (id_t)parent->worker, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       !info.si_pid) {
		if (interrupted && !parent->quiet)
			return err_set(EINTR, "interrupted");
		if (!deadline_left(until))
			return err_set(ETIMEDOUT,
				       "the worker did not end at the deadline");
		usleep(500);
	}
	return 0;
}

/* What the worker said of its client last, and nobody heard yet. It is no more. */
static void hear_the_rest(struct parent *parent)
{
	struct pollfd pfd = { .fd = parent->channel, .events = POLLIN };

	parent->quiet = true;
	while (!parent->ended && poll(&pfd, 1, 0) > 0 && !take_message(parent))
		;
}

/* Takes the dead worker's status. One that was killed may still be held by the kernel, as by
 * soft-iWARP while it connects: then nobody waits for it, and init reaps it. */
static int collect(const struct parent *parent, int *status)
{
	uint64_t until = deadline_in(REAP_MS);
	pid_t pid;

	do {
		pid = TEMP_FAILURE_RETRY(waitpid(parent->worker, status, WNOHANG));
		if (!pid)
			usleep(500);
	} while (!pid && deadline_left(until));
	return pid < 0 ? err_sys("waiting for the worker") : 0;
}

/* The worker is ours: when it is not to go on it is killed, and reaped. */
static int reap(struct parent *parent, int rc)
{
	char text[ERR_TEXT_MAX];
	int status = 0, died;

	if (!rc)
		rc = await_end(parent);
	if (rc)
		kill(parent->worker, SIGKILL);
	snprintf(text, sizeof(text), "%s", err_text());
	died = collect(parent, &status);
	if (rc)
		err_set(-rc, "%s", text);
	else if (died)
		rc = died;
	else if (WIFSIGNALED(status))
		rc = err_set(
			EPROTO,
			"the worker died with signal %d (%s) while it decoded what the server sent",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		rc = err_set(EPROTO, "the worker ended with status %d",
			     WEXITSTATUS(status));
	snprintf(text, sizeof(text), "%s", err_text());
	hear_the_rest(parent);
	close(parent->channel);
	return rc ? err_set(-rc, "%s", text) : 0;
}

static int fork_worker(struct parent *parent)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return err_sys("socketpair");
	fflush(NULL);
	parent->worker = fork();
	if (parent->worker < 0) {
		close(pair[0]);
		close(pair[1]);
		return err_sys("fork");
	}
	if (!parent->worker) {
		close(pair[0]);
		worker_main(parent->options, parent->work, pair[1], parent->addresses,
			    parent->naddresses, parent->quiet ? &parent->remains : NULL);
	}
	close(pair[1]);
	parent->channel = pair[0];
	return 0;
}

static void say_left(const struct parent *parent)
{
	struct finding f;

	finding_init(
		&f, "probe.session.left", FINDING_WARN,
		"the client %s could not be taken off the server: it is there until its lease ends",
		parent->remains.owner);
	finding_text(&f, "owner", "%s", parent->remains.owner);
	parent->events->finding(parent->events->arg, &f);
}

/* The worker ended without taking its client off the server: another one does only that. Neither
 * an interrupt nor the deadline ends it; it has its own. */
static void clean_up(struct parent *parent)
{
	if (!parent->remains.exists)
		return;
	parent->clean = *parent->options;
	parent->clean.timeout_ms = CLEAN_MS;
	parent->clean.pcap = NULL;
	parent->options = &parent->clean;
	parent->work = client41_clean;
	parent->quiet = true;
	parent->ended = false;
	parent->deadline = parent->until = deadline_in(CLEAN_MS);
	if (!fork_worker(parent))
		reap(parent, listen_to_worker(parent));
	if (parent->remains.exists)
		say_left(parent);
}

int parent_run(const struct probe_options *options, worker_fn work,
	       const struct probe_events *events)
{
	char text[ERR_TEXT_MAX];
	struct sigaction action = { .sa_handler = on_signal }, old_int, old_term;
	struct parent parent = { .options = options, .work = work, .events = events };
	int rc;

	parent.deadline = deadline_in(options->timeout_ms);
	parent.until = parent.deadline + GRACE_MS;
	rc = transport_resolve(options->host, options->port, parent.addresses,
			       ADDRESSES_MAX, &parent.naddresses, parent.deadline);
	if (rc)
		return say_unresolved(&parent, rc);
	say_resolved(&parent);
	interrupted = 0;
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	rc = fork_worker(&parent);
	if (!rc)
		rc = reap(&parent, listen_to_worker(&parent));
	snprintf(text, sizeof(text), "%s", err_text());
	clean_up(&parent);
	if (rc)
		err_set(-rc, "%s", text);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	return rc;
}

int probe_run(const struct probe_options *options, const struct probe_events *events)
{
	return parent_run(options, worker_probe, events);
}
