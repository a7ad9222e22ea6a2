/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* RPC over TCP, the server's side: record marking (RFC 5531 section 11), one call at a time. Each
 * record is bounded in bytes, fragments and time, whatever its marks claim. */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include "rpcrdma/server/internal.h"

#define LAST_FRAGMENT 0x80000000u
#define FRAGMENTS_MAX 256

struct stream_session {
	int fd;
	const struct server_options *options;
	uint8_t *scratch;
	struct server_buffer call_buf, reply_buf;
	struct transport_address local, peer;
};

/* Moving bytes */

static int stream_wait(int fd, short events, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int n = poll(&pfd, 1, deadline_left(deadline));

	if (n < 0 && errno != EINTR)
		return err_sys("poll");
	if (!n && !deadline_left(deadline))
		return err_set(ETIMEDOUT, "no progress");
	return 0;
}

static int stream_read(int fd, uint8_t *buf, size_t len, uint64_t deadline)
{
	ssize_t n;
	int rc = 0;

	while (len && !rc) {
		n = recv(fd, buf, len, MSG_DONTWAIT);
		if (!n)
			return err_set(ECONNRESET, "closed by the client");
		if (n > 0) {
			buf += n;
			len -= (size_t)n;
		} else if (errno == EAGAIN || errno == EINTR) {
			rc = stream_wait(fd, POLLIN, deadline);
		} else {
			return err_sys("recv");
		}
	}
	return rc;
}

/* Records */

static int stream_read_record(struct stream_session *session, size_t *len)
{
	uint64_t deadline = deadline_in(SERVER_STEP_MS);
	uint32_t max = server_call_max(session->options->exp, session->options->programs);
	uint32_t mark = 0, size;
	unsigned int fragments;
	uint8_t word[4];
	int rc;

	*len = 0;
	for (fragments = 0; !(mark & LAST_FRAGMENT); fragments++) {
		if (fragments == FRAGMENTS_MAX)
			return err_set(EPROTO, "a record of over %u fragments", FRAGMENTS_MAX);
		rc = stream_read(session->fd, word, sizeof(word), deadline);
		if (rc)
			return rc;
		mark = get_be32(word);
		size = mark & ~LAST_FRAGMENT;
		if (size > max - *len)
			return err_set(EPROTO, "a record of over %u bytes", max);
		rc = server_buffer_grow(&session->call_buf, *len + size);
		if (!rc)
			rc = stream_read(session->fd, session->call_buf.base + *len, size,
					 deadline);
		if (rc)
			return rc;
		*len += size;
	}
	return 0;
}

static int stream_write_record(struct stream_session *session, const struct call *call)
{
	struct iovec iov[1 + PAYLOAD_PIECES];
	uint8_t mark[4];
	int count;

	put_be32(mark, LAST_FRAGMENT | (uint32_t)call_reply_length(call));
	iov[0] = (struct iovec){ mark, sizeof(mark) };
	count = 1 + payload_pieces(iov + 1, call->reply.base, call->reply.len, call->payload,
				   call->payload_count);
	return tcp_send(session->fd, iov, (size_t)count, deadline_in(SERVER_STEP_MS));
}

static int stream_call(struct stream_session *session)
{
	const struct server_options *options = session->options;
	struct call call = {
		.exp = options->exp,
		.nfs4 = options->nfs4,
		.scratch = session->scratch,
		.rtmax = server_rtmax(options),
		.room = SERVER_REPLY_MAX,
		.stream = true,
		.programs = options->programs,
		.results = &session->reply_buf,
		.results_max = SERVER_PROGRAM_MAX,
		.local = &session->local,
		.peer = &session->peer,
	};
	size_t len;
	int rc;

	rc = stream_read_record(session, &len);
	if (rc)
		return rc;
	reader_init(&call.args, session->call_buf.base, len);
	writer_init(&call.reply, session->reply_buf.base, SERVER_REPLY_MAX);
	/* A stream that is not RPC cannot recover: close it. */
	rc = dispatch_call(&call, dispatch_tcp);
	if (!rc)
		fault_serve(options->faults, &call);
	if (!rc && !call.silent)
		rc = stream_write_record(session, &call);
	server_buffer_trim(&session->call_buf, SERVER_REPLY_MAX);
	server_buffer_trim(&session->reply_buf, SERVER_REPLY_MAX);
	return rc;
}

/* Waits for a call to begin. */
static int stream_wait_idle(int fd, const struct server_place *place)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int n = 0;

	while (!atomic_load(place->stop) && !n) {
		n = poll(&pfd, 1, SERVER_WAKE_MS);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (!n && place_is_over(place))
			return err_set(ETIMEDOUT, "idle");
	}
	return n < 0 ? err_sys("poll") : n;
}

int stream_serve(int fd, const struct server_options *options, struct server_place *place)
{
	struct stream_session session = {
		.fd = fd,
		.options = options,
		.scratch = malloc(server_scratch_max(server_rtmax(options))),
		.local.len = sizeof(session.local.addr),
		.peer.len = sizeof(session.peer.addr),
	};
	const int one = 1;
	int rc;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	getsockname(fd, (struct sockaddr *)&session.local.addr, &session.local.len);
	getpeername(fd, (struct sockaddr *)&session.peer.addr, &session.peer.len);
	rc = server_buffer_grow(&session.reply_buf, SERVER_REPLY_MAX);
	if (!rc && !session.scratch)
		rc = err_no_memory();
	while (!rc && !atomic_load(place->stop)) {
		rc = stream_wait_idle(fd, place);
		if (rc > 0)
			rc = stream_call(&session);
		place_begin(place, true);
	}
	free(session.scratch);
	server_buffer_trim(&session.call_buf, 0);
	server_buffer_trim(&session.reply_buf, 0);
	return rc;
}

int stream_listen(int *fd, const struct transport_address *at, uint16_t port, uint16_t *bound)
{
	struct transport_address address = *at;
	_cleanup_close_ int sock = -1;
	const int one = 1;
	char text[80];

	transport_set_port(&address, port);
	transport_address_text(&address, text, sizeof(text));
	sock = socket(address.addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0)
		return err_sys("socket for %s", text);
	setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(sock, (struct sockaddr *)&address.addr, address.len))
		return err_sys("bind %s", text);
	if (listen(sock, TRANSPORT_BACKLOG))
		return err_sys("listen on %s", text);
	address.len = sizeof(address.addr);
	if (getsockname(sock, (struct sockaddr *)&address.addr, &address.len))
		return err_sys("address of %s", text);
	*bound = transport_port(&address);
	*fd = take_fd(&sock);
	return 0;
}
