/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Results from a peer: correct ones, each truncated at every byte, and each length at its
 * extremes. The truncated copies lie at the end of a heap block of their size, so that a
 * sanitizer or valgrind detects a read past the end. */
#include "rpcrdma/nfs/nfs.h"
#include "tests/unit/suite.h"

#define WORD(v) \
	(uint8_t)((uint32_t)(v) >> 24), (uint8_t)((v) >> 16), (uint8_t)((v) >> 8), (uint8_t)(v)

/* A post_op_attr that follows: 88 bytes. */
#define ATTR_BODY                                                                            \
	WORD(1), WORD(0100644), WORD(2), WORD(36), WORD(37), WORD(1), WORD(0x1000), WORD(0), \
		WORD(0x2000), WORD(0), WORD(0), WORD(0x77), WORD(0x88), WORD(5), WORD(6),    \
		WORD(100), WORD(101), WORD(200), WORD(201), WORD(300), WORD(301)
#define ATTR    WORD(1), ATTR_BODY
#define NO_ATTR WORD(0)

static const uint8_t getattr_ok[] = { WORD(0), ATTR_BODY };
static const uint8_t getattr_stale[] = { WORD(70) };
static const uint8_t lookup_ok[] = { WORD(0), WORD(5), 1, 2, 3, 4, 5, 0, 0, 0, ATTR, NO_ATTR };
static const uint8_t lookup_noent[] = { WORD(2), ATTR };
static const uint8_t fsinfo_ok[] = { WORD(0),   NO_ATTR,  WORD(11), WORD(12),  WORD(13),
				     WORD(14),  WORD(15), WORD(16), WORD(17),  WORD(0x7),
				     WORD(0x8), WORD(1),  WORD(0),  WORD(0x1b) };
static const uint8_t fsinfo_bad[] = { WORD(10001), NO_ATTR };
static const uint8_t read_ok[] = { WORD(0), ATTR, WORD(5), WORD(1), WORD(5), 'h', 'e',
				   'l',     'l',  'o',     0,       0,       0 };
/* The 68 bytes after the RPC header of a reduced READ reply, with the attributes that follow. */
static const uint8_t read_reduced[] = { WORD(0), ATTR, WORD(1023), WORD(0), WORD(1023) };
static const uint8_t read_eio[] = { WORD(5), ATTR };
static const uint8_t readlink_ok[] = { WORD(0), NO_ATTR, WORD(3), 'a', '/', 'b', 0 };
static const uint8_t readlink_reduced[] = { WORD(0), NO_ATTR, WORD(4095) };
static const uint8_t mnt_ok[] = { WORD(0), WORD(4), 9, 8, 7, 6, WORD(2), WORD(1), WORD(390003) };
static const uint8_t mnt_acces[] = { WORD(13) };
static const uint8_t readdirplus_ok[] = {
	WORD(0), ATTR,    1,       2,       3,    4,   5,   6,       7,       8,
	WORD(1), WORD(0), WORD(2), WORD(1), '.',  0,   0,   0,       WORD(0), WORD(0x11),
	NO_ATTR, WORD(0), /* without attributes and handle */
	WORD(1), WORD(9), WORD(3), WORD(4), 'f',  'i', 'l', 'e',     WORD(0), WORD(0x22),
	ATTR,    WORD(1), WORD(2), 0xaa,    0xbb, 0,   0,   WORD(0), WORD(1) /* eof */
};
static const uint8_t readdirplus_notdir[] = { WORD(20), NO_ATTR };

/* One signature for all decoders. */
static int any_getattr(struct reader *r)
{
	struct nfs3_getattr_res res;

	return nfs3_res_getattr(&res, r);
}

static int any_lookup(struct reader *r)
{
	struct nfs3_lookup_res res;

	return nfs3_res_lookup(&res, r);
}

static int any_fsinfo(struct reader *r)
{
	struct nfs3_fsinfo_res res;

	return nfs3_res_fsinfo(&res, r);
}

static int any_read(struct reader *r)
{
	struct nfs3_read_res res;

	return nfs3_res_read(&res, r, false);
}

static int any_read_reduced(struct reader *r)
{
	struct nfs3_read_res res;

	return nfs3_res_read(&res, r, true);
}

static int any_readlink(struct reader *r)
{
	struct nfs3_read_res res;

	return nfs3_res_readlink(&res, r, false);
}

