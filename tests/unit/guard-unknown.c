/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The gate when not all sources of requirements are readable: it still applies the others, and a
 * mount that none of them requires is not reported as good. */
#include "tests/unit/guard-machine.h"

static struct guard *guard;

static void open_guard(const struct row *row, const struct view_places *places, const char *unknown)
{
	struct guard_sources sources = { .places = places, .places_unknown = unknown, .now = NOW };

	begin(row);
	sources.host = tree.host;
	CU_ASSERT_EQUAL_FATAL(guard_open(&guard, &sources), 0);
}

static void close_guard(void)
{
	guard_close(guard);
	end();
}

static bool answers(const char *disk, enum guard_answer answer, bool refuse)
{
	ask_guard(guard, disk);
	suite_saw("%d %d \"%s\" \"%s\"", verdict.answer, verdict.refuse, verdict.text,
		  verdict.remedy);
	return verdict.answer == answer && verdict.refuse == refuse && is_well_said();
}

#define MOUNTS ROOT TCP(90, 21, "/srv/vm", "nas:/vm") RDMA(91, 21, "/srv/fast", "nas:/fast")

static void an_unreadable_pool_may_require_rdma(void)
{
	open_guard(&(struct row){ .mounts = MOUNTS }, NULL, "/etc/libvirt/a.xml: no XML");
	CU_ASSERT_STRING_EQUAL(guard_unknown(guard),
			       "pools could not be read: /etc/libvirt/a.xml: no XML");
	CU_ASSERT(answers("/srv/vm/a", GUARD_UNKNOWN, false));
	CU_ASSERT_STRING_EQUAL(
		verdict.text,
		"disk vda (/srv/vm/a) is on nas:/vm, mounted at /srv/vm over tcp, and it is unknown whether it should be over RDMA: pools could not be read: /etc/libvirt/a.xml: no XML");
	CU_ASSERT_STRING_EQUAL(verdict.id, "gate.unknown");
	CU_ASSERT_STRING_EQUAL(verdict.proto, "tcp");
	CU_ASSERT_FALSE(verdict.wanted);
	/* These satisfy any requirement. */
	CU_ASSERT(answers("/srv/fast/a", GUARD_PASS, false));
	CU_ASSERT(answers("/var/lib/images/a.img", GUARD_PASS, false));
	close_guard();
}

static void unknown_disks_are_refused_if_the_policy_says_so(void)
{
	static const struct {
		const char *conf;
		enum guard_answer answer;
		bool refuse;
	} rows[] = {
		{ "[default]\non-unknown = refuse\n", GUARD_UNKNOWN, true },
		/* [default] applies to every mount. */
		{ "[default]\non-unknown = refuse\npolicy = prefer\n", GUARD_PASS, false },
		/* The policy overrides any request. */
		{ "[default]\non-unknown = refuse\npolicy = off\n", GUARD_PASS, false },
		{ "[default]\non-unknown = refuse\n[server nas]\npolicy = off\n", GUARD_PASS,
		  false },
		/* The requirement is known already. */
		{ "[default]\non-unknown = refuse\n[server nas]\npolicy = require\n", GUARD_REFUSE,
		  true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].conf);
		open_guard(&(struct row){ .mounts = MOUNTS, .conf = rows[i].conf }, NULL, "why");
		CU_ASSERT(answers("/srv/vm/a", rows[i].answer, rows[i].refuse));
		CU_ASSERT(answers("/srv/fast/a", GUARD_PASS, false));
		close_guard();
	}
}

static void nothing_is_unknown_when_all_was_read(void)
{
	open_guard(&(struct row){ .mounts = MOUNTS, .fstab = "# nothing\n" }, &all_pools, NULL);
	CU_ASSERT_PTR_NULL(guard_unknown(guard));
	close_guard();
	begin(&(struct row){ .mounts = MOUNTS });
	CU_ASSERT_EQUAL(ask("/srv/vm/a", NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_PASS);
	CU_ASSERT_STRING_EQUAL(verdict.text, "");
	end();
}

static void a_broken_fstab_leaves_other_requirements_in_force(void)
{
	static const char text[] = "nas:/vm /srv/vm nfs proto=rdma 0 0\n\0";
	struct guard_sources sources = { .now = NOW };

	begin(&(struct row){ .mounts = MOUNTS TCP(92, 21, "/srv/b", "other:/b"),
			     .conf = REQUIRE_NAS });
	tree_bytes(&tree, "etc/fstab", text, sizeof(text) - 1);
	sources.host = tree.host;
	CU_ASSERT_EQUAL_FATAL(guard_open(&guard, &sources), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(guard_unknown(guard));
	ASSERT_CONTAINS(guard_unknown(guard), "/etc/fstab is not a text");
	CU_ASSERT(answers("/srv/vm/a", GUARD_REFUSE, true));
	CU_ASSERT(answers("/srv/b/a", GUARD_UNKNOWN, false));
	ASSERT_CONTAINS(verdict.text, "/etc/fstab is not a text");
	guard_close(guard);
	sources.places_unknown = "why";
	CU_ASSERT_EQUAL_FATAL(guard_open(&guard, &sources), 0);
	ASSERT_STARTS(guard_unknown(guard), "pools could not be read: why; ");
	ASSERT_CONTAINS(guard_unknown(guard), "/etc/fstab is not a text");
	close_guard();
}

/* rbd, gluster, iscsi-direct */
static void a_volume_that_is_not_a_local_file_passes(void)
{
	static const struct view_place rbd = { .pool = (char *)"rbd", .by = "pool 'rbd'" };
	const struct view_places places = { 1, (struct view_place *)&rbd };

	open_guard(&(struct row){ .mounts = MOUNTS, .conf = "[default]\non-unknown = refuse\n" },
		   &places, NULL);
	CU_ASSERT(answers("rbd:disk1", GUARD_PASS, false));
	CU_ASSERT_STRING_EQUAL(verdict.text, "");
	CU_ASSERT_STRING_EQUAL(verdict.path, "");
	CU_ASSERT(answers("rbd:a/b@c", GUARD_PASS, false));
	/* Then it really does not exist. */
	CU_ASSERT(answers("rbd2:disk1", GUARD_UNKNOWN, true));
	ASSERT_CONTAINS(verdict.text, "this host has no pool");
	close_guard();
}

SUITE_MAIN("guard-unknown", TEST(an_unreadable_pool_may_require_rdma),
	   TEST(unknown_disks_are_refused_if_the_policy_says_so),
	   TEST(nothing_is_unknown_when_all_was_read),
	   TEST(a_broken_fstab_leaves_other_requirements_in_force),
	   TEST(a_volume_that_is_not_a_local_file_passes))
