/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a pool is wanted to run over, and what it runs over. */
#include "plugin/mounts/mounts.h"
#include "plugin/libvirt/internal.h"

/* What nfsmount.conf would add, if it is RDMA: the first section that names the option counts. */
static const struct conf_value *conf_asks(const struct pool_seen *seen, const char *host)
{
	const char *target = pool_xml_facts(seen->xml)->target;
	const struct {
		const char *section, *arg;
	} order[] = {
		{ "MountPoint", target },
		{ "Server", host },
		{ "NFSMount_Global_Options", NULL },
	};
	const struct conf_value *value;
	size_t i;

	for (i = 0; seen->nfsmount_conf && i < ARRAY_SIZE(order); i++) {
		value = conf_get(seen->nfsmount_conf, order[i].section, order[i].arg,
				 "proto");
		if (value)
			return mounts_is_rdma(value->value) ? value : NULL;
	}
	return NULL;
}

static void find_want(const struct pool_seen *seen, const struct opts *opts,
		      const char *source, struct pool_state *out)
{
	const struct conf_value *value;
	struct policy policy;
	struct spec spec;

	if (opts)
		pool_edit_transport(opts, out->asked, sizeof(out->asked));
	if (mounts_is_rdma(out->asked)) {
		out->want = POOL_WANT_OPTIONS;
		strcpy(out->want_by, "its options");
		return;
	}
	if (!*source || spec_parse(source, &spec))
		return;
	value = *out->asked ? NULL : conf_asks(seen, spec.host);
	if (value) {
		out->want = POOL_WANT_CONF;
		snprintf(out->want_by, sizeof(out->want_by), "/%s:%u", value->file,
			 value->line);
		return;
	}
	/* That of nobody's making is what mount.nfsrdma does, and says nothing of a pool. */
	policy_get(seen->policies, &spec, pool_xml_facts(seen->xml)->target, &policy);
	if (policy.mode == POLICY_OFF || policy.scope == POLICY_BUILT_IN)
		return;
	out->want = POOL_WANT_POLICY;
	snprintf(out->want_by, sizeof(out->want_by), "%s", policy.mode_from);
}

static enum pool_run run_of(const struct nfs_mounts *mounts,
			    const struct nfs_mount *mount)
{
	static const enum pool_run runs[] = {
		[RUN_UNKNOWN] = POOL_RUN_UNKNOWN, [RUN_RDMA] = POOL_RUN_RDMA,
		[RUN_CLAIMED] = POOL_RUN_RDMA,    [RUN_MIXED] = POOL_RUN_MIXED,
		[RUN_OTHER] = POOL_RUN_TCP,
	};
	struct mounts_seen seen = { .now = mounts };
	_cleanup_free_ struct mount_verdict *verdicts = NULL;

	if (mounts_audit(&seen, &verdicts))
		return POOL_RUN_UNKNOWN;
	return runs[verdicts[mount - mounts->list].run];
}

static void find_run(const struct pool_seen *seen, const char *source,
		     struct pool_state *out)
{
	static const char *const names[] = {
		[POOL_RUN_UNKNOWN] = "?",   [POOL_RUN_NOTHING] = "-",
		[POOL_RUN_OTHER] = "other", [POOL_RUN_RDMA] = "rdma",
		[POOL_RUN_TCP] = "tcp",     [POOL_RUN_MIXED] = "mixed",
	};
	const char *target = seen->target ? seen->target
					  : pool_xml_facts(seen->xml)->target;

	out->run = POOL_RUN_UNKNOWN;
	if (seen->mounts && target) {
		out->mount = pool_target_mount(seen->mounts, target);
		out->run = !out->mount ? POOL_RUN_NOTHING
			   : strncmp(out->mount->fs_spec, source,
				     sizeof(out->mount->fs_spec) - 1)
				   ? POOL_RUN_OTHER
				   : run_of(seen->mounts, out->mount);
	}
	snprintf(out->run_name, sizeof(out->run_name), "%s",
		 out->run == POOL_RUN_RDMA || out->run == POOL_RUN_TCP ? out->mount->proto
								       : names[out->run]);
}

int pool_state_options(const struct pool_xml *xml, struct opts **out)
{
	_cleanup_free_ char *text = NULL;
	int rc = pool_xml_options(xml, &text);

	return rc ? rc : opts_parse(out, text);
}

unsigned int pool_state_versions(const struct opts *opts)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < opts_count(opts); i++)
		n += pool_edit_is_version(opts_at(opts, i).name);
	return n;
}

const char *pool_state_wanted(const struct pool_state *state)
{
	if (state->want == POOL_WANT_OPTIONS || state->want == POOL_WANT_CONF)
		return "rdma";
	return state->want == POOL_WANT_POLICY ? "rdma (policy)"
	       : *state->asked                 ? state->asked
					       : "-";
}

void pool_state(const struct pool_seen *seen, struct pool_state *out)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char source[POOL_SOURCE_MAX];

	*out = (struct pool_state){ .want = POOL_WANT_NOTHING };
	if (pool_xml_source(seen->xml, source, sizeof(source)))
		*source = '\0';
	if (pool_state_options(seen->xml, &opts))
		opts = NULL;
	find_want(seen, opts, source, out);
	find_run(seen, source, out);
}
