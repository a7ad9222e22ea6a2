/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What an NFS server offers. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* Whether the server exports anything, and whether to the networks of its RDMA devices:
 * /var/lib/nfs/etab has what exportfs(8) made of /etc/exports, and what others exported (ZFS,
 * clusters). RDMA needs no option: not even insecure, since over RDMA every port counts as a
 * reserved one (svc_rdma_secure_port()). But a client's address over RDMA differs from the one
 * in the network that the exports were written for.
 *
 * A client that is a name, a pattern, a netgroup or gss/ may be in the RDMA network. */

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

/* The versions of NFS that the server serves, over any transport: "+3 +4 +4.1 +4.2 -4.0". */

static const char *const version_names[] = { "3", "4.0", "4.1", "4.2" };

/* "+4.0" is never shown: "+4" stands for it, unless there is "-4.0"
 * (nfsd_print_version_support() in fs/nfsd/nfsctl.c). */
static bool server_versions_has(const char *versions, const char *name)
{
	char text[64], sign[8];

	snprintf(text, sizeof(text), " %.60s ", versions);
	snprintf(sign, sizeof(sign), " -%s ", name);
	if (strstr(text, sign))
		return false;
	snprintf(sign, sizeof(sign), " +%s ", name);
	return strstr(text, sign) || (!strcmp(name, "4.0") && strstr(text, " +4 "));
}

static bool server_versions_wants(const struct check_target *target, const char *name)
{
	char wanted[16];

	if (!target->nfs_version || target->server)
		return false;
	if (target->nfs_version == 3)
		return !strcmp(name, "3");
	snprintf(wanted, sizeof(wanted), "4.%u", target->nfs_minor);
	return !strcmp(name, wanted);
}

/* Disabled by a line of nfs.conf, if it has one; else by an argument, or by hand. */
static int server_versions_say_lacking(struct check_run *run, const char *name)
{
	const struct conf_value *value = NULL;
	const struct conf *conf;
	char key[16];

	finding_text(&run->finding, "version", "%s", name);
	if (!facts_nfs_conf(run, &conf)) {
		snprintf(key, sizeof(key), "vers%s", name);
		value = conf_get(conf, "nfsd", NULL, key);
		if (!value && name[0] == '4')
			value = conf_get(conf, "nfsd", NULL, "vers4");
	}
	if (!value || conf_bool(value, 1) > 0)
		return check_say_why(run, FINDING_FAIL, "off-by-hand",
				     "the server does not serve NFSv%s", name);
	finding_text(&run->finding, "file", "/%s:%u", value->file, value->line);
	return check_say_why(run, FINDING_FAIL, "off-in-nfs-conf",
			     "the server does not serve NFSv%s: /%s:%u disables it", name,
			     value->file, value->line);
}

int check_server_versions(struct check_run *run)
{
	const struct host_nfsd *nfsd;
	struct words on = { 0 }, off = { 0 };
	const char *lacking = NULL;
	size_t i;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	if (!nfsd->versions[0])
		return check_say(run, FINDING_SKIP, "only root can see which versions are served");
	if (!strchr("+-", nfsd->versions[0]))
		return err_set(EBADMSG, "/proc/fs/nfsd/versions is not in the expected form: %.60s",
			       nfsd->versions);
	finding_text(&run->finding, "versions", "%s", nfsd->versions);
	for (i = 0; i < ARRAY_SIZE(version_names); i++) {
		bool served = server_versions_has(nfsd->versions, version_names[i]);

		words_add(served ? &on : &off, "%s", version_names[i]);
		if (!served && server_versions_wants(run->target, version_names[i]))
			lacking = version_names[i];
	}
	if (lacking)
		return server_versions_say_lacking(run, lacking);
	if (!on.count)
		return check_say_why(run, FINDING_FAIL, "none",
				     "the server serves no version of NFS");
	if (off.count)
		check_note(run);
	return check_say(run, FINDING_PASS, "NFS %s%s%s", words_text(&on),
			 off.count ? "; off: " : "", words_text(&off));
}

/* Whether the server is in its grace period, in which clients may only reclaim what they had
 * before it started: other opens and locks wait. v4_end_grace is N until it ends
 * (write_v4_end_grace() in fs/nfsd/nfsctl.c); how long that takes at most only root can read. */

#define NFSD "proc/fs/nfsd/"

/* nfsd's default is 90 s. */
#define LONG_S 120

