/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Where Write-chunk READs stopped, and why: a failure is not reported as untested. */
#include "rpcrdma/probe/internal.h"

#include "tests/unit/suite.h"

static struct read_record list[8];
static struct records records;
static struct largest_input in;
static struct finding found;

static void sink(void *arg, const struct finding *f)
{
	(void)arg;
	finding_copy(&found, f);
}

static void begin(void)
{
	memset(list, 0, sizeof(list));
	records = (struct records){ .list = list, .cap = ARRAY_SIZE(list) };
	in = (struct largest_input){
		.records = &records,
		.level = PROBE_STANDARD,
		.kind = SERVER_LINUX,
		.named_max = 262144,
		.read_max = 262144,
	};
}

static void add(uint32_t count, enum read_kind kind)
{
	struct read_record *r = &list[records.count++];

	r->c.mechanism = MECH_WRITE_CHUNK;
	r->c.count = r->expected = count;
	r->outcome.kind = kind;
	r->outcome.brought = read_kind_is_right(kind) ? count : 0;
}

static void expect(enum finding_status status, const char *words)
{
	largest_say(&in, sink, NULL);
	CU_ASSERT_EQUAL(found.status, status);
	ASSERT_CONTAINS(found.summary, words);
}

static void the_servers_maximum_passes(void)
{
	begin();
	add(262144, READ_OK);
	expect(FINDING_PASS, "tested up to 262144 bytes, the server's largest");
	/* Correct data in any frame. */
	list[0].outcome.kind = READ_LENGTHS;
	expect(FINDING_PASS, "tested up to 262144 bytes, the server's largest");
	in.named_max = 0;
	expect(FINDING_PASS, "names no largest");
}

static void untested_sizes_have_a_reason(void)
{
	begin();
	add(65536, READ_OK);
	expect(FINDING_SKIP, "stopped at 65536 bytes, the server takes 262144: --level full goes");
	records.out_of_time = true;
	expect(FINDING_SKIP, "takes 262144: the time ran out");
	begin();
	in.kind = SERVER_UNKNOWN;
	in.named_max = 4194304;
	add(GATE_MAX, READ_OK);
	expect(FINDING_SKIP, "takes 4194304: longer ones can crash nfs-ganesha");
}

static void a_failed_size_is_not_reported_as_the_limit(void)
{
	begin();
	add(65536, READ_OK);
	add(262144, READ_DATA);
	expect(FINDING_SKIP, "are correct up to 65536 bytes, larger ones failed");
	records.out_of_time = true;
	expect(FINDING_SKIP, "larger ones failed");
	/* With another mechanism it says nothing about this one. */
	list[1].c.mechanism = MECH_REPLY_CHUNK;
	expect(FINDING_SKIP, "the time ran out");
	begin();
	add(262144, READ_STATUS);
	expect(FINDING_SKIP, "no Write-chunk READ was correct");
}

SUITE_MAIN("largest", TEST(the_servers_maximum_passes), TEST(untested_sizes_have_a_reason),
	   TEST(a_failed_size_is_not_reported_as_the_limit))
