/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 the nfsrdma authors */

/* Faults of a kernel NFS server, a row each, for net/sunrpc/xprtrdma/svc_rdma_sendto.c of Linux
 * 6.1. sick-server.sed calls them: where the payload of a READ goes out by Write chunk, where the
 * reply's Write chunk is encoded, where the reply is sent, and in svc_rdma_recvfrom.c where the data of a
 * WRITE has come in by Read chunk. The module parameter sick_server
 * names the one that is on; without one, or with "healthy", the server is right. What counts
 * replies or READs begins anew whenever the parameter is written.
 *
 * Pages of a READ are swapped and never changed: after a splice they belong to the page cache of the
 * file. Those of a WRITE are the thread's own. */
#include <linux/delay.h>
#include <linux/module.h>

#define SICK_CHANGE_OVER 812
#define SICK_LARGE       131072
#define SICK_FITS_INLINE 3000
#define SICK_READ_EVERY  50
#define SICK_LATE_REPLY  100
#define SICK_LATE_MS     4000
#define SICK_LOST_EVERY  200
#define SICK_ERROR_EVERY 50
#define SICK_EARLY_MS    10 /* between Send and Writes */
#define SICK_PAGES_MS    50 /* for the Writes: the pages are the thread's no longer */
#define SICK_NFS3_READ   6
#define SICK_NFS4_READ   25
#define SICK_ERR_IO      5 /* NFS3ERR_IO, NFS4ERR_IO */
#define SICK_STATUS_WORD 6 /* behind an RPC header without a verifier */
#define SICK_ATTR_WORDS  21

static ssize_t svc_rdma_encode_write_chunk(struct svc_rdma_send_ctxt *sctxt,
					   const struct svc_rdma_chunk *chunk);
static int svc_rdma_send_reply_msg(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *sctxt,
				   const struct svc_rdma_recv_ctxt *rctxt, struct svc_rqst *rqstp);

/* What a fault looks at. */
struct sick_reply {
	struct svcxprt_rdma *rdma;
	struct svc_rqst *rqstp;
	struct svc_rdma_recv_ctxt *rctxt;
	struct svc_rdma_send_ctxt *sctxt; /* of send alone */
};

/* NULL: as the kernel does it. */
struct sick_fault {
	const char *name;
	int (*write)(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
		     struct xdr_buf *payload);
	u32 (*length)(const struct svc_rdma_chunk *chunk);
	int (*send)(const struct sick_reply *r);
	/* Changes what came by Read chunk: from the first page's beginning on. */
	void (*read)(struct page **pages, const struct svc_rdma_chunk *chunk);
};

static atomic_t sick_count;

/* NFSv4 has READs in COMPOUNDs, and its READLINKs are not told from them. */
static bool sick_is_read(const struct svc_rqst *rqstp)
{
	return rqstp->rq_vers != 3 || rqstp->rq_proc == SICK_NFS3_READ;
}

/* --- the payload ------------------------------------------------------------- */

/* The first @len bytes of it. */
static int sick_write_first(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			    struct xdr_buf *payload, unsigned int len)
{
	payload->page_len = payload->len = len;
	/* No Write at all would be a NULL work request. */
	return len ? svc_rdma_send_write_chunk(r->rdma, chunk, payload) : 0;
}

/* Page n is page n + @shift, the last one the first; or all of them are zeros. */
static int sick_write_pages(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			    struct xdr_buf *payload, bool zeros, unsigned int shift)
{
	unsigned int n, i, base = offset_in_page(payload->page_base);
	struct page **from = payload->pages + (payload->page_base >> PAGE_SHIFT);
	struct page **pages;
	int ret;

	n = PAGE_ALIGN(base + payload->page_len) >> PAGE_SHIFT;
	pages = kmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		pages[i] = zeros ? ZERO_PAGE(0) : from[(i + shift) % n];
	payload->pages = pages;
	payload->page_base = base;
	ret = svc_rdma_send_write_chunk(r->rdma, chunk, payload);
	/* The Writes have addresses, not this list. */
	kfree(pages);
	return ret;
}

static int sick_zeros(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
		      struct xdr_buf *payload)
{
	return sick_write_pages(r, chunk, payload, true, 0);
}

static int sick_zeros_if(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			 struct xdr_buf *payload, bool zeros)
{
	return sick_write_pages(r, chunk, payload, zeros, 0);
}

static int sick_zeros_over_812(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			       struct xdr_buf *payload)
{
	return sick_zeros_if(r, chunk, payload, payload->len > SICK_CHANGE_OVER);
}

