/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Mode and MTU of IPoIB interfaces, by a rule of udev. ATTR{mode}="connected" in a rule is
 * reported to do nothing, so the rule writes to the files by RUN+=. It goes by the last 8 bytes of
 * the address, the port's GUID, which alone stay. ConnectX-4 and later have datagram mode only
 * and are left alone; and so is what NetworkManager or an ifcfg file has profiles for, which would
 * set it anew. */
#include <stdio.h>

#include "plugin/report/shell.h"
#include "plugin/setup/internal.h"

#define CONNECTED_MTU 65520
#define DATAGRAM_MAX  4092

struct ipoib_rules {
	char connected[160]; /* one that asks for connected mode in vain; empty */
	bool by_run;         /* one that writes to the files */
};

static int ipoib_read_rule(void *arg, const char *file, unsigned int line, const char *rule)
{
	struct ipoib_rules *rules = arg;

	if (!rules->connected[0] && strstr(rule, "ATTR{mode}=\"connected\""))
		snprintf(rules->connected, sizeof(rules->connected), "/%s:%u", file, line);
	/* Our own rule does not count. */
	rules->by_run |= strcmp(file, PATH_UDEV) && strstr(rule, "RUN") && strstr(rule, "/mode");
	return 0;
}

/* What else sets the mode, with files of its own. */
static const struct ipoib_profile {
	const char *who, *folder, *prefix, *word;
} ipoib_profiles[] = {
	{ "NetworkManager", "etc/NetworkManager/system-connections", "", "type=infiniband" },
	{ "an ifcfg file of etc/sysconfig/network-scripts", "etc/sysconfig/network-scripts",
	  "ifcfg-", "CONNECTED_MODE=" },
	{ "an ifcfg file of etc/sysconfig/network", "etc/sysconfig/network", "ifcfg-",
	  "IPOIB_MODE=" },
};

static int ipoib_read_profile(const struct host *host, const struct ipoib_profile *profile,
			      const char *name, bool *found)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char path[HOST_PATH_MAX];
	int rc;

	if (strncmp(name, profile->prefix, strlen(profile->prefix)) != 0)
		return 0;
	rc = host_path(path, profile->folder, name);
	if (!rc)
		rc = host_read(host, path, HOST_FILE_MAX, &text);
	*found |= !rc && strstr(text.text, profile->word);
	return rc == -ENOENT ? 0 : rc;
}

/* *@who: NULL: nothing. Errors: of reading. */
static int ipoib_find_profile(const struct host *host, const char **who)
{
	int rc = 0;
	size_t i, n;

	*who = NULL;
	for (n = 0; !rc && !*who && n < ARRAY_SIZE(ipoib_profiles); n++) {
		_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
		bool found = false;

		rc = host_list(host, ipoib_profiles[n].folder, &list);
		for (i = 0; !rc && !found && i < list.count; i++)
			rc = ipoib_read_profile(host, &ipoib_profiles[n], list.names[i], &found);
		*who = found ? ipoib_profiles[n].who : NULL;
		rc = rc == -ENOENT ? 0 : rc;
	}
	return rc;
}

/* False: it has no GUID, and a name that a rule cannot have. */
static bool ipoib_match(const struct host_netdev *netdev, char *buf, size_t cap)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.-";
	const uint8_t *guid = netdev->address + 12;

	if (netdev->address_len == sizeof(netdev->address)) {
		snprintf(buf, cap, "ATTR{address}==\"?*%02x:%02x:%02x:%02x:%02x:%02x:%02x:%02x\"",
			 guid[0], guid[1], guid[2], guid[3], guid[4], guid[5], guid[6], guid[7]);
		return true;
	}
	snprintf(buf, cap, "KERNEL==\"%s\"", netdev->name);
	/* Neither a pattern, nor the end of a value. */
	return !netdev->name[strspn(netdev->name, plain)];
}

/* udev puts the interface's name in the place of $name, and splits what comes of it into words at
 * blanks, which such a name cannot have; any other character it can. So the name is a word of its
 * own, behind the script, which takes it for $1 and never for a part of itself: "$$" is one "$" to
 * udev. */
#define RULE_TEXT                                                                         \
	"ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{type}==\"32\", %s, RUN+=\"/bin/sh -c " \
	"'echo connected >/sys/class/net/$$1/mode; echo %d >/sys/class/net/$$1/mtu' sh $name\"\n"
/* $name is the interface's last name: rules that give names come before 90-. */
static int ipoib_add_rule(struct planner *planner, const struct host_netdev *netdev,
			  const char *why)
{
	char by[64], rule[512];
	int rc;

	if (!ipoib_match(netdev, by, sizeof(by)))
		return err_set(EINVAL, "%s: the interface's name cannot be used in a udev rule",
			       why);
	snprintf(rule, sizeof(rule), RULE_TEXT, by, CONNECTED_MTU);
	rc = plan_file(planner, PATH_UDEV, rule, false, "%s", why);
	if (!rc && planner->machine->actions)
		plan_note(
			planner, true,
			"The rule for %s takes effect at the next boot. To apply it now, which interrupts the interface: echo connected > /sys/class/net/%s/mode; ip link set dev %s mtu %d",
			netdev->name, SHELL_WORD(netdev->name), SHELL_WORD(netdev->name),
			CONNECTED_MTU);
	return rc < 0 ? rc : 0;
}

static int ipoib_plan_netdev(struct planner *planner, const struct host_netdev *netdev,
			     const struct ipoib_rules *rules)
{
	bool connected = !strcmp(netdev->ipoib_mode, "connected");
	const char *who = "a udev rule";
	char why[320];
	int rc;

	if (connected && netdev->mtu <= DATAGRAM_MAX)
		snprintf(why, sizeof(why), "%s is in connected mode with an MTU of %u",
			 netdev->name, netdev->mtu);
	else if (!connected && rules->connected[0])
		snprintf(
			why, sizeof(why),
			"%s is in datagram mode, and %s, which sets connected mode by ATTR{mode}=, has no effect",
			netdev->name, rules->connected);
	else
		return 0;
	rc = rules->by_run ? 0 : ipoib_find_profile(planner->machine->host, &who);
	/* What sets it is not known, so no rule is to fight with that. */
	if (rc)
		return err_context(rc, "%s", why);
	if (who) {
		plan_note(planner, true,
			  "%s; %s sets it: change it there, to connected mode and an MTU of %d",
			  why, who, CONNECTED_MTU);
		return 0;
	}
	if (!connected)
		plan_note(planner, true, "Remove the rule %s", rules->connected);
	return ipoib_add_rule(planner, netdev, why);
}

static int ipoib_plan(struct planner *planner)
{
	struct host_list list = { NULL, 0, false };
	const struct host *host = planner->machine->host;
	struct ipoib_rules rules = { .by_run = false };
	struct host_netdev netdev;
	size_t i;
	int rc = host_list(host, "sys/class/net", &list);

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = host_udev_each(host, ipoib_read_rule, &rules);
	for (i = 0; !rc && i < list.count; i++)
		if (!host_netdev(host, list.names[i], planner->rdma, &netdev) &&
		    netdev.ipoib_mode[0] && strcmp(netdev.driver, "mlx5_core") != 0)
			rc = ipoib_plan_netdev(planner, &netdev, &rules);
	host_list_fini(&list);
	return rc;
}

const struct remedy remedy_ipoib = {
	.name = "IPoIB",
	.roles = CHECK_BOTH,
	.plan = ipoib_plan,
};
