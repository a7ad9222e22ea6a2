/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The formats prometheus and openmetrics, and the table of metrics. */
#include <ctype.h>

#include "plugin/report/metrics.h"
#include "suite.h"

static char *render(const struct report *report, const char *format)
{
	const struct report_style style = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find(format), mem, &style), 0);
	fclose(mem);
	return text;
}

static unsigned int count(const char *text, const char *part)
{
	unsigned int n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void add(struct report *report, const char *id, enum finding_status status)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, id, status, "summary");
	finding_number(&finding, "best_ms", 1.5);
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
}

static void a_report_has_its_verdict_and_states(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	_cleanup_free_ char *text = NULL;

	report_times(report, 1700000000, 1500);
	add(report, "probe.null", FINDING_FAIL);
	text = render(report, "prometheus");
	ASSERT_CONTAINS(text, "\nnfsrdma_build_info{command=\"probe\",version=\"");
	ASSERT_CONTAINS(text, "\nnfsrdma_last_run_timestamp_seconds{command=\"probe\"} "
			      "1700000000\n");
	ASSERT_CONTAINS(text, "\nnfsrdma_last_run_duration_seconds{command=\"probe\"} 1.5\n");
	ASSERT_CONTAINS(text, "\nnfsrdma_verdict{command=\"probe\",nfsrdma_verdict=\"fail\"} 1\n");
	ASSERT_CONTAINS(
		text,
		"\nnfsrdma_finding{command=\"probe\",id=\"probe.null\",nfsrdma_finding=\"pass\"} 0\n");
	ASSERT_LACKS(text, "nfsrdma_evidence");
	ASSERT_LACKS(text, "best_ms");
}

static void a_sample_is_not_repeated(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct metric_label a[] = { { "mountpoint", "/a" }, { 0 } },
				  b[] = { { "mountpoint", "/b" }, { 0 } };
	_cleanup_free_ char *text = NULL;

	add(report, "probe.null", FINDING_FAIL);
	add(report, "probe.null", FINDING_PASS);
	report_metric(report, METRIC_XPRT_SENDS, 1, a);
	report_metric(report, METRIC_XPRT_SENDS, 2, b);
	report_metric(report, METRIC_XPRT_SENDS, 3, a);
	report_metric(report, METRIC_XPRT_RECVS, 3, a);
	text = render(report, "prometheus");
	CU_ASSERT_EQUAL(count(text, "\nnfsrdma_finding{"), 5);
	CU_ASSERT_EQUAL(count(text, "_sends_total{"), 2);
	ASSERT_CONTAINS(text, "_sends_total{command=\"mounts\",mountpoint=\"/a\"} 1\n");
	ASSERT_CONTAINS(text, "_receives_total{command=\"mounts\",mountpoint=\"/a\"} 3\n");
}

/* Several findings of one id are distinguished by their labels. */
static void the_object_of_a_finding_is_its_labels(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("watch");
	static const struct {
		const char *pool, *source;
	} rows[] = { { "", "nas:/a" }, { "", "nas:/b" }, { "one", "nas:/a" }, { "two", "nas:/a" } };
	_cleanup_free_ char *text = NULL;
	_cleanup_(finding_fini) struct finding finding = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].pool);
		finding_init(&finding, "pool.transport", FINDING_FAIL, "lost");
		finding_text(&finding, "source", "%s", rows[i].source);
		if (*rows[i].pool)
			finding_text(&finding, "pool", "%s", rows[i].pool);
		CU_ASSERT_EQUAL_FATAL(report_add(report, &finding), 0);
	}
	text = render(report, "openmetrics");
	CU_ASSERT_EQUAL(count(text, "nfsrdma_finding{"), 3 * 5);
	CU_ASSERT_EQUAL(count(text, "pool=\"two\",nfsrdma_finding=\"fail\"} 1"), 1);
	CU_ASSERT_EQUAL(count(text, "nas:/"), 0);
}

