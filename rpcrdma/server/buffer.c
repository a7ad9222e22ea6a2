/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A session's message buffer. Most messages are short; memory for a long one is freed afterwards,
 * so that many idle connections cost little. */
#include "rpcrdma/server/internal.h"

int server_buffer_grow(struct server_buffer *buffer, size_t len)
{
	uint8_t *base;

	len = len ? len : 1; /* base is never NULL */
	if (len <= buffer->cap)
		return 0;
	base = realloc(buffer->base, len);
	if (!base)
		return err_context(err_no_memory(), "message of %zu bytes", len);
	buffer->base = base;
	buffer->cap = len;
	return 0;
}

void server_buffer_trim(struct server_buffer *buffer, size_t keep)
{
	uint8_t *base;

	if (buffer->cap <= keep)
		return;
	if (!keep) {
		free(buffer->base);
		*buffer = (struct server_buffer){ 0 };
		return;
	}
	base = realloc(buffer->base, keep);
	if (base)
		*buffer = (struct server_buffer){ base, keep };
}
