/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the route to the server leaves through an interface of an RDMA device, for each of its
 * addresses: the connection manager takes the device from the route. */
#include "plugin/checks/internal.h"

struct routes {
	struct words good, bad, none, local;
	int rc;
	const char *why; /* of one that could not be found out */
};

/* "192.0.2.1 by eth0" */
static void look_at(struct check_run *run, const struct path *path, struct routes *routes)
{
	char to[ADDRESS_NAME_MAX], name[PORT_NAME_MAX];

	words_address(path->to, to);
	if (path->rc == -ENETUNREACH) {
		words_add(&routes->none, "%s", to);
	} else if (path->rc) {
		routes->rc = path->rc;
		routes->why = path->why;
	} else if (path->route.local) {
		words_add(&routes->local, "%s", to);
	} else if (netdev_lacks_gid(&path->netdev, path->device)) {
		words_add(&routes->bad,
			  "%s by %s, which lies on %s and has no GID of its own", to,
			  path->route.netdev, path->netdev.rdma_lower);
	} else if (path->device && path->device->kind == RDMA_ROCE &&
		   netdev_is_passed_by(run, path->route.netdev, path->device)) {
		/* siw connects from there all the same. */
		words_add(&routes->bad,
			  "%s by the bridge %s, whose packets rxe does not get", to,
			  path->route.netdev);
	} else if (path->port) {
		words_add(&routes->good, "%s by %s", to,
			  port_name(path->device, path->port, name));
	} else {
		words_add(&routes->bad, "%s by %s", to, path->route.netdev);
	}
}

static int run_check(struct check_run *run)
{
	struct routes routes = { .rc = 0 };
	const struct path *paths;
	unsigned int count, i;

	facts_paths(run, &paths, &count);
	if (!count)
		return check_skip(run, "fabric.address");
	for (i = 0; i < count; i++)
		look_at(run, &paths[i], &routes);
	if (routes.good.count && routes.bad.count)
		return check_say(run, FINDING_WARN, "%s; but not of an RDMA device: %s",
				 words_text(&routes.good), words_text(&routes.bad));
	if (routes.good.count) {
		check_note(run);
		return check_say(run, FINDING_PASS, "%s", words_text(&routes.good));
	}
	if (routes.bad.count)
		return check_say(run, FINDING_FAIL, "not through an RDMA device: %s",
				 words_text(&routes.bad));
	if (routes.none.count)
		return check_say(run, FINDING_FAIL, "there is no route to %s",
				 words_text(&routes.none));
	if (routes.local.count)
		return check_say(run, FINDING_PASS, "%s is an address of this host",
				 words_text(&routes.local));
	return err_set(-routes.rc, "%s", routes.why);
}

const struct check check_fabric_route = {
	.id = "fabric.route",
	.roles = CHECK_CLIENT,
	.remote = true,
	.at_mount = CHECK_MOUNT_PATH,
	.needs = { "client.device" },
	.run = run_check,
};
