/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of mount-helper: what mount(8) runs for "mount -t nfsrdma", as root, on strings from
 * elsewhere. In the order of the work:
 *
 *	main.c      mount.nfsrdma
 *	args.c      the command line, as mount(8) writes it (pure)
 *	dir.c       the directory by its one absolute name
 *	fstab.c     what a user's mount must have in fstab
 *	prepare.c   policy, names and plan: with what options, and may it be at all
 *	route.c     the one question to the kernel that checks have and files do not answer
 *	look.c      the checks, before mount.nfs or for the cause of its failure
 *	course.c    what a look means for the mount (pure)
 *	retry.c     for how long it is tried
 *	waiting.c   signals and a line of progress meanwhile
 *	run.c       all of it in order: record, attempts, exit status
 *	outcome.c   what came of it, in words, in the journal and in the record
 *	stage.c     the process that mounts, and its limit of time
 *	hidden.c    a mount namespace that nobody else sees, and the way out of it
 *	mount-nfs.c mount.nfs as a child
 *	proof.c     what mountinfo and mountstats say of the mount (pure but for reading)
 *	helper.c    what is known of the mount
 *	tell.c      stderr and the journal
 *	umount.c    umount.nfsrdma
 *
 * No shell, no PATH, nothing of the environment; no library that talks to a bus. */
#ifndef MOUNT_HELPER_INTERNAL_H
#define MOUNT_HELPER_INTERNAL_H

#include <limits.h>

#include "plugin/checks/checks.h"
#include "plugin/journal/journal.h"
#include "plugin/options/options.h"
#include "plugin/record/record.h"
#include "rpcrdma/child/child.h"

/* Bits of mount(8)'s exit status. 126 is never one: newer mount(8) takes it for "no such helper". */
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
	/* umount */
	bool lazy, force;
};

/* @umount: of umount.nfsrdma, which takes no source. Errors: -EINVAL with a sentence; -ENOMEM. */
int args_parse(struct args *args, int argc, char *const argv[], bool umount);
void args_fini(struct args *args);

/* dir.c */

/* Waits two seconds at most. Errors: of realpath(3), with words; -ETIMEDOUT. */
int dir_resolve(const char *dir, char out[PATH_MAX]);

/* fstab.c */

/* Whether who is not root can mount this over RDMA. Errors: -EPERM with a sentence; of reading. */
int fstab_allows_user(const struct host *host, const char *dir);

/* mount-nfs.c */

#define MOUNT_NFS_ARGS_MAX 16
#define MOUNT_NFS_LAST_MAX 512

struct mount_nfs_end {
	int status;       /* 0 to 255; -1: it did not exit */
	int signal;       /* that ended it, where status is -1 */
	bool timed_out;   /* it was ended at the deadline, or could not be */
	pid_t left;       /* it survives SIGKILL, held by the kernel; or 0 */
	bool interrupted; /* by a signal to us */
	/* The last line that it said on stderr; clean. Handed on only where it ended well: else it is
	 * the caller's, whose own sentence has it. */
	char last[MOUNT_NFS_LAST_MAX];
};

/* Runs @program, which dies with us, and hands on what it says. @signals: a signalfd(2) of those
 * that are to end it; -1: none. What it leaves running holds none of our descriptors.
 * Errors: -errno it could not be started, with words. */
int mount_nfs_run(const char *program, const char *const argv[], int signals,
		  uint64_t deadline, struct mount_nfs_end *out);

/* Becomes it. Returns only with -errno and words. */
int mount_nfs_exec(const char *program, const char *const argv[]);

/* proof.c */

struct proof {
	bool found; /* there is an NFS mount of that number */
	bool rdma;
	unsigned int id, port;
	char dev[16], target[256], fs_spec[256], proto[16], vers[8], addr[64];
	/* Not RDMA: another mount of the same server, over the same transport and of the same
	 * version, whose connection the kernel gives to this one, too; empty: none. */
	char other[256];
	char why[256]; /* not found, or not RDMA: in words */
};

