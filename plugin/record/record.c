/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads and validates records. */
#include <stdio.h>

#include "plugin/record/internal.h"

#define BOOT_ID "proc/sys/kernel/random/boot_id"

void record_of_mount(struct record *record, const struct nfs_mount *mount)
{
	record->id = mount->id;
	text_copy(record->dev, sizeof(record->dev), mount->dev);
	text_copy(record->target, sizeof(record->target), mount->target);
	text_copy(record->fs_spec, sizeof(record->fs_spec), mount->fs_spec);
	text_copy(record->effective, sizeof(record->effective), mount->proto);
}

int record_boot_id(const struct host *host, char *buf, size_t cap)
{
	return host_attr(host, BOOT_ID, buf, cap);
}

int record_read(const struct host *host, const char *path, struct record *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, path, RECORD_MAX, &text);

	return rc ? rc : record_decode(text.text, out);
}

/* The record in the file of this name. */
static int record_get_listed(const struct record_list *list, const char *name, struct record *out)
{
	bool pending = !strncmp(name, "pending-", 8);
	char right[RECORD_NAME_MAX];
	size_t i;

	for (i = 0; i < list->count; i++) {
		/* Skip records of the other kind first: most are. */
		if (!list->list[i].id != pending ||
		    strcmp(record_file_name(&list->list[i], right), name) != 0)
			continue;
		*out = list->list[i];
		return 0;
	}
	for (i = 0; i < list->nbroken; i++)
		if (!strcmp(list->broken[i].name, name))
			return err_set(-list->broken[i].rc, "%s", list->broken[i].why);
	return err_set(ENOENT, "there is no record %s", name);
}

static int record_source_read(const struct record_source *from, const char *name,
			      struct record *out)
{
	char path[sizeof(RECORD_FOLDER) + RECORD_NAME_MAX];
	int rc;

	if (from->list)
		return record_get_listed(from->list, name, out);
	snprintf(path, sizeof(path), RECORD_FOLDER "/%s", name);
	rc = record_read(from->host, path, out);
	return rc == -EBADMSG ? err_context(rc, "/%s", path) : rc;
}

static int record_check_boot(const struct record_source *from, const struct record *record)
{
	char read[sizeof(record->boot_id)];
	const char *boot_id = from->boot_id;
	int rc = 0;

	if (!boot_id) {
		boot_id = read;
		rc = record_boot_id(from->host, read, sizeof(read));
	}
	if (rc)
		return rc;
	return strcmp(record->boot_id, boot_id)
		       ? err_set(ESTALE, "the record is of an earlier boot")
		       : 0;
}

int record_find_pending(const struct record_source *from, const char *target, struct record *out)
{
	char name[RECORD_NAME_MAX], clean[sizeof(out->target)];
	int rc = record_source_read(from, record_pending_name(target, name), out);

	if (rc)
		return rc;
	text_copy(clean, sizeof(clean), target);
	if (out->id || strcmp(out->target, clean))
		return err_set(ESTALE, "the pending record is of another directory");
	return record_check_boot(from, out);
}

/* The age is in whole seconds, and @now is not exactly the time of reading. */
#define AGE_SLACK_MS 3000

bool record_is_of(const struct record *record, const struct nfs_mount *mount, uint64_t now)
{
	if (record->id != mount->id || strcmp(record->dev, mount->dev) != 0 ||
	    strcmp(record->target, mount->target) != 0 ||
	    strcmp(record->fs_spec, mount->fs_spec) != 0)
		return false;
	/* Whether it was written before the mount was made. If one export has several mounts,
	 * the age is that of the first, which is larger: then this is not known, nor if
	 * mountstats has no age. */
	if (!mount->nxprts || mount->age >= now / 1000)
		return true;
	return record->checked_ms + AGE_SLACK_MS >= now - mount->age * 1000;
}

bool record_is_lenient(const struct record *record)
{
	return !strcmp(record->policy, "prefer");
}

/* A helper is working on this directory, or did not finish: the proof may be of an earlier
 * mount whose id this one has reused. */
static int record_check_pending(const struct record_source *from, const struct record *record)
{
	struct record pending;
	int rc = record_find_pending(from, record->target, &pending);

	if (rc == -ENOENT ||
	    (rc == -ESTALE && pending.id == 0 && strcmp(pending.boot_id, record->boot_id)))
		return 0;
	/* A malformed record, or one of another directory, is not known to be older. */
	if (rc)
		return rc == -EBADMSG ? rc : err_set(ESTALE, "%.200s", err_text());
	return pending.checked_ms >= record->checked_ms
		       ? err_set(ESTALE, "a mount began there since")
		       : 0;
}

int record_find(const struct record_source *from, const struct nfs_mount *mount, uint64_t now,
		uint64_t max_age_ms, struct record *out)
{
	char name[RECORD_NAME_MAX];
	int rc = record_source_read(from, record_name(mount->id, name), out);

	if (rc)
		return rc;
	if (!record_is_of(out, mount, now))
		return err_set(ESTALE, "the record is of another mount");
	rc = record_check_boot(from, out);
	if (rc)
		return rc;
	if (out->checked_ms > now)
		return err_set(ESTALE, "the record is from the future");
	if (now - out->checked_ms > max_age_ms)
		return err_set(ESTALE, "the record is %llu s old",
			       (unsigned long long)((now - out->checked_ms) / 1000));
	return record_check_pending(from, out);
}
