/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Adapters that support RDMA and have no RDMA device: the RDMA half of their driver is not
 * loaded. Where there is another RDMA device this may be intended. */
#include <stdio.h>

#include "plugin/checks/internal.h"

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
