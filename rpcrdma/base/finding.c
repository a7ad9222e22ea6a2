/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Findings, and the record that carries one over a pipe:
 *
 *	u32 length of the rest · u8 status · u8 number of evidence entries ·
 *	id, reason, summary, then per entry: u8 is_number, key, value
 *
 * where a text is a u16 length and its bytes. Numbers are big-endian. The reader checks every
 * bound and refuses bytes that are not text, because the bytes that the writer decodes may have
 * compromised it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "rpcrdma/base/finding.h"
#include "rpcrdma/base/grow.h"

static const char *const status_names[FINDING_STATUS_COUNT] = {
	[FINDING_PASS] = "pass", [FINDING_WARN] = "warn",       [FINDING_FAIL] = "fail",
	[FINDING_SKIP] = "skip", [FINDING_UNKNOWN] = "unknown",
};

const char *finding_status_name(enum finding_status status)
{
	return status < FINDING_STATUS_COUNT ? status_names[status] : "unknown";
}

bool finding_is_defect(const struct finding *finding)
{
	return !strncmp(finding->id, "bug.", 4);
}

const char *finding_evidence(const struct finding *finding, const char *key)
{
	unsigned int i;

	for (i = 0; i < finding->nevidence; i++)
		if (!strcmp(finding->evidence[i].key, key))
			return finding->evidence[i].value;
	return "";
}

/* Length of the character at @p, 0 if it is a control character or not UTF-8 (RFC 3629): a name
 * chosen by a server must not move a terminal's cursor, and JSON must be UTF-8. */
