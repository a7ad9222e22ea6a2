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

#include "rpcrdma/child/compat.h"
#include "rpcrdma/child/internal.h"

/* By name: libseccomp knows the numbers, and which ones an architecture lacks. */
static const char *const denied[] = {
	/* other programs, and leaving the process group that is killed as a whole */
	"execve",
	"execveat",
	"setsid",
	"setpgid",
	/* namespaces; clone(2) by its flags below */
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
	"pidfd_getfd",
	"kcmp",
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

static const unsigned long denied_clone_flags[] = {
	CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,  CLONE_NEWIPC,
	CLONE_NEWPID, CLONE_NEWNET,    CLONE_NEWUSER,
};

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
	struct sigaction action = { .sa_sigaction = deny_on_sigsys,
				    .sa_flags = SA_SIGINFO };

	if (!COMPAT_HAS_RETURN || !(debug_mask & (1u << DEBUG_CHILD)) ||
	    sigaction(SIGSYS, &action, NULL))
		return SCMP_ACT_ERRNO(EPERM);
	return SCMP_ACT_TRAP;
}

/* --- the filter ----------------------------------------------------------------------- */

static int deny_add_rules(scmp_filter_ctx filter, uint32_t action)
{
	size_t i;
	int number, rc = 0;

	for (i = 0; i < ARRAY_SIZE(denied) && !rc; i++) {
		/* AddressSanitizer makes these. */
		if (COMPAT_SANITIZED &&
		    (!strcmp(denied[i], "ptrace") || !strcmp(denied[i], "personality")))
			continue;
		number = seccomp_syscall_resolve_name(denied[i]);
		/* Skips calls that are newer than this libseccomp, or of other architectures. */
		if (number >= 0)
			rc = seccomp_rule_add(filter, action, number, 0);
	}
	for (i = 0; i < ARRAY_SIZE(denied_clone_flags) && !rc; i++)
		rc = seccomp_rule_add(filter, action, SCMP_SYS(clone), 1,
				      SCMP_CMP(COMPAT_CLONE_FLAGS, SCMP_CMP_MASKED_EQ,
					       denied_clone_flags[i],
					       denied_clone_flags[i]));
	/* A filter cannot see the flags of clone3(2), which are in memory. libc then uses
	 * clone(2). */
	if (!rc)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3),
				      0);
	return rc;
}

void deny_install(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int rc = filter ? deny_add_rules(filter, deny_action()) : -ENOMEM;

	if (!rc)
		rc = seccomp_load(filter);
	if (rc)
		debug(DEBUG_CHILD, "system calls are not filtered: %s", strerror(-rc));
	seccomp_release(filter);
}
