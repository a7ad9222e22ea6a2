/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The directory by its absolute name without links, as mountinfo will show it. mount(8) passes that
 * already; a call by hand may not. Resolving it hangs below a mount whose server is gone, so a
 * child does it, with a deadline. */
#include <limits.h>
#include <stdio.h>

#include "mount-helper/internal.h"
#include "rpcrdma/child/child.h"

#define PATIENCE_MS 2000
/* On a disk of this host it does end: a host that boots is busy. */
#define PATIENCE_LOCAL_MS 60000

struct dir_answer {
	int errnum;
	char path[PATH_MAX];
};

static int dir_child(void *arg, int channel)
{
	struct dir_answer answer = { 0 };

	if (!realpath(arg, answer.path))
		answer.errnum = errno;
	return child_answer(channel, &answer, sizeof(answer));
}

/* By the list of mounts, which names no server. */
static bool dir_is_local(const struct host *host, const char *dir)
{
	_cleanup_(host_mounts_fini) struct host_mounts mounts = { .count = 0 };
	struct host_path found;

	return *dir == '/' && !host_mounts(host, &mounts) &&
	       !host_path_resolve(host, &mounts, dir, &found) && found.end == HOST_PATH_LOCAL;
}

int dir_resolve(const struct host *host, const char *dir, char out[PATH_MAX])
{
	_cleanup_free_ char *copy = strdup(dir);
	const struct child_function function = { .kind = CHILD_TOUCH,
						 .name = "the process that resolves it",
						 .run = dir_child,
						 .arg = copy };
	int patience = dir_is_local(host, dir) ? PATIENCE_LOCAL_MS : PATIENCE_MS;
	struct child_end end;
	struct dir_answer answer;
	char left[64] = "";
	int rc;

	if (!copy)
		return err_no_memory();
	rc = child_call(&function, &answer, sizeof(answer), deadline_in(patience), &end);
	if (end.fate == CHILD_LEFT)
		snprintf(left, sizeof(left), " (process %d hangs on it)", end.pid);
	if (!rc && !answer.errnum) {
		memcpy(out, answer.path, PATH_MAX);
		out[PATH_MAX - 1] = '\0';
		return 0;
	}
	errno = rc ? -rc : answer.errnum;
	return err_sys("the directory %.200s%s", dir, left);
}
