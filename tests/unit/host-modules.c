/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Kernel modules: available, loaded and disabled ones; and trees with broken indexes or files. */
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct host_module module;
static struct host_listed listed;

#define DEBIAN "lib/modules/6.1.0-26-amd64"

static void a_module_is_found_by_its_aliases(void)
{
	static const char *const names[] = { "rpcrdma", "xprtrdma", "svcrdma", "rpcrdma6" };
	size_t i;

	tree_machine(&tree, "none-debian12");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu: %s", i, names[i]);
		CU_ASSERT_EQUAL(host_module(tree.host, names[i], &module), 0);
		CU_ASSERT_EQUAL(module.state, MODULE_AVAILABLE);
		CU_ASSERT_STRING_EQUAL(module.name, "rpcrdma");
		CU_ASSERT_STRING_EQUAL(module.file,
				       DEBIAN "/kernel/net/sunrpc/xprtrdma/rpcrdma.ko");
		CU_ASSERT_FALSE(module.external);
		CU_ASSERT_STRING_EQUAL(module.problem, "");
		ASSERT_STARTS(module.vermagic, "6.1.0-26-amd64 SMP ");
	}
	CU_ASSERT_EQUAL(host_module(tree.host, "siw", &module), 0);
	CU_ASSERT_EQUAL(module.state, MODULE_MISSING);
	CU_ASSERT_EQUAL(host_module(tree.host, "ib-uverbs", &module), 0);
	CU_ASSERT_STRING_EQUAL(module.name, "ib_uverbs");
	CU_ASSERT_EQUAL(host_module(tree.host, "../x", &module), -EINVAL);
	CU_ASSERT_EQUAL(host_module(tree.host, "", &module), -EINVAL);
	tree_free(&tree);
}

static void a_loaded_module_is_compared_with_its_compressed_file(void)
{
	tree_machine(&tree, "mlx5-roce-rhel9");
	CU_ASSERT_EQUAL(host_module(tree.host, "svcrdma", &module), 0);
	CU_ASSERT_EQUAL(module.state, MODULE_LOADED);
	CU_ASSERT_STRING_EQUAL(module.srcversion_file, "533BB7E5866E52F63B9ACCB");
	CU_ASSERT_STRING_EQUAL(module.srcversion_loaded, module.srcversion_file);
	CU_ASSERT(text_ends_with(module.file, "/rpcrdma.ko.xz"));
	tree_free(&tree);
}

static void a_file_outside_the_kernel_directory_is_external(void)
{
	tree_machine(&tree, "siw-debian12");
	CU_ASSERT_EQUAL(host_module(tree.host, "siw", &module), 0);
	CU_ASSERT_EQUAL(module.state, MODULE_LOADED);
	CU_ASSERT_TRUE(module.external);
	CU_ASSERT_STRING_EQUAL(module.file, DEBIAN "/updates/siw.ko");
	tree_free(&tree);
}

static void a_built_in_module_has_no_file(void)
{
	tree_machine(&tree, "rxe-ubuntu2204");
	CU_ASSERT_EQUAL(host_module(tree.host, "configfs", &module), 0);
	CU_ASSERT_EQUAL(module.state, MODULE_BUILTIN);
	CU_ASSERT_STRING_EQUAL(module.file, "");
	tree_free(&tree);
	/* A module with parameters has a directory, but no state. */
	tree_new(&tree);
	tree_write(&tree, "sys/module/sunrpc/parameters/pool_mode", "global\n");
	CU_ASSERT_EQUAL(host_module(tree.host, "sunrpc", &module), 0);
	CU_ASSERT_EQUAL(module.state, MODULE_BUILTIN);
	tree_free(&tree);
}

static void without_an_index_only_loaded_modules_are_known(void)
{
	tree_new(&tree);
	tree_write(&tree, "proc/sys/kernel/osrelease", "6.1.0\n");
	tree_write(&tree, "sys/module/rpcrdma/initstate", "live\n");
	CU_ASSERT_EQUAL(host_module(tree.host, "svcrdma", &module), 0);
	CU_ASSERT_EQUAL(module.state, MODULE_LOADED);
	CU_ASSERT_EQUAL(host_module(tree.host, "siw", &module), -ENOENT);
	CU_ASSERT_EQUAL(module.state, MODULE_MISSING);
	ASSERT_CONTAINS(err_text(), "modules.dep.bin");
	tree_write(&tree, "proc/sys/kernel/osrelease", "../../etc\n");
	CU_ASSERT_EQUAL(host_module(tree.host, "siw", &module), -EBADMSG);
	tree_free(&tree);
}

