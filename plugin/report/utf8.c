/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Makes arbitrary bytes safe to display (Unicode 15, section 3.9; RFC 3629): file names,
 * texts of a peer and arguments may contain invalid UTF-8, control characters that a
 * terminal interprets (C0, DEL, and C1, which are two bytes in UTF-8), or marks that change
 * the direction of text. */
#include "plugin/report/internal.h"

/* First and last code point of each range that is not displayed. */
static const uint32_t utf8_unprintable[][2] = {
	{ 0x00, 0x1f },     { 0x7f, 0x9f },     /* C0; DEL and C1 */
	{ 0x200e, 0x200f }, { 0x2028, 0x202e }, /* marks, separators and overrides */
	{ 0x2066, 0x2069 }, { 0xfeff, 0xfeff }, /* isolates; byte order mark */
};

/* Bytes of the well-formed character at @p (a terminated string), 0 if there is none. */
static size_t utf8_decode(const uint8_t *p, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len, i;

	len = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (!len || p[0] > 0xf4)
		return 0;
	*cp = len == 1 ? p[0] : p[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (p[i] & 0x3fu);
	}
	if (*cp < least[len] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return len;
}

size_t utf8_length(const char *text, bool *printable)
{
	uint32_t cp = 0;
	size_t len = utf8_decode((const uint8_t *)text, &cp), i;

	*printable = len > 0;
	for (i = 0; i < ARRAY_SIZE(utf8_unprintable); i++)
		if (cp >= utf8_unprintable[i][0] && cp <= utf8_unprintable[i][1])
			*printable = false;
	return len ? len : 1;
}

char *utf8_clean(char *out, size_t cap, const char *text, enum utf8_repair repair)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t used = 0, len, i;
	char piece[20];
	bool printable;

	for (; *p; p += len) {
		len = utf8_length((const char *)p, &printable);
		piece[0] = '\0';
		if (printable)
			snprintf(piece, sizeof(piece), "%.*s", (int)len, (const char *)p);
		else if (repair == UTF8_REPLACE)
			str_copy(piece, sizeof(piece), "\xef\xbf\xbd");
		else
			for (i = 0; i < len; i++)
				snprintf(piece + 4 * i, 5, "\\x%02x", p[i]);
		if (!str_copy(out + used, cap - used, piece))
			break;
		used += strlen(piece);
	}
	out[used] = '\0';
	return out;
}

size_t utf8_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((uint8_t)*text & 0xc0) != 0x80;
	return n;
}
