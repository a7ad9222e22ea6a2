/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the WRITEs of a probe prove. Pure. */
#include <stdio.h>

#include "rpcrdma/probe/write-internal.h"

static unsigned int sum(const unsigned int counts[WRITE_MECHANISMS])
{
	unsigned int all = 0;
	enum write_mechanism m;

	for (m = 0; m < WRITE_MECHANISMS; m++)
		all += counts[m];
	return all;
}

/* "inline and Read chunk" */
static const char *mechanisms_text(const unsigned int counts[WRITE_MECHANISMS], char *buf,
				   size_t cap)
{
	enum write_mechanism m;
	size_t used = 0;

	*buf = '\0';
	for (m = 0; m < WRITE_MECHANISMS; m++)
		if (counts[m] && used < cap)
			used += (size_t)snprintf(buf + used, cap - used, "%s%s", used ? ", " : "",
						 write_mechanism_name(m));
	return buf;
}

static void add_numbers(const struct write_tally *t, struct finding *f)
{
	static const struct {
		const char *right, *wrong;
	} keys[WRITE_MECHANISMS] = {
		[WRITE_INLINE] = { "inline_right", "inline_wrong" },
		[WRITE_READ_CHUNK] = { "read_chunk_right", "read_chunk_wrong" },
		[WRITE_LONG_CALL] = { "long_call_right", "long_call_wrong" },
		[WRITE_LONG_CHUNK] = { "long_chunk_right", "long_chunk_wrong" },
	};
	enum write_mechanism m;

	for (m = 0; m < WRITE_MECHANISMS; m++) {
		finding_number(f, keys[m].right, t->right[m]);
		finding_number(f, keys[m].wrong, t->wrong[m]);
	}
	finding_number(f, "in_flight", t->flight_right);
	finding_number(f, "random", t->random);
	finding_number(f, "largest_right", t->largest);
	finding_number(f, "bytes_written", t->bytes);
	if (*t->example)
		finding_text(f, "example", "%s", t->example);
}

/* Only with several segments, or only with others in flight. */
static const char *wrong_reason(const struct write_tally *t)
{
	unsigned int wrong = sum(t->wrong);

	if (!wrong)
		return "in-flight";
	if (t->segments_wrong == wrong && t->right[WRITE_READ_CHUNK] > t->segments_right)
		return "segments";
	return write_outcome_reason(&t->first);
}

static void say_wrong(const struct write_tally *t, struct finding *f)
{
	unsigned int wrong = sum(t->wrong) + t->flight_wrong;
	unsigned int all = wrong + sum(t->right) + t->flight_right;
	char by[96];

	if (sum(t->wrong))
		finding_init(f, "probe.write",
			     t->first.kind == WRITE_SHORT ? FINDING_WARN : FINDING_FAIL,
			     "%u of %u WRITEs fail, by %s: %s", wrong, all,
			     mechanisms_text(t->wrong, by, sizeof(by)), t->example);
	else
		finding_init(f, "probe.write", FINDING_FAIL,
			     "WRITEs fail with others in flight, and not alone: %s", t->example);
	finding_reason(f, wrong_reason(t));
}

static void say_write(const struct write_tally *t, finding_sink sink, void *arg)
{
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int right = sum(t->right) + t->flight_right;
	char by[96];

	if (sum(t->wrong) || t->flight_wrong) {
		say_wrong(t, &f);
	} else if (t->refused) {
		finding_init(&f, "probe.write", FINDING_UNKNOWN,
			     "the server refuses a WRITE, after %u correct ones: %s", right,
			     t->refused_text);
		finding_reason(&f, t->refused);
	} else if (!right || t->out_of_time || (t->stopped && !t->at_times)) {
		finding_init(&f, "probe.write", FINDING_UNKNOWN, "%s after %u correct WRITEs",
			     t->out_of_time ? "the time ran out" : "nothing more was tried", right);
		finding_reason(&f, t->out_of_time ? "time" : "not-tried");
	} else if (t->at_times || t->over_tcp) {
		finding_init(&f, "probe.write", FINDING_SKIP,
			     "%u WRITEs are correct; the others have their own findings", right);
	} else {
		finding_init(&f, "probe.write", FINDING_PASS,
			     "%u WRITEs of 1 to %u bytes by %s, all stored as sent", right,
			     t->largest, mechanisms_text(t->right, by, sizeof(by)));
	}
	add_numbers(t, &f);
	sink(arg, &f);
}

static void say_at_times(const struct write_tally *t, finding_sink sink, void *arg)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.write.intermittent", FINDING_FAIL,
		     "%u of %u WRITEs fail, and are right when repeated: %s", t->at_times,
		     t->at_times + sum(t->right), t->at_times_example);
	finding_reason(&f, t->at_times_data ? "data" : "errors");
	finding_number(&f, "failed", t->at_times);
	finding_text(&f, "example", "%s", t->at_times_example);
	sink(arg, &f);
}

static void say_over_tcp(const struct write_tally *t, finding_sink sink, void *arg)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.write.over-tcp", FINDING_WARN,
		     "%u WRITEs fail over TCP too, so RDMA is not the cause: %s", t->over_tcp,
		     t->over_tcp_example);
	finding_reason(&f, "nfs");
	finding_number(&f, "failed", t->over_tcp);
	finding_text(&f, "example", "%s", t->over_tcp_example);
	sink(arg, &f);
}

static void say_commit(const struct write_tally *t, finding_sink sink, void *arg)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (t->commit) {
		finding_init(&f, "probe.write.commit", FINDING_FAIL, "%s", t->commit_text);
		finding_reason(&f, t->commit);
	} else {
		finding_init(&f, "probe.write.commit", FINDING_PASS,
			     "what was committed is there on a new connection");
	}
	finding_number(&f, "commits", t->commits);
	sink(arg, &f);
}

void write_forget(struct behaviour *now, const struct behaviour *before)
{
	const struct call_failures lost = now->lost;
	const unsigned int gaps = now->gaps;

	*now = *before;
	if (!gaps || lost.count - before->lost.count != gaps - before->gaps)
		return;
	now->lost = lost;
	now->gaps = gaps;
}

void write_say(const struct write_tally *t, finding_sink sink, void *arg)
{
	say_write(t, sink, arg);
	if (t->at_times)
		say_at_times(t, sink, arg);
	if (t->over_tcp)
		say_over_tcp(t, sink, arg);
	if (t->commit || t->committed)
		say_commit(t, sink, arg);
}
