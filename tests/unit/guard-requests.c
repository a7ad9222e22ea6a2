/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The gate: what was requested of mount.nfsrdma, what cannot be read, and what a verdict contains. */
#include "tests/unit/guard-machine.h"

/* --- requests --------------------------------------------------------------------------------------- */

static const struct row on_rdma = { .mounts = ROOT RDMA(90, 21, "/srv/vm", "nas:/vm") };
static const struct row on_tcp = { .mounts = ROOT TCP(90, 21, "/srv/vm", "nas:/vm") };

static struct request request_for(bool mounted, uint64_t age)
{
	return (struct request){ .mounted = mounted,
				 .at_ms = NOW - age,
				 .boot_id = BOOT,
				 .policy = "require",
				 .source = "nas:/vm",
				 .target = "/srv/vm" };
}

static void put(struct request request)
{
	_cleanup_close_ int folder = request_open(tree.root);

	CU_ASSERT_EQUAL_FATAL(request_write(folder, -1, &request), 0);
}

static void put_text(const char *text)
{
	char path[sizeof(REQUEST_FOLDER) + REQUEST_NAME_MAX] = REQUEST_FOLDER "/";

	request_name("/srv/vm", path + strlen(path));
	tree_write(&tree, path, text);
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

/* Over TCP it has the policy, which nothing else shows; pending or not. */
static void a_request_holds_the_requirement(void)
{
	struct request request;
	size_t i;

	for (i = 0; i < 2; i++) {
		SUITE_ROW("%zu", i);
		begin(&on_tcp);
		CU_ASSERT_STRING_EQUAL(answer(""), "pass");
		put(request_for(i, 1000));
		CU_ASSERT_STRING_EQUAL(
			answer("over tcp, but its mount by mount.nfsrdma requests RDMA"), "refuse");
		put(request_for(i, 500000));
		CU_ASSERT_STRING_EQUAL(answer("its mount by mount.nfsrdma"), "refuse");
		/* nfsrdma.policy=prefer: TCP is allowed, with a warning. */
		request = request_for(i, 1000);
		request.policy = "prefer";
		put(request);
		CU_ASSERT_STRING_EQUAL(answer("over tcp"), "pass");
		CU_ASSERT_TRUE(verdict.loud);
		/* For another source that does not require RDMA there; of another boot. */
		request = request_for(i, 1000);
		request.source = "nas:/other";
		put(request);
		CU_ASSERT_STRING_EQUAL(answer(""), "pass");
		request = request_for(i, 1000);
		request.boot_id = "00000000-8f6b-425a-81db-11412b84d08b";
		put(request);
		CU_ASSERT_STRING_EQUAL(answer(""), "pass");
		end();
	}
}

/* nfsrdma.policy= of the call outweighs [default], and a section outweighs it; without one the
 * files count, as they are now. So it is where nothing is mounted, and for a line of fstab and a
 * unit. */
static void the_policy_of_one_mount_outweighs_the_default(void)
{
	static const char *const confs[] = { "",
					     "[default]\npolicy = require\n",
					     "[default]\npolicy = prefer\n",
					     "[default]\npolicy = off\n",
					     "[server nas]\npolicy = prefer\n",
					     "[server nas]\npolicy = off\n",
					     REQUIRE_NAS };
	static const struct {
		const char *policy, *fstab;
		const char *tcp, *nothing; /* with each conf: passes, Warns, refuses */
	} rows[] = {
		{ "require", NULL, "rrrrWpr", "rrrrrpr" },
		{ "prefer", NULL, "WWWWWpr", "rrrrrpr" },
		{ REQUEST_POLICY_FILES, NULL, "rrWpWpr", "rrrprpr" },
		{ NULL, "nas:/vm /srv/vm nfsrdma nfsrdma.policy=require 0 0\n", "rrrrWpr",
		  "rrrrrpr" },
		{ NULL, "nas:/vm /srv/vm nfsrdma nfsrdma.policy=prefer 0 0\n", "WWWWWpr",
		  "rrrrrpr" },
		{ NULL, "nas:/vm /srv/vm nfsrdma vers=4.2 0 0\n", "rrWpWpr", "rrrprpr" },
		/* The stricter one counts. */
		{ "require", "nas:/vm /srv/vm nfsrdma nfsrdma.policy=prefer 0 0\n", "rrrrWpr",
		  "rrrrrpr" },
		{ "prefer", "nas:/vm /srv/vm nfsrdma nfsrdma.policy=require 0 0\n", "rrrrWpr",
		  "rrrrrpr" },
	};
	struct request request;
	size_t i, j;
	char expected;

	for (i = 0; i < 2 * ARRAY_SIZE(rows) * ARRAY_SIZE(confs); i++) {
		const char *policy = rows[i / 2 / ARRAY_SIZE(confs)].policy,
			   *fstab = rows[i / 2 / ARRAY_SIZE(confs)].fstab;

		j = i / 2 % ARRAY_SIZE(confs);
		SUITE_ROW("%s %s, %s, %s", policy, fstab, confs[j], i % 2 ? "tcp" : "nothing");
		begin(&(struct row){
			.mounts = i % 2 ? on_tcp.mounts : ROOT, .fstab = fstab, .conf = confs[j] });
		request = request_for(i % 2, 1000);
		request.policy = policy;
		if (policy)
			put(request);
		expected = (i % 2 ? rows[i / 2 / ARRAY_SIZE(confs)].tcp
				  : rows[i / 2 / ARRAY_SIZE(confs)].nothing)[j];
		CU_ASSERT_STRING_EQUAL(answer(""), expected == 'r' ? "refuse" : "pass");
		CU_ASSERT_EQUAL(verdict.loud, expected == 'W');
		end();
	}
}

/* A mount over TCP that was made by hand where mount.nfsrdma mounted before: libmount has the
 * options that mount.nfs got, and mountstats the age, unless that is of another mount of the same
 * file system. */
static void a_request_says_nothing_of_a_later_mount_by_hand(void)
{
	static const char utab[] = "SRC=nas:/vm TARGET=/srv/vm ROOT=/ ATTRS=%s\n";
	static const char stats[] =
		"device nas:/vm mounted on /srv/vm with fstype nfs4 statvers=1.1\n"
		"\topts:\trw,vers=4.2,proto=tcp\n\tage:\t%u\n"
		"\txprt:\ttcp 0 0 1 0 24 3 3 0 3 0 2 0 0\n\tper-op statistics\n";
	static const char also[] =
		"91 21 0:90 / /srv/also rw - nfs4 nas:/vm rw,vers=4.2,proto=tcp,addr=192.0.2.1\n";
	static const struct {
		const char *asked; /* NULL: libmount has none */
		unsigned int age_s;
		bool shared;
		const char *
			answers; /* to a request with nfsrdma.policy=require, prefer, and without */
		const char *conf;
	} rows[] = {
		/* What is not sure does not weaken [default], nor does it make other files bind. */
		{ NULL, 500, true, "rrr", "[default]\npolicy = require\n" },
		{ "rw", 500, false, "pWp", NULL },
		{ "rw,vers=4.2,proto=tcp", 500, false, "pWp", NULL },
		{ "rw,proto=rdma,port=20049", 500, false, "rWr", NULL },
		{ NULL, 500, false, "rWr", NULL },
		{ NULL, 10, false, "ppp", NULL },
		{ NULL, 500, true, "WWW", NULL },
		{ "rw", 500, true, "pWp", NULL },
		{ "rw,proto=rdma,port=20049", 500, true, "rWr", NULL },
	};
	static const char *const policies[] = { "require", "prefer", REQUEST_POLICY_FILES };
	struct request request = request_for(true, 60000);
	_cleanup_free_ char *both = NULL;
	char text[1024];
	size_t i, j;

	CU_ASSERT_FATAL(asprintf(&both, "%s%s", on_tcp.mounts, also) > 0);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(&(struct row){ .mounts = rows[i].shared ? both : on_tcp.mounts,
				     .conf = rows[i].conf });
		snprintf(text, sizeof(text), utab, rows[i].asked);
		if (rows[i].asked)
			tree_write(&tree, "run/mount/utab", text);
		snprintf(text, sizeof(text), stats, rows[i].age_s);
		tree_write(&tree, "proc/self/mountstats", text);
		for (j = 0; j < ARRAY_SIZE(policies); j++) {
			SUITE_ROW("%zu: %s", i, policies[j]);
			request.policy = policies[j];
			put(request);
			CU_ASSERT_STRING_EQUAL(answer(""),
					       rows[i].answers[j] == 'r' ? "refuse" : "pass");
			CU_ASSERT_EQUAL(verdict.loud, rows[i].answers[j] == 'W');
		}
		end();
	}
}

