/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the kernel's client writes, and what is wrong with what came of it: pure.
 *
 * Each write is followed in a copy of the file. A WRITE of the kernel may have more than the
 * program wrote (a whole page), and several WRITEs may carry one write: each of them must have the
 * copy's bytes at its offset, and together they must cover the range. */
#include <stdio.h>

#include "plugin/kernel/internal.h"

/* Around where clients change over to Read chunks, around sectors and pages, and what guests write;
 * then by the page cache, and over what is there. Elsewhere each has a place of its own. */
const struct kernel_write_row kernel_write_rows[KERNEL_WRITES] = {
	{ KERNEL_DIRECT, 0, 1 },
	{ KERNEL_DIRECT, 4096, 512 },
	{ KERNEL_DIRECT, 8191, 511 },
	{ KERNEL_DIRECT, 12288, 788 },
	{ KERNEL_DIRECT, 16389, 812 },
	{ KERNEL_DIRECT, 20480, 813 },
	{ KERNEL_DIRECT, 24576, 1024 },
	{ KERNEL_DIRECT, 32767, 3000 },
	{ KERNEL_DIRECT, 36864, 3800 },
	{ KERNEL_DIRECT, 40960, 4000 },
	{ KERNEL_DIRECT, 45056, 4095 },
	{ KERNEL_DIRECT, 49152, 4096 },
	{ KERNEL_DIRECT, 53249, 4097 },
	{ KERNEL_DIRECT, 61952, 8192 },
	{ KERNEL_DIRECT, 73731, 12289 },
	{ KERNEL_DIRECT, 98304, 65536 },
	{ KERNEL_DIRECT, 164352, 131072 },
	{ KERNEL_DIRECT, 299008, 262147 },
	{ KERNEL_DIRECT, 565248, 524288 },
	{ KERNEL_DIRECT, 1093632, 1048576 },
	{ KERNEL_BUFFERED, 2146305, 5000 },
	{ KERNEL_BUFFERED, 2158592, KERNEL_WRITE_MAX },
	{ KERNEL_MAPPED, 1102848, 100000 },
	{ KERNEL_DIRECT, 0, 65536 },
};

void kernel_write_content(uint8_t *buf, unsigned int index, uint64_t key)
{
	const struct kernel_write_row *row = &kernel_write_rows[index];

	write_content(buf, row->offset, row->length, index + 1, key);
}

static uint32_t writes_size(unsigned int index)
{
	uint32_t size = 0;
	unsigned int i;

	for (i = 0; i <= index; i++)
		if (kernel_write_rows[i].offset + kernel_write_rows[i].length > size)
			size = kernel_write_rows[i].offset + kernel_write_rows[i].length;
	return size;
}

/* Whether each is the copy's; counts them. */
static bool writes_are_right(const struct kernel_wire *wire, const uint8_t *copy,
			     struct kernel_write_count *count)
{
	bool right = true;
	unsigned int i;

	for (i = 0; i < wire->count; i++) {
		const struct server_wrote *w = &wire->wrote[i];

		count->calls++;
		count->by_chunk += w->segments > 0;
		count->padded += w->pad > 0;
		count->unstable += !w->stable;
		if (w->segments > count->most_segments)
			count->most_segments = w->segments;
		right = right && w->offset <= KERNEL_WRITE_SIZE &&
			w->len <= KERNEL_WRITE_SIZE - w->offset &&
			bytes_digest(copy + w->offset, w->len) == w->digest;
	}
	return right;
}

static bool writes_cover(const struct kernel_wire *wire, const struct kernel_write_row *row)
{
	uint64_t at = row->offset, before;
	unsigned int i;

	do
		for (before = at, i = 0; i < wire->count; i++)
			if (wire->wrote[i].offset <= at &&
			    wire->wrote[i].offset + wire->wrote[i].len > at)
				at = wire->wrote[i].offset + wire->wrote[i].len;
	while (at != before);
	return at >= row->offset + row->length;
}

static bool writes_need_commit(const struct kernel_wire *wire)
{
	unsigned int i;

	for (i = 0; i < wire->count; i++)
		if (!wire->wrote[i].stable)
			return true;
	return false;
}

