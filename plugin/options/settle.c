/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Of several options that answer one question one remains, or they contradict each other.
 *
 * mount.nfs and the kernel use the last transport and the last port, and VDSM relies on this for
 * "soft,...,hard"; but two transports or two ports are a mistake that shows only when the mount
 * is slow, or not safe. So those are refused, and two versions, which mount.nfs refuses itself;
 * of the others the last applies as ever, with a warning. */
#include <stdio.h>

#include "plugin/options/internal.h"

int settle_values(struct draft *draft)
{
	size_t i;
	int rc;

	for (i = 0; i < opts_count(draft->opts); i++) {
		struct opt opt = opts_at(draft->opts, i);
		const struct known *row = known_find(opt.name);
		const struct known *other = known_other_case(opt.name);
		const char *near = known_near(opt.name), *note;

		/* An unknown option is kept: a newer kernel may know it. */
		rc = 0;
		if (other)
			rc = draft_warn(
				draft,
				"'%.60s' is not a mount option; '%s' is written in lower case",
				opt.name, other->name);
		else if (near)
			rc = draft_warn(draft,
					"'%.60s' is not a known mount option; did you mean '%s'?",
					opt.name, near);
		if (!rc)
			rc = known_check(row, &opt);
		if (rc)
			return rc;
		note = known_note(row, &opt);
		if (note)
			rc = draft_warn(draft, "%s=%.20s: %s", opt.name, opt.value, note);
		if (rc)
			return rc;
	}
	return 0;
}

static int settle_contradict(const struct opt *a, const struct opt *b, const char *what)
{
	return err_set(
		EINVAL,
		"'%.60s%s%.60s' and '%.60s%s%.60s' contradict each other: a mount has one %s",
		a->name, a->value ? "=" : "", a->value ? a->value : "", b->name,
		b->value ? "=" : "", b->value ? b->value : "", what);
}

/* Removes the later ones of this name, which have the same value. */
static int settle_own_again(struct draft *draft, size_t first)
{
	const char *name = opts_at(draft->opts, first).name;
	ssize_t at;
	int rc = 0;

	while (!rc && (at = opts_find(draft->opts, name)) > (ssize_t)first)
		rc = draft_remove(draft, (size_t)at, "repeats an earlier option");
	return rc;
}

int settle_own(struct draft *draft)
{
	struct policy *policy = &draft->plan->policy;
	size_t i = 0, j;
	int key, rc;

	while (i < opts_count(draft->opts)) {
		struct opt opt = opts_at(draft->opts, i), other;

		if (strncmp(opt.name, OWN_PREFIX, strlen(OWN_PREFIX))) {
			i++;
			continue;
		}
		/* A second one with another value contradicts it. */
		for (j = i + 1; j < opts_count(draft->opts); j++) {
			other = opts_at(draft->opts, j);
			if (!strcmp(other.name, opt.name) && strcmp(other.value, opt.value))
				return settle_contradict(&opt, &other, opt.name);
		}
		key = known_word(policy_keys, opt.name + strlen(OWN_PREFIX));
		rc = policy_set(policy, (enum policy_key)key, opt.value, "mount option");
		if (rc)
			return err_context(rc, "%s=", opt.name);
		if (key == KEY_POLICY)
			policy->scope = POLICY_OF_MOUNT;
		if (draft->keep_own)
			rc = settle_own_again(draft, i++);
		else
			rc = draft_remove(draft, i,
					  "mount.nfsrdma uses it, and mount.nfs does not know it");
		if (rc)
			return rc;
	}
	return 0;
}

const char *settle_transport(const struct opt *opt, bool *six)
{
	static const char *const names[] = { "rdma", "tcp", "udp" };
	const char *answer = known_answer(opt);
	size_t i, len;

	if (strcmp(known_group(opt), GROUP_TRANSPORT))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		len = strlen(names[i]);
		*six = !strcmp(answer + strnlen(answer, len), "6");
		if (!strncmp(answer, names[i], len) && (*six || !answer[len]))
			return names[i];
	}
	return NULL;
}

/* One group, of which one option remains. */
struct settle_single {
	const char *group;
	const char *what;
	bool (*is_same)(const struct opt *a, const struct opt *b);
	const char *reason;
};

