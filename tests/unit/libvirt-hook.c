/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether libvirt's daemons know their hook: what is read from a directory that looks like a
 * machine, and the resulting finding. */
#include <inttypes.h>
#include <time.h>

#include "plugin/checks/checks.h"
#include "tests/unit/host-tree.h"

#define LINK "etc/libvirt/hooks/qemu.d/nfsrdma"

static struct tree tree;
static struct host_libvirt_hook hook;

/* A daemon that started this many seconds ago, after a boot the day before. */
static void begin(const char *name, int64_t ago)
{
	char text[256];
	int64_t boot = (int64_t)time(NULL) - 86400;

	tree_new(&tree);
	snprintf(text, sizeof(text), "cpu 1 2\nbtime %" PRId64 "\nprocesses 1\n", boot);
	tree_write(&tree, "proc/stat", text);
	snprintf(text, sizeof(text), "run/%s.pid", name);
	tree_write(&tree, text, "812\n");
	snprintf(text, sizeof(text),
		 "812 (%s) S 1 812 812 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 17 0 %" PRId64
		 " 100 200\n",
		 name, (86400 - ago) * sysconf(_SC_CLK_TCK));
	tree_write(&tree, "proc/812/stat", text);
}

static int read_hook(void)
{
	int rc = host_libvirt_hook(tree.host, &hook);

	tree_free(&tree);
	return rc;
}

static void a_daemon_has_a_start_time(void)
{
	begin("virtqemud", 3600);
	tree_write(&tree, LINK, "");
	CU_ASSERT_EQUAL(read_hook(), 0);
	CU_ASSERT_EQUAL_FATAL(hook.ndaemons, 1);
	CU_ASSERT_STRING_EQUAL(hook.daemons[0].name, "virtqemud");
	CU_ASSERT_EQUAL(hook.daemons[0].pid, 812);
	CU_ASSERT(llabs((long long)(hook.linked_at - 3600 - hook.daemons[0].started_at)) <= 10);
	CU_ASSERT_EQUAL(hook.other_at, 0);
}

static void a_missing_link_is_no_hook(void)
{
	begin("libvirtd", 3600);
	CU_ASSERT_EQUAL(read_hook(), 0);
	CU_ASSERT_EQUAL(hook.linked_at, 0);
	CU_ASSERT_EQUAL(hook.ndaemons, 0);
}

/* The pid file outlives the daemon. */
static void a_process_with_another_name_is_no_daemon(void)
{
	begin("libvirtd", 3600);
	tree_write(&tree, LINK, "");
	tree_write(&tree, "proc/812/stat", "812 (sleep) S 1 812 812 0 -1 4194560 1 2\n");
	CU_ASSERT_EQUAL(read_hook(), 0);
	CU_ASSERT_EQUAL(hook.ndaemons, 0);
	begin("libvirtd", 3600);
	tree_write(&tree, LINK, "");
	tree_write(&tree, "proc/812/stat", "812 (libvirtd) S 1 812\n");
	CU_ASSERT_EQUAL(read_hook(), 0);
	CU_ASSERT_EQUAL(hook.ndaemons, 0);
}

static void other_hooks_are_executable_files(void)
{
	char path[PATH_MAX];

	begin("libvirtd", 3600);
	tree_write(&tree, LINK, "");
	tree_write(&tree, "etc/libvirt/hooks/qemu", "");
	CU_ASSERT_EQUAL(host_libvirt_hook(tree.host, &hook), 0);
	CU_ASSERT_EQUAL(hook.other_at, 0);
	tree_path(&tree, "etc/libvirt/hooks/qemu", path);
	CU_ASSERT_EQUAL(chmod(path, 0755), 0);
	CU_ASSERT_EQUAL(read_hook(), 0);
	CU_ASSERT(hook.other_at >= hook.linked_at);
}

/* --- the finding ------------------------------------------------------------------------------- */

static int changed_rc;
static int64_t changed_at;

static int fake_changed(const struct host *host, const char *unit, int64_t *seconds)
{
	(void)host;
	CU_ASSERT_STRING_EQUAL(unit, "libvirtd.service");
	*seconds = changed_at;
	return changed_rc ? err_set(-changed_rc, "no bus") : 0;
}

static const struct live_ops live = { .changed = fake_changed };

