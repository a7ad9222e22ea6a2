/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* /proc/self/mountstats (nfs_show_stats() in fs/nfs/super.c): the transports of each NFS
 * mount with their counters, and its READ counters. A line is a word and a colon; other
 * lines are skipped, so those of other kernels do no harm. "statvers=1.1" is the only
 * version since Linux 2.6.18. */
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>

#include "plugin/host/internal.h"

/* "device SPEC mounted on TARGET with fstype nfs4 statvers=1.1". Blanks in SPEC and
 * TARGET are escaped. Returns true if an NFS mount begins. */
static bool mountstats_parse_device(char *line, struct nfs_mount *mount)
{
	static const char *const between[] = { "mounted", "on", "with", "fstype" };
	char *words[8];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		words[i] = word_next(&line);
		if (!words[i])
			return false;
	}
	if (strcmp(words[2], between[0]) || strcmp(words[3], between[1]) ||
	    strcmp(words[5], between[2]) || strcmp(words[6], between[3]) ||
	    (strcmp(words[7], "nfs") && strcmp(words[7], "nfs4")))
		return false;
	mountinfo_unescape(words[1]);
	mountinfo_unescape(words[4]);
	text_copy(mount->fs_spec, sizeof(mount->fs_spec), words[1]);
	text_copy(mount->target, sizeof(mount->target), words[4]);
	text_copy(mount->type, sizeof(mount->type), words[7]);
	return true;
}

/* "xprt: rdma 0 0 1 ...". Parsing stops at a number that does not fit; values beyond the
 * array are ignored, because a later kernel may print more. */
static void mountstats_parse_xprt(char *line, struct nfs_mount *mount)
{
	struct nfs_xprt *xprt = &mount->xprts[mount->nxprts];
	char *word, *end;
	uint64_t value;

	word = word_next(&line);
	if (!word)
		return;
	if (mount->nxprts == NFS_XPRTS_MAX) {
		mount->xprts_cut = true;
		return;
	}
	memset(xprt, 0, sizeof(*xprt));
	text_copy(xprt->proto, sizeof(xprt->proto), word);
	mount->nxprts++;
	while ((word = word_next(&line)) && xprt->nvalues < ARRAY_SIZE(xprt->values)) {
		errno = 0;
		value = strtoumax(word, &end, 10);
		if (errno || *end || *word == '-')
			return;
		xprt->values[xprt->nvalues++] = value;
	}
}

/* clang-format off */
#define READ_NUMBER(line, at, has, value) \
	{ line, at, offsetof(struct nfs_reads, has), offsetof(struct nfs_reads, value) }
/* clang-format on */

/* READ counters: enum nfs_stat_eventcounters and nfs_stat_bytecounters
 * (linux/nfs_iostat.h), and what _print_rpc_iostats() in net/sunrpc/stats.c prints for an
 * operation. READ_PLUS replaces READ if the kernel is built with it. @at: counted from 1. */
static const struct mountstats_read_counter {
	const char *line;
	unsigned int at;
	size_t has, value; /* offsets in struct nfs_reads */
} mountstats_read_counters[] = {
	READ_NUMBER("events:", 23, has_events, shorts),
	READ_NUMBER("bytes:", 5, has_bytes, bytes),
	READ_NUMBER("READ:", 1, has_calls, calls),
	READ_NUMBER("READ:", 5, has_calls, received),
	READ_NUMBER("READ_PLUS:", 1, has_calls, calls),
	READ_NUMBER("READ_PLUS:", 5, has_calls, received),
#undef READ_NUMBER
};

/* Parses word @at of @line. Returns false if it is missing, not a number, or does not
 * fit. */
static bool mountstats_parse_number(const char *line, unsigned int at, uint64_t *out)
{
	char *end = NULL;

	for (; at; at--) {
		line += strspn(line, " \t");
		errno = 0;
		/* strtoumax(3) accepts signs, and other kinds of blanks. */
		if (!isdigit((unsigned char)*line))
			return false;
		*out = strtoumax(line, &end, 10);
		if (errno || (*end && !strchr(" \t", *end)))
			return false;
		line = end;
	}
	return true;
}

