/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The small readers: limits, counters, nfsd and exports, the kernel's configuration, packages,
 * platforms. */
#include <zlib.h>

#include "tests/unit/host-tree.h"

static struct tree tree;

static void the_locked_memory_limit_is_read(void)
{
	struct host_memlock limits;

	tree_machine(&tree, "none-debian12");
	tree_write(&tree, "etc/security/limits.conf",
		   "# @rdma soft memlock 1\n* soft core 0\n@rdma hard memlock unlimited\n");
	tree_write(&tree, "etc/security/limits.d/a.conf", "* - memlock 65536 # KiB\n");
	CU_ASSERT_EQUAL(host_memlock(tree.host, &limits), 0);
	CU_ASSERT_TRUE(limits.known);
	CU_ASSERT_EQUAL(limits.soft, 8388608);
	CU_ASSERT_EQUAL(limits.hard, 8388608);
	CU_ASSERT_EQUAL_FATAL(limits.nlines, 2);
	CU_ASSERT_STRING_EQUAL(limits.lines[0].domain, "@rdma");
	CU_ASSERT_STRING_EQUAL(limits.lines[0].value, "unlimited");
	CU_ASSERT_STRING_EQUAL(limits.lines[1].type, "-");
	CU_ASSERT_STRING_EQUAL(limits.lines[1].file, "etc/security/limits.d/a.conf");
	tree_write(&tree, "proc/self/limits",
		   "Max locked memory         unlimited            8192                bytes\n");
	CU_ASSERT_EQUAL(host_memlock(tree.host, &limits), 0);
	CU_ASSERT_EQUAL(limits.soft, UINT64_MAX);
	CU_ASSERT_EQUAL(limits.hard, 8192);
	tree_fifo(&tree, "etc/security/limits.conf");
	CU_ASSERT_EQUAL(host_memlock(tree.host, &limits), -EINVAL);
	tree_free(&tree);
}

static void a_counter_is_a_number(void)
{
	uint64_t value = 0;
	bool large = true;

	tree_machine(&tree, "mlx5-ib-rhel8");
	CU_ASSERT_EQUAL(
		host_counter(tree.host, "proc/sys/sunrpc/svc_rdma/rdma_stat_recv", &value, &large),
		0);
	CU_ASSERT_EQUAL(value, 4711);
	CU_ASSERT_FALSE(large);
	CU_ASSERT_EQUAL(host_counter(tree.host, "proc/sys/none", &value, &large), -ENOENT);
	tree_free(&tree);
}

static void a_running_server_has_listeners(void)
{
	struct host_nfsd nfsd;
	struct host_exports exports;

	tree_machine(&tree, "mlx5-ib-rhel8");
	CU_ASSERT_EQUAL(host_nfsd(tree.host, &nfsd), 0);
	CU_ASSERT_TRUE(nfsd.present);
	CU_ASSERT_EQUAL_FATAL(nfsd.nlisteners, 4);
	CU_ASSERT_STRING_EQUAL(nfsd.listeners[0].proto, "rdma");
	CU_ASSERT_EQUAL(nfsd.listeners[0].port, 20049);
	CU_ASSERT_STRING_EQUAL(nfsd.listeners[3].proto, "tcp");
	CU_ASSERT_EQUAL(nfsd.threads, 8);
	CU_ASSERT_EQUAL(nfsd.packets, 4711);
	CU_ASSERT_EQUAL(nfsd.max_block, 1048576);
	CU_ASSERT_STRING_EQUAL(nfsd.versions, "-2 +3 +4 +4.0 +4.1 +4.2");
	CU_ASSERT_EQUAL(host_exports(tree.host, &exports), 0);
	CU_ASSERT_EQUAL(exports.exported, 1);
	CU_ASSERT_EQUAL(exports.configured, 1);
	CU_ASSERT_STRING_EQUAL(exports.first, "/export/vm");
	tree_write(&tree, "etc/exports.d/x.exports", "# x\n/a \\\n *(ro)\n\n/b *(ro)\n");
	CU_ASSERT_EQUAL(host_exports(tree.host, &exports), 0);
	CU_ASSERT_EQUAL(exports.configured, 3);
	tree_free(&tree);
}

