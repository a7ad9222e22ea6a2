/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child in which every byte from the network is decoded: a CHILD_WORKER (rpcrdma/child), so
 * without privilege. Its only descriptor is the channel to its parent (and the capture file, if
 * requested). The parent passes connected TCP sockets that need a reserved port. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define ENOUGH_BYTES 16384 /* smallest bound of READs */

/* Counted before it is sent, so that a failed send makes the number differ. */
int probe_record(struct probe *p, enum worker_record type, const void *body, size_t len)
{
	int rc;

	p->channel.records++;
	rc = channel_send(p->channel.fd, (int)type, body, len, -1);
	if (rc)
		debug(DEBUG_PROBE, "record %u is lost: %s", p->channel.records, err_text());
	return rc;
}

void probe_step(struct probe *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->channel.step)
		return;
	va_start(ap, fmt);
	vsnprintf(p->channel.step, WORKER_STEP_MAX, fmt, ap);
	va_end(ap);
	p->channel.step_of = 0;
}

void probe_emit(struct probe *p, const struct finding *finding)
{
	_cleanup_(finding_fini) struct finding trimmed = { 0 };
	uint8_t buf[FINDING_RECORD_MAX];
	int n;

	/* The parent refuses it. */
	if (vocabulary_check(finding)) {
		debug(DEBUG_PROBE, "left out: %s", err_text());
		finding_copy(&trimmed, finding);
		vocabulary_trim(&trimmed);
		finding = &trimmed;
	}
	n = finding_encode(finding, buf, sizeof(buf));

	if (n > 0)
		probe_record(p, WORKER_FINDING, buf, (size_t)n);
	else
		p->channel.records++;
}

void probe_say(struct probe *p, const char *id, enum finding_status status, const char *fmt, ...)
{
	char text[FINDING_SUMMARY_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_init(&f, id, status, "%s", text);
	probe_emit(p, &f);
}

void probe_because(struct probe *p, const char *id, enum finding_status status, const char *reason,
		   const char *fmt, ...)
{
	char text[FINDING_SUMMARY_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_init(&f, id, status, "%s", text);
	if (status != FINDING_PASS && status != FINDING_SKIP)
		finding_reason(&f, reason);
	probe_emit(p, &f);
}

const char *probe_reason(int rc)
{
	static const char *const known[] = {
		"busy",  "denied",    "grace",      "kerberos", "local",   "status",    "no-reply",
		"stale", "not-found", "rdma-error", "zero",     "symlink", "rpc-error", "moved",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i], err_reason()))
			return known[i];
	return rc == -EBADMSG || rc == -EPROTO ? "malformed" : session_reason(rc);
}

void probe_subject(struct probe *p, const char *key, const char *fmt, ...)
{
	char body[1024];
	size_t used = strlen(key) + 1;
	va_list ap;

	memcpy(body, key, used);
	va_start(ap, fmt);
	vsnprintf(body + used, sizeof(body) - used, fmt, ap);
	va_end(ap);
	/* The server chooses the names. */
	finding_clean(body + used);
	probe_record(p, WORKER_SUBJECT, body, used + strlen(body + used) + 1);
}

void probe_progress(struct probe *p, const char *what, unsigned int done, unsigned int total)
{
	uint8_t body[128];

	put_be32(body, done);
	put_be32(body + 4, total);
	snprintf((char *)body + 8, sizeof(body) - 8, "%s", what);
	channel_send(p->channel.fd, WORKER_PROGRESS, body, 8 + strlen((char *)body + 8) + 1, -1);
}

int probe_tcp(struct probe *p, enum tcp_peer peer, uint16_t port, bool *reserved)
{
	uint8_t ask[4] = { (uint8_t)peer, 0, 0, (uint8_t)p->route.address };
	uint8_t answer[1024];
	int fd, rc, type;
	ssize_t n;

	put_be16(ask + 1, port);
	rc = probe_record(p, WORKER_CONNECT, ask, sizeof(ask));
	if (rc)
		return rc;
	n = channel_receive(p->channel.fd, &type, answer, sizeof(answer) - 1, &fd);
	if (n < 5 || type != WORKER_SOCKET)
		return err_set(EPIPE, "the parent process ended");
	if (reserved)
		*reserved = answer[4];
	answer[n] = '\0';
	/* No error and no socket: the descriptor limit was reached. */
	if (fd < 0)
		return err_set(get_be32(answer) ? (int)get_be32(answer) : EMFILE, "%s",
			       (const char *)answer + 5);
	return fd;
}

