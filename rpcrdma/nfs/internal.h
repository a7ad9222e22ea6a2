/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of rpcrdma/nfs: what its files share. nfs.h is what others may see. What the versions
 * of NFS share is in version-internal.h, because it needs nfs4.h, which has names that libnfs's
 * header of NFSv4 has too. */
#ifndef RPCRDMA_NFS_INTERNAL_H
#define RPCRDMA_NFS_INTERNAL_H

#include <sys/uio.h>

#include "rpcrdma/nfs/nfs.h"

/* rpc-tcp.c */

/* All of it, on a stream socket that may be blocking or not. @iov is used up.
 * Errors: -ETIMEDOUT, -ECONNRESET; rpc_tcp_send() also -EPIPE's cases as -ECONNRESET. */
int rpc_tcp_send(int fd, struct iovec *iov, size_t iovcnt, uint64_t deadline);
int rpc_tcp_recv(int fd, void *buf, size_t len, uint64_t deadline);

/* reference-child.c */

#define REFERENCE_SOCK     3 /* where the child has its two descriptors */
#define REFERENCE_PAIR     4
#define REFERENCE_TEXT_MAX 256

/* What the parent asks and the child answers, over a socket pair, both of one build. */
struct reference_request {
	struct nfs_fh fh;
	uint32_t count;
	uint64_t offset;
};

struct reference_answer {
	int32_t rc; /* 0, or -EIO with its text */
	uint32_t status;
	uint32_t count; /* so many bytes follow */
	uint32_t eof;
	uint32_t gone; /* the connection is lost: ask no more */
	char text[REFERENCE_TEXT_MAX];
};

/* Never returns: serves until the other end of @pair is closed. Closes all descriptors but
 * these two and gives up what may be given up. @vers: of NFS. @parent is who must be alive. */
void reference_child(int sock, int pair, const struct rpc_cred *cred, uint32_t vers,
		     pid_t parent) __attribute__((noreturn));

/* reference-libnfs.c: the only code that lets libnfs decode */

/* One READ by the server at REFERENCE_SOCK, answered to REFERENCE_PAIR. */
void reference_libnfs_read(const struct reference_request *request,
			   const struct rpc_cred *cred, uint32_t vers);

#endif
