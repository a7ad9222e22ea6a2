/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The gate: what records say about a mount, what cannot be read, and what a verdict contains. */
#include "tests/unit/guard-machine.h"

/* --- records ---------------------------------------------------------------------------------------- */

static const struct row on_rdma = { .mounts = ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") };
static const struct row on_tcp = { .mounts = ROOT TCP(90, 21, "/srv/vm", "nas:/vm") };

static struct record record_of(enum record_state state, uint64_t age)
{
	struct record record = { .id = 90, .state = state, .checked_ms = NOW - age };

	strcpy(record.dev, "0:90");
	strcpy(record.target, "/srv/vm");
	strcpy(record.fs_spec, "nas:/vm");
	strcpy(record.boot_id, BOOT);
	strcpy(record.wanted, "rdma");
	strcpy(record.by, "mount.nfsrdma");
	return record;
}

static struct record pending_of(uint64_t age)
{
	struct record record = record_of(RECORD_UNPROVEN, age);

	record.id = 0;
	*record.dev = '\0';
	return record;
}

static void put(struct record record)
{
	_cleanup_close_ int folder = record_open(tree.root);

	CU_ASSERT_EQUAL_FATAL(record_write(folder, &record, NULL), 0);
}

/* "pass", "refuse" or "unknown" for the only disk. */
static const char *answer(const char *says)
{
	static const char *const names[] = { "pass", "refuse", "unknown" };

	CU_ASSERT_EQUAL_FATAL(ask("/srv/vm/a", NULL), 0);
	CU_ASSERT_TRUE(is_well_said());
	ASSERT_CONTAINS(verdict.text, says);
	return names[verdict.answer];
}

static void a_record_holds_the_requirement(void)
{
	struct record record;

	begin(&on_tcp);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	put(record_of(RECORD_TCP, 1000));
	CU_ASSERT_STRING_EQUAL(answer("over tcp, but its record in /run/nfsrdma requests RDMA"),
			       "refuse");
	/* An old record still applies to that mount. */
	put(record_of(RECORD_PROVEN, 500000));
	CU_ASSERT_STRING_EQUAL(answer("its record"), "refuse");
	record = record_of(RECORD_TCP, 1000);
	strcpy(record.wanted, "tcp");
	put(record);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	/* Mounted with nfsrdma.policy=prefer: TCP is allowed, with a warning. */
	record = record_of(RECORD_TCP, 1000);
	strcpy(record.policy, "prefer");
	put(record);
	CU_ASSERT_STRING_EQUAL(answer("over tcp"), "pass");
	CU_ASSERT_TRUE(verdict.loud);
	/* From another mount, or from another boot. */
	record = record_of(RECORD_TCP, 1000);
	strcpy(record.fs_spec, "nas:/other");
	put(record);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	record = record_of(RECORD_TCP, 1000);
	strcpy(record.boot_id, "00000000-8f6b-425a-81db-11412b84d08b");
	put(record);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	end();
}

/* Whatever a record says, and whoever left it: the kernel shows the transport. */
static void no_record_overrules_the_kernel(void)
{
	static const struct {
		enum record_state state;
		uint64_t age, pending_age; /* 0: there is none */
		const char *text;          /* of 90.json, in place of the record */
	} rows[] = {
		{ RECORD_PROVEN, 1000, 0, NULL },    { RECORD_PROVEN, 500000, 0, NULL },
		{ RECORD_UNPROVEN, 1000, 0, NULL },  { RECORD_UNPROVEN, 500000, 0, NULL },
		{ RECORD_TCP, 1000, 0, NULL },       { RECORD_GONE, 1000, 0, NULL },
		{ RECORD_PROVEN, 0, 1000, NULL },    { RECORD_PROVEN, 0, 900000, NULL },
		{ RECORD_PROVEN, 2000, 1000, NULL }, { RECORD_PROVEN, 0, 0, "{ \"mount\": 7 }" },
		{ RECORD_PROVEN, 0, 0, "" },         { RECORD_PROVEN, 0, 1000, "" },
	};
	static const char *const confs[] = { "", REQUIRE_NAS, REQUIRE_NAS "on-unknown = refuse\n",
					     "[server nas]\npolicy = prefer\n",
					     "[server nas]\npolicy = off\n" };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		begin(&on_rdma);
		if (rows[i].text)
			tree_write(&tree, "run/nfsrdma/mounts/90.json", rows[i].text);
		else if (rows[i].age)
			put(record_of(rows[i].state, rows[i].age));
		if (rows[i].pending_age)
			put(pending_of(rows[i].pending_age));
		for (j = 0; j < ARRAY_SIZE(confs); j++) {
			tree_write(&tree, "etc/nfsrdma.conf", confs[j]);
			CU_ASSERT_STRING_EQUAL(answer(""), "pass");
			CU_ASSERT_FALSE(verdict.loud);
			CU_ASSERT_FALSE(verdict.refuse);
		}
		end();
	}
}

