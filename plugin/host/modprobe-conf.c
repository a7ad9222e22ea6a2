/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The administrator's configuration of module loading: modprobe.d(5), and the kernel's
 * command line. libkmod reads the same files, but opens them without checks, and does not
 * report which file a line came from. */
#include <stdio.h>

#include "plugin/host/internal.h"

/* modprobe.d(5), in order of precedence. */
static const char *const modprobe_dirs[] = { "etc/modprobe.d",           "run/modprobe.d",
					     "usr/local/lib/modprobe.d", "usr/lib/modprobe.d",
					     "lib/modprobe.d",           NULL };

/* Commands after "install NAME" that load nothing. */
static bool modprobe_loads_nothing(char *command)
{
	const char *word = word_next(&command);

	if (!word)
		return false;
	word = text_base_name(word);
	return !strcmp(word, "false") || !strcmp(word, "true") || !strcmp(word, ":") ||
	       !strcmp(word, "exit") || !strcmp(word, "echo");
}

static void modprobe_disable(struct host_module *out, const char *by)
{
	/* Report the first such line. */
	if (!out->disabled)
		text_copy(out->disabled_by, sizeof(out->disabled_by), by);
	out->disabled = true;
}

static int modprobe_parse_file(const struct host *host, const char *file, const char *name,
			       struct host_module *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	unsigned int number = 0;
	int rc = host_read(host, file, HOST_FILE_MAX, &text);
	char *cursor, *line, *word, *module;

	/* A dangling link, or one to /dev/null, masks the file in a later directory. */
	if (rc)
		return rc == -ENOENT || rc == -EINVAL ? 0 : rc;
	for (cursor = text.text; (line = line_next_joined(&cursor, &number));) {
		word = word_next(&line);
		if (!word || *word == '#')
			continue;
		module = word_next(&line);
		if (!module || !module_is_named(module, name))
			continue;
		if (!strcmp(word, "blacklist"))
			out->blacklisted = true;
		else if (!strcmp(word, "install") && modprobe_loads_nothing(line))
			modprobe_disable(out, file);
	}
	return 0;
}

/* "modprobe.blacklist=a,b" is equivalent to "blacklist a" in a file; "module_blacklist="
 * is enforced by the kernel itself for every loader (kernel-parameters.txt). */
static void modprobe_parse_cmdline(char *text, const char *name, struct host_module *out)
{
	char *word, *list, *module;

	while ((word = word_next(&text))) {
		list = strchr(word, '=');
		if (!list)
			continue;
		*list++ = '\0';
		if (strcmp(word, "modprobe.blacklist") && strcmp(word, "module_blacklist"))
			continue;
		while ((module = strsep(&list, ","))) {
			if (!module_is_named(module, name))
				continue;
			if (!strcmp(word, "module_blacklist"))
				modprobe_disable(out, "proc/cmdline");
			else
				out->blacklisted = true;
		}
	}
}

int modprobe_conf(const struct host *host, const char *name, struct host_module *out)
{
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	_cleanup_(host_text_fini) struct host_text cmdline = { NULL, 0 };
	int rc = dropins_list(host, modprobe_dirs, ".conf", &files);
	size_t i;

	for (i = 0; !rc && i < files.count; i++)
		rc = modprobe_parse_file(host, files.names[i], name, out);
	if (rc)
		return rc;
	rc = host_read(host, "proc/cmdline", 65536, &cmdline);
	if (!rc)
		modprobe_parse_cmdline(cmdline.text, name, out);
	return rc == -ENOENT ? 0 : rc;
}
