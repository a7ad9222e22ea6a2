/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An NFS server: what runs, what it reads, where it listens. */
#include <stdio.h>

#include "plugin/checks/internal.h"

/* A host where NFS-Ganesha serves instead of the kernel: whether it was built with RDMA, as far
 * as that is known, and whether ganesha.conf enables it. Its listener belongs to the RDMA
 * connection manager, and no file shows it. */

#define UNIT "nfs-ganesha.service"

bool ganesha_serves(struct check_run *run)
{
	const struct host_ganesha *ganesha;
	const struct host_nfsd *nfsd;
	enum unit_state kernel;
	char state[32];

	facts_ganesha(run, &ganesha);
	if (!ganesha->installed || !nfsd_running(run, &nfsd))
		return false;
	if (ganesha->running || ganesha->enabled)
		return true;
	if (!run->live->unit(run->host, UNIT, state, sizeof(state)) && !strcmp(state, "active"))
		return true;
	return !host_unit_state(run->host, "nfs-server.service", &kernel) && kernel == UNIT_MISSING;
}

static int ganesha_say_without(struct check_run *run, const struct host_ganesha *ganesha)
{
	if (*ganesha->left_out) {
		finding_text(&run->finding, "included", "%s", ganesha->left_out);
		return check_say_why(
			run, FINDING_UNKNOWN, "included",
			"%s has no NFSRDMA in NFS_CORE_PARAM, and this check does not read %s, which it includes",
			ganesha->where, ganesha->left_out);
	}
	if (!ganesha->has_conf)
		return check_say_why(run, FINDING_FAIL, "no-config",
				     "NFS-Ganesha serves here, and there is no %s", ganesha->where);
	if (*ganesha->protocols)
		return check_say_why(run, FINDING_FAIL, "no-nfsrdma",
				     "%s has Protocols = %s, without NFSRDMA", ganesha->where,
				     ganesha->protocols);
	return check_say_why(run, FINDING_FAIL, "no-nfsrdma",
			     "%s sets no Protocols, and the default has no NFSRDMA",
			     ganesha->where);
}

int check_server_ganesha(struct check_run *run)
{
	const struct host_ganesha *ganesha;
	const struct host_system *system;
	char state[32];
	int rc = facts_ganesha(run, &ganesha);

	if (!ganesha_serves(run))
		return check_say(run, FINDING_SKIP, "NFS-Ganesha does not serve here");
	if (*ganesha->version)
		finding_text(&run->finding, "version", "%s", ganesha->version);
	/* The distribution's own package: versions of other builds have a tilde
	 * ("5.7-ubuntu1~jammy1"). Debian's libntirpc needs no librdmacm. */
	if (*ganesha->version && !strchr(ganesha->version, '~') && !facts_system(run, &system) &&
	    (system->distro == DISTRO_DEBIAN || system->distro == DISTRO_UBUNTU))
		return check_say_why(
			run, FINDING_FAIL, "built-without",
			"the distribution's package nfs-ganesha %s is built without RDMA",
			ganesha->version);
	if (rc)
		return rc;
	finding_text(&run->finding, "file", "%s", ganesha->where);
	if (!ganesha->rdma)
		return ganesha_say_without(run, ganesha);
	finding_number(&run->finding, "port", ganesha->port);
	if (!ganesha->port || ganesha->port > UINT16_MAX)
		return check_say_why(run, FINDING_FAIL, "bad-port",
				     "%s has NFS_RDMA_Port = %u, which is not a port",
				     ganesha->where, ganesha->port);
	if (*ganesha->versions)
		finding_text(&run->finding, "versions", "%s", ganesha->versions);
	if (!ganesha->running && !run->live->unit(run->host, UNIT, state, sizeof(state)) &&
	    strcmp(state, "active") != 0) {
		finding_text(&run->finding, "state", "%s", state);
		return check_say_why(run, FINDING_FAIL, "not-running",
				     "NFS-Ganesha does not run: " UNIT " is %s", state);
	}
	return check_say_why(
		run, FINDING_UNKNOWN, "not-shown",
		"%s enables RDMA on port %u; no file shows whether NFS-Ganesha was built with RDMA and listens",
		ganesha->where, ganesha->port);
}

/* Whether the kernel's NFS server runs, by its control files; /proc/fs/nfsd exists, empty, on
 * every kernel (fs/proc/root.c). systemd reports nfs-server as active even after rpc.nfsd ended
 * all threads. */

/* nfs-utils starts 8, and 16 since 2.8. */
#define FEW_THREADS 4

static const char nfs_server[] = "nfs-server.service";

