/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Sessions of NFSv4.1, RFC 8881 section 2.10: exactly-once semantics. A slot takes one call at a
 * time, each with the next sequence id. A call that repeats the last one is a retry and gets the
 * cached reply, on any connection and with any chunks.
 *
 * Any connection may be used for any session: it is bound by its first SEQUENCE (section
 * 2.10.3.1, no state protection). There is no backchannel. */
#include "rpcrdma/server/nfs4-state.h"

/* The minimum that holds a SEQUENCE with its errors. */
#define MESSAGE_MIN 256

static struct nfs4_session *nfs4_slots_find(struct nfs4_state *state,
					    const uint8_t id[NFS4_SESSIONID_SIZE])
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(state->sessions); i++) {
		struct nfs4_session *session = &state->sessions[i];

		if (session->used && !memcmp(session->id, id, sizeof(session->id)))
			return session;
	}
	return NULL;
}

static void nfs4_slots_end_session(struct nfs4_session *session)
{
	free(session->cache);
	free(session->slots);
	memset(session, 0, sizeof(*session));
}

void nfs4_slots_forget(struct nfs4_state *state, uint64_t clientid)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(state->sessions); i++)
		if (state->sessions[i].used && state->sessions[i].clientid == clientid)
			nfs4_slots_end_session(&state->sessions[i]);
}

static unsigned int nfs4_slots_count(const struct nfs4_state *state, uint64_t clientid)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(state->sessions); i++)
		count += state->sessions[i].used && state->sessions[i].clientid == clientid;
	return count;
}

bool nfs4_slots_has(const struct nfs4_state *state, uint64_t clientid)
{
	return nfs4_slots_count(state, clientid) > 0;
}

/* Creating and destroying sessions */

/* Limits the client's request to the server's maximum. */
static uint32_t nfs4_slots_negotiate(struct nfs4_channel *channel)
{
	if (channel->request_max < MESSAGE_MIN || channel->response_max < MESSAGE_MIN)
		return NFS4ERR_TOOSMALL;
	if (!channel->requests || !channel->operations)
		return NFS4ERR_INVAL;
	channel->response_max = min_u32(channel->response_max, NFS4_RESPONSE_MAX);
	channel->cached_max = min_u32(channel->cached_max, NFS4_CACHED_MAX);
	channel->operations = min_u32(channel->operations, NFS4_OPERATIONS);
	channel->requests = min_u32(channel->requests, NFS4_SLOTS);
	return NFS4_OK;
}

static uint32_t nfs4_slots_add_session(struct nfs4_state *state, struct nfs4_session_new *new)
{
	struct nfs4_session *session = state->sessions;
	uint32_t status = nfs4_slots_negotiate(&new->channel), i;

	if (status)
		return status;
	/* The session table is large enough for all clients. */
	if (nfs4_slots_count(state, new->clientid) == NFS4_CLIENT_SESSIONS)
		return NFS4ERR_DELAY;
	while (session->used)
		session++;
	session->slots = calloc(new->channel.requests, sizeof(*session->slots));
	session->cache = malloc((size_t)NFS4_CACHED_MAX * new->channel.requests);
	if (!session->slots || !session->cache) {
		nfs4_slots_end_session(session);
		return NFS4ERR_DELAY;
	}
	session->used = true;
	session->clientid = new->clientid;
	session->channel = new->channel;
	memcpy(session->id, state->boot, sizeof(state->boot));
	put_be32(session->id + 8, (uint32_t)session->clientid);
	put_be32(session->id + 12, ++state->counter);
	memcpy(new->id, session->id, sizeof(new->id));
	for (i = 0; i < new->channel.requests; i++)
		session->slots[i].bytes = session->cache + (size_t)NFS4_CACHED_MAX * i;
	return NFS4_OK;
}

/* Section 18.36.4: CREATE_SESSION has its own sequence. */
static uint32_t nfs4_slots_create_sequenced(struct nfs4_state *state, struct nfs4_client *client,
					    struct nfs4_session_new *new)
{
	uint32_t status;

	if (client->created && new->sequenceid == client->sequenceid - 1) {
		*new = client->create_res;
		return client->create_status;
	}
	if (new->sequenceid != client->sequenceid)
		return NFS4ERR_SEQ_MISORDERED;
	status = nfs4_slots_add_session(state, new);
	/* The client retries with the same sequence id. */
	if (status == NFS4ERR_DELAY)
		return status;
	if (!status)
		nfs4_clients_confirmed(state, client);
	client->sequenceid++;
	client->created = true;
	client->create_status = status;
	client->create_res = *new;
	return status;
}

uint32_t nfs4_slots_create(struct nfs4_state *state, struct nfs4_session_new *session)
{
	struct nfs4_client *client;
	uint32_t status = NFS4ERR_STALE_CLIENTID;

	nfs4_clients_lock(state);
	client = nfs4_clients_get(state, session->clientid, true);
	if (client)
		status = nfs4_slots_create_sequenced(state, client, session);
	nfs4_clients_unlock(state);
	return status;
}

