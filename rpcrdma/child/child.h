/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Child processes: a function of ours, or a program, is started with the descriptors, the identity
 * and the limits of its kind, talks over a channel of bounded records, and ends by a deadline.
 * Every process that this project starts is started here.
 *
 * A kind is a row of the table in profiles.c. All kinds die with their parent (PR_SET_PDEATHSIG,
 * and a look at getppid(2) for a parent that was faster), and hold no descriptor that was not
 * given to them, except the two kinds that act in place of their parent.
 *
 * The kernel holds a process that waits for a dead mount, even after SIGKILL. Nothing here waits
 * for such a child: child_finish() leaves it behind and reports its pid.
 *
 * The death signal comes when the thread that started the child ends. Start a child from a thread
 * that lives at least as long. */
#ifndef RPCRDMA_CHILD_H
#define RPCRDMA_CHILD_H

#include <sys/types.h>

#include "rpcrdma/base.h"

/* --- kinds: profiles.c ---------------------------------------------------------------- */

enum child_kind {
	CHILD_WORKER,    /* decodes what a peer sent */
	CHILD_REFERENCE, /* the same inside a worker, by a library that trusts its input */
	CHILD_SERVER,    /* serves peers */
	CHILD_BASELINE,  /* the TCP peer of a benchmark, inside a worker */
	CHILD_PARSER,    /* reads files that anybody may have written, by a library */
	CHILD_TOUCH,     /* touches a path whose server may be gone */
	CHILD_TICKER,    /* draws a line of progress */
	CHILD_MOUNTER,   /* mounts; acts in place of its parent */
	CHILD_KERNEL_CLIENT, /* mounts for itself alone, and reads */
	CHILD_GATE,          /* decides for a hook */
	CHILD_TOOL,          /* a program that is asked for a text */
	CHILD_MOUNT_NFS,     /* mount.nfs; acts in place of its parent */
	CHILD_KINDS
};

/* Confines this process as a child of @kind is confined: identity, capabilities, limits, system
 * calls. For the command `serve`, which serves peers itself. To be called before there are
 * threads. There is no way back.
 * Errors: -errno; the process is then confined in part and must end. */
int child_confine(enum child_kind kind);

/* --- records: channel.c --------------------------------------------------------------- */

/* A channel is a SOCK_SEQPACKET pair: one record a packet, a type byte and a body, sometimes a
 * descriptor beside it. The kernel keeps the boundaries, so neither side parses a stream. */

/* The only record of a child that answers once. Other types are its user's. */
#define CHANNEL_ANSWER 1
/* Of the module itself: the child could not be prepared or confined. u32 errno, reason
 * (err_because()) and text, each with its NUL. */
#define CHANNEL_FAILED     255
#define CHANNEL_FAILED_MAX (4 + ERR_REASON_MAX + ERR_TEXT_MAX)

/* Errors: -errno of sendmsg(2); -EPIPE where the other end is gone. */
int channel_send(int channel, int type, const void *body, size_t len, int pass_fd);
/* A body of CHANNEL_FAILED_MAX is always large enough for CHANNEL_FAILED.
 * Blocks. Returns the length of the body, 0 or more. *@passed is -1 or a descriptor that is now
 * the caller's, also where an error is returned. Errors: -EPIPE the other end is gone; -EPROTO
 * the record is longer than @cap. */
ssize_t channel_receive(int channel, int *type, void *body, size_t cap, int *passed);

/* --- functions: start.c --------------------------------------------------------------- */

struct child {
	pid_t pid; /* 0: none, or it has ended */
	enum child_kind kind;
	const char *name;
	int channel;  /* of a function; -1 */
	int out, err; /* of a program: what it writes; -1 */
};

#define CHILD_NONE                                  \
	(struct child)                              \
	{                                           \
		.channel = -1, .out = -1, .err = -1 \
	}

