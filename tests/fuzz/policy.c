/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A file of nfsrdma.conf(5): it is refused with its line, or every value in it is one. */
#include "plugin/options/options.h"
#include "tests/fuzz/fuzz.h"

static void check_policy(const struct policy *policy)
{
	struct opts *opts = NULL;

	FUZZ_CHECK(policy_mode_name(policy->mode) && policy_check_name(policy->check) &&
		   policy_unknown_name(policy->on_unknown));
	FUZZ_CHECK(policy->deadline_ms >= 1000 &&
		   policy->deadline_ms <= POLICY_DEADLINE_MAX_S * 1000);
	FUZZ_CHECK(!opts_parse(&opts, policy->options));
	opts_free(take_ptr(opts));
	FUZZ_CHECK(!opts_parse(&opts, policy->options_v3));
	opts_free(opts);
	FUZZ_CHECK(*policy->mode_from && *policy->check_from && *policy->deadline_from &&
		   *policy->on_unknown_from && *policy->options_from && *policy->options_v3_from);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *spec, *dir;
	} mounts[] = {
		{ "nas1:/export/vm", "/rhev/data-center/mnt/nas1:_export_vm" },
		{ "[2001:db8::10]:/", NULL },
		{ "192.0.2.1://a//b/", "/" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		  "/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
	};
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	_cleanup_free_ char *text = fuzz_text(data, size);
	struct policy policy;
	struct spec spec;
	size_t i;

	FUZZ_CHECK(!policy_new(&policies));
	if (policy_add(policies, "fuzz", text)) {
		FUZZ_CHECK(!strncmp(err_text(), "fuzz:", 5));
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(mounts); i++) {
		FUZZ_CHECK(!spec_parse(mounts[i].spec, &spec));
		policy_get(policies, &spec, mounts[i].dir, &policy);
		check_policy(&policy);
	}
	return 0;
}
