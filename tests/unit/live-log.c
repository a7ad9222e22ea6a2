/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* plugin/live/log.c and kmsg.c: which lines of the kernel's log are taken. */
#include <stdio.h>

#include "plugin/live/internal.h"
#include "tests/unit/suite.h"

static void lines_name_nfs_rpc_or_rdma(void)
{
	static const struct {
		const char *text;
		bool concerns;
		const char *rdma;
	} rows[] = {
		{ "rpcrdma: Recv: local length error (1/105)", true, "client" },
		{ "svcrdma: large bc buffer request (size 5000)", true, "server" },
		{ "mlx5_core 0000:3b:00.0 ens1: Link down", true, "device" },
		{ "infiniband siw0: siw_qp_modify: bad state", true, "device" },
		{ "siw0: no such thing", true, "device" },
		{ "nfs: server nas1 OK", true, NULL },
		{ "lockd: server nas1 OK", true, NULL },
		{ "Workqueue: xprtiod xprt_rdma_connect_worker [rpcrdma]", true, NULL },
		/* a user's own name for a process says nothing */
		{ "Memory cgroup out of memory: Killed process 77 (rdma) total-vm:1kB", true,
		  NULL },
		{ "rpcrdma_qp_event: device mlx5_0", true, NULL },
		{ "Listener dead, address change failed for device mlx5_0", true, NULL },
		{ "ib0: multicast join failed", true, "device" },
		{ "bnxt_en 0000:5e:00.0: Error", true, "device" },
		{ "usb 1-1: new high-speed USB device", false, NULL },
		{ "confused: conf siwx rxenium nfsx anfs xib", false, NULL },
		{ "", false, NULL },
	};
	const char *rdma;
	bool ethernet;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].text);
		CU_ASSERT_EQUAL(live_log_concerns(rows[i].text), rows[i].concerns);
		ethernet = false;
		rdma = live_log_rdma(rows[i].text, &ethernet);
		CU_ASSERT_STRING_EQUAL(rdma ? rdma : "", rows[i].rdma ? rows[i].rdma : "");
		CU_ASSERT(!ethernet || !strncmp(rows[i].text, "mlx5_core", 9) ||
			  !strncmp(rows[i].text, "bnxt_en", 7));
	}
}

static void the_kernels_own_records_are_taken(void)
{
	static const struct {
		const char *record;
		const char *text; /* NULL: it is not taken */
		int64_t age;
		unsigned int level;
	} rows[] = {
		{ "3,815,5000000,-;rpcrdma: removed\n SUBSYSTEM=pci\n", "rpcrdma: removed", 95, 3 },
		{ "6,816,99999999,c;svcrdma: x\n", "svcrdma: x", 0, 6 },
		/* later than now, by another clock */
		{ "6,816,200000000,-;svcrdma: x\n", "svcrdma: x", 0, 6 },
		{ "4,817,1,-,caller=T1;nfs: server \x1b[1mnas1\n", "nfs: server ?[1mnas1", 99, 4 },
		/* what a program wrote: facility 1 (user), 3 (daemon) */
		{ "11,815,5000000,-;rpcrdma: forged\n", NULL, 0, 0 },
		{ "30,815,5000000,-;rpcrdma: forged\n", NULL, 0, 0 },
		{ "6,815,5000000,-;usb 1-1: new device\n", NULL, 0, 0 },
		{ "rpcrdma: without a head\n", NULL, 0, 0 },
		{ "6;rpcrdma: half a head\n", NULL, 0, 0 },
		{ "", NULL, 0, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct live_log log = { 0 };
		char record[128];

		SUITE_ROW("%s", rows[i].record);
		snprintf(record, sizeof(record), "%s", rows[i].record);
		CU_ASSERT_EQUAL(live_kmsg_line(record, 100000000, &log), 0);
		CU_ASSERT_EQUAL(log.count, rows[i].text ? 1 : 0);
		if (log.count == 1 && rows[i].text) {
			CU_ASSERT_STRING_EQUAL(log.list[0].text, rows[i].text);
			CU_ASSERT_EQUAL(log.list[0].age, rows[i].age);
			CU_ASSERT_EQUAL(log.list[0].level, rows[i].level);
		}
		live_log_fini(&log);
	}
}

static void the_newest_lines_are_kept(void)
{
	struct live_log log = { 0 };
	char text[LIVE_LOG_TEXT + 100];
	int i;

	for (i = 0; i < LIVE_LOG_LINES + 7; i++) {
		snprintf(text, sizeof(text), "nfs %d", i);
		CU_ASSERT_EQUAL_FATAL(live_log_add(&log, LIVE_LOG_LINES + 7 - i, 6, text), 0);
	}
	ASSERT_AT_LEAST_FATAL(log.count, 3 * LIVE_LOG_LINES / 4);
	CU_ASSERT_EQUAL(log.list[0].age, log.count);
	CU_ASSERT_EQUAL(log.list[log.count - 1].age, 1);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CU_ASSERT_EQUAL(live_log_add(&log, 0, 6, text), 0);
	CU_ASSERT_EQUAL(strlen(log.list[log.count - 1].text), LIVE_LOG_TEXT - 1);
	live_log_fini(&log);
}

SUITE_MAIN("live-log", TEST(lines_name_nfs_rpc_or_rdma), TEST(the_kernels_own_records_are_taken),
	   TEST(the_newest_lines_are_kept))
