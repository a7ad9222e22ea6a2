/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Decodes results of NFSv4's COMPOUND (RFC 7531, RFC 5662, RFC 7863) from an untrusted peer. The
 * results must be those of the requested operations, in order, and may end early only with a
 * failed one: after a result of another shape the next cannot be located. Every operation used
 * here has a result without a body when it fails, SETATTR excepted, which is the last. */
#include "rpcrdma/nfs/version-internal.h"

struct nfs4_decoding {
	const struct nfs_request *request;
	const struct nfs4_compound *compound;
	struct nfs_result *result;
	bool reduced;
	uint32_t reads; /* so far */
};

int nfs4_results_end(const struct reader *r, const char *what)
{
	if (r->bad)
		return err_set(EBADMSG, "%s result is cut short or malformed", what);
	return 0;
}

void nfs4_results_begin(struct nfs4_head *head, struct reader *r)
{
	uint32_t len;

	head->status = reader_u32(r);
	/* tag: ours, or any the server sends */
	reader_opaque(r, NFS4_OPAQUE_LIMIT, &len);
	head->operations = reader_u32(r);
}

static int nfs4_decode_sequence(struct nfs4_decoding *d, struct reader *r)
{
	const struct nfs4_sequence *sequence = &d->request->sequence;
	const uint8_t *sessionid = reader_bytes(r, NFS4_SESSIONID_SIZE);
	uint32_t sequenceid = reader_u32(r), slotid = reader_u32(r);

	reader_u32(r); /* sr_highest_slotid */
	reader_u32(r); /* sr_target_highest_slotid */
	reader_u32(r); /* sr_status_flags: of state and callbacks, of which we have none */
	if (r->bad)
		return nfs4_results_end(r, "SEQUENCE");
	if (memcmp(sessionid, sequence->sessionid, NFS4_SESSIONID_SIZE))
		return err_set(EBADMSG, "SEQUENCE was answered for another session");
	if (sequenceid != sequence->sequenceid || slotid != sequence->slotid)
		return err_set(EBADMSG, "SEQUENCE %u of slot %u was answered as %u of slot %u",
			       sequence->sequenceid, sequence->slotid, sequenceid, slotid);
	d->result->sequenced = true;
	return 0;
}

static int nfs4_decode_getfh(struct nfs4_decoding *d, struct reader *r)
{
	nfs_get_fh(r, NFS4_FHSIZE, &d->result->fh);
	return 0;
}

static int nfs4_decode_getattr(struct nfs4_decoding *d, struct reader *r)
{
	struct nfs_result *result = d->result;
	struct nfs4_attrs attrs;

	nfs4_get_attrs(r, &d->compound->attrs, &attrs);
	result->has_attr = nfs4_bitmap_has(&attrs.present, FATTR4_TYPE) &&
			   nfs4_bitmap_has(&attrs.present, FATTR4_SIZE);
	if (result->has_attr)
		result->attr = attrs.attr;
	result->rtmax = (uint32_t)min_u64(attrs.maxread, UINT32_MAX);
	result->rtpref = result->rtmax;
	result->wtmax = (uint32_t)min_u64(attrs.maxwrite, UINT32_MAX);
	result->space = attrs.available;
	result->lease_seconds = attrs.lease_seconds;
	return 0;
}

/* If reduced, the bytes and their padding are in the Write chunk. */
static void nfs4_decode_data(struct nfs_data *data, struct reader *r, uint32_t max, bool reduced)
{
	if (!reduced) {
		data->bytes = reader_opaque(r, max, &data->len);
		return;
	}
	data->len = reader_u32(r);
	if (data->len > max)
		r->bad = true;
}

/* One Write chunk is offered, for the first READ (RFC 8267 section 6.4.1). */
static int nfs4_decode_read(struct nfs4_decoding *d, struct reader *r)
{
	bool second = d->reads++;
	struct nfs_data *data = second ? &d->result->read2 : &d->result->read;

	data->eof = reader_bool(r);
	nfs4_decode_data(data, r, UINT32_MAX, d->reduced && !second);
	if (!second)
		d->result->read_count = data->len;
	return 0;
}

