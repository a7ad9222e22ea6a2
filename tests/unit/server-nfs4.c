/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFSv4's COMPOUND and its operations on objects: good, cut and hostile arguments, in 4.0 where no
 * session is needed and in 4.1 where the two differ. Clients, sessions and opens are tested
 * in server-nfs4-sessions.c and server-nfs4-opens.c, Write chunks in server-nfs4-rdma.c. */
#include "tests/support/compound.h"
#include "tests/unit/suite.h"

static struct compound_test *t;

/* Everything in a session of 4.1, or without one in 4.0. */
static void begin(uint32_t minor)
{
	if (minor)
		compound_sequence(t);
	else
		compound_start(t, 0);
}

static bool pass_begin(uint32_t minor)
{
	return !minor || compound_pass_sequence(t);
}

static void put_bitmap(uint32_t a, uint32_t b, uint32_t c)
{
	nfs4_put_bitmap(&t->args, &(struct nfs4_bitmap){ { a, b, c } });
}

#define BIT(attr) (1u << (attr) % 32)

/* The COMPOUND itself */

static void other_minor_versions_are_a_mismatch(void)
{
	static const uint32_t minors[] = { 2, 3, 0x7fffffff, 0xffffffff };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(minors); i++) {
		compound_start(t, minors[i]);
		compound_path(t, "");
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_MINOR_VERS_MISMATCH);
		CU_ASSERT_EQUAL(t->count, 0);
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
	}
}

static void nothing_to_do_is_done(void)
{
	uint32_t minor;

	for (minor = 0; minor < 2; minor++) {
		compound_start(t, minor);
		CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
		CU_ASSERT_EQUAL(t->count, 0);
	}
}

static void the_tag_comes_back(void)
{
	uint8_t buf[1200];
	struct writer w;

	writer_init(&w, buf, sizeof(buf));
	writer_opaque(&w, "tagtag7", 7);
	writer_u32(&w, 0);
	writer_u32(&w, 0);
	CU_ASSERT_EQUAL(compound_run_bytes(t, buf, w.len), 0);
	ASSERT_BYTES(t->reply_buf + 24, "\0\0\0\0\0\0\0\7tagtag7\0\0\0\0", 20);
	/* too long a one */
	writer_init(&w, buf, sizeof(buf));
	writer_u32(&w, 1025);
	writer_reserve(&w, 1100);
	CU_ASSERT_EQUAL(compound_run_bytes(t, buf, w.len), 0);
	CU_ASSERT_EQUAL(t->reply.accept_stat, RPC_GARBAGE_ARGS);
}

static void a_cut_compound_is_garbage_or_bad_xdr(void)
{
	uint8_t buf[16];
	struct writer w;
	size_t len;

	for (len = 0; len < 12; len++) {
		memset(buf, 0, sizeof(buf));
		CU_ASSERT_EQUAL(compound_run_bytes(t, buf, len), 0);
		CU_ASSERT_EQUAL(t->reply.accept_stat, RPC_GARBAGE_ARGS);
	}
	/* two operations are announced, half a number comes */
	writer_init(&w, buf, sizeof(buf));
	writer_u64(&w, 0);
	writer_u32(&w, 2);
	writer_bytes(&w, "\0\0", 2);
	CU_ASSERT_EQUAL(compound_run_bytes(t, buf, w.len), 0);
	CU_ASSERT_EQUAL(t->status, NFS4ERR_BADXDR);
	CU_ASSERT_EQUAL(t->count, 1);
}

