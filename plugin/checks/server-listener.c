/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the server listens for RDMA: only /proc/fs/nfsd/portlist tells. ss and rpcinfo do not,
 * and nfs-server.service is active without it. The order of devices and server is no cause: a
 * listener at the wildcard address is on each device as it comes (cma_add_one() in
 * drivers/infiniband/core/cma.c). */
#include "plugin/checks/internal.h"

static bool has_iwarp(struct check_run *run)
{
	const struct rdma_devices *rdma;
	unsigned int i;

	if (facts_rdma(run, &rdma))
		return false;
	for (i = 0; i < rdma->count; i++)
		if (rdma->list[i].kind == RDMA_IWARP)
			return true;
	return false;
}

/* Over iWARP the port is one of TCP: who else has it by nfs.conf; NULL: nobody. */
static const char *rival(struct check_run *run, unsigned int port,
			 const struct conf_value **value)
{
	static const char *const sections[] = { "nfsd", "mountd", "lockd", "statd" };
	const struct conf *conf;
	size_t i;

	if (!has_iwarp(run) || facts_nfs_conf(run, &conf))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		*value = conf_get(conf, sections[i], NULL, "port");
		if (*value && strtoul((*value)->value, NULL, 10) == port)
			return sections[i];
	}
	return NULL;
}

static int say_missing(struct check_run *run, const struct nfsd_conf *conf)
{
	const struct host_module *module;
	const struct conf_value *value;
	const char *other = rival(run, conf->port, &value);
	int rc = facts_rpcrdma(run, &module);

	/* Without a list of modules it is known all the same whether one is loaded. */
	if (rc && rc != -ENOENT)
		return rc;
	if (other)
		return check_say(
			run, FINDING_FAIL,
			"nothing listens for RDMA at port %u, which /%s:%u gives to %s as well: over iWARP both want one TCP port; give one of them another",
			conf->port, value->file, value->line, other);
	if (module->state == MODULE_LOADED || module->state == MODULE_BUILTIN)
		return check_say(
			run, FINDING_FAIL,
			"%s has RDMA at port %u, and nothing listens there: the server was started before that was so, or could not open the port; restart nfs-server",
			conf->where, conf->port);
	return check_say(
		run, FINDING_FAIL,
		"%s has RDMA at port %u, and nothing listens there: rpcrdma is not loaded, so the server was started before that was so, or could not load it then; restart nfs-server",
		conf->where, conf->port);
}

static int run_check(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	struct words words = { 0 };
	struct nfsd_ports ports;
	struct nfsd_conf conf;
	unsigned int i;
	int rc;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	for (i = 0; i < nfsd->nlisteners; i++)
		words_add(&words, "%s %u", nfsd->listeners[i].proto,
			  nfsd->listeners[i].port);
	finding_text(&run->finding, "portlist", "%s", words_text(&words));
	nfsd_ports(nfsd, &ports);
	if (ports.count) {
		check_note(run);
		return check_say(run, FINDING_PASS,
				 "the server listens for RDMA at port %u", ports.list[0]);
	}
	rc = nfsd_conf_read(run, &conf);
	if (rc)
		return check_say(run, FINDING_FAIL,
				 "the server runs, and does not listen for RDMA");
	return conf.state == NFSD_CONF_ON ? say_missing(run, &conf)
					  : check_skip(run, "server.nfs-conf");
}

const struct check check_server_listener = {
	.id = "server.listener",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device", "server.threads" },
	.run = run_check,
};
