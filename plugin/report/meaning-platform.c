/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the checks of hypervisors mean. */
#include "plugin/report/internal.h"

#define PLATFORM "Hypervisors"

const struct meaning meaning_platform[] = {
	{ .id = "platform.vdsm",
	  .group = PLATFORM,
	  .title = "VDSM (oVirt)",
	  .what = "Where oVirt's agent is: whether a storage domain, below /rhev/data-center/mnt, is "
		  "mounted over TCP although a section of nfsrdma.conf has it for RDMA, or more "
		  "than once on its directory; and whether VDSM's list of default mount options "
		  "was edited.",
	  .cause =
		  "VDSM asks whether something is mounted on the domain's directory, and if so "
		  "leaves it: it compares no options, and never mounts again. So a domain "
		  "keeps TCP when its options change. Where the kernel shows another source "
		  "than VDSM has, each attempt puts one more mount on top. And "
		  "storageServer.py may have been given the options rdma and port=20049, as a "
		  "page of 2014 advises: that holds for every NFS storage of the host, and "
		  "until the next update.",
	  .remedy =
		  "Put the domain into maintenance on all hosts, see with nfsrdma mounts that "
		  "nothing is left on its directory (else umount it), and activate it. Where "
		  "the file was edited reinstall vdsm, and give the options where they belong: "
		  "nfsrdma ovirt options SERVER:/EXPORT says what to type into the engine.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfsrdma-ovirt(7)" } },
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
	{ .id = "platform.libvirt-hook",
	  .group = PLATFORM,
	  .title = "libvirt's hook",
	  .what = "Whether libvirtd or virtqemud knows that /etc/libvirt/hooks/qemu.d has a hook: "
		  "it looks for one when it starts and when it is reloaded.",
	  .cause =
		  "The hook came while the daemon was running, which found none when it "
		  "started. It starts guests without asking, and says nothing. A reload that "
		  "systemd was not asked for (a SIGHUP by hand) is not seen here.",
	  .remedy =
		  "Run systemctl reload libvirtd, or virtqemud where the daemons are separate ones. "
		  "No guest notices it, and no daemon is restarted.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfsrdma-libvirt(7)", "https://libvirt.org/hooks.html" } },
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
