/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A scan as findings, as a table, as one line, and as metrics: pure. */
#include "plugin/watch/internal.h"

/* The most objects of one state with a finding of their own; bad ones come first. */
#define SUMMARY_MAX 250

/* --- the watcher itself ------------------------------------------------------------- */

static void summary_policy(const struct watch *watch, struct finding *finding)
{
	if (!*watch->policy_error) {
		finding_init(finding, "watch.policy", FINDING_PASS, "nfsrdma.conf has no errors");
		return;
	}
	finding_init(finding, "watch.policy", FINDING_FAIL, "%s%s", watch->policy_error,
		     watch->policy_known ? "; the policy before stays in force"
					 : "; the policy is unknown");
	finding_reason(finding, watch->policy_reason);
}

static void summary_libvirt(const struct watch *watch, struct finding *finding)
{
	const struct inventory *inventory = &watch->inventory;

	if (!watch->options->libvirt)
		finding_init(finding, "watch.libvirt", FINDING_SKIP, "not asked (--no-libvirt)");
	else if (inventory->connected)
		finding_init(finding, "watch.libvirt", FINDING_PASS,
			     "%zu netfs pool%s and %zu running guest%s at %s", inventory->npools,
			     inventory->npools == 1 ? "" : "s", inventory->nguests,
			     inventory->nguests == 1 ? "" : "s", inventory->uri);
	else if (watch->no_libvirt && !inventory->has_pools)
		finding_init(finding, "watch.libvirt", FINDING_SKIP, "no libvirt on this host");
	else
		finding_init(finding, "watch.libvirt", FINDING_UNKNOWN, "%s",
			     *inventory->why ? inventory->why : "no answer yet");
	if (finding->status == FINDING_UNKNOWN)
		finding_reason(finding, "no-answer");
	finding_number(finding, "connected", inventory->connected);
	finding_number(finding, "pools", (double)inventory->npools);
	finding_number(finding, "guests", (double)inventory->nguests);
}

static unsigned int summary_count(const struct watch *watch, enum object_state state)
{
	unsigned int kind, count = 0;

	for (kind = 0; kind < OBJECT_KINDS; kind++)
		count += objects_count(&watch->objects, (enum object_kind)kind, state);
	return count;
}

static void summary_list(const struct watch *watch, struct finding *finding)
{
	static const struct {
		const char *at, *text;
	} keys[] = {
		[OBJECT_LOST] = { "last_lost_at", "last_lost" },
		[OBJECT_BACK] = { "last_back_at", "last_back" },
	};
	unsigned int good = summary_count(watch, STATE_GOOD), bad = summary_count(watch, STATE_BAD),
		     unknown = summary_count(watch, STATE_UNKNOWN);
	size_t i;

	if (*watch->mounts_error)
		finding_init(finding, "watch.list", FINDING_UNKNOWN, "%s", watch->mounts_error);
	else
		finding_init(finding, "watch.list", FINDING_PASS,
			     "%u NFS mount%s; watched: %u over RDMA, %u not over RDMA, %u unknown",
			     watch->nmounts, watch->nmounts == 1 ? "" : "s", good, bad, unknown);
	if (*watch->mounts_error)
		finding_reason(finding, watch->mounts_reason);
	finding_number(finding, "mounts", watch->nmounts);
	finding_number(finding, "good", good);
	finding_number(finding, "lost", bad);
	finding_number(finding, "unknown", unknown);
	/* For `nfsrdma status`: the last events, and the start of the watch. */
	finding_number(finding, "started_at", (double)watch->started);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!watch->last[i].at)
			continue;
		finding_number(finding, keys[i].at, (double)watch->last[i].at);
		finding_text(finding, keys[i].text, "%s", watch->last[i].text);
	}
}

static void summary_requests(const struct watch *watch, struct finding *finding)
{
	bool good = !*watch->requests.why;

	finding_init(finding, "watch.request", good ? FINDING_PASS : FINDING_UNKNOWN, "%s",
		     good ? "/" REQUEST_FOLDER " is readable" : watch->requests.why);
	finding_reason(finding, good ? "" : "malformed");
	if (!good)
		finding_text(finding, "request", "%s", watch->requests.file);
}

/* --- READs that are lost ------------------------------------------------------------ */

struct summary_sink {
	finding_sink sink;
	void *arg;
	struct finding finding;
};