/* The caller's credentials, read before they are dropped. */
static void worker_default_cred(struct rpc_cred *cred)
{
	gid_t gids[NGROUPS_MAX];
	int i, n = getgroups(NGROUPS_MAX, gids);

	memset(cred, 0, sizeof(*cred));
	cred->flavor = RPC_AUTH_SYS;
	cred->uid = geteuid();
	cred->gid = getegid();
	for (i = 0; i < n && cred->ngids < RPC_GIDS_MAX; i++)
		cred->gids[cred->ngids++] = gids[i];
}

/* Notes the findings on READs for later findings. */
static void worker_sink(void *arg, const struct finding *finding)
{
	struct probe *p = arg;
	const struct {
		const char *id;
		bool *failed;
	} rows[] = {
		{ "probe.read.write-chunk", &p->write_chunk.failed },
		{ "probe.read.write-chunk.unused", &p->write_chunk.unused },
		{ "probe.read.write-chunk.tail", &p->write_chunk.tail },
		{ "probe.read.write-chunk.order", &p->write_chunk.order },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(finding->id, rows[i].id))
			*rows[i].failed = finding->status == FINDING_FAIL;
	probe_emit(p, finding);
}

/* Adds the evidence for a kind of server that is not proof. */
static void worker_add_habits(const struct server_identity *server, struct finding *f)
{
	char versions[64] = "";
	unsigned int i;

	for (i = 0; i < PROBE_VERSIONS && nfs_versions[i]; i++)
		if (server->offered[i])
			snprintf(versions + strlen(versions), sizeof(versions) - strlen(versions),
				 "%s%s", versions[0] ? " " : "", nfs_versions[i]->name);
	finding_text(f, "private_data", "%s", server->habits.private_data ? "yes" : "none");
	finding_number(f, "reply_inline", server->habits.inline_size);
	finding_text(f, "versions", "%s", versions);
	finding_number(f, "largest_read", server->habits.largest_read);
	finding_number(f, "preferred_read", server->habits.preferred_read);
}

/* Identifies the server by the handles that it returned so far, and by EXCHANGE_ID. */
static void worker_identify(struct probe *p)
{
	struct server_identity *server = &p->server;
	char why[256], head[16], because[96] = "";
	enum server_kind perhaps = SERVER_UNKNOWN;
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int i;

	for (i = 0; i < p->files.ncandidates; i++)
		identity_add(&server->seen, &p->files.candidates[i].fh);
	server->kind = identity_of(&server->seen, why, sizeof(why));
	if (server->kind == SERVER_UNKNOWN) {
		for (i = 0; i < PROBE_VERSIONS && nfs_versions[i]; i++) {
			if (!server->offered[i])
				continue;
			server->habits.nfs4 |= nfs_versions[i]->vers == 4;
			server->habits.nfs42 |= !strcmp(nfs_versions[i]->name, "4.2");
		}
		perhaps = identity_guess(&server->habits, because, sizeof(because));
	}
	if (perhaps != SERVER_UNKNOWN)
		finding_init(&f, "probe.server", FINDING_PASS, "%s, perhaps %s (%s): %s",
			     identity_name(server->kind), identity_name(perhaps), because, why);
	else
		finding_init(&f, "probe.server", FINDING_PASS, "%s: %s",
			     identity_name(server->kind), why);
	finding_text(&f, "server", "%s", identity_name(server->kind));
	finding_text(&f, "kind", "%s", identity_word(server->kind));
	if (perhaps != SERVER_UNKNOWN)
		finding_text(&f, "perhaps", "%s", identity_word(perhaps));
	/* Only a part of the handle, because anyone who has it may use it. */
	if (server->seen.nhandles) {
		const struct nfs_fh *fh = &server->seen.handles[server->seen.nhandles - 1];

		hex_text(fh->data, min_u32(fh->len, 4), head, sizeof(head));
		finding_text(&f, "handle", "%s, %u bytes", head, fh->len);
	}
	if (server->seen.scope[0])
		finding_text(&f, "scope", "%s", server->seen.scope);
	if (server->seen.implementation[0])
		finding_text(&f, "implementation", "%s %s", server->seen.domain,
			     server->seen.implementation);
	worker_add_habits(server, &f);
	finding_number(&f, "credits", p->behaviour.most_granted);
	probe_emit(p, &f);
}

