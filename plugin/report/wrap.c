/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Wraps paragraphs at blanks: greedy, one column for each character. Paths and ids stay
 * whole, so that they can be copied; so do names in a command whose blanks are escaped with
 * a backslash (shell.c). */
#include "plugin/report/internal.h"

void wrap_print(FILE *out, const char *text, unsigned int indent, unsigned int width)
{
	unsigned int column = indent, wide;
	char word[FINDING_SUMMARY_MAX * 4 + 1];
	size_t len;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		for (len = 0; text[len] && text[len] != ' ';)
			len += text[len] == '\\' && text[len + 1] ? 2 : 1;
		len = len < sizeof(word) ? len : sizeof(word) - 1;
		memcpy(word, text, len);
		word[len] = '\0';
		text += len;
		wide = (unsigned int)utf8_width(word);
		if (column > indent && column + 1 + wide > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		}
		fprintf(out, "%s%s", column > indent ? " " : "", word);
		column += wide + (column > indent);
	}
	fputc('\n', out);
}
