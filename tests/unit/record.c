/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Records of mounts: written, read again, and when they are trusted. */
#include <sys/file.h>

#include "plugin/record/internal.h"
#include "tests/unit/host-tree.h"

#define BOOT  "b3fe4a6a-8f6b-425a-81db-11412b84d08b"
#define OTHER "00000000-8f6b-425a-81db-11412b84d08b"
#define NOW   1000000
#define AGE   60000

static struct tree tree;
static int folder;
static struct nfs_mount mount;
static struct record found;
/* The clock that records are compared with. record_renew() compares them with the real clock,
 * which started at boot: its tests set this to now_ms(). */
static uint64_t now = NOW;

static void begin(void)
{
	tree_new(&tree);
	tree_write(&tree, "proc/sys/kernel/random/boot_id", BOOT "\n");
	folder = record_open(tree.root);
	ASSERT_AT_LEAST_FATAL(folder, 0);
	memset(&mount, 0, sizeof(mount));
	mount.id = 90;
	strcpy(mount.dev, "0:53");
	strcpy(mount.target, "/srv/vm");
	strcpy(mount.fs_spec, "nas:/vm");
	strcpy(mount.proto, "rdma");
}

static void end(void)
{
	close(folder);
	tree_free(&tree);
	now = NOW;
}

static struct record proven(void)
{
	struct record record = { .state = RECORD_PROVEN, .checked_ms = now - 1000 };

	record_of_mount(&record, &mount);
	strcpy(record.boot_id, BOOT);
	strcpy(record.wanted, "rdma");
	strcpy(record.policy, "require");
	strcpy(record.by, "mount.nfsrdma");
	return record;
}

static struct record pending(uint64_t checked_ms)
{
	struct record record = proven();

	record.id = 0;
	record.dev[0] = '\0';
	record.state = RECORD_UNPROVEN;
	record.checked_ms = checked_ms;
	return record;
}

static void put(struct record record)
{
	CU_ASSERT_EQUAL(record_write(folder, &record, NULL), 0);
}

static const char *text_of(const char *path)
{
	static struct host_text text;

	host_text_fini(&text);
	CU_ASSERT_EQUAL_FATAL(host_read(tree.host, path, RECORD_MAX, &text), 0);
	return text.text;
}

static int find(void)
{
	const struct record_source records = { .host = tree.host };

	return record_find(&records, &mount, now, AGE, &found);
}

static int find_pending(void)
{
	const struct record_source records = { .host = tree.host };

	return record_find_pending(&records, "/srv/vm", &found);
}

static void a_written_record_is_read_back(void)
{
	begin();
	CU_ASSERT_EQUAL(find(), -ENOENT);
	put(proven());
	CU_ASSERT_EQUAL(find(), 0);
	CU_ASSERT_EQUAL(found.state, RECORD_PROVEN);
	CU_ASSERT_EQUAL(found.id, 90);
	CU_ASSERT_EQUAL(found.checked_ms, NOW - 1000);
	CU_ASSERT_STRING_EQUAL(found.effective, "rdma");
	CU_ASSERT_STRING_EQUAL(found.by, "mount.nfsrdma");
	CU_ASSERT_STRING_EQUAL(found.boot_id, BOOT);
	end();
}

static void a_record_of_another_mount_is_ignored(void)
{
	static const struct {
		size_t offset;
		const char *value;
	} rows[] = {
		{ offsetof(struct record, dev), "0:54" },
		{ offsetof(struct record, target), "/srv/vm2" },
		{ offsetof(struct record, fs_spec), "nas:/vm2" },
		{ offsetof(struct record, boot_id), OTHER },
	};
	struct record record;
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].value);
		record = proven();
		strcpy((char *)&record + rows[i].offset, rows[i].value);
		put(record);
		CU_ASSERT_EQUAL(find(), -ESTALE);
	}
	/* The file name has this id, its content has another. */
	record = proven();
	record.id = 91;
	put(record);
	tree_write(&tree, "run/nfsrdma/mounts/90.json", text_of("run/nfsrdma/mounts/91.json"));
	CU_ASSERT_EQUAL(find(), -ESTALE);
	end();
}

