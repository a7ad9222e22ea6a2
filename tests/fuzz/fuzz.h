/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A fuzz target: called with any bytes, it must come back, and what it claims must hold.
 * libFuzzer has its own main(); replay.c is the one of the ordinary tests. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Not assert(): a claim is checked in a build with NDEBUG too. */
#define FUZZ_CHECK(claim)                                                           \
	do {                                                                        \
		if (!(claim)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #claim); \
			abort();                                                    \
		}                                                                   \
	} while (0)

/* The input as text: a copy with a NUL, of its very size, for the caller to free. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
