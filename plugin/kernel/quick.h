/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A few reads through an RDMA mount, quickly: for who only wants to know whether this host's kernel
 * can read more there than comes inline. A child touches the mount, for so long at most, in its
 * caller's process group: autofs lets through its own group only. */
#ifndef PLUGIN_KERNEL_QUICK_H
#define PLUGIN_KERNEL_QUICK_H

#include <sys/types.h>

#include "rpcrdma/base/base.h"

struct kernel_quick_request {
	const char *target, *dev; /* of the mount, as struct nfs_mount has them */
	const char *path;         /* below it: a file, or where to look for one among few names */
	const uint32_t *lengths;  /* to be read, in ascending order: of kernel_lengths */
	size_t nlengths;
	unsigned int ms; /* for all of it */
};

struct kernel_quick {
	unsigned int tried, right;
	uint32_t largest_right, smallest_lost; /* lengths; lost: EIO; 0: none */
	bool otherwise;                        /* another error, or a short read */
	pid_t left;                            /* a child that does not end, or 0 */
};

/* What could not be read was not tried; there is no error. As the file's owner, where the caller is
 * root. */
void kernel_quick_read(const struct kernel_quick_request *request, struct kernel_quick *out);

#endif
