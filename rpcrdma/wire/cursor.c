/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The reader and the writer of all codecs: XDR (RFC 4506) in the caller's buffer, with its
 * bounds. After the first overrun a cursor stays bad, reads zeros and writes nothing, so that a
 * decoder checks only once, at the end. */
#include "rpcrdma/wire/wire.h"

/* Reader */

void reader_init(struct reader *r, const void *buf, size_t len)
{
	static const uint8_t nothing;

	/* An empty buffer may be NULL, and adding even 0 to NULL is undefined. */
	r->p = buf ? buf : &nothing;
	r->end = r->p + (buf ? len : 0);
	r->bad = false;
}

size_t reader_left(const struct reader *r)
{
	return r->bad ? 0 : (size_t)(r->end - r->p);
}

const uint8_t *reader_bytes(struct reader *r, size_t len)
{
	const uint8_t *p = r->p;

	if (r->bad || len > (size_t)(r->end - r->p)) {
		r->bad = true;
		return NULL;
	}
	r->p += len;
	return p;
}

uint32_t reader_u32(struct reader *r)
{
	const uint8_t *p = reader_bytes(r, 4);

	return p ? get_be32(p) : 0;
}

uint64_t reader_u64(struct reader *r)
{
	const uint8_t *p = reader_bytes(r, 8);

	return p ? get_be64(p) : 0;
}

bool reader_bool(struct reader *r)
{
	uint32_t v = reader_u32(r);

	if (v > 1)
		r->bad = true;
	return v == 1;
}

const uint8_t *reader_opaque(struct reader *r, size_t max, uint32_t *len)
{
	const uint8_t *p;

	*len = reader_u32(r);
	/* Check the length before rounding it up, which could wrap a hostile value. */
	p = *len <= max ? reader_bytes(r, *len) : NULL;
	if (!p || !reader_bytes(r, xdr_pad4(*len) - *len)) {
		r->bad = true;
		*len = 0;
		return NULL;
	}
	return p;
}

/* Writer */

void writer_init(struct writer *w, void *buf, size_t cap)
{
	w->base = buf;
	w->len = 0;
	w->cap = cap;
	w->bad = false;
}

uint8_t *writer_reserve(struct writer *w, size_t len)
{
	if (w->bad || len > w->cap - w->len) {
		w->bad = true;
		return NULL;
	}
	w->len += len;
	return w->base + w->len - len;
}

void writer_u32(struct writer *w, uint32_t v)
{
	uint8_t *p = writer_reserve(w, 4);

	if (p)
		put_be32(p, v);
}

void writer_u64(struct writer *w, uint64_t v)
{
	uint8_t *p = writer_reserve(w, 8);

	if (p)
		put_be64(p, v);
}

void writer_bool(struct writer *w, bool v)
{
	writer_u32(w, v);
}

void writer_bytes(struct writer *w, const void *buf, size_t len)
{
	uint8_t *p = writer_reserve(w, len);

	if (p && len)
		memcpy(p, buf, len);
}

void writer_opaque(struct writer *w, const void *buf, uint32_t len)
{
	static const uint8_t zeros[3];

	writer_u32(w, len);
	writer_bytes(w, buf, len);
	writer_bytes(w, zeros, (4 - len % 4) % 4);
}