static int any_readlink_reduced(struct reader *r)
{
	struct nfs3_read_res res;

	return nfs3_res_readlink(&res, r, true);
}

static int any_readdirplus(struct reader *r)
{
	struct nfs3_readdir_res res;

	return nfs3_res_readdirplus(&res, r, NULL, NULL);
}

static int any_mnt(struct reader *r)
{
	struct mount3_mnt_res res;

	return mount3_res_mnt(&res, r);
}

struct vector {
	int (*decode)(struct reader *r);
	const uint8_t *bytes;
	size_t len;
	/* Offsets of words and what they are: l length, b boolean, e type; blank ends. */
	struct {
		uint16_t at;
		char kind;
	} words[12];
};

#define VECTOR(func, bytes, ...)            \
	{                                   \
		func, bytes, sizeof(bytes), \
		{                           \
			__VA_ARGS__         \
		}                           \
	}

static const struct vector vectors[] = {
	VECTOR(any_getattr, getattr_ok, { 4, 'e' }),
	VECTOR(any_getattr, getattr_stale),
	VECTOR(any_lookup, lookup_ok, { 4, 'l' }, { 16, 'b' }, { 20, 'e' }, { 104, 'b' }),
	VECTOR(any_lookup, lookup_noent, { 4, 'b' }, { 8, 'e' }),
	VECTOR(any_fsinfo, fsinfo_ok, { 4, 'b' }),
	VECTOR(any_fsinfo, fsinfo_bad, { 4, 'b' }),
	VECTOR(any_read, read_ok, { 4, 'b' }, { 8, 'e' }, { 96, 'b' }, { 100, 'l' }),
	VECTOR(any_read, read_eio, { 4, 'b' }),
	VECTOR(any_read_reduced, read_reduced, { 4, 'b' }, { 8, 'e' }, { 96, 'b' }),
	VECTOR(any_readlink, readlink_ok, { 4, 'b' }, { 8, 'l' }),
	VECTOR(any_readlink_reduced, readlink_reduced, { 4, 'b' }, { 8, 'l' }),
	VECTOR(any_mnt, mnt_ok, { 4, 'l' }, { 12, 'l' }),
	VECTOR(any_mnt, mnt_acces),
	VECTOR(any_readdirplus, readdirplus_ok, { 4, 'b' }, { 8, 'e' }, { 100, 'b' }, { 112, 'l' },
	       { 128, 'b' }, { 132, 'b' }, { 136, 'b' }, { 148, 'l' }, { 164, 'b' }, { 252, 'b' },
	       { 256, 'l' }, { 264, 'b' }),
	VECTOR(any_readdirplus, readdirplus_notdir, { 4, 'b' }),
};

static int decode_copy(const struct vector *v, const uint8_t *bytes, size_t len, size_t *left)
{
	uint8_t *copy = malloc(len ? len : 1);
	struct reader r;
	int rc;

	if (!copy)
		abort();
	memcpy(copy, bytes, len);
	reader_init(&r, copy, len);
	rc = v->decode(&r);
	*left = reader_left(&r);
	free(copy);
	return rc;
}

static void every_vector_is_decoded_to_its_end(void)
{
	size_t i, left;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(decode_copy(&vectors[i], vectors[i].bytes, vectors[i].len, &left),
				0);
		CU_ASSERT_EQUAL(left, 0);
	}
}

static void every_truncation_is_refused(void)
{
	size_t i, len, left;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		SUITE_ROW("%zu", i);
		for (len = 0; len < vectors[i].len; len++) {
			SUITE_ROW("len %zu", len);
			CU_ASSERT_EQUAL(decode_copy(&vectors[i], vectors[i].bytes, len, &left),
					-EBADMSG);
		}
	}
}

static void bytes_after_a_result_are_left_to_the_caller(void)
{
	uint8_t longer[512];
	size_t i, left;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		SUITE_ROW("%zu", i);
		memcpy(longer, vectors[i].bytes, vectors[i].len);
		memset(longer + vectors[i].len, 0xff, 8);
		CU_ASSERT_EQUAL(decode_copy(&vectors[i], longer, vectors[i].len + 8, &left), 0);
		CU_ASSERT_EQUAL(left, 8);
	}
}

