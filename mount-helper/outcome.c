/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reports the outcome of an attempt: message, journal, record, and exit status. A table row for each
 * possible end. */
#include <stdio.h>

#include "mount-helper/internal.h"

/* What happens to the record at the end of an attempt. */
enum recording {
	RECORD_KEEP,   /* the pending one stays: the state of the mount is unknown */
	RECORD_REMOVE, /* nothing was mounted */
	RECORD_WRITE,  /* of the mount */
};

static void fill_record(const struct helper *helper, struct record *record)
{
	memset(record, 0, sizeof(*record));
	text_copy(record->target, sizeof(record->target), helper->dir);
	text_copy(record->fs_spec, sizeof(record->fs_spec), helper->args.spec);
	text_copy(record->boot_id, sizeof(record->boot_id), helper->boot_id);
	text_copy(record->wanted, sizeof(record->wanted),
		  helper->plan->wants_rdma ? "rdma" : helper->plan->transport);
	text_copy(record->policy, sizeof(record->policy),
		  policy_mode_name(helper->plan->policy.mode));
	text_copy(record->by, sizeof(record->by), helper->name);
	record->checked_ms = now_ms();
}

/* Removes records that an earlier mount left behind. The mounts of another namespace are unknown. */
static void tidy(struct helper *helper)
{
	_cleanup_(host_nfs_mounts_fini) struct nfs_mounts mounts = { .count = 0 };
	int rc = helper->args.space ? 0 : host_nfs_mounts(helper->host, &mounts);

	if (!helper->args.space && !rc)
		rc = record_tidy(helper->records, helper->dir, &mounts, now_ms());
	if (rc)
		debug(DEBUG_MOUNT, "%s: old records stay: %s", tell_mount(helper),
		      err_text());
}

int outcome_pending(struct helper *helper)
{
	struct record record;
	int rc;

	if (helper->args.fake || !helper->root)
		return 0;
	/* Without the directory there is no old record, either. */
	if (helper->records < 0)
		return err_set(EROFS, "there is no directory for records");
	tidy(helper);
	fill_record(helper, &record);
	record.state = RECORD_UNPROVEN;
	rc = record_write(helper->records, &record, helper->report);
	return rc;
}

static void write_record(struct helper *helper, const struct proof *proof)
{
	struct record record;
	int rc;

	if (helper->records < 0)
		return;
	fill_record(helper, &record);
	record.id = proof->id;
	text_copy(record.dev, sizeof(record.dev), proof->dev);
	text_copy(record.target, sizeof(record.target), proof->target);
	text_copy(record.fs_spec, sizeof(record.fs_spec), proof->fs_spec);
	text_copy(record.effective, sizeof(record.effective), proof->proto);
	record.state = proof->rdma ? RECORD_PROVEN : RECORD_TCP;
	rc = record_write(helper->records, &record, helper->report);
	rc = rc ? rc : record_remove(helper->records, 0, helper->dir);
	debug(DEBUG_MOUNT, "%s: record of mount %u, %s: %s", tell_mount(helper),
	      record.id, record_state_name(record.state), rc ? err_text() : "written");
	if (rc)
		tell(helper, JOURNAL_WARNING,
		     "%s: cannot record the proof, so the gates treat it as unproven: %s",
		     tell_mount(helper), err_text());
}

static void settle_record(struct helper *helper, enum recording how,
			  const struct proof *proof)
{
	if (helper->args.fake || helper->records < 0 || how == RECORD_KEEP)
		return;
	if (how == RECORD_WRITE && proof->found)
		write_record(helper, proof);
	else if (how == RECORD_REMOVE)
		record_remove(helper->records, 0, helper->dir);
}

/* The proof as a finding of the report. */
static void add_finding(struct helper *helper, const struct proof *proof)
{
	struct finding finding;
	char port[16];

	snprintf(port, sizeof(port), "%u", proof->port);
	report_subject(helper->report, "transport", proof->proto);
	report_subject(helper->report, "nfs_version", proof->vers);
	report_subject(helper->report, "port", port);

	finding_init(&finding, "mount.transport",
		     proof->rdma ? FINDING_PASS : FINDING_FAIL, "%s",
		     proof->rdma ? "mounted over RDMA" : proof->why);
	finding_text(&finding, "proto", "%s", proof->proto);
	finding_text(&finding, "vers", "%s", proof->vers);
	finding_number(&finding, "port", proof->port);
	if (proof->other[0])
		finding_text(&finding, "other_mount", "%s", proof->other);
	report_add(helper->report, &finding);
}

