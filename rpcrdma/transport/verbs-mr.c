/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Registered memory. A region is registered exactly: the adapter enforces both ends to the byte.
 * Its pages are locked in memory, and RLIMIT_MEMLOCK limits their total, so it is checked first:
 * the kernel only returns ENOMEM.
 *
 * The kernel counts what ib_umem_get() pins for this process (mm->pinned_vm), whole pages, each
 * region by itself; adapters with queues in the process's memory add to it, which is not counted
 * here. */
#include <linux/capability.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "rpcrdma/transport/verbs.h"

static _Atomic uint64_t verbs_mr_locked_bytes; /* of this process */

uint64_t verbs_mr_locked(const void *base, size_t len, size_t page)
{
	uint64_t begin = (uintptr_t)base & ~((uint64_t)page - 1);

	return len ? ((uintptr_t)base + len - begin + page - 1) / page * page : 0;
}

int verbs_mr_allowed(size_t len, uint64_t need, uint64_t in_use, uint64_t limit)
{
	if (need <= limit && in_use <= limit - need)
		return 0;
	return err_because(
		err_set(ENOMEM,
			"registering %zu bytes needs %llu bytes of locked memory beside %llu "
			"in use, RLIMIT_MEMLOCK allows %llu: ulimit -l %llu, or LimitMEMLOCK= "
			"of the service",
			len, (unsigned long long)need, (unsigned long long)in_use,
			(unsigned long long)limit,
			(unsigned long long)(need + in_use + 1023) / 1024),
		"memlock");
}

/* The limit does not apply with CAP_IPC_LOCK. */
static bool verbs_mr_is_unlimited(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return !syscall(SYS_capget, &head, data) &&
	       data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

static uint64_t verbs_mr_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    verbs_mr_is_unlimited())
		return UINT64_MAX;
	return limit.rlim_cur;
}

static int verbs_mr_refused(size_t len, uint64_t need)
{
	int errnum = errno;
	uint64_t limit = verbs_mr_limit();

	if ((errnum == ENOMEM || errnum == EAGAIN) && limit != UINT64_MAX)
		return err_because(
			err_set(ENOMEM,
				"registering %zu bytes: the kernel refused %llu bytes of "
				"locked memory beside %llu, RLIMIT_MEMLOCK allows %llu",
				len, (unsigned long long)need,
				(unsigned long long)atomic_load(&verbs_mr_locked_bytes),
				(unsigned long long)limit),
			"memlock");
	errno = errnum == EAGAIN ? ENOMEM : errnum;
	return err_sys("registering %zu bytes", len);
}

int verbs_mr_register(struct verbs *c, void *base, size_t len, int access,
		      struct verbs_region **out)
{
	uint64_t need = verbs_mr_locked(base, len, (size_t)sysconf(_SC_PAGESIZE));
	_cleanup_free_ struct verbs_region *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return err_no_memory();
	rc = verbs_mr_allowed(len, need, atomic_load(&verbs_mr_locked_bytes), verbs_mr_limit());
	if (rc)
		return rc;
	r->mr = ibv_reg_mr(c->pd, base, len, access);
	if (!r->mr)
		return verbs_mr_refused(len, need);
	r->locked = need;
	atomic_fetch_add(&verbs_mr_locked_bytes, need);
	r->next = c->regions;
	if (r->next)
		r->next->at = &r->next;
	r->at = &c->regions;
	c->regions = r;
	*out = take_ptr(r);
	return 0;
}

void verbs_mr_release(struct verbs_region *region)
{
	int rc;

	if (!region)
		return;
	rc = ibv_dereg_mr(region->mr);
	if (rc)
		debug(DEBUG_TRANSPORT, "verbs: ibv_dereg_mr: %s", strerrordesc_np(rc));
	atomic_fetch_sub(&verbs_mr_locked_bytes, region->locked);
	*region->at = region->next;
	if (region->next)
		region->next->at = region->at;
	free(region);
}

/* Adapters cannot register an empty region. Register a byte without remote access instead: it has
 * a handle, and any access with a length other than zero is refused. */
static uint8_t verbs_mr_empty;

int verbs_mr_reg(struct transport *t, void *base, size_t len, unsigned int access,
		 struct transport_region *out)
{
	struct verbs_region *region;
	int rc, flags = 0;

	if (len > UINT32_MAX)
		return err_set(EINVAL, "a region of %zu bytes is longer than 32 bits", len);
	if (!verbs_of(t)->pd)
		return err_set(ENOTCONN, "the connection is not established");
	if (access & TRANSPORT_REMOTE_WRITE)
		flags |= IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
	if (access & TRANSPORT_REMOTE_READ)
		flags |= IBV_ACCESS_REMOTE_READ;
	rc = len ? verbs_mr_register(verbs_of(t), base, len, flags, &region)
		 : verbs_mr_register(verbs_of(t), &verbs_mr_empty, 1, 0, &region);
	if (rc)
		return rc;
	*out = (struct transport_region){
		.handle = region->mr->rkey,
		.length = (uint32_t)len,
		.offset = (uintptr_t)(len ? base : &verbs_mr_empty),
		.priv = region,
	};
	return 0;
}

void verbs_mr_dereg(struct transport *t, struct transport_region *region)
{
	(void)t;
	verbs_mr_release(region->priv);
	region->priv = NULL;
	region->handle = 0;
}
