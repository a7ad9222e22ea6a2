/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Port names (services(5)), as getservbyname(3) finds them, but only in the file: other
 * sources in nsswitch.conf are not queried. */
#include <stdio.h>

#include "plugin/host/internal.h"

static bool is_named(char *names, const char *name)
{
	char *word;

	while ((word = word_next(&names)) && *word != '#')
		if (!strcmp(word, name))
			return true;
	return false;
}

/* "nfsrdma	20049/tcp	alias ..." */
static unsigned int parse_line(char *line, const char *name, const char *protocol)
{
	char *first = word_next(&line), *port = word_next(&line), *slash, *end;
	unsigned long number;

	if (!first || *first == '#' || !port)
		return 0;
	slash = strchr(port, '/');
	if (!slash || strcmp(slash + 1, protocol))
		return 0;
	if (strcmp(first, name) && !is_named(line, name))
		return 0;
	number = strtoul(port, &end, 10);
	return end == slash && number <= UINT16_MAX ? (unsigned int)number : 0;
}

int host_service(const struct host *host, const char *name, const char *protocol,
		 unsigned int *port)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "etc/services", HOST_FILE_MAX, &text);
	char *cursor, *line;

	if (rc && rc != -ENOENT)
		return rc;
	cursor = text.text;
	while (cursor && (line = line_next(&cursor))) {
		*port = parse_line(line, name, protocol);
		if (*port)
			return 0;
	}
	return err_set(ENOENT, "etc/services has no %.64s over %s", name, protocol);
}
