/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What this host is and has, for `nfsrdma status`: facts, a finding each. They never fail for what
 * a check, or a mount, fails for: those findings stand in the report themselves. Only files are
 * read, none of them at or below a network mount, and no server is contacted. */
#include <arpa/inet.h>
#include <stdarg.h>

#include "plugin/cli/guests.h"
#include "plugin/cli/status.h"
#include "plugin/watch/watch.h"

/* A page has lines for so many. */
#define PORTS_SHOWN 8
#define POOLS_SHOWN 6

/* Only root may do it. */
static bool status_is_denied(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

static struct finding *status_begin(struct status_page *status, const char *id,
				    enum finding_status how)
{
	finding_init(&status->finding, id, how, "%s", "");
	return &status->finding;
}

PRINTF_LIKE(2, 3)
static void status_report(struct status_page *status, const char *fmt, ...)
{
	struct finding *finding = &status->finding;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(finding->summary, sizeof(finding->summary), fmt, ap);
	va_end(ap);
	finding_clean(finding->summary);
	report_collect(&status->collector, finding);
}

/* The page has a line for it. */
static void status_show(struct status_page *status)
{
	finding_text(&status->finding, "fact", "yes");
}

/* --- the host ------------------------------------------------------------------------------- */

static void status_host(struct status_page *status)
{
	struct finding *finding = status_begin(status, "status.host", FINDING_PASS);
	char name[65] = "this host";
	struct host_system system;

	if (host_attr(status->host, "proc/sys/kernel/hostname", name, sizeof(name)))
		host_attr(status->host, "etc/hostname", name, sizeof(name));
	if (host_system(status->host, &system)) {
		finding->status = FINDING_UNKNOWN;
		status_report(status, "%s", err_text());
		return;
	}
	status_show(status);
	finding_text(finding, "name", "%s", name);
	finding_text(finding, "system", "%s", system.name);
	finding_text(finding, "kernel", "%s", system.release);
	status_report(status, "%s, %s, Linux %s", *name ? name : "this host",
		      *system.name ? system.name : "unknown system", system.release);
}

/* --- ports ---------------------------------------------------------------------------------- */

/* An IPv4 address of RoCE v2 stands in the GID table as ::ffff:192.0.2.1. */
static void status_port_address(const struct rdma_port *port, char buf[INET_ADDRSTRLEN])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned int i;

	*buf = '\0';
	for (i = 0; i < port->ngids && !*buf; i++)
		if (!memcmp(port->gids[i].bytes, mapped, sizeof(mapped)))
			inet_ntop(AF_INET, port->gids[i].bytes + sizeof(mapped), buf,
				  INET_ADDRSTRLEN);
}

static void status_port(struct status_page *status, const struct rdma_device *device,
			const struct rdma_port *port, bool shown)
{
	bool up = port_is_up(port);
	struct finding *finding = status_begin(status, "status.port",
					       up ? FINDING_PASS : FINDING_SKIP);
	char name[PORT_NAME_MAX], address[INET_ADDRSTRLEN], rate[32];

	status_port_address(port, address);
	/* "100 Gb/sec (4X EDR)": without what is in brackets. */
	snprintf(rate, sizeof(rate), "%.*s",
		 (int)min_u32((uint32_t)strcspn(port->rate, "("), sizeof(rate) - 1), port->rate);
	while (*rate && rate[strlen(rate) - 1] == ' ')
		rate[strlen(rate) - 1] = '\0';
	if (shown)
		status_show(status);
	finding_text(finding, "device", "%s", device->name);
	finding_number(finding, "port", port->number);
	finding_text(finding, "driver", "%s", device->driver);
	finding_text(finding, "kind", "%s", port_kind_name(device));
	finding_text(finding, "state", "%s", port_state_name(port));
	finding_text(finding, "rate", "%s", port->rate);
	if (*port->netdev)
		finding_text(finding, "interface", "%s", port->netdev);
	if (*address)
		finding_text(finding, "address", "%s", address);
	status_report(status, "%s: %s, %s%s%s%s%s", port_name(device, port, name),
		      port_kind_name(device), port_state_name(port), up && *rate ? ", " : "",
		      up ? rate : "", *address ? ", " : "", address);
}

static void status_ports(struct status_page *status)
{
	_cleanup_free_ struct rdma_devices *rdma = NULL;
	unsigned int i, p, count = 0;

	if (host_rdma(status->host, &rdma)) {
		status_begin(status, "status.port", FINDING_UNKNOWN);
		status_report(status, "%s", err_text());
		return;
	}
	for (i = 0; i < rdma->count; i++)
		for (p = 0; p < rdma->list[i].nports; p++)
			status_port(status, &rdma->list[i], &rdma->list[i].ports[p],
				    count++ < PORTS_SHOWN);
	if (count)
		return;
	status_begin(status, "status.port", FINDING_SKIP);
	status_show(status);
	status_report(status, "this host has no RDMA device");
}