static void an_empty_nfsd_directory_is_no_server(void)
{
	struct host_nfsd nfsd;

	tree_machine(&tree, "none-debian12");
	CU_ASSERT_EQUAL(host_exists(tree.host, "proc/fs/nfsd"), 0);
	CU_ASSERT_EQUAL(host_nfsd(tree.host, &nfsd), 0);
	CU_ASSERT_FALSE(nfsd.present);
	tree_write(&tree, "proc/fs/nfsd/portlist", "");
	CU_ASSERT_EQUAL(host_nfsd(tree.host, &nfsd), 0);
	CU_ASSERT_TRUE(nfsd.present);
	CU_ASSERT_EQUAL(nfsd.nlisteners, 0);
	tree_free(&tree);
}

static void write_gzip(const char *path, const char *text, size_t cut)
{
	static uint8_t packed[65536];
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)text,
			    .avail_in = (uInt)strlen(text),
			    .next_out = packed,
			    .avail_out = sizeof(packed) };

	if (deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) ||
	    deflate(&stream, Z_FINISH) != Z_STREAM_END)
		abort();
	deflateEnd(&stream);
	tree_bytes(&tree, path, packed, stream.total_out - cut);
}

static void the_kernel_configuration_is_found(void)
{
	struct host_kconfig config;

	tree_machine(&tree, "none-debian12");
	CU_ASSERT_EQUAL_FATAL(host_kconfig(tree.host, &config), 0);
	CU_ASSERT_STRING_EQUAL(config.file, "boot/config-6.1.0-26-amd64");
	CU_ASSERT_EQUAL(kconfig_get(&config, "CONFIG_SUNRPC_XPRT_RDMA"), 'm');
	CU_ASSERT_EQUAL(kconfig_get(&config, "CONFIG_SUNRPC_DEBUG"), 'y');
	CU_ASSERT_EQUAL(kconfig_get(&config, "CONFIG_RDMA_SIW"), 'n');
	CU_ASSERT_EQUAL(kconfig_get(&config, "CONFIG_SUNRPC_XPRT"), 'n');
	host_kconfig_fini(&config);
	tree_free(&tree);
}

static void the_kernel_may_contain_its_configuration(void)
{
	static char bomb[4 * 1024 * 1024];
	struct host_kconfig config;

	tree_new(&tree);
	tree_write(&tree, "proc/sys/kernel/osrelease", "6.6.30-gentoo\n");
	CU_ASSERT_EQUAL(host_kconfig(tree.host, &config), -ENOENT);
	write_gzip("proc/config.gz", "CONFIG_INFINIBAND=y\n", 0);
	CU_ASSERT_EQUAL_FATAL(host_kconfig(tree.host, &config), 0);
	CU_ASSERT_STRING_EQUAL(config.file, "proc/config.gz");
	CU_ASSERT_EQUAL(kconfig_get(&config, "CONFIG_INFINIBAND"), 'y');
	host_kconfig_fini(&config);
	write_gzip("proc/config.gz", "CONFIG_INFINIBAND=y\n", 9);
	CU_ASSERT_EQUAL(host_kconfig(tree.host, &config), -EBADMSG);
	tree_write(&tree, "proc/config.gz", "no gzip");
	CU_ASSERT_EQUAL(host_kconfig(tree.host, &config), -EBADMSG);
	memset(bomb, 'x', sizeof(bomb) - 1);
	write_gzip("proc/config.gz", bomb, 0);
	CU_ASSERT_EQUAL(host_kconfig(tree.host, &config), -EBADMSG);
	tree_free(&tree);
}

static void packages_have_versions(void)
{
	char version[64];

	tree_machine(&tree, "none-debian12");
	CU_ASSERT_EQUAL(host_package(tree.host, "nfs-common", version, sizeof(version)), 0);
	CU_ASSERT_STRING_EQUAL(version, "1:2.6.2-4");
	CU_ASSERT_EQUAL(host_package(tree.host, "nfs", version, sizeof(version)), -ENOENT);
	tree_write(&tree, "var/lib/dpkg/status",
		   "Package: x\nStatus: deinstall ok config-files\nVersion: 1\n");
	CU_ASSERT_EQUAL(host_package(tree.host, "x", version, sizeof(version)), -ENOENT);
	tree_free(&tree);
	tree_machine(&tree, "mlx5-ib-rhel8");
	CU_ASSERT_EQUAL(host_package(tree.host, "nfs-utils", version, sizeof(version)), 0);
	CU_ASSERT_STRING_EQUAL(version, "1:2.3.3-59.el8");
	tree_free(&tree);
	tree_new(&tree);
	CU_ASSERT_EQUAL(host_package(tree.host, "x", version, sizeof(version)), -ENODATA);
	tree_free(&tree);
}

