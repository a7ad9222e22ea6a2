/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What the kernel logged. A line that the index of messages has is evidence of the finding it
 * belongs to. If that is good, and no later line says that it is over, it is a finding of its own,
 * because no table of causes is complete. */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/checks/internal.h"

/* Connections and calls are repeated: later the mounts themselves tell more. A device that failed
 * stays so. */
#define LOG_RECENT_S 3600
#define LOG_DEVICE_S (24 * 3600)
/* KERN_ERR: what the index does not have is shown from here. */
#define LOG_ERROR 3
#define AGO_MAX   40

/* --- what is logged: pure -------------------------------------------------------------- */

static struct logged *logged_find(struct log_facts *facts, const struct message *message,
				  const char *where, const char *value)
{
	struct logged *logged;

	for (logged = facts->list; logged < facts->list + facts->count; logged++)
		if (logged->message == message && !strcmp(logged->where, where) &&
		    !strcmp(logged->value, value))
			return logged;
	return NULL;
}

/* "nfs: server nas1 OK" ends "nfs: server nas1 not responding, still trying". */
static void logged_end(struct log_facts *facts, const char *text, const char *value)
{
	unsigned int i = 0;

	while (i < facts->count) {
		struct logged *logged = &facts->list[i];

		if (logged->message && !strcmp(logged->message->text, text) &&
		    !strcmp(logged->value, value))
			*logged = facts->list[--facts->count];
		else
			i++;
	}
}

static struct logged *logged_oldest(struct log_facts *facts)
{
	struct logged *logged, *oldest = facts->list;

	for (logged = facts->list; logged < facts->list + facts->count; logged++)
		if (logged->line->age > oldest->line->age)
			oldest = logged;
	return oldest;
}

static void logged_take(struct log_facts *facts, const struct live_log_line *line)
{
	const struct message *message = message_of("Linux", line->text);
	bool shared = true;
	const char *where = live_log_rdma(line->text, &shared);
	char value[LOGGED_VALUE_MAX] = "";
	struct logged *logged;

	if (message) {
		where = message->log;
		message_value(message, line->text, value, sizeof(value));
	}
	if (message && *message->ends)
		logged_end(facts, message->ends, value);
	if (!where || (!message && line->level > LOG_ERROR) ||
	    line->age >= (strcmp(where, "device") ? LOG_RECENT_S : LOG_DEVICE_S) ||
	    (message && (*message->ends || !strncmp(message->cause, "Not an error", 12))))
		return;
	logged = logged_find(facts, message, where, value);
	if (!logged) {
		logged = facts->count < ARRAY_SIZE(facts->list) ? &facts->list[facts->count++]
								: logged_oldest(facts);
		*logged = (struct logged){ .message = message, .where = where, .shared = shared };
		str_copy(logged->value, sizeof(logged->value), value);
	}
	logged->line = line;
	logged->times++;
}

void log_facts_learn(struct log_facts *facts)
{
	unsigned int i;

	for (i = 0; i < facts->lines.count; i++)
		logged_take(facts, &facts->lines.list[i]);
}

/* "3 minutes ago" */
static const char *log_ago(int64_t age, char buf[AGO_MAX])
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 3600, "hour" }, { 60, "minute" }, { 1, "second" } };
	size_t i = 0;

	while (i < ARRAY_SIZE(units) - 1 && age < units[i].seconds)
		i++;
	age /= units[i].seconds;
	snprintf(buf, AGO_MAX, "%" PRId64 " %s%s ago", age, units[i].name, age == 1 ? "" : "s");
	return buf;
}

/* The message belongs to the finding @id. */
static bool logged_is_of(const struct logged *logged, const char *id)
{
	size_t len = strlen(id);

	return logged->message && !strncmp(logged->message->finding, id, len) &&
	       (!logged->message->finding[len] || logged->message->finding[len] == '/');
}

/* --- evidence of another check's finding --------------------------------------------------- */

