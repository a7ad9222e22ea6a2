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

/* --- in the open, or hidden ------------------------------------------------------------------- */

/* If the root mount is shared, as under systemd, umounts propagate into the hidden namespace, and it keeps
 * nothing busy. */
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

/* Options that libmount keeps in /run/mount/utab. Newer versions look them up by the mount ID, which
 * changes when the mount is moved into place. */
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

/* For NFSv3 locks mount.nfs starts rpc.statd, which would stay in the hidden namespace and keep it alive;
 * systemd starts it outside. */
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

/* Background=true in nfsmount.conf adds "bg" to a mount with neither bg nor fg, and then mount.nfs
 * exits with 0 and nothing mounted. So a mount that must be proven gets "fg". NULL: unchanged. */
static char *in_foreground(const struct plan *plan, const char *given)
{
	char *options;

	if (plan->policy.mode != POLICY_REQUIRE || plan->remount ||
	    asprintf(&options, "%s,fg", given) < 0)
		return NULL;
	return options;
}

/* retry= with the remaining minutes, if mount.nfs is called again. */
static char *with_retry(const struct helper *helper, const char *options)
{
	unsigned int left = ((unsigned int)deadline_left(helper->until) + 59999) / 60000;

	return left < helper->minutes ? retry_options(options, left) : NULL;
}

static void attempt(struct helper *helper, const char *options, bool keep,
		    struct stage_result *result)
{
	_cleanup_free_ char *foreground = in_foreground(helper->plan, options);
	struct stage stage = {
		.host = helper->host,
		.program = helper->program,
		.spec = helper->args.spec,
		.dir = helper->dir,
		.options = foreground ? foreground : options,
		.args = &helper->args,
		.waiting = &helper->waiting,
		.hidden = may_hide(helper),
		.keep = keep,
		.remount = helper->plan->remount,
		.deadline = deadline_in(deadline_left(helper->until) + ATTEMPT_MS),
	};

	stage_run(&stage, result);
	if (result->end == STAGE_NOT_HIDDEN) {
		stage.hidden = false;
		stage_run(&stage, result);
	}
	waiting_erase(&helper->waiting);
	/* On a terminal mount.nfs gets the signal, too, and may exit before we see it. */
	if (helper->waiting.signal &&
	    (result->end == STAGE_FAILED || result->end == STAGE_TIMEOUT))
		result->end = STAGE_INTERRUPTED;
}

static int try_tcp(struct helper *helper, const char *why, const char *said)
{
	struct stage_result result;

	tell(helper, JOURNAL_WARNING, "%s: no RDMA, so TCP is tried: %s%s%s",
	     tell_mount(helper), why, said[0] ? ": " : "", said);
	helper->gave_up = true;
	helper->waiting.what[0] = '\0';
	helper->until = deadline_in(helper->minutes * 60000);
	attempt(helper, helper->plan->tcp_options, true, &result);
	return outcome(helper, &result);
}

/* Writes the pending record. False: an old one could be taken for this mount's. */
static bool record_it(struct helper *helper)
{
	if (!outcome_pending(helper))
		return true;
	tell(helper, JOURNAL_WARNING, "%s: cannot write the record: %s",
	     tell_mount(helper), err_text());
	/* An old record would match this mount if it gets the same mount ID. */
	if (helper->records < 0 || !record_forget(helper->records, helper->dir))
		return true;
	tell(helper, JOURNAL_FAILED,
	     "%s is not mounted: an old record in " RECORD_ROOT
	     " could be taken for this mount's and cannot be removed: %s",
	     tell_mount(helper), err_text());
	return false;
}

/* --- what a look means -------------------------------------------------------------------------- */

/* No retries: mount.nfs has none with -f and for a remount, either. */
static bool is_once(const struct helper *helper)
{
	return !helper->minutes || helper->args.fake || helper->plan->remount;
}

/* A remount keeps its connection. */
static enum policy_check level_of(const struct helper *helper)
{
	enum policy_check level = helper->plan->policy.check;

	return helper->plan->remount && level > POLICY_CHECK_FAST ? POLICY_CHECK_FAST
								  : level;
}

static enum course course(const struct helper *helper)
{
	const struct situation at = {
		.once = is_once(helper),
		.reads = level_of(helper) == POLICY_CHECK_READ,
		.tcp = helper->plan->tcp_options,
		.device_time_left = now_ms() < helper->start_ms + DEVICE_MS,
		.time_left = deadline_left(helper->until),
	};

	/* A remount cannot change its transport. */
	if (helper->plan->policy.mode == POLICY_PREFER && !at.tcp)
		return COURSE_TRY;
	return course_of(helper->look.says, &at);
}

/* Once for each reason. */
static void say_waiting(struct helper *helper, char said[FINDING_SUMMARY_MAX])
{
	const char *why = helper->look.reason.summary;
	char until[80];

	text_copy(helper->waiting.what, sizeof(helper->waiting.what),
		  helper->look.says == LOOK_NOTHING ? "" : why);
	if (helper->look.says == LOOK_NOTHING || is_once(helper) || !strcmp(said, why))
		return;
	text_copy(said, FINDING_SUMMARY_MAX, why);
	if (helper->look.says == LOOK_DEVICE)
		snprintf(until, sizeof(until),
			 "waiting for one until %d s after the mount started",
			 DEVICE_MS / 1000);
	else
		snprintf(until, sizeof(until), "retrying for %d s (retry=)",
			 deadline_left(helper->until) / 1000);
	tell(helper, JOURNAL_WARNING, "%s is not mounted yet: %s; %s", tell_mount(helper),
	     why, until);
}