/* Names the other mount whose connection is shared, if that is the cause. */
static const char *because(const struct helper *helper, const struct proof *proof)
{
	static char text[640];

	if (helper->gave_up)
		snprintf(text, sizeof(text), "; RDMA failed");
	else if (proof->other[0])
		snprintf(
			text, sizeof(text),
			"; %.250s is mounted from the same server over %s with the same version, %s, and the kernel shares its connection: unmount it first, or set another vers= for one of them",
			proof->other, proof->proto, proof->vers);
	else
		snprintf(
			text, sizeof(text),
			"; run 'nfsrdma check' to see whether nfsmount.conf sets a protocol");
	return text;
}

/* --- a row each --------------------------------------------------------------------------------- */

static int say_proven(struct helper *helper, const struct stage_result *result)
{
	const struct proof *proof = &result->proof;

	tell(helper, JOURNAL_PROVEN, "%s: mounted over RDMA (NFSv%s, %s, port %u)",
	     tell_mount(helper), proof->vers, proof->proto, proof->port);
	return HELPER_OK;
}

static int say_tcp(struct helper *helper, const struct stage_result *result)
{
	const struct policy *policy = &helper->plan->policy;

	tell(helper, JOURNAL_TCP,
	     "WARNING: %s is NOT mounted over RDMA: %s; policy \"%s\" (%s) allows it%s",
	     tell_mount(helper), result->proof.why, policy_mode_name(policy->mode),
	     policy->mode_from, because(helper, &result->proof));
	return HELPER_OK;
}

static int say_mounted(struct helper *helper, const struct stage_result *result)
{
	return result->proof.rdma ? say_proven(helper, result) : say_tcp(helper, result);
}

static int say_already(struct helper *helper, const struct stage_result *result)
{
	if (result->proof.rdma || helper->plan->policy.mode != POLICY_REQUIRE)
		return say_mounted(helper, result);
	tell(helper, JOURNAL_FAILED, "%s: the existing mount is not over RDMA: %s%s",
	     tell_mount(helper), result->proof.why, because(helper, &result->proof));
	return HELPER_FAILED;
}

static int say_faked(struct helper *helper, const struct stage_result *result)
{
	(void)helper, (void)result;
	return HELPER_OK;
}

static int say_undone(struct helper *helper, const struct stage_result *result)
{
	tell(helper, JOURNAL_UNDONE,
	     "%s is not mounted: it was not over RDMA (%s), which policy \"%s\" (%s) forbids, and was unmounted again%s",
	     tell_mount(helper), result->proof.why,
	     policy_mode_name(helper->plan->policy.mode), helper->plan->policy.mode_from,
	     because(helper, &result->proof));
	return HELPER_FAILED;
}

static int say_left(struct helper *helper, const struct stage_result *result)
{
	tell(helper, JOURNAL_FAILED,
	     "%s: an unproven mount may be left: %s; see it with findmnt, and unmount it",
	     tell_mount(helper), result->text);
	return HELPER_FAILED;
}

static int say_nothing(struct helper *helper, const struct stage_result *result)
{
	if (helper->plan->background) {
		tell(helper, JOURNAL_UNPROVEN,
		     "%s is not mounted yet: mount.nfs continues in the background (bg), and its mount will not be proven",
		     tell_mount(helper));
		return HELPER_OK;
	}
	tell(helper, JOURNAL_FAILED, "%s is not mounted: %s", tell_mount(helper),
	     result->text);
	return HELPER_FAILED;
}

/* The last message of mount.nfs. */
static const char *words(const struct stage_result *result)
{
	return result->text[0] ? result->text : "mount.nfs gave no reason";
}

static int exit_of(int status)
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
static bool knows_reason(const struct helper *helper)
{
	return helper->look.says != LOOK_NOTHING && !helper->gave_up;
}

/* " [fabric.listener/refused]. On the server, see whether nfsd listens: '...'.", or nothing. */
#define ADVICE_MAX (REPORT_NAME_MAX + REPORT_STEP_MAX + FINDING_ID_MAX + 64)

static const char *advice(const struct helper *helper, char buf[ADVICE_MAX])
{
	const struct finding *finding = &helper->look.reason;
	char name[REPORT_NAME_MAX], step[REPORT_STEP_MAX];

	buf[0] = '\0';
	if (!knows_reason(helper))
		return buf;
	report_name(finding, name);
	report_first_step(helper->report, finding, step);
	if (*step)
		snprintf(buf, ADVICE_MAX, " [%s]. %s", name, step);
	else
		snprintf(buf, ADVICE_MAX, " [%s]. Run 'nfsrdma explain %s'.", name, name);
	return buf;
}

static int say_failed(struct helper *helper, const struct stage_result *result)
{
	const struct look *look = &helper->look;
	char what[ADVICE_MAX];

	if (knows_reason(helper))
		tell(helper, JOURNAL_FAILED, "%s is not mounted: %s (%s)%s",
		     tell_mount(helper), look->reason.summary, words(result),
		     advice(helper, what));
	else
		tell(helper, JOURNAL_FAILED, "%s is not mounted%s: %s",
		     tell_mount(helper),
		     helper->gave_up ? " over TCP either"
				     : " and the checks find no cause",
		     words(result));
	return exit_of(result->status);
}

