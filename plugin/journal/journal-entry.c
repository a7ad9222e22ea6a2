/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The bytes of an entry: "NAME=value\n", or for a value with a newline in it "NAME\n", its length
 * as eight bytes, the least significant first, the value and "\n". */
#include <stdio.h>

#include "plugin/journal/journal.h"

/* Random, chosen once. Programs search for them, so they never change. */
const struct journal_row journal_table[JOURNAL_EVENT_COUNT] = {
	[JOURNAL_PROVEN] = { "proven", "ef2bd12153f54ea28c924253c50030c3", 6 },
	[JOURNAL_TCP] = { "tcp", "57f276d33bbb42bcba0e13391a760106", 4 },
	[JOURNAL_UNPROVEN] = { "unproven", "b099aa913eae466cb3cacf38299b6547", 4 },
	[JOURNAL_UNDONE] = { "undone", "01f18171755b4af1942d86837ab2f5ff", 3 },
	[JOURNAL_REFUSED] = { "refused", "c9c0e35117f8467693b43e8a46bbc737", 3 },
	[JOURNAL_FAILED] = { "failed", "23cc0bbc6256418c89260fd569aebc86", 3 },
	[JOURNAL_FINDING] = { "finding", "6c0883e8adfd492ba3203b75cc0c1b05", 4 },
	[JOURNAL_WARNING] = { "warning", "64d1dd34c56247708349c3234161cce6", 4 },
	[JOURNAL_UNMOUNTED] = { "unmounted", "0fb725fbb4334200b18757e86f7b0246", 6 },
	[JOURNAL_GATE_REFUSED] = { "gate-refused", "685584d3f8cf4e86bb262777dbad76d7",
				   3 },
	[JOURNAL_GATE_UNKNOWN] = { "gate-unknown", "3d6670de4ee848ee9ca06c8f21b88bb0",
				   4 },
	[JOURNAL_GATE_FAILED] = { "gate-failed", "95d19f17f4a14219b40822241e5a442f", 3 },
	[JOURNAL_LOST] = { "lost", "4472ebadc44c491f93fddac77784dd1f", 3 },
	[JOURNAL_BACK] = { "back", "79ddad7ff3e74134807a1971dec96d94", 5 },
	[JOURNAL_SILENT] = { "silent", "a61ca5e82049425aa42ad31bcf6761e5", 3 },
	[JOURNAL_ANSWERS] = { "answers", "8dfa7f748c444fca9cd02713ced3dd6c", 5 },
};

static bool is_name(const char *name)
{
	size_t len = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return name[0] >= 'A' && name[0] <= 'Z' && !name[len] && len <= 64;
}

static void put_le64(FILE *out, uint64_t value)
{
	int i;

	for (i = 0; i < 8; i++)
		fputc((int)(value >> 8 * i & 0xff), out);
}

static void put_field(FILE *out, const char *name, const char *value)
{
	if (!strchr(value, '\n')) {
		fprintf(out, "%s=%s\n", name, value);
		return;
	}
	fprintf(out, "%s\n", name);
	put_le64(out, strlen(value));
	fprintf(out, "%s\n", value);
}

int journal_encode(enum journal_event event, const char *who, const char *message,
		   const struct journal_field *fields, size_t nfields, char **out,
		   size_t *len)
{
	const struct journal_row *row = &journal_table[event];
	char priority[2] = { (char)('0' + row->priority), '\0' };
	char *text = NULL;
	size_t size = 0, i;
	FILE *file;

	for (i = 0; i < nfields; i++)
		if (!is_name(fields[i].name))
			return err_set(EINVAL, "the journal takes no field \"%.40s\"",
				       fields[i].name);
	file = open_memstream(&text, &size);
	if (!file)
		return err_set(ENOMEM, "no memory for an entry of the journal");
	put_field(file, "MESSAGE", message);
	put_field(file, "MESSAGE_ID", row->message_id);
	put_field(file, "PRIORITY", priority);
	put_field(file, "SYSLOG_IDENTIFIER", who);
	put_field(file, "NFSRDMA_EVENT", row->name);
	for (i = 0; i < nfields; i++)
		if (fields[i].value)
			put_field(file, fields[i].name, fields[i].value);
	if (fclose(file)) {
		free(text);
		return err_set(ENOMEM, "no memory for an entry of the journal");
	}
	*out = text;
	*len = size;
	return 0;
}
