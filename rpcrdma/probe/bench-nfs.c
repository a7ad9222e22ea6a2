/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The other side: the same READs over TCP, by NFSv3, or by NFSv4.0 if a
 * version 4 is in use (4.0 needs no session), with RFC 5531's record marking (section 11). The
 * same number is in flight, and the data is received where the other side has it placed. No
 * library is involved, so that only the two transports are compared. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>

#include "rpcrdma/probe/bench-internal.h"

#define WAIT_S        10
#define LAST_FRAGMENT 0x80000000u
/* More than a READ reply has before its data, and all that a reply to a WRITE has; the largest verifier
 * may be added. */
#define HEAD_LEN    512
#define RECORD_MORE (HEAD_LEN + RPC_AUTH_BODY_MAX)

struct bench_nfs {
	struct probe *p;
	const struct bench_reads *reads; /* of this sample */
	const struct nfs_version *version;
	int fd;
	uint32_t next_xid, oldest_xid;
	uint64_t sent_ns[BENCH_DEPTH_MAX]; /* by xid */
};

static uint64_t bench_nfs_deadline(const struct bench_nfs *n)
{
	return deadline_min(n->p->deadline, deadline_in(WAIT_S * 1000));
}

/* Runs before each sample, so that no wait exceeds the deadline. Not before each call, which is
 * timed. */
