/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A snapshot contains what was read while it was open, as it was then, and nothing else. */
#include "plugin/live/live.h"
#include "plugin/snapshot/snapshot.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct snapshot *snapshot;
static struct snapshot_summary summary;
static struct host *copy; /* the unpacked snapshot */
static char buf[512];

static void begin(void)
{
	tree_new(&tree);
	tree_write(&tree, "etc/hostname", "kvm-01.Example; rm -rf /\n");
	CU_ASSERT_EQUAL_FATAL(snapshot_open(&snapshot, tree.host), 0);
}

/* Writes and unpacks it. */
static void replay(void)
{
	char name[PATH_MAX], command[3 * PATH_MAX], root[2 * PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "%s/a.tar.gz", tree.top);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CU_ASSERT_EQUAL_FATAL(snapshot_write(snapshot, fd, &summary), 0);
	close(fd);
	snapshot_close_p(&snapshot);
	snprintf(command, sizeof(command), "tar xzf %s -C %s", name, tree.top);
	CU_ASSERT_EQUAL_FATAL(system(command), 0);
	snprintf(root, sizeof(root), "%s/%s", tree.top, summary.folder);
	CU_ASSERT_EQUAL_FATAL(host_open(&copy, root), 0);
	CU_ASSERT_TRUE(host_is_snapshot(copy));
}

static void end(void)
{
	host_close(copy);
	tree_free(&tree);
}

/* Both return the same: the contents, and the messages of errors. */
static void same_attr(const char *path)
{
	char one[256], other[256], words[ERR_TEXT_MAX];
	int rc = host_attr(tree.host, path, one, sizeof(one));

	strcpy(words, err_text());
	CU_ASSERT_EQUAL(host_attr(copy, path, other, sizeof(other)), rc);
	CU_ASSERT_STRING_EQUAL(one, other);
	if (rc && rc != -ENOENT)
		CU_ASSERT_STRING_EQUAL(err_text(), words);
}

static void visit_attr(const char *path)
{
	host_attr(tree.host, path, buf, sizeof(buf));
}

static void the_archive_has_the_host_name(void)
{
	begin();
	replay();
	ASSERT_STARTS(summary.folder, "kvm-01.Example-20");
	CU_ASSERT_EQUAL(strspn(summary.folder, "abcdeEfghijklmnopqrstuvwxyz0123456789.-"),
			strlen(summary.folder));
	end();
}

static void files_and_links_are_restored(void)
{
	static const char *const paths[] = { "etc/os-release",
					     "sys/class/net/eth0/mtu",
					     "sys/class/net/eth0/device/vendor",
					     "proc/self/limits",
					     "etc/absent",
					     "etc/dangling",
					     "etc/loop",
					     "etc/outside" };
	size_t i;

	begin();
	tree_write(&tree, "usr/lib/os-release", "ID=test\n");
	tree_link(&tree, "etc/os-release", "../usr/lib/os-release");
	tree_write(&tree, "sys/devices/pci0/net/eth0/mtu", "9000\n");
	tree_write(&tree, "sys/devices/pci0/vendor", "0x15b3\n");
	tree_link(&tree, "sys/devices/pci0/net/eth0/device", "../..");
	tree_link(&tree, "sys/class/net/eth0", "../../devices/pci0/net/eth0");
	tree_write(&tree, "proc/4711/limits", "none\n");
	tree_link(&tree, "proc/self", "4711");
	tree_link(&tree, "etc/dangling", "nowhere/at/all");
	tree_link(&tree, "etc/loop", "loop");
	tree_write(&tree, "inside", "inside\n");
	tree_link(&tree, "etc/outside", "/../../proc/4711/limits");
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		visit_attr(paths[i]);
	host_link(tree.host, "sys/class/net/eth0", buf, sizeof(buf));
	replay();
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		SUITE_ROW("%zu: %s", i, paths[i]);
		same_attr(paths[i]);
	}
	CU_ASSERT_EQUAL(host_link(copy, "sys/class/net/eth0", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "../../devices/pci0/net/eth0");
	CU_ASSERT_EQUAL(host_attr(copy, "etc/unasked", buf, sizeof(buf)), -ENODATA);
	end();
}