/* With the same ids, as the kernel reuses them. */
static void a_record_older_than_the_mount_is_another_mounts(void)
{
	static const struct {
		unsigned int nxprts;
		uint64_t age_s, record_ms;
		bool is_of;
	} rows[] = {
		{ 1, 1, 12000, false },
		{ 1, 0, 3001, false },
		{ 1, 0, 3000, true },
		{ 1, 12, 12900, true },
		{ 1, 3600, 12000, true },
		/* The machine has not been up that long; there are no mountstats. */
		{ 1, UINT64_MAX, 12000, true },
		{ 0, 0, 12000, true },
	};
	struct record record;
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		mount.nxprts = rows[i].nxprts;
		mount.age = rows[i].age_s;
		record = proven();
		record.checked_ms = NOW - rows[i].record_ms;
		put(record);
		CU_ASSERT_EQUAL(record_is_of(&record, &mount, NOW), rows[i].is_of);
		CU_ASSERT_EQUAL(find(), rows[i].is_of ? 0 : -ESTALE);
	}
	end();
}

static void an_old_record_is_ignored(void)
{
	struct record record;

	begin();
	record = proven();
	record.checked_ms = NOW - AGE;
	put(record);
	CU_ASSERT_EQUAL(find(), 0);
	record.checked_ms = NOW - AGE - 1;
	put(record);
	CU_ASSERT_EQUAL(find(), -ESTALE);
	CU_ASSERT_STRING_EQUAL(err_text(), "the record is 60 s old");
	record.checked_ms = NOW + 1;
	put(record);
	CU_ASSERT_EQUAL(find(), -ESTALE);
	CU_ASSERT_STRING_EQUAL(err_text(), "the record is from the future");
	end();
}

static void a_helper_at_that_directory_makes_a_record_doubtful(void)
{
	begin();
	put(proven());
	put(pending(NOW - 2000));
	CU_ASSERT_EQUAL(find(), 0);
	put(pending(NOW - 1000));
	CU_ASSERT_EQUAL(find(), -ESTALE);
	put(pending(NOW - 10));
	CU_ASSERT_EQUAL(find(), -ESTALE);
	CU_ASSERT_STRING_EQUAL(err_text(), "a mount began there since");
	CU_ASSERT_EQUAL(find_pending(), 0);
	CU_ASSERT_EQUAL(found.state, RECORD_UNPROVEN);
	CU_ASSERT_EQUAL(found.id, 0);
	CU_ASSERT_EQUAL(record_remove(folder, 0, "/srv/vm"), 0);
	CU_ASSERT_EQUAL(find(), 0);
	end();
}

static void a_pending_record_of_an_earlier_boot_says_nothing(void)
{
	struct record record;

	begin();
	put(proven());
	record = pending(NOW + 5000);
	strcpy(record.boot_id, OTHER);
	put(record);
	CU_ASSERT_EQUAL(find(), 0);
	CU_ASSERT_EQUAL(find_pending(), -ESTALE);
	end();
}

static void an_invalid_pending_record_is_not_proof(void)
{
	char path[128], name[RECORD_NAME_MAX];

	begin();
	put(proven());
	snprintf(path, sizeof(path), RECORD_FOLDER "/%s", record_pending_name("/srv/vm", name));
	tree_write(&tree, path, "{}");
	CU_ASSERT_EQUAL(find(), -EBADMSG);
	end();
}

static void removing_what_is_absent_is_no_error(void)
{
	begin();
	CU_ASSERT_EQUAL(record_remove(folder, 17, "/nowhere"), 0);
	put(proven());
	CU_ASSERT_EQUAL(record_remove(folder, 90, NULL), 0);
	CU_ASSERT_EQUAL(find(), -ENOENT);
	end();
}

static void all_records_of_a_directory_are_removed(void)
{
	struct record record;

	begin();
	put(proven());
	put(pending(NOW - 10));
	record = proven();
	record.id = 91;
	strcpy(record.target, "/srv/other");
	put(record);
	tree_write(&tree, "run/nfsrdma/mounts/92.json", "{");
	CU_ASSERT_EQUAL(record_forget(folder, "/srv/vm"), 0);
	CU_ASSERT_EQUAL(find(), -ENOENT);
	CU_ASSERT_EQUAL(find_pending(), -ENOENT);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/nfsrdma/mounts/91.json"), 0);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/nfsrdma/mounts/92.json"), 0);
	end();
}