/* clang-format off */
#define OPERATION_NUMBER(at, value) { at, offsetof(struct nfs_operation, value) }
/* clang-format on */

/* "READ: CALLS SENT TIMEOUTS BYTES BYTES QUEUE RTT EXECUTE ERRORS", the last since Linux 5.3. */
static void mountstats_parse_operation(const char *name, const char *line, struct nfs_mount *mount)
{
	static const struct {
		const char *name;
		enum nfs_operation_kind kind;
	} operations[] = {
		{ "READ:", NFS_OPERATION_READ },       { "READ_PLUS:", NFS_OPERATION_READ },
		{ "WRITE:", NFS_OPERATION_WRITE },     { "COMMIT:", NFS_OPERATION_COMMIT },
		{ "GETATTR:", NFS_OPERATION_GETATTR },
	};
	static const struct {
		unsigned int at;
		size_t value; /* offset in struct nfs_operation */
	} numbers[] = {
		OPERATION_NUMBER(1, calls),      OPERATION_NUMBER(2, sent),
		OPERATION_NUMBER(6, queue_ms),   OPERATION_NUMBER(7, rtt_ms),
		OPERATION_NUMBER(8, execute_ms),
	};
	struct nfs_operation *operation;
	uint64_t value = 0, *sum;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operations) && strcmp(name, operations[i].name) != 0;)
		i++;
	if (i == ARRAY_SIZE(operations))
		return;
	operation = &mount->operations[operations[i].kind];
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		sum = (uint64_t *)((char *)operation + numbers[i].value);
		if (!mountstats_parse_number(line, numbers[i].at, &value) ||
		    __builtin_add_overflow(*sum, value, sum))
			operation->broken = true;
	}
	if (mountstats_parse_number(line, 9, &value)) {
		operation->has_errors = true;
		if (__builtin_add_overflow(operation->errors, value, &operation->errors))
			operation->broken = true;
	}
}

static void mountstats_parse_line(char *line, struct nfs_mount *mount)
{
	struct nfs_reads *reads = &mount->reads;
	const struct mountstats_read_counter *number;
	char *name = word_next(&line);
	uint64_t value = 0, *sum;

	if (!name)
		return;
	for (number = mountstats_read_counters;
	     number < mountstats_read_counters + ARRAY_SIZE(mountstats_read_counters); number++) {
		if (strcmp(name, number->line) != 0)
			continue;
		*(bool *)((char *)reads + number->has) = true;
		sum = (uint64_t *)((char *)reads + number->value);
		if (!mountstats_parse_number(line, number->at, &value) ||
		    __builtin_add_overflow(*sum, value, sum))
			reads->broken = true;
	}
	mountstats_parse_operation(name, line, mount);
	if (!strcmp(name, "xprt:"))
		mountstats_parse_xprt(line, mount);
	else if (!strcmp(name, "age:"))
		mount->age = strtoumax(line, NULL, 10);
}

int mountstats_parse(char *text, mountstats_fn fn, void *arg)
{
	struct nfs_mount *mount = calloc(1, sizeof(*mount));
	bool inside = false;
	char *line;
	int rc = 0;

	if (!mount)
		return err_no_memory();
	while (!rc && (line = line_next(&text))) {
		if (!strncmp(line, "device ", 7) || !strncmp(line, "no device ", 10)) {
			if (inside)
				rc = fn(arg, mount);
			memset(mount, 0, sizeof(*mount));
			inside = mountstats_parse_device(line, mount);
		} else if (inside) {
			mountstats_parse_line(line, mount);
		}
	}
	if (!rc && inside)
		rc = fn(arg, mount);
	free(mount);
	return rc;
}
