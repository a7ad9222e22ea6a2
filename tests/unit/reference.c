/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The TCP reference against a small NFS server that answers READs correctly, or as badly as
 * possible. libnfs decodes in the child: the parent survives a crash of it and reports it. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "rpcrdma/nfs/version.h"
#include "tests/unit/suite.h"
#include "tests/unit/tcp-peer.h"

#define MIB       (1024 * 1024)
#define FILE_SIZE (3 * MIB + 5)
#define REPLY_MAX (MIB + 256)

/* How the server answers; all but the first apply to one reply. */
enum manner {
	RIGHT,
	FRAGMENTS,
	JUKEBOX,
	ANOTHER_XID_FIRST,
	CLOSE,
	SILENCE,
	DATA_LENGTH_HUGE,
	DATA_LENGTH_MORE,
	COUNT_DIFFERS,
	EOF_IS_NO_BOOLEAN,
	VERIFIER_LENGTH_HUGE,
	DENIED,
	CUT,
	RECORD_HUGE,
	FRAGMENTS_ENDLESS,
	/* NFSv4 */
	MINOR_MISMATCH,
	PROGRAM_MISMATCH,
	FEWER_RESULTS,
	OTHER_OPERATION,
	DATA4_LENGTH_MORE,
	STALE,
};

struct server {
	struct tcp_peer peer;
	enum manner manner;
	unsigned int right; /* number of correct answers before that */
	struct reference *ref;
	struct rpc_call call;
	uint8_t args[128];
	size_t args_len;
};

static uint8_t file_byte(uint64_t offset)
{
	return (uint8_t)(offset * 7 + (offset >> 8));
}

/* RPC header, status, no attributes, count, eof, opaque. */
static size_t read_reply(uint8_t *buf, uint32_t xid, uint64_t offset, uint32_t count)
{
	uint64_t end = min_u64(offset + min_u32(count, MIB), FILE_SIZE);
	uint32_t len = offset < end ? (uint32_t)(end - offset) : 0;
	uint32_t i;

	peer_reply_header(buf, xid, RPC_SUCCESS);
	put_be32(buf + 24, NFS3_STATUS_OK);
	put_be32(buf + 28, 0);
	put_be32(buf + 32, len);
	put_be32(buf + 36, end == FILE_SIZE || !len);
	put_be32(buf + 40, len);
	for (i = 0; i < len; i++)
		buf[44 + i] = file_byte(offset + i);
	memset(buf + 44 + len, 0, xdr_pad4(len) - len);
	return 44 + xdr_pad4(len);
}

/* In place of what lies between RPC header and eof: status, tag, and results of PUTFH and
 * READ. */
static size_t read4_reply(uint8_t *buf, size_t len)
{
	static const uint32_t words[] = { NFS4_OK, 0, 2, OP_PUTFH, NFS4_OK, OP_READ, NFS4_OK };
	size_t i;

	memmove(buf + 24 + sizeof(words), buf + 36, len - 36);
	for (i = 0; i < ARRAY_SIZE(words); i++)
		put_be32(buf + 24 + 4 * i, words[i]);
	return len - 36 + 24 + sizeof(words);
}

/* Offset, count; the arguments are kept. */
static void decode_args(struct server *server, struct reader *r, uint64_t *offset, uint32_t *count)
{
	bool compound = server->call.vers == 4;
	uint32_t fh_len;

	server->args_len = reader_left(r);
	memcpy(server->args, r->p, min_u32((uint32_t)server->args_len, 128));
	if (compound)
		reader_bytes(r, 4 * 4); /* tag, minor, count, PUTFH */
	reader_opaque(r, NFS4_FHSIZE, &fh_len);
	if (compound)
		reader_bytes(r, 4 + NFS4_STATEID_SIZE);
	*offset = reader_u64(r);
	*count = reader_u32(r);
}

