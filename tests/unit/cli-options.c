/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Tables of options: what each option sets, the commands that accept it, and what is refused. */
#include "plugin/cli/exercise.h"
#include "plugin/report/internal.h"
#include "suite.h"

struct check_like {
	struct cli cli;
	struct cmd_check_request request;
};

static const struct cli_option check_like_options[] = {
	OPTION_ROLE(struct check_like, request.roles),
	OPTION_PORT(struct check_like, request.port),
	OPTION_ROOT_READ,
	OPTION_SEC(struct check_like, request.sec),
	OPTION_TIMEOUT(TIMEOUT_COMMAND("5")),
	OPTIONS_REPORT,
	OPTIONS_END,
};

static const struct cli_command check_like = {
	.name = "check",
	.options = check_like_options,
	.size = sizeof(struct check_like),
	.timeout_ms = 5000,
	.max_operands = 1,
};

/* Parses words; *@out is for the caller to free whatever the result. */
static int parse(struct cli **out, const struct cli_command *command, const char *const *words)
{
	static char copies[24][70000];
	static char *argv[ARRAY_SIZE(copies) + 1];
	int argc = 0;

	memset(argv, 0, sizeof(argv));
	*out = options_new(command);
	CU_ASSERT_PTR_NOT_NULL_FATAL(*out);
	argv[argc++] = strcpy(copies[0], command->name);
	for (; *words && argc < (int)ARRAY_SIZE(copies); words++) {
		snprintf(copies[argc], sizeof(copies[argc]), "%s", *words);
		argv[argc] = copies[argc];
		argc++;
	}
	return options_parse(*out, argc, argv);
}

/* The struct of probe begins with this one. */
static struct exercise_options *exercise(struct cli *cli)
{
	return (struct exercise_options *)cli;
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static bool is_refused(const struct cli_command *command, const char *const *words,
		       const char *sentence)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;
	int rc = parse(&cli, command, words);

	suite_saw("%d: %s", rc, err_text());
	return rc == -EINVAL && strstr(err_text(), sentence);
}

static void defaults_are_as_designed(void)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;
	const struct probe_options *probe;

	CU_ASSERT_EQUAL(parse(&cli, &cmd_probe, WORDS("nas1:/export")), 0);
	exercise_defaults(exercise(cli));
	probe = &exercise(cli)->probe;
	CU_ASSERT_EQUAL(probe->port, 20049);
	CU_ASSERT_EQUAL(probe->timeout_ms, 60000);
	CU_ASSERT_EQUAL(probe->level, PROBE_STANDARD);
	CU_ASSERT_EQUAL(probe->reads, 5000);
	CU_ASSERT_FALSE(exercise(cli)->reads.given);
	CU_ASSERT_EQUAL(probe->seed, 0);
	CU_ASSERT_PTR_NULL(probe->transport); /* auto */
	CU_ASSERT_PTR_NULL(probe->version);
	CU_ASSERT_FALSE(probe->device);
	CU_ASSERT_FALSE(probe->bind.len);
	CU_ASSERT_STRING_EQUAL(cli->format->name, "text");
	CU_ASSERT_FALSE(probe->has_cred);
	CU_ASSERT_FALSE(cli->quiet);
	CU_ASSERT_FALSE(exercise(cli)->embedded);
	CU_ASSERT_EQUAL(probe->mount_port, 0);
	CU_ASSERT_EQUAL(probe->nfs_port, 0);
	CU_ASSERT(fault_set_empty(cli->faults));
	CU_ASSERT_EQUAL(cli->noperands, 1);
	CU_ASSERT_STRING_EQUAL(cli->operands[0], "nas1:/export");
}

static void each_option_sets_its_value(void)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;
	const struct probe_options *probe;

	CU_ASSERT_EQUAL(parse(&cli, &cmd_probe,
			      WORDS("--format=json", "--timeout=5", "nas1", "--port=1",
				    "--level=full", "--cred=36:36", "-q")),
			0);
	exercise_defaults(exercise(cli));
	probe = &exercise(cli)->probe;
	CU_ASSERT_STRING_EQUAL(cli->format->name, "json");
	CU_ASSERT_EQUAL(probe->timeout_ms, 5000);
	CU_ASSERT_EQUAL(probe->port, 1);
	CU_ASSERT_EQUAL(probe->level, PROBE_FULL);
	CU_ASSERT(probe->has_cred);
	CU_ASSERT_EQUAL(probe->cred.uid, 36);
	CU_ASSERT(cli->quiet);
	CU_ASSERT_STRING_EQUAL(cli->operands[0], "nas1");
}

