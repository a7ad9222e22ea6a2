/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Results of NFSv3 (RFC 1813 section 3.3) and MOUNT (appendix I), from an untrusted peer. Relies
 * on the reader of rpcrdma/wire, which stores its end and stays bad once overrun, so that each
 * decoder needs only one check at its end.
 *
 * Bytes after a result are left in the reader for the caller to check. */
#include <stdio.h>

#include "rpcrdma/nfs/codec.h"

/* RFC 1813 section 2.6. */
static const struct {
	uint32_t status;
	const char *name;
} nfs3_status_names[] = {
	{ 0, "NFS3_OK" },
	{ 1, "NFS3ERR_PERM" },
	{ 2, "NFS3ERR_NOENT" },
	{ 5, "NFS3ERR_IO" },
	{ 6, "NFS3ERR_NXIO" },
	{ 13, "NFS3ERR_ACCES" },
	{ 17, "NFS3ERR_EXIST" },
	{ 18, "NFS3ERR_XDEV" },
	{ 19, "NFS3ERR_NODEV" },
	{ 20, "NFS3ERR_NOTDIR" },
	{ 21, "NFS3ERR_ISDIR" },
	{ 22, "NFS3ERR_INVAL" },
	{ 27, "NFS3ERR_FBIG" },
	{ 28, "NFS3ERR_NOSPC" },
	{ 30, "NFS3ERR_ROFS" },
	{ 31, "NFS3ERR_MLINK" },
	{ 63, "NFS3ERR_NAMETOOLONG" },
	{ 66, "NFS3ERR_NOTEMPTY" },
	{ 69, "NFS3ERR_DQUOT" },
	{ 70, "NFS3ERR_STALE" },
	{ 71, "NFS3ERR_REMOTE" },
	{ 10001, "NFS3ERR_BADHANDLE" },
	{ 10002, "NFS3ERR_NOT_SYNC" },
	{ 10003, "NFS3ERR_BAD_COOKIE" },
	{ 10004, "NFS3ERR_NOTSUPP" },
	{ 10005, "NFS3ERR_TOOSMALL" },
	{ 10006, "NFS3ERR_SERVERFAULT" },
	{ 10007, "NFS3ERR_BADTYPE" },
	{ 10008, "NFS3ERR_JUKEBOX" },
};

const char *nfs3_status_text(uint32_t status)
{
	static _Thread_local char other[sizeof("NFS3ERR 4294967295")];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nfs3_status_names); i++)
		if (nfs3_status_names[i].status == status)
			return nfs3_status_names[i].name;
	snprintf(other, sizeof(other), "NFS3ERR %u", status);
	return other;
}

static int nfs3_result_end(const struct reader *r, const char *proc)
{
	if (r->bad)
		return err_set(EBADMSG, "%s result is cut short or malformed", proc);
	return 0;
}

/* post_op_attr */
static bool nfs3_read_post_op_attr(struct nfs_attr *attr, struct reader *r)
{
	if (!reader_bool(r))
		return false;
	nfs3_get_attr(r, attr);
	return true;
}

static void nfs3_skip_post_op_attr(struct reader *r)
{
	struct nfs_attr attr;

	nfs3_read_post_op_attr(&attr, r);
}

int nfs3_res_getattr(struct nfs3_getattr_res *res, struct reader *r)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	if (res->status == NFS3_STATUS_OK)
		nfs3_get_attr(r, &res->attr);
	return nfs3_result_end(r, "GETATTR");
}

int nfs3_res_lookup(struct nfs3_lookup_res *res, struct reader *r)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	if (res->status == NFS3_STATUS_OK) {
		nfs_get_fh(r, NFS3_FH_MAX, &res->fh);
		res->has_attr = nfs3_read_post_op_attr(&res->attr, r);
	}
	nfs3_skip_post_op_attr(r); /* of the directory */
	return nfs3_result_end(r, "LOOKUP");
}

int nfs3_res_fsinfo(struct nfs3_fsinfo_res *res, struct reader *r)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	nfs3_skip_post_op_attr(r);
	if (res->status == NFS3_STATUS_OK) {
		res->rtmax = reader_u32(r);
		res->rtpref = reader_u32(r);
		res->rtmult = reader_u32(r);
		res->wtmax = reader_u32(r);
		res->wtpref = reader_u32(r);
		res->wtmult = reader_u32(r);
		res->dtpref = reader_u32(r);
		res->maxfilesize = reader_u64(r);
		reader_u64(r); /* time_delta */
		res->properties = reader_u32(r);
	}
	return nfs3_result_end(r, "FSINFO");
}

int nfs3_res_fsstat(uint32_t *status, uint64_t *available, struct reader *r)
{
	*status = reader_u32(r);
	*available = 0;
	nfs3_skip_post_op_attr(r);
	if (*status == NFS3_STATUS_OK) {
		reader_u64(r); /* tbytes */
		reader_u64(r); /* fbytes */
		*available = reader_u64(r);
		reader_bytes(r, 3 * 8 + 4); /* files, invarsec */
	}
	return nfs3_result_end(r, "FSSTAT");
}

/* wcc_data */
static void nfs3_read_wcc(struct nfs3_change_res *res, struct reader *r)
{
	if (reader_bool(r))
		reader_bytes(r, 8 + 8 + 8); /* pre_op_attr: size, mtime, ctime */
	res->has_attr = nfs3_read_post_op_attr(&res->attr, r);
}

