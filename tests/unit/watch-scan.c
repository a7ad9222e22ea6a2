/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One pass over a machine that is a folder: its events and reports. The test supplies
 * libvirt's answers. */
#include <poll.h>

#include "plugin/watch/internal.h"
#include "tests/unit/host-tree.h"
#include "tests/unit/reasons.h"

#define BOOT "b3fe4a6a-8f6b-425a-81db-11412b84d08b"
#define UUID "df263acc-97fb-4d79-81cb-e0a2808e688a"

static struct watch_options options = { .libvirt = true };
static struct tree tree;
static struct watch watch;
static struct report *report;
static int folder;
static char reported[4096];

static void on_event(void *arg, enum object_event event, const struct watch_object *object)
{
	size_t used = strlen(reported);

	(void)arg;
	snprintf(reported + used, sizeof(reported) - used, "%s %s: %s\n",
		 event == OBJECT_LOST ? "lost" : "back", object->name, object->text);
}

static void on_gone(void *arg, const struct watch_object *object)
{
	size_t used = strlen(reported);

	(void)arg;
	snprintf(reported + used, sizeof(reported) - used, "gone %s\n", object->target);
}

static void on_silence(void *arg, const struct silence *one, bool silent, uint64_t now)
{
	size_t used = strlen(reported);

	(void)arg, (void)now;
	snprintf(reported + used, sizeof(reported) - used, "%s %s\n", silent ? "silent" : "answers",
		 one->target);
}

/* NULL: nothing is mounted except the default mounts of a machine. */
static void set_mount(const char *proto)
{
	char info[1024] = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n", stats[512] = "";

	if (proto) {
		snprintf(
			info + strlen(info), sizeof(info) - 100,
			"40 1 0:40 / /pool rw,relatime shared:1 - nfs4 nas1:/e rw,vers=4.2,proto=%s,addr=192.0.2.1\n",
			proto);
		snprintf(stats, sizeof(stats),
			 "device nas1:/e mounted on /pool with fstype nfs4 statvers=1.1\n"
			 "\topts:\trw,vers=4.2,proto=%s\n\tage:\t100\n"
			 "\txprt:\t%s 0 0 1 0 0 1 1 0 1 0\n",
			 proto, proto);
	}
	tree_write(&tree, "proc/self/mountinfo", info);
	tree_write(&tree, "proc/self/mountstats", stats);
}

static void begin(void)
{
	tree_new(&tree);
	tree_write(&tree, "proc/sys/kernel/random/boot_id", BOOT "\n");
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas1]\npolicy = require\n");
	tree_write(&tree, "pool/x", "");
	set_mount(NULL);
	folder = request_open(tree.root);
	options.root = tree.root;
	watch = (struct watch){ .options = &options,
				.host = tree.host,
				.on_event = on_event,
				.on_unmounted = on_gone,
				.on_silence = on_silence };
}

static void end(void)
{
	report_free(take_ptr(report));
	inventory_fini(&watch.inventory);
	objects_fini(&watch.objects);
	silences_fini(&watch.silences);
	policy_free(watch.policies);
	close(folder);
	tree_free(&tree);
}

static char reasons[1024];

static void on_finding(void *arg, const struct finding *finding)
{
	size_t used = strlen(reasons);

	(void)arg;
	CU_ASSERT(finding_is_defect(finding) || reasons_fit(finding));
	snprintf(reasons + used, sizeof(reasons) - used, "%s/%s\n", finding->id, finding->reason);
}

static const char *scan(void)
{
	*reported = '\0';
	report_free(take_ptr(report));
	report = report_new("watch");
	CU_ASSERT_EQUAL(scan_host(&watch, folder, report), 0);
	*reasons = '\0';
	summary_findings(&watch, on_finding, NULL);
	return reported;
}

static const char *printed(const char *format)
{
	static char *text;
	static size_t len;
	FILE *out;

	free(text);
	out = open_memstream(&text, &len);
	CU_ASSERT_EQUAL(report_print(report, report_format_find(format), out, NULL), 0);
	fclose(out);
	return text;
}

static void put(int lock, bool mounted, const char *policy)
{
	const struct request request = { .mounted = mounted,
					 .at_ms = now_ms(),
					 .boot_id = BOOT,
					 .policy = policy,
					 .source = "nas1:/e",
					 .target = "/pool" };

	CU_ASSERT_EQUAL(request_write(folder, lock, &request), 0);
}

