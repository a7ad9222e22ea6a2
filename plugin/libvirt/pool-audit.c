/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What is to be said of one pool: what its XML asks for, and the traps in it, what it runs over.
 * libvirt looks at source and target of a mount and never at its transport, so a pool that came up
 * over TCP is a pool like any other to it. */
#include <stdarg.h>

#include "plugin/report/shell.h"
#include "plugin/libvirt/internal.h"

struct audit {
	const struct pool_seen *seen;
	const struct pool_facts *facts;
	struct pool_state state;
	struct opts *opts;            /* what mount(8) is given; NULL: makes no sense */
	char source[POOL_SOURCE_MAX]; /* empty: makes no sense */
	finding_sink sink;
	void *arg;
};

static void say(struct audit *audit, const char *id, enum finding_status status,
		const char *fmt, ...) PRINTF_LIKE(4, 5);

/* For programs that follow pools. */
static void add_evidence(const struct audit *audit, struct finding *finding)
{
	const struct pool_info *info = audit->seen->info;

	if (!info)
		return;
	finding_text(finding, "pool", "%s", info->name);
	finding_text(finding, "state", "%s", info->active ? "running" : "stopped");
	finding_text(finding, "autostart", "%s", info->autostart ? "yes" : "no");
	if (!*audit->source || !audit->facts->target)
		return;
	finding_text(finding, "source", "%s", audit->source);
	finding_text(finding, "target", "%s", audit->facts->target);
	finding_text(finding, "wanted", "%s", pool_state_wanted(&audit->state));
	finding_text(finding, "effective", "%s", audit->state.run_name);
}

static void say(struct audit *audit, const char *id, enum finding_status status,
		const char *fmt, ...)
{
	char text[FINDING_SUMMARY_MAX];
	struct finding finding;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_init(&finding, id, status, "%s", text);
	if (!strcmp(id, "pool.transport"))
		add_evidence(audit, &finding);
	audit->sink(audit->arg, &finding);
}

static void begin(struct audit *audit, const struct pool_seen *seen, finding_sink sink,
		  void *arg)
{
	*audit = (struct audit){ .seen = seen, .sink = sink, .arg = arg };
	audit->facts = pool_xml_facts(seen->xml);
	if (pool_xml_source(seen->xml, audit->source, sizeof(audit->source)))
		*audit->source = '\0';
	if (pool_state_options(seen->xml, &audit->opts))
		audit->opts = NULL;
	pool_state(seen, &audit->state);
}

/* --- the definition ------------------------------------------------------------------------ */

static bool audit_definition(struct audit *audit)
{
	const struct pool_info *info = audit->seen->info;

	if (pool_xml_check(audit->seen->xml)) {
		say(audit, "pool.definition", FINDING_FAIL, "%s", err_text());
		return false;
	}
	say(audit, "pool.definition", FINDING_PASS, "%s: %s on %s%s%s%s",
	    audit->facts->name, audit->source, audit->facts->target,
	    !info          ? ""
	    : info->active ? ", running"
			   : ", not running",
	    info && info->autostart ? ", starts by itself" : "",
	    info && !info->persistent ? ", gone when it is stopped" : "");
	return true;
}

static void audit_namespace(struct audit *audit)
{
	const char *ns = audit->facts->dropped_ns;

	if (ns)
		say(audit, "pool.namespace", FINDING_FAIL,
		    "<mount_opts> is of %s%.200s%s: libvirt drops it without a word, and the pool is plain NFS",
		    *ns ? "the namespace '" : "no namespace", ns, *ns ? "'" : "");
	else if (audit->facts->noptions)
		say(audit, "pool.namespace", FINDING_PASS,
		    "<mount_opts> is of libvirt's namespace");
	else
		say(audit, "pool.namespace", FINDING_SKIP,
		    "the pool has no <mount_opts>");
}

