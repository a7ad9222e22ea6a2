/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of faults that a probe must detect and name. An RDMA fault changes one reply after it
 * is planned and before it is sent (rdma-reply.c); its state is per connection. Every frame stays
 * well-formed, and none is known to harm a client. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "rpcrdma/nfs/nfs4.h"
#include "rpcrdma/server/faults-place.h"
#include "rpcrdma/server/faults-write.h"

#define LIMIT_812 812
#define PAGE      4096
/* Of a READ by Reply chunk, that no server but a known one is sent more of; and of any, with what
 * nfs-ganesha takes for its pad. */
#define REPLY_CHUNK_MAX 262144
#define DATA_MAX        1048576

/* Of nfs-read, groups and segments-refused. */
#define READ_PART      65536
#define READ_TOO_LARGE 262144
#define MOST_GROUPS    8
#define MOST_SEGMENTS  4

/* A client with READs in flight together sends the next within this time. */
#define NEXT_CALL_MS 10

/* The data of the call's first READ; NULL: no READ, or it failed. reply->read has the offsets of
 * its words in the reply, for every version of NFS. */
static struct payload *fault_read_data(struct rdma_reply *reply)
{
	return reply->read.served && reply->read.payload < reply->payload_count
		       ? &reply->payload[reply->read.payload]
		       : NULL;
}

/* The same, if more than @size bytes go by Write chunk; else NULL. */
static struct payload *fault_chunk_read(struct rdma_reply *reply, uint32_t size)
{
	struct payload *data = fault_read_data(reply);

	return data && data->by_chunk && data->len > size ? data : NULL;
}

/* Replies 2, 5, 8, ... of the connection: the first is always sent. */
static bool fault_is_third(const struct rdma_reply *reply)
{
	return reply->session->faults.replies % 3 == 2;
}

/* Kinds of READ failure, in the order of the row's values */

static void fault_read_garbage(struct rdma_reply *reply)
{
	struct payload *data = fault_read_data(reply);
	uint8_t *buf = reply->session->faults.buf;
	uint32_t i;

	for (i = 0; i < data->len; i++)
		buf[i] = data->data[i] ^ 0xa5;
	data->data = buf;
}

/* A consistent short READ: count and lengths agree, and eof is false. */
static void fault_read_short(struct rdma_reply *reply)
{
	struct payload *data = fault_read_data(reply);

	data->len = min_u32(LIMIT_812, data->len - 1);
	if (reply->read.count)
		put_be32(reply->message + reply->read.count, data->len);
	put_be32(reply->message + reply->read.eof, false);
	put_be32(reply->message + data->at - 4, data->len);
}

static void fault_read_stale(struct rdma_reply *reply)
{
	reply->no_data = true;
}

/* The READ fails, and the results after it are dropped. NFSv4 uses the same error number. */
static void fault_read_eio(struct rdma_reply *reply)
{
	const struct call_read *read = &reply->read;

	put_be32(reply->message + read->status, NFS3_STATUS_IO);
	if (read->compound) {
		put_be32(reply->message + read->compound, NFS3_STATUS_IO);
		put_be32(reply->message + read->results, read->result_count);
	}
	reply->message_len = read->end;
	reply->payload_count = read->payload;
}

static void fault_reply_hang(struct rdma_reply *reply)
{
	reply->drop = true;
}

static void fault_reply_close(struct rdma_reply *reply)
{
	reply->close = true;
}

/* One byte behind the memory that the client offers. */
static void fault_read_beyond(struct rdma_reply *reply)
{
	reply->beyond = true;
}

#define READ_VALUES "garbage|short|stale|eio|hang|close"

static void (*const fault_read_kinds[])(struct rdma_reply *reply) = {
	fault_read_garbage, fault_read_short,  fault_read_stale,  fault_read_eio,
	fault_reply_hang,   fault_reply_close, fault_read_beyond,
};

/* Rows */

static void fault_write_chunk_over_812(struct rdma_reply *reply, unsigned int value)
{
	if (fault_chunk_read(reply, LIMIT_812))
		fault_read_kinds[value](reply);
}

/* The next call arrives before this one is answered: seen at the TCP socket below iWARP. */
static void fault_in_flight(struct rdma_reply *reply, unsigned int value)
{
	struct pollfd next = { .fd = reply->session->t->fd, .events = POLLIN };

	if (fault_chunk_read(reply, 0) && poll(&next, 1, NEXT_CALL_MS) > 0)
		fault_read_kinds[value](reply);
}

static void fault_second_connection(struct rdma_reply *reply, unsigned int value)
{
	if (reply->session->faults.second && fault_chunk_read(reply, 0))
		fault_read_kinds[value](reply);
}

