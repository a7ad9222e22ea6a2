/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma plan: the options that a mount would get, and why. For people, for scripts (one JSON
 * object, schema nfsrdma-plan/1, of which every key is always there), or the option string alone,
 * for platforms that call mount.nfs themselves. Nothing is mounted. */
#include <json-c/json.h>
#include <netinet/in.h>

#include "plugin/cli/options.h"
#include "plugin/options/options.h"

#define LABEL_WIDTH  11
#define POLICY_WIDTH 14

struct cmd_plan_options {
	struct cli cli;
	const char *mount_options; /* NULL: none */
	bool options_only, resolve;
	const char *dir; /* the mount point; NULL: not known */
};

static const struct cli_option cmd_plan_options[] = {
	OPTION_ROOT_READ,
	OPTION_MOUNT_OPTIONS(struct cmd_plan_options, mount_options),
	OPTION_FLAG("options-only", struct cmd_plan_options, options_only,
		    "Print only the option string, on one line; warnings go to standard error."),
	OPTION_VALUE("dir", "DIR", struct cmd_plan_options, dir,
		     "The mount point, for the policy that applies to it.", .choice = &choice_dir),
	OPTION_RESOLVE(struct cmd_plan_options, resolve),
	OPTION_FORMAT_JSON("The output format: text (default) or json."),
	OPTION_TIMEOUT(TIMEOUT_COMMAND("5")),
	OPTIONS_END,
};

/* The policy as rows, for both forms. */
struct cmd_plan_policy_line {
	const char *key;
	const char *value; /* NULL: not set */
	const char *from;
};

#define POLICY_LINES 6

static void cmd_plan_policy_lines(const struct policy *policy, char deadline[16],
				  struct cmd_plan_policy_line lines[POLICY_LINES])
{
	const struct cmd_plan_policy_line all[POLICY_LINES] = {
		{ "policy", policy_mode_name(policy->mode), policy->mode_from },
		{ "check", policy_check_name(policy->check), policy->check_from },
		{ "deadline", deadline, policy->deadline_from },
		{ "on-unknown", policy_unknown_name(policy->on_unknown), policy->on_unknown_from },
		{ "options", policy->options, policy->options_from },
		{ "options-v3", policy->options_v3, policy->options_v3_from },
	};

	snprintf(deadline, 16, "%u", policy->deadline_ms / 1000);
	memcpy(lines, all, sizeof(all));
}

/* For people */

static const char *cmd_plan_version_text(const struct plan *plan, char buf[48])
{
	if (!plan->nfs_major)
		return "4.2, or the highest that the server supports, down to 3";
	if (plan->nfs_major == 4 && plan->nfs_minor < 0)
		return "4.2, or the highest that the server supports, down to 4.0";
	if (plan->nfs_major == 4)
		snprintf(buf, 48, "4.%d", plan->nfs_minor);
	else
		snprintf(buf, 48, "%d", plan->nfs_major);
	return buf;
}

static void cmd_plan_print_policy(const struct plan *plan, unsigned int width)
{
	struct cmd_plan_policy_line lines[POLICY_LINES];
	char deadline[16], label[32];
	size_t i;

	cmd_plan_policy_lines(&plan->policy, deadline, lines);
	printf("\nPolicy\n");
	for (i = 0; i < POLICY_LINES; i++) {
		_cleanup_free_ char *text = NULL;

		if (!lines[i].value)
			continue;
		if (asprintf(&text, "%s%s (%s)", lines[i].value,
			     lines[i].value == deadline ? " seconds" : "", lines[i].from) < 0)
			return;
		snprintf(label, sizeof(label), "  %s", lines[i].key);
		output_labelled(label, POLICY_WIDTH, text, width);
	}
}