static void the_first_failure_is_the_last_result(void)
{
	compound_start(t, 0);
	compound_path(t, "none");
	compound_op(t, OP_GETFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(t->count, 2);
	CU_ASSERT_TRUE(compound_pass(t, OP_PUTROOTFH));
	CU_ASSERT_EQUAL(compound_result(t, OP_LOOKUP), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(reader_left(&t->results), 0);
}

static void unknown_operations_are_illegal(void)
{
	static const uint32_t ops[] = { 0, 1, 2, 59, 60, 76, 10044, 0xffffffff };
	uint32_t minor, op;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		for (i = 0; i < ARRAY_SIZE(ops); i++) {
			begin(minor);
			compound_op(t, ops[i]);
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_OP_ILLEGAL);
			CU_ASSERT_TRUE(pass_begin(minor));
			CU_ASSERT_EQUAL(compound_result(t, OP_ILLEGAL),
					NFS4ERR_OP_ILLEGAL);
		}
	}
	/* What came with 4.1 is not in 4.0. */
	for (op = OP_BACKCHANNEL_CTL; op <= OP_RECLAIM_COMPLETE; op++) {
		compound_start(t, 0);
		compound_op(t, op);
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_OP_ILLEGAL);
	}
}

/* Good arguments of every operation; p: what may be there or not. As nfs4_skip() has them, with
 * f handle, q stateid of zeros, m bitmap, v fattr4, and w SAVEFH before it. Those that need more
 * are in server-nfs4-opens.c. */
static const struct {
	uint32_t op;
	const char *args;
	uint32_t status;
	bool needs_fh;
} rows[] = {
	{ OP_ACCESS, "4", 0, true },
	{ OP_COMMIT, "84", NFS4ERR_ROFS, true },
	{ OP_CREATE, "Dnv", NFS4ERR_ROFS, true },
	{ OP_CREATE, "Lnv", NFS4ERR_ROFS, true },
	{ OP_CREATE, "Bnv", NFS4ERR_ROFS, true },
	{ OP_GETATTR, "m", 0, true },
	{ OP_GETFH, "", 0, true },
	{ OP_LINK, "n", NFS4ERR_ROFS, true },
	{ OP_LOOKUP, "n", 0, true },
	{ OP_LOOKUPP, "", NFS4ERR_NOENT, true },
	{ OP_NVERIFY, "v", NFS4ERR_SAME, true },
	{ OP_PUTFH, "f", 0, false },
	{ OP_PUTPUBFH, "", 0, false },
	{ OP_PUTROOTFH, "", 0, false },
	{ OP_READ, "q84", NFS4ERR_ISDIR, true },
	{ OP_READDIR, "8844m", 0, true },
	{ OP_READLINK, "", 0, true },
	{ OP_REMOVE, "n", NFS4ERR_ROFS, true },
	{ OP_RENAME, "nn", NFS4ERR_ROFS, true },
	{ OP_SAVEFH, "", 0, true },
	{ OP_SECINFO, "n", 0, true },
	{ OP_SETATTR, "qv", NFS4ERR_ROFS, true },
	{ OP_VERIFY, "v", 0, true },
	{ OP_WRITE, "q84n", NFS4ERR_ROFS, true },
};

static void put_args(const char *shape)
{
	struct writer *w = &t->args;
	struct nfs_fh root;

	for (; *shape; shape++) {
		switch (*shape) {
		case '4': writer_u32(w, 4096); break;
		case '8': writer_u64(w, 0); break;
		case 'n': writer_opaque(w, "data-813", 8); break;
		case 'q': nfs4_put_stateid(w, &compound_anonymous); break;
		case 'm': put_bitmap(BIT(FATTR4_TYPE) | BIT(FATTR4_FILEID), 0, 0); break;
		case 'v':
			put_bitmap(BIT(FATTR4_TYPE), 0, 0);
			writer_u32(w, 4);
			writer_u32(w, NFS_DIR);
			break;
		case 'f':
			t->exp->ops->root(t->exp, &root);
			writer_opaque(w, root.data, root.len);
			break;
		case 'D': writer_u32(w, NFS_DIR); break;
		case 'L':
			writer_u32(w, NFS_LNK);
			writer_opaque(w, "target", 6);
			break;
		case 'B':
			writer_u32(w, NFS_BLK);
			writer_u64(w, 0);
			break;
		default: CU_FAIL_FATAL("no such shape");
		}
	}
}

