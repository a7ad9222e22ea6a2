/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* How much memory a program may lock, for users who run nfsrdma probe without root. Mounts need
 * nothing of it. What is given is what the probe needs and no more: "unlimited", as guides have
 * it, lets every member of the group take all memory. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/setup/internal.h"
#include "rpcrdma/probe/probe.h"

static bool memlock_has_group(const struct host *host, const char *name)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	size_t len = strlen(name);
	char *cursor, *line;

	if (host_read(host, "etc/group", HOST_FILE_MAX, &text))
		return false;
	cursor = text.text;
	while ((line = line_next(&cursor)))
		if (!strncmp(line, name, len) && line[len] == ':')
			return true;
	return false;
}

/* A line for the domain, or for all, that gives a hard limit which is enough. */
static bool memlock_is_given(const struct host_memlock *memlock, const char *domain, uint64_t kib)
{
	unsigned int i;

	for (i = 0; i < memlock->nlines; i++) {
		const char *of = memlock->lines[i].domain;
		const char *value = memlock->lines[i].value;

		if ((strcmp(of, domain) && strcmp(of, "*")) ||
		    !strcmp(memlock->lines[i].type, "soft"))
			continue;
		if (!strcmp(value, "unlimited") || !strcmp(value, "infinity") ||
		    !strcmp(value, "-1") || strtoumax(value, NULL, 10) >= kib)
			return true;
	}
	return false;
}

static int memlock_plan(struct planner *planner)
{
	const struct host *host = planner->machine->host;
	const char *domain = memlock_has_group(host, "rdma") ? "@rdma" : "*";
	uint64_t kib = probe_memlock_kib();
	struct host_memlock memlock;
	char line[96];
	int rc = host_memlock(host, &memlock);

	if (rc || memlock_is_given(&memlock, domain, kib))
		return rc;
	snprintf(line, sizeof(line), "%s - memlock %" PRIu64 "\n", domain, kib);
	rc = plan_file(planner, PATH_LIMITS, line, false,
		       "nfsrdma probe and bench lock up to %" PRIu64
		       " KiB of memory, unless root runs them",
		       kib);
	if (!rc)
		plan_note(planner, false, "The limit applies from the next login%s",
			  *domain == '@' ? ", for members of the group rdma" : "");
	return rc < 0 ? rc : 0;
}

const struct remedy remedy_memlock = {
	.name = "memlock",
	.roles = CHECK_BOTH,
	.for_probe_only = true,
	.plan = memlock_plan,
};
