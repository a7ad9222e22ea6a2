/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READ over TCP by libnfs, in the child of reference.c: the one place where libnfs decodes what a
 * server sent. NFSv3's READ, or NFSv4.0's in a COMPOUND.
 *
 * libnfs 4.0.0 can connect only by itself, and then from a reserved port only as root.
 * rpc_set_fd() gives it our connection, but leaves the context "not connected"; the next
 * rpc_service() with POLLOUT reads the socket's error, finds none and assumes a completed
 * connect(). Reconnecting, which would leave our socket, is off by default. */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "rpcrdma/nfs/internal.h"
#include "rpcrdma/nfs/libnfs-compat.h"

/* The result of a READ, common to all versions. */
struct libnfs_result {
	uint32_t status, count, eof, len;
	const char *data;
};

struct libnfs_read {
	const struct reference_task *task;
	const struct reference_request *request;
	const struct libnfs_protocol *protocol;
	struct reference_answer answer;
	bool done;
	bool answered;
};

struct libnfs_protocol {
	uint32_t vers;
	/* As rpc_nfs3_read_async(), which copies the arguments. */
	int (*start)(struct rpc_context *rpc, struct libnfs_read *call);
	/* NULL, or the error in the reply. */
	const char *(*take)(struct libnfs_result *result, const void *data);
};

/* Answers the parent; without a parent there is nothing left to do. */
static void libnfs_answer_send(struct libnfs_read *call, const void *data)
{
	struct iovec iov[2] = { { &call->answer, sizeof(call->answer) },
				{ (void *)data, call->answer.count } };

	if (tcp_send(call->task->channel, iov, ARRAY_SIZE(iov), UINT64_MAX))
		_exit(0);
	call->answered = true;
}

/* @text: NULL: libnfs has none. */
static void libnfs_answer_error(struct libnfs_read *call, const char *text)
{
	call->answer.rc = -EIO;
	str_copy(call->answer.text, sizeof(call->answer.text), text ? text : "unknown");
}

/* libnfs trusts the length of the data: 0x80000000 passes its checks. */
static void libnfs_answer_read(struct libnfs_read *call, const struct libnfs_result *result)
{
	char text[REFERENCE_TEXT_MAX];

	call->answer.status = result->status;
	if (result->status != NFS3_STATUS_OK) {
		libnfs_answer_send(call, NULL);
		return;
	}
	if (result->len > call->request->count || result->count != result->len || result->eof > 1) {
		snprintf(text, sizeof(text), "reply to a READ of %u has count %u, %u bytes, eof %u",
			 call->request->count, result->count, result->len, result->eof);
		libnfs_answer_error(call, text);
		return;
	}
	call->answer.count = result->count;
	call->answer.eof = result->eof;
	libnfs_answer_send(call, result->data);
}

/* The data is freed when this returns. */
static void libnfs_read_done(struct rpc_context *rpc, int status, void *data, void *arg)
{
	struct libnfs_read *call = arg;
	struct libnfs_result result = { 0 };
	char text[REFERENCE_TEXT_MAX];
	const char *error;

	if (call->done)
		return;
	call->done = true;
	if (status == RPC_STATUS_SUCCESS) {
		error = call->protocol->take(&result, data);
		if (error)
			libnfs_answer_error(call, error);
		else
			libnfs_answer_read(call, &result);
		return;
	}
	error = rpc_get_error(rpc);
	snprintf(text, sizeof(text), "%s%s%s", data ? (const char *)data : "cancelled",
		 error ? ": " : "", error ? error : "");
	libnfs_answer_error(call, text);
}

static int libnfs_read3_start(struct rpc_context *rpc, struct libnfs_read *call)
{
	const struct reference_request *request = call->request;
	struct READ3args args = {
		.file = { { request->fh.len, (char *)request->fh.data } },
		.offset = request->offset,
		.count = request->count,
	};

	return rpc_nfs3_read_async(rpc, libnfs_read_done, &args, call);
}

static const char *libnfs_read3_take(struct libnfs_result *result, const void *data)
{
	const READ3res *res = data;
	const READ3resok *ok = &res->READ3res_u.resok;

	result->status = res->status;
	if (res->status == NFS3_OK) {
		result->count = ok->count;
		result->eof = ok->eof;
		result->len = ok->data.data_len;
		result->data = ok->data.data_val;
	}
	return NULL;
}

