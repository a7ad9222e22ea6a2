/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mount from beginning to end: plan, checks, record, mount.nfs, proof, record. All but the plan
 * are repeated within the time of retry= if the failure can be temporary. With the policy prefer an
 * attempt over TCP may follow. */
#include <stdio.h>

#include "mount-helper/internal.h"

/* The last attempt that mount.nfs starts within the time of retry=; the kernel gives up after three
 * minutes. */
#define ATTEMPT_MS (180 * 1000)
/* Hosts load the drivers of their adapters while they boot. */
#define DEVICE_MS (30 * 1000)
/* Between two rounds of checks, as between two attempts of mount.nfs; shorter for a device, which is
 * only read. */
#define PAUSE_MS        10000
#define PAUSE_DEVICE_MS 1000

static bool mount_can_hide(const struct helper *helper)
{
	/* Options that libmount keeps in /run/mount/utab. Newer versions look them up by the mount
	 * ID, which changes when the mount is moved into place. */
	static const char *const utab[] = { "user",  "users",  "owner",
					    "group", "helper", "uhelper" };
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const struct plan *plan = helper->plan;
	char *cursor, *line, *mark;
	bool shared = false;
	size_t i;

	if (!helper->root || helper->args.fake || plan->remount || plan->background ||
	    opts_parse(&opts, plan->options))
		return false;
	for (i = 0; i < ARRAY_SIZE(utab); i++)
		if (opts_find(opts, utab[i]) >= 0)
			return false;
	/* For NFSv3 locks mount.nfs starts rpc.statd, which would stay in the hidden namespace and
	 * keep it alive; systemd starts it outside. */
	if (plan->nfs_major != 4 && host_exists(helper->host, "run/systemd/system") &&
	    opts_find(opts, "nolock") < 0)
		return false;
	/* If the root mount is shared, as under systemd, umounts propagate into the hidden
	 * namespace, and it keeps nothing busy. */
	if (host_read(helper->host, "proc/self/mountinfo", 16 * 1024 * 1024, &text))
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

static void mount_attempt(struct helper *helper, const char *options, bool keep,
			  struct mounter_result *result)
{
	_cleanup_free_ char *foreground = NULL;
	struct mounter_request request = {
		.options = options,
		.hidden = mount_can_hide(helper),
		.keep = keep,
		.deadline = deadline_in(deadline_left(helper->until) + ATTEMPT_MS),
	};

	/* Background=true in nfsmount.conf adds "bg" to a mount with neither bg nor fg, and then
	 * mount.nfs exits with 0 and nothing mounted. So a mount that must be proven gets "fg". */
	if (helper->plan->policy.mode == POLICY_REQUIRE && !helper->plan->remount &&
	    asprintf(&foreground, "%s,fg", options) >= 0)
		request.options = foreground;
	mounter_run(helper, &request, result);
	if (result->end == MOUNTER_NOT_HIDDEN) {
		request.hidden = false;
		mounter_run(helper, &request, result);
	}
	waiting_erase(&helper->waiting);
	/* On a terminal mount.nfs gets the signal, too, and may exit before we see it. */
	if (helper->waiting.signal &&
	    (result->end == MOUNTER_FAILED || result->end == MOUNTER_TIMEOUT))
		result->end = MOUNTER_INTERRUPTED;
}

static int mount_over_tcp(struct helper *helper, const char *why, const char *detail)
{
	struct mounter_result result;

	message_send(helper, JOURNAL_WARNING, "%s: no RDMA, so TCP is tried: %s%s%s",
		     message_mount(helper), why, detail[0] ? ": " : "", detail);
	helper->gave_up = true;
	helper->waiting.what[0] = '\0';
	helper->until = deadline_in(helper->minutes * 60000);
	mount_attempt(helper, helper->plan->tcp_options, true, &result);
	return outcome(helper, &result);
}

/* Writes the pending record. False: an old one could be taken for this mount's. */
static bool mount_record(struct helper *helper)
{
	if (!outcome_pending(helper))
		return true;
	message_send(helper, JOURNAL_WARNING, "%s: cannot write the record: %s",
		     message_mount(helper), err_text());
	/* An old record would match this mount if it gets the same mount ID. */
	if (helper->records < 0 || !record_forget(helper->records, helper->dir))
		return true;
	message_send(helper, JOURNAL_FAILED,
		     "%s is not mounted: an old record in " RECORD_ROOT
		     " could be taken for this mount's and cannot be removed: %s",
		     message_mount(helper), err_text());
	return false;
}

/* No retries: mount.nfs has none with -f and for a remount, either. */
static bool mount_is_once(const struct helper *helper)
{
	return !helper->minutes || helper->args.fake || helper->plan->remount;
}

/* A remount keeps its connection. */
static enum policy_check mount_check_level(const struct helper *helper)
{
	enum policy_check level = helper->plan->policy.check;

	return helper->plan->remount && level > POLICY_CHECK_FAST ? POLICY_CHECK_FAST
								  : level;
}

static enum retry_action mount_decide(const struct helper *helper)
{
	const struct retry_state at = {
		.once = mount_is_once(helper),
		.reads = mount_check_level(helper) == POLICY_CHECK_READ,
		.tcp = helper->plan->tcp_options,
		.device_time_left = now_ms() < helper->start_ms + DEVICE_MS,
		.time_left = deadline_left(helper->until),
	};

	/* A remount cannot change its transport. */
	if (helper->plan->policy.mode == POLICY_PREFER && !at.tcp)
		return RETRY_MOUNT;
	return retry_decide(helper->checks.result, &at);
}

/* Once for each reason. */
static void mount_report_wait(struct helper *helper, char reported[FINDING_SUMMARY_MAX])
{
	const char *why = helper->checks.reason.summary;
	char until[80];

	text_copy(helper->waiting.what, sizeof(helper->waiting.what),
		  helper->checks.result == CHECKS_ALLOW ? "" : why);
	if (helper->checks.result == CHECKS_ALLOW || mount_is_once(helper) ||
	    !strcmp(reported, why))
		return;
	text_copy(reported, FINDING_SUMMARY_MAX, why);
	if (helper->checks.result == CHECKS_DEVICE)
		snprintf(until, sizeof(until),
			 "waiting for one until %d s after the mount started",
			 DEVICE_MS / 1000);
	else
		snprintf(until, sizeof(until), "retrying for %d s (retry=)",
			 deadline_left(helper->until) / 1000);
	message_send(helper, JOURNAL_WARNING, "%s is not mounted yet: %s; %s",
		     message_mount(helper), why, until);
}

/* One attempt over RDMA, and over TCP where the policy allows it. False: to be retried, because the
 * failure can be temporary; mount.nfs itself retries timeouts and refusals within retry=, but exits
 * at once for other errors. */
static bool mount_try(struct helper *helper, int *status)
{
	const struct plan *plan = helper->plan;
	unsigned int left = ((unsigned int)deadline_left(helper->until) + 59999) / 60000;
	_cleanup_free_ char *options = NULL;
	struct mounter_result result;

	/* mount.nfs is called again with the remaining minutes. */
	if (left < helper->minutes)
		options = retry_options(plan->options, left);
	mount_attempt(helper, options ? options : plan->options,
		      plan->policy.mode != POLICY_REQUIRE, &result);
	if ((result.end != MOUNTER_FAILED && result.end != MOUNTER_TIMEOUT) ||
	    helper->args.fake) {
		*status = outcome(helper, &result);
		return true;
	}
	if (!mount_checks_after(helper) && result.end == MOUNTER_FAILED &&
	    result.status == HELPER_FAILED && !mount_is_once(helper) &&
	    !plan->tcp_options && helper->checks.result != CHECKS_ALLOW &&
	    mount_decide(helper) != RETRY_REFUSE && deadline_left(helper->until)) {
		outcome_forget(helper);
		return false;
	}
	if (!plan->tcp_options)
		*status = outcome(helper, &result);
	else if (helper->checks.result == CHECKS_ALLOW)
		*status = mount_over_tcp(helper, result.text, "");
	else
		*status = mount_over_tcp(helper, helper->checks.reason.summary,
					 result.text);
	return true;
}

static int mount_over_rdma(struct helper *helper)
{
	enum policy_check level = mount_check_level(helper);
	char reported[FINDING_SUMMARY_MAX] = "";
	int status, rc = mount_checks_before(helper, level, false);

	/* The connection manager repeats a lost request after four seconds. */
	if (!rc && helper->checks.result == CHECKS_SILENT && mount_is_once(helper) &&
	    deadline_left(helper->deadline))
		rc = mount_checks_before(helper, level, true);
	waiting_begin(&helper->waiting);
	while (!rc) {
		enum retry_action action = mount_decide(helper);
		unsigned int pause;

		if (action == RETRY_REFUSE)
			return outcome_refused(helper);
		if (action != RETRY_TCP)
			mount_report_wait(helper, reported);
		if (action != RETRY_WAIT && !mount_record(helper))
			return HELPER_SYSTEM;
		if (action == RETRY_TCP)
			return mount_over_tcp(helper, helper->checks.reason.summary, "");
		if (action == RETRY_MOUNT && mount_try(helper, &status))
			return status;
		mount_report_wait(helper, reported);
		pause = helper->checks.result == CHECKS_DEVICE ? PAUSE_DEVICE_MS
							       : PAUSE_MS;
		if (waiting_for(&helper->waiting, -1, deadline_in(pause)) == WAIT_SIGNAL)
			return outcome_interrupted(helper);
		rc = mount_checks_before(helper, level, true);
	}
	message_send(helper, JOURNAL_FAILED, "%s is not mounted: %s",
		     message_mount(helper), err_text());
	return HELPER_SYSTEM;
}

/* With the policy off: mount.nfs alone. Only an old record is removed. */
static int mount_plain(struct helper *helper)
{
	int rc;

	if (helper->records >= 0 && !helper->args.fake)
		record_forget(helper->records, helper->dir);
	rc = mounter_exec(helper);
	message_send(helper, JOURNAL_FAILED, "%s is not mounted: %s",
		     message_mount(helper), err_text());
	return rc ? HELPER_FAILED : HELPER_OK;
}

int mount_run(struct helper *helper)
{
	int rc;

	helper->start_ms = now_ms();
	helper->waiting.since_ms = helper->start_ms;
	rc = prepare_mount(helper);
	waiting_erase(&helper->waiting);
	if (rc)
		return rc;
	debug(DEBUG_MOUNT, "%s: policy %s of %s, options %s", message_mount(helper),
	      policy_mode_name(helper->plan->policy.mode), helper->plan->policy.mode_from,
	      helper->plan->options);
	if (!helper->plan->wants_rdma)
		return mount_plain(helper);
	helper->minutes = retry_minutes(helper->host, helper->plan, helper->args.spec,
					helper->dir);
	helper->until = helper->start_ms + (uint64_t)helper->minutes * 60000;
	helper->waiting.until_ms = helper->until;
	return mount_over_rdma(helper);
}
