/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Known defects of the running kernel, as data (defects.c). A warning only where the version says
 * what is in the kernel; distributions with long-lived trees have repairs and defects of others
 * under their numbers. */
#include "plugin/checks/internal.h"

static unsigned int drivers_of(const struct rdma_devices *rdma)
{
	unsigned int i, drivers = 0;

	for (i = 0; i < rdma->count; i++) {
		if (!strcmp(rdma->list[i].driver, "siw"))
			drivers |= DEFECT_SIW;
		if (!strcmp(rdma->list[i].driver, "rdma_rxe"))
			drivers |= DEFECT_RXE;
		if (rdma->list[i].kind == RDMA_ROCE)
			drivers |= DEFECT_ROCE;
	}
	return drivers;
}

static int run_check(struct check_run *run)
{
	const struct host_system *system;
	const struct rdma_devices *rdma;
	const struct defect *defect;
	struct words words = { .separator = "; " };
	unsigned int parts;
	int rc = facts_system(run, &system);

	rc = rc ? rc : facts_rdma(run, &rdma);
	if (rc)
		return rc;
	parts = drivers_of(rdma);
	if (run->target->roles & CHECK_CLIENT)
		parts |= DEFECT_CLIENT;
	if (run->target->roles & CHECK_SERVER)
		parts |= DEFECT_SERVER;
	finding_text(&run->finding, "kernel", "%u.%u.%u", system->kernel[0],
		     system->kernel[1], system->kernel[2]);
	for (defect = defect_table; defect->text; defect++)
		if ((defect->part & parts) && defect_in(defect, system->kernel))
			words_add(&words, "%s", defect->text);
	if (!words.count && system->kernel_is_plain)
		return check_say(run, FINDING_PASS, "none is known of Linux %u.%u.%u",
				 system->kernel[0], system->kernel[1], system->kernel[2]);
	if (!words.count)
		return check_say(run, FINDING_PASS, "none is known that %s must have",
				 system->release);
	if (system->kernel_is_plain)
		return check_say(run, FINDING_WARN, "Linux %u.%u.%u: %s",
				 system->kernel[0], system->kernel[1], system->kernel[2],
				 words_text(&words));
	check_note(run);
	return check_say(
		run, FINDING_PASS,
		"%s carries repairs under a number of its own; Linux of that number had: %s",
		system->release, words_text(&words));
}

const struct check check_client_kernel_defects = {
	.id = "client.kernel-defects",
	.roles = CHECK_BOTH,
	.needs = { "client.module", "client.device", "server.module", "server.device" },
	.run = run_check,
};
