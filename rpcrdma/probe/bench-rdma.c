/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One sample over RDMA. Memory is registered once, as a client with a pool does. Each reply must
 * be a complete READ: the requested data, in the requested place. */
#include <stdio.h>
#include <sys/mman.h>

#include "rpcrdma/probe/bench-internal.h"

#define BLOCKS_MAX 64
/* Blocks of a WRITE that are compared where the reference is READs of a few hundred bytes. */
#define CHECKED_INLINE (64u << 10)

int bench_reads_open(struct bench_reads *b, struct probe *p, const struct probe_file *file,
		     const struct bench_case *what)
{
	const uint32_t most = what->writes ? p->limits.wtmax : p->limits.rtmax;
	const uint64_t size = what->writes ? WRITE_DISK_MAX : file->attr.size;
	uint32_t i;
	int rc;

	memset(b, 0, sizeof(*b));
	b->p = p;
	b->writes = what->writes;
	b->file = file;
	rc = client41_ready(p);
	if (!rc)
		rc = session_ready(p);
	if (rc)
		return rc;
	b->generation = p->session.generation;
	b->length = (uint32_t)min_u64(min_u32(most, what->length), size);
	if (!b->length)
		return err_set(ENODATA, "%s is empty", file->path);
	b->blocks = (uint32_t)min_u64(size / b->length, BLOCKS_MAX);
	b->depth = min_u32(what->depth, rpcrdma_credits(p->session.conn));
	b->depth = min_u32(b->depth, client41_width(p));
	b->region_len = (size_t)b->depth * b->length;
	b->region = mmap(NULL, b->region_len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (b->region == MAP_FAILED) {
		b->region = NULL;
		return err_sys("memory for %u READs", b->depth);
	}
	/* All that are written to block n are the same: depth divides blocks. */
	while (b->writes && b->blocks % b->depth)
		b->depth--;
	for (i = 0; i < b->depth && !rc; i++) {
		b->reads[i].memory.base = b->region + (size_t)i * b->length;
		b->reads[i].memory.length = b->length;
		rc = (b->writes ? rpcrdma_register_source : rpcrdma_register)(p->session.conn,
									      &b->reads[i].memory);
	}
	return rc;
}

void bench_reads_close(struct bench_reads *b)
{
	uint32_t i;

	/* After a lost call the peer may still write: close the connection before freeing the
	 * memory. */
	for (i = 0; i < b->depth; i++)
		if (b->reads[i].started && b->generation == b->p->session.generation)
			session_drop(b->p);
	for (i = 0; i < b->depth; i++) {
		if (b->p->session.conn && b->generation == b->p->session.generation)
			rpcrdma_deregister(b->p->session.conn, &b->reads[i].memory);
		operation_fini(b->p, &b->reads[i].op);
	}
	if (b->region)
		munmap(b->region, b->region_len);
	memset(b, 0, sizeof(*b));
}

int bench_status_error(const struct nfs_version *version, uint32_t status)
{
	int rc = operation_error(version, status);

	return nfs_status_is_later(status) ? rc : err_because(rc, "error");
}

int bench_written_error(uint32_t written, uint32_t length)
{
	if (!written || written > length)
		return err_set(EBADMSG, "%u of %u bytes were written", written, length);
	return written == length ? 0
				 : err_because(err_set(EIO, "only %u of %u bytes were written",
						       written, length),
					       "short");
}

static int bench_read_start(struct bench_reads *b, struct bench_read *read, uint32_t block)
{
	struct operation *op = &read->op;
	int rc;

	if (!b->p->session.conn || b->generation != b->p->session.generation)
		return err_set(ECONNRESET, "the connection was already lost");
	operation_init(op, b->writes ? NFS_OP_WRITE : NFS_OP_READ, &b->file->fh);
	op->request.offset = (uint64_t)block * b->length;
	op->request.count = b->length;
	op->request.stable = NFS_UNSTABLE;
	if (b->writes) {
		op->call.data = read->memory.base;
		op->call.data_len = b->length;
		op->call.read = &read->memory;
		op->call.read_count = 1;
	} else {
		op->call.write = &read->memory;
		op->call.write_count = 1;
	}
	rc = operation_start(b->p, op, session_call_deadline(b->p, b->length));
	read->started = !rc;
	return rc;
}

/* RFC 8166 section 3.4.6: the returned segment has the number of bytes written. */
static int bench_read_check(const struct bench_reads *b, const struct bench_read *read)
{
	const struct rpcrdma_header *h = &read->op.call.header;
	const struct nfs_result *res = &read->op.result;
	uint64_t placed = 0;

	if (res->status)
		return bench_status_error(b->p->version, res->status);
	if (b->writes)
		return bench_written_error(res->written, b->length);
	if (h->write_count == 1)
		placed = header_chunk_length(h, &h->write[0]);
	if (res->read_count != b->length || res->read.len != b->length || placed != b->length)
		return err_set(EBADMSG, "%u bytes came, %llu in the write chunk, %u were asked",
			       res->read_count, (unsigned long long)placed, b->length);
	return 0;
}

static int bench_read_finish(struct bench_reads *b, struct bench_read *read)
{
	int rc;

	if (!read->started)
		return 0;
	rc = operation_wait(b->p, &read->op, session_call_deadline(b->p, b->length), !b->writes);
	/* After -ETIMEDOUT and similar errors the session has dropped the connection. */
	read->started = false;
	if (!rc && b->latency)
		bench_latency_add(b->latency, read->op.call.done_ns - read->op.call.sent_ns);
	if (!rc)
		rc = bench_read_check(b, read);
	operation_fini(b->p, &read->op);
	return err_context(rc, "%s of %u bytes", b->writes ? "WRITE" : "READ", b->length);
}

int bench_reads_sample(struct bench_reads *b, uint32_t count)
{
	struct bench_read *read;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < count && !rc; i++) {
		read = &b->reads[i % b->depth];
		rc = bench_read_finish(b, read);
		if (!rc)
			rc = bench_read_start(b, read, i % b->blocks);
	}
	/* The oldest first. */
	for (i = 0; i < b->depth && !rc; i++)
		rc = bench_read_finish(b, &b->reads[(count + i) % b->depth]);
	return rc;
}

