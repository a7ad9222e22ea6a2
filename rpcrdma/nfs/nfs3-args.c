/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Arguments of NFSv3 (RFC 1813 section 3.3) and MOUNT (appendix I), by libnfs's raw XDR.
 *
 * libnfs 4.0.0 checks neither the maximum of a type nor, for fixed opaques and padding, the end
 * of its buffer. So each length is checked here first, and the buffer passed to it is exactly as
 * long as the arguments. */
#include "rpcrdma/nfs/libnfs-compat.h"

static int args_begin(ZDR *zdr, void *buf, size_t cap, size_t need)
{
	if (need > cap)
		return err_set(ENOBUFS, "arguments of %zu bytes, room for %zu", need,
			       cap);
	zdrmem_create(zdr, buf, need, ZDR_ENCODE);
	return 0;
}

static ssize_t args_end(ZDR *zdr, bool encoded, size_t need)
{
	size_t len = zdr_getpos(zdr);

	zdr_destroy(zdr);
	if (!encoded || len != need)
		return err_set(EINVAL, "libnfs encoded %zu bytes of arguments out of %zu",
			       len, need);
	return (ssize_t)len;
}

/* Borrows @fh. */
static int args_handle(nfs_fh3 *to, const struct nfs_fh *fh)
{
	if (fh->len > NFS3_FH_MAX)
		return err_set(EINVAL, "file handle of %u bytes, %u at most", fh->len,
			       NFS3_FH_MAX);
	to->data.data_len = fh->len;
	to->data.data_val = (char *)fh->data;
	return 0;
}

/* Empty names and those beyond @max are refused: no server has such a file. */
static int args_name(char **to, const char *name, size_t max)
{
	size_t len = strlen(name);

	if (len == 0 || len > max)
		return err_set(EINVAL, "name of %zu bytes, 1 to %zu are possible", len,
			       max);
	*to = (char *)name;
	return 0;
}

static size_t opaque_size(size_t len)
{
	return 4 + xdr_pad4(len);
}

ssize_t nfs3_args_fh(void *buf, size_t cap, const struct nfs_fh *fh)
{
	GETATTR3args args;
	size_t need;
	ZDR zdr;
	int rc;

	rc = args_handle(&args.object, fh);
	if (rc)
		return rc;
	need = opaque_size(fh->len);
	rc = args_begin(&zdr, buf, cap, need);
	if (rc)
		return rc;
	return args_end(&zdr, zdr_GETATTR3args(&zdr, &args), need);
}

ssize_t nfs3_args_lookup(void *buf, size_t cap, const struct nfs_fh *dir,
			 const char *name)
{
	LOOKUP3args args;
	size_t need;
	ZDR zdr;
	int rc;

	rc = args_handle(&args.what.dir, dir);
	if (!rc)
		rc = args_name(&args.what.name, name, NFS3_NAME_MAX);
	if (rc)
		return rc;
	need = opaque_size(dir->len) + opaque_size(strlen(name));
	rc = args_begin(&zdr, buf, cap, need);
	if (rc)
		return rc;
	return args_end(&zdr, zdr_LOOKUP3args(&zdr, &args), need);
}

ssize_t nfs3_args_read(void *buf, size_t cap, const struct nfs_fh *fh, uint64_t offset,
		       uint32_t count)
{
	READ3args args = { .offset = offset, .count = count };
	size_t need;
	ZDR zdr;
	int rc;

	rc = args_handle(&args.file, fh);
	if (rc)
		return rc;
	need = opaque_size(fh->len) + 8 + 4;
	rc = args_begin(&zdr, buf, cap, need);
	if (rc)
		return rc;
	return args_end(&zdr, zdr_READ3args(&zdr, &args), need);
}

ssize_t nfs3_args_readdirplus(void *buf, size_t cap, const struct nfs_fh *dir,
			      uint64_t cookie, const uint8_t cookieverf[8],
			      uint32_t dircount, uint32_t maxcount)
{
	READDIRPLUS3args args = { .cookie = cookie,
				  .dircount = dircount,
				  .maxcount = maxcount };
	size_t need;
	ZDR zdr;
	int rc;

	rc = args_handle(&args.dir, dir);
	if (rc)
		return rc;
	memcpy(args.cookieverf, cookieverf, sizeof(args.cookieverf));
	need = opaque_size(dir->len) + 8 + sizeof(args.cookieverf) + 4 + 4;
	rc = args_begin(&zdr, buf, cap, need);
	if (rc)
		return rc;
	return args_end(&zdr, zdr_READDIRPLUS3args(&zdr, &args), need);
}

ssize_t mount3_args_mnt(void *buf, size_t cap, const char *path)
{
	dirpath args;
	size_t need;
	ZDR zdr;
	int rc;

	rc = args_name(&args, path, MNTPATHLEN);
	if (rc)
		return rc;
	need = opaque_size(strlen(path));
	rc = args_begin(&zdr, buf, cap, need);
	if (rc)
		return rc;
	return args_end(&zdr, zdr_dirpath(&zdr, &args), need);
}
