/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Units, udev rules, the subnet manager's files, and port names. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static char buf[64];

static void the_last_drop_in_sets_a_units_setting(void)
{
	tree_machine(&tree, "mlx5-roce-rhel9");
	CU_ASSERT_EQUAL(
		host_unit_get(tree.host, "nfs-server.service", "LimitMEMLOCK", buf, sizeof(buf)),
		0);
	CU_ASSERT_STRING_EQUAL(buf, "");
	tree_write(&tree, "usr/lib/systemd/system/nfs-server.service.d/50-x.conf",
		   "[Service]\nLimitMEMLOCK=1\n");
	tree_write(&tree, "etc/systemd/system/nfs-server.service.d/40-y.conf",
		   "[Service]\n# LimitMEMLOCK=3\nLimitMEMLOCK = 2\n[Unit]\nLimitMEMLOCK=4\n");
	CU_ASSERT_EQUAL(
		host_unit_get(tree.host, "nfs-server.service", "LimitMEMLOCK", buf, sizeof(buf)),
		0);
	CU_ASSERT_STRING_EQUAL(buf, "1");
	/* The same name in etc hides the other. */
	tree_link(&tree, "etc/systemd/system/nfs-server.service.d/50-x.conf", "/dev/null");
	CU_ASSERT_EQUAL(
		host_unit_get(tree.host, "nfs-server.service", "LimitMEMLOCK", buf, sizeof(buf)),
		0);
	CU_ASSERT_STRING_EQUAL(buf, "2");
	CU_ASSERT_EQUAL(host_unit_get(tree.host, "none.service", "x", buf, sizeof(buf)), -ENOENT);
	CU_ASSERT_EQUAL(host_unit_get(tree.host, "../x", "x", buf, sizeof(buf)), -EINVAL);
	tree_free(&tree);
}

static void a_unit_is_enabled_by_its_wants_links(void)
{
	enum unit_state state;

	tree_machine(&tree, "mlx5-ib-rhel8");
	CU_ASSERT_EQUAL(host_unit_state(tree.host, "nfs-server.service", &state), 0);
	CU_ASSERT_EQUAL(state, UNIT_ENABLED);
	CU_ASSERT_EQUAL(host_unit_state(tree.host, "rdma-load-modules@rdma.service", &state), 0);
	CU_ASSERT_EQUAL(state, UNIT_ENABLED);
	CU_ASSERT_EQUAL(host_unit_state(tree.host, "opensm.service", &state), 0);
	CU_ASSERT_EQUAL(state, UNIT_MISSING);
	tree_free(&tree);
	tree_machine(&tree, "mlx5-roce-rhel9");
	CU_ASSERT_EQUAL(host_unit_state(tree.host, "nfs-server.service", &state), 0);
	CU_ASSERT_EQUAL(state, UNIT_DISABLED);
	tree_link(&tree, "etc/systemd/system/nfs-server.service", "/dev/null");
	CU_ASSERT_EQUAL(host_unit_state(tree.host, "nfs-server.service", &state), 0);
	CU_ASSERT_EQUAL(state, UNIT_MASKED);
	tree_free(&tree);
}

struct rules {
	unsigned int count, line;
	char file[64], text[128];
};

static int remember(void *arg, const char *file, unsigned int line, const char *rule)
{
	struct rules *rules = arg;

	rules->count++;
	rules->line = line;
	snprintf(rules->file, sizeof(rules->file), "%s", file);
	snprintf(rules->text, sizeof(rules->text), "%s", rule);
	return strstr(rule, "stop") ? 7 : 0;
}

static void udev_rules_are_joined_and_counted(void)
{
	struct rules rules = { 0, 0, "", "" };

	tree_new(&tree);
	tree_write(&tree, "usr/lib/udev/rules.d/60-x.rules", "a\n");
	tree_write(&tree, "etc/udev/rules.d/60-x.rules",
		   "# c\n\nSUBSYSTEM==\"net\", \\\n"
		   "  ATTR{mode}=\"connected\"\n");
	CU_ASSERT_EQUAL(host_udev_each(tree.host, remember, &rules), 0);
	CU_ASSERT_EQUAL(rules.count, 1);
	CU_ASSERT_EQUAL(rules.line, 3);
	CU_ASSERT_STRING_EQUAL(rules.file, "etc/udev/rules.d/60-x.rules");
	ASSERT_CONTAINS(rules.text, "ATTR{mode}=\"connected\"");
	tree_write(&tree, "etc/udev/rules.d/10-a.rules", "stop\n");
	CU_ASSERT_EQUAL(host_udev_each(tree.host, remember, &rules), 7);
	tree_free(&tree);
}

