/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Undoing what setup did, the last change first, all of it or nothing: a file that was changed since is in
 * use, and the changes belong together. */
#include <netinet/in.h>
#include <stdio.h>

#include "plugin/report/shell.h"
#include "plugin/setup/internal.h"

static int undo_copy(char **out, const char *text)
{
	if (!text)
		return 0;
	*out = strdup(text);
	return *out ? 0 : err_no_memory();
}

/* What a file's undoing is; *@step has no path where it is undone already. */
static int undo_file_step(const struct store *store, const struct setup_change *change,
			  struct setup_step *step)
{
	struct place_attr attr;
	int rc;

	step->kind = change->kind;
	rc = place_get(store->host, change->kind, change->path, &step->before, &attr);
	if (rc || same_text(step->before, change->before)) {
		free(take_ptr(step->before));
		return rc;
	}
	str_copy(step->path, sizeof(step->path), change->path);
	text_copy(step->name, sizeof(step->name), strrchr(change->path, '/') + 1);
	if (same_text(step->before, change->after))
		return undo_copy(&step->after, change->before);
	step->refused = true;
	step->after = take_ptr(step->before);
	return undo_copy(&step->before, change->after);
}

/* Below a root firewalld is not asked: the port stays in the state, for an undo on the machine itself. */
static void undo_note_port(struct setup_plan *plan, const struct setup_port *port)
{
	struct setup_note *note = &plan->notes[plan->nnotes];

	if (plan->nnotes == SETUP_NOTES_MAX)
		return;
	plan->nnotes++;
	note->todo = true;
	snprintf(
		note->text, sizeof(note->text),
		"Port %u/%s of firewalld's zone %s, opened %s, can only be closed by nfsrdma setup --undo on the machine itself",
		port->port, port->protocol == IPPROTO_UDP ? "udp" : "tcp", port->zone,
		port->permanent ? "permanently" : "until its next reload");
}

/* @step is the deletion of the link, which stays @link for the state, unless something uses it: then it
 * goes at the next boot, when its unit is gone. Below a root there is none. */
static int undo_link_step(struct setup_plan *plan, const struct setup_machine *machine,
			  const struct setup_link *link, struct setup_step *step)
{
	_cleanup_free_ struct rdma_devices *rdma = NULL;
	const struct rdma_device *device;
	char why[320];
	int rc = machine->actions ? host_rdma(machine->host, &rdma) : 0;

	device = rdma ? link_find(rdma, link) : NULL;
	if (rc || !device)
		return rc;
	link_users(machine, device->name, why, sizeof(why));
	if (!why[0]) {
		step->kind = SETUP_LINK;
		step->link = *link;
		text_copy(step->link.name, sizeof(step->link.name), device->name);
		plan->nsteps++;
		return 0;
	}
	if (plan->nnotes == SETUP_NOTES_MAX)
		return 0;
	plan->notes[plan->nnotes].todo = true;
	snprintf(
		plan->notes[plan->nnotes].text, sizeof(plan->notes[plan->nnotes].text),
		"The RDMA link %s stays until the next boot: %s. To delete it when nothing uses it: rdma link delete %s",
		device->name, why, SHELL_WORD(device->name));
	plan->nnotes++;
	return 0;
}

static int undo_make_steps(struct setup_plan *plan, const struct store *store,
			   const struct setup_machine *machine)
{
	const struct setup_actions *actions = machine->actions;
	unsigned int i;
	int rc = 0;

	for (i = store->state.count; !rc && i-- > 0;) {
		const struct setup_change *change = &store->state.changes[i];
		struct setup_step *step = &plan->steps[plan->nsteps];

		if (plan->nsteps == SETUP_STEPS_MAX)
			return err_set(EBADMSG, "more changes than setup makes");
		if (change->kind == SETUP_PORT && !actions) {
			undo_note_port(plan, &change->port);
			continue;
		}
		if (change->kind == SETUP_PORT) {
			step->kind = SETUP_PORT;
			step->port = change->port;
			plan->nsteps++;
			continue;
		}
		if (change->kind == SETUP_LINK) {
			rc = undo_link_step(plan, machine, &change->link, step);
			continue;
		}
		rc = undo_file_step(store, change, step);
		plan->nsteps += step->path[0] != '\0';
	}
	return rc;
}

static const struct {
	const char *path, *text;
} undo_notes[] = {
	{ PATH_MODULES,
	  "Modules stay loaded until the next boot, because mounts may use them: until then this host can still mount over RDMA." },
	{ PATH_RDMA,
	  "Modules stay loaded until the next boot, because mounts may use them: until then this host can still mount over RDMA." },
	{ PATH_NFS_OURS,
	  "A running server listens for RDMA until it is restarted: systemctl restart nfs-server" },
	{ PATH_NFS,
	  "A running server listens for RDMA until it is restarted: systemctl restart nfs-server" },
	{ PATH_UDEV,
	  "Interfaces keep their mode and MTU until the next boot, unless they are changed." },
	{ PATH_LIMITS, "The limit applies until the next login." },
};