int check_server_grace(struct check_run *run)
{
	const struct conf_value *value = NULL;
	const struct host_nfsd *nfsd;
	const struct conf *conf;
	int64_t seconds = 0;
	char ended[8];
	int rc;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	rc = host_attr(run->host, NFSD "v4_end_grace", ended, sizeof(ended));
	if (rc == -ENOENT)
		return check_say(run, FINDING_SKIP, "the kernel does not show it");
	if (rc)
		return rc;
	if (!host_attr_number(run->host, NFSD "nfsv4gracetime", &seconds))
		finding_number(&run->finding, "seconds", (double)seconds);
	if (!facts_nfs_conf(run, &conf))
		value = conf_get(conf, "nfsd", NULL, "grace-time");
	if (value)
		finding_text(&run->finding, "file", "/%s:%u", value->file, value->line);
	if (*ended != 'N' && seconds <= LONG_S)
		return check_say(run, FINDING_PASS, "no grace period is in force");
	if (*ended != 'N') {
		check_note(run);
		return check_say(
			run, FINDING_PASS,
			"no grace period is in force; after a start it takes up to %" PRId64 " s",
			seconds);
	}
	if (seconds > LONG_S)
		return check_say_why(run, FINDING_WARN, value ? "long-by-conf" : "long",
				     "a grace period of up to %" PRId64 " s is in force", seconds);
	check_note(run);
	return check_say(run, FINDING_PASS, "a grace period is in force: new opens and locks wait");
}

/* The longest READ and WRITE that the server accepts. nfsd chooses 1/4096 of the memory, 1 MiB
 * at most, when it starts for the first time (nfsd_get_default_max_blksize() in
 * fs/nfsd/nfssvc.c), so a virtual machine with less than 4 GiB offers less than usual. */

#define KIB   1024
#define USUAL (1024 * KIB)
#define LEAST (128 * KIB)

/* With so little memory the kernel chooses less than LEAST by itself. */
static bool block_size_little_memory(struct check_run *run)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	unsigned long kib;
	const char *line;

	if (host_read(run->host, "proc/meminfo", 65536, &text))
		return false;
	line = strstr(text.text, "MemTotal:");
	if (!line || sscanf(line, "MemTotal: %lu kB", &kib) != 1)
		return false;
	finding_number(&run->finding, "memory_mib", (double)(kib / KIB));
	return kib / 4096 * KIB < LEAST;
}

int check_server_block_size(struct check_run *run)
{
	const struct host_nfsd *nfsd;

	if (nfsd_running(run, &nfsd))
		return check_skip(run, "server.threads");
	if (!nfsd->max_block)
		return check_say(run, FINDING_SKIP, "the kernel does not show it");
	finding_number(&run->finding, "max_block_size", nfsd->max_block);
	if (nfsd->max_block < LEAST)
		return check_say_why(run, FINDING_WARN,
				     block_size_little_memory(run) ? "little-memory" : "set-small",
				     "the server takes READs and WRITEs of at most %u KiB",
				     nfsd->max_block / KIB);
	if (nfsd->max_block < USUAL)
		check_note(run);
	return check_say(run, FINDING_PASS, "READs and WRITEs of up to %u KiB%s",
			 nfsd->max_block / KIB,
			 nfsd->max_block < USUAL ? ", because this host has little memory" : "");
}

/* The counters of svcrdma, since the module was loaded or they were reset. Of those that show
 * trouble, newer kernels have sq_starve only; rq_starve of older ones counts how often a thread
 * found nothing to do, and rq_poll, rq_prod and the like are for developers. */

#define FOLDER "proc/sys/sunrpc/svc_rdma/rdma_stat_"

/* One in so many calls; fewer calls than this are no measure. */
#define STARVED_ONE_IN 20
#define CALLS_LEAST    1000

enum counter { RECV, READ, WRITE, SQ_STARVE, COUNTERS };

static const char *const counter_names[COUNTERS] = {
	[RECV] = "recv",
	[READ] = "read",
	[WRITE] = "write",
	[SQ_STARVE] = "sq_starve",
};

struct server_counter {
	uint64_t number;
	bool large; /* more than the kernel can print, so at least that many */
};

int check_server_counters(struct check_run *run)
{
	struct server_counter values[COUNTERS] = { 0 };
	const struct server_counter *calls = &values[RECV], *starved = &values[SQ_STARVE];
	char path[64];
	size_t i;
	int rc;

	for (i = 0; i < COUNTERS; i++) {
		snprintf(path, sizeof(path), FOLDER "%s", counter_names[i]);
		rc = host_counter(run->host, path, &values[i].number, &values[i].large);
		if (rc == -ENOENT)
			return check_say(run, FINDING_SKIP,
					 "rpcrdma has counters only when it is loaded");
		if (rc)
			return rc;
		finding_text(&run->finding, counter_names[i], "%s%" PRIu64,
			     values[i].large ? "over " : "", values[i].number);
	}
	/* If both are too large to be shown, it is unknown which one is larger. */
	if (calls->number >= CALLS_LEAST && !calls->large &&
	    starved->number > calls->number / STARVED_ONE_IN)
		return check_say_why(run, FINDING_WARN, "send-queue-full",
				     "the send queue was full %s%" PRIu64 " times in %" PRIu64
				     " calls",
				     starved->large ? "over " : "", starved->number, calls->number);
	if (!calls->number)
		return check_say(run, FINDING_PASS, "no call over RDMA so far");
	return check_say(run, FINDING_PASS, "%s%" PRIu64 " calls over RDMA",
			 calls->large ? "over " : "", calls->number);
}
