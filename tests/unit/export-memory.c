/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The export of the self-test: its contents, and that handles are never trusted. */
#include <time.h>

#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

static struct export *shared;
static uint8_t scratch[SERVER_SCRATCH_MAX];

static uint32_t find(const char *name, struct nfs_fh *fh)
{
	struct nfs_fh root;

	shared->ops->root(shared, &root);
	return shared->ops->lookup(shared, &root, name, fh);
}

static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)((offset & ~UINT64_C(7)) >> (8 * (7 - (offset & 7))));
}

/* Reads [offset, offset + count) and says whether all of it is the pattern. */
static bool read_is_pattern(const struct nfs_fh *fh, uint64_t offset, uint32_t count)
{
	struct export_read read = { .offset = offset, .count = count, .scratch = scratch };
	uint32_t i;

	if (shared->ops->read(shared, fh, &read) || read.len != count) {
		suite_saw("%u bytes", read.len);
		return false;
	}
	for (i = 0; i < count; i++)
		if (read.data[i] != byte_at(offset + i)) {
			suite_saw("%02x at byte %u, not %02x", read.data[i], i,
				  byte_at(offset + i));
			return false;
		}
	return true;
}

static void every_size_exists_with_its_offsets_as_content(void)
{
	static const uint32_t sizes[] = { 0, 1, 811, 812, 813, 4096, 65536, 1048579, 4194304 };
	struct nfs_attr attr;
	struct nfs_fh fh;
	char name[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu: %u", i, sizes[i]);
		snprintf(name, sizeof(name), "data-%u", sizes[i]);
		CU_ASSERT_EQUAL(find(name, &fh), 0);
		CU_ASSERT_EQUAL(shared->ops->getattr(shared, &fh, &attr), 0);
		CU_ASSERT_EQUAL(attr.type, NFS_REG);
		CU_ASSERT_EQUAL(attr.mode, 0644);
		CU_ASSERT_EQUAL(attr.size, sizes[i]);
		CU_ASSERT(read_is_pattern(&fh, 0, min_u32(sizes[i], 1048576)));
		if (sizes[i] > 4)
			CU_ASSERT(read_is_pattern(&fh, sizes[i] - 5, 5));
	}
}

static void reads_end_at_end_of_file(void)
{
	struct export_read read = { .offset = 800, .count = 100, .scratch = scratch };
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(find("data-812", &fh), 0);
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 12);
	CU_ASSERT_TRUE(read.eof);
	read = (struct export_read){ .offset = 0, .count = 811, .scratch = scratch };
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_FALSE(read.eof);
	read = (struct export_read){ .offset = 812, .count = 1, .scratch = scratch };
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 0);
	CU_ASSERT_TRUE(read.eof);
	read = (struct export_read){ .offset = UINT64_MAX, .count = 0x100000 };
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 0);
	CU_ASSERT_TRUE(read.eof);
}

/* Zero-copy: the returned data is not in the scratch buffer. */
static void reads_return_the_files_own_memory(void)
{
	struct export_read read = { .offset = 4096, .count = 1048576, .scratch = scratch };
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(find("data-4194304", &fh), 0);
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_PTR_NOT_EQUAL(read.data, scratch);
	CU_ASSERT_EQUAL(get_be64(read.data), 4096);
}

static void the_sparse_file_has_data_around_four_gib_and_zeros_before(void)
{
	const uint64_t four = UINT64_C(1) << 32, size = four + 1048576 + 5;
	struct export_read read = { .offset = 262144, .count = 4096, .scratch = scratch };
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(find("sparse-4296015877", &fh), 0);
	CU_ASSERT(read_is_pattern(&fh, 0, 262144));
	CU_ASSERT(read_is_pattern(&fh, four - 100, 200));
	CU_ASSERT(read_is_pattern(&fh, four - 262144 + 3, 1048576));
	CU_ASSERT(read_is_pattern(&fh, size - 5, 5));
	memset(scratch, 0xff, sizeof(scratch));
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.len, 4096);
	CU_ASSERT_FALSE(read.data[0]);
	ASSERT_BYTES(read.data, read.data + 1, 4095);
	/* half pattern, half hole */
	read = (struct export_read){ .offset = 262140, .count = 8, .scratch = scratch };
	CU_ASSERT_EQUAL(shared->ops->read(shared, &fh, &read), 0);
	CU_ASSERT_EQUAL(read.data[3], byte_at(262143));
	CU_ASSERT_EQUAL(get_be32(read.data + 4), 0);
}