static void undo_make_notes(struct setup_plan *plan)
{
	unsigned int i;
	size_t n;

	for (n = 0; n < ARRAY_SIZE(undo_notes); n++)
		for (i = 0; i < plan->nsteps; i++) {
			const struct setup_step *step = &plan->steps[i];
			struct setup_note *note = &plan->notes[plan->nnotes];

			if (plan->nnotes == SETUP_NOTES_MAX)
				return;
			if (strcmp(step->path, undo_notes[n].path) != 0 || step->refused)
				continue;
			/* Two files may have the same. */
			if (plan->nnotes && !strcmp(note[-1].text, undo_notes[n].text))
				continue;
			str_copy(note->text, sizeof(note->text), undo_notes[n].text);
			plan->nnotes++;
		}
}

static int undo_make(struct setup_plan **out, struct store *store,
		     const struct setup_machine *machine, bool dry)
{
	_cleanup_(setup_plan_free_p) struct setup_plan *plan = calloc(1, sizeof(*plan));
	int rc;

	if (!plan)
		return err_no_memory();
	plan->undo = true;
	rc = store_settle(store, machine->actions, dry);
	if (!rc)
		rc = undo_make_steps(plan, store, machine);
	if (rc)
		return rc;
	/* They are about what runs. */
	if (machine->actions)
		undo_make_notes(plan);
	*out = take_ptr(plan);
	return 0;
}

int setup_undo_make(struct setup_plan **out, const struct setup_machine *machine)
{
	struct store store;
	int rc = store_open(&store, machine->host, false);

	if (rc)
		return rc;
	rc = undo_make(out, &store, machine, true);
	store_close(&store);
	return rc;
}

static int undo_file(struct store *store, const struct setup_change *change)
{
	const struct place_attr attr = { true, change->mode, change->uid, change->gid };
	_cleanup_free_ char *now = NULL;
	struct place_attr seen;
	int rc = place_get(store->host, change->kind, change->path, &now, &seen);

	if (!rc && !same_text(now, change->before)) {
		/* It was as we left it a moment ago. */
		if (!same_text(now, change->after))
			return err_set(ESTALE, "%s%s has just been changed by another program",
				       host_prefix(store->host), change->path);
		rc = change->kind == SETUP_FILE
			     ? place_write(store->host, change->path, now, change->before,
					   change->before ? &attr : NULL)
			     : place_write_link(store->host, change->path, now, change->before);
	}
	return rc ? rc : place_remove_dirs(store->host, &change->made);
}

/* @step: NULL: the link stays, or is gone. */
static int undo_change(struct store *store, struct setup_change *change,
		       const struct setup_step *step, const struct setup_actions *actions)
{
	bool open = false;
	int rc = 0;

	if (setup_has_path(change->kind)) {
		rc = undo_file(store, change);
	} else if (change->kind == SETUP_PORT) {
		rc = actions->port_get(&change->port, &open);
		if (!rc && open)
			rc = actions->port_set(&change->port, false);
	} else if (step) {
		rc = actions->link_delete(step->link.name);
	}
	if (rc)
		return rc;
	state_remove(&store->state, change);
	return store_save(store);
}

/* The plan's step for a change; NULL: it is undone already. */
static const struct setup_step *undo_find_step(const struct setup_plan *plan,
					       const struct setup_change *change)
{
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++) {
		const struct setup_step *step = &plan->steps[i];

		/* The name of a link may be another one by now. */
		if (step->kind == change->kind && !strcmp(step->path, change->path) &&
		    !memcmp(&step->port, &change->port, sizeof(step->port)) &&
		    !strcmp(step->link.type, change->link.type) &&
		    !strcmp(step->link.netdev, change->link.netdev))
			return step;
	}
	return NULL;
}

static int undo_all(struct store *store, const struct setup_plan *plan,
		    const struct setup_actions *actions, setup_step_fn report, void *arg)
{
	char why[ERR_TEXT_MAX] = "";
	unsigned int i;
	int rc = 0, one;

	for (i = store->state.count; i-- > 0;) {
		struct setup_change *change = &store->state.changes[i];
		const struct setup_step *step = undo_find_step(plan, change);

		if (change->kind == SETUP_PORT && !actions)
			continue;
		one = rc ? -ECANCELED : undo_change(store, change, step, actions);
		if (one && !rc) {
			rc = one;
			str_copy(why, sizeof(why), err_text());
		}
		if (step)
			report(arg, step, one);
	}
	/* Also what a setup left that ended before its first change. */
	if (!rc)
		return store_save(store);
	return err_set(-rc, "%s", why);
}

int setup_undo(const struct setup_machine *machine, setup_step_fn report, void *arg)
{
	_cleanup_(setup_plan_free_p) struct setup_plan *plan = NULL;
	struct store store;
	unsigned int i;
	int rc = store_open(&store, machine->host, false);

	if (rc)
		return rc;
	rc = undo_make(&plan, &store, machine, false);
	for (i = 0; !rc && i < plan->nsteps; i++)
		if (plan->steps[i].refused)
			rc = err_set(EPERM, "/%s was changed since setup wrote it",
				     plan->steps[i].path);
	if (!rc)
		rc = undo_all(&store, plan, machine->actions, report, arg);
	store_close(&store);
	return rc;
}
