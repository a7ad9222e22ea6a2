/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which mounts are VDSM's storage domains, their names, and their repository. */
#include "hooks/vdsm/internal.h"
#include "tests/unit/host-tree.h"

#define REPO  "/rhev/data-center"
#define POOL  "11111111-1111-1111-1111-111111111111"
#define VM    "22222222-2222-2222-2222-222222222222"
#define ISO   "33333333-3333-3333-3333-333333333333"
#define BLOCK "44444444-4444-4444-4444-444444444444"

static struct tree tree;
static struct host_mounts mounts;
static struct vdsm_domains domains;

static void begin(const char *mountinfo)
{
	char text[4096];

	tree_new(&tree);
	snprintf(text, sizeof(text), "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n%s",
		 mountinfo);
	tree_write(&tree, "proc/self/mountinfo", text);
	CU_ASSERT_EQUAL_FATAL(host_mounts(tree.host, &mounts), 0);
}

static void end(void)
{
	vdsm_domains_fini(&domains);
	host_mounts_fini(&mounts);
	tree_free(&tree);
}

static void look(void)
{
	vdsm_domains_fini(&domains);
	CU_ASSERT_EQUAL_FATAL(vdsm_domains(tree.host, &mounts, REPO, &domains), 0);
}

static void link_to(const char *uuid, const char *target)
{
	char name[256];

	snprintf(name, sizeof(name), "rhev/data-center/" POOL "/%s", uuid);
	tree_link(&tree, name, target);
}

static void a_domain_is_a_mount_of_the_repository(void)
{
	begin("90 20 0:53 / " REPO "/mnt/nas:_vm rw - nfs4 nas:/vm rw\n"
	      "91 20 0:54 / " REPO
	      "/mnt/nas:_with\\040blank rw - nfs nas:/with\\040blank rw\n"
	      "92 20 0:55 / /srv rw - nfs4 nas:/srv rw\n"
	      "93 90 0:56 / " REPO "/mnt/nas:_vm/sub rw - nfs4 nas:/vm/sub rw\n"
	      "94 20 0:57 / " REPO "/mnt/x:_gluster rw - fuse.glusterfs x:/g rw\n"
	      "95 20 0:58 / " REPO "-2/mnt/nas:_vm rw - nfs4 nas:/vm rw\n");
	look();
	CU_ASSERT_EQUAL_FATAL(domains.count, 2);
	CU_ASSERT_EQUAL(domains.list[0].mount->id, 90);
	CU_ASSERT_EQUAL(domains.list[0].nuuids, 0);
	CU_ASSERT_STRING_EQUAL(domains.list[1].target, REPO "/mnt/nas:_with blank");
	end();
}

static void the_last_mount_on_a_directory_applies(void)
{
	begin("90 20 0:53 / " REPO "/mnt/nas:_vm rw - nfs4 nas:/vm rw\n"
	      "96 90 0:53 / " REPO "/mnt/nas:_vm rw - nfs4 192.0.2.1:/vm rw\n");
	look();
	CU_ASSERT_EQUAL_FATAL(domains.count, 1);
	CU_ASSERT_EQUAL(domains.list[0].mount->id, 96);
	end();
}

static void links_give_their_names(void)
{
	begin("90 20 0:53 / " REPO "/mnt/nas:_vm rw - nfs4 nas:/vm rw\n");
	link_to(VM, REPO "/mnt/nas:_vm/" VM);
	link_to(ISO, REPO "/mnt/nas:_vm/" ISO);
	link_to("mastersd", REPO "/mnt/nas:_vm/" VM);
	tree_link(&tree, "rhev/data-center/55555555-1111-1111-1111-111111111111/" VM,
		  REPO "/mnt/nas:_vm/" VM);
	look();
	CU_ASSERT_EQUAL_FATAL(domains.count, 1);
	CU_ASSERT_EQUAL_FATAL(domains.list[0].nuuids, 2);
	CU_ASSERT_STRING_EQUAL(domains.list[0].uuids[0], VM);
	CU_ASSERT_STRING_EQUAL(domains.list[0].uuids[1], ISO);
	end();
}

