/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The table of remedies, and the plan that they fill. A remedy reads the machine and adds a step
 * only where something is missing: what works by itself is left alone. */
#include <stdarg.h>

#include "plugin/setup/internal.h"

/* In the order in which they are applied: a server listens when its module is there. */
static const struct remedy *const plan_remedies[] = {
	&remedy_modules, &remedy_software, &remedy_nfs_conf, &remedy_ipoib,
	&remedy_memlock, &remedy_firewall, &remedy_listener,
};

/* --- what remedies add ------------------------------------------------------------- */

struct setup_step *plan_step(struct planner *planner, enum setup_kind kind, const char *fmt, ...)
{
	struct setup_plan *plan = planner->plan;
	struct setup_step *step;
	va_list ap;

	if (plan->nsteps == SETUP_STEPS_MAX) {
		err_set(ENOSPC, "more than %d steps", SETUP_STEPS_MAX);
		return NULL;
	}
	step = &plan->steps[plan->nsteps++];
	step->kind = kind;
	va_start(ap, fmt);
	vsnprintf(step->reason, sizeof(step->reason), fmt, ap);
	va_end(ap);
	return step;
}

struct setup_note *setup_plan_note(struct setup_plan *plan, bool todo, const char *fmt, va_list ap)
{
	struct setup_note *note = &plan->notes[plan->nnotes];
	unsigned int i;

	if (plan->nnotes == SETUP_NOTES_MAX)
		return NULL;
	note->todo = todo;
	vsnprintf(note->text, sizeof(note->text), fmt, ap);
	/* Several devices may have the same to say. */
	for (i = 0; i < plan->nnotes; i++)
		if (!strcmp(plan->notes[i].text, note->text))
			return NULL;
	plan->nnotes++;
	return note;
}

void plan_note(struct planner *planner, bool todo, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	setup_plan_note(planner->plan, todo, fmt, ap);
	va_end(ap);
}

void plan_lines(struct planner *planner, const char *lines, const char *fmt, ...)
{
	struct setup_note *note;
	va_list ap;

	va_start(ap, fmt);
	note = setup_plan_note(planner->plan, true, fmt, ap);
	va_end(ap);
	if (note)
		note->lines = strdup(lines);
}

int plan_check(struct planner *planner, const char *id, struct finding *out)
{
	const struct check_target target = { .port = planner->port,
					     .roles = planner->request->roles };

	return checks_run_one(id, planner->machine->host, planner->machine->live, &target, out);
}

bool plan_lacks_module(struct planner *planner, const char *intro)
{
	bool server = planner->request->roles & CHECK_SERVER;
	_cleanup_(report_free_p) struct report *report = report_new("setup");
	_cleanup_(finding_fini) struct finding finding = { 0 };
	char name[REPORT_NAME_MAX], step[REPORT_STEP_MAX];

	if (!report || plan_check(planner, server ? "server.module" : "client.module", &finding) ||
	    finding.status != FINDING_FAIL)
		return false;
	report_for(report, systems_of(planner->machine->host, ~0u));
	report_name(&finding, name);
	if (!*report_first_step(report, &finding, step))
		snprintf(step, sizeof(step), "Run 'nfsrdma explain %s'.", name);
	plan_note(planner, true, "%s: %.250s [%s]. %.250s", intro, finding.summary, name, step);
	return true;
}

static struct setup_step *plan_find_file(struct setup_plan *plan, const char *path)
{
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++)
		if (plan->steps[i].kind == SETUP_FILE && !strcmp(plan->steps[i].path, path))
			return &plan->steps[i];
	return NULL;
}

/* Every line of @lines is one of @text. */
static bool plan_has_lines(const char *text, const char *lines)
{
	const char *at;
	size_t len;

	for (; *lines; lines += len) {
		len = strcspn(lines, "\n");
		len += lines[len] == '\n';
		for (at = text; at && strncmp(at, lines, len); at = strchr(at, '\n'), at += !!at)
			;
		if (!at)
			return false;
	}
	return true;
}

/* The text is not setup's to change. 1: a note says so. */
static int plan_leave(struct planner *planner, const char *path, const char *text,
		      const char *lines, enum own own)
{
	if (plan_has_lines(text, lines))
		return 0;
	plan_lines(planner, lines, "/%s %s, so setup leaves it alone. %s:", path,
		   own == OWN_EDITED
			   ? "was changed since setup wrote it, or written by an earlier version"
			   : "was not written by setup",
		   own == OWN_EDITED ? "Undo the earlier setup (nfsrdma setup --undo), or add to it"
				     : "Add to it");
	return 1;
}

/* The first step for the file; @now is what is there, which is taken. */
static struct setup_step *plan_add_file(struct planner *planner, const char *path, char *now,
					unsigned int folders)
{
	struct setup_step *step = plan_step(planner, SETUP_FILE, "%s", "");

	if (!step) {
		free(now);
		return NULL;
	}
	str_copy(step->path, sizeof(step->path), path);
	step->before = now;
	step->folders = folders;
	return step;
}