static int sick_zeros_over_128k(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
				struct xdr_buf *payload)
{
	return sick_zeros_if(r, chunk, payload, payload->len > SICK_LARGE);
}

static int sick_zeros_sometimes(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
				struct xdr_buf *payload)
{
	return sick_zeros_if(r, chunk, payload,
			     atomic_inc_return(&sick_count) % SICK_READ_EVERY == 0);
}

static int sick_shifted(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			struct xdr_buf *payload)
{
	return sick_write_pages(r, chunk, payload, false, 1);
}

/* The first page is sent from its beginning. */
static int sick_unaligned(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			  struct xdr_buf *payload)
{
	payload->page_base &= PAGE_MASK;
	return svc_rdma_send_write_chunk(r->rdma, chunk, payload);
}

static int sick_unwritten(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			  struct xdr_buf *payload)
{
	return 0;
}

static int sick_first_segment(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
			      struct xdr_buf *payload)
{
	return sick_write_first(r, chunk, payload,
				min(payload->len, chunk->ch_segments[0].rs_length));
}

static int sick_tail(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
		     struct xdr_buf *payload)
{
	return sick_write_first(r, chunk, payload, payload->len & ~3u);
}

/* The data go with the message, and the chunk comes back with nothing in it. */
static int sick_unused(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
		       struct xdr_buf *payload)
{
	if (payload->len > SICK_FITS_INLINE)
		return svc_rdma_send_write_chunk(r->rdma, chunk, payload);
	chunk->ch_payload_length = 0;
	return 0;
}

/* The reply says it, see sick_eio_reply. An error from here would be SYSTEM_ERR of RPC in NFSv3; and in
 * NFSv4 the thread would keep a page of the file in its list, into which the next call is received. */
static int sick_eio(const struct sick_reply *r, struct svc_rdma_chunk *chunk,
		    struct xdr_buf *payload)
{
	chunk->ch_payload_length = 0;
	return 0;
}

/* --- what the chunk says ----------------------------------------------------- */

static u32 sick_shorter(const struct svc_rdma_chunk *chunk)
{
	return chunk->ch_payload_length - min(chunk->ch_payload_length, 4u);
}

/* --- the reply --------------------------------------------------------------- */

static int sick_send_well(const struct sick_reply *r)
{
	return svc_rdma_send_reply_msg(r->rdma, r->sctxt, r->rctxt, r->rqstp);
}

static int sick_drop(const struct sick_reply *r)
{
	svc_rdma_send_ctxt_put(r->rdma, r->sctxt);
	return 0;
}

/* READ3resfail in place of READ3resok; the length of the reply. */
static size_t sick_eio3(__be32 *word)
{
	word[SICK_STATUS_WORD] = cpu_to_be32(SICK_ERR_IO);
	return 4 * (SICK_STATUS_WORD + 2 + (word[SICK_STATUS_WORD + 1] ? SICK_ATTR_WORDS : 0));
}

/* A COMPOUND that ends with the READ: its number, status, eof and count stand before the data at
 * @position. One operation may be behind them. 0: it is another operation's payload. */
static size_t sick_eio4(__be32 *word, u32 position, const struct xdr_buf *res)
{
	__be32 *data = word + position / 4;
	__be32 *count = word + SICK_STATUS_WORD + 2 +
			XDR_QUADLEN(be32_to_cpu(word[SICK_STATUS_WORD + 1]));

	if (data[-4] != cpu_to_be32(SICK_NFS4_READ))
		return 0;
	data[-3] = word[SICK_STATUS_WORD] = cpu_to_be32(SICK_ERR_IO);
	if (res->len > position + xdr_align_size(be32_to_cpu(data[-1])))
		be32_add_cpu(count, -1);
	return position - 8;
}

/* An error in place of a READ's data by Write chunk. */
static int sick_eio_reply(const struct sick_reply *r)
{
	const struct svc_rdma_chunk *chunk = pcl_first_chunk(&r->rctxt->rc_write_pcl);
	struct xdr_buf *res = &r->rqstp->rq_res;
	__be32 *word = res->head[0].iov_base;
	size_t len;

	if (sick_is_read(r->rqstp) && res->page_len && chunk && !r->rctxt->rc_cur_result_payload) {
		len = r->rqstp->rq_vers == 3 ? sick_eio3(word)
					     : sick_eio4(word, chunk->ch_position, res);
		if (len) {
			res->page_len = res->tail[0].iov_len = 0;
			res->len = res->head[0].iov_len = len;
		}
	}
	return sick_send_well(r);
}