static int nfs4_decode_readlink(struct nfs4_decoding *d, struct reader *r)
{
	nfs4_decode_data(&d->result->read, r, NFS3_PATH_MAX, d->reduced);
	return 0;
}

/* entry4, without the preceding value_follows word */
static void nfs4_decode_entry(struct nfs_entry *entry, const struct nfs4_bitmap *asked,
			      struct reader *r)
{
	struct nfs4_attrs attrs;

	memset(entry, 0, sizeof(*entry));
	entry->cookie = reader_u64(r);
	entry->name = (const char *)reader_opaque(r, NFS3_NAME_MAX, &entry->name_len);
	nfs4_get_attrs(r, asked, &attrs);
	entry->fileid = attrs.attr.fileid;
	if (attrs.rdattr_error)
		return;
	entry->has_attr = nfs4_bitmap_has(&attrs.present, FATTR4_TYPE) &&
			  nfs4_bitmap_has(&attrs.present, FATTR4_SIZE);
	if (entry->has_attr)
		entry->attr = attrs.attr;
	entry->has_fh = nfs4_bitmap_has(&attrs.present, FATTR4_FILEHANDLE);
	entry->fh = attrs.fh;
}

/* An entry takes at least 24 bytes, and a truncated one makes the reader bad, so the length
 * bounds the loop. */
static int nfs4_decode_readdir(struct nfs4_decoding *d, struct reader *r)
{
	struct nfs3_readdir_res *dir = &d->result->dir;
	const uint8_t *verifier = reader_bytes(r, sizeof(dir->cookieverf));
	struct nfs_entry entry;
	int rc;

	if (verifier)
		memcpy(dir->cookieverf, verifier, sizeof(dir->cookieverf));
	while (reader_bool(r)) {
		nfs4_decode_entry(&entry, &d->compound->attrs, r);
		if (r->bad)
			break;
		dir->entries++;
		dir->last_cookie = entry.cookie;
		rc = d->request->entry ? d->request->entry(d->request->entry_arg, &entry) : 0;
		if (rc)
			return rc;
	}
	dir->eof = reader_bool(r);
	return 0;
}

/* change_info4 */
static void nfs4_skip_change(struct reader *r)
{
	reader_bool(r);
	reader_u64(r);
	reader_u64(r);
}

static void nfs4_skip_bitmap(struct reader *r)
{
	uint32_t count = reader_u32(r);

	if (count > NFS4_BITMAP_MAX)
		r->bad = true;
	else
		reader_bytes(r, count * 4);
}

/* No delegation was asked for, and there is no backchannel: one is a malformed reply here. */
static int nfs4_decode_open(struct nfs4_decoding *d, struct reader *r)
{
	uint32_t type;

	(void)d;
	reader_bytes(r, NFS4_STATEID_SIZE);
	nfs4_skip_change(r);
	reader_u32(r); /* rflags */
	nfs4_skip_bitmap(r);
	type = reader_u32(r);
	/* why_no_delegation4: two of its reasons have a word more */
	if (type == OPEN_DELEGATE_NONE_EXT) {
		type = reader_u32(r);
		if (type == WND4_CONTENTION || type == WND4_RESOURCE)
			reader_bool(r);
	} else if (type != OPEN_DELEGATE_NONE) {
		return err_set(EBADMSG, "OPEN returned a delegation of type %u", type);
	}
	return 0;
}

static int nfs4_decode_close(struct nfs4_decoding *d, struct reader *r)
{
	(void)d;
	reader_bytes(r, NFS4_STATEID_SIZE);
	return 0;
}

static int nfs4_decode_setattr(struct nfs4_decoding *d, struct reader *r)
{
	(void)d;
	nfs4_skip_bitmap(r);
	return 0;
}