static void errors_of_files_are_reproduced(void)
{
	static const char *const paths[] = { "sys/fifo", "sys/folder", "sys/binary", "sys/long",
					     "sys/file/below" };
	char line[600];
	size_t i;

	begin();
	tree_fifo(&tree, "sys/fifo");
	tree_mkdir(&tree, "sys/folder");
	tree_bytes(&tree, "sys/binary", "a\0b", 3);
	memset(line, 'x', sizeof(line));
	tree_bytes(&tree, "sys/long", line, sizeof(line));
	tree_write(&tree, "sys/file", "text\n");
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		host_attr(tree.host, paths[i], buf, 256);
	replay();
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		int rc = host_attr(tree.host, paths[i], buf, 256);
		SUITE_ROW("%zu: %s", i, paths[i]);

		CU_ASSERT_NOT_EQUAL(rc, 0);
		CU_ASSERT_EQUAL(host_attr(copy, paths[i], buf, 256), rc);
	}
	CU_ASSERT_EQUAL(host_exists(copy, "sys/fifo"), 0);
	end();
}

static void the_longest_read_is_kept(void)
{
	begin();
	tree_write(&tree, "sys/a", "more than four\n");
	host_attr(tree.host, "sys/a", buf, 4);
	visit_attr("sys/a");
	host_attr(tree.host, "sys/a", buf, 4);
	replay();
	same_attr("sys/a");
	CU_ASSERT_EQUAL(host_attr(copy, "sys/a", buf, 4), -EFBIG);
	end();
}

static void folders_are_listed_completely(void)
{
	struct host_list names = { NULL, 0, false };

	begin();
	tree_write(&tree, "sys/d/one", "1\n");
	tree_write(&tree, "sys/d/two", "2\n");
	tree_link(&tree, "sys/d/three", "one");
	tree_mkdir(&tree, "sys/d/four");
	tree_write(&tree, "sys/d/four/five", "5\n");
	CU_ASSERT_EQUAL(host_list(tree.host, "sys/d", &names), 0);
	host_list_fini(&names);
	visit_attr("sys/d/one");
	replay();
	CU_ASSERT_EQUAL(host_list(copy, "sys/d", &names), 0);
	CU_ASSERT_EQUAL(names.count, 4);
	host_list_fini(&names);
	same_attr("sys/d/one");
	CU_ASSERT_EQUAL(host_attr(copy, "sys/d/two", buf, sizeof(buf)), -ENODATA);
	CU_ASSERT_EQUAL(host_list(copy, "sys/d/four", &names), -ENODATA);
	CU_ASSERT_EQUAL(host_exists(copy, "sys/d/four"), 0);
	CU_ASSERT_EQUAL(host_exists(copy, "sys/d/six"), -ENOENT);
	end();
}

