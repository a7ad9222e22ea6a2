/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The transport of RDMA devices, as far as it can be tested without one: messages for events and
 * completions, the table of quirks, locked memory, rings, and the message on a host without a
 * device. With a device the suites transport, transport-write and transport-read use it. */
#include <sys/resource.h>

#include "rpcrdma/transport/verbs.h"
#include "tests/support/transport-pair.h"
#include "tests/unit/suite.h"

static const struct verbs_kind roce = { .transport = IBV_TRANSPORT_IB,
					.link_layer = IBV_LINK_LAYER_ETHERNET };
static const struct verbs_kind siw = { .transport = IBV_TRANSPORT_IWARP, .vendor_id = 0x626d74 };
static const struct verbs_kind cxgb4 = { .transport = IBV_TRANSPORT_IWARP, .vendor_id = 0x1425 };

static void every_event_has_its_errno_and_its_name(void)
{
	static const struct {
		enum rdma_cm_event_type type;
		int status, rc;
		const char *words, *reason;
	} rows[] = {
		{ RDMA_CM_EVENT_ADDR_ERROR, -ENODEV, -ENODEV, "no RDMA device", "not-rdma" },
		{ RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT, -ETIMEDOUT, "ADDR_ERROR", "unresolved" },
		{ RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH, -ENETUNREACH, "ADDR_ERROR",
		  "unresolved" },
		{ RDMA_CM_EVENT_ADDR_ERROR, -EINVAL, -EHOSTUNREACH, "Invalid argument",
		  "unresolved" },
		{ RDMA_CM_EVENT_ROUTE_ERROR, -ETIMEDOUT, -ETIMEDOUT, "ROUTE_ERROR", "no-path" },
		{ RDMA_CM_EVENT_ROUTE_ERROR, 0, -EHOSTUNREACH, "no path", "no-path" },
		{ RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT, -ETIMEDOUT, "UNREACHABLE",
		  "fabric-silent" },
		{ RDMA_CM_EVENT_UNREACHABLE, 0, -EHOSTUNREACH, "does not answer", "fabric-silent" },
		{ RDMA_CM_EVENT_CONNECT_ERROR, -EINVAL, -ECONNRESET, "CONNECT_ERROR", "closed" },
		{ RDMA_CM_EVENT_REJECTED, 8, -ECONNREFUSED, "nothing listens", "not-listening" },
		{ RDMA_CM_EVENT_REJECTED, 28, -ECONNREFUSED, "its program rejected it",
		  "rejected" },
		{ RDMA_CM_EVENT_REJECTED, 77, -ECONNREFUSED, "reason 77", "rejected" },
		{ RDMA_CM_EVENT_REJECTED, -ECONNREFUSED, -ECONNREFUSED, "nothing listens",
		  "not-listening" },
		{ RDMA_CM_EVENT_REJECTED, -ECONNRESET, -ECONNREFUSED, "rejected it", "rejected" },
		{ RDMA_CM_EVENT_DISCONNECTED, 0, -ECONNRESET, "DISCONNECTED", "closed" },
		{ RDMA_CM_EVENT_DEVICE_REMOVAL, 0, -ENODEV, "DEVICE_REMOVAL", "device-removed" },
		{ RDMA_CM_EVENT_MULTICAST_JOIN, 0, -EPROTO, "MULTICAST_JOIN", "" },
		{ (enum rdma_cm_event_type)99, 0, -EPROTO, "UNKNOWN", "" },
	};
	struct verbs_event event = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].words);
		event.type = rows[i].type;
		event.status = rows[i].status;
		CU_ASSERT_EQUAL(verbs_text_event(&event, "the step", &roce), rows[i].rc);
		ASSERT_CONTAINS(err_text(), rows[i].words);
		ASSERT_STARTS(err_text(), "the step: ");
		CU_ASSERT_STRING_EQUAL(err_reason(), rows[i].reason);
	}
}

