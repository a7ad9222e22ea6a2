/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files below a host's root: descriptors and paths, for code that does more than read them with
 * host.h. */
#ifndef PLUGIN_HOST_FILES_H
#define PLUGIN_HOST_FILES_H

#include "plugin/host/host.h"

/* Longer paths are refused, not truncated. */
#define HOST_PATH_MAX 1024
/* The kernel's limit of links on a path: MAXSYMLINKS. */
#define HOST_LINKS_MAX 40

/* inroot.c */

/* Opens @path as if @root were the root of the file system: ".." and absolute links
 * cannot leave it. @flags: O_PATH, O_RDONLY, O_DIRECTORY, O_NOFOLLOW (for the last
 * component)... Never follows magic links. Returns a descriptor, or -errno without
 * setting err_text(). */
int inroot_open(int root, const char *path, int flags);
/* The same if the kernel or valgrind lacks openat2(2): one step for each component. */
int inroot_open_by_steps(int root, const char *path, int flags);

/* host.c */

/* Opens @path with inroot_open(). Returns a descriptor, or -errno with err_text(). */
int host_open_at(const struct host *host, const char *path, int flags);
/* Opens a regular file for reading; anything else is not opened at all. */
int host_open_file(const struct host *host, const char *path);
/* The descriptor of the root, opened with O_PATH. */
int host_fd(const struct host *host);
/* The prefix of file names in messages: "/etc/nfs.conf", "DIR/etc/nfs.conf". */
const char *host_prefix(const struct host *host);
/* Like host_read(), but allows NUL bytes. */
int host_read_bytes(const struct host *host, const char *path, size_t max, struct host_text *out);
/* Like host_read(), of a file that the settings of the file @by include: it has its format, which
 * its own name does not tell a watcher. */
int host_read_included(const struct host *host, const char *path, const char *by, size_t max,
		       struct host_text *out);
/* Formats "%s/%s". Errors: -ENAMETOOLONG with err_text(). @buf has HOST_PATH_MAX bytes. */
int host_path(char *buf, const char *folder, const char *name);
/* host_attr() of folder/name. */
int host_attr_in(const struct host *host, const char *folder, const char *name, char *buf,
		 size_t cap);
int host_number_in(const struct host *host, const char *folder, const char *name, int64_t *out);
/* Reads the last name in the target of the link folder/name. @buf is unchanged on
 * failure. Errors: as host_link(). */
int host_link_name_in(const struct host *host, const char *folder, const char *name, char *buf,
		      size_t cap);

#endif
