/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* record-find DIR: what a reader of records is to believe of the NFS mount that is seen there:
 * "none" where nothing is mounted, else the transport and the state: "rdma proven", "tcp tcp",
 * "rdma unknown: why". */
#include <stdio.h>

#include "plugin/record/record.h"

static int say(const struct host *host, const struct nfs_mount *mount)
{
	const struct record_source records = { .host = host };
	struct record record;
	int rc = record_find(&records, mount, now_ms(), 2 * RECORD_PERIOD_MS, &record);

	if (rc)
		printf("%s unknown: %s\n", mount->proto, err_text());
	else
		printf("%s %s\n", mount->proto, record_state_name(record.state));
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	struct nfs_mounts mounts;
	unsigned int i;

	if (argc != 2 || host_open(&host, NULL) || host_nfs_mounts(host, &mounts)) {
		fprintf(stderr, "record-find: %s\n", argc == 2 ? err_text() : "which?");
		return 2;
	}
	for (i = mounts.count; i > 0; i--)
		if (!strcmp(mounts.list[i - 1].target, argv[1]))
			break;
	if (i)
		say(host, &mounts.list[i - 1]);
	else
		printf("none\n");
	host_nfs_mounts_fini(&mounts);
	return 0;
}