/* --- the server ------------------------------------------------------------------------------ */

/* The same port over IPv4 and IPv6 has two lines in portlist. */
static bool status_was_listed(const struct host_nfsd *nfsd, unsigned int at)
{
	unsigned int i;

	for (i = 0; i < at; i++)
		if (nfsd->listeners[i].port == nfsd->listeners[at].port &&
		    !strcmp(nfsd->listeners[i].proto, nfsd->listeners[at].proto))
			return true;
	return false;
}

static bool status_ganesha(struct status_page *status)
{
	struct host_ganesha ganesha;
	struct finding *finding;

	if (host_ganesha(status->host, &ganesha))
		err_clear();
	if (!ganesha.running)
		return false;
	finding = status_begin(status, "status.server", ganesha.rdma ? FINDING_PASS : FINDING_SKIP);
	status_show(status);
	finding_text(finding, "server", "ganesha");
	if (ganesha.rdma)
		status_report(status, "NFS-Ganesha runs, with RDMA on port %u in its configuration",
			      ganesha.port);
	else
		status_report(status, "NFS-Ganesha runs, without RDMA");
	return true;
}

static void status_server(struct status_page *status)
{
	struct words rdma = { 0 }, others = { 0 };
	struct host_nfsd nfsd;
	struct finding *finding;
	char threads[48] = "";
	unsigned int i;

	if (host_nfsd(status->host, &nfsd)) {
		status_begin(status, "status.server", FINDING_UNKNOWN);
		status_report(status, "%s", err_text());
		return;
	}
	if (!nfsd.nlisteners && status_ganesha(status))
		return;
	for (i = 0; i < nfsd.nlisteners; i++) {
		const char *proto = nfsd.listeners[i].proto;

		if (!status_was_listed(&nfsd, i))
			words_add(!strncmp(proto, "rdma", 4) ? &rdma : &others, "%s %u", proto,
				  nfsd.listeners[i].port);
	}
	if (nfsd.threads_known)
		snprintf(threads, sizeof(threads), "; %u thread%s", nfsd.threads,
			 nfsd.threads == 1 ? "" : "s");
	finding = status_begin(status, "status.server", rdma.count ? FINDING_PASS : FINDING_SKIP);
	status_show(status);
	if (nfsd.threads_known)
		finding_number(finding, "threads", nfsd.threads);
	if (rdma.count)
		finding_text(finding, "rdma", "%s", words_text(&rdma));
	if (others.count)
		finding_text(finding, "others", "%s", words_text(&others));
	if (rdma.count)
		status_report(status, "listens on %s%s%s%s", words_text(&rdma),
			      others.count ? ", " : "", others.count ? words_text(&others) : "",
			      threads);
	else if (others.count)
		status_report(status, "does not listen for RDMA, only on %s%s", words_text(&others),
			      threads);
	else
		status_report(status, "not running");
}

/* --- pools ----------------------------------------------------------------------------------- */

static const char *status_pool_transport(const struct view *view, const struct view_place *place)
{
	const struct view_dir *dir = view_dir_of(view, place);

	if (!place->expected)
		return "inactive";
	if (!dir || dir->mounted == DIR_UNKNOWN)
		return "unknown";
	return dir->mounted == DIR_NFS ? view_run_name(view_mount(view, dir->mount)->mount)
				       : "not mounted";
}

static void status_pools(struct status_page *status)
{
	struct words words = { .separator = ", " };
	struct finding *finding;
	unsigned int count = 0;
	char more[32] = "";
	size_t i;

	if (status->pools_rc || *status->pools_skipped) {
		finding = status_begin(status, "status.pools", FINDING_UNKNOWN);
		finding_reason(finding,
			       status_is_denied(status->pools_rc) ? "permission" : "damaged");
		finding_text(finding, "error", "%s", status->pools_skipped);
		status_report(status, "%s", status->pools_skipped);
		return;
	}
	/* Of netfs pools; others have no source. */
	for (i = 0; i < status->pools.count; i++) {
		const struct view_place *place = &status->pools.list[i];

		if (!place->fs_spec || !place->target)
			continue;
		if (count++ < POOLS_SHOWN)
			words_add(&words, "%s (%s)", place->pool,
				  status->view ? status_pool_transport(status->view, place)
					       : "unknown");
	}
	finding = status_begin(status, "status.pools", count ? FINDING_PASS : FINDING_SKIP);
	finding_number(finding, "pools", count);
	if (count)
		status_show(status);
	if (count > POOLS_SHOWN)
		snprintf(more, sizeof(more), ", and %u more", count - POOLS_SHOWN);
	if (count)
		status_report(status, "%u: %s%s", count, words_text(&words), more);
	else
		status_report(status, "no pool of type netfs");
}

