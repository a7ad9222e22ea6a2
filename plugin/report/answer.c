/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The first sentence of a report: yes; no, because of the first cause; or not known, because of
 * what could not be determined. The question comes from the command and its subject, the cause is
 * the finding that represents the verdict, and its consequence chooses the words. Pure. */
#include "plugin/report/internal.h"

#define CAUSE_MAX 240 /* of a summary, in bytes: the rest is printed below */

enum answer_question {
	QUESTION_SERVER, /* can this host use NFS over RDMA with that server */
	QUESTION_HOST,   /* with any server */
	QUESTION_SERVES, /* can clients use it with this host */
	QUESTION_KERNEL, /* does this host's kernel */
	QUESTION_MOUNTS, /* has each mount the transport that it should have */
	QUESTION_BENCH,  /* how fast is it */
	QUESTION_NONE
};

struct answer {
	const struct report *report;
	enum answer_question question;
	char with[320];             /* after "NFS over RDMA" */
	const struct finding *lead; /* NULL: the verdict is pass, or none explains it */
	char cause[CAUSE_MAX + 8];  /* ": " and what was found */
};

/* --- what was asked ------------------------------------------------------------------------- */

static bool answer_has(const struct report *report, const char *prefix)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (report->findings[i]->status != FINDING_SKIP &&
		    !strncmp(report->findings[i]->id, prefix, strlen(prefix)))
			return true;
	return false;
}

static enum answer_question answer_question_of(const struct report *report,
					       const struct finding *lead)
{
	static const struct {
		const char *command;
		enum answer_question question;
	} commands[] = {
		{ "check", QUESTION_HOST },    { "status", QUESTION_HOST },
		{ "doctor", QUESTION_SERVER }, { "probe", QUESTION_SERVER },
		{ "mounts", QUESTION_MOUNTS }, { "bench", QUESTION_BENCH },
	};
	enum answer_question question = QUESTION_NONE;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(report->command, commands[i].command))
			question = commands[i].question;
	if (question == QUESTION_SERVER && answer_has(report, "kernel."))
		return QUESTION_KERNEL;
	if (question == QUESTION_SERVER)
		return report->subject[SUBJECT_SERVER] ? QUESTION_SERVER : QUESTION_HOST;
	if (question != QUESTION_HOST)
		return question;
	if (report->subject[SUBJECT_SERVER])
		return QUESTION_SERVER;
	/* client.helper is a check of clients only, server.exports one of servers. */
	if ((lead && !strncmp(lead->id, "server.", 7)) ||
	    (!answer_has(report, "client.helper") && answer_has(report, "server.")))
		return QUESTION_SERVES;
	return QUESTION_HOST;
}

static void answer_set_with(struct answer *answer)
{
	switch (answer->question) {
	case QUESTION_SERVER:
	case QUESTION_BENCH:
		if (answer->report->subject[SUBJECT_SERVER])
			snprintf(answer->with, sizeof(answer->with), " with %s",
				 answer->report->subject[SUBJECT_SERVER]);
		break;
	case QUESTION_SERVES:
		str_copy(answer->with, sizeof(answer->with), " with this host");
		break;
	case QUESTION_KERNEL:
		str_copy(answer->with, sizeof(answer->with), " by this host's kernel");
		break;
	default: break;
	}
}

/* The summary, up to what comes second: ": no module rpcrdma". */
static void answer_set_cause(struct answer *answer)
{
	char text[FINDING_SUMMARY_MAX], *end;

	str_copy(text, sizeof(text), answer->lead->summary);
	/* What is known of something unknown comes second. */
	end = answer->lead->status == FINDING_UNKNOWN ? NULL : strstr(text, "; ");
	if (end)
		*end = '\0';
	if (strlen(text) > CAUSE_MAX) {
		for (end = text + CAUSE_MAX - 3; end > text && *end != ' '; end--)
			;
		str_copy(end, 4, "...");
	}
	end = text + strlen(text);
	if (end > text && end[-1] == '.' && strncmp(end - 3, "...", 3) != 0)
		end[-1] = '\0';
	str_copy(answer->cause, sizeof(answer->cause), text);
}

