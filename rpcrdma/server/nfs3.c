/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS version 3, RFC 1813.
 *
 * Credentials are ignored: an export shows only objects that "others" may read. */
#include "rpcrdma/server/internal.h"

/* ACCESS3 bits, section 3.3.4 */
#define ACCESS_READ    0x01
#define ACCESS_MODIFY  0x04
#define ACCESS_EXTEND  0x08
#define ACCESS_LOOKUP  0x02
#define ACCESS_DELETE  0x10
#define ACCESS_EXECUTE 0x20

/* FSINFO properties, section 3.3.19 */
#define FSF_LINK        0x01
#define FSF_SYMLINK     0x02
#define FSF_HOMOGENEOUS 0x08

#define DTPREF (32 * 1024)

/* XDR shared by many procedures */

uint32_t nfs3_get_name(struct reader *r, char *name)
{
	uint32_t len;
	const uint8_t *p = reader_opaque(r, SERVER_CALL_MAX, &len);

	*name = '\0';
	if (!p)
		return NFS3_STATUS_OK; /* the call fails, as the reader is bad */
	if (len > NFS3_NAME_MAX)
		return NFS3_STATUS_NAMETOOLONG;
	/* Section 3.2: a server may refuse names; these would be misinterpreted here. */
	if (!len || memchr(p, '/', len) || memchr(p, '\0', len))
		return NFS3_STATUS_ACCES;
	memcpy(name, p, len);
	name[len] = '\0';
	return NFS3_STATUS_OK;
}

/* post_op_attr: the current attributes, or none. */
static void nfs3_put_post_op(struct call *call, const struct nfs_fh *fh)
{
	struct nfs_attr attr;
	bool has = !call->exp->ops->getattr(call->exp, fh, &attr);

	writer_bool(&call->reply, has);
	if (has)
		nfs3_put_attr(&call->reply, &attr);
}

/* Procedures */

