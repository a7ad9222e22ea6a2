/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What setup wrote down, which says what root writes and where: whatever it is, only paths of
 * setup's are in it, and what was decoded comes back as it is. */
#include "plugin/setup/internal.h"
#include "tests/fuzz/fuzz.h"

static void check_change(const struct setup_change *change)
{
	unsigned int i;

	if (change->kind == SETUP_PORT) {
		FUZZ_CHECK(change->port.port && change->port.zone[0]);
		return;
	}
	if (change->kind == SETUP_LINK) {
		FUZZ_CHECK(link_module(change->link.type) && change->link.netdev[0]);
		return;
	}
	FUZZ_CHECK(setup_has_path(change->kind) && state_knows_path(change->kind, change->path));
	FUZZ_CHECK(change->after && change->mode <= 07777);
	for (i = 0; i < change->made.count; i++)
		FUZZ_CHECK(
			!strncmp(change->path, change->made.list[i], strlen(change->made.list[i])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct setup_state *state = calloc(1, sizeof(*state));
	struct setup_state *again = calloc(1, sizeof(*again));
	char *text = NULL, *copy = malloc(size + 1);
	unsigned int i;

	FUZZ_CHECK(state && again && copy);
	if (size)
		memcpy(copy, data, size);
	copy[size] = '\0';
	if (!state_decode(state, copy, size)) {
		for (i = 0; i < state->count; i++)
			check_change(&state->changes[i]);
		FUZZ_CHECK(!state_encode(state, &text));
		FUZZ_CHECK(!state_decode(again, text, strlen(text)));
		FUZZ_CHECK(again->count == state->count);
		state_fini(again);
	}
	state_fini(state);
	free(state);
	free(again);
	free(text);
	free(copy);
	return 0;
}