static int say_unmade(struct helper *helper, const struct stage_result *result)
{
	tell(helper, JOURNAL_FAILED, "%s is not mounted: %s", tell_mount(helper),
	     result->text);
	return HELPER_FAILED;
}

/* ": no answer ... (12 s ago)", or nothing. The checks ran before mount.nfs ended. */
#define WHY_MAX (FINDING_SUMMARY_MAX + 64)

static const char *reason(const struct helper *helper, char buf[WHY_MAX])
{
	const struct look *look = &helper->look;

	buf[0] = '\0';
	if (knows_reason(helper))
		snprintf(buf, WHY_MAX, ": %s (%llu s ago)", look->reason.summary,
			 (unsigned long long)(now_ms() - look->at_ms) / 1000);
	return buf;
}

static int say_timeout(struct helper *helper, const struct stage_result *result)
{
	char why[WHY_MAX], what[ADVICE_MAX];

	tell(helper, JOURNAL_FAILED,
	     "%s is not mounted%s; mount.nfs timed out and was stopped%s%s%s",
	     tell_mount(helper), reason(helper, why), result->text[0] ? ": " : "",
	     result->text, advice(helper, what));
	return HELPER_FAILED;
}

static int say_interrupted(struct helper *helper, const struct stage_result *result)
{
	const char *name = sigabbrev_np(helper->waiting.signal);
	char why[WHY_MAX], what[ADVICE_MAX];

	tell(helper, JOURNAL_FAILED,
	     "%s is not mounted%s; stopped by SIG%s after %llu s%s%s%s",
	     tell_mount(helper), reason(helper, why), name ? name : "NAL",
	     (unsigned long long)(now_ms() - helper->start_ms) / 1000,
	     result->text[0] ? ": " : "", result->text, advice(helper, what));
	return HELPER_USER;
}

int outcome_refused(struct helper *helper)
{
	char what[ADVICE_MAX];

	tell(helper, JOURNAL_REFUSED, "%s is not mounted: %s%s", tell_mount(helper),
	     helper->look.reason.summary, advice(helper, what));
	return HELPER_FAILED;
}

int outcome_interrupted(struct helper *helper)
{
	const struct stage_result result = { .end = STAGE_INTERRUPTED, .status = -1 };

	return outcome(helper, &result);
}

void outcome_forget(struct helper *helper)
{
	const struct proof none = { .found = false };

	settle_record(helper, RECORD_REMOVE, &none);
}

static const struct {
	int (*say)(struct helper *helper, const struct stage_result *result);
	enum recording open, hidden;
} rows[] = {
	[STAGE_MOUNTED] = { say_mounted, RECORD_WRITE, RECORD_WRITE },
	[STAGE_ALREADY] = { say_already, RECORD_WRITE, RECORD_WRITE },
	[STAGE_FAKED] = { say_faked, RECORD_KEEP, RECORD_KEEP },
	[STAGE_UNDONE] = { say_undone, RECORD_REMOVE, RECORD_REMOVE },
	[STAGE_LEFT] = { say_left, RECORD_KEEP, RECORD_KEEP },
	[STAGE_NOTHING] = { say_nothing, RECORD_KEEP, RECORD_REMOVE },
	[STAGE_FAILED] = { say_failed, RECORD_REMOVE, RECORD_REMOVE },
	[STAGE_UNMADE] = { say_unmade, RECORD_REMOVE, RECORD_REMOVE },
	/* The kernel may still complete the mount. In a hidden namespace that does not matter. */
	[STAGE_TIMEOUT] = { say_timeout, RECORD_KEEP, RECORD_REMOVE },
	[STAGE_INTERRUPTED] = { say_interrupted, RECORD_REMOVE, RECORD_REMOVE },
	[STAGE_NOT_HIDDEN] = { say_unmade, RECORD_REMOVE, RECORD_REMOVE },
};

/* The record is written before the mount is accessed again. */
static void read_a_little(struct helper *helper, const struct stage_result *result)
{
	if (result->end == STAGE_MOUNTED && result->proof.rdma && helper->root &&
	    reading_warns(helper, &result->proof))
		settle_record(helper, RECORD_WRITE, &result->proof);
}

int outcome(struct helper *helper, const struct stage_result *result)
{
	int status;

	if (result->proof.id)
		add_finding(helper, &result->proof);
	settle_record(helper,
		      result->hidden ? rows[result->end].hidden : rows[result->end].open,
		      &result->proof);
	status = rows[result->end].say(helper, result);
	read_a_little(helper, result);
	return status;
}
