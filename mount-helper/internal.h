/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of mount-helper: mount(8) runs it for "mount -t nfsrdma", as root, on strings from
 * elsewhere. In the order of the work:
 *
 *	main.c          mount.nfsrdma
 *	helper.c        its process and state
 *	args.c          the command line, as mount(8) writes it (pure)
 *	mount.c         all of it in order: prepare, check, decide, mount, report
 *	dir.c           the directory by its absolute name
 *	fstab.c         requirements on the fstab line of a user's mount
 *	prepare.c       policy, names, plan and the time of retry=
 *	mount-checks.c  the checks, before mount.nfs or for the cause of its failure
 *	live.c          what checks may query of the running system
 *	retry.c         what the result of the checks means for the mount (pure), and how long to retry
 *	waiting.c       signals and the line of progress
 *	mounter.c       the process that mounts, and its deadline
 *	hidden.c        a private mount namespace, and the move out of it
 *	proof.c         the actual transport, by mountinfo and mountstats
 *	outcome.c       the outcome: message, journal, and what is noted as requested
 *	message.c       stderr and the journal
 *
 * No shell, no PATH, nothing of the environment; no library that uses a bus. */
#ifndef MOUNT_HELPER_INTERNAL_H
#define MOUNT_HELPER_INTERNAL_H

#include <limits.h>

#include "plugin/checks/checks.h"
#include "plugin/journal/journal.h"
#include "plugin/mount-nfs/mount-nfs.h"
#include "plugin/options/options.h"
#include "plugin/request/request.h"
#include "rpcrdma/child/child.h"

/* The exit status of mount(8). Never 126, which newer mount(8) takes for "no such helper". */
enum helper_exit {
	HELPER_OK = 0,
	HELPER_USAGE = 1,   /* options, policy or permissions do not allow it */
	HELPER_SYSTEM = 2,  /* no memory, no process */
	HELPER_USER = 8,    /* interrupted */
	HELPER_FAILED = 32, /* not mounted */
};

/* args.c */

struct args {
	const char *spec, *dir;
	char *options;     /* of all -o, joined; NULL: none */
	const char *space; /* -N, which is refused */
	bool fake, sloppy, no_mtab, verbose, read_only, read_write;
	bool help, version;
};

/* Errors: -EINVAL with a sentence; -ENOMEM. */
int args_parse(struct args *args, int argc, char *const argv[]);
void args_fini(struct args *args);

/* dir.c */

/* Waits two seconds at most for a directory that may be on a network, a minute for one on a disk of
 * this host. Errors: of realpath(3), with words; -ETIMEDOUT. */
int dir_resolve(const struct host *host, const char *dir, char out[PATH_MAX]);

/* fstab.c */

/* Whether who is not root can mount this over RDMA. Errors: -EPERM with a sentence; of reading. */
int fstab_allows_user(const struct host *host, const char *dir);

/* proof.c */

struct proof {
	bool found; /* there is an NFS mount of that number */
	bool rdma;
	struct nfs_mount mount; /* of one not found only the id */
	/* Not RDMA: another mount of the same server, over the same transport and of the same
	 * version, whose connection the kernel gives to this one, too; empty: none. */
	char other[256];
	char why[256]; /* not found, or not RDMA: in words */
};

/* @id: of mountinfo. Errors: of reading. */
int proof_read(const struct host *host, unsigned int id, struct proof *out);
/* The number of the mount that a descriptor is of. Errors: of reading. */
int proof_mount_id(const struct host *host, int fd, unsigned int *id);

/* hidden.c: mounting in a hidden place, and showing the mount only when it is proven */

/* Whether umounts would propagate into the namespace of hidden_enter(), so that it keeps nothing
 * busy: they do if the root mount is shared, as under systemd. The mount is found by its ID: its
 * line in mountinfo is another one where it is a subvolume or a bind mount, and not the only one on
 * / if others lie on it. Unknown is no. */
