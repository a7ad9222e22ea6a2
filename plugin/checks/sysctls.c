/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Settings of rpcrdma in /proc/sys, of its client half and of its server half: as the kernel has
 * them, changed, or so small that calls wait. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

int sysctls_judge(struct check_run *run, const char *folder, const struct sysctl_setting *settings)
{
	/* As sysctl(8) names it. */
	const char *namespace = strstr(folder, "svc_rdma") ? "sunrpc.svc_rdma" : "sunrpc";
	struct words low = { 0 }, other = { 0 };
	unsigned int found = 0;
	char path[96];
	int64_t value;
	int rc;

	for (; settings->name; settings++) {
		snprintf(path, sizeof(path), "%s/%s", folder, settings->name);
		rc = host_attr_number(run->host, path, &value);
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		found++;
		finding_number(&run->finding, settings->name, (double)value);
		if (value < settings->least && !low.count) {
			finding_text(&run->finding, "setting", "%s.%s", namespace, settings->name);
			finding_number(&run->finding, "value", (double)value);
			finding_number(&run->finding, "default", (double)settings->usual);
		}
		if (value < settings->least)
			words_add(&low, "%s is %" PRId64, settings->name, value);
		else if (value != settings->usual && value != settings->older)
			words_add(&other, "%s is %" PRId64, settings->name, value);
	}
	if (!found)
		return check_say(run, FINDING_SKIP, "rpcrdma has settings only when it is loaded");
	if (low.count)
		return check_say_why(run, FINDING_WARN, "too-small", "%s", words_text(&low));
	if (other.count)
		return check_say(run, FINDING_PASS, "changed, but not too small: %s",
				 words_text(&other));
	return check_say(run, FINDING_PASS, "all have the kernel's defaults");
}
