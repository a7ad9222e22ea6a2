/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* IP over InfiniBand, and names that udev gives. */
#include <ctype.h>

#include "plugin/checks/internal.h"

/* InfiniBand has its IP addresses on IPoIB interfaces, by which the connection manager finds the
 * device: NFS cannot use an active port without one. With another kind of port that is active, it
 * may not have to. */

#define ARPHRD_IPOIB 32

enum ipoib_group { IPOIB_WITH, IPOIB_WITHOUT, IPOIB_NOT_IB, IPOIB_GROUPS };

static int ipoib_judge(struct check_run *run, const struct port_at *at, struct port_group *groups)
{
	enum ipoib_group group = at->port->layer == LINK_INFINIBAND ? IPOIB_WITHOUT : IPOIB_NOT_IB;
	const struct netdevs *netdevs;
	char name[PORT_NAME_MAX];
	unsigned int i;
	int rc = facts_netdevs(run, &netdevs);

	if (rc || !port_is_up(at->port))
		return rc;
	for (i = 0; group == IPOIB_WITHOUT && i < netdevs->count; i++)
		if (netdevs->list[i].type == ARPHRD_IPOIB &&
		    port_is_of(at->device, at->port, &netdevs->list[i]))
			group = IPOIB_WITH;
	port_group_add(&groups[group], at, "%s", port_name(at->device, at->port, name));
	return 0;
}

int check_fabric_ipoib(struct check_run *run)
{
	struct port_group groups[IPOIB_GROUPS] = { 0 };
	struct port_group *without = &groups[IPOIB_WITHOUT];
	const struct netdevs *netdevs;
	struct port_list ports;
	bool loaded;
	int rc = facts_netdevs(run, &netdevs);

	if (!rc)
		rc = ports_judge(run, &ports, ipoib_judge, groups);
	if (rc)
		return rc;
	/* The second port of an adapter may be unused. */
	if (groups[IPOIB_WITH].first)
		return check_say(run, FINDING_PASS, "%s", words_text(&groups[IPOIB_WITH].words));
	if (!without->first)
		return check_say(run, FINDING_SKIP, "no InfiniBand port is active");
	loaded = !host_exists(run->host, "sys/module/ib_ipoib");
	port_evidence(run, without->first);
	return check_say_why(run, groups[IPOIB_NOT_IB].first ? FINDING_WARN : FINDING_FAIL,
			     loaded ? "missing" : "no-module",
			     "no active InfiniBand port has an IPoIB interface: %s",
			     words_text(&without->words));
}

/* IPoIB carries the addresses by which RDMA connections are made, and TCP; NFS over RDMA itself
 * does not use it. So both of its modes work, and the check only reports them. */
int check_fabric_ipoib_mode(struct check_run *run)
{
	const struct netdevs *netdevs;
	struct words words = { 0 };
	bool enhanced = false;
	int rc = facts_netdevs(run, &netdevs);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];

		if (!netdev->ipoib_mode[0])
			continue;
		/* ConnectX-4 and later have IPoIB in hardware, in datagram mode only. */
		enhanced |= !strcmp(netdev->driver, "mlx5_core");
		words_add(&words, "%s %s", netdev->name, netdev->ipoib_mode);
	}
	if (!words.count)
		return check_say(run, FINDING_SKIP, "no IPoIB interface");
	return check_say(run, FINDING_PASS, "%s%s", words_text(&words),
			 enhanced ? ", the only mode of ConnectX-4 and later" : "");
}

/* The MTU of IPoIB interfaces: in datagram mode 4 bytes less than InfiniBand's own, 2044 or 4092;
 * in connected mode up to 65520. */

#define DATAGRAM_USUAL  2044
#define DATAGRAM_MAX    4092
#define CONNECTED_USUAL 65520

int check_fabric_ipoib_mtu(struct check_run *run)
{
	const struct host_netdev *first = NULL;
	const struct netdevs *netdevs;
	struct words odd = { 0 }, good = { 0 };
	const char *reason = NULL;
	int rc = facts_netdevs(run, &netdevs);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		const struct host_netdev *netdev = &netdevs->list[i];
		bool connected = !strcmp(netdev->ipoib_mode, "connected");

		if (!netdev->ipoib_mode[0])
			continue;
		if (connected && netdev->mtu <= DATAGRAM_MAX) {
			words_add(&odd, "%s has an MTU of %u in connected mode, which can have %u",
				  netdev->name, netdev->mtu, CONNECTED_USUAL);
		} else if (netdev->mtu < DATAGRAM_USUAL) {
			words_add(&odd, "%s has an MTU of %u, less than InfiniBand's smallest, %u",
				  netdev->name, netdev->mtu, DATAGRAM_USUAL);
		} else {
			words_add(&good, "%s %u", netdev->name, netdev->mtu);
			continue;
		}
		reason = first ? reason : connected ? "connected-small" : "small";
		first = first ? first : netdev;
	}
	if (first) {
		finding_text(&run->finding, "interface", "%s", first->name);
		finding_number(&run->finding, "mtu", first->mtu);
		return check_say_why(run, FINDING_WARN, reason, "%s", words_text(&odd));
	}
	if (!good.count)
		return check_say(run, FINDING_SKIP, "no IPoIB interface");
	return check_say(run, FINDING_PASS, "%s", words_text(&good));
}

/* Mellanox's first ConnectX, revision a0 (MT25418 and others), offer TSO and send corrupt IP
 * fragments: this breaks IPoIB, and TCP over it. */

#define MELLANOX    0x15b3
#define REVISION_A0 0xa0

