/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of transports, and addresses: resolving them, and showing them as text. */
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "rpcrdma/transport/internal.h"

static const struct transport_ops *const transport_table[] = { &transport_iwarp,
							       &transport_verbs };

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
			return err_because(err_set(rows[i].errnum, "resolve %s: %s", host,
						   gai_strerror(code)),
					   rows[i].reason);
	return err_set(EINVAL, "resolve %s: %s", host, gai_strerror(code));
}

/* The resolver may block beyond the deadline, so a thread calls it. The last to finish, the
 * thread or its waiter, frees this. (glibc's getaddrinfo_a() does the same, but frees
 * uninitialised memory when the program ends under valgrind.) */
struct transport_resolve_job {
	pthread_mutex_t lock;
	pthread_cond_t ready;
	bool done, abandoned;
	int rc, saved_errno;
	struct addrinfo *list;
	char host[];
};

static void transport_resolve_job_free(struct transport_resolve_job *job)
{
	pthread_mutex_destroy(&job->lock);
	pthread_cond_destroy(&job->ready);
	free(job);
}

static void *transport_resolve_run(void *arg)
{
	static const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct transport_resolve_job *job = arg;
	bool abandoned;

	job->rc = getaddrinfo(job->host, NULL, &hints, &job->list);
	job->saved_errno = errno;
	pthread_mutex_lock(&job->lock);
	job->done = true;
	abandoned = job->abandoned;
	pthread_cond_signal(&job->ready);
	pthread_mutex_unlock(&job->lock);
	if (!abandoned)
		return NULL;
	if (!job->rc)
		freeaddrinfo(job->list);
	transport_resolve_job_free(job);
	return NULL;
}

static int transport_resolve_wait(struct transport_resolve_job *job, uint64_t deadline,
				  struct addrinfo **list)
{
	const struct timespec ts = { (time_t)(deadline / 1000),
				     (long)(deadline % 1000 * 1000000) };
	int late = 0, rc;

	pthread_mutex_lock(&job->lock);
	while (!job->done && !late)
		late = pthread_cond_clockwait(&job->ready, &job->lock, CLOCK_MONOTONIC,
					      &ts);
	late = job->abandoned = !job->done;
	pthread_mutex_unlock(&job->lock);
	/* From here on the thread owns it. */
	if (late)
		return EAI_AGAIN;
	*list = job->list;
	errno = job->saved_errno;
	rc = job->rc;
	transport_resolve_job_free(job);
	return rc;
}

static int transport_resolve_list(const char *host, uint64_t deadline,
				  struct addrinfo **list)
{
	static const struct addrinfo numeric = { .ai_socktype = SOCK_STREAM,
						 .ai_flags = AI_NUMERICHOST };
	struct transport_resolve_job *job;
	pthread_t thread;
	int rc;

	rc = getaddrinfo(host, NULL, &numeric, list);
	if (rc != EAI_NONAME || !deadline)
		return rc;
	job = calloc(1, sizeof(*job) + strlen(host) + 1);
	if (!job)
		return EAI_MEMORY;
	strcpy(job->host, host);
	pthread_mutex_init(&job->lock, NULL);
	pthread_cond_init(&job->ready, NULL);
	rc = pthread_create(&thread, NULL, transport_resolve_run, job);
	if (rc) {
		transport_resolve_job_free(job);
		return EAI_MEMORY;
	}
	pthread_detach(thread);
	return transport_resolve_wait(job, deadline, list);
}

int transport_resolve(const char *host, uint16_t port, struct transport_address *out,
		      size_t max, size_t *count, uint64_t deadline)
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
	if (!n)
		return err_set(ENOENT, "resolve %s: no IPv4 or IPv6 address", host);
	*count = n;
	return 0;
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
	if (!a->len || getnameinfo((const struct sockaddr *)&a->addr, a->len, buf,
				   (socklen_t)cap, NULL, 0, NI_NUMERICHOST))
		snprintf(buf, cap, "unknown address");
	return buf;
}

const char *transport_address_text(const struct transport_address *a, char *buf,
				   size_t cap)
{
	bool six = a->addr.ss_family == AF_INET6;
	char host[64];

	transport_host_text(a, host, sizeof(host));
	snprintf(buf, cap, six ? "[%s]:%u" : "%s:%u", host, transport_port(a));
	return buf;
}
