/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* CRC32c by tables, eight bytes a step ("slicing-by-8", Kounavis and Berry 2005), for builds
 * without ISA-L. The register is that of crc_more(). Bytes are combined by their place, so the byte
 * order of the host does not matter. */
#include <pthread.h>

#include "rpcrdma/transport/internal.h"

/* Castagnoli's polynomial, 0x1edc6f41, with its bits reversed. */
#define POLYNOMIAL 0x82f63b78u

/* [k][b]: what byte b does to the register when k more bytes follow. */
static uint32_t crc_table[8][256];

static void crc_table_fill(void)
{
	uint32_t b, crc;
	int k;

	for (b = 0; b < 256; b++) {
		crc = b;
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		crc_table[0][b] = crc;
	}
	for (k = 1; k < 8; k++)
		for (b = 0; b < 256; b++)
			crc_table[k][b] = crc_table[k - 1][b] >> 8 ^
					  crc_table[0][crc_table[k - 1][b] & 0xff];
}

static uint32_t crc_table_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t crc_table_step8(uint32_t state, const uint8_t *p)
{
	uint32_t low = state ^ crc_table_le32(p), high = crc_table_le32(p + 4);

	return crc_table[7][low & 0xff] ^ crc_table[6][low >> 8 & 0xff] ^
	       crc_table[5][low >> 16 & 0xff] ^ crc_table[4][low >> 24] ^
	       crc_table[3][high & 0xff] ^ crc_table[2][high >> 8 & 0xff] ^
	       crc_table[1][high >> 16 & 0xff] ^ crc_table[0][high >> 24];
}

uint32_t crc_table_more(uint32_t state, const void *bytes, size_t len)
{
	static pthread_once_t filled = PTHREAD_ONCE_INIT;
	const uint8_t *p = bytes;

	pthread_once(&filled, crc_table_fill);
	for (; len >= 8; len -= 8, p += 8)
		state = crc_table_step8(state, p);
	for (; len; len--, p++)
		state = state >> 8 ^ crc_table[0][(state ^ *p) & 0xff];
	return state;
}
