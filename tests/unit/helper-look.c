/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the helper looks at before a mount, on machines of tests/hosts; and whom fstab lets mount. */
#include "mount-helper/internal.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct look look;

static void look_at(enum policy_check level)
{
	struct helper helper = { .name = "test",
				 .records = -1,
				 .host = tree.host,
				 .deadline = deadline_in(PATIENCE_MS),
				 .target = { .roles = CHECK_CLIENT, .port = 20049 } };

	helper.report = report_new("test");
	look_before(&helper, level, &look);
	report_free(helper.report);
}

static void a_healthy_host_may_mount(void)
{
	tree_machine(&tree, "rxe-ubuntu2204");
	look_at(POLICY_CHECK_FAST);
	CU_ASSERT_EQUAL(look.failed, 0);
	tree_free(&tree);
}

static void what_makes_rdma_impossible_forbids_it(void)
{
	tree_machine(&tree, "rpcrdma-forbidden");
	look_at(POLICY_CHECK_FAST);
	CU_ASSERT_EQUAL(look.failed, 1);
	CU_ASSERT_STRING_EQUAL(look.first.id, "client.module");
	/* And nothing is looked at where nobody wants it. */
	look_at(POLICY_CHECK_NONE);
	CU_ASSERT_EQUAL(look.failed, 0);
	tree_free(&tree);
}

/* mount.nfs gets proto=rdma in full, which a file does not change. */
static void defaults_of_mounts_are_told_and_no_reason(void)
{
	tree_machine(&tree, "nfsmount-nordma");
	look_at(POLICY_CHECK_FAST);
	CU_ASSERT_EQUAL(look.failed, 0);
	tree_free(&tree);
}

/* Before each mount: of all checks those, and no more. */
static void few_checks_are_for_each_mount(void)
{
	const struct check *const *check;
	unsigned int fast = 0, path = 0;

	for (check = check_table; *check; check++) {
		SUITE_ROW("%s", (*check)->id);
		fast += (*check)->at_mount == CHECK_MOUNT_STOPS ||
			(*check)->at_mount == CHECK_MOUNT_TELLS;
		path += (*check)->at_mount == CHECK_MOUNT_PATH;
		CU_ASSERT(!(*check)->remote || (*check)->at_mount == CHECK_MOUNT_NO ||
			  (*check)->at_mount == CHECK_MOUNT_PATH);
	}
	CU_ASSERT_EQUAL(fast, 5);
	CU_ASSERT_EQUAL(path, 8);
}

static int allows(const char *line)
{
	int rc;

	tree_new(&tree);
	tree_write(&tree, "etc/fstab", line);
	rc = fstab_allows_user(tree.host, "/srv/vm");
	tree_free(&tree);
	return rc;
}

static void a_user_mounts_what_fstab_says_in_full(void)
{
	CU_ASSERT_EQUAL(
		allows("nas:/vm /srv/vm nfsrdma user,noauto,proto=rdma,port=20049 0 0\n"),
		0);
	CU_ASSERT_EQUAL(
		allows("nas:/vm /srv/vm nfsrdma user,proto=rdma6,port=20049 0 0\n"), 0);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,rdma,port=20049 0 0\n"),
			-EPERM);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,proto=rdma 0 0\n"), -EPERM);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,proto=tcp,port=1 0 0\n"),
			-EPERM);
	CU_ASSERT_EQUAL(
		allows("nas:/vm /srv/vm nfsrdma user,proto=rdma,port=20049,nfsrdma.check=none 0 0\n"),
		-EPERM);
	CU_ASSERT_EQUAL(
		allows("nas:/vm /srv/other nfsrdma user,proto=rdma,port=20049 0 0\n"),
		-EPERM);
	CU_ASSERT_EQUAL(allows(""), -EPERM);
}

SUITE_MAIN("helper-look", TEST(a_healthy_host_may_mount),
	   TEST(what_makes_rdma_impossible_forbids_it),
	   TEST(defaults_of_mounts_are_told_and_no_reason),
	   TEST(few_checks_are_for_each_mount),
	   TEST(a_user_mounts_what_fstab_says_in_full))
