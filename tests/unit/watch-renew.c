/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which records are written, renewed and dropped. */
#include "plugin/watch/internal.h"
#include "suite.h"

#define BOOT  "b3fe4a6a-8f6b-425a-81db-11412b84d08b"
#define OTHER "00000000-8f6b-425a-81db-11412b84d08b"
#define NOW   10000000

static struct nfs_mount mount;
static struct nfs_mounts mounts;
static struct view_mount seen;
static const struct view_mount *const all_seen[] = { &seen };
static struct record list[4];
static struct record_list records;
static struct renew_input input;
static char said[512];

/* A mount over RDMA that was not requested so, and no record. */
static void begin(void)
{
	memset(&mount, 0, sizeof(mount));
	mount.id = 90;
	strcpy(mount.dev, "0:53");
	strcpy(mount.target, "/srv/vm");
	strcpy(mount.fs_spec, "nas:/vm");
	strcpy(mount.proto, "rdma");
	mount.age = 3600;
	mounts = (struct nfs_mounts){ .count = 1, .list = &mount };
	seen = (struct view_mount){ .mount = &mount, .run = RUN_RDMA };
	records = (struct record_list){ .count = 0, .list = list };
	input = (struct renew_input){ &mounts, all_seen, &records, BOOT, NOW };
}

static struct record *add(unsigned int id, enum record_state state, uint64_t age)
{
	struct record *record = &list[records.count++];

	*record = (struct record){ .state = state, .checked_ms = NOW - age };
	record_of_mount(record, &mount);
	record->id = id;
	strcpy(record->boot_id, BOOT);
	strcpy(record->wanted, "rdma");
	strcpy(record->by, "mount.nfsrdma");
	if (!id) {
		strcpy(record->dev, "");
		strcpy(record->effective, "");
	}
	return record;
}

/* Of the first record to write. */
static char renewed_policy[16];

/* "write proven rdma; drop 0" */
static const char *plan(void)
{
	static const char *const actions[] = { "write", "drop", "gone" };
	struct renewal *todo = NULL;
	size_t count = 0, used = 0, i;

	*said = '\0';
	CU_ASSERT_EQUAL_FATAL(renew_plan(&input, &todo, &count), 0);
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(
			said + used, sizeof(said) - used, "%s%s %u%s%s%s%s", i ? "; " : "",
			actions[todo[i].action], todo[i].record.id,
			todo[i].action == RENEW_WRITE ? " " : "",
			todo[i].action == RENEW_WRITE ? record_state_name(todo[i].record.state)
						      : "",
			todo[i].action == RENEW_WRITE && *todo[i].record.wanted ? " wanted " : "",
			todo[i].action == RENEW_WRITE ? todo[i].record.wanted : "");
	if (count && todo[0].action == RENEW_WRITE)
		strcpy(renewed_policy, todo[0].record.policy);
	if (count && todo[0].action == RENEW_WRITE) {
		CU_ASSERT_EQUAL(todo[0].record.checked_ms, NOW);
		CU_ASSERT_STRING_EQUAL(todo[0].record.by, "nfsrdma-watch");
		CU_ASSERT_STRING_EQUAL(todo[0].record.boot_id, BOOT);
	}
	free(todo);
	return said;
}

static void rdma_and_requested_mounts_have_records(void)
{
	begin();
	CU_ASSERT_STRING_EQUAL(plan(), "write 90 proven");
	seen.run = RUN_OTHER;
	CU_ASSERT_STRING_EQUAL(plan(), "");
	seen.wanted.rdma = true;
	CU_ASSERT_STRING_EQUAL(plan(), "write 90 tcp");
	/* Today's policy is not what was requested at mount time. */
	seen.wanted.lasting = true;
	CU_ASSERT_STRING_EQUAL(plan(), "write 90 tcp wanted rdma");
}

static void only_observed_mounts_are_proven(void)
{
	static const struct {
		enum view_run run;
		const char *plan;
	} rows[] = {
		{ RUN_RDMA, "write 90 proven" },      { RUN_CLAIMED, "write 90 proven" },
		{ RUN_MIXED, "write 90 unproven" },   { RUN_OTHER, "write 90 tcp" },
		{ RUN_UNKNOWN, "write 90 unproven" },
	};
	size_t i;

	begin();
	seen.wanted.rdma = true;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].plan);
		seen.run = rows[i].run;
		CU_ASSERT_STRING_EQUAL(plan(), rows[i].plan);
	}
}

static void a_record_is_renewed_with_its_request(void)
{
	begin();
	strcpy(add(90, RECORD_PROVEN, 9999)->policy, "prefer");
	CU_ASSERT_STRING_EQUAL(plan(), "");
	list[0].checked_ms = NOW - 10000;
	CU_ASSERT_STRING_EQUAL(plan(), "write 90 proven wanted rdma");
	CU_ASSERT_STRING_EQUAL(renewed_policy, "prefer");
	/* A change is written at once. */
	list[0].checked_ms = NOW - 10;
	seen.run = RUN_OTHER;
	strcpy(mount.proto, "tcp");
	CU_ASSERT_STRING_EQUAL(plan(), "write 90 tcp wanted rdma");
	/* The record belongs to another mount with that id. */
	strcpy(list[0].dev, "0:54");
	CU_ASSERT_STRING_EQUAL(plan(), "gone 90");
}

