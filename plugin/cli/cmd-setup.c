/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* nfsrdma setup: applies the remedies that are safe, shows them before, and takes them back. */

#include <json-c/json.h>

#include "plugin/cli/options.h"
#include "plugin/report/shell.h"
#include "plugin/setup/setup.h"

#define NAME_MAX_STEP 256

struct cmd_setup_options {
	struct cli cli;
	unsigned int role; /* CHECK_CLIENT or CHECK_SERVER, the first operand; 0: none */
	uint16_t port;     /* 0: not given */
	bool dry_run, undo, restart, for_probe;
	const char *software; /* "rxe", "siw"; NULL: not given */
};

static const struct cli_option cmd_setup_options[] = {
	OPTION_ROOT(
		"Change files of the machine below this directory, for example of an image, instead of this one."),
	OPTION_FORMAT_JSON("The output format: text (default) or json."),
	OPTION_PORT(struct cmd_setup_options, port),
	OPTION_DRY_RUN(struct cmd_setup_options, dry_run),
	OPTION_FLAG("undo", struct cmd_setup_options, undo,
		    "Undo all changes of setup, unless one of its files was edited since."),
	OPTION_FLAG(
		"restart", struct cmd_setup_options, restart,
		"Restart nfs-server if necessary; without it setup adds the listener to the running server, which does not disturb clients."),
	OPTION_FLAG(
		"for-probe", struct cmd_setup_options, for_probe,
		"Also set up what nfsrdma probe needs to use an RDMA device: ib_uverbs, rdma_ucm and, for users other than root, locked memory."),
	OPTION_VALUE(
		"software", "TYPE", struct cmd_setup_options, software,
		"Add a software RDMA link, rxe (RoCE) or siw (iWARP), to INTERFACE, now and at every boot.",
		.choice = &choice_links),
	OPTIONS_END,
};

static const char *cmd_setup_role(const struct cmd_setup_options *options)
{
	return options->role == CHECK_SERVER ? "server" : "client";
}

/* As they are to be copied. */
static void cmd_setup_print_lines(const char *lines)
{
	size_t len;

	for (; lines && *lines; lines += len + (lines[len] == '\n')) {
		len = strcspn(lines, "\n");
		printf("        %.*s\n", (int)len, lines);
	}
}

static void cmd_setup_print_notes(const struct setup_plan *plan)
{
	static const char *const headings[] = { "Note", "Left to you" };
	unsigned int todo, i;
	bool any;

	for (todo = 0; todo < ARRAY_SIZE(headings); todo++) {
		any = false;
		for (i = 0; i < plan->nnotes; i++) {
			if (plan->notes[i].todo != todo)
				continue;
			if (!any)
				printf("\n%s\n", headings[todo]);
			any = true;
			fputs("  - ", stdout);
			output_text(stdout, plan->notes[i].text, 4);
			cmd_setup_print_lines(plan->notes[i].lines);
		}
	}
}

/* --- done ------------------------------------------------------------------------ */

struct cmd_setup_progress {
	bool undo;
	struct ticker *ticker;
	unsigned int printed, failed;
	unsigned int kept;         /* what --undo can take back */
	struct json_object *steps; /* of --format json; NULL: text */
};

/* Steps that are not taken: of --dry-run, or of an undo that is refused. */
static void cmd_setup_print_planned(const struct cmd_setup_options *options,
				    const struct setup_plan *plan)
{
	struct json_object *steps = json_object_new_array();
	const char *status = options->dry_run ? "planned" : "skipped";
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++)
		setup_json_step(steps, &plan->steps[i], plan->undo,
				plan->steps[i].refused ? "refused" : status, NULL);
	setup_json_print(plan, cmd_setup_role(options), options->dry_run, steps);
}

static void cmd_setup_on_step(void *arg, const struct setup_step *step, int rc)
{
	struct cmd_setup_progress *progress = arg;
	char name[NAME_MAX_STEP], text[ERR_TEXT_MAX + NAME_MAX_STEP + 8];

	ticker_erase(progress->ticker);
	setup_step_name(step, progress->undo, name, sizeof(name));
	progress->printed++;
	progress->failed += rc && rc != -ECANCELED;
	progress->kept += !rc && setup_is_kept(step->kind);
	if (progress->steps) {
		setup_json_step(progress->steps, step, progress->undo,
				!rc                ? "done"
				: rc == -ECANCELED ? "skipped"
						   : "failed",
				!rc || rc == -ECANCELED ? NULL : err_text());
		return;
	}
	fputs(!rc ? "  done  " : rc == -ECANCELED ? "  not   " : "  FAIL  ", stdout);
	snprintf(text, sizeof(text), "%s%s%s", name, !rc ? "" : ": ",
		 !rc                ? ""
		 : rc == -ECANCELED ? "not tried"
				    : err_text());
	output_text(stdout, text, 8);
}

