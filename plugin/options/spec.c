/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The source of a mount, SERVER:/PATH, as mount.nfs splits it (utils/mount/parse_dev.c): at the
 * first colon, or behind the bracket of an IPv6 address. It is never changed: a platform
 * recognises its mount by this very text. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/options/internal.h"

/* RFC 1123 section 2.1, and the underscore that people use. */
static bool spec_is_name(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-_";

	return *text && *text != '-' && !text[strspn(text, allowed)];
}

static int spec_parse_address(struct spec *spec)
{
	size_t len = strcspn(spec->host, "%");
	char address[sizeof(spec->host)];
	struct in6_addr v6;

	snprintf(address, sizeof(address), "%.*s", (int)len, spec->host);
	if ((spec->host[len] && !spec_is_name(spec->host + len + 1)) ||
	    inet_pton(AF_INET6, address, &v6) != 1)
		return err_set(EINVAL, "'[%.80s]' is not an IPv6 address", spec->host);
	spec->family = IP_V6;
	spec->link_local = IN6_IS_ADDR_LINKLOCAL(&v6);
	if (spec->link_local && !strchr(spec->host, '%'))
		return err_set(
			EINVAL,
			"the link-local address [%s] needs its interface: [%s%%eth0]:/export",
			spec->host, spec->host);
	if (IN6_IS_ADDR_V4MAPPED(&v6))
		return err_set(EINVAL, "[%s] is an IPv4 address; write it without brackets",
			       spec->host);
	return 0;
}

/* Refuses what is not SERVER:/PATH, and says what may be meant. */
static int spec_refuse(const char *text)
{
	const char *slash = strstr(text, ":/");
	char host[INET6_ADDRSTRLEN] = "";
	struct in6_addr v6;

	for (; slash && strstr(slash + 1, ":/"); slash = strstr(slash + 1, ":/"))
		;
	if (slash && (size_t)(slash - text) < sizeof(host))
		memcpy(host, text, (size_t)(slash - text));
	if (inet_pton(AF_INET6, host, &v6) == 1)
		return err_set(EINVAL, "an IPv6 address needs brackets: [%s]%s", host, slash);
	if (!strchr(text, ':'))
		return err_set(EINVAL, "no export in '%.80s'; expected SERVER:/EXPORT", text);
	return err_set(EINVAL, "no path in '%.80s'; expected SERVER:/EXPORT", text);
}

static int spec_parse_host(const char *text, struct spec *spec, const char **rest)
{
	bool bracket = *text == '[';
	const char *start = text + bracket;
	size_t len = strcspn(start, bracket ? "]" : ":");
	struct in_addr v4;

	if (bracket && !start[len])
		return err_set(EINVAL, "'%.80s' has no closing bracket", text);
	*rest = start + len + bracket;
	if (strncmp(*rest, ":/", 2))
		return spec_refuse(text);
	if (!len)
		return err_set(EINVAL, "'%.80s' has no server before the colon", text);
	if (len > SPEC_HOST_MAX)
		return err_set(EINVAL, "the server's name has %zu characters, %d at most", len,
			       SPEC_HOST_MAX);
	memcpy(spec->host, start, len);
	spec->host[len] = '\0';
	if (bracket)
		return spec_parse_address(spec);
	if (strchr(spec->host, ','))
		return err_set(EINVAL,
			       "'%.80s': mount.nfs takes one server, not a list of replicas",
			       spec->host);
	if (!spec_is_name(spec->host))
		return err_set(EINVAL, "'%.80s' is not a server name", spec->host);
	spec->family = inet_pton(AF_INET, spec->host, &v4) == 1 ? IP_V4 : IP_UNKNOWN;
	return 0;
}

int spec_parse(const char *text, struct spec *out)
{
	struct spec spec = { .family = IP_UNKNOWN };
	const char *rest = text;
	int rc;

	if (!*text)
		return err_set(EINVAL, "the source of the mount is empty");
	if (opts_has_control(text))
		return err_set(EINVAL, "control character in the source of the mount");
	if (!strncmp(text, "nfs://", 6))
		return err_set(EINVAL, "'%.80s' is a URL; expected SERVER:/EXPORT", text);
	rc = spec_parse_host(text, &spec, &rest);
	if (rc)
		return rc;
	if (strlen(rest + 1) > SPEC_PATH_MAX)
		return err_set(EINVAL, "the path of the export has %zu bytes, %d at most",
			       strlen(rest + 1), SPEC_PATH_MAX);
	str_copy(spec.path, sizeof(spec.path), rest + 1);
	*out = spec;
	return 0;
}
