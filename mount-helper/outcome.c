/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reports the outcome of an attempt: message, journal, what stays noted as requested, and exit
 * status. A table row for each possible end. */
#include <stdio.h>

#include "mount-helper/internal.h"
#include "plugin/kernel/quick.h"
#include "plugin/report/shell.h"

#define READ_TEST_MS 2000

/* What stays noted at the end of an attempt. */
enum outcome_note {
	NOTE_PENDING, /* nothing may be mounted yet, or any more */
	NOTE_NOTHING, /* nothing was mounted, and that is reported */
	NOTE_MOUNTED,
};

/* Of the policy only what the call says: what the files say may change while it is mounted. */
static void outcome_write_note(struct helper *helper, bool mounted, bool background)
{
	const struct policy *policy = &helper->plan->policy;
	const struct request request = { .mounted = mounted,
					 .background = background,
					 .at_ms = now_ms(),
					 .boot_id = helper->boot_id,
					 .policy = policy->scope == POLICY_OF_MOUNT
							   ? policy_mode_name(policy->mode)
							   : REQUEST_POLICY_FILES,
					 .source = helper->args.spec,
					 .target = helper->dir };
	int rc = helper->requests < 0 ? err_set(ENOENT, "there is no directory for it")
				      : request_write(helper->requests, helper->lock, &request);

	debug(DEBUG_MOUNT, "%s: noted as %s: %s", message_mount(helper),
	      mounted      ? "mounted"
	      : background ? "background"
			   : "pending",
	      rc ? err_text() : "written");
	if (rc)
		message_send(helper, JOURNAL_WARNING, "%s: cannot note what was requested: %s",
			     message_mount(helper), err_text());
}

void outcome_pending(struct helper *helper)
{
	/* A remount changes a mount that is there. */
	if (helper->args.fake || !helper->root || helper->plan->remount)
		return;
	if (helper->requests >= 0) {
		helper->lock = request_begin(helper->requests, helper->dir);
		if (request_read(helper->host, helper->dir, &helper->before))
			err_clear();
	}
	outcome_write_note(helper, false, false);
}

void outcome_forget(struct helper *helper)
{
	if (!helper->args.fake && helper->requests >= 0 && !helper->plan->remount)
		request_end(helper->host, helper->requests, helper->lock, helper->dir,
			    &helper->before);
}

/* Names the other mount whose connection is shared, if that is the cause. */
static const char *outcome_cause(const struct helper *helper, const struct proof *proof)
{
	static char text[640];

	if (helper->gave_up)
		snprintf(text, sizeof(text), "; RDMA failed");
	else if (proof->other[0])
		snprintf(
			text, sizeof(text),
			"; %.250s is mounted from the same server over %s with the same version, %s, and the kernel shares its connection: unmount it first, or set another vers= for one of them",
			proof->other, proof->mount.proto, proof->mount.vers);
	else
		snprintf(text, sizeof(text),
			 "; run 'nfsrdma check' to see whether nfsmount.conf sets a protocol");
	return text;
}

/* --- a row each
 * --------------------------------------------------------------------------------- */

static int outcome_report_mounted(struct helper *helper, const struct mounter_result *result)
{
	const struct policy *policy = &helper->plan->policy;
	const struct proof *proof = &result->proof;

	if (proof->rdma)
		message_send(helper, JOURNAL_PROVEN, "%s: mounted over RDMA (NFSv%s, %s, port %u)",
			     message_mount(helper), proof->mount.vers, proof->mount.proto,
			     proof->mount.port);
	else
		message_send(
			helper, JOURNAL_TCP,
			"WARNING: %s is NOT mounted over RDMA: %s; policy \"%s\" (%s) allows it%s",
			message_mount(helper), proof->why, policy_mode_name(policy->mode),
			policy->mode_from, outcome_cause(helper, proof));
	return HELPER_OK;
}

/* Another one mounted it, over TCP, and this call does not accept that. */
static bool outcome_is_not_ours(const struct helper *helper, const struct mounter_result *result)
{
	return result->end == MOUNTER_ALREADY && !result->proof.rdma &&
	       helper->plan->policy.mode == POLICY_REQUIRE;
}

static int outcome_report_already(struct helper *helper, const struct mounter_result *result)
{
	if (!outcome_is_not_ours(helper, result))
		return outcome_report_mounted(helper, result);
	message_send(helper, JOURNAL_FAILED, "%s: the existing mount is not over RDMA: %s%s",
		     message_mount(helper), result->proof.why,
		     outcome_cause(helper, &result->proof));
	return HELPER_FAILED;
}

static int outcome_report_faked(struct helper *helper, const struct mounter_result *result)
{
	(void)helper, (void)result;
	return HELPER_OK;
}

