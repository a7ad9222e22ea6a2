/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One look: mounts, pools and disks as they are now, compared with their former state, and the records
 * renewed. Nothing here waits: it reads files of the kernel and of this host. */
#include "plugin/watch/internal.h"

struct looking {
	struct watch *watch;
	int folder;
	uint64_t start;
	char boot_id[40];
	struct record_list records;
	struct view_places pools; /* from files, and from libvirt those without a file */
	char pools_unknown[ERR_TEXT_MAX];
	const char *pools_lack; /* NULL: all are known */
	struct view *view;      /* all that is read of this host, once */
	struct mount_verdict *verdicts;
	const struct view_mount **seen; /* of each mount */
	char (*targets)[PATH_MAX];      /* of each known pool; "" if it has none */
	int rc;                         /* of the first object that could not be stored */
};

static void looking_fini(struct looking *l)
{
	view_close(l->view);
	view_places_fini(&l->pools);
	record_list_fini(&l->records);
	free(l->verdicts);
	free(l->seen);
	free(l->targets);
}

static const struct nfs_mounts *mounts_of(const struct looking *l)
{
	return view_nfs(l->view);
}

static void see(struct looking *l, const struct thing *thing)
{
	int rc = things_see(&l->watch->things, thing, l->watch->tell, l->watch->arg);

	l->rc = l->rc ? l->rc : rc;
}

/* What cannot be read may request RDMA. */
static void see_broken(struct looking *l, struct thing *thing, const char *id,
		       const char *why)
{
	thing->wanted = true;
	thing->run = THING_UNKNOWN;
	strcpy(thing->id, id);
	strcpy(thing->reason, thing->kind == THING_POOL ? "malformed" : "lost");
	snprintf(thing->text, sizeof(thing->text), "its XML cannot be read: %s", why);
	see(l, thing);
}

/* The state of what cannot be read is unknown. @kind: THING_KINDS: all. */
static void lose(struct looking *l, enum thing_kind kind, const char *why)
{
	static const struct {
		const char *id, *reason;
	} unseen[THING_KINDS] = {
		[THING_MOUNT] = { "watch.mount", "not-seen" },
		[THING_DOMAIN] = { "watch.mount", "not-seen" },
		[THING_POOL] = { "pool.transport", "not-visible" },
		[THING_DISK] = { "gate.unknown", "lost" },
	};
	struct things *things = &l->watch->things;
	size_t count = things->count, i;
	struct thing thing;

	for (i = 0; i < count; i++) {
		thing = things->list[i]->now;
		if (!things->list[i]->present ||
		    (kind != THING_KINDS && thing.kind != kind))
			continue;
		thing.run = THING_UNKNOWN;
		strcpy(thing.id, unseen[thing.kind].id);
		strcpy(thing.reason, unseen[thing.kind].reason);
		snprintf(thing.text, sizeof(thing.text), "could not be checked: %s", why);
		see(l, &thing);
	}
}

/* --- sources ------------------------------------------------------------------------ */

/* If it has an error, the last policy without errors stays in force, and the report says so. */
static void read_policy(struct watch *watch)
{
	struct policies *policies = NULL, *none = NULL;
	int rc;

	*watch->policy_error = '\0';
	rc = policy_open(&policies, watch->host);
	if (rc) {
		watch->policy_reason = rc == -EINVAL ? "malformed" : "unreadable";
		snprintf(watch->policy_error, sizeof(watch->policy_error), "%s",
			 err_text());
		/* There was none before: use the built-in policy. */
		if (!watch->policies && !policy_new(&none))
			watch->policies = none;
		return;
	}
	policy_free(watch->policies);
	watch->policies = policies;
	watch->policy_known = true;
}

/* Adds pools that run in libvirt without a file: those of its test driver, or of another
 * driver. */
static int add_heard_pools(struct looking *l)
{
	const struct heard *heard = &l->watch->heard;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < heard->npools && !heard->remote; i++)
		if (heard->pools[i].xml && heard->pools[i].info.active &&
		    !view_places_pool(&l->pools, heard->pools[i].info.name))
			rc = pool_place_add(&l->pools, heard->pools[i].xml,
					    heard->pools[i].info.name, true);
	return rc;
}

