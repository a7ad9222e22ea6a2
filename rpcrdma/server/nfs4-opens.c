/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Open-owners and opens: RFC 7530 section 9.1, RFC 8881 sections 8 and 9. Shares are kept to by OPEN,
 * READ and WRITE.
 *
 * An owner of 4.0 numbers its operations. The last result is kept for a repeated operation,
 * and a new owner confirms its first OPEN, which might be a late retransmission. In 4.1 slots
 * do that. */
#include "rpcrdma/server/nfs4-state.h"

/* Stateids: 4 bytes of this server's boot verifier, index, generation */

static void nfs4_opens_stateid(const struct nfs4_state *state, const struct nfs4_opened *open,
			       struct nfs4_stateid *stateid)
{
	stateid->seqid = open->seqid;
	memcpy(stateid->other, state->boot, 4);
	put_be32(stateid->other + 4, (uint32_t)(open - state->opens));
	put_be32(stateid->other + 8, open->generation);
}

static bool nfs4_opens_is_filled(const uint8_t *bytes, size_t len, uint8_t value)
{
	while (len && bytes[len - 1] == value)
		len--;
	return !len;
}

/* RFC 8881 section 8.2.3: all zeros; all ones; and the current one. */
static bool nfs4_stateid_is_anonymous(const struct nfs4_stateid *stateid)
{
	return !stateid->seqid && nfs4_opens_is_filled(stateid->other, sizeof(stateid->other), 0);
}

static bool nfs4_stateid_is_bypass(const struct nfs4_stateid *stateid)
{
	return stateid->seqid == UINT32_MAX &&
	       nfs4_opens_is_filled(stateid->other, sizeof(stateid->other), 0xff);
}

bool nfs4_stateid_is_current(const struct nfs4_stateid *stateid)
{
	return stateid->seqid == 1 &&
	       nfs4_opens_is_filled(stateid->other, sizeof(stateid->other), 0);
}

static const struct nfs4_owner *nfs4_opens_owner(const struct nfs4_state *state,
						 const struct nfs4_opened *open)
{
	return &state->owners[open->owner];
}

/* Finds the open of a stateid. In 4.1 it must be one of @clientid's, and a seqid of 0 is the
 * latest. */
static uint32_t nfs4_opens_find(struct nfs4_state *state, uint32_t minor, uint64_t clientid,
				const struct nfs4_stateid *stateid, struct nfs4_opened **out)
{
	const uint32_t index = get_be32(stateid->other + 4);
	struct nfs4_opened *open;

	if (memcmp(stateid->other, state->boot, 4) != 0)
		return minor ? NFS4ERR_BAD_STATEID : NFS4ERR_STALE_STATEID;
	if (index >= NFS4_OPENS)
		return NFS4ERR_BAD_STATEID;
	open = &state->opens[index];
	if (!open->used || open->generation != get_be32(stateid->other + 8) ||
	    (minor && nfs4_opens_owner(state, open)->clientid != clientid))
		return NFS4ERR_BAD_STATEID;
	*out = open;
	if (stateid->seqid == open->seqid || (minor && !stateid->seqid))
		return NFS4_OK;
	return stateid->seqid < open->seqid ? NFS4ERR_OLD_STATEID : NFS4ERR_BAD_STATEID;
}

/* The tables */

static void nfs4_opens_set_share(struct nfs4_state *state, struct nfs4_opened *open,
				 uint32_t access, uint32_t deny)
{
	state->denying -= !!open->deny;
	state->denying += !!deny;
	open->access = access;
	open->deny = deny;
}

static void nfs4_opens_end(struct nfs4_state *state, struct nfs4_opened *open)
{
	nfs4_opens_set_share(state, open, 0, 0);
	open->used = false;
}

/* Ends all opens of an owner. */
static void nfs4_opens_end_all(struct nfs4_state *state, uint32_t owner)
{
	size_t i;

	for (i = 0; i < NFS4_OPENS; i++)
		if (state->opens[i].used && state->opens[i].owner == owner)
			nfs4_opens_end(state, &state->opens[i]);
}

static bool nfs4_opens_owner_has(const struct nfs4_state *state, uint32_t owner)
{
	size_t i;

	for (i = 0; i < NFS4_OPENS; i++)
		if (state->opens[i].used && state->opens[i].owner == owner)
			return true;
	return false;
}

void nfs4_opens_forget(struct nfs4_state *state, uint64_t clientid)
{
	uint32_t i;

	for (i = 0; i < NFS4_OWNERS; i++) {
		if (!state->owners[i].used || state->owners[i].clientid != clientid)
			continue;
		nfs4_opens_end_all(state, i);
		state->owners[i].used = false;
	}
}