static enum rpc_accept_stat nfs3_null(struct call *call)
{
	(void)call;
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_getattr(struct call *call)
{
	struct nfs_attr attr;
	struct nfs_fh fh;
	uint32_t status;

	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	status = call->exp->ops->getattr(call->exp, &fh, &attr);
	writer_u32(&call->reply, status);
	if (!status)
		nfs3_put_attr(&call->reply, &attr);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_lookup(struct call *call)
{
	char name[NFS3_NAME_MAX + 1];
	struct nfs_fh dir, fh;
	uint32_t status;

	nfs_get_fh(&call->args, NFS3_FH_MAX, &dir);
	status = nfs3_get_name(&call->args, name);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	if (!status)
		status = call->exp->ops->lookup(call->exp, &dir, name, &fh);
	writer_u32(&call->reply, status);
	if (!status) {
		nfs_put_fh(&call->reply, &fh);
		nfs3_put_post_op(call, &fh);
	}
	nfs3_put_post_op(call, &dir);
	return RPC_SUCCESS;
}

uint32_t nfs3_access_granted(const struct export *exp, const struct nfs_attr *attr)
{
	uint32_t granted = 0;

	if (attr->mode & 04)
		granted |= ACCESS_READ;
	if (export_is_writable(exp) && attr->type == NFS_DIR && attr->mode & 02)
		granted |= ACCESS_MODIFY | ACCESS_EXTEND | ACCESS_DELETE;
	/* A file that a client made: whoever knows its handle. */
	if (export_is_writable(exp) && attr->fileid > MADE_FIRST)
		granted |= ACCESS_READ | ACCESS_MODIFY | ACCESS_EXTEND;
	if (attr->mode & 01)
		granted |= attr->type == NFS_DIR ? ACCESS_LOOKUP | ACCESS_EXECUTE : ACCESS_EXECUTE;
	return granted;
}

static enum rpc_accept_stat nfs3_access(struct call *call)
{
	struct nfs_attr attr;
	struct nfs_fh fh;
	uint32_t status, wanted;

	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	wanted = reader_u32(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	status = call->exp->ops->getattr(call->exp, &fh, &attr);
	writer_u32(&call->reply, status);
	writer_bool(&call->reply, !status);
	if (!status) {
		nfs3_put_attr(&call->reply, &attr);
		writer_u32(&call->reply, wanted & nfs3_access_granted(call->exp, &attr));
	}
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_readlink(struct call *call)
{
	struct export_read read = { .scratch = call->scratch };
	struct nfs_fh fh;
	uint32_t status;

	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	status = call->exp->ops->readlink(call->exp, &fh, &read);
	writer_u32(&call->reply, status);
	nfs3_put_post_op(call, &fh);
	if (!status)
		call_payload(call, read.data, read.len);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_read(struct call *call)
{
	struct export_read read = { .scratch = call->scratch };
	struct nfs_fh fh;
	uint32_t status;

	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	read.offset = reader_u64(&call->args);
	read.count = min_u32(reader_u32(&call->args), call->rtmax);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	status = call->exp->ops->read(call->exp, &fh, &read);
	call->read = (struct call_read){
		.tried = true,
		.fh = fh,
		.offset = read.offset,
		.asked = read.count,
		.status = call->reply.len,
	};
	writer_u32(&call->reply, status);
	nfs3_put_post_op(call, &fh);
	if (status)
		return RPC_SUCCESS;
	call->read.served = true;
	call->read.end = call->read.count = call->reply.len;
	writer_u32(&call->reply, read.len);
	call->read.eof = call->reply.len;
	writer_bool(&call->reply, read.eof);
	call_payload(call, read.data, read.len);
	return RPC_SUCCESS;
}

/* Status and post_op_attr of FSSTAT, FSINFO and PATHCONF, which take a handle alone. */
static bool nfs3_start_fs(struct call *call, enum rpc_accept_stat *stat)
{
	struct nfs_attr attr;
	struct nfs_fh fh;
	uint32_t status;

	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	*stat = call->args.bad ? RPC_GARBAGE_ARGS : RPC_SUCCESS;
	if (call->args.bad)
		return false;
	status = call->exp->ops->getattr(call->exp, &fh, &attr);
	writer_u32(&call->reply, status);
	writer_bool(&call->reply, !status);
	if (!status)
		nfs3_put_attr(&call->reply, &attr);
	return !status;
}

static enum rpc_accept_stat nfs3_fsstat(struct call *call)
{
	struct export_space space = { 0 };
	enum rpc_accept_stat stat;

	if (!nfs3_start_fs(call, &stat))
		return stat;
	call->exp->ops->space(call->exp, &space);
	writer_u64(&call->reply, space.bytes);
	writer_u64(&call->reply, space.bytes_free);
	writer_u64(&call->reply, export_is_writable(call->exp) ? space.bytes_free : 0);
	writer_u64(&call->reply, space.files);
	writer_u64(&call->reply, space.files_free);
	writer_u64(&call->reply, export_is_writable(call->exp) ? space.files_free : 0);
	writer_u32(&call->reply, 0); /* invarsec */
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_fsinfo(struct call *call)
{
	struct writer *w = &call->reply;
	enum rpc_accept_stat stat;

	if (!nfs3_start_fs(call, &stat))
		return stat;
	writer_u32(w, call->rtmax);
	writer_u32(w, call->rtmax); /* rtpref */
	writer_u32(w, 4096);        /* rtmult */
	writer_u32(w, server_wtmax(call->exp));
	writer_u32(w, server_wtmax(call->exp)); /* wtpref */
	writer_u32(w, 4096);                    /* wtmult */
	writer_u32(w, DTPREF);
	writer_u64(w, INT64_MAX); /* maxfilesize */
	writer_u32(w, 0);         /* time_delta: seconds, */
	writer_u32(w, 1);         /* nanoseconds */
	writer_u32(w, FSF_LINK | FSF_SYMLINK | FSF_HOMOGENEOUS);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_pathconf(struct call *call)
{
	enum rpc_accept_stat stat;

	if (!nfs3_start_fs(call, &stat))
		return stat;
	writer_u32(&call->reply, 32000); /* linkmax */
	writer_u32(&call->reply, NFS3_NAME_MAX);
	writer_bool(&call->reply, true);  /* no_trunc */
	writer_bool(&call->reply, true);  /* chown_restricted */
	writer_bool(&call->reply, false); /* case_insensitive */
	writer_bool(&call->reply, true);  /* case_preserving */
	return RPC_SUCCESS;
}

/* Procedures that a read-only export refuses: NFS3ERR_ROFS with the failure body of RFC 1813, the
 * attributes of the objects that would have changed. The procedure's row lists the handles and
 * names in its arguments and the bodies in its result. */

#define HANDLES_MAX 2

static enum rpc_accept_stat nfs3_refuse(struct call *call)
{
	uint32_t status = NFS3_STATUS_OK, count = 0, wrong, i;
	struct nfs_fh handles[HANDLES_MAX] = { { .len = 0 } };
	char name[NFS3_NAME_MAX + 1];
	struct nfs_attr attr;
	const char *shape;

	/* The arguments in the row; the first error is the status. */
	for (shape = call->procedure->args; *shape; shape++) {
		if (*shape == 'n') {
			wrong = nfs3_get_name(&call->args, name);
		} else {
			nfs_get_fh(&call->args, NFS3_FH_MAX, &handles[count]);
			wrong = call->args.bad ? NFS3_STATUS_OK
					       : call->exp->ops->getattr(call->exp, &handles[count],
									 &attr);
			count++;
		}
		if (!status)
			status = wrong;
	}
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	writer_u32(&call->reply, status ? status : NFS3_STATUS_ROFS);
	for (i = 0; call->procedure->results[i]; i++) {
		/* wcc_data: pre_op_attr, which is optional, and post_op_attr */
		if (call->procedure->results[i] == 'w')
			writer_bool(&call->reply, false);
		nfs3_put_post_op(call, &handles[i]);
	}
	return RPC_SUCCESS;
}

/* Procedures that change files, sections 3.3.2, 3.3.7, 3.3.8, 3.3.12 and 3.3.21. pre_op_attr is
 * optional, and never sent. */

#define UNCHECKED 0 /* createmode3 */
#define GUARDED   1
#define EXCLUSIVE 2

#define SET_TO_CLIENT_TIME 2 /* time_how */

static void nfs3_put_wcc(struct call *call, const struct nfs_fh *fh)
{
	writer_bool(&call->reply, false);
	nfs3_put_post_op(call, fh);
}

static bool nfs3_get_optional(struct reader *r, uint32_t *value)
{
	bool has = reader_bool(r);

	if (has)
		*value = reader_u32(r);
	return has;
}

/* Times are not set: they say when this server changed the file. */
static void nfs3_skip_time(struct reader *r)
{
	if (reader_u32(r) == SET_TO_CLIENT_TIME)
		reader_u64(r);
}

static void nfs3_get_sattr(struct reader *r, struct export_setattr *set)
{
	*set = (struct export_setattr){ .has_size = false };
	set->has_mode = nfs3_get_optional(r, &set->mode);
	set->has_uid = nfs3_get_optional(r, &set->uid);
	set->has_gid = nfs3_get_optional(r, &set->gid);
	set->has_size = reader_bool(r);
	if (set->has_size)
		set->size = reader_u64(r);
	nfs3_skip_time(r);
	nfs3_skip_time(r);
}

static enum rpc_accept_stat nfs3_setattr(struct call *call)
{
	struct export_setattr set;
	struct nfs_fh fh;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	nfs3_get_sattr(&call->args, &set);
	/* sattrguard3 is not checked: one client changes a file here. */
	if (reader_bool(&call->args))
		reader_u64(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	writer_u32(&call->reply, call->exp->ops->setattr(call->exp, &fh, &set));
	nfs3_put_wcc(call, &fh);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_write(struct call *call)
{
	struct call_write w = { .len = 0 };
	uint32_t count, status;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &w.fh);
	w.offset = reader_u64(&call->args);
	count = reader_u32(&call->args);
	w.stable = reader_u32(&call->args);
	if (!call_write_data(call, &w) || call->args.bad || count != w.len || w.stable > FILE_SYNC)
		return RPC_GARBAGE_ARGS;
	status = call_write(call, &w);
	writer_u32(&call->reply, status);
	nfs3_put_wcc(call, &w.fh);
	if (status)
		return RPC_SUCCESS;
	writer_u32(&call->reply, w.count);
	writer_u32(&call->reply, w.committed);
	writer_bytes(&call->reply, w.verifier, sizeof(w.verifier));
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_create(struct call *call)
{
	char name[NFS3_NAME_MAX + 1];
	struct export_create create = { .name = name,
					.uid = call->rpc.cred.uid,
					.gid = call->rpc.cred.gid };
	struct export_setattr set = { .has_size = false };
	struct nfs_fh dir, fh;
	const uint8_t *verifier;
	uint32_t status, how;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &dir);
	status = nfs3_get_name(&call->args, name);
	how = reader_u32(&call->args);
	create.guarded = how == GUARDED;
	create.exclusive = how == EXCLUSIVE;
	if (how == EXCLUSIVE) {
		verifier = reader_bytes(&call->args, sizeof(create.verifier));
		if (verifier)
			memcpy(create.verifier, verifier, sizeof(create.verifier));
	} else {
		nfs3_get_sattr(&call->args, &set);
		create.mode = set.has_mode ? set.mode : 0;
		create.truncate = how == UNCHECKED && set.has_size && !set.size;
	}
	if (call->args.bad || how > EXCLUSIVE)
		return RPC_GARBAGE_ARGS;
	fault_create(call, &create);
	if (!status)
		status = call->exp->ops->create(call->exp, &dir, &create, &fh);
	writer_u32(&call->reply, status);
	if (!status) {
		writer_bool(&call->reply, true);
		nfs_put_fh(&call->reply, &fh);
		nfs3_put_post_op(call, &fh);
	}
	nfs3_put_wcc(call, &dir);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_remove(struct call *call)
{
	char name[NFS3_NAME_MAX + 1];
	struct nfs_fh dir;
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &dir);
	status = nfs3_get_name(&call->args, name);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	if (!status)
		status = call->exp->ops->remove(call->exp, &dir, name);
	writer_u32(&call->reply, status);
	nfs3_put_wcc(call, &dir);
	return RPC_SUCCESS;
}

static enum rpc_accept_stat nfs3_commit(struct call *call)
{
	static const struct export_setattr nothing = { .has_size = false };
	uint8_t verifier[8];
	struct nfs_fh fh;
	uint32_t status;

	if (!export_is_writable(call->exp))
		return nfs3_refuse(call);
	nfs_get_fh(&call->args, NFS3_FH_MAX, &fh);
	reader_u64(&call->args); /* offset and count: all is committed */
	reader_u32(&call->args);
	if (call->args.bad)
		return RPC_GARBAGE_ARGS;
	status = call->exp->ops->setattr(call->exp, &fh, &nothing);
	writer_u32(&call->reply, status);
	nfs3_put_wcc(call, &fh);
	if (status)
		return RPC_SUCCESS;
	call_commit(call, verifier);
	writer_bytes(&call->reply, verifier, sizeof(verifier));
	return RPC_SUCCESS;
}

/* READDIR and READDIRPLUS, sections 3.3.16 and 3.3.17. A reply has as many entries as the
 * client's count, the transport's room and our buffer hold, the smallest of them; directory
 * entries are never eligible for a Write chunk (RFC 8267 section 3). */

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

static enum rpc_accept_stat nfs3_readdir(struct call *call)
{
	return nfs3_dir_list(call, false);
}

static enum rpc_accept_stat nfs3_readdirplus(struct call *call)
{
	return nfs3_dir_list(call, true);
}

/* Shapes of the procedures that write as nfs3_refuse() needs them: arguments f file handle, n name;
 * results w wcc_data, p post_op_attr. Arguments are decoded only as far as needed. */
/* clang-format off */
#define REFUSED(name_, args_, results_) \
	{ .name = name_, .run = nfs3_refuse, .args = args_, .results = results_ }
#define REFUSED_DATA(name_, args_, results_) { name_, nfs3_refuse, true, args_, results_ }
#define CHANGES(name_, run_, args_, results_) \
	{ .name = name_, .run = run_, .args = args_, .results = results_ }
#define CHANGES_DATA(name_, run_, args_, results_) { name_, run_, true, args_, results_ }
/* clang-format on */

static const struct rpc_procedure nfs3_procedures[NFS3_PROC_COUNT] = {
	[NFS3_NULL] = { .name = "NULL", .run = nfs3_null },
	[NFS3_GETATTR] = { .name = "GETATTR", .run = nfs3_getattr },
	[NFS3_SETATTR] = CHANGES("SETATTR", nfs3_setattr, "f", "w"),
	[NFS3_LOOKUP] = { .name = "LOOKUP", .run = nfs3_lookup },
	[NFS3_ACCESS] = { .name = "ACCESS", .run = nfs3_access },
	[NFS3_READLINK] = { .name = "READLINK", .run = nfs3_readlink },
	[NFS3_READ] = { .name = "READ", .run = nfs3_read },
	[NFS3_WRITE] = CHANGES_DATA("WRITE", nfs3_write, "f", "w"),
	[NFS3_CREATE] = CHANGES("CREATE", nfs3_create, "fn", "w"),
	[NFS3_MKDIR] = REFUSED("MKDIR", "fn", "w"),
	[NFS3_SYMLINK] = REFUSED_DATA("SYMLINK", "fn", "w"),
	[NFS3_MKNOD] = REFUSED("MKNOD", "fn", "w"),
	[NFS3_REMOVE] = CHANGES("REMOVE", nfs3_remove, "fn", "w"),
	[NFS3_RMDIR] = REFUSED("RMDIR", "fn", "w"),
	[NFS3_RENAME] = REFUSED("RENAME", "fnfn", "ww"),
	[NFS3_LINK] = REFUSED("LINK", "ffn", "pw"),
	[NFS3_READDIR] = { .name = "READDIR", .run = nfs3_readdir },
	[NFS3_READDIRPLUS] = { .name = "READDIRPLUS", .run = nfs3_readdirplus },
	[NFS3_FSSTAT] = { .name = "FSSTAT", .run = nfs3_fsstat },
	[NFS3_FSINFO] = { .name = "FSINFO", .run = nfs3_fsinfo },
	[NFS3_PATHCONF] = { .name = "PATHCONF", .run = nfs3_pathconf },
	[NFS3_COMMIT] = CHANGES("COMMIT", nfs3_commit, "f", "w"),
};

const struct rpc_program nfs3_program = {
	.prog = NFS_PROGRAM_NUMBER,
	.vers = 3,
	.procedures = nfs3_procedures,
	.count = NFS3_PROC_COUNT,
};