static int read_host(struct looking *l)
{
	const struct host *host = l->watch->host;
	struct view_sources sources = { .host = host,
					.now = l->start,
					.pools = &l->pools,
					.policies = l->watch->policies,
					.records = &l->records,
					.boot_id = l->boot_id };
	int rc = record_boot_id(host, l->boot_id, sizeof(l->boot_id));

	/* Records first: a record whose mount is missing when mounts are read later is
	 * outdated. */
	rc = rc ? rc : record_list(host, &l->records);
	if (rc)
		return rc;
	l->pools_lack = pool_places_gap(host, &l->pools, l->pools_unknown);
	sources.pools_unknown = l->pools_lack;
	rc = add_heard_pools(l);
	return rc ? rc : view_open(&l->view, &sources);
}

static int judge_all(struct looking *l)
{
	const struct mounts_seen seen = { .view = l->view };
	unsigned int i, count = mounts_of(l)->count;
	int rc = mounts_audit(&seen, &l->verdicts);

	l->seen = calloc((size_t)count + 1, sizeof(*l->seen));
	l->targets = calloc(l->watch->heard.npools + 1, sizeof(*l->targets));
	if (!rc && (!l->seen || !l->targets))
		rc = err_set(ENOMEM, "no memory");
	for (i = 0; !rc && i < count; i++)
		l->seen[i] = view_mount(l->view, i);
	return rc;
}

/* --- pools -------------------------------------------------------------------------- */

static struct pool_seen pool_seen_of(const struct looking *l, size_t index)
{
	const struct heard_pool *pool = &l->watch->heard.pools[index];

	return (struct pool_seen){
		.xml = pool->xml,
		.info = &pool->info,
		.view = l->view,
		.remote = l->watch->heard.remote,
		.target = *l->targets[index] ? l->targets[index] : NULL,
	};
}

static void find_target(struct looking *l, size_t index)
{
	const struct pool_xml *xml = l->watch->heard.pools[index].xml;
	const char *written = xml ? pool_xml_facts(xml)->target : NULL;
	struct host_path found;

	if (!written || *written != '/')
		return;
	snprintf(l->targets[index], PATH_MAX, "%s",
		 host_path_resolve(l->watch->host, view_tree(l->view), written, &found)
			 ? written
			 : found.path);
}

/* Whether libvirt, queried after the pool was first seen without a mount, still shows it as
 * running. */
static bool is_missing(struct looking *l, struct heard_pool *pool, enum pool_run run)
{
	const struct heard *heard = &l->watch->heard;

	if (run != POOL_RUN_NOTHING && run != POOL_RUN_OTHER) {
		pool->missing_ms = 0;
		return false;
	}
	if (!pool->missing_ms)
		pool->missing_ms = l->start;
	if (heard->pools_ms > pool->missing_ms)
		return true;
	l->watch->ask_pools = true;
	return false;
}

static enum thing_run run_of_pool(struct looking *l, struct heard_pool *pool,
				  enum pool_run run)
{
	static const enum thing_run runs[] = {
		[POOL_RUN_UNKNOWN] = THING_UNKNOWN, [POOL_RUN_NOTHING] = THING_OTHER,
		[POOL_RUN_OTHER] = THING_OTHER,     [POOL_RUN_RDMA] = THING_RDMA,
		[POOL_RUN_TCP] = THING_OTHER,       [POOL_RUN_MIXED] = THING_OTHER,
	};
	bool missing = is_missing(l, pool, run);

	/* Only libvirt knows whether a pool runs. */
	if (!l->watch->heard.connected)
		return THING_UNKNOWN;
	return runs[run] != THING_OTHER || missing || !pool->missing_ms ? runs[run]
									: THING_UNKNOWN;
}

struct pool_look {
	struct looking *l;
	struct thing *thing;
};

