/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Programs run for their output, and their possible failures. */
#include <signal.h>
#include <sys/wait.h>

#include "plugin/host/tool.h"
#include "suite.h"

static struct host_text text;

static int run(const char *script, size_t max, unsigned int ms)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };

	host_text_fini(&text);
	memset(&text, 0, sizeof(text));
	return tool_run(argv, max, deadline_in(ms), &text);
}

static void output_is_returned(void)
{
	CU_ASSERT_EQUAL(run("echo one; echo two; echo noise >&2", 100, PATIENCE_MS), 0);
	CU_ASSERT_STRING_EQUAL(text.text, "one\ntwo\n");
	CU_ASSERT_EQUAL(text.len, 8);
	CU_ASSERT_EQUAL(run(":", 100, PATIENCE_MS), 0);
	CU_ASSERT_STRING_EQUAL(text.text, "");
	host_text_fini(&text);
}

static void all_arguments_arrive(void)
{
	const char *argv[42] = { "/bin/sh", "-c", "echo $# $0 ${37}" };
	int i;

	for (i = 3; i < 42 - 1; i++)
		argv[i] = "x";
	argv[41 - 1] = "last";
	CU_ASSERT_EQUAL(tool_run(argv, 100, deadline_in(PATIENCE_MS), &text), 0);
	CU_ASSERT_STRING_EQUAL(text.text, "37 x last\n");
	host_text_fini(&text);
}

static void the_child_has_no_environment_and_empty_stdin(void)
{
	setenv("NFSRDMA_SECRET", "x", 1);
	CU_ASSERT_EQUAL(run("echo ${NFSRDMA_SECRET-none} ${HOME-none}; cat", 100, PATIENCE_MS), 0);
	CU_ASSERT_STRING_EQUAL(text.text, "none none\n");
	host_text_fini(&text);
}

static void a_long_text_is_returned_completely(void)
{
	CU_ASSERT_EQUAL(
		run("i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789012345678901234567890123456789012345678; i=$((i+1)); done",
		    1000000, PATIENCE_MS),
		0);
	CU_ASSERT_EQUAL(text.len, 240000);
	CU_ASSERT_EQUAL(strlen(text.text), 240000);
	host_text_fini(&text);
}

static void too_much_output_is_an_error(void)
{
	uint64_t start = now_ms();

	CU_ASSERT_EQUAL(run("while :; do echo y; done", 1000, PATIENCE_MS), -EFBIG);
	CU_ASSERT_STRING_EQUAL(err_text(), "/bin/sh says more than 1000 bytes");
	ASSERT_WITHIN_MS(now_ms() - start, 5000);
	CU_ASSERT_EQUAL(run("while :; do echo y >&2; done", 1000, 500), -ETIMEDOUT);
}

static void a_failure_is_reported_with_its_message(void)
{
	CU_ASSERT_EQUAL(run("echo 'no \033[31mrules' >&2; echo more >&2; exit 3", 100, PATIENCE_MS),
			-EIO);
	CU_ASSERT_STRING_EQUAL(err_text(), "/bin/sh ends with status 3: no ?[31mrules");
	CU_ASSERT_EQUAL(run("kill -SEGV $$", 100, PATIENCE_MS), -EIO);
	CU_ASSERT_STRING_EQUAL(err_text(), "/bin/sh was ended by signal 11");
}

static void a_missing_program_is_enoent(void)
{
	const char *argv[] = { "/nonexistent/nft", NULL };

	CU_ASSERT_EQUAL(tool_run(argv, 10, deadline_in(PATIENCE_MS), &text), -ENOENT);
	argv[0] = "/etc/passwd";
	CU_ASSERT_EQUAL(tool_run(argv, 10, deadline_in(PATIENCE_MS), &text), -EACCES);
}

static void a_program_that_hangs_is_killed_at_the_deadline(void)
{
	static const char *const scripts[] = {
		"sleep 60",
		"trap '' TERM INT HUP; while :; do sleep 1; done",
		/* it closed its stdout, and keeps running */
		"exec >/dev/null 2>&1; sleep 60",
	};
	uint64_t start;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scripts); i++) {
		SUITE_ROW("%zu: %s", i, scripts[i]);
		start = now_ms();
		CU_ASSERT_EQUAL(run(scripts[i], 100, 300), -ETIMEDOUT);
		ASSERT_AT_LEAST(now_ms() - start, 290);
		ASSERT_WITHIN_MS(now_ms() - start, 1500);
		CU_ASSERT(no_child_is_left());
	}
}

/* It exited, and its child holds its stdout: the parent does not wait for that. */
static void grandchildren_are_not_waited_for(void)
{
	CU_ASSERT_EQUAL(run("echo here; sleep 60 & exit 0", 100, PATIENCE_MS), 0);
	CU_ASSERT_STRING_EQUAL(text.text, "here\n");
	host_text_fini(&text);
	CU_ASSERT(no_child_is_left());
}

/* Its background process must not outlive it. */
static void the_process_group_is_killed(void)
{
	char command[64];
	int i, gone = 0;

	CU_ASSERT_EQUAL(run("sleep 60 >/dev/null 2>&1 & echo $!", 100, PATIENCE_MS), 0);
	for (i = 0; i < PATIENCE_MS / 10 && !gone; i++) {
		gone = kill((pid_t)atoi(text.text), 0) < 0;
		snprintf(command, sizeof(command), "grep -q '^State:.Z' /proc/%d/status",
			 atoi(text.text));
		gone |= system(command) == 0;
		usleep(10000);
	}
	CU_ASSERT(gone);
	host_text_fini(&text);
}

static void binary_output_is_refused(void)
{
	CU_ASSERT_EQUAL(run("printf 'a\\000b'", 100, PATIENCE_MS), -EINVAL);
}

/* Our parent may have made us ignore SIGCHLD. */
static void ignoring_sigchld_is_not_a_failure(void)
{
	signal(SIGCHLD, SIG_IGN);
	CU_ASSERT_EQUAL(run("echo here", 100, PATIENCE_MS), 0);
	CU_ASSERT_STRING_EQUAL(text.text, "here\n");
	host_text_fini(&text);
	signal(SIGCHLD, SIG_DFL);
}

SUITE_MAIN("tool", TEST(output_is_returned), TEST(all_arguments_arrive),
	   TEST(the_child_has_no_environment_and_empty_stdin),
	   TEST(a_long_text_is_returned_completely), TIMED(too_much_output_is_an_error),
	   TEST(a_failure_is_reported_with_its_message), TEST(a_missing_program_is_enoent),
	   TIMED(a_program_that_hangs_is_killed_at_the_deadline),
	   TIMED(grandchildren_are_not_waited_for), TEST(the_process_group_is_killed),
	   TEST(binary_output_is_refused), TEST(ignoring_sigchld_is_not_a_failure))
