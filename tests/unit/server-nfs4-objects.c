/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSv4's operations on an export: names, attributes, access, directories. In 4.0 where no
 * session is needed, and in 4.1 where the two differ. */
#include "tests/support/compound.h"
#include "tests/unit/suite.h"

static struct compound_test *t;

static uint32_t look_up(const char *dir, const char *name, uint32_t len)
{
	compound_start(t, 0);
	compound_path(t, dir);
	compound_op(t, OP_LOOKUP);
	writer_opaque(&t->args, name, len);
	return compound_run(t);
}

static void invalid_names_are_refused(void)
{
	static const char longest[300] = { 'a', 'a' };

	CU_ASSERT_EQUAL(look_up("", "", 0), NFS4ERR_INVAL);
	CU_ASSERT_EQUAL(look_up("", ".", 1), NFS4ERR_BADNAME);
	CU_ASSERT_EQUAL(look_up("", "..", 2), NFS4ERR_BADNAME);
	CU_ASSERT_EQUAL(look_up("", "a/b", 3), NFS4ERR_BADCHAR);
	CU_ASSERT_EQUAL(look_up("", "a\0b", 3), NFS4ERR_BADCHAR);
	CU_ASSERT_EQUAL(look_up("", longest, 256), NFS4ERR_NAMETOOLONG);
	CU_ASSERT_EQUAL(look_up("", "none", 4), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(look_up("data-1", "x", 1), NFS4ERR_NOTDIR);
	CU_ASSERT_EQUAL(look_up("link-5", "x", 1), NFS4ERR_SYMLINK);
	CU_ASSERT_EQUAL(look_up("entries-2000", "entry.0001", 10), NFS4_OK);
}

static void lookupp_goes_up_to_the_root(void)
{
	struct nfs_fh root;
	const uint8_t *fh;
	uint32_t len;

	t->exp->ops->root(t->exp, &root);
	compound_start(t, 0);
	compound_path(t, "entries-2000");
	compound_op(t, OP_LOOKUPP);
	compound_op(t, OP_GETFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_pass_path(t, "entries-2000");
	compound_pass(t, OP_LOOKUPP);
	CU_ASSERT_EQUAL(compound_result(t, OP_GETFH), NFS4_OK);
	fh = reader_opaque(&t->results, NFS4_FHSIZE, &len);
	CU_ASSERT_EQUAL_FATAL(len, root.len);
	ASSERT_BYTES(fh, root.data, len);
}

static void a_saved_handle_is_restored(void)
{
	const struct nfs4_bitmap size = { .word = { BIT(FATTR4_SIZE) } };

	compound_start(t, 0);
	compound_op(t, OP_RESTOREFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RESTOREFH);
	compound_sequence(t);
	compound_op(t, OP_RESTOREFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOFILEHANDLE);
	compound_start(t, 0);
	compound_path(t, "data-813");
	compound_op(t, OP_SAVEFH);
	compound_path(t, "");
	compound_op(t, OP_RESTOREFH);
	nfs4_put_bitmap(compound_op(t, OP_GETATTR), &size);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_pass_path(t, "data-813");
	compound_pass(t, OP_SAVEFH);
	compound_pass(t, OP_PUTROOTFH);
	compound_pass(t, OP_RESTOREFH);
	CU_ASSERT_EQUAL(compound_result(t, OP_GETATTR), NFS4_OK);
	reader_bytes(&t->results, 12); /* bitmap of one word, length */
	CU_ASSERT_EQUAL(reader_u64(&t->results), 813);
}

static void secinfo_offers_sys_and_none(void)
{
	uint32_t minor, style;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		compound_begin(t, minor);
		compound_path(t, "");
		compound_op(t, OP_SECINFO);
		compound_name(t, "data-1");
		compound_op(t, OP_GETFH);
		/* In 4.1 there is no current filehandle after it. */
		CU_ASSERT_EQUAL(compound_run(t), minor ? NFS4ERR_NOFILEHANDLE : 0);
		compound_pass_begin(t, minor);
		compound_pass(t, OP_PUTROOTFH);
		CU_ASSERT_EQUAL(compound_result(t, OP_SECINFO), NFS4_OK);
		CU_ASSERT_EQUAL(reader_u32(&t->results), 2);
		CU_ASSERT_EQUAL(reader_u32(&t->results), RPC_AUTH_SYS);
		CU_ASSERT_EQUAL(reader_u32(&t->results), RPC_AUTH_NONE);
	}
	for (style = 0; style < 3; style++) {
		SUITE_ROW("style %u", style);
		compound_sequence(t);
		compound_path(t, "");
		writer_u32(compound_op(t, OP_SECINFO_NO_NAME), style);
		CU_ASSERT_EQUAL(compound_run(t), style == 0   ? NFS4_OK
						 : style == 1 ? NFS4ERR_NOENT
							      : NFS4ERR_BADXDR);
	}
}

/* Attributes */

static void get_attributes(uint32_t minor, const char *name, uint32_t a, uint32_t b, uint32_t c,
			   struct nfs4_bitmap *got)
{
	compound_begin(t, minor);
	compound_path(t, name);
	compound_op(t, OP_GETATTR);
	compound_bitmap(t, a, b, c);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_pass_begin(t, minor);
	CU_ASSERT_TRUE(compound_pass_path(t, name));
	CU_ASSERT_EQUAL(compound_result(t, OP_GETATTR), NFS4_OK);
	nfs4_get_bitmap(&t->results, got);
	/* the handle fills the rest of the reply */
	CU_ASSERT_EQUAL(reader_u32(&t->results), reader_left(&t->results));
}

static void the_mandatory_attributes_are_supported(void)
{
	static const uint32_t last[] = { 0, BIT(FATTR4_SUPPATTR_EXCLCREAT) };
	struct nfs4_bitmap got, all;
	uint32_t minor;

	for (minor = 0; minor < 2; minor++) {
		SUITE_ROW("minor %u", minor);
		get_attributes(minor, "", 1, 0, 0, &got);
		nfs4_get_bitmap(&t->results, &all);
		/* 0 to 11 and the filehandle */
		CU_ASSERT_EQUAL(all.word[0] & 0x80fff, 0x80fff);
		CU_ASSERT_EQUAL(all.word[2], last[minor]);
	}
}

static void all_attributes_come_in_order(void)
{
	struct reader *r = &t->results;
	struct nfs4_bitmap got, all;
	uint32_t len;

	get_attributes(1, "", 1, 0, 0, &got);
	nfs4_get_bitmap(r, &all);
	get_attributes(1, "data-813", 0xffffffff, 0xffffffff & ~(1u << 16 | 1u << 22), 0xffffffff,
		       &got);
	ASSERT_BYTES(&got, &all, sizeof(got));
	nfs4_get_bitmap(r, &all);
	CU_ASSERT_EQUAL(reader_u32(r), NFS_REG);
	CU_ASSERT_EQUAL(reader_u32(r), 0);                          /* fh_expire_type */
	CU_ASSERT_EQUAL(reader_u64(r), UINT64_C(1700000000) << 32); /* change */
	CU_ASSERT_EQUAL(reader_u64(r), 813);
	CU_ASSERT_TRUE(reader_bool(r));  /* link_support */
	CU_ASSERT_TRUE(reader_bool(r));  /* symlink_support */
	CU_ASSERT_FALSE(reader_bool(r)); /* named_attr */
	reader_bytes(r, 16);             /* fsid */
	CU_ASSERT_TRUE(reader_bool(r));  /* unique_handles */
	CU_ASSERT_EQUAL(reader_u32(r), NFS4_LEASE_SECONDS);
	CU_ASSERT_EQUAL(reader_u32(r), 0); /* rdattr_error */
	CU_ASSERT_EQUAL(reader_u32(r), 0); /* aclsupport */
	CU_ASSERT_FALSE(reader_bool(r));
	CU_ASSERT_TRUE(reader_bool(r));
	CU_ASSERT_TRUE(reader_bool(r));
	CU_ASSERT_PTR_NOT_NULL(reader_opaque(r, NFS4_FHSIZE, &len));
	CU_ASSERT_EQUAL(len, 28);
	CU_ASSERT_NOT_EQUAL(reader_u64(r), 0); /* fileid */
	reader_bytes(r, 24);                   /* files_* */
	CU_ASSERT_TRUE(reader_bool(r));        /* homogeneous */
	CU_ASSERT_EQUAL(reader_u64(r), INT64_MAX);
	reader_u32(r);
	CU_ASSERT_EQUAL(reader_u32(r), 255);
	CU_ASSERT_EQUAL(reader_u64(r), SERVER_READ_MAX);
	CU_ASSERT_EQUAL(reader_u64(r), SERVER_WRITE_REFUSED);
	CU_ASSERT_EQUAL(reader_u32(r), 0644);
	CU_ASSERT_TRUE(reader_bool(r)); /* no_trunc */
	CU_ASSERT_EQUAL(reader_u32(r), 1);
	ASSERT_BYTES(reader_opaque(r, 20, &len), "0", 1);
	ASSERT_BYTES(reader_opaque(r, 20, &len), "0", 1);
	reader_bytes(r, 32);                 /* rawdev, space_avail, _free, _total */
	CU_ASSERT_EQUAL(reader_u64(r), 813); /* space_used */
	reader_bytes(r, 12);
	CU_ASSERT_EQUAL(reader_u64(r), 0); /* time_delta */
	CU_ASSERT_EQUAL(reader_u32(r), 1);
	reader_bytes(r, 24);
	CU_ASSERT_NOT_EQUAL(reader_u64(r), 0); /* mounted_on_fileid */
	CU_ASSERT_EQUAL(reader_u32(r), 0);     /* suppattr_exclcreat */
	CU_ASSERT_FALSE(r->bad);
	CU_ASSERT_EQUAL(reader_left(r), 0);
}

static void write_only_attributes_are_invalid(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		SUITE_ROW("%u", i);
		compound_start(t, 0);
		compound_path(t, "");
		compound_op(t, OP_GETATTR);
		compound_bitmap(t, 0, i ? BIT(FATTR4_TIME_ACCESS_SET) : BIT(FATTR4_TIME_MODIFY_SET),
				0);
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_INVAL);
	}
}

