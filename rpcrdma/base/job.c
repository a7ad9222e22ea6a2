/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A thread makes the call; the last to finish, the thread or its waiter, owns the job. */
#include "rpcrdma/base/job.h"

static void *job_thread(void *arg)
{
	struct job *job = arg;
	bool abandoned;

	job->call(job);
	pthread_mutex_lock(&job->lock);
	job->done = true;
	abandoned = job->abandoned;
	pthread_cond_signal(&job->ready);
	pthread_mutex_unlock(&job->lock);
	if (!abandoned)
		return NULL;
	job->discard(job);
	pthread_mutex_destroy(&job->lock);
	pthread_cond_destroy(&job->ready);
	free(job);
	return NULL;
}

int job_run(struct job *job, uint64_t deadline)
{
	const struct timespec until = deadline_timespec(deadline);
	pthread_t thread;
	int late = 0, rc;

	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->ready, NULL);
	rc = pthread_create(&thread, NULL, job_thread, job);
	if (!rc) {
		pthread_mutex_lock(&job->lock);
		while (!job->done && !late)
			late = pthread_cond_clockwait(&job->ready, &job->lock, CLOCK_MONOTONIC,
						      &until);
		late = job->abandoned = !job->done;
		pthread_mutex_unlock(&job->lock);
		/* From here on the thread owns it. */
		if (late) {
			pthread_detach(thread);
			return -ETIMEDOUT;
		}
		pthread_join(thread, NULL);
	}
	pthread_mutex_destroy(&job->lock);
	pthread_cond_destroy(&job->ready);
	return -rc;
}
