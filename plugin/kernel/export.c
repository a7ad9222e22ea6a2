/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Beside a probe of a server: can this host's kernel read from it? Where the export is mounted over
 * RDMA on this host, a child reads a few ranges through that mount, within a second. Else counters
 * of mounts decide, else the kernel's version. The server has answered the probe before, so it is
 * up; if it is not, only the child waits for it. */
#include <stdio.h>

#include "plugin/checks/checks.h"
#include "plugin/host/text.h"
#include "plugin/kernel/internal.h"
#include "plugin/kernel/quick.h"
#include "plugin/mounts/mounts.h"

#define ALL_MS     1000
#define RESOLVE_MS 500
#define ADDRESSES  8

/* On both sides of where clients switch to Write chunks. */
static const uint32_t export_lengths[] = { 788, 812, 1024, 4096, 65536 };

struct export_reads {
	const struct nfs_mount *mount;
	const char *below;
	struct kernel_quick read;
};

static bool export_is_of_server(const struct nfs_mount *mount,
				const struct transport_address *addresses, size_t count)
{
	char text[64];
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(transport_host_text(&addresses[i], text, sizeof(text)), mount->addr))
			return true;
	return false;
}

/* The last mount over RDMA whose directory of the server is @path, or above it. */
static void export_find_mount(struct export_reads *q, const struct nfs_mounts *mounts,
			      const char *host, const char *path, uint64_t deadline)
{
	struct transport_address addresses[ADDRESSES];
	unsigned int i;
	int count;

	count = transport_resolve(host, 0, addresses, ADDRESSES,
				  deadline_min(deadline, deadline_in(RESOLVE_MS)));
	if (count < 0)
		return;
	for (i = 0; i < mounts->count; i++) {
		const struct nfs_mount *mount = &mounts->list[i];
		const char *export = strstr(mount->fs_spec, ":/");
		const char *below;

		if (!export || strcmp(mount->fs_root, "/") != 0 || !view_is_rdma(mount->proto))
			continue;
		below = text_below(export + 1, path);
		if (!below || !export_is_of_server(mount, addresses, (size_t)count))
			continue;
		q->mount = mount;
		q->below = below;
	}
}

/* False: the reads do not decide it. */
static bool export_decide(const struct export_reads *q, bool server_right, struct finding *f)
{
	/* The most that those kernels read, inline, with NFSv3 and NFSv4. Other kernels switch to
	 * Write chunks above that, and only what was read is known. */
	bool limit = q->read.largest_right == 788 || q->read.largest_right == 812;

	if (q->read.tried < ARRAY_SIZE(export_lengths) || q->read.otherwise)
		return false;
	if (q->read.right == q->read.tried) {
		finding_init(f, "bug.read-812", FINDING_PASS,
			     "this host's kernel reads long replies through %s", q->mount->target);
	} else if (server_right && q->read.largest_right < q->read.smallest_lost) {
		finding_init(
			f, "bug.read-812", FINDING_FAIL,
			"this host's kernel cannot read %s%u bytes over NFS/RDMA: through %s such a read fails with an input/output error, and this probe gets the same data correctly; the cause is this host's kernel, not the server",
			limit ? "more than " : "",
			limit ? q->read.largest_right : q->read.smallest_lost, q->mount->target);
		finding_reason(f, "lost");
	} else {
		return false;
	}
	finding_text(f, "decided_by", "reading");
	finding_text(f, "target", "%s", q->mount->target);
	finding_number(f, "largest_right", q->read.largest_right);
	if (q->read.smallest_lost)
		finding_number(f, "smallest_lost", q->read.smallest_lost);
	return true;
}

void kernel_of_export(const char *host_name, const char *path, bool server_right, uint64_t deadline,
		      struct finding *out)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	struct nfs_mounts mounts = { 0 };
	struct export_reads q = { 0 };
	struct kernel_quick_request request = { .lengths = export_lengths,
						.nlengths = ARRAY_SIZE(export_lengths) };

	if (host_open(&host, NULL)) {
		finding_init(out, "bug.read-812", FINDING_UNKNOWN, "%s", err_text());
		finding_reason(out, err_reason());
		return;
	}
	if (path && !host_nfs_mounts(host, &mounts))
		export_find_mount(&q, &mounts, host_name, path, deadline);
	if (q.mount) {
		request.target = q.mount->target;
		request.dev = q.mount->dev;
		request.path = q.below;
		request.ms = min_u32(ALL_MS, (uint32_t)deadline_left(deadline));
		kernel_quick_read(&request, &q.read);
	}
	if (!export_decide(&q, server_right, out))
		read_812_find(host, q.mount ? q.mount->fs_spec : NULL, out);
	if (q.read.left)
		finding_number(out, "process_left", q.read.left);
	host_nfs_mounts_fini(&mounts);
}