/* READs are correct until another procedure is served after the first large READ. */
static void fault_write_chunk_over_812_later(struct rdma_reply *reply, unsigned int value)
{
	struct fault_state *state = &reply->session->faults;

	if (state->large_read_seen && !reply->read.tried)
		state->other_seen = true;
	if (!fault_chunk_read(reply, LIMIT_812))
		return;
	if (state->other_seen)
		fault_read_kinds[value](reply);
	state->large_read_seen = true;
}

/* The data are written after the reply that announces them. */
static void fault_reply_first(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	reply->early = fault_chunk_read(reply, 0);
}

static void fault_chunk_unused(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	if (fault_chunk_read(reply, 0))
		rdma_reply_leave_chunk(reply, reply->read.payload);
}

static void fault_tail_unwritten(struct rdma_reply *reply, unsigned int value)
{
	const struct payload *data = fault_chunk_read(reply, 0);

	(void)value;
	reply->unwritten = data ? data->len % 4 : 0;
}

/* Applies to every such reply of a connection, so that a retried call fails again. */
static void fault_rdma_error(struct rdma_reply *reply, unsigned int value)
{
	static const unsigned int every[] = { 3, 7, 50 };

	if (reply->session->faults.replies % every[value] == 0)
		rdma_reply_refuse(reply, ERR_CHUNK);
}

static void fault_call_by_chunk(struct rdma_reply *reply, unsigned int value)
{
	if (reply->session->request.rdma_proc != RDMA_NOMSG)
		return;
	if (!value)
		rdma_reply_refuse(reply, ERR_CHUNK);
	reply->drop = value == 1;
	reply->close = value == 2;
}

/* Zeros, as from pages that were never filled. */
static void fault_read_zeros(struct rdma_reply *reply)
{
	struct payload *data = fault_read_data(reply);

	memset(reply->session->faults.buf, 0, data->len);
	data->data = reply->session->faults.buf;
}

static void (*const fault_chunk_kinds[])(struct rdma_reply *reply) = {
	fault_read_zeros,
	fault_read_eio,
	fault_read_stale,
};

static void fault_write_chunk(struct rdma_reply *reply, unsigned int value)
{
	if (fault_chunk_read(reply, 0))
		fault_chunk_kinds[value](reply);
}

static void fault_read_bit(struct rdma_reply *reply)
{
	struct payload *data = fault_read_data(reply);
	uint8_t *buf = reply->session->faults.buf;

	memcpy(buf, data->data, data->len);
	buf[data->len / 2] ^= 0x10;
	data->data = buf;
}

/* Corrupts every byte of the READ in its last page, in four bits: one bit would be another kind of
 * damage. */
static void fault_read_page(struct rdma_reply *reply)
{
	struct payload *data = fault_read_data(reply);
	uint8_t *buf = reply->session->faults.buf;
	uint64_t end = reply->read.offset + data->len;
	uint32_t last = (uint32_t)min_u64(data->len, (end - 1) % PAGE + 1), i;

	memcpy(buf, data->data, data->len);
	for (i = data->len - last; i < data->len; i++)
		buf[i] ^= 0xa5;
	data->data = buf;
}

/* The data end in the middle, though all are counted. */
static void fault_read_half(struct rdma_reply *reply)
{
	reply->unwritten = fault_read_data(reply)->len / 2;
}

#define INTERMITTENT_VALUES "bit|page|eio|half|short"
static void (*const fault_intermittent_kinds[])(struct rdma_reply *reply) = {
	fault_read_bit, fault_read_page, fault_read_eio, fault_read_half, fault_read_short,
};

/* READ 11 of a connection, 34, 57, ... */
static void fault_at_times(struct rdma_reply *reply, unsigned int value)
{
	if (fault_chunk_read(reply, 0) && reply->session->faults.chunk_reads++ % 23 == 10)
		fault_intermittent_kinds[value](reply);
}

/* READ 500 of a connection, 1000, ...: a sweep at level standard has fewer. */
static void fault_rarely(struct rdma_reply *reply, unsigned int value)
{
	if (fault_chunk_read(reply, 0) && ++reply->session->faults.rare_reads % 500 == 0)
		fault_intermittent_kinds[value](reply);
}

static void fault_drop_reply(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	if (fault_is_third(reply))
		reply->drop = true;
}

static void fault_close(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	if (reply->session->faults.replies == 5)
		reply->close = true;
}

static void fault_reply_twice(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	reply->twice = fault_is_third(reply);
}

static void fault_wrong_xid(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	if (!fault_is_third(reply))
		return;
	reply->header.rdma_xid ^= 0x00100000;
	if (reply->message_len >= 4)
		put_be32(reply->message, reply->header.rdma_xid);
}

