/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A file at a path that a user gives: nothing but a regular file is replaced, and nobody else chooses
 * where it goes. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "rpcrdma/base/base.h"
#include "tests/unit/suite.h"

static char top[] = "/tmp/nfsrdma-out-XXXXXX";
static const struct fd_file file = { .bytes = "new\n", .len = 4, .mode = 0644 };

static const char *at(const char *name)
{
	static char path[4][128];
	static unsigned int turn;

	turn = (turn + 1) % ARRAY_SIZE(path);
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", top, name);
	return path[turn];
}

static mode_t kind_of(const char *name)
{
	struct stat st;

	return lstat(at(name), &st) ? 0 : st.st_mode & S_IFMT;
}

static bool is_new(const char *name)
{
	char text[8] = "";
	_cleanup_close_ int fd = open(at(name), O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read(fd, text, sizeof(text)) == 4 && !memcmp(text, "new\n", 4);
}

static void only_a_regular_file_is_replaced(void)
{
	static const char *const names[] = { "fifo", "link", "dangling", "folder", "socket" };
	mode_t before[ARRAY_SIZE(names)];
	size_t i;

	CU_ASSERT_EQUAL(out_write_file(at("file"), &file, false), 0);
	CU_ASSERT_TRUE(is_new("file"));
	CU_ASSERT_EQUAL(out_write_file(at("file"), &file, false), -EEXIST);
	CU_ASSERT_EQUAL(out_write_file(at("file"), &file, true), 0);
	CU_ASSERT_EQUAL(mkfifo(at("fifo"), 0600), 0);
	CU_ASSERT_EQUAL(symlink("file", at("link")), 0);
	CU_ASSERT_EQUAL(symlink("nowhere", at("dangling")), 0);
	CU_ASSERT_EQUAL(mkdir(at("folder"), 0700), 0);
	CU_ASSERT_EQUAL(mknod(at("socket"), S_IFSOCK | 0600, 0), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%s", names[i]);
		before[i] = kind_of(names[i]);
		CU_ASSERT_EQUAL(out_check_file(at(names[i]), true), -EEXIST);
		CU_ASSERT_EQUAL(out_write_file(at(names[i]), &file, true), -EEXIST);
		ASSERT_CONTAINS(err_text(), "not a regular file");
		CU_ASSERT_EQUAL(kind_of(names[i]), before[i]);
	}
	/* Of its own: a program with the defect would replace the machine's. */
	if (!geteuid() && !mknod(at("device"), S_IFCHR | 0600, makedev(1, 3))) {
		CU_ASSERT_EQUAL(out_write_file(at("device"), &file, true), -EEXIST);
		CU_ASSERT_EQUAL(kind_of("device"), S_IFCHR);
	}
	CU_ASSERT_EQUAL(out_write_file(at("folder/"), &file, true), -EISDIR);
	CU_ASSERT_EQUAL(out_write_file(at("folder/.."), &file, true), -EISDIR);
	CU_ASSERT_EQUAL(out_write_file(at("none/file"), &file, true), -ENOENT);
}

static void links_on_the_way_need_a_folder_of_the_caller(void)
{
	CU_ASSERT_EQUAL(mkdir(at("real"), 0700), 0);
	CU_ASSERT_EQUAL(mkdir(at("shared"), 0700), 0);
	CU_ASSERT_EQUAL(symlink("real", at("way")), 0);
	CU_ASSERT_EQUAL(symlink("../real", at("shared/way")), 0);
	CU_ASSERT_EQUAL(symlink(at("real"), at("whole")), 0);
	CU_ASSERT_EQUAL(symlink("loop", at("loop")), 0);
	CU_ASSERT_EQUAL(out_write_file(at("way/a"), &file, false), 0);
	CU_ASSERT_EQUAL(out_write_file(at("whole/b"), &file, false), 0);
	CU_ASSERT_EQUAL(out_write_file(at("shared/way/c"), &file, false), 0);
	CU_ASSERT_TRUE(is_new("real/a") && is_new("real/b") && is_new("real/c"));
	CU_ASSERT_EQUAL(out_write_file(at("loop/d"), &file, false), -ELOOP);
	/* Now others can put a link of their own there. */
	CU_ASSERT_EQUAL(chmod(at("shared"), 01777), 0);
	CU_ASSERT_EQUAL(out_write_file(at("shared/way/d"), &file, false), -ELOOP);
	ASSERT_CONTAINS(err_text(), "others can change");
	CU_ASSERT_EQUAL(kind_of("real/d"), 0);
	CU_ASSERT_EQUAL(out_write_file(at("shared/d"), &file, false), 0);
}

static void a_stream_is_written_and_stays_what_it_is(void)
{
	_cleanup_close_ int reader = open(at("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_close_ int fd = out_open_stream(at("fifo"));
	_cleanup_close_ int null = out_open_stream("/dev/null");
	char byte = 0;

	ASSERT_AT_LEAST(reader, 0);
	ASSERT_AT_LEAST(fd, 0);
	CU_ASSERT_EQUAL(write(fd, "x", 1), 1);
	CU_ASSERT_EQUAL(read(reader, &byte, 1), 1);
	CU_ASSERT_EQUAL(byte, 'x');
	ASSERT_AT_LEAST(null, 0);
	CU_ASSERT_EQUAL(kind_of("fifo"), S_IFIFO);
	CU_ASSERT_EQUAL(out_open_stream(at("link")), -ELOOP);
	CU_ASSERT_EQUAL(out_open_stream(at("shared/way/e")), -ELOOP);
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(only_a_regular_file_is_replaced),
		TEST(links_on_the_way_need_a_folder_of_the_caller),
		TEST(a_stream_is_written_and_stays_what_it_is),
	};
	char command[64];
	int rc;

	if (!mkdtemp(top))
		return 2;
	umask(022);
	rc = suite_run("out", tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command) ? 2 : rc;
}
