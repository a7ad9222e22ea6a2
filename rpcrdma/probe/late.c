/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Waits for a reply, and distinguishes a slow one from a lost one. Neither a slow path nor a busy
 * server is a fault: there is no silence while bytes arrive, and a reply after its deadline is
 * late. A call is lost if nothing arrived for long and the server answers another connection at
 * once, or if the probe's own deadline ends a silence.
 *
 * Over verbs RDMA Writes are not visible, only the Sends after them. */
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* Interval of the checks for arriving bytes. */
#define QUIET_MS 3000
/* Silence of this length is not a slow path, unless replies were late by nearly as much; once a
 * call was lost, and no reply was late, silence of QUIET_MS is enough. */
#define LATE_MS 5000
/* An answer within this time plus ten round trips was immediate. */
#define AT_ONCE_MS 500
/* With less time left nothing can be done. */
#define OVER_MS 250

unsigned int late_silence(const struct pace *pace)
{
	if (pace->lossy && !pace->late)
		return QUIET_MS;
	return pace->slowest_ms > LATE_MS / 2 ? (unsigned int)(2 * pace->slowest_ms) : LATE_MS;
}

/* Whether data or messages arrived since the last check. Empty Writes do not count. */
static bool late_has_moved(struct pace *pace, const struct rpcrdma_conn *conn)
{
	const struct transport_stats *stats = &rpcrdma_transport(conn)->stats;
	uint64_t moved = stats->sends_in + stats->write_bytes_in;

	if (moved == pace->moved)
		return false;
	pace->moved = moved;
	pace->moved_at = now_ms();
	return true;
}

/* Whether the server answers another connection at once. */
static bool late_answers_at_once(struct probe *p)
{
	int ms = liveness_time(p);

	debug(DEBUG_PROBE, "another connection: %s, %d ms", ms < 0 ? err_text() : "NULL", ms);
	return ms >= 0 && ms <= AT_ONCE_MS + 10 * p->pace.rtt_ms;
}

/* A reply did not arrive in time: may it still arrive, and when to check again? @late: the reply
 * is late. */
static bool late_may_come(struct probe *p, const struct rpcrdma_call *call, uint64_t *again,
			  bool *late)
{
	uint64_t since = call->sent_ns / 1000000, end;

	if (!deadline_left(p->deadline))
		return false;
	if (late_has_moved(&p->pace, p->session.conn)) {
		*again = deadline_min(p->deadline, deadline_in(QUIET_MS));
		return true;
	}
	*late = true;
	if (p->pace.moved_at > since)
		since = p->pace.moved_at;
	end = since + late_silence(&p->pace);
	/* A server that never answered is not asked again. */
	if (!deadline_left(end) && (!p->liveness.answered || late_answers_at_once(p)))
		return false;
	*again = deadline_min(p->deadline, deadline_left(end) ? end : deadline_in(QUIET_MS));
	return true;
}

void late_wait(struct probe *p, struct rpcrdma_call *call, uint64_t deadline)
{
	struct pace *pace = &p->pace;
	bool late = false;
	double ms;

	/* Note the bytes received until now. */
	late_has_moved(pace, p->session.conn);
	do
		rpcrdma_poll(p->session.conn, call, deadline);
	while (call->rc == -EINPROGRESS && late_may_come(p, call, &deadline, &late));
	/* The reply may have arrived while another connection was asked. */
	rpcrdma_wait(p->session.conn, call, 0);
	if (call->rc == -ETIMEDOUT && deadline_left(p->deadline))
		pace->lossy = true;
	if (call->rc)
		return;
	ms = (double)(call->done_ns - call->sent_ns) / 1e6;
	pace->late += late;
	if (ms <= pace->slowest_ms)
		return;
	pace->slowest_ms = ms;
	if (p->session.waiting)
		operation_text(p->session.waiting, pace->slowest, sizeof(pace->slowest));
	else
		snprintf(pace->slowest, sizeof(pace->slowest), "NULL");
}

void late_not_tried(struct pace *pace, const char *fmt, ...)
{
	char *list = pace->not_tried;
	size_t used = strlen(list), cap = sizeof(pace->not_tried);
	char what[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	snprintf(list + used, cap - used, "%s%s", used ? ", " : "", what);
}

enum finding_status late_unknown(const struct probe *p)
{
	return p->pace.enough && deadline_left(p->deadline) < OVER_MS ? FINDING_SKIP
								      : FINDING_UNKNOWN;
}

void late_say(struct probe *p)
{
	const struct pace *pace = &p->pace;
	bool cut = pace->enough && pace->not_tried[0];
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (!cut && !pace->late)
		return;
	if (cut)
		finding_init(
			&f, "probe.slow", FINDING_WARN,
			"the time ran out; what was tested is correct. The slowest reply took %.1f s for %s; NULL took %.0f ms. Not tested: %s",
			pace->slowest_ms / 1000, pace->slowest, pace->rtt_ms, pace->not_tried);
	else
		finding_init(
			&f, "probe.slow", FINDING_WARN,
			"%u repl%s came late; the slowest took %.1f s for %s; NULL took %.0f ms",
			pace->late, pace->late == 1 ? "y" : "ies", pace->slowest_ms / 1000,
			pace->slowest, pace->rtt_ms);
	finding_reason(&f, cut ? "time" : "late");
	finding_number(&f, "late", pace->late);
	finding_number(&f, "slowest_ms", pace->slowest_ms);
	finding_text(&f, "slowest", "%s", pace->slowest);
	finding_number(&f, "null_ms", pace->rtt_ms);
	if (pace->not_tried[0])
		finding_text(&f, "not_tried", "%s", pace->not_tried);
	probe_emit(p, &f);
}
