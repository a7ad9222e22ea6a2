/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Arguments of NFSv4's COMPOUND (RFC 7531, RFC 5662, RFC 7863), by our own writer: libnfs 4.0.0
 * has no SEQUENCE. The tag is empty, as most clients send it. */
#include "rpcrdma/nfs/version-internal.h"

void nfs4_args_begin(struct writer *w, uint32_t minor, uint32_t operations)
{
	writer_u32(w, 0); /* tag */
	writer_u32(w, minor);
	writer_u32(w, operations);
}

ssize_t nfs4_args_end(const struct writer *w)
{
	if (w->bad)
		return err_set(ENOBUFS, "arguments of a COMPOUND, room for %zu bytes", w->cap);
	return (ssize_t)w->len;
}

void nfs4_args_sequence(struct writer *w, const struct nfs4_sequence *sequence)
{
	writer_u32(w, OP_SEQUENCE);
	writer_bytes(w, sequence->sessionid, sizeof(sequence->sessionid));
	writer_u32(w, sequence->sequenceid);
	writer_u32(w, sequence->slotid);
	writer_u32(w, sequence->highest_slotid);
	/* sa_cachethis: nothing here needs exactly-once semantics */
	writer_bool(w, false);
}

struct nfs4_encoding {
	const struct nfs_request *request;
	const struct nfs4_compound *compound;
	uint32_t reads; /* so far */
};

static void nfs4_encode_fh(struct writer *w, struct nfs4_encoding *e)
{
	nfs_put_fh(w, &e->request->fh);
}

static void nfs4_encode_name(struct writer *w, struct nfs4_encoding *e)
{
	writer_opaque(w, e->request->name, (uint32_t)strlen(e->request->name));
}

static void nfs4_encode_bitmap(struct writer *w, struct nfs4_encoding *e)
{
	nfs4_put_bitmap(w, &e->compound->attrs);
}

static void nfs4_encode_read(struct writer *w, struct nfs4_encoding *e)
{
	static const uint8_t anonymous[NFS4_STATEID_SIZE];
	const struct nfs_request *q = e->request;
	bool second = e->reads++;

	writer_bytes(w, anonymous, sizeof(anonymous));
	writer_u64(w, second ? q->offset2 : q->offset);
	writer_u32(w, second ? q->count2 : q->count);
}

static void nfs4_encode_readdir(struct writer *w, struct nfs4_encoding *e)
{
	const struct nfs_request *q = e->request;

	writer_u64(w, q->cookie);
	writer_bytes(w, q->verifier, sizeof(q->verifier));
	writer_u32(w, q->dircount);
	writer_u32(w, q->maxcount);
	nfs4_encode_bitmap(w, e);
}

/* The special "current stateid", RFC 8881 section 8.2.3. */
static void nfs4_encode_current_stateid(struct writer *w)
{
	static const uint8_t other[NFS4_STATEID_SIZE - 4];

	writer_u32(w, 1);
	writer_bytes(w, other, sizeof(other));
}

/* A regular file that is not there yet, or was made with this verifier (RFC 8881 section 18.16). */
static void nfs4_encode_open(struct writer *w, struct nfs4_encoding *e)
{
	static const char owner[] = "nfsrdma-probe";
	const struct nfs_request *q = e->request;

	writer_u32(w, 0); /* seqid, not used with sessions */
	writer_u32(w, OPEN4_SHARE_ACCESS_BOTH | OPEN4_SHARE_ACCESS_WANT_NO_DELEG);
	writer_u32(w, 0); /* no deny */
	writer_u64(w, 0); /* clientid: the session's */
	writer_opaque(w, owner, sizeof(owner) - 1);
	writer_u32(w, OPEN4_CREATE);
	writer_u32(w, EXCLUSIVE4_1);
	writer_bytes(w, q->verifier, sizeof(q->verifier));
	writer_u32(w, 2); /* bitmap4 of the mode */
	writer_u32(w, 0);
	writer_u32(w, 1u << (FATTR4_MODE - 32));
	writer_u32(w, 4);
	writer_u32(w, q->mode);
	writer_u32(w, CLAIM_NULL);
	nfs4_encode_name(w, e);
}