static void an_unanswered_connection_mentions_the_port_mapper(void)
{
	const struct verbs_event event = { .type = RDMA_CM_EVENT_UNREACHABLE };

	verbs_text_event(&event, "connecting", &cxgb4);
	ASSERT_CONTAINS(err_text(), "iwpmd");
	verbs_text_event(&event, "connecting", &siw);
	ASSERT_LACKS(err_text(), "iwpmd");
	verbs_text_event(&event, "connecting", NULL);
	ASSERT_LACKS(err_text(), "iwpmd");
}

static void a_completion_error_names_the_side_at_fault(void)
{
	static const struct {
		enum ibv_wc_status status;
		int ours, theirs;
		const char *words;
	} rows[] = {
		{ IBV_WC_LOC_LEN_ERR, -EIO, -EPROTO, "IBV_WC_LOC_LEN_ERR" },
		{ IBV_WC_RETRY_EXC_ERR, -ECONNRESET, -ECONNRESET, "no longer acknowledges" },
		{ IBV_WC_RNR_RETRY_EXC_ERR, -EPROTO, -EPROTO, "posted no Receive" },
		{ IBV_WC_REM_ACCESS_ERR, -EREMOTEIO, -EPROTO, "IBV_WC_REM_ACCESS_ERR" },
		{ IBV_WC_REM_INV_REQ_ERR, -EREMOTEIO, -EPROTO, "IBV_WC_REM_INV_REQ_ERR" },
		{ IBV_WC_REM_OP_ERR, -EREMOTEIO, -EPROTO, "IBV_WC_REM_OP_ERR" },
		{ IBV_WC_WR_FLUSH_ERR, -ECONNRESET, -ECONNRESET, "IBV_WC_WR_FLUSH_ERR" },
		{ (enum ibv_wc_status)99, -EIO, -EIO, "99" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].words);
		CU_ASSERT_EQUAL(verbs_text_completion(rows[i].status, false), rows[i].ours);
		ASSERT_CONTAINS(err_text(), rows[i].words);
		CU_ASSERT_EQUAL(verbs_text_completion(rows[i].status, true), rows[i].theirs);
		ASSERT_CONTAINS(err_text(), rows[i].words);
	}
	CU_ASSERT_STRING_EQUAL(verbs_text_status(IBV_WC_FATAL_ERR), "FATAL_ERR");
	CU_ASSERT_PTR_NOT_NULL(verbs_text_status((enum ibv_wc_status)99));
}

static void kinds_have_names(void)
{
	struct verbs_kind infiniband = roce;

	infiniband.link_layer = IBV_LINK_LAYER_INFINIBAND;
	CU_ASSERT_STRING_EQUAL(verbs_text_kind(&roce), "RoCE");
	CU_ASSERT_STRING_EQUAL(verbs_text_kind(&siw), "iWARP");
	CU_ASSERT_STRING_EQUAL(verbs_text_kind(&infiniband), "InfiniBand");
}

static void quirks_are_found_by_transport_and_vendor(void)
{
	CU_ASSERT_EQUAL(verbs_quirk_flags(&roce), 0);
	CU_ASSERT_EQUAL(verbs_quirk_flags(&siw), VERBS_SINK_NEEDS_WRITE | VERBS_MAY_SLEEP |
							 VERBS_CONNECT_BLOCKS | VERBS_CLOSE_BLOCKS |
							 VERBS_FLUSH_FIRST | VERBS_DEPTHS_SWAPPED);
	CU_ASSERT_EQUAL(verbs_quirk_flags(&cxgb4), VERBS_SINK_NEEDS_WRITE | VERBS_PORT_MAPPER |
							   VERBS_CLOSE_BLOCKS | VERBS_FLUSH_FIRST);
}

static void every_quirk_describes_itself_and_its_hardware(void)
{
	const struct verbs_quirk *q, *other;

	for (q = verbs_quirks; q->name; q++) {
		SUITE_ROW("%s", q->name);
		CU_ASSERT_PTR_NOT_NULL_FATAL(q->what);
		CU_ASSERT_PTR_NOT_NULL_FATAL(q->tested);
		CU_ASSERT_EQUAL(q->what[strlen(q->what) - 1], '.');
		for (other = verbs_quirks; other != q; other++) {
			SUITE_ROW("%s", other->name);
			CU_ASSERT_STRING_NOT_EQUAL(other->name, q->name);
		}
	}
}