/* With the anonymous stateid, which is all zeros (RFC 7530 section 9.1.4.3). */
static int libnfs_read4_start(struct rpc_context *rpc, struct libnfs_read *call)
{
	const struct reference_request *request = call->request;
	nfs_argop4 ops[2] = { { .argop = OP_PUTFH }, { .argop = OP_READ } };
	COMPOUND4args args = { .argarray = { ARRAY_SIZE(ops), ops } };
	nfs_fh4 *fh = &ops[0].nfs_argop4_u.opputfh.object;

	fh->nfs_fh4_len = request->fh.len;
	fh->nfs_fh4_val = (char *)request->fh.data;
	ops[1].nfs_argop4_u.opread.offset = request->offset;
	ops[1].nfs_argop4_u.opread.count = request->count;
	return rpc_nfs4_compound_async(rpc, libnfs_read_done, &args, call);
}

static const char *libnfs_read4_take(struct libnfs_result *result, const void *data)
{
	const COMPOUND4res *res = data;
	const READ4resok *ok;
	nfs_resop4 last;

	result->status = res->status;
	if (res->status == NFS4ERR_MINOR_VERS_MISMATCH)
		return "the server does not support NFSv4.0";
	if (res->status != NFS4_OK)
		return NULL;
	if (res->resarray.resarray_len != 2)
		return "the reply to a COMPOUND of 2 operations has another number of results";
	/* Memory of libnfs is aligned to 4 bytes only. */
	memcpy(&last, (const char *)res->resarray.resarray_val + sizeof(last), sizeof(last));
	ok = &last.nfs_resop4_u.opread.READ4res_u.resok4;
	if (last.resop != OP_READ || last.nfs_resop4_u.opread.status != NFS4_OK)
		return "the reply to a COMPOUND with a READ has no result of it";
	result->eof = ok->eof;
	result->len = result->count = ok->data.data_len;
	result->data = ok->data.data_val;
	return NULL;
}

static const struct libnfs_protocol libnfs_protocols[] = {
	{ 3, libnfs_read3_start, libnfs_read3_take },
	/* A handle is valid in every minor version; libnfs supports the lowest. */
	{ 4, libnfs_read4_start, libnfs_read4_take },
};

/* Why rpc_service() closed the connection. libnfs reports no orderly close. */
static void libnfs_connection_lost(struct rpc_context *rpc, struct libnfs_read *call)
{
	const char *error = rpc_get_error(rpc);
	char byte;

	call->answer.lost = 1;
	if (recv(call->task->server, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
		libnfs_answer_error(call, "the server closed the connection");
	else
		libnfs_answer_error(call, error ? error : "the connection was lost");
}

/* No deadline: the parent has one, and closes the channel. */
static void libnfs_service(struct rpc_context *rpc, struct libnfs_read *call)
{
	struct pollfd pfds[] = { { .fd = call->task->server }, { .fd = call->task->channel } };

	while (!call->done) {
		pfds[0].events = (short)rpc_which_events(rpc);
		if (poll(pfds, ARRAY_SIZE(pfds), -1) < 0 || pfds[1].revents)
			_exit(1);
		if (pfds[0].revents && rpc_service(rpc, pfds[0].revents) < 0) {
			libnfs_connection_lost(rpc, call);
			return;
		}
	}
}

static struct AUTH *libnfs_auth(const struct rpc_cred *cred)
{
	uint32_t gids[RPC_GIDS_MAX];
	uint32_t ngids;

	if (!cred || cred->flavor != RPC_AUTH_SYS)
		return authnone_create();
	ngids = min_u32(cred->ngids, RPC_GIDS_MAX);
	memcpy(gids, cred->gids, ngids * sizeof(gids[0]));
	return authunix_create("nfsrdma", cred->uid, cred->gid, ngids, gids);
}

/* Uses a context for each READ, so that an error text never belongs to an earlier one. */
static void libnfs_read(struct libnfs_read *call)
{
	struct rpc_context *rpc = rpc_init_context();

	if (!rpc)
		_exit(1);
	rpc_set_auth(rpc, libnfs_auth(call->task->cred));
	rpc_set_fd(rpc, call->task->server);
	if (rpc_service(rpc, POLLOUT) < 0)
		libnfs_connection_lost(rpc, call);
	else if (call->protocol->start(rpc, call) != 0)
		libnfs_answer_error(call, rpc_get_error(rpc));
	else
		libnfs_service(rpc, call);
	if (!call->answered)
		libnfs_answer_send(call, NULL);
	call->done = true;
	rpc_set_fd(rpc, -1); /* it would close it */
	rpc_destroy_context(rpc);
}

bool reference_available(void)
{
	return true;
}

void reference_libnfs_read(const struct reference_task *task,
			   const struct reference_request *request)
{
	struct libnfs_read call = { .task = task, .request = request };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(libnfs_protocols); i++)
		if (libnfs_protocols[i].vers == task->vers)
			call.protocol = &libnfs_protocols[i];
	if (!call.protocol)
		_exit(1);
	libnfs_read(&call);
}
