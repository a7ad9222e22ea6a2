/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma plan: the options that a mount would get, and why. For people, for scripts (one JSON
 * object, schema nfsrdma-plan/1, of which every key is always there), or the option string alone,
 * for platforms that call mount.nfs themselves. Nothing is mounted. */
#include <json-c/json.h>
#include <netinet/in.h>

#include "plugin/cli/cli.h"
#include "plugin/options/options.h"

#define LABEL_WIDTH  11
#define POLICY_WIDTH 14

/* The policy as rows, for both forms. */
struct policy_line {
	const char *key;
	const char *value; /* NULL: not set */
	const char *from;
};

#define POLICY_LINES 6

static void policy_lines(const struct policy *policy, char deadline[16],
			 struct policy_line lines[POLICY_LINES])
{
	const struct policy_line all[POLICY_LINES] = {
		{ "policy", policy_mode_name(policy->mode), policy->mode_from },
		{ "check", policy_check_name(policy->check), policy->check_from },
		{ "deadline", deadline, policy->deadline_from },
		{ "on-unknown", policy_unknown_name(policy->on_unknown),
		  policy->on_unknown_from },
		{ "options", policy->options, policy->options_from },
		{ "options-v3", policy->options_v3, policy->options_v3_from },
	};

	snprintf(deadline, 16, "%u", policy->deadline_ms / 1000);
	memcpy(lines, all, sizeof(all));
}

/* For people */

/* Clean text in lines of the width, in @column behind a label. */
static void print_labelled(const char *label, int column, const char *text,
			   unsigned int width)
{
	size_t cap = 4 * strlen(text) + 1;
	_cleanup_free_ char *clean = malloc(cap);

	printf("%-*s", column, label);
	if (clean)
		wrap_print(stdout, utf8_clean(clean, cap, text, UTF8_ESCAPE),
			   (unsigned int)column, width);
}

static const char *version_text(const struct plan *plan, char buf[48])
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

static void print_transport(const struct plan *plan, unsigned int width)
{
	char text[96];

	if (plan->remount)
		snprintf(text, sizeof(text),
			 "that of the mount; a remount does not change it");
	else if (!plan->transport[0])
		snprintf(text, sizeof(text), "chosen by mount.nfs");
	else if (!plan->port)
		snprintf(text, sizeof(text), "%s", plan->transport);
	else
		snprintf(text, sizeof(text), "%s, port %u", plan->transport, plan->port);
	print_labelled("Transport", LABEL_WIDTH, text, width);
}

/* "added", "port=20049", and why. */
static void print_change(const struct plan_change *change, unsigned int width)
{
	static const char *const names[] = {
		[PLAN_REPLACED] = "  replaced",
		[PLAN_ADDED] = "  added",
		[PLAN_REMOVED] = "  removed",
	};
	_cleanup_free_ char *text = NULL;

	if (asprintf(&text, "%s%s%s", change->before ? change->before : "",
		     change->before && change->after ? " -> " : "",
		     change->after ? change->after : "") < 0)
		return;
	print_labelled(names[change->kind], LABEL_WIDTH, text, width);
	print_labelled("", LABEL_WIDTH + 2, change->reason, width);
}

static void print_policy(const struct plan *plan, unsigned int width)
{
	struct policy_line lines[POLICY_LINES];
	char deadline[16], label[32];
	size_t i;

	policy_lines(&plan->policy, deadline, lines);
	printf("\nPolicy\n");
	for (i = 0; i < POLICY_LINES; i++) {
		_cleanup_free_ char *text = NULL;

		if (!lines[i].value)
			continue;
		if (asprintf(&text, "%s%s (%s)", lines[i].value,
			     lines[i].value == deadline ? " seconds" : "",
			     lines[i].from) < 0)
			return;
		snprintf(label, sizeof(label), "  %s", lines[i].key);
		print_labelled(label, POLICY_WIDTH, text, width);
	}
}

