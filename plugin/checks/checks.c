/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Runs checks in the order of their table, which is the order of causes. Each says one finding, or
 * none if it is silent. What failed because of something else is skipped, with that reason: the
 * reader sees one cause and not its ten consequences. */
#include <stdarg.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* For one check alone. */
#define CHECKS_ONE_MS 5000

struct check_outcome {
	const char *id;
	enum finding_status status;
	/* Skipped for want of this one; NULL: it does not apply. */
	const char *because;
};

struct check_outcomes {
	unsigned int count;
	struct check_outcome list[CHECKS_MAX];
};

unsigned int checks_roles(const struct host *host)
{
	struct host_ganesha ganesha;
	enum unit_state state;
	struct host_nfsd nfsd;

	host_ganesha(host, &ganesha);
	if (ganesha.enabled || ganesha.running)
		return CHECK_BOTH;
	if (!host_unit_state(host, "nfs-server.service", &state) && state == UNIT_ENABLED)
		return CHECK_BOTH;
	return !host_nfsd(host, &nfsd) && nfsd.nlisteners ? CHECK_BOTH : CHECK_CLIENT;
}

static void check_vsay(struct check_run *run, enum finding_status status, const char *fmt,
		       va_list ap) PRINTF_LIKE(3, 0);

static void check_vsay(struct check_run *run, enum finding_status status, const char *fmt,
		       va_list ap)
{
	run->finding.status = status;
	vsnprintf(run->finding.summary, sizeof(run->finding.summary), fmt, ap);
	finding_clean(run->finding.summary);
}

int check_say(struct check_run *run, enum finding_status status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	check_vsay(run, status, fmt, ap);
	va_end(ap);
	return 0;
}

int check_say_why(struct check_run *run, enum finding_status status, const char *reason,
		  const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	check_vsay(run, status, fmt, ap);
	va_end(ap);
	finding_reason(&run->finding, reason);
	return 0;
}

void check_note(struct check_run *run)
{
	finding_text(&run->finding, "note", "yes");
}

int check_skip(struct check_run *run, const char *id)
{
	run->because = id;
	finding_text(&run->finding, "because", "%s", id);
	return check_say(run, FINDING_SKIP, "not looked at, because of %s", id);
}

static const struct check_outcome *check_outcome_of(const struct check_outcomes *outcomes,
						    const char *id)
{
	unsigned int i;

	for (i = 0; outcomes && i < outcomes->count; i++)
		if (!strcmp(outcomes->list[i].id, id))
			return &outcomes->list[i];
	return NULL;
}

bool check_failed(const struct check_run *run, const char *id)
{
	const struct check_outcome *outcome = check_outcome_of(run->outcomes, id);

	return outcome && outcome->status == FINDING_FAIL;
}

/* The failure that makes this check pointless: the first of what it needs, or what that one
 * was skipped for. */
static const char *check_obstacle(const struct check *check, const struct check_outcomes *outcomes)
{
	unsigned int i;

	for (i = 0; i < CHECK_NEEDS_MAX && check->needs[i]; i++) {
		const struct check_outcome *need = check_outcome_of(outcomes, check->needs[i]);

		if (need && need->status == FINDING_FAIL)
			return need->id;
		if (need && need->because)
			return need->because;
	}
	return NULL;
}

bool check_not_good(const struct check_run *run, const char *id)
{
	const struct check_outcome *outcome = check_outcome_of(run->outcomes, id);

	return outcome && outcome->status != FINDING_PASS && outcome->status != FINDING_SKIP;
}

const char *checks_reason(int rc)
{
	static const struct {
		int rc;
		const char *reason;
	} rows[] = {
		{ -EACCES, "permission" },     { -EPERM, "permission" },
		{ -EBADMSG, "unreadable" },    { -EIO, "unreadable" },
		{ -EINVAL, "unreadable" },     { -EFBIG, "unreadable" },
		{ -EISDIR, "unreadable" },     { -ENOTDIR, "unreadable" },
		{ -ELOOP, "unreadable" },      { -ENODATA, "not-recorded" },
		{ -ETIMEDOUT, "out-of-time" }, { -ENOMEM, "no-memory" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].rc == rc)
			return rows[i].reason;
	return NULL;
}

