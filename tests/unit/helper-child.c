/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* mount.nfs as a child process: what it inherits, where its output goes, and that it ends. */
#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "mount-helper/internal.h"
#include "tests/unit/suite.h"

static struct mount_nfs_end end;
static char said[64 * 1024];

/* said receives what appears on our own stdout and stderr meanwhile. */
static int run_for(const char *script, int signals, unsigned int ms)
{
	const char *argv[] = { "sh", "-c", script, NULL };
	char path[] = "/tmp/nfsrdma-child.XXXXXX";
	int out = dup(1), err = dup(2), file = mkstemp(path), rc;
	ssize_t n;

	fflush(stdout);
	unlink(path);
	dup2(file, 1);
	dup2(file, 2);
	rc = mount_nfs_run("/bin/sh", argv, signals, deadline_in(ms), &end);
	dup2(out, 1);
	dup2(err, 2);
	n = pread(file, said, sizeof(said) - 1, 0);
	said[n > 0 ? n : 0] = '\0';
	close(out);
	close(err);
	close(file);
	return rc;
}

static int run(const char *script)
{
	return run_for(script, -1, 20000);
}

static void status_and_messages_are_passed_on(void)
{
	CU_ASSERT_EQUAL(run("echo out; echo one >&2; echo two >&2; exit 32"), 0);
	CU_ASSERT_EQUAL(end.status, 32);
	CU_ASSERT_FALSE(end.timed_out);
	CU_ASSERT_STRING_EQUAL(end.last, "two");
	ASSERT_CONTAINS(said, "out\n");
	/* The last line is for callers that print one message. */
	ASSERT_CONTAINS(said, "one\n");
	ASSERT_LACKS(said, "two");
	CU_ASSERT_EQUAL(run("echo one >&2; echo two >&2"), 0);
	ASSERT_CONTAINS(said, "one\ntwo\n");
	CU_ASSERT_EQUAL(run("printf 'no end\\033[2J' >&2"), 0);
	CU_ASSERT_STRING_EQUAL(end.last, "no end?[2J");
	CU_ASSERT_EQUAL(end.status, 0);
}

static void the_child_has_a_clean_environment_and_empty_stdin(void)
{
	setenv("NFSRDMA_SECRET", "x", 1);
	setenv("LD_PRELOAD", "", 1);
	CU_ASSERT_EQUAL(run("env; cat"), 0);
	ASSERT_LACKS(said, "SECRET");
	ASSERT_LACKS(said, "LD_");
	ASSERT_CONTAINS(said, "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n");
	ASSERT_CONTAINS(said, "LC_ALL=C\n");
}

static void the_child_inherits_no_descriptors(void)
{
	int fd = open("/dev/null", O_RDONLY);

	/* The last descriptor is the directory that it lists. */
	CU_ASSERT_EQUAL(run("exec ls /proc/self/fd"), 0);
	CU_ASSERT_STRING_EQUAL(said, "0\n1\n2\n3\n");
	close(fd);
}

static void the_child_stays_in_our_process_group(void)
{
	char want[64];

	snprintf(want, sizeof(want), "%d\n", (int)getpgrp());
	CU_ASSERT_EQUAL(run("cut -d' ' -f5 /proc/$$/stat"), 0);
	CU_ASSERT_STRING_EQUAL(said, want);
}

static void a_program_that_cannot_start_is_an_error(void)
{
	const char *argv[] = { "x", NULL };

	CU_ASSERT_EQUAL(
		mount_nfs_run("/nonexistent/mount.nfs", argv, -1, deadline_in(PATIENCE_MS), &end),
		-ENOENT);
	CU_ASSERT_STRING_EQUAL(err_text(), "/nonexistent/mount.nfs: No such file or directory");
	CU_ASSERT_EQUAL(mount_nfs_run("/etc/passwd", argv, -1, deadline_in(PATIENCE_MS), &end),
			-EACCES);
	CU_ASSERT_EQUAL(mount_nfs_run("/", argv, -1, deadline_in(PATIENCE_MS), &end), -EACCES);
}

static void a_daemon_that_keeps_its_stderr_is_not_waited_for(void)
{
	uint64_t start = now_ms();

	CU_ASSERT_EQUAL(run("echo before >&2; sleep 20 & exit 0"), 0);
	ASSERT_WITHIN_MS(now_ms() - start, 5000);
	CU_ASSERT_EQUAL(end.status, 0);
	CU_ASSERT_STRING_EQUAL(end.last, "before");
}

