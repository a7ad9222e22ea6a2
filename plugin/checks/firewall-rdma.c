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

struct state {
	struct netfilter_tally tally;
	struct words roce, iwarp, infiniband, rxe, siw;
	enum finding_status status; /* the worse of both roles */
	const char *role;           /* the first whose packets do not all pass */
};

/* The answers for the paths of one role. */
struct count {
	unsigned int open, dropped, unknown;
};

/* A device is named once, however many ports and addresses it has. */
static void name_once(struct words *words, const struct way *way)
{
	const char *name = way->device->name;
	const char *found = strstr(words->text, name);

	if (!found || (found[strlen(name)] && found[strlen(name)] != ','))
		words_add(words, "%s", name);
}

/* The worse of two answers about packets that must all pass. */
static enum firewall_answer worse(enum firewall_answer a, enum firewall_answer b)
{
	if (a == FIREWALL_DROP || b == FIREWALL_DROP)
		return FIREWALL_DROP;
	return a == FIREWALL_UNKNOWN ? a : b;
}

static int ask(struct check_run *run, struct state *state, const struct way *way,
	       const struct firewall_packet *packet, enum firewall_answer *answer)
{
	enum firewall_answer one;
	int rc = netfilter_count(run, &state->tally, way->device->name, packet, &one);

	if (!rc)
		*answer = worse(*answer, one);
	return rc;
}

static int ask_rxe(struct check_run *run, struct state *state, const struct way *way,
		   enum firewall_answer *answer)
{
	struct firewall_packet packet;
	int rc = 0, in;

	/* Packets to this host itself do not leave the driver. */
	for (in = 1; in >= 0 && !rc && !way->local; in--) {
		way_packet(way, in, false, IPPROTO_UDP, ROCE_PORT, &packet);
		packet.dynamic_source = true;
		rc = ask(run, state, way, &packet, answer);
	}
	return rc;
}

/* The first packet of a connection, and the replies to it. */
static int ask_siw(struct check_run *run, struct state *state, const struct way *way,
		   enum check_role role, enum firewall_answer *answer)
{
	uint16_t port = role == CHECK_SERVER ? channel_rdma_port(run) : run->target->port;
	struct firewall_packet packet;
	int rc = 0, reply;

	for (reply = 0; reply <= 1 && !rc; reply++) {
		way_packet(way, role == CHECK_SERVER, reply, IPPROTO_TCP, port, &packet);
		rc = ask(run, state, way, &packet, answer);
	}
	return rc;
}

static int ask_way(struct check_run *run, struct state *state, const struct way *way,
		   enum check_role role, enum firewall_answer *answer)
{
	const struct rdma_device *device = way->device;

	*answer = FIREWALL_ACCEPT;
	if (!device->software) {
		name_once(device->kind == RDMA_ROCE    ? &state->roce
			  : device->kind == RDMA_IWARP ? &state->iwarp
						       : &state->infiniband,
			  way);
		return 0;
	}
	name_once(device->kind == RDMA_ROCE ? &state->rxe : &state->siw, way);
	if (!*way->netdev)
		return err_because(err_set(ENODATA,
					   "%s: its network interface is unknown",
					   device->name),
				   "no-interface");
	return device->kind == RDMA_ROCE ? ask_rxe(run, state, way, answer)
					 : ask_siw(run, state, way, role, answer);
}

/* One open path is enough if it is unknown which one is used; closed ones are a warning then. */
static enum finding_status status_of(const struct count *count)
{
	if (count->dropped && !count->open && !count->unknown)
		return FINDING_FAIL;
	if (count->unknown)
		return FINDING_UNKNOWN;
	return count->dropped ? FINDING_WARN : FINDING_PASS;
}

/* The paths of a role: to the server if its route is through an RDMA device. */
static int find_ways(struct check_run *run, enum check_role role, struct way_list *out)
{
	unsigned int i, kept = 0;

	out->count = 0;
	if (role == CHECK_CLIENT)
		ways_to_server(run, out);
	for (i = 0; i < out->count; i++)
		if (out->list[i].port)
			out->list[kept++] = out->list[i];
	out->count = kept;
	return kept ? 0 : ways_to_anybody(run, out);
}

