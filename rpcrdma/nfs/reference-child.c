/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The child process of reference.c: READ over TCP by libnfs, the one place where libnfs decodes
 * what a server sent. It may be crashed or taken over from there, so it keeps no descriptor but
 * its two sockets, no signal handler, little memory, and dies with its parent.
 *
 * libnfs 4.0.0 can connect only by itself, and then from a reserved port only as root. The
 * connection that we were given is put under it with rpc_set_fd(), which leaves the context
 * "not connected"; the next rpc_service() with POLLOUT asks the socket for its error, finds none
 * and takes it for a connect() that has completed. Reconnecting, which would leave our socket, is
 * off unless asked for. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "rpcrdma/nfs/internal.h"
#include "rpcrdma/nfs/libnfs-compat.h"

#define CHILD_SOCK 3 /* where the two descriptors are moved */
#define CHILD_PAIR 4
#define CHILD_FDS  5
/* Beyond what the parent has at the fork: a reply of 1 MiB in pieces is held twice. */
#define CHILD_MEMORY (16 * 1024 * 1024)
/* No ordinary program has so much; one that does is under a sanitizer, whose shadow memory
 * grows as it runs, and a limit would kill it. */
#define SHADOW_SIZE ((uint64_t)1 << 40)

#define NEVER UINT64_MAX

struct read_call {
	const struct reference_request *request;
	struct reference_answer answer;
	bool done;
	bool answered;
};

/* Tells the parent; without one there is nothing left to do. */
static void answer_send(struct read_call *call, const void *data)
{
	struct iovec iov[2] = { { &call->answer, sizeof(call->answer) },
				{ (void *)data, call->answer.count } };

	if (rpc_tcp_send(CHILD_PAIR, iov, ARRAY_SIZE(iov), NEVER))
		_exit(0);
	call->answered = true;
}

static void answer_error(struct read_call *call, const char *text)
{
	call->answer.rc = -EIO;
	snprintf(call->answer.text, sizeof(call->answer.text), "%s", text);
}

/* libnfs believes the length of the data: 0x80000000 passes its checks. */
static void answer_data(struct read_call *call, const READ3res *res)
{
	const READ3resok *ok = &res->READ3res_u.resok;
	char text[REFERENCE_TEXT_MAX];

	call->answer.status = res->status;
	if (res->status != NFS3_OK) {
		answer_send(call, NULL);
		return;
	}
	if (ok->data.data_len > call->request->count || ok->count != ok->data.data_len ||
	    ok->eof > 1) {
		snprintf(text, sizeof(text),
			 "reply to a READ of %u has count %u, %u bytes, eof %u",
			 call->request->count, ok->count, ok->data.data_len, ok->eof);
		answer_error(call, text);
		return;
	}
	call->answer.count = ok->count;
	call->answer.eof = ok->eof;
	answer_send(call, ok->data.data_val);
}

/* The data are gone when this returns. */
static void read_done(struct rpc_context *rpc, int status, void *data, void *arg)
{
	struct read_call *call = arg;
	char text[REFERENCE_TEXT_MAX];
	const char *error;

	if (call->done)
		return;
	call->done = true;
	if (status == RPC_STATUS_SUCCESS) {
		answer_data(call, data);
		return;
	}
	error = rpc_get_error(rpc);
	snprintf(text, sizeof(text), "%s%s%s", data ? (const char *)data : "cancelled",
		 error ? ": " : "", error ? error : "");
	answer_error(call, text);
}

