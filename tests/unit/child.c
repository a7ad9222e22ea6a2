/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Child processes: from inside, the privileges each kind drops; from outside, what its parent
 * learns, and when. The worker here acts as one that a peer has compromised. */
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "rpcrdma/child/compat.h"
#include "rpcrdma/child/internal.h"
#include "suite.h"

static struct child_function function_of(enum child_kind kind, int (*run)(void *, int))
{
	return (struct child_function){ .kind = kind, .name = "the child", .run = run };
}

static int call(enum child_kind kind, int (*run)(void *, int), void *answer, size_t len)
{
	struct child_function function = function_of(kind, run);

	return child_call(&function, answer, len, deadline_in(PATIENCE_MS), NULL);
}

/* valgrind 3.19 does not support filters, and answers RLIMIT_NOFILE itself. */
static bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

/* --- dropped privileges --------------------------------------------------------------- */

struct status {
	unsigned long uid, gid, effective, permitted, bounding, ambient, no_new_privs, seccomp;
	unsigned long files, core, written;
	int fds, dumpable, group, isolated;
};

/* A number from /proc/self/status. */
static unsigned long status_field(const char *text, const char *name, int base)
{
	const char *at = strstr(text, name);

	return at ? strtoul(at + strlen(name), NULL, base) : ~0ul;
}

static unsigned long limit_of(int resource)
{
	struct rlimit limit;

	return getrlimit((__rlimit_resource_t)resource, &limit) ? ~0ul : limit.rlim_cur;
}

static char proc_status[8192];

static int tell_status(void *arg, int channel)
{
	struct status s = { 0 };
	int fd;

	(void)arg;
	fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, proc_status, sizeof(proc_status) - 1) <= 0)
		return 1;
	close(fd);
	s.uid = status_field(proc_status, "\nUid:", 10);
	s.gid = status_field(proc_status, "\nGid:", 10);
	s.effective = status_field(proc_status, "\nCapEff:", 16);
	s.permitted = status_field(proc_status, "\nCapPrm:", 16);
	s.bounding = status_field(proc_status, "\nCapBnd:", 16);
	s.ambient = status_field(proc_status, "\nCapAmb:", 16);
	s.no_new_privs = status_field(proc_status, "\nNoNewPrivs:", 10);
	s.seccomp = status_field(proc_status, "\nSeccomp:", 10);
	s.files = limit_of(RLIMIT_NOFILE);
	s.core = limit_of(RLIMIT_CORE);
	s.written = limit_of(RLIMIT_FSIZE);
	s.dumpable = prctl(PR_GET_DUMPABLE);
	s.group = getpgrp() == getpid() ? 1 : -getpgrp();
	s.isolated = !getppid();
	for (fd = 0; fd < 1024; fd++)
		s.fds += fcntl(fd, F_GETFD) >= 0;
	return child_answer(channel, &s, sizeof(s));
}

static void decoding_children_have_no_privileges(void)
{
	static const enum child_kind kinds[] = { CHILD_WORKER, CHILD_SERVER };
	/* Left open by other code, without CLOEXEC. */
	_cleanup_close_ int stranger = open("/", O_RDONLY | O_DIRECTORY);
	bool root = geteuid() == 0;
	struct status s;
	size_t i;

	SKIP_IF_EMULATED("lacks seccomp filters");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		CU_ASSERT_EQUAL_FATAL(call(kinds[i], tell_status, &s, sizeof(s)), 0);
		SUITE_ROW("kind %d", kinds[i]);
		CU_ASSERT_EQUAL(s.uid, root ? 65534 : getuid());
		CU_ASSERT_EQUAL(s.gid, root ? 65534 : getgid());
		CU_ASSERT_EQUAL(s.effective, 0);
		CU_ASSERT_EQUAL(s.permitted, 0);
		CU_ASSERT_EQUAL(s.ambient, 0);
		if (root)
			CU_ASSERT_EQUAL(s.bounding, 0);
		CU_ASSERT_EQUAL(s.no_new_privs, 1);
		CU_ASSERT_EQUAL(s.core, 0);
		CU_ASSERT_EQUAL(s.dumpable, 0);
		/* One that was made outside has no number in the namespace; see below for its end. */
		CU_ASSERT_EQUAL(s.group, s.isolated ? 0 : 1);
		CU_ASSERT_EQUAL(s.fds, 4); /* stdin, stdout, stderr, the channel */
		if (!under_valgrind())
			CU_ASSERT_EQUAL(s.seccomp, 2);
	}
	ASSERT_AT_LEAST(stranger, 0);
}

