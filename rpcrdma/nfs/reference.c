/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READ over TCP by libnfs, the reference for RDMA. libnfs 4.0.0 trusts the lengths that a server
 * sends, so it runs in a child process (CHILD_REFERENCE, reference-libnfs.c), and its crash is a
 * result. This side sends requests over a socket pair, bounds the answers, and ends the child.
 *
 * Once a failure leaves the child or its connection unusable, every later READ fails at once with
 * the same text. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>

#include "rpcrdma/child/child.h"
#include "rpcrdma/nfs/internal.h"
#include "rpcrdma/nfs/version.h"

/* libnfs accepts no record longer than this plus a header. */
#define READ_MAX (1024 * 1024)

struct reference {
	struct child child;
	int failed; /* -errno of every later READ */
	uint32_t fh_max;
	char text[ERR_TEXT_MAX];
	char peer[80];
};

/* Ends this reference with the current error text. */
static int reference_fail(struct reference *ref, int rc)
{
	child_finish(&ref->child, 0, NULL);
	str_copy(ref->text, sizeof(ref->text), err_text());
	ref->failed = rc;
	return rc;
}

/* Handles an error on the socket pair. */
static int reference_pair_failed(struct reference *ref, int rc)
{
	struct child_end end;

	if (rc == -ETIMEDOUT) {
		err_set(ETIMEDOUT,
			"no reply to a READ over TCP from %s before the deadline",
			ref->peer);
	} else {
		/* A process that dies of a signal has that status before its end of the pair
		 * closes, so that our kill does not hide it. */
		child_finish(&ref->child, 0, &end);
		rc = end.fate == CHILD_SIGNALLED
			     ? err_set(EPIPE,
				       "the TCP reference died with signal %d while decoding a READ reply",
				       end.status)
			     : err_set(EPIPE,
				       "the TCP reference exited with status %d while decoding a READ reply",
				       end.status);
	}
	return reference_fail(ref, rc);
}

/* The child decodes the server's data and may be compromised: @answer is checked, and its text,
 * which is printed on a terminal, is made printable. */
static bool reference_answer_is_sane(struct reference_answer *answer, uint32_t asked)
{
	char *p;

	answer->text[sizeof(answer->text) - 1] = '\0';
	for (p = answer->text; *p; p++)
		if (!isascii(*p) || !isprint(*p))
			*p = '?';
	if (answer->rc && (answer->rc != -EIO || answer->count))
		return false;
	return answer->eof <= 1 && answer->lost <= 1 && answer->count <= asked;
}

ssize_t reference_read(struct reference *ref, struct reference_io *io, uint64_t deadline)
{
	struct reference_request request = { .fh = io->fh,
					     .count = min_u32(io->count, READ_MAX),
					     .offset = io->offset };
	struct iovec iov = { &request, sizeof(request) };
	struct reference_answer answer;
	int rc;

	if (ref->failed)
		return err_set(-ref->failed, "%s", ref->text);
	if (!io->count)
		return err_set(EINVAL, "a READ of 0 bytes over TCP");
	if (io->fh.len > ref->fh_max)
		return err_set(EINVAL, "file handle of %u bytes, %u at most", io->fh.len,
			       ref->fh_max);
	rc = rpc_tcp_send(ref->child.channel, &iov, 1, deadline);
	if (!rc)
		rc = rpc_tcp_recv(ref->child.channel, &answer, sizeof(answer), deadline);
	if (rc)
		return reference_pair_failed(ref, rc);
	if (!reference_answer_is_sane(&answer, request.count)) {
		err_set(EPIPE, "the TCP reference sent an invalid answer");
		return reference_fail(ref, -EPIPE);
	}
	rc = rpc_tcp_recv(ref->child.channel, io->buf, answer.count, deadline);
	if (rc)
		return reference_pair_failed(ref, rc);
	if (answer.rc) {
		err_set(EIO, "READ over TCP from %s: %s", ref->peer, answer.text);
		return answer.lost ? reference_fail(ref, -EIO) : -EIO;
	}
	io->status = answer.status;
	io->eof = answer.eof;
	return answer.count;
}

/* Runs the child until the other end of its channel is closed. */
static int reference_run(void *arg, int channel)
{
	struct reference_task *task = arg;
	struct reference_request request;
	/* libnfs sends without MSG_DONTWAIT. */
	int flags = fcntl(task->server, F_GETFL);

	if (fcntl(task->server, F_SETFL, flags | O_NONBLOCK))
		return 1;
	task->channel = channel;
	while (!rpc_tcp_recv(channel, &request, sizeof(request), UINT64_MAX))
		reference_libnfs_read(task, &request);
	return 0;
}

int reference_open(struct reference **out, int fd, const struct transport_address *peer,
		   const struct rpc_cred *cred, const struct nfs_version *version)
{
	_cleanup_(reference_close_p) struct reference *ref = NULL;
	_cleanup_close_ int server = fd;
	struct reference_task task = { .server = fd,
				       .cred = cred,
				       .vers = version->vers };
	const struct child_function function = {
		.kind = CHILD_REFERENCE,
		.name = "the TCP reference",
		.run = reference_run,
		.arg = &task,
		.keep = &server,
		.nkeep = 1,
		.stream = true,
	};
	int rc;

	if (!reference_available())
		return err_set(EOPNOTSUPP, "this build has no libnfs to read over TCP");
	ref = calloc(1, sizeof(*ref));
	if (!ref)
		return err_no_memory();
	ref->child = CHILD_NONE;
	ref->fh_max = version->vers == 3 ? NFS3_FH_MAX : NFS4_FHSIZE;
	transport_address_text(peer, ref->peer, sizeof(ref->peer));
	rc = child_start(&ref->child, &function);
	if (rc)
		return rc;
	*out = take_ptr(ref);
	return 0;
}

void reference_close(struct reference *ref)
{
	if (!ref)
		return;
	child_finish(&ref->child, 0, NULL);
	free(ref);
}

void reference_close_p(struct reference **ref)
{
	reference_close(*ref);
}