static void every_length_boolean_and_type_is_bounded(void)
{
	static const uint32_t extremes[] = { 2,          8,          4097,       0x7ffffffc,
					     0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff };
	uint8_t bytes[512];
	size_t i, w, e, left;
	int rc;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		SUITE_ROW("%zu", i);
		for (w = 0; w < 12 && vectors[i].words[w].kind; w++) {
			SUITE_ROW("w %zu", w);
			for (e = 0; e < ARRAY_SIZE(extremes); e++) {
				bool small = extremes[e] <= 8;
				SUITE_ROW("%zu: %u", e, extremes[e]);

				memcpy(bytes, vectors[i].bytes, vectors[i].len);
				put_be32(bytes + vectors[i].words[w].at, extremes[e]);
				rc = decode_copy(&vectors[i], bytes, vectors[i].len, &left);
				if (!small || vectors[i].words[w].kind == 'b' ||
				    (vectors[i].words[w].kind == 'e' && extremes[e] == 8))
					CU_ASSERT_EQUAL(rc, -EBADMSG);
			}
		}
	}
}

static void check_attr(const struct nfs_attr *attr)
{
	CU_ASSERT_EQUAL(attr->type, NFS_REG);
	CU_ASSERT_EQUAL(attr->mode, 0100644);
	CU_ASSERT_EQUAL(attr->nlink, 2);
	CU_ASSERT_EQUAL(attr->uid, 36);
	CU_ASSERT_EQUAL(attr->gid, 37);
	CU_ASSERT_EQUAL(attr->size, 0x100001000);
	CU_ASSERT_EQUAL(attr->used, 0x2000);
	CU_ASSERT_EQUAL(attr->fsid, 0x7700000088);
	CU_ASSERT_EQUAL(attr->fileid, 0x500000006);
	CU_ASSERT_EQUAL(attr->atime.sec, 100);
	CU_ASSERT_EQUAL(attr->mtime.nsec, 201);
	CU_ASSERT_EQUAL(attr->ctime.sec, 300);
	CU_ASSERT_EQUAL(attr->ctime.nsec, 301);
}

static void getattr_has_all_attributes(void)
{
	struct nfs3_getattr_res res;
	struct reader r;

	reader_init(&r, getattr_ok, sizeof(getattr_ok));
	CU_ASSERT_EQUAL(nfs3_res_getattr(&res, &r), 0);
	CU_ASSERT_EQUAL(res.status, 0);
	check_attr(&res.attr);
	reader_init(&r, getattr_stale, sizeof(getattr_stale));
	CU_ASSERT_EQUAL(nfs3_res_getattr(&res, &r), 0);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_STALE);
}

static void lookup_has_the_objects_attributes(void)
{
	struct nfs3_lookup_res res;
	struct reader r;

	reader_init(&r, lookup_ok, sizeof(lookup_ok));
	CU_ASSERT_EQUAL(nfs3_res_lookup(&res, &r), 0);
	CU_ASSERT_EQUAL(res.fh.len, 5);
	ASSERT_BYTES(res.fh.data, "\1\2\3\4\5", 5);
	CU_ASSERT_TRUE(res.has_attr);
	check_attr(&res.attr);
	reader_init(&r, lookup_noent, sizeof(lookup_noent));
	CU_ASSERT_EQUAL(nfs3_res_lookup(&res, &r), 0);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_NOENT);
	CU_ASSERT_FALSE(res.has_attr);
}

static void fsinfo_fields_are_in_order(void)
{
	struct nfs3_fsinfo_res res;
	struct reader r;

	reader_init(&r, fsinfo_ok, sizeof(fsinfo_ok));
	CU_ASSERT_EQUAL(nfs3_res_fsinfo(&res, &r), 0);
	CU_ASSERT_EQUAL(res.rtmax, 11);
	CU_ASSERT_EQUAL(res.rtpref, 12);
	CU_ASSERT_EQUAL(res.rtmult, 13);
	CU_ASSERT_EQUAL(res.wtmax, 14);
	CU_ASSERT_EQUAL(res.wtpref, 15);
	CU_ASSERT_EQUAL(res.wtmult, 16);
	CU_ASSERT_EQUAL(res.dtpref, 17);
	CU_ASSERT_EQUAL(res.maxfilesize, 0x700000008);
	CU_ASSERT_EQUAL(res.properties, 0x1b);
}