/* Whether to call mount.nfs again: the failure can be temporary. mount.nfs itself retries timeouts
 * and refusals within retry=, but exits at once for other errors. */
static bool is_again(struct helper *helper, const struct stage_result *result)
{
	if (result->end != STAGE_FAILED && result->end != STAGE_TIMEOUT)
		return false;
	if (helper->args.fake || look_after(helper))
		return false;
	return result->end == STAGE_FAILED && result->status == HELPER_FAILED &&
	       !is_once(helper) && !helper->plan->tcp_options &&
	       helper->look.says != LOOK_NOTHING && course(helper) != COURSE_REFUSE &&
	       deadline_left(helper->until);
}

/* True: finished, with this exit status. */
static bool try_once(struct helper *helper, int *status)
{
	_cleanup_free_ char *options = with_retry(helper, helper->plan->options);
	bool keep = helper->plan->policy.mode != POLICY_REQUIRE;
	struct stage_result result;

	*status = HELPER_SYSTEM;
	if (!record_it(helper))
		return true;
	attempt(helper, options ? options : helper->plan->options, keep, &result);
	if (is_again(helper, &result)) {
		outcome_forget(helper);
		return false;
	}
	if (helper->plan->tcp_options && !helper->args.fake &&
	    (result.end == STAGE_FAILED || result.end == STAGE_TIMEOUT))
		*status = helper->look.says == LOOK_NOTHING
				  ? try_tcp(helper, result.text, "")
				  : try_tcp(helper, helper->look.reason.summary,
					    result.text);
	else
		*status = outcome(helper, &result);
	return true;
}

static int look_first(struct helper *helper)
{
	int rc = look_before(helper, level_of(helper), false);

	/* The connection manager repeats a lost request after four seconds. */
	if (!rc && helper->look.says == LOOK_SILENT && is_once(helper) &&
	    deadline_left(helper->deadline))
		rc = look_before(helper, level_of(helper), true);
	waiting_begin(&helper->waiting);
	return rc;
}

static int run_rdma(struct helper *helper)
{
	char said[FINDING_SUMMARY_MAX] = "";
	int status, rc = look_first(helper);
	unsigned int pause;

	while (!rc) {
		enum course next = course(helper);

		if (next == COURSE_REFUSE)
			return outcome_refused(helper);
		if (next == COURSE_TCP && record_it(helper))
			return try_tcp(helper, helper->look.reason.summary, "");
		if (next == COURSE_TCP)
			return HELPER_SYSTEM;
		say_waiting(helper, said);
		if (next == COURSE_TRY && try_once(helper, &status))
			return status;
		say_waiting(helper, said);
		pause = helper->look.says == LOOK_DEVICE ? PAUSE_DEVICE_MS : PAUSE_MS;
		if (waiting_for(&helper->waiting, -1, deadline_in(pause)) == WAIT_SIGNAL)
			return outcome_interrupted(helper);
		rc = look_before(helper, level_of(helper), true);
	}
	tell(helper, JOURNAL_FAILED, "%s is not mounted: %s", tell_mount(helper),
	     err_text());
	return HELPER_SYSTEM;
}

/* --- without RDMA ------------------------------------------------------------------------------- */

/* With the policy off: mount.nfs alone. Only an old record is removed. */
static int mount_plain(struct helper *helper)
{
	const struct stage stage = {
		.host = helper->host,
		.program = helper->program,
		.spec = helper->args.spec,
		.dir = helper->dir,
		.options = helper->plan->options,
		.args = &helper->args,
	};
	int rc;

	if (helper->records >= 0 && !helper->args.fake)
		record_forget(helper->records, helper->dir);
	rc = stage_exec(&stage);
	tell(helper, JOURNAL_FAILED, "%s is not mounted: %s", tell_mount(helper),
	     err_text());
	return rc ? HELPER_FAILED : HELPER_OK;
}

int run_mount(struct helper *helper)
{
	int rc;

	helper->start_ms = now_ms();
	helper->waiting.since_ms = helper->start_ms;
	rc = prepare(helper);
	waiting_erase(&helper->waiting);
	if (rc)
		return rc;
	debug(DEBUG_MOUNT, "%s: policy %s of %s, options %s", tell_mount(helper),
	      policy_mode_name(helper->plan->policy.mode), helper->plan->policy.mode_from,
	      helper->plan->options);
	if (!helper->plan->wants_rdma)
		return mount_plain(helper);
	helper->minutes = retry_minutes(helper->host, helper->plan, helper->args.spec,
					helper->dir);
	helper->until = helper->start_ms + (uint64_t)helper->minutes * 60000;
	helper->waiting.until_ms = helper->until;
	return run_rdma(helper);
}
