/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the records in /run/nfsrdma say of a mount: what was requested, and whether it is
 * proven. */
#include "plugin/view/internal.h"

/* By then a helper has examined its mount, or never will. */
#define EXAMINED_MS RECORD_PERIOD_MS

static void records_note_state(const struct record *record, bool believed,
			       struct view_note *out)
{
	out->wanted = view_is_rdma(record->wanted);
	out->lenient = record_is_lenient(record);
	out->unproven = record->state == RECORD_UNPROVEN ||
			(believed && record->state == RECORD_TCP);
	if (out->unproven)
		text_copy(out->why, sizeof(out->why),
			  record->state == RECORD_TCP ? "its record says TCP"
						      : "its record says unproven");
}

/* @since: when the mount's own record was written; 0: there is none. */
static void records_note_pending(const struct view *view, const struct nfs_mount *mount,
				 uint64_t since, struct view_note *out)
{
	uint64_t age = mount->age * 1000;
	const struct record_source from = { .list = view->records,
					    .boot_id = view->boot_id };
	struct record record = { .id = 0 };
	int rc = record_find_pending(&from, mount->target, &record);

	if (rc == -ENOENT || rc == -ESTALE)
		return;
	if (rc) {
		out->doubtful = true;
		text_copy(out->why, sizeof(out->why), err_text());
		return;
	}
	if (since && record.checked_ms < since)
		return;
	/* A helper that began before this mount was made did not make it, or was killed long ago;
	 * and the kernel itself reports the transport. */
	if (view_run(mount) == RUN_RDMA && age >= EXAMINED_MS && age < view->now &&
	    record.checked_ms < view->now - age)
		return;
	out->unproven = true;
	text_copy(out->why, sizeof(out->why),
		  "a mount began there, and its result is unknown");
	if (!strcmp(record.fs_spec, mount->fs_spec))
		out->wanted |= view_is_rdma(record.wanted);
}

void records_note(const struct view *view, unsigned int index, struct view_note *out)
{
	const struct nfs_mount *mount = &view->nfs->list[index];
	const struct record_source from = { .list = view->records,
					    .boot_id = view->boot_id };
	struct record record = { .id = 0 };
	bool known;
	int rc;

	*out = (struct view_note){ .wanted = false };
	if (*view->records_unknown) {
		out->doubtful = true;
		text_copy(out->why, sizeof(out->why), view->records_unknown);
	}
	if (!view->records)
		return;
	rc = record_find(&from, mount, view->now, 2 * RECORD_PERIOD_MS, &record);
	/* A record that is rejected as too old is still of that mount. */
	known = !rc || (rc == -ESTALE && record_is_of(&record, mount, view->now) &&
			!strcmp(record.boot_id, view->boot_id));
	if (rc && rc != -ENOENT && rc != -ESTALE) {
		out->doubtful = true;
		text_copy(out->why, sizeof(out->why), err_text());
		return;
	}
	if (known)
		records_note_state(&record, !rc, out);
	if (rc && !out->unproven)
		records_note_pending(view, mount, known ? record.checked_ms : 0, out);
}
