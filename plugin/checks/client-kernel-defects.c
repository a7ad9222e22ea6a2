/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Known defects of the running kernel, as data (defects.c). A warning only where the version says
 * what is in the kernel; distributions with long-lived trees have repairs and defects of others
 * under their numbers. */
#include <stdio.h>

#include "plugin/checks/internal.h"

static unsigned int kernel_defects_parts(const struct rdma_devices *rdma)
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

/* Whether a mount's counters prove that it is not there: vendors, and people, repair kernels. */
static bool kernel_defects_disproved(struct check_run *run, const struct defect *defect)
{
	const struct nfs_mounts *mounts;
	const struct nfs_mount *proof;

	if (defect != defect_read_812 || facts_mounts(run, &mounts))
		return false;
	proof = reads_proof(mounts, NULL);
	return proof && reads_judge(&proof->reads) == READS_WHOLE;
}

static void kernel_defects_collect(struct check_run *run,
				   const struct host_system *system, unsigned int parts,
				   struct words words[])
{
	const struct defect *defect;
	enum defect_presence presence;

	for (defect = defect_table; defect->text; defect++) {
		presence = defect_presence(defect, system);
		if (!(defect->part & parts) || presence == DEFECT_ABSENT)
			continue;
		if (kernel_defects_disproved(run, defect))
			finding_text(&run->finding, "disproved_by_counters", "%s",
				     defect->text);
		else
			words_add(&words[presence], "%s", defect->text);
	}
}

static const char *kernel_defects_kernel(const struct host_system *system, char name[128])
{
	if (!system->kernel_is_plain)
		return system->release;
	snprintf(name, 128, "Linux %u.%u.%u", system->kernel[0], system->kernel[1],
		 system->kernel[2]);
	return name;
}

static int kernel_defects_check_run(struct check_run *run)
{
	const struct host_system *system;
	const struct rdma_devices *rdma;
	struct words words[] = { [DEFECT_POSSIBLE] = { .separator = "; " },
				 [DEFECT_PRESENT] = { .separator = "; " } };
	struct words *possible = &words[DEFECT_POSSIBLE];
	char name[128];
	unsigned int parts;
	int rc = facts_system(run, &system);

	if (!rc)
		rc = facts_rdma(run, &rdma);
	if (rc)
		return rc;
	parts = kernel_defects_parts(rdma);
	if (run->target->roles & CHECK_CLIENT)
		parts |= DEFECT_CLIENT;
	if (run->target->roles & CHECK_SERVER)
		parts |= DEFECT_SERVER;
	finding_text(&run->finding, "kernel", "%u.%u.%u", system->kernel[0],
		     system->kernel[1], system->kernel[2]);
	kernel_defects_collect(run, system, parts, words);
	if (words[DEFECT_PRESENT].count)
		return check_say_why(
			run, FINDING_WARN, "known", "%s: %s%s%s",
			kernel_defects_kernel(system, name),
			words_text(&words[DEFECT_PRESENT]),
			possible->count ? "; Linux of that version also had: " : "",
			possible->count ? words_text(possible) : "");
	if (possible->count) {
		check_note(run);
		return check_say(
			run, FINDING_PASS,
			"the vendor of %s backports fixes; Linux of that version had: %s",
			system->release, words_text(possible));
	}
	if (system->kernel_is_plain)
		return check_say(run, FINDING_PASS, "%s has no known defect",
				 kernel_defects_kernel(system, name));
	return check_say(run, FINDING_PASS, "no known defect is certain in %s",
			 system->release);
}

const struct check check_client_kernel_defects = {
	.id = "client.kernel-defects",
	.roles = CHECK_BOTH,
	.needs = { "client.module", "client.device", "server.module", "server.device" },
	.run = kernel_defects_check_run,
};
