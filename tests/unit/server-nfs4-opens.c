/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Clients of NFSv4.0, and opens in both minor versions: stateids, the sequence of an open-owner,
 * refusals, and limits. */
#include "tests/support/compound.h"
#include "tests/unit/suite.h"

static struct compound_test *t;

static void begin(void)
{
	CU_ASSERT_FATAL(compound_restart(t));
}

/* 4.0: SETCLIENTID, SETCLIENTID_CONFIRM, RENEW */

static uint32_t set_client(const char *owner, const char *verifier, uint64_t *clientid,
			   uint8_t confirm[8])
{
	struct writer *w;
	const uint8_t *p;

	compound_start(t, 0);
	w = compound_op(t, OP_SETCLIENTID);
	writer_bytes(w, verifier, NFS4_VERIFIER_SIZE);
	compound_name(t, owner);
	writer_u32(w, 0x40000000);
	compound_name(t, "tcp");
	compound_name(t, "127.0.0.1.0.0");
	writer_u32(w, 1);
	if (compound_run(t))
		return t->status;
	compound_result(t, OP_SETCLIENTID);
	*clientid = reader_u64(&t->results);
	p = reader_bytes(&t->results, 8);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	memcpy(confirm, p, 8);
	return NFS4_OK;
}

static uint32_t confirm_client(uint64_t clientid, const uint8_t confirm[8])
{
	compound_start(t, 0);
	writer_u64(compound_op(t, OP_SETCLIENTID_CONFIRM), clientid);
	writer_bytes(&t->args, confirm, 8);
	return compound_run(t);
}

static uint32_t renew(uint64_t clientid)
{
	compound_start(t, 0);
	writer_u64(compound_op(t, OP_RENEW), clientid);
	return compound_run(t);
}

static uint64_t begin_client(void)
{
	uint64_t clientid = 0;
	uint8_t confirm[8];

	begin();
	CU_ASSERT_EQUAL(set_client("one", "verifier", &clientid, confirm), NFS4_OK);
	CU_ASSERT_EQUAL(confirm_client(clientid, confirm), NFS4_OK);
	return clientid;
}

static void a_client_must_be_confirmed(void)
{
	uint8_t confirm[8], wrong[8] = "no";
	uint64_t clientid;

	begin();
	CU_ASSERT_EQUAL(set_client("one", "verifier", &clientid, confirm), NFS4_OK);
	CU_ASSERT_EQUAL(renew(clientid), NFS4ERR_STALE_CLIENTID);
	CU_ASSERT_EQUAL(confirm_client(clientid, wrong), NFS4ERR_STALE_CLIENTID);
	CU_ASSERT_EQUAL(confirm_client(clientid + 1, confirm), NFS4ERR_STALE_CLIENTID);
	CU_ASSERT_EQUAL(confirm_client(clientid, confirm), NFS4_OK);
	CU_ASSERT_EQUAL(confirm_client(clientid, confirm), NFS4_OK);
	CU_ASSERT_EQUAL(renew(clientid), NFS4_OK);
	/* is not a client of 4.1 */
	compound_start(t, 1);
	writer_u64(compound_op(t, OP_DESTROY_CLIENTID), clientid);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_STALE_CLIENTID);
}

static void a_restarted_client_of_4_0_loses_its_state(void)
{
	uint64_t old = begin_client(), clientid;
	uint8_t confirm[8];

	CU_ASSERT_EQUAL(set_client("one", "verifier", &clientid, confirm), NFS4_OK);
	CU_ASSERT_EQUAL(clientid, old);
	CU_ASSERT_EQUAL(set_client("one", "restart!", &clientid, confirm), NFS4_OK);
	CU_ASSERT_NOT_EQUAL(clientid, old);
	CU_ASSERT_EQUAL(renew(old), NFS4_OK);
	CU_ASSERT_EQUAL(confirm_client(clientid, confirm), NFS4_OK);
	CU_ASSERT_EQUAL(renew(old), NFS4ERR_STALE_CLIENTID);
	CU_ASSERT_EQUAL(renew(clientid), NFS4_OK);
}

