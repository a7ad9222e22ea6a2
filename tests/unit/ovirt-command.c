/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Source, directory and mount command of a storage domain, compared with the results of VDSM's
 * own code: tests/options/vdsm-command.txt. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/rows.h"
#include "tests/unit/suite.h"

static struct ovirt_connection connection;
static char texts[8][512];
static unsigned int used;
static const char *source, *spec, *dir;

static const char *keep(const char *text)
{
	snprintf(texts[used], sizeof(texts[0]), "%s", text);
	return texts[used++];
}

static void on_directive(char *text)
{
	char *rest = text + strcspn(text, " ");

	if (*rest)
		*rest++ = '\0';
	if (!strcmp(text, "fresh")) {
		used = 0;
		connection = (struct ovirt_connection){ .type = OVIRT_NFS };
		source = "nfs1.example.com:/export/data";
		spec = source;
		dir = "/rhev/data-center/mnt/nfs1.example.com:_export_data";
	} else if (!strcmp(text, "version")) {
		connection.version = keep(rest);
	} else if (!strcmp(text, "timeo")) {
		connection.timeo = keep(rest);
	} else if (!strcmp(text, "retrans")) {
		connection.retrans = keep(rest);
	} else if (!strcmp(text, "conf")) {
		connection.conf_options = keep(rest);
	} else if (!strcmp(text, "vfs")) {
		connection.type = OVIRT_POSIX;
		connection.vfs_type = keep(rest);
	} else if (!strcmp(text, "source")) {
		source = keep(strsep(&rest, " "));
		spec = keep(strsep(&rest, " "));
		dir = keep(rest);
	} else {
		abort();
	}
}

static void on_row(const struct row *row)
{
	const char *type = connection.type == OVIRT_NFS ? "nfs" : connection.vfs_type;
	struct ovirt_command command;
	struct ovirt_domain domain;
	bool bare;
	int rc;

	connection.options = *row->given ? row->given : NULL;
	CU_ASSERT_EQUAL_FATAL(ovirt_domain(source, NULL, &domain), 0);
	rc = ovirt_command(&connection, &domain, &command);
	ROW_CHECK(row, row->is_error == (rc != 0), "%s", rc ? err_text() : "no error");
	if (row->is_error)
		ROW_CHECK(row, strstr(err_text(), row->expected), "%s", err_text());
	if (rc)
		return;
	bare = !*row->expected;
	ROW_CHECK(row, command.argc == (bare ? 5 : 7), "%u words", command.argc);
	ROW_CHECK(row, !strcmp(command.argv[0], "/usr/bin/mount"), "%s", command.argv[0]);
	ROW_CHECK(row, !strcmp(command.argv[2], type), "%s", command.argv[2]);
	ROW_CHECK(row, bare || !strcmp(command.argv[4], row->expected), "'%s', not '%s'",
		  command.argv[4], row->expected);
	ROW_CHECK(row, !strcmp(command.argv[command.argc - 2], spec), "%s",
		  command.argv[command.argc - 2]);
	ROW_CHECK(row, !strcmp(command.argv[command.argc - 1], dir), "%s",
		  command.argv[command.argc - 1]);
	ovirt_command_fini(&command);
}

static const struct rows_runner runner = { on_directive, on_row };

static void the_command_matches_vdsm(void)
{
	rows_read("vdsm-command.txt", &runner);
	CU_ASSERT_EQUAL(rows_run, 39);
}

static void numbers_are_numbers(void)
{
	char *text = NULL;

	connection = (struct ovirt_connection){ .timeo = "1s" };
	CU_ASSERT_EQUAL(ovirt_command_options(&connection, &text), -EINVAL);
	connection = (struct ovirt_connection){ .retrans = "" };
	CU_ASSERT_EQUAL(ovirt_command_options(&connection, &text), -EINVAL);
	connection = (struct ovirt_connection){ .version = "4.x" };
	CU_ASSERT_EQUAL(ovirt_command_options(&connection, &text), -EINVAL);
	connection = (struct ovirt_connection){ .version = "44444444444444444444" };
	CU_ASSERT_EQUAL(ovirt_command_options(&connection, &text), -EINVAL);
	CU_ASSERT_PTR_NULL(text);
}

SUITE_MAIN("ovirt-command", TEST(the_command_matches_vdsm), TEST(numbers_are_numbers))
