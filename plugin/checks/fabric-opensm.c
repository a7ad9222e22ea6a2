/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A subnet manager on this host, as configured: of several in one subnet the one with the
 * highest priority is the master; an instance of OpenSM manages one subnet. */
#include "plugin/checks/internal.h"

/* Two instances for the same port: returns the second; *@first is the other. */
static const char *opensm_same_port(const struct host_opensm *opensm, const char **first)
{
	unsigned int i, j;

	for (i = 0; i < opensm->nfiles; i++)
		for (j = i + 1; j < opensm->nfiles; j++)
			if (strstr(opensm->files[j].file, "opensm.conf") &&
			    strstr(opensm->files[i].file, "opensm.conf") &&
			    !strcmp(opensm->files[i].guids, opensm->files[j].guids))
				return *first = opensm->files[i].file, opensm->files[j].file;
	return NULL;
}

int check_fabric_opensm(struct check_run *run)
{
	struct words priorities = { 0 };
	struct host_opensm opensm;
	enum unit_state state;
	const char *first, *second;
	unsigned int i;
	int rc = host_opensm(run->host, &opensm);

	if (rc)
		return rc;
	if (!opensm.installed)
		return check_say(run, FINDING_SKIP, "OpenSM is not installed");
	if (host_unit_state(run->host, "opensm.service", &state) || state != UNIT_ENABLED)
		return check_say(run, FINDING_SKIP, "OpenSM is installed and not enabled");
	second = opensm_same_port(&opensm, &first);
	if (second) {
		finding_text(&run->finding, "file", "/%s", second);
		finding_text(&run->finding, "other_file", "/%s", first);
		return check_say_why(run, FINDING_WARN, "same-port",
				     "/%s and /%s are for the same port", first, second);
	}
	for (i = 0; i < opensm.nfiles; i++)
		if (opensm.files[i].priority[0])
			words_add(&priorities, "%s in /%s", opensm.files[i].priority,
				  opensm.files[i].file);
	if (priorities.count)
		return check_say(run, FINDING_PASS, "enabled, with priority %s",
				 words_text(&priorities));
	return check_say(
		run, FINDING_PASS,
		"enabled, with the default priority: if several hosts run one, give each its own");
}
