/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What WRITEs store and how it is found wrong; the gate before them; the record of the file that is
 * made; and what follows from a sweep. */
#include "rpcrdma/probe/write-internal.h"

#include "tests/unit/suite.h"

#define KEY  UINT64_C(0x0123456789abcdef)
#define BASE 65536u
#define LEN  32768u

/* --- content -------------------------------------------------------------------------------- */

static uint8_t before[LEN], want[LEN], got[LEN];
static struct write_view view;
static char text[200];

/* WRITE number 7, of @count bytes at @at of a window that WRITE number 3 filled. */
static void begin(uint32_t at, uint32_t count)
{
	view = (struct write_view){ .before = before,
				    .want = want,
				    .got = got,
				    .base = BASE,
				    .len = LEN,
				    .offset = BASE + at,
				    .count = count,
				    .generation = 7,
				    .key = KEY,
				    .last = 7,
				    .words = 1 << 20 };
	write_content(before, BASE, LEN, 3, KEY);
	memcpy(want, before, LEN);
	write_content(want + at, BASE + at, count, 7, KEY);
	memcpy(got, want, LEN);
}

static const char *reason(void)
{
	const char *r = write_damage_reason(write_damage_of(&view, text, sizeof(text)));

	return r ? r : "none";
}

static void content_does_not_depend_on_where_a_write_begins(void)
{
	uint8_t part[100];

	begin(0, LEN);
	write_content(part, BASE + 4093, sizeof(part), 7, KEY);
	ASSERT_BYTES(part, want + 4093, sizeof(part));
	CU_ASSERT_STRING_EQUAL(reason(), "none");
}

static void each_kind_of_damage_has_its_name(void)
{
	begin(4096, 9001);
	memcpy(got + 4096 + 9000, before + 4096 + 9000, 1);
	CU_ASSERT_STRING_EQUAL(reason(), "tail");

	begin(4096, 9001);
	memset(got + 4096 + 9001, 0, 3);
	CU_ASSERT_STRING_EQUAL(reason(), "pad");
	ASSERT_CONTAINS(text, "3 zero bytes");

	begin(4096, 8192);
	memset(got + 4096 + 8192, 0, 1);
	CU_ASSERT_STRING_EQUAL(reason(), "neighbour");
	ASSERT_CONTAINS(text, "offset 77824");

	begin(4096, 8192);
	got[4095] ^= 1;
	CU_ASSERT_STRING_EQUAL(reason(), "neighbour");

	begin(4096, 8192);
	memcpy(got + 4096, before + 4096, 8192);
	CU_ASSERT_STRING_EQUAL(reason(), "not-stored");
	ASSERT_CONTAINS(text, "byte 0 of 8192");

	begin(4096, 8192);
	memset(got + 8192, 0, 4096);
	CU_ASSERT_STRING_EQUAL(reason(), "zeros");
	ASSERT_CONTAINS(text, "byte 4096 of 8192");

	begin(4096, 12288);
	memcpy(got + 8192, want + 4096, 4096);
	CU_ASSERT_STRING_EQUAL(reason(), "repeated-page");

	/* By an odd number of bytes. */
	begin(4096, 8192);
	memcpy(got + 4096, want + 4096 + 511, 8192 - 511);
	CU_ASSERT_STRING_EQUAL(reason(), "moved");
	ASSERT_CONTAINS(text, "at offset 69632 is the data of offset 70143");

	/* Stored before its range, and not in it. */
	begin(5000, 8192);
	memcpy(got + 4096, want + 5000, 8192);
	CU_ASSERT_STRING_EQUAL(reason(), "moved");

	begin(4096, 8192);
	memcpy(got + 4096, before + 16384, 4096);
	CU_ASSERT_STRING_EQUAL(reason(), "earlier-data");
	ASSERT_CONTAINS(text, "of offset 81920");

	begin(4096, 8192);
	memset(got + 5000, WRITE_AFTER, 20);
	CU_ASSERT_STRING_EQUAL(reason(), "late-read");

	begin(4096, 8192);
	memset(got + 5000, 0xaa, 20);
	CU_ASSERT_STRING_EQUAL(reason(), "wrong-data");
}

