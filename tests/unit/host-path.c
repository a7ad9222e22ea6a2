/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The mount that a path lies on, and that finding it touches no file system that may hang. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct host_mounts mounts;
static struct host_path resolved;

#define ROOT "21 1 8:1 / / rw,relatime shared:1 - xfs /dev/root rw\n"
#define VM   "90 21 0:53 / /srv/vm rw - nfs4 nas:/vm rw,proto=rdma\n"

/* --- no path at or below a network mount is touched -------------------------------------------- */

#define FORBIDDEN_MAX 8

static const char *forbidden[FORBIDDEN_MAX];
static unsigned int touched;

static void watch(void *arg, const struct host_event *event)
{
	size_t i, len;

	(void)arg;
	for (i = 0; i < FORBIDDEN_MAX && forbidden[i]; i++) {
		len = strlen(forbidden[i]);
		if (strncmp(event->path, forbidden[i], len) ||
		    (event->path[len] && event->path[len] != '/'))
			continue;
		printf("%s was touched\n", event->path);
		touched++;
	}
}

/* --- trees ----------------------------------------------------------------------------------- */

static void begin(const char *mountinfo)
{
	tree_new(&tree);
	tree_write(&tree, "proc/self/mountinfo", mountinfo);
	CU_ASSERT_EQUAL_FATAL(host_mounts(tree.host, &mounts), 0);
	memset(forbidden, 0, sizeof(forbidden));
	touched = 0;
	host_watch(tree.host, watch, NULL);
}

static void end(void)
{
	CU_ASSERT_EQUAL(touched, 0);
	host_mounts_fini(&mounts);
	tree_free(&tree);
}

static int ask(const char *path)
{
	return host_path_resolve(tree.host, &mounts, path, &resolved);
}

/* Mount 0: none. */
static bool leads(const char *path, enum host_path_end want, unsigned int id, const char *to)
{
	int rc = ask(path);

	suite_saw("%d %s, end %d of mount %u, path %s", rc, rc ? err_text() : "", resolved.end,
		  resolved.mount ? resolved.mount->id : 0, resolved.path);
	return !rc && resolved.end == want && (resolved.mount ? resolved.mount->id : 0) == id &&
	       !strcmp(resolved.path, to);
}

/* --- the list ---------------------------------------------------------------------------------- */

static void parse(const char *text)
{
	char *copy = strdup(text);

	CU_ASSERT_EQUAL_FATAL(mount_tree_parse(copy, &mounts), 0);
	free(copy);
}

static void every_mount_is_in_the_list(void)
{
	parse(ROOT "\n" VM "22 21 0:5 / /a\\040b\\134 rw shared:2 master:1 - fuse.x\\040y  rw\n"
		   "23 21 0:6 /s /c\rd rw - tmpfs a\\040b rw");
	CU_ASSERT_EQUAL_FATAL(mounts.count, 4);
	CU_ASSERT_FALSE(mounts.cut);
	CU_ASSERT_EQUAL(mounts.list[1].id, 90);
	CU_ASSERT_EQUAL(mounts.list[1].parent_id, 21);
	CU_ASSERT_STRING_EQUAL(mounts.list[1].target, "/srv/vm");
	CU_ASSERT_STRING_EQUAL(mounts.list[1].source, "nas:/vm");
	CU_ASSERT_STRING_EQUAL(mounts.list[1].type, "nfs4");
	CU_ASSERT_STRING_EQUAL(mounts.list[2].target, "/a b\\");
	CU_ASSERT_STRING_EQUAL(mounts.list[2].type, "fuse.x y");
	CU_ASSERT_STRING_EQUAL(mounts.list[2].source, "");
	/* The kernel escapes only blanks, tabs, newlines and backslashes. */
	CU_ASSERT_STRING_EQUAL(mounts.list[3].target, "/c\rd");
	CU_ASSERT_STRING_EQUAL(mounts.list[3].source, "a b");
	host_mounts_fini(&mounts);
	CU_ASSERT_PTR_NULL(mounts.list);
	parse("");
	CU_ASSERT_EQUAL(mounts.count, 0);
	host_mounts_fini(&mounts);
}

