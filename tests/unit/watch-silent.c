/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which sequences of counters indicate a silent server. */
#include "plugin/watch/internal.h"
#include "tests/unit/host-tree.h"

static struct silences silences;
static char events[64];

static void on_silence(void *arg, const struct silence *one, bool silent, uint64_t now)
{
	(void)arg, (void)now;
	CU_ASSERT_STRING_EQUAL(one->target, "/srv/vm");
	strcat(events, silent ? "S" : "A");
}

/* One observation of a mount. */
struct scan {
	uint64_t at; /* seconds */
	uint64_t connects, sent, received, bad;
	int queued; /* waiting, by the kernel; -1: the connection is down; -2: an old kernel */
};

static void see(const struct scan *scan)
{
	struct nfs_mount mount = { .id = 40,
				   .target = "/srv/vm",
				   .fs_spec = "nas:/vm",
				   .proto = "rdma",
				   .addr = "192.0.2.1",
				   .nxprts = 1 };
	struct nfs_xprt *xprt = &mount.xprts[0];
	struct host_rpc_queue list[] = {
		{ "192.0.2.1", "tcp", true, 99 },
		{ "192.0.2.2", "rdma", true, 99 },
		{ "192.0.2.1", "rdma", scan->queued >= 0,
		  scan->queued >= 0 ? (uint64_t)scan->queued : 0 },
	};
	struct host_rpc_queues queues = { scan->queued != -2, 3, list };
	const struct silence_sources sources = { &queues, 1000 * (scan->at + 1000) };

	if (scan->queued == -2)
		queues.count = 0;
	strcpy(xprt->proto, "rdma");
	xprt->nvalues = 10;
	xprt->values[XPRT_CONNECTS] = scan->connects;
	xprt->values[XPRT_SENDS] = scan->sent;
	xprt->values[XPRT_RECVS] = scan->received;
	xprt->values[XPRT_BAD_XIDS] = scan->bad;
	silences_begin(&silences);
	CU_ASSERT_EQUAL(silences_see(&silences, &sources, &mount, on_silence, NULL), 0);
	silences_end(&silences);
}

#define SCANS_MAX 7

static void sequences_are_reported_as_expected(void)
{
	static const struct {
		const char *name, *events;
		struct scan scans[SCANS_MAX];
	} rows[] = {
		{ "idle",
		  "-----",
		  { { 0, 1, 10, 10, 0, 0 },
		    { 30, 1, 10, 10, 0, 0 },
		    { 60, 1, 11, 11, 0, 0 },
		    { 90, 1, 11, 11, 0, 0 },
		    { 120, 1, 12, 12, 0, 0 } } },
		{ "busy: something always waits, and replies come",
		  "-----",
		  { { 0, 1, 100, 100, 0, 0 },
		    { 30, 1, 232, 200, 0, 32 },
		    { 60, 1, 332, 300, 0, 32 },
		    { 90, 1, 432, 400, 0, 32 },
		    { 120, 1, 532, 500, 0, 32 } } },
		{ "silent under load, and it comes back",
		  "---S-A-",
		  { { 0, 1, 100, 100, 0, 0 },
		    { 30, 1, 232, 200, 0, 32 },
		    { 60, 1, 332, 300, 0, 32 },
		    { 80, 1, 332, 300, 0, 32 },
		    { 110, 1, 332, 300, 0, 32 },
		    { 140, 1, 332, 332, 0, 0 },
		    { 170, 1, 333, 333, 0, 0 } } },
		{ "one request of an idle mount",
		  "--S-A",
		  { { 0, 1, 10, 10, 0, 0 },
		    { 30, 1, 11, 10, 0, 1 },
		    { 50, 1, 11, 10, 0, 1 },
		    { 80, 1, 11, 10, 0, 1 },
		    { 110, 2, 12, 11, 0, 0 } } },
		{ "a scan too early is none",
		  "--S",
		  { { 0, 1, 10, 10, 0, 0 }, { 30, 1, 11, 10, 0, 1 }, { 50, 1, 11, 10, 0, 1 } } },
		{ "19 s are not enough",
		  "---",
		  { { 0, 1, 10, 10, 0, 0 }, { 30, 1, 11, 10, 0, 1 }, { 49, 1, 11, 10, 0, 1 } } },
		{ "a callback was answered, which is no request",
		  "-----",
		  { { 0, 1, 10, 10, 0, 0 },
		    { 30, 1, 11, 10, 0, 0 },
		    { 60, 1, 11, 10, 0, 0 },
		    { 90, 1, 12, 11, 0, 0 },
		    { 120, 1, 12, 11, 0, 0 } } },
		{ "a reply that nobody waits for",
		  "----",
		  { { 0, 1, 10, 10, 0, 0 },
		    { 30, 1, 11, 10, 1, -2 },
		    { 60, 1, 11, 10, 1, -2 },
		    { 130, 1, 11, 10, 1, -2 } } },
		{ "requests were lost with a connection",
		  "-----",
		  { { 0, 1, 10, 10, 0, 0 },
		    { 30, 2, 25, 15, 0, 0 },
		    { 60, 2, 25, 15, 0, -2 },
		    { 90, 2, 25, 15, 0, -2 },
		    { 190, 2, 25, 15, 0, -2 } } },
		{ "the connection broke, and requests wait",
		  "--S--A",
		  { { 0, 1, 10, 10, 0, 0 },
		    { 30, 1, 12, 10, 0, -1 },
		    { 60, 1, 12, 10, 0, -1 },
		    { 90, 1, 12, 10, 0, -1 },
		    /* A new connection without replies. */
		    { 120, 2, 14, 10, 0, 2 },
		    { 150, 2, 14, 12, 0, 0 } } },
		{ "an old kernel: longer than a lease is renewed",
		  "--- S",
		  { { 0, 1, 10, 10, 0, -2 },
		    { 30, 1, 11, 10, 0, -2 },
		    { 90, 1, 11, 10, 0, -2 },
		    { 0, 0, 0, 0, 0, 0 },
		    { 100, 1, 11, 10, 0, -2 } } },
		{ "mounted anew at the same place",
		  "---",
		  { { 0, 1, 100, 100, 0, 0 }, { 30, 1, 5, 3, 0, 0 }, { 60, 1, 5, 3, 0, 0 } } },
	};
	char all[64];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].name);
		*all = '\0';
		for (j = 0; rows[i].events[j]; j++) {
			*events = '\0';
			if (rows[i].events[j] != ' ')
				see(&rows[i].scans[j]);
			strcat(all, rows[i].events[j] == ' ' ? " " : *events ? events : "-");
		}
		CU_ASSERT_STRING_EQUAL(all, rows[i].events);
		silences_fini(&silences);
	}
}

