/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Landlock: which files a process may open from here on (descriptors that it holds keep working),
 * and, since Linux 6.12, that it sends no signal to a process outside. Since Linux 5.13; before,
 * and where it is disabled, deny.c alone keeps it from making and changing files.
 *
 * Numbers and structures are the kernel's: the headers of older systems lack them. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "rpcrdma/child/internal.h"

/* The same on all processors of nfsrdma. */
#define LANDLOCK_CREATE   444
#define LANDLOCK_ADD_RULE 445
#define LANDLOCK_RESTRICT 446

#define LANDLOCK_GET_VERSION (1u << 0)
#define LANDLOCK_BELOW       1

#define MAY_WRITE_FILE (1ull << 1)
#define MAY_READ_FILE  (1ull << 2)
#define MAY_READ_DIR   (1ull << 3)
#define MAY_READ       (MAY_READ_FILE | MAY_READ_DIR)
#define MAY_IOCTL      (1ull << 15)

/* NOT_ABSTRACT_UNIX, NOT_SIGNAL */
#define SCOPES 3ull

struct landlock_ruleset {
	uint64_t files, network, scopes;
};

struct landlock_rule {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

/* Rights that exist since a version: executing, writing, making, removing; moving elsewhere;
 * truncating; ioctl(2) on devices. */
static uint64_t landlock_rights(long version)
{
	uint64_t rights = (1ull << 13) - 1;

	if (version >= 2)
		rights |= 1ull << 13;
	if (version >= 3)
		rights |= 1ull << 14;
	if (version >= 5)
		rights |= MAY_IOCTL;
	return rights;
}

/* Libraries of RDMA devices, their configuration, and what the kernel says of devices. /dev has
 * what the C library reads. Not: homes, /var, /run, /tmp, and what is mounted elsewhere. */
static const struct {
	const char *path;
	uint64_t rights;
} landlock_system[] = {
	{ "/usr", MAY_READ },
	{ "/lib", MAY_READ },
	{ "/lib32", MAY_READ },
	{ "/lib64", MAY_READ },
	{ "/opt", MAY_READ },
	{ "/nix", MAY_READ },
	{ "/gnu", MAY_READ },
	{ "/etc", MAY_READ },
	{ "/sys", MAY_READ },
	{ "/proc", MAY_READ },
	{ "/dev", MAY_READ },
	/* For every kind: */
	{ "/dev/infiniband", MAY_WRITE_FILE | MAY_IOCTL },
	{ "/dev/null", MAY_WRITE_FILE },
};

/* A path that does not exist needs no rule. */
static void landlock_allow(int ruleset, const char *path, uint64_t rights)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);
	struct landlock_rule rule = { .allowed = rights, .fd = fd };

	if (fd >= 0 && rights && syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_BELOW, &rule, 0))
		debug(DEBUG_CHILD, "Landlock, %s: %s", path, strerror(errno));
}

void landlock_restrict(bool reads)
{
	struct landlock_ruleset rules = { 0 };
	_cleanup_close_ int ruleset = -1;
	long version;
	size_t i;

	/* Its counters are files. */
	if (NFSRDMA_COVERAGE)
		return;
	version = syscall(LANDLOCK_CREATE, NULL, 0, LANDLOCK_GET_VERSION);
	rules.files = version > 0 ? landlock_rights(version) : 0;
	if (!reads)
		rules.files &= ~MAY_READ;
	rules.scopes = version >= 6 ? SCOPES : 0;
	if (version > 0)
		ruleset = (int)syscall(LANDLOCK_CREATE, &rules, sizeof(rules), 0);
	if (ruleset < 0) {
		debug(DEBUG_CHILD, "no Landlock: %s", strerror(errno));
		return;
	}
	for (i = 0; i < ARRAY_SIZE(landlock_system); i++)
		landlock_allow(ruleset, landlock_system[i].path,
			       landlock_system[i].rights & rules.files);
	if (syscall(LANDLOCK_RESTRICT, ruleset, 0))
		debug(DEBUG_CHILD, "no Landlock: %s", strerror(errno));
}
