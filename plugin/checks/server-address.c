/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* At which of this host's addresses clients reach it over RDMA (addresses.c). The kernel's listener
 * is there without any: portlist has a line for it, and nobody gets to it. */
#include "plugin/checks/internal.h"

struct lists {
	struct words good, down, bridge, without;
};

static void sort(const struct own_addresses *all, struct lists *lists)
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
			words_add(&lists->without, "%s on %s above %s", own->text,
				  own->netdev, own->lower);
		else
			words_add(&lists->bridge, "%s on the bridge %s", own->text,
				  own->netdev);
	}
}

static int say_none(struct check_run *run, struct lists *lists)
{
	if (lists->down.count)
		return check_say(
			run, FINDING_FAIL,
			"clients reach none of this host's addresses over RDMA: %s; that port is down",
			words_text(&lists->down));
	if (lists->bridge.count)
		return check_say(
			run, FINDING_FAIL,
			"clients reach none of this host's addresses over RDMA: %s, whose packets the RDMA device below does not see",
			words_text(&lists->bridge));
	if (lists->without.count)
		return check_say(
			run, FINDING_FAIL,
			"clients reach none of this host's addresses over RDMA: the port has no GID for %s",
			words_text(&lists->without));
	return check_say(
		run, FINDING_FAIL,
		"no active port of an RDMA device has an IP address that clients could mount: link-local ones are not counted");
}

/* nfsdctl alone listens for RDMA at host= only; rpc.nfsd has it for TCP (nfssvc_set_rdmaport()). */
static int say_bound(struct check_run *run, const struct own_addresses *all,
		     const struct nfsd_conf *conf, const char *good)
{
	switch (addresses_bound(all, conf->hosts)) {
	case OWN_BOUND_ELSEWHERE:
		return check_say(
			run, FINDING_FAIL,
			"%s has host=%s, and nfsdctl listens for RDMA there alone; clients reach this host over RDMA at %s",
			conf->hosts_where, conf->hosts, good);
	case OWN_BOUND_UNKNOWN:
		return check_say(
			run, FINDING_UNKNOWN,
			"%s has host=%s, a name: whether that is %s is not looked up",
			conf->hosts_where, conf->hosts, good);
	default: return -EAGAIN;
	}
}

static int run_check(struct check_run *run)
{
	struct own_addresses all;
	struct lists lists = { 0 };
	struct nfsd_conf conf;
	int rc = addresses_read(run, &all);

	if (rc)
		return rc;
	sort(&all, &lists);
	if (lists.bridge.count)
		finding_text(&run->finding, "on_bridge", "%s", words_text(&lists.bridge));
	if (lists.down.count)
		finding_text(&run->finding, "on_port_down", "%s",
			     words_text(&lists.down));
	if (!lists.good.count)
		return all.rc ? err_set(-all.rc, "%s", all.why) : say_none(run, &lists);
	if (!nfsd_conf_read(run, &conf) && *conf.hosts) {
		rc = say_bound(run, &all, &conf, words_text(&lists.good));
		if (rc != -EAGAIN)
			return rc;
	}
	if (lists.down.count)
		return check_say(run, FINDING_WARN, "%s; not %s, whose port is down",
				 words_text(&lists.good), words_text(&lists.down));
	check_note(run);
	if (!lists.bridge.count)
		lists.bridge = lists.without;
	return check_say(run, FINDING_PASS, "%s%s%s%s", words_text(&lists.good),
			 lists.bridge.count ? "; over TCP only: " : "",
			 words_text(&lists.bridge),
			 all.cut ? "; there are more than are looked at" : "");
}

const struct check check_server_address = {
	.id = "server.address",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device", "fabric.port", "fabric.gid" },
	.run = run_check,
};
