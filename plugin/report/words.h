/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Lists in a sentence, and names in one. */
#ifndef PLUGIN_WORDS_H
#define PLUGIN_WORDS_H

#include "rpcrdma/base/base.h"
#include "rpcrdma/transport/transport.h"

#define WORDS_MAX 512

/* "192.0.2.1", without port. */
#define ADDRESS_NAME_MAX 64
const char *words_address(const struct transport_address *address, char name[ADDRESS_NAME_MAX]);

/* A list in a sentence: "a, b and 3 more". */
struct words {
	const char *separator; /* NULL: ", "; "; " between sentences */
	unsigned int count, left_out;
	size_t used;
	char text[WORDS_MAX];
};

void words_add(struct words *words, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The complete list; "" if nothing was added. */
const char *words_text(struct words *words);

#endif
