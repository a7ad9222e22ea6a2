/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The state of an NFSv4.1 or later client on the server, as a record between worker and parent,
 * and the steps to remove it: a session first, then the client id (RFC 8881 sections 18.37,
 * 18.50). If the state is not certain, the owner sends a new verifier, which makes the server
 * drop all earlier state (section 18.35.4), and the new client is destroyed. Pure. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

enum { IS_UNSURE = 1, HAS_CLIENT = 2, HAS_SESSION = 4, HAS_RESTARTED = 8, EXISTS = 16 };

size_t remains_encode(const struct remains *r, uint8_t buf[REMAINS_RECORD_MAX])
{
	size_t len = strlen(r->owner) + 1;

	memset(buf, 0, REMAINS_RECORD_MAX);
	buf[0] = (uint8_t)((r->unsure ? IS_UNSURE : 0) | (r->has_client ? HAS_CLIENT : 0) |
			   (r->has_session ? HAS_SESSION : 0) | (r->restarted ? HAS_RESTARTED : 0) |
			   (r->exists ? EXISTS : 0));
	buf[1] = r->minor;
	buf[2] = r->address;
	put_be32(buf + 8, r->sequenceid);
	put_be64(buf + 12, r->clientid);
	memcpy(buf + 20, r->sessionid, NFS4_SESSIONID_SIZE);
	memcpy(buf + 20 + NFS4_SESSIONID_SIZE, r->owner, len);
	return 20 + NFS4_SESSIONID_SIZE + len;
}

/* Never destroys the state of others on this host, above all of its kernel. */
static bool remains_is_owner(const char *owner, size_t len)
{
	const size_t prefix = strlen(REMAINS_OWNER);

	return len > prefix && len <= REMAINS_OWNER_MAX && strnlen(owner, len) == len - 1 &&
	       !strncmp(owner, REMAINS_OWNER, prefix) &&
	       strspn(owner + prefix, "0123456789abcdef") == len - 1 - prefix;
}

int remains_decode(struct remains *r, const uint8_t *buf, size_t len)
{
	const size_t fixed = 20 + NFS4_SESSIONID_SIZE;

	if (len <= fixed || !remains_is_owner((const char *)buf + fixed, len - fixed) ||
	    buf[1] < 1 || buf[1] > NFS4_MINOR_MAX || buf[0] >= 2 * EXISTS)
		return err_set(EPROTO, "the worker sent an invalid client record");
	memset(r, 0, sizeof(*r));
	r->unsure = buf[0] & IS_UNSURE;
	r->has_client = buf[0] & HAS_CLIENT;
	r->has_session = buf[0] & HAS_SESSION;
	r->restarted = buf[0] & HAS_RESTARTED;
	r->exists = buf[0] & EXISTS;
	r->minor = buf[1];
	r->address = buf[2];
	r->sequenceid = get_be32(buf + 8);
	r->clientid = get_be64(buf + 12);
	memcpy(r->sessionid, buf + 20, NFS4_SESSIONID_SIZE);
	memcpy(r->owner, buf + fixed, len - fixed);
	return 0;
}

enum remains_step remains_next(const struct remains *r)
{
	if (!r->exists)
		return REMAINS_NOTHING;
	if (r->unsure && !r->restarted)
		return REMAINS_EXCHANGE_ID;
	if (r->unsure)
		return REMAINS_CREATE_SESSION;
	if (r->has_session)
		return REMAINS_DESTROY_SESSION;
	return r->has_client ? REMAINS_DESTROY_CLIENTID : REMAINS_NOTHING;
}

/* The state is not as expected: start again, but not forever. */
static bool remains_start_anew(struct remains *r)
{
	if (r->restarted)
		return false;
	r->unsure = true;
	return true;
}

bool remains_answered(struct remains *r, enum remains_step step, uint32_t status)
{
	/* An earlier call may still hold it for a moment. */
	if (nfs_status_is_later(status) || (status == NFS4ERR_CLIENTID_BUSY && r->restarted))
		return true;
	switch (step) {
	case REMAINS_EXCHANGE_ID:
		r->restarted = !status;
		r->has_client = !status;
		r->has_session = false;
		return !status;
	case REMAINS_CREATE_SESSION:
		r->unsure = false;
		r->has_session = !status;
		/* The server restarted and lost it. */
		return !status || status == NFS4ERR_STALE_CLIENTID;
	case REMAINS_DESTROY_SESSION:
		if (status && status != NFS4ERR_BADSESSION && status != NFS4ERR_DEADSESSION)
			return remains_start_anew(r);
		r->has_session = false;
		return true;
	case REMAINS_DESTROY_CLIENTID:
		if (status && status != NFS4ERR_STALE_CLIENTID)
			return remains_start_anew(r);
		r->exists = r->has_client = false;
		return true;
	default: return false;
	}
}
