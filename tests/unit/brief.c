/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The text report without --verbose, and its first sentence: the answer, causes before their
 * consequences, each step once, and one line for each group where all is well. */
#include "plugin/report/internal.h"
#include "tests/unit/suite.h"

static char *render(const struct report *report, const struct report_style *style)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);

	CU_ASSERT_EQUAL(report_print(report, report_format_find("text"), mem, style), 0);
	fclose(mem);
	return text;
}

static char *brief(const struct report *report)
{
	const struct report_style style = { .width = 80 };

	return render(report, &style);
}

/* @target: NULL: no target. */
static void add(struct report *report, const char *id, enum finding_status status,
		const char *reason, const char *target, const char *summary)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, id, status, "%s", summary);
	finding_reason(&f, reason);
	if (target)
		finding_text(&f, "target", "%s", target);
	CU_ASSERT_EQUAL_FATAL(report_add(report, &f), 0);
}

static struct report *report_of(const char *command, const char *server)
{
	struct report *report = report_new(command);

	if (server)
		report_subject(report, "server", server);
	return report;
}

static void the_first_sentence_states_what_the_findings_prove(void)
{
	static const struct {
		const char *command, *server, *id, *reason;
		enum finding_status status;
		const char *id2, *reason2;
		enum finding_status status2;
		const char *want;
	} rows[] = {
		{ "check", "nas1", "fabric.listener", "", FINDING_PASS, NULL, NULL, 0,
		  "This host can use NFS over RDMA with nas1; data was not tested." },
		{ "check", "nas1", "fabric.listener", "port-2050", FINDING_WARN, NULL, NULL, 0,
		  "This host can use NFS over RDMA with nas1; data was not tested. It may fail after a restart, a change or an update: seen." },
		{ "check", "nas1", "fabric.listener", "refused", FINDING_FAIL, NULL, NULL, 0,
		  "This host cannot use NFS over RDMA with nas1: seen." },
		{ "check", "nas1", "fabric.listener", "silent", FINDING_UNKNOWN, NULL, NULL, 0,
		  "Not known whether this host can use NFS over RDMA with nas1: seen; more." },
		{ "check", "nas1", "fabric.port", "", FINDING_PASS, NULL, NULL, 0,
		  "Not known whether this host can use NFS over RDMA with nas1." },
		/* The server answers, and this host cannot mount. */
		{ "check", "nas1", "fabric.listener", "", FINDING_PASS, "client.helper",
		  "not-installed", FINDING_FAIL,
		  "This host cannot use NFS over RDMA with nas1: seen." },
		{ "check", "nas1", "fabric.listener", "silent", FINDING_UNKNOWN, "mount.transport",
		  "pool", FINDING_FAIL,
		  "RDMA is requested, but NFS with nas1 does not use it: seen." },
		{ "probe", "nas1", "probe.connect", "silent", FINDING_UNKNOWN, NULL, NULL, 0,
		  "Not known whether this host can use NFS over RDMA with nas1: seen; more." },
		{ "probe", "nas1", "probe.null", "", FINDING_PASS, "probe.read.write-chunk", "",
		  FINDING_PASS, "NFS over RDMA with nas1 works, and the data is correct." },
		{ "probe", "nas1", "probe.null", "", FINDING_PASS, "probe.read.inline",
		  "wrong-data", FINDING_FAIL, "NFS over RDMA with nas1 returns wrong data: seen." },
		{ "probe", "nas1", "probe.read.write-chunk", "", FINDING_PASS,
		  "probe.read.write-chunk.pad", "padded", FINDING_FAIL,
		  "NFS over RDMA with nas1 works, and the data is correct. It violates the protocol, but not for Linux clients: seen." },
		{ "probe", "nas1", "probe.null", "", FINDING_PASS, "probe.read.over-tcp", "nfs",
		  FINDING_WARN, "NFS over RDMA with nas1 returns wrong data: seen." },
		{ "probe", "nas1", "probe.null", "", FINDING_PASS, "probe.connection", "closed",
		  FINDING_FAIL, "NFS over RDMA with nas1 hangs: seen." },
		{ "probe", "nas1", "probe.null", "", FINDING_PASS, "probe.reply.error", "at-times",
		  FINDING_WARN, "NFS over RDMA with nas1 fails with errors: seen." },
		{ "probe", "nas1", "probe.null", "", FINDING_PASS, "bug.linux3-write", "four-marks",
		  FINDING_WARN, "NFS over RDMA with nas1 can crash the server: seen." },
		/* Kerberos is decisive, and unknown. */
		{ "check", "nas1", "fabric.listener", "", FINDING_PASS, "fabric.krb5", "silent",
		  FINDING_UNKNOWN, "nas1 answers NFS over RDMA, but not all is known: seen." },
		{ "probe", "nas1", "probe.null", "", FINDING_PASS, "probe.read.inline", "",
		  FINDING_PASS, "This host can use NFS over RDMA with nas1; data was not tested." },
		{ "probe", "localhost", "kernel.mount", "", FINDING_PASS, "kernel.read",
		  "wrong-data", FINDING_FAIL,
		  "NFS over RDMA by this host's kernel returns wrong data: seen." },
		{ "check", NULL, "fabric.port", "", FINDING_PASS, NULL, NULL, 0,
		  "No problem found on this host." },
		{ "check", NULL, "fabric.mtu", "small", FINDING_WARN, NULL, NULL, 0,
		  "NFS over RDMA may be slow: seen." },
		{ "check", NULL, "fabric.port", "no-ports", FINDING_UNKNOWN, NULL, NULL, 0,
		  "Not known whether this host can use NFS over RDMA: seen; more." },
		{ "check", NULL, "fabric.port", "down", FINDING_FAIL, NULL, NULL, 0,
		  "This host cannot use NFS over RDMA: seen." },
		{ "check", NULL, "fabric.port", "", FINDING_PASS, "server.listener", "not-open",
		  FINDING_FAIL, "Clients cannot use NFS over RDMA with this host: seen." },
		{ "check", NULL, "server.module", "", FINDING_PASS, NULL, NULL, 0,
		  "No problem found on this NFS server." },
		{ "check", NULL, "mount.transport", "pool", FINDING_FAIL, NULL, NULL, 0,
		  "RDMA is requested, but NFS does not use it: seen." },
		{ "mounts", NULL, "mount.transport", "", FINDING_PASS, NULL, NULL, 0,
		  "Each NFS mount has the transport that is requested for it." },
		{ "bench", "nas1", "bench.null", "", FINDING_PASS, NULL, NULL, 0,
		  "NULL: seen; more." },
		{ "pool", "nas1", "pool.options", "", FINDING_PASS, NULL, NULL, 0, "" },
	};
	char buf[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(report_free_p) struct report *report = report_of(rows[i].command,
									   rows[i].server);

		SUITE_ROW("%zu: %s", i, rows[i].want);
		add(report, rows[i].id, rows[i].status, rows[i].reason, NULL, "seen; more");
		/* The verdict can be good only with it. */
		if (rows[i].status == FINDING_UNKNOWN)
			add(report, "client.module", FINDING_PASS, "", NULL, "seen");
		if (rows[i].id2)
			add(report, rows[i].id2, rows[i].status2, rows[i].reason2, NULL, "seen");
		CU_ASSERT_STRING_EQUAL(report_answer(report, buf, sizeof(buf)), rows[i].want);
	}
}

