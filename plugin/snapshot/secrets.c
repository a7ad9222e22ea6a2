/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a snapshot may contain of a file. The rule is a table of what may, not of what may not: of
 * each file that is known here only what a check reads, with values of their form; of any other
 * file nothing. Everything else is left out, or becomes a placeholder where a line must remain.
 * Readers get the same results from the remaining text: tests/cli/snapshot-hosts.sh.
 *
 * Kernel files, the indexes of modules and the modules themselves are kept as they are.
 *
 * No reader reads a file of keys. If one ever does, or follows a link to one, its content
 * is not stored in a snapshot either. */
#include <fnmatch.h>

#include "plugin/host/text.h"
#include "plugin/snapshot/secrets.h"

static const char *const secrets_files[] = { "*shadow*",
					     "*passwd*",
					     "*keytab*",
					     "*krb5cc*",
					     "*.key",
					     "*.pem",
					     "*.p12",
					     "*/private/*",
					     "*/.ssh/*",
					     "*/ssh/ssh_host_*",
					     "*secret*",
					     "*credential*",
					     "*wpa_supplicant*",
					     "*system-connections*",
					     NULL };

bool secrets_is_secret(const char *path)
{
	const char *const *pattern;

	for (pattern = secrets_files; *pattern; pattern++)
		if (!fnmatch(*pattern, path, 0))
			return true;
	return false;
}

/* --- what is read ---------------------------------------------------------------------- */

static const struct secrets_key secrets_os_release[] = {
	{ NULL, "ID", FORM_WORD },
	{ NULL, "ID_LIKE", FORM_WORDS },
	{ NULL, "VERSION_ID", FORM_WORD },
	{ NULL, "PRETTY_NAME", FORM_LINE },
};

static const struct secrets_key secrets_nfs_conf[] = {
	{ NULL, "include", FORM_PATH },       { "environment", "*", FORM_SWITCH },
	{ "gssd", "keytab-file", FORM_PATH }, { "gssd", "use-machine-creds", FORM_WORD },
	{ "lockd", "port", FORM_WORD },       { "mountd", "port", FORM_WORD },
	{ "statd", "port", FORM_WORD },       { "nfsd", "grace-time", FORM_WORD },
	{ "nfsd", "host", FORM_WORDS },       { "nfsd", "port", FORM_WORD },
	{ "nfsd", "rdma", FORM_WORD },        { "nfsd", "rdma-port", FORM_WORD },
	{ "nfsd", "vers[2-4]*", FORM_WORD },
};

#define NFSMOUNT_KEYS(section)                                                                \
	{ section, "include", FORM_PATH }, { section, "background", FORM_WORD },              \
		{ section, "defaultproto", FORM_WORD }, { section, "mountproto", FORM_WORD }, \
		{ section, "port", FORM_WORD }, { section, "proto", FORM_WORD },              \
		{ section, "rdma", FORM_WORD }, { section, "tcp", FORM_WORD },                \
	{                                                                                     \
		section, "udp", FORM_WORD                                                     \
	}

static const struct secrets_key secrets_nfsmount_conf[] = {
	NFSMOUNT_KEYS("NFSMount_Global_Options"),
	NFSMOUNT_KEYS("Server"),
	NFSMOUNT_KEYS("MountPoint"),
};

#define POLICY_KEYS(section)                                                              \
	{ section, "policy", FORM_WORD }, { section, "check", FORM_WORD },                \
		{ section, "deadline", FORM_WORD }, { section, "on-unknown", FORM_WORD }, \
		{ section, "options", FORM_OPTIONS },                                     \
	{                                                                                 \
		section, "options-v3", FORM_OPTIONS                                       \
	}

static const struct secrets_key secrets_policy[] = {
	POLICY_KEYS("default"),
	POLICY_KEYS("server"),
	POLICY_KEYS("export"),
	POLICY_KEYS("directory"),
};

static const struct secrets_key secrets_unit[] = {
	{ "Unit", "After", FORM_UNITS },
	{ "Unit", "Before", FORM_UNITS },
	{ "Unit", "RequiresMountsFor", FORM_UNITS },
	{ "Mount", "What", FORM_SOURCE },
	{ "Mount", "Where", FORM_PATH },
	{ "Mount", "Type", FORM_WORD },
	{ "Mount", "Options", FORM_OPTIONS },
	{ "Service", "ExecStart", FORM_ARGUMENTS },
	{ "Service", "ExecStartPre", FORM_LISTENER },
	{ "Service", "ExecStartPost", FORM_LISTENER },
};
static const struct secrets_key secrets_vdsm[] = { { "irs", "repository", FORM_PATH } };
static const struct secrets_key secrets_krb5[] = { { NULL, "default_keytab_name", FORM_PATH } };
static const struct secrets_key secrets_ufw[] = { { NULL, "ENABLED", FORM_WORD } };
static const struct secrets_key secrets_debian_nfsd[] = { { NULL, "RPCNFSD*", FORM_ARGUMENTS } };
/* SUSE includes it in the section [environment] of nfs.conf. */
static const struct secrets_key secrets_sysconfig_nfs[] = {
	{ NULL, "RPCNFSD*", FORM_ARGUMENTS },
	{ NULL, "*", FORM_SWITCH },
};
static const struct secrets_key secrets_opensm[] = {
	{ NULL, "sm_priority", FORM_WORDS }, { NULL, "PRIORITY", FORM_WORDS },
	{ NULL, "guid", FORM_WORDS },        { NULL, "GUIDS", FORM_WORDS },
	{ NULL, "PORTS", FORM_WORDS },
};

