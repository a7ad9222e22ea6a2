/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Options of the kernel that NFS over RDMA, IPoIB and the probe live on, where the kernel's
 * configuration can be read. What the devices of this host do not need is not asked for. */
#include "plugin/checks/internal.h"

enum need { NEED_ALWAYS, NEED_INFINIBAND };

static const struct {
	const char *option, *without;
	enum need need;
} options[] = {
	/* SUNRPC_XPRT_RDMA itself is client.module's; it may come from elsewhere. */
	{ "CONFIG_INFINIBAND_ADDR_TRANS", "no connection by IP address", NEED_ALWAYS },
	{ "CONFIG_INFINIBAND_USER_ACCESS", "no probe over RDMA devices", NEED_ALWAYS },
	{ "CONFIG_INFINIBAND_IPOIB", "no IP addresses on InfiniBand", NEED_INFINIBAND },
};

int check_client_kernel_config(struct check_run *run)
{
	const struct host_kconfig *config;
	const struct rdma_devices *rdma;
	struct words missing = { 0 };
	bool infiniband = false;
	int rc = facts_rdma(run, &rdma);
	size_t i;

	if (!rc)
		rc = facts_kconfig(run, &config);
	if (rc == -ENOENT)
		return check_say(run, FINDING_SKIP,
				 "this host has no copy of the kernel's configuration");
	if (rc)
		return rc;
	finding_text(&run->finding, "config", "/%s", config->file);
	/* The RDMA stack of a vendor says nothing in the kernel's configuration. */
	if (kconfig_get(config, "CONFIG_INFINIBAND") == 'n')
		return check_say(
			run, FINDING_PASS,
			"the kernel has no RDMA of its own: a vendor's drivers provide it");
	for (i = 0; i < rdma->count; i++)
		infiniband |= rdma->list[i].kind == RDMA_INFINIBAND;
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (options[i].need == NEED_INFINIBAND && !infiniband)
			continue;
		if (kconfig_get(config, options[i].option) == 'n')
			words_add(&missing, "%s (%s)", options[i].option, options[i].without);
	}
	if (missing.count)
		return check_say_why(run, FINDING_WARN, "not-built",
				     "the kernel was built without %s", words_text(&missing));
	return check_say(run, FINDING_PASS, "/%s has every option this host needs", config->file);
}
