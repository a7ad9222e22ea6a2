/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An existing mount: the kernel reads through it, the probe's own client reads the same from the
 * server over RDMA, and the reference is NFS over TCP. The one that differs is at fault. The mount
 * is found by its name in mountinfo, and no path of it is touched here: its server may be down. */
#include <stdio.h>

#include "plugin/host/text.h"
#include "plugin/kernel/internal.h"
#include "plugin/mounts/mounts.h"

/* READs of 1 MiB over a slow path; what takes longer has timed out. */
#define READER_STEP_MS 20000
/* From the last word of a trial's child to its end. */
#define TRIAL_END_MS 2000

struct mounted {
	const struct kernel_mount_options *options;
	const struct probe_events *events;
	const struct nfs_mount *mount;
	const char *below; /* of the path, what is below the mount */
	/* A trial: each child mounts it for itself; NULL: it is mounted already. */
	const struct kernel_trial_options *trial;
	struct kernel_tried tried;
	uint64_t deadline;
	struct kernel_chosen chosen;
	char file[KERNEL_PATH_MAX]; /* that was chosen */
	struct probe_range ranges[KERNEL_RANGES];
	struct kernel_read reads[KERNEL_RANGES];
	struct probe_range_result results[KERNEL_RANGES];
	char end[160];     /* of the child that reads, where it did not end by itself */
	bool read_all;     /* it made all its reads */
	bool silent;       /* it did not come to its end in time */
	bool kernel_wrong; /* by kernel.read */
};

static void mounted_emit(const struct mounted *m, const struct finding *f)
{
	m->events->finding(m->events->arg, f);
}

/* kernel.read, where there is nothing to compare. */
static void mounted_emit_read(const struct mounted *m, enum finding_status status,
			      const char *reason, const char *text)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "kernel.read", status, "%s", text);
	finding_reason(&f, reason);
	finding_text(&f, "nfs_version", "%s", m->mount->vers);
	finding_text(&f, "target", "%s", m->mount->target);
	mounted_emit(m, &f);
}

/* --- the mount ---------------------------------------------------------------------- */

/* The longest that is above the path, and of these the last, which covers the others. */
static void mounted_find(struct mounted *m, const struct nfs_mounts *mounts, const char *path)
{
	size_t longest = 0;
	unsigned int i;

	for (i = 0; i < mounts->count; i++) {
		const struct nfs_mount *mount = &mounts->list[i];
		const char *below = text_below(mount->target, path);

		if (!below || strlen(mount->target) < longest)
			continue;
		longest = strlen(mount->target);
		m->mount = mount;
		m->below = below;
	}
}

static bool mounted_report_mount(const struct mounted *m)
{
	bool rdma = m->mount && view_is_rdma(m->mount->proto);
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (!m->mount) {
		finding_init(&f, "kernel.mount", FINDING_UNKNOWN,
			     "%.300s is not on an NFS mount of this host", m->options->path);
		finding_reason(&f, "not-nfs");
		finding_text(&f, "path", "%.500s", m->options->path);
		mounted_emit(m, &f);
		return false;
	}
	finding_init(&f, "kernel.mount", rdma ? FINDING_PASS : FINDING_UNKNOWN,
		     "%s (%s) is mounted over %s, NFSv%s%s", m->mount->target, m->mount->fs_spec,
		     m->mount->proto, m->mount->vers, rdma ? "" : "; there is no RDMA to test");
	if (!rdma)
		finding_reason(&f, "not-rdma");
	finding_text(&f, "proto", "%s", m->mount->proto);
	finding_text(&f, "nfs_version", "%s", m->mount->vers);
	finding_text(&f, "target", "%s", m->mount->target);
	mounted_emit(m, &f);
	m->events->subject(m->events->arg, "server", m->mount->addr);
	m->events->subject(m->events->arg, "nfs_version", m->mount->vers);
	return rdma;
}

/* --- the kernel ---------------------------------------------------------------------- */

