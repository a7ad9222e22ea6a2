/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READs of more than 1 MiB against the embedded server: at level full up to its maximum, by
 * Write chunk only. */
#include "tests/unit/probe-peer.h"

#define MIB (1024 * 1024)

struct sum {
	uint32_t largest[MECH_COUNT]; /* that came right */
	unsigned int wrong, large;
};

static void add_up(const struct records *rs, struct sum *sum)
{
	const struct read_record *r;
	size_t i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < rs->count; i++) {
		r = &rs->list[i];
		sum->wrong += read_kind_is_failure(r->outcome.kind);
		sum->large += r->c.count > MIB + 1;
		if (r->outcome.kind == READ_OK && r->outcome.brought > sum->largest[r->c.mechanism])
			sum->largest[r->c.mechanism] = r->outcome.brought;
	}
}

/* Short inline READs would need thousands of calls. */
static void open_reference(void)
{
	struct transport_address to = at;
	int fd;

	transport_set_port(&to, ports.nfs);
	CU_ASSERT_EQUAL_FATAL(rpc_tcp_connect(&fd, &to, NULL, p->deadline), 0);
	CU_ASSERT_EQUAL_FATAL(reference_start(&p->tcp.reference), 0);
	CU_ASSERT_EQUAL_FATAL(reference_connect(p->tcp.reference, fd, &at, &p->cred, p->version),
			      0);
}

static enum server_kind kind = SERVER_OURS;

static void sweep(const char *version, enum probe_level level, uint32_t rtmax, struct records *rs,
		  struct sum *sum)
{
	memset(rs, 0, sizeof(*rs));
	open_probe(version, level, rtmax);
	p->server.kind = kind;
	open_reference();
	sweep_run(p, rs);
	add_up(rs, sum);
	CU_ASSERT_EQUAL(sum->wrong, 0);
	CU_ASSERT_FALSE(rs->out_of_time);
	reference_close(p->tcp.reference);
	close_probe();
	free(rs->list);
}

static void level_full_reads_up_to_the_servers_maximum(void)
{
	struct records rs;
	struct sum sum;

	sweep("4.0", PROBE_FULL, 4 * MIB, &rs, &sum);
	CU_ASSERT_EQUAL(sum.largest[MECH_WRITE_CHUNK], 4 * MIB);
	ASSERT_AT_MOST(sum.largest[MECH_REPLY_CHUNK], MIB + 1);
	/* 2 MiB - 1, 2 MiB, 4 MiB - 1, 4 MiB */
	CU_ASSERT_EQUAL(sum.large, 4);
	CU_ASSERT_STRING_EQUAL(rs.large_why, "");
}

static void a_maximum_just_over_3_mib_is_reached(void)
{
	struct records rs;
	struct sum sum;

	sweep("4.0", PROBE_FULL, 3 * MIB + 5, &rs, &sum);
	CU_ASSERT_EQUAL(sum.largest[MECH_WRITE_CHUNK], 3 * MIB + 5);
	CU_ASSERT_EQUAL(sum.large, 4);
}

/* nfs-ganesha advertises 64 MiB, and has room for 1. */
static void an_unidentified_server_is_read_up_to_1_mib(void)
{
	static const enum server_kind kinds[] = { SERVER_UNKNOWN, SERVER_GANESHA };
	struct records rs;
	struct sum sum;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		kind = kinds[i];
		sweep("4.0", PROBE_FULL, 4 * MIB, &rs, &sum);
		CU_ASSERT_EQUAL(sum.largest[MECH_WRITE_CHUNK], MIB);
		CU_ASSERT_EQUAL(sum.large, 0);
	}
	kind = SERVER_OURS;
}

/* The embedded server grants a response of slightly more than 1 MiB. */
static void a_session_limits_the_reads(void)
{
	struct records rs;
	struct sum sum;

	sweep("4.1", PROBE_FULL, 4 * MIB, &rs, &sum);
	ASSERT_LESS(sum.largest[MECH_WRITE_CHUNK], 2 * MIB);
	ASSERT_MORE(sum.largest[MECH_WRITE_CHUNK], MIB);
}

static void other_levels_stop_at_1_mib(void)
{
	static const enum probe_level levels[] = { PROBE_QUICK, PROBE_STANDARD };
	struct records rs;
	struct sum sum;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		SUITE_ROW("level %u", levels[i]);
		sweep("4.0", levels[i], 4 * MIB, &rs, &sum);
		CU_ASSERT_EQUAL(sum.large, 0);
		ASSERT_AT_LEAST(sum.largest[MECH_WRITE_CHUNK], MIB);
	}
}

/* The probe reports where it stopped, and why. */

static struct finding told;

static void on_finding(void *arg, const struct finding *f)
{
	(void)arg;
	if (!strcmp(f->id, "probe.read.largest"))
		finding_copy(&told, f);
}

static void on_subject(void *arg, const char *key, const char *value)
{
	(void)arg, (void)key, (void)value;
}

static void probe_all(const char *version, enum probe_level level, uint32_t rtmax)
{
	const struct probe_events events = { .finding = on_finding, .subject = on_subject };
	const struct server_spawn_options spawn = { .transport = &transport_iwarp, .rtmax = rtmax };
	const struct probe_options all = { .host = "127.0.0.1",
					   .export = "/",
					   .transport = &transport_iwarp,
					   .version = nfs_version_find(version),
					   .level = level,
					   .timeout_ms = PATIENCE_MS };
	struct probe_options here = all;

	CU_ASSERT_EQUAL_FATAL(server_spawn(&server, &spawn, &ports), 0);
	here.port = ports.rdma;
	here.nfs_port = ports.nfs;
	here.mount_port = ports.mount;
	finding_fini(&told);
	memset(&told, 0, sizeof(told));
	CU_ASSERT_EQUAL(probe_run(&here, &events), 0);
	server_kill_p(&server);
}

static void every_level_reports_where_it_stopped(void)
{
	static const struct {
		const char *version;
		enum probe_level level;
		uint32_t rtmax;
		enum finding_status status;
		const char *words;
	} rows[] = {
		{ "4.0", PROBE_QUICK, 4 * MIB, FINDING_SKIP,
		  "stopped at 1048576 bytes, the server takes 4194304: --level full" },
		{ "3", PROBE_STANDARD, 4 * MIB, FINDING_SKIP,
		  "stopped at 1048577 bytes, the server takes 4194304: --level full" },
		{ "3", PROBE_FULL, 4 * MIB, FINDING_PASS,
		  "up to 4194304 bytes, the server's largest" },
		{ "4.1", PROBE_FULL, 4 * MIB, FINDING_SKIP, "the session" },
		{ "4.1", PROBE_QUICK, 65536, FINDING_PASS,
		  "up to 65536 bytes, the server's largest" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: NFSv%s, level %u", i, rows[i].version, rows[i].level);
		probe_all(rows[i].version, rows[i].level, rows[i].rtmax);
		CU_ASSERT_EQUAL(told.status, rows[i].status);
		ASSERT_CONTAINS(told.summary, rows[i].words);
	}
}

SUITE_MAIN("large", TEST(level_full_reads_up_to_the_servers_maximum),
	   TEST(a_maximum_just_over_3_mib_is_reached),
	   TEST(an_unidentified_server_is_read_up_to_1_mib), TEST(a_session_limits_the_reads),
	   TEST(other_levels_stop_at_1_mib), TEST(every_level_reports_where_it_stopped))
