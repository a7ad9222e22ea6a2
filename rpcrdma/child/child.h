/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Child processes: a function or a program runs with the descriptors, identity and limits of its
 * kind, communicates over a channel of bounded records, and ends by a deadline. All processes of
 * this project are started here.
 *
 * A kind is a row of the table in profiles.c. All kinds die with their parent (PR_SET_PDEATHSIG,
 * and a getppid(2) check for a parent that died first), and have no descriptors except those
 * passed to them, apart from the kinds that act in place of their parent.
 *
 * A process that waits for a dead mount stays in the kernel, even after SIGKILL. Nothing here
 * waits for such a child: child_finish() abandons it and reports its pid.
 *
 * The death signal is sent when the thread that started the child ends, so that thread must
 * outlive the child. */
#ifndef RPCRDMA_CHILD_H
#define RPCRDMA_CHILD_H

#include <sys/types.h>

#include "rpcrdma/base/base.h"

/* --- kinds: profiles.c ---------------------------------------------------------------- */

enum child_kind {
	CHILD_WORKER,        /* decodes a peer's data */
	CHILD_REFERENCE,     /* the same within a worker, with a library that trusts its input */
	CHILD_SERVER,        /* serves peers */
	CHILD_PARSER,        /* reads untrusted files, with a library */
	CHILD_TOUCH,         /* accesses a path whose server may not respond */
	CHILD_TICKER,        /* draws the progress line */
	CHILD_MOUNTER,       /* mounts; acts in place of its parent */
	CHILD_KERNEL_CLIENT, /* mounts in its own namespace, reads and writes */
	CHILD_GATE,          /* decides for a hook */
	CHILD_TOOL,          /* a program whose output is read */
	CHILD_MOUNT_NFS,     /* mount.nfs; acts in place of its parent */
	CHILD_COMMAND, /* a command; acts in place of its parent, which removes files after it */
	CHILD_KINDS
};

/* Confines this process like a child of @kind: identity, capabilities, limits, system calls. For
 * the command `serve`, which serves peers itself. Call it before creating threads. It cannot be
 * undone.
 * Errors: -errno; the process is then only partly confined and must exit. */
int child_confine(enum child_kind kind);

/* --- records: channel.c --------------------------------------------------------------- */

/* A channel is a SOCK_SEQPACKET pair: one record a packet, a type byte and a body, sometimes a
 * descriptor beside it. The kernel keeps the boundaries, so neither side parses a stream. */

/* The only record of a child that answers once. Callers define other types. */
#define CHANNEL_ANSWER 1
/* Sent by this module: the child could not be prepared or confined. u32 errno, reason
 * (err_because()) and text, each with its NUL. */
#define CHANNEL_FAILED     255
#define CHANNEL_FAILED_MAX (4 + ERR_REASON_MAX + ERR_TEXT_MAX)

/* Errors: -errno of sendmsg(2); -EPIPE the other end is closed. */
int channel_send(int channel, int type, const void *body, size_t len, int pass_fd);
/* A body of CHANNEL_FAILED_MAX is always large enough for CHANNEL_FAILED. Blocks. Returns the
 * length of the body, 0 or more. *@passed is -1 or a descriptor that the caller now owns, even on
 * an error.
 * Errors: -EPIPE the other end is closed; -EPROTO the record is longer than @cap. */
ssize_t channel_receive(int channel, int *type, void *body, size_t cap, int *passed);

/* --- functions: start.c --------------------------------------------------------------- */

struct child {
	pid_t pid; /* 0: none, or it has ended */
	enum child_kind kind;
	const char *name;
	int channel;  /* of a function; -1 */
	int out, err; /* of a program: its stdout and stderr; -1 */
};

/* clang-format off */
#define CHILD_NONE (struct child){ .channel = -1, .out = -1, .err = -1 }
/* clang-format on */

/* Of child_function.keep. */
#define CHILD_KEEP_MAX 7

struct child_function {
	enum child_kind kind;
	/* In errors: "the worker". Borrowed for as long as the child lives. */
	const char *name;
	/* Runs in the child before it is confined: opens files that only the caller may open.
	 * NULL: not needed. child_receive() returns its -errno (with err_set()). */
	int (*prepare)(void *arg, int channel);
	/* Runs in the child once it is confined, and while it may still start processes. NULL: not
	 * needed. Errors as of prepare. */
	int (*spawn)(void *arg, int channel);
	/* Runs in the child. Returns its exit status. */
	int (*run)(void *arg, int channel);
	void *arg;
	/* Descriptors to keep open besides stdin, stdout, stderr and the channel; at most
	 * CHILD_KEEP_MAX. */
	const int *keep;
	size_t nkeep;
	/* Use a SOCK_STREAM pair, for answers longer than a packet; child_receive() does not
	 * support it. */
	bool stream;
};