/* A pool has the same finding here as in `nfsrdma pool list`. */
static void take_finding(void *arg, const struct finding *finding)
{
	struct thing *thing = ((struct pool_look *)arg)->thing;
	const char *text = finding->summary;
	size_t len = strlen(thing->pool);

	if (!strncmp(text, thing->pool, len) && !strncmp(text + len, ": ", 2))
		text += len + 2;
	text_copy(thing->text, sizeof(thing->text), text);
	strcpy(thing->reason, finding->reason);
	text_copy(thing->shares_with, sizeof(thing->shares_with),
		  finding_evidence(finding, "shares_with"));
	text_copy(thing->nfs_version, sizeof(thing->nfs_version),
		  finding_evidence(finding, "nfs_version"));
	text_copy(thing->mounted, sizeof(thing->mounted),
		  finding_evidence(finding, "mounted"));
}

static void say_unconfirmed(struct thing *thing, const char *text)
{
	strcpy(thing->reason, "unconfirmed");
	strcpy(thing->text, text);
}

static void look_at_pool(struct looking *l, size_t index)
{
	struct heard_pool *pool = &l->watch->heard.pools[index];
	struct thing thing = { .kind = THING_POOL };
	struct pool_look one = { l, &thing };
	struct pool_seen seen;
	struct pool_state state;

	/* A stopped pool counts as absent. */
	if (!pool->info.active)
		return;
	snprintf(thing.key, sizeof(thing.key), "%s", pool->info.uuid);
	snprintf(thing.pool, sizeof(thing.pool), "%s", pool->info.name);
	snprintf(thing.name, sizeof(thing.name), "pool %s", thing.pool);
	if (!pool->xml) {
		see_broken(l, &thing, "pool.definition", pool->broken);
		return;
	}
	find_target(l, index);
	seen = pool_seen_of(l, index);
	pool_state(&seen, &state);
	text_copy(thing.target, sizeof(thing.target), l->targets[index]);
	if (pool_xml_source(pool->xml, thing.spec, sizeof(thing.spec)))
		*thing.spec = '\0';
	thing.wanted = state.wanted.rdma;
	thing.tolerated = state.state == VIEW_TOLERATED;
	snprintf(thing.wanted_by, sizeof(thing.wanted_by), "%s", state.wanted.from);
	thing.run = run_of_pool(l, pool, state.run);
	if (state.mount)
		strcpy(thing.proto, state.mount->mount->proto);
	strcpy(thing.id, "pool.transport");
	pool_audit_transport(&seen, take_finding, &one);
	if (thing.run == THING_UNKNOWN && !l->watch->heard.connected)
		say_unconfirmed(&thing, "libvirt does not answer whether it runs");
	else if (thing.run == THING_UNKNOWN && state.run != POOL_RUN_UNKNOWN)
		say_unconfirmed(
			&thing,
			"its mount is gone; libvirt is asked whether it still runs");
	see(l, &thing);
}

/* --- mounts ------------------------------------------------------------------------- */

/* Ignores the record: the caller proves the mount, and then renews the record. */
static enum thing_run run_of_mount(const struct view_mount *seen)
{
	static const enum thing_run runs[] = {
		[RUN_UNKNOWN] = THING_UNKNOWN, [RUN_RDMA] = THING_RDMA,
		[RUN_CLAIMED] = THING_RDMA,    [RUN_MIXED] = THING_OTHER,
		[RUN_OTHER] = THING_OTHER,
	};

	return runs[seen->run];
}

/* plugin/mounts has the reason. */
static bool says_why(const struct mount_verdict *verdict)
{
	enum finding_status status = verdict->opinions[MOUNT_TRANSPORT].status;

	return status == FINDING_FAIL || status == FINDING_WARN;
}

