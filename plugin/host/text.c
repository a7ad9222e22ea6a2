/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Line-oriented text. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>

#include "plugin/host/internal.h"

char *line_next(char **cursor)
{
	char *line = *cursor, *end;

	if (!*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*cursor = end ? end + 1 : line + strlen(line);
	return line;
}

static bool word_is_blank(char c)
{
	return c && isspace((unsigned char)c);
}

char *word_next(char **cursor)
{
	char *word = *cursor, *end;

	while (word_is_blank(*word))
		word++;
	for (end = word; *end && !word_is_blank(*end); end++)
		;
	*cursor = *end ? end + 1 : end;
	*end = '\0';
	return *word ? word : NULL;
}

char *line_next_joined(char **cursor, unsigned int *number)
{
	char *line = *cursor, *end;

	if (!*line)
		return NULL;
	for (end = line; *end; end++) {
		if (*end != '\n')
			continue;
		++*number;
		if (end == line || end[-1] != '\\')
			break;
		end[-1] = *end = ' ';
	}
	/* The last line may lack a newline. */
	if (!*end)
		++*number;
	*cursor = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

char *text_copy(char *dst, size_t cap, const char *src)
{
	size_t len = strnlen(src, cap - 1);

	/* Do not truncate within a character: the rest of it would become question marks. */
	if (src[len])
		while (len && ((unsigned char)src[len] & 0xc0) == 0x80)
			len--;
	memcpy(dst, src, len);
	dst[len] = '\0';
	finding_clean(dst);
	return dst;
}

char *text_trim(char *text)
{
	size_t len;

	while (word_is_blank(*text))
		text++;
	for (len = strlen(text); len && word_is_blank(text[len - 1]); len--)
		;
	text[len] = '\0';
	return text;
}

char *text_unquote(char *value)
{
	size_t len;

	value = text_trim(value);
	len = strlen(value);
	if (len > 1 && (*value == '"' || *value == '\'') && value[len - 1] == *value) {
		value[len - 1] = '\0';
		value++;
	}
	return value;
}

const char *text_below(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	if (len == 1)
		return path + 1;
	if (strncmp(dir, path, len) || (path[len] && path[len] != '/'))
		return NULL;
	return path[len] ? path + len + 1 : path + len;
}

/* A numeric address in one spelling; false: it is a name. */
static bool text_address(const char *host, char out[INET6_ADDRSTRLEN])
{
	uint8_t bytes[16];
	int family = strchr(host, ':') ? AF_INET6 : AF_INET;

	return inet_pton(family, host, bytes) == 1 &&
	       inet_ntop(family, bytes, out, INET6_ADDRSTRLEN);
}

bool text_is_host(const char *a, const char *b)
{
	char ours[INET6_ADDRSTRLEN], theirs[INET6_ADDRSTRLEN];
	size_t len = strcspn(a, "."), other = strcspn(b, ".");
	bool numeric = text_address(a, ours);

	if (numeric != text_address(b, theirs))
		return false;
	if (numeric)
		return !strcmp(ours, theirs);
	if (!a[len] == !b[other])
		return !strcasecmp(a, b);
	/* One of them is without its domain. */
	return len && len == other && !strncasecmp(a, b, len);
}

void text_host_of(const char *source, char *buf, size_t cap)
{
	const char *end = *source == '[' ? strchr(source, ']') : strstr(source, ":/");

	source += *source == '[';
	snprintf(buf, cap, "%.*s", end ? (int)(end - source) : 0, source);
}

const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *text_placeholder(size_t len)
{
	return len <= 8    ? "xxxx"
	       : len <= 32 ? "xxxxxxxxxxxxxxxx"
			   : "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
}

bool text_number(const char *text, size_t len, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(text[i] - '0'), &n))
			return false;
	}
	if (!len || n > max)
		return false;
	*out = n;
	return true;
}

size_t text_count_lines(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

bool text_ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}