static void answer_fragments(int fd, const uint8_t *reply, size_t len)
{
	const size_t piece = len / 3;

	peer_send_fragment(fd, (uint32_t)piece, reply, piece);
	peer_send_fragment(fd, (uint32_t)piece, reply + piece, piece);
	peer_send_record(fd, reply + 2 * piece, len - 2 * piece);
}

/* More than the child can hold. */
static void answer_endless(int fd, const uint8_t *reply)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	int i;

	for (i = 0; i < 64 && poll(&pfd, 1, 2000) > 0 && !(pfd.revents & POLLHUP); i++)
		peer_send_fragment(fd, MIB, reply, MIB);
}

/* Changes the words of a correct reply. */
static size_t spoil(enum manner manner, uint8_t *reply, size_t len, uint32_t count)
{
	switch (manner) {
	case JUKEBOX: put_be32(reply + 24, NFS3_STATUS_JUKEBOX); return 32;
	case DATA_LENGTH_HUGE:
		put_be32(reply + 40, 0x80000000);
		put_be32(reply + 32, 0x80000000);
		return len;
	case DATA_LENGTH_MORE:
		put_be32(reply + 32, count + 4);
		put_be32(reply + 40, count + 4);
		return len + 4;
	case COUNT_DIFFERS: put_be32(reply + 32, count - 1); return len;
	case EOF_IS_NO_BOOLEAN: put_be32(reply + 36, 2); return len;
	case VERIFIER_LENGTH_HUGE: put_be32(reply + 16, 0x80000000); return len;
	case DENIED:
		put_be32(reply + 8, RPC_MSG_DENIED);
		put_be32(reply + 12, RPC_AUTH_ERROR);
		put_be32(reply + 16, 5);
		return 20;
	case CUT: return len - 8;
	case MINOR_MISMATCH:
		put_be32(reply + 24, NFS4ERR_MINOR_VERS_MISMATCH);
		put_be32(reply + 32, 0);
		return 36;
	case PROGRAM_MISMATCH:
		put_be32(reply + 20, RPC_PROG_MISMATCH);
		put_be32(reply + 24, 3);
		put_be32(reply + 28, 3);
		return 32;
	case FEWER_RESULTS: put_be32(reply + 32, 1); return 44;
	case OTHER_OPERATION: put_be32(reply + 44, OP_GETFH); return len;
	case DATA4_LENGTH_MORE: put_be32(reply + 56, count + 4); return len + 4;
	case STALE:
		put_be32(reply + 24, NFS4ERR_STALE);
		put_be32(reply + 32, 1);
		put_be32(reply + 40, NFS4ERR_STALE);
		return 44;
	default: return len;
	}
}

static void answer(int fd, enum manner manner, uint8_t *reply, size_t len, uint32_t count)
{
	uint8_t other[44];

	len = spoil(manner, reply, len, count);
	switch (manner) {
	case FRAGMENTS: answer_fragments(fd, reply, len); break;
	case SILENCE: break;
	case RECORD_HUGE: peer_send_fragment(fd, 0xffffffff, reply, len); break;
	case FRAGMENTS_ENDLESS: answer_endless(fd, reply); break;
	case ANOTHER_XID_FIRST:
		memcpy(other, reply, sizeof(other));
		put_be32(other, ~get_be32(reply));
		peer_send_record(fd, other, sizeof(other));
		peer_send_record(fd, reply, len);
		break;
	default: peer_send_record(fd, reply, len);
	}
}

static void serve(int fd, void *arg)
{
	uint8_t *reply = calloc(1, REPLY_MAX), buf[1024];
	struct server *server = arg;
	unsigned int calls = 0;
	struct reader r;
	uint32_t count;
	uint64_t offset;
	size_t len;

	while (reply && (len = peer_recv_call(fd, buf, sizeof(buf))) > 0) {
		enum manner manner = calls++ < server->right ? RIGHT : server->manner;

		reader_init(&r, buf, len);
		if (rpc_call_decode(&server->call, &r) || manner == CLOSE)
			break;
		decode_args(server, &r, &offset, &count);
		len = read_reply(reply, server->call.xid, offset, count);
		if (server->call.vers == 4)
			len = read4_reply(reply, len);
		answer(fd, manner, reply, len, min_u32(count, MIB));
	}
	free(reply);
}

