/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What mountd writes to its socket in answer to MNT: record marks, fragments, RPC replies, the
 * result. The whole input is in a socket pair, whose other end is shut, before the call is made:
 * nothing ever waits. */
#include <sys/socket.h>

#include "rpcrdma/nfs/nfs.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX 8192
#define XID       0x11223344 /* of the replies in the corpus */

static void check_result(const uint8_t *results, size_t len)
{
	struct mount3_mnt_res res;
	struct reader r;

	reader_init(&r, results, len);
	if (mount3_res_mnt(&res, &r))
		return;
	FUZZ_CHECK(res.fh.len <= NFS3_FH_MAX);
	FUZZ_CHECK(res.nflavors <= ARRAY_SIZE(res.flavors));
	FUZZ_CHECK(reader_left(&r) <= len);
}

static void call_answered(const uint8_t *data, size_t size, size_t cap)
{
	struct rpc_call call = { .xid = XID, .prog = MOUNT_PROGRAM_NUMBER, .vers = 3 };
	_cleanup_free_ uint8_t *buf = malloc(cap);
	struct rpc_tcp_exchange exchange = { .call = &call, .buf = buf, .cap = cap };
	const uint8_t *results;
	size_t len;
	int fds[2];
	int rc;

	FUZZ_CHECK(buf && !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	FUZZ_CHECK(send(fds[1], data, size, MSG_DONTWAIT) == (ssize_t)size);
	shutdown(fds[1], SHUT_WR);
	rc = rpc_tcp_call(fds[0], &exchange, deadline_in(5000));
	results = exchange.results;
	len = exchange.results_len;
	FUZZ_CHECK(rc <= 0 && rc != -ETIMEDOUT);
	if (!rc) {
		FUZZ_CHECK(results >= buf && len <= (size_t)(buf + cap - results));
		check_result(results, len);
	}
	close(fds[0]);
	close(fds[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > INPUT_MAX)
		return 0;
	check_result(data, size);
	call_answered(data, size, 1024);
	call_answered(data, size, 40); /* where most replies are too long */
	return 0;
}
