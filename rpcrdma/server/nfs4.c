/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS version 4, minor versions 0 and 1: the program and the COMPOUND procedure (RFC 7530 section
 * 15.2, RFC 8881 section 16.2). Operations run in order until one fails; the status of the last
 * one is the COMPOUND's.
 *
 * Supported: operations for reading, sessions with a reply cache, open state; and where the export
 * is writable those that make, write and remove files. ROFS: others that write. NOTSUPP: locks, delegations, layouts, the backchannel, named attributes. */
#include "rpcrdma/server/nfs4-internal.h"

#define MINOR_MAX 1

uint32_t nfs4_too_big(const struct compound *c)
{
	return c->minor ? NFS4ERR_REP_TOO_BIG : NFS4ERR_RESOURCE;
}

/* Refusals: NFS4ERR_ROFS once the arguments match the shape in the row, and NOTSUPP */

static void nfs4_skip_bitmap(struct compound *c)
{
	struct nfs4_bitmap bitmap;

	nfs4_get_bitmap(&c->call->args, &bitmap);
}

static void nfs4_skip_opaque(struct compound *c)
{
	uint32_t len;

	reader_opaque(&c->call->args, SERVER_CALL_MAX, &len);
}

/* RFC 8166 section 3.4.4: the length word stays inline; the chunk is never pulled. */
static void nfs4_skip_data(struct compound *c)
{
	if (c->call->reduced)
		reader_u32(&c->call->args);
	else
		nfs4_skip_opaque(c);
}

void nfs4_skip_args(struct compound *c, const char *shape)
{
	struct nfs4_stateid stateid;
	uint32_t type;

	for (; *shape; shape++) {
		switch (*shape) {
		case 's': nfs4_get_stateid(&c->call->args, &stateid); break;
		case '4': reader_u32(&c->call->args); break;
		case '8': reader_u64(&c->call->args); break;
		case 'd': nfs4_skip_data(c); break;
		case 't':
			type = reader_u32(&c->call->args);
			if (type == NFS_LNK)
				nfs4_skip_data(c);
			else if (type == NFS_BLK || type == NFS_CHR)
				reader_u64(&c->call->args);
			break;
		case 'b': nfs4_skip_bitmap(c); break;
		case 'a':
			nfs4_skip_bitmap(c);
			nfs4_skip_opaque(c);
			break;
		default: nfs4_skip_opaque(c); /* n, o */
		}
	}
}

uint32_t nfs4_refuse(struct compound *c)
{
	const char *shape = c->op->args;
	char name[NFS3_NAME_MAX + 1];
	uint32_t status = NFS4_OK, wrong;

	for (; *shape; shape++) {
		wrong = NFS4_OK;
		if (*shape == 'n')
			wrong = nfs4_get_name(&c->call->args, name);
		else
			nfs4_skip_args(c, (const char[]){ *shape, '\0' });
		if (!status)
			status = wrong;
		/* After reduced data the position in the arguments is unknown. */
		if (c->call->reduced && (*shape == 'd' || *shape == 't'))
			break;
	}
	/* Only SETATTR has a body on failure: no attribute was set. */
	writer_u32(&c->call->reply, 0);
	return status ? status : NFS4ERR_ROFS;
}

static uint32_t nfs4_notsupp(struct compound *c)
{
	(void)c;
	return NFS4ERR_NOTSUPP;
}

/* GETATTR, VERIFY and NVERIFY, RFC 7530 section 16.7, RFC 8881 section 18.7. Values are encoded by
 * the table of rpcrdma/nfs/codec.c. */

