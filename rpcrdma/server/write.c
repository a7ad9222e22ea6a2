/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* WRITE and COMMIT of every version: RFC 1813 sections 3.3.7 and 3.3.21, RFC 8881 sections 18.32
 * and 18.3. */
#include "rpcrdma/server/internal.h"

/* For server_options.log. */
static void write_log(const struct call *call, const struct call_write *w)
{
	const struct call_chunk *chunk = &call->chunk;
	struct server_log *log = call->log;
	unsigned int number = atomic_load(&log->writes);

	log->wrote[number % SERVER_LOG_WROTE] = (struct server_wrote){
		.offset = w->offset,
		.digest = bytes_digest(w->data, w->len),
		.len = w->len,
		.stable = w->stable,
		.segments = chunk->segments,
		.pad = chunk->len > w->len ? chunk->len - w->len : 0,
	};
	atomic_store(&log->writes, number + 1);
}

static bool write_take_data(struct call *call, struct call_write *w)
{
	w->data = reader_opaque(&call->args, server_wtmax(call->exp), &w->len);
	if (!w->data || !call->chunk.len)
		return true;
	/* RFC 8166 section 6.1: the chunk is this argument, or that of another WRITE. Old clients
	 * send the padding too (section 3.4.5). */
	if (call->chunk.data >= w->data + xdr_pad4(w->len) ||
	    call->chunk.data + call->chunk.len <= w->data)
		return true;
	if (call->chunk.data != w->data ||
	    (call->chunk.len != w->len && call->chunk.len != xdr_pad4(w->len)))
		return false;
	call->chunk.taken = true;
	return true;
}

bool call_write_data(struct call *call, struct call_write *w)
{
	bool good = write_take_data(call, w);

	if (call->log && (!good || !w->data))
		atomic_fetch_add(&call->log->refused, 1);
	return good;
}

/* Faults change a copy. */
static uint32_t write_faulty(struct call *call, struct call_write *w)
{
	_cleanup_free_ uint8_t *copy = malloc((size_t)w->len + FAULT_WRITE_SLACK);
	struct fault_write f = {
		.call = call, .w = w, .data = copy, .stored = w->len, .at = w->offset
	};

	if (!copy)
		return NFS3_STATUS_SERVERFAULT;
	memcpy(copy, w->data, w->len);
	memset(copy + w->len, 0, FAULT_WRITE_SLACK);
	fault_write(&f);
	fault_write_verifier(call->faults, w->verifier, false);
	if (f.status || f.skip)
		return f.status;
	return call->exp->ops->write(call->exp, &w->fh, f.at, copy, f.stored,
				     w->stable != UNSTABLE);
}

uint32_t call_write(struct call *call, struct call_write *w)
{
	uint32_t status;

	call->wrote = true;
	w->count = w->len;
	w->committed = w->stable == UNSTABLE ? UNSTABLE : FILE_SYNC;
	memcpy(w->verifier, call->exp->verifier, sizeof(w->verifier));
	if (call->faults && fault_has_writes(call->faults))
		return write_faulty(call, w);
	status = call->exp->ops->write(call->exp, &w->fh, w->offset, w->data, w->len,
				       w->stable != UNSTABLE);
	if (call->log && !status)
		write_log(call, w);
	return status;
}

void call_commit(const struct call *call, uint8_t verifier[8])
{
	memcpy(verifier, call->exp->verifier, sizeof(call->exp->verifier));
	if (call->log)
		atomic_fetch_add(&call->log->commits, 1);
	if (call->faults)
		fault_write_verifier(call->faults, verifier, true);
}