/* As after umount -f -l, when something else is mounted on top of the remaining mount. */
static void records_without_a_mount_are_removed(void)
{
	struct nfs_mounts there = { .count = 1, .list = &mount };
	struct record record;

	begin();
	put(proven());
	put(pending(NOW - 10));
	record = proven();
	record.id = 91;
	put(record);
	record.id = 92;
	strcpy(record.target, "/srv/other");
	put(record);
	there.cut = true;
	CU_ASSERT_EQUAL(record_tidy(folder, "/srv/vm", &there, now), 0);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/nfsrdma/mounts/91.json"), 0);
	there.cut = false;
	CU_ASSERT_EQUAL(record_tidy(folder, "/srv/vm", &there, now), 0);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/nfsrdma/mounts/90.json"), 0);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/nfsrdma/mounts/91.json"), -ENOENT);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/nfsrdma/mounts/92.json"), 0);
	CU_ASSERT_EQUAL(find_pending(), 0);
	there.count = 0;
	CU_ASSERT_EQUAL(record_tidy(folder, "/srv/vm", &there, now), 0);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/nfsrdma/mounts/90.json"), -ENOENT);
	CU_ASSERT_EQUAL(find_pending(), 0);
	end();
}

static void a_report_is_stored_with_the_mount(void)
{
	_cleanup_(report_free_p) struct report *report = report_new("mount.nfsrdma");
	struct record record;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	begin();
	record = proven();
	finding_init(&finding, "client.device", FINDING_PASS, "%s", "rxe0");
	CU_ASSERT_EQUAL(report_add(report, &finding), 0);
	CU_ASSERT_EQUAL(record_write(folder, &record, report), 0);
	ASSERT_CONTAINS(text_of("run/nfsrdma/mounts/90.json"), "\"schema\": \"nfsrdma-report/1\"");
	CU_ASSERT_EQUAL(find(), 0);
	end();
}

static void files_and_folders_are_world_readable(void)
{
	char path[PATH_MAX];
	mode_t mask = umask(0);
	struct stat st;

	begin();
	umask(0077);
	put(proven());
	umask(mask);
	snprintf(path, sizeof(path), "%s/run/nfsrdma/mounts", tree.root);
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0755);
	strcat(path, "/90.json");
	CU_ASSERT_EQUAL(stat(path, &st), 0);
	CU_ASSERT_EQUAL(st.st_mode & 07777, 0644);
	end();
}

static void renewing_does_not_overwrite_a_newer_record(void)
{
	struct record record, seen;

	begin();
	now = now_ms();
	put(proven());
	seen = proven();
	seen.checked_ms = now - 500;
	seen.state = RECORD_TCP;
	CU_ASSERT_EQUAL(record_renew(folder, &seen, NULL), 0);
	CU_ASSERT_EQUAL(find(), 0);
	CU_ASSERT_EQUAL(found.state, RECORD_TCP);
	/* The id belongs to another mount by now. */
	record = proven();
	record.checked_ms = now - 100;
	strcpy(record.target, "/srv/other");
	put(record);
	seen.checked_ms = now - 200;
	CU_ASSERT_EQUAL(record_renew(folder, &seen, NULL), 1);
	CU_ASSERT_EQUAL(find(), -ESTALE);
	/* Unless it is of another boot, or without a time. */
	strcpy(record.boot_id, OTHER);
	put(record);
	CU_ASSERT_EQUAL(record_renew(folder, &seen, NULL), 0);
	record = proven();
	record.checked_ms = now_ms() + 1000000;
	put(record);
	CU_ASSERT_EQUAL(record_renew(folder, &seen, NULL), 0);
	CU_ASSERT_EQUAL(find(), 0);
	end();
}

static void renewing_leaves_the_record_of_a_helper(void)
{
	struct record seen;

	begin();
	now = now_ms();
	seen = proven();
	put(pending(now - 1000));
	CU_ASSERT_EQUAL(record_renew(folder, &seen, NULL), 1);
	CU_ASSERT_EQUAL(find(), -ENOENT);
	put(pending(now - 1001));
	CU_ASSERT_EQUAL(record_renew(folder, &seen, NULL), 0);
	CU_ASSERT_EQUAL(find(), 0);
	end();
}

static void only_a_record_that_was_read_is_dropped(void)
{
	struct record seen, record;

	begin();
	seen = proven();
	put(seen);
	record = seen;
	record.checked_ms++;
	put(record);
	CU_ASSERT_EQUAL(record_drop(folder, &seen), 0);
	CU_ASSERT_EQUAL(find(), 0);
	CU_ASSERT_EQUAL(record_drop(folder, &record), 0);
	CU_ASSERT_EQUAL(find(), -ENOENT);
	CU_ASSERT_EQUAL(record_drop(folder, &record), 0);
	seen = pending(NOW);
	put(seen);
	CU_ASSERT_EQUAL(record_drop(folder, &seen), 0);
	CU_ASSERT_EQUAL(find_pending(), -ENOENT);
	end();
}

