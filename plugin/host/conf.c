/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copyright (C) 2026 The nfsrdma authors */

/* Reads the configuration of nfs-utils as nfs-utils does (support/nfs/conffile.c).
 * nfs-utils skips malformed lines; so does this, and it remembers the first.
 *
 * Known quirks, all reproduced: a last line without newline is dropped; "include" outside
 * a section is ignored; "#" and ";" end a value without quotes; an empty value is not
 * set; usr/etc applies only if etc has no such file (2.8.3). One is not reproduced:
 * before 2.8.3 a key that is set in two sections of one name is lost in the first,
 * regardless of their arguments. Callers that need to know compare both with conf_each(). */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "plugin/host/internal.h"

#define ENTRIES_MAX 4096
#define FILES_MAX   128
#define INCLUDE_MAX 8

struct conf_entry {
	char *section, *arg, *key; /* arg: NULL without */
	struct conf_value value;
	char *text; /* of the value */
};

struct conf {
	unsigned int count, nfiles, depth;
	struct conf_entry *entries;
	char *files[FILES_MAX];
	const char *cut; /* one of files */
	char problem[256], crash[256];
};

/* The current position in a file. */
struct conf_position {
	struct conf *conf;
	const struct host *host;
	const char *file, *top; /* @top: the one that includes it in the end, or itself */
	unsigned int line;
	char *section, *arg; /* owned; NULL: outside a section */
	bool unquoted;       /* its argument has no second quote */
};

static void conf_set_problem(const struct conf_position *at, const char *fmt, ...)
	PRINTF_LIKE(2, 3);

static void conf_set_problem(const struct conf_position *at, const char *fmt, ...)
{
	char text[160], all[256];
	va_list ap;

	if (at->conf->problem[0])
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(all, sizeof(all), "%.80s:%u: %s", at->file, at->line, text);
	text_copy(at->conf->problem, sizeof(at->conf->problem), all);
}

static bool conf_is_same(const char *a, const char *b)
{
	return a && b ? !strcasecmp(a, b) : a == b;
}

static struct conf_entry *conf_find(const struct conf *conf, const char *section, const char *arg,
				    const char *key)
{
	unsigned int i;

	for (i = 0; i < conf->count; i++) {
		struct conf_entry *entry = &conf->entries[i];

		if (conf_is_same(entry->section, section) && conf_is_same(entry->arg, arg) &&
		    conf_is_same(entry->key, key))
			return entry;
	}
	return NULL;
}

static void conf_entry_fini(struct conf_entry *entry)
{
	free(entry->section);
	free(entry->arg);
	free(entry->key);
	free(entry->text);
}

static char *conf_copy_clean(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		finding_clean(copy);
	return copy;
}

/* A later value replaces an earlier one, and comes last in conf_each(). */
static int conf_set(const struct conf_position *at, const char *key, const char *value)
{
	struct conf *conf = at->conf;
	struct conf_entry *entry = conf_find(conf, at->section, at->arg, key);

	if (!*value)
		return 0;
	if (entry) {
		size_t after = (size_t)(conf->entries + conf->count - entry - 1);

		conf_entry_fini(entry);
		memmove(entry, entry + 1, after * sizeof(*entry));
		conf->count--;
	}
	if (conf->count == ENTRIES_MAX)
		return err_set(EFBIG, "%s sets more than %u values", at->file, ENTRIES_MAX);
	entry = &conf->entries[conf->count++];
	memset(entry, 0, sizeof(*entry));
	entry->section = strdup(at->section);
	entry->arg = at->arg ? strdup(at->arg) : NULL;
	entry->key = strdup(key);
	entry->text = conf_copy_clean(value);
	if (!entry->section || !entry->key || !entry->text || (at->arg && !entry->arg))
		return err_no_memory();
	entry->value = (struct conf_value){ entry->text, at->file, at->line };
	return 0;
}

static void conf_section_fini(struct conf_position *at)
{
	free(take_ptr(at->section));
	free(take_ptr(at->arg));
	at->unquoted = false;
}

static void conf_trim_end(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		text[--len] = '\0';
}

