/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A report of findings that came from anybody is printed in each format without a control character, and its JSON
 * parses. */
#ifndef TESTS_FUZZ_PRINTED_H
#define TESTS_FUZZ_PRINTED_H

#include <json.h>

#include "plugin/report/report.h"
#include "tests/fuzz/fuzz.h"

static inline void check_printed(const char *text)
{
	for (; *text; text++)
		FUZZ_CHECK((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t');
}

static inline void check_report(const struct report *report)
{
	const struct report_style style = { .width = 80, .utf8 = true, .verbose = true };
	size_t i;

	for (i = 0; report_formats[i]; i++) {
		char *text = NULL;

		FUZZ_CHECK(!report_render(report, report_formats[i], &style, &text));
		check_printed(text);
		if (!strcmp(report_formats[i]->name, "json")) {
			struct json_object *json = json_tokener_parse(text);

			FUZZ_CHECK(json);
			json_object_put(json);
		}
		free(text);
	}
}

#endif
