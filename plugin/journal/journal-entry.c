/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The bytes of an entry: "NAME=value\n", or for a value with a newline in it "NAME\n", its length
 * as eight bytes, the least significant first, the value and "\n". */
#include <stdio.h>

#include "plugin/journal/journal.h"

static void entry_put_field(FILE *out, const char *name, const char *value)
{
	uint64_t len = strlen(value);
	int i;

	if (!strchr(value, '\n')) {
		fprintf(out, "%s=%s\n", name, value);
		return;
	}
	fprintf(out, "%s\n", name);
	for (i = 0; i < 8; i++)
		fputc((int)(len >> 8 * i & 0xff), out);
	fprintf(out, "%s\n", value);
}

int journal_encode(const struct journal_entry *entry, char **out, size_t *len)
{
	const struct journal_row *row = &journal_table[entry->event];
	char priority[2] = { (char)('0' + row->priority), '\0' };
	const struct journal_field *fields = entry->fields;
	const char *const *missing;
	const char *name;
	char *text = NULL;
	size_t size = 0, i, n;
	FILE *file;

	for (i = 0; i < entry->nfields; i++) {
		name = fields[i].name;
		n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
		if (*name < 'A' || *name > 'Z' || name[n] || n > 64)
			return err_set(EINVAL, "the journal takes no field \"%.40s\"", name);
	}
	file = open_memstream(&text, &size);
	if (!file)
		return err_no_memory();
	entry_put_field(file, "MESSAGE", entry->message);
	entry_put_field(file, "MESSAGE_ID", row->message_id);
	entry_put_field(file, "PRIORITY", priority);
	entry_put_field(file, "SYSLOG_IDENTIFIER", entry->who);
	entry_put_field(file, "NFSRDMA_EVENT", row->name);
	for (i = 0; i < entry->nfields; i++)
		if (fields[i].value)
			entry_put_field(file, fields[i].name, fields[i].value);
	/* journalctl -x prints the name of a field that the catalog's text has and the entry
	 * lacks. */
	for (missing = row->fields; *missing; missing++) {
		for (i = 0; i < entry->nfields; i++)
			if (fields[i].value && !strcmp(fields[i].name, *missing))
				break;
		if (i == entry->nfields)
			entry_put_field(file, *missing, "");
	}
	if (fclose(file)) {
		free(text);
		return err_no_memory();
	}
	*out = text;
	*len = size;
	return 0;
}
