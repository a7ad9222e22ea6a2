/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Where wrong data of a READ belongs: to another place of the file, or to another file. The first wrong bytes are
 * looked for in what was read of the file, at its offset without the upper half, and at the same offset of the
 * other files that were found. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* Fewer bytes, or all alike, are in many places. */
#define WHENCE_LEAST 8
/* Of failures: each asks the server for other places. */
#define WHENCE_MOST 6

void whence_keep(struct read_outcome *o, const uint8_t *got, uint32_t at, uint32_t len)
{
	o->got_at = at;
	o->got_len = min_u32(len - at, sizeof(o->got));
	memcpy(o->got, got + at, o->got_len);
}

static bool whence_tells(const struct read_outcome *o)
{
	return o->got_len >= WHENCE_LEAST && memcmp(o->got, o->got + 1, o->got_len - 1u) != 0;
}

bool whence_in_window(const struct window *w, const struct read_outcome *o, uint64_t *offset)
{
	const uint8_t *at = memmem(w->bytes, w->len, o->got, o->got_len), *next;

	if (!at)
		return false;
	/* Bytes that are there twice do not tell. */
	next = at + 1;
	if (memmem(next, w->len - (size_t)(next - w->bytes), o->got, o->got_len))
		return false;
	*offset = w->base + (uint64_t)(at - w->bytes);
	return true;
}

/* Whether the file has these bytes there. */
static bool whence_is_there(struct probe *p, const struct probe_file *file, uint64_t offset,
			    const struct read_outcome *o)
{
	uint8_t bytes[sizeof(o->got)];

	return offset + o->got_len <= file->attr.size &&
	       !window_bytes(p, &file->fh, offset, o->got_len, bytes) &&
	       !memcmp(bytes, o->got, o->got_len);
}

static const struct probe_file *whence_other_file(struct probe *p, const struct window *w,
						  uint64_t offset, const struct read_outcome *o)
{
	const struct files *files = &p->files;
	unsigned int i;

	for (i = 0; i <= files->ncandidates; i++) {
		const struct probe_file *file = i < files->ncandidates ? &files->candidates[i]
								       : &files->giant;

		if (file->attr.size && !nfs_same_fh(&file->fh, &w->file->fh) &&
		    whence_is_there(p, file, offset, o))
			return file;
	}
	return NULL;
}

void whence_find(struct probe *p, const struct window *w, const struct read_case *c,
		 struct read_outcome *o)
{
	const uint64_t offset = c->offset + o->got_at;
	const struct probe_file *file;
	uint64_t from;

	if (o->kind != READ_DATA || o->sign || !whence_tells(o))
		return;
	if (whence_in_window(w, o, &from)) {
		o->sign = SIGN_OTHER_OFFSET;
	} else if (p->whence >= WHENCE_MOST || session_ready(p)) {
		return;
	} else if (offset > UINT32_MAX && whence_is_there(p, w->file, offset & UINT32_MAX, o)) {
		from = offset & UINT32_MAX;
		o->sign = SIGN_OTHER_OFFSET;
	}
	p->whence += o->sign == SIGN_NONE;
	if (o->sign) {
		snprintf(o->text, sizeof(o->text), "at offset %llu the data of offset %llu",
			 (unsigned long long)offset, (unsigned long long)from);
		return;
	}
	file = whence_other_file(p, w, offset, o);
	if (!file)
		return;
	o->sign = SIGN_OTHER_FILE;
	snprintf(o->text, sizeof(o->text), "data of %.160s at %llu", file->path,
		 (unsigned long long)offset);
}
