/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The common part of the hooks of all platforms: an answer within a deadline, even if the check
 * hangs or dies; bounded input; messages in the journal. A hook's own failure stops the platform
 * only if the policy has on-unknown = refuse; otherwise the hook allows the operation and logs the
 * failure. */
#ifndef HOOKS_HOOK_H
#define HOOKS_HOOK_H

#include "plugin/guard/guard.h"
#include "rpcrdma/base/base.h"

#define HOOK_DEADLINE_MS 2000
/* For reading stdin from a platform, which may be slow; not part of the gate's time. */
#define HOOK_INPUT_MS 10000
/* A verdict's text and its remedy. */
#define HOOK_TEXT_MAX (2 * GUARD_TEXT_MAX + 128)

struct domain_disks;

struct hook_answer {
	bool refuse;
	/* One line without newline. For a refusal: the cause and the remedy. For our own failure (the child
	 * died, or timed out): why. For a guest that passes: a warning, about a disk that is unknown or
	 * loud. Otherwise empty. */
	char text[HOOK_TEXT_MAX];
	/* With @refuse: the check failed, and the policy has on-unknown = refuse. */
	bool failed;
	bool logged; /* the journal has a refusal */
	/* In the child: where hook_ask() reports a refusal as soon as it is certain; 0: nowhere. */
	int early;
	/* Set in the child before hook_ask() if a guest is not refused here: the journal has this
	 * text before the reason. NULL: it is refused. */
	const char *spare;
};

typedef void (*hook_fn)(void *arg, struct hook_answer *out);

/* Runs @fn in a child process that has none of the platform's descriptors except stdin, nor any that
 * were opened before, and waits for its answer until the deadline. A child that hangs is killed, and
 * not waited for if it does not end: it holds no descriptor that others wait for. A refusal that it
 * reported before is then the answer. @out is always filled in. */
void hook_run(hook_fn fn, void *arg, uint64_t deadline, struct hook_answer *out);

/* The same for a gate: if @fn fails, dies or times out, and a section of the policy of @root (NULL:
 * this host) has on-unknown = refuse, that is a refusal. */
void hook_gate(const char *root, hook_fn fn, void *arg, uint64_t deadline, struct hook_answer *out);

/* The answer of a gate that could not run, and why. */
void hook_unseen(const char *root, const char *why, struct hook_answer *out);

/* Logs the parts of a gate's answer that are not in the journal yet: its own failure, and a refusal. */
void hook_answered(const char *who, const char *guest, const struct hook_answer *answer);

/* Reads a descriptor to its end. *@out: for free(3), with a trailing NUL. Errors: -EFBIG more than @max;
 * -ETIMEDOUT; of read(2). */
int hook_read(int fd, size_t max, uint64_t deadline, char **out, size_t *len);

struct hook_disks {
	const char *who;   /* SYSLOG_IDENTIFIER */
	const char *guest; /* its name, NULL if unknown */
	const struct guard_disk *list;
	size_t count;
};

/* Checks each disk with the gate: the first refusal is the answer. The journal gets all refusals,
 * unknown and loud disks, and unreadable requirements (guard_unknown()). A journal that takes half a
 * second in total gets only the first refusal from then on (hook_answered() tries that again).
 * @out->early and ->spare are kept. */
void hook_ask(const struct guard *guard, const struct hook_disks *disks, struct hook_answer *out);

/* In the child, before hook_ask(): refuse nothing, neither a disk nor an unknown, because a refusal
 * would do more harm than the missing RDMA. @what: as @spare. */
void hook_spare(struct hook_answer *out, const char *what);

/* Whether VDSM restores this guest instead of starting it; false also if unknown. Such a guest must
 * not be refused: it would lose its memory (hooks/README.md). @uuid: NULL: unknown. */
bool hook_vdsm_restores(const struct host *host, const char *uuid);

/* Logs JOURNAL_GATE_FAILED: why the gate failed. */
void hook_failed(const char *who, const char *guest, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* guest.c */

struct hook_guest {
	const char *who, *name; /* as for hook_ask() */
	const struct host *host;
	const struct domain_disks *disks;
	/* A guest of libvirt alone: its pools are always read, and backing files are numbered. VDSM
	 * does not use pools, but an earlier hook of it may: they are read only if a disk is in one.
	 * Their files belong to root, so a volume is mostly unknown there. */
	bool of_libvirt;
};

/* Opens the gate and asks it about all disks. Errors: -ENOMEM; of guard_open(). */
int hook_guest_ask(const struct hook_guest *guest, struct hook_answer *out);

#endif