static const struct nfs_fh handle = { .len = 5, .data = { 9, 8, 7, 6, 5 } };
static const struct rpc_cred ovirt = {
	.flavor = RPC_AUTH_SYS, .uid = 36, .gid = 37, .ngids = 2, .gids = { 107, 179 }
};

/* The child is forked before a second thread exists. */
static void start_version(struct server *server, const char *version, enum manner manner,
			  unsigned int right, const struct rpc_cred *cred)
{
	int fd = -1;

	memset(server, 0, sizeof(*server));
	server->manner = manner;
	server->right = right;
	if (tcp_peer_listen(&server->peer, AF_INET))
		abort();
	CU_ASSERT_EQUAL(rpc_tcp_connect(&fd, &server->peer.at, NULL, deadline_in(PATIENCE_MS)), 0);
	CU_ASSERT_EQUAL_FATAL(reference_start(&server->ref), 0);
	CU_ASSERT_EQUAL(reference_connect(server->ref, fd, &server->peer.at, cred,
					  nfs_version_find(version)),
			0);
	CU_ASSERT_EQUAL(fcntl(fd, F_GETFD), -1); /* in use */
	tcp_peer_run(&server->peer, serve, server);
}

static void start(struct server *server, enum manner manner, unsigned int right,
		  const struct rpc_cred *cred)
{
	start_version(server, "3", manner, right, cred);
}

/* No process is left. */
static void stop(struct server *server)
{
	reference_close(server->ref);
	tcp_peer_join(&server->peer);
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
	CU_ASSERT_EQUAL(errno, ECHILD);
}

struct got {
	ssize_t n;
	uint32_t status;
	bool eof;
	unsigned int took_ms;
};

static uint8_t data[MIB + 16];

static struct got read_in(struct server *server, uint64_t offset, uint32_t count, unsigned int ms)
{
	struct reference_io io = {
		.fh = handle, .offset = offset, .count = count, .buf = data, .status = 0xdead
	};
	uint64_t begin = now_ms();
	struct got got;

	memset(data, 0xa5, sizeof(data));
	got.n = reference_read(server->ref, &io, deadline_in(ms));
	got.status = io.status;
	got.eof = io.eof;
	got.took_ms = (unsigned int)(now_ms() - begin);
	return got;
}

static struct got read_at(struct server *server, uint64_t offset, uint32_t count)
{
	return read_in(server, offset, count, 20000);
}

static bool data_right(uint64_t offset, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (data[i] != file_byte(offset + i)) {
			suite_saw("%02x at byte %zu, not %02x", data[i], i, file_byte(offset + i));
			return false;
		}
	return data[len] == 0xa5;
}

/* The only child, as the kernel lists it; 0 where the kernel has no such list. */
static pid_t only_child(void)
{
	char path[80], text[32] = "";
	_cleanup_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", syscall(SYS_gettid));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	return (pid_t)strtol(text, NULL, 10);
}

/* Its descriptors whose link in /proc begins with @kind. */
static unsigned int count_fds(pid_t pid, const char *kind)
{
	char path[80], link[64] = "";
	struct dirent *entry;
	unsigned int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		memset(link, 0, sizeof(link));
		if (readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1) > 0)
			count += !strncmp(link, kind, strlen(kind));
	}
	if (dir)
		closedir(dir);
	return count;
}

/* The number after @key in /proc/PID/@file. All ones if it is missing; 0 for a word. */
static uint64_t proc_value(pid_t pid, const char *file, const char *key, int base)
{
	static char text[8192];
	char path[80], *found;
	_cleanup_close_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return UINT64_MAX;
	text[n] = '\0';
	found = strstr(text, key);
	return found ? strtoull(found + strlen(key), NULL, base) : UINT64_MAX;
}

