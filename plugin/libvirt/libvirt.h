/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* libvirt's netfs pools: what their XML requests, their actual transport, and how to convert one to RDMA
 * and back. Only this folder uses libvirt and libxml2.
 *
 *	pool_xml_*     a pool's XML: read, asked, edited, written; pure
 *	pool_audit()   the findings of one pool; pure
 *	pool_change_*  define, convert, revert: step by step, and back where a step does not succeed
 *	pools_*        libvirt itself, behind struct pool_ops
 *	pool_places()  the pools' files, for who may not ask libvirt
 *	domain_disks_* the disks of a guest's XML; pure
 *	follow_*       what happens to pools and guests
 *
 * XML is hostile, also that of libvirt: any user who may define pools wrote it. It is bounded, has no document
 * type, so neither entities nor anything that would be fetched, and what it holds is only believed
 * after it was looked at. */
#ifndef PLUGIN_LIBVIRT_H
#define PLUGIN_LIBVIRT_H

#include <stdio.h>

#include "plugin/host/host.h"
#include "plugin/options/options.h"
#include "plugin/view/view.h"
#include "rpcrdma/finding.h"

/* pool-xml.c, pool-edit.c: pure */

#define POOL_XML_MAX (64 * 1024)
#define POOL_NS      "http://libvirt.org/schemas/storagepool/fs/1.0"

struct pool_xml;

/* What is written in it. NULL: it is not. All is borrowed from the XML until that is edited. */
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
	/* Mount options in the order of <fs:option>, of the right namespace. */
	unsigned int noptions;
	const char *const *options;
	/* A <mount_opts> that libvirt drops: its namespace is another, "" for none. NULL: there is
	 * none. */
	const char *dropped_ns;
};

/* @out is the caller's. Errors: -EINVAL no XML, or no <pool>; -EFBIG longer than POOL_XML_MAX, or
 * more elements or deeper than a pool has; -ENOMEM. */
int pool_xml_parse(struct pool_xml **out, const char *text, size_t len);
/* A pool of type netfs without options. @host: as it stands in the source of a mount. */
int pool_xml_new(struct pool_xml **out, const char *name, const char *host,
		 const char *dir, const char *target);
void pool_xml_free(struct pool_xml *xml);
void pool_xml_free_p(struct pool_xml **xml);
const struct pool_facts *pool_xml_facts(const struct pool_xml *xml);
/* The XML, indented, ends with a newline; the caller's, for free(3). */
int pool_xml_format(const struct pool_xml *xml, char **out);
/* The same without what libvirt writes by itself: sizes, and what it found as permissions. Two
 * definitions are the same where these texts are. */
int pool_xml_format_bare(const struct pool_xml *xml, char **out);
/* What libvirt gives mount(8) behind its own nodev,nosuid,noexec: "nfsvers=4.2,proto=rdma". */
int pool_xml_options(const struct pool_xml *xml, char **out);
#define POOL_SOURCE_MAX (SPEC_HOST_MAX + SPEC_PATH_MAX + 4)
/* HOST:DIR, as libvirt writes it. -EINVAL: it has not one host and a directory. */
int pool_xml_source(const struct pool_xml *xml, char *buf, size_t cap);
/* Whether it is a pool of NFS, with one server. 0, or -EINVAL with a sentence why not. */
int pool_xml_check(const struct pool_xml *xml);

struct pool_wish {
	const struct policies *policies; /* NULL: built-in */
	enum ip_family family;           /* of a name; as in struct plan_request */
	const char *version;             /* "4.2"; "": none; NULL: what it has, or none */
	const char
		*options; /* in place of those that it has; NULL: those, but for what is
			      * about another transport */
};

/* Edits it so that libvirt mounts it over RDMA: transport and port, one element each, its own
 * namespace, an IPv6 address in brackets. Everything else stays. Doing it twice is doing it once.
 * Errors: -EINVAL with a sentence; -ENOMEM; the XML is then of no use. */
int pool_xml_convert(struct pool_xml *xml, const struct pool_wish *wish);

/* pool-ops: libvirt, or what a test puts in its place */

