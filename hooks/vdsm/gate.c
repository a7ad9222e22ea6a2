/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The points at which a guest, or a disk, can be refused. Each gets libvirt's XML of a guest or of
 * one disk, in a file that is only read. VDSM shows the administrator the stderr of the last script
 * of the hook point. */
#include "hooks/vdsm/internal.h"
#include "plugin/libvirt/libvirt.h"

void vdsm_gate_xml(const struct vdsm_call *call, struct hook_answer *out)
{
	_cleanup_(domain_disks_fini) struct domain_disks disks = { .count = 0 };
	_cleanup_(host_close_p) struct host *host = NULL;
	_cleanup_free_ char *text = NULL;
	struct hook_guest guest = { .who = VDSM_WHO, .disks = &disks };
	size_t len;

	if (vdsm_input_read(call, DOMAIN_XML_MAX, &text, &len) ||
	    domain_disks_parse(&disks, text, len) || host_open(&host, call->root)) {
		vdsm_failed(out);
		return;
	}
	if (!disks.count)
		return;
	guest.name = call->guest ? call->guest : disks.name;
	guest.host = host;
	if (hook_guest_ask(&guest, out))
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
