/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* This host's kernel as a client of NFS over RDMA, tried before there is a mount that matters: it
 * mounts the embedded server, which is known to be right, on an address of an RDMA device of this
 * host, and reads and writes tables of ranges through that mount. Wrong data is then the kernel's
 * fault.
 *
 * A program that brings its own client cannot see the 812-byte bug on any server, because the bug
 * is in the kernel's client: Linux 3.7 to 3.14, and vendors' kernels of that age (xdr_align_pages()
 * in net/sunrpc/xdr.c cuts a READ that came by Write chunk to nothing; fixed by 2b7bbc963da8).
 *
 * Nothing is left, whichever process is killed: the mount is in a namespace that ends with the
 * process that made it, the server ends with its parent, and its files are in memory. Kernel
 * modules that were loaded stay loaded, and are named. */
#ifndef PLUGIN_KERNEL_H
#define PLUGIN_KERNEL_H

#include "rpcrdma/probe/probe.h"

/* Of a file, below a mount. */
#define KERNEL_PATH_MAX 512

struct kernel_options {
	struct transport_address at;       /* where the server listens; len 0: chosen */
	const char *device;                /* NULL: any that is active */
	const struct nfs_version *version; /* NULL: 3, 4.0 and 4.1 */
	unsigned int timeout_ms;
};

/* Needs root, and this machine. Returns 0, also where findings failed; -errno of what kept it
 * from beginning; -EINTR after SIGINT or SIGTERM. */
int kernel_run(const struct kernel_options *options, const struct probe_events *events);

struct kernel_mount_options {
	const char *path; /* absolute: a mount, or what lies below one */
	unsigned int timeout_ms;
	uint16_t nfs_port; /* of the reference over TCP; 0: as probe_run() finds it */
	bool has_cred;     /* else the file's owner, where the caller is root */
	struct rpc_cred cred;
	/* As of struct probe_options, below the path; NULL: nothing is written. */
	const char *scratch;
};

/* Reads a file through an existing RDMA mount, by the kernel, and the same ranges by the probe's
 * own client and from the reference: the one that differs is at fault. With scratch a new file is
 * written through the mount and read by all of them. The mount is found by its name in mountinfo;
 * only a child touches it. As kernel_run(); needs no root. */
int kernel_mounted(const struct kernel_mount_options *options, const struct probe_events *events);

struct kernel_trial_options {
	const char *spec, *options; /* of a plan, with proto=rdma */
	const char *file; /* to read, below the export; "": any that is not being changed */
	unsigned int timeout_ms;
	uint16_t nfs_port; /* as of struct kernel_mount_options */
	bool has_cred;
	struct rpc_cred cred;
};

/* The same of an export that is mounted for it, read-only, in a mount namespace that ends with the
 * child that has it: kernel.trial, with what mount.nfs and the kernel said, and kernel.read. Needs
 * root. As kernel_run(). */
int kernel_try(const struct kernel_trial_options *options, const struct probe_events *events);

/* bug.read-812 beside a probe of @host_name: by reading through a mount of @path on this host, else
 * by counters, else by the kernel's version. @server_right: the probe's own Write-chunk READs were
 * correct. Takes a second and a half at most, and ends at @deadline. Cannot fail. */
void kernel_of_export(const char *host_name, const char *path, bool server_right, uint64_t deadline,
		      struct finding *out);

#endif
