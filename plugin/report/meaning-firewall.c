/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the checks of this host's packet filters mean. */
#include "plugin/report/internal.h"

#define FIREWALL "Firewall of this host"

const struct meaning meaning_firewall[] = {
	{ .id = "firewall.rdma",
	  .group = FIREWALL,
	  .title = "Firewall and RDMA",
	  .what = "Whether RDMA's packets come through this host's packet filters, in both "
		  "directions. The driver decides whether there is anything to ask: what an "
		  "adapter sends and receives, RoCE or iWARP, never comes to the kernel's "
		  "network, so no rule of this host stops it, and none lets it in; what lies "
		  "between the hosts (switches, ACLs, security groups) must pass UDP port "
		  "4791 for RoCE, TCP port 20049 for iWARP, or the port that iwpmd makes of "
		  "it (iwpmd itself asks the other host's at UDP port 3935, through "
		  "netfilter). InfiniBand needs nothing. rxe and siw are software, and their "
		  "packets go through netfilter: UDP port 4791 for rxe, where neither "
		  "direction is a reply to the other, and the listener's TCP port for siw. "
		  "nft's rules are walked through with such packets, those of iptables-nft "
		  "too; for who is not root it is firewalld's zone that answers. Filters of "
		  "tc and BPF are not seen, and those of the other host only as its silence: "
		  "see fabric.listener. 20049 is a number of the connection manager: 'open "
		  "20049/tcp and 20049/udp', as guides have it, opens iWARP, and for RoCE "
		  "and InfiniBand nothing at all.",
	  .cause =
		  "A rule or the policy of a chain drops what is not listed, as firewalld's "
		  "default zone does. Rules for established connections do not let rxe's "
		  "packets in: every one is to UDP port 4791, from another port at each "
		  "end. The mount then hangs or times out, and to the other host this one "
		  "is silent, which is another thing than a refusal.",
	  .remedy =
		  "Run the command that the summary names, if it names one, and make it "
		  "last: firewalld's again with --permanent ('nfsrdma setup' does both), "
		  "nft's as a line of the file that it is loaded from (/etc/nftables.conf, "
		  "on RHEL one that /etc/sysconfig/nftables.conf includes), iptables' by "
		  "its save command. It opens that port at that interface alone. If the "
		  "rule is there on purpose, use another interface or address for NFS. Then "
		  "run the check again.",
	  .unknown =
		  "Run the check as root: only root may list rules. A rule that is not "
		  "modelled is named with what is asked for in it: see whether it is meant "
		  "for these packets, or try nfsrdma probe from the other end. Tables of "
		  "iptables-legacy are listed by iptables-legacy-save.",
	  .see = { "nft(8)", "firewall-cmd(1)", "iwpmd(8)" },
	  .decisive = true },
	{ .id = "firewall.side-channels",
	  .group = FIREWALL,
	  .title = "Firewall and TCP beside it",
	  .what = "What goes over the kernel's network whatever the adapter is, and so "
		  "through this host's packet filters. NFSv3: rpcbind (port 111), mountd "
		  "and lockd of the server, by TCP; statd of either side, by UDP. NFSv4.0: "
		  "the server's call back to a TCP port of the client. Kerberos: NFS over "
		  "TCP, port 2049, for rpc.gssd. NFSv4.1 and later need none. Looked at is "
		  "what --nfs-version and --sec ask for, else what is mounted over RDMA, "
		  "and for a server what it offers. Ports are those that nfs.conf, "
		  "services(5) or sysctl set, or that rpcbind names.",
	  .cause =
		  "A rule or the policy of a chain drops it. Without rpcbind or mountd an "
		  "NFSv3 mount fails, without lockd locks hang; without statd they are "
		  "lost after a restart; a call back of lockd that is lost makes locks wait "
		  "for 30 s, and without that of NFSv4.0 there are no delegations. lockd "
		  "and statd take another port at each start unless one is set, and a rule "
		  "cannot name that.",
	  .remedy =
		  "Run the command that the summary names, if it does, and make it last (see "
		  "firewall.rdma). For ports that stay: port= in sections [mountd], "
		  "[lockd] and [statd] of /etc/nfs.conf, 'options nfs "
		  "callback_tcpport=PORT' in /etc/modprobe.d. Or mount NFSv4.1 or 4.2, "
		  "which need none of it.",
	  .unknown =
		  "Run the check as root: only root may list rules. A rule that is not "
		  "modelled is named with what is asked for in it.",
	  .see = { "nfs.conf(5)", "nft(8)", "firewall-cmd(1)" },
	  .decisive = false },
	{ .id = NULL },
};