enum kernel_write_fault kernel_write_judge(const struct kernel_record *r,
					   const struct kernel_wire *wire, uint8_t *copy,
					   uint64_t key, struct kernel_write_count *count)
{
	const struct kernel_write_row *row = &kernel_write_rows[r->index];

	kernel_write_content(copy + row->offset, r->index, key);
	if (wire && !writes_are_right(wire, copy, count))
		return KERNEL_WRITE_WRONG;
	if (wire && wire->refused)
		return KERNEL_WRITE_MALFORMED;
	if (r->error || r->length != row->length)
		return KERNEL_WRITE_ERROR;
	if (wire && !writes_cover(wire, row))
		return KERNEL_WRITE_LOST;
	if (wire && writes_need_commit(wire) && !wire->commits)
		return KERNEL_WRITE_NOT_COMMITTED;
	if (r->wrong != UINT32_MAX)
		return KERNEL_WRITE_READ_BACK;
	return r->digest == writes_size(r->index) ? KERNEL_WRITE_RIGHT : KERNEL_WRITE_BAD_SIZE;
}

const char *kernel_denied_reason(int error, bool making)
{
	static const struct {
		int error;
		const char *reason;
		bool making; /* a file alone */
	} rows[] = {
		{ ENOSPC, "no-space", false },      { EDQUOT, "no-space", false },
		{ EFBIG, "no-space", false },       { EACCES, "denied", false },
		{ EPERM, "denied", false },         { EROFS, "read-only", false },
		{ EEXIST, "exists", true },         { ENOENT, "not-found", true },
		{ EXDEV, "not-found", true },       { ELOOP, "not-directory", true },
		{ ENOTDIR, "not-directory", true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].error == error && (making || !rows[i].making))
			return rows[i].reason;
	return NULL;
}

const char *kernel_write_reason(enum kernel_write_fault fault)
{
	static const char *const reasons[KERNEL_WRITE_FAULTS] = {
		[KERNEL_WRITE_RIGHT] = "",
		[KERNEL_WRITE_WRONG] = "wrong-data",
		[KERNEL_WRITE_MALFORMED] = "malformed",
		[KERNEL_WRITE_ERROR] = "error",
		[KERNEL_WRITE_LOST] = "lost",
		[KERNEL_WRITE_NOT_COMMITTED] = "not-committed",
		[KERNEL_WRITE_READ_BACK] = "read-back",
		[KERNEL_WRITE_BAD_SIZE] = "size",
	};

	return reasons[fault];
}

const char *kernel_write_text(const struct kernel_written *w, char *buf, size_t cap)
{
	static const char *const texts[KERNEL_WRITE_FAULTS] = {
		[KERNEL_WRITE_WRONG] = "the server received other data than was written",
		[KERNEL_WRITE_MALFORMED] =
			"the server received a Read chunk that no server can take",
		[KERNEL_WRITE_LOST] =
			"it succeeded, and the server received no WRITE for all of it",
		[KERNEL_WRITE_NOT_COMMITTED] =
			"it was UNSTABLE, and no COMMIT came before it was reported as stored",
		[KERNEL_WRITE_READ_BACK] = "reading it back returned other data",
		[KERNEL_WRITE_BAD_SIZE] = "the file has another size afterwards",
	};
	const struct kernel_record *r = &w->record;

	if (r->error)
		snprintf(buf, cap, "%s%s%s", strerrordesc_np(r->error),
			 texts[w->fault] ? ", and " : "", texts[w->fault] ? texts[w->fault] : "");
	else if (texts[w->fault])
		snprintf(buf, cap, "%s", texts[w->fault]);
	else
		snprintf(buf, cap, "%u bytes instead of %u", r->length,
			 kernel_write_rows[r->index].length);
	return buf;
}

void kernel_write_sum(const struct kernel_written written[KERNEL_WRITES],
		      struct kernel_write_sum *out)
{
	unsigned int i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < KERNEL_WRITES; i++) {
		if (!written[i].tried)
			continue;
		out->tried++;
		if (written[i].fault == KERNEL_WRITE_RIGHT)
			out->right++;
		else if (!out->first)
			out->first = &written[i];
	}
}
