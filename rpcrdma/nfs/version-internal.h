/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The rows that version.h describes, and the codecs of NFSv4's. */
#ifndef RPCRDMA_NFS_VERSION_INTERNAL_H
#define RPCRDMA_NFS_VERSION_INTERNAL_H

#include "rpcrdma/nfs/codec.h"
#include "rpcrdma/nfs/version.h"

/* nfs3-version.c */

extern const struct nfs_version nfs3_version;

/* nfs4-version.c */

extern const struct nfs_version nfs4_version_0, nfs4_version_1, nfs4_version_2;

/* The operations of a request, without SEQUENCE; 0 ends a shorter list. */
struct nfs4_compound {
	uint8_t ops[5];
	struct nfs4_bitmap attrs; /* requested by its GETATTR or READDIR */
};

const struct nfs4_compound *nfs4_compound_of(enum nfs_op op);
/* Their number, and operation @i, including the version's SEQUENCE. */
uint32_t nfs4_compound_count(const struct nfs_version *version,
			     const struct nfs4_compound *compound);
uint32_t nfs4_compound_op(const struct nfs_version *version, const struct nfs4_compound *compound,
			  uint32_t i);

/* nfs4-args.c */

ssize_t nfs4_args_encode(const struct nfs_version *version, const struct nfs_request *request,
			 void *buf, size_t cap);
/* Writes everything before the first operation; the caller writes the operations' numbers and
 * arguments. */
void nfs4_args_begin(struct writer *w, uint32_t minor, uint32_t operations);
void nfs4_args_sequence(struct writer *w, const struct nfs4_sequence *sequence);
/* The length, or -ENOBUFS. */
ssize_t nfs4_args_end(const struct writer *w);

/* nfs4-results.c */

int nfs4_results_decode(const struct nfs_version *version, const struct nfs_request *request,
			struct reader *r, bool reduced, struct nfs_result *result);

struct nfs4_head {
	uint32_t status;
	uint32_t operations;
};

void nfs4_results_begin(struct nfs4_head *head, struct reader *r);
/* Reads operation and status of the next result. -EBADMSG if the operation is not @asked. */
int nfs4_operation_read(uint32_t asked, uint32_t *status, struct reader *r);
/* After the last result: is their number @asked, and the status that of the last one? */
int nfs4_results_check(const struct nfs4_head *head, uint32_t asked, uint32_t last_status,
		       const struct reader *r);
/* -EBADMSG if the reader is bad. */
int nfs4_results_end(const struct reader *r, const char *what);

/* nfs4-text.c */

/* "NFS4ERR_GRACE", "NFS4ERR 12345" (this thread's, until the next call). */
const char *nfs4_status_text(uint32_t status);

#endif
