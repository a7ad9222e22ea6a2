/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Undoing what setup did, the last change first. Its files are found by their names and known by
 * their first lines; what was done to the running system by what is in them. All of it or nothing:
 * a file that was edited since is in use, and the changes belong together. */
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>

#include "plugin/report/shell.h"
#include "plugin/setup/internal.h"

struct setup_step *undo_step(struct setup_plan *plan, enum setup_kind kind, const char *path)
{
	struct setup_step *step = &plan->steps[plan->nsteps];
	const char *slash = strrchr(path, '/');

	if (plan->nsteps == SETUP_STEPS_MAX) {
		err_set(ENOSPC, "more than %d changes", SETUP_STEPS_MAX);
		return NULL;
	}
	step->kind = kind;
	str_copy(step->path, sizeof(step->path), path);
	text_copy(step->name, sizeof(step->name), slash ? slash + 1 : path);
	plan->nsteps++;
	return step;
}

static void undo_note(struct setup_plan *plan, bool todo, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void undo_note(struct setup_plan *plan, bool todo, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	setup_plan_note(plan, todo, fmt, ap);
	va_end(ap);
}

int undo_add_port(struct setup_plan *plan, const struct setup_machine *machine,
		  const struct setup_port *port)
{
	struct setup_step *step;

	if (machine->actions) {
		step = undo_step(plan, SETUP_PORT, "");
		if (!step)
			return -ENOSPC;
		step->port = *port;
		return 0;
	}
	plan->incomplete = true;
	undo_note(
		plan, true,
		"Port %u/%s of firewalld's zone %s, opened %s, can only be closed by nfsrdma setup --undo on the machine itself",
		port->port, port->protocol == IPPROTO_UDP ? "udp" : "tcp", port->zone,
		port->permanent ? "permanently" : "until its next reload");
	return 0;
}

int undo_add_link(struct setup_plan *plan, const struct setup_machine *machine,
		  const struct setup_link *link)
{
	_cleanup_free_ struct rdma_devices *rdma = NULL;
	const struct rdma_device *device;
	struct setup_step *step;
	char why[320];
	int rc = machine->actions ? host_rdma(machine->host, &rdma) : 0;

	device = rdma ? link_find(rdma, link) : NULL;
	if (rc || !device)
		return rc;
	link_users(machine, device->name, why, sizeof(why));
	if (why[0]) {
		undo_note(
			plan, true,
			"The RDMA link %s stays until the next boot: %s. To delete it when nothing uses it: rdma link delete %s",
			device->name, why, SHELL_WORD(device->name));
		return 0;
	}
	step = undo_step(plan, SETUP_LINK, "");
	if (!step)
		return -ENOSPC;
	step->link = *link;
	text_copy(step->link.name, sizeof(step->link.name), device->name);
	return 0;
}

/* --- files of setup's own ---------------------------------------------------------- */

static bool undo_has_path(const struct setup_plan *plan, const char *path)
{
	unsigned int i;

	for (i = 0; i < plan->nsteps; i++)
		if (!strcmp(plan->steps[i].path, path))
			return true;
	return false;
}

/* The ports in the list, which stays where they cannot be closed. */
static int undo_add_ports(struct setup_plan *plan, const struct setup_machine *machine,
			  const char *body)
{
	_cleanup_free_ char *text = strdup(body);
	struct setup_port port;
	char *cursor = text, *line;
	int rc = 0;

	if (!text)
		return err_no_memory();
	while (!rc && (line = line_next(&cursor)))
		if (port_parse(line, &port))
			rc = undo_add_port(plan, machine, &port);
	return rc;
}

/* The link of a unit if setup added it, and what enables the unit. */
static int undo_add_unit(struct setup_plan *plan, const struct setup_machine *machine,
			 const char *path, const char *body)
{
	const char *name = path + strlen(PATH_UNITS);
	_cleanup_free_ char *target = NULL;
	char wants[SETUP_PATH_MAX];
	struct setup_link link;
	struct setup_step *step;
	struct link_origin origin = { .added = false };
	int rc = 0;

	if (link_of_unit(body, &link, &origin) && origin.added)
		rc = undo_add_link(plan, machine, &link);
	snprintf(wants, sizeof(wants), PATH_WANTS "%.80s", name);
	if (!rc)
		rc = place_read_link(machine->host, wants, &target);
	if (rc == -EEXIST)
		rc = 0;
	if (rc || !target || undo_has_path(plan, wants))
		return rc;
	step = undo_step(plan, SETUP_SYMLINK, wants);
	if (!step)
		return -ENOSPC;
	step->folders = origin.folders;
	step->refused = *target != '/' || strcmp(target + 1, path) != 0;
	if (step->refused)
		snprintf(step->reason, sizeof(step->reason),
			 "It is not as setup made it. Remove it first");
	step->before = take_ptr(target);
	return 0;
}

static int undo_add_file(struct setup_plan *plan, const struct setup_machine *machine,
			 const char *path)
{
	_cleanup_free_ char *text = NULL;
	struct setup_step *step;
	unsigned int folders;
	const char *body;
	enum own own;
	int rc = undo_has_path(plan, path) ? 0 : place_read(machine->host, path, &text);

	/* Setup makes no symbolic links there. */
	if (rc)
		return rc == -ELOOP ? 0 : rc;
	own = own_read(text, &body, &folders);
	if (own != OWN_OURS && own != OWN_EDITED)
		return 0;
	if (own == OWN_OURS && !strcmp(path, PATH_PORTS))
		rc = undo_add_ports(plan, machine, body);
	else if (own == OWN_OURS && link_is_path(path, false))
		rc = undo_add_unit(plan, machine, path, body);
	if (rc || (!strcmp(path, PATH_PORTS) && plan->incomplete))
		return rc;
	step = undo_step(plan, SETUP_FILE, path);
	if (!step)
		return -ENOSPC;
	step->folders = folders;
	if (own == OWN_EDITED) {
		step->refused = true;
		snprintf(step->reason, sizeof(step->reason),
			 "To keep it, remove its first line; else delete it");
		step->after = strdup(text);
		if (!step->after)
			return err_no_memory();
	}
	step->before = take_ptr(text);
	return 0;
}

static int undo_add_units(struct setup_plan *plan, const struct setup_machine *machine)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[SETUP_PATH_MAX];
	size_t i;
	int rc = host_list(machine->host, PATH_UNITS, &list);

	for (i = 0; !rc && i < list.count; i++) {
		if ((size_t)snprintf(path, sizeof(path), PATH_UNITS "%s", list.names[i]) <
			    sizeof(path) &&
		    link_is_path(path, false))
			rc = undo_add_file(plan, machine, path);
	}
	return rc == -ENOENT ? 0 : rc;
}

