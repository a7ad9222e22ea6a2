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

static int64_t counter(struct check_run *run, const struct port_at *at, const char *name)
{
	char path[200];
	int64_t value = 0;

	snprintf(path, sizeof(path), "sys/class/infiniband/%.63s/ports/%u/%.40s",
		 at->device->name, at->port->number, name);
	return host_attr_number(run->host, path, &value) || value < 0 ? 0 : value;
}

static bool has_counter(struct check_run *run, const struct port_at *at, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "sys/class/infiniband/%.63s/ports/%u/%.40s",
		 at->device->name, at->port->number, name);
	return !host_exists(run->host, path);
}

/* -1: not known. */
static double hours_up(struct check_run *run)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	double seconds;

	if (host_read(run->host, "proc/uptime", 256, &text) ||
	    sscanf(text.text, "%lf", &seconds) != 1)
		return -1;
	return seconds / 3600;
}

struct loss {
	int64_t lost, packets;
	bool notified; /* congestion, by ECN */
};

static void loss_read(struct check_run *run, const struct port_at *at, struct loss *out)
{
	out->lost = counter(run, at, "hw_counters/out_of_sequence") +
		    counter(run, at, "hw_counters/packet_seq_err") +
		    counter(run, at, "hw_counters/local_ack_timeout_err");
	out->packets = counter(run, at, "counters/port_rcv_packets") +
		       counter(run, at, "counters/port_xmit_packets");
	out->notified = !has_counter(run, at, "hw_counters/np_cnp_sent") ||
			counter(run, at, "hw_counters/np_cnp_sent") ||
			counter(run, at, "hw_counters/rp_cnp_handled");
}

static int counters_warn(struct check_run *run, const struct port_at *at,
			 const char *reason, int64_t count, const char *what,
			 double hours)
{
	char name[PORT_NAME_MAX];

	port_evidence(run, at);
	finding_number(&run->finding, "count", (double)count);
	finding_number(&run->finding, "hours", (double)(int64_t)(hours + 0.5));
	return check_say_why(run, FINDING_WARN, reason,
			     "%s counted %" PRId64 " %s in at most %.0f hours",
			     port_name(at->device, at->port, name), count, what, hours);
}

/* Whether the finding is complete. */
static bool counters_judge(struct check_run *run, const struct port_at *at, double hours)
{
	int64_t symbols = counter(run, at, "counters/symbol_error");
	int64_t downs = counter(run, at, "counters/link_downed");
	int64_t discards = counter(run, at, "counters/port_xmit_discards");
	struct loss loss;

	if (downs >= DOWNS_MIN && (double)downs > hours)
		return !counters_warn(run, at, "link-down", downs, "link failures",
				      hours);
	if (at->port->layer == LINK_INFINIBAND &&
	    (double)symbols > SYMBOLS_PER_HOUR * hours)
		return !counters_warn(run, at, "symbol-errors", symbols, "symbol errors",
				      hours);
	loss_read(run, at, &loss);
	if (!loss.packets)
		return false;
	if (at->device->kind == RDMA_ROCE && loss.lost >= LOST_MIN &&
	    loss.lost > loss.packets / PACKETS_PER_LOST)
		return !counters_warn(run, at, loss.notified ? "packets-lost" : "no-ecn",
				      loss.lost, "signs of lost packets", hours);
	if (discards >= LOST_MIN && discards > loss.packets / PACKETS_PER_LOST)
		return !counters_warn(run, at, "discards", discards,
				      "packets discarded before sending", hours);
	return false;
}

static int fabric_counters_check_run(struct check_run *run)
{
	double hours = hours_up(run);
	struct port_list ports;
	int rc = ports_wanted(run, &ports);
	unsigned int i, seen = 0;

	if (rc)
		return rc;
	/* Links go up and down after a boot. */
	if (hours < 1)
		return check_say(run, FINDING_SKIP,
				 hours < 0
					 ? "the uptime of this host is unknown"
					 : "this host has been up for less than an hour");
	for (i = 0; i < ports.count; i++) {
		const struct port_at *at = &ports.list[i];

		if (at->device->software || !has_counter(run, at, "counters"))
			continue;
		seen++;
		if (counters_judge(run, at, hours))
			return 0;
	}
	if (!seen)
		return check_say(run, FINDING_SKIP, "no port has counters");
	return check_say(run, FINDING_PASS, "few errors for the time and the traffic");
}

const struct check check_fabric_counters = {
	.id = "fabric.counters",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device", "fabric.port" },
	.run = fabric_counters_check_run,
};