/* By mountstats, too; the age of the mount, and whether it is mounted twice, do not matter. */
static void a_pending_record_says_nothing_against_a_mount(void)
{
	static const char stats[] =
		"device nas:/vm mounted on /srv/vm with fstype nfs4 statvers=1.1\n"
		"\topts:\trw,vers=4.2,proto=rdma\n\tage:\t%u\n"
		"\txprt:\t%s 0 0 1 0 24 3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"\tper-op statistics\n";
	static const struct {
		unsigned int age_s, pending_s;
		const char *proto, *answer, *says;
	} rows[] = {
		{ 60, 900, "rdma", "pass", "" },
		{ 60, 60, "rdma", "pass", "" },
		{ 60, 30, "rdma", "pass", "" },
		{ 5, 10, "rdma", "pass", "" },
		{ 5, 900, "rdma", "pass", "" },
		{ 5000, 900, "rdma", "pass", "" },
		{ 60, 900, "tcp", "refuse", "over mixed" },
	};
	char text[1024];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].proto);
		begin(&on_rdma);
		tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
		snprintf(text, sizeof(text), stats, rows[i].age_s, rows[i].proto);
		tree_write(&tree, "proc/self/mountstats", text);
		put(pending_of(rows[i].pending_s * 1000));
		CU_ASSERT_STRING_EQUAL(answer(rows[i].says), rows[i].answer);
		end();
	}
}

/* Over TCP it shows what was requested, as nothing else does. */
static void a_pending_record_holds_the_requirement(void)
{
	struct record record;

	begin(&on_tcp);
	put(pending_of(900 * 1000));
	CU_ASSERT_STRING_EQUAL(answer("over tcp, but its record"), "refuse");
	record = pending_of(1000);
	strcpy(record.policy, "prefer");
	put(record);
	CU_ASSERT_STRING_EQUAL(answer("over tcp"), "pass");
	CU_ASSERT_TRUE(verdict.loud);
	/* For another source that does not require RDMA there. */
	record = pending_of(1000);
	strcpy(record.fs_spec, "nas:/other");
	put(record);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	record = pending_of(1000);
	strcpy(record.boot_id, "00000000-8f6b-425a-81db-11412b84d08b");
	put(record);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	end();
}

/* Where mount.nfsrdma, or the process that mounts, is killed: what is left, and each policy's answer. */
static void a_killed_helper_leaves_no_guest_on_the_local_disk(void)
{
	enum { NOTHING, OVER_RDMA, OVER_TCP, LOCAL };
	static const char *const lies[] = {
		[NOTHING] = ROOT,
		[OVER_RDMA] = ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"),
		[OVER_TCP] = ROOT TCP(90, 21, "/srv/vm", "nas:/vm"),
		[LOCAL] = ROOT OTHER(90, 21, "/srv/vm", "ext4", "/dev/sdb1"),
	};
	static const char *const confs[] = { "", REQUIRE_NAS, "[server nas]\npolicy = prefer\n",
					     "[server nas]\npolicy = off\n" };
	static const struct {
		const char *point;
		bool pending, recorded;
		unsigned int lies;
		const char *answers; /* of the policies: passes, Warns, refuses */
	} rows[] = {
		{ "before it is noted", false, false, NOTHING, "pppp" },
		{ "before mount.nfs", true, false, NOTHING, "rrrp" },
		{ "at move_mount", true, false, NOTHING, "rrrp" },
		{ "after the mount", true, false, OVER_RDMA, "pppp" },
		{ "after it is recorded", true, true, OVER_RDMA, "pppp" },
		{ "the end", false, true, OVER_RDMA, "pppp" },
		{ "after a mount over TCP", true, false, OVER_TCP, "rrWp" },
		{ "a TCP mount that is recorded", true, true, OVER_TCP, "rrWp" },
		/* An error that was told; a mount that was unmounted. */
		{ "after the error", false, false, NOTHING, "pppp" },
		{ "after umount", false, true, NOTHING, "pppp" },
		/* The kernel shows it. */
		{ "above a local mount", true, false, LOCAL, "pppp" },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].point);
		begin(&(struct row){ .mounts = lies[rows[i].lies] });
		if (rows[i].pending)
			put(pending_of(10000));
		if (rows[i].recorded)
			put(record_of(RECORD_PROVEN, 1000));
		for (j = 0; j < ARRAY_SIZE(confs); j++) {
			bool refused = rows[i].answers[j] == 'r';

			tree_write(&tree, "etc/nfsrdma.conf", confs[j]);
			CU_ASSERT_STRING_EQUAL(answer(""), refused ? "refuse" : "pass");
			CU_ASSERT_EQUAL(verdict.refuse, refused);
			CU_ASSERT_EQUAL(verdict.loud, rows[i].answers[j] == 'W');
			if (!refused || rows[i].lies != NOTHING)
				continue;
			ASSERT_CONTAINS(verdict.text, "nothing is mounted at /srv/vm");
			ASSERT_CONTAINS(verdict.remedy, "rm /run/nfsrdma/mounts/pending-");
			CU_ASSERT_STRING_EQUAL(verdict.reason, "unfinished");
		}
		end();
	}
	/* A line that need not be mounted does not hide what clears the request. */
	begin(&(struct row){ .mounts = ROOT,
			     .fstab = "nas:/vm /srv/vm nfs proto=rdma,noauto 0 0\n" });
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	put(pending_of(10000));
	CU_ASSERT_STRING_EQUAL(answer("nothing is mounted at /srv/vm"), "refuse");
	ASSERT_CONTAINS(verdict.remedy, "rm /run/nfsrdma/mounts/pending-");
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
	CU_ASSERT_STRING_EQUAL(answer(""), "refuse");
	ASSERT_CONTAINS(verdict.remedy, "rm /run/nfsrdma/mounts/pending-");
	end();
	/* Of an earlier boot; of a mount for which RDMA was not requested. */
	for (i = 0; i < 2; i++) {
		struct record record = pending_of(1000);

		strcpy(i ? record.wanted : record.boot_id, i ? "tcp" : "another");
		begin(&(struct row){ .mounts = ROOT });
		put(record);
		CU_ASSERT_STRING_EQUAL(answer(""), "pass");
		end();
	}
}

