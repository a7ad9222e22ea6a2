/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READDIR, RFC 7530 section 16.24, RFC 8881 section 18.23. A reply has as many entries as the
 * client's maxcount, the transport's room, the session and our buffer hold, the smallest of them;
 * directory entries are never eligible for a Write chunk (RFC 8267 section 6). "." and ".." are
 * omitted, as NFSv4 requires. */
#include "rpcrdma/server/nfs4-internal.h"

/* After the last entry: no more follows, eof. */
#define LIST_END_LEN 8

/* 0 is the start, 1 and 2 are "." and ".." to clients: cookies of the export are shifted past
 * them. */
#define COOKIE_SHIFT 3

struct nfs4_dir_listing {
	struct compound *c;
	struct nfs4_bitmap wanted;
	struct nfs4_attrs attrs;
	size_t limit; /* of the reply's length, list end included */
	uint32_t entries;
	bool full;
};

static bool nfs4_dir_add(void *arg, const struct export_entry *entry)
{
	struct nfs4_dir_listing *list = arg;
	struct writer *w = &list->c->call->reply, before = *w;

	if (!strcmp(entry->name, ".") || !strcmp(entry->name, ".."))
		return true;
	writer_bool(w, true);
	writer_u64(w, entry->cookie + COOKIE_SHIFT);
	writer_opaque(w, entry->name, (uint32_t)strlen(entry->name));
	list->attrs.attr = entry->attr;
	list->attrs.fh = entry->fh;
	nfs4_put_wanted(w, &list->attrs, &list->wanted);
	if (!w->bad && w->len + LIST_END_LEN <= list->limit) {
		list->entries++;
		return true;
	}
	*w = before;
	list->full = true;
	return false;
}

/* Maximum length of the reply. */
static size_t nfs4_dir_limit(const struct compound *c, uint32_t maxcount)
{
	const struct call *call = c->call;
	const size_t next = c->index + 1 < c->count ? 8 : 0; /* see nfs4_op_check_room() */
	uint64_t limit = min_u64(call->room, call->reply.cap);

	if (c->in_session)
		limit = min_u64(limit,
				c->slot.response_max - (call_reply_length(call) - call->reply.len));
	if (c->in_session && c->slot.cache)
		limit = min_u64(limit, c->slot.cached_max);
	limit = limit > next ? limit - next : 0;
	/* Of READDIR4resok, XDR overhead included. */
	return min_u64(limit, call->reply.len + (uint64_t)maxcount);
}

uint32_t nfs4_readdir(struct compound *c)
{
	struct reader *r = &c->call->args;
	struct writer *w = &c->call->reply;
	struct export *exp = c->call->exp;
	struct nfs4_dir_listing list = { .c = c };
	struct export_readdir readdir = { .fn = nfs4_dir_add, .arg = &list };
	const uint8_t *verifier;
	uint32_t maxcount, status;
	uint64_t cookie;

	cookie = reader_u64(r);
	verifier = reader_bytes(r, NFS4_VERIFIER_SIZE);
	/* dircount is only a hint; like other servers, use maxcount. */
	reader_u32(r);
	maxcount = reader_u32(r);
	nfs4_get_bitmap(r, &list.wanted);
	if (r->bad)
		return NFS4ERR_BADXDR;
	status = nfs4_check_wanted(&list.wanted);
	if (status)
		return status;
	if (cookie && cookie < COOKIE_SHIFT)
		return NFS4ERR_BAD_COOKIE;
	/* A cookie is valid only with the verifier that was returned with it. libnfs 4.0.0 sends
	 * zeros instead, since some servers return only zeros; then the filehandle alone shows
	 * that the cookie is from this server. */
	if (cookie && get_be64(verifier) &&
	    memcmp(verifier, exp->verifier, NFS4_VERIFIER_SIZE) != 0)
		return NFS4ERR_NOT_SAME;
	list.limit = nfs4_dir_limit(c, maxcount);
	nfs4_attrs_of(c, &list.attrs);
	writer_bytes(w, exp->verifier, NFS4_VERIFIER_SIZE);
	readdir.cookie = cookie ? cookie - COOKIE_SHIFT : 0;
	readdir.handles = nfs4_bitmap_has(&list.wanted, FATTR4_FILEHANDLE);
	status = exp->ops->readdir(exp, &c->current.fh, &readdir);
	if (!status && list.full && !list.entries)
		status = NFS4ERR_TOOSMALL;
	if (status)
		return status;
	writer_bool(w, false);
	writer_bool(w, readdir.eof);
	return NFS4_OK;
}
