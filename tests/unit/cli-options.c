/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The option table: what each option sets, the commands that accept it, and what is refused. */
#include "plugin/cli/cli.h"
#include "suite.h"

static const struct cli_command probe_like = { .name = "probe",
					       .bit = CLI_PROBE,
					       .max_operands = 1 };
static const struct cli_command check_like = {
	.name = "check", .bit = CLI_CHECK, .timeout_ms = 5000, .max_operands = 1
};
static const struct cli_command serve_like = { .name = "serve", .bit = CLI_SERVE };

/* Parses words; call options_fini() whatever the result. */
static int parse(struct cli_options *options, const struct cli_command *command,
		 const char *const *words)
{
	static char copies[12][70000];
	static char *argv[ARRAY_SIZE(copies) + 1];
	int argc = 0;

	memset(argv, 0, sizeof(argv));
	CU_ASSERT_FATAL(options_init(options, command));
	argv[argc++] = strcpy(copies[0], command->name);
	for (; *words && argc < (int)ARRAY_SIZE(copies); words++) {
		snprintf(copies[argc], sizeof(copies[argc]), "%s", *words);
		argv[argc] = copies[argc];
		argc++;
	}
	return options_parse(options, argc, argv);
}

#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static bool is_refused(const struct cli_command *command, const char *const *words,
		       const char *sentence)
{
	_cleanup_(options_fini) struct cli_options options;
	int rc = parse(&options, command, words);

	suite_saw("%d: %s", rc, err_text());
	return rc == -EINVAL && strstr(err_text(), sentence);
}

static void defaults_are_as_designed(void)
{
	_cleanup_(options_fini) struct cli_options options;

	CU_ASSERT_EQUAL(parse(&options, &probe_like, WORDS("nas1:/export")), 0);
	CU_ASSERT_EQUAL(options.port, 20049);
	CU_ASSERT_EQUAL(options.timeout_ms, 60000);
	CU_ASSERT_EQUAL(options.level, PROBE_STANDARD);
	CU_ASSERT_EQUAL(options.reads, 5000);
	CU_ASSERT_FALSE(options.has_reads);
	CU_ASSERT_EQUAL(options.seed, 0);
	CU_ASSERT_PTR_NULL(options.transport); /* auto */
	CU_ASSERT_PTR_NULL(options.nfs_version);
	CU_ASSERT_FALSE(options.device);
	CU_ASSERT_FALSE(options.bind.len);
	CU_ASSERT_STRING_EQUAL(options.format->name, "text");
	CU_ASSERT_FALSE(options.has_cred);
	CU_ASSERT_FALSE(options.quiet);
	CU_ASSERT_FALSE(options.embedded);
	CU_ASSERT_EQUAL(options.mount_port, 0);
	CU_ASSERT_EQUAL(options.nfs_port, 0);
	CU_ASSERT(fault_set_empty(options.faults));
	CU_ASSERT_EQUAL(options.noperands, 1);
	CU_ASSERT_STRING_EQUAL(options.operands[0], "nas1:/export");
}

static void each_option_sets_its_value(void)
{
	_cleanup_(options_fini) struct cli_options options;

	CU_ASSERT_EQUAL(parse(&options, &probe_like,
			      WORDS("--format=json", "--timeout=5", "nas1", "--port=1",
				    "--level=full", "--cred=36:36", "-q")),
			0);
	CU_ASSERT_STRING_EQUAL(options.format->name, "json");
	CU_ASSERT_EQUAL(options.timeout_ms, 5000);
	CU_ASSERT(options.has_port);
	CU_ASSERT_EQUAL(options.port, 1);
	CU_ASSERT_EQUAL(options.level, PROBE_FULL);
	CU_ASSERT(options.has_cred);
	CU_ASSERT_EQUAL(options.cred.uid, 36);
	CU_ASSERT(options.quiet);
	CU_ASSERT_STRING_EQUAL(options.operands[0], "nas1");
}

static void several_faults_are_combined(void)
{
	_cleanup_(options_fini) struct cli_options options;

	CU_ASSERT_EQUAL(parse(&options, &probe_like,
			      WORDS("--embedded", "--fault", "write-chunk-over-812",
				    "--fault", "credit-zero")),
			0);
	CU_ASSERT(options.embedded);
	CU_ASSERT_FALSE(fault_set_empty(options.faults));
	CU_ASSERT(is_refused(&probe_like, WORDS("--fault", "sabotage"), "--fault: "));
	CU_ASSERT(is_refused(&probe_like, WORDS("--fault", ""), "--fault: "));
}