static int server_threads_say_stopped(struct check_run *run)
{
	static const char *const reasons[][2] = {
		{ "masked", "masked" },
		{ "failed", "failed" },
		/* rpc.nfsd 0 ends all threads, and the unit stays active. */
		{ "active", "no-threads" },
	};
	const char *state, *reason = "not-started";
	const struct host_system *system;
	struct host_module module;
	enum unit_state file;
	char buf[32];
	size_t i;
	int rc = facts_system(run, &system);

	if (!rc)
		rc = host_unit_state(run->host, nfs_server, &file);
	if (rc)
		return rc;
	finding_text(&run->finding, "kernel", "%s", system->release);
	if (!host_module(run->host, "nfsd", &module) && module.state == MODULE_MISSING)
		return check_say_why(run, FINDING_FAIL, "no-module",
				     "kernel %s has no NFS server: module nfsd is missing",
				     system->release);
	if (file == UNIT_MISSING)
		return check_say_why(run, FINDING_FAIL, "not-installed",
				     "the NFS server does not run, and there is no %s", nfs_server);
	/* A snapshot may not record it, and not every system has systemd. */
	if (file == UNIT_MASKED)
		state = "masked";
	else if (!run->live->unit(run->host, nfs_server, buf, sizeof(buf)))
		state = buf;
	else
		state = file == UNIT_ENABLED ? "enabled" : "disabled";
	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strcmp(state, reasons[i][0]))
			reason = reasons[i][1];
	return check_say_why(run, FINDING_FAIL, reason, "the NFS server does not run; %s is %s",
			     nfs_server, state);
}

int check_server_threads(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	int rc;

	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	rc = nfsd_running(run, &nfsd);

	if (rc == -ESRCH)
		return server_threads_say_stopped(run);
	if (rc)
		return rc;
	if (!nfsd->threads_known)
		return check_say(run, FINDING_PASS, "the NFS server runs");
	finding_number(&run->finding, "threads", nfsd->threads);
	if (nfsd->threads < FEW_THREADS)
		return check_say_why(
			run, FINDING_WARN, "few-threads",
			"the NFS server has %u thread%s, and an RDMA client sends up to 64 calls at once",
			nfsd->threads, nfsd->threads == 1 ? "" : "s");
	return check_say(run, FINDING_PASS, "the NFS server runs %u threads", nfsd->threads);
}

/* Whether the configuration makes the server listen for RDMA, as the installed nfs-utils read it
 * (nfsd-conf.c), or a unit of the administrator. A listener that neither explains was added by a
 * script, or by hand. */

/* Whether the last line of the file, without a newline and so ignored by nfs-utils, is about
 * RDMA. */
static bool server_nfs_conf_is_cut(struct check_run *run, const char *file)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	const char *line;

	if (host_read(run->host, file, HOST_FILE_MAX, &text))
		return false;
	line = strrchr(text.text, '\n');
	line = line ? line + 1 : text.text;
	return !strncmp(line + strspn(line, " \t"), "rdma", 4);
}

/* A listener that a unit adds beside nfs.conf. */
static int server_nfs_conf_say_unit(struct check_run *run, const struct nfsd_conf *conf,
				    const char *unit)
{
	finding_text(&run->finding, "unit", "%s", unit);
	if (conf->state != NFSD_CONF_ON)
		return check_say(run, FINDING_PASS,
				 "%s adds the RDMA listener at each start, not nfs.conf", unit);
	finding_text(&run->finding, "file", "%s", *conf->file ? conf->file : conf->where);
	return check_say_why(run, FINDING_WARN, "twice",
			     "%s enables RDMA, and %s adds the listener once more", conf->where,
			     unit);
}

static int server_nfs_conf_say(struct check_run *run, const struct nfsd_conf *conf, bool listens)
{
	const char *file = NULL, *reason = conf->reason;
	const struct conf *nfs_conf;
	char cut[160] = "";

	finding_text(&run->finding, "file", "%s", *conf->file ? conf->file : conf->where);
	finding_text(&run->finding, "write", "%s", conf->write);
	if (!facts_nfs_conf(run, &nfs_conf))
		file = conf_cut_file(nfs_conf);
	if (file && server_nfs_conf_is_cut(run, file)) {
		reason = "no-newline";
		finding_text(&run->finding, "cut_file", "/%s", file);
		snprintf(cut, sizeof(cut),
			 "; the last line of /%.80s has no newline, so it is ignored", file);
	}
	if (listens)
		return check_say_why(
			run, FINDING_WARN, "by-other",
			"the server listens for RDMA, and its configuration does not enable that: %s: %s%s",
			conf->where, conf->why, cut);
	return check_say_why(run, FINDING_FAIL, reason, "%s: %s%s", conf->where, conf->why, cut);
}

