/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Private data of a connection: whatever comes, the sizes are usable ones. */
#include "rpcrdma/wire/wire.h"
#include "tests/fuzz/fuzz.h"

static bool size_is_good(uint32_t size)
{
	return size >= 1024 && size <= 262144 && size % 1024 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t encoded[RPCRDMA_PRIVATE_LEN];
	struct rpcrdma_private p, again;

	private_decode(&p, data, size);
	FUZZ_CHECK(size_is_good(p.send_size) && size_is_good(p.receive_size));
	FUZZ_CHECK(p.present || !p.remote_invalidate);
	FUZZ_CHECK(p.present || (p.send_size == 1024 && p.receive_size == 1024));
	private_encode(encoded, &p);
	private_decode(&again, encoded, sizeof(encoded));
	FUZZ_CHECK(again.present && again.remote_invalidate == p.remote_invalidate);
	FUZZ_CHECK(again.send_size == p.send_size);
	FUZZ_CHECK(again.receive_size == p.receive_size);
	return 0;
}