/* "pending", "mounted", "" */
static const char *noted(void)
{
	_cleanup_(request_fini) struct request request = { .text = NULL };

	if (request_read(tree.host, "/pool", &request))
		return "";
	return request.mounted ? "mounted" : "pending";
}

/* libvirt has one pool from now on. */
static void event_of_pool(bool active)
{
	struct follow_changes changes = { .connected = true, .uri = "test:///", .has_pools = true };

	changes.pools.list = calloc(1, sizeof(*changes.pools.list));
	changes.pools.count = 1;
	changes.pools.list[0] = (struct pool_info){
		.name = strdup("vms"),
		.uuid = strdup(UUID),
		.active = active,
		.persistent = true,
		.xml = strdup(
			"<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'>"
			"<name>vms</name><uuid>" UUID "</uuid><source><host name='nas1'/>"
			"<dir path='/e'/><format type='nfs'/></source>"
			"<target><path>/pool</path></target><fs:mount_opts>"
			"<fs:option name='proto=rdma'/></fs:mount_opts></pool>"),
	};
	/* Later than all previous observations. */
	poll(NULL, 0, 3);
	changes.pools_ms = now_ms();
	CU_ASSERT_EQUAL(inventory_apply(&watch.inventory, &changes), 0);
	follow_changes_fini(&changes);
}

static void hear_nobody(void)
{
	struct follow_changes changes = { .why = "it was stopped" };

	CU_ASSERT_EQUAL(inventory_apply(&watch.inventory, &changes), 0);
}

static void event_of_guest(const char *path)
{
	struct follow_changes changes = { .connected = true, .uri = "test:///" };
	char xml[512];

	changes.guests = calloc(1, sizeof(*changes.guests));
	changes.nguests = 1;
	strcpy(changes.guests[0].uuid, "aa263acc-97fb-4d79-81cb-e0a2808e688a");
	changes.guests[0].gone = !path;
	snprintf(xml, sizeof(xml),
		 "<domain><name>web1</name><devices><disk type='file' device='disk'>"
		 "<source file='%s'/><target dev='vda'/></disk></devices></domain>",
		 path ? path : "");
	if (path)
		CU_ASSERT_EQUAL(domain_disks_parse(&changes.guests[0].disks, xml, strlen(xml)), 0);
	CU_ASSERT_EQUAL(inventory_apply(&watch.inventory, &changes), 0);
	follow_changes_fini(&changes);
}

/* --- reading -------------------------------------------------------------------------------------- */

static char *read_paths[256];
static unsigned int nread, nagain;

/* Files and folders alike. */
static void count_reads(void *arg, const struct host_event *event)
{
	unsigned int i;

	(void)arg;
	if (event->type != HOST_EVENT_TEXT && event->type != HOST_EVENT_NAMES)
		return;
	for (i = 0; i < nread; i++)
		if (!strcmp(read_paths[i], event->path)) {
			printf("/%s is read again\n", event->path);
			nagain++;
		}
	if (nread < ARRAY_SIZE(read_paths))
		read_paths[nread++] = strdup(event->path);
}

/* Mounts, requests, policy, fstab, pools: also for the disks of guests. */
static void a_scan_reads_each_file_once(void)
{
	begin();
	tree_write(&tree, "etc/fstab", "nas1:/e /pool nfs proto=rdma 0 0\n");
	tree_write(&tree, "etc/nfsmount.conf", "[ Server \"nas1\" ]\nProto=rdma\n");
	tree_write(&tree, "run/mount/utab", "SRC=nas1:/e TARGET=/pool ROOT=/ ATTRS=rdma\n");
	set_mount("rdma");
	event_of_pool(true);
	event_of_guest("/pool/a.img");
	put(-1, true, "require");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	host_watch(tree.host, count_reads, NULL);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	host_watch(tree.host, NULL, NULL);
	CU_ASSERT_EQUAL(nagain, 0);
	/* mountinfo, mountstats, utab, fstab, policy, nfsmount.conf, the boot, the request. */
	ASSERT_AT_LEAST(nread, 8);
	while (nread)
		free(read_paths[--nread]);
	end();
}

/* --- mounts --------------------------------------------------------------------------------------- */

