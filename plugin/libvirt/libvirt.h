/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libvirt's netfs pools: the transport that their XML requests, the one that they use, and
 * how to convert one to RDMA and back. Only this folder uses libvirt and libxml2.
 *
 *	pool_xml_*     a pool's XML: read, queried, edited, written; pure
 *	pool_audit()   the findings of one pool; pure
 *	pool_change_*  define, convert, revert: step by step, with rollback if a step fails
 *	pools_*        libvirt itself, as struct pool_ops
 *	pool_places()  the pools' files, for callers that must not call libvirt
 *	domain_disks_* the disks of a guest's XML; pure
 *	follow_*       changes of pools and guests
 *
 * XML is untrusted, including libvirt's: any user who may define pools wrote it. Its size
 * is bounded. It may have no document type, so it declares no entities and nothing is
 * fetched. Its values are validated before use. */
#ifndef PLUGIN_LIBVIRT_H
#define PLUGIN_LIBVIRT_H

#include <stdio.h>

#include "plugin/host/host.h"
#include "plugin/options/options.h"
#include "plugin/view/view.h"
#include "rpcrdma/base/finding.h"

/* pool-xml.c, pool-edit.c: pure */

#define POOL_XML_MAX (64 * 1024)
#define POOL_NS      "http://libvirt.org/schemas/storagepool/fs/1.0"

struct pool_xml;

/* The contents of the XML; NULL if absent. Everything is borrowed from the XML until it is
 * edited. */
struct pool_facts {
	const char *type; /* attribute of <pool> */
	const char *name, *uuid;
	const char *host, *host_port; /* of the first <host> */
	const char *dir;              /* the export */
	const char *format;           /* NULL is "auto" */
	const char *version;          /* <protocol ver>, "4.2" */
	const char *target;           /* the mount point */
	unsigned int nhosts;
	bool auth; /* <auth> within <source> */
	/* Mount options in the order of <fs:option>, of libvirt's namespace only. */
	unsigned int noptions;
	const char *const *options;
	/* The namespace of a <mount_opts> that libvirt drops because it is not libvirt's;
	 * "" for none. NULL: there is no such element. */
	const char *dropped_ns;
};

/* @out is the caller's. Errors: -EINVAL not XML, or no <pool>; -EFBIG longer than
 * POOL_XML_MAX, or more or deeper elements than a pool has; -ENOMEM. */
int pool_xml_parse(struct pool_xml **out, const char *text, size_t len);
/* A pool of type netfs without options. @host: as in the source of a mount. */
int pool_xml_new(struct pool_xml **out, const char *name, const char *host, const char *dir,
		 const char *target);
void pool_xml_free(struct pool_xml *xml);
void pool_xml_free_p(struct pool_xml **xml);
const struct pool_facts *pool_xml_facts(const struct pool_xml *xml);
/* The XML, indented, with a final newline; the caller frees it with free(3). */
int pool_xml_format(const struct pool_xml *xml, char **out);
/* The same without what libvirt adds itself: sizes, and the permissions that it found. Two
 * definitions are equal if these texts are. */
int pool_xml_format_bare(const struct pool_xml *xml, char **out);
/* The options that libvirt passes to mount(8) after its own nodev,nosuid,noexec:
 * "nfsvers=4.2,proto=rdma". */
int pool_xml_options(const struct pool_xml *xml, char **out);
/* pool-public.c: XML as libvirt keeps it on disk, without what may be a secret: only the facts,
 * with their options as public_options() writes them. The caller frees it with free(3). Errors: as
 * pool_xml_parse(). */
int pool_public_xml(const char *text, size_t len, char **out);
#define POOL_SOURCE_MAX (SPEC_HOST_MAX + SPEC_PATH_MAX + 4)
/* HOST:DIR, as libvirt writes it. -EINVAL: it does not have exactly one host and a
 * directory. */