static void a_lease_of_4_0_expires(void)
{
	uint64_t clientid = begin_client();

	compound_wait(NFS4_LEASE_SECONDS - 1);
	CU_ASSERT_EQUAL(renew(clientid), NFS4_OK);
	compound_wait(NFS4_LEASE_SECONDS - 1);
	compound_start(t, 0);
	writer_u64(compound_op(t, OP_RELEASE_LOCKOWNER), clientid);
	compound_name(t, "locker");
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_wait(NFS4_LEASE_SECONDS + 1);
	CU_ASSERT_EQUAL(renew(clientid), NFS4ERR_STALE_CLIENTID);
}

/* OPEN */

struct open_try {
	uint64_t clientid;
	uint32_t seqid;
	const char *owner;
	uint32_t access, deny;
	bool create;
	uint32_t how;
	uint32_t claim;
	const char *dir, *name;
};

static const struct open_try plain = {
	.owner = "owner",
	.access = OPEN4_SHARE_ACCESS_READ,
	.dir = "",
	.name = "data-813",
};

static struct nfs4_stateid opened;
static uint32_t open_flags;

static void put_open(const struct open_try *o)
{
	struct writer *w = compound_op(t, OP_OPEN);

	writer_u32(w, o->seqid);
	writer_u32(w, o->access);
	writer_u32(w, o->deny);
	writer_u64(w, o->clientid);
	compound_name(t, o->owner);
	writer_u32(w, o->create);
	if (o->create) {
		writer_u32(w, o->how);
		if (o->how >= EXCLUSIVE4)
			writer_u64(w, 1);
		if (o->how != EXCLUSIVE4)
			writer_u64(w, 0); /* no attributes */
	}
	writer_u32(w, o->claim);
	switch (o->claim) {
	case CLAIM_PREVIOUS: writer_u32(w, 0); break;
	case CLAIM_DELEGATE_CUR:
	case CLAIM_DELEG_CUR_FH: nfs4_put_stateid(w, &compound_anonymous); break;
	}
	if (o->claim == CLAIM_NULL || o->claim == CLAIM_DELEGATE_CUR ||
	    o->claim == CLAIM_DELEGATE_PREV)
		compound_name(t, o->name);
}

/* The COMPOUND goes on after it. */
static void get_opened(void)
{
	struct reader *r = &t->results;

	nfs4_get_stateid(r, &opened);
	CU_ASSERT_TRUE(reader_bool(r));
	CU_ASSERT_EQUAL(reader_u64(r), reader_u64(r));
	open_flags = reader_u32(r);
	CU_ASSERT_EQUAL(reader_u32(r), 0); /* attrset */
	CU_ASSERT_EQUAL(reader_u32(r), 0); /* no delegation */
	CU_ASSERT_FALSE(r->bad);
}

static uint32_t open_file(const struct open_try *o)
{
	compound_start(t, 0);
	compound_path(t, o->dir);
	put_open(o);
	compound_op(t, OP_GETFH);
	if (compound_run(t))
		return t->status;
	compound_pass_path(t, o->dir);
	compound_pass(t, OP_OPEN);
	get_opened();
	CU_ASSERT_EQUAL(compound_result(t, OP_GETFH), NFS4_OK);
	return NFS4_OK;
}

static uint32_t change_open(uint32_t op, const char *name, const struct nfs4_stateid *stateid,
			    uint32_t seqid)
{
	struct writer *w;

	compound_start(t, 0);
	compound_path(t, name);
	w = compound_op(t, op);
	if (op == OP_CLOSE)
		writer_u32(w, seqid);
	nfs4_put_stateid(w, stateid);
	if (op != OP_CLOSE)
		writer_u32(w, seqid);
	if (compound_run(t))
		return t->status;
	compound_pass_path(t, name);
	compound_pass(t, op);
	nfs4_get_stateid(&t->results, &opened);
	return NFS4_OK;
}

static uint32_t read_file(const char *name, const struct nfs4_stateid *stateid)
{
	compound_start(t, 0);
	compound_path(t, name);
	compound_read(t, stateid, 0, 100);
	return compound_run(t);
}

