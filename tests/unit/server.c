/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The whole server on loopback: both transports, hostile streams, its limits, its end. */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "rpcrdma/client/client.h"
#include "rpcrdma/server/internal.h"
#include "tests/unit/suite.h"

#define WAIT PATIENCE_MS

static struct server *server;
static struct server_ports ports;
static struct server_options options;
static int stop[2];
static pthread_t thread;

static void address_of(struct transport_address *at, uint16_t port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	memset(at, 0, sizeof(*at));
	memcpy(&at->addr, &in, sizeof(in));
	at->len = sizeof(in);
}

static void *run(void *arg)
{
	(void)arg;
	CU_ASSERT_EQUAL(server_run(server, stop[0]), 0);
	return NULL;
}

static void begin_as(struct server_options as)
{
	options = as;
	options.transport = &transport_iwarp;
	address_of(&options.listen, 0);
	CU_ASSERT_EQUAL_FATAL(export_memory_new(&options.exp), 0);
	CU_ASSERT_EQUAL_FATAL(server_open(&server, &options), 0);
	server_ports(server, &ports);
	CU_ASSERT(ports.rdma);
	CU_ASSERT(ports.nfs);
	CU_ASSERT(ports.mount);
	CU_ASSERT_EQUAL_FATAL(pipe(stop), 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, run, NULL), 0);
}

static void begin(void)
{
	begin_as((struct server_options){ 0 });
}

/* The other end of the pipe closes: the signal to stop. */
static void end(void)
{
	close(stop[1]);
	pthread_join(thread, NULL);
	close(stop[0]);
	server_close(server);
	export_free(options.exp);
}

/* From 127.0.0.@host. */
static int connect_from(unsigned int host, uint16_t port)
{
	struct sockaddr_in from = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(0x7f000000 + host) };
	struct transport_address at;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address_of(&at, port);
	CU_ASSERT_EQUAL(bind(fd, (struct sockaddr *)&from, sizeof(from)), 0);
	CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&at.addr, at.len), 0);
	return fd;
}

static int connect_to(uint16_t port)
{
	return connect_from(1, port);
}

static int open_rdma(struct rpcrdma_conn **conn, uint16_t port)
{
	struct rpcrdma_options client = { .transport = &transport_iwarp, .credits = 32 };

	address_of(&client.to, port);
	return rpcrdma_open(conn, &client, deadline_in(WAIT));
}

static int null_call(struct rpcrdma_conn *conn)
{
	struct rpcrdma_call call;
	int rc;

	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, 3, NFS3_NULL);
	rc = rpcrdma_call(conn, &call, deadline_in(WAIT));
	rpcrdma_call_fini(&call);
	return rc;
}

static int rdma_null(uint16_t port)
{
	struct rpcrdma_conn *conn;
	int rc = open_rdma(&conn, port);

	if (rc)
		return rc;
	rc = null_call(conn);
	rpcrdma_close(conn);
	return rc;
}

static uint32_t mount_root(struct nfs_fh *fh)
{
	struct mount3_mnt_res res = { .status = UINT32_MAX };
	int fd = connect_to(ports.mount);

	CU_ASSERT_EQUAL(mount3_mnt(fd, "/", NULL, &res, deadline_in(WAIT)), 0);
	*fh = res.fh;
	close(fd);
	return res.status;
}

/* The server closes it in time. */
static bool is_closed(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&pfd, 1, WAIT) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

