/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The process that mounts, with programs in place of mount.nfs that do what mount.nfs can do.
 * Tests that need unavailable privileges (root, a namespace of its own) say so. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "mount-helper/internal.h"
#include "tests/unit/suite.h"

static char dir[] = "/tmp/nfsrdma-mounter.XXXXXX";
static char place[64], program[64];
static struct plan plan;
static struct helper helper = { .args.spec = "nas:/vm", .plan = &plan };
static struct mounter_result result;
static bool may_mount;

static void write_program(const char *script)
{
	FILE *file = fopen(program, "w");

	if (!file || fprintf(file, "#!/bin/sh\nspec=$1 dir=$2\n%s\n", script) < 0 || fclose(file) ||
	    chmod(program, 0755))
		abort();
}

static void run(const char *script, bool hidden, bool keep, unsigned int ms)
{
	const struct mounter_request request = { .options = "rw,proto=rdma",
						 .hidden = hidden,
						 .keep = keep,
						 .deadline = deadline_in(ms) };

	write_program(script);
	mounter_run(&helper, &request, &result);
}

static bool is_mounted(void)
{
	struct stat here, above;

	return !stat(place, &here) && !stat(dir, &above) && here.st_dev != above.st_dev;
}

static void a_failure_is_reported_with_its_message(void)
{
	run("echo 'mount.nfs: no' >&2; exit 32", false, false, PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_FAILED);
	CU_ASSERT_EQUAL(result.status, 32);
	CU_ASSERT_STRING_EQUAL(result.text, "mount.nfs: no");
	run("kill -KILL $$", false, false, PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_FAILED);
	CU_ASSERT_STRING_EQUAL(result.text, "mount.nfs was killed by signal 9");
}

static void success_without_a_mount_is_a_failure(void)
{
	run("exit 0", false, false, PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_NOTHING);
	helper.args.fake = true;
	run("exit 0", false, false, PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_FAKED);
	helper.args.fake = false;
}

static void a_program_that_hangs_is_killed(void)
{
	uint64_t start = now_ms();

	run("exec sleep 60", false, false, 300);
	CU_ASSERT_EQUAL(result.end, MOUNTER_TIMEOUT);
	ASSERT_WITHIN_MS(now_ms() - start, 8000);
}

static void a_missing_directory_or_program_is_reported(void)
{
	const struct mounter_request request = { .options = "rw",
						 .deadline = deadline_in(PATIENCE_MS) };

	helper.program = "/nonexistent/mount.nfs";
	mounter_run(&helper, &request, &result);
	CU_ASSERT_EQUAL(result.end, MOUNTER_UNMADE);
	CU_ASSERT_STRING_EQUAL(result.text, "/nonexistent/mount.nfs: No such file or directory");
	strcpy(helper.dir, "/nonexistent/dir");
	mounter_run(&helper, &request, &result);
	CU_ASSERT_EQUAL(result.end, MOUNTER_UNMADE);
	CU_ASSERT_STRING_EQUAL(result.text,
			       "the directory /nonexistent/dir: No such file or directory");
	strcpy(helper.dir, place);
	helper.program = program;
}

static void arguments_are_passed_on_as_mount_writes_them(void)
{
	helper.args.sloppy = helper.args.no_mtab = helper.args.verbose = true;
	run("[ \"$*\" = \"nas:/vm $dir -s -n -v -o rw,proto=rdma\" ]; exit $?", false, false,
	    PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_NOTHING);
	helper.args.sloppy = helper.args.no_mtab = helper.args.verbose = false;
}

/* A tmpfs is not NFS over RDMA. */
static void a_mount_not_over_rdma_is_undone(void)
{
	int hidden;

	SKIP_IF_EMULATED("lacks open_tree and move_mount");
	for (hidden = 0; may_mount && hidden < 2; hidden++) {
		SUITE_ROW("hidden %d", hidden);
		run("/bin/mount -i -t tmpfs none \"$dir\"", hidden, false, PATIENCE_MS);
		CU_ASSERT_EQUAL(result.end, MOUNTER_UNDONE);
		CU_ASSERT_EQUAL(result.hidden, hidden);
		CU_ASSERT_STRING_EQUAL(result.proof.why, "it is not an NFS mount");
		CU_ASSERT_FALSE(is_mounted());
	}
}

static void an_allowed_mount_stays_visible(void)
{
	int hidden;

	SKIP_IF_EMULATED("lacks open_tree and move_mount");
	for (hidden = 0; may_mount && hidden < 2; hidden++) {
		SUITE_ROW("hidden %d", hidden);
		run("/bin/mount -i -t tmpfs none \"$dir\"", hidden, true, PATIENCE_MS);
		CU_ASSERT_EQUAL(result.end, MOUNTER_MOUNTED);
		CU_ASSERT_EQUAL(result.hidden, hidden);
		CU_ASSERT_FALSE(result.proof.rdma);
		CU_ASSERT(result.proof.mount.id);
		CU_ASSERT(is_mounted());
		CU_ASSERT_EQUAL(umount2(place, 0), 0);
	}
}

