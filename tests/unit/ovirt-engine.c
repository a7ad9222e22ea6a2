/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Custom options that the engine accepts: tests/options/engine.txt. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/rows.h"
#include "tests/unit/suite.h"

static enum ovirt_type type;

static void on_directive(char *text)
{
	type = strcmp(text, "type posix") ? OVIRT_NFS : OVIRT_POSIX;
}

static void on_row(const struct row *row)
{
	int rc = ovirt_engine_options(type, row->given);

	ROW_CHECK(row, row->is_error == (rc != 0), "%s", rc ? err_text() : "taken");
	if (rc)
		ROW_CHECK(row, strstr(err_text(), row->expected), "%s", err_text());
}

static const struct rows_runner runner = { on_directive, on_row };

static void options_are_accepted_as_by_the_engine(void)
{
	rows_read("engine.txt", &runner);
	ASSERT_MORE(rows_run, 20);
}

static void the_database_keeps_500_characters(void)
{
	char text[600];

	memset(text, 'a', sizeof(text));
	text[500] = '\0';
	CU_ASSERT_EQUAL(ovirt_engine_options(OVIRT_NFS, text), 0);
	text[500] = 'a';
	text[501] = '\0';
	CU_ASSERT_EQUAL(ovirt_engine_options(OVIRT_NFS, text), -E2BIG);
}

static void posix_domains_allow_more_paths_than_nfs_domains(void)
{
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "nas1:/"), 0);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "nas1:/a/"), 0);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "nas1:/a//"), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "nas1:/a/.b/"), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_POSIX, "nas1:/"), 0);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "[fe80::1%eth0]:/e"), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "nas1:/a|b"), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "nas1:/a\\b"), 0);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "nas1..x:/a"), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_engine_source(OVIRT_NFS, "192.0.2.1:/a/b.c"), 0);
}

SUITE_MAIN("ovirt-engine", TEST(options_are_accepted_as_by_the_engine),
	   TEST(the_database_keeps_500_characters),
	   TEST(posix_domains_allow_more_paths_than_nfs_domains))
