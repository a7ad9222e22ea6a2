/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the configuration makes the server listen for RDMA, as what is installed here understands
 * it (nfsd-conf.c). A listener that it does not account for was opened by hand, and is gone with
 * the next start. */
#include <stdio.h>

#include "plugin/checks/internal.h"

static const char *cut_line(struct check_run *run, char buf[160])
{
	const struct conf *conf;
	const char *file = facts_nfs_conf(run, &conf) ? NULL : conf_cut_file(conf);

	buf[0] = '\0';
	if (file)
		snprintf(
			buf, 160,
			"; the last line of /%.80s has no newline and is ignored for that",
			file);
	return buf;
}

static int run_check(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	struct nfsd_ports ports = { .count = 0 };
	struct nfsd_conf conf;
	enum unit_state state;
	char cut[160];
	int rc;

	if (ganesha_serves(run))
		return check_skip(run, "server.ganesha");
	rc = nfsd_conf_read(run, &conf);
	if (rc)
		return rc;
	if (!nfsd_running(run, &nfsd))
		nfsd_ports(nfsd, &ports);
	else if (!host_unit_state(run->host, "nfs-server.service", &state) &&
		 state == UNIT_MISSING)
		return check_skip(run, "server.threads");
	if (conf.state == NFSD_CONF_ON) {
		finding_number(&run->finding, "port", conf.port);
		return check_say(run, FINDING_PASS, "%s has RDMA at port %u", conf.where,
				 conf.port);
	}
	cut_line(run, cut);
	if (ports.count)
		return check_say(
			run, FINDING_WARN,
			"the server listens for RDMA, and does not after its next start: %s: %s%s",
			conf.where, conf.why, cut);
	return check_say(run, FINDING_FAIL, "%s: %s%s", conf.where, conf.why, cut);
}

const struct check check_server_nfs_conf = {
	.id = "server.nfs-conf",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device" },
	.run = run_check,
};