/* Such a mount may be anywhere: nothing may be touched then. */
static void a_malformed_line_is_an_error(void)
{
	static const char *const lines[] = {
		"x",
		"1",
		"x 1 0:5 / /m rw - nfs4 nas:/ rw",
		"-1 1 0:5 / /m rw - nfs4 nas:/ rw",
		"90 21x 0:5 / /m rw - nfs4 nas:/ rw",
		"99999999999 21 0:5 / /m rw - nfs4 nas:/ rw",
		"4294967295 21 0:5 / /m rw - nfs4 nas:/ rw",
		"90 21 0:5 / m rw - nfs4 nas:/ rw",
		"90 21 0:5 /",
		"90 21",
	};
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		SUITE_ROW("%zu: %s", i, lines[i]);
		snprintf(text, sizeof(text), ROOT "%s\n", lines[i]);
		begin(text);
		CU_ASSERT_EQUAL(mounts.count, 1);
		CU_ASSERT_TRUE(mounts.cut);
		forbidden[0] = "etc";
		CU_ASSERT_EQUAL(ask("/etc/x"), -EOVERFLOW);
		end();
	}
}

/* The other mount points are known, so paths elsewhere can be read. */
static void an_invalid_line_makes_its_mount_point_unknown(void)
{
	static const char *const lines[] = {
		"90 21 0:5 / /m rw nfs4 nas:/ rw",
		"90 21 0:5 / /m rw -",
		"90 21 0:5 / /m rw -  nas:/ rw",
		"90 21 0:5 / /m rw - nfs4",
		"90 21 0:5 / /m",
	};
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		SUITE_ROW("%zu: %s", i, lines[i]);
		snprintf(text, sizeof(text), ROOT "%s\n" VM, lines[i]);
		begin(text);
		CU_ASSERT_FALSE(mounts.cut);
		forbidden[0] = "m";
		tree_link(&tree, "to", "/m/x");
		CU_ASSERT_EQUAL(ask("/m"), -EBADMSG);
		ASSERT_CONTAINS(err_text(), "invalid line of mountinfo for the mount on /m");
		CU_ASSERT_EQUAL(ask("/to/y"), -EBADMSG);
		ASSERT_STARTS(resolved.path, "/m/x/");
		CU_ASSERT_EQUAL(ask("/m/../etc"), -EBADMSG);
		CU_ASSERT(leads("/srv/vm/a", HOST_PATH_NFS, 90, "/srv/vm/a"));
		CU_ASSERT(leads("/mm/x", HOST_PATH_LOCAL, 21, "/mm/x"));
		end();
	}
	begin("21 1 8:1 / / rw\n");
	forbidden[0] = "etc";
	CU_ASSERT_EQUAL(ask("/etc/x"), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(resolved.path, "/etc/x");
	end();
}

/* The mounting user chooses what follows "fuse.". */
static void a_file_system_type_may_have_any_length(void)
{
	char text[9000], type[8001];

	memset(type, 'a', sizeof(type));
	type[sizeof(type) - 1] = '\0';
	snprintf(text, sizeof(text), ROOT VM "91 21 0:54 / /home/eve/x rw - fuse.%s s rw\n", type);
	begin(text);
	forbidden[0] = "srv/vm";
	forbidden[1] = "home/eve/x";
	CU_ASSERT_FALSE(mounts.cut);
	CU_ASSERT(leads("/srv/vm/a", HOST_PATH_NFS, 90, "/srv/vm/a"));
	CU_ASSERT(leads("/home/eve/x/y", HOST_PATH_REMOTE, 91, "/home/eve/x/y"));
	CU_ASSERT(leads("/etc/x", HOST_PATH_LOCAL, 21, "/etc/x"));
	end();
}

/* fusermount lets users have a thousand mounts; a byte of a name takes four in mountinfo. */
static void users_cannot_make_the_list_too_long_to_read(void)
{
	char *text = NULL, *name = malloc(16000);
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	unsigned int i;

	for (i = 0; i < 16000; i++)
		name[i] = "\\012"[i % 4];
	fputs(ROOT, file);
	for (i = 0; i < 1000; i++)
		fprintf(file, "%u 21 0:5 / /%.16000s rw - fuse %.16000s rw\n", 100 + i, name, name);
	fclose(file);
	begin(text);
	CU_ASSERT_EQUAL(mounts.count, 1001);
	end();
	free(text);
	free(name);
}

static void too_many_mounts_are_an_error(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	unsigned int i;

	fputs(ROOT, file);
	for (i = 0; i < HOST_MOUNTS_MAX; i++)
		fprintf(file, "%u 21 0:5 / /m%u rw - tmpfs t rw\n", 100 + i, i);
	fclose(file);
	CU_ASSERT_EQUAL_FATAL(mount_tree_parse(text, &mounts), 0);
	free(text);
	CU_ASSERT_EQUAL(mounts.count, HOST_MOUNTS_MAX);
	CU_ASSERT_TRUE(mounts.cut);
	host_mounts_fini(&mounts);
}