static void audit_address(struct audit *audit)
{
	const char *host = audit->facts->host;
	struct spec spec;

	if (*host != '[' && strchr(host, ':'))
		say(audit, "pool.address", FINDING_FAIL,
		    "the IPv6 address %.80s stands without brackets: mount.nfs splits at the first colon, and finds no server",
		    host);
	else if (spec_parse(audit->source, &spec))
		say(audit, "pool.address", FINDING_FAIL, "%s", err_text());
	else if (spec.family == IP_V6)
		say(audit, "pool.address", FINDING_WARN,
		    "%.80s in brackets is right for mount.nfs, and libvirt's schema refuses it: define such a pool without --validate",
		    host);
	else
		say(audit, "pool.address", FINDING_PASS, "%.80s", host);
}

/* --- options --------------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

/* What the plan would change is what is wrong. FINDING_PASS: it is nothing of the pool's. */
static enum finding_status judge_change(const struct plan_change *change)
{
	if (change->kind == PLAN_REPLACED && !strcmp(change->after, "proto=rdma6"))
		return FINDING_FAIL;
	if (change->kind == PLAN_REPLACED && begins(change->after, "proto="))
		return FINDING_WARN;
	if (change->kind == PLAN_ADDED && begins(change->after, "port="))
		return FINDING_WARN;
	return FINDING_PASS;
}

static void say_plain(struct audit *audit)
{
	const struct pool_state *state = &audit->state;

	say(audit, "pool.options", FINDING_FAIL, "%s%s%s%s%s: nfsrdma pool convert %s",
	    *state->asked ? "the pool's options ask for "
			  : "nothing among the pool's options asks for RDMA",
	    state->asked, state->wanted.rdma ? ", and " : "",
	    state->wanted.rdma ? state->wanted.from : "",
	    state->wanted.rdma ? " wants RDMA" : "", SHELL_OPERAND(audit->facts->name));
}

static void audit_plan(struct audit *audit, const struct plan *plan, const char *text)
{
	enum finding_status status = FINDING_PASS, one;
	char more[512] = "";
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < plan->nchanges && used < sizeof(more); i++) {
		const struct plan_change *change = &plan->changes[i];

		one = judge_change(change);
		if (one == FINDING_PASS)
			continue;
		status = one > status ? one : status;
		used += (size_t)snprintf(more + used, sizeof(more) - used,
					 "; it should have %s: %s", change->after,
					 change->reason);
	}
	say(audit, "pool.options", status, "%.300s%s", text, more);
}

/* What keeps the options from meaning what they seem to; false: it is told. */
static bool options_are_sound(struct audit *audit)
{
	const struct opts *opts = audit->opts;
	size_t i;

	for (i = 0; opts && i < opts_count(opts); i++) {
		if (!begins(opts_at(opts, i).name, "nfsrdma."))
			continue;
		say(audit, "pool.options", FINDING_FAIL,
		    "'%.60s' is for mount.nfsrdma: a pool is mounted by mount.nfs, and the kernel refuses it",
		    opts_at(opts, i).name);
		return false;
	}
	if (!opts || !opts_trimmed(opts))
		return true;
	say(audit, "pool.options", FINDING_FAIL,
	    "%u option%s blanks around: mount.nfs hands them to the kernel, which knows no such option",
	    opts_trimmed(opts), opts_trimmed(opts) == 1 ? " has" : "s have");
	return false;
}

static void audit_options(struct audit *audit)
{
	_cleanup_(plan_free_p) struct plan *plan = NULL;
	_cleanup_free_ char *text = NULL;
	struct plan_request request = {
		.spec = audit->source,
		.dir = audit->facts->target,
		.policies = audit->seen->view ? view_policies(audit->seen->view) : NULL
	};

	if (pool_xml_options(audit->seen->xml, &text)) {
		say(audit, "pool.options", FINDING_UNKNOWN, "%s", err_text());
		return;
	}
	if (!options_are_sound(audit))
		return;
	if (audit->state.wanted.covered && !audit->state.wanted.rdma) {
		say(audit, "pool.options", FINDING_SKIP, "the policy is off (%s)",
		    audit->state.wanted.from);
		return;
	}
	request.options = text;
	if (audit->opts && !view_is_rdma(audit->state.asked))
		say_plain(audit);
	else if (plan_make(&plan, &request))
		say(audit, "pool.options", FINDING_FAIL, "%s", err_text());
	else
		audit_plan(audit, plan, text);
}

