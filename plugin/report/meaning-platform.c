/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the checks of hypervisors mean. */
#include "plugin/report/internal.h"

#define PLATFORM "Hypervisors"

const struct meaning meaning_platform[] = {
	{ .id = "platform.vdsm",
	  .group = PLATFORM,
	  .title = "VDSM (oVirt)",
	  .what = "Whether oVirt's agent is installed, and whether its list of default mount "
		  "options was edited.",
	  .cause =
		  "The file storageServer.py was given the options rdma and port=20049, as a "
		  "page of 2014 advises. It holds for every NFS storage of the host, and "
		  "until the next update.",
	  .remedy =
		  "Reinstall vdsm, and give the options where they belong: in the engine, "
		  "storage domain, custom connection parameters, 'proto=rdma,port=20049'. "
		  "That is possible since oVirt 3.5. A domain that is mounted keeps its "
		  "transport: put it into maintenance on all hosts, then activate it.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfsrdma(8)" } },
	{ .id = "platform.libvirt",
	  .group = PLATFORM,
	  .title = "libvirt",
	  .what = "Whether libvirt is installed: its pools of type netfs mount by "
		  "themselves.",
	  .cause = "Nothing is wrong.",
	  .remedy =
		  "The pool's XML takes mount options in its own namespace: <fs:mount_opts> "
		  "<fs:option name='proto=rdma'/> <fs:option name='port=20049'/> "
		  "</fs:mount_opts>. The attribute port= of <host> is not used for NFS.",
	  .unknown = COULD_NOT_READ,
	  .see = { "https://libvirt.org/storage.html" } },
	{ .id = "platform.proxmox",
	  .group = PLATFORM,
	  .title = "Proxmox VE",
	  .what = "Whether Proxmox VE is installed: its NFS storages take mount options.",
	  .cause = "Nothing is wrong on this host. But Proxmox pings the port that the "
		   "options name over TCP, and calls the storage offline where nothing "
		   "answers: an NFS/RDMA port of InfiniBand or RoCE does not.",
	  .remedy =
		  "Leave port= out: a kernel of today goes to 20049 by itself where no port "
		  "is named, so the options 'proto=rdma' are enough, and the ping goes to "
		  "2049. After a change unmount the storage on every node: Proxmox compares "
		  "only server and path, not the transport.",
	  .unknown = COULD_NOT_READ,
	  .see = { "pvesm(1)" } },
	{ .id = NULL },
};
