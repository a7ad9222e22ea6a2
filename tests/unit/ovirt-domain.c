/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Source and directory as VDSM makes them. */
#include "plugin/ovirt/ovirt.h"
#include "tests/unit/suite.h"

static struct ovirt_domain domain;

static void is(const char *given, const char *spec, const char *name)
{
	char dir[PATH_MAX];

	CU_ASSERT_EQUAL_FATAL(ovirt_domain(given, NULL, &domain), 0);
	snprintf(dir, sizeof(dir), "/rhev/data-center/mnt/%s", name);
	CU_ASSERT_STRING_EQUAL(domain.spec, spec);
	CU_ASSERT_STRING_EQUAL(domain.dir, dir);
}

static void paths_are_normalised_as_pythons_normpath_does(void)
{
	is("nas1:/exp//my_data/", "nas1:/exp/my_data", "nas1:_exp_my__data");
	is("nas1://exp", "nas1:/exp", "nas1:_exp");
	is("nas1:/a/./b/../c/.", "nas1:/a/c", "nas1:_a_c");
	is("nas1:/../..", "nas1:/", "nas1:_");
	is("nas1:/..a/b..", "nas1:/..a/b..", "nas1:_..a_b..");
	is("nas1:///", "nas1:/", "nas1:_");
}

static void addresses_keep_their_brackets(void)
{
	is("[2001:db8::10]:/export/data", "[2001:db8::10]:/export/data",
	   "[2001:db8::10]:_export_data");
	is("192.0.2.10:/e", "192.0.2.10:/e", "192.0.2.10:_e");
}

static void underscores_are_doubled_in_names_too(void)
{
	is("nas_1:/__", "nas_1:/__", "nas__1:_____");
}

static void another_repository_is_used_unchanged(void)
{
	CU_ASSERT_EQUAL_FATAL(ovirt_domain("nas1:/e", "/var//vdsm/", &domain), 0);
	CU_ASSERT_STRING_EQUAL(domain.dir, "/var/vdsm/mnt/nas1:_e");
	CU_ASSERT_EQUAL_FATAL(ovirt_domain("nas1:/e", "/", &domain), 0);
	CU_ASSERT_STRING_EQUAL(domain.dir, "/mnt/nas1:_e");
}

static void invalid_domains_are_refused(void)
{
	char longest[1000];

	CU_ASSERT_EQUAL(ovirt_domain("nas1:/e", "rhev", &domain), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_domain("nas1:/e", "/a b", &domain), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_domain("nas1:/e", "/a]b", &domain), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_domain("nas1", NULL, &domain), -EINVAL);
	CU_ASSERT_EQUAL(ovirt_domain("", NULL, &domain), -EINVAL);
	memset(longest, 'a', sizeof(longest));
	memcpy(longest, "nas1:/", 6);
	longest[255] = '\0';
	CU_ASSERT_EQUAL(ovirt_domain(longest, NULL, &domain), 0);
	strcat(longest, "a");
	CU_ASSERT_EQUAL(ovirt_domain(longest, NULL, &domain), -EINVAL);
	ASSERT_CONTAINS(err_text(), "256 bytes");
}

SUITE_MAIN("ovirt-domain", TEST(paths_are_normalised_as_pythons_normpath_does),
	   TEST(addresses_keep_their_brackets), TEST(underscores_are_doubled_in_names_too),
	   TEST(another_repository_is_used_unchanged), TEST(invalid_domains_are_refused))
