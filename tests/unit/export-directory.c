/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A real directory: which files are visible, and that no name, link, handle or change of the
 * tree leads outside. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <time.h>

#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

static char top[] = "/tmp/nfsrdma-unit-XXXXXX";
static struct export *shared;
static uint8_t scratch[SERVER_SCRATCH_MAX];

/* Below the temporary directory. */
static const char *at(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned int next;

	next = (next + 1) % ARRAY_SIZE(path);
	snprintf(path[next], PATH_MAX, "%s/%s", top, name);
	return path[next];
}

static void make_file(const char *name, const char *content, mode_t mode)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ASSERT_AT_LEAST_FATAL(fd, 0);
	CU_ASSERT_EQUAL(write(fd, content, strlen(content)), (ssize_t)strlen(content));
	fchmod(fd, mode);
	close(fd);
}

static void make_dir(const char *name, mode_t mode)
{
	CU_ASSERT_EQUAL(mkdir(at(name), 0700), 0);
	CU_ASSERT_EQUAL(chmod(at(name), mode), 0);
}

static void clean(void)
{
	char command[PATH_MAX + 16];

	export_free(shared);
	shared = NULL;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* export/ is served; secret and outside are next to it. */
static void build(void)
{
	strcpy(top + strlen(top) - 6, "XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(top));
	make_dir("export", 0755);
	make_dir("outside", 0755);
	make_file("outside/secret", "secret", 0644);
	make_file("export/file", "0123456789", 0644);
	make_file("export/private", "private", 0640);
	make_dir("export/dir", 0755);
	make_file("export/dir/inner", "inner", 0644);
	make_dir("export/closed", 0750);
	make_file("export/closed/inner", "inner", 0644);
	CU_ASSERT_EQUAL(symlink("../outside/secret", at("export/link")), 0);
	CU_ASSERT_EQUAL(symlink("../outside", at("export/way-out")), 0);
	CU_ASSERT_EQUAL(mkfifo(at("export/fifo"), 0666), 0);
	CU_ASSERT_EQUAL_FATAL(export_directory_new(&shared, at("export")), 0);
}

static uint32_t find(const char *dir, const char *name, struct nfs_fh *fh)
{
	struct nfs_fh start;

	shared->ops->root(shared, fh);
	start = *fh;
	if (*dir) {
		CU_ASSERT_EQUAL(shared->ops->lookup(shared, &start, dir, fh), 0);
		start = *fh;
	}
	return shared->ops->lookup(shared, &start, name, fh);
}

static uint32_t status_of(const struct nfs_fh *fh)
{
	struct nfs_attr attr;

	return shared->ops->getattr(shared, fh, &attr);
}

static void files_are_read_unchanged(void)
{
	struct export_read read = { .offset = 3, .count = 4, .scratch = scratch };
	struct nfs_attr attr;
	struct nfs_fh fh;

	build();
	CU_ASSERT_EQUAL(find("", "file", &fh), 0);
	CU_ASSERT_EQUAL(shared->ops->getattr(shared, &fh, &attr), 0);
	CU_ASSERT_EQUAL(attr.type, NFS_REG);
	CU_ASSERT_EQUAL(attr.size, 10);
	CU_ASSERT_EQUAL(attr.mode, 0644);
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 4);
	CU_ASSERT_FALSE(read.eof);
	ASSERT_BYTES(read.data, "3456", 4);
	CU_ASSERT_EQUAL(find("dir", "inner", &fh), 0);
	read = (struct export_read){ .count = 100, .scratch = scratch };
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 5);
	CU_ASSERT_TRUE(read.eof);
	read = (struct export_read){ .offset = UINT64_MAX - 5, .count = 100, .scratch = scratch };
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 0);
	CU_ASSERT_TRUE(read.eof);
	clean();
}

static void files_that_are_not_world_readable_are_not_served(void)
{
	struct nfs_fh fh;

	build();
	CU_ASSERT_EQUAL(find("", "private", &fh), NFS3_STATUS_ACCES);
	CU_ASSERT_EQUAL(find("", "closed", &fh), NFS3_STATUS_ACCES);
	CU_ASSERT_EQUAL(find("", "fifo", &fh), NFS3_STATUS_ACCES);
	/* a served file that is closed by now */
	CU_ASSERT_EQUAL(find("", "file", &fh), 0);
	CU_ASSERT_EQUAL(chmod(at("export/file"), 0600), 0);
	CU_ASSERT_EQUAL(status_of(&fh), NFS3_STATUS_ACCES);
	clean();
}

