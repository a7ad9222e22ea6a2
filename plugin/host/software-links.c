/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What creates software RDMA links at boot. The kernel does not keep them across a
 * reboot, and no distribution has one place to configure them: there are units, rc.local,
 * cron's @reboot, hooks of network managers, udev rules, and rxe_cfg of rdma-core before
 * 28. So all of these are searched for the command, and for scripts that contain it. A
 * false match is better than a missed one, because users who get a false warning ignore
 * the next one.
 *
 * Scripts may contain secrets: a snapshot stores none of them, only the result. */
#include <ctype.h>
#include <stdio.h>

#include "plugin/host/internal.h"
#include "plugin/host/json.h"

#define SCRIPT_MAX (256 * 1024)
/* The limit of scripts that are read because a file names them. */
#define NAMED_MAX 256

static const char *const software_links_files[] = {
	"etc/rc.local",
	"etc/rc.d/rc.local",
	"etc/init.d/boot.local",
	"etc/init.d/after.local",
	"etc/crontab",
	"var/spool/cron/crontabs/root",
	"var/spool/cron/root",
	"var/spool/cron/tabs/root",
	"etc/network/interfaces",
	NULL,
};

static const char *const software_links_folders[] = {
	"etc/systemd/system",
	"usr/local/lib/systemd/system",
	"etc/init.d",
	"etc/local.d",
	"etc/cron.d",
	"etc/modprobe.d",
	"etc/network/interfaces.d",
	"etc/network/if-pre-up.d",
	"etc/network/if-up.d",
	"etc/NetworkManager/dispatcher.d",
	"etc/NetworkManager/dispatcher.d/pre-up.d",
	"etc/networkd-dispatcher/routable.d",
	"etc/networkd-dispatcher/configured.d",
	"etc/networkd-dispatcher/carrier.d",
	"etc/wicked/scripts",
	"etc/sysconfig/network/scripts",
	"etc/sysconfig/network-scripts",
	"etc/cloud/cloud.cfg.d",
	"var/lib/cloud/scripts/per-boot",
	NULL,
};

/* rxe_cfg's own list of interfaces. */
static const char *const software_links_lists[] = { "var/rxe/rxe.conf", "etc/rxe.conf",
						    "etc/rdma/rxe.conf", NULL };

struct software_links_search {
	const struct host *host;
	char *file;
	size_t cap;
	unsigned int named;
};

static bool software_links_is_command(const char *line)
{
	const char *link = strstr(line, "rdma");

	link = link ? strstr(link, "link") : NULL;
	return (link && strstr(link, "add")) || strstr(line, "rxe_cfg") ||
	       strstr(line, "rdma_rxe/parameters");
}

static bool software_links_begins_path(const char *line, const char *at)
{
	return *at == '/' &&
	       (at == line || !(isalnum((unsigned char)at[-1]) || strchr("/._}*)", at[-1])));
}

static int software_links_search_file(struct software_links_search *search, const char *path,
				      bool follow);

/* Returns 1 if a script named in the line contains it. */
static int software_links_search_named(struct software_links_search *search, const char *line)
{
	char path[256];
	const char *at;
	size_t len;
	int rc = 0;

	for (at = line; *at && !rc; at++) {
		if (!software_links_begins_path(line, at))
			continue;
		len = strcspn(at, " \t\"';|&<>()$`=,");
		if (len < 2 || len >= sizeof(path) || search->named == NAMED_MAX)
			continue;
		snprintf(path, sizeof(path), "%.*s", (int)(len - 1), at + 1);
		/* Files of the kernel and programs of the system are not scripts. */
		if (!strncmp(path, "proc/", 5) || !strncmp(path, "sys/", 4) ||
		    !strncmp(path, "dev/", 4) || !strncmp(path, "run/", 4) ||
		    !strncmp(path, "bin/", 4) || !strncmp(path, "usr/bin/", 8) ||
		    !strncmp(path, "sbin/", 5) || !strncmp(path, "usr/sbin/", 9))
			continue;
		search->named++;
		rc = software_links_search_file(search, path, false);
	}
	return rc;
}

/* Returns 1 if the file contains it. Skips files that are not text or are too long for a
 * script. */
