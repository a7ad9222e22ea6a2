/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Changes one pool from a definition to another: redefines, stops and starts it, then
 * checks its mount, since libvirt also shows a pool over TCP as running. If a step fails,
 * everything is restored. A pool is never unmounted while running guests use it: then only
 * the definition changes, if at all. Signals are blocked until the end. */
#include <signal.h>
#include <stdarg.h>

#include "plugin/libvirt/internal.h"

/* Completes the finding and reports it. */
static void switch_send(struct pool_switch *change, struct finding *finding, const char *reason)
{
	const struct pool_facts *facts = change->xml ? pool_xml_facts(change->xml) : NULL;
	char source[POOL_SOURCE_MAX];

	finding_reason(finding, reason);
	/* The names used by the steps of a reason. */
	finding_text(finding, "uri", "%s", change->changer->uri);
	if (change->info.name)
		finding_text(finding, "pool", "%s", change->info.name);
	if (facts && facts->target)
		finding_text(finding, "target", "%s", facts->target);
	if (facts && !pool_xml_source(change->xml, source, sizeof(source)))
		finding_text(finding, "source", "%s", source);
	change->changer->sink(change->changer->arg, finding);
}

void pool_switch_report(struct pool_switch *change, const char *id, enum finding_status status,
			const char *reason, const char *fmt, ...)
{
	char text[FINDING_SUMMARY_MAX];
	_cleanup_(finding_fini) struct finding finding = { 0 };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_init(&finding, id, status, "%s", text);
	switch_send(change, &finding, reason);
}

const char *pool_change_reason(int rc, const char *reason)
{
	static const struct {
		int rc;
		const char *reason;
	} rows[] = {
		{ -ETIMEDOUT, "silent" },
		{ -EACCES, "denied" },
		{ -ENOMEM, "no-memory" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].rc == rc)
			return rows[i].reason;
	return reason;
}

/* A step that libvirt refused or has not answered. */
int pool_switch_failed(struct pool_switch *change, const char *id, const char *reason,
		       const char *what, int rc)
{
	pool_switch_report(change, id, rc == -ETIMEDOUT ? FINDING_UNKNOWN : FINDING_FAIL,
			   pool_change_reason(rc, *err_reason() ? err_reason() : reason), "%s: %s",
			   what, err_text());
	return rc;
}

void pool_switch_fini(struct pool_switch *change)
{
	pool_info_fini(&change->info);
	pool_xml_free(change->xml);
}

/* --- present state ------------------------------------------------------------ */

int pool_switch_read(struct pool_switch *change, const char *name)
{
	struct pool_changer *changer = change->changer;
	int rc = changer->ops->get(changer->conn, changer->deadline, name, &change->info);

	if (rc == -ENOENT)
		return err_because(err_set(ENOENT, "%s has no pool '%.60s'", changer->uri, name),
				   "unknown-pool");
	rc = rc ? rc : pool_xml_parse(&change->xml, change->info.xml, strlen(change->info.xml));
	rc = rc ? rc : pool_xml_check(change->xml);
	if (!rc && !change->info.persistent)
		rc = err_because(
			err_set(EINVAL, "the pool is transient: libvirt forgets it when it stops"),
			"transient");
	change->run = change->info.active;
	return err_context(rc, "pool %.60s", name);
}

/* Reads the state of the pool's mount. @audit: also reports it as a finding. */
int pool_switch_mount(struct pool_switch *change, bool audit, struct pool_state *state,
		      char version[8])
{
	struct pool_changer *changer = change->changer;
	_cleanup_(view_places_fini) struct view_places places = { .count = 0 };
	_cleanup_(view_close_p) struct view *view = NULL;
	const struct view_sources sources = { .host = changer->host,
					      .now = now_ms(),
					      .pools = &places,
					      .policies = changer->policies };
	struct pool_seen seen = { .xml = change->xml,
				  .info = &change->info,
				  .target = pool_xml_facts(change->xml)->target };
	char target[4096];
	int rc = pool_place_add(&places, change->xml, NULL, change->info.active);

	if (!rc)
		rc = view_open(&view, &sources);
	if (rc)
		return rc;
	seen.view = view;
	if (!pool_target_resolve(changer->host, seen.target, target, sizeof(target)))
		seen.target = target;
	pool_state(&seen, state);
	str_copy(version, 8, state->mount ? state->mount->mount->vers : "");
	if (audit)
		pool_audit_transport(&seen, changer->sink, changer->arg);
	state->mount = NULL;
	return 0;
}

/* --- guests -------------------------------------------------------------------------------- */

struct switch_users {
	unsigned int count;
	char first[64], names[256];
};

