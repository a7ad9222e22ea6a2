/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The row of NFSv3 (RFC 1813): each operation is one procedure, whose arguments and results are
 * those of nfs3-args.c and nfs3-results.c. */
#include "rpcrdma/nfs/version-internal.h"

/* Bytes of an RPC reply with AUTH_NONE's verifier, and of a post_op_attr that follows. */
#define RPC_HEAD  24
#define ATTR_SIZE 88

static ssize_t nfs3_encode_fh(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_fh(buf, cap, &q->fh);
}

static ssize_t nfs3_encode_lookup(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_lookup(buf, cap, &q->fh, q->name);
}

static ssize_t nfs3_encode_read(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_read(buf, cap, &q->fh, q->offset, q->count);
}

static ssize_t nfs3_encode_readdir(const struct nfs_request *q, void *buf, size_t cap)
{
	struct nfs3_readdirplus args = {
		.dir = q->fh, .cookie = q->cookie, .dircount = q->dircount, .maxcount = q->maxcount
	};

	memcpy(args.cookieverf, q->verifier, sizeof(args.cookieverf));
	return nfs3_args_readdirplus(buf, cap, &args);
}

static ssize_t nfs3_encode_create(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_create(buf, cap, &q->fh, q->name, q->verifier);
}

static ssize_t nfs3_encode_set_mode(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_set_mode(buf, cap, &q->fh, q->mode);
}

static ssize_t nfs3_encode_write(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_write(buf, cap, &q->fh, q->offset, q->count, q->stable);
}

static ssize_t nfs3_encode_commit(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_commit(buf, cap, &q->fh);
}

static int nfs3_decode_getattr(struct nfs_result *result, struct reader *r,
			       const struct nfs_request *q, bool reduced)
{
	struct nfs3_getattr_res res;
	int rc = nfs3_res_getattr(&res, r);

	(void)q, (void)reduced;
	result->status = res.status;
	result->has_attr = res.status == NFS3_STATUS_OK;
	result->attr = res.attr;
	return rc;
}

static int nfs3_decode_lookup(struct nfs_result *result, struct reader *r,
			      const struct nfs_request *q, bool reduced)
{
	struct nfs3_lookup_res res;
	int rc = nfs3_res_lookup(&res, r);

	(void)q, (void)reduced;
	result->status = res.status;
	result->has_attr = res.has_attr;
	result->attr = res.attr;
	result->fh = res.fh;
	return rc;
}

static int nfs3_take_data(struct nfs_result *result, const struct nfs3_read_res *res, int rc)
{
	result->status = res->status;
	result->has_attr = res->has_attr;
	result->attr = res->attr;
	result->read.len = res->data_len;
	result->read.eof = res->eof;
	result->read.bytes = res->data;
	result->read_count = res->count;
	return rc;
}

static int nfs3_decode_readdir(struct nfs_result *result, struct reader *r,
			       const struct nfs_request *q, bool reduced)
{
	int rc = nfs3_res_readdirplus(&result->dir, r, q->entry, q->entry_arg);

	(void)reduced;
	result->status = result->dir.status;
	return rc;
}

static int nfs3_decode_limits(struct nfs_result *result, struct reader *r,
			      const struct nfs_request *q, bool reduced)
{
	struct nfs3_fsinfo_res res;
	int rc = nfs3_res_fsinfo(&res, r);

	(void)q, (void)reduced;
	result->status = res.status;
	result->rtmax = res.rtmax;
	result->rtpref = res.rtpref;
	result->wtmax = res.wtmax;
	return rc;
}

static int nfs3_decode_space(struct nfs_result *result, struct reader *r,
			     const struct nfs_request *q, bool reduced)
{
	(void)q, (void)reduced;
	return nfs3_res_fsstat(&result->status, &result->space, r);
}

static int nfs3_take_change(struct nfs_result *result, const struct nfs3_change_res *res, int rc)
{
	result->status = res->status;
	result->has_attr = res->has_attr;
	result->attr = res->attr;
	result->fh = res->fh;
	result->written = res->count;
	result->committed = res->committed;
	memcpy(result->verifier, res->verifier, sizeof(result->verifier));
	return rc;
}

