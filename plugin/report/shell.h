/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* These quote every name in a command that may be copied into a shell. */
#ifndef PLUGIN_SHELL_H
#define PLUGIN_SHELL_H

#include "rpcrdma/base.h"

#define SHELL_WORD_MAX 1024

struct shell_word {
	char text[SHELL_WORD_MAX];
};

/* One word for a shell, without special characters. For use after an option or a keyword.
 * "...", where it is too long. Printable; ASCII without control characters, and UTF-8. */
const char *shell_word(struct shell_word *word, const char *text);
/* The same where an option could stand: one that begins with a dash has "-- " before it. */
const char *shell_operand(struct shell_word *word, const char *text);

/* For one command. */
#define SHELL_WORD(text)    shell_word(&(struct shell_word){ "" }, text)
#define SHELL_OPERAND(text) shell_operand(&(struct shell_word){ "" }, text)

#endif
