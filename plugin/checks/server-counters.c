/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The counters of svcrdma, since the module was loaded or they were reset. Of those that show
 * trouble, newer kernels have sq_starve only; rq_starve of older ones counts how often a thread
 * found nothing to do, and rq_poll, rq_prod and the like are for developers. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

#define FOLDER "proc/sys/sunrpc/svc_rdma/rdma_stat_"

/* One in so many calls; fewer calls than this are no measure. */
#define STARVED_ONE_IN 20
#define CALLS_LEAST    1000

enum counter { RECV, READ, WRITE, SQ_STARVE, COUNTERS };

static const char *const names[COUNTERS] = {
	[RECV] = "recv",
	[READ] = "read",
	[WRITE] = "write",
	[SQ_STARVE] = "sq_starve",
};

struct server_counter {
	uint64_t number;
	bool large; /* more than the kernel can print, so at least that many */
};

int check_server_counters(struct check_run *run)
{
	struct server_counter values[COUNTERS] = { 0 };
	const struct server_counter *calls = &values[RECV], *starved = &values[SQ_STARVE];
	char path[64];
	size_t i;
	int rc;

	for (i = 0; i < COUNTERS; i++) {
		snprintf(path, sizeof(path), FOLDER "%s", names[i]);
		rc = host_counter(run->host, path, &values[i].number, &values[i].large);
		if (rc == -ENOENT)
			return check_say(run, FINDING_SKIP,
					 "rpcrdma has counters only when it is loaded");
		if (rc)
			return rc;
		finding_text(&run->finding, names[i], "%s%" PRIu64, values[i].large ? "over " : "",
			     values[i].number);
	}
	/* If both are too large to be shown, it is unknown which one is larger. */
	if (calls->number >= CALLS_LEAST && !calls->large &&
	    starved->number > calls->number / STARVED_ONE_IN)
		return check_say_why(run, FINDING_WARN, "send-queue-full",
				     "the send queue was full %s%" PRIu64 " times in %" PRIu64
				     " calls",
				     starved->large ? "over " : "", starved->number, calls->number);
	if (!calls->number)
		return check_say(run, FINDING_PASS, "no call over RDMA so far");
	return check_say(run, FINDING_PASS, "%s%" PRIu64 " calls over RDMA",
			 calls->large ? "over " : "", calls->number);
}
