/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Known defects of kernels, and the one of them that a mount's counters show. */
#include <stdio.h>

#include "plugin/checks/internal.h"

/* Defects of NFS over RDMA and of software RDMA devices that kernels are known to have: from the
 * change logs of Linux's stable trees, as Debian's package "linux" collects them, and from the
 * stable trees' announcements (6.6, 6.12). A row is a tree, or all kernels between two releases.
 * Only what concerns a mount or a server that is in use: what the probe finds by itself is the
 * probe's (rpcrdma/probe). */

const struct defect defect_table[] = {
	/* part, from (included), until (the first that is fixed), text */
	/* From a11a2bf4 to 2b7bbc963da8, which 3.10.y and 3.14.y never got. First:
	 * defect_read_812. */
	{ DEFECT_CLIENT,
	  { 3, 7, 0 },
	  { 3, 15, 0 },
	  "the client cannot read more than 812 bytes from any server (bug.read-812)" },
	/* Until 412055398b9e. Second: stable_repairs. */
	{ DEFECT_SERVER,
	  { 4, 13, 0 },
	  { 5, 7, 0 },
	  "NFSv4 reads on file systems without splice come inline and break the connection" },
	/* From afc59400d6c6 to 7e4359e2611f. */
	{ DEFECT_SERVER,
	  { 3, 8, 0 },
	  { 3, 15, 0 },
	  "the first WRITE of a page or more over RDMA crashes the server" },
	{ DEFECT_SERVER,
	  { 2, 6, 25 },
	  { 3, 18, 0 },
	  "the server writes the padding of odd reads into the client's memory" },
	{ DEFECT_SERVER,
	  { 2, 6, 25 },
	  { 4, 6, 0 },
	  "the server writes what follows a READ into its Write chunk (NFSv4)" },
	{ DEFECT_CLIENT, { 5, 4, 0 }, { 5, 4, 13 }, "I/O may stall after a reconnect" },
	{ DEFECT_CLIENT, { 5, 8, 0 }, { 5, 8, 14 }, "I/O may stall after a reconnect" },
	{ DEFECT_CLIENT, { 5, 10, 0 }, { 5, 10, 26 }, "callbacks of NFSv4.1 are mistaken" },
	{ DEFECT_CLIENT, { 5, 14, 0 }, { 5, 14, 6 }, "I/O may stall after a reconnect" },
	{ DEFECT_CLIENT, { 5, 18, 0 }, { 5, 18, 5 }, "callbacks of NFSv4.1 are mistaken" },
	{ DEFECT_CLIENT, { 6, 1, 0 }, { 6, 1, 52 }, "I/O may stall after a reconnect" },
	{ DEFECT_CLIENT,
	  { 6, 1, 0 },
	  { 6, 1, 93 },
	  "the host may hang when an RDMA device goes away under a mount" },
	{ DEFECT_CLIENT, { 6, 1, 0 }, { 6, 1, 103 }, "calls are not reset after a reconnect" },
	{ DEFECT_CLIENT,
	  { 6, 1, 0 },
	  { 6, 1, 180 },
	  "calls wait when slots are short, and credits are not bounded" },
	/* "xprtrdma: Decrement re_receiving on the early exit paths", which repairs
	 * 15788d1d1077. */
	{ DEFECT_CLIENT,
	  { 6, 1, 0 },
	  { 6, 1, 167 },
	  "a mount may hang when its connection ends and memory is short" },
	{ DEFECT_CLIENT,
	  { 6, 6, 0 },
	  { 6, 6, 130 },
	  "a mount may hang when its connection ends and memory is short" },
	{ DEFECT_CLIENT,
	  { 6, 12, 0 },
	  { 6, 12, 78 },
	  "a mount may hang when its connection ends and memory is short" },
	/* "rpcrdma: fix handling for RDMA_CM_EVENT_DEVICE_REMOVAL" */
	{ DEFECT_CLIENT,
	  { 6, 6, 0 },
	  { 6, 6, 33 },
	  "the host may hang when an RDMA device goes away under a mount" },
	/* "xprtrdma: Fix rpcrdma_reqs_reset()" */
	{ DEFECT_CLIENT, { 6, 6, 0 }, { 6, 6, 44 }, "calls are not reset after a reconnect" },
	/* "svcrdma: return 0 on success from svc_rdma_copy_inline_range", "svcrdma: bound check
	 * rq_pages index in inline path" */
	{ DEFECT_SERVER,
	  { 6, 6, 0 },
	  { 6, 6, 120 },
	  "calls with several Read chunks may fail, or write outside of their pages" },
	{ DEFECT_SERVER,
	  { 6, 12, 0 },
	  { 6, 12, 64 },
	  "calls with several Read chunks may fail, or write outside of their pages" },
	/* "svcrdma: Reduce the number of rdma_rw contexts per-QP" */
	{ DEFECT_SERVER, { 6, 12, 0 }, { 6, 12, 34 }, "connections are refused on small adapters" },
	{ DEFECT_ROCE,
	  { 6, 1, 0 },
	  { 6, 1, 170 },
	  "GIDs are lost or remain when addresses or bonds change" },
	{ DEFECT_SERVER,
	  { 6, 1, 0 },
	  { 6, 1, 162 },
	  "data may be damaged after a failed RDMA Read" },
	{ DEFECT_SERVER, { 6, 1, 0 }, { 6, 1, 170 }, "connections are refused on small adapters" },
	{ DEFECT_SIW, { 6, 1, 0 }, { 6, 1, 55 }, "siw on lo or a tunnel has no GID" },
	{ DEFECT_SIW | DEFECT_RXE,
	  { 6, 1, 0 },
	  { 6, 1, 187 },
	  "software RDMA trusts packets from the network: do not let untrusted hosts reach it" },
	{ 0, { 0 }, { 0 }, NULL },
};

