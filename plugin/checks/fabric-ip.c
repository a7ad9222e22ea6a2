/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The IP side of RoCE and InfiniBand: GIDs, MTU, bonds, subnets. */
#include <arpa/inet.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* Whether a port has the GID that connections come from. RoCE makes one for each IP address of
 * the interface; the connection manager finds a device by it. InfiniBand and iWARP have one of
 * their own. */

static const uint8_t gid_ipv4[12] = { [10] = 0xff, [11] = 0xff };

/* An IPv4 address is ::ffff:a.b.c.d (ipv6_addr_set_v4mapped() in ib_addr.h). */
static bool gid_from_address(const char *address, uint8_t gid[16])
{
	memcpy(gid, gid_ipv4, sizeof(gid_ipv4));
	return inet_pton(AF_INET, address, gid + sizeof(gid_ipv4)) == 1 ||
	       inet_pton(AF_INET6, address, gid) == 1;
}

bool gid_is_ipv4(const struct rdma_gid *gid)
{
	return !memcmp(gid->bytes, gid_ipv4, sizeof(gid_ipv4));
}

bool port_has_gid(const struct rdma_port *port, const char *address, bool *v2)
{
	uint8_t gid[16];
	bool found = false;
	unsigned int i;

	if (!gid_from_address(address, gid))
		return false;
	for (i = 0; i < port->ngids; i++) {
		if (memcmp(port->gids[i].bytes, gid, sizeof(gid)))
			continue;
		found = true;
		*v2 |= port->gids[i].v2;
	}
	return found;
}

/* On the route: the source address of packets to the server. @known: the finding is complete. */
static int gid_judge_routes(struct check_run *run, bool *known)
{
	struct words without = { 0 }, with = { 0 };
	const struct server_path *first = NULL, *paths;
	struct finding *finding = &run->finding;
	const char *lower, *netdev;
	unsigned int count, i;
	bool v2 = false;

	facts_paths(run, &paths, &count);
	for (i = 0; i < count; i++) {
		const struct server_path *path = &paths[i];

		if (path->rc || !path->port || path->device->kind != RDMA_ROCE ||
		    !path->route.source[0] || path->port->gids_cut)
			continue;
		if (port_has_gid(path->port, path->route.source, &v2)) {
			words_add(&with, "%s", path->route.source);
			continue;
		}
		words_add(&without, "%s on %s", path->route.source, path->route.netdev);
		first = first ? first : path;
	}
	*known = with.count || without.count;
	if (!*known)
		return 0;
	if (!first)
		return check_say(run, FINDING_PASS, "there is one for %s", words_text(&with));
	lower = first->netdev.rdma_lower;
	netdev = first->route.netdev;
	finding_text(finding, "address", "%s", first->route.source);
	finding_text(finding, "interface", "%s", netdev);
	if (*lower)
		finding_text(finding, "lower", "%s", lower);
	finding_reason(finding, netdev_is_bridge(run, netdev) ? "bridge"
				: *lower                      ? "upper"
							      : container_reason(run, "lost"));
	finding_text(finding, "device", "%s", first->device->name);
	finding_number(finding, "device_port", first->port->number);
	return check_say(run, FINDING_FAIL, "%s has no GID for this host's address %s",
			 first->device->name, words_text(&without));
}

enum gid_group { GID_WITH, GID_WITHOUT, GID_GROUPS };

static int gid_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	char name[PORT_NAME_MAX];

	(void)run;
	if (port_is_up(at->port) && !at->port->ngids && at->device->problem[0])
		return err_set(ENODATA, "%s", at->device->problem);
	if (port_is_up(at->port))
		port_group_add(&groups[at->port->ngids ? GID_WITH : GID_WITHOUT], at, "%s",
			       port_name(at->device, at->port, name));
	return 0;
}

int check_fabric_gid(struct check_run *run)
{
	struct port_group groups[GID_GROUPS] = { 0 };
	struct port_group *without = &groups[GID_WITHOUT];
	struct port_list ports;
	bool known = false;
	int rc = ports_judge(run, &ports, gid_judge, groups);

	if (!rc)
		rc = gid_judge_routes(run, &known);
	if (rc || known)
		return rc;
	if (!groups[GID_WITH].first && !without->first)
		return err_because(err_set(ENODATA, "no port is known to be active"),
				   "port-unknown");
	if (without->first) {
		finding_reason(&run->finding, container_reason(run, "none"));
		port_evidence(run, without->first);
		return check_say(run, FINDING_FAIL, "no GID: %s", words_text(&without->words));
	}
	return check_say(run, FINDING_PASS, "every active port has one");
}

