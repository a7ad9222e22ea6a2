/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Who wants a mount, or what is to be mounted on a directory, over RDMA. The policy's sections count
 * first: what they say of a server, an export or a directory is its mode, whoever else asks for
 * RDMA. Section [default], and what is built in, cover nothing by themselves; they say with what
 * force it is wanted that is asked for elsewhere. */
#include <stdio.h>

#include "plugin/guard/internal.h"

/* --- places by path ------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct guard_spot *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void wish_sort(struct guard *guard)
{
	if (guard->nspots)
		qsort(guard->spots, guard->nspots, sizeof(*guard->spots), compare);
}

/* The first at this path; NULL: none. */
static const struct guard_spot *first_spot(const struct guard *guard, const char *dir)
{
	size_t low = 0, high = guard->nspots, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(guard->spots[middle].path, dir) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < guard->nspots && !strcmp(guard->spots[low].path, dir)
		       ? &guard->spots[low]
		       : NULL;
}

static const struct guard_spot *next_spot(const struct guard *guard,
					  const struct guard_spot *spot)
{
	const struct guard_spot *next = spot + 1;

	return next < guard->spots + guard->nspots && !strcmp(next->path, spot->path)
		       ? next
		       : NULL;
}

/* Sources are compared as texts, as libvirt does it; but for slashes that do not count. */
static bool same_source(const char *a, const char *b)
{
	for (;;) {
		while (*a == '/' && (a[1] == '/' || !a[1]))
			a++;
		while (*b == '/' && (b[1] == '/' || !b[1]))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

bool wish_is_there(const struct guard *guard, const char *dir, const char *source)
{
	const struct guard_spot *spot;

	for (spot = first_spot(guard, dir); spot; spot = next_spot(guard, spot))
		if (spot->place->fs_spec && same_source(spot->place->fs_spec, source))
			return true;
	return false;
}

/* --- who ------------------------------------------------------------------------------------ */

static void take_policy(const struct policy *policy, struct guard_wish *out)
{
	out->mode = policy->mode;
	out->on_unknown = policy->on_unknown;
	if (policy->scope < POLICY_OF_SERVER)
		return;
	out->covered = true;
	out->wanted = policy->mode != POLICY_OFF;
	memcpy(out->by, policy->mode_from, sizeof(out->by));
}

/* What is mounted may have a source that nobody could have written for us ("nas:vm", a blank in a
 * name). Who its server is shows all the same, and a section for that covers it. */
static void take_source(const char *source, struct spec *out)
{
	size_t len = *source == '[' ? strcspn(source, "]") : strcspn(source, ":");
	const char *host = source + (*source == '['), *path = source + len;

	if (!spec_parse(source, out))
		return;
	*out = (struct spec){ .family = IP_UNKNOWN };
	path += strspn(path, "]:");
	snprintf(out->host, sizeof(out->host), "%.*s",
		 (int)(len - (size_t)(host - source)), host);
	snprintf(out->path, sizeof(out->path), "%s%s", *path == '/' ? "" : "/", path);
}

static void policy_of(const struct guard *guard, const char *source, const char *dir,
		      struct policy *out)
{
	struct spec spec;

	take_source(source, &spec);
	policy_get(guard->policies, &spec, dir, out);
}

void wish_ask(struct guard_wish *wish, const char *by, bool many)
{
	if (wish->covered || wish->wanted)
		return;
	wish->wanted = true;
	wish->many = many;
	snprintf(wish->by, sizeof(wish->by), "%s", by);
}

static void take_place(const struct guard *guard, const struct guard_place *place,
		       const char *dir, struct guard_wish *out)
{
	struct policy policy;

	if (!out->covered && place->fs_spec) {
		policy_of(guard, place->fs_spec, dir, &policy);
		take_policy(&policy, out);
	}
	if (place->wants_rdma)
		wish_ask(out, place->by, false);
	/* The one that asks is told of, else any that is covered. */
	if (place->wants_rdma ? !out->place || !out->place->wants_rdma
			      : out->covered && !out->place && place->fs_spec)
		out->place = place;
}

void wish_of_dir(const struct guard *guard, const char *dir, struct guard_wish *out)
{
	const struct guard_spot *spot;
	struct policy policy;

	*out = (struct guard_wish){ .covered = false };
	policy_get_dir(guard->policies, dir, &policy);
	take_policy(&policy, out);
	for (spot = first_spot(guard, dir); spot; spot = next_spot(guard, spot))
		take_place(guard, spot->place, dir, out);
}

void wish_of_mount(const struct guard *guard, const char *source, const char *dir,
		   struct guard_wish *out)
{
	struct policy policy;

	*out = (struct guard_wish){ .covered = false };
	policy_of(guard, source, dir, &policy);
	take_policy(&policy, out);
}