static void the_loss_of_a_mount_is_reported(void)
{
	begin();
	set_mount("rdma");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_mount("tcp");
	CU_ASSERT_STRING_EQUAL(
		scan(),
		"lost mount /pool (nas1:/e): over tcp, but /etc/nfsrdma.conf:2 requires RDMA: the cause cannot be determined from here\n");
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_mount("rdma");
	CU_ASSERT_STRING_EQUAL(scan(), "back mount /pool (nas1:/e): over rdma, NFSv4.2\n");
	set_mount(NULL);
	CU_ASSERT_STRING_EQUAL(scan(), "gone /pool\n");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	end();
}

/* A list of mounts that cannot be read whole tells nobody that one is gone; nor does a mount on top
 * of it. */
static void only_a_mount_that_is_gone_is_reported_as_unmounted(void)
{
	begin();
	tree_write(&tree, "etc/nfsrdma.conf", "");
	set_mount("tcp");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_mount(NULL);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_mount("rdma");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	tree_fifo(&tree, "proc/self/mountinfo");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	tree_write(
		&tree, "proc/self/mountinfo",
		"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"40 1 0:40 / /pool rw,relatime shared:1 - nfs4 nas1:/e rw,vers=4.2,proto=rdma,addr=192.0.2.1\n"
		"41 40 0:41 / /pool rw,relatime shared:1 - nfs4 nas1:/f rw,vers=4.2,proto=rdma,addr=192.0.2.1\n");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_mount(NULL);
	CU_ASSERT_STRING_EQUAL(scan(), "gone /pool\n");
	end();
}

static void a_mount_in_progress_is_not_reported_as_lost(void)
{
	int lock;

	begin();
	set_mount("tcp");
	lock = request_begin(folder, "/pool");
	put(lock, false, "require");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	ASSERT_CONTAINS(reasons, "watch.mount/being-mounted\n");
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN);
	CU_ASSERT_STRING_EQUAL(noted(), "pending");
	/* The helper undoes its own mount. */
	set_mount(NULL);
	CU_ASSERT_EQUAL(request_end(tree.host, folder, lock, "/pool", NULL), 0);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	/* It was killed, and leaves a mount. */
	set_mount("tcp");
	put(lock, false, "require");
	close(lock);
	ASSERT_CONTAINS(scan(), "lost mount /pool (nas1:/e): over tcp");
	CU_ASSERT_STRING_EQUAL(noted(), "mounted");
	end();
}

/* Nothing else asks for RDMA there. */
static void what_a_killed_helper_requested_is_noted_as_mounted(void)
{
	static const char *const protos[] = { "rdma", "tcp" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(protos); i++) {
		SUITE_ROW("%s", protos[i]);
		begin();
		tree_write(&tree, "etc/nfsrdma.conf", "");
		put(-1, false, "require");
		CU_ASSERT_STRING_EQUAL(scan(), "");
		CU_ASSERT_STRING_EQUAL(noted(), "pending");
		set_mount(protos[i]);
		CU_ASSERT_EQUAL(!strcmp(scan(), ""), !i);
		CU_ASSERT_STRING_EQUAL(noted(), "mounted");
		set_mount(NULL);
		CU_ASSERT_STRING_EQUAL(scan(), "gone /pool\n");
		CU_ASSERT_STRING_EQUAL(noted(), "");
		end();
	}
}

static void mounts_that_cannot_be_read_are_unknown(void)
{
	begin();
	set_mount("rdma");
	scan();
	tree_fifo(&tree, "proc/self/mountinfo");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN);
	ASSERT_CONTAINS(reasons, "watch.list/unreadable\n");
	ASSERT_CONTAINS(reasons, "watch.mount/not-seen\n");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_MOUNT, STATE_UNKNOWN), 1);
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_MOUNT, STATE_GOOD), 0);
	set_mount("rdma");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN); /* of libvirt */
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_MOUNT, STATE_GOOD), 1);
	end();
}

