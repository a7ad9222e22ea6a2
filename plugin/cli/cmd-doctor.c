/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma doctor: the checks of this host and of the path to a server, and this host's mounts of
 * that server; then a quick probe, if its listener answers; and the plan of a mount. One report,
 * with one list of steps. */
#include "plugin/cli/options.h"
#include "plugin/kernel/kernel.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/report/words.h"

/* The checks have this part of the time; the rest is for the probe. */
#define CHECKS_PART 3
/* A mount that takes less than that on a healthy path is ended for lack of time alone. */
#define TRIAL_MIN_MS 5000

struct cmd_doctor_options {
	struct cli cli;
	struct cmd_check_request request;
	const struct transport_ops *transport; /* NULL: auto */
	uint16_t mount_port, nfs_port;         /* 0: not given */
	bool try;
	struct rpc_cred cred; /* of flavor AUTH_NONE: not given */
};

static const struct cli_option cmd_doctor_options[] = {
	OPTION_ROOT_READ,
	OPTION_SEC(struct cmd_doctor_options, request.sec),
	OPTION_FORMAT,
	OPTION_TIMEOUT(TIMEOUT_COMMAND("30")),
	OPTION_TRANSPORT(struct cmd_doctor_options, transport),
	OPTION_PORT(struct cmd_doctor_options, request.port),
	OPTION_MOUNT_PORT(struct cmd_doctor_options, mount_port),
	OPTION_NFS_PORT(struct cmd_doctor_options, nfs_port),
	OPTION_NFS_VERSION(struct cmd_doctor_options, request.nfs_version),
	OPTION_CRED(struct cmd_doctor_options, cred),
	OPTION_FLAG(
		"try", struct cmd_doctor_options, try,
		"Mount it, too: read-only, with the planned options, in a mount namespace of its own that ends with the command; read one file through the kernel, and unmount it. Needs root. Kernel modules that this loads stay loaded."),
	OPTIONS_REPORT,
	OPTIONS_END,
};

struct doctor {
	const struct cmd_doctor_options *options;
	const struct host *host;
	struct check_target target;
	struct report_collector collector;
	enum finding_status listener; /* fabric.listener */
	char because[FINDING_ID_MAX]; /* what it was skipped for; "" nothing */
	char file[KERNEL_PATH_MAX];   /* that the probe read; "" none */
};

static void doctor_on_checked(void *arg, const struct finding *finding)
{
	struct doctor *doctor = arg;

	if (!strcmp(finding->id, "fabric.listener")) {
		doctor->listener = finding->status;
		snprintf(doctor->because, sizeof(doctor->because), "%.63s",
			 finding_evidence(finding, "because"));
	}
	report_collect(&doctor->collector, finding);
}

/* --- the probe ------------------------------------------------------------------------------- */

static void doctor_on_probed(void *arg, const struct finding *finding)
{
	report_collect(&((struct doctor *)arg)->collector, finding);
}

static void doctor_on_subject(void *arg, const char *key, const char *value)
{
	struct doctor *doctor = arg;

	report_subject(doctor->collector.report, key, value);
	if (!strcmp(key, "file"))
		text_copy(doctor->file, sizeof(doctor->file), value);
}

static void doctor_on_matrix(void *arg, const struct matrix *matrix)
{
	report_matrix(((struct doctor *)arg)->collector.report, matrix);
}

static void doctor_on_progress(void *arg, const char *what, unsigned int done, unsigned int total)
{
	ticker_set(((struct doctor *)arg)->options->cli.ticker, what, done, total);
}

static struct probe_events doctor_events(struct doctor *doctor)
{
	return (struct probe_events){ .finding = doctor_on_probed,
				      .subject = doctor_on_subject,
				      .progress = doctor_on_progress,
				      .matrix = doctor_on_matrix,
				      .arg = doctor };
}

/* A finding of the doctor itself. */
struct doctor_fact {
	const char *id;
	enum finding_status status;
	const char *text;
	const char *key, *value; /* of its evidence; NULL: none */
	const char *reason;      /* NULL: none */
};

static int doctor_report(struct doctor *doctor, struct doctor_fact fact)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, fact.id, fact.status, "%s", fact.text);
	if (fact.key)
		finding_text(&finding, fact.key, "%s", fact.value);
	if (fact.reason)
		finding_reason(&finding, fact.reason);
	finding_text(&finding, "fact", "yes");
	report_collect(&doctor->collector, &finding);
	return 0;
}

/* Quick and harmless, as at level quick. What the checks found to be closed is not knocked at
 * again, unless a transport was asked for. */
