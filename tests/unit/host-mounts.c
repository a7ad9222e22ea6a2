/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* NFS mounts: mountinfo and mountstats, alone and joined. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct nfs_mounts mounts;

#define ROOT "21 1 8:1 / / rw,relatime shared:1 - xfs /dev/root rw\n"
#define VM   "90 21 0:53 / /srv/vm rw,relatime shared:50 - nfs4 nas:/vm "
#define OPTS                                                                           \
	"rw,vers=4.2,rsize=1048576,wsize=262144,hard,proto=rdma,port=20049,timeo=600," \
	"retrans=2,sec=sys,local_lock=none,addr=192.0.2.1\n"

static void parse(const char *text)
{
	char *copy = strdup(text);

	CU_ASSERT_EQUAL_FATAL(mountinfo_parse(copy, &mounts), 0);
	free(copy);
}

static void options_are_parsed(void)
{
	const struct nfs_mount *mount;

	parse(ROOT VM OPTS);
	CU_ASSERT_EQUAL_FATAL(mounts.count, 1);
	mount = &mounts.list[0];
	CU_ASSERT_EQUAL(mount->id, 90);
	CU_ASSERT_EQUAL(mount->parent_id, 21);
	CU_ASSERT_STRING_EQUAL(mount->dev, "0:53");
	CU_ASSERT_STRING_EQUAL(mount->target, "/srv/vm");
	CU_ASSERT_STRING_EQUAL(mount->fs_spec, "nas:/vm");
	CU_ASSERT_STRING_EQUAL(mount->fs_root, "/");
	CU_ASSERT_STRING_EQUAL(mount->type, "nfs4");
	CU_ASSERT_STRING_EQUAL(mount->vers, "4.2");
	CU_ASSERT_STRING_EQUAL(mount->proto, "rdma");
	CU_ASSERT_STRING_EQUAL(mount->addr, "192.0.2.1");
	CU_ASSERT_STRING_EQUAL(mount->sec, "sys");
	CU_ASSERT_EQUAL(mount->port, 20049);
	CU_ASSERT_EQUAL(mount->rsize, 1048576);
	CU_ASSERT_EQUAL(mount->wsize, 262144);
	CU_ASSERT_EQUAL(mount->timeo, 600);
	CU_ASSERT_EQUAL(mount->retrans, 2);
	CU_ASSERT_EQUAL(mount->nconnect, 0);
	CU_ASSERT_TRUE(mount->hard);
	CU_ASSERT_FALSE(mount->nolock);
	CU_ASSERT_EQUAL(mount->parent, UINT32_MAX);
	CU_ASSERT_EQUAL(mounts.unreadable, 0);
	host_nfs_mounts_fini(&mounts);
}

static void a_submount_has_its_parent_mount(void)
{
	parse(ROOT VM OPTS "95 90 0:54 / /srv/vm/tmp rw - tmpfs tmpfs rw\n"
			   "96 95 0:55 / /srv/vm/tmp/x rw - nfs4 nas:/x rw,proto=tcp\n"
			   "97 90 0:56 / /srv/vm/y rw - nfs4 nas:/vm/y rw,proto=tcp\n"
			   "98 98 0:57 / /self rw - nfs nas:/z rw,proto=tcp\n");
	CU_ASSERT_EQUAL_FATAL(mounts.count, 4);
	CU_ASSERT_EQUAL(mounts.list[1].parent, 0);
	CU_ASSERT_EQUAL(mounts.list[2].parent, 0);
	CU_ASSERT_EQUAL(mounts.list[3].parent, UINT32_MAX);
	host_nfs_mounts_fini(&mounts);
}

static void escaped_names_are_decoded(void)
{
	char text[] = "a\\040b\\134\\999\\04";

	mountinfo_unescape(text);
	CU_ASSERT_STRING_EQUAL(text, "a b\\\\999\\04");
	parse("9 1 0:5 /a\\040b /m\\040n rw - nfs4 nas:/a\\040b rw,proto=rdma\n");
	CU_ASSERT_EQUAL_FATAL(mounts.count, 1);
	CU_ASSERT_STRING_EQUAL(mounts.list[0].target, "/m n");
	CU_ASSERT_STRING_EQUAL(mounts.list[0].fs_spec, "nas:/a b");
	CU_ASSERT_STRING_EQUAL(mounts.list[0].fs_root, "/a b");
	host_nfs_mounts_fini(&mounts);
}