static void print_text(const struct plan *plan, const char *spec)
{
	struct report_style style;
	unsigned int width, i;
	char version[48];

	output_style(stdout, false, &style);
	width = style.width < 90 ? style.width : 90;
	print_labelled("Mount", LABEL_WIDTH, spec, width);
	print_labelled("Options", LABEL_WIDTH, plan->options, width);
	if (plan->tcp_options)
		print_labelled("Over TCP", LABEL_WIDTH, plan->tcp_options, width);
	print_transport(plan, width);
	print_labelled("NFS", LABEL_WIDTH, version_text(plan, version), width);
	printf("\nChanges%s\n", plan->nchanges ? "" : "    none");
	for (i = 0; i < plan->nchanges; i++)
		print_change(&plan->changes[i], width);
	if (plan->nwarnings)
		printf("\nWarnings\n");
	for (i = 0; i < plan->nwarnings; i++)
		print_labelled("", 2, plan->warnings[i], width);
	print_policy(plan, width);
}

/* For scripts */

struct json_object *cmd_plan_json(const char *text)
{
	/* U+FFFD takes three bytes, for one. */
	size_t cap = text ? 3 * strlen(text) + 1 : 0;
	_cleanup_free_ char *clean = text ? malloc(cap) : NULL;

	return clean ? json_object_new_string(utf8_clean(clean, cap, text, UTF8_REPLACE))
		     : NULL;
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, cmd_plan_json(text));
}

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
		add_text(row, "kind", names[plan->changes[i].kind]);
		add_text(row, "before", plan->changes[i].before);
		add_text(row, "after", plan->changes[i].after);
		add_text(row, "reason", plan->changes[i].reason);
		json_object_array_add(list, row);
	}
	return list;
}

static struct json_object *policy_json(const struct plan *plan)
{
	struct json_object *object = json_object_new_object(), *row;
	struct policy_line lines[POLICY_LINES];
	char deadline[16];
	size_t i;

	policy_lines(&plan->policy, deadline, lines);
	for (i = 0; i < POLICY_LINES; i++) {
		row = json_object_new_object();
		if (lines[i].value == deadline)
			json_object_object_add(
				row, "value",
				json_object_new_int64(plan->policy.deadline_ms / 1000));
		else
			add_text(row, "value", lines[i].value);
		add_text(row, "from", lines[i].from);
		json_object_object_add(object, lines[i].key, row);
	}
	return object;
}

static const char *family_name(enum ip_family family)
{
	static const char *const names[] = { NULL, "ipv4", "ipv6" };

	return names[family];
}

