/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files below a root: hostile ones cause an error, but no delay and no access outside. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct host_text text;
static char buf[256];

static void a_file_is_read_completely(void)
{
	tree_new(&tree);
	tree_write(&tree, "etc/nfs.conf", "[nfsd]\nrdma=y\n");
	CU_ASSERT_EQUAL(host_read(tree.host, "etc/nfs.conf", 1024, &text), 0);
	CU_ASSERT_STRING_EQUAL(text.text, "[nfsd]\nrdma=y\n");
	CU_ASSERT_EQUAL(text.len, 14);
	host_text_fini(&text);
	CU_ASSERT_EQUAL(host_read(tree.host, "/etc/nfs.conf", 14, &text), 0);
	host_text_fini(&text);
	CU_ASSERT_EQUAL(host_read(tree.host, "etc/nfs.conf", 13, &text), -EFBIG);
	ASSERT_CONTAINS(err_text(), "etc/nfs.conf has more than 13 bytes");
	tree_free(&tree);
}

static void a_long_file_is_read_to_the_bound(void)
{
	static char big[300000];

	tree_new(&tree);
	memset(big, 'x', sizeof(big));
	tree_bytes(&tree, "big", big, sizeof(big));
	CU_ASSERT_EQUAL(host_read(tree.host, "big", sizeof(big), &text), 0);
	CU_ASSERT_EQUAL(text.len, sizeof(big));
	host_text_fini(&text);
	CU_ASSERT_EQUAL(host_read(tree.host, "big", sizeof(big) - 1, &text), -EFBIG);
	tree_free(&tree);
}

static void absent_and_unreadable_are_distinguished(void)
{
	tree_new(&tree);
	tree_write(&tree, "etc/file", "x");
	tree_mkdir(&tree, "etc/folder");
	tree_bytes(&tree, "etc/binary", "a\0b", 3);
	CU_ASSERT_EQUAL(host_read(tree.host, "etc/none", 9, &text), -ENOENT);
	CU_ASSERT_EQUAL(host_read(tree.host, "none/none", 9, &text), -ENOENT);
	CU_ASSERT_EQUAL(host_read(tree.host, "etc/file/none", 9, &text), -ENOENT);
	CU_ASSERT_EQUAL(host_read(tree.host, "etc/folder", 9, &text), -EINVAL);
	ASSERT_CONTAINS(err_text(), "etc/folder is not a regular file");
	CU_ASSERT_EQUAL(host_read(tree.host, "etc/binary", 9, &text), -EINVAL);
	ASSERT_CONTAINS(err_text(), "etc/binary is not a text");
	CU_ASSERT_EQUAL(host_read_bytes(tree.host, "etc/binary", 9, &text), 0);
	CU_ASSERT_EQUAL(text.len, 3);
	host_text_fini(&text);
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/folder"), 0);
	CU_ASSERT_EQUAL(host_exists(tree.host, "etc/none"), -ENOENT);
	tree_free(&tree);
}

static void a_fifo_does_not_block(void)
{
	uint64_t start = now_ms();

	tree_new(&tree);
	tree_fifo(&tree, "etc/fifo");
	CU_ASSERT_EQUAL(host_read(tree.host, "etc/fifo", 9, &text), -EINVAL);
	CU_ASSERT_EQUAL(host_attr(tree.host, "etc/fifo", buf, sizeof(buf)), -EINVAL);
	ASSERT_WITHIN_MS(now_ms() - start, 1000);
	tree_free(&tree);
}

static void a_file_without_permission_says_so(void)
{
	char name[PATH_MAX];

	tree_new(&tree);
	tree_write(&tree, "secret", "x");
	tree_path(&tree, "secret", name);
	chmod(name, 0);
	/* Root can still read it. */
	if (geteuid())
		CU_ASSERT_EQUAL(host_read(tree.host, "secret", 9, &text), -EACCES);
	if (!geteuid() && !seteuid(65534)) {
		chmod(tree.top, 0755);
		CU_ASSERT_EQUAL(host_read(tree.host, "secret", 9, &text), -EACCES);
		CU_ASSERT_EQUAL(seteuid(0), 0);
	}
	tree_free(&tree);
}

/* Both methods to resolve a path. */
typedef int (*open_fn)(int root, const char *path, int flags);

