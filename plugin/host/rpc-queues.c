/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The number of requests waiting on each connection to a server, from sys/kernel/sunrpc
 * (Linux 5.14, net/sunrpc/sysfs.c). Reading it does not touch a mount. For a connection
 * that is not up, the read fails with ENOTCONN. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/host/internal.h"
#include "rpcrdma/base/grow.h"

#define SWITCHES "sys/kernel/sunrpc/xprt-switches"

/* "pending_q_len=3"; other kernels may print more lines. */
static uint64_t rpc_queues_parse(char *text, bool *known)
{
	static const char *const names[] = { "sending_q_len=", "pending_q_len=", "backlog_q_len=" };
	uint64_t sum = 0, value;
	unsigned int found = 0;
	size_t i;
	char *line;

	while ((line = line_next(&text)))
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (!strncmp(line, names[i], strlen(names[i])) &&
			    sscanf(line + strlen(names[i]), "%" SCNu64, &value) == 1) {
				sum += value;
				found++;
			}
	*known = found == ARRAY_SIZE(names);
	return sum;
}

/* "xprt-3-rdma" */
static const char *rpc_queues_proto(const char *name)
{
	const char *dash = strncmp(name, "xprt-", 5) ? NULL : strchr(name + 5, '-');

	return dash ? dash + 1 : NULL;
}

static int rpc_queues_add(const struct host *host, const char *folder, const char *proto,
			  struct host_rpc_queues *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	struct host_rpc_queue *queue;
	char path[HOST_PATH_MAX], addr[64];

	if (host_path(path, folder, "dstaddr") || host_attr(host, path, addr, sizeof(addr)))
		return 0;
	if (!grow(out->list, out->count))
		return err_no_memory();
	queue = &out->list[out->count++];
	*queue = (struct host_rpc_queue){ .known = false };
	text_copy(queue->addr, sizeof(queue->addr), addr);
	snprintf(queue->proto, sizeof(queue->proto), "%.*s", (int)strcspn(proto, "-"), proto);
	if (!host_path(path, folder, "xprt_info") && !host_read(host, path, HOST_FILE_MAX, &text))
		queue->waiting = rpc_queues_parse(text.text, &queue->known);
	return 0;
}

static int rpc_queues_add_switch(const struct host *host, const char *folder,
				 struct host_rpc_queues *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX];
	int rc = 0;
	size_t i;

	if (host_list(host, folder, &list))
		return 0;
	for (i = 0; !rc && i < list.count; i++)
		if (rpc_queues_proto(list.names[i]) && !host_path(path, folder, list.names[i]))
			rc = rpc_queues_add(host, path, rpc_queues_proto(list.names[i]), out);
	return rc;
}

int host_rpc_queues(const struct host *host, struct host_rpc_queues *out)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX];
	int rc = 0;
	size_t i;

	*out = (struct host_rpc_queues){ .count = 0 };
	/* Older kernels do not have it. */
	if (host_list(host, SWITCHES, &list))
		return 0;
	out->present = true;
	for (i = 0; !rc && i < list.count; i++)
		if (!host_path(path, SWITCHES, list.names[i]))
			rc = rpc_queues_add_switch(host, path, out);
	return rc;
}

void host_rpc_queues_fini(struct host_rpc_queues *queues)
{
	free(queues->list);
	*queues = (struct host_rpc_queues){ .count = 0 };
}
