/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The state of the storage domains, in VDSM's statistics of the host:
 *
 *	"nfsrdma": {"version": "0.2.0", "mounts": [
 *	    {"path": "/rhev/data-center/mnt/nas:_vm", "source": "nas:/vm", "domains": ["6e8a…"],
 *	     "wanted": "rdma", "wanted_by": "/etc/nfsrdma.conf:3", "effective": "rdma",
 *	     "state": "proven", "age_ms": 12000, "gate": "pass", "reason": ""}]}
 *
 * effective is the actual transport, from the kernel. state comes from the record of the mount
 * (plugin/record): "unknown" without a valid record, with null for its age and the reason; "gone" if
 * VDSM's link leads to a directory that is not a mount point. gate is the answer for a guest that
 * starts now, and reason its cause, if any; otherwise the cause of an unknown state. No server is
 * contacted: everything is read from the kernel and from /run/nfsrdma. */
#include <stdio.h>

#include "hooks/vdsm/internal.h"
#include "hooks/vdsm/json.h"
#include "plugin/record/record.h"

struct stats_sources {
	const struct vdsm_call *call;
	struct host *host;
	struct host_mounts mounts;
	struct nfs_mounts nfs;
	struct guard *guard; /* NULL: why */
	char why[GUARD_TEXT_MAX];
	struct vdsm_domains domains;
	uint64_t now;
};

static void stats_fini(struct stats_sources *stats)
{
	vdsm_domains_fini(&stats->domains);
	guard_close(stats->guard);
	host_nfs_mounts_fini(&stats->nfs);
	host_mounts_fini(&stats->mounts);
	host_close(stats->host);
}

static int stats_open(struct stats_sources *stats)
{
	struct guard_sources sources = { .now = stats->now };
	char repository[HOST_REPOSITORY_MAX];
	int rc = host_open(&stats->host, stats->call->root);

	if (!rc)
		rc = host_all_mounts(stats->host, &stats->mounts, &stats->nfs);
	if (rc)
		return rc;
	sources.host = stats->host;
	if (guard_open(&stats->guard, &sources))
		text_copy(stats->why, sizeof(stats->why), err_text());
	host_repository(stats->host, repository);
	return vdsm_domains(stats->host, &stats->mounts, repository, &stats->domains);
}

/* The actual transport, and the record. Sets *@reason if the state is unknown. */
static void stats_add_mounted(const struct stats_sources *stats,
			      const struct vdsm_domain *domain, struct json_object *out,
			      const char **reason)
{
	const struct record_source records = { .host = stats->host };
	const struct nfs_mount *mount = NULL;
	struct record record;
	unsigned int i;
	int rc;

	for (i = 0; !mount && i < stats->nfs.count; i++)
		if (stats->nfs.list[i].id == domain->mount->id)
			mount = &stats->nfs.list[i];
	vdsm_json_add(out, "source", domain->mount->source);
	if (!mount) {
		/* It was mounted meanwhile, or its line cannot be parsed. */
		vdsm_json_add(out, "effective", "");
		vdsm_json_add(out, "state", "unknown");
		vdsm_json_add(out, "age_ms", NULL);
		*reason = "the kernel's mount list changes or cannot be parsed";
		return;
	}
	vdsm_json_add(out, "effective", view_run_name(mount));
	rc = record_find(&records, mount, stats->now, (uint64_t)2 * RECORD_PERIOD_MS,
			 &record);
	vdsm_json_add(out, "state", rc ? "unknown" : record_state_name(record.state));
	json_object_object_add(
		out, "age_ms",
		rc ? NULL
		   : json_object_new_int64((int64_t)(stats->now - record.checked_ms)));
	if (rc)
		*reason = rc == -ENOENT ? "this mount has not been checked" : err_text();
}

/* The gate's answer for a guest with a disk there. */
static void stats_add_gate(const struct stats_sources *stats,
			   const struct vdsm_domain *domain, struct json_object *out,
			   const char *reason)
{
	struct guard_verdict *verdict = calloc(1, sizeof(*verdict));
	struct guard_disk disk = { .name = "of a guest" };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/images", domain->target);
	disk.path = path;
	if (stats->guard && verdict)
		guard_ask(stats->guard, &disk, verdict);
	if (!stats->guard || !verdict) {
		vdsm_json_add(out, "wanted", NULL);
		vdsm_json_add(out, "wanted_by", NULL);
		vdsm_json_add(out, "gate", "unknown");
		reason = stats->why;
	} else {
		vdsm_json_add(out, "wanted", verdict->wanted ? "rdma" : "");
		vdsm_json_add(out, "wanted_by", verdict->by);
		vdsm_json_add(out, "gate",
			      verdict->refuse                 ? "refuse"
			      : verdict->answer == GUARD_PASS ? "pass"
							      : "unknown");
		if (*verdict->text)
			reason = verdict->text;
	}
	vdsm_json_add(out, "reason", reason);
	free(verdict);
}

static struct json_object *stats_describe(const struct stats_sources *stats,
					  const struct vdsm_domain *domain)
{
	struct json_object *out = json_object_new_object();
	struct json_object *uuids = json_object_new_array();
	char why[ERR_TEXT_MAX];
	const char *reason = "";
	size_t i;

	for (i = 0; i < domain->nuuids; i++)
		json_object_array_add(uuids, json_object_new_string(domain->uuids[i]));
	vdsm_json_add(out, "path", domain->target);
	json_object_object_add(out, "domains", uuids);
	if (domain->mount) {
		stats_add_mounted(stats, domain, out, &reason);
	} else {
		vdsm_json_add(out, "source", NULL);
		vdsm_json_add(out, "effective", "");
		vdsm_json_add(out, "state", "gone");
		vdsm_json_add(out, "age_ms", NULL);
		reason = "nothing is mounted there";
	}
	/* It may be the text of an error, which the next error overwrites. */
	str_copy(why, sizeof(why), reason);
	stats_add_gate(stats, domain, out, why);
	return out;
}

void vdsm_stats(const struct vdsm_call *call, struct hook_answer *out)
{
	_cleanup_(stats_fini) struct stats_sources stats = { .call = call,
							     .now = now_ms() };
	_cleanup_(vdsm_input_fini) struct vdsm_input input = { .folder = -1 };
	_cleanup_(json_put_p) struct json_object *own = NULL;
	_cleanup_(splice_fini) struct splice text = { NULL, 0 };
	struct json_object *list;
	size_t i;

	if (vdsm_input_read(call, VDSM_JSON_MAX, &input) ||
	    splice_open(&text, input.text, input.len) || stats_open(&stats)) {
		vdsm_failed(out);
		return;
	}
	own = json_object_new_object();
	list = json_object_new_array();
	for (i = 0; i < stats.domains.count; i++)
		json_object_array_add(list,
				      stats_describe(&stats, &stats.domains.list[i]));
	vdsm_json_add(own, "version", NFSRDMA_VERSION);
	json_object_object_add(own, "mounts", list);
	if (splice_set(&text, "nfsrdma", vdsm_json_print(own)) ||
	    vdsm_input_replace(&input, text.text, text.len))
		vdsm_failed(out);
}