/* Root, saved too, and the operation. Returns where its arguments begin. */
static size_t put_row(uint32_t minor, size_t i)
{
	size_t start;

	begin(minor);
	compound_path(t, "");
	compound_op(t, OP_SAVEFH);
	compound_op(t, rows[i].op);
	start = t->args.len;
	put_args(rows[i].args);
	return start;
}

static uint32_t pass_row(uint32_t minor, size_t i)
{
	CU_ASSERT_TRUE(pass_begin(minor));
	CU_ASSERT_TRUE(compound_pass(t, OP_PUTROOTFH));
	CU_ASSERT_TRUE(compound_pass(t, OP_SAVEFH));
	return compound_result(t, rows[i].op);
}

static void good_arguments_are_answered(void)
{
	uint32_t minor, status, wrong;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			put_row(minor, i);
			compound_run(t);
			status = pass_row(minor, i);
			/* the root is no link */
			wrong = minor ? NFS4ERR_WRONG_TYPE : NFS4ERR_INVAL;
			CU_ASSERT_EQUAL(status, rows[i].op == OP_READLINK
							? wrong
							: rows[i].status);
			/* SETATTR says which attributes were set. */
			if (rows[i].op == OP_SETATTR)
				CU_ASSERT_EQUAL(reader_u32(&t->results), 0);
			if (status)
				CU_ASSERT_EQUAL(reader_left(&t->results), 0);
			CU_ASSERT_EQUAL(t->status, status);
		}
	}
}

static void cut_arguments_are_bad_xdr_at_every_length(void)
{
	size_t i, len, start, end;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		start = put_row(0, i);
		end = t->args.len;
		for (len = start; len < end; len++) {
			t->args.len = len;
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
			CU_ASSERT_EQUAL(pass_row(0, i), NFS4ERR_BADXDR);
			CU_ASSERT_EQUAL(t->call.payload_count, 0);
		}
	}
}

static void lengths_without_measure_are_bad_xdr(void)
{
	static const uint32_t lengths[] = { 0x7fffffff, 0x80000000, 0xfffffffd,
					    0xffffffff };
	size_t i, j, start;
	uint32_t status;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			start = put_row(0, i);
			if (t->args.len < start + 4)
				continue;
			put_be32(t->args.base + start, lengths[j]);
			compound_run(t);
			status = pass_row(0, i);
			if (strchr("nfmv", rows[i].args[0]))
				CU_ASSERT_EQUAL(status, NFS4ERR_BADXDR);
		}
	}
}

static void without_a_filehandle_nothing_is_done(void)
{
	uint32_t minor;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			begin(minor);
			compound_op(t, rows[i].op);
			put_args(rows[i].args);
			compound_run(t);
			pass_begin(minor);
			if (rows[i].needs_fh)
				CU_ASSERT_EQUAL(compound_result(t, rows[i].op),
						NFS4ERR_NOFILEHANDLE);
		}
	}
	/* nor without a saved one */
	for (i = 0; i < 2; i++) {
		compound_start(t, 0);
		compound_path(t, "");
		compound_op(t, i ? OP_LINK : OP_RENAME);
		put_args("nn");
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOFILEHANDLE);
	}
}

static void what_there_is_not_is_not_supported(void)
{
	static const uint32_t in_both[] = { OP_DELEGPURGE, OP_DELEGRETURN, OP_LOCK,
					    OP_LOCKT,      OP_LOCKU,       OP_OPENATTR };
	static const uint32_t in_41[] = {
		OP_SETCLIENTID,        OP_SETCLIENTID_CONFIRM, OP_RENEW,
		OP_RELEASE_LOCKOWNER,  OP_OPEN_CONFIRM,        OP_BACKCHANNEL_CTL,
		OP_GETDEVICEINFO,      OP_LAYOUTGET,           OP_WANT_DELEGATION,
		OP_GET_DIR_DELEGATION,
	};
	uint32_t minor;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		for (i = 0; i < ARRAY_SIZE(in_both); i++) {
			begin(minor);
			compound_path(t, "");
			compound_op(t, in_both[i]);
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOTSUPP);
		}
	}
	for (i = 0; i < ARRAY_SIZE(in_41); i++) {
		begin(1);
		compound_path(t, "");
		compound_op(t, in_41[i]);
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_NOTSUPP);
	}
}