/* All of them, one after the other. */
static void expect_order(const char *text, const char *const *words)
{
	for (; *words; words++) {
		SUITE_ROW("%s in %s", *words, text);
		text = strstr(text, *words);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		text += strlen(*words);
	}
}

static void consequences_are_one_line_below_their_cause(void)
{
	static const char *const order[] = {
		" [probe.connect/refused]\n        refused\n",
		"        nas1 refuses TCP connections to port PORT: ",
		"\n     1. On the server, check",
		"          cat /proc/fs/nfsd/portlist\n     2. ",
		"\nVerdict: FAIL  2 failed, 2 skipped",
		NULL,
	};
	_cleanup_(report_free_p) struct report *report = report_of("probe", "nas1");
	_cleanup_free_ char *text = NULL;
	_cleanup_(finding_fini) struct finding skip = { 0 };

	add(report, "probe.null", FINDING_FAIL, "", NULL, "no answer");
	add(report, "probe.connect", FINDING_FAIL, "refused", NULL, "refused");
	finding_init(&skip, "probe.credits", FINDING_SKIP, "skipped");
	finding_text(&skip, "because", "probe.connect");
	CU_ASSERT_EQUAL(report_add(report, &skip), 0);
	CU_ASSERT_EQUAL(report_add(report, &skip), 0);
	text = brief(report);
	expect_order(text, order);
	ASSERT_LACKS(text, "no answer");
}

