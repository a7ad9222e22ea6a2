/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Arguments of NFSv3 (RFC 1813 section 3.3) and MOUNT (appendix I), by our own writer: libnfs 4.0.0 checks
 * neither the maximum of a type nor the end of its buffer, and a build may be without it. */
#include "rpcrdma/nfs/nfs.h"

static ssize_t nfs3_args_end(const struct writer *w)
{
	if (w->bad)
		return err_set(ENOBUFS, "arguments of a call, room for %zu bytes", w->cap);
	return (ssize_t)w->len;
}

static int nfs3_args_handle(struct writer *w, const struct nfs_fh *fh)
{
	if (fh->len > NFS3_FH_MAX)
		return err_set(EINVAL, "file handle of %u bytes, %u at most", fh->len, NFS3_FH_MAX);
	writer_opaque(w, fh->data, fh->len);
	return 0;
}

/* Empty names and those beyond @max are refused: no server has such a file. */
static int nfs3_args_name(struct writer *w, const char *name, size_t max)
{
	size_t len = strlen(name);

	if (len == 0 || len > max)
		return err_set(EINVAL, "name of %zu bytes, 1 to %zu are possible", len, max);
	writer_opaque(w, name, (uint32_t)len);
	return 0;
}

ssize_t nfs3_args_fh(void *buf, size_t cap, const struct nfs_fh *fh)
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_handle(&w, fh);
	return rc ? rc : nfs3_args_end(&w);
}

ssize_t nfs3_args_lookup(void *buf, size_t cap, const struct nfs_fh *dir, const char *name)
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_handle(&w, dir);
	if (!rc)
		rc = nfs3_args_name(&w, name, NFS3_NAME_MAX);
	return rc ? rc : nfs3_args_end(&w);
}

ssize_t nfs3_args_read(void *buf, size_t cap, const struct nfs_fh *fh, uint64_t offset,
		       uint32_t count)
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_handle(&w, fh);
	writer_u64(&w, offset);
	writer_u32(&w, count);
	return rc ? rc : nfs3_args_end(&w);
}

/* createhow3, RFC 1813 section 3.3.8 */
#define CREATE_EXCLUSIVE 2

ssize_t nfs3_args_create(void *buf, size_t cap, const struct nfs_fh *dir, const char *name,
			 const uint8_t verifier[8])
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_handle(&w, dir);
	if (!rc)
		rc = nfs3_args_name(&w, name, NFS3_NAME_MAX);
	writer_u32(&w, CREATE_EXCLUSIVE);
	writer_bytes(&w, verifier, 8);
	return rc ? rc : nfs3_args_end(&w);
}

#define SET_TO_SERVER_TIME 1 /* time_how, section 2.6 */

ssize_t nfs3_args_set_mode(void *buf, size_t cap, const struct nfs_fh *fh, uint32_t mode)
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_handle(&w, fh);
	writer_bool(&w, true);
	writer_u32(&w, mode);
	writer_bool(&w, false); /* uid */
	writer_bool(&w, false); /* gid */
	writer_bool(&w, false); /* size */
	writer_u32(&w, SET_TO_SERVER_TIME);
	writer_u32(&w, SET_TO_SERVER_TIME);
	writer_bool(&w, false); /* no guard */
	return rc ? rc : nfs3_args_end(&w);
}

ssize_t nfs3_args_write(void *buf, size_t cap, const struct nfs_fh *fh, uint64_t offset,
			uint32_t count, uint32_t stable)
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_handle(&w, fh);
	writer_u64(&w, offset);
	writer_u32(&w, count);
	writer_u32(&w, stable);
	writer_u32(&w, count); /* of the opaque */
	return rc ? rc : nfs3_args_end(&w);
}

ssize_t nfs3_args_commit(void *buf, size_t cap, const struct nfs_fh *fh)
{
	/* offset and count 0: all of it */
	return nfs3_args_read(buf, cap, fh, 0, 0);
}

ssize_t nfs3_args_readdirplus(void *buf, size_t cap, const struct nfs3_readdirplus *args)
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_handle(&w, &args->dir);
	writer_u64(&w, args->cookie);
	writer_bytes(&w, args->cookieverf, sizeof(args->cookieverf));
	writer_u32(&w, args->dircount);
	writer_u32(&w, args->maxcount);
	return rc ? rc : nfs3_args_end(&w);
}

ssize_t mount3_args_mnt(void *buf, size_t cap, const char *path)
{
	struct writer w;
	int rc;

	writer_init(&w, buf, cap);
	rc = nfs3_args_name(&w, path, MOUNT3_PATH_MAX);
	return rc ? rc : nfs3_args_end(&w);
}
