/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Everything before the first check: this host's policy, the plan, the server's addresses, the time
 * of retry=. An impossible mount ends here, with a message. */
#include <netinet/in.h>

#include "mount-helper/internal.h"
#include "rpcrdma/nfs/nfs.h"

/* For a resolver that does not answer; mount.nfs tries again. */
#define RESOLVE_MS 5000

static int prepare_refuse(struct helper *helper, enum helper_exit code)
{
	message_send(helper, JOURNAL_REFUSED, "%s is not mounted: %s", message_mount(helper),
		     err_text());
	waiting_erase(&helper->waiting);
	return code;
}

/* Makes the plan, and the target of the checks as it says. */
static int prepare_plan(struct helper *helper, enum ip_family family)
{
	const struct plan_request request = { .spec = helper->args.spec,
					      .options = helper->args.options,
					      .dir = helper->dir,
					      .policies = helper->policies,
					      .family = family };
	struct check_target *target = &helper->target;
	struct plan *plan;
	int rc;

	rc = plan_make(&plan, &request);
	if (rc)
		return rc;
	plan_free(helper->plan);
	helper->plan = plan;
	/* A remount keeps its connection. */
	if (plan->remount && plan->policy.check > POLICY_CHECK_FAST)
		plan->policy.check = POLICY_CHECK_FAST;
	target->server = plan->spec.host;
	target->export = plan->spec.path;
	target->port = plan->port ? plan->port : NFS_RDMA_PORT;
	/* Checks use the mount's port only. */
	target->has_port = true;
	target->roles = CHECK_CLIENT;
	target->nfs_version = (unsigned int)plan->nfs_major;
	target->nfs_minor = plan->nfs_minor > 0 ? (unsigned int)plan->nfs_minor : 0;
	return 0;
}

/* A name may have IPv6 addresses only, which the options of mount.nfs must say. mount.nfs reports a
 * name that does not resolve. */
static int prepare_resolve(struct helper *helper)
{
	bool named = helper->plan->spec.family == IP_UNKNOWN, ipv4 = false;
	struct check_target *target = &helper->target;
	unsigned int i, n = 0;
	sa_family_t family;
	int rc;

	waiting_busy(&helper->waiting, "resolving %.150s", target->server);
	remote_resolve(helper->host, target,
		       deadline_min(helper->deadline, deadline_in(RESOLVE_MS)));
	for (i = 0; i < target->naddresses; i++)
		ipv4 = ipv4 || target->addresses[i].addr.ss_family == AF_INET;
	if (named && target->naddresses && !ipv4) {
		rc = prepare_plan(helper, IP_V6);
		if (rc)
			return rc;
	}
	/* mount.nfs uses the first address of the family in its options. */
	family = strcmp(helper->plan->transport, "rdma6") ? AF_INET : AF_INET6;
	for (i = 0; i < target->naddresses; i++)
		if (target->addresses[i].addr.ss_family == family)
			target->addresses[n++] = target->addresses[i];
	target->naddresses = n;
	return 0;
}

int prepare_mount(struct helper *helper)
{
	const struct plan *plan;
	unsigned int i;

	if (host_open(&helper->host, NULL) || policy_open(&helper->policies, helper->host))
		return prepare_refuse(helper, HELPER_USAGE);
	if (helper->root && !helper->args.fake)
		helper->requests = request_open("/");
	if (request_boot(helper->host, helper->boot_id))
		helper->boot_id[0] = '\0';
	waiting_busy(&helper->waiting, "resolving the directory %.150s", helper->args.dir);
	if (dir_resolve(helper->host, helper->args.dir, helper->dir))
		return prepare_refuse(helper, HELPER_FAILED);
	if (prepare_plan(helper, IP_UNKNOWN))
		return prepare_refuse(helper, HELPER_USAGE);
	/* Whatever kills this process from here on, or however long it waits, a guest does not
	 * start on the directory below. */
	if (helper->plan->wants_rdma) {
		/* From here on a signal has to take the note back. */
		waiting_begin(&helper->waiting);
		outcome_pending(helper);
	}
	/* The deadline of everything before the first message. */
	helper->deadline = helper->start_ms + helper->plan->policy.deadline_ms;
	if (helper->plan->wants_rdma && prepare_resolve(helper)) {
		/* Its message first: the error is lost. */
		prepare_refuse(helper, HELPER_USAGE);
		outcome_forget(helper);
		return HELPER_USAGE;
	}
	plan = helper->plan;
	for (i = 0; i < plan->nwarnings; i++)
		message_send(helper, JOURNAL_WARNING, "%s: %s", message_mount(helper),
			     plan->warnings[i]);
	if (!helper->root && fstab_allows_user(helper->host, helper->dir))
		return prepare_refuse(helper, HELPER_USAGE);
	waiting_erase(&helper->waiting);
	debug(DEBUG_MOUNT, "%s: policy %s of %s, options %s", message_mount(helper),
	      policy_mode_name(plan->policy.mode), plan->policy.mode_from, plan->options);
	if (!plan->wants_rdma)
		return 0;
	helper->minutes = retry_minutes(helper->host, plan, helper->args.spec, helper->dir);
	helper->until = helper->start_ms + (uint64_t)helper->minutes * 60000;
	helper->waiting.until_ms = helper->until;
	/* mount.nfs does not retry with -f and for a remount, either. */
	helper->once = !helper->minutes || helper->args.fake || plan->remount;
	return 0;
}
