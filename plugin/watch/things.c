/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Watched objects over time: looks in, events out. Pure. */
#include "plugin/watch/internal.h"

static const char *const kinds[THING_KINDS] = {
	[THING_MOUNT] = "mount",
	[THING_DOMAIN] = "domain",
	[THING_POOL] = "pool",
	[THING_DISK] = "disk",
};

static const char *const states[STATE_COUNT] = {
	[STATE_CALM] = "calm",
	[STATE_GOOD] = "good",
	[STATE_BAD] = "lost",
	[STATE_UNKNOWN] = "unknown",
};

const char *things_kind_name(enum thing_kind kind)
{
	return kinds[kind];
}

const char *things_state_name(enum thing_state state)
{
	return states[state];
}

/* FNV-1a, to avoid most string comparisons. */
static uint32_t hash_of(const struct thing *thing)
{
	uint32_t hash = 0x811c9dc5u ^ (uint32_t)thing->kind;
	const char *p;

	for (p = thing->key; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 0x01000193u;
	return hash;
}

static struct thing_known *find(const struct things *things, const struct thing *thing)
{
	uint32_t hash = hash_of(thing);
	size_t i;

	for (i = 0; i < things->count; i++)
		if (things->list[i]->hash == hash &&
		    things->list[i]->now.kind == thing->kind &&
		    !strcmp(things->list[i]->now.key, thing->key))
			return things->list[i];
	return NULL;
}

/* The object that is gone longest; NULL: all are present. */
static struct thing_known *find_oldest(const struct things *things)
{
	struct thing_known *oldest = NULL;
	size_t i;

	for (i = 0; i < things->count; i++)
		if (!things->list[i]->present && !things->list[i]->seen &&
		    (!oldest || things->list[i]->order < oldest->order))
			oldest = things->list[i];
	return oldest;
}

static int grow(struct things *things, struct thing_known **out)
{
	struct thing_known *known, **list;

	if (things->count == THINGS_MAX) {
		*out = find_oldest(things);
		return *out ? 0
			    : err_set(ENOSPC, "more than %d mounts, pools and disks",
				      THINGS_MAX);
	}
	/* In steps: one look may add thousands. */
	if (!(things->count & (things->count - 1))) {
		list = realloc(things->list, (things->count ? 2 * things->count : 1) *
						     sizeof(struct thing_known *));
		if (!list)
			return err_set(ENOMEM, "no memory");
		things->list = list;
	}
	known = malloc(sizeof(*known));
	if (!known)
		return err_set(ENOMEM, "no memory");
	things->list[things->count++] = known;
	*out = known;
	return 0;
}

static int add(struct things *things, const struct thing *thing, struct thing_known **out)
{
	int rc = grow(things, out);

	if (!rc)
		**out = (struct thing_known){ .hash = hash_of(thing) };
	return rc;
}

void things_fini(struct things *things)
{
	while (things->count)
		free(things->list[--things->count]);
	free(things->list);
	*things = (struct things){ .count = 0 };
}

void things_begin(struct things *things)
{
	size_t i;

	things->looks++;
	for (i = 0; i < things->count; i++)
		things->list[i]->seen = false;
}

static enum thing_state state_of(const struct thing *thing)
{
	if (thing->run == THING_RDMA)
		return STATE_GOOD;
	if (!thing->wanted)
		return STATE_CALM;
	return thing->run == THING_OTHER ? STATE_BAD : STATE_UNKNOWN;
}

/* Reports changes. @was_there: present at the previous look. */
static void compare(struct things *things, struct thing_known *known, bool was_there,
		    thing_sink sink, void *arg)
{
	bool lost = known->state == STATE_BAD && (!known->told || !was_there);
	bool back = known->state == STATE_GOOD && known->told;

	if (lost || known->state == STATE_GOOD || known->state == STATE_CALM)
		known->told = lost;
	if (lost)
		things->lost[known->now.kind]++;
	if (lost || back)
		sink(arg, lost ? THING_LOST : THING_BACK, &known->now);
}

/* What was over RDMA without a request should be over RDMA again. */
static void want_as_before(struct thing_known *known)
{
	struct thing *now = &known->now;

	known->by_past = !now->wanted && known->was_rdma && now->run != THING_RDMA;
	if (!known->by_past)
		return;
	now->wanted = true;
	strcpy(now->wanted_by, "it was over RDMA before");
	if (now->run == THING_OTHER && (now->kind == THING_MOUNT || !*now->reason))
		strcpy(now->reason, now->kind == THING_POOL ? "not-rdma" : "was-rdma");
	if (!*now->text)
		snprintf(now->text, sizeof(now->text),
			 "over %s, but it was over RDMA before",
			 *now->proto ? now->proto : "another transport");
}

int things_see(struct things *things, const struct thing *thing, thing_sink sink,
	       void *arg)
{
	struct thing_known *known = find(things, thing);
	bool was_there = known && known->present;
	int rc = known ? 0 : add(things, thing, &known);

	if (rc)
		return rc;
	known->now = *thing;
	want_as_before(known);
	known->state = state_of(&known->now);
	known->seen = known->present = true;
	known->order = things->looks;
	compare(things, known, was_there, sink, arg);
	known->was_rdma |= thing->run == THING_RDMA;
	return 0;
}

/* An object that was lost only by comparison with its past, and then removed, starts anew
 * when it appears again: its new transport is deliberate. */
void things_end(struct things *things)
{
	struct thing_known *known;
	size_t i;

	for (i = 0; i < things->count; i++) {
		known = things->list[i];
		if (known->present && !known->seen && known->by_past)
			known->was_rdma = false;
		known->present = known->seen;
	}
}

unsigned int things_count(const struct things *things, enum thing_kind kind,
			  enum thing_state state)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < things->count; i++)
		count += things->list[i]->present && things->list[i]->now.kind == kind &&
			 things->list[i]->state == state;
	return count;
}