/* A hidden mount is not visible while mount.nfs works on it, and earlier mounts are kept. */
static void a_mount_is_hidden_until_it_succeeds(void)
{
	char script[256];

	SKIP_IF_EMULATED("lacks open_tree and move_mount");
	if (!may_mount)
		return;
	snprintf(script, sizeof(script),
		 "/bin/mount -i -t tmpfs none \"$dir\" && ! grep -q ' %s ' /proc/%d/mountinfo",
		 place, (int)getpid());
	run(script, true, true, PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_MOUNTED);
	CU_ASSERT(is_mounted());
	run("exit 0", true, false, PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_NOTHING);
	CU_ASSERT(is_mounted());
	CU_ASSERT_EQUAL(umount2(place, 0), 0);
}

/* It failed or hung after it had mounted. */
static void a_mount_left_by_a_failure_is_undone(void)
{
	int hidden;

	SKIP_IF_EMULATED("lacks open_tree and move_mount");
	for (hidden = 0; may_mount && hidden < 2; hidden++) {
		SUITE_ROW("hidden %d", hidden);
		run("/bin/mount -i -t tmpfs none \"$dir\"; exit 32", hidden, true, PATIENCE_MS);
		CU_ASSERT_EQUAL(result.end, MOUNTER_FAILED);
		CU_ASSERT_FALSE(is_mounted());
		run("/bin/mount -i -t tmpfs none \"$dir\"; exec sleep 60", hidden, true, 1500);
		CU_ASSERT_EQUAL(result.end, MOUNTER_TIMEOUT);
		CU_ASSERT_FALSE(is_mounted());
	}
}

/* In use: it is removed nevertheless. */
static void a_busy_mount_is_undone(void)
{
	if (!may_mount)
		return;
	run("/bin/mount -i -t tmpfs none \"$dir\"; cd \"$dir\"; sleep 2 & exit 0", false, false,
	    PATIENCE_MS);
	CU_ASSERT_EQUAL(result.end, MOUNTER_UNDONE);
	CU_ASSERT_FALSE(is_mounted());
}

/* In a root that is a folder of another file system, as of a container. 2: it could not be made. */
static int bound_root_hears(bool shared)
{
	char proc[80];

	snprintf(proc, sizeof(proc), "%s/proc", place);
	if (unshare(CLONE_NEWNS) || mount(place, place, NULL, MS_BIND, NULL) ||
	    mount(NULL, place, NULL, shared ? MS_SHARED : MS_PRIVATE, NULL) || mkdir(proc, 0755) ||
	    mount("/proc", proc, NULL, MS_BIND, NULL) || chroot(place) || chdir("/"))
		return 2;
	return hidden_hears_umounts(helper.host);
}

static void a_bound_root_is_shared_or_not(void)
{
	char proc[80];
	int shared, status;

	snprintf(proc, sizeof(proc), "%s/proc", place);
	for (shared = 0; may_mount && shared < 2; shared++) {
		pid_t pid = fork();

		if (!pid)
			_exit(bound_root_hears(shared));
		SUITE_ROW("shared %d", shared);
		CU_ASSERT_EQUAL_FATAL(waitpid(pid, &status, 0), pid);
		CU_ASSERT_EQUAL(WEXITSTATUS(status), shared);
		CU_ASSERT_EQUAL(rmdir(proc), 0);
	}
}

static void begin(void)
{
	if (!mkdtemp(dir) || host_open(&helper.host, NULL))
		abort();
	snprintf(place, sizeof(place), "%s/place", dir);
	strcpy(helper.dir, place);
	snprintf(program, sizeof(program), "%s/mount.nfs", dir);
	helper.program = program;
	if (mkdir(place, 0755))
		abort();
	may_mount = !unshare(CLONE_NEWNS) && !mount("none", "/", "", MS_REC | MS_PRIVATE, NULL) &&
		    !mount("tmpfs", "/run", "tmpfs", 0, NULL);
	if (!may_mount)
		printf("not looked at: mounting, for which root is needed\n");
}

static void the_directory_is_removed(void)
{
	unlink(program);
	rmdir(place);
	rmdir(dir);
	host_close(helper.host);
}

__attribute__((constructor)) static void before(void)
{
	begin();
}

SUITE_MAIN("helper-mounter", TEST(a_failure_is_reported_with_its_message),
	   TEST(success_without_a_mount_is_a_failure), TIMED(a_program_that_hangs_is_killed),
	   TEST(a_missing_directory_or_program_is_reported),
	   TEST(arguments_are_passed_on_as_mount_writes_them),
	   TEST(a_mount_not_over_rdma_is_undone), TEST(an_allowed_mount_stays_visible),
	   TEST(a_mount_is_hidden_until_it_succeeds), TEST(a_mount_left_by_a_failure_is_undone),
	   TEST(a_busy_mount_is_undone), TEST(a_bound_root_is_shared_or_not),
	   TEST(the_directory_is_removed))