/* It may have a request for RDMA. */
static void an_invalid_record_of_a_mount_over_tcp_is_unknown(void)
{
	begin(&on_tcp);
	tree_write(&tree, "run/nfsrdma/mounts/90.json", "{ \"mount\": 7 }");
	CU_ASSERT_STRING_EQUAL(answer("unknown whether it should be over RDMA"), "unknown");
	CU_ASSERT_FALSE(verdict.refuse);
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
	CU_ASSERT_STRING_EQUAL(answer("over tcp"), "refuse");
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas]\npolicy = off\n");
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	end();
}

/* --- connections -------------------------------------------------------------------------------------- */

static void a_mount_with_connections_of_both_kinds_is_refused(void)
{
	static const char stats[] =
		"device nas:/vm mounted on /srv/vm with fstype nfs4 statvers=1.1\n"
		"\topts:\trw,vers=4.2,proto=rdma\n\tage:\t7\n"
		"\txprt:\trdma 0 0 1 0 24 3 3 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"\txprt:\ttcp 0 0 1 0 24 3 3 0 3 0 2 0 0\n\tper-op statistics\n";

	begin(&on_rdma);
	tree_write(&tree, "proc/self/mountstats", stats);
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
	CU_ASSERT_STRING_EQUAL(answer("over mixed"), "refuse");
	end();
}

/* --- the verdict and its finding ------------------------------------------------------------------------ */

static void a_verdict_has_its_names(void)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	begin(&on_tcp);
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
	CU_ASSERT_EQUAL_FATAL(ask("/var/lib/vm/a", NULL), 0);
	CU_ASSERT_TRUE(verdict.wanted);
	CU_ASSERT_STRING_EQUAL(verdict.path, "/var/lib/vm/a");
	CU_ASSERT_STRING_EQUAL(verdict.target, "/srv/vm");
	CU_ASSERT_STRING_EQUAL(verdict.fs_spec, "nas:/vm");
	CU_ASSERT_STRING_EQUAL(verdict.proto, "tcp");
	CU_ASSERT_STRING_EQUAL(verdict.by, "/etc/nfsrdma.conf:2");
	guard_finding(&verdict, &finding);
	CU_ASSERT_STRING_EQUAL(finding.id, "gate.transport");
	CU_ASSERT_EQUAL(finding.status, FINDING_FAIL);
	CU_ASSERT_STRING_EQUAL(finding.summary, verdict.text);
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas]\npolicy = prefer\n");
	CU_ASSERT_EQUAL_FATAL(ask("/srv/vm/a", NULL), 0);
	guard_finding(&verdict, &finding);
	CU_ASSERT_EQUAL(finding.status, FINDING_WARN);
	tree_write(&tree, "etc/nfsrdma.conf", "");
	CU_ASSERT_EQUAL_FATAL(ask("/srv/vm/a", NULL), 0);
	CU_ASSERT_FALSE(verdict.wanted);
	CU_ASSERT_STRING_EQUAL(verdict.proto, "tcp");
	CU_ASSERT_STRING_EQUAL(verdict.by, "");
	guard_finding(&verdict, &finding);
	CU_ASSERT_EQUAL(finding.status, FINDING_PASS);
	ASSERT_CONTAINS(finding.summary, "not requested");
	/* For a missing mount: the mount point and the source. */
	CU_ASSERT_EQUAL_FATAL(ask("linked:a", &all_pools), 0);
	CU_ASSERT_STRING_EQUAL(verdict.path, "/pools/linked/a");
	CU_ASSERT_STRING_EQUAL(verdict.target, "/var/lib/linked");
	CU_ASSERT_STRING_EQUAL(verdict.fs_spec, "nas:/linked");
	CU_ASSERT_STRING_EQUAL(verdict.proto, "");
	CU_ASSERT_EQUAL_FATAL(ask("nobody:a", &all_pools), 0);
	CU_ASSERT_STRING_EQUAL(verdict.path, "");
	guard_finding(&verdict, &finding);
	CU_ASSERT_EQUAL(finding.status, FINDING_UNKNOWN);
	end();
}