static void a_broken_policy_changes_only_the_verdict(void)
{
	begin();
	set_mount("tcp");
	CU_ASSERT_STRING_NOT_EQUAL(scan(), "");
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas1]\npolicy = of\n");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_MOUNT, STATE_BAD), 1);
	ASSERT_CONTAINS(printed("json"), "/etc/nfsrdma.conf:2");
	ASSERT_CONTAINS(reasons, "watch.policy/malformed\n");
	ASSERT_CONTAINS(reasons, "watch.mount/not-rdma\n");
	ASSERT_CONTAINS(reasons, "watch.libvirt/no-answer\n");
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas1]\npolicy = off\n");
	scan();
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_MOUNT, STATE_BAD), 0);
	end();
}

/* --- pools ----------------------------------------------------------------------------------------- */

static void a_pool_is_lost_with_its_mount(void)
{
	begin();
	tree_write(&tree, "etc/nfsrdma.conf", "");
	set_mount("rdma");
	event_of_pool(true);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_POOL, STATE_GOOD), 1);
	set_mount("tcp");
	CU_ASSERT_STRING_EQUAL(
		scan(),
		"lost mount /pool (nas1:/e): over tcp, but pool 'vms' requests RDMA: the cause cannot be determined from here\n"
		"lost pool vms: over tcp, but its options request RDMA\n");
	ASSERT_CONTAINS(reasons, "pool.transport/not-rdma\n");
	/* One cause: the mount is the pool's. */
	ASSERT_CONTAINS(printed("json"), "\"because_of\": \"pool.transport\"");
	set_mount("rdma");
	CU_ASSERT_STRING_EQUAL(scan(), "back mount /pool (nas1:/e): over rdma, NFSv4.2\n"
				       "back pool vms: over RDMA (rdma, NFSv4.2)\n");
	CU_ASSERT_FALSE(watch.ask_pools);
	end();
}

/* libvirt unmounts first, and then reports that the pool was stopped. */
static void a_pool_that_is_stopped_is_not_lost(void)
{
	begin();
	set_mount("rdma");
	event_of_pool(true);
	scan();
	set_mount(NULL);
	CU_ASSERT_STRING_EQUAL(scan(), "gone /pool\n");
	CU_ASSERT(watch.ask_pools);
	ASSERT_CONTAINS(reasons, "pool.transport/unconfirmed\n");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_POOL, STATE_UNKNOWN), 1);
	event_of_pool(false);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_FALSE(watch.ask_pools);
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_POOL, STATE_UNKNOWN), 0);
	end();
}

static void a_running_pool_without_a_mount_is_lost(void)
{
	begin();
	set_mount("rdma");
	event_of_pool(true);
	scan();
	set_mount(NULL);
	scan();
	CU_ASSERT_STRING_EQUAL(scan(), "");
	event_of_pool(true);
	CU_ASSERT_STRING_EQUAL(
		scan(),
		"lost pool vms: libvirt shows it as running, but no NFS is mounted on /pool: images there are on a local disk\n");
	set_mount("rdma");
	CU_ASSERT_STRING_EQUAL(scan(), "back pool vms: over RDMA (rdma, NFSv4.2)\n");
	end();
}

static void without_libvirt_pools_are_unknown_and_mounts_followed(void)
{
	begin();
	tree_write(&tree, "etc/nfsrdma.conf", "");
	set_mount("rdma");
	event_of_pool(true);
	scan();
	hear_nobody();
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_POOL, STATE_UNKNOWN), 1);
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN);
	/* The pool's request remains. */
	set_mount("tcp");
	CU_ASSERT_STRING_EQUAL(
		scan(),
		"lost mount /pool (nas1:/e): over tcp, but pool 'vms' requests RDMA: the cause cannot be determined from here\n");
	end();
}

/* --- disks ----------------------------------------------------------------------------------------- */

static void disks_of_guests_are_checked_against_the_policy(void)
{
	begin();
	set_mount("rdma");
	event_of_guest("/pool/a.img");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_DISK, STATE_GOOD), 1);
	set_mount("tcp");
	ASSERT_CONTAINS(scan(), "lost guest web1: disk vda (/pool/a.img) is on nas1:/e");
	ASSERT_CONTAINS(printed("json"), "\"guest\": \"web1\"");
	ASSERT_CONTAINS(printed("json"), "\"because_of\": \"watch.mount\"");
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas1]\npolicy = of\n");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_DISK, STATE_UNKNOWN), 1);
	event_of_guest(NULL);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_DISK, STATE_UNKNOWN), 0);
	end();
}

