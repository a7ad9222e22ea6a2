/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What was requested of mount.nfsrdma since boot, and the kernel does not show: a small file for each
 * directory, below /run/nfsrdma/requests, which only root can write. It never says what a mount is:
 *
 * - Nothing is mounted there: while it is pending a guest must not use the directory, which would be on a
 *   local disk. The helper may still be at work, or was killed.
 * - Another transport than RDMA is mounted: it has the nfsrdma.policy= of the call, which mount.nfs does
 *   not get.
 * - RDMA is mounted: it says nothing.
 *
 * It is pending before mount.nfs starts, and mounted as soon as the helper, the watcher, `nfsrdma mounts` or
 * a gate sees that mount. It is gone when the helper ends with an error that it reported, and when the first of
 * them sees that its mount is gone. A file has the lines
 *
 *	pending 12345                         or mounted, or background: pending, and mount.nfs goes
 *	                                      on (bg); since when, by CLOCK_MONOTONIC in ms
 *	b3fe4a6a-8f6b-425a-81db-11412b84d08b  the boot
 *	require                               its nfsrdma.policy=; nfsrdma.conf: it had none
 *	nas:/vm                               the source
 *	/srv/vm                               the whole directory, up to the end of the file
 *
 * and is named by a hash of the directory. Readers treat it as hostile. */
#ifndef PLUGIN_REQUEST_H
#define PLUGIN_REQUEST_H

#include "plugin/host/host.h"

#define REQUEST_FOLDER      "run/nfsrdma/requests"
#define REQUEST_NAME_DIGITS 16
#define REQUEST_NAME_MAX    24
/* In place of a policy: that of this host's files, as they are when it is asked. */
#define REQUEST_POLICY_FILES "nfsrdma.conf"

struct request {
	char name[REQUEST_NAME_MAX]; /* of its file; cut, where @broken */
	bool broken;     /* the file is malformed or cannot be read: only @text is set */
	bool mounted;    /* false: pending */
	bool background; /* pending, and mount.nfs goes on after its helper (bg) */
	uint64_t at_ms;
	const char *boot_id, *policy, *source,
		*target; /* point into @text, in those that were read */
	char *text;      /* owned; broken: why */
};

#define REQUEST_BOOT_MAX 40

/* The id of this boot. Errors: of reading. */
int request_boot(const struct host *host, char boot_id[REQUEST_BOOT_MAX]);
void request_fini(struct request *request);
/* The file of a directory. */
void request_name(const char *target, char name[REQUEST_NAME_MAX]);

/* Pure. Changes @text, to which the strings of @out point. Errors: -EBADMSG; -ESTALE of another
 * boot. */
int request_parse(char *text, const char *boot_id, struct request *out);
/* The request of a directory. Errors: -ENOENT there is none of this boot; -EBADMSG; of reading. */
int request_read(const struct host *host, const char *target, struct request *out);

struct request_list {
	size_t count;
	struct request *list;
};

/* All of this boot, by name. Errors: of reading the folder; -E2BIG there are more; -ENOMEM. */
int request_list(const struct host *host, struct request_list *out);
/* That of a directory, which may be broken; or NULL. */
const struct request *request_of(const struct request_list *list, const char *target);
void request_list_fini(struct request_list *list);

/* Writing. A descriptor of the folder below @root, which is made; or -errno. It stays good across a
 * change of the mount namespace. */
int request_open(const char *root);
/* A helper works on a directory as long as it holds this descriptor, or another process that has
 * it. -1: it cannot be had, and the helper goes on without: a mount that hangs for a file is worse. */
int request_begin(int folder, const char *target);
/* Replaces the file of @request->target in one step. @lock: of request_begin(), or -1. */
int request_write(int folder, int lock, const struct request *request);
/* The helper ends with an error: @before is what there was before its own, and is back if it is
 * mounted or goes on in the background; its text may be NULL. Where another helper works on the
 * directory, or has mounted it meanwhile, the file is left to that one. */
int request_end(const struct host *host, int folder, int lock, const char *target,
		const struct request *before);
/* What is mounted there from now on is not to be over RDMA. Where a helper is at work nothing is
 * done. */
int request_forget(int folder, const char *target);
/* Whether a helper works on that directory. */
bool request_is_busy(int folder, const char *target);
/* What @seen requested is mounted, or is not any more. Nothing is done while a helper is at work
 * there, or if the file has changed since. */
int request_settle(const struct host *host, int folder, const struct request *seen, bool mounted);

#endif
