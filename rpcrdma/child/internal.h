/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Overview of the folder.
 *
 *	profiles.c  what each kind of child may do: one table
 *	channel.c   records between parent and child
 *	start.c     fork(2), and a child's first steps
 *	isolate.c   a PID namespace, where there is one
 *	confine.c   identity, capabilities, limits
 *	landlock.c  the files that a process may open
 *	deny.c      the system calls that no worker makes (seccomp)
 *	program.c   execve(2), and a program's output
 *	end.c       waiting for, killing and abandoning a child
 */
#ifndef RPCRDMA_CHILD_INTERNAL_H
#define RPCRDMA_CHILD_INTERNAL_H

#include <sys/resource.h>

#include "rpcrdma/child/child.h"

/* profiles.c */

enum child_flag {
	/* Identity. NOBODY: uid and gid 65534 where the caller is root, no capability, an empty
	 * bounding set, no_new_privs. POWERLESS: the same, but the caller's uid, and root still
	 * reads the files of others (CAP_DAC_READ_SEARCH). */
	CHILD_NOBODY = 1 << 0,
	CHILD_POWERLESS = 1 << 1,
	/* The system calls of deny.c return EPERM, Landlock lets it make and change no file, and
	 * while it runs the parent is not dumpable: a process of the same user cannot write the
	 * parent's memory. */
	CHILD_DENY = 1 << 2,
	/* A process group of its own, which is killed as a whole. With DENY it starts no other
	 * process once it works. */
	CHILD_GROUP = 1 << 3,
	/* Descriptors. SILENT: stdin and stdout are /dev/null, and so is stderr unless
	 * NFSRDMA_DEBUG enables messages. KEEP_STDIN: keeps stdin. MUTE: stderr is always
	 * /dev/null. ALL_FDS: keeps all open descriptors of the parent. */
	CHILD_SILENT = 1 << 4,
	CHILD_KEEP_STDIN = 1 << 5,
	CHILD_MUTE = 1 << 6,
	CHILD_ALL_FDS = 1 << 7,
	/* Signals. KEEP_SIGNALS: blocked and handled as in the parent. NO_INTERRUPT: only the
	 * parent handles SIGINT. TERM_FIRST: SIGTERM and a second before SIGKILL. */
	CHILD_KEEP_SIGNALS = 1 << 8,
	CHILD_NO_INTERRUPT = 1 << 9,
	CHILD_TERM_FIRST = 1 << 10,
	/* With GROUP: a PID namespace of its own, where the kernel allows it (isolate.c). */
	CHILD_ISOLATED = 1 << 11,
	/* With DENY: it reads only files of the system, where the kernel has Landlock. */
	CHILD_SYSTEM_FILES = 1 << 12,
};

/* 0: no limit, except core: no kind that decodes anything dumps its memory. */
struct child_limits {
	rlim_t files;      /* RLIMIT_NOFILE */
	rlim_t space;      /* RLIMIT_AS, bytes; not under AddressSanitizer */
	rlim_t more_space; /* RLIMIT_AS, bytes beyond what is mapped at the start */
	rlim_t more_data;  /* RLIMIT_DATA, likewise */
	rlim_t cpu;        /* seconds */
	bool no_core;
	rlim_t file_size; /* RLIMIT_FSIZE */
	bool no_files;    /* 0 of it: writes no file */
};

struct child_profile {
	unsigned int flags;
	struct child_limits limits;
};

extern const struct child_profile child_profiles[CHILD_KINDS];

static inline bool child_is(enum child_kind kind, enum child_flag flag)
{
	return child_profiles[kind].flags & flag;
}

/* start.c */

/* Forks; returns 0 in the child, after the first steps that all kinds share. */
pid_t start_fork(enum child_kind kind);
/* Such a child has ended, or was killed. */
void start_unguard(enum child_kind kind);
/* Opens /dev/null as stdin, stdout and stderr if these are closed: a pipe or a socket must not
 * get their numbers.
 * Errors: -errno of open(2). */
int start_fill_standard_files(void);
/* Closes all descriptors but stdin, stdout, stderr and @keep, which it sorts. */
void start_close_others(int *keep, size_t nkeep);
void start_close_from(unsigned int first);
/* Sets up stdin, stdout and stderr by the flags of the kind. */
int start_standard_files(enum child_kind kind);

/* isolate.c */

/* The next process that this one starts is the first of a PID namespace; an ordinary user enters a
 * user namespace for it. False: the kernel or its policy does not allow that; nothing has
 * changed. */
bool isolate_enter(void);
/* Starts the processes of the namespace and returns in the one that is to work; it dies with the
 * parent. The caller ends as that ends.
 * Errors: -errno of pipe2(2) and fork(2), in the caller. */
int isolate_split(void);

/* confine.c: child_confine() without deny.c, for a process that has yet to start others. */
int confine_drop(enum child_kind kind);

/* landlock.c: for the calling thread and what it starts. @reads: only files of the system may be
 * read. A kernel without Landlock is not an error, but is reported with NFSRDMA_DEBUG. */
void landlock_restrict(bool reads);

/* deny.c */

/* Installs the filter. A kernel without seccomp is not an error, but is reported with
 * NFSRDMA_DEBUG. */
void deny_install(enum child_kind kind);
/* The number of system calls that are denied whatever their arguments, and the name of one, for
 * the test that tries them. */
size_t deny_count(void);
const char *deny_name(size_t i);

/* end.c */

/* Reaps the abandoned children that have ended since. */
void end_reap_abandoned(void);

#endif