static void a_modprobe_d_line_is_reported_with_its_file(void)
{
	tree_machine(&tree, "none-debian12");
	tree_write(&tree, "etc/modprobe.d/a.conf",
		   "# install rpcrdma /bin/true\nblacklist rpcrdma\n"
		   "install ib-uverbs \\\n  /usr/bin/false\ninstall rdma_ucm /sbin/x\n");
	CU_ASSERT_EQUAL(host_module(tree.host, "svcrdma", &module), 0);
	CU_ASSERT_TRUE(module.blacklisted);
	CU_ASSERT_FALSE(module.disabled);
	CU_ASSERT_EQUAL(host_module(tree.host, "ib_uverbs", &module), 0);
	CU_ASSERT_TRUE(module.disabled);
	CU_ASSERT_STRING_EQUAL(module.disabled_by, "etc/modprobe.d/a.conf");
	CU_ASSERT_EQUAL(host_module(tree.host, "rdma_ucm", &module), 0);
	CU_ASSERT_FALSE(module.disabled);
	/* The same name in etc hides the distribution's. */
	tree_write(&tree, "usr/lib/modprobe.d/a.conf", "install rpcrdma /bin/false\n");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
	CU_ASSERT_FALSE(module.disabled);
	tree_write(&tree, "proc/cmdline", "quiet module_blacklist=x,rpcrdma ro\n");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
	CU_ASSERT_STRING_EQUAL(module.disabled_by, "proc/cmdline");
	/* libkmod would block on it. */
	tree_fifo(&tree, "etc/modprobe.d/b.conf");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
	tree_free(&tree);
}

static void module_lists_are_read(void)
{
	tree_machine(&tree, "mlx5-roce-rhel9");
	CU_ASSERT_EQUAL(host_module_listed(tree.host, "svcrdma", &listed), 0);
	CU_ASSERT_TRUE(listed.has_rdma_conf);
	CU_ASSERT_TRUE(listed.rdma_conf);
	CU_ASSERT_STRING_EQUAL(listed.file, "etc/rdma/modules/rdma.conf");
	CU_ASSERT_EQUAL(host_module_listed(tree.host, "rds_rdma", &listed), 0);
	CU_ASSERT_FALSE(listed.rdma_conf);
	CU_ASSERT_FALSE(listed.at_boot);
	tree_write(&tree, "etc/modules-load.d/ib.conf", "; x\n ib-umad\n");
	CU_ASSERT_EQUAL(host_module_listed(tree.host, "ib_umad", &listed), 0);
	CU_ASSERT_TRUE(listed.at_boot);
	CU_ASSERT_STRING_EQUAL(listed.file, "etc/modules-load.d/ib.conf");
	tree_free(&tree);
}

/* An index with a valid header and a body of one kind. */
static void write_index(const char *name, uint8_t fill)
{
	static uint8_t index[4096];
	char path[256];

	memset(index, fill, sizeof(index));
	put_be32(index, 0xb007f457);
	put_be32(index + 4, 0x00020001);
	snprintf(path, sizeof(path), DEBIAN "/%s", name);
	tree_bytes(&tree, path, index, sizeof(index));
}