static void a_child_that_hangs_is_killed(void)
{
	uint64_t start = now_ms();

	CU_ASSERT_EQUAL(run_for("echo waiting >&2; exec sleep 60", -1, 1000), 0);
	CU_ASSERT(end.timed_out);
	CU_ASSERT_EQUAL(end.status, -1);
	CU_ASSERT_STRING_EQUAL(end.last, "waiting");
	CU_ASSERT_EQUAL(run_for("trap '' TERM; while :; do sleep 1; done", -1, 1000), 0);
	CU_ASSERT(end.timed_out);
	ASSERT_WITHIN_MS(now_ms() - start, 10000);
}

static void a_killed_child_is_reported(void)
{
	CU_ASSERT_EQUAL(run("kill -SEGV $$"), 0);
	CU_ASSERT_EQUAL(end.status, -1);
	CU_ASSERT_EQUAL(end.signal, SIGSEGV);
	CU_ASSERT_FALSE(end.timed_out);
}

static void a_flood_of_output_is_truncated(void)
{
	CU_ASSERT_EQUAL(run_for("yes", -1, 500), 0);
	CU_ASSERT(end.timed_out);
	CU_ASSERT_EQUAL(strlen(said), 16 * 1024);
}

static void a_signal_to_us_ends_the_child(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	raise(SIGTERM);
	CU_ASSERT_EQUAL(run_for("exec sleep 60", fd, 20000), 0);
	CU_ASSERT(end.interrupted);
	CU_ASSERT_FALSE(end.timed_out);
	close(fd);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* The helper may be started in any state. */
static int started_badly(void)
{
	struct helper helper = { .name = "test" };
	int fd;

	close(0);
	close(2);
	signal(SIGCHLD, SIG_IGN);
	helper_init(&helper);
	fd = open("/", O_RDONLY);
	if (fd <= 2 || fcntl(0, F_GETFD) < 0 || fcntl(2, F_GETFD) < 0 || getenv("PATH"))
		return 1;
	if (signal(SIGCHLD, SIG_DFL) != SIG_DFL || signal(SIGPIPE, SIG_DFL) != SIG_IGN)
		return 2;
	return 0;
}

static void the_helper_starts_with_descriptors_and_no_environment(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		_exit(started_badly());
	waitpid(pid, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
}

/* The waiting process is killed; the kernel then kills the child. */
static void the_child_dies_with_its_parent(void)
{
	char path[] = "/tmp/nfsrdma-child.XXXXXX", script[64], text[32] = "";
	int file = mkstemp(path), tries;
	pid_t pid, theirs;

	snprintf(script, sizeof(script), "echo $$ >%s; exec sleep 60", path);
	pid = fork();
	if (!pid) {
		const char *argv[] = { "sh", "-c", script, NULL };

		mount_nfs_run("/bin/sh", argv, -1, deadline_in(PATIENCE_MS), &end);
		_exit(0);
	}
	for (tries = 0; tries < PATIENCE_MS / 10 && pread(file, text, sizeof(text) - 1, 0) <= 1;
	     tries++)
		usleep(10000);
	theirs = (pid_t)strtol(text, NULL, 10);
	ASSERT_MORE_FATAL(theirs, 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (tries = 0; tries < PATIENCE_MS / 10 && !kill(theirs, 0); tries++)
		usleep(10000);
	CU_ASSERT_EQUAL(kill(theirs, 0), -1);
	close(file);
	unlink(path);
}

SUITE_MAIN("helper-child", TEST(status_and_messages_are_passed_on),
	   TEST(the_child_has_a_clean_environment_and_empty_stdin),
	   TEST(the_child_inherits_no_descriptors), TEST(the_child_stays_in_our_process_group),
	   TEST(a_program_that_cannot_start_is_an_error),
	   TIMED(a_daemon_that_keeps_its_stderr_is_not_waited_for),
	   TIMED(a_child_that_hangs_is_killed), TEST(a_killed_child_is_reported),
	   TEST(a_flood_of_output_is_truncated), TEST(a_signal_to_us_ends_the_child),
	   TEST(the_child_dies_with_its_parent),
	   TEST(the_helper_starts_with_descriptors_and_no_environment))
