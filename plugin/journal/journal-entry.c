/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The bytes of an entry: "NAME=value\n", or for a value with a newline in it "NAME\n", its length
 * as eight bytes, the least significant first, the value and "\n". */
#include <stdio.h>

#include "plugin/journal/journal.h"

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

static bool has_field(const struct journal_field *fields, size_t nfields,
		      const char *name)
{
	size_t i;

	for (i = 0; i < nfields; i++)
		if (fields[i].value && !strcmp(fields[i].name, name))
			return true;
	return false;
}

/* journalctl -x prints the name of a field that the catalog's text has and the entry lacks. */
static void put_missing(FILE *out, const struct journal_row *row,
			const struct journal_field *fields, size_t nfields)
{
	const char *const *name;

	for (name = row->fields; *name; name++)
		if (!has_field(fields, nfields, *name))
			put_field(out, *name, "");
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
	put_missing(file, row, fields, nfields);
	if (fclose(file)) {
		free(text);
		return err_set(ENOMEM, "no memory for an entry of the journal");
	}
	*out = text;
	*len = size;
	return 0;
}
