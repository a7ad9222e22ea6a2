/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The client of NFSv4.1 and later: EXCHANGE_ID, CREATE_SESSION, RECLAIM_COMPLETE, and at the end
 * DESTROY_SESSION, DESTROY_CLIENTID (RFC 8881 sections 18.35, 18.36, 18.51, 18.37, 18.50).
 *
 * The kernel of this host may be a client of the same server. Its state is separate from ours:
 * our owner string has 128 random bits, and there is no backchannel. Our state is always removed:
 * the parent process knows at each step what exists, before the server does, and removes it if
 * this process does not. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* Slots of a session: a benchmark's calls in flight; the sweep has fewer, and a few that may be lost. */
#define REQUESTS      32
#define REQUEST_SIZE  4096
#define RESPONSE_SIZE (1048576 + 65536)
/* For WRITEs. */
#define REQUEST_SIZE_WRITE RESPONSE_SIZE
/* At level full, where READs go up to the server's largest. */
#define RESPONSE_SIZE_FULL (READ_MAX_LARGE + 65536)
#define OPERATIONS         8
#define SPARE              4 /* slots for repeated calls */
/* Time to remove everything, even after the probe's own deadline. */
#define CLOSE_MS 1000
#define AGAIN_US 100000

static const char *const client41_step_names[] = {
	[REMAINS_EXCHANGE_ID] = "EXCHANGE_ID",
	[REMAINS_CREATE_SESSION] = "CREATE_SESSION",
	[REMAINS_DESTROY_SESSION] = "DESTROY_SESSION",
	[REMAINS_DESTROY_CLIENTID] = "DESTROY_CLIENTID",
};

/* Tells the parent, which may have to remove it. */
static void client41_report(struct probe *p)
{
	uint8_t buf[REMAINS_RECORD_MAX];

	probe_record(p, WORKER_REMAINS, buf, remains_encode(&p->client.remains, buf));
}

static int client41_random(void *buf, size_t len)
{
	int rc = random_bytes(buf, len);

	return rc ? err_because(rc, "local") : 0;
}

static int client41_owner_new(struct probe *p)
{
	struct remains *r = &p->client.remains;
	uint8_t id[16];
	size_t used, i;
	int rc;

	memset(r, 0, sizeof(*r));
	rc = client41_random(id, sizeof(id));
	if (!rc)
		rc = client41_random(p->client.verifier, sizeof(p->client.verifier));
	if (rc)
		return rc;
	used = (size_t)snprintf(r->owner, sizeof(r->owner), "%s", REMAINS_OWNER);
	for (i = 0; i < sizeof(id); i++)
		used += (size_t)snprintf(r->owner + used, sizeof(r->owner) - used, "%02x", id[i]);
	r->minor = (uint8_t)p->version->minor;
	r->address = (uint8_t)p->route.address;
	p->client.cred = p->cred;
	p->client.reclaimed = false;
	return 0;
}

/* One COMPOUND of nfs4-session.c. The caller finishes the call. */
static int client41_compound(struct probe *p, struct rpcrdma_call *call, const void *args,
			     ssize_t len)
{
	rpcrdma_call_init(call, NFS_PROGRAM_NUMBER, 4, NFSPROC4_COMPOUND);
	if (len < 0)
		return (int)len;
	call->cred = &p->client.cred;
	call->args = args;
	call->args_len = (size_t)len;
	return session_call(p, call, 0);
}

static ssize_t client41_step_args(struct probe *p, enum remains_step step, void *buf, size_t cap)
{
	const struct remains *r = &p->client.remains;
	const struct nfs4_create_session create = {
		.clientid = r->clientid,
		.sequenceid = r->sequenceid,
		.requests = REQUESTS,
		.request_size = p->options->scratch ? REQUEST_SIZE_WRITE : REQUEST_SIZE,
		.response_size = p->options->level == PROBE_FULL ? RESPONSE_SIZE_FULL
								 : RESPONSE_SIZE,
		.operations = OPERATIONS,
	};

	switch (step) {
	case REMAINS_EXCHANGE_ID:
		return nfs4_args_exchange_id(buf, cap, r->minor, p->client.verifier, r->owner);
	case REMAINS_CREATE_SESSION: return nfs4_args_create_session(buf, cap, r->minor, &create);
	case REMAINS_DESTROY_SESSION:
		return nfs4_args_destroy_session(buf, cap, r->minor, r->sessionid);
	case REMAINS_DESTROY_CLIENTID:
		return nfs4_args_destroy_clientid(buf, cap, r->minor, r->clientid);
	default: return err_set(EINVAL, "no step %d", step);
	}
}

