/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/watch.
 *
 *	things.c   what is watched: from what was seen, look after look, to what is new; pure
 *	silent.c   which servers do not answer; pure
 *	renew.c    what is to become of records; pure
 *	heard.c    pools and guests, as libvirt told them last
 *	look.c     one look at this host
 *	summary.c  a look as findings and metrics
 *	tell.c     an event in the journal and on a terminal
 *	export.c   files
 *	state.c    what a watcher at work has exported
 *	watch.c    when to look
 */
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
	THING_DOMAIN, /* a mount that is a storage domain of oVirt's */
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

/* One thing at one look. */
struct thing {
	enum thing_kind kind;
	char key[640];  /* one of its kind */
	bool wanted;    /* over RDMA */
	bool tolerated; /* by the policy, if it is not: "prefer" */
	char wanted_by[POLICY_FROM_MAX];
	enum thing_run run;
	char proto[16];                  /* "" not known, or nothing is mounted */
	char id[FINDING_ID_MAX];         /* of the finding that says it */
	char reason[FINDING_REASON_MAX]; /* of it, where it is not over RDMA; "" none */
	char name[320]; /* "mount /srv/vm (nas:/vm)", "pool vms", "guest web1" */
	char text[THING_TEXT_MAX]; /* a sentence, without its name */
	char remedy[512];          /* "" none */
	char target[256], spec[256];
	char pool[128], guest[128], disk[64];
	/* More that the steps of a pool's reason name; "" not known. */
	char shares_with[256], nfs_version[8], mounted[256];
};

enum thing_state {
	STATE_CALM,    /* RDMA is not requested */
	STATE_GOOD,    /* over RDMA */
	STATE_BAD,     /* RDMA is requested, and it is not over RDMA */
	STATE_UNKNOWN, /* neither good nor bad */
	STATE_COUNT
};

/* One thing over many looks. */
struct thing_known {
	struct thing now;
	enum thing_state state;
	bool present;  /* at the last look; it is remembered when it is gone */
	bool was_rdma; /* when it was last seen and known */
	bool by_past;  /* it is wanted over RDMA because it was, and for nothing else */
	bool told;     /* reported as lost, and not as back since */
	bool seen;     /* at the current look */
	uint32_t hash;
	uint64_t order; /* of the look at which it was present last */
};

enum thing_event { THING_LOST, THING_BACK };

typedef void (*thing_sink)(void *arg, enum thing_event event, const struct thing *thing);

/* Far more than a host has; those that are gone longest are forgotten for new ones. */
#define THINGS_MAX 16384

struct things {
	size_t count;
	struct thing_known **list;
	uint64_t looks;
	unsigned long lost[THING_KINDS]; /* events so far */
};

void things_fini(struct things *things);
/* A look: begin, see each thing once, end. Lost is told when it is first seen so, when it was good
 * before, and when it is so again after it was not there; back when it is good again. Unknown tells
 * nothing and changes nothing. What nobody wants over RDMA and was so when it was last seen is lost,
 * too. Errors of things_see(): -ENOMEM; -ENOSPC more than THINGS_MAX. */
void things_begin(struct things *things);
int things_see(struct things *things, const struct thing *thing, thing_sink sink,
	       void *arg);
void things_end(struct things *things);
/* How many of a kind there are, of that state. */
unsigned int things_count(const struct things *things, enum thing_kind kind,
			  enum thing_state state);
const char *things_kind_name(enum thing_kind kind);
const char *things_state_name(enum thing_state state);

/* silent.c */

/* A look apart, so that a server that falls silent is told within a minute: half a minute at most to
 * the next look, and this. */
#define SILENT_MS 20000
/* Where the kernel does not say how many requests wait: longer than the renewal of a lease. */
#define SILENT_OLD_MS 70000

/* What is remembered of one mount's transports. */
struct silence {
	unsigned int id;
	char target[256], spec[256];
	uint64_t sent, answered, connects;
	uint64_t lost;    /* sent, and never to be answered */
	uint64_t waiting; /* sent besides, and not answered */
	uint64_t
		since_ms; /* that was first seen, and no reply came since; 0: it is not so */
	bool hard;        /* programs wait until it answers */
	bool told, seen;
};

struct silences {
	size_t count, room;
	struct silence *list;
	uint64_t again_ms; /* when to look at one that may be silent; 0: none may */
};

/* @silent: it has become so; else it answers again. */
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
/* That were told. */
unsigned int silences_count(const struct silences *all);
void silences_fini(struct silences *all);

/* renew.c */

enum renew_action {
	RENEW_WRITE,
	RENEW_DROP, /* of no use any more */
	RENEW_GONE, /* the same, and its mount is gone: to be told before */
};

struct renewal {
	enum renew_action action;
	struct record record; /* to be written; or that was seen */
	unsigned int mount;   /* of RENEW_WRITE: index */
};

struct renew_input {
	const struct nfs_mounts *mounts;
	const struct view_mount *const *seen; /* of each mount */
	const struct record_list *records;
	const char *boot_id;
	uint64_t now; /* CLOCK_MONOTONIC: taken before anything was read */
};

