/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Findings and their reasons, from the results of one NFS version and the devices of a host. */
#include <arpa/inet.h>

#include "plugin/kernel/internal.h"

#include "plugin/report/report.h"
#include "tests/unit/suite.h"

#define SPACE   (1u << KERNEL_SPACE)
#define MOUNT   (1u << KERNEL_MOUNT)
#define UNMOUNT (1u << KERNEL_UNMOUNT)

struct row {
	unsigned int done; /* steps */
	enum kernel_step failed;
	int error;
	bool reached, killed, hung;
	enum finding_status status;
	const char *reason; /* ID/REASON; "" none */
};

static struct kernel_outcome outcome_of(const struct row *row)
{
	struct kernel_outcome outcome = { .version = "4.1",
					  .device = "siw0",
					  .reached = row->reached,
					  .killed = row->killed,
					  .hung = row->hung };
	unsigned int i;

	for (i = 0; i < KERNEL_STEPS; i++)
		outcome.done[i] = row->done >> i & 1;
	outcome.steps[row->failed].error = row->error;
	return outcome;
}

static void expect(const struct finding *f, enum finding_status status, const char *reason)
{
	char both[FINDING_ID_MAX + FINDING_REASON_MAX + 1];

	snprintf(both, sizeof(both), "%s/%s", f->id, f->reason);
	CU_ASSERT_EQUAL(f->status, status);
	CU_ASSERT_STRING_EQUAL(*f->reason ? both : "", reason);
	CU_ASSERT(!*f->reason || meaning_reason(meaning_find(f->id), f->reason) != NULL);
}

static void a_mount_that_fails_says_why(void)
{
	static const struct row rows[] = {
		{ SPACE | MOUNT, KERNEL_MOUNT, 0, .status = FINDING_PASS, .reason = "" },
		{ 0, KERNEL_SPACE, 0, .killed = true, .status = FINDING_UNKNOWN,
		  .reason = "kernel.mount/killed" },
		{ SPACE, KERNEL_SPACE, EPERM, .status = FINDING_UNKNOWN,
		  .reason = "kernel.mount/no-namespace" },
		{ SPACE, KERNEL_MOUNT, 0, .killed = true, .status = FINDING_UNKNOWN,
		  .reason = "kernel.mount/killed" },
		{ SPACE, KERNEL_MOUNT, 0, .hung = true, .status = FINDING_FAIL,
		  .reason = "kernel.mount/hangs" },
		{ SPACE | MOUNT, KERNEL_MOUNT, ENODEV, .status = FINDING_UNKNOWN,
		  .reason = "kernel.mount/no-client" },
		{ SPACE | MOUNT, KERNEL_MOUNT, EINVAL, .status = FINDING_UNKNOWN,
		  .reason = "kernel.mount/rejected" },
		{ SPACE | MOUNT, KERNEL_MOUNT, EIO, .reached = true, .status = FINDING_FAIL,
		  .reason = "kernel.mount/failed" },
		/* An unsupported version or an unreachable own address: not a failure. */
		{ SPACE | MOUNT, KERNEL_MOUNT, EPROTONOSUPPORT, .status = FINDING_SKIP,
		  .reason = "" },
		{ SPACE | MOUNT, KERNEL_MOUNT, ETIMEDOUT, .status = FINDING_SKIP, .reason = "" },
	};
	struct kernel_outcome outcome;
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		outcome = outcome_of(&rows[i]);
		kernel_mount_finding(&outcome, &f);
		expect(&f, rows[i].status, rows[i].reason);
	}
}

static void an_unmount_that_fails_says_why(void)
{
	static const struct row rows[] = {
		{ UNMOUNT, KERNEL_UNMOUNT, 0, .status = FINDING_PASS, .reason = "" },
		{ UNMOUNT, KERNEL_UNMOUNT, EBUSY, .status = FINDING_FAIL,
		  .reason = "kernel.unmount/busy" },
		{ UNMOUNT, KERNEL_UNMOUNT, EIO, .status = FINDING_FAIL,
		  .reason = "kernel.unmount/failed" },
		{ 0, KERNEL_UNMOUNT, 0, .hung = true, .status = FINDING_FAIL,
		  .reason = "kernel.unmount/hangs" },
		{ 0, KERNEL_UNMOUNT, 0, .killed = true, .status = FINDING_UNKNOWN,
		  .reason = "kernel.unmount/killed" },
	};
	struct kernel_outcome outcome;
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		outcome = outcome_of(&rows[i]);
		kernel_unmount_finding(&outcome, &f);
		expect(&f, rows[i].status, rows[i].reason);
	}
}

