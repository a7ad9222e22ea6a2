/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of transports, and addresses: resolving them, and showing them as text. */
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>

#include "rpcrdma/transport/internal.h"

static const struct transport_ops *const transports[] = { &transport_iwarp };

const struct transport_ops *transport_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(transports); i++)
		if (!strcmp(transports[i]->name, name))
			return transports[i];
	return NULL;
}

void transport_close_p(struct transport **t)
{
	if (*t)
		(*t)->ops->close(*t);
	*t = NULL;
}

static int resolve_error(const char *host, int code)
{
	static const struct {
		int code, errnum;
	} rows[] = {
		{ EAI_NONAME, ENOENT }, { EAI_NODATA, ENOENT }, { EAI_FAIL, ENOENT },
		{ EAI_AGAIN, EAGAIN },  { EAI_MEMORY, ENOMEM },
	};
	size_t i;

	if (code == EAI_SYSTEM)
		return err_sys("resolve %s", host);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].code == code)
			return err_set(rows[i].errnum, "resolve %s: %s", host,
				       gai_strerror(code));
	return err_set(EINVAL, "resolve %s: %s", host, gai_strerror(code));
}

/* What the resolver's thread works on: it may still do so after we have gone. */
struct resolve_request {
	struct gaicb cb;
	struct addrinfo hints;
	char host[];
};

/* EAI_INPROGRESS when the deadline passed. */
static int resolve_wait(struct gaicb *cb, uint64_t deadline)
{
	const struct gaicb *const list[] = { cb };
	int rc, left;

	while ((rc = gai_error(cb)) == EAI_INPROGRESS) {
		left = deadline_left(deadline);
		if (!left)
			break;
		gai_suspend(list, 1,
			    &(struct timespec){ left / 1000, left % 1000 * 1000000L });
	}
	return rc;
}

/* A resolver may wait for longer than we may. A request that cannot be called back then stays
 * with the thread that works on it, and so does its memory. */
static int resolve_by(const char *host, uint64_t deadline, struct addrinfo **list)
{
	static const struct addrinfo numeric = { .ai_socktype = SOCK_STREAM,
						 .ai_flags = AI_NUMERICHOST };
	_cleanup_free_ struct resolve_request *request = NULL;
	struct gaicb *cb;
	int rc;

	rc = getaddrinfo(host, NULL, &numeric, list);
	if (rc != EAI_NONAME)
		return rc;
	request = calloc(1, sizeof(*request) + strlen(host) + 1);
	if (!request)
		return EAI_MEMORY;
	strcpy(request->host, host);
	request->hints.ai_socktype = SOCK_STREAM;
	cb = &request->cb;
	cb->ar_name = request->host;
	cb->ar_request = &request->hints;
	rc = getaddrinfo_a(GAI_NOWAIT, &cb, 1, NULL);
	if (rc)
		return rc;
	rc = resolve_wait(cb, deadline);
	if (rc == EAI_INPROGRESS) {
		rc = gai_cancel(cb);
		if (rc == EAI_NOTCANCELED)
			request = NULL;
		if (rc != EAI_ALLDONE)
			return EAI_AGAIN;
		rc = gai_error(cb);
	}
	*list = cb->ar_result;
	return rc;
}

int transport_resolve(const char *host, uint16_t port, struct transport_address *out,
		      size_t max, size_t *count, uint64_t deadline)
{
	struct addrinfo *list, *ai;
	size_t n = 0;
	int rc;

	rc = resolve_by(host, deadline, &list);
	if (rc)
		return resolve_error(host, rc);
	for (ai = list; ai && n < max; ai = ai->ai_next) {
		if (ai->ai_family != AF_INET && ai->ai_family != AF_INET6)
			continue;
		memset(&out[n], 0, sizeof(out[n]));
		memcpy(&out[n].addr, ai->ai_addr, ai->ai_addrlen);
		out[n].len = ai->ai_addrlen;
		transport_set_port(&out[n++], port);
	}
	freeaddrinfo(list);
	if (!n)
		return err_set(ENOENT, "resolve %s: no IPv4 or IPv6 address", host);
	*count = n;
	return 0;
}

uint16_t transport_port(const struct transport_address *a)
{
	if (a->addr.ss_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)&a->addr)->sin_port);
	if (a->addr.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)&a->addr)->sin6_port);
	return 0;
}

void transport_set_port(struct transport_address *a, uint16_t port)
{
	if (a->addr.ss_family == AF_INET)
		((struct sockaddr_in *)&a->addr)->sin_port = htons(port);
	if (a->addr.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&a->addr)->sin6_port = htons(port);
}

const char *transport_address_text(const struct transport_address *a, char *buf,
				   size_t cap)
{
	bool six = a->addr.ss_family == AF_INET6;
	char host[64];

	if (!a->len || getnameinfo((const struct sockaddr *)&a->addr, a->len, host,
				   sizeof(host), NULL, 0, NI_NUMERICHOST))
		snprintf(host, sizeof(host), "unknown address");
	snprintf(buf, cap, six ? "[%s]:%u" : "%s:%u", host, transport_port(a));
	return buf;
}
