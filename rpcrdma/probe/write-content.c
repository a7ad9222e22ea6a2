/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What WRITEs store, and how the stored bytes differ from it. Each word says its offset and the
 * number of its WRITE, so that moved data and data of an earlier WRITE are recognised. Pure. */
#include <stdio.h>

#include "rpcrdma/probe/write-internal.h"

#define PAGE 4096u
/* Bytes that are looked at: a whole word, wherever words begin. */
#define KNOWN 15u
/* Offsets up to 8 TiB, in words; and 2^24 WRITEs. */
#define GENERATION_BITS 24
#define GENERATIONS     (1u << GENERATION_BITS)
/* Spreads offset and generation over the word: odd, and its inverse modulo 2^64. */
#define SPREAD   UINT64_C(0x9e3779b97f4a7c15)
#define UNSPREAD UINT64_C(0xf1de83e19937733d)

void write_content(uint8_t *buf, uint64_t offset, size_t len, uint32_t generation, uint64_t key)
{
	uint8_t word[8];
	size_t i;

	for (i = 0; i < len; i++) {
		if (!i || !((offset + i) & 7))
			put_be64(word, (((offset + i) / 8 << GENERATION_BITS |
					 (generation & (GENERATIONS - 1))) *
					SPREAD) ^
					       key);
		buf[i] = word[(offset + i) & 7];
	}
}

/* Whether a word begins at one of the first eight of @p: which one. The chance of others is 2^-20. */
static bool content_is_known(const uint8_t *p, const struct write_view *v, uint64_t *offset,
			     uint32_t *generation)
{
	uint64_t value;
	uint32_t i;

	for (i = 0; i < 8; i++) {
		value = (get_be64(p + i) ^ v->key) * UNSPREAD;
		*generation = (uint32_t)(value & (GENERATIONS - 1));
		*offset = (value >> GENERATION_BITS) * 8 - i;
		if (*generation && *generation <= v->last && value >> GENERATION_BITS <= v->words)
			return true;
	}
	return false;
}

void write_open_take(const struct write_open *open, uint64_t key, uint8_t *want, const uint8_t *got,
		     uint64_t base, uint32_t len)
{
	const uint64_t from = open->offset > base ? open->offset : base;
	const uint64_t end = min_u64(open->offset + open->count, base + len);
	uint8_t byte;
	uint64_t at;

	for (at = from; at < end; at++) {
		if (got[at - base] == want[at - base])
			continue;
		byte = 0;
		if (open->generation)
			write_content(&byte, at, 1, open->generation, key);
		if (got[at - base] == byte)
			want[at - base] = byte;
	}
}

static uint32_t first_difference(const uint8_t *a, const uint8_t *b, uint32_t from, uint32_t end)
{
	while (from < end && a[from] == b[from])
		from++;
	return from;
}

static bool is_all(const uint8_t *p, uint32_t len, uint8_t value)
{
	while (len && *p == value)
		p++, len--;
	return !len;
}

struct write_place {
	uint32_t start, end; /* the WRITE's range in the window */
	uint32_t at;         /* the first wrong byte */
	uint32_t n;          /* from there to the last wrong one, within KNOWN */
};

static void place_set(struct write_place *w, const struct write_view *v, uint32_t at, uint32_t end)
{
	uint32_t most = min_u32(end - at, KNOWN), i;

	w->at = at;
	w->n = 0;
	for (i = 0; i < most; i++)
		if (v->got[at + i] != v->want[at + i])
			w->n = i + 1;
}

/* Bytes outside of the range. */
static enum write_damage damage_outside(const struct write_view *v, const struct write_place *w,
					char *text, size_t cap)
{
	uint32_t end = first_difference(v->got, v->want, w->end, v->len), last = end;
	uint32_t before = first_difference(v->got, v->want, 0, w->start);
	uint32_t at = before < w->start ? before : end;

	if (at == v->len)
		return WRITE_INTACT;
	while (last < v->len && v->got[last] != v->want[last])
		last++;
	if (before == w->start && last <= xdr_pad4(v->count) + w->start &&
	    is_all(v->got + end, last - end, 0) &&
	    first_difference(v->got, v->want, last, v->len) == v->len) {
		snprintf(text, cap, "%u zero bytes of padding were stored after the data",
			 last - w->end);
		return WRITE_PADDED;
	}
	snprintf(text, cap, "bytes at offset %llu were changed, outside of the WRITE",
		 (unsigned long long)(v->base + at));
	return WRITE_NEIGHBOUR;
}

