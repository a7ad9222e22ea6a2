/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mount from beginning to end: plan, checks, record, mount.nfs, proof, record. Under the policy
 * prefer a second attempt over TCP may follow. */
#include <stdio.h>
#include <time.h>

#include "mount-helper/internal.h"

/* mount.nfs ends by itself: "retry" minutes, two where nobody says, are over only after the attempt
 * that was begun before, which the kernel gives up after three more. */
#define RETRY_DEFAULT 2
#define RETRY_MAX     40000
#define ATTEMPT_MS    (180 * 1000)

static uint64_t deadline_of(const char *options)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	unsigned long minutes = RETRY_DEFAULT;
	ssize_t at = opts_parse(&opts, options) ? -1 : opts_find(opts, "retry");

	if (at >= 0 && opts_at(opts, (size_t)at).value)
		minutes = strtoul(opts_at(opts, (size_t)at).value, NULL, 10);
	minutes = minutes < RETRY_MAX ? minutes : RETRY_MAX;
	return deadline_in((unsigned int)minutes * 60000 + ATTEMPT_MS);
}

/* --- in the open, or hidden ------------------------------------------------------------------- */

/* Where the root's mounts are shared, as systemd makes them, an umount of the host is one in the
 * hidden namespace, too, so that nothing is kept busy. */
static bool root_is_shared(const struct host *host)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char *cursor, *line, *mark;
	bool shared = false;

	if (host_read(host, "proc/self/mountinfo", 16 * 1024 * 1024, &text))
		return false;
	for (cursor = text.text; (line = line_next(&cursor));) {
		mark = strstr(line, " - ");
		if (!mark || !strstr(line, " / / "))
			continue;
		*mark = '\0';
		shared = strstr(line, " shared:");
	}
	return shared;
}

/* What libmount has to remember of a mount in /run/mount/utab. Newer ones find that again by the
 * number of the mount, which is another one when it comes into place. */
static bool needs_utab(const char *options)
{
	static const char *const names[] = { "user",  "users",  "owner",
					     "group", "helper", "uhelper" };
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	size_t i;

	if (opts_parse(&opts, options))
		return true;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (opts_find(opts, names[i]) >= 0)
			return true;
	return false;
}

/* For locks of NFSv3 mount.nfs starts rpc.statd, which would stay in the hidden namespace and keep
 * it; systemd starts it elsewhere. */
static bool starts_statd(const struct helper *helper)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;

	if (helper->plan->nfs_major == 4 ||
	    !host_exists(helper->host, "run/systemd/system"))
		return false;
	return opts_parse(&opts, helper->plan->options) || opts_find(opts, "nolock") < 0;
}

static bool may_hide(const struct helper *helper)
{
	const struct plan *plan = helper->plan;

	return helper->root && !helper->args.fake && !plan->remount &&
	       !plan->background && !needs_utab(plan->options) && !starts_statd(helper) &&
	       root_is_shared(helper->host);
}

/* --- attempts ------------------------------------------------------------------------------------ */

/* Background=true in nfsmount.conf adds "bg" to a mount that does not say which, and then mount.nfs
 * ends well with nothing mounted: what has to be proven says it. NULL: as they are. */
static char *in_foreground(const struct plan *plan)
{
	char *options;

	if (plan->policy.mode != POLICY_REQUIRE || plan->remount ||
	    asprintf(&options, "%s,fg", plan->options) < 0)
		return NULL;
	return options;
}

static void attempt(struct helper *helper, const char *options, bool keep,
		    struct stage_result *result)
{
	_cleanup_free_ char *foreground = in_foreground(helper->plan);
	struct stage stage = {
		.host = helper->host,
		.program = helper->program,
		.spec = helper->args.spec,
		.dir = helper->dir,
		.options = foreground ? foreground : options,
		.args = &helper->args,
		.hidden = may_hide(helper),
		.keep = keep,
		.remount = helper->plan->remount,
		.deadline = deadline_of(options),
	};

