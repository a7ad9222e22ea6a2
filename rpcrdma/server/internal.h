/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of rpcrdma/server. A session (rdma.c, stream.c) receives one RPC message, dispatch.c
 * finds the program and procedure (nfs3.c, nfs4.c, mount3.c), which asks the export; the session
 * sends the answer by its transport's means. */
#ifndef RPCRDMA_SERVER_INTERNAL_H
#define RPCRDMA_SERVER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/server/server.h"
#include "rpcrdma/transport/transport.h"
#include "rpcrdma/wire/wire.h"

#define SERVER_CONNECTIONS 64 /* a thread each; more are closed at once */
#define SERVER_PER_PEER    32 /* of them, so that one host does not shut out the others */
#define SERVER_RECV_SIZE   4096
#define SERVER_SHAKE_MS    5000 /* for the transport's handshake, as siw has it */
#define SERVER_FIRST_MS    10000 /* for the first call: who connects has something to ask */
#define SERVER_IDLE_MS     360000 /* then a silent connection is closed, as svcrdma does */
#define SERVER_STEP_MS     30000  /* for the rest of a message, in or out */
#define SERVER_WAKE_MS     1000   /* how soon a silent session sees that all shall end */

/* Bytes of a call, and of a reply without its payload. Nobody writes here, so that a call is
 * short but for file names; wtmax says so. */
#define SERVER_CALL_MAX  (128 * 1024)
#define SERVER_REPLY_MAX (128 * 1024)
/* The same where there are programs of the caller's own: 1 MiB and some. */
#define SERVER_PROGRAM_MAX (1024 * 1024 + 64 * 1024)
#define SERVER_WRITE_MAX   (64 * 1024)
/* Scratch is for payloads that an export makes up: READs, or the text of a link. Two of the
 * largest READs may be in one COMPOUND. */
#define SERVER_SCRATCH_MAX (2 * SERVER_READ_MAX)

static inline uint32_t server_rtmax(const struct server_options *options)
{
	return options->rtmax ? min_u32(options->rtmax, SERVER_READ_LIMIT)
			      : SERVER_READ_MAX;
}

/* Bytes of a connection's scratch, which holds what two READs bring. */
static inline size_t server_scratch_max(uint32_t rtmax)
{
	return rtmax > SERVER_READ_MAX ? 2 * (size_t)rtmax : SERVER_SCRATCH_MAX;
}

static inline uint32_t server_call_max(const struct server_options *options)
{
	return options->programs ? SERVER_PROGRAM_MAX : SERVER_CALL_MAX;
}

/* export.c */

/* In: what is asked. Out: the bytes, in memory of the export (valid as long as it) or in
 * @scratch, which has room for @count, or for NFS3_PATH_MAX in a READLINK. */
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
	uint64_t cookie; /* of what follows it */
	struct nfs_attr attr;
	struct nfs_fh fh; /* len 0 unless asked for */
};

/* Returns false when there is no room for the entry. */
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

/* What is served: in memory, or a directory. Handles come from the peer: every callback copes
 * with any bytes in them. Callbacks run in many threads at a time and return an nfs3_status. */
struct export_ops {
	void (*free)(struct export *exp);
	uint32_t (*root)(struct export *exp, struct nfs_fh *fh);
	uint32_t (*getattr)(struct export *exp, const struct nfs_fh *fh,
			    struct nfs_attr *attr);
	/* @name is not empty and has no "/"; "." and ".." are names too. */
	uint32_t (*lookup)(struct export *exp, const struct nfs_fh *dir, const char *name,
			   struct nfs_fh *fh);
	/* Sets data and len. */
	uint32_t (*readlink)(struct export *exp, const struct nfs_fh *fh,
			     struct export_read *read);
	uint32_t (*read)(struct export *exp, const struct nfs_fh *fh,
			 struct export_read *read);
	uint32_t (*readdir)(struct export *exp, const struct nfs_fh *dir,
			    struct export_readdir *readdir);
	uint32_t (*space)(struct export *exp, struct export_space *space);
};

struct export
{
	const struct export_ops *ops;
	/* In each handle and cookie: those of an earlier server are recognised. */
	uint8_t verifier[8];
	uint32_t magic;  /* each handle begins with it */
	bool is_ganesha; /* that is what it pretends to be */
};