static void audit_version(struct audit *audit)
{
	unsigned int n = audit->opts ? pool_state_versions(audit->opts) : 1;
	const char *version = audit->facts->version;

	if (n > 1)
		say(audit, "pool.version", FINDING_FAIL,
		    "%u options name a version%s: mount.nfs takes one", n,
		    version ? ", <protocol ver> among them" : "");
	else if (!n)
		say(audit, "pool.version", FINDING_WARN,
		    "none is named: mount.nfs tries 4.2, 4.1, 4.0 and then NFSv3, unasked");
	else
		say(audit, "pool.version", FINDING_PASS, "%s%.20s",
		    version ? "NFSv" : "named by an option", version ? version : "");
}

/* --- what is written and not used ------------------------------------------------------------- */

static void audit_host_port(struct audit *audit)
{
	const char *port = audit->facts->host_port;
	ssize_t at = audit->opts ? opts_find(audit->opts, "port") : -1;
	const char *option = at < 0 ? NULL : opts_at(audit->opts, (size_t)at).value;

	if (!port)
		say(audit, "pool.host-port", FINDING_SKIP, "<host> has no port");
	else if (option && !strcmp(option, port))
		say(audit, "pool.host-port", FINDING_PASS,
		    "<host port='%.20s'/> is not used for NFS; the option port=%.20s is",
		    port, option);
	else
		say(audit, "pool.host-port", FINDING_WARN,
		    "<host port='%.20s'/> is not used for NFS: %s%.20s%s", port,
		    option ? "the option port=" : "no option port= names one",
		    option ? option : "", option ? " counts" : "");
}

static void audit_auth(struct audit *audit)
{
	if (audit->facts->auth)
		say(audit, "pool.auth", FINDING_WARN,
		    "<auth> is not used for NFS: the pool is mounted without it");
	else
		say(audit, "pool.auth", FINDING_SKIP, "the pool has no <auth>");
}

/* --- what it runs over ---------------------------------------------------------------------- */

/* A mount of the same server and version over TCP, whose connection NFSv4.1 shares. */
static const struct nfs_mount *find_sharer(const struct audit *audit)
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

/* Who wants it, as a clause. */
static const char *who(const struct view_wanted *wanted, char buf[POLICY_FROM_MAX + 32])
{
	if (wanted->by == BY_POOL)
		snprintf(buf, POLICY_FROM_MAX + 32, "its options ask for RDMA");
	else
		snprintf(buf, POLICY_FROM_MAX + 32, "%.200s %s RDMA", wanted->from,
			 view_verb(wanted));
	return buf;
}

static void say_not_rdma(struct audit *audit)
{
	const struct pool_state *state = &audit->state;
	const struct nfs_mount *sharer = find_sharer(audit);
	enum finding_status status = view_status(state->state);
	char buf[POLICY_FROM_MAX + 32];

	if (state->state == VIEW_CALM && state->wanted.covered)
		say(audit, "pool.transport", status, "%s: over %s; policy off by %s",
		    audit->facts->name, state->run_name, state->wanted.from);
	else if (state->state == VIEW_CALM)
		say(audit, "pool.transport", status,
		    "%s: plain NFS over %s, as it asks for", audit->facts->name,
		    state->run_name);
	else if (sharer)
		say(audit, "pool.transport", status,
		    "%s: over %s, though %s: NFSv%s to %s goes over the connection of the mount on %s, which is over %s",
		    audit->facts->name, state->run_name, who(&state->wanted, buf),
		    state->mount->mount->vers, state->mount->mount->addr, sharer->target,
		    sharer->proto);
	else
		say(audit, "pool.transport", status, "%s: over %s, though %s",
		    audit->facts->name, state->run_name, who(&state->wanted, buf));
}

