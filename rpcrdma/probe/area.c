/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Memory for chunks. Every segment lies between canaries. The segments and the canaries are
 * filled with words that depend on their position and on a salt. So a byte that was never
 * written, written twice, or written to the wrong place differs from a correct one. */
#include "rpcrdma/probe/internal.h"

/* A little over a page, so that a write that is a page off hits a canary of its own segment. */
#define CANARY 4160

/* One round of splitmix64: positions differ from each other and from a file's content. */
static uint64_t area_fill_word(uint64_t salt, size_t index)
{
	uint64_t z = salt + (index + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	return z ^ (z >> 27);
}

static uint8_t area_fill_byte(const struct area *a, size_t at)
{
	uint64_t word = area_fill_word(a->salt, at / 8);
	uint8_t bytes[8];

	memcpy(bytes, &word, sizeof(word));
	return bytes[at % 8];
}

/* Index of the first byte in [from, to) that is not the prefill, or @to. */
static size_t area_touched_in(const struct area *a, size_t from, size_t to)
{
	while (from < to) {
		uint64_t word, want;

		if (from % 8 == 0 && to - from >= 8) {
			want = area_fill_word(a->salt, from / 8);
			memcpy(&word, a->mem + from, sizeof(word));
			if (word == want) {
				from += 8;
				continue;
			}
		}
		if (a->mem[from] != area_fill_byte(a, from))
			return from;
		from++;
	}
	return to;
}

int area_init(struct area *a, const uint32_t *lengths, unsigned int n)
{
	size_t at = CANARY, i;
	unsigned int s;

	memset(a, 0, sizeof(*a));
	a->size = CANARY;
	for (s = 0; s < n; s++)
		a->size += lengths[s] + CANARY;
	a->size = (a->size + 7) & ~(size_t)7;
	a->mem = malloc(a->size);
	if (!a->mem)
		return err_context(err_no_memory(), "%zu bytes of chunks", a->size);
	a->salt = now_ns();
	a->nsegs = n;
	for (i = 0; i < a->size / 8; i++) {
		uint64_t word = area_fill_word(a->salt, i);

		memcpy(a->mem + i * 8, &word, sizeof(word));
	}
	for (s = 0; s < n; s++) {
		a->segs[s].base = a->mem + at;
		a->segs[s].length = lengths[s];
		at += lengths[s] + CANARY;
	}
	return 0;
}

void area_fini(struct area *a)
{
	free(a->mem);
	a->mem = NULL;
	a->nsegs = 0;
}

static size_t area_seg_start(const struct area *a, unsigned int s)
{
	return (size_t)((const uint8_t *)a->segs[s].base - a->mem);
}

static size_t area_touched_count(const struct area *a, size_t from, size_t to)
{
	size_t n = 0;

	for (from = area_touched_in(a, from, to); from < to;
	     from = area_touched_in(a, from + 1, to))
		n++;
	return n;
}

size_t area_canaries_hurt(const struct area *a)
{
	size_t hurt = 0, from = 0;
	unsigned int s;

	for (s = 0; s < a->nsegs; s++) {
		hurt += area_touched_count(a, from, area_seg_start(a, s));
		from = area_seg_start(a, s) + a->segs[s].length;
	}
	return hurt + area_touched_count(a, from, a->size);
}

int64_t area_first_touched(const struct area *a, size_t from)
{
	size_t before = 0, start, hit;
	unsigned int s;

	for (s = 0; s < a->nsegs; s++) {
		size_t len = a->segs[s].length;

		if (from < before + len) {
			start = area_seg_start(a, s);
			hit = area_touched_in(a, start + (from > before ? from - before : 0),
					      start + len);
			if (hit < start + len)
				return (int64_t)(before + hit - start);
		}
		before += len;
	}
	return -1;
}

bool area_is_prefill(const struct area *a, size_t at)
{
	unsigned int s;
	size_t pos;

	for (s = 0; s < a->nsegs; s++) {
		if (at < a->segs[s].length) {
			pos = area_seg_start(a, s) + at;
			return a->mem[pos] == area_fill_byte(a, pos);
		}
		at -= a->segs[s].length;
	}
	return false;
}

void area_copy(const struct area *a, uint8_t *buf, size_t len)
{
	size_t done = 0, n;
	unsigned int s;

	for (s = 0; s < a->nsegs && done < len; s++, done += n) {
		n = min_u64(a->segs[s].length, len - done);
		memcpy(buf + done, a->segs[s].base, n);
	}
	memset(buf + done, 0, len - done);
}

/* Index of the first of @len bytes that differs, or @len. Reads each byte of the area once: an
 * adapter may still write there, so a second read could see another value. */
static size_t area_span_difference(const uint8_t *got, const uint8_t *want, size_t len)
{
	size_t at = 0, i;

	while (at < len) {
		size_t n = len - at < 8 ? len - at : 8;
		uint8_t word[8];

		memcpy(word, got + at, n);
		if (memcmp(word, want + at, n)) {
			for (i = 0; i < n && word[i] == want[at + i];)
				i++;
			return at + i;
		}
		at += n;
	}
	return len;
}

int64_t area_first_difference(const struct area *a, const uint8_t *want, size_t len)
{
	size_t before = 0, at;
	unsigned int s;

	for (s = 0; s < a->nsegs && before < len; s++) {
		size_t n = a->segs[s].length;

		n = n < len - before ? n : len - before;
		at = area_span_difference(a->segs[s].base, want + before, n);
		if (at < n)
			return (int64_t)(before + at);
		before += n;
	}
	return before < len ? (int64_t)before : -1;
}
