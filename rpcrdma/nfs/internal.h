/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Shared by the files of rpcrdma/nfs. nfs.h is the interface for others. Declarations that the
 * versions of NFS share are in version-internal.h, because it needs nfs4.h, which has names that
 * libnfs's header of NFSv4 has too. */
#ifndef RPCRDMA_NFS_INTERNAL_H
#define RPCRDMA_NFS_INTERNAL_H

#include "rpcrdma/nfs/nfs.h"

/* rpc-tcp.c */

/* Receives all bytes on a stream socket that may be blocking or not. Errors: -ETIMEDOUT,
 * -ECONNRESET. */
int rpc_tcp_recv(int fd, void *buf, size_t len, uint64_t deadline);

/* reference.c */

#define REFERENCE_TEXT_MAX 256

/* The first message to the child, with the connection. */
struct reference_start {
	struct rpc_cred cred;
	uint32_t vers; /* of NFS */
};

/* In the child. */
struct reference_task {
	int server;  /* a connection over TCP */
	int channel; /* to reference.c */
	const struct rpc_cred *cred;
	uint32_t vers; /* of NFS */
};

/* The parent's request and the child's answer, over a socket pair, both of one build. */
struct reference_request {
	struct nfs_fh fh;
	uint32_t count;
	uint64_t offset;
};

struct reference_answer {
	int32_t rc; /* 0, or -EIO with its text */
	uint32_t status;
	uint32_t count; /* bytes that follow */
	uint32_t eof;
	uint32_t lost; /* the connection is lost: send no more requests */
	char text[REFERENCE_TEXT_MAX];
};

/* reference-libnfs.c: the only code that lets libnfs decode; or reference-none.c */

/* One READ, answered to task->channel. */
void reference_libnfs_read(const struct reference_task *task,
			   const struct reference_request *request);

#endif
