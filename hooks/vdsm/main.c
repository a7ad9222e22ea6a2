/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* VDSM runs this program at its hook points. The name of the directory tells which one:
 * /usr/libexec/vdsm/hooks/after_get_caps/90_nfsrdma is a link to this program.
 *
 * Exit status 2 is a refusal, with one sentence on stderr. Otherwise the exit status is 0 and stderr
 * stays empty: VDSM shows the stderr of the last script, even if another one failed. Our own
 * failures go to the journal only. */
#include <limits.h>
#include <stdio.h>

#include "hooks/vdsm/internal.h"

#define START_DEADLINE_MS 5000

enum input { INPUT_NONE, INPUT_JSON, INPUT_DOMXML };

/* A guest whose memory VDSM restores. */
enum restored {
	RESTORED_NEVER, /* does not occur at this point */
	RESTORED_LATER, /* occurs, with another XML than is started; a later point gets that */
	RESTORED_HERE, /* occurs, and is never refused */
};

struct point {
	const char *name;
	enum input input;
	unsigned int deadline_ms;
	vdsm_fn fn;
	/* The consequence of our own failure; NULL: a guest passes. */
	const char *failed;
	enum restored restored;
};

static const struct point points[] = {
	{ "before_vdsm_start", INPUT_NONE, START_DEADLINE_MS, vdsm_start,
	  "VDSM starts, and this host was not checked", RESTORED_NEVER },
	{ "after_get_caps", INPUT_JSON, HOOK_DEADLINE_MS, vdsm_caps,
	  "VDSM's data is unchanged", RESTORED_NEVER },
	{ "after_get_stats", INPUT_JSON, HOOK_DEADLINE_MS, vdsm_stats,
	  "VDSM's data is unchanged", RESTORED_NEVER },
	/* The gates: points that VDSM calls before something starts, never for a running guest.
	 * after_disk_prepare is not one: VDSM calls it for each disk of each running guest after a
	 * restart, and a refusal leaves the guest's other disks unprepared and its thin disks
	 * without extension. */
	{ "before_vm_start", INPUT_DOMXML, HOOK_DEADLINE_MS, vdsm_gate_xml, NULL,
	  RESTORED_LATER },
	{ "before_vm_dehibernate", INPUT_DOMXML, HOOK_DEADLINE_MS, vdsm_gate_restore,
	  NULL, RESTORED_HERE },
	{ "before_vm_migrate_destination", INPUT_DOMXML, HOOK_DEADLINE_MS, vdsm_gate_xml,
	  NULL, RESTORED_NEVER },
	{ "before_disk_hotplug", INPUT_DOMXML, HOOK_DEADLINE_MS, vdsm_gate_xml, NULL,
	  RESTORED_NEVER },
};

static const char *const variables[] = {
	[INPUT_JSON] = "_hook_json",
	[INPUT_DOMXML] = "_hook_domxml",
};

static const struct point *find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(points); i++)
		if (strlen(points[i].name) == len && !memcmp(points[i].name, name, len))
			return &points[i];
	return NULL;
}

/* "…/POINT/90_nfsrdma" */
static const struct point *find_by_path(const char *path)
{
	const char *end = strrchr(path, '/'), *begin = end;

	while (begin && begin > path && begin[-1] != '/')
		begin--;
	return end && end > begin ? find(begin, (size_t)(end - begin)) : NULL;
}

void vdsm_failed(struct hook_answer *out)
{
	out->refuse = false;
	out->failed = true;
	snprintf(out->text, sizeof(out->text), "%s", err_text());
}

static void tell_failure(const struct point *point, const struct vdsm_call *call,
			 const char *why)
{
	const struct journal_field fields[] = { { "NFSRDMA_HOOK", point->name } };
	char text[HOOK_TEXT_MAX + 128];

	if (!point->failed) {
		hook_failed(VDSM_WHO, call->guest, "%s: %s", point->name, why);
		return;
	}
	snprintf(text, sizeof(text), "%s: %s: %s", point->name, point->failed, why);
	finding_clean(text);
	journal_send(JOURNAL_WARNING, VDSM_WHO, text, fields, ARRAY_SIZE(fields));
}

