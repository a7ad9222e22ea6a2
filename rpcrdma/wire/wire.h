/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Pure codecs for the content of one RDMA Send: the RPC-over-RDMA v1 transport header (RFC 8166
 * section 4), the connection's private data (RFC 8797), and the RPC message header (RFC 5531). No
 * I/O, no allocation, no globals; every input is hostile.
 *
 * Readers and writers know their bounds. Once overrun they stay bad and return zeros, so a
 * decoder needs only one check, at the end. */
#ifndef RPCRDMA_WIRE_H
#define RPCRDMA_WIRE_H

#include "rpcrdma/base/base.h"

/* cursor.c */

struct reader {
	const uint8_t *p;
	const uint8_t *end;
	bool bad;
};

void reader_init(struct reader *r, const void *buf, size_t len);
size_t reader_left(const struct reader *r);
uint32_t reader_u32(struct reader *r);
uint64_t reader_u64(struct reader *r);
/* XDR bool: any value except 0 and 1 makes the reader bad. */
bool reader_bool(struct reader *r);
/* @len raw bytes, no padding; NULL when there are fewer. Borrowed from the buffer. */
const uint8_t *reader_bytes(struct reader *r, size_t len);
/* opaque<max>: length word, bytes, padding. NULL and bad when longer than @max or truncated. */
const uint8_t *reader_opaque(struct reader *r, size_t max, uint32_t *len);

struct writer {
	uint8_t *base;
	size_t len;
	size_t cap;
	bool bad;
};

void writer_init(struct writer *w, void *buf, size_t cap);
void writer_u32(struct writer *w, uint32_t v);
void writer_u64(struct writer *w, uint64_t v);
void writer_bool(struct writer *w, bool v);
/* Raw bytes, no padding. */
void writer_bytes(struct writer *w, const void *buf, size_t len);
/* opaque<>: length word, bytes, zero padding. */
void writer_opaque(struct writer *w, const void *buf, uint32_t len);
/* Reserves @len bytes and returns their address, NULL when there is no room. */
uint8_t *writer_reserve(struct writer *w, size_t len);

/* header.c: RFC 8166 section 4 */

#define RPCRDMA_VERSION 1

enum rpcrdma_proc {
	RDMA_MSG = 0,   /* chunk lists, then the RPC message */
	RDMA_NOMSG = 1, /* chunk lists only */
	RDMA_MSGP = 2,  /* obsolete: a responder answers ERR_CHUNK */
	RDMA_DONE = 3,  /* obsolete: dropped */
	RDMA_ERROR = 4,
};

enum rpcrdma_errcode {
	ERR_VERS = 1,
	ERR_CHUNK = 2,
};

/* Limits of one header. At most 253 segments fit in 4096 bytes; longer chunk lists are answered
 * as too complex, which RFC 8166 section 4.5.2 allows (and RFC 8267 section 6.4.2 guarantees only
 * 16 segments a chunk). */
#define RPCRDMA_MAX_SEGMENTS 256
#define RPCRDMA_MAX_CHUNKS   8

/* Sizes in bytes of the fixed part and of the minimum needed before parsing. */
#define RPCRDMA_HEADER_MIN    28
#define RPCRDMA_ERR_CHUNK_LEN 20
#define RPCRDMA_ERR_VERS_LEN  28

/* "HLOO": one plain segment. */
struct rpcrdma_segment {
	uint32_t handle;
	uint32_t length;
	uint64_t offset;
};

/* A run of segments[]. */
struct rpcrdma_chunk {
	uint32_t first;
	uint32_t count;
};

/* A Read chunk is a run of entries with equal position; count of entries is read_count. */
struct rpcrdma_header {
	uint32_t rdma_xid;
	uint32_t rdma_vers;
	uint32_t rdma_credit;
	uint32_t rdma_proc;

	/* RDMA_ERROR only */
	uint32_t rdma_err;
	uint32_t rdma_vers_low;
	uint32_t rdma_vers_high;

	/* Read list: entry i is at read_position[i], segments[i] (it always comes first) */
	uint32_t read_count;
	uint32_t write_count;
	bool has_reply;
	struct rpcrdma_chunk write[RPCRDMA_MAX_CHUNKS];
	struct rpcrdma_chunk reply;
	uint32_t segment_count;
	uint32_t read_position[RPCRDMA_MAX_SEGMENTS];
	struct rpcrdma_segment segments[RPCRDMA_MAX_SEGMENTS];
};

/* An RDMA_MSG (or NOMSG) header without chunks. */
void header_init(struct rpcrdma_header *h, uint32_t xid, uint32_t credit, uint32_t proc);
/* Copies only the array elements that are used: the whole struct has 5 KB. */
void header_copy(struct rpcrdma_header *to, const struct rpcrdma_header *from);
/* Add to a header under construction: Read segments first, then Write chunks, then the Reply
 * chunk.
 * Errors: -E2BIG beyond the limits above. */
int header_add_read(struct rpcrdma_header *h, uint32_t position,
		    const struct rpcrdma_segment *segment);
int header_add_write(struct rpcrdma_header *h, const struct rpcrdma_segment *segments,
		     uint32_t count);
int header_set_reply(struct rpcrdma_header *h, const struct rpcrdma_segment *segments,
		     uint32_t count);
/* Sum of the lengths of a chunk, which may exceed 32 bits. */
uint64_t header_chunk_length(const struct rpcrdma_header *h, const struct rpcrdma_chunk *chunk);

/* Writes the whole header. Errors: -ENOBUFS it does not fit. */
int header_encode(struct writer *w, const struct rpcrdma_header *h);

