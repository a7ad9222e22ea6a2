/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* XDR of the operations that create, renew and destroy clients and sessions: RFC 7530 sections
 * 16.29, 16.33 to 16.35, RFC 8881 sections 18.34 to 18.37, 18.46, 18.50, 18.51. */
#include <stdio.h>

#include "rpcrdma/server/nfs4-internal.h"

/* verifier and id: nfs_client_id4, client_owner4 */
static bool nfs4_get_client_owner(struct compound *c, struct nfs4_client_owner *owner)
{
	struct reader *r = &c->call->args;
	const struct rpc_cred *cred = &c->call->rpc.cred;
	const uint8_t *p = reader_bytes(r, sizeof(owner->verifier));

	if (p)
		memcpy(owner->verifier, p, sizeof(owner->verifier));
	owner->id = reader_opaque(r, NFS4_OPAQUE_LIMIT, &owner->id_len);
	owner->flavor = cred->flavor;
	owner->uid = cred->flavor == RPC_AUTH_SYS ? cred->uid : 0;
	return owner->id && !r->bad;
}

/* 4.0 */

uint32_t nfs4_setclientid(struct compound *c)
{
	struct nfs4_client_owner owner = { .id = NULL };
	struct nfs4_client_res res;
	uint32_t status;

	if (!nfs4_get_client_owner(c, &owner))
		return NFS4ERR_BADXDR;
	/* The callback: program, netid, address, ident. Unused, as there are no callbacks. */
	nfs4_skip_args(c, "4oo4");
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	status = nfs4_clients_set(c->state, &owner, &res);
	if (status == NFS4ERR_CLID_INUSE) {
		/* The owner's netid and address, left empty */
		writer_u32(&c->call->reply, 0);
		writer_u32(&c->call->reply, 0);
	}
	if (status)
		return status;
	writer_u64(&c->call->reply, res.clientid);
	writer_bytes(&c->call->reply, res.confirm, sizeof(res.confirm));
	return NFS4_OK;
}

uint32_t nfs4_setclientid_confirm(struct compound *c)
{
	const uint64_t clientid = reader_u64(&c->call->args);
	const uint8_t *confirm = reader_bytes(&c->call->args, NFS4_VERIFIER_SIZE);

	return confirm ? nfs4_clients_confirm(c->state, clientid, confirm) : NFS4ERR_BADXDR;
}

uint32_t nfs4_renew(struct compound *c)
{
	const uint64_t clientid = reader_u64(&c->call->args);

	return c->call->args.bad ? NFS4ERR_BADXDR : nfs4_clients_renew(c->state, clientid);
}

/* Locks are not supported, so none is held. */
uint32_t nfs4_release_lockowner(struct compound *c)
{
	const uint64_t clientid = reader_u64(&c->call->args);

	nfs4_skip_args(c, "o");
	return c->call->args.bad ? NFS4ERR_BADXDR : nfs4_clients_renew(c->state, clientid);
}

/* EXCHANGE_ID */

/* server_owner4 and server_scope: unique to this server process. */
static void nfs4_put_server_owner(struct compound *c)
{
	const uint8_t *boot = nfs4_state_boot(c->state);
	char text[64];
	uint32_t len;

	len = (uint32_t)snprintf(text, sizeof(text), "nfsrdma-%016llx%s",
				 (unsigned long long)get_be64(boot),
				 c->call->exp && c->call->exp->is_ganesha ? "_NFS-Ganesha" : "");
	writer_u64(&c->call->reply, 0);
	writer_opaque(&c->call->reply, text, len);
	writer_opaque(&c->call->reply, text, len);
}

