/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Findings of one pool: what its XML requests, the mistakes in it, and its actual
 * transport. libvirt compares source and target of a mount, never its transport, so it
 * shows a pool over TCP as running. */
#include <stdarg.h>

#include "plugin/report/shell.h"
#include "plugin/libvirt/internal.h"

struct pool_audit {
	const struct pool_seen *seen;
	const struct pool_facts *facts;
	struct pool_state state;
	struct opts *opts;            /* options that mount(8) gets; NULL: cannot be parsed */
	char source[POOL_SOURCE_MAX]; /* empty: incomplete */
	finding_sink sink;
	void *arg;
};

/* Completes the finding and reports it. */
static void pool_audit_send(struct pool_audit *audit, struct finding *finding, const char *reason)
{
	const struct pool_facts *facts = audit->facts;
	const struct pool_info *info = audit->seen->info;
	const char *name = info ? info->name : facts->name;
	const char *file = audit->seen->file;

	/* The names used by the steps of a reason. */
	if (name)
		finding_text(finding, "pool", "%s", name);
	if (*audit->source)
		finding_text(finding, "source", "%s", audit->source);
	if (facts->host)
		finding_text(finding, "server", "%s", facts->host);
	if (facts->target)
		finding_text(finding, "target", "%s", facts->target);
	if (file)
		finding_text(finding, "file", "%s", file);
	/* For programs that follow pools. */
	if (!strcmp(finding->id, "pool.transport") && info) {
		finding_text(finding, "state", "%s", info->active ? "running" : "stopped");
		finding_text(finding, "autostart", "%s", info->autostart ? "yes" : "no");
		if (*audit->source && facts->target) {
			finding_text(finding, "wanted", "%s", pool_state_wanted(&audit->state));
			finding_text(finding, "effective", "%s", audit->state.run_name);
		}
	}
	/* The commands used by steps, if the finding needs any. */
	if (reason) {
		name = facts->name ? facts->name : "";
		finding_reason(finding, reason);
		finding_text(finding, "edit", "%s %s", file ? "vi" : "virsh pool-edit",
			     SHELL_OPERAND(file ? file : name));
		finding_text(finding, "convert", "nfsrdma pool convert %s", SHELL_OPERAND(name));
	}
	audit->sink(audit->arg, finding);
}

/* @reason: NULL if it passes or was skipped. */
PRINTF_LIKE(5, 6)
static void pool_audit_say(struct pool_audit *audit, const char *id, enum finding_status status,
			   const char *reason, const char *fmt, ...)
{
	char text[FINDING_SUMMARY_MAX];
	_cleanup_(finding_fini) struct finding finding = { 0 };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_init(&finding, id, status, "%s", text);
	pool_audit_send(audit, &finding, reason);
}

static void pool_audit_begin(struct pool_audit *audit, const struct pool_seen *seen,
			     finding_sink sink, void *arg)
{
	*audit = (struct pool_audit){ .seen = seen, .sink = sink, .arg = arg };
	audit->facts = pool_xml_facts(seen->xml);
	if (pool_xml_source(seen->xml, audit->source, sizeof(audit->source)))
		*audit->source = '\0';
	if (pool_state_options(seen->xml, &audit->opts))
		audit->opts = NULL;
	pool_state(seen, &audit->state);
}

/* --- the definition ------------------------------------------------------------------------ */

static bool pool_audit_definition(struct pool_audit *audit)
{
	const struct pool_info *info = audit->seen->info;

	if (pool_xml_check(audit->seen->xml)) {
		pool_audit_say(audit, "pool.definition", FINDING_FAIL, err_reason(), "%s",
			       err_text());
		return false;
	}
	pool_audit_say(audit, "pool.definition", FINDING_PASS, NULL, "%s: %s on %s%s%s%s",
		       audit->facts->name, audit->source, audit->facts->target,
		       !info          ? ""
		       : info->active ? ", running"
				      : ", not running",
		       info && info->autostart ? ", autostart" : "",
		       info && !info->persistent ? ", transient" : "");
	return true;
}

static void pool_audit_namespace(struct pool_audit *audit)
{
	const char *ns = audit->facts->dropped_ns;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	if (!ns && audit->facts->noptions) {
		pool_audit_say(audit, "pool.namespace", FINDING_PASS, NULL,
			       "<mount_opts> is in libvirt's namespace");
		return;
	}
	if (!ns) {
		pool_audit_say(audit, "pool.namespace", FINDING_SKIP, NULL,
			       "the pool has no <mount_opts>");
		return;
	}
	finding_init(
		&finding, "pool.namespace", FINDING_FAIL,
		"<mount_opts> is in %s%.200s%s: libvirt drops it silently, and the pool is mounted over TCP",
		*ns ? "the namespace '" : "no namespace", ns, *ns ? "'" : "");
	if (*ns)
		finding_text(&finding, "namespace", "%.200s", ns);
	pool_audit_send(audit, &finding, *ns ? "wrong-namespace" : "no-namespace");
}