/* Of names that are longer than what is shown of them. */
static void a_long_name_is_known_whole(void)
{
	_cleanup_free_ char *info = NULL;
	char one[300], other[300], source[300], path[310];
	struct request request = request_for(true, 1000);

	memset(one, 'x', sizeof(one) - 1);
	memcpy(one, "/srv/", 5);
	one[sizeof(one) - 1] = '\0';
	strcpy(other, one);
	other[sizeof(other) - 2] = 'y';
	strcpy(source, one);
	memcpy(source, "nas:/", 5);
	CU_ASSERT_FATAL(
		asprintf(&info,
			 ROOT "90 21 0:90 / %s rw - nfs4 %s rw,vers=4.2,proto=tcp,addr=192.0.2.1\n"
			      "91 21 0:91 / %s rw - nfs4 %s rw,vers=4.2,proto=tcp,addr=192.0.2.1\n",
			 one, source, other, source) > 0);
	begin(&(struct row){ .mounts = info });
	request.target = one;
	request.source = source;
	put(request);
	snprintf(path, sizeof(path), "%s/a", other);
	CU_ASSERT_EQUAL_FATAL(ask(path, NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_PASS);
	snprintf(path, sizeof(path), "%s/a", one);
	CU_ASSERT_EQUAL_FATAL(ask(path, NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_REFUSE);
	CU_ASSERT_STRING_EQUAL(verdict.by, "its mount by mount.nfsrdma");
	end();
}

/* Whatever is noted, and whoever left it: the kernel shows the transport. */
static void no_request_overrules_the_kernel(void)
{
	static const struct {
		bool mounted;
		uint64_t age;
		const char *text; /* in place of the request */
	} rows[] = {
		{ true, 1000, NULL }, { true, 500000, NULL },           { false, 1000, NULL },
		{ false, 0, NULL },   { false, 900000, NULL },          { true, 0, NULL },
		{ false, 0, "" },     { false, 0, "{ \"mount\": 7 }" },
	};
	static const char *const confs[] = { "", REQUIRE_NAS, REQUIRE_NAS "on-unknown = refuse\n",
					     "[server nas]\npolicy = prefer\n",
					     "[server nas]\npolicy = off\n" };
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		begin(&on_rdma);
		if (rows[i].text)
			put_text(rows[i].text);
		else
			put(request_for(rows[i].mounted, rows[i].age));
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
static void a_pending_request_says_nothing_against_a_mount(void)
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
		put(request_for(false, rows[i].pending_s * 1000));
		CU_ASSERT_STRING_EQUAL(answer(rows[i].says), rows[i].answer);
		end();
	}
}

/* Where mount.nfsrdma, or the process that mounts, is killed: what is left, and each policy's
 * answer. */
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
		enum { NONE, PENDING, MOUNTED } note;
		unsigned int lies;
		const char *answers; /* of the policies: passes, Warns, refuses */
	} rows[] = {
		{ "before it is noted", NONE, NOTHING, "pppp" },
		{ "before mount.nfs", PENDING, NOTHING, "rrrp" },
		{ "at move_mount", PENDING, NOTHING, "rrrp" },
		{ "after the mount", PENDING, OVER_RDMA, "pppp" },
		{ "the end", MOUNTED, OVER_RDMA, "pppp" },
		{ "after a mount over TCP", PENDING, OVER_TCP, "rrWp" },
		{ "a TCP mount that is noted", MOUNTED, OVER_TCP, "rrWp" },
		/* An error that was told; a mount that was unmounted. */
		{ "after the error", NONE, NOTHING, "pppp" },
		{ "after umount", MOUNTED, NOTHING, "pppp" },
		/* A disk of this host is what the mount was to cover. */
		{ "above a local mount", PENDING, LOCAL, "rrrp" },
	};
	/* What the call asked for; the conf above has the last word. */
	static const char *const policies[] = { "require", "prefer" };
	struct request request;
	size_t i, j;

	for (i = 0; i < 2 * ARRAY_SIZE(rows); i++) {
		const char *point = rows[i / 2].point;

		SUITE_ROW("%s, %s", point, policies[i % 2]);
		begin(&(struct row){ .mounts = lies[rows[i / 2].lies] });
		request = request_for(rows[i / 2].note == MOUNTED, 10000);
		request.policy = policies[i % 2];
		if (rows[i / 2].note)
			put(request);
		for (j = 0; j < ARRAY_SIZE(confs); j++) {
			char expected = rows[i / 2].answers[j];
			bool refused;

			/* Nobody else asks, and TCP was allowed. */
			if (!j && i % 2 && rows[i / 2].lies == OVER_TCP)
				expected = 'W';
			refused = expected == 'r';
			tree_write(&tree, "etc/nfsrdma.conf", confs[j]);
			CU_ASSERT_STRING_EQUAL(answer(""), refused ? "refuse" : "pass");
			CU_ASSERT_EQUAL(verdict.refuse, refused);
			CU_ASSERT_EQUAL(verdict.loud, expected == 'W');
			if (!refused || rows[i / 2].lies == OVER_TCP)
				continue;
			ASSERT_CONTAINS(verdict.text,
					rows[i / 2].lies == LOCAL
						? "is on /dev/sdb1 (ext4), mounted at /srv/vm"
						: "nothing is mounted at /srv/vm");
			ASSERT_CONTAINS(verdict.remedy, "rm /run/nfsrdma/requests/");
			CU_ASSERT_STRING_EQUAL(verdict.reason, "unfinished");
		}
		end();
	}
	/* A line that need not be mounted does not hide what clears the request. */
	begin(&(struct row){ .mounts = ROOT,
			     .fstab = "nas:/vm /srv/vm nfs proto=rdma,noauto 0 0\n" });
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	put(request_for(false, 10000));
	CU_ASSERT_STRING_EQUAL(answer("nothing is mounted at /srv/vm"), "refuse");
	ASSERT_CONTAINS(verdict.remedy, "rm /run/nfsrdma/requests/");
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
	CU_ASSERT_STRING_EQUAL(answer(""), "refuse");
	ASSERT_CONTAINS(verdict.remedy, "rm /run/nfsrdma/requests/");
	end();
	/* Of an earlier boot. */
	begin(&(struct row){ .mounts = ROOT });
	request = request_for(false, 1000);
	request.boot_id = "another";
	put(request);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	end();
}

