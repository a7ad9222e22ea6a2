/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A mount can be over RDMA and not readable: kernels 3.7 to 3.14 lose every reply that is not inline
 * (bug.read-812). So a child reads 4096 bytes of a quiet file through the new mount, within two
 * seconds. The result is a warning at most: the mount stays, also if the read hangs. */
#include "mount-helper/internal.h"
#include "plugin/kernel/quick.h"
#include "plugin/report/shell.h"

#define READING_MS 2000

bool reading_warns(struct helper *helper, const struct proof *proof)
{
	static const uint32_t length = 4096;
	const struct kernel_quick_place place = { .target = helper->dir,
						  .dev = proof->dev,
						  .path = "",
						  .lengths = &length,
						  .nlengths = 1,
						  .ms = READING_MS };
	struct kernel_quick read;
	struct finding finding;

	kernel_quick_read(&place, &read);
	debug(DEBUG_MOUNT, "%s: %u READ of %u bytes, %u right%s", tell_mount(helper),
	      read.tried, length, read.right, read.left ? "; it does not end" : "");
	if (!read.smallest_lost)
		return false;
	finding_init(
		&finding, "bug.read-812", FINDING_WARN,
		"reading %u bytes from it fails with an input/output error; run 'nfsrdma probe --mount %s' before you put guests' disks there",
		length, SHELL_WORD(helper->dir));
	finding_reason(&finding, "lost");
	finding_text(&finding, "decided_by", "reading");
	report_add(helper->report, &finding);
	tell(helper, JOURNAL_WARNING, "WARNING: %s is mounted over RDMA, but %s",
	     tell_mount(helper), finding.summary);
	return true;
}
