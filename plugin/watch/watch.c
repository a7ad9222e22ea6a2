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
/* Limits scans to a fifth of the time where mounts change every second. */
#define GAP_MS     200
#define GAP_FACTOR 4
/* A daemon that restarts is not reported. */
#define LIBVIRT_PATIENCE_MS 10000

/* Warnings that are repeated only when they change. */
enum nag { NAG_POLICY, NAG_RECORDS, NAG_EXPORT, NAG_MOUNTS, NAG_READS, NAG_COUNT };

struct loop {
	struct watch watch;
	const struct watch_options *options;
	int lock, folder, mountinfo, signals;
	struct follow *follow;
	uint64_t due, not_before, last_ping;
	uint64_t lost_ms; /* since when libvirt does not answer; 0: it does */
	bool lost_told, end;
	unsigned int watchdog_ms; /* 0: no watchdog */
	char nags[NAG_COUNT][512];
};

static void loop_fini(struct loop *loop)
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
static int take_lock(int folder)
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
		return err_set(EBUSY, "another watcher is running%s%s",
			       *pid ? ", process " : "", pid);
	}
	len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	/* The PID is for people only. */
	if (ftruncate(fd, 0) || pwrite(fd, pid, (size_t)len, 0) < 0)
		return take_fd(&fd);
	return take_fd(&fd);
}

static int begin(struct loop *loop, const struct watch_options *options)
{
	*loop = (struct loop){ .options = options,
			       .lock = -1,
			       .folder = -1,
			       .mountinfo = -1,
			       .signals = -1 };
	loop->watch.options = options;
	loop->watch.started = time(NULL);
	loop->watch.on_event = event_object;
	loop->watch.on_unmounted = event_unmounted;
	loop->watch.on_silence = event_silence;
	loop->watch.arg = &loop->watch;
	if (host_open(&loop->watch.host, options->root))
		return -EINVAL;
	loop->folder = record_open(options->root ? options->root : RECORD_ROOT);
	if (loop->folder < 0)
		return loop->folder;
	loop->lock = take_lock(loop->folder);
	if (loop->lock < 0)
		return loop->lock;
	/* Left by a killed watcher, it would claim that the watcher is up. */
	if (options->textfile)
		unlinkat(loop->folder, "../" METRICS_NAME, 0);
	return options->libvirt ? follow_open(&loop->follow, options->uri) : 0;
}

/* --- a scan ------------------------------------------------------------------------- */

static void nag(struct loop *loop, enum nag which, const char *text)
{
	if (*text && strcmp(loop->nags[which], text) != 0)
		event_warning(loop->options->lines, "%s", text);
	snprintf(loop->nags[which], sizeof(loop->nags[which]), "%s", text);
}

static int take_news(struct loop *loop)
{
	struct follow_changes news;
	int rc = 0;

	if (loop->follow && follow_take(loop->follow, &news)) {
		rc = inventory_apply(&loop->watch.inventory, &news);
		follow_changes_fini(&news);
	}
	return rc;
}

/* /run was cleaned. */
static void reopen(struct loop *loop)
{
	struct stat st;

	if (loop->folder >= 0 && !fstat(loop->folder, &st) && st.st_nlink)
		return;
	cleanup_close(&loop->folder);
	loop->folder = record_open(loop->options->root ? loop->options->root
						       : RECORD_ROOT);
}

static int put(const struct loop *loop, const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/run/nfsrdma/%s",
		 loop->options->root ? loop->options->root : "", name);
	return export_text(path, text);
}

/* @file: a path; NULL: @name in /run/nfsrdma. */
static int export_report(const struct loop *loop, const struct report *report,
			 const char *format, const char *name, const char *file)
{
	_cleanup_free_ char *text = NULL;
	int rc = report_render(report, report_format_find(format), NULL, &text);

	if (rc)
		return rc;
	return file ? export_text(file, text) : put(loop, name, text);
}

