/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The capabilities of this host, for the engine: the feature NFS_RDMA, if nothing prevents NFS over
 * RDMA. The engine stores the name; it acts only on names in its table cluster_features, which lacks
 * this one. The details are in an object of our own, which the engine ignores:
 *
 *	"additionalFeatures": […, "NFS_RDMA"],
 *	"nfsrdma": {"version": "0.2.0", "ready": true, "module": "loaded",
 *	            "devices": [{"name": "mlx5_0", "active": true}], "problems": []}
 *
 * VDSM waits for it at each query of the host's capabilities, so it reads a few files and runs no
 * checks. */
#include <stdio.h>

#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"
#include "plugin/options/options.h"

#define FEATURE "NFS_RDMA"
#define DEVICES "sys/class/infiniband"
/* IB_PORT_ACTIVE */
#define ACTIVE    4
#define PORTS_MAX 16

static void caps_add_problem(struct json_object *problems, const char *text)
{
	json_object_array_add(problems, json_object_new_string(text));
}

static const char *caps_module_state(const struct host *host,
				     struct json_object *problems)
{
	static const char *const names[] = {
		[MODULE_MISSING] = "missing",
		[MODULE_AVAILABLE] = "available",
		[MODULE_LOADED] = "loaded",
		[MODULE_BUILTIN] = "builtin",
	};
	struct host_module module;

	/* A loaded module has this directory: no need to read the lists of modules. */
	if (!host_exists(host, "sys/module/rpcrdma"))
		return "loaded";
	if (host_module(host, "rpcrdma", &module)) {
		caps_add_problem(problems, err_text());
		return "unknown";
	}
	if (module.state == MODULE_MISSING)
		caps_add_problem(problems, "the module rpcrdma is missing");
	else if (module.state == MODULE_AVAILABLE && module.disabled)
		caps_add_problem(
			problems,
			"the module rpcrdma is not loaded and modprobe.d forbids it");
	return names[module.state];
}

static bool caps_is_active(const struct host *host, const char *device)
{
	_cleanup_(host_list_fini) struct host_list ports = { NULL, 0, false };
	char path[sizeof(DEVICES) + 2 * NAME_MAX + 32];
	int64_t state;
	size_t i;

	snprintf(path, sizeof(path), DEVICES "/%s/ports", device);
	if (host_list(host, path, &ports))
		return false;
	for (i = 0; i < ports.count && i < PORTS_MAX; i++) {
		snprintf(path, sizeof(path), DEVICES "/%s/ports/%s/state", device,
			 ports.names[i]);
		if (!host_attr_number(host, path, &state) && state == ACTIVE)
			return true;
	}
	return false;
}

static struct json_object *caps_devices(const struct host *host,
					struct json_object *problems)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	struct json_object *out = json_object_new_array(), *device;
	bool any = false, active;
	int rc = host_list(host, DEVICES, &list);
	size_t i;

	if (rc && rc != -ENOENT)
		caps_add_problem(problems, err_text());
	for (i = 0; i < list.count && i < RDMA_DEVICES_MAX; i++) {
		active = caps_is_active(host, list.names[i]);
		any = any || active;
		device = json_object_new_object();
		finding_clean(list.names[i]);
		vdsm_json_add(device, "name", list.names[i]);
		json_object_object_add(device, "active", json_object_new_boolean(active));
		json_object_array_add(out, device);
	}
	if (!list.count && (!rc || rc == -ENOENT))
		caps_add_problem(problems, "no RDMA device");
	else if (!any && list.count)
		caps_add_problem(problems, "no RDMA port is active");
	return out;
}

/* Our own object, as JSON; for json_put_p(). */
static struct json_object *caps_describe(const struct host *host)
{
	struct json_object *problems = json_object_new_array();
	struct json_object *out = json_object_new_object();
	_cleanup_(policy_free_p) struct policies *policies = NULL;
	const char *module = caps_module_state(host, problems);
	struct json_object *found = caps_devices(host, problems);

	if (policy_open(&policies, host))
		caps_add_problem(problems, err_text());
	vdsm_json_add(out, "version", NFSRDMA_VERSION);
	json_object_object_add(
		out, "ready",
		json_object_new_boolean(!json_object_array_length(problems)));
	vdsm_json_add(out, "module", module);
	json_object_object_add(out, "devices", found);
	json_object_object_add(out, "problems", problems);
	return out;
}

void vdsm_caps(const struct vdsm_call *call, struct hook_answer *out)
{
	_cleanup_(vdsm_input_fini) struct vdsm_input input = { .folder = -1 };
	_cleanup_(json_put_p) struct json_object *own = NULL;
	_cleanup_(splice_fini) struct splice caps = { NULL, 0 };
	_cleanup_(host_close_p) struct host *host = NULL;
	bool ready;

	if (vdsm_input_read(call, VDSM_JSON_MAX, &input) ||
	    splice_open(&caps, input.text, input.len) || host_open(&host, call->root)) {
		vdsm_failed(out);
		return;
	}
	own = caps_describe(host);
	ready = json_object_get_boolean(json_object_object_get(own, "ready"));
	if ((ready && splice_list(&caps, "additionalFeatures", FEATURE)) ||
	    splice_set(&caps, "nfsrdma", vdsm_json_print(own)) ||
	    vdsm_input_replace(&input, caps.text, caps.len))
		vdsm_failed(out);
}
