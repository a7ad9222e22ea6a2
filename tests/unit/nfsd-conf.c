/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What nfs.conf means for RDMA, for each version of its reader. The rows are what rpc.nfsd of
 * nfs-utils 2.6.2 wrote to portlist, with and without a service nfsrdma. */
#include "plugin/checks/internal.h"
#include "suite.h"

static const unsigned int debian12[3] = { 2, 6, 2 }, sles15[3] = { 2, 1, 1 };
static const unsigned int unknown[3] = { 0, 0, 0 };

static unsigned int no_service(const void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 0;
}

static unsigned int has_nfsrdma(const void *arg, const char *name)
{
	(void)arg;
	return strcmp(name, "nfsrdma") ? 0 : 20049;
}

struct row {
	const char *rdma, *rdma_port;
	enum nfsd_conf_state state;
	unsigned int port;
	const char *reason;
};

static void judge(const struct row *row, const unsigned int version[3], bool nfsdctl, bool service)
{
	struct nfsd_conf_input in = { .rdma = row->rdma,
				      .rdma_port = row->rdma_port,
				      .nfsdctl = nfsdctl,
				      .service = service ? has_nfsrdma : no_service };
	struct nfsd_conf out;

	memcpy(in.version, version, sizeof(in.version));
	nfsd_conf_judge(&in, &out);
	CU_ASSERT_EQUAL(out.state, row->state);
	CU_ASSERT_EQUAL(out.port, row->port);
	CU_ASSERT_STRING_EQUAL(out.reason, row->reason);
	CU_ASSERT_EQUAL(!out.why[0], out.state == NFSD_CONF_ON);
}