/* Pure. @id: of mountinfo. */
int proof_of(const struct nfs_mounts *mounts, unsigned int id, struct proof *out);
int proof_read(const struct host *host, unsigned int id, struct proof *out);
/* The number of the mount that a descriptor is of. Errors: of reading. */
int proof_mount_id(const struct host *host, int fd, unsigned int *id);
/* What lies on a directory, by its name alone; the topmost. -ENOENT: no NFS mount. Touches no
 * file system. */
int proof_on(const struct host *host, const char *dir, struct proof *out);

/* hidden.c: mounting where nobody sees it, and showing it only when it is proven */

/* Enters a mount namespace that hears of the mounts and umounts of the one before, and is not
 * heard. *@home is the way back. Errors: -errno; the process may then be in either, and is to
 * end. */
int hidden_enter(int *home);

struct hidden {
	int home;
	int at;           /* descriptor of what was mounted here */
	const char *path; /* where */
	int to;           /* descriptor of the directory at home */
};

/* Takes what was mounted away from here, goes home and puts it into place. *@id: of mountinfo, there.
 * Errors: -errno; nothing is at home then. */
int hidden_reveal(const struct host *host, const struct hidden *hidden, unsigned int *id);

/* waiting.c */

struct waiting {
	int signals; /* a signalfd(2); 0: none yet, and signals end us as ever */
	int signal;  /* that came; 0: none */
	/* Of the line of progress, on a terminal. since_ms 0: none is shown; until_ms: the end of retry=. */
	uint64_t since_ms, until_ms;
	char what[256]; /* empty: mount.nfs is at work */
	bool shown, dumb;
	char busy[256]; /* what the ticker says */
	struct child ticker;
};

enum wait_end { WAIT_READY, WAIT_OVER, WAIT_SIGNAL };

