/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Everything before the first check: this host's policy, the plan, the server's addresses. An impossible
 * mount ends here, with a message. */
#include <netinet/in.h>
#include <stdio.h>

#include "mount-helper/internal.h"

/* For a resolver that does not answer; mount.nfs tries again. */
#define RESOLVE_MS 5000

static int refuse(struct helper *helper, enum helper_exit code)
{
	char why[ERR_TEXT_MAX];

	snprintf(why, sizeof(why), "%s", err_text());
	tell(helper, JOURNAL_REFUSED, "%s is not mounted: %s", tell_mount(helper), why);
	return code;
}

/* mount.nfs has no -N, and that namespace's mount.nfs and libraries would run as root, with the
 * options of this host's policy, which does not allow that. */
static int refuse_space(const struct args *args)
{
	return args->space
		       ? err_set(EINVAL,
				 "-N %.200s is not supported, because it would run that namespace's programs as root; use nsenter(1) if you trust them",
				 args->space)
		       : 0;
}

static int open_host(struct helper *helper)
{
	int rc = host_open(&helper->host, NULL);

	rc = rc ? rc : policy_open(&helper->policies, helper->host);
	if (rc)
		return rc;
	if (helper->root && !helper->args.fake)
		helper->records = record_open(RECORD_ROOT);
	if (record_boot_id(helper->host, helper->boot_id, sizeof(helper->boot_id)))
		helper->boot_id[0] = '\0';
	return 0;
}

static int make_plan(struct helper *helper, enum ip_family family)
{
	const struct plan_request request = { .spec = helper->args.spec,
					      .options = helper->args.options,
					      .dir = helper->dir,
					      .policies = helper->policies,
					      .family = family };

	plan_free(helper->plan);
	helper->plan = NULL;
	return plan_make(&helper->plan, &request);
}

static void set_target(struct helper *helper)
{
	const struct plan *plan = helper->plan;
	struct check_target *target = &helper->target;

	target->server = plan->spec.host;
	target->export = plan->spec.path;
	target->port = plan->port;
	/* Checks use the mount's port only. */
	target->has_port = true;
	target->roles = CHECK_CLIENT;
	target->nfs_version = (unsigned int)plan->nfs_major;
	target->nfs_minor = plan->nfs_minor > 0 ? (unsigned int)plan->nfs_minor : 0;
	if (!plan->port)
		target->port = 20049;
}

static enum ip_family family_of(const struct check_target *target)
{
	unsigned int i;

	for (i = 0; i < target->naddresses; i++)
		if (target->addresses[i].addr.ss_family == AF_INET)
			return IP_V4;
	return target->naddresses ? IP_V6 : IP_UNKNOWN;
}

/* mount.nfs uses the first address of the family in its options. */
static void keep_family(struct check_target *target, sa_family_t family)
{
	unsigned int i, n = 0;

	for (i = 0; i < target->naddresses; i++)
		if (target->addresses[i].addr.ss_family == family)
			target->addresses[n++] = target->addresses[i];
	target->naddresses = n;
}

/* A name may have IPv6 addresses only, which the options of mount.nfs must say. mount.nfs reports a
 * name that does not resolve. */
static int resolve(struct helper *helper)
{
	bool named = helper->plan->spec.family == IP_UNKNOWN;
	int rc;

	waiting_busy(&helper->waiting, "resolving %.150s", helper->target.server);
	remote_resolve(helper->host, &helper->target,
		       deadline_min(helper->deadline, deadline_in(RESOLVE_MS)));
	if (named && family_of(&helper->target) == IP_V6) {
		rc = make_plan(helper, IP_V6);
		if (rc)
			return rc;
		set_target(helper);
	}
	keep_family(&helper->target,
		    !strcmp(helper->plan->transport, "rdma6") ? AF_INET6 : AF_INET);
	return 0;
}

static void tell_warnings(struct helper *helper)
{
	unsigned int i;

	for (i = 0; i < helper->plan->nwarnings; i++)
		tell(helper, JOURNAL_WARNING, "%s: %s", tell_mount(helper),
		     helper->plan->warnings[i]);
}

static int plan_it(struct helper *helper)
{
	int rc = make_plan(helper, IP_UNKNOWN);

	if (rc)
		return rc;
	/* The deadline of everything before the first message. */
	helper->deadline = helper->start_ms + helper->plan->policy.deadline_ms;
	set_target(helper);
	if (helper->plan->wants_rdma)
		rc = resolve(helper);
	if (!rc)
		tell_warnings(helper);
	return rc;
}

int prepare(struct helper *helper)
{
	if (refuse_space(&helper->args) || open_host(helper))
		return refuse(helper, HELPER_USAGE);
	waiting_busy(&helper->waiting, "resolving the directory %.150s",
		     helper->args.dir);
	if (dir_resolve(helper->args.dir, helper->dir))
		return refuse(helper, HELPER_FAILED);
	if (plan_it(helper))
		return refuse(helper, HELPER_USAGE);
	if (!helper->root && fstab_allows_user(helper->host, helper->dir))
		return refuse(helper, HELPER_USAGE);
	return 0;
}
