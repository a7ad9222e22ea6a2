/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Observations over time: which sequences are reported, and how. */
#include "plugin/watch/internal.h"
#include "suite.h"

static struct watch_objects objects;
static char events[64];

static void on_event(void *arg, enum object_event event, const struct watch_object *object)
{
	(void)arg, (void)object;
	strcat(events, event == OBJECT_LOST ? "L" : "B");
}

/* One observation: r over RDMA, o over something else, u unknown, . absent. Capitals: and RDMA is
 * not requested. */
static struct watch_object object_of(char seen, const char *key)
{
	struct watch_object object = { .kind = OBJECT_MOUNT };

	strcpy(object.key, key);
	strcpy(object.name, key);
	strcpy(object.proto, "tcp");
	object.wanted = strchr("rou", seen);
	object.run = strchr("rR", seen)   ? OBJECT_RDMA
		     : strchr("oO", seen) ? OBJECT_OTHER
					  : OBJECT_UNKNOWN;
	return object;
}

static void scan(char seen, const char *key)
{
	struct watch_object object = object_of(seen, key);

	objects_begin(&objects);
	if (seen != '.')
		CU_ASSERT_EQUAL(objects_see(&objects, &object, on_event, NULL), 0);
	objects_end(&objects, NULL, NULL);
}

/* The events of each scan, "-" where there is none. */
static const char *told(const char *sequence)
{
	static char all[128];
	const char *p;

	*all = '\0';
	for (p = sequence; *p; p++) {
		SUITE_ROW("%s", p);
		*events = '\0';
		scan(*p, "/srv/vm");
		strcat(all, *events ? events : "-");
	}
	objects_fini(&objects);
	return all;
}

