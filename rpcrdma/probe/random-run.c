/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Random READs after a sweep without failures: a server that fails once in a thousand READs
 * passes a sweep of a few hundred. One READ is in flight at a time. Each file is read in windows
 * whose true bytes are known, so a READ is compared as the sweep's are; the sweep's code judges a
 * failed READ and repeats it.
 *
 * The bounds are checked between READs, never during one, so that no reply is lost at the end of
 * the time. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

#define BYTES_MAX (256u << 20) /* for PROBE_READS_DEFAULT READs; more in proportion */
#define TIME_MS   10000        /* the same */
/* READs of a file before the next file. A READ is at most half of a window. */
#define WINDOW_READS 64
/* Without a reference over TCP the true bytes are read in small pieces, so there is only one
 * window. */
#define WINDOW_INLINE (128u << 10)
#define WINDOW_MIN    (4 * RANDOM_SECTOR)
#define WRONG_MAX     8
#define FILE_ENOUGH   (64u << 10) /* smaller files only if all are */
#define FILES_MAX     (PROBE_CANDIDATES + 1)

struct random_run {
	const struct random_task *task;
	struct probe *p;
	struct random_reads *out;
	struct random_choice choice;
	uint64_t end, begin; /* of the time for these READs */
	uint64_t bytes_max;
	uint32_t window; /* bytes */
	const struct probe_file *files[FILES_MAX];
	unsigned int nfiles;
};

static void random_run_end(struct random_run *r, const char *why)
{
	snprintf(r->out->why, sizeof(r->out->why), "%s", why);
}

static void random_run_add_file(struct random_run *r, const struct probe_file *file, uint64_t least)
{
	if (file->attr.size >= least && r->nfiles < FILES_MAX)
		r->files[r->nfiles++] = file;
}

/* Adds files of at least @least bytes. */
static void random_run_add_files(struct random_run *r, uint64_t least)
{
	const struct files *files = &r->p->files;
	unsigned int i;

	for (i = r->task->first; i < files->ncandidates; i++)
		random_run_add_file(r, &files->candidates[i], least);
	random_run_add_file(r, &files->giant, least);
}

/* The time for a window's true bytes: a quarter. */
static void random_run_plan_window(struct random_run *r)
{
	double quarter = deadline_left(r->end) / 4.0;
	double ms_a_byte = r->task->ms_a_byte, most = 2.0 * r->p->limits.rtmax;

	if (!r->p->tcp.reference) {
		most = WINDOW_INLINE;
		ms_a_byte = (r->p->pace.rtt_ms + 0.01) / WINDOW_PIECE;
	}
	if (ms_a_byte > 0 && quarter / ms_a_byte < most)
		most = quarter / ms_a_byte;
	r->window = most < WINDOW_MIN ? 0 : (uint32_t)most / RANDOM_SECTOR * RANDOM_SECTOR;
	if (!r->window)
		random_run_end(r, "the path is too slow for them");
}

/* Whether there is time for @bytes. */
static bool random_run_has_time(struct random_run *r, uint32_t bytes)
{
	double ms = bytes * r->task->ms_a_byte + 2 * r->p->pace.rtt_ms;

	if (deadline_left(r->end) > ms)
		return true;
	random_run_end(r, "out of time");
	return false;
}

/* Counts one READ. False: make no more. */
static bool random_run_count(struct random_run *r, const struct read_case *c, enum read_kind kind)
{
	bool unanswered = kind == READ_NOT_RUN || kind == READ_WITHHELD || kind == READ_LATER;

	/* A READ during which the server was lost was made. */
	if (unanswered && !r->p->liveness.gone) {
		random_run_end(r, "the server no longer answers");
		return false;
	}
	r->out->reads++;
	r->out->bytes += c->count;
	if (kind == READ_OK) {
		r->out->right[c->mechanism]++;
		r->out->right_bytes[c->mechanism] += c->count;
		return true;
	}
	/* Correct, but not by the requested mechanism. */
	if (kind == READ_INLINE) {
		r->out->answered_inline++;
		return true;
	}
	r->out->wrong++;
	/* A READ that ends a connection is not repeated. */
	if (unanswered || kind == READ_LOST || kind == READ_CLOSED || kind == READ_TRANSPORT ||
	    r->p->session.hopeless || r->out->wrong >= WRONG_MAX) {
		random_run_end(r, "READs failed");
		return false;
	}
	return true;
}

