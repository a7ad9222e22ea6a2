/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Tried, not modelled: a NULL call to this host's own server at each of its RDMA addresses, which
 * the connection manager loops back; and what rpcbind names. A device that does not connect to
 * itself says nothing. */
#include "plugin/checks/internal.h"
#include "rpcrdma/nfs/nfs.h"

/* As long as remote_rdma_here() waits. */
#define TRIAL_MS 3000

struct server_trial {
	struct words good, bad, unknown;
	const struct own_address *worst;
	enum remote_answer answer; /* of worst */
};

static const char *trial_reason(enum remote_answer answer)
{
	return answer == REMOTE_REFUSED ? "refused" : "no-nfs";
}

static int trial_ask(struct check_run *run, const struct own_address *own, uint16_t port,
		     struct server_trial *trial)
{
	struct remote remote;
	int rc;

	/* What is cut short looks like silence. */
	if (deadline_left(run->deadline) < TRIAL_MS) {
		words_add(&trial->unknown, "%s (%s): no time was left (--timeout)", own->text,
			  own->device->name);
		return 0;
	}
	rc = remote_rdma_here(run, own, port, &remote);
	if (rc)
		return rc;
	if (remote.answer == REMOTE_OPEN) {
		words_add(&trial->good, "%s (%s)", own->text, own->device->name);
	} else if (remote.answer == REMOTE_REFUSED || remote.answer == REMOTE_NO_NFS) {
		words_add(&trial->bad, "%s (%s): %s", own->text, own->device->name, remote.text);
		if (!trial->worst) {
			trial->worst = own;
			trial->answer = remote.answer;
		}
	} else {
		words_add(&trial->unknown, "%s (%s): %s", own->text, own->device->name,
			  remote.text);
	}
	return 0;
}

/* What NFSv3's clients ask for; of this host's rpcbind, by its loopback address. */
static void trial_side_channels(struct check_run *run, char *text, size_t cap)
{
	uint16_t port;
	int rc = remote_rpcbind_here(run, NFS_PROGRAM_NUMBER, 3, &port);

	text[0] = '\0';
	if (!rc)
		snprintf(text, cap, "; rpcbind names TCP port %u", port);
	else
		snprintf(text, cap, "; rpcbind: %s", err_text());
	finding_text(&run->finding, "rpcbind", "%s", text + 2);
}

int check_server_trial(struct check_run *run)
{
	struct server_trial trial = { .answer = REMOTE_UNASKED };
	struct own_addresses all;
	const struct host_nfsd *nfsd;
	char side[ERR_TEXT_MAX + 16];
	unsigned int port, i;
	int rc = 0;

	if (facts_nfsd(run, &nfsd) || !host_nfsd_rdma_port(nfsd))
		return check_skip(run, "server.listener");
	port = host_nfsd_rdma_port(nfsd);
	rc = addresses_read(run, &all);
	for (i = 0; !rc && i < all.count; i++)
		if (all.list[i].state == OWN_REACHED)
			rc = trial_ask(run, &all.list[i], (uint16_t)port, &trial);
	if (rc)
		return rc;
	trial_side_channels(run, side, sizeof(side));
	if (trial.worst) {
		finding_text(&run->finding, "address", "%s", trial.worst->text);
		finding_text(&run->finding, "device", "%s", trial.worst->device->name);
		finding_number(&run->finding, "port", port);
		return check_say_why(run, FINDING_FAIL, trial_reason(trial.answer),
				     "the server does not answer NULL over RDMA at %s",
				     words_text(&trial.bad));
	}
	if (trial.unknown.count || !trial.good.count)
		return check_say_why(
			run, FINDING_UNKNOWN, "no-loop",
			"this host got no answer from itself over RDMA at %s%s%s",
			trial.unknown.count ? words_text(&trial.unknown) : "any address",
			trial.good.count ? "; answered: " : "", words_text(&trial.good));
	return check_say(run, FINDING_PASS, "NULL was answered over RDMA at %s, port %u%s",
			 words_text(&trial.good), port, side);
}