static void a_file_is_opened_confirmed_read_and_closed(void)
{
	struct open_try o = plain;
	struct nfs4_stateid first;

	o.clientid = begin_client();
	o.seqid = 7;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(open_flags, OPEN4_RESULT_CONFIRM);
	CU_ASSERT_EQUAL(opened.seqid, 1);
	first = opened;
	CU_ASSERT_EQUAL(read_file("data-813", &first), NFS4ERR_BAD_STATEID);
	CU_ASSERT_EQUAL(change_open(OP_CLOSE, "data-813", &first, 8), NFS4ERR_BAD_STATEID);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &first, 8), NFS4_OK);
	CU_ASSERT_EQUAL(opened.seqid, 2);
	CU_ASSERT_EQUAL(read_file("data-813", &opened), NFS4_OK);
	CU_ASSERT_EQUAL(read_file("data-813", &first), NFS4ERR_OLD_STATEID);
	CU_ASSERT_EQUAL(read_file("data-812", &opened), NFS4ERR_BAD_STATEID);
	/* once is enough */
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &opened, 9), NFS4ERR_BAD_STATEID);
	first = opened;
	CU_ASSERT_EQUAL(change_open(OP_CLOSE, "data-813", &first, 9), NFS4_OK);
	CU_ASSERT_EQUAL(read_file("data-813", &first), NFS4ERR_BAD_STATEID);
	/* the owner is known now */
	o.seqid = 10;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(open_flags, 0);
	CU_ASSERT_EQUAL(read_file("data-813", &opened), NFS4_OK);
}

static void a_second_open_by_the_owner_reuses_the_stateid(void)
{
	struct open_try o = plain;
	struct nfs4_stateid first;

	o.clientid = begin_client();
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &opened, 1), NFS4_OK);
	first = opened;
	o.seqid = 2;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	ASSERT_BYTES(opened.other, first.other, sizeof(first.other));
	CU_ASSERT_EQUAL(opened.seqid, 3);
	o.seqid = 3;
	o.name = "data-812";
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	ASSERT_BYTES_DIFFER(opened.other, first.other, sizeof(first.other));
}

/* RFC 7530 section 9.1.7 */
static void a_retransmitted_operation_gets_the_same_result(void)
{
	struct open_try o = plain;
	struct nfs4_stateid first;

	o.clientid = begin_client();
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	first = opened;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	ASSERT_BYTES(&opened, &first, sizeof(first));
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &first, 1), NFS4_OK);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &first, 1), NFS4_OK);
	CU_ASSERT_EQUAL(opened.seqid, 2);
	first = opened;
	/* another operation, or a gap, is not a repetition */
	CU_ASSERT_EQUAL(change_open(OP_CLOSE, "data-813", &first, 1), NFS4ERR_BAD_SEQID);
	CU_ASSERT_EQUAL(change_open(OP_CLOSE, "data-813", &first, 3), NFS4ERR_BAD_SEQID);
	o.seqid = 3;
	CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_BAD_SEQID);
	CU_ASSERT_EQUAL(change_open(OP_CLOSE, "data-813", &first, 2), NFS4_OK);
	CU_ASSERT_EQUAL(change_open(OP_CLOSE, "data-813", &first, 2), NFS4_OK);
	/* a failure has a number too */
	o.name = "none";
	CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_NOENT);
	CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_NOENT);
	o.seqid = 4;
	o.name = "data-813";
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
}

static void an_unconfirmed_owner_can_restart(void)
{
	struct open_try o = plain;
	struct nfs4_stateid first;

	o.clientid = begin_client();
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	first = opened;
	o.seqid = 20;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(open_flags, OPEN4_RESULT_CONFIRM);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &first, 21), NFS4ERR_BAD_STATEID);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &opened, 21), NFS4_OK);
}

/* Both minor versions: in 4.1 without seqids and confirmation. */
static uint32_t open_in(uint32_t minor, const struct open_try *o)
{
	if (!minor)
		return open_file(o);
	compound_sequence(t);
	compound_path(t, o->dir);
	put_open(o);
	return compound_run(t);
}

