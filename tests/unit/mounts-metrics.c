/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Mounts as metrics, from texts as the kernel prints them. */
#include "plugin/host/internal.h"
#include "plugin/mounts/internal.h"
#include "suite.h"

#define MANY 300

static struct nfs_mounts mounts;
static struct host_system host = { .kernel = { 6, 1, 0 } };
static struct mount_answer answers[4];
static char *text;

/* mountinfo: "/m0", "/m1"... each with its transport. @stats: mountstats. */
static void read_mounts(const char *const *protos, unsigned int count, const char *stats)
{
	char *info = NULL, *copy = strdup(stats);
	size_t len = 0;
	FILE *out = open_memstream(&info, &len);
	unsigned int i;

	for (i = 0; i < count; i++)
		fprintf(out,
			"%u 1 0:%u / /m%u rw - nfs4 nas:/m%u rw,vers=4.2,proto=%s,addr=10.0.0.1\n",
			100 + i, 50 + i, i, i, protos ? protos[i] : "tcp");
	fclose(out);
	CU_ASSERT_EQUAL_FATAL(mountinfo_parse(info, &mounts), 0);
	CU_ASSERT_EQUAL_FATAL(mounts_join(&mounts, copy), 0);
	free(info);
	free(copy);
}

static bool is_second(const void *arg, const struct nfs_mount *mount)
{
	return !strcmp(mount->target, arg);
}

/* @target: only this mount; NULL: all. @asked: by answers. */
static void measure(const char *target, bool asked)
{
	const struct view_sources sources = { .mounts = &mounts, .now = 1000000 };
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	_cleanup_(view_close_p) struct view *view = NULL;
	_cleanup_free_ struct mount_verdict *verdicts = NULL;
	struct mounts_seen seen = { .before = asked ? &mounts : NULL,
				    .answers = asked ? answers : NULL };
	struct mounts_measured what = {
		.seen = &seen, .system = &host, .has = target ? is_second : NULL, .arg = target
	};
	size_t len = 0;
	FILE *out;

	CU_ASSERT_EQUAL_FATAL(view_open(&view, &sources), 0);
	seen.view = view;
	CU_ASSERT_EQUAL_FATAL(mounts_audit(&seen, &verdicts), 0);
	what.verdicts = verdicts;
	mounts_metrics(&what, report);
	free(text);
	out = open_memstream(&text, &len);
	CU_ASSERT_EQUAL(report_print(report, report_format_find("prometheus"), out, NULL), 0);
	fclose(out);
}

static void done(void)
{
	host_nfs_mounts_fini(&mounts);
	host.kernel[0] = 6;
	memset(answers, 0, sizeof(answers));
	free(text);
	text = NULL;
}

/* Whether @metric of mount @target has this value. */
static bool has(const char *metric, const char *target, const char *value)
{
	char start[96], end[96];
	const char *line, *next;

	snprintf(start, sizeof(start), "nfsrdma_mount_%s{", metric);
	snprintf(end, sizeof(end), "mountpoint=\"%s\"", target);
	for (line = text; line; line = next) {
		char one[512];

		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		snprintf(one, sizeof(one), "%.*s", (int)strcspn(line, "\n"), line);
		if (!strncmp(one, start, strlen(start)) && strstr(one, end))
			return !strcmp(strrchr(one, ' ') + 1, value);
	}
	return !value[0];
}

#define ASSERT_HAS(metric, target, value)                                           \
	do {                                                                        \
		SUITE_ROW("%s of %s: not %s, in\n%s", metric, target, value, text); \
		CU_ASSERT(has(metric, target, value));                              \
	} while (0)

#define STATS(n) \
	"device nas:/m" n " mounted on /m" n " with fstype nfs4 statvers=1.1\n\tage: 4711\n"