int export_init(struct export *exp, const struct export_ops *ops);
/* For the fault "foreign": handles and owner of another server. */
void export_disguise(struct export *exp, bool is_ganesha);
/* Handles of before are stale, as after a restart. */
void export_restart(struct export *exp);
/* A handle is a magic number, the verifier and two numbers of the export's own. */
void export_handle(const struct export *exp, uint64_t a, uint64_t b, struct nfs_fh *fh);
/* NFS3_STATUS_OK, BADHANDLE or STALE. */
uint32_t export_handle_parse(const struct export *exp, const struct nfs_fh *fh,
			     uint64_t *a, uint64_t *b);

/* export-path.c: the paths behind the handles of a directory export, by device and inode */

struct path_table;

struct path_table *path_table_new(void);
void path_table_free(struct path_table *table);
/* Remembers the path of an inode; what was not used for longest is forgotten beyond a bound.
 * -ENOMEM. */
int path_table_put(struct path_table *table, uint64_t dev, uint64_t ino,
		   const char *path);
/* Copies the path to @buf; -ESTALE when it is not (or no longer) known. */
int path_table_get(struct path_table *table, uint64_t dev, uint64_t ino, char *buf,
		   size_t cap);

/* buffer.c: memory of a session that grows for a long message, and does not stay so */

struct server_buffer {
	uint8_t *base;
	size_t cap;
};

/* Room for @len bytes; what is in it stays. -ENOMEM. */
int server_buffer_grow(struct server_buffer *buffer, size_t len);
/* Gives back what is more than @keep bytes, and all of it for 0. */
void server_buffer_trim(struct server_buffer *buffer, size_t keep);

/* dispatch.c */

struct rpc_program;
struct rpc_procedure;

/* Opaque data in the results: READ data and READLINK text, which may go by Write chunk (RFC 8267
 * sections 3 and 6). The length word is in the reply; the data and their padding are not. */
struct payload {
	const uint8_t *data;
	uint32_t len;
	size_t at;     /* its place in the reply, right behind the length word */
	bool by_chunk; /* rdma-reply.c: it goes to the Write chunk of the same number */
};

/* As many as there can be Write chunks. */
#define CALL_PAYLOADS RPCRDMA_MAX_CHUNKS

/* The first READ of a call: where the reply says what it brought. For the faults, which make it
 * say something else; they know no version of NFS. */
struct call_read {
	bool tried;       /* there was one */
	bool served;      /* and it succeeded, so: */
	struct nfs_fh fh; /* what was read, and where */
	uint64_t offset;
	uint32_t payload; /* the number of its data */
	size_t status;    /* offsets in the reply: of its nfsstat, */
	size_t count;     /* of the count beside the length word (NFSv3, else 0), */
	size_t eof;
	size_t end; /* of where the reply ends if it fails, */
	/* NFSv4, else 0: of the COMPOUND's status and number of results, and that number if
	 * this READ fails. */
	size_t compound, results;
	uint32_t result_count;
};

/* One call on its way through: filled in from top to bottom. */
struct call {
	/* by the session */
	struct reader args; /* the RPC message */
	struct export *exp;
	struct nfs4_state *nfs4; /* NULL: no NFSv4 is served */
	uint8_t *scratch;        /* server_scratch_max() bytes */
	uint32_t rtmax;
	size_t room;  /* for a reply without a Write chunk */
	bool reduced; /* Read chunks carry an argument */
	bool stream;  /* over TCP */
	struct writer reply;
	/* for programs of the caller's own, programs.c; may be NULL */
	const struct server_program *const *programs;
	struct server_buffer *results; /* what reply writes to; it may grow, */
	size_t results_max;            /* to this */
	const struct transport_address *local, *peer;

	/* by dispatch_call */
	struct rpc_call rpc;
	const struct rpc_procedure *procedure;

	/* by the procedure, by call_payload() in the order of the reply */
	struct payload payload[CALL_PAYLOADS];
	uint32_t payload_count;
	struct call_read read;
	bool silent; /* there is no answer */
};

/* Appends an opaque item: its length word to the reply, its data as a payload. false: there are
 * too many, and nothing was done. */