static uint32_t compare(uint32_t op, uint32_t attr, uint32_t len, uint64_t value)
{
	struct nfs4_bitmap bitmap = { .word = { 0 } };

	bitmap.word[attr / 32] |= BIT(attr);
	compound_start(t, 0);
	compound_path(t, "data-813");
	nfs4_put_bitmap(compound_op(t, op), &bitmap);
	writer_u32(&t->args, len);
	if (len == 8)
		writer_u64(&t->args, value);
	else
		writer_u32(&t->args, (uint32_t)value);
	return compound_run(t);
}

static void verify_compares_attributes(void)
{
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_SIZE, 8, 813), NFS4_OK);
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_SIZE, 8, 814), NFS4ERR_NOT_SAME);
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_SIZE, 4, 813), NFS4ERR_NOT_SAME);
	CU_ASSERT_EQUAL(compare(OP_NVERIFY, FATTR4_SIZE, 8, 813), NFS4ERR_SAME);
	CU_ASSERT_EQUAL(compare(OP_NVERIFY, FATTR4_SIZE, 8, 814), NFS4_OK);
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_RDATTR_ERROR, 4, 0), NFS4ERR_INVAL);
	CU_ASSERT_EQUAL(compare(OP_VERIFY, 12, 4, 0), NFS4ERR_ATTRNOTSUPP); /* acl */
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_SUPPATTR_EXCLCREAT, 4, 0), NFS4ERR_ATTRNOTSUPP);
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_TIME_MODIFY_SET, 4, 0), NFS4ERR_INVAL);
}

