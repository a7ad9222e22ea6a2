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
#include <sys/resource.h>

#include "rpcrdma/child/child.h"
#include "rpcrdma/nfs/internal.h"
#include "rpcrdma/nfs/version.h"

/* libnfs accepts no record longer than this plus a header. */
#define READ_MAX (1024 * 1024)
/* For the child to end by itself. */
#define END_MS 500

struct reference {
	struct child child;
	int failed; /* -errno of every later READ */
	uint32_t fh_max;
	char text[ERR_TEXT_MAX];
	char peer[80];
};

/* The child ends when its channel closes: a confined process cannot kill it. */
static void reference_end(struct reference *ref, struct child_end *end)
{
	if (ref->child.channel >= 0)
		close(take_fd(&ref->child.channel));
	child_finish(&ref->child, deadline_in(END_MS), end);
}

/* Ends this reference with the current error text. */
static int reference_fail(struct reference *ref, int rc)
{
	reference_end(ref, NULL);
	str_copy(ref->text, sizeof(ref->text), err_text());
	ref->failed = rc;
	return rc;
}

/* Handles an error on the socket pair. */
static int reference_pair_failed(struct reference *ref, int rc)
{
	struct child_end end;

	if (rc == -ETIMEDOUT) {
		err_set(ETIMEDOUT, "no reply to a READ over TCP from %s before the deadline",
			ref->peer);
	} else {
		reference_end(ref, &end);
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
	rc = tcp_send(ref->child.channel, &iov, 1, deadline);
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

/* The connection comes with the start. From there on the child opens nothing. */
static int reference_take_start(struct reference_start *start, int channel)
{
	const struct rlimit none = { STDERR_FILENO + 1, STDERR_FILENO + 1 };
	int type, fd;
	ssize_t n = channel_receive(channel, &type, start, sizeof(*start), &fd);

	if (n != sizeof(*start) || fd < 0 || setrlimit(RLIMIT_NOFILE, &none))
		return -1;
	/* libnfs sends without MSG_DONTWAIT. */
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) ? -1 : fd;
}

/* Runs the child until the other end of its channel is closed. */
static int reference_run(void *arg, int channel)
{
	struct reference_start start;
	struct reference_task task = { .server = reference_take_start(&start, channel),
				       .channel = channel,
				       .cred = &start.cred,
				       .vers = start.vers };
	struct reference_request request;

	(void)arg;
	if (task.server < 0)
		return 1;
	while (!rpc_tcp_recv(channel, &request, sizeof(request), UINT64_MAX))
		reference_libnfs_read(&task, &request);
	return 0;
}

int reference_start(struct reference **out)
{
	_cleanup_(reference_close_p) struct reference *ref = NULL;
	const struct child_function function = {
		.kind = CHILD_REFERENCE,
		.name = "the TCP reference",
		.run = reference_run,
		.stream = true,
	};
	int rc;

	if (!reference_available())
		return err_set(EOPNOTSUPP, "this build has no libnfs to read over TCP");
	ref = calloc(1, sizeof(*ref));
	if (!ref)
		return err_no_memory();
	ref->child = CHILD_NONE;
	rc = child_start(&ref->child, &function);
	if (rc)
		return rc;
	*out = take_ptr(ref);
	return 0;
}

int reference_connect(struct reference *ref, int fd, const struct transport_address *peer,
		      const struct rpc_cred *cred, const struct nfs_version *version)
{
	_cleanup_close_ int server = fd;
	struct reference_start start = { .vers = version->vers };
	int rc;

	if (cred)
		start.cred = *cred;
	ref->fh_max = version->vers == 3 ? NFS3_FH_MAX : NFS4_FHSIZE;
	transport_address_text(peer, ref->peer, sizeof(ref->peer));
	rc = channel_send(ref->child.channel, 0, &start, sizeof(start), server);
	return rc ? err_context(rc, "the TCP reference") : 0;
}

void reference_close(struct reference *ref)
{
	if (!ref)
		return;
	reference_end(ref, NULL);
	free(ref);
}

void reference_close_p(struct reference **ref)
{
	reference_close(*ref);
}
