/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An established iWARP connection whose peer is a bare socket, for the tests of single frames. */
#ifndef TESTS_UNIT_IWARP_PEER_H
#define TESTS_UNIT_IWARP_PEER_H

#include <sys/socket.h>

#include "tests/support/raw-peer.h"
#include "tests/unit/suite.h"

#define MEMORY 4096

static uint8_t memory[MEMORY + 2];
static const uint8_t payload[70000];

struct fixture {
	struct raw_peer raw;
	struct transport_region region;
	uint8_t frame[80000];
	size_t len;
};

static inline void open_with(struct fixture *x, const struct transport_param *param)
{
	CU_ASSERT_EQUAL_FATAL(raw_peer_establish(&x->raw, param), 0);
	memset(memory, 0xee, sizeof(memory));
	CU_ASSERT_EQUAL(x->raw.t->ops->reg(x->raw.t, memory + 1, MEMORY, TRANSPORT_REMOTE_WRITE,
					   &x->region),
			0);
}

static const struct transport_param usual = {
	.recv_depth = 2, .recv_size = 1024, .ird = 2, .ord = 2
};

static inline void open_fixture(struct fixture *x)
{
	open_with(x, &usual);
}

static inline void build(struct fixture *x, struct fpdu *f, const void *bytes, uint32_t len)
{
	x->len = raw_peer_build(x->frame, f, bytes, len);
}

static inline void build_send(struct fixture *x, uint32_t msn, const char *text)
{
	struct fpdu f;

	fpdu_init(&f, RDMAP_SEND);
	f.msn = msn;
	build(x, &f, text, (uint32_t)strlen(text));
}

static inline void send_frame(struct fixture *x)
{
	raw_peer_send(&x->raw, x->frame, x->len);
}

static inline int receive(struct fixture *x, unsigned int ms)
{
	struct transport_msg msg;
	int rc = x->raw.t->ops->recv(x->raw.t, &msg, deadline_in(ms));

	if (!rc)
		x->raw.t->ops->repost(x->raw.t, &msg);
	return rc;
}

static inline bool receives(struct fixture *x, const char *text)
{
	struct transport_msg msg;
	bool same;

	if (x->raw.t->ops->recv(x->raw.t, &msg, deadline_in(PATIENCE_MS)))
		return false;
	same = msg.len == strlen(text) && !memcmp(msg.data, text, msg.len);
	x->raw.t->ops->repost(x->raw.t, &msg);
	return same;
}

static inline bool untouched(void)
{
	size_t i;

	for (i = 0; i < sizeof(memory); i++)
		if (memory[i] != 0xee)
			return false;
	return true;
}

/* The frame that was sent breaks the connection: these words, this Terminate. */
static inline void breaks(struct fixture *x, const char *words, unsigned int reason)
{
	const struct transport_violation *v = &x->raw.t->violation;
	size_t shown = x->len < sizeof(v->frame) ? x->len : sizeof(v->frame);
	uint8_t answer[256];
	size_t len;

	CU_ASSERT_EQUAL(receive(x, 5000), -EPROTO);
	ASSERT_CONTAINS(v->text, words);
	CU_ASSERT_STRING_EQUAL(err_text(), v->text);
	ASSERT_AT_MOST(v->frame_len, shown);
	ASSERT_AT_LEAST(v->frame_len, 4);
	ASSERT_BYTES(v->frame, x->frame, v->frame_len);
	len = raw_peer_read_fpdu(&x->raw, answer, sizeof(answer));
	ASSERT_AT_LEAST_FATAL(len, 28);
	ASSERT_BYTES(answer + 2, "\x41\x47\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01", 14);
	CU_ASSERT_EQUAL(get_be16(answer + 20), reason);
	if (len > 28) {
		CU_ASSERT_EQUAL(get_be16(answer + 22), 0xc000);
		ASSERT_BYTES(answer + 24, x->frame, fpdu_head_len(x->frame));
	}
	/* and after it nothing but the end */
	CU_ASSERT_FALSE(raw_peer_read(&x->raw, answer, 1));
	CU_ASSERT_EQUAL(receive(x, 10), -EPROTO);
	raw_peer_close(&x->raw);
}

#endif
