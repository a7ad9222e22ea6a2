/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the programs share that run over every transport: each test is run over all of them, and
 * does not know which it is. NFSRDMA_TEST_TRANSPORT=verbs NFSRDMA_TEST_ADDRESS=192.0.2.1 runs
 * them over an RDMA device instead, by this address of it. */
#ifndef TESTS_UNIT_TRANSPORT_SUITE_H
#define TESTS_UNIT_TRANSPORT_SUITE_H

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>

#include "rpcrdma/transport/transport.h"
#include "tests/support/transport-pair.h"
#include "tests/unit/suite.h"

#define OVER_EVERY_TRANSPORT(test)                                                     \
	static void test(void)                                                         \
	{                                                                              \
		const struct transport_ops *const *ops;                                \
		for (ops = pair_transports(); *ops; ops++) {                           \
			SUITE_ROW("over %s", (*ops)->name);                            \
			unsigned int before = CU_get_number_of_failures();             \
			test##_over(*ops);                                             \
			if (CU_get_number_of_failures() != before)                     \
				printf("\n    over %s: %s", (*ops)->name, err_text()); \
		}                                                                      \
	}

/* A test, or a part of it, that asks for more than the contract has; says so if it is not run. */
static inline bool lacks(const struct transport_ops *ops, enum pair_can what)
{
	if (pair_can(ops) & what)
		return false;
	printf("\n    not over %s: %s ", ops->name, pair_can_text(what));
	return true;
}

static inline void open_pair(struct pair *p)
{
	CU_ASSERT_EQUAL_FATAL(pair_open(p), 0);
}

static inline void *filled(size_t len, uint8_t seed)
{
	uint8_t *p = malloc(len + 1);
	size_t i;

	for (i = 0; i < len; i++)
		p[i] = (uint8_t)(seed + i * 7 + (i >> 8));
	return p;
}

static inline int send_text(struct transport *t, const char *text, uint64_t deadline)
{
	return pair_send(t, text, strlen(text), deadline);
}

/* Receives one message and compares it. */
static inline bool receives(struct transport *t, const void *data, size_t len, uint64_t deadline)
{
	struct transport_msg msg;
	bool same;

	if (t->ops->recv(t, &msg, deadline))
		return false;
	same = msg.len == len && !memcmp(msg.data, data, len);
	t->ops->repost(t, &msg);
	return same;
}

static inline bool receives_text(struct transport *t, const char *text, uint64_t deadline)
{
	return receives(t, text, strlen(text), deadline);
}

/* The server may speak only after the client has. */
static inline void greet(struct pair *p)
{
	CU_ASSERT_EQUAL_FATAL(send_text(p->client, "hello", p->deadline), 0);
	CU_ASSERT_TRUE_FATAL(receives_text(p->server, "hello", p->deadline));
}

static inline int receive_fails(struct transport *t, uint64_t deadline)
{
	struct transport_msg msg;

	return t->ops->recv(t, &msg, deadline);
}

/* The peer did wrong: so says who receives, if that can be known. */
static inline int fails_for_the_peer(struct pair *p, struct transport *t)
{
	int rc = receive_fails(t, p->deadline);

	CU_ASSERT_TRUE(rc == -EPROTO ||
		       (rc == -ECONNRESET && !(pair_can(p->ops) & PAIR_NAMES_CULPRIT)));
	if (rc == -EPROTO)
		CU_ASSERT_NOT_EQUAL(t->violation.text[0], '\0');
	return rc;
}

static inline void peer_was_told(struct transport *t, uint64_t deadline)
{
	int rc = receive_fails(t, deadline);

	ASSERT_EITHER(rc, -EREMOTEIO, -ECONNRESET);
}

#endif
