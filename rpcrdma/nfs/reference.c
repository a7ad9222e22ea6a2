/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* READ over TCP by libnfs, the witness against which RDMA is compared. libnfs 4.0.0 trusts the
 * lengths that a server sends, so it runs in a child process (reference-child.c,
 * reference-libnfs.c), and its crash is a result. This side asks over a socket pair, bounds what
 * comes back, and kills and reaps.
 *
 * Once something went wrong that leaves the child or its connection useless, every later READ
 * fails at once with the same words. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "rpcrdma/nfs/internal.h"
#include "rpcrdma/nfs/version.h"

/* libnfs takes no record that is longer than this and a header. */
#define READ_MAX (1024 * 1024)

struct reference {
	pid_t pid; /* 0: reaped */
	int fd;
	int failed; /* -errno that every READ gets from now on */
	uint32_t fh_max;
	char text[ERR_TEXT_MAX];
	char peer[80];
};

/* @status is waitpid's. */
static int child_verdict(int status)
{
	if (WIFSIGNALED(status))
		return err_set(
			EPIPE,
			"the TCP reference died with signal %d while decoding a READ reply",
			WTERMSIG(status));
	return err_set(
		EPIPE,
		"the TCP reference exited with status %d while decoding a READ reply",
		WEXITSTATUS(status));
}

/* Kills and reaps. Whoever dies of a signal of its own has that status before its end of the
 * socket pair closes, so that ours, which comes later, does not cover it. */
static int child_stop(struct reference *ref)
{
	int status = 0;
	pid_t pid;

	if (!ref->pid)
		return 0;
	kill(ref->pid, SIGKILL);
	do
		pid = waitpid(ref->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	ref->pid = 0;
	return status;
}

/* The end of this reference, in the words of the present error text. */
static int reference_fail(struct reference *ref, int rc)
{
	child_stop(ref);
	snprintf(ref->text, sizeof(ref->text), "%s", err_text());
	ref->failed = rc;
	return rc;
}

/* An error on the socket pair. */
static int pair_failed(struct reference *ref, int rc)
{
	if (rc == -ETIMEDOUT)
		err_set(ETIMEDOUT,
			"no reply to a READ over TCP from %s before the deadline",
			ref->peer);
	else
		rc = child_verdict(child_stop(ref));
	return reference_fail(ref, rc);
}

/* The child handles what the server sent and may be in its hands: @answer is checked, and its
 * words, which end up on a terminal, are made printable. */
static bool answer_sane(struct reference_answer *answer, uint32_t asked)
{
	char *p;

	answer->text[sizeof(answer->text) - 1] = '\0';
	for (p = answer->text; *p; p++)
		if (!isascii(*p) || !isprint(*p))
			*p = '?';
	if (answer->rc && (answer->rc != -EIO || answer->count))
		return false;
	return answer->eof <= 1 && answer->gone <= 1 && answer->count <= asked;
}

ssize_t reference_read(struct reference *ref, const struct nfs_fh *fh, uint64_t offset,
		       uint32_t count, void *buf, uint32_t *status, bool *eof,
		       uint64_t deadline)
{
	struct reference_request request = { .fh = *fh,
					     .count = min_u32(count, READ_MAX),
					     .offset = offset };
	struct iovec iov = { &request, sizeof(request) };
	struct reference_answer answer;
	int rc;

	if (ref->failed)
		return err_set(-ref->failed, "%s", ref->text);
	if (fh->len > ref->fh_max)
		return err_set(EINVAL, "file handle of %u bytes, %u at most", fh->len,
			       ref->fh_max);
	rc = rpc_tcp_send(ref->fd, &iov, 1, deadline);
	if (!rc)
		rc = rpc_tcp_recv(ref->fd, &answer, sizeof(answer), deadline);
	if (rc)
		return pair_failed(ref, rc);
	if (!answer_sane(&answer, request.count)) {
		err_set(EPIPE, "the TCP reference answers nonsense");
		return reference_fail(ref, -EPIPE);
	}
	rc = rpc_tcp_recv(ref->fd, buf, answer.count, deadline);
	if (rc)
		return pair_failed(ref, rc);
	if (answer.rc) {
		err_set(EIO, "READ over TCP from %s: %s", ref->peer, answer.text);
		return answer.gone ? reference_fail(ref, -EIO) : -EIO;
	}
	*status = answer.status;
	*eof = answer.eof;
	return answer.count;
}

int reference_open(struct reference **out, int fd, const struct transport_address *peer,
		   const struct rpc_cred *cred, const struct nfs_version *version)
{
	_cleanup_(reference_close_p) struct reference *ref = NULL;
	_cleanup_close_ int sock = fd;
	_cleanup_close_ int far = -1;
	pid_t parent = getpid();
	int pair[2];

	ref = calloc(1, sizeof(*ref));
	if (!ref)
		return err_set(ENOMEM, "out of memory");
	ref->fd = -1;
	ref->fh_max = version->vers == 3 ? NFS3_FH_MAX : NFS4_FHSIZE;
	transport_address_text(peer, ref->peer, sizeof(ref->peer));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return err_sys("socketpair");
	ref->fd = pair[0];
	far = pair[1];
	ref->pid = fork();
	if (ref->pid < 0) {
		ref->pid = 0;
		return err_sys("fork");
	}
	if (ref->pid == 0)
		reference_child(sock, far, cred, version->vers, parent);
	*out = take_ptr(ref);
	return 0;
}

void reference_close(struct reference *ref)
{
	if (!ref)
		return;
	child_stop(ref);
	if (ref->fd >= 0)
		close(ref->fd);
	free(ref);
}

void reference_close_p(struct reference **ref)
{
	reference_close(*ref);
}