static void mounted_on_record(void *arg, const struct kernel_record *r)
{
	struct mounted *m = arg;

	m->tried.unmounted = r->step == KERNEL_UNMOUNT && !r->error;
	m->read_all = m->read_all || r->step == KERNEL_CLOSE;
	if (r->step != KERNEL_READ)
		return;
	m->reads[r->index].tried = true;
	m->reads[r->index].record = *r;
	if (m->events->progress)
		m->events->progress(m->events->arg, "the kernel's client", r->index + 1,
				    KERNEL_RANGES);
}

/* What the child of a trial says of its mount. */
static int mounted_receive_trial(struct mounted *m, const struct child *child, uint64_t deadline)
{
	int rc = kernel_trial_receive(child, deadline, &m->tried);

	if (rc)
		m->tried = (struct kernel_tried){
			.entered = true, .end = { .status = -1, .timed_out = rc == -ETIMEDOUT }
		};
	m->mount = !rc && m->tried.mounted && view_is_rdma(m->tried.mount.proto) ? &m->tried.mount
										 : NULL;
	if (m->mount)
		str_copy(m->tried.mount.target, sizeof(m->tried.mount.target), "the trial mount");
	return rc;
}

static int mounted_read_by_kernel(struct mounted *m, const char *path)
{
	_cleanup_free_ char *options = m->trial ? kernel_trial_mount_options(m->trial->options)
						: NULL;
	struct kernel_reader_task task = {
		.target = m->trial ? NULL : m->mount->target,
		.dev = m->trial ? NULL : m->mount->dev,
		.path = path,
		.has_cred = m->options->has_cred,
		.uid = m->options->has_cred ? m->options->cred.uid : geteuid(),
		.gid = m->options->has_cred ? m->options->cred.gid : getegid(),
	};
	struct kernel_trial_task trial = {
		.spec = m->trial ? m->trial->spec : NULL,
		.options = options,
		.deadline = m->deadline,
		.reader = task,
	};
	const struct child_function function = { .kind = CHILD_KERNEL_CLIENT,
						 .name = "the process that reads",
						 .run = m->trial ? kernel_trial : kernel_reader,
						 .arg = m->trial ? (void *)&trial : &task };
	const struct kernel_receiver receiver = { .record = mounted_on_record,
						  .arg = m,
						  .chosen = &m->chosen,
						  .deadline = m->deadline,
						  .step_ms = READER_STEP_MS };
	struct child_end end;
	struct child child;
	char how[CHILD_END_TEXT_MAX];
	int rc;

	memset(m->reads, 0, sizeof(m->reads));
	m->read_all = false;
	if (m->trial && !options)
		return err_no_memory();
	rc = child_start(&child, &function);
	if (rc)
		return rc;
	if (m->trial)
		rc = mounted_receive_trial(m, &child, m->deadline);
	if (!rc && m->mount)
		rc = kernel_receive(&receiver, &child);
	/* The end of the time of a trial says nothing about a read. */
	m->silent = m->silent ||
		    (rc == -ETIMEDOUT && !m->read_all && (!m->trial || deadline_left(m->deadline)));
	/* One that has said all of it is about to end. */
	child_finish(&child, m->trial && !rc ? deadline_in(TRIAL_END_MS) : 0, &end);
	m->tried.left = end.fate == CHILD_LEFT;
	m->end[0] = '\0';
	if (end.fate != CHILD_EXITED)
		snprintf(m->end, sizeof(m->end), "; its process %s",
			 child_end_text(&end, how, sizeof(how)));
	return rc == -ETIMEDOUT || (m->trial && rc == -EPIPE) ? 0 : rc;
}

/* --- the probe's own client ------------------------------------------------------------------ */

static void mounted_on_range(void *arg, const struct probe_range_result *result)
{
	struct mounted *m = arg;

	if (result->index < KERNEL_RANGES)
		m->results[result->index] = *result;
}