	stage_run(&stage, result);
	if (result->end != STAGE_NOT_HIDDEN)
		return;
	stage.hidden = false;
	stage_run(&stage, result);
}

/* Ends after which TCP may be tried, and nothing is left of the first attempt. */
static bool may_try_tcp(const struct helper *helper, const struct stage_result *result)
{
	return helper->plan->tcp_options && !helper->args.fake &&
	       (result->end == STAGE_FAILED || result->end == STAGE_TIMEOUT);
}

static int try_tcp(struct helper *helper, const char *why)
{
	struct stage_result result;

	tell(helper, JOURNAL_WARNING, "%s: no RDMA, so TCP is tried: %s",
	     tell_mount(helper), why);
	helper->gave_up = true;
	attempt(helper, helper->plan->tcp_options, true, &result);
	return outcome(helper, &result);
}

static int mount_it(struct helper *helper, const struct look *before)
{
	bool keep = helper->plan->policy.mode != POLICY_REQUIRE;
	struct stage_result result;
	struct look look;

	if (before->failed && helper->plan->tcp_options)
		return try_tcp(helper, before->first.summary);
	attempt(helper, helper->plan->options, keep, &result);
	if (!may_try_tcp(helper, &result))
		return outcome(helper, &result);
	look_after(helper, &look);
	return try_tcp(helper, look.failed ? look.first.summary : result.text);
}

/* --- without RDMA ------------------------------------------------------------------------------- */

/* The policy is off: mount.nfs itself, and nothing of ours but that no old record is believed. */
static int mount_plain(struct helper *helper)
{
	const struct stage stage = {
		.host = helper->host,
		.program = helper->program,
		.spec = helper->args.spec,
		.dir = helper->dir,
		.options = helper->plan->options,
		.args = &helper->args,
		.deadline = deadline_of(helper->plan->options),
	};
	int rc;

	if (helper->records >= 0 && !helper->args.fake)
		record_forget(helper->records, helper->dir);
	rc = stage_exec(&stage);
	tell(helper, JOURNAL_FAILED, "%s is not mounted: %s", tell_mount(helper),
	     err_text());
	return rc ? HELPER_FAILED : HELPER_OK;
}

static int refuse(struct helper *helper, const struct look *look)
{
	tell(helper, JOURNAL_REFUSED,
	     "%s is not mounted: %s; what to do: nfsrdma explain %s", tell_mount(helper),
	     look->first.summary, look->first.id);
	return HELPER_FAILED;
}

int run_mount(struct helper *helper)
{
	uint64_t start = now_ns();
	time_t started = time(NULL);
	struct look look;
	int rc = prepare(helper);

	if (rc)
		return rc;
	debug(DEBUG_MOUNT, "%s: policy %s of %s, options %s", tell_mount(helper),
	      policy_mode_name(helper->plan->policy.mode), helper->plan->policy.mode_from,
	      helper->plan->options);
	helper->report = report_new(helper->name);
	if (!helper->report)
		return HELPER_SYSTEM;
	report_subject(helper->report, "server", helper->target.server);
	report_subject(helper->report, "export", helper->target.export);
	if (!helper->plan->wants_rdma)
		return mount_plain(helper);
	look_before(helper, helper->plan->policy.check, &look);
	report_times(helper->report, started, (double)(now_ns() - start) / 1e6);
	if (look.failed && helper->plan->policy.mode == POLICY_REQUIRE)
		return refuse(helper, &look);
	if (outcome_pending(helper)) {
		tell(helper, JOURNAL_WARNING, "%s: not recorded: %s", tell_mount(helper),
		     err_text());
		/* An old record would be of this mount, should it get the same number. */
		if (helper->records >= 0 && record_forget(helper->records, helper->dir))
			return HELPER_SYSTEM;
	}
	return mount_it(helper, &look);
}
