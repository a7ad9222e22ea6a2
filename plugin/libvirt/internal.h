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
 *	libvirt.c        loads libvirt
 *	libvirt-module.c the module that is linked with libvirt
 *	pools.c          libvirt's API
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

/* @out: for xmlFreeDoc(). Parsing opens neither a network connection nor a file, whatever
 * the XML contains. Errors: as pool_xml_parse(). */
int xml_read(struct _xmlDoc **out, const char *text, size_t len, const struct xml_limits *limits);
/* Whether the node is an element with this name and namespace. @ns: NULL: without one. */
bool xml_is_element(const struct _xmlNode *node, const char *name, const char *ns);
/* The first of @node and its next siblings that is such an element, or NULL. */
struct _xmlNode *xml_next(struct _xmlNode *node, const char *name, const char *ns);
/* The first child element with this name and without a namespace, or NULL. */
struct _xmlNode *xml_child(struct _xmlNode *parent, const char *name);

/* pool-xml.c */

struct pool_xml {
	struct _xmlDoc *doc;
	struct pool_facts facts;
	char **texts; /* the strings that facts point to */
	size_t ntexts;
	const char **options;
};

/* Parses XML as libvirt keeps it on disk, which may be inside <poolstate>. The result
 * provides facts only and must not be edited. Errors: as pool_xml_parse(). */
int pool_xml_parse_saved(struct pool_xml **out, const char *text, size_t len);
/* The root element with all below it, as text; the caller frees it with free(3). */
int pool_xml_dump(struct _xmlDoc *doc, char **out);
/* Updates the facts after an edit. */
int pool_xml_update(struct pool_xml *xml);
/* Whether the element is a <mount_opts>, in any namespace. */
bool pool_xml_is_list(const struct _xmlNode *node);

/* pool-edit.c */

/* The transport that options request; the last one applies: "rdma", "tcp6", "" for none. */
void pool_edit_transport(const struct opts *opts, char *buf, size_t cap);

/* Whether the option names an NFS version; minorversion= alone does not. */
bool pool_edit_is_version(const char *name);

/* pool-state.c */

/* The options that mount(8) gets, as a list. */
int pool_state_options(const struct pool_xml *xml, struct opts **out);
/* The number of options that name an NFS version. */
unsigned int pool_state_versions(const struct opts *opts);

/* pool-target.c */

/* The mount visible on @target, the last of several, or NULL. */
const struct view_mount *pool_target_mount(const struct view *view, const char *target);

/* pool-switch.c */

/* A pool that is changed from one definition to another. */
struct pool_switch {
	struct pool_changer *changer;
	const char *action; /* "convert", for the steps of findings */
	struct pool_info info;
	struct pool_xml *xml; /* of info */
	bool run;             /* the pool must run at the end, also after a rollback */
	bool prove;           /* the change fails unless the pool comes up over RDMA */
	bool later;           /* guests use the pool: only the definition changes */
	bool fresh;           /* the pool was started with the new definition */
};

void pool_switch_fini(struct pool_switch *change);
/* Reports a finding. @reason: "" if it passes or was skipped. */
void pool_switch_report(struct pool_switch *change, const char *id, enum finding_status status,
			const char *reason, const char *fmt, ...) PRINTF_LIKE(5, 6);
/* Reports a step that libvirt refused (@rc, with err_text()) or has not answered. @reason:
 * used if neither @rc nor err_reason() is more specific. Returns @rc. */
int pool_switch_failed(struct pool_switch *change, const char *id, const char *reason,
		       const char *what, int rc);
/* Reads the pool's present state. Errors: -ENOENT; -EINVAL with the reason if it cannot be
 * changed. */
int pool_switch_read(struct pool_switch *change, const char *name);
/* Reads the state of the pool's mount; @state->mount is NULL afterwards. @audit: also
 * reports it as a finding. Errors: of reading the mounts. */
int pool_switch_mount(struct pool_switch *change, bool audit, struct pool_state *state,
		      char version[8]);
/* Returns 0, or -EBUSY if the pool must not be changed; a finding has the reason. */
int pool_switch_guests(struct pool_switch *change);
/* Whether libvirt now has the mount options of @to; if so, change->xml is libvirt's
 * definition. */
int pool_switch_check_kept(struct pool_switch *change, const char *to);
/* Returns 0; 1 if the former definition was restored; -errno if neither succeeded. Findings
 * report each step. */
int pool_switch_to(struct pool_switch *change, const char *to);

/* pool-original.c: a pool before its conversion: FOLDER/UUID.json, mode 0600. Written
 * atomically and synced to disk. */

struct pool_original {
	char *name, *uri;
	char *before;           /* XML before the change */
	char *after;            /* libvirt's XML after it, bare; NULL: it is in progress */
	bool active, autostart; /* before the change; autostart before the first one */
	/* A revert is in progress; runs_reverted: the pool must run at its end. */
	bool reverting, runs_reverted;
};

void pool_original_fini(struct pool_original *original);
/* Errors: -ENOENT if there is none; -EBADMSG; of reading. */
int pool_original_read(const char *folder, const char *uuid, struct pool_original *out);
int pool_original_write(const char *folder, const char *uuid, const struct pool_original *original);
int pool_original_remove(const char *folder, const char *uuid);
/* Prevents two commands from changing pools at once. Returns a descriptor, or -errno:
 * -EBUSY. */
int pool_original_lock(const char *folder);

/* libvirt.c */

/* Loads libvirt for the functions below, which call it. Errors: its library or the module is
 * absent, with err_reason() "no-library". A later call tries again. */
int libvirt_load(void);

/* pools.c */

struct _virConnect;

struct pools_connected {
	struct _virConnect *conn; /* NULL: not connected; for virConnectClose() */
	char uri[256];            /* as libvirt reports it */
	bool remote;
};

/* As pools_open(), after libvirt_load(). */
int pools_connect(const char *uri, bool read_only, struct pools_connected *out);
/* As list of struct pool_ops. After an error *@out holds what was read before it. */
int pools_read(struct _virConnect *conn, struct pool_list *out);
/* libvirt's last error in this thread, as -errno with its message. */
int pools_error(void);

/* follow.c */

/* What events and callers request to be queried again. Protected by the lock. */
struct follow_requests {
	bool pools, all_guests;
	size_t count;
	char (*uuids)[40];
};

struct follow {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* CLOCK_MONOTONIC */
	pthread_t thread;
	unsigned int refs; /* one each for owner, thread and libvirt event */
	bool end, ended, closed;
	struct follow_requests requests;
	struct follow_changes changes;
	bool has_changes;
	char *uri;
	int fd;
};

/* A connection. */
struct follow_link {
	struct follow *follow;
	struct pools_connected to;
	bool close_registered;
	int pool_ids[4], guest_ids[8]; /* of events; -1: not supported */
	bool no_guests;                /* this connection has no guests */
	uint64_t resync;
};

/* @arg: a struct follow. */
void follow_unref(void *arg);

/* follow-events.c */

/* Loads libvirt and starts the thread that delivers events, once per process. Errors: as
 * libvirt_load(); -EAGAIN. */
int follow_events_start(void);
/* Turns events into pending queries. */
void follow_events_register(struct follow_link *link);
void follow_events_unregister(struct follow_link *link);

#endif