int plan_file(struct planner *planner, const char *path, const char *text, bool whole,
	      const char *fmt, ...)
{
	struct setup_step *step = plan_find_file(planner->plan, path);
	_cleanup_free_ char *now = NULL, *joined = NULL;
	char reason[sizeof(step->reason)];
	struct made_dirs missing;
	unsigned int folders;
	const char *body;
	enum own own;
	size_t used;
	va_list ap;
	int rc = step ? 0 : place_read(planner->machine->host, path, &now);

	if (rc)
		return rc;
	own = own_read(step ? step->after : now, &body, &folders);
	if (own == OWN_EDITED || own == OWN_OTHERS)
		return plan_leave(planner, path, now, text, own);
	if (whole ? !strcmp(body, text) : plan_has_lines(body, text))
		return 0;
	if (asprintf(&joined, "%s%s", whole ? "" : body, text) < 0) {
		joined = NULL;
		return err_no_memory();
	}
	if (own == OWN_NONE) {
		rc = place_missing(planner->machine->host, path, &missing);
		if (rc)
			return rc;
		folders = missing.count;
	}
	if (!step)
		step = plan_add_file(planner, path, take_ptr(now), folders);
	if (!step)
		return -ENOSPC;
	free(step->after);
	step->after = own_text(joined, folders);
	va_start(ap, fmt);
	vsnprintf(reason, sizeof(reason), fmt, ap);
	va_end(ap);
	/* Another reason for the same file. */
	used = strlen(step->reason);
	if (!strstr(step->reason, reason))
		snprintf(step->reason + used, sizeof(step->reason) - used, "%s%s", used ? "; " : "",
			 reason);
	return step->after ? 0 : err_no_memory();
}

/* --- making one -------------------------------------------------------------------- */

/* Without a usable device nothing is set up: a server that is configured to listen for RDMA and
 * cannot does not start at all where nfsdctl starts it (nfs-utils 2.8.3). An image has no /sys to
 * say. True: a note says so. */
static bool plan_has_no_device(struct planner *planner)
{
	const char *why = "This host has no RDMA device";
	bool server = planner->request->roles & CHECK_SERVER;
	_cleanup_(finding_fini) struct finding finding = { 0 };
	char names[1][96];

	if (planner->rdma->count) {
		if (plan_check(planner, server ? "server.device" : "client.device", &finding) ||
		    finding.status != FINDING_FAIL)
			return false;
		why = finding.summary;
	} else if (host_exists(planner->machine->host, "sys/class") ||
		   host_rdma_missing(planner->machine->host, names, 1) > 0) {
		return false;
	}
	/* Nor would a software link help. */
	if (plan_lacks_module(planner, "Nothing can be set up"))
		return true;
	plan_note(
		planner, true,
		"%.400s, so there is nothing to set up. See nfsrdma explain client.device; without an adapter, setup --software adds a software RDMA link",
		why);
	return true;
}

static int plan_run_remedies(struct planner *planner)
{
	const struct setup_request *request = planner->request;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < ARRAY_SIZE(plan_remedies); i++) {
		const struct remedy *remedy = plan_remedies[i];

		if (!(remedy->roles & request->roles) ||
		    (remedy->for_probe_only && !request->for_probe))
			continue;
		rc = remedy->plan(planner);
		if (!rc || rc == -ENOMEM || rc == -ENOSPC)
			continue;
		planner->plan->unknown = true;
		plan_note(planner, true, "%s: what is missing is unknown: %s", remedy->name,
			  err_text());
		rc = 0;
	}
	return rc;
}

int setup_plan_make(struct setup_plan **out, const struct setup_machine *machine,
		    const struct setup_request *request)
{
	_cleanup_(setup_plan_free_p) struct setup_plan *plan = calloc(1, sizeof(*plan));
	struct planner planner = {
		.machine = machine, .request = request, .plan = plan, .port = request->port
	};
	_cleanup_free_ struct rdma_devices *rdma = NULL;
	int rc;

	if (!plan)
		return err_no_memory();
	/* A name of the system is not needed by every remedy. */
	if (host_system(machine->host, &planner.system))
		memset(&planner.system, 0, sizeof(planner.system));
	rc = host_rdma(machine->host, &rdma);
	if (rc)
		return rc;
	planner.rdma = rdma;
	if (request->software)
		rc = software_check(&planner);
	if (!rc && (request->software || !plan_has_no_device(&planner)))
		rc = plan_run_remedies(&planner);
	if (!rc)
		*out = take_ptr(plan);
	return rc;
}

void setup_plan_free(struct setup_plan *plan)
{
	unsigned int i;

	if (!plan)
		return;
	for (i = 0; i < SETUP_STEPS_MAX; i++) {
		free(plan->steps[i].before);
		free(plan->steps[i].after);
	}
	for (i = 0; i < SETUP_NOTES_MAX; i++)
		free(plan->notes[i].lines);
	free(plan);
}

void setup_plan_free_p(struct setup_plan **plan)
{
	setup_plan_free(*plan);
}
