/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What clients and servers must have loaded: modules, their files, the kernel they were built
 * for. */
#include <stdio.h>

#include "plugin/checks/internal.h"

/* The module that NFS over RDMA is: rpcrdma, which also goes by xprtrdma, svcrdma and rpcrdma6
 * (net/sunrpc/xprtrdma/module.c); before Linux 4.2 there were two, xprtrdma and svcrdma. It need
 * not be loaded: a mount makes the kernel ask modprobe for "rpcrdma", by name
 * (xprt_find_transport_ident() in net/sunrpc/xprt.c). A server that listens makes it ask for
 * "svcrdma" (svc_create_xprt() in net/sunrpc/svc_xprt.c), an alias, which a blacklist withholds. */

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

/* Whether the kernel would reject it for want of a signature; what demands that is then in the
 * evidence, "enforced_by". */
static bool module_is_rejected(struct check_run *run, const struct host_module *module)
{
	char by[64];
	/* Always, so that a snapshot has it. */
	bool only_signed = host_signed_modules_only(run->host, by);

	if (!only_signed || module->is_signed || !module->file[0])
		return false;
	finding_text(&run->finding, "enforced_by", "%s", by);
	return true;
}

/* @wanted: the module that cannot be loaded, because it or one that it needs is forbidden. */
static int module_say_forbidden(struct check_run *run, const struct host_module *module,
				const char *wanted)
{
	bool itself = !strcmp(module->disabled_name, wanted);

	finding_text(&run->finding, "module", "%s", module->disabled_name);
	finding_text(&run->finding, "forbidden_by", "/%s", module->disabled_by);
	return check_say_why(
		run, FINDING_FAIL,
		strcmp(module->disabled_by, "proc/cmdline") ? "forbidden" : "forbidden-at-boot",
		"%s is not loaded, and /%s forbids loading %s%s", wanted, module->disabled_by,
		itself ? "it" : module->disabled_name, itself ? "" : ", which it needs");
}

/* The NFS client's modules; of a version if that is asked for, because mount.nfs tries the others.
 * Sets *@forbidden to whether the finding is said. */
static int module_check_nfs(struct check_run *run, bool *forbidden)
{
	const unsigned int version = run->target->nfs_version;
	const char *const names[] = { "nfs", version == 3 ? "nfsv3" : "nfsv4" };
	struct host_module module;
	size_t i;
	int rc = 0;

	*forbidden = false;
	for (i = 0; i < (version ? 2 : 1) && !rc && !*forbidden; i++) {
		rc = host_module_forbidden(run->host, names[i], &module);
		*forbidden = !rc && module.disabled;
	}
	return *forbidden ? module_say_forbidden(run, &module, module.name) : rc;
}

static int module_check(struct check_run *run, enum check_role role)
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
	if (module->disabled)
		return module_say_forbidden(run, module, "rpcrdma");
	finding_text(&run->finding, "module", "%s", module->name);
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

/* Whether a mount gets the NFS client and the module rpcrdma. */
int check_client_module(struct check_run *run)
{
	bool forbidden;
	int rc = module_check_nfs(run, &forbidden);

	return rc || forbidden ? rc : module_check(run, CHECK_CLIENT);
}

/* Whether a server that listens for RDMA gets the module rpcrdma. What a client lacks a server
 * lacks too, and one finding reports it. */
int check_server_module(struct check_run *run)
{
	if (ganesha_serves(run))
		return check_say(run, FINDING_SKIP,
				 "NFS-Ganesha serves here, and needs no NFS module");
	return module_check(run, CHECK_SERVER);
}

/* Whether the loaded rpcrdma is the installed one, and of this kernel's own tree. Packages of
 * vendors replace the RDMA modules; without a rpcrdma of theirs the kernel's own does not match
 * them ("disagrees about version of symbol" in the kernel's log). */

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

	/* "/srv/vm, /srv/iso, and the NFS server's listener": what must end before it can be
	 * reloaded. Where one of them cannot be read, modprobe says it. */
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

/* Whether rpcrdma is loaded at boot. It need not be: a mount loads it (above), a server
 * that listens for RDMA does, too. So a list without it is no defect; one that no unit reads is. */

static const char *const module_names[] = { "xprtrdma", "svcrdma", "rpcrdma" };

static int module_boot_listed(struct check_run *run, struct host_listed *out)
{
	struct host_listed one;
	size_t i;
	int rc;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < ARRAY_SIZE(module_names); i++) {
		rc = host_module_listed(run->host, module_names[i], &one);
		if (rc)
			return rc;
		out->has_rdma_conf |= one.has_rdma_conf;
		out->rdma_conf |= one.rdma_conf;
		out->at_boot |= one.at_boot;
		if (one.file[0] && !out->file[0])
			str_copy(out->file, sizeof(out->file), one.file);
	}
	return 0;
}

int check_client_module_boot(struct check_run *run)
{
	const struct host_module *module;
	struct host_listed listed;
	enum unit_state state;
	const char *reader;
	int rc = facts_rpcrdma(run, &module);

	if (rc && rc != -ENOENT)
		return rc;
	if (module->state == MODULE_BUILTIN)
		return check_say(run, FINDING_SKIP, "rpcrdma is built into the kernel");
	rc = module_boot_listed(run, &listed);
	if (rc)
		return rc;
	if (!listed.file[0])
		return check_say(
			run, FINDING_PASS,
			"no list module_names rpcrdma (or xprtrdma, svcrdma): a mount, or a server that listens for RDMA, loads it");
	finding_text(&run->finding, "list", "/%s", listed.file);
	reader = listed.at_boot ? "systemd-modules-load.service" : "rdma-load-modules@rdma.service";
	rc = host_unit_state(run->host, reader, &state);
	if (rc)
		return rc;
	if (state == UNIT_MASKED && module->state != MODULE_LOADED) {
		finding_text(&run->finding, "unit", "%s", reader);
		return check_say_why(run, FINDING_WARN, "masked",
				     "/%s lists it, but %s, which reads that list, is masked",
				     listed.file, reader);
	}
	return check_say(run, FINDING_PASS, "/%s lists it%s", listed.file,
			 listed.at_boot ? ", for boot" : ", for when an RDMA device appears");
}

