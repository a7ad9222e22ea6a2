/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* plugin/report/steps.c: the text of one finding, by its reason. */
#include "plugin/report/internal.h"
#include "tests/unit/suite.h"

static struct report *report_of(const struct finding *finding, unsigned int systems)
{
	struct report *report = report_new("probe");

	report_subject(report, "server", "nas1");
	report_subject(report, "port", "20049");
	report_for(report, systems);
	CU_ASSERT_EQUAL(report_add(report, finding), 0);
	return report;
}

static void texts_contain_the_names_of_the_case(void)
{
	static const struct {
		const char *text;
		bool shell;
		const char *want;
	} rows[] = {
		{ "no names", false, "no names" },
		{ "{server}, port {port}", false, "nas1, port 20049" },
		{ "{name} and {name}", false, "a b and a b" },
		/* of the evidence before the subject */
		{ "{file}", false, "of evidence" },
		{ "ls {name}", true, "ls a\\ b" },
		{ "ls {quote}", true, "ls it\\'s\\;\\ reboot" },
		{ "ls {server}", true, "ls nas1" },
		{ "ls {option}", true, "ls -- -rf" },
		{ "ls :{option}", true, "ls :-rf" },
		{ "{!command}; ls", true, "ls a && ls 'b c'; ls" },
		{ "sh {!name}", true, "sh a b" },
		/* unknown */
		{ "{!unknown}", true, "UNKNOWN" },
		{ "mount {server}:{export}", true, "mount nas1:EXPORT" },
		{ "mount {v6}:/a", true, "mount \\[fe80::1\\]:/a" },
		{ "mount {scoped}:/a", false, "mount [fe80::1%ib0]:/a" },
		{ "ping {v6}", true, "ping fe80::1" },
		{ "{v6}: it", false, "fe80::1: it" },
		{ "the adapter {pci}:{pci}", false, "the adapter 0000:3b:00.0:0000:3b:00.0" },
		{ "{export}", false, "EXPORT" },
		{ "mount {mount_point}", true, "mount MOUNT-POINT" },
		{ "", false, "" },
		{ "open {", false, "open " },
		{ "{}", false, "" },
	};
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_(finding_fini) struct finding f = { 0 };
	char buf[256];
	size_t i;

	finding_init(&f, "probe.connect", FINDING_FAIL, "no");
	finding_text(&f, "name", "a b");
	finding_text(&f, "option", "-rf");
	finding_text(&f, "quote", "it's; reboot");
	finding_text(&f, "v6", "fe80::1");
	finding_text(&f, "scoped", "fe80::1%%ib0");
	finding_text(&f, "pci", "0000:3b:00.0");
	finding_text(&f, "file", "of evidence");
	finding_text(&f, "command", "ls a && ls 'b c'");
	report = report_of(&f, 0);
	report_subject(report, "file", "of the subject");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].text);
		report_expand(report, &f, rows[i].text, rows[i].shell, buf, sizeof(buf));
		CU_ASSERT_STRING_EQUAL(buf, rows[i].want);
	}
}

static void overlong_texts_are_truncated(void)
{
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_(finding_fini) struct finding f = { 0 };
	char buf[8];

	finding_init(&f, "probe.connect", FINDING_FAIL, "no");
	report = report_of(&f, 0);
	report_expand(report, &f, "no name {server}", false, buf, sizeof(buf));
	CU_ASSERT_STRING_EQUAL(buf, "no name");
}

