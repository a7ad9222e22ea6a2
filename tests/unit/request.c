/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What was requested of mount.nfsrdma: written, read again, and left to whoever works there. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "plugin/request/request.h"
#include "tests/unit/host-tree.h"

#define BOOT  "b3fe4a6a-8f6b-425a-81db-11412b84d08b"
#define OTHER "00000000-8f6b-425a-81db-11412b84d08b"

static struct tree tree;
static int folder;
static struct request found;

static void begin(void)
{
	tree_new(&tree);
	tree_write(&tree, "proc/sys/kernel/random/boot_id", BOOT "\n");
	folder = request_open(tree.root);
	ASSERT_AT_LEAST_FATAL(folder, 0);
}

static void end(void)
{
	request_fini(&found);
	close(folder);
	tree_free(&tree);
}

static int put(int lock, const char *target, const char *policy, bool mounted)
{
	const struct request request = { .mounted = mounted,
					 .at_ms = 5000,
					 .boot_id = BOOT,
					 .policy = policy,
					 .source = "nas:/vm",
					 .target = target };

	return request_write(folder, lock, &request);
}

/* "pending require", or "" */
static const char *noted(const char *target)
{
	static char text[64];

	request_fini(&found);
	if (request_read(tree.host, target, &found))
		return "";
	snprintf(text, sizeof(text), "%s %s", found.mounted ? "mounted" : "pending", found.policy);
	return text;
}

static void what_was_requested_is_read_back(void)
{
	begin();
	CU_ASSERT_EQUAL(request_read(tree.host, "/srv/vm", &found), -ENOENT);
	CU_ASSERT_EQUAL(put(-1, "/srv/vm", "require", false), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "pending require");
	CU_ASSERT_EQUAL(found.at_ms, 5000);
	CU_ASSERT_STRING_EQUAL(found.source, "nas:/vm");
	CU_ASSERT_STRING_EQUAL(found.target, "/srv/vm");
	CU_ASSERT_STRING_EQUAL(found.boot_id, BOOT);
	CU_ASSERT_EQUAL(put(-1, "/srv/vm", "prefer", true), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "mounted prefer");
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm2"), "");
	end();
}

/* Before, a directory was cut to 255 bytes: then two long ones had the same file. */
static void a_long_directory_is_whole(void)
{
	char *one = malloc(PATH_MAX), *other = malloc(PATH_MAX);

	begin();
	memset(one, 'x', PATH_MAX - 1);
	one[0] = '/';
	one[100] = '\n';
	one[101] = '\xff';
	one[PATH_MAX - 1] = '\0';
	strcpy(other, one);
	other[PATH_MAX - 2] = 'y';
	CU_ASSERT_EQUAL(put(-1, one, "require", false), 0);
	CU_ASSERT_EQUAL(put(-1, other, "prefer", true), 0);
	CU_ASSERT_STRING_EQUAL(noted(one), "pending require");
	CU_ASSERT_STRING_EQUAL(found.target, one);
	CU_ASSERT_STRING_EQUAL(noted(other), "mounted prefer");
	free(one);
	free(other);
	end();
}

static void nothing_of_an_earlier_boot_counts(void)
{
	struct request_list list;

	begin();
	CU_ASSERT_EQUAL(put(-1, "/srv/vm", "require", false), 0);
	tree_write(&tree, "proc/sys/kernel/random/boot_id", OTHER "\n");
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "");
	CU_ASSERT_EQUAL(request_list(tree.host, &list), 0);
	CU_ASSERT_EQUAL(list.count, 0);
	request_list_fini(&list);
	end();
}

/* --- two helpers of one directory ---------------------------------------------------- */

static void the_end_of_one_helper_leaves_what_another_works_on(void)
{
	int first, second;

	begin();
	first = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(put(first, "/srv/vm", "require", false), 0);
	CU_ASSERT_TRUE(request_is_busy(folder, "/srv/vm"));
	CU_ASSERT_FALSE(request_is_busy(folder, "/srv/other"));
	second = request_begin(folder, "/srv/vm");
	ASSERT_AT_LEAST_FATAL(second, 0);
	CU_ASSERT_EQUAL(put(second, "/srv/vm", "prefer", false), 0);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, second, "/srv/vm", NULL), 0);
	close(second);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "pending prefer");
	CU_ASSERT_TRUE(request_is_busy(folder, "/srv/vm"));
	/* It is killed: it leaves its request. */
	close(first);
	CU_ASSERT_FALSE(request_is_busy(folder, "/srv/vm"));
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "pending prefer");
	/* The next one ends with an error that it told. */
	first = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(put(first, "/srv/vm", "require", false), 0);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, first, "/srv/vm", NULL), 0);
	close(first);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "");
	end();
}