static void unknown_options_and_commands_are_refused_by_name(void)
{
	CU_ASSERT(is_refused(&probe_like, WORDS("--bogus"), "unknown option '--bogus'"));
	CU_ASSERT(is_refused(&probe_like, WORDS("-x"), "unknown option '-x'"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--p=1"), "'--p=1'"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--listen=1"), "'--listen=1'"));
	CU_ASSERT(is_refused(&serve_like, WORDS("--level=full"), "'--level=full'"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--format", "yaml"),
			     "--format: takes one of text, json, prometheus, "
			     "openmetrics, nagios, not 'yaml'"));
}

static void the_path_to_the_server_can_be_selected(void)
{
	_cleanup_(options_fini) struct cli_options options;

	CU_ASSERT_EQUAL(
		parse(&options, &probe_like,
		      WORDS("--transport", "iwarp", "--device", "mlx5_0", "--bind",
			    "[2001:db8::1]", "--nfs-version", "3", "a")),
		0);
	CU_ASSERT_PTR_EQUAL(options.transport, transport_find("iwarp"));
	CU_ASSERT_PTR_EQUAL(options.nfs_version, nfs_version_find("3"));
	CU_ASSERT_STRING_EQUAL(options.device, "mlx5_0");
	CU_ASSERT_EQUAL(options.bind.addr.ss_family, AF_INET6);
	CU_ASSERT_EQUAL(transport_port(&options.bind), 0);
}

static void auto_resets_a_choice(void)
{
	_cleanup_(options_fini) struct cli_options options;

	CU_ASSERT_EQUAL(parse(&options, &probe_like,
			      WORDS("--transport=iwarp", "--transport=auto",
				    "--nfs-version=3", "--nfs-version=auto", "a")),
			0);
	CU_ASSERT_PTR_NULL(options.transport);
	CU_ASSERT_PTR_NULL(options.nfs_version);
}

static void an_unknown_choice_lists_the_valid_ones(void)
{
	CU_ASSERT(is_refused(&probe_like, WORDS("--transport", "tcp"), "verbs or iwarp"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--nfs-version", "2"), "4.1 or 4.2"));
	CU_ASSERT(is_refused(&serve_like, WORDS("--device", "mlx5_0"), "unknown option"));
	CU_ASSERT(
		is_refused(&serve_like, WORDS("--bind", "192.0.2.1"), "unknown option"));
}

static void arguments_are_required_or_refused(void)
{
	CU_ASSERT(is_refused(&probe_like, WORDS("--timeout"),
			     "--timeout needs an argument: SECONDS"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--embedded=yes"),
			     "--embedded takes no argument"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--timeout="), "--timeout: takes"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--pcap="), "--pcap: needs"));
}

static void numbers_out_of_range_are_refused(void)
{
	static const char *const bad[] = {
		"0", "-1", "86401", "1s", "1e3", "0x1", "18446744073709551617", ""
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT(is_refused(&probe_like, WORDS("--timeout", bad[i]),
				     "--timeout: takes a number from 1 to 86400"));
		CU_ASSERT(is_refused(&probe_like, WORDS("--mount-port", bad[i]),
				     "--mount-port: takes a number from 1 to 65535"));
	}
}

static void random_reads_have_a_number_and_a_seed(void)
{
	static const char *const bad[] = { "",    "-1", " 1",
					   "0x1", "1g", "11112222333344445" };
	_cleanup_(options_fini) struct cli_options options;
	size_t i;

	CU_ASSERT_EQUAL(parse(&options, &probe_like,
			      WORDS("--reads", "0", "--seed", "fedcba9876543210")),
			0);
	CU_ASSERT(options.has_reads);
	CU_ASSERT_EQUAL(options.reads, 0);
	CU_ASSERT_EQUAL(options.seed, 0xfedcba9876543210);
	CU_ASSERT(is_refused(&probe_like, WORDS("--reads", "100000001"),
			     "--reads: takes a number from 0 to 100000000"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--reads", "-1"), "--reads: takes"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT(is_refused(&probe_like, WORDS("--seed", bad[i]),
				     "--seed: takes 1 to 16 hexadecimal digits"));
	}
	CU_ASSERT(is_refused(&serve_like, WORDS("--reads", "1"), "unknown option"));
}