static void mount_and_write_chunk_read_succeed(void)
{
	static uint8_t data[1048576];
	struct rpcrdma_memory memory = { .base = data, .length = sizeof(data) };
	struct rpcrdma_conn *conn;
	struct rpcrdma_call call;
	struct nfs3_lookup_res res;
	struct nfs_fh fh;
	uint8_t args[512];
	struct reader r;
	struct server_log log = { 0 };
	ssize_t len;

	begin_as((struct server_options){ .log = &log });
	CU_ASSERT_EQUAL(mount_root(&fh), 0);
	CU_ASSERT_EQUAL_FATAL(open_rdma(&conn, ports.rdma), 0);
	CU_ASSERT_EQUAL(rpcrdma_reply_inline(conn), 4096);
	CU_ASSERT_FALSE(rpcrdma_peer_private(conn)->remote_invalidate);
	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, 3, NFS3_LOOKUP);
	len = nfs3_args_lookup(args, sizeof(args), &fh, "data-1048579");
	call.args = args;
	call.args_len = (size_t)len;
	CU_ASSERT_EQUAL(rpcrdma_call(conn, &call, deadline_in(WAIT)), 0);
	CU_ASSERT_EQUAL(rpcrdma_granted(conn), 64);
	reader_init(&r, call.results, call.results_len);
	CU_ASSERT_EQUAL(nfs3_res_lookup(&res, &r), 0);
	CU_ASSERT_EQUAL_FATAL(res.status, 0);
	rpcrdma_call_fini(&call);
	CU_ASSERT_EQUAL(rpcrdma_register(conn, &memory), 0);
	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, 3, NFS3_READ);
	call.args = args;
	call.args_len = (size_t)nfs3_args_read(args, sizeof(args), &res.fh, 8, 1048576);
	call.write = &memory;
	call.write_count = 1;
	CU_ASSERT_EQUAL(rpcrdma_call(conn, &call, deadline_in(WAIT)), 0);
	CU_ASSERT_EQUAL(call.header.segments[0].length, 1048571);
	CU_ASSERT_EQUAL(get_be64(data), 8);
	CU_ASSERT_EQUAL(get_be64(data + 1048560), 1048568);
	rpcrdma_call_fini(&call);
	rpcrdma_deregister(conn, &memory);
	rpcrdma_close(conn);
	end();
	/* Its thread has ended. */
	CU_ASSERT_EQUAL(log.connections, 1);
	CU_ASSERT_EQUAL(log.reads, 1);
	CU_ASSERT_EQUAL(log.bytes, 1048571);
}

/* Loopback has many addresses; only the listening address is local here. */
static void a_local_server_refuses_other_hosts(void)
{
	struct transport_address other;
	struct rpcrdma_options client = { .transport = &transport_iwarp,
					  .credits = 32,
					  .bind = &other };
	struct rpcrdma_conn *conn;
	int fd;

	begin_as((struct server_options){ .own_host = true });
	CU_ASSERT_EQUAL(rdma_null(ports.rdma), 0);
	address_of(&client.to, ports.rdma);
	address_of(&other, 0);
	((struct sockaddr_in *)&other.addr)->sin_addr.s_addr = htonl(0x7f000002);
	CU_ASSERT_NOT_EQUAL(rpcrdma_open(&conn, &client, deadline_in(WAIT)), 0);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CU_ASSERT_EQUAL_FATAL(bind(fd, (struct sockaddr *)&other.addr, other.len), 0);
	address_of(&client.to, ports.nfs);
	CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&client.to.addr, client.to.len), 0);
	CU_ASSERT_TRUE(is_closed(fd));
	close(fd);
	end();
}

static void without_private_data_replies_are_limited_to_1024_bytes(void)
{
	struct rpcrdma_options client = { .transport = &transport_iwarp,
					  .credits = 1,
					  .no_private_data = true };
	struct rpcrdma_conn *conn;
	struct rpcrdma_call call;
	uint8_t args[512];
	struct nfs_fh fh;

	begin();
	address_of(&client.to, ports.rdma);
	CU_ASSERT_EQUAL(mount_root(&fh), 0);
	CU_ASSERT_EQUAL_FATAL(rpcrdma_open(&conn, &client, deadline_in(WAIT)), 0);
	rpcrdma_call_init(&call, NFS_PROGRAM_NUMBER, 3, NFS3_READDIRPLUS);
	call.args = args;
	call.args_len = (size_t)nfs3_args_readdirplus(
		args, sizeof(args),
		&(struct nfs3_readdirplus){ .dir = fh, .dircount = 32768, .maxcount = 32768 });
	CU_ASSERT_EQUAL(rpcrdma_call(conn, &call, deadline_in(WAIT)), 0);
	ASSERT_AT_MOST(call.send_len, 1024);
	ASSERT_MORE(call.send_len, 800);
	rpcrdma_call_fini(&call);
	rpcrdma_close(conn);
	end();
}