bool call_payload(struct call *call, const uint8_t *data, uint32_t len);
/* Length of the reply with all payloads in it. */
size_t call_reply_length(const struct call *call);

/* Decodes the arguments from call->args, appends the results to call->reply. */
typedef enum rpc_accept_stat (*rpc_procedure_fn)(struct call *call);

struct rpc_procedure {
	const char *name;
	rpc_procedure_fn run; /* NULL: PROC_UNAVAIL */
	bool reducible;       /* an argument may come by Read chunk, RFC 8267 section 3 */
	const char *args;     /* private to the program */
	const char *results;
};

/* Programs that there will be more of: a row each in the tables below. */
struct rpc_program {
	uint32_t prog, vers;
	const struct rpc_procedure *procedures;
	uint32_t count;
};

extern const struct rpc_program *const dispatch_rdma[]; /* end with NULL */
extern const struct rpc_program *const dispatch_tcp[];

/* Runs the call and fills in its reply, which may be an RPC error. -EBADMSG: not an RPC call,
 * and nothing to answer. */
int dispatch_call(struct call *call, const struct rpc_program *const *programs);
/* Whether a program is the one that is called; if not, the reply says what there is. */
bool dispatch_match(const struct rpc_call *rpc, uint32_t prog, uint32_t vers,
		    struct rpc_reply *reply);
/* Before the results, which it says were had. */
#define REPLY_HEADER_LEN 24

/* programs.c: the caller's own */

/* Runs the call if it is for one of them, and fills in @reply either way. */
void programs_run(struct call *call, struct rpc_reply *reply);

/* nfs3.c, nfs3-dir.c, nfs3-refuse.c, mount3.c; nfs4.c has a map of its own, nfs4-internal.h */

extern const struct rpc_program nfs3_program;
extern const struct rpc_program nfs4_program;
extern const struct rpc_program mount3_program;

/* nfs4-clients.c: what clients of NFSv4 leave behind between calls, on all connections */

int nfs4_state_new(struct nfs4_state **out);
/* NULL is fine. */
void nfs4_state_free(struct nfs4_state *state);
/* Forgets all clients, as after a restart. */
void nfs4_state_restart(struct nfs4_state *state);

/* nfs3.c */

/* nfs_fh3; a handle that is too long makes the reader bad. */
void nfs3_get_fh(struct reader *r, struct nfs_fh *fh);
void nfs3_put_fh(struct writer *w, const struct nfs_fh *fh);
void nfs3_put_attr(struct writer *w, const struct nfs_attr *attr);
/* post_op_attr: of the handle as it is now, or none. */
void nfs3_put_post_op(struct call *call, const struct nfs_fh *fh);
/* A name component: bad reader when cut; else a status. @name: NFS3_NAME_MAX + 1 bytes. */
uint32_t nfs3_get_name(struct reader *r, char *name);
/* ACCESS bits, which NFSv4 has too: what others may do, and never more than reading. */
uint32_t nfs3_access_granted(const struct nfs_attr *attr);

/* nfs3-dir.c */

enum rpc_accept_stat nfs3_readdir(struct call *call);
enum rpc_accept_stat nfs3_readdirplus(struct call *call);

/* nfs3-refuse.c: everything that would write, by the shapes in its row */

enum rpc_accept_stat nfs3_refuse(struct call *call);

/* rdma-reply.c */

/* One reply: what is to be sent, and how. Faults change it before it is performed. */
struct rdma_reply {
	struct rdma_session *session;
	struct rpcrdma_header
		header; /* chunks with lengths as the requester offered them */

	uint8_t *message; /* RPC message without its payloads, writable */
	size_t message_len;
	struct payload payload[CALL_PAYLOADS];
	uint32_t payload_count;
	bool message_by_chunk; /* the message goes to the Reply chunk */
	struct call_read read; /* offsets in message */
	uint32_t vers, proc;   /* of the call */