bool hidden_hears_umounts(const struct host *host);
/* Pure part of it. */
bool hidden_is_shared(const struct host_mounts *mounts, unsigned int id);

/* Enters a mount namespace that hears of the mounts and umounts of the one before, and is not
 * heard. *@home is the way back. Errors: -errno; the process may then be in either, and is to
 * end. */
int hidden_enter(int *home);

struct hidden {
	int home;
	int at; /* descriptor of what was mounted here */
	int to; /* descriptor of the directory at home */
};

/* Takes what was mounted on @dir away from here, goes home and puts it into place. *@id: of
 * mountinfo, there.
 * Errors: -errno; nothing is at home then. */
int hidden_reveal(const struct host *host, const struct hidden *hidden, const char *dir,
		  unsigned int *id);

/* waiting.c */

struct waiting {
	int signals; /* a signalfd(2); 0: none yet, and signals end us as ever */
	int signal;  /* that came; 0: none */
	/* For the line of progress. since_ms 0: not shown; until_ms: the end of retry=. */
	uint64_t since_ms, until_ms;
	char what[256]; /* empty: waiting for mount.nfs */
	bool shown, dumb;
	char busy[256]; /* the text of the ticker */
	struct child ticker;
};

enum wait_end { WAIT_READY, WAIT_OVER, WAIT_SIGNAL };

