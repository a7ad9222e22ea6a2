/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Values of the command line: each is bounded, whole, and refused with a sentence that says what
 * is allowed. What is quoted in it is cut; it is cleaned when it is printed. */
#include <arpa/inet.h>
#include <netdb.h>

#include "plugin/cli/options.h"
#include "plugin/host/text.h"
#include "plugin/report/words.h"

/* RFC 1813 section 5.1.1: the longest path that MOUNT takes. */
#define MOUNT_PATH_MAX 1024
/* IB_DEVICE_NAME_MAX, include/rdma/ib_verbs.h */
#define DEVICE_NAME_MAX 64
#define SECONDS_MAX     86400

int value_number(const char *text, unsigned long min, unsigned long max, unsigned long *out)
{
	uint64_t n;

	if (!text_number(text, strlen(text), max, &n) || n < min)
		return err_set(EINVAL, "takes a number from %lu to %lu, not '%.40s'", min, max,
			       text);
	*out = (unsigned long)n;
	return 0;
}

int value_port(const char *text, void *port)
{
	unsigned long number;
	int rc = value_number(text, 1, 65535, &number);

	if (!rc)
		*(uint16_t *)port = (uint16_t)number;
	return rc;
}

int value_seconds(const char *text, void *ms)
{
	unsigned long seconds;
	int rc = value_number(text, 1, SECONDS_MAX, &seconds);

	if (!rc)
		*(unsigned int *)ms = (unsigned int)seconds * 1000;
	return rc;
}

int value_any(const char *text, void *string)
{
	*(const char **)string = text;
	return 0;
}

int value_format(const char *text, void *format)
{
	const struct report_format *found = report_format_find(text), *const * each;
	struct words names = { .separator = ", " };

	if (found) {
		*(const struct report_format **)format = found;
		return 0;
	}
	for (each = report_formats; *each; each++)
		words_add(&names, "%s", (*each)->name);
	return err_set(EINVAL, "takes one of %s, not '%.40s'", words_text(&names), text);
}

/* The words of choices are checked before. */
int value_transport(const char *text, void *ops)
{
	*(const struct transport_ops **)ops = transport_find(text);
	return 0;
}

int value_nfs_version(const char *text, void *version)
{
	*(const struct nfs_version **)version = nfs_version_find(text);
	return 0;
}

int value_roles(const char *text, void *roles)
{
	static const unsigned int all[] = { CHECK_CLIENT, CHECK_SERVER, CHECK_BOTH };

	*(unsigned int *)roles = all[choice_index(&choice_roles, text)];
	return 0;
}

int value_fault(const char *text, void *faults)
{
	struct fault_set **set = faults;

	if (!*set)
		*set = fault_set_new();
	return *set ? fault_set_add(*set, text) : err_no_memory();
}

/* One id of the list at *text; moves to what follows it. -1, (uid_t)-1, means "none" to the
 * kernel; no user has it. */
static bool value_id(const char **text, char end, uint32_t *out)
{
	size_t len = strcspn(*text, ":,");
	uint64_t id;

	if (!text_number(*text, len, UINT32_MAX - 1, &id))
		return false;
	if ((*text)[len] != end && (end != ',' || (*text)[len]))
		return false;
	*out = (uint32_t)id;
	*text += len + ((*text)[len] != '\0');
	return true;
}

int value_cred(const char *text, void *out)
{
	struct rpc_cred cred = { .flavor = RPC_AUTH_SYS };
	const char *p = text;
	bool good = value_id(&p, ':', &cred.uid) && value_id(&p, ',', &cred.gid);

	while (good && *p) {
		if (cred.ngids == RPC_GIDS_MAX)
			return err_set(EINVAL, "takes at most %d additional groups (AUTH_SYS)",
				       RPC_GIDS_MAX);
		good = value_id(&p, ',', &cred.gids[cred.ngids++]);
	}
	if (!good || text[strlen(text) - 1] == ',')
		return err_set(EINVAL, "takes numeric UID:GID or UID:GID,GID,..., not '%.40s'",
			       text);
	*(struct rpc_cred *)out = cred;
	return 0;
}

/* RFC 1123 section 2.1, and the underscore that people use. */
static bool value_is_name(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789.-_";

	return *text && *text != '-' && !text[strspn(text, allowed)];
}

