/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What mount.nfsrdma and umount.nfsrdma have in common: the state of the one mount, and the
 * preparation of their process: environment, descriptors and signals may come from an unprivileged
 * caller. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "mount-helper/internal.h"

void helper_init(struct helper *helper)
{
	const char *stream = getenv("JOURNAL_STREAM"), *term = getenv("TERM");
	unsigned long long dev, ino;
	struct stat st;
	int fd;

	/* systemd sets JOURNAL_STREAM (device:inode) if a service's stderr goes to the journal. An
	 * unprivileged caller may have set it: then stderr gets less, and the journal everything. */
	helper->stderr_is_journal = stream && sscanf(stream, "%20llu:%20llu", &dev, &ino) == 2 &&
				    !fstat(STDERR_FILENO, &st) && st.st_dev == dev &&
				    st.st_ino == ino;
	/* It would print the escape sequence that erases the line of progress. */
	helper->waiting.dumb = term && !strcmp(term, "dumb");
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

int helper_main(const struct helper_command *command, int argc, char **argv)
{
	struct helper helper = { .name = command->name,
				 .program = command->program,
				 .root = !geteuid(),
				 .records = -1 };
	int status;

	helper_init(&helper);
	if (args_parse(&helper.args, argc, argv, command->umount)) {
		message_send(&helper, JOURNAL_REFUSED, "%s: %s", command->not_done, err_text());
		return HELPER_USAGE;
	}
	if (helper.args.help) {
		printf("%s", command->usage);
		return HELPER_OK;
	}
	if (helper.args.version) {
		printf("%s " NFSRDMA_VERSION "\n", command->name);
		return HELPER_OK;
	}
	if (helper.args.space) {
		/* mount.nfs has no -N, and that namespace's mount.nfs and libraries would run as
		 * root, with the options of this host's policy, which does not allow that. */
		message_send(
			&helper, JOURNAL_REFUSED,
			"%s is %s: -N %.200s is not supported, because it would run that namespace's programs as root; use nsenter(1) if you trust them",
			message_mount(&helper), command->not_done, helper.args.space);
		status = HELPER_USAGE;
	} else {
		status = command->run(&helper);
	}
	plan_free(helper.plan);
	policy_free(helper.policies);
	finding_fini(&helper.checks.reason);
	report_free(helper.report);
	host_close(helper.host);
	if (helper.records >= 0)
		close(helper.records);
	args_fini(&helper.args);
	return status;
}
