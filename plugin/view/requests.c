/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What was requested of mount.nfsrdma (plugin/request): where nothing is mounted, and for a mount
 * that is not over RDMA. What a mount is only mountinfo and mountstats say. */
#include <stdio.h>

#include "plugin/view/internal.h"

/* The age of a mount is in whole seconds, and the view's time is not exactly that of reading. */
#define AGE_SLACK_MS 3000

const char *requests_target(const struct view *view, const struct nfs_mount *mount)
{
	const struct host_mount *whole = view->whole[mount - view->nfs->list];

	return whole ? whole->target : mount->target;
}

/* Whether it is of a mount that was made since. If one export has several mounts, the age is that
 * of the first, which is larger: then this is not known, nor if mountstats has no age. */
static bool requests_is_earlier(const struct view *view, const struct request *request,
				const struct nfs_mount *mount)
{
	return request->mounted && mount->nxprts && mount->age < view->now / 1000 &&
	       request->at_ms + AGE_SLACK_MS < view->now - mount->age * 1000;
}

enum view_force requests_force(const struct request *request)
{
	static const struct {
		enum policy_mode mode;
		enum view_force force;
	} rows[] = { { POLICY_REQUIRE, FORCE_REQUIRE }, { POLICY_PREFER, FORCE_PREFER } };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(request->policy, policy_mode_name(rows[i].mode)))
			return rows[i].force;
	return FORCE_NONE;
}

const struct request *view_request(const struct view *view, const struct nfs_mount *mount)
{
	if (!view->requests->count)
		return NULL;
	return request_of(view->requests, requests_target(view, mount));
}

const struct request *requests_of(const struct view *view, const struct nfs_mount *mount)
{
	const struct request *request = view_request(view, mount);
	char source[sizeof(mount->fs_spec)];
	struct view_asks asks;

	if (!request || request->broken)
		return NULL;
	/* mount.nfsrdma adds the transport to the options of mount.nfs, which libmount keeps; with
	 * prefer it may have mounted it over TCP in the end. */
	view_asks(NULL, mount->asked, &asks);
	if (*mount->asked && strlen(mount->asked) < sizeof(mount->asked) - 1 &&
	    asks.asked != ASKED_RDMA && requests_force(request) != FORCE_PREFER)
		return NULL;
	text_copy(source, sizeof(source), request->source);
	return view_same_source(source, mount->fs_spec) &&
			       !requests_is_earlier(view, request, mount)
		       ? request
		       : NULL;
}

bool requests_is_shared(const struct view *view, const struct request *request,
			const struct nfs_mount *mount)
{
	unsigned int i, same = 0;

	for (i = 0; request->mounted && i < view->nfs->count; i++)
		same += !strcmp(view->nfs->list[i].dev, mount->dev);
	return same > 1;
}

static void requests_file(const struct request *request, char out[VIEW_FILE_MAX])
{
	snprintf(out, VIEW_FILE_MAX, "/" REQUEST_FOLDER "/%s", request->name);
}

bool view_lost(const struct view *view, const char *dir, struct view_lost *out)
{
	const struct request *request = dir ? request_of(view->requests, dir) : NULL;
	size_t i;

	*out = (struct view_lost){ .why = "" };
	for (i = 0; !dir && i < view->requests->count && !request; i++)
		if (view->requests->list[i].broken)
			request = &view->requests->list[i];
	if (request && request->broken) {
		text_copy(out->why, sizeof(out->why), request->text);
		requests_file(request, out->file);
	} else if (*view->requests_unknown) {
		text_copy(out->why, sizeof(out->why), view->requests_unknown);
		str_copy(out->file, sizeof(out->file), "/" REQUEST_FOLDER);
		out->all = true;
	}
	return *out->why;
}

int requests_places(const struct view *view, struct view_places *out)
{
	char file[VIEW_FILE_MAX];
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < view->requests->count; i++) {
		const struct request *request = &view->requests->list[i];
		struct view_place place = { .kind = PLACE_PENDING,
					    .target = (char *)request->target,
					    .fs_spec = (char *)request->source,
					    .name = file,
					    .asked = ASKED_RDMA,
					    .expected = true,
					    .by = "an unfinished mount" };

		if (request->broken || request->mounted)
			continue;
		requests_file(request, file);
		place.force = requests_force(request);
		rc = view_places_add(out, &place);
	}
	return rc;
}

/* Marks the requests whose mount mountinfo shows. */
static void requests_find_mounted(const struct view *view, bool *mounted)
{
	size_t i;

	for (i = 0; i < view->tree.count; i++) {
		const struct host_mount *mount = &view->tree.list[i];
		const struct request *request = strncmp(mount->type, "nfs", 3)
							? NULL
							: request_of(view->requests, mount->target);

		if (request && !request->broken && view_same_source(mount->source, request->source))
			mounted[request - view->requests->list] = true;
	}
}

void view_settle(const struct view *view, const char *root)
{
	_cleanup_close_ int folder = -1;
	bool incomplete = view->tree.cut || view->nfs->unreadable;
	_cleanup_free_ bool *mounted = calloc(view->requests->count + 1, sizeof(*mounted));
	size_t i;

	if (!mounted)
		return;
	requests_find_mounted(view, mounted);
	for (i = 0; i < view->requests->count; i++) {
		const struct request *request = &view->requests->list[i];
		bool there = mounted[i];

		if (request->broken || there == request->mounted || (!there && incomplete))
			continue;
		if (folder < 0)
			folder = request_open(root);
		if (folder < 0 || request_settle(view->host, folder, request, there))
			debug(DEBUG_GATE, "%s: %s", request->target, err_text());
	}
}
