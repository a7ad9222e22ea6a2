/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Examines the target before any READ: connection and NULL call, private data (RFC 8797), the
 * largest READ, and the reference path; and after the READs, the server's behaviour. Every step
 * is a finding and decides whether the next is useful. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define PINGS 3
/* The largest READ and WRITE of a server that gives no limit (NFSv4's attributes are optional). */
#define READ_MAX_UNSAID  65536
#define WRITE_MAX_UNSAID 65536
/* Each mechanism is tried up to this. */
#define READ_MAX_EACH (1u << 20)
/* Bytes of a READ's reply besides its data, counted in a session's largest response. */
#define RESPONSE_HEAD 1024

bool target_is_local(int rc)
{
	return rc == -ENOMEM || rc == -ENOSYS;
}

/* Whether there was no answer, or no way to ask, as opposed to a wrong answer or a refusal. */
static bool target_is_unanswered(int rc)
{
	return rc == -ETIMEDOUT || rc == -EHOSTUNREACH || rc == -ENETUNREACH || rc == -EACCES ||
	       rc == -EPERM || rc == -EADDRNOTAVAIL || rc == -ENODEV || rc == -ENETDOWN ||
	       rc == -EAGAIN || target_is_local(rc);
}

enum finding_status target_refusal(int rc)
{
	return target_is_unanswered(rc) ? FINDING_UNKNOWN : FINDING_FAIL;
}

/* A server with InfiniBand or RoCE refuses TCP although NFS over RDMA works: a refusal of iWARP that was chosen
 * for lack of an RDMA device says nothing about the server. */
static bool target_is_untestable(const struct probe *p, const struct err_kept *worst)
{
	return !p->options->transport && !p->route.via->route && !strcmp(worst->reason, "refused");
}

/* A server with too many clients closes connections before its first answer. */
static void target_note_tries(struct finding *f, unsigned int tries)
{
	size_t used = strlen(f->summary);

	if (tries < 2)
		return;
	snprintf(f->summary + used, sizeof(f->summary) - used,
		 f->status == FINDING_PASS ? ", at try %u" : ", at the last of %u tries", tries);
	finding_number(f, "tries", tries);
}

/* Tries every address of the name in turn: an answer, even a bad one, says more than silence. */
static bool target_connect(struct probe *p)
{
	int rc = err_set(EHOSTUNREACH, "the name has no address");
	struct route *to = &p->route;
	struct err_kept worst = { 0 };
	char where[96];
	unsigned int worst_tries = 1;
	const struct transport *t;
	_cleanup_(finding_fini) struct finding f = { 0 };

	for (to->address = 0; to->address < to->naddresses; to->address++) {
		p->session.tries = 0;
		rc = session_ready(p);
		if (!rc)
			break;
		if (worst.rc && !target_is_unanswered(worst.rc))
			continue;
		err_keep(&worst, rc);
		worst_tries = p->session.tries;
	}
	if (rc) {
		bool untestable = target_is_untestable(p, &worst);

		finding_init(&f, "probe.connect",
			     untestable ? FINDING_UNKNOWN : target_refusal(worst.rc), "%s%s",
			     untestable ? "cannot be tested from here: " : "", worst.text);
		finding_reason(&f, untestable ? "no-device-here" : worst.reason);
		finding_text(&f, "error", "%s", strerrorname_np(-worst.rc));
		target_note_tries(&f, worst_tries);
		probe_emit(p, &f);
		return false;
	}
	t = rpcrdma_transport(p->session.conn);
	transport_address_text(&t->peer, where, sizeof(where));
	if (t->refused)
		finding_init(
			&f, "probe.connect", FINDING_PASS,
			"connected to %s over %s with MPA revision %u, CRC %s, after the peer refused %s",
			where, t->ops->name, t->mpa_revision, t->crc ? "on" : "off", t->refused);
	else
		finding_init(&f, "probe.connect", FINDING_PASS, "connected to %s over %s", where,
			     t->ops->name);
	finding_text(&f, "address", "%s", where);
	finding_text(&f, "crc", "%s", t->crc ? "on" : "off");
	target_note_tries(&f, p->session.tries);
	if (t->mpa_revision)
		finding_number(&f, "mpa_revision", t->mpa_revision);
	probe_emit(p, &f);
	return true;
}

