/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mount from beginning to end, in mount_run(): prepare, note that it was requested, check,
 * decide, mount and prove, report. All but the first are repeated within the time of retry= if the
 * failure can be temporary. With the policy prefer an attempt over TCP may follow. */
#include <stdio.h>

#include "mount-helper/internal.h"

/* The last attempt that mount.nfs starts within the time of retry=; the kernel gives up after three
 * minutes. */
#define ATTEMPT_MS (180 * 1000)
/* Hosts load the drivers of their adapters while they boot. */
#define DEVICE_MS (30 * 1000)
/* Between two rounds of checks, as between two attempts of mount.nfs; shorter for a device, which
 * is only read. */
#define PAUSE_MS        10000
#define PAUSE_DEVICE_MS 1000

static bool mount_can_hide(const struct helper *helper)
{
	/* Options that libmount keeps in /run/mount/utab. Newer versions look them up by the mount
	 * ID, which changes when the mount is moved into place. */
	static const char *const utab[] = {
		"user", "users", "owner", "group", "helper", "uhelper"
	};
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	const struct plan *plan = helper->plan;
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
	return hidden_hears_umounts(helper->host);
}

/* One attempt, over RDMA or, once that was given up, over TCP. */
static void mount_attempt(struct helper *helper, struct mounter_result *result)
{
	const struct plan *plan = helper->plan;
	bool required = plan->policy.mode == POLICY_REQUIRE;
	unsigned int left = ((unsigned int)deadline_left(helper->until) + 59999) / 60000;
	_cleanup_free_ char *later = NULL, *foreground = NULL;
	struct mounter_request request = { .options = plan->options, .keep = !required };

	/* mount.nfs is called again with the remaining minutes. */
	if (helper->gave_up)
		request.options = plan->tcp_options;
	else if (left < helper->minutes)
		later = retry_options(plan->options, left);
	if (later)
		request.options = later;
	request.hidden = mount_can_hide(helper);
	request.deadline = deadline_in(deadline_left(helper->until) + ATTEMPT_MS);
	/* Background=true in nfsmount.conf adds "bg" to a mount with neither bg nor fg, and then
	 * mount.nfs exits with 0 and nothing mounted. So a mount that must be proven gets "fg". */
	if (required && !plan->remount) {
		if (asprintf(&foreground, "%s,fg", request.options) < 0)
			foreground = NULL;
		else
			request.options = foreground;
	}
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

/* @result: of the last attempt over RDMA, if there was one. */
static void mount_give_up_rdma(struct helper *helper, const struct mounter_result *result)
{
	bool known = helper->checks.result != CHECKS_ALLOW;
	const char *detail = known ? result->text : "";

	message_send(helper, JOURNAL_WARNING, "%s: no RDMA, so TCP is tried: %s%s%s",
		     message_mount(helper), known ? helper->checks.reason.summary : result->text,
		     detail[0] ? ": " : "", detail);
	helper->gave_up = true;
	helper->waiting.what[0] = '\0';
	helper->until = deadline_in(helper->minutes * 60000);
}

static enum retry_action mount_decide(const struct helper *helper)
{
	const struct plan *plan = helper->plan;
	const struct retry_state at = {
		.once = helper->once,
		.reads = plan->policy.check == POLICY_CHECK_READ,
		.tcp = plan->tcp_options,
		.device_time_left = now_ms() < helper->start_ms + DEVICE_MS,
		.time_left = deadline_left(helper->until),
	};

	/* A remount cannot change its transport. */
	if (plan->policy.mode == POLICY_PREFER && !at.tcp)
		return RETRY_MOUNT;
	return retry_decide(helper->checks.result, &at);
}

/* After an attempt over RDMA. RETRY_MOUNT: it counts, good or bad. mount.nfs itself retries
 * timeouts and refusals within retry=, but exits at once for other errors.
 * @before: the checks' result before it. A reason that is gone now may have been there when
 * mount.nfs failed: that failure does not count. */
static enum retry_action mount_decide_again(struct helper *helper,
					    const struct mounter_result *result,
					    enum checks_result before)
{
	bool failed = result->end == MOUNTER_FAILED;
	int rc;

	if ((!failed && result->end != MOUNTER_TIMEOUT) || helper->args.fake)
		return RETRY_MOUNT;
	rc = mount_checks_after(helper);
	if (helper->plan->tcp_options)
		return RETRY_TCP;
	if (rc || !failed || result->status != HELPER_FAILED || helper->once ||
	    (helper->checks.result == CHECKS_ALLOW && before == CHECKS_ALLOW) ||
	    mount_decide(helper) == RETRY_REFUSE || !deadline_left(helper->until))
		return RETRY_MOUNT;
	return RETRY_WAIT;
}

/* Once for each reason. */
static void mount_report_wait(struct helper *helper, char reported[FINDING_SUMMARY_MAX])
{
	const char *why = helper->checks.reason.summary;
	char until[80];

	text_copy(helper->waiting.what, sizeof(helper->waiting.what),
		  helper->checks.result == CHECKS_ALLOW ? "" : why);
	if (helper->checks.result == CHECKS_ALLOW || helper->once || !strcmp(reported, why))
		return;
	text_copy(reported, FINDING_SUMMARY_MAX, why);
	if (helper->checks.result == CHECKS_DEVICE)
		snprintf(until, sizeof(until), "waiting for one until %d s after the mount started",
			 DEVICE_MS / 1000);
	else
		snprintf(until, sizeof(until), "retrying for %d s (retry=)",
			 deadline_left(helper->until) / 1000);
	message_send(helper, JOURNAL_WARNING, "%s is not mounted yet: %s; %s",
		     message_mount(helper), why, until);
}

/* With the policy off: mount.nfs alone. What was requested there before is over. */
static int mount_plain(struct helper *helper)
{
	int rc;

	if (helper->requests >= 0 && !helper->args.fake)
		request_forget(helper->requests, helper->dir);
	rc = mounter_exec(helper);
	message_send(helper, JOURNAL_FAILED, "%s is not mounted: %s", message_mount(helper),
		     err_text());
	return rc ? HELPER_FAILED : HELPER_OK;
}

/* By a signal that came while this process did not look. */
static bool mount_is_interrupted(struct helper *helper)
{
	return helper->waiting.signal ||
	       waiting_for(&helper->waiting, -1, deadline_in(1)) == WAIT_SIGNAL;
}

int mount_run(struct helper *helper)
{
	struct mounter_result result = { .status = -1 };
	char reported[FINDING_SUMMARY_MAX] = "";
	enum checks_result before;
	enum retry_action action;
	unsigned int pause;
	int status, rc;

	helper->start_ms = now_ms();
	helper->waiting.since_ms = helper->start_ms;
	status = prepare_mount(helper);
	if (status)
		return status;
	if (!helper->plan->wants_rdma)
		return mount_plain(helper);

	rc = mount_is_interrupted(helper) ? 0 : mount_checks_before(helper, false);
	/* The connection manager repeats a lost request after four seconds. */
	if (!rc && helper->checks.result == CHECKS_SILENT && helper->once &&
	    deadline_left(helper->deadline))
		rc = mount_checks_before(helper, true);
	if (mount_is_interrupted(helper))
		return outcome_interrupted(helper);
	while (!rc) {
		action = mount_decide(helper);
		if (action == RETRY_REFUSE)
			return outcome_refused(helper);
		if (action != RETRY_TCP)
			mount_report_wait(helper, reported);
		if (action == RETRY_MOUNT) {
			before = helper->checks.result;
			mount_attempt(helper, &result);
			action = mount_decide_again(helper, &result, before);
		}
		if (action == RETRY_TCP) {
			mount_give_up_rdma(helper, &result);
			mount_attempt(helper, &result);
		}
		/* The attempt has proven its mount, or undone it. */
		if (action != RETRY_WAIT)
			return outcome(helper, &result);
		mount_report_wait(helper, reported);
		pause = helper->checks.result == CHECKS_DEVICE ? PAUSE_DEVICE_MS : PAUSE_MS;
		if (waiting_for(&helper->waiting, -1, deadline_in(pause)) == WAIT_SIGNAL)
			return outcome_interrupted(helper);
		rc = mount_checks_before(helper, true);
	}
	message_send(helper, JOURNAL_FAILED, "%s is not mounted: %s", message_mount(helper),
		     err_text());
	outcome_forget(helper);
	return HELPER_SYSTEM;
}