/* fstab has another name of the server: the policy check warns, but the disk is over RDMA. */
static void a_disk_on_an_rdma_mount_by_another_name_passes(void)
{
	begin();
	tree_write(&tree, "etc/nfsrdma.conf", "");
	tree_write(&tree, "etc/fstab", "nas:/e /pool nfs proto=rdma 0 0\n");
	set_mount("rdma");
	event_of_guest("/pool/a.img");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_DISK, STATE_GOOD), 1);
	set_mount("tcp");
	ASSERT_CONTAINS(scan(), "lost guest web1: disk vda (/pool/a.img) is on nas1:/e");
	end();
}

/* Nothing configured requests RDMA, and it was over RDMA when it was last seen. */
static void an_earlier_rdma_mount_is_reported_as_such(void)
{
	begin();
	tree_write(&tree, "etc/nfsrdma.conf", "");
	set_mount("rdma");
	event_of_guest("/pool/a.img");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_mount("tcp");
	ASSERT_CONTAINS(scan(), "lost mount /pool (nas1:/e): over tcp, but it was over");
	ASSERT_CONTAINS(reasons, "watch.mount/was-rdma\n");
	ASSERT_CONTAINS(reasons, "gate.transport/was-rdma\n");
	end();
}

static void a_broken_request_is_reported(void)
{
	begin();
	scan();
	ASSERT_LACKS(reasons, "watch.request/malformed");
	tree_write(&tree, REQUEST_FOLDER "/0000000000000007", "{");
	scan();
	ASSERT_CONTAINS(reasons, "watch.request/malformed\n");
	ASSERT_CONTAINS(printed("json"), "/run/nfsrdma/requests/0000000000000007");
	end();
}

static void a_disk_without_a_request_is_ignored(void)
{
	begin();
	event_of_guest("/var/lib/libvirt/images/a.img");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_DISK, STATE_UNREQUESTED), 1);
	end();
}

static void an_unparsable_guest_is_unknown(void)
{
	struct follow_changes changes = { .connected = true, .uri = "test:///" };

	begin();
	changes.guests = calloc(1, sizeof(*changes.guests));
	changes.nguests = 1;
	strcpy(changes.guests[0].uuid, "aa263acc-97fb-4d79-81cb-e0a2808e688a");
	changes.guests[0].disks.name = strdup("web1");
	strcpy(changes.guests[0].broken, "more than 16384 disks");
	CU_ASSERT_EQUAL(inventory_apply(&watch.inventory, &changes), 0);
	follow_changes_fini(&changes);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_DISK, STATE_UNKNOWN), 1);
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_UNKNOWN);
	ASSERT_CONTAINS(printed("json"),
			"guest web1: its XML cannot be read: more than 16384 disks");
	/* Until it is. */
	event_of_guest("/var/lib/libvirt/images/a.img");
	scan();
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_DISK, STATE_UNKNOWN), 0);
	end();
}

static void a_running_unparsable_pool_is_unknown(void)
{
	begin();
	event_of_pool(true);
	pool_xml_free(take_ptr(watch.inventory.pools[0].xml));
	strcpy(watch.inventory.pools[0].broken, "no XML");
	scan();
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_POOL, STATE_UNKNOWN), 1);
	ASSERT_CONTAINS(printed("json"), "pool vms: its XML cannot be read: no XML");
	watch.inventory.pools[0].info.active = false;
	scan();
	CU_ASSERT_EQUAL(objects_count(&watch.objects, OBJECT_POOL, STATE_UNKNOWN), 0);
	end();
}

/* --- READs --------------------------------------------------------------------------------------------- */

static void set_reads(unsigned int mounts, unsigned int shorts)
{
	_cleanup_free_ char *info = NULL, *stats = NULL;
	size_t len;
	FILE *out = open_memstream(&info, &len), *counts = open_memstream(&stats, &len);
	unsigned int i;

	fputs("1 0 8:1 / / rw - ext4 /dev/sda1 rw\n", out);
	for (i = 0; i < mounts; i++) {
		fprintf(out,
			"%u 1 0:%u / /m%u rw - nfs4 n:/m%u rw,vers=4.1,proto=rdma,addr=192.0.2.1\n",
			i + 40, i + 40, i, i);
		fprintf(counts,
			"device n:/m%u mounted on /m%u with fstype nfs4 statvers=1.1\n"
			"\tevents: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 %u 0 0 0 0\n"
			"\tbytes: 0 0 0 0 1600 0 0 0\n\txprt: rdma 0 0 1\n"
			"\t READ: 85 85 0 1 343848 1 1 1\n",
			i, i, shorts);
	}
	fclose(out);
	fclose(counts);
	tree_write(&tree, "proc/self/mountinfo", info);
	tree_write(&tree, "proc/self/mountstats", stats);
}

