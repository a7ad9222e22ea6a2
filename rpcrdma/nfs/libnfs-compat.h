/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libnfs's raw headers beside ours. Both take their names from the same RFCs: libnfs-zdr.h has an
 * enumerator RPC_MISMATCH too (the same 0), and libnfs-raw-nfs.h defines NFS3_NULL and its
 * sisters as macros, which would break our enum if it were included after them. So this header
 * includes both, ours first. libnfs-raw.h needs libnfs.h for EXTERN and rpc_cb. libnfs-raw-nfs4.h
 * has every name of our nfs4.h, so nothing here may include that. */
#ifndef RPCRDMA_NFS_LIBNFS_COMPAT_H
#define RPCRDMA_NFS_LIBNFS_COMPAT_H

#include "rpcrdma/nfs/nfs.h"

#define RPC_MISMATCH LIBNFS_RPC_MISMATCH
#include <nfsc/libnfs-zdr.h>
#undef RPC_MISMATCH

#include <nfsc/libnfs.h>
#include <nfsc/libnfs-raw.h>
#include <nfsc/libnfs-raw-mount.h>
#include <nfsc/libnfs-raw-nfs.h>
#include <nfsc/libnfs-raw-nfs4.h>

#endif
