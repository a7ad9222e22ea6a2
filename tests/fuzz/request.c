/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A file of plugin/request: whatever it is, what is taken from it lies within it, and its directory is a path. */
#include "plugin/request/request.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const char *end = text + strlen(text);
	struct request request = { .text = NULL };
	const char **const strings[] = { &request.boot_id, &request.policy, &request.source,
					 &request.target };
	size_t i;

	if (!request_parse(text, "b", &request)) {
		for (i = 0; i < ARRAY_SIZE(strings); i++) {
			FUZZ_CHECK(*strings[i] > text && *strings[i] < end);
			FUZZ_CHECK(*strings[i] + strlen(*strings[i]) < end);
		}
		FUZZ_CHECK(*request.target == '/' && !strcmp(request.boot_id, "b"));
	}
	free(text);
	return 0;
}
