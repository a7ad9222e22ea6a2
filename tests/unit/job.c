/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A call that returns in time belongs to its caller, any other to its thread. */
#include <semaphore.h>

#include "rpcrdma/base/job.h"
#include "tests/unit/suite.h"

struct slow {
	struct job job; /* first */
	sem_t *go, *gone;
	int result;
};

static void slow_call(struct job *job)
{
	struct slow *slow = (struct slow *)job;

	sem_wait(slow->go);
	slow->result = 7;
}

static void slow_discard(struct job *job)
{
	struct slow *slow = (struct slow *)job;

	CU_ASSERT_EQUAL(slow->result, 7);
	sem_post(slow->gone);
}

static struct slow *slow_new(sem_t *go, sem_t *gone)
{
	struct slow *slow = calloc(1, sizeof(*slow));

	CU_ASSERT_PTR_NOT_NULL_FATAL(slow);
	slow->job.call = slow_call;
	slow->job.discard = slow_discard;
	slow->go = go;
	slow->gone = gone;
	return slow;
}

static void a_call_in_time_leaves_its_result(void)
{
	sem_t go, gone;
	struct slow *slow = slow_new(&go, &gone);

	sem_init(&go, 0, 1);
	sem_init(&gone, 0, 0);
	CU_ASSERT_EQUAL(job_run(&slow->job, deadline_in(PATIENCE_MS)), 0);
	CU_ASSERT_EQUAL(slow->result, 7);
	CU_ASSERT_EQUAL(sem_trywait(&gone), -1);
	free(slow);
}

static void a_late_call_is_discarded_by_its_thread(void)
{
	sem_t go, gone;
	struct slow *slow = slow_new(&go, &gone);

	sem_init(&go, 0, 0);
	sem_init(&gone, 0, 0);
	CU_ASSERT_EQUAL(job_run(&slow->job, deadline_in(1)), -ETIMEDOUT);
	CU_ASSERT_EQUAL(sem_trywait(&gone), -1);
	sem_post(&go);
	while (sem_wait(&gone))
		;
}

SUITE_MAIN("job", TEST(a_call_in_time_leaves_its_result),
	   TEST(a_late_call_is_discarded_by_its_thread))
