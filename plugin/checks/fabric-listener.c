/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether NFS over RDMA answers at the server: a connection by the connection manager, and NULL.
 * Nothing else shows it: ss and rpcinfo do not list RDMA listeners. If nothing listens at the
 * usual port, that of RHEL 6 is tried. */
#include "plugin/checks/internal.h"

#define RHEL6_PORT 2050

static const struct {
	enum finding_status status;
	const char *reason;
	const char *text; /* before the port */
} answers[] = {
	[REMOTE_OPEN] = { FINDING_PASS, "", "NFS answers over RDMA on port" },
	[REMOTE_REFUSED] = { FINDING_FAIL, "refused",
			     "the server answers, and refuses RDMA on port" },
	[REMOTE_NO_NFS] = { FINDING_FAIL, "no-nfs",
			    "RDMA connects, but NFS does not answer, on port" },
	[REMOTE_SILENT] = { FINDING_UNKNOWN, "silent", "no answer over RDMA on port" },
	[REMOTE_UNREACHABLE] = { FINDING_UNKNOWN, "unreachable",
				 "the fabric does not reach the server on port" },
};

static bool fabric_listener_is_silent(const struct remote *remote)
{
	return remote->answer == REMOTE_SILENT || remote->answer == REMOTE_UNREACHABLE;
}

/* An iWARP listener is a TCP listener, which RoCE and InfiniBand do not have; so a refusal, or
 * silence, means something else over iWARP. And if another device is refused or gets no answer,
 * but TCP is accepted, the server has iWARP. */
static const char *fabric_listener_reason(struct check_run *run, uint16_t port,
					  const struct remote *remote)
{
	const struct rdma_device *device;
	const struct rdma_port *local;
	struct remote tcp;

	if (facts_route_port(run, &device, &local))
		return answers[remote->answer].reason;
	port_evidence(run, &(const struct port_at){ device, local });
	finding_text(&run->finding, "kind", "%s", port_kind_name(device));
	if (device->kind == RDMA_IWARP)
		return remote->answer == REMOTE_REFUSED    ? "refused-iwarp"
		       : fabric_listener_is_silent(remote) ? "silent-iwarp"
							   : answers[remote->answer].reason;
	if (remote->answer != REMOTE_NO_NFS && !remote_tcp(run, port, &tcp) &&
	    tcp.answer == REMOTE_OPEN)
		return "server-iwarp";
	return answers[remote->answer].reason;
}

int check_fabric_listener(struct check_run *run)
{
	const struct check_target *target = run->target;
	struct remote remote, other;
	int rc;

	if (!target->naddresses)
		return check_skip(run, "fabric.address");
	/* A server on this host may be cut off from its clients without that. */
	if (check_failed(run, "firewall.rdma") && facts_filters(run)->client_is_cut_off)
		return check_skip(run, "firewall.rdma");
	rc = facts_listener(run, &remote);
	if (rc)
		return rc;
	if (remote.answer == REMOTE_REFUSED && !target->has_port &&
	    !remote_rdma(run, RHEL6_PORT, &other) && other.answer == REMOTE_OPEN)
		return check_say_why(
			run, FINDING_WARN, "port-2050",
			"NFS answers over RDMA on port %u (the RHEL 6 default), not on %u",
			RHEL6_PORT, target->port);
	if (*remote.text)
		finding_text(&run->finding, "answer", "%s", remote.text);
	if (fabric_listener_is_silent(&remote))
		finding_number(&run->finding, CHECK_SILENT, target->port);
	if (remote.answer == REMOTE_UNASKED)
		return err_because(err_set(ENODATA, "this host could not ask: %.200s",
					   *remote.text ? remote.text : "no reason was given"),
				   "unasked");
	if (remote.answer == REMOTE_OPEN)
		check_note(run);
	else
		finding_reason(&run->finding, fabric_listener_reason(run, target->port, &remote));
	return check_say(run, answers[remote.answer].status, "%s %u", answers[remote.answer].text,
			 target->port);
}
