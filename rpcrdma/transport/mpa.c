/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* MPA request and reply frames, RFC 5044 section 7.1 and, for revision 2 with its IRD and ORD,
 * RFC 6581 section 9. Pure: encodes and decodes; iwarp-handshake.c applies the values to a
 * connection. */
#include <assert.h>

#include "rpcrdma/transport/internal.h"

#define FLAG_MARKERS  0x80
#define FLAG_CRC      0x40
#define FLAG_REJECT   0x20
#define FLAG_ENHANCED 0x10

#define KEY_LEN      16
#define ENHANCED_LEN 4

/* The two upper bits of both words request peer-to-peer mode, RFC 6581 section 9.2. */
#define DEPTH_MASK 0x3fff

static const char *const mpa_keys[] = {
	[MPA_REQUEST] = "MPA ID Req Frame",
	[MPA_REPLY] = "MPA ID Rep Frame",
};

size_t mpa_encode(uint8_t buf[MPA_FRAME_MAX], enum mpa_kind kind, const struct mpa_frame *f)
{
	size_t block = f->enhanced ? ENHANCED_LEN : 0;

	assert(f->private_len <= MPA_PRIVATE_MAX - block);
	memcpy(buf, mpa_keys[kind], KEY_LEN);
	buf[16] = (f->markers ? FLAG_MARKERS : 0) | (f->crc ? FLAG_CRC : 0) |
		  (f->reject ? FLAG_REJECT : 0) | (f->enhanced ? FLAG_ENHANCED : 0);
	buf[17] = f->revision;
	put_be16(buf + 18, (uint16_t)(block + f->private_len));
	if (f->enhanced) {
		put_be16(buf + MPA_HEAD, f->ird & DEPTH_MASK);
		put_be16(buf + MPA_HEAD + 2, f->ord & DEPTH_MASK);
	}
	if (f->private_len)
		memcpy(buf + MPA_HEAD + block, f->private_data, f->private_len);
	return MPA_HEAD + block + f->private_len;
}

size_t mpa_missing(const uint8_t *buf, size_t len)
{
	if (len < MPA_HEAD)
		return MPA_HEAD - len;
	return MPA_HEAD + get_be16(buf + 18) - len;
}

int mpa_decode(struct mpa_frame *f, enum mpa_kind kind, const uint8_t *buf, size_t len)
{
	size_t data_len;

	if (memcmp(buf, mpa_keys[kind], len < KEY_LEN ? len : KEY_LEN) != 0)
		return err_set(EPROTONOSUPPORT, "no %s", mpa_keys[kind]);
	if (len < MPA_HEAD)
		return 0;
	data_len = get_be16(buf + 18);
	if (data_len > MPA_PRIVATE_MAX)
		return err_set(EPROTO, "%s claims %zu bytes of private data, %d at most",
			       mpa_keys[kind], data_len, MPA_PRIVATE_MAX);
	if ((buf[16] & FLAG_ENHANCED) && data_len < ENHANCED_LEN)
		return err_set(EPROTO, "%s has flag S and only %zu bytes for IRD and ORD",
			       mpa_keys[kind], data_len);
	if (len < MPA_HEAD + data_len)
		return 0;
	memset(f, 0, sizeof(*f));
	f->markers = buf[16] & FLAG_MARKERS;
	f->crc = buf[16] & FLAG_CRC;
	f->reject = buf[16] & FLAG_REJECT;
	f->enhanced = buf[16] & FLAG_ENHANCED;
	f->revision = buf[17];
	f->private_data = buf + MPA_HEAD;
	f->private_len = data_len;
	if (f->enhanced) {
		f->ird = get_be16(buf + MPA_HEAD) & DEPTH_MASK;
		f->ord = get_be16(buf + MPA_HEAD + 2) & DEPTH_MASK;
		f->private_data += ENHANCED_LEN;
		f->private_len -= ENHANCED_LEN;
	}
	return (int)(MPA_HEAD + data_len);
}
