/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A child in the hands of its peer: a hostile program in place of the worker tries, from within
 * the sandbox, to reach its parent, other processes and the user's files, and to leave something
 * behind. Each attack runs in a child of its own, of every kind that decodes what is not trusted,
 * as root and as an ordinary user.
 *
 * What only Landlock or a namespace denies is expected where the kernel has them. With
 * NFSRDMA_TEST_SANDBOX=full, of a kernel known to have both, a child without them fails. */
#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "rpcrdma/child/compat.h"
#include "rpcrdma/child/internal.h"
#include "suite.h"

#define ORDINARY_USER 12345
#define LANDLOCK      444
#define KEY           0x6e667372 /* of SysV memory and queues */

/* --- the victim ------------------------------------------------------------------------- */

/* Of the parent; a child has a copy at the same address. */
static volatile int canary;
static volatile sig_atomic_t signalled;
static pid_t victim;
static char folder[64], precious[96], private[96];

static void on_signal(int sig)
{
	signalled = sig;
}

/* --- attacks: 0 if it succeeded, or errno ------------------------------------------------ */

static int result_of(long rc)
{
	return rc < 0 ? errno : 0;
}

static int write_memory_by_proc(void)
{
	int value = 666, fd;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", victim);
	fd = open(path, O_RDWR);
	if (fd < 0)
		return errno;
	return result_of(pwrite(fd, &value, sizeof(value), (off_t)(uintptr_t)&canary));
}

static int write_memory_by_call(void)
{
	int value = 666;
	struct iovec from = { &value, sizeof(value) };
	struct iovec to = { (void *)(uintptr_t)&canary, sizeof(value) };

	return result_of(process_vm_writev(victim, &from, 1, &to, 1, 0));
}

static int trace(void)
{
	return result_of(ptrace(PTRACE_SEIZE, victim, NULL, NULL));
}

static int steal_descriptor(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, victim, 0);

	return pidfd < 0 ? errno : result_of(syscall(SYS_pidfd_getfd, pidfd, 2, 0));
}

static int signal_by_kill(void)
{
	return result_of(kill(victim, SIGUSR1));
}

/* Signal 0: does nothing to those that it reaches. */
static int signal_everybody(void)
{
	return result_of(kill(-1, 0));
}

static int signal_own_group(void)
{
	return result_of(kill(0, 0));
}

static int signal_by_tgkill(void)
{
	return result_of(syscall(SYS_tgkill, victim, victim, SIGUSR1));
}

static int signal_by_tkill(void)
{
	return result_of(syscall(SYS_tkill, victim, SIGUSR1));
}

static int signal_by_queue(void)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	return result_of(syscall(SYS_rt_sigqueueinfo, victim, SIGUSR1, &info));
}

static int signal_by_pidfd(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, victim, 0);

	return pidfd < 0 ? errno
			 : result_of(syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, NULL, 0));
}

/* The kernel sends it when the socket can be read. */
static int signal_by_descriptor(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return errno;
	if (fcntl(pair[0], F_SETOWN, victim) || fcntl(pair[0], F_SETSIG, SIGUSR1) ||
	    fcntl(pair[0], F_SETFL, O_ASYNC))
		return errno;
	return result_of(write(pair[1], "x", 1));
}

static int signal_by_ioctl(void)
{
	int pair[2], pid = victim;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return errno;
	return result_of(ioctl(pair[0], SIOCSPGRP, &pid));
}

static int limit_parent(void)
{
	struct rlimit none = { 0, 0 };

	return result_of(prlimit(victim, RLIMIT_CORE, &none, NULL));
}

static int move_parent(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	return result_of(sched_setaffinity(victim, sizeof(set), &set));
}

/* To what it is: that changes nothing if it is allowed. */
static int set_priority_of_parent(void)
{
	return result_of(setpriority(PRIO_PROCESS, (id_t)victim, getpriority(PRIO_PROCESS, 0)));
}

static int outlive_parent(void)
{
	return result_of(prctl(PR_SET_PDEATHSIG, 0));
}

static int start_process(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	return result_of(pid);
}

static int start_process_by_clone(void)
{
	unsigned long args[2] = { 0 };
	long pid;

	args[COMPAT_CLONE_FLAGS] = SIGCHLD;
	pid = syscall(SYS_clone, args[0], args[1], NULL, NULL, 0);
	if (!pid)
		_exit(0);
	return result_of(pid);
}

static int start_program(void)
{
	static char *const argv[] = { (char *)"true", NULL };

	execve("/bin/true", argv, argv + 1);
	return errno;
}

