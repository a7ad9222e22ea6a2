/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One scan: mounts, pools and disks as they are now, compared with their former state. Nothing here
 * waits: it reads files of the kernel and of this host. */
#include "plugin/watch/internal.h"

struct scan {
	struct watch *watch;
	int folder;
	uint64_t start;
	struct view_places pools; /* from files, and from libvirt those without a file */
	char pools_unknown[ERR_TEXT_MAX];
	const char *pools_lack; /* NULL: all are known */
	struct view *view;      /* all that is read of this host, once */
	struct mount_verdict *verdicts;
	const struct view_mount **seen; /* of each mount */
	char (*targets)[PATH_MAX];      /* of each known pool; "" if it has none */
	int rc;                         /* of the first object that could not be stored */
};

static void scan_fini(struct scan *scan)
{
	view_close(scan->view);
	view_places_fini(&scan->pools);
	free(scan->verdicts);
	free(scan->seen);
	free(scan->targets);
}

static const struct nfs_mounts *scan_mounts(const struct scan *scan)
{
	return view_nfs(scan->view);
}

static void scan_see(struct scan *scan, const struct watch_object *object)
{
	int rc = objects_see(&scan->watch->objects, object, scan->watch->on_event,
			     scan->watch->arg);

	scan->rc = scan->rc ? scan->rc : rc;
}

/* What cannot be read may request RDMA. */
static void scan_see_broken(struct scan *scan, struct watch_object *object, const char *id,
			    const char *why)
{
	object->wanted = true;
	object->run = OBJECT_UNKNOWN;
	str_copy(object->id, sizeof(object->id), id);
	str_copy(object->reason, sizeof(object->reason),
		 object->kind == OBJECT_POOL ? "malformed" : "lost");
	snprintf(object->text, sizeof(object->text), "its XML cannot be read: %s", why);
	scan_see(scan, object);
}

/* The state of what cannot be read is unknown. @kind: OBJECT_KINDS: all. */
static void scan_lose(struct scan *scan, enum object_kind kind, const char *why)
{
	static const struct {
		const char *id, *reason;
	} unseen[OBJECT_KINDS] = {
		[OBJECT_MOUNT] = { "watch.mount", "not-seen" },
		[OBJECT_DOMAIN] = { "watch.mount", "not-seen" },
		[OBJECT_POOL] = { "pool.transport", "not-visible" },
		[OBJECT_DISK] = { "gate.unknown", "lost" },
	};
	struct watch_objects *objects = &scan->watch->objects;
	size_t count = objects->count, i;
	struct watch_object object;

	for (i = 0; i < count; i++) {
		object = objects->list[i]->now;
		if (!objects->list[i]->present || (kind != OBJECT_KINDS && object.kind != kind))
			continue;
		object.run = OBJECT_UNKNOWN;
		str_copy(object.id, sizeof(object.id), unseen[object.kind].id);
		str_copy(object.reason, sizeof(object.reason), unseen[object.kind].reason);
		snprintf(object.text, sizeof(object.text), "could not be checked: %s", why);
		scan_see(scan, &object);
	}
}

/* --- sources ------------------------------------------------------------------------ */

/* If it has an error, the last policy without errors stays in force, and the report says so. */
static void scan_read_policy(struct watch *watch)
{
	struct policies *policies = NULL, *none = NULL;
	int rc;

	*watch->policy_error = '\0';
	rc = policy_open(&policies, watch->host);
	if (rc) {
		watch->policy_reason = rc == -EINVAL ? "malformed" : "unreadable";
		str_copy(watch->policy_error, sizeof(watch->policy_error), err_text());
		/* There was none before: use the built-in policy. */
		if (!watch->policies && !policy_new(&none))
			watch->policies = none;
		return;
	}
	policy_free(watch->policies);
	watch->policies = policies;
	watch->policy_known = true;
}