uint32_t nfs4_slots_destroy(struct nfs4_state *state, const uint8_t id[NFS4_SESSIONID_SIZE])
{
	struct nfs4_session *session;

	nfs4_clients_lock(state);
	session = nfs4_slots_find(state, id);
	if (session)
		nfs4_slots_end_session(session);
	nfs4_clients_unlock(state);
	return session ? NFS4_OK : NFS4ERR_BADSESSION;
}

uint32_t nfs4_slots_client(struct nfs4_state *state, const uint8_t id[NFS4_SESSIONID_SIZE],
			   uint64_t *clientid)
{
	const struct nfs4_session *session;

	nfs4_clients_lock(state);
	session = nfs4_slots_find(state, id);
	if (session)
		*clientid = session->clientid;
	nfs4_clients_unlock(state);
	return session ? NFS4_OK : NFS4ERR_BADSESSION;
}

/* SEQUENCE */

static uint32_t nfs4_slots_check(const struct nfs4_session *session,
				 const struct nfs4_slot_use *use)
{
	if (use->slot >= session->channel.requests)
		return NFS4ERR_BADSLOT;
	if (use->highest >= session->channel.requests)
		return NFS4ERR_BAD_HIGH_SLOT;
	if (use->request_len > session->channel.request_max)
		return NFS4ERR_REQ_TOO_BIG;
	return use->operations > session->channel.operations ? NFS4ERR_TOO_MANY_OPS : NFS4_OK;
}

/* Restores the cached reply, with its payloads in the scratch, for the chunks of this call. */
static void nfs4_slots_replay(const struct nfs4_slot *slot, struct call *call, size_t start)
{
	uint8_t *scratch = call->scratch;
	uint32_t i;

	call->reply.len = start;
	writer_bytes(&call->reply, slot->bytes, slot->len);
	call->payload_count = slot->payload_count;
	for (i = 0; i < slot->payload_count; i++) {
		struct payload *p = &call->payload[i];

		*p = slot->payload[i];
		p->at += start;
		if (p->len)
			memcpy(scratch, slot->payload[i].data, p->len);
		p->data = scratch;
		scratch += p->len;
	}
}

/* Section 2.10.6.1: a new call, a retry, or misordered. */
static uint32_t nfs4_slots_begin_one(struct nfs4_slot *slot, struct nfs4_slot_use *use,
				     struct call *call, size_t start)
{
	if (use->sequenceid == slot->sequenceid + 1) {
		if (slot->busy)
			return NFS4ERR_DELAY;
		slot->sequenceid++;
		slot->used = slot->busy = true;
		slot->cached = false;
		slot->request = use->request;
		return NFS4_OK;
	}
	if (use->sequenceid != slot->sequenceid || !slot->used)
		return NFS4ERR_SEQ_MISORDERED;
	if (slot->busy)
		return NFS4ERR_DELAY;
	if (use->request != slot->request)
		return NFS4ERR_SEQ_FALSE_RETRY;
	use->retry = true;
	use->replayed = slot->cached;
	if (slot->cached)
		nfs4_slots_replay(slot, call, start);
	return NFS4_OK;
}

uint32_t nfs4_slots_begin(struct nfs4_state *state, struct nfs4_slot_use *use, struct call *call,
			  size_t start)
{
	struct nfs4_session *session;
	struct nfs4_client *client;
	uint32_t status;

	nfs4_clients_lock(state);
	session = nfs4_slots_find(state, use->session);
	client = session ? nfs4_clients_get(state, session->clientid, true) : NULL;
	status = client ? nfs4_slots_check(session, use) : NFS4ERR_BADSESSION;
	if (!status)
		status = nfs4_slots_begin_one(&session->slots[use->slot], use, call, start);
	if (!status) {
		nfs4_clients_touch(state, client);
		use->clientid = client->clientid;
		use->slots = session->channel.requests;
		use->response_max = session->channel.response_max;
		use->cached_max = session->channel.cached_max;
	}
	nfs4_clients_unlock(state);
	return status;
}

static void nfs4_slots_cache(struct nfs4_slot *slot, uint32_t cap, const struct call *call,
			     size_t start)
{
	struct writer w;
	uint32_t i;

	writer_init(&w, slot->bytes, cap);
	writer_bytes(&w, call->reply.base + start, call->reply.len - start);
	slot->len = (uint32_t)w.len;
	slot->payload_count = call->payload_count;
	for (i = 0; i < call->payload_count; i++) {
		struct payload *p = &slot->payload[i];

		*p = call->payload[i];
		p->at -= start;
		p->data = w.base + w.len;
		writer_bytes(&w, call->payload[i].data, p->len);
	}
	slot->cached = !w.bad;
}

void nfs4_slots_end(struct nfs4_state *state, const struct nfs4_slot_use *use,
		    const struct call *call, size_t start)
{
	struct nfs4_session *session;
	struct nfs4_slot *slot;

	nfs4_clients_lock(state);
	session = nfs4_slots_find(state, use->session);
	if (session) {
		slot = &session->slots[use->slot];
		slot->busy = false;
		/* A lone SEQUENCE is always cached, as that costs nothing. */
		if (use->cache || use->operations == 1)
			nfs4_slots_cache(slot, NFS4_CACHED_MAX, call, start);
	}
	nfs4_clients_unlock(state);
}
