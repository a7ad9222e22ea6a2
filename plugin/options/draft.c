/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* A plan in the making: each change of the options is recorded with its reason. */
#include <stdarg.h>
#include <stdio.h>

#include "plugin/options/internal.h"
#include "rpcrdma/base/grow.h"

/* "name=value"; NULL: no memory, or no name. */
static char *draft_option_text(const char *name, const char *value)
{
	char *text = NULL;

	if (name && asprintf(&text, "%s%s%s", name, value ? "=" : "", value ? value : "") < 0)
		return NULL;
	return text;
}

PRINTF_LIKE(1, 0) static char *draft_reason_format(const char *fmt, va_list ap)
{
	char *text = NULL;

	return vasprintf(&text, fmt, ap) < 0 ? NULL : text;
}

/* Takes the texts. */
static int draft_record(struct draft *draft, enum plan_change_kind kind, char *before, char *after,
			char *reason)
{
	struct plan *plan = draft->plan;
	struct plan_change change = { kind, before, after, reason };

	if (!grow(plan->changes, plan->nchanges) || !reason || (!before && kind != PLAN_ADDED) ||
	    (!after && kind != PLAN_REMOVED)) {
		free(before);
		free(after);
		free(reason);
		return err_no_memory();
	}
	plan->changes[plan->nchanges++] = change;
	return 0;
}

int draft_replace(struct draft *draft, size_t index, const char *name, const char *value,
		  const char *reason, ...)
{
	struct opt old = opts_at(draft->opts, index);
	char *before = draft_option_text(old.name, old.value), *text;
	va_list ap;
	int rc;

	va_start(ap, reason);
	text = draft_reason_format(reason, ap);
	va_end(ap);
	rc = draft_record(draft, PLAN_REPLACED, before, draft_option_text(name, value), text);
	return rc ? rc : opts_replace(draft->opts, index, name, value);
}

int draft_insert(struct draft *draft, size_t index, const char *name, const char *value,
		 const char *reason, ...)
{
	va_list ap;
	char *text;
	int rc;

	va_start(ap, reason);
	text = draft_reason_format(reason, ap);
	va_end(ap);
	rc = draft_record(draft, PLAN_ADDED, NULL, draft_option_text(name, value), text);
	return rc ? rc : opts_insert(draft->opts, index, name, value);
}

int draft_remove(struct draft *draft, size_t index, const char *reason, ...)
{
	struct opt old = opts_at(draft->opts, index);
	va_list ap;
	char *text;
	int rc;

	va_start(ap, reason);
	text = draft_reason_format(reason, ap);
	va_end(ap);
	rc = draft_record(draft, PLAN_REMOVED, draft_option_text(old.name, old.value), NULL, text);
	if (!rc)
		opts_remove(draft->opts, index);
	return rc;
}

int draft_warn(struct draft *draft, const char *fmt, ...)
{
	struct plan *plan = draft->plan;
	va_list ap;

	if (!grow(plan->warnings, plan->nwarnings))
		return err_no_memory();
	va_start(ap, fmt);
	plan->warnings[plan->nwarnings] = draft_reason_format(fmt, ap);
	va_end(ap);
	if (!plan->warnings[plan->nwarnings])
		return err_no_memory();
	plan->nwarnings++;
	return 0;
}
