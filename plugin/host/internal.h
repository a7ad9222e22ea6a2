/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the readers in plugin/host share. */
#ifndef PLUGIN_HOST_INTERNAL_H
#define PLUGIN_HOST_INTERNAL_H

#include "plugin/host/files.h"
#include "plugin/host/host.h"
#include "plugin/host/text.h"
#include "rpcrdma/base/finding.h"

/* host.c */

bool host_is_watched(const struct host *host);
/* Whether reading the module index timed out once: it is not read again. */
bool *host_slow_index(const struct host *host);
/* While set, the watcher receives no events: what is read must not go into a snapshot,
 * and the reader reports its answer with host_answer(). */
bool *host_quiet(const struct host *host);

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

/* rpcrdma has six: rdma_cm, iw_cm, ib_cm, ib_core, configfs, sunrpc. */
#define MODULE_NEEDS_MAX 12

struct module_lookup {
	bool found, builtin;
	char name[64]; /* the real name, which differs from an alias */
	char file[256];
	bool external, is_signed, dummy;
	char srcversion[40], vermagic[128];
	char problem[160]; /* why an existing file could not be read */
	/* Modules that are loaded with it, a name "" after the last. */
	struct module_need {
		char name[64], file[256];
	} needs[MODULE_NEEDS_MAX];
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
				       const struct host_mount *under, const char *target);

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