static void mounted_pass_finding(void *arg, const struct finding *f)
{
	struct mounted *m = arg;

	m->events->finding(m->events->arg, f);
}

static void mounted_pass_subject(void *arg, const char *key, const char *value)
{
	struct mounted *m = arg;

	m->events->subject(m->events->arg, key, value);
}

static void mounted_no_finding(void *arg, const struct finding *f)
{
	(void)arg;
	(void)f;
}

static struct rpc_cred mounted_cred(const struct mounted *m)
{
	return m->options->has_cred ? m->options->cred
				    : (struct rpc_cred){ .flavor = RPC_AUTH_SYS,
							 .uid = m->chosen.uid,
							 .gid = m->chosen.gid };
}

/* What is mounted, and what of it is the mount's root; "": all of the server. */
static void mounted_export(const struct mounted *m, char *buf, size_t cap)
{
	const char *colon = strstr(m->mount->fs_spec, ":/");
	const char *export = colon ? colon + 1 : "";

	snprintf(buf, cap, "%s%s", strcmp(export, "/") ? export : "",
		 strcmp(m->mount->fs_root, "/") ? m->mount->fs_root : "");
}

/* For the probe's own client. */
static struct probe_options mounted_probe(const struct mounted *m)
{
	return (struct probe_options){
		.host = m->mount->addr,
		.port = (uint16_t)(m->mount->port ? m->mount->port : NFS_RDMA_PORT),
		.mount_port = (uint16_t)m->mount->mountport,
		.nfs_port = m->options->nfs_port,
		.version = nfs_version_find(m->mount->vers),
		.timeout_ms = (unsigned int)deadline_left(m->deadline),
		.has_cred = true,
		.cred = mounted_cred(m),
	};
}

static int mounted_read_by_probe(struct mounted *m, bool first)
{
	/* A trial is beside a probe, which has them. */
	const struct probe_events events = { .finding = first && !m->trial ? mounted_pass_finding
									   : mounted_no_finding,
					     .subject = mounted_pass_subject,
					     .range = mounted_on_range,
					     .arg = m };
	struct probe_options options = mounted_probe(m);
	char export[512], path[sizeof(export) + KERNEL_PATH_MAX];

	mounted_export(m, export, sizeof(export));
	snprintf(path, sizeof(path), "%s/%s", export, m->file);
	options.export = path;
	options.ranges = m->ranges;
	options.nranges = KERNEL_RANGES;
	memset(m->results, 0, sizeof(m->results));
	return probe_compare(&options, &events);
}

/* --- which of them is at fault --------------------------------------------------------- */

/* What the probe's own client could not read, or what was written to meanwhile, proves nothing.
 * Returns the number of ranges that differ other than by an error. */
static unsigned int mounted_compare(struct mounted *m, unsigned int *compared)
{
	unsigned int i, moved = 0;

	*compared = 0;
	for (i = 0; i < KERNEL_RANGES; i++) {
		struct kernel_read *read = &m->reads[i];
		struct kernel_record *r = &read->record;
		const struct probe_range_result *own = &m->results[i];
		enum probe_range_fate fate = own->fate;
		bool same = !r->error && r->length == own->length && r->digest == own->digest;

		if (fate != PROBE_RANGE_RIGHT && fate != PROBE_RANGE_WRONG)
			read->tried = false;
		if (!read->tried)
			continue;
		++*compared;
		read->whole = fate == PROBE_RANGE_RIGHT;
		r->wrong = same ? UINT32_MAX : 0;
		/* A hard mount has no time-outs. */
		r->ms = m->mount->hard ? 0 : r->ms;
		moved += !r->error && !same;
	}
	return moved;
}

static unsigned int mounted_count_wrong(const struct mounted *m)
{
	unsigned int i, count = 0;

	for (i = 0; i < KERNEL_RANGES; i++)
		count += m->reads[i].tried && m->results[i].fate == PROBE_RANGE_WRONG;
	return count;
}

