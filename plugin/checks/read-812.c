/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* bug.read-812: whether this host's kernel client can read more than 812 bytes over NFS/RDMA. The
 * counters of a mount prove it either way (plugin/mounts/reads.c). Without such a mount there is
 * the kernel's version (defects.c), which is a hint: it is never more than a warning. */
#include "plugin/checks/internal.h"

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