static int software_links_search_file(struct software_links_search *search, const char *path,
				      bool follow)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(search->host, path, SCRIPT_MAX, &text);
	char *cursor, *line;

	if (rc == -ENOENT || rc == -EINVAL || rc == -EFBIG || rc == -ENOTDIR || rc == -ELOOP)
		return 0;
	if (rc)
		return rc;
	cursor = text.text;
	while (!rc && (line = line_next(&cursor))) {
		line += strspn(line, " \t");
		if (*line == '#' || *line == ';')
			continue;
		if (software_links_is_command(line)) {
			text_copy(search->file, search->cap, path);
			return 1;
		}
		rc = follow ? software_links_search_named(search, line) : 0;
	}
	return rc;
}

/* A unit of `nfsrdma setup` creates nothing while it is disabled. */
static bool software_links_is_disabled(const struct host *host, const char *name)
{
	enum unit_state state;

	return !strncmp(name, HOST_LINK_UNIT, strlen(HOST_LINK_UNIT)) &&
	       !host_unit_state(host, name, &state) && state != UNIT_ENABLED;
}

/* @depth: levels of subdirectories to search too: drop-ins of units. */
static int software_links_search_folder(struct software_links_search *search, const char *folder,
					unsigned int depth)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	int rc = host_list(search->host, folder, &list);
	char path[HOST_PATH_MAX];
	size_t i;

	if (rc)
		return rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
	for (i = 0; !rc && i < list.count; i++) {
		const char *name = list.names[i];

		/* These directories contain only links to units. */
		if (text_ends_with(name, ".wants") || text_ends_with(name, ".requires") ||
		    software_links_is_disabled(search->host, name))
			continue;
		rc = host_path(path, folder, name);
		if (!rc && depth && text_ends_with(name, ".service.d"))
			rc = software_links_search_folder(search, path, 0);
		else if (!rc)
			rc = software_links_search_file(search, path, true);
	}
	return rc;
}

static int software_links_search_rule(void *arg, const char *file, unsigned int line,
				      const char *rule)
{
	struct software_links_search *search = arg;

	(void)line;
	if (!software_links_is_command(rule))
		return software_links_search_named(search, rule);
	text_copy(search->file, search->cap, file);
	return 1;
}

static int software_links_search_all(struct software_links_search *search)
{
	const char *const *path;
	int rc = 0;

	for (path = software_links_folders; !rc && *path; path++)
		rc = software_links_search_folder(search, *path, 1);
	for (path = software_links_files; !rc && *path; path++)
		rc = software_links_search_file(search, *path, true);
	for (path = software_links_lists; !rc && *path; path++) {
		rc = host_exists(search->host, *path);
		if (!rc)
			text_copy(search->file, search->cap, *path);
		rc = rc == -ENOENT ? 0 : rc ? rc : 1;
	}
	if (!rc)
		rc = host_udev_each(search->host, software_links_search_rule, search);
	return rc < 0 ? rc : 0;
}

/* --- a snapshot ---------------------------------------------------------------------- */

#define RECORD  ".nfsrdma/remote.json"
#define KEY     "software links"
#define NOTHING "nothing"

static int software_links_from_record(const struct host *host, char *file, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	_cleanup_(json_put_p) struct json_object *record = NULL;
	struct json_object *value;
	const char *answer = NULL;
	int rc = host_read(host, RECORD, HOST_FILE_MAX, &text);

	if (rc)
		return rc;
	rc = json_parse_object(text.text, text.len, JSON_BYTES, &record);
	if (rc)
		return err_context(rc, RECORD);
	if (json_object_object_get_ex(record, KEY, &value))
		answer = json_object_get_string(value);
	if (answer)
		text_copy(file, cap, strcmp(answer, NOTHING) ? answer : "");
	else
		rc = err_set(ENODATA, "the snapshot does not say what adds software "
				      "RDMA links");
	return rc;
}

int host_software_links(const struct host *host, char *file, size_t cap)
{
	struct software_links_search search = { .host = host, .file = file, .cap = cap };
	int rc;

	*file = '\0';
	if (host_is_snapshot(host)) {
		rc = software_links_from_record(host, file, cap);
	} else {
		*host_quiet(host) = true;
		rc = software_links_search_all(&search);
		*host_quiet(host) = false;
	}
	host_answer(host, RECORD, KEY, rc ? NULL : *file ? file : NOTHING, NULL);
	return rc;
}