static void an_inline_read_has_its_data(void)
{
	struct nfs3_read_res res;
	struct reader r;

	reader_init(&r, read_ok, sizeof(read_ok));
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &r, false), 0);
	CU_ASSERT_TRUE(res.has_attr);
	check_attr(&res.attr);
	CU_ASSERT_EQUAL(res.count, 5);
	CU_ASSERT_TRUE(res.eof);
	CU_ASSERT_EQUAL(res.data_len, 5);
	CU_ASSERT_PTR_EQUAL(res.data, read_ok + 104);
	reader_init(&r, read_eio, sizeof(read_eio));
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &r, false), 0);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_IO);
	CU_ASSERT_EQUAL(res.data_len, 0);
}

static void a_reduced_read_ends_after_the_length(void)
{
	struct nfs3_read_res res;
	struct reader r;

	reader_init(&r, read_reduced, sizeof(read_reduced));
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &r, true), 0);
	CU_ASSERT_EQUAL(res.count, 1023);
	CU_ASSERT_EQUAL(res.data_len, 1023);
	CU_ASSERT_FALSE(res.eof);
	CU_ASSERT_PTR_NULL(res.data);
	reader_init(&r, readlink_reduced, sizeof(readlink_reduced));
	CU_ASSERT_EQUAL(nfs3_res_readlink(&res, &r, true), 0);
	CU_ASSERT_EQUAL(res.data_len, 4095);
	CU_ASSERT_PTR_NULL(res.data);
	/* The same bytes inline want 1023 of data. */
	reader_init(&r, read_reduced, sizeof(read_reduced));
	CU_ASSERT_EQUAL(nfs3_res_read(&res, &r, false), -EBADMSG);
}

static void a_link_has_its_text(void)
{
	struct nfs3_read_res res;
	struct reader r;

	reader_init(&r, readlink_ok, sizeof(readlink_ok));
	CU_ASSERT_EQUAL(nfs3_res_readlink(&res, &r, false), 0);
	CU_ASSERT_EQUAL(res.data_len, 3);
	ASSERT_BYTES(res.data, "a/b", 3);
}

struct seen {
	unsigned int count;
	unsigned int stop_at;
	struct nfs_entry last;
};

static int on_entry(void *arg, const struct nfs_entry *entry)
{
	struct seen *seen = arg;

	seen->last = *entry;
	return ++seen->count == seen->stop_at ? -ECANCELED : 0;
}

static void readdirplus_returns_each_entry(void)
{
	struct nfs3_readdir_res res;
	struct seen seen = { 0 };
	struct reader r;

	reader_init(&r, readdirplus_ok, sizeof(readdirplus_ok));
	CU_ASSERT_EQUAL(nfs3_res_readdirplus(&res, &r, on_entry, &seen), 0);
	CU_ASSERT_EQUAL(seen.count, 2);
	CU_ASSERT_EQUAL(res.entries, 2);
	CU_ASSERT_EQUAL(res.last_cookie, 0x22);
	CU_ASSERT_TRUE(res.eof);
	ASSERT_BYTES(res.cookieverf, "\1\2\3\4\5\6\7\10", 8);
	CU_ASSERT_EQUAL(seen.last.fileid, 0x900000003);
	CU_ASSERT_EQUAL(seen.last.name_len, 4);
	ASSERT_BYTES(seen.last.name, "file", 4);
	CU_ASSERT_TRUE(seen.last.has_attr);
	check_attr(&seen.last.attr);
	CU_ASSERT_TRUE(seen.last.has_fh);
	CU_ASSERT_EQUAL(seen.last.fh.len, 2);
	ASSERT_BYTES(seen.last.fh.data, "\xaa\xbb", 2);
}

static void the_entry_callback_can_stop_the_list(void)
{
	struct nfs3_readdir_res res;
	struct seen seen = { .stop_at = 1 };
	struct reader r;

	reader_init(&r, readdirplus_ok, sizeof(readdirplus_ok));
	CU_ASSERT_EQUAL(nfs3_res_readdirplus(&res, &r, on_entry, &seen), -ECANCELED);
	CU_ASSERT_EQUAL(seen.count, 1);
	CU_ASSERT_FALSE(seen.last.has_attr);
	CU_ASSERT_FALSE(seen.last.has_fh);
}

static void a_truncated_entry_is_not_returned(void)
{
	struct nfs3_readdir_res res;
	struct seen seen = { 0 };
	struct reader r;

	reader_init(&r, readdirplus_ok, 260);
	CU_ASSERT_EQUAL(nfs3_res_readdirplus(&res, &r, on_entry, &seen), -EBADMSG);
	CU_ASSERT_EQUAL(seen.count, 1);
}