/* WRITE number 5 was not answered: its bytes may be there or not, and no others. */
static void what_an_unanswered_write_stores_later_is_no_damage(void)
{
	const struct write_open open = { BASE + 4090, 4100, 5 };

	begin(4096, 4096);
	write_content(got + 6000, BASE + 6000, 2190, 5, KEY);
	got[8190] ^= 1;
	write_open_take(&open, KEY, want, got, BASE, LEN);
	CU_ASSERT_EQUAL(memcmp(got, want, 8190), 0);
	CU_ASSERT_NOT_EQUAL(got[8190], want[8190]);
	/* Partly before and behind what is compared. */
	write_content(got + 4090, BASE + 4090, 4100, 5, KEY);
	write_open_take(&open, KEY, want + 5000, got + 5000, BASE + 5000, 1000);
	CU_ASSERT_EQUAL(memcmp(got + 5000, want + 5000, 1000), 0);
	CU_ASSERT_NOT_EQUAL(memcmp(got + 4096, want + 4096, 904), 0);
	write_open_take(&open, KEY, want, got, BASE + LEN, LEN);
	CU_ASSERT_NOT_EQUAL(memcmp(got + 4096, want + 4096, 904), 0);
}

/* What the path lost is said of the path, and not forgotten with what WRITEs did. */
static void what_the_path_lost_is_kept(void)
{
	static struct behaviour was, now;

	was.lost.count = was.gaps = 1;
	now = was;
	now.lost.count = now.gaps = 3;
	now.closed.count = 2;
	write_forget(&now, &was);
	CU_ASSERT_EQUAL(now.lost.count, 3);
	CU_ASSERT_EQUAL(now.gaps, 3);
	CU_ASSERT_EQUAL(now.closed.count, 0);
	/* One was lost by the server. */
	now.lost.count = 5;
	now.gaps = 4;
	write_forget(&now, &was);
	CU_ASSERT_EQUAL(now.lost.count, 1);
	CU_ASSERT_EQUAL(now.gaps, 1);
}

/* A WRITE of a few bytes, and damage at the window's very end, have no whole word. */
static void small_ranges_stay_within_the_window(void)
{
	uint32_t count;

	for (count = 1; count < 20; count++) {
		SUITE_ROW("%u bytes", count);
		begin(LEN - count, count);
		got[LEN - 1] ^= 0x40;
		CU_ASSERT_STRING_NOT_EQUAL(reason(), "none");
		begin(0, count);
		memset(got, 0x55, count);
		CU_ASSERT_STRING_EQUAL(reason(), "wrong-data");
	}
}

/* --- the gate ------------------------------------------------------------------------------- */

static void writes_go_only_to_servers_that_bear_them(void)
{
	static const struct {
		enum server_kind kind;
		bool private_data;
		struct linux3_seen seen;
		enum write_gate gate;
	} rows[] = {
		{ SERVER_OURS, true, { 0 }, WRITE_ALL },
		{ SERVER_LINUX, true, { 0 }, WRITE_ODD_FORMS },
		{ SERVER_UNKNOWN, true, { 0 }, WRITE_AS_CLIENTS },
		{ SERVER_ONTAP, true, { 0 }, WRITE_AS_CLIENTS },
		{ SERVER_GANESHA, true, { 0 }, WRITE_NOTHING },
		{ SERVER_OURS, false, { 0 }, WRITE_NOTHING },
		{ SERVER_LINUX, false, { 0 }, WRITE_NOTHING },
		{ SERVER_UNKNOWN, false, { 0 }, WRITE_NOTHING },
		{ SERVER_SOLARIS, false, { 0 }, WRITE_NOTHING },
		{ SERVER_LINUX, true, { .header_segment = true }, WRITE_NOTHING },
		{ SERVER_LINUX, true, { .unused_dropped = 1 }, WRITE_NOTHING },
		{ SERVER_UNKNOWN, true, { .reply_heads = 1 }, WRITE_NOTHING },
		{ SERVER_OURS, true, { .page_starts = 1 }, WRITE_NOTHING },
	};
	struct server_identity server;
	const char *why;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		memset(&server, 0, sizeof(server));
		server.kind = rows[i].kind;
		server.habits.private_data = rows[i].private_data;
		server.linux3 = rows[i].seen;
		CU_ASSERT_EQUAL(write_allowed(&server, &why), rows[i].gate);
		CU_ASSERT_EQUAL(*why != '\0', rows[i].gate == WRITE_NOTHING);
	}
}

