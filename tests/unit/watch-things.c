/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Observations over time: which sequences are reported, and how. */
#include "plugin/watch/internal.h"
#include "suite.h"

static struct things things;
static char events[64];

static void on_event(void *arg, enum thing_event event, const struct thing *thing)
{
	(void)arg, (void)thing;
	strcat(events, event == THING_LOST ? "L" : "B");
}

/* One observation: r over RDMA, o over something else, u unknown, . absent. Capitals: and RDMA is
 * not requested. */
static struct thing thing_of(char seen, const char *key)
{
	struct thing thing = { .kind = THING_MOUNT };

	strcpy(thing.key, key);
	strcpy(thing.name, key);
	strcpy(thing.proto, "tcp");
	thing.wanted = strchr("rou", seen);
	thing.run = strchr("rR", seen)   ? THING_RDMA
		    : strchr("oO", seen) ? THING_OTHER
					 : THING_UNKNOWN;
	return thing;
}

static void look(char seen, const char *key)
{
	struct thing thing = thing_of(seen, key);

	things_begin(&things);
	if (seen != '.')
		CU_ASSERT_EQUAL(things_see(&things, &thing, on_event, NULL), 0);
	things_end(&things);
}

/* The events of each look, "-" where there is none. */
static const char *told(const char *sequence)
{
	static char all[128];
	const char *p;

	*all = '\0';
	for (p = sequence; *p; p++) {
		SUITE_ROW("%s", p);
		*events = '\0';
		look(*p, "/srv/vm");
		strcat(all, *events ? events : "-");
	}
	things_fini(&things);
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
		/* A thing that was absent is new. */
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

static void things_are_distinguished_by_kind_and_key(void)
{
	struct thing thing;

	*events = '\0';
	things_begin(&things);
	thing = thing_of('o', "/a");
	CU_ASSERT_EQUAL(things_see(&things, &thing, on_event, NULL), 0);
	thing = thing_of('r', "/b");
	CU_ASSERT_EQUAL(things_see(&things, &thing, on_event, NULL), 0);
	thing = thing_of('u', "/a");
	thing.kind = THING_POOL;
	CU_ASSERT_EQUAL(things_see(&things, &thing, on_event, NULL), 0);
	things_end(&things);
	CU_ASSERT_STRING_EQUAL(events, "L");
	CU_ASSERT_EQUAL(things_count(&things, THING_MOUNT, STATE_BAD), 1);
	CU_ASSERT_EQUAL(things_count(&things, THING_MOUNT, STATE_GOOD), 1);
	CU_ASSERT_EQUAL(things_count(&things, THING_POOL, STATE_UNKNOWN), 1);
	CU_ASSERT_EQUAL(things_count(&things, THING_DISK, STATE_GOOD), 0);
	CU_ASSERT_EQUAL(things.lost[THING_MOUNT], 1);
	things_fini(&things);
}

static void missing_things_are_not_counted(void)
{
	look('o', "/a");
	look('.', "/a");
	CU_ASSERT_EQUAL(things_count(&things, THING_MOUNT, STATE_BAD), 0);
	things_fini(&things);
}

/* The event says what it was before. */
static void an_earlier_rdma_thing_says_so(void)
{
	look('R', "/a");
	look('O', "/a");
	CU_ASSERT_STRING_EQUAL(things.list[0]->now.text,
			       "over tcp, but it was over RDMA before");
	CU_ASSERT_STRING_EQUAL(things.list[0]->now.wanted_by, "it was over RDMA before");
	CU_ASSERT_EQUAL(things.list[0]->state, STATE_BAD);
	things_fini(&things);
}

/* A host that mounts and unmounts for years. */
static void the_oldest_missing_things_are_forgotten(void)
{
	char key[32];
	unsigned int i;

	look('o', "/kept");
	for (i = 0; i < 200; i++) {
		struct thing thing;

		things_begin(&things);
		snprintf(key, sizeof(key), "/m%u", i);
		thing = thing_of('r', key);
		things_see(&things, &thing, on_event, NULL);
		thing = thing_of('o', "/kept");
		things_see(&things, &thing, on_event, NULL);
		things_end(&things);
	}
	CU_ASSERT_EQUAL(things.count, 201);
	CU_ASSERT_EQUAL(things_count(&things, THING_MOUNT, STATE_GOOD), 1);
	things_fini(&things);
}

/* The maximum number of things, and one more. */
static void things_have_a_maximum_number(void)
{
	static struct thing thing;
	struct thing_known *known;
	size_t i;

	known = calloc(THINGS_MAX, sizeof(*known));
	things.list = calloc(THINGS_MAX, sizeof(struct thing_known *));
	CU_ASSERT_FATAL(known);
	CU_ASSERT_FATAL(things.list);
	for (i = 0; i < THINGS_MAX; i++) {
		things.list[i] = &known[i];
		known[i].present = true;
		snprintf(known[i].now.key, sizeof(known[i].now.key), "%zu", i);
	}
	things.count = THINGS_MAX;
	things_begin(&things);
	thing = thing_of('o', "/more");
	CU_ASSERT_EQUAL(things_see(&things, &thing, on_event, NULL), -ENOSPC);
	known[17].present = false;
	CU_ASSERT_EQUAL(things_see(&things, &thing, on_event, NULL), 0);
	CU_ASSERT_STRING_EQUAL(known[17].now.key, "/more");
	free(things.list);
	free(known);
	things = (struct things){ .count = 0 };
}

SUITE_MAIN("watch-things", TEST(sequences_of_observations_are_reported_as_expected),
	   TEST(things_are_distinguished_by_kind_and_key),
	   TEST(missing_things_are_not_counted), TEST(an_earlier_rdma_thing_says_so),
	   TEST(the_oldest_missing_things_are_forgotten),
	   TEST(things_have_a_maximum_number))
