/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The columns of "xprt: rdma" in /proc/self/mountstats: xprt_rdma_print_stats() in
 * net/sunrpc/xprtrdma/transport.c. Older kernels print fewer of them, in the same order. The names
 * are those of nfs-utils' mountstats; what each counts is the help of its metric
 * (plugin/report/metric-list.h). The port is always 0. */
#include "plugin/mounts/internal.h"

/* clang-format off */
const struct xprt_column_row xprt_columns[XPRT_COLUMNS] = {
	{ "port", false, METRIC_COUNT },
	{ "bind_count", true, METRIC_XPRT_BIND },
	{ "connect_count", true, METRIC_XPRT_CONNECT },
	{ "connect_time", true, METRIC_XPRT_CONNECT_TIME },
	{ "idle_time", false, METRIC_XPRT_IDLE },
	{ "sends", true, METRIC_XPRT_SENDS },
	{ "recvs", true, METRIC_XPRT_RECVS },
	{ "bad_xids", true, METRIC_XPRT_BAD_XIDS },
	{ "req_u", true, METRIC_XPRT_ACTIVE },
	{ "bklog_u", true, METRIC_XPRT_BACKLOG },
	{ "read_chunk_count", true, METRIC_XPRT_READ_CHUNKS },
	{ "write_chunk_count", true, METRIC_XPRT_WRITE_CHUNKS },
	{ "reply_chunk_count", true, METRIC_XPRT_REPLY_CHUNKS },
	{ "total_rdma_request", true, METRIC_XPRT_REQUEST_BYTES },
	{ "total_rdma_reply", true, METRIC_XPRT_REPLY_BYTES },
	{ "pullup_copy_count", true, METRIC_XPRT_PULLUP },
	{ "fixup_copy_count", true, METRIC_XPRT_FIXUP },
	{ "hardway_register_count", true, METRIC_XPRT_HARDWAY },
	{ "failed_marshal_count", true, METRIC_XPRT_FAILED_MARSHALS },
	{ "bad_reply_count", true, METRIC_XPRT_BAD_REPLIES },
	{ "nomsg_call_count", true, METRIC_XPRT_NOMSG_CALLS },
	{ "mrs_recycled", true, METRIC_XPRT_MRS_RECYCLED },
	{ "mrs_orphaned", true, METRIC_XPRT_MRS_ORPHANED },
	{ "mrs_allocated", true, METRIC_XPRT_MRS_ALLOCATED },
	{ "local_inv_needed", true, METRIC_XPRT_LOCAL_INV },
	{ "empty_sendctx_q", true, METRIC_XPRT_EMPTY_SENDCTX },
	{ "reply_waits_for_send", true, METRIC_XPRT_REPLY_WAITS },
};
/* clang-format on */
