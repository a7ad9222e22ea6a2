/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The receive buffers of a connection. As on an adapter, their number is fixed: a Send without a
 * posted buffer breaks the connection. */
#include <assert.h>

#include "rpcrdma/transport/internal.h"

enum slots_state { SLOT_POSTED, SLOT_FILLING, SLOT_WAITING, SLOT_LENT };

struct slots_entry {
	enum slots_state state;
	struct transport_msg msg;
};

int slots_init(struct slots *s, uint32_t depth, uint32_t size)
{
	uint32_t i;

	if (!depth || !size)
		return err_set(EINVAL, "%u receive buffers of %u bytes", depth, size);
	s->depth = depth;
	s->size = size;
	s->memory = malloc((size_t)depth * size);
	s->entries = calloc(depth, sizeof(*s->entries));
	s->posted = calloc(depth, sizeof(*s->posted));
	s->waiting = calloc(depth, sizeof(*s->waiting));
	if (!s->memory || !s->entries || !s->posted || !s->waiting)
		return err_context(err_no_memory(), "%u receive buffers of %u bytes", depth, size);
	for (i = 0; i < depth; i++)
		s->posted[i] = i;
	s->nposted = depth;
	return 0;
}

void slots_fini(struct slots *s)
{
	free(s->memory);
	free(s->entries);
	free(s->posted);
	free(s->waiting);
	memset(s, 0, sizeof(*s));
}

int slots_fill(struct slots *s)
{
	uint32_t slot;

	if (!s->nposted)
		return -ENOBUFS;
	slot = s->posted[--s->nposted];
	s->entries[slot].state = SLOT_FILLING;
	return (int)slot;
}

uint8_t *slots_memory(const struct slots *s, uint32_t slot)
{
	return s->memory + (size_t)slot * s->size;
}

void slots_deliver(struct slots *s, const struct transport_msg *msg)
{
	struct slots_entry *entry = &s->entries[msg->slot];

	assert(entry->state == SLOT_FILLING);
	entry->state = SLOT_WAITING;
	entry->msg = *msg;
	entry->msg.data = slots_memory(s, msg->slot);
	s->waiting[(s->first + s->nwaiting++) % s->depth] = msg->slot;
}

bool slots_lend(struct slots *s, struct transport_msg *msg)
{
	struct slots_entry *entry;

	if (!s->nwaiting)
		return false;
	entry = &s->entries[s->waiting[s->first]];
	s->first = (s->first + 1) % s->depth;
	s->nwaiting--;
	entry->state = SLOT_LENT;
	*msg = entry->msg;
	return true;
}

void slots_repost(struct slots *s, const struct transport_msg *msg)
{
	struct slots_entry *entry;

	assert(msg->slot < s->depth);
	entry = &s->entries[msg->slot];
	assert(entry->state == SLOT_LENT);
	entry->state = SLOT_POSTED;
	s->posted[s->nposted++] = msg->slot;
}
