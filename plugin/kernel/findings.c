/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From what one version of NFS brought to findings, each with its reason: pure. */
#include "plugin/kernel/internal.h"

static void findings_add_error(struct finding *f, const struct kernel_record *r)
{
	if (!r->error)
		return;
	finding_text(f, "error", "%s", strerrorname_np(r->error));
	finding_text(f, "error_text", "%s", strerrordesc_np(r->error));
}

/* --- the mount ------------------------------------------------------------------------ */

void kernel_mount_finding(const struct kernel_outcome *outcome, struct finding *f)
{
	const struct kernel_record *space = &outcome->steps[KERNEL_SPACE];
	const struct kernel_record *r = &outcome->steps[KERNEL_MOUNT];
	const char *version = outcome->version, *end = outcome->end, *reason = "";
	bool separate = outcome->done[KERNEL_SPACE] && !space->error;

	if (!separate) {
		finding_init(f, "kernel.mount", FINDING_UNKNOWN,
			     "NFSv%s: cannot create a mount namespace: %s%s", version,
			     strerrordesc_np(space->error), end);
		reason = outcome->killed ? "killed" : "no-namespace";
	} else if (!outcome->done[KERNEL_MOUNT]) {
		finding_init(f, "kernel.mount", outcome->killed ? FINDING_UNKNOWN : FINDING_FAIL,
			     "NFSv%s: mount(2) did not return%s%s", version,
			     outcome->killed ? "" : " in time", end);
		reason = outcome->killed ? "killed" : "hangs";
	} else if (!r->error) {
		finding_init(f, "kernel.mount", FINDING_PASS,
			     "NFSv%s: mounted over RDMA in %u ms%s", version, r->ms, end);
	} else if (r->error == EPROTONOSUPPORT) {
		finding_init(f, "kernel.mount", FINDING_SKIP,
			     "NFSv%s: this kernel's client does not support this version%s",
			     version, end);
	} else if (r->error == ENODEV || r->error == EINVAL || outcome->reached) {
		bool failed = r->error != ENODEV && outcome->reached;

		finding_init(f, "kernel.mount", failed ? FINDING_FAIL : FINDING_UNKNOWN,
			     "NFSv%s: mount(2): %s%s", version, strerrordesc_np(r->error), end);
		reason = r->error == ENODEV ? "no-client" : failed ? "failed" : "rejected";
	} else {
		finding_init(
			f, "kernel.mount", FINDING_SKIP,
			"NFSv%s: no connection was made (%s): %s does not connect to itself; test over software iWARP (siw) or RoCE (rxe)%s",
			version, strerrordesc_np(r->error), outcome->device, end);
	}
	finding_reason(f, reason);
	finding_text(f, "nfs_version", "%s", version);
	if (!separate)
		findings_add_error(f, space);
	findings_add_error(f, r);
	finding_number(f, "ms", r->ms);
}

/* --- reads ------------------------------------------------------------------------------ */

const char *kernel_wrong_reason(enum kernel_fault fault, const struct kernel_record *first)
{
	if (fault == KERNEL_BUG_812)
		return "write-chunk-lost";
	return first->error ? "error" : "wrong-data";
}

void kernel_read_finding(const struct kernel_outcome *outcome, const struct kernel_judgement *j,
			 struct finding *f)
{
	const struct kernel_read *first = &outcome->reads[j->first];
	bool wrong = j->fault != KERNEL_RIGHT && j->fault != KERNEL_CUT;
	char text[160];

