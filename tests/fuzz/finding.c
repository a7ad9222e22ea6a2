/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The record of a finding, whose writer may have been taken over: what is accepted is printable
 * and written anew without loss. */
#include "rpcrdma/base/finding.h"
#include "tests/fuzz/fuzz.h"

static void check_text(const char *text, size_t cap)
{
	FUZZ_CHECK(strnlen(text, cap) < cap);
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= 0x20 && *text != 0x7f);
}

static void check_same(const struct finding *a, const struct finding *b)
{
	unsigned int i;

	FUZZ_CHECK(a->status == b->status && a->nevidence == b->nevidence);
	FUZZ_CHECK(!strcmp(a->id, b->id) && !strcmp(a->summary, b->summary));
	for (i = 0; i < a->nevidence; i++) {
		FUZZ_CHECK(a->evidence[i].is_number == b->evidence[i].is_number);
		FUZZ_CHECK(!strcmp(a->evidence[i].key, b->evidence[i].key));
		FUZZ_CHECK(!strcmp(a->evidence[i].value, b->evidence[i].value));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t record[FINDING_RECORD_MAX];
	static struct finding finding, again;
	unsigned int i;
	int len;

	len = finding_decode(&finding, data, size);
	if (len <= 0)
		return 0;
	FUZZ_CHECK((size_t)len <= size && finding.status < FINDING_STATUS_COUNT);
	FUZZ_CHECK(finding.nevidence <= FINDING_EVIDENCE_MAX);
	check_text(finding.id, sizeof(finding.id));
	check_text(finding.summary, sizeof(finding.summary));
	for (i = 0; i < finding.nevidence; i++) {
		check_text(finding.evidence[i].key, FINDING_KEY_MAX);
		check_text(finding.evidence[i].value, FINDING_VALUE_MAX);
	}
	len = finding_encode(&finding, record, sizeof(record));
	FUZZ_CHECK(len > 0);
	FUZZ_CHECK(finding_decode(&again, record, (size_t)len) == len);
	check_same(&finding, &again);
	return 0;
}