static void fault_credit_zero(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	reply->header.rdma_credit = 0;
}

static void fault_pad_written(struct rdma_reply *reply, unsigned int value)
{
	if (reply->read.tried)
		reply->pad = true;
	reply->pad_part = value == 1;
}

static void fault_lengths_unrewritten(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	reply->keep_lengths = true;
}

static void fault_lengths_short(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	reply->short_lengths = true;
}

static void fault_chunk_twice(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	reply->listed_twice = fault_chunk_read(reply, 0);
}

/* Page n carries page n + 1, the last one the first. */
static void fault_page_shift(struct rdma_reply *reply, unsigned int value)
{
	struct payload *data = fault_chunk_read(reply, PAGE);
	uint8_t *buf = reply->session->faults.buf;
	uint8_t first[PAGE];

	(void)value;
	if (!data)
		return;
	/* Another fault may have put the data into buf already. */
	memcpy(first, data->data, PAGE);
	memmove(buf, data->data + PAGE, data->len - PAGE);
	memcpy(buf + data->len - PAGE, first, PAGE);
	data->data = buf;
}

/* The message is contiguous, and its second page repeats the first. */
static void fault_reply_page_repeat(struct rdma_reply *reply, unsigned int value)
{
	struct iovec iov[PAYLOAD_PIECES];
	struct writer w;
	int i, count;

	(void)value;
	if (!reply->message_by_chunk)
		return;
	for (i = 0; i < (int)reply->payload_count; i++)
		if (reply->payload[i].by_chunk)
			return;
	writer_init(&w, reply->session->faults.buf, FAULT_BUF_MAX);
	count = payload_pieces(iov, reply->message, reply->message_len, reply->payload,
			       reply->payload_count);
	for (i = 0; i < count; i++)
		writer_bytes(&w, iov[i].iov_base, iov[i].iov_len);
	if (w.bad || w.len <= PAGE)
		return;
	memcpy(w.base + PAGE, w.base, min_u64(PAGE, w.len - PAGE));
	reply->message = w.base;
	reply->message_len = w.len;
	reply->payload_count = 0;
}

/* The reply ends after the READ's length word, but its counts include the later results. */
static void fault_tail_lost(struct rdma_reply *reply)
{
	reply->message_len = fault_read_data(reply)->at;
	reply->payload_count = reply->read.payload + 1;
}

/* Corrupts the results after the READ: the last byte of the reply (of attributes, a time), or the
 * first byte of a second READ. */
static void fault_tail_wrong(struct rdma_reply *reply)
{
	struct payload *second = &reply->payload[reply->read.payload + 1];
	uint8_t *buf = reply->session->faults.buf;

	if (reply->payload_count <= reply->read.payload + 1) {
		reply->message[reply->message_len - 1] ^= 1;
		return;
	}
	if (!second->len || second->len > FAULT_BUF_MAX)
		return;
	memcpy(buf, second->data, second->len);
	buf[0] ^= 0xff;
	second->data = buf;
}

static void (*const fault_tail_kinds[])(struct rdma_reply *reply) = { fault_tail_lost,
								      fault_tail_wrong };

/* NFSv4 only, if other operations follow the READ. */
static void fault_compound_tail(struct rdma_reply *reply, unsigned int value)
{
	const struct payload *data = fault_chunk_read(reply, 0);

	if (data && reply->read.compound && reply->message_len > data->at)
		fault_tail_kinds[value](reply);
}

/* Ends the whole process, as a crash does: all connections and listeners are gone. */
static _Noreturn void fault_crash(void)
{
	debug(DEBUG_SERVER, "the server exits by a fault");
	_exit(0);
}

enum { BY_WRITE_CHUNK, BY_REPLY_CHUNK, BY_SEND };

static void fault_die(struct rdma_reply *reply, unsigned int value)
{
	const struct payload *data = fault_read_data(reply);
	unsigned int by;

	if (!data || data->len <= LIMIT_812)
		return;
	by = data->by_chunk ? BY_WRITE_CHUNK : reply->message_by_chunk ? BY_REPLY_CHUNK : BY_SEND;
	if (by == value)
		fault_crash();
}

static void fault_restart(struct rdma_reply *reply, unsigned int value)
{
	const struct server_options *options = reply->session->options;

	(void)value;
	if (!fault_chunk_read(reply, LIMIT_812))
		return;
	reply->close = true;
	if (options->nfs4)
		nfs4_state_restart(options->nfs4);
	export_restart(options->exp);
}

