/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* JSON of VDSM, edited: what was there stays, in its order and byte for byte; doing it twice is doing it
 * once. */
#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"
#include "tests/fuzz/fuzz.h"

/* The one text is in the other, but for one piece that was put between. */
static bool is_within(const char *before, size_t nbefore, const char *after,
		      size_t nafter)
{
	size_t head = 0, tail = 0;

	while (head < nbefore && head < nafter && before[head] == after[head])
		head++;
	while (tail < nbefore - head && tail < nafter - head &&
	       before[nbefore - tail - 1] == after[nafter - tail - 1])
		tail++;
	return head + tail == nbefore;
}

static bool has_own(const char *text, size_t len)
{
	struct json_object *json = NULL;
	bool has;

	FUZZ_CHECK(!json_parse_object(text, len, JSON_UTF8, &json));
	has = json_object_object_get_ex(json, "nfsrdma", NULL);
	json_object_put(json);
	return has;
}

static void edit(const char *text, size_t size)
{
	struct splice splice, again;

	if (splice_open(&splice, text, size))
		return;
	if (!splice_list(&splice, "f", "W")) {
		FUZZ_CHECK(is_within(text, size, splice.text, splice.len));
		FUZZ_CHECK(!splice_open(&again, splice.text, splice.len));
		FUZZ_CHECK(!splice_list(&again, "f", "W"));
		FUZZ_CHECK(again.len == splice.len &&
			   !memcmp(again.text, splice.text, splice.len));
		splice_fini(&again);
	} else {
		FUZZ_CHECK(splice.len == size && !memcmp(splice.text, text, size));
	}
	FUZZ_CHECK(!splice_open(&again, splice.text, splice.len));
	if (!splice_set(&again, "nfsrdma", "{\"v\": [1]}")) {
		FUZZ_CHECK(has_own(again.text, again.len));
		if (!has_own(splice.text, splice.len))
			FUZZ_CHECK(is_within(splice.text, splice.len, again.text,
					     again.len));
	}
	splice_fini(&again);
	splice_fini(&splice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	edit(text, size);
	free(text);
	return 0;
}