static void nfs3_read_verifier(struct nfs3_change_res *res, struct reader *r)
{
	const uint8_t *verifier = reader_bytes(r, sizeof(res->verifier));

	if (verifier)
		memcpy(res->verifier, verifier, sizeof(res->verifier));
}

int nfs3_res_change(struct nfs3_change_res *res, struct reader *r)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	nfs3_read_wcc(res, r);
	return nfs3_result_end(r, "SETATTR or REMOVE");
}

int nfs3_res_create(struct nfs3_change_res *res, struct reader *r)
{
	struct nfs3_change_res dir;

	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	if (res->status == NFS3_STATUS_OK) {
		if (reader_bool(r))
			nfs_get_fh(r, NFS3_FH_MAX, &res->fh);
		res->has_attr = nfs3_read_post_op_attr(&res->attr, r);
	}
	nfs3_read_wcc(&dir, r);
	return nfs3_result_end(r, "CREATE");
}

int nfs3_res_write(struct nfs3_change_res *res, struct reader *r)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	nfs3_read_wcc(res, r);
	if (res->status == NFS3_STATUS_OK) {
		res->count = reader_u32(r);
		res->committed = reader_u32(r);
		nfs3_read_verifier(res, r);
	}
	return nfs3_result_end(r, "WRITE");
}

int nfs3_res_commit(struct nfs3_change_res *res, struct reader *r)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	nfs3_read_wcc(res, r);
	if (res->status == NFS3_STATUS_OK)
		nfs3_read_verifier(res, r);
	return nfs3_result_end(r, "COMMIT");
}

/* The data of READ and READLINK, at most @max bytes of them. */
static void nfs3_read_data(struct nfs3_read_res *res, struct reader *r, uint32_t max, bool reduced)
{
	if (!reduced) {
		res->data = reader_opaque(r, max, &res->data_len);
		return;
	}
	res->data_len = reader_u32(r);
	if (res->data_len > max)
		r->bad = true;
}

int nfs3_res_read(struct nfs3_read_res *res, struct reader *r, bool reduced)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	res->has_attr = nfs3_read_post_op_attr(&res->attr, r);
	if (res->status == NFS3_STATUS_OK) {
		res->count = reader_u32(r);
		res->eof = reader_bool(r);
		nfs3_read_data(res, r, UINT32_MAX, reduced);
	}
	return nfs3_result_end(r, "READ");
}

int nfs3_res_readlink(struct nfs3_read_res *res, struct reader *r, bool reduced)
{
	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	res->has_attr = nfs3_read_post_op_attr(&res->attr, r);
	if (res->status == NFS3_STATUS_OK)
		nfs3_read_data(res, r, NFS3_PATH_MAX, reduced);
	return nfs3_result_end(r, "READLINK");
}

/* entryplus3, without the preceding value_follows word */
static void nfs3_read_entry(struct nfs_entry *entry, struct reader *r)
{
	memset(entry, 0, sizeof(*entry));
	entry->fileid = reader_u64(r);
	entry->name = (const char *)reader_opaque(r, NFS3_NAME_MAX, &entry->name_len);
	entry->cookie = reader_u64(r);
	entry->has_attr = nfs3_read_post_op_attr(&entry->attr, r);
	entry->has_fh = reader_bool(r);
	if (entry->has_fh)
		nfs_get_fh(r, NFS3_FH_MAX, &entry->fh);
}

int nfs3_res_readdirplus(struct nfs3_readdir_res *res, struct reader *r, nfs_entry_fn fn, void *arg)
{
	struct nfs_entry entry;
	const uint8_t *verf;
	int rc;

	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	nfs3_skip_post_op_attr(r);
	if (res->status != NFS3_STATUS_OK)
		return nfs3_result_end(r, "READDIRPLUS");
	verf = reader_bytes(r, sizeof(res->cookieverf));
	if (verf)
		memcpy(res->cookieverf, verf, sizeof(res->cookieverf));
	/* An entry takes at least 32 bytes, and a truncated one makes the reader bad, so the length
	 * bounds the loop. */
	while (reader_bool(r)) {
		nfs3_read_entry(&entry, r);
		if (r->bad)
			break;
		res->entries++;
		res->last_cookie = entry.cookie;
		rc = fn ? fn(arg, &entry) : 0;
		if (rc)
			return rc;
	}
	res->eof = reader_bool(r);
	return nfs3_result_end(r, "READDIRPLUS");
}

int mount3_res_mnt(struct mount3_mnt_res *res, struct reader *r)
{
	uint32_t count, flavor, i;

	memset(res, 0, sizeof(*res));
	res->status = reader_u32(r);
	if (res->status == NFS3_STATUS_OK) {
		nfs_get_fh(r, NFS3_FH_MAX, &res->fh);
		count = reader_u32(r);
		for (i = 0; i < count && !r->bad; i++) {
			flavor = reader_u32(r);
			if (i < ARRAY_SIZE(res->flavors))
				res->flavors[i] = flavor;
		}
		res->nflavors = min_u32(count, ARRAY_SIZE(res->flavors));
	}
	return nfs3_result_end(r, "MOUNT");
}