static void mounted_report_wrong(const struct mounted *m, const struct kernel_judgement *j)
{
	const struct kernel_record *first = &m->reads[j->first].record;
	unsigned int ours = mounted_count_wrong(m);
	_cleanup_(finding_fini) struct finding f = { 0 };
	char text[160];

	kernel_wrong_text(first, j->smallest_wrong, text, sizeof(text));
	finding_init(
		&f, "kernel.read", FINDING_FAIL,
		"%u of %u reads through the kernel failed, the first of %u bytes: %s. %s",
		j->tried - j->right, j->tried, j->smallest_wrong, text,
		!ours ? "The probe's own client reads the same correctly over RDMA: the cause is this host's kernel, or its device"
		      : "The probe's own client gets wrong data over RDMA too: the cause is the server, or the path to it");
	finding_reason(&f, ours ? "server" : kernel_wrong_reason(j->fault, first));
	finding_text(&f, "target", "%s", m->mount->target);
	if (first->error)
		finding_text(&f, "error_text", "%s", strerrordesc_np(first->error));
	finding_text(&f, "guilty", "%s", ours ? "server or transport" : "kernel client");
	finding_text(&f, "file", "%.500s", m->file);
	finding_number(&f, "largest_right", j->largest_right);
	finding_number(&f, "smallest_wrong", j->smallest_wrong);
	finding_number(&f, "tried", j->tried);
	finding_number(&f, "right", j->right);
	finding_number(&f, "wrong_for_our_client", ours);
	mounted_emit(m, &f);
}

/* Where only the probe's own client gets wrong data, the kernel is not at fault: it warns. */
static void mounted_report_right(const struct mounted *m, const struct kernel_judgement *j)
{
	unsigned int ours = mounted_count_wrong(m);
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(
		&f, "kernel.read", ours ? FINDING_WARN : FINDING_PASS,
		ours ? "%u reads through the kernel returned correct data, but %u of these are wrong for the probe's own client over RDMA: probe the server"
		     : "%u reads through the kernel returned correct data, identical for the probe's own client and the reference",
		j->tried, ours);
	if (ours) {
		finding_reason(&f, "probe-only");
		finding_text(&f, "guilty", "server or transport");
	}
	finding_text(&f, "file", "%.500s", m->file);
	finding_number(&f, "largest_right", j->largest_right);
	finding_number(&f, "tried", j->tried);
	finding_number(&f, "right", j->right);
	mounted_emit(m, &f);
}

static void mounted_report_bug(const struct mounted *m, const struct kernel_judgement *j)
{
	bool otherwise = j->fault == KERNEL_WRONG;
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (j->fault == KERNEL_BUG_812) {
		finding_init(
			&f, "bug.read-812", FINDING_FAIL,
			"this host's kernel cannot read more than %u bytes over NFS/RDMA: longer reads through %s fail with an input/output error, and the probe's own client reads the same correctly",
			j->largest_right, m->mount->target);
		finding_reason(&f, "lost");
	} else if (j->fault == KERNEL_RIGHT && j->largest_right >= 4096) {
		finding_init(&f, "bug.read-812", FINDING_PASS,
			     "this host's kernel reads long replies correctly (through %s)",
			     m->mount->target);
	} else {
		finding_init(&f, "bug.read-812", FINDING_UNKNOWN, "unknown: %s",
			     otherwise ? "reads fail in another way"
				       : "too little was read through the kernel");
		finding_reason(&f, otherwise ? "otherwise" : "too-few");
	}
	finding_text(&f, "by", "reading through %s", m->mount->target);
	finding_number(&f, "largest_right", j->largest_right);
	mounted_emit(m, &f);
}

