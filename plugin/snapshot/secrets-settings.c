/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Files of settings: those of nfs-utils and systemd with sections, those of a shell without. The
 * settings in the row's table remain, with values of their form. Everything else becomes a
 * placeholder in its place: a line that no reader understands stays one, and a finding that
 * cites its number stays right. */
#include <ctype.h>
#include <fnmatch.h>
#include <strings.h>

#include "plugin/host/text.h"
#include "plugin/options/options.h"
#include "plugin/snapshot/secrets.h"
#include "rpcrdma/base/finding.h"

/* --- the form of a value --------------------------------------------------------------- */

static bool settings_has_only(const char *text, const char *more, size_t max)
{
	size_t len = strlen(text);

	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr(more, *text))
			return false;
	return len <= max;
}

static bool settings_is_switch(const char *text)
{
	static const char *const words[] = { "t", "true",  "y", "yes", "on",
					     "f", "false", "n", "no",  "off" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcasecmp(text, words[i]))
			return true;
	return strlen(text) <= 5 && !text[strspn(text, "0123456789")];
}

/* Names and numbers of rpc.nfsd(8); the checks want --rdma, and show the others. */
static void settings_put_argument(const char *word, FILE *out)
{
	static const char *const names[] = { "--rdma",           "--debug",       "--tcp",
					     "--no-tcp",         "--udp",         "--no-udp",
					     "--no-nfs-version", "--nfs-version", "--syslog",
					     "--port",           "--grace-time",  "--lease-time" };
	size_t i, len = strcspn(word, "=");

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !strncmp(word, names[i], len) &&
		    settings_has_only(word, "-=.", 40)) {
			fputs(word, out);
			return;
		}
	if (strstr(word, "nfsdctl") || strstr(word, "rpc.nfsd"))
		fputs(strstr(word, "nfsdctl") ? "nfsdctl" : "rpc.nfsd", out);
	else if ((word[0] == '-' && isalpha((unsigned char)word[1]) && !word[2]) ||
		 !word[strspn(word, "0123456789.")] ||
		 (word[0] == '$' && settings_has_only(word + 1, "_{}", 40)))
		fputs(word, out);
	else
		/* A shell would replace it; then its words are not shown. */
		fprintf(out, "%s%s", settings_has_only(word, "-=.,:_", SIZE_MAX) ? "" : "$",
			text_placeholder(strlen(word)));
}

static void settings_put_arguments(char *text, FILE *out)
{
	bool first = true;
	char *word;

	for (; (word = word_next(&text)); first = false) {
		if (!first)
			fputc(' ', out);
		settings_put_argument(word, out);
	}
}

static bool settings_is_form(enum secrets_form form, const char *text)
{
	switch (form) {
	case FORM_WORD: return settings_has_only(text, "_-.:+*@%", 64);
	case FORM_SWITCH: return settings_is_switch(text);
	case FORM_WORDS: return settings_has_only(text, "_-.:,[]% \t", 1024);
	case FORM_UNITS: return settings_has_only(text, "_-.:@/\\% \t", 1024);
	case FORM_PATH: return strchr(text, '/') && settings_has_only(text, "_-./:+@,", 255);
	case FORM_FILE: return settings_has_only(text, "_-./:+", 255);
	case FORM_SOURCE: return strstr(text, ":/") && settings_has_only(text, "_-./:+,[]%", 600);
	case FORM_LINE: return finding_is_clean(text) && strlen(text) <= 128;
	case FORM_OPTIONS:
	case FORM_ARGUMENTS:
	case FORM_LISTENER:
	case FORM_HIDDEN: break;
	}
	return false;
}

void secrets_put_hidden(const char *text, FILE *out)
{
	fputs(text_placeholder(strlen(text)), out);
}

void secrets_put_form(enum secrets_form form, char *value, FILE *out)
{
	if (form == FORM_OPTIONS && *value)
		public_options(out, value);
	else if ((form == FORM_LISTENER ||
		  (form == FORM_ARGUMENTS && !strstr(value, "rpc.nfsd"))) &&
		 host_adds_listener(value))
		fputs("echo rdma >portlist", out);
	else if (form == FORM_ARGUMENTS)
		settings_put_arguments(value, out);
	else if (settings_is_form(form, value))
		fputs(value, out);
	else
		secrets_put_hidden(value, out);
}

/* --- a line ---------------------------------------------------------------------------- */

static const struct secrets_key *settings_find(const struct secrets_row *row,
					       const struct secrets_state *state, const char *key)
{
	size_t i;

	for (i = 0; i < row->nkeys; i++)
		if (!fnmatch(row->keys[i].key, key, FNM_CASEFOLD) &&
		    (!row->keys[i].section || !strcasecmp(row->keys[i].section, state->section)))
			return &row->keys[i];
	return NULL;
}