static bool has_remedy(const char *disk, const struct view_places *places, const char *words)
{
	int rc = ask(disk, places);
	bool well_said = is_well_said();

	suite_saw("%d: %s", rc, verdict.remedy);
	return !rc && well_said && strstr(verdict.remedy, words);
}

static void names_in_commands_are_quoted_for_the_shell(void)
{
	static const struct view_place list[] = {
		{ .pool = (char *)"p q",
		  .target = (char *)"/srv/p",
		  .fs_spec = (char *)"nas:/p",
		  .asked = ASKED_RDMA,
		  .by = "pool 'p q'" },
	};
	const struct view_places places = { 1, (struct view_place *)list };

	begin(&(struct row){
		.mounts = ROOT OTHER(91, 21, "/rhev/data-center/mnt/nas:_a'b", "ext4", "/dev/it's")
			OTHER(92, 21, "/auto/o'\\040\303\266", "autofs", "x"),
		.conf = "[directory /srv/it's $HOME]\npolicy = require\n"
			"[directory /rhev/data-center/mnt/*]\npolicy = require\n"
			"[directory /auto/*]\npolicy = require\n",
		.fstab = "nas:/f /srv/f\\040(1) nfs proto=rdma 0 0\n" });
	CU_ASSERT(has_remedy("/srv/p/a", &places,
			     "('virsh pool-start p\\ q'), then run 'nfsrdma pool verify p\\ q'"));
	CU_ASSERT(has_remedy("/srv/f (1)/a", NULL, "('mount /srv/f\\ \\(1\\)')"));
	CU_ASSERT(has_remedy("/srv/it's $HOME/a", NULL,
			     "on /srv/it's $HOME over RDMA ('mount -t nfsrdma "
			     "SERVER:/EXPORT /srv/it\\'s\\ \\$HOME')"));
	CU_ASSERT(has_remedy("/rhev/data-center/mnt/nas:_a'b/a", NULL,
			     "'nfsrdma ovirt options nas:/a\\'b'"));
	CU_ASSERT(has_remedy("/auto/o' \303\266/a", NULL, "'ls /auto/o\\'\\ \303\266'"));
	end();
	begin(&(struct row){ .mounts = ROOT TCP(90, 21, "/srv/p", "nas:/p") });
	CU_ASSERT(has_remedy("/srv/p/a", &places,
			     "of pool 'p q', then restart it over RDMA "
			     "('nfsrdma pool convert p\\ q')"));
	end();
}

static bool has_reason(const char *path, const struct view_places *places, const char *reason)
{
	int rc = ask(path, places);
	bool well_said = is_well_said();

	suite_saw("%d: %s/%s: %s", rc, verdict.id, verdict.reason, verdict.text);
	return !rc && well_said && !strcmp(verdict.reason, reason);
}