/* From here on waiting_for() takes the signals. May be called again. */
void waiting_begin(struct waiting *waiting);
/* Waits until @fd is readable (-1: none), the deadline, or a signal (waiting->signal). */
enum wait_end waiting_for(struct waiting *waiting, int fd, uint64_t deadline);
/* Shows progress while this process is busy, until waiting_erase(). */
void waiting_busy(struct waiting *waiting, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Before anything is printed on stderr. */
void waiting_erase(struct waiting *waiting);

/* mounter.c */

struct helper;

enum mounter_end {
	MOUNTER_MOUNTED,     /* see proof; it is in place */
	MOUNTER_ALREADY,     /* the same was mounted before; see proof */
	MOUNTER_FAKED,       /* -f: mount.nfs reported no error */
	MOUNTER_UNDONE,      /* not RDMA, and unmounted again */
	MOUNTER_LEFT,        /* must not stay, but could not be unmounted */
	MOUNTER_NOTHING,     /* mount.nfs reported success and mounted nothing */
	MOUNTER_FAILED,      /* mount.nfs failed; status and text are its own */
	MOUNTER_UNMADE,      /* mount.nfs did not run: text says why */
	MOUNTER_TIMEOUT,     /* mount.nfs did not end */
	MOUNTER_INTERRUPTED, /* by a signal to us */
	MOUNTER_NOT_HIDDEN,  /* cannot be hidden: to be repeated in the open */
};

/* One attempt at the mount of a helper. */
struct mounter_request {
	const char *options;
	bool hidden; /* mount in a private namespace first */
	bool keep;   /* a mount that is not over RDMA stays */
	uint64_t deadline;
};

struct mounter_result {
	enum mounter_end end;
	int status; /* exit status of mount.nfs, or -1 */
	bool hidden;
	struct proof proof;
	char text[MOUNT_NFS_LAST_MAX];
};

/* Runs in a child, which dies with us and is not waited for beyond the deadline; only it accesses
 * the directory. @out is always filled in. */
void mounter_run(struct helper *helper, const struct mounter_request *request,
		 struct mounter_result *out);
/* Becomes mount.nfs, with the options of the plan. Returns only on errors: -errno, with a
 * message. */
int mounter_exec(const struct helper *helper);

/* mount-checks.c */

/* The result of the checks; the worst counts. */
enum checks_result {
	CHECKS_ALLOW,     /* no reason against the mount: good, or unknown */
	CHECKS_PATH,      /* the path to the server is broken */
	CHECKS_SILENT,    /* the listener did not answer */
	CHECKS_REFUSED,   /* the listener refuses */
	CHECKS_DEVICE,    /* there is no RDMA device */
	CHECKS_PERMANENT, /* a module that cannot be loaded, wrong data */
};

struct mount_checks {
	enum checks_result result;
	struct finding reason; /* unless the result is CHECKS_ALLOW */
	uint64_t at_ms;
};

/* Each sets helper->checks, and begins a new report. */

/* Runs the checks of the policy's level and adds their findings to the report. @again: not into the
 * journal. Errors: -ENOMEM, with a message. */
int mount_checks_before(struct helper *helper, bool again);
/* Looks for the cause of a failure of mount.nfs. Errors: the same. */
int mount_checks_after(struct helper *helper);

/* retry.c */

enum retry_action {
	RETRY_MOUNT,  /* mount.nfs */
	RETRY_WAIT,   /* and check again */
	RETRY_REFUSE, /* the mount fails */
	RETRY_TCP,    /* TCP */
};

struct retry_state {
	bool once;             /* retry=0, -f, a remount: no retries */
	bool reads;            /* the policy requires READs before the mount */
	bool tcp;              /* the policy allows TCP */
	bool device_time_left; /* a device may still appear */
	bool time_left;        /* of retry= */
};

/* Pure. */
enum retry_action retry_decide(enum checks_result result, const struct retry_state *at);
/* In minutes, as mount.nfs determines it. */
unsigned int retry_minutes(const struct host *host, const struct plan *plan, const char *source,
			   const char *dir);
/* The options with another retry=, for free(3); NULL: no memory. */
char *retry_options(const char *options, unsigned int minutes);

/* The rest works on one mount. */

struct helper {
	const char *name;    /* "mount.nfsrdma" */
	const char *program; /* "/sbin/mount.nfs" */
	struct args args;
	bool root;
	struct host *host;
	int requests, lock; /* folder of requests and this helper's lock there; -1: there is none */
	char boot_id[REQUEST_BOOT_MAX];
	struct request before; /* what was requested there before; its text may be NULL */
	char dir[PATH_MAX];    /* absolute */
	struct policies *policies;
	struct plan *plan;
	struct check_target target;
	uint64_t deadline;          /* of the first checks */
	uint64_t start_ms, until;   /* of the mount; of its retry= */
	unsigned int minutes;       /* retry= */
	bool once;                  /* no retries */
	struct mount_checks checks; /* the last ones */
	struct waiting waiting;
	bool stderr_is_journal; /* of a unit: messages are not printed twice */
	bool gave_up;           /* RDMA failed, and TCP is tried now */
	struct report *report;  /* whose subject completes the steps */
};

/* helper.c */

/* Prepares this process: environment, descriptors, signals. */
void helper_init(struct helper *helper);
/* Calls helper_init() first. Returns the exit status. */
int helper_main(int argc, char **argv);

/* message.c */

/* A message on stderr and in the journal; quiet events (proven) only in the journal,
 * unless -v. */
void message_send(struct helper *helper, enum journal_event event, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* The same for a finding, with its cause and remedy as fields; on stderr only with -v. */
void message_finding(struct helper *helper, const struct finding *finding);
/* The mount in messages: "nas:/vm on /srv/vm". */
const char *message_mount(const struct helper *helper);

/* prepare.c */

/* Everything before the first check: 0, or the exit status after a message. */
int prepare_mount(struct helper *helper);

/* live.c */

extern const struct live_ops live_helper;

/* outcome.c */

/* Reports the outcome of an attempt, and notes it. Returns the exit status. */
int outcome(struct helper *helper, const struct mounter_result *result);
/* Notes that this mount was requested, which stays if this process is killed. */
void outcome_pending(struct helper *helper);
/* Removes what a failed attempt noted. */
void outcome_forget(struct helper *helper);
/* Ends without an attempt. Return the exit status. */
int outcome_refused(struct helper *helper);
int outcome_interrupted(struct helper *helper);

/* mount.c */

int mount_run(struct helper *helper);

#endif