/* --- yes ------------------------------------------------------------------------------------ */

static bool answer_is_about_writes(const struct finding *finding)
{
	return !strncmp(finding->id, "probe.write", 11);
}

bool report_is_about_reads(const struct finding *finding)
{
	const char *kind = strchr(finding->id, '.');

	return (kind && (!strncmp(kind, ".read.", 6) || answer_is_about_writes(finding))) ||
	       !strcmp(finding->id, "bug.write-chunk-read");
}

static const struct finding *answer_find(const struct report *report, const char *id,
					 enum finding_status status)
{
	unsigned int i;

	for (i = 0; i < report->nfindings; i++)
		if (report->findings[i]->status == status && !strcmp(report->findings[i]->id, id))
			return report->findings[i];
	return NULL;
}

/* The server has replied to NFS over RDMA. */
static bool answer_is_reached(const struct report *report)
{
	static const char *const replies[] = { "fabric.listener", "probe.null" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(replies); i++)
		if (answer_find(report, replies[i], FINDING_PASS) ||
		    answer_find(report, replies[i], FINDING_WARN))
			return true;
	return false;
}

/* What is true where nothing serious was found. */
static void answer_yes(const struct answer *answer, FILE *out)
{
	const struct report *report = answer->report;
	const struct finding *found = NULL;
	unsigned int i;

	switch (answer->question) {
	case QUESTION_SERVER:
		if (answer_find(report, "probe.read.write-chunk", FINDING_PASS))
			fprintf(out, "NFS over RDMA%s works, and the data %sis correct.",
				answer->with,
				answer_find(report, "probe.write", FINDING_PASS)
					? "of READs and WRITEs "
					: "");
		else if (answer_is_reached(report))
			fprintf(out, "This host can use NFS over RDMA%s; data was not tested.",
				answer->with);
		break;
	case QUESTION_KERNEL:
		if (answer_find(report, "kernel.read", FINDING_PASS))
			fputs("This host's kernel reads correct data over RDMA.", out);
		break;
	case QUESTION_MOUNTS:
		if (!answer->lead)
			fputs(answer_find(report, "mount.transport", FINDING_PASS)
				      ? "Each NFS mount has the transport that is requested for it."
				      : "No NFS mount requests RDMA.",
			      out);
		break;
	case QUESTION_BENCH:
		for (i = 0; i < report->nfindings; i++)
			if (report->findings[i]->status == FINDING_PASS &&
			    !strncmp(report->findings[i]->id, "bench.", 6) &&
			    strcmp(report->findings[i]->id, "bench.limit") != 0)
				found = report->findings[i];
		if (found)
			fprintf(out, "%s: %s.", meaning_find(found->id)->title, found->summary);
		break;
	case QUESTION_SERVES:
		if (!answer->lead)
			fputs("No problem found on this NFS server.", out);
		break;
	default:
		if (!answer->lead)
			fputs("No problem found on this host.", out);
	}
}

/* --- no ------------------------------------------------------------------------------------- */

/* The words before and after "NFS over RDMA with nas1", by consequence: what was seen or is
 * certain, and what is possible. */
static const struct {
	const char *before, *after, *perhaps_before, *perhaps_after;
} answers[CONSEQUENCE_COUNT] = {
	[CONSEQUENCE_UNDECIDED] = { "A problem with NFS over RDMA", "",
				    "A warning about NFS over RDMA", "" },
	[CONSEQUENCE_NONE] = { "NFS over RDMA", " works", "NFS over RDMA", " works" },
	[CONSEQUENCE_PROTOCOL] = { "NFS over RDMA",
				   " violates the protocol, but not for Linux clients",
				   "NFS over RDMA",
				   " violates the protocol, but not for Linux clients" },
	[CONSEQUENCE_SLOW] = { "NFS over RDMA", " is slow", "NFS over RDMA", " may be slow" },
	[CONSEQUENCE_LATER] = { "NFS over RDMA", " may fail after a restart, a change or an update",
				"NFS over RDMA",
				" may fail after a restart, a change or an update" },
	[CONSEQUENCE_TCP] = { "RDMA is requested, but NFS", " does not use it", "NFS",
			      " may not use RDMA although it is requested" },
	[CONSEQUENCE_NO_MOUNT] = { "This host cannot use NFS over RDMA", "",
				   "A mount of NFS over RDMA", " may fail" },
	[CONSEQUENCE_IO_ERROR] = { "NFS over RDMA", " fails with errors", "NFS over RDMA",
				   " may fail with errors" },
	[CONSEQUENCE_HANG] = { "NFS over RDMA", " hangs", "NFS over RDMA", " may hang" },
	[CONSEQUENCE_SERVER_CRASH] = { "NFS over RDMA", " can crash the server", "NFS over RDMA",
				       " may crash the server" },
	[CONSEQUENCE_DATA] = { "NFS over RDMA", " returns wrong data", "NFS over RDMA",
			       " may return wrong data" },
};