static void symbolic_links_are_read_and_never_followed(void)
{
	struct export_read read = { .count = 100, .scratch = scratch };
	struct nfs_fh link, fh;

	build();
	CU_ASSERT_EQUAL(find("", "link", &link), 0);
	CU_ASSERT_EQUAL(shared->ops->readlink(shared, &link, &read), 0);
	CU_ASSERT_EQUAL(read.len, 17);
	ASSERT_BYTES(read.data, "../outside/secret", 17);
	CU_ASSERT_EQUAL(shared->ops->read(shared, &link, &read), NFS3_STATUS_INVAL);
	CU_ASSERT_EQUAL(find("", "way-out", &link), 0);
	CU_ASSERT_EQUAL(shared->ops->lookup(shared, &link, "secret", &fh), NFS3_STATUS_NOTDIR);
	clean();
}

static void dot_dot_stops_at_the_root(void)
{
	struct nfs_fh root, fh;

	build();
	shared->ops->root(shared, &root);
	CU_ASSERT_EQUAL(find("", "..", &fh), 0);
	ASSERT_BYTES(fh.data, root.data, root.len);
	CU_ASSERT_EQUAL(find("dir", "..", &fh), 0);
	ASSERT_BYTES(fh.data, root.data, root.len);
	clean();
}

/* A directory is replaced by a link to the outside, where the path of a handle would now lead. */
static void a_path_replaced_by_a_link_does_not_escape(void)
{
	struct export_read read = { .count = 100, .scratch = scratch };
	struct nfs_fh dir, inner, fh;

	build();
	make_file("outside/inner", "secret", 0644);
	CU_ASSERT_EQUAL(find("", "dir", &dir), 0);
	CU_ASSERT_EQUAL(find("dir", "inner", &inner), 0);
	CU_ASSERT_EQUAL(rename(at("export/dir"), at("export/moved")), 0);
	CU_ASSERT_EQUAL(symlink("../outside", at("export/dir")), 0);
	CU_ASSERT_NOT_EQUAL(shared->ops->read(shared, &inner, &read), 0);
	CU_ASSERT_EQUAL(shared->ops->lookup(shared, &dir, "secret", &fh), NFS3_STATUS_STALE);
	/* and a handle whose file was replaced by another */
	CU_ASSERT_EQUAL(find("", "file", &fh), 0);
	CU_ASSERT_EQUAL(rename(at("export/file"), at("export/older")), 0);
	make_file("export/file", "another", 0644);
	CU_ASSERT_EQUAL(status_of(&fh), NFS3_STATUS_STALE);
	CU_ASSERT_EQUAL(unlink(at("export/file")), 0);
	CU_ASSERT_EQUAL(status_of(&fh), NFS3_STATUS_STALE);
	clean();
}

static void unissued_handles_are_stale(void)
{
	struct stat st;
	struct nfs_fh fh;

	build();
	/* forged with the right verifier for a file outside: still not in the table */
	CU_ASSERT_EQUAL(stat(at("outside/secret"), &st), 0);
	export_handle(shared, st.st_dev, st.st_ino, &fh);
	CU_ASSERT_EQUAL(status_of(&fh), NFS3_STATUS_STALE);
	CU_ASSERT_EQUAL(stat(at("export/private"), &st), 0);
	export_handle(shared, st.st_dev, st.st_ino, &fh);
	CU_ASSERT_EQUAL(status_of(&fh), NFS3_STATUS_STALE);
	memset(&fh, 0xff, sizeof(fh));
	fh.len = 64;
	CU_ASSERT_EQUAL(status_of(&fh), NFS3_STATUS_BADHANDLE);
	clean();
}

static void a_file_that_shrinks_is_read_short(void)
{
	struct export_read read = { .count = 10, .scratch = scratch };
	struct nfs_fh fh;

	build();
	CU_ASSERT_EQUAL(find("", "file", &fh), 0);
	CU_ASSERT_EQUAL(truncate(at("export/file"), 4), 0);
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 4);
	CU_ASSERT_TRUE(read.eof);
	clean();
}

/* Opening a FIFO in place of a file must not block. */
static void a_fifo_in_place_of_a_file_is_refused_at_once(void)
{
	struct export_read read = { .count = 10, .scratch = scratch };
	uint64_t start = now_ms();
	struct nfs_fh fh;

	build();
	CU_ASSERT_EQUAL(find("", "file", &fh), 0);
	CU_ASSERT_EQUAL(unlink(at("export/file")), 0);
	CU_ASSERT_EQUAL(mkfifo(at("export/file"), 0666), 0);
	CU_ASSERT_NOT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	ASSERT_WITHIN_MS(now_ms() - start, 1000);
	clean();
}

struct seen {
	char names[512];
	unsigned int entries, stop_after;
	uint64_t last;
};

