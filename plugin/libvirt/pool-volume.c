/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether AppArmor lets a guest use a disk of type volume. virt-aa-helper makes a profile
 * for each guest from its XML. If it cannot resolve a volume to its file, the profile has
 * no rule for it, and the guest does not start (gitlab.com/libvirt/libvirt/-/issues/546).
 *
 * libvirt 9.0.0 and 11.3.0 do not resolve volumes (tested). In the sources of 12.6.0 the helper
 * gets volumes with their files, and reads them. The first version that does is not known. */
#include <stdio.h>

#include "plugin/libvirt/internal.h"

#define DENIED_MAJOR  11
#define DENIED_MINOR  3
#define ALLOWED_MAJOR 12
#define ALLOWED_MINOR 6

/* The daemon confines guests if it has a profile itself. */
static bool pool_volume_is_confined(const struct host *host)
{
	char enabled[8];

	return !host_attr(host, "sys/module/apparmor/parameters/enabled", enabled,
			  sizeof(enabled)) &&
	       *enabled == 'Y' &&
	       (!host_exists(host, "etc/apparmor.d/usr.sbin.libvirtd") ||
		!host_exists(host, "etc/apparmor.d/usr.sbin.virtqemud"));
}

/* "1:9.0.0-4+deb12u2". @out: without the packager's part; "" not known. */
static bool pool_volume_is_allowed(const char *version, char out[32], bool *denied)
{
	const char *colon = strchr(version, ':');
	unsigned int major = 0, minor = 0;

	version = colon ? colon + 1 : version;
	*out = '\0';
	*denied = false;
	if (sscanf(version, "%u.%u", &major, &minor) != 2)
		return false;
	snprintf(out, 32, "%.*s", (int)strcspn(version, "-+~"), version);
	*denied = major < DENIED_MAJOR || (major == DENIED_MAJOR && minor <= DENIED_MINOR);
	return major > ALLOWED_MAJOR || (major == ALLOWED_MAJOR && minor >= ALLOWED_MINOR);
}

bool pool_volume_audit(const struct host *host, struct finding *out)
{
	char package[64] = "", version[32];
	bool denied;

	if (!pool_volume_is_confined(host))
		return false;
	if (host_package(host, "libvirt-daemon", package, sizeof(package)))
		*package = '\0';
	if (pool_volume_is_allowed(package, version, &denied))
		return false;
	finding_init(
		out, "pool.volume", FINDING_WARN,
		"AppArmor confines guests, and %s%s %s a guest open a disk of type 'volume': give disks of this pool as type 'file', with their path",
		*version ? "libvirt " : "libvirt of unknown version", version,
		denied ? "does not let" : "may not let");
	finding_reason(out, denied ? "denied" : "perhaps-denied");
	if (*version)
		finding_text(out, "libvirt", "%s", version);
	return true;
}
