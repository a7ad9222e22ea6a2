/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* CRC32c of MPA (RFC 5044 section 4.4) in a build without ISA-L. */
#include "rpcrdma/transport/internal.h"

uint32_t crc_more(uint32_t state, const void *bytes, size_t len)
{
	return crc_table_more(state, bytes, len);
}
