/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The probe's connection. Any call may lose it, because some servers close it: the loss is noted,
 * and the next call makes a new connection. A call without a reply drops the connection too,
 * since its reply or its RDMA Writes could still arrive. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* How long a reply takes at most before it is late. */
#define CALL_MS       3000
#define CALL_MS_A_MIB 3000
#define TCP_MS        6000
#define CONNECT_MS    5000
#define RECONNECT_MS  200 /* no new connection if less time is left */
/* Limits at which the probe gives up. */
#define LOST_MAX   6
#define BROKEN_MAX 400
/* So often the same packet was sent in vain: after three seconds at least. */
#define AGAIN_MIN 3
/* How often a call is repeated after RDMA_ERROR; and how many failed repeats end this. */
#define ERROR_TRIES  3
#define ERROR_ENOUGH 8
/* Interval of the tries after an answer that asks for patience, doubling. */
#define LATER_MS     100
#define LATER_MS_MAX 1000
/* Time for findings and clean-up after the last try; at most a quarter of all. */
#define LATER_RESERVE_MS 2000
/* How long a restarted server may accept no connection; and how many in a row may be lost without
 * any reply before a pause. */
#define RESTART_MS 8000
#define BARREN_MAX 3

/* The device was removed: nothing more can be learned. */
static void session_note_device(struct session *s)
{
	if (!s->device_gone)
		snprintf(s->device_why, sizeof(s->device_why), "%.255s", err_text());
	s->device_gone = true;
	s->hopeless = true;
}

bool session_pause(uint64_t until, unsigned int *ms)
{
	*ms = *ms ? min_u32(2 * *ms, LATER_MS_MAX) : LATER_MS;
	if (deadline_left(until) < (int)*ms + RECONNECT_MS)
		return false;
	usleep(*ms * 1000);
	return true;
}

uint64_t session_first_until(const struct probe *p)
{
	return deadline_in((unsigned int)deadline_left(p->deadline) / 2);
}

/* The first connection to an address. A server that has too many clients leaves it in its
 * backlog, or closes it before it says anything; one that has no listener refuses. Old peers
 * close it because of the MPA revision: the transport tries another the first time, but not
 * later, or a server that has room again at that moment would be taken for one of them. */
static int session_connect_first(struct probe *p, struct rpcrdma_options *options)
{
	struct session *s = &p->session;
	unsigned int ms = 0;
	int rc;

	options->answer_by = session_first_until(p);
	do {
		s->tries++;
		options->mpa_revision = s->tries == 1 ? 0 : 2;
		rc = rpcrdma_open(&s->conn, options,
				  deadline_min(p->deadline, deadline_in(CONNECT_MS)));
	} while (rc == -ECONNRESET && session_pause(options->answer_by, &ms));
	return rc;
}

/* A server that refuses, or closes at once, may be restarting. */
static int session_reconnect(struct probe *p, const struct rpcrdma_options *options)
{
	struct call_failures *closed = &p->behaviour.closed;
	struct session *s = &p->session;
	uint64_t until = deadline_min(p->deadline, deadline_in(RESTART_MS));
	int rc;

	if (s->barren >= BARREN_MAX)
		session_pause(p->deadline, &s->pause_ms);
	do {
		rc = rpcrdma_open(&s->conn, options,
				  deadline_min(p->deadline, deadline_in(CONNECT_MS)));
		if (rc != -ECONNREFUSED && rc != -ECONNRESET)
			return rc;
	} while (session_pause(until, &s->pause_ms));
	if (deadline_left(p->deadline) > RECONNECT_MS)
		liveness_refused(p);
	closed->count++;
	closed->beside_write_chunks++;
	closed->reason = "no-new-connection";
	snprintf(closed->example, sizeof(closed->example),
		 "the server accepts no new connection: %.400s", err_text());
	s->hopeless = true;
	return rc;
}

void session_options(const struct probe *p, struct rpcrdma_options *options)
{
	*options = (struct rpcrdma_options){
		.transport = p->route.via,
		.to = p->route.addresses[p->route.address],
		.bind = p->options->bind.len ? &p->options->bind : NULL,
		.device = p->options->device,
		.pcap = p->route.pcap,
		.mpa_revision = p->session.mpa_revision,
		.no_crc = p->session.no_crc,
	};
}

