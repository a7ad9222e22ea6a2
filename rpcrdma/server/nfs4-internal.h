/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Overview of NFSv4.0 and 4.1 in the server (RFC 7530, 8881), without delegations, locks, layouts
 * and callbacks. nfs4.c runs a COMPOUND by a table of operations, and has those that read; others
 * are in nfs4-open.c, nfs4-write.c and nfs4-client.c. Client state is in the tables of
 * nfs4-clients.c, nfs4-slots.c and nfs4-opens.c, which contain no XDR. */
#ifndef RPCRDMA_SERVER_NFS4_INTERNAL_H
#define RPCRDMA_SERVER_NFS4_INTERNAL_H

#include "rpcrdma/server/internal.h"

#define NFS4_LEASE_SECONDS   90
#define NFS4_CLIENTS         64
#define NFS4_CLIENT_SESSIONS 4
#define NFS4_SLOTS           32
#define NFS4_OWNERS          256
#define NFS4_OPENS           1024
#define NFS4_OPERATIONS      64   /* in a COMPOUND */
#define NFS4_CACHED_MAX      2048 /* bytes of a reply kept for a retry */
#define NFS4_RESPONSE_MAX    (SERVER_READ_MAX + SERVER_REPLY_MAX)

/* nfs4-clients.c: clients and their leases. All functions of the three tables are thread-safe and
 * return an nfsstat4. A client whose lease expires is removed with all its state. */

/* A client's identity, including the credential, so that no client takes over another's id. */
struct nfs4_client_owner {
	uint8_t verifier[NFS4_VERIFIER_SIZE];
	const uint8_t *id;
	uint32_t id_len; /* at most NFS4_OPAQUE_LIMIT */
	uint32_t flavor, uid;
};

struct nfs4_client_res {
	uint64_t clientid;
	uint8_t confirm[NFS4_VERIFIER_SIZE]; /* 4.0 */
	uint32_t sequenceid;                 /* 4.1 */
	bool confirmed;
};

/* Replaces now_ms(), for tests of leases. */
void nfs4_state_clock(struct nfs4_state *state, uint64_t (*clock)(void));
/* Distinguishes this server from an earlier one. 8 bytes. */
const uint8_t *nfs4_state_boot(const struct nfs4_state *state);

uint32_t nfs4_clients_set(struct nfs4_state *state, const struct nfs4_client_owner *owner,
			  struct nfs4_client_res *res);
uint32_t nfs4_clients_confirm(struct nfs4_state *state, uint64_t clientid,
			      const uint8_t confirm[NFS4_VERIFIER_SIZE]);
uint32_t nfs4_clients_renew(struct nfs4_state *state, uint64_t clientid);
/* @update: EXCHGID4_FLAG_UPD_CONFIRMED_REC_A */
uint32_t nfs4_clients_exchange(struct nfs4_state *state, const struct nfs4_client_owner *owner,
			       bool update, struct nfs4_client_res *res);
uint32_t nfs4_clients_destroy(struct nfs4_state *state, uint64_t clientid);
uint32_t nfs4_clients_reclaimed(struct nfs4_state *state, uint64_t clientid);

/* nfs4-slots.c: sessions, and the replies cached in their slots (RFC 8881 section 2.10.6) */

/* In: the client's request. Out: the granted values. */
struct nfs4_channel {
	uint32_t request_max, response_max, cached_max, operations, requests;
};

struct nfs4_session_new {
	uint64_t clientid;
	uint32_t sequenceid;
	struct nfs4_channel channel;
	uint8_t id[NFS4_SESSIONID_SIZE]; /* out */
};

/* SEQUENCE: the request, and the values of its session. */
struct nfs4_slot_use {
	uint8_t session[NFS4_SESSIONID_SIZE];
	uint32_t sequenceid, slot, highest;
	bool cache;       /* the reply */
	uint64_t request; /* hash of the request; a retry has the same */
	uint32_t request_len, operations;
	/* out */
	uint64_t clientid;
	uint32_t slots, response_max, cached_max;
	bool retry;    /* of an answered call: */
	bool replayed; /* its reply is in the call */
};