static void check_links(open_fn open_below)
{
	struct stat st, zero, inside;
	char name[PATH_MAX];
	int root, fd;

	tree_new(&tree);
	tree_write(&tree, "etc/passwd", "inside");
	tree_link(&tree, "absolute", "/etc/passwd");
	tree_link(&tree, "relative", "../../../../../../etc/passwd");
	tree_link(&tree, "dev/endless", "/dev/zero");
	tree_link(&tree, "up", "..");
	tree_link(&tree, "a", "b");
	tree_link(&tree, "b", "a");
	tree_link(&tree, "dangling", "nowhere");
	tree_link(&tree, "slash", "/");
	tree_link(&tree, "twice", "absolute");
	tree_path(&tree, "etc/passwd", name);
	stat(name, &inside);
	stat("/dev/zero", &zero);
	root = open(tree.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < 8; i++) {
		static const char *const paths[] = { "absolute",
						     "relative",
						     "up/etc/passwd",
						     "../etc/passwd",
						     "slash/etc/passwd",
						     "etc/../etc/./passwd",
						     "twice",
						     "up/up/up/etc//passwd" };
		SUITE_ROW("%zu", i);

		fd = open_below(root, paths[i], O_RDONLY);
		ASSERT_AT_LEAST(fd, 0);
		CU_ASSERT_EQUAL(fstat(fd, &st), 0);
		CU_ASSERT_EQUAL(st.st_ino, inside.st_ino);
		close(fd);
	}
	CU_ASSERT_EQUAL(open_below(root, "dev/endless", O_PATH), -ENOENT);
	CU_ASSERT_EQUAL(open_below(root, "a", O_PATH), -ELOOP);
	CU_ASSERT_EQUAL(open_below(root, "dangling", O_PATH), -ENOENT);
	CU_ASSERT_EQUAL(open_below(root, "etc/passwd/x", O_PATH), -ENOTDIR);
	/* A file has neither "." nor "..". */
	CU_ASSERT_EQUAL(open_below(root, "etc/passwd/.", O_PATH), -ENOTDIR);
	CU_ASSERT_EQUAL(open_below(root, "etc/passwd/..", O_PATH), -ENOTDIR);
	CU_ASSERT_EQUAL(open_below(root, "etc/passwd/../passwd", O_PATH), -ENOTDIR);
	CU_ASSERT_EQUAL(open_below(root, "etc/passwd/", O_PATH), -ENOTDIR);
	fd = open_below(root, "absolute", O_PATH | O_NOFOLLOW);
	ASSERT_AT_LEAST(fd, 0);
	CU_ASSERT_EQUAL(fstat(fd, &st), 0);
	CU_ASSERT(S_ISLNK(st.st_mode));
	close(fd);
	fd = open_below(root, "slash", O_RDONLY | O_DIRECTORY);
	ASSERT_AT_LEAST(fd, 0);
	close(fd);
	close(root);
	tree_free(&tree);
}

static void links_stay_below_the_root(void)
{
	check_links(inroot_open);
}

static void links_stay_below_the_root_without_openat2(void)
{
	check_links(inroot_open_by_steps);
}

