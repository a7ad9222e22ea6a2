/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma ovirt: what to type into oVirt's engine for a storage domain over RDMA, and the per-host
 * way around it (cmd-ovirt-policy.c). On stdout is the line to type, and nothing else; what else
 * there is to enter, and to know, is on stderr. */
#include <json-c/json.h>

#include "plugin/cli/options.h"
#include "plugin/ovirt/ovirt.h"
#include "plugin/report/shell.h"

#define LABEL_WIDTH 27

static const struct cli_option cmd_ovirt_options[] = {
	OPTION_ROOT(
		"Use the machine below this directory instead of this one, as written by nfsrdma snapshot; policy changes its files, for example those of an image."),
	OPTION_MOUNT_OPTIONS(struct cmd_ovirt_options, mount_options),
	OPTION_RESOLVE(struct cmd_ovirt_options, resolve),
	OPTION_FORMAT_JSON("options: the output format, text (default) or json."),
	OPTION_TIMEOUT(TIMEOUT_COMMAND("5")),
	OPTION_VALUE("port", "PORT", struct cmd_ovirt_options, port,
		     "policy: the server's NFS/RDMA port (default 20049).", .parse = value_port),
	OPTION_VALUE(
		"nfs-version", "VERSION", struct cmd_ovirt_options, nfs_version,
		"options: the NFS version selected in the engine: auto (default), 3, 4, 4.0, 4.1 or 4.2.",
		.choice = &choice_engine_versions),
	OPTION_VALUE(
		"type", "TYPE", struct cmd_ovirt_options, type,
		"options: the type of the storage domain: nfs (default), or posix, which mount.nfsrdma mounts.",
		.choice = &choice_types),
	OPTION_VALUE("repository", "DIR", struct cmd_ovirt_options, repository,
		     "VDSM's directory, below which it mounts domains (default /rhev/data-center).",
		     .choice = &choice_dir),
	OPTION_FLAG(
		"remove", struct cmd_ovirt_options, remove,
		"policy: remove the settings of these domains; without SERVER:/EXPORT, of all."),
	OPTION_FLAG(
		"guard-only", struct cmd_ovirt_options, guard_only,
		"policy: write only the settings of the gates; use it if the engine has the mount options."),
	OPTION_FLAG("dry-run", struct cmd_ovirt_options, dry_run,
		    "policy: change nothing; show the changes of files as a diff."),
	OPTION_QUIET("options: print only the line to enter, notes and warnings."),
	/* Accepted as by other commands; there is no report. */
	OPTION_VERBOSE("Accepted, without effect.", .hidden = true),
	OPTIONS_END,
};

/* --- what is mounted now ---------------------------------------------------------------------- */

/* The repository with its links resolved, as the kernel shows it and mount.nfs looks for it. What
 * cannot be resolved is taken as it is. */
void cmd_ovirt_repository(const struct host *host, const char *repository, char *buf)
{
	struct host_mounts mounts = { .count = 0 };

	if (host_mounts(host, &mounts))
		mounts = (struct host_mounts){ .cut = true };
	host_repository_real(host, &mounts, repository, buf);
	host_mounts_fini(&mounts);
}

int cmd_ovirt_mounted(const struct host *host, const struct ovirt_domain *domain, char *text,
		      char *remedy)
{
	const struct view_sources sources = { .host = host, .now = now_ms() };
	_cleanup_(view_close_p) struct view *view = NULL;
	struct ovirt_mounted mounted;
	int rc;

	text[0] = remedy[0] = '\0';
	/* Below a root that is no machine. */
	if (!host_is_live(host) && host_exists(host, "proc/self/mountinfo") == -ENOENT)
		return 0;
	rc = view_open(&view, &sources);
	if (rc)
		return rc;
	ovirt_mounted(view, domain, &mounted);
	snprintf(text, OVIRT_TEXT_MAX, "%s", mounted.text);
	snprintf(remedy, OVIRT_TEXT_MAX, "%s", mounted.remedy);
	return 0;
}

/* --- for a person ----------------------------------------------------------------------------- */

