/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Two ends of one connection, over any transport: `client` connected, `server` was connected
 * to. Either may be driven by the test's thread, or by one that it starts. */
#ifndef TESTS_SUPPORT_TRANSPORT_PAIR_H
#define TESTS_SUPPORT_TRANSPORT_PAIR_H

#include "rpcrdma/transport/transport.h"

struct pair {
	const struct transport_ops *ops;
	struct transport_param client_param, server_param;
	struct transport *listener, *client, *server;
	int connected; /* what connect returned */
	uint64_t deadline;
};

/* Sets parameters that suit most tests. */
void pair_init(struct pair *p, const struct transport_ops *ops);
/* Connects and establishes. 0, or the first error. */
int pair_open(struct pair *p);
void pair_close(struct pair *p);
/* 127.0.0.1, any port. */
struct transport_address pair_loopback(void);

/* One Send of @len bytes. */
int pair_send(struct transport *t, const void *data, size_t len, uint64_t deadline);

#endif
