/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A child that may have been taken over: an input is its records, each a type, a length of two bytes, a body. */
#ifndef TESTS_FUZZ_PLAYED_H
#define TESTS_FUZZ_PLAYED_H

#include "rpcrdma/base/base.h"
#include "rpcrdma/child/child.h"
#include "tests/fuzz/fuzz.h"

/* Sends them; false if the channel takes no more. */
static inline bool play_records(int channel, const uint8_t *at, const uint8_t *end)
{
	while (end - at >= 3) {
		size_t len = min_u64((size_t)at[1] | (size_t)at[2] << 8, (size_t)(end - at) - 3);

		if (channel_send(channel, at[0], at + 3, len, -1))
			return false;
		at += 3 + len;
	}
	return true;
}

#endif