/* The Writes that sick_unwritten has left out, behind the Send. */
static int sick_early(const struct sick_reply *r)
{
	struct svc_rdma_chunk *chunk;
	struct xdr_buf payload;
	int ret = sick_send_well(r);

	if (ret < 0 || !sick_is_read(r->rqstp))
		return ret;
	msleep(SICK_EARLY_MS);
	pcl_for_each_chunk(
		chunk, &r->rctxt->rc_write_pcl) if (chunk->ch_payload_length &&
						    !xdr_buf_subsegment(&r->rqstp->rq_res, &payload,
									chunk->ch_position,
									chunk->ch_payload_length))
		svc_rdma_send_write_chunk(r->rdma, chunk, &payload);
	msleep(SICK_PAGES_MS);
	return ret;
}

static int sick_late(const struct sick_reply *r)
{
	if (atomic_inc_return(&sick_count) == SICK_LATE_REPLY)
		msleep(SICK_LATE_MS);
	return sick_send_well(r);
}

static int sick_lost(const struct sick_reply *r)
{
	return atomic_inc_return(&sick_count) % SICK_LOST_EVERY ? sick_send_well(r) : sick_drop(r);
}

static int sick_error(const struct sick_reply *r)
{
	if (atomic_inc_return(&sick_count) % SICK_ERROR_EVERY)
		return sick_send_well(r);
	svc_rdma_send_error_msg(r->rdma, r->sctxt, r->rctxt, -E2BIG);
	return 0;
}

/* --- what came in ------------------------------------------------------------ */

static void sick_zero_from(struct page **pages, const struct svc_rdma_chunk *chunk,
			   unsigned int from)
{
	unsigned int at, n;

	for (at = from; at < chunk->ch_length; at += n) {
		n = min_t(unsigned int, chunk->ch_length - at, PAGE_SIZE - offset_in_page(at));
		memset(page_address(pages[at >> PAGE_SHIFT]) + offset_in_page(at), 0, n);
	}
}

static void sick_read_zeros(struct page **pages, const struct svc_rdma_chunk *chunk)
{
	sick_zero_from(pages, chunk, 0);
}

static void sick_read_tail(struct page **pages, const struct svc_rdma_chunk *chunk)
{
	sick_zero_from(pages, chunk, chunk->ch_length & ~3u);
}

static void sick_read_large(struct page **pages, const struct svc_rdma_chunk *chunk)
{
	sick_zero_from(pages, chunk, 65536);
}

static void sick_read_sometimes(struct page **pages, const struct svc_rdma_chunk *chunk)
{
	if (atomic_inc_return(&sick_count) % SICK_READ_EVERY == 0)
		sick_zero_from(pages, chunk, 0);
}

/* Each page is the first one. */
static void sick_read_page(struct page **pages, const struct svc_rdma_chunk *chunk)
{
	unsigned int i;

	for (i = 1; i < PAGE_ALIGN(chunk->ch_length) >> PAGE_SHIFT; i++)
		memcpy(page_address(pages[i]), page_address(pages[0]), PAGE_SIZE);
}

/* The first page is that of the WRITE before. */
static void sick_read_earlier(struct page **pages, const struct svc_rdma_chunk *chunk)
{
	static DEFINE_SPINLOCK(lock);
	static u8 earlier[PAGE_SIZE], now[PAGE_SIZE];

	spin_lock(&lock);
	memcpy(now, page_address(pages[0]), PAGE_SIZE);
	if (atomic_inc_return(&sick_count) > 1)
		memcpy(page_address(pages[0]), earlier, PAGE_SIZE);
	memcpy(earlier, now, PAGE_SIZE);
	spin_unlock(&lock);
}

/* The first two segments change places, as far as they are in the first page. */
static void sick_read_segments(struct page **pages, const struct svc_rdma_chunk *chunk)
{
	unsigned int first = chunk->ch_segments[0].rs_length, second;
	u8 *page = page_address(pages[0]), *copy;

	if (chunk->ch_segcount < 2)
		return;
	second = chunk->ch_segments[1].rs_length;
	copy = first + second <= PAGE_SIZE ? kmemdup(page, first, GFP_KERNEL) : NULL;
	if (!copy)
		return;
	memmove(page, page + first, second);
	memcpy(page + second, copy, first);
	kfree(copy);
}

static bool sick_has_data(const struct sick_reply *r)
{
	return !pcl_is_empty(&r->rctxt->rc_read_pcl);
}

static int sick_write_error(const struct sick_reply *r)
{
	if (!sick_has_data(r))
		return sick_send_well(r);
	svc_rdma_send_error_msg(r->rdma, r->sctxt, r->rctxt, -E2BIG);
	return 0;
}

static int sick_write_lost(const struct sick_reply *r)
{
	return sick_has_data(r) ? sick_drop(r) : sick_send_well(r);
}

