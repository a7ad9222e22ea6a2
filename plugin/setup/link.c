/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Software RDMA links. The kernel forgets them at a reboot, so a unit of systemd makes each one again,
 * before network file systems are mounted. The unit adds nothing where the interface has an RDMA device
 * already; it asks by interface, because udev may rename devices (rdma-core's
 * 60-rdma-persistent-naming.rules). It has no default dependencies: with these it would wait for
 * basic.target, which may wait for a file system over RDMA. */
#include <stdio.h>

#include "plugin/setup/internal.h"

static const struct {
	const char *type, *module;
} link_types[] = { { "siw", "siw" }, { "rxe", "rdma_rxe" } };

const char *link_module(const char *type)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(link_types); i++)
		if (!strcmp(type, link_types[i].type))
			return link_types[i].module;
	return NULL;
}

bool link_is_plain(const char *netdev)
{
	return *netdev && strlen(netdev) < IFNAMSIZ &&
	       !netdev[strspn(netdev, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-")];
}

void link_unit_name(const char *netdev, char *buf, size_t cap)
{
	snprintf(buf, cap, LINK_UNIT "%s.service", netdev);
}

bool link_is_path(const char *path, bool wants)
{
	const char *prefix = wants ? PATH_WANTS LINK_UNIT : PATH_UNITS LINK_UNIT;
	size_t len = strlen(prefix), rest;
	char netdev[IFNAMSIZ];

	if (strncmp(path, prefix, len) != 0 || !text_ends_with(path, ".service"))
		return false;
	rest = strlen(path) - len;
	if (rest <= strlen(".service") || rest - strlen(".service") >= sizeof(netdev))
		return false;
	snprintf(netdev, sizeof(netdev), "%.*s", (int)(rest - strlen(".service")), path + len);
	return link_is_plain(netdev);
}

/* Of each character one or four. */
#define ESCAPED_MAX (4 * IFNAMSIZ)

char *link_unit(const struct setup_link *link, const char *command,
		const struct link_origin *origin)
{
	char unit[ESCAPED_MAX], pattern[ESCAPED_MAX], *out = NULL, *at;
	const char *c;

	/* As systemd-escape(1) has it in the name of a unit: "br\x2dex". */
	for (c = link->netdev, at = unit; *c; c++)
		at += sprintf(at, *c == '-' ? "\\x2d" : "%c", *c);
	/* As a regular expression that is the name. */
	for (c = link->netdev, at = pattern; *c; c++)
		at += sprintf(at, *c == '.' ? "[.]" : "%c", *c);
	if (asprintf(
		    &out,
		    "# Link: %s %s %s %s %u\n"
		    "[Unit]\n"
		    "Description=Software RDMA link (%s) on %s\n"
		    "DefaultDependencies=no\n"
		    "BindsTo=sys-subsystem-net-devices-%s.device\n"
		    "After=sys-subsystem-net-devices-%s.device systemd-modules-load.service\n"
		    "Wants=remote-fs-pre.target\n"
		    "Before=remote-fs-pre.target\n"
		    "\n"
		    "[Service]\n"
		    "Type=oneshot\n"
		    "RemainAfterExit=yes\n"
		    "ExecStart=/bin/sh -c '%s link show | grep -q \" netdev %s *$$\" || exec %s link add %s type %s netdev %s'\n"
		    "\n"
		    "[Install]\n"
		    "WantedBy=multi-user.target\n",
		    link->type, link->name, link->netdev, origin->added ? "added" : "found",
		    origin->folders, link->type, link->netdev, unit, unit, command, pattern,
		    command, link->name, link->type, link->netdev) < 0)
		return NULL;
	return out;
}

bool link_of_unit(const char *body, struct setup_link *out, struct link_origin *origin)
{
	char how[8];

	memset(out, 0, sizeof(*out));
	if (sscanf(body, "# Link: %7s %63s %15s %7s %1u", out->type, out->name, out->netdev, how,
		   &origin->folders) != 5 ||
	    !link_module(out->type) || !link_is_plain(out->netdev) ||
	    origin->folders > PLACE_MADE_MAX)
		return false;
	origin->added = !strcmp(how, "added");
	return true;
}

static bool link_has_port_on(const struct rdma_device *device, const char *netdev)
{
	unsigned int i;

	for (i = 0; i < device->nports; i++)
		if (!strcmp(device->ports[i].netdev, netdev))
			return true;
	return false;
}

const struct rdma_device *link_find(const struct rdma_devices *rdma, const struct setup_link *link)
{
	const char *module = link_module(link->type);
	unsigned int i;

	for (i = 0; module && i < rdma->count; i++)
		if (rdma->list[i].software && !strcmp(rdma->list[i].driver, module) &&
		    link_has_port_on(&rdma->list[i], link->netdev))
			return &rdma->list[i];
	return NULL;
}

void link_users(const struct setup_machine *machine, const char *name, char *why, size_t cap)
{
	unsigned int count = 0, pairs = 0, i;
	struct nfs_mounts mounts;
	struct host_nfsd nfsd;
	bool listener;
	int rc = host_nfs_mounts(machine->host, &mounts);

	/* A mount's connection is closed when it is idle, and opened again when the mount is
	 * used: so every mount over RDMA counts, whether it has a connection or not. */
	if (!rc) {
		for (i = 0; i < mounts.count; i++)
			count += view_is_rdma(mounts.list[i].proto);
		host_nfs_mounts_fini(&mounts);
		rc = host_nfsd(machine->host, &nfsd);
	}
	listener = !rc && host_nfsd_rdma_port(&nfsd);
	if (!rc)
		rc = machine->actions->link_users(name, &pairs);
	*why = '\0';
	if (rc)
		snprintf(why, cap, "whether something uses it is unknown (%.240s)", err_text());
	else if (count)
		snprintf(why, cap, "this host has %u NFS mount%s over RDMA", count,
			 count == 1 ? "" : "s");
	else if (listener)
		snprintf(why, cap, "the NFS server of this host listens for RDMA");
	else if (pairs)
		snprintf(why, cap, "it has %u queue pair%s in use", pairs, pairs == 1 ? "" : "s");
}
