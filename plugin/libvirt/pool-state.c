/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A pool as seen by a view (plugin/view): what its XML requests, and what is mounted on its
 * target. */
#include <stdio.h>

#include "plugin/libvirt/internal.h"

/* What its own options request. libvirt passes them to mount(8) unchanged, so of two the
 * last applies; options that cannot be parsed request RDMA if they contain its name. */
static enum view_asked pool_state_requested(const char *options)
{
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	char transport[16];

	if (opts_parse(&opts, options))
		return strstr(options, "rdma") ? ASKED_RDMA : ASKED_UNKNOWN;
	pool_edit_transport(opts, transport, sizeof(transport));
	if (view_is_rdma(transport))
		return ASKED_RDMA;
	return *transport ? ASKED_TCP : ASKED_ANY;
}

/* Borrows from @xml, @source and @options. A pool of another type, or one that libvirt
 * could not mount, has no source. */
static void pool_state_place(const struct pool_xml *xml, const char *name,
			     char source[POOL_SOURCE_MAX], char **options, struct view_place *out)
{
	const struct pool_facts *facts = pool_xml_facts(xml);

	*out = (struct view_place){ .kind = PLACE_POOL };
	out->pool = (char *)(name ? name : facts->name);
	out->target = (char *)facts->target;
	if (!pool_xml_check(xml) && !pool_xml_source(xml, source, POOL_SOURCE_MAX)) {
		out->fs_spec = source;
		if (!pool_xml_options(xml, options))
			out->asked = pool_state_requested(*options);
		out->options = *options;
	}
	snprintf(out->by, sizeof(out->by), "pool '%.200s'", out->pool ? out->pool : "");
	finding_clean(out->by);
}

int pool_place_add(struct view_places *out, const struct pool_xml *xml, const char *name,
		   bool active)
{
	_cleanup_free_ char *options = NULL;
	char source[POOL_SOURCE_MAX];
	struct view_place place;

	pool_state_place(xml, name, source, &options, &place);
	place.expected = active;
	return view_places_add(out, &place);
}

/* --- its state
 * ---------------------------------------------------------------------------------- */

static void pool_state_find_run(const struct pool_seen *seen, const struct view *view,
				const char *source, struct pool_state *out)
{
	static const enum pool_run runs[] = {
		[RUN_UNKNOWN] = POOL_RUN_UNKNOWN, [RUN_RDMA] = POOL_RUN_RDMA,
		[RUN_CLAIMED] = POOL_RUN_RDMA,    [RUN_MIXED] = POOL_RUN_MIXED,
		[RUN_OTHER] = POOL_RUN_TCP,
	};
	const char *target = seen->target ? seen->target : pool_xml_facts(seen->xml)->target;
	bool same;

	if (seen->remote || !seen->view || !target)
		return;
	out->mount = pool_target_mount(view, target);
	out->run = POOL_RUN_NOTHING;
	if (!out->mount)
		return;
	same = view_same_source(out->mount->mount->fs_spec, source);
	out->run = same ? runs[out->mount->run] : POOL_RUN_OTHER;
	out->state = view_judge(&out->wanted, out->mount, !same);
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

enum finding_status pool_state_other(const struct pool_state *state)
{
	if (state->state == VIEW_UNKNOWN)
		return FINDING_UNKNOWN;
	return state->state == VIEW_BAD ? FINDING_FAIL : FINDING_WARN;
}

const char *pool_state_wanted(const struct pool_state *state)
{
	if (!state->wanted.rdma)
		return *state->asked && !view_is_rdma(state->asked) ? state->asked : "-";
	return state->wanted.covered && !view_is_rdma(state->asked) ? "rdma (policy)" : "rdma";
}

void pool_state(const struct pool_seen *seen, struct pool_state *out)
{
	static const char *const names[] = {
		[POOL_RUN_UNKNOWN] = "?", [POOL_RUN_NOTHING] = "-", [POOL_RUN_OTHER] = "other",
		[POOL_RUN_RDMA] = "rdma", [POOL_RUN_TCP] = "tcp",   [POOL_RUN_MIXED] = "mixed",
	};
	static const struct view_sources nothing = { .host = NULL };
	_cleanup_(opts_free_p) struct opts *opts = NULL;
	_cleanup_(view_close_p) struct view *none = NULL;
	_cleanup_free_ char *options = NULL;
	const struct view *view = seen->view;
	char source[POOL_SOURCE_MAX] = "";
	struct view_place place;
	bool named;

	*out = (struct pool_state){ .run = POOL_RUN_UNKNOWN, .state = VIEW_UNKNOWN };
	pool_state_place(seen->xml, NULL, source, &options, &place);
	if (!pool_state_options(seen->xml, &opts))
		pool_edit_transport(opts, out->asked, sizeof(out->asked));
	if (seen->target)
		place.target = (char *)seen->target;
	if (!view && !view_open(&none, &nothing))
		view = none;
	if (view && place.fs_spec)
		view_wanted_of(view, &place, &out->wanted);
	out->wanted.place = NULL;
	if (view)
		pool_state_find_run(seen, view, source, out);
	named = out->run == POOL_RUN_RDMA || out->run == POOL_RUN_TCP;
	str_copy(out->run_name, sizeof(out->run_name),
		 named ? out->mount->mount->proto : names[out->run]);
}