/* @read and @failed: by the kernel. */
static void mounted_judge(struct mounted *m, unsigned int read, unsigned int failed,
			  unsigned int compared)
{
	struct kernel_judgement j;
	char text[400];

	m->kernel_wrong = m->silent || failed;
	if (!compared) {
		snprintf(
			text, sizeof(text),
			"%u of %u reads through the kernel failed, and there is nothing to compare them with%s",
			failed, read, m->end);
		mounted_emit_read(m, FINDING_UNKNOWN, "no-reference", text);
		return;
	}
	kernel_judge(m->reads, compared, &j);
	m->kernel_wrong = m->kernel_wrong || j.fault != KERNEL_RIGHT;
	if (m->silent) {
		snprintf(text, sizeof(text), "a read through the kernel did not complete in time%s",
			 m->end);
		mounted_emit_read(m, FINDING_FAIL, "hangs", text);
		j.fault = j.fault == KERNEL_RIGHT ? KERNEL_CUT : j.fault;
	} else if (j.fault == KERNEL_RIGHT) {
		mounted_report_right(m, &j);
	} else {
		mounted_report_wrong(m, &j);
	}
	mounted_report_bug(m, &j);
}

/* What differs may have been written to in between: read all of it once more. */
static int mounted_read_and_compare(struct mounted *m)
{
	unsigned int read = 0, failed = 0, compared = 0, round, i;
	const struct kernel_tried first = m->tried;
	int rc;

	for (round = 0; round < 2; round++) {
		rc = round ? mounted_read_by_kernel(m, m->file) : 0;
		if (rc)
			return rc;
		if (!m->mount) {
			m->tried = first;
			m->mount = &m->tried.mount;
			mounted_emit_read(
				m, FINDING_UNKNOWN, "no-reference",
				"what was read differs, and it could not be mounted again to see whether it had changed");
			return 0;
		}
		for (read = failed = 0, i = 0; i < KERNEL_RANGES; i++) {
			read += m->reads[i].tried;
			failed += m->reads[i].tried && m->reads[i].record.error;
		}
		rc = mounted_read_by_probe(m, !round);
		if (rc)
			return rc;
		if (!mounted_compare(m, &compared))
			break;
	}
	mounted_judge(m, read, failed, compared);
	return 0;
}

/* --- WRITEs ----------------------------------------------------------------------------------- */

/* Below the path, or beside it if it is a file. */
static int mounted_write(struct mounted *m)
{
	char export[512], dir[KERNEL_PATH_MAX];
	const struct kernel_mounted_write w = {
		.options = m->options,
		.events = m->events,
		.mount = m->mount,
		.dir = dir,
		.cred = mounted_cred(m),
		.deadline = m->deadline,
		.probe = mounted_probe(m),
		.export = export,
	};
	_cleanup_(finding_fini) struct finding f = { 0 };
	char *slash;

	if (m->kernel_wrong) {
		finding_init(&f, "kernel.write", FINDING_SKIP,
			     "nothing was written, because not all reads are right");
		mounted_emit(m, &f);
		return 0;
	}
	mounted_export(m, export, sizeof(export));
	str_copy(dir, sizeof(dir), m->below);
	if (*m->file && !strcmp(m->file, m->below)) {
		slash = strrchr(dir, '/');
		*(slash ? slash : dir) = '\0';
	}
	return kernel_mounted_write(&w);
}

/* The kernel has chosen a file and read it. */
static int mounted_judge_file(struct mounted *m)
{
	const struct kernel_chosen *chosen = &m->chosen;
	char text[400];
	unsigned int i;
	int rc;

	if (chosen->error) {
		snprintf(text, sizeof(text), "%s%s",
			 *chosen->why ? chosen->why
				      : "the mount does not answer; its server may be down",
			 m->end);
		finding_clean(text);
		mounted_emit_read(m, FINDING_UNKNOWN, kernel_no_file_reason(chosen), text);
		/* A new export has no file to read, or none that this user may read. */
		return m->options->scratch && *chosen->why &&
				       (chosen->error == ENOENT || chosen->error == EACCES)
			       ? mounted_write(m)
			       : 0;
	}
	finding_clean(m->chosen.path);
	str_copy(m->file, sizeof(m->file), m->chosen.path);
	m->events->subject(m->events->arg, "file", m->file);
	for (i = 0; i < KERNEL_RANGES; i++)
		m->ranges[i] = kernel_range_of(i, m->chosen.size);
	rc = mounted_read_and_compare(m);
	return rc || !m->options->scratch ? rc : mounted_write(m);
}

