/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Rules of udev that set the mode or MTU of IPoIB interfaces by ATTR{...}="...". It is reported
 * not to work, while writing to the files by RUN+= does; and ConnectX-4 and later refuse
 * connected mode either way. */
#include "plugin/checks/internal.h"

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