static void a_reason_names_the_mounting_program(void)
{
	static const struct view_place list[] = {
		{ .pool = (char *)"p",
		  .target = (char *)"/srv/p",
		  .fs_spec = (char *)"nas:/p",
		  .asked = ASKED_RDMA,
		  .expected = true,
		  .by = "pool 'p'" },
	};
	const struct view_places places = { 1, (struct view_place *)list };
	static const char fstab[] = "nas:/f /srv/f nfs proto=rdma 0 0\n";
#define SECTION "[directory /srv/f]\npolicy = require\n"
	static const char *const enabled[] = {
		"etc/systemd/system/remote-fs.target.wants/srv-f.mount",
		"etc/systemd/system/remote-fs.target.requires/srv-f.mount",
		"etc/systemd/system/libvirtd.service.upholds/srv-f.mount",
	};
	size_t i;

	begin(&(struct row){ .mounts = ROOT TCP(90, 21, "/srv/p", "nas:/p") });
	CU_ASSERT(has_reason("/srv/p/a", &places, "pool-not-rdma"));
	end();
	begin(&(struct row){ .mounts = ROOT TCP(90, 21, "/srv/f", "nas:/f"), .fstab = fstab });
	CU_ASSERT(has_reason("/srv/f/a", NULL, "not-rdma"));
	end();
	/* libvirt does not start a pool that it considers running. */
	begin(&(struct row){ .mounts = ROOT });
	CU_ASSERT(has_reason("/srv/p/a", &places, "pool-not-mounted"));
	CU_ASSERT(has_remedy("/srv/p/a", &places, "'virsh pool-destroy p', 'virsh pool-start p'"));
	end();
	begin(&(struct row){ .mounts = ROOT OTHER(90, 21, "/srv/p", "ext4", "/dev/sdb") });
	CU_ASSERT(has_reason("/srv/p/a", &places, "pool-occupied"));
	end();
	begin(&(struct row){ .mounts = ROOT RDMA(90, 21, "/srv/p", "192.0.2.1:/p") });
	CU_ASSERT(has_reason("/srv/p/a", &places, "other-source"));
	end();
	/* A volume of an unknown pool. */
	begin(&(struct row){ .mounts = ROOT });
	CU_ASSERT(has_reason("nosuch:a", &places, "lost"));
	end();
	begin(&(struct row){ .mounts = ROOT, .fstab = fstab });
	CU_ASSERT(has_reason("/srv/f/a", NULL, "not-mounted"));
	end();
	begin(&(struct row){ .mounts = ROOT OTHER(90, 21, "/srv/f", "ext4", "/dev/sdb"),
			     .fstab = fstab });
	CU_ASSERT(has_reason("/srv/f/a", NULL, "occupied"));
	end();
	begin(&(struct row){ .mounts = ROOT OTHER(90, 21, "/srv/f", "autofs", "x"),
			     .fstab = fstab });
	CU_ASSERT(has_reason("/srv/f/a", NULL, "automount"));
	end();
	begin(&(struct row){ .mounts = ROOT OTHER(90, 21, "/srv/f", "autofs", "systemd-1"),
			     .fstab = "nas:/f /srv/f nfs proto=tcp,x-systemd.automount 0 0\n",
			     .conf = SECTION });
	CU_ASSERT(has_reason("/srv/f/a", NULL, "on-demand"));
	end();
	for (i = 0; i < ARRAY_SIZE(enabled); i++) {
		begin(&(struct row){ .mounts = ROOT });
		tree_write(&tree, "lib/systemd/system/srv-f.mount",
			   "[Mount]\nWhat=nas:/f\nWhere=/srv/f\nType=nfsrdma\n");
		tree_link(&tree, enabled[i], "/lib/systemd/system/srv-f.mount");
		CU_ASSERT(has_reason("/srv/f/a", NULL, "unit-not-mounted"));
		CU_ASSERT(has_remedy("/srv/f/a", NULL, "('systemctl start srv-f.mount')"));
		end();
	}
	begin(&(struct row){ .mounts = ROOT });
	tree_write(&tree, "etc/pve/storage.cfg",
		   "nfs: f\n\tserver nas\n\texport /f\n\toptions proto=rdma\n");
	CU_ASSERT(has_reason("/mnt/pve/f/a", NULL, "storage-not-mounted"));
	CU_ASSERT(has_remedy("/mnt/pve/f/a", NULL, "('pvesm status --storage f')"));
	end();
	/* mount(8) knows no mount for a directory of the policy. */
	begin(&(struct row){ .mounts = ROOT, .conf = SECTION });
	CU_ASSERT(has_reason("/srv/f/a", NULL, "section-not-mounted"));
	CU_ASSERT(has_remedy("/srv/f/a", NULL, "('mount -t nfsrdma SERVER:/EXPORT /srv/f')"));
	end();
	begin(&(struct row){ .mounts = ROOT OTHER(90, 21, "/srv/f", "ext4", "/dev/sdb"),
			     .conf = SECTION });
	CU_ASSERT(has_reason("/srv/f/a", NULL, "section-occupied"));
	end();
	begin(&(struct row){ .mounts = ROOT TCP(90, 21, "/rhev/data-center/mnt/nas:_f", "nas:/f"),
			     .conf = "[directory /rhev/data-center/mnt/*]\n"
				     "policy = require\n" });
	CU_ASSERT(has_reason("/rhev/data-center/mnt/nas:_f/a", NULL, "vdsm"));
	end();
}

/* --- what is read before a guest starts -------------------------------------------------------------- */