uint32_t nfs4_slots_create(struct nfs4_state *state, struct nfs4_session_new *session);
uint32_t nfs4_slots_destroy(struct nfs4_state *state, const uint8_t id[NFS4_SESSIONID_SIZE]);
/* The session's client; BADSESSION. */
uint32_t nfs4_slots_client(struct nfs4_state *state, const uint8_t id[NFS4_SESSIONID_SIZE],
			   uint64_t *clientid);
/* Takes the slot until nfs4_slots_end(), unless it is a retry. A cached reply is copied to @call
 * at @start. */
uint32_t nfs4_slots_begin(struct nfs4_state *state, struct nfs4_slot_use *use, struct call *call,
			  size_t start);
/* Caches the reply of @call from @start on, if requested. The session may be gone. */
void nfs4_slots_end(struct nfs4_state *state, const struct nfs4_slot_use *use,
		    const struct call *call, size_t start);

/* nfs4-opens.c: open-owners and their opens */

struct nfs4_stateid {
	uint32_t seqid;
	uint8_t other[NFS4_STATEID_SIZE - 4];
};

/* In 4.0 each operation of an owner has the next seqid, and a repeated operation gets the first
 * reply again (RFC 7530 section 9.1.7). */
struct nfs4_open {
	uint32_t minor;
	uint64_t clientid; /* 4.0: as in the call; 4.1: the session's */
	uint32_t seqid;    /* 4.0 */
	const uint8_t *owner;
	uint32_t owner_len;
	uint32_t access, deny;
	uint32_t status;  /* the file's error; else 0 and */
	struct nfs_fh fh; /* len 0: there is no file yet */
	uint64_t change;  /* of the directory */
	/* Makes or truncates the file when nothing else refuses the OPEN, and sets @fh and
	 * @attrset. NULL: it is only opened. The state is locked. */
	uint32_t (*make)(struct nfs4_open *open);
	struct nfs4_bitmap attrset;
};

struct nfs4_open_res {
	struct nfs4_stateid stateid;
	bool confirm;     /* OPEN_CONFIRM is required */
	struct nfs_fh fh; /* OPEN: the file */
	uint64_t change;
	struct nfs4_bitmap attrset;
};

/* CLOSE, OPEN_CONFIRM, OPEN_DOWNGRADE */
struct nfs4_open_change {
	uint32_t minor;
	uint64_t clientid; /* 4.1 */
	uint32_t seqid;    /* 4.0 */
	struct nfs4_stateid stateid;
	const struct nfs_fh *fh;
	uint32_t op;           /* enum nfs_opnum4 */
	uint32_t access, deny; /* OPEN_DOWNGRADE */
};

uint32_t nfs4_opens_open(struct nfs4_state *state, struct nfs4_open *open,
			 struct nfs4_open_res *res);
uint32_t nfs4_opens_change(struct nfs4_state *state, const struct nfs4_open_change *change,
			   struct nfs4_stateid *stateid);
/* Whether the stateid permits @access (OPEN4_SHARE_ACCESS_) to the file. Supports the special
 * stateids (RFC 8881 section 8.2.3). Renews the lease. */
uint32_t nfs4_opens_use(struct nfs4_state *state, uint32_t minor, uint64_t clientid,
			const struct nfs4_stateid *stateid, const struct nfs_fh *fh,
			uint32_t access);
/* Whether it is the special "current stateid", RFC 8881 section 8.2.3. */
bool nfs4_stateid_is_current(const struct nfs4_stateid *stateid);
/* Whether it is one of the client's stateids. */
uint32_t nfs4_opens_test(struct nfs4_state *state, uint64_t clientid,
			 const struct nfs4_stateid *stateid);

/* nfs4.c */

/* A filehandle, and in 4.1 the stateid that goes with it (RFC 8881 section 16.2.3.1.2). */
struct nfs4_filehandle {
	struct nfs_fh fh; /* len 0: none */
	struct nfs4_stateid stateid;
	bool has_stateid;
};