int pool_xml_source(const struct pool_xml *xml, char *buf, size_t cap);
/* Whether it is an NFS pool with one server. Returns 0, or -EINVAL with the reason as a
 * sentence. */
int pool_xml_check(const struct pool_xml *xml);

struct pool_request {
	const struct policies *policies; /* NULL: built-in */
	enum ip_family family;           /* of a name; as in struct plan_request */
	const char *version;             /* "4.2"; "": none; NULL: keep the pool's, if any */
	const char *options; /* in place of those that it has; NULL: those, but for what is
			      * about another transport */
};

/* Edits the XML so that libvirt mounts it over RDMA: transport and port as one element
 * each, libvirt's namespace, an IPv6 address in brackets. Everything else stays.
 * Idempotent. Errors: -EINVAL with a sentence; -ENOMEM; the XML must not be used after an
 * error. */
int pool_xml_convert(struct pool_xml *xml, const struct pool_request *request);

/* pool-ops: libvirt, or a test's replacement */

struct pool_info {
	char *name, *uuid;
	char *xml; /* the definition that applies at the next start */
	bool active, persistent, autostart;
};

void pool_info_fini(struct pool_info *info);

struct pool_list {
	size_t count;
	struct pool_info *list;
};

void pool_list_fini(struct pool_list *list);

struct pool_guest {
	char *name, *xml;
};

struct pool_guests {
	size_t count;
	struct pool_guest *list;
};

void pool_guests_fini(struct pool_guests *guests);

/* More than these are an error that gives both numbers. A report can hold this many pools. */
#define POOLS_MAX  2000
#define GUESTS_MAX 16384

/* All of them: -ENOENT no such pool; -ETIMEDOUT libvirt has not answered by the deadline
 * and may still be working, so no further call is possible; -EACCES; -EIO any other error,
 * with libvirt's message. */
struct pool_ops {
	/* Of type netfs, by name. */
	int (*list)(void *conn, uint64_t deadline, struct pool_list *out);
	int (*get)(void *conn, uint64_t deadline, const char *name, struct pool_info *out);
	/* Adds a pool, or redefines the one with the same name and uuid. @validate: against
	 * the schema, if libvirt supports that. Errors: also -EINVAL libvirt refuses the
	 * XML. */
	int (*define)(void *conn, uint64_t deadline, const char *xml, bool validate);
	int (*undefine)(void *conn, uint64_t deadline, const char *name);
	int (*start)(void *conn, uint64_t deadline, const char *name);
	int (*stop)(void *conn, uint64_t deadline, const char *name);
	int (*autostart)(void *conn, uint64_t deadline, const char *name, bool on);
	/* Running guests. Errors: also -EOPNOTSUPP this connection has no guests. */
	int (*guests)(void *conn, uint64_t deadline, struct pool_guests *out);
};

/* pools.c: the edge to libvirt */

struct pools;

/* @uri: NULL: LIBVIRT_DEFAULT_URI, or the system's daemon, monolithic or modular.
 * @read_only: works for users who may not change anything. Errors: as in struct pool_ops. */
int pools_open(struct pools **out, const char *uri, bool read_only, uint64_t deadline);
/* A call that has not returned closes the connection when it does. */
void pools_close(struct pools *pools);
const char *pools_uri(const struct pools *pools);
/* Whether the daemon runs on another host, whose mounts cannot be seen here. */
bool pools_remote(const struct pools *pools);
extern const struct pool_ops pools_ops; /* conn: struct pools */

/* pool-state.c: pure */

enum pool_run {
	POOL_RUN_UNKNOWN, /* mounts of that host cannot be seen, or name no transport */
	POOL_RUN_NOTHING, /* nothing is mounted on its target */
	POOL_RUN_OTHER,   /* something else is mounted there */
	POOL_RUN_RDMA,
	POOL_RUN_TCP, /* or UDP */
	POOL_RUN_MIXED,
};