/* What an earlier version left in /run/nfsrdma/mounts never refuses. */
static void records_of_an_earlier_version_say_nothing(void)
{
	static const char text[] =
		"{ \"mount\": { \"id\": %s, \"dev\": \"0:90\", \"target\": \"/srv/vm\", \"fs_spec\": \"nas:/vm\", "
		"\"boot_id\": \"" BOOT
		"\", \"wanted\": \"rdma\", \"policy\": \"require\", \"effective\": \"\", "
		"\"state\": \"unproven\", \"checked_monotonic_ms\": 1, \"by\": \"mount.nfsrdma\" } }";
	static const char *const lies[] = { ROOT, ROOT RDMA(90, 21, "/srv/vm", "nas:/vm"),
					    ROOT TCP(90, 21, "/srv/vm", "nas:/vm") };
	char one[512];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lies); i++) {
		SUITE_ROW("%zu", i);
		begin(&(struct row){ .mounts = lies[i] });
		snprintf(one, sizeof(one), text, "90");
		tree_write(&tree, "run/nfsrdma/mounts/90.json", one);
		snprintf(one, sizeof(one), text, "null");
		tree_write(&tree, "run/nfsrdma/mounts/pending-6ec2bf96d0a2db22.json", one);
		CU_ASSERT_STRING_EQUAL(answer(""), "pass");
		CU_ASSERT_FALSE(verdict.loud);
		end();
	}
}

