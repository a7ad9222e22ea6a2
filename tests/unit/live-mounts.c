/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Probing mounts for an answer. Directories of this machine stand for mounts: one that answers,
 * one that is missing, one on another file system. One that hangs needs a kernel
 * (tests/testbed). */
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "plugin/live/live.h"
#include "tests/unit/suite.h"

static struct nfs_mount list[140];
static struct nfs_mounts mounts = { .list = list };

static void add(const char *target)
{
	struct nfs_mount *mount = &list[mounts.count++];
	struct stat st;

	memset(mount, 0, sizeof(*mount));
	snprintf(mount->target, sizeof(mount->target), "%s", target);
	if (!stat(target, &st))
		snprintf(mount->dev, sizeof(mount->dev), "%u:%u", major(st.st_dev),
			 minor(st.st_dev));
}

static void each_mount_has_its_answer(void)
{
	_cleanup_free_ struct mount_answer *answers = NULL;

	mounts.count = 0;
	add("/");
	add("/nowhere/at/all");
	add("/proc");
	strcpy(list[2].dev, "0:0");
	add("/");
	memset(list[3].target, 'a', sizeof(list[3].target) - 1);
	add("/");
	list[4].nxprts = 4;
	CU_ASSERT_EQUAL_FATAL(live_mounts(&mounts, deadline_in(PATIENCE_MS), &answers), 0);
	CU_ASSERT_EQUAL(answers[0].state, MOUNT_ANSWERED);
	ASSERT_MORE(answers[0].ms, 0);
	ASSERT_LESS(answers[0].ms, PATIENCE_MS);
	CU_ASSERT_EQUAL(answers[1].state, MOUNT_REFUSED);
	CU_ASSERT_EQUAL(answers[1].error, ENOENT);
	CU_ASSERT_EQUAL(answers[2].state, MOUNT_REFUSED);
	CU_ASSERT_EQUAL(answers[2].error, EXDEV);
	CU_ASSERT_EQUAL(answers[3].state, MOUNT_NOT_QUERIED);
	CU_ASSERT_EQUAL(answers[3].error, ENAMETOOLONG);
	CU_ASSERT_EQUAL(answers[4].state, MOUNT_ANSWERED);
	CU_ASSERT(no_child_is_left());
}

static void mounts_beyond_the_parallel_limit_are_asked_in_turn(void)
{
	_cleanup_free_ struct mount_answer *answers = NULL;
	unsigned int i, answered = 0;

	mounts.count = 0;
	for (i = 0; i < ARRAY_SIZE(list); i++)
		add("/");
	CU_ASSERT_EQUAL_FATAL(live_mounts(&mounts, deadline_in(PATIENCE_MS), &answers), 0);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		answered += answers[i].state == MOUNT_ANSWERED;
	CU_ASSERT_EQUAL(answered, ARRAY_SIZE(list));
	CU_ASSERT(no_child_is_left());
}

static void no_mount_is_waited_for_after_the_deadline(void)
{
	_cleanup_free_ struct mount_answer *answers = NULL;
	uint64_t start = now_ms();
	unsigned int i;

	mounts.count = 0;
	for (i = 0; i < ARRAY_SIZE(list); i++)
		add("/");
	CU_ASSERT_EQUAL_FATAL(live_mounts(&mounts, 0, &answers), 0);
	ASSERT_WITHIN_MS(now_ms() - start, 10000);
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(answers[i].state, MOUNT_NOT_QUERIED);
		CU_ASSERT_EQUAL(answers[i].error, 0);
	}
	CU_ASSERT(no_child_is_left());
}

static void no_mounts_are_not_an_error(void)
{
	_cleanup_free_ struct mount_answer *answers = NULL;

	mounts.count = 0;
	CU_ASSERT_EQUAL(live_mounts(&mounts, deadline_in(PATIENCE_MS), &answers), 0);
	CU_ASSERT_PTR_NOT_NULL(answers);
}

SUITE_MAIN("live-mounts", TIMED(each_mount_has_its_answer),
	   TIMED(mounts_beyond_the_parallel_limit_are_asked_in_turn),
	   TIMED(no_mount_is_waited_for_after_the_deadline), TEST(no_mounts_are_not_an_error))
