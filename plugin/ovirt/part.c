/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Our part of a drop-in file, between two comments. It lists its domains, a comment each; the rest
 * is derived from them and rewritten each time. A part that differs from what would be written for
 * its domains was edited: it is left alone. So is one with a key right after it, which belongs to
 * the part's last section. Other contents of the file are never read. */
#include <stdio.h>
#include <strings.h>

#include "plugin/ovirt/internal.h"
#include "rpcrdma/nfs/nfs.h"

#define BEGIN  "# BEGIN nfsrdma ovirt policy; with --remove it goes. Written anew: do not edit.\n"
#define BARE   "# END nfsrdma ovirt policy"
#define END    BARE "\n"
#define DOMAIN "# domain "

/* --- what can be in it -------------------------------------------------------------- */

static bool ovirt_part_is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return false;
	return true;
}

static int ovirt_part_check(enum ovirt_file file, const char *spec, const char *dir)
{
	if (!ovirt_part_is_plain(spec) || !ovirt_part_is_plain(dir))
		return err_set(EINVAL, "%.80s contains a blank", spec);
	if (file != OVIRT_NFSMOUNT)
		return 0;
	/* nfs-utils ends a heading at the first "]", quoted or not, and an argument at the first
	 * quote. For the rest it reports "non-matched '"'", and mount.nfs 2.6.2 then crashes,
	 * whatever it is to mount. */
	if (*spec == '[')
		return err_set(
			EINVAL,
			"nfsmount.conf cannot have a section for %.80s: nfs-utils ends a section's name at the first ']', and mount.nfs 2.6.2 crashes over the rest, at every mount. Give the server a name, or type the options into the engine (nfsrdma ovirt options)",
			spec);
	if (strpbrk(dir, "\"]"))
		return err_set(
			EINVAL,
			"nfsmount.conf cannot have a section for %.80s: it contains a quote or a bracket",
			spec);
	return 0;
}

static void ovirt_part_entry_fini(struct ovirt_entry *entry)
{
	free(entry->spec);
	free(entry->dir);
}

void ovirt_part_fini(struct ovirt_part *part)
{
	while (part->count)
		ovirt_part_entry_fini(&part->list[--part->count]);
	free(take_ptr(part->list));
}

static struct ovirt_entry *ovirt_part_find(const struct ovirt_part *part, const char *dir)
{
	size_t i;

	for (i = 0; i < part->count; i++)
		if (!strcmp(part->list[i].dir, dir))
			return &part->list[i];
	return NULL;
}

static int ovirt_part_put(struct ovirt_part *part, const char *spec, const char *dir, bool six,
			  uint16_t port)
{
	struct ovirt_entry *entry = ovirt_part_find(part, dir), *grown;
	int rc = ovirt_part_check(part->file, spec, dir);

	if (rc)
		return rc;
	if (entry) {
		entry->six = six;
		entry->port = port;
		return 0;
	}
	if (part->count == OVIRT_DOMAINS_MAX)
		return err_set(E2BIG, "more than %d domains", OVIRT_DOMAINS_MAX);
	grown = realloc(part->list, (part->count + 1) * sizeof(*grown));
	if (!grown)
		return err_no_memory();
	part->list = grown;
	entry = &grown[part->count];
	*entry = (struct ovirt_entry){ strdup(spec), strdup(dir), six, port };
	if (!entry->spec || !entry->dir) {
		ovirt_part_entry_fini(entry);
		return err_no_memory();
	}
	part->count++;
	return 0;
}

int ovirt_part_add(struct ovirt_part *part, const struct ovirt_domain *domain, bool six,
		   uint16_t port)
{
	return ovirt_part_put(part, domain->spec, domain->dir, six, port);
}

bool ovirt_part_remove(struct ovirt_part *part, const char *dir)
{
	struct ovirt_entry *entry = ovirt_part_find(part, dir);
	size_t rest;

	if (!entry)
		return false;
	rest = (size_t)(part->list + part->count - entry - 1);
	ovirt_part_entry_fini(entry);
	memmove(entry, entry + 1, rest * sizeof(*entry));
	part->count--;
	return true;
}

/* --- written ------------------------------------------------------------------------ */

static const char *ovirt_part_proto(const struct ovirt_entry *entry)
{
	return entry->six ? "rdma6" : "rdma";
}

static int ovirt_part_server_len(const struct ovirt_entry *entry)
{
	return (int)strcspn(entry->spec, ":");
}