static bool see_entry(void *arg, const struct export_entry *entry)
{
	struct seen *seen = arg;
	size_t used = strlen(seen->names);

	if (seen->entries == seen->stop_after)
		return false;
	snprintf(seen->names + used, sizeof(seen->names) - used, "%s ", entry->name);
	CU_ASSERT_EQUAL(status_of(&entry->fh), 0);
	seen->entries++;
	seen->last = entry->cookie;
	return true;
}

static void listings_show_served_entries_at_any_reply_size(void)
{
	static const char *const shown[] = { ". ", ".. ", "file ", "dir ", "link ", "way-out " };
	struct seen seen = { .stop_after = 1 };
	struct export_readdir readdir = { .fn = see_entry, .arg = &seen, .handles = true };
	struct nfs_fh root;
	size_t i;

	build();
	shared->ops->root(shared, &root);
	while (!readdir.eof && seen.entries < 100) {
		readdir.cookie = seen.last;
		CU_ASSERT_EQUAL_FATAL(shared->ops->readdir(shared, &root, &readdir), 0);
		seen.stop_after = seen.entries + 1;
	}
	CU_ASSERT_EQUAL(seen.entries, ARRAY_SIZE(shown));
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		SUITE_ROW("%zu: %s", i, shown[i]);
		ASSERT_CONTAINS(seen.names, shown[i]);
	}
	ASSERT_LACKS(seen.names, "fifo");
	ASSERT_LACKS(seen.names, "private");
	clean();
}

static void hostile_cookies_do_no_harm(void)
{
	static const uint64_t cookies[] = { 1, 12345, INT64_MAX, UINT64_MAX };
	struct seen seen = { .stop_after = 100 };
	struct export_readdir readdir = { .fn = see_entry, .arg = &seen };
	struct nfs_fh root;
	size_t i;

	build();
	shared->ops->root(shared, &root);
	readdir.handles = true;
	for (i = 0; i < ARRAY_SIZE(cookies); i++) {
		readdir.cookie = cookies[i];
		shared->ops->readdir(shared, &root, &readdir);
	}
	CU_ASSERT_EQUAL(shared->ops->readdir(shared, &root, &readdir), NFS3_STATUS_BAD_COOKIE);
	clean();
}

static void paths_have_a_bound(void)
{
	char name[251];
	struct nfs_fh dir, fh;
	unsigned int depth;
	uint32_t status = 0;
	int fd, next;

	build();
	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	fd = open(at("export"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (depth = 0; depth < 20; depth++) {
		mkdirat(fd, name, 0755);
		next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = next;
	}
	close(fd);
	shared->ops->root(shared, &fh);
	for (depth = 0; depth < 20 && !status; depth++) {
		dir = fh;
		status = shared->ops->lookup(shared, &dir, name, &fh);
	}
	CU_ASSERT_EQUAL(status, NFS3_STATUS_NAMETOOLONG);
	CU_ASSERT_EQUAL(depth, 17);
	clean();
}

static void only_a_world_readable_directory_is_exported(void)
{
	struct export *exp_ = NULL;

	build();
	CU_ASSERT_EQUAL(export_directory_new(&exp_, at("export/closed")), -EACCES);
	ASSERT_CONTAINS(err_text(), "0750");
	CU_ASSERT_EQUAL(export_directory_new(&exp_, at("export/file")), -ENOTDIR);
	CU_ASSERT_EQUAL(export_directory_new(&exp_, at("none")), -ENOENT);
	CU_ASSERT_EQUAL(export_directory_new(&exp_, ""), -ENOENT);
	CU_ASSERT_PTR_NULL(exp_);
	clean();
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(files_are_read_unchanged),
		TEST(files_that_are_not_world_readable_are_not_served),
		TEST(symbolic_links_are_read_and_never_followed),
		TEST(dot_dot_stops_at_the_root),
		TEST(a_path_replaced_by_a_link_does_not_escape),
		TEST(unissued_handles_are_stale),
		TEST(a_file_that_shrinks_is_read_short),
		TIMED(a_fifo_in_place_of_a_file_is_refused_at_once),
		TEST(listings_show_served_entries_at_any_reply_size),
		TEST(hostile_cookies_do_no_harm),
		TEST(paths_have_a_bound),
		TEST(only_a_world_readable_directory_is_exported),
	};

	if (export_directory_new(&shared, "/tmp") == -ENOSYS) {
		printf("skip: no openat2(2) here (valgrind 3.19 does not know it)\n");
		return 77;
	}
	export_free(shared);
	return suite_run("export-directory", tests, ARRAY_SIZE(tests));
}