static void cmd_plan_print_text(const struct plan *plan, const char *spec)
{
	static const char *const kinds[] = {
		[PLAN_REPLACED] = "  replaced",
		[PLAN_ADDED] = "  added",
		[PLAN_REMOVED] = "  removed",
	};
	char version[48], transport[96];
	struct report_style style;
	unsigned int width, i;

	output_style(stdout, false, &style);
	width = style.width < 90 ? style.width : 90;
	output_labelled("Mount", LABEL_WIDTH, spec, width);
	output_labelled("Options", LABEL_WIDTH, plan->options, width);
	if (plan->tcp_options)
		output_labelled("Over TCP", LABEL_WIDTH, plan->tcp_options, width);
	if (plan->remount)
		snprintf(transport, sizeof(transport),
			 "that of the mount; a remount does not change it");
	else if (!plan->transport[0])
		snprintf(transport, sizeof(transport), "chosen by mount.nfs");
	else if (!plan->port)
		snprintf(transport, sizeof(transport), "%s", plan->transport);
	else
		snprintf(transport, sizeof(transport), "%s, port %u", plan->transport, plan->port);
	output_labelled("Transport", LABEL_WIDTH, transport, width);
	output_labelled("NFS", LABEL_WIDTH, cmd_plan_version_text(plan, version), width);
	printf("\nChanges%s\n", plan->nchanges ? "" : "    none");
	/* "added", "port=20049", and why. */
	for (i = 0; i < plan->nchanges; i++) {
		const struct plan_change *change = &plan->changes[i];
		_cleanup_free_ char *text = NULL;

		if (asprintf(&text, "%s%s%s", change->before ? change->before : "",
			     change->before && change->after ? " -> " : "",
			     change->after ? change->after : "") < 0) {
			text = NULL;
			continue;
		}
		output_labelled(kinds[change->kind], LABEL_WIDTH, text, width);
		output_labelled("", LABEL_WIDTH + 2, change->reason, width);
	}
	if (plan->nwarnings)
		printf("\nWarnings\n");
	for (i = 0; i < plan->nwarnings; i++)
		output_labelled("", 2, plan->warnings[i], width);
	cmd_plan_print_policy(plan, width);
}

/* For scripts */

struct json_object *cmd_plan_changes(const struct plan *plan)
{
	static const char *const names[] = {
		[PLAN_REPLACED] = "replace",
		[PLAN_ADDED] = "add",
		[PLAN_REMOVED] = "remove",
	};
	struct json_object *list = json_object_new_array(), *row;
	unsigned int i;

	for (i = 0; i < plan->nchanges; i++) {
		row = json_object_new_object();
		output_json_add(row, "kind", names[plan->changes[i].kind]);
		output_json_add(row, "before", plan->changes[i].before);
		output_json_add(row, "after", plan->changes[i].after);
		output_json_add(row, "reason", plan->changes[i].reason);
		json_object_array_add(list, row);
	}
	return list;
}

static struct json_object *cmd_plan_policy_json(const struct plan *plan)
{
	struct json_object *object = json_object_new_object(), *row;
	struct cmd_plan_policy_line lines[POLICY_LINES];
	char deadline[16];
	size_t i;

	cmd_plan_policy_lines(&plan->policy, deadline, lines);
	for (i = 0; i < POLICY_LINES; i++) {
		row = json_object_new_object();
		if (lines[i].value == deadline)
			json_object_object_add(
				row, "value",
				json_object_new_int64(plan->policy.deadline_ms / 1000));
		else
			output_json_add(row, "value", lines[i].value);
		output_json_add(row, "from", lines[i].from);
		json_object_object_add(object, lines[i].key, row);
	}
	return object;
}

static void cmd_plan_print_json(const struct plan *plan, const struct plan_request *request)
{
	static const char *const families[] = { NULL, "ipv4", "ipv6" };
	struct json_object *root = json_object_new_object(), *list;
	enum ip_family family = plan->spec.family ? plan->spec.family : request->family;
	char version[48];
	unsigned int i;

	output_json_add(root, "schema", "nfsrdma-plan/1");
	output_json_add(root, "version", NFSRDMA_VERSION);
	output_json_add(root, "spec", request->spec);
	output_json_add(root, "server", plan->spec.host);
	output_json_add(root, "family", families[family]);
	output_json_add(root, "export", plan->spec.path);
	output_json_add(root, "directory", request->dir);
	output_json_add(root, "given", request->options ? request->options : "");
	output_json_add(root, "options", plan->options);
	output_json_add(root, "options_tcp", plan->tcp_options);
	output_json_add(root, "transport", plan->transport[0] ? plan->transport : NULL);
	json_object_object_add(root, "wants_rdma", json_object_new_boolean(plan->wants_rdma));
	json_object_object_add(root, "port", plan->port ? json_object_new_int(plan->port) : NULL);
	cmd_plan_version_text(plan, version);
	output_json_add(root, "nfs_version",
			!plan->nfs_major                              ? NULL
			: plan->nfs_major == 4 && plan->nfs_minor < 0 ? "4"
								      : version);
	json_object_object_add(root, "changes", cmd_plan_changes(plan));
	list = json_object_new_array();
	for (i = 0; i < plan->nwarnings; i++)
		json_object_array_add(list, output_json_text(plan->warnings[i]));
	json_object_object_add(root, "warnings", list);
	json_object_object_add(root, "policy", cmd_plan_policy_json(plan));
	output_json_print(root);
}

