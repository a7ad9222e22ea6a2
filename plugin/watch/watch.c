/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* When to scan: as soon as the kernel's list of mounts changes or libvirt reports
 * something, and at least once a period. The thread that scans blocks only while waiting
 * for the next scan. */
#include <systemd/sd-daemon.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>

#include "plugin/watch/internal.h"

#define JSON_NAME    "watch.json"
#define LOCK_NAME    "watch.lock"
#define METRICS_NAME "metrics.prom"
/* Between two scans, at most. */
#define WATCH_PERIOD_MS 30000
/* Limits scans to a fifth of the time where mounts change every second. */
#define GAP_MS     200
#define GAP_FACTOR 4
/* A daemon that restarts is not reported. */
#define LIBVIRT_PATIENCE_MS 10000

/* Warnings that are repeated only when they change. */
enum watch_warning { WARN_POLICY, WARN_REQUESTS, WARN_EXPORT, WARN_MOUNTS, WARN_READS, WARN_COUNT };

struct watch_loop {
	struct watch watch;
	const struct watch_options *options;
	int lock, folder, mountinfo, signals;
	struct follow *follow;
	uint64_t due, not_before, last_ping;
	uint64_t lost_ms; /* since when libvirt does not answer; 0: it does */
	bool lost_reported, end;
	unsigned int watchdog_ms; /* 0: no watchdog */
	char warnings[WARN_COUNT][512];
};

static void watch_loop_fini(struct watch_loop *loop)
{
	follow_close(loop->follow);
	inventory_fini(&loop->watch.inventory);
	objects_fini(&loop->watch.objects);
	silences_fini(&loop->watch.silences);
	policy_free(loop->watch.policies);
	host_close(loop->watch.host);
	cleanup_close(&loop->lock);
	cleanup_close(&loop->folder);
	cleanup_close(&loop->mountinfo);
	cleanup_close(&loop->signals);
}

/* --- start -------------------------------------------------------------------------- */

/* Only one watcher may run: two would report everything twice. The file is root's, since
 * otherwise any user could hold the lock. */
static int watch_take_lock(int folder)
{
	_cleanup_close_ int fd = openat(folder, "../" LOCK_NAME,
					O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	char pid[16] = "";
	ssize_t len;

	if (fd < 0)
		return err_sys("open /run/nfsrdma/" LOCK_NAME);
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		len = pread(fd, pid, sizeof(pid) - 1, 0);
		pid[len > 0 ? strspn(pid, "0123456789") : 0] = '\0';
		return err_set(EBUSY, "another watcher is running%s%s", *pid ? ", process " : "",
			       pid);
	}
	len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	/* The PID is for people only. */
	if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)len, 0) < 0)
		return take_fd(&fd);
	return take_fd(&fd);
}

/* The old lock's file has no name any more: another watcher would make one of its own, and run
 * beside this one. The old lock is kept until there is a new one. */
static void watch_renew_lock(struct watch_loop *loop)
{
	int fd = loop->folder < 0 ? -1 : watch_take_lock(loop->folder);

	if (fd < 0)
		return;
	cleanup_close(&loop->lock);
	loop->lock = fd;
}

static void watch_init(struct watch_loop *loop, const struct watch_options *options)
{
	*loop = (struct watch_loop){
		.options = options, .lock = -1, .folder = -1, .mountinfo = -1, .signals = -1
	};
	loop->watch.options = options;
	loop->watch.started = time(NULL);
	loop->watch.on_event = event_object;
	loop->watch.on_unmounted = event_unmounted;
	loop->watch.on_silence = event_silence;
	loop->watch.arg = &loop->watch;
}

static int watch_begin(struct watch_loop *loop)
{
	const struct watch_options *options = loop->options;

	if (host_open(&loop->watch.host, options->root))
		return -EINVAL;
	loop->folder = request_open(options->root ? options->root : "/");
	if (loop->folder < 0)
		return loop->folder;
	loop->lock = watch_take_lock(loop->folder);
	if (loop->lock < 0)
		return loop->lock;
	/* Left by a killed watcher, it would claim that the watcher is up. */
	if (options->textfile)
		unlinkat(loop->folder, "../" METRICS_NAME, 0);
	return options->libvirt ? follow_open(&loop->follow, options->uri) : 0;
}

/* --- a scan ------------------------------------------------------------------------- */

static void watch_warn(struct watch_loop *loop, enum watch_warning which, const char *text)
{
	if (*text && strcmp(loop->warnings[which], text) != 0)
		event_warning(loop->options->lines, "%s", text);
	str_copy(loop->warnings[which], sizeof(loop->warnings[which]), text);
}

