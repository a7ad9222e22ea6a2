/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Proxmox VE on this host: its NFS storages whose options ask for RDMA.
 *
 * - Proxmox does not remount a storage: it compares server, export and directory, but not the
 *   options (nfs_is_mounted() of PVE::Storage::NFSPlugin);
 * - to see whether a storage is online, it runs rpcinfo if the options have vers=4. If that fails,
 *   it connects over TCP to port= of the options, by default 2049 (check_connection()).
 *   NFS over RDMA does not answer TCP at its port, except over iWARP. */
#include <stdio.h>

#include "plugin/checks/internal.h"
#include "plugin/options/options.h"

static bool proxmox_wants_rdma(const struct opts *opts)
{
	ssize_t at = opts_find(opts, "proto");

	return opts_find(opts, "rdma") >= 0 || (at >= 0 && opts_at(opts, (size_t)at).value &&
						view_is_rdma(opts_at(opts, (size_t)at).value));
}

/* The index of the first option that is not known but resembles one, or -1. */
static ssize_t proxmox_misspelt(const struct opts *opts)
{
	size_t i;

	for (i = 0; i < opts_count(opts); i++)
		if (known_near(opts_at(opts, i).name))
			return (ssize_t)i;
	return -1;
}

static const struct nfs_mount *proxmox_mount(struct check_run *run,
					     const struct proxmox_storage *storage)
{
	const struct nfs_mounts *mounts;
	unsigned int i;

	if (!*storage->path || facts_mounts(run, &mounts))
		return NULL;
	for (i = 0; i < mounts->count; i++)
		if (!strcmp(mounts->list[i].target, storage->path))
			return &mounts->list[i];
	return NULL;
}

/* The value for pvesm --options: @opts without the port. */
static void proxmox_name_options(struct check_run *run, struct opts *opts)
{
	_cleanup_free_ char *text = NULL;
	ssize_t at;

	while ((at = opts_find(opts, "port")) >= 0)
		opts_remove(opts, (size_t)at);
	if (!opts_format(opts, &text))
		finding_text(&run->finding, "options", "%s", text);
}

static void proxmox_name_storage(struct check_run *run, const struct proxmox_storage *storage)
{
	finding_text(&run->finding, "storage", "%s", storage->name);
	finding_text(&run->finding, "server", "%s", storage->server);
	finding_text(&run->finding, "directory", "%s", storage->path);
	finding_text(&run->finding, "file", "/etc/pve/storage.cfg:%u", storage->line);
	/* The default of PVE::Storage::NFSPlugin. */
	finding_text(&run->finding, "content", "%s",
		     *storage->content ? storage->content : "images");
}

static int proxmox_say_misspelt(struct check_run *run, const struct proxmox_storage *storage,
				struct opts *opts, size_t at)
{
	const char *near = known_near(opts_at(opts, at).name);

	proxmox_name_storage(run, storage);
	finding_text(&run->finding, "option", "%s", opts_at(opts, at).name);
	finding_text(&run->finding, "near", "%s", near);
	if (opts_replace(opts, at, near, opts_at(opts, at).value))
		return err_no_memory();
	proxmox_name_options(run, opts);
	return check_say_why(run, FINDING_WARN, "unknown-option",
			     "storage %s: '%.60s' is not a known mount option; did you mean '%s'?",
			     storage->name, finding_evidence(&run->finding, "option"), near);
}

/* Reports what is wrong with a storage. -EAGAIN: nothing is. */
static int proxmox_judge_storage(struct check_run *run, const struct proxmox_storage *storage,
				 struct opts *opts)
{
	const struct nfs_mount *mount = proxmox_mount(run, storage);
	ssize_t port = opts_find(opts, "port");
	ssize_t slip = proxmox_misspelt(opts);

	if (slip >= 0)
		return proxmox_say_misspelt(run, storage, opts, (size_t)slip);
	if (mount && *mount->proto && !view_is_rdma(mount->proto)) {
		proxmox_name_storage(run, storage);
		finding_text(&run->finding, "proto", "%s", mount->proto);
		return check_say_why(run, FINDING_FAIL, "stays-tcp",
				     "storage %s (%s) requests RDMA, but is mounted over %s on %s",
				     storage->name, finding_evidence(&run->finding, "content"),
				     mount->proto, storage->path);
	}
	if (port < 0 || !strstr(storage->options, "vers=4") ||
	    !strcmp(opts_at(opts, (size_t)port).value, "0"))
		return -EAGAIN;
	proxmox_name_storage(run, storage);
	finding_text(&run->finding, "port", "%s", opts_at(opts, (size_t)port).value);
	proxmox_name_options(run, opts);
	return check_say_why(run, FINDING_WARN, "port-ping",
			     "Proxmox may show storage %s as offline: it has port=%s",
			     storage->name, finding_evidence(&run->finding, "port"));
}

/* Reports the first storage with something wrong, a failure before a warning. */
static int proxmox_judge_all(struct check_run *run, const struct proxmox_storages *storages)
{
	struct words good = { 0 };
	_cleanup_(finding_fini) struct finding found = { .status = FINDING_PASS };
	_cleanup_(finding_fini) struct finding empty = { 0 };
	unsigned int i;
	int rc = 0;

	finding_copy(&empty, &run->finding);
	for (i = 0; i < storages->count && !rc; i++) {
		_cleanup_(opts_free_p) struct opts *opts = NULL;
		const struct proxmox_storage *storage = &storages->list[i];

		if (storage->disabled || opts_parse(&opts, storage->options) ||
		    !proxmox_wants_rdma(opts))
			continue;
		finding_copy(&run->finding, &empty);
		rc = proxmox_judge_storage(run, storage, opts);
		if (rc == -EAGAIN)
			words_add(&good, "%s (%s)", storage->name, storage->options);
		else if (found.status == FINDING_PASS || run->finding.status == FINDING_FAIL)
			finding_copy(&found, &run->finding);
		rc = rc == -EAGAIN ? 0 : rc;
	}
	finding_copy(&run->finding, found.status == FINDING_PASS ? &empty : &found);
	if (rc || found.status != FINDING_PASS)
		return rc;
	check_note(run);
	return good.count
		       ? check_say(run, FINDING_PASS, "storages over RDMA: %s", words_text(&good))
		       : check_say(run, FINDING_PASS,
				   "no storage requests RDMA; to use it: "
				   "pvesm set NAME --options vers=4.2,proto=rdma");
}

int check_platform_proxmox(struct check_run *run)
{
	_cleanup_free_ struct proxmox_storages *storages = malloc(sizeof(*storages));
	const struct host_platform *platform;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->proxmox)
		return check_say(run, FINDING_SKIP, "Proxmox VE is not installed");
	if (!storages)
		return err_no_memory();
	rc = host_proxmox(run->host, storages);
	return rc ? rc : proxmox_judge_all(run, storages);
}
