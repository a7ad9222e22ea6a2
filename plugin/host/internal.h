/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the readers in plugin/host share. */
#ifndef PLUGIN_HOST_INTERNAL_H
#define PLUGIN_HOST_INTERNAL_H

#include "plugin/host/host.h"
#include "rpcrdma/finding.h"

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
bool host_is_watched(const struct host *host);
/* The prefix of file names in messages: "/etc/nfs.conf", "DIR/etc/nfs.conf". */
const char *host_prefix(const struct host *host);
/* Whether reading the module index timed out once: it is not read again. */
bool *host_slow_index(const struct host *host);
/* While set, the watcher receives no events: what is read must not go into a snapshot,
 * and the reader reports its answer with host_answer(). */
bool *host_quiet(const struct host *host);
/* Like host_read(), but allows NUL bytes. */
int host_read_bytes(const struct host *host, const char *path, size_t max,
		    struct host_text *out);
/* Formats "%s/%s". Errors: -ENAMETOOLONG with err_text(). @buf has HOST_PATH_MAX bytes. */
int host_path(char *buf, const char *folder, const char *name);
/* host_attr() of folder/name. */
int host_attr_in(const struct host *host, const char *folder, const char *name, char *buf,
		 size_t cap);
int host_number_in(const struct host *host, const char *folder, const char *name,
		   int64_t *out);
/* Reads the last name in the target of the link folder/name. @buf is unchanged on
 * failure. Errors: as host_link(). */
int host_link_name_in(const struct host *host, const char *folder, const char *name,
		      char *buf, size_t cap);

/* snapshot-index.c */

#define SNAPSHOT_INDEX_PATH   ".nfsrdma/index.json"
#define SNAPSHOT_INDEX_SCHEMA "nfsrdma-snapshot/1"

/* The content of a file of which only the name was queried. */
extern const char snapshot_index_unread[];

struct snapshot_index;

/* *@out is NULL if there is no index, so it is no snapshot. Errors: -EBADMSG; of reading. */
int snapshot_index_open(struct snapshot_index **out, const struct host *host);
void snapshot_index_close(struct snapshot_index *index);
/* The recorded error of reading or listing @path; 0: none. */
int snapshot_index_error(const struct snapshot_index *index, const char *path);
/* Why @path does not exist below @root: -ENOENT: it did not exist, without err_text();
 * its recorded error, or -ENODATA, with err_text(). */
int snapshot_index_missing(const struct snapshot_index *index, int root,
			   const char *path);
/* Returns 0, or -ENODATA if the snapshot does not have all names in it. */
int snapshot_index_listed(const struct snapshot_index *index, const char *path);
/* Returns 0, or -ENODATA if the file is a placeholder for one that was not read. */
int snapshot_index_content(int fd, const char *path);

/* lines.c */

/* Strips leading and trailing blanks, in place. */
char *text_trim(char *text);
/* Also removes one pair of quotes, as a shell would; not the blanks in them. In place. */
char *text_unquote(char *value);
bool text_ends_with(const char *text, const char *end);
/* What follows the last slash; the whole path without one. */
const char *text_base_name(const char *path);
/* The number of newlines, plus one. */
size_t text_count_lines(const char *text);
/* Returns the next line; a backslash at its end joins it to the following one, as in
 * modprobe.d, udev and systemd. *@number counts the lines of the file. */
char *line_next_joined(char **cursor, unsigned int *number);

/* dropins.c */

/* Lists the files *@suffix of several directories, by name: of two with the same name,
 * the one in the earlier directory wins, as in systemd, modprobe and udev. Names in @out
 * are paths below the root. @dirs is NULL-terminated; absent directories count as empty. */
int dropins_list(const struct host *host, const char *const *dirs, const char *suffix,
		 struct host_list *out);

/* modules.c */

/* Compares names of modules, in which "-" and "_" are the same. */
bool module_is_named(const char *a, const char *b);

/* modprobe-conf.c */

/* Fills in ->blacklisted and ->disabled* from modprobe.d and the kernel's command line. */
int modprobe_conf(const struct host *host, const char *name, struct host_module *out);

/* module-index.c */

struct module_lookup {
	bool found, builtin;
	char name[64]; /* the real name, which differs from an alias */
	char file[256];
	bool external, is_signed, dummy;
	char srcversion[40], vermagic[128];
	char problem[160]; /* why an existing file could not be read */
};

/* Looks up a module with libkmod, below a --root in a child process, because libkmod
 * trusts the files that it maps. Errors: -ENOENT: no such directory or no index in it;
 * -EBADMSG; -ETIMEDOUT. */
int module_lookup(const struct host *host, const char *release, const char *name,
		  struct module_lookup *out);

/* mountstats.c: pure */

/* Calls @fn for each NFS mount in a text in the format of /proc/self/mountstats; splits
 * the text in place. @mount has target, fs_spec, xprts and age only. A non-zero return
 * value stops and is returned. */
typedef int (*mountstats_fn)(void *arg, const struct nfs_mount *mount);
int mountstats_parse(char *text, mountstats_fn fn, void *arg);

/* mountinfo.c: pure */

/* @text is a /proc/self/mountinfo, which is split in place. Fills in everything except
 * the xprts. */
int mountinfo_parse(char *text, struct nfs_mounts *out);
/* Decodes \040 and other escapes, in place. */
void mountinfo_unescape(char *text);

/* utab.c: pure */

/* Sets the options each mount was made with, from a text in libmount's utab format, which
 * is split in place. */
void utab_parse(char *text, struct nfs_mounts *mounts);

/* mount-tree.c */

/* Enough for a host with thousands of mounts. Users may make a thousand FUSE mounts, each
 * with names of PATH_MAX bytes that are all escaped: even then mountinfo must remain
 * readable. */
#define MOUNTINFO_MAX (64 * 1024 * 1024)

/* Pure. @text is a /proc/self/mountinfo, which is split in place. */
int mount_tree_parse(char *text, struct host_mounts *out);
/* Returns the visible mount on @target, a path without links on the mount @under: the
 * topmost if there are several, NULL if there is none. @under: NULL: the list has no
 * root. */
const struct host_mount *mount_tree_on(const struct host_mounts *mounts,
				       const struct host_mount *under,
				       const char *target);

/* path.c */

int path_cache_new(struct path_cache **out);
void path_cache_free(struct path_cache *cache);

/* mounts.c */

/* Pure. Sets the transports of each mount, from a text in the format of
 * /proc/self/mountstats. */
int mounts_join(struct nfs_mounts *mounts, char *stats);

/* conf.c: pure but for includes */

/* Adds the text of a file. @host: NULL: do not follow includes. */
int conf_add(struct conf *conf, const struct host *host, const char *file, char *text);
struct conf *conf_new(void);

#endif