/* RoCE v1 and v2 do not understand each other: v1 is an ethertype (0x8915) within one Ethernet,
 * v2 is UDP port 4791. The connection manager uses v2 if the port has it, unless configfs says
 * otherwise until the next boot (drivers/infiniband/core/cma.c). */

enum roce_version_group { ROCE_V1_ONLY, ROCE_V1_SET, ROCE_V2, ROCE_GROUPS };

static int roce_version_judge(struct check_run *run, const struct port_at *at,
			      struct port_group *groups)
{
	enum roce_version_group group = ROCE_V1_ONLY;
	const struct rdma_port *port = at->port;
	char name[PORT_NAME_MAX];
	unsigned int i;

	(void)run;
	/* Without a GID the version is unknown. */
	if (at->device->kind != RDMA_ROCE || !port_is_up(port) || !port->ngids)
		return 0;
	for (i = 0; i < port->ngids; i++)
		if (port->gids[i].v2)
			group = strstr(port->default_roce_mode, "v1") ? ROCE_V1_SET : ROCE_V2;
	port_group_add(&groups[group], at, "%s", port_name(at->device, port, name));
	return 0;
}

int check_fabric_roce_version(struct check_run *run)
{
	struct port_group groups[ROCE_GROUPS] = { 0 };
	struct port_group *set = &groups[ROCE_V1_SET], *only = &groups[ROCE_V1_ONLY];
	struct port_list ports;
	int rc = ports_judge(run, &ports, roce_version_judge, groups);

	if (rc)
		return rc;
	if (set->first) {
		port_evidence(run, set->first);
		return check_say_why(run, FINDING_WARN, "set-to-v1",
				     "%s supports RoCE v2 and is set to v1 (default_roce_mode)",
				     words_text(&set->words));
	}
	if (only->first) {
		port_evidence(run, only->first);
		return check_say_why(run, FINDING_WARN, "v1-only", "%s supports RoCE v1 only",
				     words_text(&only->words));
	}
	if (!groups[ROCE_V2].first)
		return check_say(run, FINDING_SKIP, "there is no active RoCE port");
	return check_say(run, FINDING_PASS, "v2: %s", words_text(&groups[ROCE_V2].words));
}

/* The MTU of the interface behind RoCE and iWARP ports. The payload of RoCE's packets is the
 * largest of 256, 512, 1024, 2048 and 4096 bytes that fits with the headers. */

#define ETHERNET_USUAL 1500

/* Headers of RoCE v2 with room (rxe_mtu_int_to_enum(), iboe_get_mtu() in ib_addr.h). */
#define ROCE_HEADERS 78

static unsigned int mtu_of_roce(unsigned int mtu)
{
	unsigned int size = 4096;

	while (size > 256 && size + ROCE_HEADERS > mtu)
		size /= 2;
	return size;
}

enum mtu_group { MTU_SMALL, MTU_GOOD, MTU_GROUPS };

static int mtu_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	const struct rdma_port *port = at->port;
	struct host_netdev netdev;
	int rc;

	if (!port->netdev[0] || !port_is_up(port))
		return 0;
	rc = host_netdev(run->host, port->netdev, NULL, &netdev);
	if (rc)
		return err_because(err_context(rc, "%s", port->netdev), "unreadable");
	if (netdev.mtu < ETHERNET_USUAL)
		port_group_add(&groups[MTU_SMALL], at, "%s has %u", netdev.name, netdev.mtu);
	else if (at->device->kind == RDMA_ROCE)
		port_group_add(&groups[MTU_GOOD], at, "%s has %u, so RoCE packets carry %u",
			       netdev.name, netdev.mtu, mtu_of_roce(netdev.mtu));
	else
		port_group_add(&groups[MTU_GOOD], at, "%s has %u", netdev.name, netdev.mtu);
	return 0;
}

