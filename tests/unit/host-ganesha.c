/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The parts of ganesha.conf that are read, whatever it contains. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct host_ganesha out;

static int read_conf(const char *text)
{
	int rc;

	tree_new(&tree);
	tree_write(&tree, "usr/bin/ganesha.nfsd", "");
	tree_write(&tree, "etc/ganesha/ganesha.conf", text);
	rc = host_ganesha(tree.host, &out);
	tree_free(&tree);
	return rc;
}

static void only_nfs_core_param_counts(void)
{
	static const struct {
		const char *text;
		bool rdma;
		unsigned int port;
	} rows[] = {
		{ "NFS_CORE_PARAM { Protocols = 3, 4, NFSRDMA; }", true, 20049 },
		{ "nfs_core_param{protocols=rpcrdma;nfs_rdma_port=0x4e52;}", true, 20050 },
		{ "NFS_Core_Param { NFS_Protocols = 4,\"nfsrdma\" }", true, 20049 },
		{ "NFS_CORE_PARAM { Protocols = 4; Protocols = NFSRDMA; }", true, 20049 },
		{ "NFS_CORE_PARAM { Protocols = NFSRDMA; Protocols = 4; }", false, 20049 },
		{ "NFS_CORE_PARAM { # Protocols = NFSRDMA;\n }", false, 20049 },
		{ "EXPORT { Protocols = NFSRDMA; }", false, 20049 },
		{ "NFS_CORE_PARAM { A { Protocols = NFSRDMA; } }", false, 20049 },
		{ "NFS_CORE_PARAM { A = \"Protocols = NFSRDMA;\"; }", false, 20049 },
		{ "Protocols = NFSRDMA;", false, 20049 },
		{ "NFS_CORE_PARAM { Protocols = NFSRDMA", true, 20049 },
		{ "NFS_CORE_PARAM { Protocols = \"NFSRDMA", true, 20049 },
		{ "}}}{{{=;,", false, 20049 },
		{ "%include", false, 20049 },
		{ "", false, 20049 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		CU_ASSERT_EQUAL(read_conf(rows[i].text), 0);
		CU_ASSERT_EQUAL(out.rdma, rows[i].rdma);
		CU_ASSERT_EQUAL(out.port, rows[i].port);
	}
}

static void unread_settings_are_reported(void)
{
	CU_ASSERT_EQUAL(read_conf("%url rados://nfs/a\nNFS_CORE_PARAM { }"), 0);
	CU_ASSERT_STRING_EQUAL(out.left_out, "%url rados://nfs/a");
	CU_ASSERT_EQUAL(read_conf("%include \"ganesha.conf\""), 0);
	ASSERT_CONTAINS(out.left_out, "%include ganesha.conf");
	CU_ASSERT_EQUAL(read_conf("%include /nowhere"), 0);
	CU_ASSERT_STRING_EQUAL(out.left_out, "%include /nowhere");
}

static void file_and_line_are_reported(void)
{
	CU_ASSERT_EQUAL(read_conf("# a\nNFS_CORE_PARAM {\n\tProtocols = 4;\n}\n"), 0);
	CU_ASSERT_STRING_EQUAL(out.where, "/etc/ganesha/ganesha.conf:3");
	CU_ASSERT_STRING_EQUAL(out.protocols, "4");
}

SUITE_MAIN("host-ganesha", TEST(only_nfs_core_param_counts), TEST(unread_settings_are_reported),
	   TEST(file_and_line_are_reported))