static void a_worker_and_a_parser_have_limits(void)
{
	struct status s;

	CU_ASSERT_EQUAL_FATAL(call(CHILD_WORKER, tell_status, &s, sizeof(s)), 0);
	if (!under_valgrind())
		CU_ASSERT_EQUAL(s.files, 32);
	CU_ASSERT_EQUAL_FATAL(call(CHILD_PARSER, tell_status, &s, sizeof(s)), 0);
	if (!under_valgrind())
		CU_ASSERT_EQUAL(s.files, 32);
	CU_ASSERT_EQUAL(s.written, 0);
	CU_ASSERT_EQUAL(s.uid, getuid());
	/* Root can still read files of other users, and nothing else. */
	CU_ASSERT_EQUAL(s.effective & ~(1ul << 2), 0);
	if (geteuid() == 0)
		CU_ASSERT_EQUAL(s.bounding, 0);
	CU_ASSERT_EQUAL(s.no_new_privs, 1);
}

static void mounting_and_program_running_children_keep_what_they_need(void)
{
	unsigned long bounding;
	struct status s;

	CU_ASSERT_EQUAL_FATAL(call(CHILD_MOUNTER, tell_status, &s, sizeof(s)), 0);
	bounding = s.bounding;
	CU_ASSERT_EQUAL(s.uid, getuid());
	CU_ASSERT_EQUAL(s.no_new_privs, 0);
	CU_ASSERT_EQUAL(s.group, -getpgrp());
	CU_ASSERT_EQUAL_FATAL(call(CHILD_GATE, tell_status, &s, sizeof(s)), 0);
	CU_ASSERT_EQUAL(s.uid, getuid());
	CU_ASSERT_EQUAL(s.no_new_privs, 0);
	CU_ASSERT_EQUAL(s.bounding, bounding);
	CU_ASSERT_EQUAL(s.core, 0);
	CU_ASSERT_EQUAL(s.fds, 4);
}

struct refusals {
	uint32_t tried, refused;
	char first[64]; /* that was not refused */
};

/* Arguments that every call of the list rejects: a call that is not denied fails with another
 * error and does no harm. */
static int try_denied(void *arg, int channel)
{
	struct refusals r = { 0 };
	long got, bad = -1;
	int number;
	size_t i;

	(void)arg;
	for (i = 0; i < deny_count(); i++) {
		number = seccomp_syscall_resolve_name(deny_name(i));
		if (number < 0)
			continue;
		r.tried++;
		errno = 0;
		got = syscall(number, bad, bad, bad, bad, bad, bad);
		if (got == -1 && errno == EPERM)
			r.refused++;
		else if (!*r.first)
			snprintf(r.first, sizeof(r.first), "%s", deny_name(i));
	}
	return child_answer(channel, &r, sizeof(r));
}

/* What @run writes to stderr while the filter logs each refused call: EPERM alone could be the
 * kernel's answer to a process without the capability. */
