/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The archive, as tar(1) reads it. */
#include "plugin/snapshot/internal.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct tarball *archive;
static char name[128];

static void begin(void)
{
	int fd;

	tree_new(&tree);
	snprintf(name, sizeof(name), "%s/a.tar.gz", tree.top);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_AT_LEAST_FATAL(fd, 0);
	CU_ASSERT_EQUAL_FATAL(tarball_open(&archive, fd, 1767225600), 0);
}

/* Into the machine's root. */
static void unpack(void)
{
	char command[1024];

	CU_ASSERT_EQUAL(tarball_end(archive), 0);
	tarball_close_p(&archive);
	/* tar reports problems on stderr. */
	snprintf(command, sizeof(command), "test -z \"$(tar xzf %s -C %s 2>&1)\"", name, tree.root);
	CU_ASSERT_EQUAL(system(command), 0);
}

static void expect(const char *path, const char *want)
{
	struct host_text text = { NULL, 0 };

	CU_ASSERT_EQUAL(host_read_bytes(tree.host, path, HOST_FILE_MAX, &text), 0);
	CU_ASSERT_STRING_EQUAL(text.text ? text.text : "", want);
	host_text_fini(&text);
}

static void files_directories_and_links_are_extracted_unchanged(void)
{
	char target[64];

	begin();
	CU_ASSERT_EQUAL(tarball_folder(archive, "etc"), 0);
	CU_ASSERT_EQUAL(tarball_file(archive, "etc/a", "text\n", 5), 0);
	CU_ASSERT_EQUAL(tarball_file(archive, "etc/empty", "", 0), 0);
	CU_ASSERT_EQUAL(tarball_link(archive, "etc/b", "/etc/a"), 0);
	unpack();
	expect("etc/a", "text\n");
	expect("etc/empty", "");
	CU_ASSERT_EQUAL(host_link(tree.host, "etc/b", target, sizeof(target)), 0);
	CU_ASSERT_STRING_EQUAL(target, "/etc/a");
	tree_free(&tree);
}

static void long_names(size_t len)
{
	char folder[300], file[400], target[400];

	snprintf(folder, sizeof(folder), "%0*d", (int)(len - 1), 7);
	snprintf(file, sizeof(file), "%s/f", folder);
	memset(target, 't', sizeof(target));
	target[len] = '\0';
	begin();
	CU_ASSERT_EQUAL(tarball_folder(archive, folder), 0);
	CU_ASSERT_EQUAL(tarball_file(archive, file, "x", 1), 0);
	strcat(file, "l");
	CU_ASSERT_EQUAL(tarball_link(archive, file, target), 0);
	unpack();
	file[strlen(file) - 1] = '\0';
	expect(file, "x");
	strcat(file, "l");
	CU_ASSERT_EQUAL(host_link(tree.host, file, folder, sizeof(folder)), 0);
	CU_ASSERT_STRING_EQUAL(folder, target);
	tree_free(&tree);
}

static void names_of_every_length_are_preserved(void)
{
	static const size_t lengths[] = { 99, 100, 101, 250 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		SUITE_ROW("%zu: %zu", i, lengths[i]);
		long_names(lengths[i]);
	}
}

static void contents_of_every_size_are_preserved(void)
{
	static const size_t sizes[] = { 511, 512, 513, 10240, 3000000 };
	static char bytes[3000001];
	char path[32];
	size_t i;

	for (i = 0; i < sizeof(bytes) - 1; i++)
		bytes[i] = (char)('a' + (i * i / 7) % 26);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct host_text text = { NULL, 0 };
		SUITE_ROW("%zu: %zu", i, sizes[i]);

		begin();
		snprintf(path, sizeof(path), "f%zu", sizes[i]);
		CU_ASSERT_EQUAL(tarball_file(archive, path, bytes, sizes[i]), 0);
		unpack();
		CU_ASSERT_EQUAL_FATAL(host_read_bytes(tree.host, path, sizeof(bytes), &text), 0);
		CU_ASSERT_EQUAL(text.len, sizes[i]);
		ASSERT_BYTES(text.text, bytes, sizes[i]);
		host_text_fini(&text);
		tree_free(&tree);
	}
}

SUITE_MAIN("tarball", TEST(files_directories_and_links_are_extracted_unchanged),
	   TEST(names_of_every_length_are_preserved), TEST(contents_of_every_size_are_preserved))
