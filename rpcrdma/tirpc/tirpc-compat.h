/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libtirpc's headers and ours in one file. Both name enumerators as RFC 5531 does; of those that
 * clash, which have the same values, the ones of wire.h are renamed. nfs.h has a pmap_getport()
 * of its own; neither is called here. */
#ifndef RPCRDMA_TIRPC_COMPAT_H
#define RPCRDMA_TIRPC_COMPAT_H

#define RPC_SUCCESS  WIRE_RPC_SUCCESS
#define RPC_MISMATCH WIRE_RPC_MISMATCH
#include "rpcrdma/wire/wire.h"
#undef RPC_SUCCESS
#undef RPC_MISMATCH

#define pmap_getport tirpc_pmap_getport
#include <rpc/rpc.h>
#undef pmap_getport

#endif
