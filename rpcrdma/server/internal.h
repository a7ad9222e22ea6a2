/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Overview of rpcrdma/server. A session (rdma.c, stream.c) receives one RPC message; dispatch.c
 * finds the program and procedure (nfs3.c, nfs4.c, mount3.c), which uses the export; the session
 * sends the reply over its transport. */
#ifndef RPCRDMA_SERVER_INTERNAL_H
#define RPCRDMA_SERVER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "rpcrdma/nfs/codec.h"
#include "rpcrdma/server/server.h"
#include "rpcrdma/transport/transport.h"
#include "rpcrdma/wire/wire.h"

/* Connections served at once over RDMA, and to MOUNT; to NFS over TCP twice as many, because a
 * client that is served over RDMA may need two, and must not wait for one that waits for RDMA.
 * One host has half of them, so that it cannot starve the others. */
#define SERVER_CONNECTIONS 64
#define SERVER_WAITING     512 /* accepted, and not yet served, for each listener */
#define SERVER_FILES       128 /* of an export, and of whoever runs the server */
#define SERVER_RECV_SIZE   4096
#define SERVER_SHAKE_MS    5000   /* for the transport's handshake, as in siw */
#define SERVER_FIRST_MS    10000  /* for the first call, which clients send at once */
#define SERVER_IDLE_MS     360000 /* then a silent connection is closed, as svcrdma does */
/* The same while another connection waits for this one's place */
#define SERVER_FIRST_WANTED_MS 2000
#define SERVER_IDLE_WANTED_MS  10000
#define SERVER_STEP_MS         30000 /* for the rest of a message, received or sent */
#define SERVER_WAKE_MS         1000  /* how often an idle session checks for a stop */

/* Bytes of a call, and of a reply without its payload. Calls to a read-only export are short
 * except for file names; wtmax says so. */
#define SERVER_CALL_MAX  (128 * 1024)
#define SERVER_REPLY_MAX (128 * 1024)
/* The same of WRITEs, and with server_options.programs: 1 MiB and headers. */
#define SERVER_PROGRAM_MAX   (1024 * 1024 + 64 * 1024)
#define SERVER_WRITE_MAX     (1024 * 1024)
#define SERVER_WRITE_REFUSED (64 * 1024) /* to a read-only export */
/* The scratch buffer is for payloads that an export generates: READs, or the text of a link. Two
 * of the largest READs may be in one COMPOUND. */
#define SERVER_SCRATCH_MAX (2 * SERVER_READ_MAX)

static inline uint32_t server_rtmax(const struct server_options *options)
{
	return options->rtmax ? min_u32(options->rtmax, SERVER_READ_LIMIT) : SERVER_READ_MAX;
}

/* Bytes of a connection's scratch, which holds the data of two READs. */
static inline size_t server_scratch_max(uint32_t rtmax)
{
	return rtmax > SERVER_READ_MAX ? 2 * (size_t)rtmax : SERVER_SCRATCH_MAX;
}

/* export.c */

/* In: the request. Out: the data, in memory of the export (valid as long as the export) or in
 * @scratch, which has room for @count bytes, or for NFS3_PATH_MAX in a READLINK. */
struct export_read {
	uint64_t offset;
	uint32_t count; /* at most SERVER_READ_LIMIT */
	uint8_t *scratch;
	const uint8_t *data;
	uint32_t len;
	bool eof;
};

struct export_entry {
	const char *name;
	uint64_t cookie; /* of the next entry */
	struct nfs_attr attr;
	struct nfs_fh fh; /* len 0 unless requested */
};

/* Returns false when the entry does not fit. */
typedef bool (*export_entry_fn)(void *arg, const struct export_entry *entry);

struct export_readdir {
	uint64_t cookie;
	bool handles; /* entry->fh is wanted */
	export_entry_fn fn;
	void *arg;
	bool eof; /* out */
};

struct export_space {
	uint64_t bytes, bytes_free, files, files_free;
};

/* What CREATE and OPEN ask for. */
struct export_create {
	const char *name; /* as for lookup */
	bool guarded;     /* an existing file is an error */
	bool exclusive;   /* the same, unless it was made with this verifier: */
	uint8_t verifier[8];
	uint32_t uid, gid, mode;
	bool truncate; /* an existing file gets size 0 */
};

