/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a mount requests, what this host's policy says about it, and what it gets: mount options,
 * the source of a mount, /etc/nfsrdma.conf, and the plan. All of it is pure, bytes and structs
 * in and out, except policy_open(), which reads through struct host.
 *
 * The path of a mount: host -> policy_open(); SPEC, options, directory -> plan_make(); the plan
 * has the option string for mount.nfs, and what to check before the mount and prove after it.
 *
 * Every text that comes in is hostile: bounded, and refused with one sentence (err_text()). */
#ifndef PLUGIN_OPTIONS_H
#define PLUGIN_OPTIONS_H

#include <stdio.h>

#include "plugin/host/host.h"
#include "rpcrdma/base/base.h"

/* opts.c: an option string as a list. libmount splits it. Order, quotes and unknown options are
 * kept. A string that libmount, mount.nfs and the kernel would split differently is refused:
 * otherwise an option could hide in the value of another. */

#define OPTS_TEXT_MAX  65535 /* bytes of an option string */
#define OPTS_COUNT_MAX 256

struct opts;

struct opt {
	const char *name;
	const char *value; /* NULL: no "="; may be "". Quotes are part of it. */
};

/* @text: NULL is empty. Blanks around an option are dropped: opts_trimmed(). @out is the caller's,
 * for opts_free().
 * Errors: -EINVAL newline or another control character; a quote without its second; a comma within
 * quotes (but of SELinux's contexts) or behind a backslash; a blank within an option and outside
 * quotes (but in what mount(8) keeps for itself: x-*, X-*, comment=); an option without a name;
 * -E2BIG longer than OPTS_TEXT_MAX, or more than OPTS_COUNT_MAX; -ENOMEM. */
int opts_parse(struct opts **out, const char *text);
void opts_free(struct opts *opts);
void opts_free_p(struct opts **opts);
/* How many options had blanks around them. */
unsigned int opts_trimmed(const struct opts *opts);
size_t opts_count(const struct opts *opts);
/* The option at an index below opts_count(); valid until the list changes. */
struct opt opts_at(const struct opts *opts, size_t index);
/* The last option of this name, which applies; or -1. */
ssize_t opts_find(const struct opts *opts, const char *name);
/* The last that answers the question (known_group()), or -1. */
ssize_t opts_find_group(const struct opts *opts, const char *group);
/* Changes keep the order of the others.
 * @value: NULL for none. -ENOMEM. */
int opts_replace(struct opts *opts, size_t index, const char *name, const char *value);
int opts_insert(struct opts *opts, size_t index, const char *name, const char *value);
int opts_append(struct opts *opts, const char *name, const char *value);
void opts_remove(struct opts *opts, size_t index);
/* The string again, never NULL except for -ENOMEM; the caller frees it with free(3). */
int opts_format(const struct opts *opts, char **out);
/* The question that an option answers, of known.c: "soft" and "hard" answer the same. Of an
 * unknown option its name. */
const char *known_group(const struct opt *opt);
/* The option that was probably meant: "vers" of "vesr"; NULL: none is near, or the name is
 * known. */
const char *known_near(const char *name);
/* Calls @fn for each known option that is accepted: "hard", "proto=rdma", and "timeo=" where the
 * value is free. */
void known_each(void (*fn)(void *arg, const char *name, const char *about), void *arg);

/* public.c */

/* Writes an option string without what may be a secret: known options, with values of their form,
 * and placeholders for the rest. Changes @text. */
void public_options(FILE *out, char *text);

/* spec.c: the source of a mount, SERVER:/PATH */

enum ip_family { IP_UNKNOWN, IP_V4, IP_V6 };

#define SPEC_HOST_MAX 255
#define SPEC_PATH_MAX 1024 /* RFC 1813 section 5.1.1 and the kernel's NFS_MAXPATHLEN */