/* Reads a header; @r is left at the RPC message that follows.
 * Errors: -EMSGSIZE  shorter than any legal header: dropped in silence (section 4.5)
 *         -EPROTONOSUPPORT  rdma_vers is not 1 (never for RDMA_ERROR, which echoes the
 *                    request's version): xid, vers, credit and proc are filled in
 *         -EBADMSG   rdma_proc is not RDMA_MSG, RDMA_NOMSG or RDMA_ERROR, a list runs past
 *                    the end, an RDMA_NOMSG has no chunks: the same four filled in. Look at
 *                    rdma_proc before answering: RDMA_DONE and RDMA_ERROR are never answered
 *         -E2BIG     more chunks or segments than are held: the same four filled in
 * After an error there are no chunks in @h. */
int header_decode(struct rpcrdma_header *h, struct reader *r);

/* text.c: for golden tests, debug output and evidence */

/* One line per field, as in tests/wire/. Returns the length, truncated at @cap. */
int header_text(const struct rpcrdma_header *h, char *buf, size_t cap);
/* "f6ab0e18 01000303", at most @cap bytes with the NUL; dots at the end if bytes are omitted. */
void hex_text(const void *bytes, size_t len, char *buf, size_t cap);

/* private-data.c: RFC 8797 section 5 */

#define RPCRDMA_PRIVATE_LEN 8
#define RPCRDMA_INLINE_MIN  1024 /* both directions, by default without private data */

struct rpcrdma_private {
	bool present; /* magic found and version 1 */
	bool remote_invalidate;
	uint32_t send_size;    /* bytes, 1024..262144 */
	uint32_t receive_size; /* bytes */
};

/* Sizes are rounded down to a multiple of 1024. */
void private_encode(uint8_t buf[RPCRDMA_PRIVATE_LEN], const struct rpcrdma_private *p);
/* Finds the first magic at any offset (section 5.2); absent or of another version: present
 * false, sizes 1024, no invalidation. Never fails. */
void private_decode(struct rpcrdma_private *p, const void *buf, size_t len);

/* rpc.c: RFC 5531 */

#define RPC_AUTH_BODY_MAX  400
#define RPC_AUTH_MAX       (2 * (8 + RPC_AUTH_BODY_MAX)) /* credential and verifier */
#define RPC_CALL_HEAD_MAX  (24 + RPC_AUTH_MAX)
#define RPC_REPLY_HEAD_MAX (16 + 8 + RPC_AUTH_BODY_MAX) /* of a successful reply */
#define RPC_GIDS_MAX       16                           /* AUTH_SYS */
#define RPC_MACHINE_MAX    255

enum rpc_msg_type { RPC_CALL = 0, RPC_REPLY = 1 };
enum rpc_reply_stat { RPC_MSG_ACCEPTED = 0, RPC_MSG_DENIED = 1 };
enum rpc_accept_stat {
	RPC_SUCCESS = 0,
	RPC_PROG_UNAVAIL = 1,
	RPC_PROG_MISMATCH = 2,
	RPC_PROC_UNAVAIL = 3,
	RPC_GARBAGE_ARGS = 4,
	RPC_SYSTEM_ERR = 5,
};
enum rpc_reject_stat { RPC_MISMATCH = 0, RPC_AUTH_ERROR = 1 };
enum rpc_flavor { RPC_AUTH_NONE = 0, RPC_AUTH_SYS = 1, RPCSEC_GSS = 6 };

/* AUTH_NONE or AUTH_SYS. */
struct rpc_cred {
	enum rpc_flavor flavor;
	/* AUTH_SYS only */
	uint32_t uid;
	uint32_t gid;
	uint32_t ngids;
	uint32_t gids[RPC_GIDS_MAX];
};

struct rpc_call {
	uint32_t xid;
	uint32_t rpcvers; /* set by the decoder; the encoder writes 2 */
	uint32_t prog;
	uint32_t vers;
	uint32_t proc;
	struct rpc_cred cred; /* flavours other than SYS decode to their number only */
	/* Credential and verifier in wire format. The decoder sets them, borrowed from its
	 * buffer; the encoder writes them instead of cred, unless NULL. */
	const uint8_t *auth;
	size_t auth_len;
};

struct rpc_reply {
	uint32_t xid;
	uint32_t reply_stat;
	uint32_t accept_stat; /* RPC_MSG_ACCEPTED */
	uint32_t reject_stat; /* RPC_MSG_DENIED */
	uint32_t low, high;   /* PROG_MISMATCH, RPC_MISMATCH */
	uint32_t auth_stat;   /* RPC_AUTH_ERROR */
	/* RPC_MSG_ACCEPTED, set only by the decoder: the verifier, borrowed from its buffer */
	uint32_t verf_flavor;
	uint32_t verf_len;
	const uint8_t *verf;
};

void rpc_call_encode(struct writer *w, const struct rpc_call *call);
/* Leaves @r at the arguments. -EBADMSG when it is not a call or is truncated. rpcvers
 * other than 2 is not an error, but nothing after it is decoded: the caller answers
 * RPC_MISMATCH. */
int rpc_call_decode(struct rpc_call *call, struct reader *r);
void rpc_reply_encode(struct writer *w, const struct rpc_reply *reply);
/* Leaves @r at the results. -EBADMSG when it is not a reply or is truncated. */
int rpc_reply_decode(struct rpc_reply *reply, struct reader *r);
/* 0 for an accepted, successful reply; else sets the error text.
 * Errors: -EOPNOTSUPP program, version or procedure unavailable; -EACCES authentication;
 * -EINVAL GARBAGE_ARGS; -EREMOTEIO SYSTEM_ERR; -EPROTO anything else. */
int rpc_reply_check(const struct rpc_reply *reply);

#endif