static void pool_audit_address(struct pool_audit *audit)
{
	const char *host = audit->facts->host;
	struct spec spec;

	if (*host != '[' && strchr(host, ':'))
		pool_audit_say(
			audit, "pool.address", FINDING_FAIL, "no-brackets",
			"the IPv6 address %.80s has no brackets: mount.nfs splits the source at the first colon",
			host);
	else if (spec_parse(audit->source, &spec))
		pool_audit_say(audit, "pool.address", FINDING_FAIL, "invalid", "%s", err_text());
	else if (spec.family == IP_V6)
		pool_audit_say(
			audit, "pool.address", FINDING_WARN, "brackets",
			"mount.nfs needs the brackets of %.80s, and libvirt's schema refuses them: define the pool without --validate",
			host);
	else
		pool_audit_say(audit, "pool.address", FINDING_PASS, NULL, "%.80s", host);
}

/* --- options --------------------------------------------------------------------------------- */

static bool pool_audit_begins(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

/* A change that the plan would make is a mistake. FINDING_PASS: the change is not about the
 * pool's options. */
static enum finding_status pool_audit_change_status(const struct plan_change *change)
{
	if (change->kind == PLAN_REPLACED && !strcmp(change->after, "proto=rdma6"))
		return FINDING_FAIL;
	if (change->kind == PLAN_REPLACED && pool_audit_begins(change->after, "proto="))
		return FINDING_WARN;
	if (change->kind == PLAN_ADDED && pool_audit_begins(change->after, "port="))
		return FINDING_WARN;
	return FINDING_PASS;
}

static void pool_audit_not_requested(struct pool_audit *audit)
{
	const struct pool_state *state = &audit->state;
	const char *name = audit->seen->file
				   ? *state->asked ? "other-transport-file" : "no-rdma-file"
			   : *state->asked ? "other-transport"
					   : "no-rdma";
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "pool.options", FINDING_FAIL, "%s%s%s%s%s",
		     *state->asked ? "the pool's options request "
				   : "no option of the pool requests RDMA",
		     state->asked, state->wanted.rdma ? ", but " : "",
		     state->wanted.rdma ? state->wanted.from : "",
		     state->wanted.rdma ? " requests RDMA" : "");
	finding_text(&finding, "asked", "%s", state->asked);
	pool_audit_send(audit, &finding, name);
}

static void pool_audit_plan(struct pool_audit *audit, const struct plan *plan, const char *text)
{
	enum finding_status status = FINDING_PASS, one;
	const char *why = NULL;
	char more[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < plan->nchanges && used < sizeof(more); i++) {
		const struct plan_change *change = &plan->changes[i];

		one = pool_audit_change_status(change);
		if (one == FINDING_PASS)
			continue;
		status = one > status ? one : status;
		used += (size_t)snprintf(more + used, sizeof(more) - used,
					 "; it should have %s: %s", change->after, change->reason);
	}
	if (status != FINDING_PASS)
		why = status == FINDING_FAIL ? "ipv6" : "weak";
	pool_audit_say(audit, "pool.options", status, why, "%.300s%s", text, more);
}

/* Options whose effect is not the apparent one. False: a finding was reported. */
static bool pool_audit_options_are_sound(struct pool_audit *audit)
{
	const struct opts *opts = audit->opts;
	size_t i;

	for (i = 0; opts && i < opts_count(opts); i++) {
		if (!pool_audit_begins(opts_at(opts, i).name, "nfsrdma."))
			continue;
		pool_audit_say(
			audit, "pool.options", FINDING_FAIL, "own-option",
			"'%.60s' is for mount.nfsrdma: libvirt mounts a pool by mount.nfs, and the kernel refuses the option",
			opts_at(opts, i).name);
		return false;
	}
	if (!opts || !opts_trimmed(opts))
		return true;
	pool_audit_say(
		audit, "pool.options", FINDING_FAIL, "blanks",
		"%u option%s blanks around: mount.nfs passes them to the kernel, which refuses such options",
		opts_trimmed(opts), opts_trimmed(opts) == 1 ? " has" : "s have");
	return false;
}