/* The current filehandle and what all files have alike, without ->attr. */
static void nfs4_attrs_of(const struct compound *c, struct nfs4_attrs *attrs)
{
	struct export *exp = c->call->exp;
	const bool writable = export_is_writable(exp);
	struct export_space space = { 0 };
	unsigned int i;

	exp->ops->space(exp, &space);
	*attrs = (struct nfs4_attrs){
		.fh = c->current.fh,
		.maxread = c->call->rtmax,
		.maxwrite = server_wtmax(exp),
		.available = writable ? space.bytes_free : 0,
		.space_free = space.bytes_free,
		.space_total = space.bytes,
		.files_free = space.files_free,
		.files_total = space.files,
		.lease_seconds = NFS4_LEASE_SECONDS,
		.time_delta.nsec = 1,
	};
	for (i = 0; i < 32 * NFS4_ATTR_WORDS; i++)
		if (nfs4_attr_is_supported(c->minor, i))
			nfs4_bitmap_add(&attrs->supported, i);
	/* What EXCLUSIVE4_1 can set. */
	if (writable)
		nfs4_bitmap_add(&attrs->exclusive, FATTR4_MODE);
}

/* fattr4: the wanted attributes that are supported. */
static void nfs4_put_wanted(struct writer *w, const struct nfs4_attrs *attrs,
			    const struct nfs4_bitmap *wanted)
{
	struct nfs4_bitmap have = *wanted;
	unsigned int i;

	for (i = 0; i < NFS4_ATTR_WORDS; i++)
		have.word[i] &= attrs->supported.word[i];
	nfs4_put_attrs(w, attrs, &have);
}

/* INVAL when one of them is write-only. */
static uint32_t nfs4_check_wanted(const struct nfs4_bitmap *wanted)
{
	return nfs4_bitmap_has(wanted, FATTR4_TIME_ACCESS_SET) ||
			       nfs4_bitmap_has(wanted, FATTR4_TIME_MODIFY_SET)
		       ? NFS4ERR_INVAL
		       : NFS4_OK;
}

/* Operations */

static uint32_t nfs4_current_attrs(const struct compound *c, struct nfs4_attrs *attrs)
{
	const struct call *call = c->call;

	nfs4_attrs_of(c, attrs);
	return call->exp->ops->getattr(call->exp, &attrs->fh, &attrs->attr);
}

static uint32_t nfs4_getattr(struct compound *c)
{
	struct nfs4_attrs attrs;
	struct nfs4_bitmap wanted;
	uint32_t status;

	nfs4_get_bitmap(&c->call->args, &wanted);
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	status = nfs4_check_wanted(&wanted);
	if (!status)
		status = nfs4_current_attrs(c, &attrs);
	if (!status)
		nfs4_put_wanted(&c->call->reply, &attrs, &wanted);
	return status;
}

/* XDR encoding is unique, so equal attributes have equal bytes. @same: the result. */
static uint32_t nfs4_compare_attrs(struct compound *c, bool *same)
{
	struct writer w = c->call->reply; /* the buffer after the reply is free */
	struct nfs4_attrs attrs;
	struct nfs4_bitmap given, have;
	const uint8_t *values, *own;
	uint32_t len, own_len, status;
	struct reader r;
	unsigned int i;

	nfs4_get_bitmap(&c->call->args, &given);
	values = reader_opaque(&c->call->args, SERVER_CALL_MAX, &len);
	if (!values)
		return NFS4ERR_BADXDR;
	status = nfs4_check_wanted(&given);
	if (status)
		return status;
	if (nfs4_bitmap_has(&given, FATTR4_RDATTR_ERROR))
		return NFS4ERR_INVAL;
	for (i = 0; i < 32 * NFS4_ATTR_WORDS; i++)
		if (nfs4_bitmap_has(&given, i) && !nfs4_attr_is_supported(c->minor, i))
			return NFS4ERR_ATTRNOTSUPP;
	status = nfs4_current_attrs(c, &attrs);
	if (status)
		return status;
	nfs4_put_wanted(&w, &attrs, &given);
	reader_init(&r, w.base + c->call->reply.len, w.len - c->call->reply.len);
	nfs4_get_bitmap(&r, &have);
	own = reader_opaque(&r, SERVER_REPLY_MAX, &own_len);
	if (w.bad || !own)
		return nfs4_too_big(c);
	*same = own_len == len && !memcmp(own, values, len);
	return NFS4_OK;
}

