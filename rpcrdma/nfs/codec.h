/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the client reads and the embedded server writes, or the reverse, by one list for both. */
#ifndef RPCRDMA_NFS_CODEC_H
#define RPCRDMA_NFS_CODEC_H

#include "rpcrdma/nfs/nfs.h"
#include "rpcrdma/nfs/nfs4.h"

/* A handle of at most @max bytes; a longer one makes the reader bad, and @fh empty. */
void nfs_get_fh(struct reader *r, uint32_t max, struct nfs_fh *fh);
void nfs_put_fh(struct writer *w, const struct nfs_fh *fh);

/* fattr3. A type that does not exist makes the reader bad. */
void nfs3_get_attr(struct reader *r, struct nfs_attr *attr);
void nfs3_put_attr(struct writer *w, const struct nfs_attr *attr);

#define NFS4_ATTR_WORDS 3
#define NFS4_BITMAP_MAX 8 /* words that are read of a server's bitmap */

struct nfs4_bitmap {
	uint32_t word[NFS4_ATTR_WORDS];
	bool beyond; /* it had more */
};

/* Drops words beyond NFS4_ATTR_WORDS. */
void nfs4_get_bitmap(struct reader *r, struct nfs4_bitmap *bitmap);
/* Trailing zero words are omitted. */
void nfs4_put_bitmap(struct writer *w, const struct nfs4_bitmap *bitmap);
bool nfs4_bitmap_has(const struct nfs4_bitmap *bitmap, unsigned int attr);
void nfs4_bitmap_add(struct nfs4_bitmap *bitmap, unsigned int attr);

/* The values of fattr4 that are not the same for all files of all our servers. */
struct nfs4_attrs {
	struct nfs4_bitmap present; /* read */
	struct nfs4_bitmap supported, exclusive;
	struct nfs_attr attr;
	bool unmapped; /* uid or gid is not a number, and UINT32_MAX */
	struct nfs_fh fh;
	uint64_t maxread, maxwrite;
	uint64_t available, space_free, space_total, files_free, files_total;
	uint32_t lease_seconds, rdattr_error;
	struct nfs_time time_delta;
};

/* Whether it can be read in this minor version. */
bool nfs4_attr_is_supported(uint32_t minor, unsigned int attr);
uint64_t nfs4_change_of(const struct nfs_attr *attr);
/* The values of these attributes, in the order of their numbers; the reader becomes bad at one
 * that is unknown. */
void nfs4_get_values(struct reader *r, const struct nfs4_bitmap *present, struct nfs4_attrs *attrs);
/* fattr4, of attributes that nfs4_attr_is_supported(). */
void nfs4_put_attrs(struct writer *w, const struct nfs4_attrs *attrs,
		    const struct nfs4_bitmap *present);
/* Reads fattr4; @r is bad afterwards if it has attributes that were not requested. attr.used is
 * the size, if the server has no value. */
void nfs4_get_attrs(struct reader *r, const struct nfs4_bitmap *asked, struct nfs4_attrs *attrs);

#endif