static void target_say_private(struct probe *p)
{
	struct server_identity *server = &p->server;
	const struct rpcrdma_private *peer = rpcrdma_peer_private(p->session.conn);
	_cleanup_(finding_fini) struct finding f = { 0 };

	server->linux3.private_data = peer->present;
	server->habits.private_data = peer->present;
	server->habits.inline_size = rpcrdma_reply_inline(p->session.conn);
	if (peer->present)
		finding_init(&f, "probe.private-data", FINDING_PASS,
			     "inline thresholds: %u bytes sent, %u received by the server",
			     peer->send_size, peer->receive_size);
	else
		finding_init(
			&f, "probe.private-data", FINDING_PASS,
			"no private data from the server: inline thresholds %u bytes both ways",
			RPCRDMA_INLINE_MIN);
	finding_number(&f, "reply_inline", rpcrdma_reply_inline(p->session.conn));
	finding_number(&f, "call_inline", rpcrdma_call_inline(p->session.conn));
	finding_text(&f, "remote_invalidation", "%s", peer->remote_invalidate ? "yes" : "no");
	probe_emit(p, &f);
}

int target_null(struct probe *p, uint32_t vers, double *ms)
{
	struct rpcrdma_call call;
	int rc;

	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, vers, NFS3_NULL);
	rc = session_call(p, &call, 0);
	if (!rc)
		*ms = (double)(call.done_ns - call.sent_ns) / 1e6;
	rpcrdma_call_fini(&call);
	return rc;
}

struct target_pings {
	uint32_t vers;
	unsigned int asked, answered;
	unsigned int first_answered; /* which of those asked was */
	/* The server answered no version at first; or not the first of two. */
	bool again, switched;
	double best;
	struct err_kept first; /* error */
};

static void target_ping_version(struct probe *p, struct target_pings *pings)
{
	unsigned int i;
	double ms;
	int rc;

	for (i = 0; i < PINGS; i++) {
		pings->asked++;
		rc = target_null(p, pings->vers, &ms);
		if (!rc && !pings->answered) {
			pings->first_answered = pings->asked;
			/* It closed connections before its first answer, and then answered the
			 * same call: it had too many clients. */
			if (pings->again || !pings->switched)
				memset(&p->behaviour.closed, 0, sizeof(p->behaviour.closed));
		}
		if (!rc) {
			if (!pings->answered++ || ms < pings->best)
				pings->best = ms;
			continue;
		}
		if (!pings->first.rc)
			err_keep(&pings->first, rc);
		/* Do not ask three times a server that never answers, nor repeat the call to one
		 * that does not have the version. */
		if ((rc == -ETIMEDOUT || rc == -EOPNOTSUPP) && !pings->answered)
			break;
	}
}

/* The reason for a failed NULL. */
static const char *target_null_reason(const struct err_kept *error)
{
	static const struct {
		int rc;
		const char *reason;
	} rows[] = {
		{ -EOPNOTSUPP, "no-nfs" }, { -ETIMEDOUT, "silent" },    { -ECONNRESET, "closed" },
		{ -EPROTO, "malformed" },  { -EREMOTEIO, "malformed" }, { -EBADMSG, "malformed" },
		{ -EILSEQ, "malformed" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].rc == error->rc &&
		    (rows[i].rc == -EOPNOTSUPP || strcmp(error->reason, "rpc-error")))
			return rows[i].reason;
	return error->reason;
}

/* Nothing was answered, because the server closed each connection: it may have too many
 * clients. */
static void target_ping_again(struct probe *p, struct target_pings *pings)
{
	uint64_t until = session_first_until(p);
	unsigned int ms = 0;

	while (!pings->answered && pings->first.rc == -ECONNRESET && !p->session.hopeless &&
	       session_pause(until, &ms)) {
		pings->again = true;
		target_ping_version(p, pings);
	}
}

