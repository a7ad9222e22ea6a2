/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A machine as tests/hosts/README.md writes them, in a temporary folder until the process ends. NFSRDMA_TESTS is the
 * folder of the tests. */
#ifndef TESTS_FUZZ_MACHINE_H
#define TESTS_FUZZ_MACHINE_H

#include <ftw.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

static char machine_top[] = "/tmp/nfsrdma-fuzz-XXXXXX", machine_root[128];

static inline int machine_remove_one(const char *path, const struct stat *status, int type,
				     struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

static inline void machine_remove(void)
{
	nftw(machine_top, machine_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* @path: below the tests. */
static inline void machine_make(const char *path)
{
	char program[512], host[512];
	int status = 0;
	pid_t pid;

	FUZZ_CHECK(mkdtemp(machine_top));
	atexit(machine_remove);
	snprintf(program, sizeof(program), "%s/support/make-host", NFSRDMA_TESTS);
	snprintf(host, sizeof(host), "%s/%s", NFSRDMA_TESTS, path);
	snprintf(machine_root, sizeof(machine_root), "%s%s", machine_top, strrchr(path, '/'));
	pid = fork();
	FUZZ_CHECK(pid >= 0);
	if (!pid) {
		execlp("python3", "python3", program, machine_top, host, NULL);
		_exit(127);
	}
	FUZZ_CHECK(waitpid(pid, &status, 0) == pid && !status);
}

#endif
