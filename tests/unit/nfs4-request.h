/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The requests of tests/wire/nfs4/: the first line of a file's text says which, "4.1 READ" or
 * "4.1 READ reduced", and what all of them have in common is here. */
#ifndef TESTS_UNIT_NFS4_REQUEST_H
#define TESTS_UNIT_NFS4_REQUEST_H

#include "rpcrdma/nfs/version.h"
#include "tests/unit/golden.h"

static const char *const op_names[NFS_OP_COUNT] = {
	[NFS_OP_GETATTR] = "GETATTR",     [NFS_OP_LOOKUP] = "LOOKUP",
	[NFS_OP_READLINK] = "READLINK",   [NFS_OP_READ] = "READ",
	[NFS_OP_READDIR] = "READDIR",     [NFS_OP_LIMITS] = "LIMITS",
	[NFS_OP_ROOT] = "ROOT",           [NFS_OP_READ_GETATTR] = "READ_GETATTR",
	[NFS_OP_READ_READ] = "READ_READ", [NFS_OP_SPACE] = "SPACE",
	[NFS_OP_CREATE] = "CREATE",       [NFS_OP_SET_MODE] = "SET_MODE",
	[NFS_OP_WRITE] = "WRITE",         [NFS_OP_COMMIT] = "COMMIT",
	[NFS_OP_REMOVE] = "REMOVE",
};

static const struct nfs_request golden_values = {
	.fh = { 10, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 } },
	.name = "images",
	.offset = 0x1234567800,
	.count = 1023,
	.stable = NFS_FILE_SYNC,
	.mode = 0600,
	.offset2 = 0x200000,
	.count2 = 4096,
	.cookie = 0x1122334455667788,
	.verifier = { 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0xff },
	.dircount = 512,
	.maxcount = 4096,
	.sequence = { { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b,
			0x1c, 0x1d, 0x1e, 0x1f },
		      7,
		      2,
		      3 },
};

struct golden_request {
	const struct nfs_version *version;
	struct nfs_request request;
	bool reduced;
};

static inline bool golden_request_parse(struct golden_request *q, const struct golden *g)
{
	char version[16], op[16], rest[16];
	int fields;

	*q = (struct golden_request){ .request = golden_values };
	fields = sscanf(g->text, "%15s %15s%*1[ ]%15s", version, op, rest);
	if (fields < 2)
		return false;
	q->version = nfs_version_find(version);
	q->reduced = fields == 3 && !strcmp(rest, "reduced");
	while (q->request.op < NFS_OP_COUNT && strcmp(op_names[q->request.op], op))
		q->request.op++;
	return q->version && q->request.op < NFS_OP_COUNT;
}

#endif