static int export_json(const struct loop *loop, const struct report *report)
{
	return export_report(loop, report, "json", JSON_NAME, NULL);
}

/* In the format that node_exporter's textfile collector reads. */
static int export_metrics(const struct loop *loop, struct report *report, bool up)
{
	summary_metrics(&loop->watch, report, up);
	return export_report(loop, report, "prometheus", METRICS_NAME,
			     loop->options->textfile);
}

/* Errors: of the exports, and of memory; sources that cannot be read are findings. */
static int look_once(struct loop *loop, bool up, struct report **out)
{
	_cleanup_(report_free_p) struct report *report = report_new("watch");
	int rc = take_news(loop), one;

	if (!report)
		return err_set(ENOMEM, "no memory");
	loop->watch.no_libvirt = !loop->options->uri &&
				 host_exists(loop->watch.host, "etc/libvirt/storage") &&
				 host_exists(loop->watch.host, "run/libvirt");
	reopen(loop);
	one = scan_host(&loop->watch, loop->folder, report);
	rc = rc ? rc : one;
	if (rc)
		report_cut(report);
	one = export_json(loop, report);
	rc = rc ? rc : one;
	one = export_metrics(loop, report, up);
	rc = rc ? rc : one;
	if (loop->watch.ask_pools && loop->follow)
		follow_request_pools(loop->follow);
	*out = take_ptr(report);
	return rc;
}

/* --- once --------------------------------------------------------------------------- */

/* Waits until libvirt has answered, or cannot be reached. */
static void wait_for_libvirt(struct loop *loop, uint64_t after, uint64_t deadline)
{
	const struct inventory *inventory = &loop->watch.inventory;
	struct pollfd pfd = { .events = POLLIN };

	while (loop->follow && deadline_left(deadline)) {
		pfd.fd = follow_fd(loop->follow);
		if (poll(&pfd, 1, deadline_left(deadline)) < 0 && errno != EINTR)
			return;
		if (take_news(loop))
			return;
		if (inventory->connected ? inventory->pools_ms > after : *inventory->why)
			return;
	}
}

int watch_once(const struct watch_options *options, uint64_t deadline,
	       struct report **out)
{
	_cleanup_(loop_fini) struct loop loop;
	struct report *report = NULL;
	int rc = begin(&loop, options);

	if (rc)
		return rc;
	wait_for_libvirt(&loop, 0, deadline);
	rc = look_once(&loop, false, &report);
	if (loop.watch.ask_pools) {
		wait_for_libvirt(&loop, loop.watch.inventory.pools_ms, deadline);
		report_free(report);
		rc = look_once(&loop, false, &report);
	}
	*out = report;
	return rc;
}

/* --- the loop ----------------------------------------------------------------------- */

static void sign_of_life(struct loop *loop)
{
	if (!loop->watchdog_ms || now_ms() - loop->last_ping < loop->watchdog_ms / 4)
		return;
	sd_notify(0, "WATCHDOG=1");
	loop->last_ping = now_ms();
}

static void nag_of_libvirt(struct loop *loop)
{
	const struct inventory *inventory = &loop->watch.inventory;

	if (!loop->follow || inventory->connected) {
		if (loop->lost_told)
			event_libvirt_answers(loop->options->lines);
		loop->lost_ms = 0;
		loop->lost_told = false;
		return;
	}
	if (!loop->lost_ms)
		loop->lost_ms = now_ms();
	if (loop->lost_told || (loop->watch.no_libvirt && !inventory->has_pools) ||
	    now_ms() - loop->lost_ms < LIBVIRT_PATIENCE_MS)
		return;
	loop->lost_told = true;
	event_warning(loop->options->lines,
		      "pools and guests are not watched until libvirt answers again: %s",
		      *inventory->why ? inventory->why : "no answer yet");
}

