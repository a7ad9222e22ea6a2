/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The NFSv4 operations that write, which return NFS4ERR_ROFS once their arguments match the shape
 * in the row, and the unsupported ones. */
#include "rpcrdma/server/nfs4-internal.h"

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

uint32_t nfs4_notsupp(struct compound *c)
{
	(void)c;
	return NFS4ERR_NOTSUPP;
}