static void print_json(const struct plan *plan, const struct plan_request *request)
{
	struct json_object *root = json_object_new_object(), *list;
	enum ip_family family = plan->spec.family ? plan->spec.family : request->family;
	char version[48];
	unsigned int i;

	add_text(root, "schema", "nfsrdma-plan/1");
	add_text(root, "version", NFSRDMA_VERSION);
	add_text(root, "spec", request->spec);
	add_text(root, "server", plan->spec.host);
	add_text(root, "family", family_name(family));
	add_text(root, "export", plan->spec.path);
	add_text(root, "directory", request->dir);
	add_text(root, "given", request->options ? request->options : "");
	add_text(root, "options", plan->options);
	add_text(root, "options_tcp", plan->tcp_options);
	add_text(root, "transport", plan->transport[0] ? plan->transport : NULL);
	json_object_object_add(root, "wants_rdma",
			       json_object_new_boolean(plan->wants_rdma));
	json_object_object_add(root, "port",
			       plan->port ? json_object_new_int(plan->port) : NULL);
	version_text(plan, version);
	add_text(root, "nfs_version",
		 !plan->nfs_major                              ? NULL
		 : plan->nfs_major == 4 && plan->nfs_minor < 0 ? "4"
							       : version);
	json_object_object_add(root, "changes", cmd_plan_changes(plan));
	list = json_object_new_array();
	for (i = 0; i < plan->nwarnings; i++)
		json_object_array_add(list, cmd_plan_json(plan->warnings[i]));
	json_object_object_add(root, "warnings", list);
	json_object_object_add(root, "policy", policy_json(plan));
	puts(json_object_to_json_string_ext(
		root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(root);
}

static int print(const struct cli_options *options, const struct plan *plan,
		 const struct plan_request *request)
{
	unsigned int i;

	if (options->options_only) {
		for (i = 0; i < plan->nwarnings; i++)
			cli_error(options, 0, "warning: %s", plan->warnings[i]);
		puts(plan->options);
	} else if (!strcmp(options->format->name, "json")) {
		print_json(plan, request);
	} else {
		print_text(plan, request->spec);
	}
	return output_finish(options);
}

int cmd_plan_family(const struct cli_options *options, const char *source,
		    enum ip_family *out)
{
	bool has[3] = { false, false, false };
	struct transport_address list[16];
	struct spec spec;
	size_t count = 0, i;
	int rc = spec_parse(source, &spec);

	if (rc || spec.family != IP_UNKNOWN)
		return rc;
	rc = transport_resolve(spec.host, options->port, list, ARRAY_SIZE(list), &count,
			       deadline_in(options->timeout_ms));
	if (rc)
		return rc;
	for (i = 0; i < count; i++)
		has[list[i].addr.ss_family == AF_INET ? IP_V4 : IP_V6] = true;
	if (has[IP_V4] != has[IP_V6])
		*out = has[IP_V4] ? IP_V4 : IP_V6;
	return 0;
}

static int plan(const struct cli_options *options, struct plan_request *request)
{
	_cleanup_(plan_free_p) struct plan *made = NULL;
	int rc;

	/* What is wrong with the options is said before anybody is asked. */
	rc = plan_make(&made, request);
	if (!rc && options->resolve) {
		plan_free(take_ptr(made));
		rc = cmd_plan_family(options, request->spec, &request->family);
		if (rc)
			return cli_error(options, EXIT_UNKNOWN, "%s", err_text());
		rc = plan_make(&made, request);
	}
	if (rc == -ENOMEM)
		return cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	return rc ? cli_error(options, EXIT_USAGE, "%s", err_text())
		  : print(options, made, request);
}

static int check_options(const struct cli_options *options)
{
	if (!options->noperands)
		return err_set(EINVAL, "no source given; expected SERVER:/EXPORT");
	if (options->dir && *options->dir != '/')
		return err_set(EINVAL, "--dir needs an absolute path, not '%.60s'",
			       options->dir);
	if (options->root && options->resolve)
		return err_set(EINVAL, "--resolve and --root cannot be combined");
	return 0;
}

static int cmd_plan_run(struct cli_options *options)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	struct plan_request request = {
		.options = options->mount_options,
		.dir = options->dir,
	};

	if (check_options(options))
		return cli_usage(options);
	if (host_open(&host, options->root)) {
		err_context(-EINVAL, "--root");
		return cli_usage(options);
	}
	/* Not known what the policy is: then there is no plan either. */
	if (policy_open(&policies, host))
		return cli_error(options, EXIT_UNKNOWN, "%s", err_text());
	request.spec = options->operands[0];
	request.policies = policies;
	return plan(options, &request);
}

const struct cli_command cmd_plan = {
	.name = "plan",
	.bit = CLI_PLAN,
	.synopsis = "[OPTION...] SERVER:/EXPORT [-o OPTIONS]",
	.summary = "Show the options that a mount over RDMA gets, and why.",
	.details =
		"Takes mount options as for mount(8), adds what NFS over RDMA needs, keeps the "
		"others and their order, and refuses options that contradict each other or the "
		"policy of nfsrdma.conf(5). Nothing is mounted, and no name is looked up without "
		"--resolve. The exit status is 0, or 2 if there is no such mount.",
	CLI_FORMS({ .operands = { &choice_sources } }),
	.max_operands = 1,
	.timeout_ms = 5000,
	.run = cmd_plan_run,
};
