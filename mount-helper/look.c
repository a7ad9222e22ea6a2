/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The checks of `nfsrdma check` that a mount has time for; there are no others here. Before
 * mount.nfs: of this host alone, and, where policy wants it, of the way to the server, or a quick
 * probe with real READs. After mount.nfs failed: the way to the server, for the cause. What comes
 * from the network is decoded in a process without privilege (rpcrdma/probe, remote-rpcbind.c). */
#include <stdio.h>

#include "mount-helper/internal.h"
#include "rpcrdma/probe/probe.h"

/* After a failure: one connection, not all that a generous deadline allows. */
#define CAUSE_MS 5000

struct looking {
	struct helper *helper;
	struct look *look;
	bool stops; /* a failure forbids the mount */
};

/* A finding that is no reason to refuse: mount.nfs gets options that the settings of a
 * configuration file do not touch, for instance. */
static bool only_tells(const char *id)
{
	const struct check *const *check;

	for (check = check_table; *check; check++)
		if (!strcmp((*check)->id, id))
			return (*check)->at_mount == CHECK_MOUNT_TELLS;
	return false;
}

static void on_finding(void *arg, const struct finding *finding)
{
	struct looking *looking = arg;
	struct look *look = looking->look;

	report_add(looking->helper->report, finding);
	if (finding->status != FINDING_FAIL && finding->status != FINDING_WARN &&
	    finding->status != FINDING_UNKNOWN)
		return;
	tell_finding(looking->helper, finding);
	if (finding->status != FINDING_FAIL ||
	    (looking->stops && only_tells(finding->id)))
		return;
	if (!look->failed++)
		look->first = *finding;
}

static void run_checks(struct looking *looking, bool path, uint64_t deadline)
{
	const struct check *chosen[CHECKS_AT_MOUNT_MAX + 1];

	checks_at_mount(path, chosen);
	if (checks_run(chosen, looking->helper->host, &live_helper,
		       &looking->helper->target, deadline, on_finding, looking))
		tell(looking->helper, JOURNAL_WARNING, "%s: the checks did not run: %s",
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
		tell(helper, JOURNAL_WARNING, "%s: the probe did not run: %s",
		     tell_mount(helper), err_text());
}

void look_before(struct helper *helper, enum policy_check level, struct look *look)
{
	struct looking looking = { .helper = helper, .look = look, .stops = true };

	memset(look, 0, sizeof(*look));
	if (level == POLICY_CHECK_NONE)
		return;
	run_checks(&looking, level >= POLICY_CHECK_CONNECT, helper->deadline);
	if (level >= POLICY_CHECK_READ && !look->failed)
		run_probe(&looking, helper->deadline);
}

void look_after(struct helper *helper, struct look *look)
{
	struct looking looking = { .helper = helper, .look = look };

	memset(look, 0, sizeof(*look));
	/* What mount.nfs took of the time is its own. */
	run_checks(&looking, true, deadline_in(CAUSE_MS));
}
