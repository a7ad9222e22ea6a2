/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* An option string as a list. libmount splits it, as it does for mount(8) and for mount.nfs.
 *
 * Three programs read the string after us, and split it differently: libmount knows backslashes
 * (which ones depends on its version), nfs-utils's tokenizer only quotes, and the kernel's
 * generic_parse_monolithic() neither, once the security module removed its contexts. A string
 * that they would not all split alike is refused: in foo="a,tcp,b" the kernel sees an option
 * tcp. */
#include <libmount/libmount.h>

#include "plugin/options/internal.h"
#include "rpcrdma/base/grow.h"

struct opts_item {
	char *name, *value;
};

struct opts {
	struct opts_item *items;
	size_t count;
	unsigned int trimmed;
};

static void opts_item_fini(struct opts_item *item)
{
	free(item->name);
	free(item->value);
}

static void opts_item_fini_p(struct opts_item *item)
{
	opts_item_fini(item);
}

void opts_free(struct opts *opts)
{
	if (!opts)
		return;
	while (opts->count)
		opts_item_fini(&opts->items[--opts->count]);
	free(opts->items);
	free(opts);
}

void opts_free_p(struct opts **opts)
{
	opts_free(*opts);
}

static int opts_item_init(struct opts_item *item, const char *name, const char *value)
{
	item->name = strdup(name);
	item->value = value ? strdup(value) : NULL;
	return item->name && (item->value || !value) ? 0 : err_no_memory();
}

static int opts_item_insert(struct opts *opts, size_t index, struct opts_item *item)
{
	struct opts_item *at;

	if (!grow(opts->items, opts->count))
		return err_no_memory();
	at = opts->items + index;
	memmove(at + 1, at, (opts->count - index) * sizeof(*at));
	*at = *item;
	*item = (struct opts_item){ NULL, NULL };
	opts->count++;
	return 0;
}

bool opts_has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

static bool opts_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Before anything is split. libmount drops everything from an unpaired quote on. */
static int opts_check_text(const char *text)
{
	const char *quote = NULL;

	if (strlen(text) > OPTS_TEXT_MAX)
		return err_set(E2BIG, "the options have more than %d bytes", OPTS_TEXT_MAX);
	for (; *text; text++) {
		/* A tab is a blank. */
		if (((unsigned char)*text < 0x20 && *text != '\t') || *text == 0x7f)
			return err_set(EINVAL, "control character (0x%02x) in the options",
				       (unsigned char)*text);
		if (*text == '\\' && (!text[1] || strchr(",\"", text[1])))
			return err_set(
				EINVAL,
				"a backslash before a comma, a quote or the end of the options, which mount(8) and the kernel read differently");
		if (*text == '"')
			quote = quote ? NULL : text;
	}
	if (quote)
		return err_set(EINVAL, "a quote is not closed: %.60s", quote);
	return 0;
}

/* A blank outside of quotes, a comma within. */
static int opts_check_item(const char *text, const struct opts_item *item)
{
	const struct known *row = known_find(item->name);
	bool quoted = false;

	if (row && row->mount8)
		return 0;
	for (; *text; text++) {
		quoted ^= *text == '"';
		if (opts_is_blank(*text) && !quoted)
			return err_set(EINVAL, "blank within the option '%.60s%s%.60s'", item->name,
				       item->value ? "=" : "", item->value ? item->value : "");
		if (*text == ',' && !(row && row->selinux))
			return err_set(
				EINVAL,
				"comma within quotes in the option '%.60s', where the kernel splits it",
				item->name);
	}
	return 0;
}

static int opts_no_name(const char *text)
{
	return err_set(EINVAL, "an option has no name: '%.60s'", text);
}

/* One option, cut in place. One of blanks only is dropped. */
static int opts_item_add(struct opts *opts, char *text)
{
	_cleanup_(opts_item_fini_p) struct opts_item item = { NULL, NULL };
	char *end = text + strlen(text), *start = text, *value;
	_cleanup_free_ char *whole = NULL;
	int rc;

	while (opts_is_blank(*start))
		start++;
	while (end > start && opts_is_blank(end[-1]))
		end--;
	opts->trimmed += start > text || *end;
	*end = '\0';
	if (!*start)
		return 0;
	if (*start == '=' || *start == '"')
		return opts_no_name(start);
	if (opts->count == OPTS_COUNT_MAX)
		return err_set(E2BIG, "more than %d options", OPTS_COUNT_MAX);
	whole = strdup(start);
	value = strchr(start, '=');
	if (value)
		*value++ = '\0';
	rc = whole ? opts_item_init(&item, start, value) : err_no_memory();
	rc = rc ? rc : opts_check_item(whole, &item);
	return rc ? rc : opts_item_insert(opts, opts->count, &item);
}