static int doctor_probe(struct doctor *doctor, uint64_t deadline)
{
	const struct cmd_doctor_options *options = doctor->options;
	const struct probe_options probe = {
		.host = doctor->target.server,
		.export = doctor->target.export,
		.port = doctor->target.port,
		.mount_port = options->mount_port,
		.nfs_port = options->nfs_port,
		.transport = options->transport,
		.version = options->request.nfs_version,
		.level = PROBE_QUICK,
		.timeout_ms = (unsigned int)deadline_left(deadline),
		.has_cred = options->cred.flavor == RPC_AUTH_SYS,
		.cred = options->cred,
	};
	const struct probe_events events = doctor_events(doctor);
	struct doctor_fact fact = { .id = "doctor.probe", .status = FINDING_SKIP };
	char text[FINDING_ID_MAX + 32];

	if (!host_is_live(doctor->host)) {
		fact.text = "not probed: --root names files, not a running system";
		return doctor_report(doctor, fact);
	}
	if (doctor->listener != FINDING_PASS && !options->transport) {
		if (!*doctor->because)
			snprintf(doctor->because, sizeof(doctor->because), "fabric.listener");
		snprintf(text, sizeof(text), "not probed, because of %s", doctor->because);
		fact.text = text;
		fact.key = "because";
		fact.value = doctor->because;
		return doctor_report(doctor, fact);
	}
	if (!probe.timeout_ms) {
		fact.status = FINDING_UNKNOWN;
		fact.text = "the checks took all of the time";
		return doctor_report(doctor, fact);
	}
	ticker_set(options->cli.ticker, "probing", 0, 0);
	return probe_run(&probe, &events);
}

/* --- the plan -------------------------------------------------------------------------------- */

/* Of all addresses of its name; what it has both of is for the plan to choose. */
static enum ip_family doctor_server_family(const struct check_target *target)
{
	unsigned int i, v4 = 0;

	for (i = 0; i < target->naddresses; i++)
		v4 += target->addresses[i].addr.ss_family == AF_INET;
	return !target->naddresses        ? IP_UNKNOWN
	       : v4 == target->naddresses ? IP_V4
	       : !v4                      ? IP_V6
					  : IP_UNKNOWN;
}

static int doctor_try(struct doctor *doctor, const struct plan *plan, uint64_t deadline)
{
	const struct cmd_doctor_options *options = doctor->options;
	const struct kernel_trial_options trial = {
		.spec = options->cli.operands[0],
		.options = plan->options,
		.file = doctor->file,
		.timeout_ms = (unsigned int)deadline_left(deadline),
		.nfs_port = options->nfs_port,
		.has_cred = options->cred.flavor == RPC_AUTH_SYS,
		.cred = options->cred,
	};
	const struct probe_events events = doctor_events(doctor);
	struct doctor_fact fact = { .id = "kernel.trial", .status = FINDING_UNKNOWN };

	if (!options->try) {
		/* Where a cause is known a trial tells nothing more. */
		if (!host_is_live(doctor->host) ||
		    report_verdict(doctor->collector.report) == VERDICT_FAIL)
			return 0;
		fact.status = FINDING_SKIP;
		fact.text =
			"not tried: with --try, as root, it is mounted once, read-only, and a file is read";
		return doctor_report(doctor, fact);
	}
	if (geteuid()) {
		fact.text = "not tried: only root may mount";
		fact.reason = "not-root";
		return doctor_report(doctor, fact);
	}
	if (!plan->wants_rdma) {
		fact.status = FINDING_SKIP;
		fact.text = "not tried: the policy is off, so it would be mounted without RDMA";
		return doctor_report(doctor, fact);
	}
	if (deadline_left(deadline) < TRIAL_MIN_MS) {
		fact.text = "not tried: the checks and the probe took the time";
		fact.reason = "no-time";
		return doctor_report(doctor, fact);
	}
	ticker_set(options->cli.ticker, "mounting", 0, 0);
	return kernel_try(&trial, &events);
}

