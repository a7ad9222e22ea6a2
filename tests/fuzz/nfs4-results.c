/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Results of COMPOUNDs. The first byte says of which request or of what for a session, the second
 * which version and whether the data are in a Write chunk. What is handed out lies in the input,
 * and no length goes beyond its type. */
#include "rpcrdma/nfs/version.h"
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
	FUZZ_CHECK(entry->name_len <= NFS3_NAME_MAX && entry->fh.len <= NFS4_FHSIZE);
	check_attr(entry->has_attr, &entry->attr);
	return ++in->entries == 100000 ? -ECANCELED : 0;
}

static void check_data(const struct input *in, const struct nfs_data *data, bool reduced)
{
	FUZZ_CHECK(!reduced || !data->bytes);
	if (data->bytes)
		check_inside(in, data->bytes, data->len);
	else
		FUZZ_CHECK(reduced || data->len == 0);
}

/* The session of all corpora: bytes 10 to 1f, as in tests/wire/nfs4/. */
static const struct nfs4_sequence sequence = { { 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17,
						 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f },
					       7,
					       2,
					       3 };

static void fuzz_request(struct input *in, struct reader *r, enum nfs_op op, uint8_t manner)
{
	static const char *const names[] = { "4.0", "4.1", "4.2" };
	const struct nfs_version *v = nfs_version_find(names[manner % 3]);
	struct nfs_request request = {
		.op = op, .entry = check_entry, .entry_arg = in, .sequence = sequence
	};
	bool reduced = manner & 0x80;
	struct nfs_result res;
	int rc;

	rc = v->decode(v, &request, r, reduced, &res);
	FUZZ_CHECK(rc == 0 || rc == -EBADMSG || rc == -ECANCELED);
	FUZZ_CHECK(v->sessions || !res.sequenced);
	/* An entry takes 24 bytes. */
	FUZZ_CHECK(in->entries <= in->size / 24);
	if (rc)
		return;
	FUZZ_CHECK(res.fh.len <= NFS4_FHSIZE);
	FUZZ_CHECK(res.status || !res.failed_op);
	FUZZ_CHECK(res.status || !v->sessions || res.sequenced);
	check_attr(res.has_attr, &res.attr);
	check_data(in, &res.read, reduced);
	check_data(in, &res.read2, false);
	FUZZ_CHECK(v->status_text(res.status));
}

static void fuzz_exchange_id(struct reader *r)
{
	struct nfs4_exchange_id_res res;

	nfs4_res_exchange_id(&res, r);
}

static void fuzz_create_session(struct reader *r)
{
	struct nfs4_create_session_res res;

	if (!nfs4_res_create_session(&res, r))
		FUZZ_CHECK(res.status || res.requests);
}

static void fuzz_status(struct reader *r)
{
	uint32_t status;

	nfs4_res_status(&status, r);
}

typedef void (*fuzz_operation)(struct reader *r);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const fuzz_operation sessions[] = {
		fuzz_exchange_id,
		fuzz_create_session,
		fuzz_status,
	};
	struct input in;
	struct reader r;
	uint8_t what;

	if (size < 2)
		return 0;
	in = (struct input){ .data = data + 2, .size = size - 2 };
	reader_init(&r, in.data, in.size);
	what = data[0] % (NFS_OP_COUNT + ARRAY_SIZE(sessions));
	if (what < NFS_OP_COUNT)
		fuzz_request(&in, &r, what, data[1]);
	else
		sessions[what - NFS_OP_COUNT](&r);
	FUZZ_CHECK(reader_left(&r) <= in.size);
	return 0;
}