/* Valgrind has descriptors and handlers of its own in every process. */
static bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

static void ranges_of_all_sizes_are_read(void)
{
	static const uint32_t counts[] = { 1, 2, 3, 4, 811, 812, 813, 4096, 65536, 262143, MIB };
	struct server server;
	struct got got;
	size_t i;

	start(&server, RIGHT, 0, &ovirt);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		SUITE_ROW("%zu: %u", i, counts[i]);
		got = read_at(&server, 1000 + i, counts[i]);
		CU_ASSERT_EQUAL(got.n, counts[i]);
		CU_ASSERT_EQUAL(got.status, NFS3_STATUS_OK);
		CU_ASSERT_FALSE(got.eof);
		CU_ASSERT_TRUE(data_right(1000 + i, counts[i]));
	}
	stop(&server);
}

static void the_call_carries_credential_and_arguments(void)
{
	static const uint8_t want[] = { 0, 0, 0, 5, 9, 8, 7, 6, 5, 0, 0, 0,
					0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 3 };
	struct server server;

	start(&server, RIGHT, 0, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 9, 3).n, 3);
	/* Never sent: it can crash a server. The reference continues. */
	CU_ASSERT_EQUAL(read_at(&server, 9, 0).n, -EINVAL);
	CU_ASSERT_EQUAL(server.call.prog, NFS_PROGRAM_NUMBER);
	CU_ASSERT_EQUAL(server.call.vers, 3);
	CU_ASSERT_EQUAL(server.call.proc, NFS3_READ);
	CU_ASSERT_EQUAL(server.call.cred.flavor, RPC_AUTH_SYS);
	CU_ASSERT_EQUAL(server.call.cred.uid, 36);
	CU_ASSERT_EQUAL(server.call.cred.gid, 37);
	CU_ASSERT_EQUAL(server.call.cred.ngids, 2);
	CU_ASSERT_EQUAL(server.call.cred.gids[1], 179);
	CU_ASSERT_EQUAL(server.args_len, sizeof(want));
	ASSERT_BYTES(server.args, want, sizeof(want));
	stop(&server);
	start(&server, RIGHT, 0, NULL);
	CU_ASSERT_EQUAL(read_at(&server, 9, 3).n, 3);
	CU_ASSERT_EQUAL(server.call.cred.flavor, RPC_AUTH_NONE);
	stop(&server);
}

static void the_end_of_the_file_is_reported(void)
{
	struct server server;
	struct got got;

	start(&server, RIGHT, 0, &ovirt);
	got = read_at(&server, FILE_SIZE - 3, 4096);
	CU_ASSERT_EQUAL(got.n, 3);
	CU_ASSERT_TRUE(got.eof);
	CU_ASSERT_TRUE(data_right(FILE_SIZE - 3, 3));
	got = read_at(&server, FILE_SIZE + 10ull, 4096);
	CU_ASSERT_EQUAL(got.n, 0);
	CU_ASSERT_TRUE(got.eof);
	stop(&server);
}

static void a_clipped_read_is_returned_as_received(void)
{
	struct server server;
	struct got got;

	start(&server, RIGHT, 0, &ovirt);
	got = read_at(&server, 0, 2 * MIB);
	CU_ASSERT_EQUAL(got.n, MIB);
	CU_ASSERT_EQUAL(get_be32(server.args + 20), MIB);
	CU_ASSERT_TRUE(data_right(0, MIB));
	stop(&server);
}

static void fragments_of_a_reply_are_joined(void)
{
	struct server server;

	start(&server, FRAGMENTS, 0, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 5, MIB).n, MIB);
	CU_ASSERT_TRUE(data_right(5, MIB));
	CU_ASSERT_EQUAL(read_at(&server, 77, 1000).n, 1000);
	CU_ASSERT_TRUE(data_right(77, 1000));
	stop(&server);
}

