/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The options that a mount gets, and why: what the mount requests, what the policy says, and
 * what mount.nfs (2.6.2, utils/mount) and nfsmount.conf make of it.
 *
 * "proto=rdma,port=20049" is written in full. mount.nfs adds an option of nfsmount.conf unless
 * one of that name is there, and "rdma" and "proto" are two names: with "Proto=tcp" in the file,
 * "rdma" alone becomes "rdma,proto=tcp", and the last applies. "proto=rdma" means IPv4 to
 * mount.nfs, and "proto=rdma6" IPv6. */
#include <stdio.h>

#include "plugin/options/internal.h"
#include "rpcrdma/nfs/nfs.h"

/* mount(2) copies one page of options and silently drops the rest. mount.nfs adds the addresses
 * of both sides, and the version. */
#define KERNEL_TEXT_MAX (4096 - 1 - 256)

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	while (plan->nchanges) {
		struct plan_change *change = &plan->changes[--plan->nchanges];

		free(change->before);
		free(change->after);
		free(change->reason);
	}
	while (plan->nwarnings)
		free(plan->warnings[--plan->nwarnings]);
	free(plan->changes);
	free(plan->warnings);
	free(plan->options);
	free(plan->tcp_options);
	free(plan);
}

void plan_free_p(struct plan **plan)
{
	plan_free(*plan);
}

/* Adds the policy's options if the mount has none of their group; those about RDMA only for a
 * mount over RDMA. */
static int plan_append_absent(struct draft *draft, const char *text, const char *from,
			      const char *why)
{
	_cleanup_(opts_free_p) struct opts *more = NULL, *own = NULL;
	_cleanup_free_ char *before = NULL;
	int rc = settle_added(&more, text);
	size_t i;

	/* Of "nfsvers=4,minorversion=1" the second must not see the first. */
	rc = rc ? rc : opts_format(draft->opts, &before);
	rc = rc ? rc : opts_parse(&own, before);
	for (i = 0; !rc && i < opts_count(more); i++) {
		struct opt opt = opts_at(more, i);
		const char *group = known_group(&opt);

		if (opts_find_group(own, group) >= 0)
			continue;
		if (!draft->plan->wants_rdma &&
		    (!strcmp(group, GROUP_TRANSPORT) || !strcmp(group, GROUP_PORT)))
			continue;
		rc = draft_insert(draft, opts_count(draft->opts), opt.name, opt.value,
				  "%s adds it%s", from, why);
	}
	return rc;
}

static int plan_append_policy(struct draft *draft)
{
	struct plan *plan = draft->plan;
	int rc = 0;

	if (plan->policy.options)
		rc = plan_append_absent(draft, plan->policy.options, plan->policy.options_from, "");
	settle_version(draft, &plan->nfs_major, &plan->nfs_minor);
	if (rc || !plan->policy.options_v3 || plan->nfs_major == 4)
		return rc;
	return plan_append_absent(draft, plan->policy.options_v3, plan->policy.options_v3_from,
				  plan->nfs_major ? " with NFSv3"
						  : ", because mount.nfs may fall back to NFSv3");
}

/* What the options say of the transport, compared with the policy. */
static int plan_judge_transport(struct draft *draft)
{
	ssize_t at = opts_find_group(draft->opts, GROUP_TRANSPORT);
	struct plan *plan = draft->plan;
	bool six, off = plan->policy.mode == POLICY_OFF;
	const char *transport;
	struct opt opt;

	plan->wants_rdma = !off;
	if (at < 0)
		return 0;
	opt = opts_at(draft->opts, (size_t)at);
	transport = settle_transport(&opt, &six);

	snprintf(plan->transport, sizeof(plan->transport), "%s%s", transport, six ? "6" : "");
	if (!strcmp(transport, "rdma"))
		return off ? draft_warn(
				     draft,
				     "the options request RDMA, but the policy is off (%s): nothing is checked or proven",
				     plan->policy.mode_from)
			   : 0;
	plan->wants_rdma = false;
	if (off)
		return 0;
	if (plan->policy.mode == POLICY_PREFER)
		return draft_warn(draft, "the options request %s: this mount does not use RDMA",
				  plan->transport);
	return err_set(
		EINVAL,
		"the options request %s, but the policy is require (%s): remove the option, or set nfsrdma.policy=prefer",
		plan->transport, plan->policy.mode_from);
}