static void invalid_lines_are_counted(void)
{
	parse("x - nfs4 \n9 1 0:5 / /m rw - nfs4 nas:/ rw,proto=rdma\n - nfs nas:/ rw\n");
	CU_ASSERT_EQUAL(mounts.count, 1);
	CU_ASSERT_EQUAL(mounts.unreadable, 2);
	host_nfs_mounts_fini(&mounts);
	parse("9 1 x - nfs4 \n10 1 0:5 / /m rw - nfs4 nas:/ rw,proto=rdma\n");
	CU_ASSERT_EQUAL(mounts.count, 1);
	CU_ASSERT_EQUAL(mounts.unreadable, 1);
	host_nfs_mounts_fini(&mounts);
	/* The last line has no newline. */
	parse("9 1 0:5 / /m rw - nfs4 nas:/ rw,proto=rdma");
	CU_ASSERT_EQUAL(mounts.count, 1);
	host_nfs_mounts_fini(&mounts);
	parse("");
	CU_ASSERT_EQUAL(mounts.count, 0);
	host_nfs_mounts_fini(&mounts);
	parse("\n\n\n");
	CU_ASSERT_EQUAL(mounts.count, 0);
	host_nfs_mounts_fini(&mounts);
}

static struct nfs_mount seen[4];
static unsigned int nseen;

static int see(void *arg, const struct nfs_mount *mount)
{
	(void)arg;
	if (nseen < 4)
		seen[nseen++] = *mount;
	return 0;
}

static void stats(const char *text)
{
	char *copy = strdup(text);

	nseen = 0;
	CU_ASSERT_EQUAL(mountstats_parse(copy, see, NULL), 0);
	free(copy);
}

static void every_number_of_every_transport_is_kept(void)
{
	stats("device tmpfs mounted on /tmp with fstype tmpfs\n"
	      "device nas:/vm mounted on /srv/vm with fstype nfs4 statvers=1.1\n"
	      "\tage:\t4711\n"
	      "\txprt:\trdma 0 0 1 0 5 1200 1200 0 1200 0 10 400 3 1048576 1048000 0 0 0 0 "
	      "0 0 0 0 30 0 0 12\n"
	      "\txprt:\ttcp 800 1 1 0 2 18446744073709551615 9 9 9 9 9 9 9\n"
	      "device nas:/b\\040c mounted on /b\\040c with fstype nfs statvers=1.1\n");
	CU_ASSERT_EQUAL_FATAL(nseen, 2);
	CU_ASSERT_EQUAL(seen[0].age, 4711);
	CU_ASSERT_EQUAL_FATAL(seen[0].nxprts, 2);
	CU_ASSERT_STRING_EQUAL(seen[0].xprts[0].proto, "rdma");
	CU_ASSERT_EQUAL(seen[0].xprts[0].nvalues, 27);
	CU_ASSERT_EQUAL(seen[0].xprts[0].values[11], 400);
	CU_ASSERT_EQUAL(seen[0].xprts[0].values[26], 12);
	CU_ASSERT_STRING_EQUAL(seen[0].xprts[1].proto, "tcp");
	CU_ASSERT_EQUAL(seen[0].xprts[1].nvalues, 13);
	CU_ASSERT_EQUAL(seen[0].xprts[1].values[5], UINT64_MAX);
	CU_ASSERT_STRING_EQUAL(seen[1].target, "/b c");
	CU_ASSERT_STRING_EQUAL(seen[1].fs_spec, "nas:/b c");
	CU_ASSERT_EQUAL(seen[1].nxprts, 0);
}

static void fewer_and_more_numbers_are_accepted(void)
{
	char text[2048] = "device n:/ mounted on /m with fstype nfs4 statvers=1.1\n"
			  "\txprt:\trdma 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21\n"
			  "\txprt:\trdma 1 -2 3\n\txprt:\trdma 1 99999999999999999999\n\txprt:\n"
			  "\txprt:\trdma";
	int i;

	for (i = 0; i < 40; i++)
		strcat(text, " 7");
	stats(text);
	CU_ASSERT_EQUAL_FATAL(nseen, 1);
	CU_ASSERT_EQUAL_FATAL(seen[0].nxprts, 4);
	CU_ASSERT_EQUAL(seen[0].xprts[0].nvalues, 21);
	CU_ASSERT_EQUAL(seen[0].xprts[1].nvalues, 1);
	CU_ASSERT_EQUAL(seen[0].xprts[2].nvalues, 1);
	CU_ASSERT_EQUAL(seen[0].xprts[3].nvalues, 32);
}

