/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* These functions quote each name in a command that may be copied into a shell. */
#ifndef PLUGIN_SHELL_H
#define PLUGIN_SHELL_H

#include "rpcrdma/base/base.h"

#define SHELL_WORD_MAX 1024

struct shell_word {
	char text[SHELL_WORD_MAX];
};

/* Quotes @text as one word for a shell, for use after an option or a keyword. "..." if it
 * is too long. Printable; ASCII without control characters, and UTF-8. */
const char *shell_word(struct shell_word *word, const char *text);
/* The same where an option is possible: "-- " is added before a word that begins with a
 * dash. */
const char *shell_operand(struct shell_word *word, const char *text);

/* Valid within one statement. */
#define SHELL_WORD(text)    shell_word(&(struct shell_word){ "" }, text)
#define SHELL_OPERAND(text) shell_operand(&(struct shell_word){ "" }, text)

#endif
