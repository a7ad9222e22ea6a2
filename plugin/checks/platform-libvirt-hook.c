/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Whether libvirt's daemon knows that it has a hook: one that was there before the hook came runs none
 * until it is reloaded, and starts guests unguarded without a word. */
#include <stdio.h>
#include <time.h>

#include "plugin/checks/internal.h"

/* Times of processes are of ticks after a boot whose time is in seconds. */
#define SLACK_S 2

enum seen_by { SEEN_AT_START, SEEN_WITH_OTHER, SEEN_BY_RELOAD, SEEN_NOT, SEEN_UNKNOWN };

static enum seen_by libvirt_hook_seen(const struct host_libvirt_hook *hook,
				      const struct host_hook_daemon *daemon,
				      const struct host *host, const struct live_ops *live)
{
	char unit[64];
	int64_t changed;

	if (daemon->started_at + SLACK_S >= hook->linked_at)
		return SEEN_AT_START;
	if (hook->other_at && hook->other_at + SLACK_S < daemon->started_at)
		return SEEN_WITH_OTHER;
	snprintf(unit, sizeof(unit), "%s.service", daemon->name);
	/* The process is the same, so the unit has not stopped: what else changes it is a reload. */
	if (live->changed(host, unit, &changed))
		return SEEN_UNKNOWN;
	return changed >= hook->linked_at ? SEEN_BY_RELOAD : SEEN_NOT;
}

static const char *libvirt_hook_time(int64_t when, char buf[32])
{
	time_t seconds = (time_t)when;
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm))
		str_copy(buf, 32, "?");
	return buf;
}

static void libvirt_hook_say(struct finding *out, enum finding_status status,
			     const struct host_libvirt_hook *hook,
			     const struct host_hook_daemon *daemon, enum seen_by seen)
{
	static const char *const words[] = {
		[SEEN_AT_START] = "started after its hook was linked",
		[SEEN_WITH_OTHER] = "found another hook when it started, so it runs this one",
		[SEEN_BY_RELOAD] = "was reloaded after its hook was linked",
	};
	char started[32], linked[32];

	if (status == FINDING_PASS)
		finding_init(out, "platform.libvirt-hook", status, "%s %s", daemon->name,
			     words[seen]);
	else
		finding_init(
			out, "platform.libvirt-hook", status,
			"%s (process %lld) started at %s, before its hook was installed at %s, and %s: until 'systemctl reload %s' it may start guests without the hook",
			daemon->name, (long long)daemon->pid,
			libvirt_hook_time(daemon->started_at, started),
			libvirt_hook_time(hook->linked_at, linked),
			seen == SEEN_NOT ? "systemd reports no reload since"
					 : "systemd does not say whether it was reloaded",
			daemon->name);
	if (seen == SEEN_NOT || seen == SEEN_UNKNOWN)
		finding_reason(out, seen == SEEN_NOT ? "not-reloaded" : "reload-unknown");
	finding_text(out, "daemon", "%s", daemon->name);
	finding_number(out, "pid", (double)daemon->pid);
	finding_number(out, "started_at", (double)daemon->started_at);
	finding_number(out, "linked_at", (double)hook->linked_at);
}

void libvirt_hook_judge(const struct host_libvirt_hook *hook, const struct host *host,
			const struct live_ops *live, struct finding *out)
{
	enum seen_by seen = SEEN_AT_START;
	unsigned int i;

	if (!hook->linked_at) {
		finding_init(out, "platform.libvirt-hook", FINDING_SKIP,
			     "/etc/libvirt/hooks/qemu.d/nfsrdma does not exist: the hook is off");
		return;
	}
	if (!hook->ndaemons) {
		finding_init(out, "platform.libvirt-hook", FINDING_PASS,
			     "no libvirtd or virtqemud runs; it looks for its hook when it starts");
		return;
	}
	for (i = 0; i < hook->ndaemons; i++) {
		seen = libvirt_hook_seen(hook, &hook->daemons[i], host, live);
		if (seen == SEEN_NOT || seen == SEEN_UNKNOWN) {
			libvirt_hook_say(out, FINDING_WARN, hook, &hook->daemons[i], seen);
			return;
		}
	}
	libvirt_hook_say(out, FINDING_PASS, hook, &hook->daemons[i - 1], seen);
}

int libvirt_hook_find(const struct host *host, const struct live_ops *live, struct finding *out)
{
	struct host_libvirt_hook hook;
	int rc;

	/* Files of another machine have the times of who copied them. */
	if (!host_is_live(host)) {
		finding_init(out, "platform.libvirt-hook", FINDING_SKIP,
			     "only a running system shows when its daemons started");
		return 0;
	}
	rc = host_libvirt_hook(host, &hook);
	if (!rc)
		libvirt_hook_judge(&hook, host, live, out);
	return rc;
}

int check_platform_libvirt_hook(struct check_run *run)
{
	const struct host_platform *platform;
	int rc = facts_platform(run, &platform);

	if (rc)
		return rc;
	if (!platform->libvirt)
		return check_say(run, FINDING_SKIP, "libvirt is not installed");
	return libvirt_hook_find(run->host, run->live, &run->finding);
}