int cmd_plan_family(const char *source, unsigned int timeout_ms, enum ip_family *out)
{
	bool has[3] = { false, false, false };
	struct transport_address list[16];
	struct spec spec;
	int i, rc = spec_parse(source, &spec);

	if (rc || spec.family != IP_UNKNOWN)
		return rc;
	rc = transport_resolve(spec.host, NFS_RDMA_PORT, list, ARRAY_SIZE(list),
			       deadline_in(timeout_ms));
	if (rc < 0)
		return rc;
	for (i = 0; i < rc; i++)
		has[list[i].addr.ss_family == AF_INET ? IP_V4 : IP_V6] = true;
	if (has[IP_V4] != has[IP_V6])
		*out = has[IP_V4] ? IP_V4 : IP_V6;
	return 0;
}

static int cmd_plan_check_options(const struct cmd_plan_options *options)
{
	if (!options->cli.noperands)
		return err_set(EINVAL, "no source given; expected SERVER:/EXPORT");
	if (options->dir && *options->dir != '/')
		return err_set(EINVAL, "--dir needs an absolute path, not '%.60s'", options->dir);
	if (options->cli.root && options->resolve)
		return err_set(EINVAL, "--resolve and --root cannot be combined");
	return 0;
}

static int cmd_plan_run(void *arg)
{
	const struct cmd_plan_options *options = arg;
	const struct cli *cli = &options->cli;
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	struct plan_request request = {
		.options = options->mount_options,
		.dir = options->dir,
	};
	unsigned int i;
	int rc;

	if (cmd_plan_check_options(options))
		return cli_usage(cli);
	rc = cli_open_host(cli, &host);
	if (rc)
		return rc;
	/* Not known what the policy is: then there is no plan either. */
	if (policy_open(&policies, host))
		return cli_unknown(cli);
	request.spec = cli->operands[0];
	request.policies = policies;
	/* Errors of the options come before any name is resolved. */
	rc = plan_make(&plan, &request);
	if (!rc && options->resolve) {
		plan_free(take_ptr(plan));
		if (cmd_plan_family(request.spec, cli->timeout_ms, &request.family))
			return cli_unknown(cli);
		rc = plan_make(&plan, &request);
	}
	if (rc)
		return cli_error(cli, rc == -ENOMEM ? EXIT_UNKNOWN : EXIT_USAGE, "%s", err_text());
	if (options->options_only) {
		for (i = 0; i < plan->nwarnings; i++)
			cli_error(cli, 0, "warning: %s", plan->warnings[i]);
		puts(plan->options);
	} else if (output_is_json(cli)) {
		cmd_plan_print_json(plan, &request);
	} else {
		cmd_plan_print_text(plan, request.spec);
	}
	return output_finish(cli);
}

const struct cli_command cmd_plan = {
	.name = "plan",
	.synopsis = "[OPTION...] SERVER:/EXPORT [-o OPTIONS]",
	.summary = "Show the options that a mount over RDMA gets, and why.",
	.details =
		"Takes mount options as for mount(8), adds what NFS over RDMA needs, keeps the "
		"others and their order, and refuses options that contradict each other or the "
		"policy of nfsrdma.conf(5). Nothing is mounted, and no name is looked up without "
		"--resolve.",
	.exit_status = "0 planned, 2 usage or a mount that is impossible, 3 unknown",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.options = cmd_plan_options,
	.size = sizeof(struct cmd_plan_options),
	.timeout_ms = 5000,
	.run = cmd_plan_run,
};
