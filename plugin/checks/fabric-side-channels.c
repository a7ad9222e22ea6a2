/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What NFSv3 needs besides its own connection, over TCP whatever transport the mount uses:
 * rpcbind, mountd for the mount, lockd for locks. It is checked if version 3 was asked for. */
#include "plugin/checks/internal.h"
#include "rpcrdma/nfs/nfs.h"

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
