/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The module that NFS over RDMA is: rpcrdma, which also goes by xprtrdma, svcrdma and rpcrdma6
 * (net/sunrpc/xprtrdma/module.c); before Linux 4.2 there were two, xprtrdma and svcrdma. It need not be loaded: a mount makes the kernel ask modprobe for
 * "rpcrdma", by name (xprt_find_transport_ident() in net/sunrpc/xprt.c). A server that
 * listens makes it ask for "svcrdma" (svc_create_xprt() in net/sunrpc/svc_xprt.c), an alias, which a
 * blacklist withholds. */
#include "plugin/checks/internal.h"

/* modprobe knows no module; the kernel's configuration says why. */
static int module_say_missing(struct check_run *run, const struct host_module *module)
{
	const struct host_kconfig *config;
	const struct host_system *system;
	int rc = facts_system(run, &system);

	if (!rc)
		rc = facts_kconfig(run, &config);
	if (rc && rc != -ENOENT)
		return rc;
	finding_text(&run->finding, "module", "%s", module->name);
	finding_text(&run->finding, "kernel", "%s", system->release);
	if (rc)
		return check_say_why(run, FINDING_FAIL, "missing",
				     "kernel %s has no module %s, and none is loaded",
				     system->release, module->name);
	finding_text(&run->finding, "config", "/%s", config->file);
	switch (kconfig_get(config, "CONFIG_SUNRPC_XPRT_RDMA")) {
	case 'y': return check_say(run, FINDING_PASS, "rpcrdma is built into the kernel");
	case 'm':
		return check_say_why(
			run, FINDING_FAIL, "not-installed",
			"kernel %s has NFS over RDMA as a module that is not installed",
			system->release);
	default:
		return check_say_why(
			run, FINDING_FAIL, "not-built",
			"kernel %s was built without NFS over RDMA (CONFIG_SUNRPC_XPRT_RDMA)",
			system->release);
	}
}

/* There is no list of modules for the running kernel: in a container, after an update that removed
 * it, or because there are none at all. */
static int module_say_unlisted(struct check_run *run, const struct host_module *module, int why)
{
	_cleanup_(host_list_fini) struct host_list others = { NULL, 0, false };
	const struct host_kconfig *config;
	const struct host_system *system;
	int rc;

	if (*container_reason(run, ""))
		return err_because(
			err_set(-why,
				"this container (%s) has no module lists of its node's kernel",
				finding_evidence(&run->finding, "container")),
			"container");
	rc = facts_kconfig(run, &config);
	if (!rc && kconfig_get(config, "CONFIG_SUNRPC_XPRT_RDMA") != 'm')
		return module_say_missing(run, module);
	if (!facts_system(run, &system) && !host_list(run->host, "lib/modules", &others) &&
	    others.count) {
		finding_text(&run->finding, "kernel", "%s", system->release);
		return check_say_why(
			run, FINDING_FAIL, "kernel-updated",
			"the modules of the running kernel %s are gone; those of %s are installed",
			system->release, others.names[others.count - 1]);
	}
	facts_rpcrdma(run, &module);
	return err_because(why, "no-modules");
}

bool module_is_rejected(struct check_run *run, const struct host_module *module)
{
	char by[64];
	/* Always, so that a snapshot has it. */
	bool only_signed = host_signed_modules_only(run->host, by);

	if (!only_signed || module->is_signed || !module->file[0])
		return false;
	finding_text(&run->finding, "enforced_by", "%s", by);
	return true;
}

int module_check(struct check_run *run, enum check_role role)
{
	bool server = role == CHECK_SERVER, rejected;
	const struct host_module *module;
	int rc = facts_rpcrdma(run, &module);

	if (rc == -ENOENT)
		return module_say_unlisted(run, module, rc);
	if (rc)
		return rc;
	if (module->file[0])
		finding_text(&run->finding, "file", "/%s", module->file);
	if (module->state == MODULE_MISSING)
		return module_say_missing(run, module);
	rejected = module->state == MODULE_AVAILABLE && module_is_rejected(run, module);
	/* The installed file is a vendor's, and does nothing. */
	if (module->dummy) {
		finding_text(&run->finding, "module", "%s", module->name);
		return check_say_why(run, FINDING_FAIL, "dummy",
				     "%s is a vendor's dummy module without NFS over RDMA",
				     module->name);
	}
	if (module->state == MODULE_LOADED)
		return check_say(run, FINDING_PASS, "%s is loaded", module->name);
	if (module->state == MODULE_BUILTIN)
		return check_say(run, FINDING_PASS, "%s is built into the kernel", module->name);
	finding_text(&run->finding, "module", "%s", module->disabled_name);
	if (module->disabled) {
		bool itself = !strcmp(module->disabled_name, module->name);

		finding_text(&run->finding, "forbidden_by", "/%s", module->disabled_by);
		return check_say_why(
			run, FINDING_FAIL,
			strcmp(module->disabled_by, "proc/cmdline") ? "forbidden"
								    : "forbidden-at-boot",
			"rpcrdma is not loaded, and /%s forbids loading %s%s", module->disabled_by,
			itself ? "it" : module->disabled_name, itself ? "" : ", which it needs");
	}
	if (module->problem[0])
		return err_because(err_set(EIO,
					   "rpcrdma is not loaded, and its file is damaged: %s",
					   module->problem),
				   "damaged");
	if (rejected)
		return check_say_why(
			run, FINDING_FAIL, "unsigned",
			"%s is not loaded, and the kernel rejects it: it is not signed",
			module->name);
	if (module->blacklisted && server)
		return check_say_why(
			run, FINDING_FAIL, "blacklisted",
			"rpcrdma is blacklisted and not loaded: a server requests it as svcrdma, which fails with 'Protocol not supported'");
	if (module->blacklisted)
		return check_say_why(
			run, FINDING_WARN, "blacklisted",
			"rpcrdma is blacklisted and not loaded: IPv4 mounts load it by its name; IPv6 mounts (rpcrdma6), servers (svcrdma) and module lists do not");
	return check_say(run, FINDING_PASS,
			 server ? "rpcrdma is installed; a server that listens for RDMA loads it"
				: "rpcrdma is installed; the first mount over RDMA loads it");
}