/* --- the record ----------------------------------------------------------------------------- */

static struct scratch example(void)
{
	struct scratch s = { .exists = true,
			     .address = 2,
			     .version = 1,
			     .left = SCRATCH_ANOTHER,
			     .cred = { .flavor = RPC_AUTH_SYS,
				       .uid = 36,
				       .gid = 37,
				       .ngids = 2,
				       .gids = { 107, 36 } },
			     .dir = { 3, { 1, 2, 3 } },
			     .fh = { 4, { 5, 6, 7, 8 } },
			     .fileid = 99 };

	str_copy(s.name, sizeof(s.name), ".nfsrdma-scratch-00");
	str_copy(s.path, sizeof(s.path), "/export/.nfsrdma-scratch-00");
	return s;
}

static void a_record_is_the_same_afterwards(void)
{
	struct scratch s = example(), again;
	uint8_t buf[SCRATCH_RECORD_MAX];
	size_t len = scratch_encode(&s, buf), cut;

	CU_ASSERT_EQUAL_FATAL(scratch_decode(&again, buf, len), 0);
	ASSERT_BYTES(&again, &s, sizeof(s));
	for (cut = 0; cut < len; cut++) {
		SUITE_ROW("cut at %zu", cut);
		CU_ASSERT_EQUAL(scratch_decode(&again, buf, cut), -EPROTO);
	}
}

static void a_hostile_record_is_refused(void)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} rows[] = {
		{ 0, 2 },
		{ 2, PROBE_VERSIONS },
		{ 3, NFS_FH_MAX + 1 },
		{ 4, NFS_FH_MAX + 1 },
		{ 5, RPC_GIDS_MAX + 1 },
		{ 6, SCRATCH_LEFTS },
		{ SCRATCH_FIXED, 0 },
		{ SCRATCH_FIXED, '\n' },
		{ SCRATCH_FIXED + 25, 0x1b },
	};
	struct scratch s = example(), again;
	uint8_t buf[SCRATCH_RECORD_MAX];
	size_t len, i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		len = scratch_encode(&s, buf);
		buf[rows[i].at] = rows[i].byte;
		CU_ASSERT_EQUAL(scratch_decode(&again, buf, len), -EPROTO);
	}
}