static void each_counter_is_a_family(void)
{
	static const char *const protos[] = { "rdma" };
	static const struct {
		const char *name, *value;
	} rows[] = {
		{ "rdma", "1" },
		{ "age_seconds", "4711" },
		{ "connections", "1" },
		{ "transport_bind_total", "1" },
		{ "transport_connect_total", "2" },
		{ "transport_connect_time_seconds_total", "3" },
		{ "transport_idle_time_seconds", "4" },
		{ "transport_sends_total", "5" },
		{ "transport_receives_total", "6" },
		{ "transport_bad_transaction_ids_total", "7" },
		{ "transport_active_requests_total", "8" },
		{ "transport_backlog_queue_total", "9" },
		{ "transport_read_chunks_total", "10" },
		{ "transport_write_chunks_total", "11" },
		{ "transport_reply_chunks_total", "12" },
		{ "transport_rdma_request_bytes_total", "13" },
		{ "transport_rdma_reply_bytes_total", "14" },
		{ "transport_pullup_copy_bytes_total", "15" },
		{ "transport_fixup_copy_bytes_total", "16" },
		{ "transport_hardway_register_bytes_total", "17" },
		{ "transport_failed_marshals_total", "18" },
		{ "transport_bad_replies_total", "19" },
		{ "transport_nomsg_calls_total", "20" },
		{ "transport_mrs_recycled_total", "21" },
		{ "transport_mrs_orphaned_total", "22" },
		{ "transport_mrs_allocated_total", "23" },
		{ "transport_local_invalidations_total", "24" },
		{ "transport_empty_sendctx_queue_total", "25" },
		{ "transport_reply_waits_for_send_total", "26" },
		{ "reads_total", "100" },
		{ "short_reads_total", "3" },
		{ "read_received_bytes_total", "422400" },
		{ "read_bytes_total", "409600" },
	};
#define OPERATION(name, operation, value)                                                      \
	"nfsrdma_mount_" name "{command=\"mounts\",export=\"nas:/m0\",mountaddr=\"10.0.0.1\"," \
	"mountpoint=\"/m0\",protocol=\"rdma\",operation=\"" operation "\"} " value "\n"
	static const char *const operations[] = {
		OPERATION("operations_total", "READ", "100"),
		OPERATION("operation_errors_total", "READ", "2"),
		OPERATION("operation_retransmissions_total", "READ", "3"),
		OPERATION("operation_queue_seconds_total", "READ", "1.5"),
		OPERATION("operation_rtt_seconds_total", "READ", "2.5"),
		OPERATION("operation_execution_seconds_total", "READ", "4.25"),
		OPERATION("operations_total", "WRITE", "7"),
		OPERATION("operation_rtt_seconds_total", "WRITE", "0.007"),
	};
	size_t i;

	read_mounts(
		protos, 1,
		STATS("0") "\tevents: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 3 0 0 0 0\n"
			   "\tbytes: 0 0 0 0 409600 0 0 0\n\txprt: rdma 0 1 2 3 4 5 6 7 8 9 10 11 "
			   "12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28\n"
			   "\t READ: 100 103 0 1 422400 1500 2500 4250 2\n"
			   "\t WRITE: 7 7 0 1 4224 0 7 8\n"
			   "\t COMMIT: 0 0 0 0 0 0 0 0 0\n\t GETATTR: 5 5 0 1 x 1 1 1 0\n");
	measure(NULL, false);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		ASSERT_HAS(rows[i].name, "/m0", rows[i].value);
	for (i = 0; i < ARRAY_SIZE(operations); i++)
		ASSERT_CONTAINS(text, operations[i]);
	/* Never called; not a number; of a kernel that does not count errors. */
	ASSERT_LACKS(text, "operation=\"COMMIT\"");
	ASSERT_LACKS(text, "operation=\"GETATTR\"");
	ASSERT_LACKS(text,
		     "operation=\"WRITE\",protocol=\"rdma\"} 0\nnfsrdma_mount_operation_errors");
	ASSERT_CONTAINS(
		text,
		"\nnfsrdma_mount_info{command=\"mounts\",export=\"nas:/m0\",mountaddr=\"10.0.0.1\","
		"mountpoint=\"/m0\",nfs_version=\"4.2\",protocol=\"rdma\",");
	ASSERT_CONTAINS(text, "sends_total{command=\"mounts\",export=\"nas:/m0\",mountaddr="
			      "\"10.0.0.1\",mountpoint=\"/m0\",protocol=\"rdma\"} 5\n");
	done();
}

/* Of several connections: the sum, and the shortest idle time. */
static void connections_are_summed(void)
{
	static const char *const protos[] = { "rdma" };

	read_mounts(protos, 1,
		    STATS("0") "\txprt: rdma 0 0 1 0 9 100 90 0\n\txprt: rdma 0 0 2 0 7 11 10 0\n");
	measure(NULL, false);
	ASSERT_HAS("connections", "/m0", "2");
	ASSERT_HAS("transport_connect_total", "/m0", "3");
	ASSERT_HAS("transport_sends_total", "/m0", "111");
	ASSERT_HAS("transport_idle_time_seconds", "/m0", "7");
	/* An older kernel prints fewer columns. */
	ASSERT_HAS("transport_bad_replies_total", "/m0", "");
	done();
}

/* Jiffies, whose length a kernel does not tell. */
static void connect_time_is_absent_before_linux_5(void)
{
	static const char *const protos[] = { "rdma" };

	read_mounts(protos, 1, STATS("0") "\txprt: rdma 0 0 1 2500 9 100 90 0\n");
	host.kernel[0] = 4;
	measure(NULL, false);
	ASSERT_HAS("transport_connect_total", "/m0", "1");
	ASSERT_HAS("transport_connect_time_seconds_total", "/m0", "");
	done();
}