struct export_setattr {
	bool has_size, has_mode, has_uid, has_gid;
	uint64_t size;
	uint32_t mode, uid, gid;
};

/* An export: in memory, or a directory. Handles come from the peer, so callbacks must handle
 * arbitrary bytes in them. Callbacks run concurrently in many threads and return an
 * nfs3_status. */
struct export_ops {
	void (*free)(struct export *exp);
	uint32_t (*root)(struct export *exp, struct nfs_fh *fh);
	uint32_t (*getattr)(struct export *exp, const struct nfs_fh *fh, struct nfs_attr *attr);
	/* @name is not empty and has no "/"; "." and ".." are names too. */
	uint32_t (*lookup)(struct export *exp, const struct nfs_fh *dir, const char *name,
			   struct nfs_fh *fh);
	/* Sets data and len. */
	uint32_t (*readlink)(struct export *exp, const struct nfs_fh *fh, struct export_read *read);
	uint32_t (*read)(struct export *exp, const struct nfs_fh *fh, struct export_read *read);
	uint32_t (*readdir)(struct export *exp, const struct nfs_fh *dir,
			    struct export_readdir *readdir);
	uint32_t (*space)(struct export *exp, struct export_space *space);
	/* Of writable exports; else NULL, or never called. */
	uint32_t (*create)(struct export *exp, const struct nfs_fh *dir,
			   const struct export_create *create, struct nfs_fh *fh);
	uint32_t (*setattr)(struct export *exp, const struct nfs_fh *fh,
			    const struct export_setattr *set);
	/* Stores all @len bytes, or none. @stable: survives export_forget(). */
	uint32_t (*write)(struct export *exp, const struct nfs_fh *fh, uint64_t offset,
			  const uint8_t *data, uint32_t len, bool stable);
	uint32_t (*remove)(struct export *exp, const struct nfs_fh *dir, const char *name);
};

struct export
{
	const struct export_ops *ops;
	/* In each handle and cookie, to recognise those of an earlier server. */
	uint8_t verifier[8];
	uint32_t magic; /* first word of each handle */
	bool writable;
	bool is_ganesha;  /* handles imitate nfs-ganesha's */
	bool is_referral; /* for the fault "moved": NFSv4 sends its clients elsewhere */
};

static inline bool export_is_writable(const struct export *exp)
{
	return exp->writable;
}

int export_init(struct export *exp, const struct export_ops *ops);
/* For the fault "foreign": handles and owner look like another server's. */
void export_disguise(struct export *exp, bool is_ganesha);
/* Makes existing handles stale, as after a restart. */
void export_restart(struct export *exp);
/* export-memory.c: loses what was written and is not stable, as a crash does. */
void export_forget(struct export *exp);
/* A handle is a magic number, the verifier and two numbers chosen by the export. */
void export_handle(const struct export *exp, uint64_t a, uint64_t b, struct nfs_fh *fh);
/* NFS3_STATUS_OK, BADHANDLE or STALE. */
uint32_t export_handle_parse(const struct export *exp, const struct nfs_fh *fh, uint64_t *a,
			     uint64_t *b);

/* made.c: files that clients made, in memory (memfd_create(2), so that they may be sparse). All
 * functions are thread-safe and return an nfs3_status. */

struct made;

#define MADE_BYTES ((uint64_t)1 << 30) /* of all files */
#define MADE_FILES 64
/* Their numbers begin here. */
#define MADE_FIRST ((uint64_t)1 << 32)

/* Errors: -ENOMEM. */
int made_new(struct made **out);
/* NULL is fine. */
void made_free(struct made *made);
uint32_t made_create(struct made *made, const struct export_create *create, uint64_t *number);
uint32_t made_lookup(struct made *made, const char *name, uint64_t *number);
/* The name of the first file from @at on, which becomes its place. @name: NFS3_NAME_MAX + 1 bytes.
 * NOENT: there is none. */
uint32_t made_next(struct made *made, unsigned int *at, char *name, uint64_t *number);
uint32_t made_getattr(struct made *made, uint64_t number, struct nfs_attr *attr);
uint32_t made_setattr(struct made *made, uint64_t number, const struct export_setattr *set);
/* The data is in @read->scratch. */
uint32_t made_read(struct made *made, uint64_t number, struct export_read *read);
uint32_t made_write(struct made *made, uint64_t number, uint64_t offset, const uint8_t *data,
		    uint32_t len, bool stable);
