/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The privileged side, if there is privilege: resolves the name, starts the worker, connects TCP
 * sockets for it to the one named server, and receives its findings as bounded records. It
 * decodes nothing that a peer sent. */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "rpcrdma/probe/internal.h"

#define ADDRESSES_MAX 8
/* Part of the time limit that is reserved for what follows the worker's own deadline, at most a
 * quarter: half for its exit, before it is killed, and half to remove what it left on the
 * server. */
#define RESERVE_MS 4000
/* A worker that has nothing more to say exits in this time. */
#define GRACE_MS 3000
/* Time for a killed worker to exit, and to receive its last records. */
#define REAP_MS 500
#define REST_MS 100
/* Interval of the checks for a user's interrupt. */
#define LOOK_MS      100
#define CONNECT_MS   5000
#define FINDINGS_MAX 256
/* Time to remove from the server what a worker left there. */
#define CLEAN_MS 2000

struct parent {
	const struct probe_options *options;
	struct probe_options timed; /* the same, with the worker's time */
	worker_fn work;
	const struct probe_events *events;
	struct transport_address addresses[ADDRESSES_MAX];
	size_t naddresses;
	struct child worker;
	/* Each before the next: the worker's deadline; when it must have removed its client;
	 * when it is killed; when the next one, which removes that, is; of the whole probe. */
	uint64_t deadline, close_by, until, clean_until, end;
	unsigned int findings;
	unsigned int nfs_connections; /* number that the work needs */
	unsigned int connections[TCP_PEERS];
	bool ended;       /* the worker closed its end */
	bool quiet;       /* no more records are handed on */
	bool cleaning;    /* by a worker that only does that */
	bool decided;     /* a call was answered, or a finding says why not */
	uint32_t records; /* received, of those that WORKER_END counts */
	bool complete;    /* WORKER_END was received, and none was lost */
	bool lost;        /* some were, by WORKER_END's number */
	bool unprepared;  /* it did not start, and the reason is reported */
	char *step;       /* shared with the worker */
	struct child_end how;
	struct remains remains;
	struct scratch scratch;
	struct probe_options clean; /* for the worker that removes the remains */
};

static volatile sig_atomic_t parent_interrupted;

static void parent_on_signal(int sig)
{
	parent_interrupted = sig;
}

static int parent_say_unresolved(struct parent *parent, int rc)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.address", FINDING_UNKNOWN, "%s", err_text());
	finding_reason(&f, err_reason());
	finding_text(&f, "name", "%s", parent->options->host);
	parent->events->finding(parent->events->arg, &f);
	return rc == -ENOENT || rc == -EAGAIN ? 0 : rc;
}

static void parent_say_resolved(struct parent *parent)
{
	char text[96];
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	finding_init(&f, "probe.address", FINDING_PASS, "%s has %zu address%s",
		     parent->options->host, parent->naddresses,
		     parent->naddresses == 1 ? "" : "es");
	for (i = 0; i < parent->naddresses; i++)
		finding_text(&f, i ? "address_more" : "address", "%s",
			     transport_address_text(&parent->addresses[i], text, sizeof(text)));
	parent->events->finding(parent->events->arg, &f);
}

static int parent_take_finding(struct parent *parent, const uint8_t *body, size_t len)
{
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc;

	if (parent->findings++ == FINDINGS_MAX)
		return err_set(EPROTO, "the worker sent too many findings");
	rc = finding_decode(&f, body, len);
	if (rc < 0)
		return err_context(rc, "the worker");
	if (!rc || (size_t)rc != len)
		return err_set(EPROTO, "the worker sent %zu bytes for a finding of %d", len, rc);
	rc = vocabulary_check(&f);
	if (rc)
		return err_context(rc, "the worker");
	if (!strcmp(f.id, "probe.null") || (f.status != FINDING_PASS && f.status != FINDING_SKIP))
		parent->decided = true;
	parent->events->finding(parent->events->arg, &f);
	return 0;
}

/* A string with its NUL at the end of a body, safe for a terminal and JSON. */
static bool parent_is_last_text(const char *text, size_t len)
{
	return len && strnlen(text, len) == len - 1 && finding_is_clean(text);
}

/* Two strings. */
static int parent_take_subject(struct parent *parent, const char *body, size_t len)
{
	size_t key = strnlen(body, len) + 1;

	if (key >= len || !parent_is_last_text(body, key) || !vocabulary_has_subject(body) ||
	    !parent_is_last_text(body + key, len - key))
		return err_set(EPROTO, "the worker sent an invalid subject");
	parent->events->subject(parent->events->arg, body, body + key);
	return 0;
}