/* The first step that failed was printed; an error before any step was not. */
static int cmd_setup_finish(const struct cmd_setup_options *options,
			    const struct cmd_setup_progress *progress, int rc)
{
	if (!rc)
		return EXIT_GOOD;
	if (progress->failed)
		return EXIT_FAILED;
	return cli_error(&options->cli, EXIT_UNKNOWN, "%s; %s", err_text(),
			 progress->printed ? "all steps were done" : "nothing was changed");
}

/* A command for a machine below a root must not be run on this one. */
static void cmd_setup_print_root(const struct cmd_setup_options *options)
{
	if (options->cli.root)
		printf(" --root %s", SHELL_WORD(options->cli.root));
}

static void cmd_setup_print_nothing(const struct setup_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nnotes && !plan->notes[i].todo; i++)
		;
	puts(plan->unknown      ? "Nothing was changed: not everything could be checked."
	     : i < plan->nnotes ? "Nothing was changed: the rest is left to you."
				: "Nothing to do.");
}

static int cmd_setup_apply(const struct cmd_setup_options *options,
			   const struct setup_machine *machine, const struct setup_plan *plan)
{
	struct cmd_setup_progress progress = { .undo = false, .ticker = options->cli.ticker };
	int status = EXIT_GOOD;

	if (output_is_json(&options->cli))
		progress.steps = json_object_new_array();
	if (plan->nsteps)
		status = cmd_setup_finish(options, &progress,
					  setup_apply(machine, plan, cmd_setup_on_step, &progress));
	ticker_stop(options->cli.ticker);
	if (progress.steps) {
		setup_json_print(plan, cmd_setup_role(options), options->dry_run, progress.steps);
	} else if (!plan->nsteps || progress.printed) {
		if (!plan->nsteps)
			cmd_setup_print_nothing(plan);
		cmd_setup_print_notes(plan);
		if (!status) {
			printf("\nNext: nfsrdma check --role %s", cmd_setup_role(options));
			cmd_setup_print_root(options);
		}
		if (!status && progress.kept) {
			fputs("\nUndo: nfsrdma setup --undo", stdout);
			cmd_setup_print_root(options);
		} else if (progress.kept) {
			fputs("\nSteps marked done stay; to undo them: nfsrdma setup --undo",
			      stdout);
			cmd_setup_print_root(options);
		}
		if (!status || progress.kept)
			putchar('\n');
	}
	return !status && plan->unknown ? EXIT_UNKNOWN : status;
}

/* --- undone ---------------------------------------------------------------------- */

static bool cmd_setup_is_refused(const struct setup_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++)
		if (plan->steps[i].refused)
			return true;
	return false;
}

/* What an undo would do; with a file that was edited it does nothing. */
static int cmd_setup_show_undo(const struct cmd_setup_options *options,
			       const struct setup_plan *plan)
{
	bool refused = cmd_setup_is_refused(plan);
	unsigned int i;

	ticker_stop(options->cli.ticker);
	if (output_is_json(&options->cli)) {
		cmd_setup_print_planned(options, plan);
	} else if (!refused) {
		setup_show(plan, stdout, output_page(stdout));
		cmd_setup_print_notes(plan);
		puts(plan->nsteps ? "\nNothing was changed (--dry-run)." : "Nothing to undo.");
	} else {
		for (i = 0; i < plan->nsteps; i++) {
			struct setup_plan one = { .nsteps = 1, .steps = { plan->steps[i] } };

			if (!plan->steps[i].refused)
				continue;
			printf("/%s was edited since setup wrote it:\n", plan->steps[i].path);
			setup_show(&one, stdout, output_page(stdout));
			putchar('\n');
		}
	}
	fflush(stdout);
	return refused ? cli_error(
				 &options->cli, EXIT_FAILED,
				 "nothing was undone, because a file was changed since: put back what setup wrote there, then try again")
		       : EXIT_GOOD;
}

static int cmd_setup_undo(const struct cmd_setup_options *options,
			  const struct setup_machine *machine)
{
	_cleanup_(setup_plan_free_p) struct setup_plan *plan = NULL;
	struct cmd_setup_progress progress = { .undo = true, .ticker = options->cli.ticker };
	int status;

	if (setup_undo_make(&plan, machine))
		return cli_unknown(&options->cli);
	if (options->dry_run || cmd_setup_is_refused(plan))
		return cmd_setup_show_undo(options, plan);
	if (output_is_json(&options->cli))
		progress.steps = json_object_new_array();
	/* Also without a step: an ended setup may have left traces. */
	status = cmd_setup_finish(options, &progress,
				  setup_undo(machine, cmd_setup_on_step, &progress));
	ticker_stop(options->cli.ticker);
	if (progress.steps) {
		setup_json_print(plan, cmd_setup_role(options), options->dry_run, progress.steps);
		return status;
	}
	if (!status && !progress.printed)
		puts("Nothing to undo.");
	if (!status || progress.printed)
		cmd_setup_print_notes(plan);
	return status;
}

/* --- the command line ------------------------------------------------------------ */

