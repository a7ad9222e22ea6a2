/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The path to the server, as a mount goes it. */
#include "plugin/checks/internal.h"
#include "rpcrdma/nfs/nfs.h"

/* The server's address, from which the path to it is found. */
int check_fabric_address(struct check_run *run)
{
	const struct check_target *target = run->target;
	struct words words = { 0 };
	char text[ADDRESS_NAME_MAX];
	unsigned int i;

	for (i = 0; i < target->naddresses; i++)
		words_add(&words, "%s", words_address(&target->addresses[i], text));
	if (words.count)
		return check_say(run, FINDING_PASS, "%s", words_text(&words));
	finding_text(&run->finding, "name", "%s", target->server);
	return err_because(
		err_set(EHOSTUNREACH, "%s",
			target->unresolved[0] ? target->unresolved : "the name has no address"),
		target->unresolved_reason);
}

/* Whether the route to the server leaves through an interface of an RDMA device, for each of its
 * addresses: the connection manager takes the device from the route. */

struct route_tally {
	struct words good, bad, none, local;
	const struct server_path *first_good, *first_bad, *first_none, *first_unknown;
	const char *reason; /* of first_bad */
};

static void route_add_bad(struct route_tally *routes, const struct server_path *path,
			  const char *reason)
{
	if (routes->first_bad)
		return;
	routes->first_bad = path;
	routes->reason = reason;
}

/* By an interface above a device's own; false: it is not, or the device serves it. */
static bool route_is_above(struct check_run *run, const struct server_path *path, const char *to,
			   struct route_tally *routes)
{
	const char *netdev = path->route.netdev;

	if (netdev_lacks_gid(&path->netdev, path->device)) {
		words_add(&routes->bad, "%s by %s, which lies on %s and has no GID", to, netdev,
			  path->netdev.rdma_lower);
		route_add_bad(routes, path, netdev_is_bridge(run, netdev) ? "bridge" : "upper");
		return true;
	}
	/* siw connects from there nevertheless. */
	if (path->device && path->device->kind == RDMA_ROCE &&
	    netdev_is_passed_by(run, netdev, path->device)) {
		words_add(&routes->bad, "%s by the bridge %s, whose packets rxe does not get", to,
			  netdev);
		route_add_bad(routes, path, "bridge-rxe");
		return true;
	}
	return false;
}

/* "192.0.2.1 by eth0" */
static void route_count(struct check_run *run, const struct server_path *path,
			struct route_tally *routes)
{
	char to[ADDRESS_NAME_MAX], name[PORT_NAME_MAX];

	words_address(path->to, to);
	if (path->rc == -ENETUNREACH) {
		words_add(&routes->none, "%s", to);
		routes->first_none = routes->first_none ? routes->first_none : path;
	} else if (path->rc) {
		routes->first_unknown = path;
	} else if (path->route.local) {
		words_add(&routes->local, "%s", to);
	} else if (route_is_above(run, path, to, routes)) {
		return;
	} else if (path->port) {
		words_add(&routes->good, "%s by %s", to, port_name(path->device, path->port, name));
		routes->first_good = routes->first_good ? routes->first_good : path;
	} else {
		words_add(&routes->bad, "%s by %s", to, path->route.netdev);
		route_add_bad(routes, path, container_reason(run, "not-rdma"));
	}
}

static void route_blame(struct check_run *run, const char *reason, const struct server_path *path)
{
	char to[ADDRESS_NAME_MAX];

	finding_reason(&run->finding, reason);
	finding_text(&run->finding, "address", "%s", words_address(path->to, to));
	if (path->route.netdev[0])
		finding_text(&run->finding, "interface", "%s", path->route.netdev);
	if (path->netdev.rdma_lower[0])
		finding_text(&run->finding, "lower", "%s", path->netdev.rdma_lower);
	if (path->device)
		finding_text(&run->finding, "device", "%s", path->device->name);
}