static void describe(const struct mount_verdict *verdict, struct thing *thing)
{
	strcpy(thing->reason, thing->kind == THING_DOMAIN ? "vdsm" : "not-rdma");
	if (thing->run == THING_UNKNOWN) {
		strcpy(thing->reason, "no-transport");
		strcpy(thing->text,
		       "its transport is unknown: mountinfo gives no transport");
	} else if (thing->run == THING_RDMA) {
		snprintf(thing->text, sizeof(thing->text), "over %s, NFSv%s",
			 thing->proto, verdict->mount->vers);
	} else if (thing->wanted && says_why(verdict)) {
		snprintf(thing->text, sizeof(thing->text), "%s",
			 verdict->opinions[MOUNT_TRANSPORT].text);
	} else if (thing->wanted) {
		snprintf(thing->text, sizeof(thing->text), "over %s, but %s %s RDMA",
			 thing->proto, thing->wanted_by,
			 view_verb(&verdict->view->wanted));
	}
}

static void look_at_mount(struct looking *l, const struct renew_input *input,
			  unsigned int index)
{
	const struct mount_verdict *verdict = &l->verdicts[index];
	const struct nfs_mount *mount = verdict->mount;
	const struct view_wanted *wanted = &verdict->view->wanted;
	struct thing thing = { .kind = THING_MOUNT, .wanted = wanted->rdma };

	/* A later mount hides it. */
	if (verdict->view->covered)
		return;
	if (verdict->view->domain)
		thing.kind = THING_DOMAIN;
	snprintf(thing.key, sizeof(thing.key), "%s %s", mount->target, mount->fs_spec);
	snprintf(thing.name, sizeof(thing.name), "%s %.150s (%.150s)",
		 thing.kind == THING_DOMAIN ? "storage domain" : "mount", mount->target,
		 mount->fs_spec);
	strcpy(thing.target, mount->target);
	strcpy(thing.spec, mount->fs_spec);
	strcpy(thing.proto, mount->proto);
	if (wanted->rdma)
		strcpy(thing.wanted_by, wanted->from);
	strcpy(thing.id, "watch.mount");
	thing.tolerated = wanted->rdma && wanted->mode == POLICY_PREFER;
	thing.run = run_of_mount(verdict->view);
	describe(verdict, &thing);
	if (renew_is_helpers(input, mount)) {
		thing.run = THING_UNKNOWN;
		strcpy(thing.reason, "being-mounted");
		strcpy(thing.text,
		       "a mount helper is mounting it, or has not recorded the result");
	}
	see(l, &thing);
}

static void look_at_mounts(struct looking *l, struct renew_input *input)
{
	unsigned int i;

	for (i = 0; i < mounts_of(l)->count; i++)
		look_at_mount(l, input, i);
}

/* Lost READs are a kernel bug, reported whatever transport is requested. */
static void look_at_reads(struct looking *l)
{
	struct watch *watch = l->watch;
	struct lost_reads *lost;
	unsigned int i;

	for (i = 0; i < mounts_of(l)->count; i++) {
		if (l->verdicts[i].opinions[MOUNT_READS].status != FINDING_FAIL)
			continue;
		if (watch->nlost++ >= LOST_READS_MAX)
			continue;
		lost = &watch->lost[watch->nlost - 1];
		strcpy(lost->target, mounts_of(l)->list[i].target);
		strcpy(lost->spec, mounts_of(l)->list[i].fs_spec);
		lost->reads = mounts_of(l)->list[i].reads;
	}
}

/* Whether the server answers, for mounts that are or should be over RDMA. */
static void look_at_silence(struct looking *l)
{
	_cleanup_(host_rpc_queues_fini) struct host_rpc_queues queues = { 0 };
	const struct silence_sources sources = { &queues, l->start };
	struct silences *all = &l->watch->silences;
	const struct view_mount *seen;
	unsigned int i;
	int rc = host_rpc_queues(l->watch->host, &queues);

	l->rc = l->rc ? l->rc : rc;
	silences_begin(all);
	for (i = 0; i < mounts_of(l)->count; i++) {
		seen = l->seen[i];
		if (seen->covered ||
		    (!seen->wanted.rdma && !view_is_rdma(seen->mount->proto)))
			continue;
		rc = silences_see(all, &sources, seen->mount, l->watch->tell_silence,
				  l->watch->arg);
		l->rc = l->rc ? l->rc : rc;
	}
	silences_end(all);
}

