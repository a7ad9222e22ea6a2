/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The RPC message header, RFC 5531 sections 9 and 10 and appendix A (AUTH_SYS). Arguments and
 * results follow it and are not handled here. Received verifiers are returned unchanged and sent
 * ones are AUTH_NONE, as with AUTH_SYS they have no content. */
#include "rpcrdma/wire/wire.h"

#define RPC_VERSION 2

/* The machine name of AUTH_SYS: servers ignore it, but captures show it. */
static const char machine[] = "nfsrdma";

/* Calls */

static void rpc_encode_cred(struct writer *w, const struct rpc_cred *cred)
{
	uint32_t ngids = min_u32(cred->ngids, RPC_GIDS_MAX);
	uint32_t i;

	if (cred->flavor != RPC_AUTH_SYS) {
		writer_u32(w, RPC_AUTH_NONE);
		writer_u32(w, 0);
		return;
	}
	writer_u32(w, RPC_AUTH_SYS);
	writer_u32(w, (uint32_t)(20 + xdr_pad4(sizeof(machine) - 1) + 4 * ngids));
	writer_u32(w, 0); /* stamp: arbitrary */
	writer_opaque(w, machine, sizeof(machine) - 1);
	writer_u32(w, cred->uid);
	writer_u32(w, cred->gid);
	writer_u32(w, ngids);
	for (i = 0; i < ngids; i++)
		writer_u32(w, cred->gids[i]);
}

static void rpc_encode_null_verifier(struct writer *w)
{
	writer_u32(w, RPC_AUTH_NONE);
	writer_u32(w, 0);
}

void rpc_call_encode(struct writer *w, const struct rpc_call *call)
{
	writer_u32(w, call->xid);
	writer_u32(w, RPC_CALL);
	writer_u32(w, RPC_VERSION);
	writer_u32(w, call->prog);
	writer_u32(w, call->vers);
	writer_u32(w, call->proc);
	if (call->auth) {
		writer_bytes(w, call->auth, call->auth_len);
		return;
	}
	rpc_encode_cred(w, &call->cred);
	rpc_encode_null_verifier(w);
}

static bool rpc_decode_cred(struct rpc_cred *cred, struct reader *r)
{
	struct reader body;
	const uint8_t *p;
	uint32_t len, machine_len, i;

	cred->flavor = reader_u32(r);
	p = reader_opaque(r, RPC_AUTH_BODY_MAX, &len);
	if (!p || cred->flavor != RPC_AUTH_SYS)
		return p;
	reader_init(&body, p, len);
	/* The body has its own length; bytes after the last group are skipped. */
	reader_u32(&body); /* stamp */
	reader_opaque(&body, RPC_MACHINE_MAX, &machine_len);
	cred->uid = reader_u32(&body);
	cred->gid = reader_u32(&body);
	cred->ngids = reader_u32(&body);
	if (cred->ngids > RPC_GIDS_MAX)
		return false;
	for (i = 0; i < cred->ngids; i++)
		cred->gids[i] = reader_u32(&body);
	return !body.bad;
}

static const uint8_t *rpc_decode_verifier(struct reader *r, uint32_t *flavor, uint32_t *len)
{
	*flavor = reader_u32(r);
	return reader_opaque(r, RPC_AUTH_BODY_MAX, len);
}

int rpc_call_decode(struct rpc_call *call, struct reader *r)
{
	uint32_t type, flavor, len;
	const uint8_t *auth;

	*call = (struct rpc_call){ .xid = reader_u32(r) };
	type = reader_u32(r);
	call->rpcvers = reader_u32(r);
	if (r->bad || type != RPC_CALL)
		return err_set(EBADMSG, "not an RPC call");
	/* The rest has the format of another version. */
	if (call->rpcvers != RPC_VERSION)
		return 0;
	call->prog = reader_u32(r);
	call->vers = reader_u32(r);
	call->proc = reader_u32(r);
	auth = r->p;
	if (!rpc_decode_cred(&call->cred, r))
		return err_set(EBADMSG, "malformed credential of the RPC call");
	if (!rpc_decode_verifier(r, &flavor, &len))
		return err_set(EBADMSG, "malformed verifier of the RPC call");
	call->auth = auth;
	call->auth_len = (size_t)(r->p - auth);
	return 0;
}

/* Replies */

static void rpc_encode_range(struct writer *w, const struct rpc_reply *reply)
{
	writer_u32(w, reply->low);
	writer_u32(w, reply->high);
}