int check_fabric_route(struct check_run *run)
{
	struct route_tally routes = { .reason = NULL };
	const struct server_path *paths;
	unsigned int count, i;

	facts_paths(run, &paths, &count);
	if (!count)
		return check_skip(run, "fabric.address");
	for (i = 0; i < count; i++)
		route_count(run, &paths[i], &routes);
	if (routes.first_good && routes.first_bad) {
		route_blame(run, "partly", routes.first_good);
		return check_say(run, FINDING_WARN,
				 "not through an RDMA device: %s; through one: %s",
				 words_text(&routes.bad), words_text(&routes.good));
	}
	if (routes.first_good) {
		check_note(run);
		return check_say(run, FINDING_PASS, "%s", words_text(&routes.good));
	}
	if (routes.first_bad) {
		route_blame(run, routes.reason, routes.first_bad);
		return check_say(run, FINDING_FAIL, "not through an RDMA device: %s",
				 words_text(&routes.bad));
	}
	if (routes.first_none) {
		route_blame(run, "no-route", routes.first_none);
		return check_say(run, FINDING_FAIL, "there is no route to %s",
				 words_text(&routes.none));
	}
	if (routes.local.count)
		return check_say(run, FINDING_PASS, "%s is an address of this host",
				 words_text(&routes.local));
	return err_set(-routes.first_unknown->rc, "%s", routes.first_unknown->why);
}

/* Whether NFS over RDMA answers at the server: a connection by the connection manager, and NULL.
 * Nothing else shows it: ss and rpcinfo do not list RDMA listeners. If nothing listens at the
 * usual port, that of RHEL 6 is tried. */

#define RHEL6_PORT 2050

static const struct {
	enum finding_status status;
	const char *reason;
	const char *text; /* before the port */
} answers[] = {
	[REMOTE_OPEN] = { FINDING_PASS, "", "NFS answers over RDMA on port" },
	[REMOTE_REFUSED] = { FINDING_FAIL, "refused",
			     "the server answers, and refuses RDMA on port" },
	[REMOTE_NO_NFS] = { FINDING_FAIL, "no-nfs",
			    "RDMA connects, but NFS does not answer, on port" },
	[REMOTE_SILENT] = { FINDING_UNKNOWN, "silent", "no answer over RDMA on port" },
	[REMOTE_UNREACHABLE] = { FINDING_UNKNOWN, "unreachable",
				 "the fabric does not reach the server on port" },
};

static bool fabric_listener_is_silent(const struct remote *remote)
{
	return remote->answer == REMOTE_SILENT || remote->answer == REMOTE_UNREACHABLE;
}

/* An iWARP listener is a TCP listener, which RoCE and InfiniBand do not have; so a refusal, or
 * silence, means something else over iWARP. And if another device is refused or gets no answer,
 * but TCP is accepted, the server has iWARP. */
static const char *fabric_listener_reason(struct check_run *run, uint16_t port,
					  const struct remote *remote)
{
	const struct rdma_device *device;
	const struct rdma_port *local;
	struct remote tcp;

	if (facts_route_port(run, &device, &local))
		return answers[remote->answer].reason;
	port_evidence(run, &(const struct port_at){ device, local });
	finding_text(&run->finding, "kind", "%s", port_kind_name(device));
	if (device->kind == RDMA_IWARP)
		return remote->answer == REMOTE_REFUSED    ? "refused-iwarp"
		       : fabric_listener_is_silent(remote) ? "silent-iwarp"
							   : answers[remote->answer].reason;
	if (remote->answer != REMOTE_NO_NFS && !remote_tcp(run, port, &tcp) &&
	    tcp.answer == REMOTE_OPEN)
		return "server-iwarp";
	return answers[remote->answer].reason;
}