static int bench_reads_check_block(struct bench_reads *b, uint32_t block)
{
	struct bench_read *read = &b->reads[block % b->depth];
	uint64_t at = (uint64_t)block * b->length;
	enum window_change change;
	struct window w;
	int rc;

	rc = window_open(b->p, &w, b->file, at, b->length);
	if (rc)
		return rc;
	memset(read->memory.base, 0xa5, b->length);
	rc = bench_read_start(b, read, block);
	if (!rc)
		rc = bench_read_finish(b, read);
	if (!rc && w.len != b->length)
		rc = err_set(ENODATA, "%s became shorter", b->file->path);
	if (!rc && memcmp(read->memory.base, w.bytes, b->length)) {
		change = window_again(b->p, &w, at, b->length);
		if (change == WINDOW_SAME)
			rc = err_set(
				EILSEQ,
				"wrong data by Write chunk from offset %llu: run nfsrdma probe",
				(unsigned long long)at);
		else if (change == WINDOW_UNKNOWN)
			rc = err_set(
				EIO,
				"different data by Write chunk from offset %llu; cannot tell whether the file had changed",
				(unsigned long long)at);
	}
	window_close(&w);
	return rc;
}

int bench_writes_commit(struct bench_reads *b)
{
	struct operation op;
	int rc;

	operation_init(&op, NFS_OP_COMMIT, &b->file->fh);
	rc = operation_check(b->p->version, &op, operation_run(b->p, &op));
	/* What was written in between may be lost, and is no damage (RFC 1813 section 3.3.7). */
	if (!rc && b->has_verifier &&
	    memcmp(b->verifier, op.result.verifier, sizeof(b->verifier)) != 0)
		rc = err_set(ESTALE, "the server restarted in between");
	if (!rc)
		memcpy(b->verifier, op.result.verifier, sizeof(b->verifier));
	b->has_verifier = !rc;
	operation_fini(b->p, &op);
	return err_context(rc, "COMMIT");
}

/* Compares what was written with the reference. */
static int bench_writes_check(struct bench_reads *b)
{
	_cleanup_free_ uint8_t *got = malloc(b->length);
	uint32_t block, n = b->blocks;
	int rc = got ? 0 : err_no_memory();

	if (!b->p->tcp.reference)
		n = min_u32(n, CHECKED_INLINE / b->length + 1);
	for (block = 0; block < n && !rc; block++) {
		const uint8_t *want = b->region + (size_t)(block % b->depth) * b->length;
		const uint64_t at = (uint64_t)block * b->length;

		rc = window_bytes(b->p, &b->file->fh, at, b->length, got);
		if (!rc && memcmp(got, want, b->length) != 0)
			rc = err_set(
				EILSEQ,
				"wrong data was stored from offset %llu on: run nfsrdma probe --scratch",
				(unsigned long long)at);
	}
	return rc;
}

int bench_reads_check(struct bench_reads *b)
{
	uint32_t block;
	int rc = 0;

	if (b->writes) {
		/* The others have just written the same. */
		write_content(b->region, 0, b->region_len, ++b->content, now_ns());
		rc = bench_reads_sample(b, b->blocks);
		if (!rc)
			rc = bench_writes_commit(b);
		return rc ? rc : bench_writes_check(b);
	}

	for (block = 0; block < b->blocks && !rc; block++)
		rc = bench_reads_check_block(b, block);
	return rc;
}

int bench_nulls_sample(struct probe *p, uint32_t count, struct bench_latency *latency)
{
	struct rpcrdma_call call;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < count && !rc; i++) {
		rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, p->version->vers, NFS3_NULL);
		rc = session_call(p, &call, 0);
		if (!rc)
			bench_latency_add(latency, call.done_ns - call.sent_ns);
		rpcrdma_call_fini(&call);
	}
	return err_context(rc, "NULL");
}