/* --- records ------------------------------------------------------------------------ */

/* The report that a mount's record extends. NULL: no memory. */
static struct report *report_of(const struct mount_verdict *verdict)
{
	_cleanup_(report_free_p) struct report *report = report_new("watch");
	const struct mount_opinion *opinion = &verdict->opinions[MOUNT_TRANSPORT];
	_cleanup_free_ struct finding *finding = calloc(1, sizeof(*finding));

	if (!report || !finding)
		return NULL;
	report_times(report, time(NULL), 0);
	finding_init(finding, "mount.transport", opinion->status, "%s", opinion->text);
	finding_text(finding, "target", "%s", verdict->mount->target);
	finding_text(finding, "source", "%s", verdict->mount->fs_spec);
	finding_text(finding, "effective", "%s", view_run_name(verdict->mount));
	if (report_add(report, finding))
		return NULL;
	return take_ptr(report);
}

static int renew_one(struct looking *l, const struct renewal *renewal)
{
	static const char *const actions[] = { [RENEW_WRITE] = "written",
					       [RENEW_GONE] = "removed, unmounted",
					       [RENEW_DROP] = "removed" };
	_cleanup_(report_free_p) struct report *report = NULL;

	debug(DEBUG_WATCH, "record of mount %u on %s, %s: %s", renewal->record.id,
	      renewal->record.target, record_state_name(renewal->record.state),
	      actions[renewal->action]);
	switch (renewal->action) {
	case RENEW_WRITE:
		report = report_of(&l->verdicts[renewal->mount]);
		return record_renew(l->folder, &renewal->record, report);
	case RENEW_GONE: l->watch->tell_gone(l->watch->arg, &renewal->record); break;
	case RENEW_DROP: break;
	}
	return record_drop(l->folder, &renewal->record);
}

/* Updates the list from what was written, so that disks are judged by it without reading
 * again. */
static void keep_renewal(struct looking *l, const struct renewal *renewal)
{
	struct record_list *records = &l->records;
	size_t i;

	for (i = 0; i < records->count; i++)
		if (records->list[i].id == renewal->record.id &&
		    (renewal->record.id ||
		     !strcmp(records->list[i].target, renewal->record.target)))
			break;
	if (renewal->action == RENEW_WRITE) {
		records->list[i] = renewal->record;
		records->count += i == records->count;
	} else if (i < records->count) {
		memmove(&records->list[i], &records->list[i + 1],
			(--records->count - i) * sizeof(*records->list));
	}
}

static int make_room(struct looking *l, size_t more)
{
	struct record *list = realloc(l->records.list,
				      (l->records.count + more + 1) * sizeof(*list));

	if (!list)
		return err_set(ENOMEM, "no memory");
	l->records.list = list;
	return 0;
}

/* The first failure is reported; the other records are still written. */
static int renew_each(struct looking *l, const struct renewal *list, size_t count)
{
	char *error = l->watch->record_error;
	size_t i;
	int rc = 0, one;

	for (i = 0; i < count && l->folder >= 0; i++) {
		one = renew_one(l, &list[i]);
		/* 1: another process wrote a newer record. */
		if (!one)
			keep_renewal(l, &list[i]);
		if (one >= 0)
			continue;
		rc = -1;
		snprintf(error, sizeof(l->watch->record_error), "%s", err_text());
	}
	return rc;
}

static void renew(struct looking *l, const struct renew_input *input)
{
	_cleanup_free_ struct renewal *list = NULL;
	char *error = l->watch->record_error;
	size_t count = 0;
	int rc = renew_plan(input, &list, &count);

	*error = '\0';
	if (l->records.nbroken)
		snprintf(error, sizeof(l->watch->record_error),
			 "%u file%s not %s: %.300s", l->records.nbroken,
			 l->records.nbroken == 1 ? " is" : "s are",
			 l->records.nbroken == 1 ? "a record" : "records",
			 l->records.broken->why);
	rc = rc ? rc : make_room(l, count);
	rc = rc ? rc : renew_each(l, list, count);
	if (rc < 0 && !*error)
		snprintf(error, sizeof(l->watch->record_error), "%s", err_text());
	l->watch->records_failed = rc < 0;
	view_renew(l->view, &l->records);
}