static void short_reads_of_the_kernel_are_reported_once(void)
{
	const char *text;
	char line[256], first[512], again[512];

	begin();
	set_reads(1, 83);
	scan();
	ASSERT_CONTAINS(printed("json"), "bug.read-812");
	ASSERT_CONTAINS(printed("json"), "83 of 85 READs were short");
	CU_ASSERT_EQUAL(report_verdict(report), VERDICT_FAIL);
	ASSERT_CONTAINS(summary_line(&watch, line), "LOSES DATA OF READS");
	ASSERT_CONTAINS(summary_reads(&watch, first), "mount /m0 (n:/m0); what to do");
	summary_metrics(&watch, report, true);
	text = printed("prometheus");
	ASSERT_CONTAINS(text, "\nnfsrdma_watch_reads_lost 1\n");
	ASSERT_CONTAINS(
		text,
		"nfsrdma_finding{command=\"watch\",id=\"bug.read-812\",target=\"/m0\",source=\"n:/m0\",nfsrdma_finding=\"fail\"} 1");
	/* The counters grow, but nothing is new. */
	set_reads(1, 84);
	scan();
	CU_ASSERT_STRING_EQUAL(summary_reads(&watch, again), first);
	set_reads(20, 83);
	scan();
	CU_ASSERT_EQUAL(watch.nlost, 20);
	ASSERT_CONTAINS(summary_reads(&watch, again), " and 19 more");
	ASSERT_CONTAINS(printed("json"), "4 more mounts");
	set_reads(20, 42);
	scan();
	CU_ASSERT_STRING_EQUAL(summary_reads(&watch, again), "");
	ASSERT_LACKS(printed("json"), "bug.read-812");
	/* A mount that cannot be read is not reported as still losing. */
	set_reads(1, 83);
	scan();
	tree_fifo(&tree, "proc/self/mountstats");
	scan();
	CU_ASSERT_STRING_EQUAL(summary_reads(&watch, again), "");
	end();
}

/* --- exports ---------------------------------------------------------------------------------------- */

static void metrics_include_the_watchers_own_and_those_of_mounts(void)
{
	const char *text;

	begin();
	set_mount("tcp");
	scan();
	summary_metrics(&watch, report, true);
	text = printed("prometheus");
	ASSERT_CONTAINS(text, "\nnfsrdma_watch_up 1\n");
	ASSERT_CONTAINS(text, "\nnfsrdma_watch_checks_total 1\n");
	ASSERT_CONTAINS(text, "\nnfsrdma_watch_objects{kind=\"mount\",state=\"lost\"} 1\n");
	ASSERT_CONTAINS(text, "\nnfsrdma_watch_lost_total{kind=\"mount\"} 1\n");
	ASSERT_CONTAINS(text, "nfsrdma_finding{command=\"watch\",id=\"watch.mount\"");
	ASSERT_CONTAINS(text, "\nnfsrdma_mount_rdma{command=\"watch\",export=");
	ASSERT_LACKS(text, "# EOF");
	ASSERT_LACKS(printed("json"), "nfsrdma_");
	end();
}

static void a_status_line_summarises_the_state(void)
{
	char line[256];

	begin();
	set_mount("tcp");
	scan();
	CU_ASSERT_STRING_EQUAL(
		summary_line(&watch, line),
		"0 over RDMA, 1 not: mount /pool (nas1:/e), 0 unknown; libvirt: not connected");
	end();
}