/* Each of them holds its lock until its process ends, which is later than its last word. */
static void of_two_that_fail_together_the_later_removes_it(void)
{
	int first, second;

	begin();
	first = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(put(first, "/srv/vm", "require", false), 0);
	second = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(request_end(tree.host, folder, first, "/srv/vm", NULL), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "pending require");
	CU_ASSERT_EQUAL(request_end(tree.host, folder, second, "/srv/vm", NULL), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "");
	/* Nor does one whose process hangs keep the next one from its lock. */
	CU_ASSERT_FALSE(request_is_busy(folder, "/srv/vm"));
	/* One that got no lock leaves to another what is that one's. */
	CU_ASSERT_EQUAL(put(first, "/srv/vm", "require", false), 0);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, -1, "/srv/vm", NULL), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "pending require");
	close(first);
	close(second);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, -1, "/srv/vm", NULL), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "");
	end();
}

static void an_error_leaves_what_is_mounted(void)
{
	struct request before = { .text = NULL };
	int lock;

	begin();
	CU_ASSERT_EQUAL(put(-1, "/srv/vm", "prefer", true), 0);
	/* A second attempt on that directory fails: the first one's mount is as it was. */
	lock = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(request_read(tree.host, "/srv/vm", &before), 0);
	CU_ASSERT_EQUAL(put(lock, "/srv/vm", "require", false), 0);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, lock, "/srv/vm", &before), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "mounted prefer");
	/* Another one mounted it meanwhile, and has ended. */
	CU_ASSERT_EQUAL(request_end(tree.host, folder, lock, "/srv/vm", NULL), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "mounted prefer");
	/* A helper that was killed before has no say any more. */
	request_fini(&before);
	CU_ASSERT_EQUAL(put(lock, "/srv/vm", "prefer", false), 0);
	CU_ASSERT_EQUAL(request_read(tree.host, "/srv/vm", &before), 0);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, lock, "/srv/vm", &before), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "");
	request_fini(&before);
	/* One whose mount.nfs goes on in the background has: what it said is back. */
	CU_ASSERT_EQUAL(put(-1, "/srv/bg", "prefer", false), 0);
	CU_ASSERT_EQUAL(request_read(tree.host, "/srv/bg", &before), 0);
	before.background = true;
	CU_ASSERT_EQUAL(request_write(folder, -1, &before), 0);
	request_fini(&before);
	CU_ASSERT_EQUAL(request_read(tree.host, "/srv/bg", &before), 0);
	CU_ASSERT_TRUE(before.background);
	CU_ASSERT_FALSE(before.mounted);
	CU_ASSERT_EQUAL(put(-1, "/srv/bg", "require", false), 0);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, -1, "/srv/bg", &before), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/bg"), "pending prefer");
	CU_ASSERT_TRUE(found.background);
	/* Seen in mountinfo, it is as any other. */
	CU_ASSERT_EQUAL(request_settle(tree.host, folder, &before, true), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/bg"), "mounted prefer");
	request_fini(&before);
	/* What is mounted without RDMA has no request; but nobody else's is touched. */
	CU_ASSERT_EQUAL(put(lock, "/srv/vm", "prefer", true), 0);
	CU_ASSERT_EQUAL(request_forget(folder, "/srv/vm"), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "mounted prefer");
	close(lock);
	CU_ASSERT_EQUAL(request_forget(folder, "/srv/vm"), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "");
	end();
}

/* What a killed writer left is replaced; two at work have a file each. */
static void no_temporary_file_is_left(void)
{
	int lock, other, count = 0;
	DIR *dir;

	begin();
	lock = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(put(lock, "/srv/vm", "require", false), 0);
	tree_write(&tree, "run/nfsrdma/requests/.x", "");
	{
		char name[REQUEST_NAME_MAX], path[128];

		request_name("/srv/vm", name);
		snprintf(path, sizeof(path), REQUEST_FOLDER "/.%s.new", name);
		tree_write(&tree, path, "half");
	}
	CU_ASSERT_EQUAL(put(lock, "/srv/vm", "prefer", false), 0);
	other = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(put(other, "/srv/vm", "require", true), 0);
	dir = fdopendir(dup(folder));
	while (readdir(dir))
		count++;
	closedir(dir);
	/* ".", "..", the lock, ".x", and the file. */
	CU_ASSERT_EQUAL(count, 5);
	close(lock);
	close(other);
	end();
}