static void look_now(struct loop *loop)
{
	unsigned int period = loop->options->interval_ms ? loop->options->interval_ms
							 : RECORD_PERIOD_MS;
	struct report *report = NULL;
	uint64_t start = now_ms();
	char line[256], reads[512];
	int rc = look_once(loop, true, &report);

	report_free(report);
	nag(loop, NAG_EXPORT, rc ? err_text() : "");
	nag(loop, NAG_POLICY, loop->watch.policy_error);
	nag(loop, NAG_RECORDS, loop->watch.record_error);
	nag(loop, NAG_MOUNTS, loop->watch.mounts_error);
	nag(loop, NAG_READS, summary_reads(&loop->watch, reads));
	nag_of_libvirt(loop);
	sd_notifyf(0, "%sSTATUS=%s", loop->watch.scans == 1 ? "READY=1\n" : "",
		   summary_line(&loop->watch, line));
	loop->not_before = now_ms() + GAP_MS + GAP_FACTOR * (now_ms() - start);
	loop->due = start + period;
	if (loop->watch.silences.again_ms)
		loop->due = deadline_min(loop->due, loop->watch.silences.again_ms);
}

/* Something changed. */
static void look_soon(struct loop *loop)
{
	uint64_t soon = now_ms() > loop->not_before ? now_ms() : loop->not_before;

	loop->due = deadline_min(loop->due, soon);
}

static void take_signals(struct loop *loop)
{
	struct signalfd_siginfo info;

	while (read(loop->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGHUP)
			look_soon(loop);
		else
			loop->end = true;
	}
}

static void wait_for_more(struct loop *loop)
{
	/* poll(2) ignores a descriptor of -1. */
	struct pollfd pfds[] = {
		{ .fd = loop->signals, .events = POLLIN },
		{ .fd = loop->mountinfo, .events = POLLPRI },
		{ .fd = loop->follow ? follow_fd(loop->follow) : -1, .events = POLLIN },
	};
	uint64_t deadline = loop->due;

	if (loop->watchdog_ms)
		deadline = deadline_min(deadline,
					loop->last_ping + loop->watchdog_ms / 2);
	if (loop->lost_ms && !loop->lost_told)
		deadline = deadline_min(deadline, loop->lost_ms + LIBVIRT_PATIENCE_MS);
	if (poll(pfds, ARRAY_SIZE(pfds), deadline_left(deadline)) <= 0)
		return;
	debug(DEBUG_WATCH, "after look %lu came%s%s%s", loop->watch.scans,
	      pfds[0].revents ? " a signal" : "",
	      pfds[1].revents ? " a change of mounts" : "",
	      pfds[2].revents ? " news of libvirt" : "");
	if (pfds[0].revents)
		take_signals(loop);
	/* The kernel signals each change once, with POLLERR too. */
	if (pfds[1].revents)
		look_soon(loop);
	/* Read at once; otherwise poll(2) returns again immediately. */
	if (pfds[2].revents) {
		nag(loop, NAG_EXPORT, take_news(loop) ? err_text() : "");
		look_soon(loop);
	}
}

/* Before any thread starts, since threads inherit the mask. */
static int block_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys("block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_sys("signalfd") : fd;
}

/* Readers of the exports must see that the watcher has ended. */
static void say_good_bye(struct loop *loop)
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
	export_metrics(loop, report, false);
}

int watch_run(const struct watch_options *options)
{
	_cleanup_(loop_fini) struct loop loop;
	int signals = block_signals(), rc;
	uint64_t usec = 0;

	if (signals < 0)
		return signals;
	rc = begin(&loop, options);
	loop.signals = signals;
	if (rc)
		return rc;
	if (!options->root)
		loop.mountinfo = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	if (sd_watchdog_enabled(0, &usec) > 0)
		loop.watchdog_ms = (unsigned int)(usec / 1000);
	while (!loop.end) {
		if (!deadline_left(loop.due))
			look_now(&loop);
		nag_of_libvirt(&loop);
		sign_of_life(&loop);
		wait_for_more(&loop);
	}
	say_good_bye(&loop);
	return 0;
}