static void pool_audit_options(struct pool_audit *audit)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	_cleanup_free_ char *text = NULL;
	struct plan_request request = { .spec = audit->source,
					.dir = audit->facts->target,
					.policies = audit->seen->view
							    ? view_policies(audit->seen->view)
							    : NULL };

	if (pool_xml_options(audit->seen->xml, &text)) {
		pool_audit_say(audit, "pool.options", FINDING_UNKNOWN, "unreadable", "%s",
			       err_text());
		return;
	}
	if (!pool_audit_options_are_sound(audit))
		return;
	if (audit->state.wanted.covered && !audit->state.wanted.rdma) {
		pool_audit_say(audit, "pool.options", FINDING_SKIP, NULL, "the policy is off (%s)",
			       audit->state.wanted.from);
		return;
	}
	request.options = text;
	if (audit->opts && !view_is_rdma(audit->state.asked))
		pool_audit_not_requested(audit);
	else if (plan_make(&plan, &request))
		pool_audit_say(audit, "pool.options", FINDING_FAIL, "contradiction", "%s",
			       err_text());
	else
		pool_audit_plan(audit, plan, text);
}

static void pool_audit_version(struct pool_audit *audit)
{
	unsigned int n = audit->opts ? pool_state_versions(audit->opts) : 1;
	const char *version = audit->facts->version;

	if (n > 1)
		pool_audit_say(audit, "pool.version", FINDING_FAIL, "two",
			       "%u options give a version%s; mount.nfs accepts one", n,
			       version ? ", <protocol ver> among them" : "");
	else if (!n)
		pool_audit_say(audit, "pool.version", FINDING_WARN, "none",
			       "no version is given: mount.nfs tries 4.2, 4.1, 4.0, then NFSv3");
	else
		pool_audit_say(audit, "pool.version", FINDING_PASS, NULL, "%s%.20s",
			       version ? "NFSv" : "given by an option", version ? version : "");
}

/* --- unused settings ---------------------------------------------------------- */

static void pool_audit_host_port(struct pool_audit *audit)
{
	const char *port = audit->facts->host_port;
	ssize_t at = audit->opts ? opts_find(audit->opts, "port") : -1;
	const char *option = at < 0 ? NULL : opts_at(audit->opts, (size_t)at).value;

	if (!port)
		pool_audit_say(audit, "pool.host-port", FINDING_SKIP, NULL, "<host> has no port");
	else if (option && !strcmp(option, port))
		pool_audit_say(audit, "pool.host-port", FINDING_PASS, NULL,
			       "<host port='%.20s'/> is not used for NFS; the option port=%.20s is",
			       port, option);
	else
		pool_audit_say(audit, "pool.host-port", FINDING_WARN, "not-used",
			       "<host port='%.20s'/> is not used for NFS; %s%.20s%s", port,
			       option ? "the option port=" : "no option port= sets it",
			       option ? option : "", option ? " applies" : "");
}

static void pool_audit_auth(struct pool_audit *audit)
{
	if (audit->facts->auth)
		pool_audit_say(audit, "pool.auth", FINDING_WARN, "not-used",
			       "<auth> is not used for NFS: the pool is mounted without it");
	else
		pool_audit_say(audit, "pool.auth", FINDING_SKIP, NULL, "the pool has no <auth>");
}

/* --- the transport ---------------------------------------------------------------------- */

/* A mount of the same server and version over TCP, whose connection NFSv4.1 shares. */
static const struct nfs_mount *pool_audit_find_sharer(const struct pool_audit *audit)
{
	const struct nfs_mounts *mounts = view_nfs(audit->seen->view);
	const struct nfs_mount *mine = audit->state.mount->mount;
	unsigned int i;

	for (i = 0; i < mounts->count; i++) {
		const struct nfs_mount *other = &mounts->list[i];

		if (other != mine && *mine->addr && !strcmp(other->addr, mine->addr) &&
		    !strcmp(other->vers, mine->vers) && !view_is_rdma(other->proto) &&
		    strcmp(mine->vers, "4.0") && *mine->vers == '4')
			return other;
	}
	return NULL;
}

/* What requests it, as a clause. */
static const char *pool_audit_requester(const struct view_wanted *wanted,
					char buf[POLICY_FROM_MAX + 32])
{
	if (wanted->by == BY_POOL)
		snprintf(buf, POLICY_FROM_MAX + 32, "its options request RDMA");
	else
		snprintf(buf, POLICY_FROM_MAX + 32, "%.200s %s RDMA", wanted->from,
			 view_verb(wanted));
	return buf;
}