	/* Faults */
	bool drop;     /* nothing is sent */
	bool close;    /* nothing is sent, and the connection is closed */
	bool no_data;  /* the Write chunk is reported as written, and is not */
	bool pad;      /* XDR padding follows the data into the Write chunk */
	bool pad_part; /* of it as many bytes as the data have over a multiple of four */
	bool spill;    /* and what has no room goes where the next segment seems to be */
	bool no_tail; /* of a Write chunk's data what is behind the last whole word of XDR */
	bool early;        /* the Write chunks are written after the reply was sent */
	bool drop_unused;  /* Write chunks that are not used come back without segments */
	bool keep_lengths; /* the Write chunks come back as they were offered */
};

/* Answers @call, which came with @request. */
int rdma_reply_call(struct rdma_session *session, const struct rpcrdma_header *request,
		    const struct call *call);
/* Answers with an RDMA_ERROR. */
int rdma_reply_error(struct rdma_session *session, const struct rpcrdma_header *request,
		     enum rpcrdma_errcode err);
/* For a fault: leaves the Reply chunk unused where the message fits inline, too. */
void rdma_reply_prefer_inline(struct rdma_reply *reply);
/* For a fault: a payload goes with the message where that fits inline, and its Write chunk comes back
 * unused. False: it has none, or does not fit. */
bool rdma_reply_leave_chunk(struct rdma_reply *reply, uint32_t payload);
/* For a fault: the reply is an RDMA_ERROR. */
void rdma_reply_refuse(struct rdma_reply *reply, enum rpcrdma_errcode err);
/* The message as it goes inline or by Reply chunk, with the payloads that do: pieces in @iov of
 * RDMA_REPLY_PIECES. Returns their number. */
#define RDMA_REPLY_PIECES (1 + 3 * CALL_PAYLOADS)
int rdma_reply_pieces(const struct rdma_reply *reply, struct iovec *iov);
/* What a reply may hold without a Write chunk, at most @max in a Reply chunk. */
size_t rdma_reply_room(const struct rdma_session *session,
		       const struct rpcrdma_header *request, size_t max);

/* rdma.c: RFC 8166, the responder's side */

/* What faults remember from reply to reply. */
struct fault_state {
	const struct fault_set *set; /* may be NULL */
	uint64_t replies;            /* up to and with this one */
	bool large_read_seen;        /* a READ over 812 bytes by Write chunk, */
	bool other_seen;             /* and another procedure after it */
	unsigned int chunk_reads;    /* by Write chunk, as at-times counts them */
	unsigned int rare_reads;     /* the same, for rarely */
	uint8_t *buf;                /* what the faults write instead; FAULT_BUF_MAX */
};

struct rdma_session {
	const struct server_options *options;
	struct transport *t;
	uint32_t credits;
	uint32_t rtmax;
	uint32_t reply_inline; /* bytes of a Send that the peer takes */
	uint8_t *scratch;
	struct server_buffer call_buf, reply_buf;
	struct fault_state faults;
	struct rpcrdma_header request;
	struct rdma_reply reply;
};

/* Serves one accepted connection until it ends or *stop is set; closes nothing. */
int rdma_serve(struct transport *t, const struct server_options *options,
	       const atomic_bool *stop);

/* One received message: answered, or dropped. Non-zero ends the connection. */
int rdma_message(struct rdma_session *session, const void *data, size_t len);
int rdma_session_init(struct rdma_session *session, struct transport *t,
		      const struct server_options *options);
void rdma_session_fini(struct rdma_session *session);

/* stream.c: TCP, record marking, RFC 5531 section 11 */

int stream_listen(int *fd, const struct transport_address *at, uint16_t port,
		  uint16_t *bound);
int stream_serve(int fd, const struct server_options *options, const atomic_bool *stop);

/* faults.c */

#define FAULT_BUF_MAX (SERVER_SCRATCH_MAX + SERVER_REPLY_MAX)

/* What a fault changes before anything is served. @exp may be NULL. */
void fault_prepare(const struct fault_set *faults, struct export *exp);
/* Lets those faults at a call that was served that are of NFS, whatever the transport. */
void fault_serve(const struct fault_set *faults, struct call *call);
/* Counts the reply and lets every fault of the set at it. */
void fault_apply(struct rdma_reply *reply);
bool fault_corrupts_crc(const struct fault_set *faults);
/* A server of Linux 3.x sends no private data, and grants this many credits. */
#define FAULT_LINUX3_CREDITS 16
bool fault_is_linux3(const struct fault_set *faults);

#endif
