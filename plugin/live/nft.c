/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* netfilter's rules, as nft prints them. This runs the program because its library,
 * libnftables, is GPL-2 only. */
#include "plugin/live/internal.h"
#include "plugin/host/tool.h"

#define NFT    "/usr/sbin/nft"
#define NFT_MS 2000

static const char *const live_nft_argv[] = { NFT, "-j", "list", "ruleset", NULL };

int live_nftables(const struct host *host, struct host_text *json)
{
	int rc;

	rc = tool_run(live_nft_argv, LIVE_NFT_MAX, host_deadline(host, NFT_MS), json);
	if (rc == -ENOENT)
		return err_set(ENOENT, "there is no " NFT);
	/* nft lists a network namespace to the user who owns it, so it is tried first. */
	if (rc == -EIO && geteuid() != 0)
		return err_set(EPERM, "only root may list the firewall's rules");
	return rc;
}