int check_fabric_listener(struct check_run *run)
{
	const struct check_target *target = run->target;
	struct remote remote, other;
	int rc;

	if (!target->naddresses)
		return check_skip(run, "fabric.address");
	/* A server on this host may be cut off from its clients without that. */
	if (check_failed(run, "firewall.rdma") && facts_filters(run)->client_is_cut_off)
		return check_skip(run, "firewall.rdma");
	rc = facts_listener(run, &remote);
	if (rc)
		return rc;
	if (remote.answer == REMOTE_REFUSED && !target->has_port &&
	    !remote_rdma(run, RHEL6_PORT, &other) && other.answer == REMOTE_OPEN)
		return check_say_why(
			run, FINDING_WARN, "port-2050",
			"NFS answers over RDMA on port %u (the RHEL 6 default), not on %u",
			RHEL6_PORT, target->port);
	if (*remote.text)
		finding_text(&run->finding, "answer", "%s", remote.text);
	if (fabric_listener_is_silent(&remote))
		finding_number(&run->finding, CHECK_SILENT, target->port);
	if (remote.answer == REMOTE_UNASKED)
		return err_because(err_set(ENODATA, "this host could not ask: %.200s",
					   *remote.text ? remote.text : "no reason was given"),
				   "unasked");
	if (remote.answer == REMOTE_OPEN)
		check_note(run);
	else
		finding_reason(&run->finding, fabric_listener_reason(run, target->port, &remote));
	return check_say(run, answers[remote.answer].status, "%s %u", answers[remote.answer].text,
			 target->port);
}

/* What NFSv3 needs besides its own connection, over TCP whatever transport the mount uses:
 * rpcbind, mountd for the mount, lockd for locks. It is checked if version 3 was asked for. */

static const struct {
	const char *name;
	uint32_t program, version;
} services[] = {
	{ "mountd", MOUNT_PROGRAM_NUMBER, 3 },
	{ "lockd", 100021, 4 },
};

struct fabric_channels {
	struct words good, refused, silent;
	bool any_refused, any_silent;
};

/* The reason is that of the first one that is refused, or else of the first that is silent. */
static void fabric_channels_blame(struct check_run *run, struct fabric_channels *tally,
				  const char *reason, const char *name, uint16_t port)
{
	bool refused = strcmp(reason, "silent");
	bool first = !tally->any_refused && (refused || !tally->any_silent);

	tally->any_refused |= refused;
	tally->any_silent |= !refused;
	if (!first)
		return;
	run->finding.nevidence = 0;
	finding_reason(&run->finding, reason);
	finding_text(&run->finding, "service", "%s", name);
	if (port)
		finding_number(&run->finding, "service_port", port);
}

static void fabric_channels_count(struct check_run *run, struct fabric_channels *tally,
				  const char *name, uint16_t port, enum remote_answer answer)
{
	if (answer == REMOTE_OPEN) {
		words_add(&tally->good, "%s at TCP port %u answers", name, port);
	} else if (answer == REMOTE_REFUSED) {
		words_add(&tally->refused, "%s at TCP port %u refuses", name, port);
		fabric_channels_blame(run, tally, "refused", name, port);
	} else {
		words_add(&tally->silent, "%s at TCP port %u does not answer", name, port);
		fabric_channels_blame(run, tally, "silent", name, port);
	}
}

static int fabric_channels_ask(struct check_run *run, struct fabric_channels *tally)
{
	struct remote remote;
	uint16_t port;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(services); i++) {
		rc = remote_rpcbind(run, services[i].program, services[i].version, &port);
		if (rc == -EADDRNOTAVAIL) {
			words_add(&tally->refused, "%s is not registered with rpcbind",
				  services[i].name);
			fabric_channels_blame(run, tally, "not-registered", services[i].name, 0);
			continue;
		}
		if (!rc)
			rc = remote_tcp(run, port, &remote);
		if (rc)
			return rc;
		fabric_channels_count(run, tally, services[i].name, port, remote.answer);
	}
	return 0;
}

