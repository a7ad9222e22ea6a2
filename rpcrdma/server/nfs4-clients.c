/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Clients of NFSv4: RFC 7530 sections 9.1.1 and 16.33 (SETCLIENTID), RFC 8881 sections 2.4 and
 * 18.35 (EXCHANGE_ID). A new record is unconfirmed until SETCLIENTID_CONFIRM or CREATE_SESSION. A
 * client with a different verifier has restarted, and its old state is released. */

#include "rpcrdma/server/nfs4-state.h"

/* The table */

static void nfs4_client_forget(struct nfs4_state *state, struct nfs4_client *client)
{
	debug(DEBUG_SERVER, "client %016llx is gone", (unsigned long long)client->clientid);
	nfs4_slots_forget(state, client->clientid);
	nfs4_opens_forget(state, client->clientid);
	client->used = false;
}

void nfs4_clients_lock(struct nfs4_state *state)
{
	uint64_t now;
	size_t i;

	pthread_mutex_lock(&state->lock);
	now = state->clock();
	for (i = 0; i < NFS4_CLIENTS; i++) {
		struct nfs4_client *client = &state->clients[i];

		if (client->used && now - client->renewed > NFS4_LEASE_SECONDS * 1000)
			nfs4_client_forget(state, client);
	}
}

void nfs4_clients_unlock(struct nfs4_state *state)
{
	pthread_mutex_unlock(&state->lock);
}

struct nfs4_client *nfs4_clients_get(struct nfs4_state *state, uint64_t clientid, bool sessions)
{
	size_t i;

	for (i = 0; i < NFS4_CLIENTS; i++) {
		struct nfs4_client *client = &state->clients[i];

		if (client->used && client->clientid == clientid && client->sessions == sessions)
			return client;
	}
	return NULL;
}

void nfs4_clients_touch(struct nfs4_state *state, struct nfs4_client *client)
{
	client->renewed = state->clock();
}

static bool nfs4_client_is_owner(const struct nfs4_client *client, const uint8_t *id,
				 uint32_t id_len)
{
	return client->id_len == id_len && !memcmp(client->id, id, id_len);
}

static struct nfs4_client *nfs4_client_find(struct nfs4_state *state, bool sessions, bool confirmed,
					    const struct nfs4_client_owner *owner)
{
	size_t i;

	for (i = 0; i < NFS4_CLIENTS; i++) {
		struct nfs4_client *client = &state->clients[i];

		if (client->used && client->sessions == sessions &&
		    client->confirmed == confirmed &&
		    nfs4_client_is_owner(client, owner->id, owner->id_len))
			return client;
	}
	return NULL;
}

void nfs4_clients_confirmed(struct nfs4_state *state, struct nfs4_client *client)
{
	size_t i;

	nfs4_clients_touch(state, client);
	if (client->confirmed)
		return;
	client->confirmed = true;
	for (i = 0; i < NFS4_CLIENTS; i++) {
		struct nfs4_client *other = &state->clients[i];

		if (other != client && other->used && other->sessions == client->sessions &&
		    nfs4_client_is_owner(other, client->id, client->id_len))
			nfs4_client_forget(state, other);
	}
}

static bool nfs4_client_same_principal(const struct nfs4_client *client,
				       const struct nfs4_client_owner *owner)
{
	return client->flavor == owner->flavor && client->uid == owner->uid;
}

/* A free record, or the oldest unconfirmed one; NULL: all are confirmed. */
static struct nfs4_client *nfs4_client_unused(struct nfs4_state *state)
{
	struct nfs4_client *oldest = NULL;
	size_t i;

	for (i = 0; i < NFS4_CLIENTS; i++) {
		struct nfs4_client *client = &state->clients[i];

		if (!client->used)
			return client;
		if (!client->confirmed && (!oldest || client->renewed < oldest->renewed))
			oldest = client;
	}
	if (oldest)
		nfs4_client_forget(state, oldest);
	return oldest;
}

/* Adds an unconfirmed record, and replaces an existing one. */
static struct nfs4_client *nfs4_client_add(struct nfs4_state *state, bool sessions,
					   const struct nfs4_client_owner *owner)
{
	struct nfs4_client *client = nfs4_client_find(state, sessions, false, owner);

	if (client)
		nfs4_client_forget(state, client);
	client = nfs4_client_unused(state);
	if (!client)
		return NULL;
	memset(client, 0, sizeof(*client));
	client->used = true;
	client->sessions = sessions;
	client->clientid = (uint64_t)get_be32(state->boot) << 32 | ++state->counter;
	memcpy(client->verifier, owner->verifier, sizeof(client->verifier));
	memcpy(client->confirm, state->boot + 4, 4);
	put_be32(client->confirm + 4, ++state->counter);
	client->flavor = owner->flavor;
	client->uid = owner->uid;
	client->id_len = owner->id_len;
	memcpy(client->id, owner->id, owner->id_len);
	client->sequenceid = 1;
	nfs4_clients_touch(state, client);
	debug(DEBUG_SERVER, "client %016llx is new", (unsigned long long)client->clientid);
	return client;
}

static void nfs4_client_result(const struct nfs4_client *client, struct nfs4_client_res *res)
{
	res->clientid = client->clientid;
	memcpy(res->confirm, client->confirm, sizeof(res->confirm));
	res->sequenceid = client->sequenceid;
	res->confirmed = client->confirmed;
}

/* Shared by SETCLIENTID and EXCHANGE_ID: finds the client's record with the same verifier, or
 * adds one. @busy: the status if the table is full. */
static uint32_t nfs4_client_find_or_add(struct nfs4_state *state, bool sessions, uint32_t busy,
					const struct nfs4_client_owner *owner,
					struct nfs4_client_res *res)
{
	struct nfs4_client *client = nfs4_client_find(state, sessions, true, owner);