/* An IPv6 address; a zone may follow: fe80::1%eth0. */
static bool value_is_ipv6(const char *text)
{
	size_t len = strcspn(text, "%");
	char address[INET6_ADDRSTRLEN];
	struct in6_addr v6;

	if (len >= sizeof(address) || (text[len] && !value_is_name(text + len + 1)))
		return false;
	memcpy(address, text, len);
	address[len] = '\0';
	return inet_pton(AF_INET6, address, &v6) == 1;
}

int value_address(const char *text, void *address)
{
	static const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST,
					       .ai_socktype = SOCK_STREAM };
	bool bracket = *text == '[';
	size_t len = strlen(text);
	struct transport_address *out = address;
	struct addrinfo *list;
	struct in_addr v4;
	char host[80];

	if (bracket && len > 2 && text[len - 1] == ']') {
		text++;
		len -= 2;
	}
	snprintf(host, sizeof(host), "%.*s", (int)len, text);
	/* getaddrinfo() alone would take 192.0.2, as inet_aton() does. */
	if (len >= sizeof(host) || (!strchr(host, ':') && inet_pton(AF_INET, host, &v4) != 1) ||
	    getaddrinfo(host, NULL, &hints, &list))
		return err_set(EINVAL, "takes a numeric address of this host, not '%.60s'", text);
	memset(out, 0, sizeof(*out));
	memcpy(&out->addr, list->ai_addr, list->ai_addrlen);
	out->len = list->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

int value_device(const char *text, void *string)
{
	if (!value_is_name(text) || *text == '.' || strlen(text) >= DEVICE_NAME_MAX)
		return err_set(EINVAL, "takes the name of an RDMA device, not '%.40s'", text);
	*(const char **)string = text;
	return 0;
}

/* Splits off the host; *rest is what follows it: "" or ":...". */
static int value_host(const char *text, struct value_server *out, const char **rest)
{
	bool bracket = *text == '[';
	const char *start = text + bracket;
	size_t len = strcspn(start, bracket ? "]" : ":");

	if (bracket && !start[len])
		return err_set(EINVAL, "'%.80s' has no closing bracket", text);
	if (!len)
		return err_set(EINVAL, "'%.80s' has no server before the colon", text);
	if (len >= sizeof(out->host))
		return err_set(EINVAL,
			       "the server's name has %zu characters; at most %zu are allowed", len,
			       sizeof(out->host) - 1);
	memcpy(out->host, start, len);
	out->host[len] = '\0';
	*rest = start + len + bracket;
	if (!bracket && !value_is_name(out->host))
		return err_set(EINVAL, "'%.80s' is not a server name", out->host);
	if (bracket && !value_is_ipv6(out->host))
		return err_set(EINVAL, "'%.80s' is not an IPv6 address", out->host);
	return 0;
}

int value_server(const char *text, struct value_server *out)
{
	const char *rest = text, *p;
	size_t digits;
	int rc;

	if (!*text)
		return err_set(EINVAL, "the server's name is empty");
	for (p = text; *p; p++)
		if ((uint8_t)*p < 0x20 || *p == 0x7f)
			return err_set(EINVAL, "'%.80s' contains a control character", text);
	rc = value_host(text, out, &rest);
	if (rc)
		return rc;
	out->path = NULL;
	if (!*rest)
		return 0;
	if (*rest == ':' && rest[1] == '/') {
		out->path = rest + 1;
		if (strlen(out->path) > MOUNT_PATH_MAX)
			return err_set(EINVAL, "the path has %zu bytes; at most %d are allowed",
				       strlen(out->path), MOUNT_PATH_MAX);
		return 0;
	}
	digits = strspn(rest + 1, "0123456789");
	if (*rest == ':' && digits && rest[1 + digits] == ':' && *text != '[' &&
	    (rest[2 + digits] == '/' || !rest[2 + digits]))
		return err_set(EINVAL, "unexpected port in '%.60s'; use --port %.*s", text,
			       (int)min_u32((uint32_t)digits, 8), rest + 1);
	if (strchr(rest + 1, ':') && *text != '[')
		return err_set(EINVAL, "an IPv6 address needs brackets: [2001:db8::1]:/export");
	return err_set(EINVAL,
		       "expected ':/EXPORT' after the server, not '%.40s'; use --port for a port",
		       rest);
}