static void sequences_of_observations_are_reported_as_expected(void)
{
	static const struct {
		const char *seen, *told;
	} rows[] = {
		/* Once, however often it is observed. */
		{ "rrrr", "----" },
		{ "rooo", "-L--" },
		{ "oooo", "L---" },
		{ "roor", "-L-B" },
		{ "ororo", "LBLBL" },
		/* Unknown is neither good nor bad, and changes nothing. */
		{ "uuu", "---" },
		{ "ruur", "----" },
		{ "ruo", "--L" },
		{ "ouuo", "L---" },
		{ "ouur", "L--B" },
		/* An object that was absent is new. */
		{ "o.o", "L-L" },
		{ "o.r", "L-B" },
		{ "r.r", "---" },
		{ "r.o", "--L" },
		{ "..o", "--L" },
		{ "o.u.o", "L---L" },
		/* Things that do not request RDMA are ignored, */
		{ "OOO", "---" },
		{ "RRR", "---" },
		{ "UUU", "---" },
		/* except those that were over RDMA. */
		{ "RO", "-L" },
		{ "ROR", "-LB" },
		{ "R.O", "--L" },
		{ "RUO", "--L" },
		{ "ROOO", "-L--" },
		/* An administrator changed it, and again: reported once. */
		{ "RO.O", "-L--" },
		{ "RO.R", "-L-B" },
		/* A request that appears and disappears. */
		{ "Oo", "-L" },
		{ "oO", "L-" },
		{ "oOo", "L-L" },
		{ "oOr", "L--" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got = told(rows[i].seen);
		SUITE_ROW("%zu: %s", i, rows[i].seen);

		CU_ASSERT_STRING_EQUAL(got, rows[i].told);
	}
}

static void objects_are_distinguished_by_kind_and_key(void)
{
	struct watch_object object;

	*events = '\0';
	objects_begin(&objects);
	object = object_of('o', "/a");
	CU_ASSERT_EQUAL(objects_see(&objects, &object, on_event, NULL), 0);
	object = object_of('r', "/b");
	CU_ASSERT_EQUAL(objects_see(&objects, &object, on_event, NULL), 0);
	object = object_of('u', "/a");
	object.kind = OBJECT_POOL;
	CU_ASSERT_EQUAL(objects_see(&objects, &object, on_event, NULL), 0);
	objects_end(&objects, NULL, NULL);
	CU_ASSERT_STRING_EQUAL(events, "L");
	CU_ASSERT_EQUAL(objects_count(&objects, OBJECT_MOUNT, STATE_BAD), 1);
	CU_ASSERT_EQUAL(objects_count(&objects, OBJECT_MOUNT, STATE_GOOD), 1);
	CU_ASSERT_EQUAL(objects_count(&objects, OBJECT_POOL, STATE_UNKNOWN), 1);
	CU_ASSERT_EQUAL(objects_count(&objects, OBJECT_DISK, STATE_GOOD), 0);
	CU_ASSERT_EQUAL(objects.lost[OBJECT_MOUNT], 1);
	objects_fini(&objects);
}

static void missing_objects_are_not_counted(void)
{
	scan('o', "/a");
	scan('.', "/a");
	CU_ASSERT_EQUAL(objects_count(&objects, OBJECT_MOUNT, STATE_BAD), 0);
	objects_fini(&objects);
}

/* The event says what it was before. */
static void an_earlier_rdma_object_says_so(void)
{
	scan('R', "/a");
	scan('O', "/a");
	CU_ASSERT_STRING_EQUAL(objects.list[0]->now.text, "over tcp, but it was over RDMA before");
	CU_ASSERT_STRING_EQUAL(objects.list[0]->now.wanted_by, "it was over RDMA before");
	CU_ASSERT_EQUAL(objects.list[0]->state, STATE_BAD);
	objects_fini(&objects);
}

/* A host that mounts and unmounts for years. */
static void the_oldest_missing_objects_are_forgotten(void)
{
	char key[32];
	unsigned int i;

	scan('o', "/kept");
	for (i = 0; i < 200; i++) {
		struct watch_object object;

		objects_begin(&objects);
		snprintf(key, sizeof(key), "/m%u", i);
		object = object_of('r', key);
		objects_see(&objects, &object, on_event, NULL);
		object = object_of('o', "/kept");
		objects_see(&objects, &object, on_event, NULL);
		objects_end(&objects, NULL, NULL);
	}
	CU_ASSERT_EQUAL(objects.count, 201);
	CU_ASSERT_EQUAL(objects_count(&objects, OBJECT_MOUNT, STATE_GOOD), 1);
	objects_fini(&objects);
}

/* The maximum number of objects, and one more. */
static void objects_have_a_maximum_number(void)
{
	static struct watch_object object;
	struct object_history *known;
	size_t i;

	known = calloc(OBJECTS_MAX, sizeof(*known));
	objects.list = calloc(OBJECTS_MAX, sizeof(struct object_history *));
	CU_ASSERT_FATAL(known);
	CU_ASSERT_FATAL(objects.list);
	for (i = 0; i < OBJECTS_MAX; i++) {
		objects.list[i] = &known[i];
		known[i].present = true;
		snprintf(known[i].now.key, sizeof(known[i].now.key), "%zu", i);
	}
	objects.count = OBJECTS_MAX;
	objects_begin(&objects);
	object = object_of('o', "/more");
	CU_ASSERT_EQUAL(objects_see(&objects, &object, on_event, NULL), -ENOSPC);
	known[17].present = false;
	CU_ASSERT_EQUAL(objects_see(&objects, &object, on_event, NULL), 0);
	CU_ASSERT_STRING_EQUAL(known[17].now.key, "/more");
	free(objects.list);
	free(known);
	objects = (struct watch_objects){ .count = 0 };
}

SUITE_MAIN("watch-objects", TEST(sequences_of_observations_are_reported_as_expected),
	   TEST(objects_are_distinguished_by_kind_and_key), TEST(missing_objects_are_not_counted),
	   TEST(an_earlier_rdma_object_says_so), TEST(the_oldest_missing_objects_are_forgotten),
	   TEST(objects_have_a_maximum_number))