static void all_records_are_listed_and_invalid_ones_reported(void)
{
	struct record_list list;

	begin();
	CU_ASSERT_EQUAL(record_list(tree.host, &list), 0);
	CU_ASSERT_EQUAL(list.count, 0);
	record_list_fini(&list);
	put(proven());
	put(pending(NOW));
	tree_write(&tree, "run/nfsrdma/mounts/91.json", text_of("run/nfsrdma/mounts/90.json"));
	tree_write(&tree, "run/nfsrdma/mounts/92.json", "{");
	tree_write(&tree, "run/nfsrdma/mounts/.93.json.17", "{");
	CU_ASSERT_EQUAL(record_list(tree.host, &list), 0);
	CU_ASSERT_EQUAL_FATAL(list.count, 2);
	CU_ASSERT_EQUAL(list.list[0].id, 90);
	CU_ASSERT_EQUAL(list.list[1].id, 0);
	CU_ASSERT_EQUAL(list.nbroken, 2);
	CU_ASSERT_STRING_EQUAL(list.broken->why,
			       "/run/nfsrdma/mounts/91.json: it belongs to 90.json");
	record_list_fini(&list);
	end();
}

/* Not in the words of an older error. */
static void a_record_that_is_not_listed_is_named(void)
{
	struct record_list list;
	const struct record_source records = { .list = &list };

	begin();
	CU_ASSERT_EQUAL(record_list(tree.host, &list), 0);
	err_set(EIO, "an older error");
	CU_ASSERT_EQUAL(record_find(&records, &(struct nfs_mount){ .id = 90 }, NOW, AGE, &found),
			-ENOENT);
	CU_ASSERT_STRING_EQUAL(err_text(), "there is no record 90.json");
	record_list_fini(&list);
	end();
}

/* Half a second each, not forever. */
static void a_lock_that_nobody_lets_go_stops_no_helper(void)
{
	uint64_t start;
	int lock;

	begin();
	put(proven());
	lock = openat(folder, ".lock", O_RDWR | O_CLOEXEC);
	CU_ASSERT_EQUAL(flock(lock, LOCK_EX), 0);
	start = now_ms();
	put(proven());
	ASSERT_WITHIN_MS(now_ms() - start, 5000);
	close(lock);
	end();
}

/* A link in place of a folder or a record is not followed. */
static void writing_does_not_follow_links(void)
{
	char path[PATH_MAX];

	tree_new(&tree);
	tree_write(&tree, "run/x", "");
	snprintf(path, sizeof(path), "%s/run/nfsrdma", tree.root);
	CU_ASSERT_EQUAL(symlink("/tmp", path), 0);
	CU_ASSERT_EQUAL(record_open(tree.root), -ENOTDIR);
	tree_free(&tree);
}

static void an_invalid_record_is_an_error(void)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{}",
		"{\"mount\": null}",
		"{\"mount\": {}}",
		"{\"mount\": {\"id\": null}}",
		"{\"mount\": {\"id\": 0, \"dev\": \"0:1\"}}",
		"{\"mount\": {\"id\": 4294967296, \"dev\": \"0:1\"}}",
		"{\"mount\": {\"id\": \"90\"}}",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		SUITE_ROW("%zu: %s", i, texts[i]);
		CU_ASSERT_EQUAL(record_decode(texts[i], &found), -EBADMSG);
	}
}