static int client41_take_client(struct probe *p, struct reader *r, uint32_t *status)
{
	struct server_seen *seen = &p->server.seen;
	struct nfs4_exchange_id_res res;
	int rc = nfs4_res_exchange_id(&res, r);

	*status = res.status;
	if (rc || res.status)
		return rc;
	p->client.generation = p->session.generation;
	p->client.remains.clientid = res.clientid;
	p->client.remains.sequenceid = res.sequenceid;
	memcpy(seen->scope, res.scope, sizeof(res.scope));
	memcpy(seen->domain, res.domain, sizeof(res.domain));
	memcpy(seen->implementation, res.implementation, sizeof(res.implementation));
	return 0;
}

static int client41_take_session(struct probe *p, struct reader *r, uint32_t *status)
{
	struct client41 *client = &p->client;
	struct nfs4_create_session_res res;
	int rc = nfs4_res_create_session(&res, r);

	*status = res.status;
	if (rc || res.status)
		return rc;
	memcpy(client->remains.sessionid, res.sessionid, NFS4_SESSIONID_SIZE);
	client->remains.sequenceid++;
	client->generation = p->session.generation;
	client->request_size = res.request_size;
	client->response_size = res.response_size;
	slots41_init(&client->slots, res.sessionid, res.requests);
	return 0;
}

/* Makes one call; its results are in the remains. */
static int client41_step_once(struct probe *p, enum remains_step step, uint32_t *status)
{
	struct rpcrdma_call call;
	uint8_t args[NFS_ARGS_MAX];
	struct reader r;
	int rc;

	rc = client41_compound(p, &call, args, client41_step_args(p, step, args, sizeof(args)));
	reader_init(&r, call.results, call.results_len);
	if (!rc && step == REMAINS_EXCHANGE_ID)
		rc = client41_take_client(p, &r, status);
	else if (!rc && step == REMAINS_CREATE_SESSION)
		rc = client41_take_session(p, &r, status);
	else if (!rc)
		rc = nfs4_res_status(status, &r);
	rpcrdma_call_fini(&call);
	debug(DEBUG_PROBE, "%s: %s", client41_step_names[step],
	      rc ? err_text() : p->version->status_text(*status));
	return err_context(rc, "%s", client41_step_names[step]);
}

/* Waits when the server asks for patience, and repeats the call once after a lost connection. */
static int client41_step(struct probe *p, enum remains_step step, uint32_t *status)
{
	struct retries retries = { 0 };
	unsigned int tries = 0;
	int rc;

	for (;;) {
		rc = client41_step_once(p, step, status);
		if (session_is_failure(rc) && !tries++ && !p->session.hopeless)
			continue;
		if (rc || !session_later(p, *status, &retries))
			return rc;
	}
}

static int client41_client_make(struct probe *p)
{
	struct remains *r = &p->client.remains;
	uint32_t status = 0;
	int rc = r->owner[0] ? 0 : client41_owner_new(p);

	if (rc)
		return rc;
	r->exists = r->unsure = true;
	r->has_client = r->has_session = false;
	client41_report(p);
	rc = client41_step(p, REMAINS_EXCHANGE_ID, &status);
	if (rc)
		return rc;
	r->unsure = false;
	r->exists = r->has_client = !status;
	p->client.reclaimed = false;
	client41_report(p);
	return err_context(operation_error(p->version, status), "EXCHANGE_ID");
}

/* Destroys the session before another is made. If that fails, it is destroyed at the end, with
 * its owner. */
static bool client41_session_drop(struct probe *p)
{
	struct remains *r = &p->client.remains;
	uint32_t status = 0;
	bool gone;

	p->client.slots.count = 0;
	if (!r->has_session)
		return true;
	gone = !client41_step_once(p, REMAINS_DESTROY_SESSION, &status) &&
	       (!status || status == NFS4ERR_BADSESSION);
	r->has_session = false;
	return gone;
}

