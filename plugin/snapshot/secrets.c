/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The parts of files that a snapshot must not contain, although readers read the files:
 * passwords of other file systems in fstab, values on the kernel's command line, keys of
 * the subnet manager, the environment of services, the configuration of interfaces,
 * storages of Proxmox VE other than NFS; and mounted file systems other than NFS and
 * those on this host's disks. Readers get the same results from the remaining text.
 *
 * No reader reads a file of keys. If one ever does, or follows a link to one, its content
 * is not stored in a snapshot either. */
#include <ctype.h>
#include <fnmatch.h>
#include <strings.h>

#include "plugin/snapshot/internal.h"

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

/* Returns how much of a non-empty line to keep: 0 to @len bytes. @state: per text,
 * initially 0. */
typedef size_t (*secrets_line_fn)(const char *line, size_t len, unsigned int *state);

static size_t secrets_word_end(const char *line, size_t len, size_t at)
{
	while (at < len && isblank((unsigned char)line[at]))
		at++;
	while (at < len && !isblank((unsigned char)line[at]))
		at++;
	return at;
}

/* Options of other file systems may contain passwords; so may comments. */
static size_t secrets_fstab_line(const char *line, size_t len, unsigned int *state)
{
	size_t type = secrets_word_end(line, len, secrets_word_end(line, len, 0));
	bool comment = line[strspn(line, " \t")] == '#';

	(void)state;
	type += strspn(line + type, " \t");
	return !comment && len - type >= 3 && !strncmp(line + type, "nfs", 3) ? len : 0;
}

/* Disks are kept without options, because they may be mounted where NFS should be
 * (mount.missing). For others, the two ids suffice to know what is mounted on what. */
static size_t secrets_mountinfo_line(const char *line, size_t len, unsigned int *state)
{
	size_t end = secrets_word_end(line, len, secrets_word_end(line, len, 0));
	const char *type = memmem(line, len, " - ", 3);

	(void)state;
	if (memmem(line, len, " - nfs", 6))
		return len;
	if (strspn(line, "0123456789 ") < end)
		return 0;
	if (type) {
		size_t source = secrets_word_end(line, len, (size_t)(type - line) + 3);

		if (len - source > 5 && !strncmp(line + source, " /dev/", 6))
			return secrets_word_end(line, len, source);
	}
	return end;
}

/* One paragraph for each mount with statistics, one line for the others. */
static size_t secrets_mountstats_line(const char *line, size_t len, unsigned int *state)
{
	if (!strncmp(line, "device ", 7))
		*state = memmem(line, len, " with fstype nfs", 16) != NULL;
	return *state ? len : 0;
}

/* libmount's own list: keeps NFS mounts, which have "SRC=HOST:/PATH". */
static size_t secrets_utab_line(const char *line, size_t len, unsigned int *state)
{
	const char *source = strstr(line, "SRC="), *colon;

	(void)state;
	/* Others have ":/" before it: a target, an option. */
	colon = source ? memmem(source, strcspn(source, " "), ":/", 2) : NULL;
	return colon ? len : 0;
}

/* "m_key 0x...", and every other setting with "key" in its name; "FOO_KEY=..." */
static size_t secrets_opensm_line(const char *line, size_t len, unsigned int *state)
{
	size_t at;

	(void)state;
	for (at = strspn(line, " \t#"); at < len; at++)
		if (isblank((unsigned char)line[at]) || line[at] == '=')
			break;
	return at < len && strcasestr(line, "key") && strcasestr(line, "key") < line + at
		       ? at
		       : len;
}

/* A backslash continues a setting in the next line. */
static size_t secrets_unit_line(const char *line, size_t len, unsigned int *state)
{
	const char *start = line + strspn(line, " \t");

	if (!*state)
		*state = !strncmp(start, "Environment", 11) ||
			 !strncmp(start, "SetCredential", 13);
	if (!*state)
		return len;
	*state = line[len - 1] == '\\';
	return 0;
}

/* Keeps the sections of devices (managers.c); below them there may be keys of a wireless
 * network. */
static size_t secrets_netplan_line(const char *line, size_t len, unsigned int *state)
{
	size_t name = strspn(line, " \t");

	(void)state;
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	return name < len && name + strcspn(line + name, ":") == len - 1 ? len : 0;
}

