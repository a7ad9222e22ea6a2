/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the server exports anything: what exportfs(8) made of /etc/exports, and what others told
 * it (ZFS, clusters), is in /var/lib/nfs/etab. Nothing in it is of RDMA's own: the option insecure
 * is not needed, since over RDMA every port counts as a reserved one (svc_rdma_secure_port()). */
#include "plugin/checks/internal.h"

static int run_check(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	struct host_exports exports;
	int rc;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	rc = host_exports(run->host, &exports);
	if (rc)
		return rc;
	finding_number(&run->finding, "exported", exports.exported);
	finding_number(&run->finding, "configured", exports.configured);
	if (exports.exported)
		return check_say(run, FINDING_PASS, "%s%s", exports.first,
				 exports.exported > 1 ? ", and more" : " is exported");
	finding_text(&run->finding, "directory", "%s", exports.first);
	if (exports.configured)
		return check_say_why(
			run, FINDING_FAIL, "not-exported",
			"nothing is exported, although /etc/exports or exports.d lists %.160s",
			exports.first);
	return check_say_why(run, FINDING_FAIL, "none",
			     "nothing is exported: /etc/exports and exports.d are empty");
}

const struct check check_server_exports = {
	.id = "server.exports",
	.roles = CHECK_SERVER,
	.needs = { "server.module", "server.device", "server.threads" },
	.run = run_check,
};