static void a_reply_to_another_call_is_skipped(void)
{
	struct server server;

	start(&server, ANOTHER_XID_FIRST, 0, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 5, 100).n, 100);
	CU_ASSERT_EQUAL(read_at(&server, 6, 100).n, 100);
	CU_ASSERT_TRUE(data_right(6, 100));
	stop(&server);
}

static void an_nfs_error_is_a_status(void)
{
	struct server server;
	struct got got;

	start(&server, JUKEBOX, 0, &ovirt);
	got = read_at(&server, 0, 100);
	CU_ASSERT_EQUAL(got.n, 0);
	CU_ASSERT_EQUAL(got.status, NFS3_STATUS_JUKEBOX);
	CU_ASSERT_FALSE(got.eof);
	stop(&server);
}

static void a_closed_connection_is_remembered(void)
{
	struct server server;
	struct got got;

	start(&server, CLOSE, 2, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EIO);
	ASSERT_CONTAINS(err_text(), "the server closed the connection");
	CU_ASSERT_EQUAL(only_child(), 0); /* it has nothing left to do */
	err_clear();
	got = read_at(&server, 0, 100);
	CU_ASSERT_EQUAL(got.n, -EIO);
	ASSERT_WITHIN_MS(got.took_ms, 100);
	ASSERT_CONTAINS(err_text(), "the server closed the connection");
	stop(&server);
}

static void silence_ends_at_the_deadline(void)
{
	struct server server;
	struct got got;

	start(&server, SILENCE, 1, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
	got = read_in(&server, 0, 100, 200);
	CU_ASSERT_EQUAL(got.n, -ETIMEDOUT);
	ASSERT_AT_LEAST(got.took_ms, 150);
	ASSERT_WITHIN_MS(got.took_ms, 1500);
	ASSERT_CONTAINS(err_text(), "no reply to a READ over TCP");
	got = read_at(&server, 0, 100);
	CU_ASSERT_EQUAL(got.n, -ETIMEDOUT);
	ASSERT_WITHIN_MS(got.took_ms, 100);
	stop(&server);
}

/* libnfs accepts all of these as data, and calls back. */
static void impossible_lengths_are_errors(void)
{
	static const enum manner manners[] = { DATA_LENGTH_HUGE, DATA_LENGTH_MORE, COUNT_DIFFERS,
					       EOF_IS_NO_BOOLEAN };
	struct server server;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(manners); i++) {
		SUITE_ROW("%zu", i);
		start(&server, manners[i], 1, &ovirt);
		CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
		CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EIO);
		ASSERT_CONTAINS(err_text(), "reply to a READ of 100 has count");
		CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EIO);
		stop(&server);
	}
}

static void what_libnfs_refuses_is_in_its_words(void)
{
	struct server server;

	start(&server, DENIED, 0, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EIO);
	ASSERT_CONTAINS(err_text(), "not accepted by the server");
	stop(&server);
	start(&server, CUT, 0, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EIO);
	ASSERT_CONTAINS(err_text(), "failed to decode");
	stop(&server);
	start(&server, RECORD_HUGE, 0, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EIO);
	ASSERT_CONTAINS(err_text(), "exceeds limit");
	ASSERT_WITHIN_MS(read_at(&server, 0, 100).took_ms, 100);
	stop(&server);
}

/* A verifier of 0x80000000 bytes sends libnfs 2 GiB before its buffer. */
static void a_crash_is_reported_and_survived(void)
{
	struct server server;
	struct got got;

	start(&server, VERIFIER_LENGTH_HUGE, 1, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EPIPE);
	CU_ASSERT_STRING_EQUAL(err_text(),
			       "the TCP reference died with signal 11 while decoding a READ reply");
	err_clear();
	got = read_at(&server, 0, 100);
	CU_ASSERT_EQUAL(got.n, -EPIPE);
	ASSERT_WITHIN_MS(got.took_ms, 100);
	ASSERT_CONTAINS(err_text(), "signal 11");
	stop(&server);
}