uint32_t made_remove(struct made *made, const char *name);
uint64_t made_bytes_free(struct made *made);
/* Replaces what was written and is not stable by zeros. */
void made_forget(struct made *made);

/* @exp may be NULL. */
static inline uint32_t server_call_max(const struct export *exp, bool programs)
{
	return programs || (exp && export_is_writable(exp)) ? SERVER_PROGRAM_MAX : SERVER_CALL_MAX;
}

static inline uint32_t server_wtmax(const struct export *exp)
{
	return export_is_writable(exp) ? SERVER_WRITE_MAX : SERVER_WRITE_REFUSED;
}

/* export-path.c: paths of the handles of a directory export, by device and inode */

struct path_table;

struct path_table *path_table_new(void);
void path_table_free(struct path_table *table);
/* Stores the path of an inode; evicts the least recently used entries beyond the bound.
 * Errors: -ENOMEM. */
int path_table_put(struct path_table *table, uint64_t dev, uint64_t ino, const char *path);
/* Copies the path to @buf. Errors: -ESTALE when it is not, or no longer, in the table. */
int path_table_get(struct path_table *table, uint64_t dev, uint64_t ino, char *buf, size_t cap);

/* buffer.c: a session's memory, which grows for a long message and shrinks afterwards */

struct server_buffer {
	uint8_t *base;
	size_t cap;
};

/* Makes room for @len bytes and keeps the content. Errors: -ENOMEM. */
int server_buffer_grow(struct server_buffer *buffer, size_t len);
/* Frees memory beyond @keep bytes; 0 frees all of it. */
void server_buffer_trim(struct server_buffer *buffer, size_t keep);

/* dispatch.c */

struct rpc_program;
struct rpc_procedure;

/* Opaque data in the results: READ data and READLINK text, which may go by Write chunk (RFC 8267
 * sections 3 and 6). The length word is in the reply; the data and their padding are not. */
struct payload {
	const uint8_t *data;
	uint32_t len;
	size_t at;     /* offset in the reply, after the length word */
	bool by_chunk; /* rdma-reply.c: goes to the Write chunk with the same index */
};

/* One for each possible Write chunk. */
#define CALL_PAYLOADS RPCRDMA_MAX_CHUNKS

/* The first READ of a call, and where its result is in the reply. Faults change the result
 * without knowing the NFS version. */
struct call_read {
	bool tried;       /* the call has a READ */
	bool served;      /* it succeeded, and the rest is set: */
	struct nfs_fh fh; /* the file and the range */
	uint64_t offset;
	uint32_t asked;   /* bytes */
	uint32_t payload; /* index of its payload */
	size_t status;    /* offsets in the reply: of its nfsstat, */
	size_t count;     /* of the count before the length word (NFSv3, else 0), */
	size_t eof;
	size_t end; /* of the reply's end if the READ fails, */
	/* NFSv4, else 0: of the COMPOUND's status and number of results, and that number if
	 * this READ fails. */
	size_t compound, results;
	uint32_t result_count;
};

/* RFC 8166 section 3.4.5 */
struct call_chunk {
	const uint8_t *data; /* in the message */
	uint32_t len, segments;
	uint32_t lengths[RPCRDMA_MAX_SEGMENTS];
	bool taken; /* by a procedure that may have one */
};

/* One call in progress, filled in from top to bottom. */
struct call {
	/* by the session */
	struct reader args; /* the RPC message */
	struct export *exp;
	struct nfs4_state *nfs4; /* NULL: NFSv4 is not served */
	uint8_t *scratch;        /* server_scratch_max() bytes */
	uint32_t rtmax;
	size_t room;  /* for a reply without a Write chunk */
	bool reduced; /* Read chunks carry an argument, which was not pulled */
	/* The argument that came by Read chunk, and was pulled into the message; len 0: none */
	struct call_chunk chunk;
	struct fault_state *faults; /* over RDMA; else NULL */
	struct server_log *log;     /* the same */
	bool stream;                /* over TCP */
	struct writer reply;
	/* server_options.programs, programs.c; may be NULL */
	const struct server_program *const *programs;
	struct server_buffer *results; /* reply writes to it; it may grow */
	size_t results_max;            /* up to this size */
	const struct transport_address *local, *peer;

