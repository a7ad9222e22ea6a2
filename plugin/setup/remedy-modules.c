/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Modules that are there and not loaded: loaded now, and named in a list of our own for the next boot.
 *
 * What modprobe.d forbids stays forbidden. A blacklist keeps a module from being loaded by its
 * aliases and from lists, not by its name: so it is loaded now, and no list is written. */
#include <stdio.h>

#include "plugin/setup/internal.h"

#define LOAD_UNIT "systemd-modules-load.service"

static int modules_add_to_list(struct planner *planner, const char *module, const char *why)
{
	enum unit_state state;
	char line[72];
	int rc;

	if (!host_unit_state(planner->machine->host, LOAD_UNIT, &state) && state == UNIT_MASKED)
		plan_note(planner, true,
			  LOAD_UNIT " is masked, so no module of /etc/modules-load.d is loaded");
	snprintf(line, sizeof(line), "%.64s\n", module);
	rc = plan_file(planner, PATH_MODULES, line, false, "%s", why);
	return rc < 0 ? rc : 0;
}

/* False: it is not to be loaded by us. */
static bool modules_may_load(struct planner *planner, const struct host_module *module,
			     const char *name)
{
	if (module->state == MODULE_MISSING && !strcmp(name, "rpcrdma") &&
	    plan_lacks_module(planner, "NFS over RDMA cannot work yet"))
		return false;
	if (module->state == MODULE_MISSING)
		plan_note(
			planner, true,
			"The kernel %s has no module %s: install its additional modules (nfsrdma explain client.module)",
			planner->system.release, name);
	else if (module->disabled)
		plan_note(planner, true, "/%s forbids loading %s: remove the line, then try again",
			  module->disabled_by, name);
	else if (module->problem[0])
		plan_note(planner, true, "The file of %s is bad: %s", name, module->problem);
	else
		return true;
	return false;
}

/* Nothing can be said but that it is not loaded. Of rpcrdma the check knows more. */
static void modules_note_unknown(struct planner *planner, const char *name)
{
	bool server = planner->request->roles & CHECK_SERVER;
	char why[ERR_TEXT_MAX];
	_cleanup_(finding_fini) struct finding finding = { 0 };

	str_copy(why, sizeof(why), err_text());
	planner->plan->unknown = true;
	if (!strcmp(name, "rpcrdma") &&
	    !plan_check(planner, server ? "server.module" : "client.module", &finding) &&
	    finding.summary[0])
		snprintf(why, sizeof(why), "%.500s", finding.summary);
	plan_note(planner, true, "Module %s is not set up: %.500s", name, why);
}

static int modules_plan_one(struct planner *planner, const char *name, const char *const *names,
			    const char *why)
{
	struct host_module module;
	struct host_listed listed;
	struct setup_step *step;
	bool at_boot = false;
	int rc = host_module(planner->machine->host, name, &module);

	if (rc == -ENOENT) {
		modules_note_unknown(planner, name);
		return 0;
	}
	if (rc || module.state == MODULE_LOADED || module.state == MODULE_BUILTIN ||
	    !modules_may_load(planner, &module, name))
		return rc;
	for (; !rc && !at_boot && *names; names++) {
		rc = host_module_listed(planner->machine->host, *names, &listed);
		at_boot = !rc && (listed.at_boot || listed.rdma_conf);
	}
	if (!rc && module.blacklisted)
		plan_note(
			planner, true,
			"A blacklist of modprobe.d keeps %s from being loaded at boot: remove the line (grep -r %s /etc/modprobe.d)",
			name, name);
	else if (!rc && !at_boot)
		rc = modules_add_to_list(planner, name, why);
	if (rc || !planner->machine->actions)
		return rc;
	step = plan_step(planner, SETUP_MODULE, "%s", why);
	if (!step)
		return -ENOSPC;
	str_copy(step->name, sizeof(step->name), name);
	return 0;
}

int modules_require(struct planner *planner, const char *module, const char *why)
{
	const char *names[] = { module, NULL };

	return modules_plan_one(planner, module, names, why);
}

/* Also one that is loaded by now: at the next boot it is not. The server asks for it by its alias
 * svcrdma, which a blacklist withholds. An image may have no modules to look at. */
static bool modules_is_withheld(struct planner *planner)
{
	struct host_module module;

	if (host_module(planner->machine->host, "rpcrdma", &module))
		return planner->machine->actions != NULL;
	return module.state == MODULE_MISSING ||
	       (module.state != MODULE_BUILTIN &&
		(module.disabled || module.problem[0] || module.blacklisted));
}

bool modules_no_server(struct planner *planner)
{
	if (planner->no_rpcrdma)
		plan_note(
			planner, true,
			"RDMA is not enabled in the NFS server while it cannot load rpcrdma: the server might not start at all. Fix that, then run setup again");
	return planner->no_rpcrdma;
}

/* Adapters whose driver is not whole. Where there is another RDMA device that may be meant. */
static int modules_require_drivers(struct planner *planner)
{
	char names[4][96], why[160];
	int count, i, rc = 0;

	if (planner->rdma->count)
		return 0;
	count = host_rdma_missing(planner->machine->host, names, ARRAY_SIZE(names));
	for (i = 0; !rc && i < count && i < (int)ARRAY_SIZE(names); i++) {
		char *behind = strchr(names[i], ' ');

		snprintf(why, sizeof(why), "an adapter has no RDMA device (%.95s)", names[i]);
		if (behind)
			*behind = '\0';
		rc = modules_require(planner, names[i], why);
	}
	return count < 0 ? count : rc;
}

static int modules_plan(struct planner *planner)
{
	static const char *const names[] = { "rpcrdma", "xprtrdma", "svcrdma", NULL };
	bool server = planner->request->roles & CHECK_SERVER;
	int rc;

	planner->no_rpcrdma = server && modules_is_withheld(planner);
	rc = modules_require_drivers(planner);
	rc = rc ? rc
		: modules_plan_one(planner, "rpcrdma", names,
				   "rpcrdma, the module of NFS over RDMA, is not loaded");
	if (rc || !planner->request->for_probe)
		return rc;
	rc = modules_require(planner, "ib_uverbs", "programs use RDMA devices through ib_uverbs");
	return rc ? rc
		  : modules_require(planner, "rdma_ucm",
				    "programs make RDMA connections through rdma_ucm");
}

const struct remedy remedy_modules = {
	.name = "modules",
	.roles = CHECK_BOTH,
	.plan = modules_plan,
};
