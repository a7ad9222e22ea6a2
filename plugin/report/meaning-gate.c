/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the gates say, before a guest starts, moves or takes a disk. */
#include "plugin/report/internal.h"

#define GATES "Gates"

const struct meaning meaning_gate[] = {
	{ .id = "gate.transport",
	  .group = GATES,
	  .title = "Transport of a disk",
	  .what = "Over what the NFS mount goes on which a guest's disk lies, by mountinfo "
		  "and mountstats, and whether a record in /run/nfsrdma/mounts says that it "
		  "is not proven. Against it stands who wants RDMA: a section of "
		  "nfsrdma.conf for the server, the export or the directory; the pool; a line "
		  "of fstab; the mount's own options, or nfsmount.conf; a record. Section "
		  "[default] covers no mount by itself. No path below an NFS mount is "
		  "touched, so that a server which is gone keeps nobody waiting.",
	  .cause =
		  "The mount is over TCP: it was mounted before its options asked for RDMA, "
		  "or it shares a connection that was there before, as mounts of one server "
		  "in one version do from NFSv4.1 on. Or it was never proven: whoever mounts "
		  "it has not come to the end, or died on the way.",
	  .remedy =
		  "Run 'nfsrdma mounts', which shows every mount and what hinders it. Then "
		  "unmount it, with what else of that server is over TCP, and mount it with "
		  "proto=rdma,port=20049; of a pool: 'virsh pool-destroy', 'virsh "
		  "pool-start', 'nfsrdma pool verify'. If TCP is good enough there, say so in "
		  "nfsrdma.conf: policy = prefer, or off.",
	  .see = { "nfsrdma.conf(5)", "nfsrdma-libvirt(7)" },
	  .decisive = true },
	{ .id = "gate.mount",
	  .group = GATES,
	  .title = "Mount below a disk",
	  .what = "Whether what is wanted over RDMA is mounted at all where a guest's disk "
		  "lies. The disk's path is followed through its links as far as they are on "
		  "file systems of this host; then each directory above it, down to where "
		  "its own mount begins, is looked for in the directories of nfsrdma.conf, "
		  "in the pools' targets and in fstab.",
	  .cause =
		  "The pool was never started, or the mount is gone; the directory below it "
		  "is there, and the guest would write into it: on the host's own disk, and "
		  "unseen as soon as the mount is back. Or something else is mounted there. A "
		  "warning: it is over RDMA, of another source than the pool or fstab has, "
		  "which may be another name of the same server; or the disk is one that the "
		  "guest starts without.",
	  .remedy = "Start the pool ('virsh pool-start NAME'), or mount the directory "
		    "('mount DIR'), then start the guest again. Files that a guest wrote "
		    "meanwhile are below the mount: look at them before it is mounted.",
	  .see = { "nfsrdma.conf(5)", "nfsrdma-libvirt(7)", "fstab(5)" },
	  .decisive = true },
	{ .id = "gate.unknown",
	  .group = GATES,
	  .title = "Disk that cannot be judged",
	  .what = "Disks of which a gate could not find out whether they should be on RDMA, or "
		  "are. They pass, with an entry in the journal, unless nfsrdma.conf says "
		  "on-unknown = refuse.",
	  .cause =
		  "The disk is a volume of a pool that nobody knows here; or an automounter "
		  "has not mounted it yet; or its path leads through links that cannot be "
		  "followed, or leaves a mount by '..'; or a record, or the list of mounts, "
		  "could not be read.",
	  .remedy =
		  "The sentence names it. Have an automount mounted before the guest starts "
		  "('ls DIR'); name the disk by its path on the mount; see with 'nfsrdma "
		  "mounts' what is known of the mount.",
	  .see = { "nfsrdma.conf(5)", "journalctl(1)" },
	  .decisive = true },
	{ .id = NULL },
};
