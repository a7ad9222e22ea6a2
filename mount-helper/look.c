/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Runs the checks of `nfsrdma check` that a mount has time for. Before mount.nfs: this host and,
 * depending on the policy, the path to the server, or a quick probe with real READs. After mount.nfs
 * has failed: the path to the server, for the cause. Data from the network are decoded in a process
 * without privileges (rpcrdma/probe, remote-rpcbind.c). The check fabric.listener connects, sends a
 * NULL call, and disconnects. */
#include <stdio.h>
#include <time.h>

#include "mount-helper/internal.h"
#include "rpcrdma/probe/probe.h"

/* After a failure: enough for one connection attempt. */
#define CAUSE_MS 5000

struct looking {
	struct helper *helper;
	bool stops; /* before the mount: settings of a configuration file do not count */
	bool quiet; /* already in the journal */
};

static enum check_at_mount kind_of(const char *id)
{
	const struct check *const *check;

	for (check = check_table; *check; check++)
		if (!strcmp((*check)->id, id))
			return (*check)->at_mount;
	return CHECK_MOUNT_NO;
}

/* Some findings are no reason to refuse: for instance, settings of a configuration file do not affect the
 * options that mount.nfs gets. Findings without a check come from the probe: wrong data. */
static enum look_says says_of(const struct finding *finding, bool stops)
{
	static const enum look_says says[] = {
		[CHECK_MOUNT_NO] = LOOK_NEVER,      [CHECK_MOUNT_STOPS] = LOOK_NEVER,
		[CHECK_MOUNT_DEVICE] = LOOK_DEVICE, [CHECK_MOUNT_TELLS] = LOOK_NEVER,
		[CHECK_MOUNT_PATH] = LOOK_PATH,     [CHECK_MOUNT_SERVER] = LOOK_REFUSED,
	};
	enum check_at_mount kind = kind_of(finding->id);

	/* The plan's options have transport and port. */
	if (finding->status == FINDING_FAIL && kind == CHECK_MOUNT_TELLS &&
	    (stops || finding_evidence(finding, CHECK_SPARES)[0]))
		return LOOK_NOTHING;
	if (finding->status == FINDING_FAIL)
		return says[kind];
	if (finding->status == FINDING_UNKNOWN && kind == CHECK_MOUNT_SERVER &&
	    finding_evidence(finding, CHECK_SILENT)[0])
		return LOOK_SILENT;
	return LOOK_NOTHING;
}

static void on_finding(void *arg, const struct finding *finding)
{
	struct looking *looking = arg;
	struct look *look = &looking->helper->look;
	enum look_says says = says_of(finding, looking->stops);

	report_add(looking->helper->report, finding);
	if (!looking->quiet &&
	    (finding->status == FINDING_FAIL || finding->status == FINDING_WARN ||
	     finding->status == FINDING_UNKNOWN))
		tell_finding(looking->helper, finding);
	/* Of two of the same weight the first one counts: checks are in the order of causes. */
	if (says <= look->says)
		return;
	look->says = says;
	look->reason = *finding;
}

static void run_checks(struct looking *looking, bool path, uint64_t deadline)
{
	const struct host *host = looking->helper->host;
	const struct live_ops *live = host_is_live(host) ? &live_helper : &live_replay;
	const struct check *chosen[CHECKS_AT_MOUNT_MAX + 1];

	checks_at_mount(path, chosen);
	if (checks_run(chosen, host, live, &looking->helper->target, deadline, on_finding,
		       looking))
		tell(looking->helper, JOURNAL_WARNING, "%s: checks failed to run: %s",
		     tell_mount(looking->helper), err_text());
}

/* --- level read ------------------------------------------------------------------------------- */

static void on_subject(void *arg, const char *key, const char *value)
{
	(void)arg, (void)key, (void)value;
}

/* The version that the options pin, for the probe; NULL: any. */
static const struct nfs_version *version_of(const struct plan *plan)
{
	char name[16];

	if (!plan->nfs_major || (plan->nfs_major == 4 && plan->nfs_minor < 0))
		return NULL;
	if (plan->nfs_major == 4)
		snprintf(name, sizeof(name), "4.%d", plan->nfs_minor);
	else
		snprintf(name, sizeof(name), "%d", plan->nfs_major);
	return nfs_version_find(name);
}

static void run_probe(struct looking *looking, uint64_t deadline)
{
	struct helper *helper = looking->helper;
	const struct probe_events events = { .finding = on_finding,
					     .subject = on_subject,
					     .arg = looking };
	const struct probe_options options = {
		.host = helper->target.server,
		.export = helper->target.export,
		.port = helper->target.port,
		.version = version_of(helper->plan),
		.level = PROBE_QUICK,
		.timeout_ms = (unsigned int)deadline_left(deadline),
	};

	if (probe_run(&options, &events))
		tell(helper, JOURNAL_WARNING, "%s: probe failed to run: %s",
		     tell_mount(helper), err_text());
}

/* --- a look ------------------------------------------------------------------------------------- */

static int begin(struct helper *helper)
{
	struct report *report = report_new(helper->name);
	char port[16];

	if (!report)
		return err_set(ENOMEM, "no memory for a report");
	report_free(helper->report);
	helper->report = report;
	report_subject(report, "server", helper->target.server);
	report_subject(report, "export", helper->target.export);
	snprintf(port, sizeof(port), "%u", helper->target.port);
	report_subject(report, "port", port);
	memset(&helper->look, 0, sizeof(helper->look));
	return 0;
}

static void end(struct helper *helper, time_t started, uint64_t start_ns)
{
	waiting_erase(&helper->waiting);
	helper->look.at_ms = now_ms();
	report_times(helper->report, started, (double)(now_ns() - start_ns) / 1e6);
}

int look_before(struct helper *helper, enum policy_check level, bool again)
{
	struct looking looking = { .helper = helper, .stops = true, .quiet = again };
	uint64_t deadline = again ? deadline_in(helper->plan->policy.deadline_ms)
				  : helper->deadline;
	uint64_t start = now_ns();
	time_t started = time(NULL);
	int rc = begin(helper);

	if (rc || level == POLICY_CHECK_NONE)
		return rc;
	waiting_busy(&helper->waiting,
		     level >= POLICY_CHECK_READ ? "reading from %.150s before the mount"
						: "checking RDMA to %.150s",
		     helper->target.server);
	run_checks(&looking, level >= POLICY_CHECK_CONNECT, deadline);
	if (level >= POLICY_CHECK_READ && helper->look.says == LOOK_NOTHING)
		run_probe(&looking, deadline);
	end(helper, started, start);
	return 0;
}

int look_after(struct helper *helper)
{
	struct looking looking = { .helper = helper };
	uint64_t start = now_ns();
	time_t started = time(NULL);
	int rc = begin(helper);

	if (rc)
		return rc;
	waiting_busy(&helper->waiting,
		     "mount.nfs failed; checking RDMA to %.150s for the cause",
		     helper->target.server);
	/* A new deadline: mount.nfs may have used up the old one. */
	run_checks(&looking, true, deadline_in(CAUSE_MS));
	end(helper, started, start);
	return 0;
}
