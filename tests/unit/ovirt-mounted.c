/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Existing mounts of a domain, and those that VDSM would leave mounted. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/host-tree.h"

#define ROOT "21 1 8:1 / / rw - xfs /dev/sda1 rw\n"
#define DIR  "/rhev/data-center/mnt/nas1:_vm"

static struct tree tree;
static struct view *view;
static struct ovirt_mounted mounted;

static void look(const char *mountinfo, const char *policy)
{
	struct view_sources sources = { .host = NULL };

	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo", mountinfo);
	tree_write(&tree, "etc/nfsrdma.conf", policy);
	sources.host = tree.host;
	CU_ASSERT_EQUAL_FATAL(view_open(&view, &sources), 0);
}

static void done(void)
{
	view_close(view);
	view = NULL;
	tree_free(&tree);
}

static void ask(const char *mountinfo)
{
	struct ovirt_domain domain;

	look(mountinfo, "");
	CU_ASSERT_EQUAL_FATAL(ovirt_domain("nas1:/vm", NULL, &domain), 0);
	ovirt_mounted(view, &domain, &mounted);
}

static void unmounted_and_rdma_domains_pass(void)
{
	ask(ROOT);
	CU_ASSERT_FALSE(mounted.count);
	CU_ASSERT_STRING_EQUAL(mounted.text, "");
	CU_ASSERT_STRING_EQUAL(mounted.remedy, "");
	done();
	ask(ROOT "90 21 0:53 / " DIR " rw - nfs4 nas1:/vm rw,vers=4.2,proto=rdma,addr=192.0.2.1\n");
	CU_ASSERT_EQUAL(mounted.count, 1);
	CU_ASSERT_STRING_EQUAL(mounted.text, "");
	CU_ASSERT_FALSE(mounted.other_source);
	done();
}

static void tcp_stays_whatever_the_options_say(void)
{
	ask(ROOT "90 21 0:53 / " DIR " rw - nfs4 nas1:/vm rw,vers=4.2,proto=tcp,addr=192.0.2.1\n");
	ASSERT_CONTAINS(mounted.text, DIR " is mounted over tcp, and keeps that transport");
	ASSERT_CONTAINS(mounted.remedy, "maintenance");
	ASSERT_CONTAINS(mounted.remedy, "umount " DIR);
	done();
	ask(ROOT "90 21 0:53 / " DIR " rw - nfs4 nas1:/vm rw,vers=4.2\n");
	ASSERT_CONTAINS(mounted.text, "over an unknown transport");
	done();
}

static void stacked_mounts_are_reported_even_over_rdma(void)
{
	ask(ROOT "90 21 0:53 / " DIR
		 " rw - nfs4 192.0.2.1:/vm rw,vers=4.2,proto=tcp,addr=192.0.2.1\n"
		 "91 90 0:54 / " DIR " rw - nfs4 nas1:/vm rw,vers=4.2,proto=rdma,addr=192.0.2.1\n");
	CU_ASSERT_EQUAL(mounted.count, 2);
	CU_ASSERT(mounted.other_source);
	CU_ASSERT_EQUAL(mounted.top, view_mount(view, 1));
	ASSERT_CONTAINS(mounted.text, "2 mounts are stacked on " DIR);
	ASSERT_CONTAINS(mounted.text, "the topmost over RDMA");
	ASSERT_CONTAINS(mounted.remedy, "repeat umount");
	done();
}

static unsigned int told;

static void on_mounted(void *arg, const struct ovirt_mounted *one)
{
	char *dirs = arg;

	told++;
	strcat(dirs, one->top->mount->target + strlen("/rhev/data-center/mnt/"));
	strcat(dirs, " ");
}

static void covered_mounts_of_a_repository_are_reported(void)
{
	static const char all[] = ROOT
		"90 21 0:53 / " DIR " rw - nfs4 nas1:/vm rw,vers=4.2,proto=tcp,addr=192.0.2.1\n"
		"91 21 0:54 / /rhev/data-center/mnt/nas2:_iso rw - nfs4 nas2:/iso rw,proto=tcp\n"
		"92 21 0:55 / /rhev/data-center/mnt/nas3:_x rw - nfs4 nas3:/x rw,proto=rdma\n"
		"93 92 0:56 / /rhev/data-center/mnt/nas3:_x rw - nfs4 nas3:/x rw,proto=rdma\n"
		"94 90 0:57 / " DIR "/sub rw - nfs4 nas1:/vm/sub rw,proto=tcp\n"
		"95 21 0:58 / /srv rw - nfs4 nas1:/vm rw,proto=tcp\n";
	char dirs[256] = "";

	look(all, "[server nas1]\npolicy = require\n");
	ovirt_mounted_each(view, on_mounted, dirs);
	CU_ASSERT_EQUAL(told, 2);
	CU_ASSERT_STRING_EQUAL(dirs, "nas1:_vm nas3:_x ");
	done();
	/* "Every mount." */
	told = 0;
	*dirs = '\0';
	look(all, "[default]\npolicy = require\n");
	ovirt_mounted_each(view, on_mounted, dirs);
	CU_ASSERT_STRING_EQUAL(dirs, "nas1:_vm nas2:_iso nas3:_x ");
	done();
}

SUITE_MAIN("ovirt-mounted", TEST(unmounted_and_rdma_domains_pass),
	   TEST(tcp_stays_whatever_the_options_say),
	   TEST(stacked_mounts_are_reported_even_over_rdma),
	   TEST(covered_mounts_of_a_repository_are_reported))