void log_add_evidence(struct check_run *run)
{
	const struct logged *logged, *newest = NULL;
	const struct log_facts *facts;
	char ago[AGO_MAX];

	if (run->finding.status == FINDING_PASS || run->finding.status == FINDING_SKIP ||
	    facts_log(run, &facts))
		return;
	for (logged = facts->list; logged < facts->list + facts->count; logged++)
		if (logged_is_of(logged, run->finding.id) &&
		    (!newest || logged->line->age < newest->line->age))
			newest = logged;
	if (newest)
		finding_text(&run->finding, "logged", "%s: %s", log_ago(newest->line->age, ago),
			     newest->line->text);
}

/* --- the checks ------------------------------------------------------------------------- */

/* Of NFS or an adapter that this host may use without RDMA. */
static bool logged_is_elsewhere(struct check_run *run, const struct logged *logged)
{
	const struct nfs_mounts *mounts;
	const struct host_nfsd *nfsd;
	unsigned int i;

	if (!logged->shared)
		return false;
	if (strcmp(logged->where, "server") != 0 && !facts_mounts(run, &mounts))
		for (i = 0; i < mounts->count; i++)
			if (view_is_rdma(mounts->list[i].proto))
				return false;
	return !strcmp(logged->where, "client") || facts_nfsd(run, &nfsd) ||
	       !host_nfsd_rdma_port(nfsd);
}

/* Another check says its cause, with the line as evidence. */
static bool logged_is_told(const struct check_run *run, const struct logged *logged)
{
	char id[FINDING_ID_MAX];

	if (!logged->message)
		return false;
	snprintf(id, sizeof(id), "%.*s", (int)strcspn(logged->message->finding, "/"),
		 logged->message->finding);
	return check_not_good(run, id);
}

static void log_say(struct check_run *run, const struct logged *logged, unsigned int more)
{
	const struct live_log_line *line = logged->line;
	char ago[AGO_MAX], times[32] = "";

	if (logged->times > 1)
		snprintf(times, sizeof(times), ", %u times", logged->times);
	check_say_why(run, FINDING_WARN, logged->message ? "message" : "unexplained",
		      "the kernel logged %s%s: %.200s", log_ago(line->age, ago), times, line->text);
	finding_text(&run->finding, "line", "%s", line->text);
	finding_text(&run->finding, "means", "%s",
		     logged->message ? logged->message->cause : "unknown");
	finding_number(&run->finding, "age", (double)line->age);
	finding_number(&run->finding, "times", logged->times);
	if (more)
		finding_number(&run->finding, "more", more);
}

/* @first: it is this check's part to say that there is nothing, or that the log could not be
 * read. */
static int log_check(struct check_run *run, const char *where, bool first)
{
	const struct logged *logged, *newest = NULL;
	const struct log_facts *facts;
	unsigned int others = 0;
	int rc = facts_log(run, &facts);

	run->silent = !first;
	if (rc == -ENODATA || rc == -ENOSYS) {
		run->silent = true;
		return 0;
	}
	if (rc)
		return check_say(run, FINDING_SKIP, "the kernel's log was not read: %s",
				 err_text());
	for (logged = facts->list; logged < facts->list + facts->count; logged++) {
		if (strcmp(logged->where, where) != 0 || logged_is_told(run, logged) ||
		    logged_is_elsewhere(run, logged))
			continue;
		others += newest != NULL;
		if (!newest || logged->line->age < newest->line->age)
			newest = logged;
	}
	if (!newest)
		return check_say(run, FINDING_PASS,
				 "the kernel logged nothing lately that needs attention");
	run->silent = false;
	log_say(run, newest, others);
	return 0;
}

int check_log_client(struct check_run *run)
{
	return log_check(run, "client", false);
}

int check_log_server(struct check_run *run)
{
	return log_check(run, "server", false);
}

int check_log_device(struct check_run *run)
{
	return log_check(run, "device", true);
}