/* A helper is at work, or its process is stopped, for no longer than this after it mounted. */
#define RENEW_HELPER_MS 30000
/* A pending record of a directory with no mount: mount.nfs tries for two minutes, each attempt takes
 * three. One with retry= may take longer; it writes its record in the end, and needs this one no more
 * than anybody else. */
#define RENEW_PENDING_MS (15 * 60 * 1000)

/* The record of that very mount, of this boot; NULL. */
const struct record *renew_record(const struct renew_input *input,
				  const struct nfs_mount *mount);
/* Whether a helper may be at work on that mount: then it is left alone. */
bool renew_is_helpers(const struct renew_input *input, const struct nfs_mount *mount);
/* What is to be done, in order; *@out for free(3). Errors: -ENOMEM. */
int renew_plan(const struct renew_input *input, struct renewal **out, size_t *count);

/* heard.c */

struct heard_pool {
	struct pool_info info;
	struct pool_xml *xml; /* NULL: it cannot be read */
	char broken[256];     /* then why */
	/* Since when it runs for libvirt and is not mounted for the kernel; 0: it is not so. A pool
	 * that is being stopped is so for a moment. */
	uint64_t missing_ms;
};

struct heard {
	bool connected, remote;
	char uri[256], why[256];
	bool has_pools; /* they were told once */
	uint64_t pools_ms;
	size_t npools;
	struct heard_pool *pools;
	size_t nguests;
	struct follow_guest *guests;
};

void heard_fini(struct heard *known);
/* @news: what is taken over is empty then. Errors: -ENOMEM; what is known is then less. */
int heard_apply(struct heard *known, struct follow_news *news);

/* look.c */

/* A mount that proves that this host's kernel loses what READs receive: bug.read-812. */
struct lost_reads {
	char target[256], spec[256];
	struct nfs_reads reads;
};

#define LOST_READS_MAX 16

/* The last time that something was lost, or came back. */
struct watch_event {
	time_t at; /* 0: never, since the watcher started */
	char text[FINDING_VALUE_MAX];
};

/* State of the watcher. */
struct watch {
	const struct watch_options *options;
	struct host *host;
	bool no_libvirt;           /* there is none on this host */
	struct policies *policies; /* the last that made sense, or what is built in */
	bool policy_known;         /* there was one */
	char policy_error[512];    /* what is wrong with it now; "" nothing */
	const char *policy_reason; /* then: of watch.policy */
	struct heard heard;
	struct things things;
	struct silences silences;
	bool ask_pools; /* libvirt's list is older than what was seen */
	unsigned long looks;
	time_t started, last_look;
	struct watch_event last[THING_BACK + 1]; /* by enum thing_event */
	double look_ms;
	unsigned int nmounts; /* at the last look */
	unsigned int nlost;   /* mounts whose READs are lost; the first are in lost[] */
	struct lost_reads lost[LOST_READS_MAX];
	/* Of the last look; "" none. */
	char mounts_error[512], record_error[512];
	const char *mounts_reason; /* with an error: of watch.list */
	bool records_failed;       /* they could not be written */
	/* What is told, as it happens. */
	void (*tell)(void *arg, enum thing_event event, const struct thing *thing);
	void (*tell_gone)(void *arg, const struct record *record);
	silence_sink tell_silence;
	void *arg;
};

/* Reads, compares, tells, renews the records, and says it all in @report. @folder: of records, -1:
 * there is none. Errors: -ENOMEM of the report; else what could not be read is a finding. */
int look_all(struct watch *watch, int folder, struct report *report);

/* summary.c */

/* What is said of it, with its reason; without what it became over time. */
void summary_thing(const struct thing *thing, enum finding_status status,
		   struct finding *finding);
void summary_silence(const struct silence *one, struct finding *finding);
/* Findings of all that is watched, and of the watcher itself. */
void summary_findings(const struct watch *watch, finding_sink sink, void *arg);
/* A table of it. Errors: -ENOMEM. */
int summary_table(const struct watch *watch, struct report *report);
/* What is said once of mounts whose READs are lost; "" where there is none. */
const char *summary_reads(const struct watch *watch, char buf[512]);
/* One line: "3 watched, 1 not over RDMA: mount /srv/vm (nas:/vm)". */
const char *summary_line(const struct watch *watch, char buf[256]);
/* The report's exposition, which ends with # EOF, with the watcher's own. @up: it goes on. The
 * caller's, for free(3); NULL: no memory. */
char *summary_metrics(const struct watch *watch, const struct report *report, bool up);

/* tell.c */

void tell_thing(void *arg, enum thing_event event, const struct thing *thing);
void tell_gone(void *arg, const struct record *record);
void tell_silence(void *arg, const struct silence *one, bool silent, uint64_t now);
/* libvirt answers again. */
void tell_answers(FILE *lines);
/* A warning about the watcher itself. */
void tell_warning(FILE *lines, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* With the time before it. @lines: NULL: nowhere. */
void tell_line(FILE *lines, const char *text);

/* export.c */

/* The file is replaced. Errors: -errno with words. */
int export_text(const char *path, const char *text);

#endif
