/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A requester for tests of the responder (rpcrdma/server/rdma.c), without a connection: its
 * memory is a table, what the responder writes, reads and sends is applied and counted at once.
 * What may be reached is checked as an adapter would check it. */
#ifndef TESTS_SUPPORT_REQUESTER_H
#define TESTS_SUPPORT_REQUESTER_H

#include "rpcrdma/server/internal.h"

#define REQUESTER_REGIONS 32
#define REQUESTER_SEND    8192

struct requester_region {
	uint8_t *base;
	size_t len;
};

struct requester {
	struct transport t; /* first */
	struct requester_region regions[REQUESTER_REGIONS];
	uint32_t nregions;
	uint8_t sent[REQUESTER_SEND]; /* the last Send */
	size_t sent_len;
	unsigned int sends, writes, writes_after_send, reads, refused;

	/* the call that is being built, and the reply that came */
	uint32_t vers; /* of NFS; 0: 3 */
	uint8_t message[4096];
	struct rpcrdma_header header;
	struct rpcrdma_header reply_header;
	struct rpc_reply reply;
	struct reader results;
	struct rdma_session session;
};

/* Regions have handle 1000 + index and begin at this offset. */
#define REQUESTER_OFFSET UINT64_C(0x7000)

static inline uint8_t *requester_reach(struct requester *r, size_t len, uint32_t handle,
				       uint64_t offset)
{
	struct requester_region *region;

	if (handle < 1000 || handle - 1000 >= r->nregions) {
		r->refused++;
		return NULL;
	}
	region = &r->regions[handle - 1000];
	offset -= REQUESTER_OFFSET;
	if (offset > region->len || len > region->len - offset) {
		r->refused++;
		return NULL;
	}
	return region->base + offset;
}

static inline int requester_write(struct transport *t, const void *data, size_t len,
				  uint32_t handle, uint64_t offset, uint64_t deadline)
{
	struct requester *r = (struct requester *)t;
	uint8_t *p = requester_reach(r, len, handle, offset);

	(void)deadline;
	if (!p)
		return err_set(EREMOTEIO, "write refused");
	memcpy(p, data, len);
	r->writes++;
	r->writes_after_send += r->sends > 0;
	return 0;
}

static inline int requester_read(struct transport *t, void *data, size_t len, uint32_t handle,
				 uint64_t offset, uint64_t deadline)
{
	struct requester *r = (struct requester *)t;
	uint8_t *p = requester_reach(r, len, handle, offset);

	(void)deadline;
	if (!p)
		return err_set(EREMOTEIO, "read refused");
	memcpy(data, p, len);
	r->reads++;
	return 0;
}

static inline int requester_send(struct transport *t, const struct iovec *iov, int iovcnt,
				 unsigned int flags, uint32_t invalidate, uint64_t deadline)
{
	struct requester *r = (struct requester *)t;
	int i;

	(void)flags, (void)invalidate, (void)deadline;
	r->sent_len = 0;
	for (i = 0; i < iovcnt; i++) {
		if (iov[i].iov_len > sizeof(r->sent) - r->sent_len)
			return err_set(EMSGSIZE, "send of over %zu bytes", sizeof(r->sent));
		if (iov[i].iov_len)
			memcpy(r->sent + r->sent_len, iov[i].iov_base, iov[i].iov_len);
		r->sent_len += iov[i].iov_len;
	}
	r->sends++;
	return 0;
}

/* A connection to a responder with these options; 4096 bytes inline. */
static inline int requester_init(struct requester *r, const struct server_options *options)
{
	static const struct transport_ops ops = {
		.name = "requester",
		.send = requester_send,
		.write = requester_write,
		.read = requester_read,
	};

	memset(r, 0, sizeof(*r));
	r->t.ops = &ops;
	r->t.fd = -1;
	header_init(&r->header, 1, 32, RDMA_MSG);
	if (rdma_session_init(&r->session, &r->t, options))
		return -1;
	r->session.reply_inline = 4096;
	return 0;
}

static inline void requester_fini(struct requester *r)
{
	rdma_session_fini(&r->session);
}

/* Memory that the responder may reach. */
static inline struct rpcrdma_segment requester_memory(struct requester *r, void *base, size_t len)
{
	r->regions[r->nregions] = (struct requester_region){ base, len };
	return (struct rpcrdma_segment){ 1000 + r->nregions++, (uint32_t)len, REQUESTER_OFFSET };
}

/* Forgets memory and chunks: the next call. */
static inline void requester_next(struct requester *r)
{
	r->nregions = 0;
	r->sent_len = 0;
	r->sends = r->writes = r->writes_after_send = r->reads = r->refused = 0;
	header_init(&r->header, r->header.rdma_xid + 1, 32, RDMA_MSG);
}

/* The RPC message of a call with the header's xid. Returns its length. */
static inline size_t requester_rpc(const struct requester *r, uint8_t *buf, size_t cap,
				   uint32_t prog, uint32_t proc, const void *args, size_t args_len)
{
	const struct rpc_call rpc = {
		.xid = r->header.rdma_xid,
		.prog = prog,
		.vers = r->vers ? r->vers : 3,
		.proc = proc,
	};
	struct writer w;

	writer_init(&w, buf, cap);
	rpc_call_encode(&w, &rpc);
	writer_bytes(&w, args, args_len);
	return w.bad ? 0 : w.len;
}

/* Decodes the Send that came, and for RDMA_NOMSG the first segment of the Reply chunk (which
 * tests use one segment for). */
static inline int requester_parse(struct requester *r)
{
	struct rpcrdma_header *h = &r->reply_header;
	int rc;

	reader_init(&r->results, r->sent, r->sent_len);
	rc = header_decode(h, &r->results);
	if (rc || h->rdma_proc == RDMA_ERROR)
		return rc;
	if (h->rdma_proc == RDMA_NOMSG) {
		const struct rpcrdma_segment *s = &h->segments[h->reply.first];

		reader_init(&r->results, r->regions[s->handle - 1000].base, s->length);
	}
	return rpc_reply_decode(&r->reply, &r->results);
}

/* One call by the header as it is now. 0: there is a reply, and it parses. */
static inline int requester_call(struct requester *r, uint32_t proc, const void *args,
				 size_t args_len)
{
	uint8_t rpc[2048];
	size_t len = requester_rpc(r, rpc, sizeof(rpc), NFS_PROGRAM_NUMBER, proc, args, args_len);
	struct writer w;
	int rc;

	writer_init(&w, r->message, sizeof(r->message));
	if (header_encode(&w, &r->header))
		return -1;
	writer_bytes(&w, rpc, len);
	rc = rdma_message(&r->session, r->message, w.len);
	if (rc)
		return rc;
	return r->sends ? requester_parse(r) : -ENOMSG;
}

/* Of "/NAME" in the export; an empty name is the root. */
static inline uint32_t requester_handle(struct export *exp, const char *name, struct nfs_fh *fh)
{
	struct nfs_fh root;
	uint32_t status = exp->ops->root(exp, &root);

	*fh = root;
	return status || !*name ? status : exp->ops->lookup(exp, &root, name, fh);
}

static inline size_t requester_read_args(uint8_t buf[128], const struct nfs_fh *fh, uint64_t offset,
					 uint32_t count)
{
	struct writer w;

	writer_init(&w, buf, 128);
	writer_opaque(&w, fh->data, fh->len);
	writer_u64(&w, offset);
	writer_u32(&w, count);
	return w.len;
}

#endif