bool nfs4_opens_has(const struct nfs4_state *state, uint64_t clientid)
{
	size_t i;

	for (i = 0; i < NFS4_OPENS; i++)
		if (state->opens[i].used &&
		    nfs4_opens_owner(state, &state->opens[i])->clientid == clientid)
			return true;
	return false;
}

static struct nfs4_owner *nfs4_opens_find_owner(struct nfs4_state *state,
						const struct nfs4_open *open)
{
	size_t i;

	for (i = 0; i < NFS4_OWNERS; i++) {
		struct nfs4_owner *owner = &state->owners[i];

		if (owner->used && owner->clientid == open->clientid &&
		    owner->id_len == open->owner_len &&
		    !memcmp(owner->id, open->owner, open->owner_len))
			return owner;
	}
	return NULL;
}

/* A free entry, or that of the owner that has been without opens the longest. */
static struct nfs4_owner *nfs4_opens_unused_owner(struct nfs4_state *state)
{
	struct nfs4_owner *oldest = NULL;
	uint32_t i;

	for (i = 0; i < NFS4_OWNERS; i++) {
		struct nfs4_owner *owner = &state->owners[i];

		if (!owner->used)
			return owner;
		if ((!oldest || owner->touched < oldest->touched) &&
		    !nfs4_opens_owner_has(state, i))
			oldest = owner;
	}
	return oldest;
}

static struct nfs4_owner *nfs4_opens_add_owner(struct nfs4_state *state,
					       const struct nfs4_open *open)
{
	struct nfs4_owner *owner = nfs4_opens_unused_owner(state);

	if (!owner)
		return NULL;
	memset(owner, 0, sizeof(*owner));
	owner->used = true;
	owner->confirmed = open->minor > 0;
	owner->clientid = open->clientid;
	owner->id_len = open->owner_len;
	memcpy(owner->id, open->owner, open->owner_len);
	return owner;
}

static bool nfs4_opens_same_file(const struct nfs_fh *a, const struct nfs_fh *b)
{
	return a->len == b->len && !memcmp(a->data, b->data, a->len);
}

/* Whether an existing open of the file conflicts with this one, in either direction. */
static bool nfs4_opens_is_denied(const struct nfs4_state *state, const struct nfs4_open *open,
				 uint32_t owner)
{
	size_t i;

	for (i = 0; i < NFS4_OPENS; i++) {
		const struct nfs4_opened *other = &state->opens[i];

		if (other->used && other->owner != owner &&
		    nfs4_opens_same_file(&other->fh, &open->fh) &&
		    ((other->deny & open->access) || (open->deny & other->access)))
			return true;
	}
	return false;
}

/* The owner's open of that file, or a new one; NULL: the table is full. */
static struct nfs4_opened *nfs4_opens_add(struct nfs4_state *state, uint32_t owner,
					  const struct nfs_fh *fh)
{
	struct nfs4_opened *unused = NULL, *open;
	size_t i;

	for (i = 0; i < NFS4_OPENS; i++) {
		open = &state->opens[i];
		if (open->used && open->owner == owner && nfs4_opens_same_file(&open->fh, fh))
			return open;
		if (!open->used && !unused)
			unused = open;
	}
	if (!unused)
		return NULL;
	*unused = (struct nfs4_opened){
		.used = true,
		.generation = unused->generation + 1,
		.owner = owner,
		.fh = *fh,
	};
	return unused;
}

/* The sequence of a 4.0 owner */

/* True: @last has the result already, or *status is the error. */
static bool nfs4_opens_is_sequenced(const struct nfs4_owner *owner, uint32_t op, uint32_t seqid,
				    uint32_t *status)
{
	if (!owner->sequenced || seqid == owner->seqid + 1)
		return false;
	*status = seqid == owner->seqid && owner->last.op == op ? owner->last.status
								: NFS4ERR_BAD_SEQID;
	return true;
}

static void nfs4_opens_store_result(struct nfs4_owner *owner, uint32_t op, uint32_t seqid,
				    uint32_t status, const struct nfs4_open_res *res)
{
	/* RFC 7530 section 9.1.7: these errors do not advance the owner's seqid. */
	static const uint32_t unmoved[] = {
		NFS4ERR_STALE_CLIENTID, NFS4ERR_STALE_STATEID, NFS4ERR_BAD_STATEID,
		NFS4ERR_BAD_SEQID,      NFS4ERR_BADXDR,        NFS4ERR_RESOURCE,
		NFS4ERR_NOFILEHANDLE,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(unmoved); i++)
		if (status == unmoved[i])
			return;
	owner->sequenced = true;
	owner->seqid = seqid;
	owner->last = (struct nfs4_owner_last){ op, status, *res };
}