/* Data of this WRITE, or of an earlier one, at another place. */
static enum write_damage damage_moved(const struct write_view *v, const struct write_place *w,
				      char *text, size_t cap)
{
	const uint64_t at = v->base + w->at;
	uint32_t generation;
	uint64_t from;

	if (w->at + KNOWN > v->len || !content_is_known(v->got + w->at, v, &from, &generation) ||
	    (from == at && generation != v->generation))
		return WRITE_INTACT;
	if (generation != v->generation) {
		snprintf(text, cap, "at offset %llu is data of %s WRITE, of offset %llu",
			 (unsigned long long)at,
			 v->generation && generation > v->generation ? "another" : "an earlier",
			 (unsigned long long)from);
		return WRITE_EARLIER;
	}
	snprintf(text, cap, "at offset %llu is the data of offset %llu", (unsigned long long)at,
		 (unsigned long long)from);
	return w->at >= w->start + PAGE && from < v->offset + PAGE && (at - from) % PAGE == 0
		       ? WRITE_REPEATED
		       : WRITE_MOVED;
}

static enum write_damage damage_inside(const struct write_view *v, const struct write_place *w,
				       char *text, size_t cap)
{
	unsigned long long at = v->base + w->at;
	enum write_damage moved;

	if (w->at > w->start && w->end - w->at == v->count % 4) {
		snprintf(text, cap, "the last %u of %u bytes are not stored", w->end - w->at,
			 v->count);
		return WRITE_TAIL;
	}
	moved = damage_moved(v, w, text, cap);
	if (moved != WRITE_INTACT)
		return moved;
	if (!memcmp(v->got + w->at, v->before + w->at, w->n)) {
		snprintf(text, cap, "from offset %llu on, byte %u of %u, the data is not stored",
			 at, w->at - w->start, v->count);
		return WRITE_NOT_STORED;
	}
	if (is_all(v->got + w->at, w->n, WRITE_AFTER)) {
		snprintf(
			text, cap,
			"from offset %llu on, byte %u of %u, the client's memory of after the reply is stored",
			at, w->at - w->start, v->count);
		return WRITE_AFTERS;
	}
	if (is_all(v->got + w->at, w->n, 0)) {
		snprintf(text, cap, "from offset %llu on, byte %u of %u, zeros are stored", at,
			 w->at - w->start, v->count);
		return WRITE_ZEROS;
	}
	snprintf(text, cap, "from offset %llu on, byte %u of %u, other data is stored", at,
		 w->at - w->start, v->count);
	return WRITE_FOREIGN;
}

enum write_damage write_damage_of(const struct write_view *v, char *text, size_t cap)
{
	struct write_place w = { .start = (uint32_t)(v->offset - v->base) };
	enum write_damage moved;
	uint32_t at, before;

	w.end = w.start + v->count;
	at = first_difference(v->got, v->want, w.start, w.end);
	if (at == w.end)
		return damage_outside(v, &w, text, cap);
	/* Stored before its range. */
	before = first_difference(v->got, v->want, 0, w.start);
	if (before < w.start) {
		place_set(&w, v, before, v->len);
		moved = damage_moved(v, &w, text, cap);
		if (moved != WRITE_INTACT)
			return moved;
	}
	place_set(&w, v, at, w.end);
	return damage_inside(v, &w, text, cap);
}

const char *write_damage_reason(enum write_damage damage)
{
	static const char *const reasons[WRITE_DAMAGES] = {
		[WRITE_PADDED] = "pad",       [WRITE_NEIGHBOUR] = "neighbour",
		[WRITE_TAIL] = "tail",        [WRITE_NOT_STORED] = "not-stored",
		[WRITE_ZEROS] = "zeros",      [WRITE_REPEATED] = "repeated-page",
		[WRITE_MOVED] = "moved",      [WRITE_EARLIER] = "earlier-data",
		[WRITE_AFTERS] = "late-read", [WRITE_FOREIGN] = "wrong-data",
	};

	return reasons[damage];
}
