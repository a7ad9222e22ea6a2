/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* SPEC, options, directory and policy, a line each and then the rest: whatever they are, the plan
 * of a mount over RDMA says so once, loses nothing but what it tells of, and is its own plan. */
#include "plugin/options/options.h"
#include "tests/fuzz/fuzz.h"

static size_t count_of(const struct opts *opts, const char *name)
{
	size_t i, n = 0;

	for (i = 0; i < opts_count(opts); i++) {
		struct opt opt = opts_at(opts, i);

		n += !strcmp(opt.name, name);
	}
	return n;
}

static void check_options(const struct plan *plan)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	struct opt opt;
	ssize_t proto;
	size_t i;

	FUZZ_CHECK(!opts_parse(&opts, plan->options));
	FUZZ_CHECK(!opts_trimmed(opts));
	for (i = 0; i < opts_count(opts); i++) {
		opt = opts_at(opts, i);
		FUZZ_CHECK(strncmp(opt.name, "nfsrdma.", 8));
	}
	if (!plan->wants_rdma || plan->remount)
		return;
	FUZZ_CHECK(count_of(opts, "proto") == 1 && count_of(opts, "port") == 1);
	FUZZ_CHECK(!count_of(opts, "rdma") && !count_of(opts, "tcp") && !count_of(opts, "udp"));
	proto = opts_find(opts, "proto");
	opt = opts_at(opts, (size_t)proto);
	FUZZ_CHECK(!strcmp(opt.value, plan->transport));
	FUZZ_CHECK(!strncmp(plan->transport, "rdma", 4) && plan->port);
	FUZZ_CHECK(plan->policy.mode != POLICY_REQUIRE || !plan->background);
}

static void check_notes(const struct plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nchanges; i++) {
		const struct plan_change *change = &plan->changes[i];

		FUZZ_CHECK(change->reason && *change->reason);
		FUZZ_CHECK(!change->before == (change->kind == PLAN_ADDED));
		FUZZ_CHECK(!change->after == (change->kind == PLAN_REMOVED));
	}
	for (i = 0; i < plan->nwarnings; i++)
		FUZZ_CHECK(*plan->warnings[i]);
}

/* What was planned asks for nothing more. */
static void check_again(const struct plan *plan, const struct plan_request *request)
{
	struct plan_request again = *request;
	_cleanup_(plan_free_p) struct plan *made = NULL;

	if (plan->policy.mode != POLICY_REQUIRE)
		return;
	again.options = plan->options;
	again.policies = NULL;
	FUZZ_CHECK(!plan_make(&made, &again));
	FUZZ_CHECK(!strcmp(made->options, plan->options) && !made->nchanges);
}

static char *line_of(char **cursor)
{
	char *line = *cursor, *end = strchr(line, '\n');

	*cursor = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	_cleanup_free_ char *text = fuzz_text(data, size);
	struct plan_request request = { .options = NULL };
	char *cursor = text;

	FUZZ_CHECK(!policy_new(&policies));
	request.spec = line_of(&cursor);
	request.options = line_of(&cursor);
	request.dir = line_of(&cursor);
	request.family = (enum ip_family)(size % 3);
	if (policy_add(policies, "fuzz", cursor))
		return 0;
	request.policies = policies;
	if (plan_make(&plan, &request))
		return 0;
	check_options(plan);
	check_notes(plan);
	check_again(plan, &request);
	return 0;
}
