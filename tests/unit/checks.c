/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Running checks: order, skips, roles and the deadline; and the check table and the table of
 * meanings refer to each other. */
#include <arpa/inet.h>

#include "plugin/checks/internal.h"
#include "plugin/report/report.h"
#include "suite.h"

#define FINDINGS_MAX 8

struct collected {
	unsigned int count;
	struct finding list[FINDINGS_MAX];
};

static void collect(void *arg, const struct finding *finding)
{
	struct collected *c = arg;

	ASSERT_LESS_FATAL(c->count, FINDINGS_MAX);
	finding_copy(&c->list[c->count++], finding);
}

static void collected_fini(struct collected *c)
{
	unsigned int i;

	for (i = 0; i < FINDINGS_MAX; i++)
		finding_fini(&c->list[i]);
}

static unsigned int runs; /* of any check below */

static int good(struct check_run *run)
{
	runs++;
	return check_say(run, FINDING_PASS, "good");
}

static int bad(struct check_run *run)
{
	runs++;
	return check_say(run, FINDING_FAIL, "bad");
}

static int absent(struct check_run *run)
{
	return check_say(run, FINDING_SKIP, "not here");
}

static int broken(struct check_run *run)
{
	(void)run;
	return err_set(EACCES, "the file is for root");
}

static int wordless(struct check_run *run)
{
	(void)run;
	return -EIO;
}

static int silent(struct check_run *run)
{
	(void)run;
	return 0;
}

static int told_elsewhere(struct check_run *run)
{
	CU_ASSERT(check_failed(run, "a.bad"));
	CU_ASSERT_FALSE(check_failed(run, "a.good"));
	CU_ASSERT_FALSE(check_failed(run, "a.nobody"));
	return check_skip(run, "a.bad");
}

static const struct check check_good = { .id = "a.good", .roles = CHECK_BOTH, .run = good };
static const struct check check_bad = { .id = "a.bad", .roles = CHECK_BOTH, .run = bad };
static const struct check check_absent = { .id = "a.absent", .roles = CHECK_BOTH, .run = absent };
static const struct check check_broken = { .id = "a.broken", .roles = CHECK_BOTH, .run = broken };
static const struct check check_after_bad = {
	.id = "b.bad", .roles = CHECK_BOTH, .needs = { "a.good", "a.bad" }, .run = good
};
static const struct check check_after_after = {
	.id = "c.bad", .roles = CHECK_BOTH, .needs = { "b.bad" }, .run = good
};
static const struct check check_after_absent = {
	.id = "b.absent", .roles = CHECK_BOTH, .needs = { "a.absent", "a.broken" }, .run = good
};
static const struct check check_told = { .id = "b.told",
					 .roles = CHECK_BOTH,
					 .run = told_elsewhere };
static const struct check check_after_told = {
	.id = "c.told", .roles = CHECK_BOTH, .needs = { "b.told" }, .run = good
};
static const struct check check_of_server = { .id = "d.server",
					      .roles = CHECK_SERVER,
					      .run = good };
static const struct check check_of_remote = {
	.id = "d.remote", .roles = CHECK_BOTH, .remote = true, .run = good
};

/* The root directory; NULL: the running system. */
static const char *run_root = "/";

static void run_for(const struct check *const *table, const struct check_target *target,
		    uint64_t deadline, struct collected *out)
{
	_cleanup_(host_close_p) struct host *host = NULL;

	runs = 0;
	out->count = 0;
	CU_ASSERT_EQUAL_FATAL(host_open(&host, run_root), 0);
	CU_ASSERT_EQUAL(checks_run(table, host, &live_replay, target, deadline, collect, out), 0);
}

static void run_table(const struct check *const *table, struct collected *out)
{
	const struct check_target target = { .roles = CHECK_CLIENT };

	run_for(table, &target, deadline_in(PATIENCE_MS), out);
}

static bool is(const struct finding *finding, const char *id, enum finding_status status,
	       const char *words)
{
	suite_saw("%s is %s: %s", finding->id, finding_status_name(finding->status),
		  finding->summary);
	return !strcmp(finding->id, id) && finding->status == status &&
	       strstr(finding->summary, words);
}

