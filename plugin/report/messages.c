/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Finds a message of another program, as copied from a log, in the index that
 * findings/make-messages generates from findings/nfsrdma.messages. Pure. */
#include <ctype.h>
#include <stdio.h>

#include "plugin/report/internal.h"

/* The fewest characters that identify a part of a message. */
#define PART_MIN 9

const struct message *message_next(const struct message *after)
{
	const struct message *row = after ? after + 1 : message_table;

	return row->program ? row : NULL;
}

/* Trims blanks and merges several into one: a log may have wrapped the line. */
static void message_squeeze(const char *text, char *out, size_t cap)
{
	size_t used = 0;

	for (; *text && used < cap - 1; text++) {
		if (!isspace((unsigned char)*text))
			out[used++] = *text;
		else if (used && out[used - 1] != ' ')
			out[used++] = ' ';
	}
	while (used && out[used - 1] == ' ')
		used--;
	out[used] = '\0';
}

/* The next part of *@cursor between two "{name}", trimmed; NULL: no more parts. */
static const char *message_next_part(const char **cursor, size_t *len)
{
	const char *at = *cursor;

	while (*at == '{' || *at == ' ')
		at += *at == '{' ? strcspn(at, "}") + 1 : 1;
	if (!*at)
		return NULL;
	*len = strcspn(at, "{");
	*cursor = at + *len;
	while (at[*len - 1] == ' ')
		--*len;
	return at;
}

/* The total length of the message's parts if @text contains all of them in order, else 0. */
static size_t message_match_parts(const char *message, const char *text)
{
	const char *part;
	size_t len, score = 0;

	while ((part = message_next_part(&message, &len))) {
		text = memmem(text, strlen(text), part, len);
		if (!text)
			return 0;
		text += len;
		score += len;
	}
	return score;
}

/* The length of @text if one part contains it, because only a piece of the message was
 * pasted; else 0. */
static size_t message_match_piece(const char *message, const char *text)
{
	size_t len, wanted = strlen(text);
	const char *part;

	while (wanted >= PART_MIN && (part = message_next_part(&message, &len)))
		if (memmem(part, len, text, wanted))
			return wanted;
	return 0;
}

size_t message_match(const struct message *message, const char *text)
{
	char clean[MESSAGE_TEXT_MAX];
	size_t score;

	message_squeeze(text, clean, sizeof(clean));
	score = message_match_parts(message->text, clean);
	return score ? score : message_match_piece(message->text, clean);
}

const struct message *message_of(const char *program, const char *line)
{
	const struct message *row, *best = NULL;
	size_t score, most = 0;

	for (row = message_next(NULL); row; row = message_next(row)) {
		if (strncmp(row->program, program, strlen(program)) != 0)
			continue;
		score = message_match_parts(row->text, line);
		if (score > most) {
			most = score;
			best = row;
		}
	}
	return best;
}

void message_value(const struct message *message, const char *line, char *buf, size_t cap)
{
	const char *cursor = message->text, *part, *end;
	size_t len;

	buf[0] = '\0';
	part = message_next_part(&cursor, &len);
	line = part && part == message->text ? memmem(line, strlen(line), part, len) : NULL;
	if (!line || *cursor != '{')
		return;
	line += len;
	part = message_next_part(&cursor, &len);
	/* "mlx5_core 0000:3b:00.0: ..." */
	if (part && len == 1 && *part == ':' && part[1] == ' ')
		len = 2;
	end = part ? memmem(line, strlen(line), part, len) : line + strlen(line);
	/* Parts are trimmed, so the blanks around the value are its own yet. */
	line += strspn(line, " ");
	while (end && end > line && end[-1] == ' ')
		end--;
	if (end)
		snprintf(buf, cap, "%.*s", (int)(end - line), line);
}
