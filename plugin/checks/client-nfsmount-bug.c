/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The defect of nfs-utils by which of several Server (or MountPoint) sections only the last keeps
 * a key that all of them have: setting one removes it from every section of the name, whatever its
 * argument (conf_set_now() in support/nfs/conffile.c; repaired in 2.8.3, and in RHEL 9's 2.5.4 by a
 * patch of January 2025). The other servers are mounted over TCP then, without a word. */
#include "plugin/checks/internal.h"

static int nfsmount_bug_judge(struct check_run *run, const char *section, const char *key)
{
	const struct host_system *system;
	struct nfs_utils utils;
	int rc = facts_system(run, &system);

	finding_text(&run->finding, "section", "%s", section);
	finding_text(&run->finding, "key", "%s", key);
	if (!rc)
		rc = nfs_utils_read(run->host, &utils);
	if (rc && rc != -ENOENT && rc != -ENODATA)
		return rc;
	if (rc || !utils.number)
		return check_say_why(
			run, FINDING_WARN, "version-unknown",
			"several %s sections set %s; nfs-utils before 2.8.3 uses only the last, and its version is unknown",
			section, key);
	finding_text(&run->finding, "nfs_utils", "%s", utils.version);
	switch (nfs_utils_sections(&utils, system->distro)) {
	case NFS_UTILS_KEEPS:
		return check_say(run, FINDING_PASS,
				 "nfs-utils %s handles several %s sections correctly",
				 utils.version, section);
	case NFS_UTILS_MAY_LOSE:
		return check_say_why(
			run, FINDING_WARN, "may-ignore",
			"several %s sections set %s; nfs-utils %s may use only the last", section,
			key, utils.version);
	case NFS_UTILS_LOSES:
	case NFS_UTILS_UNKNOWN: break;
	}
	return check_say_why(run, FINDING_WARN, "ignores",
			     "several %s sections set %s; nfs-utils %s uses only the last", section,
			     key, utils.version);
}

int check_client_nfsmount_bug(struct check_run *run)
{
	static const char *const sections[] = { "Server", "MountPoint" };
	const struct conf *conf;
	const char *key;
	size_t i;
	int rc = facts_nfsmount_conf(run, &conf);

	if (rc)
		return rc;
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		key = nfs_utils_clash(conf, sections[i]);
		if (key)
			return nfsmount_bug_judge(run, sections[i], key);
	}
	return check_say(run, FINDING_SKIP,
			 "nfsmount.conf does not set one option in several sections");
}
