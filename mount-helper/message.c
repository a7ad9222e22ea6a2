/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The helper's messages: a line on stderr, and an entry in the journal, because the platforms of
 * virtual machines do not always show stderr. */
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "mount-helper/internal.h"

#define MESSAGE_MAX 2048

const char *message_mount(const struct helper *helper)
{
	static char text[512];

	snprintf(text, sizeof(text), "%.250s on %.250s", helper->args.spec,
		 helper->dir[0] ? helper->dir : helper->args.dir);
	finding_clean(text);
	return text;
}

#define FIELDS_MAX 13

/* The fields of every entry. Returns their number. */
static size_t message_fields(const struct helper *helper, struct journal_field *fields)
{
	const struct plan *plan = helper->plan;
	const struct journal_field common[] = {
		{ "NFSRDMA_SPEC", helper->args.spec },
		{ "NFSRDMA_TARGET", helper->dir[0] ? helper->dir : helper->args.dir },
		{ "NFSRDMA_POLICY", plan ? policy_mode_name(plan->policy.mode) : NULL },
		{ "NFSRDMA_POLICY_FROM", plan ? plan->policy.mode_from : NULL },
		{ "NFSRDMA_OPTIONS", plan ? plan->options : helper->args.options },
	};

	memcpy(fields, common, sizeof(common));
	return ARRAY_SIZE(common);
}

/* Prints on stderr. @journal_rc: of the entry with the same text; a unit's stderr is the
 * journal. */
static void message_print(struct helper *helper, const char *text, bool loud, int journal_rc)
{
	if ((!loud && !helper->args.verbose) || (!journal_rc && helper->stderr_is_journal))
		return;
	waiting_erase(&helper->waiting);
	fprintf(stderr, "%s: %s\n", helper->name, text);
}

void message_send(struct helper *helper, enum journal_event event, const char *fmt, ...)
{
	struct journal_field fields[FIELDS_MAX];
	char text[MESSAGE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_clean(text);
	message_print(
		helper, text, journal_table[event].priority < LOG_INFO,
		journal_send(event, helper->name, text, fields, message_fields(helper, fields)));
}

void message_finding(struct helper *helper, const struct finding *finding)
{
	struct journal_field fields[FIELDS_MAX];
	size_t n = message_fields(helper, fields);
	char text[MESSAGE_MAX], name[REPORT_NAME_MAX];
	struct report_advice advice;

	snprintf(text, sizeof(text), "%s: %s: %s [%s]", message_mount(helper),
		 finding_status_name(finding->status), finding->summary,
		 report_name(finding, name));
	finding_clean(text);
	report_advise(finding, &advice);
	fields[n++] = (struct journal_field){ "NFSRDMA_FINDING", finding->id };
	fields[n++] = (struct journal_field){ "NFSRDMA_STATUS",
					      finding_status_name(finding->status) };
	if (*finding->reason)
		fields[n++] = (struct journal_field){ "NFSRDMA_REASON", finding->reason };
	if (consequence_of(finding) != CONSEQUENCE_UNDECIDED)
		fields[n++] = (struct journal_field){ "NFSRDMA_CONSEQUENCE",
						      consequence_name(consequence_of(finding)) };
	if (*advice.remedy) {
		fields[n++] = (struct journal_field){ "NFSRDMA_CAUSE", advice.cause };
		fields[n++] = (struct journal_field){ "NFSRDMA_REMEDY", advice.remedy };
		fields[n++] = (struct journal_field){ "NFSRDMA_ADVICE", advice.lines };
	}
	message_print(helper, text, false,
		      journal_send(JOURNAL_FINDING, helper->name, text, fields, n));
}