/* --- which one --------------------------------------------------------------- */

static const struct sick_fault sick_faults[] = {
	{ .name = "healthy" },
	{ .name = "zeros", .write = sick_zeros },
	{ .name = "zeros-over-812", .write = sick_zeros_over_812 },
	{ .name = "zeros-over-128k", .write = sick_zeros_over_128k },
	{ .name = "zeros-1-in-50", .write = sick_zeros_sometimes },
	{ .name = "eio", .write = sick_eio, .send = sick_eio_reply },
	{ .name = "shifted", .write = sick_shifted },
	{ .name = "unwritten", .write = sick_unwritten },
	{ .name = "first-segment", .write = sick_first_segment },
	{ .name = "length", .length = sick_shorter },
	{ .name = "send-first", .write = sick_unwritten, .send = sick_early },
	{ .name = "unaligned", .write = sick_unaligned },
	{ .name = "late", .send = sick_late },
	{ .name = "lost", .send = sick_lost },
	{ .name = "tail", .write = sick_tail },
	{ .name = "unused", .write = sick_unused },
	{ .name = "error-1-in-50", .send = sick_error },
	{ .name = "write-zeros", .read = sick_read_zeros },
	{ .name = "write-tail", .read = sick_read_tail },
	{ .name = "write-over-64k", .read = sick_read_large },
	{ .name = "write-1-in-50", .read = sick_read_sometimes },
	{ .name = "write-page", .read = sick_read_page },
	{ .name = "write-earlier", .read = sick_read_earlier },
	{ .name = "write-segments", .read = sick_read_segments },
	{ .name = "write-error", .send = sick_write_error },
	{ .name = "write-lost", .send = sick_write_lost },
};

static const struct sick_fault *sick_now = sick_faults;

static int sick_server_set(const char *name, const struct kernel_param *kp)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sick_faults); i++)
		if (sysfs_streq(name, sick_faults[i].name)) {
			atomic_set(&sick_count, 0);
			WRITE_ONCE(sick_now, &sick_faults[i]);
			return 0;
		}
	return -EINVAL;
}

static int sick_server_get(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", READ_ONCE(sick_now)->name);
}

static const struct kernel_param_ops sick_server_ops = {
	.set = sick_server_set,
	.get = sick_server_get,
};
module_param_cb(sick_server, &sick_server_ops, NULL, 0644);

/* --- where the kernel asks --------------------------------------------------- */

static int sick_write_chunk(struct svc_rqst *rqstp, struct svcxprt_rdma *rdma,
			    struct svc_rdma_chunk *chunk, struct xdr_buf *payload)
{
	const struct sick_fault *fault = READ_ONCE(sick_now);
	const struct sick_reply r = { rdma, rqstp, rqstp->rq_xprt_ctxt };

	/* READs are in the pages. */
	if (!fault->write || !sick_is_read(rqstp) || payload->page_len != payload->len)
		return svc_rdma_send_write_chunk(rdma, chunk, payload);
	return fault->write(&r, chunk, payload);
}

static ssize_t sick_encode_chunk(struct svc_rdma_send_ctxt *sctxt, struct svc_rdma_chunk *chunk)
{
	const struct sick_fault *fault = READ_ONCE(sick_now);
	u32 length = chunk->ch_payload_length;
	ssize_t ret;

	if (fault->length)
		chunk->ch_payload_length = fault->length(chunk);
	ret = svc_rdma_encode_write_chunk(sctxt, chunk);
	/* Where the message goes on behind the payload is reckoned from it. */
	chunk->ch_payload_length = length;
	return ret;
}

/* For svc_rdma_recvfrom.c. */
void sick_read_chunk(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt);

void sick_read_chunk(struct svc_rqst *rqstp, struct svc_rdma_recv_ctxt *ctxt)
{
	const struct sick_fault *fault = READ_ONCE(sick_now);
	const struct svc_rdma_chunk *chunk = pcl_first_chunk(&ctxt->rc_read_pcl);

	if (fault->read && chunk && pcl_is_empty(&ctxt->rc_call_pcl))
		fault->read(rqstp->rq_arg.pages, chunk);
}

static int sick_send_reply(struct svcxprt_rdma *rdma, struct svc_rdma_send_ctxt *sctxt,
			   struct svc_rdma_recv_ctxt *rctxt, struct svc_rqst *rqstp)
{
	const struct sick_fault *fault = READ_ONCE(sick_now);
	const struct sick_reply r = { rdma, rqstp, rctxt, sctxt };

	return fault->send ? fault->send(&r) : sick_send_well(&r);
}