/* Every member, replaced by another value. */
static void every_member_is_checked(void)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "\"dev\": \"0:53\"", "\"dev\": 53" },
		{ "\"dev\": \"0:53\"", "\"dev\": \"0123456789abcdef\"" },
		{ "\"target\": \"/srv/vm\"", "\"target\": \"/srv/\\u0000vm\"" },
		{ "\"target\": \"/srv/vm\"", "\"target\": \"/srv/\\u001bvm\"" },
		{ "\"fs_spec\": \"nas:/vm\"", "\"fs_spec\": null" },
		{ "\"state\": \"proven\"", "\"state\": \"proved\"" },
		{ "\"checked_monotonic_ms\": 999000", "\"checked_monotonic_ms\": -1" },
		{ "\"checked_monotonic_ms\": 999000", "\"checked_monotonic_ms\": 1e3" },
		{ "\"by\": \"mount.nfsrdma\"", "\"bye\": \"mount.nfsrdma\"" },
		{ "\"policy\": \"require\"", "\"policy\": 1" },
	};
	_cleanup_free_ char *text = NULL;
	struct record record;
	char changed[4096];
	size_t i;

	begin();
	record = proven();
	CU_ASSERT_EQUAL_FATAL(record_encode(&record, NULL, &text), 0);
	CU_ASSERT_EQUAL(record_decode(text, &found), 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *at = strstr(text, rows[i].from);
		SUITE_ROW("%zu: %s", i, rows[i].from);

		CU_ASSERT_PTR_NOT_NULL_FATAL(at);
		snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, rows[i].to,
			 at + strlen(rows[i].from));
		CU_ASSERT_EQUAL(record_decode(changed, &found), -EBADMSG);
	}
	CU_ASSERT_STRING_EQUAL(found.policy, "require");
	/* Older records lack it. */
	memcpy(strstr(text, "\"policy\""), "\"pilicy\"", 8);
	CU_ASSERT_EQUAL(record_decode(text, &found), 0);
	CU_ASSERT_STRING_EQUAL(found.policy, "");
	end();
}

/* Whoever sees the mount of a pending record: a later umount leaves nothing that refuses. */
static void a_pending_record_becomes_that_of_its_mount(void)
{
	struct record seen, own;

	begin();
	/* Its helper needed more than a moment until it was mounted. */
	mount.nxprts = 1;
	mount.age = 1;
	now = now_ms();
	seen = pending(now - 10000);
	strcpy(seen.policy, "prefer");
	put(seen);
	CU_ASSERT_EQUAL(record_settle(folder, &seen, &mount, RECORD_PROVEN), 0);
	now = now_ms();
	CU_ASSERT_EQUAL(find(), 0);
	CU_ASSERT_EQUAL(found.id, 90);
	CU_ASSERT_EQUAL(found.state, RECORD_PROVEN);
	CU_ASSERT_STRING_EQUAL(found.wanted, "rdma");
	CU_ASSERT_STRING_EQUAL(found.policy, "prefer");
	CU_ASSERT_EQUAL(record_find_pending(&(struct record_source){ .host = tree.host }, "/srv/vm",
					    &found),
			-ENOENT);
	/* Its helper recorded it, and was killed then. */
	own = proven();
	own.checked_ms = now - 1000;
	put(own);
	put(seen);
	CU_ASSERT_EQUAL(record_settle(folder, &seen, &mount, RECORD_TCP), 0);
	CU_ASSERT_EQUAL(find(), 0);
	CU_ASSERT_EQUAL(found.state, RECORD_PROVEN);
	CU_ASSERT_STRING_EQUAL(found.policy, "require");
	/* The next mount on that directory began meanwhile: its request stays. */
	put(pending(now - 10));
	CU_ASSERT_EQUAL(record_settle(folder, &seen, &mount, RECORD_TCP), 0);
	CU_ASSERT_EQUAL(record_find_pending(&(struct record_source){ .host = tree.host }, "/srv/vm",
					    &found),
			0);
	end();
}

SUITE_MAIN("record", TEST(a_written_record_is_read_back),
	   TEST(a_record_of_another_mount_is_ignored),
	   TEST(a_record_older_than_the_mount_is_another_mounts), TEST(an_old_record_is_ignored),
	   TEST(a_helper_at_that_directory_makes_a_record_doubtful),
	   TEST(a_pending_record_of_an_earlier_boot_says_nothing),
	   TEST(an_invalid_pending_record_is_not_proof), TEST(removing_what_is_absent_is_no_error),
	   TEST(all_records_of_a_directory_are_removed), TEST(records_without_a_mount_are_removed),
	   TEST(a_report_is_stored_with_the_mount), TEST(files_and_folders_are_world_readable),
	   TEST(renewing_does_not_overwrite_a_newer_record),
	   TEST(renewing_leaves_the_record_of_a_helper),
	   TEST(only_a_record_that_was_read_is_dropped),
	   TEST(a_pending_record_becomes_that_of_its_mount),
	   TEST(all_records_are_listed_and_invalid_ones_reported),
	   TEST(a_record_that_is_not_listed_is_named),
	   TIMED(a_lock_that_nobody_lets_go_stops_no_helper), TEST(writing_does_not_follow_links),
	   TEST(an_invalid_record_is_an_error), TEST(every_member_is_checked))