/* Files of several probes in one directory have no sample in common. */
static void probes_of_two_servers_have_no_common_sample(void)
{
	static const char *const servers[] = { "nas1", "nas2" };
	_cleanup_free_ char *text[2] = { NULL, NULL };
	_cleanup_(report_free_p) struct report *report = NULL;
	char *line, *rest;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(servers); i++) {
		report_free(report);
		report = report_new("probe");
		report_subject(report, "server", servers[i]);
		report_subject(report, "export", "/export");
		add(report, "probe.null", FINDING_PASS);
		text[i] = render(report, "prometheus");
	}
	ASSERT_CONTAINS(text[0], "{command=\"probe\",server=\"nas1\",export=\"nas1:/"
				 "export\",nfsrdma_verdict=\"pass\"} 1\n");
	for (line = strtok_r(text[0], "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		SUITE_ROW("%s", line);
		if (*line != '#')
			CU_ASSERT_EQUAL(count(text[1], line), 0);
	}
	free(text[1]);
	text[1] = NULL;
}

static void each_format_has_its_own_names_of_counters(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	_cleanup_free_ char *classic = NULL, *open = NULL;

	report_metric(report, METRIC_XPRT_CONNECT_TIME, 7, NULL);
	classic = render(report, "prometheus");
	open = render(report, "openmetrics");
	ASSERT_CONTAINS(
		classic,
		"\n# TYPE nfsrdma_mount_transport_connect_time_seconds_total counter\n"
		"nfsrdma_mount_transport_connect_time_seconds_total{command=\"mounts\"} 7\n");
	ASSERT_LACKS(classic, "# UNIT");
	ASSERT_LACKS(classic, "# EOF");
	ASSERT_CONTAINS(
		open, "\n# TYPE nfsrdma_mount_transport_connect_time_seconds counter\n"
		      "# UNIT nfsrdma_mount_transport_connect_time_seconds seconds\n"
		      "nfsrdma_mount_transport_connect_time_seconds_total{command=\"mounts\"} 7\n");
	CU_ASSERT_STRING_EQUAL(open + strlen(open) - 6, "# EOF\n");
	/* A family without samples is left out. */
	ASSERT_LACKS(classic, "nfsrdma_watch_up");
}

static void hostile_labels_stay_in_their_quotes(void)
{
	static const struct {
		const char *value, *label;
	} rows[] = {
		{ "/a\"} 1\nnfsrdma_mount_rdma{x=\"", "/a\\\"} 1\xef\xbf\xbdnfsrdma" },
		{ "\\", "=\"\\\\\"}" },
		{ "/\xff/\x1b[31m", "/\xef\xbf\xbd/\xef\xbf\xbd[31m\"}" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(report_free_p) struct report *report = report_new("mounts");
		const struct metric_label labels[] = { { "mountpoint", rows[i].value }, { 0 } };
		_cleanup_free_ char *text = NULL;

		SUITE_ROW("%zu: %s", i, rows[i].value);
		report_metric(report, METRIC_MOUNT_RDMA, 0, labels);
		text = render(report, "prometheus");
		ASSERT_CONTAINS(text, rows[i].label);
		CU_ASSERT_EQUAL(count(text, "\nnfsrdma_mount_rdma{"), 1);
	}
}

static void values_are_exact_as_far_as_a_double_is(void)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0, " 0\n" },
		{ 9007199254740991.0, " 9007199254740991\n" },
		{ 135119397156505.0, " 135119397156505\n" },
		{ 0.0025, " 0.0025\n" },
		{ 18446744073709551615.0, " 1.84467440737096e+19\n" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(report_free_p) struct report *report = report_new("mounts");
		_cleanup_free_ char *text = NULL;

		SUITE_ROW("%zu: %s", i, rows[i].text);
		report_metric(report, METRIC_XPRT_REPLY_BYTES, rows[i].value, NULL);
		text = render(report, "prometheus");
		ASSERT_CONTAINS(strstr(text, "rdma_reply_bytes_total{"), rows[i].text);
	}
}

