/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Defects of NFS over RDMA and of software RDMA devices that kernels are known to have: from the
 * change logs of Linux's stable trees, as Debian's package "linux" collects them, and from the stable
 * trees' announcements (6.6, 6.12). A row is a tree, or all kernels between two releases. Only what
 * concerns a mount or a server that is in use: what the probe finds by itself is the probe's
 * (rpcrdma/probe). */
#include <stdio.h>

#include "plugin/checks/internal.h"

const struct defect defect_table[] = {
	/* part, from (included), until (the first that is fixed), text */
	/* From a11a2bf4 to 2b7bbc963da8, which 3.10.y and 3.14.y never got. First: defect_read_812. */
	{ DEFECT_CLIENT,
	  { 3, 7, 0 },
	  { 3, 15, 0 },
	  "the client cannot read more than 812 bytes from any server (bug.read-812)" },
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
	{ DEFECT_SERVER,
	  { 4, 13, 0 },
	  { 4, 17, 0 },
	  "NFSv4 reads on file systems without splice come inline and break the connection" },
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
	/* "xprtrdma: Decrement re_receiving on the early exit paths", which repairs 15788d1d1077. */
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
	/* "svcrdma: return 0 on success from svc_rdma_copy_inline_range", "svcrdma: bound check rq_pages
	 * index in inline path" */
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

/* Of kernels "3.10.0-N.el7" the first N that has the fix, as Red Hat's sources show. SUSE fixed the same
 * in SLES 12 (bsc#908151); the first fixed number is unknown. */
static const struct {
	const struct defect *defect;
	unsigned int el7;
} vendor_repairs[] = {
	{ &defect_table[0], 514 },
};

static int defect_compare(const unsigned int a[3], const unsigned int b[3])
{
	size_t i;

	for (i = 0; i < 3; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

bool defect_is_older(const unsigned int a[3], const unsigned int b[3])
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
	if (system->kernel_is_plain)
		return DEFECT_PRESENT;
	for (i = 0; i < ARRAY_SIZE(vendor_repairs); i++)
		if (vendor_repairs[i].defect == defect &&
		    defect_el7_number(system->release, &number))
			return number < vendor_repairs[i].el7 ? DEFECT_PRESENT : DEFECT_ABSENT;
	return DEFECT_POSSIBLE;
}
