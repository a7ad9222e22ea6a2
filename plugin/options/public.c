/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Mount options without what may be a secret, for a text that is passed on: an option that
 * known.c knows keeps its value if the value has the option's form. Of all others neither name
 * (but slips) nor value is kept: any of them may be a password of another file system. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>

#include "plugin/host/text.h"
#include "plugin/options/internal.h"

/* Of the options that take any text, those whose text is a time, a path or a unit
 * (systemd.mount(5), mount(8)). */
static const char *const public_free[] = { "x-systemd.*", "x-initrd.mount", "x-mount.mkdir",
					   "user",        "remount",        NULL };

static bool public_is_free(const char *name)
{
	const char *const *pattern;

	for (pattern = public_free; *pattern; pattern++)
		if (!fnmatch(*pattern, name, 0))
			return true;
	return false;
}

/* A name, an address, a path, a version; @more: characters besides. */
static bool public_is_plain(const char *value, const char *more)
{
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr("_-./:%[]", *value) &&
		    !strchr(more, *value))
			return false;
	return true;
}

/* NULL: neither its name nor its value is kept. */
static const struct known *public_find(const char *name)
{
	const struct known *row = known_find(name);

	if (!row)
		row = known_other_case(name);
	/* A slip, "vesr", is what a check reports. */
	if (!row && known_near(name))
		row = known_find(known_near(name));
	return row && row->kind == KNOWN_FREE && !row->refused && !public_is_free(name) ? NULL
											: row;
}

static bool public_keeps_value(const struct known *row, const struct opt *opt)
{
	switch (row->kind) {
	case KNOWN_TEXT:
	case KNOWN_FREE:
	case KNOWN_OWN:
		/* A label has commas, and then quotes. */
		return strlen(opt->value) <= 255 && !row->refused &&
		       public_is_plain(opt->value, row->selinux ? "\"," : "");
	default: return !known_check(row, opt);
	}
}

static void public_put(FILE *out, char *option)
{
	struct opt opt = { .name = option, .value = strchr(option, '=') };
	const struct known *row;

	if (opt.value)
		option[opt.value++ - option] = '\0';
	row = *option ? public_find(option) : NULL;
	fputs(row ? option : text_placeholder(strlen(option)), out);
	if (opt.value)
		fprintf(out, "=%s",
			row && public_keeps_value(row, &opt) ? opt.value
							     : text_placeholder(strlen(opt.value)));
}

void public_options(FILE *out, char *text)
{
	bool quoted = false;
	char *end;

	while (true) {
		for (end = text; *end && (quoted || *end != ','); end++)
			quoted ^= *end == '"';
		if (!*end)
			break;
		*end = '\0';
		public_put(out, text);
		fputc(',', out);
		text = end + 1;
	}
	public_put(out, text);
}
