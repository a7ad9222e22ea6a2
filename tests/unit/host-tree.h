/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A folder that looks like a machine, for one test: made of what the test writes, or of a
 * machine of tests/hosts. It is gone after tree_free(). */
#ifndef TESTS_UNIT_HOST_TREE_H
#define TESTS_UNIT_HOST_TREE_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "plugin/host/internal.h"
#include "tests/unit/suite.h"

struct tree {
	char top[64];   /* the temporary folder */
	char root[192]; /* of the machine, in it */
	struct host *host;
};

/* A template for mkdtemp(3). Machines are hundreds of small files: TMPDIR may be in memory. */
static void tree_name(char *buf, size_t cap, const char *name)
{
	const char *folder = getenv("TMPDIR");

	if ((size_t)snprintf(buf, cap, "%s/%s", folder ? folder : "/tmp", name) >= cap)
		abort();
}

static void tree_new(struct tree *tree)
{
	tree_name(tree->top, sizeof(tree->top), "nfsrdma-host.XXXXXX");
	if (!mkdtemp(tree->top))
		abort();
	snprintf(tree->root, sizeof(tree->root), "%s/root", tree->top);
	if (mkdir(tree->root, 0755) || host_open(&tree->host, tree->root))
		abort();
}

static void tree_path(const struct tree *tree, const char *path, char *buf)
{
	char *slash;

	if (snprintf(buf, PATH_MAX, "%s/%s", tree->root, path) >= PATH_MAX)
		abort();
	for (slash = strchr(buf + strlen(tree->root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(buf, 0755);
		*slash = '/';
	}
}

__attribute__((unused)) static void tree_bytes(const struct tree *tree, const char *path,
					       const void *bytes, size_t len)
{
	char name[PATH_MAX];
	FILE *file;

	tree_path(tree, path, name);
	unlink(name);
	file = fopen(name, "we");
	if (!file || fwrite(bytes, 1, len, file) != len || fclose(file))
		abort();
}

__attribute__((unused)) static void tree_write(const struct tree *tree, const char *path,
					       const char *text)
{
	tree_bytes(tree, path, text, strlen(text));
}

__attribute__((unused)) static void tree_link(const struct tree *tree, const char *path,
					      const char *target)
{
	char name[PATH_MAX];

	tree_path(tree, path, name);
	unlink(name);
	if (symlink(target, name))
		abort();
}

__attribute__((unused)) static void tree_fifo(const struct tree *tree, const char *path)
{
	char name[PATH_MAX];

	tree_path(tree, path, name);
	unlink(name);
	if (mkfifo(name, 0644))
		abort();
}

__attribute__((unused)) static void tree_mkdir(const struct tree *tree, const char *path)
{
	char name[PATH_MAX];

	tree_path(tree, path, name);
	if (mkdir(name, 0755))
		abort();
}

static int tree_remove(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st, (void)kind, (void)ftw;
	return remove(path);
}

/* --- machines of tests/hosts ------------------------------------------------------------------ */

/* Those that were made already: a copy is quicker. */
static char tree_store[64];

static void tree_store_free(void)
{
	if (nftw(tree_store, tree_remove, 16, FTW_DEPTH | FTW_PHYS))
		abort();
}

static void tree_spawn(const char *const argv[])
{
	int status = -1;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ) ||
	    waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "%s %s: status %d\n", argv[0], argv[2], status);
		abort();
	}
}

/* By tests/support/make-host, once for each program that asks. */
static void tree_made(const char *name, char made[PATH_MAX])
{
	const char *tests = getenv("NFSRDMA_TESTS");
	char program[PATH_MAX], machine[PATH_MAX];

	if (!*tree_store) {
		tree_name(tree_store, sizeof(tree_store), "nfsrdma-hosts.XXXXXX");
		if (!mkdtemp(tree_store) || atexit(tree_store_free))
			abort();
	}
	snprintf(made, PATH_MAX, "%s/%s", tree_store, name);
	if (!access(made, F_OK))
		return;
	snprintf(program, sizeof(program), "%s/support/make-host", tests ? tests : "tests");
	snprintf(machine, sizeof(machine), "%s/hosts/%s", tests ? tests : "tests", name);
	tree_spawn((const char *[]){ program, tree_store, machine, NULL });
}

/* The machine tests/hosts/NAME. */
__attribute__((unused)) static void tree_machine(struct tree *tree, const char *name)
{
	char made[PATH_MAX];

	tree_new(tree);
	tree_made(name, made);
	tree_spawn((const char *[]){ "cp", "-a", made, tree->top, NULL });
	host_close(tree->host);
	if ((size_t)snprintf(tree->root, sizeof(tree->root), "%s/%s", tree->top, name) >=
	    sizeof(tree->root))
		abort();
	if (host_open(&tree->host, tree->root))
		abort();
}

static void tree_free(struct tree *tree)
{
	host_close(tree->host);
	if (nftw(tree->top, tree_remove, 16, FTW_DEPTH | FTW_PHYS))
		abort();
}

#endif
