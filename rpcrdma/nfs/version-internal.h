/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of what version.h describes: the rows, and the codecs under those of NFSv4. */
#ifndef RPCRDMA_NFS_VERSION_INTERNAL_H
#define RPCRDMA_NFS_VERSION_INTERNAL_H

#include "rpcrdma/nfs/version.h"

/* nfs3-version.c */

extern const struct nfs_version nfs3_version;

/* nfs4-version.c */

extern const struct nfs_version nfs4_version_0, nfs4_version_1, nfs4_version_2;

#define NFS4_ATTR_WORDS 2 /* of a bitmap4: what is asked has no number over 63 */
#define NFS4_BITMAP_MAX 8 /* and so many words are read of a server's */

/* The operations of a request, without SEQUENCE; 0 ends where there are fewer. */
struct nfs4_compound {
	uint8_t ops[4];
	uint32_t attrs[NFS4_ATTR_WORDS]; /* that its GETATTR or READDIR asks for */
};

const struct nfs4_compound *nfs4_compound_of(enum nfs_op op);
/* How many, and which is @i, with the version's SEQUENCE. */
uint32_t nfs4_compound_count(const struct nfs_version *version,
			     const struct nfs4_compound *compound);
uint32_t nfs4_compound_op(const struct nfs_version *version,
			  const struct nfs4_compound *compound, uint32_t i);

/* nfs4-args.c */

ssize_t nfs4_args_encode(const struct nfs_version *version,
			 const struct nfs_request *request, void *buf, size_t cap);
/* Up to the first operation, which and whose arguments the caller writes. */
void nfs4_args_begin(struct writer *w, uint32_t minor, uint32_t operations);
void nfs4_args_sequence(struct writer *w, const struct nfs4_sequence *sequence);
/* The length, or -ENOBUFS. */
ssize_t nfs4_args_end(const struct writer *w);

/* nfs4-attrs.c */

struct nfs4_attrs {
	uint32_t present[NFS4_ATTR_WORDS];
	struct nfs_attr attr; /* used: size, where the server does not say */
	uint32_t rdattr_error;
	struct nfs_fh fh;
	uint64_t maxread;
	uint32_t lease_seconds;
};

/* fattr4; @r is bad afterwards where it has what was not asked for. */
void nfs4_attrs_read(struct nfs4_attrs *attrs, const uint32_t asked[NFS4_ATTR_WORDS],
		     struct reader *r);
bool nfs4_attrs_has(const struct nfs4_attrs *attrs, enum fattr4 number);

/* nfs4-results.c */

int nfs4_results_decode(const struct nfs_version *version,
			const struct nfs_request *request, struct reader *r, bool reduced,
			struct nfs_result *result, nfs_entry_fn fn, void *arg);

struct nfs4_head {
	uint32_t status;
	uint32_t operations;
};

void nfs4_results_begin(struct nfs4_head *head, struct reader *r);
/* Operation and status of the next result. -EBADMSG where it is not that of @asked. */
int nfs4_operation_read(uint32_t asked, uint32_t *status, struct reader *r);
/* Behind the last of them: is their number that of @asked, and the status the last one's? */
int nfs4_results_check(const struct nfs4_head *head, uint32_t asked, uint32_t last_status,
		       const struct reader *r);
/* -EBADMSG where the reader is bad. */
int nfs4_results_end(const struct reader *r, const char *what);
void nfs4_fh_read(struct nfs_fh *fh, struct reader *r);

/* nfs4-text.c */

/* "NFS4ERR_GRACE", "NFS4ERR 12345" (this thread's, until the next call). */
const char *nfs4_status_text(uint32_t status);

#endif