static void other_transports_have_no_counters_of_rdma(void)
{
	static const char *const protos[] = { "tcp", "rdma", "" };

	read_mounts(protos, 3,
		    STATS("0") "\txprt: tcp 800 1 1 0 2 55 55 0 55 0 2 0 0\n" STATS(
			    "1") "\txprt: tcp 800 1 1 0 2 55 55 0 55 0 2 0 0\n");
	measure(NULL, false);
	ASSERT_HAS("rdma", "/m0", "0");
	ASSERT_HAS("transport_sends_total", "/m0", "");
	/* mountinfo says RDMA, mountstats TCP. */
	ASSERT_HAS("rdma", "/m1", "0");
	ASSERT_HAS("connections", "/m1", "0");
	ASSERT_HAS("transport_sends_total", "/m1", "");
	/* An unknown transport is neither. */
	ASSERT_HAS("rdma", "/m2", "");
	ASSERT_CONTAINS(text, "mountpoint=\"/m2\",nfs_version=\"4.2\",protocol=\"unknown\"");
	ASSERT_CONTAINS(text, "\nnfsrdma_mounts{command=\"mounts\"} 3\n");
	done();
}

/* Numbers that do not fit end a line; the mount keeps its other metrics. */
static void hostile_numbers_are_left_out(void)
{
	static const char *const lines[] = {
		"\txprt: rdma 0 0 1 0 -9 5 5\n",
		"\txprt: rdma 0 0 1 0 99999999999999999999999 5 5\n",
		"\txprt: rdma 0 0 1 0 0x7 5 5\n",
		"\txprt: rdma 0 0 1 0 nan 5 5\n",
	};
	static const char *const protos[] = { "rdma" };
	char stats[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		snprintf(stats, sizeof(stats), "%s%s\t READ: 1 1 0 1 x\n", STATS("0"), lines[i]);
		read_mounts(protos, 1, stats);
		measure(NULL, false);
		ASSERT_HAS("transport_connect_total", "/m0", "1");
		ASSERT_HAS("transport_idle_time_seconds", "/m0", "");
		ASSERT_HAS("transport_sends_total", "/m0", "");
		ASSERT_HAS("reads_total", "/m0", "");
		done();
	}
}

static void answers_are_measured_where_mounts_are_asked(void)
{
	static const char *const protos[] = { "rdma", "rdma", "tcp" };

	read_mounts(protos, 3, "");
	answers[0] = (struct mount_answer){ .state = MOUNT_ANSWERED, .ms = 2.5 };
	answers[1] = (struct mount_answer){ .state = MOUNT_NO_ANSWER };
	answers[2] = (struct mount_answer){ .state = MOUNT_REFUSED };
	measure(NULL, true);
	ASSERT_HAS("answers", "/m0", "1");
	ASSERT_HAS("answer_seconds", "/m0", "0.0025");
	ASSERT_HAS("answers", "/m1", "0");
	ASSERT_HAS("answer_seconds", "/m1", "");
	ASSERT_HAS("answers", "/m2", "");
	measure(NULL, false);
	ASSERT_HAS("answers", "/m0", "");
	done();
}

static void only_wanted_mounts_are_measured(void)
{
	static const char *const protos[] = { "rdma", "rdma" };

	read_mounts(protos, 2, "");
	measure("/m1", false);
	ASSERT_HAS("rdma", "/m0", "");
	ASSERT_HAS("rdma", "/m1", "1");
	ASSERT_CONTAINS(text, "\nnfsrdma_mounts{command=\"mounts\"} 1\n");
	done();
}

/* One that is not over RDMA as requested is among the first, wherever it is mounted. */
static void the_number_of_mounts_is_bounded_and_bad_ones_come_first(void)
{
	read_mounts(NULL, MANY, "");
	/* The port of NFS over RDMA, by the options of mount.nfs. */
	strcpy(mounts.list[MANY - 1].asked, "proto=rdma,port=20049");
	measure(NULL, false);
	ASSERT_CONTAINS(text, "\nnfsrdma_mounts{command=\"mounts\"} 300\n");
	ASSERT_CONTAINS(text, "\nnfsrdma_mounts_omitted{command=\"mounts\"} 50\n");
	ASSERT_HAS("rdma", "/m299", "0");
	ASSERT_HAS("rdma_requested", "/m299", "1");
	ASSERT_HAS("rdma", "/m0", "0");
	ASSERT_HAS("rdma", "/m298", "");
	done();
}

SUITE_MAIN("mounts-metrics", TEST(each_counter_is_a_family), TEST(connections_are_summed),
	   TEST(connect_time_is_absent_before_linux_5),
	   TEST(other_transports_have_no_counters_of_rdma), TEST(hostile_numbers_are_left_out),
	   TEST(answers_are_measured_where_mounts_are_asked), TEST(only_wanted_mounts_are_measured),
	   TEST(the_number_of_mounts_is_bounded_and_bad_ones_come_first))