static void locked_memory_is_counted_in_whole_pages(void)
{
	const uint8_t *page = (const uint8_t *)(uintptr_t)0x10000;

	CU_ASSERT_EQUAL(verbs_mr_locked(page, 0, 4096), 0);
	CU_ASSERT_EQUAL(verbs_mr_locked(page, 1, 4096), 4096);
	CU_ASSERT_EQUAL(verbs_mr_locked(page, 4096, 4096), 4096);
	CU_ASSERT_EQUAL(verbs_mr_locked(page, 4097, 4096), 8192);
	CU_ASSERT_EQUAL(verbs_mr_locked(page + 4095, 2, 4096), 8192);
	CU_ASSERT_EQUAL(verbs_mr_locked(page + 1, 1024 * 1024, 4096), 1024 * 1024 + 4096);
	CU_ASSERT_EQUAL(verbs_mr_locked(page, 1, 65536), 65536);
}

static void a_memlock_failure_is_reported_with_all_numbers(void)
{
	CU_ASSERT_EQUAL(verbs_mr_allowed(100, 4096, 4096, 8192), 0);
	CU_ASSERT_EQUAL(verbs_mr_allowed(100, 4096, UINT64_MAX - 4096, UINT64_MAX), 0);
	CU_ASSERT_EQUAL(verbs_mr_allowed(1000000, 1003520, 12288, 65536), -ENOMEM);
	CU_ASSERT_STRING_EQUAL(
		err_text(),
		"registering 1000000 bytes needs 1003520 bytes of locked memory beside 12288 in "
		"use, RLIMIT_MEMLOCK allows 65536: ulimit -l 992, or LimitMEMLOCK= of the "
		"service");
	CU_ASSERT_STRING_EQUAL(err_reason(), "memlock");
	CU_ASSERT_EQUAL(verbs_mr_allowed(1, 4096, 0, 0), -ENOMEM);
	/* No sum overflows. */
	CU_ASSERT_EQUAL(verbs_mr_allowed(1, 4096, UINT64_MAX, UINT64_MAX - 1), -ENOMEM);
}

