/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The longest READ and WRITE that the server accepts. nfsd chooses 1/4096 of the memory, 1 MiB
 * at most, when it starts for the first time (nfsd_get_default_max_blksize() in
 * fs/nfsd/nfssvc.c), so a virtual machine with less than 4 GiB offers less than usual. */
#include <stdio.h>

#include "plugin/checks/internal.h"

#define KIB   1024
#define USUAL (1024 * KIB)
#define LEAST (128 * KIB)

/* With so little memory the kernel chooses less than LEAST by itself. */
static bool block_size_little_memory(struct check_run *run)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	unsigned long kib;
	const char *line;

	if (host_read(run->host, "proc/meminfo", 65536, &text))
		return false;
	line = strstr(text.text, "MemTotal:");
	if (!line || sscanf(line, "MemTotal: %lu kB", &kib) != 1)
		return false;
	finding_number(&run->finding, "memory_mib", (double)(kib / KIB));
	return kib / 4096 * KIB < LEAST;
}

int check_server_block_size(struct check_run *run)
{
	const struct host_nfsd *nfsd;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	if (!nfsd->max_block)
		return check_say(run, FINDING_SKIP, "the kernel does not show it");
	finding_number(&run->finding, "max_block_size", nfsd->max_block);
	if (nfsd->max_block < LEAST)
		return check_say_why(run, FINDING_WARN,
				     block_size_little_memory(run) ? "little-memory" : "set-small",
				     "the server takes READs and WRITEs of at most %u KiB",
				     nfsd->max_block / KIB);
	if (nfsd->max_block < USUAL)
		check_note(run);
	return check_say(run, FINDING_PASS, "READs and WRITEs of up to %u KiB%s",
			 nfsd->max_block / KIB,
			 nfsd->max_block < USUAL ? ", because this host has little memory" : "");
}
