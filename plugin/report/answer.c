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

enum data { DATA_NOT_READ, DATA_CORRECT, DATA_DOUBTFUL, DATA_VIOLATION, DATA_WRONG };

static bool is_about_data(const struct finding *finding)
{
	const char *kind = strchr(finding->id, '.');

	return (kind && !strncmp(kind, ".read.", 6)) ||
	       !strcmp(finding->id, "bug.write-chunk-read");
}

/* The server breaks a rule; whether the data is correct is up to other findings. */
static bool is_of_protocol(const struct finding *finding)
{
	return !strcmp(finding->id, "probe.read.write-chunk.pad") ||
	       !strcmp(finding->id, "probe.read.write-chunk.lengths") ||
	       !strcmp(finding->id, "probe.read.write-chunk.unused");
}

static enum data data_of(const struct finding *finding)
{
	switch (finding->status) {
	case FINDING_FAIL: return is_of_protocol(finding) ? DATA_VIOLATION : DATA_WRONG;
	case FINDING_WARN:
	case FINDING_UNKNOWN: return DATA_DOUBTFUL;
	case FINDING_PASS:
		return strcmp(finding->id, "probe.read.write-chunk") ? DATA_NOT_READ
								     : DATA_CORRECT;
	default: return DATA_NOT_READ;
	}
}

/* The worst of all. */
static enum data answer_data(const struct report *report)
{
	enum data worst = DATA_NOT_READ;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (is_about_data(report->findings[i]) &&
		    data_of(report->findings[i]) > worst)
			worst = data_of(report->findings[i]);
	return worst;
}

static void say_answered(const struct report *report, const char *server, char *buf,
			 size_t cap)
{
	enum data data = answer_data(report);

	if (data == DATA_WRONG)
		snprintf(buf, cap,
			 "%s answers NFS over RDMA, but READs fail or return wrong data.",
			 server);
	else if (data == DATA_VIOLATION)
		snprintf(buf, cap,
			 "%s answers NFS over RDMA, but its READs violate the protocol.",
			 server);
	else if (report_verdict(report) == VERDICT_FAIL)
		snprintf(buf, cap, "%s answers NFS over RDMA, but a check failed.",
			 server);
	else if (data == DATA_CORRECT)
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