/* A trial: what mount.nfs and the kernel said is all there, the kernel's words first. */
static void a_trial_says_what_was_said(void)
{
	static const char line[] = "nfs: server nas not responding, timed out",
			  refused[] = "mount.nfs: access denied by server while mounting nas:/vm";
	static const struct {
		struct kernel_tried tried;
		const char *line; /* of the kernel; NULL: none */
		const char *end;
		enum finding_status status;
		const char *reason, *words;
	} rows[] = {
		{ { .entered = true,
		    .mounted = true,
		    .unmounted = true,
		    .mount = { .proto = "rdma", .vers = "4.2" } },
		  line,
		  "",
		  FINDING_PASS,
		  "",
		  "over rdma, NFSv4.2, in 0.5 s, and unmounted it" },
		{ { .entered = true,
		    .mounted = true,
		    .mount = { .proto = "rdma", .vers = "3" },
		    .shared = "/srv/a" },
		  NULL,
		  "",
		  FINDING_PASS,
		  "",
		  "; it shared the connection of /srv/a, so a new one" },
		{ { .entered = true, .mounted = true, .mount = { .proto = "tcp", .vers = "4.2" } },
		  NULL,
		  "",
		  FINDING_FAIL,
		  "kernel.trial/not-rdma",
		  "over tcp" },
		{ { .entered = true, .end = { .status = 32, .last = "?" } },
		  line,
		  "",
		  FINDING_FAIL,
		  "kernel.trial/failed",
		  "the kernel logged: nfs: server nas" },
		{ { .entered = true, .end = { .status = 32, .last = "?" } },
		  NULL,
		  "",
		  FINDING_FAIL,
		  "kernel.trial/failed",
		  "cannot be mounted: mount.nfs: access denied" },
		{ { .entered = true, .end = { .status = -1, .timed_out = true } },
		  line,
		  "",
		  FINDING_FAIL,
		  "kernel.trial/timeout",
		  "in time; the kernel logged: nfs: server" },
		{ { .entered = true, .end = { .status = -1, .timed_out = true }, .left = true },
		  NULL,
		  "; its process 7",
		  FINDING_FAIL,
		  "kernel.trial/hangs",
		  "; its process 7" },
		{ { .entered = true },
		  NULL,
		  "",
		  FINDING_FAIL,
		  "kernel.trial/nothing",
		  "nothing is mounted" },
		{ { .entered = true, .end = { .status = -1, .timed_out = true } },
		  NULL,
		  "; its process was ended",
		  FINDING_FAIL,
		  "kernel.trial/timeout",
		  "; its process was ended" },
		{ { .entered = true, .unread = true },
		  NULL,
		  "",
		  FINDING_UNKNOWN,
		  "kernel.trial/unread",
		  "what it mounted is unknown" },
		{ { .entered = true, .end = { .status = -1 } },
		  NULL,
		  "; its process 7",
		  FINDING_UNKNOWN,
		  "kernel.trial/killed",
		  "; its process 7" },
		{ { .error = EPERM },
		  NULL,
		  "",
		  FINDING_UNKNOWN,
		  "kernel.trial/no-namespace",
		  "not permitted" },
		{ { .entered = true, .error = ENOENT, .end = { .last = "none" } },
		  NULL,
		  "",
		  FINDING_UNKNOWN,
		  "kernel.trial/no-program",
		  "none" },
	};
	_cleanup_(finding_fini) struct finding f = { 0 };
	struct kernel_tried tried;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct live_log log = { 0 };

		SUITE_ROW("%zu", i);
		tried = rows[i].tried;
		tried.ms = 500;
		if (*tried.end.last == '?')
			str_copy(tried.end.last, sizeof(tried.end.last), refused);
		if (rows[i].line) {
			CU_ASSERT(!live_log_add(&log, 0, 6, "NFS: nothing that matters here"));
			CU_ASSERT(!live_log_add(&log, 0, 4, rows[i].line));
		}
		kernel_trial_finding(&tried, "nas", &log, rows[i].end, &f);
		expect(&f, rows[i].status, rows[i].reason);
		CU_ASSERT_PTR_NOT_NULL(strstr(f.summary, rows[i].words));
		CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "logged"),
				       rows[i].line && f.status != FINDING_PASS ? line : "");
		if (!strcmp(finding_evidence(&f, "message"), refused))
			CU_ASSERT_NOT_EQUAL(*finding_evidence(&f, "means"), '\0');
		live_log_fini(&log);
	}
}

