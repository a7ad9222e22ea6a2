/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The row of NFSv3 (RFC 1813): each operation is one procedure, whose arguments and results are
 * those of nfs3-args.c and nfs3-results.c. */
#include "rpcrdma/nfs/version-internal.h"

/* Bytes of an RPC reply with AUTH_NONE's verifier, and of a post_op_attr that follows. */
#define RPC_HEAD  24
#define ATTR_SIZE 88

static ssize_t encode_fh(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_fh(buf, cap, &q->fh);
}

static ssize_t encode_lookup(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_lookup(buf, cap, &q->fh, q->name);
}

static ssize_t encode_read(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_read(buf, cap, &q->fh, q->offset, q->count);
}

static ssize_t encode_readdir(const struct nfs_request *q, void *buf, size_t cap)
{
	return nfs3_args_readdirplus(buf, cap, &q->fh, q->cookie, q->verifier,
				     q->dircount, q->maxcount);
}

/* Arguments of a decoder besides the result. */
struct decoding {
	bool reduced;
	nfs_entry_fn fn;
	void *arg;
};

static int decode_getattr(struct nfs_result *result, struct reader *r,
			  const struct decoding *d)
{
	struct nfs3_getattr_res res;
	int rc = nfs3_res_getattr(&res, r);

	(void)d;
	result->status = res.status;
	result->has_attr = res.status == NFS3_STATUS_OK;
	result->attr = res.attr;
	return rc;
}

static int decode_lookup(struct nfs_result *result, struct reader *r,
			 const struct decoding *d)
{
	struct nfs3_lookup_res res;
	int rc = nfs3_res_lookup(&res, r);

	(void)d;
	result->status = res.status;
	result->has_attr = res.has_attr;
	result->attr = res.attr;
	result->fh = res.fh;
	return rc;
}

static void take_data(struct nfs_result *result, const struct nfs3_read_res *res)
{
	result->status = res->status;
	result->has_attr = res->has_attr;
	result->attr = res->attr;
	result->read.len = res->data_len;
	result->read.eof = res->eof;
	result->read.bytes = res->data;
	result->read_count = res->count;
}

static int decode_read(struct nfs_result *result, struct reader *r,
		       const struct decoding *d)
{
	struct nfs3_read_res res;
	int rc = nfs3_res_read(&res, r, d->reduced);

	take_data(result, &res);
	return rc;
}

static int decode_readlink(struct nfs_result *result, struct reader *r,
			   const struct decoding *d)
{
	struct nfs3_read_res res;
	int rc = nfs3_res_readlink(&res, r, d->reduced);

	take_data(result, &res);
	return rc;
}

static int decode_readdir(struct nfs_result *result, struct reader *r,
			  const struct decoding *d)
{
	int rc = nfs3_res_readdirplus(&result->dir, r, d->fn, d->arg);

	result->status = result->dir.status;
	return rc;
}

static int decode_limits(struct nfs_result *result, struct reader *r,
			 const struct decoding *d)
{
	struct nfs3_fsinfo_res res;
	int rc = nfs3_res_fsinfo(&res, r);

	(void)d;
	result->status = res.status;
	result->rtmax = res.rtmax;
	result->rtpref = res.rtpref;
	return rc;
}

/* Operations of NFSv4 alone are blank. */
static const struct {
	enum nfs3_proc proc;
	ssize_t (*encode)(const struct nfs_request *q, void *buf, size_t cap);
	int (*decode)(struct nfs_result *result, struct reader *r,
		      const struct decoding *d);
} operations[NFS_OP_COUNT] = {
	[NFS_OP_GETATTR] = { NFS3_GETATTR, encode_fh, decode_getattr },
	[NFS_OP_LOOKUP] = { NFS3_LOOKUP, encode_lookup, decode_lookup },
	[NFS_OP_READLINK] = { NFS3_READLINK, encode_fh, decode_readlink },
	[NFS_OP_READ] = { NFS3_READ, encode_read, decode_read },
	[NFS_OP_READDIR] = { NFS3_READDIRPLUS, encode_readdir, decode_readdir },
	[NFS_OP_LIMITS] = { NFS3_FSINFO, encode_fh, decode_limits },
};

static uint32_t proc_of(enum nfs_op op)
{
	return operations[op].proc;
}

static int not_there(enum nfs_op op)
{
	return err_set(EOPNOTSUPP, "NFSv3 has no operation for request %d", op);
}

static ssize_t encode(const struct nfs_version *version,
		      const struct nfs_request *request, void *buf, size_t cap)
{
	(void)version;
	if (!operations[request->op].encode)
		return not_there(request->op);
	return operations[request->op].encode(request, buf, cap);
}

static int decode(const struct nfs_version *version, const struct nfs_request *request,
		  struct reader *r, bool reduced, struct nfs_result *result,
		  nfs_entry_fn fn, void *arg)
{
	struct decoding d = { .reduced = reduced, .fn = fn, .arg = arg };

	(void)version;
	memset(result, 0, sizeof(*result));
	if (!operations[request->op].decode)
		return not_there(request->op);
	return operations[request->op].decode(result, r, &d);
}

const struct nfs_version nfs3_version = {
	.name = "3",
	.vers = 3,
	.read_head = RPC_HEAD + 4 + ATTR_SIZE + 4 + 4 + 4,
	.readlink_head = RPC_HEAD + 4 + ATTR_SIZE + 4,
	/* RFC 1813 section 3.3.17 counts the whole READDIRPLUS3resok, Linux counts neither the
	 * directory's attributes nor the verifier. */
	.readdir_head = RPC_HEAD + 4 + ATTR_SIZE + 8,
	.proc = proc_of,
	.encode = encode,
	.decode = decode,
	.status_text = nfs3_status_text,
};
