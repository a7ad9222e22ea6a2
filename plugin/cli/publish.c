/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A report without a terminal: entries in the journal, and a file of metrics. */
#include <unistd.h>

#include "plugin/cli/cli.h"
#include "plugin/journal/journal.h"
#include "plugin/watch/watch.h"

#define ANSWER_MAX 512

struct publication {
	const struct report *report;
	const char *identifier;
	int rc; /* of the first entry that the journal did not take */
};

static void publish_entry(struct publication *to, enum journal_event event, const char *message,
			  const struct journal_field *fields, size_t nfields)
{
	int rc = journal_send(event, to->identifier, message, fields, nfields);

	to->rc = to->rc ? to->rc : rc;
}

/* One entry for each finding, as mount.nfsrdma writes them. */
static void publish_finding(void *arg, const struct finding *finding, const struct finding *because)
{
	struct publication *to = arg;
	char name[REPORT_NAME_MAX], cause[REPORT_NAME_MAX] = "";
	char text[FINDING_SUMMARY_MAX + 2 * REPORT_NAME_MAX + 64];
	struct report_advice advice;
	const struct journal_field fields[] = {
		{ "NFSRDMA_FINDING", finding->id },
		{ "NFSRDMA_STATUS", finding_status_name(finding->status) },
		{ "NFSRDMA_REASON", journal_value(finding->reason) },
		{ "NFSRDMA_CONSEQUENCE", journal_value(consequence_name(consequence_of(finding))) },
		{ "NFSRDMA_TARGET", journal_value(finding_evidence(finding, "target")) },
		{ "NFSRDMA_BECAUSE_OF", cause },
		{ "NFSRDMA_CAUSE", advice.cause },
		{ "NFSRDMA_REMEDY", advice.remedy },
		{ "NFSRDMA_ADVICE", advice.lines },
	};

	if (because)
		report_name(because, cause);
	report_advise_in(to->report, finding, &advice);
	snprintf(text, sizeof(text), "%s: %s [%s]%s%s", finding_status_name(finding->status),
		 finding->summary, report_name(finding, name), because ? ", follows from " : "",
		 cause);
	finding_clean(text);
	publish_entry(to, JOURNAL_FINDING, text, fields, ARRAY_SIZE(fields));
}

int publish_journal(const struct report *report, const char *identifier, const char *note)
{
	static const enum journal_event events[] = {
		[VERDICT_PASS] = JOURNAL_CHECK_PASSED,
		[VERDICT_WARN] = JOURNAL_CHECK_PASSED,
		[VERDICT_FAIL] = JOURNAL_CHECK_FAILED,
		[VERDICT_UNKNOWN] = JOURNAL_CHECK_UNKNOWN,
	};
	struct publication to = { .report = report, .identifier = identifier };
	enum verdict verdict = report_verdict(report);
	const struct journal_field fields[] = {
		{ "NFSRDMA_VERDICT", verdict_name(verdict) },
	};
	char answer[ANSWER_MAX], counts[160], text[2 * ANSWER_MAX];

	/* journal_send() has no error for that: most of its callers print, too. */
	if (access(JOURNAL_SOCKET, F_OK))
		return err_sys("reach the journal at " JOURNAL_SOCKET);
	report_each(report, publish_finding, &to);
	snprintf(text, sizeof(text), "%s: %s %s%s%s", verdict_name(verdict),
		 report_answer(report, answer, sizeof(answer)),
		 report_counts(report, counts, sizeof(counts)), *note ? "; " : "", note);
	finding_clean(text);
	publish_entry(&to, events[verdict], text, fields, ARRAY_SIZE(fields));
	return to.rc;
}

/* A folder that is missing means that no collector is installed. */
int publish_metrics(const struct report *report, const char *path, char *note, size_t cap)
{
	_cleanup_free_ char *text = NULL;
	int rc;

	*note = '\0';
	rc = report_render(report, report_format_find("prometheus"), NULL, &text);
	if (!rc)
		rc = export_text(path, text);
	if (rc != -ENOENT)
		return rc;
	snprintf(note, cap, "no metrics are written: the folder of %.200s does not exist", path);
	return 0;
}