/* Allocates and frees in order, and checks that used pieces never overlap. */
static void pieces_of_a_ring_never_overlap(void)
{
	static uint8_t memory[4096];
	struct verbs_ring ring = { .memory = memory, .size = sizeof(memory) };
	struct {
		uint8_t *at;
		size_t len, bytes;
	} held[64];
	size_t first = 0, count = 0, taken = 0, round, i, len;
	unsigned int bad = 0;

	for (round = 0; round < 10000; round++) {
		len = 1 + (round * 2654435761u >> 7) % 1500;
		i = (first + count) % 64;
		held[i].at = count < 63 ? verbs_ring_take(&ring, len, &held[i].bytes) : NULL;
		if (held[i].at) {
			size_t k;

			held[i].len = len;
			bad += held[i].at < memory || held[i].at + len > memory + sizeof(memory);
			for (k = first; k != i; k = (k + 1) % 64)
				bad += held[i].at < held[k].at + held[k].len &&
				       held[k].at < held[i].at + len;
			count++;
			taken++;
		} else {
			bad += !count;
			ring.used -= held[first].bytes;
			first = (first + 1) % 64;
			count--;
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
	ASSERT_MORE(taken, 4000);
	ASSERT_AT_MOST(ring.used, ring.size);
}

static void a_ring_never_exceeds_its_size(void)
{
	static uint8_t memory[256];
	struct verbs_ring ring = { .memory = memory, .size = sizeof(memory) };
	size_t bytes;

	CU_ASSERT_PTR_NULL(verbs_ring_take(&ring, 257, &bytes));
	CU_ASSERT_PTR_EQUAL(verbs_ring_take(&ring, 256, &bytes), memory);
	CU_ASSERT_EQUAL(bytes, 256);
	CU_ASSERT_PTR_NULL(verbs_ring_take(&ring, 1, &bytes));
	ring.used = 0;
	CU_ASSERT_PTR_EQUAL(verbs_ring_take(&ring, 1, &bytes), memory);
}

static bool has_device(void)
{
	if (access("/sys/class/infiniband", F_OK))
		return false;
	printf("\n    this host has RDMA devices ");
	return true;
}

static void a_missing_device_is_reported(void)
{
	static const struct transport_param param = { .recv_depth = 4, .recv_size = 4096 };
	struct transport_address to = pair_loopback();
	struct transport *t = NULL;
	struct transport_route route;

	if (has_device())
		return;
	CU_ASSERT_EQUAL(transport_verbs.route(&to, &param, &route, deadline_in(1000)), -ENODEV);
	ASSERT_CONTAINS(err_text(), "127.0.0.1:0: no RDMA device on this host");
	CU_ASSERT_EQUAL(transport_verbs.connect(&t, &to, &param, deadline_in(1000)), -ENODEV);
	ASSERT_CONTAINS(err_text(), "no RDMA device on this host");
	CU_ASSERT_EQUAL(transport_verbs.listen(&t, &to), -ENODEV);
	CU_ASSERT_PTR_NULL(t);
	transport_verbs.close(NULL);
}

/* --- a source port that another program has ------------------------------------------ */

/* Of the first step of a connection, one for each attempt. */
static const int *answers;
static unsigned int opened;

int __real_verbs_cm_open(struct verbs *c);
int __wrap_verbs_cm_open(struct verbs *c);

int __wrap_verbs_cm_open(struct verbs *c)
{
	return answers ? err_set(-answers[opened++], "an attempt") : __real_verbs_cm_open(c);
}

static void a_port_in_use_is_tried_again_with_another_one(void)
{
	static const struct transport_param param = { .recv_depth = 4, .recv_size = 4096 };
	static const struct {
		int answers[5];
		unsigned int attempts;
		int rc;
	} rows[] = {
		{ { -EADDRINUSE, -EADDRINUSE, -EADDRINUSE, -ENODEV }, 3, -EADDRINUSE },
		{ { -EADDRINUSE, -EADDRINUSE, -ECONNREFUSED, -ENODEV }, 3, -ECONNREFUSED },
		{ { -EADDRINUSE, -ECONNREFUSED, -ENODEV }, 2, -ECONNREFUSED },
		{ { -ECONNREFUSED, -ENODEV }, 1, -ECONNREFUSED },
		{ { -EADDRNOTAVAIL, -ENODEV }, 1, -EADDRNOTAVAIL },
	};
	struct transport_address to = pair_loopback();
	struct transport *t = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		answers = rows[i].answers;
		opened = 0;
		CU_ASSERT_EQUAL(transport_verbs.connect(&t, &to, &param, deadline_in(1000)),
				rows[i].rc);
		CU_ASSERT_EQUAL(opened, rows[i].attempts);
		CU_ASSERT_PTR_NULL(t);
	}
	answers = NULL;
}

SUITE_MAIN("verbs", TEST(every_event_has_its_errno_and_its_name),
	   TEST(an_unanswered_connection_mentions_the_port_mapper),
	   TEST(a_completion_error_names_the_side_at_fault), TEST(kinds_have_names),
	   TEST(quirks_are_found_by_transport_and_vendor),
	   TEST(every_quirk_describes_itself_and_its_hardware),
	   TEST(locked_memory_is_counted_in_whole_pages),
	   TEST(a_memlock_failure_is_reported_with_all_numbers),
	   TEST(pieces_of_a_ring_never_overlap), TEST(a_ring_never_exceeds_its_size),
	   TEST(a_missing_device_is_reported), TEST(a_port_in_use_is_tried_again_with_another_one))