/* OPEN */

static uint32_t nfs4_opens_open_by(struct nfs4_state *state, struct nfs4_owner *owner,
				   struct nfs4_open *open, struct nfs4_open_res *res)
{
	const uint32_t index = (uint32_t)(owner - state->owners);
	struct nfs4_opened *opened;
	uint32_t status;

	if (open->status)
		return open->status;
	if (nfs4_opens_is_denied(state, open, index))
		return NFS4ERR_SHARE_DENIED;
	opened = nfs4_opens_add(state, index, &open->fh);
	if (!opened)
		return open->minor ? NFS4ERR_DELAY : NFS4ERR_RESOURCE;
	status = open->make ? open->make(open) : NFS4_OK;
	if (status) {
		if (!opened->access)
			nfs4_opens_end(state, opened);
		return status;
	}
	opened->fh = open->fh;
	nfs4_opens_set_share(state, opened, opened->access | open->access,
			     opened->deny | open->deny);
	opened->seqid++;
	nfs4_opens_stateid(state, opened, &res->stateid);
	res->confirm = !owner->confirmed;
	res->fh = open->fh;
	res->change = open->change;
	res->attrset = open->attrset;
	return NFS4_OK;
}

static uint32_t nfs4_opens_open_sequenced(struct nfs4_state *state, struct nfs4_open *open,
					  struct nfs4_open_res *res)
{
	struct nfs4_owner *owner = nfs4_opens_find_owner(state, open);
	uint32_t status;

	/* RFC 7530 section 16.18.5: an unconfirmed owner starts again, unless this repeats its
	 * last operation. */
	if (owner && !owner->confirmed && open->seqid != owner->seqid) {
		nfs4_opens_end_all(state, (uint32_t)(owner - state->owners));
		owner->sequenced = false;
	}
	if (!owner)
		owner = nfs4_opens_add_owner(state, open);
	if (!owner)
		return open->minor ? NFS4ERR_DELAY : NFS4ERR_RESOURCE;
	owner->touched = state->clock();
	if (open->minor)
		return nfs4_opens_open_by(state, owner, open, res);
	if (nfs4_opens_is_sequenced(owner, OP_OPEN, open->seqid, &status)) {
		*res = owner->last.res;
		return status;
	}
	status = nfs4_opens_open_by(state, owner, open, res);
	nfs4_opens_store_result(owner, OP_OPEN, open->seqid, status, res);
	return status;
}

uint32_t nfs4_opens_open(struct nfs4_state *state, struct nfs4_open *open,
			 struct nfs4_open_res *res)
{
	struct nfs4_client *client;
	uint32_t status = NFS4ERR_STALE_CLIENTID;

	*res = (struct nfs4_open_res){ .confirm = false };
	nfs4_clients_lock(state);
	client = nfs4_clients_get(state, open->clientid, open->minor > 0);
	if (client && client->confirmed) {
		nfs4_clients_touch(state, client);
		status = nfs4_opens_open_sequenced(state, open, res);
	}
	nfs4_clients_unlock(state);
	return status;
}

/* CLOSE, OPEN_CONFIRM, OPEN_DOWNGRADE */

static uint32_t nfs4_opens_change_one(struct nfs4_state *state, struct nfs4_opened *open,
				      const struct nfs4_open_change *change,
				      struct nfs4_stateid *stateid)
{
	struct nfs4_owner *owner = &state->owners[open->owner];

	if (!nfs4_opens_same_file(&open->fh, change->fh))
		return NFS4ERR_BAD_STATEID;
	if (change->op == OP_OPEN_CONFIRM && owner->confirmed)
		return NFS4ERR_BAD_STATEID;
	if (change->op == OP_OPEN_DOWNGRADE) {
		if ((change->access & ~open->access) || (change->deny & ~open->deny) ||
		    !change->access)
			return NFS4ERR_INVAL;
		nfs4_opens_set_share(state, open, change->access, change->deny);
	}
	owner->confirmed = true;
	open->seqid++;
	nfs4_opens_stateid(state, open, stateid);
	if (change->op == OP_CLOSE)
		nfs4_opens_end(state, open);
	return NFS4_OK;
}

/* A closed open keeps its owner, for a repeated CLOSE. */
static struct nfs4_owner *nfs4_opens_owner_by_stateid(struct nfs4_state *state,
						      const struct nfs4_stateid *stateid)
{
	const uint32_t index = get_be32(stateid->other + 4);
	const struct nfs4_opened *open;

	if (memcmp(stateid->other, state->boot, 4) != 0 || index >= NFS4_OPENS)
		return NULL;
	open = &state->opens[index];
	return open->generation == get_be32(stateid->other + 8) && state->owners[open->owner].used
		       ? &state->owners[open->owner]
		       : NULL;
}