static void checks_after_a_failure_are_skipped_for_the_first_cause(void)
{
	static const struct check *const table[] = { &check_good, &check_bad, &check_after_bad,
						     &check_after_after, NULL };
	_cleanup_(collected_fini) struct collected got = { 0 };

	run_table(table, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 4);
	CU_ASSERT(is(&got.list[0], "a.good", FINDING_PASS, "good"));
	CU_ASSERT(is(&got.list[1], "a.bad", FINDING_FAIL, "bad"));
	CU_ASSERT(is(&got.list[2], "b.bad", FINDING_SKIP, "because of a.bad"));
	CU_ASSERT(is(&got.list[3], "c.bad", FINDING_SKIP, "because of a.bad"));
	CU_ASSERT_EQUAL(runs, 2);
	CU_ASSERT_STRING_EQUAL(got.list[3].evidence[0].key, "because");
	CU_ASSERT_STRING_EQUAL(got.list[3].evidence[0].value, "a.bad");
}

static void absent_or_unknown_results_stop_no_other_check(void)
{
	static const struct check *const table[] = { &check_absent, &check_broken,
						     &check_after_absent, NULL };
	_cleanup_(collected_fini) struct collected got = { 0 };

	run_table(table, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	CU_ASSERT(is(&got.list[0], "a.absent", FINDING_SKIP, "not here"));
	CU_ASSERT(is(&got.list[1], "a.broken", FINDING_UNKNOWN, "the file is for root"));
	CU_ASSERT_STRING_EQUAL(got.list[1].reason, "permission");
	CU_ASSERT(is(&got.list[2], "b.absent", FINDING_PASS, "good"));
}

static void a_check_may_defer_to_another_finding(void)
{
	static const struct check *const table[] = { &check_good, &check_bad, &check_told,
						     &check_after_told, NULL };
	_cleanup_(collected_fini) struct collected got = { 0 };

	run_table(table, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 4);
	CU_ASSERT(is(&got.list[2], "b.told", FINDING_SKIP, "because of a.bad"));
	CU_ASSERT(is(&got.list[3], "c.told", FINDING_SKIP, "because of a.bad"));
}

/* A failing check's own text takes precedence over the error's. The table has both. */
static int reasoned(struct check_run *run)
{
	(void)run;
	return err_because(err_set(EACCES, "the container has none"), "container");
}

static int nothing_recorded(struct check_run *run)
{
	(void)run;
	return err_set(ENODATA, "not in the record");
}

static int out_of_memory(struct check_run *run)
{
	(void)run;
	return err_set(ENOMEM, "no memory");
}

static void unknown_has_a_reason(void)
{
	static const char *const common[] = { "permission", "unreadable", "not-recorded",
					      "out-of-time", "no-memory" };
	static const struct check one = { .id = "a.reasoned",
					  .roles = CHECK_BOTH,
					  .run = reasoned };
	static const struct check two = { .id = "a.unrecorded",
					  .roles = CHECK_BOTH,
					  .run = nothing_recorded };
	static const struct check three = { .id = "a.memory",
					    .roles = CHECK_BOTH,
					    .run = out_of_memory };
	static const struct check *const table[] = { &one, &two, &three, NULL };
	const struct meaning *m = NULL;
	_cleanup_(collected_fini) struct collected got = { 0 };
	size_t i;

	run_table(table, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	CU_ASSERT_STRING_EQUAL(got.list[0].reason, "container");
	CU_ASSERT_STRING_EQUAL(got.list[1].reason, "not-recorded");
	CU_ASSERT_STRING_EQUAL(got.list[2].reason, "no-memory");
	/* A running system has no record of a file that should exist. */
	run_root = NULL;
	run_table(table, &got);
	run_root = "/";
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	CU_ASSERT_STRING_EQUAL(got.list[1].reason, "");
	while ((m = meaning_next(m)))
		for (i = 0; i < ARRAY_SIZE(common); i++) {
			SUITE_ROW("%s/%s", m->id, common[i]);
			CU_ASSERT_PTR_NOT_NULL(meaning_reason(m, common[i]));
		}
}

static void unknown_always_has_a_summary(void)
{
	static const struct check one = { .id = "a.wordless",
					  .roles = CHECK_BOTH,
					  .run = wordless };
	static const struct check two = { .id = "a.silent", .roles = CHECK_BOTH, .run = silent };
	static const struct check *const table[] = { &check_broken, &one, &two, NULL };
	_cleanup_(collected_fini) struct collected got = { 0 };

	run_table(table, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	CU_ASSERT(is(&got.list[1], "a.wordless", FINDING_UNKNOWN, strerror(EIO)));
	CU_ASSERT_STRING_EQUAL(got.list[1].reason, "unreadable");
	CU_ASSERT(is(&got.list[2], "a.silent", FINDING_UNKNOWN, "said nothing"));
}

static void no_check_runs_after_the_deadline(void)
{
	static const struct check *const table[] = { &check_good, &check_bad, &check_after_bad,
						     NULL };
	const struct check_target target = { .roles = CHECK_CLIENT };
	_cleanup_(collected_fini) struct collected got = { 0 };
	unsigned int i;

	run_for(table, &target, 0, &got);
	CU_ASSERT_EQUAL_FATAL(got.count, 3);
	for (i = 0; i < 3; i++) {
		SUITE_ROW("%u", i);
		CU_ASSERT_EQUAL(got.list[i].status, FINDING_UNKNOWN);
		ASSERT_CONTAINS(got.list[i].summary, "time ran out");
		CU_ASSERT_STRING_EQUAL(got.list[i].reason, "out-of-time");
	}
	CU_ASSERT_EQUAL(runs, 0);
}

static void roles_and_the_server_select_the_checks(void)
{
	static const struct check *const table[] = { &check_good, &check_of_server,
						     &check_of_remote, NULL };
	struct check_target target = { .roles = CHECK_CLIENT };
	_cleanup_(collected_fini) struct collected got = { 0 };

	run_for(table, &target, deadline_in(PATIENCE_MS), &got);
	CU_ASSERT_EQUAL(got.count, 1);
	target.roles = CHECK_SERVER;
	run_for(table, &target, deadline_in(PATIENCE_MS), &got);
	CU_ASSERT_EQUAL(got.count, 2);
	target.server = "192.0.2.1";
	run_for(table, &target, deadline_in(PATIENCE_MS), &got);
	CU_ASSERT_EQUAL(got.count, 3);
}

static void every_check_has_a_meaning_and_a_unique_id(void)
{
	const struct check *const *a, *const *b;

	for (a = check_table; *a; a++) {
		SUITE_ROW("%s", (*a)->id);
		CU_ASSERT_PTR_NOT_NULL(meaning_find((*a)->id));
		CU_ASSERT((*a)->roles & CHECK_BOTH);
		for (b = a + 1; *b; b++) {
			SUITE_ROW("%s", (*b)->id);
			CU_ASSERT_STRING_NOT_EQUAL((*a)->id, (*b)->id);
		}
	}
	ASSERT_MORE(a - check_table, 30);
}

/* Checks of one group stand together in a report, and what one needs comes before it. */
static void prerequisites_come_before_their_checks(void)
{
	const struct check *const *a, *const *b;
	unsigned int i;

	for (a = check_table; *a; a++) {
		SUITE_ROW("%s", (*a)->id);
		for (i = 0; i < CHECK_NEEDS_MAX && (*a)->needs[i]; i++) {
			SUITE_ROW("%u", i);
			for (b = a; *b; b++) {
				SUITE_ROW("%s", (*b)->id);
				CU_ASSERT_STRING_NOT_EQUAL((*b)->id, (*a)->needs[i]);
			}
		}
	}
}

static void checks_before_a_mount_need_only_this_host(void)
{
	const struct check *here[CHECKS_AT_MOUNT_MAX + 1], *all[CHECKS_AT_MOUNT_MAX + 1];
	size_t i, n = 0, more = 0;

	checks_at_mount(false, here);
	checks_at_mount(true, all);
	for (i = 0; here[i]; i++, n++) {
		SUITE_ROW("%s", here[i]->id);
		CU_ASSERT_FALSE(here[i]->remote);
		CU_ASSERT(here[i]->at_mount < CHECK_MOUNT_PATH);
	}
	for (i = 0; all[i]; i++)
		more += all[i]->at_mount >= CHECK_MOUNT_PATH;
	CU_ASSERT(n);
	CU_ASSERT(more);
	CU_ASSERT_EQUAL(i, n + more);
	ASSERT_LESS(i, CHECKS_AT_MOUNT_MAX);
}

static void long_lists_are_truncated_and_counted(void)
{
	struct words words = { 0 }, sentences = { .separator = "; " };
	unsigned int i;

	CU_ASSERT_STRING_EQUAL(words_text(&words), "");
	words_add(&words, "%s", "a");
	words_add(&words, "%s", "b");
	CU_ASSERT_STRING_EQUAL(words_text(&words), "a, b");
	for (i = 0; i < 1000; i++)
		words_add(&words, "number %u", i);
	ASSERT_LESS(strlen(words_text(&words)), WORDS_MAX);
	ASSERT_CONTAINS(words_text(&words), " more");
	words_add(&sentences, "%s", "x");
	words_add(&sentences, "%s", "y");
	CU_ASSERT_STRING_EQUAL(words_text(&sentences), "x; y");
}

static void defects_apply_to_their_versions(void)
{
	static const struct defect defect = { DEFECT_CLIENT, { 6, 1, 0 }, { 6, 1, 52 }, "" };
	static const struct {
		unsigned int kernel[3];
		bool in;
	} rows[] = {
		{ { 6, 0, 99 }, false }, { { 6, 1, 0 }, true },  { { 6, 1, 51 }, true },
		{ { 6, 1, 52 }, false }, { { 6, 2, 0 }, false }, { { 7, 1, 1 }, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(defect_in(&defect, rows[i].kernel), rows[i].in);
	}
}

/* Each tree by itself: a fix in a later tree does not apply to the one before. */
static void later_kernel_trees_have_their_own_rows(void)
{
	static const struct {
		unsigned int kernel[3], parts, rows;
	} rows[] = {
		{ { 6, 6, 0 }, DEFECT_CLIENT, 3 },   { { 6, 6, 33 }, DEFECT_CLIENT, 2 },
		{ { 6, 6, 44 }, DEFECT_CLIENT, 1 },  { { 6, 6, 130 }, DEFECT_CLIENT, 0 },
		{ { 6, 6, 119 }, DEFECT_SERVER, 1 }, { { 6, 6, 120 }, DEFECT_SERVER, 0 },
		{ { 6, 12, 0 }, DEFECT_SERVER, 2 },  { { 6, 12, 34 }, DEFECT_SERVER, 1 },
		{ { 6, 12, 64 }, DEFECT_SERVER, 0 }, { { 6, 12, 77 }, DEFECT_CLIENT, 1 },
		{ { 6, 12, 78 }, DEFECT_CLIENT, 0 }, { { 6, 8, 12 }, DEFECT_CLIENT, 0 },
	};
	const struct defect *defect;
	unsigned int found;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		found = 0;
		for (defect = defect_table; defect->text; defect++)
			found += (defect->part & rows[i].parts) &&
				 defect_in(defect, rows[i].kernel);
		CU_ASSERT_EQUAL(found, rows[i].rows);
	}
}

static void the_812_byte_bug_affects_clients_before_its_fix(void)
{
	static const struct {
		const char *release;
		unsigned int kernel[3];
		bool plain;
		enum defect_presence presence;
		enum finding_status status;
	} rows[] = {
		{ "3.6.11", { 3, 6, 11 }, true, DEFECT_ABSENT, FINDING_PASS },
		{ "3.7.0", { 3, 7, 0 }, true, DEFECT_PRESENT, FINDING_WARN },
		{ "3.12.9", { 3, 12, 9 }, true, DEFECT_PRESENT, FINDING_WARN },
		{ "3.14.79", { 3, 14, 79 }, true, DEFECT_PRESENT, FINDING_WARN },
		{ "3.15.0", { 3, 15, 0 }, true, DEFECT_ABSENT, FINDING_PASS },
		{ "6.1.0-26-amd64", { 6, 1, 112 }, true, DEFECT_ABSENT, FINDING_PASS },
		{ "3.10.0-123.el7.x86_64", { 3, 10, 0 }, false, DEFECT_PRESENT, FINDING_WARN },
		{ "3.10.0-513.99.1.el7.x86_64", { 3, 10, 0 }, false, DEFECT_PRESENT, FINDING_WARN },
		{ "3.10.0-514.el7.x86_64", { 3, 10, 0 }, false, DEFECT_ABSENT, FINDING_PASS },
		{ "3.10.0-1160.119.1.el7.x86_64",
		  { 3, 10, 0 },
		  false,
		  DEFECT_ABSENT,
		  FINDING_PASS },
		{ "3.10.0-1160.vz7.200.7", { 3, 10, 0 }, false, DEFECT_POSSIBLE, FINDING_UNKNOWN },
		{ "3.10.0-514.el7.elrepo.x86_64",
		  { 3, 10, 0 },
		  false,
		  DEFECT_POSSIBLE,
		  FINDING_UNKNOWN },
		{ "3.10.105-1.el7.elrepo.x86_64",
		  { 3, 10, 105 },
		  false,
		  DEFECT_POSSIBLE,
		  FINDING_UNKNOWN },
		{ "3.12.28-4-default", { 3, 12, 28 }, false, DEFECT_POSSIBLE, FINDING_UNKNOWN },
		{ "4.18.0-553.el8_10.x86_64", { 4, 18, 0 }, false, DEFECT_ABSENT, FINDING_PASS },
		{ "", { 0 }, false, DEFECT_ABSENT, FINDING_UNKNOWN },
	};
	const struct nfs_mounts none = { 0 };
	struct host_system system;
	_cleanup_(finding_fini) struct finding finding = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].release);
		memset(&system, 0, sizeof(system));
		strcpy(system.release, rows[i].release);
		memcpy(system.kernel, rows[i].kernel, sizeof(system.kernel));
		system.kernel_is_plain = rows[i].plain;
		CU_ASSERT_EQUAL(defect_presence(defect_read_812, &system), rows[i].presence);
		read_812_judge(i % 2 ? &none : NULL, &system, NULL, &finding);
		CU_ASSERT_STRING_EQUAL(finding.id, "bug.read-812");
		CU_ASSERT_EQUAL(finding.status, rows[i].status);
		CU_ASSERT_STRING_EQUAL(finding.evidence[0].value, "version");
		CU_ASSERT_STRING_EQUAL(finding.reason, finding.status == FINDING_PASS   ? ""
						       : finding.status == FINDING_WARN ? "version"
						       : *rows[i].release               ? "vendor"
									  : "no-version");
		ASSERT_CONTAINS(finding.summary, "this host's kernel");
		ASSERT_CONTAINS(finding.summary, rows[i].release);
	}
}

