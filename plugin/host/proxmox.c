/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS storages of Proxmox VE: etc/pve/storage.cfg. On a running system this file is in
 * pmxcfs, a FUSE file system, which can hang with its cluster. So a child reads it, for
 * at most two seconds. */
#include "plugin/host/internal.h"
#include "plugin/host/live.h"

#define STORAGE_CFG "etc/pve/storage.cfg"
#define TEXT_MAX    (256 * 1024)
#define CAT_MS      2000

static const char *const cat_cfg[] = { "/usr/bin/cat", "/" STORAGE_CFG, NULL };

static int read_cfg(const struct host *host, struct host_text *text)
{
	int rc = 0;

	if (host_is_live(host))
		rc = live_child(cat_cfg, TEXT_MAX, deadline_in(CAT_MS), text);
	/* A snapshot contains only what host_read() reads; this is safe now that the
	 * child has read it. */
	if (!rc && (!host_is_live(host) || host_is_watched(host))) {
		host_text_fini(text);
		rc = host_read(host, STORAGE_CFG, TEXT_MAX, text);
	}
	return rc;
}

/* "nfs: vmstore"; returns NULL if there are too many storages. */
static struct proxmox_storage *storages_add(struct proxmox_storages *out,
					    const char *name, unsigned int line)
{
	struct proxmox_storage *storage;

	if (out->count == PROXMOX_STORAGES_MAX)
		return NULL;
	storage = &out->list[out->count++];
	memset(storage, 0, sizeof(*storage));
	text_copy(storage->name, sizeof(storage->name), name);
	storage->line = line;
	return storage;
}

static void take_setting(struct proxmox_storage *storage, const char *key, char *value)
{
	const struct {
		const char *key;
		char *text;
		size_t cap;
	} rows[] = {
		{ "path", storage->path, sizeof(storage->path) },
		{ "server", storage->server, sizeof(storage->server) },
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
static void parse_cfg(char *text, struct proxmox_storages *out)
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
			take_setting(storage, word, line);
		if (indented)
			continue;
		storage = NULL;
		if (!strcmp(word, "nfs:") && (word = word_next(&line)))
			storage = storages_add(out, word, number);
	}
}

int host_proxmox(const struct host *host, struct proxmox_storages *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc;

	memset(out, 0, sizeof(*out));
	rc = read_cfg(host, &text);
	if (!rc)
		parse_cfg(text.text, out);
	return rc == -ENOENT ? 0 : rc;
}
