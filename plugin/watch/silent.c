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

struct counts {
	uint64_t sent, answered, connects;
};

static uint64_t value_of(const struct nfs_xprt *xprt, enum xprt_column column)
{
	return column < xprt->nvalues ? xprt->values[column] : 0;
}

/* Of all connections. False: the kernel does not report these counters. */
static bool count(const struct nfs_mount *mount, struct counts *out)
{
	unsigned int i;

	*out = (struct counts){ 0 };
	for (i = 0; i < mount->nxprts; i++) {
		const struct nfs_xprt *xprt = &mount->xprts[i];

		if (xprt->nvalues <= XPRT_BAD_XIDS)
			return false;
		out->connects += value_of(xprt, XPRT_CONNECTS);
		out->sent += value_of(xprt, XPRT_SENDS);
		out->answered += value_of(xprt, XPRT_RECVS) +
				 value_of(xprt, XPRT_BAD_XIDS);
	}
	return mount->nxprts && !mount->xprts_cut;
}

static struct silence *find(struct silences *all, const struct nfs_mount *mount)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		if (all->list[i].id == mount->id &&
		    !strcmp(all->list[i].target, mount->target) &&
		    !strcmp(all->list[i].spec, mount->fs_spec))
			return &all->list[i];
	return NULL;
}

static int add(struct silences *all, const struct nfs_mount *mount, struct silence **out)
{
	struct silence *list;

	if (all->count == all->room) {
		list = realloc(all->list, (2 * all->room + 1) * sizeof(*list));
		if (!list)
			return err_set(ENOMEM, "no memory");
		all->list = list;
		all->room = 2 * all->room + 1;
	}
	*out = &all->list[all->count++];
	**out = (struct silence){ .id = mount->id, .sent = UINT64_MAX };
	strcpy((*out)->target, mount->target);
	strcpy((*out)->spec, mount->fs_spec);
	return 0;
}

void silences_begin(struct silences *all)
{
	size_t i;

	all->again_ms = 0;
	for (i = 0; i < all->count; i++)
		all->list[i].seen = false;
}

/* The counters of two connections are read one after the other. */
static uint64_t unanswered(const struct counts *counts)
{
	return counts->sent > counts->answered ? counts->sent - counts->answered : 0;
}

/* Updates the constant part, and returns whether a reply came. */
static bool take_counts(struct silence *one, const struct counts *now)
{
	bool anew = one->sent > now->sent || one->answered > now->answered ||
		    one->connects != now->connects;
	bool heard = one->answered != now->answered;
	uint64_t open = unanswered(now);

	if (anew || open < one->lost)
		one->lost = open;
	one->waiting = open - one->lost;
	one->sent = now->sent;
	one->answered = now->answered;
	one->connects = now->connects;
	return heard;
}

static void forget(struct silence *one)
{
	one->since_ms = 0;
	one->told = false;
}

/* "rdma6" is "rdma" over IPv6. */
static bool is_proto(const char *proto, const char *of_mount)
{
	size_t len = strlen(proto);

	return !strncmp(proto, of_mount, len) &&
	       (!of_mount[len] || !strcmp(of_mount + len, "6"));
}

/* Of all connections to the mount's server. False: none of them is up, or the kernel is too
 * old. */
static bool queued(const struct host_rpc_queues *queues, const struct nfs_mount *mount,
		   uint64_t *waiting)
{
	bool known = false;
	size_t i;

	*waiting = 0;
	for (i = 0; i < queues->count; i++) {
		const struct host_rpc_queue *queue = &queues->list[i];

		if (!queue->known || strcmp(queue->addr, mount->addr) != 0 ||
		    !is_proto(queue->proto, mount->proto))
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
	struct silence *one = find(all, mount);
	struct counts counts;
	int rc = 0;

	if (!count(mount, &counts))
		return 0;
	if (!one)
		rc = add(all, mount, &one);
	if (rc)
		return rc;
	one->seen = true;
	one->hard = mount->hard;
	if (take_counts(one, &counts)) {
		if (one->told)
			sink(arg, one, false, now);
		forget(one);
	}
	if (queued(sources->queues, mount, &waiting) && waiting < one->waiting)
		one->waiting = waiting;
	/* A silent server that was reported needs a reply: a new connection alone does not
	 * count. */
	if (!one->waiting && !one->told)
		one->since_ms = 0;
	if (!one->waiting || one->told)
		return 0;
	if (!one->since_ms)
		one->since_ms = now;
	patience = sources->queues->present ? SILENT_MS : SILENT_OLD_MS;
	if (now - one->since_ms >= patience) {
		one->told = true;
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
		n += all->list[i].told;
	return n;
}

void silences_fini(struct silences *all)
{
	free(all->list);
	*all = (struct silences){ .count = 0 };
}
