/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The first sentence of a report: can this host use NFS over RDMA with that server, and is
 * the data correct? It uses only what the findings prove. Pure. */
#include "plugin/report/internal.h"

enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO };

static bool is_good(const struct finding *finding)
{
	return finding->status == FINDING_PASS || finding->status == FINDING_WARN;
}

/* If it passes, the server has replied to NFS over RDMA. */
static bool is_reply(const struct finding *finding)
{
	return !strcmp(finding->id, "fabric.listener") ||
	       !strcmp(finding->id, "probe.null");
}

/* Requirements of such a reply. */
static bool is_before_reply(const struct finding *finding)
{
	return is_reply(finding) || !strcmp(finding->id, "probe.connect") ||
	       !strcmp(finding->id, "probe.route") ||
	       !strcmp(finding->id, "probe.address");
}

/* A failure elsewhere, of a mount for instance, does not prove that there would be no
 * reply. */
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

/* Worse results come first. */
enum data {
	DATA_NOT_READ,
	DATA_CORRECT,
	DATA_DOUBTFUL,
	DATA_VIOLATION,
	DATA_WRONG_OVER_TCP,
	DATA_WRONG
};

bool report_is_about_reads(const struct finding *finding)
{
	const char *kind = strchr(finding->id, '.');

	return (kind && !strncmp(kind, ".read.", 6)) ||
	       !strcmp(finding->id, "bug.write-chunk-read");
}

/* The server violates the protocol; other findings decide whether the data is correct. */
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
		return strcmp(finding->id, "probe.read.over-tcp") ? DATA_DOUBTFUL
								  : DATA_WRONG_OVER_TCP;
	case FINDING_UNKNOWN: return DATA_DOUBTFUL;
	case FINDING_PASS:
		return strcmp(finding->id, "probe.read.write-chunk") ? DATA_NOT_READ
								     : DATA_CORRECT;
	default: return DATA_NOT_READ;
	}
}

/* The worst result. */
static enum data answer_data(const struct report *report)
{
	enum data worst = DATA_NOT_READ;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (report_is_about_reads(report->findings[i]) &&
		    data_of(report->findings[i]) > worst)
			worst = data_of(report->findings[i]);
	return worst;
}

static bool has_failed(const struct report *report, const char *id)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (report->findings[i]->status == FINDING_FAIL &&
		    !strcmp(report->findings[i]->id, id))
			return true;
	return false;
}

/* The text after "SERVER answers NFS over RDMA, but "; NULL: none. */
static const char *objection(const struct report *report)
{
	static const char *const words[] = {
		[DATA_WRONG] = "READs fail or return wrong data",
		[DATA_WRONG_OVER_TCP] = "some READs fail, over TCP as well",
		[DATA_VIOLATION] = "its READs violate the protocol",
	};
	enum data data = answer_data(report);

	if (data >= DATA_VIOLATION)
		return words[data];
	if (has_failed(report, "probe.connection"))
		return "connections break";
	return report_verdict(report) == VERDICT_FAIL ? "a check failed" : NULL;
}

static void say_answered(const struct report *report, const char *server, char *buf,
			 size_t cap)
{
	const char *but = objection(report);
	const char *rest = report_verdict(report) == VERDICT_UNKNOWN
				   ? ", but not everything could be checked"
				   : "";

	if (has_failed(report, "probe.server-gone"))
		snprintf(buf, cap, "%s stopped answering during the probe.", server);
	else if (but)
		snprintf(buf, cap, "%s answers NFS over RDMA, but %s.", server, but);
	else if (answer_data(report) == DATA_CORRECT)
		snprintf(buf, cap,
			 "NFS over RDMA with %s works, and the data is correct%s.",
			 server, rest);
	else
		snprintf(buf, cap, "This host can use NFS over RDMA with %s%s.", server,
			 rest);
}

/* If one of these fails, NFS over RDMA is impossible with any server, or for any client. */
static const char *const needed_as_client[] = {
	"client.module",         "client.device", "client.drivers",
	"client.helper",         "fabric.cable",  "fabric.port",
	"fabric.subnet-manager", "fabric.ipoib",  NULL
};
static const char *const needed_as_server[] = {
	"server.module",  "server.device",   "server.ganesha",
	"server.threads", "server.nfs-conf", "server.listener",
	"server.address", "server.exports",  NULL
};

static bool lacks(const struct report *report, const char *const *ids)
{
	for (; *ids; ids++)
		if (has_failed(report, *ids))
			return true;
	return false;
}

/* A role without such a failure may have other ones, so there is no sentence then. */
static const char *answer_of_host(const struct report *report)
{
	switch (report_verdict(report)) {
	case VERDICT_PASS: return "No problem found on this host.";
	case VERDICT_WARN:
		return "Nothing found on this host that prevents NFS over RDMA.";
	case VERDICT_UNKNOWN: return "Not known whether this host can use NFS over RDMA.";
	default: break;
	}
	if (lacks(report, needed_as_client))
		return "This host cannot use NFS over RDMA.";
	if (lacks(report, needed_as_server))
		return "Clients cannot use NFS over RDMA with this host.";
	return "";
}

static bool is_asked(const char *command)
{
	return !strcmp(command, "check") || !strcmp(command, "probe") ||
	       !strcmp(command, "doctor") || !strcmp(command, "status");
}

const char *report_answer(const struct report *report, char *buf, size_t cap)
{
	const char *server = report->subject[SUBJECT_SERVER];

	*buf = '\0';
	if (!is_asked(report->command))
		return buf;
	if (!server)
		snprintf(buf, cap, "%s", answer_of_host(report));
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