/* Record marks and lengths of a lying stream. */
static void hostile_records_end_only_their_connection(void)
{
	static const uint32_t marks[][3] = {
		{ 0xffffffff, 0, 0 },                       /* 2 GiB */
		{ 0x7fffffff, 0, 0 }, { 0x80020001, 0, 0 }, /* a byte over the limit */
		{ 0x80000000, 0, 0 },                       /* an empty record */
		{ 0x80000008, 1, 1 },                       /* a reply */
	};
	uint32_t words[3];
	size_t i;
	int fd;

	begin();
	for (i = 0; i < ARRAY_SIZE(marks); i++) {
		SUITE_ROW("%zu", i);
		fd = connect_to(ports.nfs);
		put_be32(&words[0], marks[i][0]);
		put_be32(&words[1], marks[i][1]);
		put_be32(&words[2], marks[i][2]);
		CU_ASSERT_EQUAL(send(fd, words, sizeof(words), MSG_NOSIGNAL), 12);
		CU_ASSERT_TRUE(is_closed(fd));
		close(fd);
	}
	CU_ASSERT_EQUAL(rdma_null(ports.rdma), 0);
	end();
}

static void endless_fragments_end_the_connection(void)
{
	static const uint8_t empty[4096];
	int fd;

	begin();
	fd = connect_to(ports.nfs);
	CU_ASSERT_EQUAL(send(fd, empty, sizeof(empty), MSG_NOSIGNAL), sizeof(empty));
	CU_ASSERT_TRUE(is_closed(fd));
	close(fd);
	end();
}

static void fragments_of_a_call_are_joined(void)
{
	static const struct rpc_call null = { .xid = 5, .prog = NFS_PROGRAM_NUMBER, .vers = 3 };
	uint8_t buf[64], mark[4], in[28];
	struct writer w;
	size_t i;
	int fd;

	begin();
	fd = connect_to(ports.nfs);
	writer_init(&w, buf, sizeof(buf));
	rpc_call_encode(&w, &null);
	for (i = 0; i < w.len; i += 4) {
		SUITE_ROW("%zu", i);
		put_be32(mark, 4 | (i + 4 == w.len ? 0x80000000 : 0));
		CU_ASSERT_EQUAL(send(fd, mark, 4, MSG_NOSIGNAL), 4);
		CU_ASSERT_EQUAL(send(fd, buf + i, 4, MSG_NOSIGNAL), 4);
	}
	CU_ASSERT_EQUAL(recv(fd, in, sizeof(in), MSG_WAITALL), sizeof(in));
	CU_ASSERT_EQUAL(get_be32(in), 0x80000018);
	CU_ASSERT_EQUAL(get_be32(in + 4), 5);
	close(fd);
	end();
}

static void peers_without_rdma_are_closed(void)
{
	int fd;

	begin();
	fd = connect_to(ports.rdma);
	CU_ASSERT_EQUAL(send(fd, "GET / HTTP/1.0\r\n\r\n......", 24, MSG_NOSIGNAL), 24);
	CU_ASSERT_TRUE(is_closed(fd));
	close(fd);
	CU_ASSERT_EQUAL(rdma_null(ports.rdma), 0);
	end();
}

static void send_null(int fd)
{
	const struct rpc_call null = { .xid = 5, .prog = NFS_PROGRAM_NUMBER, .vers = 3 };
	uint8_t buf[4 + 64];
	struct writer w;

	writer_init(&w, buf + 4, sizeof(buf) - 4);
	rpc_call_encode(&w, &null);
	put_be32(buf, 0x80000000 | (uint32_t)w.len);
	CU_ASSERT_EQUAL(send(fd, buf, 4 + w.len, MSG_NOSIGNAL), (ssize_t)(4 + w.len));
}

static bool has_reply(int fd, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	uint8_t in[28];

	return poll(&pfd, 1, ms) == 1 && recv(fd, in, sizeof(in), MSG_WAITALL) == sizeof(in);
}

/* Neither served nor closed, while the server serves others. */
static bool waits(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	CU_ASSERT_EQUAL(rdma_null(ports.rdma), 0);
	return poll(&pfd, 1, 50) == 0;
}

#define FEW  2         /* over RDMA */
#define FULL (2 * FEW) /* to NFS over TCP, and half of it for one peer */

static int connect_and_call(unsigned int host)
{
	int fd = connect_from(host, ports.nfs);

	send_null(fd);
	return fd;
}