static void cmd_ovirt_print_field(const char *label, const char *text)
{
	fprintf(stderr, "  %-*s", LABEL_WIDTH, label);
	output_text(stderr, text, LABEL_WIDTH + 2);
}

/* As the engine's list has them. */
static const char *cmd_ovirt_version_label(const char *version)
{
	static const struct {
		const char *version, *label;
	} labels[] = {
		{ "auto", "Auto Negotiate (can end at V3; choose V4.2 if the server supports it)" },
		{ "3", "V3" },
		{ "4", "V4 (the server's highest of 4.2, 4.1 and 4.0)" },
		{ "4.0", "V4.0" },
		{ "4.1", "V4.1" },
		{ "4.2", "V4.2" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(labels); i++)
		if (!strcmp(labels[i].version, version))
			return labels[i].label;
	return version;
}

static void cmd_ovirt_print_fields(const struct ovirt_advice *advice,
				   const struct ovirt_request *request)
{
	output_text(
		stderr,
		"Enter in the engine, Storage > Domains > New Domain (or Manage Domain, in maintenance):",
		0);
	if (request->type == OVIRT_POSIX) {
		cmd_ovirt_print_field("Storage Type", "POSIX compliant FS");
		cmd_ovirt_print_field("Path", advice->domain.spec);
		cmd_ovirt_print_field("VFS Type", "nfsrdma");
		cmd_ovirt_print_field("Mount Options", "the line on standard output");
		return;
	}
	cmd_ovirt_print_field("Storage Type", "NFS");
	cmd_ovirt_print_field("Export Path", advice->domain.spec);
	cmd_ovirt_print_field("NFS Version", cmd_ovirt_version_label(request->version));
	cmd_ovirt_print_field("Retransmissions", "leave empty: VDSM uses 3");
	cmd_ovirt_print_field("Timeout (deciseconds)",
			      "leave empty: VDSM uses 100, as sanlock requires");
	cmd_ovirt_print_field("Additional mount options", "the line on standard output");
}

static void cmd_ovirt_print_help(const struct ovirt_advice *advice,
				 const struct ovirt_request *request)
{
	unsigned int i;

	cmd_ovirt_print_fields(advice, request);
	/* For a shell, so that it can be tried by hand. */
	fputs("VDSM then runs on each host, with taskset(1):\n ", stderr);
	for (i = 0; i < advice->command.argc; i++) {
		fprintf(stderr, " %s", SHELL_WORD(advice->command.argv[i]));
	}
	fputc('\n', stderr);
	if (advice->plan->nchanges)
		fputs("Why these options:\n", stderr);
	for (i = 0; i < advice->plan->nchanges; i++) {
		const struct plan_change *change = &advice->plan->changes[i];
		char text[ERR_TEXT_MAX];

		snprintf(text, sizeof(text), "%s%s%s: %s", change->before ? change->before : "",
			 change->before && change->after ? " -> " : "",
			 change->after ? change->after : " removed", change->reason);
		fputs("  ", stderr);
		output_text(stderr, text, 4);
	}
	if (request->type == OVIRT_POSIX)
		fputs("  soft, nosharecache, timeo, retrans (and nolock without a version 4): VDSM adds\n"
		      "    them only to NFS domains, and sanlock depends on them\n",
		      stderr);
}

/* --- for a script ----------------------------------------------------------------------------- */

/* "4.2" is v4_2 there. */
static const char *cmd_ovirt_api_version(const char *version, char buf[8])
{
	char *dot;

	if (!strcmp(version, "auto"))
		return version;
	snprintf(buf, 8, "v%s", version);
	dot = strchr(buf, '.');
	if (dot)
		*dot = '_';
	return buf;
}

/* By the names and in the words of the engine's API. */
static struct json_object *cmd_ovirt_fields_new(const struct ovirt_advice *advice,
						const struct ovirt_request *request)
{
	struct json_object *fields = json_object_new_object();
	const char *spec = advice->domain.spec;
	bool nfs = request->type == OVIRT_NFS;
	char address[OVIRT_SPEC_MAX], version[8];

	/* An address of IPv6 keeps its brackets. */
	snprintf(address, sizeof(address), "%.*s",
		 (int)(strlen(spec) - strlen(advice->domain.parsed.path) - 1), spec);
	output_json_add(fields, "type", nfs ? "nfs" : "posixfs");
	output_json_add(fields, "address", nfs ? address : NULL);
	output_json_add(fields, "path", nfs ? advice->domain.parsed.path : spec);
	output_json_add(fields, "nfs_version",
			nfs ? cmd_ovirt_api_version(request->version, version) : NULL);
	output_json_add(fields, "vfs_type", nfs ? NULL : "nfsrdma");
	output_json_add(fields, "mount_options", advice->options);
	return fields;
}

/* What is mounted, of which @text says what is wrong; NULL: it is not known. */
static void cmd_ovirt_print_json(const struct ovirt_advice *advice,
				 const struct ovirt_request *request, const char *text,
				 const char *remedy)
{
	struct json_object *root = json_object_new_object(), *list;
	unsigned int i;

	output_json_add(root, "schema", "nfsrdma-ovirt/1");
	output_json_add(root, "version", NFSRDMA_VERSION);
	output_json_add(root, "given", request->options ? request->options : "");
	output_json_add(root, "options", advice->options);
	json_object_object_add(root, "fields", cmd_ovirt_fields_new(advice, request));
	output_json_add(root, "directory", advice->domain.dir);
	list = json_object_new_array();
	for (i = 0; i < advice->command.argc; i++)
		json_object_array_add(list, output_json_text(advice->command.argv[i]));
	json_object_object_add(root, "command", list);
	output_json_add(root, "transport", advice->plan->transport);
	json_object_object_add(root, "changes", cmd_plan_changes(advice->plan));
	list = json_object_new_array();
	for (i = 0; i < advice->nnotes; i++)
		json_object_array_add(list, output_json_text(advice->notes[i]));
	json_object_object_add(root, "warnings", list);
	output_json_add(root, "mounted", text);
	output_json_add(root, "remedy", remedy);
	output_json_print(root);
}

/* --- options ---------------------------------------------------------------------------------- */

/* What this host's nfsmount.conf does to it, which no option helps against. */
static int cmd_ovirt_note_nfsmount(const struct host *host, const struct ovirt_domain *domain,
				   struct ovirt_advice *advice)
{
	_cleanup_(conf_close_p) struct conf *conf = NULL;
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char why[OVIRT_WHY_MAX];

	if (conf_open(&conf, host, "etc/nfsmount.conf"))
		return ovirt_advice_note(advice,
					 "the effect of this host's nfsmount.conf is unknown: %s",
					 err_text());
	if (opts_parse(&opts, advice->options) ||
	    !ovirt_effect_flag(conf, domain->spec, domain->dir, opts, why))
		return 0;
	return ovirt_advice_note(
		advice, "on this host the domain is not mounted over RDMA with any options: %s",
		why);
}

static int cmd_ovirt_print_advice(const struct cmd_ovirt_options *options,
				  struct ovirt_advice *advice, const struct ovirt_request *request,
				  const struct host *host)
{
	const struct cli *cli = &options->cli;
	char text[OVIRT_TEXT_MAX], remedy[OVIRT_TEXT_MAX], repository[PATH_MAX];
	struct ovirt_domain domain;
	unsigned int i;
	int rc;

	cmd_ovirt_repository(host, options->repository, repository);
	rc = ovirt_domain(request->spec, repository, &domain);
	if (!rc && cmd_ovirt_note_nfsmount(host, &domain, advice))
		return cli_unknown(cli);
	if (!rc)
		rc = cmd_ovirt_mounted(host, &domain, text, remedy);
	if (output_is_json(cli)) {
		cmd_ovirt_print_json(advice, request, rc ? NULL : text, rc ? NULL : remedy);
		return output_finish(cli);
	}
	puts(advice->options);
	fflush(stdout);
	if (!cli->quiet)
		cmd_ovirt_print_help(advice, request);
	for (i = 0; i < advice->nnotes; i++)
		cli_error(cli, 0, "note: %s", advice->notes[i]);
	if (rc)
		cli_error(cli, 0, "note: the mounts of this host are unknown: %s", err_text());
	else if (*text)
		cli_error(cli, 0, "warning: %s. To change it: %s", text, remedy);
	return output_finish(cli);
}

static int cmd_ovirt_check_options(const struct cmd_ovirt_options *options)
{
	if (options->cli.noperands != 2)
		return err_set(EINVAL, "no domain given; expected options SERVER:/EXPORT");
	if (options->dry_run || options->remove || options->guard_only || options->port)
		return err_set(EINVAL, "--dry-run, --remove, --guard-only and --port need policy");
	return options->cli.root && options->resolve
		       ? err_set(EINVAL, "--resolve and --root cannot be combined")
		       : 0;
}

bool cmd_ovirt_is_posix(const struct cmd_ovirt_options *options)
{
	return options->type && !strcmp(options->type, "posix");
}

static int cmd_ovirt_advise(const struct cmd_ovirt_options *options)
{
	const struct cli *cli = &options->cli;
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_(ovirt_advice_free_p) struct ovirt_advice *advice = NULL;
	struct ovirt_request request = {
		.options = options->mount_options,
		.version = options->nfs_version ? options->nfs_version : "auto",
		.repository = options->repository,
		.type = cmd_ovirt_is_posix(options) ? OVIRT_POSIX : OVIRT_NFS,
	};
	int rc;

	if (cmd_ovirt_check_options(options))
		return cli_usage(cli);
	rc = cli_open_host(cli, &host);
	if (rc)
		return rc;
	if (policy_open(&policies, host))
		return cli_unknown(cli);
	request.spec = options->cli.operands[1];
	request.policies = policies;
	rc = ovirt_advise(&advice, &request);
	if (!rc && options->resolve) {
		ovirt_advice_free(take_ptr(advice));
		if (cmd_plan_family(request.spec, cli->timeout_ms, &request.family))
			return cli_unknown(cli);
		rc = ovirt_advise(&advice, &request);
	}
	if (rc)
		return cli_error(cli, rc == -ENOMEM ? EXIT_UNKNOWN : EXIT_USAGE, "%s", err_text());
	return cmd_ovirt_print_advice(options, advice, &request, host);
}

/* --- the command ------------------------------------------------------------------------------ */

static int cmd_ovirt_run(void *arg)
{
	const struct cmd_ovirt_options *options = arg;
	const char *action = options->cli.noperands ? options->cli.operands[0] : "";

	if (!strcmp(action, "options"))
		return cmd_ovirt_advise(options);
	if (!strcmp(action, "policy"))
		return cmd_ovirt_policy(options);
	err_set(EINVAL, "expected options or policy%s%.40s%s", *action ? ", not '" : "", action,
		*action ? "'" : "");
	return cli_usage(&options->cli);
}

const struct cli_command cmd_ovirt = {
	.name = "ovirt",
	.synopsis = "options [OPTION...] SERVER:/EXPORT [-o OPTIONS]\n"
		    "policy [OPTION...] SERVER:/EXPORT...\n"
		    "policy --remove [OPTION...] [SERVER:/EXPORT...]",
	.summary = "Show what to enter in oVirt's engine, or set up its domains on this host.",
	.details =
		"options prints the custom mount options of a storage domain, checked against "
		"the rules of the engine and of VDSM, and shows the other fields and the command "
		"that VDSM will run. policy does it without the engine, for this host only: it "
		"writes sections of nfsmount.conf and, for the gates, of nfsrdma.conf(5), unless "
		"the nfs-utils of this host would ignore one. Both report a domain that is "
		"mounted over TCP, which VDSM never changes. nfsrdma-ovirt(7) shows each step.",
	.exit_status = "0 done, 1 refused on this host, 2 usage or an impossible domain, 3 unknown",
	CLI_FORMS({ .action = "options", .operands = { &choice_sources } },
		  { .action = "policy", .operands = { &choice_sources }, .repeated = true }),
	.max_operands = 1 + CMD_OVIRT_DOMAINS_MAX,
	.options = cmd_ovirt_options,
	.size = sizeof(struct cmd_ovirt_options),
	.timeout_ms = 5000,
	.run = cmd_ovirt_run,
};