static void nfs4_encode_close(struct writer *w, struct nfs4_encoding *e)
{
	(void)e;
	writer_u32(w, 0);
	nfs4_encode_current_stateid(w);
}

static void nfs4_encode_setattr(struct writer *w, struct nfs4_encoding *e)
{
	static const uint8_t anonymous[NFS4_STATEID_SIZE];

	writer_bytes(w, anonymous, sizeof(anonymous));
	writer_u32(w, 2);
	writer_u32(w, 0);
	writer_u32(w, 1u << (FATTR4_MODE - 32));
	writer_u32(w, 4);
	writer_u32(w, e->request->mode);
}

/* Up to the length word of the data. */
static void nfs4_encode_write(struct writer *w, struct nfs4_encoding *e)
{
	static const uint8_t anonymous[NFS4_STATEID_SIZE];
	const struct nfs_request *q = e->request;

	writer_bytes(w, anonymous, sizeof(anonymous));
	writer_u64(w, q->offset);
	writer_u32(w, q->stable);
	writer_u32(w, q->count);
}

/* offset and count 0: all of the file */
static void nfs4_encode_commit(struct writer *w, struct nfs4_encoding *e)
{
	(void)e;
	writer_u64(w, 0);
	writer_u32(w, 0);
}

/* Operations without arguments are blank. */
static void (*const nfs4_encoders[])(struct writer *w, struct nfs4_encoding *e) = {
	[OP_GETATTR] = nfs4_encode_bitmap, [OP_LOOKUP] = nfs4_encode_name,
	[OP_PUTFH] = nfs4_encode_fh,       [OP_READDIR] = nfs4_encode_readdir,
	[OP_READ] = nfs4_encode_read,      [OP_OPEN] = nfs4_encode_open,
	[OP_CLOSE] = nfs4_encode_close,    [OP_SETATTR] = nfs4_encode_setattr,
	[OP_WRITE] = nfs4_encode_write,    [OP_COMMIT] = nfs4_encode_commit,
	[OP_REMOVE] = nfs4_encode_name,
};

static int nfs4_args_check(const struct nfs_request *request)
{
	size_t len;

	if (request->op != NFS_OP_ROOT && request->fh.len > NFS4_FHSIZE)
		return err_set(EINVAL, "file handle of %u bytes, %u at most", request->fh.len,
			       NFS4_FHSIZE);
	if (request->op != NFS_OP_LOOKUP && request->op != NFS_OP_CREATE &&
	    request->op != NFS_OP_REMOVE)
		return 0;
	len = strlen(request->name);
	if (len == 0 || len > NFS3_NAME_MAX)
		return err_set(EINVAL, "name of %zu bytes, 1 to %u are possible", len,
			       NFS3_NAME_MAX);
	return 0;
}

ssize_t nfs4_args_encode(const struct nfs_version *version, const struct nfs_request *request,
			 void *buf, size_t cap)
{
	const struct nfs4_compound *compound = nfs4_compound_of(request->op);
	struct nfs4_encoding e = { .request = request, .compound = compound };
	struct writer w;
	uint32_t i;
	int rc;

	if (request->op == NFS_OP_CREATE && !version->sessions)
		return err_set(EOPNOTSUPP, "NFSv4.0 needs a client id to make a file");
	rc = nfs4_args_check(request);
	if (rc)
		return rc;
	writer_init(&w, buf, cap);
	nfs4_args_begin(&w, version->minor, nfs4_compound_count(version, compound));
	if (version->sessions)
		nfs4_args_sequence(&w, &request->sequence);
	for (i = 0; i < ARRAY_SIZE(compound->ops) && compound->ops[i]; i++) {
		writer_u32(&w, compound->ops[i]);
		if (compound->ops[i] < ARRAY_SIZE(nfs4_encoders) && nfs4_encoders[compound->ops[i]])
			nfs4_encoders[compound->ops[i]](&w, &e);
	}
	return nfs4_args_end(&w);
}