static void on_signal(int signo)
{
	(void)signo;
}

static void the_child_keeps_two_sockets_and_no_handlers(void)
{
	struct server server;
	pid_t pid;

	SKIP_IF_EMULATED("catches signals itself");
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, on_signal);
	start(&server, RIGHT, 0, &ovirt);
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
	pid = only_child();
	if (pid && !under_valgrind()) {
		/* Only root can inspect a process that cannot be dumped. */
		if (geteuid() == 0) {
			CU_ASSERT_EQUAL(count_fds(pid, ""), 5);
			CU_ASSERT_EQUAL(count_fds(pid, "socket:"), 2);
			CU_ASSERT_EQUAL(count_fds(pid, "/dev/null"), 3);
		}
		CU_ASSERT_EQUAL(proc_value(pid, "status", "NoNewPrivs:", 10), 1);
		/* Two that libc uses for its threads, and guards, are above 31. */
		CU_ASSERT_EQUAL(proc_value(pid, "status", "SigIgn:", 16) & INT32_MAX,
				1u << (SIGINT - 1) | 1u << (SIGPIPE - 1) | 1u << (SIGXFSZ - 1));
		CU_ASSERT_EQUAL(proc_value(pid, "status", "SigCgt:", 16) & INT32_MAX, 0);
	}
	stop(&server);
}

/* Endless fragments make libnfs hold all of them, up to the limit. Under a sanitizer, which maps
 * terabytes, there is no limit, and the deadline ends it. */
static void endless_fragments_do_not_fill_memory(void)
{
	bool limited = proc_value(getpid(), "status", "VmData:", 10) < 1u << 30;
	struct server server;
	uint64_t most;
	ssize_t n;

	SKIP_IF_EMULATED("lacks limits of memory");
	start(&server, FRAGMENTS_ENDLESS, 1, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
	if (only_child() && limited && !under_valgrind()) {
		/* prlimit(2) needs root with CAP_SYS_RESOURCE. "unlimited" is 0. */
		most = proc_value(only_child(), "limits", "Max data size", 10);
		CU_ASSERT_NOT_EQUAL(most, 0);
		ASSERT_LESS(most, (uint64_t)1 << 30);
	}
	n = read_in(&server, 0, 100, 1000).n;
	CU_ASSERT(n == -EIO || n == -EPIPE || n == -ETIMEDOUT);
	stop(&server);
}

static void nfs4_reads_the_same_bytes(void)
{
	static const uint32_t counts[] = { 1, 811, 813, 4096, 262143, MIB };
	static const char *const versions[] = { "4.0", "4.1", "4.2" };
	struct server server;
	struct got got;
	size_t i, v;

	for (v = 0; v < ARRAY_SIZE(versions); v++) {
		SUITE_ROW("%zu: %s", v, versions[v]);
		start_version(&server, versions[v], RIGHT, 0, &ovirt);
		for (i = 0; i < ARRAY_SIZE(counts); i++) {
			SUITE_ROW("%zu: %u", i, counts[i]);
			got = read_at(&server, 1000 + i, counts[i]);
			CU_ASSERT_EQUAL(got.n, counts[i]);
			CU_ASSERT_EQUAL(got.status, NFS4_OK);
			CU_ASSERT_FALSE(got.eof);
			CU_ASSERT_TRUE(data_right(1000 + i, counts[i]));
		}
		got = read_at(&server, FILE_SIZE - 3, 4096);
		CU_ASSERT_EQUAL(got.n, 3);
		CU_ASSERT_TRUE(got.eof);
		stop(&server);
	}
}

/* Of every version: libnfs knows no other, and the handle is the same. */
static void nfs4_uses_a_compound_of_40(void)
{
	static const uint8_t want[] = {
		0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0, 2,             /* tag, minor, operations */
		0, 0, 0, 22, 0, 0, 0, 5, 9, 8, 7, 6, 5, 0, 0, 0, /* PUTFH */
		0, 0, 0, 25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* READ */
		0, 0, 0, 0,  0, 0, 0, 9, 0, 0, 0, 3
	};
	struct server server;

	start_version(&server, "4.2", RIGHT, 0, &ovirt);
	CU_ASSERT_EQUAL(read_at(&server, 9, 3).n, 3);
	CU_ASSERT_EQUAL(server.call.prog, NFS_PROGRAM_NUMBER);
	CU_ASSERT_EQUAL(server.call.vers, 4);
	CU_ASSERT_EQUAL(server.call.proc, NFSPROC4_COMPOUND);
	CU_ASSERT_EQUAL(server.call.cred.uid, 36);
	CU_ASSERT_EQUAL(server.args_len, sizeof(want));
	ASSERT_BYTES(server.args, want, sizeof(want));
	stop(&server);
}

static void an_nfs4_error_is_a_status(void)
{
	struct server server;
	struct got got;

	start_version(&server, "4.1", STALE, 0, &ovirt);
	got = read_at(&server, 0, 100);
	CU_ASSERT_EQUAL(got.n, 0);
	CU_ASSERT_EQUAL(got.status, NFS4ERR_STALE);
	stop(&server);
}

static void a_server_that_has_no_nfs40_is_an_error(void)
{
	static const struct {
		enum manner manner;
		const char *text;
	} refusals[] = {
		{ MINOR_MISMATCH, "the server does not support NFSv4.0" },
		{ PROGRAM_MISMATCH, "mismatch" },
		{ CLOSE, "the server closed the connection" },
	};
	struct server server;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		SUITE_ROW("%zu: %s", i, refusals[i].text);
		start_version(&server, "4.1", refusals[i].manner, 0, &ovirt);
		CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, -EIO);
		if (!strcasestr(err_text(), refusals[i].text))
			fprintf(stderr, "%s\n", err_text());
		CU_ASSERT_PTR_NOT_NULL(strcasestr(err_text(), refusals[i].text));
		stop(&server);
	}
}