static int make_namespace(void)
{
	return result_of(unshare(CLONE_NEWUSER));
}

static int leave_shared_memory(void)
{
	return result_of(shmget(KEY, 4096, IPC_CREAT | 0600));
}

static int leave_messages(void)
{
	return result_of(msgget(KEY, IPC_CREAT | 0600));
}

static int leave_semaphores(void)
{
	return result_of(semget(KEY, 1, IPC_CREAT | 0600));
}

static int leave_queue(void)
{
	return result_of(mq_open("/nfsrdma-hostile", O_CREAT | O_RDWR, 0600, NULL));
}

static int leave_file_in(const char *dir)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/nfsrdma-hostile", dir);
	return result_of(open(path, O_WRONLY | O_CREAT, 0600));
}

static int leave_file(void)
{
	return leave_file_in(folder);
}

static int leave_file_in_memory(void)
{
	return leave_file_in("/dev/shm");
}

static int leave_file_in_tmp(void)
{
	return leave_file_in("/tmp");
}

static int leave_unnamed_file(void)
{
	return result_of(open(folder, O_TMPFILE | O_RDWR, 0600));
}

static int leave_folder(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/folder", folder);
	return result_of(mkdir(path, 0700));
}

static int leave_link(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/link", folder);
	return result_of(symlink("/etc/passwd", path));
}

static int leave_fifo(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/fifo", folder);
	return result_of(mkfifo(path, 0600));
}

static int leave_socket(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		return errno;
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/socket", folder);
	return result_of(bind(fd, (const struct sockaddr *)&at, sizeof(at)));
}

static int remove_file(void)
{
	return result_of(unlink(precious));
}

static int rename_file(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/renamed", folder);
	return result_of(rename(precious, path));
}

static int empty_file(void)
{
	return result_of(truncate(precious, 0));
}

static int empty_file_by_open(void)
{
	return result_of(open(precious, O_WRONLY | O_TRUNC));
}

static int empty_file_by_openat2(void)
{
	const struct open_how how = { .flags = O_WRONLY | O_TRUNC };

	return result_of(syscall(SYS_openat2, AT_FDCWD, precious, &how, sizeof(how)));
}

static int empty_open_file(void)
{
	int fd = open(precious, O_WRONLY);

	return fd < 0 ? errno : result_of(ftruncate(fd, 0));
}

static int publish_file(void)
{
	return result_of(chmod(private, 0666));
}

static int publish_open_file(void)
{
	int fd = open(private, O_RDONLY);

	return fd < 0 ? errno : result_of(fchmod(fd, 0666));
}

static int change_file(void)
{
	int fd = open(precious, O_WRONLY);

	return fd < 0 ? errno : result_of(write(fd, "changed", 7));
}

static int read_private_file(void)
{
	return result_of(open(private, O_RDONLY));
}

static int ask_a_service(void)
{
	return result_of(socket(AF_UNIX, SOCK_STREAM, 0));
}

/* On a descriptor that is no terminal the answer is ENOTTY. */
static int type_into_terminal(void)
{
	return result_of(ioctl(STDERR_FILENO, TIOCSTI, "x"));
}

/* As a program that the peer's bytes have become would: the upper half is not the kernel's. */
static int signal_descriptor_with_upper_half(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return errno;
	return result_of(
		syscall(SYS_fcntl, pair[0], (unsigned long)(F_SETOWN | 1ull << 40), (long)victim));
}

/* What denies it, where the identity does not. */
enum barrier {
	BY_FILTER,
	BY_LANDLOCK,
	BY_SYSTEM_FILES, /* Landlock, for kinds that read no others */
};

