/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A call that the server has to fetch: a Position-Zero Read chunk (RFC 8166 section 3.5.3). Linux clients send what is
 * longer than the inline threshold so: a long symbolic link, an ACL, a COMPOUND of many operations. NULL by chunk
 * changes nothing and shows it. It goes only to servers that are known to take it: Linux of a version that sends
 * private data, and our own. A failure is repeated beside a NULL inline that succeeds. */
#include "rpcrdma/probe/internal.h"

#define TRIES 2

static bool call_by_chunk_is_known(const struct server_identity *server)
{
	return server->kind == SERVER_OURS ||
	       (server->kind == SERVER_LINUX && server->linux3.private_data);
}

static int call_by_chunk_null(struct probe *p, bool by_chunk, char *text, size_t cap)
{
	struct rpcrdma_call call;
	int rc;

	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, p->version->vers, NFS3_NULL);
	call.call_by_chunk = by_chunk;
	rc = session_call(p, &call, 0);
	if (rc)
		str_copy(text, cap, *call.text ? call.text : err_text());
	rpcrdma_call_fini(&call);
	return rc;
}

/* What a Linux client gets. */
static const char *call_by_chunk_reason(int rc)
{
	switch (rc) {
	case -ETIMEDOUT: return "no-reply";
	case -ECONNRESET:
	case -EPROTO:
	case -EREMOTEIO: return "closed";
	default: return "refused";
	}
}

void call_by_chunk_try(struct probe *p)
{
	static const char id[] = "probe.call-by-chunk";
	/* Its failures are reported here, and not as lost replies or closed connections. */
	const struct behaviour before = p->behaviour;
	char text[256] = "", inline_text[256] = "";
	unsigned int i;
	int rc = 0;

	if (!call_by_chunk_is_known(&p->server)) {
		probe_say(p, id, FINDING_SKIP,
			  "not sent: only Linux with private data is known to take it");
		return;
	}
	/* Its peers do not say how many RDMA Reads they take (RFC 6581 section 4), so ours makes none. */
	if (p->session.mpa_revision == 1) {
		probe_say(p, id, FINDING_SKIP,
			  "not sent: MPA revision 1 does not agree on RDMA Reads");
		return;
	}
	if (p->session.hopeless || !deadline_left(p->deadline)) {
		probe_say(p, id, FINDING_SKIP, "no time left");
		return;
	}
	for (i = 0; i < TRIES; i++) {
		rc = call_by_chunk_null(p, true, text, sizeof(text));
		if (!rc)
			break;
		if (call_by_chunk_null(p, false, inline_text, sizeof(inline_text))) {
			p->behaviour = before;
			probe_say(p, id, FINDING_SKIP, "NULL inline fails too: %s", inline_text);
			return;
		}
	}
	if (i) {
		p->behaviour = before;
		p->session.hopeless = false;
	}
	if (i == TRIES)
		probe_because(p, id, FINDING_FAIL, call_by_chunk_reason(rc),
			      "calls by Read chunk fail, the same inline do not: %s", text);
	else
		probe_say(p, id, FINDING_PASS, "the server fetched a call by RDMA Read%s",
			  i ? ", the second time" : "");
}
