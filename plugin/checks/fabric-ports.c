/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Ports of RDMA devices: cable, subnet, state, identity, counters. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* The physical link of ports: without a signal nothing else can work. */

/* enum ib_port_phys_state, include/rdma/ib_verbs.h */
static const char *const phys_states[] = {
	[1] = "asleep",
	[2] = "polling for a signal",
	[3] = "disabled",
	[4] = "training",
	[5] = "up",
	[6] = "recovering",
	[7] = "in a test of the link",
};

#define PHYS_POLLING    2
#define PHYS_DISABLED   3
#define PHYS_TRAINING   4
#define PHYS_UP         5
#define PHYS_RECOVERING 6

#define STATE_INIT 2

/* Why a port has no link; "": it is unknown. Drivers of Ethernet report "Disabled" for an interface
 * that is set down, and for one without a cable (mlx5_query_port_roce(), iw_query_port()). So the
 * interface's flags decide. */
static const char *cable_reason(struct check_run *run, const struct port_at *at)
{
	const struct rdma_port *port = at->port;
	const char *interface;
	struct host_netdev netdev;

	if (port->layer == LINK_INFINIBAND) {
		/* The port of a virtual function has no cable of its own. */
		if (at->device->virtual_function)
			return "vf";
		switch (port->phys_state) {
		case PHYS_POLLING: return "no-signal";
		case PHYS_DISABLED: return "disabled";
		case PHYS_TRAINING:
		case PHYS_RECOVERING: return "unstable";
		default: return "";
		}
	}
	interface = port_interface(run, at);
	/* iw_query_port(): a link, and no IPv4 address. */
	if (at->device->kind == RDMA_IWARP && port->phys_state == PHYS_TRAINING &&
	    port->state == STATE_INIT)
		return "no-address";
	if (!*interface || host_netdev(run->host, interface, NULL, &netdev))
		return "no-link";
	if (netdev.flags && !(netdev.flags & IFF_UP))
		return "interface-down";
	return netdev.carrier == 0 ? "no-carrier" : "no-link";
}

enum cable_group { CABLE_UP, CABLE_NARROW, CABLE_DOWN, CABLE_GROUPS };

static int cable_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	const struct rdma_device *device = at->device;
	const struct rdma_port *port = at->port;
	const char *state = NULL;
	char name[PORT_NAME_MAX];
	int rc = port_problem(device, port);

	(void)run;
	if (rc)
		return rc;
	if (!port->rate[0] && device->problem[0])
		return err_set(ENODATA, "%s", device->problem);
	port_name(device, port, name);
	if (port->phys_state < ARRAY_SIZE(phys_states))
		state = phys_states[port->phys_state];
	if (port->phys_state != PHYS_UP)
		port_group_add(&groups[CABLE_DOWN], at, "%s is %s", name,
			       state ? state : "in an unknown state");
	else if (device->kind == RDMA_INFINIBAND && !device->software && strstr(port->rate, "(1X "))
		/* One lane of the four that adapters have: mostly a damaged cable. */
		port_group_add(&groups[CABLE_NARROW], at, "%s has %s", name, port->rate);
	else
		port_group_add(&groups[CABLE_UP], at, "%s has %s", name, port->rate);
	return 0;
}

int check_fabric_cable(struct check_run *run)
{
	struct port_group groups[CABLE_GROUPS] = { 0 };
	struct port_group *down = &groups[CABLE_DOWN], *narrow = &groups[CABLE_NARROW];
	struct port_list ports;
	int rc = ports_judge(run, &ports, cable_judge, groups);

	if (rc)
		return rc;
	if (!ports.count)
		return err_because(err_set(EIO, "the RDMA devices show no ports"), "no-ports");
	if (down->first)
		finding_text(&run->finding, "without_link", "%s", words_text(&down->words));
	if (!groups[CABLE_UP].first && !narrow->first) {
		finding_reason(&run->finding, cable_reason(run, down->first));
		port_evidence(run, down->first);
		return check_say(run, FINDING_FAIL, "no link: %s", words_text(&down->words));
	}
	if (narrow->first) {
		port_evidence(run, narrow->first);
		return check_say_why(run, FINDING_WARN, "one-lane",
				     "the link uses one lane of four: %s",
				     words_text(&narrow->words));
	}
	return check_say(run, FINDING_PASS, "%s", words_text(&groups[CABLE_UP].words));
}