static int scan_read_host(struct scan *scan)
{
	const struct inventory *inventory = &scan->watch->inventory;
	const struct host *host = scan->watch->host;
	struct view_sources sources = { .host = host,
					.now = scan->start,
					.pools = &scan->pools,
					.policies = scan->watch->policies };
	struct mounts_seen seen = { .view = NULL };
	size_t i;
	int rc;

	scan->pools_lack = pool_places_gap(host, &scan->pools, scan->pools_unknown);
	sources.pools_unknown = scan->pools_lack;
	/* Adds pools that run in libvirt without a file: those of its test driver, or of
	 * another driver. */
	for (i = 0; i < inventory->npools && !inventory->remote; i++) {
		const struct inventory_pool *pool = &inventory->pools[i];

		if (!pool->xml || !pool->info.active ||
		    view_places_pool(&scan->pools, pool->info.name))
			continue;
		rc = pool_place_add(&scan->pools, pool->xml, pool->info.name, true);
		if (rc)
			return rc;
	}
	rc = view_open(&scan->view, &sources);
	if (rc)
		return rc;
	seen.view = scan->view;
	rc = mounts_audit(&seen, &scan->verdicts);
	if (rc)
		return rc;
	scan->seen = calloc((size_t)scan_mounts(scan)->count + 1, sizeof(*scan->seen));
	scan->targets = calloc(inventory->npools + 1, sizeof(*scan->targets));
	if (!scan->seen || !scan->targets)
		return err_no_memory();
	for (i = 0; i < scan_mounts(scan)->count; i++)
		scan->seen[i] = view_mount(scan->view, (unsigned int)i);
	return 0;
}

/* --- pools -------------------------------------------------------------------------- */

static void scan_find_pool_target(struct scan *scan, size_t index)
{
	const struct pool_xml *xml = scan->watch->inventory.pools[index].xml;
	const char *written = xml ? pool_xml_facts(xml)->target : NULL;
	struct host_path found;

	if (!written || *written != '/')
		return;
	str_copy(scan->targets[index], PATH_MAX,
		 host_path_resolve(scan->watch->host, view_tree(scan->view), written, &found)
			 ? written
			 : found.path);
}

static enum object_transport scan_pool_transport(struct scan *scan, struct inventory_pool *pool,
						 enum pool_run run)
{
	const struct inventory *inventory = &scan->watch->inventory;
	static const enum object_transport runs[] = {
		[POOL_RUN_UNKNOWN] = OBJECT_UNKNOWN, [POOL_RUN_NOTHING] = OBJECT_OTHER,
		[POOL_RUN_OTHER] = OBJECT_OTHER,     [POOL_RUN_RDMA] = OBJECT_RDMA,
		[POOL_RUN_TCP] = OBJECT_OTHER,       [POOL_RUN_MIXED] = OBJECT_OTHER,
	};
	bool nothing = run == POOL_RUN_NOTHING || run == POOL_RUN_OTHER, confirmed;

	if (!nothing)
		pool->missing_ms = 0;
	else if (!pool->missing_ms)
		pool->missing_ms = scan->start;
	/* Whether libvirt, queried after the pool was first seen without a mount, still shows
	 * it as running. */
	confirmed = !nothing || inventory->pools_ms > pool->missing_ms;
	if (!confirmed)
		scan->watch->ask_pools = true;
	/* Only libvirt knows whether a pool runs. */
	return inventory->connected && confirmed ? runs[run] : OBJECT_UNKNOWN;
}

/* A pool has the same finding here as in `nfsrdma pool list`. */
static void scan_on_pool_finding(void *arg, const struct finding *finding)
{
	struct watch_object *object = arg;
	const char *text = finding->summary;
	size_t len = strlen(object->pool);

	if (!strncmp(text, object->pool, len) && !strncmp(text + len, ": ", 2))
		text += len + 2;
	text_copy(object->text, sizeof(object->text), text);
	str_copy(object->reason, sizeof(object->reason), finding->reason);
	text_copy(object->shares_with, sizeof(object->shares_with),
		  finding_evidence(finding, "shares_with"));
	text_copy(object->nfs_version, sizeof(object->nfs_version),
		  finding_evidence(finding, "nfs_version"));
	text_copy(object->mounted, sizeof(object->mounted), finding_evidence(finding, "mounted"));
}

