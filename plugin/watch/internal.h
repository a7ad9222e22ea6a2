/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/watch.
 *
 *	things.c   watched objects: from successive looks to events; pure
 *	silent.c   servers that do not answer; pure
 *	renew.c    which records to write or remove; pure
 *	heard.c    pools and guests, as libvirt last reported them
 *	look.c     one look at this host
 *	summary.c  a look as findings and metrics
 *	tell.c     an event in the journal and on a terminal
 *	export.c   files
 *	state.c    what a running watcher has exported
 *	watch.c    when to look */
#ifndef PLUGIN_WATCH_INTERNAL_H
#define PLUGIN_WATCH_INTERNAL_H

#include "plugin/guard/guard.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/mounts/mounts.h"
#include "plugin/record/record.h"
#include "plugin/watch/watch.h"

#define WATCH_NAME "nfsrdma-watch"

/* things.c */

enum thing_kind {
	THING_MOUNT,
	THING_DOMAIN, /* a mount that is an oVirt storage domain */
	THING_POOL,
	THING_DISK,
	THING_KINDS
};

/* Its actual transport at a look. */
enum thing_run {
	THING_UNKNOWN,
	THING_RDMA,
	THING_OTHER, /* another transport, or not mounted */
};

#define THING_TEXT_MAX 640

/* One object at one look. */
struct thing {
	enum thing_kind kind;
	char key[640];  /* unique within its kind */
	bool wanted;    /* RDMA is requested */
	bool tolerated; /* the policy allows another transport: "prefer" */
	char wanted_by[POLICY_FROM_MAX];
	enum thing_run run;
	char proto[16];                  /* "" not known, or nothing is mounted */
	char id[FINDING_ID_MAX];         /* of the finding that reports it */
	char reason[FINDING_REASON_MAX]; /* of it, if not over RDMA; "" none */
	char name[320]; /* "mount /srv/vm (nas:/vm)", "pool vms", "guest web1" */
	char text[THING_TEXT_MAX]; /* a sentence, without its name */
	char remedy[512];          /* "" none */
	char target[256], spec[256];
	char pool[128], guest[128], disk[64];
	/* Further names used by the steps of a pool's reason; "" not known. */
	char shares_with[256], nfs_version[8], mounted[256];
};

enum thing_state {
	STATE_CALM,    /* RDMA is not requested */
	STATE_GOOD,    /* over RDMA */
	STATE_BAD,     /* RDMA is requested, and it is not over RDMA */
	STATE_UNKNOWN, /* neither good nor bad */
	STATE_COUNT
};

/* One object over many looks. */
struct thing_known {
	struct thing now;
	enum thing_state state;
	bool present;  /* at the last look; the object is remembered when it is gone */
	bool was_rdma; /* when its transport was last known */
	bool by_past;  /* it should be over RDMA only because it was before */
	bool told;     /* reported as lost, and not as back since */
	bool seen;     /* at the current look */
	uint32_t hash;
	uint64_t order; /* the last look at which it was present */
};

enum thing_event { THING_LOST, THING_BACK };

typedef void (*thing_sink)(void *arg, enum thing_event event, const struct thing *thing);

/* Far more than a host has; beyond it, the objects that are gone longest are forgotten. */
#define THINGS_MAX 16384

struct things {
	size_t count;
	struct thing_known **list;
	uint64_t looks;
	unsigned long lost[THING_KINDS]; /* events so far */
};

void things_fini(struct things *things);
/* A look: begin, see each object once, end. An object is reported as lost when it is bad at
 * its first look, after it was good, or again after it was absent; and as back when it is
 * good again. Unknown reports nothing and changes nothing. An object without a request for
 * RDMA that was last seen over RDMA is lost, too. Errors of things_see(): -ENOMEM; -ENOSPC
 * more than THINGS_MAX. */
void things_begin(struct things *things);
int things_see(struct things *things, const struct thing *thing, thing_sink sink,
	       void *arg);
void things_end(struct things *things);
/* The number of objects of a kind in that state. */
unsigned int things_count(const struct things *things, enum thing_kind kind,
			  enum thing_state state);
const char *things_kind_name(enum thing_kind kind);
const char *things_state_name(enum thing_state state);

/* silent.c */

/* The time between two looks, so that a silent server is reported within a minute: at most
 * half a minute until the next look, plus this. */
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
	bool told, seen;
};

struct silences {
	size_t count, room;
	struct silence *list;
	uint64_t again_ms; /* when to look again at a possibly silent server; 0: none */
};

/* @silent: it has become silent; else it answers again. */
typedef void (*silence_sink)(void *arg, const struct silence *one, bool silent,
			     uint64_t now);