static void a_link_without_a_mount_is_a_missing_domain(void)
{
	begin("");
	link_to(VM, REPO "/mnt/nas:_vm/" VM);
	/* Block, Gluster and local domains are ignored. */
	link_to(BLOCK, REPO "/mnt/blockSD/" BLOCK);
	link_to(ISO, REPO "/mnt/glusterSD/nas:_g/" ISO);
	link_to("66666666-2222-2222-2222-222222222222",
		REPO "/mnt/_data/66666666-2222-2222-2222-222222222222");
	/* So are invalid links. */
	link_to("77777777-2222-2222-2222-222222222222", "/");
	link_to("88888888-2222-2222-2222-222222222222", REPO "/mnt/nas:_vm/" VM);
	link_to("99999999-2222-2222-2222-222222222222", "x");
	tree_write(&tree,
		   "rhev/data-center/" POOL "/aaaaaaaa-2222-2222-2222-222222222222", "");
	look();
	CU_ASSERT_EQUAL_FATAL(domains.count, 1);
	CU_ASSERT_PTR_NULL(domains.list[0].mount);
	CU_ASSERT_STRING_EQUAL(domains.list[0].target, REPO "/mnt/nas:_vm");
	CU_ASSERT_EQUAL(domains.list[0].nuuids, 1);
	end();
}

static char touched[4096];

static void on_event(void *arg, const struct host_event *event)
{
	(void)arg;
	if (strlen(touched) + strlen(event->path) + 2 < sizeof(touched))
		strcat(strcat(touched, event->path), "\n");
}

/* A pool's folder, or a domain's link, with a network mount on top. */
static void nothing_at_or_below_a_network_mount_is_touched(void)
{
	begin("90 20 0:53 / " REPO "/" POOL " rw - nfs4 nas:/vm rw\n"
	      "91 20 0:54 / " REPO "/55555555-1111-1111-1111-111111111111/" VM
	      " rw - nfs4 nas:/vm rw\n");
	link_to(VM, REPO "/mnt/nas:_vm/" VM);
	tree_mkdir(&tree, "rhev/data-center/55555555-1111-1111-1111-111111111111/" VM);
	touched[0] = '\0';
	host_watch(tree.host, on_event, NULL);
	look();
	host_watch(tree.host, NULL, NULL);
	CU_ASSERT_EQUAL(domains.count, 0);
	ASSERT_LACKS(touched, "data-center/" POOL);
	ASSERT_LACKS(touched, "/" VM);
	ASSERT_CONTAINS(touched, "rhev/data-center\n");
	end();
}

static void a_repository_on_a_network_is_left_alone(void)
{
	begin("90 20 0:53 / /rhev rw - nfs4 nas:/vm rw\n");
	link_to(VM, REPO "/mnt/nas:_vm/" VM);
	look();
	CU_ASSERT_EQUAL(domains.count, 0);
	end();
}

static void domains_have_a_maximum_number(void)
{
	char *text = malloc(1200 * 128), *at = text;
	int i;

	*at = '\0';
	for (i = 0; i < 1200; i++)
		at += sprintf(at, "%d 20 0:53 / " REPO "/mnt/n:_%d rw - nfs4 n:/%d rw\n",
			      100 + i, i, i);
	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo", text);
	CU_ASSERT_EQUAL_FATAL(host_mounts(tree.host, &mounts), 0);
	look();
	CU_ASSERT_EQUAL(domains.count, VDSM_DOMAINS_MAX);
	CU_ASSERT_TRUE(domains.cut);
	end();
	free(text);
}

/* --- plugin/host/vdsm.c --------------------------------------------------------------------------- */

static void repository_is(const char *text)
{
	char out[HOST_REPOSITORY_MAX];

	host_repository(tree.host, out);
	CU_ASSERT_STRING_EQUAL(out, text);
}

static void the_repository_is_read_from_vdsm_conf(void)
{
	static const struct {
		const char *conf, *repository;
	} rows[] = {
		{ "", REPO },
		{ "[irs]\nrepository = /srv/dc\n", "/srv/dc" },
		{ "[vars]\nrepository = /no\n[irs]\n# repository = /no\nrepository:/srv/dc/\n",
		  "/srv/dc" },
		{ "repository = /no\n[irs]\nrepository_x = /no\n", REPO },
		{ "[irs]\nrepository = relative\n", REPO },
		{ "[irs]\nrepository =\n", REPO },
		{ "[irs]\nrepository = /\n", REPO },
		{ "[irs]\nrepository = /a\x01\n", REPO },
	};
	char too_long[400] = "[irs]\nrepository = /";
	size_t i;

	tree_new(&tree);
	repository_is(REPO);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].conf);
		tree_write(&tree, "etc/vdsm/vdsm.conf", rows[i].conf);
		repository_is(rows[i].repository);
	}
	memset(too_long + strlen(too_long), 'a', 300);
	tree_write(&tree, "etc/vdsm/vdsm.conf", too_long);
	repository_is(REPO);
	tree_write(&tree, "etc/vdsm/vdsm.conf", "[irs]\nrepository = /one\n");
	tree_write(&tree, "etc/vdsm/vdsm.conf.d/10.conf", "[irs]\nrepository = /two\n");
	tree_write(&tree, "etc/vdsm/vdsm.conf.d/20.conf.rpmnew",
		   "[irs]\nrepository = /no\n");
	tree_fifo(&tree, "etc/vdsm/vdsm.conf.d/30.conf");
	repository_is("/two");
	tree_free(&tree);
}