static void invalid_opens_are_refused(void)
{
	static const struct {
		uint32_t access, deny;
		bool create;
		uint32_t how, claim;
		const char *dir, *name;
		uint32_t status[2];
	} rows[] = {
		{ 2, 0, false, 0, 0, "", "data-1", { NFS4ERR_ROFS, NFS4ERR_ROFS } },
		{ 3, 0, false, 0, 0, "", "data-1", { NFS4ERR_ROFS, NFS4ERR_ROFS } },
		{ 1, 0, true, UNCHECKED4, 0, "", "x", { NFS4ERR_ROFS, NFS4ERR_ROFS } },
		{ 1, 0, true, GUARDED4, 0, "", "x", { NFS4ERR_ROFS, NFS4ERR_ROFS } },
		{ 1, 0, true, EXCLUSIVE4, 0, "", "x", { NFS4ERR_ROFS, NFS4ERR_ROFS } },
		{ 1, 0, true, EXCLUSIVE4_1, 0, "", "x", { NFS4ERR_BADXDR, NFS4ERR_ROFS } },
		{ 1, 0, true, 4, 0, "", "x", { NFS4ERR_BADXDR, NFS4ERR_BADXDR } },
		{ 0, 0, false, 0, 0, "", "data-1", { NFS4ERR_INVAL, NFS4ERR_INVAL } },
		{ 1, 4, false, 0, 0, "", "data-1", { NFS4ERR_INVAL, NFS4ERR_INVAL } },
		/* a request for no delegation */
		{ 0x401, 0, false, 0, 0, "", "data-1", { NFS4ERR_INVAL, NFS4_OK } },
		{ 1, 0, false, 0, 0, "", "none", { NFS4ERR_NOENT, NFS4ERR_NOENT } },
		{ 1, 0, false, 0, 0, "", "..", { NFS4ERR_BADNAME, NFS4ERR_BADNAME } },
		{ 1, 0, false, 0, 0, "", "", { NFS4ERR_INVAL, NFS4ERR_INVAL } },
		{ 1, 0, false, 0, 0, "data-1", "x", { NFS4ERR_NOTDIR, NFS4ERR_NOTDIR } },
		{ 1, 0, false, 0, 0, "", "link-5", { NFS4ERR_SYMLINK, NFS4ERR_SYMLINK } },
		{ 1, 0, false, 0, 0, "", "entries-2000", { NFS4ERR_ISDIR, NFS4ERR_ISDIR } },
		{ 1,
		  0,
		  false,
		  0,
		  CLAIM_PREVIOUS,
		  "data-1",
		  "",
		  { NFS4ERR_NO_GRACE, NFS4ERR_NO_GRACE } },
		{ 1,
		  0,
		  false,
		  0,
		  CLAIM_DELEGATE_CUR,
		  "",
		  "data-1",
		  { NFS4ERR_BAD_STATEID, NFS4ERR_BAD_STATEID } },
		{ 1,
		  0,
		  false,
		  0,
		  CLAIM_DELEGATE_PREV,
		  "",
		  "data-1",
		  { NFS4ERR_NOTSUPP, NFS4ERR_NOTSUPP } },
		{ 1, 0, false, 0, CLAIM_FH, "data-1", "", { NFS4ERR_BADXDR, NFS4_OK } },
		{ 1, 0, false, 0, CLAIM_FH, "", "", { NFS4ERR_BADXDR, NFS4ERR_ISDIR } },
		{ 1,
		  0,
		  false,
		  0,
		  CLAIM_DELEG_CUR_FH,
		  "data-1",
		  "",
		  { NFS4ERR_BADXDR, NFS4ERR_BAD_STATEID } },
		{ 1,
		  0,
		  false,
		  0,
		  CLAIM_DELEG_PREV_FH,
		  "data-1",
		  "",
		  { NFS4ERR_BADXDR, NFS4ERR_NOTSUPP } },
		{ 1, 0, false, 0, 7, "", "", { NFS4ERR_BADXDR, NFS4ERR_BADXDR } },
	};
	struct open_try o = plain;
	uint64_t session_client;
	uint32_t minor;
	char owner[16];
	size_t i;

	o.clientid = begin_client();
	CU_ASSERT_EQUAL(compound_session(t, "one", &session_client), NFS4_OK);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].dir);
		for (minor = 0; minor < 2; minor++) {
			SUITE_ROW("minor %u", minor);
			snprintf(owner, sizeof(owner), "owner %zu", i);
			o = (struct open_try){
				o.clientid,   0,
				owner,        rows[i].access,
				rows[i].deny, rows[i].create,
				rows[i].how,  rows[i].claim,
				rows[i].dir,  rows[i].name,
			};
			CU_ASSERT_EQUAL(open_in(minor, &o), rows[i].status[minor]);
		}
	}
	o = plain;
	o.clientid = 4711;
	CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_STALE_CLIENTID);
}

