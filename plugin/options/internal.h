/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/options. */
#ifndef PLUGIN_OPTIONS_INTERNAL_H
#define PLUGIN_OPTIONS_INTERNAL_H

#include "plugin/options/options.h"

/* opts.c */

bool opts_has_control(const char *text);

/* known.c: a row for each option that means something to mount(8), mount.nfs, the kernel or this
 * program */

enum known_kind {
	KNOWN_FLAG,   /* takes no value */
	KNOWN_NUMBER, /* decimal, from min to max */
	KNOWN_WORD,   /* one of words */
	KNOWN_TEXT,   /* a value that is not empty */
	KNOWN_FREE,   /* a value or none */
	KNOWN_WORDS,  /* some of words, separated by colons */
	KNOWN_SIZE,   /* decimal, which the kernel rounds: known_note() */
	KNOWN_OWN,    /* the keys of a policy, our own */
};

struct known {
	const char *name; /* with "*" at its end: all that begin so */
	enum known_kind kind;
	bool mount8;  /* mount(8) keeps it to itself: free text, may be repeated */
	bool selinux; /* the kernel's security module removes it, with its quotes */
	uint32_t min, max;
	const char *const *words; /* ends with NULL */
	/* Options of one group answer the same question; the last one applies. NULL: its own
	 * name. */
	const char *group;
	/* To the question of its group; NULL: the value, or the name where there is none. */
	const char *answer;
	const char *refused; /* never accepted: why, a sentence */
};

/* No option has this name. */
#define GROUP_TRANSPORT "=transport"
#define GROUP_PORT      "=port"
#define GROUP_VERSION   "=version"

/* Our own, which are removed before mount.nfs. */
#define OWN_PREFIX "nfsrdma."

/* NULL: it is not known. */
const struct known *known_find(const char *name);
/* The row whose name differs only in case, or NULL. */
const struct known *known_other_case(const char *name);
/* Whether the row accepts the value. 0, or -EINVAL with a sentence; 0 for a NULL row. */
int known_check(const struct known *row, const struct opt *opt);
/* What the kernel makes of a value that it accepts; NULL: it uses the value as it is. */
const char *known_note(const struct known *row, const struct opt *opt);
/* Its answer to the question of its group (known_group()). Of an unknown option: its value. */
const char *known_answer(const struct opt *opt);
/* A decimal number without leading zeros, from @min to @max. */
bool known_number(const char *text, uint32_t min, uint32_t max, uint32_t *out);
/* The index of @word in @words, which ends with NULL, or -1. */
int known_word(const char *const *words, const char *word);
/* "a, b or c" */
const char *known_words(const char *const *words, char *buf, size_t cap);
/* The version that an option names ("vers", "nfsvers", "v4.1"); minor -1: none. False: it names
 * none. */
bool known_version(const struct opt *opt, int *nfs_major, int *nfs_minor);

/* policy-file.c: the sections of one file */

enum policy_key {
	KEY_POLICY,
	KEY_CHECK,
	KEY_DEADLINE,
	KEY_ON_UNKNOWN,
	KEY_OPTIONS,
	KEY_OPTIONS_V3,
	KEY_COUNT
};

/* The less specific first. */
enum section_kind { SECTION_DEFAULT, SECTION_SERVER, SECTION_EXPORT, SECTION_DIRECTORY };

struct policy_section {
	enum section_kind kind;
	char *server;  /* a pattern; NULL: not of this kind */
	char *path;    /* of an export or directory, a pattern */
	bool literal;  /* the path is not a pattern: it has no wildcards */
	size_t weight; /* of two of a kind the heavier applies; of equal ones the later */
	unsigned int line;
	char *file;
	/* NULL: not set here */
	char *values[KEY_COUNT];
	unsigned int lines[KEY_COUNT];
};

#define POLICY_SECTIONS_MAX 1024

struct policies {
	struct policy_section *list;
	size_t count;
};

void section_fini(struct policy_section *section);
/* Removes doubled slashes, and one at the end: the same path is the same text. */
void section_squeeze(char *path);
int policy_file_parse(struct policies *policies, const char *file, char *text);
/* The first line "on-unknown = refuse", whatever the others are. False: there is none, and @from
 * is unchanged. @text is cut in place. */
bool policy_file_refuses(const char *file, char *text, char from[POLICY_FROM_MAX]);

/* policy.c */

/* "policy" and so on, by enum policy_key; ends with NULL. */
extern const char *const policy_keys[];
/* Those before are mount options too: nfsrdma.KEY= */
#define POLICY_MOUNT_KEYS KEY_ON_UNKNOWN
/* Sets a value of a file or of a mount option. -EINVAL with a sentence that says what is
 * allowed, without the name of the key. @value is kept borrowed if it is an option string. */
int policy_set(struct policy *policy, enum policy_key key, const char *value, const char *from);

/* draft.c: a plan in the making */

struct draft {
	struct plan *plan;
	struct opts *opts;
	enum ip_family family; /* of the server's address */
	bool keep_own;         /* as in struct plan_request */
};

/* Each changes the options, and records it in the plan. @reason as printf's. -ENOMEM. */
int draft_replace(struct draft *draft, size_t index, const char *name, const char *value,
		  const char *reason, ...) PRINTF_LIKE(5, 6);
int draft_insert(struct draft *draft, size_t index, const char *name, const char *value,
		 const char *reason, ...) PRINTF_LIKE(5, 6);
int draft_remove(struct draft *draft, size_t index, const char *reason, ...) PRINTF_LIKE(3, 4);
int draft_warn(struct draft *draft, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* settle.c: of several options that answer one question one remains, or they contradict each
 * other */

/* Checks that each row accepts its value. -EINVAL with a sentence. */
int settle_values(struct draft *draft);
/* nfsrdma.* are added to the policy, and removed from the list unless they are to stay. */
int settle_own(struct draft *draft);
/* One transport, one port, one version; of all others one of each meaning. */
int settle_groups(struct draft *draft);
/* The version that the options set, after settle_groups(): 0 none, minor -1 none. */
void settle_version(const struct draft *draft, int *nfs_major, int *nfs_minor);
/* "rdma" of "rdma" and "proto=rdma6", with *@six. NULL: no transport. */
const char *settle_transport(const struct opt *opt, bool *six);
/* The option string of a policy, settled by itself. -EINVAL also for what a policy may not add. */
int settle_added(struct opts **out, const char *options);

#endif
