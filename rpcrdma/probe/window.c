/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The true bytes of a file. The reference is NFS over TCP if available, otherwise short READs
 * inline over RDMA, which need no chunk and so nothing that is under test.
 *
 * On a hypervisor's export files are live disks. A difference counts only if the reference is the
 * same before and after it, and size, mtime and ctime are unchanged. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

static ssize_t window_inline_piece(struct probe *p, const struct nfs_fh *fh, uint64_t offset,
				   uint32_t count, uint8_t *buf)
{
	struct operation op;
	uint32_t len;
	int rc;

	operation_init(&op, NFS_OP_READ, fh);
	op.request.offset = offset;
	op.request.count = count;
	rc = operation_check(p->version, &op, operation_run(p, &op));
	len = op.result.read.len;
	if (!rc && (len > count || op.result.read_count != len))
		rc = err_set(EBADMSG, "%u bytes returned, %u requested", len, count);
	if (!rc && len)
		memcpy(buf, op.result.read.bytes, len);
	operation_fini(p, &op);
	return rc ? rc : (ssize_t)len;
}

static ssize_t window_reference_piece(struct probe *p, const struct nfs_fh *fh, uint64_t offset,
				      uint32_t count, uint8_t *buf)
{
	struct reference_io io = { .fh = *fh, .offset = offset, .count = count, .buf = buf };
	uint64_t deadline;
	ssize_t n;

	probe_step(p, "the reply to a READ over TCP");
	/* A filtered port must not use up the time of steps that can do without it. */
	deadline = deadline_min(session_tcp_deadline(p, count),
				deadline_in((unsigned int)deadline_left(p->deadline) / 4));
	n = reference_read(p->tcp.reference, &io, deadline);
	if (n >= 0 && io.status)
		return err_set(EIO, "%s", p->version->status_text(io.status));
	return n;
}

/* The reference is gone: report the reason once and continue without it. */
static void window_reference_lost(struct probe *p, int rc)
{
	struct tcp_paths *tcp = &p->tcp;

	tcp->reference_died = rc == -EPIPE;
	/* The server may have crashed. */
	if (rc == -EIO)
		liveness_suspect(&p->liveness, NULL, NULL);
	snprintf(tcp->reference_why, sizeof(tcp->reference_why), "%.255s", err_text());
	reference_close(tcp->reference);
	tcp->reference = NULL;
}

int window_bytes(struct probe *p, const struct nfs_fh *fh, uint64_t offset, uint32_t len,
		 uint8_t *buf)
{
	uint32_t done = 0;
	ssize_t n;

	while (done < len) {
		if (p->tcp.reference)
			n = window_reference_piece(p, fh, offset + done,
						   min_u32(len - done, p->limits.rtmax),
						   buf + done);
		else
			n = window_inline_piece(p, fh, offset + done,
						min_u32(len - done, WINDOW_PIECE), buf + done);
		if (n < 0 && p->tcp.reference && deadline_left(p->deadline)) {
			window_reference_lost(p, (int)n);
			continue;
		}
		if (n < 0)
			return (int)n;
		if (!n)
			return err_set(ENODATA, "the file ended at %llu",
				       (unsigned long long)(offset + done));
		done += (uint32_t)n;
	}
	return 0;
}

int window_open(struct probe *p, struct window *w, const struct probe_file *file, uint64_t base,
		uint32_t len)
{
	int rc;

	memset(w, 0, sizeof(*w));
	w->file = file;
	w->base = base;
	rc = operation_getattr(p, &file->fh, &w->attr);
	if (rc)
		return err_context(rc, "reference of %s", file->path);
	w->len = base < w->attr.size ? (uint32_t)min_u64(len, w->attr.size - base) : 0;
	w->bytes = malloc(w->len ? w->len : 1);
	if (!w->bytes)
		return err_context(err_no_memory(), "%u bytes of reference", w->len);
	rc = window_bytes(p, &file->fh, base, w->len, w->bytes);
	if (rc) {
		window_close(w);
		return err_context(rc, "reference of %s", file->path);
	}
	return 0;
}

void window_close(struct window *w)
{
	free(w->bytes);
	w->bytes = NULL;
	w->len = 0;
}

/* Compares only the attributes. */
static enum window_change window_attr_again(struct probe *p, const struct window *w)
{
	const struct nfs_attr *old = &w->attr;
	struct nfs_attr attr;
	int rc = operation_getattr(p, &w->file->fh, &attr);

	if (rc && (rc != -ESTALE || liveness_check_root(p)))
		return WINDOW_UNKNOWN;
	/* A file that was replaced by another of the same name changed too. */
	if (rc || attr.size != old->size || !nfs_same_time(&attr.mtime, &old->mtime) ||
	    !nfs_same_time(&attr.ctime, &old->ctime))
		return WINDOW_CHANGED;
	return WINDOW_SAME;
}

/* Reads the window's pieces that contain the range again, in the same way as at first. */
static enum window_change window_pieces_again(struct probe *p, const struct window *w, uint64_t at,
					      uint32_t count)
{
	_cleanup_free_ uint8_t *again = malloc(p->limits.rtmax);
	uint64_t end = at + count;
	uint32_t n;

	if (!again)
		return WINDOW_UNKNOWN;
	for (at -= at % p->limits.rtmax; at < end; at += n) {
		n = (uint32_t)min_u64(p->limits.rtmax, w->len - at);
		if (window_bytes(p, &w->file->fh, w->base + at, n, again))
			return WINDOW_UNKNOWN;
		if (memcmp(again, w->bytes + at, n))
			return WINDOW_CHANGED;
	}
	return WINDOW_SAME;
}

static enum window_change window_bytes_again(struct probe *p, const struct window *w,
					     uint64_t offset, uint32_t count)
{
	_cleanup_free_ uint8_t *again = NULL;
	uint64_t at = offset - w->base;

	if (offset < w->base || offset >= w->base + w->len)
		return WINDOW_SAME;
	count = (uint32_t)min_u64(count, w->len - at);
	again = malloc(count ? count : 1);
	if (!again || window_bytes(p, &w->file->fh, offset, count, again))
		return WINDOW_UNKNOWN;
	if (!memcmp(again, w->bytes + at, count))
		return WINDOW_SAME;
	/* Alternatively, the server returns other bytes for it than for the READ that it was a
	 * part of. */
	return p->tcp.reference ? window_pieces_again(p, w, at, count) : WINDOW_CHANGED;
}

enum window_change window_again(struct probe *p, struct window *w, uint64_t offset, uint32_t count)
{
	enum window_change change = w->changing ? WINDOW_CHANGED : window_attr_again(p, w);

	if (change == WINDOW_SAME)
		change = window_bytes_again(p, w, offset, count);
	/* A write between the two reads shows in the times. */
	if (change == WINDOW_SAME)
		change = window_attr_again(p, w);
	w->changing = change == WINDOW_CHANGED;
	return change;
}

void window_judge(struct read_outcome *outcome, enum window_change change)
{
	enum read_kind kind = outcome->kind;

	if (change == WINDOW_CHANGED)
		outcome->kind = READ_CHANGING;
	/* A change of the file's content would explain only these. */
	if (change != WINDOW_UNKNOWN || (kind != READ_DATA && kind != READ_STALE &&
					 kind != READ_SHORT && kind != READ_FOLLOWING))
		return;
	outcome->kind = READ_NOT_RUN;
	snprintf(outcome->text, sizeof(outcome->text), "cannot tell whether the file had changed");
}