static void impossible_nfs4_results_are_errors(void)
{
	static const enum manner manners[] = {
		FEWER_RESULTS, OTHER_OPERATION, DATA4_LENGTH_MORE,
		CUT,           SILENCE,         VERIFIER_LENGTH_HUGE
	};
	struct server server;
	ssize_t n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(manners); i++) {
		SUITE_ROW("%zu", i);
		start_version(&server, "4.0", manners[i], 1, &ovirt);
		CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
		n = read_in(&server, 0, 100, manners[i] == SILENCE ? 200 : 20000).n;
		CU_ASSERT(n == -EIO || (n == -ETIMEDOUT && manners[i] == SILENCE) ||
			  (n == -EPIPE && manners[i] == VERIFIER_LENGTH_HUGE));
		stop(&server);
	}
}

static void a_handle_too_long_for_the_version_is_refused(void)
{
	struct reference_io io = { .fh = { .len = NFS3_FH_MAX + 1 }, .count = 100, .buf = data };
	struct server server;

	start(&server, RIGHT, 0, &ovirt);
	CU_ASSERT_EQUAL(reference_read(server.ref, &io, deadline_in(PATIENCE_MS)), -EINVAL);
	ASSERT_CONTAINS(err_text(), "65 bytes");
	CU_ASSERT_EQUAL(read_at(&server, 0, 100).n, 100);
	stop(&server);
	start_version(&server, "4.0", RIGHT, 0, &ovirt);
	io.fh.len = NFS4_FHSIZE;
	CU_ASSERT_EQUAL(reference_read(server.ref, &io, deadline_in(PATIENCE_MS)), 100);
	io.fh.len = NFS4_FHSIZE + 1;
	CU_ASSERT_EQUAL(reference_read(server.ref, &io, deadline_in(PATIENCE_MS)), -EINVAL);
	stop(&server);
}

