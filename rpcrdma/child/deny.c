/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* System calls that our code never makes once confined, but an attacker would use: programs,
 * namespaces, mounts, other processes, kernel interfaces with a history of vulnerabilities. They
 * return EPERM. This is a deny-list: RDMA providers make system calls that depend on the device,
 * and an allow-list would break devices that this project cannot test.
 *
 * On a kernel without seccomp the process runs without the list; all other confinement
 * applies. */
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "rpcrdma/child/compat.h"
#include "rpcrdma/child/internal.h"

/* Whatever the arguments are. By name: libseccomp knows the numbers, and which ones an architecture
 * lacks. */
static const char *const denied[] = {
	/* other programs and processes (clone(2) by its flags below), and leaving the process group
	 * that is killed as a whole */
	"execve",
	"execveat",
	"fork",
	"vfork",
	"setsid",
	"setpgid",
	/* namespaces */
	"unshare",
	"setns",
	/* mounts and roots */
	"mount",
	"umount",
	"umount2",
	"move_mount",
	"open_tree",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"pivot_root",
	"chroot",
	"open_by_handle_at",
	"quotactl",
	"swapon",
	"swapoff",
	/* other processes */
	"ptrace",
	"process_vm_readv",
	"process_vm_writev",
	"process_madvise",
	"process_mrelease",
	"pidfd_getfd",
	"pidfd_send_signal",
	"kcmp",
	"setpriority",
	"ioprio_set",
	"migrate_pages",
	"move_pages",
	/* files, other than by open(2) */
	"mkdir",
	"mkdirat",
	"mknod",
	"mknodat",
	"creat",
	"link",
	"linkat",
	"symlink",
	"symlinkat",
	"rename",
	"renameat",
	"renameat2",
	"unlink",
	"unlinkat",
	"rmdir",
	"truncate",
	"truncate64",
	"chmod",
	"fchmod",
	"fchmodat",
	"fchmodat2",
	"chown",
	"fchown",
	"lchown",
	"fchownat",
	"setxattr",
	"fsetxattr",
	"lsetxattr",
	"removexattr",
	"fremovexattr",
	"lremovexattr",
	"utime",
	"utimes",
	"utimensat",
	"futimesat",
	/* memory and queues that outlive a process */
	"shmget",
	"shmat",
	"msgget",
	"msgsnd",
	"semget",
	"mq_open",
	"mq_unlink",
	/* kernel interfaces */
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"bpf",
	"userfaultfd",
	"perf_event_open",
	"keyctl",
	"add_key",
	"request_key",
	"init_module",
	"finit_module",
	"delete_module",
	"kexec_load",
	"kexec_file_load",
	"reboot",
	"syslog",
	"acct",
	"settimeofday",
	"clock_settime",
	"adjtimex",
	"clock_adjtime",
	"sethostname",
	"setdomainname",
	"personality",
	"lookup_dcookie",
	"fanotify_init",
	"nfsservctl",
};

/* Denied if the bits of @mask of an argument are @value. The kernel reads these arguments as 32
 * bits. */
static const struct {
	const char *name;
	unsigned int arg;
	uint32_t mask, value;
} denied_values[] = {
	/* a new process: only threads */
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_THREAD, 0 },
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_NEWNS, CLONE_NEWNS },
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_NEWCGROUP, CLONE_NEWCGROUP },
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_NEWUTS, CLONE_NEWUTS },
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_NEWIPC, CLONE_NEWIPC },
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_NEWPID, CLONE_NEWPID },
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_NEWNET, CLONE_NEWNET },
	{ "clone", COMPAT_CLONE_FLAGS, CLONE_NEWUSER, CLONE_NEWUSER },
	/* outliving the parent */
	{ "prctl", 0, ~0u, PR_SET_PDEATHSIG },
	/* signals to others by way of a descriptor's owner */
	{ "fcntl", 1, ~0u, F_SETOWN },
	{ "fcntl", 1, ~0u, F_SETOWN_EX },
	{ "fcntl", 1, ~0u, F_SETSIG },
	{ "fcntl64", 1, ~0u, F_SETOWN },
	{ "fcntl64", 1, ~0u, F_SETOWN_EX },
	{ "fcntl64", 1, ~0u, F_SETSIG },
	{ "ioctl", 1, ~0u, FIOSETOWN },
	{ "ioctl", 1, ~0u, SIOCSPGRP },
	/* typing into the terminal */
	{ "ioctl", 1, ~0u, TIOCSTI },
	{ "ioctl", 1, ~0u, TIOCLINUX },
#if !COMPAT_SOCKETCALL
	/* services of this host, as the user's systemd that starts programs */
	{ "socket", 0, ~0u, AF_UNIX },
#endif
	/* files that are made or emptied; O_TMPFILE has a bit of its own and that of O_DIRECTORY */
	{ "open", 1, O_CREAT, O_CREAT },
	{ "open", 1, O_TRUNC, O_TRUNC },
	{ "open", 1, O_TMPFILE & ~O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY },
	{ "openat", 2, O_CREAT, O_CREAT },
	{ "openat", 2, O_TRUNC, O_TRUNC },
	{ "openat", 2, O_TMPFILE & ~O_DIRECTORY, O_TMPFILE & ~O_DIRECTORY },
	/* emptying one that was opened without that flag; whatever the arguments are */
	{ "ftruncate", 0, 0, 0 },
	{ "ftruncate64", 0, 0, 0 },
};

