/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The points at which a guest, or a disk, can be refused. Each gets libvirt's XML of a guest or of
 * one disk, in a file that is only read. VDSM shows the administrator the stderr of the last script
 * of the hook point. */
#include "hooks/vdsm/internal.h"
#include "plugin/libvirt/libvirt.h"

static int ask(const struct vdsm_call *call, const char *guest,
	       const struct guard_sources *sources, const struct guard_disk *disks,
	       size_t ndisks, struct hook_answer *out)
{
	struct guard *guard;
	int rc = guard_open(&guard, sources);

	if (rc)
		return rc;
	hook_ask(VDSM_WHO, call->guest ? call->guest : guest, guard, disks, ndisks, out);
	guard_close(guard);
	return 0;
}

/* Storage pools of libvirt, which VDSM does not use, but an earlier hook may: read only if a disk is
 * in one. Their files belong to root, so a volume is mostly unknown here. */
static void find_pools(const struct host *host, const struct domain_disks *disks,
		       struct view_places *places, struct guard_sources *sources,
		       char why[ERR_TEXT_MAX])
{
	size_t i;

	for (i = 0; i < disks->count; i++)
		if (disks->list[i].pool)
			break;
	sources->places = places;
	if (i < disks->count)
		sources->places_unknown = pool_places_gap(host, places, why);
}

static int ask_disks(const struct vdsm_call *call, const struct host *host,
		     const struct domain_disks *disks, struct hook_answer *out)
{
	_cleanup_(view_places_fini) struct view_places places = { 0, NULL };
	_cleanup_free_ struct guard_disk *list = calloc(disks->count, sizeof(*list));
	struct guard_sources sources = { .host = host, .now = now_ms() };
	char why[ERR_TEXT_MAX];
	size_t i;

	if (!list)
		return err_set(ENOMEM, "no memory for disks");
	for (i = 0; i < disks->count; i++)
		list[i] = (struct guard_disk){ .name = disks->list[i].device,
					       .path = disks->list[i].path,
					       .pool = disks->list[i].pool,
					       .volume = disks->list[i].volume,
					       .optional = disks->list[i].optional };
	find_pools(host, disks, &places, &sources, why);
	return ask(call, disks->name, &sources, list, disks->count, out);
}

void vdsm_gate_xml(const struct vdsm_call *call, struct hook_answer *out)
{
	_cleanup_(domain_disks_fini) struct domain_disks disks = { .count = 0 };
	_cleanup_(vdsm_input_fini) struct vdsm_input input = { .folder = -1 };
	_cleanup_(host_close_p) struct host *host = NULL;
	int rc = vdsm_input_read(call, DOMAIN_XML_MAX, &input);

	rc = rc ? rc : domain_disks_parse(&disks, input.text, input.len);
	rc = rc ? rc : host_open(&host, call->root);
	if (!rc && disks.count)
		rc = ask_disks(call, host, &disks, out);
	if (rc)
		vdsm_failed(out);
}

/* A refusal would cost the guest its memory. VDSM reports the restore to the engine before it calls
 * a hook; from then on the engine treats the saved memory as used: if the restore fails, it starts
 * the guest without it, on another host, and removes the memory (RunVmCommand.java,
 * memoryFromSnapshotUsed). */
void vdsm_gate_restore(const struct vdsm_call *call, struct hook_answer *out)
{
	hook_spare(out, "not refused, because the guest is restored");
	vdsm_gate_xml(call, out);
}
