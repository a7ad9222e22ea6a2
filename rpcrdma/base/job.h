/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A call that may block beyond its deadline: a resolver's, a device's, libvirt's. */
#ifndef RPCRDMA_BASE_JOB_H
#define RPCRDMA_BASE_JOB_H

#include <pthread.h>

#include "rpcrdma/base/base.h"

/* The first member of the call's own struct, which is on the heap. */
struct job {
	void (*call)(struct job *job);    /* may block */
	void (*discard)(struct job *job); /* frees what the call made, after a time-out */
	pthread_mutex_t lock;
	pthread_cond_t ready;
	bool done, abandoned;
};

/* Makes the call in a thread, and waits until it returns.
 * Errors: -ETIMEDOUT, and the thread owns and frees @job; -errno of pthread_create(3). */
int job_run(struct job *job, uint64_t deadline);

#endif
