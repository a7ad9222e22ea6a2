/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSv4 operations that change files: an OPEN that is refused changes nothing, a repeated one has
 * the same result, and attributes that cannot be set are refused as the RFCs say. */
#include "tests/support/compound.h"
#include "tests/unit/suite.h"

static struct compound_test *t;

static const char attr_mode[] = "\0\0\1\x80"; /* 0600 */

/* Attributes to set: a bitmap and values. */
struct values {
	uint32_t word[4];
	const char *bytes;
	uint32_t len;
};

static const struct values mode = { { 0, BIT(FATTR4_MODE) }, attr_mode, 4 };
static const struct values empty = { { BIT(FATTR4_SIZE) }, "\0\0\0\0\0\0\0", 8 };

static void put_values(const struct values *v)
{
	uint32_t words = v->word[3] ? 4 : 2, i;

	writer_u32(&t->args, words);
	for (i = 0; i < words; i++)
		writer_u32(&t->args, v->word[i]);
	writer_opaque(&t->args, v->bytes, v->len);
}

struct open_try {
	uint32_t seqid, deny, how;
	uint64_t clientid;
	const char *owner, *name;
	const struct values *values;
};

static void put_open(const struct open_try *o)
{
	struct writer *w = compound_op(t, OP_OPEN);

	writer_u32(w, o->seqid);
	writer_u32(w, OPEN4_SHARE_ACCESS_BOTH);
	writer_u32(w, o->deny);
	writer_u64(w, o->clientid);
	compound_name(t, o->owner);
	writer_bool(w, true);
	writer_u32(w, o->how);
	if (o->how == EXCLUSIVE4)
		writer_u64(w, 1);
	else
		put_values(o->values);
	writer_u32(w, CLAIM_NULL);
	compound_name(t, o->name);
}

/* The first word of @attrset is that of the result. */
static uint32_t open_file(const struct open_try *o, struct nfs4_bitmap *attrset)
{
	struct nfs4_stateid stateid;

	compound_start(t, 0);
	compound_path(t, "");
	put_open(o);
	if (compound_run(t))
		return t->status;
	compound_pass_path(t, "");
	compound_pass(t, OP_OPEN);
	nfs4_get_stateid(&t->results, &stateid);
	reader_bytes(&t->results, 24); /* change_info4, rflags */
	nfs4_get_bitmap(&t->results, attrset);
	return NFS4_OK;
}

static struct open_try begin(void)
{
	struct open_try o = { .owner = "owner", .name = "new", .values = &mode };
	uint8_t confirm[8];
	const uint8_t *p;

	compound_free(t);
	t = compound_new();
	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	CU_ASSERT_EQUAL_FATAL(export_memory_make_writable(t->exp), 0);
	compound_start(t, 0);
	writer_bytes(compound_op(t, OP_SETCLIENTID), "verifier", 8);
	compound_name(t, "one");
	writer_u32(&t->args, 0x40000000);
	compound_name(t, "tcp");
	compound_name(t, "127.0.0.1.0.0");
	writer_u32(&t->args, 1);
	CU_ASSERT_EQUAL_FATAL(compound_run(t), NFS4_OK);
	compound_result(t, OP_SETCLIENTID);
	o.clientid = reader_u64(&t->results);
	p = reader_bytes(&t->results, 8);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	memcpy(confirm, p, 8);
	compound_start(t, 0);
	writer_u64(compound_op(t, OP_SETCLIENTID_CONFIRM), o.clientid);
	writer_bytes(&t->args, confirm, 8);
	CU_ASSERT_EQUAL_FATAL(compound_run(t), NFS4_OK);
	return o;
}

static uint32_t look_up(const char *name)
{
	compound_start(t, 0);
	compound_path(t, name);
	return compound_run(t);
}