static bool settle_same_transport(const struct opt *a, const struct opt *b)
{
	bool six;

	return !strcmp(settle_transport(a, &six), settle_transport(b, &six));
}

static bool settle_same_text(const struct opt *a, const struct opt *b)
{
	return !strcmp(known_answer(a), known_answer(b));
}

static bool settle_is_minor(const struct opt *opt)
{
	return !strcmp(opt->name, "minorversion");
}

/* A minorversion= stands beside the others, and is checked later. */
static bool settle_same_version(const struct opt *a, const struct opt *b)
{
	int majors[2] = { 0, 0 }, minors[2] = { -1, -1 };

	known_version(a, &majors[0], &minors[0]);
	known_version(b, &majors[1], &minors[1]);
	return majors[0] == majors[1] && minors[0] == minors[1];
}

static const struct settle_single settle_singles[] = {
	{ GROUP_TRANSPORT, "transport", settle_same_transport, "repeats an earlier option" },
	{ GROUP_PORT, "port", settle_same_text, "repeats an earlier option" },
	{ GROUP_VERSION, "version of NFS", settle_same_version,
	  "repeats an earlier option, and mount.nfs accepts only one version option" },
};

/* Of the transports the one that also has the family is kept. */
static int settle_merge(struct draft *draft, const struct settle_single *single, size_t first,
			size_t i)
{
	struct opt a = opts_at(draft->opts, first), b = opts_at(draft->opts, i);
	bool six[2] = { false, false };
	int rc = 0;

	if (settle_is_minor(&a) != settle_is_minor(&b))
		return 0;
	if (settle_is_minor(&a) ? !settle_same_text(&a, &b) : !single->is_same(&a, &b))
		return settle_contradict(&a, &b, single->what);
	if (settle_transport(&a, &six[0]) && settle_transport(&b, &six[1]) && six[1] && !six[0])
		rc = draft_replace(
			draft, first, b.name, b.value,
			"a later option sets the same transport with the address family");
	return rc ? rc : draft_remove(draft, i, "%s", single->reason);
}

static int settle_group(struct draft *draft, const struct settle_single *single)
{
	size_t i, j, before;
	int rc = 0;

	for (i = 0; !rc && i < opts_count(draft->opts); i++) {
		struct opt opt = opts_at(draft->opts, i);

		if (strcmp(known_group(&opt), single->group))
			continue;
		for (j = i + 1; !rc && j < opts_count(draft->opts);) {
			opt = opts_at(draft->opts, j);
			before = opts_count(draft->opts);
			if (!strcmp(known_group(&opt), single->group))
				rc = settle_merge(draft, single, i, j);
			j += opts_count(draft->opts) == before;
		}
	}
	return rc;
}

/* What is left of the version: at most one minorversion=, and one of the others. */
static int settle_minorversion(struct draft *draft)
{
	ssize_t minor = opts_find(draft->opts, "minorversion"), version = -1;
	int nfs_major = 0, nfs_minor = -1;
	struct opt opt, other;
	char vers[8];
	size_t i;

	if (minor < 0)
		return 0;
	opt = opts_at(draft->opts, (size_t)minor);
	for (i = 0; i < opts_count(draft->opts); i++) {
		other = opts_at(draft->opts, i);
		if (!strcmp(known_group(&other), GROUP_VERSION) && !settle_is_minor(&other) &&
		    known_version(&other, &nfs_major, &nfs_minor))
			version = (ssize_t)i;
	}
	snprintf(vers, sizeof(vers), "4.%.1s", opt.value);
	if (version < 0)
		return draft_replace(draft, (size_t)minor, "vers", vers,
				     "mount.nfs ignores minorversion= without vers=4");
	if (nfs_major == 4 && nfs_minor < 0)
		return 0;
	other = opts_at(draft->opts, (size_t)version);
	if (nfs_major != 4 || nfs_minor != opt.value[0] - '0')
		return settle_contradict(&other, &opt, "version of NFS");
	return draft_remove(draft, (size_t)minor, "the version option includes it");
}