struct pool_seen {
	const struct pool_xml *xml;
	/* NULL: XML only, not a pool known to libvirt. */
	const struct pool_info *info;
	/* With this pool among its places; NULL: nothing is known about this host. */
	const struct view *view;
	bool remote;        /* its daemon runs on another host, whose mounts cannot be seen */
	const char *target; /* with symbolic links resolved; NULL: as in the XML */
	const char *file;   /* the file that defines it; NULL: libvirt has it */
};

struct pool_state {
	struct view_wanted wanted;
	char asked[16]; /* the transport its options name; "" none */
	enum pool_run run;
	char run_name[16];              /* "rdma", "tcp", "-", "?" */
	const struct view_mount *mount; /* mount on its target; NULL: none */
	enum view_state state;          /* of a running pool */
};

/* Adds a pool to the places of a view. @name: NULL: as in the XML. -ENOMEM. */
int pool_place_add(struct view_places *out, const struct pool_xml *xml, const char *name,
		   bool active);
void pool_state(const struct pool_seen *seen, struct pool_state *out);
/* Status of a pool whose target has another source mounted (POOL_RUN_OTHER). */
enum finding_status pool_state_other(const struct pool_state *state);
/* "rdma", "rdma (policy)", "tcp", "-". */
const char *pool_state_wanted(const struct pool_state *state);

/* pool-audit.c: pure */

/* Its actual transport: pool.transport. */
void pool_audit_transport(const struct pool_seen *seen, finding_sink sink, void *arg);
/* All findings of one pool, in the order of causes. */
void pool_audit(const struct pool_seen *seen, finding_sink sink, void *arg);

/* pool-volume.c */

/* Whether AppArmor may deny a guest of this host a disk of type volume: pool.volume. False:
 * there is no finding. */
bool pool_volume_audit(const struct host *host, struct finding *out);

/* pool-target.c */

/* @target with its symbolic links resolved, by host_path_resolve() (host.h), with its errors, and
 * those of reading the mounts. */
int pool_target_resolve(const struct host *host, const char *target, char *buf, size_t cap);

/* domain-xml.c: pure: which files a guest's XML names as its disks */

#define DOMAIN_XML_MAX   (16 * 1024 * 1024)
#define DOMAIN_DISKS_MAX 16384 /* with backing files */

struct domain_disk {
	char *device;        /* "vda"; for a backing file that of its disk; "?" if none is named */
	unsigned int depth;  /* 0 the disk, 1 its backing file, ... */
	char *path;          /* type file and dir; NULL: a volume */
	char *pool, *volume; /* type volume; NULL: a path */
	/* startupPolicy optional or requisite: if one of its images is missing, libvirt
	 * ejects the medium or drops the disk. It does so for requisite only if the guest
	 * is migrated in or restored, and refuses to boot one itself. So libvirt can handle
	 * both. */
	bool optional;
};

struct guard_disk;

struct domain_disks {
	char *name, *uuid; /* of the guest; NULL where not named */
	bool of_vdsm;      /* it has VDSM's metadata */
	size_t count;
	struct domain_disk *list;
};

/* Disks of type file, dir and volume, in the order of the XML, with the backing chains,
 * mirrors and data stores that it lists. Drives without a medium and other types are
 * omitted. The root is <domain>, <disk> (a hotplug), or an element in which libvirt wraps a
 * domain (<domstatus>, <domainsnapshot>). Errors: as pool_xml_parse(). */
int domain_disks_parse(struct domain_disks *out, const char *text, size_t len);
void domain_disks_fini(struct domain_disks *disks);
/* The disk as a gate asks about it (plugin/guard/guard.h); borrows from @disk. */
struct guard_disk domain_disk_guard(const struct domain_disk *disk);

/* pool-files.c: pools as libvirt keeps them, etc/libvirt/storage and run/libvirt/storage:
 * for a hook, which must not call libvirt */