/* As nfs-ganesha: only READs use the Write chunk. */
static void fault_link_inline(struct rdma_reply *reply, unsigned int value)
{
	(void)value;
	if (!reply->read.tried)
		reply->keep_lengths = rdma_reply_leave_chunk(reply, 0);
}

/* Crashes on the calls that crashed nfs-ganesha, and leaves Reply chunks unused where possible.
 * fault_disguise() sets its appearance. */
static void fault_foreign(struct rdma_reply *reply, unsigned int value)
{
	const struct payload *data = fault_read_data(reply);

	if (data &&
	    (!data->len || data->at < reply->message_len || data->len + data->len % 4 > DATA_MAX))
		fault_crash();
	if (data && reply->message_by_chunk && !data->by_chunk &&
	    (data->len % 4 || data->len > REPLY_CHUNK_MAX))
		fault_crash();
	if (value == 0)
		rdma_reply_prefer_inline(reply);
}

/* Inline data are replaced by the head of the reply and what follows it in memory. */
static void fault_inline_head(struct rdma_reply *reply)
{
	struct payload *data = fault_read_data(reply);
	uint8_t *buf = reply->session->faults.buf;

	if (!data || data->by_chunk || reply->message_by_chunk)
		return;
	memset(buf, 0, data->len);
	memcpy(buf, reply->message, min_u64(data->len, reply->message_len));
	data->data = buf;
}

/* Data start at the beginning of their first page. */
static void fault_page_base(struct rdma_reply *reply)
{
	struct payload *data = fault_read_data(reply);
	struct export *exp = reply->session->options->exp;
	struct export_read read = { .scratch = reply->session->faults.buf };

	if (!data || reply->read.offset % PAGE == 0)
		return;
	read.offset = reply->read.offset - reply->read.offset % PAGE;
	read.count = data->len;
	if (!exp->ops->read(exp, &reply->read.fh, &read) && read.len == data->len)
		data->data = read.data;
}

static void fault_pad_segment(struct rdma_reply *reply)
{
	reply->spill = reply->pad;
}

static void (*const fault_linux3_kinds[])(struct rdma_reply *reply) = {
	NULL,
	fault_inline_head,
	fault_page_base,
	fault_pad_segment,
};

/* The fingerprint of a Linux 3.x server and one of its READ defects. rdma.c omits the private
 * data and grants 16 credits. */
static void fault_linux3(struct rdma_reply *reply, unsigned int value)
{
	reply->drop_unused = true;
	reply->pad = reply->read.tried;
	if (fault_linux3_kinds[value])
		fault_linux3_kinds[value](reply);
}

static uint8_t fault_zero_pages[SERVER_READ_LIMIT];

/* As Linux 6.5 to 7.3, which reads into the page after the one in which the first READ ended, and
 * sends that one unchanged: with zeros, or data left by some READ (value 1: over TCP, one of the
 * same place). */
static void fault_nfs_second_read(struct call *call, unsigned int value)
{
	const struct call_read *read = &call->read;
	struct payload *data = &call->payload[read->payload];

	if (read->served && read->compound && call->payload_count > read->payload + 1 &&
	    (read->offset + data->len) % PAGE &&
	    !(value == 1 && call->stream && data[1].data == data[0].data + data[0].len))
		data[1].data = fault_zero_pages;
}

static void fault_nfs_unaligned(struct call *call, unsigned int value)
{
	(void)value;
	if (call->read.served && call->read.offset % PAGE)
		call->payload[call->read.payload].data = fault_zero_pages;
}

/* As fault_read_eio(), before there is a reply of a transport. */
static void fault_call_fails(struct call *call, uint32_t status)
{
	const struct call_read *read = &call->read;
	uint8_t *reply = call->reply.base;

	put_be32(reply + read->status, status);
	if (read->compound) {
		put_be32(reply + read->compound, status);
		put_be32(reply + read->results, read->result_count);
	}
	call->reply.len = read->end;
	call->payload_count = read->payload;
}

/* Consistent, and @eof. */
static void fault_call_is_short(struct call *call, uint32_t len, bool eof)
{
	struct payload *data = &call->payload[call->read.payload];
	uint8_t *reply = call->reply.base;

	data->len = len;
	if (call->read.count)
		put_be32(reply + call->read.count, len);
	put_be32(reply + call->read.eof, eof);
	put_be32(reply + data->at - 4, len);
}