struct spec {
	char host[SPEC_HOST_MAX + 1]; /* without brackets; a zone stays: "fe80::1%eth0" */
	enum ip_family family;        /* of an address; of a name IP_UNKNOWN */
	bool link_local;
	char path[SPEC_PATH_MAX + 1]; /* begins with "/"; colons and blanks may be in it */
};

/* Errors: -EINVAL with a sentence that says how it is written. */
int spec_parse(const char *text, struct spec *out);

/* policy.c: this host's policy for a mount: etc/nfsrdma.conf, etc/nfsrdma.conf.d and the
 * built-in defaults. nfsrdma.conf(5). */

enum policy_mode {
	POLICY_REQUIRE, /* no RDMA, no mount; the default */
	POLICY_PREFER,  /* RDMA if possible, else TCP, with a warning */
	POLICY_OFF,     /* plain NFS: nothing about RDMA is added, checked or proven */
};

/* What is checked before mount.nfs runs. Each level includes those before it. */
enum policy_check {
	POLICY_CHECK_NONE,
	POLICY_CHECK_FAST,    /* this host alone */
	POLICY_CHECK_CONNECT, /* a NULL call over RDMA; the default */
	POLICY_CHECK_READ,    /* a quick probe */
};

enum policy_unknown {
	POLICY_UNKNOWN_ALLOW, /* logged and counted; the default */
	POLICY_UNKNOWN_REFUSE,
};

/* Where a value comes from; the later the more specific. */
enum policy_scope {
	POLICY_BUILT_IN,
	POLICY_DEFAULT, /* section [default] of a file */
	POLICY_OF_SERVER,
	POLICY_OF_EXPORT,
	POLICY_OF_DIRECTORY,
	POLICY_OF_MOUNT, /* its options */
};

#define POLICY_DEADLINE_MAX_S 300
#define POLICY_FROM_MAX       320

/* Each value and its origin: "built in", "mount option", "/etc/nfsrdma.conf:7". */
struct policy {
	enum policy_mode mode;
	enum policy_scope scope; /* of the mode */
	enum policy_check check;
	enum policy_unknown on_unknown; /* of the gates that ask about a mount */
	unsigned int deadline_ms;       /* for all checks of one mount together */
	const char *options;    /* to append if absent; borrowed from the policies; NULL: none */
	const char *options_v3; /* the same, if the mount is or may become NFSv3 */
	char mode_from[POLICY_FROM_MAX];
	char check_from[POLICY_FROM_MAX];
	char on_unknown_from[POLICY_FROM_MAX];
	char deadline_from[POLICY_FROM_MAX];
	char options_from[POLICY_FROM_MAX];
	char options_v3_from[POLICY_FROM_MAX];
};

/* Words of the above: "require", "fast", "allow". */
const char *policy_mode_name(enum policy_mode mode);
const char *policy_check_name(enum policy_check check);
const char *policy_unknown_name(enum policy_unknown on_unknown);

/* All sections of all files. */
struct policies;

/* Files that are absent are empty. One that is damaged or unreadable is an error, never a
 * policy: the caller must not continue as if there were none.
 * Errors: -EINVAL "/etc/nfsrdma.conf:7: ..."; those of host_read(); -ENOMEM. */
int policy_open(struct policies **out, const struct host *host);
/* The same of texts; pure. @text is cut in place.
 * @file: as it is shown. */
int policy_new(struct policies **out);
int policy_add(struct policies *policies, const char *file, char *text);
void policy_free(struct policies *policies);
void policy_free_p(struct policies **policies);
/* The policy for one mount.
 * @dir: NULL if unknown; then no section of a directory applies.
 * @policies: NULL is the built-in defaults. */
void policy_get(const struct policies *policies, const struct spec *spec, const char *dir,
		struct policy *out);
/* What sections of directories, and [default], say of a directory, whatever is or would be
 * mounted there. */
