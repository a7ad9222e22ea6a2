/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An existing mount, with --scratch: a child writes to a new file through the kernel, and the
 * probe's own client reads it over RDMA and over TCP. Before that the probe's own client says which
 * server it is, and the gate of its own WRITEs (rpcrdma/probe/scratch.c) holds for the kernel's,
 * too.
 *
 * The child removes the file when this process shuts down its side of their channel: at the end,
 * after an interrupt, and at the deadline. If it cannot, another child tries, and what is left is
 * said. */
#include <stdio.h>
#include <sys/socket.h>

#include "plugin/kernel/internal.h"
#include "plugin/mounts/mounts.h"

#define STEP_MS 20000
/* Of the time, for the removal; at most a quarter. */
#define REMOVE_MS 5000

struct scratch_run {
	const struct kernel_mounted_write *w;
	char path[KERNEL_PATH_MAX]; /* of the file, below the mount */
	char shown[KERNEL_PATH_MAX + 256];
	uint64_t until; /* of the writes */
	uint64_t key;
	bool allowed; /* by the gate; else: */
	struct finding refused;
	uint8_t copy[KERNEL_WRITE_SIZE];
	struct kernel_stored stored;
	struct probe_range ranges[KERNEL_WRITES];
	bool begun, closed;
};

static volatile sig_atomic_t mounted_interrupted;

static void mounted_on_signal(int sig)
{
	mounted_interrupted = sig;
}

static void scratch_emit(const struct scratch_run *run, const struct finding *f)
{
	run->w->events->finding(run->w->events->arg, f);
}

/* kernel.write, where there is nothing to judge. */
static void scratch_say(const struct scratch_run *run, enum finding_status status,
			const char *reason, const char *text)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "kernel.write", status, "%s", text);
	if (status != FINDING_SKIP)
		finding_reason(&f, reason);
	finding_text(&f, "nfs_version", "%s", run->w->mount->vers);
	finding_text(&f, "target", "%s", run->w->mount->target);
	scratch_emit(run, &f);
}

/* --- the name ----------------------------------------------------------------------- */

static int scratch_name(struct scratch_run *run)
{
	const char *scratch = run->w->options->scratch, *dir = run->w->dir;
	size_t len = strlen(scratch);
	char random[33] = "";
	uint8_t id[16];
	size_t i;
	int n, rc;

	if (len && scratch[len - 1] == '/') {
		rc = random_bytes(id, sizeof(id));
		if (rc)
			return rc;
		for (i = 0; i < sizeof(id); i++)
			snprintf(random + 2 * i, 3, "%02x", id[i]);
	}
	scratch += strspn(scratch, "/");
	n = snprintf(run->path, sizeof(run->path), "%s%s%s%s%s", dir, *dir ? "/" : "", scratch,
		     *random ? SCRATCH_PREFIX : "", random);
	if (n >= (int)sizeof(run->path))
		return err_set(ENAMETOOLONG, "the path of --scratch is too long");
	snprintf(run->shown, sizeof(run->shown), "%s/%s", run->w->mount->target, run->path);
	finding_clean(run->shown);
	return 0;
}

/* --- the probe's own client ----------------------------------------------------------- */

static void scratch_on_gate(void *arg, const struct finding *f)
{
	struct scratch_run *run = arg;

	if (strcmp(f->id, "probe.scratch") != 0)
		return;
	run->allowed = f->status == FINDING_PASS;
	if (!run->allowed)
		finding_copy(&run->refused, f);
}

static void scratch_no_finding(void *arg, const struct finding *f)
{
	(void)arg;
	(void)f;
}

static void scratch_no_subject(void *arg, const char *key, const char *value)
{
	(void)arg;
	(void)key;
	(void)value;
}

static void scratch_on_range(void *arg, const struct probe_range_result *result)
{
	struct scratch_run *run = arg;

	if (result->index < KERNEL_WRITES)
		run->stored.results[result->index] = *result;
}

static struct probe_options scratch_probe(const struct scratch_run *run)
{
	struct probe_options options = run->w->probe;

	options.has_cred = true;
	options.cred = run->w->cred;
	options.timeout_ms = (unsigned int)deadline_left(run->until);
	return options;
}

/* Which server it is, and whether the file may be made there. Reports why not. */
static int scratch_gate(struct scratch_run *run)
{
	const struct probe_events events = { .finding = scratch_on_gate,
					     .subject = scratch_no_subject,
					     .arg = run };
	struct probe_options options = scratch_probe(run);
	char text[FINDING_SUMMARY_MAX];
	int rc;

	options.export = *run->w->export ? run->w->export : "/";
	options.level = PROBE_QUICK;
	options.scratch = run->path;
	options.scratch_gate = true;
	rc = probe_run(&options, &events);
	if (rc == -EINTR || run->allowed)
		return rc;
	if (!run->refused.id[0]) {
		scratch_say(
			run, FINDING_UNKNOWN, "no-reference",
			"nothing was written: the probe's own client could not find out over RDMA which server it is");
		return 0;
	}
	/* The gate itself skips; what else keeps the file from being made has its reason. */
	if (run->refused.status != FINDING_SKIP)
		scratch_emit(run, &run->refused);
	snprintf(text, sizeof(text), "nothing was written: %.300s", run->refused.summary);
	scratch_say(run, FINDING_SKIP, "", text);
	return 0;
}