static void pool_audit_not_rdma(struct pool_audit *audit)
{
	const struct pool_state *state = &audit->state;
	const struct nfs_mount *mount = state->mount->mount;
	const struct nfs_mount *sharer = pool_audit_find_sharer(audit);
	char buf[POLICY_FROM_MAX + 32];
	_cleanup_(finding_fini) struct finding finding = { 0 };

	if (state->state == VIEW_CALM && state->wanted.covered) {
		pool_audit_say(audit, "pool.transport", FINDING_PASS, NULL,
			       "%s: over %s; the policy is off (%s)", audit->facts->name,
			       state->run_name, state->wanted.from);
		return;
	}
	if (state->state == VIEW_CALM) {
		pool_audit_say(audit, "pool.transport", FINDING_PASS, NULL,
			       "%s: over %s, as requested", audit->facts->name, state->run_name);
		return;
	}
	if (!sharer) {
		pool_audit_say(audit, "pool.transport", view_status(state->state), "not-rdma",
			       "%s: over %s, but %s", audit->facts->name, state->run_name,
			       pool_audit_requester(&state->wanted, buf));
		return;
	}
	finding_init(
		&finding, "pool.transport", view_status(state->state),
		"%s: over %s, but %s: NFSv%s to %s shares the connection of the mount on %s, which is over %s",
		audit->facts->name, state->run_name, pool_audit_requester(&state->wanted, buf),
		mount->vers, mount->addr, sharer->target, sharer->proto);
	finding_text(&finding, "shares_with", "%s", sharer->target);
	finding_text(&finding, "nfs_version", "%s", mount->vers);
	pool_audit_send(audit, &finding, "shared-connection");
}

static void pool_audit_rdma(struct pool_audit *audit)
{
	const struct pool_state *state = &audit->state;

	pool_audit_say(audit, "pool.transport", FINDING_PASS, NULL, "%s: over RDMA (%s, NFSv%s)%s",
		       audit->facts->name, state->mount->mount->proto, state->mount->mount->vers,
		       state->wanted.rdma ? "" : ", not requested");
}

/* Over RDMA it may be the same export under another name. */
static void pool_audit_other(struct pool_audit *audit)
{
	const struct pool_state *state = &audit->state;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	finding_init(&finding, "pool.transport", pool_state_other(state),
		     "%s: %s is mounted on %s over %s, not %s", audit->facts->name,
		     state->mount->mount->fs_spec, audit->facts->target,
		     view_run_name(state->mount->mount), audit->source);
	finding_text(&finding, "mounted", "%s", state->mount->mount->fs_spec);
	pool_audit_send(audit, &finding, "other-source");
}

static void pool_audit_unknown(struct pool_audit *audit)
{
	bool mounted = audit->state.mount;

	if (mounted && audit->state.state == VIEW_CALM)
		pool_audit_say(audit, "pool.transport", FINDING_SKIP, NULL,
			       "%s: mountinfo gives no transport; RDMA is not requested",
			       audit->facts->name);
	else if (mounted)
		pool_audit_say(audit, "pool.transport", FINDING_UNKNOWN, "no-transport",
			       "%s: mountinfo gives no transport for %s", audit->facts->name,
			       audit->facts->target);
	else
		pool_audit_say(audit, "pool.transport", FINDING_UNKNOWN, "not-visible",
			       "%s: the mount on %s cannot be seen from here", audit->facts->name,
			       audit->facts->target);
}

static void pool_audit_actual_transport(struct pool_audit *audit)
{
	const char *name = audit->facts->name;

	if (!audit->seen->info) {
		pool_audit_say(audit, "pool.transport", FINDING_SKIP, NULL,
			       "a file, not a pool of libvirt");
		return;
	}
	if (!*audit->source) {
		pool_audit_say(audit, "pool.transport", FINDING_SKIP, NULL, "%s: not an NFS pool",
			       audit->seen->info->name);
		return;
	}
	if (!audit->seen->info->active) {
		pool_audit_say(audit, "pool.transport", FINDING_SKIP, NULL,
			       "%s: not running; requests %s", name,
			       audit->state.wanted.rdma ? "RDMA" : "TCP");
		return;
	}
	switch (audit->state.run) {
	case POOL_RUN_UNKNOWN: pool_audit_unknown(audit); return;
	case POOL_RUN_NOTHING:
		pool_audit_say(
			audit, "pool.transport", FINDING_FAIL, "not-mounted",
			"%s: libvirt shows it as running, but no NFS is mounted on %s: images there are on a local disk",
			name, audit->facts->target);
		return;
	case POOL_RUN_OTHER: pool_audit_other(audit); return;
	case POOL_RUN_RDMA: pool_audit_rdma(audit); return;
	case POOL_RUN_TCP:
	case POOL_RUN_MIXED: pool_audit_not_rdma(audit); return;
	}
}

void pool_audit_transport(const struct pool_seen *seen, finding_sink sink, void *arg)
{
	struct pool_audit audit;

	pool_audit_begin(&audit, seen, sink, arg);
	pool_audit_actual_transport(&audit);
	opts_free(audit.opts);
}

void pool_audit(const struct pool_seen *seen, finding_sink sink, void *arg)
{
	struct pool_audit audit;

	pool_audit_begin(&audit, seen, sink, arg);
	if (pool_audit_definition(&audit)) {
		pool_audit_namespace(&audit);
		pool_audit_address(&audit);
		pool_audit_options(&audit);
		pool_audit_version(&audit);
		pool_audit_host_port(&audit);
		pool_audit_auth(&audit);
		pool_audit_actual_transport(&audit);
	}
	opts_free(audit.opts);
}
