/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* MPA request and reply frames: what was accepted is within its bounds, and comes out again as
 * the same frame but for the bits that are not spoken. */
#include "rpcrdma/transport/internal.h"
#include "tests/fuzz/fuzz.h"

static void check_frame(enum mpa_kind kind, const uint8_t *data, size_t size)
{
	uint8_t again[MPA_FRAME_MAX];
	struct mpa_frame f, g;
	int len = mpa_decode(&f, kind, data, size);

	if (len == 0) {
		FUZZ_CHECK(mpa_missing(data, size) > 0);
		FUZZ_CHECK(size + mpa_missing(data, size) <= MPA_FRAME_MAX);
	}
	if (len <= 0)
		return;
	FUZZ_CHECK((size_t)len <= size && len <= MPA_FRAME_MAX);
	FUZZ_CHECK(f.private_data + f.private_len == data + len);
	FUZZ_CHECK(mpa_encode(again, kind, &f) == (size_t)len);
	FUZZ_CHECK(mpa_decode(&g, kind, again, (size_t)len) == len);
	FUZZ_CHECK(f.revision == g.revision && f.ird == g.ird && f.ord == g.ord);
	FUZZ_CHECK(f.private_len == g.private_len);
	FUZZ_CHECK(!memcmp(f.private_data, g.private_data, f.private_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_frame(MPA_REQUEST, data, size);
	check_frame(MPA_REPLY, data, size);
	return 0;
}