static uint32_t nfs4_opens_change_sequenced(struct nfs4_state *state,
					    const struct nfs4_open_change *change,
					    struct nfs4_stateid *stateid)
{
	struct nfs4_open_res res = { .confirm = false };
	struct nfs4_owner *owner = NULL;
	struct nfs4_opened *open = NULL;
	uint32_t status;

	if (!change->minor)
		owner = nfs4_opens_owner_by_stateid(state, &change->stateid);
	if (owner && nfs4_opens_is_sequenced(owner, change->op, change->seqid, &status)) {
		*stateid = owner->last.res.stateid;
		return status;
	}
	status = nfs4_opens_find(state, change->minor, change->clientid, &change->stateid, &open);
	/* An unconfirmed owner may only confirm. */
	if (!status && !nfs4_opens_owner(state, open)->confirmed && change->op != OP_OPEN_CONFIRM)
		status = NFS4ERR_BAD_STATEID;
	if (!status)
		status = nfs4_opens_change_one(state, open, change, &res.stateid);
	if (owner)
		nfs4_opens_store_result(owner, change->op, change->seqid, status, &res);
	*stateid = res.stateid;
	return status;
}

/* In 4.0 the stateid identifies the client whose lease is renewed. */
static void nfs4_opens_renew(struct nfs4_state *state, const struct nfs4_owner *owner)
{
	struct nfs4_client *client = nfs4_clients_get(state, owner->clientid, false);

	if (client)
		nfs4_clients_touch(state, client);
}

uint32_t nfs4_opens_change(struct nfs4_state *state, const struct nfs4_open_change *change,
			   struct nfs4_stateid *stateid)
{
	const struct nfs4_owner *owner;
	uint32_t status;

	nfs4_clients_lock(state);
	owner = change->minor ? NULL : nfs4_opens_owner_by_stateid(state, &change->stateid);
	if (owner)
		nfs4_opens_renew(state, owner);
	status = nfs4_opens_change_sequenced(state, change, stateid);
	nfs4_clients_unlock(state);
	return status;
}

/* READ and WRITE */

static uint32_t nfs4_opens_check(struct nfs4_state *state, uint32_t minor, uint64_t clientid,
				 const struct nfs4_stateid *stateid, const struct nfs_fh *fh,
				 uint32_t access)
{
	struct nfs4_opened *open;
	uint32_t status;
	size_t i;

	if (nfs4_stateid_is_anonymous(stateid) || nfs4_stateid_is_bypass(stateid)) {
		for (i = 0; state->denying && i < NFS4_OPENS; i++)
			if (state->opens[i].used && (state->opens[i].deny & access) &&
			    nfs4_opens_same_file(&state->opens[i].fh, fh))
				return NFS4ERR_LOCKED;
		return NFS4_OK;
	}
	status = nfs4_opens_find(state, minor, clientid, stateid, &open);
	if (status)
		return status;
	if (!minor)
		nfs4_opens_renew(state, nfs4_opens_owner(state, open));
	if (!nfs4_opens_owner(state, open)->confirmed || !nfs4_opens_same_file(&open->fh, fh))
		return NFS4ERR_BAD_STATEID;
	/* Who may write may read (RFC 8881 section 18.22.4). */
	return access == OPEN4_SHARE_ACCESS_WRITE && !(open->access & access) ? NFS4ERR_OPENMODE
									      : NFS4_OK;
}

uint32_t nfs4_opens_use(struct nfs4_state *state, uint32_t minor, uint64_t clientid,
			const struct nfs4_stateid *stateid, const struct nfs_fh *fh,
			uint32_t access)
{
	uint32_t status;

	/* For a WRITE it is the anonymous one (RFC 8881 section 8.2.3). */
	if (nfs4_stateid_is_bypass(stateid) && access == OPEN4_SHARE_ACCESS_READ)
		return NFS4_OK;
	nfs4_clients_lock(state);
	status = nfs4_opens_check(state, minor, clientid, stateid, fh, access);
	nfs4_clients_unlock(state);
	return status;
}

uint32_t nfs4_opens_test(struct nfs4_state *state, uint64_t clientid,
			 const struct nfs4_stateid *stateid)
{
	struct nfs4_opened *open;
	uint32_t status;

	nfs4_clients_lock(state);
	status = nfs4_opens_find(state, 1, clientid, stateid, &open);
	nfs4_clients_unlock(state);
	return status;
}