/* Handles and names */

static void handles_that_are_not_ours_are_refused(void)
{
	static const struct {
		size_t at;
		uint32_t status;
	} wrong[] = { { 4, NFS4ERR_BADHANDLE }, { 8, NFS4ERR_STALE } };
	size_t i, at;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		compound_start(t, 0);
		compound_op(t, OP_PUTFH);
		at = t->args.len + wrong[i].at;
		put_args("f");
		t->args.base[at] ^= 1;
		CU_ASSERT_EQUAL(compound_run(t), wrong[i].status);
	}
	compound_start(t, 0);
	compound_op(t, OP_PUTFH);
	writer_u32(&t->args, 129);
	writer_reserve(&t->args, 132);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
}

static uint32_t look_up(const char *dir, const char *name, uint32_t len)
{
	compound_start(t, 0);
	compound_path(t, dir);
	compound_op(t, OP_LOOKUP);
	writer_opaque(&t->args, name, len);
	return compound_run(t);
}

static void names_have_rules(void)
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
	CU_ASSERT_TRUE(compound_pass(t, OP_GETFH));
	fh = reader_opaque(&t->results, NFS4_FHSIZE, &len);
	CU_ASSERT_EQUAL_FATAL(len, root.len);
	ASSERT_BYTES(fh, root.data, len);
}

static void a_saved_handle_comes_back(void)
{
	const struct nfs4_bitmap size = { { BIT(FATTR4_SIZE) } };

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
	CU_ASSERT_TRUE(compound_pass(t, OP_GETATTR));
	reader_bytes(&t->results, 12); /* bitmap of one word, length */
	CU_ASSERT_EQUAL(reader_u64(&t->results), 813);
}

static void secinfo_offers_sys_and_none(void)
{
	uint32_t minor, style;

	for (minor = 0; minor < 2; minor++) {
		begin(minor);
		compound_path(t, "");
		compound_op(t, OP_SECINFO);
		compound_name(t, "data-1");
		compound_op(t, OP_GETFH);
		/* In 4.1 there is no current filehandle after it. */
		CU_ASSERT_EQUAL(compound_run(t), minor ? NFS4ERR_NOFILEHANDLE : 0);
		pass_begin(minor);
		compound_pass(t, OP_PUTROOTFH);
		CU_ASSERT_TRUE(compound_pass(t, OP_SECINFO));
		CU_ASSERT_EQUAL(reader_u32(&t->results), 2);
		CU_ASSERT_EQUAL(reader_u32(&t->results), RPC_AUTH_SYS);
		CU_ASSERT_EQUAL(reader_u32(&t->results), RPC_AUTH_NONE);
	}
	for (style = 0; style < 3; style++) {
		compound_sequence(t);
		compound_path(t, "");
		writer_u32(compound_op(t, OP_SECINFO_NO_NAME), style);
		CU_ASSERT_EQUAL(compound_run(t), style == 0   ? NFS4_OK
						 : style == 1 ? NFS4ERR_NOENT
							      : NFS4ERR_BADXDR);
	}
}

/* Attributes */

static void get_attributes(uint32_t minor, const char *name, uint32_t a, uint32_t b,
			   uint32_t c, struct nfs4_bitmap *got)
{
	begin(minor);
	compound_path(t, name);
	compound_op(t, OP_GETATTR);
	put_bitmap(a, b, c);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	pass_begin(minor);
	CU_ASSERT_TRUE(compound_pass_path(t, name));
	CU_ASSERT_TRUE(compound_pass(t, OP_GETATTR));
	nfs4_get_bitmap(&t->results, got);
	/* what there is fills the rest of the reply */
	CU_ASSERT_EQUAL(reader_u32(&t->results), reader_left(&t->results));
}