static void counters_override_the_version(void)
{
	static const struct {
		const char *release;
		unsigned int kernel[3];
		struct nfs_reads reads;
		enum finding_status status;
		const char *by;
	} rows[] = {
		{ "3.12.9",
		  { 3, 12, 9 },
		  { true, true, true, false, 100, 422400, 0, 409600 },
		  FINDING_PASS,
		  "counters" },
		{ "3.12.9",
		  { 3, 12, 9 },
		  { true, true, true, false, 85, 343848, 83, 1600 },
		  FINDING_FAIL,
		  "counters" },
		{ "6.1.90",
		  { 6, 1, 90 },
		  { true, true, true, false, 85, 343848, 83, 1600 },
		  FINDING_FAIL,
		  "counters" },
		{ "3.12.9",
		  { 3, 12, 9 },
		  { true, true, true, false, 9, 38016, 9, 0 },
		  FINDING_WARN,
		  "version" },
		{ "3.12.9", { 3, 12, 9 }, { .broken = true }, FINDING_WARN, "version" },
	};
	struct nfs_mount mount = { .target = "/srv/vm",
				   .nxprts = 1,
				   .xprts = { { .proto = "rdma" } },
				   .proto = "rdma",
				   .fs_spec = "nas:/vm" };
	const struct nfs_mounts mounts = { .count = 1, .list = &mount };
	struct host_system system = { .kernel_is_plain = true };
	_cleanup_(finding_fini) struct finding finding = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		strcpy(system.release, rows[i].release);
		memcpy(system.kernel, rows[i].kernel, sizeof(system.kernel));
		mount.reads = rows[i].reads;
		read_812_judge(&mounts, &system, "nas:/vm", &finding);
		CU_ASSERT_EQUAL(finding.status, rows[i].status);
		CU_ASSERT_STRING_EQUAL(finding.evidence[0].value, rows[i].by);
		CU_ASSERT_STRING_EQUAL(finding.reason, finding.status == FINDING_PASS   ? ""
						       : finding.status == FINDING_WARN ? "version"
											: "lost");
		CU_ASSERT_EQUAL(!strncmp(finding.summary, "/srv/vm: ", 9),
				!strcmp(rows[i].by, "counters"));
	}
}

