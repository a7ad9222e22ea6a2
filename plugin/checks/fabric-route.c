/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the route to the server leaves through an interface of an RDMA device, for each of its
 * addresses: the connection manager takes the device from the route. */
#include "plugin/checks/internal.h"

struct route_tally {
	struct words good, bad, none, local;
	const struct server_path *first_good, *first_bad, *first_none, *first_unknown;
	const char *reason; /* of first_bad */
};

static void route_add_bad(struct route_tally *routes, const struct server_path *path,
			  const char *reason)
{
	if (routes->first_bad)
		return;
	routes->first_bad = path;
	routes->reason = reason;
}

/* By an interface above a device's own; false: it is not, or the device serves it. */
static bool route_is_above(struct check_run *run, const struct server_path *path, const char *to,
			   struct route_tally *routes)
{
	const char *netdev = path->route.netdev;

	if (netdev_lacks_gid(&path->netdev, path->device)) {
		words_add(&routes->bad, "%s by %s, which lies on %s and has no GID", to, netdev,
			  path->netdev.rdma_lower);
		route_add_bad(routes, path, netdev_is_bridge(run, netdev) ? "bridge" : "upper");
		return true;
	}
	/* siw connects from there nevertheless. */
	if (path->device && path->device->kind == RDMA_ROCE &&
	    netdev_is_passed_by(run, netdev, path->device)) {
		words_add(&routes->bad, "%s by the bridge %s, whose packets rxe does not get", to,
			  netdev);
		route_add_bad(routes, path, "bridge-rxe");
		return true;
	}
	return false;
}

/* "192.0.2.1 by eth0" */
static void route_count(struct check_run *run, const struct server_path *path,
			struct route_tally *routes)
{
	char to[ADDRESS_NAME_MAX], name[PORT_NAME_MAX];

	words_address(path->to, to);
	if (path->rc == -ENETUNREACH) {
		words_add(&routes->none, "%s", to);
		routes->first_none = routes->first_none ? routes->first_none : path;
	} else if (path->rc) {
		routes->first_unknown = path;
	} else if (path->route.local) {
		words_add(&routes->local, "%s", to);
	} else if (route_is_above(run, path, to, routes)) {
		return;
	} else if (path->port) {
		words_add(&routes->good, "%s by %s", to, port_name(path->device, path->port, name));
		routes->first_good = routes->first_good ? routes->first_good : path;
	} else {
		words_add(&routes->bad, "%s by %s", to, path->route.netdev);
		route_add_bad(routes, path, container_reason(run, "not-rdma"));
	}
}

static void route_blame(struct check_run *run, const char *reason, const struct server_path *path)
{
	char to[ADDRESS_NAME_MAX];

	finding_reason(&run->finding, reason);
	finding_text(&run->finding, "address", "%s", words_address(path->to, to));
	if (path->route.netdev[0])
		finding_text(&run->finding, "interface", "%s", path->route.netdev);
	if (path->netdev.rdma_lower[0])
		finding_text(&run->finding, "lower", "%s", path->netdev.rdma_lower);
	if (path->device)
		finding_text(&run->finding, "device", "%s", path->device->name);
}

int check_fabric_route(struct check_run *run)
{
	struct route_tally routes = { .reason = NULL };
	const struct server_path *paths;
	unsigned int count, i;

	facts_paths(run, &paths, &count);
	if (!count)
		return check_skip(run, "fabric.address");
	for (i = 0; i < count; i++)
		route_count(run, &paths[i], &routes);
	if (routes.first_good && routes.first_bad) {
		route_blame(run, "partly", routes.first_good);
		return check_say(run, FINDING_WARN,
				 "not through an RDMA device: %s; through one: %s",
				 words_text(&routes.bad), words_text(&routes.good));
	}
	if (routes.first_good) {
		check_note(run);
		return check_say(run, FINDING_PASS, "%s", words_text(&routes.good));
	}
	if (routes.first_bad) {
		route_blame(run, routes.reason, routes.first_bad);
		return check_say(run, FINDING_FAIL, "not through an RDMA device: %s",
				 words_text(&routes.bad));
	}
	if (routes.first_none) {
		route_blame(run, "no-route", routes.first_none);
		return check_say(run, FINDING_FAIL, "there is no route to %s",
				 words_text(&routes.none));
	}
	if (routes.local.count)
		return check_say(run, FINDING_PASS, "%s is an address of this host",
				 words_text(&routes.local));
	return err_set(-routes.first_unknown->rc, "%s", routes.first_unknown->why);
}
