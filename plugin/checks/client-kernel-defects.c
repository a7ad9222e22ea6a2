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

/* What the kernel has, and may have. */
struct kernel_defects {
	unsigned int present, possible;
	const unsigned int *until; /* the first kernel without those that are present */
	bool unusable;             /* no file can be read */
};

/* An item of the list that the text has. */
static void kernel_defects_add(struct check_run *run, struct kernel_defects *out,
			       const struct defect *defect, bool possible)
{
	char key[32];

	snprintf(key, sizeof(key), "defect_%u", out->present + out->possible + 1);
	finding_text(&run->finding, key, "%s%s (fixed in %u.%u.%u)", possible ? "perhaps: " : "",
		     defect->text, defect->until[0], defect->until[1], defect->until[2]);
	if (possible)
		out->possible++;
	else
		out->present++;
	out->unusable = out->unusable || (!possible && defect == defect_read_812);
	if (!possible && (!out->until || defect_is_older(out->until, defect->until)))
		out->until = defect->until;
}

/* Those that are certain first. */
static void kernel_defects_collect(struct check_run *run, const struct host_system *system,
				   unsigned int parts, struct kernel_defects *out)
{
	static const enum defect_presence order[] = { DEFECT_PRESENT, DEFECT_POSSIBLE };
	const struct defect *defect;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		for (defect = defect_table; defect->text; defect++) {
			if (!(defect->part & parts) || defect_presence(defect, system) != order[i])
				continue;
			if (kernel_defects_disproved(run, defect))
				finding_text(&run->finding, "disproved_by_counters", "%s",
					     defect->text);
			else
				kernel_defects_add(run, out, defect, order[i] == DEFECT_POSSIBLE);
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

int check_client_kernel_defects(struct check_run *run)
{
	const struct host_system *system;
	const struct rdma_devices *rdma;
	struct kernel_defects found = { 0 };
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
	finding_text(&run->finding, "kernel", "%u.%u.%u", system->kernel[0], system->kernel[1],
		     system->kernel[2]);
	kernel_defects_collect(run, system, parts, &found);
	if (found.unusable)
		return check_say_why(run, FINDING_FAIL, "read-812", "%s: %s",
				     kernel_defects_kernel(system, name), defect_read_812->text);
	if (found.present)
		return check_say_why(run, FINDING_WARN, "known",
				     "%s has %u known defect%s, fixed in Linux %u.%u.%u",
				     kernel_defects_kernel(system, name), found.present,
				     found.present == 1 ? "" : "s", found.until[0], found.until[1],
				     found.until[2]);
	if (found.possible) {
		check_note(run);
		return check_say(
			run, FINDING_PASS,
			"the vendor of %s backports fixes; Linux of that version had %u known defect%s",
			system->release, found.possible, found.possible == 1 ? "" : "s");
	}
	if (system->kernel_is_plain)
		return check_say(run, FINDING_PASS, "%s has no known defect",
				 kernel_defects_kernel(system, name));
	return check_say(run, FINDING_PASS, "no known defect is certain in %s", system->release);
}