static void several_faults_are_combined(void)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;

	CU_ASSERT_EQUAL(parse(&cli, &cmd_probe,
			      WORDS("--embedded", "--fault", "write-chunk-over-812", "--fault",
				    "credit-zero")),
			0);
	CU_ASSERT(exercise(cli)->embedded);
	CU_ASSERT_FALSE(fault_set_empty(cli->faults));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--fault", "sabotage"), "--fault: "));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--fault", ""), "--fault: "));
}

static void unknown_options_and_commands_are_refused_by_name(void)
{
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--bogus"), "unknown option '--bogus'"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("-x"), "unknown option '-x'"));
	/* A letter of another command */
	CU_ASSERT(is_refused(&cmd_probe, WORDS("-o"), "unknown option '-o'"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--p=1"), "'--p=1'"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--listen=1"), "'--listen=1'"));
	CU_ASSERT(is_refused(&cmd_serve, WORDS("--level=full"), "'--level=full'"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--format", "yaml"),
			     "--format: takes one of text, json, prometheus, "
			     "openmetrics, nagios, not 'yaml'"));
}

static void the_path_to_the_server_can_be_selected(void)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;

	CU_ASSERT_EQUAL(parse(&cli, &cmd_probe,
			      WORDS("--transport", "iwarp", "--device", "mlx5_0", "--bind",
				    "[2001:db8::1]", "--nfs-version", "3", "a")),
			0);
	CU_ASSERT_PTR_EQUAL(exercise(cli)->probe.transport, transport_find("iwarp"));
	CU_ASSERT_PTR_EQUAL(exercise(cli)->probe.version, nfs_version_find("3"));
	CU_ASSERT_STRING_EQUAL(exercise(cli)->probe.device, "mlx5_0");
	CU_ASSERT_EQUAL(exercise(cli)->probe.bind.addr.ss_family, AF_INET6);
	CU_ASSERT_EQUAL(transport_port(&exercise(cli)->probe.bind), 0);
}

static void auto_resets_a_choice(void)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;

	CU_ASSERT_EQUAL(parse(&cli, &cmd_probe,
			      WORDS("--transport=iwarp", "--transport=auto", "--nfs-version=3",
				    "--nfs-version=auto", "a")),
			0);
	CU_ASSERT_PTR_NULL(exercise(cli)->probe.transport);
	CU_ASSERT_PTR_NULL(exercise(cli)->probe.version);
}

static void an_unknown_choice_lists_the_valid_ones(void)
{
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--transport", "tcp"), "verbs or iwarp"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--nfs-version", "2"), "4.1 or 4.2"));
	CU_ASSERT(is_refused(&cmd_serve, WORDS("--device", "mlx5_0"), "unknown option"));
	CU_ASSERT(is_refused(&cmd_serve, WORDS("--bind", "192.0.2.1"), "unknown option"));
}

static void arguments_are_required_or_refused(void)
{
	CU_ASSERT(
		is_refused(&cmd_probe, WORDS("--timeout"), "--timeout needs an argument: SECONDS"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--embedded=yes"), "--embedded takes no argument"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--timeout="), "--timeout: takes"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--pcap="), "--pcap: needs"));
}

static void numbers_out_of_range_are_refused(void)
{
	static const char *const bad[] = {
		"0", "-1", "86401", "1s", "1e3", "0x1", "18446744073709551617", ""
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT(is_refused(&cmd_probe, WORDS("--timeout", bad[i]),
				     "--timeout: takes a number from 1 to 86400"));
		CU_ASSERT(is_refused(&cmd_probe, WORDS("--mount-port", bad[i]),
				     "--mount-port: takes a number from 1 to 65535"));
	}
}

static void random_reads_have_a_number_and_a_seed(void)
{
	static const char *const bad[] = { "", "-1", " 1", "0x1", "1g", "11112222333344445" };
	_cleanup_(options_free_p) struct cli *cli = NULL;
	size_t i;

	CU_ASSERT_EQUAL(
		parse(&cli, &cmd_probe, WORDS("--reads", "0", "--seed", "fedcba9876543210")), 0);
	CU_ASSERT(exercise(cli)->reads.given);
	CU_ASSERT_EQUAL(exercise(cli)->reads.count, 0);
	CU_ASSERT_EQUAL(exercise(cli)->probe.seed, 0xfedcba9876543210);
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--reads", "100000001"),
			     "--reads: takes a number from 0 to 100000000"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--reads", "-1"), "--reads: takes"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT(is_refused(&cmd_probe, WORDS("--seed", bad[i]),
				     "--seed: takes 1 to 16 hexadecimal digits"));
	}
	CU_ASSERT(is_refused(&cmd_serve, WORDS("--reads", "1"), "unknown option"));
}

