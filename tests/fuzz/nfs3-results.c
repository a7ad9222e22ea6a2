/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Results of NFSv3 procedures; the first byte says which. What is handed out lies in the input,
 * and no length goes beyond its type. */
#include "rpcrdma/nfs/nfs.h"
#include "tests/fuzz/fuzz.h"

struct input {
	const uint8_t *data;
	size_t size;
	uint32_t entries;
};

static void check_inside(const struct input *in, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	FUZZ_CHECK(p >= in->data && p <= in->data + in->size);
	FUZZ_CHECK(len <= (size_t)(in->data + in->size - p));
}

static void check_attr(bool has_attr, const struct nfs_attr *attr)
{
	FUZZ_CHECK(!has_attr || (attr->type >= NFS_REG && attr->type <= NFS_FIFO));
}

static int check_entry(void *arg, const struct nfs_entry *entry)
{
	struct input *in = arg;

	check_inside(in, entry->name, entry->name_len);
	FUZZ_CHECK(entry->name_len <= NFS3_NAME_MAX && entry->fh.len <= NFS3_FH_MAX);
	check_attr(entry->has_attr, &entry->attr);
	return ++in->entries == 100000 ? -ECANCELED : 0;
}

static void fuzz_getattr(struct input *in, struct reader *r)
{
	struct nfs3_getattr_res res;

	(void)in;
	if (!nfs3_res_getattr(&res, r))
		check_attr(res.status == NFS3_STATUS_OK, &res.attr);
}

static void fuzz_lookup(struct input *in, struct reader *r)
{
	struct nfs3_lookup_res res;

	(void)in;
	if (nfs3_res_lookup(&res, r))
		return;
	FUZZ_CHECK(res.fh.len <= NFS3_FH_MAX);
	check_attr(res.has_attr, &res.attr);
}

static void fuzz_fsinfo(struct input *in, struct reader *r)
{
	struct nfs3_fsinfo_res res;

	(void)in;
	nfs3_res_fsinfo(&res, r);
}

static void fuzz_data(struct input *in, struct reader *r,
		      int (*decode)(struct nfs3_read_res *, struct reader *, bool), bool reduced)
{
	struct nfs3_read_res res;

	if (decode(&res, r, reduced))
		return;
	check_attr(res.has_attr, &res.attr);
	FUZZ_CHECK(!reduced || !res.data);
	if (res.status == NFS3_STATUS_OK && !reduced)
		check_inside(in, res.data, res.data_len);
}

static void fuzz_read(struct input *in, struct reader *r)
{
	fuzz_data(in, r, nfs3_res_read, false);
}

static void fuzz_read_reduced(struct input *in, struct reader *r)
{
	fuzz_data(in, r, nfs3_res_read, true);
}

static void fuzz_readlink(struct input *in, struct reader *r)
{
	fuzz_data(in, r, nfs3_res_readlink, false);
}

static void fuzz_readlink_reduced(struct input *in, struct reader *r)
{
	fuzz_data(in, r, nfs3_res_readlink, true);
}

static void fuzz_readdirplus(struct input *in, struct reader *r)
{
	struct nfs3_readdir_res res;

	if (!nfs3_res_readdirplus(&res, r, check_entry, in))
		FUZZ_CHECK(res.entries == in->entries);
	/* An entry takes 32 bytes. */
	FUZZ_CHECK(in->entries <= in->size / 32);
}

/* What changes a file returns. */
static void fuzz_change(struct reader *r, int (*decode)(struct nfs3_change_res *, struct reader *))
{
	struct nfs3_change_res res;

	if (decode(&res, r))
		return;
	FUZZ_CHECK(res.fh.len <= NFS3_FH_MAX);
	check_attr(res.has_attr, &res.attr);
}

static void fuzz_create(struct input *in, struct reader *r)
{
	(void)in;
	fuzz_change(r, nfs3_res_create);
}

static void fuzz_write(struct input *in, struct reader *r)
{
	(void)in;
	fuzz_change(r, nfs3_res_write);
}

static void fuzz_commit(struct input *in, struct reader *r)
{
	(void)in;
	fuzz_change(r, nfs3_res_commit);
}

static void fuzz_fsstat(struct input *in, struct reader *r)
{
	uint32_t status;
	uint64_t available;

	(void)in;
	nfs3_res_fsstat(&status, &available, r);
}

typedef void (*fuzz_procedure)(struct input *in, struct reader *r);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const fuzz_procedure procs[] = {
		fuzz_getattr,      fuzz_lookup,   fuzz_fsinfo,           fuzz_read,
		fuzz_read_reduced, fuzz_readlink, fuzz_readlink_reduced, fuzz_readdirplus,
		fuzz_create,       fuzz_write,    fuzz_commit,           fuzz_fsstat,
	};
	struct input in;
	struct reader r;

	if (size == 0)
		return 0;
	in = (struct input){ .data = data + 1, .size = size - 1 };
	reader_init(&r, in.data, in.size);
	procs[data[0] % ARRAY_SIZE(procs)](&in, &r);
	FUZZ_CHECK(reader_left(&r) <= in.size);
	return 0;
}
