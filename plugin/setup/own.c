/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The texts of files that are setup's own. The first line has a sum of all others, and how many
 * folders were made for the file: that is all setup keeps about it. With another sum it was edited,
 * and without that line it is another program's, or an administrator's. */
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/setup/internal.h"

char *own_text(const char *body, unsigned int folders)
{
	uint64_t sum = bytes_digest(body, strlen(body)) + folders;
	char *out;

	return asprintf(&out, OWN_HEADER " (%016" PRIx64 " %u)\n%s", sum, folders, body) < 0 ? NULL
											     : out;
}

enum own own_read(const char *text, const char **body, unsigned int *folders)
{
	unsigned int n;

	*body = "";
	*folders = 0;
	if (!text)
		return OWN_NONE;
	if (strncmp(text, OWN_HEADER, strlen(OWN_HEADER)) != 0)
		return OWN_OTHERS;
	*body = strchr(text, '\n');
	*body = *body ? *body + 1 : text + strlen(text);
	for (n = 0; n <= PLACE_MADE_MAX; n++) {
		_cleanup_free_ char *ours = own_text(*body, n);

		if (!ours || strcmp(ours, text) != 0)
			continue;
		*folders = n;
		return OWN_OURS;
	}
	return OWN_EDITED;
}

void port_format(const struct setup_port *port, char *buf, size_t cap)
{
	snprintf(buf, cap, "%s %u/%s %s\n", port->zone, port->port,
		 port->protocol == IPPROTO_UDP ? "udp" : "tcp",
		 port->permanent ? "permanent" : "now");
}

bool port_parse(const char *line, struct setup_port *out)
{
	char protocol[4], when[16];
	unsigned int number;

	memset(out, 0, sizeof(*out));
	if (sscanf(line, "%63s %5u/%3s %15s", out->zone, &number, protocol, when) != 4 || !number ||
	    number > UINT16_MAX)
		return false;
	out->port = (uint16_t)number;
	out->protocol = strcmp(protocol, "udp") ? IPPROTO_TCP : IPPROTO_UDP;
	out->permanent = !strcmp(when, "permanent");
	return true;
}
