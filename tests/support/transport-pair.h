/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Two ends of one connection, over any transport: `client` connected, `server` was connected
 * to. Either may be driven by the test's thread, or by one that it starts. */
#ifndef TESTS_SUPPORT_TRANSPORT_PAIR_H
#define TESTS_SUPPORT_TRANSPORT_PAIR_H

#include "rpcrdma/transport/transport.h"

/* What some transports do beyond their contract. */
enum pair_can {
	PAIR_SEES = 1,           /* the peer's Writes and Reads, one by one, and what is wrong */
	PAIR_INVALIDATES = 2,    /* Send With Invalidate ends any region, and is told */
	PAIR_PRIVATE_LONG = 4,   /* 508 bytes of private data, and their length */
	PAIR_OVERRUN_ENDS = 8,   /* a Send without a Receive posted breaks the connection */
	PAIR_NAMES_CULPRIT = 16, /* -EPROTO for whatever the peer does wrong */
	PAIR_STRICT_READS = 32,  /* none from a region for Writes, nor from who takes none */
};

/* All transports there are, up to NULL; or the one that NFSRDMA_TEST_TRANSPORT names, over the
 * device that has the address NFSRDMA_TEST_ADDRESS. */
const struct transport_ops *const *pair_transports(void);
/* Of enum pair_can. */
unsigned int pair_can(const struct transport_ops *ops);
/* Why a test that asks for it is not run. */
const char *pair_can_text(enum pair_can what);
/* Where it can listen, any port. */
struct transport_address pair_address(const struct transport_ops *ops);

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