static void the_mandatory_attributes_are_supported(void)
{
	static const uint32_t last[] = { 0, BIT(FATTR4_SUPPATTR_EXCLCREAT) };
	struct nfs4_bitmap got, all;
	uint32_t minor;

	for (minor = 0; minor < 2; minor++) {
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
	get_attributes(1, "data-813", 0xffffffff, 0xffffffff & ~(1u << 16 | 1u << 22),
		       0xffffffff, &got);
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
	CU_ASSERT_EQUAL(reader_u64(r), SERVER_WRITE_MAX);
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

static void attributes_that_are_only_written_are_invalid(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		compound_start(t, 0);
		compound_path(t, "");
		compound_op(t, OP_GETATTR);
		put_bitmap(0,
			   i ? BIT(FATTR4_TIME_ACCESS_SET) : BIT(FATTR4_TIME_MODIFY_SET),
			   0);
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_INVAL);
	}
}

static uint32_t compare(uint32_t op, uint32_t attr, uint32_t len, uint64_t value)
{
	struct nfs4_bitmap bitmap = { { 0 } };

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
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_SUPPATTR_EXCLCREAT, 4, 0),
			NFS4ERR_ATTRNOTSUPP);
	CU_ASSERT_EQUAL(compare(OP_VERIFY, FATTR4_TIME_MODIFY_SET, 4, 0), NFS4ERR_INVAL);
}

