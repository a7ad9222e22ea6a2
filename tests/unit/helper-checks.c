/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The checks of the helper before a mount, on machines of tests/hosts, and what they mean for
 * the mount; how long it retries; and which users fstab allows to mount. */
#include <unistd.h>

#include "mount-helper/internal.h"
#include "tests/unit/host-tree.h"

static struct tree tree;
static struct mount_checks checks;
static struct plan plan = { .policy.deadline_ms = PATIENCE_MS };

/* @level: before a mount; or after it failed. */
static void checks_run_as(enum policy_check level, bool after)
{
	struct helper helper = { .name = "test",
				 .requests = -1,
				 .host = tree.host,
				 .deadline = deadline_in(PATIENCE_MS),
				 .plan = &plan,
				 .target = { .server = "192.0.2.1",
					     .export = "/vm",
					     .roles = CHECK_CLIENT,
					     .port = 20049,
					     .has_port = true } };

	plan.policy.check = level;
	remote_resolve(tree.host, &helper.target, 0);
	CU_ASSERT_EQUAL(after ? mount_checks_after(&helper) : mount_checks_before(&helper, false),
			0);
	finding_fini(&checks.reason);
	checks = helper.checks;
	report_free(helper.report);
}

static void checks_run_at(enum policy_check level)
{
	checks_run_as(level, false);
}

static void a_healthy_host_may_mount(void)
{
	tree_machine(&tree, "rxe-ubuntu2204");
	checks_run_at(POLICY_CHECK_FAST);
	CU_ASSERT_EQUAL(checks.result, CHECKS_ALLOW);
	tree_free(&tree);
}

static void a_host_without_rdma_may_not_mount(void)
{
	tree_machine(&tree, "rpcrdma-forbidden");
	checks_run_at(POLICY_CHECK_FAST);
	CU_ASSERT_EQUAL(checks.result, CHECKS_PERMANENT);
	CU_ASSERT_STRING_EQUAL(checks.reason.id, "client.module");
	/* At check level none, nothing is checked. */
	checks_run_at(POLICY_CHECK_NONE);
	CU_ASSERT_EQUAL(checks.result, CHECKS_ALLOW);
	tree_free(&tree);
}

/* mount.nfs gets an explicit proto=rdma, which a file does not change. */
static void mount_defaults_are_reported_but_are_not_a_reason(void)
{
	tree_machine(&tree, "nfsmount-nordma");
	checks_run_at(POLICY_CHECK_FAST);
	CU_ASSERT_EQUAL(checks.result, CHECKS_ALLOW);
	tree_free(&tree);
}

/* After a failure a setting can be the cause, unless our options override it. */
static void a_setting_is_a_reason_only_where_it_applies(void)
{
	tree_machine(&tree, "nfsmount-nordma");
	checks_run_as(POLICY_CHECK_CONNECT, true);
	CU_ASSERT_EQUAL(checks.result, CHECKS_PERMANENT);
	CU_ASSERT_STRING_EQUAL(checks.reason.id, "client.nfsmount-conf");
	tree_free(&tree);
	tree_machine(&tree, "nfsmount-port-2049");
	checks_run_as(POLICY_CHECK_CONNECT, true);
	CU_ASSERT_EQUAL(checks.result, CHECKS_ALLOW);
	tree_free(&tree);
}

/* A mount that is slow is one entry of the journal, not one for each check. */
static void checks_without_time_are_one_message(void)
{
	struct helper helper = { .name = "test",
				 .args = { .spec = "nas:/vm", .dir = "/vm", .verbose = true },
				 .requests = -1,
				 .deadline = 1,
				 .plan = &plan,
				 .target = { .server = "192.0.2.1",
					     .export = "/vm",
					     .roles = CHECK_CLIENT,
					     .port = 20049,
					     .has_port = true } };
	FILE *out = tmpfile();
	int before = dup(STDERR_FILENO);
	unsigned int said = 0;
	char line[1024];

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	tree_machine(&tree, "rxe-ubuntu2204");
	helper.host = tree.host;
	plan.policy.check = POLICY_CHECK_FAST;
	dup2(fileno(out), STDERR_FILENO);
	CU_ASSERT_EQUAL(mount_checks_before(&helper, false), 0);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(out);
	while (fgets(line, sizeof(line), out))
		said += strstr(line, "/out-of-time]") != NULL;
	CU_ASSERT_EQUAL(said, 1);
	fclose(out);
	report_free(helper.report);
	finding_fini(&helper.checks.reason);
	tree_free(&tree);
}

