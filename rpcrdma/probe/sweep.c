/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which READs, in which order. Size and mechanism vary independently: the client decides how a
 * reply travels, so "Write chunks are broken" and "large payloads are broken" can be
 * distinguished. Each range is read inline, by Reply chunk and by Write chunk; by Write chunk
 * again after other operations on the same connection, because a server's page lists keep earlier
 * state; and with several in flight.
 *
 * A failed READ is examined (judge.c). */
#include <stdio.h>

#include "rpcrdma/probe/sweep-internal.h"

#define UNANSWERED_MAX   3     /* in a row, after which the mechanism is given up */
#define BROKEN_MAX       8     /* lost connections that recurred when repeated */
#define TIME_RESERVE_MS  1500  /* for later steps; at most a quarter of all */
#define RATE_BYTES       65536 /* of a READ that measures the speed of the path */
#define SLOW_RESERVE_MS  6000  /* if replies are slow */
#define FILES_MAX        4
#define LARGE_INLINE_MAX (4u << 20) /* of data compared with READs of a few hundred bytes each */

static const uint32_t layout_sizes[] = { 813, 4097, 65537, 262144 };
const uint32_t sweep_profiles[] = { 788, 812, 816, 856, 0 };

static const struct {
	enum layout layout;
	unsigned int pieces;
} layouts[] = {
	{ LAYOUT_LINUX, 1 },  { LAYOUT_PAD_SEGMENT, 1 }, { LAYOUT_LARGER, 1 },
	{ LAYOUT_PIECES, 2 }, { LAYOUT_PIECES, 3 },      { LAYOUT_PIECES, 5 },
	{ LAYOUT_PIECES, 8 }, { LAYOUT_PIECES, 16 },
};

/* Later steps take longer on a slow path. */
static unsigned int sweep_reserve_ms(const struct sweep *s)
{
	double slow = 20 * s->p->pace.rtt_ms + s->p->pace.slowest_ms;

	return min_u32(TIME_RESERVE_MS + (uint32_t)min_u64((uint64_t)slow, SLOW_RESERVE_MS),
		       s->p->options->timeout_ms / 4);
}

bool sweep_stop(struct sweep *s)
{
	if (deadline_left(s->p->deadline) < (int)sweep_reserve_ms(s))
		s->records->out_of_time = true;
	return s->records->out_of_time || s->p->session.hopeless || s->w.changing;
}

static void sweep_add_record(struct sweep *s, const struct read_record *r)
{
	struct records *rs = s->records;
	struct read_record *list;

	if (r->outcome.kind == READ_NOT_RUN || r->outcome.kind == READ_LATER) {
		rs->not_run[r->c.mechanism]++;
		return;
	}
	if (r->outcome.kind == READ_WITHHELD)
		return;
	if (rs->count == rs->cap) {
		list = reallocarray(rs->list, rs->cap ? rs->cap * 2 : 256, sizeof(*list));
		if (!list) {
			rs->not_run[r->c.mechanism]++;
			return;
		}
		rs->list = list;
		rs->cap = rs->cap ? rs->cap * 2 : 256;
	}
	rs->list[rs->count++] = *r;
}

static void sweep_count_failures(struct sweep *s, const struct read_record *r)
{
	enum mechanism m = r->c.mechanism;

	s->unanswered[m] = r->outcome.kind == READ_LOST && r->wrong == r->tries
				   ? s->unanswered[m] + 1
				   : 0;
	if (judge_is_broken(r->outcome.kind) && r->confirmed)
		s->broken[m]++;
	if (s->unanswered[m] >= UNANSWERED_MAX || s->broken[m] >= BROKEN_MAX)
		s->records->gave_up[m] = true;
}

static uint32_t sweep_expected(const struct sweep *s, const struct read_case *c)
{
	if (c->offset >= s->w.attr.size)
		return 0;
	return (uint32_t)min_u64(min_u32(c->count, s->p->limits.rtmax), s->w.attr.size - c->offset);
}

static bool sweep_is_at_end(const struct sweep *s, const struct read_record *r)
{
	return r->expected && r->c.offset + r->expected >= s->w.attr.size;
}