	/* by dispatch_call */
	struct rpc_call rpc;
	const struct rpc_procedure *procedure;

	/* by the procedure, by call_payload() in the order of the reply */
	struct payload payload[CALL_PAYLOADS];
	uint32_t payload_count;
	struct call_read read;
	bool wrote;  /* it has a WRITE */
	bool silent; /* no reply is sent */
};

/* Appends an opaque item: its length word to the reply, its data as a payload. False: too many
 * payloads, nothing changed. */
bool call_payload(struct call *call, const uint8_t *data, uint32_t len);
/* Length of the reply including all payloads. */
size_t call_reply_length(const struct call *call);
/* Gathers a message and those of its payloads that do not go by Write chunk. Returns the number
 * of pieces. */
#define PAYLOAD_PIECES (1 + 3 * CALL_PAYLOADS)
int payload_pieces(struct iovec iov[PAYLOAD_PIECES], const uint8_t *message, size_t len,
		   const struct payload *payload, uint32_t count);

/* Decodes the arguments from call->args, appends the results to call->reply. */
typedef enum rpc_accept_stat (*rpc_procedure_fn)(struct call *call);

struct rpc_procedure {
	const char *name;
	rpc_procedure_fn run; /* NULL: PROC_UNAVAIL */
	bool reducible;       /* an argument may come by Read chunk, RFC 8267 section 3 */
	const char *args;     /* private to the program */
	const char *results;
};

/* An RPC program: one row in the tables below. */
struct rpc_program {
	uint32_t prog, vers;
	const struct rpc_procedure *procedures;
	uint32_t count;
};

extern const struct rpc_program *const dispatch_rdma[]; /* end with NULL */
extern const struct rpc_program *const dispatch_tcp[];

/* Runs the call and fills in its reply, which may be an RPC error.
 * Errors: -EBADMSG not an RPC call; there is no reply. */
int dispatch_call(struct call *call, const struct rpc_program *const *programs);
/* Whether the call is for this program and version; if not, sets the RPC error in the reply. */
bool dispatch_match(const struct rpc_call *rpc, uint32_t prog, uint32_t vers,
		    struct rpc_reply *reply);
/* Bytes reserved before the results for the header of a successful reply. */
#define REPLY_HEADER_LEN 24

/* programs.c: server_options.programs */

/* Runs the call if it is for one of these programs, and fills in @reply in any case. */
void programs_run(struct call *call, struct rpc_reply *reply);

/* nfs3.c, mount3.c; for nfs4*.c see nfs4-internal.h */

extern const struct rpc_program nfs3_program;
extern const struct rpc_program nfs4_program;
extern const struct rpc_program mount3_program;

/* nfs4-clients.c: the state of NFSv4 clients, on all connections */

int nfs4_state_new(struct nfs4_state **out);
/* NULL is fine. */
void nfs4_state_free(struct nfs4_state *state);
/* Removes all clients, as after a restart. */
void nfs4_state_restart(struct nfs4_state *state);

/* nfs3.c */

/* A name component. Truncated: the reader becomes bad; else returns a status. @name:
 * NFS3_NAME_MAX + 1 bytes. */
uint32_t nfs3_get_name(struct reader *r, char *name);
/* ACCESS bits, for NFSv4 too: the access of "others"; of a read-only export at most reading. */
uint32_t nfs3_access_granted(const struct export *exp, const struct nfs_attr *attr);

/* write.c: WRITE and COMMIT of every version */

#define UNSTABLE  0 /* stable_how */
#define FILE_SYNC 2

struct call_write {
	struct nfs_fh fh;
	uint64_t offset;
	const uint8_t *data;
	uint32_t len;
	uint32_t stable; /* stable_how */
	/* Result */
	uint32_t count, committed;
	uint8_t verifier[8];
};

/* Returns an nfs3_status. */
uint32_t call_write(struct call *call, struct call_write *w);
void call_commit(const struct call *call, uint8_t verifier[8]);
/* Takes the data of a WRITE from the arguments; false: they came by a chunk that is not for them. */
bool call_write_data(struct call *call, struct call_write *w);

