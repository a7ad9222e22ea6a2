/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The STag table of one connection: exactly which bytes the peer may access, and how (RFC 5040
 * section 8, RFC 5042 section 6.2.2: STags that cannot be guessed). The tagged offset is random
 * too: it reveals no address, and a peer that truncates it to 32 bits or ignores it misses the
 * region and is detected. */
#include "rpcrdma/transport/internal.h"

#define PAGE_MASK 0xfffu
/* Like a user-space address: leaves room for any length below 2^63. */
#define TO_MASK 0x7fffffffffffu

int region_random(struct region_table *table, uint32_t *out)
{
	if (!table->random_left) {
		int rc = random_bytes(table->random, sizeof(table->random));

		if (rc)
			return rc;
		table->random_left = ARRAY_SIZE(table->random);
	}
	*out = table->random[--table->random_left];
	return 0;
}

static struct region **region_bucket(struct region_table *table, uint32_t stag)
{
	return &table->buckets[stag % REGION_BUCKETS];
}

struct region *region_find(const struct region_table *table, uint32_t stag)
{
	struct region *r = table->buckets[stag % REGION_BUCKETS];

	while (r && r->stag != stag)
		r = r->next;
	return r;
}

static int region_assign(struct region_table *table, struct region *r)
{
	uint32_t high = 0, low = 0;
	int rc;

	do {
		rc = region_random(table, &r->stag);
		if (rc)
			return rc;
	} while (!r->stag || region_find(table, r->stag));
	rc = region_random(table, &high);
	if (!rc)
		rc = region_random(table, &low);
	if (rc)
		return rc;
	r->to = ((uint64_t)high << 32 | low) & TO_MASK & ~(uint64_t)PAGE_MASK;
	r->to |= (uintptr_t)r->base & PAGE_MASK;
	return 0;
}

int region_add(struct region_table *table, void *base, size_t len, unsigned int access,
	       struct transport_region *out)
{
	_cleanup_free_ struct region *r = NULL;
	struct region **bucket;
	int rc;

	if (len > UINT32_MAX)
		return err_set(EINVAL, "a region of %zu bytes is longer than 32 bits", len);
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_no_memory();
	r->base = base;
	r->length = (uint32_t)len;
	r->access = access;
	rc = region_assign(table, r);
	if (rc)
		return rc;
	*out = (struct transport_region){ .handle = r->stag, .length = r->length, .offset = r->to };
	bucket = region_bucket(table, r->stag);
	r->next = *bucket;
	*bucket = take_ptr(r);
	return 0;
}

bool region_remove(struct region_table *table, uint32_t stag)
{
	struct region **at = region_bucket(table, stag);
	struct region *r;

	while (*at && (*at)->stag != stag)
		at = &(*at)->next;
	r = *at;
	if (!r)
		return false;
	*at = r->next;
	free(r);
	table->released[table->released_next++ % REGION_RELEASED] = stag;
	return true;
}

bool region_was_released(const struct region_table *table, uint32_t stag)
{
	size_t i;

	/* No region has the STag 0. */
	for (i = 0; stag && i < REGION_RELEASED; i++)
		if (table->released[i] == stag)
			return true;
	return false;
}

enum region_verdict region_check(const struct region *r, uint64_t to, uint64_t len,
				 unsigned int access)
{
	if ((r->access & access) != access)
		return REGION_NO_RIGHT;
	if (len && to > UINT64_MAX - (len - 1))
		return REGION_WRAP;
	/* No sum here overflows: the offset is checked to be within the region first. */
	if (to < r->to || to - r->to > r->length || len > r->length - (to - r->to))
		return REGION_BOUNDS;
	return REGION_OK;
}

void region_fini(struct region_table *table)
{
	struct region *r;
	size_t i;

	for (i = 0; i < REGION_BUCKETS; i++) {
		while ((r = table->buckets[i])) {
			table->buckets[i] = r->next;
			free(r);
		}
	}
}
