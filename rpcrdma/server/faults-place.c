/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The fault "misplaced": READs over RDMA return what is in another place. Counts and lengths are right. */
#include "rpcrdma/server/faults-place.h"

#define PAGE     4096u
#define FOUR_GIB (UINT64_C(1) << 32)

static struct payload *place_data(struct rdma_reply *reply)
{
	return &reply->payload[reply->read.payload];
}

/* Replaces the READ's data from byte @at on by those of the file @fh from @offset on. False: it has too few. */
static bool place_bytes(struct rdma_reply *reply, const struct nfs_fh *fh, uint32_t at,
			uint64_t offset)
{
	struct export *exp = reply->session->options->exp;
	struct payload *data = place_data(reply);
	uint8_t *buf = reply->session->faults.buf;
	struct export_read read = { .offset = offset,
				    .count = data->len - at,
				    .scratch = buf + at };

	if (exp->ops->read(exp, fh, &read) || read.len != data->len - at)
		return false;
	memmove(buf + at, read.data, read.len);
	memcpy(buf, data->data, at);
	data->data = buf;
	return true;
}

struct place_other {
	const struct nfs_fh * not ;
	struct nfs_fh fh;
};

/* The first other file that has data. */
static bool place_entry(void *arg, const struct export_entry *entry)
{
	struct place_other *other = arg;

	if (entry->attr.type != NFS_REG || !entry->attr.size ||
	    nfs_same_fh(&entry->fh, other->not ))
		return true;
	other->fh = entry->fh;
	return false;
}

static void place_other_file(struct rdma_reply *reply)
{
	struct export *exp = reply->session->options->exp;
	struct place_other other = { .not = &reply->read.fh };
	struct export_readdir list = { .handles = true, .fn = place_entry, .arg = &other };
	struct nfs_fh root;

	if (place_data(reply)->by_chunk && !exp->ops->root(exp, &root) &&
	    !exp->ops->readdir(exp, &root, &list) && other.fh.len)
		place_bytes(reply, &other.fh, 0, reply->read.offset);
}

/* Two pages before, or behind. */
static void place_other_offset(struct rdma_reply *reply)
{
	uint64_t offset = reply->read.offset;

	if (place_data(reply)->by_chunk)
		place_bytes(reply, &reply->read.fh, 0,
			    offset >= 2 * PAGE ? offset - 2 * PAGE : offset + 2 * PAGE);
}

/* The last page of the file has what the one before has. */
static void place_last_page(struct rdma_reply *reply)
{
	struct export *exp = reply->session->options->exp;
	uint64_t offset = reply->read.offset, last;
	struct nfs_attr attr;

	if (exp->ops->getattr(exp, &reply->read.fh, &attr) || attr.size <= PAGE)
		return;
	last = (attr.size - 1) / PAGE * PAGE;
	if (offset + place_data(reply)->len <= last)
		return;
	if (offset < last)
		place_bytes(reply, &reply->read.fh, (uint32_t)(last - offset), last - PAGE);
	else
		place_bytes(reply, &reply->read.fh, 0, offset - PAGE);
}

/* Of the offset only the lower 32 bits count. */
static void place_low_offset(struct rdma_reply *reply)
{
	uint64_t offset = reply->read.offset;

	if (offset + place_data(reply)->len <= FOUR_GIB)
		return;
	if (offset < FOUR_GIB)
		place_bytes(reply, &reply->read.fh, (uint32_t)(FOUR_GIB - offset), 0);
	else
		place_bytes(reply, &reply->read.fh, 0, offset & UINT32_MAX);
}

/* Linux before 5.10 gathered the pages of such replies wrongly. */
static void place_inline_unaligned(struct rdma_reply *reply)
{
	uint64_t offset = reply->read.offset;

	if (!place_data(reply)->by_chunk && !reply->message_by_chunk && offset % PAGE)
		place_bytes(reply, &reply->read.fh, 0, offset + PAGE);
}

void fault_misplaced(struct rdma_reply *reply, unsigned int value)
{
	static void (*const kinds[])(struct rdma_reply * reply) = {
		place_other_file, place_other_offset,     place_last_page,
		place_low_offset, place_inline_unaligned,
	};

	if (reply->read.served && reply->read.payload < reply->payload_count &&
	    place_data(reply)->len)
		kinds[value](reply);
}
