/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether what is loaded as rpcrdma is what lies there, and of this kernel's own tree. Packages of
 * vendors replace the RDMA modules; if they bring no rpcrdma the kernel's own does not fit theirs
 * ("disagrees about version of symbol" in the kernel's log). */
#include "plugin/checks/internal.h"

/* Not loaded, so it has not shown yet that it fits. */
static int look_at_file(struct check_run *run, const struct host_module *module)
{
	const struct host_system *system;
	struct host_module core;
	int rc = facts_system(run, &system);

	rc = rc ? rc : host_module(run->host, "ib_core", &core);
	if (rc)
		return rc;
	if (core.external && !module->external)
		return check_say_why(
			run, FINDING_FAIL, "vendor-without",
			"the vendor's RDMA modules (/%s) come without rpcrdma, and the kernel's own does not match them",
			core.file);
	if (!host_module_is_for(module, system->release)) {
		finding_text(&run->finding, "file", "/%s", module->file);
		finding_text(&run->finding, "kernel", "%s", system->release);
		finding_text(&run->finding, "built_for", "%.*s",
			     (int)strcspn(module->vermagic, " "), module->vermagic);
		return check_say_why(run, FINDING_WARN, "other-kernel",
				     "rpcrdma was built for kernel %.*s; %s is running",
				     (int)strcspn(module->vermagic, " "),
				     module->vermagic, system->release);
	}
	return check_say(run, FINDING_PASS, "the module's file is for kernel %s",
			 system->release);
}

static int run_check(struct check_run *run)
{
	const struct host_module *module;
	int rc = facts_rpcrdma(run, &module);

	if (rc && rc != -ENOENT)
		return rc;
	if (module->state == MODULE_MISSING || module->state == MODULE_BUILTIN)
		return check_say(run, FINDING_SKIP, "rpcrdma has no file of its own");
	if (module->srcversion_loaded[0])
		finding_text(&run->finding, "srcversion_loaded", "%s",
			     module->srcversion_loaded);
	if (module->srcversion_file[0])
		finding_text(&run->finding, "srcversion_file", "%s",
			     module->srcversion_file);
	if (module->state == MODULE_AVAILABLE)
		return look_at_file(run, module);
	if (!module->file[0])
		return check_say_why(run, FINDING_WARN, "no-file",
				     "rpcrdma is loaded, but its file is gone");
	if (module->srcversion_loaded[0] && module->srcversion_file[0] &&
	    strcmp(module->srcversion_loaded, module->srcversion_file)) {
		finding_text(&run->finding, "file", "/%s", module->file);
		return check_say_why(run, FINDING_WARN, "updated",
				     "the loaded rpcrdma is not that of /%s",
				     module->file);
	}
	return check_say(run, FINDING_PASS, "/%s is loaded%s", module->file,
			 module->external ? ", a vendor's" : "");
}

const struct check check_client_module_identity = {
	.id = "client.module-identity",
	.roles = CHECK_BOTH,
	.needs = { "client.module", "client.device", "server.module", "server.device" },
	.run = run_check,
};
