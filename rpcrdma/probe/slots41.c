/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The slots of a session (RFC 8881 section 2.10.6.1). Pure. */
#include "rpcrdma/probe/internal.h"

void slots41_init(struct slots41 *s, const uint8_t sessionid[NFS4_SESSIONID_SIZE], uint32_t count)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	memcpy(s->sessionid, sessionid, NFS4_SESSIONID_SIZE);
	s->count = min_u32(count, SLOTS41_MAX);
	/* A new slot starts at 0, and each call adds one. */
	for (i = 0; i < s->count; i++)
		s->slots[i].sequenceid = 1;
}

bool slots41_take(struct slots41 *s, struct nfs4_sequence *sequence)
{
	unsigned int i, highest = 0, taken = s->count;

	for (i = 0; i < s->count; i++) {
		if (taken == s->count && s->slots[i].state == SLOT41_FREE) {
			taken = i;
			s->slots[i].state = SLOT41_BUSY;
		}
		if (s->slots[i].state == SLOT41_BUSY)
			highest = i;
	}
	if (taken == s->count)
		return false;
	memcpy(sequence->sessionid, s->sessionid, NFS4_SESSIONID_SIZE);
	sequence->sequenceid = s->slots[taken].sequenceid;
	sequence->slotid = taken;
	/* The highest slot with a call in flight, by which a server may adjust its slots. */
	sequence->highest_slotid = highest;
	return true;
}

/* Whether it belongs to this session: the call's session may be gone meanwhile. */
static bool slots41_is_busy(const struct slots41 *s, const struct nfs4_sequence *sequence)
{
	return sequence->slotid < s->count && s->slots[sequence->slotid].state == SLOT41_BUSY &&
	       !memcmp(s->sessionid, sequence->sessionid, NFS4_SESSIONID_SIZE);
}

void slots41_answered(struct slots41 *s, const struct nfs4_sequence *sequence, bool sequenced)
{
	if (!slots41_is_busy(s, sequence))
		return;
	s->slots[sequence->slotid].state = SLOT41_FREE;
	s->slots[sequence->slotid].sequenceid += sequenced;
}

void slots41_lost(struct slots41 *s, const struct nfs4_sequence *sequence)
{
	if (slots41_is_busy(s, sequence))
		s->slots[sequence->slotid].state = SLOT41_LOST;
}

unsigned int slots41_in(const struct slots41 *s, enum slot41_state state)
{
	unsigned int i, n = 0;

	for (i = 0; i < s->count; i++)
		n += s->slots[i].state == state;
	return n;
}
