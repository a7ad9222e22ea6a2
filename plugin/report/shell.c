/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Names in the commands that the program prints for a shell (POSIX.1-2017, Shell Command Language, 2.2).
 * An interface may be called "i;reboot;", and a path may hold any byte but NUL. Backslashes, as bash's
 * printf %q writes them: such a word can stand in a sentence between the quotes of a command. */
#include <stdio.h>

#include "plugin/report/internal.h"
#include "plugin/report/shell.h"

/* Of bytes, not of letters in the locale. The tilde is special at the beginning alone, and comes
 * nowhere else in names. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_@%+=:,./-";

/* How the character at @text, of @len bytes, is written. What a terminal would obey, or a report would
 * replace, is octal: it is the same name again in bash, and another, harmless one in a shell that does
 * not know $''. */
static void write_character(const char *text, size_t len, bool printable, char piece[48])
{
	size_t i, used = 0;

	if (printable && len == 1 && !strchr(plain, *text)) {
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
		return strcpy(word->text, "''");
	for (; *text; text += len) {
		len = utf8_length(text, &printable);
		write_character(text, len, printable, piece);
		/* The beginning of a name is another name. */
		if (used + strlen(piece) >= sizeof(word->text))
			return strcpy(word->text, "...");
		strcpy(word->text + used, piece);
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
