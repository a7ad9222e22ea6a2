/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The behaviour of nfs-utils is tested with programs that answer as nfsconf(8) would: one that
 * keeps sections apart, one that does not, one that reads no drop-ins. tests/cli/ovirt.sh uses
 * the real one. */
#include <sys/stat.h>

#include "plugin/live/internal.h"
#include "suite.h"

static char program[32];
static struct nfs_utils_behaviour tried;
static struct host *host;

static int try(const char *script)
{
	int fd, rc;

	strcpy(program, "/tmp/nfsrdma-nfsconf.XXXXXX");
	fd = mkstemp(program);
	if (fd < 0 || fd_write_all(fd, script, strlen(script)) || fchmod(fd, 0700) || close(fd))
		abort();
	tried = (struct nfs_utils_behaviour){ NFS_UTILS_UNKNOWN, false };
	if (!host && host_open(&host, NULL))
		abort();
	rc = live_nfs_utils(host, program, &tried);
	unlink(program);
	return rc;
}

static void each_behaviour_is_recognized(void)
{
	CU_ASSERT_EQUAL(try("#!/bin/sh\necho rdma\n"), 0);
	CU_ASSERT_EQUAL(tried.sections, NFS_UTILS_KEEPS);
	CU_ASSERT(tried.drop_ins);
	CU_ASSERT_EQUAL(try("#!/bin/sh\n[ $2 = -a/c ] && echo rdma\n"), 0);
	CU_ASSERT_EQUAL(tried.sections, NFS_UTILS_LOSES);
	CU_ASSERT(tried.drop_ins);
	CU_ASSERT_EQUAL(try("#!/bin/sh\n[ $2 = -a/b ] && echo rdma\n"), 0);
	CU_ASSERT_EQUAL(tried.sections, NFS_UTILS_LOSES);
	CU_ASSERT_FALSE(tried.drop_ins);
	CU_ASSERT_EQUAL(try("#!/bin/sh\n[ $2 != -a/c ] && echo rdma\n"), 0);
	CU_ASSERT_EQUAL(tried.sections, NFS_UTILS_KEEPS);
	CU_ASSERT_FALSE(tried.drop_ins);
}

static void the_test_files_are_removed_afterwards(void)
{
	CU_ASSERT_EQUAL(try("#!/bin/sh\nf=${1#-f}\n[ -r $f ] && [ -r $f.d/c.conf ] && "
			    "echo rdma\n"),
			0);
	CU_ASSERT_EQUAL(tried.sections, NFS_UTILS_KEEPS);
}

static void unexpected_answers_tell_nothing(void)
{
	CU_ASSERT_EQUAL(try("#!/bin/sh\nexit 1\n"), -ENODATA);
	CU_ASSERT_EQUAL(try("#!/bin/sh\necho tcp\n"), -ENODATA);
	CU_ASSERT_EQUAL(tried.sections, NFS_UTILS_UNKNOWN);
	CU_ASSERT_EQUAL(live_nfs_utils(host, "/nonexistent/nfsconf", &tried), -ENOENT);
}

static void a_program_that_hangs_is_abandoned(void)
{
	uint64_t start = now_ms();

	CU_ASSERT_EQUAL(try("#!/bin/sh\nexec sleep 30\n"), -ETIMEDOUT);
	ASSERT_WITHIN_MS(now_ms() - start, 10000);
}

/* The program would answer, but the command has no time left. */
static void the_limit_of_the_host_is_that_of_the_program(void)
{
	host_limit(host, now_ms());
	CU_ASSERT_EQUAL(try("#!/bin/sh\necho rdma\n"), -ETIMEDOUT);
	host_close(host);
	host = NULL;
}

SUITE_MAIN("live-nfs-utils", TEST(each_behaviour_is_recognized),
	   TEST(the_test_files_are_removed_afterwards), TEST(unexpected_answers_tell_nothing),
	   TIMED(a_program_that_hangs_is_abandoned),
	   TEST(the_limit_of_the_host_is_that_of_the_program))