/* nfs-utils ignores the case of an argument. */
static bool ovirt_part_is_first(const struct ovirt_part *part, size_t index)
{
	int len = ovirt_part_server_len(&part->list[index]);
	size_t i;

	for (i = 0; i < index; i++)
		if (ovirt_part_server_len(&part->list[i]) == len &&
		    !strncasecmp(part->list[i].spec, part->list[index].spec, (size_t)len))
			return false;
	return true;
}

static void ovirt_part_write_nfsmount(const struct ovirt_part *part, enum ovirt_form form,
				      FILE *out)
{
	size_t i;

	for (i = 0; i < part->count; i++) {
		const struct ovirt_entry *entry = &part->list[i];

		if (form == OVIRT_BY_SERVER && !ovirt_part_is_first(part, i))
			continue;
		if (form == OVIRT_BY_SERVER)
			fprintf(out, "[ Server \"%.*s\" ]\n", ovirt_part_server_len(entry),
				entry->spec);
		else
			fprintf(out, "[ MountPoint \"%s\" ]\n", entry->dir);
		fprintf(out, "proto=%s\nport=%u\n", ovirt_part_proto(entry), entry->port);
	}
}

/* A directory of nfsrdma.conf(5) is a pattern. */
static void ovirt_part_write_guard(const struct ovirt_part *part, FILE *out)
{
	const char *p;
	size_t i;

	for (i = 0; i < part->count; i++) {
		fputs("[directory ", out);
		for (p = part->list[i].dir; *p; p++)
			fprintf(out, "%s%c", strchr("*?[]\\", *p) ? "\\" : "", *p);
		fputs("]\npolicy = require\n", out);
	}
}