int session_ready(struct probe *p)
{
	struct session *s = &p->session;
	const struct transport *t;
	struct rpcrdma_options options;
	int rc;

	if (s->device_gone)
		return err_set(ECANCELED, "%s", s->device_why);
	if (p->liveness.gone)
		return err_set(ECANCELED, "%s", p->liveness.gone_why);
	if (s->hopeless && !s->conn)
		return err_set(ECANCELED, "given up after too many failures");
	rc = liveness_check(p);
	if (rc || s->conn)
		return rc;
	probe_step(p, "messages during connection setup");
	session_options(p, &options);
	if (!s->generation)
		rc = session_connect_first(p, &options);
	/* Soft-iWARP of Linux 6.1 may accept no more connections after one that was abandoned in
	 * the handshake. */
	else if (deadline_left(p->deadline) < RECONNECT_MS)
		rc = err_set(ETIMEDOUT, "no time left for a new connection");
	else
		rc = session_reconnect(p, &options);
	/* On the first connection the device was never there. */
	if (rc == -ENODEV && s->generation)
		session_note_device(s);
	if (rc)
		return rc;
	/* Keep the MPA settings that the server accepted: only the first connection negotiates,
	 * so that a server that closes later ones is not mistaken for one that refuses. */
	t = rpcrdma_transport(s->conn);
	s->mpa_revision = t->mpa_revision;
	s->no_crc = t->mpa_revision && !t->crc;
	s->generation++;
	s->barren++;
	return 0;
}

static void session_note_credits(struct behaviour *b, const struct session *s)
{
	if (!s->conn)
		return;
	if (rpcrdma_granted(s->conn) > b->most_granted)
		b->most_granted = rpcrdma_granted(s->conn);
}

void session_drop(struct probe *p)
{
	struct session *s = &p->session;

	if (!s->conn)
		return;
	session_note_credits(&p->behaviour, s);
	p->behaviour.zero_grants += rpcrdma_zero_grants(s->conn);
	p->behaviour.again += rpcrdma_again(s->conn);
	rpcrdma_close(s->conn);
	s->conn = NULL;
}

uint64_t session_call_deadline(const struct probe *p, uint32_t bytes)
{
	double ms = CALL_MS + 20 * p->pace.rtt_ms + CALL_MS_A_MIB * (bytes / 1048576.0);

	return deadline_min(p->deadline, deadline_in((unsigned int)ms));
}

uint64_t session_tcp_deadline(const struct probe *p, uint32_t bytes)
{
	double ms = TCP_MS + CALL_MS_A_MIB * (bytes / 1048576.0);

	return deadline_min(p->deadline, deadline_in((unsigned int)ms));
}

static void session_note(struct call_failures *m, const struct rpcrdma_call *call,
			 bool write_chunk_read, const char *evidence)
{
	m->count++;
	m->beside_write_chunks += !write_chunk_read;
	if (!m->example[0] && call->text[0])
		snprintf(m->example, sizeof(m->example), "%s%s%s", call->text,
			 *evidence ? ": " : "", evidence);
}

/* An event that ends a connection fails each call in flight on it: one failure, whatever their
 * number. */
static void session_note_end(const struct session *s, struct call_failures *m,
			     const struct rpcrdma_call *call, bool write_chunk_read,
			     const char *evidence)
{
	if (m->generation == s->generation)
		return;
	m->generation = s->generation;
	session_note(m, call, write_chunk_read, evidence);
}

/* "frame 0056..." of the peer's violation, if the transport kept it. */
static void session_violation_text(const struct session *s, struct linux3_seen *seen, char *buf,
				   size_t cap)
{
	const struct transport *t = s->conn ? rpcrdma_transport(s->conn) : NULL;
	size_t used;

	buf[0] = '\0';
	if (!t || !t->violation.frame_len)
		return;
	if (linux3_is_header_segment(t->violation.frame, t->violation.frame_len))
		seen->header_segment = true;
	used = (size_t)snprintf(buf, cap, "frame ");
	hex_text(t->violation.frame, t->violation.frame_len, buf + used, cap - used);
}

const char *session_breach(int rc, enum transport_breach breach)
{
	static const char *const reasons[] = {
		[BREACH_FRAME] = "frame",
		[BREACH_CRC] = "checksum",
		[BREACH_MEMORY] = "foreign-memory",
	};

	/* The peer reports a violation of ours. */
	return rc == -EREMOTEIO ? "terminated" : reasons[breach];
}

/* The peer wrote to memory that had been revoked: reported for READs, as data that arrived after
 * the reply. */
static bool session_is_late_write(const struct probe *p)
{
	return p->session.conn && rpcrdma_transport(p->session.conn)->violation.released &&
	       (!p->write_chunk.reported || p->write_chunk.order);
}

/* The kernel still waits for a packet before those that came, or ours was never acknowledged: the server may be
 * right, and the path is not. */
static bool session_has_gap(const struct session *s, bool *ours)
{
	struct transport_gaps now;

	if (!s->conn)
		return false;
	transport_gaps(rpcrdma_transport(s->conn), &now);
	*ours = now.again >= AGAIN_MIN;
	return now.held || *ours;
}