static void a_reason_has_its_own_cause_and_steps(void)
{
	_cleanup_(report_free_p) struct report *report = NULL;
	struct report_step steps[REPORT_STEPS_MAX];
	char cause[MEANING_CAUSE_MAX], remedy[REPORT_REMEDY_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.connect", FINDING_FAIL, "no");
	finding_reason(&f, "refused");
	report = report_of(&f, 0);
	ASSERT_CONTAINS(report_cause(report, &f, cause),
			"nas1 refuses TCP connections to port 20049");
	CU_ASSERT_PTR_NULL(strstr(cause, "RLIMIT_MEMLOCK"));
	ASSERT_MORE_FATAL(report_steps(report, &f, steps), 0);
	CU_ASSERT_STRING_EQUAL(steps[0].command, "cat /proc/fs/nfsd/portlist");
	ASSERT_CONTAINS(report_remedy(report, &f, remedy), ": 'cat /proc/fs/nfsd/portlist'.");
	/* Findings that pass have none. */
	f.status = FINDING_PASS;
	CU_ASSERT_STRING_EQUAL(report_cause(report, &f, cause), "");
	CU_ASSERT_STRING_EQUAL(report_remedy(report, &f, remedy), "");
	CU_ASSERT_EQUAL(report_steps(report, &f, steps), 0);
}

static void steps_match_the_system(void)
{
	static const struct {
		unsigned int systems;
		unsigned int n;
		const char *text, *command; /* of the second */
	} rows[] = {
		{ SYSTEM_DEBIAN, 2, "Install the libraries", "apt-get install ibverbs-providers" },
		{ SYSTEM_UBUNTU, 2, "Install the libraries", "apt-get install ibverbs-providers" },
		{ SYSTEM_RHEL, 2, "Install the libraries", "dnf install libibverbs" },
		{ SYSTEM_SUSE, 2, "Install the libraries", "zypper install libibverbs" },
		{ SYSTEM_ARCH, 2, "Install the libraries", "pacman -S rdma-core" },
		/* unknown: all steps, each with the system that it is for */
		{ 0, 5, "Debian, Ubuntu: ", "apt-get install ibverbs-providers" },
		{ SYSTEM_WICKED | SYSTEM_UFW, 5,
		  "Debian, Ubuntu: ", "apt-get install ibverbs-providers" },
		{ SYSTEM_SUSE | SYSTEM_WICKED, 2, "Install the libraries",
		  "zypper install libibverbs" },
	};
	struct report_step steps[REPORT_STEPS_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	finding_init(&f, "probe.route", FINDING_UNKNOWN, "no");
	finding_reason(&f, "no-provider");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(report_free_p) struct report *report = report_of(&f, rows[i].systems);

		SUITE_ROW("%x", rows[i].systems);
		CU_ASSERT_EQUAL_FATAL(report_steps(report, &f, steps), rows[i].n);
		CU_ASSERT_STRING_EQUAL(steps[0].command, "modprobe ib_uverbs");
		CU_ASSERT_EQUAL(strncmp(steps[1].text, rows[i].text, strlen(rows[i].text)), 0);
		CU_ASSERT_STRING_EQUAL(steps[1].command, rows[i].command);
	}
}

/* Of each kind any word matches, but each kind that a step names must match. */
static void a_system_can_be_of_several_kinds(void)
{
	static const struct {
		unsigned int step, host;
		const char *text; /* NULL: not for this host */
	} rows[] = {
		{ 0, 0, "Look" },
		{ 0, SYSTEM_SUSE, "Look" },
		{ SYSTEM_NETPLAN, SYSTEM_NETPLAN, "Look" },
		{ SYSTEM_NETPLAN, SYSTEM_WICKED, NULL },
		{ SYSTEM_NETPLAN, SYSTEM_UBUNTU, "netplan: Look" },
		{ SYSTEM_NETPLAN | SYSTEM_IFUPDOWN, SYSTEM_DEBIAN | SYSTEM_IFUPDOWN, "Look" },
		{ SYSTEM_DEBIAN | SYSTEM_NETPLAN, SYSTEM_DEBIAN | SYSTEM_NETPLAN, "Look" },
		{ SYSTEM_DEBIAN | SYSTEM_NETPLAN, SYSTEM_UBUNTU | SYSTEM_NETPLAN, NULL },
		{ SYSTEM_DEBIAN | SYSTEM_NETPLAN, SYSTEM_DEBIAN | SYSTEM_IFUPDOWN, NULL },
		{ SYSTEM_DEBIAN | SYSTEM_NETPLAN, SYSTEM_DEBIAN, "netplan: Look" },
		{ SYSTEM_DEBIAN | SYSTEM_NETPLAN, SYSTEM_NETPLAN, "Debian: Look" },
		{ SYSTEM_DEBIAN | SYSTEM_NETPLAN | SYSTEM_NETWORKD, 0,
		  "Debian with netplan, systemd-networkd: Look" },
		/* of the two programs that configure the host's network it is for one */
		{ SYSTEM_NETWORKMANAGER, SYSTEM_NETWORKMANAGER | SYSTEM_IFUPDOWN,
		  "NetworkManager: Look" },
		{ SYSTEM_FIREWALLD, SYSTEM_RHEL | SYSTEM_FIREWALLD, "Look" },
		{ SYSTEM_FIREWALLD, SYSTEM_RHEL | SYSTEM_NFTABLES, NULL },
		{ SYSTEM_NFTABLES | SYSTEM_IPTABLES, SYSTEM_RHEL, "nftables, iptables: Look" },
		{ SYSTEM_UFW, SYSTEM_UFW | SYSTEM_NETPLAN, "Look" },
	};
	char buf[STEP_TEXT_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct step step = { .systems = rows[i].step, .text = "Look" };

		SUITE_ROW("%x on %x", rows[i].step, rows[i].host);
		CU_ASSERT_EQUAL(meaning_step_fits(&step, rows[i].host), !!rows[i].text);
		if (rows[i].text)
			CU_ASSERT_STRING_EQUAL(meaning_step(&step, rows[i].host, buf, sizeof(buf)),
					       rows[i].text);
	}
}

/* A reason without a text is dropped. */
static void an_unknown_reason_is_dropped(void)
{
	_cleanup_(report_free_p) struct report *report = NULL;
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.connect", FINDING_FAIL, "no");
	finding_reason(&f, "because");
	report = report_of(&f, 0);
	CU_ASSERT_STRING_EQUAL(report->findings[0]->reason, "");
}

/* A list of guesses would hide that. */
static void a_finding_without_a_known_reason_is_unexpected(void)
{
	_cleanup_(report_free_p) struct report *report = NULL;
	struct report_step steps[REPORT_STEPS_MAX];
	char cause[MEANING_CAUSE_MAX], remedy[REPORT_REMEDY_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };
	int i;

	finding_init(&f, "probe.connect", FINDING_FAIL, "no");
	report = report_of(&f, 0);
	CU_ASSERT_STRING_EQUAL(report_cause(report, &f, cause),
			       "No known cause fits what was seen.");
	finding_text(&f, "event", "rejected");
	finding_number(&f, "code", 28);
	CU_ASSERT_STRING_EQUAL(report_cause(report, &f, cause),
			       "No known cause fits what was seen (event rejected, code 28).");
	CU_ASSERT_EQUAL_FATAL(report_steps(report, &f, steps), 1);
	CU_ASSERT_STRING_EQUAL(steps[0].command, "nfsrdma explain probe.connect");
	ASSERT_CONTAINS(report_remedy(report, &f, remedy), ": 'nfsrdma explain probe.connect'.");
	for (i = 0; i < 10; i++)
		finding_text(&f, "long", "%0500d", i);
	ASSERT_AT_MOST(strlen(report_cause(report, &f, cause)), MEANING_CAUSE_MAX - 1);
	f.status = FINDING_PASS;
	CU_ASSERT_STRING_EQUAL(report_cause(report, &f, cause), "");
	CU_ASSERT_EQUAL(report_steps(report, &f, steps), 0);
}

/* For logs, which have one finding and no report. */
static void a_single_finding_has_the_steps_of_its_reason(void)
{
	struct report_advice advice;
	char name[REPORT_NAME_MAX];
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.connect", FINDING_FAIL, "no");
	CU_ASSERT_STRING_EQUAL(report_name(&f, name), "probe.connect");
	finding_reason(&f, "not-listening");
	finding_text(&f, "server", "nas1");
	CU_ASSERT_STRING_EQUAL(report_name(&f, name), "probe.connect/not-listening");
	report_advise(&f, &advice);
	ASSERT_STARTS(advice.cause, "nas1 is reached over the fabric");
	ASSERT_CONTAINS(advice.remedy, ": 'cat /proc/fs/nfsd/portlist'.");
	/* For the reader: wrapped, commands on lines of their own. */
	ASSERT_STARTS(advice.lines, "nas1 is reached over the fabric");
	ASSERT_CONTAINS(advice.lines, "\n\n 1. ");
	ASSERT_CONTAINS(advice.lines, ":\n      cat /proc/fs/nfsd/portlist\n");
	f.status = FINDING_PASS;
	report_advise(&f, &advice);
	CU_ASSERT_STRING_EQUAL(advice.cause, "");
	CU_ASSERT_STRING_EQUAL(advice.lines, "");
	CU_ASSERT_STRING_EQUAL(advice.remedy, "");
	finding_init(&f, "no.such", FINDING_FAIL, "no");
	report_advise(&f, &advice);
	CU_ASSERT_STRING_EQUAL(advice.remedy, "");
}

/* As the probe identified it. */
static void steps_for_one_server_say_which(void)
{
	static const struct {
		const char *kind; /* NULL: not checked */
		unsigned int steps;
		const char *text; /* of the first */
		bool is_linux;
	} rows[] = {
		{ "linux", 3, "Find out how many threads", true },
		{ "ganesha", 2, "Read the server's log", false },
		{ "ontap", 1, "On the server, check the listener", false },
		/* any kind */
		{ "unknown", 4, "Linux server: Find out how", false },
		{ "nfsrdma", 4, "Linux server: Find out how", false },
		{ NULL, 4, "Linux server: Find out how", false },
	};
	struct report_step steps[REPORT_STEPS_MAX];
	_cleanup_(finding_fini) struct finding silent = { 0 };
	_cleanup_(finding_fini) struct finding padded = { 0 };
	_cleanup_(finding_fini) struct finding server = { 0 };
	char cause[MEANING_CAUSE_MAX];
	size_t i;

	finding_init(&silent, "probe.null", FINDING_UNKNOWN, "no reply");
	finding_reason(&silent, "silent");
	finding_init(&padded, "probe.read.write-chunk.pad", FINDING_FAIL, "padded");
	finding_reason(&padded, "padded");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(report_free_p) struct report *report = report_of(&silent, SYSTEM_DEBIAN);

		SUITE_ROW("%s", rows[i].kind ? rows[i].kind : "none");
		finding_init(&server, "probe.server", FINDING_PASS, "identified");
		if (rows[i].kind) {
			finding_text(&server, "kind", "%s", rows[i].kind);
			CU_ASSERT_EQUAL(report_add(report, &server), 0);
		}
		CU_ASSERT_EQUAL_FATAL(report_steps(report, &silent, steps), rows[i].steps);
		CU_ASSERT_EQUAL(strncmp(steps[0].text, rows[i].text, strlen(rows[i].text)), 0);
		report_cause(report, &padded, cause);
		CU_ASSERT_EQUAL(strstr(cause, "before 3.18") != NULL, rows[i].is_linux);
	}
}

SUITE_MAIN("steps", TEST(a_single_finding_has_the_steps_of_its_reason),
	   TEST(a_finding_without_a_known_reason_is_unexpected),
	   TEST(texts_contain_the_names_of_the_case), TEST(overlong_texts_are_truncated),
	   TEST(a_reason_has_its_own_cause_and_steps), TEST(steps_match_the_system),
	   TEST(a_system_can_be_of_several_kinds), TEST(steps_for_one_server_say_which),
	   TEST(an_unknown_reason_is_dropped))
