/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the watcher says. Of pools it says pool.transport, of disks the gates' findings, and of mounts
 * whose READs are lost bug.read-812. */
#include "plugin/report/internal.h"

#define WATCHER "Watcher"

const struct meaning meaning_watch[] = {
	{ .id = "watch.policy",
	  .group = WATCHER,
	  .title = "Policy of the watcher",
	  .what = "Whether nfsrdma.conf and nfsrdma.conf.d make sense. They are read at "
		  "every look.",
	  .cause =
		  "A line is not as nfsrdma.conf(5) has it, or a file cannot be read. What it "
		  "said before counts still; after a start there is nothing before, and what "
		  "only the policy wants over RDMA is not known.",
	  .remedy =
		  "Mend the line that is named; the watcher sees it within half a minute, or "
		  "at once with 'systemctl reload nfsrdma-watch'.",
	  .see = { "nfsrdma.conf(5)" } },
	{ .id = "watch.libvirt",
	  .group = WATCHER,
	  .title = "libvirt's answers",
	  .what = "Whether libvirt tells of its pools and guests. It is asked by threads of "
		  "their own, and asked again for ever where it does not answer; mounts are "
		  "followed meanwhile. A host that has no libvirt is not asked.",
	  .cause = "Neither libvirtd nor virtqemud, with virtstoraged, runs and answers.",
	  .remedy =
		  "See 'systemctl status libvirtd' (or virtqemud, virtstoraged). Where no "
		  "libvirt is meant to be followed, start the watcher with --no-libvirt.",
	  .see = { "nfsrdma-libvirt(7)" },
	  .decisive = true },
	{ .id = "watch.list",
	  .group = WATCHER,
	  .title = "What is watched",
	  .what = "All NFS mounts of this host, by mountinfo and mountstats; libvirt's netfs "
		  "pools that run; the disks of its guests that run. Watched is what is wanted "
		  "over RDMA, or was over RDMA when it was seen last.",
	  .cause = "The kernel's list of mounts could not be read.",
	  .remedy = COULD_NOT_READ,
	  .see = { "nfsrdma(8)" },
	  .decisive = true },
	{ .id = "watch.mount",
	  .group = WATCHER,
	  .title = "Mount that is watched",
	  .what = "Over what a mount goes that somebody wants over RDMA: its options, the pool "
		  "on it, a section of nfsrdma.conf, the record of who mounted it, fstab or "
		  "nfsmount.conf; or nobody, and it was over RDMA before. mountinfo and "
		  "mountstats say it; the mount itself is not touched.",
	  .cause =
		  "It was mounted anew without RDMA, or shares a connection that was there "
		  "before, as mounts of one server in one version do from NFSv4.1 on. A mount "
		  "never changes its transport by itself.",
	  .remedy =
		  "Run 'nfsrdma mounts', which shows every mount and what hinders it. Then "
		  "unmount it, with what else of that server is over TCP, and mount it with "
		  "proto=rdma,port=20049. If TCP is good enough there, say so in nfsrdma.conf: "
		  "policy = off.",
	  .unknown =
		  "Somebody is mounting it, or the kernel does not say: look again in half a "
		  "minute.",
	  .see = { "nfsrdma(8)", "nfsrdma.conf(5)", "mount.nfsrdma(8)" },
	  .decisive = true },
	{ .id = "watch.silent",
	  .group = WATCHER,
	  .title = "Server that is silent",
	  .what = "Whether the server of a mount that is over RDMA, or should be, answers: requests "
		  "that wait at two looks, 20 seconds apart, with no reply at all in between. It "
		  "is told within a minute; on a kernel before 5.14, which does not say how many "
		  "requests wait, within two.",
	  .cause =
		  "The server is down or hangs, its NFS service is stopped, or the way to it is "
		  "cut. Of a mount with the option hard, programs that use it wait until it "
		  "answers, and nothing else tells. A server that was silent before the watcher "
		  "began is seen with the next request.",
	  .remedy =
		  "Look at the server and its port: nfsrdma check SERVER:/EXPORT shows where the "
		  "way ends, nfsrdma mounts which of its mounts answer. Nothing has to be done "
		  "on this host: what waits goes on when it answers.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfsrdma(8)", "nfs(5)" },
	  .decisive = true },
	{ .id = "watch.record",
	  .group = WATCHER,
	  .title = "Records of mounts",
	  .what = "Whether /run/nfsrdma/mounts could be brought up to date: a record that is "
		  "older than a minute is believed by nobody.",
	  .cause = "A file there makes no sense, or could not be written.",
	  .remedy =
		  "Remove the file that is named, and see that /run is neither full nor read "
		  "only; it is written anew at the next look.",
	  .see = { "nfsrdma(8)" } },
	{ .id = NULL },
};