static int outcome_report_undone(struct helper *helper, const struct mounter_result *result)
{
	message_send(
		helper, JOURNAL_UNDONE,
		"%s is not mounted: it was not over RDMA (%s), which policy \"%s\" (%s) forbids, and was unmounted again%s",
		message_mount(helper), result->proof.why,
		policy_mode_name(helper->plan->policy.mode), helper->plan->policy.mode_from,
		outcome_cause(helper, &result->proof));
	return HELPER_FAILED;
}

static int outcome_report_left(struct helper *helper, const struct mounter_result *result)
{
	message_send(helper, JOURNAL_FAILED,
		     "%s: an unproven mount may be left: %s; see it with findmnt, and unmount it",
		     message_mount(helper), result->text);
	return HELPER_FAILED;
}

static int outcome_report_nothing(struct helper *helper, const struct mounter_result *result)
{
	if (helper->plan->background) {
		message_send(
			helper, JOURNAL_UNPROVEN,
			"%s is not mounted yet: mount.nfs continues in the background (bg), and its mount will not be proven",
			message_mount(helper));
		return HELPER_OK;
	}
	message_send(helper, JOURNAL_FAILED, "%s is not mounted: %s", message_mount(helper),
		     result->text);
	return HELPER_FAILED;
}

static int outcome_exit_status(int status)
{
	/* The exit status of mount(8); 126 and others have another meaning. */
	static const int passed_on[] = { 1, 2, 4, 8, 16, 32, 64 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(passed_on); i++)
		if (status == passed_on[i])
			return status;
	return HELPER_FAILED;
}

/* The checks know nothing about an attempt over TCP. */
static bool outcome_knows_reason(const struct helper *helper)
{
	return helper->checks.result != CHECKS_ALLOW && !helper->gave_up;
}

/* " [fabric.listener/refused]. On the server, check whether nfsd listens: '...'.", or nothing. */
#define ADVICE_MAX (REPORT_NAME_MAX + REPORT_STEP_MAX + FINDING_ID_MAX + 64)

static const char *outcome_advice(const struct helper *helper, char buf[ADVICE_MAX])
{
	const struct finding *finding = &helper->checks.reason;
	char name[REPORT_NAME_MAX], step[REPORT_STEP_MAX];

	buf[0] = '\0';
	if (!outcome_knows_reason(helper))
		return buf;
	report_name(finding, name);
	report_first_step(helper->report, finding, step);
	if (*step)
		snprintf(buf, ADVICE_MAX, " [%s]. %s", name, step);
	else
		snprintf(buf, ADVICE_MAX, " [%s]. Run 'nfsrdma explain %s'.", name, name);
	return buf;
}

static int outcome_report_failed(struct helper *helper, const struct mounter_result *result)
{
	const char *text = result->text[0] ? result->text : "mount.nfs gave no reason";
	const struct mount_checks *checks = &helper->checks;
	char what[ADVICE_MAX];

	if (outcome_knows_reason(helper))
		message_send(helper, JOURNAL_FAILED, "%s is not mounted: %s (%s)%s",
			     message_mount(helper), checks->reason.summary, text,
			     outcome_advice(helper, what));
	else
		message_send(helper, JOURNAL_FAILED, "%s is not mounted%s: %s",
			     message_mount(helper),
			     helper->gave_up ? " over TCP either" : " and the checks find no cause",
			     text);
	return outcome_exit_status(result->status);
}

static int outcome_report_unmade(struct helper *helper, const struct mounter_result *result)
{
	message_send(helper, JOURNAL_FAILED, "%s is not mounted: %s", message_mount(helper),
		     result->text);
	return HELPER_FAILED;
}

/* ": no answer ... (12 s ago)", or nothing. The checks ran before mount.nfs ended. */
#define WHY_MAX (FINDING_SUMMARY_MAX + 64)

static const char *outcome_reason(const struct helper *helper, char buf[WHY_MAX])
{
	const struct mount_checks *checks = &helper->checks;

	buf[0] = '\0';
	if (outcome_knows_reason(helper))
		snprintf(buf, WHY_MAX, ": %s (%llu s ago)", checks->reason.summary,
			 (unsigned long long)(now_ms() - checks->at_ms) / 1000);
	return buf;
}

static int outcome_report_timeout(struct helper *helper, const struct mounter_result *result)
{
	char why[WHY_MAX], what[ADVICE_MAX];

	message_send(helper, JOURNAL_FAILED,
		     "%s is not mounted%s; mount.nfs timed out and was stopped%s%s%s",
		     message_mount(helper), outcome_reason(helper, why),
		     result->text[0] ? ": " : "", result->text, outcome_advice(helper, what));
	return HELPER_FAILED;
}