static void switch_find_users(const struct pool_switch *change, const struct pool_guests *guests,
			      struct switch_users *out)
{
	const struct pool_facts *facts = pool_xml_facts(change->xml);
	size_t used = 0, i;

	*out = (struct switch_users){ .count = 0 };
	for (i = 0; i < guests->count; i++) {
		const char *name = guests->list[i].name;

		if (!pool_guests_uses(guests->list[i].xml, facts->name, facts->target))
			continue;
		if (used < sizeof(out->names))
			used += (size_t)snprintf(out->names + used, sizeof(out->names) - used,
						 "%s%.60s", out->count ? ", " : "", name);
		if (!out->count)
			str_copy(out->first, sizeof(out->first), name);
		out->count++;
	}
}

static void switch_report_users(struct pool_switch *change, const struct switch_users *users)
{
	bool force = change->changer->force;
	const char *verb = users->count == 1 ? " runs" : "s run";
	_cleanup_(finding_fini) struct finding finding = { 0 };

	if (force)
		finding_init(
			&finding, "pool.guests", FINDING_WARN,
			"%u guest%s on the pool (%s): only the definition changes, the mount stays",
			users->count, verb, users->names);
	else
		finding_init(
			&finding, "pool.guests", FINDING_FAIL,
			"%u guest%s on the pool (%s): shut down or migrate %s, or change only the definition with --force",
			users->count, verb, users->names, users->count == 1 ? "it" : "them");
	finding_text(&finding, "guests", "%s", users->names);
	finding_text(&finding, "guest", "%s", users->first);
	finding_text(&finding, "action", "%s", change->action);
	switch_send(change, &finding, force ? "later" : "running");
}

/* Returns 0, or -EBUSY if the pool must not be changed; a finding has the reason. */
int pool_switch_guests(struct pool_switch *change)
{
	struct pool_changer *changer = change->changer;
	struct pool_guests guests = { .count = 0 };
	struct switch_users users;
	_cleanup_(finding_fini) struct finding finding = { 0 };
	int rc;

	if (!change->info.active)
		return 0;
	rc = changer->ops->guests(changer->conn, changer->deadline, &guests);
	if (rc) {
		finding_init(&finding, "pool.guests",
			     changer->force ? FINDING_WARN : FINDING_UNKNOWN,
			     "the guests at %s could not be listed: %s%s", changer->uri, err_text(),
			     changer->force ? "" : "; --force goes on without");
		finding_text(&finding, "action", "%s", change->action);
		switch_send(change, &finding, pool_change_reason(rc, "not-asked"));
		return changer->force && rc != -ETIMEDOUT ? 0 : -EBUSY;
	}
	switch_find_users(change, &guests, &users);
	pool_guests_fini(&guests);
	change->later = users.count > 0;
	if (users.count)
		switch_report_users(change, &users);
	else
		pool_switch_report(change, "pool.guests", FINDING_PASS, "",
				   "no guest runs on the pool");
	return users.count && !changer->force ? -EBUSY : 0;
}

/* --- steps ---------------------------------------------------------------------------------- */

/* libvirt before 5.1 does not support mount options, and its test driver drops them. */
int pool_switch_check_kept(struct pool_switch *change, const char *to)
{
	_cleanup_(pool_xml_free_p) struct pool_xml *wanted = NULL, *taken = NULL;
	_cleanup_(pool_info_fini) struct pool_info info = { .name = NULL };
	_cleanup_free_ char *a = NULL, *b = NULL;
	struct pool_changer *changer = change->changer;
	int rc = pool_xml_parse(&wanted, to, strlen(to));

	rc = rc ? rc
		: changer->ops->get(changer->conn, changer->deadline, pool_xml_facts(wanted)->name,
				    &info);
	rc = rc ? rc : pool_xml_parse(&taken, info.xml, strlen(info.xml));
	rc = rc ? rc : pool_xml_options(wanted, &a);
	rc = rc ? rc : pool_xml_options(taken, &b);
	if (!rc && strcmp(a, b))
		return err_because(
			err_set(EPROTO,
				"libvirt kept '%.200s' of the mount options '%.200s'; versions before 5.1, and the test driver, drop them",
				b, a),
			"options-dropped");
	if (rc)
		return rc;
	pool_xml_free(change->xml);
	change->xml = take_ptr(taken);
	return 0;
}

static int switch_define(struct pool_switch *change, const char *to)
{
	struct pool_changer *changer = change->changer;
	int rc = changer->ops->define(changer->conn, changer->deadline, to, change->prove);

	if (!rc)
		rc = pool_switch_check_kept(change, to);
	if (rc)
		return pool_switch_failed(change, "pool.definition", "refused",
					  "libvirt refused the definition", rc);
	pool_switch_report(change, "pool.definition", FINDING_PASS, "",
			   "libvirt accepted the definition");
	return 0;
}

