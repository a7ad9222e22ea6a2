/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Headers and bytes as text, for golden tests, debug output and the evidence of findings. Names
 * of fields and values are those of RFC 8166. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/wire/wire.h"

struct wire_text {
	char *buf;
	size_t cap;
	size_t len;
};

static void text_add(struct wire_text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void text_add(struct wire_text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->len + 1 >= t->cap)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->cap - t->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len += min_u64((size_t)n, t->cap - t->len - 1);
}

static const char *const proc_names[] = {
	[RDMA_MSG] = "RDMA_MSG",   [RDMA_NOMSG] = "RDMA_NOMSG", [RDMA_MSGP] = "RDMA_MSGP",
	[RDMA_DONE] = "RDMA_DONE", [RDMA_ERROR] = "RDMA_ERROR",
};

static void text_segment(struct wire_text *t, const struct rpcrdma_segment *s)
{
	text_add(t, "handle 0x%08x length %u offset 0x%016" PRIx64 "\n", s->handle, s->length,
		 s->offset);
}

static void text_chunk(struct wire_text *t, const char *name, const struct rpcrdma_header *h,
		       const struct rpcrdma_chunk *chunk)
{
	uint32_t i;

	text_add(t, "%s segments %u\n", name, chunk->count);
	for (i = 0; i < chunk->count; i++) {
		text_add(t, "  ");
		text_segment(t, &h->segments[chunk->first + i]);
	}
}

static void text_error(struct wire_text *t, const struct rpcrdma_header *h)
{
	if (h->rdma_err == ERR_VERS)
		text_add(t, "rdma_err ERR_VERS low %u high %u\n", h->rdma_vers_low,
			 h->rdma_vers_high);
	else if (h->rdma_err == ERR_CHUNK)
		text_add(t, "rdma_err ERR_CHUNK\n");
	else
		text_add(t, "rdma_err %u\n", h->rdma_err);
}

int header_text(const struct rpcrdma_header *h, char *buf, size_t cap)
{
	struct wire_text t = { .buf = buf, .cap = cap };
	uint32_t i;

	if (cap)
		buf[0] = '\0';
	text_add(&t, "rdma_xid 0x%08x\nrdma_vers %u\nrdma_credit %u\n", h->rdma_xid, h->rdma_vers,
		 h->rdma_credit);
	if (h->rdma_proc < ARRAY_SIZE(proc_names))
		text_add(&t, "rdma_proc %s\n", proc_names[h->rdma_proc]);
	else
		text_add(&t, "rdma_proc %u\n", h->rdma_proc);
	if (h->rdma_proc == RDMA_ERROR)
		text_error(&t, h);
	for (i = 0; i < h->read_count; i++) {
		text_add(&t, "read position %u ", h->read_position[i]);
		text_segment(&t, &h->segments[i]);
	}
	for (i = 0; i < h->write_count; i++)
		text_chunk(&t, "write", h, &h->write[i]);
	if (h->has_reply)
		text_chunk(&t, "reply", h, &h->reply);
	return (int)t.len;
}

void hex_text(const void *bytes, size_t len, char *buf, size_t cap)
{
	/* Two digits per byte, and a space before each group of four except the first. */
	size_t whole = len * 2 + (len ? (len - 1) / 4 : 0);
	struct wire_text t = { .buf = buf, .cap = cap };
	const uint8_t *p = bytes;
	size_t room = whole, i;

	if (!cap)
		return;
	buf[0] = '\0';
	/* Minus the dots for omitted bytes. */
	if (whole >= cap)
		room = cap > 3 ? cap - 4 : 0;
	for (i = 0; i < len; i++) {
		bool blank = i && i % 4 == 0;

		if (t.len + blank + 2 > room)
			break;
		text_add(&t, "%s%02x", blank ? " " : "", p[i]);
	}
	if (i < len)
		text_add(&t, "...");
}
