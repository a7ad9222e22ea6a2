/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether this host's kernel delivers the data that its READs receive over RDMA: pure. The
 * only code that decides it by counters; see also plugin/checks/defects.c.
 *
 * The NFS/RDMA client of Linux 3.7 to 3.14 drops the data of each READ that the server sent
 * by RDMA Write ("SUNRPC: Fix large reads on NFS/RDMA", 2b7bbc963da8, fixes it): the
 * transport counts the bytes, NFS gets none of them, and the READ is short without an end
 * of file. Each of these alone is legal: servers may return less than requested, and
 * headers count as bytes, too. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

/* Fewer READs allow no verdict. */
#define READS_LEAST 10
/* The maximum of headers in a reply: RPC, and for NFSv4.1 SEQUENCE and PUTFH, with
 * Kerberos' checksums. */
#define HEADERS_MAX 512
/* RPCRDMA_MAX_INLINE of those kernels: no READ without RDMA Write was longer. */
#define INLINE_MAX 3068

/* The bytes received, less the longest possible headers of each reply. */
static uint64_t reads_data_at_least(const struct nfs_reads *reads)
{
	uint64_t headers;

	if (__builtin_mul_overflow(reads->calls, HEADERS_MAX, &headers) ||
	    headers > reads->received)
		return 0;
	return reads->received - headers;
}

enum reads_state reads_judge(const struct nfs_reads *reads)
{
	if (reads->broken || !reads->has_events || !reads->has_bytes || !reads->has_calls)
		return READS_UNKNOWN;
	if (reads->calls < READS_LEAST)
		return READS_FEW;
	/* A mount's own calls do not include those to pNFS data servers. */
	if (reads->shorts > reads->calls || reads->bytes > reads->received)
		return READS_UNCLEAR;
	if (reads->shorts > reads->calls / 2 && reads->bytes < reads_data_at_least(reads) / 2)
		return READS_LOST;
	/* At least one was longer than a READ without RDMA Write can be. */
	if (reads->bytes / reads->calls > INLINE_MAX)
		return READS_WHOLE;
	return READS_UNCLEAR;
}

/* --- words -------------------------------------------------------------------------- */

const char *reads_text(const struct nfs_reads *reads, char text[READS_TEXT_MAX])
{
	enum reads_state state = reads_judge(reads);

	if (state == READS_UNKNOWN)
		snprintf(text, READS_TEXT_MAX, "mountstats %s",
			 reads->broken ? "has a count of READs that is no number, or too large"
				       : "does not count READs");
	else if (state == READS_FEW)
		snprintf(text, READS_TEXT_MAX, "%" PRIu64 " READ%s; %u are needed", reads->calls,
			 reads->calls == 1 ? "" : "s", READS_LEAST);
	else
		snprintf(
			text, READS_TEXT_MAX,
			"%s%" PRIu64 " of %" PRIu64 " READs were short, and %" PRIu64 " of %" PRIu64
			" bytes received were delivered%s",
			state == READS_LOST
				? "this host's kernel cannot read more than 812 bytes over NFS/RDMA: "
				: "",
			reads->shorts, reads->calls, reads->bytes, reads->received,
			state == READS_LOST
				? "; the defect is in this host's kernel, not in the server; update this host's kernel, or mount over TCP"
				: "");
	return text;
}

void reads_evidence(struct finding *finding, const struct nfs_reads *reads)
{
	if (reads_judge(reads) == READS_UNKNOWN)
		return;
	finding_number(finding, "reads", (double)reads->calls);
	finding_number(finding, "reads_short", (double)reads->shorts);
	finding_number(finding, "read_bytes_received", (double)reads->received);
	finding_number(finding, "read_bytes_delivered", (double)reads->bytes);
}

/* --- mounts ------------------------------------------------------------------------- */

const struct nfs_mount *reads_proof(const struct nfs_mounts *mounts, const char *spec)
{
	static const enum reads_state order[] = { READS_LOST, READS_WHOLE };
	const struct nfs_mount *mount, *found = NULL;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(order) && !found; i++) {
		for (j = 0; j < mounts->count; j++) {
			mount = &mounts->list[j];
			if (view_run(mount) != RUN_RDMA || reads_judge(&mount->reads) != order[i])
				continue;
			if (!found || (spec && !strcmp(mount->fs_spec, spec)))
				found = mount;
		}
	}
	return found;
}

void mounts_judge_reads(const struct mounts_audit *audit, struct mount_opinion *out)
{
	static const enum finding_status statuses[] = {
		[READS_UNKNOWN] = FINDING_UNKNOWN, [READS_FEW] = FINDING_SKIP,
		[READS_UNCLEAR] = FINDING_SKIP,    [READS_WHOLE] = FINDING_PASS,
		[READS_LOST] = FINDING_FAIL,
	};
	const struct nfs_mount *mount = audit->verdicts[audit->index].mount;
	enum reads_state state = reads_judge(&mount->reads);
	char text[READS_TEXT_MAX];

	if (view_run(mount) == RUN_RDMA)
		mounts_say_why(out, statuses[state],
			       state == READS_LOST      ? "lost"
			       : state == READS_UNKNOWN ? "not-counted"
							: NULL,
			       "%s", reads_text(&mount->reads, text));
	else
		mounts_say(out, FINDING_SKIP, "not over RDMA");
}
