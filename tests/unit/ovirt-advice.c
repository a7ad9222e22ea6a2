/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Custom options to enter in the engine: tests/options/ovirt.txt. For every row VDSM's result is
 * a plan that needs no further option. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/rows.h"
#include "tests/unit/suite.h"

static struct ovirt_request request;
static struct policies *policies;
static char spec[512], version[16];

static void take_policy(char *lines)
{
	char *p;

	policy_free(take_ptr(policies));
	for (p = lines; *p; p++)
		if (*p == ';')
			*p = '\n';
	if (policy_new(&policies) || policy_add(policies, "policy", lines))
		abort();
	request.policies = policies;
}

static void on_directive(char *text)
{
	char *rest = text + strcspn(text, " ");

	if (*rest)
		*rest++ = '\0';
	rows_unescape(rest);
	if (!strcmp(text, "fresh")) {
		policy_free(take_ptr(policies));
		strcpy(spec, "nfs1.example.com:/export/data");
		strcpy(version, "auto");
		request = (struct ovirt_request){ .spec = spec, .version = version };
	} else if (!strcmp(text, "spec")) {
		snprintf(spec, sizeof(spec), "%s", rest);
	} else if (!strcmp(text, "version")) {
		snprintf(version, sizeof(version), "%s", rest);
	} else if (!strcmp(text, "type")) {
		request.type = strcmp(rest, "posix") ? OVIRT_NFS : OVIRT_POSIX;
	} else if (!strcmp(text, "family")) {
		request.family = *rest == '6' ? IP_V6 : IP_V4;
	} else if (!strcmp(text, "policy")) {
		take_policy(rest);
	} else {
		abort();
	}
}

static void check_notes(const struct row *row, const struct ovirt_advice *advice)
{
	unsigned int i, note = 0;

	for (i = 0; i < row->nnotes; i++) {
		const char *text = row->notes[i] + 2;

		if (row->notes[i][0] == ':') {
			ROW_CHECK(row, !strcmp(advice->command.argv[4], text), "%s",
				  advice->command.argv[4]);
			continue;
		}
		ROW_CHECK(row, note < advice->nnotes && strstr(advice->notes[note], text),
			  "no note '%s'", text);
		note++;
	}
	ROW_CHECK(row, note >= advice->nnotes, "note '%s'", advice->notes[note]);
}

/* The command that VDSM runs uses RDMA, and is complete. */
static void check_command(const struct row *row, const struct ovirt_advice *advice)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	const struct plan_request planned = {
		.spec = advice->domain.spec,
		.options = advice->command.argv[4],
		.dir = advice->domain.dir,
		.policies = request.policies,
		.family = request.family,
	};
	unsigned int i;
	int rc = plan_make(&plan, &planned);

	ROW_CHECK(row, !rc && plan->wants_rdma, "%s", rc ? err_text() : "not RDMA");
	for (i = 0; !rc && i < plan->nchanges; i++)
		ROW_CHECK(row,
			  plan->changes[i].before &&
				  !strncmp(plan->changes[i].before, "nfsrdma.", 8),
			  "a plan changes %s",
			  plan->changes[i].after ? plan->changes[i].after : "it");
	ROW_CHECK(row, !ovirt_engine_options(request.type, advice->options), "%s", err_text());
}

static void on_row(const struct row *row)
{
	_cleanup_(ovirt_advice_free_p) struct ovirt_advice *advice = NULL;
	int rc;

	request.options = row->given;
	rc = ovirt_advise(&advice, &request);
	ROW_CHECK(row, row->is_error == (rc != 0), "%s", rc ? err_text() : "taken");
	if (rc)
		ROW_CHECK(row, strstr(err_text(), row->expected), "%s", err_text());
	if (rc || row->is_error)
		return;
	ROW_CHECK(row, !strcmp(advice->options, row->expected), "'%s', not '%s'", advice->options,
		  row->expected);
	check_notes(row, advice);
	check_command(row, advice);
}

static const struct rows_runner runner = { on_directive, on_row };

static void only_missing_options_are_suggested(void)
{
	rows_read("ovirt.txt", &runner);
	ASSERT_MORE(rows_run, 60);
	policy_free(take_ptr(policies));
}

static void options_over_the_engine_limit_are_refused(void)
{
	_cleanup_(ovirt_advice_free_p) struct ovirt_advice *advice = NULL;
	char fresh[] = "fresh", text[600];

	on_directive(fresh);
	memset(text, 'a', sizeof(text));
	text[500 - strlen(",proto=rdma,port=20049")] = '\0';
	request.options = text;
	CU_ASSERT_EQUAL(ovirt_advise(&advice, &request), 0);
	ovirt_advice_free(take_ptr(advice));
	strcat(text, "a");
	CU_ASSERT_EQUAL(ovirt_advise(&advice, &request), -E2BIG);
	ASSERT_CONTAINS(err_text(), "501 characters");
}

SUITE_MAIN("ovirt-advice", TEST(only_missing_options_are_suggested),
	   TEST(options_over_the_engine_limit_are_refused))