/* READs that a server's NFS serves in an unusual way, over every transport. */
static void fault_nfs_read(struct call *call, unsigned int value)
{
	enum { SHORT, EARLY_END, TOO_LARGE, BEYOND_THE_END, ABOVE_2_GIB };
	const struct call_read *read = &call->read;
	uint32_t len = read->served ? call->payload[read->payload].len : 0;

	if (!read->served)
		return;
	if (value <= EARLY_END && len > READ_PART)
		fault_call_is_short(call, READ_PART, value == EARLY_END);
	if ((value == TOO_LARGE && len > READ_TOO_LARGE) ||
	    (value == ABOVE_2_GIB && read->offset + len > INT32_MAX))
		fault_call_fails(call, NFS3_STATUS_IO);
	if (value == BEYOND_THE_END && len && len < read->asked)
		fault_call_fails(call, NFS3_STATUS_INVAL);
}

/* Calls of a user who is in more groups than that are refused, where the server did not learn of
 * RFC 5531's sixteen. */
static void fault_groups(struct call *call, unsigned int value)
{
	const struct rpc_reply denied = { .xid = call->rpc.xid,
					  .reply_stat = RPC_MSG_DENIED,
					  .reject_stat = RPC_AUTH_ERROR,
					  .auth_stat = 1 };

	(void)value;
	if (call->rpc.cred.ngids <= MOST_GROUPS)
		return;
	writer_init(&call->reply, call->reply.base, call->reply.cap);
	rpc_reply_encode(&call->reply, &denied);
	call->payload_count = 0;
	memset(&call->read, 0, sizeof(call->read));
}

/* Write chunks of more segments than the server has room for. */
static void fault_segments_refused(struct rdma_reply *reply, unsigned int value)
{
	const struct rpcrdma_header *h = &reply->session->request;

	(void)value;
	if (h->write_count && h->write[0].count > MOST_SEGMENTS)
		rdma_reply_refuse(reply, ERR_CHUNK);
}

/* No READ says that it reached the end; or each does. */
static void fault_eof(struct rdma_reply *reply, unsigned int value)
{
	if (reply->read.served)
		put_be32(reply->message + reply->read.eof, value);
}

/* Half of the size, or another file's number. */
static void fault_change_attributes(uint8_t *size, uint8_t *fileid, unsigned int value)
{
	if (value == 0)
		put_be64(size, get_be64(size) / 2);
	else
		put_be64(fileid, get_be64(fileid) + 1);
}

/* Of a GETATTR behind the READ that asks as the probe does: its number and status, a bitmap of two
 * words, a length, the values. */
static void fault_getattr_after(struct rdma_reply *reply, unsigned int value)
{
	static const uint8_t widths[] = {
		[FATTR4_TYPE] = 4, [FATTR4_SIZE] = 8, [FATTR4_FSID] = 16, [FATTR4_FILEID] = 8
	};
	const struct payload *data = fault_read_data(reply);
	size_t at[ARRAY_SIZE(widths)] = { 0 };
	struct reader r;
	uint32_t mask;
	unsigned int i;

	if (!data || reply->message_len < data->at)
		return;
	reader_init(&r, reply->message + data->at, reply->message_len - data->at);
	if (reader_u32(&r) != OP_GETATTR || reader_u32(&r) || reader_u32(&r) != 2)
		return;
	mask = reader_u32(&r);
	reader_bytes(&r, 8);
	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		if (!(mask >> i & 1))
			continue;
		if (!widths[i])
			return;
		at[i] = reply->message_len - reader_left(&r);
		reader_bytes(&r, widths[i]);
	}
	if (!r.bad && at[FATTR4_SIZE] && at[FATTR4_FILEID])
		fault_change_attributes(reply->message + at[FATTR4_SIZE],
					reply->message + at[FATTR4_FILEID], value);
}

/* In NFSv3's post_op_attr of a READ, in NFSv4 of a GETATTR behind it. */
static void fault_read_attributes(struct rdma_reply *reply, unsigned int value)
{
	uint8_t *fattr3 = reply->message + reply->read.status + 8;

	if (!reply->read.served)
		return;
	if (reply->read.compound)
		fault_getattr_after(reply, value);
	else
		fault_change_attributes(fattr3 + 20, fattr3 + 52, value);
}

static void fault_disguise(struct export *exp, unsigned int value)
{
	export_disguise(exp, value == 0);
}

static void fault_moved(struct export *exp, unsigned int value)
{
	(void)value;
	exp->is_referral = true;
}