uint32_t nfs4_exchange_id(struct compound *c)
{
	struct reader *r = &c->call->args;
	struct writer *w = &c->call->reply;
	struct nfs4_client_owner owner = { .id = NULL };
	struct nfs4_client_res res;
	uint32_t flags, how, impl_ids, status;

	if (!nfs4_get_client_owner(c, &owner))
		return NFS4ERR_BADXDR;
	flags = reader_u32(r);
	how = reader_u32(r);
	/* The arm of another protection type follows; none is supported here. */
	if (!r->bad && how != SP4_NONE)
		return how == SP4_SSV         ? NFS4ERR_ENCR_ALG_UNSUPP
		       : how == SP4_MACH_CRED ? NFS4ERR_INVAL
					      : NFS4ERR_BADXDR;
	impl_ids = reader_u32(r);
	if (impl_ids > 1)
		r->bad = true;
	else if (impl_ids)
		nfs4_skip_args(c, "oo84"); /* domain, name, date */
	if (r->bad)
		return NFS4ERR_BADXDR;
	if (flags & ~EXCHGID4_FLAG_ALL)
		return NFS4ERR_INVAL;
	status = nfs4_clients_exchange(c->state, &owner, flags & EXCHGID4_FLAG_UPD_CONFIRMED_REC_A,
				       &res);
	if (status)
		return status;
	writer_u64(w, res.clientid);
	writer_u32(w, res.sequenceid);
	writer_u32(w, EXCHGID4_FLAG_USE_NON_PNFS | (res.confirmed ? EXCHGID4_FLAG_CONFIRMED_R : 0));
	writer_u32(w, SP4_NONE);
	nfs4_put_server_owner(c);
	writer_u32(w, 0); /* eir_server_impl_id */
	return NFS4_OK;
}

/* CREATE_SESSION */

static void nfs4_get_channel_attrs(struct reader *r, struct nfs4_channel *channel)
{
	reader_u32(r); /* headerpadsize */
	channel->request_max = reader_u32(r);
	channel->response_max = reader_u32(r);
	channel->cached_max = reader_u32(r);
	channel->operations = reader_u32(r);
	channel->requests = reader_u32(r);
	/* rdma_ird<1> */
	if (reader_bool(r))
		reader_u32(r);
}

static void nfs4_put_channel_attrs(struct writer *w, const struct nfs4_channel *channel)
{
	writer_u32(w, 0);
	writer_u32(w, channel->request_max);
	writer_u32(w, channel->response_max);
	writer_u32(w, channel->cached_max);
	writer_u32(w, channel->operations);
	writer_u32(w, channel->requests);
	writer_u32(w, 0);
}

/* callback_sec_parms4<>: ignored, as there are no callbacks */
static void nfs4_skip_callback_sec(struct compound *c)
{
	struct reader *r = &c->call->args;
	uint32_t count = reader_u32(r);

	for (; count && !r->bad; count--) {
		switch (reader_u32(r)) {
		case RPC_AUTH_NONE: break;
		case RPC_AUTH_SYS:
			/* authsys_parms: stamp, machine name, uid, gid, gids */
			nfs4_skip_args(c, "4o44");
			reader_bytes(r, 4 * (size_t)min_u32(reader_u32(r), SERVER_CALL_MAX));
			break;
		case RPCSEC_GSS: nfs4_skip_args(c, "4oo"); break;
		default: r->bad = true;
		}
	}
}

uint32_t nfs4_create_session(struct compound *c)
{
	struct reader *r = &c->call->args;
	struct writer *w = &c->call->reply;
	struct nfs4_session_new session = { .clientid = reader_u64(r) };
	struct nfs4_channel back;
	uint32_t status;

	session.sequenceid = reader_u32(r);
	reader_u32(r); /* flags: none is granted */
	nfs4_get_channel_attrs(r, &session.channel);
	nfs4_get_channel_attrs(r, &back);
	reader_u32(r); /* callback program */
	nfs4_skip_callback_sec(c);
	if (r->bad)
		return NFS4ERR_BADXDR;
	session.channel.request_max = min_u32(session.channel.request_max,
					      server_call_max(c->call->exp, c->call->programs));
	status = nfs4_slots_create(c->state, &session);
	if (status)
		return status;
	writer_bytes(w, session.id, sizeof(session.id));
	writer_u32(w, session.sequenceid);
	writer_u32(w, 0);
	nfs4_put_channel_attrs(w, &session.channel);
	nfs4_put_channel_attrs(w, &back);
	return NFS4_OK;
}

