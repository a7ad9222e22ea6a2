/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The longest READ and WRITE that the server takes. nfsd chooses 1/4096 of the memory, 1 MiB at
 * most, when it starts for the first time (nfsd_get_default_max_blksize() in fs/nfsd/nfssvc.c), so a
 * virtual machine with less than 4 GiB offers less than the usual. */
#include "plugin/checks/internal.h"

#define KIB   1024
#define USUAL (1024 * KIB)
#define LEAST (128 * KIB)

static int run_check(struct check_run *run)
{
	const struct host_nfsd *nfsd;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	if (!nfsd->max_block)
		return check_say(run, FINDING_SKIP, "the kernel does not say");
	finding_number(&run->finding, "max_block_size", nfsd->max_block);
	if (nfsd->max_block < LEAST)
		return check_say(
			run, FINDING_WARN,
			"the server takes READs and WRITEs of %u KiB at most, which is little for RDMA",
			nfsd->max_block / KIB);
	if (nfsd->max_block < USUAL)
		check_note(run);
	return check_say(run, FINDING_PASS, "READs and WRITEs of up to %u KiB%s",
			 nfsd->max_block / KIB,
			 nfsd->max_block < USUAL ? ", for this host has little memory"
						 : "");
}

const struct check check_server_block_size = {
	.id = "server.block-size",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device", "server.threads" },
	.run = run_check,
};
