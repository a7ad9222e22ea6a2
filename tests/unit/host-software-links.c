/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* plugin/host/software-links.c: configuration that adds software RDMA links at boot. */
#include "tests/unit/host-tree.h"

static struct tree tree;

#define ADD    "rdma link add siw0 type siw netdev eth0\n"
#define UNITS  "etc/systemd/system/"
#define SCRIPT "usr/local/sbin/make-siw"

static void each_location_is_searched(void)
{
	static const struct {
		const char *path, *text;
		const char *script; /* the text of SCRIPT; NULL: no script */
		const char *want;   /* "": nothing */
	} rows[] = {
		{ NULL, NULL, NULL, "" },
		{ UNITS "siw.service", "[Service]\nExecStart=/usr/bin/" ADD, NULL,
		  UNITS "siw.service" },
		{ UNITS "siw.service", "[Service]\n#ExecStart=/usr/bin/" ADD, NULL, "" },
		{ UNITS "siw.service", "[Service]\nExecStart=-/" SCRIPT " eth0\n", ADD, SCRIPT },
		{ UNITS "siw.service", "[Service]\nExecStart=-/" SCRIPT " eth0\n", "ip link\n",
		  "" },
		{ UNITS "net.service.d/siw.conf", "[Service]\nExecStartPost=/sbin/" ADD, NULL,
		  UNITS "net.service.d/siw.conf" },
		/* ours, and not enabled */
		{ UNITS HOST_LINK_UNIT "eth0.service", "[Service]\nExecStart=" ADD, NULL, "" },
		{ "etc/rc.local", "#!/bin/sh\n\t/sbin/" ADD, NULL, "etc/rc.local" },
		{ "etc/rc.local", "#!/bin/sh\n# " ADD, NULL, "" },
		{ "etc/rc.d/rc.local", "bash /" SCRIPT "\n", "\n" ADD, SCRIPT },
		{ "etc/crontab", "@reboot root /" SCRIPT " >/dev/null 2>&1\n", ADD, SCRIPT },
		{ "var/spool/cron/crontabs/root", "@reboot " ADD, NULL,
		  "var/spool/cron/crontabs/root" },
		{ "etc/network/interfaces", "iface eth0 inet dhcp\n\tup " ADD, NULL,
		  "etc/network/interfaces" },
		{ "etc/NetworkManager/dispatcher.d/10-siw", ADD, NULL,
		  "etc/NetworkManager/dispatcher.d/10-siw" },
		{ "etc/networkd-dispatcher/routable.d/siw", ADD, NULL,
		  "etc/networkd-dispatcher/routable.d/siw" },
		{ "etc/modprobe.d/rxe.conf",
		  "install rdma_rxe modprobe -i rdma_rxe && rxe_cfg add eth0\n", NULL,
		  "etc/modprobe.d/rxe.conf" },
		{ "etc/udev/rules.d/90-siw.rules",
		  "ACTION==\"add\", SUBSYSTEM==\"net\", RUN+=\"/usr/sbin/" ADD, NULL,
		  "etc/udev/rules.d/90-siw.rules" },
		{ "etc/udev/rules.d/90-siw.rules", "SUBSYSTEM==\"net\", RUN+=\"/" SCRIPT " %k\"\n",
		  ADD, SCRIPT },
		{ "etc/cloud/cloud.cfg.d/99.cfg", "bootcmd:\n - " ADD, NULL,
		  "etc/cloud/cloud.cfg.d/99.cfg" },
		{ "etc/rdma/rxe.conf", "eth0\n", NULL, "etc/rdma/rxe.conf" },
		/* the module alone adds nothing */
		{ "etc/modules-load.d/siw.conf", "siw\n", NULL, "" },
		{ "etc/rc.local", "rdma link show\nip link set eth0 up\n", NULL, "" },
	};
	char file[128];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].path);
		tree_new(&tree);
		if (rows[i].path)
			tree_write(&tree, rows[i].path, rows[i].text);
		if (rows[i].script)
			tree_write(&tree, SCRIPT, rows[i].script);
		CU_ASSERT_EQUAL(host_software_links(tree.host, file, sizeof(file)), 0);
		CU_ASSERT_STRING_EQUAL(file, rows[i].want);
		tree_free(&tree);
	}
}

static void our_unit_counts_when_it_is_enabled(void)
{
	char file[128];

	tree_new(&tree);
	tree_write(&tree, UNITS HOST_LINK_UNIT "eth0.service", "ExecStart=" ADD);
	tree_link(&tree, UNITS "multi-user.target.wants/" HOST_LINK_UNIT "eth0.service",
		  "/" UNITS HOST_LINK_UNIT "eth0.service");
	CU_ASSERT_EQUAL(host_software_links(tree.host, file, sizeof(file)), 0);
	CU_ASSERT_STRING_EQUAL(file, UNITS HOST_LINK_UNIT "eth0.service");
	tree_free(&tree);
}

/* A FIFO, a program or a link to itself does not block. */
static void other_files_are_ignored(void)
{
	char file[128];

	tree_new(&tree);
	tree_fifo(&tree, "etc/rc.local");
	tree_bytes(&tree, "etc/init.d/program", "\0" ADD, sizeof(ADD));
	tree_link(&tree, UNITS "loop.service", "loop.service");
	tree_link(&tree, UNITS "masked.service", "/dev/null");
	CU_ASSERT_EQUAL(host_software_links(tree.host, file, sizeof(file)), 0);
	CU_ASSERT_STRING_EQUAL(file, "");
	tree_free(&tree);
}

static unsigned int told;
static char answer[128];

static void on_event(void *arg, const struct host_event *event)
{
	(void)arg;
	told += event->type == HOST_EVENT_TEXT || event->type == HOST_EVENT_NAMES;
	if (event->type == HOST_EVENT_ANSWER)
		snprintf(answer, sizeof(answer), "%s=%s", event->key,
			 event->value ? event->value : "");
}

/* Scripts hold passwords. */
static void watchers_get_the_answer_but_no_file_contents(void)
{
	char file[128];

	tree_new(&tree);
	tree_write(&tree, "etc/cloud/cloud.cfg.d/99.cfg", "password: x\n");
	tree_write(&tree, "etc/rc.local", ADD);
	host_watch(tree.host, on_event, NULL);
	told = 0;
	CU_ASSERT_EQUAL(host_software_links(tree.host, file, sizeof(file)), 0);
	CU_ASSERT_EQUAL(told, 0);
	CU_ASSERT_STRING_EQUAL(answer, "software links=etc/rc.local");
	host_watch(tree.host, NULL, NULL);
	tree_free(&tree);
}

SUITE_MAIN("host-software-links", TEST(each_location_is_searched),
	   TEST(our_unit_counts_when_it_is_enabled), TEST(other_files_are_ignored),
	   TEST(watchers_get_the_answer_but_no_file_contents))
