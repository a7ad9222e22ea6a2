/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Code shared by all exports: file handles.
 *
 * A handle is opaque to the client and untrusted when it returns (RFC 1813 section 2.3.3 leaves
 * its form to the server). It carries a verifier that is random per server, so that a handle from
 * before a restart is STALE, and a foreign one is BADHANDLE. */
#include "rpcrdma/server/internal.h"

#define HANDLE_MAGIC 0x6e667372 /* "nfsr" */
#define HANDLE_LEN   28
/* nfs-ganesha's version 0x43 and an export id; and a value that no known server sends. */
#define GANESHA_MAGIC 0x43000001
#define FOREIGN_MAGIC 0x80f0f0f0

int export_init(struct export *exp, const struct export_ops *ops)
{
	int rc = random_bytes(exp->verifier, sizeof(exp->verifier));

	exp->ops = ops;
	exp->magic = HANDLE_MAGIC;
	return rc ? err_context(rc, "file handles") : 0;
}

void export_disguise(struct export *exp, bool is_ganesha)
{
	exp->magic = is_ganesha ? GANESHA_MAGIC : FOREIGN_MAGIC;
	exp->is_ganesha = is_ganesha;
}

void export_restart(struct export *exp)
{
	exp->verifier[0]++;
}

void export_free(struct export *exp)
{
	if (exp)
		exp->ops->free(exp);
}

void export_handle(const struct export *exp, uint64_t a, uint64_t b, struct nfs_fh *fh)
{
	fh->len = HANDLE_LEN;
	put_be32(fh->data, exp->magic);
	memcpy(fh->data + 4, exp->verifier, sizeof(exp->verifier));
	put_be64(fh->data + 12, a);
	put_be64(fh->data + 20, b);
}

uint32_t export_handle_parse(const struct export *exp, const struct nfs_fh *fh, uint64_t *a,
			     uint64_t *b)
{
	if (fh->len != HANDLE_LEN || get_be32(fh->data) != exp->magic)
		return NFS3_STATUS_BADHANDLE;
	if (memcmp(fh->data + 4, exp->verifier, sizeof(exp->verifier)))
		return NFS3_STATUS_STALE;
	*a = get_be64(fh->data + 12);
	*b = get_be64(fh->data + 20);
	return NFS3_STATUS_OK;
}