static void link_targets_have_the_length_in_their_name(void)
{
	static const uint32_t sizes[] = { 1, 2, 3, 4, 5, 255, 1023, 4095 };
	struct export_read read = { .scratch = scratch };
	struct nfs_attr attr;
	struct nfs_fh fh;
	char name[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		SUITE_ROW("%zu: %u", i, sizes[i]);
		snprintf(name, sizeof(name), "link-%u", sizes[i]);
		CU_ASSERT_EQUAL(find(name, &fh), 0);
		CU_ASSERT_EQUAL(shared->ops->getattr(shared, &fh, &attr), 0);
		CU_ASSERT_EQUAL(attr.type, NFS_LNK);
		CU_ASSERT_EQUAL(shared->ops->readlink(shared, &fh, &read), 0);
		CU_ASSERT_EQUAL(read.len, sizes[i]);
		CU_ASSERT_PTR_NULL(memchr(read.data, '\0', read.len));
	}
}

struct count {
	unsigned int entries, stop_after;
	uint64_t last;
	bool dots;
};

static bool count_entry(void *arg, const struct export_entry *entry)
{
	struct count *count = arg;

	if (count->entries == count->stop_after)
		return false;
	count->dots |= !strcmp(entry->name, "..");
	count->entries++;
	count->last = entry->cookie;
	return true;
}

static void the_big_directory_is_listed_in_parts(void)
{
	struct count count = { .stop_after = 700 };
	struct export_readdir readdir = { .fn = count_entry, .arg = &count };
	struct nfs_fh fh;
	unsigned int parts;

	CU_ASSERT_EQUAL(find("entries-2000", &fh), 0);
	for (parts = 0; !readdir.eof && parts < 10; parts++) {
		SUITE_ROW("parts %u", parts);
		readdir.cookie = count.last;
		CU_ASSERT_EQUAL(shared->ops->readdir(shared, &fh, &readdir), 0);
		count.stop_after = count.entries + 700;
	}
	CU_ASSERT_EQUAL(parts, 3);
	CU_ASSERT_EQUAL(count.entries, 2002);
	CU_ASSERT_TRUE(count.dots);
}

static void cookies_beyond_the_end_are_bad(void)
{
	struct count count = { .stop_after = 9999 };
	struct export_readdir readdir = { .fn = count_entry, .arg = &count };
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(find("entries-2000", &fh), 0);
	readdir.cookie = UINT64_MAX;
	CU_ASSERT_EQUAL(shared->ops->readdir(shared, &fh, &readdir), NFS3_STATUS_BAD_COOKIE);
	readdir.cookie = 2003;
	CU_ASSERT_EQUAL(shared->ops->readdir(shared, &fh, &readdir), NFS3_STATUS_BAD_COOKIE);
	readdir.cookie = 2002;
	CU_ASSERT_EQUAL(shared->ops->readdir(shared, &fh, &readdir), 0);
	CU_ASSERT_EQUAL(count.entries, 0);
	CU_ASSERT_TRUE(readdir.eof);
}

static void dot_dot_leads_up_but_not_out(void)
{
	struct nfs_fh root, dir, fh;

	shared->ops->root(shared, &root);
	CU_ASSERT_EQUAL(find("..", &fh), 0);
	ASSERT_BYTES(&fh.data, &root.data, root.len);
	CU_ASSERT_EQUAL(find("entries-2000", &dir), 0);
	CU_ASSERT_EQUAL(shared->ops->lookup(shared, &dir, "..", &fh), 0);
	ASSERT_BYTES(&fh.data, &root.data, root.len);
	CU_ASSERT_EQUAL(shared->ops->lookup(shared, &dir, ".", &fh), 0);
	ASSERT_BYTES(&fh.data, &dir.data, dir.len);
}

static void every_changed_handle_byte_is_detected_or_harmless(void)
{
	struct export_read read = { .count = 64, .scratch = scratch };
	struct nfs_attr attr;
	struct nfs_fh good, fh;
	uint32_t i, status;

	CU_ASSERT_EQUAL(find("data-4096", &good), 0);
	for (i = 0; i < good.len; i++) {
		SUITE_ROW("%u", i);
		fh = good;
		fh.data[i] ^= 0x80;
		status = shared->ops->getattr(shared, &fh, &attr);
		/* the last byte of the first number selects another file; it is not secret */
		CU_ASSERT_EQUAL(status, i == 19            ? NFS3_STATUS_OK
					: i >= 4 && i < 12 ? NFS3_STATUS_STALE
							   : NFS3_STATUS_BADHANDLE);
		shared->ops->read(shared, &fh, &read);
	}
	for (fh = good, fh.len = 0; fh.len < NFS3_FH_MAX; fh.len++) {
		SUITE_ROW("len %u", fh.len);
		if (fh.len != good.len)
			CU_ASSERT_EQUAL(shared->ops->getattr(shared, &fh, &attr),
					NFS3_STATUS_BADHANDLE);
	}
}

