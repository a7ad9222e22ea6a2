/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What each kind of child may do. Who decodes a peer's bytes gets the strongest sandbox that leaves
 * RDMA providers working: they open devices, map memory and start threads, so that system calls are
 * denied by name and never allowed by name.
 *
 * Who mounts or starts a program keeps what these need: a program that is executed may be set-user-ID
 * or change its SELinux domain, both of which no_new_privs would switch off, and mount.nfs may start
 * rpc.statd, which inherits limits and outlives us. */
#include "rpcrdma/child/internal.h"

#define MIB ((rlim_t)1 << 20)

const struct child_profile child_profiles[CHILD_KINDS] = {
	/* The largest sweep holds sixteen areas of 1 MiB, their copies, and the reference; or one READ of
	 * 64 MiB, what it should bring, and that again. */
	[CHILD_WORKER] = {
		.flags = CHILD_NOBODY | CHILD_DENY | CHILD_GROUP | CHILD_SILENT |
			 CHILD_NO_INTERRUPT,
		.limits = { .files = 32, .space = 512 * MIB, .no_core = true },
	},
	/* In its worker's group, which ends with the worker. A reply of 1 MiB in pieces is held twice. Not
	 * RLIMIT_AS: the C library reserves address space for later, and would use that. It opens nothing: what
	 * it has been given stays open beyond the limit. */
	[CHILD_REFERENCE] = {
		.flags = CHILD_NOBODY | CHILD_DENY | CHILD_SILENT | CHILD_MUTE |
			 CHILD_NO_INTERRUPT,
		.limits = { .files = 3, .more_data = 16 * MIB, .no_core = true, .no_files = true },
	},
	/* 64 connections of each kind, and the files of an export. */
	[CHILD_SERVER] = {
		.flags = CHILD_NOBODY | CHILD_DENY | CHILD_GROUP | CHILD_NO_INTERRUPT,
		.limits = { .files = 1024, .no_core = true },
	},
	[CHILD_BASELINE] = {
		.flags = CHILD_NOBODY | CHILD_DENY | CHILD_SILENT | CHILD_MUTE |
			 CHILD_NO_INTERRUPT,
		.limits = { .files = 3, .no_core = true, .no_files = true },
	},
	[CHILD_PARSER] = {
		.flags = CHILD_POWERLESS | CHILD_DENY | CHILD_GROUP | CHILD_SILENT | CHILD_MUTE,
		.limits = { .files = 32, .more_space = 1024 * MIB, .cpu = 5, .no_core = true,
			    .no_files = true },
	},
	[CHILD_TOUCH] = {
		.flags = CHILD_SILENT | CHILD_MUTE,
		.limits = { .files = 32, .no_core = true, .no_files = true },
	},
	[CHILD_TICKER] = {
		.flags = CHILD_POWERLESS | CHILD_DENY,
		.limits = { .files = 3, .no_core = true, .no_files = true },
	},
	/* Root for mount(2), and whatever a security module asks of root for that. */
	[CHILD_KERNEL_CLIENT] = {
		.flags = CHILD_GROUP | CHILD_SILENT | CHILD_NO_INTERRUPT,
		.limits = { .files = 32, .no_core = true, .no_files = true },
	},
	[CHILD_MOUNTER] = { .flags = CHILD_ALL_FDS | CHILD_KEEP_SIGNALS },
	/* The platform waits until nobody has the hook's stdout and stderr open: it has stderr only for
	 * NFSRDMA_DEBUG. */
	[CHILD_GATE] = {
		.flags = CHILD_SILENT | CHILD_KEEP_STDIN,
		.limits = { .no_core = true },
	},
	[CHILD_TOOL] = { .flags = CHILD_GROUP },
	/* In the caller's group: autofs lets through its own group only, and everybody else waits for the
	 * very mount that is to be made. SIGTERM lets mount.nfs remove its lock files. */
	[CHILD_MOUNT_NFS] = { .flags = CHILD_TERM_FIRST },
};