static void scan_pool(struct scan *scan, size_t index)
{
	struct inventory_pool *pool = &scan->watch->inventory.pools[index];
	struct watch_object object = { .kind = OBJECT_POOL };
	struct pool_seen seen = { .xml = pool->xml,
				  .info = &pool->info,
				  .view = scan->view,
				  .remote = scan->watch->inventory.remote };
	const char *unconfirmed = NULL;
	struct pool_state state;

	/* A stopped pool counts as absent. */
	if (!pool->info.active)
		return;
	str_copy(object.key, sizeof(object.key), pool->info.uuid);
	str_copy(object.pool, sizeof(object.pool), pool->info.name);
	snprintf(object.name, sizeof(object.name), "pool %s", object.pool);
	if (!pool->xml) {
		scan_see_broken(scan, &object, "pool.definition", pool->broken);
		return;
	}
	scan_find_pool_target(scan, index);
	seen.target = *scan->targets[index] ? scan->targets[index] : NULL;
	pool_state(&seen, &state);
	text_copy(object.target, sizeof(object.target), scan->targets[index]);
	if (pool_xml_source(pool->xml, object.spec, sizeof(object.spec)))
		*object.spec = '\0';
	object.wanted = state.wanted.rdma;
	object.tolerated = state.state == VIEW_TOLERATED;
	str_copy(object.wanted_by, sizeof(object.wanted_by), state.wanted.from);
	object.run = scan_pool_transport(scan, pool, state.run);
	if (state.mount)
		str_copy(object.proto, sizeof(object.proto), state.mount->mount->proto);
	str_copy(object.id, sizeof(object.id), "pool.transport");
	pool_audit_transport(&seen, scan_on_pool_finding, &object);
	if (object.run == OBJECT_UNKNOWN && !scan->watch->inventory.connected)
		unconfirmed = "libvirt does not answer whether it runs";
	else if (object.run == OBJECT_UNKNOWN && state.run != POOL_RUN_UNKNOWN)
		unconfirmed = "its mount is gone; libvirt is asked whether it still runs";
	if (unconfirmed) {
		str_copy(object.reason, sizeof(object.reason), "unconfirmed");
		str_copy(object.text, sizeof(object.text), unconfirmed);
	}
	scan_see(scan, &object);
}

/* --- mounts ------------------------------------------------------------------------- */

static void scan_describe_mount(const struct mount_verdict *verdict, struct watch_object *object)
{
	const struct mount_opinion *opinion = &verdict->opinions[MOUNT_TRANSPORT];

	str_copy(object->reason, sizeof(object->reason),
		 object->kind == OBJECT_DOMAIN ? "vdsm" : "not-rdma");
	if (object->run == OBJECT_UNKNOWN) {
		str_copy(object->reason, sizeof(object->reason), "no-transport");
		str_copy(object->text, sizeof(object->text),
			 "its transport is unknown: mountinfo gives no transport");
	} else if (object->run == OBJECT_RDMA) {
		snprintf(object->text, sizeof(object->text), "over %s, NFSv%s", object->proto,
			 verdict->mount->vers);
	} else if (object->wanted &&
		   (opinion->status == FINDING_FAIL || opinion->status == FINDING_WARN)) {
		/* plugin/mounts has the reason. */
		str_copy(object->text, sizeof(object->text), opinion->text);
	} else if (object->wanted) {
		snprintf(object->text, sizeof(object->text), "over %s, but %s %s RDMA",
			 object->proto, object->wanted_by, view_verb(&verdict->view->wanted));
	}
}

/* A helper may undo what is not over RDMA. */
static bool scan_is_being_mounted(const struct scan *scan, const struct nfs_mount *mount)
{
	const struct request *request = view_request(scan->view, mount);

	return request && !request->broken && scan->folder >= 0 &&
	       request_is_busy(scan->folder, request->target);
}

