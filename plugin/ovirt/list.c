/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* The domains of one of our two drop-ins. The file lists them, a comment each; the rest is derived
 * from them and written anew each time. A file that differs from what would be written for its
 * domains was edited: it is left alone. */
#include <stdio.h>
#include <strings.h>

#include "plugin/ovirt/internal.h"
#include "rpcrdma/nfs/nfs.h"

#define BEGIN  "# BEGIN nfsrdma ovirt policy; with --remove it goes. Written anew: do not edit.\n"
#define END    "# END nfsrdma ovirt policy\n"
#define DOMAIN "# domain "

/* --- what can be in it -------------------------------------------------------------- */

static bool ovirt_list_is_plain(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text <= ' ' || *text == 0x7f)
			return false;
	return true;
}

static int ovirt_list_check(enum ovirt_file file, const char *spec, const char *dir)
{
	if (!ovirt_list_is_plain(spec) || !ovirt_list_is_plain(dir))
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

static void ovirt_list_entry_fini(struct ovirt_entry *entry)
{
	free(entry->spec);
	free(entry->dir);
}

void ovirt_list_fini(struct ovirt_list *list)
{
	while (list->count)
		ovirt_list_entry_fini(&list->domains[--list->count]);
	free(take_ptr(list->domains));
}

static struct ovirt_entry *ovirt_list_find(const struct ovirt_list *list, const char *dir)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->domains[i].dir, dir))
			return &list->domains[i];
	return NULL;
}

static int ovirt_list_put(struct ovirt_list *list, const char *spec, const char *dir, bool six,
			  uint16_t port)
{
	struct ovirt_entry *entry = ovirt_list_find(list, dir), *grown;
	int rc = ovirt_list_check(list->file, spec, dir);

	if (rc)
		return rc;
	if (entry) {
		entry->six = six;
		entry->port = port;
		return 0;
	}
	if (list->count == OVIRT_DOMAINS_MAX)
		return err_set(E2BIG, "more than %d domains", OVIRT_DOMAINS_MAX);
	grown = realloc(list->domains, (list->count + 1) * sizeof(*grown));
	if (!grown)
		return err_no_memory();
	list->domains = grown;
	entry = &grown[list->count];
	*entry = (struct ovirt_entry){ strdup(spec), strdup(dir), six, port };
	if (!entry->spec || !entry->dir) {
		ovirt_list_entry_fini(entry);
		return err_no_memory();
	}
	list->count++;
	return 0;
}

int ovirt_list_add(struct ovirt_list *list, const struct ovirt_domain *domain, bool six,
		   uint16_t port)
{
	return ovirt_list_put(list, domain->spec, domain->dir, six, port);
}

bool ovirt_list_remove(struct ovirt_list *list, const char *dir)
{
	struct ovirt_entry *entry = ovirt_list_find(list, dir);
	size_t rest;

	if (!entry)
		return false;
	rest = (size_t)(list->domains + list->count - entry - 1);
	ovirt_list_entry_fini(entry);
	memmove(entry, entry + 1, rest * sizeof(*entry));
	list->count--;
	return true;
}

/* --- written ------------------------------------------------------------------------ */

static const char *ovirt_list_proto(const struct ovirt_entry *entry)
{
	return entry->six ? "rdma6" : "rdma";
}

static int ovirt_list_server_len(const struct ovirt_entry *entry)
{
	return (int)strcspn(entry->spec, ":");
}

/* nfs-utils ignores the case of an argument. */
static bool ovirt_list_is_first(const struct ovirt_list *list, size_t index)
{
	int len = ovirt_list_server_len(&list->domains[index]);
	size_t i;

	for (i = 0; i < index; i++)
		if (ovirt_list_server_len(&list->domains[i]) == len &&
		    !strncasecmp(list->domains[i].spec, list->domains[index].spec, (size_t)len))
			return false;
	return true;
}

static void ovirt_list_write_nfsmount(const struct ovirt_list *list, enum ovirt_form form,
				      FILE *out)
{
	size_t i;

	for (i = 0; i < list->count; i++) {
		const struct ovirt_entry *entry = &list->domains[i];

		if (form == OVIRT_BY_SERVER && !ovirt_list_is_first(list, i))
			continue;
		if (form == OVIRT_BY_SERVER)
			fprintf(out, "[ Server \"%.*s\" ]\n", ovirt_list_server_len(entry),
				entry->spec);
		else
			fprintf(out, "[ MountPoint \"%s\" ]\n", entry->dir);
		fprintf(out, "proto=%s\nport=%u\n", ovirt_list_proto(entry), entry->port);
	}
}

