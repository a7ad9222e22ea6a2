/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of rpcrdma/server. A session (rdma.c, stream.c) receives one RPC message, dispatch.c
 * finds the program and procedure (nfs3.c, mount3.c), which asks the export; the session sends
 * the answer by its transport's means. */
#ifndef RPCRDMA_SERVER_INTERNAL_H
#define RPCRDMA_SERVER_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/server/server.h"
#include "rpcrdma/transport/transport.h"
#include "rpcrdma/wire/wire.h"

#define SERVER_CONNECTIONS 64 /* a thread each; more are closed at once */
#define SERVER_RECV_SIZE   4096
#define SERVER_SHAKE_MS    5000   /* for the transport's handshake, as siw has it */
#define SERVER_IDLE_MS     360000 /* then a silent connection is closed, as svcrdma does */
#define SERVER_STEP_MS     30000  /* for the rest of a message, in or out */
#define SERVER_WAKE_MS     1000   /* how soon a silent session sees that all shall end */

/* Bytes of a call, and of a reply without its payload. Nobody writes here, so that a call is
 * short but for file names; wtmax says so. */
#define SERVER_CALL_MAX  (128 * 1024)
#define SERVER_REPLY_MAX (128 * 1024)
#define SERVER_WRITE_MAX (64 * 1024)
/* Scratch is for a payload that an export makes up: a READ, or the text of a link. */
#define SERVER_SCRATCH_MAX SERVER_READ_MAX

static inline uint32_t server_rtmax(const struct server_options *options)
{
	return options->rtmax ? min_u32(options->rtmax, SERVER_READ_MAX)
			      : SERVER_READ_MAX;
}

/* export.c */

/* In: what is asked. Out: the bytes, in memory of the export (valid as long as it) or in
 * @scratch of SERVER_SCRATCH_MAX bytes. */
struct export_read {
	uint64_t offset;
	uint32_t count; /* at most SERVER_SCRATCH_MAX */
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
};

int export_init(struct export *exp, const struct export_ops *ops);
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

/* dispatch.c */

struct rpc_program;
struct rpc_procedure;

/* One call on its way through: filled in from top to bottom. */
struct call {
	/* by the session */
	struct reader args; /* the RPC message */
	struct export *exp;
	uint8_t *scratch; /* SERVER_SCRATCH_MAX bytes */
	uint32_t rtmax;
	size_t room;  /* for a reply without a Write chunk */
	bool reduced; /* Read chunks carry an argument */
	struct writer reply;

	/* by dispatch_call */
	struct rpc_call rpc;
	const struct rpc_procedure *procedure;

	/* by the procedure: the opaque data that end the results. Their length word is in
	 * reply, they and their padding are not. They may go by Write chunk (RFC 8267
	 * section 3: READ data and READLINK text, which both come last). */
	const uint8_t *payload;
	uint32_t payload_len;
};

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

/* nfs3.c, nfs3-dir.c, nfs3-refuse.c, mount3.c */

extern const struct rpc_program nfs3_program;
extern const struct rpc_program mount3_program;

/* nfs3.c */

/* nfs_fh3; a handle that is too long makes the reader bad. */
void nfs3_get_fh(struct reader *r, struct nfs_fh *fh);
void nfs3_put_fh(struct writer *w, const struct nfs_fh *fh);
void nfs3_put_attr(struct writer *w, const struct nfs_attr *attr);
/* post_op_attr: of the handle as it is now, or none. */
void nfs3_put_post_op(struct call *call, const struct nfs_fh *fh);
/* A name component: bad reader when cut; else a status. @name: NFS3_NAME_MAX + 1 bytes. */
uint32_t nfs3_get_name(struct reader *r, char *name);

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
	uint32_t prog, proc;

	uint8_t *head; /* RPC message up to the payload, writable */
	size_t head_len;
	const uint8_t *payload;
	uint32_t payload_len;
	bool payload_by_chunk; /* the payload goes to the first Write chunk, else inline */
	bool message_by_chunk; /* the message goes to the Reply chunk */

	/* Faults */
	bool drop;         /* nothing is sent */
	bool close;        /* nothing is sent, and the connection is closed */
	bool no_data;      /* the Write chunk is reported as written, and is not */
	bool pad;          /* XDR padding follows the data into the Write chunk */
	bool keep_lengths; /* the Write chunks come back as they were offered */
};

/* Answers @call, which came with @request. */
int rdma_reply_call(struct rdma_session *session, const struct rpcrdma_header *request,
		    const struct call *call);
/* Answers with an RDMA_ERROR. */
int rdma_reply_error(struct rdma_session *session, const struct rpcrdma_header *request,
		     enum rpcrdma_errcode err);
/* What a reply may hold at most, without a Write chunk. */
size_t rdma_reply_room(const struct rdma_session *session,
		       const struct rpcrdma_header *request);

/* rdma.c: RFC 8166, the responder's side */

/* What faults remember from reply to reply. */
struct fault_state {
	const struct fault_set *set; /* may be NULL */
	uint64_t replies;            /* up to and with this one */
	bool large_read_seen;        /* a READ over 812 bytes by Write chunk, */
	bool other_seen;             /* and another procedure after it */
	uint8_t *buf;                /* what the faults write instead; FAULT_BUF_MAX */
};

struct rdma_session {
	const struct server_options *options;
	struct transport *t;
	uint32_t credits;
	uint32_t rtmax;
	uint32_t reply_inline; /* bytes of a Send that the peer takes */
	uint8_t *scratch, *call_buf, *reply_buf;
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

/* Counts the reply and lets every fault of the set at it. */
void fault_apply(struct rdma_reply *reply);
bool fault_corrupts_crc(const struct fault_set *faults);

#endif
