/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the checks of the fabric mean, from the cable to the partition. */
#include "plugin/report/internal.h"

#define FABRIC "Fabric"

const struct meaning meaning_fabric[] = {
	{ .id = "fabric.software-device",
	  .group = FABRIC,
	  .title = "Software RDMA",
	  .what = "Whether devices are RDMA in software: rxe (Soft-RoCE) or siw "
		  "(Soft-iWARP), made by 'rdma link add'. They do what adapters do, for "
		  "tests and for the first steps, and are gone after the next boot.",
	  .cause = "Nothing is wrong.",
	  .remedy =
		  "Nothing. Do not expect them to be faster than TCP, and let no stranger's "
		  "network reach them: they parse what comes in the kernel.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-link(8)" } },
	{ .id = "fabric.netns",
	  .group = FABRIC,
	  .title = "Network namespaces",
	  .what = "Whether RDMA devices are seen from every network namespace, or belong to "
		  "one each (rdma system).",
	  .cause =
		  "Nothing is wrong on this host itself. A mount in a container finds no "
		  "device ('Protocol error') where its namespace has none.",
	  .remedy =
		  "For mounts in containers: 'rdma dev set DEVICE netns NAME', or 'rdma "
		  "system set netns shared' while no container runs.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-system(8)", "rdma-dev(8)" } },
	{ .id = "fabric.cable",
	  .group = FABRIC,
	  .title = "Physical link",
	  .what = "The physical state of the ports: of the one on the route to the server, "
		  "where one was named, else of all, and one with a link will do.",
	  .cause =
		  "Polling: there is no signal, so no cable, the wrong one, or the other end "
		  "is off. Disabled: the port or its interface was switched off. One lane of "
		  "four: a bad cable or connector.",
	  .remedy =
		  "Look at the cable and at the other end. Switch the interface on: 'ip link "
		  "set INTERFACE up'. InfiniBand: 'ibportstate' shows and sets ports. ibstat "
		  "shows the same states.",
	  .unknown = COULD_NOT_READ,
	  .see = { "ibstat(8)", "ip-link(8)" } },
	{ .id = "fabric.subnet-manager",
	  .group = FABRIC,
	  .title = "Subnet manager",
	  .what = "InfiniBand ports that have a link and are initializing: every subnet, a "
		  "cable between two hosts too, needs a subnet manager, in a switch or as "
		  "OpenSM on a host. It gives the ports their LIDs.",
	  .cause =
		  "No subnet manager runs, or not for this port: OpenSM takes the first port "
		  "of its host unless it is told another.",
	  .remedy =
		  "Switch it on in the switch, or on one host: install opensm and 'systemctl "
		  "enable --now opensm'. Several on one subnet need different priorities "
		  "(sm_priority, 15 is the highest; PRIORITY= in /etc/sysconfig/opensm). A "
		  "host with ports in several subnets needs an instance for each, with the "
		  "GUID of its port: GUIDS= in /etc/sysconfig/opensm, or a file "
		  "opensm.conf.1 and so on in /etc/rdma.",
	  .unknown = COULD_NOT_READ,
	  .see = { "opensm(8)", "ibstat(8)" } },
	{ .id = "fabric.opensm",
	  .group = FABRIC,
	  .title = "OpenSM here",
	  .what = "The files of a subnet manager that is enabled on this host: for which "
		  "ports, and with which priority. One that is only installed is no matter.",
	  .cause = "Two instances are for the same port.",
	  .remedy =
		  "Each opensm.conf.N needs 'guid' with the GUID of its own port, as 'ibstat "
		  "-p' lists them. Of subnet managers on several hosts one must have the "
		  "highest sm_priority, so that it is the master again when it comes back.",
	  .unknown = COULD_NOT_READ,
	  .see = { "opensm(8)" } },
	{ .id = "fabric.port",
	  .group = FABRIC,
	  .title = "Port",
	  .what = "Whether the port is active: the one on the route to the server, where one "
		  "was named, else any.",
	  .cause =
		  "The interface of the port is down, or the fabric has not made it active.",
	  .remedy =
		  "Set the interface up: 'ip link set INTERFACE up'. Look at 'rdma link' and "
		  "at the kernel's log.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-link(8)" },
	  .decisive = true },
	{ .id = "fabric.node-guid",
	  .group = FABRIC,
	  .title = "Node GUID",
	  .what = "Whether every device has a node GUID.",
	  .cause =
		  "The GUID is zero: firmware without one, or a driver that made none up. "
		  "Programs leave such a device out (librdmacm), or crash. The kernel's NFS "
		  "does not mind.",
	  .remedy =
		  "Update the adapter's firmware, or set the GUID with the vendor's tool. "
		  "rdma-core of 2025 and later copes.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-dev(8)" } },
	{ .id = "fabric.gid",
	  .group = FABRIC,
	  .title = "GID of the address",
	  .what = "RoCE has a GID for each IP address of the interface, and connections come "
		  "from one: it is looked for in the port's table. Without a server any GID "
		  "will do.",
	  .cause =
		  "The address is on an interface that RoCE does not know, such as a bridge before Linux 4.3; "
		  "or an entry was lost when addresses or a bond changed.",
	  .remedy =
		  "Take the address off and add it again ('ip addr del', 'ip addr add'), or "
		  "set the interface down and up. Addresses for RDMA belong on the interface "
		  "itself, a VLAN or a bond of it, not on a bridge. Before Linux 6.1.55 siw "
		  "on lo or on a tunnel has no GID.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-link(8)" } },
	{ .id = "fabric.roce-version",
	  .group = FABRIC,
	  .title = "RoCE version",
	  .what = "Which version of RoCE the connection manager uses: v2 (UDP port 4791) "
		  "where the port has it, or v1 (ethertype 0x8915) where configfs says so. "
		  "Both ends must use the same.",
	  .cause = "The setting default_roce_mode is v1, or the adapter has v1 only "
		   "(ConnectX-3 and older). A server with v2 does not understand it: "
		   "connections time out.",
	  .remedy =
		  "With servers that have v2: make the folder "
		  "/sys/kernel/config/rdma_cm/DEVICE if it is not there, and write 'RoCE "
		  "v2' to ports/1/default_roce_mode in it. If the server has v1 only, v1 on "
		  "both ends is right, and both must be in one Ethernet. The setting lasts "
		  "until the next boot.",
	  .unknown = COULD_NOT_READ,
	  .see = { "cma_roce_mode(8)" } },
	{ .id = "fabric.mtu",
	  .group = FABRIC,
	  .title = "MTU",
	  .what = "The MTU of the Ethernet interface behind RoCE and iWARP ports. RoCE "
		  "packets carry 1024 bytes where it is 1500, and 4096 from 4200 on.",
	  .cause =
		  "Smaller than Ethernet's 1500: RoCE falls to 512 bytes a packet or less.",
	  .remedy =
		  "Give the interface at least 1500 ('ip link set INTERFACE mtu 9000' is "
		  "better where every switch and the server have it too; a mixture loses "
		  "packets).",
	  .unknown = COULD_NOT_READ,
	  .see = { "ip-link(8)" } },
	{ .id = "fabric.pkey",
	  .group = FABRIC,
	  .title = "Partition",
	  .what = "The partition keys of IPoIB interfaces against the table that the subnet "
		  "manager gave the port.",
	  .cause =
		  "The interface was made for a partition in which the port is not, or no "
		  "more; or the port is a limited member, and limited members do not hear "
		  "each other.",
	  .remedy =
		  "On the host of the subnet manager: partitions.conf, 'Name=0x8002, ipoib : "
		  "ALL=full;' or the port's GUID with =full; keep 'Default=0x7fff, ipoib : "
		  "ALL=full;'. Rate and mtu of a partition must suit its slowest host. "
		  "NetworkManager: 'nmcli connection add type infiniband ... "
		  "infiniband.p-key 0x8002 infiniband.parent ib0'.",
	  .unknown = COULD_NOT_READ,
	  .see = { "opensm(8)", "nmcli(1)" } },
	{ .id = "fabric.ipoib-mode",
	  .group = FABRIC,
	  .title = "IPoIB mode",
	  .what = "The mode of IPoIB interfaces, datagram or connected. NFS over RDMA does "
		  "not go through IPoIB: it is for the addresses, and for TCP beside. "
		  "ConnectX-4 and later have datagram mode only; multicast is always "
		  "datagram.",
	  .cause = "Nothing is wrong.",
	  .remedy =
		  "Nothing. Where TCP over IPoIB is slow on older adapters: connected mode "
		  "with an MTU of 65520, on all hosts ('nmcli connection modify ib0 "
		  "infiniband.transport-mode connected infiniband.mtu 65520').",
	  .unknown = COULD_NOT_READ,
	  .see = { "Linux Documentation/infiniband/ipoib.rst" } },
	{ .id = "fabric.ipoib-mtu",
	  .group = FABRIC,
	  .title = "IPoIB MTU",
	  .what = "The MTU of IPoIB interfaces: 2044 or 4092 in datagram mode, by the "
		  "switches; up to 65520 in connected mode.",
	  .cause =
		  "Connected mode was set and its MTU was not; or the MTU is smaller than "
		  "any InfiniBand asks for. Old advice to limit it to 3072 inside the "
		  "kernel, so that a packet fits a page, is history.",
	  .remedy =
		  "Set it: 'ip link set ib0 mtu 65520' in connected mode, 'mtu 2044' or 4092 "
		  "in datagram mode; 'nfsrdma setup' writes a udev rule that does it at every "
		  "boot. The mtu of the partition (partitions.conf) is the bound for its "
		  "hosts. NFS over RDMA itself is not concerned.",
	  .unknown = COULD_NOT_READ,
	  .see = { "Linux Documentation/infiniband/ipoib.rst", "opensm(8)" } },
	{ .id = "fabric.tso-defect",
	  .group = FABRIC,
	  .title = "TSO of old ConnectX",
	  .what = "Mellanox's first ConnectX of revision a0 (MT25418 and others): by PCI id "
		  "and revision.",
	  .cause =
		  "These adapters say that they can segment TCP (TSO) and send corrupt IP "
		  "fragments. It hurts TCP over IPoIB, so NFS over TCP, rpcbind and mountd; "
		  "not NFS over RDMA itself.",
	  .remedy =
		  "Switch it off for every IPoIB interface, at each boot: 'ethtool -K ib0 "
		  "tso off', in NetworkManager 'ethtool.feature-tso off'. Whether it is off "
		  "already is not looked at.",
	  .unknown = COULD_NOT_READ,
	  .see = { "ethtool(8)" } },
	{ .id = "fabric.udev-names",
	  .group = FABRIC,
	  .title = "Names by udev",
	  .what = "Rules of udev that name interfaces by their hardware address. The address "
		  "of an IPoIB interface has 20 bytes: flags and the number of a queue (4), "
		  "the prefix of the subnet (8), the GUID of the port (8). Only the GUID "
		  "stays.",
	  .cause =
		  "A rule compares more than the last 8 bytes: after the next boot, or with "
		  "another subnet manager, it does not match, and the interface has another "
		  "name.",
	  .remedy =
		  "Compare with a pattern: ATTR{type}==\"32\", ATTR{address}==\"?*GUID\", "
		  "NAME=\"mlx4_ib0\", where GUID is the last 8 bytes that 'ip link show ib0' "
		  "prints, as 00:02:c9:03:00:31:78:f2.",
	  .unknown = COULD_NOT_READ,
	  .see = { "udev(7)" } },
	{ .id = "fabric.udev-ipoib",
	  .group = FABRIC,
	  .title = "IPoIB by udev",
	  .what = "Rules of udev that set the mode of IPoIB interfaces.",
	  .cause =
		  "ATTR{mode}=\"connected\" in a rule is reported to do nothing. ConnectX-4 "
		  "and later refuse connected mode whoever sets it.",
	  .remedy =
		  "Use RUN+=\"/bin/sh -c 'echo connected >/sys/class/net/$$1/mode; echo 65520 "
		  ">/sys/class/net/$$1/mtu' sh $name\", or NetworkManager's "
		  "infiniband.transport-mode. With ConnectX-4 and later take the rule out.",
	  .unknown = COULD_NOT_READ,
	  .see = { "udev(7)" } },
	{ .id = NULL },
};