const struct defect *const defect_read_812 = &defect_table[0];

/* Of kernels "3.10.0-N.el7" the first N that has the fix, as Red Hat's sources show. SUSE fixed the
 * same in SLES 12 (bsc#908151); the first fixed number is unknown. */
static const struct {
	const struct defect *defect;
	unsigned int el7;
} vendor_repairs[] = {
	{ &defect_table[0], 514 },
};

/* Stable releases of a tree that may have the fix. 5.4.y did not on 10 August 2020, when
 * 412055398b9e was proposed for it and 5.4.57 was its newest release. */
static const struct {
	const struct defect *defect;
	unsigned int from[3], until[3];
} stable_repairs[] = {
	{ &defect_table[1], { 5, 4, 58 }, { 5, 5, 0 } },
};

static int defect_compare(const unsigned int a[3], const unsigned int b[3])
{
	size_t i;

	for (i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static bool defect_is_older(const unsigned int a[3], const unsigned int b[3])
{
	return defect_compare(a, b) < 0;
}

bool defect_in(const struct defect *defect, const unsigned int kernel[3])
{
	return defect_compare(kernel, defect->from) >= 0 &&
	       defect_compare(kernel, defect->until) < 0;
}

/* "3.10.0-514.el7.x86_64", not another vendor's of that number. */
static bool defect_el7_number(const char *release, unsigned int *out)
{
	return sscanf(release, "3.10.0-%5u.", out) == 1 && strstr(release, ".el7") &&
	       !strstr(release, "elrepo");
}

enum defect_presence defect_presence(const struct defect *defect, const struct host_system *system)
{
	unsigned int number;
	size_t i;

	if (!defect_in(defect, system->kernel))
		return DEFECT_ABSENT;
	for (i = 0; i < ARRAY_SIZE(stable_repairs); i++)
		if (stable_repairs[i].defect == defect &&
		    defect_compare(system->kernel, stable_repairs[i].from) >= 0 &&
		    defect_is_older(system->kernel, stable_repairs[i].until))
			return DEFECT_ABSENT;
	if (system->kernel_is_plain)
		return DEFECT_PRESENT;
	for (i = 0; i < ARRAY_SIZE(vendor_repairs); i++)
		if (vendor_repairs[i].defect == defect &&
		    defect_el7_number(system->release, &number))
			return number < vendor_repairs[i].el7 ? DEFECT_PRESENT : DEFECT_ABSENT;
	return DEFECT_POSSIBLE;
}

/* Known defects of the running kernel, as data (defects.c). A warning only where the version says
 * what is in the kernel; distributions with long-lived trees have repairs and defects of others
 * under their numbers. */

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

/* The first row of the stable tree that @kernel is of; NULL: the table does not follow it. */
static const struct defect *kernel_defects_tree(const unsigned int kernel[3])
{
	const struct defect *defect;

	for (defect = defect_table; defect->text; defect++)
		if (!memcmp(defect->from, kernel, 2 * sizeof(*kernel)) &&
		    !memcmp(defect->until, kernel, 2 * sizeof(*kernel)))
			return defect;
	return NULL;
}

/* "5.4, 6.1" */
static void kernel_defects_trees(struct words *trees)
{
	const struct defect *defect;

	for (defect = defect_table; defect->text; defect++)
		if (kernel_defects_tree(defect->from) == defect)
			words_add(trees, "%u.%u", defect->from[0], defect->from[1]);
}

int check_client_kernel_defects(struct check_run *run)
{
	const struct host_system *system;
	const struct rdma_devices *rdma;
	struct kernel_defects found = { 0 };
	struct words trees = { .separator = ", " };
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
	/* No row means no defect, but not in a vendor's kernel. */
	if (system->kernel_is_plain && kernel_defects_tree(system->kernel))
		return check_say(run, FINDING_PASS, "%s has no known defect",
				 kernel_defects_kernel(system, name));
	kernel_defects_trees(&trees);
	return check_say(run, FINDING_SKIP, "%s is not in our table, which has defects of Linux %s",
			 kernel_defects_kernel(system, name), words_text(&trees));
}

/* bug.read-812: whether this host's kernel client can read more than 812 bytes over NFS/RDMA. The
 * counters of a mount prove it either way (plugin/mounts/reads.c). Without such a mount there is
 * the kernel's version (defects.c), which is a hint: it is never more than a warning. */

static void read_812_by_counters(const struct nfs_mount *mount, struct finding *out)
{
	bool lost = reads_judge(&mount->reads) == READS_LOST;
	char text[READS_TEXT_MAX];

	finding_init(out, "bug.read-812", lost ? FINDING_FAIL : FINDING_PASS, "%s: %s%s",
		     mount->target,
		     lost ? "" : "this host's kernel delivers what it reads over RDMA: ",
		     reads_text(&mount->reads, text));
	if (lost)
		finding_reason(out, "lost");
	finding_text(out, "decided_by", "counters");
	finding_text(out, "target", "%s", mount->target);
	finding_text(out, "source", "%s", mount->fs_spec);
	reads_evidence(out, &mount->reads);
}

static void read_812_by_version(const struct host_system *system, struct finding *out)
{
	enum defect_presence presence = defect_presence(defect_read_812, system);
	static const char id[] = "bug.read-812";

	if (!*system->release) {
		finding_init(out, id, FINDING_UNKNOWN, "this host's kernel version is unknown");
		finding_reason(out, "no-version");
	} else if (presence == DEFECT_PRESENT) {
		finding_init(
			out, id, FINDING_WARN,
			"this host's kernel cannot read more than 812 bytes over NFS/RDMA, judged by its version, %s: no mount has enough READs to tell",
			system->release);
		finding_reason(out, "version");
	} else if (presence == DEFECT_POSSIBLE) {
		finding_init(
			out, id, FINDING_UNKNOWN,
			"this host's kernel %s may be unable to read more than 812 bytes over NFS/RDMA, unless its vendor fixed it; no mount has enough READs to tell",
			system->release);
		finding_reason(out, "vendor");
	} else {
		finding_init(out, id, FINDING_PASS,
			     "this host's kernel %s does not have it, by its version",
			     system->release);
	}
	finding_text(out, "decided_by", "version");
	if (*system->release)
		finding_text(out, "kernel", "%s", system->release);
}

void read_812_judge(const struct nfs_mounts *mounts, const struct host_system *system,
		    const char *spec, struct finding *out)
{
	const struct nfs_mount *mount = mounts ? reads_proof(mounts, spec) : NULL;

	if (mount)
		read_812_by_counters(mount, out);
	else
		read_812_by_version(system, out);
}

void read_812_find(const struct host *host, const char *spec, struct finding *out)
{
	struct nfs_mounts mounts = { 0 };
	struct host_system system;
	bool known = !host_nfs_mounts(host, &mounts);

	/* Without either there is less to judge by, and the finding says so. */
	if (host_system(host, &system))
		memset(&system, 0, sizeof(system));
	read_812_judge(known ? &mounts : NULL, &system, spec, out);
	if (known)
		host_nfs_mounts_fini(&mounts);
}

/* Whether this host's kernel client can read more than 812 bytes over NFS/RDMA, by the counters of
 * any of its mounts: also where a server is named, since the defect is not the server's. The
 * version is checked by client.kernel-defects. */
int check_bug_read_812(struct check_run *run)
{
	static const struct host_system unknown;
	const struct nfs_mounts *mounts;
	int rc = facts_mounts(run, &mounts);

	if (rc)
		return rc;
	if (!reads_proof(mounts, NULL))
		return mounts_check(run, MOUNT_READS);
	read_812_judge(mounts, &unknown, NULL, &run->finding);
	return 0;
}
