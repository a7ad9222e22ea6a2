/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The transport of a mount, from mountinfo and mountstats. */
#include "mount-helper/internal.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct proof proof;

#define ROOT "21 1 8:1 / / rw,relatime shared:1 - xfs /dev/root rw\n"
#define MOUNT(id, dir, vers, proto)                                                 \
	id " 21 0:" id " / " dir " rw - nfs4 nas:/vm rw,vers=" vers ",proto=" proto \
	   ",port=20049,addr=192.0.2.1\n"
#define STATS(dir, xprts)                                                   \
	"device nas:/vm mounted on " dir " with fstype nfs4 statvers=1.1\n" \
	"\tage:\t5\n" xprts
#define RDMA "\txprt:\trdma 0 0 1 0 5 12 12 0 12 0 1 4 3 104 104 0 0 0 0 0 0 0 0 3 0 0 1\n"
#define TCP  "\txprt:\ttcp 0 0 1 0 5 12 12 0 12 0 2 0 0\n"

static void begin(const char *mountinfo, const char *mountstats)
{
	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo", mountinfo);
	tree_write(&tree, "proc/self/mountstats", mountstats);
}

static void rdma_in_both_is_proof(void)
{
	begin(ROOT MOUNT("90", "/srv/vm", "4.2", "rdma"), STATS("/srv/vm", RDMA));
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT(proof.found);
	CU_ASSERT(proof.rdma);
	CU_ASSERT_EQUAL(proof.mount.id, 90);
	CU_ASSERT_EQUAL(proof.mount.port, 20049);
	CU_ASSERT_STRING_EQUAL(proof.mount.proto, "rdma");
	CU_ASSERT_STRING_EQUAL(proof.mount.dev, "0:90");
	CU_ASSERT_STRING_EQUAL(proof.mount.target, "/srv/vm");
	CU_ASSERT_STRING_EQUAL(proof.mount.fs_spec, "nas:/vm");
	tree_free(&tree);
}

static void rdma_over_ipv6_is_rdma(void)
{
	begin(ROOT MOUNT("90", "/srv/vm", "4.2", "rdma6"), STATS("/srv/vm", RDMA));
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT(proof.rdma);
	tree_free(&tree);
}

static void missing_mountstats_are_no_contradiction(void)
{
	begin(ROOT MOUNT("90", "/srv/vm", "4.2", "rdma"), STATS("/srv/vm", ""));
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT(proof.rdma);
	tree_free(&tree);
}

static void one_connection_over_tcp_disproves_rdma(void)
{
	begin(ROOT MOUNT("90", "/srv/vm", "4.2", "rdma"), STATS("/srv/vm", RDMA TCP));
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT(proof.found);
	CU_ASSERT_FALSE(proof.rdma);
	CU_ASSERT_STRING_EQUAL(proof.why, "mountinfo says rdma, but mountstats disagrees");
	tree_free(&tree);
}

/* nfs(5) does not document it: with the option proto=rdma, port= is shown as requested. */
static void the_other_mount_of_a_shared_connection_is_named(void)
{
	begin(ROOT MOUNT("80", "/old", "4.1", "tcp") MOUNT("81", "/iso", "4.2", "tcp")
		      MOUNT("90", "/srv/vm", "4.2", "tcp"),
	      STATS("/old", TCP) STATS("/iso", TCP) STATS("/srv/vm", TCP));
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT(proof.found);
	CU_ASSERT_FALSE(proof.rdma);
	CU_ASSERT_STRING_EQUAL(proof.why, "it is over tcp");
	CU_ASSERT_STRING_EQUAL(proof.other, "/iso");
	tree_free(&tree);
}

static void without_another_mount_none_is_named(void)
{
	begin(ROOT MOUNT("80", "/old", "4.1", "tcp") MOUNT("81", "/iso", "4.2", "rdma")
		      MOUNT("90", "/srv/vm", "4.2", "tcp"),
	      STATS("/srv/vm", TCP));
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT_STRING_EQUAL(proof.other, "");
	tree_free(&tree);
}

static void other_file_systems_are_not_found(void)
{
	begin(ROOT "90 21 0:53 / /srv/vm rw - tmpfs nas:/vm rw,proto=rdma\n", "");
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT_FALSE(proof.found);
	CU_ASSERT_FALSE(proof.rdma);
	CU_ASSERT_STRING_EQUAL(proof.why, "it is not an NFS mount");
	CU_ASSERT_EQUAL(proof_read(tree.host, 21, &proof), 0);
	CU_ASSERT_FALSE(proof.found);
	tree_free(&tree);
}