/* Whether @bytes can be read before the sweep has to end, at the pace of the fastest READ so
 * far. */
static bool sweep_fits_time(struct sweep *s, uint64_t bytes)
{
	if (deadline_left(s->p->deadline) < (double)bytes * s->ms_a_byte + sweep_reserve_ms(s))
		s->records->out_of_time = true;
	return !s->records->out_of_time;
}

/* Makes the READ once and judges it. */
static void sweep_read(struct sweep *s, struct read_record *r)
{
	const struct call_failures before = s->p->behaviour.transport;
	const struct read_case *c = &r->c;
	uint64_t begin = now_ms();
	double ms_a_byte;

	r->expected = sweep_expected(s, c);
	r->at_end = sweep_is_at_end(s, r);
	judge_try(s, c, r->after_others, &r->outcome);
	if (r->outcome.kind == READ_OK && r->outcome.brought >= RATE_BYTES && !r->after_others) {
		ms_a_byte = (double)(now_ms() - begin) / r->outcome.brought;
		if (!s->ms_a_byte || ms_a_byte < s->ms_a_byte)
			s->ms_a_byte = ms_a_byte;
	}
	if (r->outcome.kind == READ_WITHHELD)
		return;
	/* A large READ may return less. */
	if (r->outcome.kind == READ_OK && judge_is_large(s, c->count))
		r->expected = r->outcome.brought;
	if (!read_kind_is_clean(r->outcome.kind) && r->outcome.kind != READ_NOT_RUN &&
	    r->outcome.kind != READ_LATER)
		judge_failure(s, r);
	if (r->outcome.kind == READ_CHANGING)
		/* Nor is a wrong checksum of these a fault. */
		s->p->behaviour.transport = before;
	debug(DEBUG_PROBE, "%u bytes at %llu by %s%s: %s %s", c->count,
	      (unsigned long long)c->offset, mechanism_name(c->mechanism),
	      r->after_others ? " after others"
	      : r->random     ? " at random"
			      : "",
	      read_kind_name(r->outcome.kind), r->outcome.text);
	sweep_count_failures(s, r);
	if (c->mechanism != MECH_WRITE_CHUNK)
		judge_note_before(s, c, read_kind_is_clean(r->outcome.kind));
}

static void sweep_attempt(struct sweep *s, const struct read_case *c, bool after_others)
{
	struct read_record r = {
		.c = *c, .after_others = after_others, .in_flight = 1, .tries = 1
	};

	if (sweep_stop(s) || s->records->gave_up[c->mechanism] ||
	    !sweep_fits_time(s, (after_others ? 2 : 1) * (uint64_t)c->count))
		return;
	sweep_read(s, &r);
	sweep_add_record(s, &r);
}

/* Room for a pad if there is one, or the layout of Linux clients: the two alternate. */
static enum layout sweep_plain_layout(unsigned int i)
{
	return i % 2 ? LAYOUT_LINUX : LAYOUT_ROUNDED;
}

/* Notes that the time ran out before the last of them was done. */
static void sweep_note_cut(struct sweep *s, unsigned int done, unsigned int total, const char *what)
{
	if (s->records->out_of_time && done < total)
		late_not_tried(&s->p->pace, "%u of %u range%s %s", total - done, total,
			       total == 1 ? "" : "s", what);
}

static void sweep_every_mechanism(struct sweep *s)
{
	unsigned int i;

	for (i = 0; i < s->nranges && !sweep_stop(s); i++) {
		struct read_case c = { .offset = s->ranges[i].offset, .count = s->ranges[i].count };

		probe_progress(s->p, "READs by every mechanism", s->done++, s->total);
		c.mechanism = MECH_REPLY_CHUNK;
		sweep_attempt(s, &c, false);
		if (session_ready(s->p))
			continue;
		c.mechanism = MECH_INLINE;
		if (read_fits_inline(s->p, c.count))
			sweep_attempt(s, &c, false);
		c.mechanism = MECH_WRITE_CHUNK;
		/* Neither was sent to this server. */
		if (!judge_is_before(s, &c) && !s->records->gave_up[MECH_REPLY_CHUNK] &&
		    !gate_lets(s->p->server.kind, GATE_REPLY_CHUNK))
			judge_note_before(s, &c, judge_control(s, &c));
		/* An odd length shows a pad that is written only if there is room for it. */
		c.layout = c.count % 4 ? LAYOUT_ROUNDED : sweep_plain_layout(i);
		sweep_attempt(s, &c, false);
		/* Some READs of this range were not made. */
		if (s->records->out_of_time)
			break;
	}
	sweep_note_cut(s, i, s->nranges, "by every mechanism");
}