static void the_snapshot_holds_the_bytes_that_were_read(void)
{
	begin();
	tree_write(&tree, "sys/a", "before\n");
	visit_attr("sys/a");
	tree_write(&tree, "sys/a", "after\n");
	visit_attr("sys/a");
	replay();
	CU_ASSERT_EQUAL(host_attr(copy, "sys/a", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "before");
	end();
}

static void secrets_are_left_out(void)
{
	begin();
	tree_write(&tree, "etc/krb5.keytab", "hunter2\n");
	tree_link(&tree, "etc/nfs.conf", "krb5.keytab");
	tree_write(&tree, "etc/fstab", "//a/b /c cifs password=hunter2\n");
	visit_attr("etc/krb5.keytab");
	visit_attr("etc/nfs.conf");
	visit_attr("etc/fstab");
	replay();
	snprintf(buf, sizeof(buf), "! grep -r hunter2 %s/%s", tree.top, summary.folder);
	CU_ASSERT_EQUAL(system(buf), 0);
	CU_ASSERT_EQUAL(host_attr(copy, "etc/nfs.conf", buf, sizeof(buf)), -EACCES);
	CU_ASSERT_EQUAL(host_attr(copy, "etc/fstab", buf, sizeof(buf)), 0);
	CU_ASSERT_EQUAL(host_exists(copy, "etc/krb5.keytab"), 0);
	end();
}

/* An image with its files elsewhere, and a unit of a vendor's package. */
static void links_do_not_expose_secrets(void)
{
	static const char secret_mount[] = "//a/b /c cifs password=hunter2\n"
					   "nas:/a /a nfs rdma\n",
			  secret_unit[] = "[Service]\nEnvironment=PW=hunter2\nType=oneshot\n";

	begin();
	tree_write(&tree, "static/fstab", secret_mount);
	tree_link(&tree, "etc/fstab", "../static/fstab");
	tree_write(&tree, "opt/nfs/server", secret_unit);
	tree_link(&tree, "etc/systemd/system/nfs-server.service", "/opt/nfs/server");
	tree_write(&tree, "etc/systemd/system/a.service", secret_unit);
	tree_link(&tree, "etc/a", "systemd/system/a.service");
	tree_write(&tree, "opt/nfs/keys", "hunter2\n");
	tree_link(&tree, "etc/nfs.keytab", "../opt/nfs/keys");
	/* Through its other name first. */
	visit_attr("static/fstab");
	visit_attr("etc/fstab");
	visit_attr("etc/systemd/system/nfs-server.service");
	visit_attr("opt/nfs/server");
	visit_attr("etc/a");
	visit_attr("opt/nfs/keys");
	visit_attr("etc/nfs.keytab");
	visit_attr("opt/nfs/keys");
	replay();
	snprintf(buf, sizeof(buf), "! grep -r hunter2 %s/%s", tree.top, summary.folder);
	CU_ASSERT_EQUAL(system(buf), 0);
	CU_ASSERT_EQUAL(host_attr(copy, "etc/fstab", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "?nas:/a /a nfs rdma");
	CU_ASSERT_EQUAL(host_attr(copy, "opt/nfs/server", buf, sizeof(buf)), 0);
	end();
}

static void answers_are_recorded(void)
{
	struct host_text text = { NULL, 0 };

	begin();
	host_answer(tree.host, ".nfsrdma/remote.json", "rdma/20049", "refused", "no: \"x\"");
	host_answer(tree.host, ".nfsrdma/remote.json", "tcp/111", "open", NULL);
	tree_write(&tree, "var/lib/dpkg/status",
		   "Package: nfs-common\nStatus: install ok installed\nVersion: 1:2.6.2-4\n\n"
		   "Package: private\nStatus: install ok installed\nVersion: 1\n");
	host_package(tree.host, "nfs-common", buf, sizeof(buf));
	host_package(tree.host, "nfs-utils", buf, sizeof(buf));
	CU_ASSERT_EQUAL(snapshot_file(snapshot, ".nfsrdma/nft.json", "{}", 2), 0);
	replay();
	CU_ASSERT_EQUAL(host_read(copy, ".nfsrdma/remote.json", HOST_FILE_MAX, &text), 0);
	ASSERT_CONTAINS(text.text, "\"answer\":\"refused\"");
	ASSERT_CONTAINS(text.text, "\"tcp/111\":\"open\"");
	host_text_fini(&text);
	CU_ASSERT_EQUAL(host_package(copy, "nfs-common", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "1:2.6.2-4");
	CU_ASSERT_EQUAL(host_package(copy, "nfs-utils", buf, sizeof(buf)), -ENOENT);
	CU_ASSERT_EQUAL(host_package(copy, "private", buf, sizeof(buf)), -ENODATA);
	CU_ASSERT_EQUAL(host_attr(copy, ".nfsrdma/nft.json", buf, sizeof(buf)), 0);
	end();
}

/* libkmod opens them by itself. */
static void modules_are_included(void)
{
	struct host_module module, again;
	struct tree machine;

	tree_machine(&machine, "mlx5-roce-rhel9");
	tree = machine;
	CU_ASSERT_EQUAL_FATAL(snapshot_open(&snapshot, tree.host), 0);
	CU_ASSERT_EQUAL(host_module(tree.host, "svcrdma", &module), 0);
	replay();
	CU_ASSERT_EQUAL(host_module(copy, "svcrdma", &again), 0);
	CU_ASSERT_STRING_EQUAL(module.name, again.name);
	CU_ASSERT_STRING_EQUAL(module.srcversion_file, again.srcversion_file);
	CU_ASSERT_NOT_EQUAL(again.srcversion_file[0], '\0');
	CU_ASSERT_EQUAL(module.state, again.state);
	end();
}

static void a_snapshot_of_a_snapshot_is_the_same(void)
{
	struct host *first;

	begin();
	tree_write(&tree, "sys/a", "text\n");
	tree_fifo(&tree, "sys/fifo");
	visit_attr("sys/a");
	visit_attr("sys/fifo");
	visit_attr("etc/absent");
	replay();
	first = copy;
	CU_ASSERT_EQUAL_FATAL(snapshot_open(&snapshot, first), 0);
	host_attr(first, "sys/a", buf, sizeof(buf));
	host_attr(first, "sys/fifo", buf, sizeof(buf));
	host_attr(first, "etc/absent", buf, sizeof(buf));
	host_attr(first, "etc/unasked", buf, sizeof(buf));
	/* Another second, another folder. */
	sleep(1);
	replay();
	same_attr("sys/a");
	CU_ASSERT_EQUAL(host_attr(copy, "sys/fifo", buf, sizeof(buf)), -EINVAL);
	CU_ASSERT_EQUAL(host_attr(copy, "etc/absent", buf, sizeof(buf)), -ENOENT);
	CU_ASSERT_EQUAL(host_attr(copy, "etc/unasked", buf, sizeof(buf)), -ENODATA);
	host_close(first);
	end();
}

static void readers_see_no_difference(void)
{
	begin();
	err_set(EIO, "words of somebody");
	errno = EDOM;
	host_exists(tree.host, "etc/hostname");
	CU_ASSERT_STRING_EQUAL(err_text(), "words of somebody");
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/absent"), -ENOENT);
	ASSERT_CONTAINS(err_text(), "etc/absent: No such file");
	snapshot_close_p(&snapshot);
	CU_ASSERT_FALSE(host_is_watched(tree.host));
	tree_free(&tree);
}

static void a_failed_write_is_an_error(void)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	begin();
	visit_attr("etc/hostname");
	CU_ASSERT_EQUAL(snapshot_write(snapshot, fd, &summary), -ENOSPC);
	ASSERT_CONTAINS(err_text(), "No space left");
	snapshot_close_p(&snapshot);
	close(fd);
	tree_free(&tree);
}

SUITE_MAIN("snapshot", TEST(the_archive_has_the_host_name), TEST(files_and_links_are_restored),
	   TEST(errors_of_files_are_reproduced), TEST(the_longest_read_is_kept),
	   TEST(folders_are_listed_completely), TEST(the_snapshot_holds_the_bytes_that_were_read),
	   TEST(secrets_are_left_out), TEST(links_do_not_expose_secrets),
	   TEST(answers_are_recorded), TEST(modules_are_included),
	   TEST(a_snapshot_of_a_snapshot_is_the_same), TEST(readers_see_no_difference),
	   TEST(a_failed_write_is_an_error))
