/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The defect of nfs-utils by which of several Server (or MountPoint) sections only the last keeps
 * a key that all of them have: setting one removes it from every section of the name, whatever its
 * argument (conf_set_now() in support/nfs/conffile.c; repaired in 2.8.3, and in RHEL 9's 2.5.4 by a
 * patch of January 2025). The other servers are mounted over TCP then, without a word. */
#include <stdio.h>
#include <strings.h>

#include "plugin/checks/internal.h"

#define PAIRS_MAX 64

struct pairs {
	unsigned int count;
	struct {
		const char *arg, *key;
	} list[PAIRS_MAX];
	const char *key; /* the first that two sections have */
};

static int add_pair(void *arg, const char *section_arg, const char *key,
		    const struct conf_value *value)
{
	struct pairs *pairs = arg;
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

/* "1:2.6.2-4" */
static bool parse_version(const char *text, unsigned int v[3])
{
	const char *colon = strchr(text, ':');

	v[2] = 0;
	return sscanf(colon ? colon + 1 : text, "%3u.%3u.%3u", &v[0], &v[1], &v[2]) >= 2;
}

static int find_version(struct check_run *run, char *version, size_t cap)
{
	static const char *const packages[] = { "nfs-utils", "nfs-common", "nfs-client" };
	int rc = -ENODATA;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(packages); i++) {
		rc = host_package(run->host, packages[i], version, cap);
		if (rc != -ENOENT)
			return rc;
	}
	return rc;
}

static int judge(struct check_run *run, const char *section, const char *key)
{
	const struct host_system *system;
	unsigned int v[3];
	char version[64];
	int rc = facts_system(run, &system);

	rc = rc ? rc : find_version(run, version, sizeof(version));
	if (rc && rc != -ENOENT && rc != -ENODATA)
		return rc;
	if (rc || !parse_version(version, v))
		return check_say(
			run, FINDING_WARN,
			"several %s sections set %s, and nfs-utils, of which version is not known here, lose all but the last before 2.8.3",
			section, key);
	finding_text(&run->finding, "nfs_utils", "%s", version);
	if (v[0] * 10000 + v[1] * 100 + v[2] >= 20803)
		return check_say(run, FINDING_PASS,
				 "nfs-utils %s keeps several %s sections apart", version,
				 section);
	return check_say(
		run, FINDING_WARN,
		"several %s sections set %s, and nfs-utils %s %s all but the last",
		section, key, version,
		system->distro == DISTRO_RHEL ? "may lose" : "loses");
}

static int run_check(struct check_run *run)
{
	static const char *const sections[] = { "Server", "MountPoint" };
	const struct conf *conf;
	size_t i;
	int rc = facts_nfsmount_conf(run, &conf);

	if (rc)
		return rc;
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		struct pairs pairs = { .count = 0 };

		conf_each(conf, sections[i], add_pair, &pairs);
		if (pairs.key)
			return judge(run, sections[i], pairs.key);
	}
	return check_say(run, FINDING_SKIP,
			 "nfsmount.conf has no two sections of a kind");
}

const struct check check_client_nfsmount_bug = {
	.id = "client.nfsmount-bug",
	.roles = CHECK_CLIENT,
	.needs = { "client.module", "client.device" },
	.run = run_check,
};
