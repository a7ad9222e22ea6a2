/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Type and version, source, options and policy, a line each and then the rest: whatever they are, what
 * is to be typed passes the engine's rules, and the command that VDSM makes of it is a mount over RDMA
 * of which a plan changes nothing. */
#include "plugin/ovirt/ovirt.h"
#include "tests/fuzz/fuzz.h"

static char *line_of(char **cursor)
{
	char *line = *cursor, *end = strchr(line, '\n');

	*cursor = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

static void check_command(const struct ovirt_advice *advice, const struct ovirt_request *request)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	const struct plan_request planned = { .spec = advice->domain.spec,
					      .options = advice->command.argv[4],
					      .dir = advice->domain.dir,
					      .policies = request->policies };
	unsigned int i;

	FUZZ_CHECK(advice->command.argc == 7);
	/* What VDSM adds may make a page of it. */
	if (plan_make(&plan, &planned) == -E2BIG)
		return;
	FUZZ_CHECK(plan && plan->wants_rdma);
	for (i = 0; i < plan->nchanges; i++)
		FUZZ_CHECK(plan->changes[i].kind == PLAN_REMOVED &&
			   !strncmp(plan->changes[i].before, "nfsrdma.", 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const versions[] = { "auto", "3", "4", "4.0", "4.1", "4.2" };
	_cleanup_(ovirt_advice_free_p) struct ovirt_advice *advice = NULL;
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_free_ char *text = fuzz_text(data, size);
	struct ovirt_request request = { .spec = NULL };
	char *cursor = text, *first;

	FUZZ_CHECK(!policy_new(&policies));
	first = line_of(&cursor);
	request.type = *first == 'p' ? OVIRT_POSIX : OVIRT_NFS;
	request.version = versions[strlen(first) % ARRAY_SIZE(versions)];
	request.spec = line_of(&cursor);
	request.options = line_of(&cursor);
	if (policy_add(policies, "fuzz", cursor))
		return 0;
	request.policies = policies;
	if (ovirt_advise(&advice, &request))
		return 0;
	FUZZ_CHECK(!ovirt_engine_options(request.type, advice->options));
	FUZZ_CHECK(!strstr(advice->options, ", ") && !strstr(advice->options, ",,"));
	check_command(advice, &request);
	return 0;
}
