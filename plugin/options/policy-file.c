/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* One file of nfsrdma.conf(5): sections, "key = value", comments. Nothing in it is ignored: a
 * line that is not valid is an error with its number, because a policy that was not understood
 * must not look like one that requests less. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>

#include "plugin/options/internal.h"
#include "rpcrdma/base/grow.h"

#define LINE_MAX_BYTES    8192
#define PATTERN_MAX_BYTES 512
#define PATTERN_MAX_STARS 8

struct policy_file {
	struct policies *policies;
	const char *file;
	unsigned int line;
	struct policy_section *section; /* the last one; NULL before the first */
};

void section_fini(struct policy_section *section)
{
	size_t key;

	free(section->server);
	free(section->path);
	free(section->file);
	for (key = 0; key < KEY_COUNT; key++)
		free(section->values[key]);
	*section = (struct policy_section){ 0 };
}

void section_squeeze(char *path)
{
	char *from = path, *to = path;

	for (; *from; from++)
		if (*from != '/' || from[1] != '/')
			*to++ = *from;
	if (to > path + 1 && to[-1] == '/')
		to--;
	*to = '\0';
}

/* Without surrounding blanks; the line ends of DOS are accepted. */
static char *policy_file_trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]); end--)
		;
	*end = '\0';
	return text;
}

/* Patterns for fnmatch(3) are bounded: each star multiplies its work. */
static int policy_pattern_check(const char *pattern)
{
	unsigned int stars = 0;
	const char *p;

	for (p = pattern; *p; p++)
		stars += *p == '*';
	if (!*pattern)
		return err_set(EINVAL, "the section has no argument");
	if (strlen(pattern) > PATTERN_MAX_BYTES || stars > PATTERN_MAX_STARS)
		return err_set(EINVAL, "a pattern has at most %d bytes and %d stars",
			       PATTERN_MAX_BYTES, PATTERN_MAX_STARS);
	return 0;
}

static bool policy_pattern_is_literal(const char *pattern)
{
	return !strpbrk(pattern, "*?[\\");
}

/* A pattern without wildcards outweighs all with some. */
static size_t policy_pattern_weight(const char *pattern)
{
	return strlen(pattern) + (policy_pattern_is_literal(pattern) ? PATTERN_MAX_BYTES + 1 : 0);
}

static int policy_file_copy(char **out, const char *text)
{
	*out = strdup(text);
	return *out ? 0 : err_no_memory();
}

static int section_set_server(struct policy_section *section, char *arg)
{
	struct in6_addr v6;
	char *end;
	int rc;

	/* An address as in SERVER:/PATH; other brackets are a pattern's. */
	end = *arg == '[' ? strchr(arg, ']') : NULL;
	if (end && !end[1]) {
		*end = '\0';
		if (inet_pton(AF_INET6, arg + 1, &v6) == 1)
			arg++;
		else
			*end = ']';
	}
	if (strchr(arg, '/'))
		return err_set(EINVAL, "'%.80s' is not a server; for a path use [export ...]", arg);
	rc = policy_pattern_check(arg);
	if (rc)
		return rc;
	section->weight += policy_pattern_weight(arg);
	return policy_file_copy(&section->server, arg);
}

static int section_set_path(struct policy_section *section, char *path)
{
	int rc;

	if (*path != '/')
		return err_set(EINVAL, "'%.80s' does not begin with a slash", path);
	section_squeeze(path);
	rc = policy_pattern_check(path);
	if (rc)
		return rc;
	section->weight += policy_pattern_weight(path);
	section->literal = policy_pattern_is_literal(path);
	return policy_file_copy(&section->path, path);
}

static int section_set_export(struct policy_section *section, char *arg)
{
	char *slash = strstr(arg, ":/");
	int rc;

	if (!slash)
		return err_set(EINVAL, "'%.80s' is not an export; expected SERVER:/PATH", arg);
	*slash = '\0';
	rc = section_set_server(section, arg);
	return rc ? rc : section_set_path(section, slash + 1);
}

static int section_set_default(struct policy_section *section, char *arg)
{
	(void)section;
	return *arg ? err_set(EINVAL, "[default] takes no argument, not '%.80s'", arg) : 0;
}

static const char *const section_kind_names[] = {
	[SECTION_DEFAULT] = "default",
	[SECTION_SERVER] = "server",
	[SECTION_EXPORT] = "export",
	[SECTION_DIRECTORY] = "directory",
	NULL,
};