/* Versions 14 and 19 indent them differently. */
/* clang-format off */
#define WHOLE(files)               \
	{                          \
		.pattern = (files) \
	}
#define LINES(files, function, how)                                      \
	{                                                                \
		.pattern = (files), .line = (function), .dialect = (how) \
	}
#define TEXT(files, function)                          \
	{                                              \
		.pattern = (files), .text = (function) \
	}
#define SETTINGS(files, table, between, how)                                         \
	{                                                                            \
		.pattern = (files), .line = secrets_settings_line, .dialect = (how), \
		.separators = (between), .keys = (table), .nkeys = ARRAY_SIZE(table) \
	}
/* clang-format on */
#define CONF (HAS_SECTIONS | HAS_COMMENTS | HAS_QUOTES | IS_JOINED)

/* The first that matches applies. */
static const struct secrets_row secrets_rows[] = {
	/* Generated by this program: the records of a snapshot. */
	WHOLE(".nfsrdma/*"),
	/* The kernel's. */
	WHOLE("sys/*"),
	WHOLE("proc/sys/*"),
	WHOLE("proc/fs/nfsd/*"),
	WHOLE("proc/net/*"),
	WHOLE("proc/*/net/*"),
	WHOLE("proc/*/limits"),
	WHOLE("proc/*/stat"),
	WHOLE("proc/config.gz"),
	WHOLE("proc/meminfo"),
	WHOLE("proc/modules"),
	WHOLE("proc/stat"),
	WHOLE("proc/uptime"),
	WHOLE("proc/version"),
	LINES("proc/*/mountinfo", secrets_mountinfo_line, NOT_NUMBERED),
	LINES("proc/*/mountstats", secrets_mountstats_line, NOT_NUMBERED),
	LINES("proc/cmdline", secrets_cmdline_line, 0),
	LINES("boot/config-*", secrets_kconfig_line, NOT_NUMBERED),
	LINES("*lib/modules/*/config", secrets_kconfig_line, NOT_NUMBERED),
	WHOLE("*lib/modules/*"),
	/* Of distributions, and of administrators. */
	SETTINGS("*etc/os-release", secrets_os_release, "=", HAS_QUOTES),
	SETTINGS("usr/lib/os-release", secrets_os_release, "=", HAS_QUOTES),
	SETTINGS("*etc/nfs.conf", secrets_nfs_conf, "=", CONF),
	SETTINGS("*etc/nfs.conf.d/*", secrets_nfs_conf, "=", CONF),
	SETTINGS("*etc/nfsmount.conf", secrets_nfsmount_conf, "=", CONF | HAS_OPTIONS),
	SETTINGS("*etc/nfsmount.conf.d/*", secrets_nfsmount_conf, "=", CONF | HAS_OPTIONS),
	SETTINGS("etc/nfsrdma.conf", secrets_policy, "=", HAS_SECTIONS),
	SETTINGS("etc/nfsrdma.conf.d/*", secrets_policy, "=", HAS_SECTIONS),
	SETTINGS("etc/vdsm/vdsm.conf", secrets_vdsm, "=:", HAS_SECTIONS),
	SETTINGS("etc/vdsm/vdsm.conf.d/*", secrets_vdsm, "=:", HAS_SECTIONS),
	SETTINGS("*/systemd/system/*", secrets_unit, "=", HAS_SECTIONS | IS_JOINED),
	SETTINGS("etc/krb5.conf", secrets_krb5, "=", 0),
	SETTINGS("etc/ufw/ufw.conf", secrets_ufw, "=", 0),
	SETTINGS("etc/default/nfs-kernel-server", secrets_debian_nfsd, "=", HAS_QUOTES),
	SETTINGS("etc/sysconfig/nfs", secrets_sysconfig_nfs, "=", HAS_QUOTES),
	SETTINGS("etc/rdma/opensm.conf*", secrets_opensm, "= \t", HAS_QUOTES),
	SETTINGS("etc/opensm/opensm.conf*", secrets_opensm, "= \t", HAS_QUOTES),
	SETTINGS("etc/sysconfig/opensm", secrets_opensm, "= \t", HAS_QUOTES),
	SETTINGS("etc/default/opensm", secrets_opensm, "= \t", HAS_QUOTES),
	TEXT("etc/*partitions.conf", secrets_partitions_text),
	TEXT("etc/ganesha/*", secrets_ganesha_text),
	TEXT("*/libvirt/storage/*.xml", secrets_pool_text),
	LINES("etc/exports", secrets_exports_line, IS_JOINED),
	LINES("etc/exports.d/*", secrets_exports_line, IS_JOINED),
	LINES("var/lib/nfs/etab", secrets_exports_line, IS_JOINED),
	LINES("etc/fstab", secrets_fstab_line, 0),
	LINES("run/mount/utab", secrets_utab_line, NOT_NUMBERED),
	LINES("etc/pve/storage.cfg", secrets_storage_line, 0),
	LINES("*/modprobe.d/*", secrets_modprobe_line, IS_JOINED),
	LINES("*/udev/rules.d/*", secrets_udev_line, IS_JOINED),
	LINES("*/modules-load.d/*", secrets_module_line, 0),
	LINES("etc/modules", secrets_module_line, 0),
	LINES("etc/rdma/modules/*", secrets_module_line, 0),
	LINES("*etc/security/limits*", secrets_limits_line, 0),
	LINES("etc/services", secrets_services_line, NOT_NUMBERED),
	LINES("*/netplan/*.yaml", secrets_netplan_line, NOT_NUMBERED),
	LINES("etc/network/interfaces*", secrets_interfaces_line, NOT_NUMBERED),
	LINES("usr/*/storageServer.py", secrets_vdsm_source_line, NOT_NUMBERED),
	LINES("etc/hostname", secrets_word_line, NOT_NUMBERED),
	LINES("run/systemd/container", secrets_word_line, NOT_NUMBERED),
	LINES("run/*.pid", secrets_word_line, NOT_NUMBERED),
};