static int mounted_test(struct mounted *m)
{
	int rc;

	if (!mounted_report_mount(m))
		return 0;
	m->chosen.error = ETIMEDOUT;
	rc = mounted_read_by_kernel(m, m->below);
	return rc ? rc : mounted_judge_file(m);
}

/* Without redundant slashes; ".." would have to be looked up. */
static int mounted_clean_path(const char *path, char *out, size_t cap)
{
	size_t used = 0, len;

	if (*path != '/')
		return err_set(EINVAL, "--mount takes an absolute path, not '%.60s'", path);
	while (*path) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if ((len == 1 && *path == '.') || (len == 2 && !strncmp(path, "..", 2)))
			return err_set(EINVAL, "--mount takes a path without . and ..");
		if (used + len + 2 > cap)
			return err_set(ENAMETOOLONG, "the path of --mount is too long");
		if (len)
			out[used++] = '/';
		memcpy(out + used, path, len);
		used += len;
		path += len;
	}
	if (!used)
		out[used++] = '/';
	out[used] = '\0';
	return 0;
}

int kernel_mounted(const struct kernel_mount_options *options, const struct probe_events *events)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_free_ struct mounted *m = calloc(1, sizeof(*m));
	struct nfs_mounts mounts = { 0 };
	char path[KERNEL_PATH_MAX];
	int rc;

	if (!m)
		return err_no_memory();
	m->options = options;
	m->events = events;
	m->deadline = deadline_in(options->timeout_ms);
	rc = mounted_clean_path(options->path, path, sizeof(path));
	if (rc)
		return rc;
	rc = host_open(&host, NULL);
	if (rc)
		return rc;
	rc = host_nfs_mounts(host, &mounts);
	if (!rc) {
		mounted_find(m, &mounts, path);
		rc = mounted_test(m);
	}
	host_nfs_mounts_fini(&mounts);
	return rc;
}

/* --- a trial -------------------------------------------------------------------------------- */

static int mounted_try(struct mounted *m)
{
	_cleanup_close_ int log = live_kmsg_begin();
	_cleanup_(finding_fini) struct finding f = { 0 };
	struct live_log lines;
	char server[256];
	int rc;

	m->chosen.error = ETIMEDOUT;
	rc = mounted_read_by_kernel(m, m->trial->file);
	if (rc)
		return rc;
	/* Without the log it has fewer words. */
	live_kmsg_since(log, &lines);
	snprintf(server, sizeof(server), "%.*s",
		 (int)(strstr(m->trial->spec, ":/") - m->trial->spec), m->trial->spec);
	kernel_trial_finding(&m->tried, server, &lines, m->end, &f);
	live_log_fini(&lines);
	finding_text(&f, "options", "%s", m->trial->options);
	mounted_emit(m, &f);
	return m->mount ? mounted_judge_file(m) : 0;
}

int kernel_try(const struct kernel_trial_options *options, const struct probe_events *events)
{
	const struct kernel_mount_options as = { .timeout_ms = options->timeout_ms,
						 .nfs_port = options->nfs_port,
						 .has_cred = options->has_cred,
						 .cred = options->cred };
	_cleanup_(host_text_fini) struct host_text modules = { NULL, 0 };
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_free_ struct mounted *m = calloc(1, sizeof(*m));
	int rc = m ? host_open(&host, NULL) : err_no_memory();

	if (rc)
		return rc;
	m->options = &as;
	m->events = events;
	m->trial = options;
	m->deadline = deadline_in(options->timeout_ms);
	/* Without it the report does not name them. */
	host_read(host, "proc/modules", HOST_FILE_MAX, &modules);
	rc = mounted_try(m);
	kernel_report_modules(host, events, &modules);
	return rc;
}
