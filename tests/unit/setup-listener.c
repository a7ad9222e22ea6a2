/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A port that can be written to the server's portlist, and one that would crash the kernel. */
#include "tests/unit/setup-fakes.h"

#define PORTLIST "proc/fs/nfsd/portlist"
#define TCP      "proc/net/tcp"
#define TCP6     "proc/net/tcp6"
#define HEAD     "  sl  local_address rem_address   st tx_queue rx_queue\n"
#define REST     " 00000000:00000000 00:00000000 00000000     0        0 17 1 0 100 0 0 10 0\n"

static bool there;

static void start(const char *portlist)
{
	tree_new(&tree);
	tree_write(&tree, PORTLIST, portlist);
	tree_write(&tree, TCP, HEAD);
	tree_write(&tree, TCP6, HEAD);
}

static int look(void)
{
	return listener_check(tree.host, 20049, &there);
}

static void a_free_port_can_be_added(void)
{
	start("tcp 2049\nudp 2049\n");
	/* Other ports; and on our port a connection, and a remote endpoint. */
	tree_write(&tree, TCP,
		   HEAD "   0: 00000000:0801 00000000:0000 0A" REST
			"   1: 0100007F:4E51 0100007F:C350 01" REST
			"   2: 0100007F:C350 0100007F:4E51 01" REST);
	CU_ASSERT_EQUAL(look(), 0);
	CU_ASSERT_FALSE(there);
	/* A kernel without IPv6. */
	CU_ASSERT_EQUAL(tree_remove_all(&tree, TCP6), 0);
	CU_ASSERT_EQUAL(look(), 0);
	tree_free(&tree);
}

static void a_port_of_the_server_exists(void)
{
	start("rdma 20049\nrdma 20049\ntcp 2049\n");
	/* A listener of siw has a socket. */
	tree_write(&tree, TCP, HEAD "   0: 00000000:4E51 00000000:0000 0A" REST);
	CU_ASSERT_EQUAL(look(), 0);
	CU_ASSERT(there);
	tree_free(&tree);
}

static void a_port_of_another_protocol_is_in_use(void)
{
	start("tcp 2049\ntcp 20049\n");
	CU_ASSERT_EQUAL(look(), -EADDRINUSE);
	ASSERT_CONTAINS(err_text(), "tcp 20049");
	CU_ASSERT_FALSE(there);
	tree_free(&tree);
}

static void a_port_of_a_socket_is_in_use(void)
{
	static const char *const lines[][2] = {
		{ TCP, "   7: 00000000:4E51 00000000:0000 0A" },
		{ TCP, "  12: 0100007F:4E51 00000000:0000 0A" },
		{ TCP6, "   0: 00000000000000000000000000000000:4E51 "
			"00000000000000000000000000000000:0000 0A" },
		{ TCP6, "1234: 0000000000000000FFFF00000100007F:4E51 "
			"00000000000000000000000000000000:0000 0A" },
	};
	char text[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		SUITE_ROW("%zu", i);
		start("tcp 2049\n");
		snprintf(text, sizeof(text), HEAD "%s" REST, lines[i][1]);
		tree_write(&tree, lines[i][0], text);
		CU_ASSERT_EQUAL(look(), -EADDRINUSE);
		ASSERT_CONTAINS(err_text(), lines[i][0]);
		ASSERT_CONTAINS(err_text(), "4E51");
		ASSERT_CONTAINS(err_text(), "sport = :20049");
		tree_free(&tree);
	}
}

static void an_unreadable_list_adds_no_port(void)
{
	static const char *const paths[] = { PORTLIST, TCP, TCP6 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		SUITE_ROW("%zu: %s", i, paths[i]);
		start("tcp 2049\n");
		CU_ASSERT_EQUAL(tree_remove_all(&tree, paths[i]), 0);
		tree_fifo(&tree, paths[i]);
		CU_ASSERT_EQUAL(look(), -EINVAL);
		tree_free(&tree);
	}
	for (i = 0; i < 2; i++) {
		SUITE_ROW("%zu", i);
		start("tcp 2049\n");
		CU_ASSERT_EQUAL(tree_remove_all(&tree, paths[i]), 0);
		CU_ASSERT_EQUAL(look(), -ENOENT);
		tree_free(&tree);
	}
}

/* More lines than are kept: ours can be in the rest. */
static void a_truncated_list_is_unknown(void)
{
	char text[NFSD_LISTENERS_MAX * 16] = "";
	unsigned int i;

	for (i = 0; i < NFSD_LISTENERS_MAX; i++)
		strcat(text, "tcp 2049\n");
	start(text);
	CU_ASSERT_EQUAL(look(), -EFBIG);
	tree_free(&tree);
}

SUITE_MAIN("setup-listener", TEST(a_free_port_can_be_added), TEST(a_port_of_the_server_exists),
	   TEST(a_port_of_another_protocol_is_in_use), TEST(a_port_of_a_socket_is_in_use),
	   TEST(an_unreadable_list_adds_no_port), TEST(a_truncated_list_is_unknown))