static void a_path_walk_is_bounded(void)
{
	char deep[PATH_MAX + 100];
	int root;

	tree_new(&tree);
	tree_link(&tree, "here", ".");
	root = open(tree.root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	memset(deep, 'x', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	CU_ASSERT_EQUAL(inroot_open_by_steps(root, deep, O_PATH), -ENAMETOOLONG);
	deep[300] = '\0';
	CU_ASSERT_EQUAL(inroot_open_by_steps(root, deep, O_PATH), -ENAMETOOLONG);
	deep[0] = '\0';
	while (strlen(deep) < 1000)
		strcat(deep, "here/");
	CU_ASSERT_EQUAL(inroot_open_by_steps(root, deep, O_PATH), -ELOOP);
	close(root);
	tree_free(&tree);
}

static void an_attribute_is_one_line(void)
{
	int64_t number = 0;

	tree_new(&tree);
	tree_write(&tree, "a", "4: ACTIVE\n");
	tree_write(&tree, "hex", "0x001f\n");
	tree_write(&tree, "word", "many\n");
	tree_write(&tree, "empty", "");
	tree_write(&tree, "huge", "99999999999999999999\n");
	tree_write(&tree, "control", "a\033[31m\nb\n");
	CU_ASSERT_EQUAL(host_attr(tree.host, "a", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "4: ACTIVE");
	CU_ASSERT_EQUAL(host_attr(tree.host, "a", buf, 10), 0);
	CU_ASSERT_EQUAL(host_attr(tree.host, "a", buf, 9), -EFBIG);
	CU_ASSERT_STRING_EQUAL(buf, "");
	CU_ASSERT_EQUAL(host_attr_number(tree.host, "a", &number), 0);
	CU_ASSERT_EQUAL(number, 4);
	CU_ASSERT_EQUAL(host_attr_number(tree.host, "hex", &number), 0);
	CU_ASSERT_EQUAL(number, 31);
	CU_ASSERT_EQUAL(host_attr_number(tree.host, "word", &number), -EINVAL);
	CU_ASSERT_EQUAL(host_attr_number(tree.host, "huge", &number), -EINVAL);
	CU_ASSERT_EQUAL(host_attr_number(tree.host, "empty", &number), -EINVAL);
	CU_ASSERT_EQUAL(host_attr(tree.host, "control", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "a?[31m?b");
	tree_free(&tree);
}

static void a_link_target_is_returned_verbatim(void)
{
	tree_new(&tree);
	tree_link(&tree, "sys/driver", "../../bus/pci/drivers/mlx5_core");
	tree_write(&tree, "file", "x");
	CU_ASSERT_EQUAL(host_link(tree.host, "sys/driver", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "../../bus/pci/drivers/mlx5_core");
	CU_ASSERT_EQUAL(host_link(tree.host, "sys/driver", buf, 10), -EFBIG);
	CU_ASSERT_EQUAL(host_link(tree.host, "file", buf, sizeof(buf)), -EINVAL);
	CU_ASSERT_EQUAL(host_link(tree.host, "none", buf, sizeof(buf)), -ENOENT);
	tree_free(&tree);
}

static void names_come_in_version_order(void)
{
	struct host_list list;

	tree_new(&tree);
	tree_write(&tree, "d/10-b.conf", "");
	tree_write(&tree, "d/9-a.conf", "");
	tree_write(&tree, "d/.hidden", "");
	tree_fifo(&tree, "fifo");
	CU_ASSERT_EQUAL(host_list(tree.host, "d", &list), 0);
	CU_ASSERT_EQUAL_FATAL(list.count, 3);
	CU_ASSERT_STRING_EQUAL(list.names[0], ".hidden");
	CU_ASSERT_STRING_EQUAL(list.names[1], "9-a.conf");
	CU_ASSERT_STRING_EQUAL(list.names[2], "10-b.conf");
	CU_ASSERT_FALSE(list.cut);
	host_list_fini(&list);
	CU_ASSERT_EQUAL(host_list(tree.host, "none", &list), -ENOENT);
	CU_ASSERT_EQUAL(host_list(tree.host, "fifo", &list), -ENOTDIR);
	tree_free(&tree);
}

static void a_list_is_truncated_at_its_bound(void)
{
	struct host_list list;
	char name[64];
	int i;

	tree_new(&tree);
	for (i = 0; i < HOST_LIST_MAX + 1; i++) {
		snprintf(name, sizeof(name), "d/%d", i);
		tree_write(&tree, name, "");
	}
	CU_ASSERT_EQUAL(host_list(tree.host, "d", &list), 0);
	CU_ASSERT_EQUAL(list.count, HOST_LIST_MAX);
	CU_ASSERT_TRUE(list.cut);
	host_list_fini(&list);
	tree_free(&tree);
}

static void the_first_directory_wins_for_drop_ins_of_one_name(void)
{
	static const char *const dirs[] = { "etc/x.d", "run/x.d", "lib/x.d", NULL };
	struct host_list list;

	tree_new(&tree);
	tree_write(&tree, "lib/x.d/10-a.conf", "");
	tree_write(&tree, "etc/x.d/10-a.conf", "");
	tree_write(&tree, "etc/x.d/90-z.conf", "");
	tree_write(&tree, "lib/x.d/50-b.conf", "");
	tree_write(&tree, "lib/x.d/README", "");
	CU_ASSERT_EQUAL(dropins_list(tree.host, dirs, ".conf", &list), 0);
	CU_ASSERT_EQUAL_FATAL(list.count, 3);
	CU_ASSERT_STRING_EQUAL(list.names[0], "etc/x.d/10-a.conf");
	CU_ASSERT_STRING_EQUAL(list.names[1], "lib/x.d/50-b.conf");
	CU_ASSERT_STRING_EQUAL(list.names[2], "etc/x.d/90-z.conf");
	host_list_fini(&list);
	tree_free(&tree);
}

static void a_root_must_be_a_directory(void)
{
	struct host *host = NULL;

	CU_ASSERT_EQUAL(host_open(&host, "/nonexistent"), -ENOENT);
	CU_ASSERT_EQUAL(host_open(&host, "/dev/null"), -ENOTDIR);
	CU_ASSERT_PTR_NULL(host);
	CU_ASSERT_EQUAL(host_open(&host, NULL), 0);
	CU_ASSERT_TRUE(host_is_live(host));
	CU_ASSERT_EQUAL(host_attr(host, "proc/sys/kernel/ostype", buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, "Linux");
	CU_ASSERT_EQUAL(host_read(host, "dev/zero", 9, &text), -EINVAL);
	/* Endless, regular for stat(2), or waiting for an event: reads do not block. */
	CU_ASSERT_NOT_EQUAL(host_read(host, "proc/kmsg", 9, &text), 0);
	host_close(host);
}

SUITE_MAIN("host-files", TEST(a_file_is_read_completely), TEST(a_long_file_is_read_to_the_bound),
	   TEST(absent_and_unreadable_are_distinguished), TIMED(a_fifo_does_not_block),
	   TEST(a_file_without_permission_says_so), TEST(links_stay_below_the_root),
	   TEST(links_stay_below_the_root_without_openat2), TEST(a_path_walk_is_bounded),
	   TEST(an_attribute_is_one_line), TEST(a_link_target_is_returned_verbatim),
	   TEST(names_come_in_version_order), TEST(a_list_is_truncated_at_its_bound),
	   TEST(the_first_directory_wins_for_drop_ins_of_one_name),
	   TEST(a_root_must_be_a_directory))
