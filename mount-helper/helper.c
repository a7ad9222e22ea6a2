/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is known of the one mount that a helper is for, and what it makes of the process that it was
 * started as, which is anybody's. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "mount-helper/internal.h"

/* What systemd says of a service's stderr: that it is a stream to the journal, and which file. */
static bool is_journal(const char *stream)
{
	unsigned long long dev, ino;
	struct stat st;

	return stream && sscanf(stream, "%20llu:%20llu", &dev, &ino) == 2 &&
	       !fstat(STDERR_FILENO, &st) && st.st_dev == dev && st.st_ino == ino;
}

/* It would show what erases the line of progress. */
static bool is_dumb(const char *term)
{
	return term && !strcmp(term, "dumb");
}

void helper_init(struct helper *helper)
{
	int fd;

	/* Who may mount may have set it for root: then less is said on stderr, and all in the journal. */
	helper->stderr_is_journal = is_journal(getenv("JOURNAL_STREAM"));
	helper->waiting.dumb = is_dumb(getenv("TERM"));
	/* Nothing else of the environment is believed: who may mount may have set it for root. */
	debug_init();
	clearenv();
	/* Were 2 closed, the next file that is opened would get what is said on stderr. */
	do {
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO && !fcntl(fd, F_SETFD, 0));
	if (fd > STDERR_FILENO)
		close(fd);
	/* Nobody who stops reading us ends us between a mount and its record; and children are
	 * waited for. */
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
