/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Pools as libvirt keeps them on disk, for callers that must not call libvirt: a hook that
 * does would wait for a daemon that waits for the hook (libvirt.org/hooks.html).
 * Definitions are in /etc/libvirt/storage. Running pools are in /run/libvirt/storage, as
 * they were started, within <poolstate> (src/conf/virstorageobj.c). A definition counts
 * only if its file has the pool's name, as in libvirt. */
#include <stdio.h>

#include "plugin/libvirt/internal.h"

#define SKIPPED_MAX 256

struct pool_files {
	const struct host *host;
	const char *folder;
	bool state; /* running pools */
	struct view_places *out;
	char *skipped; /* [SKIPPED_MAX] */
};

/* Reports only the first file that is skipped. */
static void pool_files_skip(const struct pool_files *files, const char *file, const char *why)
{
	if (*files->skipped)
		return;
	snprintf(files->skipped, SKIPPED_MAX, "/%s/%.100s: %s", files->folder, file, why);
	finding_clean(files->skipped);
}

static int pool_files_add(const struct pool_files *files, const char *file,
			  const struct host_text *text)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	const struct pool_facts *facts;
	size_t len;
	int rc = pool_xml_parse_saved(&xml, text->text, text->len);

	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		pool_files_skip(files, file, err_text());
		return 0;
	}
	facts = pool_xml_facts(xml);
	len = facts->name ? strlen(facts->name) : 0;
	if (!len)
		pool_files_skip(files, file, "the pool has no <name>");
	else if (!files->state && (strncmp(file, facts->name, len) || strcmp(file + len, ".xml")))
		pool_files_skip(files, file, "the pool has another name, so libvirt skips it");
	/* Network pools (rbd, gluster, iscsi-direct) have no files on this host, so no
	 * target. */
	else if (facts->target && *facts->target != '/')
		pool_files_skip(files, file,
				"its target is not an absolute path, so libvirt skips it");
	else if (!view_places_pool(files->out, facts->name))
		return pool_place_add(files->out, xml, NULL, files->state);
	return 0;
}

static int pool_files_read(const struct pool_files *files, const char *file)
{
	struct host_text text = { NULL, 0 };
	char path[512];
	int rc;

	if (snprintf(path, sizeof(path), "%s/%s", files->folder, file) >= (int)sizeof(path))
		return err_set(ENAMETOOLONG, "%s: a name of %zu bytes", files->folder,
			       strlen(file));
	rc = host_read(files->host, path, 2 * POOL_XML_MAX, &text);
	if (!rc) {
		rc = pool_files_add(files, file, &text);
	} else if (rc != -EACCES && rc != -EPERM && rc != -ENOMEM) {
		/* -ENOENT: removed since the folder was listed. */
		if (rc != -ENOENT)
			pool_files_skip(files, file, err_text());
		rc = 0;
	}
	host_text_fini(&text);
	return rc;
}

static int pool_files_read_folder(const struct pool_files *files)
{
	struct host_list list = { .count = 0 };
	int rc = host_list(files->host, files->folder, &list);
	size_t i;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (i = 0; !rc && i < list.count; i++) {
		size_t len = strlen(list.names[i]);

		if (len > 4 && !strcmp(list.names[i] + len - 4, ".xml"))
			rc = pool_files_read(files, list.names[i]);
	}
	if (!rc && list.cut)
		pool_files_skip(files, "", "more files than nfsrdma reads");
	host_list_fini(&list);
	return rc;
}

int pool_places(const struct host *host, struct view_places *out, char skipped[256])
{
	struct pool_files run = { host, "run/libvirt/storage", true, out, skipped };
	struct pool_files etc = { host, "etc/libvirt/storage", false, out, skipped };
	int rc;

	*skipped = '\0';
	rc = pool_files_read_folder(&run);
	return rc ? rc : pool_files_read_folder(&etc);
}

const char *pool_places_gap(const struct host *host, struct view_places *out,
			    char buf[ERR_TEXT_MAX])
{
	char skipped[256] = "";
	int rc = pool_places(host, out, skipped);

	text_copy(buf, ERR_TEXT_MAX, rc ? err_text() : skipped);
	return *buf ? buf : NULL;
}
