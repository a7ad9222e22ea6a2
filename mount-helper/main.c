/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* mount.nfsrdma: what mount(8) runs for a file system of type nfsrdma. */
#include <stdio.h>

#include "mount-helper/internal.h"

static const char usage[] =
	"usage: mount.nfsrdma SERVER:/PATH DIRECTORY [-fnrsvw] [-o OPTIONS]\n"
	"Mounts NFS over RDMA, or reports why it cannot. mount(8) runs it: mount -t nfsrdma.\n"
	"See mount.nfsrdma(8).\n";

static int refuse_args(struct helper *helper)
{
	char why[ERR_TEXT_MAX];

	snprintf(why, sizeof(why), "%s", err_text());
	tell(helper, JOURNAL_REFUSED, "not mounted: %s", why);
	return HELPER_USAGE;
}

int main(int argc, char **argv)
{
	struct helper helper = { .name = "mount.nfsrdma",
				 .program = "/sbin/mount.nfs",
				 .root = !geteuid(),
				 .records = -1 };
	int rc;

	helper_init(&helper);
	if (args_parse(&helper.args, argc, argv, false))
		return refuse_args(&helper);
	if (helper.args.help || helper.args.version) {
		printf("%s",
		       helper.args.help ? usage : "mount.nfsrdma " NFSRDMA_VERSION "\n");
		return HELPER_OK;
	}
	rc = run_mount(&helper);
	helper_fini(&helper);
	return rc;
}