static void closing_a_silent_one_does_not_wait(void)
{
	struct server server;
	uint64_t begin;

	start(&server, SILENCE, 0, &ovirt);
	begin = now_ms();
	reference_close(server.ref);
	server.ref = NULL;
	ASSERT_WITHIN_MS(now_ms() - begin, 1000);
	stop(&server);
	reference_close(NULL);
}

/* In a process that will be killed while its child waits for a reply. */
static void forsake(const struct transport_address *server, int out)
{
	struct reference_io io = { .fh = handle, .count = 100, .buf = data };
	struct reference *ref;
	int fd = -1;
	pid_t pid;

	if (rpc_tcp_connect(&fd, server, NULL, deadline_in(PATIENCE_MS)) || reference_start(&ref) ||
	    reference_connect(ref, fd, server, NULL, nfs_version_find("3")))
		_exit(1);
	pid = only_child();
	if (write(out, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	reference_read(ref, &io, deadline_in(PATIENCE_MS));
	_exit(1);
}

static void the_child_dies_with_its_parent(void)
{
	pid_t middle, orphan = 0, reaped = 0;
	uint64_t deadline = deadline_in(PATIENCE_MS);
	struct tcp_peer peer;
	int pipes[2], status, connection;
	uint8_t byte;

	SKIP_IF_EMULATED("lacks PR_SET_CHILD_SUBREAPER");
	if (pipe2(pipes, O_CLOEXEC) || tcp_peer_listen(&peer, AF_INET))
		abort();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	middle = fork();
	if (middle == 0)
		forsake(&peer.at, pipes[1]);
	CU_ASSERT_EQUAL(read(pipes[0], &orphan, sizeof(orphan)), sizeof(orphan));
	/* A byte of its call: it waits for the reply from here on. */
	connection = accept4(peer.listener, NULL, NULL, SOCK_CLOEXEC);
	CU_ASSERT_EQUAL(read(connection, &byte, 1), 1);
	kill(middle, SIGKILL);
	CU_ASSERT_EQUAL(waitpid(middle, &status, 0), middle);
	CU_ASSERT_TRUE(WIFSIGNALED(status));
	while (orphan && !reaped && deadline_left(deadline)) {
		reaped = waitpid(orphan, &status, WNOHANG);
		usleep(1000);
	}
	/* Killed, or it saw first that its channel is closed: but no reply ended it. */
	CU_ASSERT_EQUAL(reaped, orphan);
	close(connection); /* which ends an orphan that remains */
	close(peer.listener);
	close(pipes[0]);
	close(pipes[1]);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

SUITE_MAIN("reference", TEST(ranges_of_all_sizes_are_read),
	   TEST(the_call_carries_credential_and_arguments), TEST(the_end_of_the_file_is_reported),
	   TEST(a_clipped_read_is_returned_as_received), TEST(fragments_of_a_reply_are_joined),
	   TEST(a_reply_to_another_call_is_skipped), TEST(an_nfs_error_is_a_status),
	   TIMED(a_closed_connection_is_remembered), TIMED(silence_ends_at_the_deadline),
	   TEST(impossible_lengths_are_errors), TIMED(what_libnfs_refuses_is_in_its_words),
	   TIMED(a_crash_is_reported_and_survived),
	   TEST(the_child_keeps_two_sockets_and_no_handlers),
	   TEST(endless_fragments_do_not_fill_memory), TEST(nfs4_reads_the_same_bytes),
	   TEST(nfs4_uses_a_compound_of_40), TEST(an_nfs4_error_is_a_status),
	   TEST(a_server_that_has_no_nfs40_is_an_error), TEST(impossible_nfs4_results_are_errors),
	   TEST(a_handle_too_long_for_the_version_is_refused),
	   TIMED(closing_a_silent_one_does_not_wait), TEST(the_child_dies_with_its_parent))