/* [ Section ] or [ Section "argument" ] */
static int conf_parse_section(struct conf_position *at, char *line)
{
	char *end, *arg;

	conf_section_fini(at);
	line += 1 + strspn(line + 1, " \t");
	end = strchr(line, ']');
	if (!end) {
		conf_set_problem(at, "a section without \"]\"; its lines are ignored");
		return 0;
	}
	*end = '\0';
	arg = strchr(line, '"');
	if (arg)
		*arg++ = '\0';
	conf_trim_end(line);
	at->section = conf_copy_clean(line);
	if (!at->section)
		return err_no_memory();
	if (!arg)
		return 0;
	end = strchr(arg, '"');
	if (!end) {
		/* "[Server "[::1]"]": the first "]" ends it. */
		conf_set_problem(at, "the section's argument has no second quote");
		at->unquoted = true;
		return 0;
	}
	*end = '\0';
	at->arg = conf_copy_clean(arg);
	return at->arg ? 0 : err_no_memory();
}

/* Returns NULL if quotes do not match. */
static char *conf_parse_value(char *value)
{
	char *end;

	value += strspn(value, " \t");
	if (*value != '"' && *value != '\'') {
		value[strcspn(value, "#;")] = '\0';
		for (end = value + strlen(value);
		     end > value + 1 && isspace((unsigned char)end[-1]); end--)
			end[-1] = '\0';
		return value;
	}
	end = strchr(value + 1, *value);
	if (!end)
		return NULL;
	*end = '\0';
	return value + 1;
}

static int conf_parse(struct conf_position *at, const char *file, char *text);

static int conf_include(struct conf_position *at, const char *name)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	struct conf_position in = { .conf = at->conf, .host = at->host, .top = at->top };
	bool optional = *name == '-';
	const char *slash = strrchr(at->file, '/');
	char path[HOST_PATH_MAX];
	int rc;

	name += optional;
	if (!at->host)
		return 0;
	if (*name == '/')
		str_copy(path, sizeof(path), name + 1);
	else
		snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - at->file) : 0,
			 at->file, name);
	rc = host_read_included(at->host, path, at->top, HOST_FILE_MAX, &text);
	if (rc == -ENOENT && !optional)
		conf_set_problem(at, "it includes %.80s, which is not there", path);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	if (at->conf->depth == INCLUDE_MAX)
		return err_set(ELOOP, "%s includes itself", at->file);
	/* The included file starts in the current section; the section it ends in is
	 * ignored. */
	in.section = at->section ? strdup(at->section) : NULL;
	in.arg = at->arg ? strdup(at->arg) : NULL;
	if ((at->section && !in.section) || (at->arg && !in.arg))
		rc = err_no_memory();
	at->conf->depth++;
	if (!rc)
		rc = conf_parse(&in, path, text.text);
	at->conf->depth--;
	conf_section_fini(&in);
	return rc;
}

static int conf_parse_assignment(struct conf_position *at, char *line)
{
	char *value = strchr(line, '=');

	if (!value) {
		conf_set_problem(at, "neither a section nor \"key = value\"");
		return 0;
	}
	if (!at->section) {
		conf_set_problem(at, "a line outside every section is ignored");
		return 0;
	}
	if (at->unquoted && !at->conf->crash[0])
		snprintf(at->conf->crash, sizeof(at->conf->crash), "%s:%u", at->file, at->line);
	*value++ = '\0';
	conf_trim_end(line);
	finding_clean(line);
	value = conf_parse_value(value);
	if (!value) {
		conf_set_problem(at, "a quote without its second");
		return 0;
	}
	if (!*line) {
		conf_set_problem(at, "a value without a key");
		return 0;
	}
	if (!strcasecmp(line, "include"))
		return conf_include(at, value);
	return conf_set(at, line, value);
}

