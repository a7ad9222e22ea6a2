/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether NFS over RDMA answers at the server: a connection by the connection manager, and NULL.
 * Nothing else tells: ss and rpcinfo do not show RDMA listeners. Where nothing listens at the usual
 * port, that of RHEL 6 is tried. */
#include "plugin/checks/internal.h"

#define RHEL6_PORT 2050

static int say(struct check_run *run, uint16_t port, const struct remote *remote)
{
	if (*remote->text)
		finding_text(&run->finding, "answer", "%s", remote->text);
	if (remote->answer == REMOTE_SILENT || remote->answer == REMOTE_UNREACHABLE)
		finding_number(&run->finding, CHECK_SILENT, port);
	switch (remote->answer) {
	case REMOTE_OPEN:
		check_note(run);
		return check_say(run, FINDING_PASS, "NFS answers over RDMA at port %u",
				 port);
	case REMOTE_REFUSED:
		return check_say(run, FINDING_FAIL,
				 "the server answers, and refuses RDMA at port %u", port);
	case REMOTE_NO_NFS:
		return check_say(run, FINDING_FAIL,
				 "port %u answers, and not as NFS over RDMA does", port);
	case REMOTE_SILENT:
		return check_say(
			run, FINDING_UNKNOWN,
			"no answer to RDMA at port %u: a firewall, or the host is off",
			port);
	case REMOTE_UNREACHABLE:
		return check_say(
			run, FINDING_UNKNOWN,
			"the fabric does not reach the server: its packets are lost, or it is off");
	default:
		return err_set(ENODATA, "this host cannot ask: %.200s",
			       *remote->text ? remote->text : "no reason was given");
	}
}

static int run_check(struct check_run *run)
{
	const struct check_target *target = run->target;
	struct remote remote, other;
	int rc;

	if (!target->naddresses)
		return check_skip(run, "fabric.address");
	/* A server here may be cut off from its clients without that. */
	if (check_failed(run, "firewall.rdma") && facts_filters(run)->client_is_cut_off)
		return check_skip(run, "firewall.rdma");
	rc = facts_listener(run, &remote);
	if (rc)
		return rc;
	if (remote.answer == REMOTE_REFUSED && !target->has_port &&
	    !remote_rdma(run, RHEL6_PORT, &other) && other.answer == REMOTE_OPEN)
		return check_say(
			run, FINDING_WARN,
			"NFS answers over RDMA at port %u, as of RHEL 6, and not at %u: mount with port=%u",
			RHEL6_PORT, target->port, RHEL6_PORT);
	return say(run, target->port, &remote);
}

const struct check check_fabric_listener = {
	.id = "fabric.listener",
	.roles = CHECK_CLIENT,
	.remote = true,
	.at_mount = CHECK_MOUNT_SERVER,
	.needs = { "client.device", "fabric.port", "fabric.route", "fabric.gid" },
	.run = run_check,
};