static void the_finding_follows_the_times(void)
{
	static const struct {
		int64_t started, linked, other, changed;
		int changed_rc;
		enum finding_status status;
		const char *words;
	} rows[] = {
		{ 5000, 1000, 0, 0, 0, FINDING_PASS, "started after its hook" },
		{ 1000, 5000, 0, 900, 0, FINDING_WARN, "libvirtd (process 812) started at 1970-" },
		{ 1000, 5000, 0, 4999, 0, FINDING_WARN,
		  "systemd reports no reload since: until 'systemctl reload libvirtd'" },
		{ 1000, 5000, 0, 5000, 0, FINDING_PASS, "was reloaded after its hook" },
		{ 1000, 5000, 0, 6000, 0, FINDING_PASS, "was reloaded after its hook" },
		{ 1000, 5000, 0, 0, -EHOSTDOWN, FINDING_WARN,
		  "systemd does not say whether it was reloaded" },
		{ 1000, 5000, 500, 0, -EHOSTDOWN, FINDING_PASS, "found another hook" },
		/* The other hook may have come later. */
		{ 1000, 5000, 999, 900, 0, FINDING_WARN, "no reload" },
		{ 1000, 5000, 2000, 900, 0, FINDING_WARN, "no reload" },
	};
	_cleanup_(finding_fini) struct finding finding = { 0 };
	size_t i;

	setenv("TZ", "UTC", 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		hook = (struct host_libvirt_hook){ .linked_at = rows[i].linked,
						   .other_at = rows[i].other,
						   .ndaemons = 1 };
		hook.daemons[0] = (struct host_hook_daemon){ "libvirtd", 812, rows[i].started };
		changed_at = rows[i].changed;
		changed_rc = rows[i].changed_rc;
		libvirt_hook_judge(&hook, NULL, &live, &finding);
		CU_ASSERT_STRING_EQUAL(finding.id, "platform.libvirt-hook");
		CU_ASSERT_EQUAL(finding.status, rows[i].status);
		ASSERT_CONTAINS(finding.summary, rows[i].words);
		CU_ASSERT_STRING_EQUAL(finding.reason, rows[i].status == FINDING_PASS ? ""
						       : rows[i].changed_rc ? "reload-unknown"
									    : "not-reloaded");
	}
}

static void one_daemon_without_the_hook_is_enough(void)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	hook = (struct host_libvirt_hook){ .linked_at = 5000, .ndaemons = 2 };
	hook.daemons[0] = (struct host_hook_daemon){ "libvirtd", 812, 1000 };
	hook.daemons[1] = (struct host_hook_daemon){ "virtqemud", 813, 9000 };
	changed_rc = 0;
	changed_at = 1000;
	libvirt_hook_judge(&hook, NULL, &live, &finding);
	CU_ASSERT_EQUAL(finding.status, FINDING_WARN);
	ASSERT_CONTAINS(finding.summary, "libvirtd (process 812)");
}

static void no_hook_or_daemon_is_not_a_failure(void)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	hook = (struct host_libvirt_hook){ .linked_at = 0 };
	libvirt_hook_judge(&hook, NULL, &live, &finding);
	CU_ASSERT_EQUAL(finding.status, FINDING_SKIP);
	hook.linked_at = 5000;
	libvirt_hook_judge(&hook, NULL, &live, &finding);
	CU_ASSERT_EQUAL(finding.status, FINDING_PASS);
	ASSERT_CONTAINS(finding.summary, "when it starts");
}

/* Its files have the times of the copy. */
static void a_copy_of_a_machine_is_not_judged(void)
{
	_cleanup_(finding_fini) struct finding finding = { 0 };

	begin("libvirtd", 3600);
	tree_write(&tree, LINK, "");
	CU_ASSERT_EQUAL(libvirt_hook_find(tree.host, &live, &finding), 0);
	CU_ASSERT_EQUAL(finding.status, FINDING_SKIP);
	tree_free(&tree);
}

SUITE_MAIN("libvirt-hook", TEST(a_daemon_has_a_start_time), TEST(a_missing_link_is_no_hook),
	   TEST(a_process_with_another_name_is_no_daemon), TEST(other_hooks_are_executable_files),
	   TEST(the_finding_follows_the_times), TEST(one_daemon_without_the_hook_is_enough),
	   TEST(no_hook_or_daemon_is_not_a_failure), TEST(a_copy_of_a_machine_is_not_judged))
