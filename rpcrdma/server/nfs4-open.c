/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* OPEN and related operations, RFC 7530 sections 16.2, 16.18 to 16.20, RFC 8881 sections 18.2,
 * 18.16, 18.18, 18.38, 18.48. Delegations are never granted. Locks
 * are not supported either, which the missing OPEN4_RESULT_LOCKTYPE_POSIX tells a client. There
 * is no grace period, as no state survives a restart to be reclaimed. */
#include "rpcrdma/server/nfs4-internal.h"

void nfs4_get_stateid(struct reader *r, struct nfs4_stateid *stateid)
{
	const uint8_t *p;

	stateid->seqid = reader_u32(r);
	p = reader_bytes(r, sizeof(stateid->other));
	if (p)
		memcpy(stateid->other, p, sizeof(stateid->other));
	else
		memset(stateid->other, 0, sizeof(stateid->other));
}

void nfs4_put_stateid(struct writer *w, const struct nfs4_stateid *stateid)
{
	writer_u32(w, stateid->seqid);
	writer_bytes(w, stateid->other, sizeof(stateid->other));
}

/* 4.1: replaces the special current stateid with the one set by an earlier operation. */
static void nfs4_use_current_stateid(const struct compound *c, struct nfs4_stateid *stateid)
{
	if (c->minor && c->current.has_stateid && nfs4_stateid_is_current(stateid))
		*stateid = c->current.stateid;
}

void nfs4_get_used_stateid(struct compound *c, struct nfs4_stateid *stateid)
{
	nfs4_get_stateid(&c->call->args, stateid);
	nfs4_use_current_stateid(c, stateid);
}

static void nfs4_set_current_stateid(struct compound *c, const struct nfs4_stateid *stateid)
{
	c->current.stateid = *stateid;
	c->current.has_stateid = true;
}

/* Arguments of OPEN */

struct nfs4_open_args {
	struct nfs4_open open; /* first: nfs4_open_make() has this alone */
	struct compound *c;
	bool create;
	struct export_create how;
	struct export_setattr set;
	struct nfs4_bitmap given;
	uint32_t claim;
	uint32_t name_status, set_status;
	char name[NFS3_NAME_MAX + 1];
};

/* openflag4; false: invalid createmode. */
static bool nfs4_get_openflag(struct compound *c, struct nfs4_open_args *args)
{
	struct reader *r = &c->call->args;
	const uint8_t *verifier = NULL;
	uint32_t how;

	args->create = reader_bool(r);
	if (!args->create)
		return true;
	how = reader_u32(r);
	if (how > EXCLUSIVE4_1 || (!c->minor && how == EXCLUSIVE4_1))
		return false;
	args->how.guarded = how == GUARDED4;
	args->how.exclusive = how == EXCLUSIVE4 || how == EXCLUSIVE4_1;
	if (args->how.exclusive)
		verifier = reader_bytes(r, sizeof(args->how.verifier));
	if (verifier)
		memcpy(args->how.verifier, verifier, sizeof(args->how.verifier));
	if (how != EXCLUSIVE4)
		args->set_status = nfs4_get_setattrs(c, &args->set, &args->given);
	args->how.mode = args->set.has_mode ? args->set.mode : 0;
	args->how.truncate = how == UNCHECKED4 && args->set.has_size && !args->set.size;
	return true;
}

/* open_claim4; false: invalid claim. */
static bool nfs4_get_open_claim(struct compound *c, struct nfs4_open_args *args)
{
	static const char *const shapes[] = {
		[CLAIM_NULL] = "",           [CLAIM_PREVIOUS] = "4", [CLAIM_DELEGATE_CUR] = "sn",
		[CLAIM_DELEGATE_PREV] = "n", [CLAIM_FH] = "",        [CLAIM_DELEG_CUR_FH] = "s",
		[CLAIM_DELEG_PREV_FH] = "",
	};

	args->claim = reader_u32(&c->call->args);
	if (args->claim >= ARRAY_SIZE(shapes) || (!c->minor && args->claim >= CLAIM_FH))
		return false;
	nfs4_skip_args(c, shapes[args->claim]);
	args->name_status = NFS4_OK;
	if (args->claim == CLAIM_NULL)
		args->name_status = nfs4_get_name(&c->call->args, args->name);
	return true;
}

/* The file to open */

