/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* define, convert and revert, with a libvirt that refuses, hangs or returns wrong data at every
 * step, on a machine that is a folder: its mounts are those of this libvirt. */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

#include "plugin/libvirt/internal.h"
#include "tests/unit/reasons.h"

#define UUID "df263acc-97fb-4d79-81cb-e0a2808e688a"

/* A libvirt with one pool. */
static struct {
	char *xml; /* the definition; NULL: there is no such pool */
	bool active, autostart, persistent;
	const char *proto;  /* overrides the transport of the next mounts */
	const char *guest;  /* XML of a running guest; NULL: none */
	bool drops_options; /* as versions before 5.1 do */
	bool forgets_autostart;
	bool opens_folder; /* another process makes the folder of originals world-writable */
	int no_guests;     /* errno of listing guests */
	/* The call of this name fails the first time. */
	const char *fails;
	int errnum;
	/* Number of calls that succeed; later ones fail, as if nfsrdma had been killed. 0:
	 * all. */
	unsigned int lives;
	bool dead;
	char calls[512]; /* calls that changed something */
} lv;

static char root[64], store[128];
static struct host *host;
static char findings[8192];

/* --- the machine --------------------------------------------------------------------------------- */

static void write_root(const char *path, const char *text)
{
	char name[sizeof(root) + 256];
	FILE *file;

	snprintf(name, sizeof(name), "%s/%.200s", root, path);
	file = fopen(name, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(text, file);
	fclose(file);
}

/* NULL: nothing is mounted. */
static void set_mount(const char *proto, const char *vers)
{
	char info[1024] = "", stats[512] = "";

	if (proto) {
		snprintf(
			info, sizeof(info),
			"40 1 0:40 / /pool rw,relatime shared:1 - nfs4 nas1:/e rw,vers=%s,proto=%s,addr=192.0.2.1\n",
			vers, proto);
		snprintf(stats, sizeof(stats),
			 "device nas1:/e mounted on /pool with fstype nfs4 statvers=1.1\n"
			 "\topts:\trw,vers=%s,proto=%s\n\tage:\t1\n"
			 "\txprt:\t%s 0 0 1 0 0 1 1 0 1 0\n",
			 vers, proto, proto);
	}
	write_root("proc/self/mountinfo", info);
	write_root("proc/self/mountstats", stats);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void begin(const char *xml, bool active)
{
	char path[128];

	strcpy(root, "/tmp/nfsrdma-pool.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
	snprintf(path, sizeof(path), "%s/proc", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/self", root);
	mkdir(path, 0755);
	snprintf(store, sizeof(store), "%s/var/pools", root);
	memset(&lv, 0, sizeof(lv));
	lv.xml = xml ? strdup(xml) : NULL;
	lv.active = active;
	lv.autostart = true;
	lv.persistent = true;
	set_mount(active ? "tcp" : NULL, "4.1");
	CU_ASSERT_EQUAL_FATAL(host_open(&host, root), 0);
	findings[0] = '\0';
}

static void end(void)
{
	host_close(host);
	free(lv.xml);
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* --- libvirt -------------------------------------------------------------------------------------- */

static int enter(const char *call, bool changes)
{
	if (changes)
		snprintf(lv.calls + strlen(lv.calls), sizeof(lv.calls) - strlen(lv.calls), "%s%s",
			 *lv.calls ? " " : "", call);
	if (lv.lives && !--lv.lives)
		lv.dead = true;
	if (lv.dead)
		return err_set(ETIMEDOUT, "libvirt: killed before %s", call);
	if (!lv.fails || strcmp(lv.fails, call))
		return 0;
	lv.fails = NULL;
	return err_set(lv.errnum, "libvirt: %s is refused", call);
}

static int fake_get(void *conn, uint64_t deadline, const char *name, struct pool_info *out)
{
	int rc = enter("get", false);

	(void)conn;
	(void)deadline;
	if (rc)
		return rc;
	if (!lv.xml || strcmp(name, "vms"))
		return err_set(ENOENT, "libvirt: no such pool");
	*out = (struct pool_info){ .name = strdup("vms"),
				   .uuid = strdup(UUID),
				   .xml = strdup(lv.xml),
				   .active = lv.active,
				   .persistent = lv.persistent,
				   .autostart = lv.autostart };
	return 0;
}

static void drop_options(char *xml)
{
	char *from = strstr(xml, "<fs:mount_opts>"), *to = strstr(xml, "</fs:mount_opts>");

	if (from && to)
		memmove(from, to + 16, strlen(to + 16) + 1);
}

static int fake_define(void *conn, uint64_t deadline, const char *xml, bool validate)
{
	int rc = enter(validate ? "define" : "redefine", true);

	(void)conn;
	(void)deadline;
	if (rc)
		return rc;
	free(lv.xml);
	lv.xml = strdup(xml);
	if (lv.drops_options)
		drop_options(lv.xml);
	if (lv.forgets_autostart)
		lv.autostart = false;
	return 0;
}

static int fake_undefine(void *conn, uint64_t deadline, const char *name)
{
	(void)conn;
	(void)deadline;
	(void)name;
	free(lv.xml);
	lv.xml = NULL;
	return enter("undefine", true);
}

static int fake_start(void *conn, uint64_t deadline, const char *name)
{
	int rc = enter("start", true);

	(void)conn;
	(void)deadline;
	(void)name;
	if (rc)
		return rc;
	lv.active = true;
	if (lv.opens_folder)
		chmod(store, 0777);
	set_mount(!strstr(lv.xml, "proto=rdma") ? "tcp" : lv.proto ? lv.proto : "rdma", "4.1");
	return 0;
}

static int fake_stop(void *conn, uint64_t deadline, const char *name)
{
	int rc = enter("stop", true);

	(void)conn;
	(void)deadline;
	(void)name;
	if (rc)
		return rc;
	lv.active = false;
	set_mount(NULL, NULL);
	return 0;
}

static int fake_autostart(void *conn, uint64_t deadline, const char *name, bool on)
{
	(void)conn;
	(void)deadline;
	(void)name;
	lv.autostart = on;
	return enter("autostart", true);
}

static int fake_guests(void *conn, uint64_t deadline, struct pool_guests *out)
{
	(void)conn;
	(void)deadline;
	if (lv.no_guests)
		return err_set(lv.no_guests, "libvirt: no guests here");
	out->list = calloc(1, sizeof(*out->list));
	if (!lv.guest)
		return 0;
	out->count = 1;
	out->list[0].name = strdup("web1");
	out->list[0].xml = strdup(lv.guest);
	return 0;
}

static const struct pool_ops fake = {
	.get = fake_get,
	.define = fake_define,
	.undefine = fake_undefine,
	.start = fake_start,
	.stop = fake_stop,
	.autostart = fake_autostart,
	.guests = fake_guests,
};

/* --- calls ------------------------------------------------------------------------------------------- */

#define SOURCE                                                                     \
	"<source><host name='nas1'/><dir path='/e'/><format type='nfs'/></source>" \
	"<target><path>/pool</path></target>"
#define PLAIN "<pool type='netfs'><name>vms</name><uuid>" UUID "</uuid>" SOURCE "</pool>"
#define RDMA                                                                                     \
	"<pool type='netfs' xmlns:fs='" POOL_NS "'><name>vms</name><uuid>" UUID "</uuid>" SOURCE \
	"<fs:mount_opts><fs:option name='proto=rdma'/><fs:option name='port=20049'/>"            \
	"</fs:mount_opts></pool>"

static void on_finding(void *arg, const struct finding *finding)
{
	size_t used = strlen(findings);

	(void)arg;
	CU_ASSERT(reasons_fit(finding));
	snprintf(findings + used, sizeof(findings) - used, "%s %s%s%s: %s\n",
		 finding_status_name(finding->status), finding->id, *finding->reason ? "/" : "",
		 finding->reason, finding->summary);
}

static struct pool_changer changer(bool force)
{
	return (struct pool_changer){ .ops = &fake,
				      .uri = "fake:///",
				      .host = host,
				      .folder = store,
				      .force = force,
				      .deadline = deadline_in(PATIENCE_MS),
				      .sink = on_finding };
}

static int convert(bool force)
{
	struct pool_changer c = changer(force);
	struct pool_request request = { .policies = NULL };

	*findings = *lv.calls = '\0';
	return pool_change_convert(&c, "vms", &request);
}

static int revert(bool force)
{
	struct pool_changer c = changer(force);

	*findings = *lv.calls = '\0';
	return pool_change_revert(&c, "vms");
}

static bool is_kept(void)
{
	struct pool_original original;

	if (pool_original_read(store, UUID, &original))
		return false;
	pool_original_fini(&original);
	return true;
}

/* --- convert ------------------------------------------------------------------------------------------ */

static void a_running_pool_is_converted_and_verified(void)
{
	begin(PLAIN, true);
	CU_ASSERT_EQUAL(convert(false), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define stop start");
	ASSERT_CONTAINS(findings, "pass pool.guests: no guest runs on the pool");
	ASSERT_CONTAINS(findings, "pass pool.transport: vms: over RDMA (rdma, NFSv4.1)");
	ASSERT_CONTAINS(findings, "pass pool.original: ");
	CU_ASSERT(lv.active);
	CU_ASSERT(lv.autostart);
	CU_ASSERT(is_kept());
	end();
}

/* The mount uses 4.1: the pool keeps that version. */
static void a_pool_keeps_the_version_of_its_mount(void)
{
	begin(PLAIN, true);
	convert(false);
	ASSERT_CONTAINS(lv.xml, "<protocol ver=\"4.1\"/>");
	end();
}

static void a_stopped_pool_is_verified_and_stopped_again(void)
{
	begin(PLAIN, false);
	CU_ASSERT_EQUAL(convert(false), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define start stop");
	ASSERT_CONTAINS(findings, "pass pool.transport");
	CU_ASSERT_FALSE(lv.active);
	CU_ASSERT(is_kept());
	end();
}

static void a_pool_that_starts_over_tcp_is_rolled_back(void)
{
	begin(PLAIN, true);
	lv.proto = "tcp";
	CU_ASSERT_EQUAL(convert(false), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define stop start stop redefine start");
	ASSERT_CONTAINS(
		findings,
		"fail pool.transport/not-rdma: vms: over tcp, but its options request RDMA");
	ASSERT_CONTAINS(findings,
			"pass pool.rollback: the pool has its former definition, and runs");
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	CU_ASSERT(lv.active);
	CU_ASSERT_FALSE(is_kept());
	end();
}

static void a_stopped_pool_that_starts_over_tcp_is_stopped_again(void)
{
	begin(PLAIN, false);
	lv.proto = "tcp";
	convert(false);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define start stop redefine");
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	CU_ASSERT_FALSE(lv.active);
	CU_ASSERT_FALSE(is_kept());
	end();
}

/* Each step is refused once: the earlier steps are undone, and the pool runs as before. */
static void any_refused_step_rolls_the_pool_back(void)
{
	static const struct {
		const char *call, *did, *said;
	} cases[] = {
		{ "define", "define redefine", "fail pool.definition/refused: " },
		{ "stop", "define stop redefine",
		  "fail pool.restart/no-stop: libvirt cannot stop the pool" },
		{ "start", "define stop start redefine start",
		  "fail pool.restart/no-start: libvirt cannot start the pool: libvirt: start is refused" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		SUITE_ROW("%zu: %s", i, cases[i].call);
		begin(PLAIN, true);
		lv.fails = cases[i].call;
		lv.errnum = EIO;
		CU_ASSERT_EQUAL(convert(false), 0);
		CU_ASSERT_STRING_EQUAL(lv.calls, cases[i].did);
		ASSERT_CONTAINS(findings, cases[i].said);
		ASSERT_CONTAINS(findings, "pass pool.rollback");
		CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
		CU_ASSERT(lv.active);
		CU_ASSERT_FALSE(is_kept());
		end();
	}
}

static void a_refused_rollback_keeps_the_original(void)
{
	begin(PLAIN, true);
	lv.proto = "tcp";
	lv.fails = "redefine";
	lv.errnum = EIO;
	convert(false);
	ASSERT_CONTAINS(
		findings,
		"fail pool.rollback/failed: the pool did not get its former definition back");
	CU_ASSERT(is_kept());
	/* Then: */
	CU_ASSERT_EQUAL(revert(false), 0);
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	CU_ASSERT(lv.active);
	CU_ASSERT_FALSE(is_kept());
	end();
	begin(PLAIN, true);
	lv.proto = "tcp";
	lv.fails = "redefine";
	lv.errnum = ETIMEDOUT;
	convert(false);
	ASSERT_CONTAINS(findings, "unknown pool.rollback/silent: ");
	CU_ASSERT(is_kept());
	end();
}

/* libvirt has changed the pool, but its original cannot be saved. */
static void a_folder_that_others_may_write_to_is_not_used(void)
{
	begin(PLAIN, true);
	lv.opens_folder = true;
	convert(false);
	ASSERT_CONTAINS(findings, "pass pool.transport: vms: over RDMA");
	ASSERT_CONTAINS(findings, "warn pool.original/not-saved: ");
	ASSERT_CONTAINS(findings, "others may write to ");
	end();
}

static void a_pool_of_another_host_is_not_visible(void)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	struct pool_info info = { .name = (char *)"vms", .active = true };
	const struct pool_seen seen = { .xml = NULL, .info = &info, .remote = true };
	struct pool_seen one = seen;

	begin(RDMA, true);
	CU_ASSERT_EQUAL_FATAL(pool_xml_parse(&xml, RDMA, strlen(RDMA)), 0);
	one.xml = xml;
	pool_audit_transport(&one, on_finding, NULL);
	CU_ASSERT_STRING_EQUAL(
		findings,
		"unknown pool.transport/not-visible: vms: the mount on /pool cannot be seen from here\n");
	end();
}

static void a_start_that_hangs_is_unknown_and_can_be_reverted(void)
{
	begin(PLAIN, true);
	lv.fails = "start";
	lv.errnum = ETIMEDOUT;
	convert(false);
	ASSERT_CONTAINS(findings, "unknown pool.restart/silent: libvirt cannot start the pool");
	end();
}

static void options_that_libvirt_drops_are_found(void)
{
	begin(PLAIN, true);
	lv.drops_options = true;
	convert(false);
	ASSERT_CONTAINS(
		findings,
		"fail pool.definition/options-dropped: libvirt refused the definition: libvirt kept");
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	CU_ASSERT(lv.active);
	end();
}

static void a_lost_autostart_is_reported(void)
{
	begin(PLAIN, true);
	lv.forgets_autostart = true;
	lv.fails = "autostart";
	lv.errnum = EIO;
	convert(false);
	ASSERT_CONTAINS(findings, "fail pool.definition/autostart: ");
	end();
}

static void autostart_is_kept(void)
{
	begin(PLAIN, true);
	lv.forgets_autostart = true;
	convert(false);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define stop start autostart");
	CU_ASSERT(lv.autostart);
	end();
}

static void a_correct_pool_is_left_alone(void)
{
	begin(RDMA, true);
	set_mount("rdma", "4.1");
	convert(false);
	/* Its version is pinned. */
	CU_ASSERT_STRING_EQUAL(lv.calls, "define stop start");
	convert(false);
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	ASSERT_CONTAINS(findings, "pass pool.definition: the pool already requests RDMA");
	ASSERT_CONTAINS(findings, "pass pool.transport");
	end();
}

static void a_correct_definition_over_tcp_is_restarted(void)
{
	begin(PLAIN, true);
	convert(false);
	set_mount("tcp", "4.1");
	convert(false);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define stop start");
	ASSERT_CONTAINS(findings, "pass pool.transport: vms: over RDMA");
	end();
}

static void pools_of_other_types_are_refused(void)
{
	begin(NULL, false);
	CU_ASSERT_EQUAL(convert(false), -ENOENT);
	CU_ASSERT_STRING_EQUAL(err_text(), "fake:/// has no pool 'vms'");
	CU_ASSERT_STRING_EQUAL(err_reason(), "unknown-pool");
	end();
	begin("<pool type='dir'><name>vms</name><target><path>/x</path></target></pool>", true);
	CU_ASSERT_EQUAL(convert(false), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_reason(), "not-nfs");
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	end();
	begin(PLAIN, true);
	lv.persistent = false;
	CU_ASSERT_EQUAL(convert(false), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_reason(), "transient");
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	end();
}

static void another_hosts_pools_are_not_changed(void)
{
	struct pool_request request = { .policies = NULL };
	struct pool_changer c;

	begin(PLAIN, true);
	c = changer(false);
	c.remote = true;
	CU_ASSERT_EQUAL(pool_change_convert(&c, "vms", &request), -EINVAL);
	CU_ASSERT_EQUAL(pool_change_revert(&c, "vms"), -EINVAL);
	CU_ASSERT_STRING_EQUAL(err_reason(), "remote");
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	end();
}

/* --- guests ----------------------------------------------------------------------------------------- */

#define GUEST(disk) "<domain type='kvm'><name>web1</name><devices>" disk "</devices></domain>"

static void running_guests_prevent_a_change(void)
{
	begin(PLAIN, true);
	lv.guest = GUEST("<disk type='file'><source file='/pool/web1.img'/></disk>");
	CU_ASSERT_EQUAL(convert(false), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	ASSERT_CONTAINS(findings, "fail pool.guests/running: 1 guest runs on the pool (web1)");
	CU_ASSERT_FALSE(is_kept());
	/* Only the definition changes; nothing is unmounted. */
	CU_ASSERT_EQUAL(convert(true), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define");
	ASSERT_CONTAINS(findings, "warn pool.guests/later: ");
	ASSERT_CONTAINS(findings, "skip pool.restart");
	CU_ASSERT(is_kept());
	/* And the reverse. */
	CU_ASSERT_EQUAL(revert(true), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "redefine");
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	end();
}

static void unknown_guests_prevent_a_change(void)
{
	begin(PLAIN, true);
	lv.no_guests = EOPNOTSUPP;
	convert(false);
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	ASSERT_CONTAINS(findings, "unknown pool.guests/not-asked: ");
	convert(true);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define stop start");
	ASSERT_CONTAINS(findings, "warn pool.guests/not-asked: ");
	end();
	begin(PLAIN, true);
	lv.no_guests = ETIMEDOUT;
	convert(false);
	ASSERT_CONTAINS(findings, "unknown pool.guests/silent: ");
	end();
}

static bool uses(const char *disk)
{
	char xml[1024];

	snprintf(xml, sizeof(xml), "<domain><devices>%s</devices></domain>", disk);
	return pool_guests_uses(xml, "vms", "/pool/");
}

static void every_way_to_use_a_pool_is_found(void)
{
	CU_ASSERT(uses("<disk><source file='/pool/a.img'/></disk>"));
	CU_ASSERT(uses("<disk><source pool='vms' volume='a.img'/></disk>"));
	CU_ASSERT(uses(
		"<disk><source file='/x'/><backingStore><source file='/pool/b'/></backingStore></disk>"));
	CU_ASSERT(uses("<filesystem><source dir='/pool'/></filesystem>"));
	CU_ASSERT(uses("<nvram>/pool/nvram/a</nvram>"));
	CU_ASSERT_FALSE(uses("<disk><source file='/pool2/a.img'/></disk>"));
	CU_ASSERT_FALSE(uses("<disk><source pool='vms2' volume='a.img'/></disk>"));
	CU_ASSERT_FALSE(uses("<disk><source file='/x/pool/a.img'/></disk>"));
	/* A guest that cannot be read may use the pool. */
	CU_ASSERT(uses("<disk>"));
	CU_ASSERT(pool_guests_uses("", "vms", "/pool"));
}

/* --- revert ------------------------------------------------------------------------------------------ */

static void revert_restores_the_original(void)
{
	begin(PLAIN, true);
	convert(false);
	CU_ASSERT_EQUAL(revert(false), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "redefine stop start");
	ASSERT_CONTAINS(findings, "pass pool.transport: vms: over tcp, as requested");
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	CU_ASSERT(lv.active);
	CU_ASSERT_FALSE(is_kept());
	CU_ASSERT_EQUAL(revert(false), -ENOENT);
	ASSERT_CONTAINS(err_text(), "has not converted the pool vms");
	end();
}

/* Two conversions, one revert: to the definition before the first. */
static void revert_restores_the_first_original(void)
{
	struct pool_request request = { .version = "4.2" };
	struct pool_changer c;

	begin(PLAIN, true);
	convert(false);
	c = changer(false);
	CU_ASSERT_EQUAL(pool_change_convert(&c, "vms", &request), 0);
	ASSERT_CONTAINS(lv.xml, "ver=\"4.2\"");
	revert(false);
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	end();
}

static void later_edits_are_not_lost(void)
{
	char *at;

	begin(PLAIN, true);
	convert(false);
	at = strstr(lv.xml, "port=20049");
	memcpy(at, "port=20050", 10);
	CU_ASSERT_EQUAL(revert(false), -EINVAL);
	ASSERT_CONTAINS(err_text(), "was edited since");
	CU_ASSERT_STRING_EQUAL(err_reason(), "edited");
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	CU_ASSERT_EQUAL(revert(true), 0);
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	end();
}

/* A convert that failed on a pool that was converted before and has been edited since. */
static void a_failed_convert_keeps_the_saved_original(void)
{
	struct pool_request request = { .version = "4.2" };
	struct pool_changer c;

	begin(PLAIN, true);
	convert(false);
	lv.proto = "tcp";
	c = changer(false);
	pool_change_convert(&c, "vms", &request);
	lv.proto = NULL;
	CU_ASSERT(is_kept());
	CU_ASSERT_EQUAL(revert(false), 0);
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	end();
}

static void a_convert_that_was_killed_can_be_reverted(void)
{
	struct pool_original original = { .name = strdup("vms"),
					  .before = strdup(PLAIN),
					  .active = true };
	char left[PATH_MAX];

	begin(RDMA, false);
	close(pool_original_lock(store));
	CU_ASSERT_EQUAL_FATAL(pool_original_write(store, UUID, &original), 0);
	/* As if killed while it was written again. */
	snprintf(left, sizeof(left), "%s/" UUID ".json.new", store);
	CU_ASSERT_EQUAL(mknod(left, S_IFREG | 0600, 0), 0);
	CU_ASSERT_EQUAL(revert(false), 0);
	CU_ASSERT_EQUAL(access(left, F_OK), -1);
	CU_ASSERT_STRING_EQUAL(lv.calls, "redefine start");
	CU_ASSERT(lv.active);
	CU_ASSERT_FALSE(is_kept());
	pool_original_fini(&original);
	end();
}

/* As if killed after every call to libvirt. The same or the opposite command then leaves the pool
 * running as that command should, with its record; nothing is reported as "edited since". */
static void a_command_completes_one_killed_after_any_call(void)
{
	static const struct {
		bool reverts, then_reverts;
	} cases[] = { { false, false }, { false, true }, { true, true }, { true, false } };
	unsigned int lives, cut;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bool ended = false;

		for (lives = 2, cut = 0; !ended; lives++) {
			SUITE_ROW("%zu: %u calls", i, lives);
			begin(PLAIN, true);
			if (cases[i].reverts)
				convert(false);
			lv.lives = lives;
			if (cases[i].reverts)
				revert(false);
			else
				convert(false);
			ended = !lv.dead;
			cut += lv.dead;
			lv.lives = 0;
			lv.dead = false;
			if (!cases[i].then_reverts)
				CU_ASSERT_EQUAL(convert(false), 0);
			/* Everything was already undone, or nothing had started. */
			if (cases[i].then_reverts && is_kept())
				CU_ASSERT_EQUAL(revert(false), 0);
			CU_ASSERT_EQUAL(is_kept(), !cases[i].then_reverts);
			CU_ASSERT(lv.active);
			CU_ASSERT_EQUAL(!strstr(lv.xml, "proto=rdma"), cases[i].then_reverts);
			if (!cases[i].then_reverts)
				CU_ASSERT_EQUAL(revert(false), 0);
			CU_ASSERT(lv.active);
			CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
			end();
		}
		CU_ASSERT(cut > 3);
	}
}

/* An interrupted convert that comes up over TCP when completed is rolled back to the original
 * pool. */
static void a_completed_convert_over_tcp_is_rolled_back(void)
{
	struct pool_original original = { .name = strdup("vms"),
					  .before = strdup(PLAIN),
					  .active = true };

	begin(RDMA, false);
	close(pool_original_lock(store));
	CU_ASSERT_EQUAL_FATAL(pool_original_write(store, UUID, &original), 0);
	lv.proto = "tcp";
	convert(false);
	CU_ASSERT_STRING_EQUAL(lv.xml, PLAIN);
	CU_ASSERT(lv.active);
	CU_ASSERT_FALSE(is_kept());
	pool_original_fini(&original);
	end();
}

/* --- saved originals --------------------------------------------------------------------------------- */

static void write_original(const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "var/pools/%s.json", UUID);
	write_root(path, text);
}

static void saved_originals_are_validated(void)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"schema\": \"nfsrdma-pool/2\"}",
		"{\"schema\": \"nfsrdma-pool/1\", \"name\": 1, \"before\": \"<pool/>\"}",
		"{\"schema\": \"nfsrdma-pool/1\", \"name\": \"vms\"}",
		"{\"schema\": \"nfsrdma-pool/1\", \"name\": \"a\\u0000b\", \"before\": \"\"}",
		"[[[[[[[[[[[[[[[[[[[[",
	};
	struct pool_original original;
	size_t i;

	begin(PLAIN, true);
	close(pool_original_lock(store));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		SUITE_ROW("%zu: %s", i, bad[i]);
		write_original(bad[i]);
		CU_ASSERT_EQUAL(pool_original_read(store, UUID, &original), -EBADMSG);
	}
	CU_ASSERT_EQUAL(convert(false), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	CU_ASSERT_EQUAL(pool_original_read(store, "../../etc/x", &original), -EINVAL);
	CU_ASSERT_EQUAL(chmod(store, 0777), 0);
	CU_ASSERT_EQUAL(pool_original_read(store, UUID, &original), -EPERM);
	CU_ASSERT_EQUAL(revert(false), -EPERM);
	end();
}

static void two_commands_do_not_change_pools_at_once(void)
{
	_cleanup_close_ int lock = -1;

	begin(PLAIN, true);
	lock = pool_original_lock(store);
	ASSERT_AT_LEAST_FATAL(lock, 0);
	CU_ASSERT_EQUAL(convert(false), -EBUSY);
	CU_ASSERT_STRING_EQUAL(err_reason(), "busy");
	CU_ASSERT_STRING_EQUAL(lv.calls, "");
	end();
}

/* --- define -------------------------------------------------------------------------------------------- */

static int define(void)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *xml = NULL;
	struct pool_request request = { .policies = NULL };
	struct pool_changer c = changer(false);

	CU_ASSERT_EQUAL_FATAL(pool_xml_new(&xml, "vms", "nas1", "/e", "/pool"), 0);
	CU_ASSERT_EQUAL_FATAL(pool_xml_convert(xml, &request), 0);
	return pool_change_define(&c, xml);
}

static void a_pool_is_defined(void)
{
	begin(NULL, false);
	CU_ASSERT_EQUAL(define(), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define");
	ASSERT_CONTAINS(findings, "pass pool.definition");
	CU_ASSERT_EQUAL(define(), -EEXIST);
	CU_ASSERT_STRING_EQUAL(err_reason(), "exists");
	CU_ASSERT_STRING_EQUAL(lv.calls, "define");
	end();
}

static void a_pool_without_its_options_is_undefined(void)
{
	begin(NULL, false);
	lv.drops_options = true;
	CU_ASSERT_EQUAL(define(), 0);
	CU_ASSERT_STRING_EQUAL(lv.calls, "define undefine");
	ASSERT_CONTAINS(findings, "fail pool.definition/options-dropped: ");
	CU_ASSERT_PTR_NULL(lv.xml);
	end();
}

/* --- paths ----------------------------------------------------------------------------------------------- */

static bool resolves(const char *target, const char *want)
{
	char buf[4096] = "";
	int rc = pool_target_resolve(host, target, buf, sizeof(buf));

	suite_saw("%d: %s", rc, buf);
	return !rc && !strcmp(buf, want);
}

static void a_path_is_walked_to_the_first_mount(void)
{
	char path[128];

	begin(PLAIN, true);
	snprintf(path, sizeof(path), "%s/link", root);
	CU_ASSERT_EQUAL(symlink("/pool", path), 0);
	snprintf(path, sizeof(path), "%s/near", root);
	CU_ASSERT_EQUAL(symlink("proc/../link", path), 0);
	snprintf(path, sizeof(path), "%s/round", root);
	CU_ASSERT_EQUAL(symlink("round", path), 0);
	CU_ASSERT(resolves("/pool", "/pool"));
	CU_ASSERT(resolves("//pool/", "/pool"));
	CU_ASSERT(resolves("/link", "/pool"));
	CU_ASSERT(resolves("/near", "/pool"));
	CU_ASSERT(resolves("/proc/../near/below/../x", "/pool/x"));
	CU_ASSERT(resolves("/not/there", "/not/there"));
	CU_ASSERT(resolves("/../..", "/"));
	CU_ASSERT_EQUAL(pool_target_resolve(host, "/round", path, sizeof(path)), -ELOOP);
	end();
}

SUITE_MAIN("pool-change", TEST(a_running_pool_is_converted_and_verified),
	   TEST(a_pool_keeps_the_version_of_its_mount),
	   TEST(a_stopped_pool_is_verified_and_stopped_again),
	   TEST(a_pool_that_starts_over_tcp_is_rolled_back),
	   TEST(a_stopped_pool_that_starts_over_tcp_is_stopped_again),
	   TEST(any_refused_step_rolls_the_pool_back), TEST(a_refused_rollback_keeps_the_original),
	   TEST(a_start_that_hangs_is_unknown_and_can_be_reverted),
	   TEST(options_that_libvirt_drops_are_found), TEST(autostart_is_kept),
	   TEST(a_folder_that_others_may_write_to_is_not_used),
	   TEST(a_pool_of_another_host_is_not_visible), TEST(a_lost_autostart_is_reported),
	   TEST(a_correct_pool_is_left_alone), TEST(a_correct_definition_over_tcp_is_restarted),
	   TEST(pools_of_other_types_are_refused), TEST(another_hosts_pools_are_not_changed),
	   TEST(running_guests_prevent_a_change), TEST(unknown_guests_prevent_a_change),
	   TEST(every_way_to_use_a_pool_is_found), TEST(revert_restores_the_original),
	   TEST(revert_restores_the_first_original), TEST(later_edits_are_not_lost),
	   TEST(a_failed_convert_keeps_the_saved_original),
	   TEST(a_convert_that_was_killed_can_be_reverted),
	   TEST(a_command_completes_one_killed_after_any_call),
	   TEST(a_completed_convert_over_tcp_is_rolled_back), TEST(saved_originals_are_validated),
	   TEST(two_commands_do_not_change_pools_at_once), TEST(a_pool_is_defined),
	   TEST(a_pool_without_its_options_is_undefined), TEST(a_path_is_walked_to_the_first_mount))
