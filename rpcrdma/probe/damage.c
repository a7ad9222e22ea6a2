/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How the bytes returned by a READ differ from the file's. Pure. A flipped bit indicates memory
 * or a wire; a page of zeros indicates software. */
#include "rpcrdma/probe/internal.h"

#define PAGE 4096
#define WORD 8

/* Bytes of the piece of @len from @offset on that are in one unit of @size with its first. */
static size_t damage_unit(uint64_t offset, size_t len, size_t size)
{
	return (size_t)min_u64(len, size - offset % size);
}

/* Adds one page. Some bytes of most files are zero, so whole words are counted. */
static void damage_add_page(struct damage *d, uint64_t offset, const uint8_t *got,
			    const uint8_t *want, size_t len)
{
	unsigned int words = 0, wrong = 0;
	size_t at, i, n;

	for (at = 0; at < len; at += n) {
		n = damage_unit(offset + at, len - at, WORD);
		words++;
		if (!memcmp(got + at, want + at, n))
			continue;
		wrong++;
		for (i = at; i < at + n; i++) {
			d->bytes += got[i] != want[i];
			d->bits += (uint32_t)__builtin_popcount(got[i] ^ want[i]);
		}
	}
	d->pages += wrong > 0;
	d->whole_pages += wrong && wrong * 2 >= words;
}

/* @got and @want differ. */
static size_t damage_first(const uint8_t *got, const uint8_t *want)
{
	size_t i = 0;

	while (got[i] == want[i])
		i++;
	return i;
}

void damage_count(struct damage *d, uint64_t offset, const uint8_t *got, const uint8_t *want,
		  size_t len)
{
	size_t at, n;

	*d = (struct damage){ 0 };
	for (at = 0; at < len; at += n) {
		n = damage_unit(offset + at, len - at, PAGE);
		if (!d->bytes && memcmp(got + at, want + at, n) != 0)
			d->first = (uint32_t)(at + damage_first(got + at, want + at));
		damage_add_page(d, offset + at, got + at, want + at, n);
	}
}

enum damage_kind damage_kind(const struct damage *d)
{
	if (!d->bytes)
		return DAMAGE_NONE;
	if (d->bits == 1)
		return DAMAGE_BIT;
	return d->whole_pages == d->pages ? DAMAGE_PAGES : DAMAGE_BYTES;
}