/* The role, and contradictions. */
static int cmd_setup_check_options(struct cmd_setup_options *options)
{
	const char *word = options->cli.noperands ? options->cli.operands[0] : NULL;

	if (!word && !options->undo)
		return err_set(EINVAL, "no role; expected client or server");
	if (word && strcmp(word, "client") != 0 && strcmp(word, "server") != 0)
		return err_set(EINVAL, "unknown role '%.60s'; expected client or server", word);
	if (word)
		options->role = word[0] == 's' ? CHECK_SERVER : CHECK_CLIENT;
	if (options->undo && (options->port || options->for_probe || options->restart))
		return err_set(EINVAL,
			       "--undo cannot be combined with --port, --for-probe and --restart");
	if (options->role == CHECK_CLIENT && (options->port || options->restart))
		return err_set(EINVAL, "--port and --restart need server");
	if (options->software && options->undo)
		return err_set(EINVAL, "--undo and --software cannot be combined");
	/* The second operand is the interface of a software link, and of nothing else. */
	if (options->software && options->cli.noperands < 2)
		return err_set(EINVAL,
			       "--software needs an interface: nfsrdma setup %s "
			       "--software %s INTERFACE",
			       options->cli.operands[0], options->software);
	if (!options->software && options->cli.noperands > 1)
		return err_set(EINVAL, "unexpected argument '%.60s'", options->cli.operands[1]);
	return 0;
}

static int cmd_setup_run_on(const struct cmd_setup_options *options,
			    const struct setup_machine *machine)
{
	_cleanup_(setup_plan_free_p) struct setup_plan *plan = NULL;
	const struct setup_request request = {
		.roles = options->role,
		.port = options->port ? options->port : NFS_RDMA_PORT,
		.has_port = options->port,
		.for_probe = options->for_probe,
		.restart = options->restart,
		.software = options->software,
		.netdev = options->software ? options->cli.operands[1] : NULL,
	};
	int rc;

	if (options->undo)
		return cmd_setup_undo(options, machine);
	rc = setup_plan_make(&plan, machine, &request);
	if (rc == -EINVAL)
		return cli_error(&options->cli, EXIT_USAGE, "%s", err_text());
	if (rc)
		return cli_error(&options->cli, rc == -EOPNOTSUPP ? EXIT_FAILED : EXIT_UNKNOWN,
				 "%s; nothing was changed", err_text());
	if (!options->dry_run)
		return cmd_setup_apply(options, machine, plan);
	ticker_stop(options->cli.ticker);
	if (output_is_json(&options->cli)) {
		cmd_setup_print_planned(options, plan);
	} else {
		setup_show(plan, stdout, output_page(stdout));
		if (!plan->nsteps)
			cmd_setup_print_nothing(plan);
		cmd_setup_print_notes(plan);
		if (plan->nsteps)
			puts("\nNothing was changed (--dry-run).");
	}
	return plan->unknown ? EXIT_UNKNOWN : EXIT_GOOD;
}

static int cmd_setup_run(void *arg)
{
	struct cmd_setup_options *options = arg;
	_cleanup_(host_close_p) struct host *host = NULL;
	struct setup_machine machine;
	int status;

	if (cmd_setup_check_options(options))
		return cli_usage(&options->cli);
	status = cli_open_writable(&options->cli, options->dry_run, &host);
	if (status)
		return status;
	machine = (struct setup_machine){
		.host = host,
		.live = host_is_live(host) ? &live_system : &live_replay,
		.actions = host_is_live(host) ? &setup_system : NULL,
	};
	status = cmd_setup_run_on(options, &machine);
	return output_finish(&options->cli) ? EXIT_UNKNOWN : status;
}

const struct cli_command cmd_setup = {
	.name = "setup",
	.synopsis = "[OPTION...] client|server\n"
		    "[OPTION...] client|server --software rxe|siw INTERFACE\n"
		    "--undo [OPTION...]",
	.summary = "Prepare this host as a client or server, or undo that.",
	.details =
		"Prepares this host as a client or server of NFS over RDMA, as far as that is "
		"safe: modules and the lists that load them, nfs.conf, firewalld's ports for "
		"software RDMA, mode and MTU of IPoIB. What works already is not changed. It "
		"writes only files of its own, prints the lines that other files need, and can "
		"undo all its changes. With --root only "
		"files below it are changed. No service is restarted without --restart. "
		"--software adds a software RDMA link to an interface, for hosts without an RDMA "
		"adapter.",
	.exit_status = "0 done, 1 failed or refused, 2 usage, 3 unknown",
	CLI_FORMS({ .action = "client", .option = "software", .operands = { &choice_interfaces } },
		  { .action = "server", .option = "software", .operands = { &choice_interfaces } }),
	.max_operands = 2,
	.options = cmd_setup_options,
	.size = sizeof(struct cmd_setup_options),
	.working = "setting up this host",
	.run = cmd_setup_run,
};