static int parent_take_progress(struct parent *parent, const uint8_t *body, size_t len)
{
	const char *text = (const char *)body + 8;

	if (len < 9 || !parent_is_last_text(text, len - 8))
		return err_set(EPROTO, "the worker sent an invalid progress record");
	if (parent->events->progress)
		parent->events->progress(parent->events->arg, text, get_be32(body),
					 get_be32(body + 4));
	return 0;
}

/* Allows a TCP socket only to the server that the user named; one for each service that the probe
 * uses over TCP. The ports of mountd and NFS are rpcbind's answers, which only the worker
 * decodes. */
static bool parent_may_connect(struct parent *parent, const uint8_t *body, size_t len)
{
	const struct probe_options *options = parent->options;
	const uint16_t named[TCP_PEERS] = { [TCP_RPCBIND] = RPCBIND_PORT,
					    [TCP_MOUNT] = options->mount_port,
					    [TCP_NFS] = options->nfs_port };
	uint16_t port;

	if (len != 4 || body[0] >= TCP_PEERS || body[3] >= parent->naddresses)
		return false;
	if (parent->connections[body[0]]++ >= (body[0] == TCP_NFS ? parent->nfs_connections : 1))
		return false;
	port = get_be16(body + 1);
	return port && (!named[body[0]] || named[body[0]] == port);
}

static int parent_take_connect(struct parent *parent, const uint8_t *body, size_t len)
{
	_cleanup_close_ int fd = -1;
	struct transport_address to;
	uint8_t answer[512] = { 0 };
	struct rpc_tcp_source source = {
		.from = parent->options->bind.len ? &parent->options->bind : NULL,
		.reserved = geteuid() == 0,
	};
	uint32_t wait;
	int rc;

	if (!parent_may_connect(parent, body, len))
		return err_set(EPROTO, "the worker requested a connection that is not allowed");
	to = parent->addresses[body[3]];
	transport_set_port(&to, get_be16(body + 1));
	/* A silent port must leave time for the steps that can do without it. */
	wait = min_u32(CONNECT_MS, (uint32_t)deadline_left(parent->deadline) / 2);
	rc = rpc_tcp_connect(&fd, &to, &source, deadline_in(wait));
	put_be32(answer, (uint32_t)-rc);
	answer[4] = !rc && source.reserved;
	snprintf((char *)answer + 5, sizeof(answer) - 5, "%.500s", rc ? err_text() : "");
	return channel_send(parent->worker.channel, WORKER_SOCKET, answer,
			    6 + strlen((char *)answer + 5), fd);
}

static int parent_take_remains(struct parent *parent, const uint8_t *body, size_t len)
{
	struct remains remains;
	int rc = remains_decode(&remains, body, len);

	if (!rc && remains.address >= parent->naddresses)
		rc = err_set(EPROTO, "the worker sent a client without an address");
	if (!rc)
		parent->remains = remains;
	return rc;
}

/* Nothing is made before its name was said. Only the name that the user gave, or one of ours. */
static int parent_take_scratch(struct parent *parent, const uint8_t *body, size_t len)
{
	const char *asked = parent->options->scratch, *last = asked ? strrchr(asked, '/') : NULL;
	bool begins = !parent->scratch.exists && !parent->quiet;
	struct scratch scratch;
	int rc = scratch_decode(&scratch, body, len);

	last = last ? last + 1 : asked;
	if (!rc && (!asked || scratch.address >= parent->naddresses ||
		    (*last ? strcmp(scratch.name, last) != 0
			   : strncmp(scratch.name, SCRATCH_PREFIX, strlen(SCRATCH_PREFIX)) != 0)))
		rc = err_set(EPROTO, "the worker sent a scratch file that was not asked for");
	if (rc)
		return rc;
	parent->scratch = scratch;
	if (!begins || !scratch.exists)
		return 0;
	if (parent->events->scratch)
		parent->events->scratch(parent->events->arg, scratch.path);
	return channel_send(parent->worker.channel, WORKER_SCRATCH, "", 1, -1);
}

static int parent_take_range(struct parent *parent, const uint8_t *body, size_t len)
{
	struct probe_range_result result;
	uint32_t fate = len == WORKER_RANGE_LEN ? get_be32(body + 4) : PROBE_RANGE_FATES;

	if (fate >= PROBE_RANGE_FATES || get_be32(body) >= parent->options->nranges)
		return err_set(EPROTO, "the worker sent an invalid range");
	result = (struct probe_range_result){
		.index = get_be32(body),
		.fate = (enum probe_range_fate)fate,
		.length = get_be32(body + 8),
		.digest = get_be64(body + 12),
	};
	if (parent->events->range)
		parent->events->range(parent->events->arg, &result);
	return 0;
}

