/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the packet filters of this host let RDMA pass. It depends on the driver first: what an
 * adapter sends and receives never enters the kernel's network, so no rule of this host applies
 * to it; rxe is a UDP socket of the kernel, and siw a TCP socket, whose packets pass netfilter.
 *
 * rxe sends to port 4791 from ports of its own, in both directions: what comes back is not a
 * reply to conntrack but the first packet of another flow, so a rule for established connections
 * does not accept it (rxe_net.c, rxe_qp_init_req()). */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

#define ROCE_PORT 4791

struct firewall_rdma {
	struct netfilter_tally tally;
	struct words roce, iwarp, infiniband, rxe, siw;
	enum finding_status status; /* the worse of both roles */
	const char *role;           /* the first whose packets do not all pass */
};

/* A device is named once, however many ports and addresses it has. */
static void firewall_rdma_name(struct words *words, const struct rdma_device *device)
{
	const char *found = strstr(words->text, device->name);

	if (!found || (found[strlen(device->name)] && found[strlen(device->name)] != ','))
		words_add(words, "%s", device->name);
}

static int firewall_rdma_ask(struct check_run *run, struct firewall_rdma *state,
			     const struct packet_path *path, enum check_role role,
			     enum firewall_answer *answer)
{
	const struct rdma_device *device = path->device;
	bool roce = device->kind == RDMA_ROCE, server = role == CHECK_SERVER;
	uint16_t port = ROCE_PORT;
	int rc, i;

	*answer = FIREWALL_ACCEPT;
	if (!device->software) {
		firewall_rdma_name(roce                         ? &state->roce
				   : device->kind == RDMA_IWARP ? &state->iwarp
								: &state->infiniband,
				   device);
		return 0;
	}
	firewall_rdma_name(roce ? &state->rxe : &state->siw, device);
	if (!*path->netdev)
		return err_because(
			err_set(ENODATA, "%s: its network interface is unknown", device->name),
			"no-interface");
	/* rxe's packets to this host itself do not leave the driver. */
	if (roce && path->local)
		return 0;
	if (!roce)
		port = server ? channel_rdma_port(run) : run->target->port;
	/* Of rxe those that arrive and those that leave; of siw the first packet of a connection,
	 * and the replies to it. */
	for (i = 0; i < 2; i++) {
		struct packet_kind kind = { .protocol = roce ? IPPROTO_UDP : IPPROTO_TCP,
					    .in = roce ? !i : server,
					    .reply = !roce && i };
		struct firewall_packet packet;
		enum firewall_answer one;

		packet_path_packet(path, kind, port, &packet);
		packet.dynamic_source = roce;
		rc = netfilter_count(run, &state->tally, device->name, &packet, &one);
		if (rc)
			return rc;
		/* The worse of them: all must pass. */
		if (one == FIREWALL_DROP || (one == FIREWALL_UNKNOWN && *answer == FIREWALL_ACCEPT))
			*answer = one;
	}
	return 0;
}

static int firewall_rdma_judge(struct check_run *run, struct firewall_rdma *state,
			       struct packet_path_list *paths, enum check_role role)
{
	unsigned int open = 0, dropped = 0, unknown = 0, kept = 0, i;
	enum finding_status status = FINDING_PASS;
	enum firewall_answer answer;
	int rc = 0;

	/* To the server if its route is through an RDMA device. */
	paths->count = 0;
	if (role == CHECK_CLIENT)
		packet_paths_to_server(run, paths);
	for (i = 0; i < paths->count; i++)
		if (paths->list[i].port)
			paths->list[kept++] = paths->list[i];
	paths->count = kept;
	if (!kept)
		rc = packet_paths_to_any(run, paths);
	for (i = 0; i < paths->count && !rc; i++) {
		rc = firewall_rdma_ask(run, state, &paths->list[i], role, &answer);
		open += answer == FIREWALL_ACCEPT;
		dropped += answer == FIREWALL_DROP;
		unknown += answer == FIREWALL_UNKNOWN;
	}
	/* One open path is enough if it is unknown which one is used; closed ones are a warning
	 * then. */
	if (dropped && !open && !unknown)
		status = FINDING_FAIL;
	else if (unknown)
		status = FINDING_UNKNOWN;
	else if (dropped)
		status = FINDING_WARN;
	if ((rc || status != FINDING_PASS) && !state->role)
		state->role = role == CHECK_CLIENT ? "client" : "server";
	if (rc)
		return rc;
	state->status = netfilter_worse(state->status, status);
	if (role == CHECK_CLIENT && status == FINDING_FAIL)
		facts_filters(run)->client_is_cut_off = true;
	return 0;
}