uint32_t nfs4_destroy_session(struct compound *c)
{
	const uint8_t *id = reader_bytes(&c->call->args, NFS4_SESSIONID_SIZE);

	if (!id)
		return NFS4ERR_BADXDR;
	/* Section 18.37.3: a session may destroy itself only in the last operation. */
	if (c->in_session && c->index + 1 < c->count &&
	    !memcmp(id, c->slot.session, NFS4_SESSIONID_SIZE))
		return NFS4ERR_NOT_ONLY_OP;
	return nfs4_slots_destroy(c->state, id);
}

uint32_t nfs4_destroy_clientid(struct compound *c)
{
	const uint64_t clientid = reader_u64(&c->call->args);

	return c->call->args.bad ? NFS4ERR_BADXDR : nfs4_clients_destroy(c->state, clientid);
}

uint32_t nfs4_bind_conn_to_session(struct compound *c)
{
	const uint8_t *id = reader_bytes(&c->call->args, NFS4_SESSIONID_SIZE);
	const uint32_t direction = reader_u32(&c->call->args);
	uint64_t clientid;
	uint32_t status;

	reader_bool(&c->call->args); /* use_conn_in_rdma_mode: no */
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	status = nfs4_slots_client(c->state, id, &clientid);
	if (status)
		return status;
	/* A connection cannot be bound to the backchannel only, as there is none. */
	if (direction == CDFC4_BACK)
		return NFS4ERR_INVAL;
	writer_bytes(&c->call->reply, id, NFS4_SESSIONID_SIZE);
	writer_u32(&c->call->reply, CDFC4_FORE);
	writer_bool(&c->call->reply, false);
	return NFS4_OK;
}

uint32_t nfs4_reclaim_complete(struct compound *c)
{
	const bool one_fs = reader_bool(&c->call->args);

	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	/* For one migrated file system: none ever is. */
	if (one_fs)
		return c->current.fh.len ? NFS4_OK : NFS4ERR_NOFILEHANDLE;
	return nfs4_clients_reclaimed(c->state, c->slot.clientid);
}

/* SEQUENCE */

/* FNV-1a: detects a retry with a different call; not protection against forgery. */
static uint64_t nfs4_request_hash(const uint8_t *p, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; len; len--)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return h;
}

uint32_t nfs4_sequence(struct compound *c)
{
	struct reader *r = &c->call->args;
	struct writer *w = &c->call->reply;
	struct nfs4_slot_use use = {
		.request = nfs4_request_hash(c->args, c->args_len),
		.request_len = (uint32_t)c->args_len,
		.operations = c->count,
	};
	const uint8_t *session = reader_bytes(r, NFS4_SESSIONID_SIZE);
	uint32_t status;

	use.sequenceid = reader_u32(r);
	use.slot = reader_u32(r);
	use.highest = reader_u32(r);
	use.cache = reader_bool(r);
	if (r->bad)
		return NFS4ERR_BADXDR;
	memcpy(use.session, session, sizeof(use.session));
	status = nfs4_slots_begin(c->state, &use, c->call, c->start);
	if (status)
		return status;
	c->slot = use;
	c->in_session = true;
	if (use.replayed)
		return NFS4_OK;
	writer_bytes(w, use.session, sizeof(use.session));
	writer_u32(w, use.sequenceid);
	writer_u32(w, use.slot);
	writer_u32(w, use.slots - 1); /* highest_slotid, and the target */
	writer_u32(w, use.slots - 1);
	writer_u32(w, 0); /* status_flags */
	return NFS4_OK;
}