static void a_broken_index_is_an_error(void)
{
	static const uint8_t fills[] = { 0xff, 0x80, 0x20, 0xe0, 0x0c, 0x00 };
	uint64_t start = now_ms();
	size_t i;
	int rc;

	tree_machine(&tree, "none-debian12");
	for (i = 0; i < ARRAY_SIZE(fills); i++) {
		SUITE_ROW("%zu: %u", i, fills[i]);
		write_index("modules.dep.bin", fills[i]);
		write_index("modules.alias.bin", fills[i]);
		rc = host_module(tree.host, "rpcrdma", &module);
		CU_ASSERT(rc == -EBADMSG || rc == -ETIMEDOUT || rc == -EINVAL || !rc);
		CU_ASSERT_NOT_EQUAL(module.state, MODULE_LOADED);
	}
	tree_write(&tree, DEBIAN "/modules.dep.bin", "");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), -EBADMSG);
	ASSERT_CONTAINS(err_text(), "is not an index of depmod");
	tree_fifo(&tree, DEBIAN "/modules.dep.bin");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), -EINVAL);
	ASSERT_WITHIN_MS(now_ms() - start, 30000);
	tree_free(&tree);
}

static void a_slow_index_is_not_read_again(void)
{
	tree_machine(&tree, "none-debian12");
	*host_slow_index(tree.host) = true;
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), -ETIMEDOUT);
	ASSERT_CONTAINS(err_text(), "is broken");
	tree_write(&tree, "sys/module/rpcrdma/initstate", "live\n");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
	CU_ASSERT_EQUAL(module.state, MODULE_LOADED);
	tree_free(&tree);
}

/* The process that reads the index has no time of its own. */
static void the_limit_of_the_host_is_the_limit_of_the_index(void)
{
	tree_machine(&tree, "none-debian12");
	host_limit(tree.host, now_ms());
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), -ETIMEDOUT);
	tree_free(&tree);
}

/* libkmod would read its one line into memory. */
static void a_huge_text_of_depmod_is_not_read(void)
{
	static const char *const names[] = { "modules.softdep", "modules.weakdep" };
	char name[128], path[PATH_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		SUITE_ROW("%zu", i);
		tree_machine(&tree, "none-debian12");
		snprintf(name, sizeof(name), DEBIAN "/%s", names[i]);
		tree_write(&tree, name, "softdep x pre: y\n");
		CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
		tree_path(&tree, name, path);
		CU_ASSERT_EQUAL(truncate(path, (off_t)1 << 31), 0);
		CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), -EBADMSG);
		ASSERT_CONTAINS(err_text(), names[i]);
		ASSERT_CONTAINS(err_text(), "1048576 at most");
		tree_free(&tree);
	}
}

static void a_broken_file_is_reported(void)
{
	static const char *const contents[] = { "",
						"\x7f"
						"ELF",
						"\x28\xb5\x2f\xfd....",
						"\xfd"
						"7zXZ" };
	size_t i;

	tree_machine(&tree, "none-debian12");
	for (i = 0; i < ARRAY_SIZE(contents); i++) {
		SUITE_ROW("%zu: %s", i, contents[i]);
		tree_write(&tree, DEBIAN "/kernel/net/sunrpc/xprtrdma/rpcrdma.ko", contents[i]);
		CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
		CU_ASSERT_EQUAL(module.state, MODULE_AVAILABLE);
		CU_ASSERT_NOT_EQUAL(module.problem[0], '\0');
	}
	tree_link(&tree, DEBIAN "/kernel/net/sunrpc/xprtrdma/rpcrdma.ko", "/dev/zero");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
	CU_ASSERT_NOT_EQUAL(module.problem[0], '\0');
	tree_fifo(&tree, DEBIAN "/kernel/net/sunrpc/xprtrdma/rpcrdma.ko");
	CU_ASSERT_EQUAL(host_module(tree.host, "rpcrdma", &module), 0);
	ASSERT_CONTAINS(module.problem, "is not a regular file");
	tree_free(&tree);
}

SUITE_MAIN("host-modules", TEST(a_module_is_found_by_its_aliases),
	   TEST(a_loaded_module_is_compared_with_its_compressed_file),
	   TEST(a_file_outside_the_kernel_directory_is_external),
	   TEST(a_built_in_module_has_no_file),
	   TEST(without_an_index_only_loaded_modules_are_known),
	   TEST(a_modprobe_d_line_is_reported_with_its_file), TEST(module_lists_are_read),
	   TIMED(a_broken_index_is_an_error), TEST(a_slow_index_is_not_read_again),
	   TEST(the_limit_of_the_host_is_the_limit_of_the_index),
	   TEST(a_huge_text_of_depmod_is_not_read), TEST(a_broken_file_is_reported))
