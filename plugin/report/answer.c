/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The first sentence of a report: can this host use NFS over RDMA with that server, and is the data
 * correct? Of what the findings prove, and nothing else. Pure. */
#include "plugin/report/internal.h"

enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO };

static bool is_good(const struct finding *finding)
{
	return finding->status == FINDING_PASS || finding->status == FINDING_WARN;
}

/* Good, it is a reply of NFS over RDMA by that server. */
static bool is_reply(const struct finding *finding)
{
	return !strcmp(finding->id, "fabric.listener") ||
	       !strcmp(finding->id, "probe.null");
}

/* Without these there is none. */
static bool is_before_reply(const struct finding *finding)
{
	return is_reply(finding) || !strcmp(finding->id, "probe.connect") ||
	       !strcmp(finding->id, "probe.route") ||
	       !strcmp(finding->id, "probe.address");
}

/* A failure elsewhere, of a mount for instance, is no proof that there would be no reply. */
static enum answer answer_reach(const struct report *report)
{
	enum answer answer = ANSWER_NONE;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (is_reply(finding) && is_good(finding))
			return ANSWER_YES;
		if (is_before_reply(finding) &&
		    report_root(report, finding)->status == FINDING_FAIL)
			answer = ANSWER_NO;
	}
	return answer;
}

/* Every READ was compared with the file's data. */
static enum answer answer_data(const struct report *report)
{
	enum answer answer = ANSWER_NONE;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];

		if (strncmp(finding->id, "probe.read.", 11) != 0 &&
		    strcmp(finding->id, "bug.write-chunk-read") != 0)
			continue;
		if (finding->status == FINDING_FAIL)
			return ANSWER_NO;
		if (finding->status == FINDING_PASS &&
		    !strcmp(finding->id, "probe.read.write-chunk"))
			answer = ANSWER_YES;
	}
	return answer;
}

static void say_answered(const struct report *report, const char *server, char *buf,
			 size_t cap)
{
	enum answer data = answer_data(report);

	if (data == ANSWER_NO)
		snprintf(buf, cap,
			 "%s answers NFS over RDMA, but READs fail or return wrong data.",
			 server);
	else if (report_verdict(report) == VERDICT_FAIL)
		snprintf(buf, cap, "%s answers NFS over RDMA, but a check failed.",
			 server);
	else if (data == ANSWER_YES)
		snprintf(buf, cap,
			 "NFS over RDMA with %s works, and the data is correct.", server);
	else
		snprintf(buf, cap, "This host can use NFS over RDMA with %s.", server);
}

static bool is_asked(const char *command)
{
	return !strcmp(command, "check") || !strcmp(command, "probe") ||
	       !strcmp(command, "doctor");
}

const char *report_answer(const struct report *report, char *buf, size_t cap)
{
	const char *server = report->subject[SUBJECT_SERVER];
	enum verdict verdict = report_verdict(report);

	*buf = '\0';
	if (!is_asked(report->command))
		return buf;
	if (!server && verdict == VERDICT_PASS)
		snprintf(buf, cap, "No problem found on this host.");
	else if (!server)
		return buf;
	else if (answer_reach(report) == ANSWER_YES)
		say_answered(report, server, buf, cap);
	else if (answer_reach(report) == ANSWER_NO)
		snprintf(buf, cap, "This host cannot use NFS over RDMA with %s.", server);
	else
		snprintf(buf, cap,
			 "Not known whether this host can use NFS over RDMA with %s.",
			 server);
	return buf;
}
