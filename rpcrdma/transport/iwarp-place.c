/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Checks of the peer's FPDUs: those of RFC 5041 section 7 (DDP) and RFC 5040 sections 5 and 7
 * (RDMAP). Everything is checked when the header is complete, before any payload is placed; the
 * message takes effect when the FPDU is complete. */
#include <inttypes.h>

#include "rpcrdma/transport/internal.h"

static int iwarp_place_write(struct iwarp *c)
{
	const struct fpdu *f = &c->rx.fpdu;
	const struct region *r = region_find(&c->regions, f->stag);

	/* RFC 5040 section 5.1: nothing is placed, so nothing is checked. Some initiators also
	 * signal with it that they are ready (RFC 6581 section 9.2). */
	if (!f->payload)
		return 0;
	if (!r) {
		c->t.violation.released = region_was_released(&c->regions, f->stag);
		return iwarp_rx_violation(
			c, TERMINATE_TAGGED_STAG,
			"RDMA Write of %u bytes to STag 0x%08x at 0x%" PRIx64 ": %s this STag",
			f->payload, f->stag, f->to,
			c->t.violation.released ? "the region was released that had"
						: "no region has");
	}
	switch (region_check(r, f->to, f->payload, TRANSPORT_REMOTE_WRITE)) {
	case REGION_OK: c->rx.target = r->base + (f->to - r->to); return 0;
	case REGION_NO_RIGHT:
		return iwarp_rx_violation(c, TERMINATE_ACCESS,
					  "RDMA Write of %u bytes to STag 0x%08x at 0x%" PRIx64
					  ": the region is not open for writing",
					  f->payload, f->stag, f->to);
	case REGION_WRAP:
		return iwarp_rx_violation(c, TERMINATE_TAGGED_WRAP,
					  "RDMA Write of %u bytes to STag 0x%08x at 0x%" PRIx64
					  ": the end is beyond 64 bits",
					  f->payload, f->stag, f->to);
	case REGION_BOUNDS: break;
	}
	return iwarp_rx_violation(c, TERMINATE_TAGGED_BOUNDS,
				  "RDMA Write of %u bytes to STag 0x%08x at 0x%" PRIx64
				  ": the region has %u bytes at 0x%" PRIx64,
				  f->payload, f->stag, f->to, r->length, r->to);
}

/* RFC 5040 section 5.2.1: with the sink's STag and TO of the oldest request, in order. */
static int iwarp_place_read_response(struct iwarp *c)
{
	const struct fpdu *f = &c->rx.fpdu;
	const struct iwarp_rx *rx = &c->rx;
	uint64_t to = rx->read.sink_to + rx->read_got;

	if (!rx->reading)
		return iwarp_rx_violation(
			c, TERMINATE_OPCODE,
			"RDMA Read Response of %u bytes, and no Read is outstanding", f->payload);
	if (f->stag != rx->read.sink_stag || f->to != to)
		return iwarp_rx_violation(c,
					  f->stag != rx->read.sink_stag ? TERMINATE_TAGGED_STAG
									: TERMINATE_TAGGED_BOUNDS,
					  "RDMA Read Response to STag 0x%08x at 0x%" PRIx64
					  ", expected STag 0x%08x at 0x%" PRIx64,
					  f->stag, f->to, rx->read.sink_stag, to);
	if (f->payload > rx->read.size - rx->read_got ||
	    (f->last && f->payload < rx->read.size - rx->read_got))
		return iwarp_rx_violation(c, TERMINATE_TAGGED_BOUNDS,
					  "RDMA Read Response %s %u bytes after %u of %u",
					  f->last ? "ends with" : "goes on with", f->payload,
					  rx->read_got, rx->read.size);
	c->rx.target = rx->read_base + rx->read_got;
	return 0;
}

/* Queue and MSN, RFC 5041 section 5.1: the same for all untagged messages. */
static int iwarp_place_check_untagged(struct iwarp *c, uint32_t mo)
{
	const struct fpdu *f = &c->rx.fpdu;
	const char *what = fpdu_opcode_text(f->opcode);
	uint32_t queue = fpdu_queue(f->opcode);

	if (f->qn != queue)
		return iwarp_rx_violation(c, TERMINATE_QN, "%s on queue %u, it belongs on queue %u",
					  what, f->qn, queue);
	if (f->msn != c->rx.msn[queue])
		return iwarp_rx_violation(c, TERMINATE_MSN, "%s has MSN %u, expected %u", what,
					  f->msn, c->rx.msn[queue]);
	if (f->mo != mo)
		return iwarp_rx_violation(c, TERMINATE_MO, "%s has message offset %u, expected %u",
					  what, f->mo, mo);
	return 0;
}