static uint32_t nfs4_verify(struct compound *c)
{
	bool same = false;
	uint32_t status = nfs4_compare_attrs(c, &same);

	return status || same ? status : NFS4ERR_NOT_SAME;
}

static uint32_t nfs4_nverify(struct compound *c)
{
	bool same = false;
	uint32_t status = nfs4_compare_attrs(c, &same);

	return status || !same ? status : NFS4ERR_SAME;
}

/* Filehandles, names and data. Names are bytes, as everywhere on Linux; "." and ".." are not names
 * (RFC 7530 section 12.3, RFC 8881 section 2.6.3). */

/* Helpers of several operations */

uint32_t nfs4_get_name(struct reader *r, char *name)
{
	uint32_t len;
	const uint8_t *p = reader_opaque(r, SERVER_CALL_MAX, &len);

	*name = '\0';
	if (!p)
		return NFS4_OK; /* the operation fails, as the reader is bad */
	if (!len)
		return NFS4ERR_INVAL;
	if (len > NFS3_NAME_MAX)
		return NFS4ERR_NAMETOOLONG;
	if (memchr(p, '\0', len) || memchr(p, '/', len))
		return NFS4ERR_BADCHAR;
	memcpy(name, p, len);
	name[len] = '\0';
	return strcmp(name, ".") && strcmp(name, "..") ? NFS4_OK : NFS4ERR_BADNAME;
}

uint32_t nfs4_wrong_type(const struct compound *c, uint32_t type)
{
	if (type == NFS_DIR)
		return NFS4ERR_ISDIR;
	if (type == NFS_LNK)
		return c->minor ? NFS4ERR_SYMLINK : NFS4ERR_INVAL;
	return c->minor ? NFS4ERR_WRONG_TYPE : NFS4ERR_INVAL;
}

static uint32_t nfs4_current_type(const struct compound *c, uint32_t *type)
{
	const struct call *call = c->call;
	struct nfs_attr attr;
	uint32_t status = call->exp->ops->getattr(call->exp, &c->current.fh, &attr);

	*type = status ? 0 : attr.type;
	return status;
}

uint32_t nfs4_lookup_name(struct compound *c, const char *name, struct nfs_fh *fh)
{
	struct call *call = c->call;
	uint32_t type, status = nfs4_current_type(c, &type);

	if (status)
		return status;
	if (type != NFS_DIR)
		return type == NFS_LNK ? NFS4ERR_SYMLINK : NFS4ERR_NOTDIR;
	return call->exp->ops->lookup(call->exp, &c->current.fh, name, fh);
}

/* Sets the current filehandle and clears the current stateid, which belonged to the last one. */
static void nfs4_set_current(struct compound *c, const struct nfs_fh *fh)
{
	c->current = (struct nfs4_filehandle){ .fh = *fh };
}

/* Filehandles */