static void sweep_after_others(struct sweep *s)
{
	const bool *gave_up = &s->records->gave_up[MECH_WRITE_CHUNK];
	unsigned int i;

	for (i = 0; i < s->nranges && !*gave_up && !sweep_stop(s); i++) {
		struct read_case c = { .mechanism = MECH_WRITE_CHUNK,
				       .layout = sweep_plain_layout(i + 1),
				       .offset = s->ranges[i].offset,
				       .count = s->ranges[i].count };

		probe_progress(s->p, "READs after other operations", s->done++, s->total);
		judge_note_before(s, &c, judge_control(s, &c));
		sweep_attempt(s, &c, true);
		if (s->records->out_of_time)
			break;
	}
	sweep_note_cut(s, i, s->nranges, "after other operations");
}

/* Checks the outcomes and records them. */
static void sweep_record_flight(struct sweep *s, const struct read_case *cases, unsigned int n,
				const struct read_outcome *outcomes)
{
	struct read_record rs[SWEEP_IN_FLIGHT];
	unsigned int i;

	for (i = 0; i < n; i++)
		rs[i] = (struct read_record){ .c = cases[i],
					      .outcome = outcomes[i],
					      .expected = sweep_expected(s, &cases[i]),
					      .tries = 1,
					      .in_flight = n };
	for (i = 0; i < n; i++)
		rs[i].at_end = sweep_is_at_end(s, &rs[i]);
	judge_flight(s, cases, n, rs);
	for (i = 0; i < n; i++) {
		sweep_count_failures(s, &rs[i]);
		sweep_add_record(s, &rs[i]);
	}
}

static void sweep_in_flight(struct sweep *s)
{
	struct read_case cases[SWEEP_IN_FLIGHT];
	struct read_outcome outcomes[SWEEP_IN_FLIGHT];
	unsigned int i, n, width;
	struct call_failures before;
	uint64_t bytes;

	for (i = 0; i < s->nranges && !sweep_stop(s); i += n) {
		if (client41_ready(s->p) || session_ready(s->p) ||
		    s->records->gave_up[MECH_WRITE_CHUNK])
			return;
		width = min_u32(rpcrdma_credits(s->p->session.conn), SWEEP_IN_FLIGHT);
		width = min_u32(width, client41_width(s->p));
		probe_progress(s->p, "READs in flight together", s->done, s->total);
		for (n = 0, bytes = 0; n < width && i + n < s->nranges; n++) {
			bytes += s->ranges[i + n].count;
			cases[n] = (struct read_case){ .mechanism = MECH_WRITE_CHUNK,
						       .layout = sweep_plain_layout(n),
						       .offset = s->ranges[i + n].offset,
						       .count = s->ranges[i + n].count };
		}
		if (!sweep_fits_time(s, bytes))
			break;
		s->done += n;
		before = s->p->behaviour.transport;
		judge_flight_read(s, cases, n, outcomes);
		sweep_record_flight(s, cases, n, outcomes);
		if (s->w.changing)
			s->p->behaviour.transport = before;
	}
	sweep_note_cut(s, i, s->nranges, "several in flight");
}

static void sweep_every_layout(struct sweep *s)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(layout_sizes) && !sweep_stop(s); i++)
		for (j = 0; j < ARRAY_SIZE(layouts) && !sweep_stop(s); j++) {
			struct read_case c = { .mechanism = MECH_WRITE_CHUNK,
					       .layout = layouts[j].layout,
					       .pieces = layouts[j].pieces,
					       .offset = 0,
					       .count = min_u32(layout_sizes[i],
								s->p->limits.rtmax) };

			probe_progress(s->p, "READs by several segments", s->done++, s->total);
			sweep_attempt(s, &c, false);
			c.mechanism = MECH_REPLY_CHUNK;
			if (c.layout == LAYOUT_PIECES)
				sweep_attempt(s, &c, false);
		}
	sweep_note_cut(s, i, ARRAY_SIZE(layout_sizes), "by several segments");
}

