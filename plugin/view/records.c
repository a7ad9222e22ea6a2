/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the records in /run/nfsrdma say of a mount: what was requested, and whether it is
 * proven. */
#include "plugin/view/internal.h"

/* By then a helper has examined its mount, or never will. */
#define LOOKED_AT_MS RECORD_PERIOD_MS

static void note_why(char why[256], const char *text)
{
	text_copy(why, 256, text);
}

/* A record that is rejected as too old is still of that mount. */
static bool is_of(const struct view *view, const struct record *record,
		  const struct nfs_mount *mount)
{
	return record_is_of(record, mount, view->now) &&
	       !strcmp(record->boot_id, view->boot_id);
}

static void take_record(const struct record *record, bool believed, struct view_note *out)
{
	out->wanted = view_is_rdma(record->wanted);
	out->lenient = record_is_lenient(record);
	out->unproven = record->state == RECORD_UNPROVEN ||
			(believed && record->state == RECORD_TCP);
	if (out->unproven)
		note_why(out->why, record->state == RECORD_TCP
					   ? "its record says TCP"
					   : "its record says unproven");
}

/* A helper that began before this mount was made did not make it, or was killed long ago;
 * and the kernel itself reports the transport. */
static bool is_over(const struct view *view, const struct nfs_mount *mount,
		    const struct record *pending)
{
	uint64_t age = mount->age * 1000;

	return view_run(mount) == RUN_RDMA && age >= LOOKED_AT_MS && age < view->now &&
	       pending->checked_ms < view->now - age;
}

/* @since: when the mount's own record was written; 0: there is none. */
static void look_for_pending(const struct view *view, const struct nfs_mount *mount,
			     uint64_t since, struct view_note *out)
{
	struct record record = { .id = 0 };
	int rc = record_list_find_pending(view->records, view->boot_id, mount->target,
					  &record);

	if (rc == -ENOENT || rc == -ESTALE)
		return;
	if (rc) {
		out->doubtful = true;
		note_why(out->why, err_text());
		return;
	}
	if ((since && record.checked_ms < since) || is_over(view, mount, &record))
		return;
	out->unproven = true;
	note_why(out->why, "a mount began there, and its result is unknown");
	if (!strcmp(record.fs_spec, mount->fs_spec))
		out->wanted |= view_is_rdma(record.wanted);
}

void records_note(const struct view *view, unsigned int index, struct view_note *out)
{
	const struct nfs_mount *mount = &view->nfs->list[index];
	struct record record = { .id = 0 };
	bool known;
	int rc;

	*out = (struct view_note){ .wanted = false };
	if (*view->records_unknown) {
		out->doubtful = true;
		note_why(out->why, view->records_unknown);
	}
	if (!view->records)
		return;
	rc = record_list_find(view->records, view->boot_id, mount, view->now,
			      2 * RECORD_PERIOD_MS, &record);
	known = !rc || (rc == -ESTALE && is_of(view, &record, mount));
	if (rc && rc != -ENOENT && rc != -ESTALE) {
		out->doubtful = true;
		note_why(out->why, err_text());
		return;
	}
	if (known)
		take_record(&record, !rc, out);
	if (rc && !out->unproven)
		look_for_pending(view, mount, known ? record.checked_ms : 0, out);
}