static void one_operand_too_many_is_refused(void)
{
	CU_ASSERT(is_refused(&cmd_probe, WORDS("a", "b"), "unexpected argument 'b'"));
	CU_ASSERT(is_refused(&cmd_serve, WORDS("a"), "unexpected argument 'a'"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("a", "--", "--level"),
			     "unexpected argument '--level'"));
}

static void huge_arguments_are_truncated_in_the_error(void)
{
	char *huge = malloc(65537);

	memset(huge, 'a', 65536);
	huge[65536] = '\0';
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--level", huge), "takes quick"));
	ASSERT_LESS(strlen(err_text()), 200);
	CU_ASSERT(is_refused(&cmd_probe, WORDS("a", huge), "unexpected argument"));
	ASSERT_LESS(strlen(err_text()), 200);
	memcpy(huge, "--", 2);
	CU_ASSERT(is_refused(&cmd_probe, WORDS(huge), "unknown option"));
	ASSERT_LESS(strlen(err_text()), 200);
	free(huge);
}

static void help_needs_no_operands(void)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;

	CU_ASSERT_EQUAL(parse(&cli, &cmd_probe, WORDS("--help", "a", "b")), 0);
	CU_ASSERT(cli->help);
}

/* What help and the manual page print, and the parser writes to. */
static void rows_are_complete_and_unique(void)
{
	const struct cli_command *const *command;
	const struct cli_option *a, *b;
	size_t whole, kind;

	for (command = cli_commands; *command; command++) {
		whole = (*command)->size ? (*command)->size : sizeof(struct cli);
		for (a = (*command)->options; a->name; a++) {
			SUITE_ROW("%s --%s", (*command)->name, a->name);
			CU_ASSERT(a - (*command)->options < CLI_OPTIONS_MAX);
			CU_ASSERT_EQUAL(a->help[strlen(a->help) - 1], '.');
			CU_ASSERT(a->arg || (!a->choice && !a->parse && !a->max));
			kind = !a->arg  ? sizeof(bool)
			       : a->max ? sizeof(unsigned int)
					: sizeof(const char *);
			CU_ASSERT(a->parse || a->size == kind);
			CU_ASSERT(a->offset + a->size <= whole);
			for (b = a + 1; b->name; b++) {
				CU_ASSERT_STRING_NOT_EQUAL(a->name, b->name);
				CU_ASSERT(!a->letter || a->letter != b->letter);
			}
		}
		CU_ASSERT_STRING_EQUAL(a[-1].name, "help");
	}
}

static void the_help_has_the_default_time(void)
{
	const struct cli_command *const *command;
	const struct cli_option *row;
	char text[32];
	int n = 0;

	for (command = cli_commands; *command; command++)
		for (row = (*command)->options; row->name; row++) {
			if (strcmp(row->name, "timeout") || !(*command)->timeout_ms)
				continue;
			SUITE_ROW("%s", (*command)->name);
			snprintf(text, sizeof(text), "default %u)", (*command)->timeout_ms / 1000);
			ASSERT_CONTAINS(row->help, text);
			n++;
		}
	CU_ASSERT(n >= 8);
}

static void check_accepts_a_role_and_a_root(void)
{
	const struct check_like *options;
	struct check_target target;
	struct value_server server;
	struct cli *cli;

	CU_ASSERT_EQUAL(parse(&cli, &check_like, WORDS(NULL)), 0);
	options = (struct check_like *)cli;
	CU_ASSERT_EQUAL(cli->timeout_ms, 5000);
	CU_ASSERT_EQUAL(options->request.roles, 0);
	CU_ASSERT_FALSE(cli->root);
	CU_ASSERT_EQUAL(cmd_check_target(&options->request, NULL, &server, &target), 0);
	CU_ASSERT_FALSE(target.krb5);
	CU_ASSERT_FALSE(target.has_port);
	CU_ASSERT_FALSE(cli->verbose);
	options_free_p(&cli);
	CU_ASSERT_EQUAL(parse(&cli, &check_like,
			      WORDS("--role", "both", "--root", "/srv/host", "--sec", "krb5i", "-v",
				    "--timeout", "2", "--port", "1")),
			0);
	options = (struct check_like *)cli;
	CU_ASSERT_EQUAL(options->request.roles, CHECK_BOTH);
	CU_ASSERT_STRING_EQUAL(cli->root, "/srv/host");
	CU_ASSERT_EQUAL(cmd_check_target(&options->request, NULL, &server, &target), 0);
	CU_ASSERT(target.krb5);
	CU_ASSERT(target.has_port);
	CU_ASSERT_EQUAL(target.port, 1);
	CU_ASSERT(cli->verbose);
	CU_ASSERT_EQUAL(cli->timeout_ms, 2000);
	options_free_p(&cli);
	CU_ASSERT(is_refused(&cmd_check, WORDS("--role", "none"), "client, server"));
	CU_ASSERT(is_refused(&cmd_check, WORDS("--sec", "none"), "krb5"));
	CU_ASSERT(is_refused(&cmd_check, WORDS("--root="), "not empty"));
	CU_ASSERT(is_refused(&cmd_check, WORDS("--level", "quick"), "unknown option"));
	CU_ASSERT(is_refused(&cmd_probe, WORDS("--role", "client"), "unknown option"));
}

