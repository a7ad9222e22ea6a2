/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Where wrong data belongs, by what was read of the file. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

#define BASE 40960

static uint8_t bytes[8192];
static const struct window window = { .base = BASE, .len = sizeof(bytes), .bytes = bytes };

/* No eight bytes are there twice. */
static void fill(void)
{
	size_t i;

	for (i = 0; i < sizeof(bytes); i += 4)
		put_be32(bytes + i, 0x9e3779b9u * (uint32_t)(i + 1));
}

static bool find(const uint8_t *got, uint32_t at, uint32_t len, uint64_t *offset)
{
	struct read_outcome o = { .kind = READ_DATA };

	whence_keep(&o, got, at, len);
	return whence_in_window(&window, &o, offset);
}

static void bytes_are_found_at_their_one_offset(void)
{
	uint64_t offset = 0;

	fill();
	CU_ASSERT(find(bytes + 4000, 0, 1000, &offset));
	CU_ASSERT_EQUAL(offset, BASE + 4000);
	/* The first wrong byte is not the first of the READ. */
	CU_ASSERT(find(bytes + 4000, 7, 1000, &offset));
	CU_ASSERT_EQUAL(offset, BASE + 4007);
	/* No more than were read. */
	CU_ASSERT(find(bytes + sizeof(bytes) - 8, 0, 8, &offset));
	CU_ASSERT_EQUAL(offset, BASE + sizeof(bytes) - 8);
}

static void bytes_of_two_places_or_of_none_tell_nothing(void)
{
	static const uint8_t other[64] = { 1, 2, 3 };
	uint64_t offset = 0;

	fill();
	CU_ASSERT_FALSE(find(other, 0, sizeof(other), &offset));
	memcpy(bytes + 1024, bytes + 4096, 64);
	CU_ASSERT_FALSE(find(bytes + 4096, 0, 64, &offset));
	CU_ASSERT_EQUAL(offset, 0);
}

SUITE_MAIN("whence", TEST(bytes_are_found_at_their_one_offset),
	   TEST(bytes_of_two_places_or_of_none_tell_nothing))
