/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Calls of libvirt that do not return in time, with its test driver. tests/cli/pool.sh has those
 * that do. */
#include <semaphore.h>

#include "plugin/libvirt/internal.h"
#include "plugin/libvirt/libvirt-calls.h"
#include "suite.h"

static struct libvirt_calls calls;
static sem_t go, closed;

static int list_slowly(virConnectPtr conn, virStoragePoolPtr **pools, unsigned int flags)
{
	while (sem_wait(&go))
		;
	return libvirt_module.virConnectListAllStoragePools(conn, pools, flags);
}

static int close_loudly(virConnectPtr conn)
{
	int rc = libvirt_module.virConnectClose(conn);

	sem_post(&closed);
	return rc;
}

static struct pools *open_pools(void)
{
	struct pools *pools = NULL;

	calls = libvirt_module;
	calls.virConnectListAllStoragePools = list_slowly;
	calls.virConnectClose = close_loudly;
	libvirt = &calls;
	sem_init(&go, 0, 0);
	sem_init(&closed, 0, 0);
	CU_ASSERT_EQUAL_FATAL(pools_open(&pools, "test:///default", true, deadline_in(PATIENCE_MS)),
			      0);
	return pools;
}

static void a_call_that_fails_returns_its_message(void)
{
	struct pools *pools = open_pools();
	struct pool_info info;

	CU_ASSERT_EQUAL(pools_ops.get(pools, deadline_in(PATIENCE_MS), "none", &info), -ENOENT);
	ASSERT_CONTAINS(err_text(), "libvirt: ");
	pools_close(pools);
	CU_ASSERT_EQUAL(sem_trywait(&closed), 0);
}

/* What a late call uses is its own, and it closes the connection. */
static void a_call_that_hangs_is_left(void)
{
	struct pools *pools = open_pools();
	struct pool_list list = { .count = 0 };

	CU_ASSERT_EQUAL(pools_ops.list(pools, deadline_in(1), &list), -ETIMEDOUT);
	CU_ASSERT_STRING_EQUAL(err_text(), "libvirt did not answer in time");
	CU_ASSERT_EQUAL(pools_ops.list(pools, deadline_in(PATIENCE_MS), &list), -ETIMEDOUT);
	CU_ASSERT_STRING_EQUAL(err_text(), "libvirt is still busy");
	pools_close(pools);
	CU_ASSERT_EQUAL(sem_trywait(&closed), -1);
	sem_post(&go);
	while (sem_wait(&closed))
		;
	CU_ASSERT_EQUAL(list.count, 0);
}

SUITE_MAIN("pools", TEST(a_call_that_fails_returns_its_message), TEST(a_call_that_hangs_is_left))