#define CEPH_DIR "/rhev/data-center/mnt/192.0.2.1:6789:_"
#define REQUIRE  "[default]\npolicy = require\n"

/* A domain of type POSIX has a directory of the same form as one of NFS. */
static void what_vdsm_mounts_need_not_be_nfs(void)
{
	begin(&(struct row){ .mounts = ROOT OTHER(90, 21, CEPH_DIR, "ceph", "192.0.2.1:6789:/"),
			     .conf = REQUIRE });
	tree_mkdir(&tree, &CEPH_DIR[1]);
	tree_mkdir(&tree, "rhev/data-center/mnt/nas:_d");
	CU_ASSERT_EQUAL_FATAL(ask(CEPH_DIR "/D/images/I/V", NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_PASS);
	CU_ASSERT_STRING_EQUAL(verdict.text, "");
	CU_ASSERT_EQUAL_FATAL(ask("/rhev/data-center/mnt/nas:_d/D/V", NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_REFUSE);
	end();
	/* A disk of this host in the place of a domain. */
	begin(&(struct row){
		.mounts = ROOT OTHER(90, 21, "/rhev/data-center/mnt/nas:_d", "ext4", "/dev/sdb1"),
		.conf = REQUIRE });
	tree_mkdir(&tree, "rhev/data-center/mnt/nas:_d");
	CU_ASSERT_EQUAL_FATAL(ask("/rhev/data-center/mnt/nas:_d/D/V", NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_REFUSE);
	end();
}

/* end() says whether a folder below a network mount was listed. */
static void no_configuration_on_a_network_mount_is_read(void)
{
	begin(&(struct row){ .mounts = ROOT RDMA(90, 21, "/rhev/data-center/other", "nas:/o")
				     TCP(91, 21, "/srv/net", "nas:/net") });
	tree_mkdir(&tree, "rhev/data-center/mnt/nas:_d");
	tree_mkdir(&tree, "rhev/data-center/other");
	tree_link(&tree, "etc/systemd/system/srv-vm.mount", "/srv/net/srv-vm.mount");
	tree_write(&tree, "srv/net/srv-vm.mount",
		   "[Mount]\nWhat=nas:/vm\nWhere=/srv/vm\nType=nfs\n");
	CU_ASSERT_EQUAL_FATAL(ask("/srv/net/a", NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_UNKNOWN);
	ASSERT_CONTAINS(verdict.text,
			"/etc/systemd/system/srv-vm.mount is not on a disk of this host");
	end();
}

/* What a trigger mounts takes its transport from nfsmount.conf, by each way to write it. */
static void a_trigger_follows_nfsmount_conf(void)
{
	static const struct {
		const char *conf;
		enum guard_answer answer;
	} rows[] = {
		{ "[ Server \"nas\" ]\nProto=rdma\n", GUARD_PASS },
		{ "[ Server \"nas\" ]\nrdma=true\n", GUARD_PASS },
		{ "[ Server \"nas\" ]\nProto=tcp\n", GUARD_REFUSE },
		{ "", GUARD_REFUSE },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].conf);
		begin(&(struct row){
			.mounts = ROOT OTHER(90, 21, "/srv/f", "autofs", "systemd-1"),
			.fstab = "nas:/f /srv/f nfs vers=4.2,x-systemd.automount 0 0\n",
			.nfsmount = rows[i].conf,
			.conf = REQUIRE_NAS });
		CU_ASSERT_EQUAL_FATAL(ask("/srv/f/a", NULL), 0);
		CU_ASSERT_EQUAL(verdict.answer, rows[i].answer);
		end();
	}
}

/* autofs(5): an exact key precedes "*" wherever it is; auto.master(5): a map has options of its own. */
static void a_file_map_is_read_as_the_daemon_reads_it(void)
{
	static const struct {
		const char *map, *master, *more;
		enum guard_answer answer;
	} rows[] = {
		{ "f -proto=rdma nas:/f\n", "", NULL, GUARD_PASS },
		{ "f nas:/f\n", "", NULL, GUARD_REFUSE },
		{ "* -proto=tcp nas:/&\nf -proto=rdma nas:/f\n", "", NULL, GUARD_PASS },
		{ "f -proto=rdma nas:/f\n* nas:/&\n", "", NULL, GUARD_PASS },
		{ "f -proto=rdma nas:/f\n+more\n", "", NULL, GUARD_PASS },
		{ "* -proto=rdma nas:/&\n+more\n", "", NULL, GUARD_UNKNOWN },
		{ "f nas:/f\n", "/srv /etc/auto.vm --timeout=60 -proto=rdma,vers=4.2\n", NULL,
		  GUARD_PASS },
		{ "f nas:/f\n", "/srv file:/etc/auto.vm fstype=nfsrdma\n", NULL, GUARD_PASS },
		{ "f nas:/f\n", "/srv /etc/auto.vm -fstype=cifs\n", NULL, GUARD_UNKNOWN },
		{ "f -proto=tcp nas:/f\n", "/srv /etc/auto.vm proto=rdma\n", NULL, GUARD_REFUSE },
		{ "f nas:/f\n", "/net /etc/auto.vm proto=rdma\n/srv /etc/auto.x rdma\n", NULL,
		  GUARD_REFUSE },
		{ "f nas:/f\n", "+dir:/etc/auto.master.d\n", "/srv /etc/auto.vm proto=rdma # x\n",
		  GUARD_PASS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].map);
		begin(&(struct row){ .mounts = ROOT OTHER(90, 21, "/srv", "autofs", "/etc/auto.vm"),
				     .conf = "[directory /srv/f]\npolicy = require\n" });
		tree_write(&tree, "etc/auto.vm", rows[i].map);
		tree_write(&tree, "etc/auto.master", rows[i].master);
		write_if("etc/auto.master.d/vm.autofs", rows[i].more);
		CU_ASSERT_EQUAL_FATAL(ask("/srv/f/a", NULL), 0);
		CU_ASSERT_EQUAL(verdict.answer, rows[i].answer);
		end();
	}
}

/* Only the server is named: what an unknown map mounts may be of it, another type of file system is not. */
static void what_an_unknown_map_mounts_may_be_of_the_server(void)
{
	static const struct {
		const char *map, *master;
		enum guard_answer answer;
	} rows[] = {
		{ "f -proto=tcp nas:/f\n", "", GUARD_REFUSE },
		{ "f -proto=tcp other:/f\n", "", GUARD_PASS },
		{ "#!/bin/sh\necho -proto=tcp nas:/f\n", "", GUARD_UNKNOWN },
		{ "* -proto=tcp other:/&\n+more\n", "", GUARD_UNKNOWN },
		{ "f ://nas/f\n", "/srv /etc/auto.vm -fstype=cifs\n", GUARD_PASS },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].map);
		begin(&(struct row){ .mounts = ROOT OTHER(90, 21, "/srv", "autofs", "/etc/auto.vm"),
				     .conf = REQUIRE_NAS });
		tree_write(&tree, "etc/auto.vm", rows[i].map);
		tree_write(&tree, "etc/auto.master", rows[i].master);
		CU_ASSERT_EQUAL_FATAL(ask("/srv/f/a", NULL), 0);
		CU_ASSERT_EQUAL(verdict.answer, rows[i].answer);
		end();
	}
}

