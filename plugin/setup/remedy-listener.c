/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A server that runs and does not listen for RDMA. rpc.nfsd gives listeners only to a server that
 * has none, so a changed nfs.conf takes a restart, which all clients notice; or the listener is
 * added by hand (/proc/fs/nfsd/portlist), which none does. The server is restarted only on request.
 *
 * No order of services needs a fix: a listener of nfsd's is for any address, and the
 * connection manager extends such to devices that come later (cma_add_one() in
 * drivers/infiniband/core/cma.c). */
#include "plugin/setup/internal.h"

#define UNIT "nfs-server.service"

static bool listener_is_present(struct planner *planner, const struct host_nfsd *nfsd)
{
	unsigned int i;
	bool found = false;

	for (i = 0; i < nfsd->nlisteners; i++) {
		if (strcmp(nfsd->listeners[i].proto, "rdma") != 0)
			continue;
		found |= nfsd->listeners[i].port == planner->port;
		if (nfsd->listeners[i].port != planner->port)
			plan_note(
				planner, false,
				"The server also listens for RDMA on port %u until it is restarted",
				nfsd->listeners[i].port);
	}
	return found;
}

bool listener_is_taken(struct planner *planner)
{
	bool there;

	if (!planner->machine->actions ||
	    listener_check(planner->machine->host, planner->port, &there) != -EADDRINUSE)
		return false;
	plan_note(
		planner, true,
		"RDMA is not enabled in the NFS server: %.300s. Some kernels crash when the listener cannot be opened: free the port, or choose another with --port",
		err_text());
	return true;
}

static int listener_add(struct planner *planner)
{
	struct setup_step *step;

	plan_note(
		planner, false,
		"Whether another program that uses RDMA (Ganesha, nfsrdma serve) has port %u is unknown: rdma resource show cm_id. Some kernels crash when the server is given a port in use",
		planner->port);
	step = plan_step(planner, SETUP_LISTENER,
			 "the running server does not listen for RDMA on port %u", planner->port);
	if (!step)
		return -ENOSPC;
	step->port.port = planner->port;
	return 0;
}

static int listener_plan_restart(struct planner *planner)
{
	const struct host *host = planner->machine->host;
	struct host_list clients = { NULL, 0, false };
	struct setup_step *step;
	char state[32];
	int rc = planner->machine->live->unit(host, UNIT, state, sizeof(state));

	if (rc == -EHOSTDOWN || rc == -ENOENT) {
		plan_note(
			planner, false,
			"No service is restarted, because %s: a listener is added to the running server instead",
			rc == -ENOENT ? "there is no " UNIT : "systemd does not run here");
		return listener_add(planner);
	}
	step = plan_step(planner, SETUP_RESTART,
			 "the running server does not listen for RDMA on port %u", planner->port);
	if (!step)
		return -ENOSPC;
	str_copy(step->name, sizeof(step->name), UNIT);
	/* Those of NFSv4: others have no state that the kernel shows. */
	if (host_list(host, "proc/fs/nfsd/clients", &clients))
		return 0;
	if (clients.count)
		plan_note(
			planner, false,
			"%zu NFSv4 client%s connected; the restart delays them by up to 90 seconds",
			clients.count, clients.count == 1 ? " is" : "s are");
	host_list_fini(&clients);
	return 0;
}

static int listener_plan(struct planner *planner)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };
	struct host_nfsd nfsd;
	bool there;
	int rc;

	/* A listener that no client reaches: that is left to the administrator. A link that this plan
	 * adds is not seen yet. */
	if ((!planner->request->software || planner->has_link) &&
	    !plan_check(planner, "server.address", &finding) && finding.status == FINDING_FAIL)
		plan_note(planner, true, "%.560s: nfsrdma explain server.address", finding.summary);
	if (!planner->machine->actions || planner->left_alone)
		return 0;
	rc = host_nfsd(planner->machine->host, &nfsd);
	if (rc == -EACCES || rc == -EPERM) {
		planner->plan->unknown = true;
		plan_note(planner, false, "Only root can see whether the server listens for RDMA");
		return 0;
	}
	if (rc)
		return rc;
	if (!nfsd.threads && !nfsd.nlisteners) {
		plan_note(planner, true,
			  "The NFS server is not running: systemctl enable --now " UNIT);
		return 0;
	}
	if (listener_is_present(planner, &nfsd) || modules_no_server(planner) ||
	    listener_is_taken(planner))
		return 0;
	/* If it may be in use, it is left alone. */
	rc = listener_check(planner->machine->host, planner->port, &there);
	if (rc)
		return rc;
	return planner->request->restart ? listener_plan_restart(planner) : listener_add(planner);
}

const struct remedy remedy_listener = {
	.name = "listener",
	.roles = CHECK_SERVER,
	.plan = listener_plan,
};
