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

struct value {
	uint64_t number;
	bool large; /* more than the kernel can print, so at least that many */
};

static void keep(struct check_run *run, const char *name, const struct value *value)
{
	finding_text(&run->finding, name, "%s%" PRIu64, value->large ? "over " : "",
		     value->number);
}

static bool is_starved(const struct value values[COUNTERS])
{
	const struct value *calls = &values[RECV], *starved = &values[SQ_STARVE];

	/* If both are too large to be shown, it is unknown which one is larger. */
	return calls->number >= CALLS_LEAST && !calls->large &&
	       starved->number > calls->number / STARVED_ONE_IN;
}

static int server_counters_check_run(struct check_run *run)
{
	struct value values[COUNTERS] = { 0 };
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
		keep(run, names[i], &values[i]);
	}
	if (is_starved(values))
		return check_say_why(run, FINDING_WARN, "send-queue-full",
				     "the send queue was full %s%" PRIu64
				     " times in %" PRIu64 " calls",
				     values[SQ_STARVE].large ? "over " : "",
				     values[SQ_STARVE].number, values[RECV].number);
	if (!values[RECV].number)
		return check_say(run, FINDING_PASS, "no call over RDMA so far");
	return check_say(run, FINDING_PASS, "%s%" PRIu64 " calls over RDMA",
			 values[RECV].large ? "over " : "", values[RECV].number);
}

const struct check check_server_counters = {
	.id = "server.counters",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device" },
	.run = server_counters_check_run,
};