static void a_missing_list_is_an_error(void)
{
	tree_new(&tree);
	CU_ASSERT_EQUAL(host_mounts(tree.host, &mounts), -ENOENT);
	tree_free(&tree);
}

/* --- where paths lead -------------------------------------------------------------------------- */

static void a_path_is_resolved_to_its_mount(void)
{
	begin(ROOT VM "91 21 8:2 / /srv rw - ext4 /dev/sdb1 rw\n"
		      "92 90 0:54 / /srv/vm/sub rw - nfs4 nas:/vm/sub rw\n");
	tree_write(&tree, "srv/local/a.img", "");
	tree_write(&tree, "var/lib/x", "");
	CU_ASSERT(leads("/", HOST_PATH_LOCAL, 21, "/"));
	CU_ASSERT(leads("/var/lib/x", HOST_PATH_LOCAL, 21, "/var/lib/x"));
	CU_ASSERT_FALSE(resolved.missing);
	/* /srv was mounted on later than /srv/vm: what is below it is hidden. */
	CU_ASSERT(leads("/srv/vm/a.img", HOST_PATH_LOCAL, 91, "/srv/vm/a.img"));
	CU_ASSERT(leads("/srv/local/a.img", HOST_PATH_LOCAL, 91, "/srv/local/a.img"));
	end();
	begin(ROOT VM "92 90 0:54 / /srv/vm/sub rw - nfs4 nas:/vm/sub rw\n");
	forbidden[0] = "srv/vm";
	tree_mkdir(&tree, "srv/vmx");
	CU_ASSERT(leads("/srv/vm", HOST_PATH_NFS, 90, "/srv/vm"));
	CU_ASSERT(leads("/srv/vm/", HOST_PATH_NFS, 90, "/srv/vm"));
	CU_ASSERT(leads("//srv//vm//./a//b.img", HOST_PATH_NFS, 90, "/srv/vm/a/b.img"));
	CU_ASSERT(leads("/srv/vm/sub/a.img", HOST_PATH_NFS, 92, "/srv/vm/sub/a.img"));
	CU_ASSERT(leads("/srv/vm/subway", HOST_PATH_NFS, 90, "/srv/vm/subway"));
	CU_ASSERT(leads("/srv/vmx", HOST_PATH_LOCAL, 21, "/srv/vmx"));
	CU_ASSERT(leads("/srv", HOST_PATH_LOCAL, 21, "/srv"));
	end();
}

static void the_topmost_mount_on_a_directory_is_used(void)
{
	/* A chain, each on the one before; in any order in mountinfo. */
	begin(ROOT "93 92 0:55 / /srv/vm rw - nfs4 nas:/new rw\n"
		   "90 21 0:53 / /srv/vm rw - nfs4 nas:/vm rw\n"
		   "92 90 0:54 / /srv/vm rw - tmpfs t rw\n");
	forbidden[0] = "srv/vm";
	CU_ASSERT(leads("/srv/vm/a", HOST_PATH_NFS, 93, "/srv/vm/a"));
	end();
	/* Two on one mount: the later one applies, as in the kernel with a move below. */
	begin(ROOT VM "94 21 0:56 / /srv/vm rw - nfs4 nas:/other rw\n");
	CU_ASSERT(leads("/srv/vm/a", HOST_PATH_NFS, 94, "/srv/vm/a"));
	end();
	/* A local file system on top of a network one hides it. */
	begin(ROOT VM "95 90 0:57 / /srv/vm rw - tmpfs t rw\n");
	CU_ASSERT(leads("/srv/vm/a", HOST_PATH_LOCAL, 95, "/srv/vm/a"));
	end();
}

static void mounts_below_a_hidden_mount_are_hidden(void)
{
	begin(ROOT VM "92 90 0:54 / /srv/vm/sub rw - nfs4 nas:/sub rw\n"
		      "95 90 0:57 / /srv/vm rw - nfs4 nas:/other rw\n");
	CU_ASSERT(leads("/srv/vm/sub/a", HOST_PATH_NFS, 95, "/srv/vm/sub/a"));
	end();
}

static void the_root_may_be_overmounted(void)
{
	begin("1 1 0:2 / / rw - rootfs rootfs rw\n"
	      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
	      "30 1 0:53 / /srv rw - nfs4 nas:/old rw\n"
	      "31 20 0:54 / /srv rw - nfs4 nas:/new rw\n");
	CU_ASSERT(leads("/", HOST_PATH_LOCAL, 20, "/"));
	CU_ASSERT(leads("/srv/x", HOST_PATH_NFS, 31, "/srv/x"));
	end();
}