const struct fault_row fault_table[] = {
	{ .name = "write-chunk",
	  .values = "zeros|eio|stale",
	  .value = "zeros",
	  .finding = "bug.write-chunk-read",
	  .description = "Write-chunk READs of all sizes fail",
	  .apply = fault_write_chunk },
	{ .name = "write-chunk-over-812",
	  .values = READ_VALUES "|beyond",
	  .value = "garbage",
	  .finding = "bug.write-chunk-read",
	  .description = "Write-chunk READs of more than 812 bytes fail, all others are correct",
	  .apply = fault_write_chunk_over_812 },
	{ .name = "write-chunk-over-812-later",
	  .values = READ_VALUES,
	  .value = "garbage",
	  .finding = "bug.write-chunk-read",
	  .description =
		  "the same, but only after the first of them is followed by another operation",
	  .apply = fault_write_chunk_over_812_later },
	{ .name = "in-flight",
	  .values = READ_VALUES,
	  .value = "garbage",
	  .finding = "probe.read.in-flight",
	  .description = "Write-chunk READs fail while another call waits (over iWARP)",
	  .apply = fault_in_flight },
	{ .name = "second-connection",
	  .values = READ_VALUES,
	  .value = "garbage",
	  .finding = "probe.second-connection",
	  .description =
		  "Write-chunk READs fail over a connection that was made while the host had another",
	  .apply = fault_second_connection },
	{ .name = "at-times",
	  .values = INTERMITTENT_VALUES,
	  .value = "bit",
	  .finding = "probe.read.intermittent",
	  .description = "every 23rd Write-chunk READ fails, and is correct when repeated",
	  .apply = fault_at_times },
	{ .name = "rarely",
	  .values = INTERMITTENT_VALUES,
	  .value = "bit",
	  .finding = "probe.read.intermittent",
	  .description = "every 500th Write-chunk READ fails, and is correct when repeated",
	  .apply = fault_rarely },
	{ .name = "drop-reply",
	  .finding = "probe.reply.lost",
	  .description = "from the second on, every third reply is not sent",
	  .apply = fault_drop_reply },
	{ .name = "close",
	  .finding = "probe.connection",
	  .description = "the connection is closed instead of the fifth reply",
	  .apply = fault_close },
	{ .name = "bad-crc",
	  .finding = "probe.transport",
	  .description = "the MPA CRC is wrong from the third message on" },
	{ .name = "wrong-xid",
	  .finding = "probe.reply.xid",
	  .description = "from the second on, every third reply has another xid",
	  .apply = fault_wrong_xid },
	{ .name = "reply-twice",
	  .finding = "probe.reply.xid",
	  .description = "from the second on, every third reply is sent twice",
	  .apply = fault_reply_twice },
	{ .name = "credit-zero",
	  .finding = "probe.credits",
	  .description = "no reply grants credits",
	  .apply = fault_credit_zero },
	{ .name = "pad-written",
	  .values = "whole|part",
	  .value = "whole",
	  .finding = "probe.read.write-chunk.pad",
	  .description =
		  "XDR padding is written after the data of a Write chunk; part: as in nfs-ganesha, as many bytes as the data exceed a multiple of four",
	  .apply = fault_pad_written },
	{ .name = "lengths-unrewritten",
	  .finding = "probe.read.write-chunk.lengths",
	  .description = "Write chunks are returned with the lengths offered",
	  .apply = fault_lengths_unrewritten },
	{ .name = "lengths-short",
	  .finding = "probe.read.write-chunk.lengths",
	  .description = "Write chunks are returned with up to four bytes less than were written",
	  .apply = fault_lengths_short },
	{ .name = "chunk-twice",
	  .finding = "bug.write-chunk-read",
	  .description = "the Write chunk of a READ is returned twice in the list",
	  .apply = fault_chunk_twice },
	{ .name = "page-shift",
	  .finding = "probe.read.write-chunk.placement",
	  .description = "Write-chunk READs of more than a page arrive one page too early",
	  .apply = fault_page_shift },
	{ .name = "misplaced",
	  .values = FAULT_PLACES,
	  .value = "other-offset",
	  .finding = "probe.read.write-chunk",
	  .description =
		  "READs return data of another place: Write-chunk READs those of another file or offset, others the page before the last, the offset without its upper half, or the next page for unaligned inline READs",
	  .apply = fault_misplaced },
	{ .name = "reply-page-repeat",
	  .finding = "probe.read.reply-chunk",
	  .description = "a Reply chunk of more than a page repeats its first page",
	  .apply = fault_reply_page_repeat },
	{ .name = "reply-first",
	  .finding = "probe.read.write-chunk.order",
	  .description = "Write-chunk READs are answered before their data is written",
	  .apply = fault_reply_first },
	{ .name = "chunk-unused",
	  .finding = "probe.read.write-chunk.unused",
	  .description = "data that fits inline is sent inline, although a Write chunk is offered",
	  .apply = fault_chunk_unused },
	{ .name = "tail-unwritten",
	  .finding = "probe.read.write-chunk.tail",
	  .description = "Write-chunk READs lack the bytes after the last multiple of four",
	  .apply = fault_tail_unwritten },
	{ .name = "rdma-error",
	  .values = "3|7|50",
	  .value = "50",
	  .finding = "probe.reply.error",
	  .description = "one of so many replies of a connection is an RDMA_ERROR",
	  .apply = fault_rdma_error },
	{ .name = "call-by-chunk",
	  .values = "error|hang|close",
	  .value = "error",
	  .finding = "probe.call-by-chunk",
	  .description = "calls that the server has to fetch fail",
	  .apply = fault_call_by_chunk },
	{ .name = "write",
	  .values = FAULT_WRITE_VALUES,
	  .value = "tail",
	  .finding = "probe.write",
	  .description = "WRITEs over RDMA are stored or answered wrongly",
	  .apply = fault_write_reply },
	{ .name = "compound-tail",
	  .values = "lost|wrong",
	  .value = "lost",
	  .finding = "probe.read.compound",
	  .description = "NFSv4: operations that follow a Write-chunk READ in its COMPOUND fail",
	  .apply = fault_compound_tail },
	{ .name = "die",
	  .values = "write-chunk|reply-chunk|inline",
	  .value = "write-chunk",
	  .finding = "probe.server-gone",
	  .description = "the server exits on a READ of more than 812 bytes by that mechanism",
	  .apply = fault_die },
	{ .name = "restart",
	  .finding = "probe.server-gone",
	  .description =
		  "a Write-chunk READ of more than 812 bytes closes the connection; clients and file handles are forgotten",
	  .apply = fault_restart },
	{ .name = "foreign",
	  .values = "ganesha|unknown",
	  .value = "ganesha",
	  .finding = "probe.read.withheld",
	  .description =
		  "looks like nfs-ganesha, or like no known server, and exits on what can crash nfs-ganesha",
	  .apply = fault_foreign,
	  .prepare = fault_disguise },
	{ .name = "link-inline",
	  .finding = "probe.readlink.write-chunk",
	  .description =
		  "the text of a link is sent inline, but its Write chunk is returned as used",
	  .apply = fault_link_inline },
	{ .name = "linux-3",
	  .values = "plain|inline-head|page-base|pad-segment",
	  .value = "plain",
	  .finding = "bug.linux3-write",
	  .description =
		  "looks like the server of Linux 3.x, and has one of the defects of its READs",
	  .apply = fault_linux3 },
	{ .name = "nfs-second-read",
	  .values = "zeros|leftover",
	  .value = "zeros",
	  .finding = "probe.read.compound",
	  .description =
		  "NFSv4, over TCP too: wrong data for the second READ of a COMPOUND if the first does not end on a page",
	  .serve = fault_nfs_second_read },
	{ .name = "moved",
	  .finding = "probe.root",
	  .description = "NFSv4: the export is a referral (NFS4ERR_MOVED)",
	  .prepare = fault_moved },
	{ .name = "eof",
	  .values = "never|always",
	  .value = "never",
	  .finding = "probe.read.eof",
	  .description = "no READ says that it reached the end of the file, or each does",
	  .apply = fault_eof },
	{ .name = "read-attributes",
	  .values = "size|fileid",
	  .value = "size",
	  .finding = "probe.read.attributes",
	  .description =
		  "READs of NFSv3, and GETATTRs behind a READ in NFSv4, return half of the file's size, or another fileid",
	  .apply = fault_read_attributes },
	{ .name = "segments-refused",
	  .finding = "probe.read.write-chunk.segments",
	  .description = "a Write chunk of more than four segments is answered with RDMA_ERROR",
	  .apply = fault_segments_refused },
	{ .name = "groups",
	  .finding = "probe.versions",
	  .description = "credentials with more than eight groups are rejected",
	  .serve = fault_groups },
	{ .name = "nfs-read",
	  .values = "short|early-end|too-large|beyond-the-end|above-2-gib",
	  .value = "too-large",
	  .finding = "probe.read.over-tcp",
	  .description =
		  "over TCP too, READs return 64 KiB at most (early-end: and end the file there), or fail above 256 KiB, beyond the end of the file, or above 2 GiB",
	  .serve = fault_nfs_read },
	{ .name = "nfs-unaligned",
	  .finding = "probe.read.over-tcp",
	  .description = "zeros for READs at unaligned offsets, over TCP too",
	  .serve = fault_nfs_unaligned },
	{ .name = NULL },
};