/* InfiniBand ports that have a link but no LID: a subnet needs a subnet manager, even a cable
 * between two hosts. An armed port has had one: fabric.port. */

#define PHYS_UP    5
#define STATE_INIT 2

enum subnet_manager_group { SM_WAITING, SM_GOOD, SM_GROUPS };

/* The subnet managers of this host: the reason, and its sentence. */
static const char *subnet_manager_here(struct check_run *run, const struct port_at *at)
{
	struct host_opensm opensm;
	char state[32] = "";

	/* A subnet manager without virtualization configures the physical function only. */
	if (at->device->virtual_function) {
		finding_reason(&run->finding, "vf");
		return ", a virtual function";
	}
	if (host_opensm(run->host, &opensm)) {
		finding_reason(&run->finding, "none");
		return "";
	}
	if (!opensm.installed) {
		finding_reason(&run->finding, "not-installed");
		return "; opensm is not installed on this host";
	}
	if (run->live->unit(run->host, "opensm.service", state, sizeof(state))) {
		finding_reason(&run->finding, "none");
		return "; opensm is installed on this host";
	}
	if (strcmp(state, "active")) {
		finding_reason(&run->finding, "not-running");
		return "; opensm is installed on this host, and does not run";
	}
	finding_reason(&run->finding, "other-port");
	return "; opensm runs on this host";
}

static int subnet_manager_judge(struct check_run *run, const struct port_at *at,
				struct port_group *groups)
{
	const struct rdma_port *port = at->port;
	char name[PORT_NAME_MAX];
	int rc;

	(void)run;
	if (port->layer != LINK_INFINIBAND || port->phys_state != PHYS_UP)
		return 0;
	rc = port_problem(at->device, port);
	if (rc)
		return rc;
	port_name(at->device, port, name);
	if (port->state == STATE_INIT)
		port_group_add(&groups[SM_WAITING], at, "%s", name);
	else
		port_group_add(&groups[SM_GOOD], at, "%s has LID %u from the one at LID %u", name,
			       port->lid, port->sm_lid);
	return 0;
}

int check_fabric_subnet_manager(struct check_run *run)
{
	struct port_group groups[SM_GROUPS] = { 0 };
	struct port_group *waiting = &groups[SM_WAITING], *good = &groups[SM_GOOD];
	struct port_list ports;
	int rc = ports_judge(run, &ports, subnet_manager_judge, groups);

	if (rc)
		return rc;
	if (waiting->first) {
		port_evidence(run, waiting->first);
		return check_say(run, good->first ? FINDING_WARN : FINDING_FAIL,
				 "no subnet manager has configured %s%s",
				 words_text(&waiting->words),
				 subnet_manager_here(run, waiting->first));
	}
	if (!good->first)
		return check_say(run, FINDING_SKIP, "no InfiniBand port has a link");
	return check_say(run, FINDING_PASS, "%s", words_text(&good->words));
}

/* A subnet manager on this host, as configured: of several in one subnet the one with the
 * highest priority is the master; an instance of OpenSM manages one subnet. */

/* Two instances for the same port: returns the second; *@first is the other. */
static const char *opensm_same_port(const struct host_opensm *opensm, const char **first)
{
	unsigned int i, j;

	for (i = 0; i < opensm->nfiles; i++)
		for (j = i + 1; j < opensm->nfiles; j++)
			if (strstr(opensm->files[j].file, "opensm.conf") &&
			    strstr(opensm->files[i].file, "opensm.conf") &&
			    !strcmp(opensm->files[i].guids, opensm->files[j].guids))
				return *first = opensm->files[i].file, opensm->files[j].file;
	return NULL;
}

