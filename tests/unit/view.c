/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is requested of a mount, by which source, and whether it is binding: from data alone, in
 * the order of view.h. */
#include "plugin/view/internal.h"
#include "suite.h"

#define NOW 1000000

static struct nfs_mount list[2];
static struct nfs_mounts mounts;
static struct policies *policies;
static struct request request;
static struct request_list requests;
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
	requests = (struct request_list){ .count = 0, .list = &request };
}

static const struct view_mount *see(const char *policy)
{
	struct view_sources sources = { .now = NOW, .mounts = &mounts, .requests = &requests };
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

static void keep(bool mounted, const char *policy)
{
	request = (struct request){ .mounted = mounted,
				    .at_ms = NOW - 1000,
				    .policy = policy,
				    .source = list[0].fs_spec,
				    .target = list[0].target };
	request_name(request.target, request.name);
	requests.count = 1;
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
	keep(true, "require");
	CU_ASSERT_STRING_EQUAL(wants(""), "request its mount by mount.nfsrdma require");
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

static void the_kernel_alone_says_what_a_mount_is(void)
{
	static const struct {
		const char *proto, *policy;
		enum view_state state;
	} rows[] = {
		{ "rdma", "require", VIEW_GOOD },
		{ "rdma", "prefer", VIEW_GOOD },
		{ "tcp", "require", VIEW_BAD },
		{ "tcp", "prefer", VIEW_TOLERATED },
	};
	size_t i;

	begin();
	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		strcpy(list[0].proto, rows[i / 2].proto);
		keep(i % 2, rows[i / 2].policy);
		CU_ASSERT_EQUAL(see("")->state, rows[i / 2].state);
	}
	end();
}

/* Of a mount that is gone: mountstats says that this one is younger. */
static void a_later_mount_is_not_what_was_requested(void)
{
	begin();
	keep(true, "require");
	list[0].nxprts = 1;
	list[0].age = 100;
	CU_ASSERT_EQUAL(see("")->state, VIEW_BAD);
	request.at_ms = NOW - 102 * 1000;
	CU_ASSERT_EQUAL(see("")->state, VIEW_BAD);
	request.at_ms = NOW - 104 * 1000;
	CU_ASSERT_EQUAL(see("")->state, VIEW_CALM);
	/* A helper that was killed did not see its mount. */
	request.mounted = false;
	CU_ASSERT_EQUAL(see("")->state, VIEW_BAD);
	/* Without an age it is not known. */
	request.mounted = true;
	list[0].nxprts = 0;
	CU_ASSERT_EQUAL(see("")->state, VIEW_BAD);
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
	   TEST(the_kernel_alone_says_what_a_mount_is),
	   TEST(a_later_mount_is_not_what_was_requested),
	   TEST(a_bind_mount_inherits_the_request_of_its_source))