int check_server_nfs_conf(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	struct nfsd_ports ports = { .count = 0 };
	struct nfsd_conf conf;
	enum unit_state state;
	char unit[256];
	int rc;

	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	rc = nfsd_conf_read(run, &conf);
	if (rc)
		return rc;
	if (!nfsd_running(run, &nfsd))
		nfsd_ports(nfsd, &ports);
	else if (!host_unit_state(run->host, "nfs-server.service", &state) && state == UNIT_MISSING)
		return check_skip(run, "server.threads");
	rc = host_listener_unit(run->host, unit, sizeof(unit));
	if (rc)
		return rc;
	if (*unit)
		return server_nfs_conf_say_unit(run, &conf, unit);
	if (conf.state != NFSD_CONF_ON)
		return server_nfs_conf_say(run, &conf, ports.count);
	finding_number(&run->finding, "port", conf.port);
	return check_say(run, FINDING_PASS, "%s enables RDMA on port %u", conf.where, conf.port);
}

/* Whether the server listens for RDMA: only /proc/fs/nfsd/portlist shows it. ss and rpcinfo do
 * not, and nfs-server.service is active without it. The order in which devices and the server
 * start does not matter: a listener at the wildcard address is added to each device that appears
 * (cma_add_one() in drivers/infiniband/core/cma.c). */

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

/* Whether the listener's port is the one that clients use (20049, or that of --port), and
 * whether it stays the same at the next start. */

static const char *server_port_list(const struct nfsd_ports *ports, struct words *words)
{
	unsigned int i;

	for (i = 0; i < ports->count; i++)
		words_add(words, "%u", ports->list[i]);
	return words_text(words);
}

int check_server_port(struct check_run *run)
{
	const struct check_target *target = run->target;
	const struct host_nfsd *nfsd;
	struct words words = { 0 };
	struct nfsd_ports ports;
	struct nfsd_conf conf;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	nfsd_ports(nfsd, &ports);
	if (!ports.count)
		return check_skip(run, "server.listener");
	/* With a server's name it is that server's port. */
	finding_number(&run->finding, "port", ports.list[0]);
	if (target->has_port && !target->server && !nfsd_has_port(&ports, target->port)) {
		finding_number(&run->finding, "asked", target->port);
		return check_say_why(run, FINDING_FAIL, "other-port",
				     "the server listens for RDMA on port %s, not on %u",
				     server_port_list(&ports, &words), target->port);
	}
	if (nfsd_conf_read(run, &conf))
		return check_skip(run, "server.nfs-conf");
	if (conf.state == NFSD_CONF_ON && !nfsd_has_port(&ports, conf.port)) {
		finding_number(&run->finding, "next_port", conf.port);
		finding_text(&run->finding, "file", "%s", conf.where);
		return check_say_why(
			run, FINDING_WARN, "changes",
			"after its next start the server listens for RDMA on port %u (%s), and no longer on %s",
			conf.port, conf.where, server_port_list(&ports, &words));
	}
	if (nfsd_has_port(&ports, NFS_RDMA_PORT))
		return check_say(run, FINDING_PASS, "%u is the clients' default", NFS_RDMA_PORT);
	check_note(run);
	return check_say(run, FINDING_PASS, "clients must mount with port=%u: their default is %u",
			 ports.list[0], NFS_RDMA_PORT);
}

/* At which of this host's addresses clients reach it over RDMA (addresses.c). The kernel's
 * listener does not need one: portlist has its line even if no client can connect. */

struct server_address {
	struct words good, down, bridge, without;
};

static void server_address_sort(const struct own_addresses *all, struct server_address *lists)
{
	unsigned int i;

	for (i = 0; i < all->count; i++) {
		const struct own_address *own = &all->list[i];

		if (own->state == OWN_REACHED || own->state == OWN_DOWN)
			words_add(own->state == OWN_DOWN ? &lists->down : &lists->good,
				  "%s on %s (%s port %u)", own->text, own->netdev,
				  own->device->name, own->port->number);
		else if (own->state == OWN_NO_GID && !own->lower[0])
			words_add(&lists->without, "%s on %s", own->text, own->netdev);
		else if (own->state == OWN_NO_GID)
			words_add(&lists->without, "%s on %s above %s", own->text, own->netdev,
				  own->lower);
		else
			words_add(&lists->bridge, "%s on the bridge %s", own->text, own->netdev);
	}
}

/* Names for steps: of the first address in that state. */
static void server_address_name(struct check_run *run, const struct own_addresses *all,
				enum own_state state)
{
	const struct own_address *own;
	unsigned int i;

	for (i = 0; i < all->count && all->list[i].state != state; i++)
		;
	if (i == all->count)
		return;
	own = &all->list[i];
	finding_text(&run->finding, "address", "%s", own->text);
	finding_text(&run->finding, "interface", "%s", own->netdev);
	finding_text(&run->finding, "device", "%s", own->device->name);
	finding_number(&run->finding, "device_port", own->port->number);
	finding_text(&run->finding, "device_interface", "%s", own->port->netdev);
}