/* As in a chroot: the root is not a mount, and parents are outside. */
static void a_tree_without_a_root_still_has_its_mounts(void)
{
	begin("90 21 0:53 / /srv/vm rw - nfs4 nas:/vm rw\n"
	      "91 90 0:54 / /srv/vm/sub rw - nfs4 nas:/sub rw\n");
	forbidden[0] = "srv/vm";
	tree_mkdir(&tree, "srv");
	CU_ASSERT(leads("/srv", HOST_PATH_LOCAL, 0, "/srv"));
	CU_ASSERT(leads("/srv/vm/a", HOST_PATH_NFS, 90, "/srv/vm/a"));
	CU_ASSERT(leads("/srv/vm/sub/a", HOST_PATH_NFS, 91, "/srv/vm/sub/a"));
	end();
	begin("");
	CU_ASSERT(leads("/proc/self", HOST_PATH_LOCAL, 0, "/proc/self"));
	end();
}

/* Their files may lie on a network file system. */
static void stacked_file_systems_are_not_read(void)
{
	static const char *const types[] = { "overlay", "overlayfs", "aufs", "ecryptfs" };
	char text[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		SUITE_ROW("%zu: %s", i, types[i]);
		snprintf(text, sizeof(text),
			 ROOT "90 21 0:53 / /m rw - %s s rw\n"
			      "91 90 0:54 / /m/n rw - nfs4 nas:/n rw\n",
			 types[i]);
		begin(text);
		forbidden[0] = "m";
		tree_link(&tree, "m/a", "/elsewhere");
		CU_ASSERT(leads("/m/a/b", HOST_PATH_LOCAL, 90, "/m/a/b"));
		CU_ASSERT(leads("/m", HOST_PATH_LOCAL, 90, "/m"));
		CU_ASSERT(leads("/m/n/x", HOST_PATH_NFS, 91, "/m/n/x"));
		end();
	}
}

/* Containers and live systems; with parts mounted again, as systemd does for a unit. */
static void a_stacked_root_is_walked(void)
{
	begin("21 1 0:20 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/u\n"
	      "22 21 0:53 / /srv/vm rw - nfs4 nas:/vm rw\n"
	      "23 21 0:20 /var /var ro - overlay overlay rw\n"
	      "24 21 0:21 / /opt ro - overlay sysext rw\n");
	forbidden[0] = "srv/vm";
	forbidden[1] = "opt";
	tree_link(&tree, "vm", "/srv/vm");
	tree_link(&tree, "var/vm", "/srv/vm");
	tree_link(&tree, "opt/vm", "/srv/vm");
	CU_ASSERT(leads("/vm/a", HOST_PATH_NFS, 22, "/srv/vm/a"));
	CU_ASSERT(leads("/var/vm/a", HOST_PATH_NFS, 22, "/srv/vm/a"));
	CU_ASSERT(leads("/opt/vm/a", HOST_PATH_LOCAL, 24, "/opt/vm/a"));
	CU_ASSERT(leads("/etc/x", HOST_PATH_LOCAL, 21, "/etc/x"));
	end();
}

/* This program itself runs from the network root. */
static void an_nfs_root_is_walked(void)
{
	begin("21 1 0:20 / / rw - nfs nas:/root rw\n"
	      "22 21 0:53 / /srv rw - nfs4 nas:/vm rw\n"
	      "23 21 0:54 / /tmp rw - tmpfs t rw\n");
	forbidden[0] = "srv";
	tree_link(&tree, "var/vm", "/srv/vm");
	CU_ASSERT(leads("/var/vm/a", HOST_PATH_NFS, 22, "/srv/vm/a"));
	CU_ASSERT(leads("/var/x", HOST_PATH_NFS, 21, "/var/x"));
	CU_ASSERT(leads("/tmp/x", HOST_PATH_LOCAL, 23, "/tmp/x"));
	end();
}

