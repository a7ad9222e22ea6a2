/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The first sentence of a report: can this host use NFS over RDMA with that server, and is
 * the data correct? It uses only what the findings prove. Pure. */
#include "plugin/report/internal.h"

enum answer_reply { ANSWER_NONE, ANSWER_YES, ANSWER_NO };

/* A failure elsewhere, of a mount for instance, does not prove that there would be no
 * reply. */
static enum answer_reply answer_reach(const struct report *report)
{
	enum answer_reply answer = ANSWER_NONE;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++) {
		const struct finding *finding = report->findings[i];
		const char *id = finding->id;
		/* If it passes, the server has replied to NFS over RDMA. */
		bool reply = !strcmp(id, "fabric.listener") || !strcmp(id, "probe.null");

		if (reply &&
		    (finding->status == FINDING_PASS || finding->status == FINDING_WARN))
			return ANSWER_YES;
		/* The others are requirements of such a reply. */
		if ((reply || !strcmp(id, "probe.connect") ||
		     !strcmp(id, "probe.route") || !strcmp(id, "probe.address") ||
		     !strcmp(id, "client.module")) &&
		    report_root(report, finding)->status == FINDING_FAIL)
			answer = ANSWER_NO;
	}
	return answer;
}

/* From good to bad. */
enum answer_data {
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

static enum answer_data answer_data_of(const struct finding *finding)
{
	const char *id = finding->id;

	switch (finding->status) {
	case FINDING_FAIL:
		/* The server violates the protocol; other findings decide whether the data
		 * is correct. */
		return !strcmp(id, "probe.read.write-chunk.pad") ||
				       !strcmp(id, "probe.read.write-chunk.lengths") ||
				       !strcmp(id, "probe.read.write-chunk.unused")
			       ? DATA_VIOLATION
			       : DATA_WRONG;
	case FINDING_WARN:
		return strcmp(id, "probe.read.over-tcp") ? DATA_DOUBTFUL
							 : DATA_WRONG_OVER_TCP;
	case FINDING_UNKNOWN: return DATA_DOUBTFUL;
	case FINDING_PASS:
		return strcmp(id, "probe.read.write-chunk") ? DATA_NOT_READ
							    : DATA_CORRECT;
	default: return DATA_NOT_READ;
	}
}

/* What was read is correct, and too little to prove more: its own sentence, or NULL. */
static const char *answer_small_file(const struct report *report)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (report->findings[i]->status == FINDING_UNKNOWN &&
		    !strcmp(report->findings[i]->id, "bug.write-chunk-read"))
			return report->findings[i]->summary;
	return NULL;
}

static bool answer_has_failed(const struct report *report, const char *id)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (report->findings[i]->status == FINDING_FAIL &&
		    !strcmp(report->findings[i]->id, id))
			return true;
	return false;
}

static void answer_of_server(const struct report *report, const char *server, char *buf,
			     size_t cap)
{
	/* The text after "SERVER answers NFS over RDMA, but ". */
	static const char *const words[] = {
		[DATA_WRONG] = "READs fail or return wrong data",
		[DATA_WRONG_OVER_TCP] = "some READs fail, over TCP as well",
		[DATA_VIOLATION] = "its READs violate the protocol",
	};
	enum answer_data data = DATA_NOT_READ, one;
	enum verdict verdict = report_verdict(report);
	const char *rest = verdict == VERDICT_UNKNOWN
				   ? ", but not everything could be checked"
				   : "";
	const char *but = NULL;
	unsigned int i;

	for (i = 0; i < report->nfindings; i++) {
		one = answer_data_of(report->findings[i]);
		if (report_is_about_reads(report->findings[i]) && one > data)
			data = one;
	}
	if (data >= DATA_VIOLATION)
		but = words[data];
	else if (answer_has_failed(report, "probe.connection"))
		but = "connections break";
	else if (verdict == VERDICT_FAIL)
		but = "a check failed";
	if (answer_has_failed(report, "probe.server-gone"))
		snprintf(buf, cap, "%s stopped answering during the probe.", server);
	else if (but)
		snprintf(buf, cap, "%s answers NFS over RDMA, but %s.", server, but);
	else if (answer_small_file(report))
		snprintf(buf, cap, "%s answers NFS over RDMA. %s.", server,
			 answer_small_file(report));
	else if (data == DATA_CORRECT)
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

static bool answer_any_failed(const struct report *report, const char *const *ids)
{
	for (; *ids; ids++)
		if (answer_has_failed(report, *ids))
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
	if (answer_any_failed(report, needed_as_client))
		return "This host cannot use NFS over RDMA.";
	if (answer_any_failed(report, needed_as_server))
		return "Clients cannot use NFS over RDMA with this host.";
	return "";
}

const char *report_answer(const struct report *report, char *buf, size_t cap)
{
	const char *server = report->subject[SUBJECT_SERVER];
	const char *command = report->command;
	enum answer_reply answer;

	*buf = '\0';
	if (strcmp(command, "check") != 0 && strcmp(command, "probe") != 0 &&
	    strcmp(command, "doctor") != 0 && strcmp(command, "status") != 0)
		return buf;
	if (!server) {
		str_copy(buf, cap, answer_of_host(report));
		return buf;
	}
	answer = answer_reach(report);
	if (answer == ANSWER_YES)
		answer_of_server(report, server, buf, cap);
	else if (answer == ANSWER_NO)
		snprintf(buf, cap, "This host cannot use NFS over RDMA with %s.", server);
	else
		snprintf(buf, cap,
			 "Not known whether this host can use NFS over RDMA with %s.",
			 server);
	return buf;
}
