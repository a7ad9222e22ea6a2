/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* before_vdsm_start: as root, before VDSM mounts anything. Where this host has an RDMA device, or a policy
 * that asks for RDMA, the modules are loaded that a mount would wait for, or would not get: rpcrdma, and
 * the RDMA half of the drivers of its adapters. Then the checks that the mount helper runs before each mount, and what is not
 * good into the journal; VDSM starts in any case. */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#include "hooks/vdsm/internal.h"
#include "plugin/checks/checks.h"
#include "plugin/report/report.h"

/* Of the time for all of it, for the modules. */
#define LOAD_MS     3000
#define MISSING_MAX 16

static void tell(const char *fmt, ...) PRINTF_LIKE(1, 2);

static void tell(const char *fmt, ...)
{
	const struct journal_field fields[] = { { "NFSRDMA_HOOK", "before_vdsm_start" } };
	char text[HOOK_TEXT_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_clean(text);
	journal_send(JOURNAL_WARNING, VDSM_WHO, text, fields, ARRAY_SIZE(fields));
}

/* --- modules -------------------------------------------------------------------------------- */

/* Ends it at the deadline, and does not wait for it then: in the kernel it may be beyond that. */
static int wait_for(pid_t pid, uint64_t deadline)
{
	const struct timespec nap = { .tv_nsec = 2 * 1000 * 1000 };
	int status = 0;
	pid_t rc;

	while (!(rc = waitpid(pid, &status, WNOHANG)) && deadline_left(deadline))
		nanosleep(&nap, NULL);
	if (!rc) {
		kill(pid, SIGKILL);
		return err_set(ETIMEDOUT, "it took too long");
	}
	if (rc < 0)
		return err_sys("wait for it");
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : err_set(EIO, "it failed");
}

static int spawn(char *const argv[], int words, pid_t *pid)
{
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", locale[] = "LC_ALL=C";
	char *const environment[] = { path, locale, NULL };
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return err_set(rc, "no memory for a process");
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY,
					 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY,
					 0);
	posix_spawn_file_actions_adddup2(&actions, words, STDERR_FILENO);
	rc = posix_spawn(pid, argv[0], &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	return rc ? err_set(rc, "%s: %s", argv[0], strerror(rc)) : 0;
}

/* @said: its words, the caller's. */
static int modprobe(char *program, char *module, bool asked_for, uint64_t deadline,
		    char **said)
{
	static char obey[] = "--use-blacklist", end[] = "--";
	char *const argv[] = { program, asked_for ? end : obey, module, NULL };
	_cleanup_close_ int ours = -1;
	_cleanup_close_ int theirs = -1;
	int pair[2], rc;
	size_t len;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC))
		return err_sys("a pipe");
	ours = pair[0];
	theirs = pair[1];
	rc = spawn(argv, theirs, &pid);
	if (rc)
		return rc;
	close(take_fd(&theirs));
	/* Without its words where there are too many, or until too late. */
	hook_read(ours, 4096, deadline, said, &len);
	return wait_for(pid, deadline);
}

/* @asked_for: by its name, as a mount does it, and so whatever the blacklist says. */
static void load(const struct vdsm_call *call, const char *name, bool asked_for,
		 uint64_t deadline)
{
	static const char *const programs[] = { "/usr/sbin/modprobe", "/sbin/modprobe" };
	_cleanup_free_ char *said = NULL;
	char program[PATH_MAX], module[64];
	int rc = -ENOENT;
	size_t i;

	text_copy(module, sizeof(module), name);
	for (i = 0; rc == -ENOENT && i < ARRAY_SIZE(programs); i++) {
		snprintf(program, sizeof(program), "%s%s", call->root ? call->root : "",
			 programs[i]);
		rc = modprobe(program, module, asked_for, deadline, &said);
	}
	if (rc)
		tell("the module %s could not be loaded: %s%s%.300s", module, err_text(),
		     said && *said ? ": " : "", said ? said : "");
}

static bool is_loaded(const struct host *host, const char *name)
{
	struct host_module module;

	return !host_module(host, name, &module) &&
	       (module.state == MODULE_LOADED || module.state == MODULE_BUILTIN);
}

/* "mlx5_ib for 0000:3b:00.0" */
static void load_drivers(const struct vdsm_call *call, char missing[][96], int count,
			 uint64_t deadline)
{
	int i, before;

	for (i = 0; i < count; i++) {
		missing[i][strcspn(missing[i], " ")] = '\0';
		for (before = 0; before < i; before++)
			if (!strcmp(missing[before], missing[i]))
				break;
		if (before == i)
			load(call, missing[i], false, deadline);
	}
}

/* --- what is not ready ---------------------------------------------------------------------- */

static void on_finding(void *arg, const struct finding *finding)
{
	const struct meaning *meaning = meaning_find(finding->id);
	const struct journal_field fields[] = {
		{ "NFSRDMA_HOOK", "before_vdsm_start" },
		{ "NFSRDMA_FINDING", finding->id },
		{ "NFSRDMA_STATUS", finding_status_name(finding->status) },
		{ "NFSRDMA_CAUSE", meaning ? meaning->cause : NULL },
		{ "NFSRDMA_REMEDY", meaning ? meaning->remedy : NULL },
	};
	char text[FINDING_SUMMARY_MAX + 128];

	(void)arg;
	if (finding->status == FINDING_PASS || finding->status == FINDING_SKIP)
		return;
	snprintf(text, sizeof(text), "this host before VDSM starts: %s: %s [%s]",
		 finding_status_name(finding->status), finding->summary, finding->id);
	journal_send(JOURNAL_FINDING, VDSM_WHO, text, fields, ARRAY_SIZE(fields));
}

/* Those of this host alone; they ask no server, and nothing of the running system but its files. */
static void look(const struct vdsm_call *call, const struct host *host)
{
	const struct check_target target = { .port = 20049, .roles = CHECK_CLIENT };
	const struct check *chosen[CHECKS_AT_MOUNT_MAX + 1];

	checks_at_mount(false, chosen);
	if (checks_run(chosen, host, &live_replay, &target, call->deadline, on_finding,
		       NULL))
		tell("the checks did not run: %s", err_text());
}

/* A policy that is broken is told of, and asks for RDMA: somebody wrote it. */
static bool policy_wants(const struct host *host)
{
	_cleanup_(policy_free_p) struct policies *policies = NULL;

	if (!policy_open(&policies, host))
		return policy_asks(policies);
	tell("the policy is broken, so mount -t nfsrdma refuses, and guests start unseen: %s",
	     err_text());
	return true;
}

static bool has_devices(const struct host *host)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };

	return !host_list(host, "sys/class/infiniband", &list) && list.count;
}

void vdsm_start(const struct vdsm_call *call, struct hook_answer *out)
{
	_cleanup_(host_close_p) struct host *host = NULL;
	uint64_t deadline = deadline_in(LOAD_MS);
	char missing[MISSING_MAX][96];

	if (host_open(&host, call->root)) {
		vdsm_failed(out);
		return;
	}
	if (!policy_wants(host) && !has_devices(host))
		return;
	load_drivers(call, missing, host_rdma_missing(host, missing, MISSING_MAX),
		     deadline);
	if (!is_loaded(host, "rpcrdma"))
		load(call, "rpcrdma", true, deadline);
	look(call, host);
}