static void every_network_file_system_ends_the_path(void)
{
	static const struct {
		const char *type;
		enum host_path_end end;
	} rows[] = {
		{ "nfs", HOST_PATH_NFS },
		{ "nfs4", HOST_PATH_NFS },
		{ "cifs", HOST_PATH_REMOTE },
		{ "smb3", HOST_PATH_REMOTE },
		{ "ceph", HOST_PATH_REMOTE },
		{ "9p", HOST_PATH_REMOTE },
		{ "glusterfs", HOST_PATH_REMOTE },
		{ "fuse", HOST_PATH_REMOTE },
		{ "fuse.glusterfs", HOST_PATH_REMOTE },
		{ "fuse.sshfs", HOST_PATH_REMOTE },
		{ "fuseblk", HOST_PATH_REMOTE },
		{ "virtiofs", HOST_PATH_REMOTE },
		{ "afs", HOST_PATH_REMOTE },
		{ "lustre", HOST_PATH_REMOTE },
		{ "beegfs", HOST_PATH_REMOTE },
		{ "gpfs", HOST_PATH_REMOTE },
		{ "autofs", HOST_PATH_AUTOMOUNT },
	};
	char text[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].type);
		snprintf(text, sizeof(text), ROOT "90 21 0:53 / /m rw - %s s rw\n", rows[i].type);
		begin(text);
		forbidden[0] = "m";
		tree_link(&tree, "m/a", "/elsewhere");
		CU_ASSERT(leads("/m/a/b", rows[i].end, 90, "/m/a/b"));
		CU_ASSERT(leads("/m", rows[i].end, 90, "/m"));
		end();
	}
}

static void other_file_systems_are_local(void)
{
	static const char *const types[] = { "ext4", "xfs",   "btrfs", "zfs",    "tmpfs",
					     "gfs2", "ocfs2", "nfsd",  "fusectl" };
	char text[256];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		SUITE_ROW("%zu: %s", i, types[i]);
		snprintf(text, sizeof(text), ROOT "90 21 0:53 / /m rw - %s s rw\n", types[i]);
		begin(text);
		tree_link(&tree, "m/a", "b");
		tree_mkdir(&tree, "m/b");
		CU_ASSERT(leads("/m/a", HOST_PATH_LOCAL, 90, "/m/b"));
		end();
	}
}

static void a_mounted_automount_leads_to_its_mount(void)
{
	/* Direct: on the directory itself. */
	begin(ROOT "90 21 0:50 / /srv/vm rw - autofs systemd-1 rw,direct\n"
		   "91 90 0:53 / /srv/vm rw - nfs4 nas:/vm rw\n");
	forbidden[0] = "srv/vm";
	CU_ASSERT(leads("/srv/vm/a", HOST_PATH_NFS, 91, "/srv/vm/a"));
	end();
	/* Indirect: below it. */
	begin(ROOT "90 21 0:50 / /net rw - autofs auto.net rw,indirect\n"
		   "91 90 0:53 / /net/nas/vm rw - nfs4 nas:/vm rw\n"
		   "92 90 0:54 / /net/here rw - ext4 /dev/sdb1 rw\n");
	forbidden[0] = "net";
	CU_ASSERT(leads("/net/nas/vm/a", HOST_PATH_NFS, 91, "/net/nas/vm/a"));
	CU_ASSERT(leads("/net/nas/iso/a", HOST_PATH_AUTOMOUNT, 90, "/net/nas/iso/a"));
	/* Access goes through the automounter. */
	CU_ASSERT(leads("/net/here/a", HOST_PATH_LOCAL, 92, "/net/here/a"));
	CU_ASSERT_FALSE(resolved.missing);
	end();
}

static void local_file_systems_below_a_network_one_are_not_touched(void)
{
	begin(ROOT VM "92 90 0:54 / /srv/vm/tmp rw - tmpfs t rw\n"
		      "93 92 0:55 / /srv/vm/tmp/x/y rw - ext4 /dev/sdb1 rw\n");
	forbidden[0] = "srv/vm";
	CU_ASSERT(leads("/srv/vm/tmp/a", HOST_PATH_LOCAL, 92, "/srv/vm/tmp/a"));
	CU_ASSERT(leads("/srv/vm/tmp/x/y/z", HOST_PATH_LOCAL, 93, "/srv/vm/tmp/x/y/z"));
	CU_ASSERT(leads("/srv/vm/tmp/x/../b", HOST_PATH_LOCAL, 92, "/srv/vm/tmp/b"));
	/* The path to a mount point contains no link, so ".." is its parent directory. */
	CU_ASSERT(leads("/srv/vm/tmp/x/y/../../../b", HOST_PATH_NFS, 90, "/srv/vm/b"));
	end();
}

/* --- links ------------------------------------------------------------------------------------- */