/* "rdma" or "rdma6", by the address of the server. */
static int plan_choose_family(struct draft *draft, bool asked_six)
{
	if (asked_six && draft->family == IP_V4)
		return err_because(
			err_set(EINVAL,
				"proto=rdma6 is for IPv6, and the address of %.80s is IPv4: write proto=rdma",
				draft->plan->spec.host),
			"ipv4");
	str_copy(draft->plan->transport, sizeof(draft->plan->transport),
		 asked_six || draft->family == IP_V6 ? "rdma6" : "rdma");
	return 0;
}

/* A remount keeps its transport, and the kernel refuses it if the port or a timeout differs from
 * the mount's: nothing is added to it. */
static int plan_write_transport(struct draft *draft)
{
	ssize_t at = opts_find_group(draft->opts, GROUP_TRANSPORT);
	struct plan *plan = draft->plan;
	struct opt opt;
	bool six = false;
	int rc;

	if (!plan->wants_rdma || (at < 0 && plan->remount))
		return 0;
	if (at < 0) {
		rc = plan_choose_family(draft, false);
		return rc ? rc
			  : draft_insert(draft, opts_count(draft->opts), "proto", plan->transport,
					 "the policy is %s (%s)",
					 policy_mode_name(plan->policy.mode),
					 plan->policy.mode_from);
	}
	opt = opts_at(draft->opts, (size_t)at);
	settle_transport(&opt, &six);
	rc = plan_choose_family(draft, six);
	if (rc || (opt.value && !strcmp(opt.value, plan->transport)))
		return rc;
	if (!six && !strcmp(plan->transport, "rdma6"))
		return draft_replace(
			draft, (size_t)at, "proto", plan->transport,
			"the server has an IPv6 address, and mount.nfs uses only IPv4 with %s%s%s",
			opt.name, opt.value ? "=" : "", opt.value ? opt.value : "");
	return draft_replace(draft, (size_t)at, "proto", plan->transport,
			     "Proto= in nfsmount.conf would override the bare word");
}

static int plan_write_port(struct draft *draft)
{
	ssize_t transport = opts_find_group(draft->opts, GROUP_TRANSPORT), at;
	struct plan *plan = draft->plan;
	uint32_t port = 0;
	struct opt opt;
	int rc;

	if (plan->wants_rdma && !plan->remount && opts_find(draft->opts, "port") < 0) {
		rc = draft_insert(
			draft, (size_t)transport + 1, "port", NFS_RDMA_PORT_TEXT,
			"the NFS over RDMA port; otherwise Port= in nfsmount.conf applies");
		if (rc)
			return rc;
	}
	at = opts_find(draft->opts, "port");
	if (at < 0)
		return 0;
	opt = opts_at(draft->opts, (size_t)at);
	if (known_number(opt.value, 1, 65535, &port))
		plan->port = (uint16_t)port;
	if (plan->wants_rdma && !strcmp(opt.value, NFS_TCP_PORT_TEXT))
		return draft_warn(
			draft,
			"port=2049 is the NFS over TCP port; the NFS over RDMA port is 20049");
	return 0;
}

