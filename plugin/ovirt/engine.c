/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The engine's rules for a storage connection. It splits custom options at commas and "=", trims
 * names, ignores their case, and does not check those with two "=": VDSM passes these on to mount(8)
 * nevertheless. */
#include <stdio.h>
#include <strings.h>

#include "plugin/ovirt/internal.h"

#define NFS_FIELDS "Custom Connection Parameters"

/* Options that the engine keeps for itself. */
static const struct ovirt_engine_managed {
	const char *name;
	bool posix; /* also for a POSIX compliant file system */
	const char *instead;
} managed[] = {
	{ "timeo", false, "the field Timeout (deciseconds) of " NFS_FIELDS " sets it" },
	{ "retrans", false, "the field Retransmissions of " NFS_FIELDS " sets it" },
	{ "nfsvers", false, "the field NFS Version of " NFS_FIELDS " sets it" },
	{ "vers", false, "the field NFS Version of " NFS_FIELDS " sets it" },
	{ "minorversion", false, "the field NFS Version of " NFS_FIELDS " sets it" },
	{ "protocol_version", false, "the field NFS Version of " NFS_FIELDS " sets it" },
	{ "vfs_type", true, "the field VFS Type sets it, and NFS domains have none" },
	{ "addr", true, "mount.nfs resolves the address itself" },
	{ "clientaddr", true, "mount.nfs resolves the address itself" },
};

static const struct ovirt_engine_managed *ovirt_engine_find_managed(enum ovirt_type type,
								    const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(managed); i++)
		if (strlen(managed[i].name) == len && !strncasecmp(managed[i].name, name, len) &&
		    (type == OVIRT_NFS || managed[i].posix))
			return &managed[i];
	return NULL;
}

static int ovirt_engine_refuse(enum ovirt_type type, const struct ovirt_engine_managed *row)
{
	return err_set(EINVAL, "the engine refuses %s= among the options of %s domain: %s",
		       row->name, type == OVIRT_NFS ? "an NFS" : "a POSIX", row->instead);
}

/* The name of an element, as the engine parses it; false: the engine does not check it. */
static bool ovirt_engine_option_name(const char *element, size_t len, const char **name,
				     size_t *name_len)
{
	const char *equals = memchr(element, '=', len);

	if (equals && memchr(equals + 1, '=', len - (size_t)(equals + 1 - element)))
		return false;
	len = equals ? (size_t)(equals - element) : len;
	for (; len && (*element == ' ' || *element == '\t'); element++)
		len--;
	while (len && (element[len - 1] == ' ' || element[len - 1] == '\t'))
		len--;
	*name = element;
	*name_len = len;
	return true;
}

int ovirt_engine_options(enum ovirt_type type, const char *options)
{
	const char *at = options, *name;
	size_t len, name_len;

	for (; *at; at += len + (at[len] == ',')) {
		const struct ovirt_engine_managed *row = NULL;

		len = strcspn(at, ",");
		if (ovirt_engine_option_name(at, len, &name, &name_len))
			row = ovirt_engine_find_managed(type, name, name_len);
		if (row)
			return ovirt_engine_refuse(type, row);
	}
	for (at = options; *at; at++)
		if ((unsigned char)*at > 0x7e)
			return err_set(
				EINVAL,
				"the engine takes only ASCII; the options have a byte 0x%02x",
				(unsigned char)*at);
	if (strlen(options) > OVIRT_OPTIONS_MAX)
		return err_set(E2BIG, "the options have %zu characters, and the engine keeps %d",
			       strlen(options), OVIRT_OPTIONS_MAX);
	return 0;
}

int ovirt_engine_strict(enum ovirt_type type, const struct opts *options)
{
	size_t i;

	for (i = 0; i < opts_count(options); i++) {
		struct opt opt = opts_at(options, i);
		const struct ovirt_engine_managed *row =
			ovirt_engine_find_managed(type, opt.name, strlen(opt.name));

		if (row)
			return ovirt_engine_refuse(type, row);
		/* Shorthands that the engine does not recognize as a version. */
		if (type == OVIRT_NFS && *opt.name == 'v' && opt.name[1] >= '2' &&
		    opt.name[1] <= '4')
			return err_set(
				EINVAL,
				"'%.40s': the engine does not check it, and VDSM adds a version of its own; the field NFS Version of " NFS_FIELDS
				" sets it",
				opt.name);
		if (!strcmp(opt.name, "remount"))
			return err_set(EINVAL, "'remount' is for one command: a domain that is "
					       "mounted stays as it is until it is unmounted");
	}
	return 0;
}

/* A name that the engine's pattern accepts: no underscore, no hyphen at either end of a
 * label. */
static bool ovirt_engine_is_host(const char *host)
{
	size_t len;

	for (; *host; host += len + (host[len] == '.')) {
		len = strcspn(host, ".");
		if (!len || len > 63 || *host == '-' || host[len - 1] == '-' ||
		    memchr(host, '_', len))
			return false;
	}
	return true;
}

/* Its last component has a character before the first dot, and neither "|" nor "^" nor a backslash
 * in it, and may have a slash behind it: the engine's pattern since 4.2, read as a person would. */
static bool ovirt_engine_is_path(const char *path)
{
	const char *last = path;
	size_t len;

	if (!strcmp(path, "/"))
		return true;
	for (; *path; path++) {
		if (*path != '/' && *path != '\\')
			continue;
		last = path + 1;
		len = strcspn(last, "./|^\\");
		if (len && (!last[len] || !strcmp(last + len, "/") ||
			    (last[len] == '.' && !strchr(last + len, '\\'))))
			return true;
	}
	return false;
}

int ovirt_engine_source(enum ovirt_type type, const char *spec)
{
	struct spec parsed;
	const char *p;
	int rc = spec_parse(spec, &parsed);

	if (rc)
		return rc;
	if (strlen(spec) > OVIRT_CONNECTION_MAX)
		return err_set(E2BIG, "the path has %zu characters, and the engine keeps %d",
			       strlen(spec), OVIRT_CONNECTION_MAX);
	for (p = spec; *p; p++)
		if ((unsigned char)*p <= ' ' || (unsigned char)*p > 0x7e)
			return err_set(EINVAL,
				       "the engine takes only paths of ASCII without blanks");
	if (type == OVIRT_POSIX)
		return 0;
	if (parsed.family == IP_UNKNOWN && !ovirt_engine_is_host(parsed.host))
		return err_set(
			EINVAL,
			"the engine rejects the server name '%.80s'; use letters, digits, dots and hyphens",
			parsed.host);
	if (strchr(parsed.host, '%'))
		return err_set(EINVAL, "the engine rejects an address with an interface");
	if (!ovirt_engine_is_path(parsed.path))
		return err_set(
			EINVAL,
			"the engine rejects the path %.120s: it ends with two slashes, or its last part begins with a dot or has one of | ^ \\ in it",
			parsed.path);
	return 0;
}