/* What libvirt reported since. */
static int watch_update_inventory(struct watch_loop *loop)
{
	struct follow_changes changes;
	int rc = 0;

	if (loop->follow && follow_take(loop->follow, &changes)) {
		rc = inventory_apply(&loop->watch.inventory, &changes);
		follow_changes_fini(&changes);
	}
	return rc;
}

/* @file: a path; NULL: @name in /run/nfsrdma. */
static int watch_export(const struct watch_loop *loop, const struct report *report,
			const char *format, const char *name, const char *file)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_MAX];
	int rc = report_render(report, report_format_find(format), NULL, &text);

	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/run/nfsrdma/%s",
		 loop->options->root ? loop->options->root : "", name);
	return export_text(file ? file : path, text);
}

/* In the format that node_exporter's textfile collector reads. */
static int watch_export_metrics(const struct watch_loop *loop, struct report *report, bool up)
{
	summary_metrics(&loop->watch, report, up);
	return watch_export(loop, report, "prometheus", METRICS_NAME, loop->options->textfile);
}

/* Errors: of the exports, and of memory; sources that cannot be read are findings. */
static int watch_scan(struct watch_loop *loop, bool up, struct report **out)
{
	_cleanup_(report_free_p) struct report *report = report_new("watch");
	const char *root = loop->options->root ? loop->options->root : "/";
	struct stat st;
	int rc = watch_update_inventory(loop), one;

	if (!report)
		return err_no_memory();
	loop->watch.no_libvirt = !loop->options->uri &&
				 host_exists(loop->watch.host, "etc/libvirt/storage") &&
				 host_exists(loop->watch.host, "run/libvirt");
	/* /run was cleaned. */
	if (loop->folder < 0 || fstat(loop->folder, &st) || !st.st_nlink) {
		cleanup_close(&loop->folder);
		loop->folder = request_open(root);
		watch_renew_lock(loop);
	}
	one = scan_host(&loop->watch, loop->folder, report);
	if (!rc)
		rc = one;
	if (rc)
		report_cut(report);
	one = watch_export(loop, report, "json", JSON_NAME, NULL);
	if (!rc)
		rc = one;
	one = watch_export_metrics(loop, report, up);
	if (!rc)
		rc = one;
	if (loop->watch.ask_pools && loop->follow)
		follow_request_pools(loop->follow);
	*out = take_ptr(report);
	return rc;
}

/* --- once --------------------------------------------------------------------------- */

/* Waits until libvirt has answered, or cannot be reached. */
static void watch_wait_for_libvirt(struct watch_loop *loop, uint64_t after, uint64_t deadline)
{
	const struct inventory *inventory = &loop->watch.inventory;
	struct pollfd pfd = { .events = POLLIN };

	while (loop->follow && deadline_left(deadline)) {
		pfd.fd = follow_fd(loop->follow);
		if (poll(&pfd, 1, deadline_left(deadline)) < 0 && errno != EINTR)
			return;
		if (watch_update_inventory(loop))
			return;
		if (inventory->connected ? inventory->pools_ms > after : *inventory->why)
			return;
	}
}

int watch_once(const struct watch_options *options, uint64_t deadline, struct report **out)
{
	_cleanup_(watch_loop_fini) struct watch_loop loop;
	struct report *report = NULL;
	int rc;

	watch_init(&loop, options);
	rc = watch_begin(&loop);
	if (rc)
		return rc;
	watch_wait_for_libvirt(&loop, 0, deadline);
	rc = watch_scan(&loop, false, &report);
	if (loop.watch.ask_pools) {
		watch_wait_for_libvirt(&loop, loop.watch.inventory.pools_ms, deadline);
		report_free(take_ptr(report));
		rc = watch_scan(&loop, false, &report);
	}
	*out = report;
	return rc;
}

/* --- the loop ----------------------------------------------------------------------- */

static void watch_warn_of_libvirt(struct watch_loop *loop)
{
	const struct inventory *inventory = &loop->watch.inventory;

	if (!loop->follow || inventory->connected) {
		if (loop->lost_reported)
			event_libvirt_answers(loop->options->lines);
		loop->lost_ms = 0;
		loop->lost_reported = false;
		return;
	}
	if (!loop->lost_ms)
		loop->lost_ms = now_ms();
	if (loop->lost_reported || (loop->watch.no_libvirt && !inventory->has_pools) ||
	    now_ms() - loop->lost_ms < LIBVIRT_PATIENCE_MS)
		return;
	loop->lost_reported = true;
	event_warning(loop->options->lines,
		      "pools and guests are not watched until libvirt answers again: %s",
		      *inventory->why ? inventory->why : "no answer yet");
}