/* One line at any width. */
static void more_consequences_are_counted(void)
{
	_cleanup_(report_free_p) struct report *report = report_of("probe", "nas1");
	const char *title = meaning_find("probe.connect")->title;
	struct report_style style = { .width = 34 + (unsigned int)strlen(title) };
	_cleanup_free_ char *text = NULL, *narrow = NULL;
	char want[128];

	add(report, "probe.route", FINDING_FAIL, "no-device", NULL, "no device");
	add(report, "probe.connect", FINDING_FAIL, "", NULL, "not tried");
	add(report, "probe.null", FINDING_FAIL, "", NULL, "not tried");
	text = render(report, &style);
	snprintf(want, sizeof(want), "\n        Consequences: %s and 1 more\n", title);
	ASSERT_CONTAINS(text, want);
	style.width = 40;
	narrow = render(report, &style);
	ASSERT_CONTAINS(narrow, "\n        Consequences: 2 more\n");
}

static void a_milder_cause_is_listed_below_the_failure(void)
{
	static const char *const order[] = {
		": no answer [probe.null]\n        This follows from:\n",
		" [probe.connect/silent]\n        slow\n",
		NULL,
	};
	_cleanup_(report_free_p) struct report *report = report_of("probe", "nas1");
	_cleanup_free_ char *text = NULL;

	add(report, "probe.connect", FINDING_UNKNOWN, "silent", NULL, "slow");
	add(report, "probe.null", FINDING_FAIL, "", NULL, "no answer");
	text = brief(report);
	expect_order(text, order);
	ASSERT_LACKS(text, "Consequences");
}

/* Being decisive does not rank a finding above its cause. */
static void an_equal_cause_is_listed_alone(void)
{
	_cleanup_(report_free_p) struct report *report = report_of("probe", "nas1");
	_cleanup_free_ char *text = NULL;

	add(report, "fabric.cable", FINDING_UNKNOWN, "no-ports", NULL, "no ports");
	add(report, "fabric.port", FINDING_UNKNOWN, "no-ports", NULL, "no ports");
	text = brief(report);
	ASSERT_CONTAINS(text, "\n\n  UNKNOWN  Physical link [fabric.cable/no-ports]\n");
	ASSERT_CONTAINS(text, "\n        Consequences: Port\n");
	ASSERT_LACKS(text, "This follows from");
}

/* The causes of the verdict with their steps; the rest in one line each. */
static void the_worst_comes_first(void)
{
	static const char *const order[] = {
		" [bug.read-812]\n        cannot read\n",
		" [probe.fsinfo]\n        refused\n",
		"\n\n  WARN  ",
		": few [probe.credits]\n  UNKNOWN  ",
		": who? [probe.identity]\n",
		NULL,
	};
	_cleanup_(report_free_p) struct report *report = report_of("probe", "nas1");
	_cleanup_free_ char *text = NULL;

	add(report, "probe.identity", FINDING_UNKNOWN, "", NULL, "who?");
	add(report, "probe.credits", FINDING_WARN, "", NULL, "few");
	add(report, "probe.fsinfo", FINDING_FAIL, "", NULL, "refused");
	add(report, "bug.read-812", FINDING_FAIL, "", NULL, "cannot read");
	text = brief(report);
	expect_order(text, order);
	ASSERT_LACKS(text, meaning_find("probe.credits")->cause);
	ASSERT_CONTAINS(text, "\nMore: -v shows all findings; "
			      "nfsrdma explain ID explains one.\n");
}

static void a_step_shared_by_findings_is_printed_once(void)
{
	_cleanup_(report_free_p) struct report *report = report_of("probe", "nas1");
	_cleanup_free_ char *text = NULL;

	add(report, "probe.connect", FINDING_FAIL, "refused", NULL, "a");
	add(report, "probe.connect", FINDING_FAIL, "not-listening", NULL, "b");
	text = brief(report);
	/* Both have these two and no others. */
	ASSERT_CONTAINS(text, "\n     1. On the server, check");
	ASSERT_CONTAINS(text, "\n     2. If not, find out why");
	ASSERT_LACKS(text, "     3. ");
	ASSERT_CONTAINS(text, "\n        Steps 1, 2 apply here, too.\n");
}