static void too_many_transports_are_truncated(void)
{
	char text[4096] = "device n:/ mounted on /m with fstype nfs4 statvers=1.1\n";
	int i;

	for (i = 0; i < NFS_XPRTS_MAX + 1; i++)
		strcat(text, "\txprt:\ttcp 1 2\n");
	stats(text);
	CU_ASSERT_EQUAL(seen[0].nxprts, NFS_XPRTS_MAX);
	CU_ASSERT_TRUE(seen[0].xprts_cut);
}

#define EVENTS(shorts) "\tevents:\t1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 " shorts
#define READS(events, bytes, ops)                                                             \
	"device nas:/vm mounted on /srv/vm with fstype nfs4 statvers=1.1\n" events "\n" bytes \
	"\n\tper-op statistics\n\t        NULL: 1 1 0 44 24 0 0 0\n" ops

static void bytes_read_are_taken_from_their_lines(void)
{
	/* As Linux 3.12 and 6.1 print them, the former with a trailing blank. */
	stats(READS(EVENTS("83 24 25 26 27 "), "\tbytes:\t101 102 103 104 1600 106 107 108 ",
		    "\t        READ: 85 86 0 13600 343848 11 391 410\n"
		    "\t       WRITE: 1 1 1 1 1 1 1 1\n"));
	CU_ASSERT_EQUAL_FATAL(nseen, 1);
	CU_ASSERT(seen[0].reads.has_events && seen[0].reads.has_bytes && seen[0].reads.has_calls);
	CU_ASSERT_FALSE(seen[0].reads.broken);
	CU_ASSERT_EQUAL(seen[0].reads.calls, 85);
	CU_ASSERT_EQUAL(seen[0].reads.received, 343848);
	CU_ASSERT_EQUAL(seen[0].reads.shorts, 83);
	CU_ASSERT_EQUAL(seen[0].reads.bytes, 1600);
	stats(READS(EVENTS("7"), "\tbytes:\t1 2 3 4 5",
		    "\t READ: 5 5 0 1 100 1 1 1 0\n\t READ_PLUS: 4 4 0 1 1000 1 1 1 0\n"));
	CU_ASSERT_FALSE(seen[0].reads.broken);
	CU_ASSERT_EQUAL(seen[0].reads.calls, 9);
	CU_ASSERT_EQUAL(seen[0].reads.received, 1100);
}

