/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* plugin/report/because.c: which finding of a report follows from which. */
#include "plugin/report/internal.h"
#include "tests/unit/suite.h"

static const struct finding *add(struct report *report, const char *id, enum finding_status status,
				 const char *reason, const char *target)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, id, status, "seen");
	finding_reason(&f, reason);
	if (target)
		finding_text(&f, "target", "%s", target);
	CU_ASSERT_EQUAL_FATAL(report_add(report, &f), 0);
	return report->findings[report->nfindings - 1];
}

static const struct finding *add_skip(struct report *report, const char *id, const char *because,
				      const char *target)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, id, FINDING_SKIP, "skipped");
	finding_text(&f, "because", "%s", because);
	if (target)
		finding_text(&f, "target", "%s", target);
	CU_ASSERT_EQUAL_FATAL(report_add(report, &f), 0);
	return report->findings[report->nfindings - 1];
}

/* probe.null follows probe.connect, and that probe.route. */
static void a_finding_follows_one_that_is_not_good(void)
{
	static const struct {
		enum finding_status root, finding;
		bool follows;
	} rows[] = {
		{ FINDING_FAIL, FINDING_FAIL, true },
		{ FINDING_FAIL, FINDING_UNKNOWN, true },
		{ FINDING_WARN, FINDING_FAIL, true },
		{ FINDING_UNKNOWN, FINDING_WARN, true },
		{ FINDING_PASS, FINDING_FAIL, false },
		{ FINDING_SKIP, FINDING_FAIL, false },
		{ FINDING_FAIL, FINDING_PASS, false },
		/* the skip does not name it */
		{ FINDING_FAIL, FINDING_SKIP, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(report_free_p) struct report *report = report_new("probe");
		const struct finding *root = add(report, "probe.connect", rows[i].root, "", NULL);
		const struct finding *f = add(report, "probe.null", rows[i].finding, "", NULL);

		SUITE_ROW("%zu", i);
		CU_ASSERT_PTR_EQUAL(report_because(report, f), rows[i].follows ? root : NULL);
		CU_ASSERT_PTR_EQUAL(report_root(report, f), rows[i].follows ? root : f);
		CU_ASSERT_PTR_NULL(report_because(report, root));
	}
}

static void the_root_is_the_end_of_the_chain(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct finding *null = add(report, "probe.null", FINDING_UNKNOWN, "", NULL);
	const struct finding *connect = add(report, "probe.connect", FINDING_UNKNOWN, "", NULL);
	const struct finding *route = add(report, "probe.route", FINDING_UNKNOWN, "no-device",
					  NULL);

	CU_ASSERT_PTR_EQUAL(report_because(report, null), connect);
	CU_ASSERT_PTR_EQUAL(report_root(report, null), route);
}

static void a_failure_is_preferred_as_the_cause(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct finding *f = add(report, "probe.null", FINDING_FAIL, "", NULL), *fail;

	add(report, "probe.connect", FINDING_WARN, "", NULL);
	add(report, "probe.connect", FINDING_UNKNOWN, "", NULL);
	fail = add(report, "probe.connect", FINDING_FAIL, "", NULL);
	CU_ASSERT_PTR_EQUAL(report_because(report, f), fail);
}

static void a_finding_about_another_subject_is_not_the_cause(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct finding *a = add(report, "probe.connect", FINDING_FAIL, "", "/a"),
			     *null_a = add(report, "probe.null", FINDING_FAIL, "", "/a"),
			     *null_b = add(report, "probe.null", FINDING_FAIL, "", "/b"),
			     *null = add(report, "probe.null", FINDING_FAIL, "", NULL);

	CU_ASSERT_PTR_EQUAL(report_because(report, null_a), a);
	CU_ASSERT_PTR_NULL(report_because(report, null_b));
	CU_ASSERT_PTR_EQUAL(report_because(report, null), a);
}

static void a_skip_follows_the_finding_that_caused_it(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mounts");
	const struct finding *up, *own, *below, *lost;

	up = add(report, "mount.transport", FINDING_PASS, "", "/a");
	own = add(report, "mount.transport", FINDING_FAIL, "", "/a/b");
	below = add_skip(report, "mount.options", "mount.transport", "/a/b");
	CU_ASSERT_PTR_EQUAL(report_because(report, below), own);
	/* of the mount above it */
	below = add_skip(report, "mount.options", "mount.transport", "/a/b/c");
	CU_ASSERT_PTR_EQUAL(report_because(report, below), up);
	lost = add_skip(report, "mount.options", "client.module", "/a");
	CU_ASSERT_PTR_NULL(report_because(report, lost));
}

/* A worker may send anything. */
static void cycles_end(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("probe");
	const struct finding *f = add_skip(report, "probe.null", "probe.connect", NULL);

	add_skip(report, "probe.connect", "probe.null", NULL);
	CU_ASSERT_PTR_NOT_NULL(report_root(report, f));
	f = add_skip(report, "probe.route", "probe.route", NULL);
	CU_ASSERT_PTR_NULL(report_because(report, f));
}

/* A name is "ID" or "ID/REASON". */
static const struct finding *add_named(struct report *report, const char *name)
{
	char id[FINDING_ID_MAX];
	const char *slash = strchrnul(name, '/');

	snprintf(id, sizeof(id), "%.*s", (int)(slash - name), name);
	return add(report, id, FINDING_FAIL, *slash ? slash + 1 : "", NULL);
}

static void check_names(const struct meaning *m, const char *reason, const char *const *name)
{
	for (; *name; name++) {
		_cleanup_(report_free_p) struct report *report = report_new("check");
		const struct finding *f = add(report, m->id, FINDING_FAIL, reason, NULL);
		const struct finding *cause = add_named(report, *name);

		SUITE_ROW("%s/%s follows %s", m->id, reason, *name);
		/* What passes follows from nothing. */
		if (f->status == FINDING_PASS)
			continue;
		CU_ASSERT_PTR_EQUAL(report_because(report, f), cause);
	}
}

static void every_name_of_the_table_is_followed(void)
{
	const struct meaning *m = NULL;
	const struct reason *r;

	while ((m = meaning_next(m))) {
		check_names(m, "", m->follows);
		for (r = m->reasons; r->name; r++)
			check_names(m, r->name, r->follows);
	}
}

SUITE_MAIN("because", TEST(a_finding_follows_one_that_is_not_good),
	   TEST(the_root_is_the_end_of_the_chain), TEST(a_failure_is_preferred_as_the_cause),
	   TEST(a_finding_about_another_subject_is_not_the_cause),
	   TEST(a_skip_follows_the_finding_that_caused_it), TEST(cycles_end),
	   TEST(every_name_of_the_table_is_followed))