static void call_with_debug(int (*run)(void *, int), void *answer, size_t len, char *text,
			    size_t cap)
{
	int saved = dup(STDERR_FILENO), pipes[2];
	ssize_t n;

	memset(text, 0, cap);
	CU_ASSERT_EQUAL_FATAL(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	dup2(pipes[1], STDERR_FILENO);
	debug_mask = 1u << DEBUG_CHILD;
	CU_ASSERT_EQUAL(call(CHILD_WORKER, run, answer, len), 0);
	debug_mask = 0;
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(pipes[1]);
	n = read(pipes[0], text, cap - 1);
	ASSERT_MORE(n, 0);
	close(pipes[0]);
}

static unsigned int count_parts(const char *text, const char *part)
{
	unsigned int count = 0;

	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

static void every_denied_system_call_is_refused(void)
{
	static char text[65536];
	struct refusals r;

	SKIP_IF_EMULATED("lacks seccomp filters");
	if (under_valgrind())
		return;
	call_with_debug(try_denied, &r, sizeof(r), text, sizeof(text));
	ASSERT_MORE(r.tried, 50);
	CU_ASSERT_EQUAL(count_parts(text, " is denied (EPERM)"), COMPAT_HAS_RETURN ? r.refused : 0);
#ifndef __SANITIZE_ADDRESS__
	CU_ASSERT_STRING_EQUAL(r.first, "");
	CU_ASSERT_EQUAL(r.refused, r.tried);
#else
	/* It needs two of them, and clone(2). */
	CU_ASSERT_EQUAL(r.refused, r.tried - 2);
#endif
}

struct clones {
	int user, pid, all, clone3;
};

static int clone_errno(unsigned long flags)
{
	unsigned long args[2] = { 0 }; /* the stack is the other one */
	long pid;

	args[COMPAT_CLONE_FLAGS] = flags | SIGCHLD;
	pid = syscall(SYS_clone, args[0], args[1], NULL, NULL, 0);

	if (!pid)
		_exit(0);
	if (pid > 0)
		waitpid((pid_t)pid, NULL, 0);
	return pid < 0 ? errno : 0;
}

static int try_namespaces(void *arg, int channel)
{
	struct clone_args args = { .flags = CLONE_NEWUSER };
	struct clones c;

	(void)arg;
	c.user = clone_errno(CLONE_NEWUSER);
	c.pid = clone_errno(CLONE_NEWUSER | CLONE_NEWPID);
	c.all = clone_errno(0);
	errno = 0;
	syscall(SYS_clone3, &args, sizeof(args));
	c.clone3 = errno;
	return child_answer(channel, &c, sizeof(c));
}

static void no_namespace_and_no_process_is_created(void)
{
	struct clones c;

	SKIP_IF_EMULATED("lacks seccomp filters");
	if (under_valgrind())
		return;
	CU_ASSERT_EQUAL_FATAL(call(CHILD_WORKER, try_namespaces, &c, sizeof(c)), 0);
	CU_ASSERT_EQUAL(c.user, EPERM);
	CU_ASSERT_EQUAL(c.pid, EPERM);
	/* Its search for leaks needs one. */
	CU_ASSERT_EQUAL(c.all, COMPAT_SANITIZED ? 0 : EPERM);
	CU_ASSERT_EQUAL(c.clone3, ENOSYS);
}

static int try_setsid(void *arg, int channel)
{
	(void)arg;
	syscall(SYS_setsid);
	return child_answer(channel, &errno, sizeof(errno));
}

static void a_denied_call_is_logged_with_debug(void)
{
	char text[4096], wanted[64];
	int got = 0;

	SKIP_IF_EMULATED("lacks seccomp filters");
	if (under_valgrind())
		return;
	call_with_debug(try_setsid, &got, sizeof(got), text, sizeof(text));
	CU_ASSERT_EQUAL(got, EPERM);
	snprintf(wanted, sizeof(wanted), "system call %d is denied (EPERM)", (int)SYS_setsid);
	if (COMPAT_HAS_RETURN)
		ASSERT_CONTAINS(text, wanted);
	ASSERT_CONTAINS(text, "the child: process");
}

static int open_sockets(void *arg, int channel)
{
	static const int families[] = { AF_INET, AF_INET6, AF_NETLINK };
	int result = 0;
	size_t i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(families) && !result; i++)
		if (socket(families[i], SOCK_DGRAM | SOCK_CLOEXEC, 0) < 0 && errno != EAFNOSUPPORT)
			result = errno;
	return child_answer(channel, &result, sizeof(result));
}

/* By socket(2) or socketcall(2), as the C library does here. */
static void decoding_children_open_sockets_of_networks(void)
{
	static const enum child_kind kinds[] = { CHILD_WORKER, CHILD_SERVER };
	int result = -1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		SUITE_ROW("kind %d", kinds[i]);
		CU_ASSERT_EQUAL(call(kinds[i], open_sockets, &result, sizeof(result)), 0);
		CU_ASSERT_EQUAL(result, 0);
	}
}