static void watch_scan_now(struct watch_loop *loop)
{
	unsigned int period = loop->options->interval_ms ? loop->options->interval_ms
							 : WATCH_PERIOD_MS;
	struct report *report = NULL;
	uint64_t start = now_ms();
	char line[256], reads[512];
	int rc = watch_scan(loop, true, &report);

	report_free(report);
	watch_warn(loop, WARN_EXPORT, rc ? err_text() : "");
	watch_warn(loop, WARN_POLICY, loop->watch.policy_error);
	watch_warn(loop, WARN_REQUESTS, loop->watch.requests.why);
	watch_warn(loop, WARN_MOUNTS, loop->watch.mounts_error);
	watch_warn(loop, WARN_READS, summary_reads(&loop->watch, reads));
	watch_warn_of_libvirt(loop);
	sd_notifyf(0, "%sSTATUS=%s", loop->watch.scans == 1 ? "READY=1\n" : "",
		   summary_line(&loop->watch, line));
	loop->not_before = now_ms() + GAP_MS + GAP_FACTOR * (now_ms() - start);
	loop->due = start + period;
	if (loop->watch.silences.again_ms)
		loop->due = deadline_min(loop->due, loop->watch.silences.again_ms);
}

/* Something changed. */
static void watch_scan_soon(struct watch_loop *loop)
{
	uint64_t soon = now_ms() > loop->not_before ? now_ms() : loop->not_before;

	loop->due = deadline_min(loop->due, soon);
}

static void watch_wait(struct watch_loop *loop)
{
	/* poll(2) ignores a descriptor of -1. */
	struct pollfd pfds[] = {
		{ .fd = loop->signals, .events = POLLIN },
		{ .fd = loop->mountinfo, .events = POLLPRI },
		{ .fd = loop->follow ? follow_fd(loop->follow) : -1, .events = POLLIN },
	};
	uint64_t deadline = loop->due;
	struct signalfd_siginfo info;

	if (loop->watchdog_ms)
		deadline = deadline_min(deadline, loop->last_ping + loop->watchdog_ms / 2);
	if (loop->lost_ms && !loop->lost_reported)
		deadline = deadline_min(deadline, loop->lost_ms + LIBVIRT_PATIENCE_MS);
	if (poll(pfds, ARRAY_SIZE(pfds), deadline_left(deadline)) <= 0)
		return;
	debug(DEBUG_WATCH, "after look %lu came%s%s%s", loop->watch.scans,
	      pfds[0].revents ? " a signal" : "", pfds[1].revents ? " a change of mounts" : "",
	      pfds[2].revents ? " news of libvirt" : "");
	while (pfds[0].revents && read(loop->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			watch_scan_soon(loop);
		else
			loop->end = true;
	}
	/* The kernel signals each change once, with POLLERR too. */
	if (pfds[1].revents)
		watch_scan_soon(loop);
	/* Read at once; otherwise poll(2) returns again immediately. */
	if (pfds[2].revents) {
		watch_warn(loop, WARN_EXPORT, watch_update_inventory(loop) ? err_text() : "");
		watch_scan_soon(loop);
	}
}

/* Before any thread starts, since threads inherit the mask. */
static int watch_block_signals(void)
{
	sigset_t set;
	int fd;

	signals_that_end(&set);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys("block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_sys("signalfd") : fd;
}

/* Readers of the exports must see that the watcher has ended. */
static void watch_export_end(struct watch_loop *loop)
{
	_cleanup_(report_free_p) struct report *report = report_new("watch");
	char path[PATH_MAX];

	sd_notify(0, "STOPPING=1");
	snprintf(path, sizeof(path), "%s/run/nfsrdma/" JSON_NAME,
		 loop->options->root ? loop->options->root : "");
	unlink(path);
	if (!report)
		return;
	report_times(report, loop->watch.last_scan, loop->watch.scan_ms);
	report_cut(report);
	watch_export_metrics(loop, report, false);
}

int watch_run(const struct watch_options *options)
{
	_cleanup_(watch_loop_fini) struct watch_loop loop;
	uint64_t usec = 0;
	int rc;

	watch_init(&loop, options);
	loop.signals = watch_block_signals();
	if (loop.signals < 0)
		return loop.signals;
	rc = watch_begin(&loop);
	if (rc)
		return rc;
	if (!options->root)
		loop.mountinfo = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (sd_watchdog_enabled(0, &usec) > 0)
		loop.watchdog_ms = (unsigned int)(usec / 1000);
	while (!loop.end) {
		if (!deadline_left(loop.due))
			watch_scan_now(&loop);
		watch_warn_of_libvirt(&loop);
		if (loop.watchdog_ms && now_ms() - loop.last_ping >= loop.watchdog_ms / 4) {
			sd_notify(0, "WATCHDOG=1");
			loop.last_ping = now_ms();
		}
		watch_wait(&loop);
	}
	watch_export_end(&loop);
	return 0;
}
