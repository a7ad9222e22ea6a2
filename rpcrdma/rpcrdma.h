/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* librpcrdma: RPC-over-RDMA version 1 (RFC 8166) in user space, the caller's side. A connection
 * carries the calls of any RPC program; arguments and results are bytes in XDR. Programs that
 * rpcgen made have an easier way: rpcrdma-clnt.h. See rpcrdma(3).
 *
 * A function that can fail returns 0 or -errno, and rpcrdma_error() has the words. A struct whose
 * first member is `size` is set to zero by the caller, but for size = sizeof(the struct) and what
 * it wants; later versions of the library know the shorter one still.
 *
 * Threads: those that share a connection take turns, a call at a time. */
#ifndef RPCRDMA_H
#define RPCRDMA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; rpcrdma_version() has the library's. */
#define RPCRDMA_VERSION_TEXT "0.1.0"

const char *rpcrdma_version(void);

/* The last error of this thread: one line, never NULL, valid until the next function of the
 * library is called. */
const char *rpcrdma_error(void);

/* Connections */

struct rpcrdma_conn;

struct rpcrdma_target {
	size_t size;
	const char *host; /* name or number */
	const char *
		transport; /* "verbs", "iwarp"; NULL: verbs where the route leads through an
				* RDMA device, iwarp over TCP everywhere else */
	const char *bind;    /* number of local address, or NULL */
	const char *device;  /* verbs: the RDMA device, or NULL */
	uint16_t port;       /* 0: 20049 */
	uint32_t credits;    /* calls under way at a time, at most; 0: 32 */
	uint32_t timeout_ms; /* 0: ten seconds */
};

/* Connects, and sends nothing. All strings are borrowed for the call. *@conn is the caller's, to
 * be closed; it is untouched on failure.
 * ERRORS -EINVAL a struct of another size, or text that is no address; -ENOENT the name is not
 *   known; -EAGAIN the resolver does not answer; -EPROTONOSUPPORT no such transport, or the peer
 *   speaks another protocol; -ENODEV no RDMA device on the way; -ECONNREFUSED; -EHOSTUNREACH;
 *   -ENETUNREACH; -EADDRNOTAVAIL bind is no address of this host; -ENOMEM, also when more memory
 *   would have to be locked than RLIMIT_MEMLOCK allows; -ETIMEDOUT. */
int rpcrdma_connect(struct rpcrdma_conn **conn, const struct rpcrdma_target *target);

/* Ends the connection and frees it. Its memory (below) must have been freed before, and each
 * CLIENT of it destroyed. NULL is fine. */
void rpcrdma_close(struct rpcrdma_conn *conn);

/* Memory that the server may write */

struct rpcrdma_memory;

/* Registers @length bytes at @base, which stay the caller's: the server can write exactly those,
 * from the call that offers them on until rpcrdma_memory_free().
 * ERRORS -EINVAL no bytes, or 4 GiB or more; -ENOMEM, also of locked memory. */
int rpcrdma_memory_new(struct rpcrdma_conn *conn, void *base, size_t length,
		       struct rpcrdma_memory **memory);

/* After it the server can reach nothing of it; one that still tries loses the connection. NULL is
 * fine. */
void rpcrdma_memory_free(struct rpcrdma_conn *conn, struct rpcrdma_memory *memory);

/* Calls */

enum rpcrdma_flavor { RPCRDMA_AUTH_NONE = 0, RPCRDMA_AUTH_SYS = 1 };

/* The longest RPC message of a call. Beyond what fits in a Send, the server reads it. */
#define RPCRDMA_MESSAGE_MAX (2 * 1024 * 1024 + 4096)

struct rpcrdma_request {
	size_t size;

	/* The call: all of it is borrowed for the time of the call. */
	uint32_t prog, vers, proc;
	uint32_t timeout_ms; /* 0: ten seconds */
	const void *args;    /* encoded */
	size_t args_len;
	enum rpcrdma_flavor flavor;
	uint32_t uid, gid, gids_len; /* AUTH_SYS; at most 16 groups */
	const uint32_t *gids;
	/* A Write chunk: for the bytes of the one item of the results that the program's
	 * RPC-over-RDMA binding lets be moved (RFC 8166 section 6); NULL: none. */
	const struct rpcrdma_memory *write;
	/* The Reply chunk: for results that may be over rpcrdma_inline_results(). It holds the
	 * whole reply, 24 bytes more than the results. NULL: none. */
	const struct rpcrdma_memory *reply;

	/* The reply. What results points to is freed by rpcrdma_request_clear(). */
	uint32_t xid;
	uint32_t write_len;  /* bytes that came in the Write chunk */
	const void *results; /* encoded, without what came in the Write chunk */
	size_t results_len;
	void *reserved;
};

/* Makes one call and waits for its reply. 0: it was accepted and successful, and the results are
 * there.
 * ERRORS -EINVAL a struct of another size, too many groups, or the server cannot decode the
 *   arguments; -EOPNOTSUPP the server has no such program, version or procedure; -EACCES it
 *   refuses the credential; -EREMOTEIO it reports a system error, or ended the connection with an
 *   RDMA error; -EBADE it refused the chunks: most often the reply fits neither in a Send nor in
 *   the Reply chunk; -EMSGSIZE the call is over RPCRDMA_MESSAGE_MAX; -EBADMSG, -EILSEQ, -EPROTO
 *   the reply is not one; -ECONNRESET; -ETIMEDOUT.
 *   After -ETIMEDOUT the reply may still come, and is dropped; memory that was offered may still
 *   be written, until it is freed or the connection is closed. */
int rpcrdma_request(struct rpcrdma_conn *conn, struct rpcrdma_request *request);

/* Frees the results. */
void rpcrdma_request_clear(struct rpcrdma_request *request);

/* Results of up to this many bytes need no Reply chunk on this connection. */
size_t rpcrdma_inline_results(const struct rpcrdma_conn *conn);

#ifdef __cplusplus
}
#endif

#endif
