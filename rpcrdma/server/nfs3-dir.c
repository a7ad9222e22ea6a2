/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READDIR and READDIRPLUS, RFC 1813 sections 3.3.16 and 3.3.17. A reply has as many entries as
 * the client's count, the transport's room and our buffer hold, the smallest of them; directory
 * entries are never eligible for a Write chunk (RFC 8267 section 3). */
#include "rpcrdma/server/internal.h"

/* After the last entry: no more follows, eof. */
#define LIST_END_LEN 8

struct nfs3_dir_listing {
	struct call *call;
	bool plus;
	size_t limit; /* of the reply's length, list end included */
	uint32_t entries;
	bool full;
};

static bool nfs3_dir_add(void *arg, const struct export_entry *entry)
{
	struct nfs3_dir_listing *list = arg;
	struct writer *w = &list->call->reply, before = *w;

	writer_bool(w, true);
	writer_u64(w, entry->attr.fileid);
	writer_opaque(w, entry->name, (uint32_t)strlen(entry->name));
	writer_u64(w, entry->cookie);
	if (list->plus) {
		writer_bool(w, true);
		nfs3_put_attr(w, &entry->attr);
		writer_bool(w, entry->fh.len);
		if (entry->fh.len)
			nfs_put_fh(w, &entry->fh);
	}
	if (!w->bad && w->len + LIST_END_LEN <= list->limit) {
		list->entries++;
		return true;
	}
	*w = before;
	list->full = true;
	return false;
}

/* The reply on an error: status and the directory's attributes. */
static enum rpc_accept_stat nfs3_dir_fail(struct call *call, const struct writer *start,
					  const struct nfs_fh *dir, uint32_t status)
{
	call->reply = *start;
	writer_u32(&call->reply, status);
	nfs3_put_post_op(call, dir);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_dir_list(struct call *call, bool plus)
{
	const struct writer start = call->reply;
	struct nfs3_dir_listing list = { .call = call, .plus = plus };
	struct export_readdir readdir = { .handles = plus, .fn = nfs3_dir_add, .arg = &list };
	uint32_t count, status;
	const uint8_t *verf;
	struct nfs_fh dir;

	nfs_get_fh(&call->args, NFS3_FH_MAX, &dir);
	readdir.cookie = reader_u64(&call->args);
	verf = reader_bytes(&call->args, sizeof(call->exp->verifier));
	/* dircount is only a hint, for the size of names and cookies; like other servers, use
	 * maxcount. */
	if (plus)
		reader_u32(&call->args);
	count = reader_u32(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	/* A cookie is valid only with the verifier that was returned with it. */
	if (readdir.cookie && memcmp(verf, call->exp->verifier, sizeof(call->exp->verifier)) != 0)
		return nfs3_dir_fail(call, &start, &dir, NFS3_STATUS_BAD_COOKIE);
	writer_u32(&call->reply, NFS3_STATUS_OK);
	nfs3_put_post_op(call, &dir);
	writer_bytes(&call->reply, call->exp->verifier, sizeof(call->exp->verifier));
	/* The count covers the results without their status, section 3.3.16. */
	list.limit = min_u64(start.len + 4 + (uint64_t)count, call->room);
	status = call->exp->ops->readdir(call->exp, &dir, &readdir);
	if (!status && list.full && !list.entries)
		status = NFS3_STATUS_TOOSMALL;
	if (status)
		return nfs3_dir_fail(call, &start, &dir, status);
	writer_bool(&call->reply, false);
	writer_bool(&call->reply, readdir.eof);
	return RPC_SUCCESS;
}

enum rpc_accept_stat nfs3_readdir(struct call *call)
{
	return nfs3_dir_list(call, false);
}

enum rpc_accept_stat nfs3_readdirplus(struct call *call)
{
	return nfs3_dir_list(call, true);
}
