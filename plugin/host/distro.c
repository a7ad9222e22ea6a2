/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which distribution (os-release(5)) and which kernel. */
#include <ctype.h>
#include <stdio.h>

#include "plugin/host/internal.h"

static const struct {
	const char *id;
	enum distro distro;
} distro_families[] = {
	{ "ubuntu", DISTRO_UBUNTU },      { "debian", DISTRO_DEBIAN },
	{ "rhel", DISTRO_RHEL },          { "centos", DISTRO_RHEL },
	{ "fedora", DISTRO_RHEL },        { "rocky", DISTRO_RHEL },
	{ "almalinux", DISTRO_RHEL },     { "ol", DISTRO_RHEL },
	{ "suse", DISTRO_SUSE },          { "sles", DISTRO_SUSE },
	{ "opensuse-leap", DISTRO_SUSE }, { "opensuse-tumbleweed", DISTRO_SUSE },
	{ "opensuse", DISTRO_SUSE },      { "arch", DISTRO_ARCH },
};

/* @ids: blank-separated words; the first known one applies. */
static enum distro distro_family(char *ids)
{
	char *id;
	size_t i;

	while ((id = word_next(&ids)))
		for (i = 0; i < ARRAY_SIZE(distro_families); i++)
			if (!strcmp(distro_families[i].id, id))
				return distro_families[i].distro;
	return DISTRO_OTHER;
}

static void distro_parse_os_release(char *text, struct host_system *out)
{
	char *line, *value, like[128] = "", id[32];

	while ((line = line_next(&text))) {
		value = strchr(line, '=');
		if (!value || *line == '#')
			continue;
		*value++ = '\0';
		value = text_unquote(value);
		line = text_trim(line);
		if (!strcmp(line, "ID"))
			text_copy(out->id, sizeof(out->id), value);
		else if (!strcmp(line, "ID_LIKE"))
			text_copy(like, sizeof(like), value);
		else if (!strcmp(line, "VERSION_ID"))
			text_copy(out->version_id, sizeof(out->version_id), value);
		else if (!strcmp(line, "PRETTY_NAME"))
			text_copy(out->name, sizeof(out->name), value);
	}
	str_copy(id, sizeof(id), out->id);
	out->distro = distro_family(id);
	if (out->distro == DISTRO_OTHER)
		out->distro = distro_family(like);
}

/* "6.1.90", "6.12", "6.12.0-rc3": without a suffix of another builder. */
static bool distro_kernel_is_mainline(const char *release)
{
	int used = 0;
	unsigned int a, b, c;

	if (sscanf(release, "%3u.%3u%n", &a, &b, &used) < 2)
		return false;
	release += used;
	if (*release == '.' && sscanf(release, ".%4u%n", &c, &used) == 1)
		release += used;
	if (!strncmp(release, "-rc", 3) && isdigit((unsigned char)release[3]))
		for (release += 3; isdigit((unsigned char)*release); release++)
			;
	return !*release;
}

/* Debian's release name stays the same across kernel updates:
 * "Linux version 6.1.0-26-amd64 (...) #1 SMP PREEMPT_DYNAMIC Debian 6.1.112-1 (2024-09-30)" */
static bool distro_parse_debian_kernel(const char *version, unsigned int kernel[3])
{
	const char *at = strstr(version, " Debian ");
	unsigned int v[3];

	if (!at || !strstr(version, "debian-kernel@lists.debian.org") ||
	    sscanf(at, " Debian %3u.%3u.%4u-", &v[0], &v[1], &v[2]) != 3)
		return false;
	memcpy(kernel, v, sizeof(v));
	return true;
}

int host_system(const struct host *host, struct host_system *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char version[1024];
	int rc;

	memset(out, 0, sizeof(*out));
	rc = host_read(host, "etc/os-release", 65536, &text);
	if (rc == -ENOENT)
		rc = host_read(host, "usr/lib/os-release", 65536, &text);
	if (rc && rc != -ENOENT)
		return rc;
	if (!rc)
		distro_parse_os_release(text.text, out);
	rc = host_attr(host, "proc/sys/kernel/osrelease", out->release, sizeof(out->release));
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	sscanf(out->release, "%3u.%3u.%4u", &out->kernel[0], &out->kernel[1], &out->kernel[2]);
	out->kernel_is_plain = distro_kernel_is_mainline(out->release);
	rc = host_attr(host, "proc/version", version, sizeof(version));
	if (!rc && distro_parse_debian_kernel(version, out->kernel))
		out->kernel_is_plain = true;
	return rc == -ENOENT ? 0 : rc;
}
