/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A finding: a check and its result. The code that checks fills one in and passes it to a sink;
 * the meaning of an id (title, cause, remedy) is one table in plugin/report, so that lower
 * folders carry no advice. A finding crosses a process boundary as a bounded record: the process
 * that decodes bytes from the network is not the one that prints. */
#ifndef RPCRDMA_FINDING_H
#define RPCRDMA_FINDING_H

#include "rpcrdma/base/base.h"

#define FINDING_ID_MAX       64
#define FINDING_REASON_MAX   32
#define FINDING_SUMMARY_MAX  1024
#define FINDING_EVIDENCE_MAX 32
#define FINDING_KEY_MAX      48
#define FINDING_VALUE_MAX    512

enum finding_status {
	FINDING_PASS,    /* checked, and good */
	FINDING_WARN,    /* works, but needs attention */
	FINDING_FAIL,    /* the target's answer is wrong, or it refused */
	FINDING_SKIP,    /* does not apply here; the summary says why. Never counts */
	FINDING_UNKNOWN, /* could not be determined. Never reported as good */
	FINDING_STATUS_COUNT
};

struct finding_evidence {
	char key[FINDING_KEY_MAX];
	char value[FINDING_VALUE_MAX];
	bool is_number; /* value is a decimal number; JSON prints it bare */
};

struct finding {
	char id[FINDING_ID_MAX];
	enum finding_status status;
	char reason[FINDING_REASON_MAX];   /* a word: why it is not good; "": none */
	char summary[FINDING_SUMMARY_MAX]; /* one sentence with the numbers */
	bool no_memory;                    /* for some evidence, see finding_init() */
	unsigned int nevidence;
	struct finding_evidence *evidence; /* owned */
};

/* gcc warns if the first argument is not initialised. */
#ifdef __has_attribute
#if __has_attribute(access)
#define FINDING_INITIALISED __attribute__((access(read_write, 1)))
#endif
#endif
#ifndef FINDING_INITIALISED
#define FINDING_INITIALISED
#endif

/* Receives a finding, borrowed for the length of the call. */
typedef void (*finding_sink)(void *arg, const struct finding *finding);

/* finding.c */

const char *finding_status_name(enum finding_status status);
/* Whether it names a known defect (bug.*), which is listed first among findings of one status. */
bool finding_is_defect(const struct finding *finding);
/* The value of the first evidence with that key, valid until evidence is added; "" if there is
 * none. */
const char *finding_evidence(const struct finding *finding, const char *key);

/* A finding owns its evidence. It begins as zeros, and finding_fini() ends it:
 *
 *	_cleanup_(finding_fini) struct finding finding = { 0 };
 *
 * In between finding_init(), finding_copy() and finding_decode() fill it in, any number of times.
 * An assignment would give the evidence two owners: use finding_copy().
 *
 * If there is no memory for evidence, the finding is marked with no_memory. report_add() and
 * finding_encode() refuse it with -ENOMEM, so that evidence is never missing without a word. */
void finding_init(struct finding *finding, const char *id, enum finding_status status,
		  const char *fmt, ...) PRINTF_LIKE(4, 5) FINDING_INITIALISED;
void finding_copy(struct finding *to, const struct finding *from) FINDING_INITIALISED;
void finding_fini(struct finding *finding) FINDING_INITIALISED;
/* Sets the reason, a word defined with the id's meaning; "": none. */
void finding_reason(struct finding *finding, const char *reason);
/* Drops evidence beyond FINDING_EVIDENCE_MAX and truncates long text. Texts are UTF-8 without
 * control characters: all other bytes become question marks. Arguments may be texts of the same
 * finding. */
void finding_text(struct finding *finding, const char *key, const char *fmt, ...) PRINTF_LIKE(3, 4);
void finding_number(struct finding *finding, const char *key, double value);

/* The same for other texts that cross a pipe: finding_clean() replaces control characters and
 * bytes that are not UTF-8 with question marks; finding_is_clean() tests for them. */
void finding_clean(char *text);
bool finding_is_clean(const char *text);

/* One finding as a record for a pipe, and back.
 * finding_encode: @buf of @cap bytes; returns the length, -ENOSPC or -ENOMEM (no_memory).
 * finding_decode: returns the bytes used, 0 if more are needed, -EPROTO for a record that
 * breaks its format (the writer is not trusted), -ENOMEM. Unless it returns the bytes used,
 * @finding is only good for finding_fini() or to be filled in again. */
#define FINDING_RECORD_MAX (64 * 1024)
int finding_encode(const struct finding *finding, void *buf, size_t cap);
int finding_decode(struct finding *finding, const void *buf, size_t len) FINDING_INITIALISED;

#endif
