/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Changes in texts that others wrote: the one line that matters, and nothing else. What is
 * a comment for an option stays where it explains it, and becomes the option. */
#include <stdio.h>
#include <strings.h>

#include "plugin/setup/internal.h"

/* A line with those that a backslash joins to it, and its newline if it has one. */
struct edit_piece {
	const char *start;
	size_t len;
};

static bool edit_next_piece(const char **cursor, struct edit_piece *out)
{
	const char *at = *cursor;

	if (!*at)
		return false;
	out->start = at;
	for (; *at; at++)
		if (*at == '\n' && (at == out->start || at[-1] != '\\'))
			break;
	at += *at == '\n';
	out->len = (size_t)(at - out->start);
	*cursor = at;
	return true;
}

/* The line as nfs-utils sees it: what joins two is blanks, and no newline. NULL: no memory. */
static char *edit_flatten(const struct edit_piece *piece)
{
	char *line = strndup(piece->start, piece->len), *at = line;

	if (!line)
		return NULL;
	while ((at = strstr(at, "\\\n")))
		at[0] = at[1] = ' ';
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static size_t edit_blanks(const char *text)
{
	return strspn(text, " \t");
}

/* The line's first character that is no white space. */
static const char *edit_skip_space(const char *line)
{
	return line + strspn(line, " \t\n\v\f\r");
}

/* "[ nfsd ]", without an argument. What has one quote has none, to nfs-utils. */
static bool edit_is_section(const char *line, const char *section)
{
	const char *at = edit_skip_space(line) + 1, *end = strchr(at, ']'), *quote;
	size_t len = strlen(section);

	at += edit_blanks(at);
	if (!end || strncasecmp(at, section, len) != 0)
		return false;
	quote = memchr(at, '"', (size_t)(end - at));
	if (quote && memchr(quote + 1, '"', (size_t)(end - quote - 1)))
		return false;
	at += len;
	at += edit_blanks(at);
	return at == (quote ? quote : end);
}

/* "key = value". */
static bool edit_is_setting(const char *at, const char *key)
{
	size_t len = strlen(key);

	if (strncasecmp(at, key, len) != 0)
		return false;
	at += len;
	return at[edit_blanks(at)] == '=';
}

/* Where a setting goes. */
struct edit_position {
	const char *set;     /* the last line that sets it */
	const char *comment; /* the first one that could */
	const char *section; /* behind the last heading and its settings */
};

/* False: no memory. */
static bool edit_find_position(const char *text, const char *section, const char *key,
			       struct edit_position *out)
{
	bool inside = false;
	struct edit_piece piece;

	*out = (struct edit_position){ .set = NULL };
	while (edit_next_piece(&text, &piece)) {
		_cleanup_free_ char *line = edit_flatten(&piece);
		const char *at, *end = piece.start + piece.len;

		if (!line)
			return false;
		at = edit_skip_space(line);
		if (*at == '[') {
			inside = edit_is_section(line, section);
			if (inside)
				out->section = end;
		} else if (inside && (*at == '#' || *at == ';')) {
			at++;
			at += edit_blanks(at);
			if (!out->comment && edit_is_setting(at, key))
				out->comment = piece.start;
		} else if (inside && *at) {
			out->section = end;
			if (edit_is_setting(at, key))
				out->set = piece.start;
		}
	}
	return true;
}

char *edit_set(const char *text, const char *section, const char *key, const char *value)
{
	size_t len = text ? strlen(text) : 0, body = len - (len && text[len - 1] == '\n');
	bool joined = body && text[body - 1] == '\\';
	_cleanup_free_ char *whole = NULL;
	char heading[64] = "", *out = NULL;
	const char *at, *rest;
	struct edit_piece piece;
	struct edit_position position;

	/* With an end to its last line, also where a backslash would join it to the next. */
	if (asprintf(&whole, "%s%s%s", text ? text : "", len && body == len ? "\n" : "",
		     joined ? "\n" : "") < 0) {
		whole = NULL;
		return NULL;
	}
	if (!edit_find_position(whole, section, key, &position))
		return NULL;
	at = position.set ? position.set : position.comment;
	if (at) {
		rest = at;
		edit_next_piece(&rest, &piece);
	} else if (position.section) {
		rest = at = position.section;
	} else {
		rest = at = whole + strlen(whole);
		snprintf(heading, sizeof(heading), "%s[%s]\n", *whole ? "\n" : "", section);
	}
	if (asprintf(&out, "%.*s%s%s=%s\n%s", (int)(at - whole), whole, heading, key, value, rest) <
	    0)
		return NULL;
	return out;
}

char *edit_uncomment(const char *text, const char *word, bool *found)
{
	const char *cursor = text, *at;
	size_t len = strlen(word);
	char *out = NULL;

	*found = false;
	for (; *cursor && !*found; cursor += strcspn(cursor, "\n")) {
		cursor += *cursor == '\n';
		at = cursor + edit_blanks(cursor);
		if (*at != '#')
			continue;
		at += 1 + edit_blanks(at + 1);
		if (strncmp(at, word, len) != 0)
			continue;
		at += len;
		at += edit_blanks(at);
		*found = !*at || *at == '\n';
		if (*found && asprintf(&out, "%.*s%s\n%s", (int)(cursor - text), text, word,
				       *at ? at + 1 : at) < 0)
			return NULL;
	}
	return out;
}

char *edit_append(const char *text, const char *line)
{
	size_t len = text ? strlen(text) : 0;
	char *out = NULL;

	if (asprintf(&out, "%s%s%s\n", text ? text : SETUP_HEADER,
		     len && text[len - 1] != '\n' ? "\n" : "", line) < 0)
		return NULL;
	return out;
}
