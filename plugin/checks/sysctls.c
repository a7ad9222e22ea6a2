/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Settings of rpcrdma in /proc/sys, of its client half and of its server half: as the kernel has
 * them, changed, or so small that calls wait. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* @found: counts those that are there. Errors: of reading. */
static int judge_one(struct check_run *run, const char *folder,
		     const struct sysctl_setting *setting, struct words *low,
		     struct words *other, unsigned int *found)
{
	/* As sysctl(8) names it. */
	const char *namespace = strstr(folder, "svc_rdma") ? "sunrpc.svc_rdma" : "sunrpc";
	char path[96];
	int64_t value;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", folder, setting->name);
	rc = host_attr_number(run->host, path, &value);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	(*found)++;
	finding_number(&run->finding, setting->name, (double)value);
	if (value < setting->least && !low->count) {
		finding_text(&run->finding, "setting", "%s.%s", namespace, setting->name);
		finding_number(&run->finding, "value", (double)value);
		finding_number(&run->finding, "default", (double)setting->usual);
	}
	if (value < setting->least)
		words_add(low, "%s is %" PRId64, setting->name, value);
	else if (value != setting->usual && value != setting->older)
		words_add(other, "%s is %" PRId64, setting->name, value);
	return 0;
}

int sysctls_judge(struct check_run *run, const char *folder,
		  const struct sysctl_setting *settings)
{
	struct words low = { 0 }, other = { 0 };
	unsigned int found = 0;
	int rc = 0;

	for (; settings->name && !rc; settings++)
		rc = judge_one(run, folder, settings, &low, &other, &found);
	if (rc)
		return rc;
	if (!found)
		return check_say(run, FINDING_SKIP,
				 "rpcrdma has settings only when it is loaded");
	if (low.count)
		return check_say_why(run, FINDING_WARN, "too-small", "%s",
				     words_text(&low));
	if (other.count)
		return check_say(run, FINDING_PASS, "changed, but not too small: %s",
				 words_text(&other));
	return check_say(run, FINDING_PASS, "all have the kernel's defaults");
}
