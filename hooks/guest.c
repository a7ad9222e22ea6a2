/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The disks of a guest's XML, for the gate. Nothing calls libvirt, which waits for its hook: pools are
 * read from libvirt's files. */
#include <stdio.h>

#include "hooks/hook.h"
#include "plugin/libvirt/libvirt.h"

static void hook_guest_free_names(char ***names)
{
	size_t i;

	for (i = 0; *names && (*names)[i]; i++)
		free((*names)[i]);
	free(*names);
}

int hook_guest_ask(const struct hook_guest *guest, struct hook_answer *out)
{
	size_t n = guest->disks->count, i;
	_cleanup_(view_places_fini) struct view_places places = { 0, NULL };
	_cleanup_(hook_guest_free_names) char **names = calloc(n + 1, sizeof(*names));
	_cleanup_free_ struct guard_disk *disks = calloc(n + 1, sizeof(*disks));
	struct guard_sources sources = { .host = guest->host, .places = &places, .now = now_ms() };
	bool pools = guest->of_libvirt;
	char unknown[ERR_TEXT_MAX];
	struct guard *guard;
	int rc;

	for (i = 0; names && disks && i < n; i++) {
		const struct domain_disk *disk = &guest->disks->list[i];
		/* "vda", or for a backing file "vda, backing file 2". */
		int len = guest->of_libvirt && disk->depth
				  ? asprintf(&names[i], "%s, backing file %u", disk->device,
					     disk->depth)
				  : asprintf(&names[i], "%s", disk->device);

		if (len < 0)
			names[i] = NULL;
		if (!names[i])
			break;
		disks[i] = domain_disk_guard(disk);
		disks[i].name = names[i];
		pools = pools || disk->pool;
	}
	if (!names || !disks || i < n)
		return err_no_memory();
	/* If pools cannot be read, other sources still count. */
	if (pools)
		sources.places_unknown = pool_places_gap(guest->host, &places, unknown);
	rc = guard_open(&guard, &sources);
	if (rc)
		return rc;
	hook_ask(guard, &(struct hook_disks){ guest->who, guest->name, disks, n }, out);
	guard_close(guard);
	return 0;
}
