/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Values of the command line: complete, within limits, refused with a message. */
#include "plugin/cli/options.h"
#include "suite.h"

static void numbers_are_whole_and_bounded(void)
{
	static const char *const bad[] = { "",
					   " 1",
					   "1 ",
					   "+1",
					   "-1",
					   "0x10",
					   "1.5",
					   "1e3",
					   "0",
					   "11",
					   "4294967297",
					   "\n",
					   "99999999999999999999",
					   "1\033[m",
					   "one" };
	unsigned long n = 77;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT_EQUAL(value_number(bad[i], 1, 10, &n), -EINVAL);
		ASSERT_CONTAINS(err_text(), "from 1 to 10");
	}
	CU_ASSERT_EQUAL(n, 77);
	CU_ASSERT_EQUAL(value_number("1", 1, 10, &n), 0);
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_EQUAL(value_number("0010", 1, 10, &n), 0);
	CU_ASSERT_EQUAL(n, 10);
}

static void ports_end_at_65535(void)
{
	uint16_t port = 7;

	CU_ASSERT_EQUAL(value_port("65536", &port), -EINVAL);
	CU_ASSERT_EQUAL(value_port("0", &port), -EINVAL);
	CU_ASSERT_EQUAL(port, 7);
	CU_ASSERT_EQUAL(value_port("65535", &port), 0);
	CU_ASSERT_EQUAL(port, 65535);
}

static void cred_is_a_user_and_groups(void)
{
	struct rpc_cred cred;

	CU_ASSERT_EQUAL(value_cred("36:36", &cred), 0);
	CU_ASSERT_EQUAL(cred.flavor, RPC_AUTH_SYS);
	CU_ASSERT_EQUAL(cred.uid, 36);
	CU_ASSERT_EQUAL(cred.gid, 36);
	CU_ASSERT_EQUAL(cred.ngids, 0);
	CU_ASSERT_EQUAL(value_cred("0:1,2,4294967294", &cred), 0);
	CU_ASSERT_EQUAL(cred.uid, 0);
	CU_ASSERT_EQUAL(cred.gid, 1);
	CU_ASSERT_EQUAL(cred.ngids, 2);
	CU_ASSERT_EQUAL(cred.gids[0], 2);
	CU_ASSERT_EQUAL(cred.gids[1], 4294967294u);
}

static void malformed_cred_is_refused(void)
{
	static const char *const bad[] = {
		"",        "36",       ":36",          "36:",          "36:36,",
		"36:,36",  "36:36,,1", "36:36:1",      "a:b",          "36,36",
		"-1:36",   "36:36 ",   "4294967295:0", "1:4294967295", "99999999999:1",
		"36:36,x", "36:36;1"
	};
	struct rpc_cred cred = { .uid = 77 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT_EQUAL(value_cred(bad[i], &cred), -EINVAL);
		ASSERT_CONTAINS(err_text(), "UID:GID");
	}
	CU_ASSERT_EQUAL(cred.uid, 77);
}

static void cred_has_sixteen_more_groups_at_most(void)
{
	struct rpc_cred cred;

	CU_ASSERT_EQUAL(value_cred("1:1,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &cred), 0);
	CU_ASSERT_EQUAL(cred.ngids, 16);
	CU_ASSERT_EQUAL(cred.gids[15], 16);
	CU_ASSERT_EQUAL(value_cred("1:1,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", &cred),
			-EINVAL);
}

static void target_is_split_at_its_path(void)
{
	static const struct {
		const char *text, *host, *path;
	} cases[] = {
		{ "nas1", "nas1", NULL },
		{ "nas1:/", "nas1", "/" },
		{ "nas1:/export/a:/b", "nas1", "/export/a:/b" },
		{ "192.0.2.1:/export", "192.0.2.1", "/export" },
		{ "[2001:db8::1]", "2001:db8::1", NULL },
		{ "[::1]:/export/a b", "::1", "/export/a b" },
		{ "[fe80::1%eth0]:/e", "fe80::1%eth0", "/e" },
	};
	struct value_server target;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu: %s", i, cases[i].text);
		CU_ASSERT_EQUAL(value_server(cases[i].text, &target), 0);
		CU_ASSERT_STRING_EQUAL(target.host, cases[i].host);
		CU_ASSERT_EQUAL(!target.path, !cases[i].path);
		if (target.path && cases[i].path)
			CU_ASSERT_STRING_EQUAL(target.path, cases[i].path);
	}
}

static void invalid_targets_are_refused(void)
{
	static const struct {
		const char *text, *word;
	} cases[] = {
		{ "", "empty" },
		{ ":/export", "no server" },
		{ "[]:/export", "no server" },
		{ "[::1:/export", "bracket" },
		{ "[nas1]:/export", "not an IPv6 address" },
		{ "[::1]x", "after the server" },
		{ "2001:db8::1", "brackets" },
		{ "2001:db8::1:/export", "brackets" },
		{ "nas1:", "after the server" },
		{ "nas1:export", "after the server" },
		{ "nas1:20049", "--port" },
		{ "/export", "is not a server name" },
		{ "na s1:/export", "is not a server name" },
		{ "user@nas1:/export", "is not a server name" },
		{ "-nas1", "is not a server name" },
		{ "n\xff", "is not a server name" },
		{ "[fe80::1%]", "not an IPv6 address" },
		{ "[::1%e/h]", "not an IPv6 address" },
		{ "nas1:/ex\nport", "control" },
		{ "na\033s1", "control" },
	};
	struct value_server target;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu: %s", i, cases[i].text);
		CU_ASSERT_EQUAL(value_server(cases[i].text, &target), -EINVAL);
		ASSERT_CONTAINS(err_text(), cases[i].word);
	}
}

