/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/watch.
 *
 *	objects.c    watched objects: from successive scans to events; pure
 *	silent.c     servers that do not answer; pure
 *	inventory.c  pools and guests, as libvirt last reported them
 *	scan.c       one scan of this host
 *	summary.c    a scan as findings and metrics
 *	events.c     an event in the journal and on a terminal
 *	export.c     files
 *	state.c      what a running watcher has exported
 *	watch.c      when to scan */
#ifndef PLUGIN_WATCH_INTERNAL_H
#define PLUGIN_WATCH_INTERNAL_H

#include "plugin/guard/guard.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/mounts/mounts.h"
#include "plugin/request/request.h"
#include "plugin/watch/watch.h"

#define WATCH_NAME "nfsrdma-watch"

/* objects.c */

enum object_kind {
	OBJECT_MOUNT,
	OBJECT_DOMAIN, /* a mount that is an oVirt storage domain */
	OBJECT_POOL,
	OBJECT_DISK,
	OBJECT_KINDS
};

/* Its actual transport at a scan. */
enum object_transport {
	OBJECT_UNKNOWN,
	OBJECT_RDMA,
	OBJECT_OTHER, /* another transport, or not mounted */
};

#define OBJECT_TEXT_MAX 640

/* One object at one scan. */
struct watch_object {
	enum object_kind kind;
	char key[640];  /* unique within its kind */
	bool wanted;    /* RDMA is requested */
	bool tolerated; /* the policy allows another transport: "prefer" */
	char wanted_by[POLICY_FROM_MAX];
	enum object_transport run;
	char proto[16];                  /* "" not known, or nothing is mounted */
	char id[FINDING_ID_MAX];         /* of the finding that reports it */
	char reason[FINDING_REASON_MAX]; /* of it, if not over RDMA; "" none */
	char name[320];                  /* "mount /srv/vm (nas:/vm)", "pool vms", "guest web1" */
	char text[OBJECT_TEXT_MAX];      /* a sentence, without its name */
	char remedy[512];                /* "" none */
	char target[256], spec[256];
	char pool[128], guest[128], disk[64];
	/* Further names used by the steps of a pool's reason; "" not known. */
	char shares_with[256], nfs_version[8], mounted[256];
};

enum object_state {
	STATE_UNREQUESTED, /* RDMA is not requested */
	STATE_GOOD,        /* over RDMA */
	STATE_BAD,         /* RDMA is requested, and it is not over RDMA */
	STATE_UNKNOWN,     /* neither good nor bad */
	STATE_COUNT
};

/* One object over many scans. */
struct object_history {
	struct watch_object now;
	enum object_state state;
	bool present;  /* at the last scan; the object is remembered when it is gone */
	bool was_rdma; /* when its transport was last known */
	bool by_past;  /* it should be over RDMA only because it was before */
	bool reported; /* as lost, and not as back since */
	bool seen;     /* at the current scan */
	uint64_t hash;
	uint64_t order; /* the last scan at which it was present */
};

enum object_event { OBJECT_LOST, OBJECT_BACK };

typedef void (*object_sink)(void *arg, enum object_event event, const struct watch_object *object);

/* Far more than a host has; beyond it, the objects that are gone longest are forgotten. */
#define OBJECTS_MAX 16384

struct watch_objects {
	size_t count;
	struct object_history **list;
	uint64_t scans;
	unsigned long lost[OBJECT_KINDS]; /* events so far */
};

void objects_fini(struct watch_objects *objects);
/* A scan: begin, see each object once, end. An object is reported as lost when it is bad at
 * its first scan, after it was good, or again after it was absent; and as back when it is
 * good again. Unknown reports nothing and changes nothing. An object without a request for
 * RDMA that was last seen over RDMA is lost, too. Errors of objects_see(): -ENOMEM; -ENOSPC
 * more than OBJECTS_MAX. */
void objects_begin(struct watch_objects *objects);
int objects_see(struct watch_objects *objects, const struct watch_object *object, object_sink sink,
		void *arg);
/* @gone: of each object that was there at the last scan and is not any more; NULL: nothing. */
typedef void (*object_gone)(void *arg, const struct watch_object *object, enum object_state state);
void objects_end(struct watch_objects *objects, object_gone gone, void *arg);
/* The number of objects of a kind in that state. */
unsigned int objects_count(const struct watch_objects *objects, enum object_kind kind,
			   enum object_state state);
const char *objects_kind_name(enum object_kind kind);
const char *objects_state_name(enum object_state state);

/* silent.c */

/* The time between two scans, so that a silent server is reported within a minute: at most
 * half a minute until the next scan, plus this. */
#define SILENT_MS 20000
/* For kernels that do not report how many requests wait: longer than the lease renewal
 * interval. */
#define SILENT_OLD_MS 70000

/* The state kept for one mount's transports. */
struct silence {
	unsigned int id;
	char target[256], spec[256];
	uint64_t sent, answered, connects;
	uint64_t lost;     /* sent, and will never be answered */
	uint64_t waiting;  /* sent, and not answered yet */
	uint64_t since_ms; /* waiting since then without any reply; 0: not so */
	bool hard;         /* programs wait until it answers */
	bool reported, seen;
};