static void connections_over_the_limit_wait_for_others_to_end(void)
{
	int fds[FULL], more[2];
	size_t i;

	begin_as((struct server_options){ .connections = FEW });
	for (i = 0; i < FULL; i++) {
		SUITE_ROW("%zu", i);
		fds[i] = connect_and_call(2 + i / FEW);
		CU_ASSERT_TRUE(has_reply(fds[i], WAIT));
	}
	more[0] = connect_and_call(4);
	CU_ASSERT_TRUE(waits(more[0]));
	more[1] = connect_and_call(4);
	CU_ASSERT_TRUE(waits(more[1]));
	/* In their order. */
	close(fds[0]);
	CU_ASSERT_TRUE(has_reply(more[0], WAIT));
	CU_ASSERT_TRUE(waits(more[1]));
	close(more[0]);
	CU_ASSERT_TRUE(has_reply(more[1], WAIT));
	close(more[1]);
	for (i = 1; i < FULL; i++) {
		send_null(fds[i]);
		CU_ASSERT_TRUE(has_reply(fds[i], WAIT));
		close(fds[i]);
	}
	end();
}

static void hold_places(int held[FEW])
{
	size_t i;

	for (i = 0; i < FEW; i++) {
		held[i] = connect_and_call(2);
		CU_ASSERT_TRUE(has_reply(held[i], WAIT));
	}
}

/* It has all its places, and more connections than may wait: of those the newest are closed. */
static void a_peer_keeps_no_other_from_the_server(void)
{
	enum { MANY = SERVER_WAITING + 20 };
	struct rlimit files;
	int held[FEW], fds[MANY], other;
	size_t i;

	/* Both ends are of this process. */
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = min_u64(files.rlim_max, 3 * MANY);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &files), 0);
	begin_as((struct server_options){ .connections = FEW });
	hold_places(held);
	for (i = 0; i < MANY; i++)
		fds[i] = connect_and_call(2);
	other = connect_and_call(3);
	CU_ASSERT_TRUE(has_reply(other, WAIT));
	close(other);
	for (i = SERVER_WAITING; i < MANY; i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_TRUE(is_closed(fds[i]));
		close(fds[i]);
	}
	for (i = 0; i < FEW; i++)
		close(held[i]);
	for (i = 0; i < SERVER_WAITING; i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_TRUE(has_reply(fds[i], WAIT));
		close(fds[i]);
	}
	end();
}

/* One from each of many addresses: those that say nothing keep nobody out who does. */
static void silent_connections_of_many_peers_keep_no_other_from_the_server(void)
{
	enum { MANY = SERVER_WAITING + FULL + 20 };
	struct rlimit saved, files;
	int fds[MANY], other;
	size_t i;

	/* Half of them are the server's, which takes what it needs. */
	getrlimit(RLIMIT_NOFILE, &saved);
	files = saved;
	files.rlim_cur = min_u64(files.rlim_max, 3 * MANY);
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &files), 0);
	begin_as((struct server_options){ .connections = FEW });
	for (i = 0; i < MANY; i++)
		fds[i] = connect_from(1000 + i, ports.nfs);
	other = connect_and_call(2);
	CU_ASSERT_TRUE(has_reply(other, WAIT));
	close(other);
	for (i = 0; i < MANY; i++)
		close(fds[i]);
	end();
	setrlimit(RLIMIT_NOFILE, &saved);
}

/* As many as may wait have a descriptor. */
static void the_server_raises_its_limit_of_descriptors(void)
{
	struct rlimit saved, files;

	getrlimit(RLIMIT_NOFILE, &saved);
	files = saved;
	files.rlim_cur = 256;
	CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &files), 0);
	begin_as((struct server_options){ .connections = FEW });
	getrlimit(RLIMIT_NOFILE, &files);
	ASSERT_AT_LEAST(files.rlim_cur, min_u64(files.rlim_max, LISTEN_COUNT * SERVER_WAITING));
	end();
	setrlimit(RLIMIT_NOFILE, &saved);
}

static void the_peer_with_the_fewest_connections_is_next(void)
{
	static const unsigned int hosts[FULL] = { 2, 2, 3, 4 };
	int fds[FULL], more[3];
	size_t i;

	begin_as((struct server_options){ .connections = FEW });
	for (i = 0; i < FULL; i++) {
		fds[i] = connect_and_call(hosts[i]);
		CU_ASSERT_TRUE(has_reply(fds[i], WAIT));
	}
	for (i = 0; i < 3; i++) {
		more[i] = connect_and_call(3 + (unsigned int)i);
		CU_ASSERT_TRUE(waits(more[i]));
	}
	close(fds[0]);
	CU_ASSERT_TRUE(has_reply(more[2], WAIT));
	CU_ASSERT_TRUE(waits(more[0]));
	CU_ASSERT_TRUE(waits(more[1]));
	close(fds[1]);
	CU_ASSERT_TRUE(has_reply(more[0], WAIT));
	CU_ASSERT_TRUE(waits(more[1]));
	for (i = 0; i < FULL; i++)
		close(fds[i]);
	for (i = 0; i < 3; i++)
		close(more[i]);
	end();
}