static void summary_sink_reads(const struct watch *watch, struct summary_sink *to)
{
	struct finding *finding = &to->finding;
	char text[READS_TEXT_MAX];
	unsigned int i;

	for (i = 0; i < watch->nlost && i < LOST_READS_MAX; i++) {
		const struct lost_reads *lost = &watch->lost[i];

		finding_init(finding, "bug.read-812", FINDING_FAIL, "%s: %s", lost->target,
			     reads_text(&lost->reads, text));
		finding_reason(finding, "lost");
		finding_text(finding, "target", "%s", lost->target);
		finding_text(finding, "source", "%s", lost->spec);
		reads_evidence(finding, &lost->reads);
		to->sink(to->arg, finding);
	}
	if (watch->nlost <= LOST_READS_MAX)
		return;
	finding_init(finding, "bug.read-812", FINDING_FAIL, "%u more mounts",
		     watch->nlost - LOST_READS_MAX);
	finding_reason(finding, "lost");
	to->sink(to->arg, finding);
}

/* --- servers that do not answer ----------------------------------------------------- */

void summary_silence(const struct silence *one, struct finding *finding)
{
	finding_init(finding, "watch.silent", FINDING_FAIL,
		     "mount %s (%s): the server does not answer", one->target, one->spec);
	finding_reason(finding, one->hard ? "hard" : "soft");
	finding_text(finding, "target", "%s", one->target);
	finding_text(finding, "source", "%s", one->spec);
	finding_number(finding, "waiting", (double)one->waiting);
}

/* Without the counters, which change at every scan. */
const char *summary_reads(const struct watch *watch, char buf[512])
{
	char more[32] = "";

	*buf = '\0';
	if (!watch->nlost)
		return buf;
	if (watch->nlost > 1)
		snprintf(more, sizeof(more), " and %u more", watch->nlost - 1);
	snprintf(
		buf, 512,
		"this host's kernel cannot read more than 812 bytes over NFS/RDMA: mount %.150s (%.150s)%s; what to do: nfsrdma explain bug.read-812",
		watch->lost[0].target, watch->lost[0].spec, more);
	finding_clean(buf);
	return buf;
}

/* --- what is watched ---------------------------------------------------------------- */

static enum finding_status summary_status(const struct object_history *known)
{
	switch (known->state) {
	case STATE_GOOD: return FINDING_PASS;
	case STATE_BAD: return known->now.tolerated ? FINDING_WARN : FINDING_FAIL;
	case STATE_UNKNOWN: return FINDING_UNKNOWN;
	case STATE_UNREQUESTED:
	case STATE_COUNT: break;
	}
	return FINDING_SKIP;
}

void summary_object(const struct watch_object *object, enum finding_status status,
		    struct finding *finding)
{
	const struct {
		const char *key, *value;
	} evidence[] = {
		{ "target", object->target },
		{ "source", object->spec },
		{ "pool", object->pool },
		{ "guest", object->guest },
		{ "disk", object->disk },
		{ "effective", object->proto },
		{ "wanted_by", object->wanted_by },
		{ "shares_with", object->shares_with },
		{ "nfs_version", object->nfs_version },
		{ "mounted", object->mounted },
	};
	size_t i;

	finding_init(finding, object->id, status, "%s: %s", object->name, object->text);
	if (status != FINDING_PASS)
		finding_reason(finding, object->reason);
	finding_text(finding, "kind", "%s", objects_kind_name(object->kind));
	for (i = 0; i < ARRAY_SIZE(evidence); i++)
		if (*evidence[i].value)
			finding_text(finding, evidence[i].key, "%s", evidence[i].value);
}

/* Calls @fn for present objects, bad ones first; at most @max of each state. */
static int summary_each(const struct watch *watch, unsigned int max,
			int (*fn)(const struct object_history *known, void *arg), void *arg)
{
	static const enum object_state order[] = { STATE_BAD, STATE_UNKNOWN, STATE_GOOD };
	const struct watch_objects *objects = &watch->objects;
	unsigned int count;
	size_t i, j;
	int rc = 0;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		count = 0;
		for (j = 0; !rc && j < objects->count && count < max; j++) {
			if (!objects->list[j]->present || objects->list[j]->state != order[i])
				continue;
			rc = fn(objects->list[j], arg);
			count++;
		}
	}
	return rc;
}

static int summary_on_object(const struct object_history *known, void *arg)
{
	struct summary_sink *to = arg;

	summary_object(&known->now, summary_status(known), &to->finding);
	finding_text(&to->finding, "state", "%s", objects_state_name(known->state));
	to->sink(to->arg, &to->finding);
	return 0;
}

