/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* COMPOUND as libnfs reads and writes it. Only for bytes that we made ourselves: libnfs 4.0.0
 * reads outside its buffer when a length word is hostile. */
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/nfs/libnfs-compat.h"
#include "tests/support/libnfs-nfs4.h"

struct text {
	char *buf;
	size_t len, cap;
};

static void say(struct text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->cap - t->len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < t->cap - t->len)
		t->len += (size_t)n;
}

static void say_bytes(struct text *t, const char *what, const void *bytes, size_t len)
{
	char hex[512];

	hex_text(bytes, len, hex, sizeof(hex));
	say(t, " %s %s", what, hex);
}

static void say_bitmap(struct text *t, const bitmap4 *map)
{
	u_int i;

	say(t, " attributes");
	for (i = 0; i < map->bitmap4_len; i++)
		say(t, " %08x", map->bitmap4_val[i]);
}

/* @from: what libnfs allocates is aligned to 4 bytes only. */
static void say_operation(struct text *t, const void *from)
{
	nfs_argop4 copy, *op = &copy;
	const READ4args *rd = &op->nfs_argop4_u.opread;
	const READDIR4args *dir = &op->nfs_argop4_u.opreaddir;
	const PUTFH4args *fh = &op->nfs_argop4_u.opputfh;
	const LOOKUP4args *lookup = &op->nfs_argop4_u.oplookup;
	const REMOVE4args *rm = &op->nfs_argop4_u.opremove;
	const SETATTR4args *set = &op->nfs_argop4_u.opsetattr;
	const WRITE4args *wr = &op->nfs_argop4_u.opwrite;
	const COMMIT4args *commit = &op->nfs_argop4_u.opcommit;

	memcpy(op, from, sizeof(*op));
	say(t, "%d", op->argop);
	switch (op->argop) {
	case OP_PUTFH:
		say_bytes(t, "object", fh->object.nfs_fh4_val, fh->object.nfs_fh4_len);
		break;
	case OP_LOOKUP:
		say(t, " name %.*s", (int)lookup->objname.utf8string_len,
		    lookup->objname.utf8string_val);
		break;
	case OP_GETATTR: say_bitmap(t, &op->nfs_argop4_u.opgetattr.attr_request); break;
	case OP_READ:
		say(t, " seqid %u", rd->stateid.seqid);
		say_bytes(t, "other", rd->stateid.other, sizeof(rd->stateid.other));
		say(t, " offset %llu count %u", (unsigned long long)rd->offset, rd->count);
		break;
	case OP_SETATTR:
		say(t, " seqid %u", set->stateid.seqid);
		say_bytes(t, "other", set->stateid.other, sizeof(set->stateid.other));
		say_bitmap(t, &set->obj_attributes.attrmask);
		say_bytes(t, "values", set->obj_attributes.attr_vals.attrlist4_val,
			  set->obj_attributes.attr_vals.attrlist4_len);
		break;
	case OP_WRITE:
		say(t, " seqid %u", wr->stateid.seqid);
		say_bytes(t, "other", wr->stateid.other, sizeof(wr->stateid.other));
		say(t, " offset %llu stable %d length %u", (unsigned long long)wr->offset,
		    (int)wr->stable, wr->data.data_len);
		break;
	case OP_COMMIT:
		say(t, " offset %llu count %u", (unsigned long long)commit->offset, commit->count);
		break;
	case OP_REMOVE:
		say(t, " name %.*s", (int)rm->target.utf8string_len, rm->target.utf8string_val);
		break;
	case OP_READDIR:
		say(t, " cookie %llx", (unsigned long long)dir->cookie);
		say_bytes(t, "verifier", dir->cookieverf, sizeof(dir->cookieverf));
		say(t, " dircount %u maxcount %u", dir->dircount, dir->maxcount);
		say_bitmap(t, &dir->attr_request);
		break;
	default: break;
	}
	say(t, "\n");
}

int libnfs_nfs4_args_text(const void *args, size_t len, char *text, size_t cap)
{
	struct text t = { .buf = text, .cap = cap };
	COMPOUND4args compound;
	u_int i;
	bool good;
	ZDR zdr;

	memset(&compound, 0, sizeof(compound));
	zdrmem_create(&zdr, (void *)args, (uint32_t)len, ZDR_DECODE);
	good = zdr_COMPOUND4args(&zdr, &compound) && zdr_getpos(&zdr) == len;
	if (good) {
		say(&t, "tag of %u minor %u\n", compound.tag.utf8string_len, compound.minorversion);
		for (i = 0; i < compound.argarray.argarray_len; i++)
			say_operation(&t, (const char *)compound.argarray.argarray_val +
						  i * sizeof(nfs_argop4));
	}
	zdr_destroy(&zdr);
	return good ? 0 : -1;
}

ssize_t libnfs_nfs4_results_again(const void *results, size_t len, void *buf, size_t cap)
{
	COMPOUND4res compound;
	ssize_t again = -1;
	ZDR from, to;

	memset(&compound, 0, sizeof(compound));
	zdrmem_create(&from, (void *)results, (uint32_t)len, ZDR_DECODE);
	zdrmem_create(&to, buf, (uint32_t)cap, ZDR_ENCODE);
	if (zdr_COMPOUND4res(&from, &compound) && zdr_getpos(&from) == len &&
	    zdr_COMPOUND4res(&to, &compound))
		again = zdr_getpos(&to);
	zdr_destroy(&to);
	zdr_destroy(&from);
	return again;
}
