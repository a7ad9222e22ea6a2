/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of transports, and addresses: resolving them, and showing them as text. */
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "rpcrdma/base/job.h"
#include "rpcrdma/transport/internal.h"

static const struct transport_ops *const transport_table[] = { &transport_iwarp, &transport_verbs };

const struct transport_ops *transport_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(transport_table); i++)
		if (!strcmp(transport_table[i]->name, name))
			return transport_table[i];
	return NULL;
}

void transport_close_p(struct transport **t)
{
	if (*t)
		(*t)->ops->close(*t);
	*t = NULL;
}

void transport_raise_memlock(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (!setrlimit(RLIMIT_MEMLOCK, &limit) || getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_MEMLOCK, &limit);
}

static int transport_resolve_error(const char *host, int code)
{
	static const struct {
		int code, errnum;
		const char *reason;
	} rows[] = {
		{ EAI_NONAME, ENOENT, "unknown-name" },
		{ EAI_NODATA, ENOENT, "unknown-name" },
		{ EAI_FAIL, ENOENT, "resolver-silent" },
		{ EAI_AGAIN, EAGAIN, "resolver-silent" },
		{ EAI_MEMORY, ENOMEM, "" },
	};
	size_t i;

	if (code == EAI_SYSTEM)
		return err_sys("resolve %s", host);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].code == code)
			return err_because(
				err_set(rows[i].errnum, "resolve %s: %s", host, gai_strerror(code)),
				rows[i].reason);
	return err_set(EINVAL, "resolve %s: %s", host, gai_strerror(code));
}

/* The resolver may block beyond the deadline. (glibc's getaddrinfo_a() uses a thread as well, but
 * frees uninitialised memory when the program ends under valgrind.) */
struct transport_resolve_job {
	struct job job; /* first */
	int rc, saved_errno;
	struct addrinfo *list;
	char host[];
};

static void transport_resolve_call(struct job *arg)
{
	static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct transport_resolve_job *job = (struct transport_resolve_job *)arg;

	job->rc = getaddrinfo(job->host, NULL, &hints, &job->list);
	job->saved_errno = errno;
}

static void transport_resolve_discard(struct job *arg)
{
	struct transport_resolve_job *job = (struct transport_resolve_job *)arg;

	if (!job->rc)
		freeaddrinfo(job->list);
}

static int transport_resolve_list(const char *host, uint64_t deadline, struct addrinfo **list)
{
	static const struct addrinfo numeric = { .ai_socktype = SOCK_STREAM,
						 .ai_flags = AI_NUMERICHOST };
	const size_t host_size = strlen(host) + 1;
	struct transport_resolve_job *job;
	int rc;

	rc = getaddrinfo(host, NULL, &numeric, list);
	if (rc != EAI_NONAME || !deadline)
		return rc;
	job = calloc(1, sizeof(*job) + host_size);
	if (!job)
		return EAI_MEMORY;
	job->job.call = transport_resolve_call;
	job->job.discard = transport_resolve_discard;
	memcpy(job->host, host, host_size);
	rc = job_run(&job->job, deadline);
	if (rc == -ETIMEDOUT)
		return EAI_AGAIN;
	if (rc) {
		free(job);
		return EAI_MEMORY;
	}
	*list = job->list;
	rc = job->rc;
	errno = job->saved_errno;
	free(job);
	return rc;
}

int transport_resolve(const char *host, uint16_t port, struct transport_address *out, size_t max,
		      uint64_t deadline)
{
	struct addrinfo *list, *ai;
	size_t n = 0;
	int rc;

	rc = transport_resolve_list(host, deadline, &list);
	if (rc)
		return transport_resolve_error(host, rc);
	for (ai = list; ai && n < max; ai = ai->ai_next) {
		if (ai->ai_family != AF_INET && ai->ai_family != AF_INET6)
			continue;
		memset(&out[n], 0, sizeof(out[n]));
		memcpy(&out[n].addr, ai->ai_addr, ai->ai_addrlen);
		out[n].len = ai->ai_addrlen;
		transport_set_port(&out[n++], port);
	}
	freeaddrinfo(list);
	return n ? (int)n : err_set(ENOENT, "resolve %s: no IPv4 or IPv6 address", host);
}

bool transport_same_host(const struct sockaddr *a, const struct sockaddr *b)
{
	if (!a || !b || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return a->sa_family == AF_INET6 &&
	       !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr, 16);
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

const char *transport_host_text(const struct transport_address *a, char *buf, size_t cap)
{
	if (!a->len || getnameinfo((const struct sockaddr *)&a->addr, a->len, buf, (socklen_t)cap,
				   NULL, 0, NI_NUMERICHOST))
		snprintf(buf, cap, "unknown address");
	return buf;
}

const char *transport_address_text(const struct transport_address *a, char *buf, size_t cap)
{
	bool six = a->addr.ss_family == AF_INET6;
	char host[64];

	transport_host_text(a, host, sizeof(host));
	snprintf(buf, cap, six ? "[%s]:%u" : "%s:%u", host, transport_port(a));
	return buf;
}