static int bench_nfs_bound_waits(const struct bench_nfs *n)
{
	const unsigned int ms = (unsigned int)deadline_left(bench_nfs_deadline(n));
	/* A zero timeout would wait forever. */
	const struct timeval wait = { .tv_sec = ms / 1000, .tv_usec = ms ? ms % 1000 * 1000 : 1 };

	if (setsockopt(n->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		return err_sys("NFS over TCP");
	return 0;
}

/* The head of a record; r is after the RPC header. */
struct bench_nfs_reply {
	uint8_t head[HEAD_LEN];
	uint32_t record; /* its length */
	struct rpc_reply rpc;
	struct reader r;
};

static int bench_nfs_receive(int fd, void *buf, size_t len)
{
	ssize_t n = len ? recv(fd, buf, len, MSG_WAITALL) : 0;

	/* MSG_WAITALL returns what arrived before the timeout. */
	if ((n < 0 && errno == EAGAIN) || (n > 0 && (size_t)n < len))
		return err_set(ETIMEDOUT, "NFS over TCP: no complete reply in time");
	if (n < 0)
		return err_sys("NFS over TCP");
	return (size_t)n == len ? 0 : err_set(ECONNRESET, "NFS over TCP: the server closed");
}

/* Data of @data_len bytes are @tail bytes before the end of the arguments. */
struct bench_nfs_args {
	const uint8_t *args;
	size_t len;
	const uint8_t *data;
	size_t data_len, tail;
};

static int bench_nfs_call(struct bench_nfs *n, uint32_t proc, const struct bench_nfs_args *a)
{
	static const uint8_t zeros[4];
	struct rpc_call call = {
		.xid = n->next_xid++,
		.prog = NFS_PROGRAM_NUMBER,
		.vers = n->version->vers,
		.proc = proc,
	};
	uint8_t buf[1024];
	struct iovec iov[4];
	struct writer w;
	size_t pad = -a->data_len & 3;

	if (proc != NFS3_NULL)
		call.cred = n->p->cred;
	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, 0);
	rpc_call_encode(&w, &call);
	writer_bytes(&w, a->args, a->len);
	if (w.bad)
		return err_set(EMSGSIZE, "a call over %zu bytes", sizeof(buf));
	put_be32(buf, LAST_FRAGMENT | (uint32_t)(w.len - 4 + a->data_len + pad));
	iov[0] = (struct iovec){ buf, w.len - a->tail };
	iov[1] = (struct iovec){ (void *)(uintptr_t)a->data, a->data_len };
	iov[2] = (struct iovec){ (void *)(uintptr_t)zeros, pad };
	iov[3] = (struct iovec){ buf + w.len - a->tail, a->tail };
	n->sent_ns[call.xid % BENCH_DEPTH_MAX] = now_ns();
	return err_context(tcp_send(n->fd, iov, ARRAY_SIZE(iov), bench_nfs_deadline(n)),
			   "NFS over TCP");
}

static int bench_nfs_read_call(struct bench_nfs *n, uint32_t block)
{
	const struct bench_reads *b = n->reads;
	const struct nfs_request request = {
		.op = b->writes ? NFS_OP_WRITE : NFS_OP_READ,
		.fh = b->file->fh,
		.offset = (uint64_t)block * b->length,
		.count = b->length,
		.stable = NFS_UNSTABLE,
	};
	uint8_t args[512];
	ssize_t len = n->version->encode(n->version, &request, args, sizeof(args));
	struct bench_nfs_args a = { .args = args, .len = len < 0 ? 0 : (size_t)len };

	if (b->writes) {
		a.data = b->region + (size_t)(block % b->depth) * b->length;
		a.data_len = b->length;
		a.tail = n->version->write_tail;
	}
	return len < 0 ? (int)len : bench_nfs_call(n, n->version->proc(request.op), &a);
}

/* Reads a record's length, @most at most, and its first bytes. */
static int bench_nfs_head(struct bench_nfs *n, uint32_t most, struct bench_nfs_reply *reply)
{
	uint8_t mark[4];
	uint32_t len;
	int rc = bench_nfs_receive(n->fd, mark, sizeof(mark));

	if (rc)
		return rc;
	reply->record = get_be32(mark) & ~LAST_FRAGMENT;
	if (!(get_be32(mark) & LAST_FRAGMENT) || reply->record > most)
		return err_set(EOPNOTSUPP,
			       "NFS over TCP: a record of %u bytes%s, one of %u at most expected",
			       reply->record, get_be32(mark) & LAST_FRAGMENT ? "" : " and more",
			       most);
	len = min_u32(reply->record, HEAD_LEN);
	rc = bench_nfs_receive(n->fd, reply->head, len);
	if (rc)
		return rc;
	reader_init(&reply->r, reply->head, len);
	rc = rpc_reply_decode(&reply->rpc, &reply->r);
	if (!rc)
		rc = rpc_reply_check(&reply->rpc);
	if (!rc && reply->rpc.xid - n->oldest_xid >= n->next_xid - n->oldest_xid)
		rc = err_set(EILSEQ, "unexpected xid %08x", reply->rpc.xid);
	return err_context(rc, "NFS over TCP");
}

static int bench_nfs_read_reply(struct bench_nfs *n, uint32_t *xid)
{
	const struct bench_reads *b = n->reads;
	const struct nfs_request request = { .op = NFS_OP_READ };
	size_t early, pad = xdr_pad4(b->length) - b->length;
	struct bench_nfs_reply reply;
	struct nfs_result res;
	uint8_t *to;
	int rc;

	rc = bench_nfs_head(n, b->length + RECORD_MORE, &reply);
	if (!rc)
		rc = n->version->decode(n->version, &request, &reply.r, true, &res);
	if (rc)
		return rc;
	if (res.status)
		return err_context(bench_status_error(n->version, res.status), "NFS over TCP");
	early = reader_left(&reply.r);
	if (res.read.len != b->length || early > b->length ||
	    reply.record - (min_u32(reply.record, HEAD_LEN) - early) != b->length + pad)
		return err_set(EOPNOTSUPP, "NFS over TCP: %u bytes returned, %u requested",
			       res.read.len, b->length);
	*xid = reply.rpc.xid;
	to = b->region + (size_t)(reply.rpc.xid % b->depth) * b->length;
	memcpy(to, reader_bytes(&reply.r, early), early);
	rc = bench_nfs_receive(n->fd, to + early, b->length - early);
	return rc ? rc : bench_nfs_receive(n->fd, reply.head, pad);
}

/* The whole reply is in its head. */
static int bench_nfs_small_reply(struct bench_nfs *n, enum nfs_op op, struct nfs_result *res,
				 uint32_t *xid)
{
	const struct nfs_request request = { .op = op };
	struct bench_nfs_reply reply;
	int rc = bench_nfs_head(n, HEAD_LEN, &reply);

	if (!rc)
		rc = n->version->decode(n->version, &request, &reply.r, false, res);
	if (!rc && res->status)
		return err_context(bench_status_error(n->version, res->status), "NFS over TCP");
	*xid = rc ? 0 : reply.rpc.xid;
	return rc;
}

static int bench_nfs_write_reply(struct bench_nfs *n, uint32_t *xid)
{
	struct nfs_result res;
	int rc = bench_nfs_small_reply(n, NFS_OP_WRITE, &res, xid);

	if (!rc)
		rc = err_context(bench_written_error(res.written, n->reads->length),
				 "NFS over TCP");
	return rc;
}

int bench_nfs_commit(struct bench_nfs *n, const struct bench_reads *reads)
{
	const struct nfs_request request = { .op = NFS_OP_COMMIT, .fh = reads->file->fh };
	uint8_t args[512];
	ssize_t len = n->version->encode(n->version, &request, args, sizeof(args));
	const struct bench_nfs_args a = { .args = args, .len = len < 0 ? 0 : (size_t)len };
	struct nfs_result res;
	uint32_t xid;
	int rc;

	if (len < 0)
		return (int)len;
	n->oldest_xid = n->next_xid;
	rc = bench_nfs_call(n, n->version->proc(NFS_OP_COMMIT), &a);
	return rc ? rc : bench_nfs_small_reply(n, NFS_OP_COMMIT, &res, &xid);
}

static void bench_nfs_note(const struct bench_nfs *n, uint32_t xid, struct bench_latency *latency)
{
	bench_latency_add(latency, now_ns() - n->sent_ns[xid % BENCH_DEPTH_MAX]);
}

int bench_nfs_reads(struct bench_nfs *n, const struct bench_reads *reads, uint32_t count,
		    struct bench_latency *latency)
{
	uint32_t asked = 0, answered = 0, xid = 0;
	int rc = bench_nfs_bound_waits(n);

	n->reads = reads;
	n->oldest_xid = n->next_xid;
	while (answered < count && !rc) {
		while (!rc && asked < count && asked - answered < reads->depth)
			rc = bench_nfs_read_call(n, asked++ % reads->blocks);
		if (!rc)
			rc = reads->writes ? bench_nfs_write_reply(n, &xid)
					   : bench_nfs_read_reply(n, &xid);
		if (!rc)
			bench_nfs_note(n, xid, latency);
		answered++;
	}
	return rc;
}

int bench_nfs_nulls(struct bench_nfs *n, uint32_t count, struct bench_latency *latency)
{
	static const struct bench_nfs_args none = { .len = 0 };
	struct bench_nfs_reply reply;
	uint32_t i;
	int rc = bench_nfs_bound_waits(n);

	for (i = 0; i < count && !rc; i++) {
		n->oldest_xid = n->next_xid;
		rc = bench_nfs_call(n, NFS3_NULL, &none);
		if (!rc)
			rc = bench_nfs_head(n, HEAD_LEN, &reply);
		if (!rc)
			bench_nfs_note(n, reply.rpc.xid, latency);
	}
	return rc;
}

void bench_nfs_close(struct bench_nfs *n)
{
	if (n->fd >= 0)
		close(n->fd);
	free(n);
}

int bench_nfs_open(struct bench_nfs **out, struct probe *p)
{
	struct bench_nfs *n = calloc(1, sizeof(*n));
	int flags, rc = 0;

	if (!n)
		return err_context(err_no_memory(), "NFS over TCP");
	n->p = p;
	n->version = nfs_version_find(p->version->vers == 4 ? "4.0" : "3");
	n->next_xid = (uint32_t)now_ns();
	n->fd = probe_tcp(p, TCP_NFS, target_nfs_port(p), NULL);
	if (n->fd < 0)
		rc = err_context(n->fd, "NFS over TCP");
	else if ((flags = fcntl(n->fd, F_GETFL)) < 0 || fcntl(n->fd, F_SETFL, flags & ~O_NONBLOCK))
		rc = err_sys("NFS over TCP");

	if (rc) {
		bench_nfs_close(n);
		return rc;
	}
	*out = n;
	return 0;
}
