/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Makes the same request over NFS over TCP before RDMA is blamed for a failure: a server whose
 * READ or COMPOUND is wrong over TCP too has another defect. Linux 6.5 to 7.3, for instance, send
 * the previous content of a page for the second READ of a COMPOUND whose first did not end on a
 * page, over any transport.
 *
 * It has its own connection, separate from the reference's, and its replies are decoded here, by
 * the bounded reader: libnfs, which the reference uses, has no such COMPOUNDs. NFSv4 is asked as
 * 4.0, which needs no session; a handle is valid in every minor version. Requests that may crash
 * a server are subject to the same gate over TCP as over RDMA. */
#include "rpcrdma/probe/internal.h"

#define REPLY_HEAD 4096
#define ELSEWHERE  2

static bool over_tcp_connected(struct probe *p)
{
	if (!p->tcp.nfs_tried)
		p->tcp.nfs = probe_tcp(p, TCP_NFS, target_nfs_port(p), NULL);
	p->tcp.nfs_tried = true;
	return p->tcp.nfs >= 0;
}

void over_tcp_close(struct tcp_paths *tcp)
{
	if (tcp->nfs_tried && tcp->nfs >= 0)
		close(tcp->nfs);
	tcp->nfs = -1;
}

static bool over_tcp_may_be_sent(const struct probe *p, const struct window *w,
				 const struct read_case *c)
{
	const struct gate_request q = {
		.followed = c->followed_by == FOLLOWED_BY_READ,
		.offset = c->offset,
		.count = c->count,
		.size = w->attr.size,
		.most = p->limits.rtmax ? p->limits.rtmax : UINT32_MAX,
	};

	return c->count <= p->limits.rtmax + 1 && gate_lets(p->server.kind, gate_class(&q));
}

/* @result points into @buf. */
static int over_tcp_exchange(struct probe *p, const struct nfs_request *request,
			     const uint8_t *data, uint8_t *buf, size_t cap,
			     struct nfs_result *result)
{
	const struct nfs_version *version = p->version->vers == 4 ? nfs_version_find("4.0")
								  : p->version;
	const struct rpc_call call = { .xid = (uint32_t)now_ns(),
				       .prog = NFS_PROGRAM_NUMBER,
				       .vers = version->vers,
				       .proc = version->proc(request->op),
				       .cred = p->cred };
	uint64_t deadline = deadline_min(session_call_deadline(p, request->count),
					 deadline_in((unsigned int)deadline_left(p->deadline) / 4));
	const size_t data_len = data ? xdr_pad4(request->count) : 0;
	_cleanup_free_ uint8_t *args = calloc(1, NFS_ARGS_MAX + data_len);
	struct rpc_tcp_exchange exchange = { .call = &call, .args = args, .buf = buf, .cap = cap };
	struct reader r;
	ssize_t args_len;
	uint8_t *at;
	int rc;

	if (!args)
		return err_no_memory();
	args_len = version->encode(version, request, args, NFS_ARGS_MAX);
	if (args_len < 0)
		return (int)args_len;
	probe_step(p, "the reply to a READ or WRITE over TCP");
	exchange.args_len = (size_t)args_len + data_len;
	if (data) {
		at = args + args_len - version->write_tail;
		memmove(at + data_len, at, version->write_tail);
		memset(at, 0, data_len);
		memcpy(at, data, request->count);
	}
	rc = rpc_tcp_call(p->tcp.nfs, &exchange, deadline);
	if (rc == -ECONNRESET)
		liveness_suspect(&p->liveness, NULL, NULL);
	if (rc) {
		over_tcp_close(&p->tcp);
		return rc;
	}
	reader_init(&r, exchange.results, exchange.results_len);
	return version->decode(version, request, &r, false, result);
}

static enum over_tcp over_tcp_ask(struct probe *p, const struct window *w,
				  const struct read_case *c)
{
	const struct nfs_request request = { .op = read_operation(c),
					     .fh = w->file->fh,
					     .offset = c->offset,
					     .count = c->count,
					     .offset2 = c->offset2,
					     .count2 = c->count2 };
	size_t cap = xdr_pad4(c->count) + xdr_pad4(c->count2) + REPLY_HEAD;
	_cleanup_free_ uint8_t *buf = malloc(cap);
	struct nfs_result result = { 0 };
	struct read_outcome outcome;

	if (!buf || over_tcp_exchange(p, &request, NULL, buf, cap, &result) ||
	    result.status == NFS4ERR_MINOR_VERS_MISMATCH)
		return OVER_TCP_UNKNOWN;
	read_compare(p, w, c, &result, &outcome);
	if (read_kind_is_failure(outcome.kind))
		return OVER_TCP_WRONG;
	return outcome.kind == READ_OK ? OVER_TCP_RIGHT : OVER_TCP_UNKNOWN;
}

/* A page that is sent with its previous content may hold the correct data, because the READ
 * before it read there: so correct second READs are repeated at other offsets. */
static enum over_tcp over_tcp_ask_elsewhere(struct probe *p, const struct window *w,
					    const struct read_case *c)
{
	struct read_case other = *c;
	unsigned int i;

	for (i = 1; i <= ELSEWHERE; i++) {
		other.offset2 = w->base + (c->offset2 - w->base + i * (uint64_t)2731) %
						  (w->len - c->count2 + 1);
		if (over_tcp_ask(p, w, &other) == OVER_TCP_WRONG)
			return OVER_TCP_WRONG;
	}
	return OVER_TCP_RIGHT;
}

int over_tcp_operation(struct probe *p, const struct nfs_request *request, const uint8_t *data,
		       struct nfs_result *result)
{
	_cleanup_free_ uint8_t *buf = malloc(REPLY_HEAD);
	const char *why;

	/* Subject to the same gate as over RDMA. */
	if (data && (!p->options->scratch || p->liveness.gone ||
		     write_allowed(&p->server, &why) == WRITE_NOTHING))
		return err_set(EPERM, "nothing may be written");
	if (!deadline_left(p->deadline) || !over_tcp_connected(p))
		return err_set(ENOTCONN, "no connection over TCP");
	return buf ? over_tcp_exchange(p, request, data, buf, REPLY_HEAD, result) : err_no_memory();
}

enum over_tcp over_tcp(struct probe *p, const struct window *w, const struct read_case *c)
{
	enum over_tcp answer = OVER_TCP_UNKNOWN;

	if (!p->liveness.gone && deadline_left(p->deadline) && over_tcp_may_be_sent(p, w, c) &&
	    over_tcp_connected(p))
		answer = over_tcp_ask(p, w, c);
	if (answer == OVER_TCP_RIGHT && c->followed_by == FOLLOWED_BY_READ && over_tcp_connected(p))
		answer = over_tcp_ask_elsewhere(p, w, c);
	debug(DEBUG_PROBE, "the same over TCP: %s",
	      answer == OVER_TCP_RIGHT   ? "right"
	      : answer == OVER_TCP_WRONG ? "wrong"
					 : "unknown");
	return answer;
}
