/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* With Kerberos rpc.gssd asks the server's NFS over TCP, whatever carries the mount (nfs-utils,
 * commit 959efe8f). */
#include "plugin/checks/internal.h"

#define NFS_PORT 2049

static int run_check(struct check_run *run)
{
	struct remote remote;
	int rc;

	if (!run->target->krb5)
		return check_say(run, FINDING_SKIP,
				 "Kerberos was not asked about (--sec)");
	if (!run->target->naddresses)
		return check_skip(run, "fabric.address");
	rc = remote_tcp(run, NFS_PORT, &remote);
	if (rc)
		return rc;
	if (remote_is_kept_off(&remote) && check_failed(run, "firewall.side-channels"))
		return check_skip(run, "firewall.side-channels");
	if (*remote.text)
		finding_text(&run->finding, "answer", "%s", remote.text);
	if (remote.answer == REMOTE_OPEN)
		return check_say(run, FINDING_PASS, "NFS over TCP answers at port %d",
				 NFS_PORT);
	return check_say(
		run, remote.answer == REMOTE_REFUSED ? FINDING_FAIL : FINDING_UNKNOWN,
		"NFS over TCP %s at port %d, and Kerberos needs it",
		remote.answer == REMOTE_REFUSED ? "is refused" : "does not answer",
		NFS_PORT);
}

const struct check check_fabric_krb5 = {
	.id = "fabric.krb5",
	.roles = CHECK_CLIENT,
	.remote = true,
	.run = run_check,
};