static void access_grants_only_reading(void)
{
	static const struct {
		const char *name;
		uint32_t granted;
	} objects[] = { { "", 0x23 }, { "data-1", 0x01 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(objects); i++) {
		SUITE_ROW("%zu: %s", i, objects[i].name);
		compound_start(t, 0);
		compound_path(t, objects[i].name);
		writer_u32(compound_op(t, OP_ACCESS), 0xffffffff);
		CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
		compound_pass_path(t, objects[i].name);
		compound_pass(t, OP_ACCESS);
		CU_ASSERT_EQUAL(reader_u32(&t->results), 0x3f);
		CU_ASSERT_EQUAL(reader_u32(&t->results), objects[i].granted);
	}
}

/* READDIR */

static uint32_t list(const char *dir, uint64_t cookie, const uint8_t *verifier, uint32_t maxcount)
{
	struct writer *w;

	compound_start(t, 0);
	compound_path(t, dir);
	w = compound_op(t, OP_READDIR);
	writer_u64(w, cookie);
	writer_bytes(w, verifier, NFS4_VERIFIER_SIZE);
	writer_u32(w, 512);
	writer_u32(w, maxcount);
	compound_bitmap(t, BIT(FATTR4_SIZE) | BIT(FATTR4_RDATTR_ERROR) | BIT(FATTR4_FILEHANDLE),
			BIT(FATTR4_MODE), 0);
	if (compound_run(t))
		return t->status;
	compound_pass_path(t, dir);
	compound_pass(t, OP_READDIR);
	return t->status;
}

/* One entry: 8 size, 4 rdattr_error, 4 + 28 handle, 4 mode. Returns its cookie. */
static uint64_t pass_entry(char name[NFS3_NAME_MAX + 1])
{
	struct reader *r = &t->results;
	uint64_t cookie = reader_u64(r);
	struct nfs4_bitmap got;
	uint32_t len;
	const uint8_t *p = reader_opaque(r, NFS3_NAME_MAX, &len);

	memcpy(name, p ? p : (const uint8_t *)"", len);
	name[len] = '\0';
	nfs4_get_bitmap(r, &got);
	CU_ASSERT_EQUAL(got.word[0],
			BIT(FATTR4_SIZE) | BIT(FATTR4_RDATTR_ERROR) | BIT(FATTR4_FILEHANDLE));
	CU_ASSERT_EQUAL(got.word[1], BIT(FATTR4_MODE));
	CU_ASSERT_EQUAL(reader_u32(r), 48);
	reader_bytes(r, 48);
	return cookie;
}

static void readdir_continues_where_it_ended(void)
{
	static const uint8_t none[NFS4_VERIFIER_SIZE];
	char name[NFS3_NAME_MAX + 1], want[32];
	unsigned int count = 0, calls = 0;
	uint64_t cookie = 0;
	bool eof = false;

	while (!eof && ++calls < 100) {
		CU_ASSERT_EQUAL_FATAL(
			list("entries-2000", cookie, cookie ? t->exp->verifier : none, 32768),
			NFS4_OK);
		ASSERT_AT_MOST(t->call.reply.len, 24 + 12 + 2 * 8 + 8 + 32768);
		ASSERT_BYTES(reader_bytes(&t->results, 8), t->exp->verifier, 8);
		while (reader_bool(&t->results)) {
			cookie = pass_entry(name);
			ASSERT_MORE(cookie, 2);
			snprintf(want, sizeof(want), "entry.%04u", ++count);
			CU_ASSERT_STRING_EQUAL(name, want);
		}
		eof = reader_bool(&t->results);
		CU_ASSERT_FALSE_FATAL(t->results.bad);
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
	}
	CU_ASSERT_EQUAL(count, 2000);
	ASSERT_MORE(calls, 5);
}

static void readdir_respects_maxcount(void)
{
	static const uint8_t none[NFS4_VERIFIER_SIZE];
	/* verifier; the entry: follows, cookie, name, bitmap, values; no more, eof */
	const uint32_t first = 8 + 4 + 8 + 4 + 12 + 12 + 4 + 48 + 8;
	uint32_t maxcount, before = 24 + 12 + 8 + 8 + 8;

	for (maxcount = 0; maxcount < 1000; maxcount++) {
		SUITE_ROW("maxcount %u", maxcount);
		CU_ASSERT_EQUAL(list("entries-2000", 0, none, maxcount),
				maxcount < first ? NFS4ERR_TOOSMALL : NFS4_OK);
		CU_ASSERT(t->status || t->call.reply.len <= before + maxcount);
	}
}

static void readdir_refuses_other_cookies_and_objects(void)
{
	static const uint8_t other[NFS4_VERIFIER_SIZE] = "another";

	CU_ASSERT_EQUAL(list("entries-2000", 5, other, 32768), NFS4ERR_NOT_SAME);
	CU_ASSERT_EQUAL(list("entries-2000", 1, t->exp->verifier, 32768), NFS4ERR_BAD_COOKIE);
	CU_ASSERT_EQUAL(list("entries-2000", 2, t->exp->verifier, 32768), NFS4ERR_BAD_COOKIE);
	CU_ASSERT_EQUAL(list("entries-2000", 999999, t->exp->verifier, 32768), NFS4ERR_BAD_COOKIE);
	CU_ASSERT_EQUAL(list("data-1", 0, other, 32768), NFS4ERR_NOTDIR);
	/* libnfs returns no verifier */
	CU_ASSERT_EQUAL(list("entries-2000", 5, (const uint8_t[8]){ 0 }, 32768), NFS4_OK);
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(invalid_names_are_refused),
		TEST(lookupp_goes_up_to_the_root),
		TEST(a_saved_handle_is_restored),
		TEST(secinfo_offers_sys_and_none),
		TEST(the_mandatory_attributes_are_supported),
		TEST(all_attributes_come_in_order),
		TEST(write_only_attributes_are_invalid),
		TEST(verify_compares_attributes),
		TEST(access_grants_only_reading),
		TEST(readdir_continues_where_it_ended),
		TEST(readdir_respects_maxcount),
		TEST(readdir_refuses_other_cookies_and_objects),
	};
	uint64_t clientid;
	int rc;

	t = compound_new();
	if (!t || compound_session(t, "test", &clientid))
		return 2;
	rc = suite_run("server-nfs4-objects", tests, ARRAY_SIZE(tests));
	compound_free(t);
	return rc;
}
