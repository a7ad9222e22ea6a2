/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The first line of a file of setup's own. */
#include <netinet/in.h>

#include "plugin/setup/internal.h"
#include "tests/unit/suite.h"

static void a_text_comes_back(void)
{
	static const char *const bodies[] = { "", "rpcrdma\n", "[nfsd]\nrdma=y\nrdma-port=20049\n",
					      "without a newline" };
	unsigned int folders;
	const char *body;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bodies); i++) {
		_cleanup_free_ char *text = own_text(bodies[i], (unsigned int)i);

		SUITE_ROW("%zu", i);
		CU_ASSERT_EQUAL(own_read(text, &body, &folders), OWN_OURS);
		CU_ASSERT_STRING_EQUAL(body, bodies[i]);
		CU_ASSERT_EQUAL(folders, i);
	}
}

static void every_edit_is_seen(void)
{
	_cleanup_free_ char *text = own_text("rpcrdma\n", 1);
	size_t header = strlen(OWN_HEADER), i;
	unsigned int folders;
	const char *body;

	for (i = 0; i < strlen(text); i++) {
		_cleanup_free_ char *edited = strdup(text);

		edited[i] ^= 1;
		SUITE_ROW("%zu: %s", i, edited);
		CU_ASSERT_EQUAL(own_read(edited, &body, &folders),
				i < header ? OWN_OTHERS : OWN_EDITED);
		/* Cut there. */
		edited[i] = '\0';
		CU_ASSERT_EQUAL(own_read(edited, &body, &folders),
				i < header ? OWN_OTHERS : OWN_EDITED);
	}
}

static void others_are_told_apart(void)
{
	static const struct {
		const char *text;
		enum own own;
	} rows[] = {
		{ NULL, OWN_NONE },
		{ "", OWN_OTHERS },
		{ "[nfsd]\n", OWN_OTHERS },
		/* Of 0.2. */
		{ OWN_HEADER "\n[nfsd]\n", OWN_EDITED },
		{ OWN_HEADER, OWN_EDITED },
		{ "\n" OWN_HEADER "\n", OWN_OTHERS },
	};
	unsigned int folders;
	const char *body;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].text ? rows[i].text : "none");
		CU_ASSERT_EQUAL(own_read(rows[i].text, &body, &folders), rows[i].own);
		CU_ASSERT_EQUAL(folders, 0);
	}
}

static void a_port_comes_back(void)
{
	static const struct setup_port ports[] = {
		{ "public", 4791, IPPROTO_UDP, true },
		{ "a-zone_of/17chars", 65535, IPPROTO_TCP, false },
	};
	struct setup_port got;
	char line[96];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		SUITE_ROW("%zu", i);
		port_format(&ports[i], line, sizeof(line));
		CU_ASSERT(port_parse(line, &got));
		CU_ASSERT_STRING_EQUAL(got.zone, ports[i].zone);
		CU_ASSERT_EQUAL(got.port, ports[i].port);
		CU_ASSERT_EQUAL(got.protocol, ports[i].protocol);
		CU_ASSERT_EQUAL(got.permanent, ports[i].permanent);
	}
}

static void other_lines_are_no_ports(void)
{
	static const char *const lines[] = { "",
					     "public",
					     "public 0/udp now",
					     "public x/udp now",
					     "public 70000/udp now",
					     "public 4791/udp" };
	struct setup_port got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		SUITE_ROW("%zu: %s", i, lines[i]);
		CU_ASSERT_FALSE(port_parse(lines[i], &got));
	}
}

/* Of a unit, what it was made for. */
static void a_link_comes_back(void)
{
	static const struct setup_link link = { "siw", "siw_br-ex.5", "br-ex.5" };
	static const char *const bad[] = { "",
					   "[Unit]\n",
					   "# Link: ib ib0 eth0 added 1\n",
					   "# Link: siw siw0 a/b added 1\n",
					   "# Link: siw siw0 eth0 added 9\n",
					   "# Link: siw siw0 eth0 added\n" };
	struct link_origin origin = { true, 1 }, got;
	struct setup_link back;
	size_t i;

	for (i = 0; i < 2; i++, origin = (struct link_origin){ false, 0 }) {
		_cleanup_free_ char *unit = link_unit(&link, "/sbin/rdma", &origin);

		CU_ASSERT(link_of_unit(unit, &back, &got));
		CU_ASSERT_EQUAL(memcmp(&link, &back, sizeof(back)), 0);
		CU_ASSERT_EQUAL(got.added, origin.added);
		CU_ASSERT_EQUAL(got.folders, origin.folders);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		CU_ASSERT_FALSE(link_of_unit(bad[i], &back, &got));
	}
}

SUITE_MAIN("setup-own", TEST(a_text_comes_back), TEST(every_edit_is_seen),
	   TEST(others_are_told_apart), TEST(a_port_comes_back), TEST(other_lines_are_no_ports),
	   TEST(a_link_comes_back))
