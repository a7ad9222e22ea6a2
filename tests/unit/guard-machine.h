/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A machine with mounts, a policy and pools, for tests of the gate; and nobody who touches a path at or
 * below a mount of a network goes unseen. */
#ifndef TESTS_UNIT_GUARD_MACHINE_H
#define TESTS_UNIT_GUARD_MACHINE_H

#include "plugin/guard/internal.h"
#include "plugin/request/request.h"
#include "tests/unit/host-tree.h"
#include "reasons.h"

#define BOOT "b3fe4a6a-8f6b-425a-81db-11412b84d08b"
#define NOW  1000000

static struct tree tree;
static struct guard_verdict verdict;

/* --- no path at or below an NFS mount is touched ------------------------------------------------ */

static char *forbidden[64];
static unsigned int nforbidden, touched;

static void watch(void *arg, const struct host_event *event)
{
	unsigned int i;
	size_t len;

	(void)arg;
	for (i = 0; i < nforbidden; i++) {
		len = strlen(forbidden[i]);
		if (strncmp(event->path, forbidden[i], len) ||
		    (event->path[len] && event->path[len] != '/'))
			continue;
		printf("%s was touched\n", event->path);
		touched++;
	}
}

/* All that mountinfo has of NFS, FUSE and automounters, and what may lie over them. */
static void forbid(const char *mountinfo)
{
	struct host_mounts mounts;
	char *copy = strdup(mountinfo);
	size_t i;

	CU_ASSERT_EQUAL_FATAL(mount_tree_parse(copy, &mounts), 0);
	for (i = 0; i < mounts.count && nforbidden < ARRAY_SIZE(forbidden); i++)
		if (strcmp(mounts.list[i].target, "/") &&
		    (!strncmp(mounts.list[i].type, "nfs", 3) ||
		     !strncmp(mounts.list[i].type, "fuse", 4) ||
		     !strcmp(mounts.list[i].type, "overlay") ||
		     !strcmp(mounts.list[i].type, "autofs")))
			forbidden[nforbidden++] = strdup(mounts.list[i].target + 1);
	host_mounts_fini(&mounts);
	free(copy);
}

/* --- machines ------------------------------------------------------------------------------------- */

#define ROOT "21 1 8:1 / / rw,relatime shared:1 - xfs /dev/root rw\n"
/* clang-format off */
#define RDMA(id, under, dir, spec)                                     \
#id " " #under " 0:" #id " / " dir " rw,relatime - nfs4 " spec \
	    " rw,vers=4.2,hard,proto=rdma,port=20049,addr=192.0.2.1\n"
#define TCP(id, under, dir, spec)                                      \
#id " " #under " 0:" #id " / " dir " rw,relatime - nfs4 " spec \
	    " rw,vers=4.2,hard,proto=tcp,addr=192.0.2.1\n"
#define MUTE(id, under, dir, spec) \
#id " " #under " 0:" #id " / " dir " rw,relatime - nfs4 " spec " rw,vers=4.2\n"
#define BIND(id, dev, dir, spec, proto)                            \
#id " 21 0:" #dev " /sub " dir " rw,relatime - nfs4 " spec \
	    " rw,vers=4.2,hard,proto=" proto ",addr=192.0.2.1\n"
#define OTHER(id, under, dir, type, source) \
#id " " #under " 0:" #id " / " dir " rw,relatime - " type " " source " rw\n"
/* clang-format on */

#define REQUIRE_DIR "[directory /srv/vm]\npolicy = require\n"
#define REQUIRE_NAS "[server nas]\npolicy = require\n"

/* Pools, as of libvirt. */
static const struct view_place pools[] = {
	{ .pool = (char *)"vm",
	  .target = (char *)"/srv/vm",
	  .fs_spec = (char *)"nas:/vm",
	  .asked = ASKED_RDMA,
	  .by = "pool 'vm'" },
	{ .pool = (char *)"plain",
	  .target = (char *)"/srv/plain",
	  .fs_spec = (char *)"nas:/plain",
	  .by = "pool 'plain'" },
	{ .pool = (char *)"default", .target = (char *)"/var/lib/images", .by = "pool 'default'" },
	{ .pool = (char *)"linked",
	  .target = (char *)"/pools/linked",
	  .fs_spec = (char *)"nas:/linked",
	  .asked = ASKED_RDMA,
	  .by = "pool 'linked'" },
};
static const struct view_places all_pools = { ARRAY_SIZE(pools), (struct view_place *)pools };

struct row {
	const char *mounts, *conf, *fstab, *utab, *nfsmount;
	const char *disk; /* a path, or POOL:VOLUME */
	enum guard_answer answer;
	bool refuse, loud;
	const char *id;
	const char *says; /* NULL: nothing */
	bool no_pools;
	bool hidden; /* what mountinfo has of NFS is not seen */
	bool optional;
};

static void write_if(const char *path, const char *text)
{
	if (text)
		tree_write(&tree, path, text);
}

static void begin(const struct row *row)
{
	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo", row->mounts);
	tree_write(&tree, "proc/sys/kernel/random/boot_id", BOOT "\n");
	write_if("etc/nfsrdma.conf", row->conf);
	write_if("etc/fstab", row->fstab);
	write_if("run/mount/utab", row->utab);
	write_if("etc/nfsmount.conf", row->nfsmount);
	tree_write(&tree, "var/lib/images/a.img", "");
	tree_link(&tree, "var/lib/vm", "../../srv/vm");
	tree_link(&tree, "pools/linked", "/var/lib/linked");
	tree_link(&tree, "dead", "/nowhere/x");
	tree_link(&tree, "round", "round");
	tree_link(&tree, "rhev/data-center/P/D", "/rhev/data-center/mnt/nas:_d/D");
	tree_mkdir(&tree, "srv/vm");
	tree_mkdir(&tree, "var/lib/linked");
	touched = nforbidden = 0;
	if (!row->hidden)
		forbid(row->mounts);
	host_watch(tree.host, watch, NULL);
}

static void end(void)
{
	CU_ASSERT_EQUAL(touched, 0);
	while (nforbidden)
		free(forbidden[--nforbidden]);
	tree_free(&tree);
}

static bool optional;

static void ask_guard(const struct guard *guard, const char *text)
{
	struct guard_disk disk = { .name = "vda", .optional = optional };
	char *copy = strdup(text), *colon = strchr(copy, ':');

	if (*text == '/' || !colon) {
		disk.path = copy;
	} else {
		*colon = '\0';
		disk.pool = copy;
		disk.volume = colon + 1;
	}
	guard_ask(guard, &disk, &verdict);
	free(copy);
}

static int ask(const char *disk, const struct view_places *places)
{
	_cleanup_(guard_close_p) struct guard *guard = NULL;
	struct guard_sources sources = { .host = tree.host, .places = places, .now = NOW };
	int rc = guard_open(&guard, &sources);

	if (!rc)
		ask_guard(guard, disk);
	return rc;
}

/* What is said has a reason and a remedy, is one line, and is whole. */
static bool is_well_said(void)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	guard_finding(&verdict, &finding);
	if (!reasons_fit(&finding))
		return false;
	suite_saw("\"%s\" \"%s\"", verdict.text, verdict.remedy);
	if (!*verdict.text)
		return !*verdict.remedy;
	return *verdict.remedy && !strpbrk(verdict.text, "\n\r\t") &&
	       strlen(verdict.text) < GUARD_TEXT_MAX - 1 &&
	       verdict.remedy[strlen(verdict.remedy) - 1] == '.';
}

#endif
