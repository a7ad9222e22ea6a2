/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Rules of udev that set the mode or MTU of IPoIB interfaces by ATTR{...}="...". It is reported not
 * to work, while writing to the files by RUN+= does; and ConnectX-4 and later refuse connected mode
 * either way. */
#include "plugin/checks/internal.h"

struct search {
	bool enhanced; /* an interface of this host has datagram mode alone */
	struct words by_attr, refused;
};

static int look_at(void *arg, const char *file, unsigned int line, const char *rule)
{
	struct search *search = arg;

	if (strstr(rule, "ATTR{mode}=\"connected\"") ||
	    strstr(rule, "ATTR{mode}=\"datagram\""))
		words_add(&search->by_attr, "/%s:%u", file, line);
	else if (search->enhanced && strstr(rule, "connected") && strstr(rule, "/mode"))
		words_add(&search->refused, "/%s:%u", file, line);
	return 0;
}

static int run_check(struct check_run *run)
{
	const struct netdevs *netdevs;
	struct search search = { .enhanced = false };
	unsigned int i, found = 0;
	int rc = facts_netdevs(run, &netdevs);

	if (rc)
		return rc;
	for (i = 0; i < netdevs->count; i++) {
		if (!netdevs->list[i].ipoib_mode[0])
			continue;
		found++;
		search.enhanced |= !strcmp(netdevs->list[i].driver, "mlx5_core");
	}
	if (!found)
		return check_say(run, FINDING_SKIP, "there is no IPoIB interface");
	rc = host_udev_each(run->host, look_at, &search);
	if (rc)
		return rc;
	if (search.by_attr.count)
		return check_say(run, FINDING_WARN,
				 "sets the mode by ATTR{mode}=, which may do nothing: %s",
				 words_text(&search.by_attr));
	if (search.refused.count)
		return check_say(
			run, FINDING_WARN,
			"sets connected mode, which ConnectX-4 and later do not have: %s",
			words_text(&search.refused));
	return check_say(run, FINDING_PASS, "no rule that is known not to work");
}

const struct check check_fabric_udev_ipoib = {
	.id = "fabric.udev-ipoib",
	.roles = CHECK_BOTH,
	.needs = { "client.device", "server.device" },
	.run = run_check,
};