	if (j->fault == KERNEL_RIGHT && j->stalled) {
		finding_init(
			f, "kernel.read", FINDING_WARN,
			"NFSv%s: %u reads through the kernel returned correct data, %u of them after %.1f s: the client waited for a reply that the server had sent, and asked again%s",
			outcome->version, j->tried, j->stalled, j->slowest_ms / 1000.0,
			outcome->end);
		finding_reason(f, "stalled");
	} else if (j->fault == KERNEL_RIGHT) {
		finding_init(
			f, "kernel.read", FINDING_PASS,
			"NFSv%s: %u reads of 1 byte to 1 MiB through the kernel returned correct data%s",
			outcome->version, j->tried, outcome->end);
	} else if (j->fault == KERNEL_CUT) {
		finding_init(f, "kernel.read", FINDING_UNKNOWN,
			     "NFSv%s: only %u of %u reads completed%s%s", outcome->version,
			     j->tried, (unsigned int)KERNEL_RANGES,
			     outcome->killed ? "" : " in time", outcome->end);
		finding_reason(f, outcome->killed ? "killed" : "cut");
	} else {
		finding_init(
			f, "kernel.read", FINDING_FAIL,
			"NFSv%s: %u of %u reads through the kernel failed, the first of %u bytes: %s, %s",
			outcome->version, j->tried - j->right, j->tried, j->smallest_wrong,
			kernel_wrong_text(&first->record, j->smallest_wrong, text, sizeof(text)),
			first->whole ? "though the server sent all of it"
				     : "and the server did not send all of it");
		finding_reason(f, kernel_wrong_reason(j->fault, &first->record));
	}
	finding_text(f, "nfs_version", "%s", outcome->version);
	if (wrong) {
		finding_number(f, "smallest_wrong", j->smallest_wrong);
		findings_add_error(f, &first->record);
	}
	finding_number(f, "largest_right", j->largest_right);
	finding_number(f, "tried", j->tried);
	finding_number(f, "right", j->right);
	if (j->stalled)
		finding_number(f, "stalled", j->stalled);
}

/* --- writes ----------------------------------------------------------------------------- */

/* None was made, or not all. */
static void findings_write_cut(const struct kernel_outcome *outcome,
			       const struct kernel_write_sum *sum, struct finding *f)
{
	const struct kernel_record *create = &outcome->steps[KERNEL_CREATE];
	bool hangs = !outcome->killed && (outcome->hung || outcome->silent);

	if (create->error) {
		finding_init(f, "kernel.write", FINDING_UNKNOWN,
			     "NFSv%s: the file to write to could not be made: %s%s",
			     outcome->version, strerrordesc_np(create->error), outcome->end);
		finding_reason(f, "not-made");
		findings_add_error(f, create);
		return;
	}
	finding_init(f, "kernel.write", hangs ? FINDING_FAIL : FINDING_UNKNOWN,
		     "NFSv%s: only %u of %u writes completed%s%s", outcome->version, sum->tried,
		     (unsigned int)KERNEL_WRITES, outcome->killed ? "" : " in time", outcome->end);
	finding_reason(f, outcome->killed ? "killed" : hangs ? "hangs" : "cut");
}

static void findings_write_right(const struct kernel_outcome *outcome,
				 const struct kernel_write_sum *sum, struct finding *f)
{
	const struct kernel_write_count *count = &outcome->writes;

	finding_init(
		f, "kernel.write", FINDING_PASS,
		"NFSv%s: %u writes of 1 byte to 1 MiB through the kernel were stored and read back correctly (%u WRITEs, %u of them by Read chunk)%s",
		outcome->version, sum->tried, count->calls, count->by_chunk, outcome->end);
}

static void findings_write_wrong(const struct kernel_outcome *outcome,
				 const struct kernel_write_sum *sum, struct finding *f)
{
	const struct kernel_written *first = sum->first;
	char text[200];

	finding_init(f, "kernel.write", FINDING_FAIL,
		     "NFSv%s: %u of %u writes through the kernel failed, the first of %u bytes: %s",
		     outcome->version, sum->tried - sum->right, sum->tried,
		     kernel_write_rows[first->record.index].length,
		     kernel_write_text(first, text, sizeof(text)));
	finding_reason(f, kernel_write_reason(first->fault));
	finding_number(f, "first_wrong", kernel_write_rows[first->record.index].length);
	findings_add_error(f, &first->record);
}

