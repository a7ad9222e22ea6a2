/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the checks of this host as a server mean. */
#include "plugin/report/internal.h"

/* As meaning-client.c has it: the first two stand there. */
#define CLIENT "This host"
#define SERVER "NFS server of this host"

const struct meaning meaning_server[] = {
	{ .id = "server.module",
	  .group = CLIENT,
	  .title = "Module svcrdma",
	  .what = "Whether the kernel can serve NFS over RDMA: svcrdma is another name of "
		  "the module rpcrdma. It need not be loaded: a server that is told to "
		  "listen for RDMA makes the kernel ask modprobe for svcrdma. It is skipped "
		  "where client.module fails.",
	  .cause =
		  "The kernel was built without it; its package of additional modules is not "
		  "installed; the modules of the running kernel are gone after an update; or "
		  "modprobe.d forbids it. A blacklist that does a mount no harm stops a "
		  "server: it withholds what is asked for by an alias. rpc.nfsd then says "
		  "'Unable to request RDMA services: Protocol not supported', and serves TCP "
		  "alone; nfsdctl starts no server at all.",
	  .remedy =
		  "Take lines with rpcrdma, xprtrdma or svcrdma out of /etc/modprobe.d, or "
		  "module_blacklist= and modprobe.blacklist= out of the kernel's command "
		  "line, try 'modprobe svcrdma', then restart nfs-server. Debian: "
		  "linux-image-amd64 in place of its cloud kernel. RHEL and Fedora: install "
		  "kernel-modules or kernel-modules-extra of the running kernel. Ubuntu: "
		  "linux-modules-extra-$(uname -r). After an update of the kernel: restart "
		  "the host. A vendor's driver package (OFED, DOCA) needs its own NFS over "
		  "RDMA (mlnx-nfsrdma).",
	  .unknown = COULD_NOT_READ,
	  .see = { "modprobe.d(5)", "rpc.nfsd(8)" },
	  .decisive = true },
	{ .id = "server.device",
	  .group = CLIENT,
	  .title = "RDMA device of the server",
	  .what = "Whether this host has an RDMA device, as client.device says it of a "
		  "client. A server listens without one, and nobody can reach it.",
	  .cause =
		  "There is no adapter that does RDMA; it is given to a virtual machine; or, "
		  "in a container, it belongs to another network namespace. "
		  "/proc/fs/nfsd/portlist has a line for RDMA all the same: it is no proof.",
	  .remedy =
		  "Look with 'rdma link' and 'lspci'. To try NFS over RDMA without an "
		  "adapter: 'modprobe rdma_rxe' and 'rdma link add rxe0 type rxe netdev "
		  "INTERFACE' on both ends, or siw with type siw, which Debian's kernels do "
		  "not have. The server need not be restarted: it listens on devices that "
		  "come later, too.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-link(8)" },
	  .decisive = true },
	{ .id = "server.ganesha",
	  .group = SERVER,
	  .title = "NFS-Ganesha",
	  .what = "Where NFS-Ganesha serves and not the kernel: whether its package has RDMA, and "
		  "whether NFS_CORE_PARAM in /etc/ganesha/ganesha.conf asks for it. It is skipped "
		  "elsewhere. What listens is a user of the RDMA connection manager, which only "
		  "'rdma resource show cm_id' and a client see.",
	  .cause =
		  "Debian and Ubuntu build NFS-Ganesha without RDMA (libntirpc without "
		  "librdmacm), whatever its configuration says. By default it serves NFSv3 and "
		  "v4 over TCP only; a build without RDMA stops at the word NFSRDMA ('Unknown "
		  "token').",
	  .remedy =
		  "In ganesha.conf: NFS_CORE_PARAM { Protocols = 3, 4, NFSRDMA; } and since 6.0 "
		  "NFS_RDMA_Port, 20049 by default, and NFS_RDMA_Protocol_Versions, 4.0 alone by "
		  "default: with '3, 4.0' NFSv3 is served over RDMA, too. Then 'systemctl restart "
		  "nfs-ganesha'; clients mount with vers=4.0 or vers=3. It has to be built with "
		  "USE_NFS_RDMA, and librdmacm and libibverbs have to be there then. Or let the "
		  "kernel serve: its server and NFS-Ganesha cannot both run.",
	  .unknown =
		  "Run 'nfsrdma check SERVER' on a client: it connects. What the summary says "
		  "is not looked at, look at yourself.",
	  .see = { "ganesha-core-config(8)", "rdma-resource(8)" },
	  .decisive = true },
	{ .id = "server.threads",
	  .group = SERVER,
	  .title = "Kernel NFS server",
	  .what = "Whether the kernel's NFS server runs, by its files in /proc/fs/nfsd, and "
		  "with how many threads.",
	  .cause =
		  "The package is not installed, the service is not started, or it failed to "
		  "start: with nfsdctl (nfs-utils 2.8) a listener that cannot be opened, the "
		  "one for RDMA among them, starts no threads. Few threads: somebody set "
		  "threads= in nfs.conf below the default of 8 (16 since 2.8); each of them "
		  "works on one call, and its disk, at a time.",
	  .remedy =
		  "Install nfs-utils (RHEL, Fedora), nfs-kernel-server (Debian, Ubuntu, "
		  "SUSE), then 'systemctl enable --now nfs-server' (SUSE also: nfsserver). "
		  "If it fails: 'journalctl -u nfs-server'. More threads: threads=64 in "
		  "section [nfsd] of /etc/nfs.conf (before nfs-utils 2.1.1: RPCNFSDCOUNT in "
		  "/etc/default/nfs-kernel-server or /etc/sysconfig/nfs), or at once: "
		  "'rpc.nfsd 64'.",
	  .unknown = "The summary says what kept the check from knowing. Where it is "
		     "permission, run the check as root.",
	  .see = { "rpc.nfsd(8)", "nfsdctl(8)", "nfs.systemd(7)" },
	  .decisive = true },
	{ .id = "server.nfs-conf",
	  .group = SERVER,
	  .title = "RDMA in nfs.conf",
	  .what = "What the server's configuration makes of RDMA when it starts: rdma= and "
		  "rdma-port= in section [nfsd] of /etc/nfs.conf and nfs.conf.d, as the "
		  "installed nfs-utils reads them, or an argument --rdma of rpc.nfsd.",
	  .cause =
		  "Before nfs-utils 2.1.1 (Ubuntu 20.04, Debian 11, RHEL 7) rpc.nfsd reads no "
		  "nfs.conf, whatever stands there: its arguments are all there is. Since "
		  "then: by default Debian, Ubuntu and SUSE have RDMA switched off, RHEL on. "
		  "rdma=y alone means the port of the service nfsrdma, which /etc/services "
		  "of Debian 12 does not have: rpc.nfsd says 'unable to interpret port name "
		  "nfsrdma' in the journal, starts without RDMA, and nfs-server is active. "
		  "rdma=20049 is the old way: rpc.nfsd takes it, nfsdctl ignores it. Before "
		  "nfs-utils 2.4.2 it is the only way. rdma-port= alone does nothing. A "
		  "last line without newline is ignored. A server that listens all the same "
		  "was told so by hand.",
	  .remedy =
		  "Where the summary shows a line with --rdma=: that line in the file it "
		  "names, and nothing in nfs.conf. Else: two lines in section [nfsd] of "
		  "/etc/nfs.conf, or of a file that ends in .conf in /etc/nfs.conf.d, are "
		  "what every nfs-utils since 2.4.2 understands, with rpc.nfsd and with "
		  "nfsdctl: rdma=y and rdma-port=20049. "
		  "Then 'systemctl restart nfs-server': it interrupts clients, who wait and "
		  "go on. 'nfsrdma setup server' writes the lines, and opens the port of a "
		  "server that runs, without a restart and only where nothing has it. SUSE "
		  "keeps settings in /etc/sysconfig/nfs, which nfs.conf includes. nfs-utils "
		  "before 2.4.2 wants rdma=20049 and no rdma-port=.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfs.conf(5)", "rpc.nfsd(8)", "services(5)" } },
	{ .id = "server.listener",
	  .group = SERVER,
	  .title = "Listener for RDMA",
	  .what = "Whether the server that runs listens for RDMA: a line 'rdma 20049' in "
		  "/proc/fs/nfsd/portlist. Nothing else tells: ss and rpcinfo do not show "
		  "it, and nfs-server is active without it. It is no proof that clients get "
		  "here: 'nfsrdma check SERVER' on a client is.",
	  .cause =
		  "The server was started before nfs.conf asked for RDMA: rpc.nfsd, when it "
		  "runs again, changes the number of threads and nothing else. Or the port "
		  "could not be opened then, and rpc.nfsd went on with TCP: rpcrdma could "
		  "not be loaded, or over iWARP another service had the TCP port of that "
		  "number, or nfsdctl was to listen at an address (host=) that was not there "
		  "yet. The order of RDMA devices and nfs-server does not matter otherwise: "
		  "the listener is on every device as it comes.",
	  .remedy =
		  "Restart the server ('systemctl restart nfs-server'), then look into "
		  "/proc/fs/nfsd/portlist, and with 'journalctl -u nfs-server' at what "
		  "rpc.nfsd or nfsdctl says. Without a restart: 'nfsrdma setup server'. Do "
		  "not write to portlist by hand where anything has that port, in portlist "
		  "or in 'ss -tln': some kernels crash (seen with 6.1.192). With host= in "
		  "section [nfsd]: a drop-in for nfs-server with After= of what sets up "
		  "that address. Two services with one port: give the other one (port= in "
		  "[mountd], [lockd] or [statd]) another.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rpc.nfsd(8)", "nfsdctl(8)", "nfsd(7)" },
	  .decisive = true },
	{ .id = "server.port",
	  .group = SERVER,
	  .title = "Port of the listener",
	  .what = "Whether the port that is listened at is the one that clients come to: "
		  "that of --port where it is given without a server, 20049 otherwise; and "
		  "whether the server will listen there after its next start.",
	  .cause =
		  "Somebody changed rdma-port= and did not restart the server, or opened a "
		  "listener by hand at another port. 2050 is what RHEL 6 used.",
	  .remedy =
		  "Set rdma-port= in section [nfsd] of /etc/nfs.conf, restart nfs-server, "
		  "and mount with port= of the same number: without it clients take 20049. "
		  "Between the hosts the port matters to iWARP alone, where it is one of "
		  "TCP; RoCE needs UDP port 4791 whatever it is.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfs.conf(5)", "nfs(5)" } },
	{ .id = "server.address",
	  .group = SERVER,
	  .title = "Address for clients",
	  .what = "At which addresses of this host clients reach it over RDMA. A connection "
		  "comes in by the RDMA device that has the address: for RoCE by a GID, which "
		  "the port has of each address of its interface and of VLANs and bonds above; "
		  "for InfiniBand by an IPoIB interface; for iWARP by the adapter's interface. "
		  "/proc/fs/nfsd/portlist has its line with none of them.",
	  .cause =
		  "The interface is a port of a bridge, and the bridge has the address: TCP gets "
		  "there; rxe and siw do not see those packets, and an adapter only where the "
		  "kernel has a GID for it. Or the port with the storage address is down while "
		  "another one is active. Or an active port has no address at all, or a "
		  "link-local one (fe80::) alone. Or host= in nfs.conf, which nfsdctl takes for "
		  "RDMA as well, names an address that is on no RDMA device; rpc.nfsd takes it "
		  "for TCP only.",
	  .remedy =
		  "Give the RDMA device's own interface an address for storage, or a VLAN on it, "
		  "and let clients mount that: 'ip -br address' and 'rdma link' show both. A "
		  "hypervisor's bridge belongs on another port or on a virtual function. Bring up "
		  "the port that is down: cable, switch, 'ip link set INTERFACE up'. Take host= "
		  "out of section [nfsd], or add that address to it, and restart nfs-server.",
	  .unknown = COULD_NOT_READ,
	  .see = { "ip-address(8)", "rdma-link(8)", "nfs.conf(5)" },
	  .decisive = true },
	{ .id = "server.boot",
	  .group = SERVER,
	  .title = "Server at boot",
	  .what = "Whether nfs-server.service is enabled, or a cluster starts it.",
	  .cause =
		  "The server was started by hand. After a restart of this host it is not "
		  "there, and clients hang.",
	  .remedy =
		  "Enable it: 'systemctl enable nfs-server'. If something else starts it, a "
		  "cluster for instance, leave it.",
	  .unknown = COULD_NOT_READ,
	  .see = { "systemctl(1)", "nfs.systemd(7)" } },
	{ .id = "server.exports",
	  .group = SERVER,
	  .title = "Exports",
	  .what = "Whether the server exports anything: /var/lib/nfs/etab, which exportfs "
		  "makes of /etc/exports and exports.d. For RDMA nothing special is needed "
		  "there; the option insecure, which guides ask for, is not.",
	  .cause =
		  "Nothing is configured; or exportfs was not run since, or refused the "
		  "lines: the directory does not exist, or the names of the clients are not "
		  "known.",
	  .remedy =
		  "A line such as '/srv/vm 192.0.2.0/24(rw,no_root_squash)' in /etc/exports, "
		  "then 'exportfs -ra', which says what it refuses, and 'exportfs -v'. oVirt "
		  "wants the directory to belong to 36:36.",
	  .unknown = COULD_NOT_READ,
	  .see = { "exports(5)", "exportfs(8)" },
	  .decisive = true },
	{ .id = "server.versions",
	  .group = SERVER,
	  .title = "Versions that are served",
	  .what = "The versions of NFS that the server serves, and whether that of "
		  "--nfs-version is among them. Only root may see them.",
	  .cause =
		  "It was switched off: vers3=n, vers4=n, vers4.0=n and the like in section "
		  "[nfsd] of nfs.conf. A mount says 'Protocol not supported'.",
	  .remedy =
		  "Switch it on there and restart nfs-server, or mount with vers= of one "
		  "that is served.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfs.conf(5)", "nfs(5)" } },
	{ .id = "server.block-size",
	  .group = SERVER,
	  .title = "Longest READ and WRITE",
	  .what = "The longest READ and WRITE that the server takes, max_block_size. Mounts "
		  "that ask for more (rsize=, wsize=) get this.",
	  .cause =
		  "The kernel chose 1/4096 of the memory when the server first started: "
		  "hosts with less than 4 GiB offer less than 1 MiB. Or somebody set it.",
	  .remedy =
		  "Give the host more memory; or stop the server, 'echo 1048576 "
		  ">/proc/fs/nfsd/max_block_size', and start it. Every thread has a buffer "
		  "of that size.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfsd(7)" } },
	{ .id = "server.sysctl",
	  .group = SERVER,
	  .title = "Settings of svcrdma",
	  .what = "The server's settings in /proc/sys/sunrpc/svc_rdma: how many calls a "
		  "client may have under way (max_requests, its credits), how long inline "
		  "calls are, and how many RDMA Reads fetch WRITEs at once "
		  "(max_outbound_read_requests). They hold for new connections.",
	  .cause = "Somebody made them so small that clients wait.",
	  .remedy =
		  "Set them back (max_requests=64, max_outbound_read_requests=16, both of "
		  "sunrpc.svc_rdma); take them out of /etc/sysctl.d; then mount anew on "
		  "the clients.",
	  .unknown = COULD_NOT_READ,
	  .see = { "sysctl.d(5)" } },
	{ .id = "server.counters",
	  .group = SERVER,
	  .title = "Counters of svcrdma",
	  .what = "What the server has done over RDMA since rpcrdma was loaded, in "
		  "/proc/sys/sunrpc/svc_rdma: recv counts calls, read RDMA Reads (WRITEs of "
		  "clients), write RDMA Writes (READs). sq_starve rises when a reply has to "
		  "wait for room in the adapter's send queue. rq_starve, rq_poll, rq_prod, "
		  "sq_poll and sq_prod mean nothing, and newer kernels show 0. A counter of "
		  "seven digits or more cannot be read on newer kernels (EFAULT); writing "
		  "anything to it sets it to 0.",
	  .cause =
		  "More than one in twenty calls waited for the send queue: the link, or a "
		  "client, takes data slower than the server has it; packets are lost and "
		  "sent again (RoCE without flow control); or credits are more than the "
		  "adapter's queue has room for.",
	  .remedy =
		  "Set it back (write 0 to rdma_stat_sq_starve in /proc/sys/sunrpc/svc_rdma) "
		  "and see whether it rises under load. Look at the link's rate (fabric.port) "
		  "and its counters of errors and of retransmissions ('rdma statistic', "
		  "'ethtool -S'); for RoCE see that switches and adapters have flow control "
		  "or ECN. nfsrdma bench on a client measures it.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-statistic(8)" } },
	{ .id = NULL },
};