static void handles_of_another_server_are_stale(void)
{
	struct export *other;
	struct nfs_attr attr;
	struct nfs_fh fh;

	CU_ASSERT_EQUAL_FATAL(export_memory_new(&other), 0);
	other->ops->root(other, &fh);
	CU_ASSERT_EQUAL(shared->ops->getattr(shared, &fh, &attr), NFS3_STATUS_STALE);
	export_free(other);
}

static void operations_on_the_wrong_type_are_refused(void)
{
	struct export_read read = { .count = 64, .scratch = scratch };
	struct export_readdir readdir = { .fn = count_entry };
	struct nfs_fh root, file, link, fh;

	shared->ops->root(shared, &root);
	CU_ASSERT_EQUAL(find("data-1", &file), 0);
	CU_ASSERT_EQUAL(find("link-1", &link), 0);
	CU_ASSERT_EQUAL(find("data-2", &fh), NFS3_STATUS_NOENT);
	CU_ASSERT_EQUAL(shared->ops->lookup(shared, &file, "x", &fh), NFS3_STATUS_NOTDIR);
	CU_ASSERT_EQUAL(shared->ops->read(shared, &root, &read), NFS3_STATUS_ISDIR);
	CU_ASSERT_EQUAL(shared->ops->read(shared, &link, &read), NFS3_STATUS_INVAL);
	CU_ASSERT_EQUAL(shared->ops->readlink(shared, &file, &read), NFS3_STATUS_INVAL);
	CU_ASSERT_EQUAL(shared->ops->readdir(shared, &file, &readdir), NFS3_STATUS_NOTDIR);
}

static void every_file_has_old_times(void)
{
	struct nfs_attr attr;
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(find("data-4194304", &fh), 0);
	CU_ASSERT_EQUAL(shared->ops->getattr(shared, &fh, &attr), 0);
	ASSERT_LESS(attr.mtime.sec + 3600, (uint64_t)time(NULL));
	ASSERT_LESS(attr.ctime.sec + 3600, (uint64_t)time(NULL));
}

static bool hidden_count_entry(void *arg, const struct export_entry *entry)
{
	*(unsigned int *)arg += strcmp(entry->name, ".") && strcmp(entry->name, "..");
	return true;
}

static void a_hidden_export_is_found_by_its_name_only(void)
{
	unsigned int names = 0;
	struct export_readdir readdir = { .fn = hidden_count_entry, .arg = &names };
	struct nfs_fh root, below, file;
	struct nfs_attr attr;
	struct export *exp;

	CU_ASSERT_EQUAL_FATAL(export_memory_new(&exp), 0);
	export_memory_hide(exp, "5eec2e7");
	CU_ASSERT_EQUAL(exp->ops->root(exp, &root), 0);
	CU_ASSERT_EQUAL(exp->ops->getattr(exp, &root, &attr), 0);
	CU_ASSERT_EQUAL(attr.type, NFS_DIR);
	CU_ASSERT_EQUAL(exp->ops->readdir(exp, &root, &readdir), 0);
	CU_ASSERT_EQUAL(names, 0);
	CU_ASSERT_EQUAL(exp->ops->lookup(exp, &root, "data-4096", &file), NFS3_STATUS_NOENT);
	CU_ASSERT_EQUAL(exp->ops->lookup(exp, &root, "5eec2e8", &file), NFS3_STATUS_NOENT);
	CU_ASSERT_EQUAL(exp->ops->lookup(exp, &root, "5eec2e7", &below), 0);
	CU_ASSERT_EQUAL(exp->ops->lookup(exp, &below, "data-4096", &file), 0);
	CU_ASSERT_EQUAL(exp->ops->lookup(exp, &root, "..", &file), 0);
	CU_ASSERT_EQUAL(file.len, root.len);
	CU_ASSERT_EQUAL(memcmp(file.data, root.data, root.len), 0);
	export_free(exp);
}

int main(void)
{
	static const struct suite_test tests[] = {
		TEST(every_size_exists_with_its_offsets_as_content),
		TEST(reads_end_at_end_of_file),
		TEST(reads_return_the_files_own_memory),
		TEST(the_sparse_file_has_data_around_four_gib_and_zeros_before),
		TEST(link_targets_have_the_length_in_their_name),
		TEST(the_big_directory_is_listed_in_parts),
		TEST(cookies_beyond_the_end_are_bad),
		TEST(dot_dot_leads_up_but_not_out),
		TEST(every_changed_handle_byte_is_detected_or_harmless),
		TEST(handles_of_another_server_are_stale),
		TEST(operations_on_the_wrong_type_are_refused),
		TEST(every_file_has_old_times),
		TEST(a_hidden_export_is_found_by_its_name_only),
	};
	int rc;

	if (export_memory_new(&shared))
		return 2;
	rc = suite_run("export-memory", tests, ARRAY_SIZE(tests));
	export_free(shared);
	return rc;
}
