/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What findings about this host's kernel as a client mean: nfsrdma probe --client. */
#include "plugin/report/internal.h"

#define KERNEL "This host's kernel as a client"

const struct meaning meaning_kernel[] = {
	{ .id = "kernel.device",
	  .group = KERNEL,
	  .title = "A device to connect by",
	  .what = "The kernel connects to this host itself, by an address of a network device "
		  "that an active RDMA device has a port on: the one of --bind or --device, "
		  "else an adapter before a device in software. No RDMA link is ever made "
		  "for this.",
	  .cause =
		  "The host has no RDMA device, none that is active, or none with an address.",
	  .remedy =
		  "For a test of the kernel alone add software iWARP on a network device that "
		  "has an address, 'modprobe siw' and 'rdma link add siw0 type siw netdev "
		  "eth0', and take it away afterwards with 'rdma link delete siw0'.",
	  .see = { "rdma-link(8)", "nfsrdma check" },
	  .decisive = true },
	{ .id = "kernel.server",
	  .group = KERNEL,
	  .title = "The built-in server",
	  .what = "A server of nfsrdma's own, in a process without privilege, listens on that "
		  "address. It takes calls from this host alone, and what it exports is in "
		  "memory.",
	  .cause = "It could not listen.",
	  .remedy =
		  "The summary says what kept it from listening. 'nfsrdma check' looks at what "
		  "RDMA needs on this host.",
	  .decisive = true },
	{ .id = "kernel.mount",
	  .group = KERNEL,
	  .title = "The kernel mounts",
	  .what = "With --client: for each version of NFS a process makes a mount namespace of its own and "
		  "mounts the built-in server there, read-only and soft, by mount(2) itself: "
		  "mount.nfs, its configuration and rpc.statd have no part in it, and nobody "
		  "else sees the mount. It ends with that process. With --mount: the mount that the "
		  "path is on, by /proc/self/mountinfo, and its transport.",
	  .cause =
		  "The kernel reached the server and could not mount it, or it hangs. A version "
		  "that this kernel lacks, or a device that does not connect to itself, is no "
		  "failure.",
	  .remedy =
		  "Look into the kernel's log (dmesg) for rpcrdma and NFS. Load the client's "
		  "modules, 'modprobe rpcrdma'; 'nfsrdma check' says what else is missing. A "
		  "process that does not end even by SIGKILL waits in the kernel: restart the "
		  "host when that can be done.",
	  .unknown =
		  "The summary says what kept the kernel from mounting. A kernel without an NFS "
		  "client needs the module nfs; a container may forbid mounts.",
	  .see = { "mount(2)", "mount_namespaces(7)", "nfs(5)" },
	  .decisive = true },
	{ .id = "kernel.read",
	  .group = KERNEL,
	  .title = "The kernel reads right",
	  .what = "Ranges of 1 byte to 1 MiB of a file whose bytes say where they belong are "
		  "read with O_DIRECT, so that no cache answers, and compared. With --client the "
		  "server counts what it has sent; with --mount the probe's own client reads the "
		  "same, and the reference is NFS over TCP.",
	  .cause =
		  "The kernel's client, or the RDMA device and its driver, lost or changed "
		  "data between the server and the program. bug.read-812 says whether it is "
		  "that defect. With --mount the summary says who is guilty: where the probe's "
		  "own client is wrong too, it is the server, or the way to it; where only that "
		  "is wrong, the server does something that this kernel bears.",
	  .remedy =
		  "If reads through the kernel were wrong, do not mount over RDMA with this "
		  "kernel: update it, and the firmware and driver of the adapter. To tell these "
		  "apart, test again over a device in software (siw or rxe). If only the probe's "
		  "own client was wrong, probe the server.",
	  .unknown =
		  "The findings before it say what kept the kernel from reading. Where the "
		  "device does not connect to itself, test over one in software (siw or rxe).",
	  .see = { "nfsrdma explain bug.read-812" },
	  .decisive = true },
	{ .id = "kernel.unmount",
	  .group = KERNEL,
	  .title = "The kernel lets go",
	  .what = "The mount is taken away before the server ends.",
	  .cause = "The kernel does not give the mount up, or waits for the server.",
	  .remedy =
		  "Look into the kernel's log (dmesg). The process that the summary names ends "
		  "when the kernel lets it; nothing else depends on it.",
	  .unknown =
		  "The process was ended before it came to that; the kernel takes the mount away "
		  "with it.",
	  .see = { "umount(2)" } },
	{ .id = "kernel.modules",
	  .group = KERNEL,
	  .title = "What stays behind",
	  .what = "Modules that the kernel loaded for the mount, xprtrdma (rpcrdma) for one. "
		  "Nothing else stays.",
	  .cause = "Nothing is wrong.",
	  .remedy = "Nothing is to be done. 'modprobe -r NAME' unloads one." },
	{ .id = NULL },
};