static const struct attack {
	const char *name;
	int (*run)(void);
	enum barrier barrier;
} attacks[] = {
	{ "write the parent's memory by /proc", write_memory_by_proc, BY_FILTER },
	{ "write the parent's memory by a call", write_memory_by_call, BY_FILTER },
	{ "trace the parent", trace, BY_FILTER },
	{ "take a descriptor of the parent", steal_descriptor, BY_FILTER },
	{ "signal the parent by kill", signal_by_kill, BY_FILTER },
	{ "signal all processes", signal_everybody, BY_FILTER },
	{ "signal the own group", signal_own_group, BY_FILTER },
	{ "signal the parent by tgkill", signal_by_tgkill, BY_FILTER },
	{ "signal the parent by tkill", signal_by_tkill, BY_FILTER },
	{ "signal the parent by sigqueue", signal_by_queue, BY_FILTER },
	{ "signal the parent by pidfd", signal_by_pidfd, BY_FILTER },
	{ "signal the parent by a descriptor", signal_by_descriptor, BY_FILTER },
	{ "signal the parent by an ioctl", signal_by_ioctl, BY_FILTER },
	{ "signal the parent by a descriptor, 64 bits", signal_descriptor_with_upper_half,
	  BY_FILTER },
	{ "limit the parent", limit_parent, BY_FILTER },
	{ "move the parent to another processor", move_parent, BY_FILTER },
	{ "set the parent's priority", set_priority_of_parent, BY_FILTER },
	{ "outlive the parent", outlive_parent, BY_FILTER },
	{ "start a process", start_process, BY_FILTER },
	{ "start a process by clone", start_process_by_clone, BY_FILTER },
	{ "start a program", start_program, BY_FILTER },
	{ "make a namespace", make_namespace, BY_FILTER },
	{ "leave shared memory", leave_shared_memory, BY_FILTER },
	{ "leave a message queue", leave_messages, BY_FILTER },
	{ "leave semaphores", leave_semaphores, BY_FILTER },
	{ "leave a POSIX message queue", leave_queue, BY_FILTER },
	{ "leave a file", leave_file, BY_FILTER },
	{ "leave a file in /dev/shm", leave_file_in_memory, BY_FILTER },
	{ "leave a file in /tmp", leave_file_in_tmp, BY_FILTER },
	{ "leave an unnamed file", leave_unnamed_file, BY_FILTER },
	{ "leave a folder", leave_folder, BY_FILTER },
	{ "leave a link", leave_link, BY_FILTER },
	{ "leave a FIFO", leave_fifo, BY_FILTER },
	{ "leave a socket", leave_socket, BY_FILTER },
	{ "remove a file", remove_file, BY_FILTER },
	{ "rename a file", rename_file, BY_FILTER },
	{ "empty a file", empty_file, BY_FILTER },
	{ "empty a file by open", empty_file_by_open, BY_FILTER },
	{ "empty a file by openat2", empty_file_by_openat2, BY_FILTER },
	{ "empty an open file", empty_open_file, BY_FILTER },
	{ "publish a file", publish_file, BY_FILTER },
	{ "publish an open file", publish_open_file, BY_FILTER },
	{ "ask a service of the host", ask_a_service, BY_FILTER },
	{ "type into the terminal", type_into_terminal, BY_FILTER },
	{ "change a file", change_file, BY_LANDLOCK },
	{ "read a private file", read_private_file, BY_SYSTEM_FILES },
};

/* --- running them -------------------------------------------------------------------------- */

static int hostile(void *arg, int channel)
{
	const struct attack *attack = arg;
	int result = attack->run();

	return child_answer(channel, &result, sizeof(result));
}

static int call(enum child_kind kind, int (*run)(void *, int), void *arg, void *answer, size_t len)
{
	const struct child_function function = {
		.kind = kind, .name = "the hostile child", .run = run, .arg = arg
	};

	return child_call(&function, answer, len, deadline_in(PATIENCE_MS), NULL);
}

static bool have_landlock(void)
{
	return syscall(LANDLOCK, NULL, 0, 1) > 0;
}

/* valgrind 3.19 does not support filters. */
static bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

static bool is_expected(const struct attack *attack, enum child_kind kind)
{
	/* The server opens its export by openat2(2). */
	bool files = attack->barrier != BY_FILTER ||
		     (kind == CHILD_SERVER && attack->run == empty_file_by_openat2);

	/* Its search for leaks needs another process, by clone(2), and traces it. */
	if (COMPAT_SANITIZED && (attack->run == start_process ||
				 attack->run == start_process_by_clone || attack->run == trace))
		return false;
	if (COMPAT_SOCKETCALL && attack->run == ask_a_service)
		return false;
	if (attack->barrier == BY_SYSTEM_FILES && !child_is(kind, CHILD_SYSTEM_FILES))
		return false;
	return !files || (have_landlock() && !NFSRDMA_COVERAGE);
}

/* What the attacks were to change. */
static bool is_unharmed(void)
{
	struct stat st;

	if (canary != 1 || signalled)
		return false;
	if (stat(precious, &st) || st.st_size != 8)
		return false;
	return !stat(private, &st) && (st.st_mode & 0777) == 0600;
}

static bool has_left(const char *format, ...) PRINTF_LIKE(1, 2);
static bool has_left(const char *format, ...)
{
	char path[128];
	struct stat st;
	va_list ap;

	va_start(ap, format);
	vsnprintf(path, sizeof(path), format, ap);
	va_end(ap);
	if (lstat(path, &st))
		return false;
	remove(path);
	return true;
}