/* --- its descendants ------------------------------------------------------------------ */

#define DESCENDANTS 200

static int hang(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	do
		pause();
	while (true);
	return 0;
}

/* Each holds the write end of a pipe, and half of them leave the group, which only a namespace
 * ends. */
static int breed(void *arg, int channel)
{
	bool isolated = !getppid();
	int i;

	(void)arg;
	for (i = 0; i < DESCENDANTS; i++) {
		if (fork())
			continue;
		if (i % 2 && isolated)
			setsid();
		if (i % 4 == 3 && fork())
			_exit(0);
		for (;;)
			pause();
	}
	child_answer(channel, &i, sizeof(i));
	return 0;
}

static void descendants_end_with_the_worker(void)
{
	struct child_function function = function_of(CHILD_WORKER, hang);
	struct pollfd pfd = { .events = POLLIN };
	int pipes[2], born = 0, type;
	struct child_end end;
	struct child child;

	SKIP_IF_EMULATED("lacks seccomp filters");
	if (under_valgrind())
		return;
	CU_ASSERT_EQUAL_FATAL(pipe2(pipes, O_CLOEXEC), 0);
	function.spawn = breed;
	function.keep = &pipes[1];
	function.nkeep = 1;
	CU_ASSERT_EQUAL_FATAL(child_start(&child, &function), 0);
	close(pipes[1]);
	CU_ASSERT_EQUAL(child_receive(&child, &type, &born, sizeof(born), deadline_in(PATIENCE_MS)),
			sizeof(born));
	CU_ASSERT_EQUAL(born, DESCENDANTS);
	child_finish(&child, 0, &end);
	CU_ASSERT_TRUE(end.forced);
	CU_ASSERT_EQUAL(end.fate, CHILD_SIGNALLED);
	CU_ASSERT_EQUAL(end.status, SIGKILL);
	/* The last one to exit closes the pipe. */
	pfd.fd = pipes[0];
	CU_ASSERT_EQUAL(poll(&pfd, 1, PATIENCE_MS), 1);
	CU_ASSERT_EQUAL(pfd.revents, POLLHUP);
	close(pipes[0]);
}

static int answer_and_hang(void *arg, int channel)
{
	bool isolated = !getppid();

	child_answer(channel, &isolated, sizeof(isolated));
	return hang(arg, channel);
}

/* The process that waits for an isolated worker is in the parent's group. A parent that ignores a
 * hangup keeps its worker. */
static void a_signal_to_the_parents_group_does_not_end_a_worker(void)
{
	struct child_function function = function_of(CHILD_WORKER, answer_and_hang);
	bool isolated = false;
	struct child_end end;
	struct child child;
	int type;

	CU_ASSERT_EQUAL_FATAL(child_start(&child, &function), 0);
	CU_ASSERT_EQUAL(
		child_receive(&child, &type, &isolated, sizeof(isolated), deadline_in(PATIENCE_MS)),
		sizeof(isolated));
	if (isolated) {
		kill(child.pid, SIGHUP);
		kill(child.pid, SIGTERM);
		CU_ASSERT_FALSE(child_reap(&child, deadline_in(50), &end));
	}
	child_finish(&child, 0, &end);
	CU_ASSERT_EQUAL(end.fate, CHILD_SIGNALLED);
	CU_ASSERT_EQUAL(end.status, SIGKILL);
}

static _Noreturn void start_and_be_killed(int out)
{
	struct child_function function = function_of(CHILD_WORKER, hang);
	struct child child;

	if (child_start(&child, &function) ||
	    write(out, &child.pid, sizeof(child.pid)) != sizeof(child.pid))
		_exit(1);
	for (;;)
		pause();
}

