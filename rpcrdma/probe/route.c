/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Chooses the transport: the RDMA device of the route to the server, or software iWARP over TCP.
 * Runs after the worker dropped its privilege: the files that a transport opens belong to the
 * user who opened them. */
#include <stdio.h>

#include "rpcrdma/probe/internal.h"

/* Address resolution is either immediate or fails. */
#define ROUTE_MS 3000

/* Tries every address of the name in turn; the error is the first one's. */
static int route_find(struct probe *p, const struct transport_ops *routed,
		      struct transport_route *route)
{
	const struct transport_param param = {
		.bind = p->options->bind.len ? &p->options->bind : NULL,
		.device = p->options->device,
	};
	struct route *to = &p->route;
	struct err_kept first = { 0 };
	int rc;

	for (to->address = 0; to->address < to->naddresses; to->address++) {
		rc = routed->route(&to->addresses[to->address], &param, route,
				   deadline_min(p->deadline, deadline_in(ROUTE_MS)));
		if (!rc)
			return 0;
		if (!first.rc)
			err_keep(&first, rc);
	}
	to->address = 0;
	return err_again(&first);
}

static void route_say_unrouted(struct probe *p, const char *why)
{
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.route", FINDING_PASS, "%s: %s", p->route.via->title, why);
	finding_text(&f, "transport", "%s", p->route.via->name);
	probe_subject(p, "transport", "%s", p->route.via->name);
	probe_emit(p, &f);
}

static void route_say_none(struct probe *p, int rc)
{
	char address[TRANSPORT_ADDRESS_TEXT];
	_cleanup_(finding_fini) struct finding f = { 0 };

	finding_init(&f, "probe.route", FINDING_UNKNOWN, "%s", err_text());
	finding_reason(&f, err_reason());
	transport_host_text(&p->route.addresses[0], address, sizeof(address));
	finding_text(&f, "address", "%s", address);
	finding_text(&f, "error", "%s", strerrorname_np(-rc));
	probe_emit(p, &f);
}

bool route_choose(struct probe *p)
{
	const struct transport_ops *wanted = p->options->transport;
	const struct transport_ops *routed = wanted && wanted->route ? wanted
								     : transport_find("verbs");
	struct transport_route route = { 0 };
	_cleanup_(finding_fini) struct finding f = { 0 };
	int rc;

	p->route.via = wanted ? wanted : transport_find("iwarp");
	if (wanted && !wanted->route) {
		route_say_unrouted(p, "as requested");
		return true;
	}
	if (!wanted && p->route.pcap) {
		route_say_unrouted(p, "RDMA devices cannot be captured");
		return true;
	}
	rc = route_find(p, routed, &route);
	if (rc) {
		if (!wanted && !p->options->device) {
			route_say_unrouted(p, err_text());
			return true;
		}
		route_say_none(p, rc);
		return false;
	}
	p->route.via = routed;
	finding_init(&f, "probe.route", FINDING_PASS, "%s: the route uses %s", routed->name,
		     route.text);
	finding_text(&f, "transport", "%s", routed->name);
	finding_text(&f, "device", "%s", route.device);
	finding_number(&f, "port", route.port);
	probe_subject(p, "transport", "%s", routed->name);
	probe_emit(p, &f);
	return true;
}