static bool leaves_nothing(void)
{
	static const char *const names[] = { "nfsrdma-hostile", "link",    "fifo",
					     "socket",          "renamed", "folder" };
	int memory = shmget(KEY, 0, 0), queue = msgget(KEY, 0), sets = semget(KEY, 0, 0);
	bool left = has_left("/dev/shm/nfsrdma-hostile") || has_left("/tmp/nfsrdma-hostile");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		left |= has_left("%s/%s", folder, names[i]);
	/* Whatever it was, the next attack begins without it. */
	if (memory >= 0)
		shmctl(memory, IPC_RMID, NULL);
	if (queue >= 0)
		msgctl(queue, IPC_RMID, NULL);
	if (sets >= 0)
		semctl(sets, 0, IPC_RMID);
	left |= !mq_unlink("/nfsrdma-hostile");
	return !left && memory < 0 && queue < 0 && sets < 0;
}

static void write_file(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, "precious", 8) != 8 || fchmod(fd, mode))
		abort();
	close(fd);
}

static void try_attack(const struct attack *attack, enum child_kind kind, const char *who)
{
	int result = 0;

	SUITE_ROW("%s, kind %d: %s", who, kind, attack->name);
	canary = 1;
	signalled = 0;
	write_file(precious, 0666);
	write_file(private, 0600);
	CU_ASSERT_EQUAL(call(kind, hostile, (void *)(uintptr_t)attack, &result, sizeof(result)), 0);
	if (!is_expected(attack, kind))
		return;
	CU_ASSERT_NOT_EQUAL(result, 0);
	CU_ASSERT_TRUE(is_unharmed());
	CU_ASSERT_TRUE(leaves_nothing());
}

static void try_all(const char *who)
{
	static const enum child_kind kinds[] = { CHILD_WORKER, CHILD_REFERENCE, CHILD_SERVER,
						 CHILD_PARSER };
	size_t kind, i;

	victim = getpid();
	signal(SIGUSR1, on_signal);
	str_copy(folder, sizeof(folder), "/tmp/nfsrdma-folder-XXXXXX");
	/* A fatal assertion would run the other tests in this process, see in_process(). */
	if (!mkdtemp(folder))
		CU_FAIL("no folder for the files");
	snprintf(precious, sizeof(precious), "%s/precious", folder);
	snprintf(private, sizeof(private), "%s/private", folder);
	CU_ASSERT_EQUAL(chmod(folder, 0777), 0);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (i = 0; i < ARRAY_SIZE(attacks); i++)
			try_attack(&attacks[i], kinds[kind], who);
	/* As before: tools of the user work. */
	CU_ASSERT_EQUAL(prctl(PR_GET_DUMPABLE), 1);
	unlink(precious);
	unlink(private);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
	signal(SIGUSR1, SIG_DFL);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* The caller's identity: root's, or the user's that runs the tests. */
static void every_attack_is_refused(void)
{
	SKIP_IF_EMULATED("lacks seccomp filters");
	if (!under_valgrind())
		try_all(geteuid() ? "user" : "root");
}

/* As on a kernel that has, or allows, neither. */
static void deny_namespaces_and_landlock(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 0) ||
	    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), LANDLOCK, 0) || seccomp_load(filter))
		_exit(3);
	seccomp_release(filter);
}

static void become_user(void)
{
	if (geteuid())
		return;
	if (setgroups(0, NULL) || setresgid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER) ||
	    setresuid(ORDINARY_USER, ORDINARY_USER, ORDINARY_USER))
		_exit(2);
	/* As after execve(2). */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Runs the test in a process after @first: one that gives up what the others need. Assertions
 * count in the process that makes them: its exit status says whether one failed. */
static void in_process(void (*first)(void), void (*test)(void))
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		unsigned int failed = CU_get_number_of_failures();

		first();
		test();
		fflush(NULL);
		_exit(CU_get_number_of_failures() > failed);
	}
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
}

static void every_attack_of_an_ordinary_user_is_refused(void)
{
	SKIP_IF_EMULATED("lacks seccomp filters");
	if (!under_valgrind())
		in_process(become_user, every_attack_is_refused);
}

static void become_user_without_namespaces(void)
{
	become_user();
	deny_namespaces_and_landlock();
}

static void the_filter_alone_refuses_what_it_knows(void)
{
	SKIP_IF_EMULATED("lacks seccomp filters");
	if (under_valgrind())
		return;
	in_process(deny_namespaces_and_landlock, every_attack_is_refused);
	in_process(become_user_without_namespaces, every_attack_is_refused);
}

