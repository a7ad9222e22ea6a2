/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* before_vdsm_start: as root, before VDSM mounts anything. If this host has an RDMA device, or a
 * policy that requests RDMA, it loads the modules that a mount needs: rpcrdma, and the RDMA drivers
 * of its adapters. Then it runs the checks that the mount helper runs before each mount, and logs
 * problems in the journal; VDSM starts in any case. */
#include <stdarg.h>
#include <stdio.h>

#include "hooks/vdsm/internal.h"
#include "plugin/checks/checks.h"
#include "plugin/live/live.h"
#include "plugin/host/tool.h"
#include "plugin/report/report.h"
#include "rpcrdma/nfs/nfs.h"

/* The part of the deadline for the modules. */
#define LOAD_MS     3000
#define MISSING_MAX 16
#define OUTPUT_MAX  4096

static void start_log(const char *fmt, ...) PRINTF_LIKE(1, 2);

static void start_log(const char *fmt, ...)
{
	const struct journal_field fields[] = { { "NFSRDMA_HOOK", "before_vdsm_start" } };
	char text[HOOK_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_clean(text);
	journal_send(JOURNAL_WARNING, VDSM_WHO, text, fields, ARRAY_SIZE(fields));
}

/* --- modules -------------------------------------------------------------------------------- */

/* @asked_for: by its name, as a mount does it, which ignores the blacklist. */
static void start_load(const struct vdsm_call *call, const char *name, bool asked_for,
		       uint64_t deadline)
{
	static const char *const programs[] = { "/usr/sbin/modprobe", "/sbin/modprobe" };
	struct host_text output = { NULL, 0 };
	char program[PATH_MAX], module[64];
	int rc = -ENOENT;
	size_t i;

	text_copy(module, sizeof(module), name);
	for (i = 0; rc == -ENOENT && i < ARRAY_SIZE(programs); i++) {
		snprintf(program, sizeof(program), "%s%s", call->root ? call->root : "",
			 programs[i]);
		rc = tool_run((const char *[]){ program, asked_for ? "--" : "--use-blacklist",
						module, NULL },
			      OUTPUT_MAX, deadline, &output);
		host_text_fini(&output);
	}
	if (rc)
		start_log("the module %s could not be loaded: %s", module, err_text());
}

/* "mlx5_ib for 0000:3b:00.0" */
static void start_load_drivers(const struct vdsm_call *call, char missing[][96], int count,
			       uint64_t deadline)
{
	int i, before;

	for (i = 0; i < count; i++) {
		missing[i][strcspn(missing[i], " ")] = '\0';
		for (before = 0; before < i; before++)
			if (!strcmp(missing[before], missing[i]))
				break;
		if (before == i)
			start_load(call, missing[i], false, deadline);
	}
}

/* --- what is not ready ---------------------------------------------------------------------- */

static void start_log_finding(const struct finding *finding)
{
	struct report_advice advice;
	const struct journal_field fields[] = {
		{ "NFSRDMA_HOOK", "before_vdsm_start" },
		{ "NFSRDMA_FINDING", finding->id },
		{ "NFSRDMA_REASON", journal_value(finding->reason) },
		{ "NFSRDMA_CONSEQUENCE", journal_value(consequence_name(consequence_of(finding))) },
		{ "NFSRDMA_STATUS", finding_status_name(finding->status) },
		{ "NFSRDMA_CAUSE", advice.cause },
		{ "NFSRDMA_REMEDY", advice.remedy },
		{ "NFSRDMA_ADVICE", advice.lines },
	};
	char text[FINDING_SUMMARY_MAX + 128], name[REPORT_NAME_MAX];

	if (finding->status == FINDING_PASS || finding->status == FINDING_SKIP)
		return;
	snprintf(text, sizeof(text), "this host before VDSM starts: %s: %s [%s]",
		 finding_status_name(finding->status), finding->summary,
		 report_name(finding, name));
	report_advise(finding, &advice);
	journal_send(JOURNAL_FINDING, VDSM_WHO, text, fields, ARRAY_SIZE(fields));
}

static void start_on_finding(void *arg, const struct finding *finding)
{
	_cleanup_(finding_fini) struct finding weighed = { 0 };

	(void)arg;
	consequence_weigh(&weighed, finding);
	start_log_finding(&weighed);
}

/* A broken policy is reported, and counts as a request for RDMA. */
static bool start_policy_wants(const struct host *host)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;

	if (!policy_open(&policies, host))
		return policy_requests_rdma(policies);
	start_log(
		"the policy cannot be used, so mount -t nfsrdma fails and guests start unchecked: %s",
		err_text());
	return true;
}

void vdsm_start(const struct vdsm_call *call, struct hook_answer *out)
{
	const struct check_target target = { .port = NFS_RDMA_PORT, .roles = CHECK_CLIENT };
	const struct check *chosen[CHECKS_AT_MOUNT_MAX + 1];
	_cleanup_(host_list_fini) struct host_list devices = { NULL, 0, false };
	_cleanup_(host_close_p) struct host *host = NULL;
	uint64_t deadline = deadline_in(LOAD_MS);
	struct host_module module;
	char missing[MISSING_MAX][96];

	if (host_open(&host, call->root)) {
		vdsm_failed(out);
		return;
	}
	if (!start_policy_wants(host) &&
	    (host_list(host, "sys/class/infiniband", &devices) || !devices.count))
		return;
	start_load_drivers(call, missing, host_rdma_missing(host, missing, MISSING_MAX), deadline);
	if (host_module(host, "rpcrdma", &module) ||
	    (module.state != MODULE_LOADED && module.state != MODULE_BUILTIN))
		start_load(call, "rpcrdma", true, deadline);
	/* The checks of this host alone; they contact no server, and read only files. */
	checks_at_mount(false, chosen);
	if (checks_run(chosen, host, &live_replay, &target, call->deadline, start_on_finding, NULL))
		start_log("checks failed to run: %s", err_text());
}
