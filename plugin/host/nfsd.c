/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The kernel's NFS server and its exports. proc/fs/nfsd exists, empty, on every kernel
 * with procfs (fs/proc/root.c); only its files show that a server can be queried. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/host/internal.h"

#define NFSD "proc/fs/nfsd"

/* "rdma 20049", newest first, separate lines for IPv4 and IPv6. */
static void nfsd_parse_portlist(char *text, struct host_nfsd *out)
{
	char *line, *proto, *port;

	while ((line = line_next(&text)) && out->nlisteners < NFSD_LISTENERS_MAX) {
		proto = word_next(&line);
		port = proto ? word_next(&line) : NULL;
		if (!port)
			continue;
		text_copy(out->listeners[out->nlisteners].proto, sizeof(out->listeners[0].proto),
			  proto);
		out->listeners[out->nlisteners++].port = (unsigned int)strtoul(port, NULL, 10);
	}
}

static bool nfsd_read_number(const struct host *host, const char *name, unsigned int *out)
{
	int64_t value = 0;
	int rc = host_number_in(host, NFSD, name, &value);

	if (rc || value < 0 || value > UINT32_MAX)
		return false;
	*out = (unsigned int)value;
	return true;
}

/* "th 8 0 0.000 ...": the threads, readable by all users (fs/nfsd/stats.c). */
static bool nfsd_read_threads_of_stats(const struct host *host, unsigned int *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char *cursor, *line, *word;

	if (host_read(host, "proc/net/rpc/nfsd", 65536, &text))
		return false;
	for (cursor = text.text; (line = line_next(&cursor));) {
		word = word_next(&line);
		if (!word || strcmp(word, "th"))
			continue;
		word = word_next(&line);
		*out = word ? (unsigned int)strtoul(word, NULL, 10) : 0;
		return word;
	}
	return false;
}

int host_nfsd(const struct host *host, struct host_nfsd *out)
{
	_cleanup_(host_text_fini) struct host_text ports = { NULL, 0 };
	_cleanup_(host_text_fini) struct host_text pools = { NULL, 0 };
	char *cursor, *line;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = host_read(host, NFSD "/portlist", 65536, &ports);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	out->present = true;
	nfsd_parse_portlist(ports.text, out);
	out->threads_known = nfsd_read_number(host, "threads", &out->threads) ||
			     nfsd_read_threads_of_stats(host, &out->threads);
	nfsd_read_number(host, "max_block_size", &out->max_block);
	host_attr(host, NFSD "/versions", out->versions, sizeof(out->versions));
	if (host_read(host, NFSD "/pool_stats", 65536, &pools))
		return 0;
	/* "# pool packets-arrived sockets-enqueued ...", then one line per pool. */
	for (cursor = pools.text; (line = line_next(&cursor));)
		if (*line != '#' && word_next(&line))
			out->packets += strtoumax(line, NULL, 10);
	return 0;
}

/* "/srv/vm 192.0.2.0/24(rw,...)", as exportfs writes it: one client per line. */
static void nfsd_add_export(const char *path, char *client, struct host_exports *out)
{
	struct host_export *export = &out->list[out->count];
	char *options = client ? strrchr(client, '(') : NULL;

	if (!options)
		return;
	if (out->count == HOST_EXPORTS_MAX) {
		out->cut = true;
		return;
	}
	*options = '\0';
	text_copy(export->path, sizeof(export->path), path);
	text_copy(export->client, sizeof(export->client), client);
	out->count++;
}

/* Counts lines other than comments; a backslash joins two. */
static int nfsd_count_exports(const struct host *host, const char *file, unsigned int *count,
			      struct host_exports *out)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	unsigned int number = 0;
	int rc = host_read(host, file, HOST_FILE_MAX, &text);
	char *cursor, *line, *word;

	if (rc)
		return rc == -ENOENT ? 0 : rc;
	for (cursor = text.text; (line = line_next_joined(&cursor, &number));) {
		word = word_next(&line);
		if (!word || *word == '#')
			continue;
		++*count;
		if (!out->first[0])
			text_copy(out->first, sizeof(out->first), word);
		if (count == &out->exported)
			nfsd_add_export(word, word_next(&line), out);
	}
	return 0;
}

uint16_t host_nfsd_rdma_port(const struct host_nfsd *nfsd)
{
	unsigned int i;

	for (i = 0; i < nfsd->nlisteners; i++)
		if (!strcmp(nfsd->listeners[i].proto, "rdma"))
			return (uint16_t)nfsd->listeners[i].port;
	return 0;
}

int host_exports(const struct host *host, struct host_exports *out)
{
	static const char *const dirs[] = { "etc/exports.d", NULL };
	_cleanup_(host_list_fini) struct host_list files = { NULL, 0, false };
	size_t i;
	int rc;

	memset(out, 0, sizeof(*out));
	rc = nfsd_count_exports(host, "var/lib/nfs/etab", &out->exported, out);
	if (!rc)
		rc = nfsd_count_exports(host, "etc/exports", &out->configured, out);
	if (!rc)
		rc = dropins_list(host, dirs, ".exports", &files);
	for (i = 0; !rc && i < files.count; i++)
		rc = nfsd_count_exports(host, files.names[i], &out->configured, out);
	return rc;
}
