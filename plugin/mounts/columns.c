/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The columns of "xprt: rdma" in /proc/self/mountstats: xprt_rdma_print_stats() in
 * net/sunrpc/xprtrdma/transport.c. Older kernels print fewer of them, in the same order. The names
 * are those of nfs-utils' mountstats. */
#include "plugin/mounts/internal.h"

/* clang-format off */
const struct xprt_column_row xprt_columns[XPRT_COLUMNS] = {
	{ "port", false, "always 0" },
	{ "bind_count", true, "rpcbind queries; RDMA makes none" },
	{ "connect_count", true, "connections made" },
	{ "connect_time", true, "seconds spent connecting" },
	{ "idle_time", false, "seconds since the last use; 0 if not connected" },
	{ "sends", true, "calls sent" },
	{ "recvs", true, "replies received" },
	{ "bad_xids", true, "replies to unknown calls" },
	{ "req_u", true, "calls in flight, summed at each call" },
	{ "bklog_u", true, "calls in the backlog, summed at each call" },
	{ "read_chunk_count", true, "segments offered for the server's RDMA Read" },
	{ "write_chunk_count", true, "segments offered for the server's RDMA Write of data" },
	{ "reply_chunk_count", true, "segments offered for long replies" },
	{ "total_rdma_request", true, "bytes offered for RDMA Write" },
	{ "total_rdma_reply", true, "bytes the server wrote there" },
	{ "pullup_copy_count", true, "bytes copied for inline sends" },
	{ "fixup_copy_count", true, "bytes copied out of inline replies" },
	{ "hardway_register_count", true, "bytes of buffers that were reallocated" },
	{ "failed_marshal_count", true, "calls that could not be sent, or waited for memory regions" },
	{ "bad_reply_count", true, "malformed replies" },
	{ "nomsg_call_count", true, "long calls that the server reads by RDMA" },
	{ "mrs_recycled", true, "memory regions recycled after an error" },
	{ "mrs_orphaned", true, "memory regions orphaned" },
	{ "mrs_allocated", true, "memory regions allocated" },
	{ "local_inv_needed", true, "replies whose regions were invalidated locally" },
	{ "empty_sendctx_q", true, "calls that waited for the send queue" },
	{ "reply_waits_for_send", true, "replies that arrived before their send completed" },
};
/* clang-format on */
