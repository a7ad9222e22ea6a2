/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* view-consumers ROOT TARGET SOURCE: what those say of a mount who have no --root, for tests/cli/view.sh.
 * A line each: "helper rdma|other|none", "pool STATUS TEXT" of the pool 'vm' as a daemon would have it,
 * "ovirt TEXT" of the domain SOURCE, "watch STATUS TEXT" of the watcher, which looks last. */
#include <stdio.h>

#include "mount-helper/internal.h"
#include "plugin/libvirt/libvirt.h"
#include "plugin/ovirt/ovirt.h"
#include "plugin/watch/watch.h"

static void print_finding(void *arg, const struct finding *finding)
{
	const char *name = arg;

	if (!strcmp(finding->id, "pool.transport"))
		printf("%s %s %s\n", name, finding_status_name(finding->status), finding->summary);
}

/* Of the topmost NFS mount there. */
static void ask_helper(const struct host *host, const char *target)
{
	struct nfs_mounts mounts = { 0 };
	struct proof proof = { 0 };
	unsigned int i;

	if (host_nfs_mounts(host, &mounts))
		return;
	for (i = mounts.count; i > 0 && strcmp(mounts.list[i - 1].target, target); i--)
		;
	if (i)
		proof_read(host, mounts.list[i - 1].id, &proof);
	printf("helper %s\n", !i ? "none" : proof.rdma ? "rdma" : "other");
	host_nfs_mounts_fini(&mounts);
}

static void ask_pool(const struct host *host, const struct view *view)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	char name[] = "vm";
	const struct pool_info info = { .name = name, .active = true };
	const struct pool_seen seen = { .info = &info, .view = view };
	struct pool_seen one = seen;

	if (host_read(host, "etc/libvirt/storage/vm.xml", POOL_XML_MAX, &text) ||
	    pool_xml_parse(&xml, text.text, text.len))
		return;
	one.xml = xml;
	pool_audit_transport(&one, print_finding, (void *)"pool");
}

static void ask_ovirt(const struct view *view, const char *source)
{
	struct ovirt_domain domain;
	struct ovirt_mounted mounted;

	if (ovirt_domain(source, NULL, &domain))
		return;
	ovirt_mounted(view, &domain, &mounted);
	printf("ovirt %s\n", mounted.text);
}

static void ask_watcher(const char *root)
{
	const struct watch_options options = { .root = root };
	struct report *report = NULL;
	int rc = watch_once(&options, deadline_in(5000), &report);

	if (rc)
		printf("error %s\n", err_text());
	if (report)
		report_print(report, report_format_find("json"), stdout, NULL);
	report_free(report);
}

int main(int argc, char **argv)
{
	_cleanup_(view_places_fini) struct view_places pools = { .count = 0 };
	_cleanup_(view_close_p) struct view *view = NULL;
	_cleanup_(host_close_p) struct host *host = NULL;
	struct view_sources sources = { .pools = &pools, .now = now_ms() };
	char why[ERR_TEXT_MAX];

	if (argc != 4 || host_open(&host, argv[1]))
		return 2;
	sources.host = host;
	sources.pools_unknown = pool_places_gap(host, &pools, why);
	if (view_open(&view, &sources)) {
		printf("error %s\n", err_text());
		return 1;
	}
	ask_helper(host, argv[2]);
	ask_pool(host, view);
	ask_ovirt(view, argv[3]);
	ask_watcher(argv[1]);
	return 0;
}
