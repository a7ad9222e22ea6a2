/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the findings about libvirt's pools mean. */
#include "plugin/report/internal.h"

#define POOLS   "libvirt pools"
#define LIBVIRT "nfsrdma-libvirt(7)"

const struct meaning meaning_pool[] = {
	{ .id = "pool.definition",
	  .group = POOLS,
	  .title = "Definition",
	  .what = "The pool's XML: that it is a pool of type netfs and format nfs or auto, "
		  "with one server, an export and a target; and, where one is given to "
		  "libvirt, that libvirt takes it and has the same mount options in it "
		  "afterwards.",
	  .cause =
		  "The XML is broken, of another kind of pool, or has not the one <host> "
		  "that libvirt wants of netfs. Or libvirt refused it: its words follow. Or "
		  "libvirt has dropped the mount options, as versions before 5.1 do.",
	  .remedy =
		  "Mend what the summary names; 'nfsrdma pool define --dry-run' prints XML "
		  "that libvirt takes. No format is called nfsrdma: the transport is a mount "
		  "option.",
	  .unknown =
		  "It has not answered in time. Look at libvirt's journal (journalctl -u "
		  "libvirtd, or virtstoraged), and ask again with a longer --timeout.",
	  .see = { LIBVIRT, "https://libvirt.org/formatstorage.html" },
	  .decisive = true },
	{ .id = "pool.namespace",
	  .group = POOLS,
	  .title = "Namespace of the options",
	  .what = "Whether <mount_opts> is of libvirt's namespace storagepool/fs/1.0, which "
		  "nfsrdma-libvirt(7) has in full. It can only be seen in XML that libvirt "
		  "has not read yet: what it drops it does not print.",
	  .cause =
		  "The declaration xmlns:fs is missing from <pool>, or is misspelt. libvirt then drops the "
		  "options without a word, the pool starts, and is plain NFS over TCP.",
	  .remedy =
		  "Declare it as xmlns:fs in <pool> and write <fs:mount_opts>, or have it "
		  "written by 'nfsrdma pool define'. 'virsh pool-define --validate' finds it, "
		  "too.",
	  .see = { LIBVIRT, "https://libvirt.org/formatstorage.html" } },
	{ .id = "pool.address",
	  .group = POOLS,
	  .title = "Server's address",
	  .what = "How the server stands in <host name>: libvirt puts it before the colon of "
		  "the mount's source as it is.",
	  .cause =
		  "An IPv6 address without brackets makes a source that mount.nfs cannot "
		  "split. With brackets mount.nfs takes it, and libvirt's schema refuses it.",
	  .remedy =
		  "Give the server a name with an AAAA record, or write the address in "
		  "brackets and define the pool without --validate; proto=rdma6 goes with "
		  "it. 'nfsrdma pool define' and 'convert' do that.",
	  .see = { LIBVIRT, "nfs(5)" } },
	{ .id = "pool.options",
	  .group = POOLS,
	  .title = "Mount options",
	  .what = "The options that libvirt gives to mount(8) for this pool: whether they ask "
		  "for RDMA, and by the words that neither nfsmount.conf nor an older kernel "
		  "overrules.",
	  .cause =
		  "The pool is plain NFS; or its options contradict each other or the policy "
		  "of nfsrdma.conf; or they are right by half: the bare word 'rdma' gives way "
		  "to Proto=tcp in nfsmount.conf, and proto=rdma finds no IPv6 address.",
	  .remedy =
		  "Run 'nfsrdma pool convert NAME --dry-run' to see what it should have, and "
		  "without --dry-run to have it. bg has no place in a pool: mount exits with 0 "
		  "before anything is mounted, and libvirt believes it.",
	  .see = { LIBVIRT, "nfs(5)", "nfsmount.conf(5)" } },
	{ .id = "pool.version",
	  .group = POOLS,
	  .title = "Version of NFS",
	  .what = "Whether <protocol ver>, or an option, names the version of NFS, once.",
	  .cause =
		  "Where none is named mount.nfs goes down from 4.2 to 3, so that a server's "
		  "hiccup makes an NFSv3 mount, with locks over TCP. Where two are named "
		  "mount.nfs mounts nothing: <protocol ver> becomes an option nfsvers=, and "
		  "no vers= may stand beside it.",
	  .remedy =
		  "One <protocol ver='4.2'/> within <source>, and no vers= or nfsvers= in "
		  "<fs:mount_opts>.",
	  .see = { LIBVIRT, "nfs(5)" } },
	{ .id = "pool.host-port",
	  .group = POOLS,
	  .title = "Port in <host>",
	  .what = "Whether <host> has a port. libvirt reads and prints it, and for netfs uses "
		  "it for nothing but to tell pools apart.",
	  .cause =
		  "Somebody meant the port of NFS over RDMA. What counts is the option port=.",
	  .remedy =
		  "Write <fs:option name='port=20049'/> in <fs:mount_opts>; take the attribute out.",
	  .see = { LIBVIRT } },
	{ .id = "pool.volume",
	  .group = POOLS,
	  .title = "Volumes under AppArmor",
	  .what = "Whether AppArmor lets a guest of this host open a disk that its XML names as "
		  "a volume of a pool (type='volume').",
	  .cause =
		  "Each guest has a profile, made by libvirt of the files in its XML. Where its "
		  "helper does not know which file a volume is, the profile lacks it: the guest "
		  "does not start, and the kernel's log says DENIED. libvirt 9.0.0 is such a one; "
		  "12.6.0 is not. Which version between was the first is not known.",
	  .remedy =
		  "Name the file in the guest's XML: <disk type='file'> with <source "
		  "file='TARGET/VOLUME'/>. The hook finds its pool by the path. Add no rule to the "
		  "profile that all guests share: each could then open every other's disk.",
	  .see = { "nfsrdma-libvirt(7)", "libvirt issue 546" } },
	{ .id = "pool.auth",
	  .group = POOLS,
	  .title = "Authentication",
	  .what = "Whether the pool has <auth>, which libvirt uses for iSCSI and Ceph only.",
	  .cause = "The pool is mounted as if it were not there.",
	  .remedy = "Take it out. How NFS is secured is the option sec=, as in sec=krb5.",
	  .see = { LIBVIRT, "nfs(5)" } },
	{ .id = "pool.guests",
	  .group = POOLS,
	  .title = "Running guests",
	  .what = "Which guests that run have a disk, a backing file or another path on the "
		  "pool. A mount changes its transport only by being unmounted.",
	  .cause = "Guests run on the pool. Their mount stays as it is while they do.",
	  .remedy =
		  "Migrate them to a host where the pool is over RDMA, or shut them down, "
		  "then convert. Or change the definition alone (--force): it comes into "
		  "force when the pool is started the next time.",
	  .unknown =
		  "This connection knows no guests: name that of the hypervisor, as in "
		  "--connect qemu:///system. If no guests run here, use --force: a mount "
		  "that is in use is not unmounted in any case.",
	  .see = { LIBVIRT, "virsh(1)" },
	  .decisive = true },
	{ .id = "pool.restart",
	  .group = POOLS,
	  .title = "Stop and start",
	  .what = "A pool is stopped (umount) and started (mount) by libvirt, so that its "
		  "definition comes into force.",
	  .cause =
		  "It cannot be stopped: something has a file open on it (fuser -vm TARGET). "
		  "It does not start: the words of mount.nfs follow. 'incorrect mount "
		  "option': rpcrdma cannot be loaded. 'Protocol error': the route leads "
		  "through no RDMA device. 'Connection refused', or a time-out: the server "
		  "does not listen for RDMA.",
	  .remedy =
		  "Run 'nfsrdma check SERVER:/EXPORT', which looks at all of that and says what to do; "
		  "then convert again.",
	  .unknown =
		  "As far as is known libvirt still waits for mount(8), which tries for two minutes. See 'virsh "
		  "pool-info NAME' later: if the pool runs, 'nfsrdma pool verify NAME'; if "
		  "not, 'nfsrdma pool revert NAME' brings back what it was.",
	  .see = { LIBVIRT, "nfsrdma(8)" },
	  .decisive = true },
	{ .id = "pool.transport",
	  .group = POOLS,
	  .title = "Transport of the pool",
	  .what = "What the kernel says of the mount on the pool's target, in mountinfo and "
		  "mountstats. libvirt compares source and target only: a pool over TCP, or "
		  "with nothing mounted at all, is running to it.",
	  .cause =
		  "It was mounted before its options asked for RDMA, or by somebody else. Or "
		  "NFSv4.1 and later share the connection of another mount of the same "
		  "server and version, and that one is over TCP. Or mount exited with 0 and "
		  "had mounted nothing.",
	  .remedy =
		  "Shut the pool's guests down, 'virsh pool-destroy', 'virsh pool-start', "
		  "'nfsrdma pool verify'. If another mount of the server is over TCP: give "
		  "it RDMA, too, or another version (vers=4.1 beside 4.2), or mount it after "
		  "this one.",
	  .unknown =
		  "What is mounted is seen on the host itself: run it there, where libvirt "
		  "runs.",
	  .see = { LIBVIRT, "nfsrdma(8)" },
	  .decisive = true },
	{ .id = "pool.rollback",
	  .group = POOLS,
	  .title = "Rollback",
	  .what = "A pool whose change did not succeed is given back the definition that it "
		  "had, and started if it ran.",
	  .cause =
		  "The old definition was refused, or the pool does not start with it any more.",
	  .remedy =
		  "Run 'nfsrdma pool revert NAME', which tries once more; what the pool was is in "
		  "/var/lib/nfsrdma/pools.",
	  .unknown =
		  "As far as is known libvirt still works on the change. When it has ended: 'nfsrdma pool revert "
		  "NAME' brings back what it was.",
	  .see = { LIBVIRT },
	  .decisive = true },
	{ .id = "pool.original",
	  .group = POOLS,
	  .title = "Way back",
	  .what = "What a pool was before 'nfsrdma pool convert' is kept in "
		  "/var/lib/nfsrdma/pools, in a file named by its UUID.",
	  .cause = "The file could not be written or removed.",
	  .remedy = "Look at the folder: it is root's alone, mode 0700.",
	  .see = { LIBVIRT } },
	{ .id = "pool.list",
	  .group = POOLS,
	  .title = "Pools",
	  .what = "The pools of type netfs that libvirt has.",
	  .cause = "There is no libvirt to ask, or it refuses.",
	  .remedy =
		  "See that libvirtd, or virtstoraged, runs (or its socket), and that this "
		  "user may ask it; --connect names another.",
	  .see = { LIBVIRT },
	  .decisive = true },
	{ .id = NULL },
};
