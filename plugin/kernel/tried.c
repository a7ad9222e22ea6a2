/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* From a trial mount to its finding: pure. The kernel's own words come first: what it logged is
 * nearer to the cause than what mount.nfs makes of an errno. */
#include <stdio.h>

#include "plugin/kernel/internal.h"
#include "plugin/report/report.h"

/* Lines that are shown. */
#define LINES_MAX 3
/* What the index does not have is shown from warnings on. */
#define LEVEL_WARNING 4
#define SERVER_MAX    256

/* From @*at on the next line to show: a known one, or a warning. NULL: none. */
static const char *tried_next_line(const struct live_log *log, unsigned int *at)
{
	for (; *at < log->count; ++*at)
		if (log->list[*at].level <= LEVEL_WARNING ||
		    message_of("Linux", log->list[*at].text))
			return log->list[(*at)++].text;
	return NULL;
}

/* The first that may be the cause: it is known, and names no other server. Other mounts of this
 * host log, too. */
static const char *tried_cause(const struct live_log *log, const char *server)
{
	char value[SERVER_MAX];
	unsigned int i;

	for (i = 0; i < log->count; i++) {
		const char *line = log->list[i].text;
		const struct message *message = message_of("Linux", line);

		if (!message)
			continue;
		message_value(message, line, value, sizeof(value));
		if (!strstr(message->text, "{server}") || !*value || !strcmp(value, server))
			return line;
	}
	return NULL;
}

/* What a line means, where the index of messages has it, and nothing said it before. */
static void tried_add_meaning(struct finding *f, const char *program, const char *line)
{
	const struct message *message = message_of(program, line);

	if (message && !*finding_evidence(f, "means"))
		finding_text(f, "means", "%s", message->cause);
}

static void tried_add_words(struct finding *f, const struct live_log *log, const char *last)
{
	static const char *const keys[LINES_MAX] = { "logged", "logged_2", "logged_3" };
	unsigned int at = 0, n;
	const char *line;

	for (n = 0; n < LINES_MAX && (line = tried_next_line(log, &at)); n++) {
		finding_text(f, keys[n], "%s", line);
		tried_add_meaning(f, "Linux", line);
	}
	if (!*last)
		return;
	finding_text(f, "message", "%s", last);
	tried_add_meaning(f, "mount.nfs", last);
}

/* It ran, and nothing is mounted, or over another transport than RDMA. */
static const char *tried_fail(const struct kernel_tried *t, const char *logged, const char *end,
			      struct finding *f)
{
	const char *last = *t->end.last ? t->end.last : "no message";

	if (t->mounted) {
		finding_init(f, "kernel.trial", FINDING_FAIL,
			     "the trial mount is over %s, not RDMA", t->mount.proto);
		return "not-rdma";
	}
	if (t->end.timed_out) {
		finding_init(f, "kernel.trial", FINDING_FAIL, "it was not mounted in time%s%s%s",
			     logged ? "; the kernel logged: " : "", logged ? logged : "", end);
		return t->end.left || t->left ? "hangs" : "timeout";
	}
	if (t->unread) {
		finding_init(f, "kernel.trial", FINDING_UNKNOWN,
			     "mount.nfs ended without an error; what it mounted is unknown: %s",
			     last);
		return "unread";
	}
	if (!t->end.status) {
		finding_init(f, "kernel.trial", FINDING_FAIL,
			     "mount.nfs ended without an error, and nothing is mounted: %s", last);
		return "nothing";
	}
	if (t->end.status < 0) {
		finding_init(f, "kernel.trial", FINDING_UNKNOWN, "the trial ended early%s", end);
		return "killed";
	}
	if (logged)
		finding_init(
			f, "kernel.trial", FINDING_FAIL,
			"it cannot be mounted; the kernel logged: %s (mount.nfs, status %d: %s)",
			logged, t->end.status, last);
	else
		finding_init(f, "kernel.trial", FINDING_FAIL,
			     "it cannot be mounted: %s (status %d)", last, t->end.status);
	return "failed";
}

static void tried_pass(const struct kernel_tried *t, struct finding *f)
{
	finding_init(f, "kernel.trial", FINDING_PASS,
		     "this host mounted it read-only over %s, NFSv%s, in %.1f s%s%s%s%s",
		     t->mount.proto, t->mount.vers, t->ms / 1000.0,
		     t->unmounted ? ", and unmounted it" : "",
		     *t->shared ? "; it shared the connection of " : "", t->shared,
		     *t->shared ? ", so a new one was not tried" : "");
	finding_text(f, "proto", "%s", t->mount.proto);
	finding_text(f, "nfs_version", "%s", t->mount.vers);
	finding_text(f, "mounted_with", "%s", t->mount.options);
	if (*t->shared)
		finding_text(f, "shared", "%s", t->shared);
}

void kernel_trial_finding(const struct kernel_tried *t, const char *server,
			  const struct live_log *log, const char *end, struct finding *f)
{
	const char *reason = NULL;

	if (!t->entered || t->error) {
		finding_init(f, "kernel.trial", FINDING_UNKNOWN, "%s: %s",
			     t->entered ? "mount.nfs could not be started"
					: "cannot create a mount namespace",
			     t->entered ? t->end.last : strerrordesc_np(t->error));
		reason = t->entered ? "no-program" : "no-namespace";
	} else if (t->mounted && view_is_rdma(t->mount.proto)) {
		tried_pass(t, f);
	} else {
		reason = tried_fail(t, tried_cause(log, server), end, f);
	}
	if (reason) {
		finding_reason(f, reason);
		tried_add_words(f, log, t->end.last);
	}
	finding_number(f, "seconds", t->ms / 1000.0);
	finding_number(f, "status", t->end.status);
}
