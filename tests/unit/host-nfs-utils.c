/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The version of nfs-utils, and its defects. */
#include "tests/unit/host-tree.h"

static struct tree tree;

static void install(const char *package, const char *version)
{
	char text[256];

	tree_new(&tree);
	snprintf(text, sizeof(text), "Package: %s\nStatus: install ok installed\nVersion: %s\n\n",
		 package, version);
	tree_write(&tree, "var/lib/dpkg/status", text);
}

static void versions_are_numbers(void)
{
	static const struct {
		const char *package, *version;
		unsigned int number;
		enum nfs_utils_drop_ins drop_ins;
		enum nfs_utils_sections sections;
	} rows[] = {
		{ "nfs-common", "1:2.6.2-4+deb12u1", 20602, DROP_INS_READ, NFS_UTILS_LOSES },
		{ "nfs-utils", "2.5.4-34.el9", 20504, DROP_INS_READ, NFS_UTILS_LOSES },
		{ "nfs-client", "2.8.3", 20803, DROP_INS_READ, NFS_UTILS_KEEPS },
		{ "nfs-common", "1:1.3.4-6", 10304, DROP_INS_IGNORED, NFS_UTILS_LOSES },
		{ "nfs-common", "2.9", 20900, DROP_INS_READ, NFS_UTILS_KEEPS },
		{ "nfs-common", "none", 0, DROP_INS_UNKNOWN, NFS_UTILS_UNKNOWN },
	};
	struct nfs_utils utils;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].package);
		install(rows[i].package, rows[i].version);
		CU_ASSERT_EQUAL(nfs_utils_read(tree.host, &utils), 0);
		CU_ASSERT_EQUAL(utils.number, rows[i].number);
		CU_ASSERT_EQUAL(nfs_utils_drop_ins(&utils, tree.host), rows[i].drop_ins);
		CU_ASSERT_EQUAL(nfs_utils_sections(&utils, DISTRO_DEBIAN), rows[i].sections);
		tree_free(&tree);
	}
}

/* The fix came without a new version. */
static void rhel_may_have_the_fix(void)
{
	const struct nfs_utils utils = { "2.5.4-34.el9", 20504 };

	CU_ASSERT_EQUAL(nfs_utils_sections(&utils, DISTRO_RHEL), NFS_UTILS_MAY_LOSE);
}

static void without_a_version_the_directory_decides(void)
{
	struct nfs_utils utils;

	tree_new(&tree);
	CU_ASSERT_EQUAL(nfs_utils_read(tree.host, &utils), -ENODATA);
	CU_ASSERT_FALSE(utils.number);
	CU_ASSERT_EQUAL(nfs_utils_drop_ins(&utils, tree.host), DROP_INS_UNKNOWN);
	tree_mkdir(&tree, "etc/nfsmount.conf.d");
	CU_ASSERT_EQUAL(nfs_utils_drop_ins(&utils, tree.host), DROP_INS_READ);
	tree_free(&tree);
}

static void two_sections_with_one_key_clash(void)
{
	struct conf *conf = NULL;

	tree_new(&tree);
	tree_write(&tree, "etc/nfsmount.conf",
		   "[ Server \"a\" ]\nProto=rdma\n[ Server \"A\" ]\nproto=rdma\n"
		   "[ MountPoint \"/a\" ]\nport=1\n[ MountPoint \"/b\" ]\nPORT=1\n");
	CU_ASSERT_EQUAL_FATAL(conf_open(&conf, tree.host, "etc/nfsmount.conf"), 0);
	CU_ASSERT_PTR_NULL(nfs_utils_clash(conf, "Server"));
	CU_ASSERT_STRING_EQUAL(nfs_utils_clash(conf, "MountPoint"), "PORT");
	conf_close(conf);
	tree_free(&tree);
}

#define DEBIAN "ID=debian\nVERSION_ID=\"11\"\n"
#define EL7    "ID=\"centos\"\nVERSION_ID=\"7\"\nPRETTY_NAME=\"CentOS Linux 7 (Core)\"\n"

static void nfs_conf_is_read_since_2_1_1(void)
{
	static const struct {
		const char *release, *version;
		bool nfsconf;
		enum nfs_utils_conf conf;
		const char *who;
	} rows[] = {
		{ DEBIAN, "1:2.1.1-1", false, NFS_CONF_READ, "nfs-utils 1:2.1.1-1" },
		{ DEBIAN, "1:2.6.2-4", false, NFS_CONF_READ, "nfs-utils 1:2.6.2-4" },
		{ DEBIAN, "1:2.1.0-1", false, NFS_CONF_IGNORED, "nfs-utils 1:2.1.0-1" },
		{ DEBIAN, "1:1.3.4-6", false, NFS_CONF_IGNORED, "nfs-utils 1:1.3.4-6" },
		{ EL7, NULL, false, NFS_CONF_IGNORED, "nfs-utils of CentOS Linux 7 (Core)" },
		{ "ID=rocky\nVERSION_ID=8.9\n", NULL, false, NFS_CONF_READ, "nfs-utils of " },
		{ "ID=fedora\nVERSION_ID=40\n", NULL, false, NFS_CONF_READ, "nfs-utils of " },
		{ "ID=sles\nVERSION_ID=15.5\n", NULL, false, NFS_CONF_READ, "nfs-utils of " },
		{ "ID=sles\nVERSION_ID=12.5\n", NULL, false, NFS_CONF_IGNORED, "nfs-utils of " },
		{ "ID=gentoo\n", NULL, false, NFS_CONF_UNKNOWN, "nfs-utils of this host" },
		{ "ID=gentoo\n", NULL, true, NFS_CONF_READ, "nfs-utils of this host" },
		{ "ID=debian\nVERSION_ID=10\n", NULL, false, NFS_CONF_UNKNOWN,
		  "nfs-utils of this host" },
		{ "", NULL, false, NFS_CONF_UNKNOWN, "nfs-utils of this host" },
	};
	char who[NFS_UTILS_WHO_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].version ? rows[i].version : rows[i].release);
		if (rows[i].version)
			install("nfs-common", rows[i].version);
		else
			tree_new(&tree);
		tree_write(&tree, "etc/os-release", rows[i].release);
		if (rows[i].nfsconf)
			tree_write(&tree, "usr/sbin/nfsconf", "");
		CU_ASSERT_EQUAL(nfs_utils_conf(tree.host, who), rows[i].conf);
		ASSERT_CONTAINS(who, rows[i].who);
		tree_free(&tree);
	}
}

SUITE_MAIN("host-nfs-utils", TEST(nfs_conf_is_read_since_2_1_1), TEST(versions_are_numbers),
	   TEST(rhel_may_have_the_fix), TEST(without_a_version_the_directory_decides),
	   TEST(two_sections_with_one_key_clash))