static int conf_parse(struct conf_position *at, const char *file, char *text)
{
	struct conf *conf = at->conf;
	char *copy = conf->nfiles < FILES_MAX ? conf_copy_clean(file) : NULL;
	char *line, *end = text + strlen(text);
	int rc = 0;

	if (!copy)
		return err_set(EFBIG, "%s is one file too many", file);
	conf->files[conf->nfiles++] = copy;
	at->file = copy;
	/* nfs-utils parses a line when it finds its newline: text after the last one is
	 * dropped. */
	while (end > text && !(end[-1] == '\n' && !(end > text + 1 && end[-2] == '\\')))
		end--;
	line = end + strspn(end, " \t\r\n\\");
	if (*line && *line != '#' && *line != ';')
		conf->cut = at->file;
	*end = '\0';
	while (!rc && (line = line_next_joined(&text, &at->line))) {
		while (isspace((unsigned char)*line))
			line++;
		if (*line == '[')
			rc = conf_parse_section(at, line);
		else if (*line && *line != '#' && *line != ';')
			rc = conf_parse_assignment(at, line);
	}
	return rc;
}

struct conf *conf_new(void)
{
	struct conf *conf = calloc(1, sizeof(*conf));

	if (!conf)
		return NULL;
	conf->entries = calloc(ENTRIES_MAX, sizeof(*conf->entries));
	if (!conf->entries) {
		free(conf);
		return NULL;
	}
	return conf;
}

int conf_add(struct conf *conf, const struct host *host, const char *file, char *text)
{
	struct conf_position at = { .conf = conf, .host = host, .top = file };
	int rc = conf_parse(&at, file, text);

	conf_section_fini(&at);
	return rc;
}

/* A file with a replaced text; file NULL: none. */
struct conf_override {
	const char *file, *text;
};

static int conf_add_override(struct conf *conf, const struct host *host,
			     const struct conf_override *override)
{
	_cleanup_free_ char *text = NULL;

	if (!override->text)
		return 0;
	text = strdup(override->text);
	return text ? conf_add(conf, host, override->file, text) : err_no_memory();
}

/* Returns -ENOENT without err_text() if the file does not exist. */
static int conf_add_file(struct conf *conf, const struct host *host, const char *file,
			 const struct conf_override *override)
{
	_cleanup_(host_text_fini) struct host_text text = { NULL, 0 };
	int rc;

	if (override->file && !strcmp(file, override->file))
		return conf_add_override(conf, host, override);
	rc = host_read(host, file, HOST_FILE_MAX, &text);
	return rc ? rc : conf_add(conf, host, file, text.text);
}

/* Returns the name in @folder of a file that does not exist yet; NULL: none. */
static const char *conf_override_name(const char *folder, const struct host_list *list,
				      const struct conf_override *override)
{
	size_t len = strlen(folder), i;
	const char *name;

	if (!override->file || !override->text || strncmp(override->file, folder, len) ||
	    override->file[len] != '/')
		return NULL;
	name = override->file + len + 1;
	for (i = 0; i < list->count; i++)
		if (!strcmp(list->names[i], name))
			return NULL;
	return name;
}

static int conf_add_folder(struct conf *conf, const struct host *host, const char *folder,
			   const struct conf_override *override)
{
	_cleanup_(host_list_fini) struct host_list list = { NULL, 0, false };
	char path[HOST_PATH_MAX];
	int rc = host_list(host, folder, &list);
	const char *added;
	size_t i;

	if (rc && rc != -ENOENT)
		return rc;
	added = conf_override_name(folder, &list, override);
	rc = 0;
	for (i = 0; !rc && i < list.count; i++) {
		if (list.names[i][0] == '.' || !text_ends_with(list.names[i], ".conf"))
			continue;
		/* In the order of scandir(3) with versionsort(3). */
		if (added && strverscmp(added, list.names[i]) < 0) {
			added = NULL;
			rc = conf_add_override(conf, host, override);
		}
		if (!rc)
			rc = host_path(path, folder, list.names[i]);
		if (!rc)
			rc = conf_add_file(conf, host, path, override);
		rc = rc == -ENOENT ? 0 : rc;
	}
	return rc || !added ? rc : conf_add_override(conf, host, override);
}

static void conf_entries_fini(struct conf *conf)
{
	while (conf->count)
		conf_entry_fini(&conf->entries[--conf->count]);
}

