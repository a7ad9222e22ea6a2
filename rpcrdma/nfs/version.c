/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The supported versions of NFS, and what their statuses have in common: NFSv4 kept NFSv3's
 * numbers and added others from 10009 (RFC 7530 section 13.1). */
#include "rpcrdma/nfs/version-internal.h"

const struct nfs_version *const nfs_versions[] = {
	&nfs4_version_2, &nfs4_version_1, &nfs4_version_0, &nfs3_version, NULL,
};

const struct nfs_version *nfs_version_find(const char *name)
{
	size_t i;

	for (i = 0; nfs_versions[i]; i++)
		if (!strcmp(nfs_versions[i]->name, name))
			return nfs_versions[i];
	return NULL;
}

bool nfs_status_is_later(uint32_t status)
{
	return status == NFS4ERR_DELAY || status == NFS4ERR_GRACE;
}

bool nfs_status_is_denied(uint32_t status)
{
	return status == NFS4ERR_PERM || status == NFS4ERR_ACCESS || status == NFS4ERR_WRONGSEC;
}
