/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* VDSM runs this program at its hook points. The name of the directory tells which one:
 * /usr/libexec/vdsm/hooks/before_vm_start/90_nfsrdma is a link to this program.
 *
 * Exit status 2 is a refusal, with one sentence on stderr. Otherwise the exit status is 0 and stderr
 * stays empty: VDSM shows the stderr of the last script, even if another one failed. Our own
 * failures go to the journal only. */
#include <limits.h>
#include <stdio.h>

#include "hooks/vdsm/internal.h"

#define START_DEADLINE_MS 5000

/* A guest whose memory VDSM restores. */
enum vdsm_point_restored {
	RESTORED_NEVER, /* does not occur at this point */
	RESTORED_LATER, /* occurs, with another XML than is started; a later point gets that */
	RESTORED_HERE,  /* occurs, and is never refused */
};

struct vdsm_point {
	const char *name;
	bool has_data; /* libvirt's XML, in the file that the environment names */
	unsigned int deadline_ms;
	vdsm_fn fn;
	/* The consequence of our own failure; NULL: a guest passes. */
	const char *failed;
	enum vdsm_point_restored restored;
};

static const struct vdsm_point vdsm_points[] = {
	{ "before_vdsm_start", false, START_DEADLINE_MS, vdsm_start,
	  "VDSM starts, and this host was not checked", RESTORED_NEVER },
	/* The gates: points that VDSM calls before something starts, never for a running guest.
	 * after_disk_prepare is not one: VDSM calls it for each disk of each running guest after a
	 * restart, and a refusal leaves the guest's other disks unprepared and its thin disks
	 * without extension. */
	{ "before_vm_start", true, HOOK_DEADLINE_MS, vdsm_gate_xml, NULL, RESTORED_LATER },
	{ "before_vm_dehibernate", true, HOOK_DEADLINE_MS, vdsm_gate_restore, NULL, RESTORED_HERE },
	{ "before_vm_migrate_destination", true, HOOK_DEADLINE_MS, vdsm_gate_xml, NULL,
	  RESTORED_NEVER },
	{ "before_disk_hotplug", true, HOOK_DEADLINE_MS, vdsm_gate_xml, NULL, RESTORED_NEVER },
};

static const struct vdsm_point *vdsm_point_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vdsm_points); i++)
		if (strlen(vdsm_points[i].name) == len && !memcmp(vdsm_points[i].name, name, len))
			return &vdsm_points[i];
	return NULL;
}

/* "…/POINT/90_nfsrdma" */
static const struct vdsm_point *vdsm_point_of_path(const char *path)
{
	const char *end = strrchr(path, '/'), *begin = end;

	while (begin && begin > path && begin[-1] != '/')
		begin--;
	return end && end > begin ? vdsm_point_find(begin, (size_t)(end - begin)) : NULL;
}

void vdsm_failed(struct hook_answer *out)
{
	out->refuse = false;
	out->failed = true;
	str_copy(out->text, sizeof(out->text), err_text());
}

static void vdsm_report_failure(const struct vdsm_point *point, const struct vdsm_call *call,
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

struct vdsm_job {
	const struct vdsm_point *point;
	const struct vdsm_call *call;
};

static void vdsm_job_run(void *arg, struct hook_answer *out)
{
	const struct vdsm_job *job = arg;

	job->point->fn(job->call, out);
}

/* A call by hand has no guest. */
static bool vdsm_is_restored(const struct vdsm_call *call)
{
	_cleanup_(host_close_p) struct host *host = NULL;

	return !host_open(&host, call->root) && hook_vdsm_restores(host, call->guest);
}

static int vdsm_run(const struct vdsm_point *point, const char *root)
{
	struct vdsm_call call = { .root = root, .deadline = deadline_in(point->deadline_ms) };
	struct vdsm_job job = { point, &call };
	/* A custom property of a guest may have any name, and so replace it in the environment. */
	const char *id = getenv("vmId");
	struct hook_answer answer;
	char guest[64];

	if (id && id[0])
		call.guest = text_copy(guest, sizeof(guest), id);
	if (point->restored == RESTORED_LATER && vdsm_is_restored(&call))
		return 0;
	if (point->has_data)
		call.file = getenv("_hook_domxml");
	if (point->has_data && (!call.file || !call.file[0]))
		hook_unseen(root, "VDSM gave no file with its data", &answer);
	else if (point->failed || point->restored == RESTORED_HERE)
		hook_run(vdsm_job_run, &job, call.deadline, &answer);
	else
		hook_gate(root, vdsm_job_run, &job, call.deadline, &answer);
	/* Only a gate refuses, and never a restored guest. */
	answer.refuse &= !point->failed && point->restored != RESTORED_HERE;
	if (answer.failed && !answer.refuse)
		vdsm_report_failure(point, &call, answer.text);
	else
		hook_answered(VDSM_WHO, call.guest, &answer);
	if (!answer.refuse)
		return 0;
	fprintf(stderr, "%s\n", answer.text);
	return 2;
}

/* Returns @status. */
static int vdsm_usage(FILE *out, int status)
{
	size_t i;

	fputs("VDSM runs vdsm-hook by a link in the directory of a hook point:\n", out);
	for (i = 0; i < ARRAY_SIZE(vdsm_points); i++)
		fprintf(out, "  %s\n", vdsm_points[i].name);
	fputs("By hand: vdsm-hook [--root DIR] --point NAME\n"
	      "  with _hook_domxml set to the path of a file.\n"
	      "See nfsrdma-ovirt(7).\n",
	      out);
	return status;
}

/* 0 for VDSM, whatever the name of a directory with a link is: not every point has data, and 2 would
 * be a refusal. A call by PATH or from a terminal is not VDSM's. */
static int vdsm_unknown_point(const char *path)
{
	char text[512];

	if (!strchr(path, '/'))
		return vdsm_usage(stderr, 2);
	if (isatty(STDERR_FILENO))
		return vdsm_usage(stderr, 0);
	snprintf(text, sizeof(text), "nfsrdma has no hook for this point, remove the link %.300s",
		 path);
	finding_clean(text);
	journal_send(JOURNAL_WARNING, VDSM_WHO, text, NULL, 0);
	return 0;
}

static int vdsm_by_hand(int argc, char *argv[])
{
	const struct vdsm_point *point = NULL;
	const char *root = NULL;
	int i;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return vdsm_usage(stdout, 0);
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("vdsm-hook " NFSRDMA_VERSION);
		return 0;
	}
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--root"))
			root = argv[i + 1];
		else if (!strcmp(argv[i], "--point"))
			point = vdsm_point_find(argv[i + 1], strlen(argv[i + 1]));
		else
			return vdsm_usage(stderr, 2);
	}
	return point && i == argc ? vdsm_run(point, root) : vdsm_usage(stderr, 2);
}

int main(int argc, char *argv[])
{
	const struct vdsm_point *point = argc > 0 ? vdsm_point_of_path(argv[0]) : NULL;

	/* Not for VDSM, which calls the link: its environment has a guest's custom properties, and
	 * it shows stderr. */
	if (!point)
		debug_init();
	if (argc > 1)
		return vdsm_by_hand(argc, argv);
	return point ? vdsm_run(point, NULL) : vdsm_unknown_point(argc ? argv[0] : "?");
}