static void rpc_nfsd_without_the_service_needs_a_port(void)
{
	static const struct row rows[] = {
		{ NULL, NULL, NFSD_CONF_OFF, 0, "not-set" },
		{ "y", NULL, NFSD_CONF_BROKEN, 0, "no-port" },
		{ "y", "20049", NFSD_CONF_ON, 20049, "" },
		{ "20049", NULL, NFSD_CONF_ON, 20049, "" },
		{ "n", NULL, NFSD_CONF_OFF, 0, "switched-off" },
		{ "n", "20049", NFSD_CONF_OFF, 0, "switched-off" },
		{ NULL, "20049", NFSD_CONF_BROKEN, 0, "port-alone" },
		{ "nfsrdma", NULL, NFSD_CONF_BROKEN, 0, "bad-value" },
		{ "y", "0", NFSD_CONF_BROKEN, 0, "bad-port" },
		{ "y", "65536", NFSD_CONF_BROKEN, 0, "bad-port" },
		{ "y", "-1", NFSD_CONF_BROKEN, 0, "bad-port" },
		{ "y", "20049x", NFSD_CONF_BROKEN, 0, "bad-port" },
		{ "y", "99999999999999999999", NFSD_CONF_BROKEN, 0, "bad-port" },
		{ "yes please", NULL, NFSD_CONF_BROKEN, 0, "bad-value" },
		{ "1", "20050", NFSD_CONF_ON, 20050, "" },
		{ "On", "20049", NFSD_CONF_ON, 20049, "" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: rdma=%s rdma-port=%s", i, rows[i].rdma, rows[i].rdma_port);
		judge(&rows[i], debian12, false, false);
		judge(&rows[i], unknown, false, false);
	}
}

static void with_the_service_yes_is_enough(void)
{
	static const struct row rows[] = {
		{ "y", NULL, NFSD_CONF_ON, 20049, "" },
		{ "y", "nfsrdma", NFSD_CONF_ON, 20049, "" },
		{ "nfsrdma", NULL, NFSD_CONF_ON, 20049, "" },
		{ "nfs-rdma", NULL, NFSD_CONF_BROKEN, 0, "bad-value" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: rdma=%s rdma-port=%s", i, rows[i].rdma, rows[i].rdma_port);
		judge(&rows[i], debian12, false, true);
	}
}

static void nfsdctl_knows_the_switch_only(void)
{
	static const struct row rows[] = {
		{ "y", "20049", NFSD_CONF_ON, 20049, "" },
		{ "y", NULL, NFSD_CONF_ON, 20049, "" },
		{ "20049", NULL, NFSD_CONF_BROKEN, 0, "nfsdctl-number" },
		{ "nfsrdma", NULL, NFSD_CONF_BROKEN, 0, "nfsdctl-number" },
		{ "n", NULL, NFSD_CONF_OFF, 0, "switched-off" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: rdma=%s rdma-port=%s", i, rows[i].rdma, rows[i].rdma_port);
		judge(&rows[i], unknown, true, true);
	}
	judge(&(struct row){ "y", NULL, NFSD_CONF_BROKEN, 0, "no-port" }, unknown, true, false);
}

static void before_2_4_2_rdma_is_the_port(void)
{
	static const struct row rows[] = {
		{ "y", "20049", NFSD_CONF_BROKEN, 0, "old-nfs-utils" },
		{ "y", NULL, NFSD_CONF_BROKEN, 0, "old-nfs-utils" },
		{ "20049", NULL, NFSD_CONF_ON, 20049, "" },
		{ "nfsrdma", NULL, NFSD_CONF_ON, 20049, "" },
		{ "n", NULL, NFSD_CONF_OFF, 0, "switched-off" },
		{ NULL, NULL, NFSD_CONF_OFF, 0, "not-set" },
	};
	static const unsigned int last[3] = { 2, 4, 1 }, first[3] = { 2, 4, 2 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: rdma=%s rdma-port=%s", i, rows[i].rdma, rows[i].rdma_port);
		judge(&rows[i], sles15, false, true);
	}
	judge(&(struct row){ "y", "20049", NFSD_CONF_BROKEN, 0, "old-nfs-utils" }, last, false,
	      true);
	judge(&(struct row){ "y", "20049", NFSD_CONF_ON, 20049, "" }, first, false, true);
}

static void long_values_are_cut(void)
{
	char text[2000];
	struct nfsd_conf_input in = { .rdma = text };
	struct nfsd_conf out;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	nfsd_conf_judge(&in, &out);
	CU_ASSERT_EQUAL(out.state, NFSD_CONF_BROKEN);
	ASSERT_LESS(strlen(out.why), sizeof(out.why) - 1);
}

static void package_versions_are_parsed(void)
{
	static const struct {
		const char *text;
		unsigned int version[3];
	} rows[] = {
		{ "1:2.6.2-4+deb12u1", { 2, 6, 2 } },
		{ "2.1.1-150500.22.3.1", { 2, 1, 1 } },
		{ "1:2.8-1", { 2, 8, 0 } },
		{ "1:2.5.4-27.el9", { 2, 5, 4 } },
		/* It has the behaviour of 2.4.2. */
		{ "1:2.3.3-59.el8", { 0, 3, 3 } },
		{ "", { 0, 0, 0 } },
		{ "unstable", { 0, 0, 0 } },
		{ "9", { 0, 0, 0 } },
	};
	unsigned int version[3];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text);
		nfsd_conf_version(rows[i].text, version);
		ASSERT_BYTES(version, rows[i].version, sizeof(version));
	}
}

static void ports_are_printed_once(void)
{
	static const struct host_nfsd nfsd = {
		.nlisteners = 5,
		.listeners = { { "rdma", 20049 },
			       { "rdma", 20049 },
			       { "tcp", 2049 },
			       { "rdma", 20050 },
			       { "tcp", 2049 } },
	};
	struct nfsd_ports ports;

	nfsd_ports(&nfsd, &ports);
	CU_ASSERT_EQUAL_FATAL(ports.count, 2);
	CU_ASSERT_EQUAL(ports.list[0], 20049);
	CU_ASSERT_EQUAL(ports.list[1], 20050);
	CU_ASSERT(nfsd_has_port(&ports, 20050));
	CU_ASSERT_FALSE(nfsd_has_port(&ports, 2049));
}

SUITE_MAIN("nfsd-conf", TEST(rpc_nfsd_without_the_service_needs_a_port),
	   TEST(with_the_service_yes_is_enough), TEST(nfsdctl_knows_the_switch_only),
	   TEST(before_2_4_2_rdma_is_the_port), TEST(long_values_are_cut),
	   TEST(package_versions_are_parsed), TEST(ports_are_printed_once))