/* Denied if the first argument, a process, is another one: abort(3) and raise(3) signal their
 * own. */
static const char *const own_process[] = {
	"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
};

/* Denied if the first argument, a process, is not 0, the caller. */
static const char *const zero_process[] = {
	"prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr",
};

/* A filter cannot see flags that are in memory: libc then uses clone(2) and open(2). */
static const char *const absent[] = { "clone3", "openat2" };

size_t deny_count(void)
{
	return ARRAY_SIZE(denied);
}

const char *deny_name(size_t i)
{
	return denied[i];
}

/* --- NFSRDMA_DEBUG -------------------------------------------------------------------- */

/* Runs in a signal handler, so it must not use stdio. */
static size_t deny_put_number(char *buf, unsigned int value)
{
	char digits[12];
	size_t n = 0, i;

	do
		digits[n++] = (char)('0' + value % 10);
	while (value /= 10);
	for (i = 0; i < n; i++)
		buf[i] = digits[n - 1 - i];
	return n;
}

static void deny_on_sigsys(int sig, siginfo_t *info, void *context)
{
	static const char head[] = "child: system call ", tail[] = " is denied (EPERM)\n";
	char line[80];
	size_t len = sizeof(head) - 1;
	int saved = errno;

	(void)sig;
	memcpy(line, head, len);
	len += deny_put_number(line + len, (unsigned int)info->si_syscall);
	memcpy(line + len, tail, sizeof(tail) - 1);
	fd_write_all(STDERR_FILENO, line, len + sizeof(tail) - 1);
	errno = saved;
	compat_return_eperm(context);
}

/* The filter's action: EPERM, or with NFSRDMA_DEBUG a handler that also prints the number. */
static uint32_t deny_action(void)
{
	struct sigaction action = { .sa_sigaction = deny_on_sigsys, .sa_flags = SA_SIGINFO };

	if (!COMPAT_HAS_RETURN || !(debug_mask & (1u << DEBUG_CHILD)) ||
	    sigaction(SIGSYS, &action, NULL))
		return SCMP_ACT_ERRNO(EPERM);
	return SCMP_ACT_TRAP;
}

/* --- the filter ----------------------------------------------------------------------- */

/* Skips calls that are newer than this libseccomp, or of other architectures. */
static int deny_add(scmp_filter_ctx filter, uint32_t action, const char *name, unsigned int count,
		    struct scmp_arg_cmp cmp)
{
	int number = seccomp_syscall_resolve_name(name);

	return number < 0 ? 0 : seccomp_rule_add_array(filter, action, number, count, &cmp);
}

/* AddressSanitizer makes these: its search for leaks traces the process from another one. */
static bool deny_is_sanitizers(const char *name)
{
	return COMPAT_SANITIZED &&
	       (!strcmp(name, "ptrace") || !strcmp(name, "personality") || !strcmp(name, "clone"));
}

/* A coverage build writes its counters with these. */
static bool deny_is_files(const char *name)
{
	return !strcmp(name, "open") || !strcmp(name, "openat") || !strncmp(name, "ftruncate", 9);
}

static int deny_add_values(scmp_filter_ctx filter, uint32_t action)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < ARRAY_SIZE(denied_values) && !rc; i++) {
		const char *name = denied_values[i].name;
		uint32_t value = denied_values[i].value;

		if ((deny_is_sanitizers(name) && !value) ||
		    (NFSRDMA_COVERAGE && deny_is_files(name)))
			continue;
		rc = deny_add(filter, action, name, 1,
			      SCMP_CMP(denied_values[i].arg, SCMP_CMP_MASKED_EQ,
				       denied_values[i].mask, value));
	}
	return rc;
}

static int deny_add_rules(scmp_filter_ctx filter, uint32_t action, enum child_kind kind)
{
	size_t i;
	int rc = deny_add_values(filter, action);

	for (i = 0; i < ARRAY_SIZE(denied) && !rc; i++)
		if (!deny_is_sanitizers(denied[i]))
			rc = deny_add(filter, action, denied[i], 0, SCMP_A0(SCMP_CMP_EQ, 0, 0));
	for (i = 0; i < ARRAY_SIZE(own_process) && !rc; i++)
		rc = deny_add(filter, action, own_process[i], 1,
			      SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid(), 0));
	for (i = 0; i < ARRAY_SIZE(zero_process) && !rc; i++)
		rc = deny_add(filter, action, zero_process[i], 1, SCMP_A0(SCMP_CMP_NE, 0, 0));
	for (i = 0; i < ARRAY_SIZE(absent) && !rc; i++)
		/* The server's files are opened by openat2(2). */
		if (kind != CHILD_SERVER || strcmp(absent[i], "openat2") != 0)
			rc = deny_add(filter, SCMP_ACT_ERRNO(ENOSYS), absent[i], 0,
				      SCMP_A0(SCMP_CMP_EQ, 0, 0));
	return rc;
}

void deny_install(enum child_kind kind)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = filter ? deny_add_rules(filter, deny_action(), kind) : -ENOMEM;

	if (!rc)
		rc = seccomp_load(filter);
	if (rc)
		debug(DEBUG_CHILD, "system calls are not filtered: %s", strerror(-rc));
	seccomp_release(filter);
}