static uint32_t nfs4_putfh(struct compound *c)
{
	uint64_t a, b;
	struct nfs_fh fh = { 0 };
	uint32_t status;

	nfs_get_fh(&c->call->args, NFS4_FHSIZE, &fh);
	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	status = export_handle_parse(c->call->exp, &fh, &a, &b);
	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

static uint32_t nfs4_putrootfh(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = c->call->exp->ops->root(c->call->exp, &fh);

	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

static uint32_t nfs4_getfh(struct compound *c)
{
	if (c->call->exp->is_referral)
		return NFS4ERR_MOVED;
	nfs_put_fh(&c->call->reply, &c->current.fh);
	return NFS4_OK;
}

static uint32_t nfs4_savefh(struct compound *c)
{
	c->saved = c->current;
	return NFS4_OK;
}

static uint32_t nfs4_restorefh(struct compound *c)
{
	if (!c->saved.fh.len)
		return c->minor ? NFS4ERR_NOFILEHANDLE : NFS4ERR_RESTOREFH;
	c->current = c->saved;
	return NFS4_OK;
}

/* Names */

/* The object that LOOKUP or SECINFO names. */
static uint32_t nfs4_find_named(struct compound *c, struct nfs_fh *fh)
{
	char name[NFS3_NAME_MAX + 1];
	uint32_t status = nfs4_get_name(&c->call->args, name);

	if (c->call->args.bad)
		return NFS4ERR_BADXDR;
	return status ? status : nfs4_lookup_name(c, name, fh);
}

/* The root has no parent. */
static uint32_t nfs4_find_parent(struct compound *c, struct nfs_fh *fh)
{
	struct nfs_fh root;
	uint32_t status = c->call->exp->ops->root(c->call->exp, &root);

	if (status)
		return status;
	if (root.len == c->current.fh.len && !memcmp(root.data, c->current.fh.data, root.len))
		return NFS4ERR_NOENT;
	return nfs4_lookup_name(c, "..", fh);
}

static uint32_t nfs4_lookup(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = nfs4_find_named(c, &fh);

	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

static uint32_t nfs4_lookupp(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = nfs4_find_parent(c, &fh);

	if (!status)
		nfs4_set_current(c, &fh);
	return status;
}

static void nfs4_put_flavours(struct compound *c)
{
	writer_u32(&c->call->reply, 2);
	writer_u32(&c->call->reply, RPC_AUTH_SYS);
	writer_u32(&c->call->reply, RPC_AUTH_NONE);
	/* RFC 8881 section 2.6.3.1.1.8: so that no unchecked name can follow */
	if (c->minor)
		c->current.fh.len = 0;
}

static uint32_t nfs4_secinfo(struct compound *c)
{
	struct nfs_fh fh;
	uint32_t status = nfs4_find_named(c, &fh);

	if (!status)
		nfs4_put_flavours(c);
	return status;
}

static uint32_t nfs4_secinfo_no_name(struct compound *c)
{
	const uint32_t style = reader_u32(&c->call->args); /* 0 this object, 1 its parent */
	struct nfs_fh fh;
	uint32_t status = NFS4_OK;

	if (style > 1)
		return NFS4ERR_BADXDR;
	if (style)
		status = nfs4_find_parent(c, &fh);
	if (!status)
		nfs4_put_flavours(c);
	return status;
}

/* Objects */

#define ACCESS_ALL 0x3f

static uint32_t nfs4_access(struct compound *c)
{
	const struct call *call = c->call;
	const uint32_t wanted = reader_u32(&c->call->args) & ACCESS_ALL;
	struct nfs_attr attr;
	uint32_t status = call->exp->ops->getattr(call->exp, &c->current.fh, &attr);

	if (status)
		return status;
	writer_u32(&c->call->reply, wanted); /* supported */
	writer_u32(&c->call->reply, wanted & nfs3_access_granted(call->exp, &attr));
	return NFS4_OK;
}

/* The rest of the scratch is for the next payload. */
static uint32_t nfs4_add_payload(struct compound *c, const struct export_read *read)
{
	if (!call_payload(c->call, read->data, read->len))
		return nfs4_too_big(c);
	if (read->data == read->scratch)
		c->scratch_used += read->len;
	return NFS4_OK;
}

static uint32_t nfs4_readlink(struct compound *c)
{
	const struct call *call = c->call;
	struct export_read read = { .scratch = call->scratch + c->scratch_used };
	uint32_t status;

	if (server_scratch_max(call->rtmax) - c->scratch_used < NFS3_PATH_MAX)
		return nfs4_too_big(c);
	status = call->exp->ops->readlink(call->exp, &c->current.fh, &read);
	if (status == NFS3_STATUS_INVAL)
		return c->minor ? NFS4ERR_WRONG_TYPE : NFS4ERR_INVAL;
	return status ? status : nfs4_add_payload(c, &read);
}

static uint32_t nfs4_read(struct compound *c)
{
	struct call *call = c->call;
	struct export_read read = { .scratch = call->scratch + c->scratch_used };
	struct nfs4_stateid stateid;
	uint32_t type, status;

	nfs4_get_used_stateid(c, &stateid);
	read.offset = reader_u64(&call->args);
	read.count = min_u32(reader_u32(&call->args), call->rtmax);
	if (call->args.bad)
		return NFS4ERR_BADXDR;
	status = nfs4_opens_use(c->state, c->minor, c->slot.clientid, &stateid, &c->current.fh,
				OPEN4_SHARE_ACCESS_READ);
	if (status)
		return status;
	if (read.count > server_scratch_max(call->rtmax) - c->scratch_used)
		return nfs4_too_big(c);
	status = call->exp->ops->read(call->exp, &c->current.fh, &read);
	/* NFSv3 has no more specific status for a wrong type. */
	if (status == NFS3_STATUS_INVAL && !nfs4_current_type(c, &type) && type != NFS_REG)
		return nfs4_wrong_type(c, type);
	if (status)
		return status;
	/* The COMPOUND's first READ is recorded for the faults. */
	if (!call->read.served)
		call->read = (struct call_read){
			.tried = true,
			.served = true,
			.fh = c->current.fh,
			.offset = read.offset,
			.asked = read.count,
			.payload = call->payload_count,
			.status = c->status_at,
			.eof = call->reply.len,
			.end = c->status_at + 4,
			.compound = c->start,
			.results = c->count_at,
			.result_count = c->index + 1,
		};
	writer_bool(&call->reply, read.eof);
	return nfs4_add_payload(c, &read);
}

/* READDIR, RFC 7530 section 16.24, RFC 8881 section 18.23. A reply has as many entries as the
 * client's maxcount, the transport's room, the session and our buffer hold, the smallest of them;
 * directory entries are never eligible for a Write chunk (RFC 8267 section 6). "." and ".." are
 * omitted, as NFSv4 requires. */

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

static uint32_t nfs4_readdir(struct compound *c)
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

/* The table */

enum {
	FH = 1,      /* works on the current filehandle */
	SAVED = 2,   /* and on the saved one */
	V41 = 4,     /* new in 4.1 */
	V40 = 8,     /* removed in 4.1: NOTSUPP (RFC 8881 section 17) */
	ALONE = 16,  /* is allowed outside a session, as the only operation */
	BITMAP = 32, /* a failure returns an empty bitmap4 of set attributes */
};

/* CHANGES: an operation that a read-only export refuses. */
/* clang-format off */
#define CHANGES(name_, run_, flags_, args_) \
	{ .name = name_, .run = run_, .flags = flags_, .args = args_ }
#define ROFS(name_, flags_, args_) \
	{ .name = name_, .run = nfs4_refuse, .flags = flags_, .args = args_ }
#define NOTSUPP(name_, flags_) { .name = name_, .run = nfs4_notsupp, .flags = flags_ }
/* clang-format on */

static const struct nfs4_op nfs4_operations[] = {
	[OP_ACCESS] = { "ACCESS", nfs4_access, FH, NULL },
	[OP_CLOSE] = { "CLOSE", nfs4_close, FH, NULL },
	[OP_COMMIT] = CHANGES("COMMIT", nfs4_commit, FH, "84"),
	[OP_CREATE] = ROFS("CREATE", FH, "tna"),
	[OP_DELEGPURGE] = NOTSUPP("DELEGPURGE", 0),
	[OP_DELEGRETURN] = NOTSUPP("DELEGRETURN", FH),
	[OP_GETATTR] = { "GETATTR", nfs4_getattr, FH, NULL },
	[OP_GETFH] = { "GETFH", nfs4_getfh, FH, NULL },
	[OP_LINK] = ROFS("LINK", FH | SAVED, "n"),
	[OP_LOCK] = NOTSUPP("LOCK", FH),
	[OP_LOCKT] = NOTSUPP("LOCKT", FH),
	[OP_LOCKU] = NOTSUPP("LOCKU", FH),
	[OP_LOOKUP] = { "LOOKUP", nfs4_lookup, FH, NULL },
	[OP_LOOKUPP] = { "LOOKUPP", nfs4_lookupp, FH, NULL },
	[OP_NVERIFY] = { "NVERIFY", nfs4_nverify, FH, NULL },
	[OP_OPEN] = { "OPEN", nfs4_open, FH, NULL },
	[OP_OPENATTR] = NOTSUPP("OPENATTR", FH),
	[OP_OPEN_CONFIRM] = { "OPEN_CONFIRM", nfs4_open_confirm, FH | V40, NULL },
	[OP_OPEN_DOWNGRADE] = { "OPEN_DOWNGRADE", nfs4_open_downgrade, FH, NULL },
	[OP_PUTFH] = { "PUTFH", nfs4_putfh, 0, NULL },
	[OP_PUTPUBFH] = { "PUTPUBFH", nfs4_putrootfh, 0, NULL },
	[OP_PUTROOTFH] = { "PUTROOTFH", nfs4_putrootfh, 0, NULL },
	[OP_READ] = { "READ", nfs4_read, FH, NULL },
	[OP_READDIR] = { "READDIR", nfs4_readdir, FH, NULL },
	[OP_READLINK] = { "READLINK", nfs4_readlink, FH, NULL },
	[OP_REMOVE] = CHANGES("REMOVE", nfs4_remove, FH, "n"),
	[OP_RENAME] = ROFS("RENAME", FH | SAVED, "nn"),
	[OP_RENEW] = { "RENEW", nfs4_renew, V40, NULL },
	[OP_RESTOREFH] = { "RESTOREFH", nfs4_restorefh, 0, NULL },
	[OP_SAVEFH] = { "SAVEFH", nfs4_savefh, FH, NULL },
	[OP_SECINFO] = { "SECINFO", nfs4_secinfo, FH, NULL },
	[OP_SETATTR] = CHANGES("SETATTR", nfs4_setattr, FH | BITMAP, "sa"),
	[OP_SETCLIENTID] = { "SETCLIENTID", nfs4_setclientid, V40, NULL },
	[OP_SETCLIENTID_CONFIRM] = { "SETCLIENTID_CONFIRM", nfs4_setclientid_confirm, V40, NULL },
	[OP_VERIFY] = { "VERIFY", nfs4_verify, FH, NULL },
	[OP_WRITE] = CHANGES("WRITE", nfs4_write, FH, "s84d"),
	[OP_RELEASE_LOCKOWNER] = { "RELEASE_LOCKOWNER", nfs4_release_lockowner, V40, NULL },
	[OP_BACKCHANNEL_CTL] = NOTSUPP("BACKCHANNEL_CTL", V41),
	[OP_BIND_CONN_TO_SESSION] = { "BIND_CONN_TO_SESSION", nfs4_bind_conn_to_session,
				      V41 | ALONE, NULL },
	[OP_EXCHANGE_ID] = { "EXCHANGE_ID", nfs4_exchange_id, V41 | ALONE, NULL },
	[OP_CREATE_SESSION] = { "CREATE_SESSION", nfs4_create_session, V41 | ALONE, NULL },
	[OP_DESTROY_SESSION] = { "DESTROY_SESSION", nfs4_destroy_session, V41 | ALONE, NULL },
	[OP_FREE_STATEID] = { "FREE_STATEID", nfs4_free_stateid, V41, NULL },
	[OP_GET_DIR_DELEGATION] = NOTSUPP("GET_DIR_DELEGATION", V41 | FH),
	[OP_GETDEVICEINFO] = NOTSUPP("GETDEVICEINFO", V41),
	[OP_GETDEVICELIST] = NOTSUPP("GETDEVICELIST", V41 | FH),
	[OP_LAYOUTCOMMIT] = NOTSUPP("LAYOUTCOMMIT", V41 | FH),
	[OP_LAYOUTGET] = NOTSUPP("LAYOUTGET", V41 | FH),
	[OP_LAYOUTRETURN] = NOTSUPP("LAYOUTRETURN", V41 | FH),
	[OP_SECINFO_NO_NAME] = { "SECINFO_NO_NAME", nfs4_secinfo_no_name, V41 | FH, NULL },
	[OP_SEQUENCE] = { "SEQUENCE", nfs4_sequence, V41, NULL },
	[OP_SET_SSV] = NOTSUPP("SET_SSV", V41),
	[OP_TEST_STATEID] = { "TEST_STATEID", nfs4_test_stateid, V41, NULL },
	[OP_WANT_DELEGATION] = NOTSUPP("WANT_DELEGATION", V41),
	[OP_DESTROY_CLIENTID] = { "DESTROY_CLIENTID", nfs4_destroy_clientid, V41 | ALONE, NULL },
	[OP_RECLAIM_COMPLETE] = { "RECLAIM_COMPLETE", nfs4_reclaim_complete, V41, NULL },
};

static const struct nfs4_op nfs4_illegal = { .name = "ILLEGAL" };

static const struct nfs4_op *nfs4_op_find(const struct compound *c, uint32_t number)
{
	const struct nfs4_op *op = &nfs4_illegal;

	if (number < ARRAY_SIZE(nfs4_operations) && nfs4_operations[number].run)
		op = &nfs4_operations[number];
	return c->minor == 0 && (op->flags & V41) ? &nfs4_illegal : op;
}

/* RFC 8881 section 2.10.2.1 and the descriptions of the operations that create sessions. */
static uint32_t nfs4_op_check_session(const struct compound *c, const struct nfs4_op *op)
{
	bool first = c->index == 0;

	if (op->run == nfs4_sequence)
		return first ? NFS4_OK : NFS4ERR_SEQUENCE_POS;
	if (first && !(op->flags & ALONE))
		return NFS4ERR_OP_NOT_IN_SESSION;
	if (first && c->count > 1)
		return NFS4ERR_NOT_ONLY_OP;
	/* BIND_CONN_TO_SESSION concerns the connection, so it must come alone. */
	return !first && op->run == nfs4_bind_conn_to_session ? NFS4ERR_NOT_ONLY_OP : NFS4_OK;
}

/* Checks before the operation is run. */
static uint32_t nfs4_op_check(const struct compound *c, const struct nfs4_op *op)
{
	uint32_t status = NFS4_OK;

	if (!op->run)
		return NFS4ERR_OP_ILLEGAL;
	if (c->minor)
		status = nfs4_op_check_session(c, op);
	if (status)
		return status;
	if (c->slot.retry)
		return NFS4ERR_RETRY_UNCACHED_REP;
	if (c->minor && (op->flags & V40))
		return NFS4ERR_NOTSUPP;
	if (c->index >= NFS4_OPERATIONS)
		return NFS4ERR_RESOURCE;
	if (((op->flags & FH) && !c->current.fh.len) || ((op->flags & SAVED) && !c->saved.fh.len))
		return NFS4ERR_NOFILEHANDLE;
	return NFS4_OK;
}

/* Whether the reply has room. A following operation needs its number and status. */
static uint32_t nfs4_op_check_room(const struct compound *c)
{
	const struct call *call = c->call;
	size_t next = c->index + 1 < c->count ? 8 : 0, len = call_reply_length(call) + next;

	/* Payloads may go by Write chunk, which is decided later. */
	if (call->reply.bad || call->reply.len + next > call->room)
		return nfs4_too_big(c);
	if (!c->in_session)
		return NFS4_OK;
	if (len > c->slot.response_max)
		return NFS4ERR_REP_TOO_BIG;
	return c->slot.cache && len > c->slot.cached_max ? NFS4ERR_REP_TOO_BIG_TO_CACHE : NFS4_OK;
}

static uint32_t nfs4_op_run(struct compound *c)
{
	struct call *call = c->call;
	const uint32_t payloads = call->payload_count;
	const struct call_read read = call->read;
	const uint32_t number = reader_u32(&call->args);
	uint32_t status, room;

	c->op = nfs4_op_find(c, number);
	writer_u32(&call->reply, c->op->run ? number : OP_ILLEGAL);
	c->status_at = call->reply.len;
	writer_u32(&call->reply, NFS4_OK);
	status = call->args.bad ? NFS4ERR_BADXDR : nfs4_op_check(c, c->op);
	if (!status)
		status = c->op->run(c);
	if (c->slot.replayed)
		return NFS4_OK;
	if (call->args.bad)
		status = NFS4ERR_BADXDR;
	call->args.bad = false;
	room = nfs4_op_check_room(c);
	call->reply.bad = false;
	if (room || status) {
		status = room ? room : status;
		/* A failed operation has only its status as the result, with two exceptions.
		 * One is CLID_INUSE, which has the address of the current owner. */
		if (status != NFS4ERR_CLID_INUSE)
			call->reply.len = c->status_at + 4;
		if (c->op->flags & BITMAP)
			writer_u32(&call->reply, 0);
		call->payload_count = payloads;
		call->read = read;
	}
	/* Record a READ even if it failed. */
	call->read.tried |= c->op->run == nfs4_read;
	put_be32(call->reply.base + c->status_at, status);
	debug(DEBUG_NFS, "xid %08x %s: %u", call->rpc.xid, c->op->name, status);
	return status;
}

static uint32_t nfs4_compound_run(struct compound *c)
{
	struct writer *w = &c->call->reply;
	uint32_t status = NFS4_OK;

	for (; c->index < c->count && !status; c->index++) {
		/* There is no room even for a failure. */
		if (w->cap - w->len < 12)
			return nfs4_too_big(c);
		status = nfs4_op_run(c);
		if (c->slot.replayed)
			return NFS4_OK;
		put_be32(w->base + c->count_at, c->index + 1);
		put_be32(w->base + c->start, status);
	}
	return status;
}

static enum rpc_accept_stat nfs4_compound(struct call *call)
{
	struct compound c = {
		.call = call,
		.state = call->nfs4,
		.args = call->args.p,
		.args_len = reader_left(&call->args),
		.start = call->reply.len,
	};
	uint32_t tag_len, status = NFS4ERR_MINOR_VERS_MISMATCH;
	const uint8_t *tag = reader_opaque(&call->args, NFS4_OPAQUE_LIMIT, &tag_len);

	c.minor = reader_u32(&call->args);
	c.count = reader_u32(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	if (!call->nfs4)
		return RPC_PROC_UNAVAIL;
	writer_u32(&call->reply, c.minor > MINOR_MAX ? status : NFS4_OK);
	writer_opaque(&call->reply, tag, tag_len);
	c.count_at = call->reply.len;
	writer_u32(&call->reply, 0);
	if (call->reply.bad)
		return RPC_SYSTEM_ERR;
	if (c.minor <= MINOR_MAX)
		status = nfs4_compound_run(&c);
	if (c.in_session && !c.slot.retry)
		nfs4_slots_end(c.state, &c.slot, call, c.start);
	/* RFC 8166 section 6.1: a chunk that was not of a DDP-eligible argument. */
	return (call->reduced || (call->chunk.len && !call->chunk.taken)) && !status &&
			       !c.slot.replayed
		       ? RPC_GARBAGE_ARGS
		       : RPC_SUCCESS;
}

static enum rpc_accept_stat nfs4_null(struct call *call)
{
	(void)call;
	return RPC_SUCCESS;
}

/* WRITE's data and CREATE's link text may come by Read chunk (RFC 8267 section 6). */
static const struct rpc_procedure nfs4_procedures[] = {
	[NFSPROC4_NULL] = { .name = "NULL", .run = nfs4_null },
	[NFSPROC4_COMPOUND] = { .name = "COMPOUND", .run = nfs4_compound, .reducible = true },
};

const struct rpc_program nfs4_program = {
	.prog = NFS_PROGRAM_NUMBER,
	.vers = 4,
	.procedures = nfs4_procedures,
	.count = ARRAY_SIZE(nfs4_procedures),
};
