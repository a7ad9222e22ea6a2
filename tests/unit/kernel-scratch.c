/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child that writes through a mount: it makes a new file or none, and removes that one or none. A
 * directory of this test stands for the mount; whether its file system takes the writes is not the question. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "plugin/kernel/internal.h"

#include "tests/unit/suite.h"

static char folder[64], dev[32];

static const char *at(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int move(const char *from, const char *to)
{
	char path[128];

	strcpy(path, at(from));
	return rename(path, at(to));
}

static bool exists(const char *name)
{
	struct stat st;

	return !lstat(at(name), &st);
}

static void make_file(const char *name)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, "kept", 4), 4);
	close(fd);
}

static bool is_kept(const char *name)
{
	char text[8] = "";
	int fd = open(at(name), O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text));

	close(fd);
	return n == 4 && !memcmp(text, "kept", 4);
}

/* False: there is not the space that the child wants. Not in $TMPDIR, which may be in memory, where there is no
 * O_DIRECT. */
static bool begin(void)
{
	struct statvfs fs;
	struct stat st;

	strcpy(folder, "kernel-scratch.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_EQUAL_FATAL(stat(folder, &st), 0);
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
	CU_ASSERT_EQUAL(mkdir(at("images"), 0755), 0);
	CU_ASSERT_EQUAL(symlink("images", at("links")), 0);
	CU_ASSERT_EQUAL(symlink("/nothing", at("dangling")), 0);
	make_file("disk");
	return !statvfs(folder, &fs) && (uint64_t)fs.f_bavail * fs.f_frsize > UINT64_C(1) << 30;
}

static void end(void)
{
	CU_ASSERT_EQUAL(unlink(at("disk")), 0);
	CU_ASSERT_EQUAL(unlink(at("links")), 0);
	CU_ASSERT_EQUAL(unlink(at("dangling")), 0);
	CU_ASSERT_EQUAL(rmdir(at("images")), 0);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static void start(struct child *child, const char *path, uint64_t inode)
{
	struct kernel_scratch_task task = { .target = folder,
					    .dev = dev,
					    .path = path,
					    .key = 7,
					    .remove = inode,
					    .inode = inode };
	const struct child_function function = { .kind = CHILD_KERNEL_CLIENT,
						 .name = "the writer",
						 .run = kernel_scratch,
						 .arg = &task };

	CU_ASSERT_EQUAL_FATAL(child_start(child, &function), 0);
}

struct seen {
	struct kernel_chosen chosen;
	bool closed, tried_to_remove;
	int error; /* of the removal */
};

static void on_record(void *arg, const struct kernel_record *r)
{
	struct seen *seen = arg;

	seen->closed = seen->closed || r->step == KERNEL_CLOSE;
	if (r->step != KERNEL_REMOVE)
		return;
	seen->tried_to_remove = true;
	seen->error = r->error;
}

static int receive(const struct child *child, struct seen *seen, enum kernel_step until)
{
	const struct kernel_receiver receiver = { .record = on_record,
						  .arg = seen,
						  .chosen = &seen->chosen,
						  .deadline = deadline_in(PATIENCE_MS),
						  .step_ms = PATIENCE_MS,
						  .until = until };

	return kernel_receive(&receiver, child);
}

static void a_new_file_is_made_and_removed(void)
{
	struct seen seen = { .closed = false };
	struct child child;
	struct stat st;

	if (begin()) {
		start(&child, "images/new", 0);
		CU_ASSERT_EQUAL(receive(&child, &seen, KERNEL_CLOSE), 0);
		CU_ASSERT_EQUAL(seen.chosen.error, 0);
		CU_ASSERT(seen.closed);
		CU_ASSERT_FALSE(seen.tried_to_remove);
		CU_ASSERT_EQUAL(lstat(at("images/new"), &st), 0);
		CU_ASSERT_EQUAL(st.st_ino, seen.chosen.inode);
		CU_ASSERT_EQUAL(st.st_mode, S_IFREG | 0600);
		shutdown(child.channel, SHUT_WR);
		CU_ASSERT_EQUAL(receive(&child, &seen, 0), 0);
		CU_ASSERT(seen.tried_to_remove);
		CU_ASSERT_EQUAL(seen.error, 0);
		CU_ASSERT_FALSE(exists("images/new"));
		child_finish(&child, 0, NULL);
	}
	end();
}

static void it_is_removed_when_the_parent_ends_early(void)
{
	struct seen seen = { .closed = false };
	struct child child;

	if (begin()) {
		start(&child, "new", 0);
		shutdown(child.channel, SHUT_WR);
		CU_ASSERT_EQUAL(receive(&child, &seen, 0), 0);
		CU_ASSERT_EQUAL(seen.chosen.error, 0);
		CU_ASSERT(seen.tried_to_remove);
		CU_ASSERT_FALSE(exists("new"));
		child_finish(&child, 0, NULL);
	}
	end();
}

static void what_exists_is_never_opened(void)
{
	static const struct {
		const char *path;
		int error;
	} rows[] = {
		{ "disk", EEXIST },        { "images", EEXIST },     { "links", EEXIST },
		{ "dangling", EEXIST },    { "links/new", ENOTDIR }, { "dangling/new", ENOTDIR },
		{ "nothing/new", ENOENT }, { "disk/new", ENOTDIR },
	};
	struct child child;
	size_t i;

	if (begin())
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			struct seen seen = { .closed = false };

			SUITE_ROW("%zu: %s", i, rows[i].path);
			start(&child, rows[i].path, 0);
			CU_ASSERT_EQUAL(receive(&child, &seen, 0), 0);
			CU_ASSERT_EQUAL(seen.chosen.error, rows[i].error);
			CU_ASSERT_NOT_EQUAL(seen.chosen.why[0], '\0');
			CU_ASSERT_FALSE(seen.closed);
			CU_ASSERT_FALSE(seen.tried_to_remove);
			child_finish(&child, 0, NULL);
		}
	CU_ASSERT(is_kept("disk"));
	CU_ASSERT_FALSE(exists("images/new"));
	end();
}

static void another_file_of_that_name_stays(void)
{
	struct seen seen = { .closed = false };
	struct child child;

	if (begin()) {
		start(&child, "new", 0);
		CU_ASSERT_EQUAL(receive(&child, &seen, KERNEL_CLOSE), 0);
		CU_ASSERT_EQUAL(move("disk", "new"), 0);
		shutdown(child.channel, SHUT_WR);
		CU_ASSERT_EQUAL(receive(&child, &seen, 0), 0);
		CU_ASSERT(seen.tried_to_remove);
		CU_ASSERT_EQUAL(seen.error, EEXIST);
		CU_ASSERT(is_kept("new"));
		child_finish(&child, 0, NULL);
		CU_ASSERT_EQUAL(move("new", "disk"), 0);
	}
	end();
}

/* The one that made it was killed. */
static void another_child_removes_it(void)
{
	struct seen seen = { .closed = false };
	struct child child;
	struct stat st;

	begin();
	make_file("images/new");
	CU_ASSERT_EQUAL_FATAL(stat(at("images/new"), &st), 0);
	start(&child, "images/new", st.st_ino + 1);
	CU_ASSERT_EQUAL(receive(&child, &seen, 0), 0);
	CU_ASSERT_EQUAL(seen.error, EEXIST);
	CU_ASSERT(is_kept("images/new"));
	child_finish(&child, 0, NULL);
	start(&child, "images/new", st.st_ino);
	CU_ASSERT_EQUAL(receive(&child, &seen, 0), 0);
	CU_ASSERT(seen.tried_to_remove);
	CU_ASSERT_EQUAL(seen.error, 0);
	CU_ASSERT_FALSE(exists("images/new"));
	child_finish(&child, 0, NULL);
	end();
}

SUITE_MAIN("kernel-scratch", TEST(a_new_file_is_made_and_removed),
	   TEST(it_is_removed_when_the_parent_ends_early), TEST(what_exists_is_never_opened),
	   TEST(another_file_of_that_name_stays), TEST(another_child_removes_it))
