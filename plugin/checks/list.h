/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The checks, in the order of causes: what can be the reason for another one's failure comes
 * first. Read twice, so without a guard: internal.h declares them, table.c lists them. */

/* modules and devices */
CHECK(client_module)
CHECK(server_module)
CHECK(client_drivers)
CHECK(client_device)
CHECK(server_device)
CHECK(client_module_identity)
CHECK(client_module_boot)
CHECK(client_kernel_config)
CHECK(client_kernel_defects)
CHECK(client_uverbs)
CHECK(client_memlock)
CHECK(client_helper)
CHECK(client_nfsmount_conf)
CHECK(client_nfsmount_bug)
CHECK(client_sysctl)
CHECK(client_nfs3)

/* the fabric, from the cable upwards */
CHECK(fabric_software_device)
CHECK(fabric_netns)
CHECK(fabric_cable)
CHECK(fabric_subnet_manager)
CHECK(fabric_opensm)
CHECK(fabric_port)
CHECK(fabric_node_guid)
CHECK(fabric_gid)
CHECK(fabric_roce_version)
CHECK(fabric_mtu)
CHECK(fabric_bond)
CHECK(fabric_one_subnet)
CHECK(fabric_counters)
CHECK(fabric_pkey)
CHECK(fabric_ipoib)
CHECK(fabric_ipoib_mode)
CHECK(fabric_ipoib_mtu)
CHECK(fabric_tso_defect)
CHECK(fabric_udev_names)
CHECK(fabric_udev_ipoib)

/* this host's packet filters */
CHECK(firewall_rdma)
CHECK(firewall_side_channels)

/* a server */
CHECK(server_ganesha)
CHECK(server_nfs3)
CHECK(server_threads)
CHECK(server_nfs_conf)
CHECK(server_listener)
CHECK(server_port)
CHECK(server_address)
CHECK(server_boot)
CHECK(server_exports)
CHECK(server_versions)
CHECK(server_grace)
CHECK(server_block_size)
CHECK(server_sysctl)
CHECK(server_counters)

/* the path to the server */
CHECK(fabric_address)
CHECK(fabric_route)
CHECK(fabric_listener)
CHECK(fabric_side_channels)
CHECK(fabric_krb5)

/* this host's mounts */
CHECK(mount_missing)
CHECK(mount_boot_order)
CHECK(mount_transport)
CHECK(mount_submount)
CHECK(mount_options)
CHECK(mount_counters)
CHECK(bug_read_812)

/* hypervisors */
CHECK(platform_vdsm)
CHECK(platform_libvirt)
CHECK(platform_libvirt_hook)
CHECK(platform_proxmox)
