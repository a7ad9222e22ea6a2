/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* end-at FILE WHO SIGNAL N COMMAND...: runs the command, and sends the signal at the N-th system call of it (WHO is 0) or
 * of the WHO-th process that it or its children start, before the call; N is 0: never. FILE gets "CALLS FROM": the calls
 * of that process, and how many of them there were when the command first wrote to stderr. For
 * tests/cli/write-killed.sh. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t command, one; /* one: whose calls are counted */
static unsigned long calls, said, wanted;
static int who, signal_number;

static void at_call(pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	if (pid == command && !said && info.entry.nr == SYS_write && info.entry.args[0] == 2)
		said = calls;
	if (pid == one && ++calls == wanted)
		kill(pid, signal_number);
}

/* The signal that the stopped process gets. */
static int at_stop(pid_t pid, int status)
{
	unsigned long child;

	if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
		at_call(pid);
		return 0;
	}
	if (status >> 16 == PTRACE_EVENT_FORK || status >> 16 == PTRACE_EVENT_VFORK ||
	    status >> 16 == PTRACE_EVENT_CLONE) {
		if (!one && !ptrace(PTRACE_GETEVENTMSG, pid, 0, &child)) {
			char path[64];

			/* A thread has no folder of its own, except below its process. */
			snprintf(path, sizeof(path), "/proc/%d/task/%lu", (int)pid, child);
			if (access(path, F_OK) && !--who)
				one = (pid_t)child;
		}
		return 0;
	}
	return status >> 16 || WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
}

int main(int argc, char **argv)
{
	int status, result = 1;
	FILE *out;
	pid_t pid;

	if (argc < 6)
		return 2;
	who = atoi(argv[2]);
	signal_number = atoi(argv[3]);
	wanted = strtoul(argv[4], NULL, 10);
	command = fork();
	one = who ? 0 : command;
	if (!command) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execvp(argv[5], argv + 5);
		_exit(127);
	}
	if (command < 0 || waitpid(command, &status, 0) != command || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, command, 0,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			   PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		return 77;
	ptrace(PTRACE_SYSCALL, command, 0, 0);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			ptrace(PTRACE_SYSCALL, pid, 0, at_stop(pid, status));
		else if (pid == command)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	out = fopen(argv[1], "w");
	if (!out)
		return 2;
	fprintf(out, "%lu %lu\n", calls, said);
	return fclose(out) ? 2 : result;
}