static int nfs4_decode_verifier(struct nfs4_decoding *d, struct reader *r)
{
	const uint8_t *verifier = reader_bytes(r, sizeof(d->result->verifier));

	if (verifier)
		memcpy(d->result->verifier, verifier, sizeof(d->result->verifier));
	return 0;
}

static int nfs4_decode_write(struct nfs4_decoding *d, struct reader *r)
{
	d->result->written = reader_u32(r);
	d->result->committed = reader_u32(r);
	return nfs4_decode_verifier(d, r);
}

static int nfs4_decode_remove(struct nfs4_decoding *d, struct reader *r)
{
	(void)d;
	nfs4_skip_change(r);
	return 0;
}

/* Operations whose result has no body are blank. */
static int (*const nfs4_decoders[])(struct nfs4_decoding *d, struct reader *r) = {
	[OP_GETATTR] = nfs4_decode_getattr,   [OP_GETFH] = nfs4_decode_getfh,
	[OP_READ] = nfs4_decode_read,         [OP_READDIR] = nfs4_decode_readdir,
	[OP_READLINK] = nfs4_decode_readlink, [OP_SEQUENCE] = nfs4_decode_sequence,
	[OP_OPEN] = nfs4_decode_open,         [OP_CLOSE] = nfs4_decode_close,
	[OP_SETATTR] = nfs4_decode_setattr,   [OP_WRITE] = nfs4_decode_write,
	[OP_COMMIT] = nfs4_decode_verifier,   [OP_REMOVE] = nfs4_decode_remove,
};

/* A server that does not support an operation answers OP_ILLEGAL in its place. */
int nfs4_operation_read(uint32_t asked, uint32_t *status, struct reader *r)
{
	uint32_t op = reader_u32(r);

	*status = reader_u32(r);
	if (r->bad)
		return nfs4_results_end(r, "COMPOUND");
	if (op != asked && !(op == OP_ILLEGAL && *status == NFS4ERR_OP_ILLEGAL))
		return err_set(EBADMSG, "result of operation %u; expected %u", op, asked);
	return 0;
}

int nfs4_results_check(const struct nfs4_head *head, uint32_t asked, uint32_t last_status,
		       const struct reader *r)
{
	if (r->bad)
		return nfs4_results_end(r, "COMPOUND");
	/* MINOR_VERS_MISMATCH, for instance: no operation was evaluated. */
	if (head->operations == 0 && head->status != NFS4_OK)
		return 0;
	if (head->operations > asked || (head->operations < asked && head->status == NFS4_OK))
		return err_set(EBADMSG, "%u results of a COMPOUND of %u operations",
			       head->operations, asked);
	if (head->status != last_status)
		return err_set(EBADMSG, "COMPOUND has status %u, its last operation %u",
			       head->status, last_status);
	return 0;
}

int nfs4_results_decode(const struct nfs_version *version, const struct nfs_request *request,
			struct reader *r, bool reduced, struct nfs_result *result)
{
	const struct nfs4_compound *compound = nfs4_compound_of(request->op);
	struct nfs4_decoding d = { request, compound, result, reduced, 0 };
	uint32_t asked = nfs4_compound_count(version, compound), status = NFS4_OK, op, i;
	struct nfs4_head head;
	int rc;

	memset(result, 0, sizeof(*result));
	nfs4_results_begin(&head, r);
	result->status = head.status;
	for (i = 0; i < min_u32(head.operations, asked) && !status; i++) {
		op = nfs4_compound_op(version, compound, i);
		rc = nfs4_operation_read(op, &status, r);
		if (!rc && !status && op < ARRAY_SIZE(nfs4_decoders) && nfs4_decoders[op])
			rc = nfs4_decoders[op](&d, r);
		if (rc)
			return rc;
		if (status)
			result->failed_op = op;
	}
	if (status && i < head.operations)
		return err_set(EBADMSG, "%u results follow that of operation %u, which failed",
			       head.operations - i, result->failed_op);
	return nfs4_results_check(&head, asked, status, r);
}
