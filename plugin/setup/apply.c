/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A plan, step by step, of a setup or of an undo. Each file is written or removed at once, so that
 * at every moment the machine shows what has happened. */
#include <stdio.h>

#include "plugin/setup/internal.h"

/* The folders of a file that go with it: the innermost @count, outermost first. */
static void apply_list_folders(const char *path, unsigned int count, struct made_dirs *out)
{
	char above[SETUP_PATH_MAX], *slash;

	str_copy(above, sizeof(above), path);
	out->count = 0;
	while (out->count < count && (slash = strrchr(above, '/'))) {
		*slash = '\0';
		memmove(out->list[1], out->list[0], out->count++ * sizeof(out->list[0]));
		str_copy(out->list[0], sizeof(out->list[0]), above);
	}
}

static int apply_write(const struct host *host, const struct setup_step *step)
{
	return step->kind == SETUP_FILE
		       ? place_write(host, step->path, step->before, step->after)
		       : place_write_link(host, step->path, step->before, step->after);
}

static int apply_file(const struct host *host, const struct setup_step *step)
{
	_cleanup_free_ char *now = NULL;
	struct made_dirs folders;
	char why[ERR_TEXT_MAX];
	int rc;

	if (!step->after) {
		/* The folder of the ports has the lock, which this holds. */
		apply_list_folders(step->path, strcmp(step->path, PATH_PORTS) ? step->folders : 0,
				   &folders);
		rc = apply_write(host, step);
		return rc ? rc : place_remove_dirs(host, &folders);
	}
	place_tidy(host, step->path);
	rc = place_missing(host, step->path, &folders);
	if (rc)
		return rc;
	rc = place_make_dirs(host, &folders, 0755);
	rc = rc ? rc : apply_write(host, step);
	if (!rc)
		return 0;
	str_copy(why, sizeof(why), err_text());
	place_remove_dirs(host, &folders);
	/* If a flush after the renaming failed it is the new one. */
	if (rc != -ESTALE && !place_get(host, step->kind, step->path, &now) &&
	    same_text(now, step->after))
		return err_set(-rc, "%s; it was changed nevertheless: /%s", why, step->path);
	return err_set(-rc, "%s", why);
}

static int apply_close_port(const struct setup_actions *actions, const struct setup_port *port)
{
	bool open = false;
	int rc = actions->port_get(port, &open);

	return rc || !open ? rc : actions->port_set(port, false);
}

static int apply_step(const struct setup_machine *machine, const struct setup_step *step, bool undo)
{
	const struct setup_actions *actions = machine->actions;

	if (setup_has_path(step->kind))
		return apply_file(machine->host, step);
	if (!actions)
		return err_set(EINVAL, "below a root nothing of the running system is changed");
	switch (step->kind) {
	case SETUP_PORT:
		return undo ? apply_close_port(actions, &step->port)
			    : actions->port_set(&step->port, true);
	case SETUP_MODULE: return actions->load(step->name);
	case SETUP_LISTENER: return actions->listen(step->port.port);
	case SETUP_RESTART: return actions->restart(step->name);
	case SETUP_LINK:
		return undo ? actions->link_delete(step->link.name)
			    : actions->link_add(&step->link);
	case SETUP_FILE:
	case SETUP_SYMLINK: break;
	}
	return 0;
}

int apply_steps(const struct setup_machine *machine, const struct setup_plan *plan,
		setup_step_fn report, void *arg)
{
	char why[ERR_TEXT_MAX] = "";
	unsigned int i;
	int rc = 0, one;

	for (i = 0; i < plan->nsteps; i++) {
		one = rc ? -ECANCELED : apply_step(machine, &plan->steps[i], plan->undo);
		if (one && !rc) {
			rc = one;
			str_copy(why, sizeof(why), err_text());
		}
		report(arg, &plan->steps[i], one);
	}
	return rc ? err_set(-rc, "%s", why) : 0;
}

int setup_apply(const struct setup_machine *machine, const struct setup_plan *plan,
		setup_step_fn report, void *arg)
{
	struct setup_lock lock = { .dir = -1 };
	unsigned int i, kept = 0;
	int rc = 0;

	for (i = 0; i < plan->nsteps; i++)
		kept += setup_is_kept(plan->steps[i].kind);
	if (kept)
		rc = setup_lock_take(&lock, machine->host, true, 0);
	rc = rc ? rc : apply_steps(machine, plan, report, arg);
	setup_lock_drop(&lock);
	return rc;
}