void summary_findings(const struct watch *watch, finding_sink sink, void *arg)
{
	static void (*const before[])(const struct watch *watch, struct finding *finding) = {
		summary_policy,
		summary_libvirt,
		summary_list,
	};
	struct summary_sink to = { .sink = sink, .arg = arg };
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		before[i](watch, &to.finding);
		sink(arg, &to.finding);
	}
	summary_sink_reads(watch, &to);
	for (i = 0; i < watch->silences.count && count < SUMMARY_MAX; i++) {
		if (!watch->silences.list[i].reported)
			continue;
		summary_silence(&watch->silences.list[i], &to.finding);
		sink(arg, &to.finding);
		count++;
	}
	summary_each(watch, SUMMARY_MAX, summary_on_object, &to);
	summary_requests(watch, &to.finding);
	sink(arg, &to.finding);
	finding_fini(&to.finding);
}

static int summary_add_row(const struct object_history *known, void *arg)
{
	const struct watch_object *object = &known->now;
	char name[sizeof(object->name) + sizeof(object->disk) + 8];
	const char *cells[] = { objects_state_name(known->state),
				*object->proto ? object->proto : "-", name,
				*object->wanted_by ? object->wanted_by : "-", NULL };

	snprintf(name, sizeof(name), "%s%s%s", object->name,
		 object->kind == OBJECT_DISK ? ", disk " : "", object->disk);
	return report_row(arg, summary_status(known), cells);
}

int summary_table(const struct watch *watch, struct report *report)
{
	static const char *const heads[] = { "state", "actual", "object", "requested by", NULL };
	int rc = 0;

	if (summary_count(watch, STATE_GOOD) + summary_count(watch, STATE_BAD) +
	    summary_count(watch, STATE_UNKNOWN))
		rc = report_columns(report, heads, 2);
	return rc ? rc : summary_each(watch, OBJECTS_MAX, summary_add_row, report);
}

/* --- one line ----------------------------------------------------------------------- */

#define FIRST_MAX 100

/* @arg: of FIRST_MAX. */
static int summary_take_name(const struct object_history *known, void *arg)
{
	if (known->state == STATE_BAD)
		text_copy(arg, FIRST_MAX, known->now.name);
	return 1;
}

const char *summary_line(const struct watch *watch, char buf[256])
{
	const struct inventory *inventory = &watch->inventory;
	char first[FIRST_MAX] = "", silent[48] = "";
	unsigned int bad = summary_count(watch, STATE_BAD);
	unsigned int nsilent = silences_count(&watch->silences);

	summary_each(watch, 1, summary_take_name, first);
	if (nsilent)
		snprintf(silent, sizeof(silent), "; servers of %u mount%s silent", nsilent,
			 nsilent == 1 ? "" : "s");
	snprintf(buf, 256, "%u over RDMA, %u not%s%s%s, %u unknown%s; libvirt: %s%s",
		 summary_count(watch, STATE_GOOD), bad, *first ? ": " : "", first,
		 bad > 1 ? ", ..." : "", summary_count(watch, STATE_UNKNOWN), silent,
		 !watch->options->libvirt ? "not asked"
		 : inventory->connected   ? "connected"
					  : "not connected",
		 *watch->mounts_error ? "; MOUNTS CANNOT BE READ"
		 : watch->nlost       ? "; THIS KERNEL LOSES DATA OF READS OVER RDMA"
				      : "");
	finding_clean(buf);
	return buf;
}

/* --- metrics ------------------------------------------------------------------------ */

void summary_metrics(const struct watch *watch, struct report *report, bool up)
{
	struct metric_label labels[] = { { "kind", NULL }, { "state", NULL }, { 0 } };
	unsigned int kind, state;

	report_metric(report, METRIC_WATCH_UP, up, NULL);
	report_metric(report, METRIC_WATCH_LAST_CHECK, (double)watch->last_scan, NULL);
	report_metric(report, METRIC_WATCH_CHECKS, (double)watch->scans, NULL);
	report_metric(report, METRIC_WATCH_READS_LOST, watch->nlost, NULL);
	report_metric(report, METRIC_WATCH_SILENT, silences_count(&watch->silences), NULL);
	report_metric(report, METRIC_WATCH_LIBVIRT, watch->inventory.connected, NULL);
	/* Of all kinds and states, so that a series begins with 0. */
	for (kind = 0; kind < OBJECT_KINDS; kind++) {
		labels[0].value = objects_kind_name((enum object_kind)kind);
		for (state = STATE_GOOD; state < STATE_COUNT; state++) {
			labels[1].value = objects_state_name((enum object_state)state);
			report_metric(report, METRIC_WATCH_OBJECTS,
				      objects_count(&watch->objects, (enum object_kind)kind,
						    (enum object_state)state),
				      labels);
		}
	}
	labels[1] = (struct metric_label){ 0 };
	for (kind = 0; kind < OBJECT_KINDS; kind++) {
		labels[0].value = objects_kind_name((enum object_kind)kind);
		report_metric(report, METRIC_WATCH_LOST, (double)watch->objects.lost[kind], labels);
	}
}
