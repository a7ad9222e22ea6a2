/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The properties that both sides exchange when they connect, RFC 8797 section 5: eight bytes in
 * the connection manager's (or MPA's) private data. */
#include "rpcrdma/wire/wire.h"

#define PRIVATE_MAGIC    0xf6ab0e18
#define PRIVATE_VERSION  1
#define PRIVATE_FLAG_R   0x01 /* the sender supports remote invalidation */
#define PRIVATE_UNIT     1024
#define PRIVATE_SIZE_MAX (256 * PRIVATE_UNIT)

/* Section 5.1: a size is encoded as its number of units minus one. */
static uint8_t private_encode_size(uint32_t bytes)
{
	if (bytes < PRIVATE_UNIT)
		return 0;
	return (uint8_t)(min_u32(bytes, PRIVATE_SIZE_MAX) / PRIVATE_UNIT - 1);
}

static uint32_t private_decode_size(uint8_t units)
{
	return (units + 1u) * PRIVATE_UNIT;
}

void private_encode(uint8_t buf[RPCRDMA_PRIVATE_LEN], const struct rpcrdma_private *p)
{
	put_be32(buf, PRIVATE_MAGIC);
	buf[4] = PRIVATE_VERSION;
	buf[5] = p->remote_invalidate ? PRIVATE_FLAG_R : 0;
	buf[6] = private_encode_size(p->send_size);
	buf[7] = private_encode_size(p->receive_size);
}

void private_decode(struct rpcrdma_private *p, const void *buf, size_t len)
{
	const uint8_t *b = buf;

	*p = (struct rpcrdma_private){ .send_size = RPCRDMA_INLINE_MIN,
				       .receive_size = RPCRDMA_INLINE_MIN };
	/* Section 5.2: other layers may have added bytes before it, and zeros after it. */
	while (len >= RPCRDMA_PRIVATE_LEN && get_be32(b) != PRIVATE_MAGIC) {
		b++;
		len--;
	}
	if (len < RPCRDMA_PRIVATE_LEN || b[4] != PRIVATE_VERSION)
		return;
	p->present = true;
	p->remote_invalidate = b[5] & PRIVATE_FLAG_R;
	p->send_size = private_decode_size(b[6]);
	p->receive_size = private_decode_size(b[7]);
}
