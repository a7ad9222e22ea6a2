/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The text of the last error, one slot per thread. The code that detects an error describes it
 * once; callers prepend their context, so the outermost context comes first. */
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/base/base.h"

static _Thread_local char slot[ERR_TEXT_MAX];
static _Thread_local char slot_reason[ERR_REASON_MAX];

/* Does not format into the slot itself: the arguments may point into it through err_text(). */
static void err_set_slot(const char *fmt, va_list ap) PRINTF_LIKE(1, 0);

static void err_set_slot(const char *fmt, va_list ap)
{
	char text[ERR_TEXT_MAX];

	vsnprintf(text, sizeof(text), fmt, ap);
	str_copy(slot, sizeof(slot), text);
	slot_reason[0] = '\0';
}

int err_because(int rc, const char *reason)
{
	str_copy(slot_reason, sizeof(slot_reason), reason);
	return rc;
}

const char *err_reason(void)
{
	return slot_reason;
}

int err_set(int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_set_slot(fmt, ap);
	va_end(ap);
	return -errnum;
}

int err_sys(const char *fmt, ...)
{
	int errnum = errno;
	const char *reason = strerrordesc_np(errnum);
	size_t used;
	va_list ap;

	va_start(ap, fmt);
	err_set_slot(fmt, ap);
	va_end(ap);
	used = strlen(slot);
	snprintf(slot + used, sizeof(slot) - used, ": %s", reason ? reason : "unknown");
	return -errnum;
}

int err_no_memory(void)
{
	return err_set(ENOMEM, "no memory");
}

int err_context(int rc, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	size_t used;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	used = strlen(text);
	/* Truncation must not lose the context: it drops the end of the earlier text. */
	if (used + 2 < sizeof(text)) {
		memcpy(text + used, ": ", 2);
		str_copy(text + used + 2, sizeof(text) - used - 2, slot);
	}
	str_copy(slot, sizeof(slot), text);
	return rc;
}

const char *err_text(void)
{
	return slot;
}

void err_clear(void)
{
	slot[0] = '\0';
	slot_reason[0] = '\0';
}

void err_keep(struct err_kept *kept, int rc)
{
	kept->rc = rc;
	str_copy(kept->reason, sizeof(kept->reason), slot_reason);
	str_copy(kept->text, sizeof(kept->text), slot);
}

int err_again(const struct err_kept *kept)
{
	str_copy(slot, sizeof(slot), kept->text);
	str_copy(slot_reason, sizeof(slot_reason), kept->reason);
	return kept->rc;
}