/* Errors: -errno of socketpair(2) and fork(2). */
int child_start(struct child *child, const struct child_function *function);
/* In the child: reports @rc and the current error text as a failed preparation, and exits. */
_Noreturn void child_refuse(int channel, int rc);
/* Receives one record by @deadline, which also applies while records keep arriving. Errors as of
 * channel_receive(); also -ETIMEDOUT; -EINTR a signal was handled; and, with CHANNEL_FAILED as
 * *@type, the error in preparing or confining the child. A descriptor that comes with it is
 * closed: no child passes one. */
ssize_t child_receive(const struct child *child, int *type, void *body, size_t cap,
		      uint64_t deadline);

/* --- its end: end.c ------------------------------------------------------------------- */

enum child_fate {
	CHILD_EXITED,    /* status: its exit status */
	CHILD_SIGNALLED, /* status: the signal */
	CHILD_LEFT,      /* it survives SIGKILL, blocked in the kernel; pid identifies it */
	CHILD_UNKNOWN    /* reaped elsewhere: SIGCHLD is ignored */
};

struct child_end {
	enum child_fate fate;
	int status;
	pid_t pid;
	bool forced; /* it did not exit by itself and was sent SIGKILL */
};

/* Sends SIGKILL, also to its descendants if its kind has a process group. */
void child_kill(const struct child *child);
/* Waits until @deadline for it to end. False: it is still running. Kills the rest of its process
 * group. Closes nothing. */
bool child_reap(struct child *child, uint64_t deadline, struct child_end *end);
/* The same, then sends SIGKILL and waits another half second; then abandons it. Closes its
 * descriptors. @end may be NULL. Does nothing for CHILD_NONE. */
void child_finish(struct child *child, uint64_t deadline, struct child_end *end);
/* child_finish() with deadline 0; for _cleanup_. */
void child_finish_p(struct child *child);
/* Closes its descriptors. One that was not reaped, which must have been killed, is abandoned. */
void child_close(struct child *child);
#define CHILD_END_TEXT_MAX 192

/* "was ended by signal 9 (Killed)", "ended with status 3", "has not ended after SIGKILL
 * (process 1234, nfsrdma, blocked in siw_connect)": of its descendants the one that is blocked */
const char *child_end_text(const struct child_end *end, char *buf, size_t cap);

/* Starts a function that answers once, takes the answer of exactly @len bytes by @deadline, and
 * ends the child. @end may be NULL.
 * Errors: of child_start() and child_receive(); -EPIPE with child_end_text() if it ended
 * without an answer; -EPROTO an answer of another length. */
int child_call(const struct child_function *function, void *answer, size_t len, uint64_t deadline,
	       struct child_end *end);
/* In the child: sends the answer of child_call(). Returns the exit status. */
int child_answer(int channel, const void *answer, size_t len);

/* --- programs: program.c -------------------------------------------------------------- */

struct child_program {
	enum child_kind kind;
	const char *path;
	const char *const *argv;
	const char *const *env; /* NULL: none */
};

/* @which: STDOUT_FILENO or STDERR_FILENO. A non-zero result ends the program, and child_follow()
 * returns it. */
typedef int (*child_output_fn)(void *arg, int which, const char *buf, size_t len);

struct child_listener {
	child_output_fn output;
	void *arg;
	int signals;      /* a signalfd whose signals end the program, -1: none */
	bool interrupted; /* out: such a signal was received */
};

/* Starts the program, with /dev/null as stdin.
 * Errors: -errno of pipe2(2), fork(2) and execve(2), with the path. */
int child_spawn(struct child *child, const struct child_program *program);
/* Passes on its output until it has ended, and ends it at the deadline; does not wait for
 * processes that it leaves running. Afterwards child->pid is 0.
 * Errors: -ETIMEDOUT, -EINTR for a signal, or the result of @output; *@end is set in any case. */
int child_follow(struct child *child, struct child_listener *listener, uint64_t deadline,
		 struct child_end *end);
/* Becomes the program. Returns only -errno. */
int child_exec(const struct child_program *program);

#endif