/* Sets */

#define FAULT_COUNT (ARRAY_SIZE(fault_table) - 1)

struct fault_set {
	bool on[FAULT_COUNT];
	unsigned int value[FAULT_COUNT]; /* index into the row's values */
	struct fault_shared *shared;
};

struct fault_set *fault_set_new(void)
{
	struct fault_set *faults = calloc(1, sizeof(*faults));

	if (faults)
		faults->shared = fault_shared_new();
	if (faults && faults->shared)
		return faults;
	fault_set_free(faults);
	return NULL;
}

void fault_set_free(struct fault_set *faults)
{
	if (faults)
		fault_shared_free(faults->shared);
	free(faults);
}

struct fault_shared *fault_shared_of(const struct fault_set *faults)
{
	return faults->shared;
}

bool fault_set_empty(const struct fault_set *faults)
{
	unsigned int i;

	for (i = 0; faults && i < FAULT_COUNT; i++)
		if (faults->on[i])
			return false;
	return true;
}

static bool fault_word_is(const char *word, const char *text, size_t len)
{
	return strlen(word) == len && !strncmp(word, text, len);
}

/* Index of @word in "a|b|c", -1 if not found. */
static int fault_value_index(const char *values, const char *word)
{
	size_t len;
	int index;

	for (index = 0; *values; index++, values += len + (values[len] == '|')) {
		len = strcspn(values, "|");
		if (fault_word_is(word, values, len))
			return index;
	}
	return -1;
}

