/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The file with VDSM's data: read completely, and written back completely. */
#include "hooks/vdsm/internal.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct vdsm_input input;
static char path[PATH_MAX];

static int take(const char *file, size_t max)
{
	struct vdsm_call call = { .file = file, .deadline = deadline_in(PATIENCE_MS) };

	vdsm_input_fini(&input);
	return vdsm_input_read(&call, max, &input);
}

static void begin(const char *text)
{
	tree_new(&tree);
	tree_write(&tree, "data", text);
	tree_path(&tree, "data", path);
	chmod(path, 0600);
}

static void end(void)
{
	vdsm_input_fini(&input);
	tree_free(&tree);
}

static unsigned int files_of_folder(void)
{
	struct host_list list;
	unsigned int count;

	CU_ASSERT_EQUAL_FATAL(host_list(tree.host, ".", &list), 0);
	count = (unsigned int)list.count;
	host_list_fini(&list);
	return count;
}

static void text_is(const char *want)
{
	struct host_text text;

	CU_ASSERT_EQUAL_FATAL(host_read(tree.host, "data", 4096, &text), 0);
	CU_ASSERT_STRING_EQUAL(text.text, want);
	host_text_fini(&text);
}

static void the_replacement_keeps_owner_and_mode(void)
{
	struct stat before, after;

	begin("{}");
	CU_ASSERT_EQUAL(chmod(path, 0640), 0);
	if (!geteuid())
		CU_ASSERT_EQUAL(chown(path, 36, 107), 0);
	CU_ASSERT_EQUAL(stat(path, &before), 0);
	CU_ASSERT_EQUAL_FATAL(take(path, 100), 0);
	CU_ASSERT_STRING_EQUAL(input.text, "{}");
	CU_ASSERT_EQUAL(vdsm_input_replace(&input, "{\"a\": 1}", 8), 0);
	text_is("{\"a\": 1}");
	CU_ASSERT_EQUAL(stat(path, &after), 0);
	CU_ASSERT_NOT_EQUAL(before.st_ino, after.st_ino);
	CU_ASSERT_EQUAL(before.st_mode, after.st_mode);
	CU_ASSERT_EQUAL(before.st_uid, after.st_uid);
	CU_ASSERT_EQUAL(before.st_gid, after.st_gid);
	CU_ASSERT_EQUAL(files_of_folder(), 1);
	end();
}

static void a_file_that_cannot_be_replaced_is_kept(void)
{
	begin("{}");
	CU_ASSERT_EQUAL_FATAL(take(path, 100), 0);
	/* The name is now that of a folder. */
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(mkdir(path, 0755), 0);
	CU_ASSERT_EQUAL(vdsm_input_replace(&input, "x", 1), -EISDIR);
	CU_ASSERT_EQUAL(files_of_folder(), 1);
	end();
}

static void other_file_types_are_refused(void)
{
	static const struct {
		const char *file;
		int rc;
	} rows[] = {
		{ "", -EINVAL },
		{ "data", -EINVAL },
		{ "/tmp/", -EINVAL },
		{ "/", -EINVAL },
		{ "/nowhere/x", -ENOENT },
		{ "/tmp/nowhere-of-nfsrdma", -ENOENT },
		{ "/dev/null", -EINVAL },
		{ "/tmp", -EINVAL },
		{ "/etc/passwd/x", -ENOTDIR },
	};
	size_t i;

	begin("");
	CU_ASSERT_EQUAL(take(path, 100), -ENODATA);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].file);
		CU_ASSERT_EQUAL(take(rows[i].file, 100), rows[i].rc);
		CU_ASSERT_PTR_NULL(input.text);
	}
	end();
}

static void links_and_pipes_are_not_followed(void)
{
	begin("{}");
	tree_link(&tree, "link", "data");
	tree_fifo(&tree, "pipe");
	tree_path(&tree, "link", path);
	CU_ASSERT_EQUAL(take(path, 100), -ELOOP);
	tree_path(&tree, "pipe", path);
	/* The pipe has no writer: waiting for one would never end. */
	alarm(PATIENCE_MS / 1000);
	CU_ASSERT_EQUAL(take(path, 100), -EINVAL);
	alarm(0);
	end();
}

static void size_is_bounded(void)
{
	begin("0123456789");
	CU_ASSERT_EQUAL(take(path, 10), 0);
	CU_ASSERT_EQUAL(take(path, 9), -EFBIG);
	end();
}

SUITE_MAIN("vdsm-input", TEST(the_replacement_keeps_owner_and_mode),
	   TEST(a_file_that_cannot_be_replaced_is_kept),
	   TEST(other_file_types_are_refused), TEST(links_and_pipes_are_not_followed),
	   TEST(size_is_bounded))
