/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The state of the one mount, and the preparation of the process: environment, descriptors and
 * signals may come from an unprivileged caller. */
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
	 * unprivileged caller may have set it: then stderr gets less, and the journal
	 * everything. */
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
	/* A reader that goes away must not kill us between a mount and its note; and children
	 * are waited for. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
}

int helper_main(int argc, char **argv)
{
	struct helper helper = { .name = "mount.nfsrdma",
				 .program = "/sbin/mount.nfs",
				 .root = !geteuid(),
				 .requests = -1,
				 .lock = -1 };
	int status;

	helper_init(&helper);
	if (args_parse(&helper.args, argc, argv)) {
		message_send(&helper, JOURNAL_REFUSED, "not mounted: %s", err_text());
		return HELPER_USAGE;
	}
	if (helper.args.help) {
		printf("usage: %s SERVER:/PATH DIRECTORY [-fnrsvw] [-o OPTIONS]\n"
		       "Mounts NFS over RDMA, or reports why it cannot. mount(8) runs it: mount -t nfsrdma.\n"
		       "See mount.nfsrdma(8).\n",
		       helper.name);
		return HELPER_OK;
	}
	if (helper.args.version) {
		printf("%s " NFSRDMA_VERSION "\n", helper.name);
		return HELPER_OK;
	}
	if (helper.args.space) {
		/* mount.nfs has no -N, and that namespace's mount.nfs and libraries would run as
		 * root, with the options of this host's policy, which does not allow that. */
		message_send(
			&helper, JOURNAL_REFUSED,
			"%s is not mounted: -N %.200s is not supported, because it would run that namespace's programs as root; use nsenter(1) if you trust them",
			message_mount(&helper), helper.args.space);
		status = HELPER_USAGE;
	} else {
		status = mount_run(&helper);
	}
	plan_free(helper.plan);
	policy_free(helper.policies);
	finding_fini(&helper.checks.reason);
	report_free(helper.report);
	host_close(helper.host);
	request_fini(&helper.before);
	cleanup_close(&helper.lock);
	cleanup_close(&helper.requests);
	args_fini(&helper.args);
	return status;
}
