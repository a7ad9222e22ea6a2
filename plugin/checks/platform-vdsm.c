/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* oVirt's agent on this host: storage domains that stay over TCP, or are mounted more than once, and
 * nothing would report it; and whether its file was edited as guides of 2014 advise. */
#include "plugin/checks/internal.h"
#include "plugin/ovirt/ovirt.h"

struct platform_vdsm_domains {
	struct check_run *run;
	struct words words;
	bool stacked;
};

static void vdsm_on_domain(void *arg, const struct ovirt_mounted *mounted)
{
	struct platform_vdsm_domains *domains = arg;

	words_add(&domains->words, "%s", mounted->text);
	if (mounted->count > 1 && !domains->stacked) {
		domains->stacked = true;
		finding_text(&domains->run->finding, "directory", "%s",
			     mounted->top->mount->target);
	}
	/* The first one's, as an example. */
	if (domains->words.count == 1)
		finding_text(&domains->run->finding, "remedy", "%s", mounted->remedy);
}

int check_platform_vdsm(struct check_run *run)
{
	struct platform_vdsm_domains domains = { run, { .separator = "; " }, false };
	const struct host_platform *platform;
	const struct nfs_mounts *mounts;
	const struct view *view;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->vdsm)
		return check_say(run, FINDING_SKIP, "VDSM is not installed");
	/* Mounts that could not be read have their own finding; the policy is reported here. */
	if (!facts_mounts(run, &mounts) && mounts->count) {
		rc = facts_view(run, &view);
		if (rc)
			return rc;
		ovirt_mounted_each(view, vdsm_on_domain, &domains);
	}
	if (domains.words.count)
		return check_say_why(run, FINDING_FAIL, domains.stacked ? "stacked" : "domain",
				     "%s", words_text(&domains.words));
	if (platform->vdsm_patched[0]) {
		finding_text(&run->finding, "file", "/%s", platform->vdsm_patched);
		return check_say_why(
			run, FINDING_WARN, "patched",
			"/%s was edited to mount over RDMA; the next update reverts it",
			platform->vdsm_patched);
	}
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "set the storage domain's custom options: proto=rdma,port=20049");
}
