/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* All checks on a machine of tests/hosts with one file changed: each says one finding that the report knows, and the
 * report is printed. The input: two bytes choose the file, two where bytes are put, two how many of its own they
 * replace; the rest is put there. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "plugin/checks/checks.h"
#include "plugin/host/files.h"
#include "tests/fuzz/machine.h"
#include "tests/fuzz/printed.h"

#define FILES_MAX   1024
#define CONTENT_MAX 65536

static char *files[FILES_MAX];
static size_t nfiles;

static int add_file(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)walk;
	if (type == FTW_F && S_ISREG(status->st_mode) && nfiles < FILES_MAX)
		files[nfiles++] = strdup(path);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void make_machine(void)
{
	machine_make("hosts/mounts-healthy");
	nftw(machine_root, add_file, 16, FTW_PHYS);
	qsort(files, nfiles, sizeof(*files), by_name);
	FUZZ_CHECK(nfiles > 50);
}

/* Writes the file anew, as @text of @len bytes. */
static void write_file(const char *path, const uint8_t *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	FUZZ_CHECK(fd >= 0 && write(fd, text, len) == (ssize_t)len);
	close(fd);
}

static void run(void)
{
	struct report_collector collector = { .report = report_new("check") };
	struct check_target target = {
		.server = "nas1", .export = "/vm", .port = 20049, .roles = CHECK_BOTH
	};
	struct host *host = NULL;

	FUZZ_CHECK(collector.report && !host_open(&host, machine_root));
	FUZZ_CHECK(!checks_run(check_table, host, &live_replay, &target, deadline_in(20000),
			       report_collect, &collector));
	FUZZ_CHECK(!collector.rc);
	check_report(collector.report);
	host_close(host);
	report_free(collector.report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t before[CONTENT_MAX], after[2 * CONTENT_MAX];
	size_t at, gone, len = 0;
	const char *path;
	ssize_t n;
	int fd;

	if (!nfiles)
		make_machine();
	if (size < 6 || size > CONTENT_MAX)
		return 0;
	path = files[(data[0] | (size_t)data[1] << 8) % nfiles];
	fd = open(path, O_RDONLY);
	FUZZ_CHECK(fd >= 0);
	n = read(fd, before, sizeof(before));
	FUZZ_CHECK(n >= 0);
	close(fd);
	at = (data[2] | (size_t)data[3] << 8) % ((size_t)n + 1);
	gone = min_u64(data[4] | (size_t)data[5] << 8, (size_t)n - at);
	memcpy(after, before, at);
	memcpy(after + at, data + 6, size - 6);
	len = at + size - 6;
	memcpy(after + len, before + at + gone, (size_t)n - at - gone);
	write_file(path, after, len + (size_t)n - at - gone);
	run();
	write_file(path, before, (size_t)n);
	return 0;
}