/* @path and its directory @path.d. */
static int conf_add_path(struct conf *conf, const struct host *host, const char *path,
			 const struct conf_override *override)
{
	char folder[HOST_PATH_MAX];
	int rc;

	if (!host_exists(host, path))
		conf_entries_fini(conf);
	rc = conf_add_file(conf, host, path, override);
	if (rc && rc != -ENOENT)
		return rc;
	snprintf(folder, sizeof(folder), "%s.d", path);
	return conf_add_folder(conf, host, folder, override);
}

int conf_open_as(struct conf **out, const struct host *host, const char *path, const char *file,
		 const char *text)
{
	_cleanup_(conf_close_p) struct conf *conf = conf_new();
	const struct conf_override override = { file, text };
	char vendor[HOST_PATH_MAX];
	int rc;

	if (!conf)
		return err_no_memory();
	rc = host_path(vendor, "usr", path);
	if (!rc)
		rc = conf_add_path(conf, host, vendor, &override);
	if (!rc)
		rc = conf_add_path(conf, host, path, &override);
	if (!rc)
		*out = take_ptr(conf);
	return rc;
}

int conf_open(struct conf **out, const struct host *host, const char *path)
{
	return conf_open_as(out, host, path, NULL, NULL);
}

void conf_close(struct conf *conf)
{
	if (!conf)
		return;
	conf_entries_fini(conf);
	free(conf->entries);
	while (conf->nfiles)
		free(conf->files[--conf->nfiles]);
	free(conf);
}

void conf_close_p(struct conf **conf)
{
	conf_close(*conf);
}

const struct conf_value *conf_get(const struct conf *conf, const char *section, const char *arg,
				  const char *key)
{
	const struct conf_entry *entry = conf_find(conf, section, arg, key);
	unsigned int steps;

	/* "$NAME" is replaced by its value in [environment], which may be another
	 * "$NAME". */
	for (steps = 0; entry && entry->text[0] == '$' && steps < 8; steps++)
		entry = conf_find(conf, "environment", arg, entry->text + 1);
	return entry ? &entry->value : NULL;
}

void conf_mount(struct conf_mount *out, const char *source, const char *dir)
{
	snprintf(out->server, sizeof(out->server), "%.*s", (int)strcspn(source, ":"), source);
	out->sections[0] = (struct conf_section){ "MountPoint", dir };
	out->sections[1] = (struct conf_section){ "Server", out->server };
	out->sections[2] = (struct conf_section){ "NFSMount_Global_Options", NULL };
}

const struct conf_value *conf_mount_get(const struct conf *conf, const char *source,
					const char *dir, const char *key)
{
	const struct conf_value *value = NULL;
	struct conf_mount mount;
	size_t i;

	conf_mount(&mount, source, dir);
	for (i = 0; !value && i < ARRAY_SIZE(mount.sections); i++)
		value = conf_get(conf, mount.sections[i].section, mount.sections[i].arg, key);
	return value;
}

int conf_each(const struct conf *conf, const char *section, conf_fn fn, void *arg)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; !rc && i < conf->count; i++) {
		const struct conf_entry *entry = &conf->entries[i];

		if (conf_is_same(entry->section, section))
			rc = fn(arg, entry->arg, entry->key, &entry->value);
	}
	return rc;
}

const char *conf_problem(const struct conf *conf)
{
	return conf->problem[0] ? conf->problem : NULL;
}

const char *conf_crash(const struct conf *conf)
{
	return conf->crash[0] ? conf->crash : NULL;
}

const char *conf_cut_file(const struct conf *conf)
{
	return conf->cut;
}

int conf_bool(const struct conf_value *value, int otherwise)
{
	static const char *const yes[] = { "1", "t", "true", "y", "yes", "on" };
	static const char *const no[] = { "0", "f", "false", "n", "no", "off" };
	size_t i;

	for (i = 0; value && i < ARRAY_SIZE(yes); i++) {
		if (!strcasecmp(value->value, yes[i]))
			return 1;
		if (!strcasecmp(value->value, no[i]))
			return 0;
	}
	return otherwise;
}
