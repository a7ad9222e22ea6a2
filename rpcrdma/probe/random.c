/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Chooses the random READs after a sweep without failures, and states what they prove. Pure: the
 * same seed, files and limits give the same READs.
 *
 * Guests read whole sectors, mostly small ones: seven of eight READs are up to 64 KiB, with each
 * power of two equally likely. A mechanism is used only if the sweep was correct by it, and only
 * up to the size that was correct. READs that could crash a server are left out by the same rule
 * as everywhere (identity.c). */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define SMALL_SECTORS 128

/* splitmix64 */
static uint64_t random_next(struct random_choice *c)
{
	uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t random_below(struct random_choice *c, uint64_t n)
{
	return random_next(c) % n;
}

void random_begin(struct random_choice *c, uint64_t seed, enum server_kind kind,
		  const struct records *swept, uint32_t most)
{
	enum mechanism m;
	size_t i;

	*c = (struct random_choice){ .state = seed, .kind = kind };
	for (i = 0; i < swept->count; i++) {
		const struct read_record *r = &swept->list[i];

		if (r->outcome.kind == READ_OK && !swept->gave_up[r->c.mechanism] &&
		    r->expected > c->most[r->c.mechanism])
			c->most[r->c.mechanism] = r->expected;
	}
	if (!gate_lets(kind, GATE_REPLY_CHUNK))
		c->most[MECH_REPLY_CHUNK] = min_u32(c->most[MECH_REPLY_CHUNK],
						    GATE_REPLY_CHUNK_MAX);
	for (m = 0; m < MECH_COUNT; m++)
		c->most[m] = min_u32(c->most[m], most) / RANDOM_SECTOR * RANDOM_SECTOR;
}

uint64_t random_window(struct random_choice *c, uint64_t size, uint32_t len)
{
	uint64_t sectors = size / RANDOM_SECTOR, window = len / RANDOM_SECTOR;

	return sectors <= window ? 0 : random_below(c, sectors - window + 1) * RANDOM_SECTOR;
}

/* Guests' large READs use Write chunks: three of five. */
static bool random_choose_mechanism(struct random_choice *c, enum mechanism *out)
{
	static const enum mechanism lots[] = { MECH_WRITE_CHUNK, MECH_WRITE_CHUNK, MECH_WRITE_CHUNK,
					       MECH_REPLY_CHUNK, MECH_INLINE };
	enum mechanism able[ARRAY_SIZE(lots)];
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(lots); i++)
		if (c->most[lots[i]])
			able[n++] = lots[i];
	if (n)
		*out = able[random_below(c, n)];
	return n;
}

static uint32_t random_choose_sectors(struct random_choice *c, uint32_t most)
{
	unsigned int powers = 1;
	uint32_t small;

	if (random_below(c, 8))
		most = min_u32(most, SMALL_SECTORS);
	while (most >> powers)
		powers++;
	small = 1u << random_below(c, powers);
	return min_u32(most, small + (uint32_t)random_below(c, small));
}

bool random_read(struct random_choice *c, uint64_t base, uint32_t len, uint64_t size,
		 struct read_case *out)
{
	uint32_t window = len / RANDOM_SECTOR, sectors;
	struct gate_request q = { .size = size, .most = UINT32_MAX };

	*out = (struct read_case){ .layout = LAYOUT_LINUX };
	if (!window || !random_choose_mechanism(c, &out->mechanism))
		return false;
	sectors = random_choose_sectors(c,
					min_u32(window, c->most[out->mechanism] / RANDOM_SECTOR));
	out->count = sectors * RANDOM_SECTOR;
	out->offset = base + random_below(c, window - sectors + 1) * RANDOM_SECTOR;
	q.reply_chunk = out->mechanism == MECH_REPLY_CHUNK;
	q.offset = out->offset;
	q.count = out->count;
	return gate_lets(c->kind, gate_class(&q));
}

bool random_is_wanted(const struct records *swept, char *why, size_t cap)
{
	enum read_kind kind;
	enum mechanism m;
	size_t i;

	for (i = 0; i < swept->count; i++) {
		kind = swept->list[i].outcome.kind;
		/* Servers may answer inline and ignore a Reply chunk. */
		if (kind != READ_OK && kind != READ_CHANGING &&
		    (kind != READ_INLINE || swept->list[i].c.mechanism != MECH_REPLY_CHUNK)) {
			snprintf(why, cap, "READs of chosen sizes fail already");
			return false;
		}
	}
	for (m = 0; m < MECH_COUNT; m++)
		if (swept->gave_up[m] || swept->hopeless || swept->unfinished || !swept->count) {
			snprintf(why, cap, "the READs of fixed sizes were not completed");
			return false;
		}
	if (swept->out_of_time)
		snprintf(why, cap, "the time ran out");
	return !swept->out_of_time;
}

void random_say(const struct random_reads *r, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.random";
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (r->wrong)
		finding_init(
			&f, id, FINDING_SKIP,
			"%u of %u random READs failed; the other findings about READs judge them",
			r->wrong, r->reads);
	else if (!r->reads)
		finding_init(&f, id, FINDING_SKIP, "no random READs: %s", r->why);
	else if (r->reads < 3)
		finding_init(&f, id, FINDING_SKIP, "only %u random READ%s: %s", r->reads,
			     r->reads == 1 ? "" : "s", r->why);
	else
		finding_init(
			&f, id, FINDING_PASS,
			"%u random READs were correct (%.1f MiB in %.1f s): with 95 %% confidence fewer than 1 in %u fail%s%s",
			r->reads, (double)r->bytes / (1 << 20), r->seconds, r->reads / 3,
			r->reads < r->wanted ? "; stopped early: " : "",
			r->reads < r->wanted ? r->why : "");
	if (!r->reads) {
		sink(arg, &f);
		return;
	}
	finding_number(&f, "reads", r->reads);
	finding_number(&f, "wrong", r->wrong);
	finding_number(&f, "bytes", (double)r->bytes);
	finding_number(&f, "seconds", r->seconds);
	finding_text(&f, "seed", "%016llx", (unsigned long long)r->seed);
	finding_number(&f, "inline", r->right[MECH_INLINE]);
	finding_number(&f, "write_chunk", r->right[MECH_WRITE_CHUNK]);
	finding_number(&f, "reply_chunk", r->right[MECH_REPLY_CHUNK]);
	finding_number(&f, "answered_inline", r->answered_inline);
	/* The rule of three: with 95 % confidence. */
	if (r->reads >= 3 && !r->wrong)
		finding_number(&f, "rate_below", 3.0 / r->reads);
	finding_text(&f, "ended", "%s", r->why);
	sink(arg, &f);
}