struct work {
	const struct point *point;
	const struct vdsm_call *call;
};

static void work(void *arg, struct hook_answer *out)
{
	const struct work *work = arg;

	work->point->fn(work->call, out);
}

/* A custom property of a guest may have any name, and so replace it in the environment. */
static const char *guest_name(char buf[64])
{
	const char *id = getenv("vmId");

	return id && id[0] ? text_copy(buf, 64, id) : NULL;
}

/* A call by hand has no guest. */
static bool is_restored(const struct vdsm_call *call)
{
	_cleanup_(host_close_p) struct host *host = NULL;

	return !host_open(&host, call->root) && hook_vdsm_restores(host, call->guest);
}

static int run(const struct point *point, const char *root)
{
	struct vdsm_call call = { .root = root,
				  .deadline = deadline_in(point->deadline_ms) };
	struct work job = { point, &call };
	struct hook_answer answer;
	char guest[64];

	call.guest = guest_name(guest);
	if (point->restored == RESTORED_LATER && is_restored(&call))
		return 0;
	if (point->input != INPUT_NONE)
		call.file = getenv(variables[point->input]);
	if (point->input != INPUT_NONE && (!call.file || !call.file[0]))
		hook_unseen(root, "VDSM gave no file with its data", &answer);
	else if (point->failed || point->restored == RESTORED_HERE)
		hook_run(work, &job, call.deadline, &answer);
	else
		hook_gate(root, work, &job, call.deadline, &answer);
	/* Only a gate refuses, and never a restored guest. */
	answer.refuse &= !point->failed && point->restored != RESTORED_HERE;
	if (answer.failed && !answer.refuse)
		tell_failure(point, &call, answer.text);
	else
		hook_answered(VDSM_WHO, call.guest, &answer);
	if (!answer.refuse)
		return 0;
	fprintf(stderr, "%s\n", answer.text);
	return 2;
}

/* Returns @status. */
static int usage(FILE *out, int status)
{
	size_t i;

	fputs("VDSM runs vdsm-hook by a link in the directory of a hook point:\n", out);
	for (i = 0; i < ARRAY_SIZE(points); i++)
		fprintf(out, "  %s\n", points[i].name);
	fputs("By hand: vdsm-hook [--root DIR] --point NAME\n"
	      "  with _hook_json or _hook_domxml set to the path of a file.\n"
	      "See nfsrdma-ovirt(7).\n",
	      out);
	return status;
}

/* 0 for VDSM, whatever the name of a directory with a link is: not every point has data, and 2 would
 * be a refusal. A call by PATH or from a terminal is not VDSM's. */
static int unknown_point(const char *path)
{
	char text[512];

	if (!strchr(path, '/'))
		return usage(stderr, 2);
	if (isatty(STDERR_FILENO))
		return usage(stderr, 0);
	snprintf(text, sizeof(text),
		 "nfsrdma has no hook for this point, remove the link %.300s", path);
	finding_clean(text);
	journal_send(JOURNAL_WARNING, VDSM_WHO, text, NULL, 0);
	return 0;
}

static int by_hand(int argc, char *argv[])
{
	const struct point *point = NULL;
	const char *root = NULL;
	int i;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return usage(stdout, 0);
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("vdsm-hook " NFSRDMA_VERSION);
		return 0;
	}
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--root"))
			root = argv[i + 1];
		else if (!strcmp(argv[i], "--point"))
			point = find(argv[i + 1], strlen(argv[i + 1]));
		else
			return usage(stderr, 2);
	}
	return point && i == argc ? run(point, root) : usage(stderr, 2);
}

int main(int argc, char *argv[])
{
	const struct point *point = argc > 0 ? find_by_path(argv[0]) : NULL;

	/* Not for VDSM, which calls the link: its environment has a guest's custom properties, and
	 * it shows stderr. */
	if (!point)
		debug_init();
	if (argc > 1)
		return by_hand(argc, argv);
	return point ? run(point, NULL) : unknown_point(argc ? argv[0] : "?");
}