void kernel_write_finding(const struct kernel_outcome *outcome, const struct kernel_judgement *j,
			  struct finding *f)
{
	const struct kernel_write_count *count = &outcome->writes;
	struct kernel_write_sum sum;

	kernel_write_sum(outcome->written, &sum);
	if (j->fault != KERNEL_RIGHT)
		finding_init(f, "kernel.write", FINDING_SKIP,
			     "NFSv%s: nothing was written, because not all reads are right",
			     outcome->version);
	else if (sum.first)
		findings_write_wrong(outcome, &sum, f);
	else if (sum.tried < KERNEL_WRITES)
		findings_write_cut(outcome, &sum, f);
	else
		findings_write_right(outcome, &sum, f);
	finding_text(f, "nfs_version", "%s", outcome->version);
	finding_number(f, "tried", sum.tried);
	finding_number(f, "right", sum.right);
	finding_number(f, "calls", count->calls);
	finding_number(f, "read_chunks", count->by_chunk);
	finding_number(f, "most_segments", count->most_segments);
	finding_number(f, "padded", count->padded);
	finding_number(f, "unstable", count->unstable);
}

/* --- the end ---------------------------------------------------------------------------- */

void kernel_unmount_finding(const struct kernel_outcome *outcome, struct finding *f)
{
	const struct kernel_record *r = &outcome->steps[KERNEL_UNMOUNT];

	if (!outcome->done[KERNEL_UNMOUNT]) {
		finding_init(f, "kernel.unmount", outcome->hung ? FINDING_FAIL : FINDING_UNKNOWN,
			     "NFSv%s: not unmounted before its process ended%s", outcome->version,
			     outcome->end);
		finding_reason(f, outcome->hung ? "hangs" : "killed");
	} else if (r->error) {
		finding_init(f, "kernel.unmount", FINDING_FAIL, "NFSv%s: umount2(2): %s%s",
			     outcome->version, strerrordesc_np(r->error), outcome->end);
		finding_reason(f, r->error == EBUSY ? "busy" : "failed");
	} else {
		finding_init(f, "kernel.unmount", FINDING_PASS, "NFSv%s: unmounted in %u ms%s",
			     outcome->version, r->ms, outcome->end);
	}
	finding_text(f, "nfs_version", "%s", outcome->version);
	findings_add_error(f, r);
}

/* --- bug.read-812 ------------------------------------------------------------------------- */

void kernel_bug_finding(const struct kernel_bug *bug, struct finding *f)
{
	if (*bug->lost) {
		finding_init(
			f, "bug.read-812", FINDING_FAIL,
			"this host's kernel cannot read more than %u bytes over NFS/RDMA: with NFSv%s it loses replies that the embedded server sent completely, and reads fail with an input/output error",
			bug->largest_right, bug->lost);
		finding_reason(f, "lost");
	} else if (*bug->right) {
		finding_init(
			f, "bug.read-812", FINDING_PASS,
			"this host's kernel reads long replies correctly (NFSv%s, from the embedded server)",
			bug->right);
	} else {
		finding_init(f, "bug.read-812", FINDING_UNKNOWN, "unknown: %s",
			     *bug->otherwise ? "reads fail in another way"
					     : "the reads did not complete");
		finding_reason(f, *bug->otherwise ? "otherwise" : "too-few");
	}
	finding_text(f, "by", "reading from the embedded server through this host's kernel");
	finding_text(f, "wrong_versions", "%s", bug->lost);
	finding_text(f, "right_versions", "%s", bug->right);
}

/* --- a mount that is there ------------------------------------------------------------------ */

const char *kernel_no_file_reason(const struct kernel_chosen *chosen)
{
	if (!*chosen->why)
		return "no-answer";
	return chosen->error == EACCES ? "denied" : "no-file";
}
