/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Events, as entries of the journal and as lines on a terminal. */
#include <stdarg.h>

#include "plugin/journal/journal.h"
#include "plugin/watch/internal.h"

#define SENTENCE_MAX 1536

/* Prints @text after the time. @lines: NULL: do not print. */
static void event_line(FILE *lines, const char *text)
{
	char when[32], clean[4 * SENTENCE_MAX];
	time_t now = time(NULL);
	struct tm tm;

	if (!lines)
		return;
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(lines, "%s %s\n", when, utf8_clean(clean, sizeof(clean), text, UTF8_ESCAPE));
	fflush(lines);
}

/* The fields of a finding's entry in addition to MESSAGE. */
#define FINDING_FIELDS 6

static void event_add_finding(struct journal_field *fields, const struct finding *finding,
			      const struct report_advice *advice)
{
	fields[0] = (struct journal_field){ "NFSRDMA_FINDING", finding->id };
	fields[1] = (struct journal_field){ "NFSRDMA_REASON", journal_value(finding->reason) };
	fields[2] = (struct journal_field){ "NFSRDMA_CAUSE", journal_value(advice->cause) };
	fields[3] = (struct journal_field){ "NFSRDMA_REMEDY", journal_value(advice->remedy) };
	fields[4] = (struct journal_field){ "NFSRDMA_ADVICE", journal_value(advice->lines) };
	fields[5] = (struct journal_field){
		"NFSRDMA_CONSEQUENCE", journal_value(consequence_name(consequence_of(finding)))
	};
}

void event_object(void *arg, enum object_event event, const struct watch_object *object)
{
	struct watch *watch = arg;
	bool lost = event == OBJECT_LOST;
	struct journal_field fields[8 + FINDING_FIELDS] = {
		{ "NFSRDMA_KIND", objects_kind_name(object->kind) },
		{ "NFSRDMA_TARGET", journal_value(object->target) },
		{ "NFSRDMA_SPEC", journal_value(object->spec) },
		{ "NFSRDMA_POOL", journal_value(object->pool) },
		{ "NFSRDMA_GUEST", journal_value(object->guest) },
		{ "NFSRDMA_DISK", journal_value(object->disk) },
		{ "NFSRDMA_EFFECTIVE", journal_value(object->proto) },
		{ "NFSRDMA_WANTED_BY", journal_value(object->wanted_by) },
	};
	char text[SENTENCE_MAX], name[REPORT_NAME_MAX];
	struct report_advice advice;
	_cleanup_(finding_fini) struct finding finding = { 0 };

	watch->last[event].at = time(NULL);
	snprintf(watch->last[event].text, sizeof(watch->last[event].text), "%s: %.180s",
		 object->name, object->text);
	finding_clean(watch->last[event].text);
	summary_object(object,
		       !lost               ? FINDING_PASS
		       : object->tolerated ? FINDING_WARN
					   : FINDING_FAIL,
		       &finding);
	report_advise(&finding, &advice);
	/* A gate's text includes what to do. */
	if (lost && *object->remedy)
		text_copy(advice.remedy, sizeof(advice.remedy), object->remedy);
	event_add_finding(fields + 8, &finding, &advice);
	snprintf(text, sizeof(text), "%s: %s: %s%s%s", lost ? "NOT over RDMA" : "over RDMA again",
		 object->name, object->text, lost ? "; what to do: nfsrdma explain " : "",
		 lost ? report_name(&finding, name) : "");
	finding_clean(text);
	journal_send(lost ? JOURNAL_LOST : JOURNAL_BACK, WATCH_NAME, text, fields,
		     ARRAY_SIZE(fields));
	event_line(watch->options->lines, text);
}

void event_silence(void *arg, const struct silence *one, bool silent, uint64_t now)
{
	const struct watch *watch = arg;
	struct journal_field fields[2 + FINDING_FIELDS] = {
		{ "NFSRDMA_TARGET", one->target },
		{ "NFSRDMA_SPEC", one->spec },
	};
	unsigned long long seconds = (now - one->since_ms) / 1000;
	struct report_advice advice = { .cause = "" };
	char text[SENTENCE_MAX], name[REPORT_NAME_MAX];
	_cleanup_(finding_fini) struct finding finding = { 0 };

	summary_silence(one, &finding);
	report_name(&finding, name);
	if (silent)
		report_advise(&finding, &advice);
	else
		finding_reason(&finding, "");
	event_add_finding(fields + 2, &finding, &advice);
	if (silent)
		snprintf(
			text, sizeof(text),
			"SILENT: mount %.150s (%.150s): the server has not answered for %llu s, %llu request%s wait%s; what to do: nfsrdma explain %s",
			one->target, one->spec, seconds, (unsigned long long)one->waiting,
			one->waiting == 1 ? "" : "s", one->waiting == 1 ? "s" : "", name);
	else
		snprintf(text, sizeof(text),
			 "answers again: mount %.150s (%.150s), after about %llu s", one->target,
			 one->spec, seconds);
	finding_clean(text);
	journal_send(silent ? JOURNAL_SILENT : JOURNAL_ANSWERS, WATCH_NAME, text, fields,
		     ARRAY_SIZE(fields));
	event_line(watch->options->lines, text);
}

void event_libvirt_answers(FILE *lines)
{
	static const char text[] = "libvirt answers again: pools and guests are watched";

	journal_send(JOURNAL_ANSWERS, WATCH_NAME, text, NULL, 0);
	event_line(lines, text);
}

void event_unmounted(void *arg, const struct watch_object *object)
{
	const struct watch *watch = arg;
	const struct journal_field fields[] = {
		{ "NFSRDMA_TARGET", object->target },
		{ "NFSRDMA_SPEC", object->spec },
		{ "NFSRDMA_EFFECTIVE", journal_value(object->proto) },
	};
	char text[SENTENCE_MAX];

	snprintf(text, sizeof(text), "%s on %s: unmounted", object->spec, object->target);
	finding_clean(text);
	journal_send(JOURNAL_UNMOUNTED, WATCH_NAME, text, fields, ARRAY_SIZE(fields));
	event_line(watch->options->lines, text);
}

void event_warning(FILE *lines, const char *fmt, ...)
{
	char text[SENTENCE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_clean(text);
	journal_send(JOURNAL_WARNING, WATCH_NAME, text, NULL, 0);
	event_line(lines, text);
}