/* Pools of every type: by name, with target (NULL for rbd and the like, which have none)
 * and, for NFS, source and requested transport (view.h). A running pool is as it was
 * started, any other as it is defined. A malformed file is skipped: @skipped has the name
 * of the first and the reason; "" for none. Errors: -EACCES only root may read them; of
 * reading the folders. */
int pool_places(const struct host *host, struct view_places *out, char skipped[256]);
/* The same for a gate, which continues after an error: what could not be read, for struct
 * view_sources.pools_unknown, in @buf; NULL: nothing. */
const char *pool_places_gap(const struct host *host, struct view_places *out,
			    char buf[ERR_TEXT_MAX]);

/* follow.c: libvirt's events, and the resulting state. All calls to libvirt are made in
 * threads of their own, which may block; the caller never does. A connection that is lost
 * or fails is retried after 1 s, 2 s, ... 30 s, without limit. */

struct follow;

/* A running guest, or one that is @gone. */
struct follow_guest {
	char uuid[40];
	bool gone;
	struct domain_disks disks; /* also its name */
	char broken[128];          /* why its XML cannot be read; "" if it can */
};

/* Changes since the last call. */
struct follow_changes {
	bool connected;
	char uri[256]; /* "" if it was never connected */
	bool remote;   /* as of pools_remote() */
	char why[256]; /* why it is not connected; "" not known yet */
	bool has_pools;
	uint64_t pools_ms;      /* CLOCK_MONOTONIC: before libvirt was asked for them */
	struct pool_list pools; /* all of type netfs, by name */
	bool forget_guests;     /* forget all guests reported before */
	size_t nguests;
	struct follow_guest *guests; /* changed guests, each once */
};

/* @uri: as of pools_open(). Errors: -ENOMEM, -EAGAIN no thread. */
int follow_open(struct follow **out, const char *uri);
/* Readable when there are changes. */
int follow_fd(const struct follow *follow);
/* Queries the pools again, although libvirt reported no event. */
void follow_request_pools(struct follow *follow);
/* Never waits. False: no changes, and @out is empty. */
bool follow_take(struct follow *follow, struct follow_changes *out);
void follow_changes_fini(struct follow_changes *changes);
/* Waits briefly; a thread that has not ended is leaked until the process exits. */
void follow_close(struct follow *follow);
void follow_close_p(struct follow **follow);

/* pool-guests.c: pure */

/* Whether the guest's XML names the pool, or a path on its target. True if the XML cannot
 * be read. */
bool pool_guests_uses(const char *domain_xml, const char *pool, const char *target);

/* pool-change.c */

struct pool_changer {
	const struct pool_ops *ops;
	void *conn;
	const char *uri;
	const struct host *host;
	struct policies *policies;
	bool remote;
	const char *folder; /* of originals: POOL_FOLDER, or a test's */
	bool force;
	uint64_t deadline;
	finding_sink sink;
	void *arg;
};

#define POOL_FOLDER "/var/lib/nfsrdma/pools"

/* The reason of pool.definition, pool.guests and pool.list for an error of libvirt:
 * "silent", "denied", "no-memory"; else @reason. */
const char *pool_change_reason(int rc, const char *reason);

/* Defines @xml, which was made by pool_xml_new() and pool_xml_convert(). Errors of this and
 * the functions below: -ENOENT, -EEXIST, -EINVAL: nothing was changed, with a sentence; any
 * other error is reported as a finding, and 0 is returned. */
int pool_change_define(struct pool_changer *changer, const struct pool_xml *xml);
/* The present definition and the new one; the caller frees both with free(3). @request: NULL: of
 * a revert. */
int pool_change_show(struct pool_changer *changer, const char *name,
		     const struct pool_request *request, char **before, char **after);
int pool_change_convert(struct pool_changer *changer, const char *name,
			const struct pool_request *request);
int pool_change_revert(struct pool_changer *changer, const char *name);

#endif