static void links_on_local_file_systems_are_followed(void)
{
	begin(ROOT VM "96 21 8:2 / /rhev rw - ext4 /dev/sdb1 rw\n"
		      "97 96 0:56 / /rhev/data-center/mnt/nas:_vm rw - nfs4 nas:/vm rw\n");
	forbidden[0] = "srv/vm";
	forbidden[1] = "rhev/data-center/mnt/nas:_vm";
	tree_link(&tree, "disk", "/srv/vm/a.img");
	tree_link(&tree, "near", "srv/../disk");
	tree_link(&tree, "srv/up", "../srv/./vm");
	tree_link(&tree, "rhev/data-center/POOL/DOM", "/rhev/data-center/mnt/nas:_vm/DOM");
	tree_link(&tree, "out", "../../../../srv/vm/b");
	CU_ASSERT(leads("/disk", HOST_PATH_NFS, 90, "/srv/vm/a.img"));
	CU_ASSERT(leads("/near", HOST_PATH_NFS, 90, "/srv/vm/a.img"));
	CU_ASSERT(leads("/srv/up/c", HOST_PATH_NFS, 90, "/srv/vm/c"));
	CU_ASSERT(leads("/out", HOST_PATH_NFS, 90, "/srv/vm/b"));
	CU_ASSERT(leads("/rhev/data-center/POOL/DOM/images/I/V", HOST_PATH_NFS, 97,
			"/rhev/data-center/mnt/nas:_vm/DOM/images/I/V"));
	/* ".." after a link is the parent of its target. */
	tree_mkdir(&tree, "deep");
	tree_mkdir(&tree, "deep/er");
	tree_link(&tree, "short", "/deep/er");
	CU_ASSERT(leads("/short/../x", HOST_PATH_LOCAL, 21, "/deep/x"));
	end();
}

static void endless_links_are_an_error(void)
{
	char name[16], to[16];
	int i;

	begin(ROOT);
	tree_link(&tree, "round", "round");
	tree_link(&tree, "a", "b/x");
	tree_link(&tree, "b", "a/x");
	CU_ASSERT_EQUAL(ask("/round"), -ELOOP);
	CU_ASSERT_EQUAL(ask("/a"), -ELOOP);
	for (i = 0; i < 41; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		snprintf(to, sizeof(to), "l%d", i + 1);
		tree_link(&tree, name, to);
	}
	CU_ASSERT_EQUAL(ask("/l0"), -ELOOP);
	CU_ASSERT(leads("/l1", HOST_PATH_LOCAL, 21, "/l41"));
	CU_ASSERT_TRUE(resolved.missing);
	end();
}

static void a_dangling_link_is_missing(void)
{
	begin(ROOT);
	tree_link(&tree, "dead", "/not/there");
	CU_ASSERT(leads("/dead/a", HOST_PATH_LOCAL, 21, "/not/there/a"));
	CU_ASSERT_TRUE(resolved.missing);
	end();
}

/* --- missing paths ----------------------------------------------------------------------------- */

static void missing_components_are_reported_with_the_rest(void)
{
	begin(ROOT VM);
	tree_write(&tree, "etc/file", "");
	CU_ASSERT(leads("/etc/no/such/thing", HOST_PATH_LOCAL, 21, "/etc/no/such/thing"));
	CU_ASSERT_TRUE(resolved.missing);
	CU_ASSERT(leads("/etc/file", HOST_PATH_LOCAL, 21, "/etc/file"));
	CU_ASSERT_FALSE(resolved.missing);
	CU_ASSERT(leads("/etc/file/below", HOST_PATH_LOCAL, 21, "/etc/file/below"));
	CU_ASSERT_TRUE(resolved.missing);
	CU_ASSERT(leads("/srv/no/../vm/x", HOST_PATH_NFS, 90, "/srv/vm/x"));
	CU_ASSERT_TRUE(resolved.missing);
	end();
}

/* --- ".." ---------------------------------------------------------------------------------------- */

static void dot_dot_follows_the_resolved_path(void)
{
	begin(ROOT VM "92 90 0:54 / /srv/vm/sub rw - nfs4 nas:/sub rw\n");
	forbidden[0] = "srv/vm";
	tree_mkdir(&tree, "etc");
	CU_ASSERT(leads("/../..", HOST_PATH_LOCAL, 21, "/"));
	CU_ASSERT(leads("/srv/vm/..", HOST_PATH_LOCAL, 21, "/srv"));
	CU_ASSERT(leads("/srv/vm/../../etc", HOST_PATH_LOCAL, 21, "/etc"));
	CU_ASSERT(leads("/srv/vm/../vm/a", HOST_PATH_NFS, 90, "/srv/vm/a"));
	CU_ASSERT(leads("/srv/vm/sub/../a", HOST_PATH_NFS, 90, "/srv/vm/a"));
	CU_ASSERT(leads("/srv/vm/sub/../../../etc", HOST_PATH_LOCAL, 21, "/etc"));
	CU_ASSERT(leads("/srv/vm/a/../b", HOST_PATH_NFS, 90, "/srv/vm/b"));
	CU_ASSERT(leads("/srv/vm/a/../sub/b", HOST_PATH_NFS, 92, "/srv/vm/sub/b"));
	/* "a" may be a link to anywhere. */
	CU_ASSERT_EQUAL(ask("/srv/vm/a/../../../etc"), -EXDEV);
	ASSERT_CONTAINS(err_text(), "/srv/vm");
	CU_ASSERT_EQUAL(ask("/srv/vm/a/../.."), -EXDEV);
	end();
}