struct nfs4_op;

/* One COMPOUND in progress. */
struct compound {
	struct call *call;
	struct nfs4_state *state;
	uint32_t minor;
	uint32_t index, count; /* of operations */
	const uint8_t *args;   /* the COMPOUND's, all of them */
	size_t args_len;
	const struct nfs4_op *op;
	size_t start;     /* in the reply: where the COMPOUND's results begin, */
	size_t count_at;  /* their number, */
	size_t status_at; /* and the status of this operation */
	struct nfs4_filehandle current, saved;
	size_t scratch_used;
	bool in_session;
	struct nfs4_slot_use slot;
};

/* Decodes the operation's arguments, appends its result without the status, and returns the
 * status. The result of a failing operation is dropped. */
typedef uint32_t (*nfs4_op_fn)(struct compound *c);

struct nfs4_op {
	const char *name;
	nfs4_op_fn run;     /* NULL: OP_ILLEGAL */
	unsigned int flags; /* private to nfs4.c */
	const char *args;   /* the shape, see nfs4_skip_args() */
};

/* component4. Truncated: the reader becomes bad; else returns a status. @name: NFS3_NAME_MAX + 1
 * bytes. */
uint32_t nfs4_get_name(struct reader *r, char *name);
void nfs4_get_stateid(struct reader *r, struct nfs4_stateid *stateid);
void nfs4_put_stateid(struct writer *w, const struct nfs4_stateid *stateid);
/* The status of this minor version for a reply without room. */
uint32_t nfs4_too_big(const struct compound *c);
/* The status for an object whose type the operation does not support. */
uint32_t nfs4_wrong_type(const struct compound *c, uint32_t type);
/* Looks up a name as LOOKUP does. */
uint32_t nfs4_lookup_name(struct compound *c, const char *name, struct nfs_fh *fh);

/* nfs4-open.c */

uint32_t nfs4_open(struct compound *c);
uint32_t nfs4_open_confirm(struct compound *c);
uint32_t nfs4_open_downgrade(struct compound *c);
uint32_t nfs4_close(struct compound *c);
uint32_t nfs4_test_stateid(struct compound *c);
uint32_t nfs4_free_stateid(struct compound *c);

/* nfs4-write.c */

/* fattr4, as far as it can be set. Returns why not. */
uint32_t nfs4_get_setattrs(struct compound *c, struct export_setattr *set,
			   struct nfs4_bitmap *given);
uint32_t nfs4_commit(struct compound *c);
uint32_t nfs4_remove(struct compound *c);
uint32_t nfs4_setattr(struct compound *c);
uint32_t nfs4_write(struct compound *c);
/* The stateid of an argument: 4.1's "current stateid" is replaced. */
void nfs4_get_used_stateid(struct compound *c, struct nfs4_stateid *stateid);

/* nfs4-client.c */

uint32_t nfs4_setclientid(struct compound *c);
uint32_t nfs4_setclientid_confirm(struct compound *c);
uint32_t nfs4_renew(struct compound *c);
uint32_t nfs4_release_lockowner(struct compound *c);
uint32_t nfs4_exchange_id(struct compound *c);
uint32_t nfs4_create_session(struct compound *c);
uint32_t nfs4_destroy_session(struct compound *c);
uint32_t nfs4_destroy_clientid(struct compound *c);
uint32_t nfs4_bind_conn_to_session(struct compound *c);
uint32_t nfs4_reclaim_complete(struct compound *c);
uint32_t nfs4_sequence(struct compound *c);

/* nfs4.c: NFS4ERR_ROFS for operations that write */

uint32_t nfs4_refuse(struct compound *c);
/* Skips arguments of a shape: n name, s stateid, 4 and 8 bytes, o opaque, d opaque that may have
 * gone by Read chunk, b bitmap, a fattr4, t createtype4. */
void nfs4_skip_args(struct compound *c, const char *shape);

#endif
