/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Distributions fix nfs-utils without a new version number, and rpm's database cannot be
 * read as a file. So the behaviour is tested: nfsconf(8), which is built from the same
 * parser as mount.nfs, is run on files of our own. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "plugin/live/internal.h"
#include "plugin/host/tool.h"

#define NFSCONF  "/usr/sbin/nfsconf"
#define TRY_MS   2000
#define SAYS_MAX 256

static const struct {
	const char *name, *text;
} live_nfs_utils_files[] = {
	{ "conf", "[ MountPoint \"/a\" ]\nproto=rdma\n[ MountPoint \"/b\" ]\nproto=rdma\n" },
	{ "conf.d", NULL },
	{ "conf.d/c.conf", "[ MountPoint \"/c\" ]\nproto=rdma\n" },
};

static int live_nfs_utils_make_files(int folder)
{
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(live_nfs_utils_files); i++) {
		const char *text = live_nfs_utils_files[i].text;
		_cleanup_close_ int fd = -1;

		if (!text && mkdirat(folder, live_nfs_utils_files[i].name, 0700))
			return -errno;
		if (!text)
			continue;
		fd = openat(folder, live_nfs_utils_files[i].name,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		rc = fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
		if (rc)
			return rc;
	}
	return 0;
}

/* Whether the section has its key. Errors: nfsconf cannot be run. */
static int live_nfs_utils_has_key(const struct host *host, const char *nfsconf, const char *path,
				  const char *section, bool *has)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const char *argv[] = { nfsconf, path, section, "-g", "MountPoint", "proto", NULL };
	int rc = tool_run(argv, SAYS_MAX, host_deadline(host, TRY_MS), &text);

	*has = !rc && !strncmp(text.text, "rdma", 4);
	return rc == -EIO ? 0 : rc;
}

static int live_nfs_utils_test(const struct host *host, const char *nfsconf, const char *path,
			       struct nfs_utils_behaviour *out)
{
	bool a = false, b = false, c = false;
	int rc = live_nfs_utils_has_key(host, nfsconf, path, "-a/a", &a);

	if (!rc)
		rc = live_nfs_utils_has_key(host, nfsconf, path, "-a/b", &b);
	if (!rc)
		rc = live_nfs_utils_has_key(host, nfsconf, path, "-a/c", &c);
	if (rc)
		return rc;
	/* With the defect, the third section removes it from both others. */
	if (!b && !c)
		return err_set(ENODATA, "%s does not find what is in its file", nfsconf);
	out->drop_ins = c;
	out->sections = a && b ? NFS_UTILS_KEEPS : NFS_UTILS_LOSES;
	return 0;
}

int live_nfs_utils(const struct host *host, const char *nfsconf, struct nfs_utils_behaviour *out)
{
	char top[] = "/tmp/nfsrdma-conf.XXXXXX", path[sizeof(top) + 16];
	_cleanup_close_ int folder = -1;
	size_t i;
	int rc;

	if (!mkdtemp(top))
		return err_sys("a folder in /tmp");
	folder = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = folder < 0 ? -errno : live_nfs_utils_make_files(folder);
	snprintf(path, sizeof(path), "-f%s/conf", top);
	if (rc) {
		errno = -rc;
		rc = err_sys("%s", top);
	} else {
		rc = live_nfs_utils_test(host, nfsconf ? nfsconf : NFSCONF, path, out);
	}
	for (i = ARRAY_SIZE(live_nfs_utils_files); folder >= 0 && i-- > 0;)
		unlinkat(folder, live_nfs_utils_files[i].name,
			 live_nfs_utils_files[i].text ? 0 : AT_REMOVEDIR);
	rmdir(top);
	return rc;
}
