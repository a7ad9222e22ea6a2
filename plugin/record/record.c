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

static int read_record(const struct record_source *from, const char *name,
		       struct record *out)
{
	char path[sizeof(RECORD_FOLDER) + RECORD_NAME_MAX];
	int rc;

	if (from->list)
		return record_list_get(from->list, name, out);
	snprintf(path, sizeof(path), RECORD_FOLDER "/%s", name);
	rc = record_read(from->host, path, out);
	return rc == -EBADMSG ? err_context(rc, "/%s", path) : rc;
}

static int same_boot(const struct record_source *from, const struct record *record)
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

int record_source_pending(const struct record_source *from, const char *target,
			  struct record *out)
{
	char name[RECORD_NAME_MAX], clean[sizeof(out->target)];
	int rc = read_record(from, record_pending_name(target, name), out);

	if (rc)
		return rc;
	text_copy(clean, sizeof(clean), target);
	if (out->id || strcmp(out->target, clean))
		return err_set(ESTALE, "the pending record is of another directory");
	return same_boot(from, out);
}

/* The age is in whole seconds, and @now is not exactly the time of reading. */
#define AGE_SLACK_MS 3000

/* It was written before the mount was made. If one export has several mounts, the age is
 * that of the first, which is larger: then this is not known, nor if mountstats has no age. */
static bool is_older(const struct record *record, const struct nfs_mount *mount,
		     uint64_t now)
{
	if (!mount->nxprts || mount->age >= now / 1000)
		return false;
	return record->checked_ms + AGE_SLACK_MS < now - mount->age * 1000;
}

bool record_is_of(const struct record *record, const struct nfs_mount *mount,
		  uint64_t now)
{
	return record->id == mount->id && !strcmp(record->dev, mount->dev) &&
	       !strcmp(record->target, mount->target) &&
	       !strcmp(record->fs_spec, mount->fs_spec) && !is_older(record, mount, now);
}

bool record_is_lenient(const struct record *record)
{
	return !strcmp(record->policy, "prefer");
}

static int same_mount(const struct record *record, const struct nfs_mount *mount,
		      uint64_t now)
{
	return record_is_of(record, mount, now)
		       ? 0
		       : err_set(ESTALE, "the record is of another mount");
}

static int young_enough(const struct record *record, uint64_t now, uint64_t max_age_ms)
{
	if (record->checked_ms > now)
		return err_set(ESTALE, "the record is from the future");
	if (now - record->checked_ms > max_age_ms)
		return err_set(ESTALE, "the record is %llu s old",
			       (unsigned long long)((now - record->checked_ms) / 1000));
	return 0;
}

/* A helper is working on this directory, or did not finish: the proof may be of an earlier
 * mount whose id this one has reused. */
static int not_overtaken(const struct record_source *from, const struct record *record)
{
	struct record pending;
	int rc = record_source_pending(from, record->target, &pending);

	if (rc == -ENOENT || (rc == -ESTALE && pending.id == 0 &&
			      strcmp(pending.boot_id, record->boot_id)))
		return 0;
	/* A malformed record, or one of another directory, is not known to be older. */
	if (rc)
		return rc == -EBADMSG ? rc : err_set(ESTALE, "%.200s", err_text());
	return pending.checked_ms >= record->checked_ms
		       ? err_set(ESTALE, "a mount began there since")
		       : 0;
}

int record_source_find(const struct record_source *from, const struct nfs_mount *mount,
		       uint64_t now, uint64_t max_age_ms, struct record *out)
{
	char name[RECORD_NAME_MAX];
	int rc = read_record(from, record_name(mount->id, name), out);

	rc = rc ? rc : same_mount(out, mount, now);
	rc = rc ? rc : same_boot(from, out);
	rc = rc ? rc : young_enough(out, now, max_age_ms);
	return rc ? rc : not_overtaken(from, out);
}

int record_find(const struct host *host, const struct nfs_mount *mount, uint64_t now,
		uint64_t max_age_ms, struct record *out)
{
	const struct record_source from = { .host = host };

	return record_source_find(&from, mount, now, max_age_ms, out);
}

int record_find_pending(const struct host *host, const char *target, struct record *out)
{
	const struct record_source from = { .host = host };

	return record_source_pending(&from, target, out);
}
