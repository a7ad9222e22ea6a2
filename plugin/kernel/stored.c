/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From what was written through a mount, and what the probe's own client reads of it, to findings:
 * pure. */
#include "plugin/kernel/internal.h"

/* --- the file ------------------------------------------------------------------------- */

/* Not where the kernel said that it could not make it. A process that hangs has it open, and then
 * removing it only gives it another name (.nfs...). */
static bool stored_may_be_left(const struct kernel_stored *s)
{
	return s->hung || (!s->removed && (s->made || !*s->chosen.why || s->chosen.unsure));
}

void kernel_stored_file_finding(const struct kernel_stored *s, struct finding *f)
{
	const char *reason = kernel_denied_reason(s->chosen.error, true);

	if (stored_may_be_left(s)) {
		finding_init(f, "probe.scratch.left", FINDING_WARN,
			     "the scratch file %.300s %s: %s%s", s->path,
			     s->chosen.unsure ? "may be left" : "could not be removed",
			     s->chosen.unsure  ? s->chosen.why
			     : s->remove_error ? strerrordesc_np(s->remove_error)
					       : "the mount does not answer",
			     s->end);
		finding_reason(f, "mount");
	} else if (s->chosen.error) {
		finding_init(f, "probe.scratch", FINDING_UNKNOWN, "%.300s: %s", s->path,
			     s->chosen.why);
		finding_reason(f, reason ? reason : "failed");
	} else {
		finding_init(f, "probe.scratch", FINDING_PASS, "%.300s was made and removed",
			     s->path);
	}
	finding_text(f, "path", "%s", s->path);
}

/* --- what is in it ------------------------------------------------------------------------ */

/* Of the ranges as they are at the end: how many the probe's own client could compare. */
struct stored_compared {
	unsigned int compared, rdma_wrong, stored_wrong;
};

static bool stored_overlap(const struct kernel_write_row *a, const struct kernel_write_row *b)
{
	return a->offset < b->offset + b->length && b->offset < a->offset + a->length;
}

/* What should be there is known: it was written, and so was all that lies in it. */
static bool stored_is_known(const struct kernel_stored *s, unsigned int index)
{
	unsigned int i;

	for (i = 0; i < KERNEL_WRITES; i++) {
		const struct kernel_written *w = &s->written[i];

		if (stored_overlap(&kernel_write_rows[i], &kernel_write_rows[index]) &&
		    (!w->tried || w->record.length != kernel_write_rows[i].length))
			return false;
	}
	return true;
}

static void stored_compare(const struct kernel_stored *s, struct stored_compared *out)
{
	unsigned int i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < KERNEL_WRITES; i++) {
		const struct kernel_write_row *row = &kernel_write_rows[i];
		const struct probe_range_result *r = &s->results[i];

		if ((r->fate != PROBE_RANGE_RIGHT && r->fate != PROBE_RANGE_WRONG) ||
		    !stored_is_known(s, i))
			continue;
		out->compared++;
		out->rdma_wrong += r->fate == PROBE_RANGE_WRONG;
		out->stored_wrong += r->length != row->length ||
				     r->digest != bytes_digest(s->copy + row->offset, row->length);
	}
}

/* A write failed. */
static void stored_failed(const struct kernel_write_sum *sum, const struct stored_compared *c,
			  struct finding *f)
{
	const struct kernel_record *r = &sum->first->record;
	const char *denied = kernel_denied_reason(r->error, false);
	bool back = sum->first->fault == KERNEL_WRITE_READ_BACK;
	char text[200];

