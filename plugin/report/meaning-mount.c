/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What findings about NFS mounts mean. */
#include "plugin/report/internal.h"

#define MOUNTS "Mounts"

const struct meaning meaning_mount[] = {
	{ .id = "mount.list",
	  .group = MOUNTS,
	  .title = "NFS mounts",
	  .what = "The NFS mounts that this process sees in /proc/self/mountinfo, with those "
		  "that the kernel made by itself. Another mount namespace has others.",
	  .cause = "Nothing is wrong.",
	  .remedy = "Nothing is to be done.",
	  .unknown = COULD_NOT_READ,
	  .see = { "proc(5)" },
	  .decisive = true },
	{ .id = "mount.answer",
	  .group = MOUNTS,
	  .title = "Answers of servers",
	  .what = "Every mount is asked by statfs(2), which no cache answers, all of them at "
		  "a time and each by a process of its own, so that none can hold this "
		  "command. It also wakes connections: Linux closes one over RDMA after five "
		  "idle minutes, and opens it with the next call. nfsrdma check does not ask.",
	  .cause =
		  "The server is down, does not export it any more, or cannot be reached. On "
		  "a hard mount programs wait until it is back, on a soft one they get an "
		  "error. After a loss of the connection the client waits up to 30 s before "
		  "each attempt to connect over RDMA.",
	  .remedy =
		  "See whether the server is there: nfsrdma check SERVER tells what stands "
		  "between, and nfsrdma probe whether it serves. A mount that is not needed "
		  "is taken away by 'umount -f -l TARGET', with the loss of what was not "
		  "written.",
	  .unknown =
		  "Who may not enter the directory cannot ask: run it as root. Where time "
		  "ran out, give more (--timeout).",
	  .see = { "nfs(5)", "statfs(2)", "umount(8)" } },
	{ .id = "mount.missing",
	  .group = MOUNTS,
	  .title = "Missing mounts",
	  .what = "What should be mounted over RDMA and is not: lines of fstab, libvirt's "
		  "pools (by their files, which only root may read), and sections "
		  "[directory PATH] of nfsrdma.conf(5). It fails for a line of fstab without "
		  "noauto and for a pool that runs; nothing else needs to be mounted now.",
	  .cause =
		  "The mount failed at boot, or was taken away. libvirt takes a pool for "
		  "running whose mount has gone. A guest with a disk there is refused by "
		  "the gates: it would be on a local directory.",
	  .remedy =
		  "Mount it ('mount DIR'), or start the pool ('virsh pool-start POOL'); the "
		  "journal has why it did not come up. A line that is not needed any more "
		  "goes, or gets noauto.",
	  .unknown = COULD_NOT_READ,
	  .see = { "fstab(5)", "nfsrdma.conf(5)" } },
	{ .id = "mount.transport",
	  .group = MOUNTS,
	  .title = "Transport of mounts",
	  .what = "Over what each NFS mount goes: proto= in mountinfo, and every connection "
		  "in /proc/self/mountstats; it is proven if a connection over RDMA counted "
		  "the reply to a call that was made for it. Against it stands what is "
		  "wanted: by a section of nfsrdma.conf(5), by a pool, by fstab, by the "
		  "options that mount.nfs was given (libmount keeps them in /run/mount/utab), "
		  "by a record in /run/nfsrdma, by nfsmount.conf, or by a port that only RDMA "
		  "has, which is a guess and fails nothing. The gates and the watcher go by "
		  "the same. A mount over TCP that nobody wants otherwise is good.",
	  .cause =
		  "A mount can ask for RDMA, succeed, and go over TCP. From NFSv4.1 on all "
		  "mounts of one server in one version use the connection that was there "
		  "first, whatever the transport; port=20049 then stands beside proto=tcp. "
		  "Proto=tcp in nfsmount.conf overrules the option rdma. And a mount keeps "
		  "its transport when options are changed: oVirt and Proxmox see that it is "
		  "mounted, and leave it.",
	  .remedy =
		  "Unmount it, and everything else of that server that is over TCP in the "
		  "same version of NFS; then mount it with proto=rdma,port=20049. Where both "
		  "transports are wanted, give them different versions (vers=4.1 and "
		  "vers=4.2), or mount the one over RDMA first. In oVirt put the storage "
		  "domain into maintenance on all hosts, then activate it.",
	  .unknown =
		  "The summary says what is missing. Without an answer of the server "
		  "(mount.answer) RDMA cannot be proven; without /proc/self/mountstats it is "
		  "what mountinfo says.",
	  .see = { "nfs(5)", "RFC 8881 2.10.5", "Linux fs/nfs/nfs4client.c" },
	  .decisive = true },
	{ .id = "mount.submount",
	  .group = MOUNTS,
	  .title = "Sub-mounts and referrals",
	  .what = "Mounts that the kernel made by itself below another one, where the server "
		  "has another file system or refers to another server: whether they go over "
		  "RDMA where the mount above does.",
	  .cause =
		  "For a referral Linux tries RDMA at port 20049 and then TCP at 2049, and "
		  "says nothing: the server that is referred to does not listen, or the "
		  "route to it leads through no RDMA device.",
	  .remedy =
		  "Make that server listen for RDMA, and see whether this host reaches it: "
		  "nfsrdma check SERVER. Then unmount the sub-mount; the next access mounts "
		  "it again.",
	  .unknown = COULD_NOT_READ,
	  .see = { "Linux fs/nfs/nfs4namespace.c", "RFC 8881 11.3" } },
	{ .id = "mount.options",
	  .group = MOUNTS,
	  .title = "Options of mounts",
	  .what = "Options of mounts over RDMA that hinder it: soft with a time that is "
		  "shorter than the client's wait before it connects again, nconnect, small "
		  "rsize and wsize, and Kerberos that encrypts or signs.",
	  .cause =
		  "A soft mount gives up after timeo, in tenths of seconds, times retrans "
		  "plus one. After a lost connection RDMA waits before each attempt, first 5 "
		  "and at last 30 s, so that a shorter time gives virtual machines I/O "
		  "errors though the server is back. nconnect is for TCP only in NFSv4 of "
		  "older kernels, 6.1 among them; and the first mount of a server decides "
		  "for the others.",
	  .remedy =
		  "Mount hard; or soft with timeo and retrans that give more than 30 s, as "
		  "oVirt's timeo=100,retrans=3 do. For more connections take NFSv3, a newer "
		  "kernel, or several addresses of the server. Leave rsize and wsize out: "
		  "the server's are taken.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfs(5)", "Linux net/sunrpc/xprtrdma" } },
	{ .id = "mount.counters",
	  .group = MOUNTS,
	  .title = "Counters of mounts",
	  .what = "What /proc/self/mountstats counts for connections over RDMA, each number "
		  "by the name that nfs-utils' mountstats has for it, and the sum of a "
		  "mount's connections. Mounts of one server share them. bad_reply_count "
		  "stays 0 while all is well; failed_marshal_count may rise, since calls that "
		  "had to wait are in it. On a running system they are looked at twice, "
		  "before and after the mounts were asked for an answer.",
	  .cause =
		  "Replies that make no sense come from a server with a defect, or are cut "
		  "on the way. Connections that are made anew while they are in use are lost: "
		  "a bad cable or port, a server that restarts, packets that a switch drops.",
	  .remedy =
		  "Probe the server (nfsrdma probe), which says what is wrong with its "
		  "replies. For lost connections look at the port's error counters and at "
		  "the kernel's log, and at flow control on RoCE.",
	  .unknown =
		  "This kernel prints fewer numbers than are known to be looked at, or "
		  "mountstats is damaged; see /proc/self/mountstats.",
	  .see = { "mountstats(8)", "Linux net/sunrpc/xprtrdma/transport.c" } },
	{ .id = NULL },
};
