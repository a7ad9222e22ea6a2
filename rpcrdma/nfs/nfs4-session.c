/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Registers a client of NFSv4.1 and later, and creates and destroys its session (RFC 8881 section
 * 2.10; XDR in RFC 5662). All COMPOUNDs here except RECLAIM_COMPLETE's have one operation, which
 * may or must stand alone, without SEQUENCE. */
#include "rpcrdma/nfs/version-internal.h"

#define SP4_NONE 0

/* The backchannel is not requested, but Linux still checks its sizes and answers TOOSMALL
 * where a callback would not fit. */
#define BACK_SIZE       4096
#define BACK_OPERATIONS 2

/* Arguments */

ssize_t nfs4_args_exchange_id(void *buf, size_t cap, uint32_t minor,
			      const uint8_t verifier[NFS4_VERIFIER_SIZE], const char *owner)
{
	size_t len = strlen(owner);
	struct writer w;

	if (len == 0 || len > NFS4_OPAQUE_LIMIT)
		return err_set(EINVAL, "client owner of %zu bytes, 1 to %u are possible", len,
			       NFS4_OPAQUE_LIMIT);
	writer_init(&w, buf, cap);
	nfs4_args_begin(&w, minor, 1);
	writer_u32(&w, OP_EXCHANGE_ID);
	writer_bytes(&w, verifier, NFS4_VERIFIER_SIZE);
	writer_opaque(&w, owner, (uint32_t)len);
	writer_u32(&w, 0); /* eia_flags */
	writer_u32(&w, SP4_NONE);
	writer_u32(&w, 0); /* eia_client_impl_id: none */
	return nfs4_args_end(&w);
}

struct nfs4_channel {
	uint32_t request_size, response_size, operations, requests;
};

/* channel_attrs4, RFC 8881 section 18.36.1. */
static void nfs4_session_write_channel(struct writer *w, const struct nfs4_channel *channel)
{
	writer_u32(w, 0); /* ca_headerpadsize */
	writer_u32(w, channel->request_size);
	writer_u32(w, channel->response_size);
	writer_u32(w, 0); /* ca_maxresponsesize_cached: SEQUENCE never asks for it */
	writer_u32(w, channel->operations);
	writer_u32(w, channel->requests);
	writer_u32(w, 0); /* ca_rdma_ird: none */
}

ssize_t nfs4_args_create_session(void *buf, size_t cap, uint32_t minor,
				 const struct nfs4_create_session *create)
{
	static const struct nfs4_channel back = { BACK_SIZE, BACK_SIZE, BACK_OPERATIONS, 1 };
	struct nfs4_channel fore = { create->request_size, create->response_size,
				     create->operations, create->requests };
	struct writer w;

	writer_init(&w, buf, cap);
	nfs4_args_begin(&w, minor, 1);
	writer_u32(&w, OP_CREATE_SESSION);
	writer_u64(&w, create->clientid);
	writer_u32(&w, create->sequenceid);
	writer_u32(&w, 0); /* csa_flags */
	nfs4_session_write_channel(&w, &fore);
	nfs4_session_write_channel(&w, &back);
	writer_u32(&w, 0); /* csa_cb_program */
	writer_u32(&w, 1); /* csa_sec_parms: one */
	writer_u32(&w, RPC_AUTH_NONE);
	return nfs4_args_end(&w);
}

ssize_t nfs4_args_reclaim_complete(void *buf, size_t cap, uint32_t minor,
				   const struct nfs4_sequence *sequence)
{
	struct writer w;

	writer_init(&w, buf, cap);
	nfs4_args_begin(&w, minor, 2);
	nfs4_args_sequence(&w, sequence);
	writer_u32(&w, OP_RECLAIM_COMPLETE);
	writer_bool(&w, false); /* rca_one_fs */
	return nfs4_args_end(&w);
}

ssize_t nfs4_args_destroy_session(void *buf, size_t cap, uint32_t minor,
				  const uint8_t sessionid[NFS4_SESSIONID_SIZE])
{
	struct writer w;

	writer_init(&w, buf, cap);
	nfs4_args_begin(&w, minor, 1);
	writer_u32(&w, OP_DESTROY_SESSION);
	writer_bytes(&w, sessionid, NFS4_SESSIONID_SIZE);
	return nfs4_args_end(&w);
}

ssize_t nfs4_args_destroy_clientid(void *buf, size_t cap, uint32_t minor, uint64_t clientid)
{
	struct writer w;

	writer_init(&w, buf, cap);
	nfs4_args_begin(&w, minor, 1);
	writer_u32(&w, OP_DESTROY_CLIENTID);
	writer_u64(&w, clientid);
	return nfs4_args_end(&w);
}

