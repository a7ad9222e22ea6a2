/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* What happened, in the journal, and as a line for who sits before it. */
#include <stdarg.h>

#include "plugin/journal/journal.h"
#include "plugin/watch/internal.h"

#define SENTENCE_MAX 1536

void tell_line(FILE *lines, const char *text)
{
	char when[32], clean[4 * SENTENCE_MAX];
	time_t now = time(NULL);
	struct tm tm;

	if (!lines)
		return;
	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(lines, "%s %s\n", when,
		utf8_clean(clean, sizeof(clean), text, UTF8_ESCAPE));
	fflush(lines);
}

void tell_thing(void *arg, enum thing_event event, const struct thing *thing)
{
	const struct watch *watch = arg;
	const struct meaning *meaning = meaning_find(thing->id);
	const char *remedy = *thing->remedy ? thing->remedy
			     : meaning      ? meaning->remedy
					    : NULL;
	bool lost = event == THING_LOST;
	const struct journal_field fields[] = {
		{ "NFSRDMA_KIND", things_kind_name(thing->kind) },
		{ "NFSRDMA_TARGET", *thing->target ? thing->target : NULL },
		{ "NFSRDMA_SPEC", *thing->spec ? thing->spec : NULL },
		{ "NFSRDMA_POOL", *thing->pool ? thing->pool : NULL },
		{ "NFSRDMA_GUEST", *thing->guest ? thing->guest : NULL },
		{ "NFSRDMA_DISK", *thing->disk ? thing->disk : NULL },
		{ "NFSRDMA_EFFECTIVE", *thing->proto ? thing->proto : NULL },
		{ "NFSRDMA_WANTED_BY", *thing->wanted_by ? thing->wanted_by : NULL },
		{ "NFSRDMA_FINDING", thing->id },
		{ "NFSRDMA_CAUSE", lost && meaning ? meaning->cause : NULL },
		{ "NFSRDMA_REMEDY", lost ? remedy : NULL },
	};
	char text[SENTENCE_MAX];

	snprintf(text, sizeof(text), "%s: %s: %s%s%s",
		 lost ? "NOT over RDMA" : "over RDMA again", thing->name, thing->text,
		 lost ? "; what to do: nfsrdma explain " : "", lost ? thing->id : "");
	finding_clean(text);
	journal_send(lost ? JOURNAL_LOST : JOURNAL_BACK, WATCH_NAME, text, fields,
		     ARRAY_SIZE(fields));
	tell_line(watch->options->lines, text);
}

void tell_silence(void *arg, const struct silence *one, bool silent, uint64_t now)
{
	const struct watch *watch = arg;
	const struct journal_field fields[] = {
		{ "NFSRDMA_TARGET", one->target },
		{ "NFSRDMA_SPEC", one->spec },
		{ "NFSRDMA_FINDING", "watch.silent" },
	};
	unsigned long long seconds = (now - one->since_ms) / 1000;
	char text[SENTENCE_MAX];

	if (silent)
		snprintf(
			text, sizeof(text),
			"SILENT: mount %.150s (%.150s): the server has not answered for %llu s, %llu request%s wait%s; what to do: nfsrdma explain watch.silent",
			one->target, one->spec, seconds, (unsigned long long)one->waiting,
			one->waiting == 1 ? "" : "s", one->waiting == 1 ? "s" : "");
	else
		snprintf(text, sizeof(text),
			 "answers again: mount %.150s (%.150s), after some %llu s",
			 one->target, one->spec, seconds);
	finding_clean(text);
	journal_send(silent ? JOURNAL_SILENT : JOURNAL_ANSWERS, WATCH_NAME, text, fields,
		     ARRAY_SIZE(fields));
	tell_line(watch->options->lines, text);
}

void tell_answers(FILE *lines)
{
	static const char text[] = "libvirt answers again: pools and guests are followed";

	journal_send(JOURNAL_ANSWERS, WATCH_NAME, text, NULL, 0);
	tell_line(lines, text);
}

void tell_gone(void *arg, const struct record *record)
{
	const struct watch *watch = arg;
	const struct journal_field fields[] = {
		{ "NFSRDMA_TARGET", record->target },
		{ "NFSRDMA_SPEC", record->fs_spec },
		{ "NFSRDMA_EFFECTIVE", *record->effective ? record->effective : NULL },
	};
	char text[SENTENCE_MAX];

	snprintf(text, sizeof(text), "%s on %s: unmounted", record->fs_spec,
		 record->target);
	finding_clean(text);
	journal_send(JOURNAL_UNMOUNTED, WATCH_NAME, text, fields, ARRAY_SIZE(fields));
	tell_line(watch->options->lines, text);
}

void tell_warning(FILE *lines, const char *fmt, ...)
{
	char text[SENTENCE_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	finding_clean(text);
	journal_send(JOURNAL_WARNING, WATCH_NAME, text, NULL, 0);
	tell_line(lines, text);
}
