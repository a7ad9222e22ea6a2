/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Mounts as metrics: requested and actual transport, and the counters of mountstats. Pure. The
 * labels export, protocol, mountaddr and mountpoint are those of node_exporter's collector
 * mountstats. A mount with several connections has the sum of their counters. */
#include "plugin/mounts/internal.h"

struct mounts_measure {
	const struct mounts_measured *what;
	struct report *report;
	const struct mount_verdict *verdict; /* of this mount */
	/* Of this mount: export, mountaddr, mountpoint; room for four more; the end. */
	struct metric_label labels[8];
};

#define LABELS_OF_MOUNT 3

static void mounts_measure(const struct mounts_measure *m, enum metric metric, double value)
{
	report_metric(m->report, metric, value, m->labels);
}

static void mounts_measure_counters(const struct mounts_measure *m)
{
	const struct host_system *system = m->what->system;
	const struct nfs_reads *reads = &m->verdict->mount->reads;
	/* Jiffies before Linux 5.0, of unknown length. */
	bool has_seconds = system && system->kernel[0] >= 5;
	struct xprt_sum sum;
	unsigned int i;

	mounts_sum(m->verdict->mount, &sum);
	mounts_measure(m, METRIC_MOUNT_CONNECTIONS, sum.nxprts);
	for (i = 0; i < sum.ncolumns; i++) {
		if (xprt_columns[i].metric == METRIC_COUNT ||
		    (xprt_columns[i].metric == METRIC_XPRT_CONNECT_TIME && !has_seconds))
			continue;
		mounts_measure(m, xprt_columns[i].metric, (double)sum.values[i]);
	}
	if (reads->broken)
		return;
	if (reads->has_calls) {
		mounts_measure(m, METRIC_MOUNT_READS, (double)reads->calls);
		mounts_measure(m, METRIC_MOUNT_READ_RECEIVED, (double)reads->received);
	}
	if (reads->has_events)
		mounts_measure(m, METRIC_MOUNT_SHORT_READS, (double)reads->shorts);
	if (reads->has_bytes)
		mounts_measure(m, METRIC_MOUNT_READ_BYTES, (double)reads->bytes);
}

/* rate() of a time by rate() of the calls is the average. Nothing of operations that were never
 * called. */
static void mounts_measure_operations(struct mounts_measure *m, struct metric_label *label)
{
	static const char *const names[NFS_OPERATIONS] = { "READ", "WRITE", "COMMIT", "GETATTR" };
	const struct nfs_operation *operation = m->verdict->mount->operations;
	unsigned int i;

	for (i = 0; i < NFS_OPERATIONS; i++, operation++) {
		if (operation->broken || !operation->calls)
			continue;
		*label = (struct metric_label){ "operation", names[i] };
		mounts_measure(m, METRIC_OPERATION_CALLS, (double)operation->calls);
		if (operation->has_errors)
			mounts_measure(m, METRIC_OPERATION_ERRORS, (double)operation->errors);
		if (operation->sent >= operation->calls)
			mounts_measure(m, METRIC_OPERATION_RETRANSMISSIONS,
				       (double)(operation->sent - operation->calls));
		mounts_measure(m, METRIC_OPERATION_QUEUE, (double)operation->queue_ms / 1000);
		mounts_measure(m, METRIC_OPERATION_RTT, (double)operation->rtt_ms / 1000);
		mounts_measure(m, METRIC_OPERATION_EXECUTE, (double)operation->execute_ms / 1000);
	}
	*label = (struct metric_label){ NULL, NULL };
}

static void mounts_measure_mount(struct mounts_measure *m, const struct mount_verdict *verdict)
{
	const struct view_mount *view = verdict->view;
	const struct nfs_mount *mount = verdict->mount;
	const struct mount_answer *answer = verdict->answer;
	struct metric_label *more = &m->labels[LABELS_OF_MOUNT];

	memset(m->labels, 0, sizeof(m->labels));
	m->verdict = verdict;
	m->labels[0] = (struct metric_label){ "export", mount->fs_spec };
	m->labels[1] = (struct metric_label){ "mountaddr", mount->addr };
	m->labels[2] = (struct metric_label){ "mountpoint", mount->target };

	more[0] = (struct metric_label){ "nfs_version", mount->vers };
	more[1] = (struct metric_label){ "protocol", view_run_name(mount) };
	more[2] = (struct metric_label){ "requested", view_asked_name(view->wanted.asked) };
	more[3] = (struct metric_label){ "requested_by", view_by_name(view->wanted.by) };
	mounts_measure(m, METRIC_MOUNT_INFO, 1);
	memset(more, 0, 4 * sizeof(*more));

	if (view->run != RUN_UNKNOWN)
		mounts_measure(m, METRIC_MOUNT_RDMA, view_run_is_rdma(view->run));
	if (view->wanted.rdma || view->wanted.asked != ASKED_UNKNOWN)
		mounts_measure(m, METRIC_MOUNT_RDMA_REQUESTED, view->wanted.rdma);
	mounts_measure(m, METRIC_MOUNT_AGE, (double)mount->age);
	if (answer && answer->state == MOUNT_ANSWERED) {
		mounts_measure(m, METRIC_MOUNT_ANSWERS, 1);
		mounts_measure(m, METRIC_MOUNT_ANSWER, answer->ms / 1000);
	} else if (answer && answer->state == MOUNT_NO_ANSWER) {
		mounts_measure(m, METRIC_MOUNT_ANSWERS, 0);
	}
	if (!view_run_is_rdma(view->run) && view->run != RUN_MIXED)
		return;
	more[0] = (struct metric_label){ "protocol", "rdma" };
	mounts_measure_counters(m);
	mounts_measure_operations(m, &more[1]);
}

void mounts_metrics(const struct mounts_measured *what, struct report *report)
{
	struct mounts_measure m = { .what = what, .report = report };
	unsigned int i, bad, total = 0, shown = 0;

	/* Those that need attention come first. */
	for (bad = 2; bad-- > 0;) {
		for (i = 0; i < view_nfs(what->seen->view)->count; i++) {
			const struct mount_verdict *verdict = &what->verdicts[i];
			enum view_state state = verdict->view->state;
			bool needs_care = state == VIEW_BAD || state == VIEW_TOLERATED ||
					  state == VIEW_UNKNOWN;

			/* A mount that a later one hides cannot be accessed. */
			if (needs_care != bad || verdict->view->covered ||
			    (what->has && !what->has(what->arg, verdict->mount)))
				continue;
			total++;
			if (shown == MOUNTS_MEASURED_MAX)
				continue;
			shown++;
			mounts_measure_mount(&m, verdict);
		}
	}
	report_metric(report, METRIC_MOUNTS, total, NULL);
	report_metric(report, METRIC_MOUNTS_OMITTED, total - shown, NULL);
}

void mounts_metrics_of(const struct host *host, struct mounts_measured *what, struct report *report)
{
	struct host_system system;

	what->system = host_system(host, &system) ? NULL : &system;
	mounts_metrics(what, report);
	what->system = NULL;
}
