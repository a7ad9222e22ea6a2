/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From what happens to a user to the status: the one table of both. Pure. */
#include "plugin/report/internal.h"

static const struct {
	const char *name;
	enum finding_status failed, warned; /* what becomes of the code's word */
} consequences[] = {
	[CONSEQUENCE_UNDECIDED] = { "", FINDING_FAIL, FINDING_WARN },
	[CONSEQUENCE_NONE] = { "none", FINDING_PASS, FINDING_PASS },
	[CONSEQUENCE_PROTOCOL] = { "protocol", FINDING_WARN, FINDING_WARN },
	[CONSEQUENCE_SLOW] = { "slow", FINDING_WARN, FINDING_WARN },
	[CONSEQUENCE_LATER] = { "later", FINDING_WARN, FINDING_WARN },
	[CONSEQUENCE_TCP] = { "tcp", FINDING_FAIL, FINDING_WARN },
	[CONSEQUENCE_NO_MOUNT] = { "no-mount", FINDING_FAIL, FINDING_FAIL },
	[CONSEQUENCE_IO_ERROR] = { "io-error", FINDING_FAIL, FINDING_FAIL },
	[CONSEQUENCE_HANG] = { "hang", FINDING_FAIL, FINDING_FAIL },
	[CONSEQUENCE_SERVER_CRASH] = { "server-crash", FINDING_FAIL, FINDING_FAIL },
	[CONSEQUENCE_DATA] = { "data", FINDING_FAIL, FINDING_FAIL },
};

_Static_assert(ARRAY_SIZE(consequences) == CONSEQUENCE_COUNT, "one row for each");

const char *consequence_name(enum consequence consequence)
{
	return consequences[consequence].name;
}

static bool consequence_is_known(const struct finding *finding)
{
	return (finding->status == FINDING_FAIL || finding->status == FINDING_WARN) &&
	       meaning_find(finding->id);
}

enum consequence consequence_of(const struct finding *finding)
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct reason *reason;

	if (!consequence_is_known(finding))
		return CONSEQUENCE_UNDECIDED;
	reason = meaning_reason(meaning, finding->reason);
	return reason ? reason->consequence : meaning->consequence;
}

enum finding_status consequence_status(const struct finding *finding)
{
	const struct reason *reason;

	reason = consequence_is_known(finding)
			 ? meaning_reason(meaning_find(finding->id), finding->reason)
			 : NULL;
	if (!reason)
		return finding->status;
	if (finding->status == FINDING_FAIL)
		return consequences[reason->consequence].failed;
	return reason->possible ? FINDING_WARN : consequences[reason->consequence].warned;
}

void consequence_weigh(struct finding *to, const struct finding *from)
{
	finding_copy(to, from);
	to->status = consequence_status(from);
}
