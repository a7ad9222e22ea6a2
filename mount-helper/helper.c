/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The state of the one mount that a helper makes, and the preparation of its process: environment,
 * descriptors and signals may come from an unprivileged caller. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "mount-helper/internal.h"

/* systemd sets JOURNAL_STREAM (device:inode) if a service's stderr goes to the journal. */
static bool is_journal(const char *stream)
{
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%20llu:%20llu", &dev, &ino) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

/* It would print the escape sequence that erases the line of progress. */
static bool is_dumb(const char *term)
{
	return term && !strcmp(term, "dumb");
}

void helper_init(struct helper *helper)
{
	int fd;

	/* An unprivileged caller may have set it: then stderr gets less, and the journal everything. */
	helper->stderr_is_journal = is_journal(getenv("JOURNAL_STREAM"));
	helper->waiting.dumb = is_dumb(getenv("TERM"));
	/* Nothing else of the environment is trusted: an unprivileged caller may have set it. */
	debug_init();
	clearenv();
	/* If stderr were closed, the next opened file would get our messages. */
	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO && !fcntl(fd, F_SETFD, 0));
	if (fd > STDERR_FILENO)
		close(fd);
	/* A reader that goes away must not kill us between a mount and its record; and children
	 * are waited for. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

void helper_fini(struct helper *helper)
{
	plan_free(helper->plan);
	policy_free(helper->policies);
	report_free(helper->report);
	host_close(helper->host);
	if (helper->records >= 0)
		close(helper->records);
	args_fini(&helper->args);
}