static int look_as(struct check_run *run, struct state *state, struct way_list *ways,
		   enum check_role role)
{
	struct count count = { 0, 0, 0 };
	enum firewall_answer answer;
	unsigned int i;
	int rc = find_ways(run, role, ways);

	for (i = 0; i < ways->count && !rc; i++) {
		rc = ask_way(run, state, &ways->list[i], role, &answer);
		count.open += answer == FIREWALL_ACCEPT;
		count.dropped += answer == FIREWALL_DROP;
		count.unknown += answer == FIREWALL_UNKNOWN;
	}
	if (!rc)
		state->status = netfilter_worse(state->status, status_of(&count));
	if ((rc || status_of(&count) != FINDING_PASS) && !state->role)
		state->role = role == CHECK_CLIENT ? "client" : "server";
	if (!rc && role == CHECK_CLIENT && status_of(&count) == FINDING_FAIL)
		facts_filters(run)->client_is_cut_off = true;
	return rc;
}

/* What passes, and what must be open elsewhere. */
static int say_good(struct check_run *run, struct state *state)
{
	const char *some = state->tally.for_some ? " for some addresses" : "";
	const char *who =
		state->tally.by_zone
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
		words_add(
			&good,
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
		words_add(&good, "TCP port %u of %s passes%s%s", port,
			  words_text(&state->siw), some, who);
	if (!good.count)
		return check_skip(run, "fabric.port");
	if (state->roce.count || state->iwarp.count || *some || *who)
		check_note(run);
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

/* The rules are unknown: names the device for which that matters before the cause. */
static int explain(int rc, const struct state *state)
{
	const char *rxe = state->rxe.text, *siw = state->siw.text;

	return err_context(rc, "this host's firewall filters %s%s%s (software RDMA)", rxe,
			   *rxe && *siw ? " and " : "", siw);
}

/* If the rules are unknown, an answer of the server shows that they accept it. The clients of a
 * server cannot be asked. */
static bool is_answered(struct check_run *run)
{
	const struct check_target *target = run->target;
	const struct rdma_device *device;
	const struct rdma_port *port;
	struct remote remote;

	return target->roles == CHECK_CLIENT && target->naddresses &&
	       !facts_route_port(run, &device, &port) && !facts_listener(run, &remote) &&
	       remote.answer == REMOTE_OPEN;
}

static int ask_roles(struct check_run *run, struct state *state)
{
	_cleanup_free_ struct way_list *ways = malloc(sizeof(*ways));
	int rc = 0;

	if (!ways)
		return err_set(ENOMEM, "no memory");
	state->status = FINDING_PASS;
	if (run->target->roles & CHECK_CLIENT)
		rc = look_as(run, state, ways, CHECK_CLIENT);
	if (!rc && run->target->roles & CHECK_SERVER)
		rc = look_as(run, state, ways, CHECK_SERVER);
	if (rc && (state->rxe.count || state->siw.count))
		return explain(rc, state);
	return rc;
}

static int firewall_rdma_check_run(struct check_run *run)
{
	_cleanup_free_ struct state *state = calloc(1, sizeof(*state));
	char text[FINDING_SUMMARY_MAX];
	struct err_kept kept;
	int rc;

	if (!state)
		return err_set(ENOMEM, "no memory");
	rc = ask_roles(run, state);
	if (!rc && state->status == FINDING_PASS)
		return say_good(run, state);
	err_keep(&kept, rc);
	if ((rc || state->status == FINDING_UNKNOWN) && is_answered(run))
		return check_say(run, FINDING_PASS, "the server's answer passed");
	finding_text(&run->finding, "role", "%s", state->role);
	if (rc)
		return err_again(&kept);
	netfilter_explain(run, &state->tally);
	return check_say(run, state->status, "%s", netfilter_text(&state->tally, text));
}

const struct check check_firewall_rdma = {
	.id = "firewall.rdma",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device" },
	.run = firewall_rdma_check_run,
};