/* Of another server's mount, or of nothing that is known: shown, and not the cause. */
static void a_trial_is_not_failed_by_what_others_log(void)
{
	static const char *const lines[] = { "nfs: server other not responding, still trying",
					     "mlx5_core 0000:3b:00.0: something unheard of" };
	static const char own[] = "nfs: server nas not responding, still trying";
	struct kernel_tried tried = { .entered = true, .end = { .status = 32, .last = "why" } };
	_cleanup_(finding_fini) struct finding f = { 0 };
	struct live_log log = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		CU_ASSERT(!live_log_add(&log, 0, 3, lines[i]));
	kernel_trial_finding(&tried, "nas", &log, "", &f);
	CU_ASSERT_STRING_EQUAL(f.summary, "it cannot be mounted: why (status 32)");
	CU_ASSERT_STRING_EQUAL(finding_evidence(&f, "logged"), lines[0]);
	CU_ASSERT(!live_log_add(&log, 0, 3, own));
	kernel_trial_finding(&tried, "nas", &log, "", &f);
	CU_ASSERT_PTR_NOT_NULL(strstr(f.summary, own));
	live_log_fini(&log);
}

static void reads_that_fail_say_why(void)
{
	static const struct {
		enum kernel_fault fault;
		int error;
		bool killed;
		enum finding_status status;
		const char *reason;
		unsigned int stalled;
	} rows[] = {
		{ KERNEL_RIGHT, 0, false, FINDING_PASS, "", 0 },
		{ KERNEL_RIGHT, 0, false, FINDING_WARN, "kernel.read/stalled", 2 },
		{ KERNEL_BUG_812, EIO, false, FINDING_FAIL, "kernel.read/write-chunk-lost", 1 },
		{ KERNEL_WRONG, 0, false, FINDING_FAIL, "kernel.read/wrong-data", 0 },
		{ KERNEL_WRONG, EREMOTEIO, false, FINDING_FAIL, "kernel.read/error", 0 },
		{ KERNEL_CUT, 0, false, FINDING_UNKNOWN, "kernel.read/cut", 0 },
		{ KERNEL_CUT, 0, true, FINDING_UNKNOWN, "kernel.read/killed", 0 },
	};
	struct kernel_judgement j = { .tried = 40, .right = 20, .smallest_wrong = 813 };
	struct kernel_outcome outcome;
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		outcome = (struct kernel_outcome){ .version = "3", .killed = rows[i].killed };
		outcome.reads[0].record.error = rows[i].error;
		outcome.reads[0].record.length = 813;
		j.fault = rows[i].fault;
		j.stalled = rows[i].stalled;
		kernel_read_finding(&outcome, &j, &f);
		expect(&f, rows[i].status, rows[i].reason);
	}
}

static void writes_that_fail_say_why(void)
{
	static const struct {
		enum kernel_fault reads;
		unsigned int tried;
		enum kernel_write_fault fault; /* of the last */
		int create;
		bool killed, silent;
		enum finding_status status;
		const char *reason;
	} rows[] = {
		{ KERNEL_RIGHT, KERNEL_WRITES, KERNEL_WRITE_RIGHT, 0, false, false, FINDING_PASS,
		  "" },
		/* They could not be read back. */
		{ KERNEL_WRONG, 0, KERNEL_WRITE_RIGHT, 0, false, false, FINDING_SKIP, "" },
		{ KERNEL_CUT, 0, KERNEL_WRITE_RIGHT, 0, true, false, FINDING_SKIP, "" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_WRONG, 0, false, false, FINDING_FAIL,
		  "kernel.write/wrong-data" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_MALFORMED, 0, false, false, FINDING_FAIL,
		  "kernel.write/malformed" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_ERROR, 0, false, false, FINDING_FAIL,
		  "kernel.write/error" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_LOST, 0, false, false, FINDING_FAIL,
		  "kernel.write/lost" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_NOT_COMMITTED, 0, false, false, FINDING_FAIL,
		  "kernel.write/not-committed" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_READ_BACK, 0, false, false, FINDING_FAIL,
		  "kernel.write/read-back" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_BAD_SIZE, 0, false, false, FINDING_FAIL,
		  "kernel.write/size" },
		{ KERNEL_RIGHT, 0, KERNEL_WRITE_RIGHT, EACCES, false, false, FINDING_UNKNOWN,
		  "kernel.write/not-made" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_RIGHT, 0, false, false, FINDING_UNKNOWN,
		  "kernel.write/cut" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_RIGHT, 0, true, false, FINDING_UNKNOWN,
		  "kernel.write/killed" },
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_RIGHT, 0, false, true, FINDING_FAIL,
		  "kernel.write/hangs" },
		/* The kernel is not blamed for who killed it. */
		{ KERNEL_RIGHT, 3, KERNEL_WRITE_RIGHT, 0, true, true, FINDING_UNKNOWN,
		  "kernel.write/killed" },
	};
	struct kernel_judgement j = { 0 };
	struct kernel_outcome outcome;
	_cleanup_(finding_fini) struct finding f = { 0 };
	unsigned int n;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		outcome = (struct kernel_outcome){ .version = "3",
						   .killed = rows[i].killed,
						   .silent = rows[i].silent };
		outcome.steps[KERNEL_CREATE].error = rows[i].create;
		for (n = 0; n < rows[i].tried; n++)
			outcome.written[n].tried = true;
		if (n)
			outcome.written[n - 1].fault = rows[i].fault;
		j.fault = rows[i].reads;
		kernel_write_finding(&outcome, &j, &f);
		expect(&f, rows[i].status, rows[i].reason);
	}
}

