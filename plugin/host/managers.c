/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which programs configure the network and the firewall, by enabled units and existing
 * configuration. Unreadable files count as absent: the answer selects the commands shown
 * to the user, and if nothing is found, all are shown. */
#include "plugin/host/internal.h"

static bool managers_is_enabled(const struct host *host, const char *unit)
{
	enum unit_state state;

	return !host_unit_state(host, unit, &state) && state == UNIT_ENABLED;
}

/* --- network ----------------------------------------------------------------------- */

/* Whether @fn is true for any file *@suffix of @dirs (as for dropins_list()). @text: NULL
 * if unreadable. */
static bool managers_any_file(const struct host *host, const char *const *dirs, const char *suffix,
			      bool (*fn)(const char *path, char *text))
{
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	bool found = false;
	size_t i;
	int rc;

	if (dropins_list(host, dirs, suffix, &files))
		return false;
	for (i = 0; i < files.count && !found; i++) {
		_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };

		rc = host_read(host, files.names[i], HOST_FILE_MAX, &text);
		if (!rc || rc == -EACCES)
			found = fn(files.names[i], text.text);
	}
	return found;
}

/* netplan(5): a section of devices. NetworkManager keeps its own profiles as
 * 90-NM-UUID.yaml, and a file without devices only selects the renderer. Only root may
 * read these files. */
static bool managers_netplan_has_devices(const char *path, char *text)
{
	static const char *const sections[] = { "ethernets:", "bonds:", "bridges:", "vlans:" };
	char *line;
	size_t i;

	if (strstr(path, "/90-NM-"))
		return false;
	if (!text)
		return true;
	while ((line = line_next(&text))) {
		line = text_trim(line);
		for (i = 0; i < ARRAY_SIZE(sections); i++)
			if (!strncmp(line, sections[i], strlen(sections[i])))
				return true;
	}
	return false;
}

/* interfaces(5): an interface other than loopback. */
static bool managers_interfaces_has_devices(const char *path, char *text)
{
	char *line, *word;

	(void)path;
	while (text && (line = line_next(&text))) {
		word = word_next(&line);
		if (!word || strcmp(word, "iface") != 0)
			continue;
		word = word_next(&line);
		if (word && strcmp(word, "lo") != 0)
			return true;
	}
	return false;
}

/* --- firewall ---------------------------------------------------------------------- */

static bool managers_has_ufw(const struct host *host)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	bool enabled = false;
	char *cursor, *line;

	if (host_read(host, "etc/ufw/ufw.conf", HOST_FILE_MAX, &text))
		return false;
	for (cursor = text.text; (line = line_next(&cursor));) {
		line = text_trim(line);
		if (!strncmp(line, "ENABLED=", 8))
			enabled = !strcasecmp(line + 8, "yes");
	}
	return enabled;
}

/* firewalld and ufw generate rules in nftables or iptables, which must then not be
 * changed by hand. */
static unsigned int managers_firewall(const struct host *host)
{
	unsigned int found = 0;

	if (managers_is_enabled(host, "firewalld.service"))
		return MANAGER_FIREWALLD;
	if (managers_has_ufw(host))
		return MANAGER_UFW;
	if (managers_is_enabled(host, "nftables.service"))
		found |= MANAGER_NFTABLES;
	if (managers_is_enabled(host, "netfilter-persistent.service") ||
	    managers_is_enabled(host, "iptables.service"))
		found |= MANAGER_IPTABLES;
	return found;
}

unsigned int host_managers(const struct host *host)
{
	static const char *const netplan[] = { "run/netplan", "etc/netplan", "usr/lib/netplan",
					       "lib/netplan", NULL };
	static const char *const interfaces[] = { "etc/network/interfaces.d", NULL };
	static const char *const networkd[] = { "etc/systemd/network", NULL };
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	unsigned int found = managers_firewall(host);

	if (managers_is_enabled(host, "NetworkManager.service"))
		found |= MANAGER_NETWORKMANAGER;
	if (managers_any_file(host, netplan, ".yaml", managers_netplan_has_devices))
		found |= MANAGER_NETPLAN;
	if ((!host_read(host, "etc/network/interfaces", HOST_FILE_MAX, &text) &&
	     managers_interfaces_has_devices(NULL, text.text)) ||
	    managers_any_file(host, interfaces, "", managers_interfaces_has_devices))
		found |= MANAGER_IFUPDOWN;
	if (managers_is_enabled(host, "wicked.service"))
		found |= MANAGER_WICKED;
	/* Without a .network file, an enabled networkd configures nothing. Files in run/
	 * are netplan's. */
	if (managers_is_enabled(host, "systemd-networkd.service") &&
	    !dropins_list(host, networkd, ".network", &files) && files.count)
		found |= MANAGER_NETWORKD;
	return found;
}