static void check_run_one(const struct check *check, struct check_run *run)
{
	const char *because = check_obstacle(check, run->outcomes), *reason;
	uint64_t start = now_ns();
	int rc;

	finding_init(&run->finding, check->id, FINDING_UNKNOWN, "%s", "");
	run->because = NULL;
	run->stops = false;
	run->silent = false;
	if (because) {
		check_skip(run, because);
	} else if (!deadline_left(run->deadline)) {
		check_say_why(run, FINDING_UNKNOWN, "out-of-time",
			      "the time ran out before this check");
	} else {
		err_clear();
		rc = check->run(run);
		reason = *err_reason() ? err_reason() : checks_reason(rc);
		/* Of a running system there is no record. */
		if (rc == -ENODATA && !*err_reason() && host_is_live(run->host))
			reason = NULL;
		if (rc && reason)
			finding_reason(&run->finding, reason);
		if (rc)
			check_say(run, FINDING_UNKNOWN, "%s",
				  *err_text() ? err_text() : strerror(-rc));
		else if (!*run->finding.summary && !run->silent)
			check_say(run, FINDING_UNKNOWN, "the check said nothing");
	}
	log_add_evidence(run);
	debug(DEBUG_CHECKS, "%s: %s after %.1f ms: %s", check->id,
	      finding_status_name(run->finding.status), (double)(now_ns() - start) / 1e6,
	      run->finding.summary);
}

/* @outcomes: NULL: the others' are not looked at, and not remembered. @sink: or NULL. */
static int checks_run_all(const struct check *const *table, struct check_run *run,
			  struct check_outcomes *outcomes, finding_sink sink, void *arg)
{
	_cleanup_(facts_free_p) struct check_facts *facts = facts_new();
	const struct check *check;
	unsigned int count = 0;

	if (!facts)
		return err_no_memory();
	run->facts = facts;
	run->outcomes = outcomes;
	for (; *table && count < CHECKS_MAX; table++) {
		check = *table;
		if (!(check->roles & run->target->roles) ||
		    (check->remote && !run->target->server) || (check->trial && !run->target->try))
			continue;
		check_run_one(check, run);
		count++;
		if (run->silent)
			continue;
		if (outcomes)
			outcomes->list[outcomes->count++] = (struct check_outcome){
				.id = check->id,
				.status = run->finding.status,
				.because = run->stops ? check->id : run->because,
			};
		if (sink)
			sink(arg, &run->finding);
	}
	return 0;
}

static void check_run_free_p(struct check_run **run)
{
	if (*run)
		finding_fini(&(*run)->finding);
	free(*run);
}

int checks_run(const struct check *const *table, const struct host *host,
	       const struct live_ops *live, const struct check_target *target, uint64_t deadline,
	       finding_sink sink, void *arg)
{
	_cleanup_free_ struct check_outcomes *outcomes = calloc(1, sizeof(*outcomes));
	_cleanup_(check_run_free_p) struct check_run *run = calloc(1, sizeof(*run));

	if (!outcomes || !run)
		return err_no_memory();
	run->host = host;
	run->live = live;
	run->target = target;
	run->deadline = deadline;
	return checks_run_all(table, run, outcomes, sink, arg);
}

static void checks_keep_finding(void *arg, const struct finding *finding)
{
	finding_copy(arg, finding);
}

int checks_run_one(const char *id, const struct host *host, const struct live_ops *live,
		   const struct check_target *target, struct finding *out)
{
	const struct check *one[] = { NULL, NULL };
	const struct check *const *check;
	int rc;

	for (check = check_table; *check; check++)
		if (!strcmp((*check)->id, id))
			one[0] = *check;
	if (!one[0])
		return err_set(ENOENT, "no check %s", id);
	finding_init(out, id, FINDING_UNKNOWN, "%s", "");
	rc = checks_run(one, host, live, target, deadline_in(CHECKS_ONE_MS), checks_keep_finding,
			out);
	return !rc && out->no_memory ? err_no_memory() : rc;
}

int checks_visit(const struct check *const *table, const struct host *host,
		 const struct live_ops *live, const struct check_target *target, uint64_t deadline)
{
	_cleanup_(check_run_free_p) struct check_run *run = calloc(1, sizeof(*run));
	struct check_target alone = *target;

	if (!run)
		return err_no_memory();
	alone.server = NULL;
	alone.naddresses = 0;
	alone.roles = CHECK_BOTH;
	run->host = host;
	run->live = live;
	run->target = &alone;
	run->deadline = deadline;
	return checks_run_all(table, run, NULL, NULL, NULL);
}
