/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/libvirt.
 *
 *	xml.c            bounded reading of XML
 *	pool-xml.c       a pool's XML: what it says
 *	pool-edit.c      a pool's XML: edited
 *	pool-state.c     the requested and actual transport of a pool
 *	pool-audit.c     findings of a pool
 *	pool-target.c    the mount on a pool's target
 *	pool-guests.c    which guests use a pool
 *	pool-files.c     pools as libvirt keeps them on disk
 *	domain-xml.c     the disks of a guest
 *	pool-switch.c    a pool changed from one definition to another
 *	pool-change.c    define, convert, revert
 *	pool-original.c  the former definition of a pool, on disk
 *	pools.c          libvirt's API
 *	worker.c         a thread that may hang
 *	follow.c         changes of pools and guests
 *	follow-events.c  libvirt's events
 */
#ifndef PLUGIN_LIBVIRT_INTERNAL_H
#define PLUGIN_LIBVIRT_INTERNAL_H

#include <pthread.h>

#include "plugin/libvirt/libvirt.h"

struct _xmlDoc;
struct _xmlNode;

/* xml.c */

struct xml_limits {
	const char *roots[5]; /* names that the root element may have, then NULL */
	size_t bytes;
	size_t nodes; /* elements, attributes, comments */
	unsigned int depth;
};

/* @out: for xmlFreeDoc(). Neither network nor file is touched, whatever it says. Errors: as of
 * pool_xml_parse(). */
int xml_read(struct _xmlDoc **out, const char *text, size_t len,
	     const struct xml_limits *limits);

/* pool-xml.c */

struct pool_xml {
	struct _xmlDoc *doc;
	struct pool_facts facts;
	char **texts; /* what facts borrow */
	size_t ntexts;
	const char **options;
};

/* As libvirt keeps it on disk: also within <poolstate>. For its facts alone, not to be edited.
 * Errors: as of pool_xml_parse(). */
int pool_xml_parse_saved(struct pool_xml **out, const char *text, size_t len);
/* Reads the facts again, after an edit. */
int pool_xml_update(struct pool_xml *xml);
/* The first child element of this name without a namespace; NULL. */
struct _xmlNode *pool_xml_child(struct _xmlNode *parent, const char *name);
/* The same of libvirt's namespace for mount options. */
struct _xmlNode *pool_xml_child_ns(struct _xmlNode *parent, const char *name);
/* Whether it was meant as <fs:mount_opts>, of whatever namespace. */
bool pool_xml_is_list(const struct _xmlNode *node);

/* pool-edit.c */

/* The transport that options ask for, the last that counts: "rdma", "tcp6", "" for none. */
void pool_edit_transport(const struct opts *opts, char *buf, size_t cap);

/* Whether the option names a version of NFS; minorversion= alone does not. */
bool pool_edit_is_version(const char *name);

/* pool-state.c */

/* What mount(8) is given, as a list. */
int pool_state_options(const struct pool_xml *xml, struct opts **out);
/* How many of them name a version of NFS. */
unsigned int pool_state_versions(const struct opts *opts);

/* pool-target.c */

/* The mount that is seen on @target, the last of several; or NULL. */
const struct view_mount *pool_target_mount(const struct view *view, const char *target);

/* pool-switch.c */

/* One pool, and what it is to become. */
struct pool_switch {
	struct pool_changer *changer;
	const char *action; /* "convert", for the steps of findings */
	struct pool_info info;
	struct pool_xml *xml; /* of info */
	bool run;             /* it is to run in the end, also where it is put back */
	bool prove;           /* over RDMA, or not at all */
	bool later;           /* guests run on it: the definition alone */
	bool fresh;           /* it was started with the new definition */
};

void pool_switch_fini(struct pool_switch *change);
/* A finding. @reason: "" it is good, or skipped. */
void pool_switch_say(struct pool_switch *change, const char *id,
		     enum finding_status status, const char *reason, const char *fmt, ...)
	PRINTF_LIKE(5, 6);
/* One of a step that libvirt refused (@rc, with err_text()), or has not answered. @reason: where
 * neither @rc nor err_reason() says more. Returns @rc. */
