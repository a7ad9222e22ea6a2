/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the checks of this host mean: modules, devices, limits, configuration. */
#include "plugin/report/internal.h"

#define CLIENT "This host"

const struct meaning meaning_client[] = {
	{ .id = "client.module",
	  .group = CLIENT,
	  .title = "Module rpcrdma",
	  .what = "Whether the running kernel has NFS over RDMA: the module rpcrdma, loaded, "
		  "built in or to be had, by the lists in /lib/modules, by /sys/module and "
		  "by the kernel's configuration. xprtrdma, svcrdma and rpcrdma6 are other "
		  "names of the same module. It need not be loaded: the first mount does "
		  "that.",
	  .cause =
		  "The kernel was built without it, as kernels of clouds and of containers "
		  "often are; its package of additional modules is not installed; the kernel "
		  "was updated and the modules of the running one are gone; or modprobe.d "
		  "forbids to load it. Without it a mount says 'Protocol not supported'.",
	  .remedy =
		  "A kernel without it: Debian's linux-image-amd64 in place of its cloud "
		  "kernel, SUSE's kernel-default in place of kernel-default-base; RHEL and "
		  "Fedora: kernel-modules or kernel-modules-extra of the running kernel; "
		  "Ubuntu: linux-modules-extra-$(uname -r). After an update of the kernel: "
		  "restart the host. Forbidden: take the line out of /etc/modprobe.d, or "
		  "module_blacklist= and modprobe.blacklist= out of the kernel's command line "
		  "in the boot loader. A vendor's driver package (OFED, DOCA) replaces modules "
		  "of the kernel: install it with its NFS over RDMA (mlnx-nfsrdma). Then "
		  "'modprobe rpcrdma' works.",
	  .unknown = COULD_NOT_READ,
	  .see = { "modprobe.d(5)", "modules-load.d(5)" },
	  .decisive = true },
	{ .id = "client.drivers",
	  .group = CLIENT,
	  .title = "Drivers of adapters",
	  .what = "Whether an adapter on PCI that is known to do RDMA lacks its RDMA device. "
		  "Most drivers are two modules, a network one and an RDMA one (mlx4_ib, "
		  "mlx5_ib, irdma, bnxt_re, qedr, iw_cxgb4), which udev loads by the "
		  "adapter. It fails only where there is no other RDMA device.",
	  .cause =
		  "The RDMA module of the driver is not installed, not loaded or forbidden; "
		  "the adapter's firmware has RDMA switched off; or the network driver was "
		  "built without it.",
	  .remedy =
		  "Load the module that the summary names ('modprobe mlx5_ib', or 'nfsrdma "
		  "setup client') and look into the kernel's log. If it is not there "
		  "install the kernel's additional modules (kernel-modules-extra, "
		  "linux-modules-extra). Lists of modules in /etc/modules-load.d or "
		  "/etc/modules, as older guides have them (mlx4_ib, ib_ipoib, ib_umad), "
		  "are needed only where udev does not load them; they are for that one "
		  "family of adapters. ib_srp in such lists is for SRP, block devices over "
		  "RDMA, which has nothing to do with NFS.",
	  .unknown = COULD_NOT_READ,
	  .see = { "modules-load.d(5)", "udev(7)" } },
	{ .id = "client.device",
	  .group = CLIENT,
	  .title = "RDMA device",
	  .what = "Whether this host has an RDMA device, in /sys/class/infiniband, of a kind "
		  "that NFS over RDMA can use: InfiniBand, RoCE or iWARP. It is what "
		  "ibv_devices, ibv_devinfo and ibstat show. Software devices (rxe, siw) "
		  "count, and are for testing.",
	  .cause =
		  "There is no adapter that does RDMA; it is given to a virtual machine; or, "
		  "in a container, it belongs to another network namespace. usNIC and EFA "
		  "have no reliable connections, and adapters of the driver ib_mthca cannot "
		  "register memory as NFS over RDMA wants it.",
	  .remedy =
		  "Look with 'rdma link' and 'lspci'. On a host without an adapter NFS goes "
		  "over TCP. To try NFS over RDMA all the same: 'modprobe rdma_rxe' and "
		  "'rdma link add rxe0 type rxe netdev INTERFACE' on both ends, or siw with "
		  "type siw, which Debian's kernels do not have.",
	  .unknown = COULD_NOT_READ,
	  .see = { "rdma-link(8)" },
	  .decisive = true },
	{ .id = "client.module-identity",
	  .group = CLIENT,
	  .title = "Origin of rpcrdma",
	  .what = "Whether what is loaded as rpcrdma is the file that lies there "
		  "(srcversion), of this kernel (vermagic), and from the same place as the "
		  "RDMA core that it works with.",
	  .cause =
		  "The package was updated and the old module is still loaded; or a vendor's "
		  "driver package (OFED, DOCA) replaced ib_core and brought no rpcrdma: the "
		  "kernel's own does not fit the vendor's core, and loading says 'disagrees "
		  "about version of symbol'. After an update of the kernel such packages "
		  "must be built anew.",
	  .remedy =
		  "Restart the host after updates. Install the vendor's NFS over RDMA with "
		  "its drivers (mlnx-nfsrdma; the installer's option --with-nfsrdma), or "
		  "remove the vendor's drivers and use those of the kernel. 'modinfo "
		  "rpcrdma' and the kernel's log show which is meant.",
	  .unknown = COULD_NOT_READ,
	  .see = { "modinfo(8)" } },
	{ .id = "client.module-boot",
	  .group = CLIENT,
	  .title = "Loading at boot",
	  .what = "Whether a list names rpcrdma, or xprtrdma or svcrdma, which are the same "
		  "module: /etc/rdma/modules/rdma.conf, read by rdma-load-modules@rdma when "
		  "an RDMA device appears, modules-load.d or /etc/modules. None has to: a "
		  "mount loads it, and a server that listens does.",
	  .cause =
		  "The list is there, and the unit that reads it is masked, so that nothing "
		  "in it is loaded.",
	  .remedy =
		  "Unmask the unit that the summary names (systemctl unmask), or leave it: "
		  "the first mount loads the module. After a change of rdma.conf: systemctl "
		  "restart rdma-load-modules@rdma.service. 'nfsrdma setup client' "
		  "writes such a list. Guides that say to uncomment "
		  "xprtrdma and svcrdma there are right and hardly ever needed; most "
		  "distributions have both lines uncommented.",
	  .unknown = COULD_NOT_READ,
	  .see = { "modules-load.d(5)", "systemd-modules-load.service(8)" } },
	{ .id = "client.kernel-config",
	  .group = CLIENT,
	  .title = "Kernel options",
	  .what = "Options of the running kernel, where its configuration is kept (/boot, "
		  "/proc/config.gz): INFINIBAND_ADDR_TRANS, INFINIBAND_USER_ACCESS for "
		  "programs, and INFINIBAND_IPOIB where there is InfiniBand. "
		  "SUNRPC_XPRT_RDMA is looked at by client.module. It is skipped where no "
		  "configuration is kept.",
	  .cause =
		  "A kernel that somebody built for this host, without parts that it needs.",
	  .remedy =
		  "Build the kernel with CONFIG_INFINIBAND, CONFIG_INFINIBAND_ADDR_TRANS, "
		  "CONFIG_INFINIBAND_USER_ACCESS, CONFIG_INFINIBAND_IPOIB "
		  "(CONFIG_INFINIBAND_IPOIB_CM for connected mode), the adapter's driver and "
		  "CONFIG_SUNRPC_XPRT_RDMA, or take the distribution's kernel.",
	  .unknown = COULD_NOT_READ,
	  .see = { "Linux net/sunrpc/Kconfig" } },
	{ .id = "client.kernel-defects",
	  .group = CLIENT,
	  .title = "Known kernel defects",
	  .what = "The running kernel's version against a table of repaired defects of NFS "
		  "over RDMA and of software RDMA. It warns only where the version says what "
		  "is in the kernel: Linux as it is released, and Debian's. Other "
		  "distributions carry repairs, and defects, under numbers of their own; "
		  "there the table is told as a note, unless it is known from which number on "
		  "they have the repair. Counters of a mount that disprove a defect overrule "
		  "the version: the client of Linux 3.7 to 3.14 cannot read more than 812 bytes "
		  "(bug.read-812), and vendors repaired it (RHEL 7 from 3.10.0-514 on, SLES 12 "
		  "by bsc#908151).",
	  .cause = "The kernel is older than a repair.",
	  .remedy =
		  "Update the kernel, and restart. What mounts count and what the probe finds "
		  "says more than a version: nfsrdma mounts, nfsrdma probe.",
	  .unknown = COULD_NOT_READ,
	  .see = { "Linux stable change logs", "Red Hat bugzilla 1046011" } },
	{ .id = "client.uverbs",
	  .group = CLIENT,
	  .title = "RDMA for programs",
	  .what = "Whether ib_uverbs and rdma_ucm are loaded, by which programs use RDMA "
		  "devices. Mounts do not need them; nfsrdma probe over an RDMA device does.",
	  .cause =
		  "The package rdma-core, which loads them when a device appears, is not "
		  "installed, or its list was changed.",
	  .remedy =
		  "Install rdma-core, or 'modprobe -a ib_uverbs rdma_ucm'. To have them "
		  "after the next boot name both in a file of /etc/modules-load.d.",
	  .unknown = COULD_NOT_READ,
	  .see = { "modules-load.d(5)" } },
	{ .id = "client.memlock",
	  .group = CLIENT,
	  .title = "Locked memory",
	  .what = "How much memory a program may lock (RLIMIT_MEMLOCK): registered memory is "
		  "locked memory. Neither mounts nor root are bound by it, so the usual "
		  "small limit is good. It warns where limits.conf gives memory to somebody, "
		  "and too little for nfsrdma probe over an RDMA device.",
	  .cause =
		  "The lines for memlock in /etc/security/limits.conf or limits.d give less "
		  "than a probe needs. The values there are in KiB.",
	  .remedy =
		  "Let 'nfsrdma setup client --for-probe' write the lines with the number "
		  "that the summary has: '@rdma soft memlock KIB' and '@rdma hard memlock "
		  "KIB'. Guides write unlimited, which lets a user of that group take all "
		  "memory. They hold from the next login. A service has LimitMEMLOCK= in "
		  "its unit instead: limits.conf is not for services.",
	  .unknown = COULD_NOT_READ,
	  .see = { "limits.conf(5)", "systemd.exec(5)" } },
	{ .id = "client.helper",
	  .group = CLIENT,
	  .title = "Helper of mount",
	  .what = "Whether mount.nfs is installed, which mount(8) runs for NFS.",
	  .cause =
		  "The package of the NFS client is not installed. A mount says 'bad option; "
		  "for several filesystems you might need a /sbin/mount.TYPE helper "
		  "program'.",
	  .remedy = "Install nfs-utils (RHEL, Fedora), nfs-common (Debian, Ubuntu) or "
		    "nfs-client (SUSE).",
	  .unknown = COULD_NOT_READ,
	  .see = { "mount.nfs(8)" } },
	{ .id = "client.nfsmount-conf",
	  .group = CLIENT,
	  .title = "Defaults of mounts",
	  .what = "Settings of /etc/nfsmount.conf and nfsmount.conf.d that take RDMA, or the "
		  "port, away from a mount that asks for them. mount.nfs adds an option from "
		  "there unless the mount has one of the same name. 'rdma' and 'proto' are "
		  "different names, and the kernel believes the last.",
	  .cause =
		  "Proto=tcp turns a mount with the option rdma into TCP, without a word. "
		  "Port= without Proto=rdma sends mounts to another port than they mean, and "
		  "Port=2049 with it. "
		  "tcp=true and udp=true win even over proto=rdma. rdma=false becomes "
		  "nordma, which the kernel refuses. Background=true lets mount(8) succeed "
		  "with nothing mounted. A protocol in capitals is unknown. A last line "
		  "without newline is ignored. The first ']' ends a heading, so an IPv6 "
		  "address in one leaves a quote open, and of the settings below such a "
		  "heading mount.nfs 2.6.2 dies, at every mount.",
	  .remedy =
		  "Take tcp=, udp= and Background= out, and sections with ']' in their "
		  "argument. Mount with proto=rdma,port=20049 in "
		  "place of rdma: that is what no other setting overrules. Or take the "
		  "setting out, or put it into a Server section of the servers that it is "
		  "for. Defaultproto and Defaultvers do not decide: write Proto=rdma and "
		  "Port=20049.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfsmount.conf(5)", "nfs(5)" } },
	{ .id = "client.nfsmount-bug",
	  .group = CLIENT,
	  .title = "Sections of nfsmount.conf",
	  .what = "A defect of nfs-utils before 2.8.3: of several Server sections (or "
		  "MountPoint sections) that set the same key, only the last keeps it. It is "
		  "looked at where there are several.",
	  .cause =
		  "With sections for two servers the first loses Proto=rdma and is mounted "
		  "over TCP, or loses its port. RHEL 9 has repaired its 2.5.4 in January "
		  "2025 under the same number.",
	  .remedy =
		  "Give the options with each mount in place of nfsmount.conf: "
		  "proto=rdma,port=20049. Or keep one Server section, or update nfs-utils.",
	  .unknown = COULD_NOT_READ,
	  .see = { "nfsmount.conf(5)" } },
	{ .id = "client.sysctl",
	  .group = CLIENT,
	  .title = "Settings of rpcrdma",
	  .what = "The client's settings in /proc/sys/sunrpc: calls under way "
		  "(rdma_slot_table_entries), and how long a call or reply is sent inline. "
		  "They are there after rpcrdma was loaded, by kernels with "
		  "CONFIG_SUNRPC_DEBUG, and hold for new mounts.",
	  .cause = "Somebody made them so small that mounts are slow.",
	  .remedy =
		  "Set them back: sysctl sunrpc.rdma_slot_table_entries=128, "
		  "sunrpc.rdma_max_inline_read=4096, sunrpc.rdma_max_inline_write=4096; take "
		  "them out of /etc/sysctl.d; then mount anew.",
	  .unknown = COULD_NOT_READ,
	  .see = { "sysctl.d(5)" } },
	{ .id = NULL },
};
