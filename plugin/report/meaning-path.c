/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the checks of the way to a server mean. */
#include "plugin/report/internal.h"

#define PATH "Way to the server"

const struct meaning meaning_path[] = {
	{ .id = "fabric.address",
	  .group = PATH,
	  .title = "Address",
	  .what = "The addresses of the server that was named. Below --root nobody is asked, "
		  "so only an address in numbers will do.",
	  .cause = "The name is misspelt, is neither in DNS nor in /etc/hosts, or the "
		   "resolver does not answer.",
	  .remedy =
		  "Try 'getent ahosts SERVER'. Name the server by its address in the storage "
		  "network.",
	  .unknown = COULD_NOT_READ,
	  .see = { "getaddrinfo(3)", "hosts(5)" },
	  .decisive = true },
	{ .id = "fabric.route",
	  .group = PATH,
	  .title = "Route",
	  .what = "By which interface packets to each address of the server leave, and "
		  "whether it belongs to an RDMA device: the connection manager takes the "
		  "device from the route.",
	  .cause =
		  "The name leads to the server's address in another network; the address of "
		  "the storage network is on an ordinary card; or it is on a bridge, for "
		  "which an adapter has no GID before Linux 4.3, and whose packets rxe never "
		  "gets. A mount then says 'Protocol error'.",
	  .remedy =
		  "Look at 'ip route get ADDRESS': it must show the interface that 'rdma "
		  "link' names as netdev. Name the server by its address in the RDMA "
		  "network, or mend the route. With a bridge: put the address on the "
		  "interface below it, or on a VLAN of that.",
	  .unknown = COULD_NOT_READ,
	  .see = { "ip-route(8)", "rdma-link(8)" },
	  .decisive = true },
	{ .id = "fabric.listener",
	  .group = PATH,
	  .title = "Listener of the server",
	  .what = "A connection by RDMA to the server's NFS/RDMA port, 20049 unless --port "
		  "says otherwise, and a NULL call, made by the probe's unprivileged "
		  "process. Where 20049 refuses, 2050 is tried, which RHEL 6 used. ss, nmap "
		  "and rpcinfo cannot see it: an RDMA listener is neither a socket nor "
		  "registered with rpcbind. ping, iperf3 and FTP over IPoIB, which guides "
		  "use, say something of IP and of disks; ibping and qperf of RDMA; what NFS "
		  "gets, 'nfsrdma bench' measures.",
	  .cause =
		  "Refused: the server runs without RDMA, listens elsewhere, or lost its "
		  "listener in a restart. Silent: a firewall drops it, which for RoCE is UDP "
		  "port 4791 and for iWARP TCP port 20049; InfiniBand has none. 20049 is a "
		  "number of the connection manager: to open TCP and UDP port 20049, as "
		  "guides say, helps iWARP alone.",
	  .remedy =
		  "On a Linux server: rdma=y and rdma-port=20049 in section [nfsd] of "
		  "/etc/nfs.conf, restart nfs-server, then /proc/fs/nfsd/portlist has a line "
		  "'rdma 20049'. Another port: mount with port=. Between the hosts open UDP "
		  "port 4791 (RoCE) or TCP port 20049 (iWARP) in switches, security groups "
		  "and, for software RDMA, the hosts' own firewalls. Then nfsrdma probe "
		  "SERVER:/EXPORT.",
	  .unknown =
		  "See that the server is on and that 'nfsrdma check --role server' passes "
		  "there; then look for a firewall between: UDP port 4791 for RoCE, TCP port "
		  "20049 for iWARP. If this host could not ask: rdma_ucm must be loaded, and "
		  "this user may open /dev/infiniband; or run nfsrdma probe as root.",
	  .see = { "nfs.conf(5)", "nfsd(7)" },
	  .decisive = true },
	{ .id = "fabric.side-channels",
	  .group = PATH,
	  .title = "Side channels of NFSv3",
	  .what = "With --nfs-version 3: rpcbind (TCP port 111) and the ports that it names "
		  "for mountd and lockd. They go over TCP beside a mount over RDMA.",
	  .cause =
		  "A firewall lets RDMA through and not these, or the services do not run. "
		  "The mount is refused or hangs although RDMA is well.",
	  .remedy =
		  "Open rpcbind, mountd and lockd on the server (firewalld: services "
		  "rpc-bind and mountd; fixed ports in section [mountd] and [lockd] of "
		  "nfs.conf). Or mount NFSv4, which needs none of them, or with nolock.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfs(5)", "nfs.conf(5)" },
	  .decisive = true },
	{ .id = "fabric.krb5",
	  .group = PATH,
	  .title = "TCP for Kerberos",
	  .what = "With --sec krb5, krb5i or krb5p: NFS over TCP at port 2049. rpc.gssd "
		  "makes the context by it, for mounts over RDMA too.",
	  .cause = "A firewall closes TCP port 2049, or the server serves RDMA only.",
	  .remedy =
		  "Open TCP port 2049 from the clients to the server, and let the server "
		  "listen there.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rpc.gssd(8)" },
	  .decisive = true },
	{ .id = NULL },
};