static int scratch_read_by_probe(struct scratch_run *run)
{
	const struct probe_events events = { .finding = scratch_no_finding,
					     .subject = scratch_no_subject,
					     .range = scratch_on_range,
					     .arg = run };
	struct probe_options options = scratch_probe(run);
	char path[2 * KERNEL_PATH_MAX + 256];
	unsigned int i;

	for (i = 0; i < KERNEL_WRITES; i++)
		run->ranges[i] = (struct probe_range){ kernel_write_rows[i].offset,
						       kernel_write_rows[i].length };
	snprintf(path, sizeof(path), "%s/%s", run->w->export, run->path);
	options.export = path;
	options.ranges = run->ranges;
	options.nranges = KERNEL_WRITES;
	return probe_compare(&options, &events);
}

/* --- the kernel ---------------------------------------------------------------------- */

static void scratch_on_record(void *arg, const struct kernel_record *r)
{
	struct scratch_run *run = arg;
	struct kernel_written *written;

	run->closed = run->closed || r->step == KERNEL_CLOSE;
	if (r->step == KERNEL_REMOVE) {
		run->stored.removed = !r->error;
		run->stored.remove_error = r->error;
	}
	if (r->step != KERNEL_WRITE)
		return;
	written = &run->stored.written[r->index];
	written->tried = true;
	written->record = *r;
	written->fault = kernel_write_judge(r, NULL, run->copy, run->key, NULL);
	if (run->w->events->progress)
		run->w->events->progress(run->w->events->arg, "the kernel's client", r->index + 1,
					 KERNEL_WRITES);
}

static int scratch_start(struct scratch_run *run, bool remove, struct child *child)
{
	const struct kernel_mounted_write *w = run->w;
	struct kernel_scratch_task task = {
		.target = w->mount->target,
		.dev = w->mount->dev,
		.path = run->path,
		.has_cred = true,
		.uid = w->cred.uid,
		.gid = w->cred.gid,
		.key = run->key,
		.remove = remove,
		.inode = run->stored.chosen.inode,
	};
	const struct child_function function = { .kind = CHILD_KERNEL_CLIENT,
						 .name = "the process that writes",
						 .run = kernel_scratch,
						 .arg = &task };

	return child_start(child, &function);
}

/* Until the file is removed, or the child cannot. */
static void scratch_end_child(struct scratch_run *run, struct child *child)
{
	struct kernel_chosen ignored;
	struct kernel_receiver receiver = { .record = scratch_on_record,
					    .arg = run,
					    .chosen = run->stored.made ? &ignored
								       : &run->stored.chosen,
					    .deadline = run->w->deadline,
					    .step_ms = REMOVE_MS / 2 };
	struct child_end end;
	char how[CHILD_END_TEXT_MAX];

	shutdown(child->channel, SHUT_WR);
	kernel_receive(&receiver, child);
	child_finish(child, 0, &end);
	run->stored.hung = run->stored.hung || end.fate == CHILD_LEFT;
	if (end.fate != CHILD_EXITED)
		snprintf(run->stored.end, sizeof(run->stored.end), "; its process %s",
			 child_end_text(&end, how, sizeof(how)));
}

static int scratch_write(struct scratch_run *run)
{
	struct kernel_receiver receiver = { .record = scratch_on_record,
					    .arg = run,
					    .chosen = &run->stored.chosen,
					    .deadline = run->until,
					    .step_ms = STEP_MS,
					    .until = KERNEL_CLOSE,
					    .interrupted = &mounted_interrupted };
	struct kernel_stored *stored = &run->stored;
	struct child child;
	int rc;

	/* Until it says something else. */
	stored->chosen.error = ETIMEDOUT;
	rc = scratch_start(run, false, &child);
	if (rc)
		return rc;
	run->begun = true;
	rc = kernel_receive(&receiver, &child);
	stored->silent = rc == -ETIMEDOUT;
	stored->late = !deadline_left(run->until);
	if (!rc && mounted_interrupted)
		rc = -EINTR;
	if (!rc && run->closed)
		rc = scratch_read_by_probe(run);
	scratch_end_child(run, &child);
	stored->made = !stored->chosen.error;
	/* That one was killed, or hangs. */
	if (stored->made && !stored->removed && !stored->remove_error &&
	    !scratch_start(run, true, &child))
		scratch_end_child(run, &child);
	return rc == -ETIMEDOUT ? 0 : rc;
}

static int scratch_test(struct scratch_run *run)
{
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc = scratch_name(run);

	if (!rc)
		rc = random_bytes(&run->key, sizeof(run->key));
	if (!rc)
		rc = scratch_gate(run);
	if (rc || !run->allowed)
		return rc;
	if (run->w->events->scratch)
		run->w->events->scratch(run->w->events->arg, run->shown);
	rc = mounted_interrupted ? -EINTR : scratch_write(run);
	if (run->begun) {
		kernel_stored_file_finding(&run->stored, &f);
		scratch_emit(run, &f);
	}
	if (!rc) {
		kernel_stored_finding(&run->stored, &f);
		scratch_emit(run, &f);
	}
	return rc;
}

int kernel_mounted_write(const struct kernel_mounted_write *w)
{
	struct sigaction action = { .sa_handler = mounted_on_signal }, old_int, old_term;
	_cleanup_free_ struct scratch_run *run = calloc(1, sizeof(*run));
	unsigned int left = (unsigned int)deadline_left(w->deadline);
	int rc;

	if (!run)
		return err_no_memory();
	run->w = w;
	run->stored.version = w->mount->vers;
	run->stored.target = w->mount->target;
	run->stored.path = run->shown;
	run->stored.copy = run->copy;
	run->until = w->deadline - min_u32(REMOVE_MS, left / 4);
	mounted_interrupted = 0;
	sigaction(SIGINT, &action, &old_int);
	sigaction(SIGTERM, &action, &old_term);
	rc = scratch_test(run);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGTERM, &old_term, NULL);
	finding_fini(&run->refused);
	return rc;
}
