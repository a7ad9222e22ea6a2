/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the records in /run/nfsrdma say of a mount: what was requested. They never say what it is:
 * that is what mountinfo and mountstats show. */
#include "plugin/view/internal.h"

static void records_note_request(const struct record *record, struct view_note *out)
{
	out->wanted = view_is_rdma(record->wanted);
	out->lenient = record_is_lenient(record);
}

/* A helper was killed before it could record the mount. @since: when the mount's own record was
 * written; 0: there is none. */
static void records_note_pending(const struct view *view, const struct nfs_mount *mount,
				 uint64_t since, struct view_note *out)
{
	const struct record_source from = { .list = view->records,
					    .boot_id = view->boot_id };
	struct record record = { .id = 0 };
	int rc = record_find_pending(&from, mount->target, &record);

	if (rc == -ENOENT || rc == -ESTALE)
		return;
	if (rc)
		text_copy(out->lost, sizeof(out->lost), err_text());
	else if (record.checked_ms >= since &&
		 view_same_source(record.fs_spec, mount->fs_spec))
		records_note_request(&record, out);
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
	if (*view->records_unknown)
		text_copy(out->lost, sizeof(out->lost), view->records_unknown);
	if (!view->records)
		return;
	rc = record_find(&from, mount, view->now, 2 * RECORD_PERIOD_MS, &record);
	/* A record that is rejected as too old is still of that mount. */
	known = !rc || (rc == -ESTALE && record_is_of(&record, mount, view->now) &&
			!strcmp(record.boot_id, view->boot_id));
	if (rc && rc != -ENOENT && rc != -ESTALE) {
		text_copy(out->lost, sizeof(out->lost), err_text());
		return;
	}
	if (known)
		records_note_request(&record, out);
	if (rc)
		records_note_pending(view, mount, known ? record.checked_ms : 0, out);
}