struct silences {
	size_t count;
	struct silence *list;
	uint64_t again_ms; /* when to scan again for a possibly silent server; 0: none */
};

/* @silent: it has become silent; else it answers again. */
typedef void (*silence_sink)(void *arg, const struct silence *one, bool silent, uint64_t now);

struct silence_sources {
	const struct host_rpc_queues *queues;
	uint64_t now; /* CLOCK_MONOTONIC in ms */
};

/* A scan: begin, see each mount once, end. Errors: -ENOMEM. */
void silences_begin(struct silences *all);
int silences_see(struct silences *all, const struct silence_sources *sources,
		 const struct nfs_mount *mount, silence_sink sink, void *arg);
void silences_end(struct silences *all);
/* The number of servers reported as silent. */
unsigned int silences_count(const struct silences *all);
void silences_fini(struct silences *all);

/* inventory.c */

struct inventory_pool {
	struct pool_info info;
	struct pool_xml *xml; /* NULL: it cannot be read */
	char broken[256];     /* why it cannot be read */
	/* Since when libvirt shows it as running while the kernel has no mount; 0: not so.
	 * This is normal for a moment while a pool is being stopped. */
	uint64_t missing_ms;
};

struct inventory {
	bool connected, remote;
	char uri[256], why[256];
	bool has_pools; /* libvirt has reported them at least once */
	uint64_t pools_ms;
	size_t npools;
	struct inventory_pool *pools;
	size_t nguests;
	struct follow_guest *guests;
};

void inventory_fini(struct inventory *known);
/* Takes the contents of @changes, which is empty afterwards. Errors: -ENOMEM; the state is
 * then incomplete. */
int inventory_apply(struct inventory *known, struct follow_changes *changes);

/* scan.c */

/* A mount that proves that this host's kernel loses the data of READs: bug.read-812. */
struct lost_reads {
	char target[256], spec[256];
	struct nfs_reads reads;
};

#define LOST_READS_MAX 16

/* The last time something was lost, or came back. */
struct watch_event {
	time_t at; /* 0: never, since the watcher started */
	char text[FINDING_VALUE_MAX];
};

/* State of the watcher. */
struct watch {
	const struct watch_options *options;
	struct host *host;
	bool no_libvirt;           /* libvirt is not installed on this host */
	struct policies *policies; /* the last valid policy, or the built-in one */
	bool policy_known;         /* a valid policy was read */
	char policy_error[512];    /* its present error; "" none */
	const char *policy_reason; /* with an error: the reason of watch.policy */
	struct inventory inventory;
	struct watch_objects objects;
	struct silences silences;
	bool ask_pools; /* libvirt's list is older than the last scan */
	unsigned long scans;
	time_t started, last_scan;
	struct watch_event last[OBJECT_BACK + 1]; /* by enum object_event */
	double scan_ms;
	unsigned int nmounts; /* at the last scan */
	unsigned int nlost;   /* mounts that lose READs; the first are in lost[] */
	struct lost_reads lost[LOST_READS_MAX];
	/* Of the last scan; "" none. */
	char mounts_error[512];
	struct view_lost requests; /* that cannot be read */
	const char *mounts_reason; /* with an error: of watch.list */
	/* Reports an event when it happens. */
	void (*on_event)(void *arg, enum object_event event, const struct watch_object *object);
	void (*on_unmounted)(void *arg, const struct watch_object *object);
	silence_sink on_silence;
	void *arg;
};

/* Reads, compares, reports events, and puts the findings into @report.
 * @folder: of requests, -1: none. Errors: -ENOMEM of the report; a source that cannot be
 * read is a finding. */
int scan_host(struct watch *watch, int folder, struct report *report);

/* summary.c */

/* The finding of one object, with its reason; without its history. */
void summary_object(const struct watch_object *object, enum finding_status status,
		    struct finding *finding);
void summary_silence(const struct silence *one, struct finding *finding);
/* Findings of all that is watched, and of the watcher itself. */
void summary_findings(const struct watch *watch, finding_sink sink, void *arg);
/* The table of all objects. Errors: -ENOMEM. */
int summary_table(const struct watch *watch, struct report *report);
/* One message about all mounts that lose READs; "" if there are none. */
const char *summary_reads(const struct watch *watch, char buf[512]);
/* One line: "3 watched, 1 not over RDMA: mount /srv/vm (nas:/vm)". */
const char *summary_line(const struct watch *watch, char buf[256]);
/* The watcher's own metrics. @up: it runs. */
void summary_metrics(const struct watch *watch, struct report *report, bool up);

/* events.c */

void event_object(void *arg, enum object_event event, const struct watch_object *object);
void event_unmounted(void *arg, const struct watch_object *object);
void event_silence(void *arg, const struct silence *one, bool silent, uint64_t now);
/* libvirt answers again. */
void event_libvirt_answers(FILE *lines);
/* A warning about the watcher itself. */
void event_warning(FILE *lines, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