	if (client && !nfs4_client_same_principal(client, owner) &&
	    (nfs4_slots_has(state, client->clientid) || nfs4_opens_has(state, client->clientid)))
		return NFS4ERR_CLID_INUSE;
	if (!client || !nfs4_client_same_principal(client, owner) ||
	    memcmp(client->verifier, owner->verifier, sizeof(client->verifier)) != 0)
		client = nfs4_client_add(state, sessions, owner);
	if (!client)
		return busy;
	nfs4_client_result(client, res);
	return NFS4_OK;
}

/* 4.0 */

uint32_t nfs4_clients_set(struct nfs4_state *state, const struct nfs4_client_owner *owner,
			  struct nfs4_client_res *res)
{
	uint32_t status;

	nfs4_clients_lock(state);
	status = nfs4_client_find_or_add(state, false, NFS4ERR_RESOURCE, owner, res);
	nfs4_clients_unlock(state);
	return status;
}

uint32_t nfs4_clients_confirm(struct nfs4_state *state, uint64_t clientid,
			      const uint8_t confirm[NFS4_VERIFIER_SIZE])
{
	struct nfs4_client *client;
	uint32_t status = NFS4ERR_STALE_CLIENTID;

	nfs4_clients_lock(state);
	client = nfs4_clients_get(state, clientid, false);
	if (client && !memcmp(client->confirm, confirm, sizeof(client->confirm))) {
		nfs4_clients_confirmed(state, client);
		status = NFS4_OK;
	}
	nfs4_clients_unlock(state);
	return status;
}

uint32_t nfs4_clients_renew(struct nfs4_state *state, uint64_t clientid)
{
	struct nfs4_client *client;

	nfs4_clients_lock(state);
	client = nfs4_clients_get(state, clientid, false);
	if (client && client->confirmed)
		nfs4_clients_touch(state, client);
	nfs4_clients_unlock(state);
	return client && client->confirmed ? NFS4_OK : NFS4ERR_STALE_CLIENTID;
}

/* 4.1 */

/* RFC 8881 section 18.35.4, cases 6 to 9: only the confirmed record can be updated. */
static uint32_t nfs4_client_update(struct nfs4_state *state, const struct nfs4_client_owner *owner,
				   struct nfs4_client_res *res)
{
	const struct nfs4_client *client = nfs4_client_find(state, true, true, owner);

	if (!client)
		return NFS4ERR_NOENT;
	if (memcmp(client->verifier, owner->verifier, sizeof(client->verifier)) != 0)
		return NFS4ERR_NOT_SAME;
	if (!nfs4_client_same_principal(client, owner))
		return NFS4ERR_PERM;
	nfs4_client_result(client, res);
	return NFS4_OK;
}

uint32_t nfs4_clients_exchange(struct nfs4_state *state, const struct nfs4_client_owner *owner,
			       bool is_update, struct nfs4_client_res *res)
{
	uint32_t status;

	nfs4_clients_lock(state);
	status = is_update ? nfs4_client_update(state, owner, res)
			   : nfs4_client_find_or_add(state, true, NFS4ERR_DELAY, owner, res);
	nfs4_clients_unlock(state);
	return status;
}

uint32_t nfs4_clients_destroy(struct nfs4_state *state, uint64_t clientid)
{
	struct nfs4_client *client;
	uint32_t status = NFS4_OK;

	nfs4_clients_lock(state);
	client = nfs4_clients_get(state, clientid, true);
	if (!client)
		status = NFS4ERR_STALE_CLIENTID;
	else if (nfs4_slots_has(state, clientid) || nfs4_opens_has(state, clientid))
		status = NFS4ERR_CLIENTID_BUSY;
	else
		nfs4_client_forget(state, client);
	nfs4_clients_unlock(state);
	return status;
}

uint32_t nfs4_clients_reclaimed(struct nfs4_state *state, uint64_t clientid)
{
	struct nfs4_client *client;
	uint32_t status = NFS4_OK;

	nfs4_clients_lock(state);
	client = nfs4_clients_get(state, clientid, true);
	if (!client)
		status = NFS4ERR_STALE_CLIENTID;
	else if (client->reclaimed)
		status = NFS4ERR_COMPLETE_ALREADY;
	else
		client->reclaimed = true;
	nfs4_clients_unlock(state);
	return status;
}

/* The state as a whole */

int nfs4_state_new(struct nfs4_state **out)
{
	struct nfs4_state *state = calloc(1, sizeof(*state));
	int rc;

	if (!state)
		return err_no_memory();
	rc = random_bytes(state->boot, sizeof(state->boot));
	if (rc) {
		free(state);
		return err_context(rc, "client ids");
	}
	state->clock = now_ms;
	pthread_mutex_init(&state->lock, NULL);
	*out = state;
	return 0;
}

void nfs4_state_restart(struct nfs4_state *state)
{
	size_t i;

	pthread_mutex_lock(&state->lock);
	for (i = 0; i < NFS4_CLIENTS; i++)
		if (state->clients[i].used)
			nfs4_client_forget(state, &state->clients[i]);
	state->boot[0]++;
	pthread_mutex_unlock(&state->lock);
}

void nfs4_state_free(struct nfs4_state *state)
{
	size_t i;

	if (!state)
		return;
	for (i = 0; i < NFS4_CLIENTS; i++)
		if (state->clients[i].used)
			nfs4_client_forget(state, &state->clients[i]);
	pthread_mutex_destroy(&state->lock);
	free(state);
}

void nfs4_state_clock(struct nfs4_state *state, uint64_t (*clock)(void))
{
	state->clock = clock;
}

const uint8_t *nfs4_state_boot(const struct nfs4_state *state)
{
	return state->boot;
}
