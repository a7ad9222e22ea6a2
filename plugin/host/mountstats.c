/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* /proc/self/mountstats (nfs_show_stats() in fs/nfs/super.c): of each NFS mount its transports and
 * their counters. A line is a word and a colon; what is not looked for is passed over, so that
 * other kernels' lines do no harm. "statvers=1.1" is the only one since Linux 2.6.18. */
#include <inttypes.h>

#include "plugin/host/internal.h"

/* "device SPEC mounted on TARGET with fstype nfs4 statvers=1.1". Blanks in SPEC and TARGET are
 * escaped. True: an NFS mount begins. */
static bool parse_device(char *line, struct nfs_mount *mount)
{
	static const char *const between[] = { "mounted", "on", "with", "fstype" };
	char *words[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		words[i] = word_next(&line);
		if (!words[i])
			return false;
	}
	if (strcmp(words[2], between[0]) || strcmp(words[3], between[1]) ||
	    strcmp(words[5], between[2]) || strcmp(words[6], between[3]) ||
	    (strcmp(words[7], "nfs") && strcmp(words[7], "nfs4")))
		return false;
	mountinfo_unescape(words[1]);
	mountinfo_unescape(words[4]);
	text_copy(mount->fs_spec, sizeof(mount->fs_spec), words[1]);
	text_copy(mount->target, sizeof(mount->target), words[4]);
	text_copy(mount->type, sizeof(mount->type), words[7]);
	return true;
}

/* "xprt: rdma 0 0 1 ...". Numbers that do not fit are cut off the end, as are more than there is
 * room for: a later kernel may print more. */
static void parse_xprt(char *line, struct nfs_mount *mount)
{
	struct nfs_xprt *xprt = &mount->xprts[mount->nxprts];
	char *word, *end;
	uint64_t value;

	word = word_next(&line);
	if (!word)
		return;
	if (mount->nxprts == NFS_XPRTS_MAX) {
		mount->xprts_cut = true;
		return;
	}
	memset(xprt, 0, sizeof(*xprt));
	text_copy(xprt->proto, sizeof(xprt->proto), word);
	mount->nxprts++;
	while ((word = word_next(&line)) && xprt->nvalues < ARRAY_SIZE(xprt->values)) {
		errno = 0;
		value = strtoumax(word, &end, 10);
		if (errno || *end || *word == '-')
			return;
		xprt->values[xprt->nvalues++] = value;
	}
}

static void parse_stat(char *line, struct nfs_mount *mount)
{
	char *name = word_next(&line);

	if (!name)
		return;
	if (!strcmp(name, "xprt:"))
		parse_xprt(line, mount);
	else if (!strcmp(name, "age:"))
		mount->age = strtoumax(line, NULL, 10);
}

int mountstats_parse(char *text, mountstats_fn fn, void *arg)
{
	struct nfs_mount *mount = calloc(1, sizeof(*mount));
	bool inside = false;
	char *line;
	int rc = 0;

	if (!mount)
		return err_set(ENOMEM, "no memory");
	while (!rc && (line = line_next(&text))) {
		if (!strncmp(line, "device ", 7) || !strncmp(line, "no device ", 10)) {
			if (inside)
				rc = fn(arg, mount);
			memset(mount, 0, sizeof(*mount));
			inside = parse_device(line, mount);
		} else if (inside) {
			parse_stat(line, mount);
		}
	}
	if (!rc && inside)
		rc = fn(arg, mount);
	free(mount);
	return rc;
}