/* --- guests ---------------------------------------------------------------------------------- */

struct status_tally {
	const struct guard *guard;
	unsigned int guests, disks, wanted, bad, unknown;
	char text[GUARD_TEXT_MAX + 96]; /* of the first that is bad, else of one that is unknown */
	char guest[96];
	char damaged[ERR_TEXT_MAX]; /* why one could not be read; "" all could */
	bool denied;                /* for want of permission */
};

static void status_tally_disk(struct status_tally *tally, const char *guest,
			      const struct domain_disk *disk)
{
	const struct guard_disk asked = domain_disk_guard(disk);
	struct guard_verdict verdict;

	guard_ask(tally->guard, &asked, &verdict);
	tally->disks++;
	tally->wanted += verdict.wanted;
	if (verdict.answer == GUARD_PASS)
		return;
	if (!verdict.wanted && verdict.answer == GUARD_UNKNOWN)
		return;
	if (verdict.answer == GUARD_REFUSE ? !tally->bad : !tally->bad && !tally->unknown) {
		snprintf(tally->text, sizeof(tally->text), "%.80s: %s", guest, verdict.text);
		snprintf(tally->guest, sizeof(tally->guest), "%s", guest);
	}
	tally->bad += verdict.answer == GUARD_REFUSE;
	tally->unknown += verdict.answer == GUARD_UNKNOWN;
}

static void status_tally_guest(void *arg, const struct guests_one *one)
{
	struct status_tally *tally = arg;
	size_t i;

	tally->guests++;
	if (one->rc && !*tally->damaged) {
		snprintf(tally->damaged, sizeof(tally->damaged), "%.80s: %s", one->path,
			 err_text());
		tally->denied = status_is_denied(one->rc);
	}
	for (i = 0; i < one->disks.count; i++)
		status_tally_disk(tally, one->name, &one->disks.list[i]);
}

static void status_report_guests(struct status_page *status, const struct status_tally *tally)
{
	struct finding *finding = status_begin(status, "status.guests", FINDING_PASS);

	finding_number(finding, "guests", tally->guests);
	finding_number(finding, "disks", tally->disks);
	finding_number(finding, "wanted", tally->wanted);
	finding_number(finding, "not_rdma", tally->bad);
	if (*tally->guest)
		finding_text(finding, "guest", "%s", tally->guest);
	if (tally->bad || (tally->unknown && !*tally->damaged)) {
		finding->status = tally->bad ? FINDING_FAIL : FINDING_UNKNOWN;
		finding_reason(finding, tally->bad ? "not-rdma" : "uncertain");
		status_report(status, "%s", tally->text);
		return;
	}
	if (*tally->damaged) {
		finding->status = FINDING_UNKNOWN;
		finding_reason(finding, tally->denied ? "permission" : "damaged");
		finding_text(finding, "error", "%s", tally->damaged);
		status_report(status, "%u run; %s", tally->guests, tally->damaged);
		return;
	}
	finding->status = tally->guests ? FINDING_PASS : FINDING_SKIP;
	status_show(status);
	if (!tally->guests)
		status_report(status, "none");
	else if (!tally->wanted)
		status_report(status, "%u; none has a disk that requires RDMA", tally->guests);
	else
		status_report(status, "%u; %u of %u disks require RDMA and are on it",
			      tally->guests, tally->wanted, tally->disks);
}

static void status_guests(struct status_page *status)
{
	_cleanup_(guard_close_p) struct guard *guard = NULL;
	struct status_tally tally = { .guard = NULL };
	int rc = 0;

	/* Definitions of running guests have passwords in them: no snapshot takes them. */
	if (!status->platform.libvirt || host_is_snapshot(status->host) || !status->view) {
		status_begin(status, "status.guests", FINDING_SKIP);
		status_report(status, "%s",
			      !status->platform.libvirt ? "libvirt is not installed"
			      : status->view            ? "a snapshot has no definitions of guests"
							: "mounts could not be read");
		return;
	}
	rc = guard_over(&guard, status->host, status->view, &status->pools,
			status->pools_rc || *status->pools_skipped ? status->pools_skipped : NULL);
	tally.guard = guard;
	if (!rc)
		rc = guests_each(status->host, status->deadline, status_tally_guest, &tally);
	if (rc && !*tally.damaged) {
		snprintf(tally.damaged, sizeof(tally.damaged), "%s", err_text());
		tally.denied = status_is_denied(rc);
	}
	status_report_guests(status, &tally);
}

