/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The headers of one FPDU: MPA length (RFC 5044 section 3), DDP (RFC 5041 section 4) and RDMAP
 * (RFC 5040 section 4). Pure: iwarp-place.c checks which values are allowed. */
#include <assert.h>

#include "rpcrdma/transport/internal.h"

#define DDP_TAGGED    0x80
#define DDP_LAST      0x40
#define DDP_VERSION   1
#define RDMAP_VERSION 1

#define CRC_LEN    4
#define LENGTH_LEN 2

#define INVALIDATES 1
#define SOLICITED   2

static const struct {
	const char *text;
	bool tagged;
	enum ddp_queue queue;
	unsigned int flags;
} fpdu_opcodes[RDMAP_OPCODES] = {
	[RDMAP_WRITE] = { "RDMA Write", true, 0, 0 },
	[RDMAP_READ_REQUEST] = { "RDMA Read Request", false, DDP_QN_READ, 0 },
	[RDMAP_READ_RESPONSE] = { "RDMA Read Response", true, 0, 0 },
	[RDMAP_SEND] = { "Send", false, DDP_QN_SEND, 0 },
	[RDMAP_SEND_INVALIDATE] = { "Send with Invalidate", false, DDP_QN_SEND, INVALIDATES },
	[RDMAP_SEND_SE] = { "Send with Solicited Event", false, DDP_QN_SEND, SOLICITED },
	[RDMAP_SEND_SE_INVALIDATE] = { "Send with Solicited Event and Invalidate", false,
				       DDP_QN_SEND, INVALIDATES | SOLICITED },
	[RDMAP_TERMINATE] = { "Terminate", false, DDP_QN_TERMINATE, 0 },
};

bool fpdu_is_tagged(uint8_t opcode)
{
	return opcode < RDMAP_OPCODES && fpdu_opcodes[opcode].tagged;
}

enum ddp_queue fpdu_queue(uint8_t opcode)
{
	return opcode < RDMAP_OPCODES ? fpdu_opcodes[opcode].queue : DDP_QN_SEND;
}

bool fpdu_invalidates(uint8_t opcode)
{
	return opcode < RDMAP_OPCODES && (fpdu_opcodes[opcode].flags & INVALIDATES);
}

bool fpdu_is_solicited(uint8_t opcode)
{
	return opcode < RDMAP_OPCODES && (fpdu_opcodes[opcode].flags & SOLICITED);
}

const char *fpdu_opcode_text(uint8_t opcode)
{
	return opcode < RDMAP_OPCODES ? fpdu_opcodes[opcode].text : "FPDU of unknown opcode";
}

void fpdu_init(struct fpdu *f, enum rdmap_opcode opcode)
{
	memset(f, 0, sizeof(*f));
	f->opcode = opcode;
	f->tagged = fpdu_is_tagged(opcode);
	f->qn = fpdu_queue(opcode);
	f->last = true;
	f->ddp_version = DDP_VERSION;
	f->rdmap_version = RDMAP_VERSION;
}

size_t fpdu_head_len(const uint8_t prefix[FPDU_PREFIX])
{
	return prefix[LENGTH_LEN] & DDP_TAGGED ? FPDU_HEAD_MIN : FPDU_HEAD_MAX;
}

static size_t fpdu_header_size(const struct fpdu *f)
{
	return f->tagged ? FPDU_HEAD_MIN : FPDU_HEAD_MAX;
}

size_t fpdu_pad(const struct fpdu *f)
{
	return -(fpdu_header_size(f) + f->payload) & 3;
}

size_t fpdu_total(const struct fpdu *f)
{
	return fpdu_header_size(f) + f->payload + fpdu_pad(f) + CRC_LEN;
}

int fpdu_decode(struct fpdu *f, const uint8_t *buf, size_t len)
{
	size_t head = fpdu_head_len(buf);
	uint16_t ulpdu = get_be16(buf);
	uint8_t ddp = buf[2], rdmap = buf[3];

	assert(len >= head);
	if (ulpdu + (size_t)LENGTH_LEN < head)
		return err_set(EPROTO, "MPA length is %u, the DDP header alone has %zu bytes",
			       ulpdu, head - LENGTH_LEN);
	memset(f, 0, sizeof(*f));
	f->tagged = ddp & DDP_TAGGED;
	f->last = ddp & DDP_LAST;
	f->ddp_version = ddp & 3;
	f->rdmap_version = rdmap >> 6;
	f->opcode = rdmap & 0xf;
	f->stag = get_be32(buf + 4);
	if (f->tagged) {
		f->to = get_be64(buf + 8);
	} else {
		f->qn = get_be32(buf + 8);
		f->msn = get_be32(buf + 12);
		f->mo = get_be32(buf + 16);
	}
	f->payload = ulpdu + LENGTH_LEN - (uint32_t)head;
	return (int)head;
}

size_t fpdu_encode(uint8_t buf[FPDU_HEAD_MAX], const struct fpdu *f)
{
	size_t head = fpdu_header_size(f);

	assert(head - LENGTH_LEN + f->payload <= FPDU_ULPDU_MAX);
	put_be16(buf, (uint16_t)(head - LENGTH_LEN + f->payload));
	buf[2] = (f->tagged ? DDP_TAGGED : 0) | (f->last ? DDP_LAST : 0) | (f->ddp_version & 3);
	buf[3] = (uint8_t)(f->rdmap_version << 6 | (f->opcode & 0xf));
	put_be32(buf + 4, f->stag);
	if (f->tagged) {
		put_be64(buf + 8, f->to);
	} else {
		put_be32(buf + 8, f->qn);
		put_be32(buf + 12, f->msn);
		put_be32(buf + 16, f->mo);
	}
	return head;
}

void read_request_encode(uint8_t buf[READ_REQUEST_LEN], const struct read_request *r)
{
	put_be32(buf, r->sink_stag);
	put_be64(buf + 4, r->sink_to);
	put_be32(buf + 12, r->size);
	put_be32(buf + 16, r->source_stag);
	put_be64(buf + 20, r->source_to);
}

void read_request_decode(struct read_request *r, const uint8_t buf[READ_REQUEST_LEN])
{
	r->sink_stag = get_be32(buf);
	r->sink_to = get_be64(buf + 4);
	r->size = get_be32(buf + 12);
	r->source_stag = get_be32(buf + 16);
	r->source_to = get_be64(buf + 20);
}
