/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The file with VDSM's data. */
#include "hooks/vdsm/internal.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static char *text;
static size_t len;
static char path[PATH_MAX];

static int take(const char *file, size_t max)
{
	struct vdsm_call call = { .file = file, .deadline = deadline_in(PATIENCE_MS) };

	free(take_ptr(text));
	return vdsm_input_read(&call, max, &text, &len);
}

static void begin(const char *data)
{
	tree_new(&tree);
	tree_write(&tree, "data", data);
	tree_path(&tree, "data", path);
	chmod(path, 0600);
}

static void end(void)
{
	free(take_ptr(text));
	tree_free(&tree);
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
		CU_ASSERT_PTR_NULL(text);
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
	CU_ASSERT_STRING_EQUAL(text, "0123456789");
	CU_ASSERT_EQUAL(len, 10);
	CU_ASSERT_EQUAL(take(path, 9), -EFBIG);
	end();
}

SUITE_MAIN("vdsm-input", TEST(other_file_types_are_refused), TEST(links_and_pipes_are_not_followed),
	   TEST(size_is_bounded))
