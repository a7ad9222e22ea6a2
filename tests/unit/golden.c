/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The frames of tests/wire/: what one RDMA Send carries, and the header in words. The expected
 * text is
 *
 *	what header_text() says, then "message N bytes" for what follows the header; or
 *	"error NAME", the errno of a frame that is refused.
 *
 * A frame that is accepted is also encoded again and compared. */
#include "rpcrdma/wire/wire.h"
#include "tests/unit/golden.h"

static void assert_encoding(const struct rpcrdma_header *h, const struct golden *g)
{
	uint8_t again[4096];
	struct writer w;

	writer_init(&w, again, sizeof(again));
	CU_ASSERT_EQUAL(header_encode(&w, h), 0);
	ASSERT_AT_MOST_FATAL(w.len, g->len);
	ASSERT_BYTES(again, g->bytes, w.len);
}

static void golden_check(const struct golden *g)
{
	struct rpcrdma_header h;
	char text[8192];
	struct reader r;
	int rc, len;

	reader_init(&r, g->bytes, g->len);
	rc = header_decode(&h, &r);
	if (rc) {
		snprintf(text, sizeof(text), "error %s\n", strerrorname_np(-rc));
	} else {
		len = header_text(&h, text, sizeof(text));
		snprintf(text + len, sizeof(text) - (size_t)len, "message %zu bytes\n",
			 reader_left(&r));
		assert_encoding(&h, g);
	}
	CU_ASSERT_STRING_EQUAL(text, g->text);
}

static void golden_frames_match_their_descriptions(void)
{
	golden_each("*.hex", golden_check);
}

SUITE_MAIN("golden", TEST(golden_frames_match_their_descriptions))