static int iwarp_place_send(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	const struct fpdu *f = &rx->fpdu;
	int rc = iwarp_place_check_untagged(c, rx->in_message ? rx->mo : 0);

	if (rc)
		return rc;
	if (rx->in_message && f->opcode != rx->message_opcode)
		return iwarp_rx_violation(c, TERMINATE_OPCODE, "%s in the middle of a %s",
					  fpdu_opcode_text(f->opcode),
					  fpdu_opcode_text(rx->message_opcode));
	if (!rx->in_message) {
		rc = slots_fill(&c->slots);
		if (rc < 0)
			return iwarp_rx_violation(
				c, TERMINATE_NO_BUFFER,
				"Send number %u, and none of the %u receive buffers is posted",
				f->msn, c->slots.depth);
		rx->slot = (uint32_t)rc;
		rx->in_message = true;
		rx->message_opcode = f->opcode;
		rx->mo = 0;
	}
	if (f->payload > c->slots.size - rx->mo)
		return iwarp_rx_violation(c, TERMINATE_TOO_LONG,
					  "Send of %" PRIu64
					  " bytes or more, receive buffers have %u",
					  (uint64_t)rx->mo + f->payload, c->slots.size);
	rx->target = slots_memory(&c->slots, rx->slot) + rx->mo;
	return 0;
}

static int iwarp_place_read_request(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	const struct fpdu *f = &rx->fpdu;
	int rc = iwarp_place_check_untagged(c, 0);

	if (rc)
		return rc;
	if (f->payload != READ_REQUEST_LEN || !f->last)
		return iwarp_rx_violation(
			c, TERMINATE_CATASTROPHIC,
			"RDMA Read Request has %u bytes%s, it must be one segment of %u",
			f->payload, f->last ? "" : " and goes on", READ_REQUEST_LEN);
	if (rx->count == rx->depth)
		return iwarp_rx_violation(
			c, TERMINATE_NO_BUFFER,
			"RDMA Read Request number %u, with %u outstanding and an IRD of %u", f->msn,
			rx->count, rx->depth);
	return 0;
}

static int iwarp_place_terminate(struct iwarp *c)
{
	if (c->rx.fpdu.payload < TERMINATE_LEN)
		return iwarp_rx_violation(c, TERMINATE_CATASTROPHIC,
					  "Terminate of %u bytes, it has %u at least",
					  c->rx.fpdu.payload, TERMINATE_LEN);
	return 0;
}

static int iwarp_place_send_done(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	const struct fpdu *f = &rx->fpdu;
	struct transport_msg msg = { .slot = rx->slot };

	rx->mo += f->payload;
	if (!f->last)
		return 0;
	rx->in_message = false;
	rx->msn[DDP_QN_SEND]++;
	msg.len = rx->mo;
	msg.solicited = fpdu_is_solicited(f->opcode);
	if (fpdu_invalidates(f->opcode)) {
		if (!region_remove(&c->regions, f->stag))
			return iwarp_rx_violation(c, TERMINATE_INVALIDATE,
						  "%s names STag 0x%08x: no region has this STag",
						  fpdu_opcode_text(f->opcode), f->stag);
		msg.invalidated = true;
		msg.invalidate_handle = f->stag;
	}
	slots_deliver(&c->slots, &msg);
	c->t.stats.sends_in++;
	return 0;
}

static int iwarp_place_write_done(struct iwarp *c)
{
	const struct fpdu *f = &c->rx.fpdu;
	struct transport_tagged placed = { f->stag, f->to, f->payload };

	if (f->payload && !c->rx.target) {
		c->t.violation.released = true;
		return iwarp_rx_violation(c, TERMINATE_TAGGED_STAG,
					  "RDMA Write of %u bytes to STag 0x%08x at 0x%" PRIx64
					  ": the region was released meanwhile",
					  f->payload, f->stag, f->to);
	}
	c->t.stats.write_bytes_in += f->payload;
	c->t.stats.writes_in += f->last;
	if (f->payload && c->param.on_write)
		c->param.on_write(c->param.on_write_arg, &placed);
	return 0;
}