static void the_bug_is_reported_before_other_errors(void)
{
	static const struct {
		struct kernel_bug bug;
		enum finding_status status;
		const char *reason;
	} rows[] = {
		{ { "3", "4.0", "4.1", 788 }, FINDING_FAIL, "bug.read-812/lost" },
		{ { "", "4.0", "4.1", 0 }, FINDING_PASS, "" },
		{ { "", "", "4.1", 0 }, FINDING_UNKNOWN, "bug.read-812/otherwise" },
		{ { "", "", "", 0 }, FINDING_UNKNOWN, "bug.read-812/too-few" },
	};
	_cleanup_(finding_fini) struct finding f = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		kernel_bug_finding(&rows[i].bug, &f);
		expect(&f, rows[i].status, rows[i].reason);
	}
}

static void a_mount_without_a_file_says_why(void)
{
	static const struct {
		struct kernel_chosen chosen;
		const char *reason;
	} rows[] = {
		{ { .error = ETIMEDOUT }, "no-answer" },
		{ { .error = EACCES, .why = "file: Permission denied" }, "denied" },
		{ { .error = ENOENT, .why = "file: No such file or directory" }, "no-file" },
		{ { .error = EPERM, .why = "dom_md/ids belongs to another" }, "no-file" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		SUITE_ROW("%zu", i);
		CU_ASSERT_STRING_EQUAL(kernel_no_file_reason(&rows[i].chosen), rows[i].reason);
	}
}

static void a_host_without_a_device_to_test_says_why(void)
{
	static const struct {
		unsigned int devices, state;
		const char *device, *bind, *reason;
	} rows[] = {
		{ 0, 0, NULL, NULL, "no-device" },
		{ 0, 0, "siw0", "192.0.2.1", "no-device" },
		{ 1, 1, NULL, NULL, "not-active" },
		{ 1, 1, "siw0", NULL, "not-active" },
		{ 1, 4, NULL, NULL, "no-address" },
		{ 1, 4, "siw0", NULL, "no-address" },
		{ 1, 4, "siw1", NULL, "unknown-device" },
		{ 1, 4, NULL, "192.0.2.1", "bind" },
		{ 1, 4, "siw0", "192.0.2.1", "bind" },
	};
	static struct rdma_devices rdma = {
		.list = { { .name = "siw0", .nports = 1, .ports = { { .number = 1 } } } }
	};
	const struct meaning *meaning = meaning_find("kernel.device");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct kernel_options options = { .device = rows[i].device };
		struct sockaddr_in *in = (struct sockaddr_in *)&options.at.addr;

		SUITE_ROW("%zu", i);
		if (rows[i].bind) {
			in->sin_family = AF_INET;
			inet_pton(AF_INET, rows[i].bind, &in->sin_addr);
			options.at.len = sizeof(*in);
		}
		rdma.count = rows[i].devices;
		rdma.list[0].ports[0].state = rows[i].state;
		CU_ASSERT_EQUAL(kernel_no_address(&rdma, &options), -ENODEV);
		CU_ASSERT_STRING_EQUAL(err_reason(), rows[i].reason);
		CU_ASSERT_PTR_NOT_NULL(meaning_reason(meaning, err_reason()));
	}
}

SUITE_MAIN("kernel-findings", TEST(a_mount_that_fails_says_why),
	   TEST(an_unmount_that_fails_says_why), TEST(a_trial_says_what_was_said),
	   TEST(a_trial_is_not_failed_by_what_others_log), TEST(reads_that_fail_say_why),
	   TEST(writes_that_fail_say_why), TEST(the_bug_is_reported_before_other_errors),
	   TEST(a_mount_without_a_file_says_why), TEST(a_host_without_a_device_to_test_says_why))