/* Half a second each, not forever. */
static void a_lock_that_nobody_lets_go_stops_no_helper(void)
{
	const struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	uint64_t start;
	int lock;

	begin();
	lock = openat(folder, ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CU_ASSERT_EQUAL(fcntl(lock, F_OFD_SETLK, &all), 0);
	start = now_ms();
	CU_ASSERT_EQUAL(request_begin(folder, "/srv/vm"), -1);
	ASSERT_WITHIN_MS(now_ms() - start, 5000);
	CU_ASSERT_EQUAL(put(-1, "/srv/vm", "require", false), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "pending require");
	close(lock);
	end();
}

/* --- the watcher, mounts and gates --------------------------------------------------- */

static void what_is_seen_is_noted_once_nobody_is_at_work(void)
{
	struct request_list list;
	int lock;

	begin();
	lock = request_begin(folder, "/srv/vm");
	CU_ASSERT_EQUAL(put(lock, "/srv/vm", "require", false), 0);
	CU_ASSERT_EQUAL(request_list(tree.host, &list), 0);
	CU_ASSERT_EQUAL_FATAL(list.count, 1);
	CU_ASSERT_EQUAL(request_settle(tree.host, folder, &list.list[0], true), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "pending require");
	close(lock);
	CU_ASSERT_EQUAL(request_settle(tree.host, folder, &list.list[0], true), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "mounted require");
	ASSERT_AT_LEAST(found.at_ms, 5001);
	CU_ASSERT_STRING_EQUAL(found.source, "nas:/vm");
	/* It has changed since it was read. */
	CU_ASSERT_EQUAL(request_settle(tree.host, folder, &list.list[0], false), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "mounted require");
	request_list_fini(&list);
	CU_ASSERT_EQUAL(request_list(tree.host, &list), 0);
	CU_ASSERT_EQUAL(request_settle(tree.host, folder, &list.list[0], false), 0);
	CU_ASSERT_STRING_EQUAL(noted("/srv/vm"), "");
	request_list_fini(&list);
	end();
}

/* --- files --------------------------------------------------------------------------- */

static void files_and_folders_are_world_readable(void)
{
	char path[PATH_MAX], name[REQUEST_NAME_MAX];
	mode_t mask = umask(0);
	struct stat st;

	umask(0077);
	begin();
	CU_ASSERT_EQUAL(put(-1, "/srv/vm", "require", false), 0);
	umask(mask);
	request_name("/srv/vm", name);
	snprintf(path, sizeof(path), "%s/" REQUEST_FOLDER, tree.root);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0755);
	strcat(path, "/");
	strcat(path, name);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0644);
	close(request_begin(folder, "/srv/vm"));
	CU_ASSERT_EQUAL(fstatat(folder, ".lock", &st, 0), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0600);
	end();
}

/* A link in place of a folder or a file is not followed. */
static void writing_does_not_follow_links(void)
{
	char path[PATH_MAX];

	tree_new(&tree);
	tree_write(&tree, "run/x", "");
	snprintf(path, sizeof(path), "%s/run/nfsrdma", tree.root);
	CU_ASSERT_EQUAL(symlink("/tmp", path), 0);
	CU_ASSERT_EQUAL(request_open(tree.root), -ENOTDIR);
	tree_free(&tree);
}

static void a_file_that_is_no_request_is_listed_as_broken(void)
{
	static const char *const texts[] = {
		"",
		"pending 5\n",
		"pending 5\n" BOOT "\nrequire\nnas:/vm\n/srv/vm",
		"pending 5\n" BOOT "\nrequire\nnas:/vm\nsrv/vm\n",
		"pending 5\n" BOOT "\nrequire\nnas:/vm\n\n",
		"pending 5\n" BOOT "\nrequire\nnas:/vm\n/srv/vm2\n",
		"pending -\n" BOOT "\nrequire\nnas:/vm\n/srv/vm\n",
		"pending 5x\n" BOOT "\nrequire\nnas:/vm\n/srv/vm\n",
		"gone 5\n" BOOT "\nrequire\nnas:/vm\n/srv/vm\n",
		"{ \"mount\": 7 }",
	};
	char path[sizeof(REQUEST_FOLDER) + REQUEST_NAME_MAX] = REQUEST_FOLDER "/";
	const struct request *request;
	struct request_list list;
	size_t i;

	begin();
	request_name("/srv/vm", path + strlen(path));
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		SUITE_ROW("%zu: %s", i, texts[i]);
		tree_write(&tree, path, texts[i]);
		CU_ASSERT_EQUAL(request_read(tree.host, "/srv/vm", &found), -EBADMSG);
		CU_ASSERT_EQUAL_FATAL(request_list(tree.host, &list), 0);
		CU_ASSERT_EQUAL_FATAL(list.count, 1);
		request = request_of(&list, "/srv/vm");
		CU_ASSERT_PTR_NOT_NULL_FATAL(request);
		CU_ASSERT_TRUE(request->broken);
		ASSERT_CONTAINS(request->text, path);
		CU_ASSERT_PTR_NULL(request_of(&list, "/srv/other"));
		request_list_fini(&list);
	}
	tree_fifo(&tree, path);
	CU_ASSERT_EQUAL(request_read(tree.host, "/srv/vm", &found), -EINVAL);
	end();
}

SUITE_MAIN("request", TEST(what_was_requested_is_read_back), TEST(a_long_directory_is_whole),
	   TEST(nothing_of_an_earlier_boot_counts),
	   TEST(the_end_of_one_helper_leaves_what_another_works_on),
	   TEST(of_two_that_fail_together_the_later_removes_it),
	   TEST(an_error_leaves_what_is_mounted), TEST(no_temporary_file_is_left),
	   TIMED(a_lock_that_nobody_lets_go_stops_no_helper),
	   TEST(what_is_seen_is_noted_once_nobody_is_at_work),
	   TEST(files_and_folders_are_world_readable), TEST(writing_does_not_follow_links),
	   TEST(a_file_that_is_no_request_is_listed_as_broken))
