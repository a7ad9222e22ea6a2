/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Directories where a mount is configured: of fstab, and as a list. */
#include "plugin/view/view.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct view_places places;

static int read_fstab(const char *text)
{
	int rc;

	tree_new(&tree);
	if (text)
		tree_write(&tree, "etc/fstab", text);
	places = (struct view_places){ .count = 0 };
	rc = view_places_fstab(tree.host, &places);
	tree_free(&tree);
	return rc;
}

static void nfs_lines_are_kept_with_their_numbers(void)
{
	CU_ASSERT_EQUAL(read_fstab("# /etc/fstab\n"
				   "/dev/sda1 / ext4 defaults 0 1\n"
				   "\n"
				   "nas:/vm /srv/vm nfs proto=rdma,port=20049 0 0\n"
				   "  nas:/a\\040b\t/srv/a\\040b  nfs4\tvers=4.2\t0 0\n"
				   "[2001:db8::1]:/x /srv/x nfsrdma"),
			0);
	CU_ASSERT_EQUAL_FATAL(places.count, 3);
	CU_ASSERT_PTR_NULL(places.list[0].pool);
	CU_ASSERT_STRING_EQUAL(places.list[0].target, "/srv/vm");
	CU_ASSERT_STRING_EQUAL(places.list[0].fs_spec, "nas:/vm");
	CU_ASSERT_STRING_EQUAL(places.list[0].by, "/etc/fstab:4");
	CU_ASSERT_EQUAL(places.list[0].asked, ASKED_RDMA);
	CU_ASSERT_STRING_EQUAL(places.list[1].target, "/srv/a b");
	CU_ASSERT_STRING_EQUAL(places.list[1].fs_spec, "nas:/a b");
	CU_ASSERT_STRING_EQUAL(places.list[1].by, "/etc/fstab:5");
	CU_ASSERT_EQUAL(places.list[1].asked, ASKED_ANY);
	CU_ASSERT_STRING_EQUAL(places.list[2].by, "/etc/fstab:6");
	CU_ASSERT_EQUAL(places.list[2].asked, ASKED_RDMA);
	view_places_fini(&places);
}

static void options_show_whether_rdma_is_requested(void)
{
	static const struct {
		const char *type, *options;
		bool want, loose;
	} rows[] = {
		{ "nfs", "defaults", false, false },
		{ "nfs", "rdma", true, false },
		{ "nfs", "rdma,port=20049", true, false },
		{ "nfs", "proto=rdma6", true, false },
		{ "nfs", "proto=tcp", false, false },
		{ "nfs", "rdma,tcp", true, false },
		{ "nfs", "nordma", false, false },
		{ "nfs", "x-note=rdma", false, false },
		{ "nfs4", "vers=4.2,proto=rdma,noauto", true, false },
		{ "nfsrdma", "defaults", true, false },
		{ "nfsrdma", "nfsrdma.policy=require", true, false },
		{ "nfsrdma", "proto=rdma,nfsrdma.policy=prefer", true, true },
		{ "nfsrdma", "nfsrdma.policy=off", false, false },
	};
	char text[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s %s", i, rows[i].type, rows[i].options);
		snprintf(text, sizeof(text), "nas:/vm /srv/vm %s %s 0 0\n", rows[i].type,
			 rows[i].options);
		CU_ASSERT_EQUAL(read_fstab(text), 0);
		CU_ASSERT_EQUAL_FATAL(places.count, 1);
		CU_ASSERT_EQUAL(places.list[0].asked == ASKED_RDMA, rows[i].want);
		CU_ASSERT_EQUAL(places.list[0].force == FORCE_PREFER, rows[i].loose);
		view_places_fini(&places);
	}
}

static void an_invalid_line_affects_no_other_line(void)
{
	CU_ASSERT_EQUAL(read_fstab("nfs\nnas:/x\nnas:/x nfs\nnas:/y relative nfs rdma 0 0\n"
				   "nas:/y none nfs rdma 0 0\n\"nas:/ nfs\n"
				   "nas:/vm /srv/vm nfs rdma\",x=\"a,b 0 0\n"),
			0);
	CU_ASSERT_EQUAL_FATAL(places.count, 1);
	CU_ASSERT_STRING_EQUAL(places.list[0].by, "/etc/fstab:7");
	CU_ASSERT_EQUAL(places.list[0].asked, ASKED_RDMA);
	view_places_fini(&places);
}

static void an_absent_file_is_empty_and_an_unreadable_one_an_error(void)
{
	CU_ASSERT_EQUAL(read_fstab(NULL), 0);
	CU_ASSERT_EQUAL(places.count, 0);
	CU_ASSERT_EQUAL(read_fstab(""), 0);
	CU_ASSERT_EQUAL(places.count, 0);
	view_places_fini(&places);
	tree_new(&tree);
	tree_fifo(&tree, "etc/fstab");
	CU_ASSERT_EQUAL(view_places_fstab(tree.host, &places), -EINVAL);
	tree_free(&tree);
}

static void added_text_is_copied(void)
{
	char target[] = "/srv/vm";
	struct view_place place = { .pool = NULL, .target = target, .by = "x\ny" };
	size_t i;

	places = (struct view_places){ .count = 0 };
	for (i = 0; i < 100; i++) {
		SUITE_ROW("%zu", i);
		target[5] = (char)('0' + i % 10);
		CU_ASSERT_EQUAL(view_places_add(&places, &place), 0);
	}
	CU_ASSERT_EQUAL(places.count, 100);
	CU_ASSERT_STRING_EQUAL(places.list[73].target, "/srv/3m");
	CU_ASSERT_STRING_EQUAL(places.list[0].by, "x?y");
	CU_ASSERT_PTR_NULL(places.list[0].fs_spec);
	view_places_fini(&places);
	CU_ASSERT_EQUAL(places.count, 0);
}

SUITE_MAIN("view-places", TEST(nfs_lines_are_kept_with_their_numbers),
	   TEST(options_show_whether_rdma_is_requested),
	   TEST(an_invalid_line_affects_no_other_line),
	   TEST(an_absent_file_is_empty_and_an_unreadable_one_an_error), TEST(added_text_is_copied))
