/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the listener's port is the one that clients use (20049, or that of --port), and
 * whether it stays the same at the next start. */
#include "plugin/checks/internal.h"

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
