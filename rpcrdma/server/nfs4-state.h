/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The tables of nfs4-clients.c, nfs4-slots.c and nfs4-opens.c, which alone include this. All have
 * a bounded size and share one lock, which each global function takes. Entries refer to a client
 * by its clientid and are removed with it. */
#ifndef RPCRDMA_SERVER_NFS4_STATE_H
#define RPCRDMA_SERVER_NFS4_STATE_H

#include "rpcrdma/server/nfs4-internal.h"

struct nfs4_client {
	bool used, confirmed;
	bool sessions; /* of 4.1 */
	bool reclaimed;
	uint64_t clientid;
	uint64_t renewed; /* when, in ms */
	uint8_t verifier[NFS4_VERIFIER_SIZE];
	uint8_t confirm[NFS4_VERIFIER_SIZE]; /* 4.0 */
	uint32_t flavor, uid;
	uint32_t id_len;
	uint8_t id[NFS4_OPAQUE_LIMIT];
	/* CREATE_SESSION has a sequence of its own, and a reply cache of one */
	uint32_t sequenceid; /* of the next */
	bool created;
	uint32_t create_status;
	struct nfs4_session_new create_res;
};

/* A cached reply: its bytes without payloads, then the payloads. */
struct nfs4_slot {
	uint32_t sequenceid; /* of the last call; 0 before the first */
	bool used, busy, cached;
	uint64_t request;
	uint32_t len;
	uint32_t payload_count;
	struct payload payload[CALL_PAYLOADS]; /* at is from the start, data in bytes */
	uint8_t *bytes;                        /* of the session's cached_max */
};

struct nfs4_session {
	bool used;
	uint8_t id[NFS4_SESSIONID_SIZE];
	uint64_t clientid;
	struct nfs4_channel channel;
	struct nfs4_slot *slots; /* channel.requests of them */
	uint8_t *cache;          /* their bytes */
};

/* The last result of a 4.0 owner. */
struct nfs4_owner_last {
	uint32_t op, status;
	struct nfs4_open_res res;
};

struct nfs4_owner {
	bool used, confirmed;
	bool sequenced; /* 4.0: seqid and last are valid */
	uint64_t clientid;
	uint64_t touched; /* when, in ms */
	uint32_t seqid;
	struct nfs4_owner_last last;
	uint32_t id_len;
	uint8_t id[NFS4_OPAQUE_LIMIT];
};

struct nfs4_opened {
	bool used;
	uint32_t generation; /* so that a reused entry invalidates old stateids */
	uint32_t owner;      /* index */
	uint32_t seqid;
	uint32_t access, deny;
	struct nfs_fh fh;
};

struct nfs4_state {
	pthread_mutex_t lock;
	uint64_t (*clock)(void);
	uint8_t boot[8]; /* random; part of every id */
	uint32_t counter;
	uint32_t denying; /* opens that deny reading to others */
	struct nfs4_client clients[NFS4_CLIENTS];
	struct nfs4_session sessions[NFS4_CLIENTS * NFS4_CLIENT_SESSIONS];
	struct nfs4_owner owners[NFS4_OWNERS];
	struct nfs4_opened opens[NFS4_OPENS];
};

/* nfs4-clients.c: the lock is held */

/* Takes the lock, and removes clients whose lease has expired. */
void nfs4_clients_lock(struct nfs4_state *state);
void nfs4_clients_unlock(struct nfs4_state *state);
/* A client by its id; NULL: not, or no longer, in the table. */
struct nfs4_client *nfs4_clients_get(struct nfs4_state *state, uint64_t clientid, bool sessions);
void nfs4_clients_touch(struct nfs4_state *state, struct nfs4_client *client);
/* Marks it as confirmed, and removes other records of the same owner. */
void nfs4_clients_confirmed(struct nfs4_state *state, struct nfs4_client *client);

/* nfs4-slots.c */

void nfs4_slots_forget(struct nfs4_state *state, uint64_t clientid);
bool nfs4_slots_has(const struct nfs4_state *state, uint64_t clientid);

/* nfs4-opens.c */

void nfs4_opens_forget(struct nfs4_state *state, uint64_t clientid);
bool nfs4_opens_has(const struct nfs4_state *state, uint64_t clientid);

#endif