void settle_version(const struct draft *draft, int *nfs_major, int *nfs_minor)
{
	ssize_t minor = opts_find(draft->opts, "minorversion");
	size_t i;

	*nfs_major = 0;
	*nfs_minor = -1;
	for (i = 0; i < opts_count(draft->opts); i++) {
		struct opt opt = opts_at(draft->opts, i);

		if (!strcmp(known_group(&opt), GROUP_VERSION) && !settle_is_minor(&opt))
			known_version(&opt, nfs_major, nfs_minor);
	}
	if (*nfs_major == 4 && minor >= 0)
		*nfs_minor = opts_at(draft->opts, (size_t)minor).value[0] - '0';
}

/* The nearest option of the same group before @index, or -1. */
static ssize_t settle_earlier(const struct draft *draft, size_t index)
{
	struct opt opt = opts_at(draft->opts, index);
	const struct known *row = known_find(opt.name);
	size_t i;

	/* Several of these may stand, or they do not matter here. */
	if (!row || row->mount8)
		return -1;
	for (i = index; i > 0; i--) {
		struct opt other = opts_at(draft->opts, i - 1);

		if (!strcmp(known_group(&other), known_group(&opt)))
			return (ssize_t)i - 1;
	}
	return -1;
}

/* "soft,hard,soft" stays: without its last word its meaning would change. */
static int settle_repeated(struct draft *draft)
{
	size_t i = 0;
	int rc = 0;

	while (!rc && i < opts_count(draft->opts)) {
		struct opt opt = opts_at(draft->opts, i), other;
		ssize_t at = settle_earlier(draft, i);

		other = at < 0 ? opt : opts_at(draft->opts, (size_t)at);
		if (at >= 0 && strcmp(known_group(&opt), GROUP_VERSION) &&
		    settle_same_text(&opt, &other))
			rc = draft_remove(draft, i, "repeats an earlier option");
		else
			i++;
	}
	return rc;
}

static int settle_warn_overruled(struct draft *draft)
{
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < opts_count(draft->opts); i++) {
		struct opt opt = opts_at(draft->opts, i), other;
		ssize_t at = settle_earlier(draft, i);

		if (at < 0 || opts_find_group(draft->opts, known_group(&opt)) != (ssize_t)i ||
		    !strcmp(known_group(&opt), GROUP_VERSION))
			continue;
		other = opts_at(draft->opts, (size_t)at);
		rc = draft_warn(draft,
				"'%.60s%s%.60s' and '%.60s%s%.60s' both given; the last applies",
				other.name, other.value ? "=" : "", other.value ? other.value : "",
				opt.name, opt.value ? "=" : "", opt.value ? opt.value : "");
	}
	return rc;
}

int settle_groups(struct draft *draft)
{
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < ARRAY_SIZE(settle_singles); i++)
		rc = settle_group(draft, &settle_singles[i]);
	rc = rc ? rc : settle_minorversion(draft);
	rc = rc ? rc : settle_repeated(draft);
	return rc ? rc : settle_warn_overruled(draft);
}

int settle_added(struct opts **out, const char *options)
{
	_cleanup_(plan_free_p) struct plan *plan = calloc(1, sizeof(*plan));
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	struct draft draft = { .plan = plan };
	const char *transport;
	size_t i;
	bool six;
	int rc;

	if (!plan)
		return err_no_memory();
	rc = opts_parse(&opts, options);
	draft.opts = opts;
	rc = rc ? rc : settle_values(&draft);
	rc = rc ? rc : settle_groups(&draft);
	if (rc)
		return rc;
	for (i = 0; i < opts_count(opts); i++) {
		struct opt opt = opts_at(opts, i);

		transport = settle_transport(&opt, &six);
		if (transport && strcmp(transport, "rdma"))
			return err_set(
				EINVAL,
				"'%.60s' is not allowed here; for plain NFS set policy = off",
				transport);
		if (!strncmp(opt.name, OWN_PREFIX, strlen(OWN_PREFIX)))
			return err_set(EINVAL,
				       "'%.60s' is a mount option; in this file use %s =", opt.name,
				       opt.name + strlen(OWN_PREFIX));
		if (!strcmp(opt.name, "remount"))
			return err_set(EINVAL, "'remount' cannot be an option of every mount");
	}
	*out = take_ptr(opts);
	return 0;
}