/* rdma-reply.c */

/* The plan of one reply. Faults change it before it is sent. */
struct rdma_reply {
	struct rdma_session *session;
	struct rpcrdma_header header; /* chunks with the lengths that the requester offered */

	uint8_t *message; /* RPC message without its payloads, writable */
	size_t message_len;
	struct payload payload[CALL_PAYLOADS];
	uint32_t payload_count;
	bool message_by_chunk; /* the message goes to the Reply chunk */
	struct call_read read; /* offsets in message */
	uint32_t vers, proc;   /* of the call */
	bool wrote;            /* it has a WRITE */

	/* Faults */
	bool drop;          /* nothing is sent */
	bool close;         /* nothing is sent, and the connection is closed */
	bool twice;         /* the reply is sent a second time */
	bool beyond;        /* a byte behind the Write chunk's memory is written too */
	bool no_data;       /* the Write chunk is reported as written, but is not */
	bool pad;           /* XDR padding follows the data into the Write chunk */
	bool pad_part;      /* only (length % 4) bytes of it */
	bool spill;         /* excess goes where the next segment appears to be */
	uint32_t unwritten; /* the last bytes of a Write chunk's data that are left out */
	bool early;         /* the Write chunks are written after the reply is sent */
	bool drop_unused;   /* unused Write chunks are returned without segments */
	bool keep_lengths;  /* the Write chunks are returned as offered */
	bool short_lengths; /* they are returned with a word less than was written */
	bool listed_twice;  /* the one Write chunk is returned twice */
};

/* Answers @call, received with @request. */
int rdma_reply_call(struct rdma_session *session, const struct rpcrdma_header *request,
		    const struct call *call);
/* Answers with an RDMA_ERROR. */
int rdma_reply_error(struct rdma_session *session, const struct rpcrdma_header *request,
		     enum rpcrdma_errcode err);
/* For a fault: leaves the Reply chunk unused if the message fits inline. */
void rdma_reply_prefer_inline(struct rdma_reply *reply);
/* For a fault: sends a payload within the message if that fits inline, and returns its Write
 * chunk unused. False: it has no Write chunk, or does not fit. */
bool rdma_reply_leave_chunk(struct rdma_reply *reply, uint32_t payload);
/* For a fault: the reply is an RDMA_ERROR. */
void rdma_reply_refuse(struct rdma_reply *reply, enum rpcrdma_errcode err);
/* Bytes that a reply may hold without a Write chunk; at most @max in a Reply chunk. */
size_t rdma_reply_room(const struct rdma_session *session, const struct rpcrdma_header *request,
		       size_t max);

/* connections.c: those that are served, and those that wait */

enum server_listener { LISTEN_RDMA, LISTEN_NFS, LISTEN_MOUNT, LISTEN_COUNT };

/* What a session and the accepting thread tell each other. */
struct server_place {
	const atomic_bool *stop;
	atomic_ullong since; /* the last call, or the begin of the wait for the first: now_ms() */
	atomic_bool called;
	atomic_bool wanted; /* another connection waits for this one to end */
	bool beside;        /* when it began another of this host was served */
};

/* The session waits for a call from now on. @called: not for the first one. */
void place_begin(struct server_place *place, bool called);
/* Whether it waited for too long. */
bool place_is_over(const struct server_place *place);

struct connections;

/* @options: borrowed. Errors: -ENOMEM, -errno of eventfd(2). */
int connections_new(struct connections **out, const struct server_options *options);
/* After connections_stop(). NULL is fine. */
void connections_free(struct connections *all);
/* Takes one of @t and @fd, to be served in its turn; connections_admit()
 * follows. */
void connections_take(struct connections *all, enum server_listener which, struct transport *t,
		      int fd);
/* Serves those that wait, as far as they may be, and closes what is too many. Call it after
 * connections_take(), when connections_ended_fd() is readable, and each SERVER_WAKE_MS while
 * connections_wait(). Errors: -errno of pthread_create(3), without harm. */