static void say_rdma(struct audit *audit)
{
	const struct pool_state *state = &audit->state;

	if (state->state == VIEW_CALM || state->state == VIEW_GOOD)
		say(audit, "pool.transport", FINDING_PASS, "%s: over RDMA (%s, NFSv%s)%s",
		    audit->facts->name, state->mount->mount->proto,
		    state->mount->mount->vers,
		    state->wanted.rdma ? "" : ", though nothing asks for it");
	else
		say(audit, "pool.transport", view_status(state->state),
		    "%s: over RDMA by mountinfo, and not proven (%.160s)",
		    audit->facts->name, state->mount->why);
}

/* Over RDMA it may be the same by another name; and where nobody wants RDMA it is nobody's loss. */
static void say_other(struct audit *audit)
{
	const struct pool_state *state = &audit->state;

	say(audit, "pool.transport", pool_state_other(state),
	    "%s: %s is mounted on %s over %s, not %s", audit->facts->name,
	    state->mount->mount->fs_spec, audit->facts->target,
	    view_run_name(state->mount->mount), audit->source);
}

static void say_unknown(struct audit *audit)
{
	if (audit->state.mount && audit->state.state == VIEW_CALM)
		say(audit, "pool.transport", FINDING_SKIP,
		    "%s: mountinfo names no transport; nobody asks for RDMA",
		    audit->facts->name);
	else
		say(audit, "pool.transport", FINDING_UNKNOWN,
		    "%s: what is mounted on %s cannot be seen here", audit->facts->name,
		    audit->facts->target);
}

/* Of a pool that libvirt takes for running. */
static void audit_running(struct audit *audit)
{
	const char *name = audit->facts->name;

	switch (audit->state.run) {
	case POOL_RUN_UNKNOWN: say_unknown(audit); return;
	case POOL_RUN_NOTHING:
		say(audit, "pool.transport", FINDING_FAIL,
		    "%s: libvirt takes it for running, and no NFS is mounted on %s: images there are on a local disk",
		    name, audit->facts->target);
		return;
	case POOL_RUN_OTHER: say_other(audit); return;
	case POOL_RUN_RDMA: say_rdma(audit); return;
	case POOL_RUN_TCP:
	case POOL_RUN_MIXED: say_not_rdma(audit); return;
	}
}

static void audit_transport(struct audit *audit)
{
	if (!audit->seen->info)
		say(audit, "pool.transport", FINDING_SKIP,
		    "it is XML, and no pool of libvirt's");
	else if (!*audit->source)
		say(audit, "pool.transport", FINDING_SKIP, "%s: it is no pool of NFS",
		    audit->seen->info->name);
	else if (!audit->seen->info->active)
		say(audit, "pool.transport", FINDING_SKIP, "%s: not running; wants %s",
		    audit->facts->name, audit->state.wanted.rdma ? "RDMA" : "plain NFS");
	else
		audit_running(audit);
}

void pool_audit_transport(const struct pool_seen *seen, finding_sink sink, void *arg)
{
	struct audit audit;

	begin(&audit, seen, sink, arg);
	audit_transport(&audit);
	opts_free(audit.opts);
}

void pool_audit(const struct pool_seen *seen, finding_sink sink, void *arg)
{
	struct audit audit;

	begin(&audit, seen, sink, arg);
	if (audit_definition(&audit)) {
		audit_namespace(&audit);
		audit_address(&audit);
		audit_options(&audit);
		audit_version(&audit);
		audit_host_port(&audit);
		audit_auth(&audit);
		audit_transport(&audit);
	}
	opts_free(audit.opts);
}
