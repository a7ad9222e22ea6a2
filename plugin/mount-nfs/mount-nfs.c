/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* mount.nfs as a child (CHILD_MOUNT_NFS). It gets an absolute path, a minimal environment, an empty
 * stdin, and pipes for its output, which is copied except for its last error. It does not get our
 * stderr: a caller may wait until all copies of it are closed, and daemons that mount.nfs starts
 * (rpc.statd) keep theirs. */
#include <stdio.h>

#include "plugin/mount-nfs/mount-nfs.h"
#include "rpcrdma/base/finding.h"

/* Less than the capacity of a pipe, so that a reader that does not read never blocks us. */
#define OUTPUT_MAX (16 * 1024)

static const char *const environment[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL };

int mount_nfs_exec(const char *program, const char *const argv[])
{
	const struct child_program self = { CHILD_MOUNT_NFS, program, argv, environment };

	return child_exec(&self);
}

/* A line of stderr is printed when the next one arrives: the caller's message contains the last
 * one. */
#define LINE_BYTES 4096

struct mount_nfs_output {
	size_t copied[STDERR_FILENO + 1];
	char line[LINE_BYTES]; /* so far */
	size_t line_len;
	char held[LINE_BYTES + 1]; /* the last whole one, with its newline */
	size_t held_len;
	struct mount_nfs_end *end;
};

static void mount_nfs_copy(struct mount_nfs_output *output, int which, const char *buf, size_t len)
{
	size_t room = OUTPUT_MAX - output->copied[which];

	len = len < room ? len : room;
	if (!len)
		return;
	output->copied[which] += len;
	/* Erases the line of progress. Errors are ignored. */
	if (which == STDERR_FILENO && isatty(which))
		fd_write_all(which, "\r\033[K", 4);
	fd_write_all(which, buf, len);
}

static void mount_nfs_end_line(struct mount_nfs_output *output)
{
	if (!output->line_len)
		return;
	mount_nfs_copy(output, STDERR_FILENO, output->held, output->held_len);
	memcpy(output->held, output->line, output->line_len);
	output->held_len = output->line_len;
	output->held[output->held_len++] = '\n';
	snprintf(output->end->last, sizeof(output->end->last), "%.*s", (int)output->line_len,
		 output->line);
	finding_clean(output->end->last);
	output->line_len = 0;
}

static int mount_nfs_on_output(void *arg, int which, const char *buf, size_t len)
{
	struct mount_nfs_output *output = arg;
	size_t i;

	if (which != STDERR_FILENO) {
		mount_nfs_copy(output, which, buf, len);
		return 0;
	}
	for (i = 0; i < len; i++) {
		if (buf[i] == '\n')
			mount_nfs_end_line(output);
		else if (output->line_len < sizeof(output->line))
			output->line[output->line_len++] = buf[i];
	}
	return 0;
}

int mount_nfs_run(const char *program, const char *const argv[], int signals, uint64_t deadline,
		  struct mount_nfs_end *out)
{
	const struct child_program mount_nfs = { CHILD_MOUNT_NFS, program, argv, environment };
	struct mount_nfs_output output = { .end = out };
	struct child_listener listener = { .output = mount_nfs_on_output,
					   .arg = &output,
					   .signals = signals };
	struct child_end end;
	struct child child;
	int rc;

	memset(out, 0, sizeof(*out));
	out->status = -1;
	rc = child_spawn(&child, &mount_nfs);
	if (rc)
		return rc;
	rc = child_follow(&child, &listener, deadline, &end);
	mount_nfs_end_line(&output);
	out->interrupted = rc == -EINTR;
	out->timed_out = rc == -ETIMEDOUT;
	out->left = end.fate == CHILD_LEFT ? end.pid : 0;
	if (end.fate == CHILD_SIGNALLED)
		out->signal = end.status;
	/* The exit status counts only if it was not ended by us. */
	if (!rc && end.fate == CHILD_EXITED)
		out->status = end.status;
	if (!out->status)
		mount_nfs_copy(&output, STDERR_FILENO, output.held, output.held_len);
	return 0;
}