/* Reads as Linux clients of various versions do: inline up to a size, by Write chunk above it,
 * with growing sizes on one connection. */
static void sweep_client_profiles(struct sweep *s)
{
	unsigned int i, j;

	for (i = 0; sweep_profiles[i]; i++) {
		const uint32_t limit = sweep_profiles[i];
		const uint32_t steps[] = { limit - 1, limit, limit + 1, 2 * limit, 4096 };

		for (j = 0; j < ARRAY_SIZE(steps) && !sweep_stop(s); j++) {
			struct read_case c = { .count = steps[j] };

			if (session_ready(s->p))
				return;
			probe_progress(s->p, "READs as Linux clients do them", s->done++, s->total);
			c.mechanism = steps[j] <= limit && read_fits_inline(s->p, c.count)
					      ? MECH_INLINE
					      : MECH_WRITE_CHUNK;
			sweep_attempt(s, &c, false);
		}
	}
}

static void sweep_head_ranges(struct sweep *s)
{
	ranges_head(&s->set, s->p->options->level, s->p->limits.rtmax);
	/* The form of a returned unused chunk identifies old servers. */
	if (s->p->options->level == PROBE_QUICK && !s->p->server.linux3.private_data)
		ranges_add(&s->set, 0, 0);
}

static void sweep_tail_ranges(struct sweep *s)
{
	/* The window was placed by an earlier size of the file. */
	if (s->w.base + s->w.len == s->w.attr.size)
		ranges_tail(&s->set, s->p->options->level, min_u32(s->w.len, s->p->limits.rtmax),
			    s->w.attr.size);
}

static void sweep_giant_ranges(struct sweep *s)
{
	uint64_t edge = (uint64_t)1 << 32;

	ranges_add(&s->set, edge - 5, 813);
	ranges_add(&s->set, edge - 4096, 8192);
	ranges_add(&s->set, edge, 4097);
}

static void sweep_hole_ranges(struct sweep *s)
{
	ranges_add(&s->set, s->w.base, 4097);
	ranges_add(&s->set, s->w.base + 4095, 65536);
}

/* Reads the ranges of a window of a file. */
static int sweep_window_open(struct sweep *s, const struct probe_file *file, uint64_t base,
			     uint32_t len, void (*ranges)(struct sweep *s))
{
	enum mechanism m;
	int rc;

	s->set.n = s->set.left_out = 0;
	rc = window_open(s->p, &s->w, file, base, len);
	if (!rc)
		ranges(s);
	s->ranges = s->set.list;
	s->nranges = s->set.n;
	for (m = 0; m < MECH_COUNT; m++)
		s->records->not_run[m] += s->set.left_out;
	return rc;
}

/* The file that carries the sweep. False: it changed, take another. */
static bool sweep_main_file(struct sweep *s, const struct probe_file *file)
{
	bool quick = s->p->options->level == PROBE_QUICK;
	bool changed;

	if (sweep_window_open(s, file, 0, s->p->limits.rtmax + 8192, sweep_head_ranges))
		return false;
	s->done = 0;
	s->total = 3 * s->nranges + ARRAY_SIZE(layout_sizes) * ARRAY_SIZE(layouts) + 20;
	sweep_every_mechanism(s);
	sweep_client_profiles(s);
	if (quick) {
		ranges_keep(&s->set, 813, 4096);
		s->nranges = s->set.n;
	}
	sweep_after_others(s);
	if (!quick)
		sweep_every_layout(s);
	sweep_in_flight(s);
	second_run(s->p, &s->w);
	changed = s->w.changing;
	window_close(&s->w);
	return !changed;
}

