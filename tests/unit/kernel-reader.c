/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child that reads through a mount. The server controls the names below it: only regular
 * files of that mount are opened. A directory of this test stands for the mount. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
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

static void make_file(const char *name, size_t len)
{
	static uint8_t bytes[65536];
	int fd = open(at(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	export_memory_fill(bytes, 0, sizeof(bytes));
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, bytes, len), (ssize_t)len);
	close(fd);
}

static void begin(void)
{
	struct stat st;

	/* Not in $TMPDIR, which may be in memory, where there is no O_DIRECT. */
	strcpy(folder, "kernel-reader.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_EQUAL_FATAL(stat(folder, &st), 0);
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
	CU_ASSERT_EQUAL(mkdir(at("dom_md"), 0755), 0);
	CU_ASSERT_EQUAL(mkdir(at("images"), 0755), 0);
	make_file("images/disk", 65536);
	make_file("dom_md/leases", 4096);
	CU_ASSERT_EQUAL(mkfifo(at("fifo"), 0644), 0);
	CU_ASSERT_EQUAL(symlink("images/disk", at("link")), 0);
	CU_ASSERT_EQUAL(symlink("images", at("links")), 0);
	CU_ASSERT_EQUAL(symlink("/proc", at("proc")), 0);
}

static void end(void)
{
	static const char *const names[] = { "images/disk", "dom_md/leases", "fifo",
					     "link",        "links",         "proc" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		CU_ASSERT_EQUAL(unlink(at(names[i])), 0);
	CU_ASSERT_EQUAL(rmdir(at("images")), 0);
	CU_ASSERT_EQUAL(rmdir(at("dom_md")), 0);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static void start(struct child *child, struct kernel_reader_task *task, const char *path)
{
	const struct child_function function = {
		.kind = CHILD_TOUCH, .name = "reader", .run = kernel_reader, .arg = task
	};

	task->target = folder;
	task->path = path;
	if (!task->dev)
		task->dev = dev;
	CU_ASSERT_EQUAL_FATAL(child_start(child, &function), 0);
}

static void receive(const struct child *child, int want, void *body, size_t len)
{
	int type;

	CU_ASSERT_EQUAL_FATAL(child_receive(child, &type, body, len, deadline_in(PATIENCE_MS)),
			      (ssize_t)len);
	CU_ASSERT_EQUAL_FATAL(type, want);
}

static void choose(const char *path, const char *of, struct kernel_chosen *out)
{
	struct kernel_reader_task task = { .dev = of };
	struct child child;

	start(&child, &task, path);
	receive(&child, KERNEL_CHOSEN, out, sizeof(*out));
	child_finish(&child, 0, NULL);
}

static void only_quiet_regular_files_of_the_mount_are_opened(void)
{
	static char endless[2 * KERNEL_PATH_MAX];
	static const struct {
		const char *path, *dev;
		int error;
	} rows[] = {
		{ "fifo", NULL, EINVAL },
		{ "link", NULL, EINVAL },
		{ "links/disk", NULL, ENOTDIR },
		{ "proc/version", NULL, ENOTDIR },
		{ "proc/self/mountinfo", NULL, ENOTDIR },
		{ "nothing", NULL, ENOENT },
		{ "dom_md/leases", NULL, EPERM },
		{ "images/disk", "0:0", ENOENT },
		/* Both files are recent. */
		{ "", NULL, ENOENT },
		{ "images", NULL, ENOENT },
		{ endless, NULL, ENAMETOOLONG },
	};
	struct kernel_chosen chosen;
	size_t i;

	memset(endless, 'a', sizeof(endless) - 1);
	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %.40s", i, rows[i].path);
		choose(rows[i].path, rows[i].dev, &chosen);
		CU_ASSERT_EQUAL(chosen.error, rows[i].error);
		CU_ASSERT_NOT_EQUAL(chosen.why[0], '\0');
	}
	end();
}

/* Of mode 0700. */
static void make_private_directory(const char *name, uid_t owner)
{
	CU_ASSERT_EQUAL(mkdir(at(name), 0700), 0);
	CU_ASSERT_EQUAL(chown(at(name), owner, owner), 0);
}

/* The search becomes the owner of one directory after another. When it comes to "a/below" it is the
 * owner of "b", who may not look at what is in "a". */
static void directories_are_searched_as_their_owners(void)
{
	struct kernel_reader_task task = { .has_cred = true, .uid = 65534, .gid = 65534 };
	struct kernel_chosen chosen;
	struct child child;
	struct stat st;

	if (geteuid() || stat(".", &st) || !(st.st_mode & S_IXOTH)) {
		printf("not looked at: a search as other users, for which root is needed\n");
		return;
	}
	strcpy(folder, "kernel-reader.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	CU_ASSERT_EQUAL(chmod(folder, 0755), 0);
	CU_ASSERT_EQUAL_FATAL(stat(folder, &st), 0);
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_dev), minor(st.st_dev));
	make_private_directory("a", 1001);
	make_private_directory("a/below", 1001);
	make_private_directory("a/below/last", 1001);
	make_private_directory("b", 1002);
	make_private_directory("b/below", 1002);
	make_private_directory("b/below/last", 1002);

	start(&child, &task, "");
	receive(&child, KERNEL_CHOSEN, &chosen, sizeof(chosen));
	child_finish(&child, 0, NULL);
	CU_ASSERT_EQUAL(chosen.error, ENOENT);
	suite_saw("\"%s\"", chosen.why);
	CU_ASSERT(!strncmp(chosen.why, "none of 6 names ", 16));

	CU_ASSERT_EQUAL(rmdir(at("a/below/last")), 0);
	CU_ASSERT_EQUAL(rmdir(at("a/below")), 0);
	CU_ASSERT_EQUAL(rmdir(at("a")), 0);
	CU_ASSERT_EQUAL(rmdir(at("b/below/last")), 0);
	CU_ASSERT_EQUAL(rmdir(at("b/below")), 0);
	CU_ASSERT_EQUAL(rmdir(at("b")), 0);
	CU_ASSERT_EQUAL(rmdir(folder), 0);
}

static bool has_direct(void)
{
	int fd = open(at("images/disk"), O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void a_named_file_is_read_range_by_range(void)
{
	static uint8_t bytes[65536];
	struct kernel_reader_task task = { 0 };
	struct kernel_record record;
	struct kernel_chosen chosen;
	struct probe_range range;
	struct child child;
	unsigned int i;

	begin();
	if (!has_direct()) {
		end();
		return;
	}
	export_memory_fill(bytes, 0, sizeof(bytes));
	start(&child, &task, "images/disk");
	receive(&child, KERNEL_CHOSEN, &chosen, sizeof(chosen));
	CU_ASSERT_EQUAL_FATAL(chosen.error, 0);
	CU_ASSERT_EQUAL(chosen.size, sizeof(bytes));
	CU_ASSERT_STRING_EQUAL(chosen.path, "images/disk");
	for (i = 0; i < KERNEL_RANGES; i++) {
		range = kernel_range_of(i, chosen.size);
		if (!range.length)
			continue;
		SUITE_ROW("%u bytes", range.length);
		receive(&child, CHANNEL_ANSWER, &record, sizeof(record));
		CU_ASSERT_EQUAL(record.index, i);
		/* A disk may require whole sectors for O_DIRECT; NFS does not. */
		if (!record.error) {
			CU_ASSERT_EQUAL(record.length, range.length);
			CU_ASSERT_EQUAL(record.digest,
					bytes_digest(bytes + range.offset, range.length));
		}
		ASSERT_AT_MOST(record.error ? range.length % 512 == 0 : 0, 0);
		channel_send(child.channel, CHANNEL_ANSWER, NULL, 0, -1);
	}
	child_finish(&child, deadline_in(PATIENCE_MS), NULL);
	end();
}

SUITE_MAIN("kernel-reader", TEST(only_quiet_regular_files_of_the_mount_are_opened),
	   TEST(directories_are_searched_as_their_owners),
	   TEST(a_named_file_is_read_range_by_range))