/* Keeps the names of interfaces; readers do not use their configuration. */
static size_t secrets_interfaces_line(const char *line, size_t len, unsigned int *state)
{
	(void)state;
	return strncmp(line + strspn(line, " \t"), "iface", 5)
		       ? 0
		       : secrets_word_end(line, len, secrets_word_end(line, len, 0));
}

/* Keeps NFS storages of Proxmox VE. Storages of plugins may have a password. */
static size_t secrets_storage_line(const char *line, size_t len, unsigned int *state)
{
	if (!isblank((unsigned char)*line))
		*state = !strncmp(line, "nfs:", 4);
	return *state ? len : 0;
}

static void secrets_strip_lines(struct host_text *text, secrets_line_fn keep)
{
	char *from = text->text, *to = text->text, *end = text->text + text->len;
	unsigned int state = 0;

	while (from < end) {
		char *newline = memchr(from, '\n', (size_t)(end - from));
		size_t len = (size_t)((newline ? newline : end) - from), kept;

		/* Limits string searches to the line; the last line already ends with
		 * NUL. */
		from[len] = '\0';
		kept = len ? keep(from, len, &state) : 0;
		memmove(to, from, kept);
		to += kept;
		/* Findings cite line numbers of these files. */
		if (newline && (kept || !len || keep == secrets_fstab_line ||
				keep == secrets_storage_line))
			*to++ = '\n';
		from += len + 1;
	}
	*to = '\0';
	text->len = (size_t)(to - text->text);
}

/* What modprobe-conf.c reads. */
static bool secrets_parameter_is_read(const char *name, size_t len)
{
	static const char *const names[] = { "modprobe.blacklist", "module_blacklist" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (len == strlen(names[i]) && !strncmp(name, names[i], len))
			return true;
	return false;
}

/* Any value may be a password or a URL with one; so parameters that no reader uses keep
 * only their name, "root=". */
static void secrets_strip_cmdline(struct host_text *text)
{
	static const char name_bytes[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	char *from = text->text, *to = text->text;

	while (*from) {
		size_t len, kept, name = strspn(from, name_bytes);
		bool quoted = false;

		/* A parameter has blanks only in quotes, at any position (next_arg() in
		 * the kernel's lib/cmdline.c). */
		for (len = 0; from[len] && (quoted || !isspace((unsigned char)from[len]));
		     len++)
			quoted ^= from[len] == '"';
		kept = from[name] != '='                       ? name
		       : secrets_parameter_is_read(from, name) ? len
							       : name + 1;

		/* Including the blank after it. */
		memmove(to, from, kept);
		to += kept;
		from += len;
		if (*from)
			*to++ = *from++;
	}
	*to = '\0';
	text->len = (size_t)(to - text->text);
}

static const struct {
	const char *pattern; /* fnmatch(3), where "*" also matches slashes */
	secrets_line_fn keep;
	void (*strip)(struct host_text *text);
} secrets_rows[] = {
	{ "etc/fstab", secrets_fstab_line, NULL },
	{ "etc/pve/storage.cfg", secrets_storage_line, NULL },
	{ "proc/*/mountinfo", secrets_mountinfo_line, NULL },
	{ "proc/*/mountstats", secrets_mountstats_line, NULL },
	{ "run/mount/utab", secrets_utab_line, NULL },
	{ "proc/cmdline", NULL, secrets_strip_cmdline },
	{ "etc/*opensm*", secrets_opensm_line, NULL },
	{ "*/systemd/system/*", secrets_unit_line, NULL },
	{ "*/netplan/*.yaml", secrets_netplan_line, NULL },
	{ "etc/network/interfaces*", secrets_interfaces_line, NULL },
};

void secrets_strip(const char *path, struct host_text *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(secrets_rows); i++) {
		if (fnmatch(secrets_rows[i].pattern, path, 0))
			continue;
		if (memchr(text->text, '\0', text->len)) {
			/* Readers reject it as not text, as before. */
			text->text[0] = '\0';
			text->len = 1;
		} else if (secrets_rows[i].keep) {
			secrets_strip_lines(text, secrets_rows[i].keep);
		} else {
			secrets_rows[i].strip(text);
		}
	}
}
