/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* CRC32c of MPA (RFC 5044 section 4.4) by ISA-L, in a build that has it. Only this file uses ISA-L,
 * whose crc32_iscsi() returns the raw register: the caller complements it before the first and
 * after the last byte. */
#include <limits.h>

#include <isa-l/crc.h>

#include "rpcrdma/transport/internal.h"

uint32_t crc_more(uint32_t state, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	/* The prototype lacks a const, and its length is an int. */
	for (; len > INT_MAX; len -= INT_MAX, p += INT_MAX)
		state = crc32_iscsi((unsigned char *)(uintptr_t)p, INT_MAX, state);
	return crc32_iscsi((unsigned char *)(uintptr_t)p, (int)len, state);
}