/* What passes, and what must be open elsewhere. */
static int firewall_rdma_say_good(struct check_run *run, struct firewall_rdma *state)
{
	const char *some = state->tally.for_some ? " for some addresses" : "";
	const char *who = state->tally.by_zone
				  ? ", by firewalld's settings (only root can list other rules)"
				  : "";
	struct words good = { .separator = "; " };
	uint16_t port = run->target->port;

	if (!(run->target->roles & CHECK_CLIENT))
		port = channel_rdma_port(run);
	if (state->roce.count)
		words_add(&good,
			  "no rule of this host applies to %s, a RoCE adapter; "
			  "UDP port %d must be open between the hosts",
			  words_text(&state->roce), ROCE_PORT);
	if (state->iwarp.count)
		words_add(&good,
			  "no rule of this host applies to %s, an iWARP adapter; TCP port "
			  "%u, or the one that iwpmd maps it to, must be open between the "
			  "hosts",
			  words_text(&state->iwarp), port);
	if (state->infiniband.count)
		words_add(&good, "InfiniBand (%s) passes no packet filter",
			  words_text(&state->infiniband));
	if (state->rxe.count)
		words_add(&good, "UDP port %d of %s passes in and out%s%s", ROCE_PORT,
			  words_text(&state->rxe), some, who);
	if (state->siw.count)
		words_add(&good, "TCP port %u of %s passes%s%s", port, words_text(&state->siw),
			  some, who);
	if (!good.count)
		return check_skip(run, "fabric.port");
	if (state->roce.count || state->iwarp.count || *some || *who)
		check_note(run);
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

/* If the rules are unknown, an answer of the server shows that they accept it. The clients of a
 * server cannot be asked. */
static bool firewall_rdma_is_answered(struct check_run *run)
{
	const struct check_target *target = run->target;
	const struct rdma_device *device;
	const struct rdma_port *port;
	struct remote remote;

	return target->roles == CHECK_CLIENT && target->naddresses &&
	       !facts_route_port(run, &device, &port) && !facts_listener(run, &remote) &&
	       remote.answer == REMOTE_OPEN;
}

int check_firewall_rdma(struct check_run *run)
{
	_cleanup_free_ struct packet_path_list *paths = malloc(sizeof(*paths));
	_cleanup_free_ struct firewall_rdma *state = calloc(1, sizeof(*state));
	char text[FINDING_SUMMARY_MAX];
	const char *rxe, *siw;
	struct err_kept kept;
	int rc = 0;

	if (!paths || !state)
		return err_no_memory();
	state->status = FINDING_PASS;
	if (run->target->roles & CHECK_CLIENT)
		rc = firewall_rdma_judge(run, state, paths, CHECK_CLIENT);
	if (!rc && run->target->roles & CHECK_SERVER)
		rc = firewall_rdma_judge(run, state, paths, CHECK_SERVER);
	if (!rc && state->status == FINDING_PASS)
		return firewall_rdma_say_good(run, state);
	/* The rules are unknown: names the device for which that matters before the cause. */
	rxe = state->rxe.text;
	siw = state->siw.text;
	if (rc && (*rxe || *siw))
		rc = err_context(rc, "this host's firewall filters %s%s%s (software RDMA)", rxe,
				 *rxe && *siw ? " and " : "", siw);
	err_keep(&kept, rc);
	if ((rc || state->status == FINDING_UNKNOWN) && firewall_rdma_is_answered(run))
		return check_say(run, FINDING_PASS, "the server's answer passed");
	finding_text(&run->finding, "role", "%s", state->role);
	if (rc)
		return err_again(&kept);
	netfilter_explain(run, &state->tally);
	return check_say(run, state->status, "%s", netfilter_text(&state->tally, text));
}
