/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the NFS server may listen for RDMA. If a listener cannot be opened, the
 * kernel frees what it goes on to use: Linux 6.1.192 falls over a write of "rdma PORT" to
 * /proc/fs/nfsd/portlist where the port is in use. So the write is only for a port that is not
 * seen in use: no other listener of the server, and no socket, since iWARP takes TCP's ports.
 *
 * Users of the RDMA connection manager (Ganesha, `nfsrdma serve`) have ports of their own, which
 * are in none of these files; and one may begin to listen between the check and the write. */
#include <stdio.h>

#include "plugin/setup/internal.h"

/* Some 100,000 connections. */
#define SOCKETS_MAX (16 * 1024 * 1024)
#define TCP_LISTEN  0x0a

/* "   0: 00000000:4E51 00000000:0000 0A ..." (net/ipv4/tcp_ipv4.c: get_tcp4_sock()) */
static bool listener_is_on(const char *line, uint16_t port)
{
	unsigned int local, state;

	return sscanf(line, " %*u: %*[0-9A-Fa-f]:%4x %*[0-9A-Fa-f]:%*4x %2x", &local, &state) ==
		       2 &&
	       local == port && state == TCP_LISTEN;
}

static int listener_check_sockets(const struct host *host, const char *path, uint16_t port)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc = host_read(host, path, SOCKETS_MAX, &text);
	char *cursor = text.text, *line;

	while (!rc && (line = line_next(&cursor)))
		if (listener_is_on(line, port))
			rc = err_set(
				EADDRINUSE,
				"a socket listens on TCP port %u (%s%s: \"%.48s\"); to see whose it is: ss -ltnp 'sport = :%u'",
				port, host_prefix(host), path, line + strspn(line, " "), port);
	return rc;
}

int listener_check(const struct host *host, uint16_t port, bool *there)
{
	struct host_nfsd nfsd;
	unsigned int i;
	int rc = host_nfsd(host, &nfsd);

	*there = false;
	if (rc)
		return rc;
	for (i = 0; i < nfsd.nlisteners; i++) {
		if (nfsd.listeners[i].port != port)
			continue;
		if (strcmp(nfsd.listeners[i].proto, "rdma") != 0)
			return err_set(
				EADDRINUSE,
				"port %u is the NFS server's for %s (%sproc/fs/nfsd/portlist: \"%s %u\")",
				port, nfsd.listeners[i].proto, host_prefix(host),
				nfsd.listeners[i].proto, port);
		*there = true;
	}
	if (*there)
		return 0;
	if (nfsd.nlisteners == NFSD_LISTENERS_MAX)
		return err_set(EFBIG, "%sproc/fs/nfsd/portlist has too many lines",
			       host_prefix(host));
	rc = listener_check_sockets(host, "proc/net/tcp", port);
	if (rc)
		return rc;
	/* A kernel may be without IPv6. */
	rc = listener_check_sockets(host, "proc/net/tcp6", port);
	if (rc && rc != -ENOENT)
		return rc;
	return nfsd.present
		       ? 0
		       : err_set(ENOENT, "there is no %sproc/fs/nfsd/portlist", host_prefix(host));
}