static void truncated_open_operations_are_bad_xdr(void)
{
	static const uint32_t ops[] = { OP_SETCLIENTID_CONFIRM, OP_RENEW,
					OP_RELEASE_LOCKOWNER,   OP_OPEN_CONFIRM,
					OP_OPEN_DOWNGRADE,      OP_CLOSE };
	struct open_try o = plain;
	size_t i, len, start, end;
	uint8_t confirm[8];

	o.clientid = begin_client();
	for (i = 0; i < 2; i++) {
		SUITE_ROW("%zu", i);
		compound_start(t, 0);
		compound_path(t, "");
		start = t->args.len;
		o.create = i;
		put_open(&o);
		end = t->args.len;
		for (len = start; len < end; len++) {
			SUITE_ROW("len %zu", len);
			t->args.len = len;
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
		}
	}
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		SUITE_ROW("%zu: %u", i, ops[i]);
		compound_start(t, 0);
		compound_path(t, "");
		compound_op(t, ops[i]);
		start = t->args.len;
		writer_reserve(&t->args, 7);
		for (len = start; len < start + 8; len++) {
			SUITE_ROW("len %zu", len);
			t->args.len = len;
			CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
		}
	}
	CU_ASSERT_EQUAL(set_client("two", "verifier", &o.clientid, confirm), NFS4_OK);
	end = t->args.len;
	for (len = 4; len < end; len++) {
		SUITE_ROW("len %zu", len);
		t->args.len = len;
		CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
	}
}

static void a_share_is_denied_to_others(void)
{
	struct open_try o = plain;
	struct nfs4_stateid first;

	o.clientid = begin_client();
	o.deny = OPEN4_SHARE_DENY_READ;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &opened, 1), NFS4_OK);
	first = opened;
	o.deny = 0;
	o.owner = "another";
	CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_SHARE_DENIED);
	CU_ASSERT_EQUAL(read_file("data-813", &compound_anonymous), NFS4ERR_LOCKED);
	CU_ASSERT_EQUAL(read_file("data-812", &compound_anonymous), NFS4_OK);
	CU_ASSERT_EQUAL(read_file("data-813", &first), NFS4_OK);
	/* until it is removed */
	compound_start(t, 0);
	compound_path(t, "data-813");
	nfs4_put_stateid(compound_op(t, OP_OPEN_DOWNGRADE), &first);
	writer_u32(&t->args, 2);
	writer_u32(&t->args, OPEN4_SHARE_ACCESS_READ);
	writer_u32(&t->args, 0);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	o.seqid = 1;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(read_file("data-813", &compound_anonymous), NFS4_OK);
}

static void a_downgrade_only_reduces_access(void)
{
	static const struct {
		uint32_t access, deny, status;
	} rows[] = { { 3, 0, NFS4ERR_INVAL },
		     { 0, 0, NFS4ERR_INVAL },
		     { 1, 1, NFS4ERR_INVAL },
		     { 1, 0, NFS4_OK } };
	struct open_try o = plain;
	struct nfs4_stateid first;
	uint32_t i;

	o.clientid = begin_client();
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &opened, 1), NFS4_OK);
	first = opened;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%u", i);
		compound_start(t, 0);
		compound_path(t, "data-813");
		nfs4_put_stateid(compound_op(t, OP_OPEN_DOWNGRADE), &first);
		writer_u32(&t->args, 2 + i);
		writer_u32(&t->args, rows[i].access);
		writer_u32(&t->args, rows[i].deny);
		CU_ASSERT_EQUAL(compound_run(t), rows[i].status);
	}
}

static void foreign_stateids_are_refused(void)
{
	static const struct {
		size_t at;
		uint32_t status;
	} rows[] = { { 0, NFS4ERR_STALE_STATEID },
		     { 4, NFS4ERR_BAD_STATEID },
		     { 7, NFS4ERR_BAD_STATEID },
		     { 11, NFS4ERR_BAD_STATEID } };
	struct open_try o = plain;
	struct nfs4_stateid wrong;
	size_t i;

	o.clientid = begin_client();
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &opened, 1), NFS4_OK);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		wrong = opened;
		wrong.other[rows[i].at] ^= 0x80;
		CU_ASSERT_EQUAL(read_file("data-813", &wrong), rows[i].status);
	}
	wrong = opened;
	wrong.seqid++;
	CU_ASSERT_EQUAL(read_file("data-813", &wrong), NFS4ERR_BAD_STATEID);
}