static uint64_t size_of(const char *name)
{
	compound_start(t, 0);
	compound_path(t, name);
	compound_op(t, OP_GETATTR);
	compound_bitmap(t, BIT(FATTR4_SIZE), 0, 0);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_pass_path(t, name);
	compound_pass(t, OP_GETATTR);
	reader_bytes(&t->results, 12);
	return reader_u64(&t->results);
}

/* By the anonymous stateid. */
static uint32_t set_attributes(const char *name, const struct values *v)
{
	compound_start(t, 0);
	compound_path(t, name);
	nfs4_put_stateid(compound_op(t, OP_SETATTR), &compound_anonymous);
	put_values(v);
	return compound_run(t);
}

static void an_open_that_is_refused_makes_no_file(void)
{
	struct open_try o = begin(), wrong = o;
	struct nfs4_bitmap set;

	wrong.clientid++;
	CU_ASSERT_EQUAL(open_file(&wrong, &set), NFS4ERR_STALE_CLIENTID);
	CU_ASSERT_EQUAL(look_up("new"), NFS4ERR_NOENT);
	wrong = o;
	wrong.deny = 4;
	CU_ASSERT_EQUAL(open_file(&wrong, &set), NFS4ERR_INVAL);
	CU_ASSERT_EQUAL(look_up("new"), NFS4ERR_NOENT);
	o.seqid++;
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4_OK);
	CU_ASSERT_EQUAL(look_up("new"), NFS4_OK);
}

static void a_repeated_open_has_the_same_result_and_makes_nothing(void)
{
	struct open_try o = begin();
	struct nfs4_bitmap set;
	unsigned int i;

	o.seqid = 7;
	for (i = 0; i < 2; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(open_file(&o, &set), NFS4_OK);
		CU_ASSERT_EQUAL(set.word[1], BIT(FATTR4_MODE));
	}
	/* Also after others removed it. */
	compound_start(t, 0);
	compound_path(t, "");
	compound_op(t, OP_REMOVE);
	compound_name(t, "new");
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4_OK);
	CU_ASSERT_EQUAL(look_up("new"), NFS4ERR_NOENT);
}

static void a_file_that_is_denied_is_not_truncated(void)
{
	static const struct export_create create = { .name = "new" };
	static const struct export_setattr five = { .has_size = true, .size = 5 };
	struct open_try o = begin(), other = o;
	struct nfs4_bitmap set;
	struct nfs_fh dir, fh;

	CU_ASSERT_EQUAL_FATAL(t->exp->ops->root(t->exp, &dir), 0);
	CU_ASSERT_EQUAL_FATAL(t->exp->ops->create(t->exp, &dir, &create, &fh), 0);
	CU_ASSERT_EQUAL_FATAL(t->exp->ops->setattr(t->exp, &fh, &five), 0);
	o.deny = OPEN4_SHARE_ACCESS_WRITE; /* DENY_WRITE has the same number */
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4_OK);
	CU_ASSERT_EQUAL(set.word[1], 0);
	other.owner = "other";
	other.values = &empty;
	CU_ASSERT_EQUAL(open_file(&other, &set), NFS4ERR_SHARE_DENIED);
	CU_ASSERT_EQUAL(size_of("new"), 5);
	o.values = &empty;
	o.seqid++;
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4_OK);
	CU_ASSERT_EQUAL(set.word[0], BIT(FATTR4_SIZE));
	CU_ASSERT_EQUAL(size_of("new"), 0);
}

static void existing_files_are_not_made_again(void)
{
	struct open_try o = begin();
	struct nfs4_bitmap set;

	o.name = "data-813";
	o.how = GUARDED4;
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4ERR_EXIST);
	o.seqid++;
	o.how = EXCLUSIVE4;
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4ERR_EXIST);
	o.seqid++;
	o.how = UNCHECKED4;
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4ERR_ROFS);
	o.seqid++;
	o.name = "entries-2000";
	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4ERR_ROFS);
}

