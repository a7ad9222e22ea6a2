/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS storages of Proxmox VE: etc/pve/storage.cfg. On a running system this file is in
 * pmxcfs, a FUSE file system, which can hang with its cluster. So a child reads it, for
 * at most two seconds. */
#include "plugin/host/internal.h"
#include "plugin/host/tool.h"

#define STORAGE_CFG "etc/pve/storage.cfg"
#define TEXT_MAX    (256 * 1024)
#define CAT_MS      2000

/* A node may have no storages yet; of a pmxcfs that does not answer nothing is known. */
static const char *const proxmox_cat_argv[] = {
	"/bin/sh", "-c",
	"/usr/bin/ls /etc/pve >/dev/null && { [ ! -e /" STORAGE_CFG
	" ] || exec /usr/bin/cat /" STORAGE_CFG "; }",
	NULL
};

static void proxmox_take_setting(struct proxmox_storage *storage, const char *key, char *value)
{
	const struct {
		const char *key;
		char *text;
		size_t cap;
	} rows[] = {
		{ "path", storage->path, sizeof(storage->path) },
		{ "server", storage->server, sizeof(storage->server) },
		{ "export", storage->export, sizeof(storage->export) },
		{ "nodes", storage->nodes, sizeof(storage->nodes) },
		{ "options", storage->options, sizeof(storage->options) },
		{ "content", storage->content, sizeof(storage->content) },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(key, rows[i].key))
			text_copy(rows[i].text, rows[i].cap, text_trim(value));
	if (!strcmp(key, "disable"))
		storage->disabled = true;
}

/* A section is "TYPE: NAME" in the first column, and indented lines "KEY VALUE". */
static void proxmox_parse_cfg(char *text, struct proxmox_storages *out)
{
	struct proxmox_storage *storage = NULL;
	unsigned int number = 0;
	char *line, *word;

	while ((line = line_next(&text))) {
		bool indented = *line == ' ' || *line == '\t';

		number++;
		word = word_next(&line);
		if (!word || *word == '#')
			continue;
		if (indented && storage)
			proxmox_take_setting(storage, word, line);
		if (indented)
			continue;
		storage = NULL;
		if (strcmp(word, "nfs:") != 0)
			continue;
		word = word_next(&line);
		out->cut |= word && out->count == PROXMOX_STORAGES_MAX;
		if (!word || out->cut)
			continue;
		storage = &out->list[out->count++];
		memset(storage, 0, sizeof(*storage));
		text_copy(storage->name, sizeof(storage->name), word);
		storage->line = number;
	}
}

/* @name: of this host, with or without its domain. */
static bool proxmox_has_node(const char *nodes, const char *name)
{
	size_t len, own = strcspn(name, ".");

	for (; *nodes; nodes += len + (nodes[len] == ',')) {
		len = strcspn(nodes, ",");
		if (len == own && !strncmp(nodes, name, len))
			return true;
	}
	return false;
}

static void proxmox_leave_out_others(const struct host *host, struct proxmox_storages *storages)
{
	char name[256];
	unsigned int i;

	if (host_attr(host, "proc/sys/kernel/hostname", name, sizeof(name)))
		return;
	for (i = 0; i < storages->count; i++)
		storages->list[i].disabled |= *storages->list[i].nodes &&
					      !proxmox_has_node(storages->list[i].nodes, name);
}

int host_proxmox(const struct host *host, struct proxmox_storages *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	bool live = host_is_live(host);
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (live)
		rc = tool_run(proxmox_cat_argv, TEXT_MAX, host_deadline(host, CAT_MS), &text);
	/* A snapshot contains only what host_read() reads; this is safe now that the
	 * child has read it. */
	if (!rc && (!live || host_is_watched(host))) {
		host_text_fini(&text);
		rc = host_read(host, STORAGE_CFG, TEXT_MAX, &text);
	}
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	proxmox_parse_cfg(text.text, out);
	proxmox_leave_out_others(host, out);
	return 0;
}