static uint32_t nfs4_open_claimed(struct compound *c, const struct nfs4_open_args *args,
				  struct nfs_fh *fh)
{
	static const uint32_t refused[] = {
		[CLAIM_PREVIOUS] = NFS4ERR_NO_GRACE,     [CLAIM_DELEGATE_CUR] = NFS4ERR_BAD_STATEID,
		[CLAIM_DELEGATE_PREV] = NFS4ERR_NOTSUPP, [CLAIM_DELEG_CUR_FH] = NFS4ERR_BAD_STATEID,
		[CLAIM_DELEG_PREV_FH] = NFS4ERR_NOTSUPP,
	};

	if (args->claim == CLAIM_NULL)
		return args->name_status ? args->name_status : nfs4_lookup_name(c, args->name, fh);
	*fh = c->current.fh;
	return args->claim == CLAIM_FH ? NFS4_OK : refused[args->claim];
}

/* Makes the file if it is not there; its other attributes are set only then. */
static uint32_t nfs4_open_make(struct nfs4_open *open)
{
	struct nfs4_open_args *args = (struct nfs4_open_args *)open;
	struct call *call = args->c->call;
	const struct nfs_fh *dir = &args->c->current.fh;
	struct nfs_fh fh;
	const bool found = call->exp->ops->lookup(call->exp, dir, args->name, &fh) !=
			   NFS3_STATUS_NOENT;
	uint32_t status;

	fault_create(call, &args->how);
	status = call->exp->ops->create(call->exp, dir, &args->how, &open->fh);
	if (!status && found && args->how.truncate)
		open->attrset.word[0] = 1u << FATTR4_SIZE;
	if (status || found)
		return status;
	open->attrset = args->given;
	return call->exp->ops->setattr(call->exp, &open->fh, &args->set);
}

/* Whether the file may be opened. */
static uint32_t nfs4_open_check_file(struct compound *c, const struct nfs4_open *open)
{
	static const struct export_setattr nothing = { .has_size = false };
	const struct call *call = c->call;
	uint32_t status = NFS4_OK;
	struct nfs_attr attr;

	if (open->access & OPEN4_SHARE_ACCESS_WRITE)
		status = call->exp->ops->setattr(call->exp, &open->fh, &nothing);
	if (!status)
		status = call->exp->ops->getattr(call->exp, &open->fh, &attr);
	if (status)
		return status;
	if (attr.type == NFS_LNK)
		return NFS4ERR_SYMLINK;
	if (attr.type != NFS_REG)
		return nfs4_wrong_type(c, attr.type);
	return nfs3_access_granted(call->exp, &attr) & 1 ? NFS4_OK : NFS4ERR_ACCESS;
}

/* Finds the regular file, and its directory's change attribute. Nothing is changed yet. */
static uint32_t nfs4_open_find_file(struct compound *c, struct nfs4_open_args *args)
{
	const struct call *call = c->call;
	struct nfs4_open *open = &args->open;
	struct nfs_attr attr;
	uint32_t status;

	/* The bits above these are 4.1's requests for delegations. */
	if (c->minor)
		open->access &= OPEN4_SHARE_ACCESS_BOTH;
	if (!open->access || open->access > OPEN4_SHARE_ACCESS_BOTH ||
	    open->deny > OPEN4_SHARE_DENY_BOTH)
		return NFS4ERR_INVAL;
	if ((args->create || (open->access & OPEN4_SHARE_ACCESS_WRITE)) &&
	    !export_is_writable(call->exp))
		return NFS4ERR_ROFS;
	if (args->create && args->claim != CLAIM_NULL)
		return NFS4ERR_INVAL;
	if (args->set_status)
		return args->set_status;
	status = nfs4_open_claimed(c, args, &open->fh);
	if (args->create && status == NFS4ERR_NOENT) {
		open->fh.len = 0;
		status = NFS4_OK;
	} else if (!status && !args->how.guarded && !args->how.exclusive) {
		status = nfs4_open_check_file(c, open);
	}
	if (!status)
		status = call->exp->ops->getattr(call->exp, &c->current.fh, &attr);
	open->change = status ? 0 : nfs4_change_of(&attr);
	return status;
}