static void a_measurement_is_a_metric_in_base_units(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("bench");
	_cleanup_free_ char *before = NULL, *after = NULL;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	add(report, "probe.null", FINDING_PASS);
	before = render(report, "prometheus");
	ASSERT_LACKS(before, "nfsrdma_bench_");
	ASSERT_CONTAINS(before, "\nnfsrdma_probe_null_call_seconds{command=\"bench\"} 0.0015\n");
	finding_init(&finding, "bench.read.1m-8", FINDING_PASS, "fast");
	finding_number(&finding, "mb_per_s_median", 2500);
	finding_number(&finding, "tcp_per_s_median", 4000);
	finding_number(&finding, "tcp_us_p99", 800);
	finding_number(&finding, "ratio_to_tcp", 2.5);
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	after = render(report, "prometheus");
	ASSERT_CONTAINS(
		after,
		"\nnfsrdma_bench_throughput_bytes_per_second{command=\"bench\",case=\"read-1m-8\",protocol=\"rdma\"} 2500000000\n");
	ASSERT_CONTAINS(
		after,
		"\nnfsrdma_bench_operations_per_second{command=\"bench\",case=\"read-1m-8\",protocol=\"tcp\"} 4000\n");
	ASSERT_CONTAINS(
		after,
		"\nnfsrdma_bench_latency_seconds{command=\"bench\",case=\"read-1m-8\",protocol=\"tcp\",quantile=\"0.99\"} 0.0008\n");
	ASSERT_CONTAINS(after,
			"\nnfsrdma_bench_ratio_to_tcp{command=\"bench\",case=\"read-1m-8\"} 2.5\n");
}

static void the_number_of_samples_is_bounded(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	struct metric_label labels[] = { { "mountpoint", NULL }, { 0 } };
	_cleanup_free_ char *text = NULL;
	char value[16];
	unsigned int i;

	/* Of two metrics, since each sample is compared with those of its own. */
	for (i = 0; i < METRICS_MAX + 10; i++) {
		snprintf(value, sizeof(value), "%u", i);
		labels[0].value = value;
		report_metric(report, (enum metric)(METRIC_XPRT_BIND + i % 16), i, labels);
	}
	text = render(report, "prometheus");
	CU_ASSERT_EQUAL(count(text, "mountpoint="), METRICS_MAX);
}

static bool ends_with(const char *text, size_t len, const char *end)
{
	return len >= strlen(end) && !strncmp(text + len - strlen(end), end, strlen(end));
}

/* Prometheus' naming practice, which promtool checks in part. */
static void the_table_follows_the_naming_practice(void)
{
	unsigned int i, j;

	for (i = 0; i < METRIC_COUNT; i++) {
		const struct metric_family *family = &metric_families[i];
		size_t len = strlen(family->name), help = strlen(family->help);
		bool total = ends_with(family->name, len, "_total");

		SUITE_ROW("%u: %s", i, family->name);
		ASSERT_STARTS(family->name, "nfsrdma_");
		CU_ASSERT_EQUAL(strspn(family->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), len);
		CU_ASSERT_EQUAL(total, family->type == METRIC_COUNTER);
		len -= total ? strlen("_total") : 0;
		CU_ASSERT_EQUAL(ends_with(family->name, len, "_seconds") ||
					ends_with(family->name, len, "_bytes"),
				family->unit != NULL);
		if (family->unit)
			CU_ASSERT(ends_with(family->name, len, family->unit));
		CU_ASSERT_FATAL(help > 0);
		CU_ASSERT(!islower((unsigned char)family->help[0]) ||
			  !strncmp(family->help, "rpcbind", 7));
		CU_ASSERT(family->help[help - 1] != '.');
		CU_ASSERT_EQUAL(strcspn(family->help, "\"\\\n"), help);
		for (j = 0; j < i; j++)
			CU_ASSERT(strcmp(metric_families[j].name, family->name) != 0);
	}
}

SUITE_MAIN("metrics", TEST(a_report_has_its_verdict_and_states), TEST(a_sample_is_not_repeated),
	   TEST(the_object_of_a_finding_is_its_labels),
	   TEST(probes_of_two_servers_have_no_common_sample),
	   TEST(each_format_has_its_own_names_of_counters),
	   TEST(hostile_labels_stay_in_their_quotes), TEST(values_are_exact_as_far_as_a_double_is),
	   TEST(a_measurement_is_a_metric_in_base_units), TEST(the_number_of_samples_is_bounded),
	   TEST(the_table_follows_the_naming_practice))