static void long_names_are_shortened_in_the_middle(void)
{
	char *path = malloc(PATH_MAX);
	size_t len = strlen("/srv/vm/first");

	begin(&on_tcp);
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
	memset(path, 'x', PATH_MAX);
	memcpy(path, "/srv/vm/first", len);
	strcpy(path + 3000, "/last.img");
	CU_ASSERT_EQUAL_FATAL(ask(path, NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_REFUSE);
	CU_ASSERT_TRUE(is_well_said());
	ASSERT_CONTAINS(verdict.text, "(/srv/vm/firstxx");
	ASSERT_CONTAINS(verdict.text, "xx/last.img) is on nas:/vm");
	ASSERT_CONTAINS(verdict.text, "requires RDMA");
	memset(path, 'x', PATH_MAX - 1);
	path[0] = '/';
	path[PATH_MAX - 1] = '\0';
	CU_ASSERT_EQUAL_FATAL(ask(path, NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_UNKNOWN);
	free(path);
	end();
}

/* The cached result applies only to the last directory. */
static void a_name_prefix_does_not_match_a_directory(void)
{
	static const struct {
		const char *first, *second;
		enum guard_answer answer;
	} rows[] = {
		{ "/srv/vm2/a", "/srv/vm/b", GUARD_REFUSE },
		{ "/srv/vm/a", "/srv/vm2/b", GUARD_PASS },
		{ "/srv/vm/a", "/srv/vm/b", GUARD_REFUSE },
		{ "/srv/vm/sub/a", "/srv/vm", GUARD_REFUSE },
		{ "/srv/vm", "/srv/vm2", GUARD_PASS },
	};
	struct guard_sources sources = { .now = NOW };
	struct guard *guard;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu: %s", i, rows[i].first);
		begin(&(struct row){ .mounts = ROOT, .conf = REQUIRE_DIR });
		sources.host = tree.host;
		CU_ASSERT_EQUAL_FATAL(guard_open(&guard, &sources), 0);
		ask_guard(guard, rows[i].first);
		ask_guard(guard, rows[i].second);
		CU_ASSERT_EQUAL(verdict.answer, rows[i].answer);
		guard_close(guard);
		end();
	}
}

/* Each mount is examined once, and no file is read per disk. */
static unsigned int reads;

static void count(void *arg, const struct host_event *event)
{
	(void)arg;
	reads += event->type == HOST_EVENT_TEXT;
	watch(NULL, event);
}

static void five_hundred_disks_need_no_more_reads_than_one(void)
{
	_cleanup_(guard_close_p) struct guard *guard = NULL;
	struct guard_sources sources = { .places = &all_pools, .now = NOW };
	char path[128];
	uint64_t start;
	unsigned int i, before;

	begin(&on_rdma);
	put(record_of(RECORD_PROVEN, 1000));
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS REQUIRE_DIR);
	sources.host = tree.host;
	host_watch(tree.host, count, NULL);
	CU_ASSERT_EQUAL_FATAL(guard_open(&guard, &sources), 0);
	ask_guard(guard, "/srv/vm/first");
	before = reads;
	start = now_ns();
	for (i = 0; i < 1500; i++) {
		snprintf(path, sizeof(path), "/var/lib/vm/guest%u/disk%u.qcow2", i / 3, i);
		ask_guard(guard, path);
		if (verdict.answer != GUARD_PASS || !verdict.wanted)
			break;
	}
	start = now_ns() - start;
	CU_ASSERT_EQUAL(i, 1500);
	CU_ASSERT_EQUAL(reads, before);
	ASSERT_WITHIN_MS(start / 1000000, 5000);
	end();
}