static int server_address_say_none(struct check_run *run, const struct own_addresses *all,
				   struct server_address *lists)
{
	static const char none[] = "no address of this host is reachable over RDMA";

	if (lists->down.count) {
		server_address_name(run, all, OWN_DOWN);
		return check_say_why(run, FINDING_FAIL, "port-down", "%s: the port with %s is down",
				     none, words_text(&lists->down));
	}
	if (lists->bridge.count) {
		server_address_name(run, all, OWN_BRIDGE);
		return check_say_why(run, FINDING_FAIL, "bridge",
				     "%s: the RDMA device does not receive packets for %s", none,
				     words_text(&lists->bridge));
	}
	if (lists->without.count) {
		server_address_name(run, all, OWN_NO_GID);
		return check_say_why(run, FINDING_FAIL, "no-gid", "%s: the port has no GID for %s",
				     none, words_text(&lists->without));
	}
	return check_say_why(
		run, FINDING_FAIL, "no-address",
		"no active port of an RDMA device has an IP address, apart from link-local ones");
}

/* Only nfsdctl limits the RDMA listener to host=; rpc.nfsd applies it to TCP
 * (nfssvc_set_rdmaport()). */
static int server_address_say_bound(struct check_run *run, const struct own_addresses *all,
				    const struct nfsd_conf *conf, const char *good)
{
	enum own_bound bound = addresses_bound(all, conf->hosts);

	if (bound == OWN_BOUND_HERE)
		return -EAGAIN;
	finding_text(&run->finding, "file", "%s", conf->hosts_where);
	finding_text(&run->finding, "host", "%s", conf->hosts);
	finding_text(&run->finding, "reachable", "%s", good);
	server_address_name(run, all, OWN_REACHED);
	if (bound == OWN_BOUND_ELSEWHERE)
		return check_say_why(
			run, FINDING_FAIL, "host-elsewhere",
			"%s has host=%s, so nfsdctl listens for RDMA only there; this host is reachable over RDMA at %s",
			conf->hosts_where, conf->hosts, good);
	return check_say_why(
		run, FINDING_UNKNOWN, "host-name",
		"%s has host=%s, a name that this check does not look up; this host is reachable over RDMA at %s",
		conf->hosts_where, conf->hosts, good);
}

int check_server_address(struct check_run *run)
{
	struct own_addresses all;
	struct server_address lists = { 0 };
	struct nfsd_conf conf;
	int rc = addresses_read(run, &all);

	if (rc)
		return rc;
	server_address_sort(&all, &lists);
	if (lists.bridge.count)
		finding_text(&run->finding, "on_bridge", "%s", words_text(&lists.bridge));
	if (lists.down.count)
		finding_text(&run->finding, "on_port_down", "%s", words_text(&lists.down));
	if (!lists.good.count)
		return all.rc ? err_set(-all.rc, "%s", all.why)
			      : server_address_say_none(run, &all, &lists);
	if (!nfsd_conf_read(run, &conf) && *conf.hosts) {
		rc = server_address_say_bound(run, &all, &conf, words_text(&lists.good));
		if (rc != -EAGAIN)
			return rc;
	}
	if (lists.down.count) {
		server_address_name(run, &all, OWN_DOWN);
		return check_say_why(run, FINDING_WARN, "one-port-down",
				     "the port with %s is down; reached over RDMA: %s",
				     words_text(&lists.down), words_text(&lists.good));
	}
	check_note(run);
	if (!lists.bridge.count)
		lists.bridge = lists.without;
	return check_say(run, FINDING_PASS, "%s%s%s%s", words_text(&lists.good),
			 lists.bridge.count ? "; over TCP only: " : "", words_text(&lists.bridge),
			 all.cut ? "; there are more than are checked" : "");
}

/* Whether the server starts when this host boots. */
int check_server_boot(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	enum unit_state state, cluster;
	int rc;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	rc = host_unit_state(run->host, nfs_server, &state);
	if (rc)
		return rc;
	if (state == UNIT_ENABLED)
		return check_say(run, FINDING_PASS, "%s is enabled", nfs_server);
	if (state == UNIT_MISSING)
		return check_say(run, FINDING_SKIP,
				 "there is no %s: something else starts the server", nfs_server);
	if (!host_unit_state(run->host, "pacemaker.service", &cluster) && cluster == UNIT_ENABLED)
		return check_say(run, FINDING_PASS, "the cluster (pacemaker) starts the server");
	return check_say_why(run, FINDING_WARN, state == UNIT_MASKED ? "masked" : "disabled",
			     "the server runs now, but does not start at boot: %s is %s",
			     nfs_server, state == UNIT_MASKED ? "masked" : "disabled");
}
