/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The largest correct Write-chunk READ, and the largest that the server accepts. Pure. */
#include "rpcrdma/probe/internal.h"

static uint32_t largest_right(const struct records *records)
{
	uint32_t largest = 0;
	size_t i;

	for (i = 0; i < records->count; i++)
		if (records->list[i].c.mechanism == MECH_WRITE_CHUNK &&
		    read_kind_is_right(records->list[i].outcome.kind) &&
		    records->list[i].outcome.brought > largest)
			largest = records->list[i].outcome.brought;
	return largest;
}

/* Whether larger ones were tested and failed. */
static bool largest_has_failed(const struct records *records, uint32_t largest)
{
	size_t i;

	for (i = 0; i < records->count; i++)
		if (records->list[i].c.mechanism == MECH_WRITE_CHUNK &&
		    read_kind_is_failure(records->list[i].outcome.kind) &&
		    records->list[i].expected > largest)
			return true;
	return false;
}

static const char *largest_stopped_why(const struct largest_input *in, uint32_t largest)
{
	if (in->records->out_of_time)
		return "the time ran out";
	if (largest >= GATE_MAX && !gate_lets(in->kind, GATE_LONG))
		return "longer ones can crash nfs-ganesha";
	if (in->level != PROBE_FULL)
		return "--level full goes further";
	if (in->records->large_why[0])
		return in->records->large_why;
	if (largest < in->read_max)
		return "larger ones failed";
	return in->read_max == READ_MAX_LARGE ? "this program requests no more at once"
					      : "the session returns no more at once";
}

void largest_say(const struct largest_input *in, finding_sink sink, void *arg)
{
	static const char id[] = "probe.read.largest";
	uint32_t largest = largest_right(in->records);
	bool failed = largest_has_failed(in->records, largest);
	_cleanup_(finding_fini) struct finding f = { 0 };

	if (!largest)
		finding_init(&f, id, FINDING_SKIP, "no Write-chunk READ was correct");
	else if (failed)
		finding_init(&f, id, FINDING_SKIP,
			     "Write-chunk READs are correct up to %u bytes, larger ones failed",
			     largest);
	else if (!in->named_max)
		finding_init(&f, id, FINDING_PASS,
			     "Write-chunk READs tested up to %u bytes; the server names no largest",
			     largest);
	else if (largest >= in->named_max)
		finding_init(&f, id, FINDING_PASS,
			     "Write-chunk READs tested up to %u bytes, the server's largest",
			     largest);
	else
		finding_init(&f, id, FINDING_SKIP,
			     "Write-chunk READs stopped at %u bytes, the server takes %u: %s",
			     largest, in->named_max, largest_stopped_why(in, largest));
	finding_number(&f, "largest_right", largest);
	finding_number(&f, "server_largest", in->named_max);
	sink(arg, &f);
}