static void a_subnet_manager_has_a_file_for_each_subnet(void)
{
	struct host_opensm opensm;

	tree_new(&tree);
	CU_ASSERT_EQUAL(host_opensm(tree.host, &opensm), 0);
	CU_ASSERT_FALSE(opensm.installed);
	CU_ASSERT_EQUAL(opensm.nfiles, 0);
	tree_write(&tree, "usr/sbin/opensm", "");
	tree_write(&tree, "etc/rdma/opensm.conf", "# x\nguid 0x0002c903000010b3\nsm_priority 15\n");
	tree_write(&tree, "etc/rdma/opensm.conf.1", "guid 0x2\n");
	tree_write(&tree, "etc/rdma/opensm.conf.rpmnew", "sm_priority 1\n");
	tree_write(&tree, "etc/sysconfig/opensm", "GUIDS=\"0x1 0x2\"\nPRIORITY=5 # five\n");
	tree_write(&tree, "etc/rdma/partitions.conf",
		   "# For reference:\nDefault=0x7fff, rate=3, mtu=4, scope=2, defmember=full:\n"
		   "  ALL, ALL_SWITCHES=full;\nib0_2 = 0x0002 , ipoib, rate=12:\n ALL=full;\n"
		   "nokey: ALL;;\n");
	CU_ASSERT_EQUAL(host_opensm(tree.host, &opensm), 0);
	CU_ASSERT_TRUE(opensm.installed);
	CU_ASSERT_EQUAL_FATAL(opensm.nfiles, 3);
	CU_ASSERT_STRING_EQUAL(opensm.files[0].guids, "0x0002c903000010b3");
	CU_ASSERT_STRING_EQUAL(opensm.files[0].priority, "15");
	CU_ASSERT_STRING_EQUAL(opensm.files[1].file, "etc/rdma/opensm.conf.1");
	CU_ASSERT_STRING_EQUAL(opensm.files[1].priority, "");
	CU_ASSERT_STRING_EQUAL(opensm.files[2].guids, "0x1 0x2");
	CU_ASSERT_STRING_EQUAL(opensm.files[2].priority, "5");
	CU_ASSERT_EQUAL_FATAL(opensm.npartitions, 2);
	CU_ASSERT_STRING_EQUAL(opensm.partitions[0].name, "Default");
	CU_ASSERT_EQUAL(opensm.partitions[0].pkey, 0x7fff);
	CU_ASSERT_STRING_EQUAL(opensm.partitions[0].mtu, "4");
	CU_ASSERT_FALSE(opensm.partitions[0].ipoib);
	CU_ASSERT_EQUAL(opensm.partitions[1].pkey, 2);
	CU_ASSERT_TRUE(opensm.partitions[1].ipoib);
	CU_ASSERT_STRING_EQUAL(opensm.partitions[1].rate, "12");
	CU_ASSERT_STRING_EQUAL(opensm.partitions_file, "etc/rdma/partitions.conf");
	tree_free(&tree);
}

static void services_have_names_and_aliases(void)
{
	static const struct {
		const char *name, *protocol;
		int rc;
		unsigned int port;
	} rows[] = {
		{ "nfsrdma", "tcp", 0, 20049 },   { "nfs-rdma", "tcp", 0, 20049 },
		{ "nfsrdma", "udp", -ENOENT, 0 }, { "none", "tcp", -ENOENT, 0 },
		{ "comment", "tcp", -ENOENT, 0 }, { "large", "tcp", -ENOENT, 0 },
		{ "word", "tcp", -ENOENT, 0 },    { "last", "tcp", 0, 7 },
	};
	unsigned int port;
	size_t i;

	tree_new(&tree);
	CU_ASSERT_EQUAL(host_service(tree.host, "nfsrdma", "tcp", &port), -ENOENT);
	tree_write(&tree, "etc/services",
		   "# nfsrdma 1/tcp\n\nnfsrdma\t20049/tcp nfs-rdma # comment\n"
		   "large 65536/tcp\nword x/tcp\nshort\nlast 7/tcp");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].name);
		CU_ASSERT_EQUAL(host_service(tree.host, rows[i].name, rows[i].protocol, &port),
				rows[i].rc);
		if (!rows[i].rc)
			CU_ASSERT_EQUAL(port, rows[i].port);
	}
	tree_free(&tree);
}

SUITE_MAIN("host-services", TEST(the_last_drop_in_sets_a_units_setting),
	   TEST(a_unit_is_enabled_by_its_wants_links), TEST(udev_rules_are_joined_and_counted),
	   TEST(a_subnet_manager_has_a_file_for_each_subnet), TEST(services_have_names_and_aliases))
