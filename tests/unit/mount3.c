/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A thread plays rpcbind and mountd and answers one call with given results. */
#include "tests/unit/suite.h"
#include "tests/unit/tcp-peer.h"

struct daemon {
	const uint8_t *results;
	size_t len;
	bool too_weak;
	uint8_t call[2048];
	size_t call_len;
};

static void serve_once(int fd, void *arg)
{
	struct daemon *daemon = arg;
	uint8_t reply[512];

	daemon->call_len = peer_recv_call(fd, daemon->call, sizeof(daemon->call));
	peer_reply_header(reply, get_be32(daemon->call), RPC_SUCCESS);
	memcpy(reply + 24, daemon->results, daemon->len);
	if (daemon->too_weak) {
		put_be32(reply + 8, RPC_MSG_DENIED);
		put_be32(reply + 12, RPC_AUTH_ERROR);
		put_be32(reply + 16, 5);
	}
	peer_send_record(fd, reply, daemon->too_weak ? 20 : 24 + daemon->len);
	peer_wait_end(fd);
}

static int start(struct tcp_peer *peer, struct daemon *daemon)
{
	int fd = -1;

	if (tcp_peer_listen(peer, AF_INET))
		abort();
	tcp_peer_run(peer, serve_once, daemon);
	CU_ASSERT_EQUAL(rpc_tcp_connect(&fd, &peer->at, NULL, deadline_in(PATIENCE_MS)), 0);
	return fd;
}

static int getport(struct daemon *daemon, uint16_t *port)
{
	struct tcp_peer peer;
	int fd = start(&peer, daemon);
	int rc = pmap_getport(fd, 100005, 3, port, deadline_in(PATIENCE_MS));

	close(fd);
	tcp_peer_join(&peer);
	return rc;
}

static int mnt(struct daemon *daemon, const struct rpc_cred *cred, struct mount3_mnt_res *res)
{
	struct tcp_peer peer;
	int fd = start(&peer, daemon);
	int rc = mount3_mnt(fd, "/srv/nfs", cred, res, deadline_in(PATIENCE_MS));

	close(fd);
	tcp_peer_join(&peer);
	return rc;
}

static void getport_asks_for_tcp(void)
{
	static const uint8_t want[] = { 0,    0, 0, 0, 0, 0, 0, 2, 0, 1, 0x86, 0xa0, 0,
					0,    0, 2, 0, 0, 0, 3, 0, 0, 0, 0,    0,    0,
					0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    1,    0x86,
					0xa5, 0, 0, 0, 3, 0, 0, 0, 6, 0, 0,    0,    0 };
	static const uint8_t port_word[] = { 0, 0, 0x4e, 0x51 };
	struct daemon daemon = { .results = port_word, .len = 4 };
	uint16_t port = 0;

	CU_ASSERT_EQUAL(getport(&daemon, &port), 0);
	CU_ASSERT_EQUAL(port, 20049);
	CU_ASSERT_EQUAL(daemon.call_len, 4 + sizeof(want));
	ASSERT_BYTES(daemon.call + 4, want, sizeof(want));
}

static void port_0_is_not_registered(void)
{
	static const uint8_t zero[4];
	struct daemon daemon = { .results = zero, .len = 4 };
	uint16_t port = 7;

	CU_ASSERT_EQUAL(getport(&daemon, &port), -EADDRNOTAVAIL);
	CU_ASSERT_STRING_EQUAL(err_text(), "rpcbind: program 100005 version 3 is not registered");
	CU_ASSERT_EQUAL(port, 7);
}

static void invalid_ports_are_refused(void)
{
	static const uint8_t cut[] = { 0, 0, 1 };
	static const uint8_t large[] = { 0, 1, 0, 0 }, huge[] = { 0xff, 0xff, 0xff, 0xff };
	struct daemon daemon = { .results = large, .len = 4 };
	uint16_t port = 7;

	CU_ASSERT_EQUAL(getport(&daemon, &port), -EBADMSG);
	daemon.results = huge;
	CU_ASSERT_EQUAL(getport(&daemon, &port), -EBADMSG);
	daemon.results = cut;
	daemon.len = sizeof(cut);
	CU_ASSERT_EQUAL(getport(&daemon, &port), -EBADMSG);
	daemon.len = 0;
	CU_ASSERT_EQUAL(getport(&daemon, &port), -EBADMSG);
	CU_ASSERT_EQUAL(port, 7);
}

