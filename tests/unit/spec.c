/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The source of a mount: the rows of tests/options/spec.txt, and the longest source. */
#include "plugin/options/options.h"
#include "tests/unit/rows.h"

static void on_row(const struct row *row)
{
	static const char *const families[] = { "name", "4", "6" };
	char text[2 * SPEC_PATH_MAX];
	struct spec spec;
	int rc = spec_parse(row->given, &spec);

	if (row->is_error) {
		ROW_CHECK(row, rc == -EINVAL && strstr(err_text(), row->expected),
			  "no error '%s', %s", row->expected, rc ? err_text() : spec.host);
		return;
	}
	ROW_CHECK(row, !rc, "%s", err_text());
	if (rc)
		return;
	snprintf(text, sizeof(text), "%s %s %s", spec.host, families[spec.family], spec.path);
	ROW_CHECK(row, !strcmp(text, row->expected), "'%s'", text);
	ROW_CHECK(row, spec.link_local == !strncmp(spec.host, "fe80:", 5), "link-local");
}

static void sources_of_any_shape_are_split_or_refused(void)
{
	const struct rows_runner runner = { NULL, on_row };

	rows_read("spec.txt", &runner);
	ASSERT_AT_LEAST(rows_run, 50);
}

static void hosts_and_paths_have_a_maximum_length(void)
{
	char text[SPEC_HOST_MAX + SPEC_PATH_MAX + 8];
	struct spec spec = { .family = IP_V6 };

	memset(text, 'a', sizeof(text));
	memcpy(text + SPEC_HOST_MAX, ":/", 2);
	text[SPEC_HOST_MAX + 1 + SPEC_PATH_MAX] = '\0';
	CU_ASSERT_EQUAL(spec_parse(text, &spec), 0);
	CU_ASSERT_EQUAL(strlen(spec.host), SPEC_HOST_MAX);
	CU_ASSERT_EQUAL(strlen(spec.path), SPEC_PATH_MAX);
	CU_ASSERT_EQUAL(spec.family, IP_UNKNOWN);
	text[SPEC_HOST_MAX + 1 + SPEC_PATH_MAX] = 'a';
	text[SPEC_HOST_MAX + 2 + SPEC_PATH_MAX] = '\0';
	CU_ASSERT_EQUAL(spec_parse(text, &spec), -EINVAL);
	ASSERT_CONTAINS(err_text(), "1025 bytes, 1024 at most");
	memset(text, 'a', SPEC_HOST_MAX + 1);
	strcpy(text + SPEC_HOST_MAX + 1, ":/x");
	CU_ASSERT_EQUAL(spec_parse(text, &spec), -EINVAL);
	ASSERT_CONTAINS(err_text(), "256 characters, 255 at most");
}

SUITE_MAIN("spec", TEST(sources_of_any_shape_are_split_or_refused),
	   TEST(hosts_and_paths_have_a_maximum_length))