/* The payload fits in the first bytes, which are kept for a report. */
static int iwarp_place_read_request_done(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;
	struct read_request r;
	const struct region *region;
	enum region_verdict verdict;

	read_request_decode(&r, rx->frame + FPDU_HEAD_MAX);
	rx->msn[DDP_QN_READ]++;
	region = region_find(&c->regions, r.source_stag);
	/* RFC 5040 section 5.2: STag and TO of an empty Read are not checked. */
	if (r.size && !region)
		return iwarp_rx_violation(c, TERMINATE_READ_STAG,
					  "RDMA Read of %u bytes from STag 0x%08x at 0x%" PRIx64
					  ": no region has this STag",
					  r.size, r.source_stag, r.source_to);
	verdict = r.size ? region_check(region, r.source_to, r.size, TRANSPORT_REMOTE_READ)
			 : REGION_OK;
	if (verdict == REGION_NO_RIGHT)
		return iwarp_rx_violation(c, TERMINATE_ACCESS,
					  "RDMA Read of %u bytes from STag 0x%08x at 0x%" PRIx64
					  ": the region is not open for reading",
					  r.size, r.source_stag, r.source_to);
	if (verdict != REGION_OK)
		return iwarp_rx_violation(
			c, verdict == REGION_WRAP ? TERMINATE_READ_WRAP : TERMINATE_READ_BOUNDS,
			"RDMA Read of %u bytes from STag 0x%08x at 0x%" PRIx64
			": the region has %u bytes at 0x%" PRIx64,
			r.size, r.source_stag, r.source_to, region->length, region->to);
	rx->requests[(rx->first + rx->count++) % rx->depth] = r;
	c->t.stats.reads_in++;
	return 0;
}

static int iwarp_place_read_response_done(struct iwarp *c)
{
	struct iwarp_rx *rx = &c->rx;

	rx->read_got += rx->fpdu.payload;
	if (rx->fpdu.last)
		rx->reading = false;
	return 0;
}

static int iwarp_place_terminate_done(struct iwarp *c)
{
	char text[128];

	return err_set(EREMOTEIO, "the peer terminated the connection: %s",
		       terminate_text(c->rx.frame + FPDU_HEAD_MAX, text, sizeof(text)));
}

static const struct {
	int (*place)(struct iwarp *c);
	int (*done)(struct iwarp *c);
} iwarp_place_rows[RDMAP_OPCODES] = {
	[RDMAP_WRITE] = { iwarp_place_write, iwarp_place_write_done },
	[RDMAP_READ_REQUEST] = { iwarp_place_read_request, iwarp_place_read_request_done },
	[RDMAP_READ_RESPONSE] = { iwarp_place_read_response, iwarp_place_read_response_done },
	[RDMAP_SEND] = { iwarp_place_send, iwarp_place_send_done },
	[RDMAP_SEND_INVALIDATE] = { iwarp_place_send, iwarp_place_send_done },
	[RDMAP_SEND_SE] = { iwarp_place_send, iwarp_place_send_done },
	[RDMAP_SEND_SE_INVALIDATE] = { iwarp_place_send, iwarp_place_send_done },
	[RDMAP_TERMINATE] = { iwarp_place_terminate, iwarp_place_terminate_done },
};

int iwarp_place(struct iwarp *c)
{
	const struct fpdu *f = &c->rx.fpdu;

	if (f->ddp_version != 1)
		return iwarp_rx_violation(
			c, f->tagged ? TERMINATE_TAGGED_VERSION : TERMINATE_UNTAGGED_VERSION,
			"FPDU with DDP version %u, expected 1", f->ddp_version);
	if (f->rdmap_version != 1)
		return iwarp_rx_violation(c, TERMINATE_RDMAP_VERSION,
					  "FPDU with RDMAP version %u, expected 1",
					  f->rdmap_version);
	if (f->opcode >= RDMAP_OPCODES)
		return iwarp_rx_violation(c, TERMINATE_OPCODE,
					  "FPDU with RDMAP opcode %u, the highest is %u", f->opcode,
					  RDMAP_OPCODES - 1);
	if (f->tagged != fpdu_is_tagged(f->opcode))
		return iwarp_rx_violation(c, TERMINATE_OPCODE, "%s in %s DDP segment",
					  fpdu_opcode_text(f->opcode),
					  f->tagged ? "a tagged" : "an untagged");
	/* RFC 5044 section 7.1.2: the initiator sends first. */
	if (c->initiator && !c->tx.messages)
		return iwarp_rx_violation(c, TERMINATE_CATASTROPHIC,
					  "%s before the first FPDU of the side that connected",
					  fpdu_opcode_text(f->opcode));
	return iwarp_place_rows[f->opcode].place(c);
}

int iwarp_place_done(struct iwarp *c)
{
	return iwarp_place_rows[c->rx.fpdu.opcode].done(c);
}
