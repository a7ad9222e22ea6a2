/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Watched objects over time: observations in, events out. Pure. */
#include "plugin/watch/internal.h"
#include "rpcrdma/base/grow.h"

static const char *const object_kinds[OBJECT_KINDS] = {
	[OBJECT_MOUNT] = "mount",
	[OBJECT_DOMAIN] = "domain",
	[OBJECT_POOL] = "pool",
	[OBJECT_DISK] = "disk",
};

static const char *const object_states[STATE_COUNT] = {
	[STATE_UNREQUESTED] = "calm",
	[STATE_GOOD] = "good",
	[STATE_BAD] = "lost",
	[STATE_UNKNOWN] = "unknown",
};

const char *objects_kind_name(enum object_kind kind)
{
	return object_kinds[kind];
}

const char *objects_state_name(enum object_state state)
{
	return object_states[state];
}

/* Memory for one more; of OBJECTS_MAX that of the object that is gone longest. */
static int objects_make_room(struct watch_objects *objects, struct object_history **out)
{
	struct object_history *known = NULL;
	size_t i;

	if (objects->count == OBJECTS_MAX) {
		for (i = 0; i < objects->count; i++)
			if (!objects->list[i]->present && !objects->list[i]->seen &&
			    (!known || objects->list[i]->order < known->order))
				known = objects->list[i];
		if (!known)
			return err_set(ENOSPC, "more than %d mounts, pools and disks", OBJECTS_MAX);
		*out = known;
		return 0;
	}
	if (!grow(objects->list, objects->count))
		return err_no_memory();
	known = malloc(sizeof(*known));
	if (!known)
		return err_no_memory();
	objects->list[objects->count++] = known;
	*out = known;
	return 0;
}

void objects_fini(struct watch_objects *objects)
{
	while (objects->count)
		free(objects->list[--objects->count]);
	free(objects->list);
	*objects = (struct watch_objects){ .count = 0 };
}

void objects_begin(struct watch_objects *objects)
{
	size_t i;

	objects->scans++;
	for (i = 0; i < objects->count; i++)
		objects->list[i]->seen = false;
}

/* What was over RDMA without a request should be over RDMA again. */
static void object_request_past(struct object_history *known)
{
	struct watch_object *now = &known->now;

	known->by_past = !now->wanted && known->was_rdma && now->run != OBJECT_RDMA;
	if (!known->by_past)
		return;
	now->wanted = true;
	str_copy(now->wanted_by, sizeof(now->wanted_by), "it was over RDMA before");
	if (now->run == OBJECT_OTHER && (now->kind == OBJECT_MOUNT || !*now->reason))
		str_copy(now->reason, sizeof(now->reason),
			 now->kind == OBJECT_POOL ? "not-rdma" : "was-rdma");
	if (!*now->text)
		snprintf(now->text, sizeof(now->text), "over %s, but it was over RDMA before",
			 *now->proto ? now->proto : "another transport");
}

int objects_see(struct watch_objects *objects, const struct watch_object *object, object_sink sink,
		void *arg)
{
	/* To avoid most string comparisons. */
	uint64_t hash = bytes_digest(object->key, strlen(object->key));
	struct object_history *known = NULL;
	bool was_present, lost, back;
	size_t i;

	for (i = 0; i < objects->count && !known; i++)
		if (objects->list[i]->hash == hash && objects->list[i]->now.kind == object->kind &&
		    !strcmp(objects->list[i]->now.key, object->key))
			known = objects->list[i];
	was_present = known && known->present;
	if (!known) {
		int rc = objects_make_room(objects, &known);

		if (rc)
			return rc;
		*known = (struct object_history){ .hash = hash };
	}
	known->now = *object;
	object_request_past(known);
	if (known->now.run == OBJECT_RDMA)
		known->state = STATE_GOOD;
	else if (!known->now.wanted)
		known->state = STATE_UNREQUESTED;
	else
		known->state = known->now.run == OBJECT_OTHER ? STATE_BAD : STATE_UNKNOWN;
	known->seen = known->present = true;
	known->order = objects->scans;
	lost = known->state == STATE_BAD && (!known->reported || !was_present);
	back = known->state == STATE_GOOD && known->reported;
	if (lost || known->state == STATE_GOOD || known->state == STATE_UNREQUESTED)
		known->reported = lost;
	if (lost)
		objects->lost[known->now.kind]++;
	if (lost || back)
		sink(arg, lost ? OBJECT_LOST : OBJECT_BACK, &known->now);
	known->was_rdma |= object->run == OBJECT_RDMA;
	return 0;
}

/* An object that was lost only by comparison with its past, and then removed, starts anew
 * when it appears again: its new transport is deliberate. */
void objects_end(struct watch_objects *objects, object_gone gone, void *arg)
{
	struct object_history *known;
	size_t i;

	for (i = 0; i < objects->count; i++) {
		known = objects->list[i];
		if (known->present && !known->seen && gone)
			gone(arg, &known->now, known->state);
		if (known->present && !known->seen && known->by_past)
			known->was_rdma = false;
		known->present = known->seen;
	}
}

unsigned int objects_count(const struct watch_objects *objects, enum object_kind kind,
			   enum object_state state)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < objects->count; i++)
		count += objects->list[i]->present && objects->list[i]->now.kind == kind &&
			 objects->list[i]->state == state;
	return count;
}