static void subjects_with_the_same_cause_are_grouped(void)
{
	_cleanup_(report_free_p) struct report *report = report_of("mounts", NULL);
	_cleanup_free_ char *text = NULL;
	char target[8];
	int i;

	for (i = 0; i < 10; i++) {
		snprintf(target, sizeof(target), "/m%d", i);
		add(report, "probe.connect", FINDING_FAIL, "refused", target, target);
	}
	text = brief(report);
	ASSERT_CONTAINS(text, "[probe.connect/refused]\n        /m0\n        /m1\n"
			      "        /m2\n        /m3\n        and 6 more\n");
}

static struct report *good_report(void)
{
	static const char *const ids[] = { "client.module", "client.helper", "client.sysctl",
					   "fabric.port", "fabric.mtu" };
	struct report *report = report_of("check", NULL);
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		finding_init(&f, ids[i], i == 2 ? FINDING_SKIP : FINDING_PASS, "it is %zu", i);
		if (i == 0)
			finding_text(&f, "note", "yes");
		CU_ASSERT_EQUAL(report_add(report, &f), 0);
	}
	finding_init(&f, "platform.vdsm", FINDING_SKIP, "no VDSM");
	CU_ASSERT_EQUAL(report_add(report, &f), 0);
	finding_init(&f, "firewall.rdma", FINDING_PASS, "open");
	CU_ASSERT_EQUAL(report_add(report, &f), 0);
	return report;
}

static void a_good_report_has_a_line_for_each_group(void)
{
	_cleanup_(report_free_p) struct report *report = good_report();
	const struct report_style quiet = { .width = 80, .quiet = true };
	_cleanup_free_ char *text = brief(report), *less = render(report, &quiet);

	CU_ASSERT_STRING_EQUAL(text, "nfsrdma check: this host\n"
				     "pass  No problem found on this host.\n\n"
				     "  pass  This host              2 passed: it is 0\n"
				     "  pass  Fabric                 2 passed\n"
				     "  pass  Firewall of this host  1 passed: open\n\n"
				     "Verdict: pass  5 passed, 2 skipped; 0.0 s\n");
	CU_ASSERT_STRING_EQUAL(less, "nfsrdma check: this host\n"
				     "pass  No problem found on this host.\n\n"
				     "Verdict: pass  5 passed, 2 skipped; 0.0 s\n");
}

/* Findings that do not decide the verdict are still listed. */
static void a_good_verdict_lists_unknown_checks_in_one_line(void)
{
	_cleanup_(report_free_p) struct report *report = good_report();
	_cleanup_free_ char *text = NULL;

	add(report, "fabric.pkey", FINDING_UNKNOWN, "", NULL, "cannot be read");
	text = brief(report);
	ASSERT_CONTAINS(text, "\n  pass  Fabric                 2 passed\n");
	ASSERT_CONTAINS(text, "\n\n  UNKNOWN  Partition: cannot be read [fabric.pkey]\n");
}

/* So does a report whose verdict no finding explains. */
static void a_short_report_has_every_finding(void)
{
	_cleanup_(report_free_p) struct report *few = report_of("mounts", NULL);
	_cleanup_(report_free_p) struct report *cut = good_report();
	_cleanup_free_ char *text = NULL, *all = NULL;

	add(few, "mount.list", FINDING_PASS, "", NULL, "no NFS mounts");
	text = brief(few);
	ASSERT_CONTAINS(text, "\n  pass  NFS mounts: no NFS mounts\n");
	report_cut(cut);
	all = brief(cut);
	ASSERT_CONTAINS(all, "\n  skip  VDSM (oVirt): no VDSM\n");
	ASSERT_CONTAINS(all, "\nVerdict: UNKNOWN  5 passed");
}

SUITE_MAIN("brief", TEST(the_first_sentence_states_what_the_findings_prove),
	   TEST(consequences_are_one_line_below_their_cause), TEST(more_consequences_are_counted),
	   TEST(a_milder_cause_is_listed_below_the_failure), TEST(an_equal_cause_is_listed_alone),
	   TEST(the_worst_comes_first), TEST(a_step_shared_by_findings_is_printed_once),
	   TEST(subjects_with_the_same_cause_are_grouped),
	   TEST(a_good_report_has_a_line_for_each_group),
	   TEST(a_good_verdict_lists_unknown_checks_in_one_line),
	   TEST(a_short_report_has_every_finding))
