/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether rpcrdma is loaded at boot. It need not be: a mount loads it (client-module.c), a server
 * that listens for RDMA does, too. So a list without it is no defect; one that no unit reads is. */
#include "plugin/checks/internal.h"

static const char *const names[] = { "xprtrdma", "svcrdma", "rpcrdma" };

static int module_boot_listed(struct check_run *run, struct host_listed *out)
{
	struct host_listed one;
	size_t i;
	int rc;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		rc = host_module_listed(run->host, names[i], &one);
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
			"no list names rpcrdma (or xprtrdma, svcrdma): a mount, or a server that listens for RDMA, loads it");
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