/* There are bytes, and they cannot be read even inline: the same READ by RDMA and by TCP says why. */
static void sweep_note_unreadable(struct sweep *s, const struct probe_file *file, uint64_t base)
{
	struct read_record r = { .c = { .mechanism = MECH_INLINE, .offset = base, .count = 512 },
				 .in_flight = 1,
				 .tries = 1,
				 .wrong = 1,
				 .confirmed = true };
	struct window empty = { .file = file };
	struct nfs_result result = { 0 };
	const struct nfs_request request = {
		.op = NFS_OP_READ, .fh = file->fh, .offset = base, .count = r.c.count
	};

	/* It may be shorter by now, or gone. */
	if (operation_getattr(s->p, &file->fh, &empty.attr) || empty.attr.size < base + r.c.count)
		return;
	read_once(s->p, &empty, &r.c, &r.outcome);
	if (r.outcome.kind != READ_STATUS)
		return;
	r.wrong_over_tcp = !over_tcp_operation(s->p, &request, NULL, &result) &&
			   result.status == r.outcome.status;
	r.expected = r.c.count;
	/* Else whose error it is is not known. */
	if (r.wrong_over_tcp)
		sweep_add_record(s, &r);
	else
		s->records->not_run[r.c.mechanism]++;
}

static void sweep_more_windows(struct sweep *s, const struct probe_file *file)
{
	const struct probe_file *giant = s->p->files.giant.attr.size ? &s->p->files.giant : NULL;
	uint32_t tail = (uint32_t)min_u64(file->attr.size, s->p->limits.rtmax);
	const struct {
		const struct probe_file *file;
		uint64_t base;
		uint32_t len;
		void (*ranges)(struct sweep *s);
	} windows[] = {
		{ file, file->attr.size - tail, tail, sweep_tail_ranges },
		{ giant, ((uint64_t)1 << 32) - 8192, 65536, sweep_giant_ranges },
		{ giant, (uint64_t)1 << 30, 131072, sweep_hole_ranges },
	};
	size_t i;

	s->w.changing = false;
	if (sweep_stop(s))
		sweep_note_cut(s, 0, 1, "at the end of the file");
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		s->w.changing = false;
		if (!windows[i].file || sweep_stop(s))
			continue;
		if (sweep_window_open(s, windows[i].file, windows[i].base, windows[i].len,
				      windows[i].ranges)) {
			sweep_note_unreadable(s, windows[i].file, windows[i].base);
			continue;
		}
		s->done = 0;
		s->total = 3 * s->nranges;
		sweep_every_mechanism(s);
		sweep_after_others(s);
		sweep_in_flight(s);
		window_close(&s->w);
	}
}

/* The file that has most of the bytes that the server returns at once. */
static const struct probe_file *sweep_large_file(const struct files *files, uint32_t most)
{
	const struct probe_file *file = &files->candidates[0];
	unsigned int i;

	for (i = 1; i < files->ncandidates; i++)
		if (min_u64(files->candidates[i].attr.size, most) > min_u64(file->attr.size, most))
			file = &files->candidates[i];
	return file;
}

/* The limit of locked memory differs between hosts and does not concern the server. */
static bool sweep_can_register(struct sweep *s, uint32_t len)
{
	struct area a;
	int rc = session_ready(s->p);

	if (!rc)
		rc = area_init(&a, &len, 1);
	if (rc)
		return false;
	rc = session_register(&s->p->session, &a);
	session_release(&s->p->session, &a);
	area_fini(&a);
	return !rc;
}

static void sweep_large_stop(struct sweep *s, const char *why)
{
	snprintf(s->records->large_why, sizeof(s->records->large_why), "%s", why);
}

/* Makes one of them. False: make no more. */
static bool sweep_large_read(struct sweep *s, const struct probe_file *file,
			     const struct read_case *c, uint32_t window)
{
	size_t before = s->records->count;
	const struct read_record *r;
	int rc = 0;

	/* Grow the window to hold the READ's data. */
	if (window > s->w.len) {
		window_close(&s->w);
		rc = window_open(s->p, &s->w, file, 0, window);
	}
	if (rc || !sweep_can_register(s, c->count)) {
		sweep_large_stop(s, err_text());
		return false;
	}
	sweep_attempt(s, c, false);
	if (s->w.changing)
		sweep_large_stop(s, "the file changed while it was read");
	if (s->w.changing || s->records->count == before)
		return false;
	r = &s->records->list[before];
	if (r->outcome.kind == READ_OK && r->expected < c->count) {
		sweep_large_stop(s, "the server returns no more at once");
		return false;
	}
	return true;
}

