/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the findings of probe and bench mean. The file is long because it is prose; its strings are
 * broken, unlike messages, because nobody greps a paragraph. */
#include "plugin/report/internal.h"

#define CONNECTION "Connection"
#define EXPORT     "Export"
#define READS      "READ"
#define REPLIES    "Other replies"
#define CONDUCT    "Conduct of the server"
#define DEFECTS    "Known defects"
#define BENCHMARK  "Benchmark"

/* READs that were cut short say nothing against the server by themselves. */
#define CUT_SHORT                                                                       \
	"Too few READs were made to tell; the summary says why. Mend first what other " \
	"findings name; give more time (--timeout), or name a file that nobody writes " \
	"to; then probe again."

#define USE_TCP                                                                             \
	"Until then mount over TCP (proto=tcp): do not keep the disks of virtual machines " \
	"on this export over RDMA."

const struct meaning meaning_probe[] = {
	{ .id = "probe.address",
	  .group = CONNECTION,
	  .title = "Address of the server",
	  .what = "The server's name is looked up as any program on this host would look "
		  "it up; a numeric address is taken as it stands.",
	  .cause = "The name is misspelt, is neither in DNS nor in /etc/hosts, or the "
		   "resolver does not answer. Names of a storage network are often known "
		   "to some hosts only.",
	  .remedy =
		  "Try 'getent ahosts SERVER' on this host. Enter the name in DNS or in "
		  "/etc/hosts, on every host that mounts, or give the address instead.",
	  .see = { "getaddrinfo(3)", "hosts(5)" },
	  .decisive = true },
	{ .id = "probe.route",
	  .group = CONNECTION,
	  .title = "RDMA transport",
	  .what = "Which way RDMA goes. With --transport auto it is the RDMA device (verbs) "
		  "that the route to the server leads through, as the connection manager "
		  "of this host resolves it; where there is none, software iWARP over TCP, "
		  "and the summary says why. --transport, --device and --bind decide "
		  "instead. It is unknown when verbs was asked for and cannot be had: then "
		  "nothing was asked of the server.",
	  .cause =
		  "This host has no RDMA device, or the modules of it or of the connection "
		  "manager (rdma_ucm) are not loaded; the port is down; the route to the "
		  "server leads through an ordinary network card; nobody answers for the "
		  "address; /dev/infiniband may not be opened by this user.",
	  .remedy =
		  "Look: 'rdma link' and 'ibv_devinfo' show devices and the state of their "
		  "ports, 'ip route get ADDRESS' the interface of the route: it must be the "
		  "one that 'rdma link' names as netdev. 'modprobe rdma_ucm' where "
		  "/dev/infiniband/rdma_cm is missing. A server with an iWARP device can "
		  "also be probed with --transport iwarp.",
	  .see = { "rdma-link(8)", "rdma_cm(7)" },
	  .decisive = true },
	{ .id = "probe.connect",
	  .group = CONNECTION,
	  .title = "RDMA connection",
	  .what = "A connection to the NFS/RDMA port, 20049 unless --port says otherwise. "
		  "Software iWARP is RDMA over an ordinary TCP connection: TCP connects, "
		  "then both ends agree on MPA revision 2, on the CRC, and on how many RDMA "
		  "Reads may be under way. A peer that refuses revision 2 or the CRC is "
		  "asked again, for revision 1 without CRC or without CRC, and the summary "
		  "says so. Over an RDMA device (verbs) the connection manager does it, and "
		  "the summary names its event. A refusal is a failure; silence is unknown, "
		  "because a firewall and an absent host look "
		  "the same from here.",
	  .cause =
		  "Refused: nothing listens there, because nfsd runs without RDMA or lost "
		  "its listener in a restart, or the server rejected the request. Something "
		  "else answered: another service has the port. Silence: a firewall drops "
		  "TCP port 20049, or the host is down. A server whose adapters are "
		  "InfiniBand or RoCE listens there and not for iWARP: it refuses TCP on "
		  "this port although NFS/RDMA works. RDMA_CM_EVENT_UNREACHABLE: packets of "
		  "the fabric are lost; RoCE uses UDP port 4791, which firewalls and "
		  "switches may drop while ping works. RLIMIT_MEMLOCK: registered memory "
		  "is locked memory, and this user may lock too little. No getrandom(2): this "
		  "host's kernel is older than Linux 3.17.",
	  .remedy =
		  "On a Linux server /proc/fs/nfsd/portlist must have a line 'rdma 20049' "
		  "(ss does not show the listener of an adapter). If it has none: rdma=y "
		  "in section [nfsd] of /etc/nfs.conf, then restart nfs-server. The server "
		  "needs an iWARP device: an adapter, or the kernel's software one (rdma "
		  "link add siw0 type siw netdev INTERFACE). Open TCP port 20049 (iWARP) or "
		  "UDP port 4791 (RoCE) in the firewalls between. For more locked memory: "
		  "ulimit -l, LimitMEMLOCK= of the unit, or run as root.",
	  .see = { "RFC 5044", "RFC 6581", "nfs.conf(5)" },
	  .decisive = true },
	{ .id = "probe.private-data",
	  .group = CONNECTION,
	  .title = "Connection parameters",
	  .what = "The eight bytes in which an RPC-over-RDMA server says, while the "
		  "connection is made, how long a message it sends and takes inline, and "
		  "whether it may invalidate the client's memory. Without them both sides "
		  "keep to 1024 bytes.",
	  .cause =
		  "A block of an unknown version, or one cut short. None at all is legal: "
		  "older servers send none.",
	  .remedy =
		  "Nothing where there is none: larger replies then travel in chunks. A "
		  "broken block is a defect of the server: report it to its vendor.",
	  .see = { "RFC 8797" } },
	{ .id = "probe.null",
	  .group = CONNECTION,
	  .title = "NULL call",
	  .what = "The smallest call there is, NULL of NFS version 4, or of version 3 where "
		  "that is wanted or there is no other: nothing goes with it and nothing "
		  "comes back but a reply. It proves that an RPC-over-RDMA version 1 server "
		  "with NFS stands behind the port.",
	  .cause = "The server accepts RDMA connections but is no NFS server, or has no "
		   "thread free to answer.",
	  .remedy =
		  "On a Linux server /proc/fs/nfsd/versions must have '+3' or '+4', and "
		  "/proc/fs/nfsd/threads must not be 0. nfs-ganesha serves over RDMA only "
		  "the versions in NFS_RDMA_Protocol_Versions.",
	  .see = { "RFC 8166 4", "RFC 1813 3.3.0", "RFC 8881 16.1" },
	  .decisive = true },
	{ .id = "probe.versions",
	  .group = CONNECTION,
	  .title = "Versions of NFS",
	  .what = "Which of NFS 3, 4.0, 4.1 and 4.2 the server offers over RDMA, each by a "
		  "call of its own. The highest is used, or the one of --nfs-version.",
	  .cause =
		  "The version that was asked for is switched off on the server, or its "
		  "software does not have it over RDMA. A version without an answer: the "
		  "server drops calls that it does not understand where it must refuse "
		  "them, and a client that tries that version first waits in vain.",
	  .remedy =
		  "On a Linux server /proc/fs/nfsd/versions has a '+' before each version "
		  "that is on; vers3= to vers4.2= in section [nfsd] of /etc/nfs.conf switch "
		  "them. nfs-ganesha: NFS_RDMA_Protocol_Versions and Minor_Versions. Or "
		  "leave --nfs-version out.",
	  .see = { "RFC 5531 9", "RFC 8881 2.7", "nfs.conf(5)" },
	  .decisive = true },
	{ .id = "probe.session",
	  .group = CONNECTION,
	  .title = "Session",
	  .what = "NFS 4.1 and 4.2 want a client id and a session: EXCHANGE_ID, "
		  "CREATE_SESSION and RECLAIM_COMPLETE. The probe's client has a random name "
		  "of its own and no backchannel, so that the kernel's client of the same "
		  "host is not concerned; it is destroyed at the end, however the end comes.",
	  .cause =
		  "The server refused one of the steps; the summary names it and the status. "
		  "RESOURCE or DELAY: it has no memory for another session. While the server "
		  "waits for clients of before a restart (grace period) some answer DELAY.",
	  .remedy =
		  "Look into the server's log. For a refusal by the version itself probe with "
		  "--nfs-version 4.0 or 3 to see whether READs are right.",
	  .unknown = "Probe again when the server has time: after its grace period (90 "
		     "seconds on Linux), or with a longer --timeout.",
	  .see = { "RFC 8881 18.35", "RFC 8881 18.36", "RFC 8881 18.51" },
	  .decisive = true },
	{ .id = "probe.credits",
	  .group = CONNECTION,
	  .title = "Credits",
	  .what = "With every reply the server grants a number of calls that may be "
		  "outstanding. All grants of the run are watched.",
	  .cause =
		  "A grant of zero: a client that obeys it never sends again, and hangs. "
		  "Linux clients take it as one. This is a defect of the server.",
	  .remedy =
		  "Update the server's software, or report it. On a Linux server the grant "
		  "is the sysctl sunrpc.svc_rdma.max_requests.",
	  .see = { "RFC 8166 3.3.1" } },
	{ .id = "probe.mount",
	  .group = EXPORT,
	  .title = "Root handle",
	  .what = "The file handle of the export's root, by MOUNT version 3 over TCP: NFS "
		  "version 3 knows no other way, and MOUNT is not spoken over RDMA. mountd's "
		  "port comes from rpcbind or from --mount-port.",
	  .cause =
		  "MNT3ERR_NOENT: no such export. MNT3ERR_ACCES: not exported to this "
		  "host, or the request came from a port above 1023 and the export lacks "
		  "the option insecure. Silence: a firewall lets the NFS/RDMA port through "
		  "but not rpcbind (111) or mountd.",
	  .remedy =
		  "Compare with 'showmount -e SERVER' and, on the server, 'exportfs -v'. "
		  "Run the probe as root, so that it can use a reserved port, or add "
		  "insecure to the export. Open rpcbind and mountd in the firewall, or give "
		  "mountd a fixed port (port= in section [mountd] of nfs.conf) and name it "
		  "with --mount-port.",
	  .see = { "RFC 1813 5", "RFC 8267 5.1", "exports(5)" },
	  .decisive = true },
	{ .id = "probe.root",
	  .group = EXPORT,
	  .title = "Root handle (NFSv4)",
	  .what = "The file handle of the path, from the server's root by LOOKUP of each name: "
		  "NFS version 4 needs no MOUNT, no rpcbind and no other connection. Where "
		  "any version will do and the path is not there under one, the next lower "
		  "version is tried, and the summary says so.",
	  .cause =
		  "NFS4ERR_NOENT: no such path, or the server shows another tree under "
		  "NFSv4 (fsid=0 in /etc/exports makes an export the root of it). "
		  "NFS4ERR_ACCESS, NFS4ERR_PERM: not exported to this host or this port, or "
		  "this identity may not pass. NFS4ERR_WRONGSEC: the export wants Kerberos, "
		  "which the probe does not speak.",
	  .remedy =
		  "Compare with 'exportfs -v' on the server. With fsid=0 name the path as "
		  "NFSv4 clients see it. Run the probe as root, so that it can use a reserved "
		  "port, or add insecure to the export.",
	  .see = { "RFC 8881 7", "RFC 8881 18.13", "exports(5)" },
	  .decisive = true },
	{ .id = "probe.identity",
	  .group = EXPORT,
	  .title = "Identity",
	  .what = "The AUTH_SYS user and group with which files are read: those of --cred, "
		  "or the caller's. As root, when the server refuses root, once more as "
		  "36:36 if the root of the export belongs to 36: so oVirt lays out its "
		  "storage domains (vdsm:kvm, files 0660, root squashed).",
	  .cause =
		  "The server maps root to nobody (root_squash) and others may not read, "
		  "or the user is not in the group that may.",
	  .remedy =
		  "Name an identity that may read: --cred 36:36 for a storage domain of "
		  "oVirt. There is no need for no_root_squash.",
	  .see = { "RFC 5531 Appendix A", "exports(5)" } },
	{ .id = "probe.fsinfo",
	  .group = EXPORT,
	  .title = "Largest READ",
	  .what = "FSINFO's rtmax, the most that the server answers to one READ. The sweep "
		  "goes up to it.",
	  .cause = "The server refused FSINFO, or said a size that no client could use.",
	  .remedy =
		  "On a Linux server the size is in /proc/fs/nfsd/max_block_size; it follows "
		  "from the memory, and can be set while no nfsd thread runs. A refusal is "
		  "for the server's log.",
	  .see = { "RFC 1813 3.3.19", "nfsd(7)" } },
	{ .id = "probe.file",
	  .group = EXPORT,
	  .title = "File to read",
	  .what = "A regular file that the identity may read, unchanged for a minute if there "
		  "is one, or the file that was named. The leases and mailboxes of oVirt "
		  "(dom_md/ids, leases, inbox, outbox) are never taken.",
	  .cause =
		  "The file that was named does not exist; or the export holds no file that "
		  "this identity may read.",
	  .remedy =
		  "Name a file (SERVER:/EXPORT/FILE), or an identity (--cred UID:GID), or put "
		  "a file of a few MiB into the export that others may read. The larger it "
		  "is, the more can be tried.",
	  .see = { "RFC 1813 3.3.3" },
	  .decisive = true },
	{ .id = "probe.server",
	  .group = EXPORT,
	  .title = "Server software",
	  .what = "Which NFS server it is, as far as what it sends proves it: the form of its "
		  "file handles, and the implementation that it names in NFSv4.1's "
		  "EXCHANGE_ID. For one that is not identified there may be a guess "
		  "(\"perhaps\") by its habits: private data, bytes inline, versions, largest "
		  "READ. A guess is for people: some READs go only to servers that are "
		  "identified (probe.read.withheld). Causes that other findings name for one "
		  "kind of server are left out where it is known to be another.",
	  .cause =
		  "A server that is not identified is one that the probe does not know, or a "
		  "Linux server of which too little was seen: under NFSv3, a directory below "
		  "the export.",
	  .remedy = "Nothing. For a Linux server name the export itself, or use NFSv4.",
	  .see = { "RFC 8881 18.35" } },
	{ .id = "probe.changing",
	  .group = EXPORT,
	  .title = "Files that change",
	  .what = "Files of an export may be live disks. A difference counts only if the "
		  "reference reads the same before and after, and size, mtime and ctime stood "
		  "still; otherwise another range or another file is taken.",
	  .cause =
		  "Every file that could be read was written to meanwhile, so that nothing "
		  "could be compared.",
	  .remedy = "Put a file into the export that nobody writes to and name it: "
		    "SERVER:/EXPORT/FILE.",
	  .see = { NULL } },
	{ .id = "probe.reference",
	  .group = EXPORT,
	  .title = "Reference over TCP",
	  .what = "The same ranges are read over TCP by libnfs, in a process of its own. What "
		  "RDMA brings is compared with them. Where the reference is not to be had, "
		  "the mechanisms are compared with each other alone.",
	  .cause =
		  "The process died of what the server sent, or the server answers NFS over "
		  "TCP wrongly.",
	  .remedy =
		  "Look for other trouble with NFS over TCP on this server first. If it was "
		  "skipped: NFS over TCP (port 2049, or --nfs-port) is filtered, or the "
		  "server wants a reserved port; run as root, or export with insecure.",
	  .see = { "RFC 1813 3.3.6" } },
	{ .id = "probe.read.inline",
	  .group = READS,
	  .title = "READ inline",
	  .what = "READs short enough for the reply itself to carry the data. No RDMA Write "
		  "takes part, so this mechanism works on servers whose other ones do not.",
	  .cause =
		  "The server builds long inline replies wrongly, or pads data of a length that "
		  "is no multiple of four to another one.",
	  .linux_cause =
		  "Linux servers of the 3.x series repeated bytes where an inline reply crossed "
		  "a page.",
	  .ganesha_cause =
		  "nfs-ganesha adds the remainder of the length by four (size % 4) in place of "
		  "what is missing to the next multiple: READs of lengths that leave 1 or 3 get "
		  "a reply that ends in the wrong place.",
	  .remedy =
		  "Update the server. If only lengths that are no multiple of four go wrong, "
		  "Linux clients are not touched: they do without the pad. Otherwise mount over "
		  "TCP until then (proto=tcp): do not keep the disks of virtual machines on this "
		  "export over RDMA.",
	  .unknown = CUT_SHORT,
	  .see = { "RFC 8166 3.5.1", "RFC 8267 3" } },
	{ .id = "probe.read.write-chunk",
	  .group = READS,
	  .title = "READ by Write chunk",
	  .what = "READs whose data the server places in the client's memory by RDMA Write: "
		  "what kernel clients use for all but the smallest. Sizes from none to rtmax, "
		  "at several offsets, in one and in many segments; each range at least twice, "
		  "once right after other operations on the same connection, alone and many at "
		  "a time. Memory is filled beforehand, and watched around each region, so "
		  "that what did not arrive, or arrived elsewhere, is seen.",
	  .cause =
		  "The server's RDMA Writes do not carry the file's bytes, or carry too few, "
		  "or it answers with an error or breaks the connection. If "
		  "bug.write-chunk-read failed too, plain READs always do; the findings below "
		  "this one narrow it down.",
	  .remedy =
		  "Update the server's kernel or NFS server, then probe again. " USE_TCP,
	  .unknown = CUT_SHORT,
	  .see = { "RFC 8166 3.4.6", "RFC 8267 3" },
	  .decisive = true },
	{ .id = "probe.read.reply-chunk",
	  .group = READS,
	  .title = "READ by Reply chunk",
	  .what = "READs whose whole reply, header and data, the server places by RDMA Write. "
		  "Clients do so where data may not be placed alone, with krb5i and krb5p for "
		  "instance, and old Linux clients did for small READs. A server may leave the "
		  "chunk unused where the reply fits inline, as nfs-ganesha does: the summary says "
		  "so, and such a READ does not count as right by Reply chunk.",
	  .cause =
		  "The server assembles long replies wrongly: a page repeated, left out or "
		  "in the wrong place, or a length that does not fit.",
	  .remedy = "Update the server. Large directories travel the same way, so expect "
		    "wrong or hanging listings too. " USE_TCP,
	  .unknown = CUT_SHORT,
	  .see = { "RFC 8166 3.5.3" } },
	{ .id = "probe.read.write-chunk.pad",
	  .group = READS,
	  .title = "Padding of Write chunks",
	  .what = "After data of a length that is no multiple of four the memory must be as it "
		  "was: XDR's padding is never written into a Write chunk.",
	  .cause =
		  "The server writes the padding too. A client that registered exactly the length "
		  "of its data loses the connection by it, or up to three bytes behind them.",
	  .linux_cause = "Linux servers did before 3.18.",
	  .ganesha_cause =
		  "nfs-ganesha puts data and padding into one buffer, which may go into the chunk "
		  "as a whole.",
	  .remedy =
		  "Update the server. READs of a multiple of four bytes are not touched by it.",
	  .see = { "RFC 8166 3.4.6.2" } },
	{ .id = "probe.read.write-chunk.lengths",
	  .group = READS,
	  .title = "Returned lengths",
	  .what = "In its reply the server returns each segment of the Write chunk with the "
		  "number of bytes that it wrote there. Their sum must be the length of the "
		  "data, and handles and offsets must come back unchanged.",
	  .cause =
		  "The server returns the segments as they came, or counts wrongly. A client "
		  "that believes it takes memory that was never written for data of the file.",
	  .remedy =
		  "Update the server's software, or report the defect to its vendor. " USE_TCP,
	  .see = { "RFC 8166 3.4.6", "RFC 8166 4.3.2" } },
	{ .id = "probe.read.write-chunk.unused",
	  .group = READS,
	  .title = "Unused Write chunks",
	  .what = "Data for which the client offers a Write chunk must go there. It fails if the "
		  "server returns the chunk unused, with no bytes in it, and sends the data "
		  "in the reply instead. Such a READ says nothing about Write chunks, so it does not "
		  "count as right.",
	  .cause =
		  "The server chooses by size how data travel, where the client decides. Linux "
		  "clients accept it; others may wait for data that never come.",
	  .remedy = "Report it to the vendor of the server.",
	  .see = { "RFC 8267 6.4", "RFC 8166 4.3.2" } },
	{ .id = "probe.read.write-chunk.tail",
	  .group = READS,
	  .title = "Last bytes of READs",
	  .what = "READs of a length that is no multiple of four, by Write chunk. It fails if the "
		  "one to three bytes behind the last multiple of four are never written, though "
		  "the reply counts them, and the same ranges are right by another mechanism.",
	  .cause =
		  "The server writes whole words only: it cuts the length down where it should not "
		  "write padding.",
	  .remedy = "Update the server, or report the defect to its vendor. " USE_TCP,
	  .see = { "RFC 8166 3.4.6.2" } },
	{ .id = "probe.read.write-chunk.order",
	  .group = READS,
	  .title = "Data before the reply",
	  .what = "The data of a READ by Write chunk must be in the client's memory when the reply "
		  "comes. Data that are missing then are waited for, up to 100 ms. It fails if they "
		  "come, or if the server writes to memory that was taken back after the reply. "
		  "Software iWARP sees such a Write; over an adapter it ends the connection.",
	  .cause =
		  "The server sends the reply before it posts the RDMA Writes, or on another "
		  "connection or queue, which keeps no order. The client takes whatever is in its "
		  "memory for data of the file, and the Write may hit what comes there next.",
	  .remedy = "Update the server. " USE_TCP,
	  .see = { "RFC 8166 3.4.6", "RFC 5040 5.5" } },
	{ .id = "probe.read.write-chunk.segments",
	  .group = READS,
	  .title = "Several segments",
	  .what = "Write chunks of up to 16 segments, of odd and unequal lengths, which the "
		  "server must fill in order and without a gap. It fails if the same ranges "
		  "are right with one segment.",
	  .cause =
		  "The server loses its place where one segment ends and the next begins. "
		  "Clients use several segments when a buffer is scattered, or when the "
		  "adapter maps few pages at once.",
	  .remedy = "Update the server. " USE_TCP,
	  .see = { "RFC 8166 3.4.6", "RFC 8267 6.4.2" } },
	{ .id = "probe.read.write-chunk.alignment",
	  .group = READS,
	  .title = "Unaligned offsets",
	  .what = "READs by Write chunk at offsets that are no multiple of a page. It fails if "
		  "the same sizes are right at aligned offsets.",
	  .cause =
		  "The server drops the position within the first page, and sends bytes that "
		  "are shifted.",
	  .linux_cause = "Linux servers of the 3.x series did.",
	  .remedy =
		  "Update the server. Direct I/O and databases read at such offsets. " USE_TCP,
	  .see = { "RFC 8166 3.4.6" } },
	{ .id = "probe.read.write-chunk.placement",
	  .group = READS,
	  .title = "Placement of large READs",
	  .what = "Whether each page of a READ by Write chunk arrives in its own place. It fails "
		  "if the file's bytes come, but in another place, or if READs go wrong only "
		  "above a size larger than a page.",
	  .cause =
		  "The server confuses its list of pages: a page is repeated, left out, or "
		  "comes in place of another.",
	  .remedy = "Update the server. " USE_TCP,
	  .see = { "RFC 8166 3.4.6" } },
	{ .id = "probe.read.intermittent",
	  .group = READS,
	  .title = "READs wrong at times",
	  .what = "A READ that goes wrong is made again in the same way, up to four times. It fails "
		  "if one is right then: how many of how many, by which mechanisms, and whether "
		  "single bits, whole pages or other bytes were wrong. Such a READ is no proof for a "
		  "size, an offset or a layout, so it raises none of the findings on them.",
	  .cause =
		  "Single bits: memory, an adapter or a wire between them damages data. Whole pages: "
		  "the server sends a page before it is filled, or after it was used again. Errors: "
		  "the server lacks memory or another resource at times.",
	  .remedy =
		  "Look for memory errors (EDAC, machine checks) and for damaged frames (ethtool -S) "
		  "on both hosts, and into the server's log. Then probe again with more READs "
		  "(--reads): they name the rate. " USE_TCP,
	  .see = { "RFC 8166 3.4.6" } },
	{ .id = "probe.read.random",
	  .group = READS,
	  .title = "Random READs",
	  .what = "At level standard and full, where the READs of chosen sizes found nothing: READs of "
		  "random whole sectors, as guests make them, one at a time, by the mechanisms "
		  "that were right. There are 5000 (--reads), fewer if 256 MiB were read or 10 s "
		  "are over. If n of them are correct, fewer than 3 in n fail, with 95 % confidence. "
		  "It never fails itself: probe.read.intermittent and the findings on each "
		  "mechanism judge a READ that fails here. The seed in the evidence names the READs.",
	  .cause =
		  "Skipped: level quick, --reads 0, a failure that was found before, or no time.",
	  .remedy =
		  "Nothing. To exclude rarer failures make more READs (--reads, --timeout).",
	  .see = { "RFC 8166 3.4.6" } },
	{ .id = "probe.read.over-tcp",
	  .group = READS,
	  .title = "Wrong over TCP too",
	  .what = "A READ that fails every time is made once more over NFS over TCP, with the same "
		  "offset and length. It warns if that is wrong too; such a READ is no failure of "
		  "any RDMA mechanism. Said only where it was seen.",
	  .cause =
		  "The server's NFS, its file system or its disk has an error there, whatever the "
		  "transport.",
	  .remedy =
		  "Look into the server's log and check its file system. Mounting over TCP does not "
		  "help.",
	  .see = { "RFC 1813 3.3.6" } },
	{ .id = "probe.read.profiles",
	  .group = READS,
	  .title = "As Linux clients read",
	  .what = "Files are read as Linux clients do: inline up to a size, by Write chunk above "
		  "it. Clients of the 3.x series change over at 788 bytes (NFSv3), 812 or 856 "
		  "(NFSv4) and 816 (NFSv2). Only sizes that were tried are listed.",
	  .cause =
		  "A client whose change-over lies there reads wrong from that size on. The "
		  "findings on each mechanism say which of them is at fault.",
	  .remedy = "Do what those findings say. " USE_TCP,
	  .see = { "RFC 8166 3.5" } },
	{ .id = "probe.read.compound",
	  .group = READS,
	  .title = "READ with more behind it",
	  .what = "NFSv4 puts several operations into one call. READ with GETATTR behind it, "
		  "and two READs of which the second comes with the reply, by every "
		  "mechanism, of odd sizes and those around 812 bytes: data and attributes "
		  "must be those of plain calls. What goes wrong is repeated over NFS over TCP. "
		  "It warns if all that is wrong is so there too, or if TCP cannot be asked about "
		  "second READs.",
	  .cause =
		  "A warning: the server's NFS is wrong, whatever the transport. A failure: the "
		  "server loses its place in the reply when it takes the first READ's data out.",
	  .linux_cause =
		  "Linux 6.5 to 7.3 sends what a page held before in place of a second READ's data, "
		  "zeros or other files' data, by any transport. Linux servers before 4.6 wrote what "
		  "follows the data into the Write chunk; those of 4.13 to 4.16 sent data inline "
		  "that a chunk was there for.",
	  .remedy =
		  "Update the server. NFSv3 (vers=3) is not touched by it. Linux clients put no two "
		  "READs into one COMPOUND, so the warning does not concern them.",
	  .unknown = CUT_SHORT,
	  .see = { "RFC 8267 6.4", "RFC 8166 3.4.6" } },
	{ .id = "probe.read.withheld",
	  .group = READS,
	  .title = "Withheld READs",
	  .what = "Some READs that the protocol allows crashed nfs-ganesha 6.5: empty ones, "
		  "those that leave no room for a pad in 1 MiB, long or odd ones by Reply chunk, "
		  "any with another operation behind it in a COMPOUND. They go only to "
		  "the server of nfsrdma and to one that is identified as Linux nfsd "
		  "(probe.server), at every level; no option changes that. All others are "
		  "tried, so what was not sent says nothing about the server.",
	  .cause =
		  "The server is nfs-ganesha, or is not identified; the summary says which.",
	  .remedy =
		  "Nothing. Whether a server bears these READs is for its vendor to test.",
	  .see = { "RFC 8166 3.5.3", "RFC 8267 6.4" } },
	{ .id = "probe.read.largest",
	  .group = READS,
	  .title = "Largest READ tried",
	  .what = "Each mechanism is tried with READs of up to 1 MiB, and of the server's largest "
		  "where that is less. At level full READs by Write chunk go on to the largest "
		  "that the server names, up to 64 MiB, if it is identified as one that bears them "
		  "(probe.read.withheld). Skipped where they stopped before it: the summary says "
		  "where, and why.",
	  .cause =
		  "Newer Linux servers take READs of 4 MiB. nfs-ganesha names 64 MiB, and has "
		  "room for 1 MiB. Clients "
		  "use what both sides take (rsize=), most of them 1 MiB.",
	  .remedy =
		  "Nothing, unless clients mount with a larger rsize= than was tried: then "
		  "probe with --level full and name a file that is large enough.",
	  .see = { "RFC 1813 3.3.19", "nfs(5)" } },
	{ .id = "probe.readdir",
	  .group = REPLIES,
	  .title = "Listing by Reply chunk",
	  .what = "READDIRPLUS, or NFSv4's READDIR with attributes, whose replies are too "
		  "long to come inline and may not be placed apart: they come whole, by Reply chunk. The listing must be well-formed and "
		  "go on where it stopped.",
	  .cause = "The server assembles long replies wrongly.",
	  .linux_cause =
		  "Linux servers of the 3.x and early 4.x series hung, or sent garbage, where a "
		  "listing was longer than a page.",
	  .remedy = "Update the server. " USE_TCP,
	  .see = { "RFC 8166 3.5.3", "RFC 1813 3.3.17" } },
	{ .id = "probe.readlink",
	  .group = REPLIES,
	  .title = "Symbolic links",
	  .what = "READLINK inline and by Reply chunk: the text must be the same, whatever its "
		  "length. A server may leave the Reply chunk unused where the text fits inline; "
		  "the summary then says so.",
	  .cause =
		  "The server places the text of a link with a wrong length, or with padding.",
	  .remedy = "Update the server. " USE_TCP,
	  .see = { "RFC 8267 3", "RFC 1813 3.3.5" } },
	{ .id = "probe.readlink.write-chunk",
	  .group = REPLIES,
	  .title = "READLINK by Write chunk",
	  .what = "READLINK with a Write chunk for the text, at --level full. It warns, "
		  "since RFC 8267 allows clients to ask so, but Linux clients never do.",
	  .cause =
		  "The server does not place the text alone, or its length does not fit it, or "
		  "the text comes inline although there is a chunk for it.",
	  .linux_cause =
		  "Under NFSv4 Linux servers since 5.11 count the text from its length word on: the chunk "
		  "holds four bytes that are not the text's, and the reply four bytes of the "
		  "text where the length should be.",
	  .ganesha_cause =
		  "nfs-ganesha sends the text inline, and returns the chunk as if it were in it.",
	  .remedy =
		  "Nothing for Linux clients. Report it to the vendor of the server if other "
		  "clients mount this export.",
	  .see = { "RFC 8267 5.2", "RFC 8166 3.4.6" } },
	{ .id = "probe.device",
	  .group = CONDUCT,
	  .title = "The device stays",
	  .what = "The RDMA device of this host went away under the probe. What was asked until "
		  "then stands; READs that it cut off say nothing about the server.",
	  .cause = "The device was unplugged, its driver was unloaded or reset it, or a "
		   "software device was deleted (rdma link delete).",
	  .remedy =
		  "Look at 'rdma link' and the kernel's log of this host, then probe again.",
	  .see = { "rdma-link(8)" },
	  .decisive = true },
	{ .id = "probe.slow",
	  .group = CONDUCT,
	  .title = "Slow server or path",
	  .what = "A reply that comes after its time is late, not lost, and while bytes come there "
		  "is no silence. It is said only where replies were late, or where the time of "
		  "the probe ran out after READs by Write chunk of up to 812 bytes, of more, and "
		  "of more than a page were all right. The summary names the times seen and what "
		  "was not tried: about that nothing is known.",
	  .cause = "The network between is slow or loses packets, the server's disks or "
		   "processors are busy, or this host is.",
	  .remedy =
		  "To have everything tried give more time (--timeout). If it is slower "
		  "than it should be, measure with 'nfsrdma bench' and 'ping', and look for "
		  "lost packets (ethtool -S on both ends, and the switches).",
	  .see = { "ethtool(8)" } },
	{ .id = "probe.server-gone",
	  .group = CONDUCT,
	  .title = "The server is gone",
	  .what = "After each lost connection the probe asks, by one new connection and a NULL "
		  "call, whether the server is still there. It is said only where it is not, or "
		  "where it answers but has forgotten its client: then it was restarted. "
		  "Either ends the probe at once. NFSv3 and 4.0 keep no client; there a "
		  "restart shows only by stale file handles or a new grace period.",
	  .cause =
		  "The request in the summary may have crashed the server. Or somebody "
		  "stopped or restarted it just then, or its host or the network failed.",
	  .remedy =
		  "Look whether the NFS server runs, and into its log and the kernel's at that "
		  "time. If it crashed, report it to its vendor with the request that the "
		  "summary names, and do not probe it again while others use it.",
	  .see = { "RFC 8881 8.4.2" },
	  .decisive = true },
	{ .id = "probe.worker",
	  .group = CONDUCT,
	  .title = "The report is complete",
	  .what = "What a server sends is decoded in a process of its own, which counts what it "
		  "reports. This is said only where that process died, did not end at the "
		  "deadline, or said more than what came. What else is reported stands, but a "
		  "failure may be missing.",
	  .cause =
		  "A signal (SIGSEGV, SIGABRT): a defect of this program, at the reply that the "
		  "summary names; a hostile server may look for such. Signal 9: somebody, or "
		  "the kernel for want of memory, killed it. Records that did not come: the "
		  "kernel of this host had no memory for a message between processes.",
	  .remedy =
		  "Probe again. If it dies again, report it to the authors of this program, "
		  "with the summary and, over iWARP, a capture (--pcap FILE). For want of "
		  "memory look into the kernel's log of this host.",
	  .see = { "signal(7)" },
	  .decisive = true },
	{ .id = "probe.reply.xid",
	  .group = CONDUCT,
	  .title = "Every reply has its call",
	  .what = "Every reply names the call that it answers. One that answers no outstanding "
		  "call is dropped, and noted.",
	  .cause =
		  "The server answers with a number that nobody asked with, or answers a call "
		  "twice. The client waits for the right one until it gives up and sends the "
		  "call again.",
	  .remedy =
		  "Report it to the vendor of the server, with a capture (--pcap FILE).",
	  .see = { "RFC 8166 4.2.1" } },
	{ .id = "probe.reply.lost",
	  .group = CONDUCT,
	  .title = "Every call has its reply",
	  .what = "Calls that were never answered, though the connection stood and others were: "
		  "nothing came for 5 s, and the server answered another connection at once; or "
		  "nothing came until the deadline.",
	  .cause =
		  "The server dropped the call or its reply: it ran out of memory or of "
		  "resources of its adapter, or could not build the reply and stayed silent "
		  "where it should have closed the connection. A mount hangs then until its "
		  "time-out.",
	  .remedy =
		  "Look into the server's log for svcrdma or the NFS server's own words. "
		  "Update the server. " USE_TCP,
	  .see = { "RFC 8166 4.5.4" } },
	{ .id = "probe.reply.error",
	  .group = CONDUCT,
	  .title = "Calls refused",
	  .what = "Calls that the server answered with RDMA_ERROR in place of a reply. Such a call is "
		  "made again up to three times, as a new one. It warns if all went well then, and "
		  "fails if one without chunks never did. What never goes well with a chunk is told "
		  "as what it is, a READ by Write chunk for instance.",
	  .cause =
		  "Now and then: the server had no memory, or no work request of its adapter was "
		  "free, and could not build the reply. Clients end the call with an error, so a "
		  "guest sees EIO. Always: it does not accept such chunks, or the reply fits "
		  "nowhere.",
	  .remedy =
		  "Look into the server's log for svcrdma or the NFS server's own words at that "
		  "time, and at its free memory.",
	  .see = { "RFC 8166 4.5", "RFC 8267 6.4.2" } },
	{ .id = "probe.connection",
	  .group = CONDUCT,
	  .title = "The connection is kept",
	  .what = "Whether the server kept the connection to the end of the run. Where it did "
		  "not, the probe connects again and goes on.",
	  .cause =
		  "The server closed or reset the connection in the middle: it met an error "
		  "while it placed data or built a reply, or its process ended. The evidence "
		  "says which call was under way.",
	  .remedy =
		  "Look into the server's log at that time; the findings on the mechanisms say "
		  "whether one of them always does it.",
	  .see = { "RFC 8166 4.5.3", "RFC 8166 4.5.4" } },
	{ .id = "probe.transport",
	  .group = CONDUCT,
	  .title = "Frames are well-formed",
	  .what = "Every frame of the peer is checked: length, CRC, sequence, and that each RDMA "
		  "Write stays within the region that it names. The first that breaks a rule "
		  "ends the connection and is kept as evidence.",
	  .cause =
		  "A bad CRC is damage on the way, in an adapter, or in a device that changes "
		  "packets. Anything else is a defect of the server's RDMA stack. A Write "
		  "outside its region would have overwritten other memory.",
	  .remedy =
		  "Look for damaged frames first (ethtool -S on both ends and on switches), "
		  "then update the firmware and drivers of the server's adapter. " USE_TCP,
	  .see = { "RFC 5044", "RFC 5041", "RFC 5040" } },
	{ .id = "probe.session.kept",
	  .group = CONDUCT,
	  .title = "The session is kept",
	  .what = "Whether the server knew its NFSv4.1 session to the end. Where it did not, "
		  "though the connection stood, the probe makes another and goes on. Where the "
		  "connection was lost before, it is probe.server-gone.",
	  .cause =
		  "BADSESSION or STALE_CLIENTID: an administrator expired the client. A server "
		  "that forgets sessions without that makes clients recover all their locks "
		  "each time.",
	  .remedy =
		  "If nobody expired the client, look into the server's log at that time.",
	  .see = { "RFC 8881 2.10.13", "RFC 8881 8.4.2" } },
	{ .id = "probe.session.left",
	  .group = CONDUCT,
	  .title = "Nothing stays behind",
	  .what = "The probe takes its client id and its session off the server at every end: "
		  "the normal one, an error, the deadline, an interrupt. It is said only where "
		  "that could not be done.",
	  .cause = "The server did not answer any more, or refused to destroy them.",
	  .remedy =
		  "Nothing: the server drops the client when its lease ends (90 seconds on "
		  "Linux). Until then it is in /proc/fs/nfsd/clients there, by the name in "
		  "the evidence; it holds no files and no locks.",
	  .see = { "RFC 8881 18.37", "RFC 8881 18.50" } },
	{ .id = "bug.write-chunk-read",
	  .group = DEFECTS,
	  .title = "Write-chunk READs",
	  .what = "READs by Write chunk, laid out as Linux clients do: one segment at an aligned "
		  "offset. It fails if, from some size of at most 4096 bytes on, they fail every "
		  "time, with wrong, short, stale or no data, an error, or the end of the "
		  "connection, while the same ranges are correct inline or by Reply chunk before "
		  "and after. At least three ranges must fail, and four of five from that size on. "
		  "Smaller ones may fail too.",
	  .cause =
		  "The server's way to place READ data by RDMA Write is broken, and nothing else "
		  "is: the file, the network and the other mechanisms are correct. This is no "
		  "single known defect. A bug.* finding that failed beside it names one.",
	  .remedy =
		  "Update the server's kernel or NFS server, then probe again, or report the "
		  "evidence to its vendor. Until then mount over TCP (proto=tcp) and take virtual "
		  "machines' disks off this mount. A smaller rsize only hides the fault.",
	  .see = { "RFC 8166 3.4.6", "RFC 8267 3" } },
	{ .id = "bug.linux3-write",
	  .group = DEFECTS,
	  .title = "WRITE crashes the server",
	  .what = "Whether the server has the signature of Linux 3.x: it sends no private data, "
		  "grants 16 credits, writes the XDR pad into Write chunks, and returns unused "
		  "ones without segments (or its READs have a defect of these kernels). The last "
		  "takes an empty READ, which goes only to identified servers (probe.server); where "
		  "it was not sent the first three are enough, and the summary says so. It is said "
		  "only where they were seen. nfsrdma never writes to a server.",
	  .cause =
		  "In Linux 3.8 to 3.14 the first WRITE of a page that the server fetches by Read "
		  "chunk makes it run down its list of pages without end: it panics. A WRITE of a "
		  "few bytes inline does not. Repaired in 3.15 by commit 7e4359e2611f, 'Fix "
		  "regression in NFSRDMA server'; stable 3.10 and 3.14 never had the repair.",
	  .remedy =
		  "Do not mount this server over RDMA, not even to read: a mount writes sooner or "
		  "later. Mount over TCP (proto=tcp), or update the server's kernel, then probe "
		  "again.",
	  .see = { "Linux commit 7e4359e2611f", "RFC 8166 3.4.5" } },
	{ .id = "bug.linux3-inline-head",
	  .group = DEFECTS,
	  .title = "Reply head as data",
	  .what = "Wrong data of READs that come in the reply itself are compared with that "
		  "reply. It fails if, in two READs or more, they are its own head: the xid, and "
		  "what follows it.",
	  .cause =
		  "Linux servers of about 3.2 to 3.13 take each part of an inline reply from its "
		  "beginning, on adapters without fast registration: 'xdr_off = 0' within the "
		  "loop of send_reply().",
	  .remedy = "Update the server's kernel. " USE_TCP,
	  .see = { "Linux commit 9d11b51ce7c1", "RFC 8166 3.5.1" } },
	{ .id = "bug.linux3-page-base",
	  .group = DEFECTS,
	  .title = "Offset in the page",
	  .what = "Wrong data of READs at unaligned offsets are compared with the bytes before "
		  "them. It fails if, in two READs or more, they begin where the page begins.",
	  .cause =
		  "Linux servers of the 3.x series ignore where in the first page the data begin "
		  "(page_base), on adapters without fast registration.",
	  .remedy =
		  "Update the server's kernel. Direct I/O and databases read at such offsets. " USE_TCP,
	  .see = { "Linux commit 3cbe01a94c69", "RFC 8166 3.4.6" } },
	{ .id = "bug.linux3-pad-segment",
	  .group = DEFECTS,
	  .title = "Writes beyond the chunk",
	  .what = "An RDMA Write of the server that ended the connection named handle 2, at an "
		  "offset made of the version and procedure of the call. Seen with software "
		  "iWARP, which shows what a Write names.",
	  .cause =
		  "Linux servers of the 3.x series write the XDR pad, and what follows the data "
		  "in an NFSv4 COMPOUND, behind the data. Where the chunk has no room for that "
		  "they take the next words of the call for one more segment: the number of "
		  "segments is compared in the wrong byte order (wc_nchunks).",
	  .remedy =
		  "Update the server's kernel. NFSv3 (vers=3) is touched only with clients that "
		  "give the pad no room. " USE_TCP,
	  .see = { "RFC 8166 3.4.6.2" } },
	{ .id = "bug.read-812",
	  .group = DEFECTS,
	  .title = "812-byte READ bug",
	  .what = "Whether this host's kernel has the signature of Red Hat bugzilla 1046011, "
		  "'Cannot read more than 812 bytes from NFS server file'. It is a defect of the "
		  "kernel's NFS/RDMA client, and says nothing about a server: reads through a "
		  "mount end in EIO above 788 bytes (NFSv3), 812 or 856 bytes (NFSv4), from every "
		  "server. Shown by a real Linux 3.12.9: from the healthy server of nfsrdma it "
		  "reads up to 788 (v3) and 812 bytes (v4) right, and gets EIO above.",
	  .cause =
		  "Above that size the client takes the data by Write chunk. It then sets the "
		  "length of its buffer to 0, and since Linux 3.7 that length is what it says it "
		  "received. Linux 3.7 to 3.14 have the defect, stable releases of them too; it is "
		  "repaired in 3.15 by commit 2b7bbc963da8, 'SUNRPC: Fix large reads on "
		  "NFS/RDMA'. Kernels of distributions carry the repair under older numbers (Red "
		  "Hat Enterprise Linux 7 from 3.10.0-514 on), so a version alone is a hint.",
	  .remedy =
		  "Update this host's kernel to 3.15 or later, or to one of its distribution that "
		  "has the repair, and restart. Until then mount over TCP (proto=tcp); a smaller "
		  "rsize does not help, and no change to the server does.",
	  .see = { "Red Hat bugzilla 1046011", "Linux commit 2b7bbc963da8" } },
	{ .id = "bench.read.write-chunk",
	  .group = BENCHMARK,
	  .title = "Throughput of READ",
	  .what = "READs of 1 MiB by Write chunk, several in flight, in samples that alternate with "
		  "the same number of bytes over TCP: NFS over TCP from the same server, or for "
		  "the built-in server a plain TCP connection. ratio_to_tcp is the median of the "
		  "ratios of the pairs, above 1 where RDMA is faster; ratio_of_best compares the "
		  "best sample of either side. Every reply is checked for status and length, and "
		  "the content once. It fails only where an answer is wrong.",
	  .cause =
		  "A READ was answered with an error, too short or with wrong data. A low ratio is "
		  "no failure: the server, the network or this machine is busy, or the server "
		  "computes the CRC slowly.",
	  .remedy =
		  "For a wrong answer run nfsrdma probe. For a low ratio measure again on an idle "
		  "machine: load_average tells. Software iWARP shows what the server can do over "
		  "TCP, not what an adapter would reach.",
	  .see = { "RFC 8166 3.4.6" },
	  .decisive = true },
	{ .id = "bench.null",
	  .group = BENCHMARK,
	  .title = "Latency of NULL",
	  .what = "NULL calls one after the other, in samples that alternate with the same over "
		  "TCP: NULL calls to the same server, or for the built-in server messages of the "
		  "same size to and fro over a plain connection. ratio_to_tcp is the median of "
		  "the ratios of the pairs, above 1 where RDMA is slower.",
	  .cause =
		  "A NULL call was answered wrongly. A high ratio is no failure: the server, the "
		  "network or this machine is busy.",
	  .remedy =
		  "For a wrong answer run nfsrdma probe. For a high ratio measure again on an idle "
		  "machine: load_average tells.",
	  .see = { "RFC 8166 3.5.1" },
	  .decisive = true },
	{ .id = NULL },
};
