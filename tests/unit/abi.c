/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Structs that grew between two versions of a header. */
#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

struct first {
	size_t size;
	uint32_t a;
	uint32_t b;
};

struct second {
	size_t size;
	uint32_t a;
	uint32_t b;
	uint64_t c;
};

static void the_same_version_is_copied(void)
{
	const struct second theirs = { sizeof(theirs), 1, 2, 3 };
	struct second ours;

	CU_ASSERT_EQUAL(abi_take(&ours, sizeof(ours), &theirs, theirs.size, sizeof(struct first)),
			0);
	CU_ASSERT_EQUAL(ours.c, 3);
}

static void fields_missing_in_an_older_struct_are_zero(void)
{
	const struct first theirs = { sizeof(theirs), 1, 2 };
	struct second ours;

	memset(&ours, 0xaa, sizeof(ours));
	CU_ASSERT_EQUAL(abi_take(&ours, sizeof(ours), &theirs, theirs.size, sizeof(struct first)),
			0);
	CU_ASSERT_EQUAL(ours.b, 2);
	CU_ASSERT_EQUAL(ours.c, 0);
}

static void unknown_fields_of_a_newer_struct_must_be_zero(void)
{
	struct second theirs = { sizeof(theirs), 1, 2, 0 };
	struct first ours;
	char wanted[32];

	CU_ASSERT_EQUAL(abi_take(&ours, sizeof(ours), &theirs, theirs.size, sizeof(ours)), 0);
	CU_ASSERT_EQUAL(ours.a, 1);
	/* Its first byte, in either byte order. */
	theirs.c = UINT64_MAX;
	CU_ASSERT_EQUAL(abi_take(&ours, sizeof(ours), &theirs, theirs.size, sizeof(ours)), -EINVAL);
	snprintf(wanted, sizeof(wanted), "byte %zu ", offsetof(struct second, c));
	ASSERT_CONTAINS(err_text(), wanted);
}

static void an_unset_size_is_refused(void)
{
	const struct first theirs = { 0, 1, 2 };
	struct first ours;

	CU_ASSERT_EQUAL(abi_take(&ours, sizeof(ours), &theirs, theirs.size, sizeof(ours)), -EINVAL);
	CU_ASSERT_EQUAL(abi_take(&ours, sizeof(ours), &theirs, sizeof(ours) - 1, sizeof(ours)),
			-EINVAL);
}

SUITE_MAIN("abi", TEST(the_same_version_is_copied),
	   TEST(fields_missing_in_an_older_struct_are_zero),
	   TEST(unknown_fields_of_a_newer_struct_must_be_zero), TEST(an_unset_size_is_refused))