static void domains_on_block_devices_and_gluster_are_not_nfs(void)
{
	static const struct {
		const char *path;
		bool other;
	} rows[] = {
		{ REPO "/mnt/blockSD", true },
		{ REPO "/mnt/blockSD/d/images/i/v", true },
		{ REPO "/mnt/glusterSD/nas:_vol/d/images/i/v", true },
		{ REPO "/mnt/blockSDs", false },
		{ REPO "/mnt/nas:_vm/blockSD", false },
		{ REPO "/mnt", false },
		{ "/mnt/blockSD/d", false },
		{ "", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].path);
		CU_ASSERT_EQUAL(host_repository_not_nfs(REPO, rows[i].path),
				rows[i].other);
	}
}

static void a_directory_gives_its_source_where_possible(void)
{
	static const struct {
		const char *dir, *source;
	} rows[] = {
		{ REPO "/mnt/nas:_vm", "nas:/vm" },
		{ REPO "/mnt/nas:_", "nas:/" },
		{ REPO "/mnt/nas:_exp_my__data", "nas:/exp/my_data" },
		{ REPO "/mnt/[2001:db8::10]:_a_b", "[2001:db8::10]:/a/b" },
		{ "nas:_vm", "nas:/vm" },
		/* "a_/b" or "a/_b" */
		{ REPO "/mnt/nas:_a___b", NULL },
		{ REPO "/mnt/nas:_a____b", NULL },
		{ REPO "/mnt", NULL },
		{ REPO "/mnt/_srv_local", NULL },
		{ "", NULL },
	};
	char out[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].dir);
		CU_ASSERT_EQUAL(host_repository_source(rows[i].dir, out, sizeof(out)),
				rows[i].source ? 0 : -ENOENT);
		if (rows[i].source)
			CU_ASSERT_STRING_EQUAL(out, rows[i].source);
	}
	CU_ASSERT_EQUAL(host_repository_source("nas:_abc", out, 8), -ENOENT);
	CU_ASSERT_EQUAL(host_repository_source("nas:_abc", out, 9), 0);
}

/* As the kernel shows mounts below it. */
static void the_repository_has_a_real_path(void)
{
	struct host_mounts all = { .count = 0 };
	char out[PATH_MAX];

	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo", "21 1 8:1 / / rw - xfs /dev/sda1 rw\n");
	tree_write(&tree, "etc/vdsm/vdsm.conf", "[irs]\nrepository = /mnt/dc\n");
	tree_write(&tree, "srv/real/x", "");
	tree_link(&tree, "mnt/dc", "/srv/real");
	CU_ASSERT_EQUAL_FATAL(host_mounts(tree.host, &all), 0);
	host_repository_real(tree.host, &all, NULL, out);
	CU_ASSERT_STRING_EQUAL(out, "/srv/real");
	host_repository_real(tree.host, &all, "/mnt/dc/x", out);
	CU_ASSERT_STRING_EQUAL(out, "/srv/real/x");
	host_repository_real(tree.host, &all, "relative", out);
	CU_ASSERT_STRING_EQUAL(out, "relative");
	host_mounts_fini(&all);
	tree_free(&tree);
}

SUITE_MAIN("vdsm-domains", TEST(a_domain_is_a_mount_of_the_repository),
	   TEST(the_last_mount_on_a_directory_applies), TEST(links_give_their_names),
	   TEST(a_link_without_a_mount_is_a_missing_domain),
	   TEST(nothing_at_or_below_a_network_mount_is_touched),
	   TEST(a_repository_on_a_network_is_left_alone),
	   TEST(domains_have_a_maximum_number),
	   TEST(the_repository_is_read_from_vdsm_conf),
	   TEST(domains_on_block_devices_and_gluster_are_not_nfs),
	   TEST(a_directory_gives_its_source_where_possible),
	   TEST(the_repository_has_a_real_path))
