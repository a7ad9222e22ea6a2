/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Bounded lists in a sentence: items that do not fit are counted. */
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>

#include "plugin/report/words.h"

/* " and 4294967295 more" */
#define TAIL_MAX 24

const char *words_address(const struct transport_address *address, char name[ADDRESS_NAME_MAX])
{
	if (getnameinfo((const struct sockaddr *)&address->addr, address->len, name,
			ADDRESS_NAME_MAX, NULL, 0, NI_NUMERICHOST))
		str_copy(name, ADDRESS_NAME_MAX, "?");
	return name;
}

void words_add(struct words *words, const char *fmt, ...)
{
	const char *comma = !words->count ? "" : words->separator ? words->separator : ", ";
	size_t room = WORDS_MAX - TAIL_MAX - words->used;
	char item[WORDS_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(item, sizeof(item), fmt, ap);
	va_end(ap);
	if (words->left_out || strlen(comma) + strlen(item) >= room) {
		words->left_out++;
		return;
	}
	words->used += (size_t)snprintf(words->text + words->used, room, "%s%s", comma, item);
	words->count++;
}

const char *words_text(struct words *words)
{
	if (words->left_out)
		snprintf(words->text + words->used, WORDS_MAX - words->used, " and %u more",
			 words->left_out);
	return words->text;
}