/* --- the commands of steps ------------------------------------------------------------------ */

static const char *const of_run[][2] = {
	{ "--transport", "iwarp" }, { "--bind", "127.0.0.1" }, { "--port", "2050" },
	{ "--mount-port", "2051" }, { "--nfs-port", "2052" },  { "--nfs-version", "4.1" },
	{ "--cred", "36:36" },
};

static bool takes(const struct cli_command *command, const char *option)
{
	const struct cli_option *row;

	for (row = command->options; row->name; row++)
		if (!strcmp(row->name, option + 2))
			return row->carried;
	return false;
}

/* As a user pastes it: what the parser of that command says, and each option of the run once. */
static void paste(const char *command, bool repeated)
{
	_cleanup_(options_free_p) struct cli *cli = NULL;
	_cleanup_free_ char *text = strdup(command);
	const char *words[24] = { NULL };
	const struct cli_command *row;
	char *rest = text, *word;
	char given[64];
	size_t n = 0, i;

	while (n < ARRAY_SIZE(words) - 1 && (word = strsep(&rest, " ")))
		words[n++] = word;
	row = command_find(words[1]);
	CU_ASSERT_PTR_NOT_NULL_FATAL(row);
	CU_ASSERT_EQUAL(parse(&cli, row, words + 2), 0);
	for (i = 0; repeated && i < ARRAY_SIZE(of_run); i++) {
		snprintf(given, sizeof(given), " %s ", of_run[i][0]);
		if (takes(row, of_run[i][0]))
			ASSERT_CONTAINS(command, given);
	}
}

static unsigned int accept_steps(const struct meaning *meaning, const struct reason *reason)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_(finding_fini) struct finding finding = { 0 };
	struct report_step steps[REPORT_STEPS_MAX];
	unsigned int i, n, repeated = 0;

	report_subject(report, "server", "nas1");
	report_subject(report, "export", "/vm");
	for (i = 0; i < ARRAY_SIZE(of_run); i++)
		report_repeat(report, of_run[i][0] + 2, of_run[i][1]);
	finding_init(&finding, meaning->id, FINDING_FAIL, "seen");
	finding_reason(&finding, reason->name);
	/* What else the reader would have to put in is PORT, FILE and the like. */
	finding_text(&finding, "port", "20049");
	finding_text(&finding, "asked", "20049");
	finding_text(&finding, "role", "client");
	finding_text(&finding, "type", "rxe");
	n = report_steps(report, &finding, steps);
	for (i = 0; i < n; i++) {
		bool of_server = strstr(steps[i].command, " nas1") != NULL;

		SUITE_ROW("%s/%s: %s", meaning->id, reason->name, steps[i].command);
		if (strncmp(steps[i].command, "nfsrdma ", 8) != 0 ||
		    strpbrk(steps[i].command, "&|;<>") || strstr(steps[i].command, " PORT"))
			continue;
		paste(steps[i].command, of_server);
		repeated += of_server;
	}
	return repeated;
}

/* Of every finding and reason: the program accepts what its steps print, with the options of this run. */
static void commands_of_steps_are_accepted(void)
{
	const struct meaning *meaning;
	const struct reason *reason;
	unsigned int repeated = 0;

	for (meaning = meaning_table; meaning->id; meaning++)
		for (reason = meaning->reasons; reason->name; reason++)
			repeated += accept_steps(meaning, reason);
	SUITE_ROW("all");
	ASSERT_AT_LEAST(repeated, 60);
}

SUITE_MAIN("cli-options", TEST(commands_of_steps_are_accepted), TEST(defaults_are_as_designed),
	   TEST(each_option_sets_its_value), TEST(several_faults_are_combined),
	   TEST(unknown_options_and_commands_are_refused_by_name),
	   TEST(the_path_to_the_server_can_be_selected), TEST(auto_resets_a_choice),
	   TEST(an_unknown_choice_lists_the_valid_ones), TEST(arguments_are_required_or_refused),
	   TEST(numbers_out_of_range_are_refused), TEST(random_reads_have_a_number_and_a_seed),
	   TEST(one_operand_too_many_is_refused), TEST(huge_arguments_are_truncated_in_the_error),
	   TEST(help_needs_no_operands), TEST(rows_are_complete_and_unique),
	   TEST(the_help_has_the_default_time), TEST(check_accepts_a_role_and_a_root))