static bool settings_has_section(const struct secrets_row *row, const char *name)
{
	size_t i;

	for (i = 0; i < row->nkeys; i++)
		if (row->keys[i].section && !strcasecmp(row->keys[i].section, name))
			return true;
	return false;
}

/* The server, path or export of a section; a quote without its second stays one. */
static void settings_put_section_argument(const char *arg, FILE *out)
{
	const char *p;
	bool plain = strlen(arg) <= 512;

	for (p = arg; *p; p++)
		plain &= isgraph((unsigned char)*p) != 0;
	if (plain)
		fprintf(out, " %s", arg);
	else if (*arg == '"')
		fprintf(out, " \"%s%s", text_placeholder(strlen(arg)),
			strchr(arg + 1, '"') ? "\"" : "");
	else
		fprintf(out, " %s%s", *arg == '/' ? "/" : "", text_placeholder(strlen(arg)));
}

/* "[name]", "[name argument]"; without a bracket at its end it has none here. */
static void settings_put_heading(const struct secrets_row *row, char *line,
				 struct secrets_state *state, FILE *out)
{
	/* In nfsrdma.conf(5) a pattern may have brackets. */
	char *end = row->dialect & HAS_COMMENTS ? strchr(line, ']') : strrchr(line, ']');
	char *start = line + 1 + strspn(line + 1, " \t"), *arg;
	size_t len;

	if (end)
		*end = '\0';
	len = strcspn(start, " \t\"");
	arg = text_trim(start + len);
	snprintf(state->section, sizeof(state->section), "%.*s", (int)len, start);
	if (!settings_has_section(row, state->section))
		state->section[0] = '\0';
	fprintf(out, "[%s", *state->section ? state->section : text_placeholder(len));
	if (*arg && *state->section)
		settings_put_section_argument(arg, out);
	if (end)
		fputc(']', out);
}

static void settings_put_value(const struct secrets_row *row, enum secrets_form form, char *value,
			       FILE *out)
{
	char quote = *value, *end;

	if (row->dialect & HAS_QUOTES && (quote == '"' || quote == '\'')) {
		end = strchr(++value, quote);
		if (end)
			*end = '\0';
		fputc(quote, out);
		if (*value)
			secrets_put_form(form, value, out);
		if (end)
			fputc(quote, out);
		return;
	}
	if (row->dialect & HAS_COMMENTS)
		value[strcspn(value, "#;")] = '\0';
	value = text_trim(value);
	/* Another setting's value, which is of its own form. */
	if (*value == '$' && row->dialect & HAS_COMMENTS && settings_has_only(value + 1, "_", 64))
		fputs(value, out);
	else if (*value)
		secrets_put_form(form, value, out);
}

/* In nfsmount.conf(5) options are keys, whatever their case. */
static bool settings_is_option(const struct secrets_row *row, const char *key)
{
	_cleanup_free_ char *text = NULL;
	char name[64];
	size_t len = 0;
	FILE *mem;

	if (!(row->dialect & HAS_OPTIONS) || !*key || strchr(key, ',') ||
	    !str_copy(name, sizeof(name), key))
		return false;
	mem = open_memstream(&text, &len);
	if (!mem)
		return false;
	public_options(mem, name);
	return !fclose(mem) && !strcmp(text, key);
}

void secrets_settings_line(const struct secrets_row *row, char *line, struct secrets_state *state,
			   FILE *out)
{
	size_t blanks = strspn(line, " \t\r\f\v"), len;
	const struct secrets_key *known;
	char *value, separator;

	/* They matter to some readers. */
	fwrite(line, 1, blanks, out);
	line += blanks;
	if (!*line || *line == '#' || *line == ';')
		return;
	if (*line == '[' && row->dialect & HAS_SECTIONS) {
		settings_put_heading(row, line, state, out);
		return;
	}
	len = strcspn(line, row->separators);
	separator = line[len];
	if (!separator) {
		secrets_put_hidden(line, out);
		return;
	}
	line[len] = '\0';
	value = line + len + 1;
	while (len && isblank((unsigned char)line[len - 1]))
		line[--len] = '\0';
	known = settings_find(row, state, line);
	fputs(known || settings_is_option(row, line) ? line
	      : len                                  ? text_placeholder(len)
						     : "",
	      out);
	/* A blank before the "=" matters to a shell. */
	if (value > line + len + 1)
		fputc(' ', out);
	fputc(separator, out);
	value += strspn(value, " \t");
	settings_put_value(row, known ? known->form : FORM_HIDDEN, value, out);
}