/* --- unreadable files ------------------------------------------------------------------------- */

static void unreadable_pools_are_unknown(void)
{
	_cleanup_(guard_close_p) struct guard *guard = NULL;
	struct guard_sources sources = { .places_unknown = "Permission denied", .now = NOW };

	begin(&(struct row){ .mounts = ROOT, .conf = REQUIRE_DIR });
	sources.host = tree.host;
	CU_ASSERT_EQUAL_FATAL(guard_open(&guard, &sources), 0);
	ask_guard(guard, "vm:a");
	CU_ASSERT_EQUAL(verdict.answer, GUARD_UNKNOWN);
	CU_ASSERT_FALSE(verdict.refuse);
	ASSERT_CONTAINS(verdict.text, "Permission denied");
	/* A path needs no pool. */
	ask_guard(guard, "/etc/x");
	CU_ASSERT_EQUAL(verdict.answer, GUARD_PASS);
	end();
}

static void a_guard_without_its_files_is_an_error(void)
{
	const struct row row = { .mounts = ROOT };
	char path[PATH_MAX];

	begin(&row);
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas]\npolicy = maybe\n");
	CU_ASSERT_EQUAL(ask("/x", NULL), -EINVAL);
	ASSERT_CONTAINS(err_text(), "/etc/nfsrdma.conf:2");
	end();
	begin(&row);
	tree_path(&tree, "proc/self/mountinfo", path);
	unlink(path);
	CU_ASSERT_EQUAL(ask("/x", NULL), -ENOENT);
	ASSERT_CONTAINS(err_text(), "mounts cannot be read");
	end();
	if (!geteuid())
		return;
	begin(&row);
	tree_write(&tree, "etc/nfsrdma.conf", "");
	tree_path(&tree, "etc/nfsrdma.conf", path);
	chmod(path, 0);
	CU_ASSERT_EQUAL(ask("/x", NULL), -EACCES);
	end();
}

SUITE_MAIN("guard-records", TEST(a_record_holds_the_requirement),
	   TEST(no_record_overrules_the_kernel),
	   TEST(a_pending_record_says_nothing_against_a_mount),
	   TEST(a_pending_record_holds_the_requirement),
	   TEST(a_killed_helper_leaves_no_guest_on_the_local_disk),
	   TEST(an_invalid_record_of_a_mount_over_tcp_is_unknown),
	   TEST(a_mount_with_connections_of_both_kinds_is_refused), TEST(a_verdict_has_its_names),
	   TEST(names_in_commands_are_quoted_for_the_shell),
	   TEST(a_reason_names_the_mounting_program), TEST(what_vdsm_mounts_need_not_be_nfs),
	   TEST(no_configuration_on_a_network_mount_is_read), TEST(a_trigger_follows_nfsmount_conf),
	   TEST(a_file_map_is_read_as_the_daemon_reads_it),
	   TEST(what_an_unknown_map_mounts_may_be_of_the_server),
	   TEST(long_names_are_shortened_in_the_middle),
	   TEST(a_name_prefix_does_not_match_a_directory),
	   TIMED(five_hundred_disks_need_no_more_reads_than_one),
	   TEST(unreadable_pools_are_unknown), TEST(a_guard_without_its_files_is_an_error))