int check_fabric_mtu(struct check_run *run)
{
	struct port_group groups[MTU_GROUPS] = {
		[MTU_GOOD] = { .words = { .separator = "; " } },
	};
	struct port_group *small = &groups[MTU_SMALL], *good = &groups[MTU_GOOD];
	struct port_list ports;
	int rc = ports_judge(run, &ports, mtu_judge, groups);

	if (rc)
		return rc;
	if (small->first) {
		port_evidence(run, small->first);
		return check_say_why(run, FINDING_WARN, "small", "smaller than Ethernet's %u: %s",
				     ETHERNET_USUAL, words_text(&small->words));
	}
	if (!good->first)
		return check_say(run, FINDING_SKIP,
				 "no active port belongs to an Ethernet interface");
	return check_say(run, FINDING_PASS, "%s", words_text(&good->words));
}

/* Bonds of RoCE ports. The driver of an adapter makes one device of two ports in a bond (RoCE LAG).
 * Without that each port stays a device of its own: a connection uses one device, and what the
 * switch sends to the other port is lost. A bond of IPoIB interfaces has none of this: the
 * connection manager follows its active one. */

#define SLAVES_MAX 8

struct bond {
	const char *name;
	char mode[32]; /* "802.3ad" */
	unsigned int count;
	const struct host_netdev *slaves[SLAVES_MAX]; /* those with a RoCE device */
};

/* False: it is not a bond. */
static bool bond_read(struct check_run *run, const struct rdma_devices *rdma,
		      const struct netdevs *netdevs, const char *name, struct bond *out)
{
	const struct rdma_device *device;
	char path[64];
	unsigned int i;

	*out = (struct bond){ .name = name };
	snprintf(path, sizeof(path), "sys/class/net/%.15s/bonding/mode", name);
	if (host_attr(run->host, path, out->mode, sizeof(out->mode)))
		return false;
	out->mode[strcspn(out->mode, " ")] = '\0';
	for (i = 0; i < netdevs->count && out->count < SLAVES_MAX; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		device = rdma_device_find(rdma, netdev->rdma_device);
		if (device && device->kind == RDMA_ROCE && !device->software &&
		    !strcmp(netdev->master, name) && !netdev->rdma_lower[0])
			out->slaves[out->count++] = netdev;
	}
	return true;
}

/* "0000:3b:00.1" without the function. */
static bool bond_same_adapter(const struct rdma_device *a, const struct rdma_device *b)
{
	size_t len = strcspn(a->pci_address, ".");

	return len && !strncmp(a->pci_address, b->pci_address, len + 1);
}

/* True: the finding is complete. */
static bool bond_judge(struct check_run *run, const struct rdma_devices *rdma,
		       const struct bond *bond)
{
	const struct rdma_device *first, *other;
	unsigned int i;
	bool same;

	for (i = 1; i < bond->count; i++) {
		first = rdma_device_find(rdma, bond->slaves[0]->rdma_device);
		other = rdma_device_find(rdma, bond->slaves[i]->rdma_device);
		if (first == other)
			continue;
		same = bond_same_adapter(first, other);
		finding_text(&run->finding, "interface", "%s", bond->name);
		finding_text(&run->finding, "mode", "%s", bond->mode);
		finding_text(&run->finding, "device", "%s", first->name);
		finding_text(&run->finding, "other_device", "%s", other->name);
		check_say_why(run, FINDING_WARN, same ? "no-lag" : "two-adapters",
			      "%s (%s) bonds %s and %s, two RDMA devices", bond->name, bond->mode,
			      first->name, other->name);
		return true;
	}
	return false;
}

int check_fabric_bond(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct netdevs *netdevs;
	struct words good = { 0 };
	struct bond bond;
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (!rc)
		rc = facts_netdevs(run, &netdevs);
	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct rdma_device *device = rdma_device_find(rdma,
								    netdevs->list[i].rdma_device);

		if (!device || device->kind != RDMA_ROCE ||
		    !bond_read(run, rdma, netdevs, netdevs->list[i].name, &bond))
			continue;
		if (bond_judge(run, rdma, &bond))
			return 0;
		words_add(&good, "%s (%s) by %s", bond.name, bond.mode,
			  netdevs->list[i].rdma_device);
	}
	if (!good.count)
		return check_say(run, FINDING_SKIP, "no bond has a RoCE device");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

/* Two RDMA interfaces in one IP subnet: by default Linux answers ARP for either address on both,
 * so a peer learns the wrong port for an address; and a strict rp_filter drops what arrives at
 * the other one (Documentation/networking/ip-sysctl.rst). */

