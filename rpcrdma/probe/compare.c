/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads ranges of one file as a Linux client does and compares them with the reference. For
 * callers that have read the same ranges in another way, for instance through the kernel: the
 * comparison shows which side is wrong. */
#include "rpcrdma/probe/internal.h"

static void compare_report(struct probe *p, const struct probe_range_result *result)
{
	uint8_t body[WORKER_RANGE_LEN];

	put_be32(body, result->index);
	put_be32(body + 4, (uint32_t)result->fate);
	put_be32(body + 8, result->length);
	put_be64(body + 12, result->digest);
	probe_record(p, WORKER_RANGE, body, sizeof(body));
}

static enum probe_range_fate compare_fate(enum read_kind kind)
{
	switch (kind) {
	case READ_OK:
	/* The data is correct. */
	case READ_PAD:
	case READ_INLINE:
	case READ_LENGTHS: return PROBE_RANGE_RIGHT;
	case READ_CHANGING: return PROBE_RANGE_CHANGING;
	default: return read_kind_is_failure(kind) ? PROBE_RANGE_WRONG : PROBE_RANGE_UNKNOWN;
	}
}

/* As the kernel does: in pieces of the largest READ. The first incorrect piece decides. */
static enum probe_range_fate compare_window(struct probe *p, struct window *w)
{
	enum probe_range_fate fate = PROBE_RANGE_RIGHT;
	struct read_outcome outcome;
	uint32_t at;

	for (at = 0; at < w->len && fate == PROBE_RANGE_RIGHT; at += p->limits.rtmax) {
		struct read_case c = { .layout = LAYOUT_LINUX,
				       .offset = w->base + at,
				       .count = min_u32(w->len - at, p->limits.rtmax) };

		c.mechanism = read_fits_inline(p, c.count) ? MECH_INLINE : MECH_WRITE_CHUNK;
		read_once(p, w, &c, &outcome);
		if (read_kind_is_failure(outcome.kind))
			window_judge(&outcome, window_again(p, w, c.offset, c.count));
		fate = compare_fate(outcome.kind);
	}
	return fate;
}

static void compare_ranges(struct probe *p)
{
	struct window w;
	uint32_t i;

	if (!p->root.is_file) {
		probe_because(p, "probe.file", FINDING_UNKNOWN, "not-regular",
			      "%s is not a regular file", p->options->export);
		return;
	}
	target_reference(p);
	for (i = 0; i < p->options->nranges && deadline_left(p->deadline) && !p->liveness.gone;
	     i++) {
		const struct probe_range *range = &p->options->ranges[i];
		struct probe_range_result result = { .index = i, .fate = PROBE_RANGE_UNKNOWN };

		if (!window_open(p, &w, &p->root.file, range->offset, range->length)) {
			if (w.len) {
				result.length = w.len;
				result.digest = bytes_digest(w.bytes, w.len);
				result.fate = compare_window(p, &w);
			}
			window_close(&w);
		}
		compare_report(p, &result);
		probe_progress(p, "our own client", i + 1, p->options->nranges);
	}
	target_say_reference(p);
	reference_close(p->tcp.reference);
}

static void compare_work(struct probe *p)
{
	bool answered = target_ping(p);

	if (answered && versions_choose(p) && root_find(p) && target_limits(p))
		compare_ranges(p);
	liveness_check(p);
	client41_close(p);
	if (answered)
		target_behaviour(p);
	session_drop(p);
}

int probe_compare(const struct probe_options *options, const struct probe_events *events)
{
	return parent_run(options, compare_work, 1, events);
}