static void a_name_of_255_bytes_is_the_longest(void)
{
	/* status, no attributes, verifier, an entry with its name, the end */
	uint8_t bytes[16 + 16 + 256 + 16 + 8] = { 0 };
	struct nfs3_readdir_res res;
	struct reader r;

	put_be32(bytes + 16, 1);
	put_be32(bytes + 28, 255);
	reader_init(&r, bytes, sizeof(bytes));
	CU_ASSERT_EQUAL(nfs3_res_readdirplus(&res, &r, NULL, NULL), 0);
	CU_ASSERT_EQUAL(res.entries, 1);
	put_be32(bytes + 28, 256);
	reader_init(&r, bytes, sizeof(bytes));
	CU_ASSERT_EQUAL(nfs3_res_readdirplus(&res, &r, NULL, NULL), -EBADMSG);
}

static void mnt_keeps_as_many_flavours_as_fit(void)
{
	uint8_t many[12 + 4 + 40 * 4];
	struct mount3_mnt_res res;
	struct reader r;
	uint32_t i;

	reader_init(&r, mnt_ok, sizeof(mnt_ok));
	CU_ASSERT_EQUAL(mount3_res_mnt(&res, &r), 0);
	CU_ASSERT_EQUAL(res.fh.len, 4);
	CU_ASSERT_EQUAL(res.nflavors, 2);
	CU_ASSERT_EQUAL(res.flavors[1], 390003);
	memcpy(many, mnt_ok, 12);
	put_be32(many + 12, 40);
	for (i = 0; i < 40; i++)
		put_be32(many + 16 + 4 * i, i);
	reader_init(&r, many, sizeof(many));
	CU_ASSERT_EQUAL(mount3_res_mnt(&res, &r), 0);
	CU_ASSERT_EQUAL(res.nflavors, 16);
	CU_ASSERT_EQUAL(res.flavors[15], 15);
	CU_ASSERT_EQUAL(reader_left(&r), 0);
	reader_init(&r, mnt_acces, sizeof(mnt_acces));
	CU_ASSERT_EQUAL(mount3_res_mnt(&res, &r), 0);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_ACCES);
}

static void a_handle_of_64_bytes_is_the_longest(void)
{
	uint8_t bytes[4 + 4 + 68 + 8] = { 0 };
	struct nfs3_lookup_res res;
	struct reader r;

	put_be32(bytes + 4, 64);
	reader_init(&r, bytes, 4 + 4 + 64 + 8);
	CU_ASSERT_EQUAL(nfs3_res_lookup(&res, &r), 0);
	CU_ASSERT_EQUAL(res.fh.len, 64);
	put_be32(bytes + 4, 65);
	reader_init(&r, bytes, sizeof(bytes));
	CU_ASSERT_EQUAL(nfs3_res_lookup(&res, &r), -EBADMSG);
}

static void every_status_has_its_name(void)
{
	CU_ASSERT_STRING_EQUAL(nfs3_status_text(0), "NFS3_OK");
	CU_ASSERT_STRING_EQUAL(nfs3_status_text(13), "NFS3ERR_ACCES");
	CU_ASSERT_STRING_EQUAL(nfs3_status_text(70), "NFS3ERR_STALE");
	CU_ASSERT_STRING_EQUAL(nfs3_status_text(10008), "NFS3ERR_JUKEBOX");
	CU_ASSERT_STRING_EQUAL(nfs3_status_text(12345), "NFS3ERR 12345");
	CU_ASSERT_STRING_EQUAL(nfs3_status_text(UINT32_MAX), "NFS3ERR 4294967295");
}

SUITE_MAIN("nfs3-results", TEST(every_vector_is_decoded_to_its_end),
	   TEST(every_truncation_is_refused), TEST(bytes_after_a_result_are_left_to_the_caller),
	   TEST(every_length_boolean_and_type_is_bounded), TEST(getattr_has_all_attributes),
	   TEST(lookup_has_the_objects_attributes), TEST(fsinfo_fields_are_in_order),
	   TEST(an_inline_read_has_its_data), TEST(a_reduced_read_ends_after_the_length),
	   TEST(a_link_has_its_text), TEST(readdirplus_returns_each_entry),
	   TEST(the_entry_callback_can_stop_the_list), TEST(a_truncated_entry_is_not_returned),
	   TEST(mnt_keeps_as_many_flavours_as_fit), TEST(a_name_of_255_bytes_is_the_longest),
	   TEST(a_handle_of_64_bytes_is_the_longest), TEST(every_status_has_its_name))
