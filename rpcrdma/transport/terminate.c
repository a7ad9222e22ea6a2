/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The Terminate control word, RFC 5040 section 4.8: layer and error type in a nibble each, the
 * code, three bits that say which headers follow. Linux's soft-iWARP defines the word with C
 * bit-fields and so swaps the nibbles on little-endian machines; both orders are decoded. */
#include <stdio.h>

#include "rpcrdma/transport/internal.h"

#define WITH_LENGTH 0x80 /* M: the DDP segment length is valid */
#define WITH_DDP    0x40 /* D: the DDP header follows */

static const struct {
	unsigned int reason;
	const char *text;
} terminate_reasons[] = {
	{ TERMINATE(0, 0, 0x00), "RDMAP: local catastrophic error" },
	{ TERMINATE(0, 1, 0x00), "RDMAP protection: invalid STag" },
	{ TERMINATE(0, 1, 0x01), "RDMAP protection: base or bounds violation" },
	{ TERMINATE(0, 1, 0x02), "RDMAP protection: access rights violation" },
	{ TERMINATE(0, 1, 0x03), "RDMAP protection: STag not associated with the stream" },
	{ TERMINATE(0, 1, 0x04), "RDMAP protection: TO wrap" },
	{ TERMINATE(0, 1, 0x09), "RDMAP protection: STag cannot be invalidated" },
	{ TERMINATE(0, 1, 0xff), "RDMAP protection: unspecified error" },
	{ TERMINATE(0, 2, 0x05), "RDMAP operation: invalid RDMAP version" },
	{ TERMINATE(0, 2, 0x06), "RDMAP operation: unexpected opcode" },
	{ TERMINATE(0, 2, 0x07), "RDMAP operation: catastrophic error of the stream" },
	{ TERMINATE(0, 2, 0x08), "RDMAP operation: catastrophic error of the device" },
	{ TERMINATE(0, 2, 0x09), "RDMAP operation: STag cannot be invalidated" },
	{ TERMINATE(0, 2, 0xff), "RDMAP operation: unspecified error" },
	{ TERMINATE(1, 0, 0x00), "DDP: local catastrophic error" },
	{ TERMINATE(1, 1, 0x00), "DDP tagged buffer: invalid STag" },
	{ TERMINATE(1, 1, 0x01), "DDP tagged buffer: base or bounds violation" },
	{ TERMINATE(1, 1, 0x02), "DDP tagged buffer: STag not associated with the stream" },
	{ TERMINATE(1, 1, 0x03), "DDP tagged buffer: TO wrap" },
	{ TERMINATE(1, 1, 0x04), "DDP tagged buffer: invalid DDP version" },
	{ TERMINATE(1, 2, 0x01), "DDP untagged buffer: invalid queue number" },
	{ TERMINATE(1, 2, 0x02), "DDP untagged buffer: no buffer available" },
	{ TERMINATE(1, 2, 0x03), "DDP untagged buffer: MSN out of range" },
	{ TERMINATE(1, 2, 0x04), "DDP untagged buffer: invalid message offset" },
	{ TERMINATE(1, 2, 0x05), "DDP untagged buffer: message too long for the buffer" },
	{ TERMINATE(1, 2, 0x06), "DDP untagged buffer: invalid DDP version" },
	{ TERMINATE(2, 0, 0x01), "MPA: TCP connection lost" },
	{ TERMINATE(2, 0, 0x02), "MPA: CRC error" },
	{ TERMINATE(2, 0, 0x03), "MPA: marker and length do not agree" },
	{ TERMINATE(2, 0, 0x04), "MPA: invalid request or reply frame" },
	{ TERMINATE(2, 0, 0x05), "MPA: local catastrophic error" },
	{ TERMINATE(2, 0, 0x06), "MPA: insufficient IRD" },
	{ TERMINATE(2, 0, 0x07), "MPA: no matching RTR option" },
};

void terminate_encode(uint8_t buf[TERMINATE_LEN], enum terminate_reason reason, bool with_header)
{
	put_be16(buf, (uint16_t)reason);
	put_be16(buf + 2, with_header ? (WITH_LENGTH | WITH_DDP) << 8 : 0);
}

static const char *terminate_reason_text(unsigned int reason)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(terminate_reasons); i++)
		if (terminate_reasons[i].reason == reason)
			return terminate_reasons[i].text;
	return NULL;
}

const char *terminate_text(const uint8_t word[TERMINATE_LEN], char *buf, size_t cap)
{
	unsigned int plain = TERMINATE(word[0] >> 4, word[0] & 0xf, word[1]);
	unsigned int swapped = TERMINATE(word[0] & 0xf, word[0] >> 4, word[1]);
	bool looks_swapped = (word[2] & 0x07) && !(word[2] & 0xe0);
	const char *text = terminate_reason_text(looks_swapped ? swapped : plain);

	/* Without header bits the order is known only if the other one is undefined. */
	if (!text)
		text = terminate_reason_text(looks_swapped ? plain : swapped);
	snprintf(buf, cap, "%s (%02x %02x %02x %02x)", text ? text : "an unknown reason", word[0],
		 word[1], word[2], word[3]);
	return buf;
}
