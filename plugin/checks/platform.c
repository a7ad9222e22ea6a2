/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Hypervisors. */
#include <stdio.h>
#include <time.h>

#include "plugin/checks/internal.h"
#include "plugin/options/options.h"
#include "plugin/ovirt/ovirt.h"

/* oVirt's agent on this host: storage domains that stay over TCP, or are mounted more than once,
 * and nothing would report it; and whether its file was edited as guides of 2014 advise. */

struct platform_vdsm_domains {
	struct check_run *run;
	struct words words;
	bool stacked;
};

static void vdsm_on_domain(void *arg, const struct ovirt_mounted *mounted)
{
	struct platform_vdsm_domains *domains = arg;

	words_add(&domains->words, "%s", mounted->text);
	if (mounted->count > 1 && !domains->stacked) {
		domains->stacked = true;
		finding_text(&domains->run->finding, "directory", "%s",
			     mounted->top->mount->target);
	}
	/* The first one's, as an example. */
	if (domains->words.count == 1)
		finding_text(&domains->run->finding, "remedy", "%s", mounted->remedy);
}

int check_platform_vdsm(struct check_run *run)
{
	struct platform_vdsm_domains domains = { run, { .separator = "; " }, false };
	const struct host_platform *platform;
	const struct nfs_mounts *mounts;
	const struct view *view;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->vdsm)
		return check_say(run, FINDING_SKIP, "VDSM is not installed");
	/* Mounts that could not be read have their own finding; the policy is reported here. */
	if (!facts_mounts(run, &mounts) && mounts->count) {
		rc = facts_view(run, &view);
		if (rc)
			return rc;
		ovirt_mounted_each(view, vdsm_on_domain, &domains);
	}
	if (domains.words.count)
		return check_say_why(run, FINDING_FAIL, domains.stacked ? "stacked" : "domain",
				     "%s", words_text(&domains.words));
	if (platform->vdsm_patched[0]) {
		finding_text(&run->finding, "file", "/%s", platform->vdsm_patched);
		return check_say_why(
			run, FINDING_WARN, "patched",
			"/%s was edited to mount over RDMA; the next update reverts it",
			platform->vdsm_patched);
	}
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "set the storage domain's custom options: proto=rdma,port=20049");
}

/* libvirt on this host: how its pools are given mount options. */
int check_platform_libvirt(struct check_run *run)
{
	const struct host_platform *platform;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->libvirt)
		return check_say(run, FINDING_SKIP, "libvirt is not installed");
	if (platform->vdsm)
		return check_say(run, FINDING_SKIP, "VDSM mounts storage here");
	check_note(run);
	return check_say(run, FINDING_PASS,
			 "pools of type netfs take mount options in fs:mount_opts");
}

/* Whether libvirt's daemon knows that it has a hook: one that was there before the hook came runs
 * none until it is reloaded, and starts guests unguarded without a word. */

/* Times of processes are of ticks after a boot whose time is in seconds. */
#define SLACK_S 2

enum seen_by { SEEN_AT_START, SEEN_WITH_OTHER, SEEN_BY_RELOAD, SEEN_NOT, SEEN_UNKNOWN };

static enum seen_by libvirt_hook_seen(const struct host_libvirt_hook *hook,
				      const struct host_hook_daemon *daemon,
				      const struct host *host, const struct live_ops *live)
{
	char unit[64];
	int64_t changed;

	if (daemon->started_at + SLACK_S >= hook->linked_at)
		return SEEN_AT_START;
	if (hook->other_at && hook->other_at + SLACK_S < daemon->started_at)
		return SEEN_WITH_OTHER;
	snprintf(unit, sizeof(unit), "%s.service", daemon->name);
	/* The process is the same, so the unit has not stopped: what else changes it is a
	 * reload. */
	if (live->changed(host, unit, &changed))
		return SEEN_UNKNOWN;
	return changed >= hook->linked_at ? SEEN_BY_RELOAD : SEEN_NOT;
}

static const char *libvirt_hook_time(int64_t when, char buf[32])
{
	time_t seconds = (time_t)when;
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm))
		str_copy(buf, 32, "?");
	return buf;
}

