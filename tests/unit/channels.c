/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The ports of the side channels: a configured port takes precedence over that of rpcbind, and
 * without either the port is unknown. */
#include "plugin/checks/internal.h"
#include "tests/unit/host-tree.h"

struct asking {
	struct tree tree;
	struct check_target target;
	struct check_run run;
};

static void begin(struct asking *asking)
{
	memset(asking, 0, sizeof(*asking));
	tree_new(&asking->tree);
	asking->run.host = asking->tree.host;
	asking->run.live = &live_replay;
	asking->run.target = &asking->target;
	asking->run.facts = facts_new();
	asking->run.deadline = deadline_in(PATIENCE_MS);
}

static void end(struct asking *asking)
{
	finding_fini(&asking->run.finding);
	facts_free_p(&asking->run.facts);
	tree_free(&asking->tree);
}

static unsigned int port(struct asking *asking, enum check_role role, const char *name, bool in)
{
	const struct channel *channel;

	for (channel = channel_table; channel->name; channel++)
		if (channel->role == role && channel->in == in && !strcmp(channel->name, name))
			return channel->port(&asking->run);
	return UINT32_MAX;
}

static void unknown_ports_stay_unknown(void)
{
	struct asking asking;

	begin(&asking);
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "rpcbind", true), 111);
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "rpc.gssd", true), 2049);
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "mountd", true), 0);
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "lockd", true), 0);
	CU_ASSERT_EQUAL(port(&asking, CHECK_CLIENT, "mountd", false), 0);
	CU_ASSERT_EQUAL(port(&asking, CHECK_CLIENT, "NFSv4.0's callback", true), 0);
	end(&asking);
}

static void configured_ports_come_first(void)
{
	struct asking asking;

	begin(&asking);
	tree_write(&asking.tree, ".nfsrdma/remote.json",
		   "{\"here/rpcbind/100005/3\": 40001, \"here/rpcbind/100021/4\": 40002, "
		   "\"here/rpcbind/100024/1\": 40003, \"rpcbind/100005/3\": 40004}");
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "mountd", true), 40001);
	CU_ASSERT_EQUAL(port(&asking, CHECK_CLIENT, "statd", true), 40003);
	asking.target.naddresses = 1;
	CU_ASSERT_EQUAL(port(&asking, CHECK_CLIENT, "mountd", false), 40004);
	tree_write(&asking.tree, "etc/services", "mountd\t20048/udp\nmountd 20048/tcp # x\n");
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "mountd", true), 20048);
	/* It is read once. */
	facts_free_p(&asking.run.facts);
	asking.run.facts = facts_new();
	tree_write(&asking.tree, "etc/nfs.conf",
		   "[mountd]\nport=892\n[lockd]\nport=4045\n[statd]\nport=x\n");
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "mountd", true), 892);
	CU_ASSERT_EQUAL(port(&asking, CHECK_CLIENT, "lockd's callback", true), 4045);
	CU_ASSERT_EQUAL(port(&asking, CHECK_CLIENT, "statd", true), 40003);
	tree_write(&asking.tree, "proc/sys/fs/nfs/nlm_tcpport", "4046\n");
	CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "lockd", true), 4046);
	tree_write(&asking.tree, "sys/module/nfs/parameters/callback_tcpport", "5000\n");
	CU_ASSERT_EQUAL(port(&asking, CHECK_CLIENT, "NFSv4.0's callback", true), 5000);
	end(&asking);
}

static void invalid_numbers_are_not_ports(void)
{
	static const char *const strange[] = { "-1\n", "65536\n", "99999999999999999999\n",
					       "x\n",  "\n",      "12x\n" };
	struct asking asking;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(strange); i++) {
		char conf[64];
		SUITE_ROW("%zu: %s", i, strange[i]);

		begin(&asking);
		tree_write(&asking.tree, "proc/sys/fs/nfs/nlm_tcpport", strange[i]);
		snprintf(conf, sizeof(conf), "[lockd]\nport=%s", strange[i]);
		tree_write(&asking.tree, "etc/nfs.conf", conf);
		CU_ASSERT_EQUAL(port(&asking, CHECK_SERVER, "lockd", true), 0);
		end(&asking);
	}
}

static void the_port_of_the_listener_is_used(void)
{
	struct asking asking;

	begin(&asking);
	CU_ASSERT_EQUAL(channel_rdma_port(&asking.run), 20049);
	end(&asking);
	begin(&asking);
	tree_write(&asking.tree, "etc/nfs.conf", "[nfsd]\nrdma=y\nrdma-port=20051\n");
	CU_ASSERT_EQUAL(channel_rdma_port(&asking.run), 20051);
	end(&asking);
	begin(&asking);
	tree_write(&asking.tree, "etc/nfs.conf", "[nfsd]\nrdma=y\nrdma-port=20051\n");
	tree_write(&asking.tree, "proc/fs/nfsd/portlist", "tcp 2049\nrdma 20052\n");
	CU_ASSERT_EQUAL(channel_rdma_port(&asking.run), 20052);
	asking.target.has_port = true;
	asking.target.port = 20053;
	CU_ASSERT_EQUAL(channel_rdma_port(&asking.run), 20053);
	/* This one belongs to the other server. */
	asking.target.server = "192.0.2.1";
	CU_ASSERT_EQUAL(channel_rdma_port(&asking.run), 20052);
	end(&asking);
}

SUITE_MAIN("channels", TEST(unknown_ports_stay_unknown), TEST(configured_ports_come_first),
	   TEST(invalid_numbers_are_not_ports), TEST(the_port_of_the_listener_is_used))
