/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The engine's rules for a storage connection. It trims the names of custom options and ignores
 * their case. It does not check an option with two "=" or a short form of a version, which VDSM
 * passes on to mount(8) nevertheless: they are refused here. */
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

static int ovirt_engine_check_name(enum ovirt_type type, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(managed); i++)
		if (!strcasecmp(managed[i].name, name) && (type == OVIRT_NFS || managed[i].posix))
			return err_set(EINVAL,
				       "the engine refuses %s= among the options of %s domain: %s",
				       managed[i].name, type == OVIRT_NFS ? "an NFS" : "a POSIX",
				       managed[i].instead);
	if (type == OVIRT_NFS && *name == 'v' && name[1] >= '2' && name[1] <= '4')
		return err_set(
			EINVAL,
			"'%.40s': the engine does not check it, and VDSM adds a version of its own; the field NFS Version of " NFS_FIELDS
			" sets it",
			name);
	if (!strcmp(name, "remount"))
		return err_set(EINVAL, "'remount' is for one command: a domain that is "
				       "mounted stays as it is until it is unmounted");
	return 0;
}

int ovirt_engine_options(enum ovirt_type type, const char *options)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	const char *at;
	size_t i;
	int rc = opts_parse(&opts, options);

	for (i = 0; !rc && i < opts_count(opts); i++)
		rc = ovirt_engine_check_name(type, opts_at(opts, i).name);
	if (rc)
		return rc;
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
