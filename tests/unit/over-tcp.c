/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The control over TCP, against the embedded server: failures over both transports, and calls
 * that are never sent. */
#include "tests/unit/probe-peer.h"

static struct window w;

static void begin(const char *fault)
{
	struct fault_set *set = fault_set_new();
	struct transport_address tcp;

	if (fault)
		CU_ASSERT_EQUAL_FATAL(fault_set_add(set, fault), 0);
	faults = set;
	open_probe("4.0", PROBE_STANDARD, 0);
	fault_set_free(set);
	tcp = at;
	transport_set_port(&tcp, ports.nfs);
	CU_ASSERT_EQUAL_FATAL(rpc_tcp_connect(&p->tcp.nfs, &tcp, NULL, deadline_in(PATIENCE_MS)),
			      0);
	p->tcp.nfs_tried = true;
	p->server.kind = SERVER_OURS;
	CU_ASSERT_EQUAL_FATAL(window_open(p, &w, &p->files.candidates[0], 0, 65536), 0);
}

static void end(void)
{
	window_close(&w);
	over_tcp_close(&p->tcp);
	close_probe();
}

static enum over_tcp ask(uint64_t offset, uint32_t count, enum followed_by followed_by)
{
	const struct read_case c = { .offset = offset,
				     .count = count,
				     .followed_by = followed_by,
				     .offset2 = offset + count,
				     .count2 = 5 };

	return over_tcp(p, &w, &c);
}

static void correct_data_passes_in_each_version(void)
{
	static const char *const versions[] = { "4.0", "4.1", "4.2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		SUITE_ROW("%s", versions[i]);
		begin(NULL);
		p->version = nfs_version_find(versions[i]);
		CU_ASSERT_EQUAL(ask(0, 4096, FOLLOWED_BY_NOTHING), OVER_TCP_RIGHT);
		CU_ASSERT_EQUAL(ask(813, 1021, FOLLOWED_BY_GETATTR), OVER_TCP_RIGHT);
		CU_ASSERT_EQUAL(ask(0, 813, FOLLOWED_BY_READ), OVER_TCP_RIGHT);
		p->version = options.version;
		end();
	}
}

static void data_that_differs_from_the_file_fails(void)
{
	begin(NULL);
	w.bytes[100] ^= 1;
	CU_ASSERT_EQUAL(ask(0, 100, FOLLOWED_BY_NOTHING), OVER_TCP_RIGHT);
	CU_ASSERT_EQUAL(ask(0, 101, FOLLOWED_BY_NOTHING), OVER_TCP_WRONG);
	w.attr.mtime.sec++;
	CU_ASSERT_EQUAL(ask(0, 100, FOLLOWED_BY_GETATTR), OVER_TCP_WRONG);
	end();
}

static void a_server_that_fails_over_any_transport_is_found(void)
{
	uint32_t i;

	begin("nfs-second-read");
	CU_ASSERT_EQUAL(ask(8, 4088, FOLLOWED_BY_READ), OVER_TCP_RIGHT);
	CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_READ), OVER_TCP_WRONG);
	CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_GETATTR), OVER_TCP_RIGHT);
	end();
	/* Its data may be correct where the second READ follows the first. */
	begin("nfs-second-read=leftover");
	CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_READ), OVER_TCP_WRONG);
	CU_ASSERT_EQUAL(ask(8, 4088, FOLLOWED_BY_READ), OVER_TCP_RIGHT);
	end();
	begin("nfs-unaligned");
	/* The file, which was read inline in pieces. */
	for (i = 0; i < w.len; i += 8)
		put_be64(w.bytes + i, i);
	CU_ASSERT_EQUAL(ask(4096, 811, FOLLOWED_BY_NOTHING), OVER_TCP_RIGHT);
	CU_ASSERT_EQUAL(ask(4100, 811, FOLLOWED_BY_NOTHING), OVER_TCP_WRONG);
	end();
	/* A server that fails only over RDMA does not fail here. */
	begin("compound-tail");
	CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_READ), OVER_TCP_RIGHT);
	CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_GETATTR), OVER_TCP_RIGHT);
	end();
}

/* A second READ, or one of zero bytes, crashes nfs-ganesha over TCP too. */
static void calls_that_can_crash_a_server_are_not_sent(void)
{
	static const enum server_kind kinds[] = { SERVER_UNKNOWN, SERVER_GANESHA };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		begin("foreign");
		p->server.kind = kinds[i];
		CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_READ), OVER_TCP_UNKNOWN);
		CU_ASSERT_EQUAL(ask(0, 0, FOLLOWED_BY_NOTHING), OVER_TCP_UNKNOWN);
		CU_ASSERT_EQUAL(ask(w.attr.size, 5, FOLLOWED_BY_NOTHING), OVER_TCP_UNKNOWN);
		CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_GETATTR), OVER_TCP_RIGHT);
		end();
	}
}

static void an_absent_server_is_unknown(void)
{
	begin(NULL);
	server_kill_p(&server);
	CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_NOTHING), OVER_TCP_UNKNOWN);
	CU_ASSERT_EQUAL(p->tcp.nfs, -1);
	CU_ASSERT_TRUE(p->liveness.connection_lost);
	p->liveness.connection_lost = false;
	CU_ASSERT_EQUAL(ask(0, 811, FOLLOWED_BY_NOTHING), OVER_TCP_UNKNOWN);
	p->deadline = deadline_in(0);
	end();
}

SUITE_MAIN("over-tcp", TEST(correct_data_passes_in_each_version),
	   TEST(data_that_differs_from_the_file_fails),
	   TEST(a_server_that_fails_over_any_transport_is_found),
	   TEST(calls_that_can_crash_a_server_are_not_sent), TEST(an_absent_server_is_unknown))
