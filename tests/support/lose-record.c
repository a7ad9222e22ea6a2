/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* For LD_PRELOAD: a message on a SOCK_SEQPACKET socket that contains $NFSRDMA_TEST_RECORD is not
 * sent, because the kernel has no memory for it (ENOBUFS); or with $NFSRDMA_TEST_DIES its sender dies
 * there from SIGKILL. $NFSRDMA_TEST_RECORD_TYPE instead is the number in a message's first byte. */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static bool is_record(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) && type == SOCK_SEQPACKET;
}

static bool contains(const struct msghdr *msg, const char *text)
{
	size_t i;

	for (i = 0; text && i < msg->msg_iovlen; i++)
		if (memmem(msg->msg_iov[i].iov_base, msg->msg_iov[i].iov_len, text, strlen(text)))
			return true;
	return false;
}

static bool is_of_type(const struct msghdr *msg, const char *type)
{
	return type && msg->msg_iovlen && msg->msg_iov[0].iov_len &&
	       *(const unsigned char *)msg->msg_iov[0].iov_base == strtoul(type, NULL, 10);
}

__attribute__((visibility("default"))) ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	static ssize_t (*next)(int, const struct msghdr *, int);
	void *symbol;

	if (!next) {
		symbol = dlsym(RTLD_NEXT, "sendmsg");
		memcpy(&next, &symbol, sizeof(next));
	}
	if (is_record(fd) && (contains(msg, getenv("NFSRDMA_TEST_RECORD")) ||
			      is_of_type(msg, getenv("NFSRDMA_TEST_RECORD_TYPE")))) {
		if (getenv("NFSRDMA_TEST_DIES"))
			raise(SIGKILL);
		errno = ENOBUFS;
		return -1;
	}
	return next(fd, msg, flags);
}
