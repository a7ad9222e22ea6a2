/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Servers that do not answer, by the mountstats counters of each mount's transports: pure.
 *
 * A request that was sent and has no reply counts; a reply that no request waits for any
 * more is a "bad xid". But part of the difference is constant: requests sent on a
 * connection that broke, and our own replies to the server's callbacks, which count as
 * sent. The minimum since the connection was made is taken as that part, and the kernel
 * reports how many requests wait (host_rpc_queues()). A server is silent if requests wait
 * at two scans, SILENT_MS apart, without any reply in between.
 *
 * Kernels before 5.14 do not report how many wait. A callback then looks like a waiting
 * request until the next reply: at the latest the one to NFSv4's lease renewal, once a
 * minute. */
#include "plugin/watch/internal.h"
#include "rpcrdma/base/grow.h"

struct silence_counts {
	uint64_t sent, answered, connects;
};

static uint64_t silence_value(const struct nfs_xprt *xprt, enum xprt_column column)
{
	return column < xprt->nvalues ? xprt->values[column] : 0;
}

/* Of all connections. False: the kernel does not report these counters. */
static bool silence_count(const struct nfs_mount *mount, struct silence_counts *out)
{
	unsigned int i;

	*out = (struct silence_counts){ 0 };
	for (i = 0; i < mount->nxprts; i++) {
		const struct nfs_xprt *xprt = &mount->xprts[i];

		if (xprt->nvalues <= XPRT_BAD_XIDS)
			return false;
		out->connects += silence_value(xprt, XPRT_CONNECTS);
		out->sent += silence_value(xprt, XPRT_SENDS);
		out->answered += silence_value(xprt, XPRT_RECVS) +
				 silence_value(xprt, XPRT_BAD_XIDS);
	}
	return mount->nxprts && !mount->xprts_cut;
}

/* The mount's entry, added if it is not there. Errors: -ENOMEM. */
static int silence_get(struct silences *all, const struct nfs_mount *mount, struct silence **out)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		*out = &all->list[i];
		if ((*out)->id == mount->id && !strcmp((*out)->target, mount->target) &&
		    !strcmp((*out)->spec, mount->fs_spec))
			return 0;
	}
	if (!grow(all->list, all->count))
		return err_no_memory();
	*out = &all->list[all->count++];
	**out = (struct silence){ .id = mount->id, .sent = UINT64_MAX };
	str_copy((*out)->target, sizeof((*out)->target), mount->target);
	str_copy((*out)->spec, sizeof((*out)->spec), mount->fs_spec);
	return 0;
}

void silences_begin(struct silences *all)
{
	size_t i;

	all->again_ms = 0;
	for (i = 0; i < all->count; i++)
		all->list[i].seen = false;
}

/* Updates the constant part, and returns whether a reply came. */
static bool silence_update(struct silence *one, const struct silence_counts *now)
{
	bool anew = one->sent > now->sent || one->answered > now->answered ||
		    one->connects != now->connects;
	bool answered = one->answered != now->answered;
	/* The counters of two connections are read one after the other. */
	uint64_t open = now->sent > now->answered ? now->sent - now->answered : 0;

	if (anew || open < one->lost)
		one->lost = open;
	one->waiting = open - one->lost;
	one->sent = now->sent;
	one->answered = now->answered;
	one->connects = now->connects;
	return answered;
}

/* Of all connections to the mount's server. False: none of them is up, or the kernel is too
 * old. */
static bool silence_queued(const struct host_rpc_queues *queues, const struct nfs_mount *mount,
			   uint64_t *waiting)
{
	bool known = false;
	size_t i;

	*waiting = 0;
	for (i = 0; i < queues->count; i++) {
		const struct host_rpc_queue *queue = &queues->list[i];
		size_t len = strlen(queue->proto);

		if (!queue->known || strcmp(queue->addr, mount->addr) != 0)
			continue;
		/* "rdma6" is "rdma" over IPv6. */
		if (strncmp(queue->proto, mount->proto, len) != 0 ||
		    (mount->proto[len] && strcmp(mount->proto + len, "6") != 0))
			continue;
		known = true;
		*waiting += queue->waiting;
	}
	return known;
}

int silences_see(struct silences *all, const struct silence_sources *sources,
		 const struct nfs_mount *mount, silence_sink sink, void *arg)
{
	uint64_t now = sources->now, patience, waiting;
	struct silence_counts counts;
	struct silence *one = NULL;
	int rc;

	if (!silence_count(mount, &counts))
		return 0;
	rc = silence_get(all, mount, &one);
	if (rc)
		return rc;
	one->seen = true;
	one->hard = mount->hard;
	if (silence_update(one, &counts)) {
		if (one->reported)
			sink(arg, one, false, now);
		one->since_ms = 0;
		one->reported = false;
	}
	if (silence_queued(sources->queues, mount, &waiting) && waiting < one->waiting)
		one->waiting = waiting;
	/* A silent server that was reported needs a reply: a new connection alone does not
	 * count. */
	if (!one->waiting && !one->reported)
		one->since_ms = 0;
	if (!one->waiting || one->reported)
		return 0;
	if (!one->since_ms)
		one->since_ms = now;
	patience = sources->queues->present ? SILENT_MS : SILENT_OLD_MS;
	if (now - one->since_ms >= patience) {
		one->reported = true;
		sink(arg, one, true, now);
	} else if (!all->again_ms || one->since_ms + patience < all->again_ms) {
		all->again_ms = one->since_ms + patience;
	}
	return 0;
}

void silences_end(struct silences *all)
{
	size_t i, kept = 0;

	for (i = 0; i < all->count; i++)
		if (all->list[i].seen)
			all->list[kept++] = all->list[i];
	all->count = kept;
}

unsigned int silences_count(const struct silences *all)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < all->count; i++)
		n += all->list[i].reported;
	return n;
}

void silences_fini(struct silences *all)
{
	free(all->list);
	*all = (struct silences){ .count = 0 };
}