/* One host leaves room for the others. */
static void a_peer_can_use_half_of_the_connections(void)
{
	int fds[FEW], more[2];
	size_t i;

	begin_as((struct server_options){ .connections = FEW });
	for (i = 0; i < FEW; i++) {
		fds[i] = connect_and_call(2);
		CU_ASSERT_TRUE(has_reply(fds[i], WAIT));
	}
	more[0] = connect_and_call(2);
	CU_ASSERT_TRUE(waits(more[0]));
	more[1] = connect_and_call(3);
	CU_ASSERT_TRUE(has_reply(more[1], WAIT));
	CU_ASSERT_TRUE(waits(more[0]));
	close(fds[0]);
	CU_ASSERT_TRUE(has_reply(more[0], WAIT));
	close(more[0]);
	close(more[1]);
	close(fds[1]);
	end();
}

static void silent_connections_give_way_to_those_that_wait(void)
{
	int fds[FULL], fd;
	size_t i;

	begin_as((struct server_options){ .connections = FEW });
	for (i = 0; i < FULL; i++)
		fds[i] = connect_from(2 + i / FEW, ports.nfs);
	fd = connect_and_call(4);
	CU_ASSERT_TRUE(has_reply(fd, WAIT));
	close(fd);
	/* Of one peer, too. */
	fd = connect_and_call(3);
	CU_ASSERT_TRUE(has_reply(fd, WAIT));
	close(fd);
	for (i = 0; i < FULL; i++)
		close(fds[i]);
	end();
}

static void silence_is_limited_and_shorter_while_another_waits(void)
{
	static const struct {
		bool called, wanted;
		unsigned int least, most; /* seconds of silence that are allowed, and are not */
	} rows[] = {
		{ false, false, 9, 11 },
		{ false, true, 1, 3 },
		{ true, false, 350, 370 },
		{ true, true, 8, 12 },
	};
	struct server_place place = { .stop = NULL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		place_begin(&place, rows[i].called);
		place.wanted = rows[i].wanted;
		CU_ASSERT_FALSE(place_is_over(&place));
		/* A clock that started just now has no such past. */
		if (now_ms() < 1000 * rows[i].most)
			continue;
		place.since = now_ms() - 1000 * rows[i].most;
		CU_ASSERT_TRUE(place_is_over(&place));
		place.since += 1000 * (rows[i].most - rows[i].least);
		CU_ASSERT_FALSE(place_is_over(&place));
	}
}

/* As when descriptors run out: accepting waits, and open connections continue. */
static void without_descriptors_the_server_waits_and_continues(void)
{
	struct rlimit saved, none;
	struct rpcrdma_conn *conn;
	int fd;

	begin();
	CU_ASSERT_EQUAL_FATAL(open_rdma(&conn, ports.rdma), 0);
	CU_ASSERT_EQUAL(null_call(conn), 0);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	getrlimit(RLIMIT_NOFILE, &saved);
	none = saved;
	none.rlim_cur = (rlim_t)fd + 1;
	setrlimit(RLIMIT_NOFILE, &none);
	address_of(&options.listen, ports.nfs);
	CU_ASSERT_EQUAL(connect(fd, (struct sockaddr *)&options.listen.addr, options.listen.len),
			0);
	CU_ASSERT_EQUAL(null_call(conn), 0);
	usleep(300000);
	CU_ASSERT_EQUAL(null_call(conn), 0);
	setrlimit(RLIMIT_NOFILE, &saved);
	CU_ASSERT_EQUAL(rdma_null(ports.rdma), 0);
	rpcrdma_close(conn);
	close(fd);
	end();
}

