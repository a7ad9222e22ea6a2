/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What programs need to use RDMA devices: ib_uverbs and rdma_ucm. The kernel's NFS does without
 * them; nfsrdma probe over verbs does not. */
#include "plugin/checks/internal.h"

static const char *const names[] = { "ib_uverbs", "rdma_ucm" };

int check_client_uverbs(struct check_run *run)
{
	struct host_module module;
	struct words missing = { 0 }, absent = { 0 };
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		rc = host_module(run->host, names[i], &module);
		if (rc && rc != -ENOENT)
			return rc;
		if (module.state == MODULE_MISSING)
			words_add(&absent, "%s", names[i]);
		if (module.state != MODULE_LOADED && module.state != MODULE_BUILTIN)
			words_add(&missing, "%s (%s)", names[i],
				  module.state == MODULE_AVAILABLE ? "not loaded"
								   : "not installed");
	}
	if (missing.count)
		return check_say_why(run, FINDING_WARN,
				     absent.count ? "not-installed" : "not-loaded",
				     "mounts can use the RDMA devices, programs cannot: %s",
				     words_text(&missing));
	return check_say(run, FINDING_PASS, "ib_uverbs and rdma_ucm are loaded");
}
