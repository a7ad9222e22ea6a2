/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the kernel's TCP has seen of packets that do not arrive. <netinet/tcp.h> has an older struct
 * tcp_info and cannot be included beside this. */
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "rpcrdma/transport/transport.h"

void transport_gaps(const struct transport *t, struct transport_gaps *out)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	struct tcp_info info = { 0 };
	socklen_t info_len = sizeof(info), memory_len = sizeof(memory);
	int readable = 0;

	*out = (struct transport_gaps){ 0 };
	/* Over verbs this is no TCP socket. */
	if (getsockopt(t->fd, IPPROTO_TCP, TCP_INFO, &info, &info_len) < 0)
		return;
	out->again = info.tcpi_unacked ? info.tcpi_retransmits : 0;
	/* What was received, less what can be read, waits for a packet before it
	 * (tcp_data_queue_ofo()). */
	if (!ioctl(t->fd, FIONREAD, &readable) && !readable &&
	    !getsockopt(t->fd, SOL_SOCKET, SO_MEMINFO, memory, &memory_len))
		out->held = memory[SK_MEMINFO_RMEM_ALLOC];
}