static void worker_say_withheld(struct probe *p)
{
	const struct server_identity *server = &p->server;
	static const char *const keys[GATE_COUNT] = {
		[GATE_EMPTY] = "empty_reads",
		[GATE_LONG] = "long_reads",
		[GATE_REPLY_CHUNK] = "reply_chunk_reads",
		[GATE_FOLLOWED] = "followed_reads",
	};
	unsigned int i, n = 0;
	_cleanup_(finding_fini) struct finding f = { 0 };

	for (i = 0; i < GATE_COUNT; i++)
		n += server->withheld[i];
	if (n)
		finding_init(
			&f, "probe.read.withheld",
			server->kind == SERVER_GANESHA ? FINDING_WARN : FINDING_SKIP,
			"%u READ%s not sent because they can crash nfs-ganesha: the server is %s%s",
			n, n == 1 ? " was" : "s were",
			server->kind == SERVER_UNKNOWN ? "not known to be a different one"
						       : identity_name(server->kind),
			server->kind > SERVER_GANESHA ? ", which is not known to bear them" : "");
	else
		finding_init(&f, "probe.read.withheld", FINDING_PASS,
			     "no READ was withheld from %s",
			     gate_lets(server->kind, GATE_EMPTY) ? identity_name(server->kind)
								 : "the server");
	if (f.status == FINDING_WARN)
		finding_reason(&f, "ganesha");
	for (i = 0; i < GATE_COUNT; i++)
		if (keys[i])
			finding_number(&f, keys[i], server->withheld[i]);
	probe_emit(p, &f);
}

/* Data that is compared with consecutive short READs may be long only if a round trip is short:
 * at most a third of the time. */
static void worker_bound_by_time(struct probe *p)
{
	struct limits *limits = &p->limits;
	double pieces = deadline_left(p->deadline) / 3.0 / (p->pace.rtt_ms + 0.01);
	uint32_t most = limits->rtmax;

	if (!p->tcp.reference && pieces * WINDOW_PIECE < most)
		most = (uint32_t)(pieces * WINDOW_PIECE) & ~4095u;
	if (most == limits->rtmax || most < ENOUGH_BYTES)
		return;
	late_not_tried(&p->pace, "READs of more than %u bytes", most);
	limits->rtmax = most;
}

static void worker_read_files(struct probe *p, struct matrix *matrix)
{
	struct server_identity *server = &p->server;
	const struct behaviour *b = &p->behaviour;
	struct records records = { 0 };
	struct verdict_input in = { .records = &records };

	worker_bound_by_time(p);
	sweep_run(p, &records);
	target_say_reference(p);
	/* With several in flight, a foreign xid costs one of them its reply. */
	in.lost_elsewhere = b->lost.beside_write_chunks + b->xid.count;
	in.closed_elsewhere = b->closed.beside_write_chunks;
	in.transport_elsewhere = b->transport.beside_write_chunks + b->late_writes.count;
	in.late_writes = b->late_writes.count;
	in.rtmax = p->limits.rtmax;
	verdict_reads(&in, worker_sink, p);
	p->write_chunk.reported = true;
	random_say(&records.random, worker_sink, p);
	p->pace.enough = verdict_is_enough(&in) && !p->session.hopeless;
	if (records.changed_files)
		probe_because(
			p, "probe.changing", records.all_changing ? FINDING_UNKNOWN : FINDING_PASS,
			records.all_changing ? "every-file" : "",
			records.all_changing
				? "all %u files tested changed while they were read"
				: "%u files changed while they were read; another one was used",
			records.changed_files);
	compound_run(p, matrix);
	cells_add(matrix, &records);
	server->linux3.credits = b->most_granted;
	linux3_count(&server->linux3, &records);
	if (identity_may_be_linux(server->kind))
		linux3_say(&server->linux3, worker_sink, p);
	beside_say(p);
	second_say(&p->second, worker_sink, p);
	worker_say_withheld(p);
	largest_say(&(struct largest_input){ .records = &records,
					     .level = p->options->level,
					     .kind = server->kind,
					     .named_max = server->habits.largest_read,
					     .read_max = p->limits.read_max },
		    worker_sink, p);
	listing_readdir(p);
	listing_readlink(p);
	call_by_chunk_try(p);
	free(records.list);
}

