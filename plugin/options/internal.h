/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The map of plugin/options. */
#ifndef PLUGIN_OPTIONS_INTERNAL_H
#define PLUGIN_OPTIONS_INTERNAL_H

#include "plugin/options/options.h"

/* opts.c */

bool opts_has_control(const char *text);

/* known.c: one row for each option that means something to mount(8), mount.nfs, the kernel or us */

enum known_kind {
	KNOWN_FLAG,   /* takes no value */
	KNOWN_NUMBER, /* decimal, from min to max */
	KNOWN_WORD,   /* one of words */
	KNOWN_TEXT,   /* a value that is not empty */
	KNOWN_FREE,   /* a value or none */
	KNOWN_WORDS,  /* some of words, with colons between them */
	KNOWN_SIZE,   /* decimal, which the kernel rounds: known_note() */
	KNOWN_OWN,    /* of ours: the keys of a policy */
};

struct known {
	const char *name; /* with "*" at its end: all that begin so */
	enum known_kind kind;
	bool mount8;  /* mount(8) keeps it for itself: free text, and may be repeated */
	bool selinux; /* the kernel's security module takes it out, quotes and all */
	uint32_t min, max;
	const char *const *words; /* ends with NULL */
	/* Options of one group answer the same question, and of two the last counts. NULL: its
	 * own name. */
	const char *group;
	const char
		*says; /* its answer; NULL: the value, or the name where there is none */
	const char *refused; /* never taken: why, a sentence */
};

/* No option has such a name, nobody's either. */
#define GROUP_TRANSPORT "=transport"
#define GROUP_PORT      "=port"
#define GROUP_VERSION   "=version"

/* Ours, which leave the list before mount.nfs. */
#define OWN_PREFIX "nfsrdma."

/* NULL: nobody knows it. */
const struct known *known_find(const char *name);
/* The row of which only the case of letters differs, or NULL. */
const struct known *known_other_case(const char *name);
/* Whether the value is one that the row takes. 0, or -EINVAL with a sentence; 0 for a NULL row. */
int known_check(const struct known *row, const struct opt *opt);
/* What the kernel makes of a value that it takes; NULL: nothing else. */
const char *known_note(const struct known *row, const struct opt *opt);
/* How it answers its question (known_group()). Of an option that nobody knows: its value. */
const char *known_says(const struct opt *opt);
/* Decimal digits without zeros before them, from @min to @max. */
bool known_number(const char *text, uint32_t min, uint32_t max, uint32_t *out);
/* The index of @word in @words, which ends with NULL, or -1. */
int known_word(const char *const *words, const char *word);
/* "a, b or c" */
const char *known_words(const char *const *words, char *buf, size_t cap);
/* The version that an option names ("vers", "nfsvers", "v4.1"); minor -1: none. False: none at all. */
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

struct section {
	enum section_kind kind;
	char *server;  /* a pattern; NULL: not of this kind */
	char *path;    /* of an export or directory, a pattern */
	bool literal;  /* the path is none: it has no wildcards */
	size_t weight; /* of two of a kind the heavier counts, of equal ones the later */
	unsigned int line;
	char *file;
	/* NULL: not set here */
	char *values[KEY_COUNT];
	unsigned int lines[KEY_COUNT];
};

#define POLICY_SECTIONS_MAX 1024

struct policies {
	struct section *list;
	size_t count;
};

void section_fini(struct section *section);
/* Cuts doubled slashes, and one at the end: the same path, and the same text. */
void section_squeeze(char *path);
int policy_file_parse(struct policies *policies, const char *file, char *text);
/* The first line "on-unknown = refuse", whatever the others are. False: there is none, and @from is as
 * it was. @text is cut in place. */
bool policy_file_refuses(const char *file, char *text, char from[POLICY_FROM_MAX]);

/* policy.c */

/* "policy" and so on, by enum policy_key; ends with NULL. */
extern const char *const policy_keys[];
/* Those before are mount options too: nfsrdma.KEY= */
#define POLICY_MOUNT_KEYS KEY_ON_UNKNOWN
/* Sets a value of a file or of a mount option. -EINVAL with a sentence that says what is allowed,
 * without the name of the key. @value is kept borrowed where it is an option string. */
int policy_set(struct policy *policy, enum policy_key key, const char *value,
	       const char *from);

/* draft.c: a plan in the making */

struct draft {
	struct plan *plan;
	struct opts *opts;
	enum ip_family family; /* of the server's address */
};

/* Each does it to the options, and tells it in the plan. @reason as printf's. -ENOMEM. */
int draft_replace(struct draft *draft, size_t index, const char *name, const char *value,
		  const char *reason, ...) PRINTF_LIKE(5, 6);
int draft_insert(struct draft *draft, size_t index, const char *name, const char *value,
		 const char *reason, ...) PRINTF_LIKE(5, 6);
int draft_remove(struct draft *draft, size_t index, const char *reason, ...)
	PRINTF_LIKE(3, 4);
int draft_warn(struct draft *draft, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The last option of a group, which is the one that counts; or -1. */
ssize_t draft_last_of(const struct draft *draft, const char *group);

/* settle.c: of several options that answer one question one is left, or they contradict */

/* Values are what their rows take. -EINVAL with a sentence. */
int settle_values(struct draft *draft);
/* nfsrdma.* leave the list and are counted into the policy. */
int settle_own(struct draft *draft);
/* One transport, one port, one version; all others once for each meaning. */
int settle_groups(struct draft *draft);
/* The version that the options pin, after settle_groups(): 0 none, minor -1 none. */
void settle_version(const struct draft *draft, int *nfs_major, int *nfs_minor);
/* "rdma" of "rdma" and "proto=rdma6", with *@six. NULL: no transport. */
const char *settle_transport(const struct opt *opt, bool *six);
/* The option string of a policy, settled by itself. -EINVAL also what is not for a policy to add. */
int settle_added(struct opts **out, const char *options);

#endif