/* It may have a request for RDMA. */
static void a_broken_request_of_a_mount_over_tcp_is_unknown(void)
{
	begin(&on_tcp);
	put_text("{ \"mount\": 7 }");
	CU_ASSERT_STRING_EQUAL(answer("unknown whether it should be over RDMA"), "unknown");
	CU_ASSERT_FALSE(verdict.refuse);
	tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_NAS);
	CU_ASSERT_STRING_EQUAL(answer("over tcp"), "refuse");
	tree_write(&tree, "etc/nfsrdma.conf", "[server nas]\npolicy = off\n");
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	end();
}

/* Where nothing is mounted it may be of a mount that did not end; and it may be of any directory
 * where the folder cannot be read. What clears it is named. */
static void a_broken_request_where_nothing_is_mounted_is_unknown(void)
{
	static const char *const texts[] = { "", "pending 5\n",
					     "pending 5\n" BOOT "\nrequire\nnas:/vm\n",
					     "pending 5\n" BOOT "\nrequire\nnas:/vm\n/srv/v" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		SUITE_ROW("%zu", i);
		begin(&(struct row){ .mounts = ROOT });
		put_text(texts[i]);
		CU_ASSERT_STRING_EQUAL(
			answer("was to mount something on /srv/vm: /run/nfsrdma/requests/"),
			"unknown");
		CU_ASSERT_FALSE(verdict.refuse);
		CU_ASSERT_STRING_EQUAL(verdict.reason, "request");
		CU_ASSERT_STRING_EQUAL(verdict.target, "/srv/vm");
		ASSERT_CONTAINS(verdict.remedy, "'rm -r /run/nfsrdma/requests/");
		/* Another directory, and the one above it. */
		CU_ASSERT_EQUAL_FATAL(ask("/srv/vm2/a", NULL), 0);
		CU_ASSERT_EQUAL(verdict.answer, GUARD_PASS);
		tree_write(&tree, "etc/nfsrdma.conf", "[default]\non-unknown = refuse\n");
		CU_ASSERT_STRING_EQUAL(answer(""), "unknown");
		CU_ASSERT_TRUE(verdict.refuse);
		tree_write(&tree, "etc/nfsrdma.conf", "[directory /srv]\npolicy = off\n");
		CU_ASSERT_STRING_EQUAL(answer(""), "unknown");
		tree_write(&tree, "etc/nfsrdma.conf", "[directory /srv/vm]\npolicy = off\n");
		CU_ASSERT_STRING_EQUAL(answer(""), "pass");
		tree_write(&tree, "etc/nfsrdma.conf", REQUIRE_DIR);
		CU_ASSERT_STRING_EQUAL(answer(""), "refuse");
		end();
	}
	begin(&(struct row){ .mounts = ROOT });
	tree_write(&tree, REQUEST_FOLDER, "");
	CU_ASSERT_STRING_EQUAL(answer("/" REQUEST_FOLDER), "unknown");
	CU_ASSERT_STRING_EQUAL(verdict.reason, "request");
	ASSERT_CONTAINS(verdict.remedy, "'rm -r /run/nfsrdma/requests'");
	tree_write(&tree, "proc/self/mountinfo", on_rdma.mounts);
	CU_ASSERT_STRING_EQUAL(answer(""), "pass");
	CU_ASSERT_EQUAL_FATAL(ask("/srv/vm/below/a", NULL), 0);
	CU_ASSERT_EQUAL(verdict.answer, GUARD_PASS);
	tree_write(&tree, "proc/self/mountinfo", on_tcp.mounts);
	CU_ASSERT_STRING_EQUAL(answer("over tcp, and it is unknown"), "unknown");
	end();
}