struct pool_info {
	char *name, *uuid;
	char *xml; /* the definition, as it comes into force at the next start */
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

/* More than these are an error, with both numbers. A report has room for so many pools. */
#define POOLS_MAX  2000
#define GUESTS_MAX 16384

/* Of all: -ENOENT no such pool; -ETIMEDOUT libvirt has not answered by the deadline, and may still
 * be at work: nothing more can be asked; -EACCES; -EIO whatever else it says, with its words. */
struct pool_ops {
	/* Of type netfs, by name. */
	int (*list)(void *conn, uint64_t deadline, struct pool_list *out);
	int (*get)(void *conn, uint64_t deadline, const char *name,
		   struct pool_info *out);
	/* Adds it, or redefines that of the same name and uuid. @validate: against the schema, where
	 * libvirt can. Errors: also -EINVAL it refuses the XML. */
	int (*define)(void *conn, uint64_t deadline, const char *xml, bool validate);
	int (*undefine)(void *conn, uint64_t deadline, const char *name);
	int (*start)(void *conn, uint64_t deadline, const char *name);
	int (*stop)(void *conn, uint64_t deadline, const char *name);
	int (*autostart)(void *conn, uint64_t deadline, const char *name, bool on);
	/* Those that run. Errors: also -EOPNOTSUPP this connection knows no guests. */
	int (*guests)(void *conn, uint64_t deadline, struct pool_guests *out);
};

/* pools.c: the edge to libvirt */

struct pools;

/* @uri: NULL: LIBVIRT_DEFAULT_URI, or the system's daemon, monolithic or modular. @read_only: who
 * may not change anything may still look. Errors: as of struct pool_ops. */
int pools_open(struct pools **out, const char *uri, bool read_only, uint64_t deadline);
/* One that is still at work is left to the end of the process. */
void pools_close(struct pools *pools);
void pools_close_p(struct pools **pools);
const char *pools_uri(const struct pools *pools);
/* Whether the daemon runs on another host, whose mounts cannot be seen here. */
bool pools_remote(const struct pools *pools);
extern const struct pool_ops pools_ops; /* conn: struct pools */

/* pool-state.c: pure */

enum pool_run {
	POOL_RUN_UNKNOWN, /* mounts of that host cannot be seen, or say nothing */
	POOL_RUN_NOTHING, /* nothing is mounted on its target */
	POOL_RUN_OTHER,   /* something else is mounted there */
	POOL_RUN_RDMA,
	POOL_RUN_TCP, /* or UDP */
	POOL_RUN_MIXED,
};

struct pool_seen {
	const struct pool_xml *xml;
	/* NULL: it is only XML, and no pool of libvirt's. */
	const struct pool_info *info;
	/* With this pool among its places; NULL: nothing is known of this host. */
	const struct view *view;
	bool remote;        /* its daemon runs elsewhere: mounts are not to be seen */
	const char *target; /* its real path, NULL: as it is written */
	const char *file;   /* where it is written; NULL: libvirt has it */
};

struct pool_state {
	struct view_wanted wanted;
	char asked[16]; /* the transport its options name; "" none */
	enum pool_run run;
	char run_name[16];              /* "rdma", "tcp", "-", "?" */
	const struct view_mount *mount; /* on its target; NULL: none */
	enum view_state state;          /* of a pool that runs */
};

/* What a view is to know of a pool. @name: NULL: as the XML has it. -ENOMEM. */
int pool_place_add(struct view_places *out, const struct pool_xml *xml, const char *name,
		   bool active);
void pool_state(const struct pool_seen *seen, struct pool_state *out);
/* Status of a pool on whose target another source is mounted (POOL_RUN_OTHER). */
enum finding_status pool_state_other(const struct pool_state *state);
/* "rdma", "rdma (policy)", "tcp", "-". */
const char *pool_state_wanted(const struct pool_state *state);

/* pool-audit.c: pure */

/* Its actual transport: pool.transport. */
void pool_audit_transport(const struct pool_seen *seen, finding_sink sink, void *arg);
/* All findings of one pool, in the order of causes. */
void pool_audit(const struct pool_seen *seen, finding_sink sink, void *arg);

/* pool-volume.c */

/* Whether a guest of this host may be denied a disk of type volume by AppArmor: pool.volume. False:
 * nothing is to be said. */
bool pool_volume_audit(const struct host *host, struct finding *out);

/* pool-target.c */

/* @target with its symbolic links resolved, by host_way() (host.h), with its errors, and those of
 * reading the mounts. */
int pool_target_resolve(const struct host *host, const char *target, char *buf,
			size_t cap);

/* domain-xml.c: pure: which files a guest's XML names as its disks */

#define DOMAIN_XML_MAX   (16 * 1024 * 1024)
#define DOMAIN_DISKS_MAX 16384 /* with backing files */

struct domain_disk {
	char *device; /* "vda"; of a backing file that of its disk; "?" where none is named */
	unsigned int depth;  /* 0 the disk, 1 its backing file, ... */
	char *path;          /* type file and dir; NULL: a volume */
	char *pool, *volume; /* type volume; NULL: a path */
	/* startupPolicy optional, or requisite: where an image of it is missing libvirt takes the
	 * medium out, or the disk; of requisite only for a guest that arrives or is restored, and one
	 * that boots it refuses by itself. So both can be left to it. */
	bool optional;
};

struct domain_disks {
	char *name, *uuid; /* of the guest; NULL where not named */
	bool of_vdsm;      /* it has VDSM's metadata */
	size_t count;
	struct domain_disk *list;
};

/* Disks of type file, dir and volume, in the order of the XML, with their backing chains, mirrors and
 * data stores as far as they are written there; drives without a medium, and other types, are left
 * out. The root is <domain>, <disk> (a hotplug), or what libvirt wraps a domain in (<domstatus>,
 * <domainsnapshot>). Errors: as of pool_xml_parse(). */
int domain_disks_parse(struct domain_disks *out, const char *text, size_t len);
void domain_disks_fini(struct domain_disks *disks);

/* pool-files.c: pools as libvirt keeps them, etc/libvirt/storage and run/libvirt/storage: for a hook,
 * which must not call libvirt */

/* Of every type: by name, with target (rbd and the like have none: NULL) and, of NFS, source and
 * wish (view.h). One that runs is as it was started; else as it is defined. A file that
 * makes no sense is skipped: @skipped says which and why, of the first; "" for none. Errors: -EACCES
 * only root may see them; of reading the folders. */
int pool_places(const struct host *host, struct view_places *out, char skipped[256]);
/* The same for a gate, which goes on without: what it has not learnt, for
 * struct view_sources.pools_unknown, in @buf; NULL: nothing. */
const char *pool_places_gap(const struct host *host, struct view_places *out,
			    char buf[ERR_TEXT_MAX]);

/* follow.c: libvirt's events, and what it has by then. All that asks libvirt is in threads of their
 * own, which wait for it as long as it takes; whoever follows never does. A connection that is lost,
 * or cannot be had, is tried again after 1 s, 2 s, ... 30 s, for ever. */

struct follow;

/* A guest that runs, or @gone. */
struct follow_guest {
	char uuid[40];
	bool gone;
	struct domain_disks disks; /* also its name */
	char broken[128];          /* why its XML cannot be read; "" it can */
};

/* What is new since the last time. */
struct follow_news {
	bool connected;
	char uri[256]; /* "" there was no connection yet */
	bool remote;   /* as of pools_remote() */
	char why[256]; /* why it is not connected; "" not known yet */
	bool has_pools;
	uint64_t pools_ms;      /* CLOCK_MONOTONIC: before they were asked for */
	struct pool_list pools; /* all of type netfs, by name */
	bool forget_guests;     /* all that were known before */
	size_t nguests;
	struct follow_guest *guests; /* those of which something is new, each once */
};

/* @uri: as of pools_open(). Errors: -ENOMEM, -EAGAIN no thread. */
int follow_open(struct follow **out, const char *uri);
/* Readable when there is something new. */
int follow_fd(const struct follow *follow);
/* Has the pools asked for again, though nothing happened that libvirt knows of. */
void follow_ask_pools(struct follow *follow);
/* Never waits. False: nothing new, and @out is empty. */
bool follow_take(struct follow *follow, struct follow_news *out);
void follow_news_fini(struct follow_news *news);
/* Waits for a moment; a thread that does not come back is left to the end of the process. */
void follow_close(struct follow *follow);
void follow_close_p(struct follow **follow);

/* pool-guests.c: pure */

/* Whether the guest's XML names the pool, or a path on its target. Not to be read is yes. */
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

/* The reason of pool.definition, pool.guests and pool.list for an error of libvirt: "silent", "denied",
 * "no-memory"; else @reason. */
const char *pool_change_reason(int rc, const char *reason);

/* Defines @xml, which was made by pool_xml_new() and pool_xml_convert(). Findings tell the rest.
 * Errors, of this and those below: -ENOENT, -EEXIST, -EINVAL: nothing was done, with a sentence;
 * else findings say it, and 0 is returned. */
int pool_change_define(struct pool_changer *changer, const struct pool_xml *xml);
/* The definition as it is and as it would be; both the caller's, for free(3). */
int pool_change_show(struct pool_changer *changer, const char *name, bool revert,
		     const struct pool_wish *wish, char **before, char **after);
int pool_change_convert(struct pool_changer *changer, const char *name,
			const struct pool_wish *wish);
int pool_change_revert(struct pool_changer *changer, const char *name);

#endif