/* Where it is in a namespace, its parent has no number there, and it is the second process. */
static int tell_place(void *arg, int channel)
{
	int place[2] = { getpid(), getppid() };

	(void)arg;
	return child_answer(channel, place, sizeof(place));
}

static void check_place(void)
{
	const char *sandbox = getenv("NFSRDMA_TEST_SANDBOX");
	int place[2] = { 0 };

	CU_ASSERT_EQUAL(call(CHILD_WORKER, tell_place, NULL, place, sizeof(place)), 0);
	if (sandbox && !strcmp(sandbox, "full")) {
		CU_ASSERT_TRUE(have_landlock());
		CU_ASSERT_EQUAL(place[0], 2);
	}
	if (sandbox && !strcmp(sandbox, "no-namespace"))
		CU_ASSERT_EQUAL(place[1], getpid());
	CU_ASSERT_TRUE((place[0] == 2 && !place[1]) || place[1] == getpid());
}

static void a_worker_is_alone_where_the_kernel_allows_it(void)
{
	SKIP_IF_EMULATED("has no namespaces");
	check_place();
	in_process(become_user, check_place);
}

/* --- what must still work --------------------------------------------------------------------- */

static void *answer_in_thread(void *arg)
{
	*(int *)arg = 7;
	return NULL;
}

static int use_thread(void *arg, int channel)
{
	int answer = 0;
	pthread_t thread;

	(void)arg;
	if (!pthread_create(&thread, NULL, answer_in_thread, &answer))
		pthread_join(thread, NULL);
	return child_answer(channel, &answer, sizeof(answer));
}

static int read_system(void *arg, int channel)
{
	static const char *const paths[] = { "/proc/self/status", "/sys/class", "/etc/passwd",
					     "/usr/lib", "/dev/null" };
	int opened = 0;
	size_t i;

	(void)arg;
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		opened += open(paths[i], O_RDONLY | O_CLOEXEC) >= 0;
	opened += open("/dev/null", O_RDWR | O_CLOEXEC) >= 0;
	return child_answer(channel, &opened, sizeof(opened));
}

static int end_by_abort(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	signal(SIGABRT, SIG_DFL);
	abort();
}

static int end_by_fault(void *arg, int channel)
{
	const volatile int *denied = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
					  0);

	(void)arg;
	(void)channel;
	signal(SIGSEGV, SIG_DFL);
	return *denied;
}

static int end_by_raise(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	raise(SIGTERM);
	return 0;
}

static int end_by_status(void *arg, int channel)
{
	(void)arg;
	(void)channel;
	return 200;
}

static void check_ends(void)
{
	static const struct {
		int (*run)(void *arg, int channel);
		enum child_fate fate;
		int status;
	} rows[] = {
		{ end_by_abort, CHILD_SIGNALLED, SIGABRT },
		{ end_by_fault, CHILD_SIGNALLED, SIGSEGV },
		{ end_by_raise, CHILD_SIGNALLED, SIGTERM },
		{ end_by_status, CHILD_EXITED, 200 },
	};
	struct child_end end;
	int answer;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct child_function function = { .kind = CHILD_WORKER,
							 .name = "the child",
							 .run = rows[i].run };

		/* An undefined read is reported in another way. */
		if (COMPAT_SANITIZED && rows[i].run == end_by_fault)
			continue;
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(child_call(&function, &answer, sizeof(answer),
					   deadline_in(PATIENCE_MS), &end),
				-EPIPE);
		CU_ASSERT_EQUAL(end.fate, rows[i].fate);
		CU_ASSERT_EQUAL(end.status, rows[i].status);
		CU_ASSERT_FALSE(end.forced);
	}
}

static void check_work(void)
{
	int answer = 0;

	CU_ASSERT_EQUAL(call(CHILD_WORKER, use_thread, NULL, &answer, sizeof(answer)), 0);
	CU_ASSERT_EQUAL(answer, 7);
	CU_ASSERT_EQUAL(call(CHILD_WORKER, read_system, NULL, &answer, sizeof(answer)), 0);
	CU_ASSERT_EQUAL(answer, 6);
	check_ends();
}

static void a_worker_still_works_and_its_end_is_told(void)
{
	SKIP_IF_EMULATED("has no namespaces");
	check_work();
	in_process(become_user, check_work);
	in_process(become_user_without_namespaces, check_work);
}

SUITE_MAIN("hostile", TEST(every_attack_is_refused),
	   TEST(every_attack_of_an_ordinary_user_is_refused),
	   TEST(the_filter_alone_refuses_what_it_knows),
	   TEST(a_worker_is_alone_where_the_kernel_allows_it),
	   TEST(a_worker_still_works_and_its_end_is_told))