static void libvirt_hook_say(struct finding *out, enum finding_status status,
			     const struct host_libvirt_hook *hook,
			     const struct host_hook_daemon *daemon, enum seen_by seen)
{
	static const char *const words[] = {
		[SEEN_AT_START] = "started after its hook was linked",
		[SEEN_WITH_OTHER] = "found another hook when it started, so it runs this one",
		[SEEN_BY_RELOAD] = "was reloaded after its hook was linked",
	};
	char started[32], linked[32];

	if (status == FINDING_PASS)
		finding_init(out, "platform.libvirt-hook", status, "%s %s", daemon->name,
			     words[seen]);
	else
		finding_init(
			out, "platform.libvirt-hook", status,
			"%s (process %lld) started at %s, before its hook was installed at %s, and %s: until 'systemctl reload %s' it may start guests without the hook",
			daemon->name, (long long)daemon->pid,
			libvirt_hook_time(daemon->started_at, started),
			libvirt_hook_time(hook->linked_at, linked),
			seen == SEEN_NOT ? "systemd reports no reload since"
					 : "systemd does not say whether it was reloaded",
			daemon->name);
	if (seen == SEEN_NOT || seen == SEEN_UNKNOWN)
		finding_reason(out, seen == SEEN_NOT ? "not-reloaded" : "reload-unknown");
	finding_text(out, "daemon", "%s", daemon->name);
	finding_number(out, "pid", (double)daemon->pid);
	finding_number(out, "started_at", (double)daemon->started_at);
	finding_number(out, "linked_at", (double)hook->linked_at);
}

void libvirt_hook_judge(const struct host_libvirt_hook *hook, const struct host *host,
			const struct live_ops *live, struct finding *out)
{
	enum seen_by seen = SEEN_AT_START;
	unsigned int i;

	if (!hook->linked_at) {
		finding_init(out, "platform.libvirt-hook", FINDING_SKIP,
			     "/etc/libvirt/hooks/qemu.d/nfsrdma does not exist: the hook is off");
		return;
	}
	if (!hook->ndaemons) {
		finding_init(out, "platform.libvirt-hook", FINDING_PASS,
			     "no libvirtd or virtqemud runs; it looks for its hook when it starts");
		return;
	}
	for (i = 0; i < hook->ndaemons; i++) {
		seen = libvirt_hook_seen(hook, &hook->daemons[i], host, live);
		if (seen == SEEN_NOT || seen == SEEN_UNKNOWN) {
			libvirt_hook_say(out, FINDING_WARN, hook, &hook->daemons[i], seen);
			return;
		}
	}
	libvirt_hook_say(out, FINDING_PASS, hook, &hook->daemons[i - 1], seen);
}

int libvirt_hook_find(const struct host *host, const struct live_ops *live, struct finding *out)
{
	struct host_libvirt_hook hook;
	int rc;

	/* Files of another machine have the times of who copied them. */
	if (!host_is_live(host)) {
		finding_init(out, "platform.libvirt-hook", FINDING_SKIP,
			     "only a running system shows when its daemons started");
		return 0;
	}
	rc = host_libvirt_hook(host, &hook);
	if (!rc)
		libvirt_hook_judge(&hook, host, live, out);
	return rc;
}

int check_platform_libvirt_hook(struct check_run *run)
{
	const struct host_platform *platform;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->libvirt)
		return check_say(run, FINDING_SKIP, "libvirt is not installed");
	return libvirt_hook_find(run->host, run->live, &run->finding);
}

/* Proxmox VE on this host: its NFS storages whose options ask for RDMA.
 *
 * - Proxmox does not remount a storage: it compares server, export and directory, but not the
 *   options (nfs_is_mounted() of PVE::Storage::NFSPlugin);
 * - to see whether a storage is online, it runs rpcinfo if the options have vers=4. If that fails,
 *   it connects over TCP to port= of the options, by default 2049 (check_connection()).
 *   NFS over RDMA does not answer TCP at its port, except over iWARP. */

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
