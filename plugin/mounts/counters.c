/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the counters of a mount's RDMA connections show: pure. Mounts of one server share
 * connections, and so counters. */
#include <ctype.h>
#include <stdio.h>

#include "plugin/mounts/internal.h"

/* RPCRDMA_IDLE_DISC_TO in net/sunrpc/xprtrdma/xprt_rdma.h. */
#define IDLE_S 300

void mounts_sum(const struct nfs_mount *mount, struct xprt_sum *out)
{
	const struct nfs_xprt *xprt;
	unsigned int i, column;
	uint64_t value, *to;

	memset(out, 0, sizeof(*out));
	out->ncolumns = XPRT_COLUMNS;
	for (i = 0; i < mount->nxprts; i++) {
		xprt = &mount->xprts[i];
		if (!view_is_rdma(xprt->proto))
			continue;
		out->ncolumns = min_u32(out->ncolumns, xprt->nvalues);
		for (column = 0; column < out->ncolumns; column++) {
			value = xprt->values[column];
			to = &out->values[column];
			if (xprt_columns[column].is_sum)
				*to = value > UINT64_MAX - *to ? UINT64_MAX : *to + value;
			else
				*to = out->nxprts && *to < value ? *to : value;
		}
		out->unused += xprt->nvalues > XPRT_IDLE && !xprt->values[XPRT_IDLE];
		out->nxprts++;
	}
	out->ncolumns = out->nxprts ? out->ncolumns : 0;
}

/* "malformed replies" */
static const char *mounts_counters_meaning(enum xprt_column column, char buf[128])
{
	str_copy(buf, 128, metric_families[xprt_columns[column].metric].help);
	*buf = (char)tolower((unsigned char)*buf);
	return buf;
}

/* The rise between two looks; 0 after one look, or on another connection. */
static uint64_t mounts_counters_rise(const struct mount_verdict *self, const struct xprt_sum *now,
				     enum xprt_column column)
{
	struct xprt_sum before;

	if (!self->before)
		return 0;
	mounts_sum(self->before, &before);
	if (before.nxprts != now->nxprts || before.ncolumns != now->ncolumns ||
	    before.values[column] > now->values[column])
		return 0;
	return now->values[column] - before.values[column];
}

/* failed_marshal_count is no error: it also counts calls that wait for memory regions. */
static void mounts_counters_errors(const struct mount_verdict *self, const struct xprt_sum *now,
				   struct words *bad)
{
	uint64_t rose = mounts_counters_rise(self, now, XPRT_BAD_REPLIES);
	char more[64] = "", meaning[128];

	if (rose)
		snprintf(more, sizeof(more), ", %llu more during this check",
			 (unsigned long long)rose);
	if (now->values[XPRT_BAD_REPLIES])
		words_add(bad, "%s is %llu%s: %s", xprt_columns[XPRT_BAD_REPLIES].name,
			  (unsigned long long)now->values[XPRT_BAD_REPLIES], more,
			  mounts_counters_meaning(XPRT_BAD_REPLIES, meaning));
	if (mounts_counters_rise(self, now, XPRT_BAD_XIDS))
		words_add(bad, "bad_xids rises: %s",
			  mounts_counters_meaning(XPRT_BAD_XIDS, meaning));
}

/* Each idle connection may have been reopened. */
static void mounts_counters_reconnects(const struct mount_verdict *self, const struct xprt_sum *now,
				       struct words *bad)
{
	uint64_t rose = mounts_counters_rise(self, now, XPRT_CONNECTS);
	struct xprt_sum before;

	if (!rose)
		return;
	mounts_sum(self->before, &before);
	if (rose > before.unused)
		words_add(bad, "%llu new connections during this check: it is lost in use",
			  (unsigned long long)rose);
}

/* More than idle times explain. Only a note, since a connection may be older than all
 * present mounts. */
static void mounts_counters_history(const struct mounts_audit *audit, const struct xprt_sum *now,
				    struct words *notes)
{
	const struct nfs_mount *mount = audit->verdicts[audit->index].mount, *other;
	uint64_t age = mount->age, connects = now->values[XPRT_CONNECTS], idle;
	unsigned int i;

	/* The connection can be as old as the oldest mount of that server. */
	for (i = 0; i < view_nfs(audit->seen->view)->count; i++) {
		other = &view_nfs(audit->seen->view)->list[i];
		if (mounts_same_server(mount, other) && other->age > age)
			age = other->age;
	}
	idle = now->nxprts * (1 + age / IDLE_S);

	if (connects > idle)
		words_add(notes, "%llu connections in %llu s; idle times explain %llu",
			  (unsigned long long)connects, (unsigned long long)age,
			  (unsigned long long)idle);
}

void mounts_judge_counters(const struct mounts_audit *audit, struct mount_opinion *out)
{
	const struct mount_verdict *self = &audit->verdicts[audit->index];
	struct words bad = { .separator = "; " }, notes = { .separator = "; " };
	const char *reason;
	struct xprt_sum now;

	if (self->view->covered || self->view->run != RUN_RDMA) {
		mounts_say(out, FINDING_SKIP, "no counters of RDMA");
		return;
	}
	mounts_sum(self->mount, &now);
	if (now.ncolumns <= XPRT_BAD_REPLIES) {
		mounts_say_why(out, FINDING_UNKNOWN, "few-numbers",
			       "mountstats has %u numbers for RDMA; Linux prints %u", now.ncolumns,
			       XPRT_COLUMNS);
		return;
	}
	mounts_counters_errors(self, &now, &bad);
	reason = bad.count ? "bad-replies" : "reconnects";
	mounts_counters_reconnects(self, &now, &bad);
	mounts_counters_history(audit, &now, &notes);
	if (bad.count)
		mounts_say_why(out, FINDING_WARN, reason, "%s", words_text(&bad));
	else if (notes.count)
		mounts_say(out, FINDING_PASS, "%s", words_text(&notes));
	else
		mounts_say(out, FINDING_PASS, "%llu calls, %llu replies, %llu connects",
			   (unsigned long long)now.values[XPRT_SENDS],
			   (unsigned long long)now.values[XPRT_RECVS],
			   (unsigned long long)now.values[XPRT_CONNECTS]);
	out->note = !bad.count && notes.count;
}