static void the_next_check_is_in_time(void)
{
	static const struct scan scans[] = { { 0, 1, 10, 10, 0, 0 },
					     { 30, 1, 11, 10, 0, 1 },
					     { 50, 1, 11, 10, 0, 1 } };

	see(&scans[0]);
	CU_ASSERT_EQUAL(silences.again_ms, 0);
	see(&scans[1]);
	CU_ASSERT_EQUAL(silences.again_ms, 1050 * 1000);
	CU_ASSERT_EQUAL(silences_count(&silences), 0);
	see(&scans[2]);
	CU_ASSERT_EQUAL(silences.again_ms, 0);
	CU_ASSERT_EQUAL(silences_count(&silences), 1);
	silences_fini(&silences);
}

static void a_mount_that_is_gone_is_forgotten(void)
{
	static const struct scan scan = { 0, 1, 10, 10, 0, 0 };

	see(&scan);
	CU_ASSERT_EQUAL(silences.count, 1);
	silences_begin(&silences);
	silences_end(&silences);
	CU_ASSERT_EQUAL(silences.count, 0);
	see(&scan);
	CU_ASSERT_EQUAL(silences.count, 1);
	silences_fini(&silences);
}

/* --- kernel counters --------------------------------------------------------------------------- */

#define SWITCH "sys/kernel/sunrpc/xprt-switches/switch-0/"

static void queues_are_read(void)
{
	struct host_rpc_queues queues;
	struct tree tree;

	tree_new(&tree);
	CU_ASSERT_EQUAL(host_rpc_queues(tree.host, &queues), 0);
	CU_ASSERT_FALSE(queues.present);
	tree_write(&tree, SWITCH "xprt_switch_info", "num_xprts=1\n");
	tree_write(&tree, SWITCH "xprt-0-rdma/dstaddr", "192.0.2.1\n");
	tree_write(&tree, SWITCH "xprt-0-rdma/xprt_info",
		   "last_used=4294920332\ncur_cong=512\ncong_win=16384\n"
		   "max_num_slots=128\nmin_num_slots=2\nnum_reqs=2\nbinding_q_len=0\n"
		   "sending_q_len=1\npending_q_len=2\nbacklog_q_len=4\nmain_xprt=1\n");
	tree_write(&tree, SWITCH "xprt-1-tcp-tls/dstaddr", "2001:db8::1\n");
	CU_ASSERT_EQUAL(host_rpc_queues(tree.host, &queues), 0);
	CU_ASSERT(queues.present);
	CU_ASSERT_EQUAL_FATAL(queues.count, 2);
	CU_ASSERT_STRING_EQUAL(queues.list[0].addr, "192.0.2.1");
	CU_ASSERT_STRING_EQUAL(queues.list[0].proto, "rdma");
	CU_ASSERT(queues.list[0].known);
	CU_ASSERT_EQUAL(queues.list[0].waiting, 7);
	CU_ASSERT_STRING_EQUAL(queues.list[1].proto, "tcp");
	CU_ASSERT_FALSE(queues.list[1].known);
	host_rpc_queues_fini(&queues);
	tree_free(&tree);
}

SUITE_MAIN("watch-silent", TEST(sequences_are_reported_as_expected),
	   TEST(the_next_check_is_in_time), TEST(a_mount_that_is_gone_is_forgotten),
	   TEST(queues_are_read))
