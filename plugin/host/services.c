/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Port names (services(5)), as getservbyname(3) finds them, but only in the file: other
 * sources in nsswitch.conf are not queried. */
#include <stdio.h>

#include "plugin/host/internal.h"

static bool services_has_alias(char *names, const char *name)
{
	char *word;

	while ((word = word_next(&names)) && *word != '#')
		if (!strcmp(word, name))
			return true;
	return false;
}

int host_service(const struct host *host, const char *name, const char *protocol,
		 unsigned int *port)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, "etc/services", HOST_FILE_MAX, &text);
	char *cursor, *line, *first, *number, *slash;
	uint64_t value;

	if (rc && rc != -ENOENT)
		return rc;
	cursor = text.text;
	/* "nfsrdma	20049/tcp	alias ..." */
	while (cursor && (line = line_next(&cursor))) {
		*port = 0;
		first = word_next(&line);
		number = word_next(&line);
		if (!first || *first == '#' || !number)
			continue;
		slash = strchr(number, '/');
		if (!slash || strcmp(slash + 1, protocol))
			continue;
		if (strcmp(first, name) && !services_has_alias(line, name))
			continue;
		if (!text_number(number, (size_t)(slash - number), UINT16_MAX, &value) || !value)
			continue;
		*port = (unsigned int)value;
		return 0;
	}
	return err_set(ENOENT, "etc/services has no %.64s over %s", name, protocol);
}