/* --- the watcher ----------------------------------------------------------------------------- */

static const char *status_event_time(time_t when, char buf[32])
{
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(buf, 32, "?");
	return buf;
}

static void status_report_no_watcher(struct status_page *status, int rc)
{
	enum unit_state unit = UNIT_MISSING;
	struct finding *finding;
	bool enabled = !host_unit_state(status->host, "nfsrdma-watch.service", &unit) &&
		       unit == UNIT_ENABLED;

	if (rc != -ENOENT && rc != -ENODATA) {
		status_begin(status, "status.watcher", FINDING_UNKNOWN);
		status_report(status, "%s", err_text());
		return;
	}
	/* Files that are no running system have no process. */
	if (enabled && host_is_live(status->host)) {
		finding = status_begin(status, "status.watcher", FINDING_WARN);
		finding_reason(finding, "stopped");
		status_report(status, "nfsrdma-watch.service is enabled but not running");
		return;
	}
	status_begin(status, "status.watcher", FINDING_SKIP);
	status_show(status);
	status_report(status, "%s",
		      rc == -ENODATA ? "not in this snapshot"
		      : enabled      ? "enabled; the system is not running"
				     : "not running, and not enabled");
}

/* Whether it works, by its file. */
static bool status_report_watcher(struct status_page *status, const struct watch_state *state)
{
	long long age = (long long)(time(NULL) - state->looked_at);
	bool live = host_is_live(status->host);
	bool stalled = live && age > 2 * WATCH_PERIOD_S;
	struct finding *finding = status_begin(status, "status.watcher",
					       stalled ? FINDING_WARN : FINDING_PASS);
	char when[48];

	if (live)
		snprintf(when, sizeof(when), "%lld s ago", age < 0 ? 0 : age);
	else
		status_event_time(state->looked_at, when);
	if (stalled)
		finding_reason(finding, "stalled");
	else
		status_show(status);
	finding_number(finding, "looked_at", (double)state->looked_at);
	if (live)
		finding_number(finding, "age_s", (double)(age < 0 ? 0 : age));
	finding_number(finding, "over_rdma", state->good);
	finding_number(finding, "lost", state->lost);
	finding_number(finding, "unknown", state->unknown);
	finding_text(finding, "libvirt", "%s", state->connected ? "connected" : "not connected");
	status_report(
		status,
		"last look %s; mounts, pools and disks: %u over RDMA, %u not, %u unknown; libvirt %s",
		when, state->good, state->lost, state->unknown,
		state->connected ? "connected" : "not connected");
	return !stalled;
}

static void status_report_event(struct status_page *status, const char *key, time_t at,
				const char *text, struct words *words)
{
	char when[32];

	if (!at)
		return;
	finding_number(&status->finding, !strcmp(key, "lost") ? "lost_at" : "back_at", (double)at);
	finding_text(&status->finding, key, "%s", text);
	words_add(words, "%s %s: %.200s", key, status_event_time(at, when), text);
}

/* NULL: there is no watcher. */
static void status_report_events(struct status_page *status, const struct watch_state *state)
{
	struct words words = { .separator = "; " };
	char when[32];

	status_begin(status, "status.events", FINDING_SKIP);
	if (!state) {
		status_report(status, "unknown without the watcher");
		return;
	}
	status_report_event(status, "lost", state->lost_at, state->lost_text, &words);
	status_report_event(status, "back", state->back_at, state->back_text, &words);
	status_show(status);
	if (words.count)
		status_report(status, "%s", words_text(&words));
	else
		status_report(status, "nothing since the watcher started at %s",
			      status_event_time(state->started_at, when));
}

static void status_watcher(struct status_page *status)
{
	struct watch_state state;
	int rc = watch_state_read(status->host, &state, NULL, NULL);

	if (rc)
		status_report_no_watcher(status, rc);
	else if (status_report_watcher(status, &state))
		/* What it sees itself. */
		watch_state_read(status->host, &state, report_collect, &status->collector);
	status_report_events(status, rc ? NULL : &state);
}

/* --- all ------------------------------------------------------------------------------------- */

void status_facts(struct status_page *status)
{
	status_host(status);
	status_ports(status);
	status_server(status);
	status_pools(status);
	status_guests(status);
	status_watcher(status);
}