static int fault_unknown(const char *name, size_t len)
{
	char names[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < FAULT_COUNT && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 fault_table[i].name);
	return err_set(EINVAL, "unknown fault '%.*s'; known: %s", (int)min_u64(len, 64), name,
		       names);
}

/* Names from 0.1, kept for one more release: the bug they were named after is in a client. */
static const struct {
	const char *old, *name;
} fault_former_names[] = {
	{ "read-812", "write-chunk-over-812" },
	{ "read-812-later", "write-chunk-over-812-later" },
};

int fault_set_add(struct fault_set *faults, const char *spec)
{
	size_t name_len, len = strcspn(spec, "=");
	const char *name = spec, *value = spec[len] ? spec + len + 1 : NULL;
	const struct fault_row *row;
	unsigned int i;
	int index = 0;

	for (i = 0; i < ARRAY_SIZE(fault_former_names); i++)
		if (fault_word_is(fault_former_names[i].old, spec, len))
			name = fault_former_names[i].name;
	name_len = name == spec ? len : strlen(name);
	for (i = 0; i < FAULT_COUNT; i++)
		if (fault_word_is(fault_table[i].name, name, name_len))
			break;
	if (i == FAULT_COUNT)
		return fault_unknown(spec, len);
	row = &fault_table[i];
	if (value && !row->values)
		return err_set(EINVAL, "the fault %s takes no value", row->name);
	if (row->values)
		index = fault_value_index(row->values, value ? value : row->value);
	if (index < 0)
		return err_set(EINVAL, "fault %s: unknown value '%s'; known: %s", row->name, value,
			       row->values);
	faults->on[i] = true;
	faults->value[i] = (unsigned int)index;
	return 0;
}

bool fault_corrupts_crc(const struct fault_set *faults)
{
	unsigned int i;

	for (i = 0; faults && i < FAULT_COUNT; i++)
		if (faults->on[i] && !fault_table[i].apply && !fault_table[i].serve &&
		    !fault_table[i].prepare)
			return true;
	return false;
}

bool fault_is_linux3(const struct fault_set *faults)
{
	unsigned int i;

	for (i = 0; faults && i < FAULT_COUNT; i++)
		if (faults->on[i] && fault_table[i].apply == fault_linux3)
			return true;
	return false;
}

int fault_write_value(const struct fault_set *faults)
{
	unsigned int i;

	for (i = 0; faults && i < FAULT_COUNT; i++)
		if (faults->on[i] && fault_table[i].apply == fault_write_reply)
			return (int)faults->value[i];
	return -1;
}

void fault_prepare(const struct fault_set *faults, struct export *exp)
{
	unsigned int i;

	for (i = 0; faults && exp && i < FAULT_COUNT; i++)
		if (faults->on[i] && fault_table[i].prepare)
			fault_table[i].prepare(exp, faults->value[i]);
}

void fault_serve(const struct fault_set *faults, struct call *call)
{
	unsigned int i;

	for (i = 0; faults && i < FAULT_COUNT; i++)
		if (faults->on[i] && fault_table[i].serve)
			fault_table[i].serve(call, faults->value[i]);
}

void fault_apply(struct rdma_reply *reply)
{
	struct fault_state *state = &reply->session->faults;
	unsigned int i;

	state->replies++;
	for (i = 0; state->set && i < FAULT_COUNT; i++)
		if (state->set->on[i] && fault_table[i].apply)
			fault_table[i].apply(reply, state->set->value[i]);
}