static void session_note_arrived(struct behaviour *b, const struct rpcrdma_call *call)
{
	const struct rpcrdma_header *h = &call->header;
	uint64_t reply = call->send_len;

	reply += h->write_count ? header_chunk_length(h, &h->write[0]) : 0;
	reply += h->has_reply ? header_chunk_length(h, &h->reply) : 0;
	if (reply > b->replies.arrived)
		b->replies.arrived = reply;
	if (call->call_len > b->calls.arrived)
		b->calls.arrived = call->call_len;
}

/* Of a reply that did not come only the room for it is known. */
static void session_note_gap(struct probe *p, const struct rpcrdma_call *call, bool ours)
{
	struct behaviour *b = &p->behaviour;
	uint64_t *missing = ours ? &b->calls.missing : &b->replies.missing;
	uint64_t bytes = ours ? call->call_len : 0;
	uint32_t i;

	b->gaps++;
	for (i = 0; i < call->write_count && !ours; i++)
		bytes += call->write[i].length;
	for (i = 0; i < call->reply_count && !ours; i++)
		bytes += call->reply[i].length;
	if (!bytes)
		bytes = rpcrdma_reply_inline(p->session.conn);
	if (!*missing || bytes < *missing)
		*missing = bytes;
}

static void session_note_result(struct probe *p, const struct rpcrdma_call *call,
				bool write_chunk_read)
{
	struct behaviour *b = &p->behaviour;
	struct session *s = &p->session;
	/* Silence for this time, or for half the time there is, is a lost reply even if the
	 * probe's own deadline ends it. */
	uint32_t enough = min_u32(late_silence(&p->pace), p->options->timeout_ms / 2);
	uint64_t since = s->silent_since > p->pace.moved_at ? s->silent_since : p->pace.moved_at;
	char frame[256];
	bool ours;

	b->refused.calls += !call->rc || call->rc == -EBADE || call->rc == -EBADMSG ||
			    call->rc == -EILSEQ;
	switch (call->rc) {
	case 0:
		p->liveness.answered = true;
		session_note_arrived(b, call);
		s->silent_since = call->done_ns / 1000000;
		s->barren = s->pause_ms = 0;
		break;
	case -ETIMEDOUT:
		/* A call that was not sent, for want of a connection or of credits, or just before
		 * the probe's own deadline, had no time for a reply. */
		if (!call->sent_ns || (!deadline_left(p->deadline) && now_ms() < since + enough))
			break;
		session_note(&b->lost, call, write_chunk_read, "");
		if (session_has_gap(s, &ours))
			session_note_gap(p, call, ours);
		break;
	case -ECONNRESET: session_note_end(s, &b->closed, call, write_chunk_read, ""); break;
	case -EPROTO:
	case -EREMOTEIO:
		session_violation_text(s, &p->server.linux3, frame, sizeof(frame));
		if (!session_is_late_write(p) && !b->transport.reason)
			b->transport.reason = session_breach(
				call->rc, s->conn ? rpcrdma_transport(s->conn)->violation.breach
						  : BREACH_FRAME);
		session_note_end(s, session_is_late_write(p) ? &b->late_writes : &b->transport,
				 call, write_chunk_read, frame);
		break;
	case -EBADE:
		if (!b->refused.errors++)
			snprintf(b->refused.example, sizeof(b->refused.example), "%s", call->text);
		return;
	case -EILSEQ: session_note(&b->xid, call, write_chunk_read, ""); break;
	case -ENODEV:
		err_set(ENODEV, "%s", call->text);
		session_note_device(s);
		break;
	default: return;
	}
	if (b->lost.count >= LOST_MAX ||
	    b->closed.count + b->transport.count + b->late_writes.count + b->xid.count >=
		    BROKEN_MAX)
		s->hopeless = true;
}

int session_start(struct probe *p, struct rpcrdma_call *call, uint64_t deadline)
{
	int rc;

	p->session.silent_since = now_ms();
	call->sent_ns = 0;
	rc = session_ready(p);
	if (!rc)
		rc = rpcrdma_start(p->session.conn, call, deadline);
	if (rc) {
		call->rc = rc;
		snprintf(call->text, sizeof(call->text), "%.255s", err_text());
	}
	return rc;
}

static void session_step(struct probe *p, const struct rpcrdma_call *call)
{
	const uint64_t of = (uint64_t)call->vers << 32 | call->proc;
	char what[128];

	if (!p->channel.step)
		return;
	if (!p->session.waiting) {
		/* The benchmark repeats one call, and formatting takes time. */
		if (p->channel.step_of != of)
			probe_step(p, "the reply to procedure %u of version %u", call->proc,
				   call->vers);
		p->channel.step_of = of;
		return;
	}
	operation_text(p->session.waiting, what, sizeof(what));
	probe_step(p, "the reply to %s", what);
}