void policy_get_dir(const struct policies *policies, const char *dir, struct policy *out);
/* Sections of directories are compared as texts. For callers that follow links: each PATH
 * without wildcards is replaced by what @follow makes of it; false: it stays.
 * Errors: -ENOMEM. */
typedef bool policy_follow_fn(void *arg, const char *path, char out[PATH_MAX]);
int policy_follow(struct policies *policies, policy_follow_fn *follow, void *arg);
/* Each section of a directory without wildcards that has a policy: its path, as policy_follow()
 * left it, and the policy there. A non-zero result of @fn stops, and is returned. */
typedef int policy_dir_fn(void *arg, const char *path, const struct policy *policy);
int policy_each_dir(const struct policies *policies, policy_dir_fn *fn, void *arg);
/* Whether any section of a server or an export says require. */
bool policy_is_of_servers(const struct policies *policies);
/* Whether any section says require or prefer. */
bool policy_requests_rdma(const struct policies *policies);

/* For a gate that does not know the disks in question: whether any section says on-unknown =
 * refuse, because one of the disks may be its; of files that policy_open() refuses, too.
 * @from: file and line. An unreadable file says nothing. */
bool policy_refuses_unknown(const struct host *host, char from[POLICY_FROM_MAX]);

/* plan.c: the options that a mount gets, and why */

struct plan_request {
	const char *spec;
	const char *options; /* as mount(8) hands them over; NULL: none */
	const char *dir;     /* the mount point, absolute; NULL if unknown */
	const struct policies *policies;
	/* The family of the server's addresses, if a name has those of one family only.
	 * IP_UNKNOWN: of both, or the name was not resolved; then IPv4 is used unless the
	 * options say proto=rdma6. An address in SPEC has its own. */
	enum ip_family family;
	/* The options are not for mount.nfs, but for mount.nfsrdma: nfsrdma.* stay. */
	bool keep_own;
};

enum plan_change_kind {
	PLAN_REPLACED, /* in place */
	PLAN_ADDED,
	PLAN_REMOVED,
};

struct plan_change {
	enum plan_change_kind kind;
	char *before; /* "rdma"; NULL: added */
	char *after;  /* "proto=rdma"; NULL: removed */
	char *reason; /* a sentence without a full stop */
};

struct plan {
	/* For mount.nfs; without nfsrdma.*, unless they were to stay. */
	char *options;
	/* With POLICY_PREFER: the options of a second attempt, over TCP. Else NULL. */
	char *tcp_options;
	struct spec spec;
	struct policy policy; /* in force, with mount options; ->options* of @policies */
	/* The transport of the options in the end: "rdma", "rdma6"; "tcp", "tcp6", "udp", "udp6"
	 * if the policy allows it; "" if nothing sets it (policy off; or a remount, which keeps
	 * that of the mount). */
	char transport[8];
	/* Check before the mount and prove after it; a remount too. Never with POLICY_OFF, nor
	 * if the options request TCP and POLICY_PREFER allows it. */
	bool wants_rdma;
	uint16_t port; /* of the server; 0 if nothing sets it */
	/* The version that the options set. major 0: mount.nfs tries 4.2 down to 3. minor -1:
	 * any of 4. */
	int nfs_major, nfs_minor;
	bool remount, background; /* "bg" applies: exit status 0 is not a proof */
	unsigned int nchanges;
	struct plan_change *changes; /* in the order in which they were made */
	unsigned int nwarnings;
	char **warnings; /* sentences without a full stop */
};

/* @out is the caller's, for plan_free().
 * Errors: -EINVAL the request contradicts itself or the policy, or is not valid, with one
 * sentence (exit status 2 of the command; mount(8)'s 1 of the helper); -E2BIG longer than
 * OPTS_TEXT_MAX, or than the page that the kernel takes of options; -ENOMEM. */
int plan_make(struct plan **out, const struct plan_request *request);
void plan_free(struct plan *plan);
void plan_free_p(struct plan **plan);

#endif