static void a_mount_without_a_transport_is_unproven(void)
{
	begin(ROOT "90 21 0:53 / /srv/vm rw - nfs nas:/vm rw\n", "");
	CU_ASSERT_EQUAL(proof_read(tree.host, 90, &proof), 0);
	CU_ASSERT(proof.found);
	CU_ASSERT_FALSE(proof.rdma);
	CU_ASSERT_STRING_EQUAL(proof.why, "mountinfo names no transport");
	tree_free(&tree);
}

static void a_descriptor_identifies_its_mount(void)
{
	unsigned int id = 0;

	begin("", "");
	tree_write(&tree, "proc/self/fdinfo/7",
		   "pos:\t0\nflags:\t012000000\nmnt_id:\t90\nino:\t2\n");
	tree_write(&tree, "proc/self/fdinfo/8", "pos:\t0\n");
	CU_ASSERT_EQUAL(proof_mount_id(tree.host, 7, &id), 0);
	CU_ASSERT_EQUAL(id, 90);
	CU_ASSERT_EQUAL(proof_mount_id(tree.host, 8, &id), -EBADMSG);
	CU_ASSERT_EQUAL(proof_mount_id(tree.host, 9, &id), -ENOENT);
	tree_free(&tree);
}

/* By the mount ID, not by the look of its line. */
static void the_root_mount_is_shared_or_not(void)
{
	static const char below[] = "30 21 0:9 / /srv rw shared:7 - tmpfs none rw\n"
				    "31 21 0:10 / / / rw shared:8 - tmpfs none rw\n";
	static const struct {
		const char *name, *root;
		unsigned int id;
		bool shared;
	} rows[] = {
		{ "shared", "21 1 8:1 / / rw shared:1 - xfs /dev/root rw\n", 21, true },
		{ "private", "21 1 8:1 / / rw - xfs /dev/root rw\n", 21, false },
		{ "a slave", "21 1 8:1 / / rw master:1 - xfs /dev/root rw\n", 21, false },
		{ "a shared slave", "21 1 8:1 / / rw master:3 shared:1 - xfs /dev/root rw\n", 21,
		  true },
		{ "a subvolume of btrfs",
		  "21 1 0:20 /@ / rw shared:1 - btrfs /dev/vda2 rw,subvol=/@\n", 21, true },
		{ "a private subvolume",
		  "21 1 0:20 /@ / rw - btrfs /dev/vda2 rw,subvol=/shared:1\n", 21, false },
		{ "a bind mount", "21 1 8:1 /srv/roots/deb12 / rw shared:1 - ext4 /dev/sda1 rw\n",
		  21, true },
		{ "a private mount on top of it",
		  "21 1 0:2 / / rw shared:1 - rootfs none rw\n22 21 8:1 / / rw - ext4 /dev/sda1 rw\n",
		  22, false },
		{ "a shared mount on top of it",
		  "21 1 0:2 / / rw - rootfs none rw\n22 21 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n",
		  22, true },
		{ "below a mount on top of it",
		  "21 1 8:1 / / rw shared:1 - xfs /dev/root rw\n22 21 0:30 / / rw - tmpfs none rw\n",
		  21, true },
		{ "a source with that word", "21 1 8:1 / / rw - xfs shared:1 rw shared:1\n", 21,
		  false },
		{ "missing", "22 1 8:1 / / rw shared:1 - xfs /dev/root rw\n", 21, false },
	};
	struct host_mounts mounts;
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].name);
		begin("", "");
		snprintf(text, sizeof(text), "%s%s", rows[i].root, below);
		tree_write(&tree, "proc/self/mountinfo", text);
		CU_ASSERT_EQUAL_FATAL(host_mounts(tree.host, &mounts), 0);
		CU_ASSERT_EQUAL(hidden_is_shared(&mounts, rows[i].id), rows[i].shared);
		host_mounts_fini(&mounts);
		tree_free(&tree);
	}
}

SUITE_MAIN("helper-proof", TEST(rdma_in_both_is_proof), TEST(rdma_over_ipv6_is_rdma),
	   TEST(missing_mountstats_are_no_contradiction),
	   TEST(one_connection_over_tcp_disproves_rdma),
	   TEST(the_other_mount_of_a_shared_connection_is_named),
	   TEST(without_another_mount_none_is_named), TEST(other_file_systems_are_not_found),
	   TEST(a_mount_without_a_transport_is_unproven), TEST(a_descriptor_identifies_its_mount),
	   TEST(the_root_mount_is_shared_or_not))