bool target_ping(struct probe *p)
{
	struct target_pings pings = { .vers = p->options->version ? p->options->version->vers : 4 };
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (!target_connect(p))
		return false;
	target_say_private(p);
	target_ping_version(p, &pings);
	/* Whether it is the requested version is a finding of its own. */
	if (!pings.answered && (pings.first.rc == -EOPNOTSUPP || !p->options->version)) {
		pings.vers = pings.vers == 4 ? 3 : 4;
		pings.switched = true;
		target_ping_version(p, &pings);
	}
	if (!pings.answered)
		target_ping_again(p, &pings);
	p->pace.rtt_ms = pings.best;
	if (!pings.answered) {
		finding_init(&f, "probe.null", target_refusal(pings.first.rc), "NULL: %s",
			     pings.first.text);
		finding_reason(&f, target_null_reason(&pings.first));
		if (pings.first.rc == -ECONNRESET)
			target_note_tries(&f, pings.asked);
		probe_emit(p, &f);
		return false;
	}
	/* A single loss among answers is reported by target_behaviour(). */
	finding_init(&f, "probe.null", FINDING_PASS, "NULL answered in %.3f ms", pings.best);
	finding_number(&f, "best_ms", pings.best);
	finding_number(&f, "answered", pings.answered);
	finding_number(&f, "asked", PINGS);
	finding_number(&f, "program_version", pings.vers);
	if (pings.again || !pings.switched)
		target_note_tries(&f, pings.first_answered);
	probe_emit(p, &f);
	return true;
}

int target_rpcbind(struct probe *p, uint32_t prog, uint16_t *port)
{
	struct tcp_paths *tcp = &p->tcp;
	int rc;

	/* One connection for all queries: the parent gives no second one. */
	if (tcp->rpcbind < 0)
		tcp->rpcbind = probe_tcp(p, TCP_RPCBIND, RPCBIND_PORT, NULL);
	if (tcp->rpcbind < 0)
		return err_context(tcp->rpcbind, "rpcbind");
	probe_step(p, "the reply of rpcbind");
	rc = pmap_getport(tcp->rpcbind, prog, 3, port, session_tcp_deadline(p, 0));
	return err_context(rc, "rpcbind");
}

bool target_limits(struct probe *p)
{
	struct limits *limits = &p->limits;
	const char *name = p->version->vers == 3 ? "rtmax" : "maxread";
	const struct nfs_result *res;
	struct operation op;
	_cleanup_(finding_fini) struct finding f = { 0 };
	uint32_t response;
	int rc;

	operation_init(&op, NFS_OP_LIMITS, &p->root.file.fh);
	rc = operation_check(p->version, &op, operation_run(p, &op));
	res = &op.result;
	if (!rc && !res->rtmax && p->version->vers == 3)
		rc = err_because(err_set(EIO, "rtmax is 0"), "zero");
	if (rc) {
		probe_because(p, "probe.fsinfo", rc == -EAGAIN ? FINDING_UNKNOWN : FINDING_FAIL,
			      probe_reason(rc), "%s: %s",
			      p->version->vers == 3 ? "FSINFO" : "GETATTR", err_text());
		operation_fini(p, &op);
		return false;
	}
	response = p->client.response_size;
	p->server.habits.largest_read = res->rtmax;
	p->server.habits.preferred_read = p->version->vers == 3 ? res->rtpref : 0;
	limits->read_max = min_u32(res->rtmax ? res->rtmax : READ_MAX_UNSAID, READ_MAX_LARGE);
	/* A session limits the size of every call and reply. */
	if (p->version->sessions && response > 2 * RESPONSE_HEAD)
		limits->read_max = min_u32(limits->read_max, response - RESPONSE_HEAD);
	limits->rtmax = min_u32(limits->read_max, READ_MAX_EACH);
	limits->wtmax = res->wtmax ? res->wtmax : WRITE_MAX_UNSAID;
	if (p->version->sessions && p->client.request_size > 2 * RESPONSE_HEAD)
		limits->wtmax = min_u32(limits->wtmax, p->client.request_size - RESPONSE_HEAD);
	if (res->rtmax)
		finding_init(&f, "probe.fsinfo", FINDING_PASS, "READs of up to %u bytes (%s)",
			     res->rtmax, name);
	else
		finding_init(&f, "probe.fsinfo", FINDING_PASS,
			     "the server names no largest READ; up to %u bytes are tested",
			     limits->rtmax);
	finding_number(&f, "rtmax", res->rtmax);
	finding_number(&f, "tried", limits->rtmax);
	if (p->version->vers == 3)
		finding_number(&f, "rtpref", res->rtpref);
	else
		finding_number(&f, "lease_seconds", res->lease_seconds);
	probe_emit(p, &f);
	operation_fini(p, &op);
	return true;
}

uint16_t target_nfs_port(struct probe *p)
{
	uint16_t port = p->options->nfs_port;

	/* NFSv4 has one port, without rpcbind (RFC 8881 section 2.9.3). */
	if (!port && (p->version->vers == 4 || target_rpcbind(p, NFS_PROGRAM_NUMBER, &port)))
		port = NFS_TCP_PORT;
	return port;
}

