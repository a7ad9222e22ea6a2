/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What mountd writes to its socket in answer to MNT, and rpcbind to GETPORT: record marks, fragments, RPC replies, the
 * result. The whole input is in a socket pair, whose other end is shut, before the call is made:
 * nothing ever waits. */
#include <sys/random.h>
#include <sys/socket.h>

#include "rpcrdma/base/finding.h"
#include "rpcrdma/nfs/nfs.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX 8192
#define XID       0x11223344 /* of the replies in the corpus */

/* In place of the C library's: each call has the XID of the corpus. */
ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	const uint64_t xid = XID;

	(void)flags;
	memcpy(buf, &xid, min_u64(len, sizeof(xid)));
	return (ssize_t)len;
}

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

static void answer(int fds[2], const uint8_t *data, size_t size)
{
	FUZZ_CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
	FUZZ_CHECK(send(fds[1], data, size, MSG_DONTWAIT) == (ssize_t)size);
	shutdown(fds[1], SHUT_WR);
}

static void hang_up(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
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

	FUZZ_CHECK(buf);
	answer(fds, data, size);
	rc = rpc_tcp_call(fds[0], &exchange, deadline_in(5000));
	results = exchange.results;
	len = exchange.results_len;
	FUZZ_CHECK(rc <= 0 && rc != -ETIMEDOUT);
	if (!rc) {
		FUZZ_CHECK(results >= buf && len <= (size_t)(buf + cap - results));
		check_result(results, len);
	}
	hang_up(fds);
}

static void port_answered(const uint8_t *data, size_t size)
{
	uint16_t port = 0;
	int fds[2];
	int rc;

	answer(fds, data, size);
	rc = pmap_getport(fds[0], 100005, 3, &port, deadline_in(5000));
	FUZZ_CHECK(rc <= 0 && rc != -ETIMEDOUT && !rc == !!port);
	FUZZ_CHECK(!rc || finding_is_clean(err_text()));
	hang_up(fds);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > INPUT_MAX)
		return 0;
	check_result(data, size);
	call_answered(data, size, 1024);
	call_answered(data, size, 40); /* where most replies are too long */
	port_answered(data, size);
	return 0;
}