struct silence_sources {
	const struct host_rpc_queues *queues;
	uint64_t now; /* CLOCK_MONOTONIC in ms */
};

/* A look: begin, see each mount once, end. Errors: -ENOMEM. */
void silences_begin(struct silences *all);
int silences_see(struct silences *all, const struct silence_sources *sources,
		 const struct nfs_mount *mount, silence_sink sink, void *arg);
void silences_end(struct silences *all);
/* The number of servers reported as silent. */
unsigned int silences_count(const struct silences *all);
void silences_fini(struct silences *all);

/* renew.c */

enum renew_action {
	RENEW_WRITE,
	RENEW_DROP, /* no longer useful */
	RENEW_GONE, /* the same, and its mount is gone: to be reported first */
};

struct renewal {
	enum renew_action action;
	struct record record; /* to be written; or the one that was read */
	unsigned int mount;   /* for RENEW_WRITE: index */
};

struct renew_input {
	const struct nfs_mounts *mounts;
	const struct view_mount *const *seen; /* of each mount */
	const struct record_list *records;
	const char *boot_id;
	uint64_t now; /* CLOCK_MONOTONIC: taken before anything was read */
};

/* A helper finishes within this time after it mounted, unless its process is stopped. */
#define RENEW_HELPER_MS 30000
/* For a pending record of a directory without a mount: mount.nfs tries for two minutes, and
 * each attempt takes three. With retry= it may take longer; the helper writes its record at
 * the end, and does not need the pending one. */
#define RENEW_PENDING_MS (15 * 60 * 1000)

/* The record of this very mount and boot, or NULL. */
const struct record *renew_record(const struct renew_input *input,
				  const struct nfs_mount *mount);
/* Whether a helper may be working on that mount, which is then left alone. */
bool renew_is_helpers(const struct renew_input *input, const struct nfs_mount *mount);
/* The actions, in order; *@out for free(3). Errors: -ENOMEM. */
int renew_plan(const struct renew_input *input, struct renewal **out, size_t *count);

/* heard.c */

struct heard_pool {
	struct pool_info info;
	struct pool_xml *xml; /* NULL: it cannot be read */
	char broken[256];     /* why it cannot be read */
	/* Since when libvirt shows it as running while the kernel has no mount; 0: not so.
	 * This is normal for a moment while a pool is being stopped. */
	uint64_t missing_ms;
};

struct heard {
	bool connected, remote;
	char uri[256], why[256];
	bool has_pools; /* libvirt has reported them at least once */
	uint64_t pools_ms;
	size_t npools;
	struct heard_pool *pools;
	size_t nguests;
	struct follow_guest *guests;
};

void heard_fini(struct heard *known);
/* Takes the contents of @news, which is empty afterwards. Errors: -ENOMEM; the state is
 * then incomplete. */
int heard_apply(struct heard *known, struct follow_changes *news);

/* look.c */

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
	struct heard heard;
	struct things things;
	struct silences silences;
	bool ask_pools; /* libvirt's list is older than the last look */
	unsigned long looks;
	time_t started, last_look;
	struct watch_event last[THING_BACK + 1]; /* by enum thing_event */
	double look_ms;
	unsigned int nmounts; /* at the last look */
	unsigned int nlost;   /* mounts that lose READs; the first are in lost[] */
	struct lost_reads lost[LOST_READS_MAX];
	/* Of the last look; "" none. */
	char mounts_error[512], record_error[512];
	const char *mounts_reason; /* with an error: of watch.list */
	bool records_failed;       /* writing them failed */
	/* Reports an event when it happens. */
	void (*tell)(void *arg, enum thing_event event, const struct thing *thing);
	void (*tell_gone)(void *arg, const struct record *record);
	silence_sink tell_silence;
	void *arg;
};

/* Reads, compares, reports events, renews the records, and puts the findings into @report.
 * @folder: of records, -1: none. Errors: -ENOMEM of the report; a source that cannot be
 * read is a finding. */
int look_all(struct watch *watch, int folder, struct report *report);

/* summary.c */

/* The finding of one object, with its reason; without its history. */
void summary_thing(const struct thing *thing, enum finding_status status,
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

/* tell.c */

void tell_thing(void *arg, enum thing_event event, const struct thing *thing);
void tell_gone(void *arg, const struct record *record);
void tell_silence(void *arg, const struct silence *one, bool silent, uint64_t now);
/* libvirt answers again. */
void tell_answers(FILE *lines);
/* A warning about the watcher itself. */
void tell_warning(FILE *lines, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Prints @text after the time. @lines: NULL: do not print. */
void tell_line(FILE *lines, const char *text);

#endif