/* Options of the kernel that NFS over RDMA, IPoIB and the probe live on, where the kernel's
 * configuration can be read. What the devices of this host do not need is not asked for. */

enum need { NEED_ALWAYS, NEED_INFINIBAND };

static const struct {
	const char *option, *without;
	enum need need;
} options[] = {
	/* SUNRPC_XPRT_RDMA itself is client.module's; it may come from elsewhere. */
	{ "CONFIG_INFINIBAND_ADDR_TRANS", "no connection by IP address", NEED_ALWAYS },
	{ "CONFIG_INFINIBAND_USER_ACCESS", "no probe over RDMA devices", NEED_ALWAYS },
	{ "CONFIG_INFINIBAND_IPOIB", "no IP addresses on InfiniBand", NEED_INFINIBAND },
};

int check_client_kernel_config(struct check_run *run)
{
	const struct host_kconfig *config;
	const struct rdma_devices *rdma;
	struct words missing = { 0 };
	bool infiniband = false;
	int rc = facts_rdma(run, &rdma);
	size_t i;

	if (!rc)
		rc = facts_kconfig(run, &config);
	if (rc == -ENOENT)
		return check_say(run, FINDING_SKIP,
				 "this host has no copy of the kernel's configuration");
	if (rc)
		return rc;
	finding_text(&run->finding, "config", "/%s", config->file);
	/* The RDMA stack of a vendor says nothing in the kernel's configuration. */
	if (kconfig_get(config, "CONFIG_INFINIBAND") == 'n')
		return check_say(
			run, FINDING_PASS,
			"the kernel has no RDMA of its own: a vendor's drivers provide it");
	for (i = 0; i < rdma->count; i++)
		infiniband |= rdma->list[i].kind == RDMA_INFINIBAND;
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (options[i].need == NEED_INFINIBAND && !infiniband)
			continue;
		if (kconfig_get(config, options[i].option) == 'n')
			words_add(&missing, "%s (%s)", options[i].option, options[i].without);
	}
	if (missing.count)
		return check_say_why(run, FINDING_WARN, "not-built",
				     "the kernel was built without %s", words_text(&missing));
	return check_say(run, FINDING_PASS, "/%s has every option this host needs", config->file);
}

/* Adapters that support RDMA and have no RDMA device: the RDMA half of their driver is not
 * loaded. Where there is another RDMA device this may be intended. */

#define NAMES_MAX 16

/* What keeps the first adapter's module, "mlx5_ib for 0000:3b:00.0", from being loaded. */
static int drivers_say_missing(struct check_run *run, const char *name, const char *all)
{
	const char *adapter = strrchr(name, ' ');
	const char *reason = "not-loaded";
	const struct host_system *system;
	struct host_module module;
	char text[64];
	int rc;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(name, " "), name);
	finding_text(&run->finding, "module", "%s", text);
	finding_text(&run->finding, "adapter", "%s", adapter ? adapter + 1 : "");
	rc = host_module(run->host, text, &module);
	if (rc && rc != -ENOENT)
		return rc;
	if (module.file[0])
		finding_text(&run->finding, "file", "/%s", module.file);
	rc = facts_system(run, &system);
	if (rc)
		return rc;
	finding_text(&run->finding, "kernel", "%s", system->release);
	if (module.disabled) {
		finding_text(&run->finding, "forbidden_by", "/%s", module.disabled_by);
		reason = "forbidden";
	} else if (module.state == MODULE_MISSING) {
		reason = "not-installed";
	} else if (module.state != MODULE_AVAILABLE) {
		reason = "no-device";
	} else if (module_is_rejected(run, &module)) {
		reason = "unsigned";
	} else if (!host_module_is_for(&module, system->release)) {
		finding_text(&run->finding, "built_for", "%.*s", (int)strcspn(module.vermagic, " "),
			     module.vermagic);
		reason = "other-kernel";
	}
	return check_say_why(run, FINDING_FAIL, reason, "an RDMA adapter lacks its driver: %s",
			     all);
}

int check_client_drivers(struct check_run *run)
{
	const struct rdma_devices *rdma;
	char names[NAMES_MAX][96];
	struct words words = { 0 };
	int rc = facts_rdma(run, &rdma), count, i;

	if (rc)
		return rc;
	count = host_rdma_missing(run->host, names, NAMES_MAX);
	if (count < 0)
		return count;
	for (i = 0; i < count; i++)
		words_add(&words, "%s", names[i]);
	finding_number(&run->finding, "adapters_without", count);
	if (!count && !rdma->count)
		return check_say(run, FINDING_SKIP, "no adapter here is known to do RDMA");
	if (!count)
		return check_say(run, FINDING_PASS, "no adapter lacks its RDMA driver");
	if (!rdma->count)
		return drivers_say_missing(run, names[0], words_text(&words));
	check_note(run);
	return check_say(run, FINDING_PASS, "other adapters have no RDMA device: %s",
			 words_text(&words));
}