int connections_admit(struct connections *all);
/* Whether no more may wait: then none of that listener may be taken. */
bool connections_are_full(const struct connections *all, enum server_listener which);
/* Whether any wait. */
bool connections_wait(const struct connections *all);
int connections_ended_fd(const struct connections *all);
/* Ends all of them. */
void connections_stop(struct connections *all);

/* rdma.c: RFC 8166, the responder's side */

/* A WRITE whose data is pulled after its reply. */
struct fault_late {
	struct nfs_fh fh;
	uint64_t offset;
	uint32_t len; /* 0: none */
};

/* State that faults keep from reply to reply. */
struct fault_state {
	const struct fault_set *set; /* may be NULL */
	uint64_t replies;            /* up to and including this one */
	bool large_read_seen;        /* a READ over 812 bytes by Write chunk, */
	bool other_seen;             /* and another procedure after it */
	unsigned int chunk_reads;    /* by Write chunk, as at-times counts them */
	unsigned int rare_reads;     /* the same, for rarely */
	bool second;                 /* struct server_place's beside */
	unsigned int writes, commits;
	struct fault_earlier *earlier; /* faults-write.c */
	struct fault_late late;
	uint8_t *buf; /* replacement data; FAULT_BUF_MAX bytes */
};

struct rdma_session {
	const struct server_options *options;
	struct transport *t;
	uint32_t credits;
	uint32_t rtmax;
	uint32_t reply_inline; /* bytes of a Send that the peer accepts */
	uint8_t *scratch;
	struct server_buffer call_buf, reply_buf;
	struct fault_state faults;
	struct rpcrdma_header request;
	struct rdma_reply reply;
	/* For a fault: the call that was received behind this one; data NULL: none. */
	struct transport_msg next;
};

/* Serves one accepted connection until it ends, or its place does; closes nothing. */
int rdma_serve(struct transport *t, const struct server_options *options,
	       struct server_place *place);

/* Answers or drops one received message. Non-zero ends the connection. */
int rdma_message(struct rdma_session *session, const void *data, size_t len);
int rdma_session_init(struct rdma_session *session, struct transport *t,
		      const struct server_options *options);
void rdma_session_fini(struct rdma_session *session);

/* stream.c: TCP, record marking, RFC 5531 section 11 */

int stream_listen(int *fd, const struct transport_address *at, uint16_t port, uint16_t *bound);
int stream_serve(int fd, const struct server_options *options, struct server_place *place);

/* faults.c */

#define FAULT_BUF_MAX (SERVER_SCRATCH_MAX + SERVER_REPLY_MAX)

/* Applies what a fault changes before the server starts. @exp may be NULL. */
void fault_prepare(const struct fault_set *faults, struct export *exp);
/* faults-write.c: applies the faults of WRITEs. @data is writable and has FAULT_WRITE_SLACK more
 * bytes. */
#define FAULT_WRITE_SLACK 4096

struct fault_write {
	struct call *call;
	struct call_write *w;
	uint8_t *data;
	uint32_t stored; /* of data */
	uint64_t at;     /* stored there */
	bool skip;       /* nothing is stored */
	uint32_t status; /* instead of storing */
};

/* Before a file is made. */
void fault_create(struct call *call, struct export_create *create);
bool fault_has_writes(const struct fault_state *state);
void fault_write(struct fault_write *f);
/* @commit: of a COMMIT; else of a WRITE. */
void fault_write_verifier(struct fault_state *state, uint8_t verifier[8], bool commit);
/* The data of WRITEs is pulled after the reply; by the key of the next call. */
bool fault_replies_first(const struct fault_set *faults);
bool fault_reads_by_other_key(const struct fault_set *faults);
/* A new connection. */
void fault_connected(const struct fault_set *faults, struct export *exp);
/* The value of the fault "write", an index of its values; -1: it is not on. */
int fault_write_value(const struct fault_set *faults);

/* Applies the NFS faults, which do not depend on the transport, to a call that was served. */
void fault_serve(const struct fault_set *faults, struct call *call);
/* Counts the reply and applies every fault of the set. */
void fault_apply(struct rdma_reply *reply);
bool fault_corrupts_crc(const struct fault_set *faults);
/* A Linux 3.x server sends no private data and grants this many credits. */
#define FAULT_LINUX3_CREDITS 16
bool fault_is_linux3(const struct fault_set *faults);

#endif
