/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* --root names an archive: it is unpacked, and the command runs in a child, so that what was
 * unpacked is removed however the command ends. */
#include <signal.h>
#include <sys/stat.h>

#include "plugin/cli/cli.h"
#include "plugin/snapshot/snapshot.h"
#include "rpcrdma/child/child.h"

static volatile sig_atomic_t archive_child;

static void archive_forward(int signo)
{
	if (archive_child > 0)
		kill((pid_t)archive_child, signo);
}

bool archive_is_root(const struct cli *cli)
{
	struct stat status;

	return cli->root && !stat(cli->root, &status) && S_ISREG(status.st_mode);
}

/* The child. */
static int archive_command(void *arg, int channel)
{
	struct cli *cli = arg;
	sigset_t signals;
	int status;

	(void)channel;
	signals_that_end(&signals);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	status = command_run(cli);
	fflush(NULL);
	return status;
}

/* The child decides what they do; a terminal sends SIGINT to both. One that is ignored (nohup)
 * remains so. */
static void archive_hold_signals(const struct child *child, const sigset_t *before)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = archive_forward }, was;
	size_t i;

	archive_child = child->pid;
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	sigprocmask(SIG_SETMASK, before, NULL);
}

static int archive_end(const struct cli *cli, const struct child_end *end)
{
	char text[CHILD_END_TEXT_MAX];

	if (end->fate == CHILD_EXITED)
		return end->status;
	if (end->fate == CHILD_SIGNALLED &&
	    (end->status == SIGINT || end->status == SIGTERM || end->status == SIGHUP)) {
		signal(end->status, SIG_DFL);
		raise(end->status);
	}
	return cli_error(cli, EXIT_UNKNOWN, "the command %s",
			 child_end_text(end, text, sizeof(text)));
}

int archive_run(struct cli *cli)
{
	const struct child_function function = {
		.kind = CHILD_COMMAND, .name = "the command", .run = archive_command, .arg = cli
	};
	unsigned int limit = cli->timeout_ms ? cli->timeout_ms : 60000, left;
	uint64_t begin = now_ms(), deadline = deadline_in(limit);
	struct snapshot_unpacked unpacked;
	struct child child = CHILD_NONE;
	struct child_end end;
	sigset_t signals, before;
	int rc;

	signals_that_end(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	rc = snapshot_unpack(cli->root, deadline, &unpacked);
	left = limit - min_u32(limit - 1, (uint32_t)(now_ms() - begin));
	if (cli->timeout_ms)
		cli->timeout_ms = left;
	cli->archive = cli->root;
	cli->root = unpacked.root;
	if (rc)
		err_context(rc, "--root");
	else
		rc = child_start(&child, &function);
	if (rc) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		snapshot_unpacked_remove(&unpacked);
		return cli_unknown(cli);
	}
	archive_hold_signals(&child, &before);
	while (!child_reap(&child, deadline_in(60000), &end))
		;
	child_close(&child);
	snapshot_unpacked_remove(&unpacked);
	return archive_end(cli, &end);
}