static int doctor_plan(struct doctor *doctor, uint64_t deadline)
{
	const struct cmd_check_request *asked = &doctor->options->request;
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	struct words words = { .separator = "," };
	struct plan_request request = {
		.spec = doctor->options->cli.operands[0],
		.family = doctor_server_family(&doctor->target),
	};
	struct doctor_fact fact = { .id = "doctor.plan", .status = FINDING_PASS };
	char requested[64], text[FINDING_SUMMARY_MAX];
	int rc;

	/* What the command line says of the mount, as its options. */
	if (asked->nfs_version)
		words_add(&words, "vers=%s", asked->nfs_version->name);
	if (asked->port)
		words_add(&words, "port=%u", asked->port);
	if (asked->sec)
		words_add(&words, "sec=%s", asked->sec);
	if (doctor->options->mount_port && asked->nfs_version && asked->nfs_version->vers == 3)
		words_add(&words, "mountport=%u", doctor->options->mount_port);
	snprintf(requested, sizeof(requested), "%.63s", words.count ? words_text(&words) : "");
	request.options = words.count ? requested : NULL;
	rc = policy_open(&policies, doctor->host);
	request.policies = policies;
	if (!rc)
		rc = plan_make(&plan, &request);
	if (rc == -ENOMEM)
		return rc;
	if (rc) {
		/* Else nfsrdma.conf could not be read. */
		fact.status = rc == -EINVAL ? FINDING_FAIL : FINDING_UNKNOWN;
		fact.reason = rc == -EINVAL ? NULL : checks_reason(rc);
		fact.text = err_text();
		return doctor_report(doctor, fact);
	}
	snprintf(text, sizeof(text), "mount -t nfs -o %s %.300s DIRECTORY", plan->options,
		 request.spec);
	fact.text = text;
	fact.key = "options";
	fact.value = plan->options;
	rc = doctor_report(doctor, fact);
	return rc ? rc : doctor_try(doctor, plan, deadline);
}

/* --- all ------------------------------------------------------------------------------------- */

static int doctor_diagnose(struct doctor *doctor)
{
	unsigned int timeout_ms = doctor->options->cli.timeout_ms;
	uint64_t deadline = deadline_in(timeout_ms);
	const struct cmd_check_job job = {
		.cli = &doctor->options->cli,
		.host = doctor->host,
		.target = &doctor->target,
		.report = doctor->collector.report,
		.deadline = deadline_min(deadline, deadline_in(timeout_ms / CHECKS_PART)),
	};
	int rc = cmd_check_fill(&job, doctor_on_checked, doctor);

	if (rc)
		return rc;
	/* The checks of mounts have the findings, also of what cannot be read. */
	rc = cmd_mounts_of(doctor->collector.report, doctor->host, &doctor->target, true);
	if (!rc)
		rc = doctor_probe(doctor, deadline);
	if (!rc)
		rc = doctor_plan(doctor, deadline);
	return rc ? rc : doctor->collector.rc;
}

static int cmd_doctor_run(void *arg)
{
	const struct cmd_doctor_options *options = arg;
	const struct cli *cli = &options->cli;
	_cleanup_(report_free_p) struct report *report = report_new("doctor");
	_cleanup_(host_close_p) struct host *host = NULL;
	struct doctor doctor = { .options = options,
				 .collector = { .report = report },
				 .listener = FINDING_UNKNOWN };
	struct value_server server;
	int rc;

	if (!cli->noperands) {
		err_set(EINVAL, "no server given; expected SERVER:/EXPORT");
		return cli_usage(cli);
	}
	if (cmd_check_target(&options->request, cli->operands[0], &server, &doctor.target))
		return cli_usage(cli);
	if (!server.path) {
		err_set(EINVAL, "no export in '%.60s'; expected SERVER:/EXPORT", cli->operands[0]);
		return cli_usage(cli);
	}
	if (options->try && cli->root) {
		err_set(EINVAL, "--try mounts on this host, so it excludes --root");
		return cli_usage(cli);
	}
	rc = cli_open_host(cli, &host);
	if (rc)
		return rc;
	if (!report)
		return cli_error(cli, EXIT_UNKNOWN, "no memory for the report");
	doctor.host = host;
	doctor.target.roles = CHECK_CLIENT;
	report_todo(report);
	cli_repeat(cli, report);
	rc = doctor_diagnose(&doctor);
	if (rc == -EINTR)
		err_set(EINTR, "interrupted");
	output_end(cli, report, rc);
	return output_report(cli, report, host);
}

const struct cli_command cmd_doctor = {
	.name = "doctor",
	.synopsis = "[OPTION...] SERVER:/EXPORT",
	.summary = "Diagnose a mount: checks, a quick probe, and the steps to fix it.",
	.details = "Checks this host as a client, the path to the server and this host's mounts of "
		   "it; then probes the server like 'nfsrdma probe --level quick', and plans a "
		   "mount. The report ends with one list of steps, in order. There is no probe if "
		   "the checks show that the server's RDMA port cannot be reached, unless "
		   "--transport is given. Nothing is changed, and the probe only reads. With --try "
		   "the export is also mounted once, read-only, where no other process sees it.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.options = cmd_doctor_options,
	.size = sizeof(struct cmd_doctor_options),
	.timeout_ms = 30000,
	.working = "checking",
	.run = cmd_doctor_run,
};