/* Refuses what RDMA excludes, or what contradicts the policy. */
static int plan_refuse_others(struct draft *draft)
{
	struct plan *plan = draft->plan;
	ssize_t secured = opts_find(draft->opts, "xprtsec"),
		bg = opts_find_group(draft->opts, "bg");
	struct opt opt;

	if (secured >= 0 && plan->wants_rdma) {
		opt = opts_at(draft->opts, (size_t)secured);
		if (strcmp(opt.value, "none"))
			return err_set(EINVAL,
				       "xprtsec=%s is for TCP: the kernel refuses it with RDMA",
				       opt.value);
	}
	opt = bg < 0 ? (struct opt){ "fg", NULL } : opts_at(draft->opts, (size_t)bg);
	plan->background = !strcmp(opt.name, "bg");
	if (!plan->background || plan->remount || plan->policy.mode == POLICY_OFF)
		return 0;
	if (plan->policy.mode == POLICY_PREFER)
		return draft_warn(
			draft,
			"bg: mount.nfs may exit with 0 before anything is mounted, and the later mount is not proven");
	return err_set(
		EINVAL,
		"bg contradicts the policy require (%s): mount.nfs would exit with 0 and mount nothing, and libvirt would take the root file system for the pool; remove bg, or set nfsrdma.policy=prefer",
		plan->policy.mode_from);
}

static int plan_format(struct draft *draft)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	struct plan *plan = draft->plan;
	int rc = opts_format(draft->opts, &plan->options);

	if (rc)
		return rc;
	if (strlen(plan->options) > KERNEL_TEXT_MAX)
		return err_set(
			E2BIG,
			"the options have %zu bytes; mount(2) takes one page and drops the rest, so the limit is %d",
			strlen(plan->options), KERNEL_TEXT_MAX);
	if (plan->policy.mode != POLICY_PREFER || !plan->wants_rdma || plan->remount)
		return 0;
	/* The same without RDMA: a port in the options was meant for RDMA. The other one is
	 * named too, because nfsmount.conf may have RDMA's for the server. */
	rc = opts_parse(&opts, plan->options);
	if (rc)
		return rc;
	rc = opts_replace(opts, (size_t)opts_find_group(opts, GROUP_TRANSPORT), "proto",
			  strcmp(plan->transport, "rdma6") ? "tcp" : "tcp6");
	if (rc)
		return rc;
	rc = opts_replace(opts, (size_t)opts_find(opts, "port"), "port", NFS_TCP_PORT_TEXT);
	return rc ? rc : opts_format(opts, &plan->tcp_options);
}

int plan_make(struct plan **out, const struct plan_request *request)
{
	_cleanup_(plan_free_p) struct plan *plan = calloc(1, sizeof(*plan));
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	struct draft draft = { .plan = plan, .keep_own = request->keep_own };
	unsigned int n;
	int rc;

	if (!plan)
		return err_no_memory();
	rc = spec_parse(request->spec, &plan->spec);
	if (!rc)
		rc = opts_parse(&opts, request->options);
	if (rc)
		return rc;
	draft.opts = opts;
	draft.family = plan->spec.family != IP_UNKNOWN ? plan->spec.family : request->family;
	policy_get(request->policies, &plan->spec, request->dir, &plan->policy);
	n = opts_trimmed(opts);
	if (n)
		rc = draft_warn(&draft,
				"blanks around %u option%s dropped: the kernel would not know %s",
				n, n == 1 ? " are" : "s are", n == 1 ? "it" : "them");
	rc = rc ? rc : settle_values(&draft);
	rc = rc ? rc : settle_own(&draft);
	rc = rc ? rc : settle_groups(&draft);
	if (rc)
		return rc;
	plan->remount = opts_find(opts, "remount") >= 0;
	settle_version(&draft, &plan->nfs_major, &plan->nfs_minor);
	rc = plan_judge_transport(&draft);
	if (!rc && !plan->remount)
		rc = plan_append_policy(&draft);
	rc = rc ? rc : plan_write_transport(&draft);
	rc = rc ? rc : plan_write_port(&draft);
	rc = rc ? rc : plan_refuse_others(&draft);
	rc = rc ? rc : plan_format(&draft);
	if (rc)
		return rc;
	*out = take_ptr(plan);
	return 0;
}
