/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A record: whatever it is, what is taken from it is bounded and printable; and what was taken
 * comes out of its own encoding again. */
#include "plugin/record/internal.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text, size_t cap)
{
	FUZZ_CHECK(strnlen(text, cap) < cap);
	FUZZ_CHECK(finding_is_clean(text));
}

static void check_record(const struct record *record)
{
	check_text(record->dev, sizeof(record->dev));
	check_text(record->target, sizeof(record->target));
	check_text(record->fs_spec, sizeof(record->fs_spec));
	check_text(record->boot_id, sizeof(record->boot_id));
	check_text(record->wanted, sizeof(record->wanted));
	check_text(record->effective, sizeof(record->effective));
	check_text(record->by, sizeof(record->by));
	FUZZ_CHECK(record->state < RECORD_STATE_COUNT);
}

static void check_again(const struct record *record)
{
	struct record again;
	char *text;

	FUZZ_CHECK(!record_encode(record, NULL, &text));
	FUZZ_CHECK(!record_decode(text, &again));
	FUZZ_CHECK(again.id == record->id && again.state == record->state);
	FUZZ_CHECK(again.checked_ms == record->checked_ms);
	FUZZ_CHECK(!strcmp(again.target, record->target));
	FUZZ_CHECK(!strcmp(again.fs_spec, record->fs_spec));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct record record;

	if (!record_decode(text, &record)) {
		check_record(&record);
		check_again(&record);
	}
	free(text);
	return 0;
}
