/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Lists of modules: modules-load.d(5) at boot, and rdma-core's lists, which
 * rdma-load-modules@NAME reads when udev detects an RDMA device. */
#include "plugin/host/internal.h"

static const char *const module_lists_dirs[] = {
	"etc/modules-load.d",     "run/modules-load.d", "usr/local/lib/modules-load.d",
	"usr/lib/modules-load.d", "lib/modules-load.d", NULL
};

#define RDMA_CONF "etc/rdma/modules/rdma.conf"

/* Returns 1 if @file lists @name. */
static int module_lists_file_has(const struct host *host, const char *file, const char *name)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, file, HOST_FILE_MAX, &text);
	char *cursor, *line, *word;

	if (rc)
		return rc;
	for (cursor = text.text; (line = line_next(&cursor));) {
		word = word_next(&line);
		if (word && *word != '#' && *word != ';' && module_is_named(word, name))
			return 1;
	}
	return 0;
}

static void module_lists_set_file(struct host_listed *out, const char *file)
{
	if (!out->file[0])
		text_copy(out->file, sizeof(out->file), file);
}

int host_module_listed(const struct host *host, const char *name, struct host_listed *out)
{
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	size_t i;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = module_lists_file_has(host, RDMA_CONF, name);
	out->has_rdma_conf = rc >= 0;
	out->rdma_conf = rc > 0;
	if (rc > 0)
		module_lists_set_file(out, RDMA_CONF);
	if (rc < 0 && rc != -ENOENT)
		return rc;
	rc = dropins_list(host, module_lists_dirs, ".conf", &files);
	if (rc)
		return rc;
	for (i = 0; i < files.count && !out->at_boot; i++) {
		rc = module_lists_file_has(host, files.names[i], name);
		/* Masked by a dangling link or one to /dev/null. */
		if (rc < 0 && rc != -ENOENT && rc != -EINVAL)
			return rc;
		out->at_boot = rc > 0;
		if (rc > 0)
			module_lists_set_file(out, files.names[i]);
	}
	if (out->at_boot)
		return 0;
	/* Debian's list; modules-load.d has a link to it. */
	rc = module_lists_file_has(host, "etc/modules", name);
	out->at_boot = rc > 0;
	if (rc > 0)
		module_lists_set_file(out, "etc/modules");
	return rc == -ENOENT || rc > 0 ? 0 : rc;
}