static int switch_stop(struct pool_switch *change)
{
	struct pool_changer *changer = change->changer;
	int rc = changer->ops->stop(changer->conn, changer->deadline, change->info.name);

	if (rc)
		return pool_switch_failed(change, "pool.restart", "no-stop",
					  "libvirt cannot stop the pool", rc);
	change->info.active = false;
	return 0;
}

static int switch_start(struct pool_switch *change)
{
	struct pool_changer *changer = change->changer;
	int rc = changer->ops->start(changer->conn, changer->deadline, change->info.name);

	if (rc)
		return pool_switch_failed(change, "pool.restart", "no-start",
					  "libvirt cannot start the pool", rc);
	change->info.active = true;
	change->fresh = true;
	pool_switch_report(change, "pool.restart", FINDING_PASS, "",
			   "libvirt started the pool with it");
	return 0;
}

/* Reported as pool.transport. */
static int switch_prove(struct pool_switch *change)
{
	struct pool_state state;
	char version[8];
	int rc = pool_switch_mount(change, true, &state, version);

	if (rc) {
		pool_switch_report(change, "pool.transport", FINDING_UNKNOWN, "not-visible",
				   "the mounts of this host cannot be read: %s", err_text());
		return change->prove ? rc : 0;
	}
	return change->prove && state.run != POOL_RUN_RDMA ? -EPROTO : 0;
}

/* A redefinition should keep it; if it does not, the pool would not start at boot. */
static int switch_keep_autostart(struct pool_switch *change)
{
	_cleanup_(pool_info_fini) struct pool_info info = { .name = NULL };
	struct pool_changer *changer = change->changer;
	int rc = changer->ops->get(changer->conn, changer->deadline, change->info.name, &info);

	if (!rc && info.autostart != change->info.autostart)
		rc = changer->ops->autostart(changer->conn, changer->deadline, change->info.name,
					     change->info.autostart);
	return rc ? pool_switch_failed(change, "pool.definition", "autostart",
				       "autostart was lost, and cannot be set again", rc)
		  : 0;
}

static int switch_steps(struct pool_switch *change, const char *to)
{
	bool ran = change->info.active;
	int rc = switch_define(change, to);

	if (rc)
		return rc;
	if (change->later) {
		pool_switch_report(change, "pool.restart", FINDING_SKIP, "",
				   "the definition takes effect when the pool is started again");
		return switch_keep_autostart(change);
	}
	rc = ran ? switch_stop(change) : 0;
	/* A pool that did not run is started to test it, and stopped again. */
	if (!rc && (change->run || change->prove)) {
		rc = switch_start(change);
		if (!rc)
			rc = switch_prove(change);
	}
	if (!rc)
		rc = switch_keep_autostart(change);
	if (!rc && change->info.active && !change->run)
		rc = switch_stop(change);
	return rc;
}

/* --- rollback ----------------------------------------------------------------- */

/* Earlier findings say which step was refused. The old definition is not validated: libvirt
 * accepted it before. */
static int switch_roll_back(struct pool_switch *change, const char *from, bool ran)
{
	struct pool_changer *changer = change->changer;
	const char *name = change->info.name;
	int rc = 0;

	if (change->fresh && change->info.active) {
		rc = changer->ops->stop(changer->conn, changer->deadline, name);
		change->info.active = rc;
	}
	rc = rc ? rc : changer->ops->define(changer->conn, changer->deadline, from, false);
	if (!rc && ran && !change->info.active)
		rc = changer->ops->start(changer->conn, changer->deadline, name);
	if (rc)
		pool_switch_report(
			change, "pool.rollback", rc == -ETIMEDOUT ? FINDING_UNKNOWN : FINDING_FAIL,
			rc == -ETIMEDOUT ? "silent" : "failed",
			"the pool did not get its former definition back: %s", err_text());
	else
		pool_switch_report(change, "pool.rollback", FINDING_PASS, "",
				   "the pool has its former definition%s", ran ? ", and runs" : "");
	return rc;
}

/* Returns 0; 1 if the former definition was restored; -errno if neither succeeded. Findings
 * report each step. */
int pool_switch_to(struct pool_switch *change, const char *to)
{
	bool ran = change->run;
	sigset_t set, old;
	int rc;

	signals_that_end(&set);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	rc = switch_steps(change, to);
	if (rc) {
		rc = switch_roll_back(change, change->info.xml, ran);
		if (!rc)
			rc = 1;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}
