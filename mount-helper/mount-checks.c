/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Runs the checks of `nfsrdma check` that a mount has time for. Before mount.nfs: this host and,
 * depending on the policy, the path to the server, or a quick probe with real READs. After
 * mount.nfs has failed: the path to the server, for the cause. Data from the network are decoded in
 * a process without privileges (rpcrdma/probe, remote-rpcbind.c). The check fabric.listener
 * connects, sends a NULL call, and disconnects. */
#include <stdio.h>
#include <time.h>

#include "mount-helper/internal.h"
#include "rpcrdma/probe/probe.h"

/* After a failure: enough for one connection attempt. */
#define CAUSE_MS 5000

struct mount_checks_context {
	struct helper *helper;
	bool stops;        /* before the mount: settings of a configuration file do not count */
	bool quiet;        /* already in the journal */
	unsigned int late; /* checks for which there was no time */
};

/* Some findings are no reason to refuse: for instance, settings of a configuration file do not
 * affect the options that mount.nfs gets. Findings without a check come from the probe: wrong
 * data. */
static enum checks_result mount_checks_classify(const struct finding *finding, bool stops)
{
	static const enum checks_result results[] = {
		[CHECK_MOUNT_NO] = CHECKS_PERMANENT,  [CHECK_MOUNT_STOPS] = CHECKS_PERMANENT,
		[CHECK_MOUNT_DEVICE] = CHECKS_DEVICE, [CHECK_MOUNT_TELLS] = CHECKS_PERMANENT,
		[CHECK_MOUNT_PATH] = CHECKS_PATH,     [CHECK_MOUNT_SERVER] = CHECKS_REFUSED,
	};
	enum check_at_mount kind = CHECK_MOUNT_NO;
	const struct check *const *check;

	for (check = check_table; *check; check++)
		if (!strcmp((*check)->id, finding->id))
			kind = (*check)->at_mount;
	/* The plan's options have transport and port. */
	if (finding->status == FINDING_FAIL && kind == CHECK_MOUNT_TELLS &&
	    (stops || finding_evidence(finding, CHECK_SPARES)[0]))
		return CHECKS_ALLOW;
	if (finding->status == FINDING_FAIL)
		return results[kind];
	if (finding->status == FINDING_UNKNOWN && kind == CHECK_MOUNT_SERVER &&
	    finding_evidence(finding, CHECK_SILENT)[0])
		return CHECKS_SILENT;
	return CHECKS_ALLOW;
}

static void mount_checks_take(struct mount_checks_context *run, const struct finding *finding)
{
	struct mount_checks *checks = &run->helper->checks;
	enum checks_result result = mount_checks_classify(finding, run->stops);
	bool quiet = run->quiet;

	/* One entry for all checks for which there was no time. */
	if (finding->status == FINDING_UNKNOWN && !strcmp(finding->reason, "out-of-time") &&
	    run->late++)
		quiet = true;
	if (!quiet && (finding->status == FINDING_FAIL || finding->status == FINDING_WARN ||
		       finding->status == FINDING_UNKNOWN))
		message_finding(run->helper, finding);
	/* Of two of the same weight the first one counts: checks are in the order of causes. */
	if (result <= checks->result)
		return;
	checks->result = result;
	finding_copy(&checks->reason, finding);
}

static void mount_checks_on_finding(void *arg, const struct finding *finding)
{
	_cleanup_(finding_fini) struct finding weighed = { 0 };

	consequence_weigh(&weighed, finding);
	mount_checks_take(arg, &weighed);
}

static void mount_checks_run(struct mount_checks_context *run, bool path, uint64_t deadline)
{
	const struct host *host = run->helper->host;
	const struct live_ops *live = host_is_live(host) ? &live_helper : &live_replay;
	const struct check *chosen[CHECKS_AT_MOUNT_MAX + 1];

	checks_at_mount(path, chosen);
	if (checks_run(chosen, host, live, &run->helper->target, deadline, mount_checks_on_finding,
		       run))
		message_send(run->helper, JOURNAL_WARNING, "%s: checks failed to run: %s",
			     message_mount(run->helper), err_text());
}

/* --- level read ------------------------------------------------------------------------------- */

static void mount_checks_on_subject(void *arg, const char *key, const char *value)
{
	(void)arg, (void)key, (void)value;
}

static void mount_checks_probe(struct mount_checks_context *run, uint64_t deadline)
{
	struct helper *helper = run->helper;
	const struct plan *plan = helper->plan;
	const struct probe_events events = { .finding = mount_checks_on_finding,
					     .subject = mount_checks_on_subject,
					     .arg = run };
	struct probe_options options = {
		.host = helper->target.server,
		.export = helper->target.export,
		.port = helper->target.port,
		.level = PROBE_QUICK,
		.timeout_ms = (unsigned int)deadline_left(deadline),
	};
	char version[16];

	/* The version that the options pin, otherwise any. */
	if (plan->nfs_major == 4)
		snprintf(version, sizeof(version), "4.%d", plan->nfs_minor);
	else
		snprintf(version, sizeof(version), "%d", plan->nfs_major);
	if (plan->nfs_major && (plan->nfs_major != 4 || plan->nfs_minor >= 0))
		options.version = nfs_version_find(version);
	if (probe_run(&options, &events))
		message_send(helper, JOURNAL_WARNING, "%s: probe failed to run: %s",
			     message_mount(helper), err_text());
}

/* --- before and after mount.nfs
 * ----------------------------------------------------------------- */

static int mount_checks_begin(struct helper *helper)
{
	struct report *report = report_new(helper->name);
	char port[16];

	if (!report)
		return err_no_memory();
	report_free(helper->report);
	helper->report = report;
	report_subject(report, "server", helper->target.server);
	report_subject(report, "export", helper->target.export);
	snprintf(port, sizeof(port), "%u", helper->target.port);
	report_subject(report, "port", port);
	finding_fini(&helper->checks.reason);
	memset(&helper->checks, 0, sizeof(helper->checks));
	return 0;
}

static void mount_checks_end(struct helper *helper)
{
	waiting_erase(&helper->waiting);
	helper->checks.at_ms = now_ms();
}

int mount_checks_before(struct helper *helper, bool again)
{
	enum policy_check level = helper->plan->policy.check;
	struct mount_checks_context run = { .helper = helper, .stops = true, .quiet = again };
	uint64_t deadline = again ? deadline_in(helper->plan->policy.deadline_ms)
				  : helper->deadline;
	int rc = mount_checks_begin(helper);

	if (rc || level == POLICY_CHECK_NONE)
		return rc;
	waiting_busy(&helper->waiting,
		     level >= POLICY_CHECK_READ ? "reading from %.150s before the mount"
						: "checking RDMA to %.150s",
		     helper->target.server);
	mount_checks_run(&run, level >= POLICY_CHECK_CONNECT, deadline);
	if (level >= POLICY_CHECK_READ && helper->checks.result == CHECKS_ALLOW)
		mount_checks_probe(&run, deadline);
	mount_checks_end(helper);
	return 0;
}

int mount_checks_after(struct helper *helper)
{
	struct mount_checks_context run = { .helper = helper };
	int rc = mount_checks_begin(helper);

	if (rc)
		return rc;
	waiting_busy(&helper->waiting, "mount.nfs failed; checking RDMA to %.150s for the cause",
		     helper->target.server);
	/* A new deadline: mount.nfs may have used up the old one. */
	mount_checks_run(&run, true, deadline_in(CAUSE_MS));
	mount_checks_end(helper);
	return 0;
}
