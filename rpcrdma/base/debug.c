/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Debug output by area. One table names the areas, for the parser and for "help". */
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/base/base.h"
#include "rpcrdma/base/finding.h"

unsigned int debug_mask;

static const struct {
	const char *name;
	const char *help;
} areas[DEBUG_AREA_COUNT] = {
	[DEBUG_WIRE] = { "wire", "RPC-over-RDMA headers as sent and received" },
	[DEBUG_TRANSPORT] = { "transport", "RDMA operations: FPDUs, Writes, Sends, Terminate" },
	[DEBUG_CONN] = { "conn", "connections, credits, calls by xid" },
	[DEBUG_NFS] = { "nfs", "NFS and MOUNT procedures" },
	[DEBUG_SERVER] = { "server", "the embedded server" },
	[DEBUG_PROBE] = { "probe", "what the probe tries next, and why" },
	[DEBUG_CHILD] = { "child", "processes started and ended, system calls denied" },
	[DEBUG_HOST] = { "host", "files read, programs run" },
	[DEBUG_CHECKS] = { "checks", "each check: its finding, and its time" },
	[DEBUG_MOUNT] = { "mount", "mount.nfsrdma: plan, mount.nfs, proof, record" },
	[DEBUG_GATE] = { "gate", "hooks and watcher: each disk, and the answer" },
	[DEBUG_WATCH] = { "watch", "the watcher: why it looks, what it records" },
};

static void debug_help(void)
{
	unsigned int i;

	fprintf(stderr, "NFSRDMA_DEBUG is a comma-separated list of areas:\n");
	for (i = 0; i < DEBUG_AREA_COUNT; i++)
		fprintf(stderr, "  %-10s %s\n", areas[i].name, areas[i].help);
	fprintf(stderr, "  %-10s everything\n", "all");
}

static unsigned int debug_area_bit(const char *word, size_t len)
{
	unsigned int i;

	for (i = 0; i < DEBUG_AREA_COUNT; i++)
		if (strlen(areas[i].name) == len && !strncmp(areas[i].name, word, len))
			return 1u << i;
	fprintf(stderr, "NFSRDMA_DEBUG: no area \"%.*s\", try \"help\"\n", (int)len, word);
	return 0;
}

bool debug_init(void)
{
	const char *word = secure_getenv("NFSRDMA_DEBUG");
	bool help = false;
	size_t len;

	for (; word && *word; word += len + (word[len] == ',')) {
		len = strcspn(word, ",");
		if (len == 4 && !strncmp(word, "help", len))
			help = true;
		else if (len == 3 && !strncmp(word, "all", len))
			debug_mask = ~0u;
		else if (len)
			debug_mask |= debug_area_bit(word, len);
	}
	if (help)
		debug_help();
	return help;
}

void debug_print(enum debug_area area, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	finding_clean(line);
	fprintf(stderr, "%s: %s\n", areas[area].name, line);
}