/* --- hostile ------------------------------------------------------------------------------------- */

static void invalid_paths_are_errors(void)
{
	char *path = malloc(2 * PATH_MAX);
	size_t i;

	begin(ROOT);
	CU_ASSERT_EQUAL(ask(""), -EINVAL);
	CU_ASSERT_EQUAL(ask("a/b"), -EINVAL);
	CU_ASSERT_EQUAL(ask("../a"), -EINVAL);
	memset(path, 'a', PATH_MAX);
	path[0] = '/';
	path[PATH_MAX] = '\0';
	CU_ASSERT_EQUAL(ask(path), -ENAMETOOLONG);
	path[300] = '\0';
	CU_ASSERT_EQUAL(ask(path), -ENAMETOOLONG);
	/* As deep as a path can be. */
	for (i = 0; i + 2 < PATH_MAX; i += 2)
		memcpy(path + i, "/a", 3);
	CU_ASSERT_EQUAL(ask(path), 0);
	CU_ASSERT_TRUE(resolved.missing);
	CU_ASSERT_STRING_EQUAL(resolved.path, path);
	for (i = 0; i + 4 < PATH_MAX; i += 3)
		memcpy(path + i, "/..", 4);
	CU_ASSERT(leads(path, HOST_PATH_LOCAL, 21, "/"));
	free(path);
	end();
}

static void growing_links_are_truncated(void)
{
	char *to = malloc(PATH_MAX);

	begin(ROOT);
	memset(to, '/', 4000);
	strcpy(to + 4000, "x");
	tree_link(&tree, "long", to);
	snprintf(to, PATH_MAX, "/long/%0200d", 0);
	CU_ASSERT_EQUAL(ask(to), -ENAMETOOLONG);
	free(to);
	end();
}

static void circular_parents_end(void)
{
	/* No kernel prints these. */
	begin(ROOT "90 91 0:53 / /m rw - nfs4 nas:/a rw\n"
		   "91 90 0:54 / /m rw - nfs4 nas:/b rw\n");
	CU_ASSERT_EQUAL(ask("/m/x"), 0);
	end();
	begin("21 22 8:1 / / rw - ext4 /dev/sda1 rw\n"
	      "22 21 8:2 / / rw - ext4 /dev/sda2 rw\n");
	CU_ASSERT_EQUAL(ask("/m/x"), 0);
	end();
	/* The same id twice. */
	begin(ROOT "90 21 0:53 / /m rw - nfs4 nas:/a rw\n"
		   "90 90 0:54 / /m rw - nfs4 nas:/b rw\n");
	forbidden[0] = "m";
	CU_ASSERT_EQUAL(ask("/m/x"), 0);
	CU_ASSERT_EQUAL(resolved.end, HOST_PATH_NFS);
	end();
}

static void a_directory_without_search_permission_is_an_error(void)
{
	char path[PATH_MAX];

	if (!geteuid())
		return;
	begin(ROOT);
	tree_mkdir(&tree, "closed");
	tree_link(&tree, "closed/a", "/x");
	snprintf(path, sizeof(path), "%s/closed", tree.root);
	CU_ASSERT_EQUAL(chmod(path, 0), 0);
	CU_ASSERT_EQUAL(ask("/closed/a/b"), -EACCES);
	CU_ASSERT_STRING_EQUAL(resolved.path, "/closed/a/b");
	CU_ASSERT_EQUAL(chmod(path, 0700), 0);
	end();
}

static unsigned int lookups;

static void count(void *arg, const struct host_event *event)
{
	(void)arg;
	lookups += event->type == HOST_EVENT_LINK || event->type == HOST_EVENT_ERROR;
}