int check_fabric_opensm(struct check_run *run)
{
	struct words priorities = { 0 };
	struct host_opensm opensm;
	enum unit_state state;
	const char *first, *second;
	unsigned int i;
	int rc = host_opensm(run->host, &opensm);

	if (rc)
		return rc;
	if (!opensm.installed)
		return check_say(run, FINDING_SKIP, "OpenSM is not installed");
	if (host_unit_state(run->host, "opensm.service", &state) || state != UNIT_ENABLED)
		return check_say(run, FINDING_SKIP, "OpenSM is installed and not enabled");
	second = opensm_same_port(&opensm, &first);
	if (second) {
		finding_text(&run->finding, "file", "/%s", second);
		finding_text(&run->finding, "other_file", "/%s", first);
		return check_say_why(run, FINDING_WARN, "same-port",
				     "/%s and /%s are for the same port", first, second);
	}
	for (i = 0; i < opensm.nfiles; i++)
		if (opensm.files[i].priority[0])
			words_add(&priorities, "%s in /%s", opensm.files[i].priority,
				  opensm.files[i].file);
	if (priorities.count)
		return check_say(run, FINDING_PASS, "enabled, with priority %s",
				 words_text(&priorities));
	return check_say(
		run, FINDING_PASS,
		"enabled, with the default priority: if several hosts run one, give each its own");
}

/* Whether a port is active, so that RDMA can go through it. */

enum fabric_port_group { PORTS_UP, PORTS_DOWN, PORTS_GROUPS };

static int fabric_port_judge(struct check_run *run, const struct port_at *at,
			     struct port_group *groups)
{
	char name[PORT_NAME_MAX];
	int rc = port_problem(at->device, at->port);

	(void)run;
	if (rc)
		return rc;
	port_name(at->device, at->port, name);
	if (port_is_up(at->port))
		port_group_add(&groups[PORTS_UP], at, "%s (%s)", name, port_kind_name(at->device));
	else
		port_group_add(&groups[PORTS_DOWN], at, "%s is %s", name,
			       port_state_name(at->port));
	return 0;
}

int check_fabric_port(struct check_run *run)
{
	/* Of enum ib_port_state, include/rdma/ib_verbs.h. */
	static const char *const reasons[] = {
		"", "down", "initializing", "armed", "", "deferred"
	};
	struct port_group groups[PORTS_GROUPS] = { 0 };
	struct words *up = &groups[PORTS_UP].words, *down = &groups[PORTS_DOWN].words;
	const struct port_at *at;
	struct port_list ports;
	const char *reason;
	int rc = ports_judge(run, &ports, fabric_port_judge, groups);

	if (rc)
		return rc;
	if (down->count)
		finding_text(&run->finding, "not_active", "%s", words_text(down));
	if (!ports.count)
		return err_because(err_set(EIO, "the RDMA devices show no ports"), "no-ports");
	if (up->count)
		return check_say(run, FINDING_PASS, "%s %s active", words_text(up),
				 up->count + up->left_out > 1 ? "are" : "is");
	at = groups[PORTS_DOWN].first;
	reason = at->port->state < ARRAY_SIZE(reasons) ? reasons[at->port->state] : "";
	if (at->device->virtual_function && at->port->layer == LINK_INFINIBAND &&
	    !strcmp(reason, "down"))
		reason = "vf";
	port_evidence(run, at);
	if (at->port->sm_lid)
		finding_number(&run->finding, "sm_lid", at->port->sm_lid);
	return check_say_why(run, FINDING_FAIL, reason, "no port is active: %s", words_text(down));
}

