/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is requested of a mount, by which source, and whether it is binding: from data alone, in
 * the order of view.h. */
#include "plugin/record/record.h"
#include "plugin/view/internal.h"
#include "suite.h"

#define BOOT "b3fe4a6a-8f6b-425a-81db-11412b84d08b"
#define NOW  1000000

static struct nfs_mount list[2];
static struct nfs_mounts mounts;
static struct policies *policies;
static struct record record;
static struct record_list records;
static struct view *view;

/* A mount over TCP without any request. */
static void begin(void)
{
	memset(list, 0, sizeof(list));
	list[0].id = 90;
	list[0].parent = UINT32_MAX;
	strcpy(list[0].dev, "0:53");
	strcpy(list[0].target, "/srv/vm");
	strcpy(list[0].fs_spec, "nas:/vm");
	strcpy(list[0].proto, "tcp");
	strcpy(list[0].addr, "192.0.2.1");
	mounts = (struct nfs_mounts){ .count = 1, .list = list };
	records = (struct record_list){ .count = 0, .list = &record };
}

static const struct view_mount *see(const char *policy)
{
	struct view_sources sources = {
		.now = NOW, .mounts = &mounts, .records = &records, .boot_id = BOOT
	};
	char text[256];

	view_close(view);
	view = NULL;
	policy_free(policies);
	CU_ASSERT_EQUAL_FATAL(policy_new(&policies), 0);
	snprintf(text, sizeof(text), "%s", policy);
	CU_ASSERT_EQUAL(policy_add(policies, "conf", text), 0);
	sources.policies = policies;
	CU_ASSERT_EQUAL_FATAL(view_open(&view, &sources), 0);
	return view_mount(view, 0);
}

static void end(void)
{
	view_close(view);
	view = NULL;
	policy_free(policies);
	policies = NULL;
}

static void keep(enum record_state state, const char *wanted, const char *policy)
{
	record = (struct record){ .state = state, .checked_ms = NOW - 1000 };
	record_of_mount(&record, &list[0]);
	strcpy(record.boot_id, BOOT);
	strcpy(record.wanted, wanted);
	strcpy(record.policy, policy);
	records.count = 1;
}

/* "section conf:2 require" */
static const char *wants(const char *policy)
{
	static char said[512];
	const struct view_wanted *wanted = &see(policy)->wanted;

	snprintf(said, sizeof(said), "%s %s %s", view_by_name(wanted->by),
		 *wanted->from ? wanted->from : "-", view_binds_name(wanted));
	return said;
}

static void a_section_applies_whatever_else_requests(void)
{
	begin();
	CU_ASSERT_STRING_EQUAL(wants(""), "nobody - nobody");
	CU_ASSERT_STRING_EQUAL(wants("[server nas]\npolicy = require\n"), "section conf:2 require");
	CU_ASSERT_EQUAL(view_mount(view, 0)->state, VIEW_BAD);
	CU_ASSERT_STRING_EQUAL(wants("[export nas:/vm]\npolicy = prefer\n"),
			       "section conf:2 prefer");
	CU_ASSERT_EQUAL(view_mount(view, 0)->state, VIEW_TOLERATED);
	strcpy(list[0].asked, "proto=rdma,port=20049");
	CU_ASSERT_STRING_EQUAL(wants("[server nas]\npolicy = off\n"), "section conf:2 off");
	CU_ASSERT_EQUAL(view_mount(view, 0)->state, VIEW_CALM);
	CU_ASSERT_FALSE(view_mount(view, 0)->wanted.lasting);
	end();
}

static void explicit_requests_precede_guesses(void)
{
	begin();
	list[0].port = 20049;
	CU_ASSERT_STRING_EQUAL(wants(""), "port its mount option port= prefer");
	strcpy(list[0].fstab, "proto=rdma,nfsrdma.policy=prefer");
	CU_ASSERT_STRING_EQUAL(wants(""), "fstab /etc/fstab prefer");
	keep(RECORD_TCP, "rdma", "require");
	CU_ASSERT_STRING_EQUAL(wants(""), "record its record in /run/nfsrdma require");
	CU_ASSERT_TRUE(view_mount(view, 0)->wanted.lasting);
	strcpy(list[0].fstab, "proto=rdma");
	CU_ASSERT_STRING_EQUAL(wants(""), "fstab /etc/fstab require");
	CU_ASSERT_TRUE(view_mount(view, 0)->wanted.lasting);
	end();
}

static void a_written_default_covers_every_mount(void)
{
	begin();
	CU_ASSERT_STRING_EQUAL(wants("[default]\non-unknown = refuse\n"), "nobody - nobody");
	CU_ASSERT_STRING_EQUAL(wants("[default]\npolicy = require\n"), "default conf:2 require");
	CU_ASSERT_EQUAL(view_mount(view, 0)->state, VIEW_BAD);
	strcpy(list[0].asked, "proto=tcp");
	CU_ASSERT_STRING_EQUAL(wants("[default]\npolicy = prefer\n"), "default conf:2 prefer");
	/* A guess is not a request, and the mount's own policy is more specific. */
	*list[0].asked = '\0';
	list[0].port = 20049;
	CU_ASSERT_STRING_EQUAL(wants("[default]\npolicy = require\n"), "default conf:2 require");
	strcpy(list[0].fstab, "nfsrdma.policy=off");
	CU_ASSERT_STRING_EQUAL(wants("[default]\npolicy = require\n"), "nobody - nobody");
	strcpy(list[0].fstab, "proto=rdma");
	CU_ASSERT_STRING_EQUAL(wants("[default]\npolicy = off\n"), "default conf:2 off");
	end();
}

static void the_kernel_outweighs_a_record(void)
{
	static const enum record_state states[] = { RECORD_UNPROVEN, RECORD_TCP, RECORD_GONE,
						    RECORD_PROVEN };
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		strcpy(list[0].proto, "rdma");
		keep(states[i], "rdma", "require");
		CU_ASSERT_EQUAL(see("[server nas]\npolicy = require\n")->state, VIEW_GOOD);
		strcpy(list[0].proto, "tcp");
		CU_ASSERT_EQUAL(see("[server nas]\npolicy = require\n")->state, VIEW_BAD);
	}
	/* And a record is renewed in place. */
	CU_ASSERT_EQUAL(see("")->state, VIEW_BAD);
	strcpy(record.policy, "prefer");
	view_renew(view, &records);
	CU_ASSERT_EQUAL(view_mount(view, 0)->state, VIEW_TOLERATED);
	end();
}

static void a_bind_mount_inherits_the_request_of_its_source(void)
{
	begin();
	list[1] = list[0];
	list[1].id = 91;
	strcpy(list[1].target, "/srv/twin");
	strcpy(list[1].asked, "proto=rdma");
	mounts.count = 2;
	CU_ASSERT_STRING_EQUAL(wants(""), "options its mount options require");
	CU_ASSERT_STRING_EQUAL(wants("[directory /srv/vm]\npolicy = off\n"), "section conf:2 off");
	end();
}

SUITE_MAIN("view", TEST(a_section_applies_whatever_else_requests),
	   TEST(explicit_requests_precede_guesses), TEST(a_written_default_covers_every_mount),
	   TEST(the_kernel_outweighs_a_record),
	   TEST(a_bind_mount_inherits_the_request_of_its_source))