static int outcome_report_interrupted(struct helper *helper, const struct mounter_result *result)
{
	const char *name = sigabbrev_np(helper->waiting.signal);
	char why[WHY_MAX], what[ADVICE_MAX];

	message_send(helper, JOURNAL_FAILED,
		     "%s is not mounted%s; stopped by SIG%s after %llu s%s%s%s",
		     message_mount(helper), outcome_reason(helper, why), name ? name : "NAL",
		     (unsigned long long)(now_ms() - helper->start_ms) / 1000,
		     result->text[0] ? ": " : "", result->text, outcome_advice(helper, what));
	return HELPER_USER;
}

int outcome_refused(struct helper *helper)
{
	char what[ADVICE_MAX];

	outcome_forget(helper);
	message_send(helper, JOURNAL_REFUSED, "%s is not mounted: %s%s", message_mount(helper),
		     helper->checks.reason.summary, outcome_advice(helper, what));
	return HELPER_FAILED;
}

int outcome_interrupted(struct helper *helper)
{
	const struct mounter_result result = { .end = MOUNTER_INTERRUPTED, .status = -1 };

	return outcome(helper, &result);
}

static const struct {
	int (*report)(struct helper *helper, const struct mounter_result *result);
	enum outcome_note open, hidden;
} outcome_rows[] = {
	[MOUNTER_MOUNTED] = { outcome_report_mounted, NOTE_MOUNTED, NOTE_MOUNTED },
	[MOUNTER_ALREADY] = { outcome_report_already, NOTE_MOUNTED, NOTE_MOUNTED },
	[MOUNTER_FAKED] = { outcome_report_faked, NOTE_PENDING, NOTE_PENDING },
	[MOUNTER_UNDONE] = { outcome_report_undone, NOTE_NOTHING, NOTE_NOTHING },
	[MOUNTER_LEFT] = { outcome_report_left, NOTE_PENDING, NOTE_PENDING },
	/* In the background, mount.nfs still tries. */
	[MOUNTER_NOTHING] = { outcome_report_nothing, NOTE_PENDING, NOTE_NOTHING },
	[MOUNTER_FAILED] = { outcome_report_failed, NOTE_NOTHING, NOTE_NOTHING },
	[MOUNTER_UNMADE] = { outcome_report_unmade, NOTE_NOTHING, NOTE_NOTHING },
	/* The kernel may still complete the mount, and shows it then. */
	[MOUNTER_TIMEOUT] = { outcome_report_timeout, NOTE_NOTHING, NOTE_NOTHING },
	[MOUNTER_INTERRUPTED] = { outcome_report_interrupted, NOTE_NOTHING, NOTE_NOTHING },
	[MOUNTER_NOT_HIDDEN] = { outcome_report_unmade, NOTE_NOTHING, NOTE_NOTHING },
};

/* A mount can be over RDMA and not readable: kernels 3.7 to 3.14 lose every reply that is not
 * inline (bug.read-812). So a child reads 4096 bytes of a quiet file through the new mount, within
 * two seconds. The result is a warning at most: the mount stays, also if the read hangs. */
static void outcome_read_test(struct helper *helper, const struct proof *proof)
{
	static const uint32_t length = 4096;
	const struct kernel_quick_request request = { .target = helper->dir,
						      .dev = proof->mount.dev,
						      .path = "",
						      .lengths = &length,
						      .nlengths = 1,
						      .ms = READ_TEST_MS };
	struct kernel_quick read;

	kernel_quick_read(&request, &read);
	debug(DEBUG_MOUNT, "%s: %u READ of %u bytes, %u right%s", message_mount(helper), read.tried,
	      length, read.right, read.left ? "; it does not end" : "");
	if (read.smallest_lost)
		message_send(
			helper, JOURNAL_WARNING,
			"WARNING: %s is mounted over RDMA, but reading %u bytes from it fails with an input/output error [bug.read-812/lost]; run 'nfsrdma probe --mount %s' before you put guests' disks there",
			message_mount(helper), length, SHELL_WORD(helper->dir));
}

int outcome(struct helper *helper, const struct mounter_result *result)
{
	enum outcome_note note = result->hidden ? outcome_rows[result->end].hidden
						: outcome_rows[result->end].open;
	bool remount = helper->plan->remount;
	int status;

	if (note == NOTE_NOTHING || outcome_is_not_ours(helper, result) ||
	    (result->end == MOUNTER_NOTHING && !helper->plan->background))
		outcome_forget(helper);
	else if (note == NOTE_MOUNTED && result->proof.found && helper->requests >= 0 && !remount)
		outcome_write_note(helper, true, false);
	else if (result->end == MOUNTER_NOTHING && helper->requests >= 0 && !remount)
		outcome_write_note(helper, false, true);
	status = outcome_rows[result->end].report(helper, result);
	/* It is noted before the mount is accessed again. */
	if (result->end == MOUNTER_MOUNTED && result->proof.rdma && helper->root)
		outcome_read_test(helper, &result->proof);
	return status;
}
