/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A software RDMA link on an interface: made now, and by a unit of systemd at each boot. A link
 * that is there already, made by hand, only gets the unit. What keeps this host or this interface
 * from having one is an error, and nothing else is planned. */
#include <stdio.h>

#include "plugin/report/words.h"
#include "plugin/setup/internal.h"

#define ARPHRD_ETHERNET 1
#define ARPHRD_LO       772

/* The first of them that is there. */
static const char *software_first_path(const struct host *host, const char *const *paths)
{
	for (; *paths; paths++)
		if (!host_exists(host, *paths))
			return *paths;
	return NULL;
}

static const char *software_rdma_command(const struct host *host)
{
	static const char *const paths[] = { "usr/sbin/rdma", "sbin/rdma", "usr/bin/rdma",
					     "bin/rdma", NULL };

	return software_first_path(host, paths);
}

static int software_no_interface(const struct host *host, const char *name)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	const char *best = NULL;
	struct near near;
	size_t i;

	near_init(&near, name);
	if (!host_list(host, "sys/class/net", &list)) {
		for (i = 0; i < list.count; i++)
			near_try(&near, list.names[i]);
		best = near_found(&near);
	}
	return err_set(EINVAL, "no interface '%.32s' on this host%s%s%s", name,
		       best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static int software_check_interface(struct planner *planner, const struct setup_link *link)
{
	const struct host *host = planner->machine->host;
	const struct rdma_device *device = link_find(planner->rdma, link);
	struct host_netdev netdev;
	int rc = host_netdev(host, link->netdev, planner->rdma, &netdev);

	if (rc == -ENOENT)
		return software_no_interface(host, link->netdev);
	if (rc)
		return rc;
	if (netdev.type == ARPHRD_LO)
		return err_set(EINVAL,
			       "'%s' is the loopback interface; expected one that leads "
			       "to the other host",
			       netdev.name);
	if (netdev.type != ARPHRD_ETHERNET)
		return err_set(EINVAL, "'%s' is not an Ethernet interface", netdev.name);
	if (!device && netdev.rdma_device[0] && !netdev.rdma_lower[0])
		return err_set(EINVAL, "'%s' already has the RDMA device %s", netdev.name,
			       netdev.rdma_device);
	return 0;
}

/* The error says what to do without the module. Debian 12 has rdma_rxe and not siw, and its kernels
 * for clouds have neither. */
static int software_no_module(const struct planner *planner, const char *name)
{
	const char *type = strcmp(name, "siw") ? "siw" : "rxe", *release = planner->system.release,
		   *cloud = strstr(release, "-cloud-");
	struct host_module module;
	char other[160];

	if (!host_module(planner->machine->host, link_module(type), &module) &&
	    module.state != MODULE_MISSING)
		snprintf(other, sizeof(other), "it has %s: --software %s, on the other host too",
			 link_module(type), type);
	else if (planner->system.distro == DISTRO_DEBIAN && cloud)
		snprintf(other, sizeof(other), "boot linux-image-%.40s, which has rdma_rxe",
			 cloud + strlen("-cloud-"));
	else if (planner->system.distro == DISTRO_UBUNTU)
		snprintf(other, sizeof(other), "install linux-modules-extra-%.60s", release);
	else
		snprintf(other, sizeof(other), "install the kernel's additional modules");
	return err_set(EOPNOTSUPP, "the kernel %s has no module %s; %s", release, name, other);
}

static int software_check_host(const struct planner *planner, const struct setup_link *link)
{
	static const char *const systemd[] = { "usr/lib/systemd/systemd", "lib/systemd/systemd",
					       NULL };
	const struct host *host = planner->machine->host;
	const char *name = link_module(link->type);
	struct host_module module;
	int rc;

	if (!software_rdma_command(host))
		return err_set(EOPNOTSUPP, "no command rdma on this host: install %s",
			       planner->system.distro == DISTRO_RHEL ? "iproute" : "iproute2");
	if (!software_first_path(host, systemd))
		return err_set(EOPNOTSUPP,
			       "no systemd on this host, so no unit can make the link at "
			       "boot");
	rc = host_module(host, name, &module);
	/* What is not known, of an image for instance, remedy-modules.c says. */
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	if (module.state == MODULE_MISSING)
		return software_no_module(planner, name);
	if (module.state == MODULE_LOADED || module.state == MODULE_BUILTIN)
		return 0;
	if (module.disabled)
		return err_set(EOPNOTSUPP,
			       "/%s forbids loading %s: remove the line, then try again",
			       module.disabled_by, name);
	if (module.problem[0])
		return err_set(EOPNOTSUPP, "the file of module %s is bad: %s", name,
			       module.problem);
	return 0;
}

/* The name is the one that the link has already, or else TYPE_INTERFACE. */
static struct setup_link software_link(const struct planner *planner)
{
	const struct setup_request *request = planner->request;
	const struct rdma_device *device;
	struct setup_link link;

	memset(&link, 0, sizeof(link));
	text_copy(link.type, sizeof(link.type), request->software);
	text_copy(link.netdev, sizeof(link.netdev), request->netdev);
	device = link_find(planner->rdma, &link);
	if (device &&
	    !device->name[strspn(device->name, "abcdefghijklmnopqrstuvwxyz"
					       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")])
		text_copy(link.name, sizeof(link.name), device->name);
	else
		snprintf(link.name, sizeof(link.name), "%.7s_%.15s", link.type, link.netdev);
	return link;
}

/* For the remedies that follow: the firewall's asks which devices there are. */
static void software_add_device(struct planner *planner, const struct setup_link *link)
{
	struct rdma_devices *rdma = planner->rdma;
	struct rdma_device *device;

	if (link_find(rdma, link) || rdma->count == RDMA_DEVICES_MAX)
		return;
	device = &rdma->list[rdma->count++];
	memset(device, 0, sizeof(*device));
	text_copy(device->name, sizeof(device->name), link->name);
	text_copy(device->driver, sizeof(device->driver), link_module(link->type));
	device->kind = strcmp(link->type, "rxe") ? RDMA_IWARP : RDMA_ROCE;
	device->software = true;
	device->nports = 1;
	device->ports[0].number = 1;
	device->ports[0].layer = LINK_ETHERNET;
	text_copy(device->ports[0].netdev, IFNAMSIZ, link->netdev);
}

int software_check(struct planner *planner)
{
	const struct setup_request *request = planner->request;
	struct setup_link link;
	int rc;

	if (!link_is_plain(request->netdev))
		return err_set(EINVAL,
			       "'%.32s' has a character that a unit of systemd cannot "
			       "have in its name, or is no name of an interface",
			       request->netdev);
	link = software_link(planner);
	planner->link = link;
	planner->has_link = link_find(planner->rdma, &link);
	/* An image has no interfaces to look at. */
	rc = host_exists(planner->machine->host, "sys/class") == -ENOENT
		     ? 0
		     : software_check_interface(planner, &link);
	if (!rc)
		rc = software_check_host(planner, &link);
	if (!rc)
		software_add_device(planner, &link);
	return rc;
}

/* The unit, and the link that enables it. */
static int software_plan_unit(struct planner *planner, struct setup_link link)
{
	const struct host *host = planner->machine->host;
	char command[64], name[64], path[SETUP_PATH_MAX], enables[SETUP_PATH_MAX],
		target[SETUP_PATH_MAX], makes[64];
	_cleanup_free_ char *now = NULL, *unit = NULL, *enabled = NULL;
	struct link_origin origin = { .added = !planner->has_link }, earlier;
	struct made_dirs missing;
	struct setup_link was;
	struct setup_step *step;
	unsigned int folders;
	const char *body;
	enum own own;
	int rc;

	snprintf(command, sizeof(command), "/%.48s", software_rdma_command(host));
	link_unit_name(link.netdev, name, sizeof(name));
	snprintf(path, sizeof(path), PATH_UNITS "%s", name);
	snprintf(enables, sizeof(enables), PATH_WANTS "%s", name);
	snprintf(target, sizeof(target), "/" PATH_UNITS "%s", name);
	rc = place_read(host, path, &now);
	if (rc)
		return rc;
	/* An earlier setup made it, for the same link, which udev may have renamed since. */
	own = own_read(now, &body, &folders);
	if (own == OWN_OURS && link_of_unit(body, &was, &earlier) && !strcmp(was.type, link.type)) {
		link = was;
		origin = (struct link_origin){ origin.added || earlier.added, earlier.folders };
	} else {
		rc = place_missing(host, enables, &missing);
		if (rc)
			return rc;
		origin.folders = missing.count;
	}
	unit = link_unit(&link, command, &origin);
	if (!unit)
		return err_no_memory();
	/* A unit of others, or of 0.2, that makes such a link is as good. */
	snprintf(makes, sizeof(makes), " type %s netdev %s'", link.type, link.netdev);
	if (own == OWN_NONE || own == OWN_OURS || !strstr(now, makes))
		rc = plan_file(planner, path, unit, true,
			       "the kernel forgets the RDMA link on %s at a reboot", link.netdev);
	if (!rc)
		rc = place_read_link(host, enables, &enabled);
	if (rc || enabled)
		return rc < 0 ? rc : 0;
	step = plan_step(planner, SETUP_SYMLINK, "the unit does not start at boot");
	if (!step)
		return -ENOSPC;
	str_copy(step->path, sizeof(step->path), enables);
	text_copy(step->name, sizeof(step->name), name);
	step->after = strdup(target);
	return step->after ? 0 : err_no_memory();
}

/* The link comes before its unit: what could not be made has none, and an undo deletes what a unit
 * says. */
static int software_plan(struct planner *planner)
{
	const struct setup_link *link = &planner->link;
	struct setup_step *step;
	char why[96];
	int rc;

	if (!planner->request->software)
		return 0;
	snprintf(why, sizeof(why), "software RDMA (%s) is asked for", link->type);
	rc = modules_require(planner, link_module(link->type), why);
	if (!rc && !planner->has_link && planner->machine->actions) {
		step = plan_step(planner, SETUP_LINK, "%s has no RDMA link", link->netdev);
		if (!step)
			return -ENOSPC;
		step->link = *link;
	}
	return rc ? rc : software_plan_unit(planner, *link);
}

const struct remedy remedy_software = {
	.name = "software link",
	.roles = CHECK_BOTH,
	.plan = software_plan,
};