/* NULL: no memory. */
static char *ovirt_part_render(const struct ovirt_part *part, enum ovirt_form form)
{
	char *text = NULL;
	size_t len, i;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs(part->count ? BEGIN : "", out);
	for (i = 0; i < part->count; i++) {
		const struct ovirt_entry *entry = &part->list[i];

		fprintf(out, DOMAIN "%s %s", entry->spec, entry->dir);
		if (part->file == OVIRT_NFSMOUNT)
			fprintf(out, " %s %u", ovirt_part_proto(entry), entry->port);
		fputc('\n', out);
	}
	if (part->file == OVIRT_NFSMOUNT)
		ovirt_part_write_nfsmount(part, form, out);
	else
		ovirt_part_write_guard(part, out);
	fputs(part->count ? END : "", out);
	if (ferror(out) | fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* --- found again -------------------------------------------------------------------- */

static int ovirt_part_changed(void)
{
	return err_set(
		EBADMSG,
		"the part that nfsrdma ovirt policy wrote has changed; remove it by hand, from \"# BEGIN nfsrdma ovirt\" to \"# END\", and repeat the command");
}

/* The first line that equals @line; NULL: none. */
static const char *ovirt_part_find_line(const char *text, const char *line)
{
	const char *at = text;

	while (at && strncmp(at, line, strlen(line)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at;
}

/* The text after END, whose newline an editor may have removed at the end of the file;
 * NULL: there is no END. */
static const char *ovirt_part_find_end(const char *text)
{
	const size_t bare = strlen(BARE);
	const char *at = ovirt_part_find_line(text, END);
	size_t len = strlen(text);

	if (at)
		return at + strlen(END);
	if (len <= bare || strcmp(text + len - bare, BARE) || text[len - bare - 1] != '\n')
		return NULL;
	return text + len;
}

/* A key belongs to the heading before it: after END to our last section, and to another one
 * if ours moves or is removed. */
static int ovirt_part_check_end(const char *text, const char *end)
{
	unsigned int number = 1;
	const char *p;
	size_t len;

	for (p = text; p < end; p++)
		number += *p == '\n';
	for (; *end; end += len + (end[len] == '\n'), number++) {
		len = strcspn(end, "\n");
		p = end + strspn(end, " \t\r");
		if (*p == '[')
			return 0;
		if (p >= end + len || *p == '#' || *p == ';')
			continue;
		len -= (size_t)(p - end);
		return err_set(
			EBADMSG,
			"the part that nfsrdma ovirt policy wrote has changed: line %u, '%.*s', follows it directly and belongs to its last section. Put it below a heading of its own, and repeat the command",
			number, len > 60 ? 60 : (int)len, p);
	}
	return 0;
}

/* The part from BEGIN to the end of END. @out->start NULL: there is none. */
static int ovirt_part_bounds(const char *text, const char **start, const char **end)
{
	*start = *end = text ? ovirt_part_find_line(text, BEGIN) : NULL;
	if (!*start)
		return !text || !strstr(text, "BEGIN nfsrdma ovirt policy") ? 0
									    : ovirt_part_changed();
	*end = ovirt_part_find_end(*start);
	if (!*end || ovirt_part_find_line(*start + strlen(BEGIN), BEGIN))
		return ovirt_part_changed();
	return ovirt_part_check_end(text, *end);
}

/* "nas:/e DIR rdma 20049", cut in place. */
static int ovirt_part_read_entry(struct ovirt_part *part, char *line)
{
	const char *spec = strsep(&line, " "), *dir = strsep(&line, " ");
	const char *proto = "rdma", *number = NFS_RDMA_PORT_TEXT;
	unsigned long port;
	struct spec parsed;
	char *end;

	if (part->file == OVIRT_NFSMOUNT) {
		proto = strsep(&line, " ");
		number = strsep(&line, " ");
	}
	if (line || !dir || !proto || !number || *dir != '/' || spec_parse(spec, &parsed) ||
	    !view_is_rdma(proto))
		return ovirt_part_changed();
	port = strtoul(number, &end, 10);
	if (*end || !port || port > UINT16_MAX)
		return ovirt_part_changed();
	return ovirt_part_put(part, spec, dir, !strcmp(proto, "rdma6"), (uint16_t)port);
}

/* Whether it equals what would be written for its domains, in either form. */
static int ovirt_part_recognise(struct ovirt_part *part, const char *text)
{
	static const enum ovirt_form forms[] = { OVIRT_BY_DIRECTORY, OVIRT_BY_SERVER };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		_cleanup_free_ char *rendered = ovirt_part_render(part, forms[i]);

		if (!rendered)
			return err_no_memory();
		part->form = forms[i];
		if (!strcmp(rendered, text))
			return 0;
	}
	return ovirt_part_changed();
}

int ovirt_part_read(struct ovirt_part *out, enum ovirt_file file, const char *text)
{
	struct ovirt_part part = { .file = file };
	_cleanup_free_ char *copy = NULL, *lines = NULL;
	const char *start, *end;
	char *rest, *line;
	int rc = ovirt_part_bounds(text, &start, &end);

	if (rc)
		return rc;
	if (start) {
		if (asprintf(&copy, "%.*s%s", (int)(end - start), start,
			     end[-1] == '\n' ? "" : "\n") < 0)
			copy = NULL;
		rest = lines = copy ? strdup(copy) : NULL;
		if (!lines)
			return err_no_memory();
		while (!rc && (line = strsep(&rest, "\n")))
			if (!strncmp(line, DOMAIN, strlen(DOMAIN)))
				rc = ovirt_part_read_entry(&part, line + strlen(DOMAIN));
		if (rc && rc != -ENOMEM)
			rc = ovirt_part_changed();
		if (!rc)
			rc = ovirt_part_recognise(&part, copy);
	}
	if (rc)
		ovirt_part_fini(&part);
	else
		*out = part;
	return rc;
}

/* --- the whole file ----------------------------------------------------------------- */

/* The text between existing contents and an appended part: a trailing backslash joins lines. */
static const char *ovirt_part_gap(const char *text, size_t len)
{
	bool ended = len && text[len - 1] == '\n';
	size_t body = len - ended;

	if (body && text[body - 1] == '\\')
		return ended ? "\n" : "\n\n";
	return !len || ended ? "" : "\n";
}

int ovirt_part_write(const struct ovirt_part *part, enum ovirt_form form, const char *text,
		     char **out)
{
	_cleanup_free_ char *rendered = ovirt_part_render(part, form), *whole = NULL;
	const char *start, *end;
	int rc = rendered ? ovirt_part_bounds(text, &start, &end) : err_no_memory();
	size_t before;

	if (rc)
		return rc;
	text = text ? text : "";
	before = start ? (size_t)(start - text) : strlen(text);
	if (asprintf(&whole, "%.*s%s%s%s", (int)before, text,
		     *rendered ? ovirt_part_gap(text, before) : "", rendered, end ? end : "") < 0) {
		whole = NULL;
		return err_no_memory();
	}
	*out = whole[strspn(whole, " \t\r\n")] ? take_ptr(whole) : NULL;
	return 0;
}
