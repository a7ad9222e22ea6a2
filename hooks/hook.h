/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the hooks of all platforms have in common: an answer within a deadline, whatever happens to
 * who looks for it; bounded input; words in the journal. A hook's own failure never stops the
 * platform, but where the policy says so (on-unknown = refuse): else it lets pass what came, and the
 * journal has it. */
#ifndef HOOKS_HOOK_H
#define HOOKS_HOOK_H

#include "plugin/guard/guard.h"
#include "rpcrdma/base.h"

#define HOOK_DEADLINE_MS 2000
/* For what a platform writes to our stdin, which is not the gate's time: it may be slow. */
#define HOOK_INPUT_MS 10000
/* What a verdict says, and its remedy. */
#define HOOK_TEXT_MAX (2 * GUARD_TEXT_MAX + 128)

struct hook_answer {
	bool refuse;
	/* One line without newline. Of a refusal, for who asked: what is wrong, and the remedy. Of
	 * our own failure (the child died, or took too long): why. Of a guest that passes: what
	 * somebody should know all the same, a disk that is unknown or loud. Else empty. */
	char text[HOOK_TEXT_MAX];
	/* With @refuse: nothing was found out, and the policy has on-unknown = refuse. */
	bool failed;
	bool logged; /* the journal has a refusal */
	/* In the child: where hook_ask() tells a refusal as soon as it is sure of it; 0: nowhere. */
	int early;
	/* In the child, before hook_ask(): what happens here to a guest that would be refused, as
	 * the journal says it before the reason. NULL: it is refused. */
	const char *spare;
};

typedef void (*hook_fn)(void *arg, struct hook_answer *out);

/* Runs @fn in a child process that holds none of the platform's descriptors but stdin, nor any that
 * were opened before, and waits for its answer until the deadline. A child that hangs is killed,
 * and not waited for where it cannot be: its descriptors keep nobody. What it was sure of before is
 * then the answer, if that is a refusal. @out is always filled in. */
void hook_run(hook_fn fn, void *arg, uint64_t deadline, struct hook_answer *out);

/* The same for a gate: where @fn fails, dies or takes too long, and a section of the policy of @root
 * (NULL: this host) says on-unknown = refuse, that is a refusal. */
void hook_gate(const char *root, hook_fn fn, void *arg, uint64_t deadline,
	       struct hook_answer *out);

/* The answer of a gate that could not even be asked, and why. */
void hook_unseen(const char *root, const char *why, struct hook_answer *out);

/* Puts into the journal what of a gate's answer is not there: its own failure, and a refusal. */
void hook_answered(const char *who, const char *guest, const struct hook_answer *answer);

/* All of a descriptor until its end. *@out: the caller's, for free(3), with a NUL behind it. Errors:
 * -EFBIG more than @max; -ETIMEDOUT; of read(2). */
int hook_read(int fd, size_t max, uint64_t deadline, char **out, size_t *len);

/* Asks the gate about each disk: the first refusal is the answer; all are in the journal, as is
 * what is unknown and what is loud, and that not all is known that could be wanted
 * (guard_unknown()), as far as it takes them; one that takes half a second for all of them gets no more
 * but the first refusal (hook_answered() tries that again). @out->early and ->spare are kept. @who:
 * SYSLOG_IDENTIFIER; @guest: its name, NULL where not known. */
void hook_ask(const char *who, const char *guest, const struct guard *guard,
	      const struct guard_disk *disks, size_t ndisks, struct hook_answer *out);

/* In the child, before hook_ask(): nothing is refused any more, neither a disk nor what is unknown: a
 * refusal would do more harm than what it is about. @what: as of @spare. */
void hook_spare(struct hook_answer *out, const char *what);

/* Whether VDSM restores this guest, and does not start it anew; false also where that is not known.
 * A guest of VDSM's is not to be refused then: it would lose its memory (hooks/README.md). @uuid:
 * NULL: not known. */
bool hook_vdsm_restores(const struct host *host, const char *uuid);

/* In the journal, JOURNAL_GATE_FAILED: why the gate did not work. */
void hook_failed(const char *who, const char *guest, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

#endif