static void access_grants_reading_alone(void)
{
	static const struct {
		const char *name;
		uint32_t granted;
	} objects[] = { { "", 0x23 }, { "data-1", 0x01 } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(objects); i++) {
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

static uint32_t list(const char *dir, uint64_t cookie, const uint8_t *verifier,
		     uint32_t maxcount)
{
	struct writer *w;

	compound_start(t, 0);
	compound_path(t, dir);
	w = compound_op(t, OP_READDIR);
	writer_u64(w, cookie);
	writer_bytes(w, verifier, NFS4_VERIFIER_SIZE);
	writer_u32(w, 512);
	writer_u32(w, maxcount);
	put_bitmap(BIT(FATTR4_SIZE) | BIT(FATTR4_RDATTR_ERROR) | BIT(FATTR4_FILEHANDLE),
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
	CU_ASSERT_EQUAL(got.word[0], BIT(FATTR4_SIZE) | BIT(FATTR4_RDATTR_ERROR) |
					     BIT(FATTR4_FILEHANDLE));
	CU_ASSERT_EQUAL(got.word[1], BIT(FATTR4_MODE));
	CU_ASSERT_EQUAL(reader_u32(r), 48);
	reader_bytes(r, 48);
	return cookie;
}

static void readdir_goes_on_where_it_ended(void)
{
	static const uint8_t none[NFS4_VERIFIER_SIZE];
	char name[NFS3_NAME_MAX + 1], want[32];
	unsigned int count = 0, calls = 0;
	uint64_t cookie = 0;
	bool eof = false;

	while (!eof && ++calls < 100) {
		CU_ASSERT_EQUAL_FATAL(list("entries-2000", cookie,
					   cookie ? t->exp->verifier : none, 32768),
				      NFS4_OK);
		CU_ASSERT(t->call.reply.len <= 24 + 12 + 2 * 8 + 8 + 32768);
		ASSERT_BYTES(reader_bytes(&t->results, 8), t->exp->verifier, 8);
		while (reader_bool(&t->results)) {
			cookie = pass_entry(name);
			CU_ASSERT(cookie > 2);
			snprintf(want, sizeof(want), "entry.%04u", ++count);
			CU_ASSERT_STRING_EQUAL(name, want);
		}
		eof = reader_bool(&t->results);
		CU_ASSERT_FALSE_FATAL(t->results.bad);
		CU_ASSERT_EQUAL(reader_left(&t->results), 0);
	}
	CU_ASSERT_EQUAL(count, 2000);
	CU_ASSERT(calls > 5);
}

static void readdir_keeps_to_maxcount(void)
{
	static const uint8_t none[NFS4_VERIFIER_SIZE];
	/* verifier; the entry: follows, cookie, name, bitmap, values; no more, eof */
	const uint32_t first = 8 + 4 + 8 + 4 + 12 + 12 + 4 + 48 + 8;
	uint32_t maxcount, before = 24 + 12 + 8 + 8 + 8;

	for (maxcount = 0; maxcount < 1000; maxcount++) {
		CU_ASSERT_EQUAL(list("entries-2000", 0, none, maxcount),
				maxcount < first ? NFS4ERR_TOOSMALL : NFS4_OK);
		CU_ASSERT(t->status || t->call.reply.len <= before + maxcount);
	}
}

static void readdir_refuses_other_cookies_and_objects(void)
{
	static const uint8_t other[NFS4_VERIFIER_SIZE] = "another";

	CU_ASSERT_EQUAL(list("entries-2000", 5, other, 32768), NFS4ERR_NOT_SAME);
	CU_ASSERT_EQUAL(list("entries-2000", 1, t->exp->verifier, 32768),
			NFS4ERR_BAD_COOKIE);
	CU_ASSERT_EQUAL(list("entries-2000", 2, t->exp->verifier, 32768),
			NFS4ERR_BAD_COOKIE);
	CU_ASSERT_EQUAL(list("entries-2000", 999999, t->exp->verifier, 32768),
			NFS4ERR_BAD_COOKIE);
	CU_ASSERT_EQUAL(list("data-1", 0, other, 32768), NFS4ERR_NOTDIR);
	/* libnfs returns no verifier */
	CU_ASSERT_EQUAL(list("entries-2000", 5, (const uint8_t[8]){ 0 }, 32768), NFS4_OK);
}

/* READ, READLINK */

static void reads_carry_their_data(void)
{
	static const struct {
		uint64_t offset;
		uint32_t count, len;
		bool eof;
	} reads[] = {
		{ 0, 100, 100, false },     { 8, 800, 800, false }, { 8, 805, 805, true },
		{ 8, 4096, 805, true },     { 813, 10, 0, true },   { 5000, 10, 0, true },
		{ UINT64_MAX, 1, 0, true }, { 0, 0, 0, false },
	};
	struct reader *r = &t->results;
	uint32_t len;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		compound_start(t, 0);
		compound_path(t, "data-813");
		compound_read(t, &compound_anonymous, reads[i].offset, reads[i].count);
		CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
		compound_pass_path(t, "data-813");
		compound_pass(t, OP_READ);
		CU_ASSERT_EQUAL(reader_bool(r), reads[i].eof);
		CU_ASSERT_PTR_NOT_NULL(reader_opaque(r, 4096, &len));
		CU_ASSERT_EQUAL(len, reads[i].len);
		if (len >= 8)
			CU_ASSERT_EQUAL(get_be64(t->call.payload[0].data),
					reads[i].offset);
		CU_ASSERT_EQUAL(reader_left(r), 0);
	}
}

static void reads_are_clipped_to_rtmax(void)
{
	compound_start(t, 0);
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, 0xffffffff);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_EQUAL(t->call.payload[0].len, SERVER_READ_MAX);
}

static void special_stateids_read(void)
{
	static const struct nfs4_stateid bypass = {
		.seqid = UINT32_MAX,
		.other = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
			   0xff, 0xff },
	};
	static const struct nfs4_stateid invalid = { .seqid = UINT32_MAX };
	static const struct nfs4_stateid current = { .seqid = 1 };

	compound_start(t, 0);
	compound_path(t, "data-813");
	compound_read(t, &bypass, 0, 1);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	begin(1);
	compound_path(t, "data-813");
	compound_read(t, &invalid, 0, 1);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BAD_STATEID);
	begin(1);
	compound_path(t, "data-813");
	compound_read(t, &current, 0, 1); /* there is none */
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BAD_STATEID);
}

