/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The checks, in the order of causes: what can be the reason for another one's failure comes
 * first. */
#include "plugin/checks/internal.h"

/* clang-format off */
#define ROW(...) &(const struct check){ __VA_ARGS__ }
/* clang-format on */

const struct check *const check_table[] = {
	/* modules and devices */
	ROW(.id = "client.module", .roles = CHECK_CLIENT, .at_mount = CHECK_MOUNT_STOPS,
	    .run = check_client_module),
	ROW(.id = "server.module", .roles = CHECK_SERVER, .needs = { "client.module" },
	    .run = check_server_module),
	ROW(.id = "client.drivers", .roles = CHECK_BOTH, .at_mount = CHECK_MOUNT_DEVICE,
	    .run = check_client_drivers),
	ROW(.id = "client.device", .roles = CHECK_CLIENT, .at_mount = CHECK_MOUNT_DEVICE,
	    .run = device_check),
	ROW(.id = "server.device", .roles = CHECK_SERVER, .needs = { "client.device" },
	    .run = check_server_device),
	ROW(.id = "client.module-identity", .roles = CHECK_BOTH,
	    .needs = { "client.module", "client.device", "server.module", "server.device" },
	    .run = check_client_module_identity),
	ROW(.id = "client.module-boot", .roles = CHECK_BOTH,
	    .needs = { "client.module", "client.device", "server.module", "server.device" },
	    .run = check_client_module_boot),
	ROW(.id = "client.kernel-config", .roles = CHECK_BOTH,
	    .needs = { "client.module", "client.device", "server.module", "server.device" },
	    .run = check_client_kernel_config),
	ROW(.id = "client.kernel-defects", .roles = CHECK_BOTH,
	    .needs = { "client.module", "client.device", "server.module", "server.device" },
	    .run = check_client_kernel_defects),
	ROW(.id = "client.uverbs", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_client_uverbs),
	ROW(.id = "client.memlock", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_client_memlock),
	ROW(.id = "client.helper", .roles = CHECK_CLIENT, .at_mount = CHECK_MOUNT_STOPS,
	    .needs = { "client.module", "client.device" }, .run = check_client_helper),
	ROW(.id = "client.nfsmount-conf", .roles = CHECK_CLIENT, .at_mount = CHECK_MOUNT_TELLS,
	    .needs = { "client.module", "client.device" }, .run = check_client_nfsmount_conf),
	ROW(.id = "client.nfsmount-bug", .roles = CHECK_CLIENT,
	    .needs = { "client.module", "client.device" }, .run = check_client_nfsmount_bug),
	ROW(.id = "client.sysctl", .roles = CHECK_CLIENT,
	    .needs = { "client.module", "client.device" }, .run = check_client_sysctl),
	ROW(.id = "client.nfs3", .roles = CHECK_CLIENT, .run = check_client_nfs3),

	/* the fabric, from the cable upwards */
	ROW(.id = "fabric.software-device", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_software_device),
	ROW(.id = "fabric.netns", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_netns),
	ROW(.id = "fabric.cable", .roles = CHECK_BOTH, .at_mount = CHECK_MOUNT_PATH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_cable),
	ROW(.id = "fabric.subnet-manager", .roles = CHECK_BOTH, .at_mount = CHECK_MOUNT_PATH,
	    .needs = { "client.device", "server.device", "fabric.cable" },
	    .run = check_fabric_subnet_manager),
	ROW(.id = "fabric.opensm", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_opensm),
	ROW(.id = "fabric.port", .roles = CHECK_BOTH, .at_mount = CHECK_MOUNT_PATH,
	    .needs = { "client.device", "server.device", "fabric.cable", "fabric.subnet-manager" },
	    .run = check_fabric_port),
	ROW(.id = "fabric.node-guid", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_node_guid),
	ROW(.id = "fabric.gid", .roles = CHECK_BOTH, .at_mount = CHECK_MOUNT_PATH,
	    .needs = { "client.device", "server.device", "fabric.port" }, .run = check_fabric_gid),
	ROW(.id = "fabric.roce-version", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device", "fabric.port" },
	    .run = check_fabric_roce_version),
	ROW(.id = "fabric.mtu", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device", "fabric.port" }, .run = check_fabric_mtu),
	ROW(.id = "fabric.bond", .roles = CHECK_BOTH, .needs = { "client.device", "server.device" },
	    .run = check_fabric_bond),
	ROW(.id = "fabric.one-subnet", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_one_subnet),
	ROW(.id = "fabric.counters", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device", "fabric.port" },
	    .run = check_fabric_counters),
	ROW(.id = "fabric.pkey", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device", "fabric.port" }, .run = check_fabric_pkey),
	ROW(.id = "fabric.ipoib", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device", "fabric.port" },
	    .run = check_fabric_ipoib),
	ROW(.id = "fabric.ipoib-mode", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_ipoib_mode),
	ROW(.id = "fabric.ipoib-mtu", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_ipoib_mtu),
	ROW(.id = "fabric.tso-defect", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_tso_defect),
	ROW(.id = "fabric.udev-names", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_udev_names),
	ROW(.id = "fabric.udev-ipoib", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_fabric_udev_ipoib),

	/* this host's packet filters */
	ROW(.id = "firewall.rdma", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_firewall_rdma),
	ROW(.id = "firewall.side-channels", .roles = CHECK_BOTH,
	    .needs = { "client.device", "server.device" }, .run = check_firewall_side_channels),

	/* a server */
	ROW(.id = "server.ganesha", .roles = CHECK_SERVER,
	    .needs = { "client.device", "server.device" }, .run = check_server_ganesha),
	ROW(.id = "server.nfs3", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device" }, .run = check_server_nfs3),
	ROW(.id = "server.threads", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device" }, .run = check_server_threads),
	ROW(.id = "server.nfs-conf", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device" }, .run = check_server_nfs_conf),
	ROW(.id = "server.listener", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device", "server.threads" },
	    .run = check_server_listener),
	ROW(.id = "server.port", .roles = CHECK_SERVER,
	    .needs = { "server.threads", "server.listener", "server.nfs-conf" },
	    .run = check_server_port),
	ROW(.id = "server.address", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device", "fabric.port", "fabric.gid" },
	    .run = check_server_address),
	ROW(.id = "server.trial", .roles = CHECK_SERVER, .trial = true,
	    .needs = { "server.module", "server.threads", "server.listener", "server.address" },
	    .run = check_server_trial),
	ROW(.id = "server.boot", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device", "server.threads" },
	    .run = check_server_boot),
	ROW(.id = "server.exports", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device", "server.threads" },
	    .run = check_server_exports),
	ROW(.id = "server.versions", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device", "server.threads" },
	    .run = check_server_versions),
	ROW(.id = "server.grace", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device", "server.threads" },
	    .run = check_server_grace),
	ROW(.id = "server.block-size", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device", "server.threads" },
	    .run = check_server_block_size),
	ROW(.id = "server.sysctl", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device" }, .run = check_server_sysctl),
	ROW(.id = "server.counters", .roles = CHECK_SERVER,
	    .needs = { "server.module", "server.device" }, .run = check_server_counters),

	/* the path to the server */
	ROW(.id = "fabric.address", .roles = CHECK_CLIENT, .remote = true,
	    .at_mount = CHECK_MOUNT_PATH, .needs = { "client.device" },
	    .run = check_fabric_address),
	ROW(.id = "fabric.route", .roles = CHECK_CLIENT, .remote = true,
	    .at_mount = CHECK_MOUNT_PATH, .needs = { "client.device" }, .run = check_fabric_route),
	ROW(.id = "fabric.listener", .roles = CHECK_CLIENT, .remote = true,
	    .at_mount = CHECK_MOUNT_SERVER,
	    .needs = { "client.device", "fabric.port", "fabric.route", "fabric.gid" },
	    .run = check_fabric_listener),
	ROW(.id = "fabric.side-channels", .roles = CHECK_CLIENT, .remote = true,
	    .at_mount = CHECK_MOUNT_PATH, .run = check_fabric_side_channels),
	ROW(.id = "fabric.krb5", .roles = CHECK_CLIENT, .remote = true, .run = check_fabric_krb5),

	/* this host's mounts */
	ROW(.id = "mount.missing", .roles = CHECK_CLIENT, .run = check_mount_missing),
	ROW(.id = "mount.boot-order", .roles = CHECK_CLIENT, .run = check_mount_boot_order),
	ROW(.id = "mount.transport", .roles = CHECK_CLIENT, .run = check_mount_transport),
	ROW(.id = "mount.submount", .roles = CHECK_CLIENT, .run = check_mount_submount),
	ROW(.id = "mount.options", .roles = CHECK_CLIENT, .run = check_mount_options),
	ROW(.id = "mount.counters", .roles = CHECK_CLIENT, .run = check_mount_counters),
	ROW(.id = "bug.read-812", .roles = CHECK_CLIENT, .run = check_bug_read_812),

	/* what the kernel logged, unless a check before says its cause */
	ROW(.id = "log.device", .roles = CHECK_BOTH, .run = check_log_device),
	ROW(.id = "log.client", .roles = CHECK_CLIENT, .run = check_log_client),
	ROW(.id = "log.server", .roles = CHECK_SERVER, .run = check_log_server),

	/* hypervisors */
	ROW(.id = "platform.vdsm", .roles = CHECK_CLIENT, .run = check_platform_vdsm),
	ROW(.id = "platform.libvirt", .roles = CHECK_CLIENT, .run = check_platform_libvirt),
	ROW(.id = "platform.libvirt-hook", .roles = CHECK_CLIENT,
	    .run = check_platform_libvirt_hook),
	ROW(.id = "platform.proxmox", .roles = CHECK_CLIENT, .run = check_platform_proxmox),
	NULL,
};

void checks_at_mount(bool path, const struct check *out[CHECKS_AT_MOUNT_MAX + 1])
{
	const struct check *const *check;
	size_t n = 0;

	for (check = check_table; *check && n < CHECKS_AT_MOUNT_MAX; check++)
		if ((*check)->at_mount != CHECK_MOUNT_NO &&
		    ((*check)->at_mount < CHECK_MOUNT_PATH || path))
			out[n++] = *check;
	out[n] = NULL;
}
