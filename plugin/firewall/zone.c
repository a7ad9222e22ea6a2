/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A packet against a zone of firewalld, for users who may not list nftables' rules
 * (firewalld.zone(5)): the zone accepts what it lists, and its target applies to the rest.
 * Anything else that is set there is "more", and can decide either way. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/firewall/firewall.h"

/* Whether the zone accepts a packet that none of its rules covers. */
static bool zone_accepts(const struct host_firewalld *zone)
{
	return !strcmp(zone->target, "ACCEPT");
}

static const struct host_firewalld_port *zone_port(const struct host_firewalld *zone,
						   const struct firewall_packet *packet)
{
	uint16_t port = packet->destination.len ? transport_port(&packet->destination) : 0;
	const struct host_firewalld_port *p, *some = NULL;
	unsigned int i;

	for (i = 0; i < zone->nports; i++) {
		p = &zone->ports[i];
		if (p->protocol != packet->protocol || port < p->first || port > p->last)
			continue;
		if (!p->some)
			return p;
		some = p;
	}
	return some;
}

static enum firewall_answer zone_ask(const struct host_firewalld *zone,
				     const struct firewall_packet *packet, char *why, size_t cap)
{
	const struct host_firewalld_port *port = zone_port(zone, packet);
	const char *protocol = packet->protocol == IPPROTO_UDP ? "udp" : "tcp";

	if (zone->more[0]) {
		snprintf(why, cap, "zone %s has %s, which cannot be evaluated", zone->zone,
			 zone->more);
		return FIREWALL_UNKNOWN;
	}
	if (port && port->some && !zone_accepts(zone)) {
		snprintf(why, cap, "zone %s opens %u/%s to some addresses only", zone->zone,
			 transport_port(&packet->destination), protocol);
		return FIREWALL_UNKNOWN;
	}
	if (port && !port->some) {
		snprintf(why, cap, "zone %s opens %u/%s", zone->zone,
			 transport_port(&packet->destination), protocol);
		return FIREWALL_ACCEPT;
	}
	snprintf(why, cap, "zone %s, target %s, does not list it", zone->zone, zone->target);
	return zone_accepts(zone) ? FIREWALL_ACCEPT : FIREWALL_DROP;
}

void firewall_zone(const struct host_firewalld *zone, const struct firewall_packet *packet,
		   enum firewall_answer *answer, char *why, size_t cap)
{
	if (!zone->running) {
		*answer = FIREWALL_ACCEPT;
		snprintf(why, cap, "firewalld is not running");
	} else if (zone->panic) {
		*answer = FIREWALL_DROP;
		snprintf(why, cap, "firewalld is in panic mode");
	} else if (packet->established) {
		*answer = FIREWALL_ACCEPT;
		snprintf(why, cap, "firewalld accepts replies");
	} else if (packet->hook == FIREWALL_OUTPUT && zone->more[0]) {
		*answer = FIREWALL_UNKNOWN;
		snprintf(why, cap, "firewalld has %s, which cannot be evaluated", zone->more);
	} else if (packet->hook == FIREWALL_OUTPUT) {
		*answer = FIREWALL_ACCEPT;
		snprintf(why, cap, "no policy of firewalld restricts what leaves");
	} else {
		*answer = zone_ask(zone, packet, why, cap);
	}
}