static void it_stops_at_once_with_connections_open(void)
{
	struct rpcrdma_conn *conn;
	uint64_t start;
	int tcp, half;

	begin();
	CU_ASSERT_EQUAL_FATAL(open_rdma(&conn, ports.rdma), 0);
	CU_ASSERT_EQUAL(null_call(conn), 0);
	tcp = connect_to(ports.nfs);
	half = connect_to(ports.mount);
	CU_ASSERT_EQUAL(send(half, "\x80\x00", 2, MSG_NOSIGNAL), 2);
	usleep(50000);
	start = now_ms();
	end();
	ASSERT_WITHIN_MS(now_ms() - start, 900);
	CU_ASSERT_TRUE(is_closed(tcp));
	CU_ASSERT_TRUE(is_closed(half));
	CU_ASSERT_NOT_EQUAL(null_call(conn), 0);
	rpcrdma_close(conn);
	close(tcp);
	close(half);
}

static void a_port_in_use_is_reported_with_its_address(void)
{
	struct server_options taken;
	struct server *second = NULL;

	begin();
	taken = options;
	address_of(&taken.listen, ports.rdma);
	CU_ASSERT_EQUAL(server_open(&second, &taken), -EADDRINUSE);
	ASSERT_CONTAINS(err_text(), "127.0.0.1");
	address_of(&taken.listen, 0);
	taken.mount_port = ports.mount;
	CU_ASSERT_EQUAL(server_open(&second, &taken), -EADDRINUSE);
	ASSERT_CONTAINS(err_text(), "127.0.0.1");
	CU_ASSERT_PTR_NULL(second);
	end();
}

static const struct server_spawn_options spawn_iwarp = { .transport = &transport_iwarp };

static void a_spawned_server_serves_until_it_is_killed(void)
{
	struct server_child *child = NULL;
	struct server_ports spawned;

	CU_ASSERT_EQUAL_FATAL(server_spawn(&child, &spawn_iwarp, &spawned), 0);
	CU_ASSERT_EQUAL(rdma_null(spawned.rdma), 0);
	server_kill(child);
	CU_ASSERT_EQUAL(rdma_null(spawned.rdma), -ECONNREFUSED);
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
	server_kill(NULL);
}

/* The parent dies without notice: a child of the test spawns the server and is killed. */
static void a_spawned_server_dies_with_its_parent(void)
{
	struct server_child *child;
	struct server_ports spawned = { 0 };
	unsigned int i;
	int fds[2];
	pid_t pid;

	CU_ASSERT_EQUAL_FATAL(pipe(fds), 0);
	pid = fork();
	if (!pid) {
		if (server_spawn(&child, &spawn_iwarp, &spawned) ||
		    write(fds[1], &spawned, sizeof(spawned)) < 0)
			_exit(1);
		pause();
	}
	CU_ASSERT_EQUAL(read(fds[0], &spawned, sizeof(spawned)), sizeof(spawned));
	CU_ASSERT_EQUAL(rdma_null(spawned.rdma), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < WAIT / 20 && rdma_null(spawned.rdma) != -ECONNREFUSED; i++)
		usleep(20000);
	ASSERT_LESS(i, WAIT / 20);
	close(fds[0]);
	close(fds[1]);
}

SUITE_MAIN("server", TEST(mount_and_write_chunk_read_succeed),
	   TEST(without_private_data_replies_are_limited_to_1024_bytes),
	   TEST(hostile_records_end_only_their_connection),
	   TEST(endless_fragments_end_the_connection), TEST(fragments_of_a_call_are_joined),
	   TEST(peers_without_rdma_are_closed), TEST(a_local_server_refuses_other_hosts),
	   TEST(connections_over_the_limit_wait_for_others_to_end),
	   TEST(a_peer_keeps_no_other_from_the_server),
	   TEST(silent_connections_of_many_peers_keep_no_other_from_the_server),
	   TEST(the_server_raises_its_limit_of_descriptors),
	   TEST(the_peer_with_the_fewest_connections_is_next),
	   TEST(a_peer_can_use_half_of_the_connections),
	   TEST(silent_connections_give_way_to_those_that_wait),
	   TEST(silence_is_limited_and_shorter_while_another_waits),
	   TEST(without_descriptors_the_server_waits_and_continues),
	   TIMED(it_stops_at_once_with_connections_open),
	   TEST(a_port_in_use_is_reported_with_its_address),
	   TEST(a_spawned_server_serves_until_it_is_killed),
	   TEST(a_spawned_server_dies_with_its_parent))
