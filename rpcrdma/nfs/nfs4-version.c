/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The rows of NFSv4.0 (RFC 7530), 4.1 (RFC 8881) and 4.2 (RFC 7862): which operations make up the
 * COMPOUND of a request. nfs4-args.c writes it and nfs4-results.c reads its reply, both from one
 * table here. */
#include "rpcrdma/nfs/version-internal.h"

#define BIT(number) (1u << ((number) % 32))

#define TIMES (BIT(FATTR4_TIME_ACCESS) | BIT(FATTR4_TIME_METADATA) | BIT(FATTR4_TIME_MODIFY))

/* The attributes of struct nfs_attr, in the two words of a bitmap4. */
#define IDENTITY_0 (BIT(FATTR4_TYPE) | BIT(FATTR4_SIZE) | BIT(FATTR4_FSID) | BIT(FATTR4_FILEID))
#define IDENTITY_1                                                                               \
	(BIT(FATTR4_MODE) | BIT(FATTR4_NUMLINKS) | BIT(FATTR4_OWNER) | BIT(FATTR4_OWNER_GROUP) | \
	 BIT(FATTR4_SPACE_USED) | TIMES)
/* Without RDATTR_ERROR one entry with unavailable attributes fails the whole READDIR (RFC 7530
 * section 16.24.4). */
#define ENTRY_0                                                                                    \
	(BIT(FATTR4_TYPE) | BIT(FATTR4_SIZE) | BIT(FATTR4_RDATTR_ERROR) | BIT(FATTR4_FILEHANDLE) | \
	 BIT(FATTR4_FILEID))
#define ENTRY_1                                                                                    \
	(BIT(FATTR4_MODE) | BIT(FATTR4_OWNER) | BIT(FATTR4_OWNER_GROUP) | BIT(FATTR4_SPACE_USED) | \
	 TIMES)
#define LIMITS_0 (BIT(FATTR4_LEASE_TIME) | BIT(FATTR4_MAXREAD) | BIT(FATTR4_MAXWRITE))

static const struct nfs4_compound nfs4_compounds[NFS_OP_COUNT] = {
	[NFS_OP_GETATTR] = { { OP_PUTFH, OP_GETATTR }, { { IDENTITY_0, IDENTITY_1 }, false } },
	[NFS_OP_LOOKUP] = { { OP_PUTFH, OP_LOOKUP, OP_GETFH, OP_GETATTR },
			    { { IDENTITY_0, IDENTITY_1 }, false } },
	[NFS_OP_READLINK] = { { OP_PUTFH, OP_READLINK }, { { 0 }, false } },
	[NFS_OP_READ] = { { OP_PUTFH, OP_READ }, { { 0 }, false } },
	[NFS_OP_READDIR] = { { OP_PUTFH, OP_READDIR }, { { ENTRY_0, ENTRY_1 }, false } },
	[NFS_OP_LIMITS] = { { OP_PUTFH, OP_GETATTR }, { { LIMITS_0 }, false } },
	[NFS_OP_SPACE] = { { OP_PUTFH, OP_GETATTR }, { { 0, BIT(FATTR4_SPACE_AVAIL) }, false } },
	[NFS_OP_CREATE] = { { OP_PUTFH, OP_OPEN, OP_GETFH, OP_GETATTR, OP_CLOSE },
			    { { IDENTITY_0, IDENTITY_1 }, false } },
	[NFS_OP_SET_MODE] = { { OP_PUTFH, OP_SETATTR }, { { 0 }, false } },
	[NFS_OP_WRITE] = { { OP_PUTFH, OP_WRITE, OP_GETATTR },
			   { { IDENTITY_0, IDENTITY_1 }, false } },
	[NFS_OP_COMMIT] = { { OP_PUTFH, OP_COMMIT }, { { 0 }, false } },
	[NFS_OP_REMOVE] = { { OP_PUTFH, OP_REMOVE }, { { 0 }, false } },
	[NFS_OP_ROOT] = { { OP_PUTROOTFH, OP_GETFH, OP_GETATTR },
			  { { IDENTITY_0, IDENTITY_1 }, false } },
	[NFS_OP_READ_GETATTR] = { { OP_PUTFH, OP_READ, OP_GETATTR },
				  { { IDENTITY_0, IDENTITY_1 }, false } },
	[NFS_OP_READ_READ] = { { OP_PUTFH, OP_READ, OP_READ }, { { 0 }, false } },
};

const struct nfs4_compound *nfs4_compound_of(enum nfs_op op)
{
	return &nfs4_compounds[op];
}

uint32_t nfs4_compound_count(const struct nfs_version *version,
			     const struct nfs4_compound *compound)
{
	uint32_t count = 0;

	while (count < ARRAY_SIZE(compound->ops) && compound->ops[count])
		count++;
	return version->sessions ? count + 1 : count;
}

uint32_t nfs4_compound_op(const struct nfs_version *version, const struct nfs4_compound *compound,
			  uint32_t i)
{
	if (!version->sessions)
		return compound->ops[i];
	return i == 0 ? OP_SEQUENCE : compound->ops[i - 1];
}

static uint32_t nfs4_proc(enum nfs_op op)
{
	(void)op;
	return NFSPROC4_COMPOUND;
}

/* An RPC reply with AUTH_NONE's verifier; the COMPOUND's status, empty tag and count; SEQUENCE's
 * result; and operation and status of each of two more. */
#define HEAD_40 (24 + 12 + 2 * 8)
#define HEAD_41 (HEAD_40 + 8 + NFS4_SESSIONID_SIZE + 5 * 4)
/* GETATTR and a bitmap4 of two words. */
#define WRITE_TAIL (4 + 4 + 2 * 4)

/* maxcount counts the whole READDIR4resok (RFC 7530 section 16.24.4). */
/* clang-format off */
#define VERSION(name_, minor_, sessions_, head_) \
	{                                        \
		.name = name_,                   \
		.vers = 4,                       \
		.minor = minor_,                 \
		.sessions = sessions_,           \
		.read_head = (head_) + 4 + 4,    \
		.readlink_head = (head_) + 4,    \
		.write_tail = WRITE_TAIL,        \
		.readdir_head = head_,           \
		.proc = nfs4_proc,               \
		.encode = nfs4_args_encode,      \
		.decode = nfs4_results_decode,   \
		.status_text = nfs4_status_text, \
	}
/* clang-format on */

const struct nfs_version nfs4_version_0 = VERSION("4.0", 0, false, HEAD_40);
const struct nfs_version nfs4_version_1 = VERSION("4.1", 1, true, HEAD_41);
const struct nfs_version nfs4_version_2 = VERSION("4.2", 2, true, HEAD_41);
