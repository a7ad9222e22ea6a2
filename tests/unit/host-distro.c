/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Distribution and kernel, from recorded machines and from single files. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct host_system sys;

static void distributions_are_identified(void)
{
	static const struct {
		const char *machine;
		enum distro distro;
		const char *version;
		unsigned int kernel[3];
		bool plain;
	} rows[] = {
		{ "mlx5-roce-rhel9", DISTRO_RHEL, "9.4", { 5, 14, 0 }, false },
		{ "mlx5-ib-rhel8", DISTRO_RHEL, "8.10", { 4, 18, 0 }, false },
		{ "none-debian12", DISTRO_DEBIAN, "12", { 6, 1, 112 }, true },
		{ "rxe-ubuntu2204", DISTRO_UBUNTU, "22.04", { 5, 15, 0 }, false },
		{ "irdma-iwarp-sles15", DISTRO_SUSE, "15.5", { 5, 14, 21 }, false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].machine);
		tree_machine(&tree, rows[i].machine);
		CU_ASSERT_EQUAL(host_system(tree.host, &sys), 0);
		CU_ASSERT_EQUAL(sys.distro, rows[i].distro);
		CU_ASSERT_STRING_EQUAL(sys.version_id, rows[i].version);
		ASSERT_BYTES(sys.kernel, rows[i].kernel, sizeof(sys.kernel));
		CU_ASSERT_EQUAL(sys.kernel_is_plain, rows[i].plain);
		tree_free(&tree);
	}
}

static bool is_plain(const char *release, const char *version)
{
	tree_write(&tree, "proc/sys/kernel/osrelease", release);
	tree_write(&tree, "proc/version", version);
	CU_ASSERT_EQUAL(host_system(tree.host, &sys), 0);
	return sys.kernel_is_plain;
}

static void vendor_kernel_versions_are_not_plain(void)
{
	tree_new(&tree);
	CU_ASSERT_TRUE(is_plain("6.6.30\n", ""));
	CU_ASSERT_TRUE(is_plain("6.12.0-rc3\n", ""));
	CU_ASSERT_TRUE(is_plain("6.12\n", ""));
	CU_ASSERT_FALSE(is_plain("6.8.4-2-pve\n", ""));
	CU_ASSERT_FALSE(is_plain("5.15.0-116-generic\n", ""));
	CU_ASSERT_FALSE(is_plain("6.1.90-custom\n", "Linux (me@home) Debian 6.1.90-1 "));
	CU_ASSERT_FALSE(is_plain("what\n", ""));
	tree_free(&tree);
}

static void a_machine_without_os_release_has_no_name(void)
{
	tree_new(&tree);
	CU_ASSERT_EQUAL(host_system(tree.host, &sys), 0);
	CU_ASSERT_EQUAL(sys.distro, DISTRO_OTHER);
	CU_ASSERT_STRING_EQUAL(sys.release, "");
	tree_write(&tree, "usr/lib/os-release", "#c\nID='my os'\nID_LIKE=\"x centos\"\n=\n");
	CU_ASSERT_EQUAL(host_system(tree.host, &sys), 0);
	CU_ASSERT_EQUAL(sys.distro, DISTRO_RHEL);
	CU_ASSERT_STRING_EQUAL(sys.id, "my os");
	tree_fifo(&tree, "etc/os-release");
	CU_ASSERT_EQUAL(host_system(tree.host, &sys), -EINVAL);
	tree_free(&tree);
}

SUITE_MAIN("host-distro", TEST(distributions_are_identified),
	   TEST(vendor_kernel_versions_are_not_plain),
	   TEST(a_machine_without_os_release_has_no_name))