static const uint8_t mounted[] = { 0, 0, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4, 0, 0, 0, 1, 0, 0, 0, 1 };

static void mnt_returns_the_root_handle(void)
{
	static const uint8_t path[] = { 0, 0, 0, 8, '/', 's', 'r', 'v', '/', 'n', 'f', 's' };
	struct rpc_cred cred = { .flavor = RPC_AUTH_SYS, .uid = 36, .gid = 36 };
	struct daemon daemon = { .results = mounted, .len = sizeof(mounted) };
	struct mount3_mnt_res res;
	struct rpc_call call;
	struct reader r;

	CU_ASSERT_EQUAL(mnt(&daemon, &cred, &res), 0);
	CU_ASSERT_EQUAL(res.status, 0);
	CU_ASSERT_EQUAL(res.fh.len, 4);
	ASSERT_BYTES(res.fh.data, "\1\2\3\4", 4);
	CU_ASSERT_EQUAL(res.nflavors, 1);
	reader_init(&r, daemon.call, daemon.call_len);
	CU_ASSERT_EQUAL(rpc_call_decode(&call, &r), 0);
	CU_ASSERT_EQUAL(call.prog, MOUNT_PROGRAM_NUMBER);
	CU_ASSERT_EQUAL(call.vers, 3);
	CU_ASSERT_EQUAL(call.proc, MOUNT3_MNT);
	CU_ASSERT_EQUAL(call.cred.flavor, RPC_AUTH_SYS);
	CU_ASSERT_EQUAL(call.cred.uid, 36);
	CU_ASSERT_EQUAL(reader_left(&r), sizeof(path));
	ASSERT_BYTES(r.p, path, sizeof(path));
}

static void a_refused_mount_returns_its_status(void)
{
	static const uint8_t acces[] = { 0, 0, 0, 13 };
	struct daemon daemon = { .results = acces, .len = sizeof(acces) };
	struct mount3_mnt_res res;

	CU_ASSERT_EQUAL(mnt(&daemon, NULL, &res), 0);
	CU_ASSERT_EQUAL(res.status, NFS3_STATUS_ACCES);
}

static void a_refused_credential_is_eacces(void)
{
	struct daemon daemon = { .results = mounted, .too_weak = true };
	struct mount3_mnt_res res;

	CU_ASSERT_EQUAL(mnt(&daemon, NULL, &res), -EACCES);
}

static void a_truncated_mount_reply_is_refused(void)
{
	struct daemon daemon = { .results = mounted };
	struct mount3_mnt_res res;

	for (daemon.len = 0; daemon.len < sizeof(mounted); daemon.len++) {
		SUITE_ROW("len %zu", daemon.len);
		CU_ASSERT_EQUAL(mnt(&daemon, NULL, &res), -EBADMSG);
	}
}

static void an_invalid_path_is_never_sent(void)
{
	char path[1100];
	struct mount3_mnt_res res;

	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	CU_ASSERT_EQUAL(mount3_mnt(-1, path, NULL, &res, deadline_in(PATIENCE_MS)), -EINVAL);
	CU_ASSERT_EQUAL(mount3_mnt(-1, "", NULL, &res, deadline_in(PATIENCE_MS)), -EINVAL);
}

SUITE_MAIN("mount3", TEST(getport_asks_for_tcp), TEST(port_0_is_not_registered),
	   TEST(invalid_ports_are_refused), TEST(mnt_returns_the_root_handle),
	   TEST(a_refused_mount_returns_its_status), TEST(a_refused_credential_is_eacces),
	   TEST(a_truncated_mount_reply_is_refused), TEST(an_invalid_path_is_never_sent))