static void only_files_are_read_and_only_links_followed(void)
{
	static const struct {
		const char *name;
		uint32_t op, status[2];
	} wrong[] = {
		{ "", OP_READ, { NFS4ERR_ISDIR, NFS4ERR_ISDIR } },
		{ "link-5", OP_READ, { NFS4ERR_INVAL, NFS4ERR_SYMLINK } },
		{ "", OP_READLINK, { NFS4ERR_INVAL, NFS4ERR_WRONG_TYPE } },
		{ "data-1", OP_READLINK, { NFS4ERR_INVAL, NFS4ERR_WRONG_TYPE } },
	};
	uint32_t minor;
	size_t i;

	for (minor = 0; minor < 2; minor++) {
		for (i = 0; i < ARRAY_SIZE(wrong); i++) {
			begin(minor);
			compound_path(t, wrong[i].name);
			if (wrong[i].op == OP_READ)
				compound_read(t, &compound_anonymous, 0, 10);
			else
				compound_op(t, OP_READLINK);
			CU_ASSERT_EQUAL(compound_run(t), wrong[i].status[minor]);
			CU_ASSERT_EQUAL(t->call.payload_count, 0);
		}
	}
}

static void what_follows_data_stands_behind_them(void)
{
	struct reader *r = &t->results;
	const uint8_t *data;
	uint32_t len;

	compound_start(t, 0);
	compound_path(t, "data-4194304");
	compound_read(t, &compound_anonymous, 8, 13);
	compound_op(t, OP_GETFH);
	compound_read(t, &compound_anonymous, 65536, 1048576);
	compound_path(t, "link-5");
	compound_op(t, OP_READLINK);
	compound_op(t, OP_GETFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	CU_ASSERT_EQUAL(t->call.payload_count, 3);
	compound_pass_path(t, "data-4194304");
	compound_pass(t, OP_READ);
	reader_bool(r);
	data = reader_opaque(r, 100, &len);
	CU_ASSERT_EQUAL(len, 13);
	CU_ASSERT_EQUAL(get_be64(data), 8);
	CU_ASSERT_TRUE(compound_pass(t, OP_GETFH));
	reader_opaque(r, NFS4_FHSIZE, &len);
	CU_ASSERT_TRUE(compound_pass(t, OP_READ));
	reader_bool(r);
	data = reader_opaque(r, SERVER_READ_MAX, &len);
	CU_ASSERT_EQUAL(len, 1048576);
	CU_ASSERT_EQUAL(get_be64(data), 65536);
	CU_ASSERT_TRUE(compound_pass_path(t, "link-5"));
	CU_ASSERT_TRUE(compound_pass(t, OP_READLINK));
	ASSERT_BYTES(reader_opaque(r, 100, &len), "abcde", 5);
	CU_ASSERT_TRUE(compound_pass(t, OP_GETFH));
	reader_opaque(r, NFS4_FHSIZE, &len);
	CU_ASSERT_FALSE(r->bad);
	CU_ASSERT_EQUAL(reader_left(r), 0);
}

/* Bounds */

static void more_data_than_there_is_room_for_end_the_compound(void)
{
	unsigned int i;

	compound_start(t, 0);
	compound_path(t, "data-4194304");
	for (i = 0; i < CALL_PAYLOADS + 1; i++)
		compound_read(t, &compound_anonymous, 0, 4);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RESOURCE);
	CU_ASSERT_EQUAL(t->count, 2 + CALL_PAYLOADS + 1);
	CU_ASSERT_EQUAL(t->call.payload_count, CALL_PAYLOADS);
	/* what does not fit the memory for data that an export makes up */
	compound_start(t, 0);
	compound_path(t, "sparse-4296015877");
	for (i = 0; i < 3; i++)
		compound_read(t, &compound_anonymous, 0, 1048576);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RESOURCE);
	CU_ASSERT_EQUAL(t->count, 2 + 3);
}

