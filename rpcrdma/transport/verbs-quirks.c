/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Device differences: one row each, matched by transport and by the vendor id of
 * ibv_query_device(). A row without flags is documentation only. Rows not tested on a device say
 * so. */
#include "rpcrdma/transport/verbs.h"

#define ANY (-1)

#define VENDOR_SIW     0x626d74 /* "bmt", linux/drivers/infiniband/sw/siw/siw.h */
#define VENDOR_CHELSIO 0x1425
#define VENDOR_INTEL   0x8086
#define VENDOR_QLOGIC  0x1077

static const char verbs_quirk_untested[] = "untested: no such device";

const struct verbs_quirk verbs_quirks[] = {
	{ "iwarp-sink", IBV_TRANSPORT_IWARP, 0, VERBS_SINK_NEEDS_WRITE,
	  "An RDMA Read is answered by tagged messages into memory that the peer names: it "
	  "must be registered for remote writing (RFC 5040 section 5.5).",
	  "soft-iWARP of Linux 6.1" },
	{ "iwarp-one-sge", IBV_TRANSPORT_IWARP, 0, 0,
	  "One scatter element in an RDMA Read (max_sge_rd is 1); one is used everywhere.",
	  "soft-iWARP of Linux 6.1" },
	{ "iwarp-first-word", IBV_TRANSPORT_IWARP, 0, 0,
	  "The side that was connected to may not speak first (RFC 5044 section 7.1.2). "
	  "Adapters that start peer to peer (RFC 6581) do so in the kernel, unseen here.",
	  "soft-iWARP of Linux 6.1, which does not; adapters untested" },
	{ "iwarp-close", IBV_TRANSPORT_IWARP, 0, VERBS_CLOSE_BLOCKS | VERBS_FLUSH_FIRST,
	  "The kernel's iWARP manager waits for the end of a handshake before it lets go of "
	  "it (drivers/infiniband/core/iwcm.c), and breaks the queue pair of a connection that "
	  "ended before it says so. Requests under way then fail with statuses of the device's "
	  "own choice.",
	  "soft-iWARP of Linux 6.1" },
	{ "siw-connect", IBV_TRANSPORT_IWARP, VENDOR_SIW, VERBS_CONNECT_BLOCKS,
	  "rdma_connect() opens the TCP connection and waits for it.", "soft-iWARP of Linux 6.1" },
	{ "siw-depths", IBV_TRANSPORT_IWARP, VENDOR_SIW, VERBS_DEPTHS_SWAPPED,
	  "The event at the connecting side tells our own depths of RDMA Reads, where "
	  "others tell the peer's (siw_cm_upcall() beside cma_iw_handler()).",
	  "soft-iWARP of Linux 6.1" },
	{ "siw-sleep", IBV_TRANSPORT_IWARP, VENDOR_SIW, VERBS_MAY_SLEEP,
	  "A listener of its kind answers the MPA request before it looks for data "
	  "(siw_accept()), and sleeps through a message that follows at once. Anything that "
	  "comes later wakes it.",
	  "soft-iWARP of Linux 6.1" },
	{ "siw-reads", IBV_TRANSPORT_IWARP, VENDOR_SIW, 0,
	  "It answers RDMA Reads from any registered region, remote reading allowed or not "
	  "(no file of the driver checks it), and takes as many as the peer wants.",
	  "soft-iWARP of Linux 6.1" },
	{ "cxgb4-port-mapper", IBV_TRANSPORT_IWARP, VENDOR_CHELSIO, VERBS_PORT_MAPPER,
	  "The adapter has a TCP stack beside the kernel's; iwpmd keeps their ports apart and "
	  "must run on both hosts, or on neither.",
	  verbs_quirk_untested },
	{ "irdma-port-mapper", IBV_TRANSPORT_IWARP, VENDOR_INTEL, VERBS_PORT_MAPPER,
	  "As cxgb4, where the adapter runs iWARP and not RoCE.", verbs_quirk_untested },
	{ "qedr-port-mapper", IBV_TRANSPORT_IWARP, VENDOR_QLOGIC, VERBS_PORT_MAPPER,
	  "As cxgb4, where the adapter runs iWARP and not RoCE.", verbs_quirk_untested },
	{ "send-with-invalidate", ANY, 0, 0,
	  "Without IBV_DEVICE_MEM_MGT_EXTENSIONS a Send With Invalidate goes as a plain "
	  "Send; the peer then invalidates by itself.",
	  "devices without it untested" },
	{ "private-data-padded", IBV_TRANSPORT_IB, 0, 0,
	  "Zeros follow the private data, 56 bytes in a request and 196 in a "
	  "reply; more than that does not fit.",
	  "soft-RoCE of Linux 6.1; InfiniBand untested" },
	{ "overrun-waits", IBV_TRANSPORT_IB, 0, 0,
	  "A Send without a Receive posted for it is repeated (RNR) for as long as both "
	  "sides like, and does not break the connection.",
	  "soft-RoCE of Linux 6.1; InfiniBand untested" },
	{ NULL, 0, 0, 0, NULL, NULL },
};

unsigned int verbs_quirk_flags(const struct verbs_kind *kind)
{
	const struct verbs_quirk *q;
	unsigned int flags = 0;

	for (q = verbs_quirks; q->name; q++)
		if ((q->transport == ANY || q->transport == (int)kind->transport) &&
		    (!q->vendor_id || q->vendor_id == kind->vendor_id))
			flags |= q->flags;
	return flags;
}