static void an_export_appears_whole_or_is_an_error(void)
{
	char path[300];

	begin();
	snprintf(path, sizeof(path), "%s/run/x.prom", tree.root);
	CU_ASSERT_EQUAL(export_text(path, "one\n"), 0);
	CU_ASSERT_EQUAL(export_text(path, "two\n"), 0);
	CU_ASSERT_EQUAL(host_exists(tree.host, "run/x.prom"), 0);
	snprintf(path, sizeof(path), "%s/nowhere/x.prom", tree.root);
	CU_ASSERT_EQUAL(export_text(path, "one\n"), -ENOENT);
	CU_ASSERT_EQUAL(export_text("/tmp/", "one\n"), -EISDIR);
	CU_ASSERT_EQUAL(export_text("", "one\n"), -EISDIR);
	end();
}

/* The RDMA mount, whose transport has sent and received this number of calls. */
static void set_counts(unsigned int sent, unsigned int answered)
{
	char stats[512];

	set_mount("rdma");
	snprintf(stats, sizeof(stats),
		 "device nas1:/e mounted on /pool with fstype nfs4 statvers=1.1\n"
		 "\topts:\trw,vers=4.2,proto=rdma\n\tage:\t100\n"
		 "\txprt:\trdma 0 0 1 0 0 %u %u 0 1 0\n",
		 sent, answered);
	tree_write(&tree, "proc/self/mountstats", stats);
	tree_write(&tree, "sys/kernel/sunrpc/xprt-switches/switch-0/xprt-0-rdma/dstaddr",
		   "192.0.2.1\n");
	snprintf(stats, sizeof(stats), "sending_q_len=0\npending_q_len=%u\nbacklog_q_len=0\n",
		 sent - answered);
	tree_write(&tree, "sys/kernel/sunrpc/xprt-switches/switch-0/xprt-0-rdma/xprt_info", stats);
}

static void silence_and_recovery_of_a_server_are_reported(void)
{
	char line[256];

	begin();
	set_counts(10, 10);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_counts(12, 10);
	CU_ASSERT_STRING_EQUAL(scan(), "");
	CU_ASSERT_PTR_NULL(strstr(printed("json"), "watch.silent"));
	CU_ASSERT_EQUAL_FATAL(watch.silences.count, 1);
	CU_ASSERT_EQUAL(watch.silences.again_ms, watch.silences.list[0].since_ms + SILENT_MS);
	/* As if that much time had passed. */
	watch.silences.list[0].since_ms -= SILENT_MS;
	CU_ASSERT_STRING_EQUAL(scan(), "silent /pool\n");
	ASSERT_CONTAINS(reasons, "watch.silent/soft\n");
	ASSERT_CONTAINS(printed("json"), "mount /pool (nas1:/e): the server does not answer");
	ASSERT_CONTAINS(summary_line(&watch, line), "servers of 1 mount silent");
	CU_ASSERT_STRING_EQUAL(scan(), "");
	set_counts(12, 12);
	CU_ASSERT_STRING_EQUAL(scan(), "answers /pool\n");
	CU_ASSERT_PTR_NULL(strstr(printed("json"), "watch.silent"));
	end();
}

SUITE_MAIN("watch-scan", TEST(silence_and_recovery_of_a_server_are_reported),
	   TEST(the_loss_of_a_mount_is_reported),
	   TEST(only_a_mount_that_is_gone_is_reported_as_unmounted),
	   TEST(what_a_killed_helper_requested_is_noted_as_mounted),
	   TEST(a_mount_in_progress_is_not_reported_as_lost),
	   TEST(mounts_that_cannot_be_read_are_unknown),
	   TEST(a_broken_policy_changes_only_the_verdict),
	   TEST(short_reads_of_the_kernel_are_reported_once), TEST(a_pool_is_lost_with_its_mount),
	   TEST(a_pool_that_is_stopped_is_not_lost), TEST(a_running_pool_without_a_mount_is_lost),
	   TEST(without_libvirt_pools_are_unknown_and_mounts_followed),
	   TEST(a_scan_reads_each_file_once), TEST(disks_of_guests_are_checked_against_the_policy),
	   TEST(a_disk_on_an_rdma_mount_by_another_name_passes),
	   TEST(an_earlier_rdma_mount_is_reported_as_such), TEST(a_broken_request_is_reported),
	   TEST(a_disk_without_a_request_is_ignored), TEST(an_unparsable_guest_is_unknown),
	   TEST(a_running_unparsable_pool_is_unknown),
	   TEST(metrics_include_the_watchers_own_and_those_of_mounts),
	   TEST(a_status_line_summarises_the_state), TEST(an_export_appears_whole_or_is_an_error))