static void a_reply_never_outgrows_its_room(void)
{
	size_t room;
	unsigned int i;

	for (room = 48; room < 400; room++) {
		compound_start(t, 0);
		compound_path(t, "");
		for (i = 0; i < 8; i++)
			compound_op(t, OP_GETFH);
		t->room = room;
		CU_ASSERT_EQUAL(compound_run(t),
				room < 24 + 12 + 8 + 8 * 40 ? NFS4ERR_RESOURCE : NFS4_OK);
		CU_ASSERT(t->call.reply.len <= room);
		t->room = 0;
	}
}

static void operations_have_a_bound(void)
{
	unsigned int i;

	compound_start(t, 0);
	for (i = 0; i < 100; i++)
		compound_op(t, OP_PUTROOTFH);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_RESOURCE);
	CU_ASSERT_EQUAL(t->count, NFS4_OPERATIONS + 1);
	/* a number that promises more than there is */
	t->ops = 0xffffffff;
	t->args.len = 16;
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
	CU_ASSERT_EQUAL(t->count, 5);
}

static void a_name_in_a_chunk_is_garbage(void)
{
	t->reduced = true;
	compound_start(t, 0);
	compound_path(t, "data-1");
	compound_run(t);
	CU_ASSERT_EQUAL(t->reply.accept_stat, RPC_GARBAGE_ARGS);
	/* but WRITE's data may be there */
	compound_start(t, 0);
	compound_path(t, "data-1");
	compound_op(t, OP_WRITE);
	put_args("q84");
	writer_u32(&t->args, 4096);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_ROFS);
	t->reduced = false;
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(other_minor_versions_are_a_mismatch),
		TEST(nothing_to_do_is_done),
		TEST(the_tag_comes_back),
		TEST(a_cut_compound_is_garbage_or_bad_xdr),
		TEST(the_first_failure_is_the_last_result),
		TEST(unknown_operations_are_illegal),
		TEST(good_arguments_are_answered),
		TEST(cut_arguments_are_bad_xdr_at_every_length),
		TEST(lengths_without_measure_are_bad_xdr),
		TEST(without_a_filehandle_nothing_is_done),
		TEST(what_there_is_not_is_not_supported),
		TEST(handles_that_are_not_ours_are_refused),
		TEST(names_have_rules),
		TEST(lookupp_goes_up_to_the_root),
		TEST(a_saved_handle_comes_back),
		TEST(secinfo_offers_sys_and_none),
		TEST(the_mandatory_attributes_are_supported),
		TEST(all_attributes_come_in_order),
		TEST(attributes_that_are_only_written_are_invalid),
		TEST(verify_compares_attributes),
		TEST(access_grants_reading_alone),
		TEST(readdir_goes_on_where_it_ended),
		TEST(readdir_keeps_to_maxcount),
		TEST(readdir_refuses_other_cookies_and_objects),
		TEST(reads_carry_their_data),
		TEST(reads_are_clipped_to_rtmax),
		TEST(special_stateids_read),
		TEST(only_files_are_read_and_only_links_followed),
		TEST(what_follows_data_stands_behind_them),
		TEST(more_data_than_there_is_room_for_end_the_compound),
		TEST(a_reply_never_outgrows_its_room),
		TEST(operations_have_a_bound),
		TEST(a_name_in_a_chunk_is_garbage),
	};
	uint64_t clientid;
	int rc;

	t = calloc(1, sizeof(*t));
	if (!t || export_memory_new(&t->exp) || nfs4_state_new(&t->state) ||
	    compound_session(t, "test", &clientid))
		return 2;
	rc = suite_run("server-nfs4", tests, ARRAY_SIZE(tests));
	nfs4_state_free(t->state);
	export_free(t->exp);
	free(t);
	return rc;
}