/* @status: CREATE_SESSION's. */
static int client41_session_make(struct probe *p, bool clean, uint32_t *status)
{
	struct remains *r = &p->client.remains;
	int rc;

	r->unsure = true;
	client41_report(p);
	rc = client41_step(p, REMAINS_CREATE_SESSION, status);
	if (rc)
		return rc;
	r->unsure = !clean;
	r->has_session = !*status;
	p->client.made += !*status;
	client41_report(p);
	return 0;
}

/* The first operation of a new client (RFC 8881 section 18.51.3). Its slot is not used again if
 * the status does not say which operation it belongs to. */
static int client41_reclaim_complete(struct probe *p)
{
	struct retries retries = { 0 };
	struct nfs4_sequence sequence;
	unsigned int tries = 0;
	struct rpcrdma_call call;
	uint8_t args[NFS_ARGS_MAX];
	uint32_t status = 0;
	struct reader r;
	int rc;

	for (;;) {
		if (!slots41_take(&p->client.slots, &sequence))
			return err_because(err_set(EAGAIN, "RECLAIM_COMPLETE: no free slot"),
					   "no-reply");
		rc = client41_compound(p, &call, args,
				       nfs4_args_reclaim_complete(args, sizeof(args),
								  p->version->minor, &sequence));
		reader_init(&r, call.results, call.results_len);
		if (!rc)
			rc = nfs4_res_status(&status, &r);
		rpcrdma_call_fini(&call);
		if (!rc && (!status || status == NFS4ERR_COMPLETE_ALREADY)) {
			slots41_answered(&p->client.slots, &sequence, true);
			p->client.reclaimed = true;
			return 0;
		}
		slots41_lost(&p->client.slots, &sequence);
		if (session_is_failure(rc) && !tries++ && !p->session.hopeless)
			continue;
		/* The server executed it, but answered with RDMA_ERROR. */
		if (!rc && status == NFS4ERR_RETRY_UNCACHED_REP && !tries++)
			continue;
		if (rc || !session_later(p, status, &retries))
			break;
	}
	return err_context(rc ? rc : operation_error(p->version, status), "RECLAIM_COMPLETE");
}

/* The client was known on an earlier connection, which was lost. If the connection is the same,
 * the server did not restart, since that would end the connection: an administrator removed the
 * client. */
static bool client41_is_restart(struct probe *p, uint32_t status)
{
	char text[64];

	if ((status != NFS4ERR_BADSESSION && status != NFS4ERR_STALE_CLIENTID) ||
	    p->client.generation == p->session.generation)
		return false;
	snprintf(text, sizeof(text), "it no longer knows its client (%s)",
		 p->version->status_text(status));
	liveness_restarted(p, text);
	return true;
}

int client41_ready(struct probe *p)
{
	const struct slots41 *slots = &p->client.slots;
	struct remains *r = &p->client.remains;
	uint32_t status = 0;
	bool clean;
	int rc;

	if (!p->version->sessions)
		return 0;
	if (slots->count &&
	    (slots41_in(slots, SLOT41_BUSY) || 2 * slots41_in(slots, SLOT41_FREE) >= slots->count))
		return 0;
	if (r->exists && r->minor != p->version->minor)
		return err_because(
			err_set(EBUSY, "the NFSv4.%u client is still on the server", r->minor),
			"no-reply");
	clean = client41_session_drop(p) && !(r->exists && r->unsure);
	rc = r->exists && r->has_client ? 0 : client41_client_make(p);
	if (!rc)
		rc = client41_session_make(p, clean, &status);
	if (rc)
		return rc;
	/* The server restarted and has no clients. */
	if (client41_is_restart(p, status))
		return err_set(ECANCELED, "%s", p->liveness.gone_why);
	if (status == NFS4ERR_STALE_CLIENTID) {
		rc = client41_client_make(p);
		if (!rc)
			rc = client41_session_make(p, true, &status);
		if (rc)
			return rc;
	}
	if (status)
		return err_context(operation_error(p->version, status), "CREATE_SESSION");
	return p->client.reclaimed ? 0 : client41_reclaim_complete(p);
}