static void an_error_has_its_reason(void)
{
	static const struct {
		uint32_t status;
		const char *reason;
	} rows[] = {
		{ NFS4ERR_ROFS, "read-only" },  { NFS4ERR_ACCESS, "denied" },
		{ NFS4ERR_PERM, "denied" },     { NFS4ERR_NOSPC, "no-space" },
		{ NFS4ERR_DQUOT, "no-space" },  { NFS4ERR_EXIST, "exists" },
		{ NFS4ERR_GRACE, "grace" },     { NFS4ERR_DELAY, "busy" },
		{ NFS4ERR_NOENT, "not-found" }, { NFS4ERR_IO, "failed" },
	};
	static const struct {
		enum write_kind kind;
		const char *reason;
	} kinds[] = {
		{ WRITE_SHORT, "short" },      { WRITE_STATUS, "status" },
		{ WRITE_RPC, "rpc-error" },    { WRITE_ERROR, "rdma-error" },
		{ WRITE_HEADER, "malformed" }, { WRITE_COUNT, "count" },
		{ WRITE_CLOSED, "closed" },    { WRITE_TRANSPORT, "closed" },
		{ WRITE_SIZE, "size" },        { WRITE_UNANSWERED, "no-reply" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_STRING_EQUAL(scratch_reason(rows[i].status), rows[i].reason);
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct write_outcome o = { .kind = kinds[i].kind };

		SUITE_ROW("%zu", i);
		CU_ASSERT_STRING_EQUAL(write_outcome_reason(&o), kinds[i].reason);
		CU_ASSERT_TRUE(write_kind_is_failure(o.kind));
	}
}

/* --- what follows --------------------------------------------------------------------------- */

static char said[1024];

static void note(void *arg, const struct finding *finding)
{
	size_t used = strlen(said);

	(void)arg;
	snprintf(said + used, sizeof(said) - used, "%s %s/%s; ",
		 finding_status_name(finding->status), finding->id, finding->reason);
}

static const char *say(const struct write_tally *t)
{
	*said = '\0';
	write_say(t, note, NULL);
	return said;
}

static struct write_tally all_right(void)
{
	return (struct write_tally){ .right = { 20, 60, 10, 10 },
				     .segments_right = 20,
				     .flight_right = 24,
				     .largest = 1048576,
				     .commits = 1,
				     .committed = true };
}

static void a_sweep_without_failures_passes(void)
{
	struct write_tally t = all_right();

	CU_ASSERT_STRING_EQUAL(say(&t), "pass probe.write/; pass probe.write.commit/; ");
}

static void the_reason_is_that_of_the_worst(void)
{
	struct write_tally t = all_right();

	t.wrong[WRITE_READ_CHUNK] = 4;
	t.first = (struct write_outcome){ .kind = WRITE_DATA, .damage = WRITE_MOVED };
	str_copy(t.example, sizeof(t.example), "x");
	CU_ASSERT_STRING_EQUAL(say(&t), "fail probe.write/moved; pass probe.write.commit/; ");
	/* Only those of several segments. */
	t.segments_wrong = 4;
	CU_ASSERT_STRING_EQUAL(say(&t), "fail probe.write/segments; pass probe.write.commit/; ");
	/* A part of it stored, and said so: data is right. */
	t = all_right();
	t.wrong[WRITE_READ_CHUNK] = 4;
	t.first.kind = WRITE_SHORT;
	CU_ASSERT_STRING_EQUAL(say(&t), "warn probe.write/short; pass probe.write.commit/; ");
	t = all_right();
	t.flight_wrong = 1;
	CU_ASSERT_STRING_EQUAL(say(&t), "fail probe.write/in-flight; pass probe.write.commit/; ");
}

static void nothing_passes_that_was_not_done(void)
{
	struct write_tally t = { .largest = 0 };

	CU_ASSERT_STRING_EQUAL(say(&t), "unknown probe.write/not-tried; ");
	t = all_right();
	t.out_of_time = true;
	CU_ASSERT_STRING_EQUAL(say(&t), "unknown probe.write/time; pass probe.write.commit/; ");
	/* The connection was lost, before or after the COMMIT. */
	t = all_right();
	t.stopped = true;
	CU_ASSERT_STRING_EQUAL(say(&t),
			       "unknown probe.write/not-tried; pass probe.write.commit/; ");
	t.committed = false;
	CU_ASSERT_STRING_EQUAL(say(&t), "unknown probe.write/not-tried; ");
	t = all_right();
	t.refused = "no-space";
	CU_ASSERT_STRING_EQUAL(say(&t), "unknown probe.write/no-space; pass probe.write.commit/; ");
	t = all_right();
	t.at_times = 1;
	t.over_tcp = 1;
	t.commit = "lost";
	CU_ASSERT_STRING_EQUAL(say(&t),
			       "skip probe.write/; fail probe.write.intermittent/errors; "
			       "warn probe.write.over-tcp/nfs; fail probe.write.commit/lost; ");
}

SUITE_MAIN("write", TEST(content_does_not_depend_on_where_a_write_begins),
	   TEST(each_kind_of_damage_has_its_name),
	   TEST(what_an_unanswered_write_stores_later_is_no_damage),
	   TEST(what_the_path_lost_is_kept), TEST(small_ranges_stay_within_the_window),
	   TEST(writes_go_only_to_servers_that_bear_them), TEST(a_record_is_the_same_afterwards),
	   TEST(a_hostile_record_is_refused), TEST(an_error_has_its_reason),
	   TEST(a_sweep_without_failures_passes), TEST(the_reason_is_that_of_the_worst),
	   TEST(nothing_passes_that_was_not_done))
