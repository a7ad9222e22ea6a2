/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Identifies servers of Linux 3.x by their behaviour on the wire. Pure.
 *
 * Other servers share each sign; no other server is known to show all four: no private data, 16
 * credits, the XDR pad written into Write chunks, and unused Write chunks returned without
 * segments. The last is not tested on unidentified servers; there the first three are enough for
 * a warning that says so. This matters because the first WRITE of a page crashes 3.8 to 3.14
 * (fixed by 7e4359e2611f). Nothing here ever WRITEs to such a server, or to any.
 *
 * Their READs have defects of their own, on adapters without fast registration, each with a sign
 * that nothing else explains (net/sunrpc/xprtrdma/svc_rdma_sendto.c of 3.12.9):
 *
 *	xdr_off = 0 within the loop: inline data are the head of the reply
 *	page_base is ignored: data begin where their first page does
 *	wc_nchunks is compared without ntohl: what has no room in a Write chunk goes to a segment
 *	made of the words after the Write list, with RPC's version as handle */
#include "rpcrdma/probe/internal.h"

#define LINUX3_CREDITS 16
#define LINUX3_READS   2 /* with the same sign; one could be chance */

/* DDP tagged, RDMAP Write: RFC 5041 section 4.1, RFC 5040 section 4.1, after MPA's length */
#define FRAME_HEAD   16
#define FRAME_TAGGED 0x80
#define FRAME_OPCODE 0x0f
#define RPC_VERSION  2

bool linux3_is_header_segment(const uint8_t *frame, size_t len)
{
	uint32_t vers, proc;

	if (len < FRAME_HEAD || !(frame[2] & FRAME_TAGGED) || frame[3] & FRAME_OPCODE ||
	    get_be32(frame + 4) != RPC_VERSION)
		return false;
	vers = get_be32(frame + 8);
	proc = get_be32(frame + 12);
	return (vers == 3 && proc == NFS3_READ) || (vers == 4 && proc == NFSPROC4_COMPOUND);
}

void linux3_count(struct linux3_seen *seen, const struct records *records)
{
	size_t i;

	for (i = 0; i < records->count; i++) {
		const struct read_record *r = &records->list[i];
		const struct read_outcome *o = &r->outcome;
		bool write_chunk = r->c.mechanism == MECH_WRITE_CHUNK;
		bool wrong_again = o->kind == READ_DATA && r->confirmed;

		seen->pads += write_chunk && o->kind == READ_PAD;
		seen->unused_dropped += o->kind == READ_LENGTHS && o->sign == SIGN_UNUSED_DROPPED;
		seen->unused_kept += write_chunk && o->kind == READ_OK && !o->brought;
		seen->reply_heads += wrong_again && o->sign == SIGN_REPLY_HEAD;
		seen->page_starts += wrong_again && o->sign == SIGN_PAGE_START;
	}
}

static void linux3_say_defect(const char *id, unsigned int reads, const char *what,
			      finding_sink sink, void *arg)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, id, FINDING_FAIL, "%s", what);
	finding_reason(&f, "seen");
	if (reads)
		finding_number(&f, "reads", reads);
	sink(arg, &f);
}

/* These findings say that the server is Linux 3.x, which private data excludes: later kernels send it. Another
 * server that fails in the same way gets the findings of what failed. */
static void linux3_say_reads(const struct linux3_seen *seen, finding_sink sink, void *arg)
{
	if (seen->private_data)
		return;
	if (seen->reply_heads >= LINUX3_READS)
		linux3_say_defect("bug.linux3-inline-head", seen->reply_heads,
				  "inline READs return the head of the reply, not the file's data",
				  sink, arg);
	if (seen->page_starts >= LINUX3_READS)
		linux3_say_defect(
			"bug.linux3-page-base", seen->page_starts,
			"READs at unaligned offsets return data from the start of the page", sink,
			arg);
	if (seen->header_segment)
		linux3_say_defect(
			"bug.linux3-pad-segment", 0,
			"an RDMA Write to a segment made of words of the call (handle 2) ended the connection",
			sink, arg);
}

void linux3_say(const struct linux3_seen *seen, finding_sink sink, void *arg)
{
	/* This sign needs an empty READ, which goes only to identified servers; a defect of
	 * READs proves as much. */
	bool fourth = seen->unused_dropped || seen->header_segment ||
		      seen->reply_heads >= LINUX3_READS || seen->page_starts >= LINUX3_READS;
	_cleanup_(finding_fini) struct finding f = { 0 };

	linux3_say_reads(seen, sink, arg);
	if (seen->private_data || seen->credits != LINUX3_CREDITS || !seen->pads ||
	    (!fourth && seen->unused_kept))
		return;
	if (fourth)
		finding_init(
			&f, "bug.linux3-write", FINDING_WARN,
			"behaves like Linux 3.x: the first WRITE of a page over RDMA crashes 3.8 to 3.14");
	else
		/* No other server is known to show three. */
		finding_init(
			&f, "bug.linux3-write", FINDING_WARN,
			"may be Linux 3.x (three of four signs, the fourth untested): the first WRITE of a page over RDMA crashes 3.8 to 3.14");
	finding_reason(&f, fourth ? "four-marks" : "three-marks");
	finding_text(&f, "private_data", "none");
	finding_number(&f, "credits", seen->credits);
	finding_number(&f, "pads_written", seen->pads);
	finding_number(&f, "unused_chunks_without_segments", seen->unused_dropped);
	sink(arg, &f);
}