static int parent_take_matrix(struct parent *parent, const uint8_t *body, size_t len)
{
	struct matrix matrix;
	int rc = matrix_decode(&matrix, body, len);

	if (rc)
		return err_context(rc, "the worker");
	if (parent->events->matrix)
		parent->events->matrix(parent->events->arg, &matrix);
	return 0;
}

static int parent_take_end(struct parent *parent, const uint8_t *body, size_t len)
{
	uint32_t sent = len == 4 ? get_be32(body) : 0;

	if (len != 4)
		return err_set(EPROTO, "the worker sent an end of %zu bytes", len);
	parent->lost = sent != parent->records;
	if (parent->lost)
		return err_set(
			EPROTO,
			"%u records sent by the worker, %u received: findings may be missing", sent,
			parent->records);
	parent->complete = true;
	return 0;
}

static int parent_take_record(struct parent *parent, int type, const uint8_t *body, size_t len)
{
	if (parent->complete)
		return err_set(EPROTO, "the worker sent a message after its end");
	if (type == WORKER_END)
		return parent_take_end(parent, body, len);
	parent->records += type != WORKER_PROGRESS;
	if (type == WORKER_REMAINS)
		return parent_take_remains(parent, body, len);
	if (type == WORKER_SCRATCH)
		return parent_take_scratch(parent, body, len);
	if (type == WORKER_CONNECT && parent->cleaning)
		return parent_take_connect(parent, body, len);
	/* The first worker reported everything else. */
	if (parent->quiet)
		return 0;
	switch (type) {
	case WORKER_FINDING: return parent_take_finding(parent, body, len);
	case WORKER_SUBJECT: return parent_take_subject(parent, (const char *)body, len);
	case WORKER_PROGRESS: return parent_take_progress(parent, body, len);
	case WORKER_MATRIX: return parent_take_matrix(parent, body, len);
	case WORKER_RANGE: return parent_take_range(parent, body, len);
	case WORKER_CONNECT: return parent_take_connect(parent, body, len);
	default: return err_set(EPROTO, "the worker sent a message of type %d", type);
	}
}

/* The worker could not open its capture file, or give up its privilege. */
static void parent_say_unprepared(struct parent *parent)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	parent->ended = true;
	if (parent->quiet)
		return;
	parent->unprepared = true;
	finding_init(&f, "probe.connect", FINDING_UNKNOWN, "%s", err_text());
	finding_reason(&f, err_reason());
	finding_clean(f.summary);
	parent->events->finding(parent->events->arg, &f);
}

static int parent_receive(struct parent *parent, uint64_t deadline)
{
	_cleanup_free_ uint8_t *body = malloc(WORKER_RECORD_MAX);
	int type;
	ssize_t n;

	if (!body)
		return err_no_memory();
	n = child_receive(&parent->worker, &type, body, WORKER_RECORD_MAX, deadline);
	if (n >= 0)
		return parent_take_record(parent, type, body, (size_t)n);
	if (n == -EPIPE)
		parent->ended = true;
	else if (type == CHANNEL_FAILED && n != -EPROTO)
		parent_say_unprepared(parent);
	else if (n == -ETIMEDOUT && !deadline_left(parent->until))
		return err_set(ETIMEDOUT, "the worker did not exit at the deadline");
	else if (n != -ETIMEDOUT && n != -EINTR)
		return (int)n;
	return 0;
}

static int parent_serve(struct parent *parent)
{
	int rc = 0;

	while (!rc && !parent->ended) {
		if (parent_interrupted && !parent->quiet)
			return err_set(EINTR, "interrupted");
		/* A signal that arrives just here is handled in the next round. */
		rc = parent_receive(parent, deadline_min(parent->until, deadline_in(LOOK_MS)));
	}
	/* Nothing failed, and nothing was asked: that must not pass. */
	if (!rc && parent->complete && !parent->decided && !parent->quiet)
		return err_set(EPROTO, "the worker sent no finding about a call");
	return rc;
}

/* The worker closed the channel, so it should exit in a moment. */
static int parent_await_exit(struct parent *parent, struct child_end *end)
{
	uint64_t until = deadline_min(parent->until, deadline_in(GRACE_MS));

	while (!child_reap(&parent->worker, deadline_min(until, deadline_in(LOOK_MS)), end)) {
		if (parent_interrupted && !parent->quiet)
			return err_set(EINTR, "interrupted");
		if (!deadline_left(until))
			return err_set(ETIMEDOUT, "the worker did not exit at the deadline");
	}
	return 0;
}

