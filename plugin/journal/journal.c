/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Sends an entry: as a datagram, or, if it is too long for one, as a sealed file whose descriptor
 * the datagram carries. A journal that does not read delays nothing for long. */
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "plugin/journal/journal.h"

#define PATIENCE_MS 100

/* A full queue of the journal is EAGAIN here. */
static int journal_send_message(int fd, const struct msghdr *message)
{
	uint64_t deadline = deadline_in(PATIENCE_MS);
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	while (sendmsg(fd, message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (!deadline_left(deadline))
			return -EAGAIN;
		if (poll(&pfd, 1, deadline_left(deadline)) < 0 && errno != EINTR)
			return -errno;
	}
	return 0;
}

static int journal_send_file(int fd, const struct msghdr *datagram, const char *text, size_t len)
{
	_cleanup_close_ int file = memfd_create("nfsrdma-journal", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct msghdr message = { .msg_name = datagram->msg_name,
				  .msg_namelen = datagram->msg_namelen,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };

	/* The journal accepts sealed files only. */
	if (file < 0 || fd_write_all(file, text, len) ||
	    fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		return -errno;
	memcpy(CMSG_DATA(&control.header), &file, sizeof(file));
	return journal_send_message(fd, &message);
}

static int journal_send_entry(const char *socket_path, char *text, size_t len)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct iovec bytes = { .iov_base = text, .iov_len = len };
	struct msghdr message = { .msg_name = &address,
				  .msg_namelen = sizeof(address),
				  .msg_iov = &bytes,
				  .msg_iovlen = 1 };
	_cleanup_close_ int fd = -1;
	int rc;

	if (!str_copy(address.sun_path, sizeof(address.sun_path), socket_path))
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	rc = journal_send_message(fd, &message);
	if (rc == -EMSGSIZE || rc == -ENOBUFS)
		rc = journal_send_file(fd, &message, text, len);
	/* No socket, or nothing listens there: this system has no journal. */
	return rc == -ENOENT || rc == -ECONNREFUSED || rc == -ENOTDIR ? 0 : rc;
}

int journal_send_to(const char *socket_path, const struct journal_entry *entry)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int rc = journal_encode(entry, &text, &len);

	if (rc)
		return rc;
	rc = journal_send_entry(socket_path, text, len);
	if (!rc)
		return 0;
	errno = -rc;
	return err_sys("an entry for the journal at %s", socket_path);
}

int journal_send(enum journal_event event, const char *who, const char *message,
		 const struct journal_field *fields, size_t nfields)
{
	const struct journal_entry entry = { event, who, message, fields, nfields };

	return journal_send_to(JOURNAL_SOCKET, &entry);
}