/* The first ConnectX (mlx4_core's table; ConnectX-3 begins at 0x1003). */
static bool tso_defect_is_in(const struct rdma_device *device)
{
	return device->pci_vendor == MELLANOX && device->pci_revision == REVISION_A0 &&
	       device->pci_device >= 0x6340 && device->pci_device <= 0x6778;
}

int check_fabric_tso_defect(struct check_run *run)
{
	const struct rdma_devices *rdma;
	const struct rdma_device *first = NULL;
	struct words words = { 0 };
	int rc = facts_rdma(run, &rdma);
	unsigned int i;

	if (rc)
		return rc;
	for (i = 0; i < rdma->count; i++) {
		if (!tso_defect_is_in(&rdma->list[i]))
			continue;
		words_add(&words, "%s (%04x:%04x)", rdma->list[i].name, rdma->list[i].pci_vendor,
			  rdma->list[i].pci_device);
		first = first ? first : &rdma->list[i];
	}
	if (!first)
		return check_say(run, FINDING_SKIP, "no first-generation ConnectX of revision a0");
	if (first->nports)
		port_evidence(run, &(const struct port_at){ first, &first->ports[0] });
	return check_say_why(run, FINDING_WARN, "revision-a0",
			     "a first-generation ConnectX of revision a0: %s", words_text(&words));
}

/* Rules of udev that name IPoIB interfaces by their address. It has 20 bytes, of which the first
 * twelve change: flags and queue number, and the prefix of the subnet. The last eight are the
 * port's GUID, and a rule must match only those. */

#define STABLE_BYTES 8

/* The value of KEY=="..." in a rule, NULL if it is not compared. */
static const char *udev_names_compared(const char *rule, const char *key, size_t *len)
{
	const char *at = strstr(rule, key);

	if (!at)
		return NULL;
	at += strlen(key);
	if (strncmp(at, "==\"", 3))
		return NULL;
	at += 3;
	*len = strcspn(at, "\"");
	return at;
}

/* "00:11:22": the number of bytes that it has. */
static unsigned int udev_names_bytes(const char *pattern, size_t len)
{
	unsigned int bytes = 0;
	size_t i;

	for (i = 0; i + 1 < len; i++) {
		if (!isxdigit((unsigned char)pattern[i]) ||
		    !isxdigit((unsigned char)pattern[i + 1]))
			continue;
		bytes++;
		i++;
	}
	return bytes;
}

static int udev_names_rule(void *arg, const char *file, unsigned int line, const char *rule)
{
	struct words *words = arg;
	size_t len;
	const char *address = udev_names_compared(rule, "ATTR{address}", &len);

	/* Six bytes are an Ethernet address. */
	if (address && strstr(rule, "NAME=\"") && udev_names_bytes(address, len) > STABLE_BYTES)
		words_add(words, "/%s:%u", file, line);
	return 0;
}

int check_fabric_udev_names(struct check_run *run)
{
	struct words words = { 0 };
	int rc = host_udev_each(run->host, udev_names_rule, &words);

	if (rc)
		return rc;
	if (words.count) {
		finding_text(&run->finding, "rule", "%s", words_text(&words));
		return check_say_why(
			run, FINDING_WARN, "whole-address",
			"compares more than the last 8 bytes of an interface's address: %s",
			words_text(&words));
	}
	return check_say(run, FINDING_PASS, "no rule compares the part of an address that changes");
}

/* Rules of udev that set the mode or MTU of IPoIB interfaces by ATTR{...}="...". It is reported
 * not to work, while writing to the files by RUN+= does; and ConnectX-4 and later refuse
 * connected mode either way. */

struct udev_ipoib {
	bool enhanced;            /* an interface of this host has datagram mode only */
	char interface[IFNAMSIZ]; /* the first */
	struct words by_attr, connected;
};

static int udev_ipoib_rule(void *arg, const char *file, unsigned int line, const char *rule)
{
	struct udev_ipoib *search = arg;

	bool connected = strstr(rule, "ATTR{mode}=\"connected\"");

	if (connected || strstr(rule, "ATTR{mode}=\"datagram\""))
		words_add(&search->by_attr, "/%s:%u", file, line);
	if (connected || (strstr(rule, "connected") && strstr(rule, "/mode")))
		words_add(&search->connected, "/%s:%u", file, line);
	return 0;
}

static int udev_ipoib_warn(struct check_run *run, const struct udev_ipoib *search,
			   const char *reason, const char *text, struct words *files)
{
	finding_text(&run->finding, "rule", "%s", words_text(files));
	finding_text(&run->finding, "interface", "%s", search->interface);
	return check_say_why(run, FINDING_WARN, reason, "%s: %s", text, words_text(files));
}

int check_fabric_udev_ipoib(struct check_run *run)
{
	const struct netdevs *netdevs;
	struct udev_ipoib search = { .enhanced = false };
	unsigned int i, found = 0;
	int rc = facts_netdevs(run, &netdevs);

	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		if (!netdevs->list[i].ipoib_mode[0])
			continue;
		found++;
		search.enhanced |= !strcmp(netdevs->list[i].driver, "mlx5_core");
		if (!search.interface[0])
			str_copy(search.interface, sizeof(search.interface), netdevs->list[i].name);
	}
	if (!found)
		return check_say(run, FINDING_SKIP, "no IPoIB interface");
	rc = host_udev_each(run->host, udev_ipoib_rule, &search);
	if (rc)
		return rc;
	if (search.enhanced && search.connected.count)
		return udev_ipoib_warn(
			run, &search, "unsupported",
			"sets connected mode, which ConnectX-4 and later do not have",
			&search.connected);
	if (search.by_attr.count)
		return udev_ipoib_warn(run, &search, "by-attr",
				       "sets the mode by ATTR{mode}=, which may have no effect",
				       &search.by_attr);
	return check_say(run, FINDING_PASS, "no rule that is known to fail");
}