/* READs up to the largest that the server accepts, by Write chunk alone: another mechanism needs
 * memory for all of it elsewhere, and no client reads so. */
static void sweep_large_reads(struct sweep *s)
{
	const struct probe_file *file = sweep_large_file(&s->p->files, s->p->limits.read_max);
	uint64_t most = min_u64(s->p->limits.read_max, file->attr.size), begin;
	struct read_case c = { .mechanism = MECH_WRITE_CHUNK, .layout = LAYOUT_ROUNDED };
	double ms_a_byte = 0;
	unsigned int i;

	if (most < s->p->limits.read_max)
		sweep_large_stop(s, "no larger file found");
	if (!gate_lets(s->p->server.kind, GATE_LONG))
		return;
	if (!s->p->tcp.reference && most > LARGE_INLINE_MAX) {
		most = LARGE_INLINE_MAX;
		sweep_large_stop(s, "no reference over TCP to compare more with");
	}
	s->w.changing = false;
	s->set.n = 0;
	ranges_large(&s->set, s->p->limits.rtmax, (uint32_t)most);
	for (i = 0; i < s->set.n && !sweep_stop(s); i++) {
		c.count = s->set.list[i].count;
		probe_progress(s->p, "large READs", i, s->set.n);
		begin = now_ms();
		/* By the time of those before: at most half of the time left, because later
		 * steps need time too. */
		if (deadline_left(s->p->deadline) / 2 <=
		    2 * c.count * ms_a_byte + TIME_RESERVE_MS) {
			sweep_large_stop(s, "more would take too long");
			break;
		}
		if (!sweep_large_read(s, file, &c, (uint32_t)min_u64(c.count + 1ull, most)))
			break;
		ms_a_byte = (double)(now_ms() - begin) / c.count;
	}
	window_close(&s->w);
}

static enum read_kind sweep_attempt_random(void *arg, const struct read_case *c)
{
	struct read_record r = { .c = *c, .random = true, .in_flight = 1, .tries = 1 };
	struct sweep *s = arg;

	sweep_read(s, &r);
	if (!read_kind_is_clean(r.outcome.kind) && r.outcome.kind != READ_NOT_RUN &&
	    r.outcome.kind != READ_LATER)
		sweep_add_record(s, &r);
	return r.outcome.kind;
}

void sweep_run(struct probe *p, struct records *records)
{
	const struct files *files = &p->files;
	struct sweep s = { .p = p, .records = records };
	unsigned int i, n = min_u32(files->ncandidates, FILES_MAX);
	bool out_of_time;

	for (i = 0; i < n; i++) {
		s.w.changing = false;
		if (sweep_stop(&s) || sweep_main_file(&s, &files->candidates[i]))
			break;
		records->changed_files += s.w.changing;
	}
	records->all_changing = n && records->changed_files == n;
	records->unfinished = i == n;
	if (i < n && i)
		probe_subject(p, "file", "%s", files->candidates[i].path);
	if (i < n && p->options->level != PROBE_QUICK)
		sweep_more_windows(&s, &files->candidates[i]);
	if (i < n && p->options->level == PROBE_FULL)
		sweep_large_reads(&s);
	/* READs that are not made there do not count for the sweep. */
	out_of_time = records->out_of_time;
	random_run(&(struct random_task){ .p = p,
					  .records = records,
					  .w = &s.w,
					  .first = i,
					  .reserve_ms = sweep_reserve_ms(&s),
					  .ms_a_byte = s.ms_a_byte,
					  .attempt = sweep_attempt_random,
					  .arg = &s });
	records->out_of_time = out_of_time;
	if (records->out_of_time && !p->pace.not_tried[0])
		late_not_tried(&p->pace, "the last READs");
	records->hopeless = p->session.hopeless;
	records->why_reason = p->session.device_gone ? "device"
			      : p->liveness.gone     ? "server-gone"
						     : "busy";
	snprintf(records->why, sizeof(records->why), "%s",
		 p->session.device_gone ? "the RDMA device was removed"
		 : p->liveness.gone     ? p->liveness.gone_why
					: p->session.busy);
}