static void scan_mount(struct scan *scan, unsigned int index)
{
	static const enum object_transport runs[] = {
		[RUN_UNKNOWN] = OBJECT_UNKNOWN, [RUN_RDMA] = OBJECT_RDMA,
		[RUN_CLAIMED] = OBJECT_RDMA,    [RUN_MIXED] = OBJECT_OTHER,
		[RUN_OTHER] = OBJECT_OTHER,
	};
	const struct mount_verdict *verdict = &scan->verdicts[index];
	const struct nfs_mount *mount = verdict->mount;
	const struct view_wanted *wanted = &verdict->view->wanted;
	struct watch_object object = { .kind = OBJECT_MOUNT, .wanted = wanted->rdma };

	/* A later mount hides it. */
	if (verdict->view->covered)
		return;
	if (verdict->view->domain)
		object.kind = OBJECT_DOMAIN;
	snprintf(object.key, sizeof(object.key), "%s %s", mount->target, mount->fs_spec);
	snprintf(object.name, sizeof(object.name), "%s %.150s (%.150s)",
		 object.kind == OBJECT_DOMAIN ? "storage domain" : "mount", mount->target,
		 mount->fs_spec);
	str_copy(object.target, sizeof(object.target), mount->target);
	str_copy(object.spec, sizeof(object.spec), mount->fs_spec);
	str_copy(object.proto, sizeof(object.proto), mount->proto);
	if (wanted->rdma)
		str_copy(object.wanted_by, sizeof(object.wanted_by), wanted->from);
	str_copy(object.id, sizeof(object.id), "watch.mount");
	object.tolerated = wanted->rdma && wanted->mode == POLICY_PREFER;
	object.run = runs[verdict->view->run];
	scan_describe_mount(verdict, &object);
	if (object.run != OBJECT_RDMA && scan_is_being_mounted(scan, mount)) {
		object.run = OBJECT_UNKNOWN;
		str_copy(object.reason, sizeof(object.reason), "being-mounted");
		str_copy(object.text, sizeof(object.text), "a mount helper is mounting it");
	}
	scan_see(scan, &object);
}

/* Lost READs are a kernel bug, reported whatever transport is requested. */
static void scan_reads(struct scan *scan)
{
	struct watch *watch = scan->watch;
	struct lost_reads *lost;
	unsigned int i;

	for (i = 0; i < scan_mounts(scan)->count; i++) {
		if (scan->verdicts[i].opinions[MOUNT_READS].status != FINDING_FAIL)
			continue;
		if (watch->nlost++ >= LOST_READS_MAX)
			continue;
		lost = &watch->lost[watch->nlost - 1];
		str_copy(lost->target, sizeof(lost->target), scan_mounts(scan)->list[i].target);
		str_copy(lost->spec, sizeof(lost->spec), scan_mounts(scan)->list[i].fs_spec);
		lost->reads = scan_mounts(scan)->list[i].reads;
	}
}

/* Whether the server answers, for mounts that are or should be over RDMA. */
static void scan_silence(struct scan *scan)
{
	_cleanup_(host_rpc_queues_fini) struct host_rpc_queues queues = { 0 };
	const struct silence_sources sources = { &queues, scan->start };
	struct silences *all = &scan->watch->silences;
	const struct view_mount *seen;
	unsigned int i;
	int rc = host_rpc_queues(scan->watch->host, &queues);

	scan->rc = scan->rc ? scan->rc : rc;
	silences_begin(all);
	for (i = 0; i < scan_mounts(scan)->count; i++) {
		seen = scan->seen[i];
		if (seen->covered || (!seen->wanted.rdma && !view_is_rdma(seen->mount->proto)))
			continue;
		rc = silences_see(all, &sources, seen->mount, scan->watch->on_silence,
				  scan->watch->arg);
		scan->rc = scan->rc ? scan->rc : rc;
	}
	silences_end(all);
}

/* --- what was requested ------------------------------------------------------------- */

static void scan_requests(struct scan *scan)
{
	const char *root = scan->watch->options->root;

	view_lost(scan->view, NULL, &scan->watch->requests);
	if (scan->folder >= 0)
		view_settle(scan->view, root ? root : "/");
}