/* An export without files is read by the scratch file, if there is one. */
static void worker_try_export(struct probe *p)
{
	bool picked = pick_files(p);
	struct matrix matrix = { 0 };
	uint8_t record[MATRIX_RECORD];
	struct writes *writes;

	if (!picked && !p->options->scratch) {
		pick_say_none(p);
		return;
	}
	worker_identify(p);
	target_reference(p);
	if (picked)
		worker_read_files(p, &matrix);
	writes = write_begin(p, picked, &matrix);
	if (!picked && writes)
		pick_take(p, write_file(writes));
	else if (!picked)
		pick_say_none(p);
	if (!picked && writes)
		worker_read_files(p, &matrix);
	if (writes)
		write_end(writes);
	if (!matrix_is_empty(&matrix)) {
		matrix_encode(&matrix, record);
		probe_record(p, WORKER_MATRIX, record, sizeof(record));
	}
	reference_close(p->tcp.reference);
	over_tcp_close(&p->tcp);
}

void worker_probe(struct probe *p)
{
	bool answered = target_ping(p);
	bool pinged = answered && versions_choose(p);

	if (pinged && !p->options->export)
		probe_say(p, "probe.mount", FINDING_SKIP,
			  "no export given, nothing read; expected SERVER:/EXPORT");
	else if (pinged && root_find(p) && target_limits(p))
		worker_try_export(p);
	liveness_check(p);
	client41_close(p);
	if (answered)
		target_behaviour(p);
	session_drop(p);
}

int worker_prepare(void *arg, int channel)
{
	struct worker_task *task = arg;
	const struct probe_options *options = task->options;
	struct probe *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		return err_no_memory();
	task->probe = p;
	p->options = options;
	p->channel.fd = channel;
	p->channel.step = task->step;
	p->tcp.rpcbind = -1;
	p->deadline = task->deadline;
	p->close_by = task->close_by;
	p->route.addresses = task->addresses;
	p->route.naddresses = task->naddresses;
	p->version = nfs_version_find("3");
	if (task->remains)
		p->client.remains = *task->remains;
	if (task->scratch)
		p->scratch = *task->scratch;
	rc = options->pcap_fd ? pcap_fdopen(&p->route.pcap, options->pcap_fd)
	     : options->pcap  ? pcap_open(&p->route.pcap, options->pcap)
			      : 0;
	if (rc)
		return err_because(err_context(rc, "--pcap"), "capture");
	if (options->has_cred)
		p->cred = options->cred;
	else
		worker_default_cred(&p->cred);
	transport_raise_memlock();
	return 0;
}

int worker_spawn(void *arg, int channel)
{
	struct worker_task *task = arg;

	(void)channel;
	/* If it fails, target_reference() will say why. */
	if (!task->remains && reference_available())
		reference_start(&task->probe->tcp.reference_waiting);
	return 0;
}

int worker_run(void *arg, int channel)
{
	struct worker_task *task = arg;
	struct probe *p = task->probe;
	uint8_t body[4];

	(void)channel;
	if (route_choose(p)) {
		task->work(p);
		if (p->route.pcap && pcap_close(p->route.pcap))
			probe_because(p, "probe.connect", FINDING_UNKNOWN, "capture", "--pcap: %s",
				      err_text());
	}
	/* The end is not counted. */
	put_be32(body, p->channel.records);
	channel_send(p->channel.fd, WORKER_END, body, sizeof(body), -1);
	reference_close(p->tcp.reference_waiting);
	free(p);
	/* Not _exit(2), so that a sanitizer can look for leaks. */
	exit(0);
}