/* Reads in the open window. False: make no more. */
static bool random_run_window(struct random_run *r)
{
	struct window *w = r->task->w;
	struct read_case c;
	enum read_kind kind;
	unsigned int i;

	for (i = 0; !r->p->tcp.reference || i < WINDOW_READS; i++) {
		probe_progress(r->p, "random READs", r->out->reads, r->out->wanted);
		if (!random_read(&r->choice, w->base, w->len, w->attr.size, &c)) {
			random_run_end(r, "no mechanism can be used");
			return false;
		}
		if (r->out->reads >= r->out->wanted) {
			random_run_end(r, "all done");
			return false;
		}
		if (r->out->bytes >= r->bytes_max) {
			random_run_end(r, "enough bytes were read");
			return false;
		}
		if (!random_run_has_time(r, c.count))
			return false;
		kind = r->task->attempt(r->task->arg, &c);
		if (kind == READ_CHANGING || w->changing)
			return true;
		if (!random_run_count(r, &c, kind))
			return false;
	}
	return true;
}

static void random_run_files(struct random_run *r)
{
	struct window *w = r->task->w;
	bool more = true;

	while (more && r->nfiles && random_run_has_time(r, r->window)) {
		unsigned int i = (unsigned int)random_below(&r->choice, r->nfiles);
		uint64_t size = r->files[i]->attr.size;
		uint32_t len = (uint32_t)min_u64(size, r->window);

		if (window_open(r->p, w, r->files[i], random_window(&r->choice, size, len), len)) {
			random_run_end(r, "a file could not be read for comparison");
			return;
		}
		more = random_run_window(r);
		if (w->changing)
			r->files[i] = r->files[--r->nfiles];
		if (!r->nfiles)
			random_run_end(r, "every file changed while it was read");
		window_close(w);
	}
}

static void random_run_reads(struct random_run *r)
{
	const struct probe *p = r->p;
	double more = r->out->wanted > PROBE_READS_DEFAULT
			      ? (double)r->out->wanted / PROBE_READS_DEFAULT
			      : 1;
	double most = TIME_MS * more;
	unsigned int half;

	r->out->seed = p->options->seed;
	if (!r->out->seed)
		r->out->seed = random_number();
	random_begin(&r->choice, r->out->seed, p->server.kind, r->task->records, p->limits.rtmax);
	random_run_add_files(r, FILE_ENOUGH);
	if (!r->nfiles)
		random_run_add_files(r, RANDOM_SECTOR);
	if (!r->nfiles)
		return random_run_end(r, "no file is as long as a sector of 512 bytes");
	/* At most half of the time left: later steps need time, too. */
	half = (unsigned int)deadline_left(p->deadline) / 2;
	r->bytes_max = (uint64_t)(BYTES_MAX * more);
	r->begin = now_ms();
	r->end = deadline_in(most < half ? (unsigned int)most : half);
	if (half <= r->task->reserve_ms)
		return random_run_end(r, "the time ran out");
	random_run_plan_window(r);
	if (r->window)
		random_run_files(r);
	r->out->seconds = (double)(now_ms() - r->begin) / 1000;
}

void random_run(const struct random_task *task)
{
	const struct probe *p = task->p;
	struct random_reads *out = &task->records->random;
	struct random_run r = { .task = task, .p = task->p, .out = out };
	const struct behaviour *b = &p->behaviour;
	unsigned int lost = b->lost.count + b->closed.count + b->transport.count + b->xid.count;

	*out = (struct random_reads){ .wanted = p->options->reads };
	if (p->options->level == PROBE_QUICK)
		random_run_end(&r, "not at level quick");
	else if (!p->options->reads)
		random_run_end(&r, "none were requested");
	else if (lost)
		random_run_end(&r, "connections or replies were lost before");
	else if (random_is_wanted(task->records, out->why, sizeof(out->why)))
		random_run_reads(&r);
}