/* The last step that the worker noted. The worker can write this memory, so its content is
 * copied, terminated and cleaned. */
static const char *parent_step_text(const struct parent *parent, char buf[WORKER_STEP_MAX])
{
	memcpy(buf, parent->step, WORKER_STEP_MAX);
	buf[WORKER_STEP_MAX - 1] = '\0';
	finding_clean(buf);
	return *buf ? buf : "nothing";
}

static int parent_check_exit(const struct parent *parent, const struct child_end *end)
{
	char step[WORKER_STEP_MAX];

	if (end->fate == CHILD_SIGNALLED)
		return err_set(EPROTO, "the worker died with signal %d (%s); last decoded: %s",
			       end->status, strsignal(end->status), parent_step_text(parent, step));
	if (end->fate == CHILD_EXITED && end->status)
		return err_set(EPROTO, "the worker ended with status %d; last decoded: %s",
			       end->status, parent_step_text(parent, step));
	if (!parent->complete)
		return err_set(EPROTO, "the worker sent no end record: findings may be missing");
	return 0;
}

/* Kills the worker when it must not continue. A worker stuck in the kernel, as soft-iWARP is
 * while it connects, is left. */
static int parent_end_worker(struct parent *parent, int rc)
{
	struct child_end end = { .fate = CHILD_UNKNOWN };
	struct err_kept why;
	uint64_t rest;
	char how[CHILD_END_TEXT_MAX];

	if (!rc)
		rc = parent_await_exit(parent, &end);
	if (!rc)
		rc = parent_check_exit(parent, &end);
	parent->how = end;
	err_keep(&why, rc);
	if (parent->worker.pid) {
		child_kill(&parent->worker);
		if (!child_reap(&parent->worker, deadline_min(parent->end, deadline_in(REAP_MS)),
				&end))
			snprintf(why.text + strlen(why.text), sizeof(why.text) - strlen(why.text),
				 "; it %s", child_end_text(&end, how, sizeof(how)));
	}
	/* It has exited: receive its last records, about its client. */
	parent->quiet = true;
	rest = deadline_min(parent->end, deadline_in(REST_MS));
	while (!parent->ended && deadline_left(rest) && !parent_receive(parent, rest))
		;
	child_close(&parent->worker);
	return err_again(&why);
}

static int parent_start_worker(struct parent *parent)
{
	struct worker_task task = {
		.options = parent->options,
		.work = parent->work,
		.addresses = parent->addresses,
		.naddresses = parent->naddresses,
		.deadline = parent->deadline,
		.close_by = parent->close_by,
		.remains = parent->quiet ? &parent->remains : NULL,
		.scratch = parent->quiet ? &parent->scratch : NULL,
		.step = parent->step,
	};
	const struct child_function function = {
		.kind = CHILD_WORKER,
		.name = "the worker",
		.prepare = worker_prepare,
		.spawn = worker_spawn,
		.run = worker_run,
		.arg = &task,
		.keep = &parent->options->pcap_fd,
		.nkeep = parent->options->pcap_fd ? 1 : 0,
	};

	parent->records = 0;
	parent->ended = parent->complete = parent->lost = false;
	memset(parent->step, 0, WORKER_STEP_MAX);
	/* The worker ends by exit(3), which would write buffered output again. */
	fflush(NULL);
	return child_start(&parent->worker, &function);
}

const char *parent_reason(const struct child_end *end, bool lost, int rc)
{
	if (lost)
		return "lost-records";
	if (end->fate == CHILD_SIGNALLED)
		return end->status == SIGKILL ? "killed" : "crashed";
	if (rc == -ETIMEDOUT)
		return "deadline";
	if (rc == -ENOMEM)
		return "no-memory";
	return end->fate == CHILD_EXITED && !end->status ? "lost-records" : "protocol";
}