ssize_t nfs4_args_version(void *buf, size_t cap, uint32_t minor)
{
	struct writer w;

	writer_init(&w, buf, cap);
	nfs4_args_begin(&w, minor, 1);
	writer_u32(&w, OP_PUTROOTFH);
	return nfs4_args_end(&w);
}

/* Results */

/* Reads up to the body of the only operation's result. */
static int nfs4_session_begin(uint32_t op, uint32_t *status, struct reader *r)
{
	uint32_t op_status = NFS4_OK;
	struct nfs4_head head;
	int rc = 0;

	nfs4_results_begin(&head, r);
	*status = head.status;
	if (head.operations)
		rc = nfs4_operation_read(op, &op_status, r);
	return rc ? rc : nfs4_results_check(&head, 1, op_status, r);
}

/* Reads an opaque as text. */
static void nfs4_session_read_text(struct reader *r, char text[NFS4_NAME_TEXT])
{
	uint32_t len = 0, i;
	const uint8_t *bytes = reader_opaque(r, NFS4_OPAQUE_LIMIT, &len);

	for (i = 0; bytes && i < len && i + 1 < NFS4_NAME_TEXT; i++)
		text[i] = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '?';
	text[i] = '\0';
}

int nfs4_res_exchange_id(struct nfs4_exchange_id_res *res, struct reader *r)
{
	uint32_t len, count;
	int rc;

	memset(res, 0, sizeof(*res));
	rc = nfs4_session_begin(OP_EXCHANGE_ID, &res->status, r);
	if (rc || res->status != NFS4_OK)
		return rc;
	res->clientid = reader_u64(r);
	res->sequenceid = reader_u32(r);
	res->flags = reader_u32(r);
	/* The other kinds are followed by the agreed parameters. */
	if (reader_u32(r) != SP4_NONE)
		r->bad = true;
	reader_u64(r);                             /* so_minor_id */
	reader_opaque(r, NFS4_OPAQUE_LIMIT, &len); /* so_major_id */
	nfs4_session_read_text(r, res->scope);
	/* Newer Linux servers send their release there, most others nothing. */
	count = reader_u32(r);
	if (count > 1)
		r->bad = true;
	if (count == 1) {
		nfs4_session_read_text(r, res->domain);
		nfs4_session_read_text(r, res->implementation);
		reader_bytes(r, 12); /* nii_date */
	}
	return nfs4_results_end(r, "EXCHANGE_ID");
}

static void nfs4_session_read_channel(struct nfs4_channel *channel, struct reader *r)
{
	uint32_t ird;

	reader_u32(r); /* ca_headerpadsize */
	channel->request_size = reader_u32(r);
	channel->response_size = reader_u32(r);
	reader_u32(r); /* ca_maxresponsesize_cached */
	channel->operations = reader_u32(r);
	channel->requests = reader_u32(r);
	ird = reader_u32(r); /* ca_rdma_ird<1> */
	if (ird > 1)
		r->bad = true;
	else if (ird == 1)
		reader_u32(r);
}

int nfs4_res_create_session(struct nfs4_create_session_res *res, struct reader *r)
{
	struct nfs4_channel fore = { 0 }, back;
	const uint8_t *sessionid;
	int rc;

	memset(res, 0, sizeof(*res));
	rc = nfs4_session_begin(OP_CREATE_SESSION, &res->status, r);
	if (rc || res->status != NFS4_OK)
		return rc;
	sessionid = reader_bytes(r, NFS4_SESSIONID_SIZE);
	reader_u32(r); /* csr_sequence */
	reader_u32(r); /* csr_flags */
	nfs4_session_read_channel(&fore, r);
	nfs4_session_read_channel(&back, r);
	rc = nfs4_results_end(r, "CREATE_SESSION");
	if (rc)
		return rc;
	if (fore.requests == 0)
		return err_set(EBADMSG, "CREATE_SESSION granted a session of no slots");
	memcpy(res->sessionid, sessionid, sizeof(res->sessionid));
	res->requests = fore.requests;
	res->request_size = fore.request_size;
	res->response_size = fore.response_size;
	res->operations = fore.operations;
	return 0;
}

int nfs4_res_status(uint32_t *status, struct reader *r)
{
	struct nfs4_head head;

	nfs4_results_begin(&head, r);
	*status = head.status;
	return nfs4_results_end(r, "COMPOUND");
}
