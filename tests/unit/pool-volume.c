/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* On which hosts a disk of type volume is denied. */
#include "plugin/libvirt/libvirt.h"
#include "tests/unit/host-tree.h"

static struct finding finding;

/* @version: of the package; NULL: not installed. */
static bool is_told(const char *enabled, const char *profile, const char *version)
{
	char status[256] = "Package: other\nStatus: install ok installed\nVersion: 1\n";
	struct tree tree;
	bool told;

	tree_new(&tree);
	if (enabled)
		tree_write(&tree, "sys/module/apparmor/parameters/enabled", enabled);
	if (profile)
		tree_write(&tree, profile, "");
	if (version)
		snprintf(status, sizeof(status),
			 "Package: libvirt-daemon\nStatus: install ok installed\n"
			 "Version: %s\n",
			 version);
	tree_write(&tree, "var/lib/dpkg/status", status);
	told = pool_volume_audit(tree.host, &finding);
	tree_free(&tree);
	return told;
}

#define LIBVIRTD "etc/apparmor.d/usr.sbin.libvirtd"

static void a_host_without_apparmor_reports_nothing(void)
{
	CU_ASSERT_FALSE(is_told(NULL, LIBVIRTD, "9.0.0-4+deb12u2"));
	CU_ASSERT_FALSE(is_told("N\n", LIBVIRTD, "9.0.0-4+deb12u2"));
	CU_ASSERT_FALSE(is_told("Y\n", NULL, "9.0.0-4+deb12u2"));
}

static void the_package_version_decides(void)
{
	static const struct {
		const char *version;
		bool told;
		const char *words, *reason;
	} rows[] = {
		{ "9.0.0-4+deb12u2", true, "and libvirt 9.0.0 does not let a guest open",
		  "denied" },
		{ "1:7.0.0-3", true, "and libvirt 7.0.0 does not let", "denied" },
		{ "10.0.0-2ubuntu8", true, "and libvirt 10.0.0 does not let a guest open",
		  "denied" },
		{ "11.3.0-3+deb13u1", true, "and libvirt 11.3.0 does not let a guest open",
		  "denied" },
		{ "11.4.0-1", true, "and libvirt 11.4.0 may not let", "perhaps-denied" },
		{ "12.5.0-1", true, "and libvirt 12.5.0 may not let", "perhaps-denied" },
		{ "12.6.0-1", false, "", "" },
		{ "13.0.0", false, "", "" },
		{ "of today", true, "libvirt of unknown version may not let", "perhaps-denied" },
		{ NULL, true, "libvirt of unknown version may not let", "perhaps-denied" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(is_told("Y\n", LIBVIRTD, rows[i].version), rows[i].told);
		if (!rows[i].told)
			continue;
		CU_ASSERT_STRING_EQUAL(finding.id, "pool.volume");
		CU_ASSERT_EQUAL(finding.status, FINDING_WARN);
		ASSERT_CONTAINS(finding.summary, rows[i].words);
		CU_ASSERT_STRING_EQUAL(finding.reason, rows[i].reason);
	}
	CU_ASSERT(is_told("Y\n", "etc/apparmor.d/usr.sbin.virtqemud", "9.0.0"));
}

SUITE_MAIN("pool-volume", TEST(a_host_without_apparmor_reports_nothing),
	   TEST(the_package_version_decides))