const char *session_reason(int rc)
{
	if (rc == -EBADE)
		return "rdma-error";
	if (rc == -EAGAIN)
		return "busy";
	return target_is_local(rc) ? "local" : "no-reply";
}

int session_wait(struct probe *p, struct rpcrdma_call *call, uint64_t deadline,
		 bool write_chunk_read)
{
	bool lost;

	session_step(p, call);
	if (call->rc == -EINPROGRESS)
		late_wait(p, call, deadline);
	session_note_result(p, call, write_chunk_read);
	session_note_credits(&p->behaviour, &p->session);
	if (call->rc == -ETIMEDOUT || call->rc == -ECONNRESET || call->rc == -EPROTO ||
	    call->rc == -EREMOTEIO || call->rc == -ENODEV) {
		lost = call->rc != -ENODEV && (p->session.conn || call->sent_ns);
		session_drop(p);
		if (lost)
			liveness_suspect(&p->liveness, p->session.waiting, call);
	}
	if (call->rc)
		err_because(err_set(-call->rc, "%s", call->text), session_reason(call->rc));
	return call->rc;
}

int session_call(struct probe *p, struct rpcrdma_call *call, uint32_t bytes)
{
	unsigned int tries = 0;
	uint64_t deadline;
	int rc;

	do {
		rpcrdma_call_fini(call);
		deadline = session_call_deadline(p, bytes);
		session_start(p, call, deadline);
		rc = session_wait(p, call, deadline, false);
	} while (session_again(p, call, &tries));
	if (rc)
		return rc;
	return rpc_reply_check(&call->rpc);
}

void session_gave_up(struct refusals *r, const struct rpcrdma_call *call)
{
	r->lasting++;
	r->plain += !call->write_count && !call->reply_count;
}

bool session_again(struct probe *p, const struct rpcrdma_call *call, unsigned int *tries)
{
	struct refusals *r = &p->behaviour.refused;

	if (call->rc != -EBADE) {
		r->recovered += *tries && !call->rc;
		return false;
	}
	if (*tries < ERROR_TRIES && (r->lasting < ERROR_ENOUGH || r->recovered) &&
	    deadline_left(p->deadline)) {
		++*tries;
		return true;
	}
	session_gave_up(r, call);
	return false;
}

bool session_is_failure(int rc)
{
	return rc == -ECONNRESET || rc == -ETIMEDOUT || rc == -EREMOTEIO || rc == -EPROTO ||
	       rc == -EILSEQ || rc == -ECANCELED || rc == -ENODEV;
}

const char *session_busy_text(const struct nfs_version *version, uint32_t status, char *buf,
			      size_t cap)
{
	snprintf(buf, cap, "%s until the deadline (%s)",
		 status == NFS4ERR_GRACE ? "the server is in its grace period"
					 : "the server asks to retry later",
		 version->status_text(status));
	return buf;
}

bool session_later(struct probe *p, uint32_t status, struct retries *retries)
{
	unsigned int reserve = min_u32(LATER_RESERVE_MS, p->options->timeout_ms / 4);
	unsigned int ms = retries->wait_ms;

	if (!nfs_status_is_later(status))
		return false;
	/* READs succeeded, and then the connection was lost. */
	if (status == NFS4ERR_GRACE && p->liveness.served &&
	    p->liveness.served != p->session.generation) {
		liveness_restarted(p, "it is in its grace period again");
		return false;
	}
	ms = ms ? min_u32(2 * ms, LATER_MS_MAX) : LATER_MS;
	if (deadline_left(p->deadline) < (int)(ms + reserve)) {
		session_busy_text(p->version, status, p->session.busy, sizeof(p->session.busy));
		return false;
	}
	retries->wait_ms = ms;
	probe_progress(p, "waiting for the server", 0, 0);
	usleep(ms * 1000);
	return true;
}

static int session_register_for(struct session *s, struct area *a,
				int (*reg)(struct rpcrdma_conn *conn,
					   struct rpcrdma_memory *memory))
{
	unsigned int i;
	int rc = 0;

	/* Set before the first one, so that after a partial failure they are released like the
	 * others. */
	a->generation = s->generation;
	for (i = 0; !rc && i < a->nsegs; i++)
		rc = reg(s->conn, &a->segs[i]);
	return rc;
}

int session_register(struct session *s, struct area *a)
{
	return session_register_for(s, a, rpcrdma_register);
}

int session_register_source(struct session *s, struct area *a)
{
	return session_register_for(s, a, rpcrdma_register_source);
}

void session_release(struct session *s, struct area *a)
{
	unsigned int i;

	if (!s->conn || a->generation != s->generation)
		return;
	for (i = 0; i < a->nsegs; i++)
		rpcrdma_deregister(s->conn, &a->segs[i]);
}
