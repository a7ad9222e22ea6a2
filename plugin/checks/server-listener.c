/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the server listens for RDMA: only /proc/fs/nfsd/portlist shows it. ss and rpcinfo do
 * not, and nfs-server.service is active without it. The order in which devices and the server
 * start does not matter: a listener at the wildcard address is added to each device that appears
 * (cma_add_one() in drivers/infiniband/core/cma.c). */
#include "plugin/checks/internal.h"

/* Over iWARP the port is a TCP port: the service that nfs.conf gives it to; NULL: none. */
static const char *server_listener_rival(struct check_run *run, unsigned int port,
					 const struct conf_value **value)
{
	static const char *const sections[] = { "nfsd", "mountd", "lockd", "statd" };
	const struct rdma_devices *rdma;
	const struct conf *conf;
	bool iwarp = false;
	size_t i;

	if (facts_rdma(run, &rdma))
		return NULL;
	for (i = 0; i < rdma->count; i++)
		iwarp |= rdma->list[i].kind == RDMA_IWARP;
	if (!iwarp || facts_nfs_conf(run, &conf))
		return NULL;
	for (i = 0; i < ARRAY_SIZE(sections); i++) {
		*value = conf_get(conf, sections[i], NULL, "port");
		if (*value && strtoul((*value)->value, NULL, 10) == port)
			return sections[i];
	}
	return NULL;
}

static int server_listener_say_missing(struct check_run *run, const struct nfsd_conf *conf)
{
	const struct host_module *module;
	const struct conf_value *value;
	const char *other = server_listener_rival(run, conf->port, &value);
	int rc = facts_rpcrdma(run, &module);

	/* Without a list of modules it is still known whether one is loaded. */
	if (rc && rc != -ENOENT)
		return rc;
	finding_number(&run->finding, "port", conf->port);
	finding_text(&run->finding, "file", "%s", conf->where);
	if (other) {
		finding_text(&run->finding, "rival", "%s", other);
		finding_text(&run->finding, "rival_file", "/%s:%u", value->file, value->line);
		return check_say_why(
			run, FINDING_FAIL, "port-taken",
			"nothing listens for RDMA on port %u, which /%s:%u also gives to %s",
			conf->port, value->file, value->line, other);
	}
	if (module->state == MODULE_LOADED || module->state == MODULE_BUILTIN)
		return check_say_why(
			run, FINDING_FAIL, "not-open",
			"%s enables RDMA on port %u, and the server does not listen there",
			conf->where, conf->port);
	return check_say_why(
		run, FINDING_FAIL, "module-not-loaded",
		"%s enables RDMA on port %u, and the server does not listen there: rpcrdma is not loaded",
		conf->where, conf->port);
}

int check_server_listener(struct check_run *run)
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
		words_add(&words, "%s %u", nfsd->listeners[i].proto, nfsd->listeners[i].port);
	finding_text(&run->finding, "portlist", "%s", words_text(&words));
	nfsd_ports(nfsd, &ports);
	if (ports.count) {
		check_note(run);
		return check_say(run, FINDING_PASS, "the server listens for RDMA on port %u",
				 ports.list[0]);
	}
	rc = nfsd_conf_read(run, &conf);
	if (rc)
		return check_say_why(run, FINDING_FAIL, "conf-unread",
				     "the server runs and does not listen for RDMA");
	return conf.state == NFSD_CONF_ON ? server_listener_say_missing(run, &conf)
					  : check_skip(run, "server.nfs-conf");
}
