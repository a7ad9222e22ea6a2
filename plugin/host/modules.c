/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A kernel module: whether it exists, may be loaded, is loaded, and matches its file. */
#include <stdio.h>

#include "plugin/host/internal.h"

/* Aliases of one module, for roots without a module index (net/sunrpc/xprtrdma/module.c). */
static const char *const rpcrdma_aliases[] = { "xprtrdma", "svcrdma", "rpcrdma6" };

/* sys/module and libkmod write "_" for "-". Not for paths: invalid names are refused. */
static int modules_canonical_name(const char *name, char *buf, size_t cap)
{
	size_t i, len = strlen(name);

	if (!len || len >= cap || strchr(name, '/') || name[0] == '.')
		return err_set(EINVAL, "%.64s is no name of a module", name);
	for (i = 0; i <= len; i++)
		buf[i] = name[i] == '-' ? '_' : name[i];
	return 0;
}

/* Only a loadable module has initstate; a built-in one with parameters has a directory as
 * well. */
static int modules_read_loaded(const struct host *host, const char *name, struct host_module *out)
{
	char folder[HOST_PATH_MAX], state[32];
	int rc = host_path(folder, "sys/module", name);

	if (rc)
		return rc;
	rc = host_attr_in(host, folder, "initstate", state, sizeof(state));
	if (rc == -ENOENT && !host_exists(host, folder))
		out->state = MODULE_BUILTIN;
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	out->state = MODULE_LOADED;
	rc = host_attr_in(host, folder, "srcversion", out->srcversion_loaded,
			  sizeof(out->srcversion_loaded));
	return rc == -ENOENT ? 0 : rc;
}

bool module_is_named(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

/* Refuses a release with path separators or the like, by which a hostile root could
 * redirect paths below lib/modules. */
static int modules_read_available(const struct host *host, const char *name,
				  struct module_lookup *lookup)
{
	char release[96];
	int rc = host_attr(host, "proc/sys/kernel/osrelease", release, sizeof(release));

	if (rc)
		return rc;
	if (!release[0] || strchr(release, '/') || release[0] == '.')
		return err_set(EBADMSG, "%s is no name of a kernel", release);
	return module_lookup(host, release, name, lookup);
}

int host_module_forbidden(const struct host *host, const char *name, struct host_module *out)
{
	int rc;

	memset(out, 0, sizeof(*out));
	rc = modules_canonical_name(name, out->name, sizeof(out->name));
	if (!rc)
		rc = modules_read_loaded(host, out->name, out);
	str_copy(out->disabled_name, sizeof(out->disabled_name), out->name);
	if (!rc && out->state == MODULE_MISSING)
		rc = modprobe_conf(host, out->name, out);
	return rc;
}

static int modules_ask_need(const struct host *host, const char *name, struct host_module *out)
{
	struct host_module need;
	int rc = host_module_forbidden(host, name, &need);

	if (rc || !need.disabled)
		return rc;
	out->disabled = true;
	str_copy(out->disabled_by, sizeof(out->disabled_by), need.disabled_by);
	str_copy(out->disabled_name, sizeof(out->disabled_name), need.name);
	return 0;
}

/* modprobe obeys an install line of each module that it loads first, and the kernel its own
 * list. */
static int modules_ask_needs(const struct host *host, const struct module_lookup *lookup,
			     struct host_module *out)
{
	/* Of each rpcrdma that there ever was; an index does not name those that have no file. */
	static const char *const always[] = { "sunrpc", "rdma_cm", "iw_cm", "ib_cm", "ib_core" };
	char name[sizeof(out->name)];
	unsigned int i;
	int rc = 0;

	/* So that a snapshot has them: where one has no file libkmod names none. */
	for (i = 0; i < MODULE_NEEDS_MAX && *lookup->needs[i].file; i++)
		host_exists(host, lookup->needs[i].file);
	for (i = 0; i < MODULE_NEEDS_MAX && *lookup->needs[i].name && !rc && !out->disabled; i++)
		if (!modules_canonical_name(lookup->needs[i].name, name, sizeof(name)))
			rc = modules_ask_need(host, name, out);
	if (strcmp(out->name, "rpcrdma") != 0)
		return rc;
	for (i = 0; i < ARRAY_SIZE(always) && !rc && !out->disabled; i++)
		rc = modules_ask_need(host, always[i], out);
	return rc;
}

int host_module(const struct host *host, const char *name, struct host_module *out)
{
	struct module_lookup lookup;
	char why[ERR_TEXT_MAX];
	int rc, unknown;
	size_t i;

	memset(out, 0, sizeof(*out));
	memset(&lookup, 0, sizeof(lookup));
	rc = modules_canonical_name(name, out->name, sizeof(out->name));
	if (rc)
		return rc;
	unknown = modules_read_available(host, out->name, &lookup);
	str_copy(why, sizeof(why), err_text());
	if (lookup.found)
		str_copy(out->name, sizeof(out->name), lookup.name);
	for (i = 0; !lookup.found && i < ARRAY_SIZE(rpcrdma_aliases); i++)
		if (!strcmp(out->name, rpcrdma_aliases[i]))
			str_copy(out->name, sizeof(out->name), "rpcrdma");
	str_copy(out->file, sizeof(out->file), lookup.file);
	str_copy(out->srcversion_file, sizeof(out->srcversion_file), lookup.srcversion);
	str_copy(out->vermagic, sizeof(out->vermagic), lookup.vermagic);
	str_copy(out->problem, sizeof(out->problem), lookup.problem);
	out->external = lookup.external;
	out->is_signed = lookup.is_signed;
	out->dummy = lookup.dummy;
	if (lookup.found)
		out->state = lookup.builtin ? MODULE_BUILTIN : MODULE_AVAILABLE;
	rc = modules_read_loaded(host, out->name, out);
	if (!rc)
		rc = modprobe_conf(host, out->name, out);
	str_copy(out->disabled_name, sizeof(out->disabled_name), out->name);
	if (!rc && out->state == MODULE_AVAILABLE)
		rc = modules_ask_needs(host, &lookup, out);
	out->unknown = lookup.found || unknown == -ENOENT ? 0 : unknown;
	if (out->unknown && !out->problem[0])
		str_copy(out->problem, sizeof(out->problem), why);
	/* A loaded module needs no index. */
	if (!rc && unknown && out->state == MODULE_MISSING)
		rc = err_set(-unknown, "%s", why);
	return rc;
}

/* Distribution kernels enable lockdown under Secure Boot. */
bool host_signed_modules_only(const struct host *host, char by[64])
{
	char text[64];

	by[0] = '\0';
	if (!host_attr(host, "sys/kernel/security/lockdown", text, sizeof(text)) &&
	    (strstr(text, "[integrity]") || strstr(text, "[confidentiality]")))
		str_copy(by, 64, "kernel lockdown");
	else if (!host_attr(host, "sys/module/module/parameters/sig_enforce", text, sizeof(text)) &&
		 text[0] == 'Y')
		str_copy(by, 64, "module.sig_enforce");
	return by[0];
}

bool host_module_is_for(const struct host_module *module, const char *release)
{
	size_t len = strlen(release);

	/* RHEL links modules of one kernel into the directory of the next one with the
	 * same kABI. */
	return !module->vermagic[0] || strstr(module->file, "weak-updates/") ||
	       (!strncmp(module->vermagic, release, len) && module->vermagic[len] == ' ');
}