/* The current stateid is of 4.1 (RFC 8881 section 16.2.3.1.2); in 4.0 those bytes are of no open. */
static void an_open_of_4_0_is_no_current_stateid(void)
{
	static const struct nfs4_stateid current = { .seqid = 1 };
	struct open_try o = plain;

	o.clientid = begin_client();
	o.seqid = 1;
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	CU_ASSERT_EQUAL(change_open(OP_OPEN_CONFIRM, "data-813", &opened, 2), NFS4_OK);
	o.seqid = 3;
	compound_start(t, 0);
	compound_path(t, o.dir);
	put_open(&o);
	compound_read(t, &current, 0, 100);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_STALE_STATEID);
}

/* 4.1 */

static void an_open_of_4_1_is_used_as_the_current_stateid(void)
{
	static const struct nfs4_stateid current = { .seqid = 1 };
	struct open_try o = plain;
	struct nfs4_stateid closed;
	uint64_t clientid;

	begin();
	CU_ASSERT_EQUAL(compound_session(t, "one", &clientid), NFS4_OK);
	compound_sequence(t);
	compound_path(t, "");
	put_open(&o);
	compound_read(t, &current, 0, 100);
	writer_u32(compound_op(t, OP_CLOSE), 0);
	nfs4_put_stateid(&t->args, &current);
	compound_read(t, &current, 0, 100);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BAD_STATEID);
	CU_ASSERT_EQUAL(t->count, 6);
	compound_pass_sequence(t);
	compound_pass(t, OP_PUTROOTFH);
	CU_ASSERT_EQUAL(compound_result(t, OP_OPEN), NFS4_OK);
	get_opened();
	CU_ASSERT_EQUAL(open_flags, 0);
	CU_ASSERT_EQUAL(compound_result(t, OP_READ), NFS4_OK);
	reader_bytes(&t->results, 108);
	CU_ASSERT_EQUAL(compound_result(t, OP_CLOSE), NFS4_OK);
	nfs4_get_stateid(&t->results, &closed);
	CU_ASSERT_EQUAL(closed.seqid, UINT32_MAX);
}

static uint32_t free_stateid(const struct nfs4_stateid *stateid)
{
	compound_sequence(t);
	nfs4_put_stateid(compound_op(t, OP_FREE_STATEID), stateid);
	return compound_run(t);
}

static void stateids_are_tested_and_not_freed(void)
{
	struct open_try o = plain;
	uint64_t clientid;

	begin();
	CU_ASSERT_EQUAL(compound_session(t, "one", &clientid), NFS4_OK);
	CU_ASSERT_EQUAL(open_in(1, &o), NFS4_OK);
	compound_pass_sequence(t);
	compound_pass(t, OP_PUTROOTFH);
	compound_pass(t, OP_OPEN);
	get_opened();
	compound_sequence(t);
	writer_u32(compound_op(t, OP_TEST_STATEID), 2);
	nfs4_put_stateid(&t->args, &opened);
	nfs4_put_stateid(&t->args, &compound_anonymous);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_pass_sequence(t);
	compound_pass(t, OP_TEST_STATEID);
	CU_ASSERT_EQUAL(reader_u32(&t->results), 2);
	CU_ASSERT_EQUAL(reader_u32(&t->results), NFS4_OK);
	CU_ASSERT_EQUAL(reader_u32(&t->results), NFS4ERR_BAD_STATEID);
	CU_ASSERT_EQUAL(free_stateid(&opened), NFS4ERR_LOCKS_HELD);
	CU_ASSERT_EQUAL(free_stateid(&compound_anonymous), NFS4ERR_BAD_STATEID);
	/* a client with open files is not destroyed */
	compound_start(t, 1);
	writer_bytes(compound_op(t, OP_DESTROY_SESSION), t->session, 16);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	compound_start(t, 1);
	writer_u64(compound_op(t, OP_DESTROY_CLIENTID), clientid);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_CLIENTID_BUSY);
	/* more than the call has */
	begin();
	CU_ASSERT_EQUAL(compound_session(t, "one", &clientid), NFS4_OK);
	compound_sequence(t);
	writer_u32(compound_op(t, OP_TEST_STATEID), 0xffffffff);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BADXDR);
}