static void endless_targets_are_refused(void)
{
	char *text = malloc(65537);
	struct value_server target;

	memset(text, 'a', 65536);
	text[65536] = '\0';
	CU_ASSERT_EQUAL(value_server(text, &target), -EINVAL);
	memcpy(text, "nas1:/", 6);
	CU_ASSERT_EQUAL(value_server(text, &target), -EINVAL);
	ASSERT_CONTAINS(err_text(), "at most 1024");
	text[5 + 1024] = '\0';
	CU_ASSERT_EQUAL(value_server(text, &target), 0);
	memset(text, '[', 65536);
	CU_ASSERT_EQUAL(value_server(text, &target), -EINVAL);
	free(text);
}

static void addresses_must_be_numeric(void)
{
	static const char *const bad[] = { "",         "localhost",   "192.0.2", "[]",
					   "[::1",     "192.0.2.1:1", "::1]",    "::g",
					   "0x7f.1\n", "1 2",         "[::1]:1" };
	struct transport_address at = { .len = 1 };
	char text[TRANSPORT_ADDRESS_TEXT];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT_EQUAL(value_address(bad[i], &at), -EINVAL);
		ASSERT_CONTAINS(err_text(), "numeric address");
	}
	CU_ASSERT_EQUAL(at.len, 1);
	CU_ASSERT_EQUAL(value_address("192.0.2.1", &at), 0);
	CU_ASSERT_STRING_EQUAL(transport_address_text(&at, text, sizeof(text)), "192.0.2.1:0");
	CU_ASSERT_EQUAL(value_address("[2001:db8::1]", &at), 0);
	CU_ASSERT_STRING_EQUAL(transport_address_text(&at, text, sizeof(text)), "[2001:db8::1]:0");
	CU_ASSERT_EQUAL(value_address("::1", &at), 0);
}

static void a_device_is_a_name_not_a_path(void)
{
	char longest[65];
	const char *device = "kept";

	memset(longest, 'a', sizeof(longest));
	longest[64] = '\0';
	CU_ASSERT_EQUAL(value_device(longest, &device), -EINVAL);
	CU_ASSERT_EQUAL(value_device("../mlx5_0", &device), -EINVAL);
	CU_ASSERT_EQUAL(value_device("..", &device), -EINVAL);
	CU_ASSERT_EQUAL(value_device("", &device), -EINVAL);
	CU_ASSERT_STRING_EQUAL(device, "kept");
	longest[63] = '\0';
	CU_ASSERT_EQUAL(value_device(longest, &device), 0);
	CU_ASSERT_EQUAL(value_device("rocep1s0f0", &device), 0);
	CU_ASSERT_STRING_EQUAL(device, "rocep1s0f0");
}

SUITE_MAIN("values", TEST(addresses_must_be_numeric), TEST(a_device_is_a_name_not_a_path),
	   TEST(numbers_are_whole_and_bounded), TEST(ports_end_at_65535),
	   TEST(cred_is_a_user_and_groups), TEST(malformed_cred_is_refused),
	   TEST(cred_has_sixteen_more_groups_at_most), TEST(target_is_split_at_its_path),
	   TEST(invalid_targets_are_refused), TEST(endless_targets_are_refused))
