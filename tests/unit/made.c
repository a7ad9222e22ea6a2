/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files that clients make in the memory export: bounded, sparse, and gone when they are removed;
 * the export's own files stay as they are. */
#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

static struct export *exp_;
static uint8_t scratch[SERVER_SCRATCH_MAX];

static void begin(void)
{
	export_free(exp_);
	exp_ = NULL;
	CU_ASSERT_EQUAL_FATAL(export_memory_new(&exp_), 0);
	CU_ASSERT_EQUAL_FATAL(export_memory_make_writable(exp_), 0);
}

static struct nfs_fh root(void)
{
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(exp_->ops->root(exp_, &fh), 0);
	return fh;
}

static uint32_t find(const char *name, struct nfs_fh *fh)
{
	const struct nfs_fh dir = root();

	return exp_->ops->lookup(exp_, &dir, name, fh);
}

static uint32_t make(const char *name, const char *verifier, struct nfs_fh *fh)
{
	struct export_create create = {
		.name = name, .exclusive = verifier, .mode = 0600, .uid = 36
	};
	const struct nfs_fh dir = root();

	if (verifier)
		memcpy(create.verifier, verifier, sizeof(create.verifier));
	return exp_->ops->create(exp_, &dir, &create, fh);
}

static uint32_t write_text(const struct nfs_fh *fh, uint64_t offset, const char *data, bool stable)
{
	return exp_->ops->write(exp_, fh, offset, (const uint8_t *)data, (uint32_t)strlen(data),
				stable);
}

static const char *read_text(const struct nfs_fh *fh, uint64_t offset, uint32_t count)
{
	static char text[64];
	struct export_read read = { .offset = offset, .count = count, .scratch = scratch };

	CU_ASSERT_EQUAL_FATAL(exp_->ops->read(exp_, fh, &read), 0);
	memcpy(text, read.data, read.len);
	text[read.len] = '\0';
	return text;
}

static void an_exclusive_file_is_made_once(void)
{
	struct nfs_fh fh, again;

	begin();
	CU_ASSERT_EQUAL(find("x", &fh), NFS3_STATUS_NOENT);
	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(make("x", "verifier", &again), 0);
	ASSERT_BYTES(again.data, fh.data, fh.len);
	CU_ASSERT_EQUAL(make("x", "another!", &again), NFS3_STATUS_EXIST);
	CU_ASSERT_EQUAL(make("x", NULL, &again), 0); /* UNCHECKED */
	CU_ASSERT_EQUAL(find("x", &again), 0);
	ASSERT_BYTES(again.data, fh.data, fh.len);
	/* The server's own. */
	CU_ASSERT_EQUAL(make("data-4096", "verifier", &again), NFS3_STATUS_EXIST);
	CU_ASSERT_EQUAL(make("data-4096", NULL, &again), NFS3_STATUS_ROFS);
}

static void what_is_written_is_read_and_sparse(void)
{
	struct export_space space;
	struct nfs_attr attr;
	struct nfs_fh fh;

	begin();
	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 5, "hello", true), 0);
	CU_ASSERT_EQUAL(write_text(&fh, (UINT64_C(1) << 32) - 2, "abcd", true), 0);
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 5, 5), "hello");
	CU_ASSERT_STRING_EQUAL(read_text(&fh, (UINT64_C(1) << 32) - 2, 10), "abcd");
	CU_ASSERT_EQUAL(exp_->ops->getattr(exp_, &fh, &attr), 0);
	CU_ASSERT_EQUAL(attr.size, (UINT64_C(1) << 32) + 2);
	CU_ASSERT_EQUAL(attr.mode, 0600);
	CU_ASSERT_EQUAL(attr.uid, 36);
	ASSERT_AT_MOST(attr.used, 65536);
	exp_->ops->space(exp_, &space);
	CU_ASSERT_EQUAL(space.bytes_free, MADE_BYTES - attr.used);
}

static void space_and_number_are_bounded(void)
{
	static const uint8_t data[1024 * 1024];
	char name[8];
	struct nfs_fh fh;
	uint64_t at;
	unsigned int i;

	begin();
	for (i = 0; i < MADE_FILES; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		CU_ASSERT_EQUAL(make(name, "verifier", &fh), 0);
	}
	CU_ASSERT_EQUAL(make("more", "verifier", &fh), NFS3_STATUS_NOSPC);
	CU_ASSERT_EQUAL(find("f0", &fh), 0);
	CU_ASSERT_EQUAL(exp_->ops->write(exp_, &fh, INT64_MAX, data, 1, true), NFS3_STATUS_FBIG);
	CU_ASSERT_EQUAL(exp_->ops->write(exp_, &fh, UINT64_MAX, data, 1, true), NFS3_STATUS_FBIG);
	for (at = 0; at < MADE_BYTES; at += sizeof(data))
		if (exp_->ops->write(exp_, &fh, at, data, sizeof(data), true))
			break;
	CU_ASSERT_EQUAL(at, MADE_BYTES);
	CU_ASSERT_EQUAL(exp_->ops->write(exp_, &fh, at, data, 1, true), NFS3_STATUS_NOSPC);
}