static void attributes_that_cannot_be_set_are_refused(void)
{
	/* clang-format off */
	static const struct {
		struct values values;
		uint32_t status;
	} rows[] = {
		{ { { 0, BIT(FATTR4_OWNER) }, "\0\0\0\2" "36\0", 8 }, NFS4_OK },
		{ { { 0, BIT(FATTR4_OWNER) }, "\0\0\0\x0a" "4294967295\0", 16 }, NFS4_OK },
		{ { { 0, BIT(FATTR4_OWNER) }, "\0\0\0\x0b" "00000000036", 16 }, NFS4_OK },
		{ { { 0, BIT(FATTR4_OWNER) }, "\0\0\0\x0a" "4294967296\0", 16 }, NFS4ERR_BADOWNER },
		{ { { 0, BIT(FATTR4_OWNER) }, "\0\0\0\3" "a@b", 8 }, NFS4ERR_BADOWNER },
		{ { { 0, BIT(FATTR4_OWNER_GROUP) }, "\0\0\0\0", 4 }, NFS4ERR_BADOWNER },
		{ { { 0, BIT(FATTR4_OWNER) }, "\0\0\0\7" "36\0", 8 }, NFS4ERR_BADXDR },
		{ { { 1u << 12 /* ACL */ }, "\0\0\0", 4 }, NFS4ERR_ATTRNOTSUPP },
		{ { { BIT(FATTR4_TYPE) }, "\0\0\0\1", 4 }, NFS4ERR_INVAL },
		{ { { 0, 0, 0, 1 }, "\0\0\0", 4 }, NFS4ERR_ATTRNOTSUPP },
		{ { { BIT(FATTR4_SIZE) }, "\0\0\0", 4 }, NFS4ERR_BADXDR },
		{ { { BIT(FATTR4_SIZE) }, "\0\0\0\0\0\0\0\0\0\0\0", 12 }, NFS4ERR_BADXDR },
	};
	/* clang-format on */
	struct open_try o = begin();
	struct nfs4_bitmap set;
	size_t i;

	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4_OK);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(set_attributes("new", &rows[i].values), rows[i].status);
		if (!rows[i].status || rows[i].status == NFS4ERR_BADXDR)
			continue;
		/* The same of a new file, which is not made then. */
		o.seqid++;
		o.name = "other";
		o.values = &rows[i].values;
		CU_ASSERT_EQUAL(open_file(&o, &set), rows[i].status);
		CU_ASSERT_EQUAL(look_up("other"), NFS4ERR_NOENT);
	}
}

/* What it grants is done. */
static void access_grants_making_files(void)
{
	struct open_try o = begin();
	struct nfs4_bitmap set;

	CU_ASSERT_EQUAL(open_file(&o, &set), NFS4_OK);
	compound_start(t, 0);
	compound_path(t, "");
	writer_u32(compound_op(t, OP_ACCESS), 0x3f);
	compound_op(t, OP_LOOKUP);
	compound_name(t, "entries-2000");
	writer_u32(compound_op(t, OP_ACCESS), 0x3f);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_pass_path(t, "");
	compound_pass(t, OP_ACCESS);
	reader_u32(&t->results);
	CU_ASSERT_EQUAL(reader_u32(&t->results), 0x3f);
	compound_pass(t, OP_LOOKUP);
	compound_pass(t, OP_ACCESS);
	reader_u32(&t->results);
	CU_ASSERT_EQUAL(reader_u32(&t->results), 0x23);
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(an_open_that_is_refused_makes_no_file),
		TEST(a_repeated_open_has_the_same_result_and_makes_nothing),
		TEST(a_file_that_is_denied_is_not_truncated),
		TEST(existing_files_are_not_made_again),
		TEST(attributes_that_cannot_be_set_are_refused),
		TEST(access_grants_making_files),
	};
	int rc = suite_run("server-nfs4-write", tests, ARRAY_SIZE(tests));

	compound_free(t);
	return rc;
}