#define SUBNETS_MAX 128

struct subnet {
	char netdev[IFNAMSIZ];
	uint32_t address, mask;
};

/* "ens1f0np0 000200C0 00000000 0001 0 0 100 00FFFFFF 0 0 0": a route without a gateway, to more
 * than a host. */
static bool one_subnet_parse(const char *line, struct subnet *out)
{
	unsigned int address, gateway, flags, mask;
	char netdev[IFNAMSIZ];

	if (sscanf(line, "%15s %x %x %x %*d %*u %*d %x", netdev, &address, &gateway, &flags,
		   &mask) != 5 ||
	    gateway || !mask || mask == UINT32_MAX)
		return false;
	memcpy(out->netdev, netdev, sizeof(netdev));
	out->address = address;
	out->mask = mask;
	return true;
}

static const struct host_netdev *one_subnet_netdev(const struct netdevs *netdevs, const char *name)
{
	unsigned int i;

	for (i = 0; i < netdevs->count; i++)
		if (netdevs->list[i].rdma_device[0] && !strcmp(netdevs->list[i].name, name))
			return &netdevs->list[i];
	return NULL;
}

/* The first two interfaces of different ports. */
static bool one_subnet_find_pair(const struct netdevs *netdevs, char *text,
				 const struct host_netdev *pair[2])
{
	struct subnet list[SUBNETS_MAX];
	unsigned int n = 0, i;
	char *line;

	while (n < SUBNETS_MAX && (line = line_next(&text))) {
		if (!one_subnet_parse(line, &list[n]))
			continue;
		pair[1] = one_subnet_netdev(netdevs, list[n].netdev);
		for (i = 0; pair[1] && i < n; i++) {
			pair[0] = one_subnet_netdev(netdevs, list[i].netdev);
			if (list[i].address == list[n].address && list[i].mask == list[n].mask &&
			    (strcmp(pair[0]->rdma_device, pair[1]->rdma_device) ||
			     pair[0]->rdma_port != pair[1]->rdma_port))
				return true;
		}
		n += pair[1] != NULL;
	}
	return false;
}

/* The kernel uses the larger of the values of the interface and of all.
 * Errors: of reading. */
static int one_subnet_setting(struct check_run *run, const char *netdev, const char *name,
			      int64_t *out)
{
	int64_t all = 0, own = 0;
	char path[96];
	int rc;

	snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/all/%s", name);
	rc = host_attr_number(run->host, path, &all);
	snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/%.15s/%s", netdev, name);
	if (!rc)
		rc = host_attr_number(run->host, path, &own);
	*out = all > own ? all : own;
	return rc;
}

int check_fabric_one_subnet(struct check_run *run)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const struct host_netdev *pair[2];
	int64_t ignore, announce, filter;
	const struct netdevs *netdevs;
	unsigned int i;
	int rc = facts_netdevs(run, &netdevs);

	if (!rc)
		rc = host_read(run->host, "proc/net/route", HOST_FILE_MAX, &text);
	if (rc && rc != -ENOENT)
		return rc;
	if (rc || !one_subnet_find_pair(netdevs, text.text, pair))
		return check_say(run, FINDING_SKIP, "no two RDMA interfaces are in one subnet");
	finding_text(&run->finding, "interface", "%s", pair[0]->name);
	finding_text(&run->finding, "other_interface", "%s", pair[1]->name);
	for (i = 0; i < 2; i++) {
		rc = one_subnet_setting(run, pair[i]->name, "arp_ignore", &ignore);
		rc = rc ? rc : one_subnet_setting(run, pair[i]->name, "arp_announce", &announce);
		rc = rc ? rc : one_subnet_setting(run, pair[i]->name, "rp_filter", &filter);
		if (rc)
			return rc;
		if (!ignore || !announce)
			return check_say_why(
				run, FINDING_WARN, "arp",
				"%s and %s are in one subnet, and each answers ARP for both",
				pair[0]->name, pair[1]->name);
		if (filter == 1)
			return check_say_why(run, FINDING_WARN, "rp-filter",
					     "%s and %s are in one subnet, with a strict rp_filter",
					     pair[0]->name, pair[1]->name);
	}
	return check_say(run, FINDING_PASS,
			 "%s and %s are in one subnet, and answer ARP for themselves",
			 pair[0]->name, pair[1]->name);
}
