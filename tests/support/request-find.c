/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* request-find DIRECTORY: the transport of the topmost NFS mount there, or "none", and what was requested of
 * mount.nfsrdma: "rdma mounted require", "none pending prefer", "tcp nothing". */
#include <stdio.h>

#include "plugin/request/request.h"

int main(int argc, char **argv)
{
	_cleanup_(request_fini) struct request request = { .text = NULL };
	_cleanup_(host_close_p) struct host *host = NULL;
	struct nfs_mounts mounts;
	unsigned int i;

	if (argc != 2 || host_open(&host, NULL) || host_nfs_mounts(host, &mounts)) {
		fprintf(stderr, "request-find: %s\n", argc == 2 ? err_text() : "which?");
		return 2;
	}
	for (i = mounts.count; i > 0; i--)
		if (!strcmp(mounts.list[i - 1].target, argv[1]))
			break;
	printf("%s ", i ? mounts.list[i - 1].proto : "none");
	if (request_read(host, argv[1], &request))
		printf("nothing\n");
	else
		printf("%s %s\n", request.mounted ? "mounted" : "pending", request.policy);
	host_nfs_mounts_fini(&mounts);
	return 0;
}
