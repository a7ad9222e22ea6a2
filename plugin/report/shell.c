/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Quotes names in the commands that the program prints for a shell (POSIX.1-2017, Shell
 * Command Language, 2.2). An interface may be named "i;reboot;", and a path may contain any
 * byte but NUL. Uses backslashes, as bash's printf %q: such a word can also be within a
 * command that a sentence quotes. */
#include <stdio.h>

#include "plugin/report/internal.h"
#include "plugin/report/shell.h"

/* Bytes, not letters of the locale. The tilde is special only at the beginning, and does
 * not occur elsewhere in names. */
static const char shell_plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_@%+=:,./-";

/* Quotes the character at @text, of @len bytes. Characters that a terminal would interpret,
 * or a report would replace, become octal. bash restores the name; a shell without $'' sees
 * another, harmless one. */
static void shell_quote(const char *text, size_t len, bool printable, char piece[48])
{
	size_t i, used = 0;

	if (printable && len == 1 && !strchr(shell_plain, *text)) {
		snprintf(piece, 48, "\\%c", *text);
	} else if (printable) {
		snprintf(piece, 48, "%.*s", (int)len, text);
	} else {
		used = (size_t)snprintf(piece, 48, "$'");
		for (i = 0; i < len; i++)
			used += (size_t)snprintf(piece + used, 48 - used, "\\%03o",
						 (unsigned char)text[i]);
		snprintf(piece + used, 48 - used, "'");
	}
}

const char *shell_word(struct shell_word *word, const char *text)
{
	size_t used = 0, len;
	bool printable;
	char piece[48];

	if (!*text)
		str_copy(word->text, sizeof(word->text), "''");
	for (; *text; text += len) {
		len = utf8_length(text, &printable);
		shell_quote(text, len, printable, piece);
		/* A truncated name would be another name. */
		if (!str_copy(word->text + used, sizeof(word->text) - used, piece)) {
			str_copy(word->text, sizeof(word->text), "...");
			break;
		}
		used += strlen(piece);
	}
	return word->text;
}

const char *shell_operand(struct shell_word *word, const char *text)
{
	struct shell_word plainly;

	if (*text != '-')
		return shell_word(word, text);
	snprintf(word->text, sizeof(word->text), "-- %.*s", (int)sizeof(word->text) - 4,
		 shell_word(&plainly, text));
	return word->text;
}
