/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child process of reference.c, in which reference-libnfs.c reads. It may be crashed or taken
 * over from there, so it keeps no descriptor but its two sockets, no signal handler, little
 * memory, and dies with its parent. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "rpcrdma/nfs/internal.h"

#define CHILD_FDS (REFERENCE_PAIR + 1)
/* Beyond what the parent has at the fork: a reply of 1 MiB in pieces is held twice. */
#define CHILD_MEMORY (16 * 1024 * 1024)
/* No ordinary program has so much; one that does is under a sanitizer, whose shadow memory
 * grows as it runs, and a limit would kill it. */
#define SHADOW_SIZE ((uint64_t)1 << 40)

/* Two descriptors are left, at known places; 0 to 2 go as well, because what is written there
 * would be the server's words. */
static int keep_descriptors(int sock, int pair)
{
	int flags;

	sock = fcntl(sock, F_DUPFD, CHILD_FDS);
	pair = fcntl(pair, F_DUPFD, CHILD_FDS);
	if (sock < 0 || pair < 0)
		return -errno;
	if (dup2(sock, REFERENCE_SOCK) < 0 || dup2(pair, REFERENCE_PAIR) < 0)
		return -errno;
	if (close_range(CHILD_FDS, ~0u, 0) || close_range(0, 2, 0))
		return -errno;
	/* libnfs sends without MSG_DONTWAIT. */
	flags = fcntl(REFERENCE_SOCK, F_GETFL);
	return fcntl(REFERENCE_SOCK, F_SETFL, flags | O_NONBLOCK) ? -errno : 0;
}

static void reset_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;
	int i;

	for (i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL); /* KILL, STOP and libc's own refuse */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Bytes of private writable memory now, 0 when they cannot be told. Before the descriptors go. */
static uint64_t data_size(void)
{
	_cleanup_close_ int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128] = "";
	unsigned long pages;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	if (sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		return 0;
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, rlim_t value)
{
	struct rlimit to = { .rlim_cur = value, .rlim_max = value };

	setrlimit(resource, &to);
}

/* What cannot be had is done without: the process is no worse than its parent. */
static void give_up(uint64_t data)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* A server that can crash us shall not have the crash handler run each time. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NOFILE, CHILD_FDS);
	/* Not RLIMIT_AS: the C library reserves address space for later, and would use that. */
	if (data && data < SHADOW_SIZE)
		limit(RLIMIT_DATA, data + CHILD_MEMORY);
}

void reference_child(int sock, int pair, const struct rpc_cred *cred, uint32_t vers,
		     pid_t parent)
{
	struct reference_request request;
	uint64_t data = data_size();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	reset_signals();
	if (keep_descriptors(sock, pair))
		_exit(1);
	give_up(data);
	while (!rpc_tcp_recv(REFERENCE_PAIR, &request, sizeof(request), UINT64_MAX))
		reference_libnfs_read(&request, cred, vers);
	_exit(0);
}
