/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Arguments byte for byte, against vectors made by hand. */
#include "rpcrdma/nfs/nfs.h"
#include "tests/unit/suite.h"

/* The handle of a READ call that was computed independently: 28 bytes, 0 to 27. */
#define FH28                                                                                      \
	0x00, 0x00, 0x00, 0x1c, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, \
		0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,     \
		0x18, 0x19, 0x1a, 0x1b

static struct nfs_fh counting_fh(uint32_t len)
{
	struct nfs_fh fh = { .len = len };
	uint32_t i;

	for (i = 0; i < len && i < NFS3_FH_MAX; i++)
		fh.data[i] = (uint8_t)i;
	return fh;
}

/* Encodes into exactly the expected bytes, between two canaries, and refuses one byte less. */
#define CHECK_VECTOR(want, call)                              \
	do {                                                  \
		uint8_t area[512];                            \
		uint8_t *buf = area + 8;                      \
		size_t cap = sizeof(want);                    \
		memset(area, 0xa5, sizeof(area));             \
		CU_ASSERT_EQUAL(call, (ssize_t)sizeof(want)); \
		ASSERT_BYTES(buf, want, sizeof(want));        \
		CU_ASSERT_EQUAL(buf[-1], 0xa5);               \
		CU_ASSERT_EQUAL(buf[sizeof(want)], 0xa5);     \
		for (cap = 0; cap < sizeof(want); cap++) {    \
			memset(area, 0xa5, sizeof(area));     \
			CU_ASSERT_EQUAL(call, -ENOBUFS);      \
			CU_ASSERT_EQUAL(buf[cap], 0xa5);      \
		}                                             \
	} while (0)

static void read_encodes_handle_offset_count(void)
{
	static const uint8_t small[] = { FH28, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 3, 0xff };
	static const uint8_t large[] = { FH28, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc,
					 0xde, 0xf0, 0,    0x10, 0,    0 };
	struct nfs_fh fh = counting_fh(28);

	CHECK_VECTOR(small, nfs3_args_read(buf, cap, &fh, 5, 1023));
	CHECK_VECTOR(large, nfs3_args_read(buf, cap, &fh, 0x123456789abcdef0, 1 << 20));
}

static void getattr_encodes_the_handle_alone(void)
{
	static const uint8_t even[] = { FH28 };
	static const uint8_t odd[] = { 0, 0, 0, 5, 0, 1, 2, 3, 4, 0, 0, 0 };
	static const uint8_t none[] = { 0, 0, 0, 0 };
	struct nfs_fh fh;

	fh = counting_fh(28);
	CHECK_VECTOR(even, nfs3_args_fh(buf, cap, &fh));
	fh = counting_fh(5);
	CHECK_VECTOR(odd, nfs3_args_fh(buf, cap, &fh));
	fh = counting_fh(0);
	CHECK_VECTOR(none, nfs3_args_fh(buf, cap, &fh));
}

static void lookup_pads_handle_and_name(void)
{
	static const uint8_t want[] = { 0, 0, 0,   3,   0,   1,   2,   0, 0, 0,
					0, 5, 'h', 'e', 'l', 'l', 'o', 0, 0, 0 };
	struct nfs_fh fh = counting_fh(3);

	CHECK_VECTOR(want, nfs3_args_lookup(buf, cap, &fh, "hello"));
}

static void readdirplus_repeats_the_verifier(void)
{
	static const uint8_t want[] = { 0,    0,    0, 4, 0, 1,    2,    3,    0,    0,    0,
					1,    0,    0, 0, 2, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85,
					0x86, 0xff, 0, 0, 2, 0,    0,    0,    0x10, 0 };
	const struct nfs3_readdirplus args = { .dir = counting_fh(4),
					       .cookie = 0x100000002,
					       .cookieverf = { 0x80, 0x81, 0x82, 0x83, 0x84, 0x85,
							       0x86, 0xff },
					       .dircount = 512,
					       .maxcount = 4096 };

	CHECK_VECTOR(want, nfs3_args_readdirplus(buf, cap, &args));
}

static void mnt_encodes_one_path(void)
{
	static const uint8_t want[] = { 0,   0,   0,   10,  '/', 's', 'r', 'v',
					'/', 'n', 'f', 's', '/', 'a', 0,   0 };

	CHECK_VECTOR(want, mount3_args_mnt(buf, cap, "/srv/nfs/a"));
}

static void the_longest_handle_and_name_fit(void)
{
	struct nfs_fh fh = counting_fh(NFS3_FH_MAX);
	char name[NFS3_NAME_MAX + 1];
	uint8_t buf[2048];

	memset(name, 'n', sizeof(name));
	name[NFS3_NAME_MAX] = '\0';
	CU_ASSERT_EQUAL(nfs3_args_lookup(buf, sizeof(buf), &fh, name), 68 + 260);
	CU_ASSERT_EQUAL(get_be32(buf + 68), NFS3_NAME_MAX);
	CU_ASSERT_EQUAL(buf[68 + 4 + 254], 'n');
	CU_ASSERT_EQUAL(buf[68 + 4 + 255], 0);
}

static void impossible_arguments_are_refused(void)
{
	struct nfs_fh longer = counting_fh(NFS3_FH_MAX + 1), huge = counting_fh(0);
	const struct nfs3_readdirplus readdir = { .dir = longer, .dircount = 1, .maxcount = 1 };
	struct nfs_fh fh = counting_fh(4);
	char name[1026];
	uint8_t buf[2048];

	huge.len = UINT32_MAX;
	memset(name, 'n', sizeof(name));
	name[1025] = '\0';
	CU_ASSERT_EQUAL(nfs3_args_fh(buf, sizeof(buf), &longer), -EINVAL);
	CU_ASSERT_EQUAL(nfs3_args_fh(buf, sizeof(buf), &huge), -EINVAL);
	CU_ASSERT_EQUAL(nfs3_args_read(buf, sizeof(buf), &longer, 0, 1), -EINVAL);
	CU_ASSERT_EQUAL(nfs3_args_lookup(buf, sizeof(buf), &longer, "a"), -EINVAL);
	CU_ASSERT_EQUAL(nfs3_args_readdirplus(buf, sizeof(buf), &readdir), -EINVAL);
	CU_ASSERT_EQUAL(nfs3_args_lookup(buf, sizeof(buf), &fh, ""), -EINVAL);
	CU_ASSERT_EQUAL(mount3_args_mnt(buf, sizeof(buf), ""), -EINVAL);
	CU_ASSERT_EQUAL(mount3_args_mnt(buf, sizeof(buf), name), -EINVAL);
	name[1024] = '\0';
	CU_ASSERT_EQUAL(mount3_args_mnt(buf, sizeof(buf), name), 1028);
	name[256] = '\0';
	CU_ASSERT_EQUAL(nfs3_args_lookup(buf, sizeof(buf), &fh, name), -EINVAL);
	ASSERT_CONTAINS(err_text(), "256 bytes");
}

SUITE_MAIN("nfs3-args", TEST(read_encodes_handle_offset_count),
	   TEST(getattr_encodes_the_handle_alone), TEST(lookup_pads_handle_and_name),
	   TEST(readdirplus_repeats_the_verifier), TEST(mnt_encodes_one_path),
	   TEST(the_longest_handle_and_name_fit), TEST(impossible_arguments_are_refused))