static int target_open_reference(struct probe *p)
{
	struct reference **waiting = &p->tcp.reference_waiting;
	bool reserved;
	int fd, rc = *waiting ? 0 : reference_start(waiting);

	if (rc)
		return rc;
	fd = probe_tcp(p, TCP_NFS, target_nfs_port(p), &reserved);
	if (fd < 0)
		return fd;
	return reference_connect(*waiting, fd, &p->route.addresses[p->route.address], &p->cred,
				 p->version);
}

void target_reference(struct probe *p)
{
	struct tcp_paths *tcp = &p->tcp;

	if (target_open_reference(p))
		snprintf(tcp->reference_why, sizeof(tcp->reference_why), "%.255s", err_text());
	else
		tcp->reference = take_ptr(tcp->reference_waiting);
}

void target_say_reference(struct probe *p)
{
	if (p->tcp.reference)
		probe_say(p, "probe.reference", FINDING_PASS,
			  "READs were compared with NFS over TCP");
	else
		probe_because(p, "probe.reference",
			      p->tcp.reference_died ? FINDING_FAIL : FINDING_SKIP, "died",
			      "%s; READs are compared with short inline READs",
			      p->tcp.reference_why);
}

/* A kind of failure of calls: the finding, its reason if session.c noted none, and its texts. */
struct target_failures {
	const char *id, *reason, *none, *some;
	bool apart; /* the example is no part of the sentence */
};

static const struct target_failures target_xid = {
	"probe.reply.xid",           "other-xid", "every reply has the xid of its call",
	"a reply had the wrong xid", false,
};
static const struct target_failures target_lost = {
	"probe.reply.lost", "no-reply", "every call was answered", "a call got no reply", false,
};
static const struct target_failures target_path = {
	"probe.reply.lost",
	"path",
	"every call was answered",
	"packets were lost on the path, and a call got no reply",
	false,
};
static const struct target_failures target_closed = {
	"probe.connection",
	"closed",
	"the server kept its connections",
	"the server closed the connection before its reply",
	false,
};
static const struct target_failures target_transport = {
	"probe.transport",
	"frame",
	"every frame follows the transport's protocol",
	"the peer violated the transport's protocol",
	true,
};
static const struct target_failures target_foreign = {
	"probe.transport",
	"foreign-memory",
	"every frame follows the transport's protocol",
	"the server wrote outside of the memory that a call offered",
	true,
};

/* @reported: those of READs by Write chunk are reported as that mechanism's, which follows from memory that was not
 * offered. */
static void target_say_failures(struct probe *p, const struct target_failures *kind,
				const struct call_failures *m, bool reported)
{
	bool beside = m->beside_write_chunks || !reported || kind == &target_foreign;
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (!m->count) {
		probe_say(p, kind->id, FINDING_PASS, "%s", kind->none);
		return;
	}
	finding_init(&f, kind->id, beside ? FINDING_FAIL : FINDING_SKIP, "%s %u time%s%s%s %.400s",
		     kind->some, m->count, m->count == 1 ? "" : "s",
		     beside ? "" : ", only for Write-chunk READs, which have their own finding",
		     kind->apart ? ";" : ":", m->example);
	finding_reason(&f, m->reason ? m->reason : kind->reason);
	finding_number(&f, "count", m->count);
	finding_number(&f, "beside_write_chunk_reads", m->beside_write_chunks);
	finding_text(&f, "example", "%s", m->example);
	probe_emit(p, &f);
}

static void target_say_again(struct probe *p)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, target_xid.id, FINDING_WARN, "%u repl%s to a call that had one",
		     p->behaviour.again, p->behaviour.again == 1 ? "y came" : "ies came");
	finding_reason(&f, "twice");
	finding_number(&f, "count", p->behaviour.again);
	probe_emit(p, &f);
}

