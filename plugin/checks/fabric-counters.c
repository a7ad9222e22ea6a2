/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Errors that ports count, relative to time and traffic. One look cannot tell whether a counter
 * grows, but none is older than the last boot. So the count divided by the time since then is
 * the least average rate; and errors relative to packets are of the same time. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* InfiniBand's tolerance for symbol errors is 120 an hour. */
#define SYMBOLS_PER_HOUR 120
#define DOWNS_MIN        10 /* a few are restarts of the peer and of drivers */
/* RoCE resends all that follows a lost packet: from 1 in 100 000 on throughput falls. */
#define LOST_MIN         1000
#define PACKETS_PER_LOST 100000

static int64_t counters_get(struct check_run *run, const struct port_at *at, const char *name)
{
	char path[200];
	int64_t value = 0;

	snprintf(path, sizeof(path), "sys/class/infiniband/%.63s/ports/%u/%.40s", at->device->name,
		 at->port->number, name);
	return host_attr_number(run->host, path, &value) || value < 0 ? 0 : value;
}

static bool counters_have(struct check_run *run, const struct port_at *at, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "sys/class/infiniband/%.63s/ports/%u/%.40s", at->device->name,
		 at->port->number, name);
	return !host_exists(run->host, path);
}

/* -1: not known. */
static double counters_hours_up(struct check_run *run)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	double seconds;

	if (host_read(run->host, "proc/uptime", 256, &text) ||
	    sscanf(text.text, "%lf", &seconds) != 1)
		return -1;
	return seconds / 3600;
}

/* Whether the finding is complete. */
static bool counters_judge(struct check_run *run, const struct port_at *at, double hours)
{
	int64_t symbols = counters_get(run, at, "counters/symbol_error");
	int64_t downs = counters_get(run, at, "counters/link_downed");
	int64_t discards = counters_get(run, at, "counters/port_xmit_discards");
	int64_t lost, packets, count;
	const char *reason, *what;
	char name[PORT_NAME_MAX];
	bool notified; /* congestion, by ECN */

	if (downs >= DOWNS_MIN && (double)downs > hours) {
		reason = "link-down";
		what = "link failures";
		count = downs;
	} else if (at->port->layer == LINK_INFINIBAND &&
		   (double)symbols > SYMBOLS_PER_HOUR * hours) {
		reason = "symbol-errors";
		what = "symbol errors";
		count = symbols;
	} else {
		lost = counters_get(run, at, "hw_counters/out_of_sequence") +
		       counters_get(run, at, "hw_counters/packet_seq_err") +
		       counters_get(run, at, "hw_counters/local_ack_timeout_err");
		packets = counters_get(run, at, "counters/port_rcv_packets") +
			  counters_get(run, at, "counters/port_xmit_packets");
		notified = !counters_have(run, at, "hw_counters/np_cnp_sent") ||
			   counters_get(run, at, "hw_counters/np_cnp_sent") ||
			   counters_get(run, at, "hw_counters/rp_cnp_handled");
		if (!packets)
			return false;
		if (at->device->kind == RDMA_ROCE && lost >= LOST_MIN &&
		    lost > packets / PACKETS_PER_LOST) {
			reason = notified ? "packets-lost" : "no-ecn";
			what = "signs of lost packets";
			count = lost;
		} else if (discards >= LOST_MIN && discards > packets / PACKETS_PER_LOST) {
			reason = "discards";
			what = "packets discarded before sending";
			count = discards;
		} else {
			return false;
		}
	}
	port_evidence(run, at);
	finding_number(&run->finding, "count", (double)count);
	finding_number(&run->finding, "hours", (double)(int64_t)(hours + 0.5));
	check_say_why(run, FINDING_WARN, reason, "%s counted %" PRId64 " %s in at most %.0f hours",
		      port_name(at->device, at->port, name), count, what, hours);
	return true;
}

int check_fabric_counters(struct check_run *run)
{
	double hours = counters_hours_up(run);
	struct port_list ports;
	int rc = ports_wanted(run, &ports);
	unsigned int i, seen = 0;

	if (rc)
		return rc;
	/* Links go up and down after a boot. */
	if (hours < 1)
		return check_say(run, FINDING_SKIP,
				 hours < 0 ? "the uptime of this host is unknown"
					   : "this host has been up for less than an hour");
	for (i = 0; i < ports.count; i++) {
		const struct port_at *at = &ports.list[i];

		if (at->device->software || !counters_have(run, at, "counters"))
			continue;
		seen++;
		if (counters_judge(run, at, hours))
			return 0;
	}
	if (!seen)
		return check_say(run, FINDING_SKIP, "no port has counters");
	return check_say(run, FINDING_PASS, "few errors for the time and the traffic");
}
