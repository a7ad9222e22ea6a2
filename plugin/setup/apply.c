/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A plan, step by step. What can be taken back is written down before it is done and once more
 * after, so that at every moment it is known, or can be found out, what has happened. */
#include <stdio.h>

#include "plugin/setup/internal.h"

struct apply_run {
	const struct setup_machine *machine;
	struct store store;
};

/* Nothing of it was done, because of @rc. */
static int apply_drop_record(struct apply_run *a, struct setup_change *change, int rc)
{
	char why[ERR_TEXT_MAX];

	str_copy(why, sizeof(why), err_text());
	store_drop_file(&a->store, change);
	store_save(&a->store);
	return err_set(-rc, "%s", why);
}

static int apply_new_record(struct apply_run *a, const struct setup_step *step,
			    struct setup_change **out)
{
	struct setup_change *change = state_add(&a->store.state);
	struct place_attr attr = { 0 };
	int rc;

	if (!change)
		return -ENOSPC;
	*out = change;
	change->kind = step->kind;
	str_copy(change->path, sizeof(change->path), step->path);
	rc = place_missing(a->store.host, step->path, &change->made);
	rc = rc ? rc : place_get(a->store.host, step->kind, step->path, &change->before, &attr);
	if (rc)
		return apply_drop_record(a, change, rc);
	change->mode = attr.mode;
	change->uid = attr.uid;
	change->gid = attr.gid;
	return 0;
}

/* It failed with @rc. The file is read again before the change is forgotten: if a flush after
 * the renaming failed it is the new one, and what cannot be read may be. */
static int apply_give_up_file(struct apply_run *a, const struct setup_step *step,
			      struct setup_change *change, int rc)
{
	_cleanup_free_ char *now = NULL;
	struct place_attr attr;
	char why[ERR_TEXT_MAX];

	str_copy(why, sizeof(why), err_text());
	if (place_get(a->store.host, step->kind, step->path, &now, &attr))
		return err_set(
			-rc,
			"%.400s; whether it was changed is unknown (%.200s), and nfsrdma setup --undo finds out",
			why, err_text());
	if (rc != -ESTALE && same_text(now, step->after))
		return err_set(
			-rc,
			"%.400s; it was changed nevertheless, and nfsrdma setup --undo takes it back",
			why);
	err_set(-rc, "%s", why);
	return apply_drop_record(a, change, rc);
}

static int apply_file(struct apply_run *a, const struct setup_step *step)
{
	struct setup_change *change = state_find_file(&a->store.state, step->path);
	const struct host *host = a->store.host;
	int rc = 0;

	/* We changed the file before: its first text stays recorded. If it was changed since, it is
	 * not ours any more, unless the first text was restored. */
	if (!change)
		rc = apply_new_record(a, step, &change);
	else if (same_text(change->after, step->before))
		change->was = take_ptr(change->after);
	else if (same_text(change->before, step->before))
		free(take_ptr(change->after));
	else
		rc = err_set(ESTALE, "%s%s was changed since setup wrote it", host_prefix(host),
			     step->path);
	if (rc)
		return rc;
	change->done = false;
	change->after = step->after ? strdup(step->after) : NULL;
	if (!change->after)
		return err_no_memory();
	rc = store_save(&a->store);
	if (!rc)
		rc = place_make_dirs(host, &change->made, 0755);
	if (!rc && step->kind == SETUP_FILE)
		rc = place_write(host, step->path, step->before, step->after, NULL);
	else if (!rc)
		rc = place_write_link(host, step->path, step->before, step->after);
	if (rc)
		return apply_give_up_file(a, step, change, rc);
	change->done = true;
	free(take_ptr(change->was));
	return store_save(&a->store);
}

/* Where it is not known whether it was opened the record stays: it can be asked later. */
static int apply_port(struct apply_run *a, const struct setup_step *step)
{
	struct setup_change *change = state_find_port(&a->store.state, &step->port);
	int rc;

	if (!change)
		change = state_add(&a->store.state);
	if (!change)
		return -ENOSPC;
	change->kind = SETUP_PORT;
	change->port = step->port;
	change->done = false;
	rc = store_save(&a->store);
	if (!rc)
		rc = a->machine->actions->port_set(&step->port, true);
	if (rc)
		return rc;
	change->done = true;
	return store_save(&a->store);
}

/* After a timeout it may have been made all the same: the record stays, and the undo looks. */
static int apply_link(struct apply_run *a, const struct setup_step *step)
{
	struct setup_change *change = state_find_link(&a->store.state, &step->link);
	char why[ERR_TEXT_MAX];
	int rc;

	if (!change)
		change = state_add(&a->store.state);
	if (!change)
		return -ENOSPC;
	change->kind = SETUP_LINK;
	change->link = step->link;
	change->done = false;
	rc = store_save(&a->store);
	if (!rc)
		rc = a->machine->actions->link_add(&step->link);
	if (rc && rc != -ETIMEDOUT) {
		str_copy(why, sizeof(why), err_text());
		state_remove(&a->store.state, change);
		store_save(&a->store);
		return err_set(-rc, "%s", why);
	}
	change->done = !rc;
	return rc ? rc : store_save(&a->store);
}

static int apply_step(struct apply_run *a, const struct setup_step *step)
{
	const struct setup_actions *actions = a->machine->actions;

	if (setup_has_path(step->kind))
		return apply_file(a, step);
	if (!actions)
		return err_set(EINVAL, "below a root nothing of the running system is changed");
	switch (step->kind) {
	case SETUP_PORT: return apply_port(a, step);
	case SETUP_MODULE: return actions->load(step->name);
	case SETUP_LISTENER: return actions->listen(step->port.port);
	case SETUP_RESTART: return actions->restart(step->name);
	case SETUP_LINK: return apply_link(a, step);
	case SETUP_FILE:
	case SETUP_SYMLINK: break;
	}
	return 0;
}

int setup_apply(const struct setup_machine *machine, const struct setup_plan *plan,
		setup_step_fn report, void *arg)
{
	struct apply_run a = { .machine = machine, .store = { .dir = -1 } };
	char why[ERR_TEXT_MAX] = "";
	bool recorded = false;
	unsigned int i;
	int rc = 0, one;

	for (i = 0; i < plan->nsteps; i++)
		recorded |= setup_is_kept(plan->steps[i].kind);
	if (recorded) {
		rc = store_open(&a.store, machine->host, true);
		if (rc)
			return rc;
		rc = store_settle(&a.store, machine->actions, false);
		if (rc) {
			store_close(&a.store);
			return rc;
		}
	}
	for (i = 0; i < plan->nsteps; i++) {
		one = rc ? -ECANCELED : apply_step(&a, &plan->steps[i]);
		if (one && !rc) {
			rc = one;
			str_copy(why, sizeof(why), err_text());
		}
		report(arg, &plan->steps[i], one);
	}
	store_close(&a.store);
	return rc ? err_set(-rc, "%s", why) : 0;
}