/* The kernel reuses ids immediately. */
static void a_reused_mount_id_inherits_nothing(void)
{
	begin();
	mount.nxprts = 1;
	mount.age = 1;
	seen.run = RUN_OTHER;
	add(90, RECORD_PROVEN, 12000);
	CU_ASSERT_PTR_NULL(renew_record(&input, &mount));
	CU_ASSERT_STRING_EQUAL(plan(), "gone 90");
	/* It has its own record then. */
	seen.run = RUN_RDMA;
	CU_ASSERT_STRING_EQUAL(plan(), "write 90 proven; gone 90");
	/* A record is written some moments after the mount was made. */
	mount.age = 12;
	CU_ASSERT_STRING_EQUAL(plan(), "write 90 proven wanted rdma");
}

static void a_running_helper_is_left_alone(void)
{
	static const struct {
		uint64_t pending_age, mount_age_s;
		const char *plan;
	} rows[] = {
		{ 0, 0, "" },
		{ 29999, 3600, "" },
		{ 120000, 10, "" },
		{ 30000, 30, "write 90 tcp wanted rdma; drop 0" },
		{ 901000, 10, "write 90 tcp wanted rdma; drop 0" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].plan);
		begin();
		seen.wanted = (struct view_wanted){ .rdma = true, .lasting = true };
		mount.age = rows[i].mount_age_s;
		strcpy(add(0, RECORD_UNPROVEN, rows[i].pending_age)->policy, "prefer");
		/* What is over RDMA needs no helper any more, and has what it requested. */
		*renewed_policy = '\0';
		CU_ASSERT_STRING_EQUAL(plan(), "write 90 proven wanted rdma; drop 0");
		CU_ASSERT_STRING_EQUAL(renewed_policy, "prefer");
		seen.run = RUN_OTHER;
		CU_ASSERT_STRING_EQUAL(plan(), rows[i].plan);
	}
	/* Written after the scan began. */
	begin();
	seen.run = RUN_OTHER;
	add(0, RECORD_UNPROVEN, 0)->checked_ms = NOW + 50;
	CU_ASSERT_STRING_EQUAL(plan(), "");
	CU_ASSERT(renew_is_helpers(&input, &mount));
}

static void an_outdated_pending_record_is_dropped(void)
{
	begin();
	add(90, RECORD_PROVEN, 1000);
	add(0, RECORD_UNPROVEN, 2000);
	CU_ASSERT_FALSE(renew_is_helpers(&input, &mount));
	CU_ASSERT_STRING_EQUAL(plan(), "drop 0");
	/* It was mounted again on the same directory. */
	list[1].checked_ms = NOW - 500;
	seen.run = RUN_OTHER;
	CU_ASSERT_STRING_EQUAL(plan(), "");
}

static void records_of_missing_mounts_are_dropped(void)
{
	begin();
	add(91, RECORD_PROVEN, 1000);
	mounts.count = 0;
	CU_ASSERT_STRING_EQUAL(plan(), "gone 91");
	/* Nobody has seen the mount of a pending record. */
	list[0].id = 0;
	CU_ASSERT_STRING_EQUAL(plan(), "");
	/* Its helper was killed: the request stays until the next boot. */
	list[0].checked_ms = 0;
	CU_ASSERT_STRING_EQUAL(plan(), "");
	/* The clock of another boot. */
	list[0].checked_ms = NOW + 100000;
	CU_ASSERT_STRING_EQUAL(plan(), "drop 0");
	list[0].checked_ms = NOW - 10;
	strcpy(list[0].boot_id, OTHER);
	CU_ASSERT_STRING_EQUAL(plan(), "drop 0");
	list[0].id = 91;
	CU_ASSERT_STRING_EQUAL(plan(), "drop 91");
}

static void no_record_is_dropped_while_mounts_are_unknown(void)
{
	begin();
	add(91, RECORD_PROVEN, 1000);
	add(0, RECORD_UNPROVEN, RENEW_PENDING_MS);
	mounts.count = 0;
	mounts.unreadable = 1;
	CU_ASSERT_STRING_EQUAL(plan(), "");
	mounts.unreadable = 0;
	mounts.cut = true;
	CU_ASSERT_STRING_EQUAL(plan(), "");
}

SUITE_MAIN("watch-renew", TEST(rdma_and_requested_mounts_have_records),
	   TEST(only_observed_mounts_are_proven), TEST(a_record_is_renewed_with_its_request),
	   TEST(a_reused_mount_id_inherits_nothing), TEST(a_running_helper_is_left_alone),
	   TEST(an_outdated_pending_record_is_dropped), TEST(records_of_missing_mounts_are_dropped),
	   TEST(no_record_is_dropped_while_mounts_are_unknown))