static int (*const section_kinds[])(struct policy_section *section, char *arg) = {
	[SECTION_DEFAULT] = section_set_default,
	[SECTION_SERVER] = section_set_server,
	[SECTION_EXPORT] = section_set_export,
	[SECTION_DIRECTORY] = section_set_path,
};

/* "[server nas1]"; @line begins with the bracket. */
static int policy_file_heading(struct policy_file *at, char *line)
{
	struct policies *policies = at->policies;
	size_t len = strlen(line), word;
	char names[64], *arg;
	int kind, rc;

	if (line[len - 1] != ']')
		return err_set(EINVAL, "a section ends with ']'");
	line[len - 1] = '\0';
	line = policy_file_trim(line + 1);
	word = strcspn(line, " \t");
	arg = line + word + (line[word] != '\0');
	line[word] = '\0';
	kind = known_word(section_kind_names, line);
	if (kind < 0)
		return err_set(EINVAL, "a section is %s, not '%.40s'",
			       known_words(section_kind_names, names, sizeof(names)), line);
	if (policies->count == POLICY_SECTIONS_MAX)
		return err_set(EFBIG, "more than %d sections", POLICY_SECTIONS_MAX);
	if (!grow(policies->list, policies->count))
		return err_no_memory();
	at->section = &policies->list[policies->count++];
	*at->section = (struct policy_section){ .kind = (enum section_kind)kind, .line = at->line };
	rc = policy_file_copy(&at->section->file, at->file);
	if (rc)
		return rc;
	return section_kinds[kind](at->section, policy_file_trim(arg));
}

static int policy_file_assignment(struct policy_file *at, char *line)
{
	char *value = strchr(line, '='), *key, names[80];
	struct policy scratch = { 0 };
	int index, rc;

	if (!value)
		return err_set(EINVAL, "'%.60s' is neither a section nor 'key = value'", line);
	*value++ = '\0';
	key = policy_file_trim(line);
	value = policy_file_trim(value);
	index = known_word(policy_keys, key);
	if (index < 0)
		return err_set(EINVAL, "a key is %s, not '%.40s'",
			       known_words(policy_keys, names, sizeof(names)), key);
	if (!at->section)
		return err_set(EINVAL, "'%s' is before the first section, such as [default]", key);
	if (at->section->values[index])
		return err_set(EINVAL, "'%s' is already set in line %u", key,
			       at->section->lines[index]);
	rc = policy_set(&scratch, (enum policy_key)index, value, at->file);
	if (rc)
		return err_context(rc, "%s =", key);
	at->section->lines[index] = at->line;
	return policy_file_copy(&at->section->values[index], value);
}

static int policy_file_line(struct policy_file *at, char *line)
{
	const char *p;

	if (strlen(line) > LINE_MAX_BYTES)
		return err_set(EINVAL, "the line has more than %d bytes", LINE_MAX_BYTES);
	line = policy_file_trim(line);
	for (p = line; *p; p++)
		if (((unsigned char)*p < 0x20 && *p != '\t') || *p == 0x7f)
			return err_set(EINVAL, "control character (0x%02x)", (unsigned char)*p);
	if (!*line || *line == '#' || *line == ';')
		return 0;
	return *line == '[' ? policy_file_heading(at, line) : policy_file_assignment(at, line);
}

int policy_file_parse(struct policies *policies, const char *file, char *text)
{
	struct policy_file at = { .policies = policies, .file = file };
	char *line;
	int rc = 0;

	while (!rc && (line = line_next(&text))) {
		at.line++;
		rc = policy_file_line(&at, line);
	}
	return rc ? err_context(rc, "%s:%u", file, at.line) : 0;
}

bool policy_file_refuses(const char *file, char *text, char from[POLICY_FROM_MAX])
{
	const char *wanted = policy_keys[KEY_ON_UNKNOWN];
	const char *refuse = policy_unknown_name(POLICY_UNKNOWN_REFUSE);
	unsigned int number = 0;
	char *line, *value;

	while ((line = line_next(&text))) {
		number++;
		value = strchr(line, '=');
		if (!value)
			continue;
		*value++ = '\0';
		if (strcmp(policy_file_trim(line), wanted) ||
		    strcmp(policy_file_trim(value), refuse))
			continue;
		snprintf(from, POLICY_FROM_MAX, "%.*s:%u", POLICY_FROM_MAX - 12, file, number);
		return true;
	}
	return false;
}
