/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The version of nfs-utils, and which known defects it has. */
#include <stdio.h>
#include <strings.h>

#include "plugin/host/internal.h"

#define PAIRS_MAX 64

/* "1:2.6.2-4"; returns 0 if it has no version number. */
static unsigned int nfs_utils_parse_version(const char *text)
{
	const char *colon = strchr(text, ':');
	unsigned int v[3] = { 0 };

	if (sscanf(colon ? colon + 1 : text, "%3u.%3u.%3u", &v[0], &v[1], &v[2]) < 2)
		return 0;
	return v[0] * 10000 + v[1] * 100 + v[2];
}

int nfs_utils_read(const struct host *host, struct nfs_utils *out)
{
	static const char *const packages[] = { "nfs-utils", "nfs-common", "nfs-client" };
	struct err_kept why = { .rc = 0 };
	int rc = -ENOENT;
	size_t i;

	memset(out, 0, sizeof(*out));
	/* If files do not tell, all names are queried, so that a snapshot queries rpm for
	 * each. */
	for (i = 0; rc && i < ARRAY_SIZE(packages); i++) {
		rc = host_package(host, packages[i], out->version, sizeof(out->version));
		if (rc && rc != -ENOENT)
			err_keep(&why, rc);
	}
	if (!rc)
		out->number = nfs_utils_parse_version(out->version);
	return rc && why.rc ? err_again(&why) : rc;
}

enum nfs_utils_sections nfs_utils_sections(const struct nfs_utils *utils, enum distro distro)
{
	if (!utils->number)
		return NFS_UTILS_UNKNOWN;
	if (utils->number >= 20803)
		return NFS_UTILS_KEEPS;
	return distro == DISTRO_RHEL ? NFS_UTILS_MAY_LOSE : NFS_UTILS_LOSES;
}

enum nfs_utils_drop_ins nfs_utils_drop_ins(const struct nfs_utils *utils, const struct host *host)
{
	if (utils->number)
		return utils->number >= 20503 ? DROP_INS_READ : DROP_INS_IGNORED;
	return host_exists(host, "etc/nfsmount.conf.d") ? DROP_INS_UNKNOWN : DROP_INS_READ;
}

struct nfs_utils_pairs {
	unsigned int count;
	struct {
		const char *arg, *key;
	} list[PAIRS_MAX];
	const char *key; /* the first key that two sections have */
};

static int nfs_utils_add_pair(void *arg, const char *section_arg, const char *key,
			      const struct conf_value *value)
{
	struct nfs_utils_pairs *pairs = arg;
	unsigned int i;

	(void)value;
	if (!section_arg)
		return 0;
	for (i = 0; i < pairs->count; i++)
		if (!strcasecmp(pairs->list[i].key, key) &&
		    strcasecmp(pairs->list[i].arg, section_arg))
			pairs->key = pairs->key ? pairs->key : key;
	if (pairs->count < PAIRS_MAX) {
		pairs->list[pairs->count].arg = section_arg;
		pairs->list[pairs->count++].key = key;
	}
	return 0;
}

const char *nfs_utils_clash(const struct conf *conf, const char *section)
{
	struct nfs_utils_pairs pairs = { .count = 0 };

	conf_each(conf, section, nfs_utils_add_pair, &pairs);
	return pairs.key;
}

/* The first version in a distribution's release, if no file has the package's version; 0:
 * unknown. */
static unsigned int nfs_utils_release_number(const struct host_system *system)
{
	static const struct {
		enum distro distro;
		unsigned long from, number;
	} releases[] = {
		{ DISTRO_RHEL, 8, 20303 },
		{ DISTRO_RHEL, 7, 10300 },
		{ DISTRO_SUSE, 15, 20101 },
		{ DISTRO_SUSE, 12, 10300 },
	};
	unsigned long release = strtoul(system->version_id, NULL, 10);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(releases); i++)
		if (releases[i].distro == system->distro && release >= releases[i].from)
			return (unsigned int)releases[i].number;
	return 0;
}

/* If nfsconf(8) exists, which was added in 2.3.2, the other programs read nfs.conf, too. */
enum nfs_utils_conf nfs_utils_conf(const struct host *host, char who[NFS_UTILS_WHO_MAX])
{
	struct host_system system;
	struct nfs_utils utils;
	unsigned int number;

	snprintf(who, NFS_UTILS_WHO_MAX, "nfs-utils of this host");
	if (!nfs_utils_read(host, &utils) && utils.number) {
		snprintf(who, NFS_UTILS_WHO_MAX, "nfs-utils %.40s", utils.version);
		return utils.number < 20101 ? NFS_CONF_IGNORED : NFS_CONF_READ;
	}
	if (host_system(host, &system))
		memset(&system, 0, sizeof(system));
	number = nfs_utils_release_number(&system);
	if (!number)
		return host_exists(host, "usr/sbin/nfsconf") ? NFS_CONF_UNKNOWN : NFS_CONF_READ;
	if (*system.name)
		snprintf(who, NFS_UTILS_WHO_MAX, "nfs-utils of %.40s", system.name);
	return number < 20101 ? NFS_CONF_IGNORED : NFS_CONF_READ;
}
