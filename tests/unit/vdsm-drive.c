/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Which files a drive of VDSM's names. */
#include "hooks/vdsm/internal.h"
#include "tests/unit/suite.h"

#define POOL   "11111111-1111-1111-1111-111111111111"
#define DOMAIN "22222222-2222-2222-2222-222222222222"
#define OTHER  "33333333-3333-3333-3333-333333333333"
#define LEAF   "/rhev/data-center/" POOL "/" DOMAIN "/images/i/leaf"
#define MNT    "/rhev/data-center/mnt/nas:_vm/"

static struct vdsm_drive drive;

static int parse(const char *text)
{
	vdsm_drive_fini(&drive);
	return vdsm_drive_parse(&drive, text, strlen(text));
}

static void a_drive_is_its_path(void)
{
	CU_ASSERT_EQUAL_FATAL(
		parse("{\"device\": \"disk\", \"name\": \"vda\", \"diskType\": \"file\","
		      "\"domainID\": \"" DOMAIN "\", \"path\": \"" LEAF "\","
		      "\"volumeChain\": ["
		      "{\"domainID\": \"" DOMAIN "\", \"path\": \"" MNT DOMAIN
		      "/images/i/base\", \"leaseOffset\": 0},"
		      "{\"domainID\": \"" DOMAIN "\", \"path\": \"" MNT DOMAIN
		      "/images/i/leaf\"}],"
		      "\"volumeInfo\": {\"type\": \"file\"}, \"specParams\": {}}"),
		0);
	CU_ASSERT_STRING_EQUAL(drive.name, "vda");
	CU_ASSERT_EQUAL_FATAL(drive.npaths, 1);
	CU_ASSERT_STRING_EQUAL(drive.paths[0], LEAF);
	vdsm_drive_fini(&drive);
}

static void a_volume_of_another_domain_is_one_more(void)
{
	CU_ASSERT_EQUAL_FATAL(
		parse("{\"path\": \"" LEAF "\", \"domainID\": \"" DOMAIN "\","
		      "\"volumeChain\": [{\"domainID\": \"" OTHER "\", \"path\": \"/a\"},"
		      "{\"path\": \"/b\"}, 7, null, {\"domainID\": 8, \"path\": 9}]}"),
		0);
	CU_ASSERT_STRING_EQUAL(drive.name, "?");
	CU_ASSERT_EQUAL_FATAL(drive.npaths, 3);
	CU_ASSERT_STRING_EQUAL(drive.paths[1], "/a");
	CU_ASSERT_STRING_EQUAL(drive.paths[2], "/b");
	vdsm_drive_fini(&drive);
}

static void what_is_no_file_has_none(void)
{
	static const char *const rows[] = {
		"{\"diskType\": \"block\", \"path\": \"/dev/x\"}",
		"{\"diskType\": \"network\", \"path\": \"vol/x\", \"volumeChain\": [{\"path\": \"/a\"}]}",
		"{\"device\": \"cdrom\", \"diskType\": \"file\", \"path\": \"\"}",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i]);
		CU_ASSERT_EQUAL(parse(rows[i]), 0);
		CU_ASSERT_EQUAL(drive.npaths, 0);
	}
	vdsm_drive_fini(&drive);
}

static void what_is_no_drive_is_an_error(void)
{
	static const char *const rows[] = { "",
					    "[]",
					    "null",
					    "{}",
					    "{\"path\": 7}",
					    "{\"path\": null}",
					    "{\"path\": \"/a\"",
					    "{\"path\": [\"/a\"]}" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i]);
		CU_ASSERT_EQUAL(parse(rows[i]), -EBADMSG);
		CU_ASSERT_PTR_NULL(drive.paths);
	}
}

static void names_are_clean_and_chains_are_bounded(void)
{
	char *text = malloc(64 * 2000), *at = text;
	int i;

	at += sprintf(at, "{\"name\": \"v\\nda\", \"path\": \"/a\", \"volumeChain\": [");
	for (i = 0; i < 1500; i++)
		at += sprintf(at, "%s{\"path\": \"/%d/x\"}", i ? "," : "", i);
	strcpy(at, "]}");
	CU_ASSERT_EQUAL(parse(text), 0);
	CU_ASSERT_STRING_EQUAL(drive.name, "v?da");
	CU_ASSERT_EQUAL(drive.npaths, 512);
	vdsm_drive_fini(&drive);
	free(text);
}

SUITE_MAIN("vdsm-drive", TEST(a_drive_is_its_path),
	   TEST(a_volume_of_another_domain_is_one_more), TEST(what_is_no_file_has_none),
	   TEST(what_is_no_drive_is_an_error),
	   TEST(names_are_clean_and_chains_are_bounded))
