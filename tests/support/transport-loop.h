/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An RDMA transport within this process, the second implementation of the transport seam: no
 * socket, no framing, the same rules. Listeners are found by their port. */
#ifndef TESTS_SUPPORT_TRANSPORT_LOOP_H
#define TESTS_SUPPORT_TRANSPORT_LOOP_H

#include "rpcrdma/transport/transport.h"

extern const struct transport_ops transport_loop;

#endif