static void a_gid_is_found_by_its_address(void)
{
	struct rdma_port port = { .ngids = 2,
				  .gids = { { .bytes = { 0xfe, 0x80 } }, { .v2 = true } } };
	bool v2 = false;

	inet_pton(AF_INET6, "::ffff:192.0.2.10", port.gids[1].bytes);
	CU_ASSERT(port_has_gid(&port, "fe80::", &v2));
	CU_ASSERT_FALSE(v2);
	CU_ASSERT(port_has_gid(&port, "192.0.2.10", &v2));
	CU_ASSERT(v2);
	CU_ASSERT_FALSE(port_has_gid(&port, "192.0.2.11", &v2));
	CU_ASSERT_FALSE(port_has_gid(&port, "no address", &v2));
}

static void every_host_check_runs_on_a_snapshot(void)
{
	static const struct check *const table[] = { &check_bad,         &check_after_bad,
						     &check_after_after, &check_of_server,
						     &check_of_remote,   NULL };
	struct check_target target = { .server = "nas1", .roles = CHECK_CLIENT };
	_cleanup_(host_close_p) struct host *host = NULL;

	CU_ASSERT_EQUAL_FATAL(host_open(&host, "/"), 0);
	runs = 0;
	CU_ASSERT_EQUAL(checks_visit(table, host, &live_replay, &target, deadline_in(PATIENCE_MS)),
			0);
	/* Failures skip no other check, roles are ignored, and remote checks do not run. */
	CU_ASSERT_EQUAL(runs, 4);
	runs = 0;
	CU_ASSERT_EQUAL(checks_visit(table, host, &live_replay, &target, 0), 0);
	CU_ASSERT_EQUAL(runs, 0);
}

SUITE_MAIN("checks", TEST(checks_after_a_failure_are_skipped_for_the_first_cause),
	   TEST(absent_or_unknown_results_stop_no_other_check),
	   TEST(a_check_may_defer_to_another_finding), TEST(unknown_always_has_a_summary),
	   TEST(unknown_has_a_reason), TEST(no_check_runs_after_the_deadline),
	   TEST(roles_and_the_server_select_the_checks), TEST(every_host_check_runs_on_a_snapshot),
	   TEST(every_check_has_a_meaning_and_a_unique_id),
	   TEST(prerequisites_come_before_their_checks),
	   TEST(checks_before_a_mount_need_only_this_host),
	   TEST(long_lists_are_truncated_and_counted), TEST(defects_apply_to_their_versions),
	   TEST(later_kernel_trees_have_their_own_rows),
	   TEST(the_812_byte_bug_affects_clients_before_its_fix),
	   TEST(counters_override_the_version), TEST(a_gid_is_found_by_its_address))