/* --- the plan --------------------------------------------------------------------- */

#define NOTE_MODULES \
	"Modules stay loaded until the next boot, because mounts may use them: until then this host can still mount over RDMA."
#define NOTE_LISTENER \
	"A running server listens for RDMA until it is restarted: systemctl restart nfs-server"

/* In this order, the last to be written first; units are between. */
static const struct {
	const char *path, *note;
} undo_files[] = {
	{ PATH_PORTS, NULL },
	{ PATH_LIMITS, "The limit applies until the next login." },
	{ PATH_UDEV,
	  "Interfaces keep their mode and MTU until the next boot, unless they are changed." },
	{ PATH_NFS_OURS, NOTE_LISTENER },
	{ PATH_MODULES, NOTE_MODULES },
};

static void undo_make_notes(struct setup_plan *plan)
{
	unsigned int i;
	size_t n;

	for (i = 0; i < plan->nsteps; i++) {
		const struct setup_step *step = &plan->steps[i];

		if (step->refused || step->kind != SETUP_FILE)
			continue;
		for (n = 0; n < ARRAY_SIZE(undo_files); n++)
			if (!strcmp(step->path, undo_files[n].path) && undo_files[n].note)
				undo_note(plan, false, "%s", undo_files[n].note);
		if (!strcmp(step->path, PATH_NFS))
			undo_note(plan, false, "%s", NOTE_LISTENER);
		if (text_ends_with(step->path, "/rdma.conf"))
			undo_note(plan, false, "%s", NOTE_MODULES);
	}
}

int setup_undo_make(struct setup_plan **out, const struct setup_machine *machine)
{
	_cleanup_(setup_plan_free_p) struct setup_plan *plan = calloc(1, sizeof(*plan));
	size_t i;
	int rc;

	if (!plan)
		return err_no_memory();
	plan->undo = true;
	rc = old_add_steps(plan, machine);
	for (i = 0; !rc && i < ARRAY_SIZE(undo_files); i++) {
		if (!strcmp(undo_files[i].path, PATH_MODULES))
			rc = undo_add_units(plan, machine);
		rc = rc ? rc : undo_add_file(plan, machine, undo_files[i].path);
	}
	if (rc)
		return rc;
	/* They are about what runs. */
	if (machine->actions)
		undo_make_notes(plan);
	*out = take_ptr(plan);
	return 0;
}

/* What a setup left that was killed while it wrote. */
static void undo_tidy(const struct host *host)
{
	static const char prefix[] = "." LINK_UNIT, suffix[] = PLACE_SUFFIX;
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[SETUP_PATH_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(undo_files); i++)
		place_tidy(host, undo_files[i].path);
	if (host_list(host, PATH_UNITS, &list))
		return;
	for (i = 0; i < list.count; i++) {
		const char *name = list.names[i];

		if (strncmp(name, prefix, strlen(prefix)) || !text_ends_with(name, suffix))
			continue;
		snprintf(path, sizeof(path), PATH_UNITS "%.*s",
			 (int)(strlen(name) - 1 - strlen(suffix)), name + 1);
		place_tidy(host, path);
	}
}

int setup_undo(const struct setup_machine *machine, setup_step_fn report, void *arg)
{
	_cleanup_(setup_plan_free_p) struct setup_plan *plan = NULL;
	struct setup_lock lock;
	unsigned int i;
	int rc = setup_undo_make(&plan, machine);

	/* Where nothing is to be undone nothing is made for a lock either. */
	rc = rc ? rc : setup_lock_take(&lock, machine->host, plan->nsteps, 0);
	if (rc == -ENOENT && !plan->nsteps) {
		undo_tidy(machine->host);
		return 0;
	}
	if (rc)
		return rc;
	undo_tidy(machine->host);
	setup_plan_free(take_ptr(plan));
	rc = setup_undo_make(&plan, machine);
	for (i = 0; !rc && i < plan->nsteps; i++)
		if (plan->steps[i].refused)
			rc = err_set(EPERM, "/%s was changed since setup wrote it",
				     plan->steps[i].path);
	rc = rc ? rc : apply_steps(machine, plan, report, arg);
	if (!rc && !plan->incomplete)
		rc = old_forget(machine->host);
	rc = rc ? rc : lock_remove_folder(machine->host, &lock.made);
	setup_lock_drop(&lock);
	return rc;
}