static void a_child_dies_with_its_parent(void)
{
	uint64_t deadline = deadline_in(PATIENCE_MS);
	pid_t middle, orphan = 0, reaped = 0;
	int pipes[2], status = 0;

	SKIP_IF_EMULATED("lacks PR_SET_CHILD_SUBREAPER");
	CU_ASSERT_EQUAL_FATAL(pipe2(pipes, O_CLOEXEC), 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	middle = fork();
	if (!middle)
		start_and_be_killed(pipes[1]);
	CU_ASSERT_EQUAL(read(pipes[0], &orphan, sizeof(orphan)), sizeof(orphan));
	kill(middle, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(middle, NULL, 0), middle);
	while (orphan && !reaped && deadline_left(deadline)) {
		reaped = waitpid(orphan, &status, WNOHANG);
		usleep(1000);
	}
	CU_ASSERT_EQUAL(reaped, orphan);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	close(pipes[0]);
	close(pipes[1]);
}

/* --- results in the parent ------------------------------------------------------------ */

static int answer_seven(void *arg, int channel)
{
	int seven = 7;

	(void)arg;
	return child_answer(channel, &seven, sizeof(seven));
}

/* In a process without other children. */
static _Noreturn void end_a_worker_and_look(void)
{
	int answer = 0;
	bool none;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	none = !call(CHILD_WORKER, answer_seven, &answer, sizeof(answer)) && answer == 7 &&
	       waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
	_exit(!none);
}

static void no_process_of_a_worker_is_left_to_init(void)
{
	int status = -1;
	pid_t init;

	SKIP_IF_EMULATED("lacks PR_SET_CHILD_SUBREAPER");
	init = fork();
	if (!init)
		end_a_worker_and_look();
	CU_ASSERT_EQUAL(waitpid(init, &status, 0), init);
	CU_ASSERT_EQUAL(status, 0);
}

static int answer_nothing(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	return 3;
}

static int crash(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return 0;
}

static void only_a_valid_answer_is_accepted(void)
{
	char text[96];
	short shorter;
	int answer = 0;

	CU_ASSERT_EQUAL(call(CHILD_TOUCH, answer_seven, &answer, sizeof(answer)), 0);
	CU_ASSERT_EQUAL(answer, 7);
	CU_ASSERT_EQUAL(call(CHILD_TOUCH, answer_seven, &shorter, sizeof(shorter)), -EPROTO);
	CU_ASSERT_EQUAL(call(CHILD_TOUCH, answer_seven, text, sizeof(text)), -EPROTO);
	CU_ASSERT_STRING_EQUAL(err_text(), "the child answers with a record of 4 bytes, not 96");
	CU_ASSERT_EQUAL(call(CHILD_TOUCH, answer_nothing, &answer, sizeof(answer)), -EPIPE);
	CU_ASSERT_STRING_EQUAL(err_text(), "the child ended with status 3");
	CU_ASSERT_EQUAL(call(CHILD_WORKER, crash, &answer, sizeof(answer)), -EPIPE);
	CU_ASSERT_STRING_EQUAL(err_text(), "the child was ended by signal 11 (Segmentation fault)");
}

static void silence_ends_at_the_deadline(void)
{
	struct child_function function = function_of(CHILD_WORKER, hang);
	struct child_end end;
	int answer;

	CU_ASSERT_EQUAL(child_call(&function, &answer, sizeof(answer), deadline_in(50), &end),
			-ETIMEDOUT);
	CU_ASSERT_STRING_EQUAL(err_text(), "no answer from the child in time");
	CU_ASSERT_TRUE(end.forced);
	CU_ASSERT_EQUAL(end.fate, CHILD_SIGNALLED);
	CU_ASSERT_EQUAL(waitpid(end.pid, NULL, WNOHANG), -1); /* reaped */
}

static int flood(void *arg, int channel)
{
	(void)arg;
	while (!channel_send(channel, 9, "x", 1, -1))
		;
	return 0;
}

static void a_flood_of_records_ends_at_the_deadline(void)
{
	struct child_function function = function_of(CHILD_WORKER, flood);
	uint64_t deadline;
	struct child child;
	unsigned int taken = 0;
	int type;
	char body[8];
	ssize_t n;

	CU_ASSERT_EQUAL_FATAL(child_start(&child, &function), 0);
	CU_ASSERT_EQUAL(child_receive(&child, &type, body, sizeof(body), deadline_in(PATIENCE_MS)),
			1);
	deadline = deadline_in(200);
	while ((n = child_receive(&child, &type, body, sizeof(body), deadline)) >= 0)
		taken++;
	CU_ASSERT_EQUAL(n, -ETIMEDOUT);
	ASSERT_MORE(taken, 0);
	child_finish_p(&child);
}

static int pass_descriptors(void *arg, int channel)
{
	int i;

	(void)arg;
	for (i = 0; i < 3; i++)
		channel_send(channel, 9, "x", 1, channel);
	return 0;
}

/* The lowest number that is free. */
static int next_descriptor(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

static void a_descriptor_from_a_child_is_closed(void)
{
	struct child_function function = function_of(CHILD_WORKER, pass_descriptors);
	struct child child;
	int before, i, type;
	char body[8];

	CU_ASSERT_EQUAL_FATAL(child_start(&child, &function), 0);
	before = next_descriptor();
	for (i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(
			child_receive(&child, &type, body, sizeof(body), deadline_in(PATIENCE_MS)),
			1);
	CU_ASSERT_EQUAL(next_descriptor(), before);
	child_finish_p(&child);
}

static int refuse(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	return err_because(err_set(ENXIO, "there is no such device"), "no-device");
}

static void a_failed_preparation_is_the_error(void)
{
	struct child_function function = function_of(CHILD_WORKER, answer_seven);
	int answer;

	function.prepare = refuse;
	CU_ASSERT_EQUAL(
		child_call(&function, &answer, sizeof(answer), deadline_in(PATIENCE_MS), NULL),
		-ENXIO);
	CU_ASSERT_STRING_EQUAL(err_text(), "there is no such device");
	CU_ASSERT_STRING_EQUAL(err_reason(), "no-device");
}

struct lie {
	const char *body;
	size_t len;
};

static const struct lie *lie;

static int send_lie(void *arg, int channel)
{
	(void)arg;
	channel_send(channel, CHANNEL_FAILED, lie->body, lie->len, -1);
	return 0;
}

static void an_invalid_failure_is_an_error(void)
{
	static const struct lie lies[] = {
		{ "", 0 },
		{ "\0\0\0\1", 4 },
		{ "\0\0\0\0word\0why", 13 },
		{ "\xff\xff\xff\xffword\0why", 13 },
		{ "\0\0\0\1no end", 10 },
		{ "\0\0\0\1no text", 12 },
		{ "\0\0\0\1word\0no end", 15 },
		{ "\0\0\0\1word\0two\0ends", 18 },
		{ "\0\0\0\1a-word-that-is-far-too-long-for-one\0why", 44 },
	};
	int answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		lie = &lies[i];
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(call(CHILD_WORKER, send_lie, &answer, sizeof(answer)), -EPROTO);
		CU_ASSERT_STRING_EQUAL(err_text(), "the child failed without a reason");
	}
}

static void a_child_can_start_without_standard_descriptors(void)
{
	int saved[3], i, answer = 0, rc;

	for (i = 0; i < 3; i++) {
		saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
		close(i);
	}
	rc = call(CHILD_GATE, answer_seven, &answer, sizeof(answer));
	for (i = 0; i < 3; i++) {
		dup2(saved[i], i);
		close(saved[i]);
	}
	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT_EQUAL(answer, 7);
}

/* SIGKILL does not end a child in the kernel at once, so it is abandoned. */
static void an_abandoned_child_is_reaped_when_it_ends(void)
{
	uint32_t answer = 0;
	siginfo_t info = { 0 };
	struct child child = CHILD_NONE;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	CU_ASSERT_EQUAL(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	child.pid = pid;
	child.kind = CHILD_TOUCH;
	child_close(&child);
	CU_ASSERT_EQUAL(call(CHILD_GATE, answer_seven, &answer, sizeof(answer)), 0);
	CU_ASSERT_EQUAL(waitpid(pid, NULL, WNOHANG), -1);
	CU_ASSERT_EQUAL(errno, ECHILD);
}

/* The process that starts another by vfork(2) is blocked in the kernel until that ends. It is this
 * program once more, since valgrind, which has fork(2) for vfork(2), does not follow execve(2). */
#define BLOCK "NFSRDMA_UNIT_CHILD_BLOCK"

static __attribute__((constructor)) void block(void)
{
	const char *fd = getenv(BLOCK);
	int tell = fd ? atoi(fd) : -1;

	pid_t pid, blocked;

	if (!fd)
		return;
	pid = vfork();
	if (!pid) {
		blocked = getppid();
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) ||
		    write(tell, &blocked, sizeof(blocked)) != sizeof(blocked))
			_exit(1);
		pause();
	}
	_exit(0);
}

static _Noreturn void become_blocked(int tell)
{
	char fd[16], path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	snprintf(fd, sizeof(fd), "%d", tell);
	if (len > 0 && !setenv(BLOCK, fd, 1)) {
		path[len] = '\0';
		execl(path, path, NULL);
	}
	_exit(1);
}

static void a_child_that_is_left_is_named_with_what_blocks_it(void)
{
	struct child_end end = { .fate = CHILD_LEFT };
	char text[CHILD_END_TEXT_MAX], expected[64];
	uint64_t deadline = deadline_in(PATIENCE_MS);
	pid_t blocked = 0;
	int tell[2];

	SKIP_IF_EMULATED("has fork(2) for vfork(2)");
	CU_ASSERT_EQUAL_FATAL(pipe(tell), 0);
	end.pid = fork();
	if (!end.pid) {
		if (!fork())
			become_blocked(tell[1]);
		wait(NULL);
		_exit(0);
	}
	CU_ASSERT_EQUAL_FATAL(read(tell[0], &blocked, sizeof(blocked)), sizeof(blocked));
	snprintf(expected, sizeof(expected), "(process %d, unit-child, blocked in ", blocked);
	while (!strstr(child_end_text(&end, text, sizeof(text)), expected) &&
	       deadline_left(deadline))
		usleep(1000);
	ASSERT_CONTAINS(text, expected);
	kill(blocked, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(end.pid, NULL, 0), end.pid);
	close(tell[0]);
	close(tell[1]);
	/* It is gone, and so is what blocked it. */
	ASSERT_CONTAINS(child_end_text(&end, text, sizeof(text)), "SIGKILL (process ");
	CU_ASSERT_PTR_NULL(strstr(text, "blocked"));
}

/* While one that decodes runs, its parent is not dumpable; a killed one runs no more. */
static void a_parent_is_dumpable_after_its_children(void)
{
	struct child_function function = function_of(CHILD_WORKER, hang);
	struct child children[2];
	int before = prctl(PR_GET_DUMPABLE);

	CU_ASSERT_EQUAL_FATAL(child_start(&children[0], &function), 0);
	CU_ASSERT_EQUAL_FATAL(child_start(&children[1], &function), 0);
	CU_ASSERT_EQUAL(prctl(PR_GET_DUMPABLE), 0);
	child_finish_p(&children[0]);
	CU_ASSERT_EQUAL(prctl(PR_GET_DUMPABLE), 0);
	child_kill(&children[1]);
	child_close(&children[1]);
	CU_ASSERT_EQUAL(prctl(PR_GET_DUMPABLE), before);
}

SUITE_MAIN("child", TEST(decoding_children_have_no_privileges),
	   TEST(a_worker_and_a_parser_have_limits),
	   TEST(mounting_and_program_running_children_keep_what_they_need),
	   TEST(every_denied_system_call_is_refused), TEST(no_namespace_and_no_process_is_created),
	   TEST(a_denied_call_is_logged_with_debug), TEST(descendants_end_with_the_worker),
	   TEST(a_child_dies_with_its_parent), TEST(only_a_valid_answer_is_accepted),
	   TEST(silence_ends_at_the_deadline), TEST(a_flood_of_records_ends_at_the_deadline),
	   TEST(a_descriptor_from_a_child_is_closed), TEST(a_failed_preparation_is_the_error),
	   TEST(an_invalid_failure_is_an_error),
	   TEST(a_child_can_start_without_standard_descriptors),
	   TEST(an_abandoned_child_is_reaped_when_it_ends),
	   TEST(a_child_that_is_left_is_named_with_what_blocks_it),
	   TEST(a_parent_is_dumpable_after_its_children),
	   TEST(decoding_children_open_sockets_of_networks),
	   TEST(a_signal_to_the_parents_group_does_not_end_a_worker),
	   TEST(no_process_of_a_worker_is_left_to_init))