/* The findings so far are valid but not complete. An interrupt is the user's own. */
static void parent_say_incomplete(const struct parent *parent, int rc, const char *why)
{
	char step[WORKER_STEP_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (rc == -EINTR || parent->unprepared)
		return;
	finding_init(&f, "probe.worker", FINDING_UNKNOWN, "%s", why);
	finding_reason(&f, parent_reason(&parent->how, parent->lost, rc));
	if (parent->how.fate == CHILD_SIGNALLED)
		finding_number(&f, "signal", parent->how.status);
	finding_text(&f, "decoded", "%s", parent_step_text(parent, step));
	finding_number(&f, "records", parent->records);
	parent->events->finding(parent->events->arg, &f);
}

/* Starts another worker that only removes what the first one left on the server. Neither an
 * interrupt nor the first deadline ends it; time is reserved for it. */
static void parent_clean(struct parent *parent, worker_fn work)
{
	parent->clean = *parent->options;
	parent->clean.pcap = NULL;
	parent->clean.pcap_fd = 0;
	parent->options = &parent->clean;
	parent->work = work;
	parent->quiet = parent->cleaning = true;
	memset(parent->connections, 0, sizeof(parent->connections));
	parent->deadline = parent->close_by = parent->until = deadline_min(parent->clean_until,
									   deadline_in(CLEAN_MS));
	if (!parent_start_worker(parent))
		parent_end_worker(parent, parent_serve(parent));
}

static void parent_clean_client(struct parent *parent)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (parent->remains.exists)
		parent_clean(parent, client41_clean);
	if (!parent->remains.exists)
		return;
	finding_init(
		&f, "probe.session.left", FINDING_WARN,
		"the client %s could not be removed from the server; it remains until its lease ends",
		parent->remains.owner);
	finding_reason(&f, "no-answer");
	finding_text(&f, "owner", "%s", parent->remains.owner);
	parent->events->finding(parent->events->arg, &f);
}

static void parent_clean_scratch(struct parent *parent)
{
	static const char *const reasons[SCRATCH_LEFTS] = {
		[SCRATCH_NO_ANSWER] = "no-answer",
		[SCRATCH_REFUSED] = "refused",
		[SCRATCH_ANOTHER] = "another-file",
	};
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (parent->scratch.exists)
		parent_clean(parent, scratch_clean);
	if (!parent->scratch.exists)
		return;
	finding_init(&f, "probe.scratch.left", FINDING_WARN,
		     "the scratch file %s could not be removed from the server",
		     parent->scratch.path);
	finding_reason(&f, reasons[parent->scratch.left]);
	finding_text(&f, "path", "%s", parent->scratch.path);
	parent->events->finding(parent->events->arg, &f);
}

/* The file first, while there is time. Who removes it may leave a client of its own. */
static void parent_clean_all(struct parent *parent)
{
	const struct remains client = parent->remains;

	if (parent->scratch.exists) {
		parent->remains.exists = false;
		parent_clean_scratch(parent);
		parent_clean_client(parent);
		parent->remains = client;
	}
	parent_clean_client(parent);
}

static void parent_divide_time(struct parent *parent)
{
	const unsigned int all = parent->options->timeout_ms;
	const unsigned int reserve = min_u32(RESERVE_MS, all / 4);

	parent->end = deadline_in(all);
	parent->clean_until = parent->end - reserve / 8;
	parent->until = parent->end - reserve / 2;
	parent->close_by = parent->until - reserve / 8;
	parent->deadline = parent->end - reserve;
	parent->timed = *parent->options;
	parent->timed.timeout_ms = all - reserve;
	parent->options = &parent->timed;
}

int parent_run(const struct probe_options *options, worker_fn work, unsigned int nfs_connections,
	       const struct probe_events *events)
{
	struct sigaction action = { .sa_handler = parent_on_signal }, old_int, old_term;
	struct parent parent = { .options = options,
				 .work = work,
				 .events = events,
				 .nfs_connections = nfs_connections };
	struct err_kept why;
	int rc;

	parent_divide_time(&parent);
	rc = transport_resolve(options->host, options->port, parent.addresses, ADDRESSES_MAX,
			       parent.deadline);
	if (rc < 0)
		return parent_say_unresolved(&parent, rc);
	parent.naddresses = (size_t)rc;
	parent_say_resolved(&parent);
	parent.step = mmap(NULL, WORKER_STEP_MAX, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (parent.step == MAP_FAILED)
		return err_sys("memory to share with the worker");
	parent_interrupted = 0;
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	parent.how.fate = CHILD_UNKNOWN;
	rc = parent_start_worker(&parent);
	if (!rc)
		rc = parent_end_worker(&parent, parent_serve(&parent));
	err_keep(&why, rc);
	if (rc)
		parent_say_incomplete(&parent, rc, why.text);
	parent_clean_all(&parent);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	munmap(parent.step, WORKER_STEP_MAX);
	return err_again(&why);
}

int probe_run(const struct probe_options *options, const struct probe_events *events)
{
	/* One for the reference, one for over-tcp.c. */
	return parent_run(options, worker_probe, 2, events);
}
