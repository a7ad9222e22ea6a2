/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The process in which a hook decodes a guest's XML may have been taken over: what it sends is records of any bytes.
 * The hook answers in clean words and without waiting for its deadline; if it refuses a guest because the check
 * failed, it says what in the policy wants that. The input: pieces of two bytes of length and a body; the first byte
 * of a body is its type, or 0 for a record of the very size, filled up with zeros. */
#include "hooks/hook.h"
#include "plugin/journal/journal.h"
#include "rpcrdma/child/child.h"
#include "tests/fuzz/fuzz.h"

#define RECORD_SIZE (4 + HOOK_TEXT_MAX)

static const uint8_t *input;
static size_t input_len;

/* In place of the journal's. */
int journal_send(enum journal_event event, const char *who, const char *message,
		 const struct journal_field *fields, size_t nfields)
{
	(void)who, (void)fields, (void)nfields;
	FUZZ_CHECK(event < JOURNAL_EVENT_COUNT && *message && finding_is_clean(message));
	return 0;
}

/* In the child. */
static void play(void *arg, struct hook_answer *out)
{
	const uint8_t *at = input, *end = input + input_len;
	uint8_t record[RECORD_SIZE];

	(void)arg;
	while (end - at >= 3) {
		size_t len = min_u64((at[0] | (size_t)at[1] << 8) % (RECORD_SIZE + 8) + 1,
				     (size_t)(end - at) - 2);
		const uint8_t *body = at + 3;
		int type = at[2], rc;

		at += 2 + len;
		memset(record, 0, sizeof(record));
		memcpy(record, body, min_u64(len - 1, sizeof(record)));
		rc = type ? channel_send(out->early, type, body, len - 1, -1)
			  : channel_send(out->early, CHANNEL_ANSWER, record, sizeof(record), -1);
		if (rc)
			break;
	}
	/* Otherwise an answer follows: it passes. */
	if (input_len % 2)
		_exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t deadline = deadline_in(20000);
	struct hook_answer answer;

	input = data;
	input_len = size;
	hook_run(play, NULL, deadline, &answer);
	FUZZ_CHECK(deadline_left(deadline));
	FUZZ_CHECK(strnlen(answer.text, sizeof(answer.text)) < sizeof(answer.text));
	FUZZ_CHECK(finding_is_clean(answer.text));
	FUZZ_CHECK(!answer.refuse || !answer.failed || strstr(answer.text, "on-unknown = refuse"));
	hook_answered("fuzz", "guest", &answer);
	return 0;
}
