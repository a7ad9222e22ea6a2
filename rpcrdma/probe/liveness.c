/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A connection was lost during a request: is the server still there, and is it the same instance?
 * A request may have crashed it, and the next may do so again. So before the next request the
 * server is asked with a NULL call on a separate connection, which no server is known to fail on.
 * A server that no longer answers, or that has forgotten its client, ends the probe; nothing more
 * is sent to it, not even to remove state that a crash has removed anyway. */
#include <limits.h>
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define CONNECT_MS 5000
/* A healthy server on a slow path may take seconds. */
#define ANSWER_MS 10000
/* A server that exits refuses at once. One that refuses for this long has no listener. */
#define REFUSED_MS 500
/* Silence and resets may come from a host that is short of CPU time. */
#define SILENT_MS 8000
#define PAUSE_MS  100

void liveness_suspect(struct liveness *l, const struct operation *op,
		      const struct rpcrdma_call *call)
{
	/* A server that never answered cannot be gone. */
	if (!l->answered || l->gone)
		return;
	if (l->connection_lost) {
		l->under_way++;
		return;
	}
	l->connection_lost = true;
	l->under_way = 1;
	if (op)
		operation_text(op, l->request, sizeof(l->request));
	else if (call)
		snprintf(l->request, sizeof(l->request), "procedure %u of NFS version %u",
			 call->proc, call->vers);
	else
		snprintf(l->request, sizeof(l->request), "a READ over TCP");
}

static void liveness_say(struct probe *p, const char *how, const char *reason, const char *why)
{
	struct liveness *l = &p->liveness;
	char request[256], more[32] = "";
	_cleanup_(finding_fini) struct finding f = { 0 };

	/* "READ of 5 bytes at offset 0 inline (NFSv3) and 3 more" */
	if (l->under_way > 1)
		snprintf(more, sizeof(more), " and %u more", l->under_way - 1);
	snprintf(request, sizeof(request), "%s%s", l->request[0] ? l->request : "no request", more);
	finding_init(&f, "probe.server-gone", FINDING_FAIL, "the server %s after %s: %.300s", how,
		     request, why);
	finding_reason(&f, reason);
	finding_text(&f, "request", "%s", request);
	finding_text(&f, "why", "%s", why);
	/* If the path failed and not the server. */
	if (p->client.remains.exists)
		finding_text(&f, "client", "%s", p->client.remains.owner);
	probe_emit(p, &f);
	l->gone = true;
	l->connection_lost = false;
	p->session.hopeless = true;
	snprintf(l->gone_why, sizeof(l->gone_why), "the server %s", how);
	session_drop(p);
}

void liveness_restarted(struct probe *p, const char *what)
{
	if (!p->liveness.gone)
		liveness_say(p, "was restarted", "restarted", what);
}

void liveness_refused(struct probe *p)
{
	char why[ERR_TEXT_MAX];

	snprintf(why, sizeof(why), "%s", err_text());
	if (p->liveness.answered && !p->liveness.gone)
		liveness_say(p, "is gone", "gone", why);
}

/* Whether the server, or its host, caused an error of a connection. */
static bool liveness_is_servers(int rc)
{
	return rc == -ECONNREFUSED || rc == -ECONNRESET || rc == -ETIMEDOUT || rc == -EPROTO ||
	       rc == -EREMOTEIO || rc == -EHOSTUNREACH || rc == -EHOSTDOWN;
}

static int liveness_null_once(struct probe *p)
{
	_cleanup_(rpcrdma_close_p) struct rpcrdma_conn *conn = NULL;
	struct rpcrdma_options options;
	struct rpcrdma_call call;
	int rc;

	session_options(p, &options);
	rc = rpcrdma_open(&conn, &options, deadline_min(p->deadline, deadline_in(CONNECT_MS)));
	if (rc)
		return err_context(rc, "a new connection");
	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, p->version ? p->version->vers : 3, NFS3_NULL);
	rc = rpcrdma_call(conn, &call, deadline_min(p->deadline, deadline_in(ANSWER_MS)));
	rpcrdma_call_fini(&call);
	/* Any answer shows that the server is there. */
	if (rc == -EBADE || rc == -EILSEQ || rc == -EBADMSG)
		return 0;
	return err_context(rc, "NULL on a new connection");
}

int liveness_time(struct probe *p)
{
	uint64_t begin = now_ms();
	int rc = liveness_null_once(p);

	return rc ? rc : (int)min_u64(now_ms() - begin, INT_MAX);
}

int liveness_check(struct probe *p)
{
	uint64_t refused, silent;
	int rc;

	if (!p->liveness.connection_lost)
		return 0;
	refused = deadline_min(p->deadline, deadline_in(REFUSED_MS));
	silent = deadline_min(p->deadline, deadline_in(SILENT_MS));
	for (;;) {
		rc = liveness_null_once(p);
		if (!liveness_is_servers(rc) ||
		    !deadline_left(rc == -ECONNREFUSED ? refused : silent))
			break;
		usleep(PAUSE_MS * 1000);
	}
	debug(DEBUG_PROBE, "is the server still there? %s", rc ? err_text() : "yes");
	if (!rc) {
		p->liveness.connection_lost = false;
		return 0;
	}
	/* Lack of time to ask says nothing about the server. */
	if (!liveness_is_servers(rc) || !deadline_left(p->deadline))
		return rc;
	liveness_refused(p);
	return err_set(ECANCELED, "%s", p->liveness.gone_why);
}

bool liveness_check_root(struct probe *p)
{
	struct nfs_attr attr;

	/* A file that is stale on the connection on which it was found was removed. */
	if (p->liveness.gone || !p->root.file.fh.len ||
	    p->session.generation == p->root.generation ||
	    operation_getattr(p, &p->root.file.fh, &attr) != -ESTALE)
		return false;
	liveness_restarted(p, "it no longer knows the root of the export");
	return true;
}
