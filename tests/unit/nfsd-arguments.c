/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which versions of nfs-utils do not read nfs.conf, and the arguments to write for them. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct nfsd_arguments out;

static void install(const char *release, const char *version)
{
	char text[256];

	tree_new(&tree);
	tree_write(&tree, "etc/os-release", release);
	snprintf(text, sizeof(text),
		 "Package: nfs-common\nStatus: install ok installed\nVersion: %s\n\n",
		 version ? version : "");
	if (version)
		tree_write(&tree, "var/lib/dpkg/status", text);
}

static void read_for(unsigned int port)
{
	nfsd_arguments(tree.host, port, &out);
	tree_free(&tree);
}

#define DEBIAN "ID=debian\nVERSION_ID=\"11\"\nPRETTY_NAME=\"Debian GNU/Linux 11\"\n"
#define EL7    "ID=\"centos\"\nVERSION_ID=\"7\"\nPRETTY_NAME=\"CentOS Linux 7 (Core)\"\n"

static void nfs_conf_is_read_since_2_1_1(void)
{
	static const struct {
		const char *release, *version;
		bool reads_conf;
		const char *why; /* a part of it; "": none */
	} rows[] = {
		{ DEBIAN, "1:2.1.1-1", true, "" },
		{ DEBIAN, "1:2.6.2-4", true, "" },
		{ DEBIAN, "1:2.1.0-1", false, "nfs-utils 1:2.1.0-1 does not read nfs.conf" },
		{ DEBIAN, "1:1.3.4-6", false,
		  "write RPCNFSDCOUNT=\"8 --rdma=20049\" in /etc/default/nfs-kernel-server" },
		{ DEBIAN, "1:1.2.8-9", false, "has no --rdma: update it" },
		{ EL7, NULL, false,
		  "nfs-utils of CentOS Linux 7 (Core) does not read nfs.conf: write "
		  "RPCNFSDARGS=\"--rdma=20049\" in /etc/sysconfig/nfs" },
		{ "ID=rocky\nVERSION_ID=8.9\n", NULL, true, "" },
		{ "ID=fedora\nVERSION_ID=40\n", NULL, true, "" },
		{ "ID=sles\nVERSION_ID=15.5\n", NULL, true, "" },
		{ "ID=sles\nVERSION_ID=12.5\n", NULL, false,
		  "give rpc.nfsd the argument --rdma=20049" },
		{ "ID=gentoo\n", NULL, true, "is unknown: before 2.1.1" },
		{ "ID=debian\nVERSION_ID=10\n", NULL, true, "is unknown: before 2.1.1" },
		{ "", NULL, true, "is unknown: before 2.1.1" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].version);
		install(rows[i].release, rows[i].version);
		read_for(20049);
		CU_ASSERT_EQUAL(out.reads_conf, rows[i].reads_conf);
		CU_ASSERT_EQUAL(!*out.why, !*rows[i].why);
		ASSERT_CONTAINS(out.why, rows[i].why);
	}
}

static void nfsconf_shows_that_nfs_conf_is_read(void)
{
	install("ID=gentoo\n", NULL);
	tree_write(&tree, "usr/sbin/nfsconf", "");
	read_for(20049);
	CU_ASSERT_TRUE(out.reads_conf);
	CU_ASSERT_STRING_EQUAL(out.why, "");
}

/* Only words without special characters are repeated. */
static void existing_arguments_are_kept(void)
{
	static const struct {
		const char *text, *line;
	} rows[] = {
		{ "RPCNFSDCOUNT=16\n", "RPCNFSDCOUNT=\"16 --rdma=20050\"" },
		{ "RPCNFSDCOUNT='16 --no-udp'\n", "RPCNFSDCOUNT=\"16 --no-udp --rdma=20050\"" },
		{ "RPCNFSDCOUNT=\"16 --rdma=20049\"\n", "RPCNFSDCOUNT=\"16 --rdma=20050\"" },
		{ "#RPCNFSDCOUNT=16\n", "RPCNFSDCOUNT=\"8 --rdma=20050\"" },
		{ "RPCNFSDCOUNT=16\nRPCNFSDCOUNT=32\n", "RPCNFSDCOUNT=\"32 --rdma=20050\"" },
		{ "RPCNFSDCOUNT=\"$(reboot)\"\n", "RPCNFSDCOUNT=\"8 --rdma=20050\"" },
		{ "RPCNFSDCOUNT=\"8\\\";reboot;\\\"\"\n", "RPCNFSDCOUNT=\"8 --rdma=20050\"" },
		{ "RPCNFSDCOUNT=\n", "RPCNFSDCOUNT=\"8 --rdma=20050\"" },
		{ "RPCNFSDCOUNT=\"\n", "RPCNFSDCOUNT=\"8 --rdma=20050\"" },
		{ "RPCNFSDCOUNTER=9\n", "RPCNFSDCOUNT=\"8 --rdma=20050\"" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		install(DEBIAN, "1:1.3.4-6");
		tree_write(&tree, "etc/default/nfs-kernel-server", rows[i].text);
		read_for(20050);
		ASSERT_CONTAINS(out.why, rows[i].line);
	}
}

SUITE_MAIN("nfsd-arguments", TEST(nfs_conf_is_read_since_2_1_1),
	   TEST(nfsconf_shows_that_nfs_conf_is_read), TEST(existing_arguments_are_kept))