static void a_stateid_belongs_to_one_client(void)
{
	struct open_try o = plain;
	uint64_t clientid;

	begin();
	CU_ASSERT_EQUAL(compound_session(t, "one", &clientid), NFS4_OK);
	CU_ASSERT_EQUAL(open_in(1, &o), NFS4_OK);
	compound_pass_sequence(t);
	compound_pass(t, OP_PUTROOTFH);
	compound_pass(t, OP_OPEN);
	get_opened();
	CU_ASSERT_EQUAL(compound_session(t, "two", &clientid), NFS4_OK);
	compound_sequence(t);
	compound_path(t, "data-813");
	compound_read(t, &opened, 0, 100);
	CU_ASSERT_EQUAL(compound_run(t), NFS4ERR_BAD_STATEID);
}

/* Limits */

static void opens_are_limited_and_recover(void)
{
	struct open_try o = plain;
	char name[16], owner[16];
	uint32_t i;

	o.clientid = begin_client();
	o.name = name;
	o.dir = "entries-2000";
	snprintf(name, sizeof(name), "entry.0001");
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	compound_start(t, 0);
	compound_path(t, o.dir);
	compound_op(t, OP_LOOKUP);
	compound_name(t, name);
	nfs4_put_stateid(compound_op(t, OP_OPEN_CONFIRM), &opened);
	writer_u32(&t->args, 1);
	CU_ASSERT_EQUAL(compound_run(t), NFS4_OK);
	for (i = 1; i < NFS4_OPENS; i++) {
		SUITE_ROW("%u", i);
		snprintf(name, sizeof(name), "entry.%04u", i + 1);
		o.seqid = i + 1;
		CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	}
	snprintf(name, sizeof(name), "entry.%04u", i + 1);
	o.seqid = i + 1;
	CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_RESOURCE);
	/* The client is gone, and so is its state. */
	compound_wait(NFS4_LEASE_SECONDS + 1);
	CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_STALE_CLIENTID);
	o.clientid = begin_client();
	CU_ASSERT_EQUAL(open_file(&o), NFS4_OK);
	/* owners without open files make room */
	o = plain;
	o.clientid = begin_client();
	o.name = "none";
	o.owner = owner;
	for (i = 0; i < 3 * NFS4_OWNERS; i++) {
		SUITE_ROW("%u", i);
		snprintf(owner, sizeof(owner), "owner %u", i);
		CU_ASSERT_EQUAL(open_file(&o), NFS4ERR_NOENT);
	}
	/* others do not */
	o.name = "data-813";
	for (i = 0; i <= NFS4_OWNERS; i++) {
		SUITE_ROW("%u", i);
		snprintf(owner, sizeof(owner), "opener %u", i);
		CU_ASSERT_EQUAL(open_file(&o), i < NFS4_OWNERS ? NFS4_OK : NFS4ERR_RESOURCE);
	}
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(a_client_must_be_confirmed),
		TEST(a_restarted_client_of_4_0_loses_its_state),
		TEST(a_lease_of_4_0_expires),
		TEST(a_file_is_opened_confirmed_read_and_closed),
		TEST(a_second_open_by_the_owner_reuses_the_stateid),
		TEST(a_retransmitted_operation_gets_the_same_result),
		TEST(an_unconfirmed_owner_can_restart),
		TEST(invalid_opens_are_refused),
		TEST(truncated_open_operations_are_bad_xdr),
		TEST(a_share_is_denied_to_others),
		TEST(a_downgrade_only_reduces_access),
		TEST(foreign_stateids_are_refused),
		TEST(an_open_of_4_0_is_no_current_stateid),
		TEST(an_open_of_4_1_is_used_as_the_current_stateid),
		TEST(stateids_are_tested_and_not_freed),
		TEST(a_stateid_belongs_to_one_client),
		TEST(opens_are_limited_and_recover),
	};
	int rc;

	t = compound_new();
	if (!t)
		return 2;
	rc = suite_run("server-nfs4-opens", tests, ARRAY_SIZE(tests));
	compound_free(t);
	return rc;
}