/* One of no name is an error from libmount 2.41 on; before, it is read, and opts_item_add() refuses
 * it. 1: there is none left. */
static int opts_next(char **cursor, char **name, size_t *namesz, char **value, size_t *valuesz)
{
	int rc = mnt_optstr_next_option(cursor, name, namesz, value, valuesz);
	char *at = *cursor;

	if (rc >= 0)
		return rc;
	at += strspn(at, ",");
	at[strcspn(at, ",")] = '\0';
	return opts_no_name(at);
}

int opts_parse(struct opts **out, const char *text)
{
	_cleanup_(opts_free_p) struct opts *opts = calloc(1, sizeof(*opts));
	_cleanup_free_ char *copy = NULL;
	char *cursor, *name, *value;
	size_t namesz, valuesz;
	int rc = opts_check_text(text ? text : "");

	if (rc)
		return rc;
	copy = strdup(text ? text : "");
	if (!opts || !copy)
		return err_no_memory();
	cursor = copy;
	while (!rc && !(rc = opts_next(&cursor, &name, &namesz, &value, &valuesz))) {
		char *end = value ? value + valuesz : name + namesz;
		char comma = *end;

		*end = '\0';
		rc = opts_item_add(opts, name);
		if (!comma)
			break;
	}
	if (rc < 0)
		return rc;
	*out = take_ptr(opts);
	return 0;
}

unsigned int opts_trimmed(const struct opts *opts)
{
	return opts->trimmed;
}

size_t opts_count(const struct opts *opts)
{
	return opts->count;
}

struct opt opts_at(const struct opts *opts, size_t index)
{
	return (struct opt){ opts->items[index].name, opts->items[index].value };
}

ssize_t opts_find(const struct opts *opts, const char *name)
{
	size_t i;

	for (i = opts->count; i > 0; i--)
		if (!strcmp(opts->items[i - 1].name, name))
			return (ssize_t)i - 1;
	return -1;
}

ssize_t opts_find_group(const struct opts *opts, const char *group)
{
	size_t i;

	for (i = opts_count(opts); i > 0; i--) {
		struct opt opt = opts_at(opts, i - 1);

		if (!strcmp(known_group(&opt), group))
			return (ssize_t)i - 1;
	}
	return -1;
}

int opts_replace(struct opts *opts, size_t index, const char *name, const char *value)
{
	_cleanup_(opts_item_fini_p) struct opts_item item = { NULL, NULL };
	int rc = opts_item_init(&item, name, value);
	struct opts_item old;

	if (rc)
		return rc;
	old = opts->items[index];
	opts->items[index] = item;
	item = old;
	return 0;
}

int opts_insert(struct opts *opts, size_t index, const char *name, const char *value)
{
	_cleanup_(opts_item_fini_p) struct opts_item item = { NULL, NULL };
	int rc = opts_item_init(&item, name, value);

	return rc ? rc : opts_item_insert(opts, index, &item);
}

int opts_append(struct opts *opts, const char *name, const char *value)
{
	return opts_insert(opts, opts->count, name, value);
}

void opts_remove(struct opts *opts, size_t index)
{
	opts_item_fini(&opts->items[index]);
	opts->count--;
	memmove(opts->items + index, opts->items + index + 1,
		(opts->count - index) * sizeof(*opts->items));
}

int opts_format(const struct opts *opts, char **out)
{
	_cleanup_free_ char *text = NULL;
	size_t i;

	for (i = 0; i < opts->count; i++)
		if (mnt_optstr_append_option(&text, opts->items[i].name, opts->items[i].value))
			return err_no_memory();
	if (!text)
		text = strdup("");
	if (!text)
		return err_no_memory();
	*out = take_ptr(text);
	return 0;
}
