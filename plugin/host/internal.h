/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/host: what its readers share. */
#ifndef PLUGIN_HOST_INTERNAL_H
#define PLUGIN_HOST_INTERNAL_H

#include "plugin/host/host.h"
#include "rpcrdma/finding.h"

/* Longer paths are refused, not cut. */
#define HOST_PATH_MAX 1024

/* beneath.c */

/* Opens @path as if @root were the root of the file system: ".." and absolute links cannot leave
 * it. @flags: O_PATH, O_RDONLY, O_DIRECTORY, O_NOFOLLOW (of the last part)... Never a magic link.
 * Returns a descriptor, or -errno without words. */
int beneath_open(int root, const char *path, int flags);
/* The same where the kernel, or valgrind, has no openat2(2): a step for each part of the path. */
int beneath_walk(int root, const char *path, int flags);

/* host.c */

/* A descriptor of @path, opened by beneath_open(). Errors: -errno, with words. */
int host_open_at(const struct host *host, const char *path, int flags);
/* Of a regular file, for reading; nothing else is opened at all. */
int host_open_file(const struct host *host, const char *path);
/* Of the root, with O_PATH. */
int host_fd(const struct host *host);
bool host_is_watched(const struct host *host);
/* What a reader calls a file in its words: "/etc/nfs.conf", "DIR/etc/nfs.conf". */
const char *host_prefix(const struct host *host);
/* Whether the index of modules kept us waiting once: it is not asked again. */
bool *host_slow_index(const struct host *host);
/* While it is set, who watches is not told: what is read then has no place in a snapshot, and the reader
 * gives its answer by host_answer(). */
bool *host_quiet(const struct host *host);
/* host_read() without asking for text: NUL bytes may be in it. */
int host_read_bytes(const struct host *host, const char *path, size_t max,
		    struct host_text *out);
/* "%s/%s" of two parts; -ENAMETOOLONG with words. @buf has HOST_PATH_MAX bytes. */
int host_path(char *buf, const char *folder, const char *name);
/* host_attr() of folder/name. */
int host_attr_in(const struct host *host, const char *folder, const char *name, char *buf,
		 size_t cap);
int host_number_in(const struct host *host, const char *folder, const char *name,
		   int64_t *out);

/* index.c */

#define INDEX_PATH   ".nfsrdma/index.json"
#define INDEX_SCHEMA "nfsrdma-snapshot/1"

/* What a file's content is where only its name was seen. */
extern const char index_unread[];

struct index;

/* NULL in *@out: there is none, so it is no snapshot. Errors: -EBADMSG; of reading. */
int index_open(struct index **out, const struct host *host);
void index_close(struct index *index);
/* The error that reading or listing @path came to; 0: none is known. */
int index_error(const struct index *index, const char *path);
/* Why @path is not below @root: -ENOENT it was not there, without words; its error, or -ENODATA,
 * with words. */
int index_missing(const struct index *index, int root, const char *path);
/* 0, or -ENODATA: the names in it are not all there. */
int index_listed(const struct index *index, const char *path);
/* 0, or -ENODATA: the file stands for one that was not read. */
int index_content(int fd, const char *path);

/* lines.c */

/* Without the blanks around it; cuts the text in place. */
char *text_trim(char *text);
bool text_ends_with(const char *text, const char *end);
/* The next line, with a backslash before its end joining it to the one after, as modprobe.d,
 * udev and systemd write; *@number counts the lines of the file. */
char *line_next_joined(char **cursor, unsigned int *number);

/* dropins.c */

/* Files *@suffix of several folders, by name: of two with one name the one in the earlier folder
 * counts, as systemd, modprobe and udev have it. Names in @out are paths below the root. @dirs
 * ends with NULL; those that are absent are empty. */
int dropins_list(const struct host *host, const char *const *dirs, const char *suffix,
		 struct host_list *out);

/* modprobe-conf.c */

/* What modprobe.d and the kernel's command line say of a module: ->blacklisted, ->disabled*. */
int modprobe_conf(const struct host *host, const char *name, struct host_module *out);

/* module-index.c */

struct module_lookup {
	bool found, builtin;
	char name[64]; /* the module's own; of an alias another one */
	char file[256];
	bool external, is_signed, dummy;
	char srcversion[40], vermagic[128];
	char problem[160]; /* the file is there and could not be read */
};

/* By libkmod. Below a root in a process of its own: libkmod believes the files that it maps.
 * Errors: -ENOENT no such folder or no index in it; -EBADMSG; -ETIMEDOUT. */
int module_lookup(const struct host *host, const char *release, const char *name,
		  struct module_lookup *out);

/* mountstats.c: pure */

/* Calls @fn for each NFS mount of a text as /proc/self/mountstats prints it; cuts the text in
 * place. @mount has target, fs_spec, xprts and age only. Non-zero stops, and is returned. */
typedef int (*mountstats_fn)(void *arg, const struct nfs_mount *mount);
int mountstats_parse(char *text, mountstats_fn fn, void *arg);

/* mountinfo.c: pure */

/* @text is a /proc/self/mountinfo; cuts it in place. Fills in all but the xprts. */
int mountinfo_parse(char *text, struct nfs_mounts *out);
/* \040 and the like, in place. */
void mountinfo_unescape(char *text);

/* utab.c: pure */

/* Gives each mount the options that it was made with, of a text as libmount keeps it; cuts it. */
void utab_parse(char *text, struct nfs_mounts *mounts);

/* mount-tree.c */

/* A host with thousands of mounts. Users may mount by FUSE a thousand times, each with names of
 * PATH_MAX of which every byte is escaped: with them it must not become too long to be read. */
#define MOUNTINFO_MAX (64 * 1024 * 1024)

/* @text is a /proc/self/mountinfo; cuts it in place. Pure. */
int mount_tree_parse(char *text, struct host_mounts *out);
/* What is seen on @target, a path without links on the mount @under, of several on it the topmost.
 * NULL: nothing. @under: NULL: the list has no root. */
const struct host_mount *mount_tree_on(const struct host_mounts *mounts,
				       const struct host_mount *under,
				       const char *target);

/* way.c */

int way_notes_new(struct way_note **out);
void way_notes_free(struct way_note *notes);

/* mounts.c */

/* Gives each mount its transports, of a text as /proc/self/mountstats prints it. Pure. */
int mounts_join(struct nfs_mounts *mounts, char *stats);

/* conf.c: pure but for includes */

/* Adds the text of a file. @host: NULL where includes are not to be followed. */
int conf_add(struct conf *conf, const struct host *host, const char *file, char *text);
struct conf *conf_new(void);

#endif