/* --- disks -------------------------------------------------------------------------- */

static const char *end_of(const char *text)
{
	size_t len = strlen(text);

	return text + (len > 300 ? len - 300 : 0);
}

/* A disk that passes with a warning is not over RDMA, unless the warning is about the
 * mount's source. */
static enum thing_run run_of_disk(const struct guard_verdict *verdict)
{
	bool rdma = view_is_rdma(verdict->proto);
	bool alias = rdma && !strcmp(verdict->id, "gate.mount");

	if (verdict->answer == GUARD_UNKNOWN)
		return THING_UNKNOWN;
	if (verdict->answer == GUARD_REFUSE || (verdict->loud && !alias))
		return THING_OTHER;
	return verdict->wanted || rdma ? THING_RDMA : THING_OTHER;
}

static void look_at_disk(struct looking *l, const struct guard *guard,
			 const struct follow_guest *guest, const struct domain_disk *disk)
{
	const char *name = guest->disks.name ? guest->disks.name : guest->uuid;
	const struct guard_disk question = domain_disk_guard(disk);
	_cleanup_free_ struct guard_verdict *verdict = calloc(1, sizeof(*verdict));
	struct thing thing = { .kind = THING_DISK };

	if (!verdict) {
		l->rc = err_set(ENOMEM, "no memory");
		return;
	}
	guard_ask(guard, &question, verdict);
	/* A disk of unknown transport is reported, too. */
	thing.wanted = verdict->wanted || verdict->answer == GUARD_UNKNOWN;
	thing.tolerated = verdict->loud;
	thing.run = run_of_disk(verdict);
	/* The end of a long path distinguishes files. */
	snprintf(thing.key, sizeof(thing.key), "%s %.60s %u %s/%.200s", guest->uuid,
		 disk->device, disk->depth, end_of(disk->path ? disk->path : disk->pool),
		 disk->path ? "" : disk->volume);
	snprintf(thing.name, sizeof(thing.name), "guest %.120s", name);
	text_copy(thing.guest, sizeof(thing.guest), name);
	text_copy(thing.disk, sizeof(thing.disk), disk->device);
	text_copy(thing.pool, sizeof(thing.pool),
		  disk->pool ? disk->pool : verdict->pool);
	strcpy(thing.wanted_by, verdict->by);
	strcpy(thing.target, verdict->target);
	strcpy(thing.spec, verdict->fs_spec);
	strcpy(thing.proto, verdict->proto);
	snprintf(thing.id, sizeof(thing.id), "%s", verdict->id);
	snprintf(thing.reason, sizeof(thing.reason), "%s", verdict->reason);
	snprintf(thing.remedy, sizeof(thing.remedy), "%s", verdict->remedy);
	if (*verdict->text)
		snprintf(thing.text, sizeof(thing.text), "%s", verdict->text);
	else
		snprintf(thing.text, sizeof(thing.text), "disk %s (%.300s) is over %s",
			 thing.disk, verdict->path, verdict->proto);
	see(l, &thing);
}

/* Guests whose XML cannot be read: their disks are unknown, and the gate is not asked. */
static void look_at_broken(struct looking *l, const struct follow_guest *guest)
{
	const char *name = guest->disks.name ? guest->disks.name : guest->uuid;
	struct thing thing = { .kind = THING_DISK, .disk = "?" };

	if (!*guest->broken)
		return;
	snprintf(thing.key, sizeof(thing.key), "%s", guest->uuid);
	snprintf(thing.name, sizeof(thing.name), "guest %.120s", name);
	text_copy(thing.guest, sizeof(thing.guest), name);
	see_broken(l, &thing, "gate.unknown", guest->broken);
}