uint32_t nfs4_open(struct compound *c)
{
	struct reader *r = &c->call->args;
	struct writer *w = &c->call->reply;
	struct nfs4_open_args args = { .open.minor = c->minor, .c = c };
	struct nfs4_open *open = &args.open;
	struct nfs4_open_res res;
	uint32_t status;

	open->seqid = reader_u32(r);
	open->access = reader_u32(r);
	open->deny = reader_u32(r);
	open->clientid = reader_u64(r);
	if (c->minor)
		open->clientid = c->slot.clientid;
	open->owner = reader_opaque(r, NFS4_OPAQUE_LIMIT, &open->owner_len);
	if (!open->owner || !nfs4_get_openflag(c, &args) || !nfs4_get_open_claim(c, &args) ||
	    r->bad)
		return NFS4ERR_BADXDR;
	args.how.name = args.name;
	args.how.uid = c->call->rpc.cred.uid;
	args.how.gid = c->call->rpc.cred.gid;
	open->status = nfs4_open_find_file(c, &args);
	open->make = args.create ? nfs4_open_make : NULL;
	status = nfs4_opens_open(c->state, open, &res);
	if (status)
		return status;
	c->current = (struct nfs4_filehandle){ .fh = res.fh };
	nfs4_set_current_stateid(c, &res.stateid);
	nfs4_put_stateid(w, &res.stateid);
	/* change_info4: the time of a directory is not changed by a file that is made */
	writer_bool(w, true);
	writer_u64(w, res.change);
	writer_u64(w, res.change);
	writer_u32(w, res.confirm ? OPEN4_RESULT_CONFIRM : 0);
	nfs4_put_bitmap(w, &res.attrset);
	writer_u32(w, 0); /* OPEN_DELEGATE_NONE */
	return NFS4_OK;
}

/* The others */

static uint32_t nfs4_change_open(struct compound *c, struct nfs4_open_change *what)
{
	struct nfs4_stateid stateid;
	uint32_t status;

	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	nfs4_use_current_stateid(c, &what->stateid);
	what->minor = c->minor;
	what->clientid = c->slot.clientid;
	what->fh = &c->current.fh;
	status = nfs4_opens_change(c->state, what, &stateid);
	if (status)
		return status;
	/* RFC 8881 section 18.2.4: CLOSE returns an invalid stateid. */
	if (c->minor && what->op == OP_CLOSE)
		stateid = (struct nfs4_stateid){ .seqid = UINT32_MAX };
	nfs4_set_current_stateid(c, &stateid);
	nfs4_put_stateid(&c->call->reply, &stateid);
	return NFS4_OK;
}

uint32_t nfs4_open_confirm(struct compound *c)
{
	struct nfs4_open_change what = { .op = OP_OPEN_CONFIRM };

	nfs4_get_stateid(&c->call->args, &what.stateid);
	what.seqid = reader_u32(&c->call->args);
	return nfs4_change_open(c, &what);
}

uint32_t nfs4_open_downgrade(struct compound *c)
{
	struct nfs4_open_change what = { .op = OP_OPEN_DOWNGRADE };

	nfs4_get_stateid(&c->call->args, &what.stateid);
	what.seqid = reader_u32(&c->call->args);
	what.access = reader_u32(&c->call->args);
	what.deny = reader_u32(&c->call->args);
	if (c->minor)
		what.access &= OPEN4_SHARE_ACCESS_BOTH;
	return nfs4_change_open(c, &what);
}

uint32_t nfs4_close(struct compound *c)
{
	struct nfs4_open_change what = { .op = OP_CLOSE };

	what.seqid = reader_u32(&c->call->args);
	nfs4_get_stateid(&c->call->args, &what.stateid);
	return nfs4_change_open(c, &what);
}

uint32_t nfs4_test_stateid(struct compound *c)
{
	struct reader *r = &c->call->args;
	const uint32_t count = reader_u32(r);
	struct nfs4_stateid stateid;
	uint32_t i;

	writer_u32(&c->call->reply, count);
	for (i = 0; i < count && !r->bad && !c->call->reply.bad; i++) {
		nfs4_get_stateid(r, &stateid);
		writer_u32(&c->call->reply, nfs4_opens_test(c->state, c->slot.clientid, &stateid));
	}
	return r->bad ? NFS4ERR_BADXDR : NFS4_OK;
}

/* Open stateids must be closed rather than freed. */
uint32_t nfs4_free_stateid(struct compound *c)
{
	struct nfs4_stateid stateid;
	uint32_t status;

	nfs4_get_stateid(&c->call->args, &stateid);
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	nfs4_use_current_stateid(c, &stateid);
	status = nfs4_opens_test(c->state, c->slot.clientid, &stateid);
	return status ? status : NFS4ERR_LOCKS_HELD;
}
