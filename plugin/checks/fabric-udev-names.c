/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Rules of udev that name IPoIB interfaces by their address. It has 20 bytes, of which the first
 * twelve change: flags and queue number, and the prefix of the subnet. The last eight are the
 * port's GUID, and a rule must match only those. */
#include <ctype.h>

#include "plugin/checks/internal.h"

#define STABLE_BYTES 8

/* The value of KEY=="..." in a rule, NULL if it is not compared. */
static const char *udev_names_compared(const char *rule, const char *key, size_t *len)
{
	const char *at = strstr(rule, key);

	if (!at)
		return NULL;
	at += strlen(key);
	if (strncmp(at, "==\"", 3))
		return NULL;
	at += 3;
	*len = strcspn(at, "\"");
	return at;
}

/* "00:11:22": the number of bytes that it has. */
static unsigned int udev_names_bytes(const char *pattern, size_t len)
{
	unsigned int bytes = 0;
	size_t i;

	for (i = 0; i + 1 < len; i++) {
		if (!isxdigit((unsigned char)pattern[i]) ||
		    !isxdigit((unsigned char)pattern[i + 1]))
			continue;
		bytes++;
		i++;
	}
	return bytes;
}

static int udev_names_rule(void *arg, const char *file, unsigned int line, const char *rule)
{
	struct words *words = arg;
	size_t len;
	const char *address = udev_names_compared(rule, "ATTR{address}", &len);

	/* Six bytes are an Ethernet address. */
	if (address && strstr(rule, "NAME=\"") && udev_names_bytes(address, len) > STABLE_BYTES)
		words_add(words, "/%s:%u", file, line);
	return 0;
}

int check_fabric_udev_names(struct check_run *run)
{
	struct words words = { 0 };
	int rc = host_udev_each(run->host, udev_names_rule, &words);

	if (rc)
		return rc;
	if (words.count) {
		finding_text(&run->finding, "rule", "%s", words_text(&words));
		return check_say_why(
			run, FINDING_WARN, "whole-address",
			"compares more than the last 8 bytes of an interface's address: %s",
			words_text(&words));
	}
	return check_say(run, FINDING_PASS, "no rule compares the part of an address that changes");
}