static void invalid_read_counts_are_marked(void)
{
	static const struct {
		const char *what, *text;
		bool broken;
	} lines[] = {
		{ "22 events", READS(EVENTS(""), "\tbytes:\t1 2 3 4 5", ""), true },
		{ "4 bytes", READS(EVENTS("1"), "\tbytes:\t1 2 3 4 ", ""), true },
		{ "no bytes", READS(EVENTS("1"), "\tbytes:", ""), true },
		{ "a sign", READS(EVENTS("-1"), "", ""), true },
		{ "a plus", READS(EVENTS("+1"), "", ""), true },
		{ "a word", READS(EVENTS("x"), "", ""), true },
		{ "a word behind", READS(EVENTS("1x"), "", ""), true },
		{ "a word before", READS("\tevents: x", "", ""), true },
		{ "2^64", READS(EVENTS("18446744073709551616"), "", ""), true },
		{ "2^64-1", READS(EVENTS("18446744073709551615"), "", ""), false },
		{ "2^64 before", READS("", "", "\t READ: 1 18446744073709551616 1 1 1\n"), true },
		{ "four numbers", READS("", "", "\t READ: 1 1 1 1\n"), true },
		{ "a sum of 2^64",
		  READS("", "", "\t READ: 1 1 1 1 18446744073709551615\n\t READ: 1 1 1 1 1\n"),
		  true },
		{ "other lines", READS("\tevent: x", "\tbyte: x", "\t READDIR: x\n"), false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		SUITE_ROW("%s", lines[i].what);
		stats(lines[i].text);
		CU_ASSERT_EQUAL_FATAL(nseen, 1);
		CU_ASSERT_EQUAL(seen[0].reads.broken, lines[i].broken);
	}
	CU_ASSERT_FALSE(seen[0].reads.has_events || seen[0].reads.has_bytes ||
			seen[0].reads.has_calls);
}

static void a_machines_mount_has_all(void)
{
	const struct nfs_mount *mount;

	tree_machine(&tree, "mlx5-roce-rhel9");
	CU_ASSERT_EQUAL_FATAL(host_nfs_mounts(tree.host, &mounts), 0);
	CU_ASSERT_EQUAL_FATAL(mounts.count, 1);
	mount = &mounts.list[0];
	CU_ASSERT_STRING_EQUAL(mount->proto, "rdma");
	CU_ASSERT_EQUAL(mount->age, 86411);
	CU_ASSERT_EQUAL(mount->nxprts, 1);
	CU_ASSERT_EQUAL(mount->xprts[0].nvalues, 27);
	CU_ASSERT_STRING_EQUAL(mount->fstab, "proto=rdma,port=20049,_netdev");
	host_nfs_mounts_fini(&mounts);
	tree_free(&tree);
}

static void two_mounts_on_one_target_have_their_own_statistics(void)
{
	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo",
		   "9 1 0:5 / /m rw - nfs4 n:/ rw,proto=rdma\n"
		   "10 9 0:6 / /m rw - nfs4 n:/ rw,proto=tcp\n"
		   "11 1 0:7 / /o rw - nfs4 n:/o rw,proto=tcp\n");
	tree_write(&tree, "proc/self/mountstats",
		   "device n:/ mounted on /m with fstype nfs4 statvers=1.1\n\txprt: rdma 1\n"
		   "device n:/ mounted on /m with fstype nfs4 statvers=1.1\n\txprt: tcp 2\n"
		   "device n:/gone mounted on /gone with fstype nfs4 statvers=1.1\n");
	CU_ASSERT_EQUAL_FATAL(host_nfs_mounts(tree.host, &mounts), 0);
	CU_ASSERT_EQUAL_FATAL(mounts.count, 3);
	CU_ASSERT_STRING_EQUAL(mounts.list[0].xprts[0].proto, "rdma");
	CU_ASSERT_STRING_EQUAL(mounts.list[1].xprts[0].proto, "tcp");
	CU_ASSERT_EQUAL(mounts.list[1].parent, 0);
	CU_ASSERT_EQUAL(mounts.list[2].nxprts, 0);
	host_nfs_mounts_fini(&mounts);
	tree_fifo(&tree, "proc/self/mountstats");
	CU_ASSERT_EQUAL(host_nfs_mounts(tree.host, &mounts), -EINVAL);
	tree_fifo(&tree, "proc/self/mountinfo");
	CU_ASSERT_EQUAL(host_nfs_mounts(tree.host, &mounts), -EINVAL);
	tree_free(&tree);
}

static void mounts_are_known_without_fstab(void)
{
	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo", "9 1 0:5 / /m rw - nfs4 n:/ rw,proto=tcp\n");
	CU_ASSERT_EQUAL_FATAL(host_nfs_mounts(tree.host, &mounts), 0);
	CU_ASSERT_STRING_EQUAL(mounts.fstab_unknown, "");
	host_nfs_mounts_fini(&mounts);
	tree_bytes(&tree, "etc/fstab", "n:/ /m nfs proto=rdma 0 0\n\0", 27);
	CU_ASSERT_EQUAL_FATAL(host_nfs_mounts(tree.host, &mounts), 0);
	CU_ASSERT_EQUAL(mounts.count, 1);
	ASSERT_CONTAINS(mounts.fstab_unknown, "/etc/fstab is not a text");
	host_nfs_mounts_fini(&mounts);
	tree_free(&tree);
}

SUITE_MAIN("host-mounts", TEST(options_are_parsed), TEST(a_submount_has_its_parent_mount),
	   TEST(escaped_names_are_decoded), TEST(invalid_lines_are_counted),
	   TEST(every_number_of_every_transport_is_kept), TEST(fewer_and_more_numbers_are_accepted),
	   TEST(too_many_transports_are_truncated), TEST(bytes_read_are_taken_from_their_lines),
	   TEST(invalid_read_counts_are_marked), TEST(a_machines_mount_has_all),
	   TEST(two_mounts_on_one_target_have_their_own_statistics),
	   TEST(mounts_are_known_without_fstab))
