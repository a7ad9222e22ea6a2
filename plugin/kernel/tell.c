/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From what one version of NFS brought to findings, each with its reason: pure. */
#include <stdio.h>

#include "plugin/kernel/internal.h"

static void begin(const struct kernel_seen *seen, struct finding *f, const char *id,
		  enum finding_status status, const char *reason, const char *text)
{
	finding_init(f, id, status, "NFSv%s: %s%s", seen->version, text, seen->end);
	finding_reason(f, reason);
	finding_text(f, "nfs_version", "%s", seen->version);
}

static void add_error(struct finding *f, const struct kernel_record *r)
{
	if (!r->error)
		return;
	finding_text(f, "error", "%s", strerrorname_np(r->error));
	finding_text(f, "error_text", "%s", strerrordesc_np(r->error));
}

/* --- the mount ------------------------------------------------------------------------ */

static void mount_refused(const struct kernel_seen *seen, struct finding *f)
{
	const struct kernel_record *r = &seen->steps[KERNEL_MOUNT];
	const char *error = strerrordesc_np(r->error);
	char text[200];

	snprintf(text, sizeof(text), "mount(2): %s", error);
	if (r->error == ENODEV) {
		begin(seen, f, "kernel.mount", FINDING_UNKNOWN, "no-client", text);
	} else if (r->error == EPROTONOSUPPORT) {
		begin(seen, f, "kernel.mount", FINDING_SKIP, "",
		      "this kernel's client does not support this version");
	} else if (seen->reached) {
		begin(seen, f, "kernel.mount", FINDING_FAIL, "failed", text);
	} else if (r->error == EINVAL) {
		begin(seen, f, "kernel.mount", FINDING_UNKNOWN, "rejected", text);
	} else {
		snprintf(
			text, sizeof(text),
			"no connection was made (%s): %s does not connect to itself; test over software iWARP (siw) or RoCE (rxe)",
			error, seen->device);
		begin(seen, f, "kernel.mount", FINDING_SKIP, "", text);
	}
}

void kernel_mount_finding(const struct kernel_seen *seen, struct finding *f)
{
	const struct kernel_record *space = &seen->steps[KERNEL_SPACE];
	const struct kernel_record *r = &seen->steps[KERNEL_MOUNT];
	char text[200];

	if (!seen->done[KERNEL_SPACE] || space->error) {
		snprintf(text, sizeof(text), "cannot create a mount namespace: %s",
			 strerrordesc_np(space->error));
		begin(seen, f, "kernel.mount", FINDING_UNKNOWN,
		      seen->killed ? "killed" : "no-namespace", text);
		add_error(f, space);
	} else if (seen->done[KERNEL_MOUNT] && !r->error) {
		snprintf(text, sizeof(text), "mounted over RDMA in %u ms", r->ms);
		begin(seen, f, "kernel.mount", FINDING_PASS, "", text);
	} else if (seen->done[KERNEL_MOUNT]) {
		mount_refused(seen, f);
	} else if (seen->killed) {
		begin(seen, f, "kernel.mount", FINDING_UNKNOWN, "killed",
		      "mount(2) did not return");
	} else {
		begin(seen, f, "kernel.mount", FINDING_FAIL, "hangs",
		      "mount(2) did not return in time");
	}
	add_error(f, r);
	finding_number(f, "ms", r->ms);
}

/* --- reads ------------------------------------------------------------------------------ */

const char *kernel_wrong_reason(enum kernel_fault fault,
				const struct kernel_record *first)
{
	if (fault == KERNEL_BUG_812)
		return "write-chunk-lost";
	return first->error ? "error" : "wrong-data";
}

static void read_wrong(const struct kernel_seen *seen, const struct kernel_judgement *j,
		       struct finding *f)
{
	const struct kernel_read *first = &seen->reads[j->first];
	char text[400], wrong[160];

	kernel_wrong_text(&first->record, j->smallest_wrong, wrong, sizeof(wrong));
	snprintf(
		text, sizeof(text),
		"%u of %u reads through the kernel failed, the first of %u bytes: %s, %s",
		j->tried - j->right, j->tried, j->smallest_wrong, wrong,
		first->whole ? "though the server sent all of it"
			     : "and the server did not send all of it");
	finding_init(f, "kernel.read", FINDING_FAIL, "NFSv%s: %s", seen->version, text);
	finding_reason(f, kernel_wrong_reason(j->fault, &first->record));
	finding_text(f, "nfs_version", "%s", seen->version);
	finding_number(f, "smallest_wrong", j->smallest_wrong);
	add_error(f, &first->record);
}

void kernel_read_finding(const struct kernel_seen *seen, const struct kernel_judgement *j,
			 struct finding *f)
{
	char text[200];

	if (j->fault == KERNEL_RIGHT) {
		snprintf(
			text, sizeof(text),
			"%u reads of 1 byte to 1 MiB through the kernel returned correct data",
			j->tried);
		begin(seen, f, "kernel.read", FINDING_PASS, "", text);
	} else if (j->fault == KERNEL_CUT) {
		snprintf(text, sizeof(text), "only %u of %u reads completed%s", j->tried,
			 (unsigned int)KERNEL_RANGES, seen->killed ? "" : " in time");
		begin(seen, f, "kernel.read", FINDING_UNKNOWN,
		      seen->killed ? "killed" : "cut", text);
	} else {
		read_wrong(seen, j, f);
	}
	finding_number(f, "largest_right", j->largest_right);
	finding_number(f, "tried", j->tried);
	finding_number(f, "right", j->right);
}

/* --- the end ---------------------------------------------------------------------------- */

void kernel_unmount_finding(const struct kernel_seen *seen, struct finding *f)
{
	const struct kernel_record *r = &seen->steps[KERNEL_UNMOUNT];
	char text[200];

	if (!seen->done[KERNEL_UNMOUNT]) {
		begin(seen, f, "kernel.unmount",
		      seen->hung ? FINDING_FAIL : FINDING_UNKNOWN,
		      seen->hung ? "hangs" : "killed",
		      "not unmounted before its process ended");
	} else if (r->error) {
		snprintf(text, sizeof(text), "umount2(2): %s", strerrordesc_np(r->error));
		begin(seen, f, "kernel.unmount", FINDING_FAIL,
		      r->error == EBUSY ? "busy" : "failed", text);
		add_error(f, r);
	} else {
		snprintf(text, sizeof(text), "unmounted in %u ms", r->ms);
		begin(seen, f, "kernel.unmount", FINDING_PASS, "", text);
	}
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
	finding_text(f, "by",
		     "reading from the embedded server through this host's kernel");
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