/* Why rpc_service() gave the connection up. libnfs itself says nothing of an orderly close. */
static void connection_lost(struct rpc_context *rpc, struct read_call *call)
{
	const char *error = rpc_get_error(rpc);
	char byte;

	call->answer.gone = 1;
	if (recv(CHILD_SOCK, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		answer_error(call, "the server closed the connection");
	else
		answer_error(call, error ? error : "the connection was lost");
}

/* No deadline: the parent has one, and kills. */
static void read_service(struct rpc_context *rpc, struct read_call *call)
{
	struct pollfd pfd = { .fd = CHILD_SOCK };

	while (!call->done) {
		pfd.events = (short)rpc_which_events(rpc);
		if (poll(&pfd, 1, -1) < 0)
			_exit(1);
		if (rpc_service(rpc, pfd.revents) < 0) {
			connection_lost(rpc, call);
			return;
		}
	}
}

static struct AUTH *auth_create(const struct rpc_cred *cred)
{
	uint32_t gids[RPC_GIDS_MAX];
	uint32_t ngids;

	if (!cred || cred->flavor != RPC_AUTH_SYS)
		return authnone_create();
	ngids = min_u32(cred->ngids, RPC_GIDS_MAX);
	memcpy(gids, cred->gids, ngids * sizeof(gids[0]));
	return authunix_create("nfsrdma", cred->uid, cred->gid, ngids, gids);
}

/* A context for each READ: an error text is never that of an earlier one. */
static void read_serve(const struct reference_request *request,
		       const struct rpc_cred *cred)
{
	struct read_call call = { .request = request };
	struct READ3args args = {
		.file = { { request->fh.len, (char *)request->fh.data } },
		.offset = request->offset,
		.count = request->count,
	};
	struct rpc_context *rpc;

	rpc = rpc_init_context();
	if (!rpc)
		_exit(1);
	rpc_set_auth(rpc, auth_create(cred));
	rpc_set_fd(rpc, CHILD_SOCK);
	if (rpc_service(rpc, POLLOUT) < 0)
		connection_lost(rpc, &call);
	else if (rpc_nfs3_read_async(rpc, read_done, &args, &call) != 0)
		answer_error(&call, rpc_get_error(rpc));
	else
		read_service(rpc, &call);
	if (!call.answered)
		answer_send(&call, NULL);
	call.done = true;
	rpc_set_fd(rpc, -1); /* it would close it */
	rpc_destroy_context(rpc);
}

/* Two descriptors are left, at known places; 0 to 2 go as well, because what is written there
 * would be the server's words. */
static int keep_descriptors(int sock, int pair)
{
	int flags;

	sock = fcntl(sock, F_DUPFD, CHILD_FDS);
	pair = fcntl(pair, F_DUPFD, CHILD_FDS);
	if (sock < 0 || pair < 0)
		return -errno;
	if (dup2(sock, CHILD_SOCK) < 0 || dup2(pair, CHILD_PAIR) < 0)
		return -errno;
	if (close_range(CHILD_FDS, ~0u, 0) || close_range(0, 2, 0))
		return -errno;
	/* libnfs sends without MSG_DONTWAIT. */
	flags = fcntl(CHILD_SOCK, F_GETFL);
	return fcntl(CHILD_SOCK, F_SETFL, flags | O_NONBLOCK) ? -errno : 0;
}

static void reset_signals(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;
	int i;

	for (i = 1; i < NSIG; i++)
		sigaction(i, &action, NULL); /* KILL, STOP and libc's own refuse */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Bytes of private writable memory now, 0 when they cannot be told. Before the descriptors go. */
static uint64_t data_size(void)
{
	_cleanup_close_ int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128] = "";
	unsigned long pages;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	if (sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		return 0;
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, rlim_t value)
{
	struct rlimit to = { .rlim_cur = value, .rlim_max = value };

	setrlimit(resource, &to);
}

/* What cannot be had is done without: the process is no worse than its parent. */
static void give_up(uint64_t data)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	/* A server that can crash us shall not have the crash handler run each time. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_NOFILE, CHILD_FDS);
	/* Not RLIMIT_AS: the C library reserves address space for later, and would use that. */
	if (data && data < SHADOW_SIZE)
		limit(RLIMIT_DATA, data + CHILD_MEMORY);
}

void reference_child(int sock, int pair, const struct rpc_cred *cred, pid_t parent)
{
	struct reference_request request;
	uint64_t data = data_size();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	reset_signals();
	if (keep_descriptors(sock, pair))
		_exit(1);
	give_up(data);
	while (!rpc_tcp_recv(CHILD_PAIR, &request, sizeof(request), NEVER))
		read_serve(&request, cred);
	_exit(0);
}
