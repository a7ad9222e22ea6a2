/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether the server exports anything, and whether to the networks of its RDMA devices:
 * /var/lib/nfs/etab has what exportfs(8) made of /etc/exports, and what others exported (ZFS,
 * clusters). RDMA needs no option: not even insecure, since over RDMA every port counts as a
 * reserved one (svc_rdma_secure_port()). But a client's address over RDMA differs from the one
 * in the network that the exports were written for.
 *
 * A client that is a name, a pattern, a netgroup or gss/ may be in the RDMA network. */
#include "plugin/checks/internal.h"

/* Networks of RDMA devices. */
struct exported_to {
	struct host_network list[16];
	unsigned int count;
	bool any_client; /* a default route is among them, or their network is unknown */
};

static void exports_find_networks(struct check_run *run, const struct own_addresses *own,
				  struct exported_to *out)
{
	_cleanup_free_ struct host_networks *all = malloc(sizeof(*all));
	unsigned int i, a;

	out->count = 0;
	out->any_client = !all || host_networks(run->host, all) || !all->count;
	for (i = 0; !out->any_client && i < all->count; i++) {
		for (a = 0; a < own->count; a++)
			if (own->list[a].state == OWN_REACHED &&
			    !strcmp(own->list[a].netdev, all->list[i].netdev))
				break;
		if (a == own->count)
			continue;
		out->any_client |= !all->list[i].prefix || out->count == ARRAY_SIZE(out->list);
		if (!out->any_client)
			out->list[out->count++] = all->list[i];
	}
	out->any_client |= !out->count;
}

/* Whether the directory has a client in the networks. Of several lines of it one is enough. */
static bool exports_cover(const struct host_exports *exports, const struct exported_to *to,
			  const char *path)
{
	struct host_network client;
	unsigned int i, n;

	for (i = 0; i < exports->count; i++) {
		if (strcmp(exports->list[i].path, path))
			continue;
		if (!network_parse(exports->list[i].client, &client))
			return true;
		for (n = 0; n < to->count; n++)
			if (network_overlaps(&client, &to->list[n]))
				return true;
	}
	return false;
}

/* Directories without a client in the networks; counts those with one. */
static unsigned int exports_sort(const struct host_exports *exports, const struct exported_to *to,
				 struct words *without)
{
	unsigned int i, j, with = 0;

	for (i = 0; i < exports->count; i++) {
		for (j = 0; j < i; j++)
			if (!strcmp(exports->list[i].path, exports->list[j].path))
				break;
		if (j < i)
			continue;
		if (exports_cover(exports, to, exports->list[i].path))
			with++;
		else
			words_add(without, "%s", exports->list[i].path);
	}
	return with;
}

static int exports_say(struct check_run *run, const struct host_exports *exports)
{
	_cleanup_free_ struct own_addresses *own = malloc(sizeof(*own));
	struct words without = { 0 }, networks = { 0 };
	struct exported_to to = { .any_client = true };
	char text[NETWORK_TEXT_MAX];
	unsigned int with, i;

	if (own && !addresses_read(run, own))
		exports_find_networks(run, own, &to);
	if (to.any_client)
		return check_say(run, FINDING_PASS, "%s%s", exports->first,
				 exports->exported > 1 ? ", and more" : " is exported");
	with = exports_sort(exports, &to, &without);
	for (i = 0; i < to.count; i++)
		words_add(&networks, "%s", network_text(&to.list[i], text));
	finding_text(&run->finding, "network", "%s", network_text(&to.list[0], text));
	finding_text(&run->finding, "interface", "%s", to.list[0].netdev);
	if (without.count)
		finding_text(&run->finding, "client", "%s", exports->list[0].client);
	if (!with && without.count && !exports->cut)
		return check_say_why(
			run, FINDING_WARN, "other-network",
			"no export is for a client in %s, the RDMA network; %s is for %s",
			words_text(&networks), exports->first, exports->list[0].client);
	if (without.count)
		check_note(run);
	return check_say(run, FINDING_PASS, "%s%s%s%s", exports->first,
			 exports->exported > 1 ? ", and more" : " is exported",
			 without.count ? "; not for the RDMA network: " : "", words_text(&without));
}

int check_server_exports(struct check_run *run)
{
	_cleanup_free_ struct host_exports *exports = malloc(sizeof(*exports));
	const struct host_nfsd *nfsd;
	int rc;

	if (!exports)
		return err_no_memory();
	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	rc = host_exports(run->host, exports);
	if (rc)
		return rc;
	finding_number(&run->finding, "exported", exports->exported);
	finding_number(&run->finding, "configured", exports->configured);
	finding_text(&run->finding, "directory", "%s", exports->first);
	if (exports->exported)
		return exports_say(run, exports);
	if (exports->configured)
		return check_say_why(
			run, FINDING_FAIL, "not-exported",
			"nothing is exported, although /etc/exports or exports.d lists %.160s",
			exports->first);
	return check_say_why(run, FINDING_FAIL, "none",
			     "nothing is exported: /etc/exports and exports.d are empty");
}
