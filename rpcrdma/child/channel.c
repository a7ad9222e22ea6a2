/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Records between a parent and its child: a type byte and a body, one packet each, sometimes with
 * a descriptor. The kernel keeps the boundaries, so neither side parses a stream. */
#include <sys/socket.h>

#include "rpcrdma/child/internal.h"

union channel_control {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

int channel_send(int channel, int type, const void *body, size_t len, int pass_fd)
{
	uint8_t byte = (uint8_t)type;
	struct iovec iov[2] = { { &byte, 1 }, { (void *)(uintptr_t)body, len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = len ? 2 : 1 };
	union channel_control control = { 0 };
	struct cmsghdr *cmsg;

	if (pass_fd >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &pass_fd, sizeof(int));
	}
	if (TEMP_FAILURE_RETRY(sendmsg(channel, &msg, MSG_NOSIGNAL)) < 0)
		return err_sys("a message between processes");
	return 0;
}

ssize_t channel_receive(int channel, int *type, void *body, size_t cap, int *passed)
{
	uint8_t byte = 0;
	struct iovec iov[2] = { { &byte, 1 }, { body, cap } };
	union channel_control control = { 0 };
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = control.buf,
		/* Room for exactly one descriptor (not CMSG_SPACE, whose padding could hold a
		 * second): the kernel discards any others. */
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
	struct cmsghdr *cmsg;
	ssize_t n = TEMP_FAILURE_RETRY(recvmsg(channel, &msg, MSG_CMSG_CLOEXEC));

	*passed = -1;
	if (n < 0 && errno == ECONNRESET)
		n = 0;
	if (n < 0)
		return err_sys("a message between processes");
	if (!n)
		return err_set(EPIPE, "the other process has ended");
	cmsg = CMSG_FIRSTHDR(&msg);
	if (cmsg && cmsg->cmsg_level == SOL_SOCKET && cmsg->cmsg_type == SCM_RIGHTS &&
	    cmsg->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(passed, CMSG_DATA(cmsg), sizeof(int));
	if (msg.msg_flags & MSG_TRUNC)
		return err_set(EPROTO, "a message of more than %zu bytes", cap);
	*type = byte;
	return n - 1;
}