static void one_operand_too_many_is_refused(void)
{
	CU_ASSERT(is_refused(&probe_like, WORDS("a", "b"), "unexpected argument 'b'"));
	CU_ASSERT(is_refused(&serve_like, WORDS("a"), "unexpected argument 'a'"));
	CU_ASSERT(is_refused(&probe_like, WORDS("a", "--", "--level"),
			     "unexpected argument '--level'"));
}

static void huge_arguments_are_truncated_in_the_error(void)
{
	char *huge = malloc(65537);

	memset(huge, 'a', 65536);
	huge[65536] = '\0';
	CU_ASSERT(is_refused(&probe_like, WORDS("--level", huge), "takes quick"));
	ASSERT_LESS(strlen(err_text()), 200);
	CU_ASSERT(is_refused(&probe_like, WORDS("a", huge), "unexpected argument"));
	ASSERT_LESS(strlen(err_text()), 200);
	memcpy(huge, "--", 2);
	CU_ASSERT(is_refused(&probe_like, WORDS(huge), "unknown option"));
	ASSERT_LESS(strlen(err_text()), 200);
	free(huge);
}

static void help_needs_no_operands(void)
{
	_cleanup_(options_fini) struct cli_options options;

	CU_ASSERT_EQUAL(parse(&options, &probe_like, WORDS("--help", "a", "b")), 0);
	CU_ASSERT(options.help);
}

/* The table that help and the manual page print. */
static void rows_are_complete_and_unique(void)
{
	const struct cli_option *a, *b;

	for (a = option_table; a->name; a++) {
		SUITE_ROW("%s", a->name);
		CU_ASSERT(a->commands);
		CU_ASSERT(a->set);
		CU_ASSERT_EQUAL(a->help[strlen(a->help) - 1], '.');
		for (b = a + 1; b->name; b++) {
			SUITE_ROW("%s", b->name);
			CU_ASSERT_STRING_NOT_EQUAL(a->name, b->name);
			CU_ASSERT(!a->letter || a->letter != b->letter);
		}
	}
}

static void check_accepts_a_role_and_a_root(void)
{
	struct cli_options options;

	CU_ASSERT_EQUAL(parse(&options, &check_like, WORDS(NULL)), 0);
	CU_ASSERT_EQUAL(options.timeout_ms, 5000);
	CU_ASSERT_EQUAL(options.roles, 0);
	CU_ASSERT_FALSE(options.root);
	CU_ASSERT_FALSE(options.krb5);
	CU_ASSERT_FALSE(options.verbose);
	options_fini(&options);
	CU_ASSERT_EQUAL(parse(&options, &check_like,
			      WORDS("--role", "both", "--root", "/srv/host", "--sec",
				    "krb5i", "-v", "--timeout", "2")),
			0);
	CU_ASSERT_EQUAL(options.roles, CHECK_BOTH);
	CU_ASSERT_STRING_EQUAL(options.root, "/srv/host");
	CU_ASSERT(options.krb5);
	CU_ASSERT(options.verbose);
	CU_ASSERT_EQUAL(options.timeout_ms, 2000);
	options_fini(&options);
	CU_ASSERT(is_refused(&check_like, WORDS("--role", "none"), "client, server"));
	CU_ASSERT(is_refused(&check_like, WORDS("--sec", "none"), "krb5"));
	CU_ASSERT(is_refused(&check_like, WORDS("--root="), "not empty"));
	CU_ASSERT(is_refused(&check_like, WORDS("--level", "quick"), "unknown option"));
	CU_ASSERT(is_refused(&probe_like, WORDS("--role", "client"), "unknown option"));
}

SUITE_MAIN("cli-options", TEST(defaults_are_as_designed),
	   TEST(each_option_sets_its_value), TEST(several_faults_are_combined),
	   TEST(unknown_options_and_commands_are_refused_by_name),
	   TEST(the_path_to_the_server_can_be_selected), TEST(auto_resets_a_choice),
	   TEST(an_unknown_choice_lists_the_valid_ones),
	   TEST(arguments_are_required_or_refused),
	   TEST(numbers_out_of_range_are_refused),
	   TEST(random_reads_have_a_number_and_a_seed),
	   TEST(one_operand_too_many_is_refused),
	   TEST(huge_arguments_are_truncated_in_the_error), TEST(help_needs_no_operands),
	   TEST(rows_are_complete_and_unique), TEST(check_accepts_a_role_and_a_root))