void rpc_reply_encode(struct writer *w, const struct rpc_reply *reply)
{
	writer_u32(w, reply->xid);
	writer_u32(w, RPC_REPLY);
	writer_u32(w, reply->reply_stat);
	if (reply->reply_stat == RPC_MSG_ACCEPTED) {
		rpc_encode_null_verifier(w);
		writer_u32(w, reply->accept_stat);
		if (reply->accept_stat == RPC_PROG_MISMATCH)
			rpc_encode_range(w, reply);
		return;
	}
	writer_u32(w, reply->reject_stat);
	if (reply->reject_stat == RPC_MISMATCH)
		rpc_encode_range(w, reply);
	else
		writer_u32(w, reply->auth_stat);
}

static void rpc_decode_range(struct rpc_reply *reply, struct reader *r)
{
	reply->low = reader_u32(r);
	reply->high = reader_u32(r);
}

int rpc_reply_decode(struct rpc_reply *reply, struct reader *r)
{
	uint32_t type;

	*reply = (struct rpc_reply){ .xid = reader_u32(r) };
	type = reader_u32(r);
	reply->reply_stat = reader_u32(r);
	if (r->bad || type != RPC_REPLY || reply->reply_stat > RPC_MSG_DENIED)
		return err_set(EBADMSG, "not an RPC reply");
	if (reply->reply_stat == RPC_MSG_ACCEPTED) {
		reply->verf = rpc_decode_verifier(r, &reply->verf_flavor, &reply->verf_len);
		reply->accept_stat = reader_u32(r);
		if (reply->accept_stat == RPC_PROG_MISMATCH)
			rpc_decode_range(reply, r);
	} else {
		reply->reject_stat = reader_u32(r);
		if (reply->reject_stat == RPC_MISMATCH)
			rpc_decode_range(reply, r);
		else
			reply->auth_stat = reader_u32(r);
	}
	return r->bad ? err_set(EBADMSG, "RPC reply breaks its format") : 0;
}

/* RFC 5531 section 9, accept_stat; PROG_MISMATCH adds its numbers. */
static const struct {
	int errnum;
	const char *text;
} accept_errors[] = {
	[RPC_PROG_UNAVAIL] = { EOPNOTSUPP, "the server does not have the program" },
	[RPC_PROG_MISMATCH] = { EOPNOTSUPP, "the server has other versions" },
	[RPC_PROC_UNAVAIL] = { EOPNOTSUPP, "the server does not have the procedure" },
	[RPC_GARBAGE_ARGS] = { EINVAL, "the server cannot decode the arguments" },
	[RPC_SYSTEM_ERR] = { EREMOTEIO, "the server reports a system error" },
};

/* RFC 5531 section 9, auth_stat, and RFC 2203 section 5.3.3.3 */
static const char *const auth_names[] = {
	[1] = "AUTH_BADCRED",
	[2] = "AUTH_REJECTEDCRED",
	[3] = "AUTH_BADVERF",
	[4] = "AUTH_REJECTEDVERF",
	[5] = "AUTH_TOOWEAK",
	[6] = "AUTH_INVALIDRESP",
	[7] = "AUTH_FAILED",
	[13] = "RPCSEC_GSS_CREDPROBLEM",
	[14] = "RPCSEC_GSS_CTXPROBLEM",
};

static int rpc_check_accepted(const struct rpc_reply *reply)
{
	uint32_t stat = reply->accept_stat;

	if (stat == RPC_SUCCESS)
		return 0;
	if (stat >= ARRAY_SIZE(accept_errors))
		return err_set(EPROTO, "RPC accept_stat %u", stat);
	if (stat == RPC_PROG_MISMATCH)
		return err_set(EOPNOTSUPP, "%s: %u to %u", accept_errors[stat].text, reply->low,
			       reply->high);
	return err_set(accept_errors[stat].errnum, "%s", accept_errors[stat].text);
}

static int rpc_check_reply(const struct rpc_reply *reply)
{
	uint32_t stat = reply->auth_stat;
	const char *name = stat < ARRAY_SIZE(auth_names) ? auth_names[stat] : NULL;

	if (reply->reply_stat == RPC_MSG_ACCEPTED)
		return rpc_check_accepted(reply);
	if (reply->reply_stat != RPC_MSG_DENIED ||
	    (reply->reject_stat != RPC_AUTH_ERROR && reply->reject_stat != RPC_MISMATCH))
		return err_set(EPROTO, "RPC reply_stat %u, reject_stat %u", reply->reply_stat,
			       reply->reject_stat);
	if (reply->reject_stat == RPC_MISMATCH)
		return err_set(EPROTO, "the server supports RPC versions %u to %u", reply->low,
			       reply->high);
	return name ? err_set(EACCES, "the server refuses the credential: %s", name)
		    : err_set(EACCES, "the server refuses the credential: auth_stat %u", stat);
}

int rpc_reply_check(const struct rpc_reply *reply)
{
	int rc = rpc_check_reply(reply);

	return rc ? err_because(rc, "rpc-error") : 0;
}
