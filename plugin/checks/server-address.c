/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* At which of this host's addresses clients reach it over RDMA (addresses.c). The kernel's
 * listener does not need one: portlist has its line even if no client can connect. */
#include "plugin/checks/internal.h"

struct server_address {
	struct words good, down, bridge, without;
};

static void server_address_sort(const struct own_addresses *all, struct server_address *lists)
{
	unsigned int i;

	for (i = 0; i < all->count; i++) {
		const struct own_address *own = &all->list[i];

		if (own->state == OWN_REACHED || own->state == OWN_DOWN)
			words_add(own->state == OWN_DOWN ? &lists->down : &lists->good,
				  "%s on %s (%s port %u)", own->text, own->netdev,
				  own->device->name, own->port->number);
		else if (own->state == OWN_NO_GID && !own->lower[0])
			words_add(&lists->without, "%s on %s", own->text, own->netdev);
		else if (own->state == OWN_NO_GID)
			words_add(&lists->without, "%s on %s above %s", own->text, own->netdev,
				  own->lower);
		else
			words_add(&lists->bridge, "%s on the bridge %s", own->text, own->netdev);
	}
}

/* Names for steps: of the first address in that state. */
static void server_address_name(struct check_run *run, const struct own_addresses *all,
				enum own_state state)
{
	const struct own_address *own;
	unsigned int i;

	for (i = 0; i < all->count && all->list[i].state != state; i++)
		;
	if (i == all->count)
		return;
	own = &all->list[i];
	finding_text(&run->finding, "address", "%s", own->text);
	finding_text(&run->finding, "interface", "%s", own->netdev);
	finding_text(&run->finding, "device", "%s", own->device->name);
	finding_number(&run->finding, "device_port", own->port->number);
	finding_text(&run->finding, "device_interface", "%s", own->port->netdev);
}

static int server_address_say_none(struct check_run *run, const struct own_addresses *all,
				   struct server_address *lists)
{
	static const char none[] = "no address of this host is reachable over RDMA";

	if (lists->down.count) {
		server_address_name(run, all, OWN_DOWN);
		return check_say_why(run, FINDING_FAIL, "port-down", "%s: the port with %s is down",
				     none, words_text(&lists->down));
	}
	if (lists->bridge.count) {
		server_address_name(run, all, OWN_BRIDGE);
		return check_say_why(run, FINDING_FAIL, "bridge",
				     "%s: the RDMA device does not receive packets for %s", none,
				     words_text(&lists->bridge));
	}
	if (lists->without.count) {
		server_address_name(run, all, OWN_NO_GID);
		return check_say_why(run, FINDING_FAIL, "no-gid", "%s: the port has no GID for %s",
				     none, words_text(&lists->without));
	}
	return check_say_why(
		run, FINDING_FAIL, "no-address",
		"no active port of an RDMA device has an IP address, apart from link-local ones");
}

/* Only nfsdctl limits the RDMA listener to host=; rpc.nfsd applies it to TCP
 * (nfssvc_set_rdmaport()). */
static int server_address_say_bound(struct check_run *run, const struct own_addresses *all,
				    const struct nfsd_conf *conf, const char *good)
{
	enum own_bound bound = addresses_bound(all, conf->hosts);

	if (bound == OWN_BOUND_HERE)
		return -EAGAIN;
	finding_text(&run->finding, "file", "%s", conf->hosts_where);
	finding_text(&run->finding, "host", "%s", conf->hosts);
	finding_text(&run->finding, "reachable", "%s", good);
	server_address_name(run, all, OWN_REACHED);
	if (bound == OWN_BOUND_ELSEWHERE)
		return check_say_why(
			run, FINDING_FAIL, "host-elsewhere",
			"%s has host=%s, so nfsdctl listens for RDMA only there; this host is reachable over RDMA at %s",
			conf->hosts_where, conf->hosts, good);
	return check_say_why(
		run, FINDING_UNKNOWN, "host-name",
		"%s has host=%s, a name that this check does not look up; this host is reachable over RDMA at %s",
		conf->hosts_where, conf->hosts, good);
}

int check_server_address(struct check_run *run)
{
	struct own_addresses all;
	struct server_address lists = { 0 };
	struct nfsd_conf conf;
	int rc = addresses_read(run, &all);

	if (rc)
		return rc;
	server_address_sort(&all, &lists);
	if (lists.bridge.count)
		finding_text(&run->finding, "on_bridge", "%s", words_text(&lists.bridge));
	if (lists.down.count)
		finding_text(&run->finding, "on_port_down", "%s", words_text(&lists.down));
	if (!lists.good.count)
		return all.rc ? err_set(-all.rc, "%s", all.why)
			      : server_address_say_none(run, &all, &lists);
	if (!nfsd_conf_read(run, &conf) && *conf.hosts) {
		rc = server_address_say_bound(run, &all, &conf, words_text(&lists.good));
		if (rc != -EAGAIN)
			return rc;
	}
	if (lists.down.count) {
		server_address_name(run, &all, OWN_DOWN);
		return check_say_why(run, FINDING_WARN, "one-port-down",
				     "the port with %s is down; reached over RDMA: %s",
				     words_text(&lists.down), words_text(&lists.good));
	}
	check_note(run);
	if (!lists.bridge.count)
		lists.bridge = lists.without;
	return check_say(run, FINDING_PASS, "%s%s%s%s", words_text(&lists.good),
			 lists.bridge.count ? "; over TCP only: " : "", words_text(&lists.bridge),
			 all.cut ? "; there are more than are checked" : "");
}