static void target_say_errors(struct probe *p)
{
	const struct refusals *r = &p->behaviour.refused;
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (!r->errors) {
		probe_say(p, "probe.reply.error", FINDING_PASS, "no RDMA_ERROR received");
		return;
	}
	if (!r->lasting)
		finding_init(&f, "probe.reply.error", FINDING_WARN,
			     "%u of %u calls got RDMA_ERROR and succeeded when repeated: %.300s",
			     r->errors, r->calls, r->example);
	else
		finding_init(
			&f, "probe.reply.error",
			r->plain       ? FINDING_FAIL
			: r->recovered ? FINDING_WARN
				       : FINDING_SKIP,
			"%u of %u calls got RDMA_ERROR, %u of them when repeated, too%s: %.300s",
			r->errors, r->calls, r->lasting,
			r->plain ? "" : ", only with chunks, which has its own finding",
			r->example);
	finding_reason(&f, !r->lasting ? "at-times" : r->plain ? "every-time" : "mixed");
	finding_number(&f, "errors", r->errors);
	finding_number(&f, "of", r->calls);
	finding_number(&f, "recovered", r->recovered);
	finding_number(&f, "lasting", r->lasting);
	finding_text(&f, "example", "%s", r->example);
	probe_emit(p, &f);
}

static void target_say_credits(struct probe *p)
{
	const struct behaviour *b = &p->behaviour;
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (b->zero_grants)
		finding_init(&f, "probe.credits", FINDING_FAIL, "%u replies granted 0 credits",
			     b->zero_grants);
	else
		finding_init(&f, "probe.credits", FINDING_PASS,
			     "the server grants %u credits, %u were requested", b->most_granted,
			     RPCRDMA_CREDITS);
	if (b->zero_grants)
		finding_reason(&f, "zero");
	finding_number(&f, "granted", b->most_granted);
	finding_number(&f, "asked", RPCRDMA_CREDITS);
	finding_number(&f, "zero_grants", b->zero_grants);
	probe_emit(p, &f);
}

/* Reports a session that the server lost before it was destroyed. */
static void target_say_session(struct probe *p)
{
	const struct client41 *client = &p->client;
	_cleanup_(finding_fini) struct finding f = { 0 };

	/* A restarted server has lost more: liveness.c. */
	if (!client->made || p->liveness.gone)
		return;
	if (client->lost)
		finding_init(
			&f, "probe.session.kept", FINDING_WARN,
			"the server lost the session %u time%s (%s), as after a restart; a new one was created",
			client->lost, client->lost == 1 ? "" : "s",
			p->version->status_text(client->lost_status));
	else
		finding_init(&f, "probe.session.kept", FINDING_PASS,
			     "the server kept its sessions to the end");
	if (client->lost)
		finding_reason(&f, "forgotten");
	finding_number(&f, "made", client->made);
	finding_number(&f, "forgotten", client->lost);
	probe_emit(p, &f);
}

/* The path's loss is the cause of what fails by Write chunk, and not that of the mechanism. With the sizes that tell
 * an MTU from what happens to any packet. */
static void target_say_path(struct probe *p)
{
	const struct behaviour *b = &p->behaviour;
	bool ours = b->calls.missing > b->calls.arrived;
	uint64_t missing = ours ? b->calls.missing : b->replies.missing;
	uint64_t arrived = ours ? b->calls.arrived : b->replies.arrived;
	struct call_failures m = b->lost;
	size_t used = strlen(m.example);

	if (missing > arrived)
		snprintf(m.example + used, sizeof(m.example) - used,
			 "; %s of up to %llu bytes arrive, and one of %s%llu does not",
			 ours ? "calls" : "replies", (unsigned long long)arrived,
			 ours ? "" : "up to ", (unsigned long long)missing);
	target_say_failures(p, &target_path, &m, false);
}

void target_behaviour(struct probe *p)
{
	const struct behaviour *b = &p->behaviour;
	bool reported = p->write_chunk.failed, foreign;

	session_drop(p);
	if (p->session.device_gone)
		probe_because(p, "probe.device", FINDING_UNKNOWN, "removed",
			      "the RDMA device was removed while in use: %s",
			      p->session.device_why);
	late_say(p);
	target_say_credits(p);
	target_say_session(p);
	if (b->again && !b->xid.count)
		target_say_again(p);
	else
		target_say_failures(p, &target_xid, &b->xid, false);
	target_say_errors(p);
	if (b->gaps && b->gaps == b->lost.count)
		target_say_path(p);
	else
		target_say_failures(p, &target_lost, &b->lost, reported);
	target_say_failures(p, &target_closed, &b->closed, reported);
	foreign = b->transport.reason && !strcmp(b->transport.reason, target_foreign.reason);
	target_say_failures(p, foreign ? &target_foreign : &target_transport, &b->transport,
			    reported);
}