	finding_init(
		f, "kernel.write", denied ? FINDING_UNKNOWN : FINDING_FAIL,
		"%u of %u writes through the kernel failed, the first of %u bytes: %s%s",
		sum->tried - sum->right, sum->tried, kernel_write_rows[r->index].length,
		kernel_write_text(sum->first, text, sizeof(text)),
		back && c->compared
			? ". The probe's own client reads what was written: the cause is this host's kernel, or its device"
			: "");
	finding_reason(f, denied                                    ? denied
			  : sum->first->fault == KERNEL_WRITE_ERROR ? "mount-error"
			  : back && !c->compared                    ? "stored-wrong"
						 : kernel_write_reason(sum->first->fault));
	finding_text(f, "guilty", "%s",
		     denied                ? ""
		     : back && c->compared ? "kernel client"
					   : "kernel client or server");
	if (r->error) {
		finding_text(f, "error", "%s", strerrorname_np(r->error));
		finding_text(f, "error_text", "%s", strerrordesc_np(r->error));
	}
}

/* What is stored is wrong, or is only read so. */
static void stored_differs(const struct stored_compared *c, struct finding *f)
{
	if (c->stored_wrong) {
		finding_init(
			f, "kernel.write", FINDING_FAIL,
			"%u of %u ranges that the kernel wrote are stored with other data, by what the probe's own client reads",
			c->stored_wrong, c->compared);
		finding_reason(f, "stored-wrong");
		finding_text(f, "guilty", "kernel client or server");
		return;
	}
	finding_init(
		f, "kernel.write", FINDING_WARN,
		"what the kernel wrote is stored correctly, but the probe's own client gets wrong data over RDMA in %u of %u ranges: probe the server",
		c->rdma_wrong, c->compared);
	finding_reason(f, "probe-only");
	finding_text(f, "guilty", "server or transport");
}

/* Nothing is wrong with what was written, but not all was. */
static void stored_cut(const struct kernel_stored *s, const struct kernel_write_sum *sum,
		       struct finding *f)
{
	bool hangs = s->silent && !s->late;

	finding_init(f, "kernel.write", hangs ? FINDING_FAIL : FINDING_UNKNOWN,
		     "only %u of %u writes through the kernel completed%s%s", sum->tried,
		     (unsigned int)KERNEL_WRITES, s->silent ? " in time" : "", s->end);
	finding_reason(f, hangs ? "hangs" : s->silent ? "cut" : "killed");
}

static void stored_not_made(const struct kernel_stored *s, struct finding *f)
{
	if (!s->silent) {
		finding_init(f, "kernel.write", FINDING_SKIP,
			     "nothing was written: the file could not be made");
		return;
	}
	finding_init(f, "kernel.write", FINDING_UNKNOWN,
		     "nothing was written: the mount does not answer%s", s->end);
	finding_reason(f, "no-answer");
}

void kernel_stored_finding(const struct kernel_stored *s, struct finding *f)
{
	struct kernel_write_sum sum;
	struct stored_compared c;

	kernel_write_sum(s->written, &sum);
	stored_compare(s, &c);
	if (s->chosen.error) {
		stored_not_made(s, f);
	} else if (c.stored_wrong) {
		stored_differs(&c, f);
	} else if (sum.first) {
		stored_failed(&sum, &c, f);
	} else if (c.rdma_wrong) {
		stored_differs(&c, f);
	} else if (sum.tried < KERNEL_WRITES) {
		stored_cut(s, &sum, f);
	} else if (!c.compared) {
		finding_init(
			f, "kernel.write", FINDING_UNKNOWN,
			"all writes through the kernel were read back by it, and there is nothing to compare them with");
		finding_reason(f, "no-reference");
	} else {
		finding_init(
			f, "kernel.write", FINDING_PASS,
			"%u writes of 1 byte to 1 MiB through the kernel are stored correctly: the kernel, the probe's own client and the reference read the same",
			sum.tried);
	}
	finding_text(f, "nfs_version", "%s", s->version);
	finding_text(f, "target", "%s", s->target);
	finding_number(f, "tried", sum.tried);
	finding_number(f, "right", sum.right);
	finding_number(f, "compared", c.compared);
	finding_number(f, "stored_wrong", c.stored_wrong);
}