static void components_are_read_once(void)
{
	char path[64];
	int i;

	begin(ROOT VM);
	tree_link(&tree, "pool", "/var/vm");
	tree_link(&tree, "var/vm", "../srv/vm");
	tree_mkdir(&tree, "data");
	tree_mkdir(&tree, "srv");
	host_watch(tree.host, count, NULL);
	lookups = 0;
	for (i = 0; i < 100; i++) {
		SUITE_ROW("%d", i);
		snprintf(path, sizeof(path), "/pool/disk%d", i);
		CU_ASSERT_EQUAL(ask(path), 0);
		CU_ASSERT_EQUAL(resolved.mount->id, 90);
	}
	/* pool, var, var/vm, srv. */
	CU_ASSERT_EQUAL(lookups, 4);
	/* The file itself is read again: a missing one may exist by now. */
	lookups = 0;
	CU_ASSERT(leads("/data/a", HOST_PATH_LOCAL, 21, "/data/a"));
	CU_ASSERT(leads("/data/a/b", HOST_PATH_LOCAL, 21, "/data/a/b"));
	CU_ASSERT_TRUE(resolved.missing);
	CU_ASSERT_EQUAL(lookups, 3);
	tree_link(&tree, "data/a", "/pool");
	CU_ASSERT(leads("/data/a/b", HOST_PATH_NFS, 90, "/srv/vm/b"));
	end();
}

static void names_in_one_hash_slot_stay_separate(void)
{
	char name[32], to[32], path[48], want[48];
	int i, round;

	begin(ROOT);
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "l%d", i);
		snprintf(to, sizeof(to), "/d%d", i);
		tree_link(&tree, name, to);
	}
	for (round = 0; round < 2; round++) {
		SUITE_ROW("round %d", round);
		for (i = 0; i < 1000; i++) {
			SUITE_ROW("%d", i);
			snprintf(path, sizeof(path), "/l%d/x", i);
			snprintf(want, sizeof(want), "/d%d/x", i);
			CU_ASSERT(leads(path, HOST_PATH_LOCAL, 21, want));
		}
	}
	end();
}

static void thousands_of_mounts_are_fast(void)
{
	char *text = NULL, path[64];
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	uint64_t start;
	unsigned int i;

	fputs(ROOT, file);
	for (i = 0; i < 10000; i++)
		fprintf(file, "%u 21 0:5 / /m/%u rw - nfs4 nas:/%u rw\n", 100 + i, i, i);
	fclose(file);
	begin(text);
	free(text);
	tree_mkdir(&tree, "m");
	start = now_ms();
	for (i = 0; i < 10000; i++) {
		snprintf(path, sizeof(path), "/m/%u/disk.img", i);
		if (ask(path) || resolved.end != HOST_PATH_NFS || resolved.mount->id != 100 + i)
			break;
	}
	CU_ASSERT_EQUAL(i, 10000);
	ASSERT_WITHIN_MS(now_ms() - start, 5000);
	end();
}

SUITE_MAIN("host-path", TEST(every_mount_is_in_the_list), TEST(a_malformed_line_is_an_error),
	   TEST(an_invalid_line_makes_its_mount_point_unknown),
	   TEST(a_file_system_type_may_have_any_length),
	   TEST(users_cannot_make_the_list_too_long_to_read), TEST(too_many_mounts_are_an_error),
	   TEST(a_missing_list_is_an_error), TEST(a_path_is_resolved_to_its_mount),
	   TEST(the_topmost_mount_on_a_directory_is_used),
	   TEST(mounts_below_a_hidden_mount_are_hidden), TEST(the_root_may_be_overmounted),
	   TEST(a_tree_without_a_root_still_has_its_mounts),
	   TEST(stacked_file_systems_are_not_read), TEST(a_stacked_root_is_walked),
	   TEST(an_nfs_root_is_walked), TEST(every_network_file_system_ends_the_path),
	   TEST(other_file_systems_are_local), TEST(a_mounted_automount_leads_to_its_mount),
	   TEST(local_file_systems_below_a_network_one_are_not_touched),
	   TEST(links_on_local_file_systems_are_followed), TEST(endless_links_are_an_error),
	   TEST(a_dangling_link_is_missing), TEST(missing_components_are_reported_with_the_rest),
	   TEST(dot_dot_follows_the_resolved_path), TEST(invalid_paths_are_errors),
	   TEST(growing_links_are_truncated), TEST(circular_parents_end),
	   TEST(a_directory_without_search_permission_is_an_error), TEST(components_are_read_once),
	   TEST(names_in_one_hash_slot_stay_separate), TIMED(thousands_of_mounts_are_fast))