/* Before each mount only these checks run. */
static void few_checks_run_before_each_mount(void)
{
	const struct check *const *check;
	unsigned int fast = 0, path = 0;

	for (check = check_table; *check; check++) {
		SUITE_ROW("%s", (*check)->id);
		fast += (*check)->at_mount > CHECK_MOUNT_NO &&
			(*check)->at_mount < CHECK_MOUNT_PATH;
		path += (*check)->at_mount >= CHECK_MOUNT_PATH;
		CU_ASSERT(!(*check)->remote || (*check)->at_mount == CHECK_MOUNT_NO ||
			  (*check)->at_mount >= CHECK_MOUNT_PATH);
	}
	CU_ASSERT_EQUAL(fast, 5);
	CU_ASSERT_EQUAL(path, 8);
}

/* The server's answer, below a root: silence is distinguished from a query that was not
 * possible. */
static void listener_failures_are_distinguished(void)
{
	static const struct {
		const char *machine;
		enum checks_result result;
		const char *id;
	} rows[] = {
		{ "listener-refused", CHECKS_REFUSED, "fabric.listener" },
		{ "listener-silent", CHECKS_SILENT, "fabric.listener" },
		{ "route-none", CHECKS_PATH, "fabric.route" },
		{ "none-debian12", CHECKS_DEVICE, "client.device" },
		/* No answer was recorded: the same as a check without permission. */
		{ "rxe-ubuntu2204", CHECKS_ALLOW, "" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%s", rows[i].machine);
		tree_machine(&tree, rows[i].machine);
		checks_run_at(POLICY_CHECK_CONNECT);
		CU_ASSERT_EQUAL(checks.result, rows[i].result);
		CU_ASSERT_STRING_EQUAL(checks.reason.id, rows[i].id);
		tree_free(&tree);
	}
}

#define ONCE   .once = true
#define LASTS  .time_left = true, .device_time_left = true
#define READS  .reads = true
#define PREFER .tcp = true

static void only_permanent_errors_end_a_mount(void)
{
	static const struct {
		enum checks_result result;
		struct retry_state at;
		enum retry_action action;
	} rows[] = {
		{ CHECKS_ALLOW, { ONCE }, RETRY_MOUNT },
		{ CHECKS_ALLOW, { LASTS }, RETRY_MOUNT },
		{ CHECKS_ALLOW, { LASTS, PREFER }, RETRY_MOUNT },
		{ CHECKS_PATH, { LASTS }, RETRY_MOUNT },
		{ CHECKS_PATH, { ONCE }, RETRY_MOUNT },
		{ CHECKS_PATH, { LASTS, READS }, RETRY_WAIT },
		{ CHECKS_PATH, { LASTS, PREFER }, RETRY_TCP },
		{ CHECKS_SILENT, { LASTS }, RETRY_MOUNT },
		{ CHECKS_SILENT, { ONCE }, RETRY_REFUSE },
		{ CHECKS_SILENT, { LASTS, READS }, RETRY_WAIT },
		{ CHECKS_SILENT, { ONCE, PREFER }, RETRY_MOUNT },
		{ CHECKS_REFUSED, { LASTS }, RETRY_MOUNT },
		{ CHECKS_REFUSED, { ONCE }, RETRY_REFUSE },
		{ CHECKS_REFUSED, { LASTS, READS }, RETRY_WAIT },
		{ CHECKS_REFUSED, { READS }, RETRY_REFUSE },
		{ CHECKS_REFUSED, { LASTS, PREFER }, RETRY_TCP },
		{ CHECKS_DEVICE, { LASTS }, RETRY_WAIT },
		{ CHECKS_DEVICE, { ONCE, LASTS }, RETRY_REFUSE },
		{ CHECKS_DEVICE, { .time_left = true }, RETRY_REFUSE },
		{ CHECKS_DEVICE, { LASTS, PREFER }, RETRY_TCP },
		{ CHECKS_PERMANENT, { LASTS }, RETRY_REFUSE },
		{ CHECKS_PERMANENT, { LASTS, PREFER }, RETRY_TCP },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("row %zu", i);
		CU_ASSERT_EQUAL(retry_decide(rows[i].result, &rows[i].at), rows[i].action);
	}
}

static unsigned int minutes_of(const char *options, const char *conf, bool background)
{
	struct plan tried = { .options = (char *)options, .background = background };
	unsigned int minutes;

	tree_new(&tree);
	if (conf)
		tree_write(&tree, "etc/nfsmount.conf", conf);
	minutes = retry_minutes(tree.host, &tried, "nas:/vm", "/srv/vm");
	tree_free(&tree);
	return minutes;
}

static void retries_last_as_long_as_those_of_mount_nfs(void)
{
	_cleanup_free_ char *later = retry_options("rw,retry=5,soft", 3),
			    *added = retry_options("rw", 1);

	CU_ASSERT_EQUAL(minutes_of("rw", NULL, false), 2);
	CU_ASSERT_EQUAL(minutes_of("rw,bg", NULL, true), 10000);
	CU_ASSERT_EQUAL(minutes_of("rw,retry=0", NULL, true), 0);
	CU_ASSERT_EQUAL(minutes_of("rw,retry=7,retry=9", NULL, false), 9);
	CU_ASSERT_EQUAL(minutes_of("rw,retry=2147483647", NULL, false), 40000);
	CU_ASSERT_EQUAL(minutes_of("rw",
				   "[ NFSMount_Global_Options ]\nRetry=5\n"
				   "[ Server \"nas\" ]\nretry=6\n"
				   "[ MountPoint \"/srv/vm\" ]\nretry=7\n",
				   false),
			7);
	CU_ASSERT_EQUAL(minutes_of("rw",
				   "[ NFSMount_Global_Options ]\nRetry=5\n"
				   "[ Server \"other\" ]\nretry=6\n",
				   false),
			5);
	CU_ASSERT_EQUAL(minutes_of("retry=1", "[ Server \"nas\" ]\nretry=6\n", false), 1);
	CU_ASSERT_STRING_EQUAL(later, "rw,retry=3,soft");
	CU_ASSERT_STRING_EQUAL(added, "rw,retry=1");
}

static int allows(const char *line)
{
	int rc;

	tree_new(&tree);
	tree_write(&tree, "etc/fstab", line);
	rc = fstab_allows_user(tree.host, "/srv/vm");
	tree_free(&tree);
	return rc;
}

static void a_user_may_mount_only_as_fstab_says(void)
{
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,noauto,proto=rdma,port=20049 0 0\n"),
			0);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,proto=rdma6,port=20049 0 0\n"), 0);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,rdma,port=20049 0 0\n"), -EPERM);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,proto=rdma 0 0\n"), -EPERM);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/vm nfsrdma user,proto=tcp,port=1 0 0\n"), -EPERM);
	CU_ASSERT_EQUAL(
		allows("nas:/vm /srv/vm nfsrdma user,proto=rdma,port=20049,nfsrdma.check=none 0 0\n"),
		-EPERM);
	CU_ASSERT_EQUAL(allows("nas:/vm /srv/other nfsrdma user,proto=rdma,port=20049 0 0\n"),
			-EPERM);
	CU_ASSERT_EQUAL(allows(""), -EPERM);
}

static void what_needs_a_bus_has_no_data(void)
{
	struct host_firewalld zone;
	struct host_text text;
	char state[16];

	CU_ASSERT_EQUAL(live_helper.nftables(NULL, &text), -ENODATA);
	CU_ASSERT_EQUAL(live_helper.firewalld(NULL, "lo", &zone), -ENODATA);
	CU_ASSERT_EQUAL(live_helper.unit(NULL, "x.service", state, sizeof(state)), -ENODATA);
}

SUITE_MAIN("helper-checks", TEST(a_healthy_host_may_mount), TEST(a_host_without_rdma_may_not_mount),
	   TEST(mount_defaults_are_reported_but_are_not_a_reason),
	   TEST(a_setting_is_a_reason_only_where_it_applies),
	   TEST(checks_without_time_are_one_message), TEST(few_checks_run_before_each_mount),
	   TEST(listener_failures_are_distinguished), TEST(only_permanent_errors_end_a_mount),
	   TEST(retries_last_as_long_as_those_of_mount_nfs),
	   TEST(a_user_may_mount_only_as_fstab_says), TEST(what_needs_a_bus_has_no_data))