/* Of what is or should be over RDMA. A hidden mount is still there. */
static void scan_gone(void *arg, const struct watch_object *object, enum object_state state)
{
	struct scan *scan = arg;
	unsigned int i;

	if (object->kind > OBJECT_DOMAIN || (state != STATE_GOOD && state != STATE_BAD) ||
	    scan_mounts(scan)->cut || scan_mounts(scan)->unreadable)
		return;
	for (i = 0; i < scan_mounts(scan)->count; i++)
		if (!strcmp(scan_mounts(scan)->list[i].target, object->target) &&
		    !strcmp(scan_mounts(scan)->list[i].fs_spec, object->spec))
			return;
	scan->watch->on_unmounted(scan->watch->arg, object);
}

/* --- disks -------------------------------------------------------------------------- */

/* A disk that passes with a warning is not over RDMA, unless the warning is about the
 * mount's source. */
static enum object_transport scan_disk_transport(const struct guard_verdict *verdict)
{
	bool rdma = view_is_rdma(verdict->proto);
	bool alias = rdma && !strcmp(verdict->id, "gate.mount");

	if (verdict->answer == GUARD_UNKNOWN)
		return OBJECT_UNKNOWN;
	if (verdict->answer == GUARD_REFUSE || (verdict->loud && !alias))
		return OBJECT_OTHER;
	return verdict->wanted || rdma ? OBJECT_RDMA : OBJECT_OTHER;
}

static void scan_disk(struct scan *scan, const struct guard *guard,
		      const struct follow_guest *guest, const struct domain_disk *disk)
{
	const char *name = guest->disks.name ? guest->disks.name : guest->uuid;
	const char *end = disk->path ? disk->path : disk->pool;
	size_t len = strlen(end);
	const struct guard_disk question = domain_disk_guard(disk);
	_cleanup_free_ struct guard_verdict *verdict = calloc(1, sizeof(*verdict));
	struct watch_object object = { .kind = OBJECT_DISK };

	if (!verdict) {
		scan->rc = err_no_memory();
		return;
	}
	guard_ask(guard, &question, verdict);
	/* A disk of unknown transport is reported, too. */
	object.wanted = verdict->wanted || verdict->answer == GUARD_UNKNOWN;
	object.tolerated = verdict->loud;
	object.run = scan_disk_transport(verdict);
	/* The end of a long path distinguishes files. */
	snprintf(object.key, sizeof(object.key), "%s %.60s %u %s/%.200s", guest->uuid, disk->device,
		 disk->depth, end + (len > 300 ? len - 300 : 0), disk->path ? "" : disk->volume);
	snprintf(object.name, sizeof(object.name), "guest %.120s", name);
	text_copy(object.guest, sizeof(object.guest), name);
	text_copy(object.disk, sizeof(object.disk), disk->device);
	text_copy(object.pool, sizeof(object.pool), disk->pool ? disk->pool : verdict->pool);
	str_copy(object.wanted_by, sizeof(object.wanted_by), verdict->by);
	str_copy(object.target, sizeof(object.target), verdict->target);
	str_copy(object.spec, sizeof(object.spec), verdict->fs_spec);
	str_copy(object.proto, sizeof(object.proto), verdict->proto);
	str_copy(object.id, sizeof(object.id), verdict->id);
	str_copy(object.reason, sizeof(object.reason), verdict->reason);
	str_copy(object.remedy, sizeof(object.remedy), verdict->remedy);
	if (*verdict->text)
		str_copy(object.text, sizeof(object.text), verdict->text);
	else
		snprintf(object.text, sizeof(object.text), "disk %s (%.300s) is over %s",
			 object.disk, verdict->path, verdict->proto);
	scan_see(scan, &object);
}

