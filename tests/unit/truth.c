/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What a range of a file is when it is looked at again, against the embedded server. */
#include <netinet/in.h>

#include "rpcrdma/probe/internal.h"
#include "rpcrdma/server/server.h"

#include "tests/unit/suite.h"

static struct server_child *server;
static struct probe *p;
static struct transport_address at;
static struct probe_options options;

static void open_probe(void)
{
	const struct server_spawn_options spawn = { .transport = &transport_iwarp };
	struct sockaddr_in *in = (struct sockaddr_in *)&at.addr;
	struct server_ports ports;

	CU_ASSERT_EQUAL_FATAL(server_spawn(&server, &spawn, &ports), 0);
	memset(&at, 0, sizeof(at));
	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	at.len = sizeof(*in);
	transport_set_port(&at, ports.rdma);
	options = (struct probe_options){ .host = "127.0.0.1",
					  .export = "/",
					  .port = ports.rdma,
					  .version = nfs_version_find("4.0"),
					  .timeout_ms = PATIENCE_MS };
	p = calloc(1, sizeof(*p));
	p->options = &options;
	p->via = &transport_iwarp;
	p->channel = -1;
	p->rpcbind = -1;
	p->addresses = &at;
	p->naddresses = 1;
	p->version = options.version;
	p->cred.flavor = RPC_AUTH_SYS;
	p->deadline = deadline_in(PATIENCE_MS);
	CU_ASSERT_FATAL(root_find(p));
	CU_ASSERT_FATAL(target_limits(p));
	CU_ASSERT_FATAL(pick_files(p));
}

static void close_probe(void)
{
	session_drop(p);
	server_kill_p(&server);
	free(p);
}

static void a_file_that_stays_is_the_same(void)
{
	struct window w;

	open_probe();
	CU_ASSERT_EQUAL_FATAL(truth_open(p, &w, &p->candidates[0], 0, 8192), 0);
	CU_ASSERT_EQUAL(truth_again(p, &w, 0, 4096), TRUTH_SAME);
	CU_ASSERT_EQUAL(truth_again(p, &w, 4097, 10000), TRUTH_SAME);
	CU_ASSERT_EQUAL(truth_again(p, &w, w.attr.size + 1, 1), TRUTH_SAME);
	CU_ASSERT_FALSE(w.changing);
	truth_close(&w);
	close_probe();
}

static void other_bytes_or_other_times_are_a_change_for_good(void)
{
	struct window w;

	open_probe();
	CU_ASSERT_EQUAL_FATAL(truth_open(p, &w, &p->candidates[0], 0, 8192), 0);
	w.bytes[5000] ^= 1;
	CU_ASSERT_EQUAL(truth_again(p, &w, 0, 4096), TRUTH_SAME);
	CU_ASSERT_EQUAL(truth_again(p, &w, 0, 8192), TRUTH_CHANGED);
	CU_ASSERT(w.changing);
	w.bytes[5000] ^= 1;
	CU_ASSERT_EQUAL(truth_again(p, &w, 0, 8192), TRUTH_CHANGED);
	w.changing = false;
	w.attr.mtime.nsec++;
	CU_ASSERT_EQUAL(truth_again(p, &w, 0, 4096), TRUTH_CHANGED);
	truth_close(&w);
	close_probe();
}

static void what_cannot_be_looked_at_again_is_not_the_same(void)
{
	struct window w;

	open_probe();
	CU_ASSERT_EQUAL_FATAL(truth_open(p, &w, &p->candidates[0], 0, 8192), 0);
	server_kill_p(&server);
	p->deadline = deadline_in(1000);
	CU_ASSERT_EQUAL(truth_again(p, &w, 0, 4096), TRUTH_UNKNOWN);
	CU_ASSERT_FALSE(w.changing);
	truth_close(&w);
	close_probe();
}

static void a_difference_that_is_not_sure_is_no_failure(void)
{
	static const struct {
		enum read_kind kind;
		enum truth truth;
		enum read_kind want;
	} rows[] = {
		{ READ_DATA, TRUTH_SAME, READ_DATA },
		{ READ_DATA, TRUTH_CHANGED, READ_CHANGING },
		{ READ_DATA, TRUTH_UNKNOWN, READ_NOT_RUN },
		{ READ_STALE, TRUTH_UNKNOWN, READ_NOT_RUN },
		{ READ_SHORT, TRUTH_UNKNOWN, READ_NOT_RUN },
		{ READ_BEHIND, TRUTH_UNKNOWN, READ_NOT_RUN },
		/* No content of a file explains these. */
		{ READ_OUTSIDE, TRUTH_UNKNOWN, READ_OUTSIDE },
		{ READ_PAD, TRUTH_UNKNOWN, READ_PAD },
		{ READ_LOST, TRUTH_UNKNOWN, READ_LOST },
		{ READ_CLOSED, TRUTH_UNKNOWN, READ_CLOSED },
		{ READ_RDMA_ERROR, TRUTH_UNKNOWN, READ_RDMA_ERROR },
		{ READ_OUTSIDE, TRUTH_CHANGED, READ_CHANGING },
	};
	struct read_outcome outcome;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, read_kind_name(rows[i].kind));
		outcome = (struct read_outcome){ .kind = rows[i].kind };
		truth_judge(&outcome, rows[i].truth);
		CU_ASSERT_EQUAL(outcome.kind, rows[i].want);
		CU_ASSERT_EQUAL(!outcome.text[0], outcome.kind != READ_NOT_RUN);
	}
}

SUITE_MAIN("truth", TEST(a_file_that_stays_is_the_same),
	   TEST(other_bytes_or_other_times_are_a_change_for_good),
	   TEST(what_cannot_be_looked_at_again_is_not_the_same),
	   TEST(a_difference_that_is_not_sure_is_no_failure))