/* @real: what follows links. */
static const struct secrets_row *secrets_find(const char *path, bool real)
{
	size_t i;

	for (i = 0; path && i < ARRAY_SIZE(secrets_rows); i++)
		if (!fnmatch(secrets_rows[i].pattern, path, 0))
			return real || secrets_rows[i].line || secrets_rows[i].text
				       ? &secrets_rows[i]
				       : NULL;
	return NULL;
}

bool secrets_is_kept_whole(const char *path)
{
	const struct secrets_row *row = secrets_find(path, true);

	return row && !row->line && !row->text;
}

/* --- a text ---------------------------------------------------------------------------- */

/* The next line, for @joined with those that a backslash joins to it. @newlines: how many end
 * it. */
static char *secrets_next_line(char **cursor, bool joined, unsigned int *newlines)
{
	char *line = *cursor, *end;

	*newlines = 0;
	for (end = line; *end; end++) {
		if (*end != '\n')
			continue;
		++*newlines;
		if (!joined || end == line || end[-1] != '\\')
			break;
		end[-1] = *end = ' ';
	}
	*cursor = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

static void secrets_strip_lines(const struct secrets_row *row, char *text, FILE *out)
{
	struct secrets_state state = { 0 };
	bool joined = row->dialect & IS_JOINED;
	unsigned int newlines;

	while (*text) {
		long before = ftell(out);
		char *line = secrets_next_line(&text, joined, &newlines);

		row->line(row, line, &state, out);
		if (row->dialect & NOT_NUMBERED && ftell(out) == before)
			continue;
		/* Joined lines were several, and their numbers count. */
		for (; newlines > 1; newlines--)
			fputs("\\\n", out);
		if (newlines)
			fputc('\n', out);
	}
}

/* -EBADMSG: nothing of it may be kept. */
static int secrets_strip_text(const struct secrets_row *row, struct host_text *text)
{
	_cleanup_free_ char *kept = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&kept, &len);
	int rc = 0;

	if (!out)
		return -ENOMEM;
	if (row->line)
		secrets_strip_lines(row, text->text, out);
	else
		rc = row->text(text->text, text->len, out);
	if (fclose(out))
		return -ENOMEM;
	if (rc)
		return rc == -ENOMEM ? rc : -EBADMSG;
	host_text_fini(text);
	*text = (struct host_text){ take_ptr(kept), len };
	return 0;
}

int secrets_strip(const char *real, const char *path, const char *by, struct host_text *text)
{
	const struct secrets_row *row = secrets_find(real, true);

	if (!row)
		row = secrets_find(path, false);
	if (!row)
		row = secrets_find(by, false);
	if (!row)
		return -EBADMSG;
	if (!row->line && !row->text)
		return 0;
	if (memchr(text->text, '\0', text->len)) {
		/* Readers reject it as not text, as before. */
		memset(text->text, 0, text->len);
		text->len = 1;
		return 0;
	}
	return secrets_strip_text(row, text);
}