/* A directory of nfsrdma.conf(5) is a pattern. */
static void ovirt_list_write_guard(const struct ovirt_list *list, FILE *out)
{
	const char *p;
	size_t i;

	for (i = 0; i < list->count; i++) {
		fputs("[directory ", out);
		for (p = list->domains[i].dir; *p; p++)
			fprintf(out, "%s%c", strchr("*?[]\\", *p) ? "\\" : "", *p);
		fputs("]\npolicy = require\n", out);
	}
}

/* NULL: no memory. */
static char *ovirt_list_render(const struct ovirt_list *list, enum ovirt_form form)
{
	char *text = NULL;
	size_t len, i;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs(BEGIN, out);
	for (i = 0; i < list->count; i++) {
		const struct ovirt_entry *entry = &list->domains[i];

		fprintf(out, DOMAIN "%s %s", entry->spec, entry->dir);
		if (list->file == OVIRT_NFSMOUNT)
			fprintf(out, " %s %u", ovirt_list_proto(entry), entry->port);
		fputc('\n', out);
	}
	if (list->file == OVIRT_NFSMOUNT)
		ovirt_list_write_nfsmount(list, form, out);
	else
		ovirt_list_write_guard(list, out);
	fputs(END, out);
	if (ferror(out) | fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int ovirt_list_write(const struct ovirt_list *list, enum ovirt_form form, char **out)
{
	*out = NULL;
	if (!list->count)
		return 0;
	*out = ovirt_list_render(list, form);
	return *out ? 0 : err_no_memory();
}

/* --- read ----------------------------------------------------------------------------- */

/* "nas:/e DIR rdma 20049", cut in place. */
static int ovirt_list_read_entry(struct ovirt_list *list, char *line)
{
	const char *spec = strsep(&line, " "), *dir = strsep(&line, " ");
	const char *proto = "rdma", *number = NFS_RDMA_PORT_TEXT;
	unsigned long port;
	struct spec parsed;
	char *end;

	if (list->file == OVIRT_NFSMOUNT) {
		proto = strsep(&line, " ");
		number = strsep(&line, " ");
	}
	if (line || !dir || !proto || !number || *dir != '/' || spec_parse(spec, &parsed) ||
	    !view_is_rdma(proto))
		return -EBADMSG;
	port = strtoul(number, &end, 10);
	if (*end || !port || port > UINT16_MAX)
		return -EBADMSG;
	return ovirt_list_put(list, spec, dir, !strcmp(proto, "rdma6"), (uint16_t)port);
}

/* Whether it equals what would be written for its domains, in either form. */
static int ovirt_list_recognise(struct ovirt_list *list, const char *text)
{
	static const enum ovirt_form forms[] = { OVIRT_BY_DIRECTORY, OVIRT_BY_SERVER };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		_cleanup_free_ char *rendered = ovirt_list_render(list, forms[i]);

		if (!rendered)
			return err_no_memory();
		list->form = forms[i];
		if (!strcmp(rendered, text))
			return 0;
	}
	return -EBADMSG;
}

int ovirt_list_read(struct ovirt_list *out, enum ovirt_file file, const char *text)
{
	struct ovirt_list list = { .file = file };
	_cleanup_free_ char *copy = text ? strdup(text) : NULL;
	char *rest = copy, *line;
	int rc = 0;

	if (text && !copy)
		return err_no_memory();
	while (!rc && (line = strsep(&rest, "\n")))
		if (!strncmp(line, DOMAIN, strlen(DOMAIN)))
			rc = ovirt_list_read_entry(&list, line + strlen(DOMAIN));
	if (!rc && text && *text)
		rc = ovirt_list_recognise(&list, text);
	if (!rc) {
		*out = list;
		return 0;
	}
	ovirt_list_fini(&list);
	return rc == -ENOMEM
		       ? rc
		       : err_set(EBADMSG,
				 "it is not as nfsrdma ovirt policy wrote it. Move what was added into another file, remove this one, and repeat the command for all its domains");
}