/* What is cut off does not come back. */
static void its_size_can_be_set(void)
{
	struct export_setattr set = { .has_size = true, .size = 3 };
	struct nfs_attr attr;
	struct nfs_fh fh;

	begin();
	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 0, "abcdef", true), 0);
	CU_ASSERT_EQUAL(exp_->ops->setattr(exp_, &fh, &set), 0);
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 0, 6), "abc");
	set.size = 6;
	CU_ASSERT_EQUAL(exp_->ops->setattr(exp_, &fh, &set), 0);
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 3, 3), "");
	/* Longer than all that was written. */
	set.size = 1 << 20;
	CU_ASSERT_EQUAL(exp_->ops->setattr(exp_, &fh, &set), 0);
	CU_ASSERT_EQUAL(exp_->ops->getattr(exp_, &fh, &attr), 0);
	CU_ASSERT_EQUAL(attr.size, 1 << 20);
	ASSERT_AT_MOST(attr.used, 4096);
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 65536, 60), "");
	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	set.size = UINT64_MAX;
	CU_ASSERT_EQUAL(exp_->ops->setattr(exp_, &fh, &set), NFS3_STATUS_FBIG);
}

static void a_removed_file_is_stale(void)
{
	const struct nfs_fh dir = (begin(), root());
	struct nfs_attr attr;
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(exp_->ops->remove(exp_, &dir, "x"), 0);
	CU_ASSERT_EQUAL(exp_->ops->getattr(exp_, &fh, &attr), NFS3_STATUS_STALE);
	CU_ASSERT_EQUAL(write_text(&fh, 0, "x", true), NFS3_STATUS_STALE);
	CU_ASSERT_EQUAL(exp_->ops->remove(exp_, &dir, "x"), NFS3_STATUS_NOENT);
	CU_ASSERT_EQUAL(exp_->ops->remove(exp_, &dir, "data-4096"), NFS3_STATUS_ROFS);
	CU_ASSERT_EQUAL(exp_->ops->remove(exp_, &fh, "x"), NFS3_STATUS_NOTDIR);
}

static void its_own_files_cannot_be_changed(void)
{
	const struct export_setattr shorter = { .has_size = true };
	struct nfs_fh fh;

	begin();
	CU_ASSERT_EQUAL(find("data-4096", &fh), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 0, "x", true), NFS3_STATUS_ROFS);
	CU_ASSERT_EQUAL(exp_->ops->setattr(exp_, &fh, &shorter), NFS3_STATUS_ROFS);
}

static void only_what_is_not_stable_is_forgotten(void)
{
	struct nfs_fh fh;

	begin();
	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 0, "stable", true), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 6, "lost", false), 0);
	export_forget(exp_);
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 0, 6), "stable");
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 6, 4), "");
	export_forget(exp_);
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 0, 6), "stable");
}

static void what_was_stably_overwritten_is_not_forgotten(void)
{
	struct nfs_fh fh;

	begin();
	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 0, "0123456789", false), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 3, "abcd", true), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 20, "0123", false), 0);
	CU_ASSERT_EQUAL(write_text(&fh, 20, "abcd", true), 0);
	/* The latest counts. */
	CU_ASSERT_EQUAL(write_text(&fh, 22, "XY", false), 0);
	export_forget(exp_);
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 0, 3), "");
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 3, 4), "abcd");
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 7, 3), "");
	CU_ASSERT_STRING_EQUAL(read_text(&fh, 20, 4), "ab");
}

static bool count_entry(void *arg, const struct export_entry *entry)
{
	unsigned int *n = arg;

	*n += entry->fh.len && (!strcmp(entry->name, "x") || !strcmp(entry->name, "y"));
	return true;
}

static void they_are_listed(void)
{
	const struct nfs_fh dir = (begin(), root());
	unsigned int n = 0;
	struct export_readdir list = { .handles = true, .fn = count_entry, .arg = &n };
	struct nfs_fh fh;

	CU_ASSERT_EQUAL(make("x", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(make("y", "verifier", &fh), 0);
	CU_ASSERT_EQUAL(exp_->ops->readdir(exp_, &dir, &list), 0);
	CU_ASSERT_EQUAL(n, 2);
	CU_ASSERT_TRUE(list.eof);
	export_free(exp_);
	exp_ = NULL;
}

SUITE_MAIN("made", TEST(an_exclusive_file_is_made_once), TEST(what_is_written_is_read_and_sparse),
	   TEST(space_and_number_are_bounded), TEST(its_size_can_be_set),
	   TEST(a_removed_file_is_stale), TEST(its_own_files_cannot_be_changed),
	   TEST(only_what_is_not_stable_is_forgotten),
	   TEST(what_was_stably_overwritten_is_not_forgotten), TEST(they_are_listed))
