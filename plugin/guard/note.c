/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the records in /run/nfsrdma say of a mount: what was wanted of it, and whether it is proven. */
#include <stdio.h>

#include "plugin/guard/internal.h"

/* A helper that mounted has looked at its mount by then, or will not. */
#define LOOKED_AT_MS RECORD_PERIOD_MS

void note_why(char why[256], const char *text)
{
	text_copy(why, 256, text);
}

/* One that is not believed, for its age, is still of that mount. */
static bool is_of(const struct guard *guard, const struct record *record,
		  const struct nfs_mount *mount)
{
	return record_is_of(record, mount, guard->now) &&
	       !strcmp(record->boot_id, guard->boot_id);
}

static void take_record(const struct record *record, bool believed,
			struct guard_note *out)
{
	out->wanted = mounts_is_rdma(record->wanted);
	out->lenient = record_is_lenient(record);
	out->unproven = record->state == RECORD_UNPROVEN ||
			(believed && record->state == RECORD_TCP);
	if (out->unproven)
		note_why(out->why, record->state == RECORD_TCP
					   ? "its record says TCP"
					   : "its record says unproven");
}

/* Whoever began before this mount was made did not make it, or was killed over it long ago; and the
 * kernel itself says what it goes over. */
static bool is_over(const struct guard *guard, const struct mount_verdict *verdict,
		    const struct record *pending)
{
	uint64_t age = verdict->mount->age * 1000;

	return verdict->run == RUN_RDMA && age >= LOOKED_AT_MS && age < guard->now &&
	       pending->checked_ms < guard->now - age;
}

/* @since: when the mount's own record was written; 0: there is none. */
static void look_for_pending(const struct guard *guard,
			     const struct mount_verdict *verdict, uint64_t since,
			     struct guard_note *out)
{
	const struct nfs_mount *mount = verdict->mount;
	struct record record = { .id = 0 };
	int rc = record_find_pending(guard->host, mount->target, &record);

	if (rc == -ENOENT || rc == -ESTALE)
		return;
	if (rc) {
		out->doubtful = true;
		note_why(out->why, err_text());
		return;
	}
	if ((since && record.checked_ms < since) || is_over(guard, verdict, &record))
		return;
	out->unproven = true;
	note_why(out->why, "something was being mounted there, and nobody saw its end");
	if (!strcmp(record.fs_spec, mount->fs_spec))
		out->wanted |= mounts_is_rdma(record.wanted);
}

void note_of_mount(const struct guard *guard, unsigned int index, struct guard_note *out)
{
	const struct mount_verdict *verdict = &guard->verdicts[index];
	const struct nfs_mount *mount = verdict->mount;
	struct record record = { .id = 0 };
	int rc = record_find(guard->host, mount, guard->now, 2 * RECORD_PERIOD_MS,
			     &record);
	bool known = !rc || (rc == -ESTALE && is_of(guard, &record, mount));

	*out = (struct guard_note){ .wanted = false };
	if (rc && rc != -ENOENT && rc != -ESTALE) {
		out->doubtful = true;
		note_why(out->why, err_text());
		return;
	}
	if (known)
		take_record(&record, !rc, out);
	if (rc && !out->unproven)
		look_for_pending(guard, verdict, known ? record.checked_ms : 0, out);
}
