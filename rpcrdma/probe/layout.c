/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How the memory of a chunk is cut into segments. Pure.
 *
 * A READ of an odd length has up to three bytes of XDR padding, which no server may write into a
 * Write chunk (RFC 8166 section 3.4.6.2). Linux servers before 3.18 do so. Linux clients
 * therefore add a segment for the pad where the server sent no private data of RFC 8797, and none
 * where it did (re_implicit_roundup in xprtrdma/verbs.c); those of 3.x always add one. A chunk
 * with no room for the pad, towards a server without private data, would be stricter than any
 * client. */
#include "rpcrdma/probe/internal.h"

/* Unequal and odd lengths; the last takes the rest. They reveal a length that is not carried over
 * a segment boundary. */
static unsigned int layout_cut_pieces(uint32_t count, unsigned int pieces, uint32_t *lengths)
{
	static const uint32_t odd[] = { 1, 3, 4095, 4097, 7, 517, 5, 1021 };
	unsigned int i;

	for (i = 0; i + 1 < pieces; i++) {
		uint32_t n = odd[i % ARRAY_SIZE(odd)];

		if (n >= count)
			break;
		lengths[i] = n;
		count -= n;
	}
	lengths[i] = count;
	return i + 1;
}

static bool layout_wants_pad(const struct read_case *c, bool implicit_roundup)
{
	if (c->mechanism != MECH_WRITE_CHUNK || c->count % 4 == 0)
		return false;
	if (c->layout == LAYOUT_PAD_SEGMENT)
		return true;
	return !implicit_roundup && (c->layout == LAYOUT_LINUX || c->layout == LAYOUT_PIECES);
}

unsigned int layout_cut(const struct read_case *c, uint32_t reply_bytes, bool implicit_roundup,
			uint32_t *lengths)
{
	uint32_t rounded = (uint32_t)xdr_pad4(c->count);
	/* Some servers refuse a segment of no bytes: an empty READ gets a word. */
	uint32_t count = c->count ? c->count : 4;
	bool pad = layout_wants_pad(c, implicit_roundup);
	unsigned int n = 1;

	if (c->mechanism == MECH_INLINE)
		return 0;
	if (c->mechanism == MECH_REPLY_CHUNK)
		count = reply_bytes + rounded;
	else if (c->layout == LAYOUT_ROUNDED)
		count = (uint32_t)xdr_pad4(count);
	else if (c->layout == LAYOUT_LARGER)
		count += 516;
	lengths[0] = count;
	if (c->layout == LAYOUT_PIECES)
		n = layout_cut_pieces(count, min_u32(c->pieces, AREA_SEGMENTS - pad), lengths);
	if (pad)
		lengths[n++] = rounded - c->count;
	return n;
}