static void look_at_disks(struct looking *l)
{
	const struct heard *heard = &l->watch->heard;
	_cleanup_(guard_close_p) struct guard *guard = NULL;
	size_t i, j;

	if (!heard->nguests)
		return;
	for (i = 0; i < heard->nguests; i++)
		look_at_broken(l, &heard->guests[i]);
	/* A gate that cannot read the policy gives no answer. */
	if (*l->watch->policy_error) {
		lose(l, THING_DISK, l->watch->policy_error);
		return;
	}
	if (guard_over(&guard, l->watch->host, l->view, &l->pools, l->pools_lack)) {
		lose(l, THING_DISK, err_text());
		return;
	}
	for (i = 0; i < heard->nguests; i++)
		for (j = 0; j < heard->guests[i].disks.count; j++)
			look_at_disk(l, guard, &heard->guests[i],
				     &heard->guests[i].disks.list[j]);
}

/* --- metrics ------------------------------------------------------------------------ */

/* The same as of `nfsrdma mounts`, but for the answers. */
static void add_metrics(const struct looking *l, struct report *report)
{
	const struct mounts_seen seen = { .view = l->view };
	struct mounts_measured measured = { .seen = &seen, .verdicts = l->verdicts };
	struct host_system system;

	if (!host_system(l->watch->host, &system))
		measured.system = &system;
	mounts_metrics(&measured, report);
}

/* --- all ---------------------------------------------------------------------------- */

static void look_at_nothing(struct looking *l)
{
	snprintf(l->watch->mounts_error, sizeof(l->watch->mounts_error), "%s",
		 err_text());
	l->watch->mounts_reason = "unreadable";
	things_begin(&l->watch->things);
	lose(l, THING_KINDS, l->watch->mounts_error);
	things_end(&l->watch->things);
}

static void look_at_all(struct looking *l)
{
	struct renew_input input;
	size_t i;

	input = (struct renew_input){ mounts_of(l), l->seen, &l->records, l->boot_id,
				      l->start };
	things_begin(&l->watch->things);
	look_at_mounts(l, &input);
	look_at_reads(l);
	look_at_silence(l);
	renew(l, &input);
	/* By the present proof. */
	for (i = 0; i < l->watch->heard.npools; i++)
		look_at_pool(l, i);
	look_at_disks(l);
	things_end(&l->watch->things);
}

int look_all(struct watch *watch, int folder, struct report *report)
{
	_cleanup_(looking_fini) struct looking l = { .watch = watch,
						     .folder = folder,
						     .start = now_ms() };
	uint64_t start = now_ns();
	struct report_collector collector = { report, 0 };
	int rc;

	watch->ask_pools = false;
	watch->last_look = time(NULL);
	read_policy(watch);
	rc = read_host(&l);
	rc = rc ? rc : judge_all(&l);
	*watch->mounts_error = '\0';
	watch->nlost = 0;
	if (rc) {
		look_at_nothing(&l);
	} else {
		look_at_all(&l);
		add_metrics(&l, report);
	}
	if (l.rc) {
		snprintf(watch->mounts_error, sizeof(watch->mounts_error),
			 "not everything is watched: %s", strerror(-l.rc));
		watch->mounts_reason = l.rc == -ENOSPC ? "too-many" : "no-memory";
	}
	watch->nmounts = l.view ? view_nfs(l.view)->count : 0;
	watch->looks++;
	watch->look_ms = (double)(now_ns() - start) / 1e6;
	debug(DEBUG_WATCH, "look %lu: %u mount%s, %.1f ms%s%s", watch->looks,
	      watch->nmounts, watch->nmounts == 1 ? "" : "s", watch->look_ms,
	      *watch->mounts_error ? ": " : "", watch->mounts_error);
	report_times(report, watch->last_look, watch->look_ms);
	summary_findings(watch, report_collect, &collector);
	rc = summary_table(watch, report);
	return rc ? rc : collector.rc;
}