/* SEQUENCE's errors after which a session, or our view of it, is no longer usable. */
static bool client41_is_end(uint32_t status)
{
	switch (status) {
	case NFS4ERR_BADSESSION:
	case NFS4ERR_DEADSESSION:
	case NFS4ERR_STALE_CLIENTID:
	case NFS4ERR_EXPIRED:
	case NFS4ERR_BADSLOT:
	case NFS4ERR_BAD_HIGH_SLOT:
	case NFS4ERR_SEQ_MISORDERED:
	case NFS4ERR_SEQ_FALSE_RETRY:
	case NFS4ERR_RETRY_UNCACHED_REP:
	case NFS4ERR_CONN_NOT_BOUND_TO_SESSION: return true;
	default: return false;
	}
}

bool client41_forgotten(struct probe *p, const struct operation *op)
{
	struct client41 *client = &p->client;
	uint32_t status = op->result.status;

	if (!p->version->sessions || op->result.sequenced || op->result.failed_op != OP_SEQUENCE ||
	    !client41_is_end(status))
		return false;
	/* Another call may have reported this before. */
	if (client->slots.count &&
	    !memcmp(client->slots.sessionid, op->request.sequence.sessionid, NFS4_SESSIONID_SIZE)) {
		client->slots.count = 0;
		client->lost++;
		client->lost_status = status;
		if (status == NFS4ERR_BADSESSION || status == NFS4ERR_STALE_CLIENTID)
			client->remains.has_session = false;
		client41_is_restart(p, status);
	}
	return true;
}

unsigned int client41_width(const struct probe *p)
{
	unsigned int free = slots41_in(&p->client.slots, SLOT41_FREE);

	if (!p->version->sessions)
		return UINT32_MAX;
	/* A call answered with RDMA_ERROR is repeated with another slot. */
	return p->behaviour.refused.errors && free > 1 ? free - min_u32(free / 2, SPARE) : free;
}

/* Removes state step by step, until the server has none left or the time is over. */
static int client41_clear(struct probe *p)
{
	struct remains *r = &p->client.remains;
	enum remains_step step;
	uint32_t status = 0;
	int rc;

	for (;;) {
		step = remains_next(r);
		if (step == REMAINS_NOTHING)
			return 0;
		rc = step == REMAINS_EXCHANGE_ID
			     ? client41_random(p->client.verifier, NFS4_VERIFIER_SIZE)
			     : 0;
		if (!rc)
			rc = client41_step(p, step, &status);
		if (rc)
			return rc;
		if (!remains_answered(r, step, status))
			return err_context(operation_error(p->version, status), "%s",
					   client41_step_names[step]);
		client41_report(p);
		if (status)
			usleep(AGAIN_US);
		if (!deadline_left(p->deadline))
			return err_set(ETIMEDOUT, "%s: out of time", client41_step_names[step]);
	}
}

void client41_close(struct probe *p)
{
	p->client.slots.count = 0;
	if (!p->client.remains.exists)
		return;
	p->session.hopeless = p->session.device_gone || p->liveness.gone;
	if (deadline_left(p->deadline) < CLOSE_MS)
		p->deadline = deadline_min(deadline_in(CLOSE_MS), p->close_by);
	if (client41_clear(p))
		debug(DEBUG_PROBE, "the client stays on the server: %s", err_text());
	/* The state is gone with the server. Neither this process nor the parent sends anything
	 * more to it. */
	if (p->liveness.gone && p->client.remains.exists) {
		p->client.remains.exists = false;
		client41_report(p);
	}
	/* The next one is another. */
	if (!p->client.remains.exists)
		p->client.remains.owner[0] = '\0';
}

void client41_clean(struct probe *p)
{
	const struct remains *r = &p->client.remains;
	size_t i;

	for (i = 0; nfs_versions[i]; i++)
		if (nfs_versions[i]->vers == 4 && nfs_versions[i]->minor == r->minor)
			p->version = nfs_versions[i];
	p->route.address = r->address;
	p->client.cred = p->cred;
	/* The worker's end does not tell whether the server is still there: ask with NULL
	 * first. */
	p->liveness.answered = p->liveness.connection_lost = true;
	if (p->version->sessions && p->route.address < p->route.naddresses && client41_clear(p))
		debug(DEBUG_PROBE, "cleaning: %s", err_text());
	session_drop(p);
}
