/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What each kind of child may do. Kinds that decode a peer's bytes get the strictest sandbox in
 * which RDMA providers work: providers open devices, map memory and start threads, so system
 * calls are restricted by a deny-list, not an allow-list.
 *
 * Kinds that mount or start a program keep what these need: the program may be set-user-ID or
 * change its SELinux domain, both of which no_new_privs would disable, and mount.nfs may start
 * rpc.statd, which inherits limits and outlives us. */
#include "rpcrdma/child/internal.h"

#define MIB ((rlim_t)1 << 20)

const struct child_profile child_profiles[CHILD_KINDS] = {
	/* The largest sweep holds sixteen areas of 1 MiB, their copies, and the reference; or one
	 * READ of 64 MiB, its expected data, and a copy of these. */
	[CHILD_WORKER] = {
		.flags = CHILD_NOBODY | CHILD_DENY | CHILD_SYSTEM_FILES | CHILD_ISOLATED |
			 CHILD_GROUP | CHILD_SILENT | CHILD_NO_INTERRUPT,
		.limits = { .files = 32, .space = 512 * MIB, .no_core = true },
	},
	/* In its worker's group, which ends with the worker. A reply of 1 MiB in pieces is held
	 * twice. RLIMIT_AS is not used, as address space that the C library reserves would count.
	 * It receives its connection, and then opens nothing (reference.c): descriptors that it
	 * has stay open beyond the limit. */
	[CHILD_REFERENCE] = {
		.flags = CHILD_NOBODY | CHILD_DENY | CHILD_SYSTEM_FILES | CHILD_SILENT |
			 CHILD_MUTE | CHILD_NO_INTERRUPT,
		.limits = { .files = 32, .more_data = 16 * MIB, .no_core = true, .no_files = true },
	},
	/* 64 connections over RDMA and to MOUNT, 128 to NFS over TCP, 512 that wait for each,
	 * and the files of an export. */
	[CHILD_SERVER] = {
		.flags = CHILD_NOBODY | CHILD_DENY | CHILD_GROUP | CHILD_NO_INTERRUPT,
		.limits = { .files = 2048, .no_core = true },
	},
	[CHILD_PARSER] = {
		.flags = CHILD_POWERLESS | CHILD_DENY | CHILD_GROUP | CHILD_SILENT | CHILD_MUTE,
		/* It maps files of 256 MiB, and may unpack one. */
		.limits = { .files = 32, .more_space = 1024 * MIB, .more_data = 192 * MIB, .cpu = 5, .no_core = true,
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
	/* Runs as root for mount(2), and for what a security module requires for it. */
	[CHILD_KERNEL_CLIENT] = {
		.flags = CHILD_GROUP | CHILD_SILENT | CHILD_NO_INTERRUPT,
		.limits = { .files = 32, .file_size = 16 * MIB, .no_core = true },
	},
	[CHILD_MOUNTER] = { .flags = CHILD_ALL_FDS | CHILD_KEEP_SIGNALS },
	/* The platform waits until the hook's stdout and stderr are closed, so the child keeps
	 * stderr only for NFSRDMA_DEBUG. */
	[CHILD_GATE] = {
		.flags = CHILD_SILENT | CHILD_KEEP_STDIN,
		.limits = { .no_core = true },
	},
	[CHILD_TOOL] = { .flags = CHILD_GROUP },
	/* Stays in the caller's process group: autofs admits only its own group, and all other
	 * processes wait for the mount being made. SIGTERM lets mount.nfs remove its lock
	 * files. */
	[CHILD_MOUNT_NFS] = { .flags = CHILD_TERM_FIRST },
	[CHILD_COMMAND] = { .flags = CHILD_ALL_FDS | CHILD_KEEP_SIGNALS },
};