/* A device whose node GUID is zero: librdmacm ignores it, and older versions crash. */
int check_fabric_node_guid(struct check_run *run)
{
	const struct rdma_devices *rdma;
	struct words zero = { 0 };
	int rc = facts_rdma(run, &rdma);
	const struct rdma_device *first = NULL;
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++) {
		if (strcmp(rdma->list[i].node_guid, "0000:0000:0000:0000"))
			continue;
		words_add(&zero, "%s", rdma->list[i].name);
		first = first ? first : &rdma->list[i];
	}
	if (first) {
		finding_text(&run->finding, "device", "%s", first->name);
		if (first->pci_address[0])
			finding_text(&run->finding, "pci", "%s", first->pci_address);
		return check_say_why(run, FINDING_WARN, first->virtual_function ? "vf" : "zero",
				     "the node GUID is zero: %s", words_text(&zero));
	}
	return check_say(run, FINDING_PASS, "every device has one");
}

/* Errors that ports count, relative to time and traffic. One look cannot tell whether a counter
 * grows, but none is older than the last boot. So the count divided by the time since then is
 * the least average rate; and errors relative to packets are of the same time. */

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

/* The partition of IPoIB interfaces: the subnet manager gives each port a table of partition
 * keys, and an interface works only with a key from it. Limited members (without the highest
 * bit) do not reach each other. */

#define FULL_MEMBER 0x8000

/* The key as the port's table has it; 0: not at all. */
static uint16_t pkey_in_table(const struct rdma_port *port, uint16_t key)
{
	unsigned int i;

	for (i = 0; i < port->npkeys; i++)
		if ((port->pkeys[i] & ~FULL_MEMBER) == (key & ~FULL_MEMBER))
			return port->pkeys[i];
	return 0;
}

struct pkey_tally {
	struct words absent, limited, good;
	const struct host_netdev *first_absent, *first_limited;
};

static void pkey_count(const struct rdma_port *port, const struct host_netdev *netdev,
		       struct pkey_tally *tally)
{
	uint16_t key = pkey_in_table(port, netdev->pkey);

	if (!key) {
		words_add(&tally->absent, "%s has 0x%04x", netdev->name, netdev->pkey);
		tally->first_absent = tally->first_absent ? tally->first_absent : netdev;
	} else if (!(key & FULL_MEMBER)) {
		words_add(&tally->limited, "%s in 0x%04x", netdev->name,
			  netdev->pkey & ~FULL_MEMBER);
		tally->first_limited = tally->first_limited ? tally->first_limited : netdev;
	} else {
		words_add(&tally->good, "%s 0x%04x", netdev->name, netdev->pkey);
	}
}

static void pkey_blame(struct check_run *run, const char *reason, const struct host_netdev *netdev)
{
	finding_reason(&run->finding, reason);
	finding_text(&run->finding, "interface", "%s", netdev->name);
	finding_text(&run->finding, "device", "%s", netdev->rdma_device);
	finding_number(&run->finding, "device_port", netdev->rdma_port);
	/* As partitions.conf names it, without the membership bit. */
	finding_text(&run->finding, "pkey", "0x%04x", netdev->pkey & ~FULL_MEMBER);
}

int check_fabric_pkey(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct netdevs *netdevs;
	const struct rdma_port *port;
	struct pkey_tally found = { .first_absent = NULL };
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (!rc)
		rc = facts_netdevs(run, &netdevs);
	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		port = rdma_port_find(rdma_device_find(rdma, netdev->rdma_device),
				      netdev->rdma_port);
		/* The table is empty until the port is active. */
		if (netdev->pkey && port && port_is_up(port) && port->npkeys)
			pkey_count(port, netdev, &found);
	}
	/* An additional interface that is unused, if another one is good. */
	if (found.first_absent) {
		pkey_blame(run, "absent", found.first_absent);
		return check_say(run, found.good.count ? FINDING_WARN : FINDING_FAIL,
				 "the port is not in the partition: %s", words_text(&found.absent));
	}
	if (found.first_limited) {
		pkey_blame(run, "limited", found.first_limited);
		return check_say(run, FINDING_WARN, "limited membership: %s",
				 words_text(&found.limited));
	}
	if (!found.good.count)
		return check_say(run, FINDING_SKIP, "no IPoIB interface is in use");
	return check_say(run, FINDING_PASS, "%s", words_text(&found.good));
}