int pool_switch_failed(struct pool_switch *change, const char *id, const char *reason,
		       const char *what, int rc);
/* Fills in what it is. Errors: -ENOENT; -EINVAL it cannot be changed, and why. */
int pool_switch_look(struct pool_switch *change, const char *name);
/* What the pool's mount says by now, without the mount itself. @audit: also as a finding. Errors: of
 * reading the mounts. */
int pool_switch_mount(struct pool_switch *change, bool audit, struct pool_state *state,
		      char version[8]);
/* 0, or -EBUSY: it is not to be touched, and the finding says why. */
int pool_switch_guests(struct pool_switch *change);
/* Whether libvirt has the mount options of @to by now; then change->xml is what it has. */
int pool_switch_taken(struct pool_switch *change, const char *to);
/* 0; 1 it is put back as it was; -errno it is neither. Findings say it all. */
int pool_switch_to(struct pool_switch *change, const char *to);

/* pool-original.c: what a pool was before it was converted: FOLDER/UUID.json, mode 0600. Whole or
 * not at all, and on disk when it is written. */

struct pool_original {
	char *name, *uri;
	char *before; /* XML as it was */
	char *after;  /* what libvirt made of ours, bare; NULL: the change is under way */
	bool active, autostart; /* before the change; autostart before the first one */
	/* A revert is under way; at its end the pool is to run, or not. */
	bool reverting, runs_reverted;
};

void pool_original_fini(struct pool_original *original);
/* Errors: -ENOENT there is none; -EBADMSG; of reading. */
int pool_original_read(const char *folder, const char *uuid, struct pool_original *out);
int pool_original_write(const char *folder, const char *uuid,
			const struct pool_original *original);
int pool_original_remove(const char *folder, const char *uuid);
/* So that two commands do not change pools at once. Returns a descriptor, or -errno: -EBUSY. */
int pool_original_lock(const char *folder);

/* pools.c: each call may hang, so they run in a thread of their own */

struct _virConnect;

struct pools_connected {
	struct _virConnect *conn; /* NULL: not connected; for virConnectClose() */
	char uri[256];            /* as libvirt says it */
	bool remote;
};

/* As pools_open(). */
int pools_connect(const char *uri, bool read_only, struct pools_connected *out);
/* As list of struct pool_ops. With an error *@out holds what was read before. */
int pools_read(struct _virConnect *conn, struct pool_list *out);
/* libvirt's last error of this thread, as -errno with its words. */
int pools_error(void);

/* worker.c: calls that may hang run in a thread of their own */

struct worker;

typedef int (*worker_fn)(void *arg);

int worker_new(struct worker **out);
/* Runs it, waits until the deadline, and returns what it returned, with its err_text().
 * -ETIMEDOUT: it has not come back. All that it touches has to stay where it is from then on, and
 * this worker takes no more. */
int worker_call(struct worker *worker, worker_fn fn, void *arg, uint64_t deadline);
bool worker_lost(const struct worker *worker);
/* One that is lost is left to the end of the process. */
void worker_free(struct worker *worker);

/* follow.c */

/* What is to be asked. Under the lock. */
struct follow_wishes {
	bool pools, all_guests;
	size_t count;
	char (*uuids)[40];
};

struct follow {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* CLOCK_MONOTONIC */
	pthread_t thread;
	unsigned int refs; /* the owner's, the thread's, libvirt's one for each event */
	bool end, ended, closed;
	struct follow_wishes wishes;
	struct follow_news news;
	bool has_news;
	char *uri;
	int fd;
};

/* A connection. */
struct follow_link {
	struct follow *follow;
	struct pools_connected to;
	bool close_told;
	int pool_ids[4], guest_ids[8]; /* of events; -1: the driver has none such */
	bool no_guests;                /* this connection knows none */
	uint64_t resync;
};

/* @arg: a struct follow. */
void follow_unref(void *arg);

/* follow-events.c */

/* The thread that they come by, once for the process. -EAGAIN. */
int follow_events_start(void);
/* Events become wishes. */
void follow_events_register(struct follow_link *link);
void follow_events_unregister(struct follow_link *link);

#endif