static size_t finding_char_len(const uint8_t *p, size_t left)
{
	size_t len = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
	static const uint32_t least[] = { 0, 0x20, 0xa0, 0x800, 0x10000 };
	uint32_t c = len == 1 ? *p : *p & (0x7f >> len);
	size_t i;

	if (len > left || *p >= 0xf8 || (*p & 0xc0) == 0x80)
		return 0;
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || c == 0x7f || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

void finding_clean(char *text)
{
	size_t left = strlen(text);
	size_t len;

	for (; left; text += len, left -= len) {
		len = finding_char_len((const uint8_t *)text, left);
		if (!len) {
			*text = '?';
			len = 1;
		}
	}
}

void finding_init(struct finding *finding, const char *id, enum finding_status status,
		  const char *fmt, ...)
{
	va_list ap;

	finding->status = status;
	finding->no_memory = false;
	finding->nevidence = 0;
	finding->reason[0] = '\0';
	str_copy(finding->id, sizeof(finding->id), id);
	va_start(ap, fmt);
	vsnprintf(finding->summary, sizeof(finding->summary), fmt, ap);
	va_end(ap);
	finding_clean(finding->summary);
}

void finding_reason(struct finding *finding, const char *reason)
{
	str_copy(finding->reason, sizeof(finding->reason), reason);
}

/* @e is not of the evidence, which may move: texts that it was made from may be. */
static void finding_add(struct finding *finding, const struct finding_evidence *e)
{
	if (finding->nevidence == FINDING_EVIDENCE_MAX)
		return;
	if (!grow(finding->evidence, finding->nevidence)) {
		finding->no_memory = true;
		return;
	}
	finding->evidence[finding->nevidence++] = *e;
}

void finding_text(struct finding *finding, const char *key, const char *fmt, ...)
{
	struct finding_evidence e = { .is_number = false };
	va_list ap;

	snprintf(e.key, sizeof(e.key), "%s", key);
	finding_clean(e.key);
	va_start(ap, fmt);
	vsnprintf(e.value, sizeof(e.value), fmt, ap);
	va_end(ap);
	finding_clean(e.value);
	finding_add(finding, &e);
}

/* The only format of a number, which is also JSON's; JSON has no infinity and no NaN, so those
 * are text. */
static void finding_set_number(struct finding_evidence *e, double value)
{
	e->is_number = isfinite(value);
	snprintf(e->value, sizeof(e->value), "%.15g", value);
}

void finding_number(struct finding *finding, const char *key, double value)
{
	struct finding_evidence e = { .is_number = true };

	snprintf(e.key, sizeof(e.key), "%s", key);
	finding_clean(e.key);
	finding_set_number(&e, value);
	finding_add(finding, &e);
}

void finding_copy(struct finding *to, const struct finding *from)
{
	struct finding_evidence *evidence = to->evidence;
	unsigned int i;

	*to = *from;
	to->evidence = evidence;
	to->nevidence = 0;
	for (i = 0; i < from->nevidence; i++)
		finding_add(to, &from->evidence[i]);
}

void finding_fini(struct finding *finding)
{
	free(finding->evidence);
	finding->evidence = NULL;
	finding->nevidence = 0;
}

/* Writing the record */

struct finding_writer {
	uint8_t *p;
	size_t left;
	bool bad; /* did not fit; stays */
};

static void finding_put_bytes(struct finding_writer *w, const void *bytes, size_t len)
{
	if (w->bad || len > w->left) {
		w->bad = true;
		return;
	}
	memcpy(w->p, bytes, len);
	w->p += len;
	w->left -= len;
}

static void finding_put_u8(struct finding_writer *w, unsigned int v)
{
	uint8_t byte = v & 0xff;

	finding_put_bytes(w, &byte, 1);
}

static void finding_put_text(struct finding_writer *w, const char *text)
{
	uint8_t len[2];

	put_be16(len, (uint16_t)strlen(text));
	finding_put_bytes(w, len, sizeof(len));
	finding_put_bytes(w, text, strlen(text));
}

int finding_encode(const struct finding *finding, void *buf, size_t cap)
{
	struct finding_writer w = { .p = buf, .left = cap };
	unsigned int i;

	if (finding->no_memory)
		return err_set(ENOMEM, "no memory for the evidence of finding %s", finding->id);
	finding_put_bytes(&w, "\0\0\0\0", 4); /* the length, known at the end */
	finding_put_u8(&w, finding->status);
	finding_put_u8(&w, finding->nevidence);
	finding_put_text(&w, finding->id);
	finding_put_text(&w, finding->reason);
	finding_put_text(&w, finding->summary);
	for (i = 0; i < finding->nevidence; i++) {
		finding_put_u8(&w, finding->evidence[i].is_number);
		finding_put_text(&w, finding->evidence[i].key);
		finding_put_text(&w, finding->evidence[i].value);
	}
	if (w.bad)
		return err_set(ENOSPC, "finding %s does not fit %zu bytes", finding->id, cap);
	put_be32(buf, (uint32_t)(cap - w.left - 4));
	return (int)(cap - w.left);
}

/* Reading it */

struct finding_reader {
	const uint8_t *p;
	size_t left;
};

static const uint8_t *finding_get_bytes(struct finding_reader *r, size_t len)
{
	const uint8_t *p = r->p;

	if (len > r->left)
		return NULL;
	r->p += len;
	r->left -= len;
	return p;
}

/* -1 if there is none or it is over @max. */
static int finding_get_u8(struct finding_reader *r, unsigned int max)
{
	const uint8_t *p = finding_get_bytes(r, 1);

	return p && *p <= max ? *p : -1;
}

static bool finding_bytes_are_clean(const uint8_t *p, size_t left)
{
	size_t len;

	for (; left; p += len, left -= len) {
		len = finding_char_len(p, left);
		if (!len)
			return false;
	}
	return true;
}

bool finding_is_clean(const char *text)
{
	return finding_bytes_are_clean((const uint8_t *)text, strlen(text));
}

static bool finding_get_text(struct finding_reader *r, char *out, size_t cap)
{
	const uint8_t *p = finding_get_bytes(r, 2);
	size_t len = p ? get_be16(p) : cap;

	if (len >= cap)
		return false;
	p = finding_get_bytes(r, len);
	if (!p || !finding_bytes_are_clean(p, len))
		return false;
	memcpy(out, p, len);
	out[len] = '\0';
	return true;
}

static bool finding_get_evidence(struct finding_reader *r, struct finding_evidence *e)
{
	int is_number = finding_get_u8(r, 1);
	double value;
	char *end;

	if (is_number < 0 || !finding_get_text(r, e->key, sizeof(e->key)) ||
	    !finding_get_text(r, e->value, sizeof(e->value)))
		return false;
	e->is_number = is_number;
	if (!e->is_number)
		return true;
	/* It is printed bare into JSON, so it is formatted again and not passed on. */
	value = strtod(e->value, &end);
	if (!*e->value || *end || !isfinite(value))
		return false;
	finding_set_number(e, value);
	return true;
}

/* Ids and reasons are words of the finding table: they become labels and keys elsewhere. */
static bool finding_is_word(const char *text)
{
	return !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._-")];
}

static int finding_decode_body(struct finding *finding, struct finding_reader *r)
{
	int status = finding_get_u8(r, FINDING_STATUS_COUNT - 1);
	int count = finding_get_u8(r, FINDING_EVIDENCE_MAX);
	struct finding_evidence e;
	int i;

	finding->no_memory = false;
	finding->nevidence = 0;
	if (status < 0 || count < 0 || !finding_get_text(r, finding->id, sizeof(finding->id)) ||
	    !*finding->id || !finding_is_word(finding->id) ||
	    !finding_get_text(r, finding->reason, sizeof(finding->reason)) ||
	    !finding_is_word(finding->reason) ||
	    !finding_get_text(r, finding->summary, sizeof(finding->summary)))
		return err_set(EPROTO, "malformed finding");
	for (i = 0; i < count; i++) {
		if (!finding_get_evidence(r, &e))
			return err_set(EPROTO, "malformed evidence of finding %s", finding->id);
		finding_add(finding, &e);
	}
	if (r->left)
		return err_set(EPROTO, "finding %s has %zu bytes too many", finding->id, r->left);
	if (finding->no_memory)
		return err_set(ENOMEM, "no memory for the evidence of finding %s", finding->id);
	finding->status = status;
	return 0;
}

int finding_decode(struct finding *finding, const void *buf, size_t len)
{
	struct finding_reader r = { .p = buf, .left = len };
	const uint8_t *head = finding_get_bytes(&r, 4);
	int rc;

	if (!head)
		return 0;
	if (get_be32(head) > FINDING_RECORD_MAX - 4)
		return err_set(EPROTO, "finding of %u bytes", get_be32(head));
	if (r.left < get_be32(head))
		return 0;
	r.left = get_be32(head);
	rc = finding_decode_body(finding, &r);
	return rc ? rc : (int)(4 + get_be32(head));
}