/* From here on signals are taken by waiting_for(). Once is enough. */
void waiting_begin(struct waiting *waiting);
/* Until @fd can be read (-1: nothing to wait for), the deadline, or a signal (waiting->signal). */
enum wait_end waiting_for(struct waiting *waiting, int fd, uint64_t deadline);
/* Shows progress while this process waits for nothing, but does it itself; until waiting_erase(). */
void waiting_busy(struct waiting *waiting, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Before anything is printed on stderr. */
void waiting_erase(struct waiting *waiting);

/* stage.c */

enum stage_end {
	STAGE_MOUNTED,     /* proof says what; it is in place */
	STAGE_ALREADY,     /* the same was there before; proof says what */
	STAGE_FAKED,       /* -f: mount.nfs had nothing against it */
	STAGE_UNDONE,      /* it was not RDMA, and is gone */
	STAGE_LEFT,        /* it was not to stay, and could not be undone */
	STAGE_NOTHING,     /* mount.nfs says that all is well, and mounted nothing */
	STAGE_FAILED,      /* mount.nfs did not mount; status and text are its own */
	STAGE_UNMADE,      /* it did not come to that: text says why */
	STAGE_TIMEOUT,     /* mount.nfs did not come to an end */
	STAGE_INTERRUPTED, /* by a signal to us */
	STAGE_NOT_HIDDEN,  /* not in this way: to be done again in the open */
};

struct stage {
	const struct host *host;
	const char *program, *spec, *dir, *options;
	const struct args *args;
	struct waiting *waiting; /* NULL: nobody watches, and only this is waited for */
	bool hidden;             /* mount where nobody sees it, first */
	bool keep;               /* what is not RDMA stays */
	bool remount;            /* of what is there */
	uint64_t deadline;
};

struct stage_result {
	enum stage_end end;
	int status; /* exit status of mount.nfs, or -1 */
	bool hidden;
	struct proof proof;
	char text[MOUNT_NFS_LAST_MAX];
};

/* In a process of its own, which dies with us and is not waited for beyond the deadline; it alone
 * touches the directory. @out is always filled in. */
void stage_run(const struct stage *stage, struct stage_result *out);
/* Becomes mount.nfs, with its arguments. Returns only with -errno and words. */
int stage_exec(const struct stage *stage);

/* course.c: pure */

/* What a look says, the worst counts. */
enum look_says {
	LOOK_NOTHING, /* against the mount: it is good, or unknown */
	LOOK_PATH,    /* something on the way to the server is wrong */
	LOOK_SILENT,  /* the listener was asked and did not answer */
	LOOK_REFUSED, /* the listener refuses */
	LOOK_DEVICE,  /* there is no RDMA device */
	LOOK_NEVER,   /* what no time heals: a module that cannot be loaded, wrong data */
};

enum course {
	COURSE_TRY,    /* mount.nfs */
	COURSE_WAIT,   /* and look again */
	COURSE_REFUSE, /* it ends here */
	COURSE_TCP,    /* without RDMA */
};

struct situation {
	bool once;             /* retry=0, -f, a remount: nobody is to wait */
	bool reads;            /* the policy wants data read before the mount */
	bool tcp;              /* the policy lets TCP be tried */
	bool device_time_left; /* a device may still come */
	bool time_left;        /* of retry= */
};

enum course course_of(enum look_says says, const struct situation *at);

/* retry.c */

/* Minutes, as mount.nfs itself would have it. */
unsigned int retry_minutes(const struct host *host, const struct plan *plan,
			   const char *source, const char *dir);
/* The options with another retry=, the caller's; NULL: no memory. */
char *retry_options(const char *options, unsigned int minutes);

/* The rest works on one mount. */

struct look {
	enum look_says says;
	struct finding reason; /* unless it says LOOK_NOTHING */
	uint64_t at_ms;
};

struct helper {
	const char *name;    /* "mount.nfsrdma" */
	const char *program; /* "/sbin/mount.nfs" */
	struct args args;
	bool root;
	struct host *host;
	int records; /* folder of records; -1: there can be none */
	char boot_id[40];
	char dir[PATH_MAX]; /* absolute */
	struct policies *policies;
	struct plan *plan;
	struct check_target target;
	uint64_t deadline;        /* of the first look */
	uint64_t start_ms, until; /* of the mount; of its retry= */
	unsigned int minutes;     /* retry= */
	struct look look;         /* the last one */
	struct waiting waiting;
	bool stderr_is_journal; /* of a unit: what is an entry is not said twice */
	bool gave_up;           /* RDMA failed, and TCP is what is tried now */
	struct report *report;  /* of the last look, and of the proof */
};

/* helper.c */

/* Of this process: first of all. */
void helper_init(struct helper *helper);
void helper_fini(struct helper *helper);

/* tell.c */

/* A sentence on stderr and in the journal; quiet events (proven, unmounted) only in the journal,
 * unless -v. */
void tell(struct helper *helper, enum journal_event event, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* The same of a finding, with its cause and remedy as fields; not on stderr unless -v. */
void tell_finding(struct helper *helper, const struct finding *finding);
/* How a directory's mount is told: "nas:/vm on /srv/vm". */
const char *tell_mount(const struct helper *helper);

/* prepare.c */

/* Everything before the first check: 0, or the exit status after a sentence. */
int prepare(struct helper *helper);

/* route.c */

extern const struct live_ops live_helper;

/* look.c: each fills helper->look, and begins a new report */

/* The checks of a level, and what they find into the report. @again: the journal has it already.
 * Errors: -ENOMEM, with words. */
int look_before(struct helper *helper, enum policy_check level, bool again);
/* Why mount.nfs failed. Errors: the same. */
int look_after(struct helper *helper);

/* outcome.c */

/* Tells and records what came of an attempt. Returns the exit status. */
int outcome(struct helper *helper, const struct stage_result *result);
/* The record that stands while mount.nfs runs. Errors: an old one could be believed in place of
 * it. */
int outcome_pending(struct helper *helper);

/* No record is left of an attempt that came to nothing. */
void outcome_forget(struct helper *helper);
/* Ends that need no attempt. Return the exit status. */
int outcome_refused(struct helper *helper);
int outcome_interrupted(struct helper *helper);

/* reading.c */

/* Reads a little through a mount that is proven, and says so where that ends in EIO: on stderr, in
 * the journal and in the report. True: it did. Takes two seconds at most. */
bool reading_warns(struct helper *helper, const struct proof *proof);

/* run.c */

int run_mount(struct helper *helper);

#endif