int check_fabric_side_channels(struct check_run *run)
{
	struct fabric_channels tally = { .any_refused = false };
	struct remote remote;
	int rc;

	if (run->target->nfs_version != 3)
		return check_say(run, FINDING_SKIP, "only NFSv3 has them (--nfs-version)");
	if (!run->target->naddresses)
		return check_skip(run, "fabric.address");
	rc = remote_tcp(run, RPCBIND_PORT, &remote);
	if (rc)
		return rc;
	fabric_channels_count(run, &tally, "rpcbind", RPCBIND_PORT, remote.answer);
	if (remote.answer == REMOTE_OPEN)
		rc = fabric_channels_ask(run, &tally);
	if (rc)
		return rc;
	if ((tally.any_refused || tally.any_silent) &&
	    check_failed(run, "firewall.side-channels")) {
		finding_reason(&run->finding, "");
		run->finding.nevidence = 0;
		return check_skip(run, "firewall.side-channels");
	}
	if (tally.any_refused)
		return check_say(run, FINDING_FAIL, "%s", words_text(&tally.refused));
	if (tally.any_silent)
		return check_say(run, FINDING_UNKNOWN, "%s", words_text(&tally.silent));
	return check_say(run, FINDING_PASS, "%s", words_text(&tally.good));
}

/* What Kerberos needs besides RDMA: a keytab, from which rpc.gssd takes this host's credentials,
 * and NFS over TCP, over which it makes the context, whatever transport the mount uses
 * (nfs-utils, commit 959efe8f). */

/* The value of default_keytab_name in krb5.conf, "FILE:/etc/krb5.keytab"; included files are not
 * read. */
static void krb5_conf_keytab(const struct host *host, char *path, size_t cap)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	char *cursor, *line, *value;

	if (host_read(host, "etc/krb5.conf", HOST_FILE_MAX, &text))
		return;
	cursor = text.text;
	while ((line = line_next(&cursor))) {
		line += strspn(line, " \t");
		value = strchr(line, '=');
		if (strncmp(line, "default_keytab_name", 19) || !value)
			continue;
		value += 1 + strspn(value + 1, " \t");
		value[strcspn(value, " \t\r")] = '\0';
		text_copy(path, cap, value);
	}
}

/* Where rpc.gssd looks: nfs.conf, then krb5.conf, then the default. "" if it is not a file, or
 * rpc.gssd does not need it. */
static int krb5_keytab_path(struct check_run *run, char *path, size_t cap)
{
	const struct conf_value *value;
	const struct conf *conf;
	int rc = facts_nfs_conf(run, &conf);

	if (rc)
		return rc;
	text_copy(path, cap, "/etc/krb5.keytab");
	value = conf_get(conf, "gssd", NULL, "keytab-file");
	if (value)
		text_copy(path, cap, value->value);
	else
		krb5_conf_keytab(run->host, path, cap);
	if (!strncmp(path, "FILE:", 5))
		memmove(path, path + 5, strlen(path + 5) + 1);
	if (*path != '/' || !conf_bool(conf_get(conf, "gssd", NULL, "use-machine-creds"), 1))
		*path = '\0';
	return 0;
}

int check_fabric_krb5(struct check_run *run)
{
	struct remote remote;
	char path[128];
	bool refused;
	int rc;

	if (!run->target->krb5)
		return check_say(run, FINDING_SKIP, "Kerberos was not requested (--sec)");
	if (!run->target->naddresses)
		return check_skip(run, "fabric.address");
	rc = remote_tcp(run, NFS_TCP_PORT, &remote);
	if (rc)
		return rc;
	if (remote_is_kept_off(&remote) && check_failed(run, "firewall.side-channels"))
		return check_skip(run, "firewall.side-channels");
	if (*remote.text)
		finding_text(&run->finding, "answer", "%s", remote.text);
	if (remote.answer != REMOTE_OPEN) {
		refused = remote.answer == REMOTE_REFUSED;
		return check_say_why(run, refused ? FINDING_FAIL : FINDING_UNKNOWN,
				     refused ? "refused" : "silent",
				     "NFS over TCP %s on port %d, and Kerberos needs it",
				     refused ? "is refused" : "does not answer", NFS_TCP_PORT);
	}
	rc = krb5_keytab_path(run, path, sizeof(path));
	if (!rc && *path)
		rc = host_exists(run->host, path + 1);
	if (rc == -ENOENT) {
		finding_text(&run->finding, "file", "%s", path);
		return check_say_why(run, FINDING_WARN, "no-keytab", "there is no keytab %s", path);
	}
	if (rc)
		return rc;
	return check_say(run, FINDING_PASS, "NFS over TCP answers on port %d", NFS_TCP_PORT);
}