/* @again: after another sentence about the same. */
static void answer_no(const struct answer *answer, bool again, FILE *out)
{
	enum consequence consequence = consequence_of(answer->lead);
	bool fails = answer->lead->status == FINDING_FAIL;
	const char *before = fails ? answers[consequence].before
				   : answers[consequence].perhaps_before;
	const char *after = fails ? answers[consequence].after : answers[consequence].perhaps_after;

	if (fails && consequence == CONSEQUENCE_NO_MOUNT && answer->question == QUESTION_SERVES)
		before = "Clients cannot use NFS over RDMA";
	else if (fails && consequence == CONSEQUENCE_NO_MOUNT &&
		 *finding_evidence(answer->lead, "target"))
		before = "A mount over RDMA is missing or fails";
	if (again && !strcmp(before, "NFS over RDMA"))
		before = "It";
	if (fails && consequence == CONSEQUENCE_DATA && answer_is_about_writes(answer->lead))
		after = " stores wrong data";
	fprintf(out, "%s%s%s: %s.", before, again ? "" : answer->with, after, answer->cause);
}

/* --- not known ------------------------------------------------------------------------------ */

static void answer_unknown(const struct answer *answer, FILE *out)
{
	static const char *const texts[] = {
		[QUESTION_SERVER] = "Not known whether this host can use NFS over RDMA",
		[QUESTION_HOST] = "Not known whether this host can use NFS over RDMA",
		[QUESTION_SERVES] = "Not known whether clients can use NFS over RDMA",
		[QUESTION_KERNEL] = "Not known whether data is read correctly over RDMA",
		[QUESTION_MOUNTS] =
			"Not known whether each NFS mount has the transport that is requested",
		[QUESTION_BENCH] = "Not measured: NFS over RDMA",
		[QUESTION_NONE] = "",
	};

	if (answer->question == QUESTION_SERVER && answer_is_reached(answer->report) &&
	    answer->lead)
		fprintf(out, "%s answers NFS over RDMA, but not all is known: %s.",
			answer->report->subject[SUBJECT_SERVER], answer->cause);
	else
		fprintf(out, "%s%s%s%s.", texts[answer->question], answer->with,
			answer->lead ? ": " : "", answer->cause);
}

const char *report_answer(const struct report *report, char *buf, size_t cap)
{
	struct answer answer = { .report = report, .lead = report_lead(report) };
	enum verdict verdict = report_verdict(report);
	FILE *out;
	long used;

	*buf = '\0';
	answer.question = answer_question_of(report, answer.lead);
	out = answer.question == QUESTION_NONE ? NULL : fmemopen(buf, cap, "w");
	if (!out)
		return buf;
	answer_set_with(&answer);
	if (answer.lead)
		answer_set_cause(&answer);
	if (verdict == VERDICT_UNKNOWN || (verdict == VERDICT_FAIL && !answer.lead)) {
		answer_unknown(&answer, out);
	} else if (verdict == VERDICT_FAIL) {
		answer_no(&answer, false, out);
	} else {
		answer_yes(&answer, out);
		used = ftell(out);
		if (answer.lead && used)
			fputc(' ', out);
		if (answer.lead)
			answer_no(&answer, used, out);
		else if (!used)
			answer_unknown(&answer, out);
	}
	fclose(out);
	buf[cap - 1] = '\0';
	return buf;
}