static void scan_disks(struct scan *scan)
{
	const struct inventory *inventory = &scan->watch->inventory;
	_cleanup_(guard_close_p) struct guard *guard = NULL;
	size_t i, j;

	if (!inventory->nguests)
		return;
	/* Guests whose XML cannot be read: their disks are unknown, and the gate is not
	 * asked. */
	for (i = 0; i < inventory->nguests; i++) {
		const struct follow_guest *guest = &inventory->guests[i];
		const char *name = guest->disks.name ? guest->disks.name : guest->uuid;
		struct watch_object object = { .kind = OBJECT_DISK, .disk = "?" };

		if (!*guest->broken)
			continue;
		str_copy(object.key, sizeof(object.key), guest->uuid);
		snprintf(object.name, sizeof(object.name), "guest %.120s", name);
		text_copy(object.guest, sizeof(object.guest), name);
		scan_see_broken(scan, &object, "gate.unknown", guest->broken);
	}
	/* A gate that cannot read the policy gives no answer. */
	if (*scan->watch->policy_error) {
		scan_lose(scan, OBJECT_DISK, scan->watch->policy_error);
		return;
	}
	if (guard_over(&guard, scan->watch->host, scan->view, &scan->pools, scan->pools_lack)) {
		scan_lose(scan, OBJECT_DISK, err_text());
		return;
	}
	for (i = 0; i < inventory->nguests; i++)
		for (j = 0; j < inventory->guests[i].disks.count; j++)
			scan_disk(scan, guard, &inventory->guests[i],
				  &inventory->guests[i].disks.list[j]);
}

/* --- all ---------------------------------------------------------------------------- */

/* The metrics are the same as of `nfsrdma mounts`, but for the answers. */
static void scan_all(struct scan *scan, struct report *report)
{
	const struct mounts_seen seen = { .view = scan->view };
	struct mounts_measured measured = { .seen = &seen, .verdicts = scan->verdicts };
	unsigned int i;

	objects_begin(&scan->watch->objects);
	for (i = 0; i < scan_mounts(scan)->count; i++)
		scan_mount(scan, i);
	scan_reads(scan);
	scan_silence(scan);
	scan_requests(scan);
	for (i = 0; i < scan->watch->inventory.npools; i++)
		scan_pool(scan, i);
	scan_disks(scan);
	objects_end(&scan->watch->objects, scan_gone, scan);
	mounts_metrics_of(scan->watch->host, &measured, report);
}

int scan_host(struct watch *watch, int folder, struct report *report)
{
	_cleanup_(scan_fini) struct scan scan = { .watch = watch,
						  .folder = folder,
						  .start = now_ms() };
	uint64_t start = now_ns();
	struct report_collector collector = { report, 0 };
	int rc;

	watch->ask_pools = false;
	watch->last_scan = time(NULL);
	scan_read_policy(watch);
	rc = scan_read_host(&scan);
	*watch->mounts_error = '\0';
	watch->nlost = 0;
	if (rc) {
		str_copy(watch->mounts_error, sizeof(watch->mounts_error), err_text());
		watch->mounts_reason = "unreadable";
		objects_begin(&watch->objects);
		scan_lose(&scan, OBJECT_KINDS, watch->mounts_error);
		objects_end(&watch->objects, NULL, NULL);
	} else {
		scan_all(&scan, report);
	}
	if (scan.rc) {
		snprintf(watch->mounts_error, sizeof(watch->mounts_error),
			 "not everything is watched: %s", strerror(-scan.rc));
		watch->mounts_reason = scan.rc == -ENOSPC ? "too-many" : "no-memory";
	}
	watch->nmounts = scan.view ? view_nfs(scan.view)->count : 0;
	watch->scans++;
	watch->scan_ms = (double)(now_ns() - start) / 1e6;
	debug(DEBUG_WATCH, "look %lu: %u mount%s, %.1f ms%s%s", watch->scans, watch->nmounts,
	      watch->nmounts == 1 ? "" : "s", watch->scan_ms, *watch->mounts_error ? ": " : "",
	      watch->mounts_error);
	report_times(report, watch->last_scan, watch->scan_ms);
	summary_findings(watch, report_collect, &collector);
	rc = summary_table(watch, report);
	return rc ? rc : collector.rc;
}
