/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the loaded rpcrdma is the installed one, and of this kernel's own tree. Packages of
 * vendors replace the RDMA modules; without a rpcrdma of theirs the kernel's own does not match them
 * ("disagrees about version of symbol" in the kernel's log). */
#include "plugin/checks/internal.h"

/* Not loaded, so whether it matches is not proven yet. */
static int module_identity_judge_file(struct check_run *run, const struct host_module *module)
{
	const struct host_system *system;
	struct host_module core;
	int rc = facts_system(run, &system);

	if (!rc)
		rc = host_module(run->host, "ib_core", &core);
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
				     (int)strcspn(module->vermagic, " "), module->vermagic,
				     system->release);
	}
	return check_say(run, FINDING_PASS, "the module's file is for kernel %s", system->release);
}

static int module_identity_say_updated(struct check_run *run, const struct host_module *module)
{
	const struct nfs_mounts *mounts;
	const struct host_nfsd *nfsd;
	struct words holders = { 0 };
	unsigned int i;

	/* "/srv/vm, /srv/iso, and the NFS server's listener": what must end before it can be reloaded.
	 * Where one of them cannot be read, modprobe says it. */
	for (i = 0; !facts_mounts(run, &mounts) && i < mounts->count; i++)
		if (view_run(&mounts->list[i]) == RUN_RDMA || view_is_rdma(mounts->list[i].proto))
			words_add(&holders, "%.120s", mounts->list[i].target);
	if (!facts_nfsd(run, &nfsd) && host_nfsd_rdma_port(nfsd))
		words_add(&holders, "the NFS server's listener");
	finding_text(&run->finding, "file", "/%s", module->file);
	if (holders.count)
		finding_text(&run->finding, "holders", "%s", words_text(&holders));
	return check_say_why(run, FINDING_WARN, holders.count ? "updated-in-use" : "updated",
			     "the loaded rpcrdma is not the installed one");
}

int check_client_module_identity(struct check_run *run)
{
	const struct host_module *module;
	int rc = facts_rpcrdma(run, &module);

	if (rc && rc != -ENOENT)
		return rc;
	if (module->state == MODULE_MISSING || module->state == MODULE_BUILTIN)
		return check_say(run, FINDING_SKIP, "rpcrdma has no file of its own");
	if (module->srcversion_loaded[0])
		finding_text(&run->finding, "srcversion_loaded", "%s", module->srcversion_loaded);
	if (module->srcversion_file[0])
		finding_text(&run->finding, "srcversion_file", "%s", module->srcversion_file);
	if (module->state == MODULE_AVAILABLE)
		return module_identity_judge_file(run, module);
	if (module->unknown)
		return err_set(-module->unknown, "%s", module->problem);
	if (!module->file[0])
		return check_say_why(run, FINDING_WARN, "no-file",
				     "rpcrdma is loaded, but its file is gone");
	if (module->srcversion_loaded[0] && module->srcversion_file[0] &&
	    strcmp(module->srcversion_loaded, module->srcversion_file) != 0)
		return module_identity_say_updated(run, module);
	return check_say(run, FINDING_PASS, "/%s is loaded%s", module->file,
			 module->external ? ", a vendor's" : "");
}
