/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How much memory a program may lock, which is what registering memory for RDMA does. Only
 * programs need it, and root is not bound by it: the defaults are no defect. It is one that
 * limits.conf raises the limit, but not enough. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "rpcrdma/probe/probe.h"

/* The highest limit in limits.conf; 0: no line. */
static uint64_t memlock_most(const struct host_memlock *memlock, struct words *lines)
{
	uint64_t most = 0, kib;
	unsigned int i;

	for (i = 0; i < memlock->nlines; i++) {
		const char *value = memlock->lines[i].value;

		if (!strcmp(value, "unlimited") || !strcmp(value, "infinity") ||
		    !strcmp(value, "-1"))
			kib = UINT64_MAX;
		else
			kib = strtoumax(value, NULL, 10);
		most = kib > most ? kib : most;
		words_add(lines, "%s %s %s", memlock->lines[i].domain, memlock->lines[i].type,
			  value);
	}
	return most;
}

static const char *memlock_amount(uint64_t bytes, char buf[32])
{
	if (bytes == UINT64_MAX)
		return "unlimited";
	snprintf(buf, 32, "%" PRIu64 " KiB", bytes / 1024);
	return buf;
}

int check_client_memlock(struct check_run *run)
{
	struct host_memlock memlock;
	struct words lines = { 0 };
	char hard[32];
	uint64_t most;
	int rc = host_memlock(run->host, &memlock);

	if (rc)
		return rc;
	most = memlock_most(&memlock, &lines);
	if (memlock.known)
		finding_text(&run->finding, "hard_limit", "%s", memlock_amount(memlock.hard, hard));
	if (memlock.nlines && most < probe_memlock_kib())
		return check_say_why(run, FINDING_WARN, "too-small",
				     "limits.conf allows at most %" PRIu64
				     " KiB (%s); nfsrdma probe and bench need up to %" PRIu64
				     " KiB unless they run as root",
				     most, words_text(&lines), probe_memlock_kib());
	if (memlock.nlines)
		return check_say(run, FINDING_PASS, "limits.conf allows enough: %s",
				 words_text(&lines));
	return check_say(
		run, FINDING_PASS,
		"mounts and root need no higher limit; programs of other users may lock %s",
		memlock.known ? memlock_amount(memlock.hard, hard) : "the default amount");
}