static void more_requests_than_are_read_are_unknown(void)
{
	char path[64];
	size_t i;

	begin(&(struct row){ .mounts = ROOT });
	for (i = 0; i <= HOST_LIST_MAX; i++) {
		snprintf(path, sizeof(path), REQUEST_FOLDER "/%zu", i);
		tree_write(&tree, path, "");
	}
	CU_ASSERT_STRING_EQUAL(answer("more than 4096 files"), "unknown");
	ASSERT_CONTAINS(verdict.remedy, "'rm -r /run/nfsrdma/requests'");
	end();
}

/* Where its directory cannot be resolved, what is mounted there is unknown; it is not forgotten. */
static void an_unfinished_mount_below_a_dead_link_is_unknown(void)
{
	_cleanup_(guard_close_p) struct guard *guard = NULL;
	struct guard_sources sources = { .now = NOW };
	struct request request = request_for(false, 1000);

	begin(&(struct row){ .mounts = ROOT });
	request.target = "/round/vm";
	put(request);
	sources.host = tree.host;
	CU_ASSERT_EQUAL_FATAL(guard_open(&guard, &sources), 0);
	CU_ASSERT_EQUAL_FATAL(view_ndirs(guard->view), 1);
	CU_ASSERT_EQUAL(view_dir(guard->view, 0)->mounted, DIR_UNKNOWN);
	CU_ASSERT_EQUAL(view_dir(guard->view, 0)->state, VIEW_UNKNOWN);
	ask_guard(guard, "/round/vm/a");
	CU_ASSERT_EQUAL(verdict.answer, GUARD_UNKNOWN);
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

/* autofs(5): an exact key precedes "*" wherever it is; auto.master(5): a map has options of its
 * own. */
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

/* Only the server is named: what an unknown map mounts may be of it, another type of file system is
 * not. */
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
	put(request_for(true, 1000));
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

SUITE_MAIN("guard-requests", TEST(a_request_holds_the_requirement),
	   TEST(the_policy_of_one_mount_outweighs_the_default),
	   TEST(a_request_says_nothing_of_a_later_mount_by_hand), TEST(a_long_name_is_known_whole),
	   TEST(no_request_overrules_the_kernel),
	   TEST(a_pending_request_says_nothing_against_a_mount),
	   TEST(a_killed_helper_leaves_no_guest_on_the_local_disk),
	   TEST(records_of_an_earlier_version_say_nothing),
	   TEST(a_broken_request_of_a_mount_over_tcp_is_unknown),
	   TEST(a_broken_request_where_nothing_is_mounted_is_unknown),
	   TEST(more_requests_than_are_read_are_unknown),
	   TEST(an_unfinished_mount_below_a_dead_link_is_unknown),
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
