/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A machine for setup: a folder, and a running system that is played. */
#ifndef TESTS_UNIT_SETUP_FAKES_H
#define TESTS_UNIT_SETUP_FAKES_H

#include <netinet/in.h>

#include "plugin/setup/internal.h"
#include "tests/unit/host-tree.h"

static struct {
	bool firewalld, trusted, service; /* runs; lets all in; lets 4791 in by a service */
	bool open[2];                     /* [permanent]: 4791/udp, or whichever is asked */
	unsigned int sets, loads, listens, restarts;
	struct setup_port last;
	char name[64];
	unsigned int adds, deletes, users; /* of links; queue pairs on them */
	struct setup_link link;
	int fail;    /* what the next action says */
	int systemd; /* what asking for a unit says */
} fake;

static int fake_route(const struct host *host, const struct transport_address *to,
		      struct host_route *out)
{
	(void)host, (void)to, (void)out;
	return err_set(ENETUNREACH, "no route");
}

static int fake_nftables(const struct host *host, struct host_text *json)
{
	(void)host, (void)json;
	return err_set(ENOENT, "no nft");
}

static int fake_firewalld(const struct host *host, const char *netdev, struct host_firewalld *out)
{
	(void)host, (void)netdev;
	memset(out, 0, sizeof(*out));
	out->running = fake.firewalld;
	strcpy(out->zone, "public");
	strcpy(out->target, fake.trusted ? "ACCEPT" : "default");
	if (fake.service || fake.open[false])
		out->ports[out->nports++] = (struct host_firewalld_port){ 4791, 4791, IPPROTO_UDP,
									  false };
	return 0;
}

static int fake_unit(const struct host *host, const char *unit, char *state, size_t cap)
{
	(void)host, (void)unit;
	snprintf(state, cap, "active");
	return fake.systemd ? err_set(-fake.systemd, "no systemd") : 0;
}

static int fake_addresses(const struct host *host, const char *netdev, struct host_addresses *out)
{
	(void)host, (void)netdev;
	memset(out, 0, sizeof(*out));
	strcpy(out->list[out->count++], "192.0.2.10");
	return 0;
}

static const struct live_ops fake_live = {
	.route = fake_route,
	.nftables = fake_nftables,
	.firewalld = fake_firewalld,
	.unit = fake_unit,
	.addresses = fake_addresses,
};

static int fake_result(void)
{
	int rc = fake.fail;

	fake.fail = 0;
	return rc ? err_set(-rc, "it does not want to") : 0;
}

static int fake_port_get(const struct setup_port *port, bool *open)
{
	*open = fake.open[port->permanent];
	return 0;
}

static int fake_port_set(const struct setup_port *port, bool open)
{
	int rc = fake_result();

	fake.sets++;
	fake.last = *port;
	if (!rc)
		fake.open[port->permanent] = open;
	return rc;
}

static int fake_load(const char *module)
{
	fake.loads++;
	strcpy(fake.name, module);
	return fake_result();
}

static int fake_listen(uint16_t port)
{
	fake.listens++;
	fake.last.port = port;
	return fake_result();
}

static int fake_restart(const char *unit)
{
	fake.restarts++;
	strcpy(fake.name, unit);
	return fake_result();
}

static int fake_link_add(const struct setup_link *link)
{
	fake.adds++;
	fake.link = *link;
	return fake_result();
}

static int fake_link_delete(const char *name)
{
	fake.deletes++;
	strcpy(fake.name, name);
	return fake_result();
}

static int fake_link_users(const char *name, unsigned int *count)
{
	(void)name;
	*count = fake.users;
	/* Asked twice by an undo: once before it takes the lock. */
	return fake.fail ? err_set(-fake.fail, "it does not want to") : 0;
}

static const struct setup_actions fake_actions = {
	.port_get = fake_port_get,
	.port_set = fake_port_set,
	.load = fake_load,
	.listen = fake_listen,
	.restart = fake_restart,
	.link_add = fake_link_add,
	.link_delete = fake_link_delete,
	.link_users = fake_link_users,
};

static struct tree tree;

/* Of tests/hosts. */
__attribute__((unused)) static struct setup_machine machine_of(const char *name)
{
	memset(&fake, 0, sizeof(fake));
	tree_machine(&tree, name);
	return (struct setup_machine){ tree.host, &fake_live, &fake_actions };
}

/* A folder with all that is in it. */
__attribute__((unused)) static int tree_remove_all(const struct tree *at, const char *path)
{
	char name[PATH_MAX];

	tree_path(at, path, name);
	return nftw(name, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
}

__attribute__((unused)) static bool tree_has(const char *path)
{
	char name[PATH_MAX];

	tree_path(&tree, path, name);
	return !access(name, F_OK);
}

/* Whether the file is this text; NULL: is not there. */
__attribute__((unused)) static bool tree_is(const char *path, const char *text)
{
	_cleanup_(host_text_fini) struct host_text got = { NULL, 0 };
	int rc = host_read(tree.host, path, HOST_FILE_MAX, &got);

	if (!text)
		return rc == -ENOENT;
	suite_saw("%d: %s", rc, rc ? err_text() : got.text);
	return !rc && !strcmp(got.text, text);
}

#endif