static void platforms_are_recognized(void)
{
	struct host_platform platform;

	tree_new(&tree);
	CU_ASSERT_EQUAL(host_platform(tree.host, &platform), 0);
	CU_ASSERT_FALSE(platform.vdsm);
	CU_ASSERT_FALSE(platform.libvirt);
	CU_ASSERT_FALSE(platform.proxmox);
	tree_write(&tree, "usr/bin/pveversion", "");
	tree_write(&tree, "usr/sbin/virtqemud", "");
	tree_write(&tree, "usr/share/vdsm/vdsmd", "");
	tree_write(&tree, "usr/lib/python3.9/site-packages/vdsm/storage/storageServer.py",
		   "    DEFAULT_OPTIONS = [\"soft\", \"nosharecache\"]\n");
	CU_ASSERT_EQUAL(host_platform(tree.host, &platform), 0);
	CU_ASSERT(platform.vdsm);
	CU_ASSERT(platform.libvirt);
	CU_ASSERT(platform.proxmox);
	CU_ASSERT_STRING_EQUAL(platform.vdsm_patched, "");
	tree_write(&tree, "usr/lib/python3.9/site-packages/vdsm/storage/storageServer.py",
		   "    DEFAULT_OPTIONS = [\"soft\", \"rdma\", \"port=20049\"]\n");
	CU_ASSERT_EQUAL(host_platform(tree.host, &platform), 0);
	CU_ASSERT(text_ends_with(platform.vdsm_patched, "storageServer.py"));
	tree_free(&tree);
}

static bool is_vdsm(const char *path)
{
	struct host_platform platform;
	int rc;

	tree_new(&tree);
	tree_write(&tree, path, "");
	rc = host_platform(tree.host, &platform);
	tree_free(&tree);
	CU_ASSERT_EQUAL(rc, 0);
	return platform.vdsm;
}

/* Packages with hooks create VDSM's directories, and so does ours. */
static void vdsm_is_recognized_by_its_own_files(void)
{
	CU_ASSERT_FALSE(is_vdsm("usr/libexec/vdsm/hooks/before_vm_start/90_nfsrdma"));
	CU_ASSERT_FALSE(is_vdsm("etc/vdsm/other"));
	CU_ASSERT_FALSE(is_vdsm("usr/share/vdsm/other"));
	CU_ASSERT(is_vdsm("usr/share/vdsm/vdsmd"));
	CU_ASSERT(is_vdsm("usr/bin/vdsm-tool"));
	CU_ASSERT(is_vdsm("usr/libexec/vdsm/daemonAdapter"));
	CU_ASSERT(is_vdsm("usr/lib/systemd/system/vdsmd.service"));
	CU_ASSERT(is_vdsm("etc/vdsm/vdsm.conf"));
}

static void the_thread_count_needs_no_privilege(void)
{
	struct host_nfsd nfsd;

	tree_machine(&tree, "server-roce-rhel9");
	CU_ASSERT_EQUAL(host_nfsd(tree.host, &nfsd), 0);
	CU_ASSERT(nfsd.present);
	CU_ASSERT(nfsd.threads_known);
	CU_ASSERT_EQUAL(nfsd.threads, 8);
	CU_ASSERT_EQUAL(nfsd.nlisteners, 4);
	CU_ASSERT_EQUAL(nfsd.packets, 1204);
	/* As an unprivileged user reads it: empty. */
	tree_write(&tree, "proc/fs/nfsd/threads", "");
	CU_ASSERT_EQUAL(host_nfsd(tree.host, &nfsd), 0);
	CU_ASSERT(nfsd.threads_known);
	CU_ASSERT_EQUAL(nfsd.threads, 8);
	tree_write(&tree, "proc/self/net/rpc/nfsd", "rc 0 0 0\nth\n");
	CU_ASSERT_EQUAL(host_nfsd(tree.host, &nfsd), 0);
	CU_ASSERT_FALSE(nfsd.threads_known);
	tree_free(&tree);
}

SUITE_MAIN("host-system", TEST(the_locked_memory_limit_is_read), TEST(a_counter_is_a_number),
	   TEST(a_running_server_has_listeners), TEST(an_empty_nfsd_directory_is_no_server),
	   TEST(the_kernel_configuration_is_found), TEST(the_kernel_may_contain_its_configuration),
	   TEST(packages_have_versions), TEST(platforms_are_recognized),
	   TEST(vdsm_is_recognized_by_its_own_files), TEST(the_thread_count_needs_no_privilege))