/* Operations of NFSv4 alone are blank. */
static const struct {
	enum nfs3_proc proc;
	ssize_t (*encode)(const struct nfs_request *q, void *buf, size_t cap);
	int (*decode)(struct nfs_result *result, struct reader *r, const struct nfs_request *q,
		      bool reduced);
	/* Instead of it */
	int (*read)(struct nfs3_read_res *res, struct reader *r, bool reduced);
	int (*change)(struct nfs3_change_res *res, struct reader *r);
} nfs3_operations[NFS_OP_COUNT] = {
	[NFS_OP_GETATTR] = { NFS3_GETATTR, nfs3_encode_fh, nfs3_decode_getattr, NULL, NULL },
	[NFS_OP_LOOKUP] = { NFS3_LOOKUP, nfs3_encode_lookup, nfs3_decode_lookup, NULL, NULL },
	[NFS_OP_READLINK] = { NFS3_READLINK, nfs3_encode_fh, NULL, nfs3_res_readlink, NULL },
	[NFS_OP_READ] = { NFS3_READ, nfs3_encode_read, NULL, nfs3_res_read, NULL },
	[NFS_OP_READDIR] = { NFS3_READDIRPLUS, nfs3_encode_readdir, nfs3_decode_readdir, NULL,
			     NULL },
	[NFS_OP_LIMITS] = { NFS3_FSINFO, nfs3_encode_fh, nfs3_decode_limits, NULL, NULL },
	[NFS_OP_SPACE] = { NFS3_FSSTAT, nfs3_encode_fh, nfs3_decode_space, NULL, NULL },
	[NFS_OP_CREATE] = { NFS3_CREATE, nfs3_encode_create, NULL, NULL, nfs3_res_create },
	[NFS_OP_SET_MODE] = { NFS3_SETATTR, nfs3_encode_set_mode, NULL, NULL, nfs3_res_change },
	[NFS_OP_WRITE] = { NFS3_WRITE, nfs3_encode_write, NULL, NULL, nfs3_res_write },
	[NFS_OP_COMMIT] = { NFS3_COMMIT, nfs3_encode_commit, NULL, NULL, nfs3_res_commit },
	[NFS_OP_REMOVE] = { NFS3_REMOVE, nfs3_encode_lookup, NULL, NULL, nfs3_res_change },
};

static uint32_t nfs3_proc(enum nfs_op op)
{
	return nfs3_operations[op].proc;
}

static int nfs3_has_no(enum nfs_op op)
{
	return err_set(EOPNOTSUPP, "NFSv3 has no operation for request %d", op);
}

static ssize_t nfs3_encode(const struct nfs_version *version, const struct nfs_request *request,
			   void *buf, size_t cap)
{
	(void)version;
	if (!nfs3_operations[request->op].encode)
		return nfs3_has_no(request->op);
	return nfs3_operations[request->op].encode(request, buf, cap);
}

static int nfs3_decode(const struct nfs_version *version, const struct nfs_request *request,
		       struct reader *r, bool reduced, struct nfs_result *result)
{
	struct nfs3_change_res change;
	struct nfs3_read_res read;

	(void)version;
	memset(result, 0, sizeof(*result));
	if (nfs3_operations[request->op].read)
		return nfs3_take_data(result, &read,
				      nfs3_operations[request->op].read(&read, r, reduced));
	if (nfs3_operations[request->op].change)
		return nfs3_take_change(result, &change,
					nfs3_operations[request->op].change(&change, r));
	if (!nfs3_operations[request->op].decode)
		return nfs3_has_no(request->op);
	return nfs3_operations[request->op].decode(result, r, request, reduced);
}

const struct nfs_version nfs3_version = {
	.name = "3",
	.vers = 3,
	.read_head = RPC_HEAD + 4 + ATTR_SIZE + 4 + 4 + 4,
	.readlink_head = RPC_HEAD + 4 + ATTR_SIZE + 4,
	/* RFC 1813 section 3.3.17 counts the whole READDIRPLUS3resok, Linux counts neither the
	 * directory's attributes nor the verifier. */
	.readdir_head = RPC_HEAD + 4 + ATTR_SIZE + 8,
	.proc = nfs3_proc,
	.encode = nfs3_encode,
	.decode = nfs3_decode,
	.status_text = nfs3_status_text,
};
