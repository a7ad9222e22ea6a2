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
	const struct record_source from = { .list = view->records, .boot_id = view->boot_id };
	struct record record = { .id = 0 };
	int rc = record_find_pending(&from, mount->target, &record);

	if (rc == -ENOENT || rc == -ESTALE)
		return;
	if (rc)
		text_copy(out->lost, sizeof(out->lost), err_text());
	else if (record.checked_ms >= since && view_same_source(record.fs_spec, mount->fs_spec))
		records_note_request(&record, out);
}

void records_note(const struct view *view, unsigned int index, struct view_note *out)
{
	const struct nfs_mount *mount = &view->nfs->list[index];
	const struct record_source from = { .list = view->records, .boot_id = view->boot_id };
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

/* --- where nothing is mounted ------------------------------------------------------------ */

static bool records_is_pending(const struct view *view, const struct record *record)
{
	return !record->id && record->state == RECORD_UNPROVEN && *view->boot_id &&
	       !strcmp(record->boot_id, view->boot_id);
}

int records_places(const struct view *view, struct view_places *out)
{
	char file[RECORD_PATH_MAX];
	size_t i;
	int rc = 0;

	for (i = 0; !rc && view->records && i < view->records->count; i++) {
		const struct record *record = &view->records->list[i];
		struct view_place place = { .kind = PLACE_PENDING,
					    .target = (char *)record->target,
					    .fs_spec = (char *)record->fs_spec,
					    .name = file,
					    .asked = ASKED_RDMA,
					    .expected = true,
					    .by = "an unfinished mount" };

		if (!records_is_pending(view, record) || !view_is_rdma(record->wanted))
			continue;
		record_pending_path(record->target, file);
		place.force = record_is_lenient(record) ? FORCE_PREFER : FORCE_NONE;
		rc = view_places_add(out, &place);
	}
	return rc;
}

void view_settle(const struct view *view)
{
	_cleanup_close_ int folder = -1;
	unsigned int i;
	size_t j;

	for (j = 0; view->records && j < view->records->count; j++) {
		const struct record *record = &view->records->list[j];

		for (i = 0; records_is_pending(view, record) && i < view->nfs->count; i++) {
			const struct nfs_mount *mount = &view->nfs->list[i];

			if (strcmp(record->target, mount->target) != 0 ||
			    !view_same_source(record->fs_spec, mount->fs_spec))
				continue;
			if (folder < 0)
				folder = record_open(RECORD_ROOT);
			if (folder >= 0 &&
			    record_settle(folder, record, mount,
					  view_run_is_rdma(view_run(mount)) ? RECORD_PROVEN
									    : RECORD_TCP))
				debug(DEBUG_GATE, "%s: %s", mount->target, err_text());
		}
	}
}