struct child_function {
	enum child_kind kind;
	/* In errors: "the worker". Borrowed for as long as the child lives. */
	const char *name;
	/* In the child, before it is confined: opens what only the caller may open. NULL: nothing.
	 * -errno (with err_set()): child_receive() returns that. */
	int (*prepare)(void *arg, int channel);
	/* In the child. Returns its exit status. */
	int (*run)(void *arg, int channel);
	void *arg;
	/* Descriptors besides stdin, stdout, stderr and the channel that stay open. */
	const int *keep;
	size_t nkeep;
	/* A SOCK_STREAM pair, for answers longer than a packet; child_receive() is not for it. */
	bool stream;
};

/* Errors: -errno of socketpair(2) and fork(2). */
int child_start(struct child *child, const struct child_function *function);
/* In the child: reports @rc and the present error text as a failed preparation, and ends. */
_Noreturn void child_refuse(int channel, int rc);
/* One record by @deadline, which is looked at while records flow, too. As channel_receive(); also
 * -ETIMEDOUT; -EINTR a signal was handled; and, with CHANNEL_FAILED as *@type, what kept the child
 * from being prepared or confined. */
ssize_t child_receive(const struct child *child, int *type, void *body, size_t cap,
		      int *passed, uint64_t deadline);

/* --- its end: end.c ------------------------------------------------------------------- */

enum child_fate {
	CHILD_EXITED,    /* status: its exit status */
	CHILD_SIGNALLED, /* status: the signal */
	CHILD_LEFT,   /* it survives SIGKILL, held by the kernel; pid tells which it is */
	CHILD_UNKNOWN /* reaped elsewhere: SIGCHLD is ignored */
};

struct child_end {
	enum child_fate fate;
	int status;
	pid_t pid;
	bool forced; /* it did not end by itself, and was sent SIGKILL */
};

/* SIGKILL, to its descendants too where its kind keeps them together. */
void child_kill(const struct child *child);
/* Waits for its end until @deadline. False: it lives on. What is left of its process group is
 * killed. Closes nothing. */
bool child_reap(struct child *child, uint64_t deadline, struct child_end *end);
/* The same, then SIGKILL and half a second more; then it is left behind. Its descriptors are
 * closed. @end may be NULL. Nothing happens to CHILD_NONE. */
void child_finish(struct child *child, uint64_t deadline, struct child_end *end);
/* At once. */
void child_finish_p(struct child *child);
/* Closes its descriptors and forgets it, without a wait. */
void child_close(struct child *child);
/* "was ended by signal 9 (Killed)", "ended with status 3", "has not ended after SIGKILL
 * (process 1234)" */
const char *child_end_text(const struct child_end *end, char *buf, size_t cap);

/* Starts a function that answers once, takes the answer of exactly @len bytes by @deadline, and
 * ends the child. @end may be NULL.
 * Errors: of child_start() and child_receive(); -EPIPE with child_end_text() where it ended
 * without an answer; -EPROTO an answer of another length. */
int child_call(const struct child_function *function, void *answer, size_t len,
	       uint64_t deadline, struct child_end *end);
/* In the child: the answer of child_call(). Returns the exit status. */
int child_answer(int channel, const void *answer, size_t len);

/* --- programs: program.c -------------------------------------------------------------- */

struct child_program {
	enum child_kind kind;
	const char *path;
	const char *const *argv;
	const char *const *env; /* NULL: none */
};

/* @which: STDOUT_FILENO or STDERR_FILENO. Not 0: enough, end it; child_follow() returns that. */
typedef int (*child_output_fn)(void *arg, int which, const char *buf, size_t len);

struct child_listener {
	child_output_fn output;
	void *arg;
	int signals;      /* a signalfd whose signals end the program, -1: none */
	bool interrupted; /* out: such a signal came */
};

/* It reads /dev/null. Errors: -errno of pipe2(2), fork(2) and execve(2), with the path. */
int child_spawn(struct child *child, const struct child_program *program);
/* Hands on what it writes until it has ended, and ends it at the deadline; processes that it leaves
 * behind are not waited for. child->pid is 0 then.
 * Errors: -ETIMEDOUT, -EINTR for a signal, or what @output returned; *@end tells of its end in
 * any case. */
int child_follow(struct child *child, struct child_listener *listener, uint64_t deadline,
		 struct child_end *end);
/* Becomes the program. Returns only -errno. */
int child_exec(const struct child_program *program);

#endif
